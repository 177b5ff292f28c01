//! Asking whether anything changed, and what the other answers mean.

use crate::server::*;
use domain::Validators;
use fetch::{Failure, FeedRequest, Outcome};
use std::time::Duration;

fn validators(etag: &str, last_modified: &str) -> Validators {
    Validators { etag: Some(etag.into()), last_modified: Some(last_modified.into()) }
}

#[tokio::test]
async fn n3_validators_go_back_byte_for_byte() {
    // The third is Latin-1, which is not UTF-8.
    for etag in [&b"W/\"a b\""[..], b"no-quotes", b"\"caf\xe9\"", b"\"\xc3\xa9\"", b"\"a, b\\\""] {
        let head: Vec<u8> = [
            b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: ",
            etag,
            b"\r\nLast-Modified: a strange date\r\n\r\nfeed",
        ]
        .concat();
        let server = Server::saying(head).await;
        let fetcher = server.fetcher();
        let first = fetcher.feed(&feed(server.url("a.test", "/")), NOW).await;
        fetcher
            .feed(&FeedRequest { validators: first.validators, ..feed(server.url("a.test", "/")) }, NOW)
            .await;
        let sent = &server.seen()[1];
        let expected: String = etag.iter().map(|byte| char::from(*byte)).collect();
        assert_eq!(sent.header("if-none-match"), Some(expected.as_str()));
        assert_eq!(sent.header("if-modified-since"), Some("a strange date"));
    }
}

#[tokio::test]
async fn n3_an_empty_etag_is_no_validator() {
    let server = Server::saying(ok("ETag:\r\n", "feed")).await;
    let answer = server.fetcher().feed(&feed(server.url("a.test", "/")), NOW).await;
    assert_eq!(answer.validators, Validators::default());
}

#[tokio::test]
async fn n3_not_modified_updates_the_stored_fields() {
    let head = "ETag: \"2\"\r\nCache-Control: max-age=7200\r\n";
    let server = Server::saying(format!("HTTP/1.1 304 Not Modified\r\n{head}\r\n")).await;
    let answer =
        server.fetcher().feed(&with_validators(server.url("a.test", "/"), "\"1\"", "long ago"), NOW).await;
    assert_eq!(answer.outcome, Outcome::Unchanged);
    assert_eq!(answer.validators, validators("\"2\"", "long ago"));
    assert_eq!(answer.wire_bytes, 0);
    // N6: freshness is read on 304 as well.
    assert_eq!(answer.fresh_for, Some(Duration::from_secs(7200)));
}

#[tokio::test]
async fn n3_not_modified_to_a_first_request_is_a_failure() {
    let server = Server::saying("HTTP/1.1 304 Not Modified\r\n\r\n").await;
    let answer = server.fetcher().feed(&feed(server.url("a.test", "/")), NOW).await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::NotModifiedUnasked));
}

#[tokio::test]
async fn n6_freshness_comes_with_the_answer() {
    let server = Server::saying(ok("Cache-Control: max-age=31536000\r\n", "feed")).await;
    let answer = server.fetcher().feed(&feed(server.url("a.test", "/")), NOW).await;
    assert_eq!(answer.fresh_for, Some(Duration::from_secs(86_400)));
}

#[tokio::test]
async fn n13_busy_servers_say_until_when() {
    for (status, wait) in [("429 Too Many Requests", 120), ("503 Service Unavailable", 86_400)] {
        let server = Server::saying(respond(status, &format!("Retry-After: {wait}\r\n"), "later")).await;
        let answer = server.fetcher().feed(&feed(server.url("a.test", "/")), NOW).await;
        assert_eq!(answer.outcome, Outcome::Busy);
        assert_eq!(answer.retry_after, Some(NOW.saturating_add(Duration::from_secs(wait))));
    }
}

#[tokio::test]
async fn a_delta_is_marked_as_one() {
    let server = Server::saying(respond("226 IM Used", "IM: feed\r\nETag: \"2\"\r\n", "<new/>")).await;
    let request = FeedRequest { delta: true, ..with_validators(server.url("a.test", "/"), "\"1\"", "") };
    let answer = server.fetcher().feed(&request, NOW).await;
    assert!(
        matches!(answer.outcome, Outcome::Body { complete: true, delta: true, .. }),
        "{:?}",
        answer.outcome
    );
    assert_eq!(answer.validators.etag.as_deref(), Some("\"2\""));
}

#[tokio::test]
async fn every_status_has_its_outcome() {
    for (status, expected) in [
        ("401 Unauthorized", Outcome::Denied),
        ("403 Forbidden", Outcome::Denied),
        ("451 Unavailable For Legal Reasons", Outcome::Denied),
        ("404 Not Found", Outcome::NotFound),
        ("400 Bad Request", Outcome::NotFound),
        ("410 Gone", Outcome::Gone),
        ("500 Internal Server Error", Outcome::Failed(Failure::Status(500))),
        ("502 Bad Gateway", Outcome::Failed(Failure::Status(502))),
        ("300 Multiple Choices", Outcome::Failed(Failure::Status(300))),
    ] {
        let server =
            Server::saying(respond(status, "ETag: \"error\"\r\ncf-mitigated: challenge\r\n", "<html>")).await;
        let answer =
            server.fetcher().feed(&with_validators(server.url("a.test", "/"), "\"1\"", ""), NOW).await;
        assert_eq!(answer.outcome, expected, "{status}");
        assert_eq!(answer.status, status[..3].parse().ok());
        assert_eq!(answer.validators, Validators::default(), "an error's validators are not the feed's");
        assert!(answer.challenge);
        assert!(answer.outcome.sentence().is_some_and(|text| text.ends_with('.')), "{status}");
    }
}

#[tokio::test]
async fn a_part_that_was_not_asked_for_is_not_the_whole() {
    let server =
        Server::saying(respond("206 Partial Content", "Content-Range: bytes 0-3/9\r\n", "feed")).await;
    let answer = server.fetcher().feed(&feed(server.url("a.test", "/")), NOW).await;
    assert_eq!(body(&answer), (&b"feed"[..], false));
}

#[tokio::test]
async fn an_empty_answer_is_an_empty_body() {
    let server = Server::saying("HTTP/1.1 204 No Content\r\n\r\n").await;
    let answer = server.fetcher().feed(&feed(server.url("a.test", "/")), NOW).await;
    assert_eq!(body(&answer), (&b""[..], true));
}

#[tokio::test]
async fn b7_all_subscribers_of_a_feed_send_the_same_validator() {
    // The fetcher keeps no validators at all: what is sent is what the feed's row holds, whoever asks.
    let server = Server::saying(ok("ETag: \"unique-42\"\r\n", "feed")).await;
    let fetcher = server.fetcher();
    let stored = fetcher.feed(&feed(server.url("a.test", "/")), NOW).await.validators;
    let request = FeedRequest { validators: stored, ..feed(server.url("a.test", "/")) };
    fetcher.feed(&request, NOW).await;
    fetcher.clone().feed(&request, NOW).await;
    fetcher.feed(&feed(server.url("a.test", "/")), NOW).await;
    let sent: Vec<Option<String>> =
        server.seen().iter().map(|seen| seen.header("if-none-match").map(str::to_owned)).collect();
    let tag = Some("\"unique-42\"".to_owned());
    assert_eq!(sent, [None, tag.clone(), tag, None]);
}

#[tokio::test]
async fn link_headers_and_robot_tags_come_with_the_answer() {
    let head = "Link: <https://hub.test/>; rel=hub, </f.xml>; rel=self\r\nX-Robots-Tag: noai\r\nContent-Type: application/rss+xml; charset=utf-8\r\n";
    let server = Server::saying(ok(head, "feed")).await;
    let answer = server.fetcher().feed(&feed(server.url("a.test", "/")), NOW).await;
    assert_eq!(answer.hubs, ["https://hub.test/"]);
    assert_eq!(answer.self_link, Some(server.url("a.test", "/f.xml").to_string()));
    assert_eq!(answer.content_type.as_deref(), Some("application/rss+xml; charset=utf-8"));
    assert!(answer.noindex);
}
