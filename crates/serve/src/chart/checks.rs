//! The foot of the rail: when the person's feeds were last checked today, and when they are checked next.

use super::Svg;
use std::fmt::Write;

/// Places a mark can have: 300 feeds are no more markup than a few.
const PLACES: usize = 52;
const STEP: f64 = 4.0;
const WIDTH: f64 = 208.0;

/// Places in the day are fractions of it. The words beside it say the same, so screen readers pass it over.
pub(crate) fn checks(past: impl Iterator<Item = f64>, next: impl Iterator<Item = f64>, now: f64) -> Svg {
    let mut out = format!(
        "<svg class=\"ch checks\" width=\"{WIDTH}\" height=\"12\" viewBox=\"0 0 {WIDTH} 12\" aria-hidden=\"true\">"
    );
    // Writing to a string does not fail.
    for x in places(past) {
        let _ = write!(out, "<circle class=\"greyf\" cx=\"{x:.0}\" cy=\"6\" r=\"1.25\"/>");
    }
    let mut ticks = String::new();
    for x in places(next) {
        let _ = write!(ticks, "M{x:.0} 3v6");
    }
    let now = if now.is_finite() { now.clamp(0.0, 1.0) * WIDTH } else { 0.0 };
    let _ =
        write!(out, "<path class=\"acc\" d=\"{ticks}\"/><path class=\"now\" d=\"M{now:.1} 0v12\"/></svg>");
    Svg(out)
}

/// The middles of the places that have something.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the places of a day")]
fn places(at: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    let mut taken = [false; PLACES];
    for at in at.filter(|at| (0.0..1.0).contains(at)) {
        if let Some(place) = taken.get_mut((at * WIDTH / STEP) as usize) {
            *place = true;
        }
    }
    (0_u32..).zip(taken).filter(|(_, is_taken)| *is_taken).map(|(nth, _)| (f64::from(nth) + 0.5) * STEP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_checks_at_one_time_are_one_mark_and_odd_times_none() {
        let svg = checks([0.0, 0.001, 0.5, f64::NAN, 7.0].into_iter(), [0.75, 0.99].into_iter(), 0.6);
        let svg = svg.to_string();
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        assert!(svg.contains("M158 3v6M206 3v6") && svg.contains("M124.8 0v12"), "{svg}");
    }
}
