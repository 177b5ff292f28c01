//! One attempt to fetch a feed, and the lease under which it is made.

use crate::id::FeedId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The right to poll one feed until a time. `number` grows with every lease of that feed (a fencing number): a
/// commit under an older number is refused, so a paused node cannot overwrite what a later one did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    pub feed: FeedId,
    pub number: i64,
    pub until: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PollOutcome {
    /// A whole document came.
    Fresh,
    /// Only what is new came (226, RFC 3229), or the body was cut: items were merged, nothing is taken as complete.
    Partial,
    /// 304, or the same bytes again.
    Unchanged,
    /// 410.
    Gone,
    /// 429 or 503.
    Busy,
    /// 401, 403, 451.
    Denied,
    /// 404 and other 4xx.
    NotFound,
    /// A 200 that is no feed: a login page, a captcha, an empty body.
    NotAFeed,
    /// Other 5xx, connection, TLS or DNS trouble, a broken bound.
    Failed,
    /// The address is refused by the guard.
    Refused,
    /// Our own network was down; the feed is not blamed.
    Offline,
}

impl PollOutcome {
    pub const ALL: [PollOutcome; 11] = [
        PollOutcome::Fresh,
        PollOutcome::Partial,
        PollOutcome::Unchanged,
        PollOutcome::Gone,
        PollOutcome::Busy,
        PollOutcome::Denied,
        PollOutcome::NotFound,
        PollOutcome::NotAFeed,
        PollOutcome::Failed,
        PollOutcome::Refused,
        PollOutcome::Offline,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            PollOutcome::Fresh => "fresh",
            PollOutcome::Partial => "partial",
            PollOutcome::Unchanged => "unchanged",
            PollOutcome::Gone => "gone",
            PollOutcome::Busy => "busy",
            PollOutcome::Denied => "denied",
            PollOutcome::NotFound => "not-found",
            PollOutcome::NotAFeed => "not-a-feed",
            PollOutcome::Failed => "failed",
            PollOutcome::Refused => "refused",
            PollOutcome::Offline => "offline",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }

    /// The publisher answered as a working feed does.
    pub const fn is_success(self) -> bool {
        matches!(self, PollOutcome::Fresh | PollOutcome::Partial | PollOutcome::Unchanged)
    }
}

/// What is remembered of a poll, for the feed page, the operator and the angry publisher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollRecord {
    pub feed: FeedId,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    pub outcome: PollOutcome,
    pub http_status: Option<u16>,
    pub wire_bytes: u64,
    pub items_seen: u32,
    pub items_new: u32,
    pub items_changed: u32,
    /// A sentence for people, when something went wrong.
    pub error: Option<String>,
}
