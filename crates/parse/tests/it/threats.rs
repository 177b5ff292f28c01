//! Hostile documents: each must stay within its bound and cost work in proportion to its size.

use crate::{complains, read, rss, titles, try_read};
use domain::Limits;
use parse::{Input, NotAFeed};

#[test]
fn p1_billion_laughs_expand_to_no_more_than_the_budget() {
    let mut doctype = String::from("<!DOCTYPE rss [<!ENTITY a0 \"lol\">");
    for level in 1..10 {
        doctype.push_str(&format!("<!ENTITY a{level} \"{}\">", format!("&a{};", level - 1).repeat(10)));
    }
    let text =
        format!("{doctype}]>{}", rss("<item><title>One</title><description>&a9;</description></item>"));
    let parsed = read(&text);
    assert_eq!(titles(&parsed.document), ["One"]);
    let length = parsed.document.items[0].summary.as_deref().unwrap_or("").len();
    assert!(length <= Limits::default().entity_bytes_max, "{length}");
    assert!(complains(&parsed, "expand to too much"));
}

#[test]
fn p1_one_large_entity_many_times_is_bounded_too() {
    let entity = "x".repeat(60_000);
    let text = format!(
        "<!DOCTYPE rss [<!ENTITY x \"{entity}\">]>{}",
        rss(&format!("<item><description>{}</description></item>", "&x;".repeat(10_000)))
    );
    let parsed = read(&text);
    let length = parsed.document.items[0].summary.as_deref().unwrap_or("").len();
    assert!(length <= 64 << 10, "{length}");
}

#[test]
fn p2_external_entities_are_never_looked_up() {
    let text = format!(
        "<!DOCTYPE rss SYSTEM \"http://canary.test/x.dtd\" [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>{}",
        rss("<item><title>[&x;]</title></item>")
    );
    let parsed = read(&text);
    assert_eq!(titles(&parsed.document), ["[&x;]"]);
    assert!(complains(&parsed, "not looked up"));
}

#[test]
fn p3_deep_xml_is_flattened_and_the_rest_is_read() {
    let text = rss(&format!(
        "<item><title>One</title><description>{}x</description></item><item><title>Two</title></item>",
        "<b>".repeat(100_000)
    ));
    let parsed = read(&text);
    assert_eq!(titles(&parsed.document), ["One", "Two"]);
    assert!(complains(&parsed, "nested too deeply"));
}

#[test]
fn p3_deep_xml_outside_any_field_is_harmless() {
    let text = rss(&format!("{}<item><title>One</title></item>", "<x>".repeat(100_000)));
    assert_eq!(titles(&read(&text).document), ["One"]);
    let closed =
        rss(&format!("{}{}<item><title>One</title></item>", "<x>".repeat(50_000), "</x>".repeat(50_000)));
    assert_eq!(titles(&read(&closed).document), ["One"]);
}

#[test]
fn p3_deep_json_is_refused() {
    let why = try_read("[".repeat(100_000).as_bytes()).unwrap_err();
    assert!(matches!(why, NotAFeed::Json(_)), "{why:?}");
    let feed = format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{}", "[".repeat(100_000));
    assert!(matches!(try_read(feed.as_bytes()), Err(NotAFeed::Json(_))));
}

#[test]
fn p5_json_of_countless_small_objects_is_refused() {
    let text = format!(
        "{{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{}{{}}]}}",
        "{\"a\":1},".repeat(300_000)
    );
    assert!(matches!(try_read(text.as_bytes()), Err(NotAFeed::Json(_))));
    let items: String = (0..100_000).map(|n| format!("{{\"id\":\"{n}\"}},")).collect();
    let text =
        format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{items}{{\"id\":\"last\"}}]}}");
    assert_eq!(try_read(text.as_bytes()).unwrap().document.items.len(), 1_000);
}

#[test]
fn p3_deep_html_in_one_item_is_bounded() {
    let text = rss(&format!(
        "<item><title>One</title><description><![CDATA[{}]]></description></item>",
        "<div>".repeat(40_000)
    ));
    let parsed = read(&text);
    let summary = parsed.document.items[0].summary.as_deref().unwrap_or("");
    assert!(summary.matches("<div>").count() <= Limits::default().html_depth_max, "{}", summary.len());
}

#[test]
fn p4_attribute_and_namespace_floods_are_cut_off() {
    let flood: String = (0..20_000).map(|n| format!(" a{n}='x'")).collect();
    let parsed = read(&rss(&format!("<item{flood}><title>One</title></item>")));
    assert_eq!(titles(&parsed.document), ["One"]);
    assert!(complains(&parsed, "too many attributes"));
    let flood: String = (0..20_000).map(|n| format!(" xmlns:a{n}='http://h.test/{n}'")).collect();
    let parsed = read(&format!("<rss{flood}><channel><item><title>One</title></item></channel></rss>"));
    assert_eq!(titles(&parsed.document), ["One"]);
}

#[test]
fn p5_of_many_items_the_newest_thousand_are_kept() {
    let items: String = (0..100_000)
        .map(|n| format!("<item><guid>{n}</guid><pubDate>{}</pubDate></item>", 1_000_000_000 + n))
        .collect();
    let parsed = read(&rss(&items));
    assert_eq!(parsed.document.items.len(), 1_000);
    assert!(
        parsed
            .document
            .items
            .iter()
            .all(|item| item.guid.as_deref().unwrap().parse::<u32>().unwrap() >= 99_000)
    );
    assert!(complains(&parsed, "100000 items"));
}

#[test]
fn p5_without_dates_the_first_thousand_are_kept() {
    let items: String = (0..5_000).map(|n| format!("<item><guid>{n}</guid></item>")).collect();
    let document = read(&rss(&items)).document;
    assert_eq!(document.items.len(), 1_000);
    assert_eq!(document.items[999].guid.as_deref(), Some("999"));
}

#[test]
fn p5_huge_fields_are_cut_between_characters() {
    let limits = Limits::default();
    let parsed = read(&rss(&format!("<item><title>{}</title></item>", "😀".repeat(5_000_000))));
    let title = parsed.document.items[0].title.as_deref().unwrap();
    assert_eq!(title.chars().count(), limits.title_chars_max);
    assert!(title.chars().all(|c| c == '😀'));
    assert!(complains(&parsed, "too long"));
    let body =
        read(&rss(&format!("<item><description>{}</description></item>", "é<b>".repeat(600_000)))).document;
    assert!(body.items[0].summary.as_deref().unwrap_or("").len() <= limits.item_html_bytes_max);
}

#[test]
fn p5_tags_and_enclosures_are_counted() {
    let tags: String = (0..10_000).map(|n| format!("<category>t{n}</category>")).collect();
    let files: String = (0..100).map(|n| format!("<enclosure url='https://h.test/{n}'/>")).collect();
    let parsed = read(&rss(&format!("<item><title>One</title>{tags}{files}</item>")));
    let item = &parsed.document.items[0];
    assert_eq!((item.tags.len(), item.enclosures.len()), (50, 20));
    assert!(complains(&parsed, "too many tags") && complains(&parsed, "too many enclosures"));
    let long = read(&rss(&format!(
        "<item><category>{}</category><author>{}</author></item>",
        "t".repeat(500),
        "a".repeat(500)
    )));
    let item = &long.document.items[0];
    assert_eq!((item.tags[0].len(), item.author.as_deref().unwrap().len()), (100, 200));
}

#[test]
fn p5_complaints_themselves_are_bounded() {
    let items: String =
        (0..900).map(|n| format!("<item><guid>{n}</guid><pubDate>no date {n}</pubDate></item>")).collect();
    let parsed = read(&rss(&items));
    assert_eq!(parsed.complaints.len(), Limits::default().complaints_max);
    assert!(
        parsed.complaints.iter().all(|c| c.what.ends_with('.') && !c.place.is_empty()),
        "{:?}",
        parsed.complaints
    );
}

#[test]
fn p6_every_trick_with_charsets_keeps_the_feed() {
    let shift_jis = b"<?xml version='1.0' encoding='Shift_JIS'?><rss><channel><title>\x83\x65\x83\x58\x83\x67</title></channel></rss>";
    assert_eq!(try_read(shift_jis).unwrap().document.title.as_deref(), Some("テスト"));
    let koi = b"<?xml version='1.0' encoding='koi8-r'?><rss><channel><title>\xD4\xC5\xD3\xD4</title></channel></rss>";
    assert_eq!(try_read(koi).unwrap().document.title.as_deref(), Some("тест"));
    let utf_7 =
        b"<?xml version='1.0' encoding='utf-7'?><rss><channel><title>+ADw-b+AD4-</title></channel></rss>";
    assert_eq!(try_read(utf_7).unwrap().document.title.as_deref(), Some("+ADw-b+AD4-"));
    let http = b"<?xml version='1.0' encoding='koi8-r'?><rss><channel><title>\xF2\xE5\xF1\xF2</title></channel></rss>";
    let input = Input {
        bytes: http,
        content_type: Some("text/xml; charset=windows-1251"),
        base: None,
        complete: true,
    };
    assert_eq!(parse::parse(&input, &Limits::default()).unwrap().document.title.as_deref(), Some("тест"));
}

#[test]
fn p11_small_limits_never_break_the_parser() {
    let limits = Limits {
        items_max: 1,
        item_html_bytes_max: 1,
        title_chars_max: 1,
        author_chars_max: 1,
        tag_chars_max: 1,
        url_bytes_max: 1,
        tags_max: 0,
        enclosures_max: 0,
        xml_depth_max: 4,
        html_depth_max: 1,
        attributes_max: 1,
        entity_bytes_max: 0,
        complaints_max: 0,
        ..Limits::default()
    };
    let text = rss(
        "<item><title>é1</title><description>é&lt;b&gt;</description><category>x</category><enclosure url='x'/></item><item/>",
    );
    let input = Input { bytes: text.as_bytes(), content_type: None, base: None, complete: true };
    let parsed = parse::parse(&input, &limits).unwrap();
    assert!(parsed.complaints.is_empty() && parsed.document.items.len() <= 1);
}
