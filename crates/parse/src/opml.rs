//! Lists of subscriptions (OPML) in and out.
//!
//! Reading is one pass without recursion, within `opml_bytes_max`, `opml_outlines_max` and `opml_depth_max` (O1): the
//! first feeds are kept and the rest counted, deeper folders are flattened, a broken file gives what could be read.
//! Names are plain text; whoever shows them escapes them. Nothing is fetched, also not by a DOCTYPE.

use crate::charset;
use crate::complaint::Complaints;
use crate::entity::Entities;
use crate::xml::{Event, Events, name_of};
use domain::{Complaint, Limits, NewSubscription, Timestamp};
use quick_xml::events::attributes::Attributes;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use url::Url;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opml {
    pub title: Option<String>,
    /// In the order of the file, each address once.
    pub subscriptions: Vec<NewSubscription>,
    /// Feeds beyond `opml_outlines_max`.
    pub left_out: usize,
    /// Feeds whose folders were deeper than `opml_depth_max`.
    pub flattened: usize,
    /// Feeds that were listed before.
    pub duplicates: usize,
    pub complaints: Vec<Complaint>,
}

/// Why a file gives no subscriptions at all, with the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpmlError {
    #[error("The file has {bytes} bytes; at most {bytes_max} are read. Split it and import the parts.")]
    TooLarge { bytes: usize, bytes_max: usize },
    #[error("The file is empty. Export the subscriptions again from the reader they come from.")]
    Empty,
    #[error("This is a feed, not a list of subscriptions. Subscribe to its address instead.")]
    Feed,
    #[error("This is a web page, not a list of subscriptions. Look for an OPML download on it.")]
    Html,
    #[error("This is not OPML. Export the subscriptions as OPML from the reader they come from.")]
    NotOpml,
}

/// Reads a list of subscriptions.
pub fn read_opml(bytes: &[u8], limits: &Limits) -> Result<Opml, OpmlError> {
    if bytes.len() > limits.opml_bytes_max {
        return Err(OpmlError::TooLarge { bytes: bytes.len(), bytes_max: limits.opml_bytes_max });
    }
    let decoded = charset::decode(bytes, None);
    let text = decoded.text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if text.is_empty() {
        return Err(OpmlError::Empty);
    }
    let mut reading = Reading::new(text, limits);
    if decoded.replaced {
        let what = format!("Some bytes mean nothing in {} and were replaced.", decoded.encoding);
        reading.complaints.add(what, "document");
    }
    reading.run();
    reading.finish()
}

/// Writes a list of subscriptions, folders nested, everything in the order given.
pub fn write_opml(title: &str, subscriptions: &[NewSubscription], created: Timestamp) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head>\n    <title>",
    );
    escape(title, &mut out);
    out.push_str("</title>\n");
    let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
    let date = jiff::Timestamp::from_second(created.seconds()).ok();
    if let Some(date) = date.and_then(|time| printer.timestamp_to_rfc9110_string(&time).ok()) {
        let _ = writeln!(out, "    <dateCreated>{date}</dateCreated>");
    }
    out.push_str("  </head>\n  <body>\n");
    write_folders(&folders_of(subscriptions), &mut out);
    out.push_str("  </body>\n</opml>\n");
    out
}

/// What one open outline is to those inside it.
enum Open {
    /// Its name is the last of the path.
    Folder,
    /// A feed, a folder without a name, or a folder too deep to be kept.
    Transparent,
    /// A folder too deep to be kept.
    Deep,
}

struct Reading<'t> {
    events: Events<'t>,
    limits: &'t Limits,
    entities: Entities,
    complaints: Complaints,
    /// Every outline still open: a list, not recursion, so that depth costs a byte and no stack.
    open: Vec<Open>,
    path: Vec<String>,
    /// How many of `open` are too deep.
    deep: usize,
    seen: HashSet<String>,
    root: Option<String>,
    is_opml: bool,
    ended: bool,
    in_title: bool,
    title: String,
    found: Opml,
}

/// The attributes of an outline that count.
#[derive(Default)]
struct Outline {
    text: Option<String>,
    title: Option<String>,
    xml_url: Option<String>,
    html_url: Option<String>,
    url: Option<String>,
    kind: Option<String>,
}

impl<'t> Reading<'t> {
    fn new(text: &'t str, limits: &'t Limits) -> Self {
        Reading {
            events: Events::new(text),
            limits,
            entities: Entities::new(limits.entity_bytes_max),
            complaints: Complaints::new(limits),
            open: Vec::new(),
            path: Vec::new(),
            deep: 0,
            seen: HashSet::new(),
            root: None,
            is_opml: false,
            ended: false,
            in_title: false,
            title: String::new(),
            found: Opml::default(),
        }
    }

    fn run(&mut self) {
        loop {
            match self.events.next() {
                Event::Start { tag, empty } => self.start(tag, empty),
                Event::End(name) => self.end(local(name)),
                Event::Text(text) | Event::CData(text) => self.title_text(text),
                Event::Reference(name) if self.in_title => self.entities.resolve(name, &mut self.title),
                Event::Reference(_) => {}
                Event::DocType(doctype) => self.entities.declare(doctype),
                Event::Eof => return,
            }
        }
    }

    fn start(&mut self, tag: &'t str, empty: bool) {
        let name = name_of(tag);
        let local = local(name);
        if self.root.is_none() {
            self.root = Some(local.to_ascii_lowercase());
        }
        if local.eq_ignore_ascii_case("outline") {
            self.outline(tag, name.len(), empty);
        } else if local.eq_ignore_ascii_case("opml") {
            self.is_opml = true;
        } else if local.eq_ignore_ascii_case("title") {
            self.in_title = self.open.is_empty() && self.title.is_empty() && !empty;
        }
    }

    fn end(&mut self, local: &str) {
        if local.eq_ignore_ascii_case("outline") {
            match self.open.pop() {
                Some(Open::Folder) => {
                    self.path.pop();
                }
                Some(Open::Deep) => self.deep -= 1,
                Some(Open::Transparent) | None => {}
            }
        } else if local.eq_ignore_ascii_case("opml") {
            self.ended = true;
        } else {
            self.in_title = false;
        }
    }

    fn title_text(&mut self, text: &str) {
        if self.in_title && self.title.len() < self.limits.title_chars_max.saturating_mul(4) {
            self.title.push_str(text);
        }
    }

    fn outline(&mut self, tag: &'t str, name_len: usize, empty: bool) {
        let outline = self.read_attributes(tag, name_len);
        let name = outline.text.as_deref().and_then(|text| self.line(text));
        let name = name.or_else(|| outline.title.as_deref().and_then(|text| self.line(text)));
        let open = match outline.address() {
            Some(address) => {
                let address = address.to_owned();
                self.feed(&address, name, outline.html_url.as_deref());
                Open::Transparent
            }
            None => match name {
                _ if empty => Open::Transparent,
                None => Open::Transparent,
                Some(_) if self.path.len() >= self.limits.opml_depth_max => Open::Deep,
                Some(name) => {
                    self.path.push(name);
                    Open::Folder
                }
            },
        };
        if !empty {
            self.deep += usize::from(matches!(open, Open::Deep));
            self.open.push(open);
        }
    }

    fn feed(&mut self, address: &str, name: Option<String>, html_url: Option<&str>) {
        self.is_opml = true;
        let Some(url) = web_address(address, self.limits) else {
            let shown: String = address.chars().take(100).collect();
            let place = format!("byte {}", self.events.at);
            self.complaints.add(format!("{shown:?} is no web address; its feed was left out."), place);
            return;
        };
        if !self.seen.insert(url.clone()) {
            self.found.duplicates += 1;
            return;
        }
        if self.found.subscriptions.len() >= self.limits.opml_outlines_max {
            self.found.left_out += 1;
            return;
        }
        self.found.flattened += usize::from(self.deep > 0);
        self.found.subscriptions.push(NewSubscription {
            title: name.filter(|name| name != address && *name != url),
            site_url: html_url.and_then(|address| web_address(address, self.limits)),
            folder: self.path.clone(),
            url,
        });
    }

    fn read_attributes(&mut self, tag: &'t str, name_len: usize) -> Outline {
        let mut outline = Outline::default();
        for attribute in
            Attributes::html(tag, name_len).with_checks(false).flatten().take(self.limits.attributes_max)
        {
            let key = attribute.key.into_inner();
            let slot = match () {
                () if key.eq_ignore_ascii_case("text") => &mut outline.text,
                () if key.eq_ignore_ascii_case("title") => &mut outline.title,
                () if key.eq_ignore_ascii_case("xmlUrl") => &mut outline.xml_url,
                () if key.eq_ignore_ascii_case("htmlUrl") => &mut outline.html_url,
                () if key.eq_ignore_ascii_case("url") => &mut outline.url,
                () if key.eq_ignore_ascii_case("type") => &mut outline.kind,
                () => continue,
            };
            if slot.is_none() {
                let mut value = String::with_capacity(attribute.value.len());
                self.entities.resolve_all(&attribute.value, &mut value);
                *slot = Some(value);
            }
        }
        outline
    }

    /// A name on one line, within its bound.
    fn line(&self, text: &str) -> Option<String> {
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let line: String =
            line.chars().filter(|c| !c.is_control()).take(self.limits.title_chars_max).collect();
        let line = line.trim();
        (!line.is_empty()).then(|| line.to_owned())
    }

    fn finish(mut self) -> Result<Opml, OpmlError> {
        if !self.is_opml {
            return Err(match self.root.as_deref() {
                Some("rss" | "rdf" | "feed") => OpmlError::Feed,
                Some("html" | "head" | "body") => OpmlError::Html,
                _ => OpmlError::NotOpml,
            });
        }
        self.found.title = self.line(&self.title);
        if self.events.cut || !self.open.is_empty() || (self.root.as_deref() == Some("opml") && !self.ended) {
            self.complaints.add("The file ends early; what could be read was kept.", "end");
        }
        if self.entities.spent {
            self.complaints
                .add("The file's own entities grew too large and were not expanded.", "document type");
        }
        if self.entities.external {
            self.complaints.add("The file refers to other files; they were not read.", "document type");
        }
        let flattened = self.found.flattened;
        if flattened > 0 {
            let depth = self.limits.opml_depth_max;
            self.complaints.add(
                format!("{flattened} feeds stood in folders deeper than {depth}; they were put into the folder at that depth."),
                "document",
            );
        }
        self.found.complaints = self.complaints.into_list();
        Ok(self.found)
    }
}

impl Outline {
    /// The feed's address. `url` counts only where the type says that it is one.
    fn address(&self) -> Option<&str> {
        let is_feed = || {
            self.kind.as_deref().is_some_and(|kind| {
                ["rss", "atom", "feed"].iter().any(|known| kind.trim().eq_ignore_ascii_case(known))
            })
        };
        let address = self.xml_url.as_deref().or_else(|| self.url.as_deref().filter(|_| is_feed()));
        address.map(str::trim).filter(|address| !address.is_empty())
    }
}

/// An absolute http or https address without fragment; `feed:` in front of it is dropped.
fn web_address(text: &str, limits: &Limits) -> Option<String> {
    let text = text.trim();
    let bare = match text.get(..5) {
        Some(scheme) if scheme.eq_ignore_ascii_case("feed:") => &text[5..],
        _ => text,
    };
    if bare.len() > limits.url_bytes_max {
        return None;
    }
    let url = match Url::parse(bare) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) if bare.starts_with("//") => {
            Url::parse(&format!("http:{bare}")).ok()?
        }
        Err(url::ParseError::RelativeUrlWithoutBase) if bare.starts_with("www.") => {
            Url::parse(&format!("http://{bare}")).ok()?
        }
        Err(_) => return None,
    };
    let mut url = url;
    url.set_fragment(None);
    let kept = matches!(url.scheme(), "http" | "https") && url.as_str().len() <= limits.url_bytes_max;
    kept.then(|| url.into())
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// A folder to be written: what is in it, in order.
#[derive(Default)]
struct Folder<'a> {
    name: &'a str,
    content: Vec<Content<'a>>,
}

enum Content<'a> {
    Feed(&'a NewSubscription),
    /// The place of a folder in the list of all.
    Folder(usize),
}

/// All folders; the first holds what is in none.
fn folders_of(subscriptions: &[NewSubscription]) -> Vec<Folder<'_>> {
    let mut folders = vec![Folder::default()];
    let mut known: HashMap<(usize, &str), usize> = HashMap::new();
    for subscription in subscriptions {
        let mut at = 0;
        for name in &subscription.folder {
            at = *known.entry((at, name)).or_insert_with(|| {
                let new = folders.len();
                folders.push(Folder { name, content: Vec::new() });
                folders[at].content.push(Content::Folder(new));
                new
            });
        }
        folders[at].content.push(Content::Feed(subscription));
    }
    folders
}

/// Writes the folders one inside the other, with a list of what is still to be written instead of recursion.
fn write_folders(folders: &[Folder<'_>], out: &mut String) {
    let mut stack: Vec<(usize, usize)> = vec![(0, 0)];
    while let Some((folder, next)) = stack.pop() {
        let indent = 2 + stack.len();
        match folders.get(folder).and_then(|folder| folder.content.get(next)) {
            Some(Content::Feed(feed)) => {
                stack.push((folder, next + 1));
                write_feed(feed, indent, out);
            }
            Some(Content::Folder(inner)) => {
                stack.push((folder, next + 1));
                stack.push((*inner, 0));
                let name = folders.get(*inner).map_or("", |folder| folder.name);
                out.push_str(&"  ".repeat(indent));
                out.push_str("<outline");
                attribute("text", name, out);
                attribute("title", name, out);
                out.push_str(">\n");
            }
            None if stack.is_empty() => {}
            None => {
                out.push_str(&"  ".repeat(indent - 1));
                out.push_str("</outline>\n");
            }
        }
    }
}

fn write_feed(feed: &NewSubscription, indent: usize, out: &mut String) {
    // The standard wants a text, so a feed without a name is called by its address, and read back without a name.
    let name = feed.title.as_deref().unwrap_or(&feed.url);
    out.push_str(&"  ".repeat(indent));
    out.push_str("<outline type=\"rss\"");
    attribute("text", name, out);
    attribute("title", name, out);
    attribute("xmlUrl", &feed.url, out);
    if let Some(site) = &feed.site_url {
        attribute("htmlUrl", site, out);
    }
    out.push_str("/>\n");
}

fn attribute(name: &str, value: &str, out: &mut String) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape(value, out);
    out.push('"');
}

/// Escapes for text and double-quoted values; characters XML 1.0 cannot hold are left out.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..' ' | '\u{FFFE}' | '\u{FFFF}' => {}
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests;
