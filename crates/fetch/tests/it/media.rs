//! The media proxy's way out: guarded, sniffed, streamed, bounded.

use crate::server::*;
use domain::Limits;
use fetch::{Failure, FetchConfig, Fetcher, MediaClass, NoMedia, Refusal};
use futures_util::StreamExt;
use std::time::Duration;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n0123456789";

async fn bytes(media: fetch::Media) -> Result<Vec<u8>, std::io::Error> {
    let mut stream = media.stream;
    let mut out = Vec::new();
    while let Some(chunk) = stream.next().await {
        out.extend_from_slice(&chunk?);
    }
    Ok(out)
}

#[tokio::test]
async fn m1_the_proxy_goes_nowhere_a_feed_may_not_go() {
    let canary = Server::saying(ok("", PNG)).await;
    let port = canary.addr.port();
    let fetcher = Fetcher::new(FetchConfig { allow: Default::default(), ..canary.config() }).unwrap();
    for (address, refusal) in [
        (format!("http://127.0.0.1:{port}/canary"), Refusal::Address),
        (format!("http://inside.test:{port}/"), Refusal::Address),
        ("http://169.254.169.254/".into(), Refusal::Address),
        ("file:///etc/passwd".into(), Refusal::Scheme),
    ] {
        let url = url::Url::parse(&address).unwrap();
        let refused = fetcher.media(&url, MediaClass::Image, None, NOW).await.unwrap_err();
        assert_eq!(refused, NoMedia::Refused(refusal), "{address}");
    }
    let server = Server::saying(redirect("302 Found", &format!("http://127.0.0.1:{port}/"))).await;
    let refused = server.fetcher().media(&server.url("a.test", "/"), MediaClass::Image, None, NOW).await;
    assert_eq!(refused.unwrap_err(), NoMedia::Refused(Refusal::Address));
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn m2_only_what_begins_as_media_is_passed_on_whatever_it_is_called() {
    let cases: [(&str, &[u8], Result<&str, NoMedia>); 7] = [
        ("Content-Type: image/png\r\n", b"<html><script>alert(1)</script>", Err(NoMedia::NotMedia)),
        ("Content-Type: text/html\r\n", PNG, Ok("image/png")),
        ("Content-Type: image/png\r\n", b"<svg xmlns='x' onload='alert(1)'/>", Ok("image/svg+xml")),
        ("", b"GIF89a/*\0*/=1;alert(1)", Ok("image/gif")),
        ("Content-Type: image/jpeg\r\n", b"", Err(NoMedia::NotMedia)),
        ("Content-Type: image/jpeg\r\n", b"ID3\x03...", Err(NoMedia::NotMedia)),
        ("Content-Encoding: gzip\r\n", b"\x1f\x8b", Err(NoMedia::Failed(Failure::Encoding))),
    ];
    for (headers, body, expected) in cases {
        let server = Server::saying(ok(headers, body)).await;
        let got = server.fetcher().media(&server.url("a.test", "/x"), MediaClass::Image, None, NOW).await;
        match (got, expected) {
            (Ok(media), Ok(kind)) => {
                assert_eq!(media.content_type, kind);
                assert_eq!(media.is_svg(), kind == "image/svg+xml");
                assert_eq!(bytes(media).await.unwrap(), body);
            }
            (got, expected) => assert_eq!(got.map(|media| media.content_type), expected, "{headers}"),
        }
    }
    let error = Server::saying(respond("404 Not Found", "Content-Type: image/png\r\n", PNG)).await;
    let got =
        error.fetcher().media(&error.url("a.test", "/%3Cscript%3E"), MediaClass::Image, None, NOW).await;
    assert_eq!(got.unwrap_err(), NoMedia::Status(404), "an error page is nothing to show");
}

#[tokio::test]
async fn m4_nothing_of_the_reader_is_sent_on() {
    let server = Server::saying(ok("Set-Cookie: id=1\r\n", PNG)).await;
    let fetcher = server.fetcher();
    for _ in 0..2 {
        fetcher.media(&server.url("a.test", "/"), MediaClass::Image, None, NOW).await.unwrap();
    }
    for seen in server.seen() {
        assert_eq!(seen.names(), ["accept", "accept-encoding", "host", "user-agent"]);
        assert!(seen.header("user-agent").unwrap().starts_with("Wellread/"));
    }
}

#[tokio::test]
async fn m3_a_part_is_asked_for_and_passed_on() {
    let server = Server::start(|seen| {
        vec![Act::Send(match seen.header("range") {
            Some("bytes=0-3") => {
                respond("206 Partial Content", "Content-Range: bytes 0-3/100\r\n", b"ID3\x03")
            }
            Some("bytes=50-") => respond(
                "206 Partial Content",
                "Content-Type: audio/mpeg; x=\"y\"\r\nContent-Range: bytes 50-52/100\r\n",
                b"abc",
            ),
            Some("bytes=60-") => respond("206 Partial Content", "Content-Range: bytes 60-62/100\r\n", b"<p>"),
            Some("bytes=200-") => respond("416 Range Not Satisfiable", "", b""),
            Some(_) => respond("206 Partial Content", "Content-Range: bytes x\r\n", b"abc"),
            None => ok("", b"ID3\x03 and all the rest"),
        })]
    })
    .await;
    let (fetcher, url) = (server.fetcher(), server.url("a.test", "/a.mp3"));
    let get = |range| fetcher.media(&url, MediaClass::Audio, range, NOW);
    let first = get(Some("bytes=0-3")).await.unwrap();
    assert_eq!((first.status, first.content_type, first.content_length), (206, "audio/mpeg", Some(4)));
    assert_eq!(first.content_range.as_deref(), Some("bytes 0-3/100"));
    let middle = get(Some("bytes=50-")).await.unwrap();
    assert_eq!((middle.status, middle.content_type), (206, "audio/mpeg"));
    let odd = get(Some("bytes=60-")).await.unwrap();
    assert_eq!(odd.content_type, "application/octet-stream", "never a type that a browser would run");
    assert_eq!(get(Some("bytes=200-")).await.unwrap_err(), NoMedia::BadRange);
    assert_eq!(get(Some("bytes=7-8")).await.unwrap_err(), NoMedia::Failed(Failure::Protocol));
    assert_eq!(get(Some("bytes=0-1,5-6")).await.unwrap_err(), NoMedia::BadRange);
    assert_eq!(get(None).await.unwrap().status, 200);
    let picture = fetcher.media(&url, MediaClass::Image, Some("bytes=50-"), NOW).await;
    assert_eq!(picture.unwrap_err(), NoMedia::BadRange);
}

#[tokio::test]
async fn m3_a_film_without_end_is_streamed_up_to_the_cap_and_no_further() {
    let start = b"HTTP/1.1 200 OK\r\n\r\nID3\x03".to_vec();
    let server =
        Server::start(move |_| vec![Act::Send(start.clone()), Act::Endless(vec![0; 64 << 10])]).await;
    let fetcher = server.fetcher_with(Limits { media_bytes_max: 1 << 20, ..Limits::default() });
    let media = fetcher.media(&server.url("a.test", "/"), MediaClass::Video, None, NOW).await.unwrap();
    let mut stream = media.stream;
    let (mut bytes, mut ended) = (0, false);
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(chunk) => bytes += chunk.len(),
            Err(_) => ended = true,
        }
    }
    assert!(ended && bytes <= 1 << 20, "{bytes}");
    let declared = Server::saying("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\nID3").await;
    let refused = declared.fetcher().media(&declared.url("a.test", "/"), MediaClass::Audio, None, NOW).await;
    assert!(matches!(refused.unwrap_err(), NoMedia::Failed(Failure::TooLarge { .. })));
}

#[tokio::test]
async fn m3_a_server_that_stalls_or_drips_is_left() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n\x89PNG\r\n\x1a\n".to_vec();
    let fill = [head, vec![0; 600]].concat();
    let limits = || Limits { slow_window: Duration::from_millis(300), ..Limits::default() };
    let stalling = fill.clone();
    let server = Server::start(move |_| vec![Act::Send(stalling.clone()), Act::Hang]).await;
    let media =
        server.fetcher_with(limits()).media(&server.url("a.test", "/"), MediaClass::Image, None, NOW).await;
    assert!(bytes(media.unwrap()).await.is_err());
    let server =
        Server::start(move |_| vec![Act::Send(fill.clone()), Act::Drip(b"x", Duration::from_millis(20))])
            .await;
    let media =
        server.fetcher_with(limits()).media(&server.url("a.test", "/"), MediaClass::Image, None, NOW).await;
    assert!(bytes(media.unwrap()).await.is_err());
}

#[tokio::test]
async fn m3_streams_are_counted_and_given_back() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n\x89PNG\r\n\x1a\n".to_vec();
    let fill = [head, vec![0; 600]].concat();
    let server = Server::start(move |_| vec![Act::Send(fill.clone()), Act::Hang]).await;
    let fetcher = server.fetcher();
    let mut open = Vec::new();
    for _ in 0..64 {
        open.push(fetcher.media(&server.url("a.test", "/"), MediaClass::Image, None, NOW).await.unwrap());
    }
    let refused = fetcher.media(&server.url("a.test", "/"), MediaClass::Image, None, NOW).await;
    assert_eq!(refused.unwrap_err(), NoMedia::Busy);
    open.pop();
    assert!(fetcher.media(&server.url("a.test", "/"), MediaClass::Image, None, NOW).await.is_ok());
}
