//! What `lab profiles` prints: one object by contract, a table for people, a figure.

use super::corpus::Corpus;
use super::policies::{Monitored, spearman};
use crate::svg::{Bar, bars};
use learn::{Cohesion, Window};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct ProfilesReport {
    pub channels: usize,
    pub items: usize,
    pub skipped_lines: usize,
    pub policies: Vec<PolicyRow>,
    pub cohesion: Vec<CohesionRow>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct PolicyRow {
    pub name: String,
    pub quality: f64,
    pub quality_p5: f64,
    pub probes: u64,
    /// Rank correlation of the learnt with the true rates; null where none is learnt.
    pub spearman: Option<f64>,
    pub unprobed_hours_max: f64,
    pub items_lost: u64,
}

#[derive(Debug, Clone, Serialize)]
pub struct CohesionRow {
    pub source: String,
    pub mean: f64,
    /// clamp(W·(1 − mean Δ), 0, 1) over full windows; null before one was full.
    pub change: Option<f64>,
}

impl PolicyRow {
    pub(crate) fn new(name: &str, outcome: &Monitored, corpus: &Corpus) -> Self {
        let truth: Vec<f64> = corpus.channels.iter().map(|channel| channel.posts.len() as f64).collect();
        PolicyRow {
            name: name.to_owned(),
            quality: outcome.quality(),
            quality_p5: outcome.quality_p5(),
            probes: outcome.probes,
            spearman: outcome.rates.as_ref().map(|rates| spearman(rates, &truth)),
            unprobed_hours_max: outcome.unprobed_hours_max,
            items_lost: outcome.items_lost,
        }
    }
}

impl ProfilesReport {
    pub fn new(corpus: &Corpus, names: &[String], outcomes: &[Monitored], window: usize) -> Self {
        let policies: Vec<PolicyRow> =
            names.iter().zip(outcomes).map(|(name, outcome)| PolicyRow::new(name, outcome, corpus)).collect();
        let mut notes = corpus.notes.clone();
        let most = policies.iter().map(|row| row.probes).max().unwrap_or_default();
        for row in policies.iter().filter(|row| (row.probes as f64) < 0.99 * most as f64) {
            notes.push(format!("{} used {} of {most} probes", row.name, row.probes));
        }
        ProfilesReport {
            channels: corpus.channels.len(),
            items: corpus.items,
            skipped_lines: corpus.skipped_lines,
            policies,
            cohesion: cohesion(corpus, window),
            notes,
        }
    }
}

/// Eq. 3 of every channel over all its items.
pub(crate) fn cohesion(corpus: &Corpus, window: usize) -> Vec<CohesionRow> {
    let of = |channel: &super::corpus::Channel| {
        let steps = steps(corpus, channel, window);
        CohesionRow {
            source: channel.source.clone(),
            mean: steps.mean().unwrap_or_default(),
            change: steps.change(window),
        }
    };
    corpus.channels.iter().map(of).collect()
}

pub(crate) fn steps(corpus: &Corpus, channel: &super::corpus::Channel, window: usize) -> Cohesion {
    let (mut profile, mut cohesion, mut idf) = (Window::new(window), Cohesion::default(), 0);
    for post in &channel.posts {
        let now = corpus.idf_at(post.at);
        if now != idf {
            idf = now;
            profile.refresh(&corpus.idf[now]);
        }
        let full = profile.is_full();
        cohesion.add(profile.push(&post.bag, &corpus.idf[idf]).similarity, full);
    }
    cohesion
}

pub fn table(report: &ProfilesReport) -> String {
    let mut out = format!("{} channels, {} items\n", report.channels, report.items);
    let _ = writeln!(
        out,
        "{:<22}{:>9}{:>9}{:>10}{:>10}{:>14}{:>8}",
        "policy", "quality", "p5", "probes", "spearman", "unprobed h", "lost"
    );
    for row in &report.policies {
        let rank = row.spearman.map_or_else(|| "–".to_owned(), |rank| format!("{rank:.2}"));
        let _ = writeln!(
            out,
            "{:<22}{:>9.4}{:>9.4}{:>10}{:>10}{:>14.0}{:>8}",
            row.name, row.quality, row.quality_p5, row.probes, rank, row.unprobed_hours_max, row.items_lost
        );
    }
    let mean = |of: &dyn Fn(&CohesionRow) -> Option<f64>| {
        let all: Vec<f64> = report.cohesion.iter().filter_map(of).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    };
    let _ = writeln!(
        out,
        "mean cohesion {:.4} (eq. 3), mean change {:.3}",
        mean(&|row| Some(row.mean)),
        mean(&|row| row.change)
    );
    for note in &report.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

pub fn figure(report: &ProfilesReport) -> String {
    let all: Vec<Bar> = report
        .policies
        .iter()
        .map(|row| Bar { label: row.name.clone(), value: 100.0 * row.quality })
        .collect();
    bars("Quality of the profiles, percent of the best possible", &all)
}

/// One of the paper's figures or tables as rows.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentReport {
    pub experiment: String,
    pub channels: usize,
    pub items: usize,
    pub skipped_lines: usize,
    pub rows: Vec<Map<String, Value>>,
    pub notes: Vec<String>,
}

/// Rows with the same columns under one head.
pub fn rows_table(report: &ExperimentReport) -> String {
    let mut out = format!("{}: {} channels, {} items\n", report.experiment, report.channels, report.items);
    out.push_str(&rows(&report.rows));
    for note in &report.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

/// Any rows, with a head wherever the columns change.
pub(crate) fn rows(all: &[Map<String, Value>]) -> String {
    let mut out = String::new();
    let mut head: Vec<&String> = Vec::new();
    for row in all {
        let own: Vec<&String> = row.keys().collect();
        if own != head {
            out.push_str(&own.iter().map(|name| format!("{name:>22}")).collect::<String>());
            out.push('\n');
            head = own;
        }
        for value in row.values() {
            let shown = match value {
                Value::Number(number) if number.is_f64() => {
                    format!("{:.4}", number.as_f64().unwrap_or_default())
                }
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let _ = write!(out, "{shown:>22}");
        }
        out.push('\n');
    }
    out
}
