//! Parsing is total: whatever the bytes, there is a document or a refusal, within bounds.

use crate::{atom, rss, titles, try_read};
use domain::Limits;
use parse::Input;
use proptest::prelude::*;

/// Documents with one of everything, to be broken in every way.
fn seeds() -> Vec<String> {
    vec![
        rss("<item><title>One &amp; &#8217;</title><link>/1</link><guid>1</guid><pubDate>Tue, 02 Jan 2024 03:04:05 GMT</pubDate>\
            <description><![CDATA[<p>x <a href='y'>y</a></p>]]></description><category>é</category></item>\
            <item><title>Two</title><guid>2</guid><enclosure url='https://h.test/a' length='1' type='a/b'/></item>\
            <item><title>Three</title><guid>3</guid></item>"),
        atom("<entry><id>1</id><title type='html'>a &lt;b&gt;</title><link href='x'/><updated>2024-01-01T00:00:00Z</updated>\
            <content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>x<br/>😀</div></content></entry>\
            <entry><id>2</id><author><name>Mira</name></author></entry>"),
        r#"{"version":"https://jsonfeed.org/version/1.1","title":"F","items":[{"id":"1","title":"é","content_html":"<p>x"},{"id":2}]}"#.into(),
        "<!DOCTYPE rss [<!ENTITY a \"&#38;b;\"><!ENTITY b 'x'>]><rss><channel><item><title>&a;&b;</title></item></channel></rss>".into(),
    ]
}

/// Runs the parser and checks what must hold of every result.
fn holds(bytes: &[u8], content_type: Option<&str>) {
    let limits = Limits::default();
    let Ok(parsed) = parse::parse(&Input { bytes, content_type, base: None, complete: true }, &limits) else {
        return;
    };
    let document = &parsed.document;
    assert!(document.items.len() <= limits.items_max && parsed.complaints.len() <= limits.complaints_max);
    for item in &document.items {
        assert!(
            item.title
                .as_deref()
                .is_none_or(|t| t.chars().count() <= limits.title_chars_max && !t.contains('\0'))
        );
        assert!(item.link.as_deref().is_none_or(|link| link.len() <= limits.url_bytes_max));
        assert!(item.tags.len() <= limits.tags_max && item.enclosures.len() <= limits.enclosures_max);
        for body in [&item.summary, &item.content].into_iter().flatten() {
            assert!(!body.contains("<script") && !body.contains('\0'), "{body}");
        }
    }
    let text = parse::to_json_text(&parsed);
    assert!(
        serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value == parse::to_json(&parsed))
    );
}

#[test]
fn p11_a_document_cut_anywhere_is_read_as_far_as_it_goes() {
    for seed in seeds() {
        let whole = titles(&try_read(seed.as_bytes()).unwrap().document)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>();
        for cut in 0..seed.len() {
            let bytes = &seed.as_bytes()[..cut];
            holds(bytes, None);
            let Ok(parsed) = try_read(bytes) else { continue };
            let kept = titles(&parsed.document);
            // All but the item the cut went through are exactly as in the whole document.
            let sure = kept.len().saturating_sub(1);
            assert_eq!(kept[..sure], whole[..sure], "cut at {cut}: {}", String::from_utf8_lossy(bytes));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn p11_any_bytes_give_a_document_or_a_refusal(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        holds(&bytes, None);
        holds(&bytes, Some("text/xml; charset=utf-16"));
    }

    #[test]
    fn p11_any_markup_gives_a_document_or_a_refusal(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "<rss>", "<channel>", "<item>", "</item>", "<title>", "</title>", "<![CDATA[", "]]>", "<!--", "-->", "&lt;", "&#x0;",
            "<entry>", "<feed xmlns='http://www.w3.org/2005/Atom'>", "<content type='xhtml'>", "<div", ">", "<", "/>", "\"", "'", "x",
            "<link href='", "<author>", "<name>", "<media:group>", "<!DOCTYPE rss [<!ENTITY a 'b'>]>", "&a;", "<?xml", "?>", "<image>",
            "<source>", "</source>", "<description>", "{", "[", "é", "\u{feff}", " ", "</rss>", "</x>", "<guid>", "xmlns:a='b'",
        ]), 0..60)
    ) {
        holds(parts.concat().as_bytes(), None);
    }

    #[test]
    fn p11_broken_feeds_never_break_the_parser(
        seed in 0usize..4,
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
        content_type in proptest::option::of(proptest::sample::select(vec!["text/xml; charset=utf-16", "x; charset=shift_jis", "charset"])),
    ) {
        let mut bytes = seeds().swap_remove(seed).into_bytes();
        for (at, byte) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        holds(&bytes, content_type);
    }

    #[test]
    fn d1_the_order_of_items_changes_no_identity(
        items in proptest::collection::vec(("[a-c]?", "[a-c]?", "[a-c]{0,2}", 0u8..3), 0..12),
        swaps in proptest::collection::vec((any::<proptest::sample::Index>(), any::<proptest::sample::Index>()), 0..12),
    ) {
        let written: Vec<String> = items
            .iter()
            .map(|(guid, link, title, day)| {
                let guid = if guid.is_empty() { String::new() } else { format!("<guid isPermaLink='false'>{guid}</guid>") };
                let link = if link.is_empty() { String::new() } else { format!("<link>https://h.test/{link}</link>") };
                format!("<item>{guid}{link}<title>{title}</title><pubDate>2024-01-0{}</pubDate></item>", day + 1)
            })
            .collect();
        let mut shuffled = written.clone();
        for (a, b) in &swaps {
            if !shuffled.is_empty() {
                let (a, b) = (a.index(shuffled.len()), b.index(shuffled.len()));
                shuffled.swap(a, b);
            }
        }
        let names = |items: &[String]| {
            let mut names: Vec<_> = crate::document(&rss(&items.concat())).items.iter().map(|item| item.identity).collect();
            names.sort_unstable();
            names
        };
        let once = names(&written);
        prop_assert_eq!(&once, &names(&written), "the same document twice");
        prop_assert_eq!(&once, &names(&shuffled), "in another order");
    }
}
