//! The papers' plans: rates and clustered hour-of-day patterns from the training days, allocation by the square root
//! (002, 000) or the cube root (001), then retrieval times within the day.

use super::Setting;
use super::clusters::{Clusters, cluster};
use super::cycles::Cycle;
use super::learned::{COUNT_LEAST, attention, histogram};
use super::papers::{Pattern, refine, two_point};
use crate::dice::Dice;
use crate::replay::{Policy, Poll};
use crate::trace::DAY_S;
use plan::{Bounds, Costs, Grid, Metric, place};
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Allocate {
    Even,
    SquareRoot,
    CubeRoot,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Placing {
    Even,
    Exact,
    Algorithm1,
    TwoPoint,
    Refine,
}

/// One of the papers' planners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sia {
    pub clusters: usize,
    pub allocate: Allocate,
    pub placing: Placing,
    pub metric: Metric,
}

/// What a plan is made from.
struct Known<'a> {
    rates: &'a [f64],
    clusters: &'a Clusters,
    attention: &'a [[f64; 24]],
}

/// Half an hour, as 002 §3.2.2 has it; five minutes where polls come closer than that allows for.
const SLOTS: usize = 48;
const SLOTS_FINE: usize = 288;
const COARSE_MAX: usize = 16;
/// The exhaustive search is quadratic in the slots: fifteen minutes.
const SLOTS_SEARCHED: usize = 96;
/// Beyond this many polls a day the papers' searches take minutes and gain nothing.
const SEARCHED_MAX: usize = 24;

impl Sia {
    pub fn plan(self, setting: Setting<'_>, strength: f64) -> Planned {
        let learned = setting.learned;
        let known = Known {
            rates: &learned.rates,
            clusters: learned.clusters(self.clusters),
            attention: &learned.attention,
        };
        let cycles = self.cycles(setting, strength, &known);
        Planned { begin: setting.world.begin, end: setting.world.end, cycles }
    }

    /// Every feed's polls, from its rate, its cluster's pattern and when people look at it.
    fn cycles(self, setting: Setting<'_>, strength: f64, known: &Known<'_>) -> Vec<Cycle> {
        let Known { rates, clusters, attention } = known;
        let wishes: Vec<f64> = setting
            .feeds()
            .map(|feed| match self.allocate {
                Allocate::Even => 1.0,
                Allocate::SquareRoot => rates[feed].sqrt(),
                Allocate::CubeRoot => {
                    let looks = attention[feed].iter().sum::<f64>() / 24.0;
                    (rates[feed] * looks).cbrt()
                }
            })
            .collect();
        let shares = apportion(&wishes, setting.budget() * strength);
        let mut placed: HashMap<(usize, usize, Vec<u64>), Vec<i64>> = HashMap::new();
        setting
            .feeds()
            .map(|feed| {
                let Share { polls, days } = shares[feed];
                let attention = &attention[feed];
                let cluster = clusters.of[feed];
                let key_attention = if self.metric.uses_attention() {
                    attention.iter().map(|rate| rate.to_bits()).collect()
                } else {
                    Vec::new()
                };
                let times = placed
                    .entry((cluster, polls, key_attention))
                    .or_insert_with(|| self.times(&clusters.centroids[cluster], attention, polls));
                // A feed polled every k-th day gets a day of its own.
                let days = i64::try_from(days).unwrap_or(1);
                let day = Dice::of(setting.rules.seed, feed).within(days);
                Cycle {
                    period_s: days * DAY_S,
                    offsets_s: times.iter().map(|time| time + day * DAY_S).collect(),
                }
            })
            .collect()
    }

    /// Seconds of the day.
    pub fn times(self, posting: &[f64; 24], attention: &[f64; 24], polls: usize) -> Vec<i64> {
        let searched =
            matches!(self.placing, Placing::Algorithm1 | Placing::TwoPoint) && polls <= SEARCHED_MAX;
        let coarse = if polls <= COARSE_MAX { SLOTS } else { SLOTS_FINE };
        let slots = if searched { SLOTS_SEARCHED } else { coarse };
        let polls = polls.min(slots);
        let finer = |hours: &[f64; 24]| -> Vec<f64> {
            (0..slots).map(|slot| 24.0 * hours[slot * 24 / slots]).collect()
        };
        let (posting, attention) = (finer(posting), finer(attention));
        let grid = Grid::day(slots);
        let Ok(costs) = Costs::new(self.metric, grid, &posting, &attention, 1) else { return Vec::new() };
        let exact = || place(&costs, polls, &Bounds::default());
        let pattern = Pattern::new(self.metric, &posting, &attention);
        let placement = match self.placing {
            Placing::Even => Some(plan::even(&costs, polls)),
            Placing::Exact => exact(),
            Placing::Refine => Some(refine(&costs, &pattern, polls)),
            Placing::TwoPoint if searched => two_point(&costs, &pattern, polls, false).or_else(exact),
            // Where no plan passes the closing test, the best of those that do not is taken.
            Placing::Algorithm1 if searched => {
                let closing = two_point(&costs, &pattern, polls, true);
                closing.or_else(|| two_point(&costs, &pattern, polls, false)).or_else(exact)
            }
            Placing::TwoPoint | Placing::Algorithm1 => exact(),
        };
        let slot_s = DAY_S as f64 / slots as f64;
        let polls = placement.map(|placement| placement.polls).unwrap_or_default();
        polls.into_iter().map(|slot| (slot as f64 * slot_s) as i64).collect()
    }
}

/// `polls` polls every `days` days; one of the two is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub polls: usize,
    pub days: usize,
}

/// Rates in proportion to the wishes, rounded to 1/k, 1, 2, … per day so that their sum is the budget. Feeds round at
/// slightly different places, so that equal wishes can share what is left.
pub fn apportion(wishes: &[f64], budget: f64) -> Vec<Share> {
    const DAYS_MAX: f64 = 365.0;
    let nth_threshold = |nth: usize| 0.4 + 0.2 * (nth as f64 * 0.618_033_988_749_895).fract();
    let rounded = |scale: f64| -> Vec<Share> {
        wishes
            .iter()
            .enumerate()
            .map(|(nth, wish)| {
                let wish = (wish * scale).clamp(1.0 / DAYS_MAX, 1e6);
                let up = nth_threshold(nth);
                if wish >= 1.0 {
                    Share { polls: (wish + up).floor() as usize, days: 1 }
                } else {
                    Share { polls: 1, days: (1.0 / wish + up).floor() as usize }
                }
            })
            .collect()
    };
    let spent = |shares: &[Share]| shares.iter().map(|s| s.polls as f64 / s.days as f64).sum::<f64>();
    let (mut low, mut high) = (1e-9f64, 1e9f64);
    for _ in 0..70 {
        let middle = (low * high).sqrt();
        if spent(&rounded(middle)) <= budget { low = middle } else { high = middle }
    }
    rounded(low)
}

/// Runs cycles that do not change.
#[derive(Debug, Clone)]
pub struct Planned {
    pub begin: i64,
    pub end: i64,
    pub cycles: Vec<Cycle>,
}

impl Policy for Planned {
    fn first(&mut self, feed: usize) -> i64 {
        self.cycles[feed].next(self.begin).unwrap_or(self.end)
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        self.cycles[poll.feed].next(poll.now.max(poll.due)).unwrap_or(self.end)
    }
}

/// The posts of the days before `now`.
pub(super) fn recent(posts: &[i64], now: i64, days: f64) -> &[i64] {
    let since = now - (days * DAY_S as f64) as i64;
    &posts[posts.partition_point(|post| *post < since)..]
}

/// The papers' estimate: posts per day.
pub(super) fn rate(posts: &[i64], days: f64) -> f64 {
    (posts.len() as f64).max(COUNT_LEAST) / days
}

/// The same, estimated anew every few days from what polling showed in the days before ([`Study`](super::Study)).
#[derive(Debug)]
pub struct Rolling<'a> {
    sia: Sia,
    setting: Setting<'a>,
    strength: f64,
    known: Vec<Vec<i64>>,
    planned: Planned,
    every_s: i64,
    next_plan: i64,
    replanned: bool,
    /// Each feed's last poll, or when it had been due where jitter was early; and the latest of all polls.
    last: Vec<i64>,
    now: i64,
}

/// Unless the study says otherwise.
const ANEW_DAYS: u32 = 7;

impl<'a> Rolling<'a> {
    pub fn new(sia: Sia, setting: Setting<'a>, strength: f64) -> Self {
        let known: Vec<Vec<i64>> = setting.feeds().map(|feed| setting.world.history(feed).to_vec()).collect();
        let begin = setting.world.begin;
        let planned = Planned { begin, end: setting.world.end, cycles: Vec::new() };
        let last = vec![begin; known.len()];
        let every_s = i64::from(setting.learned.study.anew_days.unwrap_or(ANEW_DAYS).max(1)) * DAY_S;
        let (next_plan, replanned, now) = (begin, false, begin);
        let mut rolling =
            Rolling { sia, setting, strength, known, planned, every_s, next_plan, replanned, last, now };
        rolling.plan(begin);
        rolling
    }

    fn plan(&mut self, now: i64) {
        let study = self.setting.learned.study;
        let recent: Vec<&[i64]> =
            self.known.iter().map(|known| recent(known, now, study.posts_days)).collect();
        let rates: Vec<f64> = recent.iter().map(|posts| rate(posts, study.posts_days)).collect();
        let histograms: Vec<[f64; 24]> = recent.iter().map(|posts| histogram(posts)).collect();
        let clusters = &cluster(&histograms, self.sia.clusters, self.setting.rules.seed);
        let looks = self.sia.metric.uses_attention() || self.sia.allocate == Allocate::CubeRoot;
        let attention = match looks {
            true => &attention(self.setting.world, study.looks_days, now),
            false => &self.setting.learned.attention,
        };
        let known = Known { rates: &rates, clusters, attention };
        self.planned.cycles = self.sia.cycles(self.setting, self.strength, &known);
        self.next_plan = now - (now - self.planned.begin).rem_euclid(self.every_s) + self.every_s;
    }

    /// Every k-th day counts from the last poll: a k that changes from plan to plan must not put a feed off for ever.
    fn next(&self, feed: usize) -> i64 {
        let cycle = &self.planned.cycles[feed];
        let time = cycle.offsets_s.first().map(|offset| offset % DAY_S);
        match time {
            Some(time) if cycle.period_s > DAY_S => {
                let last = self.last[feed];
                let due = last - last.rem_euclid(DAY_S) + cycle.period_s + time;
                let overdue = (self.now - due).max(0).div_euclid(DAY_S);
                let due = due + overdue * DAY_S;
                if due > self.now { due } else { due + DAY_S }
            }
            _ => cycle.next(self.now.max(self.last[feed])).unwrap_or(self.planned.end),
        }
    }
}

impl Policy for Rolling<'_> {
    fn first(&mut self, feed: usize) -> i64 {
        self.planned.first(feed)
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        self.known[poll.feed].extend_from_slice(poll.new);
        self.now = poll.now;
        self.last[poll.feed] = poll.now.max(poll.due);
        if poll.now >= self.next_plan && poll.now < self.planned.end {
            self.plan(poll.now);
            self.replanned = true;
        }
        self.next(poll.feed)
    }

    fn replanned(&mut self) -> Option<Vec<(usize, i64)>> {
        let replanned = std::mem::take(&mut self.replanned);
        replanned.then(|| self.setting.feeds().map(|feed| (feed, self.next(feed))).collect())
    }
}
