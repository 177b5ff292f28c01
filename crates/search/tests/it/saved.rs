//! Saved searches: a query says the same about a new item as the index does.

use crate::{Bench, NOW, item, parse};
use domain::Timestamp;
use proptest::prelude::*;
use search::{Ask, ItemText, Known, Language, Prepared, Query, Scope, StoreFilter, Typed};

#[test]
fn a_saved_search_notices_a_new_item() {
    let new = ItemText {
        tags: vec!["Coast".to_owned()],
        ..item(1, "Tide barriers close", "at Port Ansel, says Petra")
    };
    let new = Prepared::new(&new);
    let nobody = |_: &StoreFilter| false;
    for yes in
        ["barrier", "\"tide barrier\"", "bar* -ferry", "title:tide", "tag:coast", "lang:en", "port OR ferry"]
    {
        assert!(parse(yes).matches(&new, &nobody), "{yes}");
    }
    for no in [
        "ferry",
        "\"barrier tide\"",
        "title:ansel",
        "tag:law",
        "lang:de",
        "before:2020",
        "is:starred",
        "\"close at\"",
    ] {
        assert!(!parse(no).matches(&new, &nobody), "{no}");
    }
    assert!(
        parse("tide folder:City").matches(&new, &|filter| *filter == StoreFilter::Folder("City".to_owned()))
    );
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("tide"),
        Just("tides"),
        Just("barrier"),
        Just("Barriers"),
        Just("gate"),
        Just("gating"),
        Just("#gate"),
        Just("c++"),
        Just("Häuser"),
        Just("Haus"),
        Just("東京都"),
        Just("京"),
        Just("don't"),
        Just("3.5"),
        Just("the"),
        Just("tide."),
        Just("ﬁsh"),
    ];
    proptest::collection::vec(word, 0..7).prop_map(|words| words.join(" "))
}

fn an_item(id: i64) -> impl Strategy<Value = ItemText> {
    let language =
        prop_oneof![Just(None), Just(Some("en")), Just(Some("de-AT")), Just(Some("ja")), Just(Some("zz"))];
    let tags = proptest::collection::vec(prop_oneof![Just("Gate"), Just("#tide"), Just("two words")], 0..2);
    (words(), words(), words(), tags, language, 0_i64..3).prop_map(
        move |(title, text, author, tags, language, day)| ItemText {
            author,
            tags: tags.into_iter().map(str::to_owned).collect(),
            language: language.map(str::to_owned),
            time: Timestamp::from_seconds(1_777_593_600 + day * 86_400),
            ..item(id, &title, &text)
        },
    )
}

fn a_query() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("tide"),
        Just("barrier"),
        Just("gates"),
        Just("#gate"),
        Just("c++"),
        Just("haus"),
        Just("häuser"),
        Just("東京"),
        Just("京"),
        Just("don't"),
        Just("3.5"),
        Just("the"),
        Just("\"tide barrier\""),
        Just("\"the tides gate\""),
        Just("ti*"),
        Just("bar*"),
        Just("hä*"),
        Just("title:tide"),
        Just("title:gat*"),
        Just("title:\"tide barrier\""),
        Just("author:gate"),
        Just("author:\"tide gate\""),
        Just("author:ti*"),
        Just("tag:gate"),
        Just("tag:tide"),
        Just("tag:\"two words\""),
        Just("lang:en"),
        Just("lang:de"),
        Just("before:2026-05-02"),
        Just("after:2026-05-03"),
        Just("is:starred"),
        Just("is:unread"),
        Just("OR"),
        Just("-"),
        Just("("),
        Just(")"),
        Just("fish"),
    ];
    proptest::collection::vec(part, 1..8).prop_map(|parts| {
        parts.iter().fold(String::new(), |text, part| match *part {
            "-" => text + " -",
            part => {
                if text.ends_with('-') {
                    text + part
                } else {
                    text + " " + part
                }
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_query_finds_in_the_index_what_it_matches_as_it_comes_in(
        items in (1..12_i64).map(an_item).collect::<Vec<_>>(),
        queries in proptest::collection::vec(a_query(), 30),
    ) {
        let bench = Bench::with(&items);
        let typed = Typed { languages: vec![Language::from_tag("de").unwrap()], ..Typed::default() };
        let starred = |id: i64| id % 2 == 0;
        let known = [
            (StoreFilter::Starred, Known::Items(crate::set(&[2, 4, 6, 8, 10, 12]))),
            (StoreFilter::Unread, Known::Everything),
        ];
        let ask = Ask { known: &known, limit: 100, ..Ask::new(Scope::Everything, NOW) };
        for text in queries {
            let Ok(query) = Query::parse(&text, &typed) else { continue };
            let mut found = crate::ids(&bench.index.search(&query, &ask).unwrap());
            found.sort_unstable();
            let matched: Vec<i64> = items
                .iter()
                .filter(|item| {
                    query.matches(&Prepared::new(item), &|filter| match filter {
                        StoreFilter::Starred => starred(item.id.0),
                        StoreFilter::Unread => true,
                        _ => false,
                    })
                })
                .map(|item| item.id.0)
                .collect();
            prop_assert_eq!(&found, &matched, "{} as {}", text, query);
        }
    }
}
