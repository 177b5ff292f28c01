//! What pages ask of the working side: look for feeds, follow one, check one now, fetch an article.
//!
//! `serve` never fetches by itself; the binary hands it somebody who does. Sentences are for people as they are.

use domain::{FeedId, ItemId, Timestamp, UserId};
use std::future::Future;
use std::pin::Pin;

pub type Errand<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait Errands: Send + Sync + 'static {
    /// Which feeds an address leads to; nothing is followed yet.
    fn find<'a>(&'a self, address: &'a str) -> Errand<'a, Result<Vec<Candidate>, NotFound>>;

    /// Ties the person to a feed and polls it for the first time.
    fn follow<'a>(
        &'a self,
        user: UserId,
        address: &'a str,
        folder: Vec<String>,
    ) -> Errand<'a, Result<Followed, NotFound>>;

    /// Polls a feed now, within its floors (N22).
    fn refresh(&self, feed: FeedId) -> Errand<'_, Refreshed>;

    /// Until when [`Errands::refresh`] would be refused by a floor; None when it may be tried.
    fn held_until(&self, feed: FeedId) -> Errand<'_, Option<Timestamp>> {
        let _ = feed;
        Box::pin(async { None })
    }

    /// The article behind an item, from what is kept or by fetching its page once.
    fn full_text(&self, user: UserId, item: ItemId) -> Errand<'_, Result<store::FullText, String>>;

    /// Somebody came to read: what is likely to have something for them is polled soon, within floors and budget. Nobody
    /// waits for it.
    fn opened(&self, user: UserId) {
        let _ = user;
    }

    /// Something became due: look again.
    fn wake(&self);

    /// What this process has polled since it started.
    fn tally(&self) -> Tally {
        Tally::default()
    }
}

/// Counters that only grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub polls: u64,
    pub failures: u64,
    pub items_new: u64,
    pub wire_bytes: u64,
}

/// A feed that an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub url: String,
    pub title: Option<String>,
    /// What it is, such as `feed`, `channel`, `releases`.
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    /// Choose one of these.
    Several(Vec<Candidate>),
    /// What is wrong and what to do.
    Because(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    pub feed: FeedId,
    pub was_subscribed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refreshed {
    Done {
        items_new: u32,
    },
    /// Its publisher or our own floor does not allow it before then.
    NotBefore(Timestamp),
    Failed(String),
    /// An administrator has halted all fetching.
    Halted,
    /// There is no such feed any more.
    Gone,
}
