//! The knobs of polling, with their reasons. Few, and all here.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// No automatic poll comes sooner than this after the last one (N10).
    pub own_floor: Duration,
    /// The own floor of feeds that post at least `fast_posts_per_day` and answer conditional requests.
    pub fast_floor: Duration,
    pub fast_posts_per_day: f64,
    /// A person's button may go below our own floor, but not below this (N22).
    pub asked_floor: Duration,
    /// Mean polls per feed and day the server may spend.
    pub budget_polls_per_day: f64,
    /// How much of what a post is worth depends on when people read: 0 is delay alone, 1 readers alone.
    pub attention_share: f64,
    /// The longest interval of a feed that posted lately, in mean intervals of the budget, kept inside the two below.
    /// 4 costs half a per cent of the mean delay; 1 lets no feed wait longer than even polling would (002 §4.4).
    pub maximum_intervals: f64,
    pub maximum_least: Duration,
    pub maximum_most: Duration,
    /// Silence after which the longest interval starts to grow, and where it reaches `maximum_most`.
    pub silent_from: Duration,
    pub silent_until: Duration,
    /// Hints of publishers (freshness, ttl, skip windows, update periods) count up to this; static hosts say a year
    /// by mistake.
    pub hint_cap: Duration,
    /// Share of a document's window we let fill before polling again, so that no item is lost.
    pub window_guard: f64,
    /// First retry after a failure; doubles with each further one.
    pub backoff_first: Duration,
    pub backoff_most: Duration,
    /// After `weekly_after` of failing, once per `weekly`.
    pub weekly_after: Duration,
    pub weekly: Duration,
    /// Without Retry-After, a busy server is left alone at least this long (N13).
    pub busy_least: Duration,
    /// 401, 403, 451 (N15).
    pub denied: Duration,
    /// A second 410 this much after the first ends polling for good (N17).
    pub gone_confirm: Duration,
    /// Retry when our own network was down; the publisher saw nothing.
    pub offline_retry: Duration,
    /// Permanent moves are adopted after so many equal answers over so long (N18).
    pub move_answers: u32,
    pub move_span: Duration,
    /// http to https on the same host and path needs only this many.
    pub move_answers_https: u32,
    /// Jitter is this share of the interval, at most `jitter_most` (N11).
    pub jitter_share: f64,
    pub jitter_most: Duration,
    /// Validators are thrown away at most this often (N4).
    pub validator_reset_every: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            own_floor: Duration::from_secs(HOUR),
            fast_floor: Duration::from_secs(15 * MINUTE),
            fast_posts_per_day: 12.0,
            asked_floor: Duration::from_secs(5 * MINUTE),
            budget_polls_per_day: 12.0,
            attention_share: 0.5,
            maximum_intervals: 4.0,
            maximum_least: Duration::from_secs(8 * HOUR),
            maximum_most: Duration::from_secs(7 * DAY),
            silent_from: Duration::from_secs(90 * DAY),
            silent_until: Duration::from_secs(365 * DAY),
            hint_cap: Duration::from_secs(DAY),
            window_guard: 0.7,
            backoff_first: Duration::from_secs(15 * MINUTE),
            backoff_most: Duration::from_secs(DAY),
            weekly_after: Duration::from_secs(14 * DAY),
            weekly: Duration::from_secs(7 * DAY),
            busy_least: Duration::from_secs(HOUR),
            denied: Duration::from_secs(DAY),
            gone_confirm: Duration::from_secs(DAY),
            offline_retry: Duration::from_secs(10 * MINUTE),
            move_answers: 5,
            move_span: Duration::from_secs(7 * DAY),
            move_answers_https: 2,
            jitter_share: 0.02,
            jitter_most: Duration::from_secs(5 * MINUTE),
            validator_reset_every: Duration::from_secs(DAY),
        }
    }
}

impl Policy {
    /// No feed waits longer than under even polling (002 §4.4), however rarely it posts. That spends the whole budget on
    /// all alike: what is left to plan is when.
    pub fn as_even(self) -> Policy {
        let never = Duration::from_secs(36_500 * DAY);
        Policy {
            maximum_intervals: 1.0,
            maximum_least: self.own_floor,
            silent_from: never,
            silent_until: 2 * never,
            ..self
        }
    }

    /// For experiments on traces: five minutes between polls, the longest interval exactly four mean intervals of the
    /// budget, and no more for silence.
    pub fn unfloored(budget_polls_per_day: f64) -> Policy {
        let floor = Duration::from_secs(5 * MINUTE);
        Policy {
            own_floor: floor,
            fast_floor: floor,
            asked_floor: floor,
            budget_polls_per_day,
            maximum_least: floor,
            maximum_most: Duration::from_secs(3650 * DAY),
            silent_from: Duration::from_secs(36_500 * DAY),
            silent_until: Duration::from_secs(73_000 * DAY),
            ..Policy::default()
        }
    }
}
