//! Why an item stands where it stands, as facts; pages make sentences of them.

use crate::features::{Feature, Features, PLAIN};
use crate::taste::Taste;
use text::TermId;

/// Effects that are told, the largest.
const REASONS_MAX: usize = 2;
const WORDS_TOLD_MAX: usize = 3;
/// Smaller effects, in logits, decide nothing.
const EFFECT_MIN: f32 = 0.02;

/// What put the item into the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// What was learnt speaks for it more than anything else.
    Liked,
    /// Little was seen of this topic or feed: shown to find out.
    Trying(Feature),
    /// As the newest, while little is known of the person.
    Newest,
    /// So that this interest is in the list at all.
    Interest(Feature),
    /// So that the list has as many feeds as the person has interests.
    OtherFeed,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    pub feature: Feature,
    /// In logits; above zero it speaks for the item.
    pub effect: f32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    pub placed: Placed,
    /// What was learnt and counted here, the largest effects first.
    pub reasons: Vec<Reason>,
    /// Of the person's words those that the item has, when [`Feature::Interest`] is among the reasons.
    pub words: Vec<TermId>,
}

impl Why {
    pub(crate) fn of(taste: &Taste, features: &Features<'_>, placed: Option<Placed>) -> Self {
        let mut reasons = effects(taste, features);
        reasons.sort_by(|one, other| {
            other.effect.abs().total_cmp(&one.effect.abs()).then(one.feature.cmp(&other.feature))
        });
        reasons.truncate(REASONS_MAX);
        let placed = placed.unwrap_or_else(|| match least_known(taste, features) {
            Some((feature, bonus)) if reasons.iter().all(|reason| reason.effect < bonus) => {
                Placed::Trying(feature)
            }
            _ => Placed::Liked,
        });
        let by_words = reasons.iter().any(|reason| reason.feature == Feature::Interest);
        let words = if by_words { taste.words().shared(features.terms, WORDS_TOLD_MAX) } else { Vec::new() };
        Why { placed, reasons, words }
    }
}

/// What each block adds against an item of which nothing is known. Words and novelty are learnt themselves, so the whole of
/// their weight counts; so does what the person made of the feed.
fn effects(taste: &Taste, features: &Features<'_>) -> Vec<Reason> {
    let learnt = |feature: Feature| taste.weight(feature).mean;
    let mut all: Vec<Reason> = Vec::with_capacity(PLAIN.len() + 1);
    let topics = features
        .topics()
        .iter()
        .map(|(topic, share)| (Feature::Topic(*topic), learnt(Feature::Topic(*topic)) * share));
    let sum: f32 = topics.clone().map(|(_, effect)| effect).sum();
    if let Some((feature, _)) =
        topics.max_by(|one, other| (one.1 * sum.signum()).total_cmp(&(other.1 * sum.signum())))
    {
        all.push(Reason { feature, effect: sum });
    }
    let feed = Feature::Feed(features.feed);
    all.push(Reason { feature: feed, effect: learnt(feed) + features.feed_offset });
    for (feature, x) in PLAIN.into_iter().zip(features.plain) {
        let whole = learnt(feature) + feature.prior().0;
        let effect = match feature {
            Feature::Bias => continue,
            Feature::Interest | Feature::Copies => whole * x,
            Feature::Novelty => whole * (x - 1.0),
            _ => learnt(feature) * x,
        };
        all.push(Reason { feature, effect });
    }
    all.retain(|reason| reason.effect.abs() >= EFFECT_MIN);
    all
}

/// The topic or feed whose uncertainty raises the item most, and by how much it and its like do.
fn least_known(taste: &Taste, features: &Features<'_>) -> Option<(Feature, f32)> {
    let topics = features.topics().iter().map(|(topic, share)| (Feature::Topic(*topic), *share));
    let known = topics.chain([(Feature::Feed(features.feed), 1.0)]);
    let unsure: Vec<(Feature, f32)> =
        known.map(|(feature, x)| (feature, taste.weight(feature).variance * x * x)).collect();
    let all: f32 = unsure.iter().map(|(_, variance)| variance).sum();
    let most = unsure.into_iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some((most.0, crate::taste::EXPLORATION as f32 * all.sqrt()))
}
