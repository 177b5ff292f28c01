//! `wellread plan`: the best polls for given rates, with what other numbers of polls would cost.

use crate::End;
use crate::cli::PlanArgs;
use crate::command::read_input;
use anyhow::{Context, Result, bail};
use plan::rates::Rates;
use plan::{Bounds, Costs, Grid, Metric, curve, even, place};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

const FILE_BYTES_MAX: usize = 64 * 1024 * 1024;
const CURVE_MAX: usize = 48;

#[derive(Serialize)]
struct Plan {
    metric: &'static str,
    period_s: u64,
    slots: usize,
    /// Seconds from the period's start.
    polls: Vec<u64>,
    cost: f64,
    cost_uniform: f64,
    curve: Vec<f64>,
    /// Lines of the files that were no use.
    skipped_lines: usize,
}

pub(crate) fn run(args: &PlanArgs) -> Result<End> {
    let plan = make(args)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&plan)?)?;
    } else {
        tell(&plan, &mut out)?;
    }
    Ok(End::Done)
}

fn make(args: &PlanArgs) -> Result<Plan> {
    let (metric, name) = match args.metric.as_str() {
        "delay" => (Metric::Delay, "delay"),
        "miss" => (Metric::Miss, "miss"),
        "access-delay" => (Metric::AccessDelay, "access-delay"),
        other => bail!("there is no metric {other:?}; metrics are delay, miss and access-delay"),
    };
    let posting = read(&args.posting, None)?;
    let Grid { period_days, slots } = posting.grid;
    let mut skipped_lines = posting.skipped_lines;
    if args.polls == 0 || args.polls > slots {
        bail!("--polls is {}, but must be between 1 and the {slots} slots of the period", args.polls);
    }
    let attention = match (&args.attention, metric.uses_attention()) {
        (Some(file), true) => {
            let attention = read(file, Some(posting.grid))?;
            if attention.grid != posting.grid {
                bail!("the attention has {} slots, but the posting {slots}", attention.grid.slots);
            }
            skipped_lines += attention.skipped_lines;
            attention.rates
        }
        (None, true) => bail!("--metric {name} weighs by when people look: give --attention FILE"),
        (_, false) => Vec::new(),
    };
    let costs = Costs::new(metric, posting.grid, &posting.rates, &attention, 1)?;
    let bounds = Bounds::default();
    let best = place(&costs, args.polls, &bounds).context("no plan has that many polls")?;
    let seconds = |slot: usize| (slot as f64 * period_days * 86_400.0 / slots as f64).round() as u64;
    Ok(Plan {
        metric: name,
        period_s: (period_days * 86_400.0) as u64,
        slots,
        polls: best.polls.iter().copied().map(seconds).collect(),
        cost: best.cost,
        cost_uniform: even(&costs, args.polls).cost,
        curve: curve(&costs, CURVE_MAX.min(slots), &bounds).iter().map(|placed| placed.cost).collect(),
        skipped_lines,
    })
}

fn read(file: &Path, onto: Option<Grid>) -> Result<Rates> {
    let bytes = read_input(file, FILE_BYTES_MAX, "a plan needs no more")?;
    let text = std::str::from_utf8(&bytes).with_context(|| format!("{} is no text", file.display()))?;
    Rates::read(text, onto).with_context(|| format!("reading rates from {}", file.display()))
}

fn tell(plan: &Plan, out: &mut impl Write) -> std::io::Result<()> {
    let days = plan.period_s / 86_400;
    let period = if days == 1 { "a day" } else { "a week" };
    writeln!(out, "{} polls in {period} of {} slots, least {}:", plan.polls.len(), plan.slots, plan.metric)?;
    for poll in &plan.polls {
        let (day, second) = (poll / 86_400, poll % 86_400);
        let clock = format!("{:02}:{:02}", second / 3600, second / 60 % 60);
        if days == 1 {
            writeln!(out, "  {clock}")?;
        } else {
            writeln!(out, "  day {} {clock}", day + 1)?;
        };
    }
    write!(out, "cost {:.6}, evenly spread {:.6}", plan.cost, plan.cost_uniform)?;
    match plan.cost > 0.0 {
        true => writeln!(out, " ({:.2}×)", plan.cost_uniform / plan.cost)?,
        false => writeln!(out)?,
    }
    if plan.skipped_lines > 0 {
        writeln!(out, "{} lines were no Unix times from 1990 to 2100 and are left out", plan.skipped_lines)?;
    }
    writeln!(out, "polls  cost")?;
    for (nth, cost) in plan.curve.iter().enumerate().take(12) {
        writeln!(out, "{:5}  {cost:.6}", nth + 1)?;
    }
    Ok(())
}
