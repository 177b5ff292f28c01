//! In one sentence: is polling going on, and when does it go on next?

use domain::Timestamp;
use store::{Result, Store};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Polling {
    /// The emergency stop is on.
    Halted,
    /// No feed is waiting for anything.
    Idle,
    Due(u64),
    Next(Timestamp),
}

impl Polling {
    pub(crate) async fn of(store: &Store, now: Timestamp) -> Result<Polling> {
        if store.halted().await? {
            return Ok(Polling::Halted);
        }
        match store.overdue(now).await? {
            0 => Ok(store.next_due_at(now).await?.map_or(Polling::Idle, Polling::Next)),
            feeds => Ok(Polling::Due(feeds)),
        }
    }
}

/// A time for people: `2026-11-16 07:40 UTC`. The template writes the exact one beside it for programs.
pub(crate) fn minute(time: &Timestamp) -> String {
    let exact = time.to_string();
    match exact.split_once('T') {
        Some((day, clock)) => format!("{day} {} UTC", clock.get(..5).unwrap_or(clock)),
        None => exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_to_the_minute_whatever_its_year() {
        assert_eq!(minute(&Timestamp::from_seconds(1_700_000_000)), "2023-11-14 22:13 UTC");
        assert_eq!(minute(&Timestamp::from_seconds(i64::MAX)), "@9223372036854");
    }
}
