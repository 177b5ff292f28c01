//! `lab control`: what steering by one price does (`scheduling.md` §10, bars 11 and 13).
//!
//! The live controller as it ships and what could be in its place, on the same trace: one price fixed for the whole test,
//! no longest interval, a budget that doubles in mid-run. The first three at the same number of polls; the controller
//! left to itself (`as-asked`, `doubled`) shows how it keeps to a budget that nobody moved for it.

use crate::policy::live::{Course, Live};
use crate::policy::{Learned, Setting};
use crate::replay::{Outcome, Policy, replay};
use crate::schedule::{PolicyRow, ScheduleOptions, calibrated_by, check, in_parallel};
use crate::trace::{WEEK_S, World, build};
use anyhow::{Result, ensure};
use plan::Metric;
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct ControlReport {
    pub feeds: usize,
    pub posts: usize,
    pub points: Vec<ControlPoint>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ControlPoint {
    pub polls_per_day: f64,
    /// Four mean intervals.
    pub cap_s: f64,
    /// Polls by week over the budget in force that week.
    pub used_of_budget: Vec<f64>,
    /// The first week of the doubled budget, counted from zero.
    pub doubled_in_week: Option<usize>,
    #[serde(flatten)]
    pub row: PolicyRow,
}

pub const CASES: [&str; 5] = ["wellread", "fixed-price", "uncapped", "as-asked", "doubled"];
pub const BUDGETS: [f64; 3] = [1.0, 4.0, 24.0];

pub fn run(options: &ScheduleOptions, budgets: &[f64]) -> Result<ControlReport> {
    ensure!(!budgets.is_empty(), "no budget was given");
    let cases = options.policies.clone();
    let cases = cases.unwrap_or_else(|| CASES.iter().map(|name| (*name).to_owned()).collect());
    for case in &cases {
        ensure!(CASES.contains(&case.as_str()), "there is no case {case}; there are: {}", CASES.join(", "));
    }
    let (world, _) = build(&options.world)?;
    run_in(&world, options, &cases, budgets)
}

fn run_in(
    world: &World,
    options: &ScheduleOptions,
    cases: &[String],
    budgets: &[f64],
) -> Result<ControlReport> {
    let learned = Learned::new(world, options.study, options.rules.seed);
    let mut points = Vec::new();
    for polls_per_day in budgets.iter().copied() {
        check(&ScheduleOptions { polls_per_day, policies: None, ..options.clone() })?;
        let metric = options.metric.unwrap_or(Metric::Delay);
        let setting = Setting { world, rules: &options.rules, learned: &learned, polls_per_day, metric };
        let found = in_parallel(cases, options.show_progress, |case| case_of(case, setting))?;
        points.extend(cases.iter().zip(found).map(|(case, (outcome, doubled_in_week))| {
            let row = PolicyRow::new(case, &outcome, world, polls_per_day);
            let weekly = row.weekly_used.iter().enumerate();
            let doubled = |week: usize| doubled_in_week.is_some_and(|first| week >= first);
            ControlPoint {
                polls_per_day,
                cap_s: 4.0 * 86_400.0 / polls_per_day,
                used_of_budget: weekly
                    .map(|(week, used)| if doubled(week) { used / 2.0 } else { *used })
                    .collect(),
                doubled_in_week,
                row,
            }
        }));
    }
    Ok(ControlReport { feeds: world.feeds.len(), posts: world.test_posts(), points })
}

fn case_of(case: &str, setting: Setting<'_>) -> Result<(Outcome, Option<usize>)> {
    let usual = Course::default();
    let world = setting.world;
    let middle = (world.end - world.begin) / WEEK_S / 2;
    let doubled = Course { doubled_at: Some(world.begin + middle * WEEK_S), ..usual };
    let at_equal_polls = |course: Course| {
        calibrated_by(setting, |strength| {
            let live: Box<dyn Policy> = Box::new(Live::new(setting, strength, course));
            Ok(live)
        })
    };
    let left_alone = |course: Course| {
        let polls_max = (setting.budget() * world.test_days() * 20.0) as u64 + 1000;
        replay(world, setting.rules, &mut Live::new(setting, 1.0, course), polls_max)
    };
    Ok(match case {
        "fixed-price" => (at_equal_polls(Course { fixed_price: true, ..usual })?, None),
        "uncapped" => (at_equal_polls(Course { uncapped: true, ..usual })?, None),
        "as-asked" => (left_alone(usual), None),
        "doubled" => (left_alone(doubled), usize::try_from(middle).ok()),
        _ => (at_equal_polls(usual)?, None),
    })
}

pub fn table(report: &ControlReport) -> String {
    let mut out = format!("{} feeds, {} posts\n", report.feeds, report.posts);
    let _ = writeln!(
        out,
        "{:<14}{:>12}{:>9}{:>10}{:>10}{:>10}  use by week, %",
        "case", "polls a day", "polls %", "mean min", "max min", "cap min"
    );
    for point in &report.points {
        let weeks: Vec<String> =
            point.used_of_budget.iter().map(|used| format!("{:.1}", 100.0 * used)).collect();
        let _ = writeln!(
            out,
            "{:<14}{:>12}{:>9.1}{:>10.1}{:>10.0}{:>10.0}  {}",
            point.row.name,
            point.polls_per_day,
            100.0 * point.row.polls_used,
            point.row.mean_delay_s / 60.0,
            point.row.max_delay_s / 60.0,
            point.cap_s / 60.0,
            weeks.join(" ")
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Study;
    use crate::replay::Rules;
    use crate::synthetic::world;
    use crate::trace::WorldOptions;

    fn options() -> ScheduleOptions {
        ScheduleOptions {
            world: WorldOptions::default(),
            polls_per_day: 4.0,
            rules: Rules::default(),
            policies: None,
            metric: None,
            study: Study::default(),
            apart: false,
            show_progress: false,
        }
    }

    #[test]
    fn a_doubled_budget_is_met_after_a_week_and_no_price_fixed_in_advance_is_much_better() {
        let world = world(21, 50, 42);
        let cases: Vec<String> = CASES.iter().map(|case| (*case).to_owned()).collect();
        let report = run_in(&world, &options(), &cases, &[4.0]).expect("run");
        let of = |case: &str| report.points.iter().find(|point| point.row.name == case).expect("a point");
        let doubled = of("doubled");
        let first = doubled.doubled_in_week.expect("doubled");
        for used in &doubled.used_of_budget[first + 1..] {
            assert!((used - 1.0).abs() <= 0.05, "{:?}", doubled.used_of_budget);
        }
        let alone = of("as-asked");
        for used in &alone.used_of_budget[1..] {
            assert!((used - 1.0).abs() <= 0.05, "{:?}", alone.used_of_budget);
        }
        let (controlled, fixed) = (&of("wellread").row, &of("fixed-price").row);
        assert!(controlled.mean_delay_s <= 1.03 * fixed.mean_delay_s);
        let (capped, uncapped) = (of("wellread"), of("uncapped"));
        assert!(capped.row.max_delay_s <= 1.01 * capped.cap_s);
        assert!(uncapped.row.max_delay_s >= capped.row.max_delay_s, "without a cap somebody waits longer");
        assert!(table(&report).contains("doubled"));
    }

    #[test]
    fn cases_and_budgets_that_mean_nothing_are_refused() {
        let none = ScheduleOptions { policies: Some(vec!["nonsense".to_owned()]), ..options() };
        assert!(run(&none, &[4.0]).expect_err("refused").to_string().contains("there is no case nonsense"));
        assert!(run(&options(), &[]).is_err());
        let world = world(22, 5, 7);
        for budget in [0.0, -1.0, f64::NAN, 1e9] {
            assert!(run_in(&world, &options(), &["as-asked".to_owned()], &[budget]).is_err(), "{budget}");
        }
    }
}
