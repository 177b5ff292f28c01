//! The operator's view: how large, how busy, what fails.

use crate::boxed;
use crate::error::Result;
use crate::feeds::FeedRow;
use crate::sql::{Sql, args, row, sql};
use crate::store::Store;
use crate::types::{FailingFeed, ServerOverview};
use domain::Timestamp;
use std::time::Duration;

const SIZE: Sql = sql!(
    "looking over the server",
    "SELECT (SELECT COUNT(*) FROM user_account), (SELECT COUNT(*) FROM schedule WHERE subscribers > 0),
         (SELECT CAST(COALESCE(SUM(items), 0) AS BIGINT) FROM feed),
         (SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM feed),
         (SELECT COUNT(*) FROM schedule WHERE subscribers > 0 AND failures > 0)"
);
const POLLS: Sql = sql!(
    "counting polls",
    "SELECT COUNT(*), CAST(COALESCE(SUM(items_new), 0) AS BIGINT) FROM poll WHERE started_at >= $1"
);
const FAILING: Sql = sql!("listing failing feeds",
    "SELECT " feed_columns ", s.subscribers, s.failures, s.failing_since, s.last_error, s.next_poll_at
     FROM schedule s JOIN feed f ON f.id = s.feed_id WHERE s.subscribers > 0 AND s.failures > 0
     ORDER BY s.failing_since, f.id LIMIT $1");
const BY_HOUR: Sql = sql!(
    "counting polls by the hour",
    "SELECT started_at / 3600000000 AS hour, COUNT(*), SUM(CASE WHEN items_new > 0 THEN 1 ELSE 0 END),
         SUM(CASE WHEN outcome IN ('fresh', 'partial', 'unchanged') THEN 0 ELSE 1 END)
     FROM poll WHERE started_at >= $1 GROUP BY started_at / 3600000000 ORDER BY hour DESC LIMIT 2400"
);
const DATABASE_BYTES: Sql = sql!("measuring the database", database_bytes);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[SIZE, POLLS, FAILING, BY_HOUR, DATABASE_BYTES];

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const HOUR_S: i64 = 60 * 60;

impl Store {
    #[boxed]
    pub async fn server_overview(&self, now: Timestamp) -> Result<ServerOverview> {
        type Size = (i64, i64, i64, i64, i64);
        let (size, polls): (Size, (i64, i64)) = self
            .read(SIZE.doing, now, |c, now| {
                Box::pin(async move {
                    let size = c.one(SIZE, args![]).await?;
                    Ok((size, c.one(POLLS, args![now.saturating_sub(DAY)]).await?))
                })
            })
            .await?;
        let (users, feeds, items, bytes, failing) = size;
        Ok(ServerOverview {
            users: count(users),
            feeds: count(feeds),
            items: count(items),
            bytes: count(bytes),
            polls_today: count(polls.0),
            new_today: count(polls.1),
            failing: count(failing),
        })
    }

    /// What the database takes on its disk.
    #[boxed]
    pub async fn database_bytes(&self) -> Result<u64> {
        let (bytes,): (i64,) = self
            .read(DATABASE_BYTES.doing, (), |c, ()| {
                Box::pin(async move { c.one(DATABASE_BYTES, args![]).await })
            })
            .await?;
        Ok(count(bytes))
    }

    /// Followed feeds that fail, longest first; at most 1,000.
    #[boxed]
    pub async fn failing_feeds(&self, limit: u32) -> Result<Vec<FailingFeed>> {
        let rows: Vec<FailingRow> = self
            .read(FAILING.doing, i64::from(limit.clamp(1, 1_000)), |c, limit| {
                Box::pin(async move { c.all(FAILING, args![*limit]).await })
            })
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(FailingFeed {
                    feed: row.feed.feed()?,
                    subscribers: u32::try_from(row.subscribers).unwrap_or(0),
                    failures: u32::try_from(row.failures).unwrap_or(u32::MAX),
                    failing_since: row.failing_since.map(Timestamp::from_micros),
                    sentence: row.last_error,
                    next_poll_at: Timestamp::from_micros(row.next_poll_at),
                })
            })
            .collect()
    }

    /// Hours with polls since a time, oldest first (the newest 100 days): the hour, its polls, how many brought
    /// something new, how many failed.
    #[boxed]
    pub async fn polls_by_hour(&self, since: Timestamp) -> Result<Vec<(Timestamp, u64, u64, u64)>> {
        let mut rows: Vec<(i64, i64, i64, i64)> = self
            .read(BY_HOUR.doing, since, |c, since| {
                Box::pin(async move { c.all(BY_HOUR, args![*since]).await })
            })
            .await?;
        rows.reverse();
        let hour = |(hour, polls, new, failed): (i64, i64, i64, i64)| {
            (Timestamp::from_seconds(hour.saturating_mul(HOUR_S)), count(polls), count(new), count(failed))
        };
        Ok(rows.into_iter().map(hour).collect())
    }
}

row! {
    struct FailingRow {
        ..feed: FeedRow,
        subscribers: i64,
        failures: i64,
        failing_since: Option<i64>,
        last_error: Option<String>,
        next_poll_at: i64,
    }
}

fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
