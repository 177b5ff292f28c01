//! What `parse` promises, as sentences. Every document is written here or generated here.

#![allow(clippy::unwrap_used, reason = "tests")]

mod contract;
mod differential;
mod formats;
mod identity;
mod refusals;
mod threats;
mod tolerance;
mod totality;

use domain::{Document, DocumentItem, Limits, Parsed};
use parse::{Input, NotAFeed};
use url::Url;

/// The address documents of these tests come from.
const BASE: &str = "https://feed.test/blog/feed.xml";

fn try_read(bytes: &[u8]) -> Result<Parsed, NotAFeed> {
    let base = Url::parse(BASE).unwrap();
    parse::parse(&Input { bytes, content_type: None, base: Some(&base), complete: true }, &Limits::default())
}

fn read(text: &str) -> Parsed {
    try_read(text.as_bytes())
        .unwrap_or_else(|why| panic!("{why}\n{}", text.chars().take(400).collect::<String>()))
}

fn document(text: &str) -> Document {
    read(text).document
}

/// An RSS 2.0 document around the given items.
fn rss(items: &str) -> String {
    format!(
        r#"<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
        <title>Feed</title><link>https://feed.test/</link><description>About</description>{items}</channel></rss>"#
    )
}

/// An Atom 1.0 document around the given entries.
fn atom(entries: &str) -> String {
    format!(
        r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title><id>urn:x</id>
        <updated>2024-01-02T03:04:05Z</updated>{entries}</feed>"#
    )
}

/// The only item of an RSS document whose item holds `fields`.
fn item(fields: &str) -> DocumentItem {
    only(document(&rss(&format!("<item>{fields}</item>"))))
}

/// The only entry of an Atom document whose entry holds `fields`.
fn entry(fields: &str) -> DocumentItem {
    only(document(&atom(&format!("<entry>{fields}</entry>"))))
}

fn only(document: Document) -> DocumentItem {
    assert_eq!(document.items.len(), 1, "{:?}", document.items);
    document.items.into_iter().next().unwrap()
}

fn titles(document: &Document) -> Vec<&str> {
    document.items.iter().map(|item| item.title.as_deref().unwrap_or("")).collect()
}

fn complains(parsed: &Parsed, part: &str) -> bool {
    parsed.complaints.iter().any(|complaint| complaint.what.contains(part))
}
