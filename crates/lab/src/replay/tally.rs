//! The common accounting of a replay.

use super::Rules;
use crate::trace::{WEEK_S, World};
use std::time::Duration;

/// What a replay came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    pub polls: u64,
    /// Polls by week of the test.
    pub weekly: Vec<u64>,
    pub posts: u64,
    pub mean_delay_s: f64,
    pub median_delay_s: f64,
    pub p99_delay_s: f64,
    pub max_delay_s: f64,
    pub stddev_delay_s: f64,
    /// Mean of the feeds' own mean delays.
    pub mean_of_feeds_s: f64,
    pub accesses: u64,
    /// Posts out but not found, per access, summed over the person's feeds.
    pub missed_per_access: f64,
    /// How long those had been out, summed, per access.
    pub access_delay_s: f64,
    pub items_lost: u64,
    pub bytes: u64,
    /// Bytes of whole documents where something was new: the others are answered 304 to a conditional request.
    pub bytes_changed: u64,
    pub bytes_new: u64,
    /// Polls that found nothing new.
    pub unchanged: u64,
    pub plan_ms: f64,
}

impl Outcome {
    /// The mean over replays of the same world by different people; per access where it is per access.
    pub fn mean(all: &[Outcome]) -> Outcome {
        let count = all.len().max(1) as f64;
        let accesses: u64 = all.iter().map(|one| one.accesses).sum();
        let mean = |of: fn(&Outcome) -> f64| all.iter().map(of).sum::<f64>() / count;
        let whole = |of: fn(&Outcome) -> u64| (all.iter().map(of).sum::<u64>() as f64 / count).round() as u64;
        let per_access = |of: fn(&Outcome) -> f64| {
            let sum: f64 = all.iter().map(|one| of(one) * one.accesses as f64).sum();
            sum / accesses.max(1) as f64
        };
        let weeks = all.iter().map(|one| one.weekly.len()).max().unwrap_or(0);
        let weekly = |nth: usize| {
            all.iter().filter_map(|one| one.weekly.get(nth)).sum::<u64>() / all.len().max(1) as u64
        };
        Outcome {
            polls: whole(|one| one.polls),
            weekly: (0..weeks).map(weekly).collect(),
            posts: whole(|one| one.posts),
            mean_delay_s: mean(|one| one.mean_delay_s),
            median_delay_s: mean(|one| one.median_delay_s),
            p99_delay_s: mean(|one| one.p99_delay_s),
            max_delay_s: all.iter().map(|one| one.max_delay_s).fold(0.0, f64::max),
            stddev_delay_s: mean(|one| one.stddev_delay_s),
            mean_of_feeds_s: mean(|one| one.mean_of_feeds_s),
            accesses,
            missed_per_access: per_access(|one| one.missed_per_access),
            access_delay_s: per_access(|one| one.access_delay_s),
            items_lost: whole(|one| one.items_lost),
            bytes: whole(|one| one.bytes),
            bytes_changed: whole(|one| one.bytes_changed),
            bytes_new: whole(|one| one.bytes_new),
            unchanged: whole(|one| one.unchanged),
            plan_ms: mean(|one| one.plan_ms),
        }
    }
}

pub struct Tally<'a> {
    world: &'a World,
    rules: &'a Rules,
    pub(super) polls: u64,
    weekly: Vec<u64>,
    delays: Vec<u32>,
    by_feed: Vec<(f64, u32)>,
    lost: u64,
    bytes: u64,
    bytes_changed: u64,
    bytes_new: u64,
    unchanged: u64,
    accesses: u64,
    missed: u64,
    missed_s: f64,
    /// Running sums of a feed's post times, relative to the beginning.
    sums: Vec<Vec<f64>>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(world: &'a World, rules: &'a Rules) -> Self {
        let weeks = (world.end - world.begin + WEEK_S - 1).div_euclid(WEEK_S);
        let sums = if world.readers.is_empty() { Vec::new() } else { sums(world) };
        Tally {
            world,
            rules,
            polls: 0,
            weekly: vec![0; usize::try_from(weeks).unwrap_or(0)],
            delays: Vec::with_capacity(world.test_posts()),
            by_feed: vec![(0.0, 0); world.feeds.len()],
            lost: 0,
            bytes: 0,
            bytes_changed: 0,
            bytes_new: 0,
            unchanged: 0,
            accesses: 0,
            missed: 0,
            missed_s: 0.0,
            sums,
        }
    }

    /// A poll found posts `from..to` of a feed; the document showed `shown` items.
    pub(super) fn polled(&mut self, feed: usize, at: i64, from: usize, to: usize, shown: usize) {
        for post in &self.world.feeds[feed].posts[from..to] {
            self.found(feed, at - post);
        }
        if at >= self.world.end {
            return;
        }
        self.polls += 1;
        let week = usize::try_from((at - self.world.begin).div_euclid(WEEK_S)).unwrap_or(0);
        if let Some(polls) = self.weekly.get_mut(week) {
            *polls += 1;
        }
        let new = to - from;
        self.lost += new.saturating_sub(self.rules.window_items) as u64;
        let document = shown as u64 * self.rules.item_bytes;
        self.bytes += document;
        if new == 0 {
            self.unchanged += 1;
        } else {
            self.bytes_changed += document;
        }
        self.bytes_new += new.min(self.rules.window_items) as u64 * self.rules.item_bytes;
    }

    fn found(&mut self, feed: usize, delay: i64) {
        let delay = u32::try_from(delay.max(0)).unwrap_or(u32::MAX);
        self.delays.push(delay);
        self.by_feed[feed].0 += f64::from(delay);
        self.by_feed[feed].1 += 1;
    }

    /// A person looked: what of their feeds was out and not yet found.
    pub(super) fn looked(&mut self, reader: usize, at: i64, passed: &[usize]) {
        self.accesses += 1;
        let all = 0..self.world.feeds.len();
        match &self.world.readers[reader].feeds {
            None => all.for_each(|feed| self.look_at(feed, at, passed[feed])),
            Some(feeds) => feeds.iter().for_each(|feed| self.look_at(*feed, at, passed[*feed])),
        }
    }

    fn look_at(&mut self, feed: usize, at: i64, passed: usize) {
        let posts = &self.world.feeds[feed].posts;
        let out = passed + posts[passed..].partition_point(|post| *post <= at);
        if out > passed {
            self.missed += (out - passed) as u64;
            let posted = self.sums[feed][out] - self.sums[feed][passed];
            self.missed_s += (out - passed) as f64 * (at - self.world.begin) as f64 - posted;
        }
    }

    pub(super) fn finish(mut self, last: &[i64], passed: &[usize], planning: Duration) -> Outcome {
        // A policy that gave a feed up, or was stopped, finds the rest at the end.
        for (feed, from) in passed.iter().enumerate() {
            let end = self.world.end.max(last[feed]);
            for nth in *from..self.world.feeds[feed].posts.len() {
                let post = self.world.feeds[feed].posts[nth];
                self.found(feed, end - post);
            }
        }
        self.delays.sort_unstable();
        let count = self.delays.len().max(1) as f64;
        let mean = self.delays.iter().map(|delay| f64::from(*delay)).sum::<f64>() / count;
        let square = self.delays.iter().map(|delay| (f64::from(*delay) - mean).powi(2)).sum::<f64>();
        let quantile = |share: f64| {
            let nth = ((self.delays.len() as f64 * share).ceil() as usize).saturating_sub(1);
            self.delays.get(nth).copied().map_or(0.0, f64::from)
        };
        let own: Vec<f64> =
            self.by_feed.iter().filter(|feed| feed.1 > 0).map(|(sum, n)| sum / f64::from(*n)).collect();
        let per_access = 1.0 / self.accesses.max(1) as f64;
        Outcome {
            polls: self.polls,
            posts: self.delays.len() as u64,
            mean_delay_s: mean,
            median_delay_s: quantile(0.5),
            p99_delay_s: quantile(0.99),
            max_delay_s: quantile(1.0),
            stddev_delay_s: (square / count).sqrt(),
            mean_of_feeds_s: own.iter().sum::<f64>() / own.len().max(1) as f64,
            accesses: self.accesses,
            missed_per_access: self.missed as f64 * per_access,
            access_delay_s: self.missed_s * per_access,
            items_lost: self.lost,
            bytes: self.bytes,
            bytes_changed: self.bytes_changed,
            bytes_new: self.bytes_new,
            unchanged: self.unchanged,
            plan_ms: planning.as_secs_f64() * 1e3,
            weekly: self.weekly,
        }
    }
}

fn sums(world: &World) -> Vec<Vec<f64>> {
    let of_feed = |posts: &[i64]| {
        let mut sum = 0.0;
        let running = posts.iter().map(|post| {
            sum += (post - world.begin) as f64;
            sum
        });
        std::iter::once(0.0).chain(running).collect()
    };
    world.feeds.iter().map(|feed| of_feed(&feed.posts)).collect()
}
