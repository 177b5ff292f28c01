//! RSS written as JSON: RSS 2.0's names, one object per element, as a few long-lived publishers serve it.

use super::{link, name, string};
use crate::complaint::Complaints;
use crate::hints;
use crate::media;
use crate::raw::{Items, Kind, Ranked, RawDocument, RawEnclosure, RawItem, RawLink, RawText};
use domain::{Format, Limits};
use serde_json::{Map, Value};

pub(super) fn read(
    channel: &Map<String, Value>,
    limits: &Limits,
    complaints: &mut Complaints,
) -> RawDocument {
    let mut document = RawDocument {
        format: Some(Format::Rss20),
        language: string(channel, "language"),
        ttl_minutes: name(channel.get("ttl")).as_deref().and_then(hints::ttl_minutes),
        items: Items::new(limits),
        ..RawDocument::default()
    };
    offer(&mut document.title, channel, "title", Kind::Either);
    offer(&mut document.description, channel, "description", Kind::Html);
    offer(&mut document.rights, channel, "copyright", Kind::Either);
    if let Some(found) = link(channel, "link") {
        document.link.offer(3, found);
    }
    for (rank, field) in [(2, "lastBuildDate"), (1, "pubDate")] {
        if let Some(time) = super::time(channel, field, 0, complaints) {
            document.updated.offer(rank, time);
        }
    }
    for (index, entry) in many(channel.get("item")).iter().enumerate() {
        match entry.as_object() {
            Some(entry) => document.items.push(item(entry, index + 1, limits, complaints)),
            None => {
                complaints.add("The item is not an object and was left out.", format!("item {}", index + 1));
            }
        }
    }
    document
}

fn item(entry: &Map<String, Value>, number: usize, limits: &Limits, complaints: &mut Complaints) -> RawItem {
    let guid = entry.get("guid");
    let guid_text = name(guid).or_else(|| name(guid.and_then(|g| g.get("#value"))));
    let permanent =
        guid.and_then(|g| g.get("isPermaLink")).is_none_or(|p| p.as_bool() == Some(true) || p == "true");
    let mut item = RawItem { number, guid: guid_text.clone(), ..RawItem::default() };
    item.permalink = guid_text.filter(|_| permanent).map(|href| RawLink { href, base: None });
    offer(&mut item.title, entry, "title", Kind::Either);
    offer(&mut item.summary, entry, "description", Kind::Html);
    offer(&mut item.content, entry, "content:encoded", Kind::Html);
    if let Some(found) = link(entry, "link") {
        item.link.offer(3, found);
    }
    if let Some(time) = super::time(entry, "pubDate", number, complaints) {
        item.published.offer(1, time);
    }
    if let Some(author) = string(entry, "author") {
        item.authors.add(1, author);
    }
    let tag = |value: &Value| name(Some(value)).or_else(|| name(value.get("#value")));
    let tags = many(entry.get("category")).iter().filter_map(tag).take(limits.tags_max);
    item.tags = tags.map(|text| RawText { text, kind: Kind::Either, base: None }).collect();
    let files = many(entry.get("enclosure")).iter().filter_map(Value::as_object).filter_map(enclosure);
    item.enclosures = files.take(limits.enclosures_max).collect();
    item
}

fn enclosure(file: &Map<String, Value>) -> Option<RawEnclosure> {
    Some(RawEnclosure {
        href: string(file, "url")?,
        base: None,
        media_type: string(file, "type").as_deref().and_then(media::media_type),
        bytes: name(file.get("length")).as_deref().and_then(media::bytes),
        seconds: None,
    })
}

/// One element is an object, several are a list of them.
fn many(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(list)) => list,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    }
}

fn offer(slot: &mut Ranked<RawText>, object: &Map<String, Value>, field: &str, kind: Kind) {
    if let Some(text) = string(object, field) {
        slot.offer(1, RawText { text, kind, base: None });
    }
}
