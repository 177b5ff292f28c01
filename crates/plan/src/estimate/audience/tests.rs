use super::*;
use proptest::prelude::*;

/// Monday 2024-03-25, 00:00 UTC: on that week's Sunday, at 01:00 UTC, Berlin's clocks go from two to three.
const SPRING: i64 = 1_711_324_800;
/// Monday 2024-10-21: on that week's Sunday, at 01:00 UTC, they go back.
const AUTUMN: i64 = 1_729_468_800;
const DAY: i64 = 86_400;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

/// Somebody in Berlin who looks every day at 19:30 by the clock on the wall, for `days` days before `until`.
fn evenings(until: i64, days: i64) -> AccessHabit {
    let zone = zone_named("Europe/Berlin");
    let mut habit = AccessHabit::default();
    for day in (1..=days).rev() {
        let noon = until - day * DAY + 12 * 3600;
        let local = jiff::Timestamp::from_second(noon).expect("in range").to_zoned(zone.clone()).date();
        let evening = local.at(19, 30, 0, 0).to_zoned(zone.clone()).expect("exists").timestamp().as_second();
        habit = visited(&habit, at(evening), &zone);
    }
    habit
}

fn peak_utc_hour(week: &[f64; HOURS], day: usize) -> usize {
    (0..24).max_by(|a, b| week[day * 24 + a].total_cmp(&week[day * 24 + b])).expect("24 hours")
}

#[test]
fn the_week_of_a_daylight_saving_change_is_read_by_the_clock_on_the_wall() {
    for (monday, saturday, sunday) in [(SPRING, 18, 17), (AUTUMN, 17, 18)] {
        let habit = evenings(monday, 120);
        assert_eq!(
            habit.hours[19],
            habit.hours.iter().sum::<f32>(),
            "local hours do not move with the clocks"
        );
        let zone = ZoneWeek::named("Europe/Berlin", at(monday + 3 * DAY));
        let reader = Reader { habit: &habit, feed: None, zone: &zone, weight: 1.0 };
        let week = attention(&[reader], &Population::default(), at(monday));
        assert_eq!((peak_utc_hour(&week, 4), peak_utc_hour(&week, 5)), (saturday, saturday));
        assert_eq!(peak_utc_hour(&week, 6), sunday, "from that very day on");
        let per_day = week.iter().sum::<f64>() / 24.0 / 7.0;
        assert!((per_day - 1.0).abs() < 0.06, "about one visit a day: {per_day}");
    }
}

#[test]
fn zones_of_half_hours_and_unknown_names_work() {
    let kolkata = ZoneWeek::named("Asia/Kolkata", at(SPRING));
    assert!(kolkata.offsets_s.iter().all(|offset| *offset == 19_800));
    let nowhere = ZoneWeek::named("Mars/Olympus", at(SPRING));
    assert!(nowhere.offsets_s.iter().all(|offset| *offset == 0));
    let mut habit = AccessHabit::default();
    habit.hours[9] = 1e6;
    let reader = Reader { habit: &habit, feed: None, zone: &kolkata, weight: 1.0 };
    let week = attention(&[reader], &Population::default(), at(SPRING));
    // Nine o'clock there is 03:30 to 04:30 here: two half hours of equal weight.
    assert!((week[3] - week[4]).abs() < 1e-9 && week[3] > 4.0 * week[6], "{:?}", &week[..8]);
}

#[test]
fn looks_within_half_an_hour_are_one_visit() {
    let zone = TimeZone::UTC;
    let mut habit = AccessHabit::default();
    for minute in 0..50 {
        habit = visited(&habit, at(SPRING + minute * 60), &zone);
    }
    assert!((habit.level.visits - 1.0).abs() < 0.01);
    habit = visited(&habit, at(SPRING + 50 * 60 + 31 * 60), &zone);
    assert!((habit.level.visits - 2.0).abs() < 0.01);
}

#[test]
fn a_feed_that_is_never_opened_loses_attention_and_one_that_is_keeps_it() {
    let habit = evenings(SPRING, 60);
    let visits = visits_per_day(&habit, at(SPRING));
    assert!((0.9..1.1).contains(&visits), "{visits}");
    let fresh = looks_per_day(&habit, &watch_from(at(SPRING)), at(SPRING));
    assert!((fresh - visits).abs() < 1e-9, "at first as often as they visit");
    let ignored = looks_per_day(&habit, &watch_from(at(SPRING - 60 * DAY)), at(SPRING));
    assert!(ignored < 0.15, "{ignored}");
    let mut read = watch_from(at(SPRING - 60 * DAY));
    for day in 0..60 {
        read = looked_at_feed(&read, at(SPRING - 60 * DAY + day * DAY + 3600));
    }
    assert!((0.8..1.1).contains(&looks_per_day(&habit, &read, at(SPRING))));
}

#[test]
fn attention_is_the_sum_of_the_readers() {
    let habit = evenings(SPRING, 60);
    let (berlin, tokyo) =
        (ZoneWeek::named("Europe/Berlin", at(SPRING)), ZoneWeek::named("Asia/Tokyo", at(SPRING)));
    let of = |zone, weight| Reader { habit: &habit, feed: None, zone, weight };
    let population = Population::default();
    let sum = attention(&[of(&berlin, 1.0), of(&tokyo, 2.0)], &population, at(SPRING));
    let one = attention(&[of(&berlin, 1.0)], &population, at(SPRING));
    let other = attention(&[of(&tokyo, 2.0)], &population, at(SPRING));
    for hour in 0..HOURS {
        assert!((sum[hour] - one[hour] - other[hour]).abs() < 1e-12);
    }
    assert_eq!(attention(&[], &population, at(SPRING)), [0.0; HOURS]);
    assert_eq!(attention(&[of(&berlin, f64::NAN)], &population, at(SPRING)), [0.0; HOURS]);
}

#[test]
fn the_next_reading_hour_is_named() {
    let mut week = [1.0; HOURS];
    week[19] = 20.0;
    let noon = at(SPRING + 12 * 3600);
    assert_eq!(next_reading(&week, noon, Duration::from_secs(86_400)), Some(at(SPRING + 19 * 3600 + 1800)));
    assert_eq!(next_reading(&week, noon, Duration::from_secs(3600)), None);
    assert_eq!(next_reading(&[1.0; HOURS], noon, Duration::from_secs(86_400)), None);
}

proptest! {
    #[test]
    fn no_habit_makes_it_fail(
        times in proptest::collection::vec(any::<i64>(), 0..20), visits: f64, exposure: f64, hour: f32, now: i64,
    ) {
        let zone = zone_named("America/New_York");
        let level = AccessLevel { visits, exposure_days: exposure, ..AccessLevel::default() };
        let mut habit = AccessHabit { hours: [hour; 24], level, ..AccessHabit::default() };
        for time in times {
            habit = visited(&habit, Timestamp::from_micros(time), &zone);
        }
        let now = Timestamp::from_micros(now);
        let week = ZoneWeek::new(&zone, now);
        let reader = Reader { habit: &habit, feed: Some(&habit.level), zone: &week, weight: visits };
        let found = attention(&[reader], &Population::default(), now);
        prop_assert!(found.iter().all(|rate| rate.is_finite() && *rate >= 0.0));
        prop_assert!(visits_per_day(&habit, now).is_finite());
    }
}
