//! One day from midnight to midnight: expected posts as an area, past polls as dots, planned ones as ticks.

use super::{Svg, escaped};
use std::fmt::Write;

/// Half hours of a day.
pub(crate) const STEPS: usize = 48;
/// Where the area stands.
const BASE: f64 = 104.0;
const AREA: f64 = 78.0;
/// Room for a time of the day in words, with some air.
const LABEL: f64 = 56.0;

/// How wide a picture is drawn; words keep their size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Width {
    #[default]
    Page,
    Phone,
}

impl Width {
    const fn units(self) -> f64 {
        match self {
            Width::Page => 1136.0,
            Width::Phone => 350.0,
        }
    }

    /// Hours between two numbers of the axis.
    const fn hours(self) -> usize {
        match self {
            Width::Page => 3,
            Width::Phone => 6,
        }
    }

    fn x(self, at: f64) -> f64 {
        let at = if at.is_finite() { at } else { 0.0 };
        at.clamp(0.0, 1.0) * self.units()
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct DayStrip<'a> {
    /// Posts to expect in each half hour; None when too little is known.
    pub(crate) expected: Option<[f64; STEPS]>,
    pub(crate) past: &'a [PastPoll],
    pub(crate) planned: &'a [Planned],
    /// Hours in which the person usually reads.
    pub(crate) reading: Option<[bool; 24]>,
    pub(crate) reading_label: &'a str,
    /// All places in the day are fractions of it.
    pub(crate) now: f64,
    /// Such as `now 18:22`.
    pub(crate) now_label: &'a str,
    pub(crate) expected_label: &'a str,
    /// The whole picture in words.
    pub(crate) label: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PastPoll {
    pub(crate) at: f64,
    pub(crate) kind: PollKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PollKind {
    New,
    Nothing,
    Failed,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planned {
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// Posts a half hour to expect from when posts came: places in the day, smoothed so that one post is no certainty.
pub(crate) fn expected(posts: impl Iterator<Item = f64>, days: f64) -> [f64; STEPS] {
    /// Weights of a half hour and its neighbours; they sum to one.
    const KERNEL: [(usize, f64); 5] = [(0, 0.1), (1, 0.2), (2, 0.4), (3, 0.2), (4, 0.1)];
    let mut counts = [0.0; STEPS];
    for at in posts.filter(|at| at.is_finite()) {
        let step = index(at);
        for (offset, weight) in KERNEL {
            if let Some(count) = counts.get_mut((step + STEPS + offset - 2) % STEPS) {
                *count += weight / days.max(1.0);
            }
        }
    }
    counts
}

pub(crate) fn strip(day: &DayStrip<'_>, width: Width) -> Svg {
    let (units, x) = (width.units(), |at: f64| width.x(at));
    let class = if width == Width::Page { "page" } else { "phone" };
    let mut out = format!(
        "<svg class=\"ch strip {class}\" width=\"{units}\" height=\"152\" viewBox=\"0 0 {units} 152\" role=\"img\""
    );
    // Writing to a string does not fail.
    let _ = write!(out, " aria-label=\"{}\">", escaped(day.label));
    if let Some(reading) = &day.reading {
        bands(&mut out, reading, day, width);
    }
    if let Some(expected) = &day.expected {
        area(&mut out, expected, day, width);
    }
    let _ = write!(out, "<path class=\"axis\" d=\"M0 {BASE}.5H{units}\"/>");
    for hour in (0..=24_u8).step_by(width.hours()) {
        let anchor = match hour {
            0 => "start",
            24 => "end",
            _ => "middle",
        };
        let at = x(f64::from(hour) / 24.0);
        let _ = write!(out, "<text x=\"{at:.1}\" y=\"148\" text-anchor=\"{anchor}\">{hour:02}</text>");
    }
    for poll in day.past {
        let class = match poll.kind {
            PollKind::New => "greyf",
            PollKind::Nothing => "hollow",
            PollKind::Failed => "alertf",
        };
        let _ = write!(out, "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"120\" r=\"3.5\"/>", x(poll.at));
    }
    let at = x(day.now);
    let side = if day.now > 0.3 { (at - 8.0, "end") } else { (at + 8.0, "start") };
    let _ = write!(
        out,
        "<path class=\"now\" d=\"M{at:.1} 0V128\"/><text class=\"t1\" x=\"{:.1}\" y=\"12\" text-anchor=\"{}\">{}</text>",
        side.0,
        side.1,
        escaped(day.now_label)
    );
    for planned in day.planned {
        let _ = write!(out, "<path class=\"acc\" d=\"M{:.1} {BASE}V128\"/>", x(planned.at));
    }
    // Over the ticks, with the page's colour around them; a name that would touch the one before is left to the table.
    let mut free_from = 0.0;
    for planned in day.planned.iter().filter(|planned| !planned.label.is_empty()) {
        let at = x(planned.at);
        let (text, anchor) = if at + LABEL > units { (at - 8.0, "end") } else { (at + 8.0, "start") };
        if at < free_from {
            continue;
        }
        free_from = at + LABEL;
        let label = escaped(&planned.label);
        let _ = write!(
            out,
            "<text class=\"ta over\" x=\"{text:.1}\" y=\"125\" text-anchor=\"{anchor}\">{label}</text>"
        );
    }
    out.push_str("</svg>");
    Svg(out)
}

/// A band per run of hours; each is named where there is room for the words.
fn bands(out: &mut String, reading: &[bool; 24], day: &DayStrip<'_>, width: Width) {
    const WORDS: f64 = 64.0;
    let mut hour = 0;
    while hour < reading.len() {
        let length = reading.iter().skip(hour).take_while(|reads| **reads).count();
        if length > 0 {
            let (from, to) = (width.x(place(hour) / 24.0), width.x(place(hour + length) / 24.0));
            let wide = to - from;
            let _ = write!(
                out,
                "<rect class=\"band\" x=\"{from:.1}\" y=\"0\" width=\"{wide:.1}\" height=\"{BASE}\"/>"
            );
            // Not under the line that says what time it is.
            let now = width.x(day.now);
            let from = if (from..from + WORDS).contains(&now) { now } else { from };
            if to - from >= WORDS {
                let (at, label) = (from + 8.0, escaped(day.reading_label));
                let _ = write!(out, "<text class=\"ta\" x=\"{at:.1}\" y=\"28\">{label}</text>");
            }
        }
        hour += length.max(1);
    }
}

fn area(out: &mut String, expected: &[f64; STEPS], day: &DayStrip<'_>, width: Width) {
    let (units, x) = (width.units(), |at: f64| width.x(at));
    let most = expected.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return;
    }
    let y = |value: f64| BASE - 4.0 - value.max(0.0) / most * AREA;
    let mut line = String::new();
    let first = expected.first().copied().unwrap_or(0.0);
    let _ = write!(line, "0 {:.1}", y(first));
    let mut top = (0.0, first);
    for (step, value) in expected.iter().enumerate() {
        let at = (place(step) + 0.5) / place(STEPS);
        if *value > top.1 {
            top = (at, *value);
        }
        let _ = write!(line, "L{:.1} {:.1}", x(at), y(*value));
    }
    let last = expected.last().copied().unwrap_or(0.0);
    let _ = write!(line, "L{units} {:.1}", y(last));
    let _ = write!(out, "<path class=\"area\" d=\"M{line}L{units} {BASE}L0 {BASE}Z\"/>");
    let _ = write!(out, "<path class=\"grey\" d=\"M{line}\"/>");
    // The words stand beside the highest place; on a phone there is no room but above, where the time now is not.
    let (at, y, anchor) = match width {
        Width::Page if top.0 > 0.5 => (x(top.0) - units / 16.0, 36, "end"),
        Width::Page => (x(top.0) + units / 16.0, 36, "start"),
        Width::Phone if day.now > 0.5 => (0.0, 12, "start"),
        Width::Phone => (units, 12, "end"),
    };
    let label = escaped(day.expected_label);
    let _ = write!(out, "<text class=\"t2\" x=\"{at:.1}\" y=\"{y}\" text-anchor=\"{anchor}\">{label}</text>");
}

fn place(step: usize) -> f64 {
    f64::from(u32::try_from(step).unwrap_or(0))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the half hours of a day"
)]
fn index(at: f64) -> usize {
    (at.clamp(0.0, 0.999) * place(STEPS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_are_dots_where_they_were_and_hollow_when_nothing_was_new() {
        let past = [
            PastPoll { at: 0.5, kind: PollKind::New },
            PastPoll { at: 0.25, kind: PollKind::Nothing },
            PastPoll { at: 0.1, kind: PollKind::Failed },
        ];
        let planned = [Planned { at: 0.75, label: "18:00".into() }];
        let day = DayStrip {
            past: &past,
            planned: &planned,
            now: 0.6,
            now_label: "now 14:24",
            ..DayStrip::default()
        };
        let svg = strip(&day, Width::Page).to_string();
        assert!(
            svg.contains("class=\"greyf\" cx=\"568.0\"") && svg.contains("class=\"hollow\" cx=\"284.0\""),
            "{svg}"
        );
        assert!(svg.contains("alertf") && svg.contains("M852.0 104V128") && svg.contains(">18:00<"));
        assert!(!svg.contains("area"), "nothing is expected where nothing is known");
        let phone = strip(&day, Width::Phone).to_string();
        assert!(phone.contains("cx=\"175.0\"") && !phone.contains(">03<"), "{phone}");
    }

    #[test]
    fn expected_posts_add_up_and_flow_over_midnight() {
        let posts = expected([0.0, 0.5, f64::NAN].into_iter(), 2.0);
        assert!((posts.iter().sum::<f64>() - 1.0).abs() < 1e-9, "two posts in two days");
        assert!(posts[STEPS - 1] > 0.0 && posts[1] > 0.0 && posts[24] > posts[25]);
    }

    #[test]
    fn odd_numbers_stay_inside_the_picture() {
        let past =
            [PastPoll { at: f64::NAN, kind: PollKind::New }, PastPoll { at: 7.0, kind: PollKind::New }];
        let day =
            DayStrip { expected: Some([f64::MIN; STEPS]), past: &past, now: -1.0, ..DayStrip::default() };
        let svg = strip(&day, Width::Page).to_string();
        assert!(!svg.contains("NaN") && svg.contains("cx=\"1136.0\"") && svg.contains("M0.0 0V128"), "{svg}");
    }
}
