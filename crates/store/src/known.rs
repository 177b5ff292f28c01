//! What a search must know of a person's items: which are starred, tagged, unread. Numbers only, and bounded.

use crate::boxed;
use crate::error::Result;
use crate::sql::{Sql, args, sql};
use crate::store::Store;
use crate::types::UnreadMarks;
use domain::{FeedId, ItemId, Timestamp, UserId};

const STARRED: Sql = sql!(
    "reading starred items' numbers",
    "SELECT item_id FROM star WHERE user_id = $1 ORDER BY sort_at DESC, item_id DESC LIMIT $2"
);
const TAGGED: Sql = sql!(
    "reading tagged items' numbers",
    "SELECT item_id FROM item_tag WHERE user_id = $1 AND tag = $3 ORDER BY sort_at DESC, item_id DESC LIMIT $2"
);
const WATERMARKS: Sql = sql!(
    "reading watermarks",
    "SELECT feed_id, watermark FROM subscription WHERE user_id = $1 ORDER BY feed_id LIMIT $2"
);
const MARKS: Sql = sql!(
    "reading read marks",
    "SELECT item_id, is_read FROM read_mark WHERE user_id = $1 ORDER BY item_id DESC LIMIT $2"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[STARRED, TAGGED, WATERMARKS, MARKS];

/// Numbers told at most; nobody has starred more by hand.
const NUMBERS_MAX: i64 = 200_000;

impl Store {
    /// At most 200,000, those sorted last.
    #[boxed]
    pub async fn starred_ids(&self, user: UserId) -> Result<Vec<ItemId>> {
        let rows: Vec<(i64,)> = self
            .read(STARRED.doing, user, |c, user| {
                Box::pin(async move { c.all(STARRED, args![*user, NUMBERS_MAX]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(id,)| ItemId(id)).collect())
    }

    /// The same for one of the person's own tags, by its whole name.
    #[boxed]
    pub async fn tagged_ids(&self, user: UserId, tag: &str) -> Result<Vec<ItemId>> {
        let rows: Vec<(i64,)> = self
            .read(TAGGED.doing, (user, tag.to_owned()), |c, (user, tag)| {
                Box::pin(async move { c.all(TAGGED, args![*user, NUMBERS_MAX, tag]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(id,)| ItemId(id)).collect())
    }

    /// What is unread, as watermarks and marks: little however much is unread.
    #[boxed]
    pub async fn unread_marks(&self, user: UserId) -> Result<UnreadMarks> {
        self.read(MARKS.doing, user, |c, user| {
            Box::pin(async move {
                let watermarks: Vec<(i64, i64)> = c.all(WATERMARKS, args![*user, NUMBERS_MAX]).await?;
                let marks: Vec<(i64, bool)> = c.all(MARKS, args![*user, NUMBERS_MAX]).await?;
                let watermark = |(feed, at)| (FeedId(feed), Timestamp::from_micros(at));
                Ok(UnreadMarks {
                    watermarks: watermarks.into_iter().map(watermark).collect(),
                    marks: marks.into_iter().map(|(item, is_read)| (ItemId(item), is_read)).collect(),
                })
            })
        })
        .await
    }
}
