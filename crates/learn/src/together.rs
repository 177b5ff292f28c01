//! Feeds that the same people follow: "who follows this also follows that".
//!
//! Cosine between feeds by their readers, as item–item models have it: simple, exact, and as good on real subscriptions as
//! any factorisation (`docs/experiments/buzz.md`). Two feeds are tied only when enough people follow both, so that no
//! tie tells of one person; with fewer people on a server nobody is told anything (row A10).

use crate::Sparse;
use domain::FeedId;
use std::collections::{BTreeSet, HashMap};
use text::packed::BadState;

/// People who must follow both.
pub const BOTH_MIN: u32 = 5;
/// Ties kept of each feed, the closest ones.
pub const TIES_MAX: usize = 50;
/// Of somebody who follows more, the first so many count.
const FOLLOWS_MAX: usize = 1_000;
const MAGIC: &[u8; 4] = b"tog1";

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tied {
    pub feed: FeedId,
    /// People who follow both.
    pub both: u32,
    pub cosine: f32,
}

/// A feed that somebody does not follow yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recommended {
    pub feed: FeedId,
    pub score: f32,
    /// The closest of those they follow.
    pub because: FeedId,
    /// People who follow that and this.
    pub both: u32,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Together {
    ties: HashMap<FeedId, Vec<Tied>>,
}

impl Together {
    /// Of who follows what: one list of feeds for each person.
    pub fn of(people: &[Vec<FeedId>]) -> Self {
        let mut numbers: HashMap<FeedId, u32> = HashMap::new();
        let mut feeds: Vec<FeedId> = Vec::new();
        let rows: Vec<Vec<(u32, f32)>> = people
            .iter()
            .map(|own| {
                let number = |feed: &FeedId| {
                    *numbers.entry(*feed).or_insert_with(|| {
                        feeds.push(*feed);
                        u32::try_from(feeds.len() - 1).unwrap_or(u32::MAX)
                    })
                };
                own.iter().take(FOLLOWS_MAX).map(number).map(|feed| (feed, 1.0)).collect()
            })
            .collect();
        let follows = Sparse::of_rows(feeds.len(), rows);
        let ties = tied(&follows, BOTH_MIN).into_iter().zip(&feeds).filter(|(tied, _)| !tied.is_empty()).map(
            |(tied, feed)| {
                let named = |(other, both, cosine): (u32, u32, f32)| Tied {
                    feed: feeds[other as usize],
                    both,
                    cosine,
                };
                (*feed, tied.into_iter().map(named).collect())
            },
        );
        Together { ties: ties.collect() }
    }

    /// What goes with the feeds somebody follows, best first.
    pub fn recommend(&self, follows: &[FeedId], count: usize) -> Vec<Recommended> {
        let follows: BTreeSet<FeedId> = follows.iter().copied().collect();
        let mut found: HashMap<FeedId, Recommended> = HashMap::new();
        let mut closest: HashMap<FeedId, f32> = HashMap::new();
        for own in &follows {
            for tied in self.ties.get(own).into_iter().flatten() {
                let new = Recommended { feed: tied.feed, score: 0.0, because: *own, both: tied.both };
                let one = found.entry(tied.feed).or_insert(new);
                one.score += tied.cosine;
                let best = closest.entry(tied.feed).or_insert(0.0);
                if tied.cosine > *best || (tied.cosine == *best && *own < one.because) {
                    *best = tied.cosine;
                    (one.because, one.both) = (*own, tied.both);
                }
            }
        }
        found.retain(|feed, _| !follows.contains(feed));
        let mut found: Vec<Recommended> = found.into_values().collect();
        found
            .sort_unstable_by(|one, other| other.score.total_cmp(&one.score).then(one.feed.cmp(&other.feed)));
        found.truncate(count);
        found
    }

    pub fn is_empty(&self) -> bool {
        self.ties.is_empty()
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut feeds: Vec<(&FeedId, &Vec<Tied>)> = self.ties.iter().collect();
        feeds.sort_unstable_by_key(|(feed, _)| **feed);
        let mut out = MAGIC.to_vec();
        for (feed, tied) in feeds {
            out.extend(feed.0.to_le_bytes());
            out.push(u8::try_from(tied.len()).unwrap_or(u8::MAX));
            for one in tied.iter().take(usize::from(u8::MAX)) {
                out.extend(one.feed.0.to_le_bytes());
                out.extend(one.both.to_le_bytes());
                out.extend(one.cosine.to_le_bytes());
            }
        }
        out
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadState> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(BadState::Wrong)?;
        let mut ties = HashMap::new();
        while !rest.is_empty() {
            let feed = FeedId(i64::from_le_bytes(take(&mut rest)?));
            let [count] = take::<1>(&mut rest)?;
            let tied: Result<Vec<Tied>, BadState> = (0..count)
                .map(|_| {
                    Ok(Tied {
                        feed: FeedId(i64::from_le_bytes(take(&mut rest)?)),
                        both: u32::from_le_bytes(take(&mut rest)?),
                        cosine: f32::from_le_bytes(take(&mut rest)?),
                    })
                })
                .collect();
            ties.insert(feed, tied?);
        }
        Ok(Together { ties })
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], BadState> {
    let (head, tail) = rest.split_first_chunk::<N>().ok_or(BadState::Wrong)?;
    *rest = tail;
    Ok(*head)
}

/// For each column the columns that at least `both_min` rows have too: which, in how many rows, and the cosine; the
/// closest [`TIES_MAX`], closest first.
pub fn tied(follows: &Sparse, both_min: u32) -> Vec<Vec<(u32, u32, f32)>> {
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); follows.columns()];
    for row in 0..follows.rows() {
        let number = u32::try_from(row).unwrap_or(u32::MAX);
        follows.row(row).iter().for_each(|(column, _)| readers[*column as usize].push(number));
    }
    let mut both = vec![0u32; follows.columns()];
    let mut touched: Vec<u32> = Vec::new();
    let mut all = Vec::with_capacity(follows.columns());
    for (column, own) in readers.iter().enumerate() {
        if own.len() >= both_min as usize {
            for row in own {
                for (other, _) in follows.row(*row as usize) {
                    if both[*other as usize] == 0 {
                        touched.push(*other);
                    }
                    both[*other as usize] += 1;
                }
            }
        }
        let mut near: Vec<(u32, u32, f32)> = touched
            .iter()
            .filter(|other| **other as usize != column && both[**other as usize] >= both_min)
            .map(|other| {
                let lengths = own.len() as f64 * readers[*other as usize].len() as f64;
                (*other, both[*other as usize], (f64::from(both[*other as usize]) / lengths.sqrt()) as f32)
            })
            .collect();
        near.sort_unstable_by(|one, other| other.2.total_cmp(&one.2).then(one.0.cmp(&other.0)));
        near.truncate(TIES_MAX);
        all.push(near);
        touched.drain(..).for_each(|other| both[other as usize] = 0);
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn people(lists: &[(&[i64], usize)]) -> Vec<Vec<FeedId>> {
        let list = |feeds: &[i64]| feeds.iter().copied().map(FeedId).collect::<Vec<_>>();
        lists.iter().flat_map(|(feeds, times)| std::iter::repeat_n(list(feeds), *times)).collect()
    }

    #[test]
    fn what_the_same_people_follow_goes_together() {
        let together = Together::of(&people(&[(&[1, 2], 6), (&[1, 3], 5), (&[4], 9)]));
        let found = together.recommend(&[FeedId(1)], 9);
        assert_eq!(found.iter().map(|one| (one.feed.0, one.both)).collect::<Vec<_>>(), [(2, 6), (3, 5)]);
        assert!((found[0].score - 6.0 / (11.0f32 * 6.0).sqrt()).abs() < 1e-6);
        assert_eq!(found[0].because, FeedId(1));
        assert!(together.recommend(&[FeedId(4)], 9).is_empty());
        assert!(
            together.recommend(&[FeedId(1), FeedId(2), FeedId(3)], 9).is_empty(),
            "what is followed is not offered"
        );
    }

    #[test]
    fn a10_ties_of_fewer_than_five_people_are_not_known() {
        let together = Together::of(&people(&[(&[1, 2], 4), (&[1], 90), (&[2], 90)]));
        assert!(together.is_empty() && together.recommend(&[FeedId(1)], 9).is_empty());
        assert!(Together::of(&[]).is_empty());
        assert!(!Together::of(&people(&[(&[1, 2], 5)])).is_empty());
    }

    #[test]
    fn o10_somebody_who_follows_everything_is_one_person() {
        let everything: Vec<FeedId> = (0..5_000).map(FeedId).collect();
        let mut all = people(&[(&[1, 2], 5), (&[3], 5)]);
        all.push(everything);
        let together = Together::of(&all);
        assert_eq!(together.recommend(&[FeedId(3)], 9), []);
        assert_eq!(together.recommend(&[FeedId(1)], 9).len(), 1);
    }

    #[test]
    fn a_table_that_is_none_is_refused() {
        assert_eq!(Together::from_bytes(b"nonsense"), Err(BadState::Wrong));
        let mut bytes = Together::of(&people(&[(&[1, 2], 5)])).to_bytes();
        bytes.pop();
        assert_eq!(Together::from_bytes(&bytes), Err(BadState::Wrong));
    }

    proptest! {
        #[test]
        fn tables_are_read_back_and_nothing_is_recommended_twice_or_followed_already(
            lists in prop::collection::vec(prop::collection::btree_set(0i64..12, 0..8), 0..60),
        ) {
            let all: Vec<Vec<FeedId>> = lists.iter().map(|own| own.iter().copied().map(FeedId).collect()).collect();
            let together = Together::of(&all);
            prop_assert_eq!(&Together::from_bytes(&together.to_bytes()).unwrap(), &together);
            for own in &all {
                let mut found: Vec<FeedId> = together.recommend(own, 99).into_iter().map(|one| one.feed).collect();
                prop_assert!(found.iter().all(|feed| !own.contains(feed)));
                let count = found.len();
                found.sort();
                found.dedup();
                prop_assert_eq!(found.len(), count);
            }
        }
    }
}
