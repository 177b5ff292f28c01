//! When next, at one price per poll: the form the planner has when it runs live.
//!
//! Minimise the long-run average of cost plus μ per poll. On the circle that is the average-cost Bellman equation
//! h(s) = min_t w(s,t) + μ − g·(t−s) + h(t), with g the best cost rate (`scheduling.md` §2.6). The number of polls per
//! period need not be whole: three polls in two days come out by themselves, and where no bound is met the solution
//! satisfies Theorem 3 of 002, Λ(s,t) = λ(t)·(next(t) − t).
//!
//! Solved by Howard's policy iteration. A policy is a table `next`; following it ends in a cycle, the best cycle's mean
//! is g, and h follows backwards from it. Because the costs are Monge, the improving step is one sweep of monotone
//! minima. Scaling rates and price together changes nothing but g and h.

use crate::cost::{BadPlan, Costs, Metric};
use crate::exact::Bounds;
use crate::monge::{Matrix, Window};

/// What to do after a poll at any boundary, for ever.
#[derive(Debug, Clone, PartialEq)]
pub struct PricePolicy {
    /// The next poll after one at boundary s, lifted: always later than s, and non-decreasing in s.
    pub next: Vec<u32>,
    /// h: how much more the future costs from here than from the cycle's first poll.
    pub value: Vec<f64>,
    /// g: cost and price of polls, per day.
    pub cost_rate: f64,
    pub polls_per_day: f64,
    pub price: f64,
    pub sweeps: u32,
}

impl PricePolicy {
    /// The cost alone, per day, without what the polls are worth.
    pub fn delay_rate(&self) -> f64 {
        (self.cost_rate - self.price * self.polls_per_day).max(0.0)
    }
}

/// Howard's iteration ends by itself after 4–9 sweeps; this only bounds it.
const SWEEPS_MAX: u32 = 60;
/// An entry is replaced when that is better by this share of a period's cost.
const TOLERANCE: f64 = 1e-11;

/// The best policy at `price` per poll with intervals within `bounds` (and within what `costs` reaches). A policy for
/// a similar price or pattern is a good start.
pub fn solve(
    costs: &Costs,
    price: f64,
    bounds: &Bounds,
    warm: Option<&PricePolicy>,
) -> Result<PricePolicy, BadPlan> {
    solve_within(costs, price, bounds, warm, TOLERANCE)
}

/// The same but for this share of a period's cost. Where many cycles are nearly as good, the last sweeps gain nothing that
/// anybody could notice.
pub(crate) fn solve_within(
    costs: &Costs,
    price: f64,
    bounds: &Bounds,
    warm: Option<&PricePolicy>,
    tolerance: f64,
) -> Result<PricePolicy, BadPlan> {
    if !price.is_finite() || price < 0.0 {
        return Err(BadPlan::NotAPrice(price));
    }
    let slots = costs.slots();
    let (least, most) = (bounds.least_slots.max(1), bounds.most_slots.min(costs.reach() - slots));
    if least > most {
        return Err(BadPlan::NoInterval { least, most: bounds.most_slots });
    }
    let mut howard = Howard {
        costs,
        price,
        least,
        most,
        next: Vec::new(),
        onto: Vec::with_capacity(slots),
        step: vec![0.0; slots],
        value: vec![0.0; slots],
        seen: vec![UNSEEN; slots],
        cycles: Vec::new(),
        stack: Vec::with_capacity(slots),
        base: Vec::with_capacity(slots + most),
        gain: 0.0,
        polls_per_day: 0.0,
        tolerance,
    };
    howard.next = match warm {
        Some(policy) if policy.next.len() == slots => howard.clamped(&policy.next),
        _ => {
            // The same interval from everywhere prefers no time of the week: a flat pattern stays without anchors.
            let interval = howard.flat_interval();
            (0..slots).map(|from| from + interval).collect()
        }
    };
    let mut sweeps = 0;
    let mut chosen = vec![0; slots];
    loop {
        howard.evaluate();
        sweeps += 1;
        if !howard.improve(&mut chosen) || sweeps >= SWEEPS_MAX {
            break;
        }
    }
    // Where nothing is better any more the minima themselves are as good, and they are monotone. The values stay those
    // they are minima of: among equally good cycles others would be as true, but not of this policy.
    let value = howard.value.clone();
    howard.next = chosen;
    howard.evaluate();
    let next = howard.next.iter().map(|to| u32::try_from(*to).unwrap_or(u32::MAX)).collect();
    let (cost_rate, polls_per_day) = (howard.gain, howard.polls_per_day);
    Ok(PricePolicy { next, value, cost_rate, polls_per_day, price, sweeps })
}

const UNSEEN: u32 = u32::MAX;
const SOLVED: u32 = u32::MAX - 1;
const ON_THE_WAY: u32 = u32::MAX - 2;

/// Following the policy from anywhere ends in one of these.
struct Cycle {
    root: usize,
    rate: f64,
    polls_per_day: f64,
}

struct Howard<'a> {
    costs: &'a Costs,
    price: f64,
    least: usize,
    most: usize,
    /// The policy: lifted boundaries.
    next: Vec<usize>,
    /// The same without the lift.
    onto: Vec<usize>,
    /// Cost and price of the policy's step from each boundary.
    step: Vec<f64>,
    value: Vec<f64>,
    /// Which walk first came by, or how far its value is known.
    seen: Vec<u32>,
    cycles: Vec<Cycle>,
    stack: Vec<usize>,
    base: Vec<f64>,
    gain: f64,
    polls_per_day: f64,
    tolerance: f64,
}

impl Howard<'_> {
    /// In slots. A flat pattern's cost of an interval grows as its square, for access delay as its cube; the mean of
    /// cost and price is least where (e−1) times the cost is the price (002 §3.1: T = √(2μ/λ)).
    fn flat_interval(&self) -> usize {
        let slots = self.costs.slots();
        let probes = [0, slots / 4, slots / 2, slots * 3 / 4];
        let whole = probes.iter().map(|from| self.costs.between(*from, from + slots)).sum::<f64>() / 4.0;
        let power = if self.costs.metric() == Metric::AccessDelay { 3.0 } else { 2.0 };
        let share = (self.price / ((power - 1.0) * whole)).powf(1.0 / power);
        let wish = if share.is_nan() { self.most as f64 } else { share * slots as f64 };
        (wish.round().min(self.most as f64) as usize).clamp(self.least, self.most)
    }

    fn clamped(&self, next: &[u32]) -> Vec<usize> {
        next.iter()
            .enumerate()
            .map(|(from, to)| (*to as usize).clamp(from + self.least, from + self.most))
            .collect()
    }

    /// g and h of the current policy.
    fn evaluate(&mut self) {
        let slots = self.costs.slots();
        self.onto.clear();
        for (from, to) in self.next.iter().enumerate() {
            self.step[from] = self.costs.at(from, *to).max(0.0) + self.price;
            // Divisions are slow, and most polls are at most one period ahead.
            let once = if *to >= slots { to - slots } else { *to };
            self.onto.push(if once >= slots { once % slots } else { once });
        }
        self.find_cycles();
        let rate = self.gain * self.costs.grid().slot_days();
        // Whatever leads only into worse cycles is dearer than any step that leaves for the best one.
        let reach = self.costs.reach();
        let worse = 10.0 * (self.costs.at(0, reach).max(0.0) + self.price + rate * reach as f64);
        self.seen.fill(UNSEEN);
        for cycle in &self.cycles {
            // Cycles as good as the best are all as good to end in.
            self.value[cycle.root] = if cycle.rate <= self.gain * (1.0 + TOLERANCE) { 0.0 } else { worse };
            self.seen[cycle.root] = SOLVED;
        }
        for start in 0..slots {
            let mut at = start;
            while self.seen[at] == UNSEEN {
                self.seen[at] = ON_THE_WAY;
                self.stack.push(at);
                at = self.onto[at];
            }
            while let Some(at) = self.stack.pop() {
                let length = (self.next[at] - at) as f64;
                self.value[at] = self.step[at] - rate * length + self.value[self.onto[at]];
                self.seen[at] = SOLVED;
            }
        }
    }

    /// All cycles of the policy, g and the polls per day of the best.
    fn find_cycles(&mut self) {
        let slots = self.costs.slots();
        let slot_days = self.costs.grid().slot_days();
        self.seen.fill(UNSEEN);
        self.cycles.clear();
        for start in 0..slots {
            let walk = u32::try_from(start).unwrap_or(0);
            let mut at = start;
            while self.seen[at] == UNSEEN {
                self.seen[at] = walk;
                at = self.onto[at];
            }
            if self.seen[at] != walk {
                continue;
            }
            let (root, mut cost, mut length, mut polls) = (at, 0.0, 0, 0.0);
            loop {
                cost += self.step[at];
                length += self.next[at] - at;
                polls += 1.0;
                at = self.onto[at];
                if at == root {
                    break;
                }
            }
            let days = length as f64 * slot_days;
            self.cycles.push(Cycle { root, rate: cost / days, polls_per_day: polls / days });
        }
        let best = self.cycles.iter().min_by(|a, b| a.rate.total_cmp(&b.rate));
        (self.gain, self.polls_per_day) = best.map_or((0.0, 0.0), |best| (best.rate, best.polls_per_day));
    }

    /// Writes the best next poll of every boundary under the current h into `chosen` and takes over what is better.
    fn improve(&mut self, chosen: &mut [usize]) -> bool {
        let slots = self.costs.slots();
        let rate = self.gain * self.costs.grid().slot_days();
        let (first, last) = (self.least, slots - 1 + self.most);
        self.base.clear();
        let lifted = self.value.iter().cycle().skip(first % slots);
        let ends = self.costs.p[first..=last].iter().zip(lifted).zip(first..);
        self.base.extend(ends.map(|((p, value), to)| p - rate * to as f64 + value));
        let matrix = Matrix {
            base: &self.base,
            from: first,
            slope: &self.costs.r,
            bend: &self.costs.v,
            bends: self.costs.bends(),
            x: &self.costs.l,
            y: &self.costs.m,
        };
        let window = Window::After { least: self.least, most: self.most };
        let tolerance = self.tolerance * (self.gain * self.costs.grid().period_days).max(self.price);
        let (costs, price) = (self.costs, self.price);
        let (next, values) = (&mut self.next, &self.value);
        let mut better = false;
        let mut found = |from: usize, to: usize, least: f64| {
            chosen[from] = to;
            let value = least + costs.q[from] + rate * from as f64 + price;
            if value < values[from] - tolerance {
                next[from] = to;
                better = true;
            }
        };
        let mut zeroth = 0;
        matrix.minima((0, 0), (first, last), window, &mut |from, to, least| {
            zeroth = to;
            found(from, to, least);
        });
        if slots > 1 {
            // A period later everything is a period later, so the last row ends within one of the first.
            matrix.minima((1, slots - 1), (zeroth, (zeroth + slots).min(last)), window, &mut found);
        }
        better
    }
}

#[cfg(test)]
#[path = "price/tests.rs"]
mod tests;
