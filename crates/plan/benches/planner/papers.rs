//! The exhaustive search of the papers (002 §3.2, Algorithm 1), for comparison: every pair of first polls, the rest by the
//! necessary condition Λ(s, t) = λ(t)·(next(t) − t). It reads the same prefix sums as the exact planner.

/// Prefix sums of λ and λt over two periods.
pub(crate) struct Sums {
    posting: Vec<f64>,
    slot: f64,
    l: Vec<f64>,
    m: Vec<f64>,
}

impl Sums {
    pub(crate) fn new(posting: &[f64]) -> Sums {
        let slot = 1.0 / posting.len() as f64;
        let (mut l, mut m) = (vec![0.0], vec![0.0]);
        let (mut posts, mut moments) = (0.0, 0.0);
        for nth in 0..2 * posting.len() {
            let rate = posting[nth % posting.len()];
            posts += rate * slot;
            moments += rate * slot * (nth as f64 + 0.5) * slot;
            l.push(posts);
            m.push(moments);
        }
        Sums { posting: posting.to_vec(), slot, l, m }
    }

    fn delay(&self, from: usize, to: usize) -> f64 {
        to as f64 * self.slot * (self.l[to] - self.l[from]) - (self.m[to] - self.m[from])
    }
}

/// The least delay found for `polls` ≥ 3 polls a period.
pub(crate) fn exhaustive(sums: &Sums, polls: usize) -> f64 {
    let slots = sums.posting.len();
    let mut least = f64::INFINITY;
    for first in 0..slots {
        for second in first + 1..first + slots {
            least = least.min(followed(sums, first, second, polls));
        }
    }
    least
}

/// The delay of the polls that follow from the first two; infinite when they leave the period.
fn followed(sums: &Sums, first: usize, second: usize, polls: usize) -> f64 {
    let end = first + sums.posting.len();
    let (mut before, mut at) = (first, second);
    let mut cost = sums.delay(first, second);
    for _ in 2..polls {
        let rate = sums.posting[at % sums.posting.len()];
        let wait = (sums.l[at] - sums.l[before]) / rate / sums.slot;
        let next = at + (wait.round() as usize).max(1);
        if next >= end {
            return f64::INFINITY;
        }
        cost += sums.delay(at, next);
        (before, at) = (at, next);
    }
    cost + sums.delay(at, end)
}
