//! How often a feed posts: decayed counts over decayed exposure, shrunk to a prior.
//!
//! `scheduling.md` §8 in its homogeneous part: rate = (2a + n) / (2b + E) with a = 0.5, b = 1 and a half-life of
//! 14 days. A date counts only inside (last observation, now]; every other new item counts as posted somewhere in
//! that gap (D8), so that a publisher's clock cannot steer us further than the number of its items does.

use domain::{PostingRate, Timestamp};

const SECONDS_PER_DAY: f64 = 86_400.0;
/// Decay time of the rate: half-life 14 days.
const TAU_DAYS: f64 = 20.2;
const PRIOR_POSTS: f64 = 1.0;
const PRIOR_DAYS: f64 = 2.0;
/// A first document teaches us at most this much of the past.
const COLD_START_DAYS_MAX: f64 = 90.0;

/// Posts per day expected now. Never zero: a silent feed may speak again.
pub fn posts_per_day(rate: &PostingRate) -> f64 {
    let (posts, exposure) = (rate.posts.max(0.0), rate.exposure_days.max(0.0));
    let estimate = (PRIOR_POSTS + posts) / (PRIOR_DAYS + exposure);
    if estimate.is_finite() { estimate } else { PRIOR_POSTS / PRIOR_DAYS }
}

/// The rate after a successful poll at `now` that showed `new` unseen items (their dates where given) among
/// `visible` items in all.
pub fn observe(before: &PostingRate, now: Timestamp, new: &[Option<Timestamp>], visible: u32) -> PostingRate {
    let since = before.observed_until.unwrap_or_else(|| cold_start(now, new));
    let gap_days = days(now, since);
    let dated = |t: &Timestamp| *t > since && *t <= now;
    // A document full of new items hides older ones: only the visible span was observed.
    let overflow = visible > 0 && new.len() >= visible as usize && before.observed_until.is_some();
    let observed_days = if overflow {
        new.iter().flatten().filter(|t| dated(t)).min().map_or(gap_days, |oldest| days(now, *oldest))
    } else {
        gap_days
    };
    let keep = (-gap_days / TAU_DAYS).exp();
    let weight = |t: &Option<Timestamp>| match t {
        Some(t) if dated(t) => (-days(now, *t) / TAU_DAYS).exp(),
        _ => 1.0,
    };
    let cold = before.observed_until.is_none();
    // At cold start only dated items inside the window count: undated ones may be years old.
    let counted = new.iter().filter(|t| !cold || t.as_ref().is_some_and(dated));
    PostingRate {
        posts: before.posts * keep + counted.map(weight).sum::<f64>(),
        exposure_days: before.exposure_days * keep + TAU_DAYS * (1.0 - (-observed_days / TAU_DAYS).exp()),
        observed_until: Some(now),
        last_post_at: last_post(before, since, now, new),
        window_items: if visible > 0 { visible } else { before.window_items },
    }
}

fn cold_start(now: Timestamp, new: &[Option<Timestamp>]) -> Timestamp {
    let earliest = Timestamp::from_micros(
        now.micros().saturating_sub((COLD_START_DAYS_MAX * SECONDS_PER_DAY * 1e6) as i64),
    );
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

fn days(later: Timestamp, earlier: Timestamp) -> f64 {
    later.since(earlier).as_secs_f64() / SECONDS_PER_DAY
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

    proptest! {
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
