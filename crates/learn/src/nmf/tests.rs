#![allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]

use super::*;
use proptest::prelude::*;

/// SplitMix64, as dice of a test.
fn dice(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)) as f64 / u64::MAX as f64
    }
}

fn matrix(rows: &[&[f32]]) -> Sparse {
    let entries = (0u32..).zip(rows).flat_map(|(row, values)| {
        (0u32..).zip(values.iter()).map(move |(column, value)| (row, column, *value))
    });
    Sparse::new(rows.len(), rows.first().map_or(0, |row| row.len()), entries)
}

/// T of Example 5 (Figure 4.2).
fn example() -> Sparse {
    matrix(&[&[0.8, 0.8, 0.0, 0.0], &[0.2, 0.2, 0.6, 0.6], &[0.0, 0.0, 0.5, 0.5]])
}

fn residual<F: Real>(x: &Sparse, factors: &Factors<F>) -> f64 {
    let mut sum = 0.0;
    for row in 0..x.rows() {
        for column in 0..x.columns() {
            let product = factors.row(row).iter().zip(factors.column(column));
            let product: f64 = product.map(|(one, other)| one.wide() * other.wide()).sum();
            let value =
                x.row(row).iter().find(|entry| entry.0 as usize == column).map_or(0.0, |entry| entry.1);
            sum += (f64::from(value) - product).powi(2);
        }
    }
    sum.sqrt()
}

fn swept<F: Real>(sweeps: usize) -> Factors<F> {
    let left = [vec![1.0, 0.5], vec![0.5, 0.5], vec![0.5, 1.0]];
    let right = [vec![1.0, 1.0, 0.5, 0.5], vec![0.5, 0.5, 1.0, 1.0]];
    let options = NmfOptions { l1: 0.0, sweeps_max: sweeps, least_gain: -1.0, threads: 1 };
    factorise(&example(), Factors::given(&left, &right), &options).factors
}

/// Reference 2.5.
#[test]
fn hals_takes_the_steps_of_the_worked_example() {
    let first: Factors<f64> = swept(1);
    for (row, expected) in [[0.24, 0.128], [0.0, 0.56], [0.0, 0.4]].iter().enumerate() {
        for (value, expected) in first.row(row).iter().zip(expected) {
            assert!((value - expected).abs() < 1e-6, "{value} {expected}");
        }
    }
    for (column, expected) in
        [[3.066667, 0.245298], [3.066667, 0.245298], [0.0, 1.093913], [0.0, 1.093913]].iter().enumerate()
    {
        for (value, expected) in first.column(column).iter().zip(expected) {
            assert!((value - expected).abs() < 1e-6, "{value} {expected}");
        }
    }
    let expected = [(1, 0.2766791), (2, 1.219661e-1), (5, 2.660412e-2), (10, 1.910623e-3), (20, 9.792839e-6)];
    for (sweeps, expected) in expected {
        let found = residual(&example(), &swept::<f64>(sweeps));
        assert!((found / expected - 1.0).abs() < 5e-3, "{sweeps}: {found} {expected}");
    }
    let last = residual(&example(), &swept::<f64>(50));
    assert!(last < 1e-11, "{last}");
}

#[test]
fn single_precision_ends_where_double_does() {
    let last = residual(&example(), &swept::<f32>(60));
    assert!(last < 1e-5, "{last}");
}

#[test]
fn the_papers_factors_are_exact() {
    let left = [vec![1.0, 0.0], vec![0.25, 1.2], vec![0.0, 1.0]];
    let right = [vec![0.8, 0.8, 0.0, 0.0], vec![0.0, 0.0, 0.5, 0.5]];
    let factors: Factors<f64> = Factors::given(&left, &right);
    assert!(residual(&example(), &factors) < 1e-6);
    assert_eq!(factors.non_zeros(), (4.0 / 6.0, 0.5));
}

/// The best of rank one leaves the second singular value (reference 2.5).
#[test]
fn of_rank_one_the_best_is_found() {
    let start = Factors::<f64>::seeded(&example(), 1, dice(1));
    let fit =
        factorise(&example(), start, &NmfOptions { l1: 0.0, least_gain: 0.0, sweeps_max: 200, threads: 1 });
    assert!((fit.residuals.last().unwrap() - 1.019804).abs() < 1e-5, "{:?}", fit.residuals.last());
    let product = matrix(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]]);
    let fit = factorise(
        &product,
        Factors::<f32>::seeded(&product, 3, dice(2)),
        &NmfOptions { l1: 0.0, ..NmfOptions::default() },
    );
    assert!(fit.residuals.last().unwrap() < &0.05 && fit.converged, "{:?}", fit.residuals);
}

#[test]
fn nothing_has_factors_of_zero() {
    for (rows, columns, rank) in [(0, 0, 4), (3, 0, 4), (0, 3, 4), (3, 4, 4), (3, 4, 0)] {
        let empty = Sparse::new(rows, columns, []);
        let fit = factorise(&empty, Factors::<f32>::seeded(&empty, rank, dice(1)), &NmfOptions::default());
        assert!(fit.converged && fit.residuals == [0.0]);
        assert!((0..rows).all(|row| fit.factors.row(row).iter().all(|value| *value == 0.0)));
    }
    let fit = factorise(&example(), Factors::<f32>::seeded(&example(), 0, dice(1)), &NmfOptions::default());
    assert!((fit.residuals[0] - example().norm()).abs() < 1e-9);
}

/// Users of `groups` kinds, each with most feeds of its kind and some others.
fn people(users: u32, feeds: u32, groups: u32, seed: u64) -> Sparse {
    let mut dice = dice(seed);
    let entries = (0..users).flat_map(|user| (0..feeds).map(move |feed| (user, feed)));
    let kept: Vec<(u32, u32, f32)> = entries
        .filter(|(user, feed)| dice() < if user % groups == feed % groups { 0.6 } else { 0.03 })
        .map(|(user, feed)| (user, feed, 1.0))
        .collect();
    Sparse::new(users as usize, feeds as usize, kept)
}

#[test]
fn threads_change_nothing() {
    let x = people(1_300, 90, 5, 3);
    let fit = |threads| {
        factorise(
            &x,
            Factors::<f32>::seeded(&x, 5, dice(4)),
            &NmfOptions { threads, ..NmfOptions::default() },
        )
    };
    let (one, three) = (fit(1), fit(3));
    assert_eq!(one, three);
    assert!(one.residuals.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-3)));
}

#[test]
fn a_warm_start_is_ahead_of_a_cold_one() {
    let x = people(600, 60, 6, 5);
    let options = NmfOptions { least_gain: 0.0, ..NmfOptions::default() };
    let before = factorise(&x, Factors::<f32>::seeded(&x, 6, dice(6)), &options);
    // One user left, one came; one feed is new.
    let rows: Vec<Option<usize>> = (1..600).map(Some).chain([None]).collect();
    let columns: Vec<Option<usize>> = (0..60).map(Some).chain([None]).collect();
    let entries: Vec<(u32, u32, f32)> = (0u32..)
        .zip(&rows)
        .flat_map(|(row, old)| {
            x.row(old.unwrap_or(0)).iter().map(move |(column, value)| (row, *column, *value))
        })
        .chain((0..40).map(|row| (row, 60, 1.0)))
        .collect();
    let now = Sparse::new(600, 61, entries);
    let once = NmfOptions { sweeps_max: 1, ..options };
    let warm = factorise(&now, before.factors.aligned(&rows, &columns), &once);
    let cold =
        factorise(&now, Factors::<f32>::seeded(&now, 6, dice(7)), &NmfOptions { sweeps_max: 8, ..options });
    assert!(warm.residuals.last() < cold.residuals.last(), "{:?} {:?}", warm.residuals, cold.residuals);
    assert!(warm.factors.row(599).iter().any(|value| *value > 0.0), "somebody new has a place at once");
}

#[test]
fn somebody_new_is_folded_in() {
    let x = people(600, 60, 6, 8);
    let fit = factorise(
        &x,
        Factors::<f32>::seeded(&x, 6, dice(9)),
        &NmfOptions { least_gain: 0.0, sweeps_max: 60, ..NmfOptions::default() },
    );
    let found = fit.factors.fold_in(x.row(7), 0.1, 30);
    for (one, other) in found.iter().zip(fit.factors.row(7)) {
        assert!((one - other).abs() < 0.02, "{found:?} {:?}", fit.factors.row(7));
    }
    assert!(fit.factors.fold_in(&[], 0.1, 3).iter().all(|value| *value == 0.0));
}

#[test]
fn a_penalty_makes_factors_sparser() {
    let x = people(600, 60, 6, 10);
    let filled = |l1| {
        factorise(&x, Factors::<f32>::seeded(&x, 12, dice(11)), &NmfOptions { l1, ..NmfOptions::default() })
            .factors
            .non_zeros()
    };
    assert!(filled(0.5).0 < filled(0.0).0);
}

proptest! {
    #[test]
    fn a_sweep_never_makes_the_fit_worse(
        entries in prop::collection::vec((0u32..8, 0u32..7, 0.1f32..5.0), 0..40),
        rank in 1usize..5,
        seed: u64,
    ) {
        let x = Sparse::new(8, 7, entries);
        let options = NmfOptions { l1: 0.0, sweeps_max: 12, least_gain: -1.0, threads: 2 };
        let fit = factorise(&x, Factors::<f64>::seeded(&x, rank, dice(seed)), &options);
        for pair in fit.residuals.windows(2) {
            prop_assert!(pair[1] <= pair[0] + 1e-6, "{:?}", fit.residuals);
        }
        prop_assert!((0..8).all(|row| fit.factors.row(row).iter().all(|value| *value >= 0.0)));
    }
}
