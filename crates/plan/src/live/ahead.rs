//! Looking ahead from the last poll: what waiting costs, the fine walk, and the scan over the price policy's values.

use super::table::Table;
use super::terms::Terms;
use crate::estimate::bursts;

const HOUR_DAYS: f64 = 1.0 / 24.0;
const MINUTE_DAYS: f64 = 1.0 / 1440.0;
/// A burst's silence lowers the rate to a fiftieth at most.
const EXCITED_MIN: f64 = 0.02;
/// Parts of a slot in which the best time is sought once its slot is known.
const FINER: usize = 8;

/// The window a poll may be chosen in, in days after the last, and where in the week that was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) into_week: f64,
    pub(crate) soonest: f64,
    pub(crate) latest: f64,
    /// How far the rate is above its usual at the last poll, relative to it.
    pub(crate) excess: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    /// Days after the last poll.
    pub(crate) days: f64,
    /// The plan would rather have been sooner than it may, or later.
    pub(crate) held_back: bool,
    pub(crate) pressed: bool,
}

/// What has been waiting for how long at a time after the last poll, for a feed that posts once a day.
#[derive(Debug, Clone, Copy)]
struct Wait {
    at: f64,
    operational: f64,
    backlog: f64,
    cost: f64,
}

impl Wait {
    const NONE: Wait = Wait { at: 0.0, operational: 0.0, backlog: 0.0, cost: 0.0 };

    /// Rate and value until `to`, which must be in the same hour.
    fn pace(&self, terms: &Terms, span: &Span, to: f64) -> (f64, f64, f64) {
        let middle = span.into_week + 0.5 * (self.at + to);
        let pattern = terms.shape.at_days(middle);
        let passed = self.operational + 0.5 * pattern * (to - self.at);
        let excited = 1.0 + span.excess * (-passed / bursts::TAU_DAYS).exp();
        (pattern, pattern * excited.max(EXCITED_MIN), terms.value_at(middle))
    }

    fn until(&self, terms: &Terms, span: &Span, to: f64) -> Wait {
        let (pattern, rate, value) = self.pace(terms, span, to);
        let step = to - self.at;
        Wait {
            at: to,
            operational: self.operational + pattern * step,
            backlog: self.backlog + rate * step,
            cost: self.cost + value * step * (self.backlog + 0.5 * rate * step),
        }
    }

    /// The next full hour of the week after now, as days after the last poll.
    fn hour_ends(&self, span: &Span) -> f64 {
        let hours = (span.into_week + self.at) * 24.0;
        (hours + 1e-9).floor().mul_add(HOUR_DAYS, HOUR_DAYS) - span.into_week
    }
}

/// Polls when what has accumulated is worth a poll.
pub(crate) fn walk(terms: &Terms, span: &Span) -> Found {
    let step = (terms.flat_days() / 48.0).clamp(MINUTE_DAYS, HOUR_DAYS);
    let mut wait = Wait::NONE;
    while wait.at < span.latest {
        let to = (wait.at + step).min(wait.hour_ends(span)).min(span.latest);
        if to <= wait.at {
            break;
        }
        let next = wait.until(terms, span, to);
        if next.cost >= terms.unit_price {
            let (_, rate, value) = wait.pace(terms, span, to);
            // The root of value·(backlog·x + rate·x²/2) = what is missing, in the form that does not cancel.
            let missing = (terms.unit_price - wait.cost) / value;
            let root = (wait.backlog * wait.backlog + 2.0 * rate * missing).sqrt();
            let more = (2.0 * missing / (wait.backlog + root)).clamp(0.0, to - wait.at);
            let days = wait.at + more;
            return Found { days: days.max(span.soonest), held_back: days < span.soonest, pressed: false };
        }
        wait = next;
    }
    Found { days: span.latest, held_back: false, pressed: true }
}

/// The least of cost so far, minus what the time is worth, plus what the future costs from there.
pub(crate) fn scan(terms: &Terms, table: &Table, span: &Span, skipped: impl Fn(f64) -> bool) -> Found {
    let slot = table.slot_days();
    let score = |wait: &Wait| wait.cost - table.rate() * wait.at + table.value(span.into_week + wait.at);
    let mut stops = vec![Wait::NONE];
    let mut wait = Wait::NONE;
    while wait.at < span.latest {
        let boundary = (((span.into_week + wait.at) / slot + 1e-6).floor() + 1.0) * slot - span.into_week;
        let mut to = boundary.min(span.latest);
        if wait.at < span.soonest {
            to = to.min(span.soonest);
        }
        if to <= wait.at {
            break;
        }
        wait = wait.until(terms, span, to);
        stops.push(wait);
    }
    let allowed = |wait: &Wait| wait.at >= span.soonest && !skipped(wait.at);
    let best = |among: &mut dyn Iterator<Item = (usize, Wait)>| {
        among.map(|(nth, wait)| (nth, wait.at, score(&wait))).min_by(|a, b| a.2.total_cmp(&b.2))
    };
    let indexed = || stops.iter().copied().enumerate().skip(1);
    let free = best(&mut indexed());
    let Some((nth, mut days, mut least)) = best(&mut indexed().filter(|(_, wait)| allowed(wait))) else {
        return Found { days: span.soonest, held_back: false, pressed: false };
    };
    // Boundaries are the planner's, not the feed's: without this all feeds would be asked on the half hour.
    let last = (nth + 1).min(stops.len() - 1);
    for from in nth - 1..last {
        let (start, end) = (stops[from], stops[from + 1].at);
        for part in 1..FINER {
            let to = start.at + (end - start.at) * part as f64 / FINER as f64;
            let wait = start.until(terms, span, to);
            let found = score(&wait);
            if found < least && allowed(&wait) {
                (days, least) = (to, found);
            }
        }
    }
    let held_back = days <= span.soonest && free.is_some_and(|(_, at, _)| at < span.soonest);
    Found { days, held_back, pressed: days >= span.latest }
}
