//! How often a feed posts, and which feed to poll.
//!
//! [`BoltzmannRate`] is eq. 5 as printed, kept to be compared with: the weight of the past falls to nothing within hours,
//! and after one empty interval the next poll is far away (reference 4.2.3). [`GammaPoisson`] is what to use.
//! [`refined`] is eq. 10. [`age_index`] and [`worth`] say which feed is polled next under a budget.

/// Eq. 5: λ ← α·λ + (1 − α)·n/dt, α = α₀·e^(−T/G).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoltzmannRate {
    pub per_hour: f64,
}

impl BoltzmannRate {
    pub const ALPHA: f64 = 0.1;
    pub const G_HOURS: f64 = 100.0;

    pub fn new(per_hour: f64) -> Self {
        BoltzmannRate { per_hour }
    }

    /// `at_hours` since everything began; `items` were found after `hours`.
    pub fn observe(&mut self, at_hours: f64, items: f64, hours: f64) {
        if hours > 0.0 {
            let alpha = Self::ALPHA * (-at_hours / Self::G_HOURS).exp();
            self.per_hour = alpha * self.per_hour + (1.0 - alpha) * items / hours;
        }
    }
}

/// Items and hours, both forgotten with a half-life, on top of a prior that stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GammaPoisson {
    items: f64,
    hours: f64,
    prior: (f64, f64),
    half_life_hours: f64,
}

impl GammaPoisson {
    pub const HALF_LIFE_HOURS: f64 = 336.0;

    /// One item in four hours, half-life 14 days (reference 4.4).
    pub fn usual() -> Self {
        Self::new(1.0, 4.0, Self::HALF_LIFE_HOURS)
    }

    pub fn new(prior_items: f64, prior_hours: f64, half_life_hours: f64) -> Self {
        GammaPoisson {
            items: 0.0,
            hours: 0.0,
            prior: (prior_items.max(0.0), prior_hours.max(1e-9)),
            half_life_hours: half_life_hours.max(1e-9),
        }
    }

    pub fn observe(&mut self, items: f64, hours: f64) {
        if hours > 0.0 {
            let kept = (-hours / self.half_life_hours).exp2();
            self.items = self.items * kept + items.max(0.0);
            self.hours = self.hours * kept + hours;
        }
    }

    pub fn per_hour(&self) -> f64 {
        (self.items + self.prior.0) / (self.hours + self.prior.1)
    }
}

/// Eq. 10: each rate becomes the mean of all rates, weighted by similarity. Rows of `similarity` need not sum to one.
pub fn refined(similarity: &[Vec<f64>], rates: &[f64]) -> Vec<f64> {
    let own = |nth: usize| rates.get(nth).copied().unwrap_or_default();
    let rows = similarity.iter().enumerate().map(|(nth, row)| {
        let weight: f64 = row.iter().zip(rates).map(|(weight, _)| weight.max(0.0)).sum();
        let sum: f64 = row.iter().zip(rates).map(|(weight, rate)| weight.max(0.0) * rate).sum();
        if weight > 0.0 { sum / weight } else { own(nth) }
    });
    rows.collect()
}

/// λ·c·age²: what waiting costs where every missed item costs the same (reference 4.4).
pub fn age_index(per_hour: f64, change: f64, age_hours: f64) -> f64 {
    per_hour * change * age_hours * age_hours
}

/// What polling a feed now is worth, in quality × hours, where the loss cannot exceed the profile: Whittle's index
/// age·L(age) − ∫L for the loss L(a) = c·(1 − e^(−λa/W)).
///
/// While little has passed by that is λ·c·age²/(2W), the [`age_index`]. Once the whole profile of `window` items has passed by
/// it grows only with age: a feed that posts faster than the budget can follow is not worth following at the cost of
/// all others.
pub fn worth(per_hour: f64, change: f64, age_hours: f64, window: usize) -> f64 {
    let share = per_hour * age_hours / window.max(1) as f64;
    if share < 1e-4 {
        return change * age_hours * share / 2.0;
    }
    // ∫ from 0 to a of 1 − e^(−λx/W) is a·(1 − loss/share).
    let loss = -(-share).exp_m1();
    change * age_hours * (loss - (1.0 - loss / share))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    }

    /// Reference 4.8.
    #[test]
    fn the_papers_rate_forgets_as_the_reference_says() {
        let mut quiet = BoltzmannRate::new(0.3);
        quiet.observe(100.0, 0.0, 10.0);
        near(quiet.per_hour, 0.011_036);
        let mut steady = BoltzmannRate::new(0.3);
        steady.observe(100.0, 3.0, 10.0);
        near(steady.per_hour, 0.3);
    }

    /// Reference 4.2.3: one empty interval and the next poll is weeks away.
    #[test]
    fn the_papers_rate_collapses_after_one_empty_interval() {
        for (at, hours) in [(10.0, 36.8), (100.0, 90.6), (500.0, 4_947.0), (1_000.0, 734_216.0)] {
            let mut rate = BoltzmannRate::new(0.3);
            rate.observe(at, 0.0, 1.0 / 0.3);
            let next = 1.0 / rate.per_hour;
            assert!((next / hours - 1.0).abs() < 1e-2, "{at}: {next}");
        }
    }

    /// Reference 4.8.
    #[test]
    fn gamma_poisson_rates_are_those_of_the_reference() {
        let mut rate = GammaPoisson::usual();
        near(rate.per_hour(), 0.25);
        rate.observe(3.0, 12.0);
        near(rate.per_hour(), 0.25);
        rate.observe(0.0, 48.0);
        near(rate.per_hour(), 0.059_126);
    }

    /// Reference 4.8.
    #[test]
    fn refinement_averages_over_like_feeds() {
        let similarity = [vec![1.0, 0.5, 0.0], vec![0.5, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
        let rates = refined(&similarity, &[0.2, 0.8, 0.5]);
        for (rate, expected) in rates.into_iter().zip([0.4, 0.6, 0.5]) {
            near(rate, expected);
        }
        assert_eq!(refined(&[vec![0.0]], &[0.7]), [0.7], "a feed like nothing keeps its rate");
    }

    /// Reference 4.8.
    #[test]
    fn the_age_index_is_that_of_the_reference() {
        near(age_index(0.5, 1.0, 2.0), 2.0);
        near(age_index(0.1, 1.0, 6.0), 3.6);
    }

    proptest! {
        #[test]
        fn waiting_is_never_worth_less(rate in 1e-4f64..20.0, change in 0.0f64..1.0, age in 0.01f64..500.0) {
            let (now, later) = (worth(rate, change, age, 20), worth(rate, change, age * 1.1, 20));
            prop_assert!(now >= 0.0 && later >= now - 1e-9, "{} {}", now, later);
        }

        #[test]
        fn before_the_profile_has_passed_by_worth_is_the_age_index(rate in 1e-4f64..0.01, age in 0.01f64..5.0) {
            let (worth, index) = (worth(rate, 0.8, age, 20), age_index(rate, 0.8, age) / 40.0);
            prop_assert!((worth / index - 1.0).abs() < 0.01, "{} {}", worth, index);
        }
    }

    #[test]
    fn a_feed_that_cannot_be_followed_does_not_starve_the_others() {
        let (torrent, quiet) = ((20.0, 100.0), (0.1, 100.0));
        assert!(age_index(torrent.0, 0.8, torrent.1) > 100.0 * age_index(quiet.0, 0.8, quiet.1));
        assert!(worth(torrent.0, 0.8, torrent.1, 20) < 10.0 * worth(quiet.0, 0.8, quiet.1, 20));
    }
}
