//! The figures and tables of 004, by name: `lab profiles --experiment NAME`.
//!
//! | name | of the paper |
//! |---|---|
//! | `cohesion` | figure 2, and what the window does to it |
//! | `rates` | figure 3, eq. 5 as printed and what replaces it |
//! | `beta` | figures 5 and 6, off-line |
//! | `window` | figure 7, on-line |
//! | `similarity` | figure 8, table 2 |
//! | `budget` | figure 9, all policies |
//! | `window-many` | figure 10 |
//! | `beta-many` | figure 11 |
//! | `refinement` | figure 12 |
//! | `topics` | table 1: how long the top ten terms of a channel stay |
//! | `mirrors` | reference 4.5: value of a post, with and without planted mirrors |
//! | `learnt-beta` | §8: β learnt per channel to meet a stated quality |

use super::articles::{Articles, read_articles};
use super::corpus::{Channel, Corpus};
use super::mirrors::{first_copies, planted};
use super::pairs::{likeness, planted_parts};
use super::policies::{POLICIES, Rules, monitor, percentile, spearman};
use super::report::{ExperimentReport, PolicyRow, steps};
use super::single::{Estimator, Outcome, online, stream, uniform};
use super::{Monitored, ProfilesOptions};
use anyhow::{Result, bail};
use learn::{Beta, Window};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

pub const EXPERIMENTS: [&str; 12] = [
    "cohesion",
    "rates",
    "beta",
    "window",
    "similarity",
    "budget",
    "window-many",
    "beta-many",
    "refinement",
    "topics",
    "mirrors",
    "learnt-beta",
];

const BETAS: [f64; 7] = [-0.5, -0.25, 0.0, 0.1, 0.25, 0.5, 1.0];
const WINDOWS: [usize; 5] = [5, 10, 20, 40, 80];
const BUDGETS: [f64; 7] = [1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 16.0];
const FOUR: [&str; 4] = ["free-fair", "free-greedy", "content-fair", "content-greedy"];
const DAY_S: i64 = 86_400;
const MIRRORED: f64 = 0.3;

type Rows = Vec<Map<String, Value>>;

pub fn experiment(name: &str, options: &ProfilesOptions) -> Result<ExperimentReport> {
    options.check()?;
    if !EXPERIMENTS.contains(&name) {
        bail!("there is no experiment {name:?}; there are {}", EXPERIMENTS.join(", "));
    }
    let articles = read_articles(&options.articles)?;
    let corpus = match name {
        "similarity" | "mirrors" => Corpus::with_stories(&articles)?,
        _ => Corpus::of(&articles)?,
    };
    let rules = options.rules();
    let rows = match name {
        "cohesion" => cohesion(&corpus),
        "rates" => rates(&corpus, &rules),
        "beta" => beta(&corpus, &rules),
        "window" => window(&corpus, &rules),
        "similarity" => similarity(&corpus, &rules),
        "budget" => budgets(&corpus, &rules, &with_variants(), &BUDGETS)?,
        "window-many" => windows(&corpus, &rules)?,
        "beta-many" => betas(&corpus, &rules)?,
        "refinement" => refinement(&corpus, &rules)?,
        "topics" => topics(&corpus, &rules),
        "mirrors" => mirrors(&corpus, &rules),
        _ => learnt_beta(&corpus, &rules),
    };
    Ok(report(name, &articles, &corpus, rows))
}

fn report(name: &str, articles: &Articles, corpus: &Corpus, rows: Rows) -> ExperimentReport {
    ExperimentReport {
        experiment: name.to_owned(),
        channels: corpus.channels.len(),
        items: articles.all.len(),
        skipped_lines: articles.skipped_lines,
        rows,
        notes: articles.notes.clone(),
    }
}

fn row(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(row) => row,
        _ => Map::new(),
    }
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

fn cohesion(corpus: &Corpus) -> Rows {
    let of = |window: usize| {
        let all: Vec<_> = corpus.channels.iter().map(|channel| steps(corpus, channel, window)).collect();
        let means: Vec<f64> = all.iter().filter_map(learn::Cohesion::mean).collect();
        let changes: Vec<f64> = all.iter().filter_map(|steps| steps.change(window)).collect();
        let shares: Vec<f64> = (0..=20).map(|nth| percentile(&means, f64::from(nth) / 20.0)).collect();
        row(json!({
            "window": window, "mean": mean(means.iter().copied()), "unrelated_items": (window - 1) as f64 / window as f64,
            "change_mean": mean(changes.iter().copied()), "change_p5": percentile(&changes, 0.05),
            "change_p95": percentile(&changes, 0.95), "twentieths": shares,
        }))
    };
    [5, 10, 20, 50].map(of).into()
}

fn truth(corpus: &Corpus) -> Vec<f64> {
    corpus.channels.iter().map(|channel| channel.posts.len() as f64 / corpus.hours()).collect()
}

fn rates(corpus: &Corpus, rules: &Rules) -> Rows {
    let truth = truth(corpus);
    let busiest =
        (0..truth.len()).max_by(|one, other| truth[*one].total_cmp(&truth[*other])).unwrap_or_default();
    Estimator::ALL
        .iter()
        .map(|(estimator, name)| {
            let learnt: Vec<_> = corpus
                .channels
                .iter()
                .map(|channel| online(corpus, channel, rules, *estimator, false, &mut Beta::Fixed(rules.beta)))
                .collect();
            let found: Vec<f64> = learnt.iter().map(|learnt| learnt.per_hour).collect();
            let errors: Vec<f64> =
                found.iter().zip(&truth).map(|(found, truth)| (found.max(1e-9) / truth).log2().abs()).collect();
            let silent = learnt.iter().filter(|learnt| learnt.outcome.last_interval_hours > 336.0).count();
            row(json!({
                "estimator": name, "probes": learnt.iter().map(|learnt| learnt.outcome.probes).sum::<u64>(),
                "quality": mean(learnt.iter().map(|learnt| learnt.outcome.quality)),
                "silent_share": silent as f64 / learnt.len().max(1) as f64, "spearman": spearman(&found, &truth),
                "median_log2_error": percentile(&errors, 0.5),
                "points": truth.iter().zip(&found).map(|(truth, found)| [*truth, *found]).collect::<Vec<_>>(),
                "busiest": { "true_rate": truth[busiest], "curve": learnt[busiest].curve },
            }))
        })
        .collect()
}

/// Uniform probing at the rate of novel items, against all items, against the same number of probes spread otherwise.
fn beta(corpus: &Corpus, rules: &Rules) -> Rows {
    let truth = truth(corpus);
    let streams: Vec<_> =
        corpus.channels.iter().map(|channel| stream(corpus, channel, rules.window)).collect();
    let at = |rates: &[f64]| -> Vec<Outcome> {
        corpus
            .channels
            .iter()
            .zip(rates)
            .map(|(channel, rate)| uniform(corpus, channel, rules, *rate))
            .collect()
    };
    let quality = |outcomes: &[Outcome]| mean(outcomes.iter().map(|outcome| outcome.quality));
    let probes = |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.probes).sum::<u64>();
    let free = at(&truth);
    let roots: Vec<f64> = truth.iter().map(|rate| rate.sqrt()).collect();
    let changing: Vec<f64> = truth
        .iter()
        .zip(&streams)
        .map(|(rate, (_, cohesion))| (rate * cohesion.expected_change(rules.window)).sqrt())
        .collect();
    let scaled = |rates: &[f64], total: f64| -> Vec<f64> {
        let sum: f64 = rates.iter().sum();
        rates.iter().map(|rate| rate * total / sum).collect()
    };
    let mut rows: Rows = BETAS
        .iter()
        .map(|beta| {
            let novel: Vec<f64> = streams
                .iter()
                .map(|(all, cohesion)| {
                    let threshold = cohesion.threshold(*beta);
                    all.iter().filter(|step| **step < threshold).count() as f64 / corpus.hours()
                })
                .collect();
            let total: f64 = novel.iter().sum();
            let content = at(&novel);
            let losses = free
                .iter()
                .zip(&content)
                .map(|(free, content)| 1.0 - content.quality / free.quality.max(1e-9));
            let qualities: Vec<f64> = content.iter().map(|outcome| outcome.quality).collect();
            row(json!({
                "beta": beta, "passed": total / truth.iter().sum::<f64>(), "quality": quality(&content),
                "quality_p2": percentile(&qualities, 0.02), "probes": probes(&content), "loss": mean(losses),
                "gain": probes(&free) as f64 / probes(&content).max(1) as f64 - 1.0,
                "quality_all_thinned": quality(&at(&scaled(&truth, total))),
                "quality_root_rate": quality(&at(&scaled(&roots, total))),
                "quality_root_rate_change": quality(&at(&scaled(&changing, total))),
            }))
        })
        .collect();
    let share = 0.4 * truth.iter().sum::<f64>();
    let forty = at(&scaled(&changing, share));
    rows.push(row(json!({
        "rate": "all items", "quality": quality(&free), "probes": probes(&free),
        "quality_root_rate_change_at_40_percent": quality(&forty), "probes_at_40_percent": probes(&forty),
    })));
    rows
}

fn window(corpus: &Corpus, rules: &Rules) -> Rows {
    let mut rows = Rows::new();
    for (estimator, name) in [Estimator::ALL[1], Estimator::ALL[3]] {
        for window in WINDOWS {
            let rules = Rules { window, beta: 0.1, ..rules.clone() };
            let run = |content: bool| -> (f64, u64) {
                let each = |channel: &Channel| {
                    online(corpus, channel, &rules, estimator, content, &mut Beta::Fixed(rules.beta)).outcome
                };
                let all: Vec<Outcome> = corpus.channels.iter().map(each).collect();
                (
                    mean(all.iter().map(|outcome| outcome.quality)),
                    all.iter().map(|outcome| outcome.probes).sum(),
                )
            };
            let (free, content) = (run(false), run(true));
            rows.push(row(json!({
                "estimator": name, "window": window, "quality_free": free.0, "quality_content": content.0,
                "loss": 1.0 - content.0 / free.0.max(1e-9), "probes_free": free.1, "probes_content": content.1,
                "gain": free.1 as f64 / content.1.max(1) as f64 - 1.0,
            })));
        }
    }
    rows
}

fn similarity(corpus: &Corpus, rules: &Rules) -> Rows {
    let all = likeness(corpus, rules.window);
    let mut pairs: Vec<f64> = Vec::new();
    for (nth, row) in all.iter().enumerate() {
        pairs.extend(&row[..nth]);
    }
    pairs.sort_by(|one, other| other.total_cmp(one));
    // Groups of like channels side by side, as in figure 8: the matrix in tenths of all channels.
    let cells = 12;
    let place = |nth: usize| nth * cells / all.len().max(1);
    let mut grid = vec![vec![(0.0, 0u32); cells]; cells];
    for (one, row) in all.iter().enumerate() {
        for (other, alike) in row.iter().enumerate().filter(|(other, _)| *other != one) {
            let cell = &mut grid[place(one)][place(other)];
            *cell = (cell.0 + alike, cell.1 + 1);
        }
    }
    let grid: Vec<Vec<f64>> = grid
        .iter()
        .map(|row| row.iter().map(|(sum, count)| sum / f64::from((*count).max(1))).collect())
        .collect();
    let (parts, mirrors) = planted_parts(corpus, &all, rules.seed);
    let top: Vec<f64> = pairs.iter().take(8).copied().collect();
    vec![row(json!({
        "pairs": pairs.len(), "mean": mean(pairs.iter().copied()), "p50": percentile(&pairs, 0.5),
        "p99": percentile(&pairs, 0.99), "top": top, "above_0_2": pairs.iter().filter(|alike| **alike > 0.2).count(),
        "grid": grid,
        "parts_planted": parts.planted, "parts_told": parts.right, "mirrors_planted": mirrors.planted,
        "mirrors_told": mirrors.right, "other_pairs": parts.pairs, "other_pairs_said_to_contain": parts.wrong,
    }))]
}

fn with_variants() -> Vec<&'static str> {
    POLICIES.iter().copied().chain(["wellread-blind", "index"]).collect()
}

fn policy_row(name: &str, outcome: &Monitored, corpus: &Corpus, more: Value) -> Map<String, Value> {
    let mut out = row(serde_json::to_value(PolicyRow::new(name, outcome, corpus)).unwrap_or_default());
    out.extend(row(more));
    out
}

fn budgets(corpus: &Corpus, rules: &Rules, names: &[&str], budgets: &[f64]) -> Result<Rows> {
    let mut rows = Rows::new();
    for budget in budgets {
        let rules = Rules { budget: *budget, ..rules.clone() };
        for name in names {
            rows.push(policy_row(name, &monitor(corpus, name, &rules)?, corpus, json!({ "budget": budget })));
        }
    }
    Ok(rows)
}

fn windows(corpus: &Corpus, rules: &Rules) -> Result<Rows> {
    let mut rows = Rows::new();
    for window in WINDOWS {
        let rules = Rules { budget: 6.0, window, beta: 0.0, ..rules.clone() };
        for name in FOUR.iter().chain(&["round-robin", "wellread"]) {
            rows.push(policy_row(name, &monitor(corpus, name, &rules)?, corpus, json!({ "window": window })));
        }
    }
    Ok(rows)
}

fn betas(corpus: &Corpus, rules: &Rules) -> Result<Rows> {
    let mut rows = Rows::new();
    for beta in BETAS {
        let rules = Rules { budget: 6.0, beta, ..rules.clone() };
        for name in ["content-fair", "content-greedy"] {
            rows.push(policy_row(name, &monitor(corpus, name, &rules)?, corpus, json!({ "beta": beta })));
        }
    }
    for name in ["free-fair", "free-greedy", "round-robin", "wellread"] {
        let rules = Rules { budget: 6.0, ..rules.clone() };
        rows.push(policy_row(name, &monitor(corpus, name, &rules)?, corpus, json!({ "beta": Value::Null })));
    }
    Ok(rows)
}

fn refinement(corpus: &Corpus, rules: &Rules) -> Result<Rows> {
    let mut rows = Rows::new();
    for beta in [0.2, 0.0] {
        for budget in [4.0, 6.0, 8.0] {
            let rules = Rules { budget, beta, ..rules.clone() };
            for name in ["content-fair", "content-fair-refined", "round-robin", "wellread"] {
                let more = json!({ "budget": budget, "beta": beta });
                rows.push(policy_row(name, &monitor(corpus, name, &rules)?, corpus, more));
            }
        }
    }
    Ok(rows)
}

/// How many of a channel's top ten terms are still there the next day, and a week later; and the terms of the channel
/// that changes most, for whoever has the data.
fn topics(corpus: &Corpus, rules: &Rules) -> Rows {
    let mut next_day = Vec::new();
    let mut next_week = Vec::new();
    let mut turning: Option<(f64, usize, Vec<Vec<u64>>)> = None;
    for (nth, channel) in corpus.channels.iter().enumerate() {
        let days = tops(corpus, channel, rules.window);
        let kept = |apart: usize| -> Vec<f64> {
            days.windows(apart + 1)
                .filter(|pair| pair[0].len() == 10)
                .map(|pair| {
                    let old: HashSet<&u64> = pair[0].iter().collect();
                    pair[apart].iter().filter(|term| old.contains(term)).count() as f64 / 10.0
                })
                .collect()
        };
        let (day, week) = (kept(1), kept(7));
        next_day.extend(&day);
        next_week.extend(&week);
        // Ten days of which the eighth brings something else, as in the paper.
        for (at, ten) in days.windows(10).enumerate() {
            let calm = day.get(at..at + 7).map_or(0.0, |days| mean(days.iter().copied()));
            let turn = day.get(at + 7).map_or(0.0, |kept| 1.0 - kept);
            if turning.as_ref().is_none_or(|(best, ..)| calm * turn > *best) {
                turning = Some((calm * turn, nth, ten.to_vec()));
            }
        }
    }
    let twentieths =
        |values: &[f64]| (0..=10).map(|nth| percentile(values, f64::from(nth) / 10.0)).collect::<Vec<_>>();
    let mut rows = vec![row(json!({
        "kept_next_day": mean(next_day.iter().copied()), "kept_next_week": mean(next_week.iter().copied()),
        "next_day_tenths": twentieths(&next_day), "next_week_tenths": twentieths(&next_week),
    }))];
    if let Some((_, nth, days)) = turning {
        let name =
            |term: &u64| usize::try_from(*term).ok().and_then(|place| corpus.surfaces.get(place)).cloned();
        for (day, terms) in days.iter().enumerate() {
            let words: Vec<String> = terms.iter().filter_map(name).collect();
            rows.push(row(
                json!({ "source": corpus.channels[nth].source, "day": day + 1, "terms": words.join(", ") }),
            ));
        }
    }
    rows
}

/// The heaviest ten terms at the end of each day.
fn tops(corpus: &Corpus, channel: &Channel, window: usize) -> Vec<Vec<u64>> {
    let mut profile = Window::new(window);
    let mut out = 0;
    let mut days = Vec::new();
    let mut at = corpus.begin + DAY_S;
    while at <= corpus.end {
        let idf = &corpus.idf[corpus.idf_at(at)];
        while let Some(post) = channel.posts.get(out).filter(|post| post.at <= at) {
            profile.push(&post.bag, idf);
            out += 1;
        }
        let mut all: Vec<(f64, u64)> = profile.terms().map(|(term, _, weight)| (weight, term.0)).collect();
        all.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        days.push(all.into_iter().take(10).map(|(_, term)| term).collect());
        at += DAY_S;
    }
    days
}

fn mirrors(corpus: &Corpus, rules: &Rules) -> Rows {
    let mirrored = planted(corpus, MIRRORED, rules.seed);
    let mut rows = Rows::new();
    for budget in [4.0, 8.0] {
        let rules = Rules { budget, ..rules.clone() };
        for (name, channels) in [("planted mirrors", &mirrored), ("as they are", &corpus.channels)] {
            let (plain, valued) = (
                first_copies(channels, corpus.begin, corpus.end, &rules, false),
                first_copies(channels, corpus.begin, corpus.end, &rules, true),
            );
            rows.push(row(json!({
                "feeds": name, "budget": budget, "median_hours": plain.median_hours,
                "median_hours_with_value": valued.median_hours, "median_ratio": valued.median_hours / plain.median_hours,
                "lost": plain.lost, "lost_with_value": valued.lost,
                "probes": plain.probes, "probes_with_value": valued.probes,
            })));
        }
    }
    rows
}

/// Each channel polled at the rate of its novel items, with a β that it learns for itself.
fn learnt_beta(corpus: &Corpus, rules: &Rules) -> Rows {
    let of = |name: String, asked: Option<f64>, start: Beta| {
        let mut shares = Vec::new();
        let all: Vec<Outcome> = corpus
            .channels
            .iter()
            .map(|channel| {
                let mut beta = start;
                let learnt = online(corpus, channel, rules, Estimator::GammaPoisson, true, &mut beta);
                shares.push(beta.value());
                learnt.outcome
            })
            .collect();
        let qualities: Vec<f64> = all.iter().map(|outcome| outcome.quality).collect();
        row(json!({
            "beta": name, "asked": asked, "quality": mean(qualities.iter().copied()), "quality_p5": percentile(&qualities, 0.05),
            "probes": all.iter().map(|outcome| outcome.probes).sum::<u64>(),
            "beta_p5": percentile(&shares, 0.05), "beta_p95": percentile(&shares, 0.95),
        }))
    };
    let fixed = [0.0, 0.1, 0.25].map(|beta| of(format!("fixed {beta}"), None, Beta::Fixed(beta)));
    let learnt =
        [0.9, 0.95, 0.97].map(|quality| of("learnt".to_owned(), Some(quality), Beta::learnt(quality)));
    fixed.into_iter().chain(learnt).collect()
}
