//! Looking at and moving next polls outside of a lease, and what polls have left behind.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::to_json;
use crate::people::HALTED;
use crate::sql::{Sql, args, sql};
use crate::store::Store;
use crate::types::{ProviderCount, ProviderState};
use domain::{FeedId, PollId, PollOutcome, PollRecord, Reason, Timestamp};
use std::time::Duration;

const NEXT_DUE: Sql = sql!(
    "finding the next due time",
    "SELECT MIN(next_poll_at) FROM schedule WHERE feed_state = 'active' AND subscribers > 0
       AND NOT EXISTS (SELECT 1 FROM setting WHERE name = $1)"
);
const OVERDUE: Sql = sql!(
    "counting overdue feeds",
    "SELECT COUNT(*) FROM schedule WHERE feed_state = 'active' AND subscribers > 0 AND next_poll_at < $1"
);
/// Never within a feed's floor of the last time it was asked: a clock that was wrong can make overdue what was asked just now.
const SPREAD: Sql = sql!("spreading overdue feeds",
    "UPDATE schedule SET reason = $4, has_slot = false, next_poll_at = " greatest "($1 + n.place * $3 / n.total,
         COALESCE((SELECT CASE WHEN p.started_at <= $1 THEN p.started_at ELSE 0 END FROM poll p
                   WHERE p.feed_id = n.feed ORDER BY p.id DESC LIMIT 1), 0) + floor_s * 1000000)
     FROM (SELECT feed_id AS feed, ROW_NUMBER() OVER (ORDER BY next_poll_at, feed_id) - 1 AS place,
                  COUNT(*) OVER () AS total
           FROM schedule WHERE feed_state = 'active' AND subscribers > 0 AND next_poll_at < $2
             AND (lease_until IS NULL OR lease_until <= $1)) AS n
     WHERE feed_id = n.feed");
const RECALL: Sql = sql!(
    "recalling feeds from a time that never came",
    "UPDATE schedule SET next_poll_at = $1 + n.place * $3 / n.total, reason = $4, has_slot = false
     FROM (SELECT feed_id AS feed, ROW_NUMBER() OVER (ORDER BY next_poll_at, feed_id) - 1 AS place,
                  COUNT(*) OVER () AS total
           FROM schedule WHERE feed_state = 'active' AND subscribers > 0 AND next_poll_at > $2) AS n
     WHERE feed_id = n.feed"
);
const RECALL_PROVIDERS: Sql = sql!(
    "recalling providers from a time that never came",
    "UPDATE provider SET free_at = CASE WHEN free_at > $2 THEN $1 ELSE free_at END,
         busy_until = CASE WHEN busy_until > $2 THEN $1 ELSE busy_until END,
         blocked_until = CASE WHEN blocked_until > $2 THEN $1 ELSE blocked_until END,
         slot_at = CASE WHEN slot_at > $2 THEN $1 ELSE slot_at END
     WHERE free_at > $2 OR busy_until > $2 OR blocked_until > $2 OR slot_at > $2"
);
const BRING_FORWARD: Sql = sql!(
    "bringing a poll forward",
    "UPDATE schedule SET next_poll_at = $2, reason = $3, has_slot = false
     WHERE feed_id = $1 AND next_poll_at > $2 AND lease_node IS NULL"
);
const PROVIDER: Sql = sql!(
    "reading a provider",
    "SELECT name, free_at, busy_until, blocked_until, requests FROM provider WHERE name = $1"
);
const POLLS: Sql = sql!("listing polls",
    "SELECT id, started_at, finished_at, outcome, http_status, wire_bytes, items_seen, items_new, items_changed, error
     FROM poll WHERE feed_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3");
const PROVIDER_COUNTS: Sql = sql!(
    "counting requests per provider",
    "SELECT s.provider, COUNT(DISTINCT p.feed_id), COUNT(*),
         COALESCE(SUM(CASE WHEN p.outcome IN ('fresh', 'partial', 'unchanged') THEN 0 ELSE 1 END), 0)
     FROM poll p JOIN schedule s ON s.feed_id = p.feed_id WHERE p.started_at >= $1
     GROUP BY s.provider ORDER BY COUNT(*) DESC, s.provider LIMIT 1000"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[NEXT_DUE, OVERDUE, SPREAD, RECALL, RECALL_PROVIDERS, BRING_FORWARD, PROVIDER, POLLS, PROVIDER_COUNTS];

type PollRow = (i64, i64, i64, String, Option<i64>, i64, i64, i64, i64, Option<String>);

impl Store {
    /// When the next feed becomes due: `now` when one already is, None when none will or fetching is halted.
    #[boxed]
    pub async fn next_due_at(&self, now: Timestamp) -> Result<Option<Timestamp>> {
        let (at,): (Option<i64>,) = self
            .read(NEXT_DUE.doing, (), |c, ()| Box::pin(async move { c.one(NEXT_DUE, args![HALTED]).await }))
            .await?;
        Ok(at.map(|at| Timestamp::from_micros(at).max(now)))
    }

    /// Feeds whose time has passed.
    #[boxed]
    pub async fn overdue(&self, now: Timestamp) -> Result<u64> {
        let (count,): (i64,) = self
            .read(OVERDUE.doing, now, |c, now| Box::pin(async move { c.one(OVERDUE, args![*now]).await }))
            .await?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// After a pause of ours (sleep, restart, clock jump): feeds overdue by more than `older_than` are spread evenly
    /// over `window` from now on, so that nothing bursts (N12). Returns how many were moved.
    #[boxed]
    pub async fn spread_overdue(
        &self,
        now: Timestamp,
        older_than: Duration,
        window: Duration,
    ) -> Result<u64> {
        let before = now.saturating_sub(older_than);
        let args = (now, before, window_us(window), to_json(&Reason::Spread));
        self.write(SPREAD.doing, args, |c, (now, before, window, reason)| {
            Box::pin(async move { c.run(SPREAD, args![*now, *before, *window, reason]).await })
        })
        .await
    }

    /// After a clock that ran ahead was set back: nothing we ever plan is later than `horizon` (a month, for
    /// Retry-After), so feeds and providers beyond it are of a time that never came. The feeds are spread evenly over
    /// `window`, which the caller chooses no shorter than the longest floor. Returns how many feeds were moved.
    #[boxed]
    pub async fn recall_distant(&self, now: Timestamp, horizon: Duration, window: Duration) -> Result<u64> {
        let after = now.saturating_add(horizon);
        let args = (now, after, window_us(window), to_json(&Reason::Spread));
        self.write(RECALL.doing, args, |c, (now, after, window, reason)| {
            Box::pin(async move {
                c.run(RECALL_PROVIDERS, args![*now, *after]).await?;
                c.run(RECALL, args![*now, *after, *window, reason]).await
            })
        })
        .await
    }

    /// Only ever earlier; the caller has checked floors. False when leased, unknown or already as early.
    #[boxed]
    pub async fn bring_forward(&self, feed: FeedId, at: Timestamp, reason: Reason) -> Result<bool> {
        let moved = self
            .write(BRING_FORWARD.doing, (feed, at, to_json(&reason)), |c, (feed, at, reason)| {
                Box::pin(async move { c.run(BRING_FORWARD, args![*feed, *at, reason]).await })
            })
            .await?;
        if moved > 0 {
            self.wake();
        }
        Ok(moved > 0)
    }

    #[boxed]
    pub async fn provider(&self, name: &str) -> Result<Option<ProviderState>> {
        let row: Option<(String, i64, i64, i64, i64)> = self
            .read(PROVIDER.doing, name.to_owned(), |c, name| {
                Box::pin(async move { c.maybe(PROVIDER, args![name]).await })
            })
            .await?;
        Ok(row.map(|(name, free_at, busy_until, blocked_until, requests)| ProviderState {
            name,
            free_at: Timestamp::from_micros(free_at),
            busy_until: Timestamp::from_micros(busy_until),
            blocked_until: Timestamp::from_micros(blocked_until),
            requests: u64::try_from(requests).unwrap_or(0),
        }))
    }

    /// Newest first; `before` is the last id of the page before. At most 1,000.
    #[boxed]
    pub async fn polls(
        &self,
        feed: FeedId,
        limit: u32,
        before: Option<PollId>,
    ) -> Result<Vec<(PollId, PollRecord)>> {
        let before = before.unwrap_or(PollId(i64::MAX));
        let rows: Vec<PollRow> = self
            .read(
                POLLS.doing,
                (feed, before, i64::from(limit.clamp(1, 1_000))),
                |c, (feed, before, limit)| {
                    Box::pin(async move { c.all(POLLS, args![*feed, *before, *limit]).await })
                },
            )
            .await?;
        rows.into_iter().map(|row| poll_record(feed, row)).collect()
    }

    /// Requests per provider since a time, busiest first (N29).
    #[boxed]
    pub async fn provider_counts(&self, since: Timestamp) -> Result<Vec<ProviderCount>> {
        let rows: Vec<(String, i64, i64, i64)> = self
            .read(PROVIDER_COUNTS.doing, since, |c, since| {
                Box::pin(async move { c.all(PROVIDER_COUNTS, args![*since]).await })
            })
            .await?;
        let count = |value: i64| u64::try_from(value).unwrap_or(0);
        Ok(rows
            .into_iter()
            .map(|(provider, feeds, polls, failures)| ProviderCount {
                provider,
                feeds: count(feeds),
                polls: count(polls),
                failures: count(failures),
            })
            .collect())
    }
}

/// Bounded so that place × window stays far from overflowing: a million feeds times 30 days in microseconds is a third
/// of the way.
fn window_us(window: Duration) -> i64 {
    i64::try_from(window.min(Duration::from_secs(30 * 86_400)).as_micros()).unwrap_or(0)
}

fn poll_record(feed: FeedId, row: PollRow) -> Result<(PollId, PollRecord)> {
    let (id, started_at, finished_at, outcome, status, bytes, seen, new, changed, error) = row;
    let record = PollRecord {
        feed,
        started_at: Timestamp::from_micros(started_at),
        finished_at: Timestamp::from_micros(finished_at),
        outcome: PollOutcome::from_name(&outcome)
            .ok_or_else(|| StoreError::Damaged { what: format!("the outcome of poll {id}") })?,
        http_status: status.and_then(|status| u16::try_from(status).ok()),
        wire_bytes: u64::try_from(bytes).unwrap_or(0),
        items_seen: u32::try_from(seen).unwrap_or(0),
        items_new: u32::try_from(new).unwrap_or(0),
        items_changed: u32::try_from(changed).unwrap_or(0),
        error,
    };
    Ok((PollId(id), record))
}
