//! Made-up worlds for tests: feeds with rates and hours of their own, posts as chance has it.

use crate::dice::Dice;
use crate::trace::{DAY_S, FeedTrace, ReaderTrace, WEEK_S, World};

/// A Monday.
pub(crate) const BEGIN: i64 = 1_704_067_200 + 2 * WEEK_S;

/// `count` feeds, two weeks of history and `days` of test. Rates run from a tenth to ten posts a day, each feed posting
/// mostly in eight hours of its own.
pub(crate) fn world(seed: u64, count: usize, days: i64) -> World {
    let (since, end) = (BEGIN - 2 * WEEK_S, BEGIN + days * DAY_S);
    let feeds = (0..count)
        .map(|nth| {
            let mut dice = Dice::of(seed, nth);
            let per_day = 10f64.powf(2.0 * dice.unit() - 1.0);
            let morning = dice.within(24);
            let mut posts = vec![since + dice.within(WEEK_S)];
            let mut at = since as f64;
            while at < end as f64 {
                // Candidates at the busiest rate, thinned outside the busy hours.
                at += -(1.0 - dice.unit()).ln() / (2.5 * per_day) * DAY_S as f64;
                let hour = (at as i64).rem_euclid(DAY_S) / 3600;
                let busy = (hour - morning).rem_euclid(24) < 8;
                if dice.unit() < if busy { 1.0 } else { 0.1 } && at < end as f64 {
                    posts.push(at as i64);
                }
            }
            posts.sort_unstable();
            FeedTrace { name: format!("feed-{nth}"), posts, since }
        })
        .collect();
    World { begin: BEGIN, end, feeds, readers: Vec::new() }
}

/// A person who looks at breakfast, at noon and at night.
pub(crate) fn reader(seed: u64, days: i64) -> ReaderTrace {
    let mut dice = Dice::new(seed);
    let visits = (-14..days).flat_map(|day| [7, 12, 21].map(|hour| BEGIN + day * DAY_S + hour * 3600));
    let mut visits: Vec<i64> = visits.map(|at| at + dice.within(3600)).collect();
    visits.sort_unstable();
    ReaderTrace { name: format!("reader-{seed}"), visits, feeds: None }
}
