//! Where one feed stands among others on a line from "says many things" to "says one thing".

use super::{Svg, Width, escaped};
use std::fmt::Write;

pub(crate) struct CohesionStrip<'a> {
    /// From 0, many things, to 1, one thing.
    pub(crate) here: f64,
    pub(crate) here_label: &'a str,
    pub(crate) others: &'a [f64],
    pub(crate) many_label: &'a str,
    pub(crate) one_label: &'a str,
    /// The whole picture in words.
    pub(crate) label: &'a str,
}

/// More ticks than this would be a bar.
const TICKS_MAX: usize = 500;
/// Half the room the number needs, and that of the words at both ends.
const NUMBER: f64 = 16.0;
const WORDS: f64 = 104.0;

pub(crate) fn cohesion(strip: &CohesionStrip<'_>, width: Width) -> Svg {
    let (class, whole) = match width {
        Width::Page => ("page", 544.0),
        Width::Phone => ("phone", 350.0),
    };
    let x = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) * whole } else { 0.0 };
    let mut ticks = String::new();
    for other in strip.others.iter().take(TICKS_MAX) {
        // Writing to a string does not fail.
        let _ = write!(ticks, "M{:.1} 9v11", x(*other));
    }
    let here = x(strip.here);
    // The number stands below its dot, or above when the words at the ends need the place.
    let near_end = here < WORDS + NUMBER || here > whole - WORDS - NUMBER;
    let (number_x, number_y) = (here.clamp(NUMBER, whole - NUMBER), if near_end { 2.0 } else { 40.0 });
    Svg(format!(
        "<svg class=\"ch cohesion {class}\" width=\"{whole}\" height=\"44\" viewBox=\"0 0 {whole} 44\" role=\"img\" \
         aria-label=\"{}\"><path class=\"axis\" d=\"M0 14.5H{whole}\"/><path class=\"others\" d=\"{ticks}\"/>\
         <circle class=\"accf dot\" cx=\"{here:.1}\" cy=\"14.5\" r=\"5.5\"/><text x=\"0\" y=\"40\">{}</text>\
         <text x=\"{whole}\" y=\"40\" text-anchor=\"end\">{}</text>\
         <text class=\"ta\" x=\"{number_x:.1}\" y=\"{number_y}\" text-anchor=\"middle\">{}</text></svg>",
        escaped(strip.label),
        escaped(strip.many_label),
        escaped(strip.one_label),
        escaped(strip.here_label)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(here: f64, others: &[f64], width: Width) -> String {
        let strip = CohesionStrip {
            here,
            here_label: "0.62",
            others,
            many_label: "says many things",
            one_label: "says one thing",
            label: "a <line>",
        };
        cohesion(&strip, width).to_string()
    }

    #[test]
    fn every_feed_is_a_tick_and_this_one_a_dot() {
        let svg = draw(0.62, &[0.0, 0.25, 1.0], Width::Page);
        assert!(svg.contains("M0.0 9v11M136.0 9v11M544.0 9v11"), "{svg}");
        assert!(svg.contains("cx=\"337.3\"") && svg.contains("a &lt;line&gt;"));
    }

    #[test]
    fn the_number_never_stands_on_the_words() {
        for (here, width, y) in [
            (0.62, Width::Page, 40),
            (0.02, Width::Page, 2),
            (0.99, Width::Page, 2),
            (0.3, Width::Phone, 2),
            (0.5, Width::Phone, 40),
        ] {
            assert!(draw(here, &[], width).contains(&format!("y=\"{y}\" text-anchor=\"middle\"")), "{here}");
        }
    }

    #[test]
    fn thousands_of_feeds_and_odd_numbers_stay_a_small_picture() {
        let others = vec![f64::NAN; 20_000];
        let svg = draw(f64::INFINITY, &others, Width::Phone);
        assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.len() < 10_000);
    }
}
