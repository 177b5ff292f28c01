//! From what was typed to a tree. Forgiving about form (a missing quote, a parenthesis too many), strict about bounds.

use super::{
    BadQuery, LIVE_CHARS_MIN, Node, Place, QUERY_CHARS_MAX, QUERY_DEPTH_MAX, QUERY_WORDS_MAX, StoreFilter,
    VALUE_CHARS_MAX,
};
use crate::tokens::{primary, tag_key, typed, unspaced};
use jiff::civil::Date;

pub(super) fn parse(text: &str, live: bool) -> Result<Node, BadQuery> {
    // Bytes first: counting the characters of a megabyte is work, too.
    if text.len() > QUERY_CHARS_MAX * 4 || text.chars().count() > QUERY_CHARS_MAX {
        return Err(BadQuery::TooLong);
    }
    let mut parser = Parser { rest: text, words: 0, live };
    let mut found = Vec::new();
    // A parenthesis closed once too often parts the query, no more.
    while !parser.rest.is_empty() {
        found.extend(parser.either(0)?);
        parser.rest = parser.rest.strip_prefix(')').unwrap_or(parser.rest);
    }
    all(found).ok_or(BadQuery::NothingToFind)
}

struct Parser<'a> {
    rest: &'a str,
    words: usize,
    live: bool,
}

impl<'a> Parser<'a> {
    /// Alternatives, up to the end or a closing parenthesis, which is left.
    fn either(&mut self, depth: usize) -> Result<Option<Node>, BadQuery> {
        let mut alternatives = Vec::new();
        let mut together = Vec::new();
        let mut negated = false;
        loop {
            self.rest = self.rest.trim_start();
            let Some(first) = self.rest.chars().next() else { break };
            let node = match first {
                ')' => break,
                '(' => {
                    if depth >= QUERY_DEPTH_MAX {
                        return Err(BadQuery::TooDeep);
                    }
                    self.rest = &self.rest[1..];
                    let inner = self.either(depth + 1)?;
                    self.rest = self.rest.strip_prefix(')').unwrap_or(self.rest);
                    inner
                }
                '-' => {
                    self.rest = &self.rest[1..];
                    negated ^= self.rest.chars().next().is_some_and(|next| !next.is_whitespace());
                    continue;
                }
                '|' => {
                    self.rest = &self.rest[1..];
                    alternatives.extend(all(std::mem::take(&mut together)));
                    continue;
                }
                first if quote(first) => {
                    let phrase = self.quoted();
                    self.text(Place::Anywhere, phrase, false)?
                }
                _ => {
                    let run = self.run();
                    match run {
                        "OR" => {
                            alternatives.extend(all(std::mem::take(&mut together)));
                            continue;
                        }
                        "AND" => continue,
                        "NOT" => {
                            negated = !negated;
                            continue;
                        }
                        run => self.typed(run)?,
                    }
                }
            };
            let negate = std::mem::take(&mut negated);
            together.extend(node.map(|node| if negate { not(node) } else { node }));
        }
        alternatives.extend(all(together));
        Ok(any(alternatives))
    }

    /// The text between two quotes; the closing one may be missing.
    fn quoted(&mut self) -> &'a str {
        let inner = &self.rest[self.rest.chars().next().map_or(0, char::len_utf8)..];
        let end = inner.find(quote).unwrap_or(inner.len());
        // Only the one quote that closes; further ones open the next phrase.
        let closing = inner[end..].chars().next().map_or(0, char::len_utf8);
        self.rest = &inner[end + closing..];
        &inner[..end]
    }

    fn run(&mut self) -> &'a str {
        let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|') || quote(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        run
    }

    /// A run of characters: a filter, a beginning, or words.
    fn typed(&mut self, run: &'a str) -> Result<Option<Node>, BadQuery> {
        if let Some((name, value)) = run.split_once(':')
            && let Some(field) = Field::named(name)
        {
            let open = value.is_empty() && self.rest.chars().next().is_some_and(quote);
            let (value, quoted) = if open { (self.quoted(), true) } else { (value, false) };
            if !value.trim().is_empty() {
                return self.filter(field, value, quoted);
            }
            return self.text(Place::Anywhere, name, false);
        }
        self.unquoted(Place::Anywhere, run)
    }

    fn unquoted(&mut self, place: Place, run: &str) -> Result<Option<Node>, BadQuery> {
        if let Some(begin) = run.strip_suffix('*') {
            return self.text(place, begin.trim_end_matches('*'), true);
        }
        let node = self.text(place, run, false)?;
        let ends_in_word = run.chars().next_back().is_some_and(char::is_alphanumeric);
        if !(self.live && self.rest.is_empty() && ends_in_word && place != Place::Author) {
            return Ok(node);
        }
        Ok(node.map(|node| match node {
            Node::Word(place, word) if word.chars().count() >= LIVE_CHARS_MIN => {
                Node::Any(vec![Node::Word(place, word.clone()), Node::Begins(place, word)])
            }
            other => other,
        }))
    }

    /// Words typed as one: one word, a phrase, or words whose last is a beginning.
    fn text(&mut self, place: Place, text: &str, begins: bool) -> Result<Option<Node>, BadQuery> {
        let mut words: Vec<String> = typed(text).into_iter().filter_map(settled).collect();
        self.words += words.len();
        if self.words > QUERY_WORDS_MAX {
            return Err(BadQuery::TooManyWords);
        }
        let Some(last) = words.pop() else { return Ok(None) };
        if begins {
            let mut nodes: Vec<Node> = words.into_iter().map(|word| one(place, word)).collect();
            nodes.push(Node::Begins(place, last));
            return Ok(all(nodes));
        }
        if words.is_empty() {
            return Ok(Some(one(place, last)));
        }
        words.push(last);
        Ok(Some(Node::Phrase(place, words)))
    }

    fn filter(&mut self, field: Field, value: &str, quoted: bool) -> Result<Option<Node>, BadQuery> {
        if let Field::Title | Field::Author = field {
            let place = if field == Field::Title { Place::Title } else { Place::Author };
            return if quoted { self.text(place, value, false) } else { self.unquoted(place, value) };
        }
        let plain = plain(value);
        if plain.is_empty() {
            return Ok(None);
        }
        let node = match field {
            Field::Title | Field::Author => return Ok(None),
            Field::Feed => Node::Store(StoreFilter::Feed(plain)),
            Field::Folder => Node::Store(StoreFilter::Folder(plain)),
            Field::Tag => match tag_key(&plain) {
                key if key.is_empty() => return Ok(None),
                key => Node::Store(StoreFilter::Tag(key)),
            },
            Field::Lang => match primary(&plain) {
                tag if tag.len() < 2 => return Err(BadQuery::NotALanguage(plain)),
                tag => Node::Language(tag),
            },
            Field::Is => match plain.to_lowercase().as_str() {
                "starred" => Node::Store(StoreFilter::Starred),
                "unread" => Node::Store(StoreFilter::Unread),
                "read" => not(Node::Store(StoreFilter::Unread)),
                _ => return Err(BadQuery::NotAState(plain)),
            },
            Field::Before => Node::Before(day(&plain).ok_or(BadQuery::NotADate(plain, "before"))?),
            Field::After => Node::After(day(&plain).ok_or(BadQuery::NotADate(plain, "after"))?),
        };
        self.words += 1;
        if self.words > QUERY_WORDS_MAX {
            return Err(BadQuery::TooManyWords);
        }
        Ok(Some(node))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Author,
    Feed,
    Folder,
    Tag,
    Lang,
    Is,
    Before,
    After,
}

impl Field {
    fn named(name: &str) -> Option<Field> {
        Some(match name.to_ascii_lowercase().as_str() {
            "title" => Field::Title,
            "author" => Field::Author,
            "feed" => Field::Feed,
            "folder" => Field::Folder,
            "tag" => Field::Tag,
            "lang" | "language" => Field::Lang,
            "is" => Field::Is,
            "before" => Field::Before,
            "after" => Field::After,
            _ => return None,
        })
    }
}

/// A single character of an unspaced script stands in pairs only: it begins them.
fn one(place: Place, word: String) -> Node {
    let mut chars = word.chars();
    let alone = chars.next().is_some_and(unspaced) && chars.next().is_none();
    if alone { Node::Begins(place, word) } else { Node::Word(place, word) }
}

fn quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»')
}

/// A word that reads as itself when it is read again; what does not is left out.
fn settled(word: String) -> Option<String> {
    let mut word = word;
    for _ in 0..3 {
        let mut again = typed(&word);
        match again.len() {
            1 if again[0] == word => return Some(word),
            1 => word = again.remove(0),
            _ => return None,
        }
    }
    None
}

/// A value as it is kept: single spaces, no quotes or control characters, bounded.
fn plain(value: &str) -> String {
    let spaced: String = value.chars().map(|c| if c.is_control() || quote(c) { ' ' } else { c }).collect();
    let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = words.char_indices().nth(VALUE_CHARS_MAX).map_or(words.len(), |(at, _)| at);
    words[..end].trim_end().to_owned()
}

/// `2026-05-01`, or the first day of `2026-05` or `2026`.
fn day(value: &str) -> Option<Date> {
    let mut parts = value.split('-');
    let year = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let mut part = || parts.next().map_or(Some(1), |part| part.parse().ok());
    let (month, day) = (part()?, part()?);
    if parts.next().is_some() || !(0..=9998).contains(&year) {
        return None;
    }
    Date::new(year, month, day).ok()
}

pub(super) fn not(node: Node) -> Node {
    match node {
        Node::Not(inner) => *inner,
        node => Node::Not(Box::new(node)),
    }
}

pub(super) fn all(nodes: Vec<Node>) -> Option<Node> {
    join(nodes, Node::All, |node| match node {
        Node::All(inner) => Ok(inner),
        node => Err(node),
    })
}

pub(super) fn any(nodes: Vec<Node>) -> Option<Node> {
    join(nodes, Node::Any, |node| match node {
        Node::Any(inner) => Ok(inner),
        node => Err(node),
    })
}

fn join(
    nodes: Vec<Node>,
    whole: fn(Vec<Node>) -> Node,
    open: fn(Node) -> Result<Vec<Node>, Node>,
) -> Option<Node> {
    let mut flat = Vec::with_capacity(nodes.len());
    for node in nodes {
        match open(node) {
            Ok(inner) => flat.extend(inner),
            Err(node) => flat.push(node),
        }
    }
    if flat.len() > 1 { Some(whole(flat)) } else { flat.pop() }
}
