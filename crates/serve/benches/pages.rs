//! How long pages and clicks take on a full server while polls go on: the bars of the reading interface.
//!
//! `cargo bench -p serve --bench pages [-- ITEMS]`, default 1,000,000 items on 10,000 feeds for 50 people, SQLite with
//! `synchronous=FULL` in a temporary folder (`TMPDIR` says where), then PostgreSQL when `WELLREAD_TEST_POSTGRES` names
//! a server. Server time: the whole router with its layers, without a socket. The disk's own fsync is printed beside.

#![allow(clippy::unwrap_used, reason = "a benchmark ends where something fails")]

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use domain::interaction::{Interaction, InteractionKind};
use domain::{
    DocumentItem, FeedFacts, FeedId, FeedState, Identity, Limits, NewSubscription, PollOutcome, PollRecord,
    Preview, Reason, Schedule, Secret, Timestamp, UserId,
};
use fetch::{FetchConfig, Fetcher};
use learn::{Gathered, Summary, Topics, Weighted};
use serve::{
    App, BasePath, Candidate, Errand, Errands, FetcherFacts, Finder, Followed, Listeners, MediaKey, NotFound,
    Refreshed, SetupToken, router,
};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::{
    FullText, ItemKind, ItemTerms, ItemWrite, Learned, Model, Place, PollCommit, SecretKey, Store,
    StoreConfig, Wish,
};
use text::TermId;
use tower::ServiceExt;

const FEEDS: usize = 10_000;
const PEOPLE: usize = 50;
const FEEDS_EACH: usize = 300;
const POLLS_PER_SECOND: u64 = 25;
const ROUNDS: usize = 400;

fn main() {
    let items = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(1_000_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let dir = tempfile::tempdir().unwrap();
        fsync(dir.path());
        let sqlite = StoreConfig::new(Place::Sqlite(dir.path().join("bench.db")));
        measure("sqlite full", &sqlite, items).await;
        if let Ok(server) = std::env::var("WELLREAD_TEST_POSTGRES") {
            // A schema of its own is the caller's business: the address may name one with search_path.
            let config = StoreConfig { readers: 8, ..StoreConfig::new(Place::Postgres(Secret::new(server))) };
            measure("postgresql", &config, items).await;
        }
    });
}

/// What the disk itself needs for one durable write.
fn fsync(dir: &std::path::Path) {
    let mut file = std::fs::File::create(dir.join("fsync")).unwrap();
    let mut times = Vec::new();
    for _ in 0..100 {
        file.write_all(&[0; 4096]).unwrap();
        let begun = Instant::now();
        file.sync_data().unwrap();
        times.push(begun.elapsed());
    }
    print("the disk's own fsync", times);
}

async fn measure(name: &str, config: &StoreConfig, items: usize) {
    println!("\n{name}: {items} items, {FEEDS} feeds, {PEOPLE} people with {FEEDS_EACH} feeds each");
    let store = Store::open(config, now()).await.unwrap();
    let begun = Instant::now();
    let people = fill(&store, items).await;
    println!("filled in {:.0} s", begun.elapsed().as_secs_f64());
    store.close().await;
    let begun = Instant::now();
    let store = Store::open(config, now()).await.unwrap();
    println!("{:<28} {:>8.1} ms", "start-up of the store", begun.elapsed().as_secs_f64() * 1e3);
    let router = router(app(&store));
    let stop = Arc::new(AtomicBool::new(false));
    let polls = Arc::new(AtomicU64::new(0));
    let polling = tokio::spawn(poll_on(store.clone(), stop.clone(), polls.clone()));
    let begun = Instant::now();
    pages(&router, &store, &people).await;
    let rate = polls.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    polling.await.unwrap();
    println!("{:<28} {rate:>8.1} polls/s meanwhile", "");
    println!("{:<28} {:>8} MB", "resident memory", resident_mb());
    store.close().await;
}

async fn pages(router: &Router, store: &Store, people: &[Person]) {
    let mut starts = Vec::new();
    for person in people {
        let list = store
            .list(
                person.user,
                &store::ListQuery {
                    scope: store::Scope::All,
                    unread_only: false,
                    order: store::Order::NewestFirst,
                    limit: 200,
                    after: None,
                },
            )
            .await
            .unwrap();
        starts.push(list);
    }
    let kinds: [(&str, Path); 8] = [
        ("for you", |_, _| "/foryou".into()),
        ("newest", |_, _| "/newest".into()),
        ("unread", |_, _| "/unread".into()),
        ("starred", |_, _| "/starred".into()),
        ("a folder", |person, _| format!("/folder/{}", person.folder)),
        ("a feed", |_, row| format!("/feed/{}", row.item.feed)),
        ("newest, far down", |_, row| format!("/newest?after={}-{}", row.item.sort_at.micros(), row.item.id)),
        ("an open item", |_, row| format!("/unread?item={}", row.item.id)),
    ];
    for (name, path) in kinds {
        let mut times = Vec::with_capacity(ROUNDS);
        let mut bytes = 0;
        for round in 0..ROUNDS {
            let person = &people[round % people.len()];
            let row = &starts[round % people.len()][(round * 37) % 200];
            let begun = Instant::now();
            bytes = get(router, person, &path(person, row)).await.max(bytes);
            times.push(begun.elapsed());
        }
        print(&format!("{name} ({} KB)", bytes / 1024), times);
    }
    for (name, verb) in [("mark read", "read"), ("star", "star"), ("unstar", "unstar")] {
        let mut times = Vec::with_capacity(ROUNDS);
        for round in 0..ROUNDS {
            let person = &people[round % people.len()];
            let row = &starts[round % people.len()][(round * 13) % 200];
            let begun = Instant::now();
            post(router, person, "/mark", format!("mark={verb}:{}", row.item.id)).await;
            times.push(begun.elapsed());
        }
        print(name, times);
    }
    let mut times = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let person = &people[round % people.len()];
        let begun = Instant::now();
        store.subscribe(person.user, &wish(round * 17 % FEEDS), now(), now()).await.unwrap();
        times.push(begun.elapsed());
    }
    print("subscribe (store)", times);
    for_you(router, store).await;
}

/// The bar of For you: a page of 10,000 candidates, features and all, with what was read in the last weeks.
async fn for_you(router: &Router, store: &Store) {
    const FEEDS_OF_A_GLUTTON: usize = 1_000;
    const OPENED: usize = 400;
    let glutton = person(store, "glutton", false).await;
    let wishes: Vec<Wish> = (0..FEEDS_OF_A_GLUTTON).map(|n| wish(n * 7 % FEEDS)).collect();
    store.subscribe_many(glutton.user, &wishes, Duration::ZERO, now()).await.unwrap();
    let wanted = store::Wanted {
        since: now().saturating_sub(Duration::from_secs(14 * 86_400)),
        up_to: domain::ItemId(i64::MAX),
        opened_since: now(),
        limit: 20_000,
    };
    let unread = store.candidates(glutton.user, &wanted).await.unwrap();
    teach(store, &unread).await;
    let open = |(nth, traits): (usize, &store::Traits)| Interaction {
        user: glutton.user,
        item: traits.item,
        kind: InteractionKind::Open,
        at: now().saturating_sub(Duration::from_secs(60 * nth as u64)),
        place: "foryou".into(),
        position: Some(1),
        dwell_ms: Some(30_000),
    };
    let opened: Vec<Interaction> = unread.iter().step_by(23).take(OPENED).enumerate().map(open).collect();
    store.record_interactions(&opened).await.unwrap();
    let topics = recall::topics(store).await.unwrap();
    let later = now().saturating_add(Duration::from_secs(3_600));
    while recall::fold(store, &topics, glutton.user, later).await.unwrap() {}
    let mut times = Vec::with_capacity(ROUNDS / 4);
    for _ in 0..ROUNDS / 4 {
        let begun = Instant::now();
        get(router, &glutton, "/foryou").await;
        times.push(begun.elapsed());
    }
    print(&format!("for you, {} unread", unread.len().min(10_000)), times);
}

/// Terms of items and topics of feeds, as learning would have made them of sixty themes.
async fn teach(store: &Store, unread: &[store::Traits]) {
    const THEMES: u64 = 60;
    let word = |theme: u64, nth: u64| TermId(2 * (1_000 * theme + nth));
    let theme = |traits: &store::Traits| (traits.feed.0 + traits.item.0 % 3).unsigned_abs() % THEMES;
    let terms = |traits: &store::Traits| {
        let bag: Vec<(TermId, u16)> = (0..16)
            .map(|nth| {
                (word(theme(traits), (nth * 5 + traits.item.0.unsigned_abs()) % 40), 1 + (nth % 3) as u16)
            })
            .collect();
        let kept = rank::item_terms(&bag, &|_: TermId| 3.0);
        ItemTerms { item: traits.item, terms: rank::pack_terms(&kept), surfaces: "word\n".repeat(kept.len()) }
    };
    let from = store.learned_to().await.unwrap();
    let learned = Learned {
        from,
        to: store.newest_item().await.unwrap(),
        profiles: vec![],
        stories: vec![],
        terms: unread.iter().map(terms).collect(),
        model: None,
    };
    assert!(store.keep_learned(learned).await.unwrap());
    let mut gathered = Gathered::default();
    for traits in unread {
        let weighted = (0..32).map(|nth| Weighted {
            id: word(theme(traits), nth),
            text: format!("word{nth}"),
            weight: 40.0 - nth as f64,
            count: 2,
            phrase: false,
        });
        gathered.add(traits.feed, &Summary::new(20, weighted));
    }
    let state = gathered.topics(&Topics::default()).to_bytes();
    store.keep_model(recall::TOPICS, &Model { learned_to: domain::ItemId(0), state }).await.unwrap();
}

/// The address of a page, for somebody and some row.
type Path = fn(&Person, &store::ListRow) -> String;

struct Person {
    user: UserId,
    cookie: String,
    folder: domain::FolderId,
}

async fn person(store: &Store, name: &str, is_admin: bool) -> Person {
    let user = store.add_user(name, None, is_admin, now()).await.unwrap();
    let folder = store.add_folder(user, None, "Folder").await.unwrap();
    let hash: [u8; 32] = Sha256::digest(name.as_bytes()).into();
    let ends = now().saturating_add(Duration::from_secs(1 << 30));
    store.add_session(user, hash, "bench", "127.0.0.1", now(), ends).await.unwrap();
    Person { user, cookie: format!("wellread-session={name}"), folder }
}

async fn fill(store: &Store, items: usize) -> Vec<Person> {
    let mut people = Vec::new();
    for number in 0..PEOPLE {
        let reader = person(store, &format!("reader{number}"), number == 0).await;
        let wishes: Vec<Wish> = (0..FEEDS_EACH)
            .map(|n| {
                let mut one = wish((n * 31 + number * 197) % FEEDS);
                if n % 3 == 0 {
                    one.subscription.folder = vec!["Folder".into()];
                }
                one
            })
            .collect();
        store.subscribe_many(reader.user, &wishes, Duration::ZERO, now()).await.unwrap();
        people.push(reader);
    }
    // Somebody keeps every feed alive.
    let keeper = store.add_user("keeper", None, false, now()).await.unwrap();
    for chunk in (0..FEEDS).collect::<Vec<_>>().chunks(1_000) {
        let wishes: Vec<Wish> = chunk.iter().map(|n| wish(*n)).collect();
        store.subscribe_many(keeper, &wishes, Duration::ZERO, now()).await.unwrap();
    }
    let feeds: Vec<FeedId> =
        store.subscriptions(keeper).await.unwrap().into_iter().map(|one| one.feed.id).collect();
    let each = (items / FEEDS).max(1);
    let feeds = Arc::new(feeds);
    let mut workers = Vec::new();
    for worker in 0..32_usize {
        let (store, feeds) = (store.clone(), feeds.clone());
        workers.push(tokio::spawn(async move {
            for at in (worker..feeds.len()).step_by(32) {
                poll(&store, feeds[at], at, each, 0).await;
            }
        }));
    }
    for worker in workers {
        worker.await.unwrap();
    }
    people
}

async fn poll(store: &Store, feed: FeedId, number: usize, items: usize, round: u64) {
    let Some(leased) =
        store.lease_feed(feed, now(), Duration::from_secs(60), Duration::ZERO, "bench").await.unwrap()
    else {
        return;
    };
    let writes: Vec<ItemWrite> = (0..items).map(|item| write(number, item, round)).collect();
    let schedule = Schedule {
        next_poll_at: now().saturating_add(Duration::from_secs(3600)),
        reason: Reason::OwnFloor { minutes: 60 },
        last_poll_at: Some(now()),
        ..leased.schedule.clone()
    };
    let commit = PollCommit {
        lease: leased.lease,
        record: PollRecord {
            feed,
            started_at: now(),
            finished_at: now(),
            outcome: PollOutcome::Fresh,
            http_status: Some(200),
            wire_bytes: 10_000,
            items_seen: 10,
            items_new: 10,
            items_changed: 0,
            error: None,
        },
        schedule,
        found: domain::Found::default(),
        floor: Duration::from_secs(3600),
        facts: Some(FeedFacts { title: Some(format!("Feed number {number}")), ..FeedFacts::default() }),
        items: writes,
        effects: vec![],
        provider_free_at: now(),
        provider_blocked_until: None,
        adopt_url: None,
        state: FeedState::Active,
        wake: false,
    };
    store.commit_poll(commit).await.unwrap();
}

async fn poll_on(store: Store, stop: Arc<AtomicBool>, polls: Arc<AtomicU64>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(1000 / POLLS_PER_SECOND));
    let mut round = 1;
    while !stop.load(Ordering::Relaxed) {
        ticks.tick().await;
        let number = (round as usize * 7) % FEEDS;
        poll(&store, FeedId(i64::try_from(number + 1).unwrap()), number, 10, round).await;
        polls.fetch_add(1, Ordering::Relaxed);
        round += 1;
    }
}

fn write(feed: usize, item: usize, round: u64) -> ItemWrite {
    let seed = (feed as u128) << 64 | u128::from(round) << 32 | item as u128;
    let text = "The clerks wrote down the tide four times a day and were never told why. ".repeat(20);
    let document = DocumentItem {
        identity: Identity(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_0c9b_1234_5677)),
        twin: None,
        guid: None,
        title: Some(format!("Item {item} of feed {feed}: the harbour clerks who measured the sea")),
        link: Some(format!("https://f{feed:05}.test/{round}/{item}")),
        author: Some("Ilse Morrane".into()),
        published: None,
        updated: None,
        summary: None,
        content: Some(format!("<p>{text}</p>")),
        language: None,
        tags: vec![],
        enclosures: vec![],
        content_hash: item as u64,
    };
    let preview = Preview {
        excerpt: Some("The clerks wrote down the tide four times a day and were never told why.".into()),
        words: 280,
        ..Preview::default()
    };
    let spread = i64::try_from((feed * 7_919 + item * 86_011) % (90 * 86_400)).unwrap();
    let sort_at =
        Timestamp::from_seconds(if round == 0 { now().seconds() - spread } else { now().seconds() });
    ItemWrite::new(&document, ItemKind::New { sort_at, unread: true }, preview)
}

fn wish(n: usize) -> Wish {
    Wish {
        subscription: NewSubscription {
            url: format!("https://f{n:05}.test/feed"),
            title: None,
            site_url: None,
            folder: vec![],
        },
        provider: format!("f{n:05}.test"),
        private: false,
        sealed: None,
    }
}

async fn get(router: &Router, person: &Person, path: &str) -> usize {
    let request = Request::get(path)
        .header(header::COOKIE, &person.cookie)
        .header(header::ACCEPT, "text/html")
        .header(header::ACCEPT_ENCODING, "gzip")
        .body(Body::empty())
        .unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    assert!(response.status().is_success(), "{path}: {}", response.status());
    to_bytes(response.into_body(), 16 << 20).await.unwrap().len()
}

async fn post(router: &Router, person: &Person, path: &str, form: String) {
    let request = Request::post(path)
        .header(header::COOKIE, &person.cookie)
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin")
        .body(Body::from(form))
        .unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    assert!(response.status().is_success(), "{path}: {}", response.status());
    to_bytes(response.into_body(), 16 << 20).await.unwrap();
}

fn print(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("{name:<28} p50 {:>7.2} ms   p99 {:>7.2} ms   max {:>7.2} ms", at(0.5), at(0.99), at(1.0));
}

fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn now() -> Timestamp {
    Timestamp::from_seconds(1_800_000_000)
}

fn app(store: &Store) -> App {
    let key = SecretKey::from_bytes([1; 32]);
    let ticks = AtomicU64::new(0);
    App {
        store: store.clone(),
        setup: SetupToken::random(),
        // Moves, or a ranked list would be made once and shown again.
        clock: Arc::new(move || {
            now().saturating_add(Duration::from_micros(ticks.fetch_add(1, Ordering::Relaxed)))
        }),
        version: "0".into(),
        base_path: BasePath::root(),
        secure: false,
        proxies: vec![],
        fetcher: FetcherFacts::new("Wellread/0"),
        fetcher_door: Fetcher::new(FetchConfig::default()).unwrap(),
        media_key: MediaKey::new(key.derive("media")),
        key,
        errands: Arc::new(Nobody),
        listeners: Listeners::default(),
        finder: Finder::default(),
        ear: serve::Ear::default(),
        limits: Arc::new(Limits::default()),
    }
}

/// Pages are measured; nobody fetches.
struct Nobody;

impl Errands for Nobody {
    fn find<'a>(&'a self, _: &'a str) -> Errand<'a, Result<Vec<Candidate>, NotFound>> {
        Box::pin(async { Err(NotFound::Because(String::new())) })
    }
    fn follow<'a>(&'a self, _: UserId, _: &'a str, _: Vec<String>) -> Errand<'a, Result<Followed, NotFound>> {
        Box::pin(async { Err(NotFound::Because(String::new())) })
    }
    fn refresh(&self, _: FeedId) -> Errand<'_, Refreshed> {
        Box::pin(async { Refreshed::Gone })
    }
    fn full_text(&self, _: UserId, _: domain::ItemId) -> Errand<'_, Result<FullText, String>> {
        Box::pin(async { Err(String::new()) })
    }
    fn wake(&self) {}
}
