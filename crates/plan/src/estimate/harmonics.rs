//! Hours of the day as waves: a feed's pattern shrunk to the population's, each wave as strongly as feeds say.
//!
//! Feeds differ in when their day begins and how deep its night is, which are slow waves; what is sharper is mostly chance.
//! A histogram shrunk as a whole (Dirichlet) treats both alike: too strongly for the first, too weakly for the second. So
//! the twelve waves of the day are shrunk apart, each by its own strength κ_k: how many posts a feed needs until its own wave
//! counts as much as the population's. With one κ for all this is the Dirichlet estimate itself.

use super::count;
use super::shape::shares;
use std::sync::LazyLock;

/// Waves of one to twelve periods a day.
pub const WAVES: usize = 12;
const HOURS: usize = 24;
/// Where feeds hardly differ, and where they differ as much as can be told.
const STRENGTH_MIN: f64 = 2.0;
const STRENGTH_MAX: f64 = 4096.0;
const STRENGTH_USUAL: f64 = 64.0;
/// A feed's say in the fit grows with its posts up to about this many: the waves of fewer are mostly chance.
const SAY_FULL: f64 = 64.0;
/// Waves can add up to less than nothing. An hour without posts keeps at least what a histogram of so weak a prior would
/// leave it; with less, the mean gained a little and the tail lost: posts at unusual hours waited longest.
const STRENGTH_LEAST: f64 = 16.0;

/// cos(2π·n/24).
static COSINES: LazyLock<[f64; HOURS]> =
    LazyLock::new(|| std::array::from_fn(|nth| (std::f64::consts::TAU * nth as f64 / HOURS as f64).cos()));

/// A wave's cosine and sine parts.
type Wave = (f64, f64);

/// The `nth` wave at an hour.
fn at(nth: usize, hour: usize) -> Wave {
    let turn = nth * hour % HOURS;
    (COSINES[turn], COSINES[(turn + 18) % HOURS])
}

/// Waves one to twelve of shares that sum to one.
fn waves(shares: &[f64; HOURS]) -> [Wave; WAVES] {
    std::array::from_fn(|nth| {
        shares.iter().enumerate().fold((0.0, 0.0), |sum, (hour, share)| {
            let (cosine, sine) = at(nth + 1, hour);
            (sum.0 + share * cosine, sum.1 + share * sine)
        })
    })
}

fn square(wave: Wave) -> f64 {
    wave.0 * wave.0 + wave.1 * wave.1
}

/// κ of each wave. Members' waves lie about the population's by what feeds differ and by chance, which for n posts is
/// (1 − |g|²)/n: what is left without it is what they differ. None without members that teach anything.
pub fn fit_strengths(members: &[[f64; HOURS]], prior: &[f64; HOURS]) -> Option<[f64; WAVES]> {
    let prior = waves(&shares(prior));
    let (mut differ, mut says) = ([0.0; WAVES], 0.0);
    for member in members {
        let total: f64 = member.iter().map(|posts| count(*posts)).sum();
        if total < 2.0 {
            continue;
        }
        let say = (total / (total + SAY_FULL)).powi(2);
        says += say;
        for ((sum, own), all) in differ.iter_mut().zip(waves(&shares(member))).zip(prior) {
            let apart = square((own.0 - all.0, own.1 - all.1));
            *sum += say * (apart - (1.0 - square(all)) / total);
        }
    }
    (says > 0.0).then(|| {
        std::array::from_fn(|nth| {
            let strength = (1.0 - square(prior[nth])) * says / differ[nth].max(1e-9);
            if strength.is_finite() { strength.clamp(STRENGTH_MIN, STRENGTH_MAX) } else { STRENGTH_USUAL }
        })
    })
}

/// Shares by hour: the population's waves, each moved to the feed's own by n/(n + κ).
pub fn shrunk_waves(counts: &[f64; HOURS], prior: &[f64; HOURS], strengths: &[f64; WAVES]) -> [f64; HOURS] {
    let total: f64 = counts.iter().map(|posts| count(*posts)).sum();
    let prior = shares(prior);
    if total <= 0.0 {
        return prior;
    }
    let (own, all) = (waves(&shares(counts)), waves(&prior));
    let moved: [Wave; WAVES] = std::array::from_fn(|nth| {
        let strength = strengths[nth];
        let strength = if strength.is_finite() { strength.clamp(1e-6, 1e12) } else { STRENGTH_USUAL };
        // The last wave has no mirror image, so it counts once.
        let twice = if nth + 1 == WAVES { 1.0 } else { 2.0 };
        let share = twice * total / (total + strength) / HOURS as f64;
        (share * (own[nth].0 - all[nth].0), share * (own[nth].1 - all[nth].1))
    });
    let least = STRENGTH_LEAST / (total + STRENGTH_LEAST);
    shares(&std::array::from_fn(|hour| {
        let add = |sum: f64, (nth, wave): (usize, &Wave)| {
            let (cosine, sine) = at(nth + 1, hour);
            sum + wave.0 * cosine + wave.1 * sine
        };
        moved.iter().enumerate().fold(prior[hour], add).max(least * prior[hour])
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::shape::shrunk;
    use proptest::prelude::*;

    /// A day with its height at `peak`.
    fn day(peak: f64) -> [f64; HOURS] {
        let height = |hour: usize| (std::f64::consts::TAU * (hour as f64 - peak) / 24.0).cos();
        shares(&std::array::from_fn(|hour| 1.0 + 0.8 * height(hour)))
    }

    /// So many posts as a day has them, with the same chance for every feed of that name.
    fn drawn(day: &[f64; HOURS], posts: usize, name: u64) -> [f64; HOURS] {
        let mut counts = [0.0; HOURS];
        let mut state = name.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        for _ in 0..posts {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut left = (state >> 11) as f64 / (1u64 << 53) as f64;
            let hour = day.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            counts[hour.unwrap_or(23)] += 1.0;
        }
        counts
    }

    #[test]
    fn one_strength_for_all_waves_is_the_shrunk_histogram() {
        let (counts, prior) = (drawn(&day(9.0), 40, 3), day(15.0));
        let waves = shrunk_waves(&counts, &prior, &[64.0; WAVES]);
        for (wave, whole) in waves.iter().zip(shrunk(&counts, &prior, 64.0)) {
            assert!((wave - whole).abs() < 1e-12, "{wave} {whole}");
        }
    }

    #[test]
    fn feeds_that_sleep_at_other_hours_are_told_apart_by_slow_waves_alone() {
        let feeds: Vec<[f64; HOURS]> =
            (0..200).map(|nth| drawn(&day(if nth % 4 == 0 { 8.0 } else { 18.0 }), 60, nth)).collect();
        let prior = shares(&std::array::from_fn(|hour| feeds.iter().map(|feed| feed[hour]).sum()));
        let strengths = fit_strengths(&feeds, &prior).expect("fitted");
        assert!(strengths[0] < 30.0 && strengths[5] > 300.0, "{strengths:?}");
        // Forty posts of a feed of the smaller kind: nearer to the truth than the histogram as a whole can be.
        let miss =
            |found: &[f64; HOURS]| found.iter().zip(day(8.0)).map(|(f, t)| (f - t).powi(2)).sum::<f64>();
        let (mut apart, mut whole) = (0.0, f64::INFINITY);
        for strength in [2.0, 8.0, 32.0, 128.0, 512.0] {
            let sum: f64 =
                (1000..1050).map(|name| miss(&shrunk(&drawn(&day(8.0), 40, name), &prior, strength))).sum();
            whole = whole.min(sum);
        }
        for name in 1000..1050 {
            apart += miss(&shrunk_waves(&drawn(&day(8.0), 40, name), &prior, &strengths));
        }
        assert!(apart < 0.6 * whole, "{apart} {whole}");
    }

    #[test]
    fn alike_feeds_are_one_and_nothing_teaches_nothing() {
        let alike: Vec<[f64; HOURS]> = (0..300).map(|name| drawn(&day(12.0), 50, name)).collect();
        let strengths = fit_strengths(&alike, &day(12.0)).expect("fitted");
        assert!(strengths.iter().all(|strength| *strength > 200.0), "{strengths:?}");
        assert_eq!(fit_strengths(&[[0.0; HOURS]; 9], &day(12.0)), None);
        assert_eq!(shrunk_waves(&[0.0; HOURS], &day(12.0), &strengths), shares(&day(12.0)));
    }

    proptest! {
        #[test]
        fn any_numbers_give_shares(
            counts in proptest::array::uniform24(any::<f64>()),
            prior in proptest::array::uniform24(any::<f64>()),
            strengths in proptest::array::uniform12(any::<f64>()),
        ) {
            let found = shrunk_waves(&counts, &prior, &strengths);
            prop_assert!(found.iter().all(|share| share.is_finite() && *share >= 0.0), "{found:?}");
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            if let Some(strengths) = fit_strengths(&[counts, prior], &prior) {
                prop_assert!(strengths.iter().all(|k| (STRENGTH_MIN..=STRENGTH_MAX).contains(k)));
            }
        }
    }
}
