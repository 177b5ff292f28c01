//! Topics: groups of feeds that say like things, and how much an item is about each.
//!
//! Spherical k-means over the profiles of feeds: a topic is the sum of its feeds' profiles, cut to its heaviest terms and
//! scaled to length one, and a feed belongs to the topic it is most like. Each run begins with the topics of the run before
//! in their places, so topic 7 stays topic 7 and what was learnt of it stays true; where many feeds have no topic near
//! them, the one most alike to the others begins a new one. A topic whose feeds went sleeps in its place for
//! [`IDLE_RUNS`] runs before another may have that place, and [`Topic::since`] tells that from the topic before.
//!
//! Neither clock nor dice: the same profiles after the same run make the same bytes. Whose words may be named to whom is
//! the caller's to know ([`Topics::label`]); private feeds are not to be gathered.

use crate::summary::Summary;
use crate::window::ById;
use domain::FeedId;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use text::TermId;
use text::packed::{BadState, Reader, Writer};

/// Topics of a model; `rank` knows no more.
pub const TOPICS_MAX: usize = 128;
/// Topics of one item, the largest shares.
pub const ITEM_SHARES_MAX: usize = 16;
/// Feeds that topics are made of, the first ones gathered.
pub const TOPIC_FEEDS_MAX: usize = 20_000;
/// Terms of a topic, the heaviest.
const TERMS_MAX: usize = 64;
/// Words and pairs of a profile that are looked at.
const WORDS_USED: usize = 32;
const PAIRS_USED: usize = 16;
const FEED_SHARES_MAX: usize = 4;
const ROUNDS: usize = 8;
/// Runs for which a topic without feeds keeps its place: a month of days.
pub const IDLE_RUNS: u32 = 30;
/// A feed this much like a topic needs no other.
const COVERED: f32 = 0.35;
/// A feed less like every topic belongs to none.
const ALIKE: f32 = 0.05;
/// Smaller shares are noise.
const SHARE_MIN: f32 = 0.02;
/// What the feed says of its item, beside what the item says itself.
const FEED_PULL: f32 = 0.3;
const VERSION: u8 = 1;
const TEXT_BYTES_MAX: usize = 1_024;

#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// The run that began it.
    pub since: u32,
    /// Feeds that belong to it.
    pub feeds: u32,
    /// Runs without any.
    idle: u32,
    /// Heaviest first, of length one.
    terms: Vec<TopicTerm>,
}

#[derive(Debug, Clone, PartialEq)]
struct TopicTerm {
    id: TermId,
    text: String,
    weight: f32,
}

/// All topics, by their places.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Topics {
    run: u32,
    places: Vec<Option<Topic>>,
    feeds: BTreeMap<FeedId, Vec<(u16, f32)>>,
    /// The places' terms the other way round.
    by_term: ById<Vec<(u16, f32)>>,
}

impl Topics {
    /// How often topics were made; grows by one with each.
    pub fn run(&self) -> u32 {
        self.run
    }

    pub fn get(&self, topic: u16) -> Option<&Topic> {
        self.places.get(usize::from(topic)).and_then(Option::as_ref)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u16, &Topic)> {
        (0..).zip(&self.places).filter_map(|(place, topic)| Some((place, topic.as_ref()?)))
    }

    /// How many feeds they were made of.
    pub fn feeds(&self) -> usize {
        self.feeds.len()
    }

    /// Topics that began after a run: what was learnt of their places before was about something else.
    pub fn begun_after(&self, run: u32) -> impl Iterator<Item = u16> {
        self.iter().filter(move |(_, topic)| topic.since > run).map(|(place, _)| place)
    }

    /// The heaviest words of a topic that `may` be named; phrases win over the words they are made of.
    pub fn label(&self, topic: u16, count: usize, may: impl Fn(TermId) -> bool) -> Vec<&str> {
        let terms = self.get(topic).map_or(&[][..], |topic| &topic.terms);
        let mut label: Vec<&str> = Vec::new();
        for term in terms.iter().filter(|term| may(term.id)) {
            let says_it = |other: &&str| {
                let (one, other) = (term.text.to_lowercase(), other.to_lowercase());
                other.contains(&one) || one.contains(&other)
            };
            if !label.iter().any(says_it) {
                label.push(&term.text);
            }
            if label.len() == count {
                break;
            }
        }
        label
    }

    /// The topics of a feed, the largest share first.
    pub fn of_feed(&self, feed: FeedId) -> &[(u16, f32)] {
        self.feeds.get(&feed).map_or(&[], Vec::as_slice)
    }

    /// How much an item is about each topic, by its terms (a vector of length one) and its feed; the largest share first, all
    /// together one, or nothing.
    pub fn shares(&self, feed: FeedId, terms: &[(TermId, f32)]) -> Box<[(u16, f32)]> {
        let mut likeness = [0f32; TOPICS_MAX];
        for (term, weight) in terms {
            for (topic, own) in self.by_term.get(term).map_or(&[][..], Vec::as_slice) {
                likeness[usize::from(*topic)] += weight * own;
            }
        }
        for (topic, share) in self.of_feed(feed) {
            likeness[usize::from(*topic)] += FEED_PULL * share;
        }
        shares(&likeness, ITEM_SHARES_MAX, SHARE_MIN).into()
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(VERSION);
        out.number(u64::from(self.run));
        out.number(self.places.len() as u64);
        for place in &self.places {
            out.number(u64::from(place.is_some()));
            let Some(topic) = place else { continue };
            for number in [topic.since, topic.feeds, topic.idle] {
                out.number(u64::from(number));
            }
            out.number(topic.terms.len() as u64);
            for term in &topic.terms {
                out.word(term.id.0);
                out.text(&term.text);
                out.small_float(term.weight);
            }
        }
        out.number(self.feeds.len() as u64);
        for (feed, shares) in &self.feeds {
            out.signed(feed.0);
            out.number(shares.len() as u64);
            for (topic, share) in shares {
                out.number(u64::from(*topic));
                out.small_float(*share);
            }
        }
        out.finish()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadState> {
        let mut from = Reader::new(bytes, VERSION)?;
        let small = |from: &mut Reader<'_>| u32::try_from(from.number()?).map_err(|_| BadState::Wrong);
        let weight = |from: &mut Reader<'_>| {
            let weight = from.small_float()?;
            if (0.0..=1.0001).contains(&weight) { Ok(weight) } else { Err(BadState::Wrong) }
        };
        let run = small(&mut from)?;
        let mut places = Vec::new();
        for _ in 0..from.length(TOPICS_MAX)? {
            if from.within(1)? == 0 {
                places.push(None);
                continue;
            }
            let (since, feeds, idle) = (small(&mut from)?, small(&mut from)?, small(&mut from)?);
            let mut terms = Vec::new();
            for _ in 0..from.length(TERMS_MAX)? {
                let (id, text) = (TermId(from.word()?), from.text(TEXT_BYTES_MAX)?.to_owned());
                terms.push(TopicTerm { id, text, weight: weight(&mut from)? });
            }
            places.push(Some(Topic { since, feeds, idle, terms }));
        }
        let mut feeds = BTreeMap::new();
        for _ in 0..from.length(TOPIC_FEEDS_MAX)? {
            let feed = FeedId(from.signed()?);
            let mut shares = Vec::new();
            for _ in 0..from.length(FEED_SHARES_MAX)? {
                let topic = u16::try_from(from.within(TOPICS_MAX - 1)?).map_err(|_| BadState::Wrong)?;
                shares.push((topic, weight(&mut from)?));
            }
            feeds.insert(feed, shares);
        }
        from.end()?;
        Ok(Topics::new(run, places, feeds))
    }

    fn new(run: u32, places: Vec<Option<Topic>>, feeds: BTreeMap<FeedId, Vec<(u16, f32)>>) -> Self {
        let mut by_term: ById<Vec<(u16, f32)>> = ById::default();
        for (place, topic) in (0..).zip(&places) {
            for term in topic.iter().flat_map(|topic| &topic.terms) {
                by_term.entry(term.id).or_default().push((place, term.weight));
            }
        }
        Topics { run, places, feeds, by_term }
    }
}

/// Squares of likeness as shares of one: what is twice as like is four times as much meant.
fn shares(likeness: &[f32], count: usize, least: f32) -> Vec<(u16, f32)> {
    let sum: f32 = likeness.iter().map(|one| one * one).sum();
    if sum <= 0.0 {
        return Vec::new();
    }
    let mut all: Vec<(u16, f32)> = (0..)
        .zip(likeness)
        .map(|(topic, one)| (topic, one * one / sum))
        .filter(|(_, share)| *share >= least)
        .collect();
    all.sort_unstable_by(largest_first);
    all.truncate(count);
    all
}

fn largest_first(one: &(u16, f32), other: &(u16, f32)) -> Ordering {
    other.1.total_cmp(&one.1).then(one.0.cmp(&other.0))
}

/// Profiles of feeds, gathered to make topics of them: half a kilobyte each.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Numbers of terms, in the order they came.
    numbers: ById<u32>,
    terms: Vec<(TermId, Box<str>)>,
    /// Of length one.
    feeds: BTreeMap<FeedId, Box<[(u32, f32)]>>,
}

impl Gathered {
    /// Takes a feed in; what is more than [`TOPIC_FEEDS_MAX`], or says nothing, is left out.
    pub fn add(&mut self, feed: FeedId, summary: &Summary) {
        if self.feeds.len() >= TOPIC_FEEDS_MAX || self.feeds.contains_key(&feed) {
            return;
        }
        let used = summary.words.iter().take(WORDS_USED).chain(summary.pairs.iter().take(PAIRS_USED));
        let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
        for term in used.filter(|term| term.weight > 0.0 && term.weight.is_finite()) {
            let next = self.terms.len() as u32;
            let number = *self.numbers.entry(term.id).or_insert(next);
            if number == next {
                let end = term.text.floor_char_boundary(TEXT_BYTES_MAX);
                self.terms.push((term.id, term.text[..end].into()));
            }
            weights.insert(number, term.weight);
        }
        // By the heaviest first, so that squares stay within what a float can hold.
        let heaviest = weights.values().copied().fold(0.0, f64::max);
        if heaviest <= 0.0 {
            return;
        }
        let length = weights.values().map(|weight| (weight / heaviest).powi(2)).sum::<f64>().sqrt();
        let unit = weights.into_iter().map(|(term, weight)| (term, (weight / heaviest / length) as f32));
        self.feeds.insert(feed, unit.collect());
    }

    pub fn len(&self) -> usize {
        self.feeds.len()
    }

    pub fn is_empty(&self) -> bool {
        self.feeds.is_empty()
    }

    /// The next run. With no feeds gathered nothing was seen, and the topics stay as they are; but made they were.
    pub fn topics(mut self, before: &Topics) -> Topics {
        if self.feeds.is_empty() {
            return Topics { run: before.run.max(1), ..before.clone() };
        }
        let run = before.run.saturating_add(1);
        let mut draft = Draft::new(&mut self, before, run);
        draft.begin_new();
        for _ in 0..ROUNDS {
            draft.assign();
            draft.settle();
        }
        draft.assign();
        draft.finish()
    }
}

/// A topic while it is made, over the numbers of terms.
#[derive(Debug, Clone)]
struct Centre {
    since: u32,
    idle: u32,
    terms: Vec<(u32, f32)>,
}

struct Draft<'a> {
    gathered: &'a Gathered,
    /// In the order of their ids.
    feeds: Vec<(FeedId, &'a [(u32, f32)])>,
    run: u32,
    centres: Vec<Option<Centre>>,
    /// Where each feed belongs.
    member_of: Vec<Option<u16>>,
    /// For each term the centres that have it.
    lists: Vec<Vec<(u16, f32)>>,
}

impl<'a> Draft<'a> {
    fn new(gathered: &'a mut Gathered, before: &Topics, run: u32) -> Self {
        let mut centre = |topic: &Topic| Centre {
            since: topic.since,
            idle: topic.idle,
            terms: topic.terms.iter().map(|term| (gathered.number(term), term.weight)).collect(),
        };
        let centres = before.places.iter().map(|place| place.as_ref().map(&mut centre)).collect();
        let gathered: &'a Gathered = gathered;
        let feeds: Vec<(FeedId, &[(u32, f32)])> =
            gathered.feeds.iter().map(|(feed, terms)| (*feed, &terms[..])).collect();
        let mut draft = Draft {
            gathered,
            member_of: vec![None; feeds.len()],
            feeds,
            run,
            centres,
            lists: vec![Vec::new(); gathered.terms.len()],
        };
        draft.list();
        draft
    }

    fn list(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
        for (place, centre) in (0..).zip(&self.centres) {
            for (term, weight) in centre.iter().flat_map(|centre| &centre.terms) {
                self.lists[*term as usize].push((place, *weight));
            }
        }
    }

    /// How like a feed is to each place.
    fn likeness(&self, terms: &[(u32, f32)]) -> [f32; TOPICS_MAX] {
        let mut likeness = [0f32; TOPICS_MAX];
        for (term, weight) in terms {
            for (place, own) in &self.lists[*term as usize] {
                likeness[usize::from(*place)] += weight * own;
            }
        }
        likeness
    }

    /// New topics where feeds are far from all there are, each begun by the feed most alike to other such feeds.
    fn begin_new(&mut self) {
        let nearest = |likeness: [f32; TOPICS_MAX]| likeness.into_iter().fold(0f32, f32::max);
        let mut best: Vec<f32> =
            self.feeds.iter().map(|(_, terms)| nearest(self.likeness(terms)).min(1.0)).collect();
        // Sleeping topics have none near them, and count for nothing.
        let awake = self.feeds.iter().map(|(_, terms)| top(&self.likeness(terms)));
        let mut live = awake.flatten().collect::<std::collections::BTreeSet<u16>>().len();
        let wanted = wanted(self.feeds.len());
        let mut sum = vec![0f32; self.gathered.terms.len()];
        while live < wanted {
            let Some(place) = self.free_place() else { break };
            sum.fill(0.0);
            for ((_, terms), best) in self.feeds.iter().zip(&best) {
                terms.iter().for_each(|(term, weight)| sum[*term as usize] += (1.0 - best) * weight);
            }
            let others = |(_, terms): &(FeedId, &[(u32, f32)]), far: f32| {
                let alike: f32 = terms.iter().map(|(term, weight)| sum[*term as usize] * weight).sum();
                far * (alike - far)
            };
            let far_off = self.feeds.iter().zip(&best).enumerate().filter(|(_, (_, best))| **best < COVERED);
            let scored = far_off.map(|(nth, (feed, best))| (nth, others(feed, 1.0 - best)));
            let Some((nth, _)) = scored.reduce(|one, other| if other.1 > one.1 { other } else { one }) else {
                break;
            };
            let terms = heaviest(self.feeds[nth].1.iter().copied(), &self.gathered.terms);
            sum.fill(0.0);
            terms.iter().for_each(|(term, weight)| sum[*term as usize] = *weight);
            for ((_, own), best) in self.feeds.iter().zip(&mut best) {
                let alike: f32 = own.iter().map(|(term, weight)| sum[*term as usize] * weight).sum();
                *best = best.max(alike.min(1.0));
            }
            // A feed that is all pairs and words beyond those kept is not like itself; it begins one topic, not all.
            best[nth] = 1.0;
            self.centres.resize(self.centres.len().max(place + 1), None);
            self.centres[place] = Some(Centre { since: self.run, idle: 0, terms });
            live += 1;
        }
        self.list();
    }

    /// A place nobody has had, else one that is free again.
    fn free_place(&self) -> Option<usize> {
        if self.centres.len() < TOPICS_MAX {
            return Some(self.centres.len());
        }
        self.centres.iter().position(Option::is_none)
    }

    fn assign(&mut self) {
        let all: Vec<Option<u16>> = self.feeds.iter().map(|(_, terms)| top(&self.likeness(terms))).collect();
        self.member_of = all;
    }

    /// Each topic becomes what its feeds say together; one without feeds stays.
    fn settle(&mut self) {
        let mut sums: Vec<BTreeMap<u32, f32>> = vec![BTreeMap::new(); self.centres.len()];
        for ((_, terms), place) in self.feeds.iter().zip(&self.member_of) {
            let Some(sum) = place.and_then(|place| sums.get_mut(usize::from(place))) else { continue };
            for (term, weight) in *terms {
                *sum.entry(*term).or_default() += weight;
            }
        }
        for (centre, sum) in self.centres.iter_mut().zip(sums) {
            if let Some(centre) = centre.as_mut().filter(|_| !sum.is_empty()) {
                centre.terms = heaviest(sum.into_iter(), &self.gathered.terms);
            }
        }
        self.list();
    }

    fn finish(self) -> Topics {
        let mut counts = vec![0u32; self.centres.len()];
        for place in self.member_of.iter().flatten() {
            counts[usize::from(*place)] += 1;
        }
        let feeds = self
            .feeds
            .iter()
            .map(|(feed, terms)| (*feed, shares(&self.likeness(terms), FEED_SHARES_MAX, ALIKE)))
            .filter(|(_, shares)| !shares.is_empty())
            .collect();
        let place = |(centre, feeds): (Option<Centre>, u32)| {
            let centre = centre?;
            let idle = if feeds > 0 { 0 } else { centre.idle.saturating_add(1) };
            let term = |(number, weight): (u32, f32)| {
                let (id, text) = &self.gathered.terms[number as usize];
                TopicTerm { id: *id, text: text.to_string(), weight: weight.clamp(0.0, 1.0) }
            };
            let terms: Vec<TopicTerm> = centre.terms.into_iter().map(term).collect();
            (idle <= IDLE_RUNS).then_some(Topic { since: centre.since, feeds, idle, terms })
        };
        let places = self.centres.into_iter().zip(counts).map(place).collect();
        Topics::new(self.run, places, feeds)
    }
}

impl Gathered {
    fn number(&mut self, term: &TopicTerm) -> u32 {
        let next = self.terms.len() as u32;
        let number = *self.numbers.entry(term.id).or_insert(next);
        if number == next {
            self.terms.push((term.id, term.text.as_str().into()));
        }
        number
    }
}

/// Topics that so many feeds are worth.
fn wanted(feeds: usize) -> usize {
    ((2.0 * (feeds as f64).sqrt()).ceil() as usize).min(feeds).min(TOPICS_MAX)
}

/// The place most alike, if any is.
fn top(likeness: &[f32; TOPICS_MAX]) -> Option<u16> {
    let best =
        (0..).zip(likeness.iter().copied()).reduce(|one, other| if other.1 > one.1 { other } else { one });
    best.filter(|(_, likeness)| *likeness >= ALIKE).map(|(place, _)| place)
}

/// The heaviest terms, scaled to length one; of equals the same ones whatever their numbers.
fn heaviest(terms: impl Iterator<Item = (u32, f32)>, names: &[(TermId, Box<str>)]) -> Vec<(u32, f32)> {
    let mut all: Vec<(u32, f32)> = terms.filter(|(_, weight)| *weight > 0.0).collect();
    all.sort_unstable_by(|one, other| {
        let name = |number: u32| names[number as usize].0;
        other.1.total_cmp(&one.1).then_with(|| name(one.0).cmp(&name(other.0)))
    });
    all.truncate(TERMS_MAX);
    let length = all.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    all.iter_mut().for_each(|(_, weight)| *weight /= length);
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests;
