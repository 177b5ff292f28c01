//! What a reference, a subscription and a sum are worth.

/// Half of what was said two days ago counts.
const HALF_LIFE_DAYS: f64 = 2.0;
/// What somebody following a feed is expected to open before anything is known: one of two.
const PRIOR: (f64, f64) = (1.0, 2.0);
/// Keeps a single mention from being a landslide (κ of the reference, chosen on real subscriptions).
const CALM: f64 = 2.0;

/// How loudly a feed says something on one day: saying it a hundred times is not a hundred times as much.
pub fn loudness(times: u32) -> f32 {
    if times == 0 { 0.0 } else { 1.0 + (times as f32).ln() }
}

/// How often that was, from how loud it is.
pub(crate) fn times(loudness: f32) -> u32 {
    if loudness <= 0.0 { 0 } else { (loudness - 1.0).exp().round() as u32 }
}

pub fn decay(age_days: usize) -> f32 {
    (-(age_days as f64) / HALF_LIFE_DAYS).exp2() as f32
}

/// ln((D+1)/(df+1)) of `all` and `having` source-days *before* today: the paper's same-day idf pushes down the very words
/// that everybody writes about today. While nothing is known, everything counts alike.
pub fn idf(all: u64, having: u64) -> f32 {
    if all == 0 { 1.0 } else { (((all + 1) as f64) / ((having + 1) as f64)).ln().max(0.0) as f32 }
}

/// How much more a key is in my feeds than in all others: ln((x+κ)/(e+κ)), e = n·(X−x+½)/(N−n+1). `mine` of `my_days`
/// source-days of mine have it, `all` of `all_days` of everybody.
pub fn lift(mine: u64, my_days: u64, all: u64, all_days: u64) -> f64 {
    let elsewhere = all.saturating_sub(mine) as f64 + 0.5;
    let expected = my_days as f64 * elsewhere / (all_days.saturating_sub(my_days) as f64 + 1.0);
    ((mine as f64 + CALM) / (expected + CALM)).ln()
}

/// How far today's number of feeds is above the usual λ: (x−λ)/√(λ+1).
pub fn rising(today: f64, usual: f64) -> f64 {
    (today - usual) / (usual + 1.0).sqrt()
}

/// What a subscription counts (T of §4.2): as the reader said, or by the share of the feed's items that were opened, from
/// near 0 to 2 and 1 while nothing is known.
pub fn weight(said: Option<f32>, opened: u32, shown: u32) -> f32 {
    match said {
        Some(said) if said.is_finite() => said.clamp(0.0, 2.0),
        _ => {
            let opened = f64::from(opened.min(shown));
            (2.0 * (opened + PRIOR.0) / (f64::from(shown) + PRIOR.1)) as f32
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    }

    /// Reference 2.5.
    #[test]
    fn lift_compares_mine_with_everybodys() {
        near(lift(6, 30, 40, 2_000), 1.153155);
        near(lift(6, 30, 900, 2_000), -0.668785);
        near(lift(1, 30, 1, 2_000), 0.401667);
        near(lift(12, 30, 40, 2_000), 1.749608);
        assert!(lift(5, 9, 0, 0).is_finite(), "feeds of one's own alone");
    }

    /// Reference 2.5.
    #[test]
    fn rising_is_how_far_above_the_usual() {
        near(rising(5.0, 0.0), 5.0);
        near(rising(5.0, 1.0), 2.828427);
        near(rising(12.0, 1.0), 7.778175);
        near(rising(5.0, 5.0), 0.0);
    }

    /// Reference 2.5.
    #[test]
    fn what_was_said_fades() {
        let sum = 3.0 * decay(0) + 4.0 * decay(1) + 5.0 * decay(5);
        assert!((sum - 6.712311).abs() < 1e-5, "{sum}");
    }

    #[test]
    fn repeating_oneself_counts_little_and_can_be_taken_back() {
        assert!(loudness(1_000) < 8.0 && loudness(1) == 1.0 && loudness(0) == 0.0);
        for count in [0, 1, 2, 3, 10, 1_000, 50_000] {
            assert_eq!(times(loudness(count)), count);
        }
    }

    #[test]
    fn common_words_weigh_nothing_and_unknown_days_nothing_more() {
        assert_eq!((idf(100, 100), idf(0, 0)), (0.0, 1.0));
        assert!(idf(100, 0) > idf(100, 10));
    }

    #[test]
    fn a_subscription_counts_as_said_or_as_read() {
        assert_eq!((weight(Some(2.0), 0, 100), weight(Some(0.0), 100, 100)), (2.0, 0.0));
        assert_eq!((weight(Some(f32::NAN), 0, 0), weight(Some(9.0), 0, 0)), (1.0, 2.0));
        assert_eq!(weight(None, 0, 0), 1.0);
        assert!(weight(None, 50, 50) > 1.9 && weight(None, 0, 50) < 0.05);
        assert!(weight(None, 90, 50) <= 2.0, "more opened than shown is no more than all");
    }
}
