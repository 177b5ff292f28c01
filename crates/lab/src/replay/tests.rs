use super::*;
use crate::trace::{FeedTrace, ReaderTrace, WEEK_S};

const BEGIN: i64 = 1_704_067_200;

fn world(posts: &[i64]) -> World {
    let posts: Vec<i64> = posts.iter().map(|at| BEGIN + at).collect();
    let feed = FeedTrace { name: "feed".to_owned(), posts, since: BEGIN - WEEK_S };
    World { begin: BEGIN, end: BEGIN + WEEK_S, feeds: vec![feed], readers: Vec::new() }
}

/// Polls every so many seconds, and remembers what it saw.
struct Every {
    step: i64,
    seen: Vec<(i64, usize, usize, bool)>,
}

impl Every {
    fn new(step: i64) -> Self {
        Every { step, seen: Vec::new() }
    }
}

impl Policy for Every {
    fn first(&mut self, _feed: usize) -> i64 {
        BEGIN + self.step
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        assert!(poll.known.iter().all(|at| *at <= poll.now), "nobody sees the future");
        assert!(poll.new.iter().all(|at| *at > poll.last && *at <= poll.now));
        self.seen.push((poll.now - BEGIN, poll.new.len(), poll.document.len(), poll.overflow));
        poll.now + self.step
    }

    fn opened(&mut self, _reader: usize, _now: i64, _last: &[i64], _poll: &mut Vec<usize>) {}
}

#[test]
fn delays_run_from_a_post_to_the_poll_that_finds_it() {
    let world = world(&[-100, 10, 3600, 3601, 7100]);
    let outcome = replay(&world, &Rules::default(), &mut Every::new(3600), u64::MAX);
    assert_eq!(outcome.polls, 7 * 24 - 1);
    assert_eq!(outcome.posts, 4);
    // 3590, 0, 3599 and 100 seconds.
    assert_eq!(outcome.mean_delay_s, (3590.0 + 0.0 + 3599.0 + 100.0) / 4.0);
    assert_eq!((outcome.max_delay_s, outcome.median_delay_s), (3599.0, 100.0));
    assert_eq!(outcome.weekly, [7 * 24 - 1]);
}

#[test]
fn what_falls_out_of_the_window_is_lost_and_never_seen() {
    let posts: Vec<i64> = (1..=20).map(|nth| nth * 10).collect();
    let rules = Rules { window_items: 15, item_bytes: 100, ..Rules::default() };
    let mut policy = Every::new(86_400);
    let outcome = replay(&world(&posts), &rules, &mut policy, u64::MAX);
    assert_eq!(outcome.items_lost, 5);
    assert_eq!(policy.seen[0], (86_400, 15, 15, true));
    assert_eq!(policy.seen[1], (2 * 86_400, 0, 15, false));
    assert_eq!(outcome.posts, 20, "all have a delay");
    assert_eq!(outcome.bytes_new, 15 * 100);
    assert_eq!(outcome.bytes, 6 * 15 * 100);
    assert_eq!((outcome.bytes_changed, outcome.unchanged), (15 * 100, 5), "the others are answered 304");
}

#[test]
fn polls_after_the_end_find_the_rest_and_do_not_count() {
    let world = world(&[WEEK_S - 10]);
    let outcome = replay(&world, &Rules::default(), &mut Every::new(5 * 86_400), u64::MAX);
    assert_eq!(outcome.polls, 1);
    assert_eq!(outcome.mean_delay_s, (3 * 86_400 + 10) as f64);
}

#[test]
fn no_floor_is_broken_and_no_policy_runs_away() {
    let world = world(&[50, 90_000]);
    let rules = Rules { floor_s: 3600, ..Rules::default() };
    let mut policy = Every::new(1);
    let outcome = replay(&world, &rules, &mut policy, u64::MAX);
    assert!(policy.seen.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 3600));
    assert_eq!(outcome.polls, 7 * 24 - 1);
    let outcome = replay(&world, &Rules::default(), &mut Every::new(0), 500);
    assert_eq!(outcome.polls, 501);
}

#[test]
fn an_outage_puts_polls_off_and_nothing_more() {
    let posts: Vec<i64> = (0..7 * 24).map(|hour| hour * 3600 + 1).collect();
    let world = world(&posts);
    let usual = replay(&world, &Rules::default(), &mut Every::new(3600), u64::MAX);
    let rules = Rules { outage_s: 12 * 3600, ..Rules::default() };
    let mut policy = Every::new(3600);
    let broken = replay(&world, &rules, &mut policy, u64::MAX);
    let longest = policy.seen.windows(2).map(|pair| pair[1].0 - pair[0].0).max();
    assert!(longest.is_some_and(|longest| (12 * 3600..14 * 3600).contains(&longest)), "{longest:?}");
    assert!(broken.mean_delay_s > usual.mean_delay_s && broken.posts == usual.posts);
}

#[test]
fn jitter_moves_polls_by_its_share_at_most() {
    let rules = Rules { jitter: 0.1, ..Rules::default() };
    let mut policy = Every::new(3600);
    replay(&world(&[600_000]), &rules, &mut policy, u64::MAX);
    let steps: Vec<i64> = policy.seen.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(steps.iter().all(|step| (3239..=3960).contains(step)));
    assert!(steps.iter().any(|step| *step != 3600));
}

#[test]
fn what_a_person_misses_counts_at_every_look() {
    let mut world = world(&[1000, 2000]);
    let visits = vec![BEGIN + 500, BEGIN + 1500, BEGIN + 2500, BEGIN + 4000];
    world.readers = vec![ReaderTrace { name: "u".to_owned(), visits, feeds: None }];
    let outcome = replay(&world, &Rules::default(), &mut Every::new(3600), u64::MAX);
    assert_eq!(outcome.accesses, 4);
    assert_eq!(outcome.missed_per_access, 3.0 / 4.0);
    assert_eq!(outcome.access_delay_s, (500.0 + 1500.0 + 500.0) / 4.0);
    world.readers[0].feeds = Some(Vec::new());
    let outcome = replay(&world, &Rules::default(), &mut Every::new(3600), u64::MAX);
    assert_eq!(outcome.missed_per_access, 0.0, "who does not read the feed misses nothing");
}

#[test]
fn a_world_without_posts_has_no_delays() {
    let outcome = replay(&world(&[]), &Rules::default(), &mut Every::new(3600), u64::MAX);
    assert_eq!((outcome.posts, outcome.mean_delay_s, outcome.max_delay_s), (0, 0.0, 0.0));
}

/// Every hour on the hour, whatever happened before.
struct OnTheHour;

impl Policy for OnTheHour {
    fn first(&mut self, _feed: usize) -> i64 {
        BEGIN + 3600
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        (poll.now.max(poll.due) / 3600 + 1) * 3600
    }

    fn opened(&mut self, _reader: usize, _now: i64, _last: &[i64], _poll: &mut Vec<usize>) {}
}

#[test]
fn a_fixed_plan_is_not_polled_twice_because_jitter_was_early() {
    let rules = Rules { jitter: 0.05, ..Rules::default() };
    let outcome = replay(&world(&[10, 5000]), &rules, &mut OnTheHour, u64::MAX);
    assert!((165..=169).contains(&outcome.polls), "{} polls in a week of hours", outcome.polls);
}
