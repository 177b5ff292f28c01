//! Leaving feeds, and coming back within the hour.
//!
//! When the last subscriber leaves, the feed keeps its items but is no longer polled, and its validators are dropped
//! so that they cannot be used to follow anyone (B7). What the person had of the feed (its name, its folder, what was
//! read and hidden, its sealed credentials) is kept aside for an hour, so that leaving can be taken back.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::{set_secret, to_json};
use crate::mark_all::recount;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::UndoToken;
use crate::undo::{self, UndoKind};
use domain::{FeedId, Schedule, Timestamp, UserId, Validators};
use serde::{Deserialize, Serialize};

const REMOVE: Sql = sql!(
    "unsubscribing",
    "DELETE FROM subscription WHERE user_id = $1 AND feed_id = $2
     RETURNING folder_id, title, created_at, watermark, full_text, important, paused, weight"
);
const TAKE_MARKS: Sql = sql!(
    "taking read marks away",
    "DELETE FROM read_mark WHERE user_id = $1 AND feed_id = $2 RETURNING item_id, is_read"
);
const TAKE_HIDDEN: Sql = sql!(
    "taking hidden items away",
    "DELETE FROM hidden_item WHERE user_id = $1 AND feed_id = $2 RETURNING item_id, hidden_at, rule_id, was_unread"
);
const LOSE_SUBSCRIBER: Sql = sql!(
    "counting a subscriber less",
    "UPDATE schedule SET subscribers = subscribers - $2 WHERE feed_id = $1 RETURNING state"
);
const IS_LEFT: Sql = sql!(
    "looking for other subscribers",
    "SELECT NOT EXISTS (SELECT 1 FROM subscription WHERE feed_id = $1)"
);
const SET_SCHEDULE_STATE: Sql =
    sql!("dropping validators", "UPDATE schedule SET state = $2 WHERE feed_id = $1");
const TAKE_SECRET: Sql =
    sql!("taking credentials away", "DELETE FROM feed_secret WHERE feed_id = $1 RETURNING sealed");
/// Waits for a poll that stores items at this moment; a feed that has become somebody else's does not come back.
const LOCK_FEED: Sql = sql!("locking a feed",
    "SELECT t.feed_id FROM schedule t JOIN feed f ON f.id = t.feed_id
     WHERE t.feed_id = $1 AND (f.private_to = 0 OR f.private_to = $2)" lock);
const ADD_BACK: Sql = sql!(
    "following a feed again",
    "INSERT INTO subscription (user_id, feed_id, folder_id, title, created_at, watermark, unread, full_text,
         important, paused, weight)
     VALUES ($1, $2, (SELECT id FROM folder WHERE id = $3 AND user_id = $1), $4, $5, $6, 0, $7, $8, $9, $10)
     ON CONFLICT (user_id, feed_id) DO NOTHING"
);
const PUT_MARKS_BACK: Sql = sql!("putting read marks back",
    "INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
     SELECT $2, i.feed_id, i.id, i.sort_at, CAST(r.value ->> 'read' AS BOOLEAN)
     FROM " rows " JOIN item i ON i.id = CAST(r.value ->> 'item' AS BIGINT) WHERE i.feed_id = $3
     ON CONFLICT (user_id, feed_id, item_id) DO NOTHING");
const HIDE_AGAIN: Sql = sql!("hiding items again",
    "INSERT INTO hidden_item (user_id, item_id, feed_id, sort_at, hidden_at, rule_id, was_unread)
     SELECT $2, i.id, i.feed_id, i.sort_at, CAST(r.value ->> 'at' AS BIGINT), CAST(r.value ->> 'rule' AS BIGINT),
         CAST(r.value ->> 'unread' AS BOOLEAN)
     FROM " rows " JOIN item i ON i.id = CAST(r.value ->> 'item' AS BIGINT) WHERE i.feed_id = $3
     ON CONFLICT (user_id, item_id) DO NOTHING");
/// What came meanwhile below the watermark is unread all the same.
const UNREAD_SINCE: Sql = sql!(
    "finding what came meanwhile",
    "INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
     SELECT $1, i.feed_id, i.id, i.sort_at, false FROM item i
     WHERE i.feed_id = $2 AND i.id > $3 AND i.sort_at <= $4
     ON CONFLICT (user_id, feed_id, item_id) DO NOTHING"
);
const GAIN_SUBSCRIBER: Sql = sql!(
    "counting a subscriber more",
    "UPDATE schedule SET subscribers = subscribers + $2 WHERE feed_id = $1"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    REMOVE,
    TAKE_MARKS,
    TAKE_HIDDEN,
    LOSE_SUBSCRIBER,
    IS_LEFT,
    SET_SCHEDULE_STATE,
    TAKE_SECRET,
    LOCK_FEED,
    ADD_BACK,
    PUT_MARKS_BACK,
    HIDE_AGAIN,
    UNREAD_SINCE,
    GAIN_SUBSCRIBER,
];

impl Store {
    /// None when there was no such subscription. Stars and tags stay. [`Store::undo`] brings it back within the hour.
    #[boxed]
    pub async fn unsubscribe(&self, user: UserId, feed: FeedId, now: Timestamp) -> Result<Option<UndoToken>> {
        self.write(REMOVE.doing, (user, feed, now), |c, (user, feed, now)| {
            Box::pin(async move {
                let Some((left, sealed)) = leave(c, *user, *feed).await? else { return Ok(None) };
                let json = to_json(&left);
                let token = undo::keep(c, *user, UndoKind::Feed, &json, sealed.as_deref(), *now).await?;
                Ok(Some(token))
            })
        })
        .await
    }
}

/// A subscription that was left; what is stored for an undo.
#[derive(Serialize, Deserialize)]
pub(crate) struct Left {
    feed: i64,
    folder: Option<i64>,
    title: Option<String>,
    created_at: i64,
    watermark: i64,
    full_text: bool,
    #[serde(default)]
    important: bool,
    paused: bool,
    #[serde(default)]
    weight: Option<i64>,
    marks: Vec<Marked>,
    hidden: Vec<Hidden>,
}

#[derive(Serialize, Deserialize)]
struct Marked {
    item: i64,
    read: bool,
}

#[derive(Serialize, Deserialize)]
struct Hidden {
    item: i64,
    at: i64,
    rule: Option<i64>,
    unread: bool,
}

/// Ends a subscription; gives back what was taken, and the feed's sealed credentials when nobody is left to need them.
pub(crate) async fn leave(
    c: &mut Conn,
    user: UserId,
    feed: FeedId,
) -> Result<Option<(Left, Option<Vec<u8>>)>> {
    type Row = (Option<i64>, Option<String>, i64, i64, bool, bool, bool, Option<i64>);
    let row: Option<Row> = c.maybe(REMOVE, args![user, feed]).await?;
    let Some((folder, title, created_at, watermark, full_text, important, paused, weight)) = row else {
        return Ok(None);
    };
    let marks: Vec<(i64, bool)> = c.all(TAKE_MARKS, args![user, feed]).await?;
    let hidden: Vec<(i64, i64, Option<i64>, bool)> = c.all(TAKE_HIDDEN, args![user, feed]).await?;
    undo::forget_read(c, user).await?;
    let (state,): (String,) = c.one(LOSE_SUBSCRIBER, args![feed, i64::from(!paused)]).await?;
    let (is_left,): (bool,) = c.one(IS_LEFT, args![feed]).await?;
    let mut sealed = None;
    if is_left {
        drop_validators(c, feed, &state).await?;
        sealed = c.maybe::<(Vec<u8>,)>(TAKE_SECRET, args![feed]).await?.map(|(sealed,)| sealed);
    }
    let left = Left {
        feed: feed.0,
        folder,
        title,
        created_at,
        watermark,
        full_text,
        important,
        paused,
        weight,
        marks: marks.into_iter().map(|(item, read)| Marked { item, read }).collect(),
        hidden: hidden
            .into_iter()
            .map(|(item, at, rule, unread)| Hidden { item, at, rule, unread })
            .collect(),
    };
    Ok(Some((left, sealed)))
}

/// Brings a subscription back and tells how many items are unread in it. Somebody who follows the feed again already
/// keeps the new subscription.
pub(crate) async fn come_back(
    c: &mut Conn,
    user: UserId,
    left: &Left,
    sealed: Option<&[u8]>,
    newest_item: i64,
) -> Result<u64> {
    let feed = FeedId(left.feed);
    let locked: Option<(i64,)> = c.maybe(LOCK_FEED, args![feed, user]).await?;
    locked.ok_or(StoreError::NotFound { what: "feed" })?;
    let args = args![
        user,
        feed,
        left.folder,
        left.title.as_deref(),
        left.created_at,
        left.watermark,
        left.full_text,
        left.important,
        left.paused,
        left.weight
    ];
    if c.run(ADD_BACK, args).await? == 0 {
        return Ok(0);
    }
    c.run(PUT_MARKS_BACK, args![&json_rows(&left.marks), user, feed]).await?;
    c.run(HIDE_AGAIN, args![&json_rows(&left.hidden), user, feed]).await?;
    c.run(UNREAD_SINCE, args![user, feed, newest_item, left.watermark]).await?;
    c.run(GAIN_SUBSCRIBER, args![feed, i64::from(!left.paused)]).await?;
    if let Some(sealed) = sealed {
        set_secret(c, feed, sealed).await?;
    }
    recount(c, user, feed).await
}

/// B7: what a publisher gave us to recognise us by does not outlive the last subscriber.
pub(crate) async fn drop_validators(c: &mut Conn, feed: FeedId, state: &str) -> Result<()> {
    // A state that cannot be read is replaced by an empty one: nothing in it is worth keeping a tracker for.
    let mut schedule: Schedule = serde_json::from_str(state).unwrap_or_default();
    schedule.validators = Validators::default();
    schedule.body_hash = None;
    c.run(SET_SCHEDULE_STATE, args![feed, &to_json(&schedule)]).await?;
    Ok(())
}
