//! Accounts, sessions, tokens, rules, imports, friends and what they share as the store gives them.

use domain::{FeedId, ItemId, Preferences, SessionId, Timestamp, User, UserId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub user: User,
    /// May not sign in; sessions and tokens are dead.
    pub disabled: bool,
    pub preferences: Preferences,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserOverview {
    pub account: Account,
    pub subscriptions: u64,
    pub unread: u64,
    pub sessions: u64,
    /// The last sign of life: a session's or a visit.
    pub last_seen_at: Option<Timestamp>,
}

/// What the frame around every page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    pub starred: u64,
    /// An administrator has stopped all fetching.
    pub halted: bool,
    /// As [`crate::Store::next_due_at`].
    pub next_due_at: Option<Timestamp>,
    /// Of the person's feeds, since midnight UTC.
    pub polls_today: u32,
    /// The setting that was asked for.
    pub setting: Option<String>,
}

/// A token as its owner may see it: never the token itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    pub id: i64,
    pub label: String,
    pub created_at: Timestamp,
    /// To the hour; see [`crate::Store::touch_token`].
    pub last_used_at: Option<Timestamp>,
}

/// One signed-in browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub user: UserId,
    pub created_at: Timestamp,
    pub last_seen_at: Timestamp,
    pub ends_at: Timestamp,
    /// The browser in words.
    pub label: String,
    pub address: String,
}

/// Wrong passwords in a row for one key (a name, an address).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginFailures {
    pub count: u32,
    /// The epoch when there were none.
    pub last_at: Timestamp,
}

impl LoginFailures {
    pub const NONE: LoginFailures = LoginFailures { count: 0, last_at: Timestamp::EPOCH };
}

/// What a file brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewImport<'a> {
    pub name: &'a str,
    /// In the order of the file.
    pub feeds: &'a [FeedId],
    /// Feeds of the file that were not taken.
    pub left_out: u64,
    /// What it had wrong, for people; the first 20 are kept.
    pub complaints: &'a [String],
}

/// How far an import has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProgress {
    pub name: String,
    pub started_at: Timestamp,
    /// In the order of the file; some may be gone by now.
    pub feeds: Vec<FeedId>,
    /// One per feed that is still there, in the order of the file.
    pub ticks: Vec<Tick>,
    /// Items in the imported feeds by now.
    pub items: u64,
    /// The first 100 that could not be fetched.
    pub failed: Vec<ImportFailure>,
    /// Feeds of the file that were not taken.
    pub left_out: u64,
    pub complaints: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    Waiting,
    Fetched,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportFailure {
    pub feed: FeedId,
    pub title: Option<String>,
    pub url: String,
    /// What went wrong, for people.
    pub sentence: Option<String>,
    pub next_poll_at: Timestamp,
}

/// Whom somebody follows, or who follows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Friend {
    pub user: UserId,
    pub name: String,
    pub since: Timestamp,
}

/// A wish to follow somebody: the name as it was typed for who asked, the name of who asks for who is to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FriendRequest {
    pub id: i64,
    pub name: String,
    pub asked_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Friends {
    pub follows: Vec<Friend>,
    pub followers: Vec<Friend>,
    /// Not answered, refused, or of names that nobody has: they look alike.
    pub asked: Vec<FriendRequest>,
    /// To be answered by this person.
    pub waiting: Vec<FriendRequest>,
}

/// An item that somebody shows to who follows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedItem {
    pub by: UserId,
    pub by_name: String,
    pub item: ItemId,
    pub shared_at: Timestamp,
    pub note: String,
    pub title: Option<String>,
    pub link: Option<String>,
    pub excerpt: Option<String>,
    pub feed: FeedId,
    pub feed_title: String,
    /// Whoever asks follows the feed, and can open the item here.
    pub is_followed: bool,
}

/// An item that many people of this server opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PopularItem {
    pub item: ItemId,
    pub title: Option<String>,
    pub link: Option<String>,
    pub excerpt: Option<String>,
    pub sort_at: Timestamp,
    pub feed: FeedId,
    pub feed_title: String,
    /// Five or more.
    pub people: u64,
    pub is_followed: bool,
}

/// A blind trial of two rankers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialRow {
    pub one: String,
    pub other: String,
    /// Of the dice that mix their lists.
    pub seed: u64,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

/// An item that was opened in a list of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialClick {
    pub item: ItemId,
    /// When the list was made.
    pub list_at: Timestamp,
    /// The row was the other ranker's.
    pub is_others: bool,
}
