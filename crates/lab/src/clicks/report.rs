//! What `lab clicks` prints: one object, a table for people, a figure.

use super::bootstrap::{Estimate, Tally};
use super::{ClicksOptions, PAPER};
use crate::svg::{Span, spans};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct ClicksReport {
    /// Draws behind each interval.
    pub resamples: usize,
    pub seed: u64,
    pub sets: Vec<SetReport>,
    /// Sets that were asked for and are not there: their files and where they are published.
    pub missing: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SetReport {
    pub name: String,
    pub rankers: Vec<RankerRow>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct RankerRow {
    pub name: String,
    pub measures: Vec<MeasureRow>,
}

#[derive(Debug, Clone, Serialize)]
pub struct MeasureRow {
    pub name: String,
    #[serde(flatten)]
    pub estimate: Estimate,
    /// More than the paper's ranker has.
    pub above_ee_10: Estimate,
}

impl SetReport {
    pub(super) fn new(name: &str, tally: &Tally, options: &ClicksOptions) -> Self {
        let estimates = tally.estimates(PAPER, options.resamples, options.seed);
        let measure = |(name, (estimate, above_ee_10)): (&&str, (Estimate, Estimate))| MeasureRow {
            name: (*name).to_owned(),
            estimate,
            above_ee_10,
        };
        let row = |(ranker, estimates): (&&str, Vec<(Estimate, Estimate)>)| RankerRow {
            name: (*ranker).to_owned(),
            measures: tally.measures.iter().zip(estimates).map(measure).collect(),
        };
        SetReport {
            name: name.to_owned(),
            rankers: tally.rankers.iter().zip(estimates).map(row).collect(),
            notes: Vec::new(),
        }
    }
}

pub fn table(report: &ClicksReport) -> String {
    let mut out = String::new();
    for set in &report.sets {
        let _ = writeln!(out, "{} (95 % of {} draws; ± against {PAPER} below)", set.name, report.resamples);
        let _ = write!(out, "{:<10}", "");
        for measure in set.rankers.iter().take(1).flat_map(|row| &row.measures) {
            let _ = write!(out, "{:>26}", measure.name);
        }
        out.push('\n');
        for row in &set.rankers {
            let _ = write!(out, "{:<10}", row.name);
            for measure in &row.measures {
                let Estimate { value, low, high } = measure.estimate;
                let _ = write!(out, "{:>26}", format!("{value:.4} [{low:.4}, {high:.4}]"));
            }
            out.push('\n');
            if row.name != PAPER {
                let _ = write!(out, "{:<10}", "");
                for measure in &row.measures {
                    let Estimate { value, low, high } = measure.above_ee_10;
                    let _ = write!(out, "{:>26}", format!("{value:+.4} [{low:+.4}, {high:+.4}]"));
                }
                out.push('\n');
            }
        }
        set.notes.iter().for_each(|note| {
            let _ = writeln!(out, "{note}");
        });
        out.push('\n');
    }
    for missing in &report.missing {
        let _ = writeln!(out, "not there: {missing}");
    }
    out
}

/// The first measure of each set.
pub fn figure(report: &ClicksReport) -> String {
    let of = |set: &SetReport| -> Option<(String, Vec<Span>)> {
        let measure = set.rankers.first()?.measures.first()?;
        let title = format!("{}: {}", set.name, measure.name);
        let span = |row: &RankerRow| {
            let Estimate { value, low, high } = row.measures.first()?.estimate;
            Some(Span { label: row.name.clone(), value, low, high })
        };
        Some((title, set.rankers.iter().filter_map(span).collect()))
    };
    spans("Rankers on logs, with 95 % intervals", &report.sets.iter().filter_map(of).collect::<Vec<_>>())
}
