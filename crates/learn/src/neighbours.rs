//! Which feeds are nearest to something: another feed, a text, several feeds at once.
//!
//! An inverted index over the [`Summary`]s of many feeds: for each term the feeds that have it and how much it weighs
//! there, every summary scaled to length one, so that likeness (eq. 1) is a sum over the terms both sides have. A feed
//! remembers where its terms lie, so putting, replacing and removing it costs its terms and not the length of lists.
//!
//! Who may see which feed is the caller's to know: put in only what anybody may see, or say who may in
//! [`Neighbours::nearest`]. Nothing here is stored; the summaries are.

use crate::summary::{PAIRS_KEPT, Summary, WORDS_KEPT, Weighted};
use domain::FeedId;
use std::collections::HashMap;
use text::TermId;

/// Terms of an interest, the heaviest ones.
pub const INTEREST_TERMS_MAX: usize = 512;
/// Summaries that make one interest, the first ones.
pub const INTEREST_PARTS_MAX: usize = 5_000;
/// Feeds of one answer.
pub const NEAREST_MAX: usize = 1_000;

/// What somebody looks for: weighted terms, of one summary or blended from several.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Interest {
    /// Of length one, in order of id.
    terms: Vec<(TermId, f64)>,
}

impl Interest {
    /// A feed, or a text ([`Summary::of_text`]).
    pub fn of(summary: &Summary) -> Self {
        Self::blend([(summary, 1.0)])
    }

    /// Several with their weights: the feeds of an OPML, what somebody reads and how much of it. Each counts by its
    /// weight and not by how much it says; weights that are not above zero count nothing.
    pub fn blend<'a>(parts: impl IntoIterator<Item = (&'a Summary, f64)>) -> Self {
        let mut sums: HashMap<TermId, f64> = HashMap::new();
        for (summary, weight) in parts.into_iter().take(INTEREST_PARTS_MAX) {
            if weight > 0.0 && weight.is_finite() {
                for (term, share) in unit(summary) {
                    *sums.entry(term).or_default() += weight * share;
                }
            }
        }
        let mut terms: Vec<(TermId, f64)> = sums.into_iter().collect();
        terms.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        terms.truncate(INTEREST_TERMS_MAX);
        terms.sort_unstable_by_key(|(term, _)| *term);
        let length = terms.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        terms.iter_mut().for_each(|(_, weight)| *weight /= length);
        Interest { terms }
    }

    /// Nothing is near it.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Why a feed is near: the terms of its summary that count most, heaviest first.
    pub fn shared<'a>(&self, summary: &'a Summary, count: usize) -> Vec<&'a Weighted> {
        let mut all: Vec<(f64, &Weighted)> = summary
            .terms()
            .filter_map(|term| {
                let place = self.terms.binary_search_by_key(&term.id, |(id, _)| *id).ok()?;
                Some((self.terms[place].1 * term.weight, term))
            })
            .collect();
        all.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.id.cmp(&other.1.id)));
        all.truncate(count);
        all.into_iter().map(|(_, term)| term).collect()
    }
}

/// A feed and how alike it is, above 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    pub feed: FeedId,
    pub similarity: f64,
}

/// One feed under one term.
#[derive(Debug, Clone, Copy)]
struct Entry {
    slot: u32,
    /// Which of the feed's own terms this is.
    nth: u32,
    weight: f32,
}

/// One feed and where its terms lie.
#[derive(Debug, Clone)]
struct Slot {
    feed: FeedId,
    places: Vec<(TermId, u32)>,
}

/// Feeds by their terms.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// Publishers choose the words of all feeds, so these tables keep the careful hash.
    lists: HashMap<TermId, Vec<Entry>>,
    by_feed: HashMap<FeedId, u32>,
    slots: Vec<Slot>,
    feeds_max: usize,
}

impl Neighbours {
    /// Some 3 KB a feed.
    pub fn new(feeds_max: usize) -> Self {
        let feeds_max = feeds_max.clamp(1, u32::MAX as usize);
        Neighbours { lists: HashMap::new(), by_feed: HashMap::new(), slots: Vec::new(), feeds_max }
    }

    /// Adds a feed or replaces what was known of it. False when there is no room for another one.
    pub fn put(&mut self, feed: FeedId, summary: &Summary) -> bool {
        self.remove(feed);
        if self.slots.len() >= self.feeds_max {
            return false;
        }
        let slot = self.slots.len() as u32;
        let mut places = Vec::new();
        for (nth, (term, weight)) in (0..).zip(unit(summary)) {
            let list = self.lists.entry(term).or_default();
            places.push((term, list.len() as u32));
            list.push(Entry { slot, nth, weight: weight as f32 });
        }
        self.by_feed.insert(feed, slot);
        self.slots.push(Slot { feed, places });
        true
    }

    /// False when it was not there.
    pub fn remove(&mut self, feed: FeedId) -> bool {
        let Some(slot) = self.by_feed.remove(&feed) else { return false };
        let gone = self.slots.swap_remove(slot as usize);
        for (term, place) in gone.places {
            let Some(list) = self.lists.get_mut(&term) else { continue };
            list.swap_remove(place as usize);
            // The last of the list took its place, and may be of the feed that is about to take the slot.
            if let Some(moved) = list.get(place as usize) {
                let holder = if moved.slot as usize == self.slots.len() { slot } else { moved.slot };
                self.slots[holder as usize].places[moved.nth as usize].1 = place;
            }
            if list.is_empty() {
                self.lists.remove(&term);
            }
        }
        if let Some(moved) = self.slots.get(slot as usize) {
            self.by_feed.insert(moved.feed, slot);
            for (term, place) in &moved.places {
                if let Some(entry) = self.lists.get_mut(term).and_then(|list| list.get_mut(*place as usize)) {
                    entry.slot = slot;
                }
            }
        }
        true
    }

    pub fn contains(&self, feed: FeedId) -> bool {
        self.by_feed.contains_key(&feed)
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The feeds most alike that `may` be shown, nearest first, of equals the lower id; those that share no term are
    /// never among them. At most [`NEAREST_MAX`].
    pub fn nearest(&self, interest: &Interest, count: usize, may: impl Fn(FeedId) -> bool) -> Vec<Near> {
        let mut sums = vec![0f64; self.slots.len()];
        let mut touched: Vec<u32> = Vec::new();
        for (term, weight) in &interest.terms {
            for entry in self.lists.get(term).into_iter().flatten() {
                let sum = &mut sums[entry.slot as usize];
                if *sum == 0.0 {
                    touched.push(entry.slot);
                }
                *sum += weight * f64::from(entry.weight);
            }
        }
        let mut found: Vec<Near> = touched
            .into_iter()
            .map(|slot| Near {
                feed: self.slots[slot as usize].feed,
                similarity: sums[slot as usize].clamp(0.0, 1.0),
            })
            .filter(|near| may(near.feed))
            .collect();
        let order = |one: &Near, other: &Near| {
            other.similarity.total_cmp(&one.similarity).then(one.feed.cmp(&other.feed))
        };
        let count = count.min(NEAREST_MAX);
        if count < found.len() {
            found.select_nth_unstable_by(count, order);
            found.truncate(count);
        }
        found.sort_unstable_by(order);
        found
    }
}

/// The terms of a summary with weights of length one; each id once, which a stored summary may not promise.
fn unit(summary: &Summary) -> Vec<(TermId, f64)> {
    let mut terms: Vec<(TermId, f64)> = summary
        .terms()
        .filter(|term| term.weight > 0.0 && term.weight.is_finite())
        .take(WORDS_KEPT + PAIRS_KEPT)
        .map(|term| (term.id, term.weight))
        .collect();
    terms.sort_unstable_by_key(|(term, _)| *term);
    terms.dedup_by_key(|(term, _)| *term);
    // By the heaviest first, so that squares stay within what a float can hold.
    let heaviest = terms.iter().map(|(_, weight)| *weight).fold(f64::MIN_POSITIVE, f64::max);
    let length = terms.iter().map(|(_, weight)| (weight / heaviest).powi(2)).sum::<f64>().sqrt();
    terms.iter_mut().for_each(|(_, weight)| *weight = *weight / heaviest / length);
    terms
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn summary(terms: &[(u64, f64)]) -> Summary {
        let weighted = |(id, weight): &(u64, f64)| Weighted {
            id: TermId(*id),
            text: format!("t{id}"),
            weight: *weight,
            count: 1,
            phrase: false,
        };
        Summary::new(1, terms.iter().map(weighted))
    }

    fn ids(near: &[Near]) -> Vec<i64> {
        near.iter().map(|near| near.feed.0).collect()
    }

    fn anybody(_: FeedId) -> bool {
        true
    }

    fn three() -> Neighbours {
        let mut known = Neighbours::new(10);
        known.put(FeedId(1), &summary(&[(2, 3.0), (4, 1.0)]));
        known.put(FeedId(2), &summary(&[(2, 1.0), (6, 3.0)]));
        known.put(FeedId(3), &summary(&[(8, 1.0)]));
        known
    }

    #[test]
    fn feeds_like_this_one_come_nearest_first_and_strangers_not_at_all() {
        let known = three();
        let near = known.nearest(&Interest::of(&summary(&[(2, 1.0), (4, 1.0)])), 10, anybody);
        assert_eq!(ids(&near), [1, 2]);
        assert!((near[0].similarity - 4.0 / 20f64.sqrt()).abs() < 1e-6);
        assert!(known.nearest(&Interest::default(), 10, anybody).is_empty());
        assert!(known.nearest(&Interest::of(&summary(&[])), 10, anybody).is_empty());
    }

    #[test]
    fn what_somebody_may_not_see_is_not_counted() {
        let known = three();
        let asked = Interest::of(&summary(&[(2, 1.0)]));
        assert_eq!(ids(&known.nearest(&asked, 1, |feed| feed != FeedId(1))), [2]);
        assert!(known.nearest(&asked, 0, anybody).is_empty());
    }

    #[test]
    fn equals_come_in_order_of_their_ids() {
        let mut known = Neighbours::new(100);
        for feed in [9, 3, 7, 1] {
            known.put(FeedId(feed), &summary(&[(2, 1.0)]));
        }
        assert_eq!(ids(&known.nearest(&Interest::of(&summary(&[(2, 5.0)])), 3, anybody)), [1, 3, 7]);
    }

    #[test]
    fn several_feeds_count_by_their_weights_and_not_by_their_lengths() {
        let (bees, trains) = (summary(&[(2, 100.0)]), summary(&[(4, 1.0)]));
        let mut known = Neighbours::new(10);
        known.put(FeedId(1), &bees);
        known.put(FeedId(2), &trains);
        let nearest = |bees_weight: f64, trains_weight: f64| {
            let blend = Interest::blend([(&bees, bees_weight), (&trains, trains_weight)]);
            ids(&known.nearest(&blend, 10, anybody))
        };
        assert_eq!(nearest(1.0, 2.0), [2, 1]);
        assert_eq!(nearest(2.0, 1.0), [1, 2]);
        assert_eq!(nearest(1.0, 0.0), [1]);
        assert_eq!(nearest(-1.0, f64::NAN), [0; 0]);
    }

    #[test]
    fn a_feed_says_why_it_is_near() {
        let feed = summary(&[(2, 1.0), (4, 5.0), (6, 9.0)]);
        let asked = Interest::of(&summary(&[(2, 10.0), (4, 3.0), (8, 1.0)]));
        let why: Vec<u64> = asked.shared(&feed, 5).into_iter().map(|term| term.id.0).collect();
        assert_eq!(why, [4, 2]);
        assert_eq!(asked.shared(&feed, 1).len(), 1);
    }

    #[test]
    fn a_full_index_takes_no_more_feeds_but_still_news_of_those_it_has() {
        let mut known = Neighbours::new(2);
        let (one, other) = (summary(&[(2, 1.0)]), summary(&[(4, 1.0)]));
        assert!(known.put(FeedId(1), &one) && known.put(FeedId(2), &one));
        assert!(!known.put(FeedId(3), &one));
        assert!(known.put(FeedId(2), &other));
        assert_eq!(ids(&known.nearest(&Interest::of(&other), 9, anybody)), [2]);
        assert!(known.remove(FeedId(1)) && !known.remove(FeedId(1)));
        assert!(known.put(FeedId(3), &one) && known.contains(FeedId(3)) && known.len() == 2);
    }

    #[test]
    fn an_interest_of_thousands_of_feeds_stays_bounded() {
        let feeds: Vec<Summary> =
            (0..6_000u64).map(|nth| summary(&[(2 * nth, 1.0), (2 * (nth % 50), 1.0)])).collect();
        let blend = Interest::blend(feeds.iter().map(|feed| (feed, 1.0)));
        assert_eq!(blend.terms.len(), INTEREST_TERMS_MAX);
    }

    proptest! {
        /// Whatever was put, replaced and removed before.
        #[test]
        fn the_nearest_are_those_of_comparing_with_every_feed(
            changes in prop::collection::vec((0i64..12, prop::option::of(prop::collection::btree_map(0u64..20, 0.01f64..9.0, 0..8))), 0..60),
            asked in prop::collection::btree_map(0u64..20, 0.01f64..9.0, 0..8),
            count in 0usize..15,
        ) {
            let mut known = Neighbours::new(1_000);
            let mut truth: BTreeMap<i64, Summary> = BTreeMap::new();
            for (feed, terms) in changes {
                match terms {
                    Some(terms) => {
                        let summary = summary(&terms.into_iter().collect::<Vec<_>>());
                        prop_assert!(known.put(FeedId(feed), &summary));
                        truth.insert(feed, summary);
                    }
                    None => prop_assert_eq!(known.remove(FeedId(feed)), truth.remove(&feed).is_some()),
                }
            }
            prop_assert_eq!(known.len(), truth.len());
            let asked = summary(&asked.into_iter().collect::<Vec<_>>());
            let found = known.nearest(&Interest::of(&asked), count, anybody);
            let mut all: Vec<f64> = truth.values().filter(|feed| feed.terms().count() > 0 && asked.terms().count() > 0)
                .map(|feed| feed.similarity(&asked)).filter(|similarity| *similarity > 0.0).collect();
            all.sort_by(|one, other| other.total_cmp(one));
            all.truncate(count);
            prop_assert_eq!(found.len(), all.len());
            for (near, expected) in found.iter().zip(&all) {
                prop_assert!((near.similarity - expected).abs() < 1e-6);
                prop_assert!((truth[&near.feed.0].similarity(&asked) - near.similarity).abs() < 1e-6);
            }
            let postings: usize = known.lists.values().map(Vec::len).sum();
            prop_assert_eq!(postings, truth.values().map(|feed| feed.terms().count()).sum::<usize>());
        }
    }
}
