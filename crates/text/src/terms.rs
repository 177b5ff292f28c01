//! Terms: what an item is about, as stems and lexical affinities.
//!
//! Words that belong together are matched by their Snowball stem and shown as they were written. A lexical affinity
//! (004 §4.2, footnote 3) is a pair of stems, neither a stop word, at most [`AFFINITY_DISTANCE`] words apart in one
//! sentence; its order does not matter, but how it was first written is remembered, and how often its words touched: a
//! pair that mostly touches is a phrase. Of an unknown language nothing is stemmed and nothing left out.

use crate::boilerplate::Boilerplate;
use crate::language::Language;
use crate::stops::is_stop_word;
use crate::tokens::{Kind, Tokens};
use rust_stemmers::Algorithm;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// Words apart, counting all words.
pub const AFFINITY_DISTANCE: u32 = 4;
/// Different words of one item, the first ones.
pub const WORDS_MAX: usize = 300;
/// Different pairs of one item, the first ones.
pub const PAIRS_MAX: usize = 300;

/// A term by the hash of its stem or stems; even for a word, odd for a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u64);

impl TermId {
    pub fn of_stem(stem: &str) -> Self {
        TermId(xxh3_64(stem.as_bytes()) & !1)
    }

    /// The same whichever comes first.
    pub fn of_pair(one: TermId, other: TermId) -> Self {
        let (low, high) = (one.0.min(other.0), one.0.max(other.0));
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&low.to_le_bytes());
        bytes[8..].copy_from_slice(&high.to_le_bytes());
        TermId(xxh3_64(&bytes) | 1)
    }

    pub fn is_pair(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Terms with how often they occur: what profiles are made of.
pub type Bag = Vec<(TermId, u16)>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub id: TermId,
    /// As it was first written in this item.
    pub surface: String,
    pub count: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affinity {
    pub id: TermId,
    /// Its two words, as they were first written.
    pub of: [TermId; 2],
    pub surface: String,
    pub count: u16,
    /// How often its words touched.
    pub adjacent: u16,
}

/// The terms of one item, in the order of their first appearance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    pub words: Vec<Word>,
    pub pairs: Vec<Affinity>,
}

impl Terms {
    pub fn of(tokens: &Tokens, language: Option<Language>, boilerplate: Option<&Boilerplate>) -> Self {
        let stemmer = Stemmer::of(language);
        let skipped = boilerplate.map(|known| known.covers(tokens)).unwrap_or_default();
        let mut terms = Terms::default();
        let mut words: HashMap<TermId, usize> = HashMap::new();
        let mut pairs: HashMap<TermId, usize> = HashMap::new();
        // The last few terms, for affinities.
        let mut near: Vec<(TermId, u32, &str, Kind)> = Vec::new();
        for (nth, token) in tokens.iter().enumerate() {
            let plain = token.kind == Kind::Word;
            if skipped.get(nth) == Some(&true) || plain && is_stop_word(language, token.text) {
                continue;
            }
            let id = TermId::of_stem(&stemmer.stem(token.text, token.kind));
            match words.get(&id) {
                Some(known) => terms.words[*known].count = terms.words[*known].count.saturating_add(1),
                None if terms.words.len() < WORDS_MAX => {
                    words.insert(id, terms.words.len());
                    terms.words.push(Word { id, surface: token.text.to_owned(), count: 1 });
                }
                None => {}
            }
            near.retain(|(_, at, _, _)| token.at.saturating_sub(*at) <= AFFINITY_DISTANCE);
            for (other, at, surface, kind) in &near {
                // Neighbouring pairs of signs overlap; they say nothing beyond themselves.
                if *other == id || (*kind == Kind::Gram && token.kind == Kind::Gram) {
                    continue;
                }
                let pair = TermId::of_pair(*other, id);
                let adjacent = u16::from(token.at - at == 1);
                match pairs.get(&pair) {
                    Some(known) => {
                        let known = &mut terms.pairs[*known];
                        known.count = known.count.saturating_add(1);
                        known.adjacent = known.adjacent.saturating_add(adjacent);
                    }
                    None if terms.pairs.len() < PAIRS_MAX => {
                        pairs.insert(pair, terms.pairs.len());
                        let surface = format!("{surface} {}", token.text);
                        terms.pairs.push(Affinity {
                            id: pair,
                            of: [*other, id],
                            surface,
                            count: 1,
                            adjacent,
                        });
                    }
                    None => {}
                }
            }
            near.push((id, token.at, token.text, token.kind));
        }
        terms
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// All ids, each once: what a document frequency counts.
    pub fn ids(&self) -> impl Iterator<Item = TermId> + '_ {
        self.words.iter().map(|word| word.id).chain(self.pairs.iter().map(|pair| pair.id))
    }

    /// Words, and the pairs that are known to be more than chance.
    pub fn bag(&self, mut is_known: impl FnMut(TermId) -> bool) -> Bag {
        let words = self.words.iter().map(|word| (word.id, word.count));
        let pairs = self.pairs.iter().filter(|pair| is_known(pair.id)).map(|pair| (pair.id, pair.count));
        words.chain(pairs).collect()
    }
}

/// Languages that have stems.
const STEMMED: [(&str, Algorithm); 18] = [
    ("ar", Algorithm::Arabic),
    ("da", Algorithm::Danish),
    ("nl", Algorithm::Dutch),
    ("en", Algorithm::English),
    ("fi", Algorithm::Finnish),
    ("fr", Algorithm::French),
    ("de", Algorithm::German),
    ("el", Algorithm::Greek),
    ("hu", Algorithm::Hungarian),
    ("it", Algorithm::Italian),
    ("no", Algorithm::Norwegian),
    ("pt", Algorithm::Portuguese),
    ("ro", Algorithm::Romanian),
    ("ru", Algorithm::Russian),
    ("es", Algorithm::Spanish),
    ("sv", Algorithm::Swedish),
    ("ta", Algorithm::Tamil),
    ("tr", Algorithm::Turkish),
];

/// Snowball's stemmer of a language, where there is one.
pub struct Stemmer(Option<rust_stemmers::Stemmer>);

impl Stemmer {
    pub fn of(language: Option<Language>) -> Self {
        let known = language.and_then(|language| STEMMED.iter().find(|(code, _)| *code == language.code()));
        Stemmer(known.map(|(_, algorithm)| rust_stemmers::Stemmer::create(*algorithm)))
    }

    /// The languages that there is one for.
    pub fn languages() -> impl Iterator<Item = Language> {
        STEMMED.iter().filter_map(|(code, _)| Language::parse(code))
    }

    /// What a token is matched by.
    pub fn stem<'a>(&self, token: &'a str, kind: Kind) -> Cow<'a, str> {
        match &self.0 {
            Some(stemmer) if kind == Kind::Word => stemmer.stem(token),
            _ => Cow::Borrowed(token),
        }
    }
}

impl fmt::Debug for Stemmer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Stemmer").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    fn english(text: &str) -> Terms {
        Terms::of(&Tokens::of(text), Some(Language::ENGLISH), None)
    }

    fn surfaces(terms: &Terms) -> Vec<&str> {
        terms.words.iter().map(|word| word.surface.as_str()).collect()
    }

    fn pair<'a>(terms: &'a Terms, surface: &str) -> Option<&'a Affinity> {
        terms.pairs.iter().find(|pair| pair.surface == surface)
    }

    #[test]
    fn forms_of_a_word_are_one_term_shown_as_written() {
        let terms = english("Ferries carried a ferry; the ferries' captains");
        assert_eq!(terms.words[0].surface, "ferries");
        assert_eq!(terms.words[0].count, 3);
        let unknown = Terms::of(&Tokens::of("ferries ferry the"), None, None);
        assert_eq!(unknown.words.len(), 3, "of an unknown language nothing is stemmed or left out");
    }

    #[test]
    fn every_language_that_is_said_to_have_stems_has_them() {
        assert_eq!(Stemmer::languages().count(), STEMMED.len());
        assert!(Stemmer::languages().all(|language| Stemmer::of(Some(language)).0.is_some()));
        assert!(Stemmer::of(Language::parse("ja")).0.is_none() && Stemmer::of(None).0.is_none());
    }

    #[test]
    fn tags_are_never_stemmed() {
        assert_eq!(surfaces(&english("#ferries c++ ferries")), ["#ferries", "c++", "ferries"]);
    }

    #[test]
    fn affinities_are_pairs_close_together_in_one_sentence() {
        let terms = english("The harbour bridge of granite reopened. Sailors cheered");
        assert!(pair(&terms, "harbour bridge").is_some_and(|pair| pair.adjacent == 1));
        assert!(pair(&terms, "harbour granite").is_some_and(|pair| pair.adjacent == 0));
        assert!(pair(&terms, "reopened sailors").is_none(), "a sentence ends between them");
        let far = english("harbour one1 two2 three3 bridge four4");
        assert!(pair(&far, "harbour bridge").is_some() && pair(&far, "harbour four4").is_none());
    }

    #[test]
    fn the_order_of_a_pair_does_not_matter() {
        let terms = english("harbour bridge. Bridge harbour.");
        assert_eq!(terms.pairs.len(), 1);
        assert_eq!((terms.pairs[0].count, terms.pairs[0].adjacent), (2, 2));
        assert!(terms.pairs[0].id.is_pair() && !terms.words[0].id.is_pair());
    }

    #[test]
    fn texts_without_anything_to_say_have_no_terms() {
        for text in ["", "the of and", "🎉", "12 345", "   "] {
            assert!(english(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn mixed_languages_and_scripts_keep_their_words() {
        let terms = english("Harbour Hafen 港湾 порт ميناء #порт");
        assert_eq!(surfaces(&terms), ["harbour", "hafen", "港湾", "порт", "ميناء", "#порт"]);
    }

    #[test]
    fn the_terms_of_a_long_text_are_bounded() {
        let long: String = (0..5_000).map(|nth| format!("w{nth}x ")).collect();
        let terms = english(&long);
        assert_eq!((terms.words.len(), terms.pairs.len()), (WORDS_MAX, PAIRS_MAX));
    }
}
