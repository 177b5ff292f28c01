//! A feed of one's own: credentials or another address for one person's subscription.
//!
//! A feed that only this person follows is changed in place. Otherwise the subscription moves to another feed row: one
//! that is there already, or a new one that takes the newest items along as this person has read, starred, tagged and
//! hidden them. What a private feed has brought never comes into a shared one (A6): without credentials the person
//! starts anew at the shared feed.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::set_secret;
use crate::follow::hold_numbers;
use crate::leave::{drop_validators, leave};
use crate::mark_all::recount;
use crate::profiles::touch;
use crate::rules::follow_feed;
use crate::shares::forget_feed;
use crate::sql::{Conn, Sql, args, sql};
use crate::store::Store;
use crate::subscribe::{Chunk, subscribe};
use crate::types::Wish;
use domain::{FeedId, NewSubscription, Timestamp, UserId};
use std::time::Duration;

const SUBSCRIBED: Sql = sql!("reading the feed to change",
    "SELECT f.url, f.private_to, t.provider, t.state FROM schedule t JOIN feed f ON f.id = t.feed_id
     JOIN subscription s ON s.feed_id = t.feed_id AND s.user_id = $1 WHERE t.feed_id = $2" lock);
const NAMESAKE: Sql =
    sql!("looking for a feed of that address", "SELECT id FROM feed WHERE url = $1 AND private_to = $2");
/// Others' stars and tags need the items where they are.
const OTHERS: Sql = sql!(
    "looking for others who need a feed",
    "SELECT EXISTS (SELECT 1 FROM subscription WHERE feed_id = $2 AND user_id <> $1)
         OR EXISTS (SELECT 1 FROM item i JOIN star k ON k.item_id = i.id WHERE i.feed_id = $2 AND k.user_id <> $1)
         OR EXISTS (SELECT 1 FROM item i JOIN item_tag k ON k.item_id = i.id WHERE i.feed_id = $2 AND k.user_id <> $1)"
);
const SET_FEED: Sql =
    sql!("changing a feed's address", "UPDATE feed SET url = $2, private_to = $3 WHERE id = $1");
const ADD_PROVIDER: Sql = sql!("adding a provider",
    "INSERT INTO provider (name, free_at, busy_until, blocked_until, slot_at, requests) VALUES ($1, 0, 0, 0, 0, 0)
     ON CONFLICT (name) DO NOTHING");
/// A poll under way was of the feed as it was: its lease is void. The time of the next poll stays.
const SET_SCHEDULE: Sql = sql!(
    "changing a feed's schedule",
    "UPDATE schedule SET provider = $2, has_slot = false, lease_number = lease_number + 1, lease_node = NULL,
         lease_until = NULL, feed_state = CASE WHEN feed_state = 'gone' AND $3 THEN 'active' ELSE feed_state END
     WHERE feed_id = $1"
);
const DROP_SECRET: Sql = sql!("dropping a feed's credentials", "DELETE FROM feed_secret WHERE feed_id = $1");
const COPY_FACTS: Sql = sql!(
    "taking a feed's facts along",
    "UPDATE feed SET title = o.title, site_url = o.site_url, description = o.description, language = o.language,
         icon_url = o.icon_url, format = o.format, noindex = o.noindex
     FROM feed o WHERE feed.id = $2 AND o.id = $1"
);
const COPY_ITEMS: Sql = sql!(
    "taking a feed's items along",
    "INSERT INTO item (feed_id, identity, sort_at, published_at, first_seen_at, title, link, author, content_hash,
         revision, revised_at, bytes, excerpt, picture, words, playable)
     SELECT n.feed_id, n.identity, n.sort_at, n.published_at, n.first_seen_at, n.title, n.link, n.author,
         n.content_hash, n.revision, n.revised_at, n.bytes, n.excerpt, n.picture, n.words, n.playable
     FROM (SELECT CAST($2 AS BIGINT) AS feed_id, identity, sort_at, published_at, first_seen_at, title, link, author, content_hash,
               revision, revised_at, bytes, excerpt, picture, words, playable, id
           FROM item WHERE feed_id = $1 ORDER BY sort_at DESC, id DESC LIMIT 1000) n
     ORDER BY n.sort_at, n.id"
);
const NAME_ITEMS: Sql = sql!(
    "naming items taken along",
    "INSERT INTO item_name (feed_id, name, item_id) SELECT feed_id, identity, id FROM item WHERE feed_id = $1"
);
/// Twins and former names of what came along, and tombstones, which stay such.
const COPY_NAMES: Sql = sql!(
    "taking items' names along",
    "INSERT INTO item_name (feed_id, name, item_id)
     SELECT $2, o.name, n.item_id FROM item_name o LEFT JOIN item i ON i.id = o.item_id
     LEFT JOIN item_name n ON n.feed_id = $2 AND n.name = i.identity
     WHERE o.feed_id = $1 AND (o.item_id IS NULL OR n.item_id IS NOT NULL)
     ON CONFLICT (feed_id, name) DO NOTHING"
);
const COPY_BODIES: Sql = sql!(
    "taking items' bodies along",
    "INSERT INTO item_body (item_id, body)
     SELECT n.item_id, b.body FROM item i JOIN item_name n ON n.feed_id = $2 AND n.name = i.identity
     JOIN item_body b ON b.item_id = i.id WHERE i.feed_id = $1"
);
const COUNT_ITEMS: Sql = sql!(
    "counting items taken along",
    "UPDATE feed SET items = (SELECT COUNT(*) FROM item WHERE feed_id = $1),
         bytes = (SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM item WHERE feed_id = $1) WHERE id = $1"
);
/// A mark for every item both feeds have. Where two items of one are one item of the other, having read one is enough.
const COPY_MARKS: Sql = sql!(
    "taking read states along",
    "INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
     SELECT $3, $2, n.item_id, x.sort_at, COALESCE(m.is_read, i.sort_at <= s.watermark)
     FROM item i JOIN item_name n ON n.feed_id = $2 AND n.name = i.identity JOIN item x ON x.id = n.item_id
     JOIN subscription s ON s.user_id = $3 AND s.feed_id = $1
     LEFT JOIN read_mark m ON m.user_id = $3 AND m.feed_id = $1 AND m.item_id = i.id
     WHERE i.feed_id = $1
     ORDER BY COALESCE(m.is_read, i.sort_at <= s.watermark) DESC
     ON CONFLICT (user_id, feed_id, item_id) DO NOTHING"
);
const MOVE_HIDDEN: Sql = sql!(
    "taking hidden items along",
    "INSERT INTO hidden_item (user_id, item_id, feed_id, sort_at, hidden_at, rule_id, was_unread)
     SELECT $3, x.id, $2, x.sort_at, h.hidden_at, h.rule_id, h.was_unread
     FROM hidden_item h JOIN item i ON i.id = h.item_id JOIN item_name n ON n.feed_id = $2 AND n.name = i.identity
     JOIN item x ON x.id = n.item_id WHERE h.user_id = $3 AND h.feed_id = $1
     ON CONFLICT (user_id, item_id) DO NOTHING"
);
const COPY_STARS: Sql = sql!(
    "taking stars along",
    "INSERT INTO star (user_id, item_id, sort_at, starred_at)
     SELECT $3, x.id, x.sort_at, k.starred_at
     FROM item i JOIN star k ON k.item_id = i.id AND k.user_id = $3
     JOIN item_name n ON n.feed_id = $2 AND n.name = i.identity JOIN item x ON x.id = n.item_id WHERE i.feed_id = $1
     ON CONFLICT (user_id, item_id) DO NOTHING"
);
const DROP_STARS: Sql = sql!(
    "dropping stars taken along",
    "DELETE FROM star WHERE user_id = $3 AND item_id IN
         (SELECT i.id FROM item i JOIN item_name n ON n.feed_id = $2 AND n.name = i.identity
          WHERE i.feed_id = $1 AND n.item_id IS NOT NULL)"
);
const COPY_TAGS: Sql = sql!(
    "taking tags along",
    "INSERT INTO item_tag (user_id, tag, item_id, sort_at, tagged_at)
     SELECT $3, k.tag, x.id, x.sort_at, k.tagged_at
     FROM item i JOIN item_tag k ON k.item_id = i.id AND k.user_id = $3
     JOIN item_name n ON n.feed_id = $2 AND n.name = i.identity JOIN item x ON x.id = n.item_id WHERE i.feed_id = $1
     ON CONFLICT (user_id, tag, item_id) DO NOTHING"
);
const DROP_TAGS: Sql = sql!(
    "dropping tags taken along",
    "DELETE FROM item_tag WHERE user_id = $3 AND item_id IN
         (SELECT i.id FROM item i JOIN item_name n ON n.feed_id = $2 AND n.name = i.identity
          WHERE i.feed_id = $1 AND n.item_id IS NOT NULL)"
);
const COPY_SUBSCRIPTION: Sql = sql!(
    "taking a subscription's settings along",
    "UPDATE subscription SET folder_id = o.folder_id, title = o.title, full_text = o.full_text, important = o.important,
         weight = o.weight, created_at = o.created_at
     FROM subscription o WHERE subscription.user_id = $3 AND subscription.feed_id = $2
       AND o.user_id = $3 AND o.feed_id = $1"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    SUBSCRIBED,
    NAMESAKE,
    OTHERS,
    SET_FEED,
    ADD_PROVIDER,
    SET_SCHEDULE,
    DROP_SECRET,
    COPY_FACTS,
    COPY_ITEMS,
    NAME_ITEMS,
    COPY_NAMES,
    COPY_BODIES,
    COUNT_ITEMS,
    COPY_MARKS,
    MOVE_HIDDEN,
    COPY_STARS,
    DROP_STARS,
    COPY_TAGS,
    DROP_TAGS,
    COPY_SUBSCRIPTION,
];

impl Store {
    /// Gives a person's subscription credentials (or an own user agent), takes them away, or changes its address; the
    /// feed it is tied to afterwards is returned. `sealed` makes the feed this person's alone, none makes it shared;
    /// `new_url` is an address with its provider. The time of the next poll of a feed changed in place stays:
    /// [`Store::bring_forward`] is the caller's to decide. [`StoreError::NotFound`] for a feed not followed.
    #[boxed]
    pub async fn make_private(
        &self,
        user: UserId,
        feed: FeedId,
        sealed: Option<Vec<u8>>,
        new_url: Option<(String, String)>,
        now: Timestamp,
    ) -> Result<FeedId> {
        let wanted = Wanted { user, feed, sealed, new_url, now, first_floor: self.inner.first_floor };
        let own = self
            .write("giving a feed its own settings", wanted, |c, wanted| Box::pin(make_private(c, wanted)))
            .await?;
        self.wake();
        self.tell_followers();
        Ok(own)
    }
}

struct Wanted {
    user: UserId,
    feed: FeedId,
    sealed: Option<Vec<u8>>,
    new_url: Option<(String, String)>,
    now: Timestamp,
    first_floor: Duration,
}

/// The feed as it shall be.
struct Target {
    url: String,
    owner: i64,
    provider: String,
}

async fn make_private(c: &mut Conn, wanted: &Wanted) -> Result<FeedId> {
    let (user, feed) = (wanted.user, wanted.feed);
    let row: Option<(String, i64, String, String)> = c.maybe(SUBSCRIBED, args![user, feed]).await?;
    let (url, owner, provider, state) = row.ok_or(StoreError::NotFound { what: "subscription" })?;
    let (was_private, has_new_url) =
        (owner != 0, wanted.new_url.as_ref().is_some_and(|(new, _)| *new != url));
    let (url, provider) = wanted.new_url.clone().unwrap_or((url, provider));
    let url = crate::pack::clean(&url).into_owned();
    let target = Target { url, owner: if wanted.sealed.is_some() { user.0 } else { 0 }, provider };
    let namesake: Option<(i64,)> = c.maybe(NAMESAKE, args![&target.url, target.owner]).await?;
    let (others,): (bool,) = c.one(OTHERS, args![user, feed]).await?;
    // A private feed cannot be opened to everybody where it is.
    let opens = was_private && target.owner == 0;
    let stays = match namesake {
        Some((id,)) => id == feed.0,
        None => !others && !opens,
    };
    if stays {
        change_in_place(c, feed, &target, has_new_url, &state).await?;
        match &wanted.sealed {
            Some(sealed) => set_secret(c, feed, sealed).await?,
            None => c.run(DROP_SECRET, args![feed]).await.map(drop)?,
        }
        return Ok(feed);
    }
    move_over(c, wanted, &target, opens).await
}

async fn change_in_place(
    c: &mut Conn,
    feed: FeedId,
    target: &Target,
    has_new_url: bool,
    state: &str,
) -> Result<()> {
    c.run(SET_FEED, args![feed, &target.url, target.owner]).await?;
    if target.owner != 0 {
        forget_feed(c, feed).await?;
    }
    c.run(ADD_PROVIDER, args![&target.provider]).await?;
    c.run(SET_SCHEDULE, args![feed, &target.provider, has_new_url]).await?;
    touch(c, feed).await?;
    // Validators belong to the address and the person they were given to.
    drop_validators(c, feed, state).await
}

async fn move_over(c: &mut Conn, wanted: &Wanted, target: &Target, opens: bool) -> Result<FeedId> {
    let (user, from) = (wanted.user, wanted.feed);
    let wish = Wish {
        subscription: NewSubscription {
            url: target.url.clone(),
            title: None,
            site_url: None,
            folder: Vec::new(),
        },
        provider: target.provider.clone(),
        private: target.owner != 0,
        sealed: wanted.sealed.clone(),
    };
    let chunk = Chunk {
        user,
        wishes: vec![wish],
        first: vec![wanted.now],
        now: wanted.now,
        first_floor: wanted.first_floor,
    };
    let done = subscribe(c, &chunk).await?.into_iter().next().ok_or(StoreError::NotFound { what: "feed" })?;
    let to = done.feed;
    if done.is_new_feed && !opens {
        copy_items(c, from, to).await?;
    }
    // Whoever follows the other feed already has read it in their own way.
    if !done.was_subscribed {
        c.run(COPY_SUBSCRIPTION, args![from, to, user]).await?;
        carry_reading(c, user, from, to).await?;
    }
    follow_feed(c, user, from, to).await?;
    leave(c, user, from).await?;
    Ok(to)
}

/// The newest items with their names and bodies; a feed of one's own does not start empty.
async fn copy_items(c: &mut Conn, from: FeedId, to: FeedId) -> Result<()> {
    c.run(COPY_FACTS, args![from, to]).await?;
    hold_numbers(c).await?;
    c.run(COPY_ITEMS, args![from, to]).await?;
    c.run(NAME_ITEMS, args![to]).await?;
    c.run(COPY_NAMES, args![from, to]).await?;
    c.run(COPY_BODIES, args![from, to]).await?;
    c.run(COUNT_ITEMS, args![to]).await?;
    Ok(())
}

/// What this person did with items of one feed, done to the same items of another.
async fn carry_reading(c: &mut Conn, user: UserId, from: FeedId, to: FeedId) -> Result<()> {
    for sql in [COPY_MARKS, MOVE_HIDDEN, COPY_STARS, DROP_STARS, COPY_TAGS, DROP_TAGS] {
        c.run(sql, args![from, to, user]).await?;
    }
    recount(c, user, to).await?;
    Ok(())
}
