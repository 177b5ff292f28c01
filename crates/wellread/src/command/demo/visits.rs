//! What people do in the demo: they come at their hours, look down the list, open what they like, stay a while, star
//! and tag some of it, and say of a little that they want less like it.

use super::people::{Person, Reader};
use anyhow::Result;
use domain::interaction::{Access, Interaction, InteractionKind};
use domain::{FeedId, ItemId, Timestamp};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::time::Duration;
use store::{ListQuery, Mark, Order, Scope, Store, UpTo};

const DAY_S: i64 = 86_400;
/// What nobody has looked at for this long is given up: marked read as a whole.
const GIVEN_UP: Duration = Duration::from_secs(40 * 3_600);
const TAGS: [&str; 6] = ["to reread", "for the boat", "work", "recipes", "weekend", "send to Ada"];

/// The times at which a person comes between two moments, in order.
pub(super) fn visits(person: &Person, seed: u64, from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
    let mut visits = Vec::new();
    for day in from.seconds().div_euclid(DAY_S)..=to.seconds().div_euclid(DAY_S) {
        let dice =
            &mut Pcg64Mcg::seed_from_u64(seed ^ day.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15));
        // 1970-01-01 was a Thursday.
        let is_weekend = (day + 3).rem_euclid(7) >= 5;
        for &(hour, chance) in if is_weekend { person.weekends } else { person.weekdays } {
            let minute = dice.random_range(0..60);
            if dice.random_bool(chance) {
                visits.push(Timestamp::from_seconds(day * DAY_S + i64::from(hour) * 3_600 + minute * 60));
            }
        }
    }
    visits.retain(|at| *at > from && *at <= to);
    visits
}

/// A row as a person sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glimpse {
    pub(super) item: ItemId,
    pub(super) feed: FeedId,
    pub(super) words: u32,
}

impl Reader {
    /// One visit to the unread list.
    pub(super) async fn visit(&self, store: &Store, at: Timestamp) -> Result<()> {
        let query = ListQuery {
            scope: Scope::All,
            unread_only: true,
            order: Order::NewestFirst,
            limit: 60,
            after: None,
        };
        let rows = store.list(self.user, &query).await?;
        let glimpses: Vec<Glimpse> = rows
            .iter()
            .map(|row| Glimpse { item: row.item.id, feed: row.item.feed, words: row.item.preview.words })
            .collect();
        self.look(store, &glimpses, "unread", at).await?;
        let up_to = UpTo { sort_at: at.saturating_sub(GIVEN_UP), item: store.newest_item().await? };
        store.mark_all_read(self.user, &Scope::All, up_to, at).await?;
        Ok(())
    }

    /// Looks down a list and does what this person does.
    pub(super) async fn look(
        &self,
        store: &Store,
        rows: &[Glimpse],
        place: &str,
        at: Timestamp,
    ) -> Result<()> {
        let dice = &mut Pcg64Mcg::seed_from_u64(at.micros().unsigned_abs() ^ self.user.0.unsigned_abs());
        store.record_access(&Access { user: self.user, at, feed: None }).await?;
        let seen = rows.len().min(self.person.patience / 2 + dice.random_range(0..=self.person.patience / 2));
        let mut done = Done::default();
        let mut clock = at;
        for (position, row) in rows.iter().take(seen).enumerate() {
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            let mut tell = |kind, at, dwell_ms| {
                let place = place.to_owned();
                let (user, item, position) = (self.user, row.item, Some(position));
                done.told.push(Interaction { user, item, kind, at, place, position, dwell_ms });
            };
            tell(InteractionKind::Impression, clock, None);
            clock = clock.saturating_add(Duration::from_millis(dice.random_range(400..2_500)));
            // Rows further down get a little less.
            let keen = self.keen.get(&row.feed).copied().unwrap_or(0.1) / (1.0 + f64::from(position) / 40.0);
            if dice.random_bool(keen) {
                // Between a glance and the whole text at some 230 words a minute.
                let whole_ms = u64::from(row.words.max(60)) * 60_000 / 230;
                let dwell_ms = (whole_ms as f64 * dice.random_range(0.15..1.1)) as u64;
                tell(InteractionKind::Open, clock, Some(dwell_ms));
                clock = clock.saturating_add(Duration::from_millis(dwell_ms));
                done.opened.push(row.item);
                if dice.random_bool(0.12) {
                    tell(InteractionKind::Star, clock, None);
                    done.starred.push(row.item);
                }
                if dice.random_bool(0.06) {
                    tell(InteractionKind::Tag, clock, None);
                    done.tagged.push((row.item, TAGS[dice.random_range(0..TAGS.len())]));
                }
            } else if keen < 0.05 && dice.random_bool(0.012) {
                tell(InteractionKind::Hide, clock, None);
            }
        }
        self.keep(store, &done, clock).await
    }

    async fn keep(&self, store: &Store, done: &Done, at: Timestamp) -> Result<()> {
        store.record_interactions(&done.told).await?;
        store.mark(self.user, &done.opened, &Mark::Read, at).await?;
        store.mark(self.user, &done.starred, &Mark::Star, at).await?;
        if self.person.shares {
            for item in &done.starred {
                let note = NOTES[usize::try_from(item.0).unwrap_or_default() % NOTES.len()];
                store.share(self.user, *item, note, at).await?;
            }
        }
        for (item, tag) in &done.tagged {
            store.mark(self.user, &[*item], &Mark::Tag((*tag).to_owned()), at).await?;
        }
        Ok(())
    }
}

/// What is said to friends about an item.
const NOTES: [&str; 4] =
    ["The part about delays is worth it.", "", "Short, and not what I expected.", "For the weekend?"];

#[derive(Default)]
struct Done {
    told: Vec<Interaction>,
    opened: Vec<ItemId>,
    starred: Vec<ItemId>,
    tagged: Vec<(ItemId, &'static str)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::demo::people::MIRA;

    #[test]
    fn people_come_at_their_hours_and_the_same_times_again_for_the_same_seed() {
        let from = Timestamp::from_seconds(1_790_000_000);
        let to = from.saturating_add(Duration::from_secs(14 * 86_400));
        let times = visits(&MIRA, 7, from, to);
        assert_eq!(times, visits(&MIRA, 7, from, to));
        assert!((20..50).contains(&times.len()), "{}", times.len());
        assert!(times.iter().all(|at| *at > from && *at <= to));
        let hours: Vec<i64> = times.iter().map(|at| at.seconds().rem_euclid(DAY_S) / 3_600).collect();
        assert!(hours.iter().all(|hour| ![1, 2, 3, 4].contains(hour)), "people sleep");
    }
}
