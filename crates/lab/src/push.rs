//! `lab push`: what push would save in polls, bytes and delay (003 §2.4.5).
//!
//! Pull: a policy at several budgets, downloading whole documents, those that changed (conditional requests) or only what
//! is new (002 §4.6). Push: a fetch per ping, where posts within a minute are one; and because publishers forget and hubs
//! are late, the same with pings lost and late, and even safety polls to find what they left behind. Where there are
//! floors, a fetch inside one waits for its end and is then one with whatever else was asked for meanwhile.

use crate::dice::Dice;
use crate::replay::Rules;
use crate::schedule::{PolicyRow, ScheduleOptions, run_in};
use crate::trace::{DAY_S, World, build};
use anyhow::{Result, ensure};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct PushReport {
    pub feeds: usize,
    pub posts: usize,
    pub posts_per_feed_day: f64,
    pub pull: Vec<PullPoint>,
    pub push: Vec<PushPoint>,
}

#[derive(Debug, Clone, Serialize)]
pub struct PullPoint {
    pub polls_per_day: f64,
    /// The share of bytes that only new items would have saved.
    pub wasted: f64,
    #[serde(flatten)]
    pub row: PolicyRow,
}

#[derive(Debug, Clone, Serialize)]
pub struct PushPoint {
    /// The share of pings that never come.
    pub lost: f64,
    /// How late the others are, in the mean.
    pub late_s: f64,
    pub safety_polls_per_feed_day: f64,
    /// Fetches that a ping asked for.
    pub fetches_per_feed_day: f64,
    pub mean_delay_s: f64,
    pub p99_delay_s: f64,
    pub max_delay_s: f64,
    pub items_lost: u64,
    /// Whole documents, those with something new in them, and what was new.
    pub bytes: u64,
    pub bytes_changed: u64,
    pub bytes_new: u64,
}

pub const BUDGETS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 24.0];
/// Posts this close are one ping.
const PING_S: i64 = 60;
/// (share lost, mean lateness in seconds, safety polls per day): every publisher perfect, then worse and worse.
const CASES: [(f64, f64, f64); 7] = [
    (0.0, 0.0, 1.0 / 7.0),
    (0.0, 600.0, 1.0 / 7.0),
    (0.01, 60.0, 1.0 / 7.0),
    (0.05, 60.0, 1.0 / 7.0),
    (0.05, 60.0, 1.0),
    (0.2, 600.0, 1.0),
    (0.2, 600.0, 4.0),
];

pub fn run(options: &ScheduleOptions, budgets: &[f64]) -> Result<PushReport> {
    ensure!(!budgets.is_empty(), "no budget was given");
    let (world, account) = build(&options.world)?;
    let names = options.policies.clone().unwrap_or_else(|| vec!["wellread".to_owned()]);
    let mut pull = Vec::new();
    for polls_per_day in budgets.iter().copied() {
        let asked = ScheduleOptions { polls_per_day, policies: Some(names.clone()), ..options.clone() };
        let report = run_in(&world, account.clone(), &asked)?;
        pull.extend(report.policies.into_iter().map(|row| {
            let wasted = 1.0 - row.bytes_new as f64 / row.bytes.max(1) as f64;
            PullPoint { polls_per_day, wasted, row }
        }));
    }
    let feed_days = world.feeds.len() as f64 * world.test_days();
    let posts = world.test_posts();
    Ok(PushReport {
        feeds: world.feeds.len(),
        posts,
        posts_per_feed_day: posts as f64 / feed_days,
        pull,
        push: CASES.iter().map(|case| pushed(&world, &options.rules, *case)).collect(),
    })
}

/// All feeds with pings of one quality.
fn pushed(world: &World, rules: &Rules, (lost, late_s, safety_per_day): (f64, f64, f64)) -> PushPoint {
    let mut sum = Sum::default();
    let floors = rules.floors(world);
    for (feed, floor_s) in floors.into_iter().enumerate() {
        let mut dice = Dice::of(rules.seed ^ 0x9195, feed);
        // Each fetch and whether a ping asked for it: pings in the order they arrive, safety polls from a phase of their own.
        let arrive = |ping: i64, dice: &mut Dice| {
            let heard = dice.unit() >= lost;
            let late = -late_s * (1.0 - dice.unit()).ln();
            heard.then_some((ping + late as i64, true))
        };
        let pings = pings(world.test(feed));
        let mut fetches: Vec<(i64, bool)> =
            pings.into_iter().filter_map(|ping| arrive(ping, &mut dice)).collect();
        let interval_s = DAY_S as f64 / safety_per_day;
        let mut safety = world.begin as f64 + dice.unit() * interval_s;
        // One after the end finds what is left.
        while safety < world.end as f64 + interval_s {
            fetches.push((safety as i64, false));
            safety += interval_s;
        }
        fetches.sort_unstable();
        fetched(world, rules, feed, &apart(&fetches, world.begin, floor_s), &mut sum);
    }
    let feed_days = world.feeds.len() as f64 * world.test_days();
    sum.delays.sort_unstable();
    let count = sum.delays.len();
    let at = |share: f64| {
        let nth = (count as f64 * share).ceil() as usize;
        sum.delays.get(nth.saturating_sub(1)).copied().unwrap_or(0) as f64
    };
    PushPoint {
        lost,
        late_s,
        safety_polls_per_feed_day: safety_per_day,
        fetches_per_feed_day: sum.asked as f64 / feed_days,
        mean_delay_s: sum.delays.iter().sum::<i64>() as f64 / count.max(1) as f64,
        p99_delay_s: at(0.99),
        max_delay_s: at(1.0),
        items_lost: sum.items_lost,
        bytes: sum.bytes,
        bytes_changed: sum.bytes_changed,
        bytes_new: sum.bytes_new,
    }
}

#[derive(Debug, Default)]
struct Sum {
    delays: Vec<i64>,
    asked: u64,
    items_lost: u64,
    bytes: u64,
    bytes_changed: u64,
    bytes_new: u64,
}

/// The same fetches no closer than a floor to each other and to the beginning, at which everything was polled.
fn apart(fetches: &[(i64, bool)], begin: i64, floor_s: i64) -> Vec<(i64, bool)> {
    let mut kept: Vec<(i64, bool)> = Vec::with_capacity(fetches.len());
    let mut free_from = begin + floor_s;
    for (at, asked) in fetches.iter().copied() {
        match kept.last_mut() {
            // The fetch before is itself still waiting: one serves both.
            Some((waiting, by_ping)) if floor_s > 0 && at <= *waiting => *by_ping |= asked,
            _ => {
                kept.push((at.max(free_from), asked));
                free_from = at.max(free_from) + floor_s;
            }
        }
    }
    kept
}

/// What fetches at these times find; those after the end find, and count for nothing else.
fn fetched(world: &World, rules: &Rules, feed: usize, fetches: &[(i64, bool)], sum: &mut Sum) {
    let posts = &world.feeds[feed].posts;
    let mut passed = world.history(feed).len();
    for (at, asked) in fetches.iter().copied() {
        let to = passed + posts[passed..].partition_point(|post| *post <= at);
        sum.delays.extend(posts[passed..to].iter().map(|post| at - post));
        let new = to - passed;
        passed = to;
        if at >= world.end {
            continue;
        }
        sum.asked += u64::from(asked);
        sum.items_lost += new.saturating_sub(rules.window_items) as u64;
        let document = to.min(rules.window_items) as u64 * rules.item_bytes;
        sum.bytes += document;
        sum.bytes_changed += if new > 0 { document } else { 0 };
        sum.bytes_new += new.min(rules.window_items) as u64 * rules.item_bytes;
    }
}

/// When a publisher pings: at the end of each minute with posts in it, counted from the first.
fn pings(posts: &[i64]) -> Vec<i64> {
    let mut pings: Vec<i64> = Vec::new();
    let mut first = i64::MIN / 2;
    for post in posts {
        match pings.last_mut() {
            Some(ping) if post - first < PING_S => *ping = *post,
            _ => {
                first = *post;
                pings.push(*post);
            }
        }
    }
    pings
}

pub fn table(report: &PushReport) -> String {
    let mut out =
        format!("{} feeds, {:.2} posts per feed and day\n", report.feeds, report.posts_per_feed_day);
    let _ = writeln!(
        out,
        "{:<44}{:>12}{:>10}{:>12}{:>12}{:>12}",
        "", "polls a day", "mean min", "MB", "MB changed", "MB new"
    );
    let mut line = |what: &str, polls: f64, delay_s: f64, bytes: [u64; 3]| {
        let [whole, changed, new] = bytes.map(|bytes| bytes as f64 / 1e6);
        let _ = writeln!(
            out,
            "{what:<44}{polls:>12.2}{:>10.1}{whole:>12.1}{changed:>12.1}{new:>12.1}",
            delay_s / 60.0
        );
    };
    for PullPoint { polls_per_day, row, .. } in &report.pull {
        let bytes = [row.bytes, row.bytes_changed, row.bytes_new];
        line(&row.name, polls_per_day * row.polls_used, row.mean_delay_s, bytes);
    }
    for point in &report.push {
        let what = format!(
            "push, {:.0} % lost, {:.0} min late, {:.2} safety polls",
            100.0 * point.lost,
            point.late_s / 60.0,
            point.safety_polls_per_feed_day
        );
        let polls = point.fetches_per_feed_day + point.safety_polls_per_feed_day;
        line(&what, polls, point.mean_delay_s, [point.bytes, point.bytes_changed, point.bytes_new]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::world;

    #[test]
    fn perfect_pings_find_everything_at_once_and_fetch_no_more_than_is_posted() {
        let world = world(31, 30, 21);
        let perfect = pushed(&world, &Rules::default(), (0.0, 0.0, 1.0 / 7.0));
        assert!(perfect.mean_delay_s < PING_S as f64 && perfect.items_lost == 0, "{perfect:?}");
        let feed_days = 30.0 * 21.0;
        let posts = world.test_posts() as f64 / feed_days;
        assert!(perfect.fetches_per_feed_day <= posts && perfect.fetches_per_feed_day > 0.8 * posts);
        assert_eq!(perfect.bytes_new, world.test_posts() as u64 * Rules::default().item_bytes);
    }

    #[test]
    fn lost_and_late_pings_cost_delay_and_safety_polls_bound_it() {
        let world = world(32, 30, 28);
        let rules = Rules::default();
        let seen = |case| pushed(&world, &rules, case);
        let (perfect, late) = (seen((0.0, 0.0, 1.0)), seen((0.0, 600.0, 1.0)));
        assert!((perfect.mean_delay_s + 300.0..perfect.mean_delay_s + 700.0).contains(&late.mean_delay_s));
        let (few, many) = (seen((0.2, 0.0, 1.0 / 7.0)), seen((0.2, 0.0, 4.0)));
        assert!(many.mean_delay_s < few.mean_delay_s);
        assert!(few.max_delay_s <= 7.0 * 86_400.0 && many.max_delay_s <= 86_400.0 / 4.0);
        // With all pings lost it is even polling.
        let deaf = seen((1.0, 0.0, 4.0));
        assert_eq!(deaf.fetches_per_feed_day, 0.0);
        assert!((2.5 * 3600.0..3.5 * 3600.0).contains(&deaf.mean_delay_s), "{}", deaf.mean_delay_s);
        assert!(many.bytes_new <= many.bytes_changed && many.bytes_changed < many.bytes);
    }

    #[test]
    fn pings_inside_a_floor_wait_for_its_end_and_share_a_fetch() {
        let asked = [(10, true), (50, false), (70, true), (90, true), (400, false), (401, true)];
        assert_eq!(apart(&asked, 0, 100), [(100, true), (400, false), (500, true)]);
        assert_eq!(apart(&asked, 0, 0), asked, "without floors all stay as they are");
    }

    #[test]
    fn posts_of_one_minute_are_one_ping() {
        assert_eq!(pings(&[0, 10, 59, 60, 119, 500]), [59, 119, 500]);
        assert!(pings(&[]).is_empty());
    }
}
