//! What `lab rank` prints: one object by contract, a table for people, figures 3.1 to 3.3.

use super::{Kind, Outcome, RankOptions};
use crate::svg::{Line, curves, stacked};
use serde::Serialize;
use std::fmt::Write;

/// Lists before a drift that say how good it was, and the share of that which counts as back.
const BEFORE: usize = 5;
const BACK: f64 = 0.95;

#[derive(Debug, Clone, Serialize)]
pub struct RankReport {
    pub users: usize,
    pub iterations: usize,
    pub drift_every: Option<usize>,
    pub drift_pool: usize,
    pub contextual: bool,
    pub strategies: Vec<StrategyRow>,
}

/// Means over readers.
#[derive(Debug, Clone, Serialize)]
pub struct StrategyRow {
    pub name: String,
    /// Expected, Σ θ·g.
    pub clicks_per_iteration: Vec<f64>,
    pub total_clicks: f64,
    /// Against the oracle.
    pub regret: f64,
    /// Σ |θ' − θ|/θ by iteration; empty in the contextual simulation.
    pub theta_mae: Vec<f64>,
    /// Total clicks against those of `ee-10`.
    pub ratio_to_ee_10: Option<f64>,
    /// Iterations after a drift until clicks are 95 % of before, as many as there are between drifts if never; null without
    /// drift.
    pub iterations_to_95: Option<f64>,
    /// Of the topics shown, in bits: in the last twenty lists, or in each list where lists mix topics.
    pub topic_entropy: f64,
}

impl RankReport {
    pub(crate) fn new(options: &RankOptions, names: &[String], outcomes: &[Outcome]) -> Self {
        let total = |outcome: &Outcome| outcome.clicks.iter().sum::<f64>();
        let of = |name: &str| names.iter().position(|own| own == name).map(|nth| total(&outcomes[nth]));
        let (best, paper) = (of("oracle").unwrap_or_default(), of("ee-10"));
        let row = |(name, outcome): (&String, &Outcome)| StrategyRow {
            name: name.clone(),
            total_clicks: total(outcome),
            regret: best - total(outcome),
            ratio_to_ee_10: paper.map(|paper| total(outcome) / paper),
            iterations_to_95: options.drift_every.and_then(|every| recovery(&outcome.clicks, every)),
            topic_entropy: outcome.topic_entropy,
            clicks_per_iteration: outcome.clicks.clone(),
            theta_mae: outcome.error.clone(),
        };
        RankReport {
            users: options.users,
            iterations: options.iterations,
            drift_every: options.drift_every,
            drift_pool: options.drift_pool,
            contextual: options.kind != Kind::Paper,
            strategies: names.iter().zip(outcomes).map(row).collect(),
        }
    }
}

/// The mean over drifts that have a whole period after them.
fn recovery(clicks: &[f64], every: usize) -> Option<f64> {
    let drifts = (1..).map(|nth| nth * every).take_while(|at| at + every <= clicks.len());
    let back = drifts.map(|at| {
        let before = &clicks[at.saturating_sub(BEFORE)..at];
        let aim = BACK * before.iter().sum::<f64>() / before.len() as f64;
        clicks[at..at + every].iter().position(|clicks| *clicks >= aim).unwrap_or(every) as f64
    });
    let all: Vec<f64> = back.collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

pub fn table(report: &RankReport) -> String {
    let mut out = format!("{} readers, {} iterations", report.users, report.iterations);
    if let Some(every) = report.drift_every {
        let _ = write!(out, ", two of {} interests drift every {every}", report.drift_pool);
    }
    let shown: Vec<usize> = [5, 10, 20, 50].into_iter().filter(|at| *at <= report.iterations).collect();
    let _ = write!(
        out,
        "\n{:<12}{:>10}{:>10}{:>9}{:>10}",
        "strategy", "clicks", "regret", "÷ ee-10", "of oracle"
    );
    for at in &shown {
        let _ = write!(out, "{:>8}", format!("at {at}"));
    }
    let _ = writeln!(out, "{:>9}{:>9}{:>9}{:>9}", "last 10", "error", "entropy", "to 95 %");
    let best =
        report.strategies.iter().find(|row| row.name == "oracle").map_or(f64::NAN, |row| row.total_clicks);
    for row in &report.strategies {
        let optional = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
        };
        let _ = write!(
            out,
            "{:<12}{:>10.1}{:>10.1}{:>9}{:>10.3}",
            row.name,
            row.total_clicks,
            row.regret,
            optional(row.ratio_to_ee_10, 3),
            row.total_clicks / best
        );
        for at in &shown {
            let _ = write!(out, "{:>8.2}", row.clicks_per_iteration[at - 1]);
        }
        let last = &row.clicks_per_iteration[row.clicks_per_iteration.len().saturating_sub(10)..];
        let _ = writeln!(
            out,
            "{:>9.2}{:>9}{:>9.2}{:>9}",
            last.iter().sum::<f64>() / last.len() as f64,
            optional(row.theta_mae.last().copied(), 2),
            row.topic_entropy,
            optional(row.iterations_to_95, 1)
        );
    }
    out
}

/// Clicks by iteration (figures 3.1 and 3.3), and below, where θ is learnt, its error (figure 3.2).
pub fn figure(report: &RankReport) -> String {
    let lines = |of: fn(&StrategyRow) -> &[f64]| -> Vec<Line> {
        let points =
            |row: &StrategyRow| (1..).zip(of(row)).map(|(at, value)| (f64::from(at), *value)).collect();
        report.strategies.iter().map(|row| Line { label: row.name.clone(), points: points(row) }).collect()
    };
    let clicks =
        curves("Clicks by iteration", "iteration", "clicks", &lines(|row| &row.clicks_per_iteration));
    if report.contextual {
        return clicks;
    }
    stacked(&[
        clicks,
        curves("Error of what is learnt", "iteration", "Σ|θ' − θ|/θ", &lines(|row| &row.theta_mae)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_counts_lists_until_clicks_are_back() {
        let clicks = [4.0, 4.0, 4.0, 2.0, 3.9, 4.0, 1.0, 1.0, 1.0];
        assert_eq!(recovery(&clicks, 3), Some((1.0 + 3.0) / 2.0));
        assert_eq!(recovery(&clicks[..4], 3), None, "a drift that was not followed to its end");
    }
}
