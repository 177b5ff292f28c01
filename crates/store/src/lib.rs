//! Promises kept: SQLite and PostgreSQL behind one set of methods.
#![allow(unused_variables, dead_code, clippy::unimplemented, reason = "signatures first; bodies follow")]
mod error;
mod pack;
mod sealing;
mod types;
pub use error::{Result, StoreError};
pub use sealing::SecretKey;
pub use types::*;
use domain::*;
use domain::interaction::{Access, Interaction};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the data is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place { Sqlite(PathBuf), SqliteMemory, Postgres(Secret) }

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreConfig {
    pub place: Place,
    /// False gives up promise 2 for speed; only for simulations and scratch benchmarks.
    pub durable: bool,
    pub readers: u32,
    pub page_cache_kib: u32,
    /// The database refuses to grow beyond this (SQLite only).
    pub size_bytes_max: Option<u64>,
    /// Politeness floor of a feed whose own floor is not known yet: how long it waits when its first poll ends in a crash.
    pub first_floor: Duration,
}
impl StoreConfig { pub fn new(place: Place) -> Self { StoreConfig { place, durable: true, readers: 4, page_cache_kib: 16 << 10, size_bytes_max: None, first_floor: Duration::from_secs(3600) } } }

#[derive(Debug, Clone)]
pub struct Store;
type T = Timestamp;
impl Store {
    pub async fn open(config: &StoreConfig, now: T) -> Result<Store> { unimplemented!() }
    /// Waits for queued writes and closes all connections.
    pub async fn close(&self) { unimplemented!() }
    /// Resolves when something may have become due on this or another node.
    pub async fn woken(&self) { unimplemented!() }
    pub fn wake(&self) { unimplemented!() }

    pub async fn add_user(&self, name: &str, password_hash: Option<&str>, is_admin: bool, now: T) -> Result<UserId> { unimplemented!() }
    pub async fn users(&self) -> Result<Vec<User>> { unimplemented!() }
    pub async fn user_by_name(&self, name: &str) -> Result<Option<User>> { unimplemented!() }
    pub async fn password_hash(&self, user: UserId) -> Result<Option<String>> { unimplemented!() }
    pub async fn set_password(&self, user: UserId, hash: &str) -> Result<()> { unimplemented!() }
    pub async fn first_admin_exists(&self) -> Result<bool> { unimplemented!() }
    pub async fn add_token(&self, user: UserId, label: &str, hash: [u8; 32], now: T) -> Result<()> { unimplemented!() }
    pub async fn user_by_token(&self, hash: [u8; 32]) -> Result<Option<User>> { unimplemented!() }

    pub async fn subscribe(&self, user: UserId, wish: &Wish, first_poll_at: T, now: T) -> Result<Subscribed> { unimplemented!() }
    /// New feeds are first polled one `step` apart from `now` (O1). Safe to repeat.
    pub async fn subscribe_many(&self, user: UserId, wishes: &[Wish], step: Duration, now: T) -> Result<Vec<Subscribed>> { unimplemented!() }
    pub async fn unsubscribe(&self, user: UserId, feed: FeedId, now: T) -> Result<bool> { unimplemented!() }
    pub async fn subscriptions(&self, user: UserId) -> Result<Vec<SubscribedFeed>> { unimplemented!() }
    pub async fn folders(&self, user: UserId) -> Result<Vec<Folder>> { unimplemented!() }
    pub async fn feed(&self, id: FeedId) -> Result<Option<Feed>> { unimplemented!() }
    pub async fn feed_by_url(&self, url: &str, private_to: Option<UserId>) -> Result<Option<Feed>> { unimplemented!() }
    pub async fn feed_schedule(&self, feed: FeedId) -> Result<Option<FeedSchedule>> { unimplemented!() }
    pub async fn set_feed_state(&self, feed: FeedId, state: FeedState) -> Result<()> { unimplemented!() }
    pub async fn set_feed_secret(&self, feed: FeedId, sealed: Option<&[u8]>) -> Result<()> { unimplemented!() }
    pub async fn set_feed_retention(&self, feed: FeedId, retention: FeedRetention) -> Result<()> { unimplemented!() }

    pub async fn lease_due(&self, now: T, max: usize, lease_for: Duration, spacing: Duration, node: &str) -> Result<Vec<LeasedFeed>> { unimplemented!() }
    /// For a person's "poll now"; the caller checks floors. None: the feed or its provider is busy, blocked or spaced, or fetching is halted ([`Store::provider`] says until when).
    pub async fn lease_feed(&self, feed: FeedId, now: T, lease_for: Duration, spacing: Duration, node: &str) -> Result<Option<LeasedFeed>> { unimplemented!() }
    /// (identity, twin, content hash) of each item, answered in the same order.
    pub async fn recognise(&self, feed: FeedId, items: &[(Identity, Option<Identity>, u64)]) -> Result<Vec<Recognised>> { unimplemented!() }
    pub async fn commit_poll(&self, commit: PollCommit) -> Result<Committed> { unimplemented!() }
    /// Gives a lease back without a request having been sent. False: the lease was no longer ours.
    pub async fn release(&self, lease: Lease, next_poll_at: T, reason: Reason) -> Result<bool> { unimplemented!() }
    /// When the next feed becomes due (may be in the past); None when nothing will or fetching is halted.
    pub async fn next_due_at(&self, now: T) -> Result<Option<T>> { unimplemented!() }
    pub async fn overdue(&self, now: T) -> Result<u64> { unimplemented!() }
    pub async fn spread_overdue(&self, now: T, older_than: Duration, window: Duration) -> Result<u64> { unimplemented!() }
    /// Only ever earlier; the caller checks floors. False: leased, unknown, or already earlier.
    pub async fn bring_forward(&self, feed: FeedId, at: T, reason: Reason) -> Result<bool> { unimplemented!() }
    pub async fn provider(&self, name: &str) -> Result<Option<ProviderState>> { unimplemented!() }
    pub async fn halted(&self) -> Result<bool> { unimplemented!() }
    pub async fn set_halted(&self, halted: bool) -> Result<()> { unimplemented!() }
    pub async fn setting(&self, key: &str) -> Result<Option<String>> { unimplemented!() }
    pub async fn set_setting(&self, key: &str, value: Option<&str>) -> Result<()> { unimplemented!() }
    pub async fn polls(&self, feed: FeedId, limit: u32, before: Option<PollId>) -> Result<Vec<(PollId, PollRecord)>> { unimplemented!() }
    pub async fn provider_counts(&self, since: T) -> Result<Vec<ProviderCount>> { unimplemented!() }

    pub async fn list(&self, user: UserId, query: &ListQuery) -> Result<Vec<ListRow>> { unimplemented!() }
    pub async fn item(&self, user: UserId, id: ItemId) -> Result<Option<OpenItem>> { unimplemented!() }
    pub async fn newest_item(&self) -> Result<ItemId> { unimplemented!() }
    pub async fn counts(&self, user: UserId) -> Result<Counts> { unimplemented!() }
    /// The items whose state really changed; undo is [`Mark::inverse`] on exactly those.
    pub async fn mark(&self, user: UserId, items: &[ItemId], mark: &Mark, now: T) -> Result<Vec<ItemId>> { unimplemented!() }
    pub async fn mark_all_read(&self, user: UserId, scope: &Scope, up_to: UpTo, now: T) -> Result<MarkedAll> { unimplemented!() }
    /// How many items are unread again.
    pub async fn undo(&self, user: UserId, token: UndoToken) -> Result<u64> { unimplemented!() }
    pub async fn record_interactions(&self, interactions: &[Interaction]) -> Result<u64> { unimplemented!() }
    pub async fn record_access(&self, access: &Access) -> Result<()> { unimplemented!() }

    pub async fn retention(&self, now: T, policy: &RetentionPolicy) -> Result<Removed> { unimplemented!() }
    pub async fn backup(&self, to: &Path, now: T) -> Result<ArchiveSummary> { unimplemented!() }
    pub async fn restore(&self, from: &Path) -> Result<ArchiveSummary> { unimplemented!() }
    /// Sentences about what is wrong; empty when all is well.
    pub async fn integrity_check(&self) -> Result<Vec<String>> { unimplemented!() }
    pub async fn disk_by_feed(&self, limit: u32) -> Result<Vec<FeedDisk>> { unimplemented!() }
    pub async fn set_size_max(&self, bytes: Option<u64>) -> Result<()> { unimplemented!() }
}
