//! Following: each hop is judged and addressed as if it were the first.

use crate::server::*;
use fetch::{AllowList, Failure, FetchConfig, Fetcher, Outcome, Refusal};

#[tokio::test]
async fn e6_each_hop_is_checked_again() {
    let canary = Server::saying(ok("", "canary")).await;
    let port = canary.addr.port();
    for (to, expected) in [
        (format!("http://127.0.0.1:{port}/"), Refusal::Address),
        (format!("http://2130706433:{port}/"), Refusal::Address),
        (format!("//[::1]:{port}/"), Refusal::Address),
        (format!("http://localhost:{port}/"), Refusal::Address),
        (format!("http://inside.test:{port}/"), Refusal::Address),
        ("http://169.254.169.254/latest/meta-data/".into(), Refusal::Address),
        ("file:///etc/passwd".into(), Refusal::Scheme),
        ("gopher://x:70/_".into(), Refusal::Scheme),
        ("ftp://x/".into(), Refusal::Scheme),
        ("http://x.test:25/".into(), Refusal::Port),
    ] {
        let server = Server::saying(redirect("302 Found", &to)).await;
        let answer = server.fetcher().feed(&feed(server.url("a.test", "/")), NOW).await;
        assert_eq!(answer.outcome, Outcome::Refused(expected), "{to}");
        assert_eq!(answer.status, Some(302));
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn e11_credentials_and_headers_go_to_the_feeds_own_origin_only() {
    let other = Server::saying(ok("", "other")).await;
    let away = other.url("a.test", "/there").to_string();
    let server = Server::start(move |seen| {
        vec![Act::Send(match seen.path.as_str() {
            "/start" => redirect("302 Found", "/same"),
            "/same" => redirect(
                "302 Found",
                &format!("http://b.test:{}/host", seen.header("host").unwrap().split_once(':').unwrap().1),
            ),
            _ => redirect("302 Found", &away),
        })]
    })
    .await;
    let allow: Vec<String> = [&server, &other].map(|at| format!("127.0.0.1/32:{}", at.addr.port())).into();
    let allow = AllowList::parse(allow.iter().map(String::as_str)).unwrap();
    let fetcher = Fetcher::new(FetchConfig { allow, ..server.config() }).unwrap();
    let answer = fetcher.feed(&with_secrets(server.url("a.test", "/start")), NOW).await;
    assert_eq!(body(&answer), (&b"other"[..], true));
    let seen = server.seen();
    for own in &seen[..2] {
        assert_eq!(own.header("authorization"), Some("Basic bWlyYTpodW50ZXIy"), "{}", own.path);
        assert_eq!(own.header("x-api-key"), Some("k3y"), "{}", own.path);
    }
    // Another host at the same port, then the same name at another port.
    for foreign in [&seen[2], &other.seen()[0]] {
        assert_eq!(foreign.header("authorization"), None);
        assert_eq!(foreign.header("x-api-key"), None);
        assert_eq!(foreign.header("referer"), None);
        assert_eq!(foreign.header("cookie"), None);
    }
}

#[tokio::test]
async fn e10_credentials_in_an_address_are_sent_as_a_header_and_shown_nowhere() {
    let server = Server::start(|seen| {
        vec![Act::Send(match seen.path.as_str() {
            "/f" => redirect(
                "301 Moved",
                "http://x:y@b.test:PORT/g"
                    .replace("PORT", seen.header("host").unwrap().split_once(':').unwrap().1)
                    .as_str(),
            ),
            _ => ok("", "feed"),
        })]
    })
    .await;
    let mut url = server.url("a.test", "/f");
    url.set_username("mira").unwrap();
    url.set_password(Some("hunter2")).unwrap();
    let answer = server.fetcher().feed(&feed(url), NOW).await;
    assert_eq!(body(&answer), (&b"feed"[..], true));
    let shown = format!("{answer:?}");
    assert!(!shown.contains("hunter2") && !shown.contains("x:y"), "{shown}");
    let seen = server.seen();
    assert_eq!(seen[0].header("authorization"), Some("Basic bWlyYTpodW50ZXIy"));
    assert_eq!(seen[1].header("authorization"), None, "what a redirect brings along is not sent either");
}

#[tokio::test]
async fn e13_loops_and_chains_end_at_five() {
    let looping = Server::start(|seen| {
        vec![Act::Send(redirect("302 Found", if seen.path == "/a" { "/b" } else { "/a" }))]
    })
    .await;
    let answer = looping.fetcher().feed(&feed(looping.url("a.test", "/a")), NOW).await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::RedirectLimit));
    assert_eq!(looping.seen().len(), 6, "the first request and five hops");

    let growing =
        Server::start(|seen| vec![Act::Send(redirect("302 Found", &format!("{}?x", seen.path)))]).await;
    let answer = growing.fetcher().feed(&feed(growing.url("a.test", "/a")), NOW).await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::RedirectLimit));

    let chain = Server::start(|seen| match seen.path.trim_start_matches('/').parse::<u32>().unwrap() {
        5 => vec![Act::Send(ok("", "arrived"))],
        n => vec![Act::Send(redirect("302 Found", &format!("/{}", n + 1)))],
    })
    .await;
    let answer = chain.fetcher().feed(&feed(chain.url("a.test", "/0")), NOW).await;
    assert_eq!(body(&answer), (&b"arrived"[..], true), "five hops are followed");
}

#[tokio::test]
async fn e13_redirects_to_nowhere_fail() {
    let long = format!("/{}", "x".repeat(5_000));
    for head in ["", "Location: \r\n", "Location: http://[\r\n", &format!("Location: {long}\r\n")] {
        let server = Server::saying(respond("302 Found", head, "")).await;
        let answer = server.fetcher().feed(&feed(server.url("a.test", "/a")), NOW).await;
        assert_eq!(answer.outcome, Outcome::Failed(Failure::BadRedirect), "{head}");
    }
}

async fn hops(statuses: &'static [&'static str]) -> fetch::Answer {
    let server = Server::start(move |seen| {
        let n: usize = seen.path.trim_start_matches('/').parse().unwrap();
        vec![Act::Send(match statuses.get(n) {
            Some(status) => redirect(status, &format!("/{}", n + 1)),
            None => ok("", "feed"),
        })]
    })
    .await;
    server.fetcher().feed(&feed(server.url("a.test", "/0#part")), NOW).await
}

#[tokio::test]
async fn n18_a_move_is_permanent_only_if_every_hop_is() {
    let answer = hops(&["301 Moved Permanently", "308 Permanent Redirect"]).await;
    assert_eq!(answer.final_url.path(), "/2");
    assert_eq!(answer.permanent_to, Some(answer.final_url.clone()));
    assert!(!answer.temporary_hops);
    let answer = hops(&["301 Moved Permanently", "302 Found"]).await;
    assert_eq!((answer.permanent_to, answer.temporary_hops), (None, true));
    let answer = hops(&[]).await;
    assert_eq!((answer.permanent_to, answer.temporary_hops), (None, false));
    assert_eq!(answer.final_url.fragment(), None);
}

#[tokio::test]
async fn n19_temporary_moves_are_followed_and_said_to_be_temporary() {
    for status in ["302 Found", "303 See Other", "307 Temporary Redirect"] {
        let statuses: &'static [&'static str] = Box::leak(Box::new([status]));
        let answer = hops(statuses).await;
        assert_eq!(body(&answer), (&b"feed"[..], true), "{status}");
        assert_eq!((answer.permanent_to, answer.temporary_hops), (None, true), "{status}");
    }
}

#[tokio::test]
async fn n26_a_publisher_who_opted_out_is_never_asked_not_even_by_a_redirect() {
    let server = Server::start(|seen| {
        let port = seen.header("host").unwrap().split_once(':').unwrap().1.to_owned();
        vec![Act::Send(redirect("302 Found", &format!("http://sub.left.test:{port}/there")))]
    })
    .await;
    let fetcher = Fetcher::new(server.config()).unwrap();
    fetcher.opt_outs().set(["left.test".to_owned()]);
    let refused = |answer: fetch::Answer| matches!(answer.outcome, Outcome::Refused(Refusal::OptedOut));
    assert!(refused(fetcher.feed(&feed(server.url("left.test", "/feed")), NOW).await));
    assert!(server.seen().is_empty(), "nothing was sent");
    assert!(refused(fetcher.feed(&feed(server.url("a.test", "/feed")), NOW).await));
    assert_eq!(server.seen().len(), 1, "the redirect was not followed");
    fetcher.opt_outs().set([]);
    assert!(!refused(fetcher.feed(&feed(server.url("left.test", "/feed")), NOW).await));
}
