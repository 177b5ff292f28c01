//! Which items of a document are new, which are edits, and what becomes of each. Pure.
//!
//! The rules are D3–D6: an edit keeps the item, a replayed archive does not become unread, sort dates are set once
//! and never lie in the future.

use domain::{DocumentItem, Timestamp};
use std::time::Duration;
use store::{ItemKind, Recognised};

const DAY: Duration = Duration::from_secs(86_400);
/// A first poll shows only this much of the past as unread, and at most so many items.
const FIRST_UNREAD_AGE: Duration = Duration::from_secs(14 * 86_400);
const FIRST_UNREAD_MAX: usize = 50;
/// When nothing of a first document is recent, this many are unread all the same: an empty page teaches nothing.
const FIRST_UNREAD_LEAST: usize = 3;
/// An item this much older than the last good poll would have been seen by it; more than a few such at once are a
/// replayed archive.
const REPLAY_AGE: Duration = Duration::from_secs(30 * 86_400);
const REPLAY_MIN: usize = 5;
/// After so many edits, one a day is enough.
const EDITS_FREE: u32 = 10;
/// A date before this is a default value somebody forgot (D6).
const EARLIEST: Timestamp = Timestamp::from_seconds(631_152_000); // 1990-01-01
/// Clock skew we accept (D5).
const FUTURE_MAX: Duration = Duration::from_secs(3600);

#[derive(Debug, Default)]
pub(crate) struct Sifted {
    pub(crate) writes: Vec<(DocumentItem, ItemKind)>,
    pub(crate) new_dates: Vec<Option<Timestamp>>,
    pub(crate) changed: u32,
}

/// `last_success` is `None` on the first good poll of a feed.
pub(crate) fn sift(
    items: Vec<DocumentItem>,
    recognised: &[Recognised],
    last_success: Option<Timestamp>,
    now: Timestamp,
) -> Sifted {
    let unread = unread(&items, recognised, last_success, now);
    let mut sifted = Sifted::default();
    for (index, (item, known)) in items.into_iter().zip(recognised).enumerate() {
        let kind = match known {
            Recognised::Tombstone => continue,
            Recognised::New => {
                sifted.new_dates.push(honest_date(&item));
                ItemKind::New { sort_at: sort_at(&item, now, index), unread: unread[index] }
            }
            Recognised::Twin { item: id, changed: false } => ItemKind::Renamed(*id),
            Recognised::Twin { item: id, changed: true } => {
                sifted.changed += 1;
                ItemKind::RenamedAndChanged(*id)
            }
            Recognised::Known { changed: false, .. } => continue,
            Recognised::Known { item: id, revision, revised_at, .. } => {
                let lately = revised_at.is_some_and(|last| now.since(last) < DAY);
                if *revision >= EDITS_FREE && lately {
                    continue;
                }
                sifted.changed += 1;
                ItemKind::Changed(*id)
            }
        };
        sifted.writes.push((item, kind));
    }
    sifted
}

/// A date that may be believed as the time of posting; forgotten defaults are none.
fn honest_date(item: &DocumentItem) -> Option<Timestamp> {
    item.published.or(item.updated).filter(|date| *date >= EARLIEST)
}

/// min(published, first seen + 1 h); without a date first seen, a microsecond apart so that document order stays.
fn sort_at(item: &DocumentItem, now: Timestamp, index: usize) -> Timestamp {
    let nth = now.saturating_sub(Duration::from_micros(index as u64));
    honest_date(item).map_or(nth, |date| date.min(now.saturating_add(FUTURE_MAX)))
}

fn unread(
    items: &[DocumentItem],
    recognised: &[Recognised],
    last_success: Option<Timestamp>,
    now: Timestamp,
) -> Vec<bool> {
    let Some(last_success) = last_success else { return first_unread(items, now) };
    let is_old = |item: &DocumentItem| {
        honest_date(item).is_some_and(|date| date.saturating_add(REPLAY_AGE) < last_success)
    };
    let old: Vec<bool> = items
        .iter()
        .zip(recognised)
        .map(|(item, known)| matches!(known, Recognised::New) && is_old(item))
        .collect();
    let is_replay = old.iter().filter(|old| **old).count() > REPLAY_MIN;
    old.into_iter().map(|old| !(is_replay && old)).collect()
}

fn first_unread(items: &[DocumentItem], now: Timestamp) -> Vec<bool> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(sort_at(&items[i], now, i)));
    let mut unread = vec![false; items.len()];
    for (rank, &i) in order.iter().enumerate() {
        let recent = now.since(sort_at(&items[i], now, i)) <= FIRST_UNREAD_AGE;
        unread[i] = (recent && rank < FIRST_UNREAD_MAX) || rank < FIRST_UNREAD_LEAST;
    }
    unread
}

#[cfg(test)]
mod tests;
