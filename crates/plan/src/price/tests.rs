use super::*;
use crate::exact::{curve, place};
use crate::grid::Grid;
use proptest::prelude::*;

const METRICS: [Metric; 3] = [Metric::Delay, Metric::Miss, Metric::AccessDelay];
const FREE: Bounds = Bounds { least_slots: 1, most_slots: usize::MAX };

fn costs_of(metric: Metric, posting: &[f64], attention: &[f64], periods: usize) -> Costs {
    let grid = Grid { period_days: posting.len() as f64 / 12.0, slots: posting.len() };
    Costs::new(metric, grid, posting, attention, periods).expect("good rates")
}

/// min over K ≤ 4 and m of (D_K(m) + μm) / (K·T): what a free period can do, by the exact circle.
fn by_covers(metric: Metric, posting: &[f64], attention: &[f64], price: f64) -> f64 {
    let days = posting.len() as f64 / 12.0;
    (1..=4)
        .flat_map(|periods| {
            let covered = costs_of(metric, &posting.repeat(periods), &attention.repeat(periods), 1);
            let placed = curve(&covered, covered.slots(), &FREE);
            let rate = move |(nth, p): (usize, &crate::exact::Placement)| {
                (p.cost + price * (nth + 1) as f64) / (periods as f64 * days)
            };
            placed.iter().enumerate().map(rate).collect::<Vec<_>>()
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn a_steady_feed_is_polled_at_the_square_root_interval() {
    // λ = 2, μ = 1: T = √(2μ/λ) = 1 day, and g = λT/2 + μ/T = 2 a day.
    let costs = Costs::new(Metric::Delay, Grid::day(48), &[2.0; 48], &[], 3).expect("good");
    let found = solve(&costs, 1.0, &FREE, None).expect("solved");
    assert!((found.cost_rate - 2.0).abs() < 1e-9, "{}", found.cost_rate);
    assert!((found.polls_per_day - 1.0).abs() < 1e-9);
    assert!((found.delay_rate() - 1.0).abs() < 1e-9);
    assert!(found.next.iter().enumerate().all(|(from, to)| *to as usize == from + 48), "{:?}", found.next);
}

#[test]
fn one_and_a_half_polls_a_day_come_out_by_themselves() {
    // At T = 2/3 day the best of a flat feed is three polls in two days (`scheduling.md` §2.5).
    let costs = Costs::new(Metric::Delay, Grid::day(24), &[2.0; 24], &[], 3).expect("good");
    let found = solve(&costs, 4.0 / 9.0, &FREE, None).expect("solved");
    assert!((found.polls_per_day - 1.5).abs() < 1e-9, "{}", found.polls_per_day);
}

#[test]
fn a_silent_feed_waits_as_long_as_it_may() {
    let costs = Costs::new(Metric::Delay, Grid::week(168), &[0.0; 168], &[], 2).expect("good");
    let bounds = Bounds { most_slots: 200, ..FREE };
    let found = solve(&costs, 1.0, &bounds, None).expect("solved");
    assert!((found.polls_per_day - 24.0 / 200.0).abs() < 1e-9, "{}", found.polls_per_day);
}

#[test]
fn what_is_no_price_or_leaves_no_interval_is_said_so() {
    let costs = Costs::new(Metric::Delay, Grid::day(24), &[2.0; 24], &[], 1).expect("good");
    for price in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(matches!(solve(&costs, price, &FREE, None), Err(BadPlan::NotAPrice(_))));
    }
    let none = Bounds { least_slots: 9, most_slots: 8 };
    assert!(matches!(solve(&costs, 1.0, &none, None), Err(BadPlan::NoInterval { .. })));
    let free = solve(&costs, 0.0, &FREE, None).expect("polls that cost nothing");
    assert!((free.polls_per_day - 24.0).abs() < 1e-9);
}

#[test]
fn a_start_from_a_similar_price_needs_fewer_sweeps() {
    let posting: Vec<f64> = (0..336).map(|slot| f64::from((slot * 37 + slot / 48 * 5) % 23)).collect();
    let costs = Costs::new(Metric::Delay, Grid::week(336), &posting, &[], 1).expect("good");
    let cold = solve(&costs, 0.3, &FREE, None).expect("solved");
    let warm = solve(&costs, 0.3 * 1.05, &FREE, Some(&cold)).expect("solved");
    let again = solve(&costs, 0.3 * 1.05, &FREE, None).expect("solved");
    assert!((warm.cost_rate - again.cost_rate).abs() <= 1e-9 * again.cost_rate);
    assert!(warm.sweeps <= again.sweeps, "{} {}", warm.sweeps, again.sweeps);
}

#[test]
fn of_equally_good_cycles_the_values_belong_to_the_one_that_is_followed() {
    let posting = [0.0, 0.0, 0.5858205008956778, 0.6313765118169757, 12.339765505213927, 0.0, 0.0];
    let attention = [0.0, 0.0, 0.5787093324145152, 0.4525290656877746, 0.5961948190008776, 0.0, 0.0];
    let costs = costs_of(Metric::Miss, &posting, &attention, 3);
    let found = solve(&costs, 0.7942697280670348, &FREE, None).expect("solved");
    check_bellman(&costs, &found);
}

/// No other next poll is better by the policy's own values.
fn check_bellman(costs: &Costs, found: &PricePolicy) {
    let (n, slot) = (costs.slots(), costs.grid().slot_days());
    for from in 0..n {
        let of = |to: usize| {
            costs.between(from, to) + found.price - found.cost_rate * (to - from) as f64 * slot
                + found.value[to % n]
        };
        let best = (from + 1..=from + 3 * n).map(of).fold(f64::INFINITY, f64::min);
        let near = 1e-8 * (1.0 + found.cost_rate);
        assert!((of(found.next[from] as usize) - best).abs() <= near, "from {from}");
        assert!((found.value[from] - best).abs() <= near, "value of {from}");
    }
}

fn pattern() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let rate = prop_oneof![0.0f64..20.0, Just(0.0), 0.0f64..1.0];
    proptest::collection::vec((rate.clone(), rate), 6..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_price_policy_is_the_best_of_all_periods(rates in pattern(), price in 0.02f64..3.0) {
        let (posting, attention): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        for metric in METRICS {
            let costs = costs_of(metric, &posting, &attention, 4);
            let found = solve(&costs, price, &FREE, None).expect("solved");
            let by_covers = by_covers(metric, &posting, &attention, price);
            prop_assert!(found.cost_rate <= by_covers * (1.0 + 1e-9), "{} {}", found.cost_rate, by_covers);
            // Beyond four periods it may only be better by what longer covers could add.
            prop_assert!(found.sweeps < SWEEPS_MAX);
            let days = costs.grid().period_days;
            for polls in 1..=posting.len() {
                let d = place(&costs, polls, &FREE).map_or(f64::INFINITY, |p| p.cost);
                prop_assert!(found.cost_rate * days <= d + price * polls as f64 + 1e-9 * d.max(1.0));
            }
        }
    }

    #[test]
    fn a_poll_or_more_per_period_equals_the_covers(rates in pattern(), polls in 1.0f64..5.0) {
        let (posting, attention): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        let mut posting = posting;
        posting[0] += 1.0;
        let costs = costs_of(Metric::Delay, &posting, &attention, 4);
        let whole = costs.of_cycle(&[0]);
        let price = whole / (polls * polls);
        let found = solve(&costs, price, &FREE, None).expect("solved");
        // A cycle of the best policy over K ≤ 4 periods is a placement on the K-fold cover, and conversely.
        let periods = (posting.len() as f64 / 12.0 * found.polls_per_day).fract();
        let within = if periods < 1e-9 { 1e-5 } else { 2e-2 };
        let by_covers = by_covers(Metric::Delay, &posting, &attention, price);
        prop_assert!((found.cost_rate / by_covers - 1.0).abs() <= within, "{} {}", found.cost_rate, by_covers);
    }

    #[test]
    fn next_is_monotone_within_bounds_and_knows_no_scale(
        rates in pattern(), price in 0.02f64..3.0, least_slots in 1usize..4, more in 0usize..30, power in -8i32..8,
    ) {
        let (posting, attention): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        let n = posting.len();
        let bounds = Bounds { least_slots, most_slots: least_slots + more };
        let scale = 2f64.powi(power);
        let scaled: Vec<f64> = posting.iter().map(|rate| rate * scale).collect();
        for metric in METRICS {
            let costs = costs_of(metric, &posting, &attention, 4);
            let found = solve(&costs, price, &bounds, None).expect("solved");
            prop_assert!(found.next.is_sorted());
            prop_assert!(found.next[n - 1] as usize <= found.next[0] as usize + n);
            let most = bounds.most_slots.min(costs.reach() - n);
            for (from, to) in found.next.iter().enumerate() {
                prop_assert!((least_slots..=most).contains(&(*to as usize - from)));
            }
            let other = solve(&costs_of(metric, &scaled, &attention, 4), price * scale, &bounds, None).expect("solved");
            prop_assert_eq!(&other.next, &found.next);
            prop_assert!((other.cost_rate - found.cost_rate * scale).abs() <= 1e-12 * other.cost_rate);
        }
    }

    #[test]
    fn the_equation_of_bellman_holds(rates in pattern(), price in 0.02f64..3.0) {
        let (posting, attention): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        let costs = costs_of(Metric::Miss, &posting, &attention, 3);
        check_bellman(&costs, &solve(&costs, price, &FREE, None).expect("solved"));
    }
}
