//! What of an item is searched, with its bounds.

use domain::{FeedId, ItemId, Timestamp};

/// Of a title this much is searched; a megabyte of it is somebody's mistake.
pub const TITLE_BYTES_MAX: usize = 4 << 10;
/// Of a text this much is searched.
pub const TEXT_BYTES_MAX: usize = 256 << 10;
/// Of a text this much is kept beside the index, for snippets.
pub const EXCERPT_BYTES_MAX: usize = 2 << 10;
pub const TAGS_MAX: usize = 50;
pub const TAG_BYTES_MAX: usize = 200;
const AUTHOR_BYTES_MAX: usize = 400;
const LINK_BYTES_MAX: usize = 2_048;

/// An item as it is searched: plain text, never HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemText {
    pub id: ItemId,
    pub feed: FeedId,
    /// What lists sort by (`domain::Item::sort_at`).
    pub time: Timestamp,
    pub title: String,
    pub text: String,
    pub author: String,
    pub link: String,
    /// Given by the feed; what people tagged is the store's to know.
    pub tags: Vec<String>,
    /// A language tag, said by the feed or detected.
    pub language: Option<String>,
}

impl ItemText {
    pub(crate) fn searched_title(&self) -> &str {
        cut(&self.title, TITLE_BYTES_MAX)
    }

    pub(crate) fn searched_text(&self) -> &str {
        cut(&self.text, TEXT_BYTES_MAX)
    }

    pub(crate) fn searched_author(&self) -> &str {
        cut(&self.author, AUTHOR_BYTES_MAX)
    }

    pub(crate) fn kept_link(&self) -> &str {
        if self.link.len() > LINK_BYTES_MAX { "" } else { &self.link }
    }

    pub(crate) fn tag_keys(&self) -> impl Iterator<Item = String> {
        let keys =
            self.tags.iter().take(TAGS_MAX).map(|tag| crate::tokens::tag_key(cut(tag, 4 * TAG_BYTES_MAX)));
        keys.filter(|key| !key.is_empty())
    }
}

fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
