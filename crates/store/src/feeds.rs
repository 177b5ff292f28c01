//! Feeds as they are read back: one row, one value.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::people::found;
use crate::sql::{Conn, Sql, args, row, sql};
use crate::store::Store;
use crate::types::{FeedRetention, FeedSchedule};
use domain::{Feed, FeedFacts, FeedId, FeedState, Schedule, Timestamp, UserId};
use std::time::Duration;

const FEED: Sql = sql!("reading a feed",
    "SELECT " feed_columns " FROM feed f JOIN schedule s ON s.feed_id = f.id WHERE f.id = $1");
const FEED_BY_URL: Sql = sql!("finding a feed by its address",
    "SELECT " feed_columns " FROM feed f JOIN schedule s ON s.feed_id = f.id WHERE f.url = $1 AND f.private_to = $2");
const FEED_SCHEDULE: Sql = sql!(
    "reading a feed's schedule",
    "SELECT state, next_poll_at, reason, leased_at, provider, subscribers, lease_until FROM schedule WHERE feed_id = $1"
);
const SET_STATE: Sql =
    sql!("changing a feed's state", "UPDATE schedule SET feed_state = $2 WHERE feed_id = $1");
const SET_SECRET: Sql = sql!(
    "keeping a feed's sealed credentials",
    "INSERT INTO feed_secret (feed_id, sealed) SELECT id, $2 FROM feed WHERE id = $1
     ON CONFLICT (feed_id) DO UPDATE SET sealed = excluded.sealed"
);
const CLEAR_SECRET: Sql = sql!("dropping a feed's credentials", "DELETE FROM feed_secret WHERE feed_id = $1");
const SECRET: Sql = sql!(
    "reading a feed's sealed credentials",
    "SELECT k.sealed FROM feed f JOIN feed_secret k ON k.feed_id = f.id WHERE f.id = $2 AND f.private_to = $1"
);
const RETENTION: Sql =
    sql!("reading a feed's retention", "SELECT keep_age_s, keep_count FROM feed WHERE id = $1");
const SET_RETENTION: Sql = sql!(
    "changing a feed's retention",
    "UPDATE feed SET keep_age_s = $2, keep_count = $3, retention_at = 0 WHERE id = $1"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    FEED,
    FEED_BY_URL,
    FEED_SCHEDULE,
    SET_STATE,
    SET_SECRET,
    CLEAR_SECRET,
    SECRET,
    RETENTION,
    SET_RETENTION,
];

impl Store {
    #[boxed]
    pub async fn feed(&self, id: FeedId) -> Result<Option<Feed>> {
        let row: Option<FeedRow> = self
            .read(FEED.doing, id, |c, id| Box::pin(async move { c.maybe(FEED, args![*id]).await }))
            .await?;
        row.map(FeedRow::feed).transpose()
    }

    /// A person's private feed is only found with that person.
    #[boxed]
    pub async fn feed_by_url(&self, url: &str, private_to: Option<UserId>) -> Result<Option<Feed>> {
        let row: Option<FeedRow> = self
            .read(FEED_BY_URL.doing, (url.to_owned(), owner(private_to)), |c, (url, owner)| {
                Box::pin(async move { c.maybe(FEED_BY_URL, args![url, *owner]).await })
            })
            .await?;
        row.map(FeedRow::feed).transpose()
    }

    #[boxed]
    pub async fn feed_schedule(&self, feed: FeedId) -> Result<Option<FeedSchedule>> {
        type Row = (String, i64, String, Option<i64>, String, i64, Option<i64>);
        let row: Option<Row> = self
            .read(FEED_SCHEDULE.doing, feed, |c, feed| {
                Box::pin(async move { c.maybe(FEED_SCHEDULE, args![*feed]).await })
            })
            .await?;
        row.map(|(state, next_poll_at, reason, leased_at, provider, subscribers, lease_until)| {
            Ok(FeedSchedule {
                schedule: schedule(&state, next_poll_at, &reason, leased_at)?,
                provider,
                subscribers: u32::try_from(subscribers).unwrap_or(0),
                leased_until: lease_until.map(Timestamp::from_micros),
            })
        })
        .transpose()
    }

    #[boxed]
    pub async fn set_feed_state(&self, feed: FeedId, state: FeedState) -> Result<()> {
        let changed = self
            .write(SET_STATE.doing, (feed, state), |c, (feed, state)| {
                Box::pin(async move { c.run(SET_STATE, args![*feed, state.name()]).await })
            })
            .await?;
        self.wake();
        found(changed, "feed")
    }

    /// None drops the credentials.
    #[boxed]
    pub async fn set_feed_secret(&self, feed: FeedId, sealed: Option<&[u8]>) -> Result<()> {
        self.write(SET_SECRET.doing, (feed, sealed.map(<[u8]>::to_vec)), |c, (feed, sealed)| {
            Box::pin(async move {
                match sealed {
                    Some(sealed) => set_secret(c, *feed, sealed).await,
                    None => c.run(CLEAR_SECRET, args![*feed]).await.map(drop),
                }
            })
        })
        .await
    }

    /// What a feed of this person alone is sent, sealed; None for everybody else's feeds.
    #[boxed]
    pub async fn feed_secret(&self, user: UserId, feed: FeedId) -> Result<Option<Vec<u8>>> {
        let row: Option<(Vec<u8>,)> = self
            .read(SECRET.doing, (user, feed), |c, (user, feed)| {
                Box::pin(async move { c.maybe(SECRET, args![*user, *feed]).await })
            })
            .await?;
        Ok(row.map(|(sealed,)| sealed))
    }

    /// What a feed itself says about keeping items; None where the server's policy holds.
    #[boxed]
    pub async fn feed_retention(&self, feed: FeedId) -> Result<FeedRetention> {
        let row: Option<(Option<i64>, Option<i64>)> = self
            .read(RETENTION.doing, feed, |c, feed| {
                Box::pin(async move { c.maybe(RETENTION, args![*feed]).await })
            })
            .await?;
        let (age, count) = row.ok_or(StoreError::NotFound { what: "feed" })?;
        Ok(FeedRetention {
            age: age.and_then(|seconds| u64::try_from(seconds).ok()).map(Duration::from_secs),
            count: count.and_then(|count| u32::try_from(count).ok()),
        })
    }

    #[boxed]
    pub async fn set_feed_retention(&self, feed: FeedId, retention: FeedRetention) -> Result<()> {
        let changed = self
            .write(SET_RETENTION.doing, (feed, retention), |c, (feed, retention)| {
                Box::pin(async move {
                    let age = retention.age.map(|age| i64::try_from(age.as_secs()).unwrap_or(i64::MAX));
                    c.run(SET_RETENTION, args![*feed, age, retention.count.map(i64::from)]).await
                })
            })
            .await?;
        found(changed, "feed")
    }
}

pub(crate) async fn set_secret(c: &mut Conn, feed: FeedId, sealed: &[u8]) -> Result<()> {
    found(c.run(SET_SECRET, args![feed, sealed]).await?, "feed")
}

row! {
    pub(crate) struct FeedRow {
        pub(crate) id: i64,
        url: String,
        private_to: i64,
        title: Option<String>,
        site_url: Option<String>,
        description: Option<String>,
        language: Option<String>,
        icon_url: Option<String>,
        format: Option<String>,
        hubs: String,
        noindex: bool,
        created_at: i64,
        feed_state: String,
    }
}

impl FeedRow {
    pub(crate) fn feed(self) -> Result<Feed> {
        let damaged = |field: &str| StoreError::Damaged { what: format!("{field} of feed {}", self.id) };
        Ok(Feed {
            id: FeedId(self.id),
            facts: FeedFacts {
                hubs: serde_json::from_str(&self.hubs).map_err(|_| damaged("the hubs"))?,
                title: self.title,
                site_url: self.site_url,
                description: self.description,
                language: self.language,
                icon_url: self.icon_url,
                format: self.format,
                noindex: self.noindex,
            },
            state: FeedState::from_name(&self.feed_state)
                .ok_or_else(|| StoreError::Damaged { what: format!("the state of feed {}", self.id) })?,
            url: self.url,
            private_to: (self.private_to != 0).then_some(UserId(self.private_to)),
            created_at: Timestamp::from_micros(self.created_at),
        })
    }
}

/// The stored JSON with what the columns beside it know better.
pub(crate) fn schedule(
    state: &str,
    next_poll_at: i64,
    reason: &str,
    leased_at: Option<i64>,
) -> Result<Schedule> {
    let damaged = |_| StoreError::Damaged { what: "a feed's schedule".to_owned() };
    let mut schedule: Schedule = serde_json::from_str(state).map_err(damaged)?;
    schedule.next_poll_at = Timestamp::from_micros(next_poll_at);
    schedule.reason = serde_json::from_str(reason).map_err(damaged)?;
    // A lease that never ended may have reached the publisher: count it as a request.
    schedule.last_poll_at = schedule.last_poll_at.max(leased_at.map(Timestamp::from_micros));
    Ok(schedule)
}

/// `private_to` as its column: 0 for everybody.
pub(crate) fn owner(private_to: Option<UserId>) -> i64 {
    private_to.map_or(0, |user| user.0)
}

/// Plain values of `domain` always serialise.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}
