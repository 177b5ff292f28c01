//! What planning reads.

use domain::{Attention, FeedId, Preferences, Reason, Schedule, Timestamp, UserId};

/// What all feeds that are polled ask of the budget together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanTotals {
    pub feeds: u64,
    /// Feeds with a plan.
    pub planned: u64,
    /// Σ [`domain::Planned::demand`] of feeds whose polls the price decides.
    pub demand: f64,
    /// Σ of polls per day of the others.
    pub fixed_polls_per_day: f64,
}

/// A person, and what is known of when they read.
#[derive(Debug, Clone, PartialEq)]
pub struct HabitRow {
    pub user: UserId,
    pub preferences: Preferences,
    /// As `plan` wrote it.
    pub habit: Option<String>,
    /// The last row of the visits it has learned.
    pub learned_to: i64,
}

/// How much of a feed a person reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingOf {
    pub user: UserId,
    pub feed: FeedId,
    pub is_important: bool,
    pub opens: u64,
}

/// A feed's schedule with how it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredAttention {
    pub feed: FeedId,
    pub schedule: Schedule,
    pub attention: Option<Attention>,
}

/// The polls to one provider within one hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HourOfPolls {
    pub provider: String,
    /// When it began.
    pub hour: Timestamp,
    pub polls: u64,
    /// Polls that brought something new.
    pub fruitful: u64,
    pub failures: u64,
}

/// When a feed is polled next, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct DueFeed {
    pub feed: FeedId,
    pub provider: String,
    pub at: Timestamp,
    pub reason: Reason,
    pub failures: u32,
    /// Its provider asked all of its feeds to wait until then.
    pub blocked_until: Timestamp,
}
