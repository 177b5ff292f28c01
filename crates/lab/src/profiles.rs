//! `lab profiles`: paper 004 on real articles. What feeds are about, and polling by it, at equal probes.
//!
//! Everything is replayed from publication times: at each hour so many feeds are probed, a probe shows the newest
//! items of the document, and the profile a policy holds is compared with the one that polling after every item would
//! hold (eq. 4). Profiles change only at posts and probes, so the time average is exact. One idf is used for both sides,
//! from all items so far, frozen until the collection has grown by a fifth.

mod articles;
mod corpus;
mod experiments;
mod mirrors;
mod pairs;
mod policies;
mod report;
mod single;
mod twin;

pub use articles::{Article, Articles, read_articles};
pub use corpus::{Channel, Corpus, Post};
pub use experiments::{EXPERIMENTS, experiment};
pub use policies::{Monitored, POLICIES, Rules, monitor};
pub(crate) use report::rows;
pub use report::{CohesionRow, ExperimentReport, PolicyRow, ProfilesReport, figure, rows_table, table};

use anyhow::{Result, ensure};
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub struct ProfilesOptions {
    pub articles: PathBuf,
    /// Probes per hour.
    pub budget: f64,
    /// Items of a profile.
    pub window: usize,
    pub beta: f64,
    /// Items a document shows.
    pub shown: usize,
    pub seed: u64,
    /// All unless given.
    pub policies: Option<Vec<String>>,
}

impl ProfilesOptions {
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            budget: self.budget,
            window: self.window,
            beta: self.beta,
            shown: self.shown,
            seed: self.seed,
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        ensure!(self.budget > 0.0 && self.budget.is_finite(), "--budget must be above zero");
        ensure!((1..=1_000).contains(&self.window), "--window must be 1 to 1000 items");
        ensure!(self.beta.is_finite(), "--beta must be a number");
        ensure!(self.shown > 0, "--window-items must be at least one item");
        Ok(())
    }
}

/// The experiment of the contract: all policies at one budget, and how cohesive each channel is.
pub fn run(options: &ProfilesOptions) -> Result<ProfilesReport> {
    options.check()?;
    let corpus = Corpus::of(&read_articles(&options.articles)?)?;
    let names = match &options.policies {
        Some(names) => names.clone(),
        None => POLICIES.iter().map(|name| (*name).to_owned()).collect(),
    };
    let outcomes = names
        .iter()
        .map(|name| monitor(&corpus, name, &options.rules()))
        .collect::<Result<Vec<Monitored>>>()?;
    Ok(ProfilesReport::new(&corpus, &names, &outcomes, options.window))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests;
