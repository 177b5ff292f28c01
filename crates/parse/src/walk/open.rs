//! What an element begins, by its word and the place it stands in.

use super::{Base64, Capture, Person, Place, Walker};
use crate::media;
use crate::raw::{Kind, RawItem, RawLink, RawText};
use crate::vocabulary::{Space, Word};
use domain::Format;

/// Titles, links, dates: raw text beyond this is no longer one of them.
const SHORT_BYTES_MAX: usize = 64 << 10;

impl Walker<'_, '_> {
    pub(super) fn open(&mut self, word: Word, space: Space, local: &str) {
        match self.place {
            Place::Outside => self.open_outside(word, space, local),
            Place::Nothing => {}
            Place::Image => {
                if word == Word::Url {
                    self.capture(word, Kind::Text, SHORT_BYTES_MAX);
                }
            }
            Place::SkipHours | Place::SkipDays => {
                if matches!(word, Word::Hour | Word::Day) {
                    self.capture(word, Kind::Text, SHORT_BYTES_MAX);
                }
            }
            Place::Person => {
                if matches!(word, Word::Name | Word::Email) {
                    self.capture(word, Kind::Either, SHORT_BYTES_MAX);
                }
            }
            Place::Source => {
                if word == Word::Author {
                    self.open_person(word);
                }
            }
            Place::Feed | Place::Item => self.open_field(word, space, local),
        }
    }

    fn open_outside(&mut self, word: Word, space: Space, local: &str) {
        let format = match word {
            Word::Rss => Some(self.rss_version()),
            Word::Rdf => Some(self.rdf_version()),
            Word::Feed => Some(self.atom_version()),
            Word::Channel => Some(Format::Rss20),
            Word::Item if local == "entry" => Some(Format::Atom10),
            Word::Item if space == Space::Core && self.frames.len() == 1 => Some(Format::Rss20),
            _ => None,
        };
        self.is_html |= word == Word::Html;
        self.is_opml |= word == Word::Opml && self.frames.len() == 1;
        let password =
            local == "input" && self.attribute("type").is_some_and(|t| t.eq_ignore_ascii_case("password"));
        self.asks_for_password |= password;
        let Some(format) = format else { return };
        self.document.format = Some(format);
        self.place = Place::Feed;
        self.document.language = self.language.as_deref().map(str::to_owned);
        if word == Word::Item {
            self.open_item();
        }
    }

    fn rss_version(&self) -> Format {
        match self.attribute("version").unwrap_or("").trim() {
            "0.90" => Format::Rss090,
            "0.91" => Format::Rss091,
            "0.92" => Format::Rss092,
            version if version.starts_with("0.9") => Format::Rss09x,
            version if version.starts_with("1.0") => Format::Rss10,
            _ => Format::Rss20,
        }
    }

    fn rdf_version(&self) -> Format {
        if self.events.head().contains("rdf/simple/0.9") { Format::Rss090 } else { Format::Rss10 }
    }

    fn atom_version(&self) -> Format {
        let old = self.attribute("version").is_some_and(|version| version.trim().starts_with("0."));
        if old || self.events.head().contains("purl.org/atom/ns#") { Format::Atom03 } else { Format::Atom10 }
    }

    fn open_item(&mut self) {
        self.finish_item();
        self.item_count += 1;
        let mut item = RawItem { number: self.item_count, ..RawItem::default() };
        if let Some(about) = self.attribute_local("about") {
            item.guid = Some(about.trim().to_owned()).filter(|guid| !guid.is_empty());
            item.permalink = Some(RawLink { href: about.trim().to_owned(), base: self.base.clone() });
        }
        // The Channel Definition Format keeps an item's link and date in attributes.
        if let Some(href) = self.attribute("href") {
            item.link.offer(1, RawLink { href: href.to_owned(), base: self.base.clone() });
        }
        if let Some(time) = self.attribute("lastmod").and_then(crate::date::parse) {
            item.updated.offer(1, time);
        }
        item.language = self
            .language
            .as_deref()
            .filter(|l| Some(*l) != self.document.language.as_deref())
            .map(str::to_owned);
        self.item = Some(item);
        self.place = Place::Item;
    }

    fn open_field(&mut self, word: Word, space: Space, local: &str) {
        let in_item = self.place == Place::Item;
        match word {
            Word::Item => self.open_item(),
            Word::Channel | Word::Feed | Word::Rss | Word::Rdf => self.place = Place::Feed,
            Word::Image => self.place = if in_item { Place::Nothing } else { Place::Image },
            Word::TextInput => self.place = Place::Nothing,
            Word::Source => self.place = Place::Source,
            Word::SkipHours => self.place = Place::SkipHours,
            Word::SkipDays => self.place = Place::SkipDays,
            Word::Author | Word::ItunesAuthor => self.open_person(word),
            Word::Contributor | Word::Owner | Word::Publisher => self.place = Place::Nothing,
            Word::Link => self.open_link(),
            Word::Enclosure | Word::MediaContent | Word::Thumbnail | Word::ItunesImage => {
                self.open_media(word);
            }
            Word::Category | Word::ItunesCategory => self.open_category(word),
            Word::Title | Word::Subtitle | Word::Rights | Word::Summary | Word::Content => {
                self.open_construct(word);
            }
            Word::DcTitle | Word::ItunesTitle | Word::MediaTitle => self.open_construct(word),
            Word::ItunesSummary | Word::ItunesSubtitle | Word::MediaDescription => self.open_construct(word),
            Word::Description | Word::Encoded => self.capture(word, Kind::Html, self.body_max()),
            Word::Body => self.capture_xhtml(word),
            Word::Unknown if in_item && space == Space::Xhtml && local == "div" => {
                self.capture_xhtml(Word::Body);
            }
            Word::Id => self.open_id(),
            Word::Keywords | Word::MediaCredit => self.capture(word, Kind::Either, SHORT_BYTES_MAX),
            Word::OriginalLink | Word::Icon | Word::Logo | Word::Url => {
                self.capture(word, Kind::Text, SHORT_BYTES_MAX);
            }
            Word::Published
            | Word::Updated
            | Word::DcDate
            | Word::Created
            | Word::Duration
            | Word::Language => {
                self.capture(word, Kind::Text, SHORT_BYTES_MAX);
            }
            Word::Ttl | Word::UpdatePeriod | Word::UpdateFrequency => {
                self.capture(word, Kind::Text, SHORT_BYTES_MAX);
            }
            _ => {}
        }
    }

    fn body_max(&self) -> usize {
        self.limits.item_html_bytes_max
    }

    /// Starts reading the text of the innermost element.
    fn capture(&mut self, word: Word, kind: Kind, bytes_max: usize) {
        let nested = self.is_nested();
        if let Some(frame) = self.frames.last_mut() {
            frame.captures = true;
        }
        self.captures.push(Capture {
            word,
            kind,
            xhtml: false,
            opaque: false,
            base64: Base64::No,
            nested,
            text: String::new(),
            bytes_max,
            cut: false,
            base: self.base.clone(),
            note: None,
        });
    }

    fn capture_xhtml(&mut self, word: Word) {
        self.capture(word, Kind::Html, self.body_max());
        if let Some(capture) = self.captures.last_mut() {
            capture.xhtml = true;
        }
    }

    /// Atom's text constructs, old and new: `type` and `mode` say how to read them (RFC 4287 §3.1; Atom 0.3 §3.1).
    fn open_construct(&mut self, word: Word) {
        let is_body =
            matches!(word, Word::Content | Word::Summary | Word::ItunesSummary | Word::MediaDescription);
        let declared = self.attribute("type").map(|t| t.trim().to_ascii_lowercase());
        let mode = self.attribute("mode").map(|m| m.trim().to_ascii_lowercase());
        let source = self.attribute("src").map(str::to_owned);
        let atom = matches!(self.document.format, Some(Format::Atom10 | Format::Atom03));
        let declared = declared.as_deref().map(|t| t.split(';').next().unwrap_or(t).trim());
        let is_xml = declared.is_some_and(|t| t.ends_with("xml") || t == "xhtml");
        let kind = match declared {
            Some("html" | "text/html") => Kind::Html,
            Some("text" | "plain" | "text/plain") if atom => Kind::Text,
            Some(_) if is_xml => Kind::Html,
            // Escaped HTML without a type is the commonest mistake in bodies; in titles it is rare, and the standard
            // is followed.
            None if atom && !is_body => Kind::Text,
            _ => Kind::Either,
        };
        let binary = declared.is_some_and(|t| t.contains('/') && !t.starts_with("text/") && !is_xml);
        let picture =
            declared.is_some_and(|t| ["image/", "audio/", "video/"].iter().any(|kind| t.starts_with(kind)));
        let base64 = match (mode.as_deref(), binary) {
            (Some("base64"), _) => Base64::Surely,
            (_, true) if picture => Base64::Surely,
            (_, true) => Base64::Perhaps,
            _ => Base64::No,
        };
        self.capture(word, kind, if is_body { self.body_max() } else { SHORT_BYTES_MAX });
        if let Some(capture) = self.captures.last_mut() {
            capture.xhtml = is_xml && mode.as_deref() != Some("escaped");
            capture.opaque = is_xml && word == Word::Content;
            capture.base64 = base64;
            capture.note = source;
        }
    }

    fn open_person(&mut self, word: Word) {
        self.person = Some(Person::default());
        self.capture(word, Kind::Either, SHORT_BYTES_MAX);
        self.place = Place::Person;
    }

    fn open_id(&mut self) {
        let permanent = self.attribute("ispermalink").map(|value| value.trim().to_ascii_lowercase());
        self.capture(Word::Id, Kind::Text, SHORT_BYTES_MAX);
        if let Some(capture) = self.captures.last_mut() {
            capture.note = permanent;
        }
    }

    /// `<link>text</link>` in RSS, `<link rel href type>` in Atom and wherever Atom is mixed in.
    fn open_link(&mut self) {
        let href = ["href", "url", "uri"].iter().find_map(|name| self.attribute(name)).map(str::to_owned);
        let resource = self.attribute_local("resource").map(str::to_owned);
        let Some(href) = href.or(resource) else {
            self.capture(Word::Link, Kind::Text, SHORT_BYTES_MAX);
            return;
        };
        let rel = self.attribute("rel").unwrap_or("alternate").trim().to_ascii_lowercase();
        let media_type = self.attribute("type").unwrap_or("text/html").trim().to_ascii_lowercase();
        let link = RawLink { href, base: self.base.clone() };
        let is_page =
            matches!(media_type.as_str(), "" | "text/html" | "html" | "application/xhtml+xml" | "xhtml");
        let rank = match (self.is_nested(), is_page) {
            (true, _) => 0,
            (false, true) => 3,
            (false, false) => 1,
        };
        match (rel.strip_prefix("http://www.iana.org/assignments/relation/").unwrap_or(&rel), &mut self.item)
        {
            ("alternate" | "", Some(item)) => item.link.replace(rank, link),
            ("alternate" | "", None) => self.document.link.replace(rank, link),
            ("enclosure", Some(_)) => self.open_media(Word::Enclosure),
            ("self", None) => self.document.self_link = self.document.self_link.take().or(Some(link)),
            ("hub", None) if self.document.hubs.len() < 8 => self.document.hubs.push(link),
            _ => {}
        }
    }

    fn open_media(&mut self, word: Word) {
        let found = media::enclosure(|name| self.attribute(name), self.base.clone());
        if word == Word::ItunesImage || word == Word::Thumbnail {
            if let (None, Some(image)) = (&self.item, found) {
                self.document.icon.offer(2, RawLink { href: image.href, base: image.base });
            }
            return;
        }
        let Some(enclosure) = found else { return };
        let is_new = |item: &RawItem| item.enclosures.iter().all(|known| known.href != enclosure.href);
        if let Some(item) = &mut self.item
            && is_new(item)
        {
            if item.enclosures.len() < self.limits.enclosures_max {
                item.enclosures.push(enclosure);
            } else {
                let place = format!("item {}", item.number);
                self.complaints.add("The item has too many enclosures; the rest were ignored.", place);
            }
        }
    }

    fn open_category(&mut self, word: Word) {
        let scheme = self.attribute("scheme").or_else(|| self.attribute("domain")).unwrap_or("");
        // Google's data interface marks what kind of entry this is; that is no tag.
        let is_kind = scheme.ends_with("#kind");
        let term = self
            .attribute("term")
            .or_else(|| self.attribute("text"))
            .map(str::trim)
            .filter(|t| !t.is_empty());
        let label = self.attribute("label").map(str::trim).filter(|l| !l.is_empty());
        let tag = match (term, label) {
            (Some(term), Some(label)) if term.contains("://") => Some(label),
            (term, _) => term,
        };
        let tag =
            tag.filter(|_| !is_kind).map(|t| RawText { text: t.to_owned(), kind: Kind::Text, base: None });
        let label = label.map(str::to_owned);
        match tag {
            Some(tag) => self.add_tag(tag),
            None if is_kind => {}
            None => {
                self.capture(word, Kind::Either, SHORT_BYTES_MAX);
                if let Some(capture) = self.captures.last_mut() {
                    capture.note = label;
                }
            }
        }
    }
}
