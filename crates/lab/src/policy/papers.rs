//! How the papers place polls: exhaustive search over the first two points (002 §3.2.2), the same with the closing test
//! of Algorithm 1 (000 §4.3, 003 §2.2.4), and iterative refinement (002 §3.2.2). For the user-access delay the condition is
//! Lemma 3 of 001, its equation 6 with the sign corrected: as printed the right side is negative (`scheduling.md` §2.7).
//!
//! They rest on necessary conditions, so they need not find the best plan; `plan::place` does. They are here to be
//! compared with.

use plan::{Costs, Metric, Placement, even};

/// A daily pattern as the papers' conditions want it: rates by slot and their running sums.
#[derive(Debug, Clone)]
pub struct Pattern {
    posting: Vec<f64>,
    attention: Vec<f64>,
    posted: Vec<f64>,
    looked: Vec<f64>,
    moments: Option<Moments>,
}

/// Running sums of rate times time, in slots: what Lemma 3 of 001 weighs posts and looks by.
#[derive(Debug, Clone)]
struct Moments {
    posted: Vec<f64>,
    looked: Vec<f64>,
}

impl Pattern {
    pub fn new(metric: Metric, posting: &[f64], attention: &[f64]) -> Self {
        let attention = if metric.uses_attention() { attention.to_vec() } else { vec![1.0; posting.len()] };
        // Two periods and a little: intervals may run over the end.
        let running = |rates: &[f64], weight: fn(usize) -> f64| {
            let mut sum = 0.0;
            let further = rates.iter().cycle().take(3 * rates.len()).enumerate().map(|(slot, rate)| {
                sum += rate * weight(slot);
                sum
            });
            std::iter::once(0.0).chain(further).collect::<Vec<f64>>()
        };
        let (posted, looked) = (running(posting, |_| 1.0), running(&attention, |_| 1.0));
        let moments = (metric == Metric::AccessDelay).then(|| {
            let middle = |slot: usize| slot as f64 + 0.5;
            Moments { posted: running(posting, middle), looked: running(&attention, middle) }
        });
        Pattern { posting: posting.to_vec(), attention, posted, looked, moments }
    }

    fn slots(&self) -> usize {
        self.posting.len()
    }

    /// A rate at a boundary: between its two slots.
    fn at(&self, rates: &[f64], boundary: usize) -> f64 {
        let slots = self.slots();
        (rates[boundary % slots] + rates[(boundary + slots - 1) % slots]) / 2.0
    }

    /// The left side of the condition: ∫λ since `before`, or ∫(now−t)λ for the user-access delay.
    fn dark(&self, before: usize, now: usize) -> f64 {
        let posted = self.posted[now] - self.posted[before];
        match &self.moments {
            None => posted,
            Some(moments) => now as f64 * posted - (moments.posted[now] - moments.posted[before]),
        }
    }

    /// The right side up to `to`: ∫u from the period's start, or ∫(t−now)u from `now` for the user-access delay.
    fn light(&self, now: usize, to: usize) -> f64 {
        match &self.moments {
            None => self.looked[to],
            Some(moments) => {
                let looked = self.looked[to] - self.looked[now];
                moments.looked[to] - moments.looked[now] - now as f64 * looked
            }
        }
    }

    /// τ_{j+1} by Theorem 3 of 002, Theorem 2 of 000 or Lemma 3 of 001: the light from τ_j on is u(τ_j)/λ(τ_j) of the dark
    /// since τ_{j−1}. None when it lies more than a period ahead.
    fn next(&self, before: usize, now: usize) -> Option<usize> {
        let dark = self.dark(before, now);
        let rate = self.at(&self.posting, now);
        if dark <= 0.0 {
            return Some(now + 1);
        }
        let wanted = self.light(now, now) + dark * self.at(&self.attention, now) / rate;
        let reach = now + self.slots();
        if wanted.is_nan() || wanted > self.light(now, reach) {
            return None;
        }
        let (mut from, mut above) = (now, reach);
        while from < above {
            let middle = from + (above - from) / 2;
            if self.light(now, middle) < wanted {
                from = middle + 1;
            } else {
                above = middle;
            }
        }
        // The nearer of the two boundaries around it.
        let below = above.saturating_sub(1).max(now);
        let (short, over) = (wanted - self.light(now, below), self.light(now, above) - wanted);
        let nearer = if short < over { below } else { above };
        Some(nearer.max(now + 1))
    }
}

/// Tries all first two points; the rest follows from the condition. With `closing`, only plans whose last points also
/// satisfy it, to a slot, count. None when no plan does.
pub fn two_point(costs: &Costs, pattern: &Pattern, polls: usize, closing: bool) -> Option<Placement> {
    let slots = costs.slots();
    if polls == 0 || polls > slots {
        return None;
    }
    let mut best: Option<Placement> = None;
    let mut try_plan = |points: &[usize]| {
        let inner: f64 = points.windows(2).map(|pair| costs.between(pair[0], pair[1])).sum();
        let cost = inner + costs.between(points[points.len() - 1], points[0] + slots);
        if best.as_ref().is_none_or(|best| cost < best.cost) {
            best = Some(Placement { polls: points.to_vec(), cost });
        }
    };
    let mut points = Vec::with_capacity(polls);
    for first in 0..slots {
        if polls == 1 {
            try_plan(&[first]);
            continue;
        }
        for second in first + 1..first + slots {
            points.clear();
            points.extend([first, second]);
            while points.len() < polls {
                let (before, now) = (points[points.len() - 2], points[points.len() - 1]);
                match pattern.next(before, now) {
                    Some(next) if next < first + slots => points.push(next),
                    _ => break,
                }
            }
            if points.len() == polls && (!closing || closes(pattern, &points)) {
                try_plan(&points);
            }
        }
    }
    best.map(|mut best| {
        best.polls.iter_mut().for_each(|poll| *poll %= slots);
        best.polls.sort_unstable();
        best
    })
}

/// τ_{m−1}, τ_m, τ_1 and τ_m, τ_1, τ_2 satisfy the condition to a slot.
fn closes(pattern: &Pattern, points: &[usize]) -> bool {
    let slots = pattern.slots();
    let (first, second, last) = (points[0] + slots, points[1] + slots, points[points.len() - 1]);
    let near = |found: Option<usize>, wanted: usize| found.is_some_and(|found| found.abs_diff(wanted) <= 1);
    near(pattern.next(points[points.len() - 2], last), first) && near(pattern.next(last, first), second)
}

/// From evenly spaced points, each moved by a slot towards equal areas as long as that helps.
pub fn refine(costs: &Costs, pattern: &Pattern, polls: usize) -> Placement {
    let slots = costs.slots();
    let mut points = even(costs, polls).polls;
    let count = points.len();
    for _ in 0..10 * slots {
        let mut moved = false;
        for nth in 0..count {
            // Lifted by a period, so that the neighbours are on either side.
            let now = points[nth] + slots;
            let before = if nth == 0 { points[count - 1] } else { points[nth - 1] + slots };
            let after = if nth + 1 == count { points[0] + 2 * slots } else { points[nth + 1] + slots };
            let dark = pattern.dark(before, now) * pattern.at(&pattern.attention, now);
            let seen = pattern.light(now, after) - pattern.light(now, now);
            let light = seen * pattern.at(&pattern.posting, now);
            let to = if dark > light { now - 1 } else { now + 1 };
            if to <= before || to >= after {
                continue;
            }
            let cost = |at: usize| costs.between(before, at) + costs.between(at, after);
            if cost(to) < cost(now) * (1.0 - 1e-12) {
                // The first point may move across the period's start; order on the circle stays.
                points[nth] = (to + slots) % slots;
                moved = true;
                if points.windows(2).any(|pair| pair[0] >= pair[1]) {
                    points.sort_unstable();
                    break;
                }
            }
        }
        if !moved {
            break;
        }
    }
    let cost = costs.of_cycle(&points);
    Placement { polls: points, cost }
}
