//! What an account may be called. The set-up page and `wellread user add` ask here, so they agree.

use crate::words::Words;
use domain::preferences::Language;
use std::fmt;

pub const NAME_CHARS_MAX: usize = 64;

/// Why a name is refused; `Display` is the English sentence for the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadName {
    Empty,
    Invisible,
    Long,
}

impl BadName {
    pub(crate) fn sentence(self, words: &'static Words) -> &'static str {
        match self {
            BadName::Empty => words.entry.name_empty,
            BadName::Invisible => words.entry.name_invisible,
            BadName::Long => words.entry.name_long,
        }
    }
}

impl fmt::Display for BadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence(Words::of(Language::English)))
    }
}

/// The name without space around it, or why it is refused.
///
/// Characters that cannot be seen are refused: they would let two accounts look alike, reorder a line of a page, or
/// write lines of their own into a log (O4).
pub fn checked_name(given: &str) -> Result<String, BadName> {
    let name = given.trim();
    if name.is_empty() {
        Err(BadName::Empty)
    } else if name.chars().any(is_invisible) {
        Err(BadName::Invisible)
    } else if name.chars().count() > NAME_CHARS_MAX {
        Err(BadName::Long)
    } else {
        Ok(name.to_owned())
    }
}

/// Controls, line and paragraph separators, every space but the plain one, joiners, fillers, direction marks, tags.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffd}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_may_use_any_script() {
        for (given, expected) in [
            ("  mira ", "mira"),
            ("Mira O'Neil", "Mira O'Neil"),
            ("Ærøskøbing", "Ærøskøbing"),
            ("美良", "美良"),
        ] {
            assert_eq!(checked_name(given).as_deref(), Ok(expected));
        }
        assert!(checked_name(&"é".repeat(NAME_CHARS_MAX)).is_ok());
    }

    #[test]
    fn a_name_that_is_empty_or_too_long_is_refused_with_its_own_sentence() {
        assert_eq!(checked_name(" \t\n "), Err(BadName::Empty));
        assert_eq!(checked_name(&"é".repeat(NAME_CHARS_MAX + 1)), Err(BadName::Long));
    }

    #[test]
    fn o4_a_name_cannot_hold_what_a_log_or_a_page_would_obey() {
        for given in [
            "x\n2026 ERROR admin logged in",
            "a\u{1b}[31mb",
            "a\u{202e}nimda",
            "a\u{200b}b",
            "a\u{2028}b",
            "a\0b",
            "a\u{a0}b",
        ] {
            assert_eq!(checked_name(given), Err(BadName::Invisible), "{given:?}");
        }
    }
}
