//! How exact and how fast parsing is, on collected feeds, beside feed-rs and Python feedparser.
//!
//! The documents are not in this repository: their text belongs to their publishers. `WELLREAD_LAB_DATA` names a
//! folder that contains `feeds/` with an `index.csv` (`file,bytes,format,…`) and the files it lists. Without it this
//! prints where such documents are published and ends well. `WELLREAD_CORPUS_SHOW=n` prints the first n differences,
//! `WELLREAD_CORPUS_PART` names another part of the collection than `realworld/`.

#![allow(clippy::disallowed_methods, reason = "a measurement needs a clock")]

use domain::{Limits, Parsed};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

fn main() {
    let Some(folder) = std::env::var_os("WELLREAD_LAB_DATA").map(PathBuf::from) else {
        println!("WELLREAD_LAB_DATA is not set: no documents to measure.");
        println!(
            "Put feeds and an index.csv into a folder feeds/; good ones are the test data of w3c/feedvalidator,"
        );
        println!("mmcdole/gofeed, feed-rs, node-feedparser, rss-parser, NetNewsWire, newsboat and miniflux.");
        return;
    };
    let corpus = Corpus::read(&folder.join("feeds"));
    coverage(&corpus);
    let part = std::env::var("WELLREAD_CORPUS_PART").unwrap_or("realworld/".into());
    let real: Vec<&Sample> =
        corpus.samples.iter().filter(|s| s.file.starts_with(&part) && s.counts).collect();
    let truth = Truth::ask(&corpus.folder, &real);
    match &truth {
        Some(truth) => exactness(&real, truth),
        None => println!("\nNo python3 with feedparser 6.0.14: exactness is not measured."),
    }
    throughput(&real, truth.as_ref());
}

struct Sample {
    file: String,
    format: String,
    bytes: Vec<u8>,
    /// Whether the bar for coverage counts it as a feed.
    counts: bool,
}

struct Corpus {
    folder: PathBuf,
    samples: Vec<Sample>,
}

impl Corpus {
    fn read(folder: &Path) -> Corpus {
        let index = std::fs::read_to_string(folder.join("index.csv")).expect("feeds/index.csv");
        let mut samples = Vec::new();
        for line in index.lines().skip(1) {
            // Newer columns come after the third; file names hold no commas.
            let mut columns = line.split(',');
            let (Some(file), _, Some(format)) = (columns.next(), columns.next(), columns.next()) else {
                continue;
            };
            let Ok(bytes) = std::fs::read(folder.join(file)) else { continue };
            let counts = counts_as_feed(folder, file, format);
            samples.push(Sample { file: file.into(), format: format.into(), bytes, counts });
        }
        Corpus { folder: folder.to_owned(), samples }
    }
}

fn counts_as_feed(folder: &Path, file: &str, format: &str) -> bool {
    if format == "json" {
        let twin = folder.join(file).with_extension("xml").exists();
        return !twin && !file.contains("_expected") && !file.contains("invalid");
    }
    ["atom", "rss", "rdf"].iter().any(|known| format.starts_with(known))
}

fn own(bytes: &[u8]) -> Result<Parsed, parse::NotAFeed> {
    parse::parse(&parse::Input { bytes, content_type: None, base: None, complete: true }, &Limits::default())
}

fn coverage(corpus: &Corpus) {
    let mut table: BTreeMap<&str, (usize, usize, Vec<String>)> = BTreeMap::new();
    for sample in &corpus.samples {
        let result = own(&sample.bytes);
        if !sample.counts {
            continue;
        }
        let row = table.entry(&sample.format).or_default();
        row.0 += 1;
        match result {
            Ok(_) => row.1 += 1,
            Err(why) => row.2.push(format!("{}: {why}", sample.file)),
        }
    }
    let (all, read) = table.values().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    println!("Coverage: {read} of {all} documents read ({:.2} %)", 100.0 * read as f64 / all.max(1) as f64);
    for (format, (all, read, lost)) in &table {
        println!("  {format:12} {read:5} of {all:5}");
        lost.iter().for_each(|line| println!("      {line}"));
    }
}

/// What feedparser says about each document, in the order of the samples.
struct Truth {
    documents: Vec<Value>,
    seconds: f64,
    bytes: f64,
}

impl Truth {
    fn ask(folder: &Path, samples: &[&Sample]) -> Option<Truth> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/feedparser_truth.py");
        let mut child = Command::new("python3")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let paths: String = samples.iter().map(|s| format!("{}\n", folder.join(&s.file).display())).collect();
        child.stdin.take()?.write_all(paths.as_bytes()).ok()?;
        let output = child.wait_with_output().ok()?;
        let mut lines: Vec<Value> = String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let last = lines.pop()?;
        Some(Truth {
            documents: lines,
            seconds: last.get("seconds")?.as_f64()?,
            bytes: last.get("bytes")?.as_f64()?,
        })
    }
}

/// One entry as both parsers and the truth can state it.
#[derive(Default, Clone)]
struct Entry {
    id: Option<String>,
    title: Option<String>,
    link: Option<String>,
    published: Option<i64>,
    updated: Option<i64>,
    body: Option<String>,
    has_body: bool,
    tags: Vec<String>,
    enclosures: Vec<String>,
}

#[derive(Default)]
struct Score {
    documents: usize,
    lost: usize,
    empty: usize,
    wrong_count: usize,
    columns: BTreeMap<&'static str, (usize, usize)>,
}

impl Score {
    fn column(&mut self, name: &'static str, right: bool) {
        let cell = self.columns.entry(name).or_default();
        cell.0 += usize::from(right);
        cell.1 += 1;
    }
}

fn exactness(samples: &[&Sample], truth: &Truth) {
    let mut shown = std::env::var("WELLREAD_CORPUS_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(0usize);
    let (mut ours, mut theirs) = (Score::default(), Score::default());
    for (sample, document) in samples.iter().zip(&truth.documents) {
        let Some(entries) = document.get("entries").and_then(Value::as_array) else { continue };
        let entries: Vec<Entry> = entries.iter().map(truth_entry).collect();
        feed_fields(&mut ours, &mut theirs, sample, document, shown);
        if entries.is_empty() {
            continue;
        }
        compare(&mut ours, &sample.file, &entries, own_entries(&sample.bytes), &mut shown);
        compare(&mut theirs, &sample.file, &entries, feed_rs_entries(&sample.bytes), &mut 0);
    }
    println!("\nExactness on {} real documents (truth: feedparser)", ours.documents);
    let names: Vec<&str> = ours.columns.keys().copied().collect();
    println!("{:10} {:>5} {:>6} {:>6}  {}", "", "lost", "empty", "count", names.join("  "));
    for (name, score) in [("own", &ours), ("feed-rs", &theirs)] {
        let cells: Vec<String> = names
            .iter()
            .map(|name| score.columns.get(name).copied().unwrap_or_default())
            .map(|(right, all)| format!("{right}/{all}"))
            .collect();
        println!(
            "{name:10} {:5} {:6} {:6}  {}",
            score.lost,
            score.empty,
            score.wrong_count,
            cells.join("  ")
        );
    }
}

/// The feed's own title and link.
fn feed_fields(ours: &mut Score, theirs: &mut Score, sample: &Sample, truth: &Value, shown: usize) {
    let own = own(&sample.bytes).ok().map(|parsed| (parsed.document.title, parsed.document.link));
    let other = feed_rs::parser::parse(&sample.bytes[..]).ok().map(|feed| {
        let link = feed.links.iter().find(|l| l.rel.as_deref().is_none_or(|r| r == "alternate"));
        let title = feed.title.map(|title| html::one_line(&title.content, &Limits::default()));
        (title, link.map(|link| link.href.clone()))
    });
    let text = |name: &str| truth.get(name).and_then(Value::as_str).map(str::to_owned);
    for (score, found, show) in [(ours, own, shown > 0), (theirs, other, false)] {
        let Some((title, link)) = found else { continue };
        for (name, wanted, got, same) in [
            ("feed title", text("title"), &title, words(&text("title")) == words(&title)),
            ("feed link", text("link"), &link, same_link(&text("link"), &link)),
        ] {
            if wanted.is_some() {
                score.column(name, same);
                if !same && show {
                    println!("{} {name}\n    want {wanted:?}\n    got  {got:?}", sample.file);
                }
            }
        }
    }
}

fn compare(score: &mut Score, file: &str, truth: &[Entry], found: Option<Vec<Entry>>, shown: &mut usize) {
    score.documents += 1;
    let Some(found) = found else {
        score.lost += 1;
        return;
    };
    if found.is_empty() {
        score.empty += 1;
        return;
    }
    score.wrong_count += usize::from(found.len() != truth.len());
    for (index, wanted) in truth.iter().enumerate() {
        let Some(entry) = matching(index, wanted, &found, truth.len()) else { continue };
        let mut check = |name: &'static str, right: bool, wanted: &str, got: &str| {
            score.column(name, right);
            if !right && *shown > 0 {
                *shown -= 1;
                println!("{file} [{index}] {name}\n    want {}\n    got  {}", short(wanted), short(got));
            }
        };
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        if wanted.title.is_some() {
            check(
                "title",
                words(&wanted.title) == words(&entry.title),
                &text(&wanted.title),
                &text(&entry.title),
            );
        }
        if wanted.link.is_some() {
            check("link", same_link(&wanted.link, &entry.link), &text(&wanted.link), &text(&entry.link));
        }
        let date = |entry: &Entry| entry.published.or(entry.updated);
        if let Some(time) = date(wanted) {
            check("date", date(entry).is_some(), &time.to_string(), "");
            let right = date(entry) == Some(time);
            check("date equal", right, &time.to_string(), &format!("{:?}", date(entry)));
        }
        if wanted.has_body {
            check("content", entry.has_body, &text(&wanted.body), "");
        }
        let list = |list: &Vec<String>| list.join(" | ");
        if !wanted.tags.is_empty() {
            check("tags", wanted.tags == entry.tags, &list(&wanted.tags), &list(&entry.tags));
        }
        if !wanted.enclosures.is_empty() {
            let held = wanted.enclosures.iter().all(|e| entry.enclosures.contains(e));
            check("enclosures", held, &list(&wanted.enclosures), &list(&entry.enclosures));
        }
        if wanted.body.is_some() {
            check("content words", close(&wanted.body, &entry.body), &text(&wanted.body), &text(&entry.body));
        }
    }
}

fn short(text: &str) -> String {
    text.chars().take(300).collect()
}

/// By position where the counts agree, else by id, link or title.
fn matching<'a>(index: usize, wanted: &Entry, found: &'a [Entry], all: usize) -> Option<&'a Entry> {
    if found.len() == all {
        return found.get(index);
    }
    let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
    found
        .iter()
        .find(|entry| same(&entry.id, &wanted.id))
        .or_else(|| found.iter().find(|entry| same(&entry.link, &wanted.link)))
        .or_else(|| found.iter().find(|entry| same(&entry.title, &wanted.title)))
}

fn words(text: &Option<String>) -> String {
    text.as_deref().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn same_link(a: &Option<String>, b: &Option<String>) -> bool {
    let normal = |link: &Option<String>| {
        let link = link.as_deref().unwrap_or("").trim().to_owned();
        url::Url::parse(&link).map(String::from).unwrap_or(link)
    };
    normal(a) == normal(b)
}

/// Nine tenths of the words: sanitisers differ in what they drop.
fn close(wanted: &Option<String>, found: &Option<String>) -> bool {
    let letters = |text: &Option<String>| -> Vec<String> {
        let text = text.as_deref().unwrap_or("");
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
    };
    let (wanted, found) = (letters(wanted), letters(found));
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    wanted.iter().for_each(|word| *counts.entry(word).or_default() += 1);
    found.iter().for_each(|word| *counts.entry(word).or_default() -= 1);
    let apart: i64 = counts.values().map(|n| n.abs()).sum();
    10 * apart <= i64::try_from(wanted.len() + found.len()).unwrap_or(i64::MAX)
}

fn truth_entry(entry: &Value) -> Entry {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    let time = |name: &str| entry.get(name).and_then(Value::as_i64);
    let list = |name: &str| -> Vec<String> {
        let list = entry.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(|t| t.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    Entry {
        id: text("id"),
        title: text("title"),
        link: text("link"),
        published: time("published"),
        updated: time("updated"),
        body: text("body"),
        has_body: entry.get("has_body").and_then(Value::as_bool).unwrap_or(false),
        tags: list("tags"),
        enclosures: list("enclosures"),
    }
}

fn own_entries(bytes: &[u8]) -> Option<Vec<Entry>> {
    let document = own(bytes).ok()?.document;
    let entry = |item: domain::DocumentItem| {
        let body = item.content.or(item.summary);
        Entry {
            id: item.guid,
            title: item.title,
            link: item.link,
            published: item.published.map(domain::Timestamp::seconds),
            updated: item.updated.map(domain::Timestamp::seconds),
            has_body: body.is_some(),
            body: body.map(|html| html::plain_text(&html, &Limits::default())),
            tags: item.tags,
            enclosures: item.enclosures.into_iter().map(|e| e.url).collect(),
        }
    };
    Some(document.items.into_iter().map(entry).collect())
}

fn feed_rs_entries(bytes: &[u8]) -> Option<Vec<Entry>> {
    let feed = feed_rs::parser::parse(bytes).ok()?;
    let entry = |item: feed_rs::model::Entry| {
        let body = item.content.and_then(|c| c.body).or(item.summary.map(|s| s.content));
        Entry {
            id: Some(item.id),
            title: item.title.map(|t| html::one_line(&t.content, &Limits::default())),
            link: item
                .links
                .iter()
                .find(|l| l.rel.as_deref().is_none_or(|r| r == "alternate"))
                .map(|l| l.href.clone()),
            published: item.published.map(|t| t.timestamp()),
            updated: item.updated.map(|t| t.timestamp()),
            has_body: body.is_some(),
            body: body.map(|html| html::plain_text(&html, &Limits::default())),
            tags: item.categories.into_iter().map(|c| c.term).collect(),
            enclosures: item
                .media
                .into_iter()
                .flat_map(|m| m.content)
                .filter_map(|c| c.url)
                .map(String::from)
                .collect(),
        }
    };
    Some(feed.entries.into_iter().map(entry).collect())
}

fn throughput(samples: &[&Sample], truth: Option<&Truth>) {
    let bytes: usize = samples.iter().map(|sample| sample.bytes.len()).sum();
    let megabytes = bytes as f64 / 1e6;
    let time = |work: &dyn Fn(&[u8])| {
        let best = (0..20).map(|_| {
            let start = Instant::now();
            samples.iter().for_each(|sample| work(&sample.bytes));
            start.elapsed().as_secs_f64()
        });
        megabytes / best.fold(f64::INFINITY, f64::min)
    };
    let own_speed = time(&|bytes| drop(std::hint::black_box(own(bytes))));
    let feed_rs_speed = time(&|bytes| drop(std::hint::black_box(feed_rs::parser::parse(bytes))));
    println!("\nThroughput on {megabytes:.1} MB, best pass of each");
    println!("  own, sanitised  {own_speed:8.1} MB/s");
    println!("  feed-rs         {feed_rs_speed:8.1} MB/s");
    if let Some(truth) = truth {
        let speed = truth.bytes / 1e6 / truth.seconds;
        println!("  feedparser      {speed:8.1} MB/s; own is {:.1} times as fast", own_speed / speed);
    }
}
