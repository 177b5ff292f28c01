//! Items as they are kept: a narrow row for lists, a body apart.

use crate::document::{Enclosure, Identity};
use crate::id::{FeedId, ItemId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The part of an item that lists need.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub id: ItemId,
    pub feed: FeedId,
    pub identity: Identity,
    pub title: Option<String>,
    pub link: Option<String>,
    pub author: Option<String>,
    /// As the publisher wrote it, however odd; for show.
    pub published_at: Option<Timestamp>,
    pub first_seen_at: Timestamp,
    /// min(published, first seen + 1 h), or first seen; set once, never changed (D5, D6).
    pub sort_at: Timestamp,
    /// How often the publisher has changed it since (D3).
    pub revision: u32,
    pub preview: Preview,
}

/// What a list shows of an item's body; made once, when the item is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// The beginning of the text, one line, at most [`Preview::EXCERPT_CHARS_MAX`] characters.
    pub excerpt: Option<String>,
    /// The address of the first picture.
    pub picture: Option<String>,
    /// Words of the whole text, for the reading time.
    pub words: u32,
    /// Has something to listen to or to watch.
    pub playable: bool,
}

impl Preview {
    pub const EXCERPT_CHARS_MAX: usize = 200;
}

/// The part of an item that only an open item needs; stored compressed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemBody {
    pub summary: Option<String>,
    pub content: Option<String>,
    pub language: Option<String>,
    pub tags: Vec<String>,
    pub enclosures: Vec<Enclosure>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ItemContent {
    pub item: Item,
    pub body: ItemBody,
}
