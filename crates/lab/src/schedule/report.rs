//! What `lab schedule` prints: one object by contract, a table for people, a figure.

use crate::replay::Outcome;
use crate::svg::{Bar, bars};
use crate::trace::{Account, World};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct ScheduleReport {
    pub feeds: usize,
    pub posts: usize,
    pub polls_per_day: f64,
    pub test_days: f64,
    pub accesses: u64,
    /// Lines of the input that were no use.
    pub skipped_lines: usize,
    pub feeds_without_history: usize,
    pub policies: Vec<PolicyRow>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct PolicyRow {
    pub name: String,
    pub polls: u64,
    /// Polls over budget; one means all policies spent the same.
    pub polls_used: f64,
    pub mean_delay_s: f64,
    pub median_delay_s: f64,
    pub p99_delay_s: f64,
    pub max_delay_s: f64,
    pub stddev_delay_s: f64,
    pub mean_of_feeds_s: f64,
    /// Null when nobody looks.
    pub missed_per_access: Option<f64>,
    pub access_delay_s: Option<f64>,
    pub items_lost: u64,
    pub bytes: u64,
    /// Documents with something new in them: what conditional requests leave.
    pub bytes_changed: u64,
    pub bytes_new: u64,
    /// The share of polls that found nothing new.
    pub unchanged: f64,
    pub plan_ms: f64,
    /// Polls by week over the weekly budget.
    pub weekly_used: Vec<f64>,
}

impl PolicyRow {
    pub fn new(name: &str, outcome: &Outcome, world: &World, polls_per_day: f64) -> Self {
        let daily = polls_per_day * world.feeds.len() as f64;
        let days = world.test_days();
        let weeks = outcome.weekly.iter().enumerate();
        let weekly_used =
            weeks.map(|(nth, polls)| *polls as f64 / daily / (days - 7.0 * nth as f64).min(7.0)).collect();
        let looked = outcome.accesses > 0;
        PolicyRow {
            name: name.to_owned(),
            polls: outcome.polls,
            polls_used: outcome.polls as f64 / (daily * days),
            mean_delay_s: outcome.mean_delay_s,
            median_delay_s: outcome.median_delay_s,
            p99_delay_s: outcome.p99_delay_s,
            max_delay_s: outcome.max_delay_s,
            stddev_delay_s: outcome.stddev_delay_s,
            mean_of_feeds_s: outcome.mean_of_feeds_s,
            missed_per_access: looked.then_some(outcome.missed_per_access),
            access_delay_s: looked.then_some(outcome.access_delay_s),
            items_lost: outcome.items_lost,
            bytes: outcome.bytes,
            bytes_changed: outcome.bytes_changed,
            bytes_new: outcome.bytes_new,
            unchanged: outcome.unchanged as f64 / outcome.polls.max(1) as f64,
            plan_ms: outcome.plan_ms,
            weekly_used,
        }
    }
}

impl ScheduleReport {
    pub fn new(
        world: &World,
        account: Account,
        polls_per_day: f64,
        names: &[String],
        outcomes: &[Outcome],
    ) -> Self {
        let rows = names.iter().zip(outcomes);
        let mut notes = account.notes;
        notes.extend(account.skipped.iter().map(|skipped| {
            format!(
                "{}: {} lines skipped, the first is line {} ({})",
                skipped.file, skipped.lines, skipped.first_line, skipped.why
            )
        }));
        let policies: Vec<PolicyRow> =
            rows.map(|(name, outcome)| PolicyRow::new(name, outcome, world, polls_per_day)).collect();
        for row in policies.iter().filter(|row| (row.polls_used - 1.0).abs() > 0.01) {
            notes.push(format!("{} spent {:.1} % of the budget", row.name, 100.0 * row.polls_used));
        }
        ScheduleReport {
            feeds: world.feeds.len(),
            posts: world.test_posts(),
            polls_per_day,
            test_days: world.test_days(),
            accesses: outcomes.first().map_or(0, |outcome| outcome.accesses),
            skipped_lines: account.skipped.iter().map(|skipped| skipped.lines).sum(),
            feeds_without_history: account.feeds_without_history,
            policies,
            notes,
        }
    }

    pub fn row(&self, name: &str) -> Option<&PolicyRow> {
        self.policies.iter().find(|row| row.name == name)
    }
}

/// For people: minutes, and the polls as a share of the budget.
pub fn table(report: &ScheduleReport) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} feeds, {} posts in {} days, {} polls per feed and day",
        report.feeds, report.posts, report.test_days, report.polls_per_day
    );
    let people = report.accesses > 0;
    let looked = if people { "    missed   unseen h" } else { "" };
    let _ = writeln!(
        out,
        "{:<31}{:>8}{:>10}{:>10}{:>10}{:>10}{:>8}{:>10}{looked}",
        "policy", "polls %", "mean min", "median", "p99", "max", "lost", "plan ms"
    );
    for row in &report.policies {
        let _ = write!(
            out,
            "{:<31}{:>8.1}{:>10.1}{:>10.1}{:>10.0}{:>10.0}{:>8}{:>10.0}",
            row.name,
            100.0 * row.polls_used,
            row.mean_delay_s / 60.0,
            row.median_delay_s / 60.0,
            row.p99_delay_s / 60.0,
            row.max_delay_s / 60.0,
            row.items_lost,
            row.plan_ms
        );
        if let (Some(missed), Some(delay)) = (row.missed_per_access, row.access_delay_s) {
            let _ = write!(out, "{missed:>10.2}{:>11.1}", delay / 3600.0);
        }
        out.push('\n');
    }
    for note in &report.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

/// Mean delays as bars.
pub fn figure(report: &ScheduleReport) -> String {
    let all: Vec<Bar> = report
        .policies
        .iter()
        .map(|row| Bar { label: row.name.clone(), value: row.mean_delay_s / 60.0 })
        .collect();
    let title = format!("Mean delay in minutes, {} polls per feed and day", report.polls_per_day);
    bars(&title, &all)
}
