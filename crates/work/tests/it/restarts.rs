//! Restarts, long sleeps and wrong clocks (N12): what is due is stored, so that none of them asks anybody early, twice
//! or all at once.

use crate::promises::{DAY, HOUR, MINUTE, SECOND, START, Stage, boot, wish};
use domain::{FeedId, Timestamp};
use farm::{Behaviour, FarmConfig};
use plan::Policy;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use store::Wish;
use work::Clock;

/// As many as the threat speaks of.
const MANY: usize = 10_000;

#[tokio::test]
async fn n12_a_restart_storm_polls_nothing_extra() {
    let config = FarmConfig { shared_hosts: 0.1, items_per_document: 5, ..FarmConfig::new(3, MANY, START) };
    let stage = Stage::empty(config).await;
    let urls = (0..MANY).map(|index| stage.web.world.feed_url(index).unwrap());
    let feeds = follow(&stage, urls, 3 * SECOND).await;
    stage.pass(HOUR).await;
    let mut due = BTreeMap::new();
    for feed in feeds {
        due.insert(feed, stage.store.feed_schedule(feed).await.unwrap().unwrap().schedule.next_poll_at);
    }
    let (began, before) = (stage.clock.now(), stage.web.log.len());
    let mut polled = BTreeSet::new();
    // A hundred restarts in ten minutes.
    for restart in 0..100_u32 {
        stage.clock.set(began.saturating_add(restart * 6 * SECOND).max(stage.clock.now()));
        let crawler = boot(&stage.store, &stage.web, &stage.clock);
        crawler.settle().await;
        for report in crawler.cycle().await.unwrap() {
            let (feed, at) = (report.record.feed, report.record.started_at);
            assert!(due[&feed] <= at, "feed {feed} was polled before its time");
            assert!(polled.insert(feed), "feed {feed} was polled twice in ten minutes");
        }
        if restart == 0 {
            assert_eq!(stage.web.log.len(), before, "no time passed, so nothing new was due");
        }
    }
    assert_eq!(stage.web.log.len() - before, polled.len(), "one request each");
    // Whoever waits now waits for a turn at a host with many feeds.
    let long_ago = stage.clock.now().saturating_sub(MINUTE);
    let forgotten = due.iter().filter(|(feed, at)| **at <= long_ago && !polled.contains(*feed)).count();
    assert_eq!(forgotten, 0, "who was due had its turn");
    assert!(polled.len() > 150, "{} polls", polled.len());
}

#[tokio::test]
async fn n12_no_jump_of_the_clock_makes_ten_thousand_feeds_due_at_once() {
    let stage = Stage::empty(FarmConfig::new(3, 1, START)).await;
    let begin = stage.clock.now();
    // All within eight hours, as in steady life. Spread over ten minutes they are 167 in ten seconds.
    let steady = 8 * HOUR / 10_000;
    follow(&stage, (0..MANY).map(|n| format!("https://h{n}.test/feed")), steady).await;
    let at_once = jump(&stage, begin.saturating_add(5 * MINUTE)).await;
    assert!(at_once <= 105, "five minutes' worth: {at_once}");
    for ahead in [DAY, 3 * DAY, 3_650 * DAY] {
        assert_eq!(jump(&stage, begin.saturating_add(ahead)).await, 0, "spread, {ahead:?} ahead");
        assert_eq!(most_due(&stage, 10 * SECOND, 10 * MINUTE).await, 167, "evenly, {ahead:?} ahead");
    }
    // Back: the times planned by the wrong clock never come, and somebody may have been asked a moment ago.
    for right in [begin.saturating_add(HOUR), begin.saturating_sub(DAY), Timestamp::EPOCH] {
        if right != Timestamp::EPOCH {
            jump(&stage, begin.saturating_add(3_650 * DAY)).await;
        }
        assert_eq!(jump(&stage, right).await, 0);
        let floor_ends = right.saturating_add(Policy::default().own_floor);
        assert_eq!(stage.store.overdue(floor_ends).await.unwrap(), 0, "nobody within our floor of {right}");
        assert!(most_due(&stage, 10 * MINUTE, DAY + 2 * HOUR).await <= 70, "spread over a day from {right}");
        let a_day_later = floor_ends.saturating_add(DAY);
        assert_eq!(stage.store.overdue(a_day_later).await.unwrap(), MANY as u64, "and nobody is forgotten");
    }
    // The clock that stood in 1970 comes right, and is set back a little.
    let right = begin.saturating_add(2 * HOUR);
    for now in [right, right.saturating_sub(5 * MINUTE)] {
        assert_eq!(jump(&stage, now).await, 0);
        assert_eq!(most_due(&stage, 10 * SECOND, HOUR).await, 167);
    }
}

#[tokio::test]
async fn n12_a_long_sleep_is_spread_and_not_burst() {
    let config = FarmConfig { shared_hosts: 0.0, ..FarmConfig::new(3, 300, START) };
    let stage = Stage::new(config).await;
    stage.pass(2 * HOUR).await;
    stage.clock.set(stage.clock.now().saturating_add(3 * DAY));
    let woke_at = stage.clock.now();
    let before = stage.web.log.len();
    stage.crawler.settle().await;
    stage.pass(MINUTE).await;
    let first_minute = stage.web.log.len() - before;
    assert!(first_minute <= 60, "{first_minute} of 300 overdue feeds in the first of ten minutes");
    stage.pass(15 * MINUTE).await;
    let asked: BTreeSet<_> = stage
        .web
        .entries()
        .iter()
        .filter(|entry| entry.at >= woke_at)
        .filter_map(|entry| entry.feed)
        .collect();
    assert_eq!(asked.len(), 300, "and after a quarter of an hour all were asked");
}

#[tokio::test]
async fn clock_jumps_never_poll_inside_a_floor_and_never_strand_a_feed() {
    let stage = Stage::scripted(&[Behaviour::Good; 5]).await;
    stage.pass(DAY).await;
    let true_now = stage.clock.now();
    let mut due = BTreeMap::new();
    for feed in &stage.feeds {
        due.insert(*feed, stage.store.feed_schedule(*feed).await.unwrap().unwrap().schedule.next_poll_at);
    }
    // Five minutes ahead: only what is due by then.
    stage.clock.set(true_now.saturating_add(5 * MINUTE));
    stage.crawler.settle().await;
    for report in stage.crawler.cycle().await.unwrap() {
        assert!(due[&report.record.feed] <= report.record.started_at, "{report:?} was not due");
    }
    // Back to 1970: everything due lies in the future, so nothing is asked.
    let before = stage.web.log.len();
    stage.clock.set(Timestamp::EPOCH);
    stage.crawler.settle().await;
    assert!(stage.crawler.cycle().await.unwrap().is_empty());
    assert_eq!(stage.web.log.len(), before);
    // Ten years ahead, and back again after an hour of true time: within a day every feed is asked again.
    stage.clock.set(true_now.saturating_add(3650 * DAY));
    stage.crawler.settle().await;
    stage.pass(HOUR).await;
    let back_at = true_now.saturating_add(HOUR);
    let before = stage.web.log.len();
    stage.clock.set(back_at);
    stage.crawler.settle().await;
    stage.pass(2 * DAY).await;
    // In true time the last poll by the wrong clock may have been a moment ago.
    let floor_ends = back_at.saturating_add(Policy::default().own_floor);
    let early: Vec<_> = stage.web.entries().into_iter().skip(before).filter(|e| e.at < floor_ends).collect();
    assert!(early.is_empty(), "{early:?}");
    let window = back_at..true_now.saturating_add(3 * DAY);
    let asked: BTreeSet<_> = stage
        .web
        .entries()
        .iter()
        .filter(|entry| window.contains(&entry.at))
        .filter_map(|entry| entry.feed)
        .collect();
    assert_eq!(asked.len(), 5, "a clock that was ten years ahead for an hour must not silence a feed");
}

#[tokio::test]
async fn a_clock_that_fell_to_1970_and_came_right_asks_nobody_within_a_floor() {
    let stage = Stage::scripted(&[Behaviour::Good; 5]).await;
    stage.pass(DAY).await;
    let mut asked = Vec::new();
    for _ in 0..2_000 {
        asked = stage.pass(MINUTE).await;
        if !asked.is_empty() {
            break;
        }
    }
    let last = &asked.last().expect("somebody is asked within a day").record;
    stage.clock.set(Timestamp::EPOCH);
    stage.crawler.settle().await;
    assert!(stage.crawler.cycle().await.unwrap().is_empty());
    stage.clock.set(last.started_at.saturating_add(3 * MINUTE));
    stage.crawler.settle().await;
    let reports = stage.pass(2 * DAY).await;
    let floor_ends = last.started_at.saturating_add(Policy::default().fast_floor);
    let early = reports
        .iter()
        .find(|report| report.record.feed == last.feed && report.record.started_at < floor_ends);
    assert!(early.is_none(), "asked at {:?} and again: {early:?}", last.started_at);
    let feeds: BTreeSet<_> = reports.iter().map(|report| report.record.feed).collect();
    assert_eq!(feeds.len(), 5, "and nobody is forgotten");
}

/// What a process does that finds the clock there; answers how many feeds are due at once.
async fn jump(stage: &Stage, to: Timestamp) -> u64 {
    stage.clock.set(to);
    stage.crawler.settle().await;
    stage.store.overdue(to).await.unwrap()
}

/// Follows feeds whose first polls are one `step` apart.
async fn follow(stage: &Stage, urls: impl Iterator<Item = String>, step: Duration) -> Vec<FeedId> {
    let wishes: Vec<Wish> = urls.map(|url| wish(&url)).collect();
    let now = stage.clock.now();
    let followed = stage.store.subscribe_many(stage.user, &wishes, step, now).await.unwrap();
    followed.into_iter().map(|followed| followed.feed).collect()
}

/// The most feeds that become due within one `step` of the `span` to come.
async fn most_due(stage: &Stage, step: Duration, span: Duration) -> u64 {
    let now = stage.clock.now();
    let (mut most, mut before, mut passed) = (0, stage.store.overdue(now).await.unwrap(), Duration::ZERO);
    while passed < span {
        passed += step;
        let by_then = stage.store.overdue(now.saturating_add(passed)).await.unwrap();
        most = most.max(by_then - before);
        before = by_then;
    }
    most
}
