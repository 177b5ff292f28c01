//! `lab schedule`: policies replayed on real traces at the same number of polls.
//!
//! Every policy has one number, its strength, that scales how much it polls. It is moved until the polls of the test meet
//! the budget within a percent; no policy learns anything from that but its own appetite.

mod report;

pub use report::{PolicyRow, ScheduleReport, figure, table};

use crate::policy::{ASKED, Learned, NAMES, Setting, Study, applies, make};
use crate::replay::{Outcome, Policy, Rules, replay};
use crate::trace::{Account, World, WorldOptions, build};
use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use plan::Metric;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleOptions {
    pub world: WorldOptions,
    pub polls_per_day: f64,
    pub rules: Rules,
    /// None means all that apply.
    pub policies: Option<Vec<String>>,
    /// None means delay, or the miss penalty where people are known.
    pub metric: Option<Metric>,
    /// How the papers' policies learn.
    pub study: Study,
    /// Each person alone with all their feeds, as in the papers, and the mean over people.
    pub apart: bool,
    pub show_progress: bool,
}

/// As near as polls must come to the budget.
const NEAR: f64 = 0.01;
/// Aimed at, so that the rest is slack.
const AIM: f64 = 0.006;
const TRIES_MAX: usize = 14;

pub fn run(options: &ScheduleOptions) -> Result<ScheduleReport> {
    check(options)?;
    let (world, account) = build(&options.world)?;
    run_in(&world, account, options)
}

pub(crate) fn check(options: &ScheduleOptions) -> Result<()> {
    let budget = options.polls_per_day;
    ensure!(budget.is_finite() && budget > 0.0, "--polls-per-day must be more than zero");
    ensure!(budget <= 1440.0, "--polls-per-day must be at most 1440, one a minute");
    let rules = &options.rules;
    ensure!(rules.window_items >= 1, "--window-items must be at least one");
    ensure!(
        rules.jitter.is_finite() && (0.0..1.0).contains(&rules.jitter),
        "--jitter is a share from 0 to 1"
    );
    let guard = rules.window_guard;
    ensure!(guard.is_finite() && (0.0..=1.0).contains(&guard), "--window-guard is a share from 0 to 1");
    ensure!((0..=86_400 * 365).contains(&rules.outage_s), "--outage-hours must be within a year");
    ensure!((0..=86_400 * 30).contains(&rules.floor_s), "--floor-min must be within thirty days");
    let most = if rules.floor_s > 0 { 86_400.0 / rules.floor_s as f64 } else { f64::INFINITY };
    ensure!(budget <= most, "no more than {most} polls a day fit a floor of {} minutes", rules.floor_s / 60);
    let days = |value: f64| value.is_finite() && (1.0..=3660.0).contains(&value);
    let study = &options.study;
    ensure!(days(study.posts_days), "--learn-days must be 1 to 3660");
    ensure!(study.looks_days.is_none_or(days), "--learn-looks-days must be 1 to 3660");
    ensure!(study.anew_days.is_none_or(|every| every >= 1), "--anew-days must be at least one");
    for name in options.policies.iter().flatten() {
        let known = NAMES.contains(&name.as_str()) || ASKED.contains(&name.as_str());
        let all = || [NAMES.as_slice(), ASKED.as_slice()].concat().join(", ");
        ensure!(known, "there is no policy {name}; there are: {}", all());
    }
    Ok(())
}

/// The experiment in a world that is already there.
pub fn run_in(world: &World, account: Account, options: &ScheduleOptions) -> Result<ScheduleReport> {
    check(options)?;
    let people = !world.readers.is_empty();
    let metric = options.metric.unwrap_or(if people { Metric::Miss } else { Metric::Delay });
    let names: Vec<String> = match &options.policies {
        Some(names) => names.clone(),
        None => NAMES.iter().map(|name| (*name).to_owned()).filter(|name| applies(name, world)).collect(),
    };
    if let Some(name) = names.iter().find(|name| !applies(name, world)) {
        bail!("{name} needs --accesses: it follows people");
    }
    let each = |name: &str| apart(world, |world| in_world(name, world, options, metric));
    let outcomes = if options.apart && world.readers.len() > 1 {
        in_parallel(&names, options.show_progress, each)?
    } else {
        let learned = Learned::new(world, options.study, options.rules.seed);
        let (rules, polls_per_day) = (&options.rules, options.polls_per_day);
        let setting = Setting { world, rules, learned: &learned, polls_per_day, metric };
        in_parallel(&names, options.show_progress, |name| calibrated(name, setting))?
    };
    Ok(ScheduleReport::new(world, account, options.polls_per_day, &names, &outcomes))
}

fn in_world(name: &str, world: &World, options: &ScheduleOptions, metric: Metric) -> Result<Outcome> {
    let learned = Learned::new(world, options.study, options.rules.seed);
    let (rules, polls_per_day) = (&options.rules, options.polls_per_day);
    calibrated(name, Setting { world, rules, learned: &learned, polls_per_day, metric })
}

/// One person after the other, and the mean of what they get.
pub fn apart(world: &World, run: impl Fn(&World) -> Result<Outcome>) -> Result<Outcome> {
    let alone = world.readers.iter().map(|reader| run(&world.read_by(vec![reader.clone()])));
    Ok(Outcome::mean(&alone.collect::<Result<Vec<Outcome>>>()?))
}

/// What a policy comes to when it spends what all spend. Policies that cannot spend it (floors, too few openings) come
/// as near as they can.
pub fn calibrated(name: &str, setting: Setting<'_>) -> Result<Outcome> {
    calibrated_by(setting, |strength| make(name, setting, strength)).with_context(|| name.to_owned())
}

/// The same for a policy without a name.
pub fn calibrated_by<'a>(
    setting: Setting<'a>,
    make: impl Fn(f64) -> Result<Box<dyn Policy + 'a>>,
) -> Result<Outcome> {
    let allowed = setting.budget() * setting.world.test_days();
    let polls_max = (allowed * 20.0) as u64 + 1000;
    let mut strength = 1.0f64;
    let (mut low, mut high) = (None::<(f64, f64)>, None::<(f64, f64)>);
    let mut best: Option<(f64, Outcome)> = None;
    for _ in 0..TRIES_MAX {
        let mut policy = make(strength)?;
        let outcome = replay(setting.world, setting.rules, policy.as_mut(), polls_max);
        let used = outcome.polls as f64 / allowed;
        let off = (used - 1.0).abs();
        if best.as_ref().is_none_or(|(least, _)| off < *least) {
            best = Some((off, outcome));
        }
        if off <= AIM {
            break;
        }
        if used < 1.0 {
            low = Some((strength, used));
        } else {
            high = Some((strength, used));
        }
        strength = match (low, high) {
            // Between two known points, straight on the logarithms.
            (Some((s0, u0)), Some((s1, u1))) if u0 > 0.0 && u1 > u0 => {
                let share = (-u0.ln() / (u1.ln() - u0.ln())).clamp(0.1, 0.9);
                (s0.ln() + share * (s1.ln() - s0.ln())).exp()
            }
            (Some((s0, _)), Some((s1, _))) => (s0 * s1).sqrt(),
            _ => strength * (1.0 / used.max(1e-3)).clamp(0.1, 10.0),
        };
        if !(1e-6..1e6).contains(&strength) {
            break;
        }
    }
    match best {
        Some((off, outcome)) if off <= NEAR || outcome.polls > 0 => Ok(outcome),
        _ => bail!("nothing was polled"),
    }
}

/// One policy after the other on every core, in the order given.
pub fn in_parallel<T: Send>(
    names: &[String],
    show_progress: bool,
    run: impl Fn(&str) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let bar = if show_progress { ProgressBar::new(names.len() as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    let (turn, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(names.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let nth = turn.fetch_add(1, Ordering::Relaxed);
                    let Some(name) = names.get(nth) else { break };
                    bar.set_message(name.clone());
                    let result = run(name);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((nth, result));
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(nth, _)| *nth);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests;
