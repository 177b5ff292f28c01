//! One step of Bayesian logistic regression with position bias: P(click | x, row) = g·σ(wᵀx), w_k ~ N(m_k, s_k).
//!
//! The posterior of wᵀx is taken at its mode and curvature there, and shared out to the weights by their part of the
//! variance (reference 1.3). Diagonal on purpose: the full covariance gains nothing outside error and costs a
//! thousand times as much.

/// Variances stay above this, so that nothing is ever beyond learning.
const VARIANCE_MIN: f32 = 1e-6;
const NEWTON_STEPS_MAX: u32 = 20;
const NEWTON_STEP_MAX: f64 = 2.0;
/// Below this much curvature the no-click likelihood is not concave.
const CURVATURE_MIN: f64 = 1e-4;

/// What is believed of one weight: how far it is from its prior mean, and how surely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weight {
    pub(crate) mean: f32,
    pub(crate) variance: f32,
}

impl Weight {
    pub(crate) const fn prior(variance: f32) -> Self {
        Weight { mean: 0.0, variance }
    }
}

/// What an act says of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence {
    pub(crate) click: bool,
    /// How much it says (ρ).
    pub(crate) weight: f64,
    /// How likely it was read (g).
    pub(crate) read: f64,
}

/// The mode of the posterior of wᵀx from N(mean, variance), and the curvature of the likelihood there.
fn mode(mean: f64, variance: f64, told: Evidence) -> (f64, f64) {
    let slopes = |at: f64| {
        let (p, rest) = (sigmoid(at), sigmoid(-at));
        if told.click {
            return (told.weight * rest, told.weight * p * rest);
        }
        let seen = told.read * p;
        let unseen = ((1.0 - told.read) + told.read * rest).max(1e-12);
        let curvature = seen * rest * ((rest - p) * unseen + seen * rest) / (unseen * unseen);
        (-told.weight * seen * rest / unseen, (told.weight * curvature).max(CURVATURE_MIN))
    };
    let mut at = mean;
    for _ in 0..NEWTON_STEPS_MAX {
        let (slope, curvature) = slopes(at);
        let step = (slope - (at - mean) / variance) / (curvature + 1.0 / variance);
        let step = step.clamp(-NEWTON_STEP_MAX, NEWTON_STEP_MAX);
        at += step;
        if step.abs() < 1e-6 {
            break;
        }
    }
    let at = if told.click { at.max(mean) } else { at.min(mean) };
    (at, slopes(at).1)
}

/// Learns from one piece of evidence. `offset` is what the prior means add up to; `x` belongs to `weights` one by one.
pub(crate) fn update(weights: &mut [Weight], x: &[f32], offset: f64, told: Evidence) {
    let nothing = told.weight <= 0.0 || (!told.click && told.read <= 0.0);
    let (mean, variance) = predict(weights, x, offset);
    if nothing || variance <= 0.0 || !(mean.is_finite() && variance.is_finite()) {
        return;
    }
    let (mode, curvature) = mode(mean, variance, told);
    let shift = (mode - mean) / variance;
    let shrink = curvature / (1.0 + curvature * variance);
    for (weight, x) in weights.iter_mut().zip(x) {
        let part = f64::from(weight.variance) * f64::from(*x);
        weight.mean = (f64::from(weight.mean) + part * shift) as f32;
        weight.variance = ((f64::from(weight.variance) - part * part * shrink) as f32).max(VARIANCE_MIN);
    }
}

/// Mean and variance of wᵀx.
pub(crate) fn predict(weights: &[Weight], x: &[f32], offset: f64) -> (f64, f64) {
    weights.iter().zip(x).fold((offset, 0.0), |(mean, variance), (weight, x)| {
        let x = f64::from(*x);
        (mean + f64::from(weight.mean) * x, variance + f64::from(weight.variance) * x * x)
    })
}

pub(crate) fn sigmoid(at: f64) -> f64 {
    1.0 / (1.0 + (-at).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 2e-6, "{value} is not {expected}");
    }

    fn told(read: f64, click: bool) -> Evidence {
        Evidence { click, weight: 1.0, read }
    }

    #[test]
    fn one_weight_moves_as_in_the_reference() {
        let cases = [
            (0.0, 1.0, 1.0, true, 0.401_058, 0.806_315),
            (0.0, 1.0, 1.0, false, -0.401_058, 0.806_315),
            (0.0, 1.0, 0.5, false, -0.161_263, 0.962_482),
            (-2.0, 9.59, 0.3, false, -2.254_510, 7.906_491),
            (-2.0, 9.59, 0.3, true, 0.857_166, 3.190_365),
            (1.0, 0.5, 0.5, false, 0.920_730, 0.499_975),
        ];
        for (mean, variance, read, click, at, left) in cases {
            let mut weight = [Weight { mean: 0.0, variance: variance as f32 }];
            update(&mut weight, &[1.0], mean, told(read, click));
            near(mean + f64::from(weight[0].mean), at);
            near(f64::from(weight[0].variance), left);
        }
    }

    #[test]
    fn four_weights_learn_from_three_events() {
        let x = [0.6, 0.3, 1.0, 1.0];
        let mut weights = [9.0, 9.0, 0.36, 0.5].map(Weight::prior);
        let at = |weights: &[Weight]| predict(weights, &x, -2.0);
        let check = |weights: &[Weight], means: [f64; 4], variances: [f64; 4]| {
            for (nth, weight) in weights.iter().enumerate() {
                let prior = if nth == 3 { -2.0 } else { 0.0 };
                near(f64::from(weight.mean) + prior, means[nth]);
                near(f64::from(weight.variance), variances[nth]);
            }
        };
        near(at(&weights).1, 4.91);
        update(&mut weights, &x, -2.0, told(1.0, true));
        near(at(&weights).0, 0.204_657);
        check(
            &weights,
            [2.424_674, 1.212_337, 0.161_645, -1.775_493],
            [5.742_639, 8.185_660, 0.345_523, 0.472_073],
        );
        update(&mut weights, &x, -2.0, told(0.5, false));
        near(at(&weights).0, -0.349_046);
        update(&mut weights, &x, -2.0, told(0.5, false));
        near(at(&weights).0, -0.783_508);
        check(
            &weights,
            [1.496_476, 0.533_210, 0.065_362, -1.906_718],
            [4.722_826, 7.634_221, 0.334_404, 0.451_441],
        );
    }

    fn setting() -> impl Strategy<Value = (Vec<Weight>, Vec<f32>, f64, Evidence)> {
        let weight = (-4.0f32..4.0, 1e-4f32..9.0).prop_map(|(mean, variance)| Weight { mean, variance });
        let told = (any::<bool>(), 0.0f64..3.0, 0.0f64..=1.0);
        let told = told.prop_map(|(click, weight, read)| Evidence { click, weight, read });
        (1usize..8).prop_flat_map(move |count| {
            let weights = prop::collection::vec(weight.clone(), count);
            (weights, prop::collection::vec(0.0f32..2.0, count), -6.0f64..6.0, told.clone())
        })
    }

    proptest! {
        #[test]
        fn evidence_moves_the_prediction_its_way_and_never_makes_it_less_sure((weights, x, offset, told) in setting()) {
            let (before, _) = predict(&weights, &x, offset);
            let mut after = weights.clone();
            update(&mut after, &x, offset, told);
            let moved = predict(&after, &x, offset).0 - before;
            prop_assert!(if told.click { moved >= -1e-5 } else { moved <= 1e-5 }, "{}", moved);
            for (one, other) in weights.iter().zip(&after) {
                prop_assert!(other.variance <= one.variance && other.variance > 0.0 && other.mean.is_finite());
            }
        }

        #[test]
        fn what_was_not_read_teaches_nothing((weights, x, offset, _) in setting()) {
            let mut after = weights.clone();
            update(&mut after, &x, offset, Evidence { click: false, weight: 1.0, read: 0.0 });
            prop_assert_eq!(after, weights);
        }

        #[test]
        fn the_order_of_features_is_irrelevant((weights, x, offset, told) in setting()) {
            let (mut forth, mut back) = (weights.clone(), weights.iter().rev().copied().collect::<Vec<_>>());
            update(&mut forth, &x, offset, told);
            let reversed: Vec<f32> = x.iter().rev().copied().collect();
            update(&mut back, &reversed, offset, told);
            for (one, other) in forth.iter().zip(back.iter().rev()) {
                prop_assert!((one.mean - other.mean).abs() < 1e-4 && (one.variance - other.variance).abs() < 1e-4);
            }
        }
    }
}
