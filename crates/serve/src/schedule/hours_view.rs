//! Today's polls by hour: made, to come, and when the person reads.

use super::Known;
use crate::chart::{self, HoursChart, Svg};
use crate::visitor::Visitor;
use crate::words::fill;
use domain::{FeedId, Timestamp};
use std::collections::HashMap;
use std::time::Duration;

pub(super) struct HoursView {
    pub(super) title: &'static str,
    pub(super) picture: Svg,
    /// Hour, polls made, polls to come: for screen readers.
    pub(super) table: Vec<(String, String, String)>,
}

const DAY: Duration = Duration::from_secs(86_400);
/// No floor is shorter than five minutes, so a day of 25 hours holds no more.
const COMING_MAX: usize = 300;

impl HoursView {
    pub(super) fn of(known: &Known, visitor: &Visitor) -> HoursView {
        let (w, s) = (visitor.words, &visitor.words.schedule);
        let past = past(known, visitor);
        let coming = coming(known, visitor);
        let reading = known.habit.usual_hours().unwrap_or([false; 24]);
        let made: u64 = past.iter().sum();
        let to_come: f64 = coming.iter().sum();
        let label = fill(s.hours_picture, &[("made", &w.number(made)), ("coming", &format!("{to_come:.0}"))]);
        let picture = chart::hours(&HoursChart {
            past: &past,
            coming: &coming,
            reading: &reading,
            now: visitor.clock.day_part(visitor.now()).unwrap_or(0.0),
            now_label: s.now_mark,
            reading_label: s.you_read,
            label: &label,
        });
        let table = (0..24)
            .map(|hour: usize| {
                let (made, coming) = (past.get(hour).copied(), coming.get(hour).copied());
                (format!("{hour:02}"), w.number(made.unwrap_or(0)), format!("{:.0}", coming.unwrap_or(0.0)))
            })
            .collect();
        let title = if is_before_reading(&past, &coming, &reading) { s.before_reading } else { s.by_hour };
        HoursView { title, picture, table }
    }
}

fn hour_of(at: Timestamp, visitor: &Visitor) -> Option<usize> {
    visitor.clock.week_hour(at).map(|(_, hour)| hour)
}

fn past(known: &Known, visitor: &Visitor) -> [u64; 24] {
    let mut past = [0; 24];
    for polls in &known.polls {
        if let Some(count) = hour_of(polls.hour, visitor).and_then(|hour| past.get_mut(hour)) {
            *count += polls.polls;
        }
    }
    past
}

/// Each feed at its next time, and from there as often as its plan says, until midnight.
fn coming(known: &Known, visitor: &Visitor) -> [f64; 24] {
    let end = visitor.clock.start_of_tomorrow();
    let often: HashMap<FeedId, f64> =
        known.learned.iter().map(|one| (one.feed, one.schedule.plan.polls_per_day)).collect();
    let mut coming = [0.0; 24];
    for due in &known.due {
        let pace = often.get(&due.feed).copied().filter(|pace| *pace > 0.0);
        let step = pace.map(|pace| DAY.div_f64(pace.clamp(0.001, 288.0)));
        let mut at = due.at.max(visitor.now());
        for _ in 0..COMING_MAX {
            if at >= end {
                break;
            }
            if let Some(count) = hour_of(at, visitor).and_then(|hour| coming.get_mut(hour)) {
                *count += 1.0;
            }
            let Some(step) = step else { break };
            at = at.saturating_add(step);
        }
    }
    coming
}

/// Whether the hours in which the person reads and the two before them hold more polls than even.
fn is_before_reading(past: &[u64; 24], coming: &[f64; 24], reading: &[bool; 24]) -> bool {
    if !reading.contains(&true) {
        return false;
    }
    let polls: [f64; 24] = std::array::from_fn(|hour| {
        let made = past.get(hour).copied().unwrap_or(0);
        f64::from(u32::try_from(made).unwrap_or(u32::MAX)) + coming.get(hour).copied().unwrap_or(0.0)
    });
    let near: [bool; 24] =
        std::array::from_fn(|hour| (0..=2).any(|ahead| reading.get((hour + ahead) % 24).is_some_and(|r| *r)));
    let total: f64 = polls.iter().sum();
    let within: f64 = polls.iter().zip(near).filter(|(_, near)| *near).map(|(polls, _)| polls).sum();
    let hours = near.iter().filter(|near| **near).count();
    let even = f64::from(u32::try_from(hours).unwrap_or(24)) / 24.0;
    total > 0.0 && within / total > even
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{AccessHabit, Frontier, Reason};
    use store::DueFeed;

    #[test]
    fn a_day_of_25_hours_is_planned_to_its_end() {
        // 25 October 2026, 22:00 in Berlin, where the clocks went back in the night.
        let now = Timestamp::from_seconds(1_792_962_000);
        let due = |minutes: u64| DueFeed {
            feed: FeedId(1),
            provider: "a.test".into(),
            at: now.saturating_add(Duration::from_secs(minutes * 60)),
            reason: Reason::New,
            failures: 0,
            blocked_until: Timestamp::from_seconds(0),
        };
        let known = Known {
            budget: 12.0,
            default_budget: 12.0,
            frontier: Frontier::default(),
            days: Vec::new(),
            polls: Vec::new(),
            // At 22:30 and 23:30, and at 00:30 tomorrow.
            due: vec![due(30), due(90), due(150)],
            learned: Vec::new(),
            habit: AccessHabit::default(),
        };
        let coming = coming(&known, &Visitor::reading_in("Europe/Berlin", now));
        assert_eq!((coming[22], coming[23], coming.iter().sum::<f64>()), (1.0, 1.0, 2.0));
    }

    #[test]
    fn polls_before_reading_are_said_only_when_they_are_more_than_even() {
        let mut reading = [false; 24];
        reading[19] = true;
        assert!(!is_before_reading(&[5; 24], &[0.0; 24], &reading));
        let mut past = [5; 24];
        past[18] = 20;
        assert!(is_before_reading(&past, &[0.0; 24], &reading));
        assert!(!is_before_reading(&past, &[0.0; 24], &[false; 24]));
        assert!(!is_before_reading(&[0; 24], &[0.0; 24], &reading));
    }
}
