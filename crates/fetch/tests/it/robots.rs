//! robots.txt for what we start ourselves.

use crate::server::*;
use domain::Timestamp;
use fetch::{Outcome, PageRequest, Refusal, Verdict};
use std::time::Duration;

/// A site whose robots.txt is `answer` and whose pages say "page".
async fn site(answer: Vec<u8>) -> Server {
    Server::start(move |seen| match seen.path.as_str() {
        "/robots.txt" => vec![Act::Send(answer.clone())],
        _ => vec![Act::Send(ok("", "page"))],
    })
    .await
}

fn asked(server: &Server) -> usize {
    server.seen().iter().filter(|seen| seen.path == "/robots.txt").count()
}

#[tokio::test]
async fn n25_pages_are_fetched_only_where_robots_allow() {
    let site = site(ok("", "\u{feff}User-agent: *\nDisallow: /private\nCrawl-delay: 90\n")).await;
    let fetcher = site.fetcher();
    let answer = fetcher.page(&page(site.url("a.test", "/open")), NOW).await;
    assert_eq!(body(&answer), (&b"page"[..], true));
    assert_eq!(answer.crawl_delay, Some(Duration::from_secs(60)));
    let answer = fetcher.page(&page(site.url("a.test", "/private/x")), NOW).await;
    assert_eq!((&answer.outcome, answer.status), (&Outcome::Refused(Refusal::Robots), None));
    assert_eq!(asked(&site), 1, "asked once, then remembered");
    assert!(matches!(fetcher.robots(&site.url("a.test", "/private"), NOW).await, Verdict::Disallowed { .. }));
    let request = PageRequest { robots: false, ..page(site.url("a.test", "/private/x")) };
    assert_eq!(body(&fetcher.page(&request, NOW).await), (&b"page"[..], true));
    assert!(site.seen().iter().filter(|seen| seen.path == "/private/x").count() == 1);
}

#[tokio::test]
async fn n25_a_feed_a_person_named_is_fetched_without_asking_robots() {
    let site = site(ok("", "User-agent: *\nDisallow: /\n")).await;
    let answer = site.fetcher().feed(&feed(site.url("a.test", "/feed.xml")), NOW).await;
    assert_eq!(body(&answer), (&b"page"[..], true));
    assert_eq!(asked(&site), 0);
}

#[tokio::test]
async fn n25_missing_robots_allow_and_failing_robots_forbid_for_now() {
    for (status, expected) in [
        ("404 Not Found", true),
        ("403 Forbidden", true),
        ("410 Gone", true),
        ("503 Unavailable", false),
        ("500 Error", false),
        ("429 Too Many", false),
    ] {
        let site = site(respond(status, "", "")).await;
        let fetcher = site.fetcher();
        let answer = fetcher.page(&page(site.url("a.test", "/x")), NOW).await;
        let refused = answer.outcome == Outcome::Refused(Refusal::RobotsUnreachable);
        assert_eq!(refused, !expected, "{status}");
        let later = NOW.saturating_add(Duration::from_secs(3600));
        fetcher.page(&page(site.url("a.test", "/x")), later).await;
        assert_eq!(
            asked(&site),
            if expected { 1 } else { 2 },
            "{status}: trouble is asked about again sooner"
        );
    }
    let site = Server::start(|_| vec![Act::Reset]).await;
    let answer = site.fetcher().page(&page(site.url("a.test", "/x")), NOW).await;
    assert_eq!(answer.outcome, Outcome::Refused(Refusal::RobotsUnreachable));
}

#[tokio::test]
async fn n25_robots_are_remembered_for_a_day_at_most() {
    let site = site(ok("Cache-Control: max-age=31536000\r\n", "")).await;
    let fetcher = site.fetcher();
    let at = |hours: u64| -> Timestamp { NOW.saturating_add(Duration::from_secs(hours * 3600)) };
    for hours in [0, 12, 23, 24, 30] {
        fetcher.page(&page(site.url("a.test", "/x")), at(hours)).await;
    }
    assert_eq!(asked(&site), 2);
}

#[tokio::test]
async fn n25_five_redirects_are_followed_to_the_rules() {
    let hops = |count: u32| async move {
        let site = Server::start(move |seen| {
            let step = match seen.path.as_str() {
                "/robots.txt" => Some(0),
                path => path.strip_prefix("/hop/").and_then(|n| n.parse::<u32>().ok()),
            };
            vec![Act::Send(match step {
                Some(n) if n < count => redirect("301 Moved", &format!("/hop/{}", n + 1)),
                Some(_) => ok("", "User-agent: wellread\nDisallow: /\n"),
                None => ok("", "page"),
            })]
        })
        .await;
        site.fetcher().page(&page(site.url("a.test", "/x")), NOW).await.outcome
    };
    assert_eq!(hops(5).await, Outcome::Refused(Refusal::Robots));
    assert!(matches!(hops(6).await, Outcome::Body { .. }), "beyond that there are no rules");
}

#[tokio::test]
async fn n25_five_hundred_kibibytes_are_read_and_the_rest_is_left() {
    let filler = "# nothing to see in this line of a very long file\n";
    let before = filler.repeat((500 << 10) / filler.len() - 2);
    let long = format!(
        "{before}User-agent: *\nDisallow: /a\n{}Disallow: /b\n",
        filler.repeat((100 << 10) / filler.len())
    );
    assert!(long.len() > 590_000);
    let site = site(ok("", long)).await;
    let fetcher = site.fetcher();
    assert_eq!(
        fetcher.page(&page(site.url("a.test", "/a")), NOW).await.outcome,
        Outcome::Refused(Refusal::Robots)
    );
    assert!(matches!(fetcher.page(&page(site.url("a.test", "/b")), NOW).await.outcome, Outcome::Body { .. }));
}

#[tokio::test]
async fn n25_every_hop_of_a_page_asks_its_own_site() {
    let closed = site(ok("", "User-agent: *\nDisallow: /\n")).await;
    let to = closed.url("b.test", "/x").to_string();
    let open = Server::start(move |seen| match seen.path.as_str() {
        "/robots.txt" => vec![Act::Send(respond("404 Not Found", "", ""))],
        _ => vec![Act::Send(redirect("302 Found", &to))],
    })
    .await;
    let entries = [&open, &closed].map(|at| format!("127.0.0.1/32:{}", at.addr.port()));
    let allow = fetch::AllowList::parse(entries.iter().map(String::as_str)).unwrap();
    let fetcher = fetch::Fetcher::new(fetch::FetchConfig { allow, ..open.config() }).unwrap();
    let answer = fetcher.page(&page(open.url("a.test", "/x")), NOW).await;
    assert_eq!(answer.outcome, Outcome::Refused(Refusal::Robots));
    assert!(closed.seen().iter().all(|seen| seen.path == "/robots.txt"));
}
