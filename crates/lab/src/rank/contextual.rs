//! A reader of feeds: items of several topics that come, age and differ in quality, twenty rows a session.
//!
//! 120 feeds post 120 items between two sessions, each mostly about its own few topics; candidates are those of this and the
//! last session that were not shown. An item's chance is a function of its topics by share, its feed, its age and a quality that nobody knows
//! before; strategies see the shares through noise. `wellread` is [`rank::for_you`] with [`rank::Taste`] as shipped; the
//! paper's strategies see the largest topic. The oracle knows all but quality.

use super::draws::{beta, gamma, normal};
use super::person::{Person, TOPICS};
use super::{ClickModel, Outcome, RankOptions};
use crate::dice::Dice;
use anyhow::{Result, bail};
use domain::{FeedId, ItemId, Timestamp};
use rank::{Act, Belief, Candidate, Moment, Page, Recent, Taste, Told, for_you, topic_entropy};
use std::collections::HashSet;

const FEEDS: usize = 120;
const ROWS: usize = 20;
const SESSION_H: f64 = 24.0;
/// How g falls from row to row.
const FALL: f64 = 0.12;
/// Topics of a feed, and how often a topic of its items is one of them.
const FEED_TOPICS: usize = 3;
const FEED_SHARE: f64 = 0.8;
/// Topics of an item, and how evenly they share it.
const ITEM_TOPICS: usize = 3;
const SHARE_SHAPE: f64 = 1.2;
/// Deviation of the logarithm of a share as it is seen, and what is seen where nothing is, of the whole.
const SHARE_NOISE: f64 = 0.3;
const SHARE_FALSE: f64 = 0.05;
const QUALITY: f64 = 0.7;
const FEED_EFFECT: f64 = 0.6;
const AGE_EFFECT: (f64, f64) = (-0.3, 0.15);
/// Logit of an item of no interest, and what a topic of interest θ adds.
const BASE: f64 = -3.5;
const TOPIC_EFFECT: f64 = 6.0;
/// The most that an exponential reader clicks.
const CAP: f64 = 0.95;
const START: i64 = 1_700_000_000;

pub(crate) fn simulate(name: &str, options: &RankOptions, model: ClickModel) -> Result<Outcome> {
    let learner = Learner::named(name)?;
    Ok(Outcome::mean((0..options.users).map(|user| follow(learner.clone(), user, options, model))))
}

struct Item {
    candidate: Candidate,
    /// As they are, not as they are seen.
    shares: Vec<(usize, f64)>,
    quality: f64,
    session: usize,
}

/// What decides about clicks and stays through all sessions.
struct Reader {
    person: Person,
    feeds: Vec<f64>,
    age: f64,
    model: ClickModel,
}

impl Reader {
    /// Logit without quality.
    fn wish(&self, item: &Item, now: Timestamp) -> f64 {
        let hours = now.since(item.candidate.published_at).as_secs_f64() / 3_600.0;
        let topics: f64 = item.shares.iter().map(|(topic, share)| share * self.person.interest[*topic]).sum();
        let feed = usize::try_from(item.candidate.feed.0).ok().and_then(|feed| self.feeds.get(feed));
        BASE + TOPIC_EFFECT * topics
            + feed.copied().unwrap_or_default()
            + self.age * (1.0 + hours / 12.0).log2()
    }

    /// P(click | read).
    fn chance(&self, item: &Item, now: Timestamp) -> f64 {
        let logit = self.wish(item, now) + item.quality;
        match self.model {
            ClickModel::Logistic => 1.0 / (1.0 + (-logit).exp()),
            ClickModel::Capped => (0.5 * logit.exp()).min(CAP),
        }
    }
}

fn follow(mut learner: Learner, user: usize, options: &RankOptions, model: ClickModel) -> Outcome {
    let mut life = Dice::of(options.seed, user);
    let mut world = Dice::of(options.seed ^ 0x2545_f491, user);
    let mut luck = Dice::of(options.seed ^ 0x5bd1_e995, user);
    let mut reader = Reader {
        person: Person::new(&mut life),
        feeds: (0..FEEDS).map(|_| FEED_EFFECT * normal(&mut life)).collect(),
        age: AGE_EFFECT.0 + AGE_EFFECT.1 * normal(&mut life),
        model,
    };
    let feeds: Vec<Vec<usize>> = (0..FEEDS).map(|_| world.sample(TOPICS, FEED_TOPICS)).collect();
    let mut items: Vec<Item> = Vec::new();
    let (mut clicks, mut entropy) = (Vec::new(), 0.0);
    for session in 0..options.iterations {
        if options.drifts_at(session) {
            reader.person.drift(options.drift_pool, &mut life);
        }
        items.retain(|item| item.session + 1 >= session);
        items.extend((0..FEEDS).map(|nth| item(session, nth, &feeds, &mut world)));
        let now = opened(session);
        let list = learner.list(&items, &reader, now, &mut luck);
        let mut shown: Vec<Item> = Vec::with_capacity(ROWS);
        for id in &list {
            if let Some(place) = items.iter().position(|item| item.candidate.item == *id) {
                shown.push(items.swap_remove(place));
            }
        }
        let chances: Vec<f64> = shown.iter().map(|item| reader.chance(item, now)).collect();
        clicks.push(chances.iter().enumerate().map(|(row, chance)| chance * read(row)).sum());
        let clicked: Vec<bool> =
            chances.iter().enumerate().map(|(row, chance)| luck.unit() < chance * read(row)).collect();
        learner.learn(&shown, &clicked, now);
        let mut shares = [0.0; TOPICS];
        shown.iter().flat_map(|item| &item.shares).for_each(|(topic, share)| shares[*topic] += share);
        entropy += topic_entropy(shares) / options.iterations as f64;
    }
    Outcome { clicks, error: Vec::new(), topic_entropy: entropy }
}

fn read(row: usize) -> f64 {
    1.0 / (1.0 + FALL * row as f64)
}

fn opened(session: usize) -> Timestamp {
    Timestamp::from_seconds(START + (SESSION_H * 3_600.0 * (session + 1) as f64) as i64)
}

fn item(session: usize, nth: usize, feeds: &[Vec<usize>], dice: &mut Dice) -> Item {
    let feed = dice.below(FEEDS);
    let mut topics: Vec<usize> = Vec::with_capacity(ITEM_TOPICS);
    while topics.len() < ITEM_TOPICS {
        let own = dice.unit() < FEED_SHARE;
        let topic = if own { feeds[feed][dice.below(FEED_TOPICS)] } else { dice.below(TOPICS) };
        if !topics.contains(&topic) {
            topics.push(topic);
        }
    }
    let drawn: Vec<f64> = topics.iter().map(|_| gamma(dice, SHARE_SHAPE)).collect();
    let sum: f64 = drawn.iter().sum();
    let shares: Vec<(usize, f64)> =
        topics.into_iter().zip(drawn).map(|(topic, part)| (topic, part / sum)).collect();
    let mut seen: Vec<(usize, f64)> =
        shares.iter().map(|(topic, share)| (*topic, share * (SHARE_NOISE * normal(dice)).exp())).collect();
    seen.push((dice.below(TOPICS), SHARE_FALSE * gamma(dice, 1.0)));
    let sum: f64 = seen.iter().map(|(_, share)| share).sum();
    seen.sort_by(|one, other| other.1.total_cmp(&one.1));
    let ago_s = (SESSION_H * 3_600.0 * dice.unit()) as i64;
    let number = i64::try_from(session * FEEDS + nth).unwrap_or_default();
    let candidate = Candidate {
        item: ItemId(number),
        feed: FeedId(i64::try_from(feed).unwrap_or_default()),
        feed_weight: 1.0,
        feed_items_per_day: 1.0,
        published_at: Timestamp::from_seconds(opened(session).seconds() - ago_s),
        topics: seen.iter().map(|(topic, share)| (*topic as u16, (share / sum) as f32)).collect(),
        terms: Box::new([]),
        story: None,
        copies: 0,
    };
    Item { candidate, shares, quality: QUALITY * normal(dice), session }
}

#[derive(Debug, Clone)]
enum Learner {
    Random,
    Newest,
    /// The paper's model on the largest topic, or on the feed.
    Explore(Explore),
    Wellread(Box<Taste>),
    Oracle,
}

#[derive(Debug, Clone)]
struct Explore {
    /// None draws from what is believed instead.
    lambda: Option<f64>,
    exact: bool,
    of: fn(&Candidate) -> usize,
    beliefs: Vec<Belief>,
}

impl Explore {
    /// Of each topic or feed.
    fn scores(&self, dice: &mut Dice) -> Vec<f64> {
        let score = |belief: &Belief| match self.lambda {
            Some(lambda) => belief.score(lambda),
            None => beta(dice, belief.alpha, belief.beta),
        };
        self.beliefs.iter().map(score).collect()
    }
}

impl Learner {
    fn named(name: &str) -> Result<Self> {
        let explore = |lambda, exact| {
            let (of, beliefs) = (largest_topic as fn(&Candidate) -> usize, vec![Belief::PAPER; TOPICS]);
            Learner::Explore(Explore { lambda, exact, of, beliefs })
        };
        let feeds = || {
            let beliefs = vec![Belief::PAPER; FEEDS];
            Learner::Explore(Explore { lambda: Some(10.0), exact: false, of: feed, beliefs })
        };
        Ok(match name {
            "random" => Learner::Random,
            "newest" => Learner::Newest,
            "greedy" => explore(Some(0.0), false),
            "ee-10" => explore(Some(10.0), false),
            "ee-20" => explore(Some(20.0), false),
            "ee-20-adf" => explore(Some(20.0), true),
            "thompson" => explore(None, true),
            "feed-ee-10" => feeds(),
            "wellread" => Learner::Wellread(Box::default()),
            "oracle" => Learner::Oracle,
            other => bail!("there is no strategy {other}"),
        })
    }

    fn list(&self, items: &[Item], reader: &Reader, now: Timestamp, dice: &mut Dice) -> Vec<ItemId> {
        let (recent, hidden) = (Recent::default(), HashSet::new());
        let moment = Moment { now, recent: &recent };
        if let Learner::Wellread(taste) = self {
            let candidates: Vec<Candidate> = items.iter().map(|item| item.candidate.clone()).collect();
            let page = for_you(taste, &candidates, Page { moment, hidden: &hidden, rows: ROWS });
            return page.into_iter().map(|row| row.item).collect();
        }
        let believed = if let Learner::Explore(explore) = self { explore.scores(dice) } else { Vec::new() };
        let mut scored: Vec<(f64, Timestamp, ItemId)> = items
            .iter()
            .map(|item| {
                let own = &item.candidate;
                let score = match self {
                    Learner::Random => dice.unit(),
                    Learner::Explore(explore) => believed[(explore.of)(own)],
                    Learner::Oracle => reader.wish(item, now),
                    Learner::Newest | Learner::Wellread(_) => 0.0,
                };
                (score, own.published_at, own.item)
            })
            .collect();
        scored.sort_unstable_by(|one, other| {
            other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)).then(one.2.cmp(&other.2))
        });
        scored.into_iter().take(ROWS).map(|(_, _, item)| item).collect()
    }

    fn learn(&mut self, shown: &[Item], clicked: &[bool], now: Timestamp) {
        match self {
            Learner::Explore(explore) => {
                for (row, (item, click)) in shown.iter().zip(clicked).enumerate() {
                    let belief = &mut explore.beliefs[(explore.of)(&item.candidate)];
                    *belief = match (*click, explore.exact) {
                        (true, _) => belief.clicked(),
                        (false, true) => belief.passed_exactly(read(row)),
                        (false, false) => belief.passed(read(row)),
                    };
                }
            }
            Learner::Wellread(taste) => taught(taste, shown, clicked, now),
            Learner::Random | Learner::Newest | Learner::Oracle => {}
        }
    }
}

/// Acts as they would be told, then the next session.
fn taught(taste: &mut Taste, shown: &[Item], clicked: &[bool], now: Timestamp) {
    let recent = Recent::default();
    let rows = shown.iter().zip(clicked).zip(0..);
    let told: Vec<Told> = rows
        .map(|((item, click), row)| {
            let act = if *click { Act::Open { dwell: None, scrolled: None } } else { Act::Pass };
            Told { item: item.candidate.item, act, row: Some(row), on_screen: None }
        })
        .collect();
    for told in rank::outcomes(&told) {
        if let Some(item) = shown.iter().find(|item| item.candidate.item == told.item) {
            let features = taste.features(&item.candidate, Moment { now, recent: &recent });
            taste.learn(&features, &told, now);
        }
    }
    taste.begin_session();
}

fn largest_topic(candidate: &Candidate) -> usize {
    candidate.topics.first().map_or(0, |(topic, _)| usize::from(*topic))
}

fn feed(candidate: &Candidate) -> usize {
    usize::try_from(candidate.feed.0).unwrap_or_default()
}
