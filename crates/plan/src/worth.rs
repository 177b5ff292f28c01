//! What a feed's posts are worth to one of its readers, beside those of other feeds; 1 is usual.
//!
//! The design wants weights from how many people read a feed, how much of it they open, and a person's own mark. Worth
//! is summed over readers, so the first comes by itself; the second is the share of posts opened, shrunk to the
//! person's usual share and bounded, so that a feed nobody opens is still found in time for the day they do.

use crate::estimate::count;

/// How one person treats a feed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taste {
    /// Opens of the feed's items, and its posts, in the same time.
    pub opens: f64,
    pub posts: f64,
    /// Opens per post of this person, over all their feeds.
    pub usual: f64,
    pub is_important: bool,
}

/// Posts after which a feed's own share counts as much as the person's usual one.
const STRENGTH: f64 = 8.0;
/// No feed is worth less or more than this because of opens alone.
const RATIO_MAX: f64 = 3.0;
/// A person's own mark. By the square-root law this makes polls about √4 = 2 times as frequent.
const IMPORTANT: f64 = 4.0;

pub fn worth(taste: &Taste) -> f64 {
    let usual = count(taste.usual).clamp(1e-3, 1.0);
    let posts = count(taste.posts);
    let opens = count(taste.opens).min(posts);
    let share = (opens + STRENGTH * usual) / (posts + STRENGTH);
    let ratio = (share / usual).clamp(1.0 / RATIO_MAX, RATIO_MAX);
    ratio * if taste.is_important { IMPORTANT } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn taste(opens: f64, posts: f64) -> Taste {
        Taste { opens, posts, usual: 0.2, is_important: false }
    }

    #[test]
    fn a_feed_of_which_nothing_is_known_is_usual() {
        assert!((worth(&taste(0.0, 0.0)) - 1.0).abs() < 1e-9);
        assert!((worth(&taste(20.0, 100.0)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_opened_more_is_worth_more_and_the_mark_counts_most() {
        assert!(worth(&taste(60.0, 100.0)) > 2.0);
        assert!((worth(&taste(0.0, 1_000.0)) - 1.0 / 3.0).abs() < 1e-9);
        let marked = Taste { is_important: true, ..taste(0.0, 0.0) };
        assert!((worth(&marked) - 4.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn worth_is_bounded_whatever_is_counted(opens: f64, posts: f64, usual: f64, is_important: bool) {
            let worth = worth(&Taste { opens, posts, usual, is_important });
            prop_assert!((0.3..=12.1).contains(&worth));
        }
    }
}
