//! Draws from distributions, by the laboratory's dice.

use crate::dice::Dice;

/// N(0, 1), by Box and Muller.
pub(crate) fn normal(dice: &mut Dice) -> f64 {
    let (length, turn) = (1.0 - dice.unit(), dice.unit());
    (-2.0 * length.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
}

/// Gamma(shape, 1), by Marsaglia and Tsang; a shape below one by its boost.
pub(crate) fn gamma(dice: &mut Dice, shape: f64) -> f64 {
    if shape < 1.0 {
        return gamma(dice, shape + 1.0) * (1.0 - dice.unit()).powf(1.0 / shape);
    }
    let third = shape - 1.0 / 3.0;
    let scale = 1.0 / (9.0 * third).sqrt();
    loop {
        let draw = normal(dice);
        let cube = (1.0 + scale * draw).powi(3);
        let accept = |unit: f64| unit.ln() < 0.5 * draw * draw + third * (1.0 - cube + cube.ln());
        if cube > 0.0 && accept(1.0 - dice.unit()) {
            return third * cube;
        }
    }
}

pub(crate) fn beta(dice: &mut Dice, alpha: f64, beta: f64) -> f64 {
    let (one, other) = (gamma(dice, alpha), gamma(dice, beta));
    one / (one + other).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_their_means_and_variances() {
        let mut dice = Dice::new(3);
        for (alpha, other) in [(1.0, 3.0), (0.4, 0.7), (20.0, 5.0)] {
            let all: Vec<f64> = (0..40_000).map(|_| beta(&mut dice, alpha, other)).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let variance = all.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / all.len() as f64;
            let sum = alpha + other;
            assert!((mean - alpha / sum).abs() < 0.01, "{mean}");
            assert!((variance - alpha * other / (sum * sum * (sum + 1.0))).abs() < 0.004, "{variance}");
        }
    }
}
