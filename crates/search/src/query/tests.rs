#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Result<Query, BadQuery> {
    Query::parse(text, &Typed::default())
}

/// What was typed, as it is understood.
fn check(text: &str, understood: &str) {
    assert_eq!(parse(text).unwrap().to_string(), understood, "{text}");
}

#[test]
fn words_phrases_beginnings_and_exclusions_are_understood() {
    check("Tide  barrier", "tide barrier");
    check("“Linear Scan” -GPU", "\"linear scan\" -gpu");
    check("barr* NOT \"night ferry\"", "barr* -\"night ferry\"");
    check("a b OR c (d | e)", "(a b) OR (c (d OR e))");
    check("tide-barrier node.js*", "\"tide barrier\" node js*");
    check("C++ #Rust", "c++ #rust");
    check("東京都 東", "\"東京 京都\" 東*");
}

#[test]
fn filters_are_understood_and_handed_to_whoever_knows() {
    check("title:Tide author:\"Petra Lindvar\"", "title:tide author:\"petra lindvar\"");
    check("tag:Climate lang:EN-gb is:read", "tag:\"climate\" lang:en -is:unread");
    check(
        "before:2026 after:2025-03 after:2025-03-07",
        "before:2026-01-01 after:2025-03-01 after:2025-03-07",
    );
    let query = parse("is:starred (folder:City OR -feed:\"Harbour Ledger\") is:starred tide").unwrap();
    assert_eq!(
        query.store_filters(),
        [
            StoreFilter::Starred,
            StoreFilter::Folder("City".to_owned()),
            StoreFilter::Feed("Harbour Ledger".to_owned())
        ]
    );
    assert!(query.has_words());
    assert!(!parse("is:unread").unwrap().has_words());
}

#[test]
fn what_is_no_filter_is_words() {
    check("https://example.com/tide", "\"https example com tide\"");
    check("title: tide", "title tide");
    check("re:barrier", "\"re barrier\"");
}

#[test]
fn untidy_queries_are_read_as_far_as_they_go() {
    check("((tide", "tide");
    check("tide)) barrier", "tide barrier");
    check("\"tide barr", "\"tide barr\"");
    check("OR tide OR OR", "tide");
    check("--tide", "tide");
    check("- tide -", "tide");
}

#[test]
fn the_last_word_is_a_beginning_while_it_is_typed() {
    let live = Typed { live: true, ..Typed::default() };
    let read = |text| Query::parse(text, &live).unwrap().to_string();
    assert_eq!(read("tide barr"), "tide (barr OR barr*)");
    assert_eq!(read("tide barr "), "tide barr");
    assert_eq!(read("tide \"barr"), "tide barr");
    assert_eq!(read("tide b"), "tide b");
    assert_eq!(read("title:barr"), "title:barr OR title:barr*");
    assert_eq!(read("tide -barr"), "tide -(barr OR barr*)");
}

#[test]
fn o3_long_deep_and_empty_queries_get_a_clear_answer() {
    assert_eq!(parse(&"(".repeat(1_000)).unwrap_err(), BadQuery::TooLong);
    assert_eq!(parse(&"a OR ".repeat(5_000)).unwrap_err(), BadQuery::TooLong);
    assert_eq!(parse(&"x".repeat(10_240)).unwrap_err(), BadQuery::TooLong);
    assert_eq!(parse(&format!("{}tide", "(".repeat(30))).unwrap_err(), BadQuery::TooDeep);
    assert_eq!(parse(&"a ".repeat(100)).unwrap_err(), BadQuery::TooManyWords);
    for nothing in
        ["", "   ", "*", "OR", "AND NOT OR", "-", "()", "((()))", "\"\"", "-\"\"", "* * *", "!?", "👍"]
    {
        assert_eq!(parse(nothing).unwrap_err(), BadQuery::NothingToFind, "{nothing}");
    }
    assert!(matches!(parse("after:yesterday").unwrap_err(), BadQuery::NotADate(..)));
    assert!(matches!(parse("before:2026-13-01").unwrap_err(), BadQuery::NotADate(..)));
    assert!(matches!(parse("is:blue").unwrap_err(), BadQuery::NotAState(_)));
    assert!(matches!(parse("lang:?").unwrap_err(), BadQuery::NotALanguage(_)));
    assert_eq!(parse(&"(".repeat(20)).unwrap_err(), BadQuery::NothingToFind);
}

#[test]
fn queries_are_joined_and_narrowed_to_titles_as_if_typed_so() {
    let joined = parse("tide OR \"storm surge\"")
        .unwrap()
        .in_titles()
        .and(parse("is:unread -author:lind lang:de").unwrap());
    assert_eq!(joined.to_string(), "(title:tide OR title:\"storm surge\") is:unread -author:lind lang:de");
    assert_eq!(joined.store_filters(), [StoreFilter::Unread]);
    assert_eq!(parse(&joined.to_string()).unwrap().node, joined.node);
}

#[test]
fn filters_can_be_left_out_of_a_query() {
    let words = |text: &str| parse(text).unwrap().words_alone().map(|query| query.to_string());
    assert_eq!(
        words("tide (lang:de OR surge) -gpu is:unread after:2026").as_deref(),
        Some("tide surge -gpu")
    );
    for nothing in ["is:unread", "-gpu", "-gpu lang:de", "-(tide OR surge)"] {
        assert_eq!(words(nothing), None, "{nothing}");
    }
}

fn stable(text: &str) {
    for live in [false, true] {
        let Ok(query) = Query::parse(text, &Typed { live, ..Typed::default() }) else { continue };
        let printed = query.to_string();
        // A printed query may be longer than a typed one may be; it is only read again within bounds.
        match parse(&printed) {
            Ok(again) => assert_eq!(again.node, query.node, "{text:?} prints as {printed:?}"),
            Err(BadQuery::TooLong | BadQuery::TooManyWords | BadQuery::TooDeep) => {}
            Err(other) => panic!("{text:?} prints as {printed:?}: {other}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_string_is_read_or_refused_and_reads_as_it_prints(text in any::<String>()) {
        stable(&text);
    }

    #[test]
    fn anything_that_looks_like_a_query_reads_as_it_prints(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("(".to_owned()), Just(")".to_owned()), Just("\"".to_owned()), Just(" ".to_owned()),
                Just("-".to_owned()), Just(" OR ".to_owned()), Just("NOT ".to_owned()), Just("*".to_owned()),
                Just("title:".to_owned()), Just("author:".to_owned()), Just("tag:".to_owned()), Just("feed:".to_owned()),
                Just("is:starred".to_owned()), Just("before:2026-05-01".to_owned()), Just("lang:de".to_owned()),
                Just("#".to_owned()), Just("++".to_owned()), Just("東京".to_owned()), Just("ﬁ½ß’".to_owned()),
                "[a-cİ'. ,:_1]{1,4}", "\\PC{1,3}"
            ],
            0..24,
        )
    ) {
        stable(&parts.concat());
    }
}
