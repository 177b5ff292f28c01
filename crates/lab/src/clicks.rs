//! `lab clicks`: rankers judged by what people really clicked and rated, as far as logs allow it.
//!
//! Three published sets, each asked only what it can answer. `obd` is a log of a random policy with its
//! probabilities, so that the clicks another policy would have had can be estimated without bias. `mind` has
//! lists that were shown and what was clicked in them: who would have put that on top? `movielens` is
//! one stream of ratings for each person: who learns soonest what they like? Every ranker sees only what came before.
//! All numbers have an interval of 95 %; so has the difference from the paper's ranker, on the same
//! draws.
//!
//! Left out: what a list does to the person who reads it. Logs do not know what would have been clicked elsewhere.

mod bootstrap;
mod mind;
mod movielens;
mod obd;
mod read;
mod report;

pub use bootstrap::Estimate;
pub use report::{ClicksReport, MeasureRow, RankerRow, SetReport, figure, table};

use crate::schedule::in_parallel;
use anyhow::{Result, bail, ensure};
use std::path::{Path, PathBuf};

/// A set of the lab data: its name here, its folder, and where it is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Set {
    pub name: &'static str,
    pub folder: &'static str,
    pub published: &'static str,
    files: &'static [&'static str],
}

pub const SETS: [Set; 3] = [
    Set {
        name: "obd",
        folder: "clicks-obd",
        published: "Open Bandit Dataset, https://research.zozo.com/data.html",
        files: &["men-random.csv.gz", "men-items.csv", "women-random.csv.gz", "women-items.csv"],
    },
    Set {
        name: "mind",
        folder: "clicks-mind",
        published: "MIND, https://msnews.github.io",
        files: &["impressions.ndjson.gz", "news.ndjson.gz"],
    },
    Set {
        name: "movielens",
        folder: "ratings-movielens",
        published: "MovieLens latest-small, https://grouplens.org/datasets/movielens",
        files: &["ratings.csv.gz", "items.csv.gz"],
    },
];

/// The paper's ranker, which the others are compared with.
pub(crate) const PAPER: &str = "ee-10";
/// Its λ.
pub(crate) const LAMBDA: f64 = 10.0;

#[derive(Debug, Clone)]
pub struct ClicksOptions {
    /// The folder that holds the sets.
    pub data: Option<PathBuf>,
    /// All unless given.
    pub sets: Option<Vec<String>>,
    /// Draws of the bootstrap.
    pub resamples: usize,
    pub seed: u64,
    pub show_progress: bool,
}

pub fn run(options: &ClicksOptions) -> Result<ClicksReport> {
    ensure!((20..=100_000).contains(&options.resamples), "--resamples must be 20 to 100000");
    for name in options.sets.iter().flatten() {
        if !SETS.iter().any(|set| set.name == name) {
            bail!("there is no set {name}; there are: {}", SETS.map(|set| set.name).join(", "));
        }
    }
    let asked = |set: &Set| options.sets.as_ref().is_none_or(|names| names.iter().any(|own| own == set.name));
    let asked: Vec<Set> = SETS.into_iter().filter(asked).collect();
    let wanted = asked.iter().map(|set| format!("  {} ({})", set.folder, set.published)).collect::<Vec<_>>();
    let Some(data) = &options.data else {
        bail!(
            "this needs published data: name a folder by --data or WELLREAD_LAB_DATA that has\n{}",
            wanted.join("\n")
        );
    };
    let is_there = |set: &Set| set.files.iter().all(|file| data.join(set.folder).join(file).is_file());
    let (there, missing): (Vec<Set>, Vec<Set>) = asked.into_iter().partition(is_there);
    ensure!(
        !there.is_empty(),
        "{} has none of the sets; each is a folder of files:\n{}",
        data.display(),
        missing.iter().map(lacking).collect::<Vec<_>>().join("\n")
    );
    let names: Vec<String> = there.iter().map(|set| set.name.to_owned()).collect();
    let sets = in_parallel(&names, options.show_progress, |name| judge(name, data, options))?;
    let missing = missing.iter().map(lacking).map(|line| line.trim().to_owned()).collect();
    Ok(ClicksReport { resamples: options.resamples, seed: options.seed, sets, missing })
}

fn lacking(set: &Set) -> String {
    format!("  {}/{{{}}} ({})", set.folder, set.files.join(","), set.published)
}

fn judge(name: &str, data: &Path, options: &ClicksOptions) -> Result<SetReport> {
    let set = SETS.into_iter().find(|set| set.name == name);
    let folder = set.map(|set| data.join(set.folder)).unwrap_or_default();
    match name {
        "obd" => obd::judge(&folder, options),
        "mind" => mind::judge(&folder, options),
        _ => movielens::judge(&folder, options),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests;
