//! What ranking for one person takes and gives.

use domain::{FeedId, ItemId, Timestamp};

/// Which unread items are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Not sorted before.
    pub since: Timestamp,
    /// Not stored after.
    pub up_to: ItemId,
    /// What the person opened since then is as good as unread: a list that was made then has it.
    pub opened_since: Timestamp,
    /// At most 20,000, the newest.
    pub limit: u32,
}

/// What ranking needs of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traits {
    pub item: ItemId,
    pub feed: FeedId,
    pub sort_at: Timestamp,
    pub story: Option<ItemId>,
    /// Its heaviest terms as `rank` packs them; empty when it was not learnt yet.
    pub terms: Vec<u8>,
    /// The same as they were written, one a line; only where single items were asked for.
    pub surfaces: String,
    /// Other feeds of the person that tell the story; only where single items were asked for.
    pub copies: u32,
}

/// The heaviest terms of an item, to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemTerms {
    pub item: ItemId,
    pub terms: Vec<u8>,
    /// One a line, in the same order.
    pub surfaces: String,
}

/// What was learnt of a person; the store knows none of the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TasteRow {
    /// 0 when there was none.
    pub revision: i64,
    pub state: Vec<u8>,
    /// Their words as they were written: a JSON object by the numbers of terms.
    pub surfaces: String,
    /// The newest record of what they did that is in it.
    pub learned_to: i64,
    /// The run of topics it speaks of.
    pub topics_run: u32,
    /// They were asked what they like, and answered or would not.
    pub asked: bool,
}
