//! The circle a plan lives on: a period cut into equal slots, with polls on the slots' boundaries.
//!
//! Times inside `plan`'s mathematics are days. Boundaries are counted from the start of a period and *lifted*: boundary
//! `slots + 3` is boundary 3 of the next period (`scheduling.md` §1). Weeks start on Monday 00:00 UTC.

use domain::Timestamp;

/// A period of `period_days` in `slots` equal parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    pub period_days: f64,
    pub slots: usize,
}

impl Grid {
    pub fn day(slots: usize) -> Self {
        Grid { period_days: 1.0, slots }
    }

    pub fn week(slots: usize) -> Self {
        Grid { period_days: 7.0, slots }
    }

    pub fn slot_days(&self) -> f64 {
        self.period_days / self.slots as f64
    }
}

const MICROS_PER_WEEK: i64 = 7 * 86_400 * 1_000_000;
/// 1970-01-01 was a Thursday: Monday 00:00 was three days before.
const EPOCH_INTO_WEEK: i64 = 3 * 86_400 * 1_000_000;

/// Days since Monday 00:00 UTC, in [0, 7).
pub fn into_week(at: Timestamp) -> f64 {
    (at.micros().rem_euclid(MICROS_PER_WEEK) + EPOCH_INTO_WEEK).rem_euclid(MICROS_PER_WEEK) as f64
        / (86_400.0 * 1e6)
}

/// The Monday 00:00 UTC at or before `at`.
pub fn week_start(at: Timestamp) -> Timestamp {
    let into = (at.micros().rem_euclid(MICROS_PER_WEEK) + EPOCH_INTO_WEEK).rem_euclid(MICROS_PER_WEEK);
    Timestamp::from_micros(at.micros().saturating_sub(into))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weeks_start_on_monday() {
        let monday = Timestamp::from_seconds(1_699_833_600);
        assert_eq!(into_week(monday), 0.0);
        assert_eq!(week_start(Timestamp::from_seconds(1_699_833_600 + 6 * 86_400)), monday);
        assert_eq!(into_week(Timestamp::from_seconds(1_699_833_600 - 3600)), 7.0 - 1.0 / 24.0);
    }

    proptest! {
        #[test]
        fn any_time_is_somewhere_in_its_week(micros: i64) {
            let at = Timestamp::from_micros(micros);
            prop_assert!((0.0..7.0 + 1e-9).contains(&into_week(at)));
            prop_assert!(week_start(at) <= at);
        }
    }
}
