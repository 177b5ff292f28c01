//! Tags and attributes written out. Everything that adds to the output asks for room first; end tags have theirs
//! reserved.

use super::values::Values;
use super::{Purpose, Writer};
use crate::address::{LINK_SCHEMES, MEDIA_SCHEMES};
use crate::entity::{Form, decode_into, escape_into};
use crate::tag::{Attribute, GENERIC, REL, Rule, SPECIAL, Tag, attributes_of};
use crate::token::Start;

impl Writer<'_> {
    /// Writes a start tag and opens the element, unless it is too deep or there is no room.
    pub(super) fn open(&mut self, tag: Tag, values: &Values<'_>) -> bool {
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

    pub(super) fn void(&mut self, tag: Tag, values: &Values<'_>) {
        self.enter(tag);
        self.write_tag(tag, values, 0);
        self.after_pre = false;
        self.after_image = false;
    }

    pub(super) fn leave(&mut self, tag: Tag) {
        if let Some(at) = self.find_open(tag) {
            self.close_to(at);
        }
    }

    pub(super) fn close_to(&mut self, depth: usize) {
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
                PAGE_ATTRIBUTES.iter().for_each(|name| self.write_attribute(*name, Rule::Text, values));
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
                self.resolver.resolve_raw(raw, &LINK_SCHEMES).iter().for_each(|url| write(url.as_str()));
            }
            Rule::Media => {
                self.resolver.resolve_raw(raw, &MEDIA_SCHEMES).iter().for_each(|url| write(url.as_str()));
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
                words.iter().filter(|word| **word == raw.trim()).for_each(|word| write(word));
            }
            Rule::Language if is_language(raw) => write(raw),
            Rule::Flag => write(""),
            Rule::Language | Rule::Always(_) => {}
        }
    }
}

// The head of a page, for whoever looks for its article.
impl Writer<'_> {
    pub(super) fn title(&mut self, raw: &str) {
        if self.done.head.contains("<title>") || raw.len() > HEAD_VALUE_BYTES_MAX {
            return;
        }
        self.done.head.push_str("<title>");
        decode_into(&mut self.done.head, raw, Form::Text, false);
        self.done.head.push_str("</title>");
    }

    pub(super) fn meta(&mut self, start: Start<'_>) {
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
pub(super) fn is_language(raw: &str) -> bool {
    (1..=35).contains(&raw.len()) && raw.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}
