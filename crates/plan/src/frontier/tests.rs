use super::*;
use domain::{Hints, PostingRate};
use std::time::Duration;

fn now() -> Timestamp {
    Timestamp::from_seconds(1_699_833_600)
}

/// Rates from one post in ten days to ten a day; every other feed posts in four hours only.
fn feeds(count: usize) -> Vec<PostingRate> {
    (0..count)
        .map(|nth| {
            let per_day = 0.1 * 100f64.powf((nth * 37 % 101) as f64 / 100.0);
            let mut rate = PostingRate {
                posts: 20.0 * per_day,
                exposure_days: 20.0,
                last_post_at: Some(now()),
                ..PostingRate::default()
            };
            if nth % 2 == 0 {
                (0..4).for_each(|hour| rate.hours[(nth + hour) % 24] = 500.0);
            }
            rate
        })
        .collect()
}

fn points(rates: &[PostingRate], budgets: &[f64], policy: &Policy) -> Vec<FrontierPoint> {
    let hints = Hints::default();
    let members: Vec<Member<'_>> = rates
        .iter()
        .map(|rate| Member {
            learned: Learned { rate, hints: &hints, floor: policy.own_floor, poll_cost: 1.0 },
            attention: None,
        })
        .collect();
    frontier(&members, &Population::default(), budgets, now(), policy).points
}

#[test]
fn more_polls_are_fresher_and_planned_ones_fresher_than_even_ones() {
    let budgets = [0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 24.0];
    let found = points(&feeds(60), &budgets, &Policy::unfloored(4.0));
    assert_eq!(found.len(), budgets.len());
    for (point, budget) in found.iter().zip(budgets) {
        // Few feeds with sharp patterns change their polls by steps.
        assert!((point.polls_per_day / budget - 1.0).abs() < 0.02, "{point:?}");
        assert!((point.even_delay_s - 43_200.0 / point.polls_per_day).abs() < 1.0, "{point:?}");
        assert!(point.delay_s < 0.8 * point.even_delay_s, "{point:?}");
    }
    assert!(found.windows(2).all(|pair| pair[1].delay_s < pair[0].delay_s), "{found:?}");
}

#[test]
fn floors_end_the_frontier() {
    let policy = Policy { own_floor: Duration::from_secs(6 * 3600), ..Policy::default() };
    let found = points(&feeds(30), &[2.0, 50.0], &policy);
    assert!((found[0].polls_per_day - 2.0).abs() < 0.02, "{found:?}");
    assert!(found[1].polls_per_day <= 4.0 + 1e-9 && found[1].polls_per_day > 3.5, "{found:?}");
    assert!(found[1].even_delay_s >= 3.0 * 3600.0 - 1.0);
}

#[test]
fn a_sample_speaks_for_many_and_nothing_for_nothing() {
    let many = feeds(2020);
    let policy = Policy::unfloored(4.0);
    let (whole, sample) = (points(&many[..404], &[4.0], &policy), points(&many, &[4.0], &policy));
    assert!((whole[0].delay_s / sample[0].delay_s - 1.0).abs() < 0.1, "{whole:?} {sample:?}");
    assert!(points(&[], &[4.0], &policy).is_empty());
    assert!(points(&many[..2], &[f64::NAN, -1.0, 0.0, f64::INFINITY], &policy).is_empty());
}

#[test]
fn stored_nonsense_gives_numbers() {
    let broken = PostingRate {
        posts: f64::NAN,
        exposure_days: f64::INFINITY,
        hours: [f32::NAN; 24],
        ..PostingRate::default()
    };
    for point in points(&[broken], &[1e-300, 1.0, 1e300], &Policy::default()) {
        assert!(
            point.polls_per_day.is_finite() && point.delay_s.is_finite() && point.even_delay_s.is_finite()
        );
    }
}
