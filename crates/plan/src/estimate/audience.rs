//! When and how often people look, and what that means for a feed in a given week.
//!
//! A person's habit is kept in local hours and weekdays, because people live by their clocks: when those change, the same
//! habit means other UTC hours, from that very hour of the week on. `personalization.md` §5.3 measured the form: hour ⊗
//! weekday with the hours smoothed (¼, ½, ¼), shrunk with κ = 30 to all readers, forgetting in 80 days. The level is a
//! Gamma with half-life 21 days. 001 §6.1.1 wants the rate per person *and source*, λ_c,i: a feed a person never opens
//! draws no attention, however often they visit.

use super::shape::{HOURS, shares, shrunk};
use super::{Population, count, days_between};
use crate::grid::{into_week, week_start};
use domain::{AccessHabit, AccessLevel, Timestamp};
use jiff::tz::TimeZone;
use std::time::Duration;

const TAU_SHAPE_DAYS: f64 = 80.0;
/// Half-life 21 days.
const TAU_LEVEL_DAYS: f64 = 30.3;
const STRENGTH: f64 = 30.0;
/// One visit a day until known otherwise.
const PRIOR_VISITS: f64 = 1.0;
const PRIOR_DAYS: f64 = 1.0;
/// A feed is taken to be looked at on every visit until so many days say otherwise.
const FEED_PRIOR_DAYS: f64 = 3.0;
/// Looks closer than this are one visit.
const VISIT: Duration = Duration::from_secs(30 * 60);

/// The habit after a look at `at`, anywhere, in the person's zone.
pub fn visited(before: &AccessHabit, at: Timestamp, zone: &TimeZone) -> AccessHabit {
    let mut next = before.clone();
    let (level, counts) = look(&before.level, at);
    next.level = level;
    if !counts {
        return next;
    }
    let keep = before.shaped_at.map_or(1.0, |then| (-days_between(at, then) / TAU_SHAPE_DAYS).exp());
    let kept = |stored: f32| (count(f64::from(stored)) * keep) as f32;
    next.hours = before.hours.map(kept);
    next.days = before.days.map(kept);
    let (hour, day) = local_hour_and_day(at, offset_s(zone, at));
    next.hours[hour] += 1.0;
    next.days[day] += 1.0;
    next.shaped_at = before.shaped_at.max(Some(at));
    next
}

/// A person's level for one feed after a look at it.
pub fn looked_at_feed(before: &AccessLevel, at: Timestamp) -> AccessLevel {
    look(before, at).0
}

/// Starts the watch over a feed a person has just subscribed to, so that never looking counts.
pub fn watch_from(at: Timestamp) -> AccessLevel {
    AccessLevel { observed_until: Some(at), ..AccessLevel::default() }
}

/// Visits per day of a person, expected now.
pub fn visits_per_day(habit: &AccessHabit, now: Timestamp) -> f64 {
    let (visits, days) = level_at(&habit.level, now);
    (PRIOR_VISITS + visits) / (PRIOR_DAYS + days)
}

/// Looks per day of a person at one feed, expected now: at first as often as they visit at all.
pub fn looks_per_day(habit: &AccessHabit, feed: &AccessLevel, now: Timestamp) -> f64 {
    let (looks, days) = level_at(feed, now);
    (FEED_PRIOR_DAYS * visits_per_day(habit, now) + looks) / (FEED_PRIOR_DAYS + days)
}

/// Shares of a person's visits by local hour and weekday.
pub fn habit_shares(habit: &AccessHabit, population: &Population) -> ([f64; 24], [f64; 7]) {
    let counts = habit.hours.map(|n| count(f64::from(n)));
    let smooth: [f64; 24] = std::array::from_fn(|hour| {
        0.25 * counts[(hour + 23) % 24] + 0.5 * counts[hour] + 0.25 * counts[(hour + 1) % 24]
    });
    (
        shrunk(&smooth, &population.reading_hours, STRENGTH),
        shrunk(&habit.days.map(f64::from), &population.reading_days, STRENGTH),
    )
}

/// One subscriber of a feed.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    pub habit: &'a AccessHabit,
    /// None when looks at single feeds are not known; then every visit counts.
    pub feed: Option<&'a AccessLevel>,
    pub zone: &'a ZoneWeek,
    /// How much this person's looks matter; one unless said otherwise.
    pub weight: f64,
}

/// u(t): looks per day at a feed by UTC hour of the week the zones were made for, summed over its readers.
pub fn attention(readers: &[Reader<'_>], population: &Population, now: Timestamp) -> [f64; HOURS] {
    let mut sum = [0.0; HOURS];
    for reader in readers {
        let weight = count(reader.weight);
        let level = match reader.feed {
            Some(feed) => looks_per_day(reader.habit, feed, now),
            None => visits_per_day(reader.habit, now),
        };
        let (hours, days) = habit_shares(reader.habit, population);
        for (half, offset_s) in reader.zone.offsets_s.iter().enumerate() {
            let minute = i64::try_from(half).unwrap_or(0) * 30 + 15;
            let local = (minute * 60 + i64::from(*offset_s)).div_euclid(3600).rem_euclid(168);
            let local = usize::try_from(local).unwrap_or(0);
            // Shares of an hour and a weekday, as a rate per day: 168 hours of 1/24 day hold seven days.
            let shape = HOURS as f64 * hours[local % 24] * days[local / 24];
            sum[half / 2] += 0.5 * weight * level * shape;
        }
    }
    sum
}

/// A time zone's offsets in one week, by half hours from Monday 00:00 UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneWeek {
    offsets_s: Vec<i32>,
}

impl ZoneWeek {
    /// The week that holds `at`.
    pub fn new(zone: &TimeZone, at: Timestamp) -> Self {
        let start = week_start(at);
        let half = |nth: u64| start.saturating_add(Duration::from_secs(nth * 1800));
        ZoneWeek { offsets_s: (0..2 * HOURS as u64).map(|nth| offset_s(zone, half(nth))).collect() }
    }

    /// By IANA name; UTC when there is none of that name.
    pub fn named(name: &str, at: Timestamp) -> Self {
        ZoneWeek::new(&zone_named(name), at)
    }
}

/// By IANA name; UTC when there is none of that name.
pub fn zone_named(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

/// The middle of the next hour after `now` in which people look clearly more than on average.
pub fn next_reading(attention: &[f64; HOURS], now: Timestamp, within: Duration) -> Option<Timestamp> {
    let mean = shares(attention).map(|share| share * HOURS as f64);
    let first = (into_week(now) * 24.0) as usize;
    let hour_start = Timestamp::from_seconds(now.seconds().div_euclid(3600).saturating_mul(3600));
    (0..HOURS as u64)
        .map(|more| (more, hour_start.saturating_add(Duration::from_secs(3600 * more + 1800))))
        .take_while(|(_, at)| at.since(now) <= within)
        .find(|(more, at)| *at >= now && mean[(first + *more as usize) % HOURS] >= 1.5)
        .map(|(_, at)| at)
}

/// Whether the look counts as a visit of its own, and the level after it.
fn look(before: &AccessLevel, at: Timestamp) -> (AccessLevel, bool) {
    let together = before.last_access_at.is_some_and(|last| at.since(last).max(last.since(at)) < VISIT);
    let last_access_at = before.last_access_at.max(Some(at));
    let (visits, exposure_days) = level_at(before, at);
    let counts = !together;
    let visits = visits + f64::from(u8::from(counts));
    let observed_until = before.observed_until.max(Some(at));
    (AccessLevel { visits, exposure_days, observed_until, last_access_at }, counts)
}

/// Decayed visits and exposure as of `now`.
fn level_at(level: &AccessLevel, now: Timestamp) -> (f64, f64) {
    let gap = level.observed_until.map_or(0.0, |until| days_between(now, until));
    let keep = (-gap / TAU_LEVEL_DAYS).exp();
    (count(level.visits) * keep, count(level.exposure_days) * keep + TAU_LEVEL_DAYS * (1.0 - keep))
}

fn offset_s(zone: &TimeZone, at: Timestamp) -> i32 {
    jiff::Timestamp::from_second(at.seconds()).map_or(0, |at| zone.to_offset(at).seconds())
}

fn local_hour_and_day(at: Timestamp, offset_s: i32) -> (usize, usize) {
    let local = Timestamp::from_seconds(at.seconds().saturating_add(i64::from(offset_s)));
    super::shape::hour_and_day(local)
}

#[cfg(test)]
#[path = "audience/tests.rs"]
mod tests;
