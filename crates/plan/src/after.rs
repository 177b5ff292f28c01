//! From what a poll showed to the feed's next schedule: the one function `work` calls after every poll.

use crate::backoff::back_off;
use crate::control::sane_budget;
use crate::estimate::{Sight, learn};
use crate::floors::{Floor, leave_skip_window, own_floor, own_floor_reason, publisher_floor};
use crate::live::{self, Learned, Outlook};
use crate::policy::Policy;
use crate::relocation::follow;
use crate::unit::Unit;
use domain::{FeedState, Hints, PollOutcome, PostingRate, Reason, Schedule, Timestamp, Validators};
use std::time::Duration;

/// Everything a poll showed that matters for the next one.
#[derive(Debug, Clone)]
pub struct Observation<'a> {
    pub outcome: PollOutcome,
    pub at: Timestamp,
    pub feed_url: &'a str,
    pub retry_after: Option<Timestamp>,
    pub fresh_for: Option<Duration>,
    /// As the answer gave them; used when it was a success.
    pub validators: Validators,
    /// The body was cut or could not be read as the feed it claims to be: ask for all of it next time (N4).
    pub distrust_validators: bool,
    pub body_hash: Option<u64>,
    /// Target of a purely permanent redirect.
    pub permanent_to: Option<&'a str>,
    /// Present when a document was read.
    pub document: Option<DocumentSeen>,
}

#[derive(Debug, Clone, Default)]
pub struct DocumentSeen {
    pub ttl_minutes: Option<u32>,
    pub skip_hours: Vec<u8>,
    pub skip_days: Vec<u8>,
    pub update_period_s: Option<u64>,
    /// One entry per item never seen before, with its date where it has one.
    pub new_dates: Vec<Option<Timestamp>>,
    pub items_visible: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct After {
    pub schedule: Schedule,
    pub state: FeedState,
    /// Poll this address from now on.
    pub adopt: Option<String>,
    /// The least time between two automatic requests as known now: what a crash during the next poll has to wait.
    pub floor: Duration,
}

/// The next schedule after any poll. `outlook` is what is known beyond the feed: price, population, readers.
pub fn after_poll(
    before: &Schedule,
    seen: &Observation<'_>,
    outlook: &Outlook<'_>,
    policy: &Policy,
    dice: Unit,
) -> After {
    let mut next = before.clone();
    if seen.outcome == PollOutcome::Offline {
        // Nothing reached the publisher: no blame, no exposure, and its floors still stand.
        let own = before.last_poll_at.map(|last| last.saturating_add(own_floor(before, policy)));
        let at = seen.at.saturating_add(policy.offline_retry).max(own.unwrap_or(seen.at));
        let floor = publisher_floor(&before.hints, before.last_poll_at, seen.at, policy);
        next.next_poll_at = floor.map_or(at, |f| f.until.max(at));
        next.reason = Reason::Offline;
        let floor = own_floor(&next, policy);
        return After { schedule: next, state: FeedState::Active, adopt: None, floor };
    }
    next.last_poll_at = Some(seen.at);
    next.hints.retry_after = seen.retry_after;
    next.hints.fresh_until = seen.fresh_for.map(|span| seen.at.saturating_add(span.min(policy.hint_cap)));
    if seen.outcome.is_success() {
        succeed(&mut next, before, seen, outlook);
    } else {
        next.failures = before.failures.saturating_add(1);
        next.failing_since = before.failing_since.or(Some(seen.at));
    }
    if seen.distrust_validators {
        distrust_validators(&mut next, seen.at, policy);
    }
    let gone = seen.outcome == PollOutcome::Gone;
    next.gone_since = if gone { before.gone_since.or(Some(seen.at)) } else { None };
    let confirmed = gone && next.gone_since.is_some_and(|first| seen.at.since(first) >= policy.gone_confirm);
    let moved = if seen.outcome.is_success() { seen.permanent_to } else { None };
    let (relocation, adopt) = follow(before.relocation.as_ref(), seen.feed_url, moved, seen.at, policy);
    next.relocation = relocation;
    if adopt.is_some() {
        // Another server's validators mean nothing (N4).
        next.validators = Validators::default();
        next.validators_reset_at = Some(seen.at);
    }
    let (at, reason) = choose(&mut next, seen, outlook, policy, dice);
    next.next_poll_at = at;
    next.reason = reason;
    let asked = publisher_floor(&next.hints, Some(seen.at), seen.at, policy);
    let floor = own_floor(&next, policy).max(asked.map_or(Duration::ZERO, |f| f.until.since(seen.at)));
    After { schedule: next, state: if confirmed { FeedState::Gone } else { FeedState::Active }, adopt, floor }
}

fn succeed(next: &mut Schedule, before: &Schedule, seen: &Observation<'_>, outlook: &Outlook<'_>) {
    next.failures = 0;
    next.failing_since = None;
    next.last_success_at = Some(seen.at);
    let answered = &seen.validators;
    if seen.outcome == PollOutcome::Unchanged {
        // A 304 may renew the stored fields (RFC 9111 §3.2); what it does not name stays.
        if answered.etag.is_some() {
            next.validators.etag = answered.etag.clone();
        }
        if answered.last_modified.is_some() {
            next.validators.last_modified = answered.last_modified.clone();
        }
    } else if !seen.distrust_validators {
        next.validators = answered.clone();
    }
    if let Some(hash) = seen.body_hash {
        let same = before.body_hash == Some(hash);
        next.unchanged_bodies = if same { before.unchanged_bodies.saturating_add(1) } else { 0 };
        next.body_hash = if seen.distrust_validators { None } else { Some(hash) };
    }
    let none = Vec::new();
    let (new_dates, visible) = seen.document.as_ref().map_or((&none, 0), |d| (&d.new_dates, d.items_visible));
    // A delta shows only what is new: it says nothing of how many items a whole document holds.
    let visible = if seen.outcome == PollOutcome::Fresh { visible } else { 0 };
    next.rate = learn(&before.rate, &Sight { now: seen.at, new: new_dates, visible }, outlook.population);
    if let Some(document) = &seen.document
        && seen.outcome == PollOutcome::Fresh
    {
        next.hints = Hints {
            retry_after: next.hints.retry_after,
            fresh_until: next.hints.fresh_until,
            ttl_minutes: document.ttl_minutes,
            skip_hours: document.skip_hours.clone(),
            skip_days: document.skip_days.clone(),
            update_period_s: document.update_period_s,
        };
    }
}

fn distrust_validators(next: &mut Schedule, at: Timestamp, policy: &Policy) {
    let lately = next.validators_reset_at.is_some_and(|last| at.since(last) < policy.validator_reset_every);
    if !lately {
        next.validators = Validators::default();
        next.body_hash = None;
        next.validators_reset_at = Some(at);
    }
}

/// Wish first, then floors, in this order: own, publisher's, skip window (`threats-and-promises.md` c.3). The plan in
/// force stays when there was nothing to learn.
fn choose(
    next: &mut Schedule,
    seen: &Observation<'_>,
    outlook: &Outlook<'_>,
    policy: &Policy,
    dice: Unit,
) -> (Timestamp, Reason) {
    let failing_for = next.failing_since.map_or(Duration::ZERO, |since| seen.at.since(since));
    let (wait, mut reason) = match seen.outcome {
        PollOutcome::Fresh | PollOutcome::Partial | PollOutcome::Unchanged | PollOutcome::Offline => {
            let choice = live::choose(&Learned::of(next, policy), seen.at, outlook, policy, dice);
            next.plan = choice.planned;
            (choice.at.since(seen.at), choice.reason)
        }
        PollOutcome::Busy => {
            let doubled = policy.busy_least.saturating_mul(1 << next.failures.saturating_sub(1).min(10));
            (doubled.mul_f64(1.0 + 0.5 * dice.value()).min(policy.backoff_most), Reason::Busy)
        }
        PollOutcome::Denied => (policy.denied, Reason::Denied),
        PollOutcome::Gone => (policy.gone_confirm, Reason::Gone),
        PollOutcome::NotFound | PollOutcome::NotAFeed | PollOutcome::Failed => {
            (back_off(next.failures, failing_for, dice, policy), Reason::BackOff { failures: next.failures })
        }
        PollOutcome::Refused => (policy.backoff_most, Reason::BackOff { failures: next.failures }),
    };
    let mut at = seen.at.saturating_add(wait);
    let own = own_floor(next, policy);
    if seen.at.saturating_add(own) > at {
        at = seen.at.saturating_add(own);
        reason = own_floor_reason(own);
    }
    if let Some(Floor { until, reason: floor_reason }) =
        publisher_floor(&next.hints, Some(seen.at), seen.at, policy)
        && until > at
    {
        at = until;
        reason = floor_reason;
    }
    let outside = leave_skip_window(at, &next.hints, policy);
    if outside > at { (outside, Reason::SkipWindow) } else { (at, reason) }
}

/// No feed waits longer: so many mean intervals of the budget, at least 8 h, growing with silence to 7 days at a year
/// (N11).
pub(crate) fn maximum(rate: &PostingRate, now: Timestamp, policy: &Policy) -> Duration {
    let mean_days = 1.0 / sane_budget(policy.budget_polls_per_day);
    let intervals = if policy.maximum_intervals > 0.0 { policy.maximum_intervals.min(1e3) } else { 4.0 };
    let most = policy.maximum_most.max(policy.maximum_least);
    let base = Duration::from_secs_f64(intervals * mean_days * 86_400.0).clamp(policy.maximum_least, most);
    let silent_for = rate.last_post_at.map_or(policy.silent_from, |last| now.since(last));
    let growing = policy.silent_until.saturating_sub(policy.silent_from).as_secs_f64().max(1.0);
    let grown = silent_for.saturating_sub(policy.silent_from).as_secs_f64() / growing;
    base + (most - base).mul_f64(grown.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests;
