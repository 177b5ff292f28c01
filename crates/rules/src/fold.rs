//! One spelling for texts and patterns: lower case, single spaces. And where a word ends.

/// Lower case by Unicode, white space as single spaces, none at the ends.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

/// The same into a buffer that is used again.
pub(crate) fn fold_into(text: &str, out: &mut String) {
    out.clear();
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            'A'..='Z' => out.push(c.to_ascii_lowercase()),
            // One letter with two shapes.
            'ς' | 'Σ' => out.push('σ'),
            'ſ' => out.push('s'),
            _ if c.is_ascii() => out.push(c),
            _ => out.extend(c.to_lowercase()),
        }
    }
}

/// Whether the piece of a folded text stands alone: no letter or digit joins it on either side.
pub(crate) fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (Some(before), Some(piece), Some(after)) = (text.get(..start), text.get(start..end), text.get(end..))
    else {
        return false;
    };
    !joined(before.chars().next_back(), piece.chars().next())
        && !joined(piece.chars().next_back(), after.chars().next())
}

/// Two neighbours that belong to one word. Where a script has no spaces, words have no edges to look for.
fn joined(left: Option<char>, right: Option<char>) -> bool {
    matches!((left, right), (Some(left), Some(right))
        if is_word(left) && is_word(right) && !is_unspaced(left) && !is_unspaced(right))
}

fn is_word(c: char) -> bool {
    // Combining accents belong to the letter before them.
    c.is_alphanumeric() || c == '_' || matches!(c, '\u{300}'..='\u{36f}')
}

/// Scripts that are written without spaces between words, and Hangul, whose endings stick to the word.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}'   // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Myanmar
        | '\u{1100}'..='\u{11ff}' // Hangul letters
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{2e80}'..='\u{31ff}' // radicals, kana, Bopomofo
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{ac00}'..='\u{d7af}' // Hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' // half-width kana
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_folded_to_lower_case_and_single_spaces() {
        assert_eq!(folded("  Ärger\n\tmit  ÉTÉ "), "ärger mit été");
        assert_eq!(folded("ΟΔΟΣ"), folded("οδος"));
        assert_eq!(folded(" \u{a0}\u{3000}"), "");
    }

    fn whole(text: &str, word: &str) -> bool {
        text.match_indices(word).any(|(at, _)| is_whole(text, at, at + word.len()))
    }

    #[test]
    fn a_word_ends_at_punctuation_and_not_inside_another() {
        for text in
            ["rust", "(rust)", "\"rust\",", "rust's", "#rust", "a-rust-b", "https://x/rust/y", "rust。"]
        {
            assert!(whole(text, "rust"), "{text}");
        }
        for text in ["trust", "rusty", "rust_x", "rust2", "rust\u{301}"] {
            assert!(!whole(text, "rust"), "{text}");
        }
        assert!(whole("c++17", "c++"), "punctuation ends itself");
    }

    #[test]
    fn words_of_scripts_without_spaces_are_found_anywhere() {
        assert!(whole("東京都知事選挙の結果", "選挙"));
        assert!(whole("新しいiphoneが", "iphone"));
        assert!(whole("ราคาน้ำมันวันนี้", "น้ำมัน"));
        assert!(whole("서울에서는", "서울"));
    }
}
