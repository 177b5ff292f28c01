//! What more or fewer polls would give: the mean delay of posts at each budget, with today's learned patterns.
//!
//! For each budget the price is sought at which all feeds' plans together make that many polls, floors and longest
//! intervals included; their delays follow. Beside it stands what the same polls would give spread evenly. Expectations
//! under the learned model, not promises: the model is never quite right, and never to its own disadvantage.

use crate::after::maximum;
use crate::control::typical_price;
use crate::estimate::Population;
use crate::live::table::{Recall, long_run};
use crate::live::terms::Terms;
use crate::live::{Learned, Outlook};
use crate::policy::Policy;
use domain::{Attention, Frontier, FrontierPoint, Timestamp};

/// A feed as the frontier sees it.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    pub learned: Learned<'a>,
    pub attention: Option<&'a Attention>,
}

/// Of more feeds, so many speak for all: every n-th.
const FEEDS_MAX: usize = 400;
const BUDGETS_MAX: usize = 32;
/// Plans are solved for all feeds at most so often per budget; the search ends sooner when polls are this near.
const TRIES_MAX: u32 = 8;
const NEAR: f64 = 0.005;
/// How far the price may be from the typical one, as a natural logarithm.
const FAR: f64 = 9.0;

/// The delay at each of these mean polls per feed and day; those that floors do not let come true become the most they
/// do. What is no budget is left out.
pub fn frontier(
    feeds: &[Member<'_>],
    population: &Population,
    budgets: &[f64],
    now: Timestamp,
    policy: &Policy,
) -> Frontier {
    let mut budgets: Vec<f64> = budgets.iter().copied().filter(|b| b.is_finite() && *b > 0.0).collect();
    budgets.sort_by(f64::total_cmp);
    budgets.dedup();
    budgets.truncate(BUDGETS_MAX);
    let mut points = Vec::new();
    if !feeds.is_empty() {
        let taken = feeds.len().min(FEEDS_MAX);
        let mut sample: Vec<(Member<'_>, Recall)> =
            (0..taken).map(|nth| (feeds[nth * feeds.len() / taken], Recall::exact())).collect();
        // Beside the typical price, neighbouring budgets have similar ones.
        let mut log_price = 0.0;
        for budget in budgets {
            let policy = Policy { budget_polls_per_day: budget, ..policy.clone() };
            points.push(point(&mut sample, population, &mut log_price, now, &policy));
        }
    }
    Frontier { made_at: now, feeds: feeds.len() as u64, points }
}

/// What all plans together make at a price.
#[derive(Debug, Clone, Copy)]
struct Whole {
    polls_per_day: f64,
    delay_days: f64,
}

fn point(
    sample: &mut [(Member<'_>, Recall)],
    population: &Population,
    log_price: &mut f64,
    now: Timestamp,
    policy: &Policy,
) -> FrontierPoint {
    let budget = policy.budget_polls_per_day;
    let typical = typical_price(budget);
    let terms: Vec<Terms> = sample
        .iter()
        .map(|(feed, _)| {
            let outlook = Outlook { price: typical, population, attention: feed.attention };
            Terms::new(&feed.learned, maximum(feed.learned.rate, now, policy), now, &outlook, policy)
        })
        .collect();
    let whole = search(budget, log_price, |log_price| {
        let each = terms.iter().zip(sample.iter_mut()).map(|(terms, (_, recall))| {
            let cycle = long_run(&terms.repriced(log_price.exp()), recall, now);
            (terms.posts_per_day, cycle)
        });
        let (mut polls, mut posts, mut late) = (0.0, 0.0, 0.0);
        for (per_day, cycle) in each {
            polls += cycle.polls_per_day;
            posts += per_day;
            late += per_day * cycle.delay_days;
        }
        Whole { polls_per_day: polls / terms.len() as f64, delay_days: late / posts }
    });
    let (mut posts, mut late) = (0.0, 0.0);
    for terms in &terms {
        posts += terms.posts_per_day;
        late += terms.posts_per_day * (1.0 / whole.polls_per_day).max(terms.least_days) / 2.0;
    }
    FrontierPoint {
        polls_per_day: whole.polls_per_day,
        delay_s: whole.delay_days * 86_400.0,
        even_delay_s: late / posts * 86_400.0,
    }
}

/// From `start`, which becomes what was found: the price, as a logarithm beside the typical one, at which the polls are the budget's: steps as if polls went with
/// 1/√price, then by the slope seen, always inside what is known to be too low and too high.
fn search(budget: f64, start: &mut f64, mut at: impl FnMut(f64) -> Whole) -> Whole {
    let (mut low, mut high) = (-FAR, FAR);
    let (mut price, mut slope) = (start.clamp(-FAR, FAR), -0.5);
    let mut nearest = (f64::INFINITY, at(price));
    let mut whole = nearest.1;
    let mut last: Option<(f64, f64)> = None;
    for tries in 1..=TRIES_MAX {
        let error = (whole.polls_per_day / budget).ln();
        if error.abs() < nearest.0 {
            nearest = (error.abs(), whole);
            *start = price;
        }
        if error.is_nan() || error.abs() <= NEAR || high - low < 1e-3 || tries == TRIES_MAX {
            break;
        }
        // Too many polls: the price is too low.
        if error > 0.0 {
            low = price;
        } else {
            high = price;
        }
        if let Some((then, before)) = last
            && price != then
        {
            slope = ((error - before) / (price - then)).clamp(-1.0, -0.02);
        }
        last = Some((price, error));
        let wish = price - error / slope;
        let inside = wish > low && wish < high;
        price = if inside { wish } else { 0.5 * (low + high) };
        whole = at(price);
    }
    nearest.1
}

#[cfg(test)]
mod tests;
