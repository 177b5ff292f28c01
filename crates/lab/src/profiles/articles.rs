//! Articles from NDJSON: `{source, ts, title, summary, url}`, plain, gzip or Zstandard.
//!
//! A line that is no article is skipped, counted and reported; a missing column is empty. Articles are sorted by time.

use crate::trace::{broken, each_line, time};
use anyhow::{Result, ensure};
use serde::Deserialize;
use std::path::Path;

/// More would not fit anywhere.
const ARTICLES_MAX: usize = 20_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    pub source: String,
    pub at: i64,
    pub title: String,
    pub summary: String,
    pub url: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Articles {
    pub all: Vec<Article>,
    pub skipped_lines: usize,
    pub notes: Vec<String>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    source: Option<String>,
    ts: f64,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    url: Option<String>,
}

pub fn read_articles(path: &Path) -> Result<Articles> {
    let mut all = Vec::new();
    let mut bad = 0usize;
    let skipped = each_line(path, |line| {
        match article(line) {
            Ok(article) if all.len() < ARTICLES_MAX => all.push(article),
            Ok(_) => {}
            Err(why) => {
                bad += 1;
                return Err(why);
            }
        }
        Ok(())
    })?;
    ensure!(all.len() < ARTICLES_MAX, "{} has more than {ARTICLES_MAX} articles", path.display());
    ensure!(
        !all.is_empty(),
        "{} has no articles: lines of {{\"source\":…, \"ts\":…, \"title\":…}}{}",
        path.display(),
        broken(skipped.as_ref())
    );
    all.sort_by(|one: &Article, other| one.at.cmp(&other.at).then_with(|| one.source.cmp(&other.source)));
    let skipped_lines = bad.max(skipped.as_ref().map_or(0, |skipped| skipped.lines));
    let notes = skipped.map(|skipped| {
        format!(
            "{}: {skipped_lines} lines skipped, the first counted is line {} ({})",
            skipped.file, skipped.first_line, skipped.why
        )
    });
    Ok(Articles { all, skipped_lines, notes: notes.into_iter().collect() })
}

fn article(line: &str) -> Result<Article, &'static str> {
    let line: Line = serde_json::from_str(line).map_err(|_| "not an article")?;
    Ok(Article {
        source: line.source.unwrap_or_default(),
        at: time(line.ts)?,
        title: line.title.unwrap_or_default(),
        summary: line.summary.unwrap_or_default(),
        url: line.url.unwrap_or_default(),
    })
}
