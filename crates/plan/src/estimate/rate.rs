//! How often a feed posts and when: decayed counts over decayed exposure, shrunk to the population.
//!
//! `scheduling.md` §8: rate = (2a + n) / (2b + E), half-life 14 days for the rate and 62 for the pattern. The doubled prior
//! is the floor of silent feeds (004 eq. 5 has none and never polls them again). A date counts only inside (last
//! observation, now]; every other new item counts as posted somewhere in that gap (D8), spread over it as the pattern so
//! far says, so that a publisher's clock cannot steer us further than the number of its items does.

use super::shape::hour_and_day;
use super::{Population, SECONDS_PER_DAY, Shape, bursts, changes, count, days_between};
use domain::{Hints, PostingRate, Timestamp};
use std::time::Duration;

/// Decay time of the rate: half-life 14 days.
pub const TAU_DAYS: f64 = 20.2;
/// Decay time of the pattern.
pub const TAU_PATTERN_DAYS: f64 = 90.0;
/// The empirical prior is doubled: it costs little where it is not needed and saves feeds that fell silent.
const PRIOR_SCALE: f64 = 2.0;
/// A first document teaches us at most this much of the past.
const COLD_START_DAYS_MAX: f64 = 90.0;
/// A publisher's word on how often it updates counts as so many posts: software writes it, seldom a person.
const HINT_POSTS: f64 = 0.25;

/// What a successful poll showed.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    pub now: Timestamp,
    /// One entry per item never seen before, with its date where it has one.
    pub new: &'a [Option<Timestamp>],
    /// Items in the whole document; zero when unknown.
    pub visible: u32,
}

/// Posts per day expected now, without knowing other feeds. Never zero: a silent feed may speak again.
pub fn posts_per_day(rate: &PostingRate) -> f64 {
    rate_of(rate, &Population::default(), &Hints::default())
}

/// Posts per day expected now: the Gamma posterior, with what the publisher says of itself as a little evidence that
/// fades as history grows.
pub fn rate_of(rate: &PostingRate, population: &Population, hints: &Hints) -> f64 {
    let fair = |value: f64, usual: f64| if value > 0.0 { value.clamp(1e-6, 1e6) } else { usual };
    let prior_posts = PRIOR_SCALE * fair(population.prior_posts, 0.5);
    let prior_days = PRIOR_SCALE * fair(population.prior_days, 1.0);
    let hint_days = hinted_days(hints);
    let hint_posts = if hint_days.is_some() { HINT_POSTS } else { 0.0 };
    let posts = prior_posts + hint_posts + count(rate.posts);
    let days = prior_days + hint_posts * hint_days.unwrap_or(0.0) + count(rate.exposure_days);
    let estimate = posts / days;
    if estimate.is_finite() && estimate > 0.0 { estimate } else { prior_posts / prior_days }
}

/// The longer of what ttl and `sy:updatePeriod` say lies between two posts.
fn hinted_days(hints: &Hints) -> Option<f64> {
    let ttl = hints.ttl_minutes.filter(|minutes| *minutes > 0).map(|minutes| f64::from(minutes) / 1440.0);
    let period =
        hints.update_period_s.filter(|period| *period > 0).map(|period| period as f64 / SECONDS_PER_DAY);
    ttl.into_iter().chain(period).reduce(f64::max).map(|days| days.clamp(1.0 / 24.0, 60.0))
}

/// Count and exposure as if they had not been decayed: a decayed count varies less than a whole one of its size, by
/// (1+q)/2 where q is the weight of the oldest.
pub(crate) fn effective_count(rate: &PostingRate) -> (f64, f64) {
    let exposure = count(rate.exposure_days).min(TAU_DAYS);
    let scale = 2.0 / (2.0 - exposure / TAU_DAYS);
    (count(rate.posts) * scale, exposure * scale)
}

/// [`learn`] without knowing other feeds.
pub fn observe(before: &PostingRate, now: Timestamp, new: &[Option<Timestamp>], visible: u32) -> PostingRate {
    learn(before, &Sight { now, new, visible }, &Population::default())
}

/// The state after a successful poll. The first one reaches back to the document's oldest dated item: that is the whole
/// cold start.
pub fn learn(before: &PostingRate, sight: &Sight<'_>, population: &Population) -> PostingRate {
    let Sight { now, new, visible } = *sight;
    let since = before.observed_until.unwrap_or_else(|| cold_start(now, new));
    let cold = before.observed_until.is_none();
    let gap_days = days_between(now, since);
    let dated: Vec<Timestamp> = new.iter().flatten().copied().filter(|t| *t > since && *t <= now).collect();
    // At cold start only dated items inside the window count: undated ones may be years old.
    let undated = if cold { 0 } else { new.len() - dated.len() };
    // A document full of new items hides older ones: only the visible span was observed.
    let overflow = visible > 0 && new.len() >= visible as usize && !cold;
    let oldest = dated.iter().min().filter(|_| overflow);
    let observed_days = oldest.map_or(gap_days, |oldest| days_between(now, *oldest));

    let keep = (-gap_days / TAU_DAYS).exp();
    let mut next = before.clone();
    keep_pattern(&mut next, (-gap_days / TAU_PATTERN_DAYS).exp());
    let weight = |t: &Timestamp| (-days_between(now, *t) / TAU_DAYS).exp();
    let mut added = dated.iter().map(weight).sum::<f64>() + undated as f64;
    if overflow && dated.is_empty() {
        // Nothing can be dated and not all was there to count: at least what the changes so far say.
        added = added.max(changes::changes_per_day(before).unwrap_or(0.0) * gap_days);
    }
    next.posts = count(before.posts) * keep + added;
    next.exposure_days =
        count(before.exposure_days) * keep + TAU_DAYS * (1.0 - (-observed_days / TAU_DAYS).exp());
    next.observed_until = Some(now);
    next.observed_since = before.observed_since.or(Some(since)).map(|first| first.min(now));
    next.last_post_at = last_post(before, since, now, new);
    next.window_items = if visible > 0 { visible } else { before.window_items };
    for at in &dated {
        let (hour, day) = hour_and_day(*at);
        let weight = (-days_between(now, *at) / TAU_PATTERN_DAYS).exp() as f32;
        next.hours[hour] += weight;
        next.days[day] += weight;
    }
    if undated > 0 {
        spread(&mut next, before, population, since, now, undated);
    }
    bursts::forget(&mut next, now);
    let began = bursts::take(&mut next, before, population, &dated) + usize::from(undated > 0);
    bursts::forget(&mut next, now);
    next.bursts = count(before.bursts) * keep + began as f64;
    if !cold {
        count_change(&mut next, keep, gap_days, !new.is_empty());
    }
    next
}

fn keep_pattern(rate: &mut PostingRate, keep: f64) {
    let keep = |stored: f32| (count(f64::from(stored)) * keep) as f32;
    rate.hours = rate.hours.map(keep);
    rate.days = rate.days.map(keep);
    rate.excited = keep(rate.excited);
    rate.judged = keep(rate.judged);
}

fn count_change(rate: &mut PostingRate, keep: f64, gap_days: f64, changed: bool) {
    let kept = |stored: f32, more: f64| (count(f64::from(stored)) * keep + more) as f32;
    rate.polls = kept(rate.polls, 1.0);
    rate.changes = kept(rate.changes, f64::from(u8::from(changed)));
    rate.poll_days = kept(rate.poll_days, gap_days);
}

/// Items of unknown time are spread over the gap as the pattern so far says: one step of expectation–maximisation.
/// Beyond a week the pattern only repeats.
fn spread(
    rate: &mut PostingRate,
    before: &PostingRate,
    population: &Population,
    since: Timestamp,
    now: Timestamp,
    items: usize,
) {
    const WEEK: Duration = Duration::from_secs(7 * 86_400);
    let shape = Shape::of_feed(before, population);
    let mut at = since.max(now.saturating_sub(WEEK));
    let whole = shape.between(at, now);
    if whole <= 0.0 {
        return;
    }
    while at < now {
        let hour_ends = (at.seconds().div_euclid(3600) + 1).saturating_mul(3600);
        let until = Timestamp::from_seconds(hour_ends).min(now);
        if until <= at {
            break;
        }
        let share = (items as f64 * shape.between(at, until) / whole) as f32;
        let (hour, day) = hour_and_day(at);
        rate.hours[hour] += share;
        rate.days[day] += share;
        at = until;
    }
}

fn cold_start(now: Timestamp, new: &[Option<Timestamp>]) -> Timestamp {
    let earliest = now.saturating_sub(Duration::from_secs_f64(COLD_START_DAYS_MAX * SECONDS_PER_DAY));
    let oldest = new.iter().flatten().copied().filter(|t| *t <= now).min();
    // One microsecond before the oldest item, so that it counts itself.
    oldest.map_or(now, |t| Timestamp::from_micros(t.micros().saturating_sub(1)).max(earliest))
}

fn last_post(
    before: &PostingRate,
    since: Timestamp,
    now: Timestamp,
    new: &[Option<Timestamp>],
) -> Option<Timestamp> {
    let newest = new
        .iter()
        .map(|t| match t {
            Some(t) if *t <= now => *t,
            // Undated or future: somewhere in the gap, so call it the middle.
            _ => Timestamp::from_micros(since.micros() + (now.micros().saturating_sub(since.micros())) / 2),
        })
        .max();
    before.last_post_at.max(newest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: i64 = 86_400;

    fn at(day: f64) -> Timestamp {
        Timestamp::from_seconds(1_700_000_000 + (day * DAY as f64) as i64)
    }

    #[test]
    fn a_daily_feed_is_learnt_from_its_first_document() {
        let dates: Vec<_> = (0..20).map(|d| Some(at(-f64::from(d)))).collect();
        let rate = posts_per_day(&observe(&PostingRate::default(), at(0.0), &dates, 20));
        assert!((0.8..1.3).contains(&rate), "{rate}");
    }

    #[test]
    fn a_silent_feed_keeps_a_floor_and_fades() {
        let mut rate = observe(&PostingRate::default(), at(0.0), &[Some(at(-1.0))], 1);
        for day in 1..200 {
            rate = observe(&rate, at(f64::from(day)), &[], 1);
        }
        let now = posts_per_day(&rate);
        assert!(now > 0.03 && now < 0.06, "scheduling.md: the silent floor is about 0.045 a day, got {now}");
    }

    #[test]
    fn d8_dates_outside_the_gap_count_as_seen_in_it_and_no_more() {
        let before = observe(&PostingRate::default(), at(0.0), &[Some(at(-5.0))], 1);
        let honest = observe(&before, at(1.0), &[None, None], 40);
        for liar in [at(900_000.0), at(-3000.0), Timestamp::from_seconds(i64::MAX), at(1.5)] {
            let poisoned = observe(&before, at(1.0), &[Some(liar), Some(liar)], 40);
            assert_eq!(posts_per_day(&poisoned), posts_per_day(&honest));
        }
        let thousand = observe(&before, at(1.0), &[Some(at(1.0)); 1000], 2000);
        assert!(posts_per_day(&thousand) <= 1000.0);
    }

    #[test]
    fn d8_a_first_document_without_dates_teaches_no_rate() {
        let rate = observe(&PostingRate::default(), at(0.0), &[None; 500], 500);
        assert_eq!(posts_per_day(&rate), 0.5);
    }

    #[test]
    fn an_overflowing_document_counts_only_the_span_it_shows() {
        let before = observe(&PostingRate::default(), at(0.0), &[], 10);
        let dates: Vec<_> = (0..10).map(|i| Some(at(2.0 - 0.01 * f64::from(i)))).collect();
        let overflowing = posts_per_day(&observe(&before, at(2.0), &dates, 10));
        let roomy = posts_per_day(&observe(&before, at(2.0), &dates, 100));
        assert!(overflowing > roomy, "{overflowing} {roomy}");
    }

    #[test]
    fn hours_and_weekdays_are_learnt_from_dates() {
        // Monday 2023-11-13; posts on Tuesdays at 15:30 UTC, polled daily.
        let monday = Timestamp::from_seconds(1_699_833_600);
        let on = |day: u64, hour: f64| {
            monday.saturating_add(Duration::from_secs_f64(86_400.0 * day as f64 + 3600.0 * hour))
        };
        let mut rate = PostingRate::default();
        for day in 0..70 {
            let new: Vec<_> = (day % 7 == 1).then_some(Some(on(day, 15.5))).into_iter().collect();
            rate = observe(&rate, on(day, 20.0), &new, 30);
        }
        let (hour, day) = (rate.hours[15], rate.days[1]);
        assert!(hour > 6.0 && (hour - day).abs() < 1e-3, "{hour} {day}");
        assert_eq!(rate.hours.iter().sum::<f32>(), hour);
        assert_eq!(rate.observed_since, Some(on(0, 20.0)));
    }

    #[test]
    fn d8_items_without_a_trusted_date_are_spread_over_the_gap_as_the_pattern_says() {
        let mut before = observe(&PostingRate::default(), at(0.0), &[Some(at(-1.0))], 10);
        before.hours = [0.0; 24];
        before.hours[3] = 6400.0;
        for date in [None, Some(at(900.0)), Some(at(-900.0))] {
            let after = observe(&before, at(1.0), &[date; 5], 100);
            let added: f32 = after.hours.iter().sum::<f32>() - 6400.0 * (-1.0f32 / 90.0).exp();
            assert!((added - 5.0).abs() < 0.02, "{added}");
            assert!(after.hours[12] < 0.05, "{:?}", after.hours);
            let weekdays =
                after.days.iter().sum::<f32>() - before.days.iter().sum::<f32>() * (-1.0f32 / 90.0).exp();
            assert!((weekdays - 5.0).abs() < 0.02);
        }
    }

    #[test]
    fn what_the_publisher_says_counts_a_little_and_only_at_first() {
        let population = Population::default();
        let monthly = Hints { update_period_s: Some(30 * 86_400), ..Hints::default() };
        let hourly = Hints { ttl_minutes: Some(60), ..Hints::default() };
        let new = PostingRate::default();
        let told = |rate: &PostingRate, hints: &Hints| rate_of(rate, &population, hints);
        assert!(told(&new, &monthly) < 0.2 && told(&new, &hourly) > 0.55);
        assert!(told(&new, &hourly) < 0.7, "software writes hourly everywhere");
        let known = PostingRate { posts: 40.0, exposure_days: 20.0, ..PostingRate::default() };
        assert!((told(&known, &hourly) / told(&known, &Hints::default()) - 1.0).abs() < 0.01);
    }

    #[test]
    fn undated_documents_that_are_all_new_count_at_least_their_changes() {
        let mut rate = observe(&PostingRate::default(), at(0.0), &[None], 1);
        for poll in 1..40 {
            rate = observe(&rate, at(f64::from(poll)), &[None], 1);
        }
        let (with, bits) = (posts_per_day(&rate), changes::changes_per_day(&rate).expect("some"));
        assert!(bits > 2.0, "{bits}");
        assert!(
            with > 1.5 && with < bits,
            "every poll showed its one item new, so more than one a day: {with}"
        );
    }

    proptest! {
        #[test]
        fn a_stored_state_of_any_numbers_teaches_finite_ones(
            numbers in proptest::collection::vec(any::<f64>(), 3), small in proptest::collection::vec(any::<f32>(), 40),
            recent in proptest::collection::vec(any::<u32>(), 0..80), now: i64, date: Option<i64>,
            prior in proptest::collection::vec(any::<f64>(), 33),
        ) {
            let mut broken = PostingRate {
                posts: numbers[0], exposure_days: numbers[1], bursts: numbers[2], recent_bursts: recent,
                observed_until: Some(Timestamp::from_micros(now / 2)), excited: small[31], judged: small[32],
                polls: small[33], changes: small[34], poll_days: small[35], ..PostingRate::default()
            };
            broken.hours.copy_from_slice(&small[..24]);
            broken.days.copy_from_slice(&small[24..31]);
            let mut population = Population { prior_posts: prior[31], prior_days: prior[32], ..Population::default() };
            population.hours.copy_from_slice(&prior[..24]);
            population.days.copy_from_slice(&prior[24..31]);
            let new = [date.map(Timestamp::from_micros), None];
            let sight = Sight { now: Timestamp::from_micros(now), new: &new, visible: 2 };
            let after = learn(&broken, &sight, &population);
            let rate = rate_of(&after, &population, &Hints::default());
            prop_assert!(rate.is_finite() && rate > 0.0);
            prop_assert!(after.hours.iter().all(|n| n.is_finite()) && after.recent_bursts.len() <= 64);
        }

        #[test]
        fn the_rate_is_finite_and_positive_whatever_the_dates(
            dates in proptest::collection::vec(proptest::option::of(any::<i64>()), 0..50),
            now: i64, then: i64, visible: u32,
        ) {
            let dates: Vec<_> = dates.into_iter().map(|d| d.map(Timestamp::from_micros)).collect();
            let first = observe(&PostingRate::default(), Timestamp::from_micros(then), &dates, visible);
            let rate = posts_per_day(&observe(&first, Timestamp::from_micros(now), &dates, visible));
            prop_assert!(rate.is_finite() && rate > 0.0);
        }

        #[test]
        fn more_posts_never_lower_the_rate(extra in 0usize..50, gap in 0.01f64..30.0) {
            let before = observe(&PostingRate::default(), at(0.0), &[Some(at(-3.0))], 200);
            let few = observe(&before, at(gap), &vec![None; extra], 200);
            let more = observe(&before, at(gap), &vec![None; extra + 1], 200);
            prop_assert!(posts_per_day(&more) > posts_per_day(&few));
        }
    }
}
