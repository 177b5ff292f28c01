//! A person's own tags: counting, renaming and removing them. Tagging items is a mark.

use crate::error::Result;
use crate::mark::tag_name;
use crate::sql::{Sql, args, sql};
use crate::store::Store;
use crate::types::TagCount;
use domain::UserId;

const TAGS: Sql =
    sql!("listing tags", "SELECT tag, COUNT(*) FROM item_tag WHERE user_id = $1 GROUP BY tag ORDER BY tag");
const COPY: Sql = sql!(
    "renaming a tag",
    "INSERT INTO item_tag (user_id, tag, item_id, sort_at, tagged_at)
     SELECT user_id, $3, item_id, sort_at, tagged_at FROM item_tag WHERE user_id = $1 AND tag = $2
     ON CONFLICT (user_id, tag, item_id) DO NOTHING"
);
const REMOVE: Sql = sql!("removing a tag", "DELETE FROM item_tag WHERE user_id = $1 AND tag = $2");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[TAGS, COPY, REMOVE];

impl Store {
    pub async fn tags(&self, user: UserId) -> Result<Vec<TagCount>> {
        let rows: Vec<(String, i64)> = self
            .read(TAGS.doing, user, |c, user| Box::pin(async move { c.all(TAGS, args![*user]).await }))
            .await?;
        let tag = |(tag, items)| TagCount { tag, items: u64::try_from(items).unwrap_or(0) };
        Ok(rows.into_iter().map(tag).collect())
    }

    /// Returns how many items carried the old name. A new name that exists takes them in; an empty one changes nothing.
    pub async fn rename_tag(&self, user: UserId, from: &str, to: &str) -> Result<u64> {
        let (from, to) = (tag_name(from), tag_name(to));
        if to.is_empty() || from == to {
            return Ok(0);
        }
        self.write(COPY.doing, (user, from, to), |c, (user, from, to)| {
            Box::pin(async move {
                c.run(COPY, args![*user, from, to]).await?;
                c.run(REMOVE, args![*user, from]).await
            })
        })
        .await
    }

    /// Returns how many items carried it.
    pub async fn remove_tag(&self, user: UserId, tag: &str) -> Result<u64> {
        self.write(REMOVE.doing, (user, tag_name(tag)), |c, (user, tag)| {
            Box::pin(async move { c.run(REMOVE, args![*user, tag]).await })
        })
        .await
    }
}
