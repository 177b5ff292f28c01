//! `lab rank`: the simulations of 003 §3.4.1, and one of a reader with feeds, mixed topics and ageing items.
//!
//! Readers are drawn from a seed and are the same for all strategies; so are their drifts. What is counted is the expected
//! number of clicks of each list, Σ θ·g (3.3), which realised clicks follow; strategies learn from realised clicks alone.
//! [`Kind::Paper`] is Table 3.1: 45 topics, a list of seven, figures 3.1 and 3.2, with drift figure 3.3.
//! [`Kind::Contextual`] is what a feed reader sees, and there `wellread` is the ranker as shipped.

mod contextual;
mod draws;
mod paper;
mod person;
mod report;

pub use report::{RankReport, StrategyRow, figure, table};

use crate::schedule::in_parallel;
use anyhow::{Result, bail, ensure};

/// In this order everywhere.
pub const STRATEGIES: [&str; 8] =
    ["random", "greedy", "ee-10", "ee-20", "ee-20-adf", "thompson", "wellread", "oracle"];
/// Contextual only: the newest first, and the paper's model with feeds for topics.
pub const CONTEXTUAL: [&str; 10] = [
    "random",
    "newest",
    "feed-ee-10",
    "greedy",
    "ee-10",
    "ee-20",
    "ee-20-adf",
    "thompson",
    "wellread",
    "oracle",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Paper,
    Contextual(ClickModel),
}

/// How interest becomes a click in the contextual simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClickModel {
    /// As the ranker believes.
    Logistic,
    /// Otherwise: exponential up to a cap.
    Capped,
}

#[derive(Debug, Clone)]
pub struct RankOptions {
    pub kind: Kind,
    pub users: usize,
    pub iterations: usize,
    /// Two interests become others every so many iterations.
    pub drift_every: Option<usize>,
    /// Of how many of the strongest interests these two are: 20 or 7 in the paper's numbers.
    pub drift_pool: usize,
    pub seed: u64,
    /// All unless given.
    pub strategies: Option<Vec<String>>,
    pub show_progress: bool,
}

impl RankOptions {
    fn drifts_at(&self, iteration: usize) -> bool {
        self.drift_every.is_some_and(|every| iteration > 0 && iteration.is_multiple_of(every))
    }

    fn check(&self, known: &[&str]) -> Result<()> {
        ensure!((1..=1_000_000).contains(&self.users), "--users must be 1 to 1000000");
        ensure!((1..=10_000).contains(&self.iterations), "--iterations must be 1 to 10000");
        ensure!(self.drift_every != Some(0), "--drift-every must be at least one");
        ensure!(
            (2..=20).contains(&self.drift_pool),
            "--drift-pool must be 2 to 20: so many topics are of interest"
        );
        for name in self.strategies.iter().flatten() {
            if !known.contains(&name.as_str()) {
                bail!("there is no strategy {name}; there are: {}", known.join(", "));
            }
        }
        Ok(())
    }
}

/// What one strategy came to, as means over readers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// By iteration.
    pub(crate) clicks: Vec<f64>,
    /// Σ |θ' − θ|/θ by iteration; empty where θ is not what is learnt.
    pub(crate) error: Vec<f64>,
    /// Bits.
    pub(crate) topic_entropy: f64,
}

impl Outcome {
    /// Means of readers one after the other, so that the sum is the same on any number of cores.
    pub(crate) fn mean(of: impl ExactSizeIterator<Item = Outcome>) -> Outcome {
        let users = of.len() as f64;
        let mut sum = Outcome { clicks: Vec::new(), error: Vec::new(), topic_entropy: 0.0 };
        for one in of {
            add(&mut sum.clicks, &one.clicks, users);
            add(&mut sum.error, &one.error, users);
            sum.topic_entropy += one.topic_entropy / users;
        }
        sum
    }
}

fn add(sum: &mut Vec<f64>, values: &[f64], of: f64) {
    sum.resize(values.len(), 0.0);
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value / of);
}

pub fn run(options: &RankOptions) -> Result<RankReport> {
    let known: &[&str] = match options.kind {
        Kind::Paper => &STRATEGIES,
        Kind::Contextual(_) => &CONTEXTUAL,
    };
    options.check(known)?;
    let asked =
        |name: &&&str| options.strategies.as_ref().is_none_or(|names| names.iter().any(|own| own == **name));
    // The best possible is always run: regret is counted from it.
    let names: Vec<String> = known
        .iter()
        .filter(|name| **name == "oracle" || asked(name))
        .map(|name| (*name).to_owned())
        .collect();
    let outcomes = in_parallel(&names, options.show_progress, |name| match options.kind {
        Kind::Paper => paper::simulate(name, options),
        Kind::Contextual(model) => contextual::simulate(name, options, model),
    })?;
    Ok(RankReport::new(options, &names, &outcomes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests;
