//! The stems of words met before. Of the words of a text most are frequent ones, and a stem takes longer to work out
//! than to look up.
//!
//! What costs is reaching for memory: a word is one entry of a table, and its letters lie beside those of the words met
//! about when it was, which for frequent ones are the frequent ones.

use super::{Language, stem};
use std::sync::atomic::{AtomicU32, Ordering};

/// When there are more words than this, a new round begins with none.
const WORDS_MAX: usize = 60_000;
/// A power of two, with room between the words.
const TABLE: usize = 1 << 17;

#[derive(Default)]
pub(super) struct Stems {
    /// Empty before the first round.
    table: Vec<Word>,
    words: usize,
    /// Of each word its form, and its stem where that is another.
    texts: String,
    round: u32,
}

#[derive(Clone, Copy, Default)]
struct Word {
    text: u32,
    /// What of the hash did not choose the place.
    rest: u16,
    number: u16,
    /// 0 where there is no word.
    form_bytes: u8,
    stem_bytes: u8,
    language: Option<Language>,
}

/// As the how manieth in this round a word was met, unless there was no room to remember it.
pub(super) type Number = Option<u16>;

impl Stems {
    /// Numbers mean nothing in another round; no two threads have the same one.
    pub(super) fn round(&self) -> u32 {
        self.round
    }

    /// For before each text: begins a new round if there is no room left.
    pub(super) fn make_room(&mut self) {
        static ROUNDS: AtomicU32 = AtomicU32::new(1);
        if self.table.is_empty() || self.words >= WORDS_MAX {
            self.table.clear();
            self.table.resize(TABLE, Word::default());
            self.words = 0;
            self.texts.clear();
            self.round = ROUNDS.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Adds to `terms` the form and, where it is another, the stem; gives the word's number.
    pub(super) fn add(&mut self, language: Option<Language>, form: &str, terms: &mut String) -> Number {
        let hash = hash(form.as_bytes());
        let (rest, mut at) = ((hash >> 16) as u16, hash as usize % TABLE);
        while let Some(word) = self.table.get(at).filter(|word| word.form_bytes > 0) {
            if word.rest == rest && word.language == language {
                let text = &self.texts[word.text as usize..];
                let bytes = usize::from(word.form_bytes);
                if text[..bytes] == *form {
                    terms.push_str(&text[..bytes + usize::from(word.stem_bytes)]);
                    return Some(word.number);
                }
            }
            at = (at + 1) % TABLE;
        }
        let stem = stem(language, form);
        let stem = if stem == form { "" } else { stem.as_str() };
        terms.push_str(form);
        terms.push_str(stem);
        let number = self.remember(
            at,
            Word {
                rest,
                number: u16::try_from(self.words).ok()?,
                text: u32::try_from(self.texts.len()).ok()?,
                form_bytes: u8::try_from(form.len()).ok()?,
                stem_bytes: u8::try_from(stem.len()).ok()?,
                language,
            },
        )?;
        self.texts.push_str(form);
        self.texts.push_str(stem);
        Some(number)
    }

    fn remember(&mut self, at: usize, word: Word) -> Number {
        if self.words >= WORDS_MAX || word.form_bytes == 0 {
            return None;
        }
        *self.table.get_mut(at)? = word;
        self.words += 1;
        Some(word.number)
    }
}

/// Good enough to spread words over a table; that two of them meet is allowed for.
fn hash(word: &[u8]) -> u32 {
    let mix = |hash: u64, bytes: u64| {
        let mixed = (hash ^ bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 32)
    };
    let (mut hash, mut rest) = (word.len() as u64, word);
    while let Some((eight, tail)) = rest.split_first_chunk::<8>() {
        (hash, rest) = (mix(hash, u64::from_le_bytes(*eight)), tail);
    }
    if let Some((four, tail)) = rest.split_first_chunk::<4>() {
        (hash, rest) = (mix(hash, u64::from(u32::from_le_bytes(*four))), tail);
    }
    let last = rest.iter().fold(0_u64, |last, byte| last << 8 | u64::from(*byte));
    (mix(hash, last).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stems: &mut Stems, language: Option<Language>, form: &str) -> Number {
        let (mut terms, expected) = (String::new(), stem(language, form));
        let number = stems.add(language, form, &mut terms);
        let (found, other) = terms.split_at(form.len());
        assert_eq!((found, if other.is_empty() { form } else { other }), (form, expected.as_str()));
        number
    }

    #[test]
    fn a_stem_is_the_same_whether_worked_out_or_remembered() {
        let mut stems = Stems::default();
        let words = [
            (Some(Language::ENGLISH), "barriers"),
            (Language::from_tag("de"), "barriers"),
            (None, "barriers"),
            (Some(Language::ENGLISH), "barrier"),
            (Language::from_tag("de"), "häuser"),
        ];
        let numbers = |stems: &mut Stems| words.map(|(language, form)| check(stems, language, form));
        assert_eq!(numbers(&mut stems), [None; 5], "nothing is remembered before there is room");
        stems.make_room();
        let first = numbers(&mut stems);
        assert!(first.iter().all(Option::is_some));
        assert_eq!(numbers(&mut stems), first);
    }

    #[test]
    fn more_words_than_there_is_room_for_have_stems_and_a_new_round_has_room_again() {
        let mut stems = Stems::default();
        stems.make_room();
        let round = stems.round();
        for nth in 0..WORDS_MAX + 100 {
            let number = check(&mut stems, Some(Language::ENGLISH), &format!("word{nth}"));
            assert_eq!(number.is_some(), nth < WORDS_MAX);
        }
        assert_eq!(check(&mut stems, Some(Language::ENGLISH), "barriers"), None);
        assert!(check(&mut stems, Some(Language::ENGLISH), "word7").is_some());
        stems.make_room();
        assert_ne!(stems.round(), round);
        assert!(check(&mut stems, Some(Language::ENGLISH), "barriers").is_some());
    }
}
