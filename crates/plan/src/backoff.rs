//! How long to leave a feed alone that does not answer as it should. Never gives up silently: after two weeks of
//! failing a feed is still asked once a week (N14, N16).

use crate::policy::Policy;
use crate::unit::Unit;
use std::time::Duration;

/// The wait after `failures` failures in a row (1 for the first), failing for `failing_for`.
///
/// One more failure never shortens it: the spread reaches up to half of the step to the next doubling.
pub(crate) fn back_off(failures: u32, failing_for: Duration, dice: Unit, policy: &Policy) -> Duration {
    if failing_for >= policy.weekly_after {
        return policy.weekly;
    }
    let doublings = failures.saturating_sub(1).min(20);
    let step = policy.backoff_first.saturating_mul(1 << doublings);
    step.mul_f64(1.0 + 0.5 * dice.value()).min(policy.backoff_most).max(policy.own_floor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn n14_back_off_never_gets_shorter_and_stays_within_a_week(
            failures in 1u32..100, days in 0u64..40, a in 0.0f64..1.0, b in 0.0f64..1.0,
        ) {
            let policy = Policy::default();
            let failing_for = Duration::from_secs(days * 86_400);
            let once = back_off(failures, failing_for, Unit::new(a), &policy);
            let again = back_off(failures + 1, failing_for, Unit::new(b), &policy);
            prop_assert!(again >= once);
            prop_assert!(once >= policy.own_floor && again <= policy.weekly);
        }
    }

    #[test]
    fn n16_two_weeks_of_failure_mean_once_a_week() {
        let policy = Policy::default();
        assert_eq!(back_off(30, policy.weekly_after, Unit::MIDDLE, &policy), policy.weekly);
        assert_eq!(back_off(30, Duration::from_secs(86_400), Unit::MIDDLE, &policy), policy.backoff_most);
    }
}
