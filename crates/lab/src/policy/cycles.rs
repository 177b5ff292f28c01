//! Polls at fixed times of a period, for ever: what a plan on the circle becomes when it is run.

use crate::trace::DAY_S;

/// The polls of one feed: offsets in seconds within a period that starts on Monday 00:00 UTC (or any midnight).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cycle {
    pub period_s: i64,
    pub offsets_s: Vec<i64>,
}

/// 1970-01-05 was a Monday.
const MONDAY: i64 = 4 * DAY_S;

impl Cycle {
    /// The first poll later than `now`; None without polls.
    pub fn next(&self, now: i64) -> Option<i64> {
        let first = self.offsets_s.first()?;
        let into = (now - MONDAY).rem_euclid(self.period_s);
        let start = now - into;
        let nth = self.offsets_s.partition_point(|offset| *offset <= into);
        Some(self.offsets_s.get(nth).map_or(start + self.period_s + first, |offset| start + offset))
    }

    pub fn polls_per_day(&self) -> f64 {
        self.offsets_s.len() as f64 * DAY_S as f64 / self.period_s.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_poll_is_later_and_comes_round_again() {
        let cycle = Cycle { period_s: DAY_S, offsets_s: vec![3600, 7200] };
        let midnight = MONDAY + 100 * DAY_S;
        assert_eq!(cycle.next(midnight), Some(midnight + 3600));
        assert_eq!(cycle.next(midnight + 3600), Some(midnight + 7200));
        assert_eq!(cycle.next(midnight + 7200), Some(midnight + DAY_S + 3600));
        assert_eq!(Cycle::default().next(midnight), None);
    }
}
