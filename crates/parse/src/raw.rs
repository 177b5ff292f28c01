//! A document as it was written: fields found and bounded, nothing interpreted yet.
//!
//! The XML walker and the JSON reader both fill these values; `finish` turns them into the domain's. Where several
//! elements can fill a field, each offer carries a rank and the first of the highest rank wins.

use domain::{Format, Limits, Timestamp};
use std::rc::Rc;
use url::Url;

/// The `xml:base` in force where a value stood.
pub(crate) type Base = Option<Rc<Url>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Characters that mean themselves.
    Text,
    Html,
    /// RSS never said which: HTML if it looks like HTML.
    Either,
}

#[derive(Debug, Clone)]
pub(crate) struct RawText {
    pub(crate) text: String,
    pub(crate) kind: Kind,
    pub(crate) base: Base,
}

#[derive(Debug, Clone)]
pub(crate) struct RawLink {
    pub(crate) href: String,
    pub(crate) base: Base,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct RawEnclosure {
    pub(crate) href: String,
    pub(crate) base: Base,
    pub(crate) media_type: Option<String>,
    pub(crate) bytes: Option<u64>,
    pub(crate) seconds: Option<u64>,
}

/// The best offer so far.
#[derive(Debug, Clone)]
pub(crate) struct Ranked<T>(Option<(u8, T)>);

impl<T> Default for Ranked<T> {
    fn default() -> Self {
        Ranked(None)
    }
}

impl<T> Ranked<T> {
    pub(crate) fn offer(&mut self, rank: u8, value: T) {
        if self.0.as_ref().is_none_or(|(held, _)| rank > *held) {
            self.0 = Some((rank, value));
        }
    }

    /// For fields where the last of equal rank counts.
    pub(crate) fn replace(&mut self, rank: u8, value: T) {
        if self.0.as_ref().is_none_or(|(held, _)| rank >= *held) {
            self.0 = Some((rank, value));
        }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }

    pub(crate) fn take(self) -> Option<T> {
        self.0.map(|(_, value)| value)
    }
}

impl Ranked<Vec<String>> {
    /// Names of equal rank stand side by side, each once.
    pub(crate) fn add(&mut self, rank: u8, name: String) {
        match &mut self.0 {
            Some((held, names)) if *held == rank => {
                if names.len() < 16 && !names.contains(&name) {
                    names.push(name);
                }
            }
            _ => self.offer(rank, vec![name]),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct RawItem {
    /// Its place in the document, from 1.
    pub(crate) number: usize,
    pub(crate) guid: Option<String>,
    /// What a guid that is a permanent link points to.
    pub(crate) permalink: Option<RawLink>,
    pub(crate) title: Ranked<RawText>,
    pub(crate) link: Ranked<RawLink>,
    pub(crate) authors: Ranked<Vec<String>>,
    pub(crate) published: Ranked<Timestamp>,
    pub(crate) updated: Ranked<Timestamp>,
    pub(crate) summary: Ranked<RawText>,
    /// A second text beside the summary: it may turn out to be the fuller one.
    pub(crate) fuller: Option<RawText>,
    pub(crate) content: Ranked<RawText>,
    pub(crate) language: Option<String>,
    pub(crate) tags: Vec<RawText>,
    pub(crate) enclosures: Vec<RawEnclosure>,
    pub(crate) seconds: Option<u64>,
}

impl RawItem {
    /// The date items are ordered by.
    pub(crate) fn date(&self) -> Option<Timestamp> {
        self.published.get().or(self.updated.get()).copied()
    }
}

#[derive(Debug, Default)]
pub(crate) struct RawDocument {
    pub(crate) format: Option<Format>,
    pub(crate) title: Ranked<RawText>,
    pub(crate) link: Ranked<RawLink>,
    pub(crate) self_link: Option<RawLink>,
    pub(crate) description: Ranked<RawText>,
    pub(crate) language: Option<String>,
    pub(crate) authors: Ranked<Vec<String>>,
    pub(crate) rights: Ranked<RawText>,
    pub(crate) icon: Ranked<RawLink>,
    pub(crate) updated: Ranked<Timestamp>,
    pub(crate) ttl_minutes: Option<u32>,
    pub(crate) skip_hours: Vec<u8>,
    pub(crate) skip_days: Vec<u8>,
    pub(crate) update_period_s: Option<u64>,
    pub(crate) update_frequency: Option<u64>,
    pub(crate) hubs: Vec<RawLink>,
    pub(crate) items: Items,
    pub(crate) truncated: bool,
}

/// Items as they arrive, pruned on the way: a document of a million items must not be held whole.
#[derive(Debug)]
pub(crate) struct Items {
    list: Vec<RawItem>,
    max: usize,
    all_dated: bool,
    pub(crate) seen: usize,
}

impl Default for Items {
    fn default() -> Self {
        Items { list: Vec::new(), max: Limits::default().items_max, all_dated: true, seen: 0 }
    }
}

impl Items {
    pub(crate) fn new(limits: &Limits) -> Self {
        Items { max: limits.items_max, ..Items::default() }
    }

    pub(crate) fn push(&mut self, item: RawItem) {
        self.seen += 1;
        self.all_dated &= item.date().is_some();
        self.list.push(item);
        if self.list.len() > self.max.saturating_mul(4).max(16) {
            self.prune();
        }
    }

    /// Keeps what either rule could still ask for: the first `max`, and the newest `max` of the others.
    fn prune(&mut self) {
        let mut later = self.list.split_off(self.max.min(self.list.len()));
        if self.all_dated {
            later.sort_by_key(|item| (std::cmp::Reverse(item.date()), item.number));
            later.truncate(self.max);
            later.sort_by_key(|item| item.number);
            self.list.append(&mut later);
        }
    }

    /// The newest `max` where all carry dates, else the first `max`; in the document's order.
    pub(crate) fn newest(self) -> Vec<RawItem> {
        let mut list = self.list;
        if self.all_dated && list.len() > self.max {
            list.sort_by_key(|item| (std::cmp::Reverse(item.date()), item.number));
        }
        list.truncate(self.max);
        list.sort_by_key(|item| item.number);
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dated(number: usize, seconds: i64) -> RawItem {
        let mut item = RawItem { number, ..RawItem::default() };
        item.published.offer(1, Timestamp::from_seconds(seconds));
        item
    }

    fn age(number: usize) -> i64 {
        i64::try_from(number).unwrap_or(0)
    }

    fn numbers(limits: &Limits, items: impl Iterator<Item = RawItem>) -> Vec<usize> {
        let mut kept = Items::new(limits);
        items.for_each(|item| kept.push(item));
        kept.newest().iter().map(|item| item.number).collect()
    }

    #[test]
    fn p5_the_newest_are_kept_wherever_they_stand() {
        let limits = Limits { items_max: 3, ..Limits::default() };
        let oldest_first = (0..1000).map(|n| dated(n, age(n)));
        assert_eq!(numbers(&limits, oldest_first), [997, 998, 999]);
        let newest_first = (0..1000).map(|n| dated(n, -age(n)));
        assert_eq!(numbers(&limits, newest_first), [0, 1, 2]);
    }

    #[test]
    fn p5_one_item_without_a_date_makes_the_documents_order_count() {
        let limits = Limits { items_max: 3, ..Limits::default() };
        let items = (0..1000)
            .map(|n| if n == 500 { RawItem { number: n, ..RawItem::default() } } else { dated(n, age(n)) });
        assert_eq!(numbers(&limits, items), [0, 1, 2]);
    }
}
