//! Poll when the delay expected to have piled up since the last poll reaches a price: our estimates without looking
//! ahead. What the planner gains over this is what planning is worth.

use super::Setting;
use crate::replay::{Policy, Poll};
use crate::trace::DAY_S;
use domain::{Hints, PostingRate, Timestamp};
use plan::estimate::{Sight, learn, rate_of};
use plan::{Population, Shape, into_week};

#[derive(Debug)]
pub struct Myopic<'a> {
    setting: Setting<'a>,
    states: Vec<PostingRate>,
    population: Population,
    price: f64,
    cap_s: i64,
}

impl<'a> Myopic<'a> {
    pub fn new(setting: Setting<'a>, strength: f64) -> Self {
        let (states, population) = setting.learned.states(setting.world).clone();
        let roots: f64 =
            states.iter().map(|state| rate_of(state, &population, &Hints::default()).sqrt()).sum();
        let price = 0.5 * (roots / (setting.budget() * strength)).powi(2);
        let cap_s = (4.0 / setting.polls_per_day * DAY_S as f64) as i64;
        Myopic { setting, states, population, price, cap_s }
    }

    fn next(&self, feed: usize, now: i64) -> i64 {
        let state = &self.states[feed];
        let rate = rate_of(state, &self.population, &Hints::default());
        let shape = Shape::of_feed(state, &self.population);
        let start = into_week(Timestamp::from_seconds(now));
        let (mut days, mut backlog, mut delay) = (0.0, 0.0, 0.0);
        let most = self.cap_s as f64 / DAY_S as f64;
        while days < most {
            // To the end of the hour, in which the rate is constant.
            let at = (start + days) * 24.0;
            let step = ((at + 1e-9).floor() + 1.0 - at).max(1e-6) / 24.0;
            let hourly = rate * shape.at_days(start + days + step / 2.0);
            let after = delay + backlog * step + hourly * step * step / 2.0;
            if after >= self.price {
                return now
                    + ((days + crossing(hourly, backlog, self.price - delay)).min(most) * DAY_S as f64)
                        as i64;
            }
            delay = after;
            backlog += hourly * step;
            days += step;
        }
        now + self.cap_s
    }
}

/// When backlog·x + rate·x²/2 is `left`.
fn crossing(rate: f64, backlog: f64, left: f64) -> f64 {
    let root = (backlog * backlog + 2.0 * rate * left).sqrt();
    if root + backlog > 0.0 { 2.0 * left / (root + backlog) } else { 0.0 }
}

impl Policy for Myopic<'_> {
    fn first(&mut self, feed: usize) -> i64 {
        self.next(feed, self.setting.world.begin)
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        let visible = u32::try_from(self.setting.rules.window_items).unwrap_or(u32::MAX);
        self.states[poll.feed] = observed(&self.states[poll.feed], poll, visible, &self.population);
        self.next(poll.feed, poll.now)
    }
}

/// What `plan` makes of a poll.
pub(super) fn observed(
    state: &PostingRate,
    poll: &Poll<'_>,
    visible: u32,
    population: &Population,
) -> PostingRate {
    let new: Vec<Option<Timestamp>> =
        poll.new.iter().map(|post| Some(Timestamp::from_seconds(*post))).collect();
    learn(state, &Sight { now: Timestamp::from_seconds(poll.now), new: &new, visible }, population)
}
