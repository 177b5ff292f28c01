//! The months before: older history, filled in while one looks around, week by week from the newest to the oldest.
//!
//! Each poll asks the simulated web for a document of its time, and people are seen reading what was found. It rests
//! as long as it works, so that pages and polls come first.

use super::network::AsOf;
use super::people::Reader;
use super::visits::{Glimpse, visits};
use anyhow::Result;
use domain::{FeedId, ItemId, Timestamp};
use farm::World;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;
use tokio_util::sync::CancellationToken;
use work::{Clock, Crawler};

const WEEK: Duration = Duration::from_secs(7 * 86_400);
/// Posts within so long are found by one poll.
const POLLED_EVERY: Duration = Duration::from_secs(6 * 3_600);
/// What was found within so long before a visit is still on the list.
const LISTED: Duration = Duration::from_secs(30 * 3_600);
const TRIES_MAX: u32 = 50;

pub(super) struct Archive<C> {
    pub(super) store: Store,
    pub(super) world: Arc<World>,
    pub(super) crawler: Arc<Crawler<AsOf, C>>,
    pub(super) readers: Arc<Vec<Reader>>,
    pub(super) seed: u64,
}

/// What was found in a week, in order.
type Found = BTreeMap<(Timestamp, ItemId), FeedId>;

impl<C: Clock> Archive<C> {
    /// Fills in from `to` back to `from`, telling how far it is.
    pub(super) async fn fill(
        &self,
        from: Timestamp,
        to: Timestamp,
        stop: &CancellationToken,
        mut tell: impl FnMut(Timestamp),
    ) -> Result<()> {
        let feeds: BTreeSet<(usize, FeedId)> =
            self.readers.iter().flat_map(|reader| reader.feeds.iter().copied()).collect();
        let mut end = to;
        while end > from && !stop.is_cancelled() {
            let start = end.saturating_sub(WEEK).max(from);
            let mut found = Found::new();
            for (nth, (index, feed)) in feeds.iter().enumerate() {
                for at in poll_times(&self.world, *index, start, end) {
                    if stop.is_cancelled() {
                        return Ok(());
                    }
                    let begun = Instant::now();
                    let items = self.poll(*feed, at).await?;
                    found.extend(items.into_iter().map(|item| ((at, item), *feed)));
                    tokio::time::sleep(begun.elapsed()).await;
                }
                let share = (nth + 1) as f64 / feeds.len() as f64;
                tell(end.saturating_sub(end.since(start).mul_f64(share)));
            }
            for reader in self.readers.iter() {
                self.read(reader, &found, start, end).await?;
            }
            end = start;
        }
        Ok(())
    }

    /// The live crawler may be at the feed; then it is asked again a little later.
    async fn poll(&self, feed: FeedId, at: Timestamp) -> Result<Vec<ItemId>> {
        for _ in 0..TRIES_MAX {
            if let Some(items) = self.crawler.poll_as_of(feed, at).await? {
                return Ok(items);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(Vec::new())
    }

    async fn read(&self, reader: &Reader, found: &Found, from: Timestamp, to: Timestamp) -> Result<()> {
        let followed: BTreeSet<FeedId> = reader.feeds.iter().map(|(_, feed)| *feed).collect();
        for at in visits(reader.person, self.seed ^ reader.user.0.unsigned_abs(), from, to) {
            let listed = found
                .range((at.saturating_sub(LISTED), ItemId(0))..(at, ItemId(0)))
                .rev()
                .filter(|(_, feed)| followed.contains(feed));
            let rows: Vec<Glimpse> =
                listed.take(60).map(|(&(_, item), &feed)| Glimpse { item, feed, words: 300 }).collect();
            reader.look(&self.store, &rows, "newest", at).await?;
        }
        Ok(())
    }
}

/// When polls would have found what a feed posted, each some while after the first post it finds.
fn poll_times(world: &World, feed: usize, from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
    let mut times: Vec<Timestamp> = Vec::new();
    for (number, posted) in world.numbers_between(feed, from, to) {
        if times.last().is_none_or(|last| *last < posted) {
            // Neither all at once nor by a clock: the post's own number scatters them.
            let share = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            times.push(posted.saturating_add(POLLED_EVERY.mul_f64(share as f64 / f64::from(1 << 24))));
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::demo::stage;

    #[test]
    fn every_post_is_found_by_a_poll_within_hours() {
        let now = Timestamp::from_seconds(1_790_000_000);
        let world = stage::world(1, 20, 30, now);
        let from = now.saturating_sub(WEEK);
        for feed in 0..20 {
            let times = poll_times(&world, feed, from, now);
            assert!(times.is_sorted());
            for (_, posted) in world.numbers_between(feed, from, now) {
                let next = times.iter().find(|at| **at >= posted);
                assert!(next.is_some_and(|at| at.since(posted) <= POLLED_EVERY), "feed {feed} at {posted}");
            }
        }
    }
}
