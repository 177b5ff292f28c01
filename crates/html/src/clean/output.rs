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
        if let Some(address) = values.resolved(attribute) {
            return self.write_value(attribute, address);
        }
        if let Rule::Always(value) = rule {
            return self.write_value(attribute, value);
        }
        let Some(raw) = values.get(attribute) else { return };
        let word = raw.trim();
        match rule {
            Rule::Text => self.write_quoted(attribute, |out| decode_into(out, raw, Form::Value, true)),
            Rule::Flag => self.write_value(attribute, ""),
            Rule::Language if is_language(raw) => self.write_value(attribute, raw),
            Rule::Link => self.write_address(attribute, raw, &LINK_SCHEMES),
            Rule::Media => self.write_address(attribute, raw, &MEDIA_SCHEMES),
            Rule::Srcset => {
                if let Some(srcset) = self.resolver.srcset(raw) {
                    self.write_value(attribute, &srcset);
                }
            }
            Rule::Number(max) => match word.trim_end_matches("px").parse::<u32>() {
                Ok(number) if (1..=max).contains(&number) => self.write_value(attribute, &number.to_string()),
                _ => {}
            },
            Rule::Word(words) => {
                if let Some(known) = words.iter().find(|known| known.eq_ignore_ascii_case(word)) {
                    self.write_value(attribute, known);
                }
            }
            Rule::Exactly(words) if words.contains(&word) => self.write_value(attribute, word),
            Rule::Exactly(_) | Rule::Language | Rule::Always(_) => {}
        }
    }

    fn write_address(&mut self, attribute: Attribute, raw: &str, schemes: &[&str]) {
        if let Some(url) = self.resolver.resolve_raw(raw, schemes) {
            self.write_value(attribute, url.as_str());
        }
    }

    fn write_value(&mut self, attribute: Attribute, value: &str) {
        self.write_quoted(attribute, |out| escape_into(out, value, Form::Value));
    }

    fn write_quoted(&mut self, attribute: Attribute, write: impl FnOnce(&mut String)) {
        let out = &mut self.done.html;
        out.push(' ');
        out.push_str(attribute.name());
        out.push_str("=\"");
        write(out);
        out.push('"');
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
