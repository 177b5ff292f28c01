//! Following feeds.
//!
//! One feed row serves all its subscribers (N23). Subscribing never brings a poll forward across a floor: a feed that
//! was left and is followed again keeps the time of its next poll.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::to_json;
use crate::folders::{DEPTH_MAX, add_folder};
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::{Subscribed, Wish};
use domain::{FeedId, Reason, Schedule, Timestamp, UserId};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// A new subscriber of a known feed finds this many of its newest items unread (D4).
const UNREAD_ON_SUBSCRIBE: usize = 10;
/// Wishes stored by one operation, so that an import does not hold the writer long.
const CHUNK: usize = 256;

const ADD_FEEDS: Sql = sql!("adding feeds",
    "INSERT INTO feed (url, private_to, site_url, hubs, created_at, items, bytes, retention_at)
     SELECT r.value ->> 'url', CAST(r.value ->> 'owner' AS BIGINT), r.value ->> 'site', '[]', $2, 0, 0, $2
     FROM " rows " WHERE true
     ON CONFLICT (url, private_to) DO NOTHING RETURNING id");
const FIND_FEEDS: Sql = sql!("finding feeds",
    "SELECT f.id, f.url, f.private_to FROM " rows " JOIN feed f
     ON f.url = r.value ->> 'url' AND f.private_to = CAST(r.value ->> 'owner' AS BIGINT)");
const ADD_PROVIDERS: Sql = sql!("adding providers",
    "INSERT INTO provider (name, free_at, busy_until, blocked_until, slot_at, requests)
     SELECT DISTINCT r.value ->> 'provider', 0, 0, 0, 0, 0 FROM " rows " WHERE true ON CONFLICT (name) DO NOTHING");
const ADD_SCHEDULES: Sql = sql!("scheduling new feeds",
    "INSERT INTO schedule (feed_id, next_poll_at, reason, state, feed_state, subscribers, provider, has_slot,
         floor_s, lease_number)
     SELECT CAST(r.value ->> 'feed' AS BIGINT), CAST(r.value ->> 'first' AS BIGINT), $2, $3, 'active', 0,
         r.value ->> 'provider', false, $4, 0
     FROM " rows " WHERE true ON CONFLICT (feed_id) DO NOTHING");
const LOCK_SCHEDULES: Sql = sql!("locking feeds",
    "SELECT t.feed_id FROM schedule t JOIN " rows " ON t.feed_id = CAST(r.value ->> 'feed' AS BIGINT)
     ORDER BY t.feed_id" lock);
const WATERMARKS: Sql = sql!("finding what a new subscriber has unread",
    "SELECT CAST(r.value ->> 'feed' AS BIGINT), i.sort_at FROM " rows " JOIN " each "
     WHERE x.feed_id = CAST(r.value ->> 'feed' AS BIGINT) ORDER BY x.sort_at DESC, x.id DESC LIMIT 11" each_end
    " WHERE true");
const ADD_SUBSCRIPTIONS: Sql = sql!("subscribing",
    "INSERT INTO subscription (user_id, feed_id, folder_id, title, created_at, watermark, unread)
     SELECT $2, CAST(r.value ->> 'feed' AS BIGINT), CAST(r.value ->> 'folder' AS BIGINT), r.value ->> 'title', $3,
         CAST(r.value ->> 'watermark' AS BIGINT), CAST(r.value ->> 'unread' AS BIGINT)
     FROM " rows " WHERE true ON CONFLICT (user_id, feed_id) DO NOTHING RETURNING feed_id");
const COUNT_SUBSCRIBERS: Sql = sql!("counting new subscribers",
    "UPDATE schedule SET subscribers = subscribers + 1,
         next_poll_at = CASE WHEN subscribers = 0 AND next_poll_at < CAST(r.value ->> 'first' AS BIGINT)
             THEN CAST(r.value ->> 'first' AS BIGINT) ELSE next_poll_at END
     FROM " rows " WHERE feed_id = CAST(r.value ->> 'feed' AS BIGINT)");
#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    ADD_FEEDS,
    FIND_FEEDS,
    ADD_PROVIDERS,
    ADD_SCHEDULES,
    LOCK_SCHEDULES,
    WATERMARKS,
    ADD_SUBSCRIPTIONS,
    COUNT_SUBSCRIBERS,
];

impl Store {
    /// Safe to repeat: whoever is subscribed stays so.
    #[boxed]
    pub async fn subscribe(
        &self,
        user: UserId,
        wish: &Wish,
        first_poll_at: Timestamp,
        now: Timestamp,
    ) -> Result<Subscribed> {
        let done = self.subscribe_chunk(user, std::slice::from_ref(wish), vec![first_poll_at], now).await?;
        done.into_iter().next().ok_or(StoreError::NotFound { what: "feed" })
    }

    /// Subscribes to many feeds, in bounded batches, answering in the order given. New feeds are first polled one
    /// `step` apart, so that an import is no burst (O1). Safe to repeat after a break: what is there is skipped.
    #[boxed]
    pub async fn subscribe_many(
        &self,
        user: UserId,
        wishes: &[Wish],
        step: Duration,
        now: Timestamp,
    ) -> Result<Vec<Subscribed>> {
        let mut done = Vec::with_capacity(wishes.len());
        for chunk in wishes.chunks(CHUNK) {
            let place = |at: usize| step.saturating_mul(u32::try_from(done.len() + at).unwrap_or(u32::MAX));
            let first = (0..chunk.len()).map(|at| now.saturating_add(place(at))).collect();
            let subscribed = self.subscribe_chunk(user, chunk, first, now).await?;
            done.extend(subscribed);
        }
        Ok(done)
    }

    async fn subscribe_chunk(
        &self,
        user: UserId,
        wishes: &[Wish],
        first: Vec<Timestamp>,
        now: Timestamp,
    ) -> Result<Vec<Subscribed>> {
        let chunk = Chunk { user, wishes: wishes.to_vec(), first, now, first_floor: self.inner.first_floor };
        let done = self.write("subscribing", chunk, |c, chunk| Box::pin(subscribe(c, chunk))).await?;
        self.wake();
        Ok(done)
    }
}

pub(crate) struct Chunk {
    pub(crate) user: UserId,
    pub(crate) wishes: Vec<Wish>,
    /// When each is first polled, should it be new.
    pub(crate) first: Vec<Timestamp>,
    pub(crate) now: Timestamp,
    pub(crate) first_floor: Duration,
}

/// One wish on its way into the tables; also the JSON row of the statements above.
#[derive(Serialize)]
struct WishRow<'a> {
    url: &'a str,
    owner: i64,
    site: Option<&'a str>,
    provider: &'a str,
    title: Option<&'a str>,
    folder: Option<i64>,
    first: i64,
    feed: i64,
    watermark: i64,
    unread: usize,
}

pub(crate) async fn subscribe(c: &mut Conn, chunk: &Chunk) -> Result<Vec<Subscribed>> {
    let folders = ensure_folders(c, chunk.user, &chunk.wishes).await?;
    let key = |wish: &Wish| (wish.subscription.url.clone(), if wish.private { chunk.user.0 } else { 0 });
    let mut seen = HashSet::new();
    let mut rows = Vec::new();
    for ((wish, first), folder) in chunk.wishes.iter().zip(&chunk.first).zip(folders) {
        // The same address twice in one import is one subscription.
        if seen.insert(key(wish)) {
            rows.push(WishRow {
                url: &wish.subscription.url,
                owner: key(wish).1,
                site: wish.subscription.site_url.as_deref(),
                provider: &wish.provider,
                title: wish.subscription.title.as_deref(),
                folder,
                first: first.micros(),
                feed: 0,
                watermark: i64::MIN,
                unread: 0,
            });
        }
    }
    let new_feeds: HashSet<i64> = c
        .all::<(i64,)>(ADD_FEEDS, args![&json_rows(&rows), chunk.now])
        .await?
        .into_iter()
        .map(|(id,)| id)
        .collect();
    let ids: Vec<(i64, String, i64)> = c.all(FIND_FEEDS, args![&json_rows(&rows)]).await?;
    let ids: HashMap<(String, i64), i64> =
        ids.into_iter().map(|(id, url, owner)| ((url, owner), id)).collect();
    // An address that was cleaned of NUL on its way in is found under its clean form.
    let id_of = |url: &str, owner: i64| ids.get(&(crate::pack::clean(url).into_owned(), owner)).copied();
    for row in &mut rows {
        row.feed = id_of(row.url, row.owner).ok_or(StoreError::NotFound { what: "feed" })?;
    }
    let inserted = tie(c, chunk, &mut rows, &new_feeds).await?;
    store_secrets(c, chunk, |wish| id_of(&wish.subscription.url, key(wish).1)).await?;

    let mut answered = HashSet::new();
    chunk
        .wishes
        .iter()
        .map(|wish| {
            let (url, owner) = key(wish);
            let feed = id_of(&url, owner).ok_or(StoreError::NotFound { what: "feed" })?;
            let first_mention = answered.insert(feed);
            Ok(Subscribed {
                feed: FeedId(feed),
                is_new_feed: first_mention && new_feeds.contains(&feed),
                was_subscribed: !(first_mention && inserted.contains(&feed)),
            })
        })
        .collect()
}

/// Schedules new feeds and writes the subscriptions; returns the feeds really subscribed to.
async fn tie(
    c: &mut Conn,
    chunk: &Chunk,
    rows: &mut [WishRow<'_>],
    new_feeds: &HashSet<i64>,
) -> Result<HashSet<i64>> {
    let json = json_rows(rows);
    c.run(ADD_PROVIDERS, args![&json]).await?;
    let floor_s = i64::try_from(chunk.first_floor.as_secs()).unwrap_or(i64::MAX);
    let (reason, state) = (to_json(&Reason::New), to_json(&Schedule::default()));
    c.run(ADD_SCHEDULES, args![&json, &reason, &state, floor_s]).await?;
    if rows.iter().any(|row| !new_feeds.contains(&row.feed)) {
        // A poll that stores items at this moment must be counted by one of the two of us, so wait for it.
        let _locked: Vec<(i64,)> = c.all(LOCK_SCHEDULES, args![&json]).await?;
        let newest: Vec<(i64, i64)> = c.all(WATERMARKS, args![&json]).await?;
        for row in rows.iter_mut() {
            let mut times: Vec<i64> =
                newest.iter().filter(|(feed, _)| *feed == row.feed).map(|&(_, at)| at).collect();
            times.sort_unstable_by(|a, b| b.cmp(a));
            row.watermark = times.get(UNREAD_ON_SUBSCRIBE).copied().unwrap_or(i64::MIN);
            row.unread = times.iter().filter(|at| **at > row.watermark).count();
        }
    }
    let inserted: HashSet<i64> = c
        .all::<(i64,)>(ADD_SUBSCRIPTIONS, args![&json_rows(rows), chunk.user, chunk.now])
        .await?
        .into_iter()
        .map(|(feed,)| feed)
        .collect();
    let counted: Vec<&WishRow<'_>> = rows.iter().filter(|row| inserted.contains(&row.feed)).collect();
    c.run(COUNT_SUBSCRIBERS, args![&json_rows(&counted)]).await?;
    Ok(inserted)
}

async fn store_secrets(c: &mut Conn, chunk: &Chunk, id_of: impl Fn(&Wish) -> Option<i64>) -> Result<()> {
    for wish in &chunk.wishes {
        if let (Some(sealed), Some(feed)) = (&wish.sealed, id_of(wish)) {
            crate::feeds::set_secret(c, FeedId(feed), sealed).await?;
        }
    }
    Ok(())
}

/// The innermost folder of each wish, made when missing.
async fn ensure_folders(c: &mut Conn, user: UserId, wishes: &[Wish]) -> Result<Vec<Option<i64>>> {
    let mut known: HashMap<(i64, &str), i64> = HashMap::new();
    let mut innermost = Vec::with_capacity(wishes.len());
    for wish in wishes {
        let mut parent = 0;
        for name in wish.subscription.folder.iter().filter(|name| !name.is_empty()).take(DEPTH_MAX) {
            parent = match known.get(&(parent, name.as_str())) {
                Some(id) => *id,
                None => {
                    let id = add_folder(c, user, parent, name).await?;
                    known.insert((parent, name), id);
                    id
                }
            };
        }
        innermost.push((parent != 0).then_some(parent));
    }
    Ok(innermost)
}
