//! What `lab buzz` prints: one object by contract, a table for people, a figure.

use super::cost::Priced;
use super::world::Region;
use crate::svg::{Bar, Line, bars, lines};
use learn::Fit;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::time::Duration;

#[derive(Debug, Clone, Serialize)]
pub struct BuzzReport {
    pub users: usize,
    pub sources: usize,
    pub pairs: usize,
    pub references: usize,
    pub keys: usize,
    /// How many users were asked for.
    pub asked: usize,
    pub region_users: usize,
    pub region_sources: usize,
    pub region_pairs: usize,
    pub methods: Vec<Method>,
    pub convergence: Convergence,
    pub borders: Priced,
    pub borders_around: Vec<Priced>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Method {
    pub name: String,
    /// `all` of T, or its dense `region`.
    pub scope: String,
    pub query_ms: QueryMs,
    /// Writes for one week of references.
    pub updates: u64,
    /// How long those writes and the sorting take.
    pub build_s: f64,
    pub bytes: usize,
    pub overlap_at_1: f64,
    /// At `--top`, 20 unless given.
    pub overlap_at_20: f64,
    /// How often the exact first is anywhere in the list.
    pub first_in_list: f64,
}

#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct QueryMs {
    pub mean: f64,
    pub deviation: f64,
    pub min: f64,
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
}

impl QueryMs {
    pub(crate) fn of(times: &[Duration]) -> Self {
        let mut all: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        all.sort_by(f64::total_cmp);
        let count = all.len().max(1) as f64;
        let mean = all.iter().sum::<f64>() / count;
        let at = |share: f64| all.get(((all.len() as f64 * share) as usize).min(all.len().saturating_sub(1)));
        let at = |share: f64| at(share).copied().unwrap_or_default();
        QueryMs {
            mean,
            deviation: (all.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / count).sqrt(),
            min: at(0.0),
            p50: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

/// How the factorisation of the region went.
#[derive(Debug, Clone, Serialize)]
pub struct Convergence {
    pub norm: f64,
    pub residual: f64,
    pub sweeps: usize,
    pub converged: bool,
    pub seconds: f64,
    pub non_zeros_w: f64,
    pub non_zeros_h: f64,
}

impl Convergence {
    pub(crate) fn new(region: &Region, fit: &Fit, seconds: f64) -> Self {
        let (non_zeros_w, non_zeros_h) = fit.factors.non_zeros();
        Convergence {
            norm: region.matrix.norm(),
            residual: fit.residuals.last().copied().unwrap_or_default(),
            sweeps: fit.residuals.len(),
            converged: fit.converged,
            seconds,
            non_zeros_w,
            non_zeros_h,
        }
    }
}

pub fn table(report: &BuzzReport) -> String {
    let mut out = format!(
        "{} users, {} sources, {} subscriptions, {} references to {} keys; {} users asked for\n\
         dense region: {} users, {} sources, {} subscriptions\n",
        report.users,
        report.sources,
        report.pairs,
        report.references,
        report.keys,
        report.asked,
        report.region_users,
        report.region_sources,
        report.region_pairs
    );
    let _ = writeln!(
        out,
        "{:<14}{:<8}{:>10}{:>10}{:>10}{:>10}{:>14}{:>9}{:>10}{:>7}{:>7}{:>7}",
        "method", "of", "mean ms", "p50", "p99", "max", "writes", "s", "MB", "@1", "@top", "first"
    );
    for row in &report.methods {
        let _ = writeln!(
            out,
            "{:<14}{:<8}{:>10.3}{:>10.3}{:>10.3}{:>10.3}{:>14}{:>9.2}{:>10.1}{:>7.3}{:>7.3}{:>7.3}",
            row.name,
            row.scope,
            row.query_ms.mean,
            row.query_ms.p50,
            row.query_ms.p99,
            row.query_ms.max,
            row.updates,
            row.build_s,
            row.bytes as f64 / 1e6,
            row.overlap_at_1,
            row.overlap_at_20,
            row.first_in_list
        );
    }
    let fit = &report.convergence;
    let _ = writeln!(
        out,
        "NMF: residual {:.2} of {:.2} after {} sweeps, {:.2} s{}; non-zeros W {:.1} %, H {:.1} %",
        fit.residual,
        fit.norm,
        fit.sweeps,
        fit.seconds,
        if fit.converged { "" } else { ", not converged" },
        100.0 * fit.non_zeros_w,
        100.0 * fit.non_zeros_h
    );
    let best = &report.borders;
    let _ = writeln!(
        out,
        "hybrid: on the fly up to {} sources, views up to {} readers",
        best.sources, best.readers
    );
    for at in &report.borders_around {
        let _ =
            writeln!(out, "{:>8}{:>8}{:>12.2} million rows a week", at.sources, at.readers, at.rows / 1e6);
    }
    for note in &report.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

pub fn figure(report: &BuzzReport) -> String {
    let bar = |row: &Method| Bar { label: row.name.clone(), value: 1e3 * row.query_ms.mean };
    bars("A question for one user, microseconds", &report.methods.iter().map(bar).collect::<Vec<Bar>>())
}

/// One of the paper's figures or tables as rows.
#[derive(Debug, Clone, Serialize)]
pub struct BuzzExperiment {
    pub experiment: String,
    pub users: usize,
    pub sources: usize,
    pub rows: Vec<Map<String, Value>>,
    pub notes: Vec<String>,
    /// The columns that a figure draws: along, and up.
    #[serde(skip)]
    pub(crate) axes: Option<(&'static str, Vec<&'static str>)>,
}

pub fn rows_table(report: &BuzzExperiment) -> String {
    let mut out = format!("{}: {} users, {} sources\n", report.experiment, report.users, report.sources);
    out.push_str(&crate::profiles::rows(&report.rows));
    for note in &report.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

pub fn rows_figure(report: &BuzzExperiment) -> Option<String> {
    let (along, up) = report.axes.as_ref()?;
    let number = |row: &Map<String, Value>, name: &str| row.get(name).and_then(Value::as_f64);
    let line = |name: &&'static str| Line {
        label: (*name).to_owned(),
        points: report
            .rows
            .iter()
            .filter_map(|row| Some((number(row, along)?, number(row, name)?)))
            .collect(),
    };
    Some(lines(&report.experiment, along, "", &up.iter().map(line).collect::<Vec<Line>>()))
}
