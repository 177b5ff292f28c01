//! Removing a person with every row of theirs, and the feeds that were theirs alone.
//!
//! Feeds that others follow too lose a subscriber; those nobody follows any more lose their validators (B7) and are
//! no longer polled. A private feed goes with its items: nobody else may ever see them (A6).

use crate::error::{Result, StoreError};
use crate::follow::record;
use crate::leave::drop_validators;
use crate::people::found;
use crate::sql::{Conn, Sql, args, sql};
use crate::stories::forget_private;
use crate::types::ItemChangeKind;
use domain::{FeedId, ItemId, Timestamp, UserId};

const SUBSCRIBED: Sql = sql!("locking a person's feeds",
    "SELECT t.feed_id, t.state FROM schedule t JOIN subscription s ON s.feed_id = t.feed_id AND s.user_id = $1
     ORDER BY t.feed_id" lock);
const LOSE_SUBSCRIBER: Sql = sql!(
    "counting a subscriber less",
    "UPDATE schedule SET subscribers = subscribers - 1
     FROM subscription s WHERE s.user_id = $1 AND NOT s.paused AND s.feed_id = schedule.feed_id"
);
const LEFT: Sql = sql!(
    "finding feeds nobody follows",
    "SELECT s.feed_id, s.state FROM schedule s JOIN subscription u ON u.feed_id = s.feed_id AND u.user_id = $1
     WHERE NOT EXISTS (SELECT 1 FROM subscription o WHERE o.feed_id = s.feed_id AND o.user_id <> $1)"
);
const PRIVATE: Sql = sql!("finding private feeds", "SELECT id FROM feed WHERE private_to = $1 ORDER BY id");
const REMOVE_BODIES: Sql = sql!(
    "removing private bodies",
    "DELETE FROM item_body WHERE item_id IN
         (SELECT i.id FROM feed f JOIN item i ON i.feed_id = f.id WHERE f.private_to = $1)"
);
const REMOVE_TEXTS: Sql = sql!(
    "removing private full texts",
    "DELETE FROM full_text WHERE item_id IN
         (SELECT i.id FROM feed f JOIN item i ON i.feed_id = f.id WHERE f.private_to = $1)"
);
const REMOVE_TERMS: Sql = sql!(
    "removing private terms",
    "DELETE FROM item_terms WHERE item_id IN
         (SELECT i.id FROM feed f JOIN item i ON i.feed_id = f.id WHERE f.private_to = $1)"
);
const REMOVE_NAMES: Sql = sql!(
    "removing private names",
    "DELETE FROM item_name WHERE feed_id IN (SELECT id FROM feed WHERE private_to = $1)"
);
const REMOVE_ITEMS: Sql = sql!(
    "removing private items",
    "DELETE FROM item WHERE feed_id IN (SELECT id FROM feed WHERE private_to = $1)"
);
const REMOVE_POLLS: Sql = sql!(
    "removing private polls",
    "DELETE FROM poll WHERE feed_id IN (SELECT id FROM feed WHERE private_to = $1)"
);
const REMOVE_MARKS: Sql = sql!("removing marks", "DELETE FROM read_mark WHERE user_id = $1");
const REMOVE_STARS: Sql = sql!("removing stars", "DELETE FROM star WHERE user_id = $1");
const REMOVE_TAGS: Sql = sql!("removing tags", "DELETE FROM item_tag WHERE user_id = $1");
const REMOVE_HIDDEN: Sql = sql!("removing hidden items", "DELETE FROM hidden_item WHERE user_id = $1");
const REMOVE_PLACES: Sql = sql!("removing places in media", "DELETE FROM media_position WHERE user_id = $1");
const REMOVE_DEEDS: Sql = sql!("removing interactions", "DELETE FROM interaction WHERE user_id = $1");
const REMOVE_VISITS: Sql = sql!("removing visits", "DELETE FROM access_log WHERE user_id = $1");
/// Before the folders they stand in.
const REMOVE_SUBSCRIPTIONS: Sql =
    sql!("removing subscriptions", "DELETE FROM subscription WHERE user_id = $1");
/// Takes schedule, credentials, icon and profile with it.
const REMOVE_FEEDS: Sql = sql!("removing private feeds", "DELETE FROM feed WHERE private_to = $1");
/// Takes tokens, sessions, folders, rules, imports, saved searches, undos, habit, taste, friends, shares and trials with
/// it.
const REMOVE_USER: Sql = sql!("removing a user", "DELETE FROM user_account WHERE id = $1");

/// In this order.
const REMOVALS: &[Sql] = &[
    REMOVE_BODIES,
    REMOVE_TEXTS,
    REMOVE_TERMS,
    REMOVE_NAMES,
    REMOVE_ITEMS,
    REMOVE_POLLS,
    REMOVE_MARKS,
    REMOVE_STARS,
    REMOVE_TAGS,
    REMOVE_HIDDEN,
    REMOVE_PLACES,
    REMOVE_DEEDS,
    REMOVE_VISITS,
    REMOVE_SUBSCRIPTIONS,
    REMOVE_FEEDS,
];

#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = Sql> {
    REMOVALS.iter().copied().chain([SUBSCRIBED, LOSE_SUBSCRIBER, LEFT, PRIVATE, REMOVE_USER])
}

pub(crate) async fn remove(c: &mut Conn, user: UserId, now: Timestamp) -> Result<()> {
    if user.0 == 0 {
        // Nobody has this number; as an owner it means everybody.
        return Err(StoreError::NotFound { what: "user" });
    }
    let _locked: Vec<(i64, String)> = c.all(SUBSCRIBED, args![user]).await?;
    c.run(LOSE_SUBSCRIBER, args![user]).await?;
    let left: Vec<(i64, String)> = c.all(LEFT, args![user]).await?;
    for (feed, state) in left {
        drop_validators(c, FeedId(feed), &state).await?;
    }
    let private: Vec<(i64,)> = c.all(PRIVATE, args![user]).await?;
    let gone = private.into_iter().map(|(feed,)| (FeedId(feed), ItemId(0)));
    record(c, gone, ItemChangeKind::FeedRemoved, now).await?;
    forget_private(c, user).await?;
    for removal in REMOVALS {
        c.run(*removal, args![user]).await?;
    }
    found(c.run(REMOVE_USER, args![user]).await?, "user")
}
