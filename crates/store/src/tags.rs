//! A person's own tags: counting, renaming and removing them, and taking that back. Tagging items is a mark.

use crate::boxed;
use crate::error::Result;
use crate::feeds::to_json;
use crate::mark::tag_name;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::{Retagged, TagCount};
use crate::undo::{self, UndoKind};
use domain::{Timestamp, UserId};
use serde::{Deserialize, Serialize};

const TAGS: Sql =
    sql!("listing tags", "SELECT tag, COUNT(*) FROM item_tag WHERE user_id = $1 GROUP BY tag ORDER BY tag");
const TAKE: Sql = sql!(
    "removing a tag",
    "DELETE FROM item_tag WHERE user_id = $1 AND tag = $2 RETURNING item_id, tagged_at"
);
/// Returns what did not carry the tag yet.
const GIVE: Sql = sql!("tagging items",
    "INSERT INTO item_tag (user_id, tag, item_id, sort_at, tagged_at)
     SELECT $2, $3, i.id, i.sort_at, CAST(r.value ->> 'at' AS BIGINT)
     FROM " rows " JOIN item i ON i.id = CAST(r.value ->> 'item' AS BIGINT) WHERE true
     ON CONFLICT (user_id, tag, item_id) DO NOTHING RETURNING item_id, tagged_at");
const TAKE_FROM: Sql = sql!("removing a tag from items",
    "DELETE FROM item_tag WHERE user_id = $2 AND tag = $3
     AND item_id IN (SELECT CAST(r.value ->> 'item' AS BIGINT) FROM " rows ")");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[TAGS, TAKE, GIVE, TAKE_FROM];

/// What is stored to take a renaming or a removal back.
#[derive(Serialize, Deserialize)]
pub(crate) struct Taken {
    tag: String,
    carried: Vec<Tagged>,
    /// The name they got instead, and the items that did not carry it before.
    #[serde(default)]
    given: Option<(String, Vec<Tagged>)>,
}

#[derive(Serialize, Deserialize)]
struct Tagged {
    item: i64,
    at: i64,
}

impl Store {
    #[boxed]
    pub async fn tags(&self, user: UserId) -> Result<Vec<TagCount>> {
        let rows: Vec<(String, i64)> = self
            .read(TAGS.doing, user, |c, user| Box::pin(async move { c.all(TAGS, args![*user]).await }))
            .await?;
        let tag = |(tag, items)| TagCount { tag, items: u64::try_from(items).unwrap_or(0) };
        Ok(rows.into_iter().map(tag).collect())
    }

    /// Tells how many items carried the old name. A new name that exists takes them in; an empty one changes nothing.
    /// [`Store::undo`] takes it back.
    #[boxed]
    pub async fn rename_tag(&self, user: UserId, from: &str, to: &str, now: Timestamp) -> Result<Retagged> {
        let (from, to) = (tag_name(from), tag_name(to));
        if to.is_empty() || from == to {
            return Ok(Retagged::default());
        }
        self.write(GIVE.doing, (user, from, to, now), |c, (user, from, to, now)| {
            Box::pin(async move { retag(c, *user, from, Some(to), *now).await })
        })
        .await
    }

    /// Tells how many items carried it. [`Store::undo`] takes it back.
    #[boxed]
    pub async fn remove_tag(&self, user: UserId, tag: &str, now: Timestamp) -> Result<Retagged> {
        self.write(TAKE.doing, (user, tag_name(tag), now), |c, (user, tag, now)| {
            Box::pin(async move { retag(c, *user, tag, None, *now).await })
        })
        .await
    }
}

async fn retag(
    c: &mut Conn,
    user: UserId,
    tag: &str,
    to: Option<&String>,
    now: Timestamp,
) -> Result<Retagged> {
    let carried = tagged(c.all(TAKE, args![user, tag]).await?);
    if carried.is_empty() {
        return Ok(Retagged::default());
    }
    let items = u64::try_from(carried.len()).unwrap_or(u64::MAX);
    let given = match to {
        None => None,
        Some(to) => {
            let rows = c.all(GIVE, args![&json_rows(&carried), user, to.as_str()]).await?;
            Some((to.clone(), tagged(rows)))
        }
    };
    let taken = Taken { tag: tag.to_owned(), carried, given };
    let undo = undo::keep(c, user, UndoKind::Tag, &to_json(&taken), None, now).await?;
    Ok(Retagged { items, undo: Some(undo) })
}

/// Gives items their tag back. What has been tagged since then stays so.
pub(crate) async fn give_back(c: &mut Conn, user: UserId, taken: &Taken) -> Result<()> {
    if let Some((to, given)) = &taken.given {
        c.run(TAKE_FROM, args![&json_rows(given), user, to.as_str()]).await?;
    }
    c.run(GIVE, args![&json_rows(&taken.carried), user, taken.tag.as_str()]).await?;
    Ok(())
}

fn tagged(rows: Vec<(i64, i64)>) -> Vec<Tagged> {
    rows.into_iter().map(|(item, at)| Tagged { item, at }).collect()
}
