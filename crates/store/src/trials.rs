//! Blind trials of two rankers: which ones, and what was opened of the rows of each. Who wins is `rank`'s to say.

use crate::boxed;
use crate::error::Result;
use crate::people::found;
use crate::sql::{Sql, args, sql};
use crate::store::Store;
use crate::types::{TrialClick, TrialRow};
use domain::interaction::{Interaction, InteractionKind};
use domain::{ItemId, Timestamp, UserId};

const FORGET: Sql = sql!("forgetting a trial", "DELETE FROM trial WHERE user_id = $1");
const START: Sql = sql!(
    "starting a trial",
    "INSERT INTO trial (user_id, one, other, seed, started_at) SELECT id, $2, $3, $4, $5 FROM user_account WHERE id = $1"
);
const END: Sql =
    sql!("ending a trial", "UPDATE trial SET ended_at = $2 WHERE user_id = $1 AND ended_at IS NULL");
const READ: Sql =
    sql!("reading a trial", "SELECT one, other, seed, started_at, ended_at FROM trial WHERE user_id = $1");
/// The first list that had it counts. More than so many say nothing new.
const CLICK: Sql = sql!(
    "counting in a trial",
    "INSERT INTO trial_click (user_id, item_id, list_at, side)
     SELECT t.user_id, $2, $3, $4 FROM trial t WHERE t.user_id = $1 AND t.ended_at IS NULL AND t.started_at <= $3
       AND (SELECT COUNT(*) FROM trial_click k WHERE k.user_id = $1) < 10000
     ON CONFLICT (user_id, item_id) DO NOTHING"
);
const CLICKS: Sql = sql!(
    "counting a trial's lists",
    "SELECT list_at, COUNT(CASE WHEN side = 0 THEN 1 END), COUNT(CASE WHEN side = 1 THEN 1 END)
     FROM trial_click WHERE user_id = $1 GROUP BY list_at ORDER BY list_at LIMIT 10000"
);

const LATELY: Sql = sql!(
    "reading what somebody did lately",
    "SELECT item_id, kind, at, place, position, dwell_ms FROM interaction WHERE user_id = $1 AND at <= $2
     ORDER BY at DESC, id DESC LIMIT $3"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[FORGET, START, END, READ, CLICK, CLICKS, LATELY];

/// What a ranker that keeps nothing looks back at.
const DONE_MAX: u32 = 5_000;

impl Store {
    /// A trial that was there is forgotten with its numbers.
    #[boxed]
    pub async fn start_trial(
        &self,
        user: UserId,
        one: &str,
        other: &str,
        seed: u64,
        now: Timestamp,
    ) -> Result<()> {
        let args = (user, one.to_owned(), other.to_owned(), seed.cast_signed(), now);
        let started = self
            .write(START.doing, args, |c, (user, one, other, seed, now)| {
                Box::pin(async move {
                    c.run(FORGET, args![*user]).await?;
                    c.run(START, args![*user, one, other, *seed, *now]).await
                })
            })
            .await?;
        found(started, "user")
    }

    /// Its numbers stay to be seen.
    #[boxed]
    pub async fn end_trial(&self, user: UserId, now: Timestamp) -> Result<()> {
        let ended = self
            .write(END.doing, (user, now), |c, (user, now)| {
                Box::pin(async move { c.run(END, args![*user, *now]).await })
            })
            .await?;
        found(ended, "trial")
    }

    #[boxed]
    pub async fn trial(&self, user: UserId) -> Result<Option<TrialRow>> {
        type Row = (String, String, i64, i64, Option<i64>);
        let row: Option<Row> = self
            .read(READ.doing, user, |c, user| Box::pin(async move { c.maybe(READ, args![*user]).await }))
            .await?;
        Ok(row.map(|(one, other, seed, started_at, ended_at)| TrialRow {
            one,
            other,
            seed: seed.cast_unsigned(),
            started_at: Timestamp::from_micros(started_at),
            ended_at: ended_at.map(Timestamp::from_micros),
        }))
    }

    /// Items that were opened in lists of the trial under way. Without one nothing is counted.
    #[boxed]
    pub async fn count_in_trial(&self, user: UserId, clicks: &[TrialClick]) -> Result<()> {
        const CLICKS_MAX: usize = 1_000;
        let clicks = clicks[..clicks.len().min(CLICKS_MAX)].to_vec();
        self.write(CLICK.doing, (user, clicks), |c, (user, clicks)| {
            Box::pin(async move {
                for click in clicks {
                    let side = i64::from(click.is_others);
                    c.run(CLICK, args![*user, click.item, click.list_at, side]).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// What a person did until a moment, the latest 5,000 at most, the oldest first. For rankers that keep no state.
    #[boxed]
    pub async fn done_lately(&self, user: UserId, until: Timestamp, limit: u32) -> Result<Vec<Interaction>> {
        type Row = (i64, String, i64, String, Option<i64>, Option<i64>);
        let limit = i64::from(limit.min(DONE_MAX));
        let rows: Vec<Row> = self
            .read(LATELY.doing, (user, until, limit), |c, (user, until, limit)| {
                Box::pin(async move { c.all(LATELY, args![*user, *until, *limit]).await })
            })
            .await?;
        let done = |(item, kind, at, place, position, dwell_ms): Row| {
            Some(Interaction {
                user,
                item: ItemId(item),
                kind: InteractionKind::from_name(&kind)?,
                at: Timestamp::from_micros(at),
                place,
                position: position.and_then(|position| u32::try_from(position).ok()),
                dwell_ms: dwell_ms.and_then(|dwell| u64::try_from(dwell).ok()),
            })
        };
        Ok(rows.into_iter().rev().filter_map(done).collect())
    }

    /// Of every list in which something was opened, how much of each side's, the oldest first.
    #[boxed]
    pub async fn trial_lists(&self, user: UserId) -> Result<Vec<(u32, u32)>> {
        let rows: Vec<(i64, i64, i64)> = self
            .read(CLICKS.doing, user, |c, user| Box::pin(async move { c.all(CLICKS, args![*user]).await }))
            .await?;
        let count = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
        Ok(rows.into_iter().map(|(_, one, other)| (count(one), count(other))).collect())
    }
}
