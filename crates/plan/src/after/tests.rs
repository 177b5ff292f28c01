use super::*;
use crate::estimate::Population;
use proptest::prelude::*;

const START: i64 = 1_700_000_000;
const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(START + i64::try_from(seconds).expect("small"))
}

fn seen(outcome: PollOutcome, seconds: u64) -> Observation<'static> {
    Observation {
        outcome,
        at: at(seconds),
        feed_url: "http://feed.test/",
        retry_after: None,
        fresh_for: None,
        validators: Validators { etag: Some("\"a\"".into()), last_modified: None },
        distrust_validators: false,
        body_hash: None,
        permanent_to: None,
        document: None,
    }
}

fn fresh(seconds: u64, posts: usize) -> Observation<'static> {
    let document =
        DocumentSeen { new_dates: vec![None; posts], items_visible: 100, ..DocumentSeen::default() };
    Observation { document: Some(document), ..seen(PollOutcome::Fresh, seconds) }
}

fn after(before: &Schedule, seen: &Observation<'_>) -> After {
    after_with(before, seen, Unit::MIDDLE)
}

/// At the typical price, without readers.
fn after_with(before: &Schedule, seen: &Observation<'_>, dice: Unit) -> After {
    let (policy, population) = (Policy::default(), Population::default());
    after_poll(before, seen, &Outlook::typical(&population, &policy), &policy, dice)
}

fn wait_s(after: &After, seen: &Observation<'_>) -> u64 {
    after.schedule.next_poll_at.since(seen.at).as_secs()
}

/// A feed that posts `per_day` items and is polled daily for a month.
fn settled(per_day: usize, validators: bool) -> Schedule {
    let mut schedule = Schedule::default();
    for day in 0..=30 {
        let mut poll = fresh(day * DAY, per_day);
        if !validators {
            poll.validators = Validators::default();
        }
        schedule = after(&schedule, &poll).schedule;
    }
    schedule
}

#[test]
fn n10_the_own_floor_is_an_hour_or_fifteen_minutes_for_busy_feeds_with_validators() {
    let poll = |schedule: &Schedule, etag: bool| {
        let mut poll = fresh(31 * DAY, 1);
        if !etag {
            poll.validators = Validators::default();
        }
        wait_s(&after(schedule, &poll), &poll)
    };
    assert!(poll(&settled(2, true), true) >= HOUR);
    let busy = poll(&settled(200, true), true);
    assert!((15 * 60..HOUR).contains(&busy), "{busy}");
    assert!(poll(&settled(200, false), false) >= HOUR, "without validators every poll is a whole body");
}

#[test]
fn n5_without_validators_the_floor_doubles_while_bodies_do_not_change() {
    let mut schedule = settled(50, false);
    let mut waits = Vec::new();
    for day in 40..50 {
        let mut poll = fresh(day * DAY, 0);
        poll.validators = Validators::default();
        poll.body_hash = Some(7);
        let next = after(&schedule, &poll);
        waits.push(wait_s(&next, &poll) / HOUR);
        schedule = next.schedule;
    }
    assert!(waits.is_sorted() && waits[0] <= 2, "{waits:?}");
    assert_eq!(waits.last(), Some(&24), "{waits:?}");
    let mut changed = fresh(60 * DAY, 3);
    changed.validators = Validators::default();
    changed.body_hash = Some(8);
    assert!(wait_s(&after(&schedule, &changed), &changed) <= 2 * HOUR, "a change resets it");
}

#[test]
fn n3_validators_are_kept_exactly_and_renewed_by_a_304() {
    let mut poll = fresh(0, 1);
    poll.validators =
        Validators { etag: Some("W/\"a b\"".into()), last_modified: Some("yesterday-ish".into()) };
    let first = after(&Schedule::default(), &poll).schedule;
    assert_eq!(first.validators, poll.validators);
    let mut unchanged = seen(PollOutcome::Unchanged, DAY);
    unchanged.validators = Validators { etag: Some("\"new\"".into()), last_modified: None };
    let second = after(&first, &unchanged).schedule;
    assert_eq!(second.validators.etag.as_deref(), Some("\"new\""));
    assert_eq!(second.validators.last_modified.as_deref(), Some("yesterday-ish"));
}

#[test]
fn n4_validators_are_reset_on_distrust_at_most_once_a_day() {
    let known = after(&Schedule::default(), &fresh(0, 1)).schedule;
    let cut = |seconds| Observation { distrust_validators: true, ..seen(PollOutcome::Partial, seconds) };
    let first = after(&known, &cut(DAY)).schedule;
    assert!(first.validators.is_empty());
    let regained = after(&first, &fresh(DAY + 2 * HOUR, 0)).schedule;
    assert!(!regained.validators.is_empty());
    let again = after(&regained, &cut(DAY + 4 * HOUR)).schedule;
    assert!(!again.validators.is_empty(), "not twice in a day");
    assert!(after(&again, &cut(2 * DAY + HOUR)).schedule.validators.is_empty());
}

#[test]
fn n20_an_answer_that_is_no_feed_overwrites_nothing() {
    let known = settled(3, true);
    let mut page = seen(PollOutcome::NotAFeed, 31 * DAY);
    page.validators = Validators { etag: Some("\"captcha\"".into()), last_modified: None };
    let next = after(&known, &page).schedule;
    assert_eq!(next.validators, known.validators);
    assert_eq!((next.rate, next.hints.ttl_minutes), (known.rate, known.hints.ttl_minutes));
    assert_eq!(next.failures, 1);
}

#[test]
fn n13_retry_after_is_honoured_beyond_the_maximum_and_without_it_waits_double() {
    let known = settled(3, true);
    let mut busy = seen(PollOutcome::Busy, 31 * DAY);
    busy.retry_after = Some(at(31 * DAY + 20 * DAY));
    let next = after(&known, &busy);
    assert_eq!(wait_s(&next, &busy), 20 * DAY);
    assert_eq!(next.schedule.reason, Reason::Busy);
    let mut schedule = known;
    let mut waits = Vec::new();
    for hour in 0..8 {
        let poll = seen(PollOutcome::Busy, 40 * DAY + hour * HOUR);
        let next = after(&schedule, &poll);
        waits.push(wait_s(&next, &poll));
        schedule = next.schedule;
    }
    assert!(waits.is_sorted() && waits[0] >= HOUR && waits.iter().all(|w| *w <= DAY), "{waits:?}");
}

#[test]
fn n15_denied_feeds_are_left_for_a_day() {
    let poll = seen(PollOutcome::Denied, 0);
    let next = after(&Schedule::default(), &poll);
    assert_eq!((wait_s(&next, &poll), next.schedule.reason), (DAY, Reason::Denied));
}

#[test]
fn n17_a_second_410_a_day_later_ends_polling_and_a_200_between_starts_over() {
    let first = after(&Schedule::default(), &seen(PollOutcome::Gone, 0));
    assert_eq!(first.state, FeedState::Active);
    assert_eq!(after(&first.schedule, &seen(PollOutcome::Gone, HOUR)).state, FeedState::Active, "too soon");
    assert_eq!(after(&first.schedule, &seen(PollOutcome::Gone, DAY)).state, FeedState::Gone);
    let back = after(&first.schedule, &fresh(DAY, 0));
    assert_eq!(after(&back.schedule, &seen(PollOutcome::Gone, 2 * DAY)).state, FeedState::Active);
}

#[test]
fn n11_intervals_are_capped_and_the_cap_grows_with_silence() {
    let policy = Policy::default();
    let cap_h = |silent_days: u64| {
        let rate = PostingRate { last_post_at: Some(at(0)), ..PostingRate::default() };
        maximum(&rate, at(silent_days * DAY), &policy).as_secs() / HOUR
    };
    assert_eq!(cap_h(30), 8);
    assert!((8..7 * 24).contains(&cap_h(200)));
    assert_eq!((cap_h(365), cap_h(4000)), (7 * 24, 7 * 24));
    let mut schedule = after(&Schedule::default(), &fresh(0, 0)).schedule;
    schedule.rate = PostingRate { exposure_days: 20.0, last_post_at: Some(at(0)), ..PostingRate::default() };
    let poll = Observation { outcome: PollOutcome::Unchanged, ..fresh(30 * DAY, 0) };
    let next = after(&schedule, &poll);
    assert_eq!(wait_s(&next, &poll), 8 * HOUR);
    assert_eq!(next.schedule.reason, Reason::Maximum { interval_s: 8 * HOUR });
}

#[test]
fn our_own_outage_blames_nobody() {
    let known = settled(3, true);
    let offline = seen(PollOutcome::Offline, 31 * DAY);
    let next = after(&known, &offline);
    assert_eq!(next.schedule.failures, 0);
    assert_eq!(next.schedule.last_poll_at, known.last_poll_at);
    assert_eq!(next.schedule.reason, Reason::Offline);
}

#[test]
fn a_small_window_shortens_the_interval_so_that_nothing_is_lost() {
    let window = |items| {
        let mut schedule = settled(10, true);
        schedule.rate.window_items = items;
        let poll = Observation { outcome: PollOutcome::Unchanged, ..seen(PollOutcome::Unchanged, 31 * DAY) };
        wait_s(&after(&schedule, &poll), &poll)
    };
    assert!(window(1) <= window(1000));
}

fn any_outcome() -> impl Strategy<Value = PollOutcome> {
    proptest::sample::select(PollOutcome::ALL.to_vec())
}

proptest! {
    /// The law of promise 3, whatever the history: never before a floor, never (much) after the maximum.
    #[test]
    fn the_next_poll_is_never_inside_a_floor(
        outcomes in proptest::collection::vec((any_outcome(), 1u64..100_000, 0usize..60, proptest::option::of(0u64..40 * DAY)), 1..30),
        ttl in proptest::option::of(0u32..200_000), dice in 0.0f64..1.0,
        hours in proptest::collection::vec(0u8..26, 0..26),
    ) {
        let policy = Policy::default();
        let mut schedule = Schedule::default();
        let mut clock = 0;
        for (outcome, step, posts, retry) in outcomes {
            clock += step;
            let mut poll = seen(outcome, clock);
            poll.retry_after = retry.map(|r| at(clock + r));
            poll.document = outcome.is_success().then(|| DocumentSeen {
                ttl_minutes: ttl, skip_hours: hours.clone(), new_dates: vec![None; posts],
                items_visible: 60, ..DocumentSeen::default()
            });
            let next = after_with(&schedule, &poll, Unit::new(dice)).schedule;
            let wait = next.next_poll_at.since(poll.at);
            if outcome == PollOutcome::Offline {
                prop_assert!(wait >= policy.offline_retry);
            } else {
                prop_assert!(wait >= policy.fast_floor);
                if let Some(retry) = poll.retry_after {
                    prop_assert!(next.next_poll_at >= retry);
                }
                if outcome == PollOutcome::Fresh && let Some(minutes) = ttl {
                    prop_assert!(wait.as_secs() >= u64::from(minutes.min(1440)) * 60);
                }
                let longest = policy.maximum_most.max(Duration::from_secs(retry.unwrap_or(0))) + policy.hint_cap;
                prop_assert!(wait <= longest, "{:?} {:?}", wait, next.reason);
            }
            schedule = next;
        }
    }

    #[test]
    fn more_posts_never_delay_the_next_poll(few in 0usize..50, more in 0usize..50) {
        let known = settled(2, true);
        let (few, more) = (few.min(more), few.max(more));
        let (a, b) = (fresh(31 * DAY, few), fresh(31 * DAY, more));
        // But for the grid of the planner, which differs with the interval.
        let (more_s, few_s) = (wait_s(&after(&known, &b), &b), wait_s(&after(&known, &a), &a));
        prop_assert!(more_s as f64 <= few_s as f64 * 1.05, "{} {}", more_s, few_s);
    }
}
