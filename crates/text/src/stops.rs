//! Stop words, for the languages that have a list.

use crate::language::Language;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// The lists that the crate has; it panics on others.
const LISTS: [&str; 36] = [
    "af", "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi",
    "hr", "hu", "hy", "id", "it", "lt", "lv", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "tr",
    "uk", "vi",
];

/// Whether a token, as [`crate::Tokens`] gives it, says nothing in this language.
pub fn is_stop_word(language: Option<Language>, token: &str) -> bool {
    let Some(language) = language else { return false };
    lists().get(&language).is_some_and(|list| list.contains(token))
}

fn lists() -> &'static HashMap<Language, HashSet<&'static str>> {
    static READ: OnceLock<HashMap<Language, HashSet<&'static str>>> = OnceLock::new();
    READ.get_or_init(|| {
        let known = LISTS.iter().filter_map(|code| Some((Language::parse(code)?, *code)));
        known.map(|(language, code)| (language, stop_words::get(code).iter().copied().collect())).collect()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_there() {
        for code in LISTS {
            assert!(lists()[&Language::parse(code).unwrap()].len() > 20, "{code}");
        }
    }

    #[test]
    fn stop_words_are_of_their_language() {
        let german = Language::parse("de");
        assert!(
            is_stop_word(Some(Language::ENGLISH), "the") && !is_stop_word(Some(Language::ENGLISH), "harbour")
        );
        assert!(is_stop_word(german, "und") && !is_stop_word(german, "hafen"));
        assert!(!is_stop_word(None, "the"), "of an unknown language nothing is left out");
    }
}
