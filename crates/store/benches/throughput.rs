//! How many polls per second the store takes: with ten new items each, and unchanged.
//!
//! `cargo bench -p store --bench throughput [-- FEEDS]`. SQLite with `synchronous=FULL` in a temporary folder, and
//! PostgreSQL when `WELLREAD_TEST_POSTGRES` names a server. Sixty-four polls are under way at a time, as in `work`.

use domain::{
    DocumentItem, FeedFacts, FeedState, Identity, NewSubscription, PollOutcome, PollRecord, Reason, Schedule,
    Secret, Timestamp,
};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{ItemKind, ItemWrite, LeasedFeed, Place, PollCommit, Store, StoreConfig, Wish};
use tokio::sync::Semaphore;

const LEASE: Duration = Duration::from_secs(60);

fn main() {
    let feeds = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(4_000);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("runs");
    runtime.block_on(async {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let sqlite = StoreConfig::new(Place::Sqlite(dir.path().join("bench.db")));
        measure("sqlite full", &sqlite, feeds).await;
        if let Some(postgres) = postgres().await {
            measure("postgresql", &postgres, feeds).await;
        }
    });
}

async fn postgres() -> Option<StoreConfig> {
    use sqlx::Connection;
    let server = std::env::var("WELLREAD_TEST_POSTGRES").ok()?;
    let mut connection = sqlx::PgConnection::connect(&server).await.expect("connects");
    let make = "DROP SCHEMA IF EXISTS bench CASCADE; CREATE SCHEMA bench";
    sqlx::raw_sql(make).execute(&mut connection).await.expect("a schema");
    let url = format!("{server}?options=-c%20search_path%3Dbench");
    Some(StoreConfig { readers: 8, ..StoreConfig::new(Place::Postgres(Secret::new(url))) })
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_700_000_000 + seconds)
}

async fn measure(name: &str, config: &StoreConfig, feeds: usize) {
    let store = Store::open(config, at(0)).await.expect("opens");
    let user = store.add_user("bench", None, true, at(0)).await.expect("a user");
    let wish = |n: usize| Wish {
        subscription: NewSubscription {
            url: format!("https://f{n:05}.test/feed"),
            title: None,
            site_url: None,
            folder: vec![],
        },
        provider: format!("f{n:05}.test"),
        private: false,
        sealed: None,
    };
    let wishes: Vec<Wish> = (0..feeds).map(wish).collect();
    let (started, cpu) = (Instant::now(), cpu_s());
    store.subscribe_many(user, &wishes, Duration::ZERO, at(0)).await.expect("subscribes");
    report(name, "subscribed", feeds, started.elapsed(), cpu_s() - cpu);
    for (what, now, items) in
        [("cold, 10 items", 1, 10), ("unchanged", 10_000, 0), ("unchanged again", 20_000, 0)]
    {
        let (started, cpu) = (Instant::now(), cpu_s());
        let (polled, packing) = poll_all(&store, at(now), items).await;
        let (elapsed, cpu) = (started.elapsed(), cpu_s() - cpu);
        assert_eq!(polled, feeds, "every feed is polled once");
        report(name, what, feeds, elapsed, cpu);
        if items > 0 {
            println!(
                "{name:12} {:22} {:8.1} µs per poll of that is packing (on the callers)",
                "",
                packing / feeds as f64
            );
        }
    }
    store.close().await;
}

/// Polls whatever is due, sixty-four at a time; returns how many and the microseconds spent packing.
async fn poll_all(store: &Store, now: Timestamp, items: u64) -> (usize, f64) {
    let slots = Arc::new(Semaphore::new(64));
    let mut running = Vec::new();
    loop {
        let leased = store.lease_due(now, 256, LEASE, Duration::from_secs(2), "bench").await.expect("leases");
        if leased.is_empty() {
            break;
        }
        for leased in leased {
            let slot = slots.clone().acquire_owned().await.expect("open");
            let store = store.clone();
            running.push(tokio::spawn(async move {
                let packing = Instant::now();
                let commit = commit(&leased, now, items);
                let packing = packing.elapsed();
                let done = store.commit_poll(commit).await.expect("commits");
                assert!(done.accepted && done.new_items.len() as u64 == items);
                drop(slot);
                packing
            }));
        }
    }
    let (polled, mut packing) = (running.len(), Duration::ZERO);
    for task in running {
        packing += task.await.expect("runs");
    }
    (polled, packing.as_secs_f64() * 1e6)
}

fn commit(leased: &LeasedFeed, now: Timestamp, items: u64) -> PollCommit {
    let item = |n: u64| {
        let number = leased.lease.feed.0 as u64 * 1_000 + n;
        let item = DocumentItem {
            identity: Identity(u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_0c12_57ea_9d11)),
            twin: Some(Identity(u128::from(number).wrapping_mul(0xd1b5_4a32_d192_ed03_aaaa_5555_1234_9877))),
            guid: None,
            title: Some(format!("An item of middling length about subject {number}")),
            link: Some(format!("https://f{number}.test/archive/2026/{number}.html")),
            author: Some("A. Writer".into()),
            published: Some(now),
            updated: None,
            summary: None,
            content: Some(prose(number)),
            language: None,
            tags: vec!["subject".into(), "writing".into()],
            enclosures: vec![],
            content_hash: number,
        };
        ItemWrite::new(&item, ItemKind::New { sort_at: now, unread: true }, domain::Preview::default())
    };
    let fresh = items > 0;
    PollCommit {
        lease: leased.lease,
        record: PollRecord {
            feed: leased.lease.feed,
            started_at: now,
            finished_at: now,
            outcome: if fresh { PollOutcome::Fresh } else { PollOutcome::Unchanged },
            http_status: Some(if fresh { 200 } else { 304 }),
            wire_bytes: 20_000,
            items_seen: items as u32,
            items_new: items as u32,
            items_changed: 0,
            error: None,
        },
        schedule: Schedule {
            next_poll_at: now.saturating_add(Duration::from_secs(3_600)),
            reason: Reason::OwnFloor { minutes: 60 },
            last_poll_at: Some(now),
            ..leased.schedule.clone()
        },
        found: domain::Found::default(),
        floor: Duration::from_secs(3_600),
        facts: fresh.then(|| FeedFacts { title: Some("A feed".into()), ..FeedFacts::default() }),
        items: (0..items).map(item).collect(),
        effects: Vec::new(),
        provider_free_at: now.saturating_add(Duration::from_secs(2)),
        provider_blocked_until: None,
        adopt_url: None,
        state: FeedState::Active,
        wake: false,
    }
}

/// Some two kilobytes of words, different for every item.
fn prose(seed: u64) -> String {
    const WORDS: [&str; 16] = [
        "river", "signal", "quiet", "council", "winter", "market", "engine", "garden", "reading", "station",
        "copper", "letter", "island", "method", "number", "window",
    ];
    let mut state = seed;
    let mut text = String::from("<p>");
    while text.len() < 2_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(WORDS[(state >> 60) as usize]);
        text.push(if state & 0xff00 == 0 { '.' } else { ' ' });
    }
    text + "</p>"
}

fn report(name: &str, what: &str, feeds: usize, elapsed: Duration, cpu_s: f64) {
    let rate = feeds as f64 / elapsed.as_secs_f64();
    let cpu_us = cpu_s * 1e6 / feeds as f64;
    println!(
        "{name:12} {what:22} {:8.2} s {rate:10.0} feeds/s {cpu_us:8.0} µs CPU each",
        elapsed.as_secs_f64()
    );
}

/// Processor time this process has used, where the system tells (100 ticks a second on Linux); else 0.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}
