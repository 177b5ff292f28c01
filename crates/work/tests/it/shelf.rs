//! A store that is filled by hand, for what follows items: no crawler, no web.

use domain::{
    DocumentItem, FeedFacts, FeedId, FeedState, Found, Identity, ItemId, NewSubscription, PollOutcome,
    PollRecord, Preview, Reason, Schedule, Timestamp, UserId,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::{ItemKind, ItemWrite, Place, PollCommit, Store, StoreConfig, Wish};
use work::SystemClock;

pub(crate) const DAY: i64 = 86_400;
const LEASE: Duration = Duration::from_secs(60);

/// The time that items were found and published, in seconds before now.
pub(crate) fn ago(seconds: i64) -> Timestamp {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp::from_seconds(i64::try_from(now.as_secs()).unwrap() - seconds)
}

pub(crate) struct Shelf {
    pub(crate) store: Store,
    pub(crate) clock: Arc<SystemClock>,
    pub(crate) user: UserId,
}

impl Shelf {
    pub(crate) async fn new(folder: &Path) -> Shelf {
        let config =
            StoreConfig { durable: false, ..StoreConfig::new(Place::Sqlite(folder.join("wellread.db"))) };
        let store = Store::open(&config, ago(0)).await.unwrap();
        let user = match store.user_by_name("mira").await.unwrap() {
            Some(user) => user.id,
            None => store.add_user("mira", None, false, ago(0)).await.unwrap(),
        };
        Shelf { store, clock: Arc::new(SystemClock), user }
    }

    pub(crate) async fn feed(&self, name: &str) -> FeedId {
        self.feed_of(self.user, name).await
    }

    pub(crate) async fn feed_of(&self, user: UserId, name: &str) -> FeedId {
        let subscription = NewSubscription {
            url: format!("https://{name}.example/feed"),
            title: None,
            site_url: None,
            folder: vec![],
        };
        let wish = Wish { subscription, provider: name.to_owned(), private: false, sealed: None };
        self.store.subscribe(user, &wish, ago(0), ago(0)).await.unwrap().feed
    }

    /// One poll that brings these items, all published so many seconds ago.
    pub(crate) async fn poll(&self, feed: FeedId, seconds_ago: i64, items: &[(&str, &str)]) -> Vec<ItemId> {
        let writes = items.iter().enumerate().map(|(nth, (title, text))| {
            let at = ago(seconds_ago - i64::try_from(nth).unwrap());
            let kind = ItemKind::New { sort_at: at, unread: true };
            ItemWrite::new(&document(title, text, at), kind, Preview::default())
        });
        self.commit(feed, ago(seconds_ago), writes.collect()).await
    }

    pub(crate) async fn edit(&self, feed: FeedId, item: ItemId, title: &str, text: &str) {
        let write =
            ItemWrite::new(&document(title, text, ago(0)), ItemKind::Changed(item), Preview::default());
        self.commit(feed, ago(0), vec![write]).await;
    }

    async fn commit(&self, feed: FeedId, now: Timestamp, items: Vec<ItemWrite>) -> Vec<ItemId> {
        let leased =
            self.store.lease_feed(feed, ago(0), LEASE, Duration::ZERO, "test").await.unwrap().unwrap();
        let schedule = Schedule {
            next_poll_at: now,
            reason: Reason::OwnFloor { minutes: 60 },
            last_poll_at: Some(now),
            ..leased.schedule.clone()
        };
        let record = PollRecord {
            feed,
            started_at: now,
            finished_at: now,
            outcome: PollOutcome::Fresh,
            http_status: Some(200),
            wire_bytes: 1,
            items_seen: u32::try_from(items.len()).unwrap(),
            items_new: 0,
            items_changed: 0,
            error: None,
        };
        let commit = PollCommit {
            lease: leased.lease,
            record,
            schedule,
            found: Found::default(),
            floor: Duration::ZERO,
            facts: Some(FeedFacts { title: Some(format!("Feed {feed}")), ..FeedFacts::default() }),
            items,
            effects: vec![],
            provider_free_at: Timestamp::EPOCH,
            provider_blocked_until: None,
            adopt_url: None,
            state: FeedState::Active,
            wake: false,
        };
        self.store.commit_poll(commit).await.unwrap().new_items
    }
}

fn document(title: &str, text: &str, at: Timestamp) -> DocumentItem {
    // One title may come twice.
    let name = xxhash_rust::xxh3::xxh3_128(format!("{title}{text}{}", at.micros()).as_bytes());
    DocumentItem {
        identity: Identity(name),
        twin: None,
        guid: None,
        title: Some(title.to_owned()),
        link: Some(format!("https://site.example/articles/{name:x}")),
        author: None,
        published: Some(at),
        updated: None,
        summary: None,
        content: Some(format!("<p>{text}</p>")),
        language: None,
        tags: vec![],
        enclosures: vec![],
        content_hash: u64::try_from(name & u128::from(u64::MAX)).unwrap(),
    }
}
