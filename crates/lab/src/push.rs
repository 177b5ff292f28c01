//! `lab push`: what push would save in polls, bytes and delay (003 §2.4.5).
//!
//! Pull: a policy at several budgets, downloading whole documents or only what is new (002 §4.6). Push: one fetch per ping,
//! where posts within a minute are one, found at once and downloaded once, plus a safety poll per week.

use crate::schedule::{PolicyRow, ScheduleOptions, run_in};
use crate::trace::{World, build};
use anyhow::{Result, ensure};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct PushReport {
    pub feeds: usize,
    pub posts: usize,
    pub posts_per_feed_day: f64,
    pub pull: Vec<PullPoint>,
    pub push: PushPoint,
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
    pub fetches_per_feed_day: f64,
    pub safety_polls_per_feed_day: f64,
    pub mean_delay_s: f64,
    pub bytes: u64,
}

pub const BUDGETS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 24.0];
/// Posts this close are one ping.
const PING_S: i64 = 60;

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
    let (posts, pings) = (world.test_posts(), pings(&world));
    Ok(PushReport {
        feeds: world.feeds.len(),
        posts,
        posts_per_feed_day: posts as f64 / feed_days,
        pull,
        push: PushPoint {
            fetches_per_feed_day: pings as f64 / feed_days,
            safety_polls_per_feed_day: 1.0 / 7.0,
            mean_delay_s: 0.0,
            bytes: posts as u64 * options.rules.item_bytes,
        },
    })
}

fn pings(world: &World) -> usize {
    let of_feed = |feed: usize| {
        let mut last = i64::MIN / 2;
        world
            .test(feed)
            .iter()
            .filter(|post| {
                let new = **post - last >= PING_S;
                if new {
                    last = **post;
                }
                new
            })
            .count()
    };
    (0..world.feeds.len()).map(of_feed).sum()
}

pub fn table(report: &PushReport) -> String {
    let mut out =
        format!("{} feeds, {:.2} posts per feed and day\n", report.feeds, report.posts_per_feed_day);
    let _ = writeln!(
        out,
        "{:<20}{:>12}{:>10}{:>12}{:>12}{:>9}",
        "policy", "polls a day", "mean min", "MB", "MB new", "wasted %"
    );
    for point in &report.pull {
        let _ = writeln!(
            out,
            "{:<20}{:>12}{:>10.1}{:>12.1}{:>12.1}{:>9.0}",
            point.row.name,
            point.polls_per_day,
            point.row.mean_delay_s / 60.0,
            point.row.bytes as f64 / 1e6,
            point.row.bytes_new as f64 / 1e6,
            100.0 * point.wasted
        );
    }
    let push = &report.push;
    let polls = push.fetches_per_feed_day + push.safety_polls_per_feed_day;
    let megabytes = push.bytes as f64 / 1e6;
    let _ = writeln!(
        out,
        "{:<20}{:>12.2}{:>10.1}{:>12.1}{:>12.1}{:>9}",
        "push",
        polls,
        push.mean_delay_s / 60.0,
        megabytes,
        megabytes,
        0
    );
    out
}
