//! Seeded chance. Every stream is named by what it decides (seed, purpose, feed, day), so any of them can be drawn
//! without drawing the others: that is what makes the world randomly accessible in time.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

pub(crate) struct Dice(Pcg64Mcg);

/// What a stream decides. Two purposes never share numbers.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Spec = 1,
    Posts = 2,
    Prose = 3,
    Story = 4,
}

impl Dice {
    pub(crate) fn new(seed: u64, purpose: Purpose, a: u64, b: u64) -> Dice {
        let first = mix(seed ^ mix((purpose as u64) << 56 ^ a));
        let second = mix(first ^ mix(b.wrapping_add(0x9e37_79b9_7f4a_7c15)));
        Dice(Pcg64Mcg::new(u128::from(first) << 64 | u128::from(second)))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Uniform in 0..n, and 0 for n = 0. The multiplication instead of a remainder keeps the bias below 2⁻³².
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> Option<&'a T> {
        from.get(self.below(from.len())).copied()
    }

    /// An exponential waiting time with the given mean.
    pub(crate) fn wait(&mut self, mean: f64) -> f64 {
        -(1.0 - self.unit()).ln() * mean
    }

    /// A standard normal number (Box–Muller, one half thrown away).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Around `median`, spread by a factor of e^sigma either way.
    pub(crate) fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        median * (self.normal() * sigma).exp()
    }
}

/// The finaliser of SplitMix64: every input bit moves every output bit.
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_repeats_itself_and_differs_from_its_neighbours() {
        let draw = |purpose, a, b| Dice::new(7, purpose, a, b).bits();
        assert_eq!(draw(Purpose::Posts, 1, 2), draw(Purpose::Posts, 1, 2));
        assert_ne!(draw(Purpose::Posts, 1, 2), draw(Purpose::Posts, 2, 1));
        assert_ne!(draw(Purpose::Posts, 1, 2), draw(Purpose::Prose, 1, 2));
    }

    #[test]
    fn draws_stay_in_their_range() {
        let mut dice = Dice::new(1, Purpose::Spec, 0, 0);
        for _ in 0..10_000 {
            assert!((0.0..1.0).contains(&dice.unit()));
            assert!(dice.below(7) < 7);
            assert!((3..=5).contains(&dice.between(3, 5)));
            assert!(dice.wait(2.0) >= 0.0);
        }
        assert_eq!(dice.below(0), 0);
    }
}
