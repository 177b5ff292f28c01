//! Where in a title or text the searched words stand: text and ranges, never HTML. The page escapes.

use crate::query::{Node, Place, Query};
use crate::tokens::{self, Language, Reading};
use std::collections::HashSet;
use std::ops::Range;

/// A snippet is about this long.
pub const SNIPPET_CHARS: usize = 180;
/// Of what lies before the first match this much is shown.
const LEAD_CHARS: usize = 40;
const MARKS_MAX: usize = 50;

/// A piece of text with the places to be marked, as byte ranges between characters, in order, apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marked {
    pub text: String,
    pub marks: Vec<Range<usize>>,
    /// There is more text before and after.
    pub cut_before: bool,
    pub cut_after: bool,
}

/// What to mark, made once for all hits.
pub(crate) struct Marker {
    languages: Vec<Language>,
    stems: HashSet<String>,
    beginnings: Vec<String>,
    phrases: Vec<Vec<String>>,
    /// First characters of anything wanted: other words need no stem to be told apart.
    firsts: HashSet<char>,
}

impl Query {
    /// `text` with this query's words marked; for texts the index does not keep.
    pub fn mark(&self, text: &str) -> Marked {
        self.marker().title(text)
    }

    /// The part of `text` where this query's words stand closest, marked.
    pub fn snippet(&self, text: &str) -> Marked {
        self.marker().snippet(&text[..text.floor_char_boundary(crate::TEXT_BYTES_MAX)])
    }

    pub(crate) fn marker(&self) -> Marker {
        let mut marker = Marker {
            languages: self.languages.clone(),
            stems: HashSet::new(),
            beginnings: Vec::new(),
            phrases: Vec::new(),
            firsts: HashSet::new(),
        };
        self.node.visit_wanted(&mut |leaf| match leaf {
            Node::Word(Place::Anywhere | Place::Title, word) => marker.stems.extend(self.stems(word)),
            Node::Begins(Place::Anywhere | Place::Title, word) => marker.beginnings.push(word.clone()),
            Node::Phrase(Place::Anywhere | Place::Title, words) => marker.phrases.extend(self.phrases(words)),
            _ => {}
        });
        let wanted = marker.stems.iter().chain(&marker.beginnings).chain(marker.phrases.iter().flatten());
        marker.firsts = wanted.filter_map(|word| word.chars().next()).collect();
        marker
    }
}

/// A word of the text: its readings, where it stands, and whether it is searched for.
struct Placed {
    readings: Vec<String>,
    range: Range<usize>,
    wanted: bool,
}

impl Marker {
    pub(crate) fn title(&self, text: &str) -> Marked {
        let marks = join(text, self.matches(text));
        Marked { text: text.to_owned(), marks, cut_before: false, cut_after: false }
    }

    pub(crate) fn snippet(&self, text: &str) -> Marked {
        let marks = join(text, self.matches(text));
        let start = marks.iter().map(|mark| mark.start).max_by_key(|&start| {
            let end = forward(text, start, SNIPPET_CHARS - LEAD_CHARS);
            let covered: usize =
                marks.iter().filter(|m| m.start >= start && m.end <= end).map(Range::len).sum();
            (covered, std::cmp::Reverse(start))
        });
        let start = start.map_or(0, |start| word_start(text, backward(text, start, LEAD_CHARS), start));
        let end = word_end(text, start, forward(text, start, SNIPPET_CHARS));
        let inside = marks.into_iter().filter(|mark| mark.start >= start && mark.end <= end);
        Marked {
            text: text[start..end].to_owned(),
            marks: inside.map(|mark| mark.start - start..mark.end - start).collect(),
            cut_before: start > 0,
            cut_after: end < text.len(),
        }
    }

    fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let mut placed: Vec<Placed> = Vec::new();
        tokens::words(text, Reading::Document, |word| {
            let mut readings = Vec::new();
            let likely = word.form.chars().next().is_some_and(|first| self.firsts.contains(&first));
            for &language in &self.languages {
                if !likely && language.keeps_beginnings() {
                    continue;
                }
                let stem = tokens::stem(Some(language), word.form);
                if !readings.contains(&stem) {
                    readings.push(stem);
                }
            }
            if likely && !readings.iter().any(|reading| reading == word.form) {
                readings.push(word.form.to_owned());
            }
            let wanted = readings.iter().any(|reading| self.stems.contains(reading))
                || self
                    .beginnings
                    .iter()
                    .any(|begin| readings.iter().any(|form| form.starts_with(begin.as_str())));
            match placed.last_mut() {
                // `#tag` is one place with two words.
                Some(last) if word.same_place => {
                    last.readings.extend(readings);
                    last.wanted |= wanted;
                    last.range.start = last.range.start.min(word.range.start);
                }
                _ => placed.push(Placed { readings, range: word.range, wanted }),
            }
        });
        for phrase in &self.phrases {
            let length = phrase.len();
            for start in 0..placed.len().saturating_sub(length - 1) {
                let window = &mut placed[start..start + length];
                if window.iter().zip(phrase).all(|(placed, word)| placed.readings.contains(word)) {
                    window.iter_mut().for_each(|placed| placed.wanted = true);
                }
            }
        }
        placed.into_iter().filter(|placed| placed.wanted).map(|placed| placed.range).collect()
    }
}

/// Neighbours with nothing but spaces between them become one mark.
fn join(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        if let Some(last) = joined.last_mut()
            && (range.start <= last.end || text[last.end..range.start].trim().is_empty())
        {
            last.end = last.end.max(range.end);
        } else if joined.len() < MARKS_MAX {
            joined.push(range);
        } else {
            break;
        }
    }
    joined
}

fn forward(text: &str, from: usize, chars: usize) -> usize {
    text[from..].char_indices().nth(chars).map_or(text.len(), |(at, _)| from + at)
}

fn backward(text: &str, from: usize, chars: usize) -> usize {
    text[..from].char_indices().rev().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at)
}

/// The first beginning of a word between `from` and `to`; `from` itself where there are no spaces.
fn word_start(text: &str, from: usize, to: usize) -> usize {
    if from == 0 {
        return 0;
    }
    match text[from..to].find(char::is_whitespace) {
        Some(space) => to - text[from + space..to].trim_start().len(),
        None => from,
    }
}

/// The last end of a word between `from` and `to`; `to` itself where there are no spaces.
fn word_end(text: &str, from: usize, to: usize) -> usize {
    if to == text.len() {
        return to;
    }
    match text[from..to].rfind(char::is_whitespace) {
        Some(space) if space > 0 => from + text[from..from + space].trim_end().len(),
        _ => to,
    }
}
