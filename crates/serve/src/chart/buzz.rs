//! Buzz: a word over time as a sparkline, mine against everyone's as a bar with a tick, and both over time in full.

use super::{Svg, escaped};
use std::fmt::Write;

const SPARK_WIDTH: f64 = 56.0;
const SPARK_BASE: f64 = 13.5;
const SPARK_TOP: f64 = 2.0;
const BAR_WIDTH: f64 = 92.0;
const RIGHT: f64 = 250.0;
const BASE: f64 = 72.0;
const TOP: f64 = 8.0;
/// Points of one line.
const POINTS_MAX: usize = 200;

fn place(nth: usize) -> f64 {
    f64::from(u32::try_from(nth).unwrap_or(u32::MAX))
}

fn line(values: &[f64], most: f64, x: impl Fn(usize) -> f64, (base, top): (f64, f64)) -> String {
    let mut path = String::new();
    for (nth, value) in values.iter().take(POINTS_MAX).enumerate() {
        let share = if value.is_finite() && most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 };
        let y = base - share * (base - top);
        // Writing to a string does not fail.
        let _ = write!(path, "{}{:.1} {y:.1}", if nth == 0 { 'M' } else { 'L' }, x(nth));
    }
    path
}

/// The line beside it says the same in words, so screen readers pass it over.
pub(crate) fn spark(values: &[u32], is_rising: bool) -> Svg {
    let values: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
    let most = values.iter().copied().fold(1.0, f64::max);
    let last = values.len().clamp(2, POINTS_MAX) - 1;
    let x = |nth: usize| 2.0 + (SPARK_WIDTH - 4.0) * place(nth) / place(last);
    let path = line(&values, most, x, (SPARK_BASE, SPARK_TOP));
    let (stroke, fill) = if is_rising { ("acc", "accf") } else { ("grey", "greyf") };
    let end = values.last().copied().unwrap_or(0.0);
    let y = SPARK_BASE - (end / most).clamp(0.0, 1.0) * (SPARK_BASE - SPARK_TOP);
    Svg(format!(
        "<svg class=\"ch spark\" width=\"{SPARK_WIDTH}\" height=\"16\" viewBox=\"0 0 {SPARK_WIDTH} 16\" aria-hidden=\"true\">\
         <path class=\"{stroke}\" d=\"{path}\"/><circle class=\"{fill}\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"2\"/></svg>",
        x(last)
    ))
}

/// `mine` is the bar, `all` the tick, both of the same whole.
pub(crate) fn against(mine: f64, all: f64, whole: f64) -> Svg {
    let x = |value: f64| {
        let share = if value.is_finite() && whole > 0.0 { (value / whole).clamp(0.0, 1.0) } else { 0.0 };
        share * BAR_WIDTH
    };
    Svg(format!(
        "<svg class=\"ch against\" width=\"96\" height=\"16\" viewBox=\"0 0 96 16\" aria-hidden=\"true\">\
         <rect class=\"accf\" x=\"0\" y=\"5\" width=\"{:.1}\" height=\"6\"/>\
         <path class=\"gap\" d=\"M{1:.1} 2v12\"/><path class=\"tick\" d=\"M{1:.1} 2v12\"/></svg>",
        x(mine),
        x(all).clamp(1.0, BAR_WIDTH + 2.0)
    ))
}

pub(crate) struct Mentions<'a> {
    /// Oldest first, as many of both.
    pub(crate) mine: &'a [u32],
    /// What mine were if my feeds were like all.
    pub(crate) all: &'a [f64],
    pub(crate) mine_label: &'a str,
    pub(crate) all_label: &'a str,
    /// Where along it, as a share, and what stands there.
    pub(crate) marks: &'a [(f64, String)],
    /// The whole picture in words.
    pub(crate) label: &'a str,
}

pub(crate) fn mentions(chart: &Mentions<'_>) -> Svg {
    let mine: Vec<f64> = chart.mine.iter().map(|value| f64::from(*value)).collect();
    let most = mine.iter().chain(chart.all).copied().filter(|value| value.is_finite()).fold(1.0, f64::max);
    let last = mine.len().clamp(2, POINTS_MAX) - 1;
    let x = |nth: usize| RIGHT * place(nth) / place(last);
    let end = |values: &[f64]| {
        let value = values.last().copied().filter(|value| value.is_finite()).unwrap_or(0.0);
        BASE - (value / most).clamp(0.0, 1.0) * (BASE - TOP)
    };
    let own = line(&mine, most, x, (BASE, TOP));
    let others = line(chart.all, most, x, (BASE, TOP));
    // The names never stand on each other.
    let mine_y = (end(&mine) + 4.0).clamp(12.0, BASE);
    let all_y = (end(chart.all) + 4.0).clamp(12.0, BASE);
    let (mine_y, all_y) = if (mine_y - all_y).abs() >= 14.0 {
        (mine_y, all_y)
    } else if mine_y <= all_y {
        let mine_y = mine_y.min(BASE - 14.0);
        (mine_y, mine_y + 14.0)
    } else {
        let all_y = all_y.min(BASE - 14.0);
        (all_y + 14.0, all_y)
    };
    let mut out = format!(
        "<svg class=\"ch mentions\" width=\"320\" height=\"96\" viewBox=\"0 0 320 96\" role=\"img\" aria-label=\"{}\">\
         <path class=\"band\" d=\"{own}L{:.1} {BASE}L0 {BASE}Z\"/><path class=\"grey\" d=\"{others}\"/>\
         <path class=\"acc\" d=\"{own}\"/><path class=\"axis\" d=\"M0 {BASE}.5H320\"/>\
         <text class=\"ta\" x=\"258\" y=\"{mine_y:.0}\">{}</text><text class=\"t2\" x=\"258\" y=\"{all_y:.0}\">{}</text>",
        escaped(chart.label),
        x(last),
        escaped(chart.mine_label),
        escaped(chart.all_label)
    );
    for (share, text) in chart.marks.iter().take(8) {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let anchor = if share < 0.04 { "start" } else { "middle" };
        let _ = write!(
            out,
            "<text x=\"{:.0}\" y=\"90\" text-anchor=\"{anchor}\">{}</text>",
            share * RIGHT,
            escaped(text)
        );
    }
    out.push_str("</svg>");
    Svg(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_over_time_is_a_small_line_whatever_the_numbers_are() {
        let svg = spark(&[0, 0, 3, 9], true).to_string();
        assert!(
            svg.contains("class=\"acc\"") && svg.contains("M2.0 13.5") && svg.contains("cy=\"2.0\""),
            "{svg}"
        );
        for odd in [&[][..], &[7][..], &[0, 0][..]] {
            let svg = spark(odd, false).to_string();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
        assert!(spark(&vec![u32::MAX; 100_000], false).to_string().len() < 4_000);
    }

    #[test]
    fn mine_is_a_bar_and_everyones_a_tick() {
        let svg = against(0.5, 0.125, 0.5).to_string();
        assert!(svg.contains("width=\"92.0\" height=\"6\"") && svg.contains("M23.0 2v12"), "{svg}");
        assert!(!against(f64::NAN, f64::INFINITY, 0.0).to_string().contains("NaN"));
    }

    #[test]
    fn names_do_not_stand_on_each_other_and_words_are_words() {
        let chart = |mine: &[u32], all: &[f64]| {
            mentions(&Mentions {
                mine,
                all,
                mine_label: "mine",
                all_label: "<all>",
                marks: &[(0.0, "00".into()), (f64::NAN, "06".into())],
                label: "a \"word\"",
            })
            .to_string()
        };
        let svg = chart(&[0, 5], &[0.0, 5.0]);
        assert!(svg.contains("y=\"12\">mine") && svg.contains("y=\"26\">&lt;all&gt;"), "{svg}");
        assert!(svg.contains("a &quot;word&quot;"));
        assert!(!chart(&[], &[f64::NAN]).contains("NaN"));
    }
}
