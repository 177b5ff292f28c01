//! How fast a million items are indexed and found, against bare Tantivy and SQLite's FTS5, in one run.
//!
//! `[WELLREAD_LAB_DATA=DIR] cargo bench -p search [-- ITEMS [rebuild]]`, 1,000,000 items of about 1 KB by default; with
//! `rebuild` nothing is searched. Run as a test it does a fraction of that and only checks that answers come.

#[path = "search/bare.rs"]
mod bare;
#[path = "search/corpus.rs"]
mod corpus;

use corpus::{Corpus, Dice, FEEDS};
use domain::Timestamp;
use search::{Ask, IdSet, Index, Opened, Order, Query, Scope, Typed};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The allocator of the program itself: what is given back to the system is part of the bar.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MINE: usize = 500;

fn main() {
    let tiny = std::env::args().any(|argument| argument == "--test");
    let given = std::env::args().filter_map(|argument| argument.parse().ok()).next();
    let items: i64 = given.unwrap_or(if tiny { 500 } else { 1_000_000 });
    let corpus = Corpus::load();
    println!("{items} items {}, {FEEDS} feeds, a person with {MINE} of them", corpus.origin);

    let folder = tempfile::tempdir().expect("a temporary folder");
    let ours = measured(|| rebuild(&corpus, items, folder.path()));
    ours.say("rebuild", items);
    println!("  most memory {} MB, the bar is 300 MB", ours.peak_mb);
    let beside = tempfile::tempdir().expect("a temporary folder");
    let bare = measured(|| bare::tantivy(&corpus, items, beside.path()));
    bare.say("bare Tantivy", items);
    println!(
        "  most memory {} MB; we reach {:.2} of its speed by the clock, {:.2} by CPU time, the bar is 0.8",
        bare.peak_mb,
        bare.wall.as_secs_f64() / ours.wall.as_secs_f64(),
        bare.cpu_s / ours.cpu_s
    );
    println!("  on disk {} MB against {} MB", size_mb(folder.path()), size_mb(beside.path()));
    drop(beside);
    if std::env::args().any(|argument| argument == "rebuild") {
        return;
    }

    let mut dice = Dice(11);
    let mut mine: Vec<i64> = (0..FEEDS).collect();
    for nth in 0..MINE {
        let other = nth + dice.below(mine.len() - nth);
        mine.swap(nth, other);
    }
    mine.truncate(MINE);
    let queries: Vec<String> =
        (0..if tiny { 20 } else { 3_000 }).map(|_| corpus.query(items, &mut dice)).collect();
    let Opened { index, mut writer, .. } = Index::open(folder.path()).expect("opens");
    let scope = Scope::Feeds(Arc::new(mine.iter().copied().collect::<IdSet>()));
    let now = Timestamp::from_seconds(1_700_000_000 + items * 30);
    let ask = Ask::new(scope, now);
    for (name, order, live, bar) in [
        ("best 20 of 1-3 words", Order::Best, false, Some(20.0)),
        ("newest 20 of 1-3 words", Order::Newest, false, None),
        ("best 20 while typing", Order::Best, true, None),
    ] {
        let ask = Ask { order, ..ask.clone() };
        let took: Vec<f64> = queries.iter().map(|words| time(&index, words, live, &ask)).collect();
        report(name, took, bar);
    }

    let batch = 50.min(items);
    let mut took = Vec::new();
    for nth in 0..if tiny { 2 } else { 20 } {
        let changed: Vec<_> = (0..batch).map(|at| corpus.item(items + 1 + nth * batch + at)).collect();
        let start = Instant::now();
        writer.follow(&changed).and_then(|()| writer.commit()).expect("followed");
        took.push(start.elapsed().as_secs_f64() * 1_000.0);
    }
    report("50 new items made findable", took, None);

    against_fts5(&corpus, items, &mine, &queries[..queries.len().min(300)], &index, &ask);
}

fn rebuild(corpus: &Corpus, items: i64, folder: &std::path::Path) {
    let Opened { index, mut writer, .. } = Index::open(folder).expect("a new index");
    writer.rebuild(items as u64).expect("begins");
    for first in (1..=items).step_by(500) {
        let batch: Vec<_> = (first..(first + 500).min(items + 1)).map(|id| corpus.item(id)).collect();
        writer.follow(&batch).expect("followed");
        writer.commit_if_due(Instant::now()).expect("committed");
    }
    writer.caught_up().expect("caught up");
    writer.settle().expect("settled");
    assert_eq!(index.items(), items as u64);
}

fn time(index: &Index, words: &str, live: bool, ask: &Ask<'_>) -> f64 {
    // While typing, the last word is not all there.
    let cut = if live {
        words.len() - words.rsplit(' ').next().map_or(0, |last| last.len() / 3)
    } else {
        words.len()
    };
    let start = Instant::now();
    let query = Query::parse(&words[..cut], &Typed { live, ..Typed::default() }).expect("a query");
    let answer = index.search(&query, ask).expect("an answer");
    assert!(!answer.cut, "{words} took too long");
    start.elapsed().as_secs_f64() * 1_000.0
}

fn against_fts5(corpus: &Corpus, items: i64, mine: &[i64], queries: &[String], index: &Index, ask: &Ask<'_>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runs");
    runtime.block_on(async {
        let start = Instant::now();
        let mut fts5 = bare::Fts5::build(corpus, items, mine, folder.path()).await;
        println!("FTS5 built in {:.0} s", start.elapsed().as_secs_f64());
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for words in queries {
            let (took, _) = fts5.ask(words).await;
            theirs.push(took.as_secs_f64() * 1_000.0);
            ours.push(time(index, words, false, ask));
        }
        let theirs = report("FTS5, the same queries", theirs, None);
        let ours = report("ours, the same queries", ours, None);
        println!("  p95 is {:.0} times lower, the bar is 10", theirs / ours);
    });
}

/// Prints percentiles in milliseconds; gives the 95th.
fn report(name: &str, mut took: Vec<f64>, bar_p99: Option<f64>) -> f64 {
    took.sort_by(f64::total_cmp);
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize];
    let bar = bar_p99.map_or(String::new(), |bar| format!(", the bar for p99 is {bar} ms"));
    println!(
        "{name}: p50 {:.2} ms, p95 {:.2} ms, p99 {:.2} ms, longest {:.1} ms{bar}",
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0)
    );
    at(0.95)
}

struct Measured {
    wall: Duration,
    cpu_s: f64,
    peak_mb: u64,
}

impl Measured {
    fn say(&self, name: &str, items: i64) {
        let wall = self.wall.as_secs_f64();
        println!(
            "{name}: {:.0} items/s ({wall:.1} s, {:.1} s of CPU), aim for 8,000",
            items as f64 / wall,
            self.cpu_s
        );
    }
}

fn measured(run: impl FnOnce()) -> Measured {
    // Where the system allows it, the high-water mark of memory starts anew.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let (start, cpu) = (Instant::now(), cpu_s());
    run();
    Measured { wall: start.elapsed(), cpu_s: cpu_s() - cpu, peak_mb: peak_kb() / 1024 }
}

/// CPU time of this process, all threads, where the system tells.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |nth: usize| fields.get(nth).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}

fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

fn size_mb(folder: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(there) if there.is_dir() => size_mb(&entry.path()) << 20,
        Ok(there) => there.len(),
        Err(_) => 0,
    });
    sizes.sum::<u64>() >> 20
}
