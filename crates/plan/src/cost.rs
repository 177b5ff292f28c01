//! What it costs to poll at one slot boundary and next at another, in constant time.
//!
//! The three metrics of the papers are one family, w(s, e) = ∬_{s≤f≤t≤e} k(f, t) df dt with k ≥ 0 (`scheduling.md` §1):
//! k = λ(f) is the delay of 002 (definition of total delay, §2.1), k = λ(f)u(t) the expected number of posts missed of
//! 000 (§3.1), k = λ(f)u(t)(t−f) the user-access delay of 001 (§5). Because k ≥ 0 every one of them is Monge: for
//! a ≤ b ≤ c ≤ d, w(a,d) + w(b,c) − w(a,c) − w(b,d) = ∫_a^b ∫_c^d k dt df ≥ 0, and everything in
//! [`exact`](crate::exact) and [`price`](crate::price) rests on that alone.
//!
//! Rates are constant inside a slot, so prefix sums over the lifted boundaries give w exactly. All three expand to one
//! bilinear form w(i, j) = P_j + Q_i − L_i·R_j + M_i·V_j, and that is how they are stored.

use crate::grid::Grid;
use thiserror::Error;

/// What a plan tries to keep small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Metric {
    /// Time from a post to the poll that finds it, summed over posts (002).
    #[default]
    Delay,
    /// Posts not yet there when a reader looks, summed over looks (000).
    Miss,
    /// How long those have been out, summed over looks (001).
    AccessDelay,
}

impl Metric {
    pub fn uses_attention(self) -> bool {
        self != Metric::Delay
    }
}

/// Why no plan can be made of these numbers.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BadPlan {
    #[error("a plan needs at least one slot and a period longer than nothing")]
    EmptyGrid,
    #[error("the {what} rates are {given} numbers, but the grid has {slots} slots")]
    WrongLength { what: &'static str, given: usize, slots: usize },
    #[error(
        "the {what} rate of slot {slot} is {value}, which is no rate: it must be finite and not negative"
    )]
    NotARate { what: &'static str, slot: usize, value: f64 },
    #[error("{slots} slots over {periods} periods are more than a plan may hold")]
    TooLarge { slots: usize, periods: usize },
    #[error("the rates are so large that their sums are no longer numbers")]
    Overflow,
    #[error("the price of a poll is {0}, which is no price: it must be finite and not negative")]
    NotAPrice(f64),
    #[error("no interval between polls satisfies the bounds {least} to {most} slots")]
    NoInterval { least: usize, most: usize },
}

/// A week of minutes, eight times over: no table is longer.
const BOUNDARIES_MAX: usize = 10_080 * 8;

/// The costs between all pairs of boundaries of one feed, under one metric.
#[derive(Debug, Clone)]
pub struct Costs {
    metric: Metric,
    grid: Grid,
    /// P, R, V by the boundary an interval ends at; Q, L, M by the one it starts at.
    pub(crate) p: Vec<f64>,
    pub(crate) r: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) l: Vec<f64>,
    pub(crate) m: Vec<f64>,
}

impl Costs {
    /// Tables for intervals of up to `periods` periods. `posting` (λ) and `attention` (u) are per day, one value per
    /// slot; `attention` is looked at only by the metrics that use it.
    pub fn new(
        metric: Metric,
        grid: Grid,
        posting: &[f64],
        attention: &[f64],
        periods: usize,
    ) -> Result<Costs, BadPlan> {
        let length_ok = grid.period_days.is_finite() && grid.period_days > 0.0;
        if grid.slots == 0 || !length_ok {
            return Err(BadPlan::EmptyGrid);
        }
        let periods = periods.max(1);
        let boundaries = periods.saturating_add(1).saturating_mul(grid.slots).saturating_add(1);
        if boundaries > BOUNDARIES_MAX {
            return Err(BadPlan::TooLarge { slots: grid.slots, periods });
        }
        check("posting", posting, grid.slots)?;
        if metric.uses_attention() {
            check("attention", attention, grid.slots)?;
        }
        let costs = fill(metric, grid, posting, attention, boundaries);
        let tables = [&costs.p, &costs.r, &costs.v, &costs.q, &costs.l, &costs.m];
        // Sums of finite rates leave the numbers only upwards, so the last entries tell of all.
        if tables.iter().any(|table| table.last().is_none_or(|last| !last.is_finite())) {
            return Err(BadPlan::Overflow);
        }
        Ok(costs)
    }

    pub fn metric(&self) -> Metric {
        self.metric
    }

    pub fn grid(&self) -> Grid {
        self.grid
    }

    pub fn slots(&self) -> usize {
        self.grid.slots
    }

    /// The last lifted boundary the tables know.
    pub fn reach(&self) -> usize {
        self.p.len().saturating_sub(1)
    }

    /// w(from, to) for lifted boundaries. Zero when `to` is not later; infinite when the interval is longer than the
    /// tables were made for.
    pub fn between(&self, from: usize, to: usize) -> f64 {
        if to <= from {
            return 0.0;
        }
        let lift = from - from % self.grid.slots;
        let (from, to) = (from - lift, to - lift);
        if to > self.reach() { f64::INFINITY } else { self.at(from, to).max(0.0) }
    }

    /// The cost of one period polled at these boundaries (ascending, within one period); infinite without polls.
    pub fn of_cycle(&self, polls: &[usize]) -> f64 {
        let (Some(first), Some(last)) = (polls.first(), polls.last()) else { return f64::INFINITY };
        let inner: f64 = polls.windows(2).map(|pair| self.between(pair[0], pair[1])).sum();
        inner + self.between(*last, first.saturating_add(self.grid.slots))
    }

    /// The bilinear form itself, for boundaries within reach.
    pub(crate) fn at(&self, from: usize, to: usize) -> f64 {
        self.p[to] + self.q[from] - self.l[from] * self.r[to] + self.m[from] * self.v[to]
    }

    /// Whether the M·V part is there at all.
    pub(crate) fn bends(&self) -> bool {
        self.metric == Metric::AccessDelay
    }
}

fn check(what: &'static str, rates: &[f64], slots: usize) -> Result<(), BadPlan> {
    if rates.len() != slots {
        return Err(BadPlan::WrongLength { what, given: rates.len(), slots });
    }
    match rates.iter().position(|rate| !rate.is_finite() || *rate < 0.0) {
        Some(slot) => Err(BadPlan::NotARate { what, slot, value: rates[slot] }),
        None => Ok(()),
    }
}

/// The prefix tables of `scheduling.md` §1, combined into P, Q, R, V.
fn fill(metric: Metric, grid: Grid, posting: &[f64], attention: &[f64], boundaries: usize) -> Costs {
    let new = || Vec::with_capacity(boundaries);
    let mut costs = Costs { metric, grid, p: new(), r: new(), v: new(), q: new(), l: new(), m: new() };
    let slot = grid.slot_days();
    // ∫λ, ∫λt, ∫u, ∫ut, ∫u∫λ, ∫∫λ and ∫u∫∫λ up to the boundary.
    let (mut l, mut m, mut u, mut u1, mut a, mut g, mut b) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    // Divisions are slow: the place in the period is counted along.
    let mut place = 0;
    for k in 0..boundaries {
        let t = k as f64 * slot;
        let (p, r, v, q) = match metric {
            Metric::Delay => (t * l - m, t, 0.0, m),
            Metric::Miss => (a, u, 0.0, l * u - a),
            Metric::AccessDelay => (b, u1, u, l * u1 - m * u - b),
        };
        costs.p.push(p);
        costs.r.push(r);
        costs.v.push(v);
        costs.q.push(q);
        costs.l.push(l);
        costs.m.push(if metric == Metric::AccessDelay { m } else { 0.0 });
        let posts = posting[place];
        let looks = if metric.uses_attention() { attention[place] } else { 0.0 };
        place = if place + 1 == grid.slots { 0 } else { place + 1 };
        let middle = t + slot / 2.0;
        b += looks * (g * slot + l * slot * slot / 2.0 + posts * slot * slot * slot / 6.0);
        a += looks * slot * (l + posts * slot / 2.0);
        g += l * slot + posts * slot * slot / 2.0;
        l += posts * slot;
        m += posts * slot * middle;
        u += looks * slot;
        u1 += looks * slot * middle;
    }
    costs
}

#[cfg(test)]
#[path = "cost/tests.rs"]
mod tests;
