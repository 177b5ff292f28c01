use super::*;
use crate::estimate::Population;
use domain::{Hints, PostingRate};
use proptest::prelude::*;

mod closed_loop;

const DAY_S: u64 = 86_400;

fn at(hours: u64) -> Timestamp {
    Timestamp::from_seconds(1_699_833_600).saturating_add(Duration::from_secs(3600 * hours))
}

#[test]
fn the_price_spends_what_is_left_by_fixed_polls() {
    let totals = Totals { feeds: 100, planned: 100, demand: 80.0, fixed_polls_per_day: 200.0 };
    let found = price(&totals, 600.0, &PriceMemory::default());
    // Polls at that price: 80/√μ + 200.
    assert!((80.0 / found.sqrt() + 200.0 - 600.0).abs() < 1e-9, "{found}");
    let corrected = PriceMemory { correction: 2.0, ..PriceMemory::default() };
    assert!((price(&totals, 600.0, &corrected) - 2.0 * found).abs() < 1e-12);
}

#[test]
fn before_plans_exist_the_typical_price_holds_and_few_plans_speak_for_all() {
    let none = Totals { feeds: 50, ..Totals::default() };
    assert_eq!(price(&none, 600.0, &PriceMemory::default()), typical_price(12.0));
    let all = Totals { feeds: 100, planned: 100, demand: 80.0, fixed_polls_per_day: 0.0 };
    let few = Totals { planned: 10, demand: 8.0, ..all };
    let memory = PriceMemory::default();
    assert!((price(&few, 600.0, &memory) / price(&all, 600.0, &memory) - 1.0).abs() < 1e-9);
}

#[test]
fn floors_that_would_spend_it_all_raise_the_price_and_it_can_come_back() {
    let floors = Totals { feeds: 100, planned: 100, demand: 0.0, fixed_polls_per_day: 2400.0 };
    let memory = PriceMemory::default();
    assert!(price(&floors, 100.0, &memory) >= typical_price(1.0), "found at a price far too low");
    assert!(price(&floors, 10_000.0, &memory) < typical_price(100.0), "more is allowed than can be spent");
}

/// A week and a bit of hourly counting.
fn counted(mut memory: PriceMemory, from: u64, hours: u64, used: f64, allowed: f64) -> PriceMemory {
    for hour in 0..=hours {
        memory = count(&memory, at(from + hour), used / 24.0, allowed);
    }
    memory
}

#[test]
fn a_week_of_use_corrects_and_less_does_not() {
    let start = count(&PriceMemory::default(), at(0), 1e9, 100.0);
    assert_eq!((start.used, start.correction), (0.0, 1.0), "nothing is known of the time before");
    assert_eq!(counted(start, 1, 6 * 24, 130.0, 100.0).correction, 1.0);
    let week = counted(start, 1, 7 * 24, 130.0, 100.0);
    assert!((week.correction - 1.3).abs() < 0.01, "{week:?}");
    assert!(week.used < 20.0, "a new week");
    assert_eq!(counted(start, 1, 7 * 24, 1.3, 1.0).correction, 1.0, "too few polls to tell");
}

#[test]
fn a_budget_changed_within_the_week_counts_by_its_days() {
    let start = count(&PriceMemory::default(), at(0), 0.0, 100.0);
    let half = counted(start, 1, 84, 100.0, 100.0);
    let week = counted(half, 86, 84, 200.0, 200.0);
    assert!((week.correction - 1.0).abs() < 0.02, "{week:?}");
}

#[test]
fn clocks_that_jump_and_machines_that_sleep_count_for_nothing() {
    let start = counted(PriceMemory::default(), 0, 72, 100.0, 100.0);
    let counted_s = |memory: &PriceMemory| {
        memory.counted_until.expect("some").since(memory.week_started_at.expect("some")).as_secs()
    };
    for jump in [at(72 + 40 * 24), at(1), Timestamp::from_seconds(0), Timestamp::from_micros(i64::MAX / 2)] {
        let after = count(&start, jump, 12_345.0, 100.0);
        assert_eq!((after.used, after.allowed), (start.used, start.allowed));
        assert_eq!(counted_s(&after), counted_s(&start));
        assert_eq!(after.counted_until, Some(jump));
    }
    let halted = pass_over(&start, at(72 + 12));
    assert_eq!((halted.used, halted.allowed, counted_s(&halted)), (start.used, start.allowed, 3 * DAY_S));
}

fn planned_schedule(last: Timestamp) -> Schedule {
    let rate = PostingRate {
        posts: 40.0,
        exposure_days: 20.0,
        last_post_at: Some(last),
        observed_until: Some(last),
        ..PostingRate::default()
    };
    let reason = Reason::Maximum { interval_s: 0 };
    let next_poll_at = last.saturating_add(Duration::from_secs(6 * 3600));
    Schedule { last_poll_at: Some(last), rate, reason, next_poll_at, ..Schedule::default() }
}

#[test]
fn replanning_moves_plans_and_nothing_else() {
    let (policy, population) = (Policy::unfloored(4.0), Population::default());
    let outlook = Outlook::typical(&population, &policy);
    let again = |schedule: &Schedule, now: Timestamp, price: f64, dice: f64| {
        replan(schedule, now, &Outlook { price, ..outlook }, &policy, Unit::new(dice))
    };
    let stored = planned_schedule(at(0));
    let dear = again(&stored, at(1), outlook.price * 4.0, 0.5).expect("planned");
    assert!(dear.at > stored.next_poll_at && dear.planned.price > outlook.price);
    let cheap = again(&stored, at(5), outlook.price / 16.0, 0.999).expect("planned");
    assert_eq!(cheap.reason, Reason::Spread, "overdue at the new price");
    assert!(cheap.at > at(5) && cheap.at <= stored.next_poll_at);
    let floor = Schedule { hints: Hints { ttl_minutes: Some(300), ..Hints::default() }, ..stored.clone() };
    assert!(again(&floor, at(1), outlook.price / 100.0, 0.0).expect("planned").at >= at(5));
    for held in [
        Schedule { failures: 1, ..stored.clone() },
        Schedule { reason: Reason::ProviderSlot, ..stored.clone() },
        Schedule { reason: Reason::Paused, ..stored.clone() },
        Schedule::default(),
    ] {
        assert_eq!(again(&held, at(1), outlook.price, 0.5), None);
    }
}

#[test]
fn far_prices_call_for_replanning() {
    assert!(
        !calls_for_replanning(1.0, 1.3) && calls_for_replanning(1.0, 1.6) && calls_for_replanning(1.0, 0.6)
    );
    assert!(calls_for_replanning(0.0, 1.0) && calls_for_replanning(f64::NAN, 1.0));
}

proptest! {
    #[test]
    fn no_totals_give_a_price_that_is_none(
        feeds: u64, planned: u64, demand: f64, fixed: f64, budget: f64, correction: f64,
    ) {
        let totals = Totals { feeds, planned, demand, fixed_polls_per_day: fixed };
        let memory = PriceMemory { correction, ..PriceMemory::default() };
        let found = price(&totals, budget, &memory);
        prop_assert!(found.is_finite() && found > 0.0, "{}", found);
    }

    #[test]
    fn no_memory_counts_to_a_correction_that_is_none(
        correction: f64, used: f64, allowed: f64, more: f64, per_day: f64, times in proptest::collection::vec(proptest::option::of(any::<i64>()), 3),
    ) {
        let stamp = |nth: usize| times[nth].map(Timestamp::from_micros);
        let memory = PriceMemory { correction, used, allowed, week_started_at: stamp(0), counted_until: stamp(1) };
        let next = count(&memory, stamp(2).unwrap_or_default(), more, per_day);
        prop_assert!((0.2..=5.0).contains(&next.correction));
        let again = count(&next, at(0), more, per_day);
        prop_assert!((0.2..=5.0).contains(&again.correction));
    }

    #[test]
    fn a_replanned_poll_is_never_inside_a_floor_nor_years_away(
        last in 0u64..1000, now in 0u64..2000, price: f64, dice: f64, ttl in proptest::option::of(any::<u32>()),
    ) {
        let (policy, population) = (Policy::default(), Population::default());
        let mut schedule = planned_schedule(at(last));
        schedule.hints.ttl_minutes = ttl;
        let outlook = Outlook { price, population: &population, attention: None };
        let choice = replan(&schedule, at(now), &outlook, &policy, Unit::new(dice)).expect("planned");
        let from = at(last).min(at(now));
        let due = now >= last && schedule.next_poll_at <= at(now);
        prop_assert!(choice.at >= from.saturating_add(policy.own_floor));
        prop_assert!(choice.at >= at(now).min(schedule.next_poll_at) || due);
        prop_assert!(choice.at <= at(now).saturating_add(2 * policy.maximum_most));
    }
}
