//! Writes clean HTML from foreign HTML, in one linear pass.
//!
//! What comes out is in a normal form: only listed elements and attributes, every tag closed in order, nesting at most
//! `html_depth_max`, tables with all their parts, text and values escaped one way, addresses absolute. A standard
//! HTML parser reads it into exactly the tree it spells, without foster parenting, adoption or reconstruction; those
//! and deep nesting are what make such parsers quadratic, so whatever stands behind this writer is linear too.
//! Reading its own output it writes the same again.

mod nesting;
mod output;
mod values;

use self::output::is_language;
use self::values::Values;
use crate::address::{LINK_SCHEMES, MEDIA_SCHEMES, Resolver, is_beacon, video};
use crate::entity::{Form, decode_into};
use crate::tag::{Attribute, Fate, LINE, Tag};
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
        if let Some(ampersand) = out[at..end].rfind('&')
            && !out[at + ampersand..end].contains(';')
        {
            end = at + ampersand;
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
