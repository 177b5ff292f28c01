//! Opening tags: their attributes, namespaces and bases, what they end, and the markup they are inside a text.

use super::{Frame, Walker, fold};
use crate::link::join_base;
use crate::raw::Kind;
use crate::vocabulary::{Space, Word, space_of_prefix, space_of_uri, word};
use crate::xml::name_of;
use quick_xml::events::attributes::Attributes;
use std::borrow::Cow;
use std::rc::Rc;

impl<'t> Walker<'t, '_> {
    pub(super) fn start(&mut self, tag: &'t str, empty: bool) {
        let name = name_of(tag);
        let namespaces = self.namespaces.len();
        self.read_attributes(tag, name.len());
        let (space, local) = self.resolve(name);
        let word = word(space, &local);
        if self.root.is_none() {
            self.root = Some(name.chars().take(40).collect());
        }
        self.end_what_this_word_ends(word, space);
        if self.frames.len() >= self.limits.xml_depth_max {
            if !self.told_depth {
                self.told_depth = true;
                let place = format!("byte {}", self.events.at);
                self.complaints.add("Elements are nested too deeply; the deepest were flattened.", place);
            }
            self.namespaces.truncate(namespaces);
            return;
        }
        let frame = Frame {
            name,
            fold: fold(name),
            word,
            outer_place: self.place,
            outer_base: self.base.clone(),
            outer_language: self.language.clone(),
            namespaces,
            captures: false,
        };
        self.frames.push(frame);
        self.enter_base_and_language();
        if self.captures.last().is_some_and(super::Capture::takes_markup) {
            self.markup_start(&local);
        } else {
            self.open(word, space, &local);
        }
        if empty {
            self.close_innermost();
        }
    }

    /// Resolves the attributes of a tag and takes up the namespaces it declares (P4: only the first few hundred).
    fn read_attributes(&mut self, tag: &'t str, name_len: usize) {
        self.attributes.clear();
        let mut count = 0;
        for attribute in Attributes::html(tag, name_len).with_checks(false).flatten() {
            count += 1;
            if count > self.limits.attributes_max {
                if !self.told_attributes {
                    self.told_attributes = true;
                    let place = format!("byte {}", self.events.at);
                    self.complaints.add("An element has too many attributes; the rest were ignored.", place);
                }
                break;
            }
            let key: &'t str = attribute.key.into_inner();
            let value = match attribute.value {
                Cow::Borrowed(raw) if !raw.contains('&') => Cow::Borrowed(raw),
                raw => {
                    let mut out = String::with_capacity(raw.len());
                    self.entities.resolve_all(&raw, &mut out);
                    Cow::Owned(out)
                }
            };
            let prefix = match key.strip_prefix("xmlns") {
                Some("") => Some(""),
                Some(rest) => rest.strip_prefix(':'),
                None => None,
            };
            match prefix {
                Some(prefix) if self.namespaces.len() < self.limits.attributes_max => {
                    self.namespaces.push((fold(prefix), declared_space(prefix, &value)));
                }
                Some(_) => {}
                None => self.attributes.push((key, value)),
            }
        }
    }

    fn resolve(&self, name: &str) -> (Space, String) {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let folded = fold(prefix);
        let declared =
            self.namespaces.iter().rev().find(|(known, _)| *known == folded).map(|(_, space)| *space);
        let space = declared.unwrap_or_else(|| space_of_prefix(prefix));
        (space, local.to_ascii_lowercase())
    }

    pub(super) fn attribute(&self, wanted: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value.as_ref())
    }

    /// By local name, whatever its prefix: `rdf:about`, `rdf:resource`.
    pub(super) fn attribute_local(&self, wanted: &str) -> Option<&str> {
        let is_wanted = |name: &str| name.rsplit(':').next().unwrap_or(name).eq_ignore_ascii_case(wanted);
        self.attributes.iter().find(|(name, _)| is_wanted(name)).map(|(_, value)| value.as_ref())
    }

    fn enter_base_and_language(&mut self) {
        if let Some(base) = self.attribute("xml:base").or_else(|| self.attribute("base"))
            && !base.trim().is_empty()
            && let Some(joined) = join_base(self.base.as_deref(), base)
        {
            self.base = Some(Rc::new(joined));
        }
        if let Some(language) = self.attribute("xml:lang").or_else(|| self.attribute("lang")) {
            self.language = super::fields::language(language).map(Rc::from);
        }
    }

    /// A field that was never closed ends where the next one begins, an item where the next item begins (P9).
    fn end_what_this_word_ends(&mut self, word: Word, space: Space) {
        if word == Word::Item && !self.captures.iter().any(|capture| capture.opaque) {
            if let Some(at) = self.frames.iter().rposition(|frame| frame.word == Word::Item) {
                self.close_to(at);
                let place = format!("item {}", self.item_count + 1);
                self.complaints.add("An item begins inside another one.", place);
            } else if self.frames.len() >= self.limits.xml_depth_max {
                // Elements that were never closed must not swallow the items after them.
                let structure = [Word::Rss, Word::Rdf, Word::Feed, Word::Channel];
                let around = self.frames.iter().rposition(|frame| structure.contains(&frame.word));
                self.close_to(around.map_or(0, |at| at + 1));
            }
            return;
        }
        let Some(capture) = self.captures.last() else { return };
        if capture.opaque || matches!(word, Word::Unknown | Word::Html) || space == Space::Xhtml {
            return;
        }
        let ends = if capture.takes_markup() {
            let prose = !matches!(capture.word, Word::Title | Word::DcTitle | Word::Subtitle | Word::Rights);
            let unmistakable = matches!(
                word,
                Word::Id
                    | Word::Published
                    | Word::Updated
                    | Word::DcDate
                    | Word::Enclosure
                    | Word::Encoded
                    | Word::MediaContent
            );
            if prose {
                unmistakable || word == Word::Channel
            } else {
                !word.is_also_html() || word == Word::Link
            }
        } else if capture.word == Word::Author || capture.word == Word::ItunesAuthor {
            !matches!(
                word,
                Word::Name | Word::Email | Word::Uri | Word::Url | Word::Skipped | Word::Link | Word::Title
            )
        } else {
            !matches!(word, Word::Skipped)
        };
        if ends && let Some(at) = self.frames.iter().rposition(|frame| frame.captures) {
            self.events.repaired += 1;
            self.close_to(at);
        }
    }

    /// Writes an element into the text that is being captured.
    fn markup_start(&mut self, local: &str) {
        let attributes = std::mem::take(&mut self.attributes);
        let Some(capture) = self.captures.last_mut() else { return };
        // A field declared as text or escaped HTML that holds elements is markup after all.
        if capture.kind != Kind::Html {
            if capture.kind == Kind::Text && !capture.xhtml {
                let mut escaped = String::with_capacity(capture.text.len());
                crate::text::escape(&capture.text, &mut escaped);
                capture.text = escaped;
                capture.xhtml = true;
            }
            capture.kind = Kind::Html;
        }
        let mut markup = String::with_capacity(32);
        markup.push('<');
        markup.push_str(local);
        for (name, value) in &attributes {
            let name = name.rsplit(':').next().unwrap_or(name);
            markup.push(' ');
            markup.push_str(name);
            markup.push_str("=\"");
            let mut escaped = String::with_capacity(value.len());
            crate::text::escape(value, &mut escaped);
            markup.push_str(&escaped.replace('"', "&quot;"));
            markup.push('"');
        }
        markup.push('>');
        capture.push(&markup);
        self.attributes = attributes;
    }
}

fn declared_space(prefix: &str, uri: &str) -> Space {
    match space_of_uri(uri) {
        Some(space) => space,
        // Without a prefix an unknown address is a publisher's whim; with one it is a module of its own.
        None if prefix.is_empty() => Space::Core,
        None => space_of_prefix(prefix),
    }
}
