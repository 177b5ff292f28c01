//! Imports: which feeds one brought, and how far they have come.
//!
//! Nothing is counted while feeds come in: how far an import is, its feeds' schedules say at any moment.

use crate::boxed;
use crate::error::Result;
use crate::feeds::to_json;
use crate::sql::{Conn, Sql, args, sql};
use crate::store::Store;
use crate::types::{ImportFailure, ImportProgress, NewImport, Tick};
use domain::{FeedId, ImportId, Timestamp, UserId};

const ADD: Sql = sql!(
    "keeping an import",
    "INSERT INTO opml_import (user_id, name, started_at, left_out, feeds, complaints)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING id"
);
const FIND: Sql = sql!(
    "reading an import",
    "SELECT name, started_at, left_out, feeds, complaints FROM opml_import WHERE id = $2 AND user_id = $1"
);
const NEWEST: Sql = sql!("finding the newest import", "SELECT MAX(id) FROM opml_import WHERE user_id = $1");
const FORGET: Sql = sql!("forgetting an import", "DELETE FROM opml_import WHERE id = $2 AND user_id = $1");
/// Somebody else's private feed is none of this person's business, whatever number the import holds.
const PROGRESS: Sql = sql!("seeing how far an import is",
    "SELECT f.id, f.items, s.failures, s.last_success_at IS NOT NULL, f.title, f.url, s.last_error, s.next_poll_at
     FROM " rows " JOIN feed f ON f.id = CAST(r.value AS BIGINT) JOIN schedule s ON s.feed_id = f.id
     WHERE f.private_to = 0 OR f.private_to = $2");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[ADD, FIND, NEWEST, FORGET, PROGRESS];

const FAILED_MAX: usize = 100;
const NAME_CHARS_MAX: usize = 200;
const COMPLAINTS_MAX: usize = 20;

impl Store {
    /// Remembers what a file brought, for its progress page.
    #[boxed]
    pub async fn add_import(&self, user: UserId, import: &NewImport<'_>, now: Timestamp) -> Result<ImportId> {
        let name: String = import.name.chars().take(NAME_CHARS_MAX).collect();
        let left_out = i64::try_from(import.left_out).unwrap_or(i64::MAX);
        let complaints: Vec<&String> = import.complaints.iter().take(COMPLAINTS_MAX).collect();
        self.write(
            ADD.doing,
            (user, name, now, left_out, to_json(&import.feeds), to_json(&complaints)),
            |c, (user, name, now, left, feeds, complaints)| {
                Box::pin(async move {
                    let (id,): (i64,) =
                        c.one(ADD, args![*user, name, *now, *left, feeds, complaints]).await?;
                    Ok(ImportId(id))
                })
            },
        )
        .await
    }

    /// None when this person has no such import.
    #[boxed]
    pub async fn import(&self, user: UserId, id: ImportId) -> Result<Option<ImportProgress>> {
        self.read(FIND.doing, (user, id), |c, (user, id)| Box::pin(progress(c, *user, *id))).await
    }

    /// Its feeds stay as they are; false when this person has no such import.
    #[boxed]
    pub async fn forget_import(&self, user: UserId, id: ImportId) -> Result<bool> {
        let gone = self
            .write(FORGET.doing, (user, id), |c, (user, id)| {
                Box::pin(async move { c.run(FORGET, args![*user, *id]).await })
            })
            .await?;
        Ok(gone > 0)
    }

    #[boxed]
    pub async fn newest_import(&self, user: UserId) -> Result<Option<ImportId>> {
        let (id,): (Option<i64>,) = self
            .read(NEWEST.doing, user, |c, user| Box::pin(async move { c.one(NEWEST, args![*user]).await }))
            .await?;
        Ok(id.map(ImportId))
    }
}

/// Feed, items, failures, has succeeded, title, address, error, next poll.
type FeedRow = (i64, i64, i64, bool, Option<String>, String, Option<String>, i64);

async fn progress(c: &mut Conn, user: UserId, id: ImportId) -> Result<Option<ImportProgress>> {
    let row: Option<(String, i64, i64, String, String)> = c.maybe(FIND, args![user, id]).await?;
    let Some((name, started_at, left_out, feeds, complaints)) = row else { return Ok(None) };
    let rows: Vec<FeedRow> = c.all(PROGRESS, args![&feeds, user]).await?;
    let mut rows: std::collections::HashMap<i64, FeedRow> =
        rows.into_iter().map(|row| (row.0, row)).collect();
    let order: Vec<i64> = serde_json::from_str(&feeds).unwrap_or_default();
    let mut progress = ImportProgress {
        name,
        started_at: Timestamp::from_micros(started_at),
        feeds: order.iter().copied().map(FeedId).collect(),
        ticks: Vec::with_capacity(order.len()),
        items: 0,
        failed: Vec::new(),
        left_out: u64::try_from(left_out).unwrap_or(0),
        complaints: serde_json::from_str(&complaints).unwrap_or_default(),
    };
    for (feed, items, failures, has_succeeded, title, url, sentence, next_poll_at) in
        order.iter().filter_map(|feed| rows.remove(feed))
    {
        let tick = match (failures, has_succeeded) {
            (1.., _) => Tick::Failed,
            (_, true) => Tick::Fetched,
            (_, false) => Tick::Waiting,
        };
        progress.ticks.push(tick);
        progress.items = progress.items.saturating_add(u64::try_from(items).unwrap_or(0));
        if tick == Tick::Failed && progress.failed.len() < FAILED_MAX {
            let next_poll_at = Timestamp::from_micros(next_poll_at);
            progress.failed.push(ImportFailure { feed: FeedId(feed), title, url, sentence, next_poll_at });
        }
    }
    Ok(Some(progress))
}
