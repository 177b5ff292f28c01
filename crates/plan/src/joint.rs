//! Who gets how many polls: the exact allocation over all feeds under one budget.
//!
//! 002 Theorem 1 gives polls in proportion to √(wλ) and 001 §6.1.1 (corrected) to the cube root of wλ_pλ_c; both assume
//! flat patterns. Here every feed brings its own convex curve D(m) ([`exact`](crate::exact)), so handing out polls one
//! by one to the largest gain per cost is exact for what it spends (`scheduling.md` §2.6): the last gain is the price μ.
//!
//! When all polls cost the same, the whole budget is spent and the result is the optimum of that budget. When they do
//! not, handing out stops at the first poll that does not fit: nothing that spends as little is better.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// One feed's terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// What a unit of its cost matters; not finite or negative counts as zero.
    pub weight: f64,
    /// What one poll takes from the budget; not finite or not above zero counts as one.
    pub poll_cost: f64,
    /// Polls it gets whatever the budget says: fairness and window bounds come before it.
    pub least: usize,
    /// Polls it gets at most: floors.
    pub most: usize,
    /// D(1), D(2), …; infinite where nothing can be placed.
    pub curve: Vec<f64>,
}

impl Demand {
    /// Weight one, one unit per poll, at least one poll.
    pub fn new(curve: Vec<f64>) -> Self {
        Demand { weight: 1.0, poll_cost: 1.0, least: 1, most: usize::MAX, curve }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    pub polls: Vec<usize>,
    /// The largest weighted gain per unit of budget that was refused: what one more would bring.
    pub price: f64,
    /// Σ weight · D(polls); infinite when a feed that matters got none.
    pub cost: f64,
    /// More than the budget only when the `least` alone are.
    pub spent: f64,
}

/// The terms of a feed whose curve is asked for as it is needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    pub weight: f64,
    pub poll_cost: f64,
    pub least: usize,
    pub most: usize,
}

/// The allocation for known curves.
pub fn allocate(demands: &[Demand], budget: f64) -> Allocation {
    let terms: Vec<Terms> = demands
        .iter()
        .map(|demand| Terms {
            weight: demand.weight,
            poll_cost: demand.poll_cost,
            least: demand.least.min(demand.curve.len()),
            most: demand.most.min(demand.curve.len()),
        })
        .collect();
    allocate_with(&terms, budget, |feed, polls| demands[feed].curve[polls - 1])
}

/// The same with D(m) of feed i from `cost(i, m)`, asked with m ≥ 1 ascending by one per feed and only as far as the
/// price needs. Infinite or NaN means that so many polls cannot be placed.
pub fn allocate_with(terms: &[Terms], budget: f64, mut cost: impl FnMut(usize, usize) -> f64) -> Allocation {
    let budget = if budget.is_nan() { 0.0 } else { budget };
    let mut feeds: Vec<Feed> = terms.iter().map(Feed::new).collect();
    let mut waiting = BinaryHeap::with_capacity(feeds.len());
    let mut spent = 0.0;
    for (nth, feed) in feeds.iter_mut().enumerate() {
        let mut reach = feed.next(|polls| cost(nth, polls));
        while feed.polls < terms[nth].least.min(terms[nth].most) && reach.is_some() {
            reach = feed.take(reach, |polls| cost(nth, polls));
        }
        spent += feed.spent();
        waiting.extend(feed.offer(nth, reach));
    }
    let mut price = 0.0;
    while let Some(offer) = waiting.pop() {
        let feed = &mut feeds[offer.feed];
        let more = (offer.reach.polls - feed.polls) as f64 * feed.poll_cost;
        // A sum of many equal costs may miss the budget by rounding alone.
        if spent + more > budget * (1.0 + 1e-12) {
            price = offer.gain.min(f64::MAX);
            break;
        }
        spent += more;
        let reach = feed.take(Some(offer.reach), |polls| cost(offer.feed, polls));
        waiting.extend(feed.offer(offer.feed, reach));
    }
    let cost = feeds.iter().map(|feed| if feed.weight > 0.0 { feed.weight * feed.cost } else { 0.0 }).sum();
    Allocation { polls: feeds.iter().map(|feed| feed.polls).collect(), price, cost, spent }
}

/// The next number of polls that can be placed, and D there.
#[derive(Debug, Clone, Copy)]
struct Reach {
    polls: usize,
    cost: f64,
}

struct Feed {
    weight: f64,
    poll_cost: f64,
    most: usize,
    polls: usize,
    /// D(polls); infinite before the first.
    cost: f64,
}

impl Feed {
    fn new(terms: &Terms) -> Self {
        let weight = if terms.weight.is_finite() { terms.weight.max(0.0) } else { 0.0 };
        let fair = terms.poll_cost.is_finite() && terms.poll_cost > 0.0;
        let poll_cost = if fair { terms.poll_cost } else { 1.0 };
        Feed { weight, poll_cost, most: terms.most, polls: 0, cost: f64::INFINITY }
    }

    fn spent(&self) -> f64 {
        self.polls as f64 * self.poll_cost
    }

    /// Numbers too small for the bounds are skipped over; there is always a bound, as grids have one.
    fn next(&self, mut cost: impl FnMut(usize) -> f64) -> Option<Reach> {
        const SKIPPED_MAX: usize = 10_080;
        let last = self.most.min(self.polls.saturating_add(SKIPPED_MAX));
        for polls in self.polls + 1..=last {
            let at = cost(polls);
            if at.is_finite() {
                return Some(Reach { polls, cost: at });
            }
            if self.cost.is_finite() {
                // Past the largest number that can be placed.
                return None;
            }
        }
        None
    }

    fn take(&mut self, reach: Option<Reach>, cost: impl FnMut(usize) -> f64) -> Option<Reach> {
        let reach = reach?;
        (self.polls, self.cost) = (reach.polls, reach.cost);
        self.next(cost)
    }

    /// Polls that bring nothing are not offered at all.
    fn offer(&self, feed: usize, reach: Option<Reach>) -> Option<Offer> {
        let reach = reach?;
        if self.weight <= 0.0 {
            return None;
        }
        let units = (reach.polls - self.polls) as f64 * self.poll_cost;
        let gain = self.weight * (self.cost - reach.cost) / units;
        // Without any poll the cost is infinite for all; the feed whose cost grows fastest comes first.
        let among_infinite = self.weight * reach.cost / units;
        (gain > 0.0).then_some(Offer { gain, among_infinite, feed, reach })
    }
}

#[derive(Debug)]
struct Offer {
    gain: f64,
    among_infinite: f64,
    feed: usize,
    reach: Reach,
}

impl Ord for Offer {
    /// Larger gains first; equal ones by the order the feeds came in, so that results do not depend on the heap.
    fn cmp(&self, other: &Self) -> Ordering {
        let first = self.gain.total_cmp(&other.gain);
        let second = if self.gain.is_infinite() {
            self.among_infinite.total_cmp(&other.among_infinite)
        } else {
            Ordering::Equal
        };
        first.then(second).then(other.feed.cmp(&self.feed))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Offer {}

#[cfg(test)]
#[path = "joint/tests.rs"]
mod tests;
