//! Belief about one topic's θ on a grid, with a prior that most topics are of no interest at all.
//!
//! The same model as [`crate::paper`], with the exact likelihood, a spike at θ = 0, and forgetting: what a belief of the
//! form Beta cannot say (reference 1.2). It serves the laboratory, where every item has one topic.

/// θ = 0, .02, …, 1.
const CELLS: usize = 51;
/// Prior mass at θ = 0; the rest is uniform.
const SPIKE: f64 = 0.3;
/// The chance that an interest is another than at the last list.
pub const HAZARD: f64 = 0.01;
/// Weight of the variance in the score.
pub const GRID_LAMBDA: f64 = 5.0;

#[derive(Debug, Clone, PartialEq)]
pub struct GridBelief {
    mass: [f64; CELLS],
}

impl Default for GridBelief {
    fn default() -> Self {
        GridBelief { mass: std::array::from_fn(prior) }
    }
}

impl GridBelief {
    pub fn mean(&self) -> f64 {
        self.moments().0
    }

    pub fn variance(&self) -> f64 {
        let (mean, square) = self.moments();
        (square - mean * mean).max(0.0)
    }

    /// Mean and λ times variance.
    pub fn score(&self, lambda: f64) -> f64 {
        let (mean, square) = self.moments();
        mean + lambda * (square - mean * mean).max(0.0)
    }

    /// One list later.
    pub fn forget(&mut self, hazard: f64) {
        for (nth, mass) in self.mass.iter_mut().enumerate() {
            *mass = (1.0 - hazard) * *mass + hazard * prior(nth);
        }
    }

    pub fn clicked(&mut self) {
        self.weigh(|theta| theta);
    }

    pub fn passed(&mut self, read: f64) {
        self.weigh(|theta| 1.0 - read * theta);
    }

    fn weigh(&mut self, likelihood: impl Fn(f64) -> f64) {
        let mut sum = 0.0;
        for (nth, mass) in self.mass.iter_mut().enumerate() {
            *mass *= likelihood(theta(nth));
            sum += *mass;
        }
        // The prior has mass everywhere, so only a likelihood of zero everywhere could empty the grid.
        if sum > 0.0 {
            self.mass.iter_mut().for_each(|mass| *mass /= sum);
        } else {
            *self = GridBelief::default();
        }
    }

    fn moments(&self) -> (f64, f64) {
        self.mass.iter().enumerate().fold((0.0, 0.0), |(one, two), (nth, mass)| {
            let theta = theta(nth);
            (one + mass * theta, two + mass * theta * theta)
        })
    }
}

fn theta(nth: usize) -> f64 {
    nth as f64 / (CELLS - 1) as f64
}

/// Cells reach to the middle between neighbours, so the two outer ones are half as wide.
fn prior(nth: usize) -> f64 {
    let width = if nth == 0 || nth == CELLS - 1 { 0.5 } else { 1.0 } / (CELLS - 1) as f64;
    (1.0 - SPIKE) * width + if nth == 0 { SPIKE } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    }

    #[test]
    fn the_prior_is_that_of_the_reference() {
        let belief = GridBelief::default();
        near(belief.mass[0], 0.307);
        near(belief.mass.iter().sum(), 1.0);
        near(belief.mean(), 0.35);
        near(belief.variance(), 0.110_880);
        near(belief.score(GRID_LAMBDA), 0.904_400);
    }

    #[test]
    fn four_events_with_forgetting() {
        let events = [(1.0, false), (0.9, true), (0.7, false), (0.7, true)];
        let expected = [
            (0.179_415, 0.057_518, 0.467_004),
            (0.503_223, 0.050_557, 0.756_006),
            (0.446_245, 0.048_486, 0.688_677),
            (0.555_779, 0.041_232, 0.761_936),
        ];
        let mut belief = GridBelief::default();
        for ((read, click), (mean, variance, score)) in events.into_iter().zip(expected) {
            belief.forget(HAZARD);
            if click {
                belief.clicked();
            } else {
                belief.passed(read);
            }
            near(belief.mean(), mean);
            near(belief.variance(), variance);
            near(belief.score(GRID_LAMBDA), score);
        }
    }

    proptest! {
        #[test]
        fn mass_stays_one_and_evidence_moves_the_mean_its_way(events in prop::collection::vec((0.0f64..=1.0, any::<bool>()), 0..60)) {
            let mut belief = GridBelief::default();
            for (read, click) in events {
                belief.forget(HAZARD);
                let before = belief.mean();
                if click { belief.clicked() } else { belief.passed(read) }
                let sum: f64 = belief.mass.iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-9);
                let moved = belief.mean() - before;
                prop_assert!(if click { moved >= -1e-12 } else { moved <= 1e-12 }, "{}", moved);
            }
        }
    }
}
