//! Points in time, as microseconds since 1970-01-01T00:00:00Z.
//!
//! All arithmetic saturates: a hostile date may be wrong, but it may not panic or wrap. Nothing here reads a clock.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const EPOCH: Timestamp = Timestamp(0);
    /// Later than anything we meet, early enough that every database and formatter can hold it (year 9999).
    pub const FAR_FUTURE: Timestamp = Timestamp(253_370_764_800_000_000);

    pub const fn from_micros(micros: i64) -> Self {
        Timestamp(micros)
    }

    pub const fn from_seconds(seconds: i64) -> Self {
        Timestamp(seconds.saturating_mul(1_000_000))
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whole seconds, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    pub fn saturating_add(self, span: Duration) -> Self {
        Timestamp(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }

    pub fn saturating_sub(self, span: Duration) -> Self {
        Timestamp(self.0.saturating_sub(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }

    /// The time from `earlier` to `self`, or zero when `earlier` is later.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with seconds; the raw number when the year is out of a calendar's range.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_second(self.seconds()) {
            Ok(time) => time.fmt(f),
            Err(_) => write!(f, "@{}", self.seconds()),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn displays_as_rfc_3339_or_as_a_raw_number() {
        assert_eq!(Timestamp::from_seconds(1_700_000_000).to_string(), "2023-11-14T22:13:20Z");
        assert_eq!(Timestamp::from_seconds(i64::MAX).to_string(), "@9223372036854");
    }

    proptest! {
        #[test]
        fn arithmetic_never_panics_and_keeps_order(micros: i64, span in 0u64..) {
            let (time, span) = (Timestamp::from_micros(micros), Duration::from_micros(span));
            prop_assert!(time.saturating_add(span) >= time);
            prop_assert!(time.saturating_sub(span) <= time);
            prop_assert_eq!(time.since(time.saturating_add(span)), Duration::ZERO);
        }
    }
}
