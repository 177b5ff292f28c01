//! Which item said what and when: for pictures over time, for the items behind a word, and to take back what an edited item
//! no longer says.
//!
//! Four bytes a mention, of the days that count. It is never larger than the references are: what is oldest goes first, and
//! with it only the pictures and the items of that day, not what was counted.

use super::names::GONE;
use super::postings::DAYS;
use domain::ItemId;
use std::collections::VecDeque;

/// Mentions that are kept in any case, 4 MB.
const MENTIONS_MIN: usize = 1 << 20;

/// One item and where its keys stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noted {
    pub(crate) item: ItemId,
    pub(crate) place: u32,
    /// Of its day.
    pub(crate) second: u32,
    start: u32,
    count: u16,
}

#[derive(Debug, Clone, Default)]
struct Day {
    /// In the order of their numbers: items come in that order, whichever day they belong to.
    items: Vec<Noted>,
    keys: Vec<u32>,
}

impl Day {
    fn find(&self, item: ItemId) -> Option<usize> {
        self.items.binary_search_by_key(&item, |noted| noted.item).ok()
    }

    fn keys(&self, noted: &Noted) -> &[u32] {
        self.keys.get(noted.start as usize..).and_then(|keys| keys.get(..noted.count.into())).unwrap_or(&[])
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Log {
    /// Today first.
    days: VecDeque<Day>,
}

impl Default for Log {
    fn default() -> Self {
        Log { days: (0..DAYS).map(|_| Day::default()).collect() }
    }
}

impl Log {
    /// Adds an item, or says what it says now. Numbers that are lower than what was seen are of no use any more.
    pub(crate) fn note(&mut self, item: ItemId, place: u32, age_days: usize, second: u32, keys: &[u32]) {
        let Some(day) = self.days.get_mut(age_days) else { return };
        let (Ok(start), Ok(count)) = (u32::try_from(day.keys.len()), u16::try_from(keys.len())) else {
            return;
        };
        let noted = Noted { item, place, second, start, count };
        match day.find(item) {
            Some(nth) => day.items[nth] = noted,
            None if day.items.last().is_none_or(|last| last.item < item) => day.items.push(noted),
            None => return,
        }
        day.keys.extend_from_slice(keys);
    }

    /// The day of an item, and what it says.
    pub(crate) fn find(&self, item: ItemId) -> Option<(usize, Noted, Vec<u32>)> {
        self.days.iter().enumerate().find_map(|(age, day)| {
            let noted = day.items[day.find(item)?];
            Some((age, noted, day.keys(&noted).to_vec()))
        })
    }

    pub(crate) fn forget_item(&mut self, item: ItemId) {
        for day in &mut self.days {
            if let Some(nth) = day.find(item) {
                day.items.remove(nth);
            }
        }
    }

    pub(crate) fn forget_feed(&mut self, place: u32) {
        self.days.iter_mut().for_each(|day| day.items.retain(|noted| noted.place != place));
    }

    /// Whether another item of the feed says it on that day.
    pub(crate) fn others_say(&self, item: ItemId, place: u32, age_days: usize, key: u32) -> bool {
        self.day(age_days)
            .any(|(noted, keys)| noted.place == place && noted.item != item && keys.contains(&key))
    }

    /// The items of a day with their keys.
    pub(crate) fn day(&self, age_days: usize) -> impl Iterator<Item = (&Noted, &[u32])> {
        self.days
            .get(age_days)
            .into_iter()
            .flat_map(|day| day.items.iter().map(|noted| (noted, day.keys(noted))))
    }

    pub(crate) fn roll(&mut self) {
        self.days.pop_back();
        self.days.push_front(Day::default());
        if let Some(yesterday) = self.days.get_mut(1) {
            yesterday.items.shrink_to_fit();
            yesterday.keys.shrink_to_fit();
        }
    }

    /// As `Postings::renumber`. What has no number any more is nobody's.
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        for key in self.days.iter_mut().flat_map(|day| &mut day.keys) {
            *key = numbers.get(*key as usize).copied().unwrap_or(GONE);
        }
    }

    pub(crate) fn mark(&self, used: &mut [bool]) {
        for day in &self.days {
            for noted in &day.items {
                day.keys(noted).iter().for_each(|key| used[*key as usize] = true);
            }
        }
    }

    /// Keeps at most `mentions`, and never fewer than a small server has.
    pub(crate) fn shrink(&mut self, mentions: usize) {
        let mut all: usize = self.days.iter().map(|day| day.keys.len()).sum();
        for day in self.days.iter_mut().rev() {
            if all <= mentions.max(MENTIONS_MIN) {
                return;
            }
            all -= day.keys.len();
            *day = Day::default();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let bytes = |day: &Day| day.items.capacity() * size_of::<Noted>() + day.keys.capacity() * 4;
        self.days.iter().map(bytes).sum()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests count small things")]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_changed_and_forgotten() {
        let mut log = Log::default();
        log.note(ItemId(3), 0, 0, 60, &[1, 2]);
        log.note(ItemId(4), 1, 2, 70, &[2]);
        log.note(ItemId(5), 0, 0, 80, &[2, 9]);
        assert_eq!(
            log.find(ItemId(4)).map(|(age, noted, keys)| (age, noted.place, keys)),
            Some((2, 1, vec![2]))
        );
        assert!(log.others_say(ItemId(3), 0, 0, 2) && !log.others_say(ItemId(3), 0, 0, 1));
        log.note(ItemId(3), 0, 0, 60, &[7]);
        assert_eq!(log.find(ItemId(3)).unwrap().2, [7]);
        log.forget_feed(0);
        assert!(log.find(ItemId(5)).is_none() && log.find(ItemId(4)).is_some());
        log.forget_item(ItemId(4));
        assert_eq!((0..DAYS).map(|age| log.day(age).count()).sum::<usize>(), 0);
    }

    #[test]
    fn the_oldest_days_go_first_when_there_is_no_room() {
        let mut log = Log::default();
        let long = vec![0; 60_000];
        for nth in 0..20 {
            log.note(ItemId(nth), 0, usize::from(nth < 10) * 5, 0, &long);
        }
        log.shrink(0);
        assert_eq!((log.day(5).count(), log.day(0).count()), (0, 10));
        assert!(log.bytes() < 8 << 20);
    }
}
