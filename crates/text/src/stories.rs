//! Stories: the same news in several feeds, found as items come.
//!
//! Two items of different feeds tell one story when they lead to the same article, when they are the same text, or, for
//! texts too short to compare, when they have the same title. The same words around other figures are two issues of a
//! series (weather, results, releases): near-duplicates, but not one story. A newcomer joins the story of the item it is
//! most like; stories are never merged, so that a chain of half-alike texts does not become one. What is older than
//! [`STORY_DAYS`] is forgotten, and so is the oldest when the index is full.
//!
//! A server that keeps band keys in its store can do without this index and use [`Sighting`]'s keys alone.

use crate::fingerprint::{BANDS, Fingerprint, SAME_TEXT, title_key};
use crate::link::{canonical_link, leads_to_an_article};
use crate::tokens::Tokens;
use domain::Timestamp;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

pub const STORY_DAYS: u64 = 14;
/// Items under one key that are looked at, the latest.
const CANDIDATES_MAX: usize = 64;

/// One item, as far as it takes to know it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    pub item: u64,
    pub feed: u64,
    /// When we found it.
    pub at: Timestamp,
    /// Hash of the canonical link, where that leads to an article.
    pub link: Option<u64>,
    /// Hash of the title's words and figures.
    pub title: Option<u64>,
    pub print: Option<Fingerprint>,
}

impl Sighting {
    pub fn new(item: u64, feed: u64, at: Timestamp, title: &str, text: &str, link: Option<&str>) -> Self {
        Self::of_tokens(item, feed, at, &Tokens::of_item(title, text), &Tokens::of(title), link)
    }

    /// The same for tokens that are there already: those of title and text, and those of the title.
    pub fn of_tokens(
        item: u64,
        feed: u64,
        at: Timestamp,
        tokens: &Tokens,
        title: &Tokens,
        link: Option<&str>,
    ) -> Self {
        let link = link.and_then(canonical_link).filter(|link| leads_to_an_article(link));
        Sighting {
            item,
            feed,
            at,
            link: link.map(|link| xxh3_64(link.as_bytes())),
            title: title_key(title),
            print: Fingerprint::of(tokens),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// Around other figures: near-duplicates, but not one story.
    SameWords,
    SameTitle,
    SameText,
    SameLink,
}

impl Why {
    /// Whether it makes two items one story.
    pub fn is_story(self) -> bool {
        self != Why::SameWords
    }
}

/// An earlier item that tells the same story, or something in the same words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    pub item: u64,
    pub feed: u64,
    /// The first item of the story it belongs to.
    pub story: u64,
    pub why: Why,
    /// Shared part of the text; one where link or title decided.
    pub likeness: f64,
}

#[derive(Debug)]
struct Known {
    sighting: Sighting,
    story: u64,
}

/// The items of the last days, by what they can be known by.
#[derive(Debug)]
pub struct Stories {
    known: VecDeque<Known>,
    /// The number of the first in `known`.
    first: u64,
    /// Numbers by key, ascending. Keys of bands, links and titles do not meet: they are hashed apart.
    keys: HashMap<u64, Vec<u64>>,
    items_max: usize,
}

impl Stories {
    pub fn new(items_max: usize) -> Self {
        Stories { known: VecDeque::new(), first: 0, keys: HashMap::new(), items_max: items_max.max(1) }
    }

    /// Items that tell the same story, from other feeds, most alike first, and behind them those of the same words only.
    pub fn find(&self, sighting: &Sighting) -> Vec<Match> {
        let mut numbers: Vec<u64> =
            keys(sighting).filter_map(|key| self.keys.get(&key)).flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let link = self.link_of_one_article(sighting);
        let mut found: Vec<Match> = numbers
            .into_iter()
            .filter_map(|number| {
                let known = self.at(number)?;
                let (why, likeness) = alike(sighting, &known.sighting, link)?;
                let Sighting { item, feed, .. } = known.sighting;
                Some(Match { item, feed, story: known.story, why, likeness })
            })
            .collect();
        found.sort_by(|one, other| {
            let stories_first = other.why.is_story().cmp(&one.why.is_story());
            stories_first
                .then(other.likeness.total_cmp(&one.likeness))
                .then(other.why.cmp(&one.why))
                .then(one.item.cmp(&other.item))
        });
        found
    }

    /// Takes an item in and says which story it tells, its own if nobody told it before, and where else.
    pub fn add(&mut self, sighting: Sighting) -> (u64, Vec<Match>) {
        self.forget(sighting.at);
        let found = self.find(&sighting);
        let best = found.first().filter(|best| best.why.is_story());
        let story = best.map_or(sighting.item, |best| best.story);
        let number = self.first + self.known.len() as u64;
        for key in keys(&sighting) {
            let list = self.keys.entry(key).or_default();
            if list.last() == Some(&number) {
                continue;
            }
            if list.len() >= CANDIDATES_MAX {
                list.remove(0);
            }
            list.push(number);
        }
        self.known.push_back(Known { sighting, story });
        (story, found)
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn at(&self, number: u64) -> Option<&Known> {
        self.known.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn forget(&mut self, now: Timestamp) {
        let since = now.saturating_sub(Duration::from_secs(STORY_DAYS * 86_400));
        while self.known.len() >= self.items_max
            || self.known.front().is_some_and(|known| known.sighting.at < since)
        {
            let Some(oldest) = self.known.pop_front() else { return };
            for key in keys(&oldest.sighting) {
                if let Some(list) = self.keys.get_mut(&key) {
                    list.retain(|number| *number != self.first);
                    if list.is_empty() {
                        self.keys.remove(&key);
                    }
                }
            }
            self.first += 1;
        }
    }

    /// The link, unless a feed gives it to several items: then it is a front page by another name.
    fn link_of_one_article(&self, sighting: &Sighting) -> Option<u64> {
        let link = sighting.link?;
        let numbers = self.keys.get(&apart(link, 1)).map_or(&[][..], Vec::as_slice);
        let mut feeds: Vec<u64> =
            numbers.iter().filter_map(|number| Some(self.at(*number)?.sighting.feed)).collect();
        feeds.push(sighting.feed);
        let all = feeds.len();
        feeds.sort_unstable();
        feeds.dedup();
        (feeds.len() == all).then_some(link)
    }
}

fn keys(sighting: &Sighting) -> impl Iterator<Item = u64> + '_ {
    let bands = sighting.print.iter().flat_map(|print| print.band_keys().iter().copied());
    let link = sighting.link.map(|link| apart(link, 1));
    let title = sighting.title.map(|title| apart(title, 2));
    bands.chain(link).chain(title)
}

fn apart(key: u64, kind: u64) -> u64 {
    (key ^ kind.wrapping_mul(BANDS as u64 + 0x9e37)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn alike(one: &Sighting, other: &Sighting, link: Option<u64>) -> Option<(Why, f64)> {
    if one.feed == other.feed {
        return None;
    }
    if link.is_some() && link == other.link {
        return Some((Why::SameLink, 1.0));
    }
    match (&one.print, &other.print) {
        (Some(print), Some(known)) => {
            let (words, figures) = print.compared(known);
            match (words >= SAME_TEXT, figures >= SAME_TEXT) {
                (true, true) => Some((Why::SameText, figures)),
                (true, false) => Some((Why::SameWords, words)),
                _ => None,
            }
        }
        _ => (one.title.is_some() && one.title == other.title).then_some((Why::SameTitle, 1.0)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests;
