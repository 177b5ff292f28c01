//! How fast plans are made, against the bars of the planner (`scheduling.md` §10 bar 3), on one core.
//!
//! `cargo bench -p plan`. Run as a test it does a fraction of that and only checks that plans come out.

#[path = "planner/live.rs"]
mod live;
#[path = "planner/papers.rs"]
mod papers;

use plan::price::solve;
use plan::{Bounds, Climb, Costs, Grid, Metric, Terms, allocate_with, curve, place};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let tiny = std::env::args().any(|argument| argument == "--test");
    let repeats = if tiny { 1 } else { 200 };
    let mut dice = Dice(3);
    exact(repeats, &mut dice);
    against_the_papers(if tiny { 1 } else { 10 }, if tiny { 96 } else { 1440 }, &mut dice);
    price(if tiny { 5 } else { 10_000 }, &mut dice);
    live::next_polls(if tiny { 20 } else { 10_000 }, &mut dice);
    live::budgets(if tiny { 5 } else { 400 }, &mut dice);
    if let Some(kb) = peak_kb() {
        println!("memory at most so far: {} MB, the bar is 100 MB", kb / 1024);
    }
    joint(if tiny { 20 } else { 10_000 }, &mut dice);
    if let Some(kb) = peak_kb() {
        println!("memory at most, joint allocation included: {} MB", kb / 1024);
    }
}

/// The exact plan against the papers' exhaustive search, both from prefix sums already made.
fn against_the_papers(repeats: usize, slots: usize, dice: &mut Dice) {
    const POLLS: usize = 6;
    let patterns: Vec<Vec<f64>> = (0..repeats).map(|_| pattern(slots, dice)).collect();
    let sums: Vec<papers::Sums> = patterns.iter().map(|posting| papers::Sums::new(posting)).collect();
    let mut searched = Vec::new();
    let theirs = per_item_ms(&sums, |sums| searched.push(papers::exhaustive(sums, POLLS)));
    let costs: Vec<Costs> = patterns
        .iter()
        .filter_map(|posting| Costs::new(Metric::Delay, Grid::day(slots), posting, &[], 1).ok())
        .collect();
    let mut exact = Vec::new();
    let ours = per_item_ms(&costs, |costs| exact.extend(place(costs, POLLS, &Bounds::default())));
    report(&format!("exhaustive search of the papers, N = {slots}, m = {POLLS}"), theirs, None);
    let excess = searched.iter().zip(&exact).map(|(theirs, ours)| theirs / ours.cost).sum::<f64>();
    println!(
        "  exact: {ours:.3} ms, {:.0} times as fast, the bar is 50; theirs cost {:.3} times as much",
        theirs / ours,
        excess / repeats as f64
    );
}

/// The most memory this process has held, where the system tells.
fn peak_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

fn exact(repeats: usize, dice: &mut Dice) {
    for (slots, polls, bar_ms) in [(288, 4, None), (1440, 6, None), (1440, 8, Some(1.5)), (1440, 48, None)] {
        for metric in [Metric::Delay, Metric::AccessDelay] {
            let feeds = feeds(repeats, slots, metric, dice);
            let ms = per_item_ms(&feeds, |costs| {
                black_box(place(costs, polls, &Bounds::default()));
            });
            report(&format!("exact {metric:?}, N = {slots}, m = {polls}"), ms, bar_ms);
        }
    }
    let feeds = feeds(repeats, 288, Metric::Delay, dice);
    let ms = per_item_ms(&feeds, |costs| {
        black_box(curve(costs, 48, &Bounds::default()));
    });
    report("curve 1..48, N = 288", ms, Some(5.0));
}

/// A weekly half-hour grid at prices that mean from a few polls a day to one in two days.
fn price(feeds: usize, dice: &mut Dice) {
    let weekly: Vec<(Costs, f64)> = (0..feeds.min(500))
        .filter_map(|_| {
            let posting: Vec<f64> = (0..7).flat_map(|_| pattern(48, dice)).collect();
            let costs = Costs::new(Metric::Delay, Grid::week(336), &posting, &[], 1).ok()?;
            Some((costs, 0.02 / (dice.unit() + 0.01)))
        })
        .collect();
    let bounds = Bounds::default();
    let mut solved = Vec::new();
    let mut sweeps = 0;
    let ms = per_item_ms(&weekly, |(costs, price)| {
        let found = solve(costs, *price, &bounds, None).ok();
        sweeps += found.as_ref().map_or(0, |found| found.sweeps);
        solved.push(found);
    });
    report("price policy, N = 336, cold", ms, Some(0.4));
    println!("  {} sweeps each", f64::from(sweeps) / weekly.len() as f64);
    let mut nth = 0;
    let ms = per_item_ms(&weekly, |(costs, price)| {
        black_box(solve(costs, price * 1.05, &bounds, solved[nth].as_ref()).ok());
        nth += 1;
    });
    report("price policy, N = 336, warm, price + 5 %", ms, Some(0.15));
    let start = now();
    for nth in 0..feeds {
        let posting = pattern(336, dice);
        if let Ok(costs) = Costs::new(Metric::Delay, Grid::week(336), &posting, &[], 1) {
            black_box(solve(&costs, weekly[nth % weekly.len()].1, &bounds, None).ok());
        }
    }
    report(&format!("price policy for {feeds} feeds, tables and all"), start.elapsed_ms(), Some(2000.0));
}

/// Feeds of very unequal rates share 12 polls a day each; curves are climbed only as far as the price asks.
fn joint(feeds: usize, dice: &mut Dice) {
    let rates: Vec<Vec<f32>> = (0..feeds)
        .map(|_| {
            let level = 0.02 / (dice.unit() + 0.001);
            pattern(288, dice).iter().map(|rate| (rate * level) as f32).collect()
        })
        .collect();
    let mut climbs: Vec<Option<Climb>> = vec![None; feeds];
    let bounds = Bounds::default();
    let terms = vec![Terms { weight: 1.0, poll_cost: 1.0, least: 1, most: 288 }; feeds];
    let start = now();
    let found = allocate_with(&terms, 12.0 * feeds as f64, |feed, polls| {
        let posting: Vec<f64> = rates[feed].iter().copied().map(f64::from).collect();
        let Ok(costs) = Costs::new(Metric::Delay, Grid::day(288), &posting, &[], 1) else {
            return f64::INFINITY;
        };
        let climbed = match &mut climbs[feed] {
            Some(climb) => climb.step(&costs),
            empty => {
                *empty = Climb::to(&costs, polls, &bounds);
                empty.is_some()
            }
        };
        match &mut climbs[feed] {
            Some(climb) if climbed => climb.circle(&costs).cost,
            _ => f64::INFINITY,
        }
    });
    let ms = start.elapsed_ms();
    assert_eq!(found.polls.iter().sum::<usize>(), 12 * feeds);
    report(&format!("joint allocation of {feeds} feeds, N = 288, 12 polls each"), ms, Some(30_000.0));
}

fn feeds(count: usize, slots: usize, metric: Metric, dice: &mut Dice) -> Vec<Costs> {
    (0..count)
        .filter_map(|_| {
            let (posting, attention) = (pattern(slots, dice), pattern(slots, dice));
            Costs::new(metric, Grid::day(slots), &posting, &attention, 1).ok()
        })
        .collect()
}

/// Twenty-four hours of very unequal activity.
fn pattern(slots: usize, dice: &mut Dice) -> Vec<f64> {
    let hours: Vec<f64> = (0..24).map(|_| 0.05 - (1.0 - dice.unit()).ln()).collect();
    (0..slots).map(|slot| hours[slot * 24 / slots]).collect()
}

fn per_item_ms<T>(items: &[T], mut act: impl FnMut(&T)) -> f64 {
    let start = now();
    items.iter().for_each(&mut act);
    start.elapsed_ms() / items.len().max(1) as f64
}

/// Time this thread has run, where the system tells; else the clock. Other people's work then does not count.
struct Stopwatch(Option<u64>, Instant);

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Stopwatch {
    Stopwatch(cpu_ns(), Instant::now())
}

impl Stopwatch {
    fn elapsed_ms(&self) -> f64 {
        match (self.0, cpu_ns()) {
            (Some(start), Some(end)) => (end.saturating_sub(start)) as f64 / 1e6,
            _ => self.1.elapsed().as_secs_f64() * 1e3,
        }
    }
}

fn cpu_ns() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}

fn report(what: &str, ms: f64, bar_ms: Option<f64>) {
    let bar = bar_ms.map_or(String::new(), |bar| format!(", the bar is {bar} ms"));
    println!("{what}: {ms:.3} ms{bar}");
}

struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}
