//! A fresh store per test and database, and short words for what tests do all the time.

use domain::{
    DocumentItem, FeedFacts, FeedId, FeedState, Identity, ItemId, NewSubscription, PollOutcome, PollRecord,
    Preview, Reason, Schedule, Secret, Timestamp, UserId,
};
use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use store::{
    Committed, ItemKind, ItemWrite, LeasedFeed, ListQuery, Order, Place, PollCommit, Scope, Store,
    StoreConfig, Wish,
};

pub(crate) const NODE: &str = "node";
pub(crate) const LEASE: Duration = Duration::from_secs(60);
pub(crate) const SPACING: Duration = Duration::from_secs(2);

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_700_000_000 + seconds)
}

pub(crate) fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(minutes * 60)
}

/// A database of its own; gone with the test.
pub(crate) struct Stage {
    pub(crate) store: Store,
    pub(crate) config: StoreConfig,
    _dir: Option<tempfile::TempDir>,
}

impl Drop for Stage {
    /// Nothing to do; but a type with a `Drop` is captured whole by an `async move`, so the folder outlives the test.
    fn drop(&mut self) {}
}

/// Runs one test body on both databases.
pub(crate) fn on_both<F, Fut>(body: F)
where
    F: Fn(Stage) -> Fut,
    Fut: Future<Output = ()>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        body(sqlite().await).await;
        match postgres().await {
            Some(stage) => {
                let (store, config) = (stage.store.clone(), stage.config.clone());
                body(stage).await;
                store.close().await;
                drop_schema(&config).await;
            }
            None => println!("skipped on PostgreSQL: WELLREAD_TEST_POSTGRES is not set"),
        }
    });
}

pub(crate) async fn sqlite() -> Stage {
    let dir = tempfile::tempdir().unwrap();
    let config = StoreConfig::new(Place::Sqlite(dir.path().join("wellread.db")));
    let store = Store::open(&config, at(0)).await.unwrap();
    Stage { store, config, _dir: Some(dir) }
}

/// Each test gets a schema of its own on the server.
pub(crate) async fn postgres() -> Option<Stage> {
    let config = postgres_config().await?;
    let store = Store::open(&config, at(0)).await.unwrap();
    Some(Stage { store, config, _dir: None })
}

pub(crate) async fn postgres_config() -> Option<StoreConfig> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let server = std::env::var("WELLREAD_TEST_POSTGRES").ok()?;
    let schema = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    run_on(&server, &format!("CREATE SCHEMA {schema}")).await;
    let join = if server.contains('?') { '&' } else { '?' };
    let url = format!("{server}{join}options=-c%20search_path%3D{schema}");
    Some(StoreConfig::new(Place::Postgres(Secret::new(url))))
}

pub(crate) async fn drop_schema(config: &StoreConfig) {
    let Place::Postgres(url) = &config.place else { return };
    let schema = url.reveal().rsplit("%3D").next().unwrap().to_owned();
    run_on(&std::env::var("WELLREAD_TEST_POSTGRES").unwrap(), &format!("DROP SCHEMA {schema} CASCADE")).await;
}

async fn run_on(server: &str, sql: &str) {
    use sqlx::Connection;
    let mut connection = sqlx::PgConnection::connect(server).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

impl Stage {
    /// The same database, opened again as after a restart.
    pub(crate) async fn reopen(&mut self) {
        self.store.close().await;
        self.store = Store::open(&self.config, at(0)).await.unwrap();
    }

    pub(crate) async fn user(&self, name: &str) -> UserId {
        self.store.add_user(name, None, false, at(0)).await.unwrap()
    }

    /// Subscribes to a feed whose provider is its host.
    pub(crate) async fn subscribe(&self, user: UserId, url: &str) -> FeedId {
        self.store.subscribe(user, &wish(url), at(0), at(0)).await.unwrap().feed
    }

    pub(crate) async fn lease(&self, now: Timestamp) -> Vec<LeasedFeed> {
        self.store.lease_due(now, 100, LEASE, SPACING, NODE).await.unwrap()
    }

    /// Leases one feed whatever its schedule says and commits a poll with these items.
    pub(crate) async fn poll(&self, feed: FeedId, now: Timestamp, items: Vec<ItemWrite>) -> Committed {
        let leased =
            self.store.lease_feed(feed, now, LEASE, Duration::ZERO, NODE).await.unwrap().expect("leasable");
        self.store.commit_poll(commit(&leased, now, items)).await.unwrap()
    }

    /// What one person sees of a scope, newest first.
    pub(crate) async fn titles(&self, user: UserId, scope: Scope, unread_only: bool) -> Vec<String> {
        let query = ListQuery { scope, unread_only, order: Order::NewestFirst, limit: 1_000, after: None };
        let rows = self.store.list(user, &query).await.unwrap();
        rows.into_iter().map(|row| row.item.title.unwrap_or_default()).collect()
    }

    pub(crate) async fn unread(&self, user: UserId) -> u64 {
        self.store.counts(user).await.unwrap().total
    }

    pub(crate) async fn assert_sound(&self) {
        assert_eq!(self.store.integrity_check().await.unwrap(), Vec::<String>::new());
    }
}

pub(crate) fn wish(url: &str) -> Wish {
    let host = url.split('/').nth(2).unwrap_or(url);
    Wish {
        subscription: NewSubscription { url: url.into(), title: None, site_url: None, folder: vec![] },
        provider: host.into(),
        private: false,
        sealed: None,
    }
}

pub(crate) fn commit(leased: &LeasedFeed, now: Timestamp, items: Vec<ItemWrite>) -> PollCommit {
    let schedule = Schedule {
        next_poll_at: now.saturating_add(minutes(60)),
        reason: Reason::OwnFloor { minutes: 60 },
        last_poll_at: Some(now),
        ..leased.schedule.clone()
    };
    PollCommit {
        lease: leased.lease,
        record: PollRecord {
            feed: leased.lease.feed,
            started_at: now,
            finished_at: now,
            outcome: PollOutcome::Fresh,
            http_status: Some(200),
            wire_bytes: 1_000,
            items_seen: items.len() as u32,
            items_new: 0,
            items_changed: 0,
            error: None,
        },
        schedule,
        found: domain::Found::default(),
        floor: minutes(60),
        facts: Some(FeedFacts { title: Some("Feed".into()), ..FeedFacts::default() }),
        items,
        effects: vec![],
        provider_free_at: now,
        provider_blocked_until: None,
        adopt_url: None,
        state: FeedState::Active,
        wake: false,
    }
}

/// An item whose number is its identity, title and hash.
pub(crate) fn document_item(number: u64) -> DocumentItem {
    DocumentItem {
        identity: Identity(u128::from(number)),
        twin: Some(Identity(u128::from(number) | 1 << 100)),
        guid: Some(format!("guid-{number}")),
        title: Some(format!("item {number}")),
        link: Some(format!("https://site.example/{number}")),
        author: None,
        published: None,
        updated: None,
        summary: None,
        content: Some(format!("<p>The text of item {number}.</p>")),
        language: None,
        tags: vec![],
        enclosures: vec![],
        content_hash: number,
    }
}

/// A new item, unread, sorted by its number.
pub(crate) fn new_item(number: u64) -> ItemWrite {
    ItemWrite::new(
        &document_item(number),
        ItemKind::New { sort_at: at(number as i64), unread: true },
        Preview::default(),
    )
}

pub(crate) fn changed(number: u64, item: ItemId, title: &str) -> ItemWrite {
    let edited =
        DocumentItem { title: Some(title.into()), content_hash: number + 1_000_000, ..document_item(number) };
    ItemWrite::new(&edited, ItemKind::Changed(item), Preview::default())
}
