//! The tables and figures of chapter 4, by name, and what the paper does not ask.

use super::compare::{Agreement, Asked, SOURCES_MIN, hybrid, timed};
use super::cost::{Costs, Counted};
use super::methods::{Exact, Groups, membership};
use super::report::{BuzzExperiment, QueryMs};
use super::svd::{residual, singular_values};
use super::world::World;
use super::{BuzzOptions, recommend, scale, sqlite};
use crate::dice::Dice;
use anyhow::{Context, Result, bail};
use learn::{Factors, NmfOptions, Sparse, factorise};
use rank::buzz::{Ranked, Top};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// What `--experiment` may name.
pub const EXPERIMENTS: [&str; 10] =
    ["personal", "lists", "svd", "by-k", "times", "regions", "borders", "nmf", "scale", "recommend"];

type Rows = Vec<Map<String, Value>>;

/// One experiment; `matrix` is where `nmf` writes the dense region, to be factorised by others.
pub fn experiment(name: &str, options: &BuzzOptions, matrix: Option<&Path>) -> Result<BuzzExperiment> {
    options.check()?;
    if !EXPERIMENTS.contains(&name) {
        bail!("there is no experiment {name}; there are {}", EXPERIMENTS.join(", "));
    }
    options.say("making the world");
    let world = options.world()?;
    let mut axes = None;
    let rows = match name {
        "personal" => personal(options, &world),
        "lists" => lists(options, &world),
        "svd" => svd(options, &world),
        "by-k" => {
            axes = Some(("k", RANK_NAMES.to_vec()));
            by_k(options, &world)
        }
        "times" => times(options, &world)?,
        "regions" => {
            axes = Some(("pairs", vec!["writes"]));
            regions(options, &world)
        }
        "borders" => borders(options, &world),
        "nmf" => nmf(options, &world, matrix)?,
        "recommend" => recommend::rows(options, &world),
        _ => scale::rows(options, &world),
    };
    let notes = world.notes.clone();
    Ok(BuzzExperiment {
        experiment: name.to_owned(),
        users: world.users(),
        sources: world.sources(),
        rows,
        notes,
        axes,
    })
}

pub(crate) fn row(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(row) => row,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// All sources with equal weights.
fn global(world: &World, count: usize) -> Vec<Ranked> {
    let mut sums = vec![0f64; world.keys.len()];
    for source in 0..world.references.rows() {
        world.references.row(source).iter().for_each(|(key, score)| sums[*key as usize] += f64::from(*score));
    }
    let mut top = Top::new(count);
    (0u32..).zip(sums).for_each(|(key, sum)| top.offer(key, sum));
    top.into_vec()
}

fn asked(options: &BuzzOptions, world: &World) -> (Exact, Asked) {
    options.say("filling the exact index");
    let mut exact = Exact::new(world.postings());
    let users = world.most_following(options.readers, SOURCES_MIN);
    let asked = Asked::new(world, &mut exact, &users, options.top, |_| true);
    (exact, asked)
}

/// §4.3.2 and Figure 4.6: how many keys personal lists share with the global one and with each other.
fn personal(options: &BuzzOptions, world: &World) -> Rows {
    let (_, asked) = asked(options, world);
    let sets: Vec<HashSet<u32>> =
        asked.truth.iter().map(|list| list.iter().map(|one| one.key).collect()).collect();
    let all: HashSet<u32> = global(world, options.top).iter().map(|one| one.key).collect();
    let mut with_all = vec![0usize; options.top + 1];
    let mut with_others = vec![0usize; options.top + 1];
    for (nth, own) in sets.iter().enumerate() {
        with_all[own.intersection(&all).count()] += 1;
        sets[nth + 1..].iter().for_each(|other| with_others[own.intersection(other).count()] += 1);
    }
    let total = |counts: &[usize]| counts.iter().sum::<usize>().max(1) as f64;
    let mean = |counts: &[usize]| {
        counts.iter().enumerate().map(|(shared, count)| (shared * count) as f64).sum::<f64>() / total(counts)
    };
    let mut rows = vec![row(json!({
        "users": sets.len(),
        "shared with the global list": mean(&with_all),
        "shared between users": mean(&with_others),
    }))];
    rows.extend((0..=options.top).map(|shared| {
        row(json!({
            "shared": shared,
            "of users": with_all[shared] as f64 / total(&with_all),
            "of pairs": with_others[shared] as f64 / total(&with_others),
        }))
    }));
    rows
}

/// Table 4.1: the global list and those of three users.
fn lists(options: &BuzzOptions, world: &World) -> Rows {
    let (_, asked) = asked(options, world);
    let step = (asked.users.len() / 3).max(1);
    let chosen: Vec<usize> = (0..asked.users.len()).step_by(step).take(3).collect();
    let global = global(world, options.top);
    let name =
        |list: &[Ranked], place: usize| list.get(place).map(|one| world.keys[one.key as usize].clone());
    (0..options.top.min(10))
        .map(|place| {
            let mut line = row(json!({ "place": place + 1, "global": name(&global, place) }));
            for nth in &chosen {
                let user = format!("user {}", asked.users[*nth]);
                line.insert(user, json!(name(&asked.truth[*nth], place)));
            }
            line
        })
        .collect()
}

/// Table 4.2: what SVD and NMF of the same rank leave of the region, and how full their factors are.
fn svd(options: &BuzzOptions, world: &World) -> Rows {
    let region = world.region(options.border(), options.border() as u32);
    let ranks: Vec<usize> = (0..5).map(|nth| (options.rank + 10 * nth).saturating_sub(20).max(1)).collect();
    let values = singular_values(&region.matrix, ranks.iter().copied().max().unwrap_or(1), options.seed);
    let fitted = |rank: usize| {
        options.say(&format!("rank {rank}"));
        let groups = factored(options, &region.matrix, rank, options.l1, options.threads, 30, 5e-4);
        let best = residual(&region.matrix, &values, rank);
        let found = groups.residuals.last().copied().unwrap_or_default();
        let (w, h) = groups.factors.non_zeros();
        row(json!({
            "rank": rank, "norm": region.matrix.norm(), "SVD": best, "NMF": found, "NMF/SVD": found / best,
            "sweeps": groups.residuals.len(), "W non-zero": w, "H non-zero": h,
        }))
    };
    ranks.into_iter().map(fitted).collect()
}

fn factored(
    options: &BuzzOptions,
    x: &Sparse,
    rank: usize,
    l1: f64,
    threads: usize,
    sweeps_max: usize,
    least_gain: f64,
) -> learn::Fit {
    let mut dice = Dice::new(options.seed);
    let start = Factors::seeded(x, rank, || dice.unit());
    factorise(x, start, &NmfOptions { l1, sweeps_max, least_gain, threads })
}

const RANKS: [usize; 4] = [20, 50, 100, 200];
const RANK_NAMES: [&str; 4] = ["rank 20", "rank 50", "rank 100", "rank 200"];

/// Figure 4.8: how much of the exact list NMF finds, by its length and by rank; within the region.
fn by_k(options: &BuzzOptions, world: &World) -> Rows {
    let border = options.border();
    let region = world.region(border, border as u32);
    let within = membership(world, &region);
    let mut exact = Exact::new(world.postings());
    let users = world.most_following(options.readers, SOURCES_MIN.max(border + 1));
    let asked = Asked::new(world, &mut exact, &users, options.top, |source| within[source]);
    let found: Vec<Vec<Vec<Ranked>>> = RANKS
        .iter()
        .map(|rank| {
            options.say(&format!("rank {rank}"));
            let mut groups = Groups::new(world, &region, options, *rank);
            users.iter().map(|user| groups.top_by_threshold(*user, options.top, None).top).collect()
        })
        .collect();
    let mut rows: Rows = (1..=options.top)
        .map(|k| {
            let mut line = row(json!({ "k": k }));
            for (name, lists) in RANK_NAMES.iter().zip(&found) {
                line.insert((*name).to_owned(), json!(Agreement::of(lists, &asked.truth, k).overlap));
            }
            line
        })
        .collect();
    let mut first = row(json!({ "k": "first in list" }));
    for (name, lists) in RANK_NAMES.iter().zip(&found) {
        let found = Agreement::of(lists, &asked.truth, options.top).first_in_list;
        first.insert((*name).to_owned(), json!(found));
    }
    rows.push(first);
    rows
}

/// Table 4.3: time of a question for those who follow most.
fn times(options: &BuzzOptions, world: &World) -> Result<Rows> {
    let (_, whole) = asked(options, world);
    let border = options.border();
    let region = world.region(border, border as u32);
    let mut groups = Groups::new(world, &region, options, options.rank);
    let (_, by_groups) = timed(&whole.users, |user| groups.top_by_threshold(*user, options.top, None));
    options.say("asking SQLite");
    let sqlite = sqlite::ask(world, &whole.users, options.top)?;
    let all = [
        ("otf-sqlite", QueryMs::of(&sqlite.times)),
        ("nmf-ta", QueryMs::of(&by_groups)),
        ("wellread", QueryMs::of(&whole.times)),
    ];
    let slowest = all[0].1.mean;
    let line = |(name, ms): (&str, QueryMs)| {
        row(json!({
            "method": name, "mean ms": ms.mean, "deviation": ms.deviation, "max": ms.max, "min": ms.min,
            "p99": ms.p99, "times as fast": slowest / ms.mean,
        }))
    };
    Ok(all.into_iter().map(line).collect())
}

/// Table 4.4 and Figures 4.9 and 4.10: borders, sizes, writes of a week, and how well the hybrid does then.
fn regions(options: &BuzzOptions, world: &World) -> Rows {
    let (mut exact, whole) = asked(options, world);
    let by_users = [25, 30, 35, 40, 45].map(|sources| (sources, 30));
    let by_readers = [25, 35, 40, 45].map(|readers| (30, readers));
    let mut line = |(sources, readers): (usize, u32)| {
        options.say(&format!("more than {readers} readers, more than {sources} sources"));
        let found = hybrid(options, world, &mut exact, &whole, (sources, readers));
        let agreement = Agreement::of(&found.lists, &whole.truth, options.top);
        let (n, m, pairs) = (found.region.users.len(), found.region.sources.len(), found.region.matrix.len());
        row(json!({
            "readers >": readers, "sources >": sources, "feeds": m, "users": n, "pairs": pairs,
            "filled %": 100.0 * pairs as f64 / (n as f64 * m as f64).max(1.0),
            "writes": found.view_writes + found.group_writes, "of groups": found.group_writes,
            "overlap": agreement.overlap, "deviation": agreement.overlap_deviation,
            "mean ms": QueryMs::of(&found.times).mean,
        }))
    };
    by_users.into_iter().chain(by_readers).map(&mut line).collect()
}

/// The cost model around its best borders and around the paper's.
fn borders(options: &BuzzOptions, world: &World) -> Rows {
    let border = options.border();
    let region = world.region(border, border as u32);
    let mut groups = Groups::new(world, &region, options, options.rank);
    let users = world.most_following(options.readers, SOURCES_MIN.max(border + 1));
    let accesses: usize = users
        .iter()
        .map(|user| groups.top_by_threshold(*user, options.top, None))
        .map(|answer| answer.sorted + answer.random)
        .sum();
    let counted = Counted {
        accesses: accesses as f64 / users.len().max(1) as f64,
        groups: groups.fit.factors.non_zeros().1 * options.rank as f64,
    };
    let costs = Costs::new(world, counted);
    let best = costs.best();
    let mut rows = vec![
        row(json!({ "accesses a question": counted.accesses, "groups a source": counted.groups })),
        row(json!({ "what": "everybody on the fly", "million rows": costs.on_the_fly() / 1e6 })),
    ];
    let line = |what: &'static str| {
        move |at: super::Priced| {
            row(
                json!({ "what": what, "sources": at.sources, "readers": at.readers, "million rows": at.rows / 1e6 }),
            )
        }
    };
    rows.extend(costs.around(best).into_iter().map(line("around the best")));
    rows.extend(
        costs.around(costs.at(super::BORDER, super::BORDER)).into_iter().map(line("around the paper's")),
    );
    rows
}

/// How the factorisation goes: sweeps, penalty, threads, a warm start, somebody new.
fn nmf(options: &BuzzOptions, world: &World, matrix: Option<&Path>) -> Result<Rows> {
    let region = world.region(options.border(), options.border() as u32);
    let x = &region.matrix;
    if let Some(path) = matrix {
        write_matrix(x, path).with_context(|| format!("writing {}", path.display()))?;
    }
    let mut rows = Rows::new();
    let mut run = |what: &str, l1: f64, threads: usize, sweeps: usize| {
        options.say(&format!("{what}, {sweeps} sweeps"));
        let begin = Instant::now();
        let fit = factored(options, x, options.rank, l1, threads, sweeps, -1.0);
        let seconds = begin.elapsed().as_secs_f64();
        let (w, h) = fit.factors.non_zeros();
        rows.push(row(json!({
            "what": what, "threads": threads, "sweeps": sweeps,
            "residual": fit.residuals.last(), "seconds": seconds, "W non-zero": w, "H non-zero": h,
        })));
        fit
    };
    run("no penalty", 0.0, 1, 10);
    run("no penalty", 0.0, 1, 30);
    run("no penalty", 0.0, 2, 10);
    let before = run("penalty .1", 0.1, 1, 30);
    // Two of a hundred subscriptions go, as many come.
    let mut dice = Dice::new(options.seed ^ 1);
    let kept = |user: usize| -> Vec<(u32, f32)> {
        let own = x.row(user);
        let mut row: Vec<(u32, f32)> = own.iter().filter(|_| dice.unit() >= 0.02).copied().collect();
        let gone = own.len() - row.len();
        row.extend((0..gone).map(|_| (dice.below(x.columns()) as u32, 1.0)));
        row
    };
    let now = Sparse::of_rows(x.columns(), (0..x.rows()).map(kept));
    let once = NmfOptions { sweeps_max: 1, ..NmfOptions::default() };
    for sweeps in [1, 2] {
        let options = NmfOptions { sweeps_max: sweeps, ..once };
        let warm = factorise(&now, before.factors.clone(), &options);
        rows.push(row(
            json!({ "what": "warm, 2 % changed", "sweeps": sweeps, "residual": warm.residuals.last() }),
        ));
    }
    let cold = factored(options, &now, options.rank, 0.1, 1, 15, -1.0);
    rows.push(row(json!({ "what": "cold, 2 % changed", "sweeps": 15, "residual": cold.residuals.last() })));
    Ok(rows)
}

/// `row,column,value`, for other programs.
fn write_matrix(x: &Sparse, path: &Path) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(out, "{},{},{}", x.rows(), x.columns(), x.len())?;
    for user in 0..x.rows() {
        for (column, value) in x.row(user) {
            writeln!(out, "{user},{column},{value}")?;
        }
    }
    Ok(out.flush()?)
}
