//! One person's marks: read, star, tag, hide.
//!
//! Read state is a watermark per subscription and exceptions to it in `read_mark` (docs/decisions/0001); the unread
//! counter of the subscription is moved in the same transaction as the marks, and only by items whose state really
//! changed, so repeating a click changes nothing. An explicit mark is written even where it equals the watermark's
//! answer, because it must outlive the undoing of a "mark all read". A hidden item is read and stays so until it is
//! shown again, which is why unread lists and counters need not know of hiding.

use crate::boxed;
use crate::error::Result;
use crate::interactions::add;
use crate::pack::clean;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::Mark;
use domain::interaction::{Interaction, InteractionKind};
use domain::{ItemId, RuleId, Timestamp, UserId};
use serde::Serialize;
use std::collections::BTreeMap;

const LOCK_SUBSCRIPTIONS: Sql = sql!("locking subscriptions",
    "SELECT t.feed_id FROM subscription t WHERE t.user_id = $2 AND t.feed_id IN
         (SELECT i.feed_id FROM " rows " JOIN item i ON i.id = CAST(r.value AS BIGINT))
     ORDER BY t.user_id, t.feed_id" lock);
/// Only what the person subscribes to, or has kept from former subscriptions.
const STATES: Sql = sql!("reading items' states",
    "SELECT i.id, i.feed_id, i.sort_at, s.user_id IS NOT NULL AS subscribed,
         COALESCE(m.is_read, i.sort_at <= s.watermark, true) AS is_read,
         EXISTS (SELECT 1 FROM hidden_item h WHERE h.user_id = $2 AND h.item_id = i.id) AS is_hidden
     FROM " rows " JOIN item i ON i.id = CAST(r.value AS BIGINT)
     LEFT JOIN subscription s ON s.user_id = $2 AND s.feed_id = i.feed_id
     LEFT JOIN read_mark m ON m.user_id = $2 AND m.feed_id = i.feed_id AND m.item_id = i.id
     WHERE s.user_id IS NOT NULL
        OR EXISTS (SELECT 1 FROM star k WHERE k.user_id = $2 AND k.item_id = i.id)
        OR EXISTS (SELECT 1 FROM item_tag k WHERE k.user_id = $2 AND k.item_id = i.id)");
const SET_READ: Sql = sql!("marking items",
    "INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
     SELECT $2, CAST(r.value ->> 'feed' AS BIGINT), CAST(r.value ->> 'item' AS BIGINT),
         CAST(r.value ->> 'sort_at' AS BIGINT), $3 FROM " rows " WHERE true
     ON CONFLICT (user_id, feed_id, item_id) DO UPDATE SET is_read = excluded.is_read");
const MOVE_COUNTERS: Sql = sql!("moving unread counters",
    "UPDATE subscription SET unread = unread + CAST(r.value ->> 'unread' AS BIGINT)
     FROM " rows " WHERE user_id = $2 AND feed_id = CAST(r.value ->> 'feed' AS BIGINT)");
const STAR: Sql = sql!("starring items",
    "INSERT INTO star (user_id, item_id, sort_at, starred_at)
     SELECT $2, CAST(r.value ->> 'item' AS BIGINT), CAST(r.value ->> 'sort_at' AS BIGINT), $3 FROM " rows " WHERE true
     ON CONFLICT (user_id, item_id) DO NOTHING RETURNING item_id");
const UNSTAR: Sql = sql!("unstarring items",
    "DELETE FROM star WHERE user_id = $2 AND item_id IN (SELECT CAST(r.value ->> 'item' AS BIGINT) FROM " rows ")
     RETURNING item_id");
const TAG: Sql = sql!("tagging items",
    "INSERT INTO item_tag (user_id, tag, item_id, sort_at, tagged_at)
     SELECT $2, $4, CAST(r.value ->> 'item' AS BIGINT), CAST(r.value ->> 'sort_at' AS BIGINT), $3
     FROM " rows " WHERE true ON CONFLICT (user_id, tag, item_id) DO NOTHING RETURNING item_id");
const UNTAG: Sql = sql!("untagging items",
    "DELETE FROM item_tag WHERE user_id = $2 AND tag = $3
       AND item_id IN (SELECT CAST(r.value ->> 'item' AS BIGINT) FROM " rows ") RETURNING item_id");
const HIDE: Sql = sql!("hiding items",
    "INSERT INTO hidden_item (user_id, item_id, feed_id, sort_at, hidden_at, was_unread)
     SELECT $2, CAST(r.value ->> 'item' AS BIGINT), CAST(r.value ->> 'feed' AS BIGINT),
         CAST(r.value ->> 'sort_at' AS BIGINT), $3, CAST(r.value ->> 'unread' AS BOOLEAN)
     FROM " rows " WHERE true ON CONFLICT (user_id, item_id) DO NOTHING");
const UNHIDE: Sql = sql!("showing items again",
    "DELETE FROM hidden_item WHERE user_id = $2
       AND item_id IN (SELECT CAST(r.value ->> 'item' AS BIGINT) FROM " rows ") RETURNING item_id, was_unread");
/// Only a rule of the same person can have done it.
const SIGN: Sql = sql!("noting which rule hid items",
    "UPDATE hidden_item SET rule_id = $3 WHERE user_id = $2 AND item_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")
       AND EXISTS (SELECT 1 FROM rule u WHERE u.id = $3 AND u.user_id = $2)");

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[LOCK_SUBSCRIPTIONS, STATES, SET_READ, MOVE_COUNTERS, STAR, UNSTAR, TAG, UNTAG, HIDE, UNHIDE, SIGN];

/// Items marked by one operation; longer lists are cut into several.
const CHUNK: usize = 1_000;
const TAG_CHARS_MAX: usize = 100;

impl Store {
    /// Marks items and returns those whose state really changed; [`Mark::inverse`] on exactly those takes it back.
    /// Items this person may not see are passed over.
    #[boxed]
    pub async fn mark(
        &self,
        user: UserId,
        items: &[ItemId],
        mark: &Mark,
        now: Timestamp,
    ) -> Result<Vec<ItemId>> {
        self.mark_all_of(user, items, mark, now, None).await
    }

    /// [`Store::mark`] by somebody who saw the items in the list `place`: what learning is told of it is kept with the
    /// mark or not at all.
    #[boxed]
    pub async fn mark_in_list(
        &self,
        user: UserId,
        items: &[ItemId],
        mark: &Mark,
        now: Timestamp,
        place: &str,
    ) -> Result<Vec<ItemId>> {
        let told = mark.told().map(|kind| (kind, place.to_owned()));
        self.mark_all_of(user, items, mark, now, told).await
    }

    async fn mark_all_of(
        &self,
        user: UserId,
        items: &[ItemId],
        mark: &Mark,
        now: Timestamp,
        told: Option<(InteractionKind, String)>,
    ) -> Result<Vec<ItemId>> {
        let mut changed = Vec::new();
        for chunk in items.chunks(CHUNK) {
            let args = (user, chunk.to_vec(), mark.clone(), now, told.clone());
            let done = self.write("marking items", args, |c, (user, items, mark, now, told)| {
                Box::pin(async move {
                    let changed = apply(c, *user, items, mark, *now).await?;
                    if let Some((kind, place)) = told {
                        tell(c, *user, &changed, *kind, *now, place).await?;
                    }
                    Ok(changed)
                })
            });
            changed.extend(done.await?);
        }
        Ok(changed)
    }

    /// Hides items that are there already, as the rule would have when they came; returns those that were not hidden.
    /// [`Mark::Unhide`] on exactly those takes it back.
    #[boxed]
    pub async fn hide_by_rule(
        &self,
        user: UserId,
        rule: RuleId,
        items: &[ItemId],
        now: Timestamp,
    ) -> Result<Vec<ItemId>> {
        let mut changed = Vec::new();
        for chunk in items.chunks(CHUNK) {
            let args = (user, rule, chunk.to_vec(), now);
            let done = self.write(HIDE.doing, args, |c, (user, rule, items, now)| {
                Box::pin(async move {
                    let hidden = hide(c, *user, items, *now).await?;
                    c.run(SIGN, args![&json_rows(&hidden), *user, *rule]).await?;
                    Ok(hidden)
                })
            });
            changed.extend(done.await?);
        }
        Ok(changed)
    }
}

#[derive(Serialize, Clone, Copy)]
struct Target {
    item: i64,
    feed: i64,
    sort_at: i64,
    unread: bool,
}

impl Target {
    fn of(&(item, feed, sort_at, _, is_read, _): &StateRow) -> Self {
        Target { item, feed, sort_at, unread: !is_read }
    }
}

/// Item, feed, sort date, subscribed, read, hidden.
type StateRow = (i64, i64, i64, bool, bool, bool);

/// Marks items read or unread.
pub(crate) async fn apply_read(
    c: &mut Conn,
    user: UserId,
    items: &[ItemId],
    to_read: bool,
) -> Result<Vec<ItemId>> {
    let states = states(c, user, items).await?;
    // What is hidden is read, and stays so.
    let moved =
        |&&(.., subscribed, is_read, is_hidden): &&StateRow| subscribed && is_read != to_read && !is_hidden;
    let targets: Vec<Target> = states.iter().filter(moved).map(Target::of).collect();
    set_read(c, user, &targets, to_read).await?;
    Ok(targets.into_iter().map(|target| ItemId(target.item)).collect())
}

async fn apply(
    c: &mut Conn,
    user: UserId,
    items: &[ItemId],
    mark: &Mark,
    now: Timestamp,
) -> Result<Vec<ItemId>> {
    match mark {
        Mark::Read | Mark::Unread => return apply_read(c, user, items, *mark == Mark::Read).await,
        Mark::Hide => return hide(c, user, items, now).await,
        Mark::Unhide => return unhide(c, user, items).await,
        Mark::Star | Mark::Unstar | Mark::Tag(_) | Mark::Untag(_) => {}
    }
    // A star or a tag is a row of its own and moves no counter, so clicks at the same moment need no order.
    let targets: Vec<Target> = seen_states(c, user, items).await?.iter().map(Target::of).collect();
    let changed = keep(c, user, &json_rows(&targets), mark, now).await?;
    Ok(changed.into_iter().map(|(item,)| ItemId(item)).collect())
}

async fn tell(
    c: &mut Conn,
    user: UserId,
    items: &[ItemId],
    kind: InteractionKind,
    at: Timestamp,
    place: &str,
) -> Result<()> {
    let told = |item: &ItemId| Interaction {
        user,
        item: *item,
        kind,
        at,
        place: place.to_owned(),
        position: None,
        dwell_ms: None,
    };
    add(c, &items.iter().map(told).collect::<Vec<_>>()).await.map(drop)
}

/// Hides items of the person's feeds. All get a mark of their own, so that no undo makes one of them unread.
pub(crate) async fn hide(
    c: &mut Conn,
    user: UserId,
    items: &[ItemId],
    now: Timestamp,
) -> Result<Vec<ItemId>> {
    let states = states(c, user, items).await?;
    let shown = |&&(_, _, _, subscribed, _, is_hidden): &&StateRow| subscribed && !is_hidden;
    let targets: Vec<Target> = states.iter().filter(shown).map(Target::of).collect();
    if targets.is_empty() {
        return Ok(Vec::new());
    }
    c.run(HIDE, args![&json_rows(&targets), user, now]).await?;
    set_read(c, user, &targets, true).await?;
    Ok(targets.into_iter().map(|target| ItemId(target.item)).collect())
}

/// Shows items again; those that were unread when they were hidden are unread again.
pub(crate) async fn unhide(c: &mut Conn, user: UserId, items: &[ItemId]) -> Result<Vec<ItemId>> {
    let targets: Vec<Target> = states(c, user, items).await?.iter().map(Target::of).collect();
    let shown: Vec<(i64, bool)> = c.all(UNHIDE, args![&json_rows(&targets), user]).await?;
    let unread = |target: &&Target| shown.contains(&(target.item, true));
    let back: Vec<Target> = targets.iter().filter(unread).copied().collect();
    set_read(c, user, &back, false).await?;
    Ok(shown.into_iter().map(|(item, _)| ItemId(item)).collect())
}

/// The items of a list that this person may mark, locked against clicks at the same moment.
async fn states(c: &mut Conn, user: UserId, items: &[ItemId]) -> Result<Vec<StateRow>> {
    if !c.is_lite() {
        // Two clicks on the same item at once must not both move the counter.
        let _locked: Vec<(i64,)> = c.all(LOCK_SUBSCRIPTIONS, args![&json_rows(items), user]).await?;
    }
    seen_states(c, user, items).await
}

/// The same without the lock.
async fn seen_states(c: &mut Conn, user: UserId, items: &[ItemId]) -> Result<Vec<StateRow>> {
    let mut items = items.to_vec();
    items.sort_unstable();
    items.dedup();
    c.all(STATES, args![&json_rows(&items), user]).await
}

/// Marks the targets, and moves the counters by those whose state that changes.
async fn set_read(c: &mut Conn, user: UserId, targets: &[Target], to_read: bool) -> Result<()> {
    #[derive(Serialize)]
    struct Moved {
        feed: i64,
        unread: i64,
    }
    if targets.is_empty() {
        return Ok(());
    }
    c.run(SET_READ, args![&json_rows(targets), user, to_read]).await?;
    let mut moved: BTreeMap<i64, i64> = BTreeMap::new();
    for target in targets.iter().filter(|target| target.unread == to_read) {
        *moved.entry(target.feed).or_default() += if to_read { -1 } else { 1 };
    }
    let moved: Vec<Moved> = moved.into_iter().map(|(feed, unread)| Moved { feed, unread }).collect();
    c.run(MOVE_COUNTERS, args![&json_rows(&moved), user]).await?;
    Ok(())
}

async fn keep(c: &mut Conn, user: UserId, json: &str, mark: &Mark, now: Timestamp) -> Result<Vec<(i64,)>> {
    match mark {
        Mark::Star => c.all(STAR, args![json, user, now]).await,
        Mark::Unstar => c.all(UNSTAR, args![json, user]).await,
        Mark::Tag(tag) => c.all(TAG, args![json, user, now, &tag_name(tag)]).await,
        Mark::Untag(tag) => c.all(UNTAG, args![json, user, &tag_name(tag)]).await,
        Mark::Read | Mark::Unread | Mark::Hide | Mark::Unhide => Ok(Vec::new()),
    }
}

pub(crate) fn tag_name(tag: &str) -> String {
    clean(tag).trim().chars().take(TAG_CHARS_MAX).collect()
}
