//! One tick per feed of an import: done, failed, or still waiting.

use super::{Svg, escaped};
use std::fmt::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Waiting,
    Done,
    Failed,
}

const WIDTH: usize = 1072;
/// More would touch each other: then one tick stands for several feeds.
const TICKS_MAX: usize = 357;

/// `label` is the whole picture in words.
pub(crate) fn ticks(marks: &[Mark], label: &str) -> Svg {
    let shown = gathered(marks);
    // A few feeds are not stretched over the whole width.
    let pitch = (count(WIDTH) / count(shown.len().max(1))).min(24.0);
    let path = |wanted: Mark, top: u8, height: u8| {
        let mut path = String::new();
        for (place, _) in shown.iter().enumerate().filter(|(_, mark)| **mark == wanted) {
            // Writing to a string does not fail.
            let _ = write!(path, "M{:.1} {top}v{height}", 1.5 + count(place) * pitch);
        }
        path
    };
    Svg(format!(
        "<svg class=\"ch ticks\" width=\"{WIDTH}\" height=\"32\" viewBox=\"0 0 {WIDTH} 32\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\"><path class=\"tick done\" d=\"{}\"/>\
         <path class=\"tick waiting\" d=\"{}\"/><path class=\"tick failed\" d=\"{}\"/></svg>",
        escaped(label),
        path(Mark::Done, 4, 24),
        path(Mark::Waiting, 10, 12),
        path(Mark::Failed, 0, 32),
    ))
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

/// At most [`TICKS_MAX`]: several feeds in one tick are failed when one is, and done when all are.
fn gathered(marks: &[Mark]) -> Vec<Mark> {
    let size = marks.len().div_ceil(TICKS_MAX).max(1);
    marks
        .chunks(size)
        .map(|several| {
            if several.contains(&Mark::Failed) {
                Mark::Failed
            } else if several.contains(&Mark::Waiting) {
                Mark::Waiting
            } else {
                Mark::Done
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_tick_per_feed_and_failures_stand_out() {
        let marks = [Mark::Done, Mark::Failed, Mark::Waiting, Mark::Done];
        let Svg(svg) = ticks(&marks, "2 of 4");
        assert_eq!((svg.matches(" 4v24").count(), svg.matches(" 0v32").count()), (2, 1), "{svg}");
        assert_eq!(svg.matches(" 10v12").count(), 1);
        assert!(svg.contains("aria-label=\"2 of 4\""));
    }

    #[test]
    fn thousands_of_feeds_stay_a_small_picture_that_hides_no_failure() {
        let mut marks = vec![Mark::Done; 5_000];
        marks[4_321] = Mark::Failed;
        let shown = gathered(&marks);
        assert!(shown.len() <= TICKS_MAX);
        assert_eq!(shown.iter().filter(|mark| **mark == Mark::Failed).count(), 1);
        assert!(ticks(&marks, "").to_string().len() < 10_000);
        assert!(!ticks(&[], "").to_string().contains("NaN"));
    }
}
