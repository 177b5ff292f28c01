//! What one feed's plan is made from, in the planner's own units: days, unit rate, mean-one patterns.
//!
//! By the scale rule (`scheduling.md` §2.6) rates and price count only by their quotient, so everything after this file
//! deals with a feed that posts once a day at `unit_price`. Stored nonsense ends here.

use super::{Learned, Outlook};
use crate::control::typical_price;
use crate::estimate::{SECONDS_PER_DAY, Shape, rate_of};
use crate::floors::{leave_skip_window, publisher_floor};
use crate::policy::Policy;
use domain::{Attention, Hints, Timestamp};
use std::time::Duration;

pub(crate) const FINE_DAYS: f64 = 2.0 / 24.0;
/// What a feed's posts may be worth beside those of others: twenty times more or less, whatever is stored.
const WEIGHT_MAX: f64 = 20.0;
/// What a poll may cost beside others.
const POLL_COST_MIN: f64 = 0.05;
const POLL_COST_MAX: f64 = 20.0;
/// Keeps √(2u) between a second and two centuries.
const UNIT_PRICE_MIN: f64 = 1e-10;
const UNIT_PRICE_MAX: f64 = 1e9;

#[derive(Debug, Clone)]
pub(crate) struct Terms {
    pub(crate) shape: Shape,
    /// v(t) with mean one; None where it is one everywhere: then the cost is the delay itself.
    pub(crate) value: Option<Shape>,
    pub(crate) posts_per_day: f64,
    /// As all feeds have it.
    pub(crate) price: f64,
    /// Price and poll cost over weight and rate.
    pub(crate) unit_price: f64,
    /// What holds after every poll: our floor and the publisher's standing wishes; and the longest interval.
    pub(crate) least_days: f64,
    pub(crate) most_days: f64,
    /// Operational days until the document's window is as full as we let it get.
    pub(crate) window_days: Option<f64>,
}

impl Terms {
    pub(crate) fn new(
        feed: &Learned<'_>,
        longest: Duration,
        now: Timestamp,
        outlook: &Outlook<'_>,
        policy: &Policy,
    ) -> Terms {
        let posts_per_day = rate_of(feed.rate, outlook.population, feed.hints).clamp(1e-6, 1e6);
        let weight = outlook.attention.map_or(1.0, |attention| sane_weight(attention.weight));
        let price = sane_price(outlook.price, policy);
        let poll_cost = if feed.poll_cost.is_finite() { feed.poll_cost } else { 1.0 };
        let unit_price = price * poll_cost.clamp(POLL_COST_MIN, POLL_COST_MAX) / (weight * posts_per_day);
        let least_days = days(feed.floor.max(standing_floor(feed.hints, now, policy)));
        let guard = policy.window_guard * f64::from(feed.rate.window_items);
        Terms {
            shape: Shape::of_feed(feed.rate, outlook.population),
            value: outlook.attention.and_then(|attention| value_shape(attention, policy.attention_share)),
            posts_per_day,
            price,
            unit_price: unit_price.clamp(UNIT_PRICE_MIN, UNIT_PRICE_MAX),
            least_days,
            most_days: days(longest).max(least_days),
            window_days: (guard > 0.0).then_some(guard / posts_per_day),
        }
    }

    /// The interval of a steady feed: T = √(2μ/r).
    pub(crate) fn flat_days(&self) -> f64 {
        (2.0 * self.unit_price).sqrt()
    }

    /// Whether the interval is so short that looking ahead gains nothing: under two hours (`scheduling.md` §0.7), or one
    /// where it matters when people read.
    pub(crate) fn is_fine(&self) -> bool {
        self.flat_days() < if self.value.is_some() { FINE_DAYS / 2.0 } else { FINE_DAYS }
    }

    /// v at so many days into the week, lifted.
    pub(crate) fn value_at(&self, days: f64) -> f64 {
        self.value.as_ref().map_or(1.0, |value| value.at_days(days))
    }

    /// The same at so many times the price.
    pub(crate) fn repriced(&self, factor: f64) -> Terms {
        let unit_price = (self.unit_price * factor).clamp(UNIT_PRICE_MIN, UNIT_PRICE_MAX);
        Terms { unit_price, price: self.price * factor, ..self.clone() }
    }

    /// The same with every hour worth the same.
    pub(crate) fn without_attention(&self) -> Terms {
        Terms { value: None, ..self.clone() }
    }

    /// p·v by hour of the week: where √ of it is large, polls lie close.
    pub(crate) fn hours(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let values = self.value.as_ref().map(Shape::hours);
        self.shape.hours().iter().enumerate().map(move |(nth, rate)| (*rate, values.map_or(1.0, |v| v[nth])))
    }
}

pub(crate) fn days(span: Duration) -> f64 {
    span.as_secs_f64() / SECONDS_PER_DAY
}

pub(crate) fn span(days: f64) -> Duration {
    // A century is longer than any interval; what is no number is none.
    Duration::try_from_secs_f64(days.clamp(0.0, 36_500.0) * SECONDS_PER_DAY).unwrap_or(Duration::ZERO)
}

/// A price that can be planned with: none, or what is no number, is the typical one.
fn sane_price(price: f64, policy: &Policy) -> f64 {
    if price.is_nan() { typical_price(policy.budget_polls_per_day) } else { price.clamp(1e-12, 1e12) }
}

fn sane_weight(weight: f32) -> f64 {
    let weight = f64::from(weight);
    if weight.is_finite() { weight.clamp(1.0 / WEIGHT_MAX, WEIGHT_MAX) } else { 1.0 }
}

/// v = (1 − α) + α·û. None when it is one everywhere.
fn value_shape(attention: &Attention, share: f64) -> Option<Shape> {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let hours = attention.hours();
    if share == 0.0 || !hours.iter().any(|looks| looks.is_finite() && *looks > 0.0) {
        return None;
    }
    let looks = Shape::of_week(&hours);
    Some(Shape::of_week(&looks.hours().map(|looks| 1.0 - share + share * looks)))
}

/// What the publisher will ask for after the next poll too, as far as can be told: all but Retry-After.
fn standing_floor(hints: &Hints, now: Timestamp, policy: &Policy) -> Duration {
    let standing =
        Hints { retry_after: None, skip_hours: Vec::new(), skip_days: Vec::new(), ..hints.clone() };
    publisher_floor(&standing, Some(now), now, policy).map_or(Duration::ZERO, |floor| floor.until.since(now))
}

/// Whether the publisher asked to be left alone `days` after `now`.
pub(crate) fn is_skipped(hints: &Hints, now: Timestamp, days: f64, policy: &Policy) -> bool {
    if hints.skip_hours.is_empty() && hints.skip_days.is_empty() {
        return false;
    }
    let at = now.saturating_add(span(days));
    leave_skip_window(at, hints, policy) > at
}
