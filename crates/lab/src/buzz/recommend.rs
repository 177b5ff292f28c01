//! Which feeds to recommend: one subscription of each person is taken away, and each model says what they miss.

use super::BuzzOptions;
use super::experiments::row;
use super::world::World;
use crate::dice::Dice;
use learn::{Factors, NmfOptions, Sparse, factorise, tied};
use serde_json::{Map, Value, json};

/// People who are asked, and how many they follow at least.
const PEOPLE_MAX: usize = 2_000;
const FOLLOWS_MIN: usize = 5;
/// Ranks of the factorisation that are tried.
const RANKS: [usize; 4] = [3, 10, 20, 100];
/// The models as the table names them; `wellread` asks for five people behind every tie, as it ships.
const COSINES: [(&str, u32); 2] = [("item cosine", 1), ("wellread (cosine, 5 people)", learn::BOTH_MIN)];

pub(crate) fn rows(options: &BuzzOptions, world: &World) -> Vec<Map<String, Value>> {
    let mut dice = Dice::new(options.seed ^ 0x7e11);
    let mut people: Vec<usize> =
        (0..world.users()).filter(|user| world.follows.row(*user).len() >= FOLLOWS_MIN).collect();
    for nth in (1..people.len()).rev() {
        people.swap(nth, dice.below(nth + 1));
    }
    people.truncate(PEOPLE_MAX);
    // One of each person's subscriptions, drawn evenly.
    let taken: Vec<(usize, u32)> = people
        .iter()
        .map(|user| {
            let own = world.follows.row(*user);
            (*user, own[dice.below(own.len())].0)
        })
        .collect();
    let mut rest: Vec<Vec<(u32, f32)>> = (0..world.users())
        .map(|user| world.follows.row(user).iter().map(|(feed, _)| (*feed, 1.0)).collect())
        .collect();
    for (user, feed) in &taken {
        rest[*user].retain(|(own, _)| own != feed);
    }
    let known = Sparse::of_rows(world.sources(), rest);
    let mut rows = Vec::new();
    options.say("by how many follow");
    let mut readers = vec![0f32; world.sources()];
    (0..known.rows()).flat_map(|user| known.row(user)).for_each(|(feed, _)| readers[*feed as usize] += 1.0);
    rows.push(judged("popularity", options.top, &known, &taken, |_| readers.clone()));
    for (name, both_min) in COSINES {
        options.say(name);
        let near = tied(&known, both_min);
        rows.push(judged(name, options.top, &known, &taken, |user| {
            let mut scores = vec![0f32; world.sources()];
            for (own, _) in known.row(user) {
                near[*own as usize].iter().for_each(|(feed, _, cosine)| scores[*feed as usize] += cosine);
            }
            scores
        }));
    }
    for rank in RANKS.into_iter().filter(|rank| *rank <= options.rank) {
        options.say("by factorisation");
        let start: Factors<f32> = Factors::seeded(&known, rank, || dice.unit());
        let fit = factorise(
            &known,
            start,
            &NmfOptions { l1: options.l1, threads: options.threads, ..NmfOptions::default() },
        );
        let factors = fit.factors;
        rows.push(judged(&format!("NMF, rank {rank}"), options.top, &known, &taken, |user| {
            let own = factors.row(user);
            (0..world.sources())
                .map(|feed| own.iter().zip(factors.column(feed)).map(|(one, other)| one * other).sum())
                .collect()
        }));
    }
    rows
}

/// How often the missing one is among the first `top` of what is not followed, and how far up.
fn judged(
    name: &str,
    top: usize,
    known: &Sparse,
    taken: &[(usize, u32)],
    scores: impl Fn(usize) -> Vec<f32>,
) -> Map<String, Value> {
    let (mut hits, mut gain) = (0usize, 0f64);
    for (user, missing) in taken {
        let mut scores = scores(*user);
        known.row(*user).iter().for_each(|(own, _)| scores[*own as usize] = f32::NEG_INFINITY);
        let score = scores[*missing as usize];
        // Of equals the lower number is first.
        let before = scores
            .iter()
            .enumerate()
            .filter(|(feed, other)| **other > score || (**other == score && *feed < *missing as usize))
            .count();
        if score > 0.0 && before < top {
            hits += 1;
            gain += 1.0 / (before as f64 + 2.0).log2();
        }
    }
    let people = taken.len().max(1) as f64;
    row(json!({ "model": name, "people": taken.len(), "hit": hits as f64 / people, "ndcg": gain / people }))
}
