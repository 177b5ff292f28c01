//! Planning while it runs: the budget is met, nothing bursts, people who come find what is new, and what was learned is
//! kept.

use crate::promises::{DAY, MINUTE, START, Stage};
use domain::interaction::Access;
use domain::planning::{FRONTIER_SETTING, POPULATION_SETTING, PRICE_SETTING};
use domain::{AccessHabit, FeedId, Frontier, PriceMemory, Reason, Timestamp};
use farm::{Behaviour, FarmConfig, Rules, ViolationKind, score};
use std::time::Duration;
use work::{Clock, PollReport};

const HOUR: Duration = Duration::from_secs(3_600);

async fn stage(feeds: usize) -> Stage {
    let mut stage = Stage::empty(FarmConfig::scripted(11, START, &vec![Behaviour::Good; feeds])).await;
    for index in 0..feeds {
        let feed = stage.subscribe(stage.user, index).await;
        stage.feeds.push(feed);
    }
    stage
}

fn most_in_an_hour(reports: &[PollReport]) -> usize {
    let hour = |report: &PollReport| report.record.started_at.seconds() / 3_600;
    let mut counts = std::collections::HashMap::new();
    for report in reports {
        *counts.entry(hour(report)).or_insert(0_usize) += 1;
    }
    counts.into_values().max().unwrap_or(0)
}

#[tokio::test]
async fn polls_a_day_meet_the_budget_and_follow_it_without_a_burst() {
    let feeds = 30_usize;
    let stage = stage(feeds).await;
    stage.crawler.set_budget(Some(6.0));
    stage.pass(7 * DAY).await;
    let week = stage.pass(7 * DAY).await;
    let each = |reports: &[PollReport], days: f64| reports.len() as f64 / (days * feeds as f64);
    let used = each(&week, 7.0);
    assert!((used / 6.0 - 1.0).abs() < 0.1, "{used} polls per feed and day of 6");
    let usual = most_in_an_hour(&week);
    stage.crawler.set_budget(Some(12.0));
    stage.crawler.side_cycle().await;
    let day = stage.pass(DAY).await;
    assert!(most_in_an_hour(&day) <= 3 * usual + 6, "{} after {usual}", most_in_an_hour(&day));
    let used = each(&stage.pass(7 * DAY).await, 7.0);
    assert!((used / 12.0 - 1.0).abs() < 0.12, "{used} polls per feed and day of 12");
    let impolite: Vec<_> = score(&stage.web.entries(), &Rules::default())
        .into_iter()
        .filter(|v| matches!(v.kind, ViolationKind::TooSoon | ViolationKind::Crowded))
        .collect();
    assert_eq!(impolite, []);
    let memory: PriceMemory =
        serde_json::from_str(&stage.store.setting(PRICE_SETTING).await.unwrap().unwrap()).unwrap();
    assert!(memory.correction > 0.2 && memory.correction < 5.0, "{memory:?}");
}

#[tokio::test]
async fn how_late_posts_were_found_is_kept_beside_what_was_expected() {
    let stage = stage(6).await;
    stage.pass(10 * DAY).await;
    let since = stage.clock.now().saturating_sub(5 * DAY);
    let days = stage.store.days_of(stage.user, since).await.unwrap();
    let dated: u32 = days.iter().map(|day| day.found.dated).sum();
    let delay: u64 = days.iter().map(|day| day.found.delay_ms).sum();
    let expected: u64 = days.iter().map(|day| day.found.expected_ms).sum();
    assert!(dated > 10, "{dated}");
    let ratio = delay as f64 / expected as f64;
    assert!((0.3..3.0).contains(&ratio), "realised {delay} ms, expected {expected} ms of {dated} posts");
}

#[tokio::test]
async fn n12_whoever_comes_to_read_has_the_likeliest_feeds_polled_at_once_within_floors_and_share() {
    let stage = stage(8).await;
    stage.crawler.set_budget(Some(2.0));
    stage.pass(14 * DAY).await;
    // Somewhere between polls, well after the last ones.
    stage.pass(5 * HOUR).await;
    let before = stage.web.log.len();
    let brought = stage.crawler.opened(stage.user).await.unwrap();
    assert!((1..=2).contains(&brought), "a quarter of 16 polls a day, saved up for half a day: {brought}");
    let reports = stage.pass(MINUTE).await;
    assert!(reports.len() >= brought && stage.web.log.len() > before);
    assert_eq!(stage.crawler.opened(stage.user).await.unwrap(), 0, "still the same visit");
    let other = stage.store.add_user("jan", None, false, stage.clock.now()).await.unwrap();
    assert_eq!(stage.crawler.opened(other).await.unwrap(), 0, "nothing is followed");
    stage.pass(6 * HOUR).await;
    stage.store.set_halted(true).await.unwrap();
    assert_eq!(stage.crawler.opened(stage.user).await.unwrap(), 0);
    let soon: Vec<_> = score(&stage.web.entries(), &Rules::default())
        .into_iter()
        .filter(|v| v.kind == ViolationKind::TooSoon)
        .collect();
    assert_eq!(soon, []);
}

/// At 19:30 on each of so many days before now.
async fn visit(stage: &Stage, days: u64, feed: Option<FeedId>) {
    for ago in (1..=days).rev() {
        let day = stage.clock.now().saturating_sub(DAY * u32::try_from(ago).unwrap());
        let evening = Timestamp::from_seconds(day.seconds().div_euclid(86_400) * 86_400 + 19 * 3_600 + 1_800);
        let access = Access { user: stage.user, at: evening, feed };
        stage.store.record_access(&access).await.unwrap();
    }
}

#[tokio::test]
async fn habits_are_learned_once_a_day_by_one_node_and_move_polls_before_reading() {
    let stage = stage(4).await;
    stage.pass(20 * DAY).await;
    visit(&stage, 20, None).await;
    assert_eq!(
        stage.crawler.learn_cycle().await,
        6,
        "habits, population, frontier, topics, tastes, together"
    );
    assert_eq!(stage.crawler.learn_cycle().await, 0, "all done");
    let habit = stage.store.habit(stage.user).await.unwrap().unwrap();
    let habit: AccessHabit = serde_json::from_str(&habit).unwrap();
    let usual = habit.usual_hours().expect("twenty visits");
    assert!(usual[19] && !usual[7], "{usual:?}");
    let learned = stage.store.learned(FeedId(0), 10).await.unwrap();
    let attention = learned[0].attention.as_ref().expect("somebody reads it");
    let hours = attention.hours();
    assert!(hours[19] > 3.0 * hours[9] && attention.weight > 0.3, "{attention:?}");
    assert!(stage.store.setting(POPULATION_SETTING).await.unwrap().is_some());
    let frontier: Frontier =
        serde_json::from_str(&stage.store.setting(FRONTIER_SETTING).await.unwrap().unwrap()).unwrap();
    assert!(frontier.points.len() >= 8 && frontier.feeds == 4, "{frontier:?}");
    assert!(
        frontier.points.windows(2).all(|pair| pair[1].delay_s <= pair[0].delay_s * 1.001),
        "{frontier:?}"
    );
    // The visits that were learned are not learned again.
    stage.pass(DAY + HOUR).await;
    assert!(stage.crawler.learn_cycle().await >= 2);
    let again: AccessHabit =
        serde_json::from_str(&stage.store.habit(stage.user).await.unwrap().unwrap()).unwrap();
    assert_eq!(again.hours, habit.hours);
    let reports = stage.pass(3 * DAY).await;
    let reading =
        reports.iter().filter(|report| matches!(report.reason, Reason::Rate { reading_at: Some(_), .. }));
    assert!(reading.count() > 0, "some polls are where they are because somebody reads then");
}

#[tokio::test]
async fn what_repeats_others_counts_less_only_where_an_administrator_says_so() {
    let stage = stage(2).await;
    stage.pass(2 * DAY).await;
    let newest = stage.store.newest_item().await.unwrap();
    let copies = store::FeedProfileRow {
        feed: stage.feeds[0],
        learned_to: newest,
        newest_at: START,
        state: vec![1],
        latest: vec![1],
        general: vec![1],
        change: None,
        cohesion: None,
        worth: 0.25,
        language: None,
    };
    let (from, stories) = (domain::ItemId(0), vec![]);
    let step =
        store::Learned { from, to: newest, profiles: vec![copies], stories, terms: vec![], model: None };
    assert!(stage.store.keep_learned(step).await.unwrap());
    visit(&stage, 2, None).await;
    let share = || async {
        let learned = stage.store.learned(FeedId(0), 10).await.unwrap();
        let weight = |feed: FeedId| {
            let one = learned.iter().find(|one| one.feed == feed).and_then(|one| one.attention.clone());
            f64::from(one.expect("it is known how it is read").weight)
        };
        weight(stage.feeds[0]) / weight(stage.feeds[1])
    };
    stage.crawler.learn_cycle().await;
    let before = share().await;
    stage.store.set_setting(domain::planning::NOVELTY_SETTING, Some("on")).await.unwrap();
    stage.pass(DAY + HOUR).await;
    stage.crawler.learn_cycle().await;
    let after = share().await;
    assert!((after / before - 0.25).abs() < 0.1, "{before} {after}");
}
