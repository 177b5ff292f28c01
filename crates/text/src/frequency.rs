//! How many items have a term, with forgetting: what makes a rare word weigh more than a common one.
//!
//! idf(t) = ln(items / items with t) (004 §4.2.1), over all feeds of one language, where an item counts half after
//! [`HALF_LIFE_DAYS`]. Forgetting costs nothing: newer items are added with a larger weight instead of making older ones
//! smaller, and the ratio is the same. The table is bounded: the rarest entries go when it is full.
//!
//! The paper's idf is nothing for what all items say, and the few items of a young server all say what its first feed is
//! about: of the first item nothing would weigh anything, and of a feed about bees everything but the bees. So a term is
//! believed to be common only as items come. Beside the items there are [`PRIOR_ITEMS`] that were never read, and a term
//! is in no more than [`PRIOR_SHARE`] of them; what is rarer than that here is taken to be as rare there. Terms in up to a
//! twentieth of the items weigh what the paper says, from the first item on; the others come to it as the server grows.

use crate::language::Language;
use crate::packed::{BadState, Reader, Writer};
use crate::terms::TermId;
use domain::Timestamp;
use std::collections::{BTreeMap, HashMap};

pub const HALF_LIFE_DAYS: f64 = 180.0;
/// Terms of one language.
pub const FREQUENCIES_MAX: usize = 300_000;
/// Languages that have a table of their own.
const LANGUAGES_MAX: usize = 32;
/// Items that are imagined beside those read. After ten times as many a word that all items have weighs less than .1.
const PRIOR_ITEMS: f64 = 300.0;
/// What share of the imagined items has a term at most. Few words that mean something are in a twentieth of all items.
const PRIOR_SHARE: f64 = 0.05;
const VERSION: u8 = 1;
const DAY_S: f64 = 86_400.0;
/// Weights are brought back to one before they leave what a small float can add up.
const WEIGHT_MAX: f64 = 64.0;

/// How much a term weighs. [`Frequencies`] for real texts; a closure in tests.
pub trait Idf {
    /// Never negative, always finite.
    fn idf(&self, term: TermId) -> f64;
}

impl<F: Fn(TermId) -> f64> Idf for F {
    fn idf(&self, term: TermId) -> f64 {
        self(term)
    }
}

/// The table of one language.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentFrequencies {
    /// Sum of the weights of all items.
    total: f64,
    counts: HashMap<TermId, f32>,
    /// When an item has weight one, unix seconds.
    origin_s: i64,
    /// Weight of the latest item.
    weight: f64,
    terms_max: usize,
}

impl Default for DocumentFrequencies {
    fn default() -> Self {
        Self::new(FREQUENCIES_MAX)
    }
}

impl DocumentFrequencies {
    pub fn new(terms_max: usize) -> Self {
        DocumentFrequencies {
            total: 0.0,
            counts: HashMap::new(),
            origin_s: 0,
            weight: 1.0,
            terms_max: terms_max.max(16),
        }
    }

    /// Counts one item; `terms` are different from each other. `now` is when we learn of it, not what it says of itself.
    pub fn add(&mut self, terms: impl IntoIterator<Item = TermId>, now: Timestamp) {
        let now_s = now.seconds();
        if self.total == 0.0 {
            self.origin_s = now_s;
        }
        let days = now_s.saturating_sub(self.origin_s) as f64 / DAY_S;
        self.weight = (days / HALF_LIFE_DAYS).clamp(-20.0, 20.0).exp2();
        if self.weight > WEIGHT_MAX {
            let by = self.weight;
            self.total /= by;
            self.counts.values_mut().for_each(|count| *count = (f64::from(*count) / by) as f32);
            (self.origin_s, self.weight) = (now_s, 1.0);
        }
        self.total += self.weight;
        for term in terms {
            *self.counts.entry(term).or_default() += self.weight as f32;
        }
        if self.counts.len() > self.terms_max {
            self.make_room();
        }
    }

    /// Items, as many as they weigh today.
    pub fn items(&self) -> f64 {
        self.total / self.weight
    }

    /// Items with the term, as many as they weigh today.
    pub fn items_with(&self, term: TermId) -> f64 {
        self.counts.get(&term).map_or(0.0, |count| f64::from(*count) / self.weight)
    }

    pub fn terms(&self) -> usize {
        self.counts.len()
    }

    /// The rarest go until a quarter of the table is free.
    fn make_room(&mut self) {
        let kept = self.terms_max - self.terms_max / 4;
        let mut all: Vec<f32> = self.counts.values().copied().collect();
        let place = all.len().saturating_sub(kept).min(all.len().saturating_sub(1));
        let (_, least, _) = all.select_nth_unstable_by(place, f32::total_cmp);
        let least = *least;
        let above = self.counts.values().filter(|count| **count > least).count();
        let mut equal = kept.saturating_sub(above);
        // Of equals any may stay, but the same ones on every machine.
        let mut ties: Vec<TermId> =
            self.counts.iter().filter(|(_, count)| **count == least).map(|(term, _)| *term).collect();
        equal = equal.min(ties.len());
        ties.sort_unstable();
        ties.truncate(equal);
        self.counts.retain(|term, count| *count > least || ties.binary_search(term).is_ok());
    }

    pub fn write(&self, out: &mut Writer) {
        out.float(self.total);
        out.float(self.weight);
        out.signed(self.origin_s);
        out.number(self.terms_max as u64);
        out.number(self.counts.len() as u64);
        let mut all: Vec<(TermId, f32)> = self.counts.iter().map(|(term, count)| (*term, *count)).collect();
        all.sort_unstable_by_key(|(term, _)| *term);
        for (term, count) in all {
            out.word(term.0);
            out.small_float(count);
        }
    }

    pub fn read(from: &mut Reader<'_>) -> Result<Self, BadState> {
        let (total, weight, origin_s) = (from.float()?, from.float()?, from.signed()?);
        if total < 0.0 || weight <= 0.0 {
            return Err(BadState::Wrong);
        }
        let terms_max = from.within(16 * FREQUENCIES_MAX)?.max(16);
        let length = from.length(terms_max)?;
        let mut counts = HashMap::with_capacity(length);
        for _ in 0..length {
            let term = TermId(from.word()?);
            counts.insert(term, from.small_float()?.max(0.0));
        }
        Ok(DocumentFrequencies { total, counts, origin_s, weight, terms_max })
    }
}

impl Idf for DocumentFrequencies {
    /// A term never met weighs as one met once, just now.
    fn idf(&self, term: TermId) -> f64 {
        let counted = self.counts.get(&term).map_or(self.weight, |count| f64::from(*count));
        let (items, with) = (self.items(), (counted / self.weight).max(f64::MIN_POSITIVE));
        let share = if items > 0.0 { (with / items).min(PRIOR_SHARE) } else { PRIOR_SHARE };
        let ratio = (items + PRIOR_ITEMS) / (with + PRIOR_ITEMS * share);
        if ratio > 1.0 && ratio.is_finite() { ratio.ln() } else { 0.0 }
    }
}

/// A table for each language, and one for texts of which it is not known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frequencies(BTreeMap<Option<Language>, DocumentFrequencies>);

impl Frequencies {
    /// The table of a language; empty until something was added.
    pub fn of(&self, language: Option<Language>) -> &DocumentFrequencies {
        static EMPTY: std::sync::OnceLock<DocumentFrequencies> = std::sync::OnceLock::new();
        self.0.get(&language).unwrap_or_else(|| EMPTY.get_or_init(DocumentFrequencies::default))
    }

    pub fn add(
        &mut self,
        language: Option<Language>,
        terms: impl IntoIterator<Item = TermId>,
        now: Timestamp,
    ) {
        let known = self.0.contains_key(&language) || self.0.len() < LANGUAGES_MAX;
        self.0.entry(language.filter(|_| known)).or_default().add(terms, now);
    }

    pub fn languages(&self) -> impl Iterator<Item = Option<Language>> + '_ {
        self.0.keys().copied()
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(VERSION);
        out.number(self.0.len() as u64);
        for (language, table) in &self.0 {
            out.text(language.as_ref().map_or("", Language::code));
            table.write(&mut out);
        }
        out.finish()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadState> {
        let mut from = Reader::new(bytes, VERSION)?;
        let count = from.length(LANGUAGES_MAX + 1)?;
        let mut tables = BTreeMap::new();
        for _ in 0..count {
            let language = Language::parse(from.text(8)?);
            tables.insert(language, DocumentFrequencies::read(&mut from)?);
        }
        from.end()?;
        Ok(Frequencies(tables))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    fn term(nth: u64) -> TermId {
        TermId(nth * 2)
    }

    fn day(nth: i64) -> Timestamp {
        Timestamp::from_seconds(1_700_000_000 + nth * 86_400)
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    }

    /// Reference 4.8.
    #[test]
    fn four_of_a_hundred_items_weigh_as_the_paper_says() {
        let mut table = DocumentFrequencies::default();
        (0..100).for_each(|nth| table.add((nth < 4).then_some(term(1)), day(0)));
        near(table.idf(term(1)), 3.218_876);
        near(3.0 * table.idf(term(1)), 9.656_627);
        near(table.idf(term(9)), 100f64.ln());
    }

    #[test]
    fn an_item_counts_half_after_the_half_life() {
        let mut table = DocumentFrequencies::default();
        (0..8).for_each(|_| table.add([term(1)], day(0)));
        (0..4).for_each(|_| table.add([term(2)], day(180)));
        near(table.items(), 8.0);
        near(table.items_with(term(1)), 4.0);
    }

    #[test]
    fn words_weigh_something_from_the_first_item_on() {
        let mut table = DocumentFrequencies::default();
        let unread = table.idf(term(1));
        assert!(unread > 1.0, "{unread}");
        table.add([term(1), term(2)], day(0));
        assert!(table.idf(term(1)) > 1.0 && table.idf(term(1)) == table.idf(term(2)));
        // A feed about one thing, alone on its server: the thing still weighs, and less than what is said once.
        (1..200).for_each(|nth| table.add([term(1), term(10 + nth)], day(0)));
        let (thing, once) = (table.idf(term(1)), table.idf(term(10)));
        assert!(thing > 0.5 && once > 3.0 * thing, "{thing} {once}");
    }

    #[test]
    fn what_all_items_say_comes_to_weigh_nothing() {
        let mut table = DocumentFrequencies::default();
        let mut last = f64::MAX;
        for nth in 0..20_000 {
            table.add([term(1), term(2 + nth)], day(0));
            if nth % 1_000 == 0 {
                assert!(table.idf(term(1)) < last);
                last = table.idf(term(1));
            }
        }
        assert!(last < 0.02, "{last}");
        near(table.idf(term(9)), 20_000f64.ln());
    }

    #[test]
    fn years_change_nothing_but_the_weights() {
        let mut table = DocumentFrequencies::default();
        for nth in 0..4_000 {
            table.add([term(1), term(2 + nth as u64 % 7)], day(nth));
        }
        let (all, one) = (table.items(), table.items_with(term(1)));
        assert!((all - one).abs() < 1e-3 * all, "{all} {one}");
        assert!((all - HALF_LIFE_DAYS / 2f64.ln()).abs() < 1.0, "{all}");
        // Whatever an item weighs by now, the imagined ones weigh as much as today's.
        let expected = ((all + PRIOR_ITEMS) / (one + PRIOR_ITEMS * PRIOR_SHARE)).ln();
        near(table.idf(term(1)), expected);
    }

    #[test]
    fn a_full_table_drops_its_rarest_terms() {
        let mut table = DocumentFrequencies::new(1_000);
        for nth in 0..20_000u64 {
            table.add([term(1), term(2), term(10 + nth)], day(nth as i64 / 1_000));
            assert!(table.terms() <= 1_001);
        }
        assert!(table.items_with(term(1)) > 19_000.0 * 0.9 && table.idf(term(2)) < 0.1);
    }

    #[test]
    fn clocks_that_jump_do_no_harm() {
        let mut table = DocumentFrequencies::default();
        for at in [0, i64::MAX, 0, i64::MIN, 1_700_000_000] {
            table.add([term(1)], Timestamp::from_seconds(at));
            let weight = table.idf(term(1));
            assert!(weight.is_finite() && weight >= 0.0);
        }
    }

    #[test]
    fn tables_survive_storage_and_refuse_damage() {
        let mut all = Frequencies::default();
        all.add(Some(Language::ENGLISH), [term(1), term(2)], day(0));
        all.add(None, [term(2)], day(1));
        let bytes = all.to_bytes();
        assert_eq!(Frequencies::from_bytes(&bytes), Ok(all));
        for cut in 0..bytes.len() {
            assert!(Frequencies::from_bytes(&bytes[..cut]).is_err(), "{cut}");
        }
    }
}
