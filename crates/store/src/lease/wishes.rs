//! What the subscribers of a feed want beyond its items, asked once a poll has brought new ones.

use crate::boxed;
use crate::error::Result;
use crate::sql::{Sql, args, sql};
use crate::store::Store;
use domain::FeedId;

const WANTED: Sql = sql!(
    "asking whether anybody wants full texts",
    "SELECT user_id FROM subscription WHERE feed_id = $1 AND full_text AND NOT paused LIMIT 1"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[WANTED];

impl Store {
    /// Whether any subscriber, not paused, wants the full texts of this feed.
    #[boxed]
    pub async fn wants_full_text(&self, feed: FeedId) -> Result<bool> {
        let one: Option<(i64,)> = self
            .read(WANTED.doing, feed, |c, feed| Box::pin(async move { c.maybe(WANTED, args![*feed]).await }))
            .await?;
        Ok(one.is_some())
    }
}
