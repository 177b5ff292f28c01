//! Each behaviour as it looks on the wire.

use crate::client::{get, poll, read, reply, start};
use crate::{START, after};
use farm::{Behaviour, FarmConfig, World};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn scripted(script: &[Behaviour]) -> farm::Farm {
    // A day into the third cycle of spells: out of them. One hour in: inside.
    start(FarmConfig::scripted(31, START, script), after(40, 12)).await
}

async fn in_spell(script: &[Behaviour]) -> farm::Farm {
    start(FarmConfig::scripted(31, START, script), after(39, 1)).await
}

#[tokio::test]
async fn a_connection_is_kept_for_the_next_request_and_names_choose_the_site() {
    let farm = start(FarmConfig::benchmark(32, 3, 10, START), after(40, 0)).await;
    let mut stream = TcpStream::connect(farm.addr()).await.unwrap();
    for host in ["f0001.test", "f0002.test"] {
        let request = format!("GET /robots.txt HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut piece = [0; 4_096];
        let count = stream.read(&mut piece).await.unwrap();
        let answer = reply(piece[..count].to_vec(), false);
        assert!([200, 404, 503].contains(&answer.status), "{}", answer.head);
        assert_eq!(answer.header("Connection"), Some("keep-alive"));
    }
    assert_eq!(farm.connections(), 1);
    assert_eq!(farm.answered(), 2);
    let title = |feed: usize| farm.world().feeds()[feed].title.replace('&', "&amp;");
    assert!(get(&farm, "f0001.test", "/", &[]).await.text().contains(&title(0)));
    assert!(get(&farm, "F0002.Test", "/", &[]).await.text().contains(&title(1)));
}

#[tokio::test]
async fn the_port_of_the_listener_is_in_every_link() {
    let farm = start(FarmConfig::benchmark(33, 1, 10, START), after(40, 0)).await;
    let port = format!(":{}/", farm.addr().port());
    assert!(farm.world().feed_url(0).unwrap().contains(&port));
    let body = poll(&farm, 0, &[]).await.text();
    assert!(body.contains(&port) && !body.contains("f0001.test/"));
}

#[tokio::test]
async fn nonsense_and_endless_requests_are_refused() {
    let farm = start(FarmConfig::benchmark(34, 1, 10, START), after(40, 0)).await;
    for (sent, status) in [
        ("BREW / HTCPCP/1.0\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), 400),
        (
            "POST /feed.xml HTTP/1.1\r\nHost: f0001.test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                .to_owned(),
            405,
        ),
        (format!("GET / HTTP/1.1\r\nHost: f0001.test\r\n{}\r\n", "A: b\r\n".repeat(200)), 431),
        (format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(20_000)), 431),
    ] {
        let mut stream = TcpStream::connect(farm.addr()).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let (bytes, _) = read(&mut stream).await;
        assert_eq!(reply(bytes, false).status, status, "{:.40}", sent);
    }
}

#[tokio::test]
async fn e6_redirects_point_at_every_private_place() {
    let farm = scripted(&[Behaviour::RedirectPrivate; 7]).await;
    let mut targets = Vec::new();
    for feed in 0..7 {
        let answer = poll(&farm, feed, &[]).await;
        assert_eq!(answer.status, 302);
        targets.push(answer.header("Location").unwrap().to_owned());
    }
    for wanted in
        ["http://127.0.0.1/", "http://2130706433/", "file:///etc/passwd", "gopher://", "ftp://", "//[::1]/"]
    {
        assert!(targets.iter().any(|target| target.starts_with(wanted)), "{wanted}");
    }
}

/// Follows redirects within the farm; the statuses seen and the last answer.
async fn follow(farm: &farm::Farm, feed: usize, hops_max: usize) -> (Vec<u16>, String) {
    let mut url = farm.world().feed_url(feed).unwrap();
    let mut seen = Vec::new();
    for _ in 0..=hops_max {
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let answer = get(farm, host.split(':').next().unwrap(), &format!("/{path}"), &[]).await;
        seen.push(answer.status);
        match answer.header("Location") {
            Some(to) => url = to.to_owned(),
            None => break,
        }
    }
    (seen, url)
}

#[tokio::test]
async fn e13_chains_are_long_and_loops_have_no_end() {
    let farm = scripted(&[Behaviour::RedirectChain, Behaviour::RedirectLoop, Behaviour::RedirectLoop]).await;
    let (chain, _) = follow(&farm, 0, 30).await;
    assert_eq!(chain.len(), 21, "twenty hops and a document");
    assert_eq!(chain.last(), Some(&200));
    let (round, _) = follow(&farm, 1, 30).await;
    assert_eq!(round, vec![302; 31]);
    let (growing, url) = follow(&farm, 2, 10).await;
    assert_eq!(growing, vec![302; 11]);
    assert_eq!(url.matches("again=1").count(), 11);
}

#[tokio::test]
async fn n18_and_n19_moved_feeds_are_found_at_their_new_address() {
    let script = [
        Behaviour::Moved,
        Behaviour::Moved,
        Behaviour::MovedForNow,
        Behaviour::MovedForNow,
        Behaviour::MovedForNow,
        Behaviour::FlipFlop,
    ];
    let farm = scripted(&script).await;
    for (feed, status) in [301, 308, 302, 303, 307, 301].into_iter().enumerate() {
        let (seen, url) = follow(&farm, feed, 5).await;
        assert_eq!(seen, vec![status, 200], "feed {feed} at {url}");
    }
    let page = scripted(&[Behaviour::RedirectToPage]).await;
    let (seen, _) = follow(&page, 0, 5).await;
    assert_eq!(seen, vec![301, 200]);
}

#[tokio::test]
async fn n13_to_n17_refusals_come_in_spells_or_for_good() {
    use Behaviour::{Broken, Denied, Gone, Limited, Missing, Unavailable};
    let script =
        [Gone, Missing, Missing, Broken, Broken, Broken, Limited, Unavailable, Denied, Denied, Denied];
    let during = [410, 404, 404, 500, 502, 500, 429, 503, 401, 403, 451];
    let between = [410, 200, 404, 200, 200, 500, 200, 200, 401, 403, 451];
    let (bad, good) = (in_spell(&script).await, scripted(&script).await);
    for feed in 0..script.len() {
        assert_eq!(poll(&bad, feed, &[]).await.status, during[feed], "{:?}", script[feed]);
        assert_eq!(poll(&good, feed, &[]).await.status, between[feed], "{:?}", script[feed]);
    }
}

#[tokio::test]
async fn n13_retry_after_is_spelled_in_every_way() {
    let farm = in_spell(&[Behaviour::Limited; 7]).await;
    let mut said = Vec::new();
    for feed in 0..7 {
        said.push(poll(&farm, feed, &[]).await.header("Retry-After").map(str::to_owned));
    }
    assert_eq!(said[0].as_deref(), Some("25200"), "seven hours of the spell are left");
    assert!(said[1].as_deref().unwrap().ends_with("GMT") && said[2].as_deref().unwrap().ends_with("GMT"));
    assert_eq!(said[3].as_deref(), Some("-5"));
    assert_eq!(said[4].as_deref(), Some("1000000000"));
    assert_eq!(said[5].as_deref(), Some("soon"));
    assert_eq!(said[6], None);
    let log = farm.entries();
    assert_eq!(log[0].retry_at, log[1].retry_at, "both spellings mean the same moment");
    assert!(log[2].retry_at.is_none());
}

#[tokio::test]
async fn b1_bombs_are_small_on_the_wire() {
    let farm = scripted(&[Behaviour::Bomb; 3]).await;
    for (feed, coding) in ["gzip", "zstd", "gzip, gzip, gzip"].into_iter().enumerate() {
        let answer = poll(&farm, feed, &[]).await;
        assert_eq!(answer.header("Content-Encoding"), Some(coding));
        assert!(answer.body.len() < 4 << 20, "{} bytes", answer.body.len());
        assert_eq!(answer.header("Content-Length").unwrap(), answer.body.len().to_string());
    }
}

#[tokio::test]
async fn b2_an_endless_body_outlasts_any_reader() {
    let farm = scripted(&[Behaviour::Endless]).await;
    let answer = poll(&farm, 0, &[]).await;
    assert_eq!(answer.header("Transfer-Encoding"), Some("chunked"));
    assert!(answer.body.len() > 20 << 20);
}

#[tokio::test]
async fn b3_a_drip_gives_one_byte_at_a_time() {
    let farm = scripted(&[Behaviour::Drip, Behaviour::Drip]).await;
    for (feed, whole_head) in [(0, true), (1, false)] {
        let mut stream = TcpStream::connect(farm.addr()).await.unwrap();
        let path = &farm.world().feeds()[feed].url_path;
        let request = format!("GET {path} HTTP/1.1\r\nHost: f000{}.test\r\n\r\n", feed + 1);
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut piece = vec![0; 64 << 10];
        let first = stream.read(&mut piece).await.unwrap();
        assert_eq!(first > 100, whole_head, "{first} bytes first");
        assert!(first < 1_000);
        assert_eq!(stream.read(&mut piece).await.unwrap(), 1);
    }
}

#[tokio::test]
async fn b4_lengths_lie_in_four_ways() {
    let farm = scripted(&[Behaviour::LyingLength; 4]).await;
    let mut claims = Vec::new();
    for feed in 0..4 {
        let answer = poll(&farm, feed, &[]).await;
        let lengths: Vec<i64> = answer.all("Content-Length").map(|length| length.parse().unwrap()).collect();
        claims.push((lengths, i64::try_from(answer.body.len()).unwrap()));
    }
    assert_eq!(claims[0].0, [claims[0].1 * 10]);
    assert_eq!(claims[1].0, [claims[1].1 / 10]);
    assert_eq!(claims[2].0, [-1]);
    assert_eq!(claims[3].0.len(), 2);
    assert_ne!(claims[3].0[0], claims[3].0[1]);
}

#[tokio::test]
async fn b5_headers_are_huge_or_many() {
    let farm = scripted(&[Behaviour::HugeHeaders; 3]).await;
    assert!(poll(&farm, 0, &[]).await.header("Set-Cookie").unwrap().len() > 10 << 20);
    assert!(poll(&farm, 1, &[]).await.head.lines().count() > 10_000);
    assert!(poll(&farm, 2, &[]).await.header("ETag").unwrap().len() > 1 << 20);
}

#[tokio::test]
async fn b6_and_b7_cookies_and_unique_etags_are_offered_and_what_comes_back_is_logged() {
    let farm = scripted(&[Behaviour::Cookies, Behaviour::TrackingEtag]).await;
    let cookie = poll(&farm, 0, &[]).await.header("Set-Cookie").unwrap().to_owned();
    poll(&farm, 0, &[("Cookie", cookie.split(';').next().unwrap())]).await;
    let sent: Vec<bool> = farm.log().of_feed(0).iter().map(|entry| entry.cookie).collect();
    assert_eq!(sent, [false, true]);
    let first = poll(&farm, 1, &[]).await.header("ETag").unwrap().to_owned();
    let second = poll(&farm, 1, &[("If-None-Match", &first)]).await;
    assert_eq!(second.status, 304);
    assert!(second.header("ETag").is_some(), "a 304 may bring a new tag");
    assert_eq!(farm.log().of_feed(1)[1].if_none_match.as_deref(), Some(first.as_str()));
}

#[tokio::test]
async fn b8_connections_are_reset_at_three_moments() {
    let farm = scripted(&[Behaviour::Reset; 3]).await;
    for feed in 0..3 {
        let answer = poll(&farm, feed, &[]).await;
        assert!(answer.reset, "feed {feed} ended in order");
    }
    assert_eq!(poll(&farm, 2, &[]).await.status, 0, "not even a head");
}

#[tokio::test]
async fn b9_pages_come_in_place_of_feeds() {
    let script =
        [Behaviour::Maintenance, Behaviour::Login, Behaviour::Captcha, Behaviour::Captcha, Behaviour::Empty];
    let farm = in_spell(&script).await;
    for (feed, status) in [200, 200, 200, 403].into_iter().enumerate() {
        let answer = poll(&farm, feed, &[]).await;
        assert_eq!(answer.status, status);
        assert!(answer.header("Content-Type").unwrap().starts_with("text/html"));
        assert!(answer.header("ETag").is_none());
        assert_eq!(answer.header("cf-mitigated").is_some(), feed >= 2);
    }
    assert_eq!(poll(&farm, 4, &[]).await.body, b"");
}

#[tokio::test]
async fn b10_bodies_are_cut_in_half_under_each_framing() {
    let farm = scripted(&[Behaviour::Truncated; 3]).await;
    for feed in 0..3 {
        let whole = farm.world().document(feed, after(40, 12)).len();
        let answer = poll(&farm, feed, &[]).await;
        let claimed: Option<usize> = answer.header("Content-Length").map(|length| length.parse().unwrap());
        match feed {
            0 => assert_eq!((claimed, answer.body.len()), (Some(whole), whole / 2)),
            1 => assert_eq!((claimed, answer.body.len()), (None, whole / 2)),
            _ => {
                assert!(answer.header("Transfer-Encoding").is_some() && !answer.body.ends_with(b"0\r\n\r\n"));
            }
        }
        assert!(!farm.log().of_feed(feed)[0].complete);
    }
}

#[tokio::test]
async fn every_behaviour_answers_something_and_the_farm_survives_them_all() {
    let farm = scripted(Behaviour::ALL).await;
    for (feed, behaviour) in Behaviour::ALL.iter().enumerate() {
        if matches!(behaviour, Behaviour::Drip | Behaviour::Endless) {
            continue;
        }
        let answer = poll(&farm, feed, &[("Accept-Encoding", "gzip")]).await;
        assert!(answer.reset || answer.status >= 200, "{}", behaviour.name());
        assert_eq!(Behaviour::from_name(behaviour.name()), Some(*behaviour));
    }
    assert_eq!(poll(&farm, 0, &[]).await.status, 200);
}

#[tokio::test]
async fn a_stopped_farm_frees_its_port() {
    let world = Arc::new(World::new(FarmConfig::benchmark(35, 1, 10, START)));
    let clock: farm::Clock = Arc::new(|| after(40, 0));
    let farm =
        farm::Farm::start(Arc::clone(&world), Arc::clone(&clock), ([127, 0, 0, 1], 0).into()).await.unwrap();
    let addr = farm.addr();
    poll(&farm, 0, &[]).await;
    farm.shutdown().await;
    assert!(TcpStream::connect(addr).await.is_err());
    farm::Farm::start(world, clock, addr).await.unwrap();
}
