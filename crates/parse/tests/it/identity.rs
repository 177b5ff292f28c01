//! The same item is the same on every poll (D1, D3).

use crate::{complains, document, read, rss};
use domain::{Document, Identity};
use std::collections::BTreeSet;

fn identities(items: &str) -> Vec<Identity> {
    document(&rss(items)).items.iter().map(|item| item.identity).collect()
}

#[test]
fn d1_items_without_guid_and_link_are_the_same_ten_times() {
    let items = "<item><title>One</title><description>x</description></item><item><title>Two</title></item>";
    let first = identities(items);
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 2);
    for _ in 0..10 {
        assert_eq!(identities(items), first);
    }
}

#[test]
fn d1_a_guid_dressed_anew_is_the_same_item() {
    let plain = identities("<item><guid>http://h.test/1</guid><title>a</title></item>");
    let dressed = identities("<item><guid>https://h.test/1?utm_source=rss</guid><title>b</title></item>");
    assert_eq!(plain, dressed);
}

#[test]
fn d1_one_guid_for_all_still_gives_many_items() {
    let items: String = (0..10)
        .map(|n| format!("<item><guid>same</guid><link>https://h.test/{n}</link><title>t{n}</title></item>"))
        .collect();
    let all = identities(&items);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 10);
}

#[test]
fn d1_a_new_guid_for_a_known_item_is_betrayed_by_its_twin() {
    let twin = |guid: &str| {
        document(&rss(&format!(
            "<item><guid>{guid}</guid><link>https://h.test/1</link><title>One</title></item>"
        )))
        .items[0]
            .twin
    };
    assert!(twin("a").is_some());
    assert_eq!(twin("a"), twin("b"));
}

#[test]
fn d1_windows_that_overlap_agree_on_their_items() {
    let item = |n: usize| {
        format!("<item><guid>g{n}</guid><link>https://h.test/{n}</link><title>t{n}</title></item>")
    };
    let window = |range: std::ops::Range<usize>| identities(&range.map(item).collect::<String>());
    let (early, late) = (window(0..10), window(5..15));
    assert_eq!(early[5..], late[..5]);
}

#[test]
fn d1_an_item_that_stands_twice_is_kept_once_under_its_usual_name() {
    let one = "<item><guid>g</guid><link>https://h.test/1</link><title>One</title></item>";
    let parsed = read(&rss(&format!("{one}{one}")));
    assert_eq!(parsed.document.items.len(), 1);
    assert!(complains(&parsed, "more than once"));
    assert_eq!(parsed.document.items[0].identity, identities(one)[0]);
}

#[test]
fn d2_identities_do_not_depend_on_the_feeds_own_fields() {
    // They are per feed by the store's key; two feeds with equal guids give equal names and separate rows.
    let item = "<item><guid>g</guid></item>";
    let other = rss(item).replace("<title>Feed</title>", "<title>Other</title>");
    assert_eq!(document(&other).items[0].identity, identities(item)[0]);
}

#[test]
fn d3_an_edit_changes_the_content_hash_and_nothing_else_does() {
    let hash =
        |fields: &str| document(&rss(&format!("<item><guid>g</guid>{fields}</item>"))).items[0].content_hash;
    let plain = hash("<title>One</title><description>x</description><pubDate>2024-01-01</pubDate>");
    assert_eq!(plain, hash("<pubDate>2025-05-05</pubDate><description>x</description><title> One </title>"));
    for edit in [
        "<title>Two</title><description>x</description>",
        "<title>One</title><description>y</description>",
        "<title>One</title><description>x</description><category>t</category>",
        "<title>One</title><description>x</description><link>https://h.test/1</link>",
        "<title>One</title><description>x</description><enclosure url='https://h.test/a'/>",
        "<title>One</title><content:encoded>x</content:encoded>",
    ] {
        assert_ne!(plain, hash(edit), "{edit}");
    }
}

#[test]
fn d6_dates_that_move_with_every_fetch_make_no_new_items() {
    let at = |date: &str| {
        let item = |title: &str| format!("<item><title>{title}</title><pubDate>{date}</pubDate></item>");
        let document: Document = document(&rss(&format!("{}{}", item("a"), item("b"))));
        document.items.iter().map(|item| item.identity).collect::<Vec<_>>()
    };
    assert_eq!(at("2024-01-01T00:00:00Z"), at("2024-01-01T01:00:00Z"));
}
