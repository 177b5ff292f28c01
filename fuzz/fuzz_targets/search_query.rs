//! Any text as a query on any item: read or refused, printed as it is read, matched and marked within bounds.
#![no_main]

use domain::{FeedId, ItemId, Timestamp};
use libfuzzer_sys::fuzz_target;
use search::{BadQuery, ItemText, Prepared, Query, Typed};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.splitn(3, '\n');
    let mut next = || parts.next().unwrap_or_default().to_owned();
    let (typed, title, body) = (next(), next(), next());
    for live in [false, true] {
        let Ok(query) = Query::parse(&typed, &Typed { live, ..Typed::default() }) else { continue };
        match Query::parse(&query.to_string(), &Typed::default()) {
            Ok(again) => assert_eq!(again.to_string(), query.to_string()),
            Err(BadQuery::TooLong | BadQuery::TooDeep | BadQuery::TooManyWords) => {}
            Err(other) => panic!("{query} is refused when it is read again: {other}"),
        }
        let item = ItemText {
            id: ItemId(1),
            feed: FeedId(1),
            time: Timestamp::EPOCH,
            title: title.clone(),
            text: body.clone(),
            author: title.clone(),
            link: String::new(),
            tags: vec![title.clone()],
            language: Some("en".to_owned()),
        };
        let prepared = Prepared::new(&item);
        assert_eq!(query.matches(&prepared, &|_| false), query.matches(&prepared, &|_| false));
        for marked in [query.mark(&title), query.snippet(&body)] {
            for mark in &marked.marks {
                assert!(marked.text.get(mark.clone()).is_some());
            }
        }
    }
});
