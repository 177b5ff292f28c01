//! JSON Feed 1.0 and 1.1 (jsonfeed.org), read leniently: one bad item costs that item only.
//!
//! serde_json bounds the nesting itself (128 levels), so nothing here recurses on outside data.

use crate::complaint::Complaints;
use crate::date;
use crate::media;
use crate::raw::{Items, Kind, RawDocument, RawEnclosure, RawItem, RawLink, RawText};
use domain::{Format, Limits, Timestamp};
use serde_json::{Map, Value};

mod rss;

/// Reads a JSON document; `None` when it is JSON but no feed.
pub(crate) fn read(value: &Value, limits: &Limits, complaints: &mut Complaints) -> Option<RawDocument> {
    let feed = value.as_object()?;
    if let Some(channel) = feed.get("rss").and_then(|rss| rss.get("channel")).and_then(Value::as_object) {
        return Some(rss::read(channel, limits, complaints));
    }
    let items = feed.get("items").and_then(Value::as_array);
    let version = string(feed, "version").unwrap_or_default();
    let says_so = version.contains("jsonfeed.org");
    if !says_so && !items.is_some_and(|items| items.iter().any(is_item)) {
        return None;
    }
    let mut document = RawDocument {
        format: Some(if version.ends_with("1.1") { Format::Json11 } else { Format::Json10 }),
        language: string(feed, "language"),
        self_link: link(feed, "feed_url"),
        items: Items::new(limits),
        ..RawDocument::default()
    };
    offer_text(&mut document.title, feed, "title");
    offer_text(&mut document.description, feed, "description");
    for (rank, name) in [(2, "favicon"), (1, "icon")] {
        if let Some(found) = link(feed, name) {
            document.icon.offer(rank, found);
        }
    }
    if let Some(found) = link(feed, "home_page_url") {
        document.link.offer(3, found);
    }
    authors(feed).into_iter().for_each(|name| document.authors.add(1, name));
    for hub in feed.get("hubs").and_then(Value::as_array).into_iter().flatten().take(8) {
        document.hubs.extend(hub.as_object().and_then(|hub| link(hub, "url")));
    }
    for (index, entry) in items.into_iter().flatten().enumerate() {
        let number = index + 1;
        match entry.as_object() {
            Some(entry) => document.items.push(item(entry, number, limits, complaints)),
            None => complaints.add("The item is not an object and was left out.", format!("item {number}")),
        }
    }
    Some(document)
}

/// Without the version's address, items tell a feed from any other JSON with a list in it.
fn is_item(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("content_html") || has("content_text") || (has("title") || has("id")) && has("url")
}

fn item(entry: &Map<String, Value>, number: usize, limits: &Limits, complaints: &mut Complaints) -> RawItem {
    let mut item = RawItem {
        number,
        guid: name(entry.get("id")),
        language: string(entry, "language"),
        ..RawItem::default()
    };
    let guid_is_link =
        item.guid.as_deref().is_some_and(|id| id.starts_with("http://") || id.starts_with("https://"));
    item.permalink = item.guid.clone().filter(|_| guid_is_link).map(|href| RawLink { href, base: None });
    offer_text(&mut item.title, entry, "title");
    for (rank, name) in [(3, "url"), (1, "external_url")] {
        if let Some(found) = link(entry, name) {
            item.link.offer(rank, found);
        }
    }
    for (rank, name, kind) in [(2, "content_html", Kind::Html), (1, "content_text", Kind::Text)] {
        if let Some(text) = string(entry, name) {
            item.content.offer(rank, RawText { text, kind, base: None });
        }
    }
    offer_text(&mut item.summary, entry, "summary");
    authors(entry).into_iter().for_each(|name| item.authors.add(1, name));
    if let Some(time) = time(entry, "date_published", number, complaints) {
        item.published.offer(1, time);
    }
    if let Some(time) = time(entry, "date_modified", number, complaints) {
        item.updated.offer(1, time);
    }
    let tags = entry.get("tags").and_then(Value::as_array);
    let tags = tags.into_iter().flatten().filter_map(Value::as_str);
    item.tags = tags
        .take(limits.tags_max)
        .map(|t| RawText { text: t.into(), kind: Kind::Text, base: None })
        .collect();
    let attachments = entry.get("attachments").and_then(Value::as_array);
    let attachments = attachments.into_iter().flatten().filter_map(Value::as_object);
    item.enclosures = attachments.filter_map(attachment).take(limits.enclosures_max).collect();
    item
}

fn attachment(attachment: &Map<String, Value>) -> Option<RawEnclosure> {
    let found = link(attachment, "url")?;
    let number = |name: &str| {
        attachment.get(name).and_then(|n| n.as_u64().or_else(|| n.as_f64().map(|n| n.max(0.0) as u64)))
    };
    Some(RawEnclosure {
        href: found.href,
        base: None,
        media_type: string(attachment, "mime_type").as_deref().and_then(media::media_type),
        bytes: number("size_in_bytes").filter(|bytes| *bytes > 0),
        seconds: number("duration_in_seconds").filter(|seconds| (1..=604_800).contains(seconds)),
    })
}

fn time(
    entry: &Map<String, Value>,
    field: &str,
    number: usize,
    complaints: &mut Complaints,
) -> Option<Timestamp> {
    let text = name(entry.get(field))?;
    let time = date::parse(&text);
    if time.is_none() {
        let shown: String = text.chars().take(60).collect();
        complaints.add(format!("The date {shown:?} cannot be read."), format!("item {number}, {field}"));
    }
    time
}

/// Version 1.1 has `authors`, 1.0 `author`; some write a bare name.
fn authors(object: &Map<String, Value>) -> Vec<String> {
    let many = object.get("authors").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let one = object.get("author").into_iter();
    let name_of = |author: &Value| match author {
        Value::Object(author) => string(author, "name"),
        other => name(Some(other)),
    };
    many.iter().chain(one).take(16).filter_map(name_of).collect()
}

/// Ids are strings by the standard and numbers in practice.
fn name(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn string(object: &Map<String, Value>, field: &str) -> Option<String> {
    let text = object.get(field)?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

fn link(object: &Map<String, Value>, field: &str) -> Option<RawLink> {
    string(object, field).map(|href| RawLink { href, base: None })
}

fn offer_text(slot: &mut crate::raw::Ranked<RawText>, object: &Map<String, Value>, field: &str) {
    if let Some(text) = string(object, field) {
        slot.offer(1, RawText { text, kind: Kind::Text, base: None });
    }
}

/// Parses JSON; a document that was cut is closed at its last whole item. True when that was needed.
pub(crate) fn value(text: &str) -> Result<(Value, bool), String> {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || c == '\0');
    if is_too_much(text) {
        return Err("it holds too many values".into());
    }
    match serde_json::from_str(text) {
        Ok(value) => Ok((value, false)),
        Err(error) if error.is_eof() => {
            closed(text).map(|value| (value, true)).ok_or_else(|| "it ends early".into())
        }
        Err(error) if error.to_string().contains("recursion limit") => Err("it is nested too deeply".into()),
        // Something follows the document, or the document is broken: the first whole value decides.
        Err(_) => match serde_json::Deserializer::from_str(text).into_iter().next() {
            Some(Ok(value @ Value::Object(_))) => Ok((value, false)),
            _ => Err("it is not valid JSON".into()),
        },
    }
}

/// A tree of many small objects takes a hundred times the memory of its text; feeds have a few per item.
const OBJECTS_MAX: usize = 200_000;
const VALUES_MAX: usize = 1_500_000;

fn is_too_much(text: &str) -> bool {
    let (mut objects, mut values) = (0, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => objects += 1,
            b',' if !in_string => values += 1,
            _ => {}
        }
    }
    objects > OBJECTS_MAX || values > VALUES_MAX
}

/// The document up to the end of its last whole item, with what was open closed again.
fn closed(text: &str) -> Option<Value> {
    let mut open: Vec<u8> = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    // Where the last item ended: directly inside the root's array of items.
    let mut last = None;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => open.push(byte),
            b'}' | b']' => {
                open.pop();
                if open == [b'{', b'['] {
                    last = Some(at + 1);
                }
            }
            _ => {}
        }
        if open.len() > 128 {
            return None;
        }
    }
    let kept = text.get(..last?)?;
    serde_json::from_str(&format!("{kept}]}}")).ok()
}

/// Why a JSON document is no feed, to end a sentence with.
pub(crate) fn what_is_missing(value: &Value) -> &'static str {
    match value {
        Value::Object(object) if object.is_empty() => "it is empty",
        Value::Object(object) if object.contains_key("items") => "it has no version and no title",
        Value::Object(_) => "it has no items",
        _ => "it is not an object",
    }
}
