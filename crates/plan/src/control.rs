//! The price of a poll: moved until the polls used are the polls allowed.
//!
//! Where the price decides, a feed's polls go with 1/√μ, so each plan says what it asks of the budget as polls · √price, a
//! number that hardly depends on the price it was made at. Their sum S gives the price at once: μ = (S / (M − F))², with M
//! the polls allowed and F those that floors and longest intervals ask for at any price. What the model gets wrong (polls
//! on demand, failures, drifting rates) a correction learns from whole weeks of use: days differ too much
//! (`scheduling.md` §6).

use crate::floors::leave_skip_window;
use crate::live::{Choice, Learned, Outlook, choose};
use crate::policy::Policy;
use crate::unit::Unit;
use domain::{PriceMemory, Reason, Schedule, Timestamp};
use std::time::Duration;

/// What all feeds that are polled ask of the budget together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    pub feeds: u64,
    /// Feeds with a plan.
    pub planned: u64,
    /// Σ [`domain::Planned::demand`] of feeds whose polls the price decides.
    pub demand: f64,
    /// Σ of polls per day of the others.
    pub fixed_polls_per_day: f64,
}

/// What a typical feed posts: with the price made for it, it spends the mean of the budget.
const TYPICAL_POSTS_PER_DAY: f64 = 2.0;
/// The price stays within this factor of the typical one: a hundredfold interval, either way.
const PRICE_BAND: f64 = 1e4;
/// At least this share of the budget is taken to be the price's to give.
const FREE_SHARE_MIN: f64 = 0.05;
/// With fewer feeds planned the others are taken to ask for as much each; above, less and less so, because those that
/// never get a plan are those that never answer.
const PLANNED_SHARE: f64 = 0.6;
/// Prices further apart than this (natural logarithm) call for planning everything again.
const REPLAN_BEYOND: f64 = 0.4;

const WEEK: Duration = Duration::from_secs(7 * 86_400);
/// Nothing is known of how a longer gap was spent: a machine that slept, a clock that jumped.
const GAP_MAX: Duration = Duration::from_secs(86_400);
/// A week with fewer polls allowed teaches nothing.
const WEEK_POLLS_MIN: f64 = 50.0;
const CORRECTION_MAX: f64 = 5.0;

/// The price at which a steady feed of two posts a day is polled as often as the budget's mean (002 §3.1: T = √(2μ/λ)).
pub fn typical_price(budget_polls_per_day: f64) -> f64 {
    let budget = sane_budget(budget_polls_per_day);
    TYPICAL_POSTS_PER_DAY / (2.0 * budget * budget)
}

/// Polls per feed and day as anybody could mean them.
pub(crate) fn sane_budget(polls_per_day: f64) -> f64 {
    if polls_per_day.is_nan() { 1.0 } else { polls_per_day.clamp(0.01, 1e6) }
}

/// The price for `polls_per_day` polls of all feeds together. Always finite and above zero.
pub fn price(totals: &Totals, polls_per_day: f64, memory: &PriceMemory) -> f64 {
    let feeds = totals.feeds.max(1) as f64;
    let mean = sane_budget(polls_per_day / feeds);
    let allowed = mean * feeds;
    let typical = typical_price(mean);
    let correction = sane_correction(memory.correction);
    let planned = (totals.planned as f64).min(feeds);
    let sane = |sum: f64| if sum.is_finite() { sum.max(0.0) } else { 0.0 };
    let (demand, fixed) = (sane(totals.demand), sane(totals.fixed_polls_per_day));
    if planned == 0.0 || demand + fixed == 0.0 {
        return correction * typical;
    }
    let unplanned = ((1.0 - planned / feeds) / (1.0 - PLANNED_SHARE)).min(1.0);
    let scale = 1.0 + unplanned * (feeds / planned - 1.0);
    let free = allowed - fixed * scale;
    let root = demand * scale / free.max(FREE_SHARE_MIN * allowed);
    let mut price = correction * root * root;
    if free < FREE_SHARE_MIN * allowed {
        // Floors alone would spend it all. They were found at a price that was too low, or the price cannot help: the
        // typical one tells which.
        price = price.max(correction * typical);
    }
    price.clamp(typical / PRICE_BAND, typical * PRICE_BAND)
}

/// Whether a price has moved so far that plans made at the other one should be made again.
pub fn calls_for_replanning(planned_at: f64, price: f64) -> bool {
    let moved = (price / planned_at).ln().abs();
    moved.is_nan() || moved > REPLAN_BEYOND
}

/// The memory after `used` polls since it was last told, while `allowed_per_day` were allowed. Once a week of use is
/// complete the correction learns from it. Gaps of more than a day, and clocks that go back, count for nothing.
pub fn count(memory: &PriceMemory, now: Timestamp, used: f64, allowed_per_day: f64) -> PriceMemory {
    let mut next = pass_over(memory, now);
    let (Some(since), Some(started)) = (memory.counted_until, memory.week_started_at) else { return next };
    let gap = now.since(since);
    if now < since || gap > GAP_MAX {
        return next;
    }
    let fair = |value: f64| if value.is_finite() { value.clamp(0.0, 1e12) } else { 0.0 };
    next.week_started_at = Some(started);
    next.used = fair(memory.used) + fair(used);
    next.allowed = fair(memory.allowed) + fair(allowed_per_day) * gap.as_secs_f64() / 86_400.0;
    if now.since(started) >= WEEK {
        if next.allowed >= WEEK_POLLS_MIN {
            // Polls go with 1/√price: the whole ratio corrects half of the error, and half of what is left next week.
            next.correction = sane_correction(next.correction * (next.used / next.allowed).clamp(0.25, 4.0));
        }
        (next.used, next.allowed, next.week_started_at) = (0.0, 0.0, Some(now));
    }
    next
}

/// Moves on to `now` without counting: crawling is halted, or nothing is known of the time since.
pub fn pass_over(memory: &PriceMemory, now: Timestamp) -> PriceMemory {
    let mut next = *memory;
    next.correction = sane_correction(memory.correction);
    next.counted_until = Some(now);
    next.week_started_at = Some(match (memory.week_started_at, memory.counted_until) {
        // The week is one of counted time: it moves along with what was left out.
        (Some(started), Some(until)) if started <= until && until.since(started) <= 2 * WEEK => {
            now.saturating_sub(until.since(started))
        }
        _ => {
            (next.used, next.allowed) = (0.0, 0.0);
            now
        }
    });
    next
}

fn sane_correction(correction: f64) -> f64 {
    if correction.is_nan() { 1.0 } else { correction.clamp(1.0 / CORRECTION_MAX, CORRECTION_MAX) }
}

/// The next poll of a feed that has one, made again at another price as if planned at its last poll. Never inside a floor;
/// what is overdue by it is spread over one interval of its own, so that all feeds together come no faster than they
/// will. None when something other than the plan decides: failures, a provider's queue, a person.
pub fn replan(
    schedule: &Schedule,
    now: Timestamp,
    outlook: &Outlook<'_>,
    policy: &Policy,
    dice: Unit,
) -> Option<Choice> {
    let last = schedule.last_poll_at?.min(now);
    if schedule.failures > 0 || schedule.gone_since.is_some() || !is_planned(&schedule.reason) {
        return None;
    }
    let mut choice = choose(&Learned::of(schedule, policy), last, outlook, policy, dice);
    if choice.at > now {
        return Some(choice);
    }
    let interval = choice.at.since(last);
    let due = schedule.next_poll_at;
    if due <= now && now.since(due) < interval / 10 {
        // Its turn already.
        (choice.at, choice.reason) = (due, schedule.reason.clone());
        return Some(choice);
    }
    let mut at = now.saturating_add(interval.mul_f64(dice.value()));
    if due > now {
        at = at.min(due);
    }
    choice.at = leave_skip_window(at, &schedule.hints, policy);
    choice.reason = Reason::Spread;
    Some(choice)
}

fn is_planned(reason: &Reason) -> bool {
    use Reason::{Fresh, Maximum, OwnFloor, PublisherInterval, Rate, SkipWindow, Spread};
    matches!(
        reason,
        Rate { .. }
            | Maximum { .. }
            | OwnFloor { .. }
            | PublisherInterval { .. }
            | Fresh
            | SkipWindow
            | Spread
    )
}

#[cfg(test)]
mod tests;
