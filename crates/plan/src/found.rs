//! What a poll found, how late, and what was lost on the way: the plan held against what came true.

use crate::after::Observation;
use crate::estimate::posts_per_day;
use domain::{Found, PollOutcome, Schedule, Timestamp};

/// Of a poll after `before`. Only items dated between the last successful poll and this one count: older ones were
/// published late or are history, and of undated ones nothing is known.
pub fn found(before: &Schedule, seen: &Observation<'_>) -> Found {
    let (Some(document), Some(last)) = (&seen.document, before.last_success_at) else {
        return Found::default();
    };
    if !seen.outcome.is_success() {
        return Found::default();
    }
    let within = |at: &Timestamp| *at > last && *at <= seen.at;
    let delays: Vec<u64> = document
        .new_dates
        .iter()
        .flatten()
        .filter(|at| within(at))
        .map(|at| u64::try_from(seen.at.since(*at).as_millis()).unwrap_or(u64::MAX))
        .collect();
    let dated = u32::try_from(delays.len()).unwrap_or(u32::MAX);
    let expected_s = before.plan.delay_s;
    let expected_ms = if expected_s.is_finite() { expected_s.max(0.0) * 1e3 * f64::from(dated) } else { 0.0 };
    Found {
        dated,
        delay_ms: delays.into_iter().fold(0, u64::saturating_add),
        expected_ms: expected_ms as u64,
        lost: lost(before, seen, last),
    }
}

/// A whole document of nothing but new items may not have held all of them. How many fell out nobody can tell; as many
/// as the feed usually posts between the last poll and the oldest item still there are likely.
fn lost(before: &Schedule, seen: &Observation<'_>, last: Timestamp) -> u32 {
    const LOST_MAX: f64 = 10_000.0;
    let Some(document) = seen.document.as_ref().filter(|_| seen.outcome == PollOutcome::Fresh) else {
        return 0;
    };
    let visible = document.items_visible as usize;
    let is_overflow = visible > 0 && document.new_dates.len() >= visible && before.rate.window_items > 0;
    let oldest = document.new_dates.iter().flatten().filter(|at| **at > last && **at <= seen.at).min();
    match oldest.filter(|_| is_overflow) {
        Some(oldest) => {
            let days = oldest.since(last).as_secs_f64() / 86_400.0;
            (posts_per_day(&before.rate) * days).min(LOST_MAX) as u32
        }
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::after::DocumentSeen;
    use domain::{Planned, PostingRate, Validators};

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_seconds(1_700_000_000 + minute * 60)
    }

    fn check(before: &Schedule, outcome: PollOutcome, dates: &[Option<i64>], visible: u32) -> Found {
        let document = DocumentSeen {
            new_dates: dates.iter().map(|date| date.map(at)).collect(),
            items_visible: visible,
            ..DocumentSeen::default()
        };
        let seen = Observation {
            outcome,
            at: at(0),
            feed_url: "https://a.example/",
            retry_after: None,
            fresh_for: None,
            validators: Validators::default(),
            distrust_validators: false,
            body_hash: None,
            permanent_to: None,
            document: Some(document),
        };
        found(before, &seen)
    }

    fn polled(minutes_ago: i64) -> Schedule {
        Schedule {
            last_success_at: Some(at(-minutes_ago)),
            plan: Planned { delay_s: 600.0, ..Planned::default() },
            rate: PostingRate {
                posts: 480.0,
                exposure_days: 20.0,
                window_items: 3,
                ..PostingRate::default()
            },
            ..Schedule::default()
        }
    }

    #[test]
    fn only_dates_since_the_last_poll_tell_how_late() {
        let found =
            check(&polled(60), PollOutcome::Fresh, &[Some(-10), Some(-20), Some(-600), Some(5), None], 30);
        assert_eq!((found.dated, found.delay_ms, found.expected_ms), (2, 1_800_000, 1_200_000));
        assert_eq!(found.lost, 0);
    }

    #[test]
    fn a_first_document_and_a_failure_tell_nothing() {
        assert_eq!(check(&Schedule::default(), PollOutcome::Fresh, &[Some(-10)], 3), Found::default());
        assert_eq!(check(&polled(60), PollOutcome::Failed, &[Some(-10)], 3), Found::default());
    }

    #[test]
    fn a_document_of_only_new_items_has_lost_what_usually_comes_before_its_oldest() {
        let dates = [Some(-5), Some(-6), Some(-7)];
        let overflowing = check(&polled(1_440), PollOutcome::Fresh, &dates, 3);
        assert_eq!(overflowing.lost, 21, "about 22 a day, and all but seven minutes of a day unseen");
        assert_eq!(check(&polled(1_440), PollOutcome::Fresh, &dates, 10).lost, 0);
        assert_eq!(check(&polled(1_440), PollOutcome::Partial, &dates, 3).lost, 0);
    }

    #[test]
    fn nonsense_in_the_store_is_no_nonsense_in_the_numbers() {
        let mut before = polled(60);
        before.plan.delay_s = f64::NAN;
        before.rate.posts = f64::INFINITY;
        let found = check(&before, PollOutcome::Fresh, &[Some(-5)], 1);
        assert_eq!((found.expected_ms, found.dated), (0, 1));
        assert!(found.lost <= 10_000);
    }
}
