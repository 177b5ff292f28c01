//! Politeness minimums. Policy may only choose later than these.
//!
//! Two kinds: what the *publisher* asked for (Retry-After, freshness, ttl, update period, skip windows), which binds
//! everybody, and our *own* floor, which binds everything automatic but not a person's button (N22).

use crate::estimate::posts_per_day;
use crate::policy::Policy;
use domain::{Hints, Reason, Schedule, Timestamp};
use std::time::Duration;

/// Not before `until`, because of `reason`.
#[derive(Debug, Clone, PartialEq)]
pub struct Floor {
    pub until: Timestamp,
    pub reason: Reason,
}

/// May a person's wish to poll be granted at `now`? The error says until when not, and why.
pub fn may_poll(schedule: &Schedule, now: Timestamp, policy: &Policy) -> Result<(), Floor> {
    let mut floor = publisher_floor(&schedule.hints, schedule.last_poll_at, now, policy);
    if let Some(last) = schedule.last_poll_at {
        let until = last.saturating_add(policy.asked_floor);
        if until > floor.as_ref().map_or(now, |f| f.until) {
            floor = Some(Floor { until, reason: own_floor_reason(policy.asked_floor) });
        }
        // A clock set back leaves a last poll in the future; it must not lock the button for years.
        if last > now.saturating_add(policy.asked_floor) && floor.as_ref().is_some_and(|f| f.until > now) {
            let until = now.saturating_add(policy.asked_floor);
            floor = Some(Floor { until, reason: own_floor_reason(policy.asked_floor) });
        }
    }
    match floor {
        Some(floor) if floor.until > now => Err(floor),
        _ => Ok(()),
    }
}

/// The latest of the floors the publisher set, if any is still ahead of `now`.
pub fn publisher_floor(
    hints: &Hints,
    last_poll: Option<Timestamp>,
    now: Timestamp,
    policy: &Policy,
) -> Option<Floor> {
    let from = last_poll.unwrap_or(now).min(now);
    let interval = |minutes: u64| {
        let minutes = minutes.min(policy.hint_cap.as_secs() / 60);
        Floor {
            until: from.saturating_add(Duration::from_secs(minutes * 60)),
            reason: Reason::PublisherInterval { minutes },
        }
    };
    let fixed = [
        hints.retry_after.map(|until| Floor { until, reason: Reason::Busy }),
        hints.fresh_until.map(|until| Floor {
            until: until.min(from.saturating_add(policy.hint_cap)),
            reason: Reason::Fresh,
        }),
        hints.ttl_minutes.filter(|m| *m > 0).map(|minutes| interval(u64::from(minutes))),
        hints.update_period_s.map(|period| interval(period / 2 / 60)),
    ];
    let latest = fixed.into_iter().flatten().filter(|f| f.until > now).max_by_key(|f| f.until);
    let earliest = latest.as_ref().map_or(now, |f| f.until);
    let after_skip = leave_skip_window(earliest, hints, policy);
    if after_skip > earliest { Some(Floor { until: after_skip, reason: Reason::SkipWindow }) } else { latest }
}

/// Our own floor after a poll: longer for servers that make every poll cost a whole body (N5, N10).
pub(crate) fn own_floor(schedule: &Schedule, policy: &Policy) -> Duration {
    if schedule.validators.is_empty() && schedule.last_success_at.is_some() {
        let doublings = schedule.unchanged_bodies.min(8);
        return (policy.own_floor * (1 << doublings)).min(policy.hint_cap);
    }
    if posts_per_day(&schedule.rate) >= policy.fast_posts_per_day {
        policy.fast_floor
    } else {
        policy.own_floor
    }
}

pub(crate) fn own_floor_reason(floor: Duration) -> Reason {
    Reason::OwnFloor { minutes: floor.as_secs() / 60 }
}

/// The first time at or after `at` outside the hours and days the publisher asked to be left alone; at most a day
/// later, and `at` itself when there is no such time at all (N8).
pub(crate) fn leave_skip_window(at: Timestamp, hints: &Hints, policy: &Policy) -> Timestamp {
    if hints.skip_hours.is_empty() && hints.skip_days.is_empty() {
        return at;
    }
    if (0..24).all(|h| hints.skip_hours.contains(&h)) || (0..7).all(|d| hints.skip_days.contains(&d)) {
        return at;
    }
    const HOUR_S: i64 = 3600;
    let skipped = |t: Timestamp| {
        let hours = t.seconds().div_euclid(HOUR_S);
        // 1970-01-01 was a Thursday, day 3 when Monday is 0.
        let (hour, day) = (hours.rem_euclid(24), (hours.div_euclid(24) + 3).rem_euclid(7));
        hints.skip_hours.iter().any(|h| i64::from(*h) == hour)
            || hints.skip_days.iter().any(|d| i64::from(*d) == day)
    };
    let cap = at.saturating_add(policy.hint_cap);
    let mut candidate = at;
    for _ in 0..24 {
        if !skipped(candidate) {
            return candidate;
        }
        let next_hour = candidate.seconds().div_euclid(HOUR_S).saturating_add(1);
        candidate = Timestamp::from_seconds(next_hour.saturating_mul(HOUR_S));
    }
    candidate.min(cap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Monday 2023-11-13, 00:00 UTC.
    const MONDAY: i64 = 1_699_833_600;
    const HOUR: i64 = 3600;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_seconds(MONDAY + hours * HOUR)
    }

    fn floor(hints: &Hints, last: i64, now: i64) -> Option<Floor> {
        publisher_floor(hints, Some(at(last)), at(now), &Policy::default())
    }

    #[test]
    fn n7_ttl_is_a_minimum_in_minutes_capped_at_a_day() {
        let ttl = |minutes| Hints { ttl_minutes: Some(minutes), ..Hints::default() };
        assert_eq!(floor(&ttl(0), 0, 0), None);
        assert_eq!(floor(&ttl(60), 0, 0).map(|f| f.until), Some(at(1)));
        assert_eq!(floor(&ttl(60), 0, 1), None);
        assert_eq!(floor(&ttl(99_999), 0, 0).map(|f| f.until), Some(at(24)));
    }

    #[test]
    fn n8_skip_hours_and_days_are_left_unless_nothing_remains() {
        let policy = Policy::default();
        let night = Hints { skip_hours: vec![0, 1, 2, 3, 4, 5], ..Hints::default() };
        assert_eq!(leave_skip_window(at(2), &night, &policy), at(6));
        assert_eq!(leave_skip_window(at(7), &night, &policy), at(7));
        let weekend = Hints { skip_days: vec![5, 6], ..Hints::default() };
        let saturday = at(5 * 24);
        assert_eq!(
            leave_skip_window(saturday, &weekend, &policy),
            at(6 * 24),
            "a hint, capped at a day per skip"
        );
        let always = Hints { skip_hours: (0..24).collect(), ..Hints::default() };
        assert_eq!(leave_skip_window(at(2), &always, &policy), at(2));
    }

    #[test]
    fn n9_half_the_update_period_is_a_floor() {
        let hints = |period| Hints { update_period_s: Some(period), ..Hints::default() };
        assert_eq!(floor(&hints(7200), 0, 0).map(|f| f.until), Some(at(1)));
        assert_eq!(floor(&hints(365 * 86_400), 0, 0).map(|f| f.until), Some(at(24)), "yearly is capped");
        assert_eq!(floor(&hints(0), 0, 0), None);
    }

    #[test]
    fn n6_freshness_is_a_floor_capped_at_a_day() {
        let year = Hints { fresh_until: Some(at(8760)), ..Hints::default() };
        assert_eq!(floor(&year, 0, 0).map(|f| (f.until, f.reason)), Some((at(24), Reason::Fresh)));
    }

    #[test]
    fn retry_after_longer_than_the_maximum_still_wins() {
        let hints = Hints { retry_after: Some(at(20 * 24)), ttl_minutes: Some(600), ..Hints::default() };
        assert_eq!(floor(&hints, 0, 0).map(|f| (f.until, f.reason)), Some((at(480), Reason::Busy)));
    }

    #[test]
    fn n22_a_person_may_go_below_our_floor_but_not_below_the_publishers() {
        let policy = Policy::default();
        let polled = Schedule { last_poll_at: Some(at(0)), ..Schedule::default() };
        let minutes = |m: i64| Timestamp::from_seconds(MONDAY + m * 60);
        let refused = may_poll(&polled, minutes(4), &policy).expect_err("held down");
        assert_eq!(refused.until, minutes(5));
        assert_eq!(may_poll(&polled, minutes(5), &policy), Ok(()));
        let asked = Schedule { hints: Hints { ttl_minutes: Some(60), ..Hints::default() }, ..polled.clone() };
        assert_eq!(may_poll(&asked, minutes(30), &policy).map_err(|f| f.until), Err(at(1)));
        let fresh =
            Schedule { hints: Hints { fresh_until: Some(at(2)), ..Hints::default() }, ..polled.clone() };
        assert_eq!(may_poll(&fresh, minutes(30), &policy).map_err(|f| f.reason), Err(Reason::Fresh));
        assert_eq!(may_poll(&Schedule::default(), at(0), &policy), Ok(()), "a new feed has no floor");
    }

    #[test]
    fn a_clock_set_back_does_not_lock_the_button_for_years() {
        let polled = Schedule { last_poll_at: Some(at(87_600)), ..Schedule::default() };
        let refused = may_poll(&polled, at(0), &Policy::default()).expect_err("still a floor");
        assert_eq!(refused.until.since(at(0)), Policy::default().asked_floor);
    }

    proptest! {
        #[test]
        fn the_skip_window_ends_within_a_day(
            hours in proptest::collection::vec(0u8..30, 0..24), days in proptest::collection::vec(0u8..9, 0..7), t in 0i64..4_000_000_000,
        ) {
            let policy = Policy::default();
            let hints = Hints { skip_hours: hours, skip_days: days, ..Hints::default() };
            let start = Timestamp::from_seconds(t);
            let end = leave_skip_window(start, &hints, &policy);
            prop_assert!(end >= start && end.since(start) <= policy.hint_cap);
        }
    }
}
