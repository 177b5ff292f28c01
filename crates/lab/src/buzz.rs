//! `lab buzz`: chapter 4 of 003. What somebody's feeds talk about, by the paper's methods and by the index that ships.
//!
//! A world is who follows what and who refers to what, from files or drawn at Bloglines' size. Methods answer the users who
//! follow most, as in the paper; `nmf`, `nmf-ta`, `nmf-rescored` and `view` answer within the dense region, where the paper
//! uses them, and are compared with the exact answer there; the others answer for all of T.

mod compare;
mod cost;
mod experiments;
mod files;
mod methods;
mod recommend;
mod report;
mod scale;
mod sqlite;
mod svd;
mod synthetic;
mod world;

pub use cost::Priced;
pub use experiments::{EXPERIMENTS, experiment};
pub use files::Reading;
pub use report::{
    BuzzExperiment, BuzzReport, Convergence, Method, QueryMs, figure, rows_figure, rows_table, table,
};
pub use synthetic::Size;
pub use world::{Region, World};

use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;

/// By contract, in the order of the table.
pub const METHODS: [&str; 7] = ["otf-sqlite", "view", "nmf", "nmf-ta", "hybrid", "nmf-rescored", "wellread"];
/// The paper's border, for worlds of its size.
const BORDER: usize = 30;

#[derive(Debug, Clone)]
pub enum Source {
    Files {
        subscriptions: PathBuf,
        references: PathBuf,
        how: Reading,
    },
    Synthetic {
        size: Size,
        /// Numbers of sources per user from real subscriptions.
        resampled: bool,
        /// A folder with `articles-reddit` and `subs-hn`.
        data: Option<PathBuf>,
    },
}

#[derive(Debug, Clone)]
pub struct BuzzOptions {
    pub source: Source,
    /// Length of a list.
    pub top: usize,
    pub rank: usize,
    /// Penalty on the values of both factors.
    pub l1: f64,
    /// Users who are asked for, those who follow most.
    pub readers: usize,
    /// The dense region has users with more sources and sources with more readers than this.
    pub border: Option<usize>,
    pub threads: usize,
    pub seed: u64,
    /// All unless given.
    pub methods: Option<Vec<String>>,
    pub show_progress: bool,
}

impl BuzzOptions {
    fn check(&self) -> Result<()> {
        ensure!((1..=1_000).contains(&self.top), "--top must be 1 to 1000");
        ensure!((1..=1_000).contains(&self.rank), "--rank must be 1 to 1000");
        ensure!(self.l1 >= 0.0 && self.l1.is_finite(), "--l1 must be zero or more");
        ensure!(self.readers > 0, "--readers must be at least one");
        if let Some(unknown) = self.methods.iter().flatten().find(|name| !METHODS.contains(&name.as_str())) {
            bail!("there is no method {unknown}; there are {}", METHODS.join(", "));
        }
        Ok(())
    }

    fn wants(&self, method: &str) -> bool {
        self.methods.as_ref().is_none_or(|names| names.iter().any(|name| name == method))
    }

    fn border(&self) -> usize {
        let usual = match self.source {
            Source::Synthetic { .. } => BORDER,
            Source::Files { .. } => 0,
        };
        self.border.unwrap_or(usual)
    }

    fn world(&self) -> Result<World> {
        let (size, resampled, data) = match &self.source {
            Source::Files { subscriptions, references, how } => {
                return files::world(subscriptions, references, how);
            }
            Source::Synthetic { size, resampled, data } => (*size, *resampled, data),
        };
        let mut notes = Vec::new();
        let posts = match data {
            Some(data) => {
                let path = data.join("articles-reddit/articles.ndjson.gz");
                synthetic::Posts::of(&crate::profiles::read_articles(&path)?.all)
            }
            None => {
                notes.push("posts are drawn; --data gives real ones".to_owned());
                synthetic::Posts::drawn(self.seed)
            }
        };
        let degrees = match (resampled, data) {
            (true, data) => {
                let data = data.as_ref().context("--resampled needs --data")?;
                notes.push("numbers of sources per user are resampled from subs-hn".to_owned());
                Some(files::degrees(&data.join("subs-hn/subs.csv.gz"))?)
            }
            (false, _) => None,
        };
        let mut world = synthetic::world(size, &posts, degrees.as_deref(), self.seed);
        world.notes = notes;
        Ok(world)
    }

    fn say(&self, what: &str) {
        if self.show_progress {
            eprintln!("{what}");
        }
    }
}

/// The experiment of the contract: all methods on one world.
pub fn run(options: &BuzzOptions) -> Result<BuzzReport> {
    options.check()?;
    options.say("making the world");
    let world = options.world()?;
    compare::run(options, &world)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests;
