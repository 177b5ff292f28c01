//! Small figures: bars and lines as SVG, readable in light and dark.

use std::fmt::Write;

#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub label: String,
    pub value: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub label: String,
    pub points: Vec<(f64, f64)>,
}

/// A value and its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    pub label: String,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

const STYLE: &str = "<style>text{font:12px sans-serif;fill:#555}rect.b{fill:#4a7ab5}\
    path{fill:none;stroke-width:1.6}line{stroke:#9995;stroke-width:1}</style>";
/// Colours that can be told apart without seeing red and green.
const COLOURS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d31", "#777777"];

const LINES_HEIGHT: usize = 420;

/// Horizontal bars. What is ten times the median runs off the scale and says so by its number.
pub fn bars(title: &str, all: &[Bar]) -> String {
    let mut values: Vec<f64> = all.iter().map(|bar| bar.value).filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let median = values.get(values.len() / 2).copied().unwrap_or(1.0);
    let top = values.last().copied().unwrap_or(1.0).min(4.0 * median).max(1e-9);
    let height = 40 + 20 * all.len();
    let mut out = open(760, height, title);
    for (nth, bar) in all.iter().enumerate() {
        let y = 44 + 20 * nth;
        let width = 440.0 * (bar.value / top).clamp(0.0, 1.0);
        let label = escaped(&bar.label);
        let _ = write!(
            out,
            "<text x=\"214\" y=\"{y}\" text-anchor=\"end\">{label}</text>\
             <rect class=\"b\" x=\"220\" y=\"{}\" width=\"{width:.1}\" height=\"13\"/>\
             <text x=\"{:.1}\" y=\"{y}\">{:.1}</text>",
            y - 11,
            226.0 + width,
            bar.value
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Values with their intervals, groups below each other, each with a scale of its own.
pub fn spans(title: &str, groups: &[(String, Vec<Span>)]) -> String {
    let rows: usize = groups.iter().map(|(_, all)| all.len() + 2).sum();
    let mut out = open(760, 40 + 20 * rows, title);
    let mut y = 48;
    for (title, all) in groups {
        let _ = write!(out, "<text x=\"10\" y=\"{y}\" font-weight=\"bold\">{}</text>", escaped(title));
        let ends = all.iter().flat_map(|span| [span.low, span.high, span.value]);
        let (least, most) = ends
            .filter(|end| end.is_finite())
            .fold((f64::MAX, f64::MIN), |(least, most), end| (least.min(end), most.max(end)));
        let x = |value: f64| 220.0 + 420.0 * ((value - least) / (most - least).max(1e-12)).clamp(0.0, 1.0);
        for span in all {
            y += 20;
            let (low, high, own) = (x(span.low), x(span.high), x(span.value));
            let _ = write!(
                out,
                "<text x=\"206\" y=\"{y}\" text-anchor=\"end\">{}</text>\
                 <line x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{line}\" y2=\"{line}\"/>\
                 <rect class=\"b\" x=\"{:.1}\" y=\"{}\" width=\"6\" height=\"9\"/>\
                 <text x=\"{:.1}\" y=\"{y}\">{:.4}</text>",
                escaped(&span.label),
                own - 3.0,
                y - 9,
                high.max(own) + 8.0,
                span.value,
                line = y - 4,
            );
        }
        y += 40;
    }
    out.push_str("</svg>\n");
    out
}

/// Lines on two logarithmic scales.
pub fn lines(title: &str, x_name: &str, y_name: &str, all: &[Line]) -> String {
    drawn(title, (x_name, y_name), all, Scale::Logarithmic)
}

/// Lines on two plain scales.
pub fn curves(title: &str, x_name: &str, y_name: &str, all: &[Line]) -> String {
    drawn(title, (x_name, y_name), all, Scale::Linear)
}

/// Figures of [`lines`] or [`curves`], one below the other.
pub fn stacked(figures: &[String]) -> String {
    let height = LINES_HEIGHT * figures.len();
    let mut out = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {height}\">");
    for (nth, figure) in figures.iter().enumerate() {
        // Without a size of its own a figure inside another takes all of it.
        let place = format!("<svg y=\"{}\" width=\"760\" height=\"{LINES_HEIGHT}\" ", LINES_HEIGHT * nth);
        out.push_str(figure.trim_end().replacen("<svg ", &place, 1).as_str());
    }
    out.push_str("</svg>\n");
    out
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
}

impl Scale {
    fn shows(self, (x, y): &(f64, f64)) -> bool {
        x.is_finite() && y.is_finite() && (self == Scale::Linear || *x > 0.0 && *y > 0.0)
    }

    fn share(self, value: f64, (low, high): (f64, f64)) -> f64 {
        match self {
            Scale::Linear => (value - low) / (high - low),
            Scale::Logarithmic => (value / low).ln() / (high / low).ln(),
        }
    }

    fn range(self, values: impl Iterator<Item = f64>) -> (f64, f64) {
        let (low, high) =
            values.fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
        match self {
            _ if low >= high => (1.0, 10.0),
            Scale::Linear => (low.min(0.0), high),
            Scale::Logarithmic => (low, high),
        }
    }

    /// 1, 2, 5 times powers of ten within the range, or a handful of even steps of such a size.
    fn ticks(self, (low, high): (f64, f64)) -> Vec<f64> {
        let powers = -4..=7i32;
        let all = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
        match self {
            Scale::Logarithmic => {
                all.filter(|value| *value >= low * 0.999 && *value <= high * 1.001).collect()
            }
            Scale::Linear => {
                let step = all.into_iter().find(|step| step * 6.0 >= high - low).unwrap_or(high - low);
                let steps = (high / step * 1.001) as u32;
                (0..=steps).map(|nth| (f64::from(nth) * step * 1e4).round() / 1e4).collect()
            }
        }
    }
}

fn drawn(title: &str, names: (&str, &str), all: &[Line], scale: Scale) -> String {
    let points = || all.iter().flat_map(|line| &line.points).filter(|point| scale.shows(point));
    let (x, y) = (scale.range(points().map(|point| point.0)), scale.range(points().map(|point| point.1)));
    let (across, down) = (
        |value: f64| 60.0 + 480.0 * scale.share(value, x),
        |value: f64| 370.0 - 330.0 * scale.share(value, y),
    );
    let mut out = open(760, LINES_HEIGHT, title);
    for (value, at) in scale.ticks(x).into_iter().map(|value| (value, across(value))) {
        let _ = write!(
            out,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"40\" y2=\"370\"/>\
             <text x=\"{at:.1}\" y=\"386\" text-anchor=\"middle\">{value}</text>"
        );
    }
    for (value, at) in scale.ticks(y).into_iter().map(|value| (value, down(value))) {
        let _ = write!(
            out,
            "<line x1=\"60\" x2=\"540\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"54\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            at + 4.0
        );
    }
    let names = (escaped(names.0), escaped(names.1));
    let _ = write!(out, "<text x=\"300\" y=\"408\" text-anchor=\"middle\">{}</text>", names.0);
    let _ = write!(out, "<text x=\"60\" y=\"34\">{}</text>", names.1);
    for (nth, line) in all.iter().enumerate() {
        let colour = COLOURS[nth % COLOURS.len()];
        let shown = line.points.iter().filter(|point| scale.shows(point));
        let path: Vec<String> =
            shown.map(|point| format!("{:.1} {:.1}", across(point.0), down(point.1))).collect();
        if path.is_empty() {
            continue;
        }
        let at = 52 + 18 * nth;
        let _ = write!(
            out,
            "<path d=\"M{}\" stroke=\"{colour}\"/><path d=\"M556 {at}h18\" stroke=\"{colour}\"/>\
             <text x=\"580\" y=\"{}\">{}</text>",
            path.join("L"),
            at + 4,
            escaped(&line.label)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn open(width: usize, height: usize, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">{STYLE}\
         <title>{title}</title><text x=\"10\" y=\"18\">{title}</text>",
        title = escaped(title)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_whole_whatever_the_numbers() {
        let odd = [0.0, f64::NAN, f64::INFINITY, 3.0];
        let all: Vec<Bar> = odd.iter().map(|value| Bar { label: "<a>".to_owned(), value: *value }).collect();
        let drawn = bars("A & B", &all);
        assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n") && drawn.contains("&lt;a&gt;"));
        let line = Line { label: "x".to_owned(), points: vec![(1.0, 2.0), (2.0, 0.0), (4.0, 1.0)] };
        assert!(lines("t", "x", "y", &[line]).matches("<path").count() == 2);
        assert!(lines("t", "x", "y", &[]).ends_with("</svg>\n"));
        let line = Line { label: "x".to_owned(), points: vec![(1.0, 2.0), (2.0, f64::NAN), (4.0, 0.0)] };
        let drawn = curves("t", "x", "y", &[line]);
        assert!(drawn.contains("M180.0 40.0L540.0 370.0"), "{drawn}");
        let both = stacked(&[drawn.clone(), drawn]);
        assert_eq!((both.matches("<svg").count(), both.matches("</svg>").count()), (3, 3));
    }
}
