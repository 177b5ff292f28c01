//! Letting old items go, a bounded amount per call.
//!
//! Starred, tagged and unread items stay whatever their age. Of a removed item only its names remain, as tombstones,
//! so that a feed that still shows it (or shows it again) does not bring it back. The same visit to a feed also
//! forgets its polls of more than 90 days ago and compacts its readers' marks.

use crate::boxed;
use crate::error::Result;
use crate::follow::record;
use crate::foryou;
use crate::prune::UNDO_READ_FOR;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::stories;
use crate::types::{ItemChangeKind, Removed, RetentionPolicy};
use domain::{FeedId, ItemId, Timestamp};
use std::time::Duration;

/// A feed is looked at again after this long.
const VISIT_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long it is remembered that a feed was polled.
const POLLS_FOR: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Marks beyond twice the unread items and this many are worth compacting.
const MARKS_WORTH_COMPACTING: i64 = 20;

const VISIT: Sql = sql!("finding feeds to clean",
    "SELECT t.id, t.keep_age_s, t.keep_count FROM feed t WHERE t.retention_at <= $1
     ORDER BY t.retention_at, t.id LIMIT $2" lock_free);
const BEYOND_COUNT: Sql = sql!(
    "finding the oldest item to keep",
    "SELECT sort_at, id FROM item WHERE feed_id = $1 ORDER BY sort_at DESC, id DESC LIMIT 1 OFFSET $2"
);
const EXPIRED: Sql = sql!(
    "finding items to remove",
    "SELECT i.id, i.bytes FROM item i
     WHERE i.feed_id = $1 AND (i.first_seen_at < $2 OR (i.sort_at, i.id) <= ($3, $4))
       AND NOT EXISTS (SELECT 1 FROM star k WHERE k.item_id = i.id)
       AND NOT EXISTS (SELECT 1 FROM item_tag k WHERE k.item_id = i.id)
       AND NOT EXISTS (SELECT 1 FROM share k WHERE k.item_id = i.id)
       AND NOT EXISTS (
           SELECT 1 FROM subscription s
           LEFT JOIN read_mark m ON m.user_id = s.user_id AND m.feed_id = s.feed_id AND m.item_id = i.id
           WHERE s.feed_id = i.feed_id AND NOT COALESCE(m.is_read, i.sort_at <= s.watermark))
     ORDER BY i.sort_at, i.id LIMIT $5"
);
const BURY: Sql = sql!("leaving tombstones",
    "UPDATE item_name SET item_id = NULL WHERE feed_id = $2
       AND item_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");
const REMOVE_MARKS: Sql = sql!("removing marks of removed items",
    "DELETE FROM read_mark WHERE feed_id = $2 AND user_id IN (SELECT user_id FROM subscription WHERE feed_id = $2)
       AND item_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");
const REMOVE_HIDDEN: Sql = sql!("removing hidden items",
    "DELETE FROM hidden_item WHERE item_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");
const REMOVE_PLACES: Sql = sql!("removing places in media",
    "DELETE FROM media_position WHERE item_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");
const REMOVE_TEXTS: Sql = sql!("removing full texts",
    "DELETE FROM full_text WHERE item_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");
const REMOVE_BODIES: Sql = sql!("removing bodies",
    "DELETE FROM item_body WHERE item_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");
const REMOVE_ITEMS: Sql = sql!("removing items",
    "DELETE FROM item WHERE id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");
const COUNT: Sql = sql!(
    "counting a cleaned feed",
    "UPDATE feed SET items = items - $2, bytes = bytes - $3, retention_at = $4 WHERE id = $1"
);
const FORGET_POLLS: Sql =
    sql!("forgetting old polls", "DELETE FROM poll WHERE feed_id = $1 AND started_at < $2");
const FORGET_UNDOS: Sql = sql!("forgetting old undos", "DELETE FROM undo WHERE made_at < $1");
const CROWDED: Sql = sql!("finding marks to compact",
    "SELECT t.user_id FROM subscription t WHERE t.feed_id = $1
       AND NOT EXISTS (SELECT 1 FROM undo WHERE undo.user_id = t.user_id AND undo.kind = 'read')
       AND (SELECT COUNT(*) FROM read_mark m WHERE m.user_id = t.user_id AND m.feed_id = $1) > 2 * t.unread + $2
     ORDER BY t.user_id" lock);
const PIN_UNREAD: Sql = sql!(
    "marking what stays unread",
    "INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
     SELECT s.user_id, s.feed_id, i.id, i.sort_at, false
     FROM subscription s JOIN item i ON i.feed_id = s.feed_id AND i.sort_at > s.watermark
     WHERE s.user_id = $1 AND s.feed_id = $2
     ON CONFLICT (user_id, feed_id, item_id) DO NOTHING"
);
const DROP_READ: Sql =
    sql!("dropping read marks", "DELETE FROM read_mark WHERE user_id = $1 AND feed_id = $2 AND is_read");
const LIFT: Sql = sql!("lifting a watermark",
    "UPDATE subscription SET watermark = COALESCE((SELECT MAX(i.sort_at) FROM item i WHERE i.feed_id = $2), watermark)
     WHERE user_id = $1 AND feed_id = $2");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    VISIT,
    BEYOND_COUNT,
    EXPIRED,
    BURY,
    REMOVE_MARKS,
    REMOVE_HIDDEN,
    REMOVE_PLACES,
    REMOVE_TEXTS,
    REMOVE_BODIES,
    REMOVE_ITEMS,
    COUNT,
    FORGET_POLLS,
    FORGET_UNDOS,
    CROWDED,
    PIN_UNREAD,
    DROP_READ,
    LIFT,
];

impl Store {
    /// Visits feeds not visited for a day, removes what may go, and stops at the policy's batch limits.
    #[boxed]
    pub async fn retention(&self, now: Timestamp, policy: &RetentionPolicy) -> Result<Removed> {
        let visit =
            self.write(VISIT.doing, (now, *policy), |c, (now, policy)| Box::pin(retain(c, *now, policy)));
        let removed = visit.await?;
        if removed.items > 0 {
            self.tell_followers();
        }
        Ok(removed)
    }
}

type FeedRow = (i64, Option<i64>, Option<i64>);

async fn retain(c: &mut Conn, now: Timestamp, policy: &RetentionPolicy) -> Result<Removed> {
    c.run(FORGET_UNDOS, args![now.saturating_sub(UNDO_READ_FOR)]).await?;
    let feeds: Vec<FeedRow> = c.all(VISIT, args![now, i64::from(policy.batch.feeds_max.max(1))]).await?;
    let mut removed =
        Removed { items: 0, more: feeds.len() as u64 >= u64::from(policy.batch.feeds_max.max(1)) };
    let mut left = i64::from(policy.batch.items_max.max(1));
    for feed in &feeds {
        let gone = clean_feed(c, feed, policy, now, left).await?;
        removed.items += u64::try_from(gone).unwrap_or(0);
        left -= gone;
        if left <= 0 {
            removed.more = true;
            break;
        }
        c.run(FORGET_POLLS, args![feed.0, now.saturating_sub(POLLS_FOR)]).await?;
        compact(c, FeedId(feed.0)).await?;
    }
    Ok(removed)
}

/// Removes up to `max` items of one feed and tells how many.
async fn clean_feed(
    c: &mut Conn,
    &(feed, keep_age_s, keep_count): &FeedRow,
    policy: &RetentionPolicy,
    now: Timestamp,
    max: i64,
) -> Result<i64> {
    let age = keep_age_s.and_then(|s| u64::try_from(s).ok()).map(Duration::from_secs).or(policy.age);
    let count = keep_count.or(policy.count_per_feed.map(i64::from));
    let seen_before = age.map_or(i64::MIN, |age| now.saturating_sub(age).micros());
    let beyond: Option<(i64, i64)> = match count {
        Some(count) => c.maybe(BEYOND_COUNT, args![feed, count]).await?,
        None => None,
    };
    let (sort_at, id) = beyond.unwrap_or((i64::MIN, i64::MIN));
    let expired: Vec<(i64, i64)> = match (age, beyond) {
        (None, None) => Vec::new(),
        _ => c.all(EXPIRED, args![feed, seen_before, sort_at, id, max]).await?,
    };
    let removed = i64::try_from(expired.len()).unwrap_or(i64::MAX);
    if removed > 0 {
        let items: Vec<i64> = expired.iter().map(|(item, _)| *item).collect();
        remove(c, feed, &json_rows(&items)).await?;
        let gone = items.into_iter().map(|item| (FeedId(feed), ItemId(item)));
        record(c, gone, ItemChangeKind::Removed, now).await?;
    }
    let bytes: i64 = expired.iter().map(|(_, bytes)| *bytes).sum();
    // A full batch may have left something: the feed keeps its place in the queue.
    let next = if removed >= max { now } else { now.saturating_add(VISIT_EVERY) };
    c.run(COUNT, args![feed, removed, bytes, next]).await?;
    Ok(removed)
}

async fn remove(c: &mut Conn, feed: i64, json: &str) -> Result<()> {
    c.run(BURY, args![json, feed]).await?;
    c.run(REMOVE_MARKS, args![json, feed]).await?;
    c.run(REMOVE_HIDDEN, args![json]).await?;
    c.run(REMOVE_PLACES, args![json]).await?;
    c.run(REMOVE_TEXTS, args![json]).await?;
    stories::forget_items(c, json).await?;
    foryou::forget_items(c, json).await?;
    c.run(REMOVE_BODIES, args![json]).await?;
    c.run(REMOVE_ITEMS, args![json]).await?;
    Ok(())
}

/// Where marks have come to outnumber what is unread, the watermark is lifted to the newest item and only the unread
/// ones keep a mark. Nobody's state changes by it.
async fn compact(c: &mut Conn, feed: FeedId) -> Result<()> {
    let crowded: Vec<(i64,)> = c.all(CROWDED, args![feed, MARKS_WORTH_COMPACTING]).await?;
    for (user,) in crowded {
        c.run(PIN_UNREAD, args![user, feed]).await?;
        c.run(DROP_READ, args![user, feed]).await?;
        c.run(LIFT, args![user, feed]).await?;
    }
    Ok(())
}
