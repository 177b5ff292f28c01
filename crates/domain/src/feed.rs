//! Feeds, which are remote and shared, and subscriptions, which are one person's tie to them.

use crate::id::{FeedId, FolderId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq)]
pub struct Feed {
    pub id: FeedId,
    /// Without credentials: those are sealed apart (E10).
    pub url: String,
    pub facts: FeedFacts,
    pub state: FeedState,
    /// Feeds with credentials or secret addresses belong to one person and are shown to nobody else (A6).
    pub private_to: Option<UserId>,
    pub created_at: Timestamp,
}

/// What the newest good document said about its feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedFacts {
    pub title: Option<String>,
    pub site_url: Option<String>,
    pub description: Option<String>,
    pub language: Option<String>,
    pub icon_url: Option<String>,
    /// [`crate::Format::name`] of the last document.
    pub format: Option<String>,
    pub hubs: Vec<String>,
    /// Its publisher asks not to be shown to people who do not follow it (N26).
    pub noindex: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeedState {
    Active,
    /// Stopped by a person; keeps its items and its place.
    Paused,
    /// The publisher said 410 twice, a day apart: never polled again unless a person asks (N17).
    Gone,
}

impl FeedState {
    pub const fn name(self) -> &'static str {
        match self {
            FeedState::Active => "active",
            FeedState::Paused => "paused",
            FeedState::Gone => "gone",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [FeedState::Active, FeedState::Paused, FeedState::Gone].into_iter().find(|s| s.name() == name)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Subscription {
    pub user: UserId,
    pub feed: FeedId,
    pub folder: Option<FolderId>,
    /// The person's own name for the feed.
    pub title: Option<String>,
    pub created_at: Timestamp,
    pub unread: u64,
    /// Show the whole page behind an item instead of what the feed says of it.
    pub full_text: bool,
    /// This person's own mark: found sooner than others.
    pub important: bool,
    /// Stopped by this person; it keeps its items and its place, and brings nothing unread.
    pub paused: bool,
    /// How much it counts in this person's Buzz, in hundredths; none leaves it to what they open.
    pub weight: Option<u8>,
}

impl Subscription {
    /// Twice as much as a feed of which nothing is known.
    pub const WEIGHT_MAX: u8 = 200;
}

/// A wish to follow a feed, from the command line, an OPML file or a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSubscription {
    pub url: String,
    pub title: Option<String>,
    pub site_url: Option<String>,
    /// Folder names from the outside in; empty for none.
    pub folder: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub id: FolderId,
    pub user: UserId,
    pub parent: Option<FolderId>,
    pub name: String,
}
