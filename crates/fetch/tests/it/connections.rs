//! Connections that fail, and how many there are.

use crate::server::*;
use domain::Limits;
use fetch::{Answer, Failure, FeedRequest, FetchConfig, Fetcher, Outcome, Resolve, Resolver};
use futures_util::future::BoxFuture;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use url::Url;

fn is_ours_maybe(answer: &Answer) -> bool {
    matches!(&answer.outcome, Outcome::Failed(failure) if failure.is_ours_maybe()) && answer.status.is_none()
}

#[tokio::test]
async fn b8_resets_fail_once_and_are_not_tried_again() {
    let after_request = Server::start(|_| vec![Act::Reset]).await;
    let answer = after_request.fetcher().feed(&feed(after_request.url("a.test", "/")), NOW).await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::Protocol));
    assert_eq!((after_request.connections(), is_ours_maybe(&answer)), (1, false));

    let after_head = Server::start(|_| {
        vec![Act::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n".to_vec()), Act::Reset]
    })
    .await;
    let answer = after_head.fetcher().feed(&feed(after_head.url("a.test", "/")), NOW).await;
    assert_eq!(answer.outcome, Outcome::Failed(Failure::Protocol));
    assert_eq!(after_head.seen().len(), 1);
}

#[tokio::test]
async fn b8_what_is_not_http_fails() {
    for answer in [
        "",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "220 mail.test ESMTP\r\n",
        "HTTP/1.1 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        "\0\0\0\0",
    ] {
        let server = Server::saying(answer).await;
        let got = server.fetcher().feed(&feed(server.url("a.test", "/")), NOW).await;
        assert_eq!(got.outcome, Outcome::Failed(Failure::Protocol), "{answer:?}");
    }
}

#[tokio::test]
async fn what_never_answers_may_be_our_own_outage() {
    let silent = Server::start(|_| vec![Act::Hang]).await;
    let answer = silent.fetcher_with(impatient()).feed(&feed(silent.url("a.test", "/")), NOW).await;
    assert_eq!((&answer.outcome, is_ours_maybe(&answer)), (&Outcome::Failed(Failure::NoAnswer), true));

    let answer = silent.fetcher().feed(&feed(Url::parse("http://nobody.example/").unwrap()), NOW).await;
    assert_eq!((&answer.outcome, is_ours_maybe(&answer)), (&Outcome::Failed(Failure::Dns), true));

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let allow = fetch::AllowList::parse([format!("127.0.0.1:{port}").as_str()]).unwrap();
    let fetcher = Fetcher::new(FetchConfig { allow, ..silent.config() }).unwrap();
    let answer = fetcher.feed(&feed(Url::parse(&format!("http://a.test:{port}/")).unwrap()), NOW).await;
    assert_eq!((&answer.outcome, is_ours_maybe(&answer)), (&Outcome::Failed(Failure::Connect), true));
}

/// Never answers.
struct SilentNames;

impl Resolve for SilentNames {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_name_server_that_never_answers_ends_at_the_connect_bound() {
    let limits = Limits { connect_timeout: Duration::from_millis(100), ..Limits::default() };
    let config =
        FetchConfig { limits, resolver: Resolver::Injected(Arc::new(SilentNames)), ..FetchConfig::default() };
    let answer = Fetcher::new(config).unwrap().feed(&feed(Url::parse("http://a.test/").unwrap()), NOW).await;
    assert_eq!((&answer.outcome, is_ours_maybe(&answer)), (&Outcome::Failed(Failure::ConnectTimeout), true));
}

#[tokio::test]
async fn no_more_fetches_run_at_once_than_allowed() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counting, peak) = (now.clone(), most.clone());
    let server = Server::start(move |_| {
        peak.fetch_max(counting.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        vec![Act::Send(ok("Connection: close\r\n", "feed"))]
    })
    .await;
    let fetcher = server.fetcher_with(Limits { fetches_max: 3, ..Limits::default() });
    let all: Vec<_> = (0..60)
        .map(|n| {
            let (fetcher, url, now) = (fetcher.clone(), server.url(&format!("f{n}.test"), "/"), now.clone());
            tokio::spawn(async move {
                let answer = fetcher.feed(&feed(url), NOW).await;
                now.fetch_sub(1, Ordering::SeqCst);
                assert_eq!(body(&answer), (&b"feed"[..], true));
            })
        })
        .collect();
    for one in all {
        one.await.unwrap();
    }
    let most = most.load(Ordering::SeqCst);
    // A slot is free a moment before the caller counts down.
    assert!(most <= 6, "{most} at once");
}

#[tokio::test]
async fn many_hosts_do_not_keep_many_sockets() {
    let server =
        Server::start(|_| vec![Act::Send("HTTP/1.1 304 Not Modified\r\n\r\n".into()), Act::Keep]).await;
    let fetcher = server.fetcher();
    for n in 0..600 {
        let request: FeedRequest = with_validators(server.url(&format!("f{n}.test"), "/"), "\"1\"", "");
        assert_eq!(fetcher.feed(&request, NOW).await.outcome, Outcome::Unchanged);
    }
    // The server keeps each connection until the client leaves, so what is open now is what the client keeps.
    let mut kept = usize::MAX;
    for _ in 0..100 {
        kept = established_to(server.addr.port());
        if kept <= 128 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(kept <= 128, "{kept} sockets");
    assert_eq!(server.connections(), 600);
}

/// Connections to a local port in state ESTABLISHED, from the client's side, as the kernel lists them.
fn established_to(port: u16) -> usize {
    let table = std::fs::read_to_string("/proc/self/net/tcp").unwrap_or_default();
    let remote = format!(":{port:04X}");
    table
        .lines()
        .filter(|line| {
            let mut fields = line.split_ascii_whitespace().skip(2);
            fields.next().is_some_and(|to| to.ends_with(&remote)) && fields.next() == Some("01")
        })
        .count()
}

#[test]
fn a_fetch_can_run_on_any_thread() {
    fn check<T: Send + Sync>(_: &T) {}
    fn check_future(_: &(impl Send + ?Sized)) {}
    let fetcher = Fetcher::new(FetchConfig::default()).unwrap();
    check(&fetcher);
    let request = feed(Url::parse("http://a.test/").unwrap());
    check_future(&fetcher.feed(&request, NOW));
    let request = page(Url::parse("http://a.test/").unwrap());
    check_future(&fetcher.page(&request, NOW));
}
