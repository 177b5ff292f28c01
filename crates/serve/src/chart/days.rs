//! Two lines over some days: what came true, and what was expected.

use super::{Svg, escaped};
use std::fmt::Write;

pub(crate) struct DaysChart<'a> {
    /// Oldest first; None where nothing is known.
    pub(crate) realised: &'a [Option<f64>],
    pub(crate) expected: &'a [Option<f64>],
    /// Name of the upper line of the grid, and its height.
    pub(crate) top: (f64, &'a str),
    /// A day that stands out, and why.
    pub(crate) note: Option<(usize, &'a str)>,
    pub(crate) realised_label: &'a str,
    pub(crate) expected_label: &'a str,
    pub(crate) from_label: &'a str,
    pub(crate) to_label: &'a str,
    /// The whole picture in words.
    pub(crate) label: &'a str,
}

const RIGHT: f64 = 304.0;
const BASE: f64 = 88.0;
const TOP: f64 = 8.0;

impl DaysChart<'_> {
    fn x(&self, day: usize) -> f64 {
        let last = self.realised.len().max(2) - 1;
        RIGHT * (place(day) / place(last)).clamp(0.0, 1.0)
    }

    fn y(&self, value: f64) -> f64 {
        let share = if value.is_finite() { value / self.top.0.max(1e-9) } else { 0.0 };
        BASE - share.clamp(0.0, 1.0) * (BASE - TOP)
    }

    /// Broken where nothing is known.
    fn line(&self, values: &[Option<f64>]) -> String {
        let (mut path, mut is_on) = (String::new(), false);
        for (day, value) in values.iter().enumerate() {
            let Some(value) = value else {
                is_on = false;
                continue;
            };
            // Writing to a string does not fail.
            let _ = write!(path, "{}{:.1} {:.1}", if is_on { 'L' } else { 'M' }, self.x(day), self.y(*value));
            is_on = true;
        }
        path
    }
}

pub(crate) fn days(chart: &DaysChart<'_>) -> Svg {
    let mut out = format!(
        "<svg class=\"ch days\" width=\"368\" height=\"112\" viewBox=\"0 0 368 112\" role=\"img\" aria-label=\"{}\">\
         <path class=\"axis\" d=\"M0 {BASE}.5H{RIGHT}\"/><path class=\"grid\" d=\"M0 48.5H{RIGHT}\"/>\
         <path class=\"grid\" d=\"M0 {TOP}.5H{RIGHT}\"/>",
        escaped(chart.label)
    );
    let _ = write!(out, "<path class=\"grey\" d=\"{}\"/>", chart.line(chart.expected));
    let _ = write!(out, "<path class=\"acc\" d=\"{}\"/>", chart.line(chart.realised));
    for (day, value) in chart.realised.iter().enumerate() {
        if let Some(value) = value {
            let _ = write!(
                out,
                "<circle class=\"accf\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"/>",
                chart.x(day),
                chart.y(*value)
            );
        }
    }
    let last = |values: &[Option<f64>]| values.iter().rev().flatten().next().map(|value| chart.y(*value));
    let ours = last(chart.realised).unwrap_or(42.0).clamp(26.0, 74.0);
    let other = last(chart.expected).unwrap_or(61.0).clamp(26.0, 74.0);
    // Two names that would touch stand one below the other, between the names of the grid.
    let (ours, other) = if (ours - other).abs() >= 15.0 {
        (ours, other)
    } else {
        let middle = ((ours + other) / 2.0).clamp(34.0, 66.0);
        if ours <= other { (middle - 7.5, middle + 7.5) } else { (middle + 7.5, middle - 7.5) }
    };
    let mut text = |class: &str, x: f64, y: f64, anchor: &str, words: &str| {
        let words = escaped(words);
        let _ = write!(
            out,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"
        );
    };
    text("ta", 312.0, ours + 4.0, "start", chart.realised_label);
    text("t2", 312.0, other + 4.0, "start", chart.expected_label);
    text("", 312.0, 12.0, "start", chart.top.1);
    text("", 312.0, 92.0, "start", "0");
    text("", 0.0, 108.0, "start", chart.from_label);
    text("", RIGHT, 108.0, "end", chart.to_label);
    if let Some((day, words)) = chart.note {
        let x = chart.x(day);
        let (x, anchor) = if x > RIGHT / 2.0 { (x - 8.0, "end") } else { (x + 8.0, "start") };
        text("t2", x, 23.0, anchor, words);
    }
    out.push_str("</svg>");
    Svg(out)
}

fn place(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(realised: &[Option<f64>], expected: &[Option<f64>]) -> String {
        let chart = DaysChart {
            realised,
            expected,
            top: (60.0, "60 min"),
            note: Some((1, "a <bad> day")),
            realised_label: "realised",
            expected_label: "expected",
            from_label: "3 Nov",
            to_label: "today",
            label: "two lines",
        };
        days(&chart).to_string()
    }

    #[test]
    fn a_day_without_polls_breaks_the_line() {
        let svg = draw(&[Some(30.0), None, Some(60.0), Some(0.0)], &[Some(30.0); 4]);
        assert!(svg.contains("M0.0 48.0M202.7 8.0L304.0 88.0"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("a &lt;bad&gt; day"));
    }

    #[test]
    fn odd_numbers_stay_inside_the_picture() {
        for values in [&[][..], &[Some(f64::NAN)], &[Some(f64::INFINITY), Some(-7.0)]] {
            let svg = draw(values, values);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
