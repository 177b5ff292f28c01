//! How a feed changed: its terms over time, as the feed's page draws them.

use super::{BLOCK_ITEMS, BLOCKS_MAX, Count, FeedProfile};
use crate::summary::{Summary, WORDS_KEPT, Weighted};
use crate::window::ById;
use domain::Timestamp;
use std::collections::HashSet;
use text::{Idf, TermId};

/// A phrase stands for a word when it is there in so much of the items that have the word.
const PHRASE_COVERS: f64 = 0.6;

/// A stretch of a feed's history.
#[derive(Debug, Clone, PartialEq)]
pub struct Era {
    /// When its last item was posted; none for the one that is going on.
    pub until: Option<Timestamp>,
    pub items: u32,
    /// Of each term of the river, the share of the items that have it.
    pub shares: Vec<f32>,
}

/// Terms over time, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct River {
    pub terms: Vec<String>,
    pub eras: Vec<Era>,
}

impl FeedProfile {
    /// The terms that were heaviest in all or at some time, and what share of the items of each time had them. A word
    /// that is mostly said as part of a phrase is shown as the phrase.
    pub fn river(&self, terms_max: usize, idf: &impl Idf) -> River {
        let total = self.counted(BLOCKS_MAX);
        let shown = self.shown(&total, terms_max, idf);
        let share = |terms: &dyn Fn(TermId) -> u32, items: u32| -> Vec<f32> {
            let part = |term: &Weighted| terms(term.id) as f32 / items.max(1) as f32;
            shown.iter().map(|term| part(term).min(1.0)).collect()
        };
        let mut eras: Vec<Era> = self
            .blocks
            .iter()
            .map(|block| {
                let of = |id: TermId| {
                    block.terms.iter().find(|(term, _)| *term == id).map_or(0, |(_, count)| count.items)
                };
                Era { until: Some(block.until), items: block.items, shares: share(&of, block.items) }
            })
            .collect();
        if self.filling_items > 0 {
            let of = |id: TermId| self.filling.get(&id).map_or(0, |count| count.items);
            eras.push(Era { until: None, items: self.filling_items, shares: share(&of, self.filling_items) });
        }
        River { terms: shown.into_iter().map(|term| term.text).collect(), eras }
    }

    fn shown(&self, total: &ById<Count>, terms_max: usize, idf: &impl Idf) -> Vec<Weighted> {
        let items = self.filling_items + self.blocks.iter().map(|block| block.items).sum::<u32>();
        let peaks = self.peaks();
        let words = total.iter().filter(|(id, _)| !id.is_pair());
        let all = words.map(|(id, count)| {
            let share =
                f64::from(count.items) / f64::from(items.max(1)) + peaks.get(id).copied().unwrap_or_default();
            self.weighted(*id, *count, share * idf.idf(*id))
        });
        let mut taken: HashSet<TermId> = HashSet::new();
        let mut shown = Vec::new();
        for word in Summary::new(0, all).words {
            if shown.len() >= terms_max.min(WORDS_KEPT) {
                break;
            }
            if !taken.insert(word.id) {
                continue;
            }
            match self.phrase_of(word.id, total) {
                Some((phrase, other)) if taken.insert(other) => shown.push(phrase),
                // Its other half stands elsewhere already.
                Some(_) | None => shown.push(word),
            }
        }
        shown
    }

    /// The largest share of the items of one time that had a term.
    fn peaks(&self) -> ById<f64> {
        let mut peaks: ById<f64> = ById::default();
        let filling = self
            .filling
            .iter()
            .map(|(id, count)| (*id, count.items, self.filling_items.max(BLOCK_ITEMS / 2)));
        let eras = self
            .blocks
            .iter()
            .flat_map(|block| block.terms.iter().map(|(id, count)| (*id, count.items, block.items)));
        for (id, seen, of) in filling.chain(eras) {
            let peak = peaks.entry(id).or_default();
            *peak = peak.max(f64::from(seen) / f64::from(of.max(1)));
        }
        peaks
    }

    /// The phrase that a word is mostly a part of, and its other word.
    fn phrase_of(&self, word: TermId, total: &ById<Count>) -> Option<(Weighted, TermId)> {
        let least = PHRASE_COVERS * f64::from(total.get(&word)?.items);
        let pairs = total.keys().filter(|other| !other.is_pair() && **other != word).filter_map(|other| {
            let pair = TermId::of_pair(word, *other);
            let count = total.get(&pair).filter(|count| f64::from(count.items) >= least)?;
            let shown = self.weighted(pair, *count, f64::from(count.items));
            (shown.phrase && shown.weight > 0.0).then_some((shown, *other))
        });
        pairs.max_by(|one, other| one.0.weight.total_cmp(&other.0.weight).then(other.0.id.cmp(&one.0.id)))
    }
}
