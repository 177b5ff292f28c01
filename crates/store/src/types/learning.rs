//! What followers of items, profiles, stories and saved searches take and give.

use super::ItemTerms;
use domain::{FeedId, ItemContent, ItemId, SearchId, Timestamp, UserId};

/// An item whole, for whoever indexes it or learns from it.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeItem {
    pub content: ItemContent,
    /// What the feed says of its language.
    pub feed_language: Option<String>,
}

/// The next items in the order of their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemPage {
    pub items: Vec<WholeItem>,
    /// Nothing at or below this will ever come that was not told: ask for what is after it.
    pub to: ItemId,
    /// Ask again at once.
    pub more: bool,
}

/// Some of the items that were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeItems {
    pub items: Vec<WholeItem>,
    /// So many of the numbers were looked at; ask again for the rest.
    pub asked: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemChangeKind {
    Edited,
    Removed,
    /// A feed went with all its items.
    FeedRemoved,
}

/// What happened to an item that followers have met already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemChange {
    pub id: i64,
    /// 0 for a whole feed.
    pub item: ItemId,
    pub feed: FeedId,
    pub kind: ItemChangeKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChanges {
    pub changes: Vec<ItemChange>,
    /// Ask for what is after it.
    pub to: i64,
    pub more: bool,
    /// What followed the mark is no longer kept: start from the beginning.
    pub missed: bool,
}

/// The profile of a feed, as `learn` wrote it; the store knows none of the bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedProfileRow {
    pub feed: FeedId,
    /// The newest item taken in.
    pub learned_to: ItemId,
    /// The latest sort date of all that was taken in.
    pub newest_at: Timestamp,
    pub state: Vec<u8>,
    /// Summary of the latest items ("now").
    pub latest: Vec<u8>,
    /// Summary of many items ("in general").
    pub general: Vec<u8>,
    /// How much of the profile new items replace, 0 to 1.
    pub change: Option<f64>,
    /// 004 eq. 3.
    pub cohesion: Option<f64>,
    /// What a post is worth, the factor of its rate.
    pub worth: f64,
    pub language: Option<String>,
}

/// An item that tells a story which another feed tells too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoryItem {
    pub item: ItemId,
    pub story: ItemId,
    pub why: StoryTie,
}

/// By what two items were known to be one story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoryTie {
    Link,
    Text,
    Title,
}

impl StoryTie {
    pub const fn name(self) -> &'static str {
        match self {
            StoryTie::Link => "link",
            StoryTie::Text => "text",
            StoryTie::Title => "title",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [StoryTie::Link, StoryTie::Text, StoryTie::Title].into_iter().find(|tie| tie.name() == name)
    }
}

/// What one step of learning changes; stored whole or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// Where the step began. If the store stands elsewhere by now, nothing is written.
    pub from: ItemId,
    pub to: ItemId,
    pub profiles: Vec<FeedProfileRow>,
    pub stories: Vec<StoryItem>,
    /// Of the items of this step.
    pub terms: Vec<ItemTerms>,
    /// Bytes of a model that has learned up to `to`, by its name.
    pub model: Option<(String, Vec<u8>)>,
}

/// What is known of everything together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub learned_to: ItemId,
    pub state: Vec<u8>,
}

/// A feed as it is found and offered.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    pub feed: FeedId,
    /// Of its profile; grows over all feeds.
    pub revision: i64,
    pub url: String,
    pub title: Option<String>,
    pub site_url: Option<String>,
    pub description: Option<String>,
    /// As learned, else as the feed says.
    pub language: Option<String>,
    /// Changes with the icon.
    pub icon: Option<u64>,
    pub private_to: Option<UserId>,
    pub posts_per_day: Option<f64>,
    /// None under 5: few readers are people somebody may know.
    pub subscribers: Option<u32>,
    /// Items kept.
    pub items: u64,
    /// `learn::Summary` as bytes; empty before anything was learned.
    pub latest: Vec<u8>,
    pub general: Vec<u8>,
    pub change: Option<f64>,
    pub cohesion: Option<f64>,
    /// It is polled and answers; what is gone is offered to nobody.
    pub is_there: bool,
}

/// The other items of an item's story, as far as one person has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryOf {
    pub item: ItemId,
    pub story: ItemId,
    /// Oldest first; never empty.
    pub others: Vec<StoryOther>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoryOther {
    pub item: ItemId,
    pub feed: FeedId,
    pub why: StoryTie,
    pub is_read: bool,
}

/// How many stories two feeds have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoryTies {
    pub other: FeedId,
    pub shared: u32,
    /// Items of the feed asked about and of the other, over the same days.
    pub items: u32,
    pub other_items: u32,
}

/// What of a person's feeds is unread: what is sorted after a feed's watermark, but for the marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnreadMarks {
    pub watermarks: Vec<(FeedId, Timestamp)>,
    /// Items marked against the watermark or like it, and whether they are read; at most 200,000, the newest.
    pub marks: Vec<(ItemId, bool)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    pub id: SearchId,
    pub name: String,
    pub query: String,
    pub created_at: Timestamp,
    /// The newest item of all when the person last looked.
    pub seen_to: ItemId,
}

/// Whose a feed is, for what is counted over all feeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedCard {
    pub feed: FeedId,
    pub url: String,
    pub site_url: Option<String>,
    /// Somebody's own, or not to be shown around.
    pub is_private: bool,
    /// At least five follow it.
    pub has_many_readers: bool,
}

/// How much of a feed somebody opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedShare {
    pub feed: FeedId,
    pub items: u32,
    pub opened: u32,
}

/// Somebody follows a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tie {
    pub user: UserId,
    pub feed: FeedId,
}
