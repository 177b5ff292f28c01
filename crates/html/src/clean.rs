//! Writes clean HTML from foreign HTML, in one linear pass.
//!
//! What comes out is in a normal form: only listed elements and attributes, every tag closed in order, nesting at most
//! `html_depth_max`, tables with all their parts, text and values escaped one way, addresses absolute. A standard
//! HTML parser reads it into exactly the tree it spells, without foster parenting, adoption or reconstruction; those
//! and deep nesting are what make such parsers quadratic, so whatever stands behind this writer is linear too.
//! Reading its own output it writes the same again.

use crate::address::{LINK_SCHEMES, MEDIA_SCHEMES, Resolver, is_beacon, is_point, style_hides, video};
use crate::entity::{Form, decode_into, escape_into};
use crate::tag::{
    Attribute, CELL, CLOSES_P, FORMATTING, FRAME, Fate, GENERIC, HEADING, IMPLIED_END, LINE, REL, Rule,
    SPECIAL, Tag, attributes_of,
};
use crate::token::{Start, Token, Tokens, is_space};
use domain::Limits;

/// What the clean HTML is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be shown to people.
    Body,
    /// To be searched for its main article: classes, ids and roles stay, and `nav` and `main` keep their names.
    Page,
}

#[derive(Debug, Default)]
pub(crate) struct Clean {
    pub(crate) html: String,
    /// `title` and `meta` elements of a page.
    pub(crate) head: String,
    pub(crate) language: Option<String>,
    /// Nested deeper than the limit.
    pub(crate) too_deep: bool,
    /// Longer than the limit.
    pub(crate) too_long: bool,
}

/// Cleans `html`, writing at most `bytes_max` bytes.
pub(crate) fn clean(
    html: &str,
    resolver: Resolver<'_>,
    limits: &Limits,
    bytes_max: usize,
    purpose: Purpose,
) -> Clean {
    let mut writer = Writer {
        done: Clean { html: String::with_capacity(html.len().min(bytes_max)), ..Clean::default() },
        open: Vec::new(),
        counts: [0; Tag::COUNT],
        dropped: [0; Tag::COUNT],
        closing_bytes: 0,
        bytes_max,
        depth_max: limits.html_depth_max,
        attributes_max: limits.attributes_max,
        resolver,
        purpose,
        after_pre: false,
        after_image: false,
        noscript: Noscript::Outside,
    };
    let mut tokens = Tokens::new(html);
    while !writer.done.too_long {
        match tokens.next() {
            None => break,
            Some(Token::Text(raw)) => writer.text(raw),
            Some(Token::Start(start)) => writer.start(start, &mut tokens),
            Some(Token::End(name)) => writer.end(name),
        }
    }
    writer.close_to(0);
    writer.done
}

struct Writer<'a> {
    done: Clean,
    open: Vec<Tag>,
    /// How many of each are open, so that an end tag without a start costs nothing.
    counts: [u16; Tag::COUNT],
    /// Start tags left out for depth, whose end tags must not close something else.
    dropped: [u32; Tag::COUNT],
    /// What closing everything open would add; it is reserved.
    closing_bytes: usize,
    bytes_max: usize,
    depth_max: usize,
    attributes_max: usize,
    resolver: Resolver<'a>,
    purpose: Purpose,
    /// Right after `<pre>`, where parsers swallow a line end.
    after_pre: bool,
    /// Nothing but white space since an image.
    after_image: bool,
    noscript: Noscript,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Noscript {
    Outside,
    /// Its images count: no script put them elsewhere.
    Fresh,
    /// It follows an image it repeats for readers without scripts.
    Repeats,
}

/// The attributes of one tag that we read, undecoded; the first of two wins.
struct Values<'a> {
    raw: [Option<&'a str>; Attribute::COUNT],
    /// Addresses already resolved, which replace the raw ones.
    resolved: Vec<(Attribute, String)>,
}

impl<'a> Values<'a> {
    const NONE: Values<'static> = Values { raw: [None; Attribute::COUNT], resolved: Vec::new() };

    fn read(start: Start<'a>, attributes_max: usize) -> Self {
        let mut values = Values { raw: [None; Attribute::COUNT], resolved: Vec::new() };
        for (name, value) in start.attributes().take(attributes_max) {
            if let Some(attribute) = Attribute::from_name(name) {
                values.raw[attribute as usize].get_or_insert(value);
            }
        }
        values
    }

    fn get(&self, attribute: Attribute) -> Option<&'a str> {
        self.raw[attribute as usize]
    }

    fn resolved(&self, attribute: Attribute) -> Option<&str> {
        self.resolved.iter().find(|(known, _)| *known == attribute).map(|(_, address)| address.as_str())
    }

    /// Too small to be seen, or hidden on purpose: a beacon (M4).
    fn is_pixel(&self) -> bool {
        self.get(Attribute::Width).is_some_and(is_point)
            || self.get(Attribute::Height).is_some_and(is_point)
            || self.get(Attribute::Style).is_some_and(style_hides)
            || self.get(Attribute::Hidden).is_some()
    }
}

// Tokens.
impl Writer<'_> {
    fn text(&mut self, raw: &str) {
        let blank = raw.bytes().all(is_space);
        if self.in_frame() {
            if blank {
                return;
            }
            self.imply_cell();
        }
        let out = &mut self.done.html;
        let at = out.len();
        decode_into(out, raw, Form::Text, false);
        if self.after_pre {
            let lines = out[at..].bytes().take_while(|b| *b == b'\n').count();
            out.replace_range(at..at + lines, "");
            self.after_pre = out.len() == at;
        }
        self.after_image &= blank;
        if self.done.html.len() + self.closing_bytes > self.bytes_max {
            self.cut_text(at);
        }
    }

    /// Shortens the text written since `at` to what still fits, without splitting a character or a reference.
    fn cut_text(&mut self, at: usize) {
        let out = &mut self.done.html;
        let mut end = out.floor_char_boundary(self.bytes_max.saturating_sub(self.closing_bytes)).max(at);
        if let Some(ampersand) = out[at..end].rfind('&') {
            if !out[at + ampersand..end].contains(';') {
                end = at + ampersand;
            }
        }
        out.truncate(end);
        self.done.too_long = true;
    }

    fn start(&mut self, start: Start<'_>, tokens: &mut Tokens<'_>) {
        let Some(tag) = Tag::from_name(start.name) else { return };
        match tag {
            Tag::Iframe => {
                tokens.raw_text(start.name);
                self.frame(start);
            }
            Tag::Embed => self.frame(start),
            Tag::Image => self.image(Values::read(start, self.attributes_max)),
            Tag::Noscript => {
                self.noscript = if self.after_image { Noscript::Repeats } else { Noscript::Fresh };
            }
            Tag::Button | Tag::Select | Tag::Textarea if self.purpose == Purpose::Page => {
                tokens.skip_element(start.name);
            }
            Tag::Textarea => self.text(tokens.raw_text(start.name)),
            Tag::Title if self.purpose == Purpose::Page => self.title(tokens.raw_text(start.name)),
            Tag::Meta if self.purpose == Purpose::Page => self.meta(start),
            Tag::Html if self.purpose == Purpose::Page => {
                let lang =
                    Values::read(start, self.attributes_max).get(Attribute::Lang).filter(|l| is_language(l));
                self.done.language = self.done.language.take().or(lang.map(str::to_owned));
            }
            _ => match tag.fate() {
                Fate::Keep | Fate::Void => self.element(tag, start),
                Fate::Block if self.keeps_name(tag) => self.element(tag, start),
                Fate::Block => {
                    let values = self.page_values(start);
                    self.enter(Tag::Div);
                    self.open(Tag::Div, &values);
                }
                Fate::Unwrap if tag.has(LINE) => self.gap(),
                Fate::Unwrap => {}
                Fate::Skip if tag.is_raw() => {
                    tokens.raw_text(start.name);
                }
                Fate::Skip => {
                    tokens.skip_element(start.name);
                }
            },
        }
    }

    fn end(&mut self, name: &str) {
        let Some(mut tag) = Tag::from_name(name) else { return };
        match tag.fate() {
            Fate::Keep => {}
            Fate::Block if self.keeps_name(tag) => {}
            Fate::Block => tag = Tag::Div,
            Fate::Void if tag == Tag::Br => return self.void(Tag::Br, &Values::NONE),
            Fate::Unwrap if tag == Tag::Noscript => {
                self.noscript = Noscript::Outside;
                return;
            }
            Fate::Unwrap if tag.has(LINE) => return self.gap(),
            _ => return,
        }
        if let Some(left) = self.dropped[tag as usize].checked_sub(1) {
            self.dropped[tag as usize] = left;
            return;
        }
        if let Some(at) = self.find_open(tag) {
            self.close_to(at);
        }
    }

    /// Parts two texts whose separating tag is not written.
    fn gap(&mut self) {
        if !self.done.html.is_empty() && !self.done.html.ends_with([' ', '\n', '>']) {
            self.text(" ");
        }
    }
}

// Elements.
impl Writer<'_> {
    fn element(&mut self, tag: Tag, start: Start<'_>) {
        let mut values =
            if start.has_attributes() { Values::read(start, self.attributes_max) } else { Values::NONE };
        match tag {
            Tag::Img => return self.image(values),
            Tag::Source | Tag::Track => return self.source(tag, values),
            Tag::Caption | Tag::Thead | Tag::Tbody | Tag::Tfoot | Tag::Tr | Tag::Td | Tag::Th => {
                return self.table_part(tag, &values);
            }
            Tag::A => {
                // A new link ends an open one, even when it leads nowhere itself.
                if let Some(at) = self.find_open(Tag::A) {
                    self.close_to(at);
                }
                let href =
                    values.get(Attribute::Href).and_then(|raw| self.resolver.resolve_raw(raw, &LINK_SCHEMES));
                let Some(href) = href else { return };
                values.resolved.push((Attribute::Href, href.into()));
            }
            _ => {}
        }
        if tag.fate() == Fate::Void {
            return self.void(tag, &values);
        }
        self.enter(tag);
        self.open(tag, &values);
    }

    fn image(&mut self, mut values: Values<'_>) {
        if values.is_pixel() || self.noscript == Noscript::Repeats {
            return;
        }
        // Pages that load images by script keep the real address beside a placeholder.
        let lazy = [Attribute::DataSrc, Attribute::DataLazySrc, Attribute::DataOriginal, Attribute::Src];
        let src = lazy
            .into_iter()
            .find_map(|name| values.get(name).and_then(|raw| self.resolver.resolve_raw(raw, &MEDIA_SCHEMES)));
        let srcset = [Attribute::DataSrcset, Attribute::Srcset]
            .into_iter()
            .find_map(|name| values.get(name).and_then(|raw| self.resolver.srcset(raw)));
        let src = src.or_else(|| {
            let first = srcset.as_deref()?.split([' ', ',']).next()?;
            self.resolver.resolve(first, &MEDIA_SCHEMES)
        });
        let Some(src) = src.filter(|src| !is_beacon(src)) else { return };
        values.resolved.push((Attribute::Src, src.into()));
        values.raw[Attribute::Srcset as usize] = None;
        if let Some(srcset) = srcset {
            values.resolved.push((Attribute::Srcset, srcset));
        }
        self.void(Tag::Img, &values);
        self.after_image = true;
    }

    /// A `source` or `track` counts only inside what it belongs to, and only with an address.
    fn source(&mut self, tag: Tag, mut values: Values<'_>) {
        let inside =
            [Tag::Picture, Tag::Audio, Tag::Video].iter().any(|parent| self.counts[*parent as usize] > 0);
        let src = values.get(Attribute::Src).and_then(|raw| self.resolver.resolve_raw(raw, &MEDIA_SCHEMES));
        let raw = values.get(Attribute::DataSrcset).or(values.get(Attribute::Srcset));
        let srcset = raw.filter(|_| tag == Tag::Source).and_then(|raw| self.resolver.srcset(raw));
        if !inside || (src.is_none() && srcset.is_none()) {
            return;
        }
        values.raw[Attribute::Src as usize] = None;
        values.raw[Attribute::Srcset as usize] = None;
        values.resolved.extend(src.map(|src| (Attribute::Src, src.into())));
        values.resolved.extend(srcset.map(|srcset| (Attribute::Srcset, srcset)));
        self.void(tag, &values);
    }

    /// A frame or plug-in is never kept; a known video becomes a link to its page, made from its id alone (X6).
    fn frame(&mut self, start: Start<'_>) {
        let values = Values::read(start, self.attributes_max);
        let found = [Attribute::DataSrc, Attribute::DataLazySrc, Attribute::Src]
            .into_iter()
            .find_map(|name| video(&self.resolver.resolve_raw(values.get(name)?, &MEDIA_SCHEMES)?));
        let Some(found) = found else { return };
        if let Some(at) = self.find_open(Tag::A) {
            self.close_to(at);
        }
        if self.open.len() + 2 > self.depth_max {
            return;
        }
        let paragraph = self.counts[Tag::P as usize] == 0;
        if paragraph {
            self.enter(Tag::P);
            self.open(Tag::P, &Values::NONE);
        }
        let mut link = Values::NONE;
        link.resolved.push((Attribute::Href, found.page));
        if self.open(Tag::A, &link) {
            self.text("Video on ");
            self.text(found.site);
            if let Some(title) = values.get(Attribute::Title).filter(|title| !title.trim().is_empty()) {
                self.text(": ");
                self.text(title);
            }
            self.leave(Tag::A);
        }
        if paragraph {
            self.leave(Tag::P);
        }
    }

    /// Table parts stand where a parser would put them, with the parts they need around them.
    fn table_part(&mut self, tag: Tag, values: &Values<'_>) {
        let Some(table) = self.open.iter().rposition(|open| *open == Tag::Table) else { return self.gap() };
        if matches!(tag, Tag::Caption | Tag::Thead | Tag::Tbody | Tag::Tfoot) {
            self.close_to(table + 1);
            self.open(tag, values);
            return;
        }
        if self.open.get(table + 1).is_some_and(|section| section.has(FRAME)) {
            self.close_to(if tag != Tag::Tr && self.open.get(table + 2) == Some(&Tag::Tr) {
                table + 3
            } else {
                table + 2
            });
        } else {
            self.close_to(table + 1);
            self.open(Tag::Tbody, &Values::NONE);
        }
        if tag != Tag::Tr && self.open.last() != Some(&Tag::Tr) {
            self.open(Tag::Tr, &Values::NONE);
        }
        self.open(tag, values);
    }

    /// Text between table parts would be moved in front of the table by a parser (foster parenting, which is
    /// quadratic); here it gets a cell of its own and stays where it was written.
    fn imply_cell(&mut self) {
        for part in [Tag::Tbody, Tag::Tr, Tag::Td] {
            let needed = match self.open.last() {
                Some(Tag::Table) => true,
                Some(Tag::Tbody | Tag::Thead | Tag::Tfoot) => part != Tag::Tbody,
                Some(Tag::Tr) => part == Tag::Td,
                _ => false,
            };
            if needed {
                self.open(part, &Values::NONE);
            }
        }
    }

    /// Closes what the start of `tag` closes (§13.2.6.4.7).
    fn enter(&mut self, tag: Tag) {
        if self.in_frame() {
            self.imply_cell();
        }
        match tag {
            Tag::Li => self.close_item(&[Tag::Li]),
            Tag::Dt | Tag::Dd => self.close_item(&[Tag::Dt, Tag::Dd]),
            Tag::Rt | Tag::Rp if self.find_open(Tag::Ruby).is_some() => {
                while self.open.last().is_some_and(|open| open.has(IMPLIED_END)) {
                    self.close_to(self.open.len() - 1);
                }
            }
            _ => {}
        }
        if tag.has(CLOSES_P) {
            if let Some(at) = self.find_open(Tag::P) {
                self.close_to(at);
            }
        }
        if tag.has(HEADING) && self.open.last().is_some_and(|open| open.has(HEADING)) {
            self.close_to(self.open.len() - 1);
        }
    }

    fn close_item(&mut self, items: &[Tag]) {
        for at in (0..self.open.len()).rev() {
            let open = self.open[at];
            if items.contains(&open) {
                return self.close_to(at);
            }
            if open.has(SPECIAL) && !matches!(open, Tag::Address | Tag::Div | Tag::P) {
                return;
            }
        }
    }

    /// Where the element is open that an end tag (or a new element) would close.
    fn find_open(&self, tag: Tag) -> Option<usize> {
        if self.counts[tag as usize] == 0 && !tag.has(HEADING) {
            return None;
        }
        let of_table = tag.has(FRAME) || tag.has(CELL);
        for (at, open) in self.open.iter().enumerate().rev() {
            if *open == tag || (tag.has(HEADING) && open.has(HEADING)) {
                return Some(at);
            }
            let stops = match tag {
                _ if of_table => *open == Tag::Table,
                _ if open.has(CELL) || open.has(FRAME) => true,
                Tag::Li => matches!(open, Tag::Ul | Tag::Ol),
                Tag::Dt | Tag::Dd => *open == Tag::Dl,
                // Links, bold and their like end whatever they enclose; a span does not end a paragraph.
                _ => !tag.has(SPECIAL) && !tag.has(FORMATTING) && open.has(SPECIAL),
            };
            if stops {
                return None;
            }
        }
        None
    }

    fn in_frame(&self) -> bool {
        self.open.last().is_some_and(|open| open.has(FRAME))
    }

    fn keeps_name(&self, tag: Tag) -> bool {
        self.purpose == Purpose::Page && matches!(tag, Tag::Main | Tag::Nav)
    }

    fn page_values<'s>(&self, start: Start<'s>) -> Values<'s> {
        match self.purpose {
            Purpose::Page => Values::read(start, self.attributes_max),
            Purpose::Body => Values::NONE,
        }
    }
}

// Output. Everything that adds to it asks for room first.
impl Writer<'_> {
    /// Writes a start tag and opens the element, unless it is too deep or there is no room.
    fn open(&mut self, tag: Tag, values: &Values<'_>) -> bool {
        // A table needs room for its section, row and cell.
        let levels = if tag == Tag::Table { 4 } else { 1 };
        if self.open.len() + levels > self.depth_max {
            self.done.too_deep = true;
            self.dropped[tag as usize] = self.dropped[tag as usize].saturating_add(1);
            return false;
        }
        let closing = tag.name().len() + "</>".len();
        if !self.write_tag(tag, values, closing) {
            return false;
        }
        self.closing_bytes += closing;
        self.counts[tag as usize] += 1;
        self.open.push(tag);
        self.after_pre = tag == Tag::Pre;
        self.after_image &= !tag.has(SPECIAL);
        true
    }

    fn void(&mut self, tag: Tag, values: &Values<'_>) {
        self.enter(tag);
        self.write_tag(tag, values, 0);
        self.after_pre = false;
        self.after_image = false;
    }

    fn leave(&mut self, tag: Tag) {
        if let Some(at) = self.find_open(tag) {
            self.close_to(at);
        }
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(tag) = self.open.pop() else { return };
            self.counts[tag as usize] = self.counts[tag as usize].saturating_sub(1);
            self.done.html.push_str("</");
            self.done.html.push_str(tag.name());
            self.done.html.push('>');
            self.closing_bytes = self.closing_bytes.saturating_sub(tag.name().len() + "</>".len());
            self.after_pre = false;
        }
    }

    fn write_tag(&mut self, tag: Tag, values: &Values<'_>, closing: usize) -> bool {
        if self.done.too_long {
            return false;
        }
        let at = self.done.html.len();
        self.done.html.push('<');
        self.done.html.push_str(tag.name());
        for (attribute, rule) in attributes_of(tag) {
            self.write_attribute(*attribute, *rule, values);
        }
        for (attribute, rule) in GENERIC {
            self.write_attribute(*attribute, *rule, values);
        }
        match self.purpose {
            Purpose::Body if tag == Tag::A => self.write_attribute(Attribute::Rel, Rule::Always(REL), values),
            Purpose::Body => {}
            Purpose::Page => {
                PAGE_ATTRIBUTES.iter().for_each(|name| self.write_attribute(*name, Rule::Text, values))
            }
        }
        self.done.html.push('>');
        let fits = self.done.html.len() + self.closing_bytes + closing <= self.bytes_max;
        if !fits {
            self.done.html.truncate(at);
            self.done.too_long = true;
        }
        fits
    }

    fn write_attribute(&mut self, attribute: Attribute, rule: Rule, values: &Values<'_>) {
        let out = &mut self.done.html;
        let name = attribute.name();
        let mut write = |value: &str| {
            out.push(' ');
            out.push_str(name);
            out.push_str("=\"");
            escape_into(out, value, Form::Value);
            out.push('"');
        };
        if let Some(address) = values.resolved(attribute) {
            return write(address);
        }
        if let Rule::Always(value) = rule {
            return write(value);
        }
        let Some(raw) = values.get(attribute) else { return };
        match rule {
            Rule::Text => {
                let mut text = String::with_capacity(raw.len());
                decode_into(&mut text, raw, Form::Plain, true);
                write(&text);
            }
            Rule::Link => {
                self.resolver.resolve_raw(raw, &LINK_SCHEMES).iter().for_each(|url| write(url.as_str()))
            }
            Rule::Media => {
                self.resolver.resolve_raw(raw, &MEDIA_SCHEMES).iter().for_each(|url| write(url.as_str()))
            }
            Rule::Srcset => self.resolver.srcset(raw).iter().for_each(|srcset| write(srcset)),
            Rule::Number(max) => {
                let number = raw.trim().trim_end_matches("px").parse::<u32>().ok();
                number.filter(|n| (1..=max).contains(n)).iter().for_each(|n| write(&n.to_string()));
            }
            Rule::Word(words) => {
                words
                    .iter()
                    .filter(|word| word.eq_ignore_ascii_case(raw.trim()))
                    .for_each(|word| write(word));
            }
            Rule::Exactly(words) => {
                words.iter().filter(|word| **word == raw.trim()).for_each(|word| write(word))
            }
            Rule::Language if is_language(raw) => write(raw),
            Rule::Flag => write(""),
            Rule::Language | Rule::Always(_) => {}
        }
    }
}

// The head of a page, for whoever looks for its article.
impl Writer<'_> {
    fn title(&mut self, raw: &str) {
        if self.done.head.contains("<title>") || raw.len() > HEAD_VALUE_BYTES_MAX {
            return;
        }
        self.done.head.push_str("<title>");
        decode_into(&mut self.done.head, raw, Form::Text, false);
        self.done.head.push_str("</title>");
    }

    fn meta(&mut self, start: Start<'_>) {
        let values = Values::read(start, self.attributes_max);
        let Some(content) = values.get(Attribute::Content) else { return };
        if content.len() > HEAD_VALUE_BYTES_MAX || self.done.head.len() > HEAD_BYTES_MAX {
            return;
        }
        let head = &mut self.done.head;
        head.push_str("<meta");
        for name in [Attribute::Name, Attribute::Property, Attribute::Itemprop, Attribute::Content] {
            if let Some(raw) = values.get(name).filter(|raw| raw.len() <= HEAD_VALUE_BYTES_MAX) {
                head.push(' ');
                head.push_str(name.name());
                head.push_str("=\"");
                decode_into(head, raw, Form::Value, true);
                head.push('"');
            }
        }
        head.push('>');
    }
}

const HEAD_BYTES_MAX: usize = 64 << 10;
const HEAD_VALUE_BYTES_MAX: usize = 4 << 10;

/// What the search for the article goes by.
const PAGE_ATTRIBUTES: [Attribute; 8] = [
    Attribute::Class,
    Attribute::Id,
    Attribute::Role,
    Attribute::Rel,
    Attribute::Itemprop,
    Attribute::Style,
    Attribute::Hidden,
    Attribute::AriaHidden,
];

/// Letters, digits and hyphens, as BCP 47 wants, and no longer than any real one.
fn is_language(raw: &str) -> bool {
    (1..=35).contains(&raw.len()) && raw.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}
