//! How likely a row of a list is read (g of 003, eq. 3.2), learnt from what was seen and clicked in it.
//!
//! It begins as 1/(1 + .12·row) and is scaled, for each stretch of rows, by what happened there against what that curve
//! expects: rows on screen where that is reported, clicks otherwise. The first row is taken as always read and what
//! happens there as the measure of the others: only that tells a person who skips rows from one who likes nothing.

use text::packed::{BadState, Reader, Writer};

/// How fast attention falls from row to row before anything is known (reference 1.3).
const FALL: f64 = 0.12;
const READ_MIN: f64 = 0.02;
/// Reads or clicks that the curve counts for.
const PRIOR: f32 = 50.0;
/// Expected reads or clicks after which older ones count half; many times [`PRIOR`], or the curve would never be outgrown.
const EXPECTED_MAX: f32 = 2_000.0;
const STRETCHES: usize = 24;

/// What happened in a stretch, and what the curve expected.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Reads {
    real: f32,
    expected: f32,
}

impl Reads {
    fn ratio(self) -> f64 {
        f64::from((PRIOR + self.real) / (PRIOR + self.expected))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Positions {
    stretches: [Reads; STRETCHES],
}

impl Default for Positions {
    fn default() -> Self {
        Positions { stretches: [Reads::default(); STRETCHES] }
    }
}

impl Positions {
    /// g of a row, from 0.
    pub fn read(&self, row: u32) -> f64 {
        let scale = self.stretches[stretch(row)].ratio() / self.stretches[0].ratio();
        (curve(row) * scale).clamp(READ_MIN, 1.0)
    }

    /// A row was rendered, and is known to have been on screen or not.
    pub fn on_screen(&mut self, row: u32, seen: bool) {
        self.observe(row, seen, 1.0);
    }

    /// A row was rendered, and its item, clicked with probability `chance` by whoever reads it, was clicked or not.
    pub fn clicked(&mut self, row: u32, clicked: bool, chance: f64) {
        self.observe(row, clicked, chance.clamp(0.0, 1.0));
    }

    fn observe(&mut self, row: u32, happened: bool, chance: f64) {
        let own = &mut self.stretches[stretch(row)];
        own.real += f32::from(u8::from(happened));
        own.expected += (curve(row) * chance) as f32;
        if own.expected > EXPECTED_MAX {
            own.real /= 2.0;
            own.expected /= 2.0;
        }
    }

    pub(crate) fn write(&self, out: &mut Writer) {
        for own in &self.stretches {
            out.small_float(own.real);
            out.small_float(own.expected);
        }
    }

    pub(crate) fn load(from: &mut Reader<'_>) -> Result<Self, BadState> {
        let mut positions = Positions::default();
        for own in &mut positions.stretches {
            *own = Reads { real: from.small_float()?, expected: from.small_float()? };
            let possible = |value: f32| (0.0..=1e6).contains(&value);
            if !possible(own.real) || !possible(own.expected) {
                return Err(BadState::Wrong);
            }
        }
        Ok(positions)
    }
}

fn curve(row: u32) -> f64 {
    1.0 / (1.0 + FALL * f64::from(row))
}

/// Rows of a first screen each by themselves, later ones together.
fn stretch(row: u32) -> usize {
    match row {
        0..20 => row as usize,
        20..30 => 20,
        30..50 => 21,
        50..100 => 22,
        _ => 23,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn before_anything_is_known_attention_falls_slowly() {
        let positions = Positions::default();
        assert_eq!(positions.read(0), 1.0);
        assert!((positions.read(1) - 1.0 / 1.12).abs() < 1e-12);
        assert!((positions.read(19) - 1.0 / (1.0 + 0.12 * 19.0)).abs() < 1e-12);
        assert_eq!(positions.read(u32::MAX), READ_MIN);
    }

    fn dice() -> impl FnMut() -> f64 {
        let mut state = 1u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        }
    }

    /// Rows are read with .5^row, items clicked with .4; the ranker may believe that all are clicked half as often.
    #[test]
    fn how_far_somebody_reads_is_learnt_from_clicks() {
        for believed in [0.4, 0.2] {
            let (mut positions, mut unit) = (Positions::default(), dice());
            for _ in 0..2_000 {
                for row in 0..6u32 {
                    let clicked = unit() < 0.5f64.powf(f64::from(row)) * 0.4;
                    positions.clicked(row, clicked, believed);
                }
            }
            for row in 1..5u32 {
                let (learnt, truth) = (positions.read(row), 0.5f64.powf(f64::from(row)));
                assert!((learnt - truth).abs() < 0.1, "row {row}: {learnt} is not {truth}");
            }
        }
    }

    #[test]
    fn what_was_on_screen_or_not_teaches_more_quickly() {
        let mut positions = Positions::default();
        for _ in 0..300 {
            positions.on_screen(0, true);
            positions.on_screen(3, true);
            positions.on_screen(9, false);
        }
        assert!(positions.read(9) < 0.17 && positions.read(3) > 0.9);
    }

    proptest! {
        #[test]
        fn reading_is_a_probability_whatever_was_observed(seen in prop::collection::vec((any::<u32>(), any::<bool>(), -1.0f64..2.0), 0..400), row: u32) {
            let mut positions = Positions::default();
            for (row, happened, chance) in seen {
                positions.clicked(row % 30, happened, chance);
                positions.on_screen(row, happened);
            }
            prop_assert!((READ_MIN..=1.0).contains(&positions.read(row)));
        }
    }
}
