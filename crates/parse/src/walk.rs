//! Walks an XML document and fills a [`RawDocument`].
//!
//! One walker for RSS, RDF and Atom: real feeds mix their words, so what counts is the word, where it stands (feed,
//! item, image, person…), and nothing else. Elements are kept on a stack of our own, bounded by `xml_depth_max`; end
//! tags that match nothing are dropped, and those that match an outer element close everything in between. While
//! the text of a field is being captured, elements inside it are markup of that text.

mod fields;
mod open;
mod start;

use crate::complaint::Complaints;
use crate::entity::Entities;
use crate::raw::{Base, Items, Kind, RawDocument, RawItem};
use crate::text::escape;
use crate::vocabulary::{Space, Word};
use crate::xml::{Event, Events};
use domain::Limits;
use std::borrow::Cow;
use std::rc::Rc;
use url::Url;

/// What the walk found out about the whole.
pub(crate) struct Walked {
    pub(crate) document: RawDocument,
    /// The outermost element, for the sentence that refuses the document.
    pub(crate) root: Option<String>,
    pub(crate) is_html: bool,
    pub(crate) is_opml: bool,
    /// Markup of the page, so far as it matters for refusing: a password field was seen.
    pub(crate) asks_for_password: bool,
}

pub(crate) fn walk(text: &str, base: Option<&Url>, limits: &Limits, complaints: &mut Complaints) -> Walked {
    let mut walker = Walker::new(text, base, limits, complaints);
    walker.run();
    walker.finish()
}

/// Where in the document we are; decides what a word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the feed's root element.
    Outside,
    Feed,
    Item,
    /// A feed's picture: only its address counts.
    Image,
    /// `author` and its like, within an item, a feed or a source.
    Person,
    /// Atom's `source`: another feed's words, of which only the author is ours.
    Source,
    SkipHours,
    SkipDays,
    /// Text input boxes, items' own images: nothing in there is a field.
    Nothing,
}

/// One open element.
struct Frame<'t> {
    name: &'t str,
    /// [`fold`] of the name.
    fold: u64,
    word: Word,
    outer_place: Place,
    outer_base: Base,
    outer_language: Option<Rc<str>>,
    namespaces: usize,
    captures: bool,
}

/// The text of the field being read.
struct Capture {
    word: Word,
    kind: Kind,
    /// Text is escaped on its way in, because the whole is markup (Atom's xhtml).
    xhtml: bool,
    /// Elements inside belong to a format of their own and never end the field.
    opaque: bool,
    base64: Base64,
    /// It stands inside an element we do not know, such as an object an entry is about; it counts only where the
    /// item itself says nothing.
    nested: bool,
    text: String,
    bytes_max: usize,
    cut: bool,
    base: Base,
    /// An attribute that decides what the text means: `isPermaLink`, `rel`, `term`…
    note: Option<String>,
}

/// Whether a text is encoded binary data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base64 {
    No,
    /// A type that is no text: RFC 4287 asks for Base64, publishers forget.
    Perhaps,
    /// `mode="base64"`, or a type like `image/png`.
    Surely,
}

#[derive(Default)]
struct Person {
    name: Option<String>,
    email: Option<String>,
}

struct Walker<'t, 'c> {
    events: Events<'t>,
    limits: &'c Limits,
    complaints: &'c mut Complaints,
    entities: Entities,
    document: RawDocument,
    item: Option<RawItem>,
    frames: Vec<Frame<'t>>,
    /// Folded prefixes in scope, innermost last.
    namespaces: Vec<(u64, Space)>,
    captures: Vec<Capture>,
    person: Option<Person>,
    place: Place,
    base: Base,
    language: Option<Rc<str>>,
    root: Option<String>,
    is_html: bool,
    is_opml: bool,
    asks_for_password: bool,
    item_count: usize,
    told_depth: bool,
    told_attributes: bool,
    told_tags: bool,
    /// Attributes of the element at hand, resolved.
    attributes: Vec<(&'t str, Cow<'t, str>)>,
    update_period: Option<u64>,
    /// Room for text on its way, kept to spare allocations.
    scratch: String,
}

impl<'t, 'c> Walker<'t, 'c> {
    fn new(text: &'t str, base: Option<&Url>, limits: &'c Limits, complaints: &'c mut Complaints) -> Self {
        Walker {
            events: Events::new(text),
            limits,
            complaints,
            entities: Entities::new(limits.entity_bytes_max),
            document: RawDocument { items: Items::new(limits), ..RawDocument::default() },
            item: None,
            frames: Vec::new(),
            namespaces: Vec::new(),
            captures: Vec::new(),
            person: None,
            place: Place::Outside,
            base: base.map(|base| Rc::new(base.clone())),
            language: None,
            root: None,
            is_html: false,
            is_opml: false,
            asks_for_password: false,
            item_count: 0,
            told_depth: false,
            told_attributes: false,
            told_tags: false,
            attributes: Vec::new(),
            update_period: None,
            scratch: String::new(),
        }
    }

    fn run(&mut self) {
        loop {
            match self.events.next() {
                Event::Start { tag, empty } => self.start(tag, empty),
                Event::End(name) => self.end(name),
                Event::Text(text) => self.text(text),
                Event::CData(text) => self.text(text),
                Event::Reference(name) => self.reference(name),
                Event::DocType(text) => self.doctype(text),
                Event::Eof => break,
            }
        }
        // A document that ends inside its root was cut; one whose last tags are merely missing looks the same.
        let open = self
            .frames
            .iter()
            .any(|frame| matches!(frame.word, Word::Rss | Word::Rdf | Word::Feed | Word::Channel));
        self.document.truncated = self.events.cut || open;
        if self.document.truncated && self.document.format.is_some() {
            let place = format!("byte {}", self.events.at);
            self.complaints.add("The document ends in the middle; what came before is kept.", place);
        }
        while !self.frames.is_empty() {
            self.close_innermost();
        }
        self.finish_item();
    }

    fn finish(mut self) -> Walked {
        if self.entities.spent {
            self.complaints.add(
                "The document's own entities expand to too much; the rest was left out.",
                "document type",
            );
        }
        if self.entities.external {
            self.complaints.add("Entities kept elsewhere are not looked up.", "document type");
        }
        if self.events.repaired > 0 && self.document.format.is_some() {
            let what = format!("The XML is not well-formed in {} places.", self.events.repaired);
            self.complaints.add(what, "document");
        }
        self.document.update_period_s = self.update_period;
        Walked {
            document: self.document,
            root: self.root,
            is_html: self.is_html,
            is_opml: self.is_opml,
            asks_for_password: self.asks_for_password,
        }
    }

    fn doctype(&mut self, text: &'t str) {
        self.entities.declare(text);
        let name = text.get(9..).unwrap_or("").trim_start();
        if self.place == Place::Outside && name.get(..4).is_some_and(|n| n.eq_ignore_ascii_case("html")) {
            self.is_html = true;
        }
    }

    fn text(&mut self, text: &str) {
        let Some(capture) = self.captures.last_mut() else { return };
        if capture.xhtml {
            self.scratch.clear();
            escape(text, &mut self.scratch);
            capture.push(&self.scratch);
        } else {
            capture.push(text);
        }
    }

    fn reference(&mut self, name: &str) {
        let Some(capture) = self.captures.last_mut() else { return };
        let mut resolved = std::mem::take(&mut self.scratch);
        resolved.clear();
        self.entities.resolve(name, &mut resolved);
        if capture.xhtml {
            let mut escaped = String::with_capacity(resolved.len());
            escape(&resolved, &mut escaped);
            capture.push(&escaped);
        } else {
            capture.push(&resolved);
        }
        self.scratch = resolved;
    }

    fn end(&mut self, name: &str) {
        let folded = fold(name);
        let Some(at) = self.frames.iter().rposition(|frame| frame.fold == folded) else {
            if self.place != Place::Outside {
                self.events.repaired += 1;
            }
            return;
        };
        // A stray end tag inside a text must not close the feed around it.
        let closes_structure =
            matches!(self.frames[at].word, Word::Rss | Word::Rdf | Word::Feed | Word::Channel | Word::Item);
        if self.frames.len() - at > 1 && !closes_structure {
            self.events.repaired += 1;
        }
        self.close_to(at);
    }

    /// Closes the open elements from the innermost down to `depth` of them.
    fn close_to(&mut self, depth: usize) {
        while self.frames.len() > depth {
            self.close_innermost();
        }
    }

    fn close_innermost(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if frame.captures {
            if let Some(capture) = self.captures.pop() {
                self.place = frame.outer_place;
                self.field(capture);
            }
        } else if !self.captures.is_empty() {
            self.markup_end(frame.name);
        }
        if frame.word == Word::Item && frame.outer_place != Place::Item {
            self.finish_item();
        }
        self.place = frame.outer_place;
        self.base = frame.outer_base;
        self.language = frame.outer_language;
        self.namespaces.truncate(frame.namespaces);
    }

    fn markup_end(&mut self, name: &str) {
        let local = name.rsplit(':').next().unwrap_or(name);
        if let Some(capture) = self.captures.last_mut()
            && capture.takes_markup()
            && !is_void(local)
        {
            capture.push("</");
            capture.push(local);
            capture.push(">");
        }
    }

    fn finish_item(&mut self) {
        if let Some(item) = self.item.take() {
            self.document.items.push(item);
        }
    }

    /// Whether an element of unknown meaning stands between the innermost element and its item or feed.
    fn is_nested(&self) -> bool {
        let outer = self.frames.iter().rev().skip(1);
        let mut between =
            outer.take_while(|frame| !matches!(frame.word, Word::Item | Word::Channel | Word::Feed));
        between.any(|frame| frame.word == Word::Unknown)
    }

    /// For complaints: the item and the field at hand.
    fn place_name(&self, field: &str) -> String {
        match &self.item {
            Some(item) => format!("item {}, {field}", item.number),
            None => format!("feed, {field}"),
        }
    }
}

impl Capture {
    fn push(&mut self, text: &str) {
        let room = self.bytes_max.saturating_sub(self.text.len());
        if text.len() <= room {
            self.text.push_str(text);
            return;
        }
        self.cut = true;
        let end = (0..=room).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        self.text.push_str(&text[..end]);
        // Nothing may follow a cut: half a tag and the tail of another would make a third.
        self.bytes_max = self.text.len();
    }

    /// Fields that are prose take elements as markup; names, links and dates ignore them.
    fn takes_markup(&self) -> bool {
        matches!(
            self.word,
            Word::Title
                | Word::DcTitle
                | Word::MediaTitle
                | Word::ItunesTitle
                | Word::Description
                | Word::ItunesSummary
                | Word::MediaDescription
                | Word::Summary
                | Word::Subtitle
                | Word::ItunesSubtitle
                | Word::Content
                | Word::Encoded
                | Word::Body
                | Word::Rights
        )
    }
}

/// A name as a number, equal for names that differ in case only. Two hundred open elements or prefixes are searched
/// for each tag of a hostile document, and numbers compare fast.
fn fold(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    })
}

fn is_void(name: &str) -> bool {
    const VOID: [&str; 14] = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
        "track", "wbr",
    ];
    VOID.iter().any(|void| void.eq_ignore_ascii_case(name))
}
