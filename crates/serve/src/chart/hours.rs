//! Today by hour: polls that were made, polls that are to come, and when the person reads.

use super::{Svg, escaped};
use std::fmt::Write;

pub(crate) struct HoursChart<'a> {
    pub(crate) past: &'a [u64; 24],
    /// Of the hours to come, and of the rest of this one.
    pub(crate) coming: &'a [f64; 24],
    /// Hours in which the person usually reads.
    pub(crate) reading: &'a [bool; 24],
    /// How much of the day is over, from 0 to 1.
    pub(crate) now: f64,
    pub(crate) now_label: &'a str,
    pub(crate) reading_label: &'a str,
    /// The whole picture in words.
    pub(crate) label: &'a str,
}

const WIDTH: f64 = 368.0;
const BASE: f64 = 160.0;
const HEIGHT: f64 = 136.0;
const PITCH: f64 = WIDTH / 24.0;
const BAR: f64 = 9.3;

pub(crate) fn hours(chart: &HoursChart<'_>) -> Svg {
    let mut out = format!(
        "<svg class=\"ch hours\" width=\"368\" height=\"184\" viewBox=\"0 0 368 184\" role=\"img\" \
         aria-label=\"{}\">",
        escaped(chart.label)
    );
    let whole = |hour: usize| count(chart.past.get(hour)) + sane(chart.coming.get(hour).copied());
    let most = (0..24).map(whole).fold(1.0, f64::max);
    bands(&mut out, chart);
    for hour in 0..24 {
        let x = f64::from(u8::try_from(hour).unwrap_or(0)) * PITCH + (PITCH - BAR) / 2.0;
        let (made, to_come) = (count(chart.past.get(hour)), sane(chart.coming.get(hour).copied()));
        let height = made / most * HEIGHT;
        // Writing to a string does not fail.
        if made > 0.0 {
            let y = BASE - height;
            let _ = write!(
                out,
                "<rect class=\"greyf soft\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{BAR}\" height=\"{height:.1}\"/>"
            );
        }
        if to_come > 0.0 {
            let more = to_come / most * HEIGHT;
            let _ = write!(
                out,
                "<rect class=\"coming\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{more:.1}\"/>",
                x + 0.5,
                BASE - height - more,
                BAR - 1.0
            );
        }
    }
    let _ = write!(out, "<path class=\"axis\" d=\"M0 {BASE}.5H{WIDTH}\"/>");
    let at = if chart.now.is_finite() { chart.now.clamp(0.0, 1.0) * WIDTH } else { 0.0 };
    let (x, anchor) = if at > WIDTH / 2.0 { (at - 6.0, "end") } else { (at + 6.0, "start") };
    let _ = write!(
        out,
        "<path class=\"now\" d=\"M{at:.1} 0V164\"/><text class=\"t1\" x=\"{x:.1}\" y=\"14\" \
         text-anchor=\"{anchor}\">{}</text>",
        escaped(chart.now_label)
    );
    for (hour, anchor) in [(0, "start"), (6, "middle"), (12, "middle"), (18, "middle"), (24, "end")] {
        let x = f64::from(hour) * PITCH;
        let _ = write!(out, "<text x=\"{x}\" y=\"180\" text-anchor=\"{anchor}\">{hour:02}</text>");
    }
    out.push_str("</svg>");
    Svg(out)
}

fn bands(out: &mut String, chart: &HoursChart<'_>) {
    let mut hour = 0;
    let mut named = false;
    while hour < 24 {
        let length = chart.reading.iter().skip(hour).take_while(|reads| **reads).count();
        if length > 0 {
            let edge = |hour: usize| f64::from(u8::try_from(hour).unwrap_or(0)) * PITCH;
            let (from, to) = (edge(hour), edge(hour + length));
            let width = to - from;
            let _ = write!(
                out,
                "<rect class=\"band\" x=\"{from:.1}\" y=\"0\" width=\"{width:.1}\" height=\"{BASE}\"/>"
            );
            let is_last = chart.reading.iter().skip(hour + length).all(|reads| !reads);
            if is_last && !named {
                named = true;
                let (x, anchor) = if to > WIDTH * 0.8 { (from - 6.0, "end") } else { (to + 6.0, "start") };
                // The word for now stands at the top; this one a line below it where both would meet.
                let now = chart.now.clamp(0.0, 1.0) * WIDTH;
                let y = if (now - x).abs() < 80.0 { 30 } else { 14 };
                let label = escaped(chart.reading_label);
                let _ = write!(
                    out,
                    "<text class=\"ta\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\">{label}</text>"
                );
            }
        }
        hour += length.max(1);
    }
}

fn count(n: Option<&u64>) -> f64 {
    f64::from(u32::try_from(n.copied().unwrap_or(0)).unwrap_or(u32::MAX))
}

fn sane(value: Option<f64>) -> f64 {
    value.filter(|value| value.is_finite()).map_or(0.0, |value| value.clamp(0.0, 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_polls_are_filled_and_coming_ones_hollow_above_them() {
        let (mut past, mut coming, mut reading) = ([0; 24], [0.0; 24], [false; 24]);
        past[6] = 30;
        past[12] = 15;
        coming[12] = 15.0;
        reading[19] = true;
        reading[20] = true;
        let chart = HoursChart {
            past: &past,
            coming: &coming,
            reading: &reading,
            now: 0.52,
            now_label: "now",
            reading_label: "you <read>",
            label: "polls",
        };
        let svg = hours(&chart).to_string();
        assert!(svg.contains("y=\"24.0\" width=\"9.3\" height=\"136.0\""), "the tallest fills: {svg}");
        assert_eq!((svg.matches("greyf soft").count(), svg.matches("coming").count()), (2, 1));
        assert_eq!(svg.matches("class=\"band\"").count(), 1, "two hours are one band");
        assert!(svg.contains("you &lt;read&gt;"));
    }

    #[test]
    fn odd_numbers_stay_inside_the_picture() {
        let chart = HoursChart {
            past: &[u64::MAX; 24],
            coming: &[f64::NAN; 24],
            reading: &[true; 24],
            now: f64::NAN,
            now_label: "",
            reading_label: "",
            label: "",
        };
        let svg = hours(&chart).to_string();
        assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
    }
}
