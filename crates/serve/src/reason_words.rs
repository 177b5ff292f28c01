//! Why the next check of a feed is when it is, in words for people: one phrase per [`Reason`].

use crate::visitor::Visitor;
use crate::words::fill;
use domain::{Reason, Timestamp};
use std::time::Duration;

/// What follows "because".
pub(crate) fn because(reason: &Reason, visitor: &Visitor) -> String {
    let (w, f) = (visitor.words, &visitor.words.feed);
    match reason {
        Reason::New => f.r_new.to_owned(),
        Reason::Rate { window: true, .. } => f.r_window.to_owned(),
        Reason::Rate { posts_per_day, busy_hours, reading_at, .. } => {
            let when = match busy_hours.and_then(|hours| busy(hours, visitor)) {
                Some((from, to)) => fill(f.r_busy_hours, &[("from", &from), ("to", &to)]),
                None => rate(*posts_per_day, visitor),
            };
            match reading_at.filter(|at| *at > visitor.now()) {
                Some(at) => fill(f.r_reading, &[("when", &when), ("time", &visitor.clock.clock(at))]),
                None => when,
            }
        }
        Reason::Maximum { interval_s } => {
            fill(f.r_maximum, &[("span", &visitor.clock.span(Duration::from_secs(*interval_s)))])
        }
        Reason::OwnFloor { minutes } => w.count(f.r_own_floor, *minutes),
        Reason::Fresh => f.r_fresh.to_owned(),
        Reason::PublisherInterval { minutes } => w.count(f.r_publisher, *minutes),
        Reason::SkipWindow => f.r_skip.to_owned(),
        Reason::Busy => f.r_busy.to_owned(),
        Reason::BackOff { failures } => w.count(f.r_back_off, u64::from(*failures)),
        Reason::Denied => f.r_denied.to_owned(),
        Reason::Gone => f.r_gone.to_owned(),
        Reason::ProviderSlot => f.r_slot.to_owned(),
        Reason::Spread => f.r_spread.to_owned(),
        Reason::Offline => f.r_offline.to_owned(),
        Reason::Asked => f.r_asked.to_owned(),
        Reason::Opened => f.r_opened.to_owned(),
        Reason::Paused => f.r_paused.to_owned(),
    }
}

/// UTC hours of today as the person's own clock shows them; None when the zone has no such time.
fn busy((from, until): (u8, u8), visitor: &Visitor) -> Option<(usize, usize)> {
    const DAY_S: i64 = 86_400;
    let midnight = visitor.now().seconds().div_euclid(DAY_S) * DAY_S;
    let local = |hour: u8| {
        let at = Timestamp::from_seconds(midnight + i64::from(hour) * 3_600);
        visitor.clock.week_hour(at).map(|(_, hour)| hour)
    };
    let until = local(until)?;
    Some((local(from)?, if until == 0 { 24 } else { until }))
}

/// In the unit in which the number is about one or more.
fn rate(posts_per_day: f64, visitor: &Visitor) -> String {
    const DAYS_A_WEEK: f64 = 7.0;
    let (w, f) = (visitor.words, &visitor.words.feed);
    if posts_per_day >= 1.0 {
        fill(f.r_rate, &[("rate", &w.decimal(posts_per_day))])
    } else if posts_per_day * DAYS_A_WEEK >= 1.0 {
        fill(f.r_rate_week, &[("rate", &w.decimal(posts_per_day * DAYS_A_WEEK))])
    } else {
        f.r_rate_month.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Monday 16 November 2026, 10:00 UTC.
    const NOW: Timestamp = Timestamp::from_seconds(1_794_823_200);

    fn check(zone: &str, now: Timestamp, busy_hours: (u8, u8), reads_in_min: i64, expected: &str) {
        let reason = Reason::Rate {
            posts_per_day: 3.0,
            interval_s: 7_200,
            busy_hours: Some(busy_hours),
            reading_at: Some(Timestamp::from_seconds(now.seconds() + reads_in_min * 60)),
            window: false,
        };
        assert_eq!(because(&reason, &Visitor::reading_in(zone, now)), expected, "{zone}");
    }

    #[test]
    fn busy_and_reading_hours_are_those_of_the_readers_own_clock() {
        check("UTC", NOW, (6, 9), 485, "posts come 6–9 h, and you read at 18:05");
        check("Europe/Berlin", NOW, (6, 9), 485, "posts come 7–10 h, and you read at 19:05");
        check("Asia/Kolkata", NOW, (6, 9), 485, "posts come 11–14 h, and you read at 23:35");
        check("Europe/Berlin", NOW, (20, 23), -5, "posts come 21–24 h");
    }

    #[test]
    fn on_the_day_clocks_go_back_hours_are_told_as_they_are_then() {
        // 25 October 2026, 00:30 UTC: half past two in Berlin, for the first time.
        let now = Timestamp::from_seconds(1_792_888_200);
        check("Europe/Berlin", now, (0, 4), 330, "posts come 2–5 h, and you read at 07:00");
        check("Europe/Berlin", now, (6, 9), 30, "posts come 7–10 h, and you read at 02:00");
    }
}
