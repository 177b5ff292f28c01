use super::*;
use crate::cost::{Costs, Metric};
use crate::exact::{Bounds, Climb, curve};
use crate::grid::Grid;
use proptest::prelude::*;

fn costs_of(rates: &[f64]) -> Costs {
    Costs::new(Metric::Delay, Grid::day(rates.len()), rates, &[], 1).expect("good rates")
}

fn demand_of(rates: &[f64]) -> Demand {
    let costs = costs_of(rates);
    Demand::new(curve(&costs, rates.len(), &Bounds::default()).iter().map(|p| p.cost).collect())
}

/// Every way to hand out `budget` polls, at least one each.
fn brute(demands: &[Demand], budget: usize) -> f64 {
    let Some((first, rest)) = demands.split_first() else { return 0.0 };
    (1..=first.curve.len().min(budget.saturating_sub(rest.len())))
        .map(|polls| first.weight * first.curve[polls - 1] + brute(rest, budget - polls))
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn a_feed_that_posts_in_one_hour_needs_one_poll_and_leaves_the_rest_to_others() {
    // `scheduling.md` §9: the square-root rule would give 2 : 4 and cost 1 + 1/3.
    let even = [4.0; 24];
    let mut burst = [0.0; 24];
    burst[9] = 16.0 * 24.0;
    let demands = [demand_of(&even), demand_of(&burst)];
    let found = allocate(&demands, 6.0);
    assert_eq!(found.polls, [5, 1]);
    assert!((found.cost - 0.736_111_11).abs() < 1e-8, "{}", found.cost);
    assert!((demands[0].curve[4] - 0.402_777_78).abs() < 1e-8);
    assert!((demands[1].curve[0] - 0.333_333_33).abs() < 1e-8);
    let square_root = demands[0].curve[1] + demands[1].curve[3];
    assert!((square_root - 4.0 / 3.0).abs() < 1e-8, "{square_root}");
    assert!((found.cost / square_root - 0.552).abs() < 5e-4, "{}", found.cost / square_root);
}

#[test]
fn flat_feeds_get_the_square_root_of_their_rates() {
    let demands: Vec<Demand> = [1.0, 4.0, 9.0].iter().map(|rate| demand_of(&vec![*rate; 288])).collect();
    assert_eq!(allocate(&demands, 36.0).polls, [6, 12, 18]);
}

#[test]
fn flat_products_of_posting_and_access_get_the_cube_root() {
    // 001 §6.1.1 with the erratum: n ∝ ∛(λ_p λ_c), and the cost of constants is λ_c λ_p T³ / (6 n²).
    let demands: Vec<Demand> = [1.0, 8.0, 27.0]
        .iter()
        .map(|rate| {
            let costs = Costs::new(Metric::AccessDelay, Grid::day(288), &[*rate; 288], &[1.0; 288], 1);
            let placed = curve(&costs.expect("good"), 48, &Bounds::default());
            assert!((placed[11].cost - rate / (6.0 * 144.0)).abs() < 1e-9 * rate);
            Demand::new(placed.iter().map(|p| p.cost).collect())
        })
        .collect();
    assert_eq!(allocate(&demands, 36.0).polls, [6, 12, 18]);
}

#[test]
fn weights_costs_least_and_most_are_kept() {
    let flat = demand_of(&[2.0; 24]);
    let dear = Demand { poll_cost: 4.0, ..flat.clone() };
    let important = Demand { weight: 9.0, ..flat.clone() };
    let held = Demand { most: 2, weight: 1e6, ..flat.clone() };
    let promised = Demand { least: 7, weight: 0.0, ..flat.clone() };
    let found = allocate(&[flat.clone(), dear, important, held, promised], 40.0);
    assert!(found.polls[2] > 2 * found.polls[0], "{found:?}");
    assert!(found.polls[1] < found.polls[0], "{found:?}");
    assert_eq!((found.polls[3], found.polls[4]), (2, 7));
    assert!(found.spent <= 40.0 && found.price > 0.0);
}

#[test]
fn odd_budgets_and_numbers_have_an_answer() {
    let flat = demand_of(&[2.0; 6]);
    let none = allocate(&[Demand { least: 0, ..flat.clone() }, flat.clone()], 0.0);
    assert_eq!(none.polls, [0, 1], "what is promised is given, nothing else");
    assert!(none.cost.is_infinite());
    let all = allocate(&[flat.clone(), flat.clone()], 1e9);
    assert_eq!((all.polls, all.price), (vec![6, 6], 0.0));
    assert_eq!(allocate(std::slice::from_ref(&flat), f64::NAN).polls, [1]);
    assert_eq!(allocate(&[], 10.0).cost, 0.0);
    for weight in [f64::NAN, -1.0, f64::INFINITY] {
        let odd = Demand { weight, poll_cost: weight, ..flat.clone() };
        assert_eq!(allocate(&[odd, flat.clone()], 4.0).polls, [1, 3]);
    }
    let empty = Demand::new(Vec::new());
    assert_eq!(allocate(&[empty, flat.clone()], 3.0).polls, [0, 3]);
    // Without a promise the first polls go where cost grows fastest.
    let quiet = Demand { least: 0, ..demand_of(&[1.0; 6]) };
    let loud = Demand { least: 0, ..demand_of(&[9.0; 6]) };
    assert_eq!(allocate(&[quiet, loud], 1.0).polls, [0, 1]);
}

#[test]
fn a_longest_interval_asks_for_its_polls_first() {
    let costs = costs_of(&[1.0; 24]);
    let bounds = Bounds { most_slots: 6, ..Bounds::default() };
    let bounded = Demand::new(curve(&costs, 24, &bounds).iter().map(|p| p.cost).collect());
    let found = allocate(&[bounded, demand_of(&[100.0; 24])], 8.0);
    assert_eq!(found.polls, [4, 4]);
}

#[test]
fn curves_asked_for_as_needed_give_the_same() {
    let feeds: Vec<Costs> = (1..6)
        .map(|nth| costs_of(&(0..48).map(|slot| f64::from((slot * nth * 7) % 11)).collect::<Vec<_>>()))
        .collect();
    let demands: Vec<Demand> = feeds
        .iter()
        .map(|costs| Demand::new(curve(costs, 48, &Bounds::default()).iter().map(|p| p.cost).collect()))
        .collect();
    let terms = [Terms { weight: 1.0, poll_cost: 1.0, least: 1, most: 48 }; 5];
    let mut climbs: Vec<Option<Climb>> = vec![None; 5];
    let mut asked = 0;
    let lazy = allocate_with(&terms, 20.0, |feed, polls| {
        asked += 1;
        match &mut climbs[feed] {
            Some(climb) => assert!(climb.step(&feeds[feed])),
            empty => *empty = Climb::to(&feeds[feed], polls, &Bounds::default()),
        }
        climbs[feed].as_mut().map_or(f64::INFINITY, |climb| climb.circle(&feeds[feed]).cost)
    });
    assert_eq!(lazy, allocate(&demands, 20.0));
    assert!(asked <= 25, "{asked}");
}

proptest! {
    #[test]
    fn no_other_hand_out_is_better(
        rates in proptest::collection::vec(proptest::collection::vec(0.0f64..9.0, 6), 1..4),
        weights in proptest::collection::vec(0.01f64..5.0, 4),
        budget in 4usize..14,
    ) {
        let demands: Vec<Demand> = rates.iter().zip(&weights)
            .map(|(rates, weight)| Demand { weight: *weight, ..demand_of(rates) }).collect();
        let found = allocate(&demands, budget as f64);
        let best = brute(&demands, budget);
        let scale: f64 = demands.iter().map(|d| d.weight * d.curve[0]).sum();
        prop_assert!((found.cost - best).abs() <= 1e-9 * scale, "{} {}", found.cost, best);
        prop_assert!(found.spent <= budget as f64);
    }

    #[test]
    fn with_unequal_costs_nothing_that_spends_as_little_is_better(
        rates in proptest::collection::vec(proptest::collection::vec(0.1f64..9.0, 5), 3),
        prices in proptest::collection::vec(0.2f64..3.0, 3), budget in 3.0f64..20.0,
    ) {
        let demands: Vec<Demand> = rates.iter().zip(&prices)
            .map(|(rates, price)| Demand { poll_cost: *price, ..demand_of(rates) }).collect();
        let found = allocate(&demands, budget);
        let least: f64 = prices.iter().sum();
        prop_assert!(found.spent <= budget.max(least) + 1e-9);
        for a in 1..=5 { for b in 1..=5 { for c in 1..=5 {
            let polls = [a, b, c];
            let spent: f64 = polls.iter().zip(&prices).map(|(m, price)| *m as f64 * price).sum();
            let cost: f64 = polls.iter().zip(&demands).map(|(m, d)| d.curve[m - 1]).sum();
            prop_assert!(spent > found.spent + 1e-9 || cost >= found.cost - 1e-9);
        }}}
    }

    #[test]
    fn no_numbers_make_it_fail(
        curves in proptest::collection::vec(proptest::collection::vec(any::<f64>(), 0..6), 0..5),
        weight: f64, poll_cost: f64, budget: f64, least in 0usize..9, most: usize,
    ) {
        let demands: Vec<Demand> = curves.into_iter()
            .map(|curve| Demand { weight, poll_cost, least, most, curve }).collect();
        let found = allocate(&demands, budget);
        prop_assert_eq!(found.polls.len(), demands.len());
        prop_assert!(found.polls.iter().all(|polls| *polls <= 6 && *polls <= most));
    }
}
