//! Traces: who posted when, who looked when. From files as they are found to a [`World`] that can be replayed.
//!
//! A world has one Monday 00:00 UTC at which the test begins. Each trace keeps its own weeks: it is shifted by whole
//! weeks until its test begins there, so that mixed traces keep their hours and weekdays. What lies before is history,
//! which every policy may learn from; what lies after is shown only by polls. Feeds are chosen by their history alone.

mod read;
mod window;

pub use read::{Events, Pair, Skipped, read_accesses, read_posts, read_subscriptions};
pub(crate) use read::{broken, each_line, fields, time};
pub use window::{WorldOptions, build, parse_date};

use std::collections::HashSet;

pub const DAY_S: i64 = 86_400;
pub const WEEK_S: i64 = 7 * DAY_S;

/// One feed: all its posts in history and test, ascending, unix seconds after the shift.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedTrace {
    pub name: String,
    pub posts: Vec<i64>,
    /// Where its history begins.
    pub since: i64,
}

/// One person: visits, ascending, and the feeds they read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReaderTrace {
    pub name: String,
    pub visits: Vec<i64>,
    /// None means all.
    pub feeds: Option<Vec<usize>>,
}

impl ReaderTrace {
    pub fn reads(&self, feed: usize) -> bool {
        self.feeds.as_ref().is_none_or(|feeds| feeds.binary_search(&feed).is_ok())
    }
}

/// What is replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Monday 00:00 UTC: everything before is history, and everything was polled at this moment.
    pub begin: i64,
    pub end: i64,
    pub feeds: Vec<FeedTrace>,
    pub readers: Vec<ReaderTrace>,
}

impl World {
    pub fn test_days(&self) -> f64 {
        (self.end - self.begin) as f64 / DAY_S as f64
    }

    /// A feed's posts before the test.
    pub fn history(&self, feed: usize) -> &[i64] {
        let posts = &self.feeds[feed].posts;
        &posts[..posts.partition_point(|at| *at < self.begin)]
    }

    /// A feed's posts in the test.
    pub fn test(&self, feed: usize) -> &[i64] {
        &self.feeds[feed].posts[self.history(feed).len()..]
    }

    pub fn history_days(&self, feed: usize) -> f64 {
        ((self.begin - self.feeds[feed].since) as f64 / DAY_S as f64).max(1.0 / 24.0)
    }

    pub fn test_posts(&self) -> usize {
        (0..self.feeds.len()).map(|feed| self.test(feed).len()).sum()
    }

    /// The same world with these people alone.
    pub fn read_by(&self, readers: Vec<ReaderTrace>) -> World {
        World { readers, ..self.clone() }
    }

    /// How many people read a feed; one when nobody is known.
    pub fn audience(&self, feed: usize) -> usize {
        self.readers.iter().filter(|reader| reader.reads(feed)).count().max(1)
    }
}

/// What was read and what was left out, for people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    pub skipped: Vec<Skipped>,
    /// Feeds without a post in history.
    pub feeds_without_history: usize,
    pub notes: Vec<String>,
}

/// The names in order, each once.
pub(crate) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
    names.collect()
}

#[cfg(test)]
mod tests;
