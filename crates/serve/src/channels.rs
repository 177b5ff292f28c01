//! The channels this server knows, by what they are about: in memory, in step with the profiles in the store.
//!
//! A channel is a feed with a profile. The map holds their terms and little else, is filled when somebody first asks, and
//! then follows the revisions of profiles. Who may know of a channel is asked twice: here, before anything is ranked,
//! and of the store, which hands out what is shown. Of another's private feed nobody hears, nor of its words; and a
//! feed whose address looks like a secret is like a private one, because whoever subscribes must be told the address.
//! What is gone is offered to nobody.

use crate::App;
use crate::finder::NoAnswer;
use crate::problem::Problem;
use axum::http::StatusCode;
use domain::{FeedId, Timestamp, UserId};
use learn::{Interest, Near, Neighbours, Summary};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use store::Channel;
use tokio::sync::Mutex;

/// Channels held; later ones are not found. Some 3 KB each.
const CHANNELS_MAX: usize = 20_000;
const PAGE: u32 = 500;
/// How old the map may be.
const STALE_AFTER: Duration = Duration::from_secs(5);
/// So many followers make an address no secret.
const OPEN_SECRET: u32 = 5;

#[derive(Default)]
pub(crate) struct Channels {
    known: Arc<RwLock<Known>>,
    turn: Mutex<Turn>,
}

/// How far the map has come.
#[derive(Default)]
struct Turn {
    epoch: String,
    revision: i64,
    at: Option<Timestamp>,
}

struct Known {
    near: Neighbours,
    cards: HashMap<FeedId, Card>,
    /// By the hash of their addresses; two feeds of one address are a shared and a private one.
    by_url: HashMap<u64, Vec<FeedId>>,
}

impl Default for Known {
    fn default() -> Self {
        Known { near: Neighbours::new(CHANNELS_MAX), cards: HashMap::new(), by_url: HashMap::new() }
    }
}

/// What has to be at hand of every channel.
struct Card {
    private_to: Option<UserId>,
    is_secret: bool,
    is_there: bool,
    url: u64,
    change: Option<f64>,
}

/// A channel that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) channel: Channel,
    pub(crate) profile: Summary,
    /// None where nothing was compared.
    pub(crate) score: Option<f64>,
    /// The terms of the profile by which it was found, heaviest first.
    pub(crate) why: Vec<text::TermId>,
}

/// Terms that say why.
const WHY_TERMS: usize = 12;

impl Found {
    pub(crate) fn of(channel: Channel, interest: Option<(&Interest, f64)>) -> Found {
        let profile = profile(&channel);
        let why = interest.map_or_else(Vec::new, |(interest, _)| {
            interest.shared(&profile, WHY_TERMS).into_iter().map(|term| term.id).collect()
        });
        Found { profile, score: interest.map(|(_, score)| score), why, channel }
    }
}

/// What a channel is about: in general, or lately as long as that is all there is.
pub(crate) fn profile(channel: &Channel) -> Summary {
    [&channel.general, &channel.latest]
        .into_iter()
        .filter(|bytes| !bytes.is_empty())
        .find_map(|bytes| Summary::from_bytes(bytes).ok())
        .unwrap_or_default()
}

impl Channels {
    /// Follows the profiles. While somebody else does so, what is there has to do.
    async fn follow(&self, app: &App) -> Result<(), Problem> {
        let now = (app.clock)();
        let mut turn = match self.turn.try_lock() {
            Ok(turn) => turn,
            Err(_) if !self.read(|known| known.cards.is_empty()) => return Ok(()),
            Err(_) => self.turn.lock().await,
        };
        if turn.at.is_some_and(|at| now.since(at) < STALE_AFTER && at <= now) {
            return Ok(());
        }
        let epoch = app.store.epoch().await?;
        if epoch != turn.epoch {
            // After a restore numbers mean something else.
            *turn = Turn { epoch, ..Turn::default() };
            *self.known.write().unwrap_or_else(PoisonError::into_inner) = Known::default();
        }
        loop {
            let page = app.store.channels_after(turn.revision, PAGE).await?;
            let Some(last) = page.last().map(|channel| channel.revision) else { break };
            let known = self.known.clone();
            compared(app, move || {
                for channel in &page {
                    let (card, profile) = (Card::of(channel), profile(channel));
                    known.write().unwrap_or_else(PoisonError::into_inner).put(channel.feed, card, &profile);
                }
            })
            .await?;
            turn.revision = last;
        }
        turn.at = Some(now);
        Ok(())
    }

    fn read<T>(&self, look: impl FnOnce(&Known) -> T) -> T {
        look(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many channels this person could be shown.
    pub(crate) async fn count(&self, app: &App, user: UserId) -> Result<usize, Problem> {
        self.follow(app).await?;
        Ok(self.read(|known| known.cards.values().filter(|card| card.may(user)).count()))
    }

    /// The channels nearest to an interest, nearest first, without those left out.
    pub(crate) async fn nearest(
        &self,
        app: &App,
        asker: &Asker,
        interest: Interest,
        count: usize,
    ) -> Result<Vec<Found>, Problem> {
        self.follow(app).await?;
        let (known, seen) = (self.known.clone(), asker.clone());
        let near = compared(app, move || {
            let known = known.read().unwrap_or_else(PoisonError::into_inner);
            let near = known.near.nearest(&interest, count, |feed| known.may(&seen, feed));
            (near, interest)
        });
        let (near, interest) = near.await?;
        let feeds: Vec<FeedId> = near.iter().map(|one| one.feed).collect();
        let channels = app.store.channels_by_id(asker.user, &feeds).await?;
        self.forget(&feeds, &channels);
        Ok(paired(near, channels, &interest))
    }

    /// What the store no longer has, or no longer shows to this person, is looked at again when it changes.
    fn forget(&self, asked: &[FeedId], got: &[Channel]) {
        if asked.len() == got.len() {
            return;
        }
        let there: HashSet<FeedId> = got.iter().map(|channel| channel.feed).collect();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for feed in asked.iter().filter(|feed| !there.contains(feed)) {
            known.remove(*feed);
        }
    }

    /// Those of the addresses that are channels this person may know of.
    pub(crate) async fn by_url(
        &self,
        app: &App,
        user: UserId,
        urls: &[String],
    ) -> Result<Vec<FeedId>, Problem> {
        self.follow(app).await?;
        Ok(self.read(|known| {
            let of = |url: &String| known.by_url.get(&hash(url)).into_iter().flatten().copied();
            let may = |feed: &FeedId| known.cards.get(feed).is_some_and(|card| card.may(user));
            urls.iter().filter_map(|url| of(url).find(may)).collect()
        }))
    }

    /// Whether somebody may be told of a feed they do not follow.
    pub(crate) async fn is_offered(&self, app: &App, user: UserId, feed: FeedId) -> Result<bool, Problem> {
        Ok(self.offered(app, user, &[feed]).await?.contains(&feed))
    }

    /// Those of the feeds that somebody may be told of.
    pub(crate) async fn offered(
        &self,
        app: &App,
        user: UserId,
        feeds: &[FeedId],
    ) -> Result<HashSet<FeedId>, Problem> {
        self.follow(app).await?;
        let may = |known: &Known, feed: &FeedId| known.cards.get(feed).is_some_and(|card| card.may(user));
        Ok(self.read(|known| feeds.iter().copied().filter(|feed| may(known, feed)).collect()))
    }

    /// How much the profiles of these feeds change, as far as that is known.
    pub(crate) async fn changes(
        &self,
        app: &App,
        feeds: impl Iterator<Item = FeedId>,
    ) -> Result<Vec<(FeedId, f64)>, Problem> {
        self.follow(app).await?;
        Ok(self
            .read(|known| feeds.filter_map(|feed| Some((feed, known.cards.get(&feed)?.change?))).collect()))
    }
}

/// Who asks, what they follow, and what they do not want to hear of.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    pub(crate) user: UserId,
    pub(crate) follows: Arc<HashSet<FeedId>>,
    pub(crate) without: Arc<HashSet<FeedId>>,
}

impl Known {
    fn may(&self, asker: &Asker, feed: FeedId) -> bool {
        let Some(card) = self.cards.get(&feed) else { return false };
        (card.may(asker.user) || asker.follows.contains(&feed)) && !asker.without.contains(&feed)
    }

    fn put(&mut self, feed: FeedId, card: Card, profile: &Summary) {
        self.remove(feed);
        if self.near.put(feed, profile) {
            self.by_url.entry(card.url).or_default().push(feed);
            self.cards.insert(feed, card);
        }
    }

    fn remove(&mut self, feed: FeedId) {
        self.near.remove(feed);
        let Some(card) = self.cards.remove(&feed) else { return };
        if let Some(feeds) = self.by_url.get_mut(&card.url) {
            feeds.retain(|one| *one != feed);
            if feeds.is_empty() {
                self.by_url.remove(&card.url);
            }
        }
    }
}

impl Card {
    fn of(channel: &Channel) -> Card {
        let is_open = channel.subscribers.is_some_and(|readers| readers >= OPEN_SECRET);
        Card {
            private_to: channel.private_to,
            is_secret: !is_open && domain::looks_secret(&channel.url),
            is_there: channel.is_there,
            url: hash(&channel.url),
            change: channel.change,
        }
    }

    fn may(&self, user: UserId) -> bool {
        match self.private_to {
            Some(owner) => owner == user,
            None => self.is_there && !self.is_secret,
        }
    }
}

fn paired(near: Vec<Near>, channels: Vec<Channel>, interest: &Interest) -> Vec<Found> {
    let scores: HashMap<FeedId, f64> = near.into_iter().map(|one| (one.feed, one.similarity)).collect();
    channels
        .into_iter()
        .map(|channel| {
            let score = scores.get(&channel.feed).copied().unwrap_or_default();
            Found::of(channel, Some((interest, score)))
        })
        .collect()
}

fn hash(url: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    url.hash(&mut hasher);
    hasher.finish()
}

/// Counting and comparing never holds up other requests; when too many ask for it, some are asked to come again.
pub(crate) async fn compared<T: Send + 'static>(
    app: &App,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    app.finder.run(work).await.map_err(|error| match error {
        NoAnswer::Busy => Problem::of_status(StatusCode::SERVICE_UNAVAILABLE),
        NoAnswer::Broken => Problem::broken(&error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use learn::Weighted;
    use text::TermId;

    fn channel(feed: i64, url: &str, private_to: Option<i64>, subscribers: Option<u32>) -> Channel {
        let term = Weighted { id: TermId(2), text: "ferry".into(), weight: 1.0, count: 1, phrase: false };
        Channel {
            feed: FeedId(feed),
            revision: feed,
            url: url.to_owned(),
            title: None,
            site_url: None,
            description: None,
            language: None,
            icon: None,
            private_to: private_to.map(UserId),
            posts_per_day: None,
            subscribers,
            items: 20,
            latest: Summary::new(20, [term]).to_bytes(),
            general: Vec::new(),
            change: Some(0.4),
            cohesion: None,
            is_there: true,
        }
    }

    fn known(channels: &[Channel]) -> Known {
        let mut known = Known::default();
        for channel in channels {
            known.put(channel.feed, Card::of(channel), &profile(channel));
        }
        known
    }

    fn seen(known: &Known, user: i64, follows: &[i64]) -> Vec<i64> {
        let asker = Asker {
            user: UserId(user),
            follows: Arc::new(follows.iter().copied().map(FeedId).collect()),
            without: Arc::default(),
        };
        let interest = Interest::of(&profile(&channel(0, "https://q.example/", None, None)));
        let near = known.near.nearest(&interest, 10, |feed| known.may(&asker, feed));
        near.into_iter().map(|one| one.feed.0).collect()
    }

    #[test]
    fn private_and_secret_channels_are_found_by_their_own_people_only() {
        let all = [
            channel(1, "https://a.example/feed", None, None),
            channel(2, "https://b.example/feed", Some(7), None),
            channel(3, "https://c.example/feed?token=abc", None, None),
            channel(4, "https://d.example/feed?token=abc", None, Some(6)),
        ];
        let known = known(&all);
        assert_eq!(seen(&known, 8, &[]), [1, 4]);
        assert_eq!(seen(&known, 7, &[2]), [1, 2, 4]);
        assert_eq!(seen(&known, 9, &[3]), [1, 3, 4]);
    }

    #[test]
    fn what_is_gone_is_found_by_those_who_follow_it_only() {
        let gone = Channel { is_there: false, ..channel(1, "https://a.example/feed", None, Some(9)) };
        let known = known(&[gone, channel(2, "https://b.example/feed", None, None)]);
        assert_eq!(seen(&known, 8, &[]), [2]);
        assert_eq!(seen(&known, 8, &[1]), [1, 2]);
    }

    #[test]
    fn a_channel_that_becomes_private_or_goes_leaves_nothing_behind() {
        let mut known = known(&[channel(1, "https://a.example/feed", None, None)]);
        let now_private = channel(1, "https://a.example/feed", Some(7), None);
        known.put(now_private.feed, Card::of(&now_private), &profile(&now_private));
        assert!(seen(&known, 8, &[]).is_empty());
        known.remove(FeedId(1));
        assert!(known.cards.is_empty() && known.by_url.is_empty() && known.near.is_empty());
    }

    #[test]
    fn damaged_profiles_are_empty_ones() {
        let damaged = Channel {
            latest: vec![9; 40],
            general: vec![1, 2],
            ..channel(1, "https://a.example/", None, None)
        };
        assert_eq!(profile(&damaged), Summary::default());
    }
}
