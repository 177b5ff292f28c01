//! What `wellread parse` prints: scripts depend on every key.

use crate::{document, read, rss};
use serde_json::{Value, json};

#[test]
fn the_printed_document_is_the_contract() {
    let parsed = read(&rss(
        "<ttl>60</ttl><item><guid isPermaLink='false'>g</guid><title>One</title><pubDate>2024-01-02T03:04:05Z</pubDate>\
        <enclosure url='https://h.test/a.mp3' type='audio/mpeg' length='5'/></item>",
    ));
    let printed = parse::to_json(&parsed);
    let item = &printed["items"][0];
    assert_eq!(printed["format"], "rss-2.0");
    assert_eq!(printed["encoding"], "utf-8");
    assert_eq!((&printed["title"], &printed["self"]), (&json!("Feed"), &Value::Null));
    assert_eq!((&printed["ttl_minutes"], &printed["hubs"]), (&json!(60), &json!([])));
    assert_eq!(item["id"], parsed.document.items[0].identity.to_string());
    assert_eq!((&item["published"], &item["updated"]), (&json!(1_704_164_645), &Value::Null));
    assert_eq!(
        item["enclosures"],
        json!([{"url": "https://h.test/a.mp3", "type": "audio/mpeg", "bytes": 5, "seconds": null}])
    );
    assert_eq!(printed["complaints"], json!([]));
}

#[test]
fn the_keys_come_in_the_contracts_order() {
    let text = parse::to_json_text(&read(&rss("<item><title>One</title><pubDate>never</pubDate></item>")));
    let places = |keys: &[&str], text: &str| -> Vec<usize> {
        keys.iter().map(|key| text.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key}"))).collect()
    };
    let feed = [
        "format",
        "encoding",
        "title",
        "link",
        "self",
        "description",
        "language",
        "author",
        "rights",
        "icon",
        "updated",
    ];
    assert!(places(&feed, &text).is_sorted());
    let rest = places(&["updated", "ttl_minutes", "hubs", "items", "complaints"], &text);
    assert!(rest.is_sorted());
    let item = &text[text.find("\"items\":").unwrap()..];
    let keys = [
        "id",
        "guid",
        "title",
        "link",
        "author",
        "published",
        "updated",
        "summary",
        "content",
        "language",
        "tags",
        "enclosures",
    ];
    assert!(places(&keys, item).is_sorted());
    assert!(
        text.contains(r#"{"what":"The date \"never\" cannot be read.","where":"item 1, published"}"#),
        "{text}"
    );
    let read_back: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        read_back,
        parse::to_json(&read(&rss("<item><title>One</title><pubDate>never</pubDate></item>")))
    );
}

#[test]
fn reading_what_we_print_as_a_json_feed_is_stable() {
    let first = document(&rss(
        "<item><guid>g</guid><title>a &amp;amp; b</title><description>&lt;p&gt;x &amp;amp; y&lt;/p&gt;</description></item>",
    ));
    let item = &first.items[0];
    let again = json!({"version": "https://jsonfeed.org/version/1.1", "title": first.title,
        "items": [{"id": item.guid, "title": item.title, "content_html": item.summary}]});
    let second = document(&again.to_string());
    assert_eq!(second.items[0].title, item.title);
    assert_eq!(second.items[0].content, item.summary);
    assert_eq!(second.items[0].identity, item.identity);
}
