//! What we say, and how often.

use crate::server::*;
use fetch::{FeedRequest, Outcome, PageRequest, Refusal, Wanted};
use url::Url;

#[tokio::test]
async fn n1_the_first_request_says_four_things_only() {
    let server = Server::saying(ok("", "feed")).await;
    server.fetcher().feed(&feed(server.url("a.test", "/feed.xml?x=1#part")), NOW).await;
    let seen = &server.seen()[0];
    assert!(seen.head.starts_with("GET /feed.xml?x=1 HTTP/1.1\r\n"), "{}", seen.head);
    assert_eq!(seen.names(), ["accept", "accept-encoding", "host", "user-agent"]);
    assert_eq!(seen.header("accept-encoding"), Some("gzip, br, zstd"));
    assert_eq!(seen.header("host"), Some(format!("a.test:{}", server.addr.port()).as_str()));
    assert!(seen.header("accept").unwrap().starts_with("application/atom+xml, application/rss+xml"));
}

#[tokio::test]
async fn n2_the_user_agent_says_who_asks_and_for_how_many() {
    let server = Server::saying(ok("", "feed")).await;
    let fetcher = server.fetcher();
    let request = FeedRequest { subscribers: 16, ..feed(server.url("a.test", "/")) };
    fetcher.feed(&request, NOW).await;
    fetcher.feed(&FeedRequest { user_agent: Some("Other/1".into()), ..request.clone() }, NOW).await;
    fetcher.page(&PageRequest { robots: false, ..page(server.url("a.test", "/")) }, NOW).await;
    let agents: Vec<String> =
        server.seen().iter().map(|seen| seen.header("user-agent").unwrap().to_owned()).collect();
    assert_eq!(
        agents[0],
        "Wellread/0.1.0 (+https://reader.example/about-fetcher; 16 subscribers; feed-id=7)"
    );
    assert_eq!(agents[1], "Other/1");
    assert_eq!(agents[2], "Wellread/0.1.0 (+https://reader.example/about-fetcher)");
    let broken = FeedRequest { user_agent: Some("a\r\nX-Evil: 1".into()), ..request };
    assert_eq!(fetcher.feed(&broken, NOW).await.outcome, Outcome::Refused(Refusal::UserAgent));
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn e14_nothing_stored_or_typed_can_add_a_header() {
    let server = Server::saying(ok("", "feed")).await;
    let fetcher = server.fetcher();
    let port = server.addr.port();
    for path in
        ["/%0d%0aX-Evil:%20y", "/\r\nX-Evil: y", "/a\tb", "/a b", "/?q=%0d%0aX-Evil:y", "/?q=\nX-Evil:y"]
    {
        let url = Url::parse(&format!("http://a.test:{port}{path}")).unwrap();
        fetcher.feed(&feed(url), NOW).await;
    }
    fetcher
        .feed(&with_validators(server.url("a.test", "/"), "\"a\"\r\nX-Evil: y", "yesterday\nX-Evil: y"), NOW)
        .await;
    assert_eq!(server.seen().len(), 7);
    for seen in server.seen() {
        assert_eq!(seen.names(), ["accept", "accept-encoding", "host", "user-agent"], "{}", seen.head);
        assert_eq!(seen.head.lines().next().unwrap().split(' ').count(), 3, "{}", seen.head);
    }
}

#[tokio::test]
async fn b6_cookies_are_neither_kept_nor_sent() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/moved" => vec![Act::Send(respond("302 Found", "Set-Cookie: id=1\r\nLocation: /feed\r\n", ""))],
        _ => vec![Act::Send(ok("Set-Cookie: id=2; Path=/\r\n", "feed"))],
    })
    .await;
    let fetcher = server.fetcher();
    for _ in 0..2 {
        fetcher.feed(&feed(server.url("a.test", "/moved")), NOW).await;
    }
    assert_eq!(server.seen().len(), 4);
    assert!(server.seen().iter().all(|seen| seen.header("cookie").is_none()));
}

#[tokio::test]
async fn n28_one_poll_is_one_request_and_connections_are_used_again() {
    let server = Server::start(|_| vec![Act::Send(ok("", "feed")), Act::Keep]).await;
    let fetcher = server.fetcher();
    for _ in 0..10 {
        fetcher.feed(&feed(server.url("a.test", "/feed")), NOW).await;
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 10);
    assert!(seen.iter().all(|seen| seen.head.starts_with("GET ")));
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn n28_a_delta_is_asked_for_only_with_validators() {
    let server = Server::saying(ok("", "feed")).await;
    let fetcher = server.fetcher();
    let url = server.url("a.test", "/");
    fetcher.feed(&FeedRequest { delta: true, ..feed(url.clone()) }, NOW).await;
    fetcher.feed(&FeedRequest { delta: true, ..with_validators(url.clone(), "\"1\"", "") }, NOW).await;
    fetcher.feed(&with_validators(url, "\"1\"", ""), NOW).await;
    let asked: Vec<Option<String>> =
        server.seen().iter().map(|seen| seen.header("a-im").map(str::to_owned)).collect();
    assert_eq!(asked, [None, Some("feed".into()), None]);
}

#[tokio::test]
async fn pages_and_images_say_what_they_are_for() {
    let server = Server::saying(ok("", "x")).await;
    let fetcher = server.fetcher();
    for wanted in [Wanted::Page, Wanted::Image, Wanted::Anything] {
        fetcher.page(&PageRequest { wanted, robots: false, ..page(server.url("a.test", "/")) }, NOW).await;
    }
    let accepted: Vec<String> =
        server.seen().iter().map(|seen| seen.header("accept").unwrap().to_owned()).collect();
    assert!(
        accepted[0].starts_with("text/html") && accepted[1].starts_with("image/") && accepted[2] == "*/*",
        "{accepted:?}"
    );
}

/// Says what it was asked, and lets everything through.
#[derive(Default)]
struct Porter(std::sync::Mutex<Vec<(String, bool)>>);

impl fetch::Gatekeeper for Porter {
    fn ask<'a>(
        &'a self,
        provider: &'a str,
        redirected: bool,
    ) -> futures_util::future::BoxFuture<'a, Result<(), fetch::Held>> {
        self.0.lock().unwrap().push((provider.to_owned(), redirected));
        let held = (provider == "busy.test").then_some(fetch::Held::Until(NOW));
        Box::pin(std::future::ready(held.map_or(Ok(()), Err)))
    }
}

#[tokio::test]
async fn n21_every_request_passes_the_gate_robots_txt_and_redirects_included() {
    let server = Server::start(|seen| {
        let port = seen.header("host").unwrap().split_once(':').unwrap().1.to_owned();
        vec![Act::Send(match seen.path.as_str() {
            "/robots.txt" => respond("404 Not Found", "", ""),
            "/away" => redirect("302 Found", &format!("http://b.test:{port}/here")),
            "/here" => redirect("302 Found", "/there"),
            "/closed" => redirect("302 Found", &format!("http://busy.test:{port}/x")),
            _ => ok("", "<p>page"),
        })]
    })
    .await;
    let fetcher = server.fetcher();
    let porter = std::sync::Arc::new(Porter::default());
    let gate = fetch::Gate::new(porter.clone());
    let asked = || std::mem::take(&mut *porter.0.lock().unwrap());
    let request = PageRequest { gate: gate.clone(), ..page(server.url("a.test", "/away")) };
    fetcher.page(&request, NOW).await;
    // Both robots.txt first; the page behind one is a request of its own, the last hop is not.
    let seen: Vec<_> = asked();
    let expected =
        [("a.test", false), ("a.test", false), ("b.test", false), ("b.test", false), ("b.test", true)];
    assert_eq!(seen, expected.map(|(provider, redirected)| (provider.to_owned(), redirected)));
    let request = FeedRequest { gate, ..feed(server.url("a.test", "/closed")) };
    let before = server.seen().len();
    let answer = fetcher.feed(&request, NOW).await;
    assert_eq!(answer.outcome, Outcome::Held(fetch::Held::Until(NOW)));
    assert_eq!(server.seen().len(), before + 1, "nothing is sent past a closed gate");
    assert_eq!(asked(), [("a.test".to_owned(), false), ("busy.test".to_owned(), true)]);
}
