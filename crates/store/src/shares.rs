//! Items that people show to those who follow them, with a note; what many here opened.
//!
//! Nothing of a private feed is ever shared, nor counted: the statements that write look at the feed, and those that
//! read look again, so that a feed that becomes private takes its items along. A feed whose publisher asks not to be
//! shown around shows up for those only who follow it too (N26). What is popular counts people, not opens, leaves out
//! whoever does not want to be counted, and knows nothing below five people (A10).

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::interactions;
use crate::pack::clean;
use crate::people::found;
use crate::sql::{Conn, Sql, args, row, sql};
use crate::store::Store;
use crate::types::{PopularItem, SharedItem};
use domain::interaction::{Interaction, InteractionKind};
use domain::{FeedId, ItemId, Timestamp, User, UserId};

const OWNER: Sql = sql!(
    "looking at an item to share",
    "SELECT f.private_to FROM item i JOIN feed f ON f.id = i.feed_id
     JOIN subscription s ON s.feed_id = i.feed_id AND s.user_id = $1 WHERE i.id = $2"
);
const SHARE: Sql = sql!(
    "sharing an item",
    "INSERT INTO share (user_id, item_id, feed_id, shared_at, note)
     SELECT s.user_id, i.id, i.feed_id, $3, $4 FROM item i JOIN feed f ON f.id = i.feed_id AND f.private_to = 0
     JOIN subscription s ON s.feed_id = i.feed_id AND s.user_id = $1 WHERE i.id = $2
     ON CONFLICT (user_id, item_id) DO UPDATE SET note = excluded.note"
);
/// Beyond what is kept the oldest are withdrawn.
const BOUND: Sql = sql!(
    "withdrawing the oldest shares",
    "DELETE FROM share WHERE user_id = $1 AND item_id IN
         (SELECT x.item_id FROM share x WHERE x.user_id = $1 ORDER BY x.shared_at DESC, x.item_id DESC
          LIMIT 100 OFFSET 1000)"
);
const WITHDRAW: Sql = sql!("withdrawing an item", "DELETE FROM share WHERE user_id = $1 AND item_id = $2");
const NOTE: Sql =
    sql!("reading what was shared", "SELECT note FROM share WHERE user_id = $1 AND item_id = $2");
const OF_FRIENDS: Sql = sql!("listing what friends share",
    "SELECT " shared_columns ",
         EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = $1 AND s.feed_id = f.id) AS is_followed
     FROM friend t JOIN share h ON h.user_id = t.friend_id JOIN user_account u ON u.id = h.user_id
     JOIN item i ON i.id = h.item_id JOIN feed f ON f.id = i.feed_id
     WHERE t.user_id = $1 AND h.shared_at < $2 AND NOT u.disabled AND f.private_to = 0
       AND (f.noindex = false OR EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = $1 AND s.feed_id = f.id))
     ORDER BY h.shared_at DESC, h.item_id DESC LIMIT $3");
const OWN: Sql = sql!("listing what somebody shares",
    "SELECT " shared_columns ",
         EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = $1 AND s.feed_id = f.id) AS is_followed
     FROM share h JOIN user_account u ON u.id = h.user_id
     JOIN item i ON i.id = h.item_id JOIN feed f ON f.id = i.feed_id
     WHERE h.user_id = $1 AND h.shared_at < $2 AND f.private_to = 0
     ORDER BY h.shared_at DESC, h.item_id DESC LIMIT $3");
/// For whoever has the address: nothing that a publisher does not want to be shown around.
const PUBLISHED: Sql = sql!("listing what somebody publishes",
    "SELECT " shared_columns ", false AS is_followed
     FROM share h JOIN user_account u ON u.id = h.user_id
     JOIN item i ON i.id = h.item_id JOIN feed f ON f.id = i.feed_id
     WHERE h.user_id = $1 AND f.private_to = 0 AND f.noindex = false
     ORDER BY h.shared_at DESC, h.item_id DESC LIMIT $2");
const SET_ADDRESS: Sql = sql!(
    "making an address of shared items",
    "INSERT INTO share_address (user_id, hash, made_at) SELECT id, $2, $3 FROM user_account WHERE id = $1
     ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, made_at = excluded.made_at"
);
const DROP_ADDRESS: Sql =
    sql!("dropping an address of shared items", "DELETE FROM share_address WHERE user_id = $1");
const ADDRESS: Sql = sql!("looking for an address", "SELECT made_at FROM share_address WHERE user_id = $1");
const BY_ADDRESS: Sql = sql!(
    "finding whose address it is",
    "SELECT u.id, u.name, u.is_admin, u.created_at FROM share_address a JOIN user_account u ON u.id = a.user_id
     WHERE a.hash = $1 AND NOT u.disabled"
);
const UNCOUNTED: Sql =
    sql!("looking whether opens count", "SELECT uncounted FROM user_account WHERE id = $1");
const SET_UNCOUNTED: Sql =
    sql!("deciding whether opens count", "UPDATE user_account SET uncounted = $2 WHERE id = $1");
const POPULAR: Sql = sql!("finding popular items",
    "SELECT i.id AS item_id, i.title, i.link, i.excerpt, i.sort_at, f.id AS feed_id, f.title AS feed_title,
         f.url AS feed_url, o.people,
         EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = $1 AND s.feed_id = f.id) AS is_followed
     FROM (SELECT t.item_id, COUNT(DISTINCT t.user_id) AS people FROM interaction t
           JOIN user_account u ON u.id = t.user_id AND u.uncounted = false
           WHERE t.kind = 'open' AND t.at >= $2 GROUP BY t.item_id HAVING COUNT(DISTINCT t.user_id) >= 5) o
     JOIN item i ON i.id = o.item_id JOIN feed f ON f.id = i.feed_id
     WHERE f.private_to = 0
       AND (f.noindex = false OR EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = $1 AND s.feed_id = f.id))
       AND NOT EXISTS (SELECT 1 FROM hidden_item h WHERE h.user_id = $1 AND h.item_id = i.id)
     ORDER BY o.people DESC, i.sort_at DESC, i.id DESC LIMIT $3");
/// A feed that becomes one person's own.
const FORGET_FEED: Sql = sql!("withdrawing a private feed's items", "DELETE FROM share WHERE feed_id = $1");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    OWNER,
    SHARE,
    BOUND,
    WITHDRAW,
    NOTE,
    OF_FRIENDS,
    OWN,
    PUBLISHED,
    SET_ADDRESS,
    DROP_ADDRESS,
    ADDRESS,
    BY_ADDRESS,
    UNCOUNTED,
    SET_UNCOUNTED,
    POPULAR,
    FORGET_FEED,
];

const NOTE_CHARS_MAX: usize = 1_000;
/// Rows of a list at most.
const ROWS_MAX: u32 = 200;

row!(
    struct SharedRow {
        user_id: i64,
        user_name: String,
        item_id: i64,
        shared_at: i64,
        note: String,
        title: Option<String>,
        link: Option<String>,
        excerpt: Option<String>,
        feed_id: i64,
        feed_title: Option<String>,
        feed_url: String,
        is_followed: bool,
    }
);

row!(
    struct PopularRow {
        item_id: i64,
        title: Option<String>,
        link: Option<String>,
        excerpt: Option<String>,
        sort_at: i64,
        feed_id: i64,
        feed_title: Option<String>,
        feed_url: String,
        people: i64,
        is_followed: bool,
    }
);

impl Store {
    /// Shows an item to who follows this person. Sharing it again changes the note, which is cut to 1,000 characters;
    /// of more than 1,000 items the oldest are withdrawn. [`StoreError::NotFound`] for an item of a feed this person
    /// does not follow, a [`StoreError::Conflict`] for one of a private feed.
    #[boxed]
    pub async fn share(&self, user: UserId, item: ItemId, note: &str, now: Timestamp) -> Result<()> {
        let note: String = clean(note).trim().chars().take(NOTE_CHARS_MAX).collect();
        self.write(SHARE.doing, (user, item, note, now), |c, (user, item, note, now)| {
            Box::pin(share(c, *user, *item, note, *now))
        })
        .await
    }

    /// [`StoreError::NotFound`] for what this person does not share.
    #[boxed]
    pub async fn withdraw_share(&self, user: UserId, item: ItemId, now: Timestamp) -> Result<()> {
        self.write(WITHDRAW.doing, (user, item, now), |c, (user, item, now)| {
            Box::pin(async move {
                found(c.run(WITHDRAW, args![*user, *item]).await?, "shared item")?;
                record(c, *user, *item, InteractionKind::Unshare, *now).await
            })
        })
        .await
    }

    /// The note an item was shared with; none for one that is not shared.
    #[boxed]
    pub async fn share_note(&self, user: UserId, item: ItemId) -> Result<Option<String>> {
        let row: Option<(String,)> = self
            .read(NOTE.doing, (user, item), |c, (user, item)| {
                Box::pin(async move { c.maybe(NOTE, args![*user, *item]).await })
            })
            .await?;
        Ok(row.map(|(note,)| note))
    }

    /// What those whom this person follows shared before a moment, the latest first.
    #[boxed]
    pub async fn shared_by_friends(
        &self,
        user: UserId,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<SharedItem>> {
        self.shared(OF_FRIENDS, user, before, limit).await
    }

    /// What this person shared before a moment, the latest first.
    #[boxed]
    pub async fn own_shares(&self, user: UserId, before: Timestamp, limit: u32) -> Result<Vec<SharedItem>> {
        self.shared(OWN, user, before, limit).await
    }

    async fn shared(
        &self,
        list: Sql,
        user: UserId,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<SharedItem>> {
        let limit = i64::from(limit.min(ROWS_MAX));
        let rows: Vec<SharedRow> = self
            .read(list.doing, (list, user, before, limit), |c, (list, user, before, limit)| {
                Box::pin(async move { c.all(*list, args![*user, *before, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(shared).collect())
    }

    /// The feed of what this person shares gets this address, by its hash; another that it had leads nowhere any more.
    #[boxed]
    pub async fn set_share_address(&self, user: UserId, hash: [u8; 32], now: Timestamp) -> Result<()> {
        let made = self
            .write(SET_ADDRESS.doing, (user, hash, now), |c, (user, hash, now)| {
                Box::pin(async move { c.run(SET_ADDRESS, args![*user, &hash[..], *now]).await })
            })
            .await?;
        found(made, "user")
    }

    /// False when there was none.
    #[boxed]
    pub async fn drop_share_address(&self, user: UserId) -> Result<bool> {
        self.write(DROP_ADDRESS.doing, user, |c, user| {
            Box::pin(async move { Ok(c.run(DROP_ADDRESS, args![*user]).await? > 0) })
        })
        .await
    }

    /// When the address was made.
    #[boxed]
    pub async fn share_address(&self, user: UserId) -> Result<Option<Timestamp>> {
        let row: Option<(i64,)> = self
            .read(ADDRESS.doing, user, |c, user| {
                Box::pin(async move { c.maybe(ADDRESS, args![*user]).await })
            })
            .await?;
        Ok(row.map(|(made_at,)| Timestamp::from_micros(made_at)))
    }

    /// Whose address it is, and what they share; none for an address that leads nowhere.
    #[boxed]
    pub async fn shared_at_address(
        &self,
        hash: [u8; 32],
        limit: u32,
    ) -> Result<Option<(User, Vec<SharedItem>)>> {
        let limit = i64::from(limit.min(ROWS_MAX));
        self.read(BY_ADDRESS.doing, (hash, limit), |c, (hash, limit)| {
            Box::pin(async move {
                let row: Option<(i64, String, bool, i64)> = c.maybe(BY_ADDRESS, args![&hash[..]]).await?;
                let Some((id, name, is_admin, created_at)) = row else { return Ok(None) };
                let created_at = Timestamp::from_micros(created_at);
                let user = User { id: UserId(id), name, is_admin, created_at };
                let rows: Vec<SharedRow> = c.all(PUBLISHED, args![user.id, *limit]).await?;
                Ok(Some((user, rows.into_iter().map(shared).collect())))
            })
        })
        .await
    }

    /// Items that at least five people opened since, most people first.
    #[boxed]
    pub async fn popular_items(
        &self,
        user: UserId,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<PopularItem>> {
        let limit = i64::from(limit.min(ROWS_MAX));
        let rows: Vec<PopularRow> = self
            .read(POPULAR.doing, (user, since, limit), |c, (user, since, limit)| {
                Box::pin(async move { c.all(POPULAR, args![*user, *since, *limit]).await })
            })
            .await?;
        let popular = |row: PopularRow| PopularItem {
            item: ItemId(row.item_id),
            title: row.title,
            link: row.link,
            excerpt: row.excerpt,
            sort_at: Timestamp::from_micros(row.sort_at),
            feed: FeedId(row.feed_id),
            feed_title: row.feed_title.unwrap_or(row.feed_url),
            people: u64::try_from(row.people).unwrap_or_default(),
            is_followed: row.is_followed,
        };
        Ok(rows.into_iter().map(popular).collect())
    }

    /// Whether what this person opens counts in what is popular here.
    #[boxed]
    pub async fn counts_opens(&self, user: UserId) -> Result<bool> {
        let row: Option<(bool,)> = self
            .read(UNCOUNTED.doing, user, |c, user| {
                Box::pin(async move { c.maybe(UNCOUNTED, args![*user]).await })
            })
            .await?;
        Ok(row.is_some_and(|(uncounted,)| !uncounted))
    }

    #[boxed]
    pub async fn set_counts_opens(&self, user: UserId, counts: bool) -> Result<()> {
        let changed = self
            .write(SET_UNCOUNTED.doing, (user, counts), |c, (user, counts)| {
                Box::pin(async move { c.run(SET_UNCOUNTED, args![*user, !*counts]).await })
            })
            .await?;
        found(changed, "user")
    }
}

async fn share(c: &mut Conn, user: UserId, item: ItemId, note: &str, now: Timestamp) -> Result<()> {
    let owner: Option<(i64,)> = c.maybe(OWNER, args![user, item]).await?;
    match owner {
        None => return Err(StoreError::NotFound { what: "item" }),
        Some((0,)) => {}
        Some(_) => {
            return Err(crate::accounts::conflict("items of a feed with credentials are never shared"));
        }
    }
    let known: Option<(String,)> = c.maybe(NOTE, args![user, item]).await?;
    c.run(SHARE, args![user, item, now, note]).await?;
    if known.is_some() {
        return Ok(());
    }
    c.run(BOUND, args![user]).await?;
    record(c, user, item, InteractionKind::Share, now).await
}

/// For who learns from it.
async fn record(
    c: &mut Conn,
    user: UserId,
    item: ItemId,
    kind: InteractionKind,
    now: Timestamp,
) -> Result<()> {
    let done =
        Interaction { user, item, kind, at: now, place: String::new(), position: None, dwell_ms: None };
    interactions::add(c, &[done]).await.map(drop)
}

/// In the transaction that makes a feed one person's own.
pub(crate) async fn forget_feed(c: &mut Conn, feed: FeedId) -> Result<()> {
    c.run(FORGET_FEED, args![feed]).await.map(drop)
}

fn shared(row: SharedRow) -> SharedItem {
    SharedItem {
        by: UserId(row.user_id),
        by_name: row.user_name,
        item: ItemId(row.item_id),
        shared_at: Timestamp::from_micros(row.shared_at),
        note: row.note,
        title: row.title,
        link: row.link,
        excerpt: row.excerpt,
        feed: FeedId(row.feed_id),
        feed_title: row.feed_title.unwrap_or(row.feed_url),
        is_followed: row.is_followed,
    }
}
