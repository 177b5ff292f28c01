//! When a publication posts: a rate that changes over the day, the week and the years, and a way to draw one day's
//! posts from it without drawing any other day.
//!
//! Posts are a non-homogeneous Poisson process, thinned from its peak rate; bursts add children to each post (a
//! self-exciting process cut at midnight); a batch publisher posts its whole day within minutes.

use crate::calendar::{DAY_S, HOUR_S};
use crate::dice::Dice;

/// Bounds what one feed can post in a day; numbers of items rely on it.
pub(crate) const POSTS_PER_DAY_MAX: usize = 999;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Monday to Friday, nine to six, with a dip at noon.
    OfficeHours,
    /// After supper, more at weekends.
    Evenings,
    /// Saturday and Sunday only.
    Weekends,
    /// An agency: day and night, busier by day.
    AroundTheClock,
    /// About one long text a month, in the morning.
    Essayist,
    /// The whole day's posts at six in the morning, on working days.
    MorningBatch,
    /// Quiet, then several posts within the hour.
    Bursts,
    /// Posts twice as much every sixty days.
    Growing,
    /// Posts half as much every sixty days.
    Slowing,
    /// Posted for some weeks and fell silent.
    Dead,
    /// Never posted anything.
    Silent,
}

impl Pattern {
    pub const ALL: [Pattern; 11] = [
        Pattern::OfficeHours,
        Pattern::Evenings,
        Pattern::Weekends,
        Pattern::AroundTheClock,
        Pattern::Essayist,
        Pattern::MorningBatch,
        Pattern::Bursts,
        Pattern::Growing,
        Pattern::Slowing,
        Pattern::Dead,
        Pattern::Silent,
    ];

    /// Median and spread (log scale) of posts per day over the feeds with this pattern, and the most we allow.
    const fn rate(self) -> (f64, f64, f64) {
        match self {
            Pattern::OfficeHours => (3.0, 0.8, 60.0),
            Pattern::Evenings => (0.6, 0.7, 8.0),
            Pattern::Weekends => (0.5, 0.5, 6.0),
            Pattern::AroundTheClock => (40.0, 0.5, 160.0),
            Pattern::Essayist => (1.0 / 30.0, 0.3, 0.1),
            Pattern::MorningBatch => (14.0, 0.6, 60.0),
            Pattern::Bursts => (2.0, 0.7, 30.0),
            Pattern::Growing => (0.8, 0.5, 6.0),
            Pattern::Slowing => (4.0, 0.5, 20.0),
            Pattern::Dead => (2.0, 0.4, 10.0),
            Pattern::Silent => (0.0, 0.0, 0.0),
        }
    }

    /// Relative rate in an hour of the local week; only proportions matter.
    const fn weight(self, weekday: usize, hour: usize) -> f64 {
        let weekend = weekday >= 5;
        match self {
            Pattern::OfficeHours | Pattern::Growing | Pattern::Dead => match (weekend, hour) {
                (true, 10..=16) => 0.08,
                (false, 9..=11 | 14..=16) => 1.0,
                (false, 12 | 13 | 17) => 0.6,
                (false, 8 | 18) => 0.25,
                _ => 0.01,
            },
            Pattern::Evenings | Pattern::Slowing => match hour {
                19..=22 => {
                    if weekend {
                        1.2
                    } else {
                        1.0
                    }
                }
                18 | 23 => 0.4,
                10..=17 if weekend => 0.2,
                _ => 0.03,
            },
            Pattern::Weekends => match (weekend, hour) {
                (true, 8..=12) => 1.0,
                (true, 13..=21) => 0.5,
                _ => 0.0,
            },
            Pattern::AroundTheClock => match hour {
                6..=21 => 1.0,
                _ => 0.45,
            },
            Pattern::Essayist => match (weekend, hour) {
                (false, 7..=10) => 1.0,
                _ => 0.02,
            },
            Pattern::Bursts => match hour {
                8..=22 => 1.0,
                _ => 0.1,
            },
            Pattern::MorningBatch => match (weekend, hour) {
                (false, 6) => 1.0,
                _ => 0.0,
            },
            Pattern::Silent => 0.0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rhythm {
    pub pattern: Pattern,
    /// Mean over a week at the start of history.
    pub posts_per_day: f64,
    /// The publisher's clock, ahead of UTC.
    pub utc_offset_hours: i8,
    /// Days after the start of history on which a dead feed fell silent.
    pub last_day: Option<u32>,
}

impl Rhythm {
    pub(crate) fn draw(dice: &mut Dice, lively: bool) -> Rhythm {
        // Cumulative shares of the patterns, in per cent, in the order of `Pattern::ALL`.
        const SHARES: [usize; 11] = [26, 47, 55, 63, 71, 77, 86, 90, 94, 98, 100];
        let roll = dice.below(100);
        let index = SHARES.iter().position(|&share| roll < share).unwrap_or(0);
        let mut pattern = Pattern::ALL[index];
        if lively && matches!(pattern, Pattern::Essayist | Pattern::Dead | Pattern::Silent | Pattern::Slowing)
        {
            pattern = Pattern::OfficeHours;
        }
        let (median, sigma, most) = pattern.rate();
        let mut posts_per_day = dice.log_normal(median, sigma).min(most);
        if lively {
            posts_per_day = posts_per_day.max(1.0);
        }
        const OFFSETS: [i8; 10] = [0, 0, 1, 1, 1, 2, -5, -8, 5, 9];
        let utc_offset_hours = OFFSETS[dice.below(OFFSETS.len())];
        let last_day = (pattern == Pattern::Dead).then(|| 20 + dice.below(60) as u32);
        Rhythm { pattern, posts_per_day, utc_offset_hours, last_day }
    }

    /// Posts per hour at a second of UTC time, `day` days after history began.
    pub fn rate_at(&self, seconds: i64, day: i64) -> f64 {
        let local = seconds.saturating_add(i64::from(self.utc_offset_hours) * HOUR_S);
        // 1970-01-01 was a Thursday; the week begins on Monday.
        let of_week = (local + 3 * DAY_S).rem_euclid(7 * DAY_S);
        let (weekday, hour) = ((of_week / DAY_S) as usize, (of_week % DAY_S / HOUR_S) as usize);
        self.posts_per_day * 7.0 * self.pattern.weight(weekday, hour) / self.week() * self.trend(day)
    }

    /// The seconds of one UTC day at which posts appear, ascending and distinct.
    pub(crate) fn posts(&self, dice: &mut Dice, utc_day: i64, day: i64, into: &mut Vec<i64>) {
        into.clear();
        if self.pattern == Pattern::Silent || self.last_day.is_some_and(|last| day > i64::from(last)) {
            return;
        }
        let from = utc_day.saturating_mul(DAY_S);
        match self.pattern {
            Pattern::MorningBatch => self.batch(dice, from, day, into),
            _ => self.thin(dice, from, day, into),
        }
        into.sort_unstable();
        into.dedup();
        into.truncate(POSTS_PER_DAY_MAX);
    }

    fn thin(&self, dice: &mut Dice, from: i64, day: i64, into: &mut Vec<i64>) {
        let peak = self.posts_per_day * 7.0 * WEEKS[self.pattern as usize].1 / self.week() * self.trend(day);
        // A burst multiplies each first post by 1 / (1 − 0.7).
        let bursts = self.pattern == Pattern::Bursts;
        let peak = if bursts { peak * 0.3 } else { peak };
        if peak <= 0.0 {
            return;
        }
        let mut at = 0.0;
        loop {
            at += dice.wait(HOUR_S as f64 / peak);
            if at >= DAY_S as f64 || into.len() >= POSTS_PER_DAY_MAX {
                return;
            }
            let seconds = from + at as i64;
            let rate = self.rate_at(seconds, day) * if bursts { 0.3 } else { 1.0 };
            if !dice.chance(rate / peak) {
                continue;
            }
            into.push(seconds);
            let mut child = at;
            while bursts && dice.chance(0.7) {
                child += dice.wait(600.0) + 1.0;
                if child < DAY_S as f64 {
                    into.push(from + child as i64);
                }
            }
        }
    }

    fn batch(&self, dice: &mut Dice, from: i64, day: i64, into: &mut Vec<i64>) {
        let open = from + (6 - i64::from(self.utc_offset_hours)).rem_euclid(24) * HOUR_S;
        if self.rate_at(open, day) <= 0.0 {
            return;
        }
        // Working days carry the whole week.
        let mean = self.posts_per_day * 7.0 / 5.0;
        let count =
            (mean + dice.normal() * mean.sqrt()).round().clamp(0.0, POSTS_PER_DAY_MAX as f64) as usize;
        into.extend((0..count).map(|_| open + (dice.unit() * 600.0) as i64));
    }

    fn trend(&self, day: i64) -> f64 {
        let doublings = day as f64 / 60.0;
        match self.pattern {
            Pattern::Growing => doublings.exp2().min(8.0),
            Pattern::Slowing => (-doublings).exp2().max(0.03),
            _ => 1.0,
        }
    }

    /// What the weights of a week must be divided by; one for the silent, who have none.
    fn week(&self) -> f64 {
        WEEKS[self.pattern as usize].0.max(f64::MIN_POSITIVE)
    }
}

/// The sum and the largest of [`Pattern::weight`] over a week, by the order of `Pattern::ALL`.
const WEEKS: [(f64, f64); 11] = {
    let mut weeks = [(0.0, 0.0); 11];
    let mut index = 0;
    while index < weeks.len() {
        let mut hour = 0;
        while hour < 168 {
            let weight = Pattern::ALL[index].weight(hour / 24, hour % 24);
            weeks[index].0 += weight;
            if weight > weeks[index].1 {
                weeks[index].1 = weight;
            }
            hour += 1;
        }
        index += 1;
    }
    weeks
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Purpose;

    fn posts(pattern: Pattern, posts_per_day: f64, days: i64) -> Vec<i64> {
        let rhythm = Rhythm { pattern, posts_per_day, utc_offset_hours: 0, last_day: None };
        let mut all = Vec::new();
        let mut day = Vec::new();
        for nth in 0..days {
            // The first day is Monday, 6 January 2020.
            rhythm.posts(
                &mut Dice::new(9, Purpose::Posts, pattern as u64, nth.unsigned_abs()),
                18_267 + nth,
                nth,
                &mut day,
            );
            all.extend_from_slice(&day);
        }
        all
    }

    fn share(posts: &[i64], part: impl Fn(usize, i64) -> bool) -> f64 {
        let inside = posts.iter().filter(|&&at| {
            let of_week = (at + 3 * DAY_S).rem_euclid(7 * DAY_S);
            part((of_week / DAY_S) as usize, of_week % DAY_S / HOUR_S)
        });
        inside.count() as f64 / posts.len().max(1) as f64
    }

    #[test]
    fn patterns_are_listed_in_their_own_order() {
        for (index, pattern) in Pattern::ALL.into_iter().enumerate() {
            assert_eq!(pattern as usize, index);
        }
    }

    #[test]
    fn each_pattern_keeps_its_mean_rate() {
        let steady = Pattern::ALL
            .into_iter()
            .filter(|p| !matches!(p, Pattern::Growing | Pattern::Slowing | Pattern::Silent));
        for pattern in steady {
            let count = posts(pattern, 5.0, 700).len() as f64;
            assert!((3_100.0..3_900.0).contains(&count), "{pattern:?}: {count} posts instead of 3500");
        }
        assert_eq!(posts(Pattern::Silent, 5.0, 70).len(), 0);
    }

    #[test]
    fn each_pattern_posts_when_it_says() {
        let office = posts(Pattern::OfficeHours, 6.0, 280);
        assert!(share(&office, |weekday, hour| weekday < 5 && (8..19).contains(&hour)) > 0.9);
        let evening = posts(Pattern::Evenings, 6.0, 280);
        assert!(share(&evening, |_, hour| hour >= 18) > 0.8);
        assert_eq!(share(&posts(Pattern::Weekends, 6.0, 280), |weekday, _| weekday >= 5), 1.0);
        let batch = posts(Pattern::MorningBatch, 10.0, 280);
        assert_eq!(share(&batch, |weekday, hour| weekday < 5 && hour == 6), 1.0);
        let night = share(&posts(Pattern::AroundTheClock, 40.0, 70), |_, hour| hour < 6);
        assert!((0.1..0.25).contains(&night), "{night}");
    }

    #[test]
    fn bursts_come_close_together_and_trends_go_their_way() {
        let near = |posts: &[i64]| {
            posts.windows(2).filter(|pair| pair[1] - pair[0] < 1_800).count() as f64 / posts.len() as f64
        };
        let (bursts, office) = (posts(Pattern::Bursts, 3.0, 280), posts(Pattern::Evenings, 3.0, 280));
        assert!(near(&bursts) > 1.5 * near(&office), "{} against {}", near(&bursts), near(&office));
        let half =
            |posts: &[i64]| posts.iter().filter(|&&at| at < (18_267 + 60) * DAY_S).count() * 2 > posts.len();
        assert!(!half(&posts(Pattern::Growing, 3.0, 120)));
        assert!(half(&posts(Pattern::Slowing, 3.0, 120)));
    }
}
