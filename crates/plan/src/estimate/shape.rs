//! When in the week: a pattern over the 168 UTC hours with mean one, and the operational time it defines.
//!
//! A feed's pattern is the product of an hour-of-day and a day-of-week histogram, each shrunk to the population
//! (`scheduling.md` §6: better than free 168 bins, and than the centroids of 002 §4.3.1). *Operational time* op(t) is the
//! integral of the pattern: it runs fast where posts are likely, so that a rate in operational time is constant.

use super::{Population, count};
use crate::grid::into_week;
use domain::{PostingRate, Timestamp};

pub const HOURS: usize = 168;

#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    hours: [f64; HOURS],
    /// Operational days from the week's start to each hour; the last is seven.
    sums: [f64; HOURS + 1],
}

impl Shape {
    pub fn flat() -> Self {
        Shape::of_week(&[1.0; HOURS])
    }

    /// Any weekly pattern, scaled to mean one; flat when there is nothing in it.
    pub fn of_week(rates: &[f64; HOURS]) -> Self {
        let clean = rates.map(count);
        let mean = clean.iter().sum::<f64>() / HOURS as f64;
        let scalable = mean > 0.0 && (1.0 / mean).is_finite();
        let hours = if scalable { clean.map(|rate| rate / mean) } else { [1.0; HOURS] };
        let mut sums = [0.0; HOURS + 1];
        for (nth, rate) in hours.iter().enumerate() {
            sums[nth + 1] = sums[nth] + rate / 24.0;
        }
        Shape { hours, sums }
    }

    /// Hour of day ⊗ day of week; both are shares that sum to one.
    pub fn of_product(hours: &[f64; 24], days: &[f64; 7]) -> Self {
        Shape::of_week(&std::array::from_fn(|nth| hours[nth % 24] * days[nth / 24]))
    }

    /// A feed's pattern, shrunk to the population's.
    pub fn of_feed(rate: &PostingRate, population: &Population) -> Self {
        let hours = shrunk(&rate.hours.map(f64::from), &population.hours, population.hours_strength);
        let days = shrunk(&rate.days.map(f64::from), &population.days, population.days_strength);
        Shape::of_product(&hours, &days)
    }

    /// Relative rate by hour of the week, from Monday 00:00 UTC.
    pub fn hours(&self) -> &[f64; HOURS] {
        &self.hours
    }

    /// Relative rate at a time `days` into the week, lifted.
    pub fn at_days(&self, days: f64) -> f64 {
        self.hours[(days.rem_euclid(7.0) * 24.0) as usize % HOURS]
    }

    /// Operational days from the week's start to `days` into it, lifted: seven more per week.
    pub fn operational(&self, days: f64) -> f64 {
        let weeks = (days / 7.0).floor();
        let hour = ((days - weeks * 7.0) * 24.0).clamp(0.0, HOURS as f64);
        let nth = (hour as usize).min(HOURS - 1);
        weeks * 7.0 + self.sums[nth] + self.hours[nth] * (hour - nth as f64) / 24.0
    }

    /// Operational days from `earlier` to `later`; zero the other way round.
    pub fn between(&self, earlier: Timestamp, later: Timestamp) -> f64 {
        let start = into_week(earlier);
        self.operational(start + super::days_between(later, earlier)) - self.operational(start)
    }

    /// Days from `start` (into the week) until so many operational days have passed. The longest of times when they
    /// never do.
    pub fn passing(&self, start: f64, operational: f64) -> f64 {
        if operational.is_nan() || operational <= 0.0 {
            return 0.0;
        }
        let weeks = (operational / 7.0).floor();
        let mut left = operational - 7.0 * weeks;
        let (mut days, end) = (start, start + 7.0);
        while days < end {
            let hour_ends = ((days * 24.0 + 1e-9).floor() + 1.0) / 24.0;
            let rate = self.at_days(0.5 * (days + hour_ends));
            let passed = rate * (hour_ends - days);
            if passed >= left && rate > 0.0 {
                return 7.0 * weeks + days - start + left / rate;
            }
            left -= passed;
            days = hour_ends;
        }
        7.0 * weeks + 7.0
    }

    /// The pattern on a weekly grid of so many slots.
    pub fn slots(&self, slots: usize) -> Vec<f64> {
        if slots.is_multiple_of(HOURS) {
            let each = slots / HOURS;
            return self.hours.iter().flat_map(|rate| std::iter::repeat_n(*rate, each)).collect();
        }
        let width = 7.0 / slots as f64;
        let at = |nth: usize| self.operational(nth as f64 * width);
        (0..slots).map(|nth| (at(nth + 1) - at(nth)).max(0.0) / width).collect()
    }

    /// The hours of the day in which most happens: the shortest run that holds half of a mean day, [from, until) in
    /// UTC, where that is at most nine hours.
    pub fn busy_hours(&self) -> Option<(u8, u8)> {
        let day: [f64; 24] = std::array::from_fn(|hour| {
            (0..7).map(|day| self.hours[day * 24 + hour]).sum::<f64>() / HOURS as f64
        });
        (1..=9u8).find_map(|length| {
            let held = |from: u8| (0..length).map(|more| day[usize::from((from + more) % 24)]).sum::<f64>();
            let best = (0..24u8).max_by(|a, b| held(*a).total_cmp(&held(*b)))?;
            (held(best) >= 0.5).then_some((best, (best + length) % 24))
        })
    }
}

/// (counts + strength · prior) / (Σ counts + strength): shares that sum to one.
pub fn shrunk<const N: usize>(counts: &[f64; N], prior: &[f64; N], strength: f64) -> [f64; N] {
    let strength = if strength.is_finite() { strength.clamp(1e-6, 1e12) } else { 64.0 };
    let counts = counts.map(count);
    let prior = shares(prior);
    let total = counts.iter().sum::<f64>() + strength;
    std::array::from_fn(|nth| (counts[nth] + strength * prior[nth]) / total)
}

/// Scaled to sum one; even when there is nothing in it.
pub fn shares<const N: usize>(counts: &[f64; N]) -> [f64; N] {
    let counts = counts.map(count);
    let total: f64 = counts.iter().sum();
    if total > 0.0 && (1.0 / total).is_finite() {
        counts.map(|count| count / total)
    } else {
        [1.0 / N as f64; N]
    }
}

/// Hour of the day and day of the week (0 = Monday) in UTC.
pub(crate) fn hour_and_day(at: Timestamp) -> (usize, usize) {
    let hour = (into_week(at) * 24.0 + 1e-9) as usize % HOURS;
    (hour % 24, hour / 24)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn little_history_looks_like_the_population_and_much_like_itself() {
        let mut night = [0.0; 24];
        night[3] = 1.0;
        let population = Population { hours: night, ..Population::default() };
        let mut rate = PostingRate::default();
        let share = |rate: &PostingRate| {
            let shape = Shape::of_feed(rate, &population);
            (0..7).map(|day| shape.hours()[day * 24 + 15]).sum::<f64>() / HOURS as f64
        };
        assert_eq!(share(&rate), 0.0);
        rate.hours[15] = 64.0;
        assert!((share(&rate) - 0.5).abs() < 1e-9, "as many posts as the strength: half");
        rate.hours[15] = 6400.0;
        assert!(share(&rate) > 0.98);
    }

    #[test]
    fn shrinking_by_hand() {
        // `personalization.md` 5.4: counts (4,0,2), prior (.5,.2,.3), κ = 10.
        let found = shrunk(&[4.0, 0.0, 2.0], &[0.5, 0.2, 0.3], 10.0);
        for (found, expected) in found.iter().zip([0.5625, 0.125, 0.3125]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn busy_hours_are_named_only_where_there_are_any() {
        assert_eq!(Shape::flat().busy_hours(), None);
        let mut hours = [0.1; 24];
        hours[23] = 5.0;
        hours[0] = 5.0;
        assert_eq!(Shape::of_product(&hours, &[1.0; 7]).busy_hours(), Some((23, 1)));
    }

    proptest! {
        #[test]
        fn operational_time_runs_seven_days_a_week_and_never_back(
            rates in proptest::collection::vec(prop_oneof![0.0f64..9.0, any::<f64>()], HOURS),
            from in -100.0f64..100.0, more in 0.0f64..30.0,
        ) {
            let rates: [f64; HOURS] = std::array::from_fn(|nth| rates[nth]);
            let shape = Shape::of_week(&rates);
            let op = |days| shape.operational(days);
            prop_assert!(op(from + more) >= op(from) - 1e-9);
            prop_assert!((op(from + 7.0) - op(from) - 7.0).abs() < 1e-9);
            for slots in [168, 336, 100, 10_080] {
                let slots = shape.slots(slots);
                prop_assert!((slots.iter().sum::<f64>() / slots.len() as f64 - 1.0).abs() < 1e-9);
            }
        }
    }
}
