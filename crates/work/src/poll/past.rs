//! A feed as it was: stores what a poll of an earlier time would have found, for a history that is filled in later.
//!
//! Everything is as in a poll (parse, recognise, rules, previews, one commit), except that nothing is learnt from it:
//! when the feed is polled next stays as it is, its items come as read, and what is known already is left alone. A
//! feed in trouble is left out, because its last outcome is what people need to see.

use super::{Packed, pack};
use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::network::Network;
use crate::sift::sift;
use domain::{DocumentItem, FeedId, FeedState, ItemId, Parsed, PollOutcome, PollRecord, Timestamp};
use fetch::{Answer, FeedRequest, Outcome};
use std::sync::Arc;
use std::time::Duration;
use store::{ItemKind, LeasedFeed, PollCommit, Recognised, StoreError};
use url::Url;

impl<N: Network, C: Clock> Crawler<N, C> {
    /// The network is asked for `at`; it must be one that knows the past. Answers the new items, or None when the feed
    /// is not free just now.
    pub async fn poll_as_of(&self, feed: FeedId, at: Timestamp) -> Result<Option<Vec<ItemId>>, StoreError> {
        let now = self.clock.now();
        let lease_for = self.settings.lease_for;
        let leased = self.store.lease_feed(feed, now, lease_for, Duration::ZERO, &self.settings.node).await?;
        let Some(leased) = leased else { return Ok(None) };
        let Some((answer, parsed)) = self.earlier_document(&leased, at).await else {
            let schedule = leased.schedule;
            self.store.release(leased.lease, schedule.next_poll_at, schedule.reason).await?;
            return Ok(Some(Vec::new()));
        };
        let seen = u32::try_from(parsed.document.items.len()).unwrap_or(u32::MAX);
        let language = parsed.document.language;
        let Packed { writes, new, .. } = self.unknown_items(feed, parsed.document.items, at).await?;
        let effects = self.rule_effects(feed, new, language).await?;
        let record = PollRecord {
            feed,
            started_at: at,
            finished_at: at,
            outcome: PollOutcome::Fresh,
            http_status: answer.status,
            wire_bytes: answer.wire_bytes,
            items_seen: seen,
            items_new: u32::try_from(writes.len()).unwrap_or(u32::MAX),
            items_changed: 0,
            error: None,
        };
        let commit = PollCommit {
            lease: leased.lease,
            record,
            schedule: leased.schedule,
            found: domain::Found::default(),
            floor: self.policy.own_floor,
            facts: None,
            items: writes,
            effects,
            provider_free_at: now,
            provider_blocked_until: None,
            adopt_url: None,
            state: FeedState::Active,
            wake: false,
        };
        Ok(Some(self.store.commit_poll(commit).await?.new_items))
    }

    /// None for a feed in trouble, and when there is nothing whole to read.
    async fn earlier_document(&self, leased: &LeasedFeed, at: Timestamp) -> Option<(Answer, Parsed)> {
        if leased.schedule.failures > 0 {
            return None;
        }
        let url = Url::parse(&leased.feed.url).ok()?;
        let mut answer = self.network.feed(&FeedRequest::new(url, leased.feed.id), at).await;
        let body = std::mem::replace(&mut answer.outcome, Outcome::Unchanged);
        let Outcome::Body { bytes, complete: true, delta: false } = body else { return None };
        let reading = self.read_body(leased, &answer, bytes, true, false).await;
        Some((answer, reading.parsed?))
    }

    /// Those the store has never seen, packed as read.
    async fn unknown_items(
        &self,
        feed: FeedId,
        items: Vec<DocumentItem>,
        at: Timestamp,
    ) -> Result<Packed, StoreError> {
        if items.is_empty() {
            return Ok(Packed::default());
        }
        let keys: Vec<_> = items.iter().map(|i| (i.identity, i.twin, i.content_hash)).collect();
        let recognised = self.store.recognise(feed, &keys).await?;
        let unknown: Vec<DocumentItem> = items
            .into_iter()
            .zip(recognised)
            .filter_map(|(item, known)| matches!(known, Recognised::New).then_some(item))
            .collect();
        let limits = Arc::clone(&self.limits);
        let packing = self.cpu.run(move || {
            let known = vec![Recognised::New; unknown.len()];
            let mut sifted = sift(unknown, &known, Some(at), at);
            for (_, kind) in &mut sifted.writes {
                if let ItemKind::New { unread, .. } = kind {
                    *unread = false;
                }
            }
            pack(sifted, &limits)
        });
        // What cannot be packed is left out of a history.
        Ok(packing.await.unwrap_or_default())
    }
}
