//! This node's Buzz: made from the items of the last days when it starts, then in step with the store.
//!
//! In memory only, on a thread of its own. It follows item numbers as the search index does; an item is in everyone's Buzz
//! as soon as its number is told. What it cannot go on from is made anew. Nobody waits for it: pages ask what there is.

use crate::clock::Clock;
use crate::own_thread;
use crate::reading::{declared, plain};
use domain::{FeedId, ItemId, Limits, Timestamp};
use rank::buzz::{Buzz, BuzzLimits, DAYS, Mention, Post, mentions};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, Instant};
use store::{FeedCard, ItemChangeKind, Store, StoreError, WholeItem};
use tokio_util::sync::CancellationToken;
use url::Url;

/// What there is to ask, told whenever that changes.
pub struct ShownBuzz {
    pub index: Arc<RwLock<Buzz>>,
    /// The last days have been read.
    pub is_whole: bool,
}

const PAGE: u32 = 500;
const CHANGES: u32 = 500;
const CARDS: u32 = 5_000;
/// Of the newest items at most so many are read at the start.
const ITEMS_MAX: u32 = 1_000_000;
const LINKS_MAX: usize = 100;
const DAY: Duration = Duration::from_secs(86_400);
const DAY_S: i64 = 86_400;
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Numbers may not be settled at once: after each wake-up there is a second look.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
const STORE_AGAIN_AFTER: Duration = Duration::from_secs(5);
/// How long a feed that became private may be counted on.
const CARDS_EVERY: Duration = Duration::from_secs(300);

/// Some 300 MB when full, of which a server of 10,000 feeds uses a third.
const LIMITS: BuzzLimits = BuzzLimits {
    feeds_max: 100_000,
    keys_max: 1_000_000,
    references_max: 16_000_000,
    day_references_max: 4_096,
};

/// Keeps this node's Buzz until told to stop.
pub async fn buzz<C: Clock>(
    store: Store,
    clock: Arc<C>,
    limits: Limits,
    show: impl Fn(ShownBuzz) + Send + Sync + 'static,
    stop: CancellationToken,
) {
    let (limits, show, until) = (Arc::new(limits), Arc::new(show), stop.clone());
    let work = move || {
        let keeper = Keeper {
            today: today(clock.now()),
            index: Arc::new(RwLock::new(Buzz::new(LIMITS, today(clock.now())))),
            store: store.clone(),
            clock: Arc::clone(&clock),
            limits: Arc::clone(&limits),
            at: None,
            sites: HashMap::new(),
            cards_at: None,
            is_whole: false,
        };
        keep(keeper, Arc::clone(&show), until.clone())
    };
    own_thread::run("buzz", stop, work).await;
}

async fn keep<C: Clock>(mut keeper: Keeper<C>, show: Arc<impl Fn(ShownBuzz)>, stop: CancellationToken) {
    let mut arrivals = keeper.store.arrivals();
    let mut look_again = false;
    let mut told = None;
    while !stop.is_cancelled() {
        let step = keeper.step().await;
        let state = (Arc::as_ptr(&keeper.index), keeper.is_whole);
        if told != Some(state) {
            told = Some(state);
            show(ShownBuzz { index: Arc::clone(&keeper.index), is_whole: keeper.is_whole });
        }
        let pause = match step {
            Ok(Step::More) => continue,
            Ok(Step::Idle) => {
                if look_again {
                    LOOK_AGAIN
                } else {
                    LOOK_EVERY
                }
            }
            Err(error) => {
                tracing::warn!(%error, "Buzz waits for the store");
                STORE_AGAIN_AFTER
            }
        };
        tokio::select! {
            () = stop.cancelled() => break,
            () = arrivals.next() => look_again = true,
            () = tokio::time::sleep(pause) => look_again = false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// There is more to do at once.
    More,
    Idle,
}

/// How far the store was followed.
struct At {
    epoch: String,
    item: ItemId,
    change: i64,
}

struct Keeper<C> {
    store: Store,
    clock: Arc<C>,
    limits: Arc<Limits>,
    index: Arc<RwLock<Buzz>>,
    today: i64,
    /// None before the beginning was found.
    at: Option<At>,
    /// The host of each feed that is known.
    sites: HashMap<FeedId, String>,
    cards_at: Option<Instant>,
    is_whole: bool,
}

/// An item as Buzz hears it.
struct Heard {
    item: ItemId,
    feed: FeedId,
    day: i64,
    second: u32,
    mentions: Vec<Mention>,
}

impl<C: Clock> Keeper<C> {
    async fn step(&mut self) -> Result<Step, StoreError> {
        self.today = today(self.clock.now());
        if self.at.is_none() {
            self.begin().await?;
        }
        if self.cards_at.is_none_or(|at| at.elapsed() >= CARDS_EVERY) {
            self.know_feeds(FeedId(0)).await?;
            self.cards_at = Some(Instant::now());
        }
        self.write().roll_to(self.today);
        if self.follow_items().await? == Step::More || self.follow_changes().await? == Step::More {
            return Ok(Step::More);
        }
        self.is_whole = true;
        Ok(Step::Idle)
    }

    /// An empty index, and where the last days begin in the store.
    async fn begin(&mut self) -> Result<(), StoreError> {
        let epoch = self.store.epoch().await?;
        let change = self.store.newest_change().await?;
        let newest = self.store.newest_item().await?;
        let since = self.clock.now().saturating_sub(DAY * u32::try_from(DAYS).unwrap_or(1));
        let item = self.store.before_first_since(since, newest, ITEMS_MAX).await?;
        // The days before are known to be there, if empty.
        let days = i64::try_from(DAYS).unwrap_or(1);
        let mut index = Buzz::new(LIMITS, self.today - days);
        index.roll_to(self.today);
        (self.index, self.sites, self.cards_at) = (Arc::new(RwLock::new(index)), HashMap::new(), None);
        (self.at, self.is_whole) = (Some(At { epoch, item, change }), false);
        Ok(())
    }

    /// Feeds after this one: whose they are, and of which site.
    async fn know_feeds(&mut self, mut after: FeedId) -> Result<(), StoreError> {
        loop {
            let cards = self.store.feed_cards(after, CARDS).await?;
            let Some(last) = cards.last().map(|card| card.feed) else { return Ok(()) };
            let hosts: Vec<(FeedCard, String)> =
                cards.into_iter().map(|card| (card.clone(), host(&card).unwrap_or_default())).collect();
            let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
            for (card, host) in hosts {
                if index.put_feed(card.feed, is_public(&card), &host) {
                    self.sites.insert(card.feed, host);
                }
            }
            drop(index);
            after = last;
        }
    }

    async fn follow_items(&mut self) -> Result<Step, StoreError> {
        let Some(at) = &self.at else { return Ok(Step::Idle) };
        let page = self.store.items_after(at.item, PAGE).await?;
        if page.items.iter().any(|item| !self.sites.contains_key(&item.content.item.feed)) {
            let newest = self.sites.keys().max().copied().unwrap_or(FeedId(0));
            self.know_feeds(newest).await?;
        }
        let oldest = self.today - i64::try_from(DAYS).unwrap_or(0);
        let heard: Vec<Heard> = page
            .items
            .iter()
            .filter(|item| today(item.content.item.sort_at) > oldest)
            .map(|item| self.heard(item))
            .collect();
        let mut index = self.write();
        for one in &heard {
            index.hear(one.feed, one.item, one.day, one.second, &one.mentions);
        }
        index.settle();
        index.shrink();
        drop(index);
        if let Some(at) = &mut self.at {
            at.item = page.to.max(at.item);
        }
        Ok(if page.more { Step::More } else { Step::Idle })
    }

    async fn follow_changes(&mut self) -> Result<Step, StoreError> {
        let Some(at) = &self.at else { return Ok(Step::Idle) };
        let changes = self.store.item_changes_after(at.change, CHANGES).await?;
        if changes.missed || (changes.changes.is_empty() && self.store.epoch().await? != at.epoch) {
            self.at = None;
            return Ok(Step::More);
        }
        let known_to = at.item;
        let mut edited = Vec::new();
        for change in &changes.changes {
            match change.kind {
                ItemChangeKind::Edited if change.item <= known_to => edited.push(change.item),
                ItemChangeKind::Edited => {}
                ItemChangeKind::Removed => self.write().forget_item(change.item),
                ItemChangeKind::FeedRemoved => {
                    self.write().remove_feed(change.feed);
                    self.sites.remove(&change.feed);
                }
            }
        }
        edited.sort_unstable();
        edited.dedup();
        let mut rest = edited.as_slice();
        while !rest.is_empty() {
            let whole = self.store.items_whole(rest).await?;
            let heard: Vec<Heard> = whole.items.iter().map(|item| self.heard(item)).collect();
            let mut index = self.write();
            heard.iter().for_each(|one| index.revise(one.item, &one.mentions));
            index.settle();
            drop(index);
            rest = &rest[whole.asked.clamp(1, rest.len())..];
        }
        if let Some(at) = &mut self.at {
            at.change = changes.to;
        }
        Ok(if changes.more { Step::More } else { Step::Idle })
    }

    fn heard(&self, item: &WholeItem) -> Heard {
        let text = plain(item, &self.limits);
        let own = &item.content.item;
        let body = &item.content.body;
        let html = body.content.as_deref().or(body.summary.as_deref()).unwrap_or_default();
        let mut links = html::links(html, LINKS_MAX);
        links.extend(own.link.clone());
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let post = Post {
            title: own.title.as_deref().unwrap_or_default(),
            text: &text,
            language: declared(item).or_else(|| text::detect(&text)),
            boilerplate: None,
            links: &links,
            site: self.sites.get(&own.feed).map(String::as_str),
        };
        let seconds = own.sort_at.seconds();
        Heard {
            item: own.id,
            feed: own.feed,
            day: today(own.sort_at),
            second: u32::try_from(seconds.rem_euclid(DAY_S)).unwrap_or(0),
            mentions: mentions(&post),
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, Buzz> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Days since 1970, UTC.
fn today(at: Timestamp) -> i64 {
    at.seconds().div_euclid(DAY_S)
}

/// Whoever may be told of a feed may hear what it says; nobody else is.
fn is_public(card: &FeedCard) -> bool {
    !card.is_private && (card.has_many_readers || !domain::looks_secret(&card.url))
}

fn host(card: &FeedCard) -> Option<String> {
    let of = |address: &str| Url::parse(address).ok()?.host_str().map(str::to_owned);
    card.site_url.as_deref().and_then(of).or_else(|| of(&card.url))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(url: &str, is_private: bool, has_many_readers: bool) -> FeedCard {
        FeedCard { feed: FeedId(1), url: url.to_owned(), site_url: None, is_private, has_many_readers }
    }

    #[test]
    fn a10_only_feeds_that_anybody_may_know_of_are_counted_for_everybody() {
        assert!(is_public(&card("https://a.example/feed", false, false)));
        assert!(!is_public(&card("https://a.example/feed", true, true)));
        assert!(!is_public(&card("https://a.example/feed?token=abc", false, false)));
        assert!(is_public(&card("https://a.example/feed?token=abc", false, true)));
    }

    #[test]
    fn a_feed_is_of_the_site_it_names_or_of_where_it_lies() {
        let mut one = card("https://feeds.example/x", false, false);
        assert_eq!(host(&one).as_deref(), Some("feeds.example"));
        one.site_url = Some("https://blog.example/".into());
        assert_eq!(host(&one).as_deref(), Some("blog.example"));
    }
}
