//! The week as 7 × 24 cells: when something happens, in five steps of the accent.

use super::{Svg, escaped};
use std::fmt::Write;

/// Counts by day (0 = Monday) and hour, in the person's zone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Week(pub(crate) [[u32; 24]; 7]);

/// What a week says in a few words; the pages put it in sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finding {
    TooLittle,
    /// No hour stands out.
    AllOver,
    /// Mostly between these hours, on these days.
    Hours {
        from: u8,
        to: u8,
        days: Days,
    },
    /// On these days, at any hour.
    OnDays(Days),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Days {
    Every,
    Weekdays,
    Weekends,
}

/// With fewer events a pattern is chance.
const EVENTS_MIN: u32 = 12;
/// A window has to hold this share of everything to be a finding.
const WINDOW_SHARE: f64 = 0.6;
const WINDOW_HOURS_MAX: usize = 10;
const DAYS_SHARE: f64 = 0.92;

impl Week {
    pub(crate) fn add(&mut self, day: usize, hour: usize) {
        if let Some(cell) = self.0.get_mut(day).and_then(|hours| hours.get_mut(hour)) {
            *cell = cell.saturating_add(1);
        }
    }

    pub(crate) fn total(&self) -> u32 {
        self.0.iter().flatten().fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// The shortest run of hours that holds most of what happens, and whether days differ.
    pub(crate) fn finding(&self) -> Finding {
        let total = f64::from(self.total());
        if self.total() < EVENTS_MIN {
            return Finding::TooLittle;
        }
        let share = |n: u32| f64::from(n) / total;
        let weekend: u32 = self.0.iter().skip(5).flatten().sum();
        let days = if share(weekend) <= 1.0 - DAYS_SHARE {
            Days::Weekdays
        } else if share(weekend) >= DAYS_SHARE {
            Days::Weekends
        } else {
            Days::Every
        };
        let mut hours = [0_u32; 24];
        for day in &self.0 {
            for (sum, n) in hours.iter_mut().zip(day) {
                *sum = sum.saturating_add(*n);
            }
        }
        for length in 1..=WINDOW_HOURS_MAX {
            let best = (0..24).map(|from| {
                let held: u32 = (0..length).filter_map(|at| hours.get((from + at) % 24)).sum();
                (held, from)
            });
            // Of equals the earliest.
            if let Some((held, from)) = best.max_by_key(|(held, from)| (*held, std::cmp::Reverse(*from)))
                && share(held) >= WINDOW_SHARE
            {
                let hour = |at: usize| u8::try_from(at % 24).unwrap_or(0);
                return Finding::Hours { from: hour(from), to: hour(from + length), days };
            }
        }
        if days == Days::Every { Finding::AllOver } else { Finding::OnDays(days) }
    }
}

/// `days` are seven short names, Monday first.
pub(crate) fn week(week: &Week, days: &[&str; 7], label: &str) -> Svg {
    const LEFT: usize = 39;
    const PITCH_X: usize = 21;
    const PITCH_Y: usize = 18;
    let most = week.0.iter().flatten().copied().max().unwrap_or(0);
    let mut out = String::from(
        "<svg class=\"ch week\" width=\"544\" height=\"148\" viewBox=\"0 0 544 148\" role=\"img\"",
    );
    // Writing to a string does not fail.
    let _ = write!(out, " aria-label=\"{}\">", escaped(label));
    for (row, (hours, name)) in week.0.iter().zip(days).enumerate() {
        let y = row * PITCH_Y;
        let _ = write!(out, "<text x=\"0\" y=\"{}\">{}</text>", y + 13, escaped(name));
        let _ = write!(out, "<path class=\"cells\" d=\"");
        for column in 0..24 {
            let _ = write!(out, "M{} {y}h19v16h-19z", LEFT + column * PITCH_X);
        }
        out.push_str("\"/>");
        for (column, n) in hours.iter().enumerate().filter(|(_, n)| **n > 0) {
            let x = LEFT + column * PITCH_X;
            let _ = write!(
                out,
                "<rect class=\"heat\" fill-opacity=\"{}\" x=\"{x}\" y=\"{y}\" width=\"19\" height=\"16\" rx=\"1.5\"/>",
                step(*n, most)
            );
        }
    }
    for (hour, anchor) in [(0, "start"), (6, "middle"), (12, "middle"), (18, "middle"), (24, "end")] {
        let x = LEFT + hour * PITCH_X;
        let _ = write!(out, "<text x=\"{x}\" y=\"144\" text-anchor=\"{anchor}\">{hour:02}</text>");
    }
    out.push_str("</svg>");
    Svg(out)
}

/// Five steps; even a single event is seen.
fn step(n: u32, most: u32) -> &'static str {
    let share = f64::from(n) / f64::from(most.max(1));
    match share {
        share if share > 0.8 => "1",
        share if share > 0.55 => "0.72",
        share if share > 0.35 => "0.5",
        share if share > 0.15 => "0.28",
        _ => "0.14",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(events: &[(usize, usize, u32)]) -> Week {
        let mut week = Week::default();
        for (day, hour, n) in events {
            for _ in 0..*n {
                week.add(*day, *hour);
            }
        }
        week
    }

    #[test]
    fn a_feed_of_office_hours_is_said_so() {
        let week = with(&[(0, 14, 5), (1, 15, 5), (2, 16, 5), (3, 17, 5), (4, 9, 2)]);
        assert_eq!(week.finding(), Finding::Hours { from: 14, to: 17, days: Days::Weekdays });
    }

    #[test]
    fn a_window_may_lie_over_midnight() {
        let week = with(&[(5, 23, 10), (6, 0, 10), (2, 12, 1)]);
        assert!(matches!(week.finding(), Finding::Hours { from: 23, to: 1, .. }), "{:?}", week.finding());
    }

    #[test]
    fn too_little_is_no_finding_and_no_pattern_is_said_too() {
        assert_eq!(with(&[(1, 1, 11)]).finding(), Finding::TooLittle);
        let mut flat = Week::default();
        for day in 0..7 {
            for hour in 0..24 {
                flat.add(day, hour);
            }
        }
        assert_eq!(flat.finding(), Finding::AllOver);
        flat.add(7, 3);
        flat.add(3, 24);
        assert_eq!(flat.total(), 168, "what is outside the week is not counted");
    }

    #[test]
    fn the_picture_has_five_steps_and_a_text() {
        let days = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "<b>"];
        let Svg(svg) = week_picture(&with(&[(0, 0, 10), (0, 1, 7), (0, 2, 4), (0, 3, 2), (0, 4, 1)]), &days);
        for opacity in ["\"1\"", "0.72", "0.5", "0.28", "0.14"] {
            assert!(svg.contains(opacity), "{opacity} in {svg}");
        }
        assert!(svg.contains("&lt;b&gt;") && svg.contains("aria-label=\"posts\""));
    }

    fn week_picture(counts: &Week, days: &[&str; 7]) -> Svg {
        week(counts, days, "posts")
    }
}
