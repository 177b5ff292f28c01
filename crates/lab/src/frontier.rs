//! `lab frontier`: delay against budget, with floors off as in the papers and with the floors that ship.

use crate::schedule::{PolicyRow, ScheduleOptions, run_in};
use crate::svg::{Line, lines};
use crate::trace::build;
use anyhow::{Result, ensure};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct FrontierReport {
    pub feeds: usize,
    pub posts: usize,
    pub points: Vec<FrontierPoint>,
}

#[derive(Debug, Clone, Serialize)]
pub struct FrontierPoint {
    pub polls_per_day: f64,
    /// Whether the shipped floors were on.
    pub floors: bool,
    #[serde(flatten)]
    pub row: PolicyRow,
}

pub const POLICIES: [&str; 5] = ["uniform", "miniflux", "sia-combined", "sia-rolling", "wellread"];
pub const BUDGETS: [f64; 7] = [0.25, 1.0, 2.0, 4.0, 8.0, 12.0, 24.0];

pub fn run(options: &ScheduleOptions, budgets: &[f64]) -> Result<FrontierReport> {
    ensure!(!budgets.is_empty(), "no budget was given");
    let (world, account) = build(&options.world)?;
    let names = options.policies.clone();
    let names = names.unwrap_or_else(|| POLICIES.iter().map(|name| (*name).to_owned()).collect());
    let mut points = Vec::new();
    for floors in [false, true] {
        for polls_per_day in budgets.iter().copied() {
            let rules = if floors { options.rules.clone().shipped() } else { options.rules.clone() };
            let policies = Some(names.clone());
            let asked = ScheduleOptions { polls_per_day, rules, policies, ..options.clone() };
            let report = run_in(&world, account.clone(), &asked)?;
            points.extend(report.policies.into_iter().map(|row| FrontierPoint {
                polls_per_day,
                floors,
                row,
            }));
        }
    }
    Ok(FrontierReport { feeds: world.feeds.len(), posts: world.test_posts(), points })
}

pub fn table(report: &FrontierReport) -> String {
    let mut out = format!("{} feeds, {} posts\n", report.feeds, report.posts);
    let _ = writeln!(
        out,
        "{:<20}{:>8}{:>12}{:>9}{:>10}{:>10}",
        "policy", "floors", "polls a day", "polls %", "mean min", "p99 min"
    );
    for point in &report.points {
        let _ = writeln!(
            out,
            "{:<20}{:>8}{:>12}{:>9.1}{:>10.1}{:>10.0}",
            point.row.name,
            if point.floors { "shipped" } else { "off" },
            point.polls_per_day,
            100.0 * point.row.polls_used,
            point.row.mean_delay_s / 60.0,
            point.row.p99_delay_s / 60.0
        );
    }
    out
}

pub fn figure(report: &FrontierReport) -> String {
    let mut all: Vec<Line> = Vec::new();
    for point in &report.points {
        let floors = if point.floors { ", floors" } else { "" };
        let label = format!("{}{floors}", point.row.name);
        let spent = point.polls_per_day * point.row.polls_used;
        let at = (spent, point.row.mean_delay_s / 60.0);
        match all.iter_mut().find(|line| line.label == label) {
            Some(line) => line.points.push(at),
            None => all.push(Line { label, points: vec![at] }),
        }
    }
    lines("Delay against budget", "polls per feed and day", "mean delay, minutes", &all)
}
