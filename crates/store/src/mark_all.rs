//! "Mark all read", marking a group, and taking either back.
//!
//! Marking all moves watermarks: its cost is per feed, not per item. Items that arrived after the person last looked
//! keep their state through marks of their own. What an undo needs is little: the watermarks before, and the marks
//! that were dropped. Marks made since then win over it.

use crate::boxed;
use crate::error::Result;
use crate::feeds::to_json;
use crate::list::feeds_in;
use crate::mark;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::{MarkedAll, Scope, UpTo};
use crate::undo::{self, UndoKind};
use domain::{FeedId, ItemId, Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// `FOR UPDATE` also makes a poll that stores items wait, or us for it.
const SUBSCRIPTIONS: Sql = sql!("reading watermarks",
    "SELECT t.feed_id, t.watermark, t.unread,
         COALESCE((SELECT MAX(i.sort_at) FROM item i WHERE i.feed_id = t.feed_id), t.watermark) AS newest
     FROM subscription t WHERE t.user_id = $2 AND t.feed_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")
     ORDER BY t.user_id, t.feed_id" lock);
const DROP_UNREAD_MARKS: Sql = sql!("dropping unread marks",
    "DELETE FROM read_mark WHERE user_id = $2 AND NOT is_read AND sort_at <= $3 AND item_id <= $4
       AND feed_id IN (SELECT CAST(r.value ->> 'feed' AS BIGINT) FROM " rows ")
     RETURNING feed_id, item_id, sort_at");
/// Items that came after `$3` and are about to sink below (or rise above) a watermark keep their state by a mark.
const PIN: Sql = sql!("keeping later items as they are",
    "INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
     SELECT $2, i.feed_id, i.id, i.sort_at, $4
     FROM item i JOIN " rows " ON i.feed_id = CAST(r.value ->> 'feed' AS BIGINT)
     WHERE i.id > $3 AND i.sort_at > CAST(r.value ->> 'low' AS BIGINT) AND i.sort_at <= CAST(r.value ->> 'high' AS BIGINT)
     ON CONFLICT (user_id, feed_id, item_id) DO NOTHING");
const SET_WATERMARKS: Sql = sql!("moving watermarks",
    "UPDATE subscription SET watermark = CAST(r.value ->> 'to' AS BIGINT)
     FROM " rows " WHERE user_id = $2 AND feed_id = CAST(r.value ->> 'feed' AS BIGINT)");
const RECOUNT: Sql = sql!("counting unread items after a watermark moved",
    "UPDATE subscription SET unread =
         (SELECT COUNT(*) FROM item i WHERE i.feed_id = subscription.feed_id AND i.sort_at > subscription.watermark
             AND NOT EXISTS (SELECT 1 FROM read_mark m WHERE m.user_id = subscription.user_id
                 AND m.feed_id = subscription.feed_id AND m.item_id = i.id))
         + (SELECT COUNT(*) FROM read_mark m WHERE m.user_id = subscription.user_id
             AND m.feed_id = subscription.feed_id AND NOT m.is_read)
     WHERE user_id = $2 AND feed_id IN (SELECT CAST(r.value ->> 'feed' AS BIGINT) FROM " rows ")
     RETURNING feed_id, unread");
const PUT_MARKS_BACK: Sql = sql!("putting unread marks back",
    "INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
     SELECT $2, i.feed_id, i.id, i.sort_at, false FROM " rows " JOIN item i ON i.id = CAST(r.value AS BIGINT)
     JOIN subscription s ON s.user_id = $2 AND s.feed_id = i.feed_id WHERE true
     ON CONFLICT (user_id, feed_id, item_id) DO NOTHING");
const UNREAD_KEPT: Sql = sql!(
    "finding unread starred or tagged items",
    "SELECT i.id FROM (SELECT item_id FROM star WHERE user_id = $2 AND $1 = ''
         UNION ALL SELECT item_id FROM item_tag WHERE user_id = $2 AND tag = $1) k
     JOIN item i ON i.id = k.item_id JOIN subscription s ON s.user_id = $2 AND s.feed_id = i.feed_id
     LEFT JOIN read_mark m ON m.user_id = $2 AND m.feed_id = i.feed_id AND m.item_id = i.id
     WHERE NOT COALESCE(m.is_read, i.sort_at <= s.watermark) AND i.sort_at <= $3 AND i.id <= $4"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[SUBSCRIPTIONS, DROP_UNREAD_MARKS, PIN, SET_WATERMARKS, RECOUNT, PUT_MARKS_BACK, UNREAD_KEPT];

/// Items of a group.
const GROUP_MAX: usize = 1_000;

impl Store {
    #[boxed]
    pub async fn mark_all_read(
        &self,
        user: UserId,
        scope: &Scope,
        up_to: UpTo,
        now: Timestamp,
    ) -> Result<MarkedAll> {
        self.write("marking all read", (user, scope.clone(), up_to, now), |c, (user, scope, up_to, now)| {
            Box::pin(async move {
                match scope {
                    Scope::All | Scope::Feed(_) | Scope::Folder(_) => {
                        by_feeds(c, *user, scope, *up_to, *now).await
                    }
                    Scope::Starred => by_items(c, *user, "", *up_to, *now).await,
                    Scope::Tag(tag) => by_items(c, *user, tag, *up_to, *now).await,
                    // Hidden items are read.
                    Scope::Hidden => Ok(MarkedAll { changed: 0, undo: None }),
                }
            })
        })
        .await
    }

    /// Marks a few items as one: [`Store::undo`] takes it back as one. At most the first 1,000 items.
    #[boxed]
    pub async fn mark_many(
        &self,
        user: UserId,
        items: &[ItemId],
        read: bool,
        now: Timestamp,
    ) -> Result<MarkedAll> {
        let items: Vec<ItemId> = items.iter().copied().take(GROUP_MAX).collect();
        self.write("marking a group", (user, items, read, now), |c, (user, items, read, now)| {
            Box::pin(async move {
                let changed = mark::apply_read(c, *user, items, *read).await?;
                let count = i64::try_from(changed.len()).unwrap_or(i64::MAX);
                let changed = changed.into_iter().map(|item| item.0).collect();
                let undo = if *read {
                    Undo { items: changed, ..Undo::default() }
                } else {
                    Undo { unread: changed, ..Undo::default() }
                };
                keep_undo(c, *user, count, &undo, *now).await
            })
        })
        .await
    }
}

/// A watermark's way through one operation; also the JSON row of the statements above.
#[derive(Serialize)]
struct Move {
    feed: i64,
    to: i64,
    low: i64,
    high: i64,
    #[serde(skip)]
    unread: i64,
}

/// What is stored to take it back.
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct Undo {
    /// Feed and its watermark before.
    watermarks: Vec<(i64, i64)>,
    /// Items whose unread marks were dropped.
    marks: Vec<i64>,
    /// Items that were marked one by one.
    items: Vec<i64>,
    /// Items that were marked unread one by one.
    #[serde(default)]
    unread: Vec<i64>,
}

async fn by_feeds(
    c: &mut Conn,
    user: UserId,
    scope: &Scope,
    up_to: UpTo,
    now: Timestamp,
) -> Result<MarkedAll> {
    let feeds = feeds_in(c, user, scope, true).await?;
    let rows: Vec<(i64, i64, i64, i64)> = c.all(SUBSCRIPTIONS, args![&json_rows(&feeds), user]).await?;
    let moves: Vec<Move> = rows
        .iter()
        .filter(|(.., unread, _)| *unread > 0)
        .map(|&(feed, watermark, unread, newest)| {
            let to = newest.min(up_to.sort_at.micros()).max(watermark);
            Move { feed, to, low: watermark, high: to, unread }
        })
        .collect();
    let json = json_rows(&moves);
    let dropped: Vec<(i64, i64, i64)> =
        c.all(DROP_UNREAD_MARKS, args![&json, user, up_to.sort_at, up_to.item]).await?;
    c.run(PIN, args![&json, user, up_to.item, false]).await?;
    c.run(SET_WATERMARKS, args![&json, user]).await?;
    let left: Vec<(i64, i64)> = c.all(RECOUNT, args![&json, user]).await?;
    let before: i64 = moves.iter().map(|moved| moved.unread).sum();
    let after: i64 = left.iter().map(|(_, unread)| unread).sum();
    let undo = Undo {
        watermarks: moves.iter().map(|moved| (moved.feed, moved.low)).collect(),
        marks: dropped.into_iter().map(|(_, item, _)| item).collect(),
        ..Undo::default()
    };
    keep_undo(c, user, before - after, &undo, now).await
}

async fn by_items(c: &mut Conn, user: UserId, tag: &str, up_to: UpTo, now: Timestamp) -> Result<MarkedAll> {
    let unread: Vec<(i64,)> = c.all(UNREAD_KEPT, args![tag, user, up_to.sort_at, up_to.item]).await?;
    let items: Vec<ItemId> = unread.into_iter().map(|(item,)| ItemId(item)).collect();
    let changed = mark::apply_read(c, user, &items, true).await?;
    let undo = Undo { items: changed.iter().map(|item| item.0).collect(), ..Undo::default() };
    keep_undo(c, user, i64::try_from(changed.len()).unwrap_or(i64::MAX), &undo, now).await
}

async fn keep_undo(
    c: &mut Conn,
    user: UserId,
    changed: i64,
    undo: &Undo,
    now: Timestamp,
) -> Result<MarkedAll> {
    let changed = u64::try_from(changed).unwrap_or(0);
    if changed == 0 {
        return Ok(MarkedAll { changed, undo: None });
    }
    let token = undo::keep(c, user, UndoKind::Read, &to_json(undo), None, now).await?;
    Ok(MarkedAll { changed, undo: Some(token) })
}

/// Takes a "mark all read" back and tells how many items are unread again.
pub(crate) async fn take_back(c: &mut Conn, user: UserId, undo: &Undo, newest_item: i64) -> Result<u64> {
    let items = |numbers: &[i64]| numbers.iter().map(|item| ItemId(*item)).collect::<Vec<_>>();
    let marked = mark::apply_read(c, user, &items(&undo.items), false).await?;
    mark::apply_read(c, user, &items(&undo.unread), true).await?;
    let feeds: Vec<i64> = undo.watermarks.iter().map(|(feed, _)| *feed).collect();
    let rows: Vec<(i64, i64, i64, i64)> = c.all(SUBSCRIPTIONS, args![&json_rows(&feeds), user]).await?;
    let before =
        |feed: i64| undo.watermarks.iter().find(|(other, _)| *other == feed).map_or(i64::MAX, |(_, at)| *at);
    let moves: Vec<Move> = rows
        .iter()
        .map(|&(feed, watermark, unread, _)| {
            let to = before(feed).min(watermark);
            Move { feed, to, low: to, high: watermark, unread }
        })
        .collect();
    let json = json_rows(&moves);
    // What arrived since and is read by the present watermark stays read.
    c.run(PIN, args![&json, user, newest_item, true]).await?;
    c.run(SET_WATERMARKS, args![&json, user]).await?;
    c.run(PUT_MARKS_BACK, args![&json_rows(&undo.marks), user]).await?;
    let left: Vec<(i64, i64)> = c.all(RECOUNT, args![&json, user]).await?;
    let before: i64 = moves.iter().map(|moved| moved.unread).sum();
    let after: i64 = left.iter().map(|(_, unread)| unread).sum();
    Ok(u64::try_from(after - before).unwrap_or(0) + marked.len() as u64)
}

/// Counts one subscription's unread items anew.
pub(crate) async fn recount(c: &mut Conn, user: UserId, feed: FeedId) -> Result<u64> {
    #[derive(Serialize)]
    struct Of {
        feed: FeedId,
    }
    let counted: Option<(i64, i64)> = c.maybe(RECOUNT, args![&json_rows(&[Of { feed }]), user]).await?;
    Ok(counted.map_or(0, |(_, unread)| u64::try_from(unread).unwrap_or(0)))
}
