//! Pages while everything is learned and indexed from the beginning: page p99 ≤ 2 × idle.
//!
//! `cargo bench -p wellread --bench learning [-- ITEMS]`, default 100,000 items in 1,000 feeds. The real server as a process
//! of its own, over real sockets, twice on the same data: first with the role `web` alone and its index whole, then with
//! no index and nothing learned, all roles, while both are made.

#![allow(clippy::unwrap_used, reason = "a benchmark ends where something fails")]

use domain::{
    DocumentItem, FeedFacts, FeedId, FeedState, Found, Identity, NewSubscription, PollOutcome, PollRecord,
    Preview, Reason, Schedule, Timestamp, UserId,
};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use store::{ItemKind, ItemWrite, Place, PollCommit, Store, StoreConfig, Wish};

const FEEDS: usize = 1_000;
const ROUNDS: usize = 300;
const PAGES: [&str; 4] = ["/newest", "/unread", "/feeds", "/settings"];
const PASSWORD: &str = "a long enough password";
const LEASE: Duration = Duration::from_secs(60);

fn main() {
    let items = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(100_000);
    let folder = tempfile::tempdir().unwrap();
    let mut add = wellread(folder.path())
        .args(["user", "add", "mira", "--password-stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    add.stdin.take().unwrap().write_all(PASSWORD.as_bytes()).unwrap();
    assert!(add.wait().unwrap().success());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let begun = Instant::now();
    runtime.block_on(fill(&folder.path().join("data/wellread.sqlite3"), items));
    println!("{items} items in {FEEDS} feeds, stored in {:.0} s", begun.elapsed().as_secs_f64());
    let search = folder.path().join("data/search");

    let server = Server::start(folder.path(), "web");
    let begun = Instant::now();
    wait_until_settled(&search, Duration::from_secs(6));
    println!("the index was built in some {:.0} s", begun.elapsed().as_secs_f64() - 6.0);
    let idle = server.measure("idle");
    drop(server);

    std::fs::remove_dir_all(&search).unwrap();
    let server = Server::start(folder.path(), "web,learn");
    let busy = server.measure("while learning and indexing");
    let still = !is_settled(&search, Duration::from_secs(3));
    println!("the work was {} when the measurement ended", if still { "going on" } else { "done already" });
    for (path, (idle, busy)) in PAGES.iter().zip(idle.into_iter().zip(busy)) {
        println!("{path:<12} p99 busy / idle {:.2}", busy / idle);
    }
}

/// Whether no file of the index changed for a while.
fn is_settled(folder: &Path, quiet: Duration) -> bool {
    let state = |folder: &Path| {
        let mut seen = Vec::new();
        for part in ["items/current", "channels/current"] {
            for entry in std::fs::read_dir(folder.join(part)).into_iter().flatten().flatten() {
                seen.push((entry.path(), entry.metadata().map(|meta| meta.len()).unwrap_or(0)));
            }
        }
        seen.sort();
        seen
    };
    let before = state(folder);
    std::thread::sleep(quiet);
    !before.is_empty() && state(folder) == before
}

fn wait_until_settled(folder: &Path, quiet: Duration) {
    while !is_settled(folder, quiet) {}
}

fn wellread(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wellread"));
    command.env_clear().env("HOME", folder).env("WELLREAD_DATA_DIR", folder.join("data"));
    command
}

/// The real thing, killed when it is no longer needed.
struct Server {
    child: Child,
    host: String,
    cookie: String,
}

impl Server {
    fn start(folder: &Path, roles: &str) -> Server {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let host = format!("127.0.0.1:{free}");
        let begun = Instant::now();
        let child = wellread(folder)
            .args(["serve", "--listen", &host, "--roles", roles])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Server { child, host, cookie: String::new() };
        while TcpStream::connect(&server.host).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the server does not answer");
            std::thread::sleep(Duration::from_millis(5));
        }
        println!("start-up {:.0} ms", begun.elapsed().as_secs_f64() * 1e3);
        let form = format!("name=mira&password={}", PASSWORD.replace(' ', "+"));
        let answer = server.send(&format!(
            "POST /login HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            form.len(),
            host = server.host,
        ));
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        server.cookie = cookie.split(';').next().unwrap().to_owned();
        server
    }

    /// The p99 of each page, in milliseconds; the pages take turns, so that all see the same work.
    fn measure(&self, when: &str) -> Vec<f64> {
        let mut times = vec![Vec::with_capacity(ROUNDS); PAGES.len()];
        for _ in 0..ROUNDS {
            for (path, times) in PAGES.iter().zip(&mut times) {
                let begun = Instant::now();
                let answer = self.ask(path);
                times.push(begun.elapsed());
                assert!(
                    answer.starts_with("HTTP/1.1 200"),
                    "{path}: {}",
                    answer.lines().next().unwrap_or("")
                );
            }
        }
        println!("{when}:");
        let p99 = |(path, mut times): (&&str, Vec<Duration>)| {
            times.sort_unstable();
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
            println!(
                "{path:<12} p50 {:>7.2} ms   p99 {:>7.2} ms   max {:>7.2} ms",
                at(0.5),
                at(0.99),
                at(1.0)
            );
            at(0.99)
        };
        PAGES.iter().zip(times).map(p99).collect()
    }

    fn ask(&self, path: &str) -> String {
        let (host, cookie) = (&self.host, &self.cookie);
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ))
    }

    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn fill(path: &Path, items: usize) {
    let config = StoreConfig { durable: false, ..StoreConfig::new(Place::Sqlite(path.to_owned())) };
    let store = Store::open(&config, now()).await.unwrap();
    let user: UserId = store.user_by_name("mira").await.unwrap().unwrap().id;
    let wishes: Vec<Wish> = (0..FEEDS).map(wish).collect();
    let done = store.subscribe_many(user, &wishes, Duration::ZERO, now()).await.unwrap();
    for (number, subscribed) in done.iter().enumerate() {
        poll(&store, subscribed.feed, number, items / FEEDS).await;
    }
    store.close().await;
}

fn wish(number: usize) -> Wish {
    let url = format!("https://f{number:05}.test/feed");
    Wish {
        subscription: NewSubscription { url, title: None, site_url: None, folder: vec![] },
        provider: format!("f{number:05}.test"),
        private: false,
        sealed: None,
    }
}

async fn poll(store: &Store, feed: FeedId, number: usize, items: usize) {
    let leased = store.lease_feed(feed, now(), LEASE, Duration::ZERO, "bench").await.unwrap().unwrap();
    let schedule = Schedule {
        next_poll_at: Timestamp::FAR_FUTURE,
        reason: Reason::OwnFloor { minutes: 60 },
        last_poll_at: Some(now()),
        ..leased.schedule.clone()
    };
    let record = PollRecord {
        feed,
        started_at: now(),
        finished_at: now(),
        outcome: PollOutcome::Fresh,
        http_status: Some(200),
        wire_bytes: 10_000,
        items_seen: 0,
        items_new: 0,
        items_changed: 0,
        error: None,
    };
    let commit = PollCommit {
        lease: leased.lease,
        record,
        schedule,
        found: Found::default(),
        floor: Duration::from_secs(3_600),
        facts: Some(FeedFacts { title: Some(format!("Feed {number}")), ..FeedFacts::default() }),
        items: (0..items).map(|item| write(number, item)).collect(),
        effects: vec![],
        provider_free_at: now(),
        provider_blocked_until: None,
        adopt_url: None,
        state: FeedState::Active,
        wake: false,
    };
    store.commit_poll(commit).await.unwrap();
}

/// Some 200 words of which each feed has its own.
fn write(feed: usize, item: usize) -> ItemWrite {
    const WORDS: [&str; 16] = [
        "tide", "harbour", "clerk", "barrier", "orchard", "hive", "rocket", "orbit", "bread", "oven",
        "ferry", "council", "bridge", "garden", "chess", "lantern",
    ];
    let mut seed = (feed * 7_919 + item * 104_729) as u64;
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = (seed >> 33) as usize;
        match pick % 3 {
            0 => WORDS[(feed + pick) % 4 + feed % 13].to_owned(),
            1 => WORDS[pick % WORDS.len()].to_owned(),
            _ => format!("word{}", pick % 20_000),
        }
    };
    let text: Vec<String> = (0..200).map(|_| word()).collect();
    let identity =
        Identity(((feed as u128) << 64 | item as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_0c9b));
    let at = Timestamp::from_seconds(
        now().seconds() - i64::try_from((feed * 31 + item * 8_011) % 7_000_000).unwrap(),
    );
    let document = DocumentItem {
        identity,
        twin: None,
        guid: None,
        title: Some(text[..8].join(" ")),
        link: Some(format!("https://f{feed:05}.test/articles/{item}")),
        author: None,
        published: Some(at),
        updated: None,
        summary: None,
        content: Some(format!("<p>{}</p>", text.join(" "))),
        language: Some("en".into()),
        tags: vec![],
        enclosures: vec![],
        content_hash: item as u64,
    };
    ItemWrite::new(&document, ItemKind::New { sort_at: at, unread: true }, Preview::default())
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp::EPOCH.saturating_add(since)
}
