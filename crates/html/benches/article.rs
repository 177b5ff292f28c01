//! How well and how fast the main article of a page is found: word F1 against the expected text, and time per page.
//!
//! `cargo bench -p html --bench article`. With `WELLREAD_LAB_DATA` set, every page below that folder counts that has its
//! text beside it: `NAME.html` with `NAME.txt`, or a folder with `source.html` and `expected.html`. Without, or where
//! there are none, pages of our own making in several layouts are measured, and said to be that. As a test it runs the
//! made pages once and checks that the text is mostly found.

use domain::Limits;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use url::Url;

struct Page {
    name: String,
    html: String,
    text: String,
}

fn main() {
    let tiny = std::env::args().any(|argument| argument == "--test");
    let folder = std::env::var_os("WELLREAD_LAB_DATA").map(PathBuf::from).filter(|_| !tiny);
    let mut pages = Vec::new();
    if let Some(folder) = &folder {
        collect(folder, &mut pages, 0);
        println!("{} pages with their text below {}", pages.len(), folder.display());
    }
    if pages.is_empty() {
        pages = made(if tiny { 2 } else { 20 });
        println!("{} pages of our own making", pages.len());
    }
    let (mut scores, mut times) = (Vec::new(), Vec::new());
    for page in &pages {
        let (score, took) = measure(page);
        if score < 0.5 {
            println!("  {:.2} {}", score, page.name);
        }
        scores.push(score);
        times.push(took);
    }
    times.sort_unstable();
    let at = |share: usize| {
        times.get((times.len() * share / 100).min(times.len() - 1)).copied().unwrap_or_default()
    };
    let mean = scores.iter().sum::<f64>() / f64::from(u32::try_from(scores.len()).unwrap_or(1));
    println!("word F1 {mean:.3}; median {:?}, p95 {:?}, max {:?}", at(50), at(95), at(100));
    assert!(folder.is_some() || mean > 0.8, "the article is mostly found");
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn measure(page: &Page) -> (f64, Duration) {
    let base = Url::parse("https://site.test/a/b").expect("an address");
    let start = Instant::now();
    let found = html::article(&page.html, &base, &Limits::default());
    let took = start.elapsed();
    (f1(&found.map(|article| article.text).unwrap_or_default(), &page.text), took)
}

/// The harmonic mean of precision and recall over words, each counted as often as it stands there.
fn f1(found: &str, expected: &str) -> f64 {
    let count = |text: &str| {
        let mut words: HashMap<String, u32> = HashMap::new();
        let pieces = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        pieces.for_each(|word| *words.entry(word.to_lowercase()).or_default() += 1);
        words
    };
    let (found, expected) = (count(found), count(expected));
    let total = |words: &HashMap<String, u32>| f64::from(words.values().sum::<u32>());
    let common: u32 = found.iter().map(|(word, n)| (*n).min(expected.get(word).copied().unwrap_or(0))).sum();
    if common == 0 {
        return 0.0;
    }
    let (precision, recall) = (f64::from(common) / total(&found), f64::from(common) / total(&expected));
    2.0 * precision * recall / (precision + recall)
}

fn collect(folder: &Path, pages: &mut Vec<Page>, depth: usize) {
    const PAGES_MAX: usize = 5_000;
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if pages.len() >= PAGES_MAX {
            return;
        }
        if path.is_dir() {
            if depth < 8 {
                collect(&path, pages, depth + 1);
            }
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "html") {
            continue;
        }
        let read =
            |path: &Path| std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let expected = if path.file_name().is_some_and(|name| name == "source.html") {
            read(&path.with_file_name("expected.html"))
                .map(|html| html::plain_text(&html, &Limits::default()))
        } else {
            read(&path.with_extension("txt"))
        };
        if let (Some(html), Some(text)) = (read(&path), expected) {
            pages.push(Page { name: path.display().to_string(), html, text });
        }
    }
}

/// Pages in the layouts that sites really have, around a text that is known.
fn made(each: usize) -> Vec<Page> {
    let menu: String = (0..40).map(|n| format!("<li><a href=/m/{n}>Section {n}</a></li>")).collect();
    let side: String = (0..15)
        .map(|n| {
            format!(
                "<div class=teaser><a href=/t/{n}>Another headline {n} you may like</a><p>Read on.</p></div>"
            )
        })
        .collect();
    let comments: String = (0..30)
        .map(|n| {
            format!("<div class=comment><b>Reader {n}</b><p>I agree with number {n}, more or less.</p></div>")
        })
        .collect();
    let mut pages = Vec::new();
    for nth in 0..each {
        let paragraphs = 4 + nth * 3;
        let (mut body, mut text) = (String::new(), String::new());
        for p in 0..paragraphs {
            let line = format!(
                "In part {p} of report {nth} the river rose, slowly at first, and the keepers of the lock counted every \
                 boat that passed, noting its name, its load and, where they could, the weather it had come through."
            );
            body.push_str(&format!("<p>{line}</p>"));
            if p % 5 == 2 {
                body.push_str("<div class='ad-slot advertisement'><a href=/buy>Buy now</a></div><figure><img src=/x.jpg></figure>");
            }
            text.push_str(&line);
            text.push('\n');
        }
        let layouts = [
            (
                "article",
                format!(
                    "<header><ul>{menu}</ul></header><main><article><h1>Report {nth}</h1>{body}</article></main><aside>{side}</aside><section id=comments>{comments}</section>"
                ),
            ),
            (
                "div",
                format!(
                    "<div id=nav><ul>{menu}</ul></div><div id=page><div class='post-body entry-content'>{body}</div><div class=sidebar>{side}</div><div id=disqus_thread>{comments}</div></div>"
                ),
            ),
            (
                "table",
                format!(
                    "<table><tr><td><ul>{menu}</ul></td><td class=content>{body}</td><td>{side}</td></tr></table>"
                ),
            ),
            (
                "section",
                format!(
                    "<nav>{menu}</nav><div><div><section role=main><div class=text>{body}</div></section></div></div><footer>{side}</footer>"
                ),
            ),
        ];
        for (layout, html) in layouts {
            let html = format!(
                "<!doctype html><html><head><title>Report {nth}</title></head><body>{html}</body></html>"
            );
            pages.push(Page { name: format!("{layout} {nth}"), html, text: text.clone() });
        }
    }
    pages
}
