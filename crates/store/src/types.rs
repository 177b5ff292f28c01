//! What the store takes and gives, beyond the nouns of `domain`.
//!
//! Everything here is a plain value. The methods of [`crate::Store`] that use them live in the file named after
//! what they do.

use crate::pack::PackedItem;
use domain::interaction::InteractionKind;
use domain::{
    Attention, DocumentItem, Feed, FeedFacts, FeedId, FeedState, FolderId, Found, Item, ItemBody, ItemId,
    Lease, NewSubscription, PollRecord, Preview, RuleId, Schedule, Timestamp,
};
use std::time::Duration;

mod feeds;
mod foryou;
mod learning;
mod people;
mod planning;

pub use feeds::*;
pub use foryou::*;
pub use learning::*;
pub use people::*;
pub use planning::*;

/// A wish to follow a feed, with what the caller knows about its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    pub subscription: NewSubscription,
    /// The registrable domain the feed is fetched from; spacing and blocks count per provider (N21).
    pub provider: String,
    /// The feed has credentials or a secret address and belongs to this person alone.
    pub private: bool,
    /// Credentials sealed by [`crate::SecretKey::seal`]; the store cannot read them.
    pub sealed: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscribed {
    pub feed: FeedId,
    pub is_new_feed: bool,
    pub was_subscribed: bool,
}

/// A feed this node may poll until `lease.until`.
#[derive(Debug, Clone, PartialEq)]
pub struct LeasedFeed {
    pub lease: Lease,
    pub feed: Feed,
    /// As committed last. `last_poll_at` also counts an attempt that ended in a crash.
    pub schedule: Schedule,
    pub subscribers: u32,
    /// How it is read, as far as learned.
    pub attention: Option<Attention>,
    pub sealed: Option<Vec<u8>>,
    pub provider: String,
}

/// When and why a feed is polled next, for the pages and `poll` on the command line.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedSchedule {
    pub schedule: Schedule,
    pub provider: String,
    pub subscribers: u32,
    /// A node holds the feed until then.
    pub leased_until: Option<Timestamp>,
}

/// What is known of a provider: all feeds of one registrable domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderState {
    pub name: String,
    /// No request before this time (spacing).
    pub free_at: Timestamp,
    /// A poll is under way until at most this time.
    pub busy_until: Timestamp,
    /// The provider asked all of its feeds to wait (N13).
    pub blocked_until: Timestamp,
    pub requests: u64,
}

/// Requests to one provider since a time, for the admin page and the angry publisher (N29).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCount {
    pub provider: String,
    pub feeds: u64,
    pub polls: u64,
    pub failures: u64,
}

/// What the store already knows of an item found in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognised {
    New,
    Known {
        item: ItemId,
        /// The content hash differs: an edit (D3).
        changed: bool,
        revision: u32,
        revised_at: Option<Timestamp>,
    },
    /// An unknown identity whose link and title belong to a known item: the same item under a new guid (D1).
    Twin {
        item: ItemId,
        changed: bool,
    },
    /// Removed by retention; it does not come back.
    Tombstone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    New {
        /// min(published, first seen + 1 h), or first seen (D5, D6): the caller decides once, for ever.
        sort_at: Timestamp,
        /// False for old items of a first poll and for replayed archives (D4).
        unread: bool,
    },
    /// The publisher edited it: new text, next revision, read state kept.
    Changed(ItemId),
    /// A twin: the known item is now also known under this identity.
    Renamed(ItemId),
    /// A twin whose text changed as well.
    RenamedAndChanged(ItemId),
}

/// One item to store with a poll. Making one compresses the body, so make it on the CPU pool.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemWrite {
    pub kind: ItemKind,
    pub(crate) packed: PackedItem,
}

impl ItemWrite {
    /// The preview is what lists show of the body.
    pub fn new(item: &DocumentItem, kind: ItemKind, preview: Preview) -> Self {
        ItemWrite { kind, packed: PackedItem::new(item, preview) }
    }
}

/// Everything one poll changes; it is stored in one transaction or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct PollCommit {
    pub lease: Lease,
    pub record: PollRecord,
    /// `next_poll_at` and `reason` inside it decide the next poll.
    pub schedule: Schedule,
    /// How late its new items were found.
    pub found: Found,
    /// The least time between two requests to this feed as known now. Only used when a later lease ends without a
    /// commit: the request may have gone out, so the feed then waits this long (promise 3).
    pub floor: Duration,
    pub facts: Option<FeedFacts>,
    pub items: Vec<ItemWrite>,
    /// What people's rules make of those of the items that turn out to be new.
    pub effects: Vec<RuleEffect>,
    /// No request to the feed's provider before this time.
    pub provider_free_at: Timestamp,
    /// The provider asked for a pause of all its feeds (N13).
    pub provider_blocked_until: Option<Timestamp>,
    /// A permanent redirect that has proven itself: new address and its provider (N18).
    pub adopt_url: Option<(String, String)>,
    pub state: FeedState,
    /// Wake the other nodes, because something became due.
    pub wake: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Committed {
    /// False when a later lease exists: nothing was written.
    pub accepted: bool,
    pub new_items: Vec<ItemId>,
    pub changed: u32,
    /// The adopted address already was another feed: this feed's subscribers now follow that one.
    pub merged_into: Option<FeedId>,
}

/// A place in a list: the last row of the page before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub sort_at: Timestamp,
    pub id: ItemId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    All,
    Feed(FeedId),
    /// A folder with the folders inside it.
    Folder(FolderId),
    Starred,
    Tag(String),
    /// What the person or a rule has hidden. Of the other scopes only `Starred` and `Tag` show hidden items.
    Hidden,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    NewestFirst,
    OldestFirst,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    pub scope: Scope,
    pub unread_only: bool,
    pub order: Order,
    /// Clamped to 1–1,000.
    pub limit: u32,
    /// The last row of the page before; rows strictly after it in the list's order follow.
    pub after: Option<Cursor>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ListRow {
    pub item: Item,
    pub is_read: bool,
    pub is_starred: bool,
    pub hidden: Option<HiddenBy>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenBy {
    /// "Less like this" was said.
    Person,
    /// The rule may have been removed since.
    Rule(RuleId),
}

/// One item opened by one person.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenItem {
    pub row: ListRow,
    pub body: ItemBody,
    /// The person's own tags, sorted.
    pub tags: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Only feeds with something unread.
    pub by_feed: Vec<(FeedId, u64)>,
    pub total: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    Read,
    Unread,
    Star,
    Unstar,
    Tag(String),
    Untag(String),
    /// Out of every list but `Hidden`, and read. A hidden item cannot be marked unread.
    Hide,
    /// Back into the lists, and unread if it was so before.
    Unhide,
}

impl Mark {
    /// The mark that takes this one back on the items it changed.
    pub fn inverse(&self) -> Mark {
        match self {
            Mark::Read => Mark::Unread,
            Mark::Unread => Mark::Read,
            Mark::Star => Mark::Unstar,
            Mark::Unstar => Mark::Star,
            Mark::Tag(tag) => Mark::Untag(tag.clone()),
            Mark::Untag(tag) => Mark::Tag(tag.clone()),
            Mark::Hide => Mark::Unhide,
            Mark::Unhide => Mark::Hide,
        }
    }

    /// What learning is told of it. Reading is told by opening, never by marking (O11).
    pub fn told(&self) -> Option<InteractionKind> {
        match self {
            Mark::Star => Some(InteractionKind::Star),
            Mark::Unstar => Some(InteractionKind::Unstar),
            Mark::Hide => Some(InteractionKind::Hide),
            Mark::Unhide => Some(InteractionKind::Unhide),
            Mark::Tag(_) => Some(InteractionKind::Tag),
            Mark::Untag(_) => Some(InteractionKind::Untag),
            Mark::Read | Mark::Unread => None,
        }
    }
}

/// How far "mark all read" reaches: what the person had on screen, and nothing that came since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpTo {
    /// Items sorted later stay as they are.
    pub sort_at: Timestamp,
    /// Items stored later stay as they are ([`crate::Store::newest_item`] when the page was made).
    pub item: ItemId,
}

impl UpTo {
    pub const EVERYTHING: UpTo = UpTo { sort_at: Timestamp::FAR_FUTURE, item: ItemId(i64::MAX) };
}

/// Takes back one "mark all read" or marking of a group (while it is the newest of its person), one leaving of a feed,
/// one removal of a folder or a saved search, one renaming or removal of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UndoToken(pub i64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedAll {
    pub changed: u64,
    /// Absent when nothing changed.
    pub undo: Option<UndoToken>,
}

/// A tag that was renamed or removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retagged {
    /// How many items carried it.
    pub items: u64,
    /// Absent when none did.
    pub undo: Option<UndoToken>,
}

/// What is kept. Starred, tagged and unread items are always kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Items first seen longer ago may go.
    pub age: Option<Duration>,
    /// Items beyond the newest so many of a feed may go.
    pub count_per_feed: Option<u32>,
    pub batch: RetentionBatch,
}

/// How much one call may do, so that it never holds the writer long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionBatch {
    pub feeds_max: u32,
    pub items_max: u32,
}

impl Default for RetentionBatch {
    fn default() -> Self {
        RetentionBatch { feeds_max: 50, items_max: 1_000 }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    pub items: u64,
    /// Call again: there is more to remove or to look at.
    pub more: bool,
}

/// One feed's own retention, which wins over the server's where set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedRetention {
    pub age: Option<Duration>,
    pub count: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedDisk {
    pub feed: FeedId,
    pub url: String,
    pub items: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveSummary {
    /// Rows per table, in the archive's order.
    pub tables: Vec<(String, u64)>,
    pub rows: u64,
    /// Of everything before the last line, uncompressed; lower-case hex.
    pub sha256: String,
}
