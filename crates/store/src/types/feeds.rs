//! What the store tells of feeds beyond their facts: health, icons, worth, and the operator's view.

use domain::{
    Feed, FeedId, FolderId, ItemId, PollOutcome, RuleAction, RuleId, Subscription, Timestamp, UserId,
    Validators,
};

/// One person's subscription with the feed it is tied to.
#[derive(Debug, Clone, PartialEq)]
pub struct SubscribedFeed {
    pub subscription: Subscription,
    pub feed: Feed,
    /// Changes with the icon; None when there is none.
    pub icon: Option<u64>,
    pub health: FeedHealth,
}

/// How a feed has been doing, as of its last poll.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FeedHealth {
    /// Failures in a row.
    pub failures: u32,
    pub failing_since: Option<Timestamp>,
    pub last_success_at: Option<Timestamp>,
    pub next_poll_at: Timestamp,
    /// What went wrong last, for people.
    pub last_error: Option<String>,
    pub last_outcome: Option<PollOutcome>,
    /// None until something is known.
    pub posts_per_day: Option<f64>,
}

/// What to change of a subscription; None leaves a thing as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubscriptionEdit {
    /// `Some(None)` goes back to the feed's own title.
    pub title: Option<Option<String>>,
    /// `Some(None)` takes it out of its folder.
    pub folder: Option<Option<FolderId>>,
    pub full_text: Option<bool>,
    pub important: Option<bool>,
    pub paused: Option<bool>,
    /// `Some(None)` leaves it to what the person opens.
    pub weight: Option<Option<u8>>,
}

/// What one person's rule does to one item of a poll; applied when the item turns out to be new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleEffect {
    pub user: UserId,
    /// Index into [`crate::PollCommit::items`].
    pub item: usize,
    pub rule: RuleId,
    pub action: RuleAction,
}

/// The page behind an item, as it was fetched for reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullText {
    pub fetched_at: Timestamp,
    pub html: Option<String>,
    /// Why there is no text, for people.
    pub sentence: Option<String>,
    pub title: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// The media type.
    pub kind: String,
    pub bytes: Vec<u8>,
    /// Changes with the bytes; for the address under which browsers keep it.
    pub version: u64,
}

/// A feed whose icon may be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IconDue {
    pub feed: FeedId,
    pub url: String,
    pub icon_url: Option<String>,
    pub site_url: Option<String>,
    pub validators: Validators,
}

/// What asking for an icon came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IconFound {
    pub icon: Option<Icon>,
    pub validators: Validators,
    /// 304, or no answer: what is there stays, only the time of asking moves.
    pub unchanged: bool,
}

/// What came in a scope since a page was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewSince {
    /// At most 1,000.
    pub count: u64,
    /// The newest of them, or what was asked about when there are none.
    pub newest: ItemId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagCount {
    pub tag: String,
    pub items: u64,
}

/// What one feed has been to one person since a time.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedWorth {
    pub feed: FeedId,
    pub items: u64,
    pub opened: u64,
    pub starred: u64,
    pub hidden: u64,
    pub last_item_at: Option<Timestamp>,
    /// Another feed of the person that has at least 80 % of this one's newest items, and the share it has.
    pub duplicate_of: Option<(FeedId, f64)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerOverview {
    pub users: u64,
    /// Feeds that somebody follows.
    pub feeds: u64,
    pub items: u64,
    /// Packed bodies; the database itself is larger.
    pub bytes: u64,
    /// Within the last 24 hours.
    pub polls_today: u64,
    pub new_today: u64,
    /// Followed feeds whose last poll failed.
    pub failing: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FailingFeed {
    pub feed: Feed,
    pub subscribers: u32,
    pub failures: u32,
    pub failing_since: Option<Timestamp>,
    pub sentence: Option<String>,
    pub next_poll_at: Timestamp,
}
