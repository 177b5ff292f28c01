//! All words and phrases of all rules in one automaton, which reads a text once.

use crate::fold::is_whole;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::collections::HashMap;

/// Up to so many bytes of patterns the fastest automaton is affordable.
const FAST_BYTES_MAX: usize = 64 << 10;

/// Patterns inside patterns ("a", "aa", "aaa" …) can all end at one place; beyond so many hits in one text the search
/// stops. Real texts and rules stay far below.
const HITS_MAX: usize = 1 << 20;

#[derive(Default)]
pub(crate) struct LiteralsBuilder {
    ids: HashMap<String, u32>,
    patterns: Vec<String>,
}

impl LiteralsBuilder {
    /// The number of a folded, not empty text.
    pub(crate) fn add(&mut self, literal: String) -> u32 {
        let next = u32::try_from(self.patterns.len()).unwrap_or(u32::MAX);
        *self.ids.entry(literal).or_insert_with_key(|literal| {
            self.patterns.push(literal.clone());
            next
        })
    }

    pub(crate) fn build(self) -> Literals {
        let bytes: usize = self.patterns.iter().map(String::len).sum();
        let kind =
            if bytes <= FAST_BYTES_MAX { AhoCorasickKind::DFA } else { AhoCorasickKind::ContiguousNFA };
        let automaton = (!self.patterns.is_empty())
            .then(|| {
                AhoCorasick::builder()
                    .match_kind(MatchKind::Standard)
                    .kind(Some(kind))
                    .build(&self.patterns)
                    .ok()
            })
            .flatten();
        Literals { automaton, count: self.patterns.len() }
    }
}

pub(crate) struct Literals {
    automaton: Option<AhoCorasick>,
    pub(crate) count: usize,
}

impl Literals {
    /// Calls `found` with the number of each literal in a folded text, and whether it stands alone there. False when there
    /// were too many hits to look at all of them.
    pub(crate) fn search(&self, text: &str, mut found: impl FnMut(usize, bool)) -> bool {
        let Some(automaton) = &self.automaton else { return true };
        let mut hits = 0;
        for hit in automaton.find_overlapping_iter(text) {
            hits += 1;
            if hits > HITS_MAX {
                return false;
            }
            found(hit.pattern().as_usize(), is_whole(text, hit.start(), hit.end()));
        }
        true
    }
}
