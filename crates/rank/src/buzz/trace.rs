//! What became of a word over time, which items say it, and what goes with it: asked for the few keys a page shows.

use super::index::{Buzz, Following};
use super::mention::{KeyId, Kind};
use super::names::GONE;
use super::postings::{DAYS, SUBSCRIPTIONS_MAX};
use domain::{FeedId, ItemId};
use std::collections::HashMap;

const DAY_S: i64 = 86_400;
/// Keys one question may name, and parts a time may be cut into.
pub const TRACED_MAX: usize = 64;
pub const PARTS_MAX: usize = 200;
/// What goes with a word is in so many of its items.
const TOGETHER_MIN: u32 = 2;

/// The time that is looked at, cut into equal parts, the last one ending at `until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// Seconds since 1970.
    pub until: i64,
    pub count: usize,
    pub seconds: i64,
}

impl Parts {
    fn part(self, at: i64) -> Option<usize> {
        let seconds = self.seconds.max(1);
        let count = self.count.min(PARTS_MAX);
        // What is dated a little ahead is of now.
        let back = usize::try_from((self.until - at).max(0) / seconds).ok()?;
        count.checked_sub(1)?.checked_sub(back)
    }
}

/// One key over time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// Items that say it, of the reader's feeds, by part.
    pub mine: Vec<u32>,
    /// The same of all public feeds.
    pub all: Vec<u32>,
    /// How many of the reader's items say it.
    pub items: u32,
    /// The newest of them, newest first.
    pub newest: Vec<(ItemId, FeedId)>,
    /// The first of them since `Parts` begins.
    pub first: Option<(ItemId, FeedId, i64)>,
    /// Feeds of the reader that say it, the loudest first.
    pub feeds: Vec<FeedId>,
}

impl Buzz {
    /// What became of each of the keys, at most [`TRACED_MAX`]; those that nobody knows have empty traces.
    pub fn trace(
        &self,
        keys: &[KeyId],
        following: &[Following],
        parts: Parts,
        items_max: usize,
    ) -> Vec<Trace> {
        let keys = &keys[..keys.len().min(TRACED_MAX)];
        let count = parts.count.min(PARTS_MAX);
        let mut traces: Vec<Trace> = keys
            .iter()
            .map(|_| Trace { mine: vec![0; count], all: vec![0; count], ..Trace::default() })
            .collect();
        // By number which of the keys it is, one more than its place; most are none.
        let mut wanted = vec![0u8; self.names().len()];
        for (nth, key) in (1u8..).zip(keys) {
            if let Some(number) = self.names().number(*key) {
                wanted[number as usize] = nth;
            }
        }
        let mine = self.places_of(following);
        let mut said: HashMap<(usize, u32), u32> = HashMap::new();
        self.each(parts, |noted, at, part, keys| {
            let is_mine = mine.get(noted.place as usize) == Some(&true);
            let is_public = self.is_public(noted.place);
            if !is_mine && !is_public {
                return;
            }
            let Some(feed) = self.feed_at(noted.place) else { return };
            for key in keys {
                let Some(nth) = wanted.get(*key as usize).and_then(|nth| usize::from(*nth).checked_sub(1))
                else {
                    continue;
                };
                let trace = &mut traces[nth];
                trace.all[part] += u32::from(is_public);
                if is_mine {
                    trace.mine[part] += 1;
                    trace.items += 1;
                    trace.newest.push((noted.item, feed));
                    *said.entry((nth, noted.place)).or_default() += 1;
                    if trace.first.is_none_or(|(_, _, first)| at < first) {
                        trace.first = Some((noted.item, feed, at));
                    }
                }
            }
        });
        let mut said: Vec<((usize, u32), u32)> = said.into_iter().collect();
        said.sort_unstable_by_key(|((nth, place), count)| (*nth, std::cmp::Reverse(*count), *place));
        for ((nth, place), _) in said {
            traces[nth].feeds.extend(self.feed_at(place));
        }
        for trace in &mut traces {
            trace.newest.sort_unstable_by(|one, other| other.cmp(one));
            trace.newest.truncate(items_max);
        }
        traces
    }

    /// Words and phrases that stand in the same items of the reader's feeds as `key` does, those that say most first.
    pub fn goes_with(
        &self,
        key: KeyId,
        following: &[Following],
        parts: Parts,
        count: usize,
    ) -> Vec<(KeyId, String)> {
        let Some(number) = self.names().number(key) else { return Vec::new() };
        let mine = self.places_of(following);
        let mut together: HashMap<u32, u32> = HashMap::new();
        self.each(parts, |noted, _, _, keys| {
            if mine.get(noted.place as usize) == Some(&true) && keys.contains(&number) {
                keys.iter().for_each(|other| *together.entry(*other).or_default() += 1);
            }
        });
        let own = self.names().parts(number);
        // Its own words, phrases it is part of, and links say nothing more.
        let is_other = |other: u32| {
            other != number
                && other != GONE
                && !own.contains(&other)
                && self.names().kind(other) != Kind::Link
                && !self
                    .names()
                    .parts(other)
                    .iter()
                    .any(|part| *part == number || (*part != GONE && own.contains(part)))
        };
        let mut found: Vec<(f64, u32)> = together
            .into_iter()
            .filter(|(other, items)| *items >= TOGETHER_MIN && is_other(*other))
            .map(|(other, items)| (f64::from(items) * f64::from(self.idf_of(other)), other))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        found.sort_unstable_by(|one, other| {
            other.0.total_cmp(&one.0).then_with(|| self.names().text(one.1).cmp(self.names().text(other.1)))
        });
        let mut kept: Vec<u32> = Vec::new();
        for (_, other) in found {
            if kept.len() >= count {
                break;
            }
            // A phrase and its word are one thing.
            let tied = |one: u32, two: u32| self.names().parts(one).contains(&two);
            if !kept.iter().any(|own| tied(*own, other) || tied(other, *own)) {
                kept.push(other);
            }
        }
        kept.into_iter().map(|other| (self.names().id(other), self.names().text(other).to_owned())).collect()
    }

    fn places_of(&self, following: &[Following]) -> Vec<bool> {
        let mut mine = vec![false; self.places()];
        for own in following.iter().take(SUBSCRIPTIONS_MAX).filter(|own| own.weight > 0.0) {
            if let Some(place) = self.place_of(own.feed) {
                mine[place as usize] = true;
            }
        }
        mine
    }

    /// Every item of the time, with when it was and in which part.
    fn each(&self, parts: Parts, mut visit: impl FnMut(&super::log::Noted, i64, usize, &[u32])) {
        let count = i64::try_from(parts.count.min(PARTS_MAX)).unwrap_or(0);
        let begin = parts.until.saturating_sub(parts.seconds.max(1).saturating_mul(count));
        for (days, age) in (0i64..).zip(0..DAYS) {
            let midnight = (self.day() - days) * DAY_S;
            if midnight + DAY_S < begin {
                break;
            }
            for (noted, keys) in self.log().day(age) {
                let at = midnight + i64::from(noted.second);
                if let Some(part) = parts.part(at) {
                    visit(noted, at, part, keys);
                }
            }
        }
    }
}
