//! What is no feed says so in a sentence.

use crate::{rss, titles, try_read};
use parse::NotAFeed;

fn refused(text: &str) -> NotAFeed {
    match try_read(text.as_bytes()) {
        Ok(parsed) => panic!("read as {:?}: {text}", parsed.document.format),
        Err(why) => why,
    }
}

#[test]
fn p8_every_other_kind_of_document_is_refused_by_name() {
    assert_eq!(refused(""), NotAFeed::Empty);
    assert_eq!(refused(" \n\t"), NotAFeed::Empty);
    assert_eq!(refused("<!DOCTYPE html><html><body><p>Hello</p></body></html>"), NotAFeed::Html);
    assert_eq!(
        refused("<html><!-- <rss version='2.0'><channel><item/></channel></rss> --></html>"),
        NotAFeed::Html
    );
    assert_eq!(refused("<p>not even html</p>"), NotAFeed::Html);
    assert_eq!(refused("<!doctype html><title>Just a moment...</title>"), NotAFeed::Login);
    assert_eq!(refused("<html><form><input type='password'></form></html>"), NotAFeed::Login);
    assert_eq!(refused("<opml version='2.0'><body><outline text='x'/></body></opml>"), NotAFeed::Opml);
    assert_eq!(refused("Not found"), NotAFeed::Text);
    assert_eq!(
        refused("<urlset><url><loc>x</loc></url></urlset>"),
        NotAFeed::UnknownXml { root: "urlset".into() }
    );
    assert_eq!(try_read(&[0x89, b'P', b'N', b'G', 1, 2, 3, 0xFF, 0xD8]).err(), Some(NotAFeed::Text));
}

#[test]
fn p8_json_that_is_no_feed_is_refused() {
    for text in [
        "null",
        "[]",
        "{}",
        "[1,2]",
        r#"{"items":[]}"#,
        r#"{"a":1}"#,
        r#"{"items":[{"x":1}]}"#,
        "{broken",
        "{\"a\":",
    ] {
        let why = refused(text);
        assert!(matches!(why, NotAFeed::Json(_) | NotAFeed::Text), "{text}: {why:?}");
    }
    assert!(refused("{}").to_string().ends_with("not a JSON Feed: it is empty."));
}

#[test]
fn only_pages_are_worth_searching_for_feed_links() {
    assert!(refused("<html></html>").looks_like_html());
    assert!(refused("<html><form><input type='password'></form></html>").looks_like_html());
    assert!(!refused("plain").looks_like_html());
    assert!(!refused("{}").looks_like_html());
}

#[test]
fn n20_a_page_is_never_taken_for_an_empty_feed() {
    assert_eq!(refused("<html><body><feed></feed></body></html>"), NotAFeed::Html);
}

#[test]
fn a_feed_wrapped_in_a_page_is_still_a_feed() {
    let text = format!("<html><body>{}</body></html>", rss("<item><title>One</title></item>"));
    assert_eq!(titles(&try_read(text.as_bytes()).unwrap().document), ["One"]);
}
