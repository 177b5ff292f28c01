//! Hands the pages somebody who fetches: `serve` asks, `work` does.

use domain::{FeedId, ItemId, Timestamp, UserId};
use serve::{Candidate, Errand, Errands, Followed, NotFound, Refreshed, Tally};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::{FullText, Store};
use work::{Clock, Crawler, Network, NotFollowed, NotNow};

pub(crate) struct Desk<N, C> {
    pub(crate) crawler: Arc<Crawler<N, C>>,
    pub(crate) store: Store,
}

impl<N: Network, C: Clock> Errands for Desk<N, C> {
    fn find<'a>(&'a self, address: &'a str) -> Errand<'a, Result<Vec<Candidate>, NotFound>> {
        Box::pin(async move {
            let found = self.crawler.find(address).await.map_err(not_found)?;
            Ok(found.into_iter().map(candidate).collect())
        })
    }

    fn follow<'a>(
        &'a self,
        user: UserId,
        address: &'a str,
        folder: Vec<String>,
    ) -> Errand<'a, Result<Followed, NotFound>> {
        Box::pin(async move {
            let followed = self.crawler.follow(user, address, folder).await.map_err(not_found)?;
            Ok(Followed { feed: followed.feed, was_subscribed: followed.was_subscribed })
        })
    }

    fn refresh(&self, feed: FeedId) -> Errand<'_, Refreshed> {
        Box::pin(async move {
            match self.crawler.poll_now(feed).await {
                Ok(report) => match report.record.error {
                    None => Refreshed::Done { items_new: report.record.items_new },
                    Some(sentence) => Refreshed::Failed(sentence),
                },
                Err(NotNow::Floor(floor)) => Refreshed::NotBefore(floor.until),
                Err(NotNow::Busy(until)) => Refreshed::NotBefore(until),
                Err(NotNow::Halted) => Refreshed::Halted,
                Err(NotNow::UnknownFeed) => Refreshed::Gone,
                Err(NotNow::Store(error)) => {
                    tracing::error!(%error, "polling on a person's wish");
                    Refreshed::Gone
                }
            }
        })
    }

    fn held_until(&self, feed: FeedId) -> Errand<'_, Option<Timestamp>> {
        // Without an answer the button may be pressed; the poll itself is refused then.
        Box::pin(async move { self.crawler.held_until(feed).await.ok().flatten() })
    }

    fn full_text(&self, user: UserId, item: ItemId) -> Errand<'_, Result<FullText, String>> {
        Box::pin(async move { self.crawler.full_text(user, item).await.map_err(|why| why.to_string()) })
    }

    fn opened(&self, user: UserId) {
        let crawler = Arc::clone(&self.crawler);
        tokio::spawn(async move {
            match crawler.opened(user).await {
                Ok(0) => {}
                Ok(feeds) => tracing::debug!(user.id = %user, feeds, "somebody came to read"),
                Err(error) => tracing::error!(%error, "polling for somebody who came to read"),
            }
        });
    }

    fn wake(&self) {
        self.store.wake();
    }

    fn tally(&self) -> Tally {
        let tally = self.crawler.tally();
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Tally {
            polls: read(&tally.polls),
            failures: read(&tally.failures),
            items_new: read(&tally.items_new),
            wire_bytes: read(&tally.wire_bytes),
        }
    }
}

fn candidate(found: work::Candidate) -> Candidate {
    Candidate { url: found.url.into(), title: found.title, kind: found.kind.name().to_owned() }
}

fn not_found(why: NotFollowed) -> NotFound {
    match why {
        NotFollowed::Several(found) => NotFound::Several(found.into_iter().map(candidate).collect()),
        other => NotFound::Because(other.to_string()),
    }
}
