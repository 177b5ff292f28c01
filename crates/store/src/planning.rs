//! What planning keeps: the sum that sets the price, days of polls, habits of people, attention of feeds, and whose
//! turn a job is.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::to_json;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::{DueFeed, HabitRow, HourOfPolls, PlanTotals, ReadingOf, StoredAttention};
use domain::planning::FeedAttention;
use domain::{Attention, FeedDay, FeedId, Found, Timestamp, UserId};
use serde::Serialize;
use std::time::Duration;

const TOTALS: Sql = sql!(
    "adding up what feeds ask of the budget",
    "SELECT COUNT(*), COALESCE(SUM(CASE WHEN demand > 0 OR fixed_polls > 0 THEN 1 ELSE 0 END), 0),
         CAST(COALESCE(SUM(demand), 0) AS BIGINT), CAST(COALESCE(SUM(fixed_polls), 0) AS BIGINT)
     FROM schedule WHERE feed_state = 'active' AND subscribers > 0"
);
const POLLS_SINCE: Sql =
    sql!("counting polls since", "SELECT COUNT(*) FROM poll WHERE started_at >= $1 AND started_at < $2");
const ADD_DAYS: Sql = sql!("adding to feeds' days",
    "INSERT INTO feed_day (feed_id, day, polls, fruitful, dated, delay_ms, expected_ms, lost)
     SELECT CAST(r.value ->> 'feed' AS BIGINT), CAST(r.value ->> 'day' AS BIGINT), 1,
         CAST(r.value ->> 'fruitful' AS BIGINT), CAST(r.value ->> 'dated' AS BIGINT),
         CAST(r.value ->> 'delay_ms' AS BIGINT), CAST(r.value ->> 'expected_ms' AS BIGINT),
         CAST(r.value ->> 'lost' AS BIGINT)
     FROM " rows " WHERE true
     ON CONFLICT (feed_id, day) DO UPDATE SET polls = feed_day.polls + 1,
         fruitful = feed_day.fruitful + excluded.fruitful, dated = feed_day.dated + excluded.dated,
         delay_ms = feed_day.delay_ms + excluded.delay_ms,
         expected_ms = feed_day.expected_ms + excluded.expected_ms, lost = feed_day.lost + excluded.lost");
const DAYS_OF_FEED: Sql = sql!(
    "reading a feed's days",
    "SELECT day, polls, fruitful, dated, delay_ms, expected_ms, lost FROM feed_day
     WHERE feed_id = $1 AND day >= $2 ORDER BY day LIMIT 1000"
);
const DAYS_OF_PERSON: Sql = sql!(
    "reading the days of a person's feeds",
    "SELECT d.day, CAST(SUM(d.polls) AS BIGINT), CAST(SUM(d.fruitful) AS BIGINT), CAST(SUM(d.dated) AS BIGINT),
         CAST(SUM(d.delay_ms) AS BIGINT), CAST(SUM(d.expected_ms) AS BIGINT), CAST(SUM(d.lost) AS BIGINT)
     FROM subscription u JOIN feed_day d ON d.feed_id = u.feed_id AND d.day >= $2
     WHERE u.user_id = $1 GROUP BY d.day ORDER BY d.day LIMIT 1000"
);
const FORGET_DAYS: Sql = sql!("forgetting feeds' old days", "DELETE FROM feed_day WHERE day < $1");
const HABITS: Sql = sql!(
    "reading habits",
    "SELECT u.id, u.preferences, h.content, COALESCE(h.learned_to, 0)
     FROM user_account u LEFT JOIN habit h ON h.user_id = u.id WHERE u.id > $1 ORDER BY u.id LIMIT $2"
);
const HABIT: Sql = sql!("reading a habit", "SELECT content FROM habit WHERE user_id = $1");
const VISITS: Sql = sql!(
    "reading visits",
    "SELECT id, at FROM access_log WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3"
);
const SET_HABIT: Sql = sql!(
    "keeping a habit",
    "INSERT INTO habit (user_id, content, learned_to) SELECT id, $2, $3 FROM user_account WHERE id = $1
     ON CONFLICT (user_id) DO UPDATE SET content = excluded.content, learned_to = excluded.learned_to"
);
const READING: Sql = sql!(
    "reading who reads what",
    "SELECT u.user_id, u.feed_id, u.important,
         (SELECT COUNT(*) FROM interaction x
          WHERE x.user_id = u.user_id AND x.at >= $3 AND x.kind = 'open' AND x.feed_id = u.feed_id)
     FROM subscription u WHERE u.user_id = $1 AND u.feed_id > $2 AND NOT u.paused ORDER BY u.feed_id LIMIT $4"
);
const SET_ATTENTION: Sql = sql!("keeping how feeds are read",
    "UPDATE schedule SET attention = r.value ->> 'attention' FROM " rows "
     WHERE feed_id = CAST(r.value ->> 'feed' AS BIGINT)");
const PLANNED: Sql = sql!(
    "reading learned schedules",
    "SELECT feed_id, state, attention FROM schedule
     WHERE feed_id > $1 AND feed_state = 'active' AND subscribers > 0 ORDER BY feed_id LIMIT $2"
);
const PLANNED_OF_PERSON: Sql = sql!(
    "reading what was learned of a person's feeds",
    "SELECT s.feed_id, s.state, s.attention FROM subscription u
     JOIN schedule s ON s.feed_id = u.feed_id AND s.feed_state = 'active' AND s.subscribers > 0
     WHERE u.user_id = $1 AND NOT u.paused ORDER BY s.feed_id LIMIT 50000"
);
const POLLS_OF_PERSON: Sql = sql!(
    "counting the polls of a person's feeds",
    "SELECT s.provider, p.started_at / 3600000000 AS hour, COUNT(*), SUM(CASE WHEN p.items_new > 0 THEN 1 ELSE 0 END),
         SUM(CASE WHEN p.outcome IN ('fresh', 'partial', 'unchanged') THEN 0 ELSE 1 END)
     FROM poll p JOIN subscription u ON u.user_id = $1 AND u.feed_id = p.feed_id
     JOIN schedule s ON s.feed_id = p.feed_id
     WHERE p.started_at >= $2 GROUP BY s.provider, p.started_at / 3600000000 ORDER BY s.provider, hour LIMIT 50000"
);
const DUE_OF_PERSON: Sql = sql!(
    "reading when a person's feeds are due",
    "SELECT s.feed_id, s.provider, s.next_poll_at, s.reason, s.failures, COALESCE(v.blocked_until, 0)
     FROM subscription u JOIN schedule s ON s.feed_id = u.feed_id AND s.feed_state = 'active' AND s.subscribers > 0
     LEFT JOIN provider v ON v.name = s.provider
     WHERE u.user_id = $1 AND NOT u.paused ORDER BY s.next_poll_at LIMIT 50000"
);
const CLAIM_JOB: Sql = sql!(
    "claiming a job",
    "INSERT INTO job (name, node, until) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until WHERE job.until <= $4"
);
/// The same for a job that goes on: whoever has it keeps it.
const HOLD_JOB: Sql = sql!(
    "holding a job",
    "INSERT INTO job (name, node, until) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until
     WHERE job.until <= $4 OR job.node = excluded.node"
);
const FINISH_JOB: Sql =
    sql!("finishing a job", "UPDATE job SET until = $3, done_at = $4 WHERE name = $1 AND node = $2");
const JOBS: Sql = sql!("listing jobs", "SELECT name, done_at FROM job ORDER BY name LIMIT 100");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    TOTALS,
    POLLS_SINCE,
    ADD_DAYS,
    DAYS_OF_FEED,
    DAYS_OF_PERSON,
    FORGET_DAYS,
    HABITS,
    HABIT,
    VISITS,
    SET_HABIT,
    READING,
    SET_ATTENTION,
    PLANNED,
    PLANNED_OF_PERSON,
    POLLS_OF_PERSON,
    DUE_OF_PERSON,
    CLAIM_JOB,
    HOLD_JOB,
    FINISH_JOB,
    JOBS,
];

const MICROS_PER_DAY: i64 = 86_400_000_000;
const DAYS_FOR: i64 = 400;
const CHUNK: usize = 1_000;

type LearnedRow = (i64, String, Option<String>);
type DayRow = (i64, i64, i64, i64, i64, i64, i64);

impl Store {
    #[boxed]
    pub async fn plan_totals(&self) -> Result<PlanTotals> {
        let (feeds, planned, demand, fixed): (i64, i64, i64, i64) = self
            .read(TOTALS.doing, (), |c, ()| Box::pin(async move { c.one(TOTALS, args![]).await }))
            .await?;
        let count = |value: i64| u64::try_from(value).unwrap_or(0);
        Ok(PlanTotals {
            feeds: count(feeds),
            planned: count(planned),
            demand: demand as f64 / DEMAND_UNITS,
            fixed_polls_per_day: fixed as f64 / FIXED_UNITS,
        })
    }

    #[boxed]
    pub async fn polls_between(&self, from: Timestamp, to: Timestamp) -> Result<u64> {
        let (count,): (i64,) = self
            .read(POLLS_SINCE.doing, (from, to), |c, (from, to)| {
                Box::pin(async move { c.one(POLLS_SINCE, args![*from, *to]).await })
            })
            .await?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// A feed's days since a time, oldest first; days without a poll are not among them.
    #[boxed]
    pub async fn feed_days(&self, feed: FeedId, since: Timestamp) -> Result<Vec<FeedDay>> {
        let rows: Vec<DayRow> = self
            .read(DAYS_OF_FEED.doing, (feed, day_of(since)), |c, (feed, day)| {
                Box::pin(async move { c.all(DAYS_OF_FEED, args![*feed, *day]).await })
            })
            .await?;
        Ok(rows.into_iter().map(feed_day).collect())
    }

    /// The same for all feeds of a person together.
    #[boxed]
    pub async fn days_of(&self, user: UserId, since: Timestamp) -> Result<Vec<FeedDay>> {
        let rows: Vec<DayRow> = self
            .read(DAYS_OF_PERSON.doing, (user, day_of(since)), |c, (user, day)| {
                Box::pin(async move { c.all(DAYS_OF_PERSON, args![*user, *day]).await })
            })
            .await?;
        Ok(rows.into_iter().map(feed_day).collect())
    }

    /// For housekeeping: days of more than a year ago go.
    #[boxed]
    pub async fn forget_days(&self, now: Timestamp) -> Result<u64> {
        let before = day_of(now).saturating_sub(DAYS_FOR);
        self.write(FORGET_DAYS.doing, before, |c, before| {
            Box::pin(async move { c.run(FORGET_DAYS, args![*before]).await })
        })
        .await
    }

    /// People after `after` in the order of their numbers, with what is known of their habits.
    #[boxed]
    pub async fn habits(&self, after: UserId, limit: u32) -> Result<Vec<HabitRow>> {
        let rows: Vec<(i64, String, Option<String>, i64)> = self
            .read(HABITS.doing, (after, i64::from(limit.clamp(1, 1_000))), |c, (after, limit)| {
                Box::pin(async move { c.all(HABITS, args![*after, *limit]).await })
            })
            .await?;
        let row = |(user, preferences, habit, learned_to): (i64, String, Option<String>, i64)| HabitRow {
            user: UserId(user),
            // Preferences that cannot be read are nobody's reason to stop learning.
            preferences: serde_json::from_str(&preferences).unwrap_or_default(),
            habit,
            learned_to,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    #[boxed]
    pub async fn habit(&self, user: UserId) -> Result<Option<String>> {
        let row: Option<(String,)> = self
            .read(HABIT.doing, user, |c, user| Box::pin(async move { c.maybe(HABIT, args![*user]).await }))
            .await?;
        Ok(row.map(|(content,)| content))
    }

    /// A person's visits recorded after the row `after`, oldest first, with their rows.
    #[boxed]
    pub async fn visits(&self, user: UserId, after: i64, limit: u32) -> Result<Vec<(i64, Timestamp)>> {
        let limit = i64::from(limit.clamp(1, 10_000));
        let rows: Vec<(i64, i64)> = self
            .read(VISITS.doing, (user, after, limit), |c, (user, after, limit)| {
                Box::pin(async move { c.all(VISITS, args![*user, *after, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(id, at)| (id, Timestamp::from_micros(at))).collect())
    }

    #[boxed]
    pub async fn set_habit(&self, user: UserId, habit: &str, learned_to: i64) -> Result<()> {
        self.write(SET_HABIT.doing, (user, habit.to_owned(), learned_to), |c, (user, habit, to)| {
            Box::pin(async move { c.run(SET_HABIT, args![*user, habit, *to]).await.map(drop) })
        })
        .await
    }

    /// A person's feeds that are not paused, with how many opens each had since a time; keyset by feed.
    #[boxed]
    pub async fn reading_of(
        &self,
        user: UserId,
        after: FeedId,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<ReadingOf>> {
        let limit = i64::from(limit.clamp(1, 5_000));
        let rows: Vec<(i64, i64, bool, i64)> = self
            .read(READING.doing, (user, after, since, limit), |c, (user, after, since, limit)| {
                Box::pin(async move { c.all(READING, args![*user, *after, *since, *limit]).await })
            })
            .await?;
        let row = |(user, feed, is_important, opens): (i64, i64, bool, i64)| ReadingOf {
            user: UserId(user),
            feed: FeedId(feed),
            is_important,
            opens: u64::try_from(opens).unwrap_or(0),
        };
        Ok(rows.into_iter().map(row).collect())
    }

    #[boxed]
    pub async fn set_attention(&self, feeds: &[FeedAttention]) -> Result<()> {
        #[derive(Serialize)]
        struct Row {
            feed: FeedId,
            attention: String,
        }
        for chunk in feeds.chunks(CHUNK) {
            let rows: Vec<Row> = chunk
                .iter()
                .map(|(feed, attention)| Row { feed: *feed, attention: to_json(attention) })
                .collect();
            self.write(SET_ATTENTION.doing, json_rows(&rows), |c, rows| {
                Box::pin(async move { c.run(SET_ATTENTION, args![rows]).await.map(drop) })
            })
            .await?;
        }
        Ok(())
    }

    /// What is known of feeds that are polled, after `after` in the order of their numbers.
    #[boxed]
    pub async fn learned(&self, after: FeedId, limit: u32) -> Result<Vec<StoredAttention>> {
        let limit = i64::from(limit.clamp(1, 5_000));
        let rows: Vec<LearnedRow> = self
            .read(PLANNED.doing, (after, limit), |c, (after, limit)| {
                Box::pin(async move { c.all(PLANNED, args![*after, *limit]).await })
            })
            .await?;
        rows.into_iter().map(learned).collect()
    }

    /// The same for all feeds of a person that are polled.
    #[boxed]
    pub async fn learned_of(&self, user: UserId) -> Result<Vec<StoredAttention>> {
        let rows: Vec<LearnedRow> = self
            .read(PLANNED_OF_PERSON.doing, user, |c, user| {
                Box::pin(async move { c.all(PLANNED_OF_PERSON, args![*user]).await })
            })
            .await?;
        rows.into_iter().map(learned).collect()
    }

    /// The polls of a person's feeds since a time, by provider and hour.
    #[boxed]
    pub async fn polls_of(&self, user: UserId, since: Timestamp) -> Result<Vec<HourOfPolls>> {
        let rows: Vec<(String, i64, i64, i64, i64)> = self
            .read(POLLS_OF_PERSON.doing, (user, since), |c, (user, since)| {
                Box::pin(async move { c.all(POLLS_OF_PERSON, args![*user, *since]).await })
            })
            .await?;
        let count = |value: i64| u64::try_from(value).unwrap_or(0);
        let row = |(provider, hour, polls, fruitful, failures): (String, i64, i64, i64, i64)| HourOfPolls {
            provider,
            hour: Timestamp::from_seconds(hour.saturating_mul(3_600)),
            polls: count(polls),
            fruitful: count(fruitful),
            failures: count(failures),
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// When each feed a person follows is polled next, and why; the soonest first.
    #[boxed]
    pub async fn due_of(&self, user: UserId) -> Result<Vec<DueFeed>> {
        let rows: Vec<(i64, String, i64, String, i64, i64)> = self
            .read(DUE_OF_PERSON.doing, user, |c, user| {
                Box::pin(async move { c.all(DUE_OF_PERSON, args![*user]).await })
            })
            .await?;
        rows.into_iter()
            .map(|(feed, provider, at, reason, failures, blocked_until)| {
                Ok(DueFeed {
                    feed: FeedId(feed),
                    provider,
                    at: Timestamp::from_micros(at),
                    reason: serde_json::from_str(&reason)
                        .map_err(|_| StoreError::Damaged { what: format!("the reason of feed {feed}") })?,
                    failures: u32::try_from(failures).unwrap_or(0),
                    blocked_until: Timestamp::from_micros(blocked_until),
                })
            })
            .collect()
    }

    /// True when this node may run the job now; others keep off until `now + most` or until it is finished.
    #[boxed]
    pub async fn claim_job(&self, name: &str, node: &str, now: Timestamp, most: Duration) -> Result<bool> {
        let args = (name.to_owned(), node.to_owned(), now.saturating_add(most), now);
        let claimed = self
            .write(CLAIM_JOB.doing, args, |c, (name, node, until, now)| {
                Box::pin(async move { c.run(CLAIM_JOB, args![name, node, *until, *now]).await })
            })
            .await?;
        Ok(claimed > 0)
    }

    /// True while this node has a job that never ends; to be asked again before `now + most`, or others take over.
    #[boxed]
    pub async fn hold_job(&self, name: &str, node: &str, now: Timestamp, most: Duration) -> Result<bool> {
        let args = (name.to_owned(), node.to_owned(), now.saturating_add(most), now);
        let held = self
            .write(HOLD_JOB.doing, args, |c, (name, node, until, now)| {
                Box::pin(async move { c.run(HOLD_JOB, args![name, node, *until, *now]).await })
            })
            .await?;
        Ok(held > 0)
    }

    /// The job is done; nobody starts it again before `again_at`.
    #[boxed]
    pub async fn finish_job(
        &self,
        name: &str,
        node: &str,
        now: Timestamp,
        again_at: Timestamp,
    ) -> Result<()> {
        let args = (name.to_owned(), node.to_owned(), again_at, now);
        self.write(FINISH_JOB.doing, args, |c, (name, node, again_at, now)| {
            Box::pin(async move { c.run(FINISH_JOB, args![name, node, *again_at, *now]).await.map(drop) })
        })
        .await
    }

    /// When each job was last done.
    #[boxed]
    pub async fn jobs(&self) -> Result<Vec<(String, Option<Timestamp>)>> {
        let rows: Vec<(String, Option<i64>)> =
            self.read(JOBS.doing, (), |c, ()| Box::pin(async move { c.all(JOBS, args![]).await })).await?;
        Ok(rows.into_iter().map(|(name, at)| (name, at.map(Timestamp::from_micros))).collect())
    }
}

/// A feed's demand is kept in millionths, so that sums of it are exact.
pub(crate) const DEMAND_UNITS: f64 = 1e6;
/// Polls per day, in thousandths.
pub(crate) const FIXED_UNITS: f64 = 1e3;

/// None for what an older or newer program wrote: it is learned again within a day.
pub(crate) fn attention_of(text: &str) -> Option<Attention> {
    serde_json::from_str(text).ok()
}

fn learned((feed, state, attention): LearnedRow) -> Result<StoredAttention> {
    let schedule = serde_json::from_str(&state)
        .map_err(|_| StoreError::Damaged { what: format!("the schedule of feed {feed}") })?;
    let attention = attention.as_deref().and_then(attention_of);
    Ok(StoredAttention { feed: FeedId(feed), schedule, attention })
}

/// One poll's part of its feed's day.
pub(crate) struct Deed {
    pub(crate) feed: FeedId,
    pub(crate) at: Timestamp,
    pub(crate) is_fruitful: bool,
    pub(crate) found: Found,
}

/// In the transaction of the polls themselves; each feed at most once.
pub(crate) async fn add_days(c: &mut Conn, deeds: &[Deed]) -> Result<()> {
    #[derive(Serialize)]
    struct Row {
        feed: FeedId,
        day: i64,
        fruitful: u8,
        dated: u32,
        delay_ms: u64,
        expected_ms: u64,
        lost: u32,
    }
    if deeds.is_empty() {
        return Ok(());
    }
    // A thousand years in milliseconds: more is a broken clock, and sums must not overflow.
    const LONGEST_MS: u64 = 1000 * 366 * 86_400_000;
    let row = |deed: &Deed| Row {
        feed: deed.feed,
        day: day_of(deed.at),
        fruitful: u8::from(deed.is_fruitful),
        dated: deed.found.dated,
        delay_ms: deed.found.delay_ms.min(LONGEST_MS),
        expected_ms: deed.found.expected_ms.min(LONGEST_MS),
        lost: deed.found.lost,
    };
    let rows: Vec<Row> = deeds.iter().map(row).collect();
    c.run(ADD_DAYS, args![&json_rows(&rows)]).await.map(drop)
}

pub(crate) fn day_of(at: Timestamp) -> i64 {
    at.micros().div_euclid(MICROS_PER_DAY)
}

fn feed_day((day, polls, fruitful, dated, delay_ms, expected_ms, lost): DayRow) -> FeedDay {
    let small = |value: i64| u32::try_from(value).unwrap_or(if value < 0 { 0 } else { u32::MAX });
    let large = |value: i64| u64::try_from(value).unwrap_or(0);
    FeedDay {
        day,
        polls: small(polls),
        fruitful: small(fruitful),
        found: Found {
            dated: small(dated),
            delay_ms: large(delay_ms),
            expected_ms: large(expected_ms),
            lost: small(lost),
        },
    }
}
