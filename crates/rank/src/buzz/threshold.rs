//! The threshold algorithm of Fagin, Lotem and Naor, as 003 §4.2.5 uses it: exact top lists of a weighted sum of sorted
//! lists, mostly without reading them to the end.

use super::top::{Ranked, Top};

/// Which keys were met, cleared at the cost of those met.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    met: Vec<bool>,
    keys: Vec<u32>,
}

impl Seen {
    /// Whether it is new.
    fn meet(&mut self, key: u32) -> bool {
        let place = key as usize;
        if place >= self.met.len() {
            self.met.resize(place + 1, false);
        }
        let new = !std::mem::replace(&mut self.met[place], true);
        if new {
            self.keys.push(key);
        }
        new
    }

    fn clear(&mut self) {
        for key in self.keys.drain(..) {
            self.met[key as usize] = false;
        }
    }
}

/// The best keys and what finding them took.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub top: Vec<Ranked>,
    /// Entries read from the lists.
    pub sorted: usize,
    /// Full scores asked for.
    pub random: usize,
    /// What no unread key can exceed, at each depth.
    pub thresholds: Vec<f64>,
}

/// Reads the lists side by side. Each is sorted, highest first, and counts by its weight, which must not be negative;
/// `score` is a key's full score. Ends when the last of the best reaches what the rest can at most have.
pub fn top(
    lists: &[(f32, &[(u32, f32)])],
    count: usize,
    mut score: impl FnMut(u32) -> f64,
    seen: &mut Seen,
) -> Answer {
    seen.clear();
    let mut answer = Answer { top: Vec::new(), sorted: 0, random: 0, thresholds: Vec::new() };
    let mut best = Top::new(count);
    let depth_max = if count == 0 { 0 } else { lists.iter().map(|(_, list)| list.len()).max().unwrap_or(0) };
    for depth in 0..depth_max {
        let mut threshold = 0.0;
        for (weight, list) in lists {
            let Some((key, value)) = list.get(depth) else { continue };
            answer.sorted += 1;
            threshold += f64::from(*weight) * f64::from(*value);
            if seen.meet(*key) {
                answer.random += 1;
                best.offer(*key, score(*key));
            }
        }
        answer.thresholds.push(threshold);
        if best.least().is_some_and(|least| least >= threshold) {
            break;
        }
    }
    answer.top = best.into_vec();
    answer
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Lists = Vec<(f32, Vec<(u32, f32)>)>;

    fn sum(lists: &Lists, key: u32) -> f64 {
        let own = |(weight, list): &(f32, Vec<(u32, f32)>)| {
            let value = list.iter().find(|(own, _)| *own == key).map_or(0.0, |(_, value)| *value);
            f64::from(*weight) * f64::from(value)
        };
        lists.iter().map(own).sum()
    }

    fn ask(lists: &Lists, count: usize) -> Answer {
        let slices: Vec<(f32, &[(u32, f32)])> =
            lists.iter().map(|(weight, list)| (*weight, list.as_slice())).collect();
        top(&slices, count, |key| sum(lists, key), &mut Seen::default())
    }

    fn check(
        lists: &Lists,
        count: usize,
        top: &[(u32, f64)],
        thresholds: &[f64],
        sorted: usize,
        random: usize,
    ) {
        let answer = ask(lists, count);
        let near = |one: f64, other: f64| (one - other).abs() < 1e-6;
        assert_eq!((answer.sorted, answer.random), (sorted, random));
        assert_eq!(answer.top.len(), top.len());
        assert!(
            answer.top.iter().zip(top).all(|(one, other)| one.key == other.0 && near(one.score, other.1))
        );
        assert_eq!(answer.thresholds.len(), thresholds.len());
        assert!(answer.thresholds.iter().zip(thresholds).all(|(one, other)| near(*one, *other)));
    }

    /// The second user of Example 5 from the lists of the two groups (reference 2.5).
    #[test]
    fn example_5_by_groups() {
        let lists = vec![(0.25, vec![(2, 4.0), (1, 2.4)]), (1.2, vec![(3, 2.0), (1, 1.0), (2, 1.0)])];
        check(&lists, 1, &[(3, 2.4)], &[3.4, 1.8], 4, 3);
    }

    #[test]
    fn two_lists_of_six() {
        let one = vec![(1, 0.9), (2, 0.8), (3, 0.7), (4, 0.6), (5, 0.5), (6, 0.4)];
        let other = vec![(4, 0.95), (2, 0.85), (6, 0.5), (1, 0.4), (3, 0.3), (5, 0.1)];
        check(&vec![(1.0, one), (1.0, other)], 2, &[(2, 1.65), (4, 1.55)], &[1.85, 1.65, 1.2], 6, 5);
    }

    #[test]
    fn nothing_asked_or_nothing_there_is_answered_at_once() {
        check(&vec![(1.0, vec![(1, 1.0)])], 0, &[], &[], 0, 0);
        check(&vec![(1.0, vec![])], 3, &[], &[], 0, 0);
        check(&Vec::new(), 3, &[], &[], 0, 0);
    }

    proptest! {
        #[test]
        fn scores_are_those_of_adding_up_everything(
            lists in prop::collection::vec((0.0f32..3.0, prop::collection::btree_map(0u32..30, 0.1f32..9.0, 0..20)), 0..6),
            count in 0usize..8,
        ) {
            let lists: Lists = lists.into_iter().map(|(weight, list)| {
                let mut list: Vec<(u32, f32)> = list.into_iter().collect();
                list.sort_by(|one, other| other.1.total_cmp(&one.1));
                (weight, list)
            }).collect();
            let mut keys: Vec<u32> = lists.iter().flat_map(|(_, list)| list.iter().map(|(key, _)| *key)).collect();
            keys.sort_unstable();
            keys.dedup();
            let mut all: Vec<f64> = keys.iter().map(|key| sum(&lists, *key)).collect();
            all.sort_by(|one, other| other.total_cmp(one));
            all.truncate(count);
            let found = ask(&lists, count);
            prop_assert_eq!(found.top.iter().map(|one| one.score).collect::<Vec<_>>(), all);
            for one in found.top {
                prop_assert_eq!(one.score, sum(&lists, one.key));
            }
        }
    }
}
