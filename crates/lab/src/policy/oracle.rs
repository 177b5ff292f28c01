//! What perfect estimates would give: the price policy with each feed's rate and pattern taken from the test itself.
//!
//! It knows how often and in which hours and on which weekdays a feed will post, not when. Estimators can reach it at
//! best.

use super::Setting;
use super::joint::{floors, slots};
use crate::replay::{Policy, Poll};
use crate::trace::WEEK_S;
use anyhow::{Context, Result};
use plan::estimate::fit::fit_strength;
use plan::estimate::shape::{shares, shrunk};
use plan::{Bounds, Costs, Grid, Metric, PricePolicy, Shape, price};

#[derive(Debug)]
pub struct Oracle {
    begin: i64,
    slot_s: f64,
    tables: Vec<PricePolicy>,
}

/// Posts of a feed that has none in the test.
const COUNT_LEAST: f64 = 0.25;

impl Oracle {
    pub fn new(setting: Setting<'_>, strength: f64) -> Result<Self> {
        let grid = Grid::week(slots(setting.polls_per_day));
        let world = setting.world;
        let all = Pooled::new(setting);
        let reach = reach_periods(setting.polls_per_day);
        let mut costs = Vec::with_capacity(world.feeds.len());
        let mut roots = 0.0;
        for feed in setting.feeds() {
            let posts = world.test(feed);
            let rate = (posts.len() as f64).max(COUNT_LEAST) / world.test_days();
            let (own_hours, own_days) = counted(posts);
            let shape = Shape::of_product(
                &shrunk(&own_hours, &all.hours, all.hours_strength),
                &shrunk(&own_days, &all.days, all.days_strength),
            );
            let posting: Vec<f64> = shape.slots(grid.slots).iter().map(|share| share * rate).collect();
            costs.push(Costs::new(Metric::Delay, grid, &posting, &[], reach).context("the oracle's costs")?);
            roots += rate.sqrt();
        }
        let slot_s = WEEK_S as f64 / grid.slots as f64;
        let tables = at_budget(&costs, setting.budget() * strength, roots, &floors(setting, slot_s))?;
        Ok(Oracle { begin: world.begin, slot_s, tables })
    }

    fn next(&self, feed: usize, now: i64) -> i64 {
        const MONDAY: i64 = 4 * 86_400;
        let into = (now - MONDAY).rem_euclid(WEEK_S) as f64;
        let start = now as f64 - into;
        let slot = (into / self.slot_s).round() as usize;
        let table = &self.tables[feed].next;
        let lift = slot / table.len() * table.len();
        let next = table[slot - lift] as usize + lift;
        (start + next as f64 * self.slot_s) as i64
    }
}

/// Intervals may be as long as sixteen times the mean.
fn reach_periods(polls_per_day: f64) -> usize {
    ((16.0 / polls_per_day / 7.0).ceil() as usize).clamp(1, 6)
}

/// Every feed's policy at the one price that spends the budget.
pub(crate) fn at_budget(
    costs: &[Costs],
    budget: f64,
    roots: f64,
    bounds: &[Bounds],
) -> Result<Vec<PricePolicy>> {
    let mut price = 0.5 * (roots / budget).powi(2);
    let mut tables: Vec<PricePolicy> = Vec::new();
    for _ in 0..12 {
        let mut solved = Vec::with_capacity(costs.len());
        for (nth, costs) in costs.iter().enumerate() {
            solved.push(
                price::solve(costs, price, &bounds[nth], tables.get(nth)).context("the oracle's policy")?,
            );
        }
        tables = solved;
        let spent: f64 = tables.iter().map(|table| table.polls_per_day).sum();
        if (spent / budget - 1.0).abs() < 0.002 {
            break;
        }
        price *= (spent / budget).powi(2).clamp(0.05, 20.0);
    }
    Ok(tables)
}

fn counted(posts: &[i64]) -> ([f64; 24], [f64; 7]) {
    const MONDAY: i64 = 4 * 86_400;
    let (mut hours, mut days) = ([0.0; 24], [0.0; 7]);
    for post in posts {
        let hour = usize::try_from((post - MONDAY).rem_euclid(WEEK_S) / 3600).unwrap_or(0);
        hours[hour % 24] += 1.0;
        days[hour / 24] += 1.0;
    }
    (hours, days)
}

/// What all feeds have in common in the test: a pattern of a few posts is chance, not truth, so each feed's is shrunk to
/// this as strongly as the feeds themselves say.
struct Pooled {
    hours: [f64; 24],
    days: [f64; 7],
    hours_strength: f64,
    days_strength: f64,
}

impl Pooled {
    fn new(setting: Setting<'_>) -> Self {
        let (hours_of, days_of): (Vec<[f64; 24]>, Vec<[f64; 7]>) =
            setting.feeds().map(|feed| counted(setting.world.test(feed))).unzip();
        let (hours, days) = (summed(&hours_of), summed(&days_of));
        let hours_strength = fit_strength(&hours_of, &hours).unwrap_or(64.0);
        let days_strength = fit_strength(&days_of, &days).unwrap_or(64.0);
        Pooled { hours, days, hours_strength, days_strength }
    }
}

fn summed<const N: usize>(members: &[[f64; N]]) -> [f64; N] {
    let mut sum = [1.0; N];
    for member in members {
        sum.iter_mut().zip(member).for_each(|(sum, more)| *sum += more);
    }
    shares(&sum)
}

impl Policy for Oracle {
    fn first(&mut self, feed: usize) -> i64 {
        self.next(feed, self.begin)
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        self.next(poll.feed, poll.now.max(poll.due)).max(poll.now + 1)
    }
}
