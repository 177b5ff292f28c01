//! Near-duplicates against the truth, and how fast they are found.
//!
//! `WELLREAD_LAB_DATA=DIR cargo bench -p text`. Truth is the exact Jaccard of all pairs of items of different sources at
//! most seven days apart that share a run of words (reference 4.6: runs of three words, of two for titles made from
//! addresses). Bars: recall ≥ 0.98, precision ≥ 0.99, ≥ 20,000 items/s on one core after tokenising. Without data, and
//! as a test, it runs on invented texts.

use domain::Timestamp;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;
use text::{Fingerprint, SAME_TEXT, Sighting, Stories, Tokens, Why};

const WEEK_S: i64 = 7 * 86_400;

struct Article {
    source: u64,
    at: i64,
    tokens: Tokens,
}

fn main() {
    let tiny = std::env::args().any(|argument| argument == "--test");
    let data = std::env::var_os("WELLREAD_LAB_DATA").filter(|_| !tiny);
    let Some(data) = data else {
        println!("WELLREAD_LAB_DATA names no folder: invented texts");
        return report("invented", &invented(if tiny { 400 } else { 40_000 }), 3);
    };
    for (name, words) in [("articles-congress", 3), ("articles-newsrss", 2), ("articles-reddit", 3)] {
        let file = Path::new(&data).join(name).join("articles.ndjson.gz");
        match std::fs::File::open(&file) {
            Ok(opened) => report(name, &read(opened), words),
            Err(error) => println!("{name}: {error}"),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn report(name: &str, articles: &[Article], words: usize) {
    let start = Instant::now();
    let mut stories = Stories::new(1_000_000);
    let mut found: HashSet<(u64, u64)> = HashSet::new();
    let mut prints = 0u32;
    for (nth, article) in articles.iter().enumerate() {
        let at = Timestamp::from_seconds(article.at);
        let print = Fingerprint::with_runs_of(&article.tokens, words);
        prints += u32::from(print.is_some());
        let seen = Sighting { item: nth as u64, feed: article.source, at, link: None, title: None, print };
        // Whatever their figures: the truth is of words too.
        for twin in
            stories.add(seen).1.iter().filter(|twin| matches!(twin.why, Why::SameText | Why::SameWords))
        {
            found.insert((twin.item, nth as u64));
        }
    }
    let speed = articles.len() as f64 / start.elapsed().as_secs_f64();
    let near = |pair: &(u64, u64)| articles[pair.1 as usize].at - articles[pair.0 as usize].at <= WEEK_S;
    let found: HashSet<(u64, u64)> = found.into_iter().filter(near).collect();
    let truth = exact(articles, words);
    let right = found.intersection(&truth).count() as f64;
    let share = |of: usize| if of == 0 { 1.0 } else { right / of as f64 };
    println!(
        "{name}: {} items, {prints} with a fingerprint, {} true pairs; recall {:.4} (bar 0.98), precision {:.4} (bar 0.99), \
         {speed:.0} items/s (bar 20,000)",
        articles.len(),
        truth.len(),
        share(truth.len()),
        share(found.len())
    );
}

/// All pairs that share a run, compared by their whole sets: the truth, found slowly.
fn exact(articles: &[Article], words: usize) -> HashSet<(u64, u64)> {
    let sets: Vec<HashSet<Vec<&str>>> = articles
        .iter()
        .map(|article| {
            let mut all: Vec<&str> = article.tokens.iter().map(|token| token.text).collect();
            if all.first() == Some(&"rt") && all.len() > 7 {
                all.drain(..2);
            }
            if all.len() < 5 { HashSet::new() } else { all.windows(words).map(<[&str]>::to_vec).collect() }
        })
        .collect();
    let mut by_run: HashMap<&[&str], Vec<u32>> = HashMap::new();
    for (nth, set) in sets.iter().enumerate() {
        for run in set {
            by_run.entry(run).or_default().push(nth as u32);
        }
    }
    let mut out = HashSet::new();
    for (nth, set) in sets.iter().enumerate() {
        let mut shared: HashMap<u32, usize> = HashMap::new();
        for other in set.iter().filter_map(|run| by_run.get(run.as_slice())).flatten() {
            let known = &articles[*other as usize];
            let near = articles[nth].at - known.at <= WEEK_S;
            if (*other as usize) < nth && near && known.source != articles[nth].source {
                *shared.entry(*other).or_default() += 1;
            }
        }
        for (other, common) in shared {
            let union = set.len() + sets[other as usize].len() - common;
            if common as f64 / union as f64 >= SAME_TEXT {
                out.insert((u64::from(other), nth as u64));
            }
        }
    }
    out
}

fn read(file: std::fs::File) -> Vec<Article> {
    let mut sources: HashMap<String, u64> = HashMap::new();
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    let mut all: Vec<Article> = lines
        .map_while(Result::ok)
        .filter_map(|line| {
            let value: serde_json::Value = serde_json::from_str(&line).ok()?;
            let text = |name: &str| value.get(name).and_then(|text| text.as_str()).unwrap_or_default();
            let count = sources.len() as u64;
            let source = *sources.entry(text("source").to_owned()).or_insert(count);
            let tokens = Tokens::of_item(text("title"), text("summary"));
            Some(Article { source, at: value.get("ts")?.as_i64()?, tokens })
        })
        .collect();
    all.sort_by_key(|article| article.at);
    all
}

/// Every fifth item is another one's text with a few words changed.
fn invented(items: usize) -> Vec<Article> {
    let mut state = 7u64;
    let mut roll = |sides: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    let mut texts: Vec<String> = Vec::new();
    let mut out = Vec::new();
    for nth in 0..items {
        let text = if nth % 5 == 4 {
            let mut words: Vec<String> =
                texts[texts.len() - 1 - roll(4) as usize].split(' ').map(str::to_owned).collect();
            let place = roll(words.len() as u64) as usize;
            words[place] = "changed".to_owned();
            words.join(" ")
        } else {
            (0..30).map(|_| format!("word{}", roll(5_000))).collect::<Vec<_>>().join(" ")
        };
        out.push(Article {
            source: roll(100),
            at: 1_700_000_000 + 60 * i64::try_from(nth).unwrap_or_default(),
            tokens: Tokens::of(&text),
        });
        texts.push(text);
    }
    out
}
