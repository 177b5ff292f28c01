//! Words out of a text: the one place that decides what counts as a word, for documents, queries, highlights and
//! saved searches alike.
//!
//! Words are those of UAX #29, brought to NFKC and lower case. Scripts written without spaces (Han, kana, Thai, Lao,
//! Khmer, Burmese) give overlapping pairs of characters, so that any two neighbours can be found. `c++`, `c#` and
//! `#tag` stay themselves. Stop words are kept: phrases need them. Stems are Snowball's, by the language of the text.
//!
//! This module is a seam: the token stream of `text` can take its place, as long as `words` keeps calling with
//! surface, range and step, and `stem` stays a function of language and word. [`crate::FORMAT`] then goes up.

mod stems;
mod stream;

pub(crate) use stream::{Frame, analyzers, frame};

use rust_stemmers::{Algorithm, Stemmer};
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Longer words are cut here, at a character; nobody types them whole.
pub const WORD_BYTES_MAX: usize = 64;

/// What is read for: documents have every reading of a word, queries the one that was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// `#tag` gives `tag` and `#tag` at the same place; a run of unspaced characters also gives its last one alone.
    Document,
    /// `#tag` gives `#tag`.
    Query,
}

/// One word: its form, where it stands in the text, and whether it shares the place of the word before it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub form: &'a str,
    pub range: Range<usize>,
    pub same_place: bool,
}

/// Calls `take` with every word of `text`, in order.
pub(crate) fn words(text: &str, reading: Reading, mut take: impl FnMut(Word<'_>)) {
    let mut buffer = String::with_capacity(WORD_BYTES_MAX);
    if text.is_ascii() {
        ascii(text, text, 0, reading, &mut buffer, &mut take);
        return;
    }
    // No word reaches over a space, and most of what lies between spaces is ASCII in most texts.
    let mut start = 0;
    for chunk in text.split(|c: char| c.is_ascii_whitespace()) {
        let end = start + chunk.len();
        if chunk.is_ascii() {
            ascii(text, chunk, start, reading, &mut buffer, &mut take);
        } else {
            mixed(text, start..end, reading, &mut buffer, &mut take);
        }
        start = end + 1;
    }
}

fn mixed(
    text: &str,
    stretch: Range<usize>,
    reading: Reading,
    buffer: &mut String,
    take: &mut impl FnMut(Word<'_>),
) {
    let mut rest = stretch.start;
    while let Some((start, end)) = next_unspaced_run(&text[..stretch.end], rest) {
        spaced(text, rest..start, reading, buffer, take);
        pairs(&text[start..end], start, reading, take);
        rest = end;
    }
    spaced(text, rest..stretch.end, reading, buffer, take);
}

/// The words of a short text as a list, for queries.
pub(crate) fn typed(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    words(text, Reading::Query, |word| found.push(word.form.to_owned()));
    found
}

/// Whether `c` belongs to a script that is written without spaces.
pub(crate) fn unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E01..=0x0E3A | 0x0E40..=0x0E4E | 0x0E81..=0x0ECD | 0x1000..=0x103F | 0x1050..=0x109D
        | 0x1780..=0x17D3 | 0x3005..=0x3007 | 0x3041..=0x3096 | 0x309D..=0x309F | 0x30A1..=0x30FA
        | 0x30FC..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F | 0x20000..=0x323AF)
}

fn next_unspaced_run(text: &str, from: usize) -> Option<(usize, usize)> {
    let tail = &text[from..];
    let start = tail.find(unspaced)?;
    let length = tail[start..].find(|c| !unspaced(c)).unwrap_or(tail.len() - start);
    Some((from + start, from + start + length))
}

fn pairs(run: &str, start: usize, reading: Reading, take: &mut impl FnMut(Word<'_>)) {
    let normal: String = run.nfkc().collect();
    let exact = normal == run;
    let whole = start..start + run.len();
    let places: Vec<(usize, char)> = normal.char_indices().collect();
    for (index, &(at, c)) in places.iter().enumerate() {
        let next = places.get(index + 1);
        if next.is_none() && index > 0 && reading == Reading::Query {
            break;
        }
        let end = next.map_or(at + c.len_utf8(), |(at, c)| at + c.len_utf8());
        let range = if exact { start + at..start + end } else { whole.clone() };
        take(Word { form: &normal[at..end], range, same_place: false });
    }
}

/// A stretch with spaces between its words; ASCII words take the short way.
fn spaced(
    text: &str,
    stretch: Range<usize>,
    reading: Reading,
    buffer: &mut String,
    take: &mut impl FnMut(Word<'_>),
) {
    let base = stretch.start;
    for (at, word) in text[stretch].unicode_word_indices() {
        let start = base + at;
        if word.is_ascii() {
            ascii(text, word, start, reading, buffer, take);
        } else {
            for (offset, piece) in pieces(word) {
                foreign(piece, start + offset, buffer, take);
            }
        }
    }
}

/// UAX #29 joins letters over dots and colons; we part them, so that `example` finds `example.com`.
fn pieces(word: &str) -> impl Iterator<Item = (usize, &str)> {
    let parts = word.split(|c: char| {
        c.is_whitespace() || matches!(c, '.' | ':' | '"' | '_' | '·' | '‿' | '⁀' | '\u{FE55}' | '：' | '．')
    });
    parts.filter(|part| !part.is_empty()).map(|part| (part.as_ptr() as usize - word.as_ptr() as usize, part))
}

fn foreign(piece: &str, start: usize, buffer: &mut String, take: &mut impl FnMut(Word<'_>)) {
    buffer.clear();
    for c in piece.nfkc().flat_map(char::to_lowercase).nfkc() {
        buffer.push(if c == '’' { '\'' } else { c });
    }
    let range = start..start + piece.len();
    // Normalising may bring spaces and signs to light (a ligature, a fraction): only letters and digits are words.
    let folded = std::mem::take(buffer);
    for part in folded.unicode_words() {
        for (_, part) in pieces(part) {
            // A mark without its letter is no word, nor is an apostrophe.
            let part = part.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end_matches('\'');
            if !part.is_empty() {
                take(Word { form: cut(part), range: range.clone(), same_place: false });
            }
        }
    }
    *buffer = folded;
}

/// ASCII letters and digits; an apostrophe between letters and a dot or comma between digits belong to the word.
fn ascii(
    text: &str,
    stretch: &str,
    base: usize,
    reading: Reading,
    buffer: &mut String,
    take: &mut impl FnMut(Word<'_>),
) {
    let bytes = stretch.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() {
            let joined = bytes[at].is_ascii_alphanumeric()
                || (at + 1 < bytes.len()
                    && match bytes[at] {
                        b'\'' => bytes[at - 1].is_ascii_alphabetic() && bytes[at + 1].is_ascii_alphabetic(),
                        b'.' | b',' => bytes[at - 1].is_ascii_digit() && bytes[at + 1].is_ascii_digit(),
                        _ => false,
                    });
            if !joined {
                break;
            }
            at += 1;
        }
        buffer.clear();
        buffer.push_str(&stretch[start..start + (at - start).min(WORD_BYTES_MAX)]);
        buffer.make_ascii_lowercase();
        let (start, end) = (base + start, base + at);
        signed(text, start..end, reading, buffer, take);
    }
}

/// A word with the signs around it in the whole text that make it another word: `c++`, `c#`, `#tag`.
fn signed(
    text: &str,
    range: Range<usize>,
    reading: Reading,
    form: &mut String,
    take: &mut impl FnMut(Word<'_>),
) {
    let bytes = text.as_bytes();
    let word_byte = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
    let mut end = range.end;
    if matches!(bytes.get(end), Some(b'+' | b'#')) && form.bytes().all(|b| b.is_ascii_alphabetic()) {
        if bytes[end..].starts_with(b"++") && !word_byte(end + 2) {
            form.push_str("++");
            end += 2;
        } else if bytes.get(end) == Some(&b'#') && !word_byte(end + 1) {
            form.push('#');
            end += 1;
        }
    }
    let tagged = range.start > 0
        && bytes[range.start - 1] == b'#'
        && (range.start < 2 || !word_byte(range.start - 2) && bytes[range.start - 2] != b'#');
    if !tagged || reading == Reading::Document {
        take(Word { form: cut(form), range: range.start..end, same_place: false });
    }
    if tagged {
        form.insert(0, '#');
        take(Word { form: cut(form), range: range.start - 1..end, same_place: reading == Reading::Document });
    }
}

fn cut(word: &str) -> &str {
    &word[..word.floor_char_boundary(WORD_BYTES_MAX)]
}

/// A language we have stems for; `None` in its place means the words stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language(Algorithm);

impl Language {
    pub const ENGLISH: Language = Language(Algorithm::English);

    /// From a language tag as feeds write it (`de`, `de-AT`, `pt_BR`).
    pub fn from_tag(tag: &str) -> Option<Language> {
        Some(Language(match primary(tag).as_str() {
            "ar" => Algorithm::Arabic,
            "da" => Algorithm::Danish,
            "nl" => Algorithm::Dutch,
            "en" => Algorithm::English,
            "fi" => Algorithm::Finnish,
            "fr" => Algorithm::French,
            "de" => Algorithm::German,
            "el" => Algorithm::Greek,
            "hu" => Algorithm::Hungarian,
            "it" => Algorithm::Italian,
            "no" | "nb" | "nn" => Algorithm::Norwegian,
            "pt" => Algorithm::Portuguese,
            "ro" => Algorithm::Romanian,
            "ru" => Algorithm::Russian,
            "es" => Algorithm::Spanish,
            "sv" => Algorithm::Swedish,
            "ta" => Algorithm::Tamil,
            "tr" => Algorithm::Turkish,
            _ => return None,
        }))
    }

    /// The language of a document. One that says nothing is read as English, which every query also tries.
    pub(crate) fn of_document(tag: Option<&str>) -> Option<Language> {
        match tag.map(str::trim).filter(|tag| !tag.is_empty()) {
            Some(tag) => Language::from_tag(tag),
            None => Some(Language::ENGLISH),
        }
    }
}

impl Language {
    /// Whether stems begin as their words do; those that take prefixes off do not.
    pub(crate) fn keeps_beginnings(self) -> bool {
        !matches!(self.0, Algorithm::Arabic | Algorithm::Tamil)
    }
}

/// The first part of a language tag, in lower case; empty when it is no tag.
pub(crate) fn primary(tag: &str) -> String {
    let first = tag.trim().split(['-', '_']).next().unwrap_or_default();
    if first.len() > 8 || !first.bytes().all(|b| b.is_ascii_alphabetic()) {
        return String::new();
    }
    first.to_ascii_lowercase()
}

/// The stem of a word. Tags, words with signs or digits and unspaced scripts have none but themselves.
pub(crate) fn stem(language: Option<Language>, word: &str) -> String {
    match language {
        Some(Language(algorithm)) if may_be_stemmed(word) => {
            let stem = Stemmer::create(algorithm).stem(word).into_owned();
            if stem.is_empty() { word.to_owned() } else { stem }
        }
        _ => word.to_owned(),
    }
}

fn may_be_stemmed(word: &str) -> bool {
    word.len() > 2 && word.chars().all(|c| (c.is_alphabetic() && !unspaced(c)) || c == '\'')
}

/// A tag as it is compared: NFKC, lower case, single spaces, no `#` in front and nothing a query could not print.
pub fn tag_key(tag: &str) -> String {
    let mut key = tag.to_owned();
    for _ in 0..3 {
        let folded = fold_tag(&key);
        if folded == key {
            break;
        }
        key = folded;
    }
    key
}

fn fold_tag(tag: &str) -> String {
    let folded: String = tag
        .nfkc()
        .flat_map(char::to_lowercase)
        .nfkc()
        .map(|c| if c.is_control() || matches!(c, '"' | '“' | '”' | '„' | '«' | '»') { ' ' } else { c })
        .collect();
    let key = folded.split_whitespace().collect::<Vec<_>>().join(" ");
    let key = key.trim_start_matches(['#', ' ']);
    key[..key.floor_char_boundary(crate::TAG_BYTES_MAX)].trim_end().to_owned()
}

#[cfg(test)]
#[path = "tokens/tests.rs"]
mod tests;
