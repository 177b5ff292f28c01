use super::*;
use proptest::prelude::*;

/// w straight from the definition, slot by slot: what the tables must agree with.
pub(crate) fn by_definition(
    metric: Metric,
    slot: f64,
    posting: &[f64],
    attention: &[f64],
    i: usize,
    j: usize,
) -> f64 {
    let n = posting.len();
    let (mut sum, mut waiting, mut waited) = (0.0, 0.0, 0.0);
    for k in i..j {
        let posts = posting[k % n];
        let looks = if metric.uses_attention() { attention[k % n] } else { 1.0 };
        sum += match metric {
            Metric::Delay | Metric::Miss => looks * (waiting * slot + posts * slot * slot / 2.0),
            Metric::AccessDelay => {
                looks * (waited * slot + waiting * slot * slot / 2.0 + posts * slot.powi(3) / 6.0)
            }
        };
        waited += waiting * slot + posts * slot * slot / 2.0;
        waiting += posts * slot;
    }
    sum
}

const METRICS: [Metric; 3] = [Metric::Delay, Metric::Miss, Metric::AccessDelay];

#[test]
fn nothing_that_is_no_rate_becomes_a_plan() {
    let day = Grid::day(3);
    let new = |posting: &[f64], attention: &[f64]| Costs::new(Metric::Miss, day, posting, attention, 1);
    let good = [1.0, 2.0, 3.0];
    assert!(new(&good, &good).is_ok());
    for bad in [f64::NAN, f64::INFINITY, -0.1] {
        assert!(matches!(
            new(&[1.0, bad, 1.0], &good),
            Err(BadPlan::NotARate { what: "posting", slot: 1, .. })
        ));
        assert!(matches!(
            new(&good, &[1.0, 1.0, bad]),
            Err(BadPlan::NotARate { what: "attention", slot: 2, .. })
        ));
    }
    assert!(matches!(new(&[], &good), Err(BadPlan::WrongLength { .. })));
    assert!(matches!(new(&good, &[1.0]), Err(BadPlan::WrongLength { what: "attention", .. })));
    assert_eq!(new(&[1e308; 3], &[1e308; 3]).err(), Some(BadPlan::Overflow));
    let empty = Costs::new(Metric::Delay, Grid::day(0), &[], &[], 1);
    assert_eq!(empty.err(), Some(BadPlan::EmptyGrid));
    for period_days in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Costs::new(Metric::Delay, Grid { period_days, slots: 3 }, &good, &[], 1).is_err());
    }
    assert!(matches!(Costs::new(Metric::Delay, day, &good, &[], usize::MAX), Err(BadPlan::TooLarge { .. })));
    let said = new(&[1.0, -2.0, 1.0], &good).expect_err("negative").to_string();
    assert_eq!(
        said,
        "the posting rate of slot 1 is -2, which is no rate: it must be finite and not negative"
    );
}

#[test]
fn silence_and_nobody_reading_cost_nothing() {
    for metric in METRICS {
        let silent = Costs::new(metric, Grid::day(4), &[0.0; 4], &[1.0; 4], 1).expect("good");
        assert_eq!(silent.between(0, 4), 0.0);
    }
    let unread = Costs::new(Metric::Miss, Grid::day(4), &[5.0; 4], &[0.0; 4], 1).expect("good");
    assert_eq!(unread.between(1, 5), 0.0);
}

#[test]
fn an_interval_beyond_the_tables_is_infinite_and_a_backward_one_free() {
    let costs = Costs::new(Metric::Delay, Grid::day(4), &[1.0; 4], &[], 2).expect("good");
    assert!(costs.between(3, 11).is_finite());
    assert!(costs.between(0, 13).is_infinite());
    assert_eq!(costs.between(5, 5) + costs.between(6, 2), 0.0);
    assert_eq!(costs.of_cycle(&[]), f64::INFINITY);
}

proptest! {
    #[test]
    fn tables_agree_with_the_definition(
        rates in proptest::collection::vec((0.0f64..50.0, 0.0f64..9.0), 1..40),
        from in 0usize..200, length in 0usize..80,
    ) {
        let (posting, attention): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        let (grid, n) = (Grid::week(posting.len()), posting.len());
        for metric in METRICS {
            let costs = Costs::new(metric, grid, &posting, &attention, 2).expect("good rates");
            let to = from + length.min(2 * n);
            let exact = by_definition(metric, grid.slot_days(), &posting, &attention, from, to);
            let whole = by_definition(metric, grid.slot_days(), &posting, &attention, 0, 2 * n);
            let error = (costs.between(from, to) - exact).abs();
            prop_assert!(error <= 1e-11 * whole.max(1e-9), "{:?} {}", metric, error);
        }
    }

    #[test]
    fn every_cost_is_monge(
        rates in proptest::collection::vec((0.0f64..50.0, 0.0f64..9.0), 2..30),
        mut at in proptest::collection::vec(0usize..60, 4),
    ) {
        let (posting, attention): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        let n = posting.len();
        at.iter_mut().for_each(|boundary| *boundary %= 2 * n + 1);
        at.sort_unstable();
        let (a, b, c, d) = (at[0], at[1], at[2], at[3]);
        for metric in METRICS {
            let costs = Costs::new(metric, Grid::day(n), &posting, &attention, 2).expect("good rates");
            let defect = costs.between(a, d) + costs.between(b, c) - costs.between(a, c) - costs.between(b, d);
            prop_assert!(defect >= -1e-12 * costs.between(0, 2 * n).max(1e-6), "{:?} {}", metric, defect);
        }
    }

    #[test]
    fn no_numbers_make_it_fail(
        posting in proptest::collection::vec(any::<f64>(), 0..9),
        attention in proptest::collection::vec(any::<f64>(), 0..9),
        period_days: f64, slots in 0usize..9, periods in 0usize..5, from: usize, to: usize,
    ) {
        for metric in METRICS {
            if let Ok(costs) = Costs::new(metric, Grid { period_days, slots }, &posting, &attention, periods) {
                prop_assert!(costs.between(from, to) >= 0.0);
            }
        }
    }
}
