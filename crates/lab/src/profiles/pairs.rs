//! Channels that are alike, and channels that contain others (figure 8, table 2).
//!
//! Similarity is eq. 9: the mean over the weeks of eq. 1. What contains what is told by shared stories; since the
//! corpora have few channels that carry others, parts and mirrors are planted and must be told apart.

use super::corpus::{Channel, Corpus};
use super::policies::Likeness;
use crate::dice::Dice;
use learn::{Tie, Window, relation};
use std::collections::HashSet;

const WEEK_S: i64 = 7 * 86_400;

/// Eq. 9 over the weeks.
pub(crate) fn likeness(corpus: &Corpus, window: usize) -> Vec<Vec<f64>> {
    let mut profiles: Vec<(Window, usize)> =
        corpus.channels.iter().map(|_| (Window::new(window), 0)).collect();
    let mut sums = Likeness::new(profiles.len());
    let mut at = corpus.begin + WEEK_S;
    while at <= corpus.end {
        let idf = &corpus.idf[corpus.idf_at(at)];
        for ((profile, out), channel) in profiles.iter_mut().zip(&corpus.channels) {
            while let Some(post) = channel.posts.get(*out).filter(|post| post.at <= at) {
                profile.push(&post.bag, idf);
                *out += 1;
            }
            profile.refresh(idf);
        }
        sums.add(profiles.iter().map(|(profile, _)| profile));
        at += WEEK_S;
    }
    let times = f64::from(sums.times.max(1));
    sums.sums.iter().map(|row| row.iter().map(|sum| sum / times).collect()).collect()
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Told {
    pub(crate) planted: usize,
    pub(crate) right: usize,
    /// Pairs that nobody planted and that are said to contain one another.
    pub(crate) wrong: usize,
    pub(crate) pairs: usize,
}

/// Plants parts (a channel's every other item as a channel of its own) and mirrors; how many are told for what they are.
pub(crate) fn planted_parts(corpus: &Corpus, likeness: &[Vec<f64>], seed: u64) -> (Told, Told) {
    let stories = |channel: &Channel| channel.posts.iter().map(|post| post.story).collect::<HashSet<u64>>();
    let all: Vec<HashSet<u64>> = corpus.channels.iter().map(stories).collect();
    let mut dice = Dice::new(seed);
    let chosen = dice.sample(all.len(), all.len() * 3 / 10);
    let (mut parts, mut mirrors) = (Told::default(), Told::default());
    for nth in chosen {
        let whole = &all[nth];
        let part: HashSet<u64> = whole.iter().copied().filter(|_| dice.unit() < 0.5).collect();
        let mirror: HashSet<u64> = whole.iter().copied().filter(|_| dice.unit() < 0.97).collect();
        let tie = |one: &HashSet<u64>| {
            let shared = one.intersection(whole).count() as u32;
            relation(shared, one.len() as u32, whole.len() as u32, 0.9).tie
        };
        parts.planted += 1;
        parts.right += usize::from(tie(&part) == Tie::Contained);
        mirrors.planted += 1;
        mirrors.right += usize::from(tie(&mirror) == Tie::Similar);
    }
    for (one, row) in likeness.iter().enumerate() {
        for (other, alike) in row.iter().enumerate().take(one) {
            let shared = all[one].intersection(&all[other]).count() as u32;
            let found = relation(shared, all[one].len() as u32, all[other].len() as u32, *alike).tie;
            parts.pairs += 1;
            parts.wrong += usize::from(matches!(found, Tie::Contained | Tie::Contains));
        }
    }
    (parts, mirrors)
}
