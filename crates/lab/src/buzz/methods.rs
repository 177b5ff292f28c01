//! The paper's ways to keep and to ask for R = T·E (§4.2), beside the one that ships.

use super::BuzzOptions;
use super::world::{Region, World, follow};
use learn::{Factors, Fit, NmfOptions, Sparse, factorise};
use rank::buzz::threshold::{self, Answer, Seen};
use rank::buzz::{Follow, Postings, Ranked, Span, Sums, Top};
use std::collections::HashMap;
use std::time::Instant;

/// How many of NMF's keys are scored again exactly.
pub(crate) const RESCORED: usize = 100;
/// All days of the index, and no fading: T·E as the paper has it.
const WEEK: Span = Span { days: rank::buzz::DAYS, fading: false };

/// On the fly, in memory: the index that ships.
pub(crate) struct Exact {
    pub(crate) postings: Postings,
    sums: Sums,
}

impl Exact {
    pub(crate) fn new(postings: Postings) -> Self {
        Exact { postings, sums: Sums::default() }
    }

    pub(crate) fn top(&mut self, follows: &[Follow], count: usize) -> Vec<Ranked> {
        self.postings.sum(follows, WEEK, &mut self.sums);
        self.sums.top(count)
    }

    pub(crate) fn sums(&mut self, follows: &[Follow]) -> &Sums {
        self.postings.sum(follows, WEEK, &mut self.sums);
        &self.sums
    }
}

/// VIEW: a table per user, kept with every reference. Tables are kept sorted, as asking by a look-up needs.
pub(crate) struct View {
    tables: Vec<Vec<(u32, f32)>>,
    pub(crate) writes: u64,
    pub(crate) seconds: f64,
}

impl View {
    /// Tables of these users over these sources, written reference by reference.
    pub(crate) fn new(world: &World, users: &[usize], takes: impl Fn(usize) -> bool) -> Self {
        let mut readers: Vec<Vec<(u32, f32)>> = vec![Vec::new(); world.sources()];
        for (nth, user) in (0u32..).zip(users) {
            for (source, weight) in
                world.follows.row(*user).iter().filter(|(source, _)| takes(*source as usize))
            {
                readers[*source as usize].push((nth, *weight));
            }
        }
        let begin = Instant::now();
        let mut maps: Vec<HashMap<u32, f32>> = vec![HashMap::new(); users.len()];
        let mut writes = 0;
        for (source, readers) in readers.iter().enumerate().filter(|(_, readers)| !readers.is_empty()) {
            for (key, score) in world.references.row(source) {
                for (user, weight) in readers {
                    *maps[*user as usize].entry(*key).or_default() += weight * score;
                    writes += 1;
                }
            }
        }
        let sorted = |map: HashMap<u32, f32>| {
            let mut table: Vec<(u32, f32)> = map.into_iter().collect();
            table.sort_by(best_first);
            table
        };
        let tables: Vec<Vec<(u32, f32)>> = maps.into_iter().map(sorted).collect();
        View { tables, writes, seconds: begin.elapsed().as_secs_f64() }
    }

    pub(crate) fn table(&self, nth: usize) -> &[(u32, f32)] {
        &self.tables[nth]
    }

    pub(crate) fn top(&self, nth: usize, count: usize) -> Vec<Ranked> {
        let first = self.tables[nth].iter().take(count);
        first.map(|(key, score)| Ranked { key: *key, score: f64::from(*score) }).collect()
    }
}

fn best_first(one: &(u32, f32), other: &(u32, f32)) -> std::cmp::Ordering {
    other.1.total_cmp(&one.1).then(one.0.cmp(&other.0))
}

/// NMF: a table per group, H·E (§4.2.3).
pub(crate) struct Groups {
    pub(crate) fit: Fit,
    pub(crate) factor_s: f64,
    /// Keys × groups.
    table: Vec<f32>,
    /// For each group its keys, best first.
    lists: Vec<Vec<(u32, f32)>>,
    pub(crate) writes: u64,
    pub(crate) write_s: f64,
    pub(crate) sort_s: f64,
    /// Where a user of the world is in the region.
    places: HashMap<usize, usize>,
    seen: Seen,
    sums: Vec<f32>,
}

impl Groups {
    pub(crate) fn new(world: &World, region: &Region, options: &BuzzOptions, rank: usize) -> Self {
        let begin = Instant::now();
        let rules = NmfOptions { threads: options.threads, l1: options.l1, ..NmfOptions::default() };
        let mut dice = crate::dice::Dice::new(options.seed);
        let start = Factors::seeded(&region.matrix, rank, || dice.unit());
        let fit = factorise(&region.matrix, start, &rules);
        let factor_s = begin.elapsed().as_secs_f64();
        Self::with(world, region, fit, factor_s)
    }

    pub(crate) fn with(world: &World, region: &Region, fit: Fit, factor_s: f64) -> Self {
        let rank = fit.factors.rank();
        let begin = Instant::now();
        let mut table = vec![0f32; world.keys.len() * rank];
        let mut writes = 0u64;
        for (nth, source) in region.sources.iter().enumerate() {
            let groups: Vec<(usize, f32)> = fit
                .factors
                .column(nth)
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, share)| *share > 0.0)
                .collect();
            for (key, score) in world.references.row(*source) {
                let row = &mut table[*key as usize * rank..][..rank];
                groups.iter().for_each(|(group, share)| row[*group] += share * score);
                writes += groups.len() as u64;
            }
        }
        let write_s = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let list = |group: usize| {
            let own = (0u32..).zip(table.chunks(rank.max(1))).map(|(key, row)| (key, row[group]));
            let mut list: Vec<(u32, f32)> = own.filter(|(_, score)| *score > 0.0).collect();
            list.sort_by(best_first);
            list
        };
        let lists = (0..rank).map(list).collect();
        let sort_s = begin.elapsed().as_secs_f64();
        let places = region.users.iter().enumerate().map(|(place, user)| (*user, place)).collect();
        let sums = vec![0.0; world.keys.len()];
        Groups { fit, factor_s, table, lists, writes, write_s, sort_s, places, seen: Seen::default(), sums }
    }

    fn weights(&self, user: usize) -> Vec<(usize, f32)> {
        let Some(place) = self.places.get(&user) else { return Vec::new() };
        let row = self.fit.factors.row(*place).iter().copied();
        row.enumerate().filter(|(_, weight)| *weight > 0.0).collect()
    }

    /// W_u·(HE), every entry.
    pub(crate) fn top(&mut self, user: usize, count: usize) -> Vec<Ranked> {
        self.sums.fill(0.0);
        for (group, weight) in self.weights(user) {
            self.lists[group].iter().for_each(|(key, score)| self.sums[*key as usize] += weight * score);
        }
        let mut top = Top::new(count);
        for (key, score) in (0u32..).zip(&self.sums).filter(|(_, score)| **score > 0.0) {
            top.offer(key, f64::from(*score));
        }
        top.into_vec()
    }

    /// The same by the threshold algorithm, with `own` as one more list.
    pub(crate) fn top_by_threshold(&mut self, user: usize, count: usize, own: Option<&Own<'_>>) -> Answer {
        let weights = self.weights(user);
        let rank = self.fit.factors.rank();
        let lists: Vec<(f32, &[(u32, f32)])> = weights
            .iter()
            .map(|(group, weight)| (*weight, self.lists[*group].as_slice()))
            .chain(own.map(|own| (1.0, own.sorted)))
            .collect();
        let table = &self.table;
        let score = |key: u32| {
            let row = &table[key as usize * rank..][..rank];
            let groups: f64 =
                weights.iter().map(|(group, weight)| f64::from(*weight) * f64::from(row[*group])).sum();
            groups + own.and_then(|own| own.by_key.get(&key)).map_or(0.0, |score| f64::from(*score))
        };
        threshold::top(&lists, count, score, &mut self.seen)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.len() * 4 + self.lists.iter().map(|list| list.len() * 8).sum::<usize>()
    }
}

/// A user's own table of the VIEW region.
pub(crate) struct Own<'a> {
    pub(crate) sorted: &'a [(u32, f32)],
    pub(crate) by_key: HashMap<u32, f32>,
}

impl<'a> Own<'a> {
    pub(crate) fn new(sorted: &'a [(u32, f32)]) -> Self {
        Own { sorted, by_key: sorted.iter().copied().collect() }
    }
}

/// NMF's best keys with their exact scores.
pub(crate) fn rescored(
    exact: &mut Exact,
    groups: &mut Groups,
    user: usize,
    follows: &[Follow],
    count: usize,
) -> Vec<Ranked> {
    let found = groups.top_by_threshold(user, RESCORED.max(count), None).top;
    let sums = exact.sums(follows);
    let mut top = Top::new(count);
    found.iter().for_each(|one| top.offer(one.key, f64::from(sums.score(one.key))));
    top.into_vec()
}

/// Of a user's subscriptions those that `takes` allows.
pub(crate) fn follows_within(world: &World, user: usize, takes: impl Fn(usize) -> bool) -> Vec<Follow> {
    let own = world.follows.row(user).iter().filter(|(source, _)| takes(*source as usize));
    own.map(|(source, weight)| follow(*source, *weight)).collect()
}

/// Which sources are in a region.
pub(crate) fn membership(world: &World, region: &Region) -> Vec<bool> {
    let mut within = vec![false; world.sources()];
    region.sources.iter().for_each(|source| within[*source] = true);
    within
}

/// Writes of a week under VIEW over a part of T.
pub(crate) fn view_writes(references: &Sparse, region: &Region) -> u64 {
    let readers = region.matrix.transposed();
    let writes =
        |(nth, source): (usize, &usize)| (references.row(*source).len() * readers.row(nth).len()) as u64;
    region.sources.iter().enumerate().map(writes).sum()
}
