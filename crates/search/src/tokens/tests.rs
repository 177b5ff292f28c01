#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use proptest::prelude::*;

fn document(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    words(text, Reading::Document, |word| found.push(word.form.to_owned()));
    found
}

#[test]
fn words_are_folded_and_parted_where_people_part_them() {
    assert_eq!(typed("The TIDE-barrier, at Port Ansel."), ["the", "tide", "barrier", "at", "port", "ansel"]);
    assert_eq!(
        typed("example.com node.js 3.14 1,000 don't"),
        ["example", "com", "node", "js", "3.14", "1,000", "don't"]
    );
    assert_eq!(typed("neighbour’s Straße ﬁne CAFÉ"), ["neighbour's", "straße", "fine", "café"]);
    assert_eq!(typed("Ｗｉｄｅ snake_case"), ["wide", "snake", "case"]);
}

#[test]
fn programming_languages_and_tags_stay_themselves() {
    assert_eq!(typed("C++ c# F# #rust a+b issue#12"), ["c++", "c#", "f#", "#rust", "a", "b", "issue", "12"]);
    assert_eq!(document("#rust"), ["rust", "#rust"]);
    assert_eq!(stem(Some(Language::ENGLISH), "#barriers"), "#barriers");
    assert_eq!(stem(Some(Language::ENGLISH), "barriers"), "barrier");
}

#[test]
fn scripts_without_spaces_give_pairs() {
    assert_eq!(typed("東京都"), ["東京", "京都"]);
    assert_eq!(document("東京都"), ["東京", "京都", "都"]);
    assert_eq!(typed("東"), ["東"]);
    assert_eq!(typed("Rust言語 ภาษา"), ["rust", "言語", "ภา", "าษ", "ษา"]);
}

#[test]
fn unknown_languages_are_left_alone_and_silent_ones_are_english() {
    assert_eq!(stem(Language::of_document(None), "barriers"), "barrier");
    assert_eq!(stem(Language::of_document(Some("xx")), "barriers"), "barriers");
    assert_eq!(stem(Language::of_document(Some("de-AT")), "häuser"), "haus");
}

proptest! {
    #[test]
    fn any_text_gives_words_that_stand_in_it(text in any::<String>()) {
        words(&text, Reading::Document, |word| {
            assert!(!word.form.is_empty() && word.form.len() <= WORD_BYTES_MAX + 3);
            assert!(text.get(word.range.clone()).is_some());
            for tag in ["en", "de", "ar", "el", "ta", "tr", "hu"] {
                stem(Language::from_tag(tag), word.form);
            }
        });
    }

    #[test]
    fn ascii_words_do_not_depend_on_what_else_the_text_holds(text in "[ -~]{0,60}") {
        let mut mixed = Vec::new();
        let longer = format!("{text} é");
        words(&longer, Reading::Query, |word| mixed.push(word.form.to_owned()));
        prop_assert_eq!(mixed.pop(), Some("é".to_owned()));
        prop_assert_eq!(mixed, typed(&text));
    }
}
