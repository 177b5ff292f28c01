//! What was learnt of one person: weights of topics, feeds and the rest, words, and how far down they read.
//!
//! P(open | item, row) = g(row)·σ(wᵀx) with one Gaussian per weight ([`crate::weight`]). Every act of the person moves it
//! at once ([`Taste::learn`]); a session later part is forgotten ([`Taste::begin_session`]), and never more is believed
//! than before anything was known. It can be listed, edited, forgotten in part and stored as bytes of bounded size.
//! Neither clock nor dice: the same acts in the same order make the same bytes.

mod bytes;

use crate::act::{Act, Told};
use crate::features::{Candidate, Feature, Features, ITEM_TOPICS_MAX, Moment, PLAIN, TOPICS_MAX};
use crate::position::Positions;
use crate::weight::{Evidence, Weight, predict, sigmoid, update};
use crate::words::Words;
use domain::{FeedId, Timestamp};
use std::collections::BTreeMap;

/// Feeds that are remembered; the least telling go.
pub const FEEDS_MAX: usize = 5_000;
/// Weights are kept within so many logits of their prior.
pub const LIKING_MAX: f32 = 8.0;
/// Share of the prior variance that comes back in a session (q). The reference has .006; twice that follows drifts better
/// and costs nothing without them in `lab rank --contextual`.
const FORGETTING: f32 = 0.012;
/// Weight of the deviation in the score: how much is tried for the sake of learning.
pub(crate) const EXPLORATION: f64 = 0.75;
/// Acts of one day after which each says a tenth: nobody means a thousand things a day.
const ACTS_PER_DAY: u32 = 200;
/// Readers before the average of all says something about a new one, and how many it is shrunk by.
const READERS_MIN: usize = 20;
const DAY_S: i64 = 86_400;
/// Weights that one item has at most.
const WEIGHTS_MAX: usize = PLAIN.len() + 1 + ITEM_TOPICS_MAX;
/// What a kept item, one read at length and one sent away add to the words.
const WORDS_OF_ACTS: (f32, f32, f32) = (1.0, 0.5, -1.0);

#[derive(Debug, Clone, PartialEq)]
pub struct Taste {
    plain: [Weight; PLAIN.len()],
    topics: Vec<Weight>,
    feeds: BTreeMap<FeedId, Weight>,
    words: Words,
    positions: Positions,
    /// What was believed of topics at first, from other readers.
    start: Vec<f32>,
    sessions: u32,
    /// Acts of the latest day.
    day: i64,
    acts: u32,
}

impl Default for Taste {
    fn default() -> Self {
        Taste {
            plain: PLAIN.map(|feature| Weight::prior(feature.prior().1)),
            topics: Vec::new(),
            feeds: BTreeMap::new(),
            words: Words::default(),
            positions: Positions::default(),
            start: Vec::new(),
            sessions: 0,
            day: 0,
            acts: 0,
        }
    }
}

/// One thing that was learnt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learned {
    pub feature: Feature,
    /// Above zero it is liked, in logits from what was believed at first.
    pub liking: f32,
    /// 0 nothing was seen of it, 1 all is known.
    pub certainty: f32,
}

/// What is expected of one item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Expected {
    pub(crate) mean: f64,
    pub(crate) bonus: f64,
}

impl Expected {
    pub(crate) fn score(self) -> f64 {
        self.mean + self.bonus
    }
}

impl Taste {
    /// A new reader where others agreed to be averaged: their topics, shrunk by how few they are.
    pub fn beginning(readers: &[&Taste]) -> Self {
        let mut taste = Taste::default();
        if readers.len() >= READERS_MIN {
            let shrunk = 1.0 / (readers.len() + READERS_MIN) as f32;
            let topics = readers.iter().map(|reader| reader.topics.len().max(reader.start.len()));
            let of = |topic: usize| {
                let sum: f32 = readers.iter().map(|reader| reader.topic_mean(topic)).sum();
                (sum * shrunk).clamp(-LIKING_MAX, LIKING_MAX)
            };
            taste.start = (0..topics.max().unwrap_or_default()).map(of).collect();
        }
        taste
    }

    /// What is known of an item at a moment; the same that ranking uses.
    pub fn features<'a>(&self, candidate: &'a Candidate, moment: Moment<'_>) -> Features<'a> {
        Features::of(candidate, &self.words, moment)
    }

    /// Score and expectation of each candidate, in logits; the same that ranking uses.
    pub fn scores(&self, candidates: &[Candidate], moment: Moment<'_>) -> Vec<(f64, f64)> {
        let of = |candidate| {
            let expected = self.expect(&self.features(candidate, moment));
            (expected.score(), expected.mean)
        };
        candidates.iter().map(of).collect()
    }

    /// Learns from one act. "Less like this" and its like are to be told as they happen; what was passed over when the
    /// session ends ([`crate::outcomes`]).
    pub fn learn(&mut self, features: &Features<'_>, told: &Told, now: Timestamp) {
        let read = match (told.act, told.on_screen, told.row) {
            (Act::Pass, Some(seen), _) => f64::from(u8::from(seen)),
            (Act::Pass, None, Some(row)) => self.positions.read(row),
            // Without a row nobody knows whether it was looked at.
            (Act::Pass, None, None) => 0.0,
            _ => 1.0,
        };
        let weight = told.act.weight() * self.share_of_day(told.act, now);
        let click = told.act.is_click();
        match (told.row, told.on_screen) {
            (Some(row), Some(seen)) => self.positions.on_screen(row, seen),
            (Some(row), None) if click || told.act == Act::Pass => {
                let chance = sigmoid(self.expect(features).mean);
                self.positions.clicked(row, click, chance);
            }
            _ => {}
        }
        self.apply(features, told.act, Evidence { click, weight, read });
        let (kept, read_long, sent_away) = WORDS_OF_ACTS;
        match told.act {
            Act::Keep => self.words.add(features.terms, kept),
            Act::Less => self.words.add(features.terms, sent_away),
            act if act.is_long_read() => self.words.add(features.terms, read_long),
            _ => {}
        }
    }

    /// A new session: what was learnt is a little older, and a little less certain.
    pub fn begin_session(&mut self) {
        self.sessions = self.sessions.saturating_add(1);
        let less_sure = |weight: &mut Weight, prior: f32| {
            weight.variance = (weight.variance + FORGETTING * prior).min(prior);
        };
        for (weight, feature) in self.plain.iter_mut().zip(PLAIN) {
            less_sure(weight, feature.prior().1);
        }
        let fade = 1.0 - FORGETTING / 2.0;
        let topics = self.topics.iter_mut().map(|weight| (weight, TOPIC_VARIANCE));
        for (weight, prior) in topics.chain(self.feeds.values_mut().map(|weight| (weight, FEED_VARIANCE))) {
            less_sure(weight, prior);
            weight.mean *= fade;
        }
        self.feeds.retain(|_, weight| weight.variance < FEED_VARIANCE || weight.mean.abs() > 1e-3);
        self.words.fade(fade);
    }

    pub fn sessions(&self) -> u32 {
        self.sessions
    }

    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    pub(crate) fn positions_mut(&mut self) -> &mut Positions {
        &mut self.positions
    }

    pub fn words(&self) -> &Words {
        &self.words
    }

    /// For what is not an act on an item: tags, saved searches, names of folders.
    pub fn words_mut(&mut self) -> &mut Words {
        &mut self.words
    }

    /// All that was learnt, the most telling first.
    pub fn learned(&self) -> Vec<Learned> {
        let weights = PLAIN.iter().copied().zip(self.plain.iter().copied());
        let topics = (0..).map(Feature::Topic).zip(self.topics.iter().copied());
        let feeds = self.feeds.iter().map(|(feed, weight)| (Feature::Feed(*feed), *weight));
        let learned = weights.chain(topics).chain(feeds).filter_map(|(feature, weight)| {
            let certainty = (1.0 - weight.variance / feature.prior().1).clamp(0.0, 1.0);
            (certainty > 1e-4 || weight.mean != 0.0).then_some(Learned {
                feature,
                liking: weight.mean,
                certainty,
            })
        });
        let words = self.words.iter().map(|(term, weight)| Learned {
            feature: Feature::Word(term),
            liking: weight,
            certainty: 1.0,
        });
        let mut all: Vec<Learned> = learned.chain(words).collect();
        all.sort_by(|one, other| {
            other.liking.abs().total_cmp(&one.liking.abs()).then(one.feature.cmp(&other.feature))
        });
        all
    }

    /// The person says how much they like something. It is believed, more than anything that was only seen (a quarter of
    /// the first deviation is left), and yet can be learnt away from.
    pub fn set(&mut self, feature: Feature, liking: f32) {
        let liking = if liking.is_finite() { liking.clamp(-LIKING_MAX, LIKING_MAX) } else { 0.0 };
        self.put(feature, Weight { mean: liking, variance: feature.prior().1 / 16.0 });
    }

    /// Back to what was believed before anything was known.
    pub fn forget(&mut self, feature: Feature) {
        if let Feature::Feed(feed) = feature {
            self.feeds.remove(&feed);
        } else {
            self.put(feature, Weight::prior(feature.prior().1));
        }
    }

    pub fn reset(&mut self) {
        *self = Taste { start: std::mem::take(&mut self.start), ..Taste::default() };
    }

    pub(crate) fn expect(&self, features: &Features<'_>) -> Expected {
        let (weights, x, count) = self.gather(features);
        let offset = features.offset + self.start_offset(features);
        let (mean, variance) = predict(&weights[..count], &x[..count], offset);
        Expected { mean, bonus: EXPLORATION * variance.sqrt() }
    }

    /// What is believed of a feature beyond the prior.
    pub(crate) fn weight(&self, feature: Feature) -> Weight {
        let known = match feature {
            Feature::Topic(topic) => self.topics.get(usize::from(topic)).copied(),
            Feature::Feed(feed) => self.feeds.get(&feed).copied(),
            Feature::Word(_) => None,
            plain => PLAIN.iter().position(|own| *own == plain).map(|place| self.plain[place]),
        };
        known.unwrap_or(Weight::prior(feature.prior().1))
    }

    /// Topics that are liked by at least `least` for sure, which is a deviation below what is expected; at most `count`, the
    /// most liked.
    pub(crate) fn liked_topics(&self, least: f32, count: usize) -> Vec<u16> {
        let liked =
            (0u16..).zip(&self.topics).filter(|(_, weight)| weight.mean - weight.variance.sqrt() >= least);
        let mut all: Vec<(u16, f32)> = liked.map(|(topic, weight)| (topic, weight.mean)).collect();
        all.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        all.into_iter().take(count).map(|(topic, _)| topic).collect()
    }

    fn apply(&mut self, features: &Features<'_>, act: Act, told: Evidence) {
        let offset = features.offset + self.start_offset(features);
        let (mut weights, x, count) = self.gather(features);
        if act == Act::Unsubscribe {
            // The feed is meant, not what it wrote about.
            let (mean, _) = predict(&weights[..count], &x[..count], offset);
            let mut own = [self.weight(Feature::Feed(features.feed))];
            let rest = mean - f64::from(own[0].mean);
            update(&mut own, &[1.0], rest, told);
            self.put(Feature::Feed(features.feed), own[0]);
            return;
        }
        update(&mut weights[..count], &x[..count], offset, told);
        let (plain, rest) = weights[..count].split_at(PLAIN.len());
        for (own, weight) in self.plain.iter_mut().zip(plain) {
            *own = bounded(*weight);
        }
        let features_of = std::iter::once(Feature::Feed(features.feed))
            .chain(features.topics().iter().map(|(topic, _)| Feature::Topic(*topic)));
        for (feature, weight) in features_of.zip(rest) {
            self.put(feature, *weight);
        }
    }

    /// The weights of an item: the plain ones, the feed, then topics.
    fn gather(&self, features: &Features<'_>) -> ([Weight; WEIGHTS_MAX], [f32; WEIGHTS_MAX], usize) {
        let (mut weights, mut x) = ([Weight::prior(0.0); WEIGHTS_MAX], [0.0; WEIGHTS_MAX]);
        weights[..PLAIN.len()].copy_from_slice(&self.plain);
        x[..PLAIN.len()].copy_from_slice(&features.plain);
        weights[PLAIN.len()] =
            self.feeds.get(&features.feed).copied().unwrap_or(Weight::prior(FEED_VARIANCE));
        x[PLAIN.len()] = 1.0;
        let mut count = PLAIN.len() + 1;
        for (topic, share) in features.topics() {
            weights[count] =
                self.topics.get(usize::from(*topic)).copied().unwrap_or(Weight::prior(TOPIC_VARIANCE));
            x[count] = *share;
            count += 1;
        }
        (weights, x, count)
    }

    fn put(&mut self, feature: Feature, weight: Weight) {
        let weight = bounded(weight);
        match feature {
            Feature::Topic(topic) if usize::from(topic) < TOPICS_MAX => {
                let place = usize::from(topic);
                if self.topics.len() <= place {
                    self.topics.resize(place + 1, Weight::prior(TOPIC_VARIANCE));
                }
                self.topics[place] = weight;
            }
            Feature::Topic(_) => {}
            Feature::Feed(feed) => {
                self.feeds.insert(feed, weight);
                if self.feeds.len() > FEEDS_MAX {
                    self.drop_least_telling();
                }
            }
            Feature::Word(term) => self.words.set(term, weight.mean),
            plain => {
                if let Some(place) = PLAIN.iter().position(|own| *own == plain) {
                    self.plain[place] = weight;
                }
            }
        }
    }

    /// An eighth at once, so that a full table costs little per act.
    fn drop_least_telling(&mut self) {
        let mut all: Vec<(FeedId, Weight)> = std::mem::take(&mut self.feeds).into_iter().collect();
        all.sort_by(|one, other| other.1.mean.abs().total_cmp(&one.1.mean.abs()).then(other.0.cmp(&one.0)));
        all.truncate(FEEDS_MAX - FEEDS_MAX / 8);
        self.feeds = all.into_iter().collect();
    }

    fn topic_mean(&self, topic: usize) -> f32 {
        let learnt = self.topics.get(topic).map_or(0.0, |weight| weight.mean);
        learnt + self.start.get(topic).copied().unwrap_or_default()
    }

    fn start_offset(&self, features: &Features<'_>) -> f64 {
        let known = features.topics().iter();
        known.filter_map(|(topic, share)| Some(f64::from(self.start.get(usize::from(*topic))? * share))).sum()
    }

    /// One, or a tenth when the day has had its acts. What is said outright always counts.
    fn share_of_day(&mut self, act: Act, now: Timestamp) -> f64 {
        let day = now.seconds().div_euclid(DAY_S);
        if day != self.day {
            (self.day, self.acts) = (day, 0);
        }
        self.acts = self.acts.saturating_add(1);
        if self.acts > ACTS_PER_DAY && !act.is_outright() { 0.1 } else { 1.0 }
    }
}

const TOPIC_VARIANCE: f32 = Feature::Topic(0).prior().1;
const FEED_VARIANCE: f32 = Feature::Feed(FeedId(0)).prior().1;

fn bounded(weight: Weight) -> Weight {
    Weight { mean: weight.mean.clamp(-LIKING_MAX, LIKING_MAX), ..weight }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests;
