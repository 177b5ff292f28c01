//! How many public feeds used a key, day by day: what is usual, what is rising.
//!
//! Only feeds are counted, never readers, so that nothing tells who reads what.

use super::index::Window;
use super::postings::DAYS;
use std::collections::VecDeque;

/// Closed days that say what is usual.
pub const HISTORY_DAYS: usize = 28;

/// One closed day.
#[derive(Debug, Clone, Default)]
struct Day {
    /// That said anything.
    feeds: u32,
    /// Keys in order, with how many feeds used them.
    counts: Box<[(u32, u16)]>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    /// By key.
    today: Vec<u16>,
    /// By key, over the closed days of a week.
    week: Vec<u32>,
    /// By key, over all closed days.
    past: Vec<u32>,
    feeds_today: u32,
    /// Newest first.
    closed: VecDeque<Day>,
}

impl Counts {
    pub(crate) fn grow(&mut self, keys: usize) {
        self.today.resize(keys, 0);
        self.week.resize(keys, 0);
        self.past.resize(keys, 0);
    }

    /// A feed said its first thing today.
    pub(crate) fn spoke(&mut self) {
        self.feeds_today = self.feeds_today.saturating_add(1);
    }

    /// A feed used the key for the first time today.
    pub(crate) fn used(&mut self, key: u32) {
        let count = &mut self.today[key as usize];
        *count = count.saturating_add(1);
    }

    /// It did not after all.
    pub(crate) fn unused(&mut self, key: u32, age_days: usize) {
        if age_days == 0 {
            let count = &mut self.today[key as usize];
            *count = count.saturating_sub(1);
            return;
        }
        let Some(day) = self.closed.get_mut(age_days - 1) else { return };
        let Ok(place) = day.counts.binary_search_by_key(&key, |(key, _)| *key) else { return };
        if day.counts[place].1 > 0 {
            day.counts[place].1 -= 1;
            self.past[key as usize] -= 1;
            if age_days < DAYS {
                self.week[key as usize] -= 1;
            }
        }
    }

    /// Feeds said something on days that are closed: the keys by age, each as often as feeds used it, and one age for each
    /// feed that had said nothing then.
    pub(crate) fn late(&mut self, mut used: Vec<(usize, u32)>, spoke: impl Iterator<Item = usize>) {
        for age in spoke {
            if let Some(day) = age.checked_sub(1).and_then(|nth| self.closed.get_mut(nth)) {
                day.feeds = day.feeds.saturating_add(1);
            }
        }
        used.sort_unstable();
        let mut rest = used.as_slice();
        while let Some((age, _)) = rest.first().copied() {
            let own = rest.partition_point(|(other, _)| *other == age);
            let (new, later) = rest.split_at(own);
            rest = later;
            let Some(day) = age.checked_sub(1).and_then(|nth| self.closed.get_mut(nth)) else { continue };
            let mut counts: Vec<(u32, u16)> = Vec::with_capacity(day.counts.len() + new.len());
            let mut old = day.counts.iter().copied().peekable();
            for (_, key) in new {
                while let Some(one) = old.next_if(|one| one.0 <= *key) {
                    counts.push(one);
                }
                match counts.last_mut().filter(|last| last.0 == *key) {
                    Some(last) => last.1 = last.1.saturating_add(1),
                    None => counts.push((*key, 1)),
                }
                self.past[*key as usize] += 1;
                if age < DAYS {
                    self.week[*key as usize] += 1;
                }
            }
            counts.extend(old);
            day.counts = counts.into_boxed_slice();
        }
    }

    pub(crate) fn roll(&mut self) {
        let used = (0u32..).zip(&self.today).filter(|(_, count)| **count > 0);
        let counts: Box<[(u32, u16)]> = used.map(|(key, count)| (key, *count)).collect();
        for (key, count) in &counts {
            self.week[*key as usize] += u32::from(*count);
            self.past[*key as usize] += u32::from(*count);
        }
        self.today.fill(0);
        self.closed.push_front(Day { feeds: std::mem::take(&mut self.feeds_today), counts });
        if let Some(day) = self.closed.get(DAYS - 1) {
            day.counts.iter().for_each(|(key, count)| self.week[*key as usize] -= u32::from(*count));
        }
        if self.closed.len() > HISTORY_DAYS
            && let Some(day) = self.closed.pop_back()
        {
            day.counts.iter().for_each(|(key, count)| self.past[*key as usize] -= u32::from(*count));
        }
    }

    pub(crate) fn mark(&self, used: &mut [bool]) {
        used.iter_mut().zip(&self.past).for_each(|(used, past)| *used |= *past > 0);
        used.iter_mut().zip(&self.today).for_each(|(used, today)| *used |= *today > 0);
    }

    /// As `Postings::renumber`; keys without a number are gone.
    pub(crate) fn renumber(&mut self, numbers: &[u32], gone: u32) {
        fn kept<T: Copy>(values: &[T], numbers: &[u32], gone: u32) -> Vec<T> {
            values
                .iter()
                .zip(numbers)
                .filter(|(_, number)| **number != gone)
                .map(|(value, _)| *value)
                .collect()
        }
        self.today = kept(&self.today, numbers, gone);
        self.week = kept(&self.week, numbers, gone);
        self.past = kept(&self.past, numbers, gone);
        for day in &mut self.closed {
            let counts = day.counts.iter().map(|(key, count)| (numbers[*key as usize], *count));
            day.counts = counts.filter(|(key, _)| *key != gone).collect();
        }
    }

    /// Feeds a day, over the days of which something is known; none when there are none.
    pub(crate) fn usual(&self, key: u32) -> Option<f64> {
        let days = self.known_days();
        (days > 0).then(|| f64::from(self.past[key as usize]) / days as f64)
    }

    /// Closed days on which anybody said anything.
    pub(crate) fn known_days(&self) -> usize {
        self.closed.iter().filter(|day| day.feeds > 0).count()
    }

    /// Feeds that used it in the last 24 hours, as far as whole days tell: of yesterday its share.
    pub(crate) fn lately(&self, key: u32, window: Window) -> f64 {
        let today = f64::from(self.today[key as usize]);
        let Window::LastDay { gone_percent } = window else { return today };
        today + f64::from(self.on(key, 1)) * (1.0 - f64::from(gone_percent.min(100)) / 100.0)
    }

    fn on(&self, key: u32, age_days: usize) -> u16 {
        let Some(day) = age_days.checked_sub(1).and_then(|nth| self.closed.get(nth)) else { return 0 };
        day.counts.binary_search_by_key(&key, |(key, _)| *key).map_or(0, |place| day.counts[place].1)
    }

    /// Source-days of the past, all and those with the key.
    pub(crate) fn past(&self, key: u32) -> (u64, u64) {
        (self.past_days(), u64::from(self.past[key as usize]))
    }

    pub(crate) fn past_days(&self) -> u64 {
        self.closed.iter().map(|day| u64::from(day.feeds)).sum()
    }

    /// Source-days of the window with the key.
    pub(crate) fn within(&self, key: u32, window: Window) -> u64 {
        let week = match window {
            Window::Today => 0,
            Window::LastDay { .. } => u32::from(self.on(key, 1)),
            Window::Week => self.week[key as usize],
        };
        u64::from(self.today[key as usize]) + u64::from(week)
    }

    /// All source-days of the window.
    pub(crate) fn days_within(&self, window: Window) -> u64 {
        let closed = self.closed.iter().take(window.days() - 1).map(|day| u64::from(day.feeds));
        u64::from(self.feeds_today) + closed.sum::<u64>()
    }

    /// Keys and counts of one day, today being day 0.
    pub(crate) fn day(&self, age_days: usize) -> Box<dyn Iterator<Item = (u32, u16)> + '_> {
        match age_days.checked_sub(1) {
            None => Box::new((0u32..).zip(self.today.iter().copied())),
            Some(nth) => {
                Box::new(self.closed.get(nth).into_iter().flat_map(|day| day.counts.iter().copied()))
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.today.capacity() * 10 + self.closed.iter().map(|day| day.counts.len() * 8).sum::<usize>()
    }
}
