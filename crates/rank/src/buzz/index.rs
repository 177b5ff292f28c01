//! What ships: everybody's Buzz, exactly, as of the last item (reference 2.4).
//!
//! One index for all people. An item is in everyone's Buzz as soon as it was added; days roll off; every size is bounded by
//! [`BuzzLimits`], and what does not fit is left out until there is room. A person's question is one pass over their feeds
//! ([`Buzz::listen`]), from which any list is made ([`Heard::top`]).

use super::counts::Counts;
use super::junk::Chrome;
use super::mention::{KeyId, Kind, Mention};
use super::names::{GONE, Names};
use super::postings::{Change, DAYS, Follow, Postings, SUBSCRIPTIONS_MAX, Span, Sums};
use super::score::{idf, lift, loudness, rising, times};
use domain::FeedId;
use std::cmp::Ordering;
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// A link counts from one source where somebody has fewer feeds than this.
const FEW_FEEDS: usize = 10;
/// A phrase that so many of a word's sources use stands for the word.
const STANDS_FOR: f32 = 0.6;
/// A word of more than this share of all source-days is a stop word of this server, once so many days are known.
const STOP_SHARE: f64 = 0.2;
const STOP_DAYS: u64 = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuzzLimits {
    pub feeds_max: usize,
    pub keys_max: usize,
    pub references_max: usize,
    /// Of one feed on one day: no feed says more than that.
    pub day_references_max: usize,
}

impl Default for BuzzLimits {
    fn default() -> Self {
        BuzzLimits {
            feeds_max: 200_000,
            keys_max: 2_000_000,
            references_max: 50_000_000,
            day_references_max: 4_096,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    Today,
    Week,
}

impl Window {
    pub(crate) fn days(self) -> usize {
        match self {
            Window::Today => 1,
            Window::Week => DAYS,
        }
    }
}

/// A subscription and what it counts ([`super::weight`]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Following {
    pub feed: FeedId,
    pub weight: f32,
}

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Said most in my feeds, rare words more.
    Talked,
    /// Said more in my feeds than elsewhere.
    Lift,
    /// Said by more feeds today than usual.
    Rising,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// And phrases.
    Words,
    Links,
}

/// One line of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Said<'a> {
    pub id: KeyId,
    pub kind: Kind,
    pub text: &'a str,
    pub score: f64,
    /// How many of the sources say it.
    pub sources: u16,
    /// And on how many days, over all feeds.
    pub source_days: u16,
}

#[derive(Debug, Clone)]
struct Slot {
    /// Feeds with credentials are counted for their reader only.
    is_public: bool,
    site: u32,
    chrome: Chrome,
}

#[derive(Debug, Clone)]
pub struct Buzz {
    limits: BuzzLimits,
    day: i64,
    postings: Postings,
    names: Names,
    counts: Counts,
    /// By key, from the days before today.
    idf: Vec<f32>,
    slots: Vec<Option<Slot>>,
    by_feed: HashMap<FeedId, u32>,
    free: Vec<u32>,
}

impl Buzz {
    /// `day` is the number of days since 1970.
    pub fn new(limits: BuzzLimits, day: i64) -> Self {
        Buzz {
            limits,
            day,
            postings: Postings::default(),
            names: Names::default(),
            counts: Counts::default(),
            idf: Vec::new(),
            slots: Vec::new(),
            by_feed: HashMap::new(),
            free: Vec::new(),
        }
    }

    pub fn day(&self) -> i64 {
        self.day
    }

    pub fn keys(&self) -> usize {
        self.names.len()
    }

    pub fn references(&self) -> usize {
        self.postings.references()
    }

    /// Makes a feed known, or says what changed about it. False when there is no room for another one.
    pub fn put_feed(&mut self, feed: FeedId, is_public: bool, site: &str) -> bool {
        let site = xxh3_64(site.as_bytes()) as u32;
        if let Some(slot) = self.slot_mut(feed) {
            (slot.is_public, slot.site) = (is_public, site);
            return true;
        }
        if self.by_feed.len() >= self.limits.feeds_max {
            return false;
        }
        let slot = Slot { is_public, site, chrome: Chrome::default() };
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.slots.push(None);
                self.postings.add_feed()
            }
        };
        self.slots[place as usize] = Some(slot);
        self.by_feed.insert(feed, place);
        true
    }

    fn slot_mut(&mut self, feed: FeedId) -> Option<&mut Slot> {
        let place = *self.by_feed.get(&feed)?;
        self.slots.get_mut(place as usize)?.as_mut()
    }

    /// A new item, said today. How many of its mentions are in everyone's Buzz now; those of an unknown feed are not.
    pub fn add(&mut self, feed: FeedId, mentions: &[Mention]) -> usize {
        let Some(slot) = self.slot_mut(feed) else { return 0 };
        let heard: Vec<bool> = mentions.iter().map(|mention| !slot.chrome.covers(mention.id)).collect();
        slot.chrome.hear(mentions.iter().map(|mention| mention.id));
        let fresh = mentions.iter().zip(heard).filter(|(_, heard)| *heard).map(|(mention, _)| mention);
        self.say(feed, fresh)
    }

    fn say<'a>(&mut self, feed: FeedId, mentions: impl Iterator<Item = &'a Mention>) -> usize {
        let Some(place) = self.by_feed.get(&feed).copied() else { return 0 };
        let is_public = self.slots[place as usize].as_ref().is_some_and(|slot| slot.is_public);
        let was_silent = self.postings.said_today(place) == 0;
        let mut said = 0;
        for mention in mentions {
            if self.postings.references() >= self.limits.references_max
                || self.postings.said_today(place) >= self.limits.day_references_max
            {
                break;
            }
            let Some(key) = self.names.of(mention, self.limits.keys_max) else { continue };
            if self.idf.len() < self.names.len() {
                self.idf.push(idf(self.counts.past_days(), 0));
                self.counts.grow(self.names.len());
            }
            let louder = |own: f32| loudness(times(own).saturating_add(u32::from(mention.times.max(1))));
            if self.postings.change(place, key, louder) == Change::Appeared && is_public {
                self.counts.used(key);
            }
            said += 1;
        }
        if was_silent && said > 0 && is_public {
            self.counts.spoke();
        }
        said
    }

    /// An item that was added on `day` says something else now. What it does not say any more is taken back, what is new
    /// in it is said today.
    pub fn replace(&mut self, feed: FeedId, day: i64, before: &[Mention], now: &[Mention]) {
        let Some(place) = self.by_feed.get(&feed).copied() else { return };
        let is_public = self.slots[place as usize].as_ref().is_some_and(|slot| slot.is_public);
        let age_days = usize::try_from(self.day.saturating_sub(day)).unwrap_or(0);
        for mention in before.iter().filter(|mention| now.iter().all(|own| own.id != mention.id)) {
            let Some(key) = self.names.number(mention.id) else { continue };
            let quieter = |own: f32| loudness(times(own).saturating_sub(u32::from(mention.times.max(1))));
            let change = match age_days {
                0 => self.postings.change(place, key, quieter),
                _ => self.postings.change_before(place, age_days, key, quieter),
            };
            if change == Change::Vanished && is_public {
                self.counts.unused(key, age_days);
            }
        }
        self.say(feed, now.iter().filter(|mention| before.iter().all(|own| own.id != mention.id)));
    }

    /// Forgets a feed and all it said.
    pub fn remove_feed(&mut self, feed: FeedId) {
        let Some(place) = self.by_feed.remove(&feed) else { return };
        if self.slots[place as usize].take().is_some_and(|slot| slot.is_public) {
            let said: Vec<(usize, u32)> = self.postings.said(place).collect();
            said.into_iter().for_each(|(age_days, key)| self.counts.unused(key, age_days));
        }
        self.postings.clear(place);
        self.free.push(place);
    }

    /// Goes on to `day`, if that is later. Cheap on the same day, so that it may be called before every item.
    pub fn roll_to(&mut self, day: i64) {
        // After so many days nothing is left, however many more it were.
        let behind = usize::try_from(day.saturating_sub(self.day)).unwrap_or(0).min(super::HISTORY_DAYS + 1);
        for _ in 0..behind {
            self.postings.roll();
            self.counts.roll();
        }
        self.day = self.day.max(day);
        if behind > 0 {
            self.renumber();
            self.weigh();
        }
    }

    /// Keys that nobody used for long give their numbers back.
    fn renumber(&mut self) {
        let mut used = vec![false; self.names.len()];
        self.postings.mark(&mut used);
        self.counts.mark(&mut used);
        if used.iter().all(|used| *used) {
            return;
        }
        let numbers = self.names.keep(&used);
        self.postings.renumber(&numbers);
        self.counts.renumber(&numbers, GONE);
    }

    fn weigh(&mut self) {
        let weigh = |key: u32| {
            let (all, having) = self.counts.past(key);
            let is_stop = all >= STOP_DAYS && having as f64 > STOP_SHARE * all as f64;
            if is_stop { 0.0 } else { idf(all, having) }
        };
        self.idf = (0u32..).take(self.names.len()).map(weigh).collect();
    }

    /// Adds up what somebody's feeds say. Of more than [`SUBSCRIPTIONS_MAX`] subscriptions the first count.
    pub fn listen<'a>(&'a self, following: &[Following], window: Window, sums: &'a mut Sums) -> Heard<'a> {
        let follow = |own: &Following| {
            let feed = *self.by_feed.get(&own.feed)?;
            let site = self.slots[feed as usize].as_ref()?.site;
            Some(Follow { feed, weight: own.weight, site })
        };
        let mut follows: Vec<Follow> = following.iter().take(SUBSCRIPTIONS_MAX).filter_map(follow).collect();
        follows.sort_unstable_by_key(|follow| (follow.site, follow.feed));
        self.postings.sum(&follows, Span { days: window.days(), fading: true }, sums);
        Heard { buzz: self, sums, window, feeds: follows.len() }
    }

    /// The same for everybody together: how many public feeds say it, whoever reads them.
    pub fn listen_to_all<'a>(&'a self, window: Window, sums: &'a mut Sums) -> Heard<'a> {
        sums.begin(self.names.len());
        for age in 0..window.days() {
            sums.add_counts(self.counts.day(age), super::score::decay(age));
        }
        Heard { buzz: self, sums, window, feeds: usize::MAX }
    }

    /// What the index holds on to, in bytes.
    pub fn bytes(&self) -> usize {
        let chrome = self.slots.iter().flatten().map(|slot| slot.chrome.bytes());
        self.postings.bytes()
            + self.names.bytes()
            + self.counts.bytes()
            + self.idf.capacity() * 4
            + self.slots.capacity() * size_of::<Option<Slot>>()
            + chrome.sum::<usize>()
            + self.by_feed.capacity() * 17
    }
}

/// The answer to one question, from which lists are made.
#[derive(Debug)]
pub struct Heard<'a> {
    buzz: &'a Buzz,
    sums: &'a Sums,
    window: Window,
    feeds: usize,
}

impl<'a> Heard<'a> {
    /// The first `count` of a list, without what the reader does not want to see. Equal scores stand by sources, then by
    /// spelling.
    pub fn top(
        &self,
        order: Order,
        show: Show,
        count: usize,
        hides: impl Fn(KeyId) -> bool,
    ) -> Vec<Said<'a>> {
        let (names, sums) = (&self.buzz.names, self.sums);
        let stood_for = if show == Show::Words { self.stood_for() } else { Vec::new() };
        let mut found: Vec<(f64, u16, u32)> = sums
            .keys()
            .iter()
            .filter(|key| (names.kind(**key) == Kind::Link) == (show == Show::Links))
            .filter_map(|key| Some((self.score(order, show, *key)?, sums.sources(*key), *key)))
            .filter(|(_, _, key)| stood_for.binary_search(key).is_err() && !hides(names.id(*key)))
            .collect();
        let by_rank = |one: &(f64, u16, u32), other: &(f64, u16, u32)| -> Ordering {
            let scores = other.0.total_cmp(&one.0).then(other.1.cmp(&one.1));
            scores.then_with(|| names.text(one.2).cmp(names.text(other.2)))
        };
        if count < found.len() {
            found.select_nth_unstable_by(count, by_rank);
            found.truncate(count);
        }
        found.sort_unstable_by(by_rank);
        let said = |(score, sources, key): (f64, u16, u32)| Said {
            id: names.id(key),
            kind: names.kind(key),
            text: names.text(key),
            score,
            sources,
            source_days: sums.days(key),
        };
        found.into_iter().map(said).collect()
    }

    /// None for what is not worth a line.
    fn score(&self, order: Order, show: Show, key: u32) -> Option<f64> {
        let weight = f64::from(self.buzz.idf[key as usize]);
        if weight <= 0.0 {
            return None;
        }
        let (sums, counts) = (self.sums, &self.buzz.counts);
        match order {
            Order::Talked => {
                let few = show == Show::Links && self.feeds < FEW_FEEDS;
                (sums.sources(key) >= if few { 1 } else { 2 }).then(|| f64::from(sums.score(key)) * weight)
            }
            Order::Lift => {
                let mine = u64::from(sums.days(key));
                let all = (counts.within(key, self.window), counts.days_within(self.window));
                let score = lift(mine, u64::from(sums.source_days()), all.0, all.1);
                (mine >= 2 && score > 0.0).then_some(score)
            }
            Order::Rising => {
                let score = rising(f64::from(counts.today(key)), counts.usual(key));
                (counts.today(key) >= 2 && score > 0.0).then_some(score)
            }
        }
    }

    /// Words that a phrase says better, in order.
    fn stood_for(&self) -> Vec<u32> {
        let (names, sums) = (&self.buzz.names, self.sums);
        let mut words: Vec<u32> = sums
            .keys()
            .iter()
            .filter(|key| names.kind(**key) == Kind::Phrase && sums.sources(**key) >= 2)
            .flat_map(|key| names.parts(*key).map(|part| (part, sums.sources(*key))))
            .filter(|(part, sources)| {
                *part != GONE && f32::from(*sources) >= STANDS_FOR * f32::from(sums.sources(*part))
            })
            .map(|(part, _)| part)
            .collect();
        words.sort_unstable();
        words
    }
}

#[cfg(test)]
mod tests;
