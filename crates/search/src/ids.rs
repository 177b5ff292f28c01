//! Sets of ids that are asked millions of times a second: which feeds a person follows, which items are starred, and
//! what is unread.

use domain::{FeedId, ItemId, Timestamp};
use std::collections::HashMap;

/// A span up to this many ids is kept as bits (2 MiB at most).
const BITS_MAX: u64 = 1 << 24;

#[derive(Debug, Clone)]
pub struct IdSet(Kept);

#[derive(Debug, Clone)]
enum Kept {
    Bits { first: i64, bits: Vec<u64>, count: usize },
    Sorted(Vec<i64>),
}

impl IdSet {
    pub fn contains(&self, id: i64) -> bool {
        match &self.0 {
            Kept::Bits { first, bits, .. } => {
                let Ok(at) = usize::try_from(id.wrapping_sub(*first)) else { return false };
                bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
            }
            Kept::Sorted(ids) => ids.binary_search(&id).is_ok(),
        }
    }

    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::Bits { count, .. } => *count,
            Kept::Sorted(ids) => ids.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl FromIterator<i64> for IdSet {
    fn from_iter<I: IntoIterator<Item = i64>>(ids: I) -> Self {
        let mut ids: Vec<i64> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else { return IdSet(Kept::Sorted(ids)) };
        let span = last.abs_diff(first);
        if span >= BITS_MAX {
            return IdSet(Kept::Sorted(ids));
        }
        let mut bits = vec![0_u64; span as usize / 64 + 1];
        for id in &ids {
            let at = id.abs_diff(first) as usize;
            bits[at / 64] |= 1 << (at % 64);
        }
        IdSet(Kept::Bits { first, bits, count: ids.len() })
    }
}

/// What is unread: items sorted after their feed's watermark, but for the marks. Little, however much is unread.
#[derive(Debug, Clone, Default)]
pub struct Unread {
    watermarks: HashMap<i64, i64>,
    marks: HashMap<i64, bool>,
}

impl Unread {
    /// Feeds with the time up to which all is read, and items that are read or unread whatever that says.
    pub fn new(
        watermarks: impl IntoIterator<Item = (FeedId, Timestamp)>,
        read: impl IntoIterator<Item = (ItemId, bool)>,
    ) -> Unread {
        Unread {
            watermarks: watermarks.into_iter().map(|(feed, at)| (feed.0, at.micros())).collect(),
            marks: read.into_iter().map(|(item, is_read)| (item.0, !is_read)).collect(),
        }
    }

    pub fn contains(&self, item: i64, feed: i64, time: i64) -> bool {
        let after = || self.watermarks.get(&feed).is_some_and(|watermark| time > *watermark);
        self.marks.get(&item).copied().unwrap_or_else(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_id_is_in_the_set_exactly_when_it_was_put_there(
            ids in proptest::collection::vec(prop_oneof![any::<i64>(), -50_i64..50], 0..40),
            asked in prop_oneof![any::<i64>(), -50_i64..50],
        ) {
            let set: IdSet = ids.iter().copied().collect();
            prop_assert_eq!(set.contains(asked), ids.contains(&asked));
            for id in &ids {
                prop_assert!(set.contains(*id));
            }
        }

        #[test]
        fn close_ids_are_kept_as_bits_with_the_same_answers(ids in proptest::collection::vec(-500_i64..500, 0..40)) {
            let set: IdSet = ids.iter().copied().collect();
            for asked in -600..600 {
                prop_assert_eq!(set.contains(asked), ids.contains(&asked));
            }
        }
    }

    #[test]
    fn a_mark_wins_over_the_watermark_and_an_unknown_feed_is_read() {
        let at = Timestamp::from_micros;
        let unread = Unread::new([(FeedId(1), at(10))], [(ItemId(5), true), (ItemId(6), false)]);
        assert!(unread.contains(1, 1, 11) && !unread.contains(1, 1, 10));
        assert!(!unread.contains(5, 1, 11) && unread.contains(6, 1, 1) && !unread.contains(7, 2, 99));
    }
}
