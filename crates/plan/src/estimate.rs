//! What polling and reading teach: how often and when a feed posts, how often and when people look.
//!
//! Everything is a decayed count over a decayed exposure, shrunk to what all feeds or people have in common
//! ([`Population`]); `scheduling.md` §6 measured that this is better than the papers' two-week histograms and clusters.
//! State lives in `domain` ([`PostingRate`], [`AccessHabit`]) and is small; functions here map state and observation to
//! state.

pub mod audience;
pub mod bursts;
pub mod changes;
pub mod fit;
pub mod population;
pub mod rate;
pub mod shape;

pub use audience::{Reader, ZoneWeek, attention, looked_at_feed, looks_per_day, visited, visits_per_day};
pub use population::Population;
pub use rate::{Sight, learn, observe, posts_per_day, rate_of};
pub use shape::Shape;

#[cfg(doc)]
use domain::{AccessHabit, PostingRate};

pub(crate) const SECONDS_PER_DAY: f64 = 86_400.0;

/// Days from `earlier` to `later`; zero when it is the other way round.
pub(crate) fn days_between(later: domain::Timestamp, earlier: domain::Timestamp) -> f64 {
    later.since(earlier).as_secs_f64() / SECONDS_PER_DAY
}

/// A stored count as it should be: what is not finite or negative counts as nothing.
pub(crate) fn count(stored: f64) -> f64 {
    if stored.is_finite() { stored.clamp(0.0, 1e12) } else { 0.0 }
}
