//! The dissertation's model of a reader (003 §3.2, §3.3): topics, each with a chance to be clicked when read.
//!
//! θ_i = P(click | read, topic i) (3.1) and g(j) = P(read | position j) (3.2) give the utility of an order,
//! U = Σ θ_i·g(r_i) (3.3). θ_i is believed to be Beta(α, β); a topic's score is its mean and λ times its variance.
//! Greedy is λ = 0. What replaces this on a server is [`crate::Taste`]; here it is as printed, with the exact
//! likelihood ([`Belief::passed_exactly`]) and forgetting ([`Belief::forgotten`]) beside it, for comparison.

/// Table 3.1: how likely each of the seven rows is read.
pub const PAPER_READ: [f64; 7] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7];

/// Beta(α, β).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    pub alpha: f64,
    pub beta: f64,
}

impl Belief {
    /// Table 3.1.
    pub const PAPER: Belief = Belief { alpha: 1.0, beta: 3.0 };

    pub fn mean(self) -> f64 {
        self.alpha / (self.alpha + self.beta)
    }

    pub fn variance(self) -> f64 {
        let sum = self.alpha + self.beta;
        self.alpha * self.beta / (sum * sum * (sum + 1.0))
    }

    /// The score of §3.3: mean and exploration bonus.
    pub fn score(self, lambda: f64) -> f64 {
        self.mean() + lambda * self.variance()
    }

    pub fn clicked(self) -> Self {
        Belief { alpha: self.alpha + 1.0, ..self }
    }

    /// Not clicked where it is read with probability `read`, by the approximation 1 − θg ≈ (1 − θ)^g.
    pub fn passed(self, read: f64) -> Self {
        Belief { beta: self.beta + read, ..self }
    }

    /// The same by the likelihood itself, 1 − θg, and the Beta of equal mean and variance. The paper's way tends to
    /// θ/(1 + θ(1 − g)) at a fixed position; this one tends to θ.
    pub fn passed_exactly(self, read: f64) -> Self {
        let (one, two, three) = (self.moment(1), self.moment(2), self.moment(3));
        let rest = 1.0 - read * one;
        Self::of_moments((one - read * two) / rest, (two - read * three) / rest).unwrap_or(self)
    }

    /// Mixed with `prior` by `hazard`, the chance that the interest is another since the last time.
    pub fn forgotten(self, prior: Belief, hazard: f64) -> Self {
        let mixed = |order| (1.0 - hazard) * self.moment(order) + hazard * prior.moment(order);
        Self::of_moments(mixed(1), mixed(2)).unwrap_or(self)
    }

    /// E θ^order.
    fn moment(self, order: u32) -> f64 {
        let sum = self.alpha + self.beta;
        (0..order).map(|nth| (self.alpha + f64::from(nth)) / (sum + f64::from(nth))).product()
    }

    fn of_moments(mean: f64, square: f64) -> Option<Self> {
        let variance = square - mean * mean;
        let sum = mean * (1.0 - mean) / variance - 1.0;
        let possible = variance > 0.0 && sum > 0.0 && sum.is_finite() && mean > 0.0 && mean < 1.0;
        possible.then_some(Belief { alpha: mean * sum, beta: (1.0 - mean) * sum })
    }
}

/// Eq. 3.3 for the topics in the order they are shown; what is below the list is not read.
pub fn utility(interests_in_order: impl IntoIterator<Item = f64>, read: &[f64]) -> f64 {
    interests_in_order.into_iter().zip(read).map(|(interest, read)| interest * read).sum()
}

/// How evenly topics share a list, in bits: 0 for one topic, log2 n for n equal ones.
pub fn topic_entropy(shares: impl IntoIterator<Item = f64>) -> f64 {
    let shares: Vec<f64> = shares.into_iter().filter(|share| *share > 0.0).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|share| share / sum).map(|share| -share * share.log2()).sum::<f64>().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    }

    #[track_caller]
    fn is(belief: Belief, (alpha, beta): (f64, f64)) {
        near(belief.alpha, alpha);
        near(belief.beta, beta);
    }

    #[test]
    fn scores_of_the_prior() {
        near(Belief::PAPER.score(10.0), 0.625);
        near(Belief::PAPER.score(20.0), 1.0);
    }

    /// §3.3: an interest that ended is left after four rejections instead of ten.
    #[test]
    fn the_worked_example_of_the_paper() {
        let other = Belief { alpha: 1.0, beta: 1.0 };
        let mut once_liked = Belief { alpha: 10.0, beta: 1.0 };
        near(other.score(3.0), 0.75);
        for expected in [0.929_752, 0.865_385, 0.807_270, 0.755_102, 0.708_333, 0.666_360] {
            near(once_liked.score(3.0), expected);
            once_liked = once_liked.passed(1.0);
        }
        let leads = |lambda: f64| {
            let mut old = Belief { alpha: 10.0, beta: 1.0 };
            let mut rejections = 0;
            while old.score(lambda) >= other.score(lambda) {
                old = old.passed(1.0);
                rejections += 1;
            }
            rejections
        };
        assert_eq!((leads(3.0), leads(0.0)), (4, 10));
    }

    /// Position 1 passed, 3 clicked, 7 passed, 7 clicked.
    const EVENTS: [(f64, bool); 4] = [(1.0, false), (0.9, true), (0.7, false), (0.7, true)];

    #[test]
    fn four_events_as_the_paper_learns_them() {
        let states = [(1.0, 4.0), (2.0, 4.0), (2.0, 4.7), (3.0, 4.7)];
        let scores = [0.466_667, 0.650_794, 0.570_456, 0.662_960];
        let mut belief = Belief::PAPER;
        for (((read, click), state), score) in EVENTS.into_iter().zip(states).zip(scores) {
            belief = if click { belief.clicked() } else { belief.passed(read) };
            is(belief, state);
            near(belief.score(10.0), score);
        }
    }

    #[test]
    fn four_events_by_the_exact_likelihood() {
        let states = [(1.0, 4.0), (2.0, 4.0), (1.957_346, 4.473_934), (2.957_346, 4.473_934)];
        let scores = [0.733_333, 0.968_254, 0.874_156, 0.966_290];
        let mut belief = Belief::PAPER;
        for (((read, click), state), score) in EVENTS.into_iter().zip(states).zip(scores) {
            belief = if click { belief.clicked() } else { belief.passed_exactly(read) };
            is(belief, state);
            near(belief.score(20.0), score);
        }
    }

    #[test]
    fn not_clicked_by_the_exact_likelihood() {
        is(Belief::PAPER.passed_exactly(0.7), (0.975_265, 3.494_700));
        is(Belief { alpha: 10.0, beta: 1.0 }.passed_exactly(0.7), (9.079_681, 1.055_777));
        is(Belief { alpha: 2.0, beta: 2.0 }.passed_exactly(0.5), (1.909_091, 2.181_818));
    }

    #[test]
    fn forgetting_mixes_toward_the_prior() {
        let forgotten = |alpha, beta| Belief { alpha, beta }.forgotten(Belief::PAPER, 0.01);
        is(forgotten(20.0, 2.0), (8.743_499, 0.944_589));
        is(forgotten(1.0, 30.0), (0.598_086, 16.770_227));
    }

    /// Reference 1.1, flaw 1.
    #[test]
    fn the_papers_update_is_biased_at_a_fixed_position_and_the_exact_one_is_not() {
        let (interest, read) = (0.95, 0.7);
        let (mut paper, mut exact) = (Belief::PAPER, Belief::PAPER);
        // Clicks come as often as they are expected to: 0.665 of the time, evenly.
        let mut due = 0.0;
        for _ in 0..200_000 {
            due += interest * read;
            let click = due >= 1.0;
            due -= f64::from(u8::from(click));
            paper = if click { paper.clicked() } else { paper.passed(read) };
            exact = if click { exact.clicked() } else { exact.passed_exactly(read) };
        }
        assert!((paper.mean() - 0.739_300).abs() < 1e-3, "{}", paper.mean());
        assert!((exact.mean() - interest).abs() < 5e-3, "{}", exact.mean());
    }

    /// Table 3.1 by its expectations: any order of all 45, and the best order.
    #[test]
    fn expected_utilities_of_the_simulation() {
        let read: f64 = PAPER_READ.iter().sum();
        near(read * (7.0 * 0.95 + 13.0 * 0.55) / 45.0, 1.824_667);
        let best = (0..7).map(|nth| 0.9 + 0.1 * (7.0 - f64::from(nth)) / 8.0);
        near(utility(best, &PAPER_READ), 5.67);
    }

    #[test]
    fn entropy_counts_topics_that_share_evenly() {
        assert_eq!(topic_entropy([1.0]), 0.0);
        assert_eq!(topic_entropy([]), 0.0);
        near(topic_entropy([0.5; 8]), 3.0);
        near(topic_entropy([3.0, 1.0, 0.0]), 0.811_278);
    }

    proptest! {
        #[test]
        fn a_click_raises_the_mean_and_passing_lowers_it(alpha in 0.1f64..50.0, beta in 0.1f64..50.0, read in 0.01f64..1.0) {
            let belief = Belief { alpha, beta };
            prop_assert!(belief.clicked().mean() > belief.mean());
            prop_assert!(belief.passed(read).mean() < belief.mean());
            prop_assert!(belief.passed_exactly(read).mean() < belief.mean() + 1e-12);
        }

        #[test]
        fn what_is_never_read_teaches_nothing(alpha in 0.1f64..50.0, beta in 0.1f64..50.0) {
            let belief = Belief { alpha, beta };
            prop_assert_eq!(belief.passed(0.0), belief);
            let exact = belief.passed_exactly(0.0);
            prop_assert!((exact.alpha / alpha - 1.0).abs() < 1e-6 && (exact.beta / beta - 1.0).abs() < 1e-6);
        }
    }
}
