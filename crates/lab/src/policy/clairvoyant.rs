//! The bound: polls placed with the future known.
//!
//! A best poll comes at the very second of a post, so a feed's best plan is a partition of its posts into runs, each
//! found at its last post. The cost of a run is linear in its end once its start is known, so one pass with a convex hull
//! solves a feed at a given price; the price is halved until the polls meet the budget.

use super::Setting;
use crate::replay::{Policy, Poll};

#[derive(Debug)]
pub struct Clairvoyant {
    begin: i64,
    end: i64,
    /// Polls of each feed, ascending.
    polls: Vec<Vec<i64>>,
}

impl Clairvoyant {
    pub fn new(setting: Setting<'_>, strength: f64) -> Self {
        let world = setting.world;
        let budget = (setting.budget() * strength * world.test_days()) as usize;
        let at = |price: f64| -> Vec<Vec<i64>> {
            setting.feeds().map(|feed| runs(world.test(feed), world.end, price)).collect()
        };
        let count = |plans: &[Vec<i64>]| plans.iter().map(Vec::len).sum::<usize>();
        // Free polls find everything at once; where those fit there is nothing to choose.
        let mut polls = at(0.0);
        if count(&polls) > budget {
            let (mut low, mut high) = (1e-3f64, 1e12f64);
            for _ in 0..60 {
                let middle = (low * high).sqrt();
                if count(&at(middle)) > budget { low = middle } else { high = middle }
            }
            // At the price itself some feeds have two best plans: as many take the larger as the budget allows.
            let dear = at(high);
            let mut left = budget - count(&dear);
            polls = at(low);
            for (more, fewer) in polls.iter_mut().zip(dear) {
                let extra = more.len().saturating_sub(fewer.len());
                if extra > left || more.len() < fewer.len() { *more = fewer } else { left -= extra }
            }
        }
        let spare = budget.saturating_sub(count(&polls));
        top_up(&mut polls, spare, world.begin, world.end);
        Clairvoyant { begin: world.begin, end: world.end, polls }
    }

    fn next(&self, feed: usize, now: i64) -> i64 {
        let polls = &self.polls[feed];
        polls.get(polls.partition_point(|at| *at <= now)).copied().unwrap_or(self.end)
    }
}

/// Polls that find nothing, so that all policies spend the same.
fn top_up(polls: &mut [Vec<i64>], spare: usize, begin: i64, end: i64) {
    let feeds = polls.len().max(1);
    for (feed, polls) in polls.iter_mut().enumerate() {
        let more = spare / feeds + usize::from(feed < spare % feeds);
        let step = (end - begin) as f64 / (more + 1) as f64;
        polls.extend((1..=more).map(|nth| begin + (step * nth as f64) as i64));
        polls.sort_unstable();
        polls.dedup();
    }
}

/// The best polls of one feed when each costs `price` (in seconds of delay); what is left is found at the end.
fn runs(posts: &[i64], end: i64, price: f64) -> Vec<i64> {
    let Some(start) = posts.first() else { return Vec::new() };
    let time = |nth: usize| (posts[nth] - start) as f64;
    // best[j]: the least cost with the first j posts found; line i is what a run after the first i posts costs.
    let mut best = vec![0.0f64; posts.len() + 1];
    let mut from = vec![0usize; posts.len() + 1];
    let mut sum = vec![0.0f64; posts.len() + 1];
    let mut hull: Vec<usize> = vec![0];
    let mut head = 0;
    for j in 1..=posts.len() {
        let x = time(j - 1);
        sum[j] = sum[j - 1] + x;
        let height = |i: usize, x: f64| best[i] + sum[i] - i as f64 * x;
        while head + 1 < hull.len() && height(hull[head + 1], x) <= height(hull[head], x) {
            head += 1;
        }
        let i = hull[head];
        from[j] = i;
        best[j] = height(i, x) + j as f64 * x - sum[j] + price;
        // Several posts in one second are found together: no run ends before the last of them.
        if posts.get(j) == posts.get(j - 1) {
            continue;
        }
        let value = |i: usize| best[i] + sum[i];
        while hull.len() >= head + 2 {
            let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
            // b is never lowest when c is below a before b is.
            let over = (value(j) - value(a)) * (b - a) as f64 <= (value(b) - value(a)) * (j - a) as f64;
            if !over {
                break;
            }
            hull.pop();
        }
        hull.push(j);
    }
    let rest =
        |i: usize| (posts.len() - i) as f64 * (end - start) as f64 - (sum[posts.len()] - sum[i]) + best[i];
    // What is left after the last poll is found at the end for nothing.
    let ends = |i: usize| i == 0 || posts.get(i) != posts.get(i - 1);
    let stop = (0..=posts.len()).filter(|i| ends(*i)).min_by(|a, b| rest(*a).total_cmp(&rest(*b)));
    let mut at = stop.unwrap_or(posts.len());
    let mut polls = Vec::new();
    while at > 0 {
        polls.push(posts[at - 1]);
        at = from[at];
    }
    polls.reverse();
    polls
}

impl Policy for Clairvoyant {
    fn first(&mut self, feed: usize) -> i64 {
        self.next(feed, self.begin - 1)
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        self.next(poll.feed, poll.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cost(posts: &[i64], polls: &[i64], end: i64, price: f64) -> f64 {
        let found = |post: &i64| polls.iter().find(|poll| *poll >= post).unwrap_or(&end) - post;
        posts.iter().map(|post| found(post) as f64).sum::<f64>() + price * polls.len() as f64
    }

    proptest! {
        #[test]
        fn no_other_choice_of_polls_is_better(
            mut posts in proptest::collection::vec(0i64..60, 1..9), price in 0.0f64..60.0,
        ) {
            posts.sort_unstable();
            let end = 80;
            let ours = cost(&posts, &runs(&posts, end, price), end, price);
            for mask in 0u32..1 << posts.len() {
                let mut polls: Vec<i64> =
                    posts.iter().enumerate().filter(|(nth, _)| mask >> nth & 1 == 1).map(|(_, at)| *at).collect();
                polls.dedup();
                prop_assert!(ours <= cost(&posts, &polls, end, price) + 1e-6);
            }
        }
    }
}
