use super::terms::FINE_DAYS;
use super::*;
use crate::estimate::Shape;
use crate::estimate::shape::HOURS;
use proptest::prelude::*;

/// Monday 2023-11-13, 00:00 UTC.
const MONDAY: i64 = 1_699_833_600;
const HOUR: f64 = 3600.0;

fn at(hours: f64) -> Timestamp {
    Timestamp::from_micros((MONDAY * 1_000_000).saturating_add((hours * HOUR * 1e6) as i64))
}

/// A feed with so many posts a day, in these hours of the day only, watched for long.
fn feed(posts_per_day: f64, hours: std::ops::Range<usize>) -> PostingRate {
    let mut rate = PostingRate {
        posts: posts_per_day * 20.0,
        exposure_days: 20.0,
        last_post_at: Some(at(-1.0)),
        observed_until: Some(at(0.0)),
        ..PostingRate::default()
    };
    if hours.len() < 24 {
        for hour in hours {
            rate.hours[hour] = 3000.0;
        }
    }
    rate
}

/// Read in these hours of every day only.
fn read_in(hours: std::ops::Range<usize>) -> Attention {
    let week: [f64; HOURS] = std::array::from_fn(|nth| f64::from(u8::from(hours.contains(&(nth % 24)))));
    Attention::new(&week, 1.0)
}

struct Case {
    rate: PostingRate,
    hints: Hints,
    attention: Option<Attention>,
    price: f64,
    policy: Policy,
}

impl Case {
    fn new(rate: PostingRate, polls_per_day: f64) -> Case {
        let policy = Policy::unfloored(polls_per_day);
        let price = typical_price(polls_per_day);
        Case { rate, hints: Hints::default(), attention: None, price, policy }
    }

    fn choose(&self, now: Timestamp, dice: f64) -> Choice {
        let population = Population::default();
        let outlook =
            Outlook { price: self.price, population: &population, attention: self.attention.as_ref() };
        let learned =
            Learned { rate: &self.rate, hints: &self.hints, floor: self.policy.own_floor, poll_cost: 1.0 };
        choose(&learned, now, &outlook, &self.policy, Unit::new(dice))
    }

    /// Hours after Monday midnight of the poll after one at `hours`.
    fn after(&self, hours: f64) -> f64 {
        (self.choose(at(hours), 0.5).at.micros() - at(0.0).micros()) as f64 / (HOUR * 1e6)
    }

    /// Times of a week's polls, as hours after Monday midnight.
    fn week(&self) -> Vec<f64> {
        let mut polls = vec![0.0];
        while let Some(last) = polls.last().copied().filter(|last| *last < 168.0) {
            polls.push(self.after(last));
        }
        polls
    }
}

fn interval_h(choice: &Choice, now: Timestamp) -> f64 {
    choice.at.since(now).as_secs_f64() / HOUR
}

#[test]
fn a_steady_feed_is_polled_at_the_square_root_interval_in_both_regimes() {
    for polls_per_day in [1.0, 3.0, 7.0, 20.0, 100.0] {
        let case = Case::new(feed(2.0, 0..24), polls_per_day);
        let exact = 24.0 * (2.0 * case.price / crate::posts_per_day(&case.rate)).sqrt();
        for start in [0.0, 3.37, 100.01] {
            let found = case.after(start) - start;
            assert!((found / exact - 1.0).abs() < 0.02, "{polls_per_day} {start}: {found} h for {exact} h");
        }
        let planned = case.choose(at(0.0), 0.5).planned;
        assert!((planned.polls_per_day * exact / 24.0 - 1.0).abs() < 0.03, "{planned:?}");
        assert!((planned.delay_s / (exact * HOUR / 2.0) - 1.0).abs() < 0.03, "{planned:?}");
        assert!((planned.demand / (planned.polls_per_day * case.price.sqrt()) - 1.0).abs() < 1e-9);
        assert!(!planned.fixed);
    }
}

#[test]
fn polls_keep_their_phase_and_do_not_gather_on_the_half_hour() {
    let case = Case::new(feed(2.0, 0..24), 4.0);
    let minutes: Vec<f64> = (0..20).map(|nth| (case.after(f64::from(nth) * 0.137) * 60.0) % 30.0).collect();
    let on_the_half_hour = minutes.iter().filter(|minute| **minute < 0.5 || **minute > 29.5).count();
    assert!(on_the_half_hour <= 2, "{minutes:?}");
}

#[test]
fn n11_feeds_polled_at_the_full_hour_spread_over_it() {
    let mut parts = [0; 12];
    for nth in 0..12 {
        let case = Case::new(feed(2.0 * 1.25f64.powi(nth), 0..24), 4.0);
        let mut now = at(0.0);
        for poll in 0..24 {
            // All begin together; thrown dice and their own intervals part them.
            let dice = (0.618_034 * f64::from(24 * nth + poll)) % 1.0;
            now = case.choose(now, dice).at;
            let part = now.micros().rem_euclid(3_600_000_000) / 300_000_000;
            parts[usize::try_from(part).expect("a part of the hour")] += 1;
        }
    }
    // A twelfth of the 288 polls is 24.
    assert!(parts.iter().all(|polls| *polls < 72), "{parts:?}");
}

#[test]
fn a_feed_of_the_afternoon_is_polled_in_the_afternoon() {
    let case = Case::new(feed(4.0, 14..18), 2.0);
    let polls = case.week();
    let busy = polls.iter().filter(|hour| (14.0..=18.6).contains(&(**hour % 24.0))).count();
    assert!(busy as f64 > 0.8 * polls.len() as f64, "{polls:?}");
    assert!(polls.len() > 8, "{polls:?}");
    let planned = case.choose(at(0.0), 0.5).planned;
    let seen = polls.len() as f64 / 7.0;
    assert!((planned.polls_per_day / seen - 1.0).abs() < 0.25, "{seen} {planned:?}");
    assert!(planned.delay_s < 4.0 * HOUR, "{planned:?}");
}

#[test]
fn with_readers_at_seven_in_the_evening_it_is_polled_between_six_and_seven() {
    let mut case = Case::new(feed(2.0, 14..18), 1.0);
    case.policy.attention_share = 1.0;
    case.attention = Some(read_in(19..20));
    for day in 0..7 {
        let start = 24.0 * f64::from(day) + 19.1;
        let next = case.after(start) % 24.0;
        assert!((17.9..=19.05).contains(&next), "{next}");
    }
    case.policy.attention_share = 0.5;
    let next = case.after(19.1) % 24.0;
    assert!((16.0..=19.05).contains(&next), "half of the worth: {next}");
}

#[test]
fn readers_are_named_only_where_they_moved_the_poll() {
    let mut case = Case::new(feed(2.0, 0..24), 1.0);
    let named = |case: &Case| match case.choose(at(9.0), 0.5).reason {
        Reason::Rate { reading_at, .. } => reading_at,
        other => panic!("{other:?}"),
    };
    assert_eq!(named(&case), None);
    case.attention = Some(read_in(0..24));
    assert_eq!(named(&case), None, "read at any hour");
    case.attention = Some(read_in(7..9));
    let reading = named(&case).expect("moved");
    assert!((7.0..9.0).contains(&((reading.seconds() - MONDAY) as f64 / HOUR % 24.0)), "{reading}");
    case.policy.attention_share = 0.0;
    assert_eq!(named(&case), None, "not asked for");
}

#[test]
fn no_readers_or_no_share_is_exactly_the_delay() {
    for polls_per_day in [1.0, 5.0, 30.0] {
        let plain = Case::new(feed(3.0, 8..17), polls_per_day);
        let mut nobody = Case::new(feed(3.0, 8..17), polls_per_day);
        nobody.attention = Some(Attention::new(&[0.0; HOURS], 1.0));
        let mut no_share = Case::new(feed(3.0, 8..17), polls_per_day);
        no_share.attention = Some(read_in(5..7));
        no_share.policy.attention_share = 0.0;
        for hours in [0.0, 11.3, 40.7] {
            let expected = plain.choose(at(hours), 0.3);
            assert_eq!(nobody.choose(at(hours), 0.3), expected);
            assert_eq!(no_share.choose(at(hours), 0.3), expected);
        }
    }
}

#[test]
fn what_posts_are_worth_counts_as_the_square_root() {
    let polls = |weight: f64| {
        let mut case = Case::new(feed(2.0, 0..24), 4.0);
        case.attention = Some(Attention::new(&[1.0; HOURS], weight));
        case.choose(at(0.0), 0.5).planned.polls_per_day
    };
    assert!((polls(4.0) / polls(1.0) - 2.0).abs() < 0.05);
    assert_eq!(polls(f64::INFINITY), polls(0.0), "what is no number is stored as nothing");
    assert!(polls(1e9) <= polls(20.0));
}

#[test]
fn busy_hours_are_told_once_the_feed_has_shown_them() {
    let told = |rate: PostingRate| match Case::new(rate, 4.0).choose(at(0.0), 0.5).reason {
        Reason::Rate { busy_hours, .. } => busy_hours,
        other => panic!("{other:?}"),
    };
    assert!(told(feed(4.0, 14..18)).is_some());
    assert_eq!(told(feed(4.0, 0..24)), None);
    let mut few = feed(4.0, 0..24);
    few.hours[3] = 5.0;
    assert_eq!(told(few), None);
}

#[test]
fn the_window_and_the_maximum_are_named_when_they_decide() {
    let mut narrow = Case::new(feed(20.0, 0..24), 1.0);
    narrow.rate.window_items = 2;
    let choice = narrow.choose(at(0.0), 0.5);
    assert!(matches!(choice.reason, Reason::Rate { window: true, .. }), "{choice:?}");
    let expected = 0.7 * 2.0 / crate::posts_per_day(&narrow.rate) * 24.0;
    assert!((interval_h(&choice, at(0.0)) - expected).abs() < 0.05, "{choice:?}");
    assert!(choice.planned.fixed && (choice.planned.polls_per_day - 24.0 / expected).abs() < 0.01);
    let silent = Case::new(feed(0.0, 0..24), 12.0);
    let choice = silent.choose(at(0.0), 0.5);
    assert_eq!(choice.reason, Reason::Maximum { interval_s: 8 * 3600 });
    assert!(choice.planned.fixed, "{:?}", choice.planned);
}

#[test]
fn floors_bound_the_plan_and_are_named_when_they_decide() {
    let mut busy = Case::new(feed(500.0, 0..24), 12.0);
    busy.policy = Policy::default();
    let choice = busy.choose(at(0.0), 0.5);
    assert_eq!((choice.at, choice.reason), (at(1.0), Reason::OwnFloor { minutes: 60 }));
    assert!(choice.planned.fixed && (choice.planned.polls_per_day - 24.0).abs() < 1e-6);
    busy.hints.ttl_minutes = Some(180);
    let choice = busy.choose(at(0.0), 0.5);
    assert_eq!((choice.at, choice.reason), (at(3.0), Reason::PublisherInterval { minutes: 180 }));
    busy.hints.ttl_minutes = Some(1440);
    let choice = busy.choose(at(0.0), 0.5);
    assert_eq!(choice.at, at(24.0), "longer than the longest interval, and still the publisher's word");
    assert!((choice.planned.polls_per_day - 1.0).abs() < 1e-6 && choice.planned.fixed);
}

#[test]
fn skip_hours_are_planned_around() {
    let mut case = Case::new(feed(2.0, 0..24), 4.0);
    let start = 18.0;
    let free = case.after(start);
    assert!((23.0..25.0).contains(&free), "{free}");
    case.hints.skip_hours = (0..7).chain([23]).collect();
    let around = case.after(start);
    assert!(around <= 23.0 && around > 20.0, "before rather than seven hours later: {around}");
}

#[test]
fn a_burst_is_followed_sooner() {
    let mut case = Case::new(feed(4.0, 0..24), 4.0);
    case.rate.observed_since = Some(at(-24.0 * 90.0));
    (case.rate.excited, case.rate.judged, case.rate.bursts) = (60.0, 100.0, case.rate.posts);
    let calm = case.after(12.0);
    case.rate.recent_bursts = vec![u32::try_from(MONDAY + 12 * 3600 - 300).expect("small")];
    let after_burst = case.after(12.0);
    assert!(after_burst < calm - 0.5, "{after_burst} {calm}");
}

#[test]
fn nobody_waits_longer_than_under_even_polling_where_that_is_asked_for() {
    let mut case = Case::new(feed(0.3, 14..16), 4.0);
    assert!(case.week().windows(2).any(|pair| pair[1] - pair[0] > 7.0));
    case.policy = case.policy.as_even();
    let polls = case.week();
    assert!(polls.windows(2).all(|pair| pair[1] - pair[0] <= 6.0 + 1e-6), "{polls:?}");
    case.policy = Policy::default().as_even();
    case.rate.last_post_at = Some(at(-24.0 * 400.0));
    let choice = case.choose(at(0.0), 0.5);
    assert!(interval_h(&choice, at(0.0)) <= 2.0, "{choice:?}");
}

#[test]
fn recalled_tables_choose_nearly_the_same() {
    let case = Case::new(feed(3.0, 8..17), 4.0);
    let population = Population::default();
    let outlook = Outlook { price: case.price, population: &population, attention: None };
    let learned =
        Learned { rate: &case.rate, hints: &case.hints, floor: case.policy.own_floor, poll_cost: 1.0 };
    let mut recall = Recall::default();
    for step in 0..60 {
        let now = at(3.1 * f64::from(step));
        let fresh = choose(&learned, now, &outlook, &case.policy, Unit::MIDDLE);
        let recalled = choose_recalling(&learned, now, &outlook, &case.policy, Unit::MIDDLE, &mut recall);
        let apart = fresh.at.since(recalled.at).max(recalled.at.since(fresh.at));
        assert!(apart < Duration::from_secs(1800), "{fresh:?} {recalled:?}");
    }
}

/// A pattern of any hours and days with any rate.
fn any_feed() -> impl Strategy<Value = PostingRate> {
    let counts = |n: usize| proptest::collection::vec(prop_oneof![Just(0.0f32), 0.0f32..500.0], n);
    (0.01f64..300.0, counts(24), counts(7)).prop_map(|(per_day, hours, days)| {
        let mut rate = feed(per_day, 0..24);
        rate.hours.copy_from_slice(&hours);
        rate.days.copy_from_slice(&days);
        rate
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_higher_price_never_means_sooner_or_more(
        rate in any_feed(), hours in 0.0f64..168.0, budget in 0.5f64..30.0, dearer in 1.05f64..8.0,
    ) {
        let mut case = Case::new(rate, budget);
        let cheap = case.choose(at(hours), 0.5);
        case.price *= dearer;
        let dear = case.choose(at(hours), 0.5);
        prop_assert!(dear.planned.polls_per_day <= cheap.planned.polls_per_day * 1.02,
            "{:?} {:?}", cheap.planned, dear.planned);
        prop_assert!(dear.planned.delay_s >= cheap.planned.delay_s * 0.95);
        // One poll of a looking-ahead plan may come sooner, to be at a better place for the next; one of a walk never.
        let flat = (2.0 * case.price / crate::posts_per_day(&case.rate)).sqrt();
        if flat < FINE_DAYS {
            prop_assert!(dear.at >= cheap.at, "{:?} {:?}", cheap, dear);
        }
    }

    #[test]
    fn rates_and_price_scaled_together_change_nothing(
        rate in any_feed(), hours in 0.0f64..168.0, budget in 0.5f64..30.0, power in -3i32..4,
    ) {
        let one = Case::new(rate.clone(), budget);
        let mut other = Case::new(rate, budget);
        let scale = 2f64.powi(power);
        other.price *= scale;
        other.attention = Some(Attention::new(&[0.0; HOURS], scale));
        prop_assert_eq!(one.choose(at(hours), 0.2).at, other.choose(at(hours), 0.2).at);
    }

    #[test]
    fn n11_jitter_is_at_most_two_percent_and_five_minutes(
        rate in any_feed(), hours in 0.0f64..168.0, budget in 0.5f64..30.0, dice in 0.0f64..1.0, live: bool,
    ) {
        let mut case = Case::new(rate, budget);
        if live {
            case.policy = Policy { budget_polls_per_day: budget, ..Policy::default() };
        }
        let now = at(hours);
        let (planned, thrown) = (case.choose(now, 0.5).at, case.choose(now, dice).at);
        let apart = thrown.since(planned).max(planned.since(thrown)).as_secs_f64();
        let most = (0.02 * planned.since(now).as_secs_f64()).min(300.0);
        prop_assert!(apart <= most + 1e-3, "{} s for {} s", apart, most);
    }

    #[test]
    fn every_choice_is_within_its_bounds_whatever_is_stored(
        numbers in proptest::collection::vec(any::<f64>(), 6), small in proptest::collection::vec(any::<f32>(), 40),
        recent in proptest::collection::vec(any::<u32>(), 0..10), times in proptest::collection::vec(any::<i64>(), 5),
        looks in proptest::collection::vec(any::<f64>(), HOURS), prior in proptest::collection::vec(any::<f64>(), 33),
        window: u32, dice: f64, ttl in proptest::option::of(any::<u32>()), period in proptest::option::of(any::<u64>()),
        live: bool,
    ) {
        let mut rate = PostingRate {
            posts: numbers[0], exposure_days: numbers[1], bursts: numbers[2], recent_bursts: recent,
            observed_until: Some(Timestamp::from_micros(times[0])), last_post_at: Some(Timestamp::from_micros(times[1])),
            observed_since: Some(Timestamp::from_micros(times[2])), window_items: window, excited: small[31],
            judged: small[32], ..PostingRate::default()
        };
        rate.hours.copy_from_slice(&small[..24]);
        rate.days.copy_from_slice(&small[24..31]);
        let mut population = Population { prior_posts: prior[31], prior_days: prior[32], ..Population::default() };
        population.hours.copy_from_slice(&prior[..24]);
        population.days.copy_from_slice(&prior[24..31]);
        let week: [f64; HOURS] = std::array::from_fn(|nth| looks[nth]);
        let attention = Attention::new(&week, numbers[3]);
        let outlook = Outlook { price: numbers[4], population: &population, attention: Some(&attention) };
        let policy = if live { Policy::default() } else { Policy::unfloored(numbers[5]) };
        let hints = Hints { ttl_minutes: ttl, update_period_s: period,
            fresh_until: Some(Timestamp::from_micros(times[3])), skip_hours: vec![3, 4], ..Hints::default() };
        let learned = Learned { rate: &rate, hints: &hints, floor: policy.own_floor, poll_cost: numbers[3] };
        let now = Timestamp::from_micros(times[4] / 4);
        let choice = choose(&learned, now, &outlook, &policy, Unit::new(dice));
        let floor = policy.own_floor.max(publisher_floor(&hints, Some(now), now, &policy)
            .map_or(Duration::ZERO, |floor| floor.until.since(now)));
        prop_assert!(choice.at >= now.saturating_add(policy.own_floor));
        prop_assert!(choice.at <= now.saturating_add(maximum(&rate, now, &policy).max(floor)));
        let planned = choice.planned;
        for number in [planned.polls_per_day, planned.price, planned.demand, planned.delay_s] {
            prop_assert!(number.is_finite() && number >= 0.0, "{:?}", planned);
        }
        prop_assert!(planned.polls_per_day > 0.0);
    }

    #[test]
    fn operational_time_is_passed_when_it_says(
        rates in proptest::collection::vec(prop_oneof![0.0f64..9.0, Just(0.0)], HOURS),
        start in 0.0f64..7.0, more in 0.001f64..30.0,
    ) {
        let week: [f64; HOURS] = std::array::from_fn(|nth| rates[nth]);
        let shape = Shape::of_week(&week);
        let days = shape.passing(start, more);
        prop_assert!((shape.operational(start + days) - shape.operational(start) - more).abs() < 1e-6);
    }
}
