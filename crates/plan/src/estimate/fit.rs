//! Maximum likelihood for the population: a negative binomial for rates, a Dirichlet-multinomial for shapes.
//!
//! A feed's count in exposure E is Poisson given its rate, rates are Gamma(a, b): together a negative binomial. A feed's
//! histogram is multinomial given its shape, shapes are Dirichlet(κ·g). Decayed counts are no whole numbers, but the
//! likelihoods do not mind.

use super::count;

/// (a, b) that make `(count, exposure)` likeliest. None when there is nothing to learn from.
pub fn fit_rates(counts: &[(f64, f64)]) -> Option<(f64, f64)> {
    let counts: Vec<(f64, f64)> =
        counts.iter().map(|(n, days)| (count(*n), count(*days))).filter(|(_, days)| *days > 0.0).collect();
    let total: f64 = counts.iter().map(|(n, _)| n).sum();
    if counts.len() < 2 || total <= 0.0 {
        return None;
    }
    let likelihood = |log_a: f64| {
        let a = log_a.exp();
        let b = best_days(a, &counts);
        let each = |(n, days): &(f64, f64)| {
            ln_gamma(a + n) - ln_gamma(a) + a * (b / (b + days)).ln() + n * (days / (b + days)).ln()
        };
        counts.iter().map(each).sum::<f64>()
    };
    // The profile likelihood has one hill; alike feeds push a up to the end, which then says "all the same".
    let a = golden_maximum(likelihood, 0.02f64.ln(), 50f64.ln()).exp();
    let b = best_days(a, &counts);
    (b.is_finite() && b > 0.0).then_some((a, b))
}

/// For a given a the best b is where Σ a/b = Σ (a+n)/(b+E): the left falls faster, so halving finds it.
fn best_days(a: f64, counts: &[(f64, f64)]) -> f64 {
    let slope = |b: f64| counts.iter().map(|(n, days)| a / b - (a + n) / (b + days)).sum::<f64>();
    let (mut low, mut high) = (1e-9f64, 1e9f64);
    for _ in 0..80 {
        let middle = (low * high).sqrt();
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}

/// κ on a grid of half powers of two from 2 to 1024: how strongly members resemble `prior`. None without counts.
pub fn fit_strength<const N: usize>(members: &[[f64; N]], prior: &[f64; N]) -> Option<f64> {
    let members: Vec<[f64; N]> = members
        .iter()
        .map(|member| member.map(count))
        .filter(|member| member.iter().sum::<f64>() > 0.0)
        .collect();
    if members.len() < 2 || prior.iter().any(|share| !share.is_finite() || *share <= 0.0) {
        return None;
    }
    let likelihood = |strength: f64| {
        let each = |member: &[f64; N]| {
            let total: f64 = member.iter().sum();
            let inner = member.iter().zip(prior).filter(|(n, _)| **n > 0.0);
            ln_gamma(strength) - ln_gamma(strength + total)
                + inner
                    .map(|(n, share)| ln_gamma(strength * share + n) - ln_gamma(strength * share))
                    .sum::<f64>()
        };
        members.iter().map(each).sum::<f64>()
    };
    let grid = (2..=20).map(|half| 2f64.powf(f64::from(half) / 2.0));
    let judged = grid.map(|strength| (strength, likelihood(strength))).filter(|(_, value)| value.is_finite());
    judged.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(strength, _)| strength)
}

fn golden_maximum(of: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    const SHARE: f64 = 0.618_033_988_749_894_9;
    let (mut left, mut right) = (high - SHARE * (high - low), low + SHARE * (high - low));
    let (mut at_left, mut at_right) = (of(left), of(right));
    for _ in 0..40 {
        if at_left >= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - SHARE * (high - low);
            at_left = of(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + SHARE * (high - low);
            at_right = of(right);
        }
    }
    (low + high) / 2.0
}

/// ln Γ(x) for x > 0: Stirling's series after moving x beyond eight.
pub fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x.max(1e-12), 0.0);
    while x < 8.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let square = x * x;
    let series =
        (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_logarithm_of_factorials() {
        for (x, expected) in [(1.0, 1.0f64), (2.0, 1.0), (5.0, 24.0), (11.0, 3_628_800.0)] {
            assert!((ln_gamma(x) - expected.ln()).abs() < 1e-10, "{x}");
        }
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-10);
    }

    #[test]
    fn the_prior_of_known_feeds_is_found_again() {
        // Quantiles of rates from Gamma(2, 4), seen long enough to be known: mean 0.5, variance 0.125.
        let rates = [0.07, 0.13, 0.19, 0.25, 0.31, 0.38, 0.46, 0.55, 0.67, 0.83, 1.1, 1.6];
        let counts: Vec<(f64, f64)> = rates.iter().map(|rate| (rate * 1000.0, 1000.0)).collect();
        let (a, b) = fit_rates(&counts).expect("fitted");
        let mean = rates.iter().sum::<f64>() / 12.0;
        assert!((a / b - mean).abs() < 0.02 * mean, "{a} {b}");
        assert!((1.2..2.8).contains(&a), "{a}");
    }

    #[test]
    fn members_that_differ_are_shrunk_less() {
        let alike = [[30.0, 10.0], [29.0, 11.0], [31.0, 9.0]];
        let unlike = [[40.0, 0.0], [5.0, 35.0], [38.0, 2.0]];
        let strength = |members: &[[f64; 2]]| fit_strength(members, &[0.7, 0.3]).expect("fitted");
        assert!(strength(&alike) > 200.0);
        assert!(strength(&unlike) < 5.0);
    }

    #[test]
    fn nothing_teaches_nothing() {
        assert_eq!(fit_rates(&[]), None);
        assert_eq!(fit_rates(&[(0.0, 10.0), (0.0, 20.0)]), None);
        assert_eq!(fit_strength(&[[0.0; 3]; 9], &[0.2, 0.3, 0.5]), None);
    }

    proptest! {
        #[test]
        fn no_numbers_make_it_fail(
            counts in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..20),
            members in proptest::collection::vec(proptest::array::uniform7(any::<f64>()), 0..20),
            prior in proptest::array::uniform7(any::<f64>()),
        ) {
            if let Some((a, b)) = fit_rates(&counts) {
                prop_assert!(a > 0.0 && b > 0.0 && b.is_finite());
            }
            if let Some(strength) = fit_strength(&members, &prior) {
                prop_assert!((2.0..=1024.1).contains(&strength));
            }
        }
    }
}
