//! A linear HTML tokenizer: text, start tags and end tags, in order; comments, doctypes and processing
//! instructions are passed over.
//!
//! It follows the states of the HTML standard (§13.2.5) closely enough to agree with browsers about where a tag
//! ends, builds nothing, never goes back, and never fails. What it reads is not yet trusted: whoever writes HTML
//! from these tokens escapes every text and quotes every value anew. Raw-text elements (`script`, `style`) are the
//! caller's business, through [`Tokens::skip_element`] and [`Tokens::raw_text`].

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// Undecoded text; it may contain a literal `<` that starts no tag.
    Text(&'a str),
    Start(Start<'a>),
    /// The name of an end tag, in the case it was written in.
    End(&'a str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start<'a> {
    pub(crate) name: &'a str,
    /// Everything between the name and the closing `>`.
    rest: &'a str,
    /// The whole tag as it was written.
    pub(crate) source: &'a str,
}

impl<'a> Start<'a> {
    /// Names and undecoded values, duplicates included.
    pub(crate) fn attributes(self) -> Attributes<'a> {
        Attributes { rest: self.rest }
    }

    pub(crate) fn has_attributes(self) -> bool {
        self.rest.bytes().any(|b| !is_space(b) && b != b'/')
    }
}

pub(crate) struct Tokens<'a> {
    source: &'a str,
    position: usize,
    /// A CDATA mark was passed whose end has not been seen.
    in_cdata: bool,
    /// Elements known to have no end tag in what is left, so that the search for one is made only once.
    unclosed: Vec<String>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Tokens { source, position: 0, in_cdata: false, unclosed: Vec::new() }
    }

    /// Passes over an element whose start tag was just read, nested elements of the same name included, to after its
    /// end tag. Where there is no end tag, returns false and stays, so that an unclosed `<svg>` does not swallow the
    /// rest of the text.
    pub(crate) fn skip_element(&mut self, name: &str) -> bool {
        if self.unclosed.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return false;
        }
        let (source, bytes) = (self.source, self.source.as_bytes());
        let (mut at, mut depth, mut last_end) = (self.position, 1_usize, None);
        while let Some(found) = find(source, at, b'<') {
            at = found + 1;
            if bytes.get(at) == Some(&b'/') {
                if names(bytes, at + 1, name) {
                    depth -= 1;
                    let end = find(source, at, b'>').map_or(bytes.len(), |close| close + 1);
                    (at, last_end) = (end, Some(end));
                    if depth == 0 {
                        break;
                    }
                }
            } else if names(bytes, at, name) {
                depth += 1;
            }
        }
        match last_end {
            Some(end) => self.position = end,
            None => self.unclosed.push(name.to_owned()),
        }
        last_end.is_some()
    }

    /// The content of a raw-text element whose start tag was just read: everything to its end tag, or to the end.
    pub(crate) fn raw_text(&mut self, name: &str) -> &'a str {
        let (source, bytes) = (self.source, self.source.as_bytes());
        let (start, mut at) = (self.position, self.position);
        while let Some(found) = find(source, at, b'<') {
            at = found + 1;
            if bytes.get(at) == Some(&b'/') && names(bytes, at + 1, name) {
                self.position = find(source, at, b'>').map_or(bytes.len(), |close| close + 1);
                return &self.source[start..found];
            }
        }
        self.position = bytes.len();
        &self.source[start..]
    }

    /// The text from `start` to `end`, or to the end of the CDATA section it is in.
    fn text(&mut self, start: usize, end: usize) -> &'a str {
        let text = &self.source[start..end];
        self.position = end;
        if self.in_cdata
            && let Some(at) = text.find("]]>")
        {
            self.in_cdata = false;
            self.position = start + at + 3;
            return &text[..at];
        }
        text
    }

    /// Moves to the end of a tag. One that never ends is dropped with all after it, as the standard says (EOF in tag).
    fn tag_end(&mut self, at: usize) -> Option<(usize, usize)> {
        let found = tag_end(self.source, at);
        self.position = found.map_or(self.source.len(), |(_, end)| end);
        found
    }

    /// Reads the markup at `position`, which is a `<`. `None` when it yields no token; `position` moves on anyway.
    fn markup(&mut self) -> Option<Token<'a>> {
        let (source, bytes, start) = (self.source, self.source.as_bytes(), self.position);
        match bytes.get(start + 1) {
            Some(b) if b.is_ascii_alphabetic() => {
                let (name_end, end) = self.tag_end(start + 1)?;
                Some(Token::Start(Start {
                    name: &self.source[start + 1..name_end],
                    rest: &self.source[name_end..end - 1],
                    source: &self.source[start..end],
                }))
            }
            Some(b'/') if bytes.get(start + 2).is_some_and(u8::is_ascii_alphabetic) => {
                let (name_end, _) = self.tag_end(start + 2)?;
                Some(Token::End(&self.source[start + 2..name_end]))
            }
            Some(b'!') => {
                self.position = declaration_end(source, start);
                self.in_cdata |= source[start..self.position].starts_with(CDATA);
                None
            }
            Some(b'/' | b'?') => {
                self.position = find(source, start, b'>').map_or(bytes.len(), |close| close + 1);
                None
            }
            _ => {
                let end = find(source, start + 1, b'<').unwrap_or(bytes.len());
                Some(Token::Text(self.text(start, end)))
            }
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let (source, bytes) = (self.source, self.source.as_bytes());
        while self.position < bytes.len() {
            if bytes[self.position] != b'<' {
                let start = self.position;
                let end = find(source, start, b'<').unwrap_or(bytes.len());
                return Some(Token::Text(self.text(start, end)));
            }
            if let Some(token) = self.markup() {
                return Some(token);
            }
        }
        None
    }
}

/// Where the name of the tag that starts at `at` ends, and where the tag ends. A `>` within a quoted value does not
/// end it, and a quote only opens a value right after `=`. `None` when the text ends within the tag.
fn tag_end(source: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = source.as_bytes();
    let mut i = at;
    while bytes.get(i).is_some_and(|&b| !is_space(b) && b != b'/' && b != b'>') {
        i += 1;
    }
    let name_end = i;
    loop {
        match *bytes.get(i)? {
            b'>' => return Some((name_end, i + 1)),
            b if is_space(b) || b == b'/' => i += 1,
            _ => i = attribute_at(source, i)?.end,
        }
    }
}

struct Span {
    name_end: usize,
    value: (usize, usize),
    end: usize,
}

/// Reads one attribute that starts at `start`; `None` when its quoted value never ends.
fn attribute_at(source: &str, start: usize) -> Option<Span> {
    let bytes = source.as_bytes();
    // The first character belongs to the name whatever it is, even `=` (§13.2.5.32).
    let mut i = start + 1;
    while bytes.get(i).is_some_and(|&b| !is_space(b) && b != b'/' && b != b'>' && b != b'=') {
        i += 1;
    }
    let name_end = i;
    let mut after = i;
    while bytes.get(after).copied().is_some_and(is_space) {
        after += 1;
    }
    if bytes.get(after) != Some(&b'=') {
        return Some(Span { name_end, value: (name_end, name_end), end: name_end });
    }
    i = after + 1;
    while bytes.get(i).copied().is_some_and(is_space) {
        i += 1;
    }
    match bytes.get(i) {
        Some(&quote @ (b'"' | b'\'')) => {
            let close = find(source, i + 1, quote)?;
            Some(Span { name_end, value: (i + 1, close), end: close + 1 })
        }
        _ => {
            let value = i;
            while bytes.get(i).is_some_and(|&b| !is_space(b) && b != b'>') {
                i += 1;
            }
            Some(Span { name_end, value: (value, i), end: i })
        }
    }
}

pub(crate) struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.rest.as_bytes();
        let start = bytes.iter().position(|&b| !is_space(b) && b != b'/')?;
        let span = attribute_at(self.rest, start)?;
        let found = (&self.rest[start..span.name_end], &self.rest[span.value.0..span.value.1]);
        self.rest = &self.rest[span.end..];
        Some(found)
    }
}

const CDATA: &str = "<![CDATA[";

/// The end of what starts with `<!` at `start`.
fn declaration_end(source: &str, start: usize) -> usize {
    let bytes = source.as_bytes();
    let rest = &source[start..];
    if !rest.starts_with("<!--") {
        // Feeds that wrap twice leave CDATA marks in their HTML. The mark is dropped and what it wraps is read as
        // HTML, so that the text is kept and still sanitised.
        if rest.starts_with(CDATA) {
            return start + CDATA.len();
        }
        return find(source, start, b'>').map_or(bytes.len(), |close| close + 1);
    }
    // `<!-->` and `<!--->` are empty comments; otherwise `-->` or `--!>` ends it.
    if rest.starts_with("<!-->") {
        return start + 5;
    }
    if rest.starts_with("<!--->") {
        return start + 6;
    }
    let mut at = start + 4;
    while let Some(close) = find(source, at, b'>') {
        let before = &bytes[start + 4..close];
        if before.ends_with(b"--") || before.ends_with(b"--!") {
            return close + 1;
        }
        at = close + 1;
    }
    bytes.len()
}

/// Whether a tag name starts at `at` and is `name`, in any case.
fn names(bytes: &[u8], at: usize, name: &str) -> bool {
    let end = at + name.len();
    bytes.get(at..end).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        && bytes.get(end).is_none_or(|&b| is_space(b) || b == b'/' || b == b'>')
}

/// `from` lies right after an ASCII character, so it never splits one.
fn find(source: &str, from: usize, wanted: u8) -> Option<usize> {
    source.get(from..)?.find(char::from(wanted)).map(|offset| from + offset)
}

/// HTML's own white space; the C0 controls that are none are removed later.
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let shown: Vec<String> = Tokens::new(source)
            .map(|token| match token {
                Token::Text(text) => format!("'{text}'"),
                Token::End(name) => format!("/{name}"),
                Token::Start(start) => start
                    .attributes()
                    .fold(start.name.to_owned(), |shown, (name, value)| format!("{shown} {name}={value}")),
            })
            .collect();
        assert_eq!(shown, expected, "{source}");
    }

    #[test]
    fn tags_and_text_come_in_order() {
        check("a<b>c</b>d", &["'a'", "b", "'c'", "/b", "'d'"]);
        check("<p\n class=x id='y' data-z=\"1 > 0\" hidden/>", &["p class=x id=y data-z=1 > 0 hidden="]);
        check("<a href=/x/y>z", &["a href=/x/y", "'z'"]);
        check("<a =x>", &["a =x="]);
        check("<a x = 'y' z>", &["a x=y z="]);
    }

    #[test]
    fn a_lone_less_than_is_text() {
        check("1 < 2 <3 <", &["'1 '", "'< 2 '", "'<3 '", "'<'"]);
    }

    #[test]
    fn comments_and_declarations_vanish() {
        check(
            "a<!-- <b> -->b<!-->c<!--->d<!doctype html>e<?php x ?>f</ x>g",
            &["'a'", "'b'", "'c'", "'d'", "'e'", "'f'", "'g'"],
        );
        check("a<!-- x --!>b", &["'a'", "'b'"]);
        check("a<!-- never ends", &["'a'"]);
        check("<![CDATA[a]]>b]]>", &["'a'", "'b]]>'"]);
    }

    #[test]
    fn a_tag_cut_off_by_the_end_is_dropped() {
        check("a<b", &["'a'"]);
        check("a<b c=\"d>e", &["'a'"]);
        check("a</b", &["'a'"]);
    }

    #[test]
    fn elements_are_skipped_with_their_like_inside() {
        let mut tokens = Tokens::new("<svg><SVG></svg>x</svg >y");
        assert!(matches!(tokens.next(), Some(Token::Start(_))));
        assert!(tokens.skip_element("svg"));
        assert_eq!(tokens.next(), Some(Token::Text("y")));
    }

    #[test]
    fn an_element_that_never_ends_is_searched_for_once() {
        let mut tokens = Tokens::new("<svg>x");
        tokens.next();
        assert!(!tokens.skip_element("svg"));
        assert_eq!(tokens.unclosed, ["svg"]);
        assert_eq!(tokens.next(), Some(Token::Text("x")));
    }
}
