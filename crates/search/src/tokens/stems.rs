//! The stems of words met before. Of the words of a text most are frequent ones, and a stem takes longer to work out
//! than to look up.

use super::{Language, stem};

/// A table of fixed size in which a word has one place, shared with the words it then drives out.
#[derive(Default)]
pub(super) struct Stems {
    slots: Vec<Slot>,
    words: u32,
}

#[derive(Clone, Default)]
struct Slot {
    hash: u64,
    /// The form, and after it the stem where that is another.
    text: Box<str>,
    word: u32,
    form_bytes: u8,
    language: Option<Language>,
}

/// A word as it is remembered: where, and as the how manieth that was not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    slot: u32,
    word: u32,
}

impl Known {
    pub(super) fn slot(self) -> usize {
        self.slot as usize
    }

    /// Never 0 but when four milliards of words have been driven out.
    pub(super) fn word(self) -> u32 {
        self.word
    }
}

impl Stems {
    /// A power of two.
    pub(super) const REMEMBERED: usize = 1 << 16;

    /// The stem of a form, or nothing where it is its own.
    pub(super) fn of(&mut self, language: Option<Language>, form: &str) -> (Known, &str) {
        if self.slots.is_empty() {
            self.slots = vec![Slot::default(); Self::REMEMBERED];
        }
        let hash = hash(form.as_bytes());
        let at = (hash >> 40) as usize & (Self::REMEMBERED - 1);
        let slot = &mut self.slots[at];
        if slot.word == 0 || slot.hash != hash || slot.language != language || slot.form() != form {
            self.words = self.words.wrapping_add(1).max(1);
            *slot = Slot::new(hash, language, form, self.words);
        }
        (Known { slot: at as u32, word: slot.word }, &slot.text[usize::from(slot.form_bytes)..])
    }
}

impl Slot {
    fn new(hash: u64, language: Option<Language>, form: &str, word: u32) -> Slot {
        let stem = stem(language, form);
        let other = if stem == form { "" } else { stem.as_str() };
        let text = [form, other].concat().into_boxed_str();
        // Words are no longer than `WORD_BYTES_MAX`.
        let form_bytes = u8::try_from(form.len()).unwrap_or(u8::MAX);
        Slot { hash, text, word, form_bytes, language }
    }

    fn form(&self) -> &str {
        &self.text[..usize::from(self.form_bytes)]
    }
}

/// Good enough to spread words over a table; that two of them meet is allowed for.
fn hash(word: &[u8]) -> u64 {
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
    mix(hash, last).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_the_same_whether_worked_out_or_remembered() {
        let mut stems = Stems::default();
        for _ in 0..2 {
            for (language, form) in [
                (Some(Language::ENGLISH), "barriers"),
                (Language::from_tag("de"), "barriers"),
                (None, "barriers"),
                (Some(Language::ENGLISH), "barrier"),
                (Language::from_tag("de"), "häuser"),
                (Some(Language::ENGLISH), ""),
            ] {
                let expected = stem(language, form);
                let (_, other) = stems.of(language, form);
                assert_eq!(if other.is_empty() { form } else { other }, expected);
            }
        }
    }

    #[test]
    fn a_word_that_was_driven_out_is_another_word_when_it_comes_back() {
        let mut stems = Stems::default();
        let (first, _) = stems.of(None, "barriers");
        assert_eq!(stems.of(None, "barriers").0, first);
        stems.of(Some(Language::ENGLISH), "barriers");
        let (again, _) = stems.of(None, "barriers");
        assert_eq!(again.slot(), first.slot());
        assert_ne!(again.word(), first.word());
    }
}
