//! How other readers decide, as their public code says (read, not copied), each scaled by one factor to the common
//! budget: Miniflux' `entry_frequency`, CommaFeed, NewsBlur, FreshRSS' AutoTTL extension, Nextcloud News.
//!
//! Cache headers, errors and ticks are left out: the traces have none, and ticks only make things later.

use super::Setting;
use crate::dice::Dice;
use crate::replay::{Policy, Poll};
use crate::trace::{DAY_S, WEEK_S, World};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    Miniflux { cap_min: f64 },
    CommaFeed,
    NewsBlur,
    AutoTtl,
    Nextcloud,
}

#[derive(Debug)]
pub struct Reader<'a> {
    rule: Rule,
    world: &'a World,
    window_items: usize,
    strength: f64,
    dice: Vec<Dice>,
}

impl<'a> Reader<'a> {
    pub fn new(name: &str, setting: Setting<'a>, strength: f64) -> Self {
        let rule = match name {
            // Its cap of a day alone would spend small budgets; then it is relaxed to four times the mean interval.
            "miniflux" => Rule::Miniflux { cap_min: 1440.0 * (4.0 / setting.polls_per_day).max(1.0) },
            "commafeed" => Rule::CommaFeed,
            "newsblur" => Rule::NewsBlur,
            "autottl" => Rule::AutoTtl,
            _ => Rule::Nextcloud,
        };
        let seed = setting.rules.seed;
        let dice = setting.feeds().map(|feed| Dice::of(seed, feed)).collect();
        Reader { rule, world: setting.world, window_items: setting.rules.window_items, strength, dice }
    }

    fn interval_s(&mut self, feed: usize, now: i64, known: &[i64], document: &[i64]) -> i64 {
        let minutes = match self.rule {
            // Its own factor does the scaling, inside its clamps.
            Rule::Miniflux { cap_min } => miniflux(known, now, self.strength, cap_min),
            Rule::CommaFeed => commafeed(document, now) / self.strength,
            Rule::NewsBlur => {
                newsblur(known, now, self.world.audience(feed), self.dice[feed].unit()) / self.strength
            }
            Rule::AutoTtl => autottl(known, now) / self.strength,
            Rule::Nextcloud => nextcloud(document, now) / self.strength,
        };
        (minutes * 60.0).clamp(1.0, 1e9) as i64
    }
}

impl Policy for Reader<'_> {
    fn first(&mut self, feed: usize) -> i64 {
        let world = self.world;
        let (now, known) = (world.begin, world.history(feed));
        let document = &known[known.len().saturating_sub(self.window_items)..];
        let interval = self.interval_s(feed, now, known, document);
        // In the middle of things: nobody starts all feeds at once.
        now + (interval as f64 * self.dice[feed].unit()) as i64
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        poll.now + self.interval_s(poll.feed, poll.now, poll.known, poll.document)
    }
}

fn since(known: &[i64], at: i64) -> &[i64] {
    &known[known.partition_point(|post| *post < at)..]
}

/// Minutes between the first and the last.
fn span_min(times: &[i64]) -> f64 {
    match times {
        [first, .., last] => (last - first) as f64 / 60.0,
        _ => 0.0,
    }
}

/// A week over the weekly count. Its own code extrapolates the count from the mean gap, which is worse for feeds that
/// post in bursts; this is kinder.
fn miniflux(known: &[i64], now: i64, factor: f64, cap_min: f64) -> f64 {
    const WEEK_MIN: f64 = 10_080.0;
    let week = since(known, now - WEEK_S);
    if week.len() <= 1 || span_min(week) <= 0.0 {
        return cap_min;
    }
    (WEEK_MIN / (week.len() as f64 * factor)).clamp(5.0, cap_min)
}

/// Half the mean gap of the document, or by how long it has been silent.
fn commafeed(document: &[i64], now: i64) -> f64 {
    const LEAST: f64 = 5.0;
    const MOST: f64 = 240.0;
    let Some(newest) = document.last() else { return MOST };
    let silent_days = (now - newest).div_euclid(DAY_S);
    match silent_days {
        30.. => MOST,
        14.. => MOST / 2.0,
        7.. => MOST / 4.0,
        _ if document.len() >= 2 => {
            (span_min(document) / (document.len() - 1) as f64 / 2.0).clamp(LEAST, MOST / 4.0)
        }
        _ => MOST,
    }
}

/// A table by stories per day and subscribers, all of them taken as active and paying alike.
fn newsblur(known: &[i64], now: i64, subscribers: usize, dice: f64) -> f64 {
    let per_day = since(known, now - 30 * DAY_S).len() as f64 / 30.0;
    let many = subscribers > 1;
    let silent_months =
        known.last().map_or(1.0, |last| ((now - last) as f64 / (30.0 * DAY_S as f64)).floor().max(1.0));
    let base = if per_day >= 1.0 {
        match subscribers {
            10.. => 6.0,
            2.. => 15.0,
            _ => 45.0,
        }
    } else if per_day > 0.0 {
        (if many { 60.0 } else { 360.0 }) * (1.0 - per_day)
    } else {
        (if many { 360.0 } else { 720.0 }) * silent_months
    };
    let base = base.clamp(5.0, 240.0);
    base + (dice * base).floor() / 4.0
}

/// The mean gap of the last thirty days between an hour and a day.
fn autottl(known: &[i64], now: i64) -> f64 {
    const DEFAULT: f64 = 60.0;
    const MOST: f64 = 1440.0;
    let month = since(known, now - 30 * DAY_S);
    let mean = span_min(month) / month.len().max(1) as f64;
    let stale = known.last().is_none_or(|last| (now - last) as f64 > 2.0 * MOST * 60.0);
    if mean <= 0.0 || stale { MOST } else { mean.clamp(DEFAULT, MOST) }
}

/// A tenth more than the mean or median gap after the last item, whichever comes first and is still ahead.
fn nextcloud(document: &[i64], now: i64) -> f64 {
    const MOST: f64 = 1440.0;
    const RUN: f64 = 60.0;
    let Some(newest) = document.last() else { return MOST };
    let silent_min = (now - newest) as f64 / 60.0;
    if silent_min > 1.1 * 7.0 * 1440.0 {
        return MOST;
    }
    let mut gaps: Vec<f64> = document.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 60.0).collect();
    gaps.sort_by(f64::total_cmp);
    let mean = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
    let median = gaps.get(gaps.len() / 2).copied().unwrap_or(0.0);
    let ahead = [mean.min(median), mean.max(median)].into_iter().map(|gap| 1.1 * gap - silent_min);
    // Its job runs hourly and looks at a feed again ten minutes before it is due.
    let wait = ahead.into_iter().find(|wait| *wait > 0.0).unwrap_or(RUN);
    wait.clamp(10.0, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000;

    fn hourly(count: i64) -> Vec<i64> {
        (0..count).rev().map(|nth| NOW - nth * 3600).collect()
    }

    #[test]
    fn miniflux_polls_a_week_over_the_weekly_count() {
        assert_eq!(miniflux(&hourly(84), NOW, 1.0, 1440.0), 120.0);
        assert_eq!(miniflux(&hourly(84), NOW, 4.0, 1440.0), 30.0);
        assert_eq!(miniflux(&hourly(1), NOW, 1.0, 1440.0), 1440.0);
        assert_eq!(miniflux(&[NOW, NOW, NOW], NOW, 1.0, 1440.0), 1440.0);
    }

    #[test]
    fn commafeed_takes_half_the_mean_gap_until_a_feed_falls_silent() {
        assert_eq!(commafeed(&hourly(10), NOW), 30.0);
        assert_eq!(commafeed(&hourly(10), NOW + 8 * DAY_S), 60.0);
        assert_eq!(commafeed(&hourly(10), NOW + 15 * DAY_S), 120.0);
        assert_eq!(commafeed(&hourly(10), NOW + 40 * DAY_S), 240.0);
        assert_eq!(commafeed(&[], NOW), 240.0);
    }

    #[test]
    fn newsblur_follows_its_table() {
        assert_eq!(newsblur(&hourly(100), NOW, 1, 0.0), 45.0);
        assert_eq!(newsblur(&hourly(100), NOW, 12, 0.0), 6.0);
        assert_eq!(newsblur(&hourly(15), NOW, 1, 0.0), 180.0);
        assert_eq!(newsblur(&[], NOW, 1, 0.0), 240.0, "twelve hours, capped at four");
    }

    #[test]
    fn autottl_and_nextcloud_follow_the_gaps() {
        assert_eq!(autottl(&[NOW - 7200, NOW], NOW), 60.0);
        assert_eq!(autottl(&[NOW - 3 * DAY_S], NOW), 1440.0);
        assert!((nextcloud(&hourly(10), NOW) - 66.0).abs() < 1e-9);
        assert_eq!(nextcloud(&hourly(10), NOW + 10 * DAY_S), 1440.0);
        assert_eq!(nextcloud(&hourly(10), NOW + 2 * 3600), 60.0);
    }
}
