//! Where we may go: the guard with real sockets behind it.

use crate::server::*;
use domain::Limits;
use fetch::{AllowList, FetchConfig, Fetcher, Outcome, Refusal, Resolve, Resolver, TestNames};
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use url::Url;

/// Fixed names.
struct Names(HashMap<&'static str, Vec<IpAddr>>);

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::ready(self.0.get(host).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())))
    }
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn fetcher(allow: AllowList, resolver: impl Resolve + 'static) -> Fetcher {
    Fetcher::new(FetchConfig {
        allow,
        resolver: Resolver::Injected(Arc::new(resolver)),
        ..FetchConfig::default()
    })
    .unwrap()
}

#[tokio::test]
async fn e1_a_refused_literal_is_never_connected_to() {
    let canary = Server::saying(ok("", "canary")).await;
    let fetcher = fetcher(AllowList::default(), TestNames { addr: LOOPBACK });
    let port = canary.addr.port();
    for host in
        ["127.0.0.1", "2130706433", "0x7f.1", "0.0.0.0", "[::ffff:127.0.0.1]", "localhost", "localhost."]
    {
        let url = Url::parse(&format!("http://{host}:{port}/")).unwrap();
        let answer = fetcher.feed(&feed(url.clone()), NOW).await;
        assert_eq!(answer.outcome, Outcome::Refused(Refusal::Address), "{host}");
        assert_eq!(fetcher.check(&url), Err(Refusal::Address), "{host}");
        let answer = fetcher.page(&page(url), NOW).await;
        assert_eq!(answer.outcome, Outcome::Refused(Refusal::Address), "{host}");
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn e4_a_name_is_refused_if_any_of_its_addresses_is() {
    let canary = Server::saying(ok("", "canary")).await;
    let names = Names(HashMap::from([
        ("evil.test", vec![ip("10.0.0.1")]),
        ("mixed.test", vec![ip("1.2.3.4"), ip("127.0.0.1")]),
        ("six.test", vec![ip("::ffff:127.0.0.1")]),
        ("loop.test", vec![ip("127.0.0.1")]),
    ]));
    let fetcher = fetcher(AllowList::default(), names);
    for host in ["evil.test", "mixed.test", "six.test", "loop.test", "LOOP.test."] {
        let answer = fetcher.feed(&feed(canary.url(host, "/")), NOW).await;
        assert_eq!(answer.outcome, Outcome::Refused(Refusal::Address), "{host}");
    }
    assert_eq!(canary.connections(), 0);
}

/// Answers with the allowed address and with loopback in turn, as a rebinding name server does.
struct Rebinding {
    good: IpAddr,
    bad: IpAddr,
    asked: Arc<AtomicUsize>,
}

impl Resolve for Rebinding {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Ok(vec![if turn.is_multiple_of(2) { self.good } else { self.bad }])))
    }
}

#[tokio::test]
async fn e5_the_address_checked_is_the_address_dialled() {
    // The good address stands for a public one; both servers share a port, so only the address tells them apart.
    let good = Server::start_at("127.0.0.2:0".parse().unwrap(), |_| {
        vec![Act::Send(ok("Connection: close\r\n", "good"))]
    })
    .await;
    let bad = SocketAddr::new(LOOPBACK, good.addr.port());
    let canary = Server::start_at(bad, |_| vec![Act::Send(ok("", "canary"))]).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let names = Rebinding { good: good.addr.ip(), bad: bad.ip(), asked: asked.clone() };
    let fetcher = fetcher(good.allow(), names);
    let (mut bodies, mut refusals) = (0, 0);
    for _ in 0..1_000 {
        let answer = fetcher.feed(&feed(good.url("rebind.test", "/")), NOW).await;
        match answer.outcome {
            Outcome::Body { bytes, .. } => {
                assert_eq!(bytes, "good");
                bodies += 1;
            }
            Outcome::Refused(Refusal::Address) => refusals += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(canary.connections(), 0);
    assert_eq!((bodies, refusals), (500, 500));
    assert_eq!(
        asked.load(Ordering::SeqCst),
        1_000,
        "every connection asked once, and dialled what it was told"
    );
}

#[tokio::test]
async fn e7_other_schemes_are_refused_at_the_fetch() {
    let fetcher = fetcher(AllowList::default(), TestNames { addr: LOOPBACK });
    for address in [
        "file:///etc/passwd",
        "gopher://x.test:70/_",
        "data:application/rss+xml,x",
        "unix:/var/run/docker.sock",
    ] {
        let answer = fetcher.feed(&feed(Url::parse(address).unwrap()), NOW).await;
        assert_eq!(answer.outcome, Outcome::Refused(Refusal::Scheme), "{address}");
    }
}

#[tokio::test]
async fn e8_our_own_door_is_refused_even_when_allowed() {
    let own = Server::saying(ok("", "ourselves")).await;
    let own_addresses = vec![own.addr.into(), "reader.test:8080".parse().unwrap()];
    let fetcher = Fetcher::new(FetchConfig { own_addresses, ..own.config() }).unwrap();
    for url in
        [own.url("127.0.0.1", "/"), own.url("any.test", "/"), Url::parse("http://reader.test:8080/").unwrap()]
    {
        let answer = fetcher.feed(&feed(url.clone()), NOW).await;
        assert_eq!(answer.outcome, Outcome::Refused(Refusal::Address), "{url}");
    }
    assert_eq!(own.connections(), 0);
}

#[tokio::test]
async fn e8_mail_and_database_ports_are_not_spoken_to() {
    let fetcher = fetcher(AllowList::default(), Names(HashMap::from([("host.test", vec![ip("1.2.3.4")])])));
    for port in [25, 6379, 5432] {
        let url = Url::parse(&format!("http://host.test:{port}/")).unwrap();
        assert_eq!(fetcher.feed(&feed(url), NOW).await.outcome, Outcome::Refused(Refusal::Port), "{port}");
    }
}

#[tokio::test]
async fn e16_an_allowed_host_and_port_may_be_private_and_nothing_beside_it() {
    let nas = Server::saying(ok("", "from the NAS")).await;
    let other = Server::saying(ok("", "something else on the NAS")).await;
    let names = || Names(HashMap::from([("nas.lan", vec![LOOPBACK]), ("other.lan", vec![LOOPBACK])]));
    let entry = format!("nas.lan:{}", nas.addr.port());
    let fetcher = fetcher(AllowList::parse([entry.as_str()]).unwrap(), names());
    let answer = fetcher.feed(&feed(nas.url("nas.lan", "/")), NOW).await;
    assert_eq!(body(&answer), (&b"from the NAS"[..], true));
    for url in [other.url("nas.lan", "/"), nas.url("other.lan", "/"), nas.url("127.0.0.1", "/")] {
        let answer = fetcher.feed(&feed(url.clone()), NOW).await;
        assert_eq!(answer.outcome, Outcome::Refused(Refusal::Address), "{url}");
    }
    assert_eq!(
        fetcher.feed(&feed(Url::parse("http://nas.lan:22/").unwrap()), NOW).await.outcome,
        Outcome::Refused(Refusal::Port)
    );
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn an_overlong_address_is_refused() {
    let fetcher = fetcher(AllowList::default(), TestNames { addr: LOOPBACK });
    let url = Url::parse(&format!("http://a.test/{}", "x".repeat(Limits::default().url_bytes_max))).unwrap();
    assert_eq!(fetcher.feed(&feed(url), NOW).await.outcome, Outcome::Refused(Refusal::TooLong));
}

/// Set in the child process of the next test; says where its server is.
const CHILD: &str = "WELLREAD_FETCH_TEST_TARGET";

#[tokio::test]
async fn e15_environment_proxies_are_not_used() {
    // A process cannot set its own environment safely, so the test runs itself again with proxies set.
    if let Ok(target) = std::env::var(CHILD) {
        let addr: SocketAddr = target.parse().unwrap();
        let allow = AllowList::parse([format!("{}/32:{}", addr.ip(), addr.port()).as_str()]).unwrap();
        let fetcher = fetcher(allow, TestNames { addr: addr.ip() });
        let url = Url::parse(&format!("http://target.test:{}/", addr.port())).unwrap();
        let answer = fetcher.feed(&feed(url), NOW).await;
        assert_eq!(body(&answer), (&b"direct"[..], true));
        return;
    }
    let target = Server::saying(ok("", "direct")).await;
    let proxy = Server::saying(ok("", "by proxy")).await;
    let at = format!("http://{}", proxy.addr);
    let status = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "doors::e15_environment_proxies_are_not_used"])
        .env(CHILD, target.addr.to_string())
        .envs(
            ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
                .map(|name| (name, at.as_str())),
        )
        .stdout(std::process::Stdio::null())
        .status()
        .await
        .unwrap();
    assert!(status.success());
    assert_eq!((proxy.connections(), target.seen().len()), (0, 1));
}
