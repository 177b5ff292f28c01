//! What people's rules make of new items, in the transaction that stores them.
//!
//! Only new items are touched, and only for people who subscribe at this moment and have not paused: their
//! subscription rows are locked by the counting of unread items, so nobody leaves half-way.

use crate::commit::items::Kept;
use crate::error::Result;
use crate::mark::tag_name;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::types::PollCommit;
use domain::RuleAction;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

const STAR: Sql = sql!("starring by rules",
    "INSERT INTO star (user_id, item_id, sort_at, starred_at)
     SELECT s.user_id, CAST(r.value ->> 'item' AS BIGINT), CAST(r.value ->> 'sort_at' AS BIGINT),
         CAST(r.value ->> 'at' AS BIGINT)
     FROM " rows " JOIN subscription s ON s.user_id = CAST(r.value ->> 'user' AS BIGINT)
         AND s.feed_id = CAST(r.value ->> 'feed' AS BIGINT)
     WHERE NOT s.paused ON CONFLICT (user_id, item_id) DO NOTHING");
const TAG: Sql = sql!("tagging by rules",
    "INSERT INTO item_tag (user_id, tag, item_id, sort_at, tagged_at)
     SELECT s.user_id, r.value ->> 'tag', CAST(r.value ->> 'item' AS BIGINT), CAST(r.value ->> 'sort_at' AS BIGINT),
         CAST(r.value ->> 'at' AS BIGINT)
     FROM " rows " JOIN subscription s ON s.user_id = CAST(r.value ->> 'user' AS BIGINT)
         AND s.feed_id = CAST(r.value ->> 'feed' AS BIGINT)
     WHERE NOT s.paused ON CONFLICT (user_id, tag, item_id) DO NOTHING");
const STATES: Sql = sql!("reading new items' states",
    "SELECT s.user_id, CAST(r.value ->> 'item' AS BIGINT),
         NOT COALESCE(m.is_read, CAST(r.value ->> 'sort_at' AS BIGINT) <= s.watermark)
     FROM " rows " JOIN subscription s ON s.user_id = CAST(r.value ->> 'user' AS BIGINT)
         AND s.feed_id = CAST(r.value ->> 'feed' AS BIGINT)
     LEFT JOIN read_mark m ON m.user_id = s.user_id AND m.feed_id = s.feed_id
         AND m.item_id = CAST(r.value ->> 'item' AS BIGINT)
     WHERE NOT s.paused");
const SET_READ: Sql = sql!("marking items read by rules",
    "INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
     SELECT CAST(r.value ->> 'user' AS BIGINT), CAST(r.value ->> 'feed' AS BIGINT),
         CAST(r.value ->> 'item' AS BIGINT), CAST(r.value ->> 'sort_at' AS BIGINT), true FROM " rows " WHERE true
     ON CONFLICT (user_id, feed_id, item_id) DO UPDATE SET is_read = excluded.is_read");
const MOVE_COUNTERS: Sql = sql!("counting items read by rules",
    "UPDATE subscription SET unread = unread - CAST(r.value ->> 'read' AS BIGINT)
     FROM " rows " WHERE user_id = CAST(r.value ->> 'user' AS BIGINT)
       AND feed_id = CAST(r.value ->> 'feed' AS BIGINT)");
const HIDE: Sql = sql!("hiding by rules",
    "INSERT INTO hidden_item (user_id, item_id, feed_id, sort_at, hidden_at, rule_id, was_unread)
     SELECT CAST(r.value ->> 'user' AS BIGINT), CAST(r.value ->> 'item' AS BIGINT),
         CAST(r.value ->> 'feed' AS BIGINT), CAST(r.value ->> 'sort_at' AS BIGINT), CAST(r.value ->> 'at' AS BIGINT),
         CAST(r.value ->> 'rule' AS BIGINT), CAST(r.value ->> 'unread' AS BOOLEAN)
     FROM " rows " WHERE true ON CONFLICT (user_id, item_id) DO NOTHING");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[STAR, TAG, STATES, SET_READ, MOVE_COUNTERS, HIDE];

/// One effect on its way in; also the JSON row of the statements above.
#[derive(Serialize, Clone)]
struct Row {
    user: i64,
    feed: i64,
    item: i64,
    sort_at: i64,
    at: i64,
    rule: i64,
    unread: bool,
    tag: Option<String>,
}

pub(super) async fn apply(c: &mut Conn, commits: &[&PollCommit], kept: &HashMap<i64, Kept>) -> Result<()> {
    let (mut stars, mut tags) = (Vec::new(), Vec::new());
    // One row per person and item, in order, so that two nodes lock alike; the first rule that hides is the one named.
    let mut reads: BTreeMap<(i64, i64), Row> = BTreeMap::new();
    let mut hides: BTreeMap<(i64, i64), Row> = BTreeMap::new();
    for commit in commits {
        let feed = commit.lease.feed.0;
        let Some(kept) = kept.get(&feed) else { continue };
        for effect in &commit.effects {
            let Some(new) = kept.numbers.get(&effect.item) else { continue };
            let mut row = Row {
                user: effect.user.0,
                feed,
                item: new.item,
                sort_at: new.sort_at,
                at: commit.record.finished_at.micros(),
                rule: effect.rule.0,
                unread: false,
                tag: None,
            };
            let key = (row.user, row.item);
            match &effect.action {
                RuleAction::Star => stars.push(row),
                RuleAction::Tag(tag) => {
                    row.tag = Some(tag_name(tag));
                    tags.push(row);
                }
                RuleAction::MarkRead => drop(reads.entry(key).or_insert(row)),
                RuleAction::Hide => {
                    reads.entry(key).or_insert_with(|| row.clone());
                    hides.entry(key).or_insert(row);
                }
            }
        }
    }
    tags.retain(|row| row.tag.as_deref().is_some_and(|tag| !tag.is_empty()));
    if !stars.is_empty() {
        c.run(STAR, args![&json_rows(&stars)]).await?;
    }
    if !tags.is_empty() {
        c.run(TAG, args![&json_rows(&tags)]).await?;
    }
    if reads.is_empty() { Ok(()) } else { read_and_hide(c, reads, hides).await }
}

async fn read_and_hide(
    c: &mut Conn,
    mut reads: BTreeMap<(i64, i64), Row>,
    mut hides: BTreeMap<(i64, i64), Row>,
) -> Result<()> {
    #[derive(Serialize)]
    struct Moved {
        user: i64,
        feed: i64,
        read: i64,
    }
    let wanted: Vec<&Row> = reads.values().collect();
    let states: Vec<(i64, i64, bool)> = c.all(STATES, args![&json_rows(&wanted)]).await?;
    let states: HashMap<(i64, i64), bool> =
        states.into_iter().map(|(user, item, unread)| ((user, item), unread)).collect();
    // Whoever has left or paused is not there.
    reads.retain(|key, _| states.contains_key(key));
    hides.retain(|key, row| {
        states.get(key).is_some_and(|unread| {
            row.unread = *unread;
            true
        })
    });
    let mut moved: BTreeMap<(i64, i64), i64> = BTreeMap::new();
    for (key, row) in &reads {
        *moved.entry((row.user, row.feed)).or_default() += i64::from(states.get(key) == Some(&true));
    }
    if reads.is_empty() {
        return Ok(());
    }
    let reads: Vec<Row> = reads.into_values().collect();
    c.run(SET_READ, args![&json_rows(&reads)]).await?;
    let moved: Vec<Moved> =
        moved.into_iter().map(|((user, feed), read)| Moved { user, feed, read }).collect();
    c.run(MOVE_COUNTERS, args![&json_rows(&moved)]).await?;
    if !hides.is_empty() {
        let hides: Vec<Row> = hides.into_values().collect();
        c.run(HIDE, args![&json_rows(&hides)]).await?;
    }
    Ok(())
}
