//! From what was written to what is kept: dates chosen, links absolute, bodies sanitised, items named.

use crate::charset::Decoded;
use crate::complaint::Complaints;
use crate::hints;
use crate::identity::{self, Keys};
use crate::link::{self, Refused};
use crate::raw::{Ranked, RawDocument, RawEnclosure, RawItem, RawLink, RawText};
use crate::text;
use domain::{Document, DocumentItem, Enclosure, Format, Limits, Parsed};
use std::collections::HashSet;
use url::Url;

pub(crate) fn finish(
    raw: RawDocument,
    format: Format,
    decoded: &Decoded,
    base: Option<&Url>,
    limits: &Limits,
    mut complaints: Complaints,
) -> Parsed {
    complain_about_encoding(decoded, &mut complaints);
    let mut desk =
        Desk { base: base.cloned(), body_base: base.cloned(), limits, complaints: &mut complaints };
    let link = desk.link(raw.link.get(), "feed, link");
    let self_link = desk.link(raw.self_link.as_ref(), "feed, self");
    // Bodies need absolute links even when nobody knows where the document came from.
    let own = [&self_link, &link].into_iter().flatten().find_map(|own| Url::parse(own).ok());
    desk.body_base = desk.body_base.or(own);
    let icon = desk.link(raw.icon.get(), "feed, icon");
    let hubs = raw.hubs.iter().filter_map(|hub| desk.link(Some(hub), "feed, hub")).collect();
    let title = desk.line(raw.title.take(), limits.title_chars_max, "feed, title");
    let description = desk.line(raw.description.take(), limits.title_chars_max, "feed, description");
    let rights = desk.line(raw.rights.take(), limits.title_chars_max, "feed, rights");
    let author = desk.names(raw.authors, "feed, author");
    let items = desk.items(raw.items);
    let document = Document {
        format,
        encoding: decoded.encoding.clone(),
        title,
        link,
        self_link,
        description,
        language: raw.language,
        author,
        rights,
        icon,
        updated: raw.updated.take(),
        ttl_minutes: raw.ttl_minutes,
        skip_hours: raw.skip_hours,
        skip_days: raw.skip_days,
        update_period_s: hints::update_period_s(raw.update_period_s, raw.update_frequency),
        hubs,
        items,
        truncated: raw.truncated,
    };
    Parsed { document, complaints: complaints.into_list() }
}

fn complain_about_encoding(decoded: &Decoded, complaints: &mut Complaints) {
    if let Some(label) = &decoded.overruled {
        let label: String = label.chars().take(40).collect();
        complaints.add(format!("The document says it is {label:?} but is {}.", decoded.encoding), "encoding");
    }
    if decoded.replaced {
        complaints.add(format!("Some bytes are not {} and were replaced.", decoded.encoding), "encoding");
    }
    if decoded.scrubbed {
        complaints.add("Control characters were removed.", "document");
    }
}

/// What every field needs to be finished.
struct Desk<'a> {
    base: Option<Url>,
    /// What links inside bodies are relative to.
    body_base: Option<Url>,
    limits: &'a Limits,
    complaints: &'a mut Complaints,
}

impl Desk<'_> {
    fn link(&mut self, raw: Option<&RawLink>, place: &str) -> Option<String> {
        let raw = raw?;
        match link::resolve(raw, self.base.as_ref(), self.limits) {
            Ok(link) => Some(link),
            Err(Refused::Empty) => None,
            // Without any address of its own a document read from a file keeps its links as written.
            Err(refused @ Refused::Relative) => {
                self.complaints.add(refused.sentence(), place);
                Some(raw.href.trim().to_owned())
            }
            Err(refused) => {
                self.complaints.add(refused.sentence(), place);
                None
            }
        }
    }

    fn line(&mut self, raw: Option<RawText>, chars_max: usize, place: &str) -> Option<String> {
        let (line, cut) = text::line(&raw?, chars_max, self.limits);
        if cut {
            self.complaints.add("The text is too long and was cut.", place);
        }
        line
    }

    fn names(&mut self, raw: Ranked<Vec<String>>, place: &str) -> Option<String> {
        let text = raw.take()?.join(", ");
        self.line(
            Some(RawText { text, kind: crate::raw::Kind::Either, base: None }),
            self.limits.author_chars_max,
            place,
        )
    }

    fn items(&mut self, items: crate::raw::Items) -> Vec<DocumentItem> {
        if items.seen > self.limits.items_max {
            let what = format!("The document has {} items; {} were kept.", items.seen, self.limits.items_max);
            self.complaints.add(what, "document");
        }
        let (mut keys, mut list) = (Vec::new(), Vec::new());
        for raw in items.newest() {
            let (key, item) = self.item(raw);
            keys.push(key);
            list.push(item);
        }
        self.without_repetitions(&keys, list)
    }

    fn without_repetitions(&mut self, keys: &[Keys], list: Vec<DocumentItem>) -> Vec<DocumentItem> {
        let mut seen = HashSet::new();
        let mut kept: Vec<DocumentItem> = Vec::with_capacity(list.len());
        for (named, mut item) in identity::name_items(keys).into_iter().zip(list) {
            (item.identity, item.twin) = (named.identity, named.twin);
            if seen.insert(named.identity) {
                kept.push(item);
            } else {
                let place = item.guid.or(item.link).or(item.title).unwrap_or_else(|| "item".into());
                let place: String = place.chars().take(80).collect();
                self.complaints.add("The same item stands in the document more than once.", place);
            }
        }
        kept
    }

    fn item(&mut self, raw: RawItem) -> (Keys, DocumentItem) {
        let place = |field: &str| format!("item {}, {field}", raw.number);
        let title = self.line(raw.title.get().cloned(), self.limits.title_chars_max, &place("title"));
        let link = self.item_link(&raw, &place("link"));
        let author = self.names(raw.authors.clone(), &place("author"));
        let (summary_raw, content_raw) = bodies(&raw);
        let key_text = content_raw.or(summary_raw).map(|body| identity::digest(&body.text));
        let summary = self.body(summary_raw);
        let content = self.body(content_raw);
        let tags = self.tags(&raw.tags, &place("tags"));
        let enclosures = self.enclosures(&raw, &place("enclosure"));
        let guid = raw
            .guid
            .as_deref()
            .map(|guid| text::cut_chars(text::collapse(guid), self.limits.url_bytes_max).0);
        let published = raw.published.get().copied();
        let updated = raw.updated.get().copied();
        let content_hash = content_hash(&title, &link, &author, &summary, &content, &tags, &enclosures);
        let keys = Keys {
            guid: guid.clone(),
            link: link.clone(),
            title: title.clone(),
            date: published.or(updated),
            text: key_text,
        };
        let item = DocumentItem {
            identity: domain::Identity(0),
            twin: None,
            guid,
            title,
            link,
            author,
            published,
            updated,
            summary,
            content,
            language: raw.language,
            tags,
            enclosures,
            content_hash,
        };
        (keys, item)
    }

    fn item_link(&mut self, raw: &RawItem, place: &str) -> Option<String> {
        self.link(raw.link.get(), place).or_else(|| {
            let permalink = raw.permalink.as_ref()?;
            link::resolve(permalink, self.base.as_ref(), self.limits).ok()
        })
    }

    fn body(&self, raw: Option<&RawText>) -> Option<String> {
        let raw = raw?;
        text::body(raw, raw.base.as_deref().or(self.body_base.as_ref()), self.limits)
    }

    fn tags(&mut self, raw: &[RawText], place: &str) -> Vec<String> {
        let mut tags: Vec<String> = Vec::with_capacity(raw.len());
        for tag in raw {
            if let Some(tag) = self.line(Some(tag.clone()), self.limits.tag_chars_max, place)
                && !tags.contains(&tag)
            {
                tags.push(tag);
            }
        }
        tags
    }

    fn enclosures(&mut self, raw: &RawItem, place: &str) -> Vec<Enclosure> {
        let mut list: Vec<Enclosure> = Vec::with_capacity(raw.enclosures.len());
        for RawEnclosure { href, base, media_type, bytes, seconds } in &raw.enclosures {
            let found = RawLink { href: href.clone(), base: base.clone() };
            let Some(url) = self.link(Some(&found), place) else { continue };
            if list.iter().any(|known| known.url == url) {
                continue;
            }
            // The item's duration is that of its one recording.
            let playable =
                media_type.as_deref().is_none_or(|t| t.starts_with("audio/") || t.starts_with("video/"));
            let seconds = seconds.or(raw.seconds.filter(|_| playable));
            list.push(Enclosure { url, media_type: media_type.clone(), bytes: *bytes, seconds });
        }
        list
    }
}

/// Summary and content. A second text that is clearly the longer one is the content where none was declared.
fn bodies(raw: &RawItem) -> (Option<&RawText>, Option<&RawText>) {
    let summary = raw.summary.get();
    let content = raw.content.get();
    if content.is_some() {
        return (summary, content);
    }
    let longer =
        raw.fuller.as_ref().filter(|fuller| summary.is_some_and(|s| fuller.text.len() > s.text.len() * 2));
    (summary, longer)
}

fn content_hash(
    title: &Option<String>,
    link: &Option<String>,
    author: &Option<String>,
    summary: &Option<String>,
    content: &Option<String>,
    tags: &[String],
    enclosures: &[Enclosure],
) -> u64 {
    let fields = [title, link, author, summary, content].map(|field| field.as_deref());
    let tags = tags.iter().map(|tag| Some(tag.as_str()));
    let enclosures = enclosures.iter().flat_map(|e| [Some(e.url.as_str()), e.media_type.as_deref()]);
    identity::content_hash(
        fields.into_iter().chain([Some("tags")]).chain(tags).chain([Some("files")]).chain(enclosures),
    )
}
