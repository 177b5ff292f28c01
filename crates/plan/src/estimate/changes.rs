//! How often something changes, when all that is known is whether it did between polls.
//!
//! Cho & Garcia-Molina, "Estimating frequency of change" (TODS 2003): with n polls Δ apart of which X showed a change,
//! −ln((n − X + ½)/(n + ½))/Δ is nearly unbiased, where X/(nΔ) misses every change but one per interval and the
//! maximum-likelihood estimate is infinite when every poll showed one. Items with dates or countable items say more; this
//! is for documents that are all new again and without dates, where the count of items is only a lower bound.

use super::count;
use domain::PostingRate;

/// Changes per day by what polls showed so far. None before the first interval.
pub fn changes_per_day(rate: &PostingRate) -> Option<f64> {
    estimate(f64::from(rate.polls), f64::from(rate.changes), f64::from(rate.poll_days))
}

/// The estimator for `polls` polls over `days` days, `changed` of which showed something new. Polls are taken as
/// equally far apart.
pub fn estimate(polls: f64, changed: f64, days: f64) -> Option<f64> {
    let (polls, days) = (count(polls), count(days));
    let changed = count(changed).min(polls);
    if polls <= 0.0 || days <= 0.0 {
        return None;
    }
    let per_day = -((polls - changed + 0.5) / (polls + 0.5)).ln() * polls / days;
    per_day.is_finite().then_some(per_day.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Ten polls a day apart, seven of them changed: −ln(3.5/10.5) = ln 3.
        assert!((estimate(10.0, 7.0, 10.0).expect("some") - 3f64.ln()).abs() < 1e-12);
        assert_eq!(estimate(10.0, 0.0, 10.0), Some(0.0));
        assert!(estimate(10.0, 10.0, 10.0).expect("finite") < 3.1, "finite where every poll changed");
        assert_eq!(estimate(0.0, 0.0, 0.0), None);
        assert_eq!(estimate(f64::NAN, 1.0, f64::INFINITY), None);
    }

    #[test]
    fn it_is_nearly_unbiased_where_counting_changes_is_not() {
        // λΔ = 1: a poll shows a change with 1 − 1/e. The mean over all outcomes of 20 polls.
        let (n, p) = (20u32, 1.0 - (-1.0f64).exp());
        let mut chance = (1.0 - p).powi(20);
        let (mut mean, mut naive) = (0.0, 0.0);
        for x in 0..=n {
            mean += chance * estimate(f64::from(n), f64::from(x), f64::from(n)).expect("some");
            naive += chance * f64::from(x) / f64::from(n);
            chance *= p / (1.0 - p) * f64::from(n - x) / f64::from(x + 1);
        }
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
        assert!(naive < 0.64, "{naive}");
    }
}
