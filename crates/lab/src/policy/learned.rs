//! What history teaches, computed once and shared by all policies of an experiment.

use super::clusters::{Clusters, cluster};
use crate::trace::{DAY_S, World};
use domain::{AccessHabit, PostingRate, Timestamp};
use jiff::tz::TimeZone;
use plan::Population;
use plan::estimate::{Sight, learn, visited};
use std::sync::OnceLock;

/// The papers' floor: a feed that was silent counts as half a post.
pub const COUNT_LEAST: f64 = 0.5;

/// How the papers' policies learn: ours have no window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Study {
    /// From the posts of so many days, however long history is (002 §4.2, `scheduling.md` §5).
    pub posts_days: f64,
    /// From the looks of so many days; None means all there are.
    pub looks_days: Option<f64>,
    /// Anew every so many days from what polling showed (002 §4.2.1); None means once, before the test.
    pub anew_days: Option<u32>,
}

impl Default for Study {
    fn default() -> Self {
        Study { posts_days: 14.0, looks_days: None, anew_days: None }
    }
}

/// History as the papers and as we see it.
#[derive(Debug, Default)]
pub struct Learned {
    /// Posts per day by the papers' estimate: count over days.
    pub rates: Vec<f64>,
    /// Looks per day at each feed by UTC hour, as rates per day.
    pub attention: Vec<[f64; 24]>,
    pub study: Study,
    seed: u64,
    histograms: Vec<[f64; 24]>,
    clusters: [OnceLock<Clusters>; 3],
    states: OnceLock<(Vec<PostingRate>, Population)>,
    habits: OnceLock<Vec<AccessHabit>>,
}

impl Learned {
    pub fn new(world: &World, study: Study, seed: u64) -> Self {
        let feeds = 0..world.feeds.len();
        let days = |feed: usize| world.history_days(feed).min(study.posts_days);
        let recent = |feed: usize| {
            let since = world.begin - (days(feed) * DAY_S as f64) as i64;
            let history = world.history(feed);
            &history[history.partition_point(|post| *post < since)..]
        };
        let rate = |feed: usize| (recent(feed).len() as f64).max(COUNT_LEAST) / days(feed);
        Learned {
            rates: feeds.clone().map(rate).collect(),
            attention: attention(world, study.looks_days, world.begin),
            study,
            seed,
            histograms: feeds.map(|feed| histogram(recent(feed))).collect(),
            ..Learned::default()
        }
    }

    /// Clusters of hour-of-day patterns (002 §4.3.1); only 5, 12 and 20 are ever asked for.
    pub fn clusters(&self, count: usize) -> &Clusters {
        let slot = match count {
            5 => 0,
            20 => 2,
            _ => 1,
        };
        self.clusters[slot].get_or_init(|| cluster(&self.histograms, count, self.seed))
    }

    /// Our own estimates at the beginning of the test: history as daily polls would have shown it.
    pub fn states(&self, world: &World) -> &(Vec<PostingRate>, Population) {
        self.states.get_or_init(|| {
            let states: Vec<PostingRate> = (0..world.feeds.len()).map(|feed| state(world, feed)).collect();
            let all: Vec<&PostingRate> = states.iter().collect();
            let habits = self.habits(world);
            let people: Vec<&AccessHabit> = habits.iter().collect();
            let population = Population::fit(&all, &people);
            (states, population)
        })
    }

    /// People's habits at the beginning of the test.
    pub fn habits(&self, world: &World) -> &Vec<AccessHabit> {
        self.habits.get_or_init(|| {
            let before = |visits: &[i64]| {
                let past = visits.iter().take_while(|at| **at < world.begin);
                past.fold(AccessHabit::default(), |habit, at| {
                    visited(&habit, Timestamp::from_seconds(*at), &TimeZone::UTC)
                })
            };
            world.readers.iter().map(|reader| before(&reader.visits)).collect()
        })
    }
}

/// Shares by UTC hour; even when there is nothing.
pub fn histogram(posts: &[i64]) -> [f64; 24] {
    let mut hours = [0.0; 24];
    for post in posts {
        hours[usize::try_from(post.rem_euclid(DAY_S) / 3600).unwrap_or(0)] += 1.0;
    }
    let total: f64 = hours.iter().sum();
    if total > 0.0 { hours.map(|count| count / total) } else { [1.0 / 24.0; 24] }
}

fn state(world: &World, feed: usize) -> PostingRate {
    let since = world.feeds[feed].since;
    let at = Timestamp::from_seconds;
    let mut state = PostingRate {
        observed_until: Some(at(since)),
        observed_since: Some(at(since)),
        ..PostingRate::default()
    };
    let posts = world.history(feed);
    let mut passed = 0;
    let mut now = since;
    while now < world.begin {
        now = (now + DAY_S).min(world.begin);
        let to = passed + posts[passed..].partition_point(|post| *post <= now);
        let new: Vec<Option<Timestamp>> = posts[passed..to].iter().map(|post| Some(at(*post))).collect();
        passed = to;
        state = learn(&state, &Sight { now: at(now), new: &new, visible: 0 }, &Population::default());
    }
    state
}

/// Visits per day by hour up to `now`, summed over a feed's readers; even and one a day when nobody is known.
pub fn attention(world: &World, looks_days: Option<f64>, now: i64) -> Vec<[f64; 24]> {
    if world.readers.is_empty() {
        return vec![[1.0; 24]; world.feeds.len()];
    }
    let each: Vec<[f64; 24]> = world
        .readers
        .iter()
        .map(|reader| {
            let past = &reader.visits[..reader.visits.partition_point(|at| *at < now)];
            let known = past.first().map_or(1.0, |first| (now - first) as f64 / DAY_S as f64);
            let days = known.min(looks_days.unwrap_or(f64::INFINITY)).ceil().max(1.0);
            let since = now - (days * DAY_S as f64) as i64;
            let past = &past[past.partition_point(|at| *at < since)..];
            histogram(past).map(|share| 24.0 * share * (past.len() as f64).max(COUNT_LEAST) / days)
        })
        .collect();
    if world.readers.iter().all(|reader| reader.feeds.is_none()) {
        let sum = std::array::from_fn(|hour| each.iter().map(|hours| hours[hour]).sum());
        return vec![sum; world.feeds.len()];
    }
    let of_feed = |feed: usize| {
        let mut sum = [0.0; 24];
        for (reader, hours) in world.readers.iter().zip(&each) {
            if reader.reads(feed) {
                sum.iter_mut().zip(hours).for_each(|(sum, more)| *sum += more);
            }
        }
        sum
    };
    (0..world.feeds.len()).map(of_feed).collect()
}
