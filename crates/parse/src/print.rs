//! A parsed document as the JSON object `wellread parse` prints: a contract, key by key and in this order.
//!
//! Text is plain, HTML is sanitised, times are Unix seconds, what is unknown is `null`. New keys may only be added at
//! the end of an object.

use domain::{Complaint, DocumentItem, Enclosure, Format, Parsed, Timestamp};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Printed<'a> {
    format: Format,
    encoding: &'a str,
    title: Option<&'a str>,
    link: Option<&'a str>,
    #[serde(rename = "self")]
    self_link: Option<&'a str>,
    description: Option<&'a str>,
    language: Option<&'a str>,
    author: Option<&'a str>,
    rights: Option<&'a str>,
    icon: Option<&'a str>,
    updated: Option<i64>,
    ttl_minutes: Option<u32>,
    hubs: &'a [String],
    items: Vec<PrintedItem<'a>>,
    complaints: &'a [Complaint],
    skip_hours: &'a [u8],
    skip_days: &'a [u8],
    update_period_s: Option<u64>,
    truncated: bool,
}

#[derive(Serialize)]
struct PrintedItem<'a> {
    id: String,
    guid: Option<&'a str>,
    title: Option<&'a str>,
    link: Option<&'a str>,
    author: Option<&'a str>,
    published: Option<i64>,
    updated: Option<i64>,
    summary: Option<&'a str>,
    content: Option<&'a str>,
    language: Option<&'a str>,
    tags: &'a [String],
    enclosures: &'a [Enclosure],
}

impl<'a> Printed<'a> {
    pub(crate) fn new(parsed: &'a Parsed) -> Self {
        let document = &parsed.document;
        Printed {
            format: document.format,
            encoding: &document.encoding,
            title: document.title.as_deref(),
            link: document.link.as_deref(),
            self_link: document.self_link.as_deref(),
            description: document.description.as_deref(),
            language: document.language.as_deref(),
            author: document.author.as_deref(),
            rights: document.rights.as_deref(),
            icon: document.icon.as_deref(),
            updated: document.updated.map(Timestamp::seconds),
            ttl_minutes: document.ttl_minutes,
            hubs: &document.hubs,
            items: document.items.iter().map(PrintedItem::new).collect(),
            complaints: &parsed.complaints,
            skip_hours: &document.skip_hours,
            skip_days: &document.skip_days,
            update_period_s: document.update_period_s,
            truncated: document.truncated,
        }
    }
}

impl<'a> PrintedItem<'a> {
    fn new(item: &'a DocumentItem) -> Self {
        PrintedItem {
            id: item.identity.to_string(),
            guid: item.guid.as_deref(),
            title: item.title.as_deref(),
            link: item.link.as_deref(),
            author: item.author.as_deref(),
            published: item.published.map(Timestamp::seconds),
            updated: item.updated.map(Timestamp::seconds),
            summary: item.summary.as_deref(),
            content: item.content.as_deref(),
            language: item.language.as_deref(),
            tags: &item.tags,
            enclosures: &item.enclosures,
        }
    }
}
