use super::*;
use crate::cost::Metric;
use crate::grid::Grid;
use proptest::prelude::*;
use std::f64::consts::TAU;

const METRICS: [Metric; 3] = [Metric::Delay, Metric::Miss, Metric::AccessDelay];
const FREE: Bounds = Bounds { least_slots: 1, most_slots: usize::MAX };

/// A small generator, so that the instances are the same everywhere.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn up_to(&mut self, most: usize) -> usize {
        (self.unit() * most as f64) as usize
    }

    /// Even, spiky and sparse patterns, as real histograms are.
    fn rates(&mut self, slots: usize, style: usize) -> Vec<f64> {
        (0..slots)
            .map(|_| match style % 3 {
                0 => 0.5 + self.unit(),
                1 => -(1.0 - self.unit()).ln().max(-30.0) * if self.unit() < 0.2 { 20.0 } else { 1.0 },
                _ if self.unit() < 0.7 => 0.0,
                _ => self.unit() * 10.0,
            })
            .collect()
    }
}

/// All D(m) by a plain layered search from every root over a table of costs: no Monge, no bands.
fn brute(costs: &Costs, most: usize, bounds: &Bounds) -> Vec<f64> {
    let n = costs.slots();
    let table: Vec<Vec<f64>> = (0..n).map(|i| (i..=i + n).map(|j| costs.between(i, j)).collect()).collect();
    let w = |i: usize, j: usize| table[i % n][j - i];
    let mut best = vec![f64::INFINITY; most];
    let allowed = bounds.least_slots..=bounds.most_slots;
    for root in 0..n {
        let mut reached = vec![f64::INFINITY; n + 1];
        reached[0] = 0.0;
        for found in &mut best {
            let mut next = vec![f64::INFINITY; n + 1];
            for (to, next) in next.iter_mut().enumerate().skip(1) {
                for from in (0..to).filter(|from| allowed.contains(&(to - from))) {
                    *next = next.min(reached[from] + w(root + from, root + to));
                }
            }
            reached = next;
            *found = found.min(reached[n]);
        }
    }
    best
}

fn check(costs: &Costs, most: usize, bounds: &Bounds) {
    let expected = brute(costs, most, bounds);
    let whole = costs.of_cycle(&[0]).max(1e-12);
    let found = curve(costs, most, bounds);
    assert_eq!(found.len(), most);
    for (nth, (expected, found)) in expected.iter().zip(&found).enumerate() {
        if expected.is_infinite() {
            assert_eq!(found, &Placement::none(), "m = {}", nth + 1);
            assert_eq!(place(costs, nth + 1, bounds), None);
            continue;
        }
        let error = (expected - found.cost).abs();
        assert!(error <= 1e-9 * whole, "{:?} m={} {} {}", costs.metric(), nth + 1, expected, found.cost);
        assert_eq!(found.polls.len(), nth + 1);
        let wrapped = found.polls.iter().skip(1).copied().chain([found.polls[0] + costs.slots()]);
        for (from, to) in found.polls.iter().zip(wrapped) {
            assert!((bounds.least_slots..=bounds.most_slots).contains(&(to - from)), "{found:?} {bounds:?}");
        }
        let alone = place(costs, nth + 1, bounds).expect("feasible");
        assert!((alone.cost - found.cost).abs() <= 1e-12 * whole);
    }
}

#[test]
fn exact_equals_brute_force_on_hundreds_of_instances() {
    let mut dice = Dice(11);
    for instance in 0..600 {
        let slots = if instance % 20 == 0 { 48 } else { 2 + dice.up_to(26) };
        let posting = dice.rates(slots, instance);
        let attention = dice.rates(slots, instance / 3);
        for metric in METRICS {
            let costs = Costs::new(metric, Grid::day(slots), &posting, &attention, 1).expect("good rates");
            check(&costs, 12, &FREE);
        }
    }
}

#[test]
fn exact_equals_brute_force_between_least_and_most_intervals() {
    let mut dice = Dice(5);
    for instance in 0..300 {
        let slots = 4 + dice.up_to(24);
        let least_slots = 1 + dice.up_to(4);
        let bounds = Bounds { least_slots, most_slots: least_slots + dice.up_to(slots) };
        let (posting, attention) = (dice.rates(slots, instance), dice.rates(slots, instance / 3));
        for metric in METRICS {
            let costs = Costs::new(metric, Grid::week(slots), &posting, &attention, 1).expect("good rates");
            check(&costs, 12, &bounds);
        }
    }
}

fn waves(slots: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..slots).map(|k| f(TAU * (k as f64 + 0.5) / slots as f64)).collect()
}

fn assert_near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} instead of {expected}");
}

#[test]
fn sia_and_cho_example_1() {
    // 002 Example 1: T = 2, λ = 1 then 0. One poll at t = 1 costs 1/2, at 0 it costs 3/2; m polls 1/(2m).
    let posting: Vec<f64> = (0..240).map(|slot| f64::from(u8::from(slot < 120))).collect();
    let grid = Grid { period_days: 2.0, slots: 240 };
    let costs = Costs::new(Metric::Delay, grid, &posting, &[], 1).expect("good");
    assert_eq!(place(&costs, 1, &FREE).expect("one").polls, [120]);
    assert_near(costs.of_cycle(&[0]), 1.5, 1e-12);
    for polls in 1..=6 {
        assert_near(place(&costs, polls, &FREE).expect("some").cost, 0.5 / polls as f64, 1e-12);
    }
}

#[test]
fn the_sine_of_example_2_at_one_minute() {
    let posting = waves(1440, |x| 2.0 + 2.0 * x.sin());
    let costs = Costs::new(Metric::Delay, Grid::day(1440), &posting, &[], 1).expect("good");
    for (polls, cost, at) in [
        (1, 0.681_689_86, vec![720]),
        (2, 0.366_287_35, vec![394, 817]),
        (3, 0.251_427_37, vec![254, 540, 863]),
        (6, 0.129_948_44, vec![73, 246, 396, 544, 708, 924]),
    ] {
        let found = place(&costs, polls, &FREE).expect("some");
        assert_near(found.cost, cost, 5.1e-9);
        assert_eq!(found.polls, at);
    }
    // One poll at τ costs 1 + cos(2πτ)/π; the grid adds a quarter of a millionth.
    for slot in (0..1440).step_by(60) {
        let exact = 1.0 + (TAU * slot as f64 / 1440.0).cos() / std::f64::consts::PI;
        assert_near(costs.of_cycle(&[slot]), exact, 1e-6);
    }
}

#[test]
fn misses_and_access_delays_of_waves_at_one_minute() {
    let (posting, attention) = (waves(1440, |x| 2.0 + x.sin()), waves(1440, |x| 2.0 + x.cos()));
    let new = |metric| Costs::new(metric, Grid::day(1440), &posting, &attention, 1).expect("good");
    let miss = new(Metric::Miss);
    let cost = |costs: &Costs, polls| place(costs, polls, &FREE).expect("some").cost;
    assert_near(cost(&miss, 1), 1.470_264_37, 1e-6);
    assert_near(cost(&miss, 2), 0.869_761_94, 1e-6);
    assert_near(cost(&miss, 6), 0.310_449_68, 5.1e-9);
    // Mirrored about t = .625 the same polls cost the same, so the cost is what can be compared.
    assert_near(miss.of_cycle(&[87, 271, 478, 758, 1038, 1319]), cost(&miss, 6), 1e-12);
    let delay = new(Metric::AccessDelay);
    assert_eq!(place(&delay, 1, &FREE).expect("one").polls, [900]);
    assert_near(cost(&delay, 1), 0.382_607_84, 1e-6);
    assert_near(cost(&delay, 2), 0.137_875_75, 1e-6);
    assert_near(cost(&delay, 6), 0.016_835_18, 5.1e-9);
}

#[test]
fn opposite_posting_and_access_halves() {
    // λ = 3 then 1, u = 1 then 3 over T = 2: polling between them misses 4, before them 12.
    let half =
        |first: f64, second: f64| (0..40).map(|s| if s < 20 { first } else { second }).collect::<Vec<_>>();
    let grid = Grid { period_days: 2.0, slots: 40 };
    let costs = Costs::new(Metric::Miss, grid, &half(3.0, 1.0), &half(1.0, 3.0), 1).expect("good");
    assert_near(costs.of_cycle(&[20]), 4.0, 1e-12);
    assert_near(costs.of_cycle(&[0]), 12.0, 1e-12);
    assert_eq!(place(&costs, 1, &FREE).expect("one").polls, [20]);
}

#[test]
fn small_tables_by_hand() {
    let d = |metric, posting: &[f64], attention: &[f64]| -> Vec<f64> {
        let grid = Grid { period_days: posting.len() as f64, slots: posting.len() };
        let costs = Costs::new(metric, grid, posting, attention, 1).expect("good");
        curve(&costs, 6, &FREE).iter().map(|p| p.cost).filter(|cost| cost.is_finite()).collect()
    };
    let near = |found: Vec<f64>, expected: &[f64]| {
        found.iter().zip(expected).for_each(|(found, expected)| assert_near(*found, *expected, 1e-9));
        assert!(found.len() >= expected.len());
    };
    near(d(Metric::Delay, &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0], &[]), &[7.0, 4.0, 3.0, 3.0, 3.0]);
    let eight = d(Metric::Delay, &[0.0, 1.0, 4.0, 2.0, 0.0, 0.0, 3.0, 1.0], &[]);
    near(eight, &[30.5, 14.5, 9.5, 6.5, 5.5, 5.5]);
    let (posting, attention) = ([3.0, 3.0, 1.0, 1.0], [1.0, 1.0, 3.0, 3.0]);
    near(d(Metric::Miss, &posting, &attention), &[16.0, 11.0, 7.0]);
    near(d(Metric::AccessDelay, &posting, &attention), &[16.0, 8.0, 3.0]);
}

#[test]
fn small_tables_have_these_points_where_no_others_cost_as_little() {
    let points = |metric, posting: &[f64], attention: &[f64], polls: usize| -> Vec<usize> {
        let grid = Grid { period_days: posting.len() as f64, slots: posting.len() };
        let costs = Costs::new(metric, grid, posting, attention, 1).expect("good");
        place(&costs, polls, &FREE).expect("some").polls
    };
    let six = [1.0, 2.0, 3.0, 0.0, 0.0, 0.0];
    assert_eq!(points(Metric::Delay, &six, &[], 1), [3]);
    assert_eq!(points(Metric::Delay, &six, &[], 2), [2, 3]);
    assert_eq!(points(Metric::Delay, &six, &[], 3), [1, 2, 3]);
    let eight = [0.0, 1.0, 4.0, 2.0, 0.0, 0.0, 3.0, 1.0];
    assert_eq!(points(Metric::Delay, &eight, &[], 1), [4]);
    assert_eq!(points(Metric::Delay, &eight, &[], 2), [0, 4]);
    assert_eq!(points(Metric::Delay, &eight, &[], 4), [0, 3, 4, 7]);
    assert_eq!(points(Metric::Delay, &eight, &[], 5), [0, 2, 3, 4, 7]);
    let (posting, attention) = ([3.0, 3.0, 1.0, 1.0], [1.0, 1.0, 3.0, 3.0]);
    for metric in [Metric::Miss, Metric::AccessDelay] {
        assert_eq!(points(metric, &posting, &attention, 1), [2]);
        assert_eq!(points(metric, &posting, &attention, 3), [1, 2, 3]);
    }
}

/// The same feed over `periods` periods taken as one.
fn cover(posting: &[f64], attention: &[f64], metric: Metric, periods: usize) -> Costs {
    let grid = Grid { period_days: periods as f64, slots: posting.len() * periods };
    Costs::new(metric, grid, &posting.repeat(periods), &attention.repeat(periods), 1).expect("good")
}

#[test]
fn three_polls_in_two_days_are_better_than_one_and_two() {
    let two = cover(&[1.0; 12], &[], Metric::Delay, 2);
    assert_near(place(&two, 3, &FREE).expect("three").cost, 2.0 / 3.0, 1e-12);
    let one = cover(&[1.0; 12], &[], Metric::Delay, 1);
    assert_near(place(&one, 1, &FREE).expect("one").cost, 0.5, 1e-12);
    assert_near(place(&one, 2, &FREE).expect("two").cost, 0.25, 1e-12);
}

#[test]
fn what_cannot_be_placed_is_none() {
    let costs = Costs::new(Metric::Delay, Grid::day(6), &[1.0; 6], &[], 1).expect("good");
    for (polls, least_slots, most_slots) in
        [(0, 1, 6), (7, 1, 6), (2, 4, 6), (1, 1, 5), (3, 3, 2), (2, 0, 0), (usize::MAX, 1, usize::MAX)]
    {
        assert_eq!(place(&costs, polls, &Bounds { least_slots, most_slots }), None, "{polls}");
    }
    let all = place(&costs, 6, &FREE).expect("every slot");
    assert_eq!(all.polls, [0, 1, 2, 3, 4, 5]);
    assert_eq!(even(&costs, 4).polls, [0, 1, 3, 4]);
    assert_eq!(even(&costs, 99).polls.len(), 6);
    assert_eq!(even(&costs, 0).cost, f64::INFINITY);
    assert!(curve(&costs, usize::MAX, &FREE).len() >= 6);
}

#[test]
fn the_longest_wait_can_be_kept_at_that_of_even_polling() {
    let mut posting = vec![0.01; 288];
    posting[100..130].fill(40.0);
    let costs = Costs::new(Metric::Delay, Grid::day(288), &posting, &[], 1).expect("good");
    let free = place(&costs, 6, &FREE).expect("six");
    let kept = place(&costs, 6, &Bounds::as_even(288, 6)).expect("six");
    let longest = |p: &Placement| {
        p.polls.iter().zip(p.polls.iter().skip(1).chain(&[p.polls[0] + 288])).map(|(a, b)| b - a).max()
    };
    assert!(longest(&free) > Some(48));
    assert_eq!(longest(&kept), Some(48));
    assert!(free.cost < kept.cost && kept.cost <= even(&costs, 6).cost);
}

proptest! {
    #[test]
    fn laws_of_the_circle(
        rates in proptest::collection::vec((0.0f64..50.0, 0.0f64..9.0), 2..24),
        scale in 0.001f64..1000.0, periods in 2usize..4,
    ) {
        let (posting, attention): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        let n = posting.len();
        for metric in METRICS {
            let costs = cover(&posting, &attention, metric, 1);
            let most = n.min(8);
            let d: Vec<f64> = curve(&costs, most, &FREE).iter().map(|p| p.cost).collect();
            let within = 1e-11 * d[0].max(1e-9);
            for (nth, triple) in d.windows(3).enumerate() {
                prop_assert!(triple[0] + triple[2] >= 2.0 * triple[1] - within, "convex at {}", nth + 2);
            }
            for (nth, cost) in d.iter().enumerate() {
                prop_assert!(*cost <= even(&costs, nth + 1).cost + within, "exact is not above uniform");
            }
            let scaled: Vec<f64> = posting.iter().map(|rate| rate * scale).collect();
            let by_scale = cover(&scaled, &attention, metric, 1);
            let covered = cover(&posting, &attention, metric, periods);
            for polls in 1..=most.min(4) {
                let other = place(&by_scale, polls, &FREE).map_or(0.0, |p| p.cost);
                prop_assert!((other - d[polls - 1] * scale).abs() <= within * scale);
                let long = place(&covered, polls * periods, &FREE).map_or(0.0, |p| p.cost);
                let error = (long - d[polls - 1] * periods as f64).abs();
                prop_assert!(error <= 1e-10 * (d[0] * (periods * periods) as f64).max(1e-9), "D_K(Km) = K D(m)");
            }
        }
    }

    #[test]
    fn no_bounds_make_it_fail(
        rates in proptest::collection::vec(0.0f64..1e9, 1..12), polls: usize, few in 0usize..20,
        least_slots: usize, most_slots: usize, near in 0usize..14,
    ) {
        let costs = cover(&rates, &[], Metric::Delay, 1);
        for bounds in [Bounds { least_slots, most_slots }, Bounds { least_slots: near, most_slots: few }] {
            for polls in [polls, few] {
                if let Some(found) = place(&costs, polls, &bounds) {
                    prop_assert_eq!(found.polls.len(), polls);
                    prop_assert!(found.cost.is_finite());
                }
            }
        }
    }
}
