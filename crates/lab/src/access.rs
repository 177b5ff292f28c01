//! `lab access`: what people miss when they look, each of them alone with all their feeds (000 §5, 001 §7).
//!
//! The policies of `lab schedule` for every person by themselves, and the three tables of 001: allocations with the same
//! times, times with the same allocation (delay, then posts missed). Means over people.

use crate::policy::sia::{Allocate, Placing, Sia};
use crate::policy::{Learned, Setting};
use crate::replay::{Outcome, Policy};
use crate::schedule::{ScheduleOptions, apart, calibrated_by, in_parallel, run_in};
use crate::trace::{World, build};
use anyhow::{Result, ensure};
use plan::Metric;
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct AccessReport {
    pub feeds: usize,
    pub readers: usize,
    pub polls_per_day: f64,
    pub accesses_per_day: f64,
    pub policies: Vec<AccessRow>,
    pub tables: Vec<AccessTable>,
}

/// Per person and day.
#[derive(Debug, Clone, Serialize)]
pub struct AccessRow {
    pub name: String,
    pub polls_used: f64,
    pub missed_per_day: f64,
    pub unseen_hours_per_day: f64,
    pub missed_per_access: f64,
    pub access_delay_s: f64,
    pub mean_delay_s: f64,
}

/// One of 001's tables: what is compared, and the rows.
#[derive(Debug, Clone, Serialize)]
pub struct AccessTable {
    pub of: &'static str,
    pub rows: Vec<AccessRow>,
}

pub const POLICIES: [&str; 9] = [
    "uniform",
    "sia-combined",
    "sia-user",
    "he-parker",
    "wellread-periodic-miss",
    "wellread-periodic-access-delay",
    "wellread",
    "wellread+open",
    "refresh-on-open",
];

pub fn run(options: &ScheduleOptions) -> Result<AccessReport> {
    let (world, account) = build(&options.world)?;
    ensure!(!world.readers.is_empty(), "lab access needs --accesses");
    let names = options.policies.clone();
    let names = names.unwrap_or_else(|| POLICIES.iter().map(|name| (*name).to_owned()).collect());
    let asked = ScheduleOptions { policies: Some(names), apart: true, ..options.clone() };
    let report = run_in(&world, account, &asked)?;
    let days = world.test_days();
    let people = world.readers.len() as f64;
    let accesses_per_day = report.accesses as f64 / people / days;
    let policies = report
        .policies
        .iter()
        .map(|row| AccessRow {
            name: row.name.clone(),
            polls_used: row.polls_used,
            missed_per_day: row.missed_per_access.unwrap_or(0.0) * accesses_per_day,
            unseen_hours_per_day: row.access_delay_s.unwrap_or(0.0) * accesses_per_day / 3600.0,
            missed_per_access: row.missed_per_access.unwrap_or(0.0),
            access_delay_s: row.access_delay_s.unwrap_or(0.0),
            mean_delay_s: row.mean_delay_s,
        })
        .collect();
    Ok(AccessReport {
        feeds: world.feeds.len(),
        readers: world.readers.len(),
        polls_per_day: options.polls_per_day,
        accesses_per_day,
        policies,
        tables: tables(&world, &asked, accesses_per_day)?,
    })
}

/// Tables 1 to 3 of 001, learned from history once, as there.
fn tables(world: &World, options: &ScheduleOptions, accesses_per_day: f64) -> Result<Vec<AccessTable>> {
    let best = Sia {
        clusters: 12,
        allocate: Allocate::CubeRoot,
        placing: Placing::Exact,
        metric: Metric::AccessDelay,
    };
    let allocations = [
        ("even", Sia { allocate: Allocate::Even, ..best }),
        ("square root", Sia { allocate: Allocate::SquareRoot, ..best }),
        ("cube root", best),
    ];
    let times = [
        ("uniform times", Sia { placing: Placing::Even, ..best }),
        ("posting times", Sia { metric: Metric::Delay, ..best }),
        ("missing times", Sia { metric: Metric::Miss, ..best }),
        ("access-delay times", best),
    ];
    let all: Vec<(&str, Sia)> = allocations.iter().chain(&times).copied().collect();
    let names: Vec<String> = all.iter().map(|(name, _)| (*name).to_owned()).collect();
    let outcomes = in_parallel(&names, options.show_progress, |name| {
        let sia = all.iter().find(|(other, _)| *other == name).map_or(best, |(_, sia)| *sia);
        apart(world, |world| alone(world, options, sia))
    })?;
    let budget = options.polls_per_day * world.feeds.len() as f64 * world.test_days();
    let rows: Vec<AccessRow> = names
        .iter()
        .zip(&outcomes)
        .map(|(name, outcome)| AccessRow {
            name: name.clone(),
            polls_used: outcome.polls as f64 / budget,
            missed_per_day: outcome.missed_per_access * accesses_per_day,
            unseen_hours_per_day: outcome.access_delay_s * accesses_per_day / 3600.0,
            missed_per_access: outcome.missed_per_access,
            access_delay_s: outcome.access_delay_s,
            mean_delay_s: outcome.mean_delay_s,
        })
        .collect();
    let (first, second) = rows.split_at(allocations.len());
    Ok(vec![
        AccessTable { of: "allocations with the same times (001 Table 1)", rows: first.to_vec() },
        AccessTable { of: "times with the same allocation (001 Tables 2 and 3)", rows: second.to_vec() },
    ])
}

fn alone(world: &World, options: &ScheduleOptions, sia: Sia) -> Result<Outcome> {
    let learned = Learned::new(world, options.study, options.rules.seed);
    let (rules, polls_per_day) = (&options.rules, options.polls_per_day);
    let setting = Setting { world, rules, learned: &learned, polls_per_day, metric: sia.metric };
    calibrated_by(setting, |strength| {
        let planned: Box<dyn Policy> = Box::new(sia.plan(setting, strength));
        Ok(planned)
    })
}

pub fn table(report: &AccessReport) -> String {
    let mut out = format!(
        "{} feeds, {} people who look {:.1} times a day, each alone, {} polls per feed and day\n",
        report.feeds, report.readers, report.accesses_per_day, report.polls_per_day
    );
    let mut section = |title: &str, rows: &[AccessRow]| {
        let _ =
            writeln!(out, "{title:<52}{:>8}{:>14}{:>18}", "polls %", "missed a day", "unseen hours a day");
        for row in rows {
            let _ = writeln!(
                out,
                "{:<52}{:>8.1}{:>14.1}{:>18.1}",
                row.name,
                100.0 * row.polls_used,
                row.missed_per_day,
                row.unseen_hours_per_day
            );
        }
    };
    section("policy", &report.policies);
    for table in &report.tables {
        section(table.of, &table.rows);
    }
    out
}
