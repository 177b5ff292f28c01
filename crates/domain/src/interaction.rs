//! What people do with items. Learning reads these, so they are recorded as they happened and never rewritten.

use crate::id::{FeedId, ItemId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InteractionKind {
    /// The item was really on screen, at `position` of its list.
    Impression,
    /// The item was opened; `dwell_ms` says for how long, once known.
    Open,
    Star,
    Unstar,
    /// "Less like this".
    Hide,
    Unhide,
    Tag,
    Untag,
    /// Shown to friends.
    Share,
    Unshare,
}

impl InteractionKind {
    pub const ALL: [InteractionKind; 10] = [
        InteractionKind::Impression,
        InteractionKind::Open,
        InteractionKind::Star,
        InteractionKind::Unstar,
        InteractionKind::Hide,
        InteractionKind::Unhide,
        InteractionKind::Tag,
        InteractionKind::Untag,
        InteractionKind::Share,
        InteractionKind::Unshare,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            InteractionKind::Impression => "impression",
            InteractionKind::Open => "open",
            InteractionKind::Star => "star",
            InteractionKind::Unstar => "unstar",
            InteractionKind::Hide => "hide",
            InteractionKind::Unhide => "unhide",
            InteractionKind::Tag => "tag",
            InteractionKind::Untag => "untag",
            InteractionKind::Share => "share",
            InteractionKind::Unshare => "unshare",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    pub user: UserId,
    pub item: ItemId,
    pub kind: InteractionKind,
    pub at: Timestamp,
    /// The list it happened in ("newest", "unread", "feed/12"), at most 64 bytes.
    pub place: String,
    /// Row of the list, from 0.
    pub position: Option<u32>,
    pub dwell_ms: Option<u64>,
}

/// One visit: a person opened Wellread, or asked a reader app to sync.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    pub user: UserId,
    pub at: Timestamp,
    /// Set when the visit went to one feed.
    pub feed: Option<FeedId>,
}
