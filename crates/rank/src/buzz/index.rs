//! What ships: everybody's Buzz, exactly, as of the last item (reference 2.4).
//!
//! One index for all people. An item is in everyone's Buzz as soon as it was added; days roll off; every size is bounded by
//! [`BuzzLimits`], and what does not fit is left out until there is room. A person's question is one pass over their feeds
//! ([`Buzz::listen`]), from which any list is made ([`Heard::top`]).

use super::counts::Counts;
use super::junk::Chrome;
use super::log::Log;
use super::mention::{KeyId, Kind, Mention};
use super::names::{GONE, Names};
use super::postings::{Change, DAYS, Follow, Late, Postings, SUBSCRIPTIONS_MAX, Sums};
use super::score::{decay, idf, lift, loudness, rising, times};
use domain::{FeedId, ItemId};
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
/// What is new or rising is said when so many days before are known, and by how much it must be above the usual.
const KNOWN_DAYS_MIN: usize = 3;
const RISING_MIN: f64 = 1.4;

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
    /// Since midnight UTC.
    Today,
    /// The last 24 hours: today, and of yesterday the share of the day that is still to come.
    LastDay {
        gone_percent: u8,
    },
    Week,
}

impl Window {
    pub(crate) fn days(self) -> usize {
        match self {
            Window::Today => 1,
            Window::LastDay { .. } => 2,
            Window::Week => DAYS,
        }
    }

    /// What each day counts, today first.
    fn weights(self) -> [f32; DAYS] {
        match self {
            Window::LastDay { gone_percent } => std::array::from_fn(|age| match age {
                0 => 1.0,
                1 => 1.0 - f32::from(gone_percent.min(100)) / 100.0,
                _ => 0.0,
            }),
            Window::Today | Window::Week => std::array::from_fn(decay),
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

/// How far a key is above the usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rise {
    /// Nobody said it before.
    New,
    /// So many times as many feeds as usual.
    Times(u32),
}

/// A key in the reader's feeds beside all public ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beside {
    /// In which share of the days on which a feed said anything it said this: of mine, and of everybody's.
    pub mine: f64,
    pub all: f64,
    pub rise: Option<Rise>,
}

#[derive(Debug, Clone)]
struct Slot {
    feed: FeedId,
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
    log: Log,
    /// What was said on closed days and is not counted yet.
    late: Vec<Late>,
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
            log: Log::default(),
            late: Vec::new(),
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
        if let Some(place) = self.place_of(feed) {
            if self.is_public(place) != is_public {
                self.turn(place, is_public);
            }
            if let Some(slot) = &mut self.slots[place as usize] {
                slot.site = site;
            }
            return true;
        }
        if self.by_feed.len() >= self.limits.feeds_max {
            return false;
        }
        let slot = Slot { feed, is_public, site, chrome: Chrome::default() };
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

    /// A feed that becomes private is counted no more; one that becomes public is counted from what it says next.
    fn turn(&mut self, place: u32, is_public: bool) {
        self.settle();
        if is_public {
            self.postings.clear(place);
            self.log.forget_feed(place);
        } else {
            self.uncount(place);
        }
        if let Some(slot) = &mut self.slots[place as usize] {
            slot.is_public = is_public;
        }
    }

    fn uncount(&mut self, place: u32) {
        let said: Vec<(usize, u32)> = self.postings.said(place).collect();
        said.into_iter().for_each(|(age_days, key)| self.counts.unused(key, age_days));
    }

    /// A new item, said today. How many of its mentions are in everyone's Buzz now; those of an unknown feed are not.
    pub fn add(&mut self, feed: FeedId, mentions: &[Mention]) -> usize {
        let Some(place) = self.place_of(feed) else { return 0 };
        let fresh = self.without_chrome(place, mentions);
        self.say(place, 0, fresh.into_iter()).len()
    }

    /// A new item of a day that may be over: it counts for its day once [`Buzz::settle`] was called. What is older than the
    /// days that are kept is left out; what is dated ahead is of today.
    pub fn hear(&mut self, feed: FeedId, item: ItemId, day: i64, second: u32, mentions: &[Mention]) {
        let age_days = usize::try_from(self.day.saturating_sub(day)).unwrap_or(0);
        let Some(place) = self.place_of(feed).filter(|_| age_days < DAYS) else { return };
        let fresh = self.without_chrome(place, mentions);
        let keys = self.say(place, age_days, fresh.into_iter());
        self.log.note(item, place, age_days, second, &keys);
    }

    /// An item says something else now. What it does not say any more is taken back, unless its feed says it elsewhere that
    /// day; what is new in it is said on the item's own day.
    pub fn revise(&mut self, item: ItemId, now: &[Mention]) {
        let Some((age_days, noted, before)) = self.log.find(item) else { return };
        let numbers: Vec<Option<u32>> = now.iter().map(|mention| self.names.number(mention.id)).collect();
        let gone: Vec<u32> = before.iter().copied().filter(|key| !numbers.contains(&Some(*key))).collect();
        let is_new = |number: &Option<u32>| number.is_none_or(|key| !before.contains(&key));
        let chrome =
            self.slots[noted.place as usize].as_ref().map(|slot| slot.chrome.clone()).unwrap_or_default();
        let new: Vec<&Mention> = now
            .iter()
            .zip(&numbers)
            .filter(|(mention, number)| is_new(number) && !chrome.covers(mention.id))
            .map(|(mention, _)| mention)
            .collect();
        let mut keys: Vec<u32> = before.iter().copied().filter(|key| numbers.contains(&Some(*key))).collect();
        keys.extend(self.say(noted.place, age_days, new.into_iter()));
        self.log.note(item, noted.place, age_days, noted.second, &keys);
        self.take_back(item, noted.place, age_days, &gone);
    }

    /// An item is gone, and what only it said.
    pub fn forget_item(&mut self, item: ItemId) {
        let Some((age_days, noted, keys)) = self.log.find(item) else { return };
        self.take_back(item, noted.place, age_days, &keys);
        self.log.forget_item(item);
    }

    fn take_back(&mut self, item: ItemId, place: u32, age_days: usize, keys: &[u32]) {
        self.settle();
        for key in keys.iter().copied().filter(|key| *key != GONE) {
            if self.log.others_say(item, place, age_days, key) {
                continue;
            }
            let change = match age_days {
                0 => self.postings.change(place, key, |_| 0.0),
                _ => self.postings.change_before(place, age_days, key, |_| 0.0),
            };
            if change == Change::Vanished && self.is_public(place) {
                self.counts.unused(key, age_days);
            }
        }
    }

    /// What a feed does not put under every item.
    fn without_chrome<'a>(&mut self, place: u32, mentions: &'a [Mention]) -> Vec<&'a Mention> {
        let Some(slot) = &mut self.slots[place as usize] else { return Vec::new() };
        let fresh = mentions.iter().filter(|mention| !slot.chrome.covers(mention.id)).collect();
        slot.chrome.hear(mentions.iter().map(|mention| mention.id));
        fresh
    }

    /// Tells the numbers of what was said.
    fn say<'a>(
        &mut self,
        place: u32,
        age_days: usize,
        mentions: impl Iterator<Item = &'a Mention>,
    ) -> Vec<u32> {
        let is_public = self.is_public(place);
        let was_silent = self.postings.said_today(place) == 0;
        let mut said = Vec::new();
        for mention in mentions {
            let is_full = age_days == 0 && self.postings.said_today(place) >= self.limits.day_references_max;
            if is_full || self.postings.references() + self.late.len() >= self.limits.references_max {
                break;
            }
            let Some(key) = self.names.of(mention, self.limits.keys_max) else { continue };
            if self.idf.len() < self.names.len() {
                self.idf.push(idf(self.counts.past_days(), 0));
                self.counts.grow(self.names.len());
            }
            let more = u32::from(mention.times.max(1));
            if age_days > 0 {
                self.late.push(Late { feed: place, age_days, key, times: more });
            } else {
                let louder = |own: f32| loudness(times(own).saturating_add(more));
                if self.postings.change(place, key, louder) == Change::Appeared && is_public {
                    self.counts.used(key);
                }
            }
            said.push(key);
        }
        if age_days == 0 && was_silent && !said.is_empty() && is_public {
            self.counts.spoke();
        }
        said
    }

    /// Counts what was said on days that are over. Cheap when nothing was.
    pub fn settle(&mut self) {
        if self.late.is_empty() {
            return;
        }
        let mut late = std::mem::take(&mut self.late);
        let merged = self.postings.merge(&mut late, self.limits.day_references_max);
        let is_public = |place: u32| self.slots[place as usize].as_ref().is_some_and(|slot| slot.is_public);
        let used: Vec<(usize, u32)> = merged
            .appeared
            .iter()
            .filter(|(place, _, _)| is_public(*place))
            .map(|(_, age_days, key)| (*age_days, *key))
            .collect();
        let spoke: Vec<usize> = merged
            .spoke
            .iter()
            .filter(|(place, _)| is_public(*place))
            .map(|(_, age_days)| *age_days)
            .collect();
        self.counts.late(used, spoke.into_iter());
        self.weigh();
    }

    /// Forgets a feed and all it said.
    pub fn remove_feed(&mut self, feed: FeedId) {
        let Some(place) = self.by_feed.remove(&feed) else { return };
        self.settle();
        if self.slots[place as usize].take().is_some_and(|slot| slot.is_public) {
            self.uncount(place);
        }
        self.postings.clear(place);
        self.log.forget_feed(place);
        self.free.push(place);
    }

    /// Goes on to `day`, if that is later. Cheap on the same day, so that it may be called before every item.
    pub fn roll_to(&mut self, day: i64) {
        // After so many days nothing is left, however many more it were.
        let behind = usize::try_from(day.saturating_sub(self.day)).unwrap_or(0).min(super::HISTORY_DAYS + 1);
        if behind > 0 {
            self.settle();
        }
        for _ in 0..behind {
            self.postings.roll();
            self.counts.roll();
            self.log.roll();
        }
        self.day = self.day.max(day);
        if behind > 0 {
            self.log.shrink(self.postings.references());
            self.renumber();
            self.weigh();
        }
    }

    /// Drops what there is no room for, as [`Buzz::roll_to`] does: for whoever adds many items at once.
    pub fn shrink(&mut self) {
        self.log.shrink(self.postings.references());
    }

    /// Keys that nobody used for long give their numbers back.
    fn renumber(&mut self) {
        let mut used = vec![false; self.names.len()];
        self.postings.mark(&mut used);
        self.counts.mark(&mut used);
        self.log.mark(&mut used);
        if used.iter().all(|used| *used) {
            return;
        }
        let numbers = self.names.keep(&used);
        self.postings.renumber(&numbers);
        self.counts.renumber(&numbers, GONE);
        self.log.renumber(&numbers);
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
        self.postings.sum_by(&follows, window.days(), Some(window.weights()), sums);
        Heard { buzz: self, sums, window, feeds: follows.len() }
    }

    /// The same for everybody together: how many public feeds say it, whoever reads them.
    pub fn listen_to_all<'a>(&'a self, window: Window, sums: &'a mut Sums) -> Heard<'a> {
        sums.begin(self.names.len());
        for (age, weight) in (0..window.days()).zip(window.weights()) {
            sums.add_counts(self.counts.day(age), weight);
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
            + self.log.bytes()
            + self.late.capacity() * size_of::<Late>()
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    pub(crate) fn idf_of(&self, key: u32) -> f32 {
        self.idf.get(key as usize).copied().unwrap_or(0.0)
    }

    pub(crate) fn places(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn place_of(&self, feed: FeedId) -> Option<u32> {
        self.by_feed.get(&feed).copied()
    }

    pub(crate) fn feed_at(&self, place: u32) -> Option<FeedId> {
        self.slots.get(place as usize)?.as_ref().map(|slot| slot.feed)
    }

    pub(crate) fn is_public(&self, place: u32) -> bool {
        self.slots.get(place as usize).and_then(Option::as_ref).is_some_and(|slot| slot.is_public)
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

    /// One line, whether or not it is worth one; none of what nobody here says.
    pub fn one(&self, id: KeyId) -> Option<Said<'a>> {
        let key = self.buzz.names.number(id)?;
        (self.sums.days(key) > 0).then(|| Said {
            id,
            kind: self.buzz.names.kind(key),
            text: self.buzz.names.text(key),
            score: f64::from(self.sums.score(key)) * f64::from(self.buzz.idf_of(key)),
            sources: self.sums.sources(key),
            source_days: self.sums.days(key),
        })
    }

    /// A key in these feeds beside all public ones.
    pub fn beside(&self, id: KeyId) -> Option<Beside> {
        let key = self.buzz.names.number(id)?;
        let counts = &self.buzz.counts;
        let share = |some: u64, all: u64| if all == 0 { 0.0 } else { some as f64 / all as f64 };
        Some(Beside {
            mine: share(u64::from(self.sums.days(key)), u64::from(self.sums.source_days())),
            all: share(counts.within(key, self.window), counts.days_within(self.window)),
            rise: self.rise(key),
        })
    }

    /// Only where enough is known to say so.
    fn rise(&self, key: u32) -> Option<Rise> {
        let counts = &self.buzz.counts;
        let (lately, usual) = (counts.lately(key, self.window), counts.usual(key)?);
        if counts.known_days() < KNOWN_DAYS_MIN || lately < 2.0 || rising(lately, usual) < RISING_MIN {
            return None;
        }
        let times = (lately / usual.max(f64::MIN_POSITIVE)).round();
        match usual > 0.0 {
            false => Some(Rise::New),
            true => (times >= 2.0).then_some(Rise::Times(times.min(99.0) as u32)),
        }
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
                let lately = counts.lately(key, self.window);
                let score = rising(lately, counts.usual(key).unwrap_or(0.0));
                (lately >= 2.0 && score > 0.0).then_some(score)
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
