//! One page for one person: scores, then an order that is not all of one feed and leaves no interest out.
//!
//! By score, ties by time; at most [`FEED_ROWS`] of one feed among any [`FEED_WINDOW`] rows; a story once; nothing that
//! was hidden. The first [`COVERED_ROWS`] rows have something of every interest that has something to offer, its best item
//! taking one of the last of these rows unless it came by itself, and at least as many feeds as there are interests. A
//! rule that leaves nothing to show is waived.

use crate::features::{Candidate, Feature, Features, Moment};
use crate::taste::Taste;
use crate::why::{Placed, Why};
use domain::{FeedId, ItemId};
use std::collections::HashSet;

/// Candidates that are looked at, the first ones.
pub const CANDIDATES_MAX: usize = 20_000;
/// Rows of a page at most.
pub const ROWS_MAX: usize = 500;
pub const FEED_ROWS: usize = 3;
pub const FEED_WINDOW: usize = 10;
pub const COVERED_ROWS: usize = 20;
/// Interests that the first rows must have.
const INTERESTS_MAX: usize = 10;
/// From this much liking on a topic is an interest.
const LIKED: f32 = 1.0;
/// The share from which an item is about a topic.
const ABOUT: f32 = 0.3;
/// Sessions in which every second row is the newest; more of them cost clicks in `lab rank`.
const COLD_SESSIONS: u32 = 2;

#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub moment: Moment<'a>,
    pub hidden: &'a HashSet<ItemId>,
    pub rows: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    pub item: ItemId,
    pub feed: FeedId,
    /// In logits, with what is added for the sake of learning.
    pub score: f64,
    /// How likely it is opened when it is read.
    pub chance: f64,
    /// Other candidates that tell the same story.
    pub copies: Vec<ItemId>,
    pub why: Why,
}

/// The page. Neither clock nor dice: the same taste and candidates give the same page.
pub fn for_you(taste: &Taste, candidates: &[Candidate], page: Page<'_>) -> Vec<Ranked> {
    let considered =
        candidates.iter().take(CANDIDATES_MAX).filter(|candidate| !page.hidden.contains(&candidate.item));
    let mut scored: Vec<Scored<'_>> = considered
        .map(|candidate| {
            let expected = taste.expect(&taste.features(candidate, page.moment));
            Scored { candidate, score: expected.score(), mean: expected.mean }
        })
        .collect();
    scored.sort_unstable_by(|one, other| {
        let newer = other.candidate.published_at.cmp(&one.candidate.published_at);
        other.score.total_cmp(&one.score).then(newer).then(one.candidate.item.cmp(&other.candidate.item))
    });
    let mut draft = Draft::new(taste, &scored);
    let rows = page.rows.min(ROWS_MAX);
    while draft.rows.len() < rows {
        let Some((nth, placed)) = draft.next(rows.min(COVERED_ROWS)) else { break };
        draft.take(nth, placed);
    }
    let copies = draft.copies();
    let picked = draft.rows.iter().zip(copies).filter_map(|((nth, placed), copies)| {
        let Scored { candidate, score, mean } = *scored.get(*nth)?;
        let why = Why::of(taste, &Features::of(candidate, taste.words(), page.moment), *placed);
        let (item, feed) = (candidate.item, candidate.feed);
        Some(Ranked { item, feed, score, chance: crate::weight::sigmoid(mean), copies, why })
    });
    picked.collect()
}

#[derive(Debug, Clone, Copy)]
struct Scored<'a> {
    candidate: &'a Candidate,
    score: f64,
    mean: f64,
}

/// A page that is being filled, by places in the order of scores.
struct Draft<'a> {
    scored: &'a [Scored<'a>],
    /// The same, newest first; empty once the person is known.
    newest: Vec<usize>,
    rows: Vec<(usize, Option<Placed>)>,
    /// Topics of interest that no row has yet.
    interests: Vec<u16>,
    /// Different feeds that the first rows must have.
    feeds_wanted: usize,
    feeds: HashSet<FeedId>,
    items: HashSet<ItemId>,
    stories: HashSet<u64>,
    /// Everything before has been taken or told.
    from: usize,
}

impl<'a> Draft<'a> {
    fn new(taste: &Taste, scored: &'a [Scored<'a>]) -> Self {
        let feeds: HashSet<FeedId> = scored.iter().map(|one| one.candidate.feed).collect();
        let topics: HashSet<u16> = scored.iter().flat_map(|one| about(one.candidate)).collect();
        let mut interests = taste.liked_topics(LIKED, INTERESTS_MAX);
        interests.retain(|topic| topics.contains(topic));
        let mut newest: Vec<usize> = Vec::new();
        if taste.sessions() < COLD_SESSIONS {
            newest.extend(0..scored.len());
            newest.sort_by_key(|nth| std::cmp::Reverse(scored[*nth].candidate.published_at));
        }
        Draft {
            scored,
            newest,
            rows: Vec::new(),
            feeds_wanted: interests.len().min(feeds.len()),
            feeds: HashSet::new(),
            interests,
            items: HashSet::new(),
            stories: HashSet::new(),
            from: 0,
        }
    }

    fn next(&mut self, covered_rows: usize) -> Option<(usize, Option<Placed>)> {
        while self.from < self.scored.len() && !self.is_new(self.from) {
            self.from += 1;
        }
        let open = self.from..self.scored.len();
        let fitting = open.clone().find(|nth| self.is_new(*nth) && self.fits(*nth));
        let best = fitting.or_else(|| open.into_iter().find(|nth| self.is_new(*nth)))?;
        let row = self.rows.len();
        let rows_left = covered_rows.saturating_sub(row);
        if rows_left > 0 && self.interests.len() >= rows_left {
            match self.best_of_interests(rows_left) {
                Some((nth, topic)) if nth != best => {
                    return Some((nth, Some(Placed::Interest(Feature::Topic(topic)))));
                }
                Some(_) => return Some((best, None)),
                None => {}
            }
        }
        if rows_left > 0 && self.feeds_wanted.saturating_sub(self.feeds.len()) >= rows_left {
            let other =
                |nth: &usize| self.is_new(*nth) && !self.feeds.contains(&self.scored[*nth].candidate.feed);
            if let Some(nth) = (self.from..self.scored.len()).find(other) {
                return Some((nth, Some(Placed::OtherFeed).filter(|_| nth != best)));
            }
        }
        if row % 2 == 1 && !self.newest.is_empty() {
            let newest = self.newest.iter().copied().find(|nth| self.is_new(*nth) && self.fits(*nth));
            if let Some(nth) = newest {
                return Some((nth, Some(Placed::Newest)));
            }
        }
        Some((best, None))
    }

    /// The best item of an interest that has none yet, when there are as many of these as rows.
    fn best_of_interests(&self, rows_left: usize) -> Option<(usize, u16)> {
        let best = |topic: u16| {
            let open = self.from..self.scored.len();
            open.into_iter().find(|nth| self.is_about(*nth, topic) && self.is_new(*nth) && self.fits(*nth))
        };
        let offered: Vec<(usize, u16)> =
            self.interests.iter().filter_map(|topic| Some((best(*topic)?, *topic))).collect();
        if offered.len() >= rows_left { offered.into_iter().min_by_key(|(nth, _)| *nth) } else { None }
    }

    fn take(&mut self, nth: usize, placed: Option<Placed>) {
        let candidate = self.scored[nth].candidate;
        self.rows.push((nth, placed));
        self.items.insert(candidate.item);
        self.feeds.insert(candidate.feed);
        self.stories.extend(candidate.story);
        let mut interests = std::mem::take(&mut self.interests);
        interests.retain(|topic| !self.is_about(nth, *topic));
        self.interests = interests;
    }

    fn is_new(&self, nth: usize) -> bool {
        let candidate = self.scored[nth].candidate;
        !self.items.contains(&candidate.item)
            && candidate.story.is_none_or(|story| !self.stories.contains(&story))
    }

    fn fits(&self, nth: usize) -> bool {
        let feed = self.scored[nth].candidate.feed;
        let window = self.rows.iter().rev().take(FEED_WINDOW - 1);
        window.filter(|(other, _)| self.scored[*other].candidate.feed == feed).count() < FEED_ROWS
    }

    fn is_about(&self, nth: usize, topic: u16) -> bool {
        about(self.scored[nth].candidate).any(|own| own == topic)
    }

    /// What each row's story has left out.
    fn copies(&self) -> Vec<Vec<ItemId>> {
        let mut copies = vec![Vec::new(); self.rows.len()];
        if self.stories.is_empty() {
            return copies;
        }
        let story = |nth: usize| self.scored[nth].candidate.story;
        let told = self.rows.iter().enumerate();
        let rows: std::collections::HashMap<u64, usize> =
            told.filter_map(|(row, (nth, _))| Some((story(*nth)?, row))).collect();
        for (nth, other) in self.scored.iter().enumerate() {
            let told = story(nth).and_then(|story| rows.get(&story));
            if let Some(row) = told.filter(|_| !self.items.contains(&other.candidate.item)) {
                copies[*row].push(other.candidate.item);
            }
        }
        copies
    }
}

/// The topics an item is about; two or three at most.
fn about(candidate: &Candidate) -> impl Iterator<Item = u16> + '_ {
    candidate.topics.iter().filter(|(_, share)| *share >= ABOUT).map(|(topic, _)| *topic)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests;
