//! Who follows what and who refers to what: T and E of 003 §4.2.

use crate::dice::Dice;
use learn::Sparse;
use rank::buzz::{Follow, Postings};

/// Days over which a week's references are spread in the exact index.
const WEEK_DAYS: u64 = 7;

#[derive(Debug, Clone)]
pub struct World {
    /// Users × sources.
    pub follows: Sparse,
    /// Sources × keys.
    pub references: Sparse,
    /// How keys are written.
    pub keys: Vec<String>,
    /// By source, how many follow it.
    pub readers: Vec<u32>,
    pub notes: Vec<String>,
}

impl World {
    pub fn new(follows: Sparse, references: Sparse, keys: Vec<String>, notes: Vec<String>) -> Self {
        let mut readers = vec![0; follows.columns()];
        for user in 0..follows.rows() {
            follows.row(user).iter().for_each(|(source, _)| readers[*source as usize] += 1);
        }
        World { follows, references, keys, readers, notes }
    }

    pub fn users(&self) -> usize {
        self.follows.rows()
    }

    pub fn sources(&self) -> usize {
        self.follows.columns()
    }

    /// The `count` users who follow most, of those with at least `least` sources.
    pub fn most_following(&self, count: usize, least: usize) -> Vec<usize> {
        let mut users: Vec<usize> =
            (0..self.users()).filter(|user| self.follows.row(*user).len() >= least.max(1)).collect();
        users.sort_by_key(|user| std::cmp::Reverse(self.follows.row(*user).len()));
        users.truncate(count);
        users
    }

    pub fn follows_of(&self, user: usize) -> Vec<Follow> {
        self.follows.row(user).iter().map(|(source, weight)| follow(*source, *weight)).collect()
    }

    /// The index that ships, filled as a week would: each reference on one of its days.
    pub fn postings(&self) -> Postings {
        let mut postings = Postings::default();
        (0..self.sources()).for_each(|_| {
            postings.add_feed();
        });
        for day in 0..WEEK_DAYS {
            for source in 0..self.references.rows() {
                for (key, score) in self.references.row(source) {
                    if day_of(source, *key) == day {
                        postings.change(source as u32, *key, |own| own + score);
                    }
                }
            }
            postings.roll();
        }
        postings
    }

    /// Sources with more than `readers` readers, and the users with more than `sources` sources.
    pub fn region(&self, sources: usize, readers: u32) -> Region {
        let dense: Vec<usize> =
            (0..self.sources()).filter(|source| self.readers[*source] > readers).collect();
        let users: Vec<usize> =
            (0..self.users()).filter(|user| self.follows.row(*user).len() > sources).collect();
        let mut place = vec![None; self.sources()];
        dense.iter().enumerate().for_each(|(nth, source)| place[*source] = Some(nth as u32));
        let row = |user: &usize| -> Vec<(u32, f32)> {
            let own = self.follows.row(*user).iter();
            own.filter_map(|(source, weight)| Some((place[*source as usize]?, *weight))).collect()
        };
        let matrix = Sparse::of_rows(dense.len(), users.iter().map(row));
        Region { users, sources: dense, matrix }
    }
}

/// The dense part of T (§4.2.6).
#[derive(Debug, Clone)]
pub struct Region {
    pub users: Vec<usize>,
    pub sources: Vec<usize>,
    /// T restricted to them.
    pub matrix: Sparse,
}

pub(crate) fn follow(source: u32, weight: f32) -> Follow {
    Follow { feed: source, weight, site: source }
}

pub(crate) fn day_of(source: usize, key: u32) -> u64 {
    Dice::new((source as u64) << 32 | u64::from(key)).throw() % WEEK_DAYS
}
