//! What a world is made of. Two worlds of equal configuration are equal to the byte.

use crate::behaviour::Behaviour;
use crate::rhythm::Pattern;
use domain::Timestamp;

#[derive(Debug, Clone, PartialEq)]
pub struct FarmConfig {
    pub seed: u64,
    pub feeds: usize,
    /// History begins here: nothing is older. Choose it well before the first poll, so that documents are full.
    pub start: Timestamp,
    /// Share of feeds that live on a host with many feeds (`many01.test/feed/17.xml`); the others have their own.
    pub shared_hosts: f64,
    /// Share of feeds that are not [`Behaviour::Good`]. With 0 every feed is a good citizen.
    pub hostile_share: f64,
    /// The first feeds behave exactly like this, from `start` on; the others are drawn. A behaviour named several
    /// times shows its variants in turn.
    pub script: Vec<Behaviour>,
    /// Single feeds that play a given part, whatever was drawn for them.
    pub casting: Vec<Cast>,
    pub items_per_document: usize,
    /// Upper bound of the random delay between `start` and the day a drawn feed begins to misbehave.
    pub onset_days_max: u32,
    /// No silent or dead feeds and no rate below one a day: for benchmarks that want full documents.
    pub lively: bool,
    /// Rendered documents are kept up to this many bytes; beyond it they are rendered again on each request.
    pub memo_bytes_max: usize,
}

/// One feed and its part. A feed may have several.
#[derive(Debug, Clone, PartialEq)]
pub struct Cast {
    pub feed: usize,
    pub part: Part,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Behaves like this from `onset` on.
    Behaves { behaviour: Behaviour, variant: u8, onset: Timestamp },
    /// Posts in this pattern, so often.
    Posts { pattern: Pattern, posts_per_day: f64 },
    /// Shows what another feed posts, under its own address and a title of its own.
    Mirrors { feed: usize },
    /// Summaries only: the text is on the page.
    Summaries,
    /// Every item has a sound to play.
    Podcast,
}

impl FarmConfig {
    pub fn new(seed: u64, feeds: usize, start: Timestamp) -> FarmConfig {
        FarmConfig {
            seed,
            feeds,
            start,
            shared_hosts: 0.15,
            hostile_share: 0.0,
            script: Vec::new(),
            casting: Vec::new(),
            items_per_document: 20,
            onset_days_max: 30,
            lively: false,
            memo_bytes_max: 128 << 20,
        }
    }

    /// A benchmark's world: good citizens only, each on its own host, all with full documents a month after `start`.
    pub fn benchmark(seed: u64, feeds: usize, items_per_document: usize, start: Timestamp) -> FarmConfig {
        FarmConfig {
            shared_hosts: 0.0,
            items_per_document,
            lively: true,
            ..FarmConfig::new(seed, feeds, start)
        }
    }

    /// Exactly these behaviours, one feed each, on hosts of their own, from `start` on.
    pub fn scripted(seed: u64, start: Timestamp, script: &[Behaviour]) -> FarmConfig {
        FarmConfig {
            shared_hosts: 0.0,
            script: script.to_vec(),
            lively: true,
            ..FarmConfig::new(seed, script.len(), start)
        }
    }
}
