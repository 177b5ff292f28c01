//! kill -9 at random while a real process polls a real farm and a person clicks: nothing lost, nothing doubled, no
//! click forgotten, no poll too early.
//!
//! The child is this very test binary, started again. Time runs 600 times faster for child and farm alike, so that
//! floors of an hour are met every few seconds. The suite kills 25 times on SQLite and 25 times on PostgreSQL;
//! `KILLS=1000 cargo test -p work --test it kill -- --nocapture` is the long run on both.

use crate::postgres::Schema;
use domain::{FeedId, ItemId, Limits, NewSubscription, PollOutcome, Secret, Timestamp, UserId};
use farm::{Farm, FarmConfig, Rules, ViolationKind, World, score};
use fetch::{AllowList, FetchConfig, Fetcher, Resolver, TestNames};
use futures_util::future::BoxFuture;
use plan::Policy;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use store::{Cursor, ListQuery, ListRow, Mark, Order, Place, Scope, Store, StoreConfig, Wish};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use url::Url;
use work::{Clock, CrawlSettings, Crawler, SystemClock};

const SPEED: i64 = 600;
const FEEDS: usize = 60;
const ITEMS: usize = 20;
const DAY: Duration = Duration::from_secs(86_400);
const HOUR: Duration = Duration::from_secs(3600);
const CHILD: &str = "WELLREAD_KILL_CHILD";

/// Wall time, 600 times faster, counted from `since`.
#[derive(Clone, Copy)]
struct FastClock {
    since: Timestamp,
}

impl Clock for FastClock {
    fn now(&self) -> Timestamp {
        let passed = SystemClock.now().micros() - self.since.micros();
        Timestamp::from_micros(self.since.micros() + passed * SPEED)
    }

    fn sleep_until(&self, until: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(until.since(self.now()) / u32::try_from(SPEED).unwrap()))
    }
}

fn world(since: Timestamp) -> World {
    let config = FarmConfig {
        lively: true,
        items_per_document: ITEMS,
        ..FarmConfig::new(5, FEEDS, since.saturating_sub(40 * DAY))
    };
    World::new(config)
}

#[test]
fn kill_dash_nine_loses_nothing_doubles_nothing_and_polls_nothing_early_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    kill_loop(&runtime(), folder.path().join("kill.sqlite3").to_str().unwrap());
}

#[test]
fn kill_dash_nine_loses_nothing_doubles_nothing_and_polls_nothing_early_on_postgresql() {
    let runtime = runtime();
    let Some(schema) = runtime.block_on(Schema::new("kill")) else { return };
    kill_loop(&runtime, &schema.address());
    runtime.block_on(schema.remove());
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn kill_loop(runtime: &Runtime, place: &str) {
    let kills = std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(25);
    let since = SystemClock.now();
    let clock = FastClock { since };
    let world = Arc::new(world(since));
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let farm =
        runtime.block_on(Farm::start(Arc::clone(&world), Arc::new(move || clock.now()), listen)).unwrap();
    runtime.block_on(async {
        let store = open(place, clock.now()).await;
        let user = store.add_user("mira", None, false, clock.now()).await.unwrap();
        for index in 0..FEEDS {
            subscribe(&store, user, &world.feed_url(index).unwrap(), clock.now()).await;
        }
        store.close().await;
    });

    let mut dice = Pcg64Mcg::seed_from_u64(9);
    let mut clicks = Clicks::default();
    for kill in 0..kills {
        let life = Duration::from_millis(dice.random_range(50..1500));
        clicks.extend(live_and_die(place, since, farm.addr().port(), kill, life));
    }
    runtime.block_on(async {
        let store = open(place, clock.now()).await;
        assert_eq!(store.integrity_check().await.unwrap(), Vec::<String>::new());
        check(&store, &world, &clicks).await;
        store.close().await;
    });
    check_floors(&farm);
    println!(
        "{kills} kills, {} requests, {} clicks kept",
        farm.log().len(),
        clicks.read.len() + clicks.starred.len()
    );
    assert!(farm.log().len() > FEEDS, "the children polled");
    assert!(!clicks.starred.is_empty() && !clicks.read.is_empty(), "the children clicked");
}

#[derive(Default)]
struct Clicks {
    read: BTreeSet<i64>,
    starred: BTreeSet<i64>,
}

impl Clicks {
    fn extend(&mut self, lines: Vec<String>) {
        for line in lines {
            match line.split_once(' ') {
                Some(("read", id)) => drop(self.read.insert(id.parse().unwrap())),
                Some(("star", id)) => drop(self.starred.insert(id.parse().unwrap())),
                _ => {}
            }
        }
    }
}

/// Starts a child, kills it after `life`, and answers the clicks it was promised.
fn live_and_die(place: &str, since: Timestamp, port: u16, seed: u64, life: Duration) -> Vec<String> {
    let argument = format!("{}|{port}|{seed}|{place}", since.micros());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["kill::the_child", "--exact", "--nocapture"])
        .env(CHILD, argument)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = child.stdout.take().unwrap();
    let reading = std::thread::spawn(move || {
        let mut lines = Vec::new();
        let mut reader = BufReader::new(stdout);
        let mut line = String::new();
        // Only whole lines count: a line is written after the store answered.
        while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
            if line.ends_with('\n') {
                lines.push(line.trim_end().to_owned());
            }
            line.clear();
        }
        lines
    });
    std::thread::sleep(life);
    child.kill().unwrap();
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), None, "the child works until it is killed: {ended}");
    reading.join().unwrap()
}

/// Not a test of its own: the process that gets killed.
#[test]
fn the_child() {
    let Ok(argument) = std::env::var(CHILD) else { return };
    let parts: Vec<_> = argument.splitn(4, '|').collect();
    let since = Timestamp::from_micros(parts[0].parse().unwrap());
    let (port, seed) = (parts[1].parse().unwrap(), parts[2].parse().unwrap());
    runtime().block_on(async {
        let clock = FastClock { since };
        let store = open(parts[3], clock.now()).await;
        let user = store.user_by_name("mira").await.unwrap().unwrap().id;
        tokio::spawn(crawler(&store, clock, port, seed).run(CancellationToken::new()));
        click_forever(&store, user, clock, seed).await;
    });
}

async fn click_forever(store: &Store, user: UserId, clock: FastClock, seed: u64) {
    let mut dice = Pcg64Mcg::seed_from_u64(seed);
    loop {
        let query = ListQuery {
            scope: Scope::All,
            unread_only: true,
            order: Order::NewestFirst,
            limit: 50,
            after: None,
        };
        let rows = store.list(user, &query).await.unwrap();
        if rows.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        }
        let id = rows[dice.random_range(0..rows.len())].item.id;
        let (mark, word) = if dice.random_bool(0.5) { (Mark::Read, "read") } else { (Mark::Star, "star") };
        store.mark(user, &[id], &mark, clock.now()).await.unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "{word} {id}").unwrap();
        out.flush().unwrap();
    }
}

fn crawler(store: &Store, clock: FastClock, port: u16, seed: u64) -> Arc<Crawler<Fetcher, FastClock>> {
    let addr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let fetcher = Fetcher::new(FetchConfig {
        limits: Limits::default(),
        allow: AllowList::parse([format!("{addr}/32:{port}").as_str()]).unwrap(),
        own_addresses: Vec::new(),
        contact: None,
        version: "0",
        resolver: Resolver::Injected(Arc::new(TestNames { addr })),
        ..FetchConfig::default()
    })
    .unwrap();
    // A lease must outlast a fetch, and 90 fast seconds are a sixth of a real one.
    let settings = CrawlSettings { lease_for: 2 * HOUR, seed, ..CrawlSettings::default() };
    Arc::new(Crawler::new(
        store.clone(),
        Arc::new(fetcher),
        Arc::new(clock),
        Policy::default(),
        Limits::default(),
        settings,
        None,
    ))
}

/// An address of PostgreSQL, or the file of a SQLite.
async fn open(place: &str, now: Timestamp) -> Store {
    let place = if place.starts_with("postgres:") {
        Place::Postgres(Secret::new(place))
    } else {
        Place::Sqlite(place.into())
    };
    // More than usual for PostgreSQL, so that who clicks does not wait behind 64 polls until the store gives up.
    Store::open(&StoreConfig { readers: 8, ..StoreConfig::new(place) }, now).await.unwrap()
}

async fn subscribe(store: &Store, user: UserId, url: &str, now: Timestamp) -> FeedId {
    let wish = Wish {
        provider: fetch::provider(&Url::parse(url).unwrap()),
        subscription: NewSubscription { url: url.to_owned(), title: None, site_url: None, folder: vec![] },
        private: false,
        sealed: None,
    };
    store.subscribe(user, &wish, now, now).await.unwrap().feed
}

async fn check(store: &Store, world: &World, clicks: &Clicks) {
    let user = store.user_by_name("mira").await.unwrap().unwrap().id;
    let rows = all_rows(store, user).await;
    let links: Vec<_> = rows.iter().filter_map(|row| row.item.link.clone()).collect();
    let distinct: BTreeSet<_> = links.iter().cloned().collect();
    // Stories elsewhere are linked by several posts; a feed's own pages are one post each.
    let own: Vec<_> = links.iter().filter(|link| !link.contains("//wire.test")).collect();
    assert_eq!(own.len(), own.iter().collect::<BTreeSet<_>>().len(), "nothing doubled");
    let state = |id: i64| rows.iter().find(|row| row.item.id == ItemId(id)).unwrap();
    for id in &clicks.read {
        assert!(state(*id).is_read, "item {id} was acknowledged as read");
    }
    for id in &clicks.starred {
        assert!(state(*id).is_starred, "item {id} was acknowledged as starred");
    }
    for index in 0..FEEDS {
        let url = world.feed_url(index).unwrap();
        let feed = store.feed_by_url(&url, None).await.unwrap().unwrap().id;
        for (_, poll) in store.polls(feed, 1000, None).await.unwrap() {
            if poll.outcome != PollOutcome::Fresh {
                continue;
            }
            // The document was made at some moment of the poll, and time is fast: what was posted meanwhile may have
            // pushed the oldest items out of it.
            let from = poll.started_at.saturating_sub(60 * DAY);
            let posted = world.items_between(index, from, poll.finished_at);
            let newest = posted.iter().rev().take(poll.items_seen as usize);
            for item in newest.filter(|item| item.at <= poll.started_at) {
                assert!(
                    distinct.contains(&item.link),
                    "{url}: {} was seen at {} and is lost",
                    item.link,
                    poll.started_at
                );
            }
        }
    }
}

async fn all_rows(store: &Store, user: UserId) -> Vec<ListRow> {
    let mut rows: Vec<ListRow> = Vec::new();
    loop {
        let after = rows.last().map(|row| Cursor { sort_at: row.item.sort_at, id: row.item.id });
        let query = ListQuery {
            scope: Scope::All,
            unread_only: false,
            order: Order::NewestFirst,
            limit: 1000,
            after,
        };
        let page = store.list(user, &query).await.unwrap();
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

fn check_floors(farm: &Farm) {
    // Fifteen minutes less the time a request may take to arrive, which is long when time is fast.
    let rules = Rules {
        floor: &|_| Duration::from_secs(13 * 60),
        host_spacing: Duration::ZERO,
        reset_every: Some(DAY),
        ..Rules::default()
    };
    let early: Vec<_> = score(&farm.log().entries(), &rules)
        .into_iter()
        .filter(|violation| matches!(violation.kind, ViolationKind::TooSoon | ViolationKind::RetryIgnored))
        .collect();
    assert!(early.is_empty(), "{early:#?}");
}
