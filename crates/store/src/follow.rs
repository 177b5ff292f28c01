//! Following items by their numbers, for whoever keeps something beside the store: a search index, what was learned.
//!
//! A follower asks for the items after the last it knows, and for what happened to those it knows. That is only sound
//! if numbers become visible in order. SQLite has one writer, so they do. In PostgreSQL a transaction may hold a number
//! while a later one is already to be seen: every transaction that numbers items or changes takes a shared advisory lock
//! before, and what was handed out counts as settled once all who held the lock at that moment are gone. Nobody waits
//! for anybody by that, and other people's transactions on the same server do not matter.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::list::ItemRow;
use crate::pack::unpack;
use crate::sql::{Conn, Sql, args, json_rows, row, sql};
use crate::store::Store;
use crate::types::{ItemChange, ItemChangeKind, ItemChanges, ItemPage, WholeItem, WholeItems};
use domain::{FeedId, ItemBody, ItemContent, ItemId, Timestamp};
use rand::Rng;
use serde::Serialize;
use std::collections::HashSet;
use std::time::Duration;

const HEIGHTS: Sql = sql!("reading the newest numbers", heights);
const HOLDERS: Sql = sql!("looking who numbers items", number_holders);
const HOLD: Sql = sql!("holding item numbers", hold_numbers);
const SIZES: Sql = sql!(
    "looking for items to follow",
    "SELECT id, bytes FROM item WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3"
);
const FOLLOWED: Sql = sql!("following items",
    "SELECT " whole_columns " FROM item i JOIN feed f ON f.id = i.feed_id
     LEFT JOIN item_body b ON b.item_id = i.id WHERE i.id > $1 AND i.id <= $2 ORDER BY i.id");
const WHOLE: Sql = sql!("reading items whole",
    "SELECT " whole_columns " FROM " rows " JOIN item i ON i.id = CAST(r.value AS BIGINT)
     JOIN feed f ON f.id = i.feed_id LEFT JOIN item_body b ON b.item_id = i.id");
const SIZES_OF: Sql = sql!("reading items' sizes",
    "SELECT i.id, i.bytes FROM " rows " JOIN item i ON i.id = CAST(r.value AS BIGINT)");
const NEWEST_OF_FEED: Sql = sql!(
    "reading a feed's newest items",
    "SELECT id FROM item WHERE feed_id = $1 AND id <= $2 ORDER BY sort_at DESC, id DESC LIMIT $3"
);
const FIRST_SEEN_AT: Sql = sql!(
    "reading when an item was found",
    "SELECT first_seen_at FROM item WHERE id >= $1 ORDER BY id LIMIT 1"
);
const ITEMS_BEFORE: Sql =
    sql!("finding where to begin", "SELECT id FROM item WHERE id <= $1 ORDER BY id DESC LIMIT 1 OFFSET $2");
const TOTAL: Sql = sql!("counting all items", "SELECT CAST(COALESCE(SUM(items), 0) AS BIGINT) FROM feed");
const CHANGES: Sql = sql!(
    "following changes",
    "SELECT id, item_id, feed_id, kind FROM item_change WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3"
);
const FORGOTTEN: Sql =
    sql!("reading what was forgotten", "SELECT value FROM counter WHERE name = 'forgotten'");
const NEWEST_CHANGE: Sql =
    sql!("reading the newest change", "SELECT COALESCE(MAX(id), 0) FROM item_change WHERE id <= $1");
const RECORD: Sql = sql!("noting changes for followers",
    hold "INSERT INTO item_change (item_id, feed_id, kind, at)
     SELECT CAST(r.value ->> 'item' AS BIGINT), CAST(r.value ->> 'feed' AS BIGINT), $2, $3 FROM " rows held " WHERE true");
const FORGET: Sql = sql!("forgetting old changes", "DELETE FROM item_change WHERE at < $1 RETURNING id");
const SET_FORGOTTEN: Sql = sql!(
    "noting what was forgotten",
    "UPDATE counter SET value = $1 WHERE name = 'forgotten' AND value < $1"
);
const EPOCH: Sql = sql!("reading the store's epoch", "SELECT value FROM setting WHERE name = 'epoch'");
const BEGIN_EPOCH: Sql = sql!(
    "beginning an epoch",
    "INSERT INTO setting (name, value) VALUES ('epoch', $1) ON CONFLICT (name) DO NOTHING"
);
const END_EPOCH: Sql = sql!("ending an epoch", "DELETE FROM setting WHERE name = 'epoch'");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    HEIGHTS,
    HOLDERS,
    HOLD,
    SIZES,
    FOLLOWED,
    WHOLE,
    SIZES_OF,
    NEWEST_OF_FEED,
    FIRST_SEEN_AT,
    ITEMS_BEFORE,
    TOTAL,
    CHANGES,
    FORGOTTEN,
    NEWEST_CHANGE,
    RECORD,
    FORGET,
    SET_FORGOTTEN,
    EPOCH,
    BEGIN_EPOCH,
    END_EPOCH,
];

const LIMIT_MAX: u32 = 2_000;
/// Packed bodies read by one call, and what they may come to unpacked: a page of items costs no more memory than that
/// and one item.
const PACKED_BYTES_MAX: i64 = 2 << 20;
const BYTES_MAX: usize = 8 << 20;
/// Halving stops at so many numbers: a few items too many do no harm.
const SEARCH_STEP: i64 = 100;
/// A follower that was away for longer starts from the beginning.
const CHANGES_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Numbers up to which nothing is under way any more.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    now: Heights,
    /// What was handed out when somebody was still at work, and who that was.
    waiting: Option<(Heights, HashSet<String>)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Heights {
    item: i64,
    change: i64,
}

impl Store {
    /// Items stored after `after`, of all feeds, in the order of their numbers: at most `limit` (2,000), and some 8 MB.
    #[boxed]
    pub async fn items_after(&self, after: ItemId, limit: u32) -> Result<ItemPage> {
        let height = self.settle().await?.item;
        let limit = i64::from(limit.clamp(1, LIMIT_MAX));
        self.read(FOLLOWED.doing, (after.0, height, limit), |c, (after, height, limit)| {
            Box::pin(items_after(c, *after, *height, *limit))
        })
        .await
    }

    /// These items, as far as they are there, in the order asked for; with the same bounds.
    #[boxed]
    pub async fn items_whole(&self, items: &[ItemId]) -> Result<WholeItems> {
        let items: Vec<ItemId> = items.iter().copied().take(LIMIT_MAX as usize).collect();
        self.read(WHOLE.doing, items, |c, items| Box::pin(items_whole(c, items))).await
    }

    /// The numbers of a feed's newest items up to `to`, in the order in which they are sorted: what a lost profile is learned from again.
    #[boxed]
    pub async fn newest_of_feed(&self, feed: FeedId, to: ItemId, limit: u32) -> Result<Vec<ItemId>> {
        let limit = i64::from(limit.clamp(1, LIMIT_MAX));
        let mut rows: Vec<(i64,)> = self
            .read(NEWEST_OF_FEED.doing, (feed, to, limit), |c, (feed, to, limit)| {
                Box::pin(async move { c.all(NEWEST_OF_FEED, args![*feed, *to, *limit]).await })
            })
            .await?;
        rows.reverse();
        Ok(rows.into_iter().map(|(id,)| ItemId(id)).collect())
    }

    /// The number before the first item that was found since a time, of the newest `most` items up to `to`.
    #[boxed]
    pub async fn before_first_since(&self, since: Timestamp, to: ItemId, most: u32) -> Result<ItemId> {
        let args = (since, to, i64::from(most));
        self.read(ITEMS_BEFORE.doing, args, |c, (since, to, most)| {
            Box::pin(async move {
                let oldest: Option<(i64,)> = c.maybe(ITEMS_BEFORE, args![*to, *most]).await?;
                let mut low = oldest.map_or(0, |(id,)| id);
                let mut high = to.0;
                // Items are found in the order of their numbers, near enough for halving.
                while high - low > SEARCH_STEP {
                    let middle = low + (high - low) / 2;
                    let seen: Option<(i64,)> = c.maybe(FIRST_SEEN_AT, args![middle]).await?;
                    match seen {
                        Some((at,)) if at < since.micros() => low = middle,
                        _ => high = middle,
                    }
                }
                Ok(ItemId(low))
            })
        })
        .await
    }

    /// All items there are, as feeds count them.
    #[boxed]
    pub async fn items_total(&self) -> Result<u64> {
        let (total,): (i64,) =
            self.read(TOTAL.doing, (), |c, ()| Box::pin(async move { c.one(TOTAL, args![]).await })).await?;
        Ok(u64::try_from(total).unwrap_or(0))
    }

    /// What happened to known items after the change `after`; at most `limit` (2,000).
    #[boxed]
    pub async fn item_changes_after(&self, after: i64, limit: u32) -> Result<ItemChanges> {
        let height = self.settle().await?.change;
        let limit = i64::from(limit.clamp(1, LIMIT_MAX));
        self.read(CHANGES.doing, (after, height, limit), |c, (after, height, limit)| {
            Box::pin(changes_after(c, *after, *height, *limit))
        })
        .await
    }

    /// The newest change so far: where a follower that starts from the beginning begins to hear of changes.
    #[boxed]
    pub async fn newest_change(&self) -> Result<i64> {
        let height = self.settle().await?.change;
        let (newest,): (i64,) = self
            .read(NEWEST_CHANGE.doing, height, |c, height| {
                Box::pin(async move {
                    let (newest,): (i64,) = c.one(NEWEST_CHANGE, args![*height]).await?;
                    let (forgotten,): (i64,) = c.one(FORGOTTEN, args![]).await?;
                    Ok((newest.max(forgotten),))
                })
            })
            .await?;
        Ok(newest)
    }

    /// A word that is another after a restore: numbers of one epoch mean nothing in the next.
    #[boxed]
    pub async fn epoch(&self) -> Result<String> {
        let word: Option<(String,)> = self
            .read(EPOCH.doing, (), |c, ()| Box::pin(async move { c.maybe(EPOCH, args![]).await }))
            .await?;
        if let Some((word,)) = word {
            return Ok(word);
        }
        let new = format!("{:016x}", rand::rng().next_u64());
        let (word,): (String,) = self
            .write(BEGIN_EPOCH.doing, new, |c, new| {
                Box::pin(async move {
                    c.run(BEGIN_EPOCH, args![new]).await?;
                    c.one(EPOCH, args![]).await
                })
            })
            .await?;
        Ok(word)
    }

    /// How far numbers are settled.
    async fn settle(&self) -> Result<Heights> {
        let Some(settled) = &self.inner.settled else {
            return Ok(Heights { item: i64::MAX, change: i64::MAX });
        };
        let mut settled = settled.lock().await;
        if let Some((heights, holders)) = settled.waiting.take() {
            let now = self.holders().await?;
            let left: HashSet<String> = holders.intersection(&now).cloned().collect();
            if left.is_empty() {
                settled.now = heights;
            } else {
                settled.waiting = Some((heights, left));
                return Ok(settled.now);
            }
        }
        let (item, change): (i64, i64) = self
            .read(HEIGHTS.doing, (), |c, ()| Box::pin(async move { c.one(HEIGHTS, args![]).await }))
            .await?;
        let heights = Heights { item, change };
        if heights != settled.now {
            // Asked after the heights: whoever took one of these numbers holds the lock still, or has ended.
            let holders = self.holders().await?;
            if holders.is_empty() {
                settled.now = heights;
            } else {
                settled.waiting = Some((heights, holders));
            }
        }
        Ok(settled.now)
    }

    async fn holders(&self) -> Result<HashSet<String>> {
        let rows: Vec<(String,)> = self
            .read(HOLDERS.doing, (), |c, ()| Box::pin(async move { c.all(HOLDERS, args![]).await }))
            .await?;
        Ok(rows.into_iter().map(|(holder,)| holder).collect())
    }
}

async fn items_after(c: &mut Conn, after: i64, height: i64, limit: i64) -> Result<ItemPage> {
    let sizes: Vec<(i64, i64)> = c.all(SIZES, args![after, height, limit]).await?;
    let fitting = fitting(&sizes);
    let Some(&(last, _)) = sizes.get(fitting.saturating_sub(1)) else {
        // Numbers that nobody will use are passed over, where it is known how far they go.
        let to = if height == i64::MAX { after } else { after.max(height) };
        return Ok(ItemPage { items: Vec::new(), to: ItemId(to), more: false });
    };
    let rows: Vec<WholeRow> = c.all(FOLLOWED, args![after, last]).await?;
    let all = rows.len();
    let items = unpacked(rows)?;
    let cut = items.len() < all;
    let to = if cut { items.last().map_or(last, |item| item.content.item.id.0) } else { last };
    let more = cut || fitting < sizes.len() || i64::try_from(sizes.len()).unwrap_or(i64::MAX) >= limit;
    Ok(ItemPage { items, to: ItemId(to), more })
}

async fn items_whole(c: &mut Conn, items: &[ItemId]) -> Result<WholeItems> {
    let sizes: Vec<(i64, i64)> = c.all(SIZES_OF, args![&json_rows(items)]).await?;
    let sizes: std::collections::HashMap<i64, i64> = sizes.into_iter().collect();
    let in_order: Vec<(i64, i64)> =
        items.iter().map(|item| (item.0, sizes.get(&item.0).copied().unwrap_or(0))).collect();
    let asked = &items[..fitting(&in_order)];
    let rows: Vec<WholeRow> = c.all(WHOLE, args![&json_rows(asked)]).await?;
    let mut found: std::collections::HashMap<i64, WholeRow> =
        rows.into_iter().map(|row| (row.item.id, row)).collect();
    let (mut whole, mut bytes, mut told) = (Vec::new(), 0, 0);
    for item in asked {
        if bytes >= BYTES_MAX {
            break;
        }
        told += 1;
        if let Some(row) = found.remove(&item.0) {
            let (item, size) = row.whole()?;
            bytes += size;
            whole.push(item);
        }
    }
    Ok(WholeItems { items: whole, asked: told })
}

/// How many of these sizes fit together; at least one.
fn fitting(sizes: &[(i64, i64)]) -> usize {
    let mut sum = 0_i64;
    let over = sizes.iter().position(|(_, bytes)| {
        sum = sum.saturating_add(*bytes);
        sum > PACKED_BYTES_MAX
    });
    over.map_or(sizes.len(), |over| over.max(1))
}

/// As many as fit; at least one.
fn unpacked(rows: Vec<WholeRow>) -> Result<Vec<WholeItem>> {
    let (mut items, mut bytes) = (Vec::with_capacity(rows.len()), 0);
    for row in rows {
        if bytes >= BYTES_MAX {
            break;
        }
        let (item, size) = row.whole()?;
        bytes += size;
        items.push(item);
    }
    Ok(items)
}

row! {
    struct WholeRow {
        ..item: ItemRow,
        feed_language: Option<String>,
        body: Option<Vec<u8>>,
    }
}

impl WholeRow {
    /// The item, and about how many bytes it takes. A body that cannot be read is an empty one: whoever follows must
    /// not stand still for it.
    fn whole(self) -> Result<(WholeItem, usize)> {
        let body: ItemBody = match self.body.as_deref().map(unpack) {
            Some(Ok(body)) => body,
            Some(Err(error)) => {
                tracing::warn!(item = self.item.id, %error, "an item is followed without its body");
                ItemBody::default()
            }
            None => ItemBody::default(),
        };
        let long = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let size = 512 + long(&self.item.title) + long(&body.content) + long(&body.summary);
        let item = self.item.row()?.item;
        Ok((WholeItem { content: ItemContent { item, body }, feed_language: self.feed_language }, size))
    }
}

async fn changes_after(c: &mut Conn, after: i64, height: i64, limit: i64) -> Result<ItemChanges> {
    let (forgotten,): (i64,) = c.one(FORGOTTEN, args![]).await?;
    let rows: Vec<(i64, i64, i64, String)> = c.all(CHANGES, args![after, height, limit]).await?;
    let more = i64::try_from(rows.len()).unwrap_or(i64::MAX) >= limit;
    let changes: Vec<ItemChange> = rows
        .into_iter()
        .map(|(id, item, feed, kind)| {
            let kind = ItemChangeKind::from_name(&kind)
                .ok_or_else(|| StoreError::Damaged { what: format!("the kind of change {id}") })?;
            Ok(ItemChange { id, item: ItemId(item), feed: FeedId(feed), kind })
        })
        .collect::<Result<_>>()?;
    let to = changes.last().map_or(after, |change| change.id);
    Ok(ItemChanges { changes, to, more, missed: after < forgotten })
}

impl ItemChangeKind {
    const fn name(self) -> &'static str {
        match self {
            ItemChangeKind::Edited => "edited",
            ItemChangeKind::Removed => "removed",
            ItemChangeKind::FeedRemoved => "feed_removed",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        use ItemChangeKind::{Edited, FeedRemoved, Removed};
        [Edited, Removed, FeedRemoved].into_iter().find(|kind| kind.name() == name)
    }
}

/// Tells followers what became of items, in the transaction that does it.
pub(crate) async fn record(
    c: &mut Conn,
    changed: impl IntoIterator<Item = (FeedId, ItemId)>,
    kind: ItemChangeKind,
    now: Timestamp,
) -> Result<()> {
    #[derive(Serialize)]
    struct Row {
        item: ItemId,
        feed: FeedId,
    }
    let rows: Vec<Row> = changed.into_iter().map(|(feed, item)| Row { item, feed }).collect();
    if rows.is_empty() {
        return Ok(());
    }
    c.run(RECORD, args![&json_rows(&rows), kind.name(), now]).await.map(drop)
}

/// Before items are numbered by anything but a poll.
pub(crate) async fn hold_numbers(c: &mut Conn) -> Result<()> {
    let _held: Vec<(i64,)> = c.all(HOLD, args![]).await?;
    Ok(())
}

/// For [`Store::prune`]: tells how many changes went.
pub(crate) async fn forget_changes(c: &mut Conn, now: Timestamp) -> Result<u64> {
    let gone: Vec<(i64,)> = c.all(FORGET, args![now.saturating_sub(CHANGES_FOR)]).await?;
    if let Some(newest) = gone.iter().map(|(id,)| *id).max() {
        c.run(SET_FORGOTTEN, args![newest]).await?;
    }
    Ok(gone.len() as u64)
}

/// After a restore.
pub(crate) async fn end_epoch(c: &mut Conn) -> Result<()> {
    c.run(END_EPOCH, args![]).await.map(drop)
}
