//! TLS and HTTP/2, with certificates made for the occasion.

use crate::server::*;
use fetch::{AllowList, Answer, Failure, FetchConfig, Fetcher, Outcome, Refusal, Warning};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use url::Url;

type Tls = StreamOwned<ServerConnection, TcpStream>;

/// A server with a certificate for `name`; each connection is handed to `play` on its own thread.
struct Secure {
    port: u16,
    root: Vec<u8>,
    connections: Arc<AtomicUsize>,
    heads: Arc<Mutex<Vec<String>>>,
}

struct Paper {
    name: &'static str,
    valid_until_year: i32,
    protocol: &'static [u8],
}

const GOOD: Paper = Paper { name: "a.test", valid_until_year: 2090, protocol: b"http/1.1" };

impl Secure {
    fn start(paper: Paper, play: impl Fn(&mut Tls, &str) + Send + Sync + 'static) -> Secure {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let mut leaf = CertificateParams::new(vec![paper.name.to_owned()]).unwrap();
        leaf.not_before = date_time_ymd(2000, 1, 1);
        leaf.not_after = date_time_ymd(paper.valid_until_year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let leaf = leaf.signed_by(&key, &authority).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config =
            ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(vec![leaf.der().clone()], key)
                .unwrap();
        config.alpn_protocols = vec![paper.protocol.to_vec()];
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Secure {
            port: listener.local_addr().unwrap().port(),
            root: authority.as_ref().der().to_vec(),
            connections: Arc::default(),
            heads: Arc::default(),
        };
        let (connections, heads) = (server.connections.clone(), server.heads.clone());
        let (config, play) = (Arc::new(config), Arc::new(play));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                connections.fetch_add(1, Ordering::SeqCst);
                let (config, play, heads) = (config.clone(), play.clone(), heads.clone());
                std::thread::spawn(move || {
                    let mut tls = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
                    let head = if paper.protocol == b"h2" { String::new() } else { read_head(&mut tls) };
                    heads.lock().unwrap().push(head.clone());
                    play(&mut tls, &head);
                    tls.conn.send_close_notify();
                    let _ = tls.flush();
                });
            }
        });
        server
    }

    async fn fetch(&self, host: &str, request: fn(Url) -> fetch::FeedRequest, extra: &[&str]) -> Answer {
        let entry = format!("127.0.0.1/32:{}", self.port);
        let allow = AllowList::parse(extra.iter().copied().chain([entry.as_str()])).unwrap();
        let resolver = fetch::Resolver::Injected(Arc::new(fetch::TestNames { addr: LOOPBACK }));
        let config =
            FetchConfig { allow, resolver, extra_roots: vec![self.root.clone()], ..FetchConfig::default() };
        let url = Url::parse(&format!("https://{host}:{}/", self.port)).unwrap();
        Fetcher::new(config).unwrap().feed(&request(url), NOW).await
    }
}

fn read_head(tls: &mut Tls) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && tls.read(&mut byte).is_ok_and(|read| read == 1) {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

fn say(answer: Vec<u8>) -> impl Fn(&mut Tls, &str) + Send + Sync {
    move |tls, _| {
        let _ = tls.write_all(&answer);
    }
}

#[tokio::test]
async fn a_good_certificate_is_accepted() {
    let server = Secure::start(GOOD, say(ok("Connection: close\r\n", "feed")));
    assert_eq!(body(&server.fetch("a.test", feed, &[]).await), (&b"feed"[..], true));
}

#[tokio::test]
async fn b8_bad_certificates_fail_without_a_request() {
    let expired = Secure::start(Paper { valid_until_year: 2010, ..GOOD }, say(ok("", "feed")));
    let wrong_host = Secure::start(Paper { name: "b.test", ..GOOD }, say(ok("", "feed")));
    let mut stranger = Secure::start(GOOD, say(ok("", "feed")));
    stranger.root = expired.root.clone();
    for (server, words) in
        [(expired, "has expired"), (wrong_host, "another name"), (stranger, "nobody we know")]
    {
        let answer = server.fetch("a.test", feed, &[]).await;
        let Outcome::Failed(failure @ Failure::Tls(_)) = &answer.outcome else {
            panic!("{:?}", answer.outcome)
        };
        assert!(failure.to_string().contains(words), "{failure}");
        assert!(!failure.is_ours_maybe());
        assert_eq!(server.connections.load(Ordering::SeqCst), 1, "one attempt");
        assert!(server.heads.lock().unwrap().iter().all(String::is_empty), "no request was sent");
    }
}

#[tokio::test]
async fn e12_a_downgrade_is_refused_with_credentials_and_said_without() {
    let plain = Server::saying(ok("", "feed")).await;
    let to = plain.url("a.test", "/plain").to_string();
    let server = Secure::start(GOOD, say(redirect("302 Found", &to)));
    let entry = format!("127.0.0.1/32:{}", plain.addr.port());
    let answer = server.fetch("a.test", with_secrets, &[&entry]).await;
    assert_eq!(answer.outcome, Outcome::Refused(Refusal::Downgrade));
    assert_eq!(plain.connections(), 0);
    let answer = server.fetch("a.test", feed, &[&entry]).await;
    assert_eq!(body(&answer), (&b"feed"[..], true));
    assert_eq!(answer.warnings, [Warning::Downgrade { to }]);
    assert_eq!(plain.seen().len(), 1);
}

/// An HTTP/2 frame: length, type, flags, stream, payload.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `:status: 200` in the static table (RFC 7541, appendix A).
const STATUS_200: u8 = 0x88;

/// Settings, then `frames`, then waits for the client to leave.
fn speak_http2(frames: Vec<Vec<u8>>) -> impl Fn(&mut Tls, &str) + Send + Sync {
    move |tls, _| {
        let mut begin = [0; 24];
        let _ = tls.read_exact(&mut begin);
        let _ = tls.write_all(&frame(SETTINGS, 0, 0, &[]));
        for frame in &frames {
            let _ = tls.write_all(frame);
        }
        let _ = tls.flush();
        let mut rest = [0; 1024];
        while tls.read(&mut rest).is_ok_and(|read| read > 0) {}
    }
}

async fn over_http2(frames: Vec<Vec<u8>>) -> (Outcome, usize) {
    let server = Secure::start(Paper { protocol: b"h2", ..GOOD }, speak_http2(frames));
    let outcome = server.fetch("a.test", feed, &[]).await.outcome;
    (outcome, server.connections.load(Ordering::SeqCst))
}

#[tokio::test]
async fn http2_is_spoken_where_offered() {
    let (outcome, _) =
        over_http2(vec![frame(HEADERS, END_HEADERS, 1, &[STATUS_200]), frame(DATA, END_STREAM, 1, b"feed")])
            .await;
    assert!(
        matches!(&outcome, Outcome::Body { bytes, complete: true, .. } if bytes == "feed"),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn b8_http2_abuse_fails_once_and_is_not_tried_again() {
    let goaway = frame(GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 0]);
    let refused = frame(RESET, 0, 1, &7u32.to_be_bytes());
    let mut headers_without_end = vec![frame(HEADERS, 0, 1, &[STATUS_200])];
    // Continuation frames without end: a literal header again and again.
    let literal = [&[0x00, 1, b'a', 127, 0x81, 0x01][..], &[b'x'; 256]].concat();
    headers_without_end.extend((0..2_000).map(|_| frame(CONTINUATION, 0, 1, &literal)));
    for (what, frames) in [
        ("goaway", vec![goaway]),
        ("refused stream", vec![refused]),
        ("endless headers", headers_without_end),
        ("data before headers", vec![frame(DATA, 0, 1, b"x")]),
        ("unknown stream", vec![frame(HEADERS, END_HEADERS, 2, &[STATUS_200])]),
        ("settings of odd length", vec![frame(SETTINGS, 0, 0, &[1])]),
    ] {
        let (outcome, connections) = over_http2(frames).await;
        assert!(matches!(outcome, Outcome::Failed(_)), "{what}: {outcome:?}");
        assert_eq!(connections, 1, "{what}");
    }
    let cut = vec![
        frame(HEADERS, END_HEADERS, 1, &[STATUS_200]),
        frame(DATA, 0, 1, b"half"),
        frame(RESET, 0, 1, &2u32.to_be_bytes()),
    ];
    let (outcome, _) = over_http2(cut).await;
    assert!(
        matches!(&outcome, Outcome::Body { bytes, complete: false, .. } if bytes == "half"),
        "{outcome:?}"
    );
}
