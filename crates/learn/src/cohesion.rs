//! Cohesion, change and novelty.
//!
//! Cohesion (eq. 3) is the mean of the similarities Δ that items leave between a profile and the next. It mostly measures
//! the window: W unrelated items of equal norm give (W − 1)/W. What is shown to people is therefore the **change**
//! c = clamp(W·(1 − mean Δ), 0, 1) over full windows: 1 for unrelated items, 0 for copies (reference 4.2.1).
//!
//! An item is novel unless Δ ≥ coh + β·σ (eqs. 6, 7). β is given, or learnt for a feed so that polling at the rate of its
//! novel items keeps a stated quality (what §8 leaves open).

use text::packed::{BadState, Reader, Writer};

/// Mean change of real feeds (reference 4.2.1), until a feed has shown its own.
pub const TYPICAL_CHANGE: f64 = 0.77;
/// Items beyond a full window before novelty is judged; everything is new before.
const WARM_UP_ITEMS: u64 = 5;
/// Full windows that the change remembers.
const CHANGE_ITEMS: f64 = 200.0;
/// Full windows that the typical change is worth.
const CHANGE_PRIOR_ITEMS: f64 = 10.0;

/// Means over the steps of one feed (Welford).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cohesion {
    steps: u64,
    mean: f64,
    squares: f64,
    full_steps: u64,
    full_mean: f64,
}

impl Cohesion {
    /// One more step; `full` when an item had to leave for it.
    pub fn add(&mut self, similarity: f64, full: bool) {
        self.steps += 1;
        let off = similarity - self.mean;
        self.mean += off / self.steps as f64;
        self.squares += off * (similarity - self.mean);
        if full {
            self.full_steps += 1;
            self.full_mean += (similarity - self.full_mean) / (self.full_steps as f64).min(CHANGE_ITEMS);
        }
    }

    /// Eq. 3; none before the first item.
    pub fn mean(&self) -> Option<f64> {
        (self.steps > 0).then_some(self.mean)
    }

    /// Eq. 6.
    pub fn deviation(&self) -> f64 {
        if self.steps < 2 { 0.0 } else { (self.squares.max(0.0) / (self.steps - 1) as f64).sqrt() }
    }

    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What a similarity must stay below to be novel.
    pub fn threshold(&self, beta: f64) -> f64 {
        self.mean + beta * self.deviation()
    }

    /// Eq. 7, for a step that was added already.
    pub fn is_novel(&self, similarity: f64, beta: f64, window: usize) -> bool {
        self.steps < window as u64 + WARM_UP_ITEMS || similarity < self.threshold(beta)
    }

    /// None before a window was full.
    pub fn change(&self, window: usize) -> Option<f64> {
        (self.full_steps > 0).then(|| (window as f64 * (1.0 - self.full_mean)).clamp(0.0, 1.0))
    }

    /// The change to plan with: the typical one until the feed has shown its own.
    pub fn expected_change(&self, window: usize) -> f64 {
        let seen = (self.full_steps as f64).min(CHANGE_ITEMS);
        let own = self.change(window).unwrap_or(TYPICAL_CHANGE);
        (seen * own + CHANGE_PRIOR_ITEMS * TYPICAL_CHANGE) / (seen + CHANGE_PRIOR_ITEMS)
    }

    pub(crate) fn write(&self, out: &mut Writer) {
        out.number(self.steps);
        out.float(self.mean);
        out.float(self.squares);
        out.number(self.full_steps);
        out.float(self.full_mean);
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Result<Self, BadState> {
        let (steps, mean, squares) = (from.number()?, from.float()?, from.float()?);
        Ok(Cohesion { steps, mean, squares, full_steps: from.number()?, full_mean: from.float()? })
    }
}

/// How much of a feed passes the novelty filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Beta {
    Fixed(f64),
    /// Moved until the novel items are as many as polls are needed for this quality.
    Learnt {
        quality: f64,
        beta: f64,
        items: u32,
    },
}

impl Beta {
    pub const PAPER: Beta = Beta::Fixed(0.1);

    pub fn learnt(quality: f64) -> Self {
        Beta::Learnt { quality: quality.clamp(0.5, 0.999), beta: 0.1, items: 0 }
    }

    pub fn value(&self) -> f64 {
        match self {
            Beta::Fixed(beta) | Beta::Learnt { beta, .. } => *beta,
        }
    }

    /// One item was judged. A feed polled s times per item misses 1/(2s) items on average, and each missed item of a
    /// window costs about change/W of quality (reference 4.8: 5 of 20 unrelated items missed, .75). So s must be
    /// change/(2·W·(1 − quality)), and β follows the share that passes, a little with every item.
    pub fn learn(&mut self, novel: bool, change: f64, window: usize) {
        let Beta::Learnt { quality, beta, items } = self else { return };
        *items = items.saturating_add(1);
        let wanted = (change / (2.0 * window as f64 * (1.0 - *quality))).clamp(0.02, 1.0);
        let step = (2.0 / f64::from(*items).sqrt()).clamp(0.05, 0.5);
        *beta = (*beta + step * (wanted - f64::from(u8::from(novel)))).clamp(-3.0, 3.0);
    }

    pub(crate) fn write(&self, out: &mut Writer) {
        let (quality, beta, items) = match *self {
            Beta::Fixed(beta) => (0.0, beta, 0),
            Beta::Learnt { quality, beta, items } => (quality, beta, items),
        };
        out.float(quality);
        out.float(beta);
        out.number(u64::from(items));
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Result<Self, BadState> {
        let (quality, beta) = (from.float()?, from.float()?);
        let items = u32::try_from(from.number()?).map_err(|_| BadState::Wrong)?;
        Ok(if quality == 0.0 {
            Beta::Fixed(beta)
        } else {
            Beta::Learnt { quality: quality.clamp(0.5, 0.999), beta, items }
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    const STEPS: [f64; 4] = [0.0, std::f64::consts::FRAC_1_SQRT_2, 0.948_683_298_1, 0.547_722_557_5];

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    }

    /// Reference 4.8.
    #[test]
    fn cohesion_and_thresholds_are_those_of_the_reference() {
        let mut cohesion = Cohesion::default();
        STEPS[..3].iter().for_each(|step| cohesion.add(*step, false));
        near(cohesion.mean().unwrap(), 0.551_930);
        cohesion.add(STEPS[3], false);
        near(cohesion.mean().unwrap(), 0.550_878);
        near(cohesion.deviation(), 0.402_547);
        for (beta, threshold, novel) in [
            (-0.5, 0.349_605, &[1][..]),
            (0.0, 0.550_878, &[1, 4]),
            (0.1, 0.591_133, &[1, 4]),
            (0.5, 0.752_152, &[1, 2, 4]),
        ] {
            near(cohesion.threshold(beta), threshold);
            let passed: Vec<usize> =
                (1..=4).filter(|nth| STEPS[nth - 1] < cohesion.threshold(beta)).collect();
            assert_eq!(passed, novel, "{beta}");
        }
    }

    #[test]
    fn unrelated_items_change_everything_and_copies_nothing() {
        let (mut unrelated, mut copies) = (Cohesion::default(), Cohesion::default());
        (0..50).for_each(|_| unrelated.add(0.95, true));
        (0..50).for_each(|_| copies.add(1.0, true));
        near(unrelated.change(20).unwrap(), 1.0);
        near(copies.change(20).unwrap(), 0.0);
        assert_eq!(Cohesion::default().change(20), None);
        near(Cohesion::default().expected_change(20), TYPICAL_CHANGE);
    }

    #[test]
    fn everything_is_new_until_there_is_something_to_compare_with() {
        let mut cohesion = Cohesion::default();
        (0..24).for_each(|_| cohesion.add(0.9, false));
        assert!(cohesion.is_novel(1.0, 0.0, 20));
        cohesion.add(0.9, true);
        assert!(!cohesion.is_novel(1.0, 0.0, 20));
    }

    #[test]
    fn a_feed_that_changes_topic_overnight_is_noticed() {
        let mut cohesion = Cohesion::default();
        (0..200).for_each(|nth| cohesion.add(if nth % 2 == 0 { 0.97 } else { 0.96 }, true));
        cohesion.add(0.80, true);
        assert!(cohesion.is_novel(0.80, -0.5, 20));
    }

    #[test]
    fn beta_is_learnt_until_enough_passes_for_the_quality_asked() {
        let mut dice = 1u64;
        let mut unit = || {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) as f64 / (1u64 << 31) as f64
        };
        for (quality, wanted) in [(0.95, 0.4), (0.9, 0.2), (0.98, 1.0)] {
            let (mut cohesion, mut beta) = (Cohesion::default(), Beta::learnt(quality));
            let mut passed = 0;
            for nth in 0..4_000 {
                let step = 0.92 + 0.06 * unit();
                cohesion.add(step, true);
                let novel = cohesion.is_novel(step, beta.value(), 20);
                beta.learn(novel, 0.8, 20);
                passed += u32::from(novel && nth >= 2_000);
            }
            let share = f64::from(passed) / 2_000.0;
            assert!((share - wanted).abs() < 0.05, "{quality}: {share}");
        }
    }
}
