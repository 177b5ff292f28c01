//! `wellread lab schedule` and its sisters: arguments in, the laboratory's reports out.

use crate::End;
use crate::cli::lab::{
    BuzzArgs, ClickModelArg, ClicksArgs, FrontierArgs, MetricArg, ModelArgs, OutputArgs, PlacementArgs,
    ProfilesArgs, RankArgs, ReplayArgs, ScheduleArgs, TraceArgs,
};
use anyhow::{Context, Result, bail, ensure};
use lab::policy::Study;
use lab::rank::{ClickModel, Kind, RankOptions};
use lab::replay::Rules;
use lab::schedule::ScheduleOptions;
use lab::trace::{WorldOptions, parse_date};
use plan::Metric;
use serde::Serialize;
use std::io::IsTerminal;

pub(crate) fn schedule(args: ScheduleArgs) -> Result<End> {
    let output = options(args.replay, args.polls_per_day)?;
    let report = lab::schedule::run(&output.0)?;
    show(&output.1, &report, lab::schedule::table, |report| Some(lab::schedule::figure(report)))
}

pub(crate) fn access(args: ScheduleArgs) -> Result<End> {
    let (options, output) = options(args.replay, args.polls_per_day)?;
    show(&output, &lab::access::run(&options)?, lab::access::table, |_| None)
}

pub(crate) fn frontier(args: FrontierArgs) -> Result<End> {
    let budgets =
        if args.polls_per_day.is_empty() { lab::frontier::BUDGETS.to_vec() } else { args.polls_per_day };
    let (options, output) = options(args.replay, 1.0)?;
    let report = lab::frontier::run(&options, &budgets)?;
    show(&output, &report, lab::frontier::table, |report| Some(lab::frontier::figure(report)))
}

pub(crate) fn push(args: FrontierArgs) -> Result<End> {
    let budgets =
        if args.polls_per_day.is_empty() { lab::push::BUDGETS.to_vec() } else { args.polls_per_day };
    let (options, output) = options(args.replay, 1.0)?;
    show(&output, &lab::push::run(&options, &budgets)?, lab::push::table, |_| None)
}

pub(crate) fn control(args: FrontierArgs) -> Result<End> {
    let budgets =
        if args.polls_per_day.is_empty() { lab::control::BUDGETS.to_vec() } else { args.polls_per_day };
    let (options, output) = options(args.replay, 1.0)?;
    show(&output, &lab::control::run(&options, &budgets)?, lab::control::table, |_| None)
}

pub(crate) fn model(args: ModelArgs) -> Result<End> {
    let budgets =
        if args.polls_per_day.is_empty() { lab::model::BUDGETS.to_vec() } else { args.polls_per_day };
    let report = lab::model::run(&world(args.trace)?, args.feeds, &budgets)?;
    show(&args.output, &report, lab::model::table, |_| None)
}

pub(crate) fn placement(args: PlacementArgs) -> Result<End> {
    let report = lab::placement::run(&world(args.trace)?, args.slots, args.polls)?;
    show(&args.output, &report, lab::placement::table, |_| None)
}

pub(crate) fn profiles(args: ProfilesArgs) -> Result<End> {
    let options = lab::profiles::ProfilesOptions {
        articles: args.articles,
        budget: args.budget,
        window: args.window,
        beta: args.beta,
        shown: args.window_items,
        seed: args.seed,
        policies: (!args.policies.is_empty()).then_some(args.policies),
    };
    if let Some(name) = &args.experiment {
        let report = lab::profiles::experiment(name, &options)?;
        return show(&args.output, &report, lab::profiles::rows_table, |_| None);
    }
    let report = lab::profiles::run(&options)?;
    show(&args.output, &report, lab::profiles::table, |report| Some(lab::profiles::figure(report)))
}

pub(crate) fn buzz(args: BuzzArgs) -> Result<End> {
    let source = match (args.synthetic, args.subscriptions, args.references) {
        (Some(size), _, _) => lab::buzz::Source::Synthetic {
            size: lab::buzz::Size::parse(&size)?,
            resampled: args.resampled,
            data: args.data,
        },
        (None, Some(subscriptions), Some(references)) => {
            let how = lab::buzz::Reading {
                days: args.days,
                same_day_idf: args.same_day_idf,
                weighted: args.weighted,
            };
            lab::buzz::Source::Files { subscriptions, references, how }
        }
        _ => bail!("give --subscriptions and --references, or --synthetic"),
    };
    let options = lab::buzz::BuzzOptions {
        source,
        top: args.top,
        rank: args.rank,
        l1: args.l1,
        readers: args.readers,
        border: args.border,
        threads: args.threads,
        seed: args.seed,
        methods: (!args.methods.is_empty()).then_some(args.methods),
        show_progress: std::io::stderr().is_terminal(),
    };
    if let Some(name) = &args.experiment {
        let report = lab::buzz::experiment(name, &options, args.matrix.as_deref())?;
        return show(&args.output, &report, lab::buzz::rows_table, lab::buzz::rows_figure);
    }
    let report = lab::buzz::run(&options)?;
    show(&args.output, &report, lab::buzz::table, |report| Some(lab::buzz::figure(report)))
}

pub(crate) fn rank(args: RankArgs) -> Result<End> {
    let kind = match (args.contextual, args.click_model) {
        (true, ClickModelArg::Logistic) => Kind::Contextual(ClickModel::Logistic),
        (true, ClickModelArg::Capped) => Kind::Contextual(ClickModel::Capped),
        (false, ClickModelArg::Logistic) => Kind::Paper,
        (false, ClickModelArg::Capped) => bail!("--click-model capped needs --contextual"),
    };
    let (users, iterations) = if args.contextual { (300, 80) } else { (2_000, 100) };
    let options = RankOptions {
        kind,
        users: args.users.unwrap_or(users),
        iterations: args.iterations.unwrap_or(iterations),
        drift_every: args.drift_every,
        drift_pool: args.drift_pool,
        seed: args.seed,
        strategies: (!args.strategies.is_empty()).then_some(args.strategies),
        show_progress: std::io::stderr().is_terminal(),
    };
    let report = lab::rank::run(&options)?;
    show(&args.output, &report, lab::rank::table, |report| Some(lab::rank::figure(report)))
}

pub(crate) fn clicks(args: ClicksArgs) -> Result<End> {
    let options = lab::clicks::ClicksOptions {
        data: args.data,
        sets: (!args.sets.is_empty()).then_some(args.sets),
        resamples: args.resamples,
        seed: args.seed,
        show_progress: std::io::stderr().is_terminal(),
    };
    let report = lab::clicks::run(&options)?;
    show(&args.output, &report, lab::clicks::table, |report| Some(lab::clicks::figure(report)))
}

fn world(args: TraceArgs) -> Result<WorldOptions> {
    Ok(WorldOptions {
        posts: args.posts,
        train_days: args.train_days,
        test_days: args.test_days,
        starts: args.start.iter().map(|date| parse_date(date)).collect::<Result<_>>()?,
        history_days: args.history_days,
        sample: args.sample,
        seed: args.seed,
        ..WorldOptions::default()
    })
}

fn options(args: ReplayArgs, polls_per_day: f64) -> Result<(ScheduleOptions, OutputArgs)> {
    let seconds = |name: &str, value: f64, unit: f64| -> Result<i64> {
        ensure!(value.is_finite() && value >= 0.0, "{name} must be zero or more");
        Ok((value * unit).min(1e12) as i64)
    };
    let rules = Rules {
        floor_s: seconds("--floor-min", args.floor_min, 60.0)?,
        fast_floor_s: None,
        window_items: args.window_items,
        item_bytes: args.item_bytes,
        window_guard: args.window_guard,
        jitter: args.jitter,
        outage_s: seconds("--outage-hours", args.outage_hours, 3600.0)?,
        seed: args.trace.seed,
    };
    let rules = if args.shipped_floors { rules.shipped_floors() } else { rules };
    let study =
        Study { posts_days: args.learn_days, looks_days: args.learn_looks_days, anew_days: args.anew_days };
    let world = WorldOptions {
        accesses: args.accesses,
        subscriptions: args.subscriptions,
        readers_max: args.readers,
        ..world(args.trace)?
    };
    let metric = args.metric.map(|metric| match metric {
        MetricArg::Delay => Metric::Delay,
        MetricArg::Miss => Metric::Miss,
        MetricArg::AccessDelay => Metric::AccessDelay,
    });
    let show_progress = std::io::stderr().is_terminal();
    let policies = (!args.policies.is_empty()).then_some(args.policies);
    let options = ScheduleOptions {
        world,
        polls_per_day,
        rules,
        policies,
        metric,
        study,
        apart: args.apart,
        show_progress,
    };
    Ok((options, args.output))
}

fn show<R: Serialize>(
    output: &OutputArgs,
    report: &R,
    table: impl Fn(&R) -> String,
    figure: impl Fn(&R) -> Option<String>,
) -> Result<End> {
    if let Some(path) = &output.figure {
        let drawn = figure(report).context("this experiment has no figure")?;
        std::fs::write(path, drawn).with_context(|| format!("writing {}", path.display()))?;
    }
    if output.json {
        say!("{}", serde_json::to_string(report)?);
    } else {
        say!("{}", table(report).trim_end());
    }
    Ok(End::Done)
}
