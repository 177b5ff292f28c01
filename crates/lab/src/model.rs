//! `lab model`: plans judged by the model they are made from, so that nothing is learned and nothing is chance.
//!
//! Two questions (`scheduling.md` §10, bars 1 and 4). Is the exact plan the best there is? Every placement on small
//! circles is looked at, under all three costs. And what is optimising worth when rates and hours are known: feeds with
//! power-law rates and the clustered hours of a real trace, each policy's expected delay beside that of Sia & Cho's
//! combined plan, which gets exact placement too.

use crate::dice::Dice;
use crate::policy::joint::{exact_joint, slots};
use crate::policy::oracle::at_budget;
use crate::policy::sia::{Allocate, Placing, Sia, apportion};
use crate::policy::{Learned, Study};
use crate::schedule::in_parallel;
use crate::trace::{WorldOptions, build};
use anyhow::{Context, Result, ensure};
use plan::{Bounds, Costs, Grid, Metric, curve};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct ModelReport {
    pub exactness: Exactness,
    pub feeds: usize,
    pub rows: Vec<ModelRow>,
}

/// The exact plans against all plans.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Exactness {
    pub instances: usize,
    pub slots_max: usize,
    pub polls_max: usize,
    /// The largest distance from the best of all plans, over the cost of a single poll.
    pub worst: f64,
}

/// Expected delay, a mean over posts.
#[derive(Debug, Clone, Serialize)]
pub struct ModelRow {
    pub name: &'static str,
    pub polls_per_day: f64,
    /// Polls over budget.
    pub polls_used: f64,
    pub delay_s: f64,
    /// Over the combined plan's.
    pub ratio: f64,
}

const POLICIES: [&str; 6] =
    ["uniform", "sia-allocate", "sia-schedule", "sia-combined", "wellread-periodic", "price"];
pub const BUDGETS: [f64; 3] = [1.0, 4.0, 8.0];
const FEEDS_MAX: usize = 10_000;
/// Instances of each cost.
const INSTANCES: usize = 216;
const SLOTS_MAX: usize = 48;
const POLLS_MAX: usize = 12;
/// Less is nothing: rates are of the order of one.
const COST_LEAST: f64 = 1e-6;

pub fn run(world: &WorldOptions, feeds: usize, budgets: &[f64]) -> Result<ModelReport> {
    ensure!((2..=FEEDS_MAX).contains(&feeds), "--feeds must be 2 to {FEEDS_MAX}");
    ensure!(!budgets.is_empty(), "no budget was given");
    let sane = |budget: &f64| budget.is_finite() && (0.01..=24.0).contains(budget);
    ensure!(budgets.iter().all(sane), "--polls-per-day must be 0.01 to 24");
    let (seed, (world, _)) = (world.seed, build(world)?);
    let clusters = Learned::new(&world, Study::default(), seed).clusters(12).clone();
    let mut dice = Dice::new(seed);
    let known: Vec<Known> = (0..feeds)
        .map(|_| {
            let cluster = clusters.of[dice.below(clusters.of.len())];
            // Many post once in three weeks, few ten times a day: 002 §4.2 finds a power law.
            Known { per_day: 0.05 / (dice.unit() + 0.005), hours: clusters.centroids[cluster] }
        })
        .collect();
    let mut rows: Vec<ModelRow> = Vec::new();
    for polls_per_day in budgets.iter().copied() {
        let names: Vec<String> = POLICIES.iter().map(|name| (*name).to_owned()).collect();
        let found = in_parallel(&names, false, |name| expected(name, &known, polls_per_day))?;
        let combined = found.get(3).map_or(1.0, |combined| combined.0);
        rows.extend(POLICIES.iter().zip(found).map(|(name, (delay, spent))| ModelRow {
            name,
            polls_per_day,
            polls_used: spent / (polls_per_day * feeds as f64),
            delay_s: delay * 86_400.0,
            ratio: delay / combined,
        }));
    }
    Ok(ModelReport { exactness: exactness(INSTANCES, seed), feeds, rows })
}

/// A feed as everybody knows it.
struct Known {
    per_day: f64,
    /// Shares by hour of the day.
    hours: [f64; 24],
}

impl Known {
    /// Rates per day on a grid of whole parts of an hour.
    fn posting(&self, grid: Grid) -> Vec<f64> {
        let each = (grid.slots as f64 / (24.0 * grid.period_days)).round().max(1.0) as usize;
        (0..grid.slots).map(|slot| 24.0 * self.per_day * self.hours[slot / each % 24]).collect()
    }

    fn costs(&self, grid: Grid, periods: usize) -> Result<Costs> {
        Costs::new(Metric::Delay, grid, &self.posting(grid), &[], periods).context("the model's costs")
    }
}

/// Mean delay in days over all posts, and polls per day spent.
fn expected(name: &str, known: &[Known], polls_per_day: f64) -> Result<(f64, f64)> {
    let budget = polls_per_day * known.len() as f64;
    let posts: f64 = known.iter().map(|feed| feed.per_day).sum();
    let roots: f64 = known.iter().map(|feed| feed.per_day.sqrt()).sum();
    let sia =
        |allocate: Allocate| in_days(known, allocate, budget).map(|(delay, spent)| (delay / posts, spent));
    let week = Grid::week(slots(polls_per_day));
    let weekly =
        |periods: usize| known.iter().map(|feed| feed.costs(week, periods)).collect::<Result<Vec<_>>>();
    let bounds = vec![Bounds::default(); known.len()];
    match name {
        // Any phase, half an interval.
        "uniform" => Ok((0.5 / polls_per_day, budget)),
        "sia-allocate" => {
            let delay: f64 =
                known.iter().map(|feed| feed.per_day.sqrt() * roots / (2.0 * budget)).sum::<f64>() / posts;
            Ok((delay, budget))
        }
        "sia-schedule" => sia(Allocate::Even),
        "sia-combined" => sia(Allocate::SquareRoot),
        "wellread-periodic" => {
            let costs = weekly(1)?;
            let placed = exact_joint(&costs, 7.0 * budget, &bounds);
            let delay: f64 = costs.iter().zip(&placed).map(|(costs, polls)| costs.of_cycle(polls)).sum();
            let spent: usize = placed.iter().map(Vec::len).sum();
            Ok((delay / 7.0 / posts, spent as f64 / 7.0))
        }
        _ => {
            let tables = at_budget(&weekly(4)?, budget, roots, &bounds)?;
            let delay: f64 = tables.iter().map(plan::PricePolicy::delay_rate).sum();
            Ok((delay / posts, tables.iter().map(|table| table.polls_per_day).sum()))
        }
    }
}

/// The papers' plans: whole polls a day, or one every k days, at the best times of the day. Delay times posts, per day.
fn in_days(known: &[Known], allocate: Allocate, budget: f64) -> Result<(f64, f64)> {
    let sia = Sia { clusters: 12, allocate, placing: Placing::Exact, metric: Metric::Delay };
    let wish = |feed: &Known| if allocate == Allocate::Even { 1.0 } else { feed.per_day.sqrt() };
    let shares = apportion(&known.iter().map(wish).collect::<Vec<_>>(), budget);
    let (mut delay, mut spent) = (0.0, 0.0);
    for (feed, share) in known.iter().zip(&shares) {
        let day = Grid::day(288);
        let costs = feed.costs(day, 1)?;
        let times = sia.times(&feed.hours, &[1.0; 24], share.polls);
        let polls: Vec<usize> = times.iter().map(|time| usize::try_from(time / 300).unwrap_or(0)).collect();
        // On every k-th day: each of the other days waits whole days more.
        let days = share.days as f64;
        delay += costs.of_cycle(&polls) + feed.per_day * (days - 1.0) / 2.0;
        spent += polls.len() as f64 / days;
    }
    Ok((delay, spent))
}

/// Random circles of all three costs, by [`curve`] and by looking at every plan.
fn exactness(each: usize, seed: u64) -> Exactness {
    let mut dice = Dice::new(seed ^ 0xe4ac7);
    let mut exactness = Exactness { instances: 0, slots_max: SLOTS_MAX, polls_max: POLLS_MAX, worst: 0.0 };
    for metric in [Metric::Delay, Metric::Miss, Metric::AccessDelay] {
        let wanted = exactness.instances + each;
        // Where a single poll costs nothing there is nothing to place: such circles are drawn again.
        for nth in 0..2 * each {
            if exactness.instances == wanted {
                break;
            }
            let slots = 6 + dice.below(SLOTS_MAX - 5);
            let rates = |dice: &mut Dice| -> Vec<f64> {
                let rate = |dice: &mut Dice| match nth % 3 {
                    0 => dice.unit(),
                    // Mostly silence.
                    1 if dice.unit() < 0.7 => 0.0,
                    1 => 10.0 * dice.unit(),
                    _ => -(1.0 - dice.unit()).ln(),
                };
                (0..slots).map(|_| rate(dice)).collect()
            };
            let (posting, attention) = (rates(&mut dice), rates(&mut dice));
            let Ok(costs) = Costs::new(metric, Grid::day(slots), &posting, &attention, 1) else { continue };
            let most = POLLS_MAX.min(slots);
            let all = least_of_all(&costs, most);
            let Some(scale) = all.first().copied().filter(|single| *single > COST_LEAST) else { continue };
            for (exact, least) in curve(&costs, most, &Bounds::default()).iter().zip(&all) {
                exactness.worst = exactness.worst.max((exact.cost - least).abs() / scale);
            }
            exactness.instances += 1;
        }
    }
    exactness
}

/// The least cost of 1, 2, … polls: from every first poll, every next one.
fn least_of_all(costs: &Costs, most: usize) -> Vec<f64> {
    let slots = costs.slots();
    let mut least = vec![f64::INFINITY; most];
    for root in 0..slots {
        let mut reached = vec![f64::INFINITY; slots + 1];
        reached[0] = 0.0;
        for least in &mut least {
            let mut next = vec![f64::INFINITY; slots + 1];
            for (from, so_far) in reached.iter().enumerate().filter(|(_, so_far)| so_far.is_finite()) {
                for (to, next) in next.iter_mut().enumerate().skip(from + 1) {
                    *next = next.min(so_far + costs.between(root + from, root + to));
                }
            }
            *least = least.min(next[slots]);
            reached = next;
        }
    }
    least
}

pub fn table(report: &ModelReport) -> String {
    let found = &report.exactness;
    let mut out = format!(
        "{} circles of up to {} slots and {} polls: exact plans are at most {:.1e} from the best of all\n",
        found.instances, found.slots_max, found.polls_max, found.worst
    );
    let _ = writeln!(
        out,
        "{:<20}{:>12}{:>9}{:>10}{:>16}",
        "policy", "polls a day", "polls %", "mean min", "over combined"
    );
    for row in &report.rows {
        let _ = writeln!(
            out,
            "{:<20}{:>12}{:>9.1}{:>10.1}{:>16.3}",
            row.name,
            row.polls_per_day,
            100.0 * row.polls_used,
            row.delay_s / 60.0,
            row.ratio
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_plans_are_the_best_of_all_plans_under_every_cost() {
        let found = exactness(20, 3);
        assert_eq!(found.instances, 60);
        assert!(found.worst <= 1e-9, "{found:?}");
    }

    #[test]
    fn with_everything_known_no_paper_beats_the_exact_joint_plan() {
        let mut dice = Dice::new(5);
        let known: Vec<Known> = (0..60)
            .map(|_| {
                let opens = dice.below(24);
                let busy = |hour: usize| (hour + 24 - opens) % 24 < 8;
                let hours = std::array::from_fn(|hour| if busy(hour) { 0.1 } else { 0.2 / 16.0 });
                Known { per_day: 0.05 / (dice.unit() + 0.005), hours }
            })
            .collect();
        for budget in [1.0, 4.0] {
            let delay = |name| {
                let (delay, spent) = expected(name, &known, budget).expect(name);
                let used = spent / (budget * 60.0);
                assert!((0.95..1.05).contains(&used), "{name} spends {used} at {budget}");
                // Twice the polls, half the delay: what a few feeds cannot spend exactly is made up for.
                delay * used
            };
            let (exact, price) = (delay("wellread-periodic"), delay("price"));
            for paper in ["uniform", "sia-allocate", "sia-schedule", "sia-combined"] {
                assert!(price <= 1.005 * delay(paper), "{paper} at {budget}");
                // Below a poll a day whole weeks are a limit that every k-th day does not have.
                assert!(exact <= delay(paper) || budget < 4.0, "{paper} at {budget}");
            }
            assert!((price / exact - 1.0).abs() < 0.04, "the price form is the same plan: {price} {exact}");
        }
    }

    /// 001 and 003 share polls by square and cube roots, 002 evenly or by square roots; all get the best times there are.
    #[test]
    fn under_every_cost_no_papers_allocation_beats_the_exact_joint_plan() {
        const FEEDS: usize = 20;
        let mut dice = Dice::new(11);
        let mut rates = |often: f64| -> Vec<f64> { (0..48).map(|_| often * dice.unit()).collect() };
        let per_day: Vec<f64> = (1..=FEEDS).map(|nth| 24.0 / nth as f64).collect();
        for metric in [Metric::Delay, Metric::Miss, Metric::AccessDelay] {
            let costs: Vec<Costs> = per_day
                .iter()
                .map(|often| {
                    Costs::new(metric, Grid::day(48), &rates(*often), &rates(4.0), 1).expect("costs")
                })
                .collect();
            let bounds = vec![Bounds::default(); FEEDS];
            for (paper, power) in [("even", 0.0), ("square root", 0.5), ("cube root", 1.0 / 3.0)] {
                let wishes: Vec<f64> = per_day.iter().map(|often| often.powf(power)).collect();
                let each = apportion(&wishes, 5.0 * FEEDS as f64);
                let theirs: f64 = costs
                    .iter()
                    .zip(&each)
                    .map(|(costs, share)| curve(costs, share.polls, &Bounds::default())[share.polls - 1].cost)
                    .sum();
                let spent: usize = each.iter().map(|share| share.polls).sum();
                let joint = exact_joint(&costs, spent as f64, &bounds);
                assert!(joint.iter().map(Vec::len).sum::<usize>() <= spent, "{metric:?} {paper}");
                let ours: f64 = costs.iter().zip(&joint).map(|(costs, polls)| costs.of_cycle(polls)).sum();
                assert!(ours <= theirs * (1.0 + 1e-9), "{metric:?} {paper}: {ours} {theirs}");
            }
        }
    }
}
