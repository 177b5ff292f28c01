//! Posts that come in bursts: one branching number per feed, learned from its own bursts.
//!
//! After a post more are likely for about two hours; how much more differs so much between feeds that a fixed kernel hurts
//! (`scheduling.md` §6). So each feed has a branching share c, learned by expectation–maximisation from how often bursts
//! follow bursts closer than its rate explains, and shrunk to 5 %. Posts within ten minutes are one burst: they are one
//! act of publishing, and no poll could come between.

use super::rate::rate_of;
use super::{Population, Shape, count};
use domain::{Hints, PostingRate, Timestamp};

/// Decay of excitement, in operational days: two hours.
pub const TAU_DAYS: f64 = 0.08;
const MERGE_S: u32 = 600;
/// What c is shrunk to, and with how many bursts' worth.
const SHARE_PRIOR: f64 = 0.05;
const SHARE_STRENGTH: f64 = 20.0;
const SHARE_MAX: f64 = 0.6;
/// Before so much history c is too uncertain to act on.
const HISTORY_DAYS: f64 = 30.0;
/// Older bursts excite nothing any more (e⁻¹²), so they need not be kept.
const KEPT_S: u32 = 86_400;
const KEPT_MAX: usize = 64;

/// c: the share of bursts that others brought about.
pub fn branching(rate: &PostingRate) -> f64 {
    let (excited, judged) = (count(f64::from(rate.excited)), count(f64::from(rate.judged)));
    ((SHARE_STRENGTH * SHARE_PRIOR + excited) / (SHARE_STRENGTH + judged)).clamp(0.0, SHARE_MAX)
}

/// How far the rate at `now` is above (or below) its usual, relative to it: 0 means usual. It fades with
/// e^(−Δ/[`TAU_DAYS`]) in operational time.
pub fn excess(rate: &PostingRate, shape: &Shape, per_day: f64, now: Timestamp) -> f64 {
    let known = rate.observed_since.is_some_and(|since| super::days_between(now, since) >= HISTORY_DAYS);
    if !known || per_day <= 0.0 {
        return 0.0;
    }
    let per_burst = if rate.bursts > 0.0 { (count(rate.posts) / rate.bursts).clamp(1.0, 1e3) } else { 1.0 };
    let excitement = excitement(&rate.recent_bursts, shape, now) * per_burst;
    let excess = branching(rate) * (excitement / per_day - 1.0);
    if excess.is_finite() { excess.clamp(-1.0, 1e3) } else { 0.0 }
}

/// Σ e^(−age/τ)/τ over bursts before `now`, in operational time: bursts per day.
fn excitement(bursts: &[u32], shape: &Shape, now: Timestamp) -> f64 {
    bursts
        .iter()
        .map(|start| Timestamp::from_seconds(i64::from(*start)))
        .filter(|start| *start < now)
        .map(|start| (-shape.between(start, now) / TAU_DAYS).exp() / TAU_DAYS)
        .sum()
}

/// Takes posts at these times (any order) into the feed's bursts, and judges each new burst by one step of EM. Returns
/// how many bursts began.
pub(crate) fn take(
    rate: &mut PostingRate,
    before: &PostingRate,
    population: &Population,
    times: &[Timestamp],
) -> usize {
    let mut seconds: Vec<u32> = times.iter().filter_map(|at| u32::try_from(at.seconds()).ok()).collect();
    if seconds.is_empty() {
        return 0;
    }
    seconds.sort_unstable();
    let shape = Shape::of_feed(before, population);
    let per_day = rate_of(before, population, &Hints::default());
    let per_burst =
        if before.bursts > 0.0 { (count(before.posts) / before.bursts).clamp(1.0, 1e3) } else { 1.0 };
    let mut began = 0;
    for second in seconds {
        let recent = &mut rate.recent_bursts;
        if recent.iter().any(|start| second.abs_diff(*start) < MERGE_S) {
            continue;
        }
        if before.observed_until.is_some() && before.bursts > 0.0 {
            let share = branching(before);
            let excited = share * excitement(recent, &shape, Timestamp::from_seconds(i64::from(second)));
            let usual = (1.0 - share) * per_day / per_burst;
            let chance = excited / (excited + usual);
            rate.excited += if chance.is_finite() { chance as f32 } else { 0.0 };
            rate.judged += 1.0;
        }
        began += 1;
        let at = recent.partition_point(|start| *start < second);
        recent.insert(at, second);
        if recent.len() > KEPT_MAX {
            recent.remove(0);
        }
    }
    began
}

/// Forgets bursts too old to matter.
pub(crate) fn forget(rate: &mut PostingRate, now: Timestamp) {
    let oldest = now.seconds().saturating_sub(i64::from(KEPT_S));
    rate.recent_bursts.retain(|start| i64::from(*start) >= oldest && i64::from(*start) <= now.seconds());
    let most = rate.recent_bursts.len().saturating_sub(KEPT_MAX);
    rate.recent_bursts.drain(..most);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{Sight, learn};

    const START: i64 = 1_699_833_600;
    const HOUR: i64 = 3600;

    /// Sixty days of bursts at the given hours after each midnight on every `every`-th day, seen by hourly polls.
    fn watched(hours: &[f64], every: i64) -> (PostingRate, Timestamp) {
        let mut rate = PostingRate::default();
        for poll in 1..60 * 24 {
            let (since, now) = (START + (poll - 1) * HOUR, START + poll * HOUR);
            let day = (since - START) / 86_400;
            let new: Vec<Option<Timestamp>> = hours
                .iter()
                .map(|hour| START + day * 86_400 + (hour * 3600.0) as i64)
                .filter(|at| day % every == 0 && *at > since && *at <= now)
                .map(|at| Some(Timestamp::from_seconds(at)))
                .collect();
            let sight = Sight { now: Timestamp::from_seconds(now), new: &new, visible: 50 };
            rate = learn(&rate, &sight, &Population::default());
        }
        (rate, Timestamp::from_seconds(START + (60 * 24 - 1) * HOUR))
    }

    #[test]
    fn a_feed_of_clusters_branches_and_a_lone_one_does_not() {
        let (clustered, _) = watched(&[9.0, 9.4, 9.9, 10.3, 10.8], 5);
        let (lone, _) = watched(&[9.0], 1);
        assert!(branching(&clustered) > 0.3, "{}", branching(&clustered));
        assert!(branching(&lone) < 0.05, "{}", branching(&lone));
    }

    #[test]
    fn a_fresh_burst_raises_the_rate_and_silence_lowers_it() {
        let (mut rate, now) = watched(&[9.0, 9.4, 9.9, 10.3, 10.8], 5);
        let shape = Shape::of_feed(&rate, &Population::default());
        assert!(excess(&rate, &shape, 1.0, now) < 0.0, "nothing lately");
        rate.recent_bursts.push(u32::try_from(now.seconds() - 300).expect("small"));
        assert!(excess(&rate, &shape, 1.0, now) > 1.0);
        assert_eq!(excess(&PostingRate::default(), &shape, 1.0, now), 0.0, "no history, no reaction");
    }

    #[test]
    fn posts_within_ten_minutes_are_one_burst_and_memory_is_bounded() {
        let mut rate = PostingRate::default();
        let times: Vec<Timestamp> = (0..500).map(|nth| Timestamp::from_seconds(START + nth * 30)).collect();
        let began = take(&mut rate, &PostingRate::default(), &Population::default(), &times);
        assert_eq!(began, 25);
        let many: Vec<Timestamp> = (0..5000).map(|nth| Timestamp::from_seconds(START + nth * 700)).collect();
        take(&mut rate, &PostingRate::default(), &Population::default(), &many);
        assert!(rate.recent_bursts.len() <= KEPT_MAX && rate.recent_bursts.is_sorted());
        forget(&mut rate, Timestamp::from_seconds(START + 90 * 86_400));
        assert!(rate.recent_bursts.is_empty());
    }
}
