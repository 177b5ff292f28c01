//! Channels, that is feeds, as they are searched: by name, description and what they publish.
//!
//! They live in an index of their own, in a folder of their own, with the same schema and the same calls. Apart,
//! because a channel's profile changes with every item, which would wear down the large index for nothing; because
//! how rare a word is among items says little about how rare it is among channels; and because either can be built
//! again without the other.

use crate::item::ItemText;
use domain::{FeedId, ItemId, Timestamp};

/// Terms of a profile that are searched.
const TERMS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelText {
    pub feed: FeedId,
    pub title: String,
    pub description: String,
    /// What the channel is about, most telling first (`learn`).
    pub terms: Vec<String>,
    pub link: String,
    pub language: Option<String>,
    /// When the profile was made; newer counts a little more.
    pub time: Timestamp,
}

impl From<ChannelText> for ItemText {
    /// A channel goes by its feed's id; its terms come first, because they are what a row shows.
    fn from(channel: ChannelText) -> ItemText {
        let terms = channel.terms.len().min(TERMS_MAX);
        let mut text = channel.terms[..terms].join(", ");
        if !text.is_empty() && !channel.description.is_empty() {
            text.push_str(". ");
        }
        text.push_str(&channel.description);
        ItemText {
            id: ItemId(channel.feed.0),
            feed: channel.feed,
            time: channel.time,
            title: channel.title,
            text,
            author: String::new(),
            link: channel.link,
            tags: Vec::new(),
            language: channel.language,
        }
    }
}
