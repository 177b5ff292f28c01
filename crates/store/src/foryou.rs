//! What ranking for one person asks for and keeps: their unread items with what is known of each, what they did, and what
//! was learnt of them. What the bytes mean is `rank`'s and `learn`'s.
//!
//! What was learnt is changed by whoever has read its latest revision, and by nobody else: a session folded twice, by two
//! nodes or beside an edit of the person's, counts once.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::to_json;
use crate::sql::{Conn, Sql, args, json_rows, row, sql};
use crate::store::Store;
use crate::types::{ItemTerms, TasteRow, Traits, UndoToken, Wanted};
use crate::undo::{self, UndoKind};
use domain::interaction::{Interaction, InteractionKind};
use domain::{FeedId, ItemId, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `$1` person, `$2` `$3` no older and no newer, `$4` of one feed, `$5` opened since is as good as unread, `$6` in all.
const CANDIDATES: Sql = sql!("finding what to rank",
    "SELECT i.id, i.feed_id, i.sort_at, t.story_id, k.terms
     FROM subscription s JOIN " each "
         WHERE x.feed_id = s.feed_id AND x.sort_at > $2 AND x.id <= $3
         ORDER BY x.sort_at DESC, x.id DESC LIMIT $4" each_end "
     LEFT JOIN read_mark m ON m.user_id = s.user_id AND m.feed_id = i.feed_id AND m.item_id = i.id
     LEFT JOIN story_item t ON t.item_id = i.id
     LEFT JOIN item_terms k ON k.item_id = i.id
     WHERE s.user_id = $1
       AND (NOT COALESCE(m.is_read, i.sort_at <= s.watermark)
           OR i.id IN (SELECT o.item_id FROM interaction o WHERE o.user_id = $1 AND o.at >= $5 AND o.kind = 'open'))
       AND NOT EXISTS (SELECT 1 FROM hidden_item h WHERE h.user_id = $1 AND h.item_id = i.id)
     ORDER BY i.sort_at DESC, i.id DESC LIMIT $6");
const TRAITS: Sql = sql!("reading what is known of items",
    "SELECT i.id, i.feed_id, i.sort_at, t.story_id, k.terms, COALESCE(k.surfaces, '') AS surfaces,
         (SELECT COUNT(DISTINCT o.feed_id) FROM story_item o
          JOIN subscription u ON u.user_id = $2 AND u.feed_id = o.feed_id
          WHERE o.story_id = t.story_id AND o.feed_id <> i.feed_id) AS copies
     FROM " rows " JOIN item i ON i.id = CAST(r.value AS BIGINT)
     JOIN subscription s ON s.user_id = $2 AND s.feed_id = i.feed_id
     LEFT JOIN story_item t ON t.item_id = i.id
     LEFT JOIN item_terms k ON k.item_id = i.id");
const READ_LATELY: Sql = sql!(
    "reading what was read lately",
    "SELECT k.terms FROM (SELECT o.item_id, MAX(o.at) AS latest FROM interaction o
         WHERE o.user_id = $1 AND o.at >= $2 AND o.at < $3 AND o.kind = 'open'
         GROUP BY o.item_id ORDER BY 2 DESC, 1 LIMIT $4) n
     JOIN item_terms k ON k.item_id = n.item_id ORDER BY n.latest DESC, n.item_id"
);
const DEEDS: Sql = sql!(
    "reading what a person did",
    "SELECT id, item_id, kind, at, place, position, dwell_ms FROM interaction
     WHERE user_id = $1 AND id > $2 AND at <= $3 ORDER BY id LIMIT $4"
);
const NEWEST_DEED: Sql =
    sql!("reading what a person did last", "SELECT COALESCE(MAX(id), 0) FROM interaction WHERE user_id = $1");
const OPENS: Sql = sql!(
    "counting what was opened",
    "SELECT COUNT(*) FROM (SELECT DISTINCT item_id FROM interaction
         WHERE user_id = $1 AND kind = 'open' LIMIT $2) o"
);
const LATELY_OF_FEED: Sql = sql!(
    "reading what became of a feed's items",
    "SELECT COUNT(*), COALESCE(SUM(n.opened), 0) FROM (
         SELECT o.item_id, MAX(CASE WHEN o.kind = 'open' THEN 1 ELSE 0 END) AS opened FROM interaction o
         WHERE o.user_id = $1 AND o.feed_id = $2 AND o.at >= $3 AND o.item_id <> $4
         GROUP BY o.item_id ORDER BY MAX(o.id) DESC LIMIT $5) n"
);
const TASTE: Sql = sql!(
    "reading what was learnt of a person",
    "SELECT revision, state, surfaces, learned_to, topics_run, asked FROM taste WHERE user_id = $1"
);
const ADD_TASTE: Sql = sql!(
    "keeping what was learnt of a person",
    "INSERT INTO taste (user_id, revision, state, surfaces, learned_to, topics_run, asked)
     SELECT u.id, 1, $3, $4, $5, $6, $7 FROM user_account u WHERE u.id = $1 AND $2 = 0
     ON CONFLICT (user_id) DO NOTHING"
);
const SET_TASTE: Sql = sql!(
    "keeping what was learnt of a person",
    "UPDATE taste SET revision = revision + 1, state = $3, surfaces = $4, learned_to = $5, topics_run = $6, asked = $7
     WHERE user_id = $1 AND revision = $2"
);
const PEOPLE: Sql = sql!(
    "finding whom there is something to learn of",
    "SELECT u.id FROM user_account u LEFT JOIN taste t ON t.user_id = u.id
     WHERE u.id > $1 AND EXISTS (SELECT 1 FROM interaction i WHERE i.user_id = u.id AND i.id > COALESCE(t.learned_to, 0))
     ORDER BY u.id LIMIT $2"
);
/// Of items that went meanwhile nothing is kept.
const KEEP_TERMS: Sql = sql!("keeping items' terms",
    "INSERT INTO item_terms (item_id, terms, surfaces)
     SELECT i.id, substr(" blob ", CAST(r.value ->> 'at' AS INTEGER), CAST(r.value ->> 'bytes' AS INTEGER)),
         r.value ->> 'surfaces'
     FROM " rows " JOIN item i ON i.id = CAST(r.value ->> 'item' AS BIGINT) WHERE true
     ON CONFLICT (item_id) DO UPDATE SET terms = excluded.terms, surfaces = excluded.surfaces");
const REMOVE_TERMS: Sql = sql!("removing items' terms",
    "DELETE FROM item_terms WHERE item_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    CANDIDATES,
    TRAITS,
    READ_LATELY,
    DEEDS,
    NEWEST_DEED,
    OPENS,
    LATELY_OF_FEED,
    TASTE,
    ADD_TASTE,
    SET_TASTE,
    PEOPLE,
    KEEP_TERMS,
    REMOVE_TERMS,
];

const CANDIDATES_MAX: u32 = 20_000;
/// Of one feed, the newest: whoever posts a thousand times an hour does not crowd others out of what is looked at (O10).
const FEED_CANDIDATES_MAX: i64 = 500;
const TRAITS_MAX: usize = 1_000;
const RECENT_MAX: u32 = 1_000;
const DEEDS_MAX: u32 = 10_000;
const STATE_BYTES_MAX: usize = 1 << 20;

impl Store {
    /// A person's unread items, hidden ones never, newest first.
    #[boxed]
    pub async fn candidates(&self, user: UserId, wanted: &Wanted) -> Result<Vec<Traits>> {
        type Row = (i64, i64, i64, Option<i64>, Option<Vec<u8>>);
        let limit = i64::from(wanted.limit.clamp(1, CANDIDATES_MAX));
        let rows: Vec<Row> = self
            .read(CANDIDATES.doing, (user, *wanted, limit), |c, (user, wanted, limit)| {
                let Wanted { since, up_to, opened_since, .. } = *wanted;
                Box::pin(async move {
                    let args = args![*user, since, up_to, FEED_CANDIDATES_MAX, opened_since, *limit];
                    c.all(CANDIDATES, args).await
                })
            })
            .await?;
        let traits = |(item, feed, sort_at, story, terms): Row| Traits {
            item: ItemId(item),
            feed: FeedId(feed),
            sort_at: Timestamp::from_micros(sort_at),
            story: story.map(ItemId),
            terms: terms.unwrap_or_default(),
            surfaces: String::new(),
            copies: 0,
        };
        Ok(rows.into_iter().map(traits).collect())
    }

    /// What is known of those of the items that are of the person's feeds; at most the first 1,000.
    #[boxed]
    pub async fn traits_of(&self, user: UserId, items: &[ItemId]) -> Result<Vec<Traits>> {
        let items: Vec<ItemId> = items.iter().copied().take(TRAITS_MAX).collect();
        let rows: Vec<TraitsRow> = self
            .read(TRAITS.doing, (user, items), |c, (user, items)| {
                Box::pin(async move { c.all(TRAITS, args![&json_rows(items), *user]).await })
            })
            .await?;
        let traits = |row: TraitsRow| Traits {
            item: ItemId(row.id),
            feed: FeedId(row.feed_id),
            sort_at: Timestamp::from_micros(row.sort_at),
            story: row.story_id.map(ItemId),
            terms: row.terms.unwrap_or_default(),
            surfaces: row.surfaces,
            copies: u32::try_from(row.copies).unwrap_or(u32::MAX),
        };
        Ok(rows.into_iter().map(traits).collect())
    }

    /// The terms of what a person opened between two times, the latest first.
    #[boxed]
    pub async fn read_lately(
        &self,
        user: UserId,
        since: Timestamp,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<Vec<u8>>> {
        let limit = i64::from(limit.clamp(1, RECENT_MAX));
        let rows: Vec<(Vec<u8>,)> = self
            .read(READ_LATELY.doing, (user, since, before, limit), |c, (user, since, before, limit)| {
                Box::pin(async move { c.all(READ_LATELY, args![*user, *since, *before, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(terms,)| terms).collect())
    }

    /// What a person did after a record and not after a time, with the records' numbers, in their order.
    #[boxed]
    pub async fn deeds(
        &self,
        user: UserId,
        after: i64,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<(i64, Interaction)>> {
        type Row = (i64, i64, String, i64, String, Option<i64>, Option<i64>);
        let limit = i64::from(limit.clamp(1, DEEDS_MAX));
        let rows: Vec<Row> = self
            .read(DEEDS.doing, (user, after, until, limit), |c, (user, after, until, limit)| {
                Box::pin(async move { c.all(DEEDS, args![*user, *after, *until, *limit]).await })
            })
            .await?;
        let deed = |(id, item, kind, at, place, position, dwell_ms): Row| {
            let interaction = Interaction {
                user,
                item: ItemId(item),
                // A kind of a later version teaches this one nothing.
                kind: InteractionKind::from_name(&kind)?,
                at: Timestamp::from_micros(at),
                place,
                position: position.and_then(|position| u32::try_from(position).ok()),
                dwell_ms: dwell_ms.and_then(|dwell| u64::try_from(dwell).ok()),
            };
            Some((id, interaction))
        };
        Ok(rows.into_iter().filter_map(deed).collect())
    }

    /// How many different items a person has opened; counted to `most`.
    #[boxed]
    pub async fn opens(&self, user: UserId, most: u32) -> Result<u32> {
        let (opens,): (i64,) = self
            .read(OPENS.doing, (user, most), |c, (user, most)| {
                Box::pin(async move { c.one(OPENS, args![*user, i64::from(*most)]).await })
            })
            .await?;
        Ok(u32::try_from(opens).unwrap_or(0))
    }

    /// Of the last items of a feed that a person met since a time, but for one: how many there were, and how many they opened.
    #[boxed]
    pub async fn opened_of_feed(
        &self,
        user: UserId,
        feed: FeedId,
        since: Timestamp,
        but: ItemId,
        last: u32,
    ) -> Result<(u32, u32)> {
        let args = (user, feed, since, but, i64::from(last));
        let (met, opened): (i64, i64) = self
            .read(LATELY_OF_FEED.doing, args, |c, (user, feed, since, but, last)| {
                Box::pin(async move { c.one(LATELY_OF_FEED, args![*user, *feed, *since, *but, *last]).await })
            })
            .await?;
        Ok((u32::try_from(met).unwrap_or(0), u32::try_from(opened).unwrap_or(0)))
    }

    /// None before anything was learnt.
    #[boxed]
    pub async fn taste(&self, user: UserId) -> Result<Option<TasteRow>> {
        let row: Option<Stored> = self
            .read(TASTE.doing, user, |c, user| Box::pin(async move { c.maybe(TASTE, args![*user]).await }))
            .await?;
        Ok(row.map(taste_row))
    }

    /// Keeps what was learnt in place of the revision it was made from (0 when there was none); false, and nothing kept,
    /// when somebody else was quicker.
    #[boxed]
    pub async fn keep_taste(&self, user: UserId, taste: &TasteRow) -> Result<bool> {
        if taste.state.len() > STATE_BYTES_MAX {
            return Err(StoreError::Conflict { what: "what was learnt of a person is too large".into() });
        }
        self.write(SET_TASTE.doing, (user, taste.clone()), |c, (user, taste)| {
            Box::pin(async move { keep_taste(c, *user, taste).await })
        })
        .await
    }

    /// Forgets all that was learnt of a person; what they did until now is not learnt again. [`Store::undo`] brings it back
    /// within the hour.
    #[boxed]
    pub async fn reset_taste(&self, user: UserId, fresh: &[u8], now: Timestamp) -> Result<Option<UndoToken>> {
        self.write(SET_TASTE.doing, (user, fresh.to_vec(), now), |c, (user, fresh, now)| {
            Box::pin(async move {
                let before: Option<Stored> = c.maybe(TASTE, args![*user]).await?;
                let before = before.map(taste_row);
                let (learned_to,): (i64,) = c.one(NEWEST_DEED, args![*user]).await?;
                let reset = TasteRow {
                    revision: before.as_ref().map_or(0, |taste| taste.revision),
                    state: fresh.clone(),
                    learned_to,
                    topics_run: before.as_ref().map_or(0, |taste| taste.topics_run),
                    ..TasteRow::default()
                };
                keep_taste(c, *user, &reset).await?;
                let Some(before) = before else { return Ok(None) };
                let kept = Kept {
                    surfaces: before.surfaces,
                    learned_to: before.learned_to,
                    topics_run: before.topics_run,
                    asked: before.asked,
                };
                let json = to_json(&kept);
                undo::keep(c, *user, UndoKind::Taste, &json, Some(&before.state), *now).await.map(Some)
            })
        })
        .await
    }

    /// People of whom something happened that is not learnt yet, after `after` in the order of their numbers.
    #[boxed]
    pub async fn people_to_learn(&self, after: UserId, limit: u32) -> Result<Vec<UserId>> {
        let limit = i64::from(limit.clamp(1, 1_000));
        let rows: Vec<(i64,)> = self
            .read(PEOPLE.doing, (after, limit), |c, (after, limit)| {
                Box::pin(async move { c.all(PEOPLE, args![*after, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(user,)| UserId(user)).collect())
    }
}

type Stored = (i64, Vec<u8>, String, i64, i64, bool);

fn taste_row((revision, state, surfaces, learned_to, topics_run, asked): Stored) -> TasteRow {
    let topics_run = u32::try_from(topics_run).unwrap_or(0);
    TasteRow { revision, state, surfaces, learned_to, topics_run, asked }
}

row! {
    struct TraitsRow {
        id: i64,
        feed_id: i64,
        sort_at: i64,
        story_id: Option<i64>,
        terms: Option<Vec<u8>>,
        surfaces: String,
        copies: i64,
    }
}

/// What is stored, beside the bytes, to take a reset back.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    surfaces: String,
    learned_to: i64,
    topics_run: u32,
    asked: bool,
}

async fn keep_taste(c: &mut Conn, user: UserId, taste: &TasteRow) -> Result<bool> {
    let sql = if taste.revision == 0 { ADD_TASTE } else { SET_TASTE };
    let run = i64::from(taste.topics_run);
    let args = args![user, taste.revision, &taste.state, &taste.surfaces, taste.learned_to, run, taste.asked];
    Ok(c.run(sql, args).await? > 0)
}

/// What was learnt before a reset; what was learnt since goes.
pub(crate) async fn put_back(c: &mut Conn, user: UserId, kept: &Kept, state: Option<&[u8]>) -> Result<()> {
    let now: Option<Stored> = c.maybe(TASTE, args![user]).await?;
    let taste = TasteRow {
        revision: now.map_or(0, |(revision, ..)| revision),
        state: state.unwrap_or_default().to_vec(),
        surfaces: kept.surfaces.clone(),
        learned_to: kept.learned_to,
        topics_run: kept.topics_run,
        asked: kept.asked,
    };
    keep_taste(c, user, &taste).await.map(drop)
}

/// In the transaction of a step of learning.
pub(crate) async fn keep_terms(c: &mut Conn, terms: &[ItemTerms]) -> Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        item: ItemId,
        at: usize,
        bytes: usize,
        surfaces: &'a str,
    }
    // An item once: PostgreSQL refuses to meet a conflict twice in one statement.
    let once: BTreeMap<ItemId, &ItemTerms> = terms.iter().map(|one| (one.item, one)).collect();
    if once.is_empty() {
        return Ok(());
    }
    let (mut rows, mut blob) = (Vec::with_capacity(once.len()), Vec::new());
    for one in once.values() {
        let (at, bytes) = (blob.len() + 1, one.terms.len());
        rows.push(Row { item: one.item, at, bytes, surfaces: &one.surfaces });
        blob.extend_from_slice(&one.terms);
    }
    c.run(KEEP_TERMS, args![&json_rows(&rows), &blob]).await.map(drop)
}

/// For items that go; `json` holds their numbers.
pub(crate) async fn forget_items(c: &mut Conn, json: &str) -> Result<()> {
    c.run(REMOVE_TERMS, args![json]).await.map(drop)
}
