//! When next: the one question the planner answers while it runs.
//!
//! Given the last poll, the learned pattern and the price of a poll, [`choose`] looks ahead and takes the time that is best
//! for ever after (`scheduling.md` §8). Intervals under two hours come from a walk that polls when what has accumulated is
//! worth a poll; longer ones from the price policy on the week ([`price`](crate::price)), solved afresh for this feed and
//! scanned from the very time of its last poll, with bursts in mind.
//!
//! What counts is the delay of posts, or, where it is known when people read, posts that are not there when they look:
//! v(t) = (1 − α) + α·û(t) with û the readers' shape scaled to mean one. Without readers, or with α = 0, v is one and the
//! cost is the delay itself.
//!
//! Floors come in as lower bounds, so that the plan knows what it cannot do; `after_poll` applies them once more.

pub(crate) mod ahead;
pub(crate) mod table;
pub(crate) mod terms;

use crate::after::maximum;
use crate::control::typical_price;
use crate::estimate::audience::next_reading;
use crate::estimate::{Population, bursts, count};
use crate::floors::{Floor, own_floor, own_floor_reason, publisher_floor};
use crate::grid::into_week;
use crate::policy::Policy;
use crate::unit::Unit;
use ahead::{Found, Span, scan, walk};
use domain::{Attention, Hints, Planned, PostingRate, Reason, Schedule, Timestamp};
use std::time::Duration;
pub use table::Recall;
use table::{is_fixed, long_run};
use terms::{Terms, days, is_skipped, span};

/// What the planner knows beyond the feed itself.
#[derive(Debug, Clone, Copy)]
pub struct Outlook<'a> {
    /// μ: what a poll must save, in posts times days.
    pub price: f64,
    pub population: &'a Population,
    /// When the feed is read and what its posts are worth, where that is known.
    pub attention: Option<&'a Attention>,
}

impl<'a> Outlook<'a> {
    /// Before anything is known: the price at which a typical feed spends the mean of the budget.
    pub fn typical(population: &'a Population, policy: &Policy) -> Self {
        Outlook { price: typical_price(policy.budget_polls_per_day), population, attention: None }
    }
}

/// A feed as the planner sees it.
#[derive(Debug, Clone, Copy)]
pub struct Learned<'a> {
    pub rate: &'a PostingRate,
    pub hints: &'a Hints,
    /// Our own least time between two polls.
    pub floor: Duration,
    /// What a poll takes beside a usual one.
    pub poll_cost: f64,
}

/// A server without validators sends the whole document every time.
const WHOLE_BODY_COST: f64 = 1.5;

impl<'a> Learned<'a> {
    pub fn of(schedule: &'a Schedule, policy: &Policy) -> Self {
        let whole = schedule.validators.is_empty() && schedule.last_success_at.is_some();
        Learned {
            rate: &schedule.rate,
            hints: &schedule.hints,
            floor: own_floor(schedule, policy),
            poll_cost: if whole { WHOLE_BODY_COST } else { 1.0 },
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// At or after every floor; not after the longest interval unless a floor is.
    pub at: Timestamp,
    pub reason: Reason,
    pub planned: Planned,
}

/// The next poll of a feed that was polled at `now`.
pub fn choose(
    feed: &Learned<'_>,
    now: Timestamp,
    outlook: &Outlook<'_>,
    policy: &Policy,
    dice: Unit,
) -> Choice {
    choose_recalling(feed, now, outlook, policy, dice, &mut Recall::default())
}

/// The same for whoever plans a feed again and again: `recall` belongs to this feed.
pub fn choose_recalling(
    feed: &Learned<'_>,
    now: Timestamp,
    outlook: &Outlook<'_>,
    policy: &Policy,
    dice: Unit,
    recall: &mut Recall,
) -> Choice {
    let longest = maximum(feed.rate, now, policy);
    let terms = Terms::new(feed, longest, now, outlook, policy);
    let floor = floor(feed, now, policy);
    let soonest = days(floor.until.since(now));
    let reach = reach(&terms, now, soonest, days(longest));
    let excess = bursts::excess(feed.rate, &terms.shape, terms.posts_per_day, now);
    let span_of = Span { into_week: into_week(now), soonest, latest: reach.latest, excess };
    let best = |terms: &Terms, recall: &mut Recall| {
        let skipped = |days: f64| is_skipped(feed.hints, now, days, policy);
        best_of(terms, &span_of, recall, now, skipped)
    };
    let found = best(&terms, recall);
    let cycle = long_run(&terms, recall, now);
    let planned = Planned {
        polls_per_day: cycle.polls_per_day,
        price: terms.price,
        demand: cycle.polls_per_day * terms.price.sqrt(),
        fixed: is_fixed(&terms),
        delay_s: cycle.delay_days * 86_400.0,
    };
    let jitter = (found.days * count(policy.jitter_share)).min(days(policy.jitter_most));
    // At a floor there is nothing to spread: feeds come there each in their own time.
    let shaken = if found.held_back { found.days } else { found.days + dice.centred() * jitter };
    let latest = now.saturating_add(span(reach.latest)).min(now.saturating_add(longest)).max(floor.until);
    let at = now.saturating_add(span(shaken)).clamp(floor.until, latest);
    let interval_s = at.since(now).as_secs();
    let reason = if found.held_back {
        floor.reason
    } else if found.pressed && !reach.by_window {
        Reason::Maximum { interval_s }
    } else {
        let moved = terms.value.is_some() && {
            let recall = recall.plain.get_or_insert_default();
            has_moved(&best(&terms.without_attention(), recall), &found)
        };
        Reason::Rate {
            posts_per_day: terms.posts_per_day,
            interval_s,
            busy_hours: busy_hours(feed.rate, &terms),
            reading_at: outlook.attention.filter(|_| moved).and_then(|who| reading_after(who, at)),
            window: found.pressed && reach.by_window,
        }
    };
    Choice { at, reason, planned }
}

fn best_of(
    terms: &Terms,
    span: &Span,
    recall: &mut Recall,
    now: Timestamp,
    skipped: impl Fn(f64) -> bool,
) -> Found {
    if span.latest <= span.soonest {
        // Only one time is allowed; whoever set it decided.
        return Found { days: span.soonest, held_back: true, pressed: true };
    }
    if terms.is_fine() {
        return walk(terms, span);
    }
    match recall.table(terms, now) {
        Some(table) => scan(terms, table, span, skipped),
        None => walk(terms, span),
    }
}

/// The latest time there is, in days, and whether the document's window set it.
struct Reach {
    latest: f64,
    by_window: bool,
}

fn reach(terms: &Terms, now: Timestamp, soonest: f64, longest: f64) -> Reach {
    let full = terms.window_days.map(|window| terms.shape.passing(into_week(now), window));
    match full {
        Some(full) if full < longest => Reach { latest: full.max(soonest), by_window: true },
        _ => Reach { latest: longest.max(soonest), by_window: false },
    }
}

/// Our own floor or the publisher's, whichever is later.
fn floor(feed: &Learned<'_>, now: Timestamp, policy: &Policy) -> Floor {
    let own = Floor { until: now.saturating_add(feed.floor), reason: own_floor_reason(feed.floor) };
    match publisher_floor(feed.hints, Some(now), now, policy) {
        Some(asked) if asked.until > own.until => asked,
        _ => own,
    }
}

/// Below so many posts of its own a feed's hours are the population's, and nothing to tell about it.
const OWN_POSTS_MIN: f64 = 20.0;

fn busy_hours(rate: &PostingRate, terms: &Terms) -> Option<(u8, u8)> {
    let own: f64 = rate.hours.iter().map(|posts| count(f64::from(*posts))).sum();
    if own >= OWN_POSTS_MIN { terms.shape.busy_hours() } else { None }
}

/// Readers decided when without them the poll would be elsewhere by more than ten minutes and a twentieth.
fn has_moved(plain: &Found, found: &Found) -> bool {
    (plain.days - found.days).abs() > (0.05 * found.days).max(10.0 / 1440.0)
}

fn reading_after(attention: &Attention, at: Timestamp) -> Option<Timestamp> {
    next_reading(&attention.hours(), at, Duration::from_secs(86_400))
}

#[cfg(test)]
mod tests;
