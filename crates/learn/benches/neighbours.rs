//! How long it takes to find the nearest of 10,000 feeds. The bar is 2 ms.
//!
//! `cargo bench -p learn --bench neighbours`. Feeds have 64 words and 32 pairs of which a few are everybody's; asked are
//! a feed, a text of 60 words and the blend of 300 feeds. Run as a test it does a hundredth of that.

use domain::FeedId;
use learn::{Interest, Neighbours, Summary, Weighted};
use std::time::Instant;
use text::TermId;

const FEEDS: usize = 10_000;
const QUERIES: usize = 500;

fn main() {
    let tiny = std::env::args().any(|argument| argument == "--test");
    let (feeds, queries) = if tiny { (FEEDS / 100, QUERIES / 100) } else { (FEEDS, QUERIES) };
    let mut dice = Dice(7);
    let summaries: Vec<Summary> = (0..feeds).map(|_| summary(&mut dice, 96)).collect();
    let id = |nth: usize| FeedId(i64::try_from(nth).unwrap_or_default());
    let mut known = Neighbours::new(feeds);
    let each = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    let built: Vec<f64> =
        (0..feeds).map(|nth| timed(|| assert!(known.put(id(nth), &summaries[nth])))).collect();
    let again: Vec<f64> =
        (0..feeds).map(|nth| timed(|| assert!(known.put(id(nth), &summaries[feeds - 1 - nth])))).collect();
    println!("{feeds} feeds: put {:.1} µs, replace {:.1} µs", 1e3 * each(&built), 1e3 * each(&again));

    report("nearest 20 of a feed", queries, |nth| Interest::of(&summaries[nth * feeds / queries]), &known);
    let texts: Vec<Summary> = (0..queries).map(|_| summary(&mut dice, 60)).collect();
    report("nearest 20 of a text", queries, |nth| Interest::of(&texts[nth]), &known);
    let blend = |nth: usize| {
        Interest::blend(summaries.iter().skip(nth % feeds).step_by(7).take(300).map(|feed| (feed, 1.0)))
    };
    report("nearest 20 of 300 feeds", queries, blend, &known);
}

fn report(name: &str, queries: usize, ask: impl Fn(usize) -> Interest, known: &Neighbours) {
    let (mut making, mut finding) = (Vec::new(), Vec::new());
    for nth in 0..queries {
        let mut interest = Interest::default();
        making.push(timed(|| interest = ask(nth)));
        finding.push(timed(|| assert!(!known.nearest(&interest, 20, |_| true).is_empty())));
    }
    for times in [&mut making, &mut finding] {
        times.sort_by(f64::total_cmp);
    }
    let at = |times: &[f64], share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{name}: p50 {:.3} ms, p99 {:.3} ms, the bar is 2 ms; making the interest p50 {:.3} ms",
        at(&finding, 0.5),
        at(&finding, 0.99),
        at(&making, 0.5)
    );
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

/// Terms by a law where few are frequent, and those weigh less.
fn summary(dice: &mut Dice, terms: usize) -> Summary {
    let weighted = (0..terms).map(|nth| {
        let number = 200_000f64.powf(dice.unit()) as u64;
        let id = TermId(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) << 1 | u64::from(nth >= 64));
        Weighted {
            id,
            text: format!("t{number}"),
            weight: (1 + number).ilog2().into(),
            count: 1,
            phrase: false,
        }
    });
    Summary::new(20, weighted)
}

struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}
