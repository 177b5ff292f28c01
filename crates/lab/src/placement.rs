//! `lab placement`: the papers' ways to place polls against the exact plan, on the raw hour-of-day histograms of history.

use crate::policy::learned::histogram;
use crate::policy::papers::{Pattern, refine, two_point};
use crate::schedule::in_parallel;
use crate::trace::{WorldOptions, build};
use anyhow::{Context, Result, ensure};
use plan::{Bounds, Costs, Grid, Metric, even, place};
use serde::Serialize;
use std::fmt::Write;

/// Expected delay over that of the exact plan, a mean over feeds.
#[derive(Debug, Clone, Serialize)]
pub struct PlacementReport {
    pub feeds: usize,
    pub slots: usize,
    pub polls: usize,
    pub methods: Vec<PlacementRow>,
}

#[derive(Debug, Clone, Serialize)]
pub struct PlacementRow {
    pub name: String,
    /// Feeds for which it finds a plan at all.
    pub feasible: f64,
    pub ratio_mean: f64,
    pub ratio_max: f64,
}

const METHODS: [&str; 4] = ["uniform", "two-point", "algorithm-1", "refinement"];

pub fn run(world: &WorldOptions, slots: usize, polls: usize) -> Result<PlacementReport> {
    ensure!((24..=1440).contains(&slots) && slots.is_multiple_of(24), "--slots must be a multiple of 24");
    ensure!((1..=24).contains(&polls), "--polls must be 1 to 24");
    let (world, _) = build(world)?;
    let problem = |feed: usize| -> Result<(Costs, Pattern, f64)> {
        let hours = histogram(world.history(feed));
        let posting: Vec<f64> = (0..slots).map(|slot| 24.0 * hours[slot * 24 / slots]).collect();
        let costs = Costs::new(Metric::Delay, Grid::day(slots), &posting, &[], 1)?;
        let exact = place(&costs, polls, &Bounds::default()).context("no plan")?.cost;
        Ok((costs, Pattern::new(Metric::Delay, &posting, &[]), exact))
    };
    let problems = (0..world.feeds.len()).map(problem).collect::<Result<Vec<_>>>()?;
    let names: Vec<String> = METHODS.iter().map(|name| (*name).to_owned()).collect();
    let methods = in_parallel(&names, false, |name| {
        let mut ratios = Vec::new();
        for (costs, pattern, exact) in &problems {
            let placement = match name {
                "uniform" => Some(even(costs, polls)),
                "two-point" => two_point(costs, pattern, polls, false),
                "algorithm-1" => two_point(costs, pattern, polls, true),
                _ => Some(refine(costs, pattern, polls)),
            };
            ratios.extend(placement.filter(|_| *exact > 0.0).map(|placement| placement.cost / exact));
        }
        let count = ratios.len().max(1) as f64;
        Ok(PlacementRow {
            name: name.to_owned(),
            feasible: ratios.len() as f64 / problems.len().max(1) as f64,
            ratio_mean: ratios.iter().sum::<f64>() / count,
            ratio_max: ratios.iter().copied().fold(0.0, f64::max),
        })
    })?;
    Ok(PlacementReport { feeds: world.feeds.len(), slots, polls, methods })
}

pub fn table(report: &PlacementReport) -> String {
    let mut out = format!("{} feeds, {} polls on {} slots\n", report.feeds, report.polls, report.slots);
    let _ = writeln!(out, "{:<14}{:>12}{:>14}{:>10}", "method", "feasible %", "over exact", "worst");
    for row in &report.methods {
        let _ = writeln!(
            out,
            "{:<14}{:>12.0}{:>14.3}{:>10.2}",
            row.name,
            100.0 * row.feasible,
            row.ratio_mean,
            row.ratio_max
        );
    }
    out
}
