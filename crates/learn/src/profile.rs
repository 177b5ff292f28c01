//! The state of one feed: what it is about now, in general, and how that came.
//!
//! Items come as they are found ([`FeedProfile::read`], then [`FeedProfile::add`]). The last [`WINDOW_ITEMS`] are kept term by
//! term: the profile of *now*, its cohesion and what is novel. Every [`BLOCK_ITEMS`] items make a block of which the
//! heaviest terms stay: with up to [`BLOCKS_MAX`] blocks any window up to 500 items can be shown, and the river of how the
//! feed changed. Surfaces, language and boiler-plate of the feed are part of the state.
//!
//! A state is some 10 to 40 KB, all of it bounded. It is stored as bytes ([`FeedProfile::to_bytes`]); losing it loses
//! nothing but memory: feeding the stored items again makes a like one.

mod bytes;
mod river;

pub use river::{Era, River};

use crate::cohesion::{Beta, Cohesion};
use crate::summary::{PAIRS_KEPT, Summary, WORDS_KEPT, Weighted};
use crate::value::PostValue;
use crate::window::{ById, Window};
use domain::Timestamp;
use std::collections::{HashSet, VecDeque};
use text::{Bag, Boilerplate, DocumentFrequencies, Idf, Language, LanguageVotes, TermId, Terms, Tokens};

/// Items of the profile of now.
pub const WINDOW_ITEMS: usize = 20;
/// Items of a block.
pub const BLOCK_ITEMS: u32 = 20;
/// Blocks kept: 500 items.
pub const BLOCKS_MAX: usize = 25;
/// Ways of writing one term that are counted.
const FORMS_MAX: usize = 3;
/// Items a pair must have been seen in, in all feeds, before it counts; a little less, for forgetting.
const PAIR_ITEMS_MIN: f64 = 2.5;
const DAY_S: i64 = 86_400;

/// What one item did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noticed {
    /// Similarity of the profile before and after (Δ).
    pub similarity: f64,
    /// Eq. 7.
    pub novel: bool,
    /// How unlike the profile the item itself was, 0 to 1; for ordering within the feed only.
    pub freshness: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Count {
    count: u32,
    /// Items that have it.
    items: u32,
    adjacent: u32,
}

/// The heaviest terms of [`BLOCK_ITEMS`] items.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    until: Timestamp,
    items: u32,
    terms: Vec<(TermId, Count)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FeedProfile {
    window: Window,
    cohesion: Cohesion,
    beta: Beta,
    value: PostValue,
    votes: LanguageVotes,
    boilerplate: Boilerplate,
    /// The block that is being filled.
    filling: ById<Count>,
    filling_items: u32,
    blocks: VecDeque<Block>,
    forms: ById<Vec<(String, u32)>>,
    items: u64,
    /// The day of the idf in the window.
    idf_day: i64,
}

impl Default for FeedProfile {
    fn default() -> Self {
        Self::new(Beta::PAPER)
    }
}

impl FeedProfile {
    pub fn new(beta: Beta) -> Self {
        FeedProfile {
            window: Window::new(WINDOW_ITEMS),
            cohesion: Cohesion::default(),
            beta,
            value: PostValue::default(),
            votes: LanguageVotes::default(),
            boilerplate: Boilerplate::default(),
            filling: ById::default(),
            filling_items: 0,
            blocks: VecDeque::new(),
            forms: ById::default(),
            items: 0,
            idf_day: 0,
        }
    }

    /// What the document says of its language.
    pub fn declare(&mut self, language: Option<Language>) {
        self.votes.declare(language);
    }

    pub fn language(&self) -> Option<Language> {
        self.votes.decided()
    }

    /// First half of taking an item in: the feed hears its language and habits, and its terms come out. They are then
    /// counted in [`text::Frequencies`] and given to [`FeedProfile::add`]. An item that is nothing but boiler-plate keeps
    /// it: a feed that always says the same is about that.
    pub fn read(&mut self, title: &str, text: &str) -> Terms {
        let tokens = Tokens::of_item(title, text);
        self.votes.hear(if text.trim().is_empty() { title } else { text });
        let terms = Terms::of(&tokens, self.language(), Some(&self.boilerplate));
        self.boilerplate.hear(&tokens);
        if terms.is_empty() { Terms::of(&tokens, self.language(), None) } else { terms }
    }

    /// Second half: the profile moves on. `now` is when the item was posted, as far as that is believed: the history of a
    /// feed is found in one go, and yet is a history.
    pub fn add(&mut self, terms: &Terms, frequencies: &DocumentFrequencies, now: Timestamp) -> Noticed {
        let today = now.seconds().div_euclid(DAY_S);
        if today != self.idf_day {
            self.idf_day = today;
            self.window.refresh(frequencies);
        }
        let bag = terms.bag(|pair| frequencies.items_with(pair) >= PAIR_ITEMS_MIN);
        self.count(terms, &bag);
        let freshness = 1.0 - self.likeness(&bag, frequencies);
        let full = self.window.is_full();
        let step = self.window.push(&bag, frequencies);
        self.cohesion.add(step.similarity, full);
        let novel = self.cohesion.is_novel(step.similarity, self.beta.value(), WINDOW_ITEMS);
        self.beta.learn(novel, self.cohesion.expected_change(WINDOW_ITEMS), WINDOW_ITEMS);
        self.items += 1;
        self.filling_items += 1;
        if self.filling_items >= BLOCK_ITEMS {
            self.close_block(frequencies, now);
        }
        Noticed { similarity: step.similarity, novel, freshness }
    }

    /// One more post as the readers see it (reference 4.5).
    pub fn value_mut(&mut self) -> &mut PostValue {
        &mut self.value
    }

    pub fn value(&self) -> &PostValue {
        &self.value
    }

    /// Eq. 3.
    pub fn cohesion(&self) -> Option<f64> {
        self.cohesion.mean()
    }

    /// How much of the profile new items replace, 0 to 1; pages show 1 − change as cohesion.
    pub fn change(&self) -> Option<f64> {
        self.cohesion.change(WINDOW_ITEMS)
    }

    /// The same to plan with, from the first item on.
    pub fn expected_change(&self) -> f64 {
        self.cohesion.expected_change(WINDOW_ITEMS)
    }

    pub fn beta(&self) -> Beta {
        self.beta
    }

    pub fn set_beta(&mut self, beta: Beta) {
        self.beta = beta;
    }

    /// Items taken in so far.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// The profile of the last `window_items` items: exact up to [`WINDOW_ITEMS`], beyond in whole blocks.
    pub fn summary(&self, window_items: usize, idf: &impl Idf) -> Summary {
        if window_items <= WINDOW_ITEMS {
            let adjacent = self.counted(1);
            let terms = self.window.terms().map(|(id, count, weight)| {
                let seen = adjacent.get(&id).copied().unwrap_or_default();
                self.weighted(id, Count { count, ..seen }, weight)
            });
            return Summary::new(self.window.len() as u32, terms);
        }
        let blocks = window_items.saturating_sub(self.filling_items as usize).div_ceil(BLOCK_ITEMS as usize);
        let items: u32 = self.blocks.iter().rev().take(blocks).map(|block| block.items).sum();
        let terms = self.counted(blocks).into_iter().map(|(id, count)| {
            let weight = f64::from(count.count) * idf.idf(id);
            self.weighted(id, count, weight)
        });
        Summary::new(items + self.filling_items, terms)
    }

    /// Likeness of an item to the profile.
    fn likeness(&self, bag: &Bag, idf: &impl Idf) -> f64 {
        let norm2: f64 = bag.iter().map(|(term, count)| (f64::from(*count) * idf.idf(*term)).powi(2)).sum();
        let both = norm2 * self.window.norm2();
        if both > 1e-12 { (self.window.project(bag) / both.sqrt()).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// `bag` is made from `terms` in their order: all words, then the pairs that are known.
    fn count(&mut self, terms: &Terms, bag: &Bag) {
        let words = terms.words.iter().map(|word| (word.id, 0, &word.surface));
        let pairs = terms.pairs.iter().map(|pair| (pair.id, pair.adjacent, &pair.surface));
        let mut all = words.chain(pairs);
        for (id, count) in bag {
            let Some((_, adjacent, surface)) = all.find(|(term, ..)| term == id) else { return };
            let held = self.filling.entry(*id).or_default();
            held.count = held.count.saturating_add(u32::from(*count));
            held.adjacent = held.adjacent.saturating_add(u32::from(adjacent));
            held.items += 1;
            let forms = self.forms.entry(*id).or_default();
            let room = forms.len() < FORMS_MAX;
            match forms.iter_mut().find(|(form, _)| form == surface) {
                Some((_, seen)) => *seen = seen.saturating_add(1),
                None if room => forms.push((surface.clone(), 1)),
                None => forms.retain_mut(|(_, seen)| {
                    *seen = seen.saturating_sub(1);
                    *seen > 0
                }),
            }
        }
    }

    fn close_block(&mut self, idf: &impl Idf, until: Timestamp) {
        let items = std::mem::take(&mut self.filling_items);
        let filling = std::mem::take(&mut self.filling);
        // A pair of one item is an accident.
        let candidates = filling.iter().filter(|(id, count)| !id.is_pair() || count.items >= 2);
        let mut all: Vec<(f64, TermId, Count)> =
            candidates.map(|(id, count)| (f64::from(count.count) * idf.idf(*id), *id, *count)).collect();
        all.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut room = [WORDS_KEPT, PAIRS_KEPT];
        let terms = all.into_iter().filter_map(|(_, id, count)| {
            let room = &mut room[usize::from(id.is_pair())];
            *room = room.checked_sub(1)?;
            Some((id, count))
        });
        self.blocks.push_back(Block { until, items, terms: terms.collect() });
        if self.blocks.len() > BLOCKS_MAX {
            self.blocks.pop_front();
        }
        let used: HashSet<TermId> = self
            .window
            .ids()
            .chain(self.blocks.iter().flat_map(|block| block.terms.iter().map(|(id, _)| *id)))
            .collect();
        self.forms.retain(|id, _| used.contains(id));
    }

    /// The block being filled and the last `blocks` before it, added up.
    fn counted(&self, blocks: usize) -> ById<Count> {
        let mut all = self.filling.clone();
        for (id, count) in self.blocks.iter().rev().take(blocks).flat_map(|block| &block.terms) {
            let sum = all.entry(*id).or_default();
            sum.count = sum.count.saturating_add(count.count);
            sum.items = sum.items.saturating_add(count.items);
            sum.adjacent = sum.adjacent.saturating_add(count.adjacent);
        }
        all
    }

    fn weighted(&self, id: TermId, count: Count, weight: f64) -> Weighted {
        let forms = self.forms.get(&id).map_or(&[][..], Vec::as_slice);
        let best = forms.iter().enumerate().max_by_key(|(nth, (_, seen))| (*seen, std::cmp::Reverse(*nth)));
        let text = best.map(|(_, (form, _))| form.clone()).unwrap_or_default();
        let weight = if text.is_empty() { 0.0 } else { weight };
        Weighted {
            id,
            text,
            weight,
            count: count.count,
            phrase: id.is_pair() && 2 * count.adjacent > count.count,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests;
