//! What planning knows beside a feed's own schedule: who reads when, what was found how late, what a budget buys.

use crate::id::FeedId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

pub const HOURS_OF_WEEK: usize = 168;

/// Settings of the store in which what was learned of all feeds together is kept: [`Frontier`],
/// [`PriceMemory`](crate::PriceMemory), and what `plan` knows of the population.
pub const FRONTIER_SETTING: &str = "frontier";
pub const PRICE_SETTING: &str = "price";
pub const POPULATION_SETTING: &str = "population";
/// "on" when what a feed repeats of others counts less; not set, it does not.
pub const NOVELTY_SETTING: &str = "novelty";

/// How a feed is read, summed over its readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attention {
    /// Visits a day that look at this feed.
    pub visits_per_day: f32,
    /// What its posts are worth beside those of other feeds; 1 is usual.
    pub weight: f32,
    /// Visits in each hour of the week, Monday 00:00 UTC first, as shares of 255.
    #[serde(with = "hex")]
    shape: [u8; HOURS_OF_WEEK],
}

impl Attention {
    /// `hours` are visits in each hour of the week; what is not a number counts as none.
    pub fn new(hours: &[f64; HOURS_OF_WEEK], weight: f64) -> Attention {
        // Bounded, so that sums and the smaller floats they are kept in stay numbers.
        let sane = |value: f64| if value.is_finite() { value.clamp(0.0, 1e9) } else { 0.0 };
        let most = hours.iter().copied().map(sane).fold(0.0, f64::max);
        let mut shape = [0; HOURS_OF_WEEK];
        for (to, from) in shape.iter_mut().zip(hours) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
            let share = if most > 0.0 { (sane(*from) / most * 255.0).round() as u8 } else { 0 };
            *to = share;
        }
        let total: f64 = hours.iter().copied().map(sane).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a float cast saturates")]
        let (visits_per_day, weight) = ((total / 7.0) as f32, sane(weight) as f32);
        Attention { visits_per_day, weight, shape }
    }

    /// Visits a day at each hour of the week.
    pub fn hours(&self) -> [f64; HOURS_OF_WEEK] {
        let total: f64 = self.shape.iter().map(|share| f64::from(*share)).sum();
        let scale = if total > 0.0 { f64::from(self.visits_per_day) * 168.0 / total } else { 0.0 };
        self.shape.map(|share| f64::from(share) * scale)
    }
}

/// What a poll found, and how late: dated items only, because nothing is known of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    pub dated: u32,
    /// From posting to found, all of them together.
    pub delay_ms: u64,
    /// What the plan in force had promised, all of them together.
    pub expected_ms: u64,
    /// Items that fell out of the document between two polls, as far as can be told.
    pub lost: u32,
}

/// A day of a feed's polls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedDay {
    /// Days since 1970-01-01, UTC.
    pub day: i64,
    pub polls: u32,
    /// Polls that brought something new.
    pub fruitful: u32,
    pub found: Found,
}

/// What more or fewer polls would give, as the learned patterns have it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frontier {
    pub made_at: Timestamp,
    pub feeds: u64,
    /// By rising polls.
    pub points: Vec<FrontierPoint>,
}

/// One budget and what it buys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FrontierPoint {
    /// A mean over feeds.
    pub polls_per_day: f64,
    /// From posting to found, a mean over posts.
    pub delay_s: f64,
    /// The same with polls spread evenly over feeds and hours.
    pub even_delay_s: f64,
}

impl Frontier {
    /// The delay that so many polls would give, between the points by a straight line; None outside.
    pub fn delay_at(&self, polls_per_day: f64) -> Option<f64> {
        self.between(polls_per_day, |point| point.polls_per_day, |point| point.delay_s)
    }

    /// How many polls, spread evenly, would be as fresh; None outside.
    pub fn even_polls_for(&self, delay_s: f64) -> Option<f64> {
        self.between(-delay_s.ln(), |point| -point.even_delay_s.ln(), |point| point.polls_per_day.ln())
            .map(f64::exp)
    }

    fn between(&self, x: f64, of: fn(&FrontierPoint) -> f64, to: fn(&FrontierPoint) -> f64) -> Option<f64> {
        self.points.windows(2).find_map(|pair| {
            let [left, right] = pair else { return None };
            let (a, b) = (of(left), of(right));
            if !(a <= x && x <= b) {
                return None;
            }
            let share = if b > a { (x - a) / (b - a) } else { 0.0 };
            let value = to(left) + share * (to(right) - to(left));
            value.is_finite().then_some(value)
        })
    }
}

/// Feeds with their attention, for writing.
pub type FeedAttention = (FeedId, Attention);

mod hex {
    use super::HOURS_OF_WEEK;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        shape: &[u8; HOURS_OF_WEEK],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text: String = shape.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; HOURS_OF_WEEK], D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut shape = [0; HOURS_OF_WEEK];
        if text.len() != 2 * HOURS_OF_WEEK {
            return Err(D::Error::custom("a week has 168 hours"));
        }
        for (hour, byte) in shape.iter_mut().enumerate() {
            let digits =
                text.get(2 * hour..2 * hour + 2).ok_or_else(|| D::Error::custom("not hexadecimal"))?;
            *byte = u8::from_str_radix(digits, 16).map_err(D::Error::custom)?;
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn attention_survives_being_stored(values in proptest::collection::vec(-1.0f64..5.0, 168), weight: f64) {
            let hours: [f64; HOURS_OF_WEEK] = values.try_into().expect("168 hours");
            let attention = Attention::new(&hours, weight);
            let text = serde_json::to_string(&attention).expect("text");
            prop_assert!(text.len() < 500);
            let back: Attention = serde_json::from_str(&text).expect("reads");
            prop_assert_eq!(&back, &attention);
            let expected: f64 = hours.iter().map(|value| value.max(0.0)).sum();
            let got: f64 = back.hours().iter().sum::<f64>() / 168.0;
            prop_assert!((expected / 7.0 - got).abs() < 1e-3 * (1.0 + expected), "{} {}", expected / 7.0, got);
        }

        #[test]
        fn nonsense_is_no_attention(text in "[0-9a-fé]{0,400}") {
            let json = format!("{{\"visits_per_day\":1,\"weight\":1,\"shape\":\"{text}\"}}");
            let _: Result<Attention, _> = serde_json::from_str(&json);
        }
    }

    #[test]
    fn the_frontier_answers_between_its_points_and_not_beyond() {
        let point =
            |polls_per_day, delay_s, even_delay_s| FrontierPoint { polls_per_day, delay_s, even_delay_s };
        let points =
            vec![point(6.0, 4_000.0, 7_200.0), point(12.0, 2_000.0, 3_600.0), point(24.0, 900.0, 1_800.0)];
        let frontier = Frontier { points, ..Frontier::default() };
        assert_eq!(frontier.delay_at(9.0), Some(3_000.0));
        assert_eq!(frontier.delay_at(12.0), Some(2_000.0));
        assert_eq!((frontier.delay_at(3.0), frontier.delay_at(f64::NAN)), (None, None));
        let even = frontier.even_polls_for(2_000.0).expect("inside");
        assert!((even - 21.6).abs() < 0.01, "43,200 seconds of mean wait divided by 2,000: {even}");
        assert_eq!(frontier.even_polls_for(10.0), None);
        assert_eq!(Frontier::default().even_polls_for(10.0), None);
    }
}
