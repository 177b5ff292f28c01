//! A channel's terms over time: each a band as wide as the share of items that had it, around a common middle.
//!
//! One band may carry the finding and is drawn in the accent; the others are greys. Every band has its name at its
//! right end, moved apart where names would touch.

use super::{Svg, Width, escaped};
use std::fmt::Write;

pub(crate) struct RiverChart<'a> {
    pub(crate) terms: &'a [String],
    /// Oldest first.
    pub(crate) points: &'a [RiverPoint],
    /// The term that the title speaks of.
    pub(crate) hot: Option<usize>,
    /// Places of the axis and what stands there.
    pub(crate) dates: &'a [(f64, String)],
    /// The whole picture in words.
    pub(crate) label: &'a str,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RiverPoint {
    /// A fraction of the time that is shown.
    pub(crate) at: f64,
    /// Of each term, the share of the items that had it.
    pub(crate) shares: Vec<f64>,
}

const HEIGHT: f64 = 224.0;
const MIDDLE: f64 = 96.0;
const REACH: f64 = 94.0;
/// Names stand at least so far apart.
const NAME: f64 = 16.0;
/// Greys of neighbouring bands, so that no two alike touch.
const GREYS: [&str; 6] = ["0.2", "0.34", "0.16", "0.42", "0.26", "0.38"];

struct Size {
    class: &'static str,
    whole: f64,
    right: f64,
    /// Characters of a name that have room.
    name_chars: usize,
    /// Every which date is written.
    dates: usize,
}

fn size(width: Width) -> Size {
    match width {
        Width::Page => Size { class: "page", whole: 544.0, right: 440.0, name_chars: 16, dates: 1 },
        Width::Phone => Size { class: "phone", whole: 350.0, right: 250.0, name_chars: 15, dates: 2 },
    }
}

pub(crate) fn river(chart: &RiverChart<'_>, width: Width) -> Svg {
    let size = size(width);
    let mut out = format!(
        "<svg class=\"ch river {}\" width=\"{whole}\" height=\"{HEIGHT}\" viewBox=\"0 0 {whole} {HEIGHT}\" role=\"img\" \
         aria-label=\"{}\">",
        size.class,
        escaped(chart.label),
        whole = size.whole
    );
    let order = order(chart);
    let edges = edges(chart, &order);
    let x: Vec<f64> = chart.points.iter().map(|point| unit(point.at) * size.right).collect();
    let mut names = Vec::new();
    for (place, term) in order.iter().enumerate() {
        let upper: Vec<(f64, f64)> = line(&x, &edges, place);
        let lower: Vec<(f64, f64)> = line(&x, &edges, place + 1);
        let is_hot = chart.hot == Some(*term);
        let (class, opacity) = if is_hot { ("riv hot", "1") } else { ("riv", GREYS[place % GREYS.len()]) };
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "<path class=\"{class}\" fill-opacity=\"{opacity}\" d=\"{}Z\"/>",
            band(&upper, &lower)
        );
        let ends = (upper.last(), lower.last());
        if let (Some((_, top)), Some((_, bottom)), Some(name)) = (ends.0, ends.1, chart.terms.get(*term)) {
            names.push(((top + bottom) / 2.0, is_hot, cut(name, size.name_chars)));
        }
    }
    let ys = apart(&names.iter().map(|name| name.0).collect::<Vec<_>>());
    for ((_, is_hot, name), y) in names.iter().zip(ys) {
        let (class, name) = (if *is_hot { "ta" } else { "t2" }, escaped(name));
        let _ = write!(
            out,
            "<text class=\"{class}\" x=\"{:.0}\" y=\"{:.1}\">{name}</text>",
            size.right + 10.0,
            y + 4.0
        );
    }
    axis(&mut out, chart.dates, &size);
    out.push_str("</svg>");
    Svg(out)
}

/// From what was said early to what is said late, so that the eye wanders downwards with time.
fn order(chart: &RiverChart<'_>) -> Vec<usize> {
    let centre = |term: usize| {
        let (mut sum, mut at) = (0.0, 0.0);
        for point in chart.points {
            let share = share(point, term);
            sum += share;
            at += share * unit(point.at);
        }
        if sum > 0.0 { at / sum } else { 0.0 }
    };
    let mut order: Vec<(f64, usize)> = (0..chart.terms.len()).map(|term| (centre(term), term)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    order.into_iter().map(|(_, term)| term).collect()
}

/// Of each point the heights between the bands, from the upper edge of the first to the lower edge of the last.
fn edges(chart: &RiverChart<'_>, order: &[usize]) -> Vec<Vec<f64>> {
    let total = |point: &RiverPoint| order.iter().map(|term| share(point, *term)).sum::<f64>();
    let most = chart.points.iter().map(total).fold(1e-9, f64::max);
    let scale = 2.0 * REACH / most;
    let heights = |point: &RiverPoint| {
        let mut y = MIDDLE - total(point) * scale / 2.0;
        let mut all = vec![y];
        for term in order {
            y += share(point, *term) * scale;
            all.push(y);
        }
        all
    };
    chart.points.iter().map(heights).collect()
}

fn line(x: &[f64], edges: &[Vec<f64>], place: usize) -> Vec<(f64, f64)> {
    x.iter().zip(edges).filter_map(|(x, heights)| Some((*x, *heights.get(place)?))).collect()
}

fn band(upper: &[(f64, f64)], lower: &[(f64, f64)]) -> String {
    let mut path = String::new();
    curve(&mut path, 'M', upper.iter().copied());
    curve(&mut path, 'L', lower.iter().rev().copied());
    path
}

/// Through all points, level in each: bands never cross.
fn curve(path: &mut String, first: char, points: impl Iterator<Item = (f64, f64)>) {
    let mut last: Option<(f64, f64)> = None;
    for (x, y) in points {
        let _ = match last {
            None => write!(path, "{first}{x:.1} {y:.1}"),
            Some((from_x, from_y)) => {
                let half = (from_x + x) / 2.0;
                write!(path, "C{half:.1} {from_y:.1} {half:.1} {y:.1} {x:.1} {y:.1}")
            }
        };
        last = Some((x, y));
    }
}

/// Heights in rising order, moved until they stand [`NAME`] apart and inside the picture.
fn apart(wanted: &[f64]) -> Vec<f64> {
    let mut ys: Vec<f64> = wanted.to_vec();
    let mut least = NAME / 2.0;
    for y in &mut ys {
        *y = y.max(least);
        least = *y + NAME;
    }
    let mut most = 2.0 * MIDDLE;
    for y in ys.iter_mut().rev() {
        *y = y.min(most);
        most = *y - NAME;
    }
    ys
}

fn axis(out: &mut String, dates: &[(f64, String)], size: &Size) {
    let last = dates.len().saturating_sub(1);
    for (nth, (at, words)) in dates.iter().enumerate() {
        // Counted from the right: the newest date is always there.
        if !(last - nth).is_multiple_of(size.dates) {
            continue;
        }
        let x = unit(*at) * size.right;
        let anchor = if x < 16.0 {
            "start"
        } else if x > size.right - 16.0 {
            "end"
        } else {
            "middle"
        };
        let _ =
            write!(out, "<text x=\"{x:.1}\" y=\"220\" text-anchor=\"{anchor}\">{}</text>", escaped(words));
    }
}

fn share(point: &RiverPoint, term: usize) -> f64 {
    unit(point.shares.get(term).copied().unwrap_or(0.0))
}

fn unit(value: f64) -> f64 {
    if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 }
}

fn cut(name: &str, chars: usize) -> String {
    if name.chars().count() <= chars {
        return name.to_owned();
    }
    let short: String = name.chars().take(chars.saturating_sub(1)).collect();
    format!("{}…", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(terms: &[&str], points: &[(f64, &[f64])], hot: Option<usize>) -> String {
        let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        let points: Vec<RiverPoint> =
            points.iter().map(|(at, shares)| RiverPoint { at: *at, shares: shares.to_vec() }).collect();
        let dates = [(0.0, "21 Sep".to_owned()), (0.5, "12 Oct".to_owned()), (1.0, "9 Nov".to_owned())];
        let chart = RiverChart { terms: &terms, points: &points, hot, dates: &dates, label: "two <terms>" };
        river(&chart, Width::Page).to_string()
    }

    #[test]
    fn the_widest_time_fills_the_picture_and_bands_lie_on_each_other() {
        let svg = draw(&["old", "new"], &[(0.0, &[0.5, 0.0]), (1.0, &[0.5, 0.5])], Some(1));
        // Half as much said is half as wide; the new term grows out of a point.
        assert!(svg.contains("M0.0 49.0C220.0 49.0 220.0 2.0 440.0 2.0"), "{svg}");
        assert!(svg.contains(
            "class=\"riv hot\" fill-opacity=\"1\" d=\"M0.0 143.0C220.0 143.0 220.0 96.0 440.0 96.0"
        ));
        assert!(svg.contains("class=\"ta\" x=\"450\"") && svg.contains("two &lt;terms&gt;"));
    }

    #[test]
    fn early_terms_lie_above_late_ones_whatever_their_weight() {
        let svg = draw(&["late", "early"], &[(0.0, &[0.0, 0.9]), (1.0, &[0.3, 0.0])], None);
        let (early, late) = (svg.find(">early<").unwrap_or(0), svg.find(">late<").unwrap_or(0));
        assert!(0 < early && early < late, "{svg}");
        assert!(!svg.contains("hot"));
    }

    #[test]
    fn names_of_thin_bands_do_not_touch() {
        let ys = apart(&[90.0, 91.0, 92.0, 190.0, 191.0]);
        assert!(ys.windows(2).all(|pair| pair[1] - pair[0] >= NAME - 1e-9), "{ys:?}");
        assert!(ys.iter().all(|y| (0.0..=2.0 * MIDDLE).contains(y)), "{ys:?}");
    }

    #[test]
    fn odd_numbers_and_long_names_stay_inside_the_picture() {
        let long = "x".repeat(900);
        let shares = [f64::NAN, 7.0, -3.0, f64::INFINITY];
        for points in [&[][..], &[(0.0, &shares[..])], &[(f64::NAN, &shares[..]), (9.0, &[])]] {
            let svg = draw(&[&long, "<b>", "c", "d"], points, Some(9));
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<b>"), "{svg}");
            assert!(svg.len() < 4_000);
        }
    }

    #[test]
    fn a_phone_has_half_the_dates_and_the_newest_of_them() {
        let terms = ["a".to_owned()];
        let dates: Vec<(f64, String)> = (0..5_u8).map(|n| (f64::from(n) / 4.0, format!("d{n}"))).collect();
        let chart = RiverChart { terms: &terms, points: &[], hot: None, dates: &dates, label: "" };
        let svg = river(&chart, Width::Phone).to_string();
        assert!([">d0<", ">d2<", ">d4<"].iter().all(|date| svg.contains(date)), "{svg}");
        assert!(!svg.contains(">d1<") && svg.contains("viewBox=\"0 0 350 224\""));
    }
}
