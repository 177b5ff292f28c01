//! What a feed document says, after parsing and before anything is stored.
//!
//! Text fields are plain text; `summary` and `content` are sanitised HTML with absolute links. `parse` makes these
//! values, `work` hands them to `store`.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A document and everything that was wrong with it. A bad feed is a value, not an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub document: Document,
    pub complaints: Vec<Complaint>,
}

/// Something a publisher could repair, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    pub what: String,
    /// Where in the document: a byte offset, an item's number, a field's name.
    #[serde(rename = "where")]
    pub place: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Format {
    #[serde(rename = "rss-0.90")]
    Rss090,
    #[serde(rename = "rss-0.91")]
    Rss091,
    #[serde(rename = "rss-0.92")]
    Rss092,
    /// 0.93 and 0.94 were drafts; they read like 0.92.
    #[serde(rename = "rss-0.9x")]
    Rss09x,
    #[serde(rename = "rss-1.0")]
    Rss10,
    #[serde(rename = "rss-2.0")]
    Rss20,
    #[serde(rename = "atom-0.3")]
    Atom03,
    #[serde(rename = "atom-1.0")]
    Atom10,
    #[serde(rename = "json-1.0")]
    Json10,
    #[serde(rename = "json-1.1")]
    Json11,
}

impl Format {
    pub const fn name(self) -> &'static str {
        match self {
            Format::Rss090 => "rss-0.90",
            Format::Rss091 => "rss-0.91",
            Format::Rss092 => "rss-0.92",
            Format::Rss09x => "rss-0.9x",
            Format::Rss10 => "rss-1.0",
            Format::Rss20 => "rss-2.0",
            Format::Atom03 => "atom-0.3",
            Format::Atom10 => "atom-1.0",
            Format::Json10 => "json-1.0",
            Format::Json11 => "json-1.1",
        }
    }
}

/// A stable 128-bit name of an item within its feed (D1): the same item gets the same one on every poll.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(pub u128);

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub format: Format,
    /// The encoding the bytes were really read with, lower case ("utf-8", "windows-1252").
    pub encoding: String,
    pub title: Option<String>,
    /// The web site this feed belongs to.
    pub link: Option<String>,
    /// The feed's own idea of its address.
    pub self_link: Option<String>,
    pub description: Option<String>,
    pub language: Option<String>,
    pub author: Option<String>,
    pub rights: Option<String>,
    pub icon: Option<String>,
    pub updated: Option<Timestamp>,
    pub ttl_minutes: Option<u32>,
    /// GMT hours 0–23 in which the publisher asks not to be polled.
    pub skip_hours: Vec<u8>,
    /// Days on which the publisher asks not to be polled, 0 = Monday.
    pub skip_days: Vec<u8>,
    /// `sy:updatePeriod` divided by `sy:updateFrequency`, in seconds.
    pub update_period_s: Option<u64>,
    pub hubs: Vec<String>,
    /// In document order, at most `items_max`: the newest when all carry dates, else the first.
    pub items: Vec<DocumentItem>,
    /// The document ended early (cut download, broken XML): what is missing must not be taken as deleted.
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DocumentItem {
    pub identity: Identity,
    /// Hash of canonical link and title where the item has both and no other item of the document shares them: an
    /// unknown identity with a known twin is the same item under a new guid.
    pub twin: Option<Identity>,
    pub guid: Option<String>,
    pub title: Option<String>,
    pub link: Option<String>,
    pub author: Option<String>,
    pub published: Option<Timestamp>,
    pub updated: Option<Timestamp>,
    pub summary: Option<String>,
    pub content: Option<String>,
    pub language: Option<String>,
    pub tags: Vec<String>,
    pub enclosures: Vec<Enclosure>,
    /// Hash of everything a reader sees (title, link, author, bodies, tags, enclosures; no dates): a change is an
    /// edit.
    pub content_hash: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enclosure {
    pub url: String,
    #[serde(rename = "type")]
    pub media_type: Option<String>,
    pub bytes: Option<u64>,
    pub seconds: Option<u64>,
}
