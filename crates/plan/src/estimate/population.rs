//! What all feeds have in common: the prior of their rates, and the hours and weekdays their patterns shrink to.
//!
//! Refitted about monthly from the feeds' own states ([`Population::fit`]); until thirty feeds are known the defaults of
//! `scheduling.md` §8 hold.

use super::fit::{fit_rates, fit_strength};
use super::shape::shares;
use super::{count, rate};
use domain::{AccessHabit, PostingRate};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Population {
    /// a and b of the Gamma prior of posts per day, before the doubling that keeps silent feeds alive.
    pub prior_posts: f64,
    pub prior_days: f64,
    /// Shares by UTC hour and by weekday from Monday.
    pub hours: [f64; 24],
    pub days: [f64; 7],
    /// κ: how many posts of its own a feed needs to count as much as the population.
    pub hours_strength: f64,
    pub days_strength: f64,
    /// Shares by local hour and weekday in which people look.
    pub reading_hours: [f64; 24],
    pub reading_days: [f64; 7],
}

impl Default for Population {
    fn default() -> Self {
        Population {
            prior_posts: 0.5,
            prior_days: 1.0,
            hours: [1.0 / 24.0; 24],
            days: [1.0 / 7.0; 7],
            hours_strength: 64.0,
            days_strength: 64.0,
            reading_hours: [1.0 / 24.0; 24],
            reading_days: [1.0 / 7.0; 7],
        }
    }
}

/// Fewer teach less than the defaults know.
const FEEDS_MIN: usize = 30;
const PEOPLE_MIN: usize = 5;
/// A feed's say in the pooled shape grows with its posts up to this many.
const SAY_FULL: f64 = 64.0;
/// No hour is ever quite without posts.
const EVEN_SHARE: f64 = 0.02;

impl Population {
    /// Fitted to feeds and people; what too few teach keeps its default.
    pub fn fit(feeds: &[&PostingRate], people: &[&AccessHabit]) -> Population {
        let mut fitted = Population::default();
        if feeds.len() >= FEEDS_MIN {
            let counts: Vec<(f64, f64)> = feeds.iter().map(|feed| rate::effective_count(feed)).collect();
            if let Some((posts, days)) = fit_rates(&counts) {
                (fitted.prior_posts, fitted.prior_days) = (posts, days);
            }
            let hours: Vec<[f64; 24]> = feeds.iter().map(|feed| feed.hours.map(f64::from)).collect();
            let days: Vec<[f64; 7]> = feeds.iter().map(|feed| feed.days.map(f64::from)).collect();
            fitted.hours = pooled(&hours);
            fitted.days = pooled(&days);
            fitted.hours_strength = fit_strength(&hours, &fitted.hours).unwrap_or(fitted.hours_strength);
            fitted.days_strength = fit_strength(&days, &fitted.days).unwrap_or(fitted.days_strength);
        }
        if people.len() >= PEOPLE_MIN {
            fitted.reading_hours =
                pooled(&people.iter().map(|habit| habit.hours.map(f64::from)).collect::<Vec<_>>());
            fitted.reading_days =
                pooled(&people.iter().map(|habit| habit.days.map(f64::from)).collect::<Vec<_>>());
        }
        fitted
    }
}

/// The mean of the members' shares, each weighing as its counts deserve, with a little evenness.
fn pooled<const N: usize>(members: &[[f64; N]]) -> [f64; N] {
    let mut sum = [0.0; N];
    for member in members {
        let total: f64 = member.iter().map(|n| count(*n)).sum();
        let say = total / (total + SAY_FULL);
        for (sum, share) in sum.iter_mut().zip(shares(member)) {
            *sum += say * share;
        }
    }
    shares(&sum).map(|share| (1.0 - EVEN_SHARE) * share + EVEN_SHARE / N as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_feeds_keep_the_defaults() {
        let feed = PostingRate { posts: 50.0, exposure_days: 10.0, ..PostingRate::default() };
        assert_eq!(Population::fit(&[&feed; 29], &[]), Population::default());
        assert_eq!(Population::fit(&[], &[]), Population::default());
    }

    #[test]
    fn many_feeds_teach_their_hours_and_rates() {
        let feeds: Vec<PostingRate> = (0..60)
            .map(|nth| {
                let mut feed = PostingRate { exposure_days: 10.0, ..PostingRate::default() };
                feed.posts = 10.0 * f64::from(1 + nth % 4);
                feed.hours[9] = 30.0;
                feed.hours[17] = 10.0;
                feed.days[1] = 40.0;
                feed
            })
            .collect();
        let fitted = Population::fit(&feeds.iter().collect::<Vec<_>>(), &[]);
        let mean = fitted.prior_posts / fitted.prior_days;
        assert!((mean - 2.5).abs() < 0.3, "{mean}");
        assert!(fitted.hours[9] > 0.6 && fitted.hours[3] > 0.0, "{:?}", fitted.hours);
        assert!(fitted.days[1] > 0.9);
        assert!(fitted.hours_strength > 500.0, "all alike: {}", fitted.hours_strength);
    }
}
