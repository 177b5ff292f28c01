//! The exact index: for each feed and day which keys it refers to and how loudly, summed over a person's feeds on demand.
//!
//! Eight bytes a reference. Today's references are in small lists that grow; at midnight they are packed behind those of
//! the days before, all days of a feed side by side, newest first, so that asking touches two places per feed. Feeds are
//! packed in groups, so that a night needs little memory beside what is there.
//!
//! Asking adds up every reference of every feed asked for. Stopping early costs more than it saves: keeping sorted lists
//! and jumping between them is slower than adding (reference 2.3).

use super::score::{decay, loudness, times};
use std::collections::HashMap;

/// Today and the days that are still there: a week of whole ones.
pub const DAYS: usize = CLOSED + 1;
const CLOSED: usize = 7;
/// Feeds that one question may name, the first ones. Source-days then fit sixteen bits.
pub const SUBSCRIPTIONS_MAX: usize = u16::MAX as usize / DAYS;
const GROUP_FEEDS: usize = 1_024;
/// Feeds whose references are fetched side by side.
const AHEAD: usize = 16;
/// Longer lists of today are found in by a hash.
const LINEAR_MAX: usize = 64;
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Entry {
    key: u32,
    loudness: f32,
}

/// The references of the closed days of some feeds.
#[derive(Debug, Clone, Default)]
struct Group {
    /// Where each day of each feed begins, newest day first, and the end of the last.
    starts: Box<[u32]>,
    entries: Box<[Entry]>,
}

/// What a feed says today, in the order it came.
#[derive(Debug, Clone, Default)]
struct Open {
    feed: u32,
    entries: Vec<Entry>,
    places: HashMap<u32, u32>,
}

impl Open {
    fn place(&self, key: u32) -> Option<usize> {
        if self.entries.len() <= LINEAR_MAX {
            self.entries.iter().position(|entry| entry.key == key)
        } else {
            self.places.get(&key).map(|place| *place as usize)
        }
    }

    fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
        let place = |at: usize| u32::try_from(at).unwrap_or(NONE);
        if self.entries.len() == LINEAR_MAX + 1 {
            self.places = (0..).zip(&self.entries).map(|(at, entry)| (entry.key, at)).collect();
        } else if self.entries.len() > LINEAR_MAX {
            self.places.insert(entry.key, place(self.entries.len() - 1));
        }
    }
}

/// A subscription: which feed, how much it counts, and which site it is of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Follow {
    pub feed: u32,
    pub weight: f32,
    /// Feeds of one site are one source. Subscriptions of one site stand next to each other.
    pub site: u32,
}

/// Which days count, and whether older ones count less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Today is the first.
    pub days: usize,
    pub fading: bool,
}

/// How a reference changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Appeared,
    Stayed,
    Vanished,
    /// No such reference, and none was made.
    Nothing,
}

/// Something said on a day that is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Late {
    pub(crate) feed: u32,
    pub(crate) age_days: usize,
    pub(crate) key: u32,
    pub(crate) times: u32,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) appeared: Vec<(u32, usize, u32)>,
    pub(crate) spoke: Vec<(u32, usize)>,
}

/// Feeds × days × keys.
#[derive(Debug, Clone, Default)]
pub struct Postings {
    groups: Vec<Group>,
    /// For each feed its list of today, or none.
    open_of: Vec<u32>,
    open: Vec<Open>,
    references: usize,
    /// One more than the highest key.
    keys: usize,
}

impl Postings {
    pub fn feeds(&self) -> usize {
        self.open_of.len()
    }

    /// References of all days.
    pub fn references(&self) -> usize {
        self.references
    }

    /// The number of another feed.
    pub fn add_feed(&mut self) -> u32 {
        let feed = self.open_of.len();
        self.open_of.push(NONE);
        if feed.is_multiple_of(GROUP_FEEDS) {
            let starts = vec![0; GROUP_FEEDS * CLOSED + 1].into_boxed_slice();
            self.groups.push(Group { starts, entries: Box::default() });
        }
        u32::try_from(feed).unwrap_or(NONE)
    }

    /// References of one feed today.
    pub fn said_today(&self, feed: u32) -> usize {
        self.today(feed).map_or(0, <[Entry]>::len)
    }

    fn today(&self, feed: u32) -> Option<&[Entry]> {
        let open = *self.open_of.get(feed as usize)?;
        Some(&self.open.get(open as usize)?.entries)
    }

    /// Changes one reference of today from how loud it is, zero when it is not there.
    pub fn change(&mut self, feed: u32, key: u32, louder: impl FnOnce(f32) -> f32) -> Change {
        let Some(open_of) = self.open_of.get_mut(feed as usize) else { return Change::Nothing };
        if *open_of == NONE {
            *open_of = u32::try_from(self.open.len()).unwrap_or(NONE);
            self.open.push(Open { feed, ..Open::default() });
        }
        let open = &mut self.open[*open_of as usize];
        self.keys = self.keys.max(key as usize + 1);
        match open.place(key) {
            Some(place) => changed(&mut open.entries[place], louder),
            None => {
                let mut entry = Entry { key, loudness: 0.0 };
                let change = changed(&mut entry, louder);
                if change == Change::Appeared {
                    open.push(entry);
                    self.references += 1;
                }
                change
            }
        }
    }

    /// Changes one reference of an earlier day, if it is there: what was not said then is not said then now.
    pub fn change_before(
        &mut self,
        feed: u32,
        age_days: usize,
        key: u32,
        louder: impl FnOnce(f32) -> f32,
    ) -> Change {
        if age_days == 0 || age_days > CLOSED || feed as usize >= self.open_of.len() {
            return Change::Nothing;
        }
        let group = &mut self.groups[feed as usize / GROUP_FEEDS];
        let first = feed as usize % GROUP_FEEDS * CLOSED + age_days - 1;
        let day = group.starts[first] as usize..group.starts[first + 1] as usize;
        let day = &mut group.entries[day];
        match day.binary_search_by_key(&key, |entry| entry.key) {
            Ok(place) if day[place].loudness > 0.0 => changed(&mut day[place], louder),
            _ => Change::Nothing,
        }
    }

    /// Adds what was said on days that are closed. Tells which references are new, by feed, age and key, and which feeds had
    /// said nothing on a day before.
    pub(crate) fn merge(&mut self, late: &mut Vec<Late>, day_references_max: usize) -> Merged {
        let mut merged = Merged::default();
        late.retain(|one| (1..=CLOSED).contains(&one.age_days) && (one.feed as usize) < self.open_of.len());
        late.sort_unstable_by_key(|one| (one.feed, one.age_days, one.key));
        late.dedup_by(|next, one| {
            let same = (next.feed, next.age_days, next.key) == (one.feed, one.age_days, one.key);
            if same {
                one.times = one.times.saturating_add(next.times);
            }
            same
        });
        self.keys = late.iter().map(|one| one.key as usize + 1).fold(self.keys, usize::max);
        let mut rest = late.as_slice();
        while let Some(first) = rest.first() {
            let nth = first.feed as usize / GROUP_FEEDS;
            let own = rest.partition_point(|one| one.feed as usize / GROUP_FEEDS == nth);
            let group = self.merged(nth, &rest[..own], day_references_max, &mut merged);
            self.references = self.references + group.entries.len() - self.groups[nth].entries.len();
            self.groups[nth] = group;
            rest = &rest[own..];
        }
        late.clear();
        merged
    }

    /// One group with what came late, which is in order.
    fn merged(&self, nth: usize, mut late: &[Late], day_max: usize, merged: &mut Merged) -> Group {
        let old = &self.groups[nth];
        let mut starts = Vec::with_capacity(old.starts.len());
        let mut entries = Vec::with_capacity(old.entries.len() + late.len());
        for place in 0..GROUP_FEEDS {
            let feed = u32::try_from(nth * GROUP_FEEDS + place).unwrap_or(NONE);
            for age in 1..=CLOSED {
                starts.push(start(&entries));
                let own = late.partition_point(|one| (one.feed, one.age_days) <= (feed, age));
                let (new, rest) = late.split_at(own);
                late = rest;
                let day = self.day(feed, age);
                let mut room = day_max.saturating_sub(day.len());
                let mut day = day.iter().peekable();
                if !new.is_empty() && day.peek().is_none() {
                    merged.spoke.push((feed, age));
                }
                for one in new {
                    while let Some(entry) = day.next_if(|entry| entry.key < one.key) {
                        entries.push(*entry);
                    }
                    let there = day.next_if(|entry| entry.key == one.key);
                    if there.is_none() && room == 0 {
                        continue;
                    }
                    room -= usize::from(there.is_none());
                    let before = there.map_or(0.0, |entry| entry.loudness);
                    if before <= 0.0 {
                        merged.appeared.push((feed, age, one.key));
                    }
                    let loudness = loudness(times(before).saturating_add(one.times));
                    entries.push(Entry { key: one.key, loudness });
                }
                entries.extend(day);
            }
        }
        starts.push(start(&entries));
        Group { starts: starts.into_boxed_slice(), entries: entries.into_boxed_slice() }
    }

    /// All that a feed said, by day and key: today is day 0.
    pub fn said(&self, feed: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let today = self.today(feed).unwrap_or_default().iter().map(|entry| (0, entry));
        let before = (1..DAYS).flat_map(move |age| self.day(feed, age).iter().map(move |entry| (age, entry)));
        today.chain(before).filter(|(_, entry)| entry.loudness > 0.0).map(|(age, entry)| (age, entry.key))
    }

    fn day(&self, feed: u32, age_days: usize) -> &[Entry] {
        let Some(group) = self.groups.get(feed as usize / GROUP_FEEDS) else { return &[] };
        let first = feed as usize % GROUP_FEEDS * CLOSED + age_days - 1;
        &group.entries[group.starts[first] as usize..group.starts[first + 1] as usize]
    }

    /// Forgets all that a feed said.
    pub fn clear(&mut self, feed: u32) {
        if let Some(open) = self.open_of.get(feed as usize).and_then(|open| self.open.get_mut(*open as usize))
        {
            open.entries.iter_mut().for_each(|entry| entry.loudness = 0.0);
        }
        if let Some(group) = self.groups.get_mut(feed as usize / GROUP_FEEDS) {
            let first = feed as usize % GROUP_FEEDS * CLOSED;
            let all = group.starts[first] as usize..group.starts[first + CLOSED] as usize;
            group.entries[all].iter_mut().for_each(|entry| entry.loudness = 0.0);
        }
    }

    /// Midnight: today becomes yesterday, the oldest day goes.
    pub fn roll(&mut self) {
        self.open.iter_mut().for_each(|open| {
            open.entries.retain(|entry| entry.loudness > 0.0);
            open.entries.sort_unstable_by_key(|entry| entry.key);
        });
        self.references = 0;
        for nth in 0..self.groups.len() {
            let group = self.rolled(nth);
            self.references += group.entries.len();
            self.groups[nth] = group;
        }
        self.open.drain(..).for_each(|open| self.open_of[open.feed as usize] = NONE);
        self.open.shrink_to_fit();
    }

    fn rolled(&self, nth: usize) -> Group {
        let old = &self.groups[nth];
        let mut starts = Vec::with_capacity(old.starts.len());
        let mut entries = Vec::with_capacity(old.entries.len());
        for place in 0..GROUP_FEEDS {
            starts.push(start(&entries));
            let feed = u32::try_from(nth * GROUP_FEEDS + place).unwrap_or(NONE);
            entries.extend_from_slice(self.today(feed).unwrap_or_default());
            for age in 1..CLOSED {
                starts.push(start(&entries));
                entries.extend(self.day(feed, age).iter().filter(|entry| entry.loudness > 0.0));
            }
        }
        starts.push(start(&entries));
        Group { starts: starts.into_boxed_slice(), entries: entries.into_boxed_slice() }
    }

    /// Which keys are referred to.
    pub fn mark(&self, used: &mut [bool]) {
        let closed = self.groups.iter().flat_map(|group| group.entries.iter());
        let today = self.open.iter().flat_map(|open| &open.entries);
        closed.chain(today).for_each(|entry| used[entry.key as usize] = true);
    }

    /// Gives keys new numbers, in the same order, just after midnight.
    pub fn renumber(&mut self, numbers: &[u32]) {
        self.keys = numbers.iter().filter(|number| **number != NONE).count();
        for group in &mut self.groups {
            group.entries.iter_mut().for_each(|entry| entry.key = numbers[entry.key as usize]);
        }
        for open in &mut self.open {
            open.entries.iter_mut().for_each(|entry| entry.key = numbers[entry.key as usize]);
            open.places = open.places.drain().map(|(key, place)| (numbers[key as usize], place)).collect();
        }
    }

    /// R_u of eq. 4.1, exactly. Of more than [`SUBSCRIPTIONS_MAX`] the first count.
    pub fn sum(&self, follows: &[Follow], span: Span, sums: &mut Sums) {
        let weights = span.fading.then(|| std::array::from_fn(decay));
        self.sum_by(follows, span.days, weights, sums);
    }

    /// The same with what each day counts, or all days alike.
    pub(crate) fn sum_by(
        &self,
        follows: &[Follow],
        days: usize,
        weights: Option<[f32; DAYS]>,
        sums: &mut Sums,
    ) {
        sums.begin(self.keys);
        let days = days.clamp(1, DAYS);
        // First where each feed's references lie, then they themselves: looking up one place does not wait for another.
        let mut places = std::mem::take(&mut sums.places);
        places.clear();
        places.extend(follows.iter().take(SUBSCRIPTIONS_MAX).filter_map(|follow| self.place(follow, days)));
        let mut site = None;
        for (nth, place) in places.iter().enumerate() {
            if nth.is_multiple_of(AHEAD) {
                self.glance(&places[nth..]);
            }
            if site.replace(place.site) != Some(place.site) {
                sums.source += 1;
            }
            if let Some(open) = self.open.get(place.open as usize) {
                sums.spoke(usize::from(!open.entries.is_empty()));
                sums.add(&open.entries, place.weight);
            }
            let group = &self.groups[place.group as usize];
            let starts = &group.starts[place.first as usize..][..days];
            if let Some(weights) = &weights {
                for (starts, weight) in starts.windows(2).zip(&weights[1..]) {
                    let day = &group.entries[starts[0] as usize..starts[1] as usize];
                    sums.add(day, place.weight * weight);
                }
            } else {
                sums.add(&group.entries[place.begin as usize..place.end as usize], place.weight);
            }
            sums.spoke(starts.windows(2).filter(|starts| starts[0] < starts[1]).count());
        }
        sums.places = places;
    }

    /// Looks at where the next feeds begin, so that memory fetches them side by side.
    fn glance(&self, next: &[Place]) {
        let first = |place: &Place| {
            let entries = &self.groups[place.group as usize].entries;
            entries.get(place.begin as usize).map_or(0, |entry| entry.key)
        };
        std::hint::black_box(next.iter().take(AHEAD).map(first).fold(0, |all, key| all ^ key));
    }

    fn place(&self, follow: &Follow, days: usize) -> Option<Place> {
        let feed = follow.feed as usize;
        let open = *self.open_of.get(feed)?;
        if !(follow.weight > 0.0 && follow.weight.is_finite()) {
            return None;
        }
        let (group, first) = (feed / GROUP_FEEDS, feed % GROUP_FEEDS * CLOSED);
        let starts = &self.groups[group].starts;
        let (begin, end) = (starts[first], starts[first + days - 1]);
        let (group, first) = (group as u32, first as u32);
        Some(Place { weight: follow.weight, site: follow.site, open, group, first, begin, end })
    }

    /// What the index holds on to, in bytes.
    pub fn bytes(&self) -> usize {
        let entry = size_of::<Entry>();
        let closed = self.groups.iter().map(|group| group.starts.len() * 4 + group.entries.len() * entry);
        let open = self
            .open
            .iter()
            .map(|open| size_of::<Open>() + open.entries.capacity() * entry + open.places.capacity() * 9);
        closed.sum::<usize>() + open.sum::<usize>() + self.open_of.capacity() * 4
    }
}

fn start(entries: &[Entry]) -> u32 {
    u32::try_from(entries.len()).unwrap_or(NONE)
}

fn changed(entry: &mut Entry, louder: impl FnOnce(f32) -> f32) -> Change {
    let before = entry.loudness;
    let now = louder(before);
    entry.loudness = if now > 0.0 && now.is_finite() { now } else { 0.0 };
    match (before > 0.0, entry.loudness > 0.0) {
        (false, true) => Change::Appeared,
        (true, false) => Change::Vanished,
        (true, true) => Change::Stayed,
        (false, false) => Change::Nothing,
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    sum: f32,
    /// The last source that touched it; zero when none did.
    source: u32,
    days: u16,
    sources: u16,
}

/// Where the references of one feed lie.
#[derive(Debug, Clone, Copy)]
struct Place {
    weight: f32,
    site: u32,
    open: u32,
    group: u32,
    /// Of the group's starts.
    first: u32,
    begin: u32,
    end: u32,
}

/// The sums of one question by key; used again by the next, at the cost of what was touched.
#[derive(Debug, Clone, Default)]
pub struct Sums {
    cells: Vec<Cell>,
    /// Keys that were touched, `count` of them, and room for one more than there are.
    touched: Vec<u32>,
    count: usize,
    source: u32,
    days: u32,
    places: Vec<Place>,
}

impl Sums {
    /// Nothing yet, for keys below `keys`.
    pub(crate) fn begin(&mut self, keys: usize) {
        for key in &self.touched[..self.count] {
            self.cells[*key as usize] = Cell::default();
        }
        if self.cells.len() < keys || self.touched.is_empty() {
            self.cells.resize(keys, Cell::default());
            self.touched.resize(keys + 1, 0);
        }
        (self.count, self.source, self.days) = (0, 0, 0);
    }

    /// So many days on which a feed said something.
    fn spoke(&mut self, days: usize) {
        self.days += days as u32;
    }

    fn add(&mut self, day: &[Entry], weight: f32) {
        let source = self.source;
        for entry in day.iter().filter(|entry| entry.loudness > 0.0) {
            let cell = &mut self.cells[entry.key as usize];
            // Written always and counted once, which is cheaper than a guess that is often wrong.
            self.touched[self.count] = entry.key;
            self.count += usize::from(cell.source == 0);
            cell.sum += weight * entry.loudness;
            cell.days += 1;
            cell.sources += u16::from(cell.source != source);
            cell.source = source;
        }
    }

    /// What all feeds said on one day, where only how many said it is known.
    pub(crate) fn add_counts(&mut self, counts: impl Iterator<Item = (u32, u16)>, weight: f32) {
        self.source = 1;
        for (key, count) in counts.filter(|(_, count)| *count > 0) {
            let cell = &mut self.cells[key as usize];
            self.touched[self.count] = key;
            self.count += usize::from(cell.source == 0);
            cell.sum += weight * f32::from(count);
            cell.days = cell.days.saturating_add(count);
            cell.sources = cell.sources.max(count);
            cell.source = 1;
        }
    }

    /// Keys that were referred to at all, in no order.
    pub fn keys(&self) -> &[u32] {
        &self.touched[..self.count]
    }

    pub fn score(&self, key: u32) -> f32 {
        self.cells.get(key as usize).map_or(0.0, |cell| cell.sum)
    }

    /// How many of the sources refer to it.
    pub fn sources(&self, key: u32) -> u16 {
        self.cells.get(key as usize).map_or(0, |cell| cell.sources)
    }

    /// On how many days, over all feeds.
    pub fn days(&self, key: u32) -> u16 {
        self.cells.get(key as usize).map_or(0, |cell| cell.days)
    }

    /// Days on which a feed of these said anything, over all feeds.
    pub fn source_days(&self) -> u32 {
        self.days
    }

    /// The keys with the highest sums; of equals the lower key.
    pub fn top(&self, count: usize) -> Vec<super::Ranked> {
        let mut top = super::Top::new(count);
        self.keys().iter().for_each(|key| top.offer(*key, f64::from(self.cells[*key as usize].sum)));
        top.into_vec()
    }
}

#[cfg(test)]
mod tests;
