//! The learned monitoring rate of Roitman et al. (004 eq. 5): next poll after 1/λ, with
//! λ ← α·λ + (1−α)·(items found)/(time since the last poll) and α = α₀·e^(−T/G), α₀ = 0.1, G = 100.
//!
//! As printed, one empty interval drives the rate to nothing and the feed is never polled again; a floor keeps it alive.
//! One factor scales all intervals to the budget.

use super::Setting;
use super::learned::COUNT_LEAST;
use crate::dice::Dice;
use crate::replay::{Policy, Poll};
use crate::trace::DAY_S;

const ALPHA: f64 = 0.1;
const GROWTH_DAYS: f64 = 100.0;
/// Half a post in two weeks, as for the papers' silent feeds.
const RATE_LEAST: f64 = COUNT_LEAST / 14.0;

#[derive(Debug)]
pub struct Roitman {
    begin: i64,
    seed: u64,
    rates: Vec<f64>,
    factor: f64,
}

impl Roitman {
    pub fn new(setting: Setting<'_>, strength: f64) -> Self {
        let rates = setting.learned.rates.clone();
        // Polls in proportion to the rates: 1/λ times this meets the budget while the rates stay.
        let factor = rates.iter().sum::<f64>() / (setting.budget() * strength);
        Roitman { begin: setting.world.begin, seed: setting.rules.seed, rates, factor }
    }

    fn interval_s(&self, feed: usize) -> f64 {
        (self.factor / self.rates[feed].max(RATE_LEAST) * DAY_S as f64).clamp(1.0, 1e9)
    }
}

impl Policy for Roitman {
    fn first(&mut self, feed: usize) -> i64 {
        self.begin + (self.interval_s(feed) * Dice::of(self.seed, feed).unit()) as i64
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        let days = |from: i64, to: i64| (to - from).max(1) as f64 / DAY_S as f64;
        let alpha = ALPHA * (-days(self.begin, poll.now) / GROWTH_DAYS).exp();
        let seen = poll.new.len() as f64 / days(poll.last, poll.now);
        let rate = &mut self.rates[poll.feed];
        *rate = (alpha * *rate + (1.0 - alpha) * seen).max(RATE_LEAST);
        poll.now + self.interval_s(poll.feed) as i64
    }
}
