//! Somebody comes to read: which feeds are worth asking at once, and how many the budget allows.
//!
//! `scheduling.md` §6: polling what a person reads when they open it costs about as much as polling it by plan, and
//! then nothing is missed; doing both within one budget is best. What is likely to wait at a feed is its rate times the
//! operational time since its last poll.

use crate::estimate::rate::rate_of;
use crate::estimate::{Population, Shape, count};
use crate::floors::{own_floor, publisher_floor};
use crate::policy::Policy;
use domain::{Attention, Schedule, Timestamp};

/// Less than this is not worth a poll out of turn.
const WAITING_MIN: f64 = 0.1;

/// Posts likely to wait at a feed, weighted as the feed matters; None when a floor forbids a poll now, when the feed
/// fails, or when hardly anything is likely there.
pub fn waiting(
    schedule: &Schedule,
    attention: Option<&Attention>,
    population: &Population,
    now: Timestamp,
    policy: &Policy,
) -> Option<f64> {
    let last = schedule.last_poll_at?;
    let is_free = schedule.failures == 0
        && last.saturating_add(own_floor(schedule, policy)) <= now
        && publisher_floor(&schedule.hints, Some(last), now, policy).is_none();
    if !is_free {
        return None;
    }
    let shape = Shape::of_feed(&schedule.rate, population);
    let posts = rate_of(&schedule.rate, population, &schedule.hints) * shape.between(last, now);
    let weight = attention.map_or(1.0, |attention| count(f64::from(attention.weight)));
    let waiting = posts * weight;
    (posts >= WAITING_MIN && waiting.is_finite() && waiting > 0.0).then_some(waiting)
}

/// Polls that may still be made because somebody came: a share of the budget, saved up for at most half a day.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OpenShare {
    saved: f64,
    filled_at: Option<Timestamp>,
}

impl OpenShare {
    /// How many of `wanted` polls are granted now. `polls_per_day` is the whole budget of all feeds.
    pub fn take(&mut self, wanted: usize, polls_per_day: f64, share: f64, now: Timestamp) -> usize {
        const SAVED_DAYS: f64 = 0.5;
        let per_day = count(polls_per_day) * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let most = per_day * SAVED_DAYS;
        // A clock set back fills nothing; a first visit finds all that may be saved.
        let days = self.filled_at.map_or(SAVED_DAYS, |then| now.since(then).as_secs_f64() / 86_400.0);
        self.saved = (count(self.saved) + per_day * days).min(most);
        self.filled_at = Some(now);
        let granted = wanted.min(self.saved as usize);
        self.saved -= granted as f64;
        granted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Hints, PostingRate, Validators};
    use std::time::Duration;

    fn at(hour: f64) -> Timestamp {
        Timestamp::from_seconds(1_700_000_000).saturating_add(Duration::from_secs_f64(hour * 3600.0))
    }

    fn daily() -> Schedule {
        Schedule {
            last_poll_at: Some(at(0.0)),
            last_success_at: Some(at(0.0)),
            validators: Validators { etag: Some("\"1\"".into()), last_modified: None },
            rate: PostingRate { posts: 40.0, exposure_days: 20.0, ..PostingRate::default() },
            ..Schedule::default()
        }
    }

    fn check(schedule: &Schedule, hour: f64) -> Option<f64> {
        waiting(schedule, None, &Population::default(), at(hour), &Policy::default())
    }

    #[test]
    fn what_waits_grows_with_time_and_nothing_waits_within_a_floor() {
        let feed = daily();
        assert_eq!(check(&feed, 0.5), None, "within our own floor");
        let (six, twelve) = (check(&feed, 6.0).expect("some"), check(&feed, 12.0).expect("more"));
        assert!(twelve > 1.9 * six && six > 0.3, "{six} {twelve}");
        let asked = Schedule { hints: Hints { ttl_minutes: Some(480), ..Hints::default() }, ..daily() };
        assert_eq!(check(&asked, 6.0), None, "within the publisher's");
        assert_eq!(check(&Schedule { failures: 1, ..daily() }, 6.0), None);
        assert_eq!(check(&Schedule::default(), 6.0), None, "never polled: it comes by itself");
    }

    #[test]
    fn what_matters_more_waits_more() {
        let important = Attention::new(&[1.0; 168], 3.0);
        let more = waiting(&daily(), Some(&important), &Population::default(), at(6.0), &Policy::default());
        assert!((more.expect("some") / check(&daily(), 6.0).expect("some") - 3.0).abs() < 1e-6);
    }

    #[test]
    fn the_share_is_saved_up_for_half_a_day_and_never_exceeded() {
        let mut share = OpenShare::default();
        // A hundred feeds at 12 polls a day: 300 a day for people who come.
        assert_eq!(share.take(500, 1_200.0, 0.25, at(0.0)), 150);
        assert_eq!(share.take(500, 1_200.0, 0.25, at(0.0)), 0);
        assert_eq!(share.take(500, 1_200.0, 0.25, at(4.8)), 60);
        assert_eq!(share.take(500, 1_200.0, 0.25, at(1.0)), 0, "a clock set back fills nothing");
        assert_eq!(share.take(10, 1_200.0, 0.25, at(500.0)), 10);
        assert_eq!(share.take(10, f64::NAN, 0.25, at(600.0)), 0);
        let mut day = OpenShare::default();
        let taken: usize =
            (0..240).map(|tenth| day.take(100, 1_200.0, 0.25, at(f64::from(tenth) / 10.0))).sum();
        assert!(taken <= 450, "a day's share and what was saved: {taken}");
    }
}
