//! What is known of an item before a person decides: the x of wᵀx.
//!
//! Topics (several, by share), the feed, words, age, novelty, how many feeds tell the story, how much the feed posts.
//! Whatever a feed or a model says is made finite and bounded here, once.

use crate::words::{Recent, Words};
use domain::{FeedId, ItemId, Timestamp};
use text::TermId;

/// Topics a model may have.
pub const TOPICS_MAX: usize = 128;
/// Topics of one item, the first ones.
pub const ITEM_TOPICS_MAX: usize = 16;
/// Smaller shares are noise.
pub const SHARE_MIN: f32 = 0.02;
/// A story in more feeds is as much talked about as one in so many.
const COPIES_MAX: u32 = 1_000;
const HOURS_MAX: f64 = 24.0 * 3_660.0;
const ITEMS_PER_DAY_MAX: f32 = 1e6;

/// Something a weight is learnt for, or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    Topic(u16),
    Feed(FeedId),
    Word(TermId),
    /// How often anything is opened at all.
    Bias,
    /// log2(1 + hours/12).
    Age,
    /// Nearness to the person's words.
    Interest,
    /// 1 − the largest similarity to what was read lately.
    Novelty,
    /// ln(1 + other feeds of the person that tell the story).
    Copies,
    /// ln(1 + items a day of the feed).
    Rate,
}

/// Features that are neither topic nor feed, in the order of their weights.
pub(crate) const PLAIN: [Feature; 6] =
    [Feature::Bias, Feature::Age, Feature::Interest, Feature::Novelty, Feature::Copies, Feature::Rate];

impl Feature {
    /// Mean and variance of the weight before anything is known (reference 1.3). Of a feed the mean is ln of its weight.
    pub(crate) const fn prior(self) -> (f32, f32) {
        let (mean, deviation): (f32, f32) = match self {
            Feature::Topic(_) => (0.0, 2.0),
            Feature::Feed(_) => (0.0, 0.6),
            Feature::Word(_) => (0.0, 1.0),
            Feature::Bias => (-2.0, 0.7),
            Feature::Age => (-0.3, 0.3),
            Feature::Interest => (1.0, 0.7),
            Feature::Novelty => (0.3, 0.5),
            Feature::Copies => (0.3, 0.3),
            Feature::Rate => (-0.2, 0.3),
        };
        (mean, deviation * deviation)
    }
}

/// An item that might be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub item: ItemId,
    pub feed: FeedId,
    /// What the person made of the feed: 1, more for a favourite.
    pub feed_weight: f32,
    pub feed_items_per_day: f32,
    pub published_at: Timestamp,
    /// Topics by share, the largest first.
    pub topics: Box<[(u16, f32)]>,
    /// See [`crate::item_terms`].
    pub terms: Box<[(TermId, f32)]>,
    /// Items of one story have the same number.
    pub story: Option<u64>,
    /// Other feeds of the person that tell it.
    pub copies: u32,
}

/// What else decides about a candidate.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    pub now: Timestamp,
    pub recent: &'a Recent,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Features<'a> {
    pub(crate) feed: FeedId,
    pub(crate) feed_offset: f32,
    pub(crate) plain: [f32; PLAIN.len()],
    topics: [(u16, f32); ITEM_TOPICS_MAX],
    topic_count: usize,
    pub(crate) terms: &'a [(TermId, f32)],
    /// What the prior means add up to.
    pub(crate) offset: f64,
}

impl<'a> Features<'a> {
    pub(crate) fn of(candidate: &'a Candidate, words: &Words, moment: Moment<'_>) -> Self {
        let hours = moment.now.since(candidate.published_at).as_secs_f64() / 3_600.0;
        let per_day = finite(candidate.feed_items_per_day).clamp(0.0, ITEMS_PER_DAY_MAX);
        let plain = [
            1.0,
            (1.0 + hours.min(HOURS_MAX) / 12.0).log2() as f32,
            words.nearness(&candidate.terms),
            moment.recent.novelty(&candidate.terms),
            (candidate.copies.min(COPIES_MAX) as f32).ln_1p(),
            per_day.ln_1p(),
        ];
        let feed_offset = finite(candidate.feed_weight).clamp(0.1, 10.0).ln();
        let (mut topics, mut topic_count) = ([(0, 0.0); ITEM_TOPICS_MAX], 0);
        let real = candidate.topics.iter().filter(|(topic, share)| {
            usize::from(*topic) < TOPICS_MAX && share.is_finite() && *share >= SHARE_MIN
        });
        for (slot, (topic, share)) in topics.iter_mut().zip(real) {
            *slot = (*topic, share.min(1.0));
            topic_count += 1;
        }
        let means = PLAIN.iter().zip(plain).map(|(feature, x)| f64::from(feature.prior().0 * x));
        let offset = f64::from(feed_offset) + means.sum::<f64>();
        Features {
            feed: candidate.feed,
            feed_offset,
            plain,
            topics,
            topic_count,
            terms: &candidate.terms,
            offset,
        }
    }

    pub(crate) fn topics(&self) -> &[(u16, f32)] {
        &self.topics[..self.topic_count]
    }
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 1.0 }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn candidate(item: i64, feed: i64) -> Candidate {
        Candidate {
            item: ItemId(item),
            feed: FeedId(feed),
            feed_weight: 1.0,
            feed_items_per_day: 0.0,
            published_at: Timestamp::from_seconds(1_700_000_000),
            topics: Box::new([]),
            terms: Box::new([]),
            story: None,
            copies: 0,
        }
    }

    pub(crate) fn about(item: i64, feed: i64, topic: u16) -> Candidate {
        Candidate { topics: Box::new([(topic, 0.8), (topic + 1, 0.2)]), ..candidate(item, feed) }
    }

    #[test]
    fn age_counts_in_doublings_of_half_a_day() {
        let (words, recent) = (Words::default(), Recent::default());
        let age = |hours: i64| {
            let now = Timestamp::from_seconds(1_700_000_000 + 3_600 * hours);
            Features::of(&candidate(1, 1), &words, Moment { now, recent: &recent }).plain[1]
        };
        assert_eq!((age(0), age(12), age(36)), (0.0, 1.0, 2.0));
        assert_eq!(age(-5), 0.0, "an item from the future is new");
    }

    #[test]
    fn whatever_a_feed_or_a_model_says_becomes_finite() {
        let odd = Candidate {
            feed_weight: f32::NAN,
            feed_items_per_day: f32::INFINITY,
            published_at: Timestamp::from_micros(i64::MIN),
            topics: Box::new([(7, f32::NAN), (60_000, 0.5), (3, 9.0), (4, 0.001)]),
            copies: u32::MAX,
            ..candidate(1, 1)
        };
        let recent = Recent::default();
        let moment = Moment { now: Timestamp::from_micros(i64::MAX), recent: &recent };
        let features = Features::of(&odd, &Words::default(), moment);
        assert_eq!(features.topics(), [(3, 1.0)]);
        assert!(features.plain.iter().all(|x| x.is_finite()) && features.offset.is_finite());
    }
}
