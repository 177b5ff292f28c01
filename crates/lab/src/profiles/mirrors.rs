//! Planted mirrors (reference 4.5): does it pay to poll less where only copies come?
//!
//! A share of the channels is copied, each item some hours late. Feeds are probed by λ·v·age²; with value, v falls for the
//! feed whose item was captured second, without it v is one. What counts is how late the first copy of each story is
//! captured. Without planted mirrors the stories are those of [`text::Stories`], as a server would find them.

use super::corpus::{Channel, Corpus, Post};
use super::policies::{Rules, percentile};
use crate::dice::Dice;
use learn::rates::{GammaPoisson, age_index};
use learn::{PostValue, rescaled};
use std::collections::HashMap;

const HOUR_S: i64 = 3_600;
/// Mirrors are late by up to so many hours.
const LAG_HOURS: i64 = 6;

/// The corpus with copies of a share of its channels. Every item of it is a story of its own, told twice where mirrored.
pub(crate) fn planted(corpus: &Corpus, share: f64, seed: u64) -> Vec<Channel> {
    let mut dice = Dice::new(seed);
    let mut next = 0u64;
    let mut all: Vec<Channel> = corpus
        .channels
        .iter()
        .map(|channel| {
            let mut posts = channel.posts.clone();
            for post in &mut posts {
                post.story = next;
                next += 1;
            }
            Channel { source: channel.source.clone(), posts }
        })
        .collect();
    let count = (share * all.len() as f64).round() as usize;
    for nth in dice.sample(all.len(), count) {
        let late = |post: &Post| Post { at: post.at + dice.within(LAG_HOURS * HOUR_S), ..post.clone() };
        let mut posts: Vec<Post> = all[nth].posts.iter().map(late).collect();
        posts.sort_by_key(|post| post.at);
        all.push(Channel { source: format!("{} (mirror)", all[nth].source), posts });
    }
    all
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Delays {
    pub(crate) median_hours: f64,
    /// Stories that nobody captured.
    pub(crate) lost: usize,
    pub(crate) probes: u64,
}

/// How late the first copy of each story was captured.
pub(crate) fn first_copies(channels: &[Channel], begin: i64, end: i64, rules: &Rules, value: bool) -> Delays {
    struct Feed {
        out: usize,
        seen: usize,
        probed: i64,
        rate: GammaPoisson,
        value: PostValue,
    }
    let mut told: HashMap<u64, i64> = HashMap::new();
    for post in channels.iter().flat_map(|channel| &channel.posts) {
        let first = told.entry(post.story).or_insert(post.at);
        *first = (*first).min(post.at);
    }
    let mut captured: HashMap<u64, (i64, usize)> = HashMap::new();
    let mut feeds: Vec<Feed> = channels
        .iter()
        .map(|_| Feed {
            out: 0,
            seen: 0,
            probed: begin,
            rate: GammaPoisson::usual(),
            value: PostValue::default(),
        })
        .collect();
    let (mut credit, mut probes) = (0.0, 0);
    let hours = (end - begin) / HOUR_S;
    for hour in 1..=hours {
        let now = begin + hour * HOUR_S;
        for (feed, channel) in feeds.iter_mut().zip(channels) {
            feed.out += channel.posts[feed.out..].iter().take_while(|post| post.at <= now).count();
        }
        credit += rules.budget;
        let count = (credit as usize).min(feeds.len());
        credit -= credit.floor();
        let rates: Vec<f64> = feeds.iter().map(|feed| feed.rate.per_hour()).collect();
        let factors: Vec<f64> =
            feeds.iter().map(|feed| if value { feed.value.factor() } else { 1.0 }).collect();
        let factors = rescaled(&rates, &factors);
        let score = |nth: usize| {
            let age = (now - feeds[nth].probed) as f64 / HOUR_S as f64;
            age_index(rates[nth], factors[nth], age)
        };
        let mut order: Vec<(f64, usize)> = (0..feeds.len()).map(|nth| (score(nth), nth)).collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        for (_, nth) in order.into_iter().take(count) {
            let feed = &mut feeds[nth];
            let first = feed.out.saturating_sub(rules.shown).max(feed.seen);
            for post in &channels[nth].posts[first..feed.out] {
                let known = captured.get(&post.story).is_some_and(|(_, by)| *by != nth);
                captured.entry(post.story).or_insert((now, nth));
                feed.value.observe(known, 1.0);
            }
            feed.rate.observe((feed.out - first) as f64, (now - feed.probed) as f64 / HOUR_S as f64);
            (feed.seen, feed.probed) = (feed.out, now);
            probes += 1;
        }
    }
    // A story that nobody captured was late to the end; leaving it out would praise whoever loses the late ones.
    let hours = |story: &u64, at: &i64| {
        (captured.get(story).map_or(end, |(found, _)| *found) - at) as f64 / HOUR_S as f64
    };
    let delays: Vec<f64> = told.iter().map(|(story, at)| hours(story, at)).collect();
    Delays {
        median_hours: percentile(&delays, 0.5),
        lost: told.keys().filter(|story| !captured.contains_key(story)).count(),
        probes,
    }
}
