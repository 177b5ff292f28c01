//! What is found, in which order, and how it is shown.

use crate::{Bench, DAY, NOW, ids, item, parse, set};
use domain::{FeedId, ItemId, Timestamp};
use search::{
    Ask, COUNT_MAX, ChannelText, Cursor, Index, ItemText, Known, Language, Opened, Order, Query, Scope,
    State, StoreFilter, Total, Typed, Unread,
};
use std::sync::Arc;

fn harbour() -> Bench {
    Bench::with(&[
        item(
            1,
            "Tide barrier at Port Ansel to close twice a week",
            "Wear on the northern hinge of the tide barrier.",
        ),
        item(
            2,
            "Gates were designed for ten closures",
            "Every barrier on this coast is run to a tide table.",
        ),
        item(3, "Counting closures", "The first movable barriers were rows of barges, says Petra."),
        ItemText {
            author: "Petra Lindvar".to_owned(),
            tags: vec!["Flood Law".to_owned(), "#Coast".to_owned()],
            ..item(4, "What a closed gate does to a marsh", "Silt settles. Learn C++ and C# in #public.")
        },
        ItemText {
            language: Some("de-AT".to_owned()),
            ..item(5, "Häuser am Deich", "Die alten Häuser stehen noch.")
        },
        ItemText {
            language: Some("ja".to_owned()), ..item(6, "東京都の水門", "高潮に備える水門が閉じた。")
        },
        item(7, "Empty", ""),
    ])
}

#[test]
fn words_are_found_by_their_stems_and_all_of_them_are_wanted() {
    let bench = harbour();
    assert_eq!(bench.ids("tide barrier"), [1, 2]);
    assert_eq!(bench.ids("barriers"), [1, 2, 3]);
    assert_eq!(bench.ids("closure OR marsh"), [2, 3, 4]);
    assert_eq!(bench.ids("barrier -tide"), [3]);
    assert_eq!(bench.ids("-barrier -tide lang:en"), [4, 7]);
    assert_eq!(bench.ids("barrier (hinge OR barges)"), [1, 3]);
    assert_eq!(bench.ids("nothing"), Vec::<i64>::new());
}

#[test]
fn phrases_keep_their_order_and_do_not_leave_their_field() {
    let bench = harbour();
    assert_eq!(bench.ids("\"tide barrier\""), [1]);
    assert_eq!(bench.ids("\"barrier tide\""), Vec::<i64>::new());
    assert_eq!(bench.ids("\"northern hinges\""), [1]);
    // The last word of the title and the first of the text are no neighbours.
    assert_eq!(bench.ids("\"closures the\""), Vec::<i64>::new());
    assert_eq!(bench.ids("tide-barrier"), [1]);
}

#[test]
fn beginnings_find_words_while_they_are_typed() {
    let bench = harbour();
    assert_eq!(bench.ids("barr*"), [1, 2, 3]);
    assert_eq!(bench.ids("title:clos*"), [1, 2, 3, 4]);
    assert_eq!(bench.ids("author:lind*"), [4]);
    let live = Query::parse("tide barrie", &Typed { live: true, ..Typed::default() }).unwrap();
    let answer = bench.index.search(&live, &Ask::new(Scope::Everything, NOW)).unwrap();
    assert_eq!(answer.total, Total { count: 2, exact: true });
    let ask = Ask::new(Scope::Everything, NOW);
    assert_eq!(bench.index.complete("tide barr", &ask).unwrap().as_deref(), Some("ier"));
    assert_eq!(bench.index.complete("tide barr ", &ask).unwrap(), None);
    assert_eq!(bench.index.complete("x", &ask).unwrap(), None);
}

#[test]
fn filters_of_the_index_are_applied() {
    let bench = harbour();
    assert_eq!(bench.ids("title:barrier"), [1]);
    assert_eq!(bench.ids("author:\"petra lindvar\""), [4]);
    assert_eq!(bench.ids("petra"), [3]);
    assert_eq!(bench.ids("tag:\"flood law\""), [4]);
    assert_eq!(bench.ids("tag:coast"), [4]);
    assert_eq!(bench.ids("tag:flood"), Vec::<i64>::new());
    assert_eq!(bench.ids("lang:de"), [5]);
    assert_eq!(bench.ids("c++"), [4]);
    assert_eq!(bench.ids("c#"), [4]);
    assert_eq!(bench.ids("#public"), [4]);
    assert_eq!(bench.ids("#silt"), Vec::<i64>::new());
}

#[test]
fn languages_bring_their_own_stems_and_unspaced_scripts_are_found() {
    let bench = harbour();
    let german = Typed { languages: vec![Language::from_tag("de").unwrap()], ..Typed::default() };
    let query = Query::parse("haus", &german).unwrap();
    assert_eq!(ids(&bench.index.search(&query, &Ask::new(Scope::Everything, NOW)).unwrap()), [5]);
    for found in ["東京", "水門", "高潮に備える", "水", "京"] {
        assert_eq!(bench.ids(found), [6], "{found}");
    }
    assert_eq!(bench.ids("京東"), Vec::<i64>::new());
}

#[test]
fn dates_are_the_persons_days() {
    let at = |id, text: &str| ItemText {
        time: Timestamp::from_seconds(text.parse::<jiff::Timestamp>().unwrap().as_second()),
        ..item(id, "tide", "")
    };
    let bench = Bench::with(&[
        at(1, "2026-04-30T23:30:00Z"),
        at(2, "2026-05-01T00:00:00Z"),
        at(3, "2026-05-02T12:00:00Z"),
    ]);
    assert_eq!(bench.ids("tide after:2026-05-01"), [2, 3]);
    assert_eq!(bench.ids("tide before:2026-05-01"), [1]);
    assert_eq!(bench.ids("tide -before:2026-05-01 before:2026-05-02"), [2]);
    assert_eq!(bench.ids("before:2026-05-01 OR after:2026-05-02"), [1, 3]);
    let typed = Typed { zone: jiff::tz::TimeZone::get("Europe/Helsinki").unwrap(), ..Typed::default() };
    let query = Query::parse("tide after:2026-05-01", &typed).unwrap();
    let answer = bench.index.search(&query, &Ask::new(Scope::Everything, NOW)).unwrap();
    assert_eq!(answer.total.count, 3, "midnight comes earlier in Helsinki");
}

#[test]
fn what_only_the_store_knows_is_answered_by_the_caller() {
    let bench = harbour();
    let known = [
        (StoreFilter::Starred, Known::Items(set(&[2, 3]))),
        (StoreFilter::Unread, Known::Nothing),
        (StoreFilter::Folder("City".to_owned()), Known::Feeds(set(&[2]))),
        (StoreFilter::Tag("coast".to_owned()), Known::Items(set(&[1]))),
    ];
    let ask = Ask { known: &known, ..Ask::new(Scope::Everything, NOW) };
    let found = |text: &str| {
        let mut found = ids(&bench.ask(text, &ask));
        found.sort_unstable();
        found
    };
    assert_eq!(found("barrier is:starred"), [2, 3]);
    assert_eq!(found("barrier -is:starred"), [1]);
    assert_eq!(found("is:read barrier"), [1, 2, 3]);
    assert_eq!(found("folder:City"), [1, 4, 7]);
    assert_eq!(found("folder:City OR is:starred"), [1, 2, 3, 4, 7]);
    assert_eq!(found("tag:coast"), [1, 4], "given by a person or by the feed");
    assert_eq!(found("folder:Unknown"), Vec::<i64>::new());
    let odd = |id: ItemId| id.0 % 2 == 1;
    let ask = Ask { items: Some(&odd), ..Ask::new(Scope::Everything, NOW) };
    assert_eq!(bench.ask("barrier", &ask).total.count, 2);
}

#[test]
fn unread_is_told_by_watermarks_and_marks() {
    let bench = harbour();
    // Feeds 1 and 2 are followed; of feed 2 everything is unread, of feed 1 nothing but item 3, and item 4 was read.
    let watermarks = [(FeedId(1), NOW), (FeedId(2), Timestamp::EPOCH)];
    let unread = Unread::new(watermarks, [(ItemId(3), false), (ItemId(4), true)]);
    let known = [(StoreFilter::Unread, Known::Unread(Arc::new(unread)))];
    let ask = Ask { known: &known, ..Ask::new(Scope::Everything, NOW) };
    let found = |text: &str| {
        let mut found = ids(&bench.ask(text, &ask));
        found.sort_unstable();
        found
    };
    assert_eq!(found("is:unread"), [1, 3, 7]);
    assert_eq!(found("barrier is:unread"), [1, 3]);
    assert_eq!(found("barrier is:read"), [2]);
    assert_eq!(found("nowhereatall OR is:unread"), [1, 3, 7]);
    let all = found("is:unread OR is:read");
    assert_eq!(all.len(), bench.index.items() as usize);
}

#[test]
fn a5_only_the_persons_feeds_are_searched_counted_and_suggested() {
    let mut items: Vec<_> =
        (1..=30).map(|id| ItemText { feed: FeedId(1), ..item(id, "A common tide", "") }).collect();
    items.push(ItemText { feed: FeedId(2), ..item(40, "Zanzibar tide secretword", "") });
    let bench = Bench::with(&items);
    let mine = Ask::new(Scope::Feeds(set(&[1])), NOW);
    assert_eq!(bench.ask("secretword", &mine).total.count, 0);
    assert_eq!(bench.ask("secretwort", &mine).meant, None, "nor is the word betrayed by a correction");
    assert_eq!(bench.index.complete("secr", &mine).unwrap(), None, "nor by a completion");
    let theirs = Ask::new(Scope::Feeds(set(&[2])), NOW);
    assert_eq!(bench.ask("secretwort", &theirs).meant.as_deref(), Some("secretword"));
    assert_eq!(bench.index.complete("secr", &theirs).unwrap().as_deref(), Some("etword"));
    assert_eq!(bench.ask("tide", &Ask::new(Scope::Feeds(set(&[])), NOW)).total.count, 0);
}

#[test]
fn what_a_person_starred_is_found_in_feeds_they_have_left() {
    let bench = Bench::with(&[
        ItemText { feed: FeedId(1), ..item(1, "A common tide", "") },
        ItemText { feed: FeedId(2), ..item(2, "A starred tide", "") },
        ItemText { feed: FeedId(2), ..item(3, "A forgotten tide", "") },
    ]);
    let known = [
        (StoreFilter::Starred, Known::Items(set(&[2]))),
        (StoreFilter::Feed("First".to_owned()), Known::Feeds(set(&[1]))),
    ];
    let ask = Ask { known: &known, ..Ask::new(Scope::Feeds(set(&[1])), NOW) };
    assert_eq!(ids(&bench.ask("tide is:starred", &ask)), [2]);
    assert_eq!(ids(&bench.ask("tide -is:starred", &ask)), [1]);
    assert_eq!(ids(&bench.ask("tide is:starred feed:First", &ask)), Vec::<i64>::new());
    assert_eq!(bench.index.complete("forg", &ask).unwrap(), None, "nothing else of them is betrayed");
}

#[test]
fn the_title_counts_more_and_the_new_a_little_more() {
    let text = "A long report about water, weather and harbours that says many other things beside.";
    let old = Timestamp::from_seconds(NOW.seconds() - 3_000 * DAY);
    let bench = Bench::with(&[
        item(1, "Weather report", &format!("{text} barrier")),
        item(2, "The barrier", text),
        ItemText { time: old, ..item(3, "The barrier", text) },
    ]);
    assert_eq!(ids(&bench.answer("barrier")), [2, 3, 1]);
    let newest = Ask { order: Order::Newest, ..Ask::new(Scope::Everything, NOW) };
    assert_eq!(ids(&bench.ask("barrier", &newest)), [2, 1, 3]);
}

#[test]
fn a_typing_mistake_is_noticed_only_when_little_is_found() {
    let bench = harbour();
    assert_eq!(bench.answer("tide barier").meant.as_deref(), Some("tide barrier"));
    assert_eq!(bench.answer("\"tide barier\"").meant.as_deref(), Some("\"tide barrier\""));
    assert_eq!(bench.answer("barrier").meant, None);
    assert_eq!(bench.answer("xqzw").meant, None);
    assert_eq!(bench.answer("hingee xqzwvv").meant, None, "what would still find nothing is not offered");
}

#[test]
fn words_are_marked_in_titles_and_snippets_as_ranges_of_plain_text() {
    let long = format!(
        "{} the <b>tide barriers</b> means the gates {}",
        "Lorem ipsum. ".repeat(60),
        "and more ".repeat(60)
    );
    let bench = Bench::with(&[item(1, "Tide barrier at Port Ansel", &long)]);
    let answer = bench.answer("tide barrier");
    let hit = &answer.hits[0];
    let marked = |marked: &search::Marked| -> Vec<String> {
        marked.marks.iter().map(|mark| marked.text[mark.clone()].to_owned()).collect()
    };
    assert_eq!(marked(&hit.title), ["Tide barrier"]);
    assert_eq!(marked(&hit.snippet), ["tide barriers"]);
    assert!(hit.snippet.cut_before && hit.snippet.cut_after);
    assert!(hit.snippet.text.contains("<b>"), "text is text; the page escapes it");
    assert!(hit.snippet.text.chars().count() <= search::SNIPPET_CHARS);
    assert_eq!(hit.link, "https://feed.test/1");
    let phrase = parse("\"tide barrier\" -gates").mark("A barrier, a tide barrier, gates");
    assert_eq!(marked(&phrase), ["tide barrier"]);
    assert_eq!(marked(&parse("水門").mark("高潮に備える水門")), ["水門"]);
    assert_eq!(parse("tide").snippet("").text, "");
}

#[test]
fn the_best_are_paged_by_offset_and_the_newest_by_cursor_without_gaps_or_repeats() {
    let items: Vec<_> = (1..=250)
        .map(|id| ItemText {
            time: Timestamp::from_seconds(NOW.seconds() - id / 3),
            ..item(id, "tide", "and barrier")
        })
        .collect();
    let bench = Bench::with(&items);
    let mut seen = Vec::new();
    for page in 0..7 {
        let ask = Ask { offset: page * 40, limit: 40, ..Ask::new(Scope::Everything, NOW) };
        let answer = bench.ask("tide", &ask);
        assert_eq!(answer.total, Total { count: 250, exact: true });
        seen.extend(ids(&answer));
    }
    assert_eq!(seen.len(), 250);
    seen.sort_unstable();
    assert_eq!(seen, (1..=250).collect::<Vec<_>>());
    let (mut cursor, mut newest): (Option<Cursor>, Vec<i64>) = (None, Vec::new());
    loop {
        let ask = Ask { order: Order::Newest, cursor, limit: 30, ..Ask::new(Scope::Everything, NOW) };
        let answer = bench.ask("tide", &ask);
        newest.extend(ids(&answer));
        cursor = answer.next;
        if cursor.is_none() {
            break;
        }
    }
    let mut expected: Vec<_> = items.iter().map(|item| (item.time, item.id.0)).collect();
    expected.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(newest, expected.into_iter().map(|(_, id)| id).collect::<Vec<_>>());
}

#[test]
fn many_hits_are_counted_up_to_a_bound_and_no_short_cut_changes_a_result() {
    let words = ["tide", "barrier", "gate", "marsh", "harbour", "silt"];
    let items: Vec<_> = (1..=12_000_i64)
        .map(|id| {
            let mixed = |n: i64| ((id * 7_919 + n * 104_729) ^ (id * n)) / 3 % 6;
            let text: Vec<&str> = (0..20 + id % 37).map(|n| words[mixed(n) as usize]).collect();
            ItemText { feed: FeedId(id % 10), ..item(id, words[(id % 6) as usize], &text.join(" ")) }
        })
        .collect();
    let bench = Bench::with(&items);
    // All feeds: blocks are skipped. Two of ten: from item to item.
    for feeds in [vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 9], vec![3, 8]] {
        for text in ["tide", "tide barrier", "tide OR gate", "tide -zebra", "mar* tide"] {
            let scope = Scope::Feeds(set(&feeds));
            let all = bench.ask(text, &Ask { limit: 100, ..Ask::new(scope.clone(), NOW) });
            assert_eq!(all.total, Total { count: COUNT_MAX, exact: false }, "{text} in {feeds:?}");
            // The same page from fewer candidates each, counted exactly and scored one by one.
            let mut parts: Vec<(i64, f32)> = Vec::new();
            for part in 0..20 {
                let of_part = |id: ItemId| id.0 / 10 % 20 == part;
                let ask = Ask { limit: 100, items: Some(&of_part), ..Ask::new(scope.clone(), NOW) };
                let answer = bench.ask(text, &ask);
                assert!(answer.total.exact);
                parts.extend(answer.hits.iter().map(|hit| (hit.item.0, hit.score)));
            }
            parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
            let best: Vec<i64> = parts.into_iter().take(100).map(|(id, _)| id).collect();
            assert_eq!(ids(&all), best, "{text} in {feeds:?}");
        }
    }
    let newest = Ask { order: Order::Newest, limit: 5, ..Ask::new(Scope::Everything, NOW) };
    assert_eq!(
        ids(&bench.ask("is:unread OR -tide OR tide", &newest)),
        [12_000, 11_999, 11_998, 11_997, 11_996]
    );
}

#[test]
fn odd_items_are_searched_like_any_other() {
    let bench = Bench::with(&[
        item(1, &"tide ".repeat(300_000), ""),
        item(2, "the of and", "is it"),
        item(3, "👍🏽 שלום עולם", "مرحبا بالعالم tide"),
        item(4, "\u{1F}tide\u{1F}\0", "x\u{1F}y"),
        item(5, &"x".repeat(100_000), &"é".repeat(100_000)),
        ItemText {
            language: Some("x".repeat(1_000)),
            tags: vec![String::new(); 1_000],
            ..item(6, "tide", "")
        },
    ]);
    assert_eq!(bench.ids("tide"), [1, 3, 4, 6]);
    assert_eq!(bench.ids("\"the of\""), [2]);
    assert_eq!(bench.ids("שלום"), [3]);
    assert_eq!(bench.ids("مرحبا"), [3]);
    assert!(bench.answer("tide").hits.iter().all(|hit| hit.title.text.len() <= search::TITLE_BYTES_MAX));
}

#[test]
fn channels_are_found_by_name_and_by_what_they_publish() {
    let folder = tempfile::tempdir().unwrap();
    let Opened { index, mut writer, .. } = Index::open(folder.path()).unwrap();
    let channel = |feed, title: &str, terms: &[&str]| ChannelText {
        feed: FeedId(feed),
        title: title.to_owned(),
        description: "Notes from the shore".to_owned(),
        terms: terms.iter().map(|&term| term.to_owned()).collect(),
        link: String::new(),
        language: None,
        time: NOW,
    };
    writer.put(&channel(7, "Weir & Lock", &["barriers", "sluices", "flood law"]).into()).unwrap();
    writer.put(&channel(3, "Harbour Ledger", &["freight", "tide barrier"]).into()).unwrap();
    writer.put(&channel(7, "Weir & Lock", &["sluices", "barriers"]).into()).unwrap();
    writer.caught_up().unwrap();
    let answer = index.search(&parse("barrier"), &Ask::new(Scope::Everything, NOW)).unwrap();
    let mut feeds: Vec<_> = answer.hits.iter().map(|hit| hit.feed.0).collect();
    feeds.sort_unstable();
    assert_eq!((feeds, answer.state), (vec![3, 7], State::Whole));
    let weir = answer.hits.iter().find(|hit| hit.feed == FeedId(7)).unwrap();
    assert_eq!(weir.snippet.text, "sluices, barriers. Notes from the shore");
    assert_eq!(&weir.snippet.text[weir.snippet.marks[0].clone()], "barriers");
}
