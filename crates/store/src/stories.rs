//! The same story in several feeds: which items tell it, as far as one person has them.

use crate::boxed;
use crate::error::Result;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::{StoryItem, StoryOf, StoryOther, StoryTie, StoryTies};
use domain::{FeedId, ItemId, Timestamp, UserId};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Items that went meanwhile are left out; what is known stays as it is.
const KEEP: Sql = sql!("keeping stories",
    "INSERT INTO story_item (item_id, story_id, feed_id, sort_at, why)
     SELECT i.id, CAST(r.value ->> 'story' AS BIGINT), i.feed_id, i.sort_at, r.value ->> 'why'
     FROM " rows " JOIN item i ON i.id = CAST(r.value ->> 'item' AS BIGINT) WHERE true
     ON CONFLICT (item_id) DO NOTHING");
const STORIES: Sql = sql!("reading which stories items tell",
    "SELECT s.item_id, s.story_id FROM " rows " JOIN story_item s ON s.item_id = CAST(r.value AS BIGINT)");
const OTHERS: Sql = sql!("finding the same story",
    "SELECT a.item_id AS asked, a.story_id, o.item_id, o.feed_id, o.why,
         COALESCE(m.is_read, o.sort_at <= s.watermark) AS is_read
     FROM " rows " JOIN story_item a ON a.item_id = CAST(r.value AS BIGINT)
     JOIN subscription sa ON sa.user_id = $2 AND sa.feed_id = a.feed_id
     JOIN story_item o ON o.story_id = a.story_id AND o.item_id <> a.item_id
     JOIN subscription s ON s.user_id = $2 AND s.feed_id = o.feed_id
     LEFT JOIN read_mark m ON m.user_id = $2 AND m.feed_id = o.feed_id AND m.item_id = o.item_id
     WHERE NOT EXISTS (SELECT 1 FROM hidden_item h WHERE h.user_id = $2 AND h.item_id = o.item_id)
     ORDER BY a.item_id, o.item_id LIMIT $3");
const TIES: Sql = sql!(
    "counting stories in common",
    "SELECT o.feed_id, COUNT(DISTINCT o.story_id) AS shared,
         (SELECT COUNT(*) FROM item i WHERE i.feed_id = o.feed_id AND i.sort_at >= $3)
     FROM story_item a JOIN feed fa ON fa.id = a.feed_id AND fa.private_to IN (0, $2)
     JOIN story_item o ON o.story_id = a.story_id AND o.feed_id <> a.feed_id AND o.sort_at >= $3
     JOIN feed f ON f.id = o.feed_id AND f.private_to IN (0, $2)
     WHERE a.feed_id = $1 AND a.sort_at >= $3
     GROUP BY o.feed_id ORDER BY shared DESC, o.feed_id LIMIT $4"
);
const ITEMS: Sql =
    sql!("counting a feed's items", "SELECT COUNT(*) FROM item WHERE feed_id = $1 AND sort_at >= $2");
const READERS: Sql = sql!("counting readers in common",
    "SELECT COUNT(*), COALESCE(SUM(CASE WHEN EXISTS (
             SELECT 1 FROM " rows " JOIN subscription o ON o.feed_id = CAST(r.value AS BIGINT)
             WHERE o.user_id = u.user_id AND NOT o.paused) THEN 1 ELSE 0 END), 0)
     FROM subscription u WHERE u.feed_id = $2 AND NOT u.paused");
const REMOVE: Sql = sql!("removing items from stories",
    "DELETE FROM story_item WHERE item_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ") RETURNING story_id");
const REMOVE_PRIVATE: Sql = sql!(
    "removing private feeds from stories",
    "DELETE FROM story_item WHERE feed_id IN (SELECT id FROM feed WHERE private_to = $1) RETURNING story_id"
);
/// What nobody else tells any more is no story.
const DISSOLVE: Sql = sql!("dissolving stories",
    "DELETE FROM story_item WHERE item_id IN
         (SELECT MIN(s.item_id) FROM " rows " JOIN story_item s ON s.story_id = CAST(r.value AS BIGINT)
          GROUP BY s.story_id HAVING COUNT(DISTINCT s.item_id) = 1)");

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[KEEP, STORIES, OTHERS, TIES, ITEMS, READERS, REMOVE, REMOVE_PRIVATE, DISSOLVE];

const ASKED_MAX: usize = 1_000;
const OTHERS_MAX: i64 = 10_000;
/// Of one story this many others are told.
const OTHERS_OF_ONE_MAX: usize = 50;
const TIES_MAX: i64 = 200;

impl Store {
    /// For those of the items that tell a story which another feed of this person tells too: the others, without what
    /// is hidden. At most the first 1,000 items, and 50 others each.
    #[boxed]
    pub async fn stories_of(&self, user: UserId, items: &[ItemId]) -> Result<Vec<StoryOf>> {
        let items: Vec<ItemId> = items.iter().copied().take(ASKED_MAX).collect();
        let rows: Vec<(i64, i64, i64, i64, String, bool)> = self
            .read(OTHERS.doing, (user, items.clone()), |c, (user, items)| {
                Box::pin(async move { c.all(OTHERS, args![&json_rows(items), *user, OTHERS_MAX]).await })
            })
            .await?;
        let mut by_item: HashMap<i64, StoryOf> = HashMap::new();
        for (asked, story, item, feed, why, is_read) in rows {
            let found = by_item.entry(asked).or_insert_with(|| StoryOf {
                item: ItemId(asked),
                story: ItemId(story),
                others: Vec::new(),
            });
            if found.others.len() < OTHERS_OF_ONE_MAX {
                let why = StoryTie::from_name(&why).unwrap_or(StoryTie::Text);
                found.others.push(StoryOther { item: ItemId(item), feed: FeedId(feed), why, is_read });
            }
        }
        Ok(items.iter().filter_map(|item| by_item.remove(&item.0)).collect())
    }

    /// With which feeds a feed has had stories in common since a time, the most first; at most 200. Another's private
    /// feed has nothing in common with anything.
    #[boxed]
    pub async fn story_ties(&self, user: UserId, feed: FeedId, since: Timestamp) -> Result<Vec<StoryTies>> {
        self.read(TIES.doing, (user, feed, since), |c, (user, feed, since)| {
            Box::pin(async move {
                let rows: Vec<(i64, i64, i64)> = c.all(TIES, args![*feed, *user, *since, TIES_MAX]).await?;
                if rows.is_empty() {
                    return Ok(Vec::new());
                }
                let (items,): (i64,) = c.one(ITEMS, args![*feed, *since]).await?;
                let small = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
                let ties = |(other, shared, other_items): (i64, i64, i64)| StoryTies {
                    other: FeedId(other),
                    shared: small(shared),
                    items: small(items),
                    other_items: small(other_items),
                };
                Ok(rows.into_iter().map(ties).collect())
            })
        })
        .await
    }

    /// The stories of those of the items that share one. For learning, not for people.
    #[boxed]
    pub async fn known_stories(&self, items: &[ItemId]) -> Result<Vec<(ItemId, ItemId)>> {
        let items: Vec<ItemId> = items.iter().copied().take(ASKED_MAX).collect();
        let rows: Vec<(i64, i64)> = self
            .read(STORIES.doing, items, |c, items| {
                Box::pin(async move { c.all(STORIES, args![&json_rows(items)]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(item, story)| (ItemId(item), ItemId(story))).collect())
    }

    /// How many read a feed, and how many of them read one of the others too; who has paused reads nothing.
    #[boxed]
    pub async fn readers_in_common(&self, feed: FeedId, others: &[FeedId]) -> Result<(u64, u64)> {
        let others: Vec<FeedId> = others.iter().copied().take(ASKED_MAX).collect();
        let (readers, common): (i64, i64) = self
            .read(READERS.doing, (feed, others), |c, (feed, others)| {
                Box::pin(async move { c.one(READERS, args![&json_rows(others), *feed]).await })
            })
            .await?;
        Ok((u64::try_from(readers).unwrap_or(0), u64::try_from(common).unwrap_or(0)))
    }
}

/// In the transaction of a step of learning.
pub(crate) async fn keep(c: &mut Conn, stories: &[StoryItem]) -> Result<()> {
    #[derive(Serialize)]
    struct Row {
        item: ItemId,
        story: ItemId,
        why: &'static str,
    }
    // An item once: PostgreSQL refuses to meet a conflict twice in one statement.
    let rows: BTreeMap<ItemId, Row> = stories
        .iter()
        .map(|one| (one.item, Row { item: one.item, story: one.story, why: one.why.name() }))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let rows: Vec<Row> = rows.into_values().collect();
    c.run(KEEP, args![&json_rows(&rows)]).await.map(drop)
}

/// Takes items that go out of their stories; `json` holds their numbers.
pub(crate) async fn forget_items(c: &mut Conn, json: &str) -> Result<()> {
    let touched: Vec<(i64,)> = c.all(REMOVE, args![json]).await?;
    dissolve(c, touched).await
}

/// The same for all private feeds of a person.
pub(crate) async fn forget_private(c: &mut Conn, user: UserId) -> Result<()> {
    let touched: Vec<(i64,)> = c.all(REMOVE_PRIVATE, args![user]).await?;
    dissolve(c, touched).await
}

async fn dissolve(c: &mut Conn, touched: Vec<(i64,)>) -> Result<()> {
    if touched.is_empty() {
        return Ok(());
    }
    let mut stories: Vec<i64> = touched.into_iter().map(|(story,)| story).collect();
    stories.sort_unstable();
    stories.dedup();
    c.run(DISSOLVE, args![&json_rows(&stories)]).await.map(drop)
}
