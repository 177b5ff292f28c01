//! Small pictures as inline SVG: numbers in, markup out.
//!
//! Everything here is pure: times are already fractions of a day or hours of a week in the person's zone, words are
//! already in their language. Colours are classes of the stylesheet, because the policy forbids inline styles. Each
//! picture has a text for screen readers in `aria-label`; the pages add a table.

mod buzz;
mod checks;
mod cohesion;
mod day_strip;
mod days;
mod frontier;
mod hours;
mod river;
mod ticks;
mod week;

pub(crate) use buzz::{Mentions, against, mentions, spark};
pub(crate) use checks::checks;
pub(crate) use cohesion::{CohesionStrip, cohesion};
pub(crate) use day_strip::{DayStrip, PastPoll, Planned, PollKind, Width, expected, strip};
pub(crate) use days::{DaysChart, days};
pub(crate) use frontier::{FrontierChart, Step, frontier};
pub(crate) use hours::{HoursChart, hours};
pub(crate) use river::{RiverChart, RiverPoint, river};
pub(crate) use ticks::{Mark, ticks};
pub(crate) use week::{Days, Finding, Week, week};

use std::fmt;

/// Markup made here and nowhere else: templates show it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Svg(String);

impl fmt::Display for Svg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl askama::filters::HtmlSafe for Svg {}

/// Words inside a picture, and inside an attribute of one.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x2_words_in_a_picture_are_words() {
        assert_eq!(escaped("<img src=x onerror='a\"&'>"), "&lt;img src=x onerror=&#39;a&quot;&amp;&#39;&gt;");
    }
}
