//! Which items of a document are already known (D1, D2, D7).

use crate::boxed;
use crate::error::Result;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::Recognised;
use domain::{FeedId, Identity, ItemId, Timestamp};
use serde::Serialize;
use std::collections::HashMap;

/// Names are per feed: a feed cannot reach another's items (D2). The cross join keeps SQLite from walking all names of
/// the feed and unpacking the document's for each of them.
const FIND_NAMES: Sql = sql!("recognising items",
    "SELECT CAST(r.value ->> 'n' AS BIGINT), n.item_id, i.content_hash, i.revision, i.revised_at
     FROM " rows " CROSS JOIN item_name n LEFT JOIN item i ON i.id = n.item_id
     WHERE n.feed_id = $3 AND n.name = substr(" blob ", CAST(r.value ->> 'at' AS INTEGER), 16)");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[FIND_NAMES];

/// Identity, twin and content hash of an item of a document.
pub type Seen = (Identity, Option<Identity>, u64);

impl Store {
    /// Answers in the order given.
    #[boxed]
    pub async fn recognise(&self, feed: FeedId, items: &[Seen]) -> Result<Vec<Recognised>> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        self.read(FIND_NAMES.doing, (feed, items.to_vec()), |c, (feed, items)| {
            Box::pin(recognise(c, *feed, items))
        })
        .await
    }
}

/// A name's place in the blob of names.
#[derive(Serialize)]
struct NameAt {
    n: usize,
    at: usize,
}

/// What a name leads to: an item with hash, revision and time of the last edit, or a tombstone.
type Found = (i64, Option<i64>, Option<i64>, Option<i64>, Option<i64>);

async fn recognise(c: &mut Conn, feed: FeedId, items: &[Seen]) -> Result<Vec<Recognised>> {
    let mut names = Vec::with_capacity(items.len() * 32);
    let mut places = Vec::with_capacity(items.len() * 2);
    for (n, (identity, twin, _)) in items.iter().enumerate() {
        // Even numbers are identities, odd ones twins.
        for (number, name) in [(2 * n, Some(identity)), (2 * n + 1, twin.as_ref())] {
            if let Some(name) = name {
                places.push(NameAt { n: number, at: names.len() + 1 });
                names.extend_from_slice(&name.0.to_be_bytes());
            }
        }
    }
    let rows: Vec<Found> = c.all(FIND_NAMES, args![&json_rows(&places), &names, feed]).await?;
    let found: HashMap<i64, Found> = rows.into_iter().map(|row| (row.0, row)).collect();
    let at = |number: usize| i64::try_from(number).ok().and_then(|number| found.get(&number));
    let answer = |(n, (_, _, hash)): (usize, &Seen)| {
        let hash = crate::pack::hash_to_column(*hash);
        match (at(2 * n), at(2 * n + 1)) {
            (Some((_, Some(item), stored, revision, revised_at)), _) => Recognised::Known {
                item: ItemId(*item),
                changed: *stored != Some(hash),
                revision: revision.and_then(|r| u32::try_from(r).ok()).unwrap_or(0),
                revised_at: revised_at.map(Timestamp::from_micros),
            },
            (Some((_, None, ..)), _) | (None, Some((_, None, ..))) => Recognised::Tombstone,
            (None, Some((_, Some(item), stored, ..))) => {
                Recognised::Twin { item: ItemId(*item), changed: *stored != Some(hash) }
            }
            (None, None) => Recognised::New,
        }
    };
    Ok(items.iter().enumerate().map(answer).collect())
}
