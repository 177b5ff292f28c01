//! The profile of the last W items as a vector of tf·idf weights, kept up with each item at the cost of its terms.
//!
//! With P the profile, e the item that comes and o the one that leaves (reference 4.1):
//!
//! ```text
//! P·P' = ‖P‖² + P·e − P·o       Δ = P·P' / √(‖P‖²·‖P'‖²)
//! ```
//!
//! ‖P'‖² follows term by term. A term's idf is frozen while it is in the window, so that the vector agrees with itself;
//! [`Window::refresh`] brings it up to date, once a day. Rounding errors are swept away every [`RECOMPUTE_STEPS`] items.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use text::packed::{BadState, Reader, Writer};
use text::{Idf, PAIRS_MAX, TermId, WORDS_MAX};

const RECOMPUTE_STEPS: u32 = 1_000;
/// Terms of one item.
const BAG_MAX: usize = WORDS_MAX + PAIRS_MAX;
/// Items a window can hold.
const WINDOW_MAX: usize = 1_000;

/// A feed's own table of terms.
pub(crate) type ById<T> = HashMap<TermId, T, BuildHasherDefault<IdHasher>>;

type Items = Box<[(TermId, u16)]>;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    count: u32,
    idf: f32,
}

impl Held {
    fn weight(self) -> f64 {
        f64::from(self.count) * f64::from(self.idf)
    }

    /// The part of ‖P‖² that is this term's.
    fn square(self) -> f64 {
        self.weight() * self.weight()
    }
}

/// The last W items and their profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    size: usize,
    items: VecDeque<Items>,
    terms: ById<Held>,
    norm2: f64,
    steps: u32,
}

/// What one more item did to a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Similarity of the profile before and after: Δ of eqs. 3 and 7.
    pub similarity: f64,
    /// The item that left.
    pub left: Option<Items>,
}

impl Window {
    pub fn new(size: usize) -> Self {
        let size = size.clamp(1, WINDOW_MAX);
        Window { size, items: VecDeque::new(), terms: ById::default(), norm2: 0.0, steps: 0 }
    }

    pub fn push(&mut self, item: &[(TermId, u16)], idf: &impl Idf) -> Step {
        let item = &item[..item.len().min(BAG_MAX)];
        let left = if self.items.len() >= self.size { self.items.pop_front() } else { None };
        let before = self.norm2;
        let inner = before + self.project(item) - left.as_ref().map_or(0.0, |left| self.project(left));
        for (term, count) in item {
            let held =
                self.terms.entry(*term).or_insert_with(|| Held { count: 0, idf: idf.idf(*term) as f32 });
            self.norm2 -= held.square();
            held.count += u32::from(*count);
            self.norm2 += held.square();
        }
        for (term, count) in left.iter().flatten() {
            let Some(held) = self.terms.get_mut(term) else { continue };
            self.norm2 -= held.square();
            held.count = held.count.saturating_sub(u32::from(*count));
            self.norm2 += held.square();
            if held.count == 0 {
                self.terms.remove(term);
            }
        }
        self.items.push_back(item.into());
        self.steps += 1;
        if self.steps >= RECOMPUTE_STEPS || self.norm2 < 1e-9 {
            self.recompute();
        }
        Step { similarity: cosine(inner, before, self.norm2), left }
    }

    /// P·e for an item, with the idf of the profile.
    pub fn project(&self, item: &[(TermId, u16)]) -> f64 {
        let parts = item.iter().filter_map(|(term, count)| {
            let held = self.terms.get(term)?;
            Some(held.weight() * f64::from(held.idf) * f64::from(*count))
        });
        parts.sum()
    }

    /// P·Q.
    pub fn dot(&self, other: &Window) -> f64 {
        let (few, many) = if self.terms.len() <= other.terms.len() { (self, other) } else { (other, self) };
        few.terms.iter().filter_map(|(term, held)| Some(held.weight() * many.terms.get(term)?.weight())).sum()
    }

    /// Eq. 1. Two empty profiles are alike, an empty one is like no other.
    pub fn similarity(&self, other: &Window) -> f64 {
        cosine(self.dot(other), self.norm2, other.norm2)
    }

    /// ‖P‖².
    pub fn norm2(&self) -> f64 {
        self.norm2
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.items.len() >= self.size
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Terms with how often they occur and what they weigh.
    pub fn terms(&self) -> impl Iterator<Item = (TermId, u32, f64)> + '_ {
        self.terms.iter().map(|(term, held)| (*term, held.count, held.weight()))
    }

    pub fn count(&self, term: TermId) -> u32 {
        self.terms.get(&term).map_or(0, |held| held.count)
    }

    /// The same items under today's idf.
    pub fn refresh(&mut self, idf: &impl Idf) {
        for (term, held) in &mut self.terms {
            held.idf = idf.idf(*term) as f32;
        }
        self.recompute();
    }

    fn recompute(&mut self) {
        self.steps = 0;
        self.norm2 = self.terms.values().map(|held| held.square()).sum();
    }

    /// Terms as places in a list of ids that the caller keeps.
    pub(crate) fn write(&self, out: &mut Writer, place: impl Fn(TermId) -> u64) {
        out.number(self.size as u64);
        let mut all: Vec<(u64, f32)> =
            self.terms.iter().map(|(term, held)| (place(*term), held.idf)).collect();
        all.sort_unstable_by_key(|(place, _)| *place);
        out.number(all.len() as u64);
        for (place, idf) in all {
            out.number(place);
            out.small_float(idf);
        }
        out.number(self.items.len() as u64);
        for item in &self.items {
            out.number(item.len() as u64);
            for (term, count) in item {
                out.number(place(*term));
                out.number(u64::from(*count));
            }
        }
    }

    pub(crate) fn read(from: &mut Reader<'_>, ids: &[TermId]) -> Result<Self, BadState> {
        let mut window = Window::new(from.within(WINDOW_MAX)?);
        let id = |from: &mut Reader<'_>| -> Result<TermId, BadState> {
            ids.get(from.within(ids.len())?).copied().ok_or(BadState::Wrong)
        };
        for _ in 0..from.length(ids.len())? {
            let term = id(from)?;
            window.terms.insert(term, Held { count: 0, idf: from.small_float()?.max(0.0) });
        }
        for _ in 0..from.length(window.size)? {
            let length = from.length(BAG_MAX)?;
            let mut item = Vec::with_capacity(length);
            for _ in 0..length {
                let term = id(from)?;
                let count = u16::try_from(from.number()?).map_err(|_| BadState::Wrong)?;
                window.terms.get_mut(&term).ok_or(BadState::Wrong)?.count += u32::from(count);
                item.push((term, count));
            }
            window.items.push_back(item.into_boxed_slice());
        }
        window.recompute();
        Ok(window)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = TermId> + '_ {
        self.terms.keys().copied()
    }
}

/// Eq. 1 from the parts.
pub fn cosine(dot: f64, one2: f64, other2: f64) -> f64 {
    match (one2 > 1e-12, other2 > 1e-12) {
        (true, true) => (dot / (one2 * other2).sqrt()).clamp(0.0, 1.0),
        (false, false) => 1.0,
        _ => 0.0,
    }
}

/// Ids are hashes already. Tables here are a feed's own and small; a publisher can slow down nothing but their feed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn ones(_: TermId) -> f64 {
        1.0
    }

    fn item(counts: &[u16]) -> Vec<(TermId, u16)> {
        let all = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        all.map(|(nth, count)| (TermId(2 * nth as u64), *count)).collect()
    }

    /// Reference 4.8.
    #[test]
    fn the_steps_of_four_items_are_those_of_the_reference() {
        let mut window = Window::new(2);
        let steps = [&[1, 0, 0], &[0, 1, 0], &[1, 1, 0], &[0, 0, 2]]
            .map(|counts| window.push(&item(counts), &ones).similarity);
        for (step, expected) in
            steps.into_iter().zip([0.0, std::f64::consts::FRAC_1_SQRT_2, 0.948_683, 0.547_723])
        {
            assert!((step - expected).abs() < 1e-6, "{step} is not {expected}");
        }
    }

    /// Reference 4.8.
    #[test]
    fn five_of_twenty_missed_leave_three_quarters() {
        let (mut all, mut some) = (Window::new(20), Window::new(20));
        for nth in 0..25u64 {
            all.push(&[(TermId(2 * nth), 1)], &ones);
            if nth < 20 {
                some.push(&[(TermId(2 * nth), 1)], &ones);
            }
        }
        assert!((all.similarity(&some) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn empty_profiles_are_alike_and_like_nothing_else() {
        let mut window = Window::new(3);
        assert_eq!(window.similarity(&Window::new(3)), 1.0);
        assert_eq!(window.push(&[], &ones).similarity, 1.0, "an item without words changes nothing");
        assert_eq!(window.push(&item(&[1]), &ones).similarity, 0.0);
        assert_eq!(window.similarity(&Window::new(3)), 0.0);
        (0..3).for_each(|_| drop(window.push(&[], &ones)));
        assert_eq!((window.norm2(), window.terms().count()), (0.0, 0));
    }

    /// Reference 4.9: at most 1e-9 apart over 10,000 steps.
    #[test]
    fn the_incremental_profile_is_the_recomputed_one() {
        let idf = |term: TermId| 0.3 + (term.0 % 97) as f64 / 13.0;
        let mut window = Window::new(20);
        let mut dice = 1u64;
        let mut roll = |sides: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % sides
        };
        let mut worst = 0f64;
        for _ in 0..10_000 {
            let mut bag: Vec<(TermId, u16)> =
                (0..roll(40)).map(|_| (TermId(2 * roll(500)), 1 + roll(3) as u16)).collect();
            bag.sort_unstable_by_key(|(term, _)| *term);
            bag.dedup_by_key(|(term, _)| *term);
            let before = window.clone();
            let step = window.push(&bag, &idf);
            let (mut old, mut new) = (before.clone(), window.clone());
            old.recompute();
            new.recompute();
            worst = worst.max((step.similarity - old.similarity(&new)).abs());
        }
        assert!(worst <= 1e-9, "{worst}");
    }

    proptest! {
        #[test]
        fn a_step_is_a_similarity_whatever_comes(bags in prop::collection::vec(prop::collection::btree_map(0u64..30, 1u16..9, 0..12), 1..40), size in 1usize..8) {
            let mut window = Window::new(size);
            for bag in bags {
                let bag: Vec<(TermId, u16)> = bag.into_iter().map(|(term, count)| (TermId(term), count)).collect();
                let step = window.push(&bag, &ones).similarity;
                prop_assert!((0.0..=1.0).contains(&step));
                prop_assert!(window.len() <= size);
            }
        }
    }
}
