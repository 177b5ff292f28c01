//! XML events from text that may not be XML.
//!
//! quick-xml finds the markup; this file decides what to do where it gives up: a `<` that opens nothing is text, an
//! unfinished comment ends at the next `>`, an unfinished CDATA section runs to the end. Re-reading after such a
//! repair is charged against a budget, so that no document costs more than a few passes over its bytes. Nothing here
//! knows about feeds.

use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::Event as Inner;
use quick_xml::reader::Reader;

#[derive(Debug, PartialEq)]
pub(crate) enum Event<'t> {
    /// What stands between `<` and `>` or `/>`.
    Start {
        tag: &'t str,
        empty: bool,
    },
    End(&'t str),
    Text(&'t str),
    CData(&'t str),
    /// The name between `&` and `;`.
    Reference(&'t str),
    DocType(&'t str),
    Eof,
}

pub(crate) struct Events<'t> {
    text: &'t str,
    /// Where in `text` the current reader started.
    origin: usize,
    reader: Reader<&'t [u8]>,
    /// Bytes we may still read a second time.
    rescan: usize,
    /// How often the text was not XML and we went on all the same.
    pub(crate) repaired: usize,
    /// A comment had no end, so no later one has.
    comments_unclosed: bool,
    /// The text ended inside markup.
    pub(crate) cut: bool,
    /// There is nowhere to go on.
    over: bool,
    pub(crate) at: usize,
}

/// Attribute values with markup in them are legal HTML and common in titles; beyond this a quote is missing.
const TAG_BYTES_SANE: usize = 16 << 10;

impl<'t> Events<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let rescan = text.len().saturating_mul(4).saturating_add(64 << 10);
        Events {
            text,
            origin: 0,
            reader: reader(text),
            rescan,
            repaired: 0,
            comments_unclosed: false,
            over: false,
            cut: false,
            at: 0,
        }
    }

    pub(crate) fn next(&mut self) -> Event<'t> {
        loop {
            if self.over {
                return Event::Eof;
            }
            let before = self.position();
            self.at = before;
            if self.is_lost_cause(before) {
                match self.skip_markup(before, 0, false) {
                    Some(event) => return event,
                    None => continue,
                }
            }
            let event = self.reader.read_event();
            let after = self.position();
            match event {
                Ok(Inner::Start(_) | Inner::Empty(_)) => return self.start(before, after),
                Ok(Inner::End(_)) => return self.end(before, after),
                Ok(Inner::Text(_)) => return Event::Text(self.slice(before, after)),
                Ok(Inner::CData(_)) => {
                    let whole = self.slice(before, after);
                    return Event::CData(whole.get(9..whole.len().saturating_sub(3)).unwrap_or(""));
                }
                Ok(Inner::GeneralRef(_)) => {
                    let whole = self.slice(before, after);
                    return Event::Reference(whole.get(1..whole.len().saturating_sub(1)).unwrap_or(""));
                }
                Ok(Inner::DocType(_)) => return Event::DocType(self.slice(before, after)),
                Ok(Inner::Comment(_) | Inner::Decl(_) | Inner::PI(_)) => {}
                Ok(Inner::Eof) => return Event::Eof,
                Err(Error::IllFormed(_)) => self.repaired += 1,
                Err(error) => {
                    if let Some(event) = self.repair(before, after - before, &error) {
                        return event;
                    }
                }
            }
        }
    }

    /// The beginning of the document, where namespaces are declared.
    pub(crate) fn head(&self) -> &'t str {
        let end =
            (0..=self.text.len().min(4096)).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0);
        &self.text[..end]
    }

    fn position(&self) -> usize {
        let read = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
        self.origin.saturating_add(read).min(self.text.len())
    }

    fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or("")
    }

    fn start(&mut self, before: usize, after: usize) -> Event<'t> {
        let whole = self.slice(before, after);
        let first = whole.chars().nth(1).unwrap_or(' ');
        if !(first.is_alphabetic() || first == '_' || first == ':') {
            // "a < b": the bracket is text, and real markup may follow before the next `>`.
            return if self.restart(before + 1, after - before) {
                Event::Text("<")
            } else {
                Event::Text(whole)
            };
        }
        let inside = whole.get(1..whole.len().saturating_sub(1)).unwrap_or("");
        if let Some(bracket) = broken_at(inside)
            && self.restart(before + 1 + bracket, after - before)
        {
            let tag = inside.get(..bracket).unwrap_or("");
            return Event::Start { tag: tag.trim_end_matches('>'), empty: false };
        }
        match inside.strip_suffix('/') {
            Some(tag) => Event::Start { tag, empty: true },
            None => Event::Start { tag: inside, empty: false },
        }
    }

    fn end(&mut self, before: usize, after: usize) -> Event<'t> {
        let whole = self.slice(before, after);
        let inside = whole.get(2..whole.len().saturating_sub(1)).unwrap_or("");
        if let Some(bracket) = inside.find('<')
            && self.restart(before + 2 + bracket, after - before)
        {
            return Event::End(name_of(inside.get(..bracket).unwrap_or("")));
        }
        Event::End(name_of(inside.trim_start()))
    }

    /// Goes on reading at `from`. False when the budget for reading twice is used up.
    fn restart(&mut self, from: usize, reread: usize) -> bool {
        self.repaired += 1;
        if reread > self.rescan {
            return false;
        }
        let Some(rest) = self.text.get(from..) else { return false };
        self.rescan -= reread;
        self.origin = from;
        self.reader = reader(rest);
        true
    }

    /// Markup that quick-xml would search to the end of the text for, in vain: sections that are not CDATA, and
    /// comments once one was found to have no end.
    fn is_lost_cause(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        (rest.starts_with(b"<![") && !rest.starts_with(b"<![CDATA["))
            || (self.comments_unclosed && rest.starts_with(b"<!--"))
    }

    /// After a syntax error quick-xml is finished; this finds a place to go on, or sets `cut`. `reread` is how far it
    /// had looked.
    fn repair(&mut self, at: usize, reread: usize, error: &Error) -> Option<Event<'t>> {
        self.comments_unclosed |= matches!(error, Error::Syntax(SyntaxError::UnclosedComment));
        // The `>` may be inside a quote that never ended; then the tag counts.
        let in_tag = matches!(
            error,
            Error::Syntax(
                SyntaxError::UnclosedTag
                    | SyntaxError::UnclosedSingleQuotedAttributeValue
                    | SyntaxError::UnclosedDoubleQuotedAttributeValue
            )
        );
        self.skip_markup(at, reread, in_tag)
    }

    /// Goes on behind the markup at `at`, which ends at the next `>`, or `]]>` for CDATA in any case.
    fn skip_markup(&mut self, at: usize, reread: usize, in_tag: bool) -> Option<Event<'t>> {
        let rest = self.text.get(at..).unwrap_or("");
        if rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<![cdata[")) {
            let end = rest.find("]]>");
            let next = end.map_or(rest.len(), |end| end + 3);
            let resumed = self.restart(at + next, reread.max(next));
            self.cut |= end.is_none() || !resumed;
            self.over |= !resumed;
            return Some(Event::CData(rest.get(9..end.unwrap_or(rest.len())).unwrap_or("")));
        }
        let end = rest.find('>');
        let resumed = end.is_some_and(|end| self.restart(at + end + 1, reread.max(end)));
        self.cut |= !resumed;
        self.over |= !resumed;
        let tag = rest.get(1..end?).filter(|_| in_tag && resumed)?;
        Some(match tag.strip_prefix('/') {
            Some(name) => Event::End(name_of(name)),
            None => Event::Start { tag: tag.trim_end_matches('/'), empty: tag.ends_with('/') },
        })
    }
}

fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    config.check_comments = false;
    reader
}

/// The tag's name without what follows it.
pub(crate) fn name_of(tag: &str) -> &str {
    tag.split(|c: char| c.is_ascii_whitespace() || c == '/').next().unwrap_or("")
}

/// Where a tag really ends when the next one starts inside it: `<b </title>`, or a lost quote.
fn broken_at(inside: &str) -> Option<usize> {
    inside.find('<')?;
    let mut quote = None;
    for (at, byte) in inside.bytes().enumerate() {
        match (quote, byte) {
            (None, b'<') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    if inside.len() > TAG_BYTES_SANE { inside.find('>').map(|at| at + 1) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> (Vec<String>, bool) {
        let mut events = Events::new(text);
        let mut seen = Vec::new();
        loop {
            match events.next() {
                Event::Start { tag, empty } => seen.push(format!("<{tag}{}>", if empty { "/" } else { "" })),
                Event::End(name) => seen.push(format!("</{name}>")),
                Event::Text(text) => seen.push(text.to_owned()),
                Event::CData(text) => seen.push(format!("[{text}]")),
                Event::Reference(name) => seen.push(format!("&{name};")),
                Event::DocType(_) => seen.push("doctype".into()),
                Event::Eof => return (seen, events.cut),
            }
        }
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(events(text).0, expected, "{text}");
    }

    #[test]
    fn plain_documents_pass_unchanged() {
        check(
            "<?xml version='1.0'?><!DOCTYPE r><r a='1'><!-- c -->x&amp;y<![CDATA[<z>]]><e/></r >",
            &["doctype", "<r a='1'>", "x", "&amp;", "y", "[<z>]", "<e/>", "</r>"],
        );
    }

    #[test]
    fn brackets_and_ampersands_that_open_nothing_are_text() {
        check("<t>1 < 2 & 3 <3 love</t>", &["<t>", "1 ", "<", " 2 ", "& 3 ", "<", "3 love", "</t>"]);
    }

    #[test]
    fn a_tag_ends_where_the_next_one_begins() {
        check("<t>x<b </t><u>", &["<t>", "x", "<b >", "</t>", "<u>"]);
        check("<t>x</t <u>y</u>", &["<t>", "x", "</t>", "<u>", "y", "</u>"]);
    }

    #[test]
    fn unfinished_markup_at_the_end_is_reported_as_a_cut() {
        for text in ["<a><b", "<a><b c='d", "<a><!-- x", "<a></b", "<a><?pi", "<a><![CDATA[x"] {
            let (seen, cut) = events(text);
            assert!(cut, "{text}: {seen:?}");
            assert_eq!(seen[0], "<a>");
        }
        assert!(!events("<a>x").1);
    }

    #[test]
    fn an_unfinished_comment_in_the_middle_loses_only_itself() {
        check("<a><!-- lost><b>x</b></a>", &["<a>", "<b>", "x", "</b>", "</a>"]);
        check("<a><!oops><![cdata[x]]><![if y]>z</a>", &["<a>", "[x]", "z", "</a>"]);
    }

    #[test]
    fn small_repairs_are_not_charged_as_if_the_whole_document_was_read_again() {
        let text = format!("<a>{}<b>x</b></a>", "<!junk><![if x]>".repeat(1000));
        let (seen, cut) = events(&text);
        assert_eq!((seen, cut), (["<a>", "<b>", "x", "</b>", "</a>"].map(str::to_owned).to_vec(), false));
    }

    #[test]
    fn p3_repairs_cost_a_few_passes_at_most() {
        // Each of these brackets would read to the end again; the budget ends it.
        let text = "<!-- ".repeat(200_000);
        let mut events = Events::new(&text);
        let budget = events.rescan;
        assert_eq!(events.next(), Event::Eof);
        assert!(events.cut && budget - events.rescan <= budget);
        let text = "<![cdata[x".repeat(200_000);
        let mut events = Events::new(&text);
        let mut steps = 0;
        while events.next() != Event::Eof {
            steps += 1;
        }
        assert!(steps <= 2 && events.cut, "{steps}");
        let text = format!("<t>{}</t>", "< ".repeat(200_000));
        let mut events = Events::new(&text);
        while events.next() != Event::Eof {}
        assert!(events.repaired < 1_000_000);
    }
}
