//! The frontier: mean delay against polls a day, ours and evenly spread, with where we are.
//!
//! Each budget that can be chosen has its own marks in the picture, all but one hidden: the script that follows the
//! slider only says which is shown.

use super::{Svg, escaped};
use std::fmt::Write;

/// One budget and what it buys; delays in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) polls: f64,
    pub(crate) delay_s: f64,
    pub(crate) even_delay_s: f64,
    /// Where even polling is as fresh, in polls; None beyond the picture.
    pub(crate) even_polls: Option<f64>,
    /// Such as `12`.
    pub(crate) name: String,
    /// Such as `31 min with 12 polls`, and what even polling would need.
    pub(crate) finding: [String; 2],
}

pub(crate) struct FrontierChart<'a> {
    /// At least two, by rising polls.
    pub(crate) steps: &'a [Step],
    /// The budget in force.
    pub(crate) now: usize,
    pub(crate) ours_label: &'a str,
    pub(crate) even_label: &'a str,
    pub(crate) axis_label: &'a str,
    /// Names of the lines of the grid, from nothing up: such as `0`, `1 h`, `2 h`.
    pub(crate) levels: &'a [(f64, String)],
    /// The whole picture in words.
    pub(crate) label: &'a str,
    pub(crate) is_phone: bool,
}

const TOP: f64 = 8.0;
const BASE: f64 = 296.0;
const LEFT: f64 = 48.0;
/// A smooth line has so many pieces between two budgets.
const PIECES: u32 = 8;

impl FrontierChart<'_> {
    fn units(&self) -> (f64, f64) {
        if self.is_phone { (350.0, 334.0) } else { (704.0, 688.0) }
    }

    /// Steps are equally far from each other, as on the slider below; between them the logarithm of polls decides.
    fn x(&self, polls: f64) -> f64 {
        let sane = |polls: f64| polls.clamp(1e-3, 1e6);
        let mut place = 0.0;
        for pair in self.steps.windows(2) {
            let [left, right] = pair else { continue };
            let (low, high) = (sane(left.polls), sane(right.polls));
            let share = (sane(polls) / low).ln() / (high / low).ln();
            place += if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        }
        let last = f64::from(u32::try_from(self.steps.len().max(2) - 1).unwrap_or(1));
        LEFT + place / last * (self.units().1 - LEFT)
    }

    fn y(&self, delay_s: f64) -> f64 {
        let top = self.levels.last().map_or(1.0, |(level, _)| level.max(1.0));
        let share = if delay_s.is_finite() { (delay_s / top).clamp(0.0, 1.0) } else { 1.0 };
        BASE - share * (BASE - TOP)
    }

    /// Through the points; between them delay falls like a power of polls, as it does for even polling.
    fn line(&self, of: fn(&Step) -> f64) -> String {
        let mut path = String::new();
        for pair in self.steps.windows(2) {
            let [left, right] = pair else { continue };
            let (low, high) = (left.polls.max(1e-3).ln(), right.polls.max(1e-3).ln());
            let (from, to) = (of(left).max(1e-3).ln(), of(right).max(1e-3).ln());
            for piece in 0..=PIECES {
                if piece == 0 && !path.is_empty() {
                    continue;
                }
                let share = f64::from(piece) / f64::from(PIECES);
                let (polls, delay) = ((low + share * (high - low)).exp(), (from + share * (to - from)).exp());
                let start = if path.is_empty() { 'M' } else { 'L' };
                // Writing to a string does not fail.
                let _ = write!(path, "{start}{:.1} {:.1}", self.x(polls), self.y(delay));
            }
        }
        path
    }
}

pub(crate) fn frontier(chart: &FrontierChart<'_>) -> Svg {
    let (width, right) = chart.units();
    let class = if chart.is_phone { "phone" } else { "page" };
    let mut out = format!(
        "<svg class=\"ch strip frontier {class}\" width=\"{width}\" height=\"324\" viewBox=\"0 0 {width} 324\" \
         role=\"img\" aria-label=\"{}\">",
        escaped(chart.label)
    );
    for (place, (level, name)) in chart.levels.iter().enumerate() {
        let (class, y) = (if place == 0 { "axis" } else { "grid" }, chart.y(*level));
        let _ = write!(
            out,
            "<path class=\"{class}\" d=\"M{LEFT} {y:.1}H{right}\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            y + 4.0,
            escaped(name)
        );
    }
    let _ = write!(out, "<path class=\"faint\" d=\"{}\"/>", chart.line(|step| step.even_delay_s));
    let _ = write!(out, "<path class=\"acc strong\" d=\"{}\"/>", chart.line(|step| step.delay_s));
    let axis = escaped(chart.axis_label);
    let _ = write!(out, "<text x=\"{right}\" y=\"26\" text-anchor=\"end\">{axis}</text>");
    names(&mut out, chart);
    for (place, step) in chart.steps.iter().enumerate() {
        marks(&mut out, chart, place, step);
    }
    out.push_str("</svg>");
    Svg(out)
}

/// The names of the lines, each where its line leaves room: above ours at the left end, above the even one inwards.
fn names(out: &mut String, chart: &FrontierChart<'_>) {
    let at = |place: usize| chart.steps.get(place.min(chart.steps.len().saturating_sub(1)));
    if let Some(first) = at(0) {
        let _ = write!(
            out,
            "<text class=\"ta\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            chart.x(first.polls) + 12.0,
            (chart.y(first.delay_s) + 44.0).min(BASE - 8.0),
            escaped(chart.ours_label)
        );
    }
    if let Some(second) = at(1) {
        let _ = write!(
            out,
            "<text class=\"t2\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            chart.x(second.polls) + 14.0,
            (chart.y(second.even_delay_s) - 4.0).max(44.0),
            escaped(chart.even_label)
        );
    }
}

/// The point, its arrow to even polling, its words and its number on the axis.
fn marks(out: &mut String, chart: &FrontierChart<'_>, place: usize, step: &Step) {
    let (x, y) = (chart.x(step.polls), chart.y(step.delay_s));
    let shown = if place == chart.now { "" } else { " hidden" };
    let anchor = if place == 0 {
        "start"
    } else if place + 1 == chart.steps.len() {
        "end"
    } else {
        "middle"
    };
    let name = escaped(&step.name);
    let _ = write!(out, "<text x=\"{x:.1}\" y=\"318\" text-anchor=\"{anchor}\">{name}</text>");
    let _ = write!(out, "<g class=\"here{shown}\" data-step=\"{place}\">");
    let _ = write!(out, "<text class=\"ta\" x=\"{x:.1}\" y=\"318\" text-anchor=\"{anchor}\">{name}</text>");
    if let Some(even) = step.even_polls.map(|polls| chart.x(polls)).filter(|even| *even > x + 24.0) {
        let tip = even - 2.0;
        let _ = write!(
            out,
            "<path class=\"ink\" d=\"M{:.1} {y:.1}H{tip:.1}M{:.1} {:.1}l5 4l-5 4\"/>",
            x + 9.0,
            tip - 5.0,
            y - 4.0
        );
    }
    let _ = write!(out, "<path class=\"drop\" d=\"M{x:.1} {:.1}V304\"/>", y + 7.0);
    let _ = write!(out, "<circle class=\"accf\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\"/>");
    // To the right of the point and above both lines, or to the left where the picture ends.
    let (at, anchor) =
        if x > chart.units().0 * 0.62 { (chart.units().1, "end") } else { (x + 11.0, "start") };
    let above = (chart.y(step.even_delay_s.max(step.delay_s)) - 36.0).clamp(56.0, BASE - 48.0);
    let [ours, even] = &step.finding;
    let _ = write!(
        out,
        "<text class=\"t1\" x=\"{at:.1}\" y=\"{above:.1}\" text-anchor=\"{anchor}\">{}</text>\
         <text class=\"t2\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text></g>",
        escaped(ours),
        above + 16.0,
        escaped(even)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(polls: f64, delay_s: f64) -> Step {
        Step {
            polls,
            delay_s,
            even_delay_s: 43_200.0 / polls,
            even_polls: Some(43_200.0 / delay_s),
            name: polls.to_string(),
            finding: [format!("{delay_s} s with {polls} polls"), "even <more>".into()],
        }
    }

    fn draw(steps: &[Step], now: usize, is_phone: bool) -> String {
        let levels = [(0.0, "0".to_owned()), (7_200.0, "2 h".to_owned()), (14_400.0, "4 h".to_owned())];
        let chart = FrontierChart {
            steps,
            now,
            ours_label: "Wellread",
            even_label: "evenly",
            axis_label: "mean delay",
            levels: &levels,
            label: "a picture",
            is_phone,
        };
        frontier(&chart).to_string()
    }

    #[test]
    fn only_the_budget_in_force_is_marked_and_the_others_wait() {
        let steps = [step(3.0, 8_000.0), step(12.0, 1_900.0), step(48.0, 500.0)];
        let svg = draw(&steps, 1, false);
        assert_eq!(
            (svg.matches("class=\"here\"").count(), svg.matches("class=\"here hidden\"").count()),
            (1, 2)
        );
        assert!(
            svg.contains("cx=\"48.0\"") && svg.contains("cx=\"368.0\"") && svg.contains("cx=\"688.0\""),
            "{svg}"
        );
        assert!(svg.contains("even &lt;more&gt;") && !svg.contains("<more>"));
        assert!(draw(&steps, 1, true).contains("viewBox=\"0 0 350 324\""));
    }

    #[test]
    fn odd_numbers_stay_inside_the_picture() {
        let odd = |polls, delay_s| Step {
            name: String::new(),
            finding: Default::default(),
            ..step(polls, delay_s)
        };
        let steps = [odd(0.0, f64::NAN), odd(f64::INFINITY, -5.0)];
        let svg = draw(&steps, 7, false);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
