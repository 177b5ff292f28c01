//! Everything of one person as one JSON file, and back.
//!
//! The file is written while it is read from the store, an item at a time, so that its size costs no memory. It holds
//! no passwords. Reading it back adds and never removes: feeds, folders, rules, saved searches, settings, and marks on
//! the items that are here; items themselves come from their publishers.

mod read;
mod write;

pub(crate) use read::{IMPORT_BYTES_MAX, bring_back};
pub(crate) use write::export;

use domain::{Preferences, RuleAction};
use serde::{Deserialize, Serialize};

/// Names the shape of the file; a later shape gets another name.
const FORMAT: &str = "wellread-everything-1";

/// All but the items, which are streamed.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: String,
    #[serde(default)]
    exported_at: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    preferences: Preferences,
    #[serde(default)]
    feeds: Vec<Feed>,
    #[serde(default)]
    rules: Vec<Rule>,
    #[serde(default)]
    searches: Vec<Search>,
    /// What was learnt of the person, to be read; another server learns for itself.
    #[serde(default)]
    learned: Vec<crate::foryou::learned::Told>,
    /// For the person to have; friends are of one server, so nothing is shared anew where it is brought to.
    #[serde(default)]
    shared: Vec<Shared>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Feed {
    url: String,
    #[serde(default)]
    title: Option<String>,
    /// The person's own name for it.
    #[serde(default)]
    own_title: Option<String>,
    #[serde(default)]
    site_url: Option<String>,
    /// From the outside in.
    #[serde(default)]
    folder: Vec<String>,
    #[serde(default)]
    full_text: bool,
    #[serde(default)]
    important: bool,
    #[serde(default)]
    paused: bool,
    /// How much it counts in Buzz, in hundredths, where the person said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight: Option<u8>,
    /// Its password or secret stayed behind and has to be entered again.
    #[serde(default)]
    had_secret: bool,
}

/// A rule by names instead of numbers, which differ from server to server.
#[derive(Debug, Serialize, Deserialize)]
struct Rule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    feed: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folder: Vec<String>,
    conditions: Vec<domain::Condition>,
    action: RuleAction,
    enabled: bool,
}

/// A saved search.
#[derive(Debug, Serialize, Deserialize)]
struct Search {
    name: String,
    query: String,
}

/// What was shown to friends.
#[derive(Debug, Serialize, Deserialize)]
struct Shared {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    link: Option<String>,
    #[serde(default)]
    note: String,
    #[serde(default)]
    shared_at: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Item {
    feed: String,
    /// What the item is called within its feed, on every server.
    identity: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    link: Option<String>,
    #[serde(default)]
    author: Option<String>,
    #[serde(default)]
    published_at: Option<String>,
    #[serde(default)]
    starred: bool,
    #[serde(default)]
    read: bool,
    #[serde(default)]
    tags: Vec<String>,
    /// As it was kept here, sanitised.
    #[serde(default)]
    html: Option<String>,
}
