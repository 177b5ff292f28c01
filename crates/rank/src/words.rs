//! Words a person cares about, and what they read lately: interest and novelty of an item by its terms.

use std::cmp::Ordering;
use std::ops::Range;
use text::packed::{BadState, Reader, Writer};
use text::{Idf, TermId};

/// Terms of one item that are looked at, the heaviest.
pub const ITEM_TERMS_MAX: usize = 16;
/// Words kept of one person.
pub const WORDS_KEPT_MAX: usize = 512;
/// How many of them stay when there are more.
const KEPT: usize = WORDS_KEPT_MAX / 8 * 7;
/// Items read lately that novelty is judged by, the latest.
pub const RECENT_MAX: usize = 256;
/// A term of more reads than this tells no story.
const USES_MAX: u32 = 32;
/// Weights lighter than this are as good as none.
const WEIGHT_MIN: f32 = 1e-3;
const WEIGHT_MAX: f32 = 1e3;

/// The heaviest terms of an item by tf·idf, as a vector of length one.
pub fn item_terms(bag: &[(TermId, u16)], idf: &impl Idf) -> Box<[(TermId, f32)]> {
    let weighed = bag.iter().map(|(term, count)| (*term, f64::from(*count) * idf.idf(*term)));
    let mut all: Vec<(TermId, f64)> = weighed.filter(|(_, weight)| *weight > 0.0).collect();
    all.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    all.truncate(ITEM_TERMS_MAX);
    let length = all.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
    all.into_iter().map(|(term, weight)| (term, (weight / length) as f32)).collect()
}

/// A weight of one, packed.
const WHOLE: f32 = 65_535.0;
const PACKED_TERM_BYTES: usize = 10;
/// What [`pack_terms`] makes at most.
pub const PACKED_BYTES_MAX: usize = ITEM_TERMS_MAX * PACKED_TERM_BYTES;

/// An item's terms as they are stored: ten bytes each, thousands of which are read for one page.
pub fn pack_terms(terms: &[(TermId, f32)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(PACKED_BYTES_MAX);
    for (term, weight) in terms.iter().take(ITEM_TERMS_MAX) {
        bytes.extend(term.0.to_le_bytes());
        bytes.extend(((weight.clamp(0.0, 1.0) * WHOLE).round() as u16).to_le_bytes());
    }
    bytes
}

/// The other way round; what is no whole term is left out.
pub fn unpack_terms(bytes: &[u8]) -> Box<[(TermId, f32)]> {
    let term = |chunk: &[u8]| {
        let (id, weight) = chunk.split_first_chunk::<8>()?;
        let weight = u16::from_le_bytes(*weight.first_chunk()?);
        Some((TermId(u64::from_le_bytes(*id)), f32::from(weight) / WHOLE))
    };
    bytes.chunks_exact(PACKED_TERM_BYTES).take(ITEM_TERMS_MAX).filter_map(term).collect()
}

/// Words of what was starred, tagged, searched for and read at length; below zero those of what was sent away.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Words {
    /// By term.
    weights: Vec<(TermId, f32)>,
    /// Where terms with the same first byte begin; empty without words.
    begins: Vec<u16>,
    length: f32,
}

impl Words {
    /// Adds the terms of an item, a tag or a search, `amount` times.
    pub fn add(&mut self, terms: &[(TermId, f32)], amount: f32) {
        let changes = terms.iter().take(ITEM_TERMS_MAX).map(|(term, weight)| (*term, weight * amount));
        let mut changes: Vec<(TermId, f32)> = changes.filter(|(_, change)| change.is_finite()).collect();
        changes.sort_unstable_by_key(|(term, _)| *term);
        let mut merged: Vec<(TermId, f32)> = Vec::with_capacity(self.weights.len() + changes.len());
        let mut known = self.weights.iter().copied().peekable();
        for (term, change) in changes {
            while let Some(before) = known.next_if(|(other, _)| *other <= term) {
                merged.push(before);
            }
            match merged.last_mut() {
                Some((last, weight)) if *last == term => *weight = bounded(*weight + change),
                _ => merged.push((term, bounded(change))),
            }
        }
        merged.extend(known);
        self.weights = merged;
        self.bound();
    }

    /// How near an item is to them, −1 to 1: the cosine.
    pub fn nearness(&self, terms: &[(TermId, f32)]) -> f32 {
        if self.length <= 0.0 {
            return 0.0;
        }
        let looked_at = terms.iter().take(ITEM_TERMS_MAX);
        let own = looked_at.filter_map(|(term, weight)| Some(self.weight(*term)? * weight));
        (own.sum::<f32>() / self.length).clamp(-1.0, 1.0)
    }

    /// The terms that make an item near or far, the most first.
    pub(crate) fn shared(&self, terms: &[(TermId, f32)], count: usize) -> Vec<TermId> {
        let looked_at = terms.iter().take(ITEM_TERMS_MAX);
        let mut own: Vec<(TermId, f32)> =
            looked_at.filter_map(|(term, weight)| Some((*term, self.weight(*term)? * weight))).collect();
        own.sort_unstable_by(heaviest_first);
        own.into_iter().take(count).map(|(term, _)| term).collect()
    }

    pub fn iter(&self) -> impl Iterator<Item = (TermId, f32)> + '_ {
        self.weights.iter().copied()
    }

    pub(crate) fn set(&mut self, term: TermId, weight: f32) {
        self.add(&[(term, 1.0)], weight - self.weight(term).unwrap_or_default());
    }

    pub(crate) fn fade(&mut self, factor: f32) {
        self.weights.iter_mut().for_each(|(_, weight)| *weight *= factor);
        self.bound();
    }

    fn weight(&self, term: TermId) -> Option<f32> {
        let byte = first_byte(term);
        let like = usize::from(*self.begins.get(byte)?)..usize::from(*self.begins.get(byte + 1)?);
        let like = self.weights.get(like)?;
        let place = like.binary_search_by_key(&term, |(term, _)| *term).ok()?;
        like.get(place).map(|(_, weight)| *weight)
    }

    /// The lightest go when there are too many, an eighth at once so that few acts pay for it; of equals the same ones
    /// everywhere.
    fn bound(&mut self) {
        self.weights.retain(|(_, weight)| weight.abs() >= WEIGHT_MIN);
        if self.weights.len() > WORDS_KEPT_MAX {
            // Floats above zero are in the order of their bits.
            let size = |weight: f32| weight.abs().to_bits();
            let mut sizes: Vec<u32> = self.weights.iter().map(|(_, weight)| size(*weight)).collect();
            let (heavier, least, _) = sizes.select_nth_unstable_by(KEPT, |one, other| other.cmp(one));
            let least = *least;
            let mut equals = KEPT - heavier.iter().filter(|own| **own > least).count();
            self.weights.retain(|(_, weight)| {
                let stays = size(*weight) > least || (size(*weight) == least && equals > 0);
                equals -= usize::from(stays && size(*weight) == least);
                stays
            });
        }
        self.length = self.weights.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        self.begins.clear();
        if self.weights.is_empty() {
            return;
        }
        self.begins.resize(257, 0);
        self.weights.iter().for_each(|(term, _)| self.begins[first_byte(*term) + 1] += 1);
        (1..257).for_each(|byte| self.begins[byte] += self.begins[byte - 1]);
    }

    pub(crate) fn write(&self, out: &mut Writer) {
        out.number(self.weights.len() as u64);
        for (term, weight) in &self.weights {
            out.word(term.0);
            out.small_float(*weight);
        }
    }

    pub(crate) fn load(from: &mut Reader<'_>) -> Result<Self, BadState> {
        let mut words = Words::default();
        for _ in 0..from.length(WORDS_KEPT_MAX)? {
            let (term, weight) = (TermId(from.word()?), from.small_float()?);
            let after = words.weights.last().is_none_or(|(last, _)| *last < term);
            if !after || weight.abs() > WEIGHT_MAX {
                return Err(BadState::Wrong);
            }
            words.weights.push((term, weight));
        }
        words.bound();
        Ok(words)
    }
}

/// Ids are hashes, so that few words have the same.
fn first_byte(term: TermId) -> usize {
    (term.0 >> 56) as usize
}

fn bounded(weight: f32) -> f32 {
    weight.clamp(-WEIGHT_MAX, WEIGHT_MAX)
}

fn heaviest_first(one: &(TermId, f32), other: &(TermId, f32)) -> Ordering {
    other.1.abs().total_cmp(&one.1.abs()).then(one.0.cmp(&other.0))
}

/// What a person read in the last two weeks, by term.
#[derive(Debug, Clone, Default)]
pub struct Recent {
    /// Terms, mixed and in order, each with its place in `uses`.
    terms: Vec<(u64, Range<u32>)>,
    /// Where terms with the same first bits begin: nearly always this finds the term or none.
    begins: Vec<u32>,
    /// Item and weight. There are no more items than a byte counts, which spares a check in the innermost loop.
    uses: Vec<(u8, f32)>,
}

/// Bits by which terms are found.
const BEGIN_BITS: u32 = 12;

impl Recent {
    /// The latest first: what is beyond [`RECENT_MAX`] is left out.
    pub fn of<'a>(read: impl IntoIterator<Item = &'a [(TermId, f32)]>) -> Self {
        let read = (0..=u8::MAX).zip(read);
        let uses = read.flat_map(|(item, terms)| {
            terms.iter().take(ITEM_TERMS_MAX).map(move |(term, weight)| (mixed(*term), item, *weight))
        });
        let mut uses: Vec<(u64, u8, f32)> = uses.collect();
        uses.sort_unstable_by_key(|(term, item, _)| (*term, *item));
        let mut terms: Vec<(u64, Range<u32>)> = Vec::new();
        for (nth, (term, _, _)) in (0u32..).zip(&uses) {
            match terms.last_mut() {
                Some((last, places)) if last == term => places.end = nth + 1,
                _ => terms.push((*term, nth..nth + 1)),
            }
        }
        terms.retain(|(_, places)| places.end - places.start <= USES_MAX);
        let begin = |bits: u64| terms.partition_point(|(term, _)| (term >> (64 - BEGIN_BITS)) < bits) as u32;
        let begins = (0..=1 << BEGIN_BITS).map(begin).collect();
        Recent { terms, begins, uses: uses.into_iter().map(|(_, item, weight)| (item, weight)).collect() }
    }

    /// 1 − the largest similarity to anything read.
    pub fn novelty(&self, terms: &[(TermId, f32)]) -> f32 {
        if self.uses.is_empty() || terms.is_empty() {
            return 1.0;
        }
        let mut likeness = [0f32; RECENT_MAX];
        for (term, weight) in terms.iter().take(ITEM_TERMS_MAX) {
            for (item, other) in self.uses_of(*term) {
                likeness[usize::from(*item)] += weight * other;
            }
        }
        (1.0 - largest(&likeness)).clamp(0.0, 1.0)
    }

    fn uses_of(&self, term: TermId) -> &[(u8, f32)] {
        let term = mixed(term);
        let bits = (term >> (64 - BEGIN_BITS)) as usize;
        let like = self.begins[bits] as usize..self.begins[bits + 1] as usize;
        let like = self.terms.get(like).unwrap_or_default();
        let found =
            like.binary_search_by_key(&term, |(term, _)| *term).ok().and_then(|place| like.get(place));
        let places = found.map_or(0..0, |(_, places)| places.start as usize..places.end as usize);
        self.uses.get(places).unwrap_or_default()
    }
}

/// In eight lanes, because one would wait for itself.
fn largest(values: &[f32; RECENT_MAX]) -> f32 {
    let mut lanes = [0f32; 8];
    for chunk in values.chunks_exact(8) {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = if *value > *lane { *value } else { *lane };
        }
    }
    lanes.into_iter().fold(0.0, f32::max)
}

/// Ids are hashes already, but those of tests are not.
fn mixed(term: TermId) -> u64 {
    term.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(all: &[u64]) -> Box<[(TermId, f32)]> {
        let bag: Vec<(TermId, u16)> = all.iter().map(|nth| (TermId(*nth), 1)).collect();
        item_terms(&bag, &|_| 1.0)
    }

    #[test]
    fn an_item_is_near_to_what_was_starred_and_far_from_what_was_sent_away() {
        let mut words = Words::default();
        assert_eq!(words.nearness(&terms(&[1, 2])), 0.0, "nothing is known");
        words.add(&terms(&[1, 2]), 1.0);
        assert!((words.nearness(&terms(&[1, 2])) - 1.0).abs() < 1e-6);
        assert!((words.nearness(&terms(&[2, 3])) - 0.5).abs() < 1e-6);
        words.add(&terms(&[3, 4]), -1.0);
        assert!(words.nearness(&terms(&[3, 4])) < -0.5);
        assert_eq!(words.shared(&terms(&[2, 9]), 3), [TermId(2)]);
    }

    #[test]
    fn what_tells_the_same_as_something_read_is_not_novel() {
        let read = [terms(&[1, 2, 3]), terms(&[4, 5, 6])];
        let recent = Recent::of(read.iter().map(|terms| &terms[..]));
        assert!(recent.novelty(&terms(&[4, 5, 6])) < 1e-6);
        assert!((recent.novelty(&terms(&[1, 7, 8])) - 2.0 / 3.0).abs() < 1e-6);
        assert_eq!(recent.novelty(&terms(&[9])), 1.0);
        assert_eq!(recent.novelty(&[]), 1.0, "an item without words");
        assert_eq!(Recent::default().novelty(&terms(&[1])), 1.0);
    }

    #[test]
    fn the_heaviest_terms_stay_and_have_length_one() {
        let bag: Vec<(TermId, u16)> = (1..=300).map(|nth| (TermId(u64::from(nth)), nth)).collect();
        let kept = item_terms(&bag, &|_| 2.0);
        assert_eq!((kept.len(), kept[0].0), (ITEM_TERMS_MAX, TermId(300)));
        assert!((kept.iter().map(|(_, weight)| weight * weight).sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(item_terms(&bag, &|_| 0.0).is_empty(), "words that everybody uses say nothing");
    }

    #[test]
    fn packed_terms_come_back_and_damaged_ones_do_no_harm() {
        let kept = terms(&[7, 8, u64::MAX]);
        let back = unpack_terms(&pack_terms(&kept));
        for (one, other) in kept.iter().zip(&back) {
            assert!(one.0 == other.0 && (one.1 - other.1).abs() < 1e-4);
        }
        assert_eq!(back.len(), kept.len());
        assert_eq!(unpack_terms(&pack_terms(&kept)[..25]).len(), 2);
        assert_eq!(unpack_terms(&[255; 5_000]).len(), ITEM_TERMS_MAX);
        assert!(unpack_terms(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn words_are_bounded_and_nearness_is_a_cosine(added in prop::collection::vec((any::<u64>(), -3.0f32..3.0), 0..700)) {
            let mut words = Words::default();
            for chunk in added.chunks(7) {
                let all: Vec<(TermId, f32)> = chunk.iter().map(|(term, weight)| (TermId(*term), *weight)).collect();
                words.add(&all, 1.0);
                prop_assert!((-1.0..=1.0).contains(&words.nearness(&all)));
            }
            prop_assert!(words.weights.len() <= WORDS_KEPT_MAX);
            let mut out = Writer::new(1);
            words.write(&mut out);
            let bytes = out.finish();
            prop_assert_eq!(Words::load(&mut Reader::new(&bytes, 1).unwrap()).unwrap(), words);
        }
    }
}
