//! What people do, recorded as it happened: learning reads it, nothing rewrites it.

use crate::boxed;
use crate::error::Result;
use crate::mark::{hide, unhide};
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use domain::interaction::{Access, Interaction, InteractionKind};
use domain::{FeedId, ItemId, UserId};
use serde::Serialize;

/// Only of items the person subscribes to: nobody can leave traces on, or probe for, what is not theirs.
const ADD: Sql = sql!("recording interactions",
    "INSERT INTO interaction (user_id, item_id, feed_id, kind, at, place, position, dwell_ms)
     SELECT s.user_id, i.id, i.feed_id, r.value ->> 'kind', CAST(r.value ->> 'at' AS BIGINT), r.value ->> 'place',
         CAST(r.value ->> 'position' AS BIGINT), CAST(r.value ->> 'dwell_ms' AS BIGINT)
     FROM " rows " JOIN item i ON i.id = CAST(r.value ->> 'item' AS BIGINT)
     JOIN subscription s ON s.user_id = CAST(r.value ->> 'user' AS BIGINT) AND s.feed_id = i.feed_id
     ORDER BY CAST(r.value ->> 'nth' AS BIGINT)");
const ADD_ACCESS: Sql =
    sql!("recording a visit", "INSERT INTO access_log (user_id, at, feed_id) VALUES ($1, $2, $3)");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[ADD, ADD_ACCESS];

const CHUNK: usize = 1_000;
const PLACE_BYTES_MAX: usize = 64;

impl Store {
    /// Returns how many were recorded. `Hide` also takes the item out of the unread ones; `Unhide` shows it again.
    #[boxed]
    pub async fn record_interactions(&self, interactions: &[Interaction]) -> Result<u64> {
        let mut recorded = 0;
        for chunk in interactions.chunks(CHUNK) {
            recorded += self.write(ADD.doing, chunk.to_vec(), |c, chunk| Box::pin(record(c, chunk))).await?;
        }
        Ok(recorded)
    }

    #[boxed]
    pub async fn record_access(&self, access: &Access) -> Result<()> {
        self.write(ADD_ACCESS.doing, access.clone(), |c, access| {
            Box::pin(async move {
                let feed = access.feed.map(|FeedId(feed)| feed);
                c.run(ADD_ACCESS, args![access.user, access.at, feed]).await.map(drop)
            })
        })
        .await
    }
}

#[derive(Serialize)]
struct Row<'a> {
    /// Numbers are handed out in the order things happened.
    nth: usize,
    user: UserId,
    item: ItemId,
    kind: &'static str,
    at: i64,
    place: &'a str,
    position: Option<u32>,
    dwell_ms: Option<u64>,
}

async fn record(c: &mut Conn, interactions: &[Interaction]) -> Result<u64> {
    let recorded = add(c, interactions).await?;
    // In the order they happened: hiding and showing again leaves an item shown.
    for seen in interactions {
        match seen.kind {
            InteractionKind::Hide => drop(hide(c, seen.user, &[seen.item], seen.at).await?),
            InteractionKind::Unhide => drop(unhide(c, seen.user, &[seen.item]).await?),
            _ => {}
        }
    }
    Ok(recorded)
}

/// Writes the records alone, and tells how many.
pub(crate) async fn add(c: &mut Conn, interactions: &[Interaction]) -> Result<u64> {
    if interactions.is_empty() {
        return Ok(0);
    }
    let row = |(nth, seen): (usize, &Interaction)| Row {
        nth,
        user: seen.user,
        item: seen.item,
        kind: seen.kind.name(),
        at: seen.at.micros(),
        place: "",
        position: seen.position,
        dwell_ms: seen.dwell_ms.map(|dwell| dwell.min(i64::MAX.unsigned_abs())),
    };
    let mut rows: Vec<Row<'_>> = interactions.iter().enumerate().map(row).collect();
    for (row, seen) in rows.iter_mut().zip(interactions) {
        row.place = &seen.place[..seen.place.floor_char_boundary(PLACE_BYTES_MAX)];
    }
    c.run(ADD, args![&json_rows(&rows)]).await
}
