//! Other ways to order a person's items, for a blind trial against [`crate::for_you`].
//!
//! [`newest`] is what every reader does. [`Explorer`] is the dissertation's (003 §3.3): one topic an item, Beta beliefs,
//! mean and λ times variance. Neither collapses stories nor spreads feeds: that is part of what is tried.

use crate::act::{Act, Told};
use crate::features::Candidate;
use crate::list::{CANDIDATES_MAX, ROWS_MAX};
use crate::paper::Belief;
use crate::position::Positions;
use domain::ItemId;
use std::collections::{BTreeMap, HashMap};

/// The λ of the dissertation that did best without drift.
const LAMBDA: f64 = 10.0;

/// The newest first.
pub fn newest(candidates: &[Candidate], rows: usize) -> Vec<ItemId> {
    ordered(candidates, rows, |_| 0.0)
}

/// What the paper's reader believes of each topic.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Explorer {
    topics: BTreeMap<u16, Belief>,
}

impl Explorer {
    /// Learns from outcomes ([`crate::outcomes`]) of items that are known; others say nothing.
    pub fn learn(&mut self, told: &[Told], known: &HashMap<ItemId, Candidate>) {
        let positions = Positions::default();
        for told in told {
            let Some(topic) = known.get(&told.item).and_then(largest_topic) else { continue };
            let belief = self.topics.entry(topic).or_insert(Belief::PAPER);
            *belief = match told.act {
                act if act.is_click() => belief.clicked(),
                Act::Pass => match (told.on_screen, told.row) {
                    (Some(seen), _) => belief.passed(f64::from(u8::from(seen))),
                    (None, Some(row)) => belief.passed(positions.read(row)),
                    (None, None) => *belief,
                },
                Act::Less | Act::MarkRead => belief.passed(1.0),
                _ => *belief,
            };
        }
    }

    /// By the score of the largest topic, ties by time. An item of no topic is like one of a topic never seen.
    pub fn order(&self, candidates: &[Candidate], rows: usize) -> Vec<ItemId> {
        ordered(candidates, rows, |candidate| {
            let belief = largest_topic(candidate).and_then(|topic| self.topics.get(&topic));
            belief.unwrap_or(&Belief::PAPER).score(LAMBDA)
        })
    }
}

fn ordered(candidates: &[Candidate], rows: usize, score: impl Fn(&Candidate) -> f64) -> Vec<ItemId> {
    let mut all: Vec<(f64, &Candidate)> =
        candidates.iter().take(CANDIDATES_MAX).map(|candidate| (score(candidate), candidate)).collect();
    all.sort_unstable_by(|(one, first), (other, second)| {
        let newer = second.published_at.cmp(&first.published_at);
        other.total_cmp(one).then(newer).then(first.item.cmp(&second.item))
    });
    all.into_iter().take(rows.min(ROWS_MAX)).map(|(_, candidate)| candidate.item).collect()
}

fn largest_topic(candidate: &Candidate) -> Option<u16> {
    let shares = candidate.topics.iter().filter(|(_, share)| share.is_finite());
    shares.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0))).map(|(topic, _)| *topic)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::features::tests::{about, candidate};
    use domain::Timestamp;

    fn aged(item: i64, hours: i64) -> Candidate {
        let published_at = Timestamp::from_seconds(1_700_000_000 - 3_600 * hours);
        Candidate { published_at, ..candidate(item, item) }
    }

    #[test]
    fn the_newest_come_first_and_no_more_than_asked_for() {
        let candidates: Vec<Candidate> =
            [(1, 5), (2, 0), (3, 9), (4, 0)].map(|(item, h)| aged(item, h)).into();
        assert_eq!(newest(&candidates, 3), [2, 4, 1].map(ItemId));
        assert!(newest(&[], 3).is_empty());
    }

    #[test]
    fn a_topic_that_is_opened_rises_and_one_that_is_passed_over_falls_below_the_unseen() {
        let candidates: Vec<Candidate> =
            vec![about(1, 1, 3), about(2, 2, 40), about(3, 3, 80), candidate(4, 4)];
        let known: HashMap<ItemId, Candidate> =
            candidates.iter().map(|candidate| (candidate.item, candidate.clone())).collect();
        let told = |item, act, on_screen| Told { item: ItemId(item), act, row: Some(0), on_screen };
        let mut explorer = Explorer::default();
        for _ in 0..20 {
            let open = Act::Open { dwell: None, scrolled: None };
            let outcomes = [
                told(1, open, None),
                told(2, Act::Pass, Some(true)),
                told(99, open, None),
                // Never on screen: nothing is said of it.
                told(3, Act::Pass, Some(false)),
            ];
            explorer.learn(&outcomes, &known);
        }
        assert_eq!(explorer.order(&candidates, 10), [1, 3, 4, 2].map(ItemId));
    }
}
