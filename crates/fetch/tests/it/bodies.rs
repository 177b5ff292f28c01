//! How much we take.

use crate::server::*;
use domain::{Limits, Validators};
use fetch::{Answer, Failure, Outcome, PageRequest};
use std::io::Write;
use std::time::Duration;

const MIB: usize = 1 << 20;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, 9, 22);
    encoder.write_all(bytes).unwrap();
    drop(encoder);
    out
}

fn zstd_window(bytes: &[u8], window_log: u32) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(window_log).unwrap();
    encoder.long_distance_matching(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd_window(bytes, 20)
}

fn document() -> Vec<u8> {
    (0..20_000).flat_map(|n| format!("<item>{n} {}</item>", n * 7919 % 10_007).into_bytes()).collect()
}

fn packed(coding: &str, bytes: &[u8]) -> Vec<u8> {
    ok(&format!("Content-Encoding: {coding}\r\nETag: \"1\"\r\n"), bytes)
}

async fn fetch_with(answer: Vec<u8>, limits: Limits) -> Answer {
    let server = Server::saying(answer).await;
    server.fetcher_with(limits).feed(&feed(server.url("a.test", "/")), NOW).await
}

async fn fetch(answer: Vec<u8>) -> Answer {
    fetch_with(answer, Limits::default()).await
}

#[tokio::test]
async fn bodies_are_unpacked_once() {
    let plain = document();
    for (coding, bytes) in [
        ("gzip", gzip(&plain)),
        ("X-GZIP", gzip(&plain)),
        ("gzip", [gzip(&plain[..100]), gzip(&plain[100..])].concat()),
        ("br", brotli(&plain)),
        ("zstd", zstd(&plain)),
        ("deflate", zlib(&plain)),
        ("deflate", deflate(&plain)),
        ("identity", plain.clone()),
        ("utf-8", plain.clone()),
        // Servers that say gzip and mean nothing, and servers that say nothing and mean gzip.
        ("gzip", plain.clone()),
        ("", gzip(&plain)),
    ] {
        let answer = fetch(packed(coding, &bytes)).await;
        assert!(body(&answer) == (&plain[..], true), "{coding}: {:?}", answer.outcome.sentence());
        assert_eq!(answer.wire_bytes, bytes.len() as u64, "{coding}");
        assert!(answer.validators.etag.is_some());
    }
    for coding in ["gzip", "br", "zstd", "deflate"] {
        assert_eq!(body(&fetch(packed(coding, b"")).await), (&b""[..], true), "{coding}");
    }
}

#[tokio::test]
async fn b1_bombs_stop_while_they_unpack() {
    let zeros = vec![0; 64 * MIB];
    for (coding, bomb) in
        [("gzip", gzip(&zeros)), ("br", brotli(&zeros)), ("zstd", zstd(&zeros)), ("deflate", zlib(&zeros))]
    {
        let answer = fetch(packed(coding, &bomb)).await;
        assert_eq!(answer.outcome, Outcome::Failed(Failure::Ratio), "{coding}");
        // Without the ratio the cap alone must stop it as well.
        let limits = Limits { body_ratio_max: u64::MAX, ..Limits::default() };
        let answer = fetch_with(packed(coding, &bomb), limits).await;
        assert_eq!(answer.outcome, Outcome::Failed(Failure::TooLarge { bytes_max: 15 << 20 }), "{coding}");
    }
}

#[tokio::test]
async fn b1_a_ratio_is_judged_only_beyond_the_first_mebibyte() {
    let zeros = vec![b' '; MIB - 1];
    let answer = fetch(packed("gzip", &gzip(&zeros))).await;
    assert!(body(&answer) == (&zeros[..], true));
}

#[tokio::test]
async fn b1_one_layer_only() {
    let twice = gzip(&gzip(&document()));
    for coding in
        ["gzip, gzip", "gzip, gzip, gzip", "gzip, br", "gzip\r\nContent-Encoding: gzip", "compress", "gzip"]
    {
        let answer = fetch(packed(coding, &twice)).await;
        assert_eq!(answer.outcome, Outcome::Failed(Failure::Encoding), "{coding}");
    }
}

#[tokio::test]
async fn b1_a_zstd_frame_may_not_claim_a_huge_window() {
    // Declared size and window are left to the stream, so the frame header carries the window.
    let plain: Vec<u8> = (0..40 * MIB / 64).flat_map(|n| [(n % 251) as u8; 64]).collect();
    let answer = fetch_with(
        packed("zstd", &zstd_window(&plain, 27)),
        Limits { body_bytes_max: 100 << 20, body_ratio_max: u64::MAX, ..Limits::default() },
    )
    .await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::Decode));
}

#[tokio::test]
async fn b1_damaged_packing_is_a_failure() {
    for (coding, bytes) in [
        ("br", &b"not brotli at all"[..]),
        ("zstd", b"not zstd at all"),
        ("gzip", b"\x1f\x8b broken"),
        ("deflate", b"\xff\xff\xff"),
    ] {
        assert_eq!(fetch(packed(coding, bytes)).await.outcome, Outcome::Failed(Failure::Decode), "{coding}");
    }
}

#[tokio::test]
async fn b2_an_endless_body_ends_at_the_cap() {
    for start in ["Transfer-Encoding: chunked\r\n\r\n", "Connection: close\r\n\r\n"] {
        let endless =
            if start.starts_with('T') { b"7\r\n<item/>\r\n".repeat(1_000) } else { b"<item/>".repeat(1_000) };
        let server = Server::start(move |_| {
            vec![Act::Send(format!("HTTP/1.1 200 OK\r\n{start}").into_bytes()), Act::Endless(endless.clone())]
        })
        .await;
        let limits = Limits { body_wire_bytes_max: 100_000, ..Limits::default() };
        let answer = server.fetcher_with(limits).feed(&feed(server.url("a.test", "/")), NOW).await;
        assert_eq!(answer.outcome, Outcome::Failed(Failure::TooLarge { bytes_max: 100_000 }), "{start}");
        assert!(answer.wire_bytes < 1_000_000, "{} bytes were read", answer.wire_bytes);
    }
}

#[tokio::test]
async fn b2_a_body_that_is_declared_too_large_is_not_read() {
    let answer = fetch(b"HTTP/1.1 200 OK\r\nContent-Length: 6000000\r\n\r\n<rss>".to_vec()).await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::TooLarge { bytes_max: 5 << 20 }));
    assert_eq!(answer.wire_bytes, 0);
}

#[tokio::test]
async fn b3_slow_heads_and_slow_bodies_are_left() {
    let drip = Duration::from_millis(20);
    let head =
        Server::start(move |_| vec![Act::Send(b"HTTP/1.1 200 OK\r\n".to_vec()), Act::Drip(b"X", drip)]).await;
    let answer = head.fetcher_with(impatient()).feed(&feed(head.url("a.test", "/")), NOW).await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::NoAnswer));

    for start in ["Connection: close\r\n\r\n<rss>", "Content-Encoding: gzip\r\n\r\n\x1f"] {
        let slow = Server::start(move |_| {
            vec![Act::Send(format!("HTTP/1.1 200 OK\r\n{start}").into_bytes()), Act::Drip(b"<item/>", drip)]
        })
        .await;
        let answer = slow.fetcher_with(hasty()).feed(&feed(slow.url("a.test", "/")), NOW).await;
        assert_eq!(answer.outcome, Outcome::Failed(Failure::TooSlow), "{start:?}");
    }

    let packed = gzip(&document());
    let hung = Server::start(move |_| {
        let half = packed[..packed.len() / 2].to_vec();
        vec![
            Act::Send([b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec(), half].concat()),
            Act::Hang,
        ]
    })
    .await;
    let limits =
        Limits { fetch_timeout: Duration::from_millis(2_000), slow_bytes_per_second_min: 0, ..hasty() };
    let answer = hung.fetcher_with(limits).feed(&feed(hung.url("a.test", "/")), NOW).await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::Timeout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b3_five_hundred_slow_hosts_do_not_keep_others_waiting_for_ever() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/good" => vec![Act::Send(ok("", "good"))],
        _ => {
            vec![Act::Send(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()), Act::Drip(b"x", Duration::from_millis(100))]
        }
    })
    .await;
    let fetcher = server.fetcher_with(hasty());
    let slow: Vec<_> = (0..500)
        .map(|n| {
            let (fetcher, url) = (fetcher.clone(), server.url(&format!("slow{n}.test"), "/slow"));
            tokio::spawn(async move { fetcher.feed(&feed(url), NOW).await.outcome })
        })
        .collect();
    let good = fetcher.feed(&feed(server.url("good.test", "/good")), NOW).await;
    assert_eq!(body(&good), (&b"good"[..], true));
    for outcome in slow {
        assert_eq!(outcome.await.unwrap(), Outcome::Failed(Failure::TooSlow));
    }
}

#[tokio::test]
async fn b4_lying_lengths_neither_hang_nor_crash() {
    let server = |length: &'static str| async move {
        let head = format!("HTTP/1.1 200 OK\r\nETag: \"1\"\r\n{length}\r\n0123456789");
        fetch_with(head.into_bytes(), hasty()).await
    };
    let answer = server("Content-Length: 100\r\n").await;
    assert_eq!(
        body(&answer),
        (&b"0123456789"[..], false),
        "ten times too long: what came is kept, as a part"
    );
    let answer = server("Content-Length: 1\r\n").await;
    assert_eq!(body(&answer), (&b"0"[..], true), "ten times too short: HTTP says this is all");
    for broken in [
        "Content-Length: -5\r\n",
        "Content-Length: 10\r\nContent-Length: 5\r\n",
        "Content-Length: ten\r\n",
        "Content-Length: 99999999999999999999999\r\n",
    ] {
        assert_eq!(server(broken).await.outcome, Outcome::Failed(Failure::Protocol), "{broken}");
    }
}

#[tokio::test]
async fn b5_huge_or_many_headers_are_refused() {
    let huge = format!("Set-Cookie: {}\r\n", "x".repeat(10 * MIB));
    let many: String = (0..10_000).map(|n| format!("X-{n}: y\r\n")).collect();
    let just_many: String = (0..101).map(|n| format!("X-{n}: y\r\n")).collect();
    let just_huge = format!("ETag: \"{}\"\r\n", "x".repeat(70 << 10));
    for head in [huge, many, just_many, just_huge] {
        let answer = fetch(ok(&head, "feed")).await;
        assert_eq!(answer.outcome, Outcome::Failed(Failure::HeadersTooLarge), "{} bytes", head.len());
    }
    let large = format!("ETag: \"{}\"\r\n", "x".repeat(2_000));
    let answer = fetch(ok(&large, "feed")).await;
    assert_eq!((body(&answer), answer.validators.clone()), ((&b"feed"[..], true), Validators::default()));
}

#[tokio::test]
async fn b10_what_came_before_the_break_is_kept_as_a_part() {
    let plain = document();
    let half = plain.len() / 2;
    let head = |more: &str| format!("HTTP/1.1 200 OK\r\nETag: \"1\"\r\n{more}\r\n").into_bytes();
    let chunked = [
        head("Transfer-Encoding: chunked\r\n"),
        format!("{half:x}\r\n").into_bytes(),
        plain[..half].to_vec(),
        b"\r\n".to_vec(),
    ]
    .concat();
    let measured = [head(&format!("Content-Length: {}\r\n", plain.len())), plain[..half].to_vec()].concat();
    for cut in [chunked, measured] {
        let answer = fetch(cut).await;
        assert!(body(&answer) == (&plain[..half], false));
        assert_eq!(answer.validators, Validators::default(), "a part's validators would hide the rest");
    }
    for (coding, bytes) in
        [("gzip", gzip(&plain)), ("br", brotli(&plain)), ("zstd", zstd(&plain)), ("deflate", zlib(&plain))]
    {
        for length in ["", &format!("Content-Length: {}\r\n", bytes.len())] {
            let cut = [
                head(&format!("Content-Encoding: {coding}\r\n{length}")),
                bytes[..bytes.len() * 3 / 4].to_vec(),
            ]
            .concat();
            let answer = fetch(cut).await;
            let (kept, complete) = body(&answer);
            assert!(
                !complete && plain.starts_with(kept) && kept.len() > 100,
                "{coding}, {length:?}: {} bytes",
                kept.len()
            );
            assert_eq!(answer.validators, Validators::default());
        }
    }
}

#[tokio::test]
async fn b10_a_body_without_length_ends_with_the_connection() {
    let answer = fetch(b"HTTP/1.0 200 OK\r\n\r\n<rss/>".to_vec()).await;
    assert_eq!(body(&answer), (&b"<rss/>"[..], true));
}

#[tokio::test]
async fn a_body_in_many_pieces_is_put_together() {
    let plain = document();
    let mut chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for piece in plain.chunks(7) {
        chunked.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        chunked.extend_from_slice(piece);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    assert!(body(&fetch(chunked).await) == (&plain[..], true));
}

#[tokio::test]
async fn an_icon_has_its_own_smaller_bound() {
    let server = Server::saying(ok("", vec![1; 2_000])).await;
    let request =
        PageRequest { robots: false, body_bytes_max: Some(1_000), ..page(server.url("a.test", "/")) };
    let answer = server.fetcher().page(&request, NOW).await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::TooLarge { bytes_max: 1_000 }));
}
