//! Moving a feed to the address its publisher permanently redirects to (N18).

use crate::error::Result;
use crate::profiles::touch;
use crate::sql::{Conn, Sql, args, sql};
use domain::{FeedId, Timestamp};

const NAMESAKE: Sql = sql!(
    "looking for the adopted address",
    "SELECT id FROM feed WHERE url = $1 AND private_to = (SELECT private_to FROM feed WHERE id = $2)"
);
const SET_URL: Sql = sql!("adopting an address", "UPDATE feed SET url = $2 WHERE id = $1");
const ADD_PROVIDER: Sql = sql!("adding a provider",
    "INSERT INTO provider (name, free_at, busy_until, blocked_until, slot_at, requests) VALUES ($1, 0, 0, 0, 0, 0)
     ON CONFLICT (name) DO NOTHING");
const SET_PROVIDER: Sql =
    sql!("moving a feed to its provider", "UPDATE schedule SET provider = $2 WHERE feed_id = $1");
/// New subscribers of the target start with what it publishes from now on: they have read the same items here.
const COPY_SUBSCRIBERS: Sql = sql!(
    "merging subscribers",
    "INSERT INTO subscription (user_id, feed_id, folder_id, title, created_at, watermark, unread)
     SELECT user_id, $2, folder_id, title, $3,
         COALESCE((SELECT MAX(sort_at) FROM item WHERE feed_id = $2), $4), 0
     FROM subscription WHERE feed_id = $1 ON CONFLICT (user_id, feed_id) DO NOTHING"
);
const ADD_SUBSCRIBERS: Sql = sql!(
    "counting merged subscribers",
    "UPDATE schedule SET subscribers = subscribers + $2 WHERE feed_id = $1"
);
const RETIRE: Sql =
    sql!("retiring a merged feed", "UPDATE schedule SET feed_state = 'gone' WHERE feed_id = $1");

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[NAMESAKE, SET_URL, ADD_PROVIDER, SET_PROVIDER, COPY_SUBSCRIBERS, ADD_SUBSCRIBERS, RETIRE];

/// When the address is already a feed, this feed's subscribers follow that one too, and this one is not polled any
/// more: its items stay where people have read, starred and tagged them. Returns the feed merged into.
pub(super) async fn adopt(
    c: &mut Conn,
    feed: FeedId,
    url: &str,
    provider: &str,
    now: Timestamp,
) -> Result<Option<FeedId>> {
    match c.maybe::<(i64,)>(NAMESAKE, args![url, feed]).await? {
        Some((other,)) if other != feed.0 => {
            let copied = c.run(COPY_SUBSCRIBERS, args![feed, other, now, i64::MIN]).await?;
            c.run(ADD_SUBSCRIBERS, args![other, i64::try_from(copied).unwrap_or(i64::MAX)]).await?;
            c.run(RETIRE, args![feed]).await?;
            Ok(Some(FeedId(other)))
        }
        _ => {
            c.run(SET_URL, args![feed, url]).await?;
            c.run(ADD_PROVIDER, args![provider]).await?;
            c.run(SET_PROVIDER, args![feed, provider]).await?;
            touch(c, feed).await?;
            Ok(None)
        }
    }
}
