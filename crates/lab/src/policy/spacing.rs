//! Evenly spaced polls: uniform polling, the square-root allocation of 002 Theorem 1, and the two of Cho &
//! Garcia-Molina (2003) that 002 compares with.

use super::Setting;
use super::sia::{rate, recent};
use crate::dice::Dice;
use crate::replay::{Policy, Poll};
use crate::trace::DAY_S;

/// Each feed at its own interval, from a phase of its own: no time of day is preferred.
#[derive(Debug, Clone)]
pub struct Spacing {
    begin: i64,
    /// Where a feed that gets no polls is found: at the end.
    end: i64,
    intervals_s: Vec<f64>,
    phases: Vec<f64>,
}

impl Spacing {
    /// From polls per day.
    pub fn new(setting: Setting<'_>, frequencies: &[f64]) -> Self {
        // Phases as even as can be among feeds of about the same rate, so that no few busy feeds decide by chance.
        let mut order: Vec<usize> = setting.feeds().collect();
        order.sort_by(|a, b| setting.learned.rates[*b].total_cmp(&setting.learned.rates[*a]));
        let offset = Dice::new(setting.rules.seed).unit();
        let mut phases = vec![0.0; order.len()];
        for (nth, feed) in order.into_iter().enumerate() {
            phases[feed] = (offset + nth as f64 * 0.618_033_988_749_895).fract();
        }
        Spacing {
            begin: setting.world.begin,
            end: setting.world.end,
            intervals_s: frequencies.iter().map(|frequency| 86_400.0 / frequency).collect(),
            phases,
        }
    }

    fn next(&self, feed: usize, now: i64) -> i64 {
        let (interval, phase) = (self.intervals_s[feed], self.phases[feed]);
        // Polls are at whole seconds: half of one keeps a turn from coming twice.
        let since = (now - self.begin) as f64 + 0.5;
        let turn = (since / interval - phase).floor() + 1.0;
        let at = (turn + phase) * interval;
        let whole = (self.end - self.begin) as f64;
        if at.is_finite() && at <= 2.0 * whole { self.begin + (at.round() as i64).max(0) } else { self.end }
    }
}

impl Policy for Spacing {
    fn first(&mut self, feed: usize) -> i64 {
        self.next(feed, self.begin)
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        self.next(poll.feed, poll.now.max(poll.due)).max(poll.now + 1)
    }
}

pub fn uniform(setting: Setting<'_>, strength: f64) -> Spacing {
    Spacing::new(setting, &vec![setting.polls_per_day * strength; setting.world.feeds.len()])
}

/// m ∝ √λ.
pub fn square_root(setting: Setting<'_>, strength: f64) -> Spacing {
    let roots: Vec<f64> = setting.learned.rates.iter().map(|rate| rate.sqrt()).collect();
    let scale = setting.budget() * strength / roots.iter().sum::<f64>();
    Spacing::new(setting, &roots.iter().map(|root| root * scale).collect::<Vec<_>>())
}

/// m ∝ √λ with λ estimated anew every few days (002 §4.2.1): from its last poll on a feed is polled at the interval of
/// the day.
#[derive(Debug)]
pub struct SquareRootAnew<'a> {
    setting: Setting<'a>,
    strength: f64,
    spacing: Spacing,
    known: Vec<Vec<i64>>,
    last: Vec<i64>,
    every_s: i64,
    next_plan: i64,
    replanned: bool,
    now: i64,
}

impl<'a> SquareRootAnew<'a> {
    pub fn new(setting: Setting<'a>, strength: f64, every_days: u32) -> Self {
        let begin = setting.world.begin;
        let known: Vec<Vec<i64>> = setting.feeds().map(|feed| setting.world.history(feed).to_vec()).collect();
        let every_s = i64::from(every_days.max(1)) * DAY_S;
        SquareRootAnew {
            setting,
            strength,
            spacing: square_root(setting, strength),
            last: vec![begin; known.len()],
            known,
            every_s,
            next_plan: begin + every_s,
            replanned: false,
            now: begin,
        }
    }

    fn plan(&mut self) {
        let days = self.setting.learned.study.posts_days;
        let roots: Vec<f64> =
            self.known.iter().map(|known| rate(recent(known, self.now, days), days).sqrt()).collect();
        let scale = self.setting.budget() * self.strength / roots.iter().sum::<f64>();
        self.spacing.intervals_s = roots.iter().map(|root| DAY_S as f64 / (root * scale)).collect();
        self.next_plan =
            self.now - (self.now - self.setting.world.begin).rem_euclid(self.every_s) + self.every_s;
    }

    fn next(&self, feed: usize) -> i64 {
        let due = self.last[feed].saturating_add(self.spacing.intervals_s[feed] as i64);
        due.max(self.now + 1)
    }
}

impl Policy for SquareRootAnew<'_> {
    fn first(&mut self, feed: usize) -> i64 {
        self.spacing.first(feed)
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        self.known[poll.feed].extend_from_slice(poll.new);
        self.last[poll.feed] = poll.now.max(poll.due);
        self.now = poll.now;
        if poll.now >= self.next_plan && poll.now < self.setting.world.end {
            self.plan();
            self.replanned = true;
        }
        self.next(poll.feed)
    }

    fn replanned(&mut self) -> Option<Vec<(usize, i64)>> {
        let replanned = std::mem::take(&mut self.replanned);
        // Whoever has not been polled yet keeps its phase.
        let polled = |feed: &usize| self.last[*feed] > self.setting.world.begin;
        replanned.then(|| self.setting.feeds().filter(polled).map(|feed| (feed, self.next(feed))).collect())
    }
}

/// Least age: 1/(2f²) − (1−(1+r)e^−r)/λ² = μ with r = λ/f.
pub fn cgm_age(setting: Setting<'_>, strength: f64) -> Spacing {
    let gain =
        |rate: f64, frequency: f64| 0.5 / (frequency * frequency) - changed(rate / frequency) / (rate * rate);
    at_one_price(setting, strength, gain, |_| f64::INFINITY)
}

/// Most freshness: (1−(1+r)e^−r)/λ = μ; a feed that changes too often for the price is given up.
pub fn cgm_freshness(setting: Setting<'_>, strength: f64) -> Spacing {
    let gain = |rate: f64, frequency: f64| changed(rate / frequency) / rate;
    at_one_price(setting, strength, gain, |rate| 1.0 / rate)
}

/// 1 − (1+r)e^−r without cancellation.
fn changed(r: f64) -> f64 {
    if r < 1e-3 { r * r / 2.0 - r * r * r / 3.0 } else { 1.0 - (1.0 + r) * (-r).exp() }
}

/// Frequencies at which every feed's marginal gain is the price, with the price such that the budget is met. `most` is
/// the gain of a feed's first poll.
fn at_one_price(
    setting: Setting<'_>,
    strength: f64,
    gain: impl Fn(f64, f64) -> f64,
    most: impl Fn(f64) -> f64,
) -> Spacing {
    let rates = &setting.learned.rates;
    let frequency = |rate: f64, price: f64| {
        if most(rate) <= price {
            return 0.0;
        }
        halved(1e-5, 1e5, |frequency| gain(rate, frequency) > price)
    };
    let all = |price: f64| rates.iter().map(|rate| frequency(*rate, price)).collect::<Vec<f64>>();
    let budget = setting.budget() * strength;
    let price = halved(1e-12, 1e12, |price| all(price).iter().sum::<f64>() > budget);
    Spacing::new(setting, &all(price))
}

/// Where `more` turns from true to false, on a logarithmic scale.
fn halved(mut low: f64, mut high: f64, more: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if more(middle) { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}
