//! Lists, one item, and counts, as one person sees them.
//!
//! A page over many feeds is merged from the feeds' own orders, and never scans items: only the `limit` feeds whose
//! first row comes first can have a row on the page, so one index seek per feed finds those; and no row beyond the last
//! of those first rows can be on the page, so hardly more rows than the page has are then read and merged. Pages continue after a cursor (the last row seen), not at an offset, so they neither skip
//! nor repeat when items arrive meanwhile.
//!
//! Unread items are those sorted after a subscription's watermark that carry no mark, and those marked unread; the
//! two are read apart and merged here. Hidden items are always read, so only lists of everything look for them.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::pack::unpack;
use crate::sql::{Conn, Sql, args, json_rows, row, sql};
use crate::store::Store;
use crate::types::{Counts, Cursor, HiddenBy, ListQuery, ListRow, OpenItem, Order, Scope};
use domain::{FeedId, Identity, Item, ItemId, Preview, RuleId, Timestamp, UserId};
use std::collections::HashMap;

/// `$1` feeds, `$2` person, `$3` `$4` cursor, `$5` limit, `$6` a time beyond all others.
macro_rules! merged_page {
    ($doing:literal, $beyond:literal, $order:literal, $step:literal, $which:literal, $near:tt) => {
        merged_page!(@ $doing, $beyond, $order, $step, $which, $near)
    };
    (@ $doing:literal, $beyond:literal, $order:literal, $step:literal, $which:literal, [$($near:tt)+]) => {
        sql!($doing,
            "WITH top AS MATERIALIZED (
                 SELECT s.feed_id, s.watermark, i.sort_at, i.id AS item_id
                 FROM " rows " JOIN subscription s ON s.user_id = $2 AND s.feed_id = CAST(r.value AS BIGINT)
                 JOIN " each "
                     WHERE x.feed_id = s.feed_id AND (x.sort_at, x.id) " $beyond " ($3, $4) " $which "
                     ORDER BY x.sort_at " $order ", x.id " $order " LIMIT 1" each_end "
                 ORDER BY i.sort_at " $order ", i.id " $order " LIMIT $5),
             edge AS MATERIALIZED (
                 SELECT COALESCE((SELECT sort_at " $step " FROM top
                     ORDER BY sort_at " $order ", item_id " $order " LIMIT 1 OFFSET $5 - 1), $6) AS at)
             SELECT " list_columns "
             FROM top s JOIN " each "
                 WHERE x.feed_id = s.feed_id AND (x.sort_at, x.id) " $beyond " ($3, $4) " $($near)+ "
                 ORDER BY x.sort_at " $order ", x.id " $order " LIMIT $5" each_end "
             LEFT JOIN read_mark m ON m.user_id = $2 AND m.feed_id = i.feed_id AND m.item_id = i.id
             ORDER BY i.sort_at " $order ", i.id " $order " LIMIT $5")
    };
}
/// [`merged_page!`] without what is hidden.
macro_rules! shown_page {
    ($beyond:literal, $order:literal, $step:literal, $within:literal) => {
        merged_page!(
            "listing items",
            $beyond,
            $order,
            $step,
            "AND NOT EXISTS (SELECT 1 FROM hidden_item k WHERE k.user_id = $2 AND k.item_id = x.id)",
            ["AND x.sort_at " $within " (SELECT at FROM edge)
              AND NOT EXISTS (SELECT 1 FROM hidden_item k WHERE k.user_id = $2 AND k.item_id = x.id)"]
        )
    };
}
/// The unread part of [`merged_page!`]: above the watermark and without a mark.
macro_rules! unread_page {
    ($beyond:literal, $order:literal, $step:literal, $near:tt) => {
        merged_page!(
            "listing unread items",
            $beyond,
            $order,
            $step,
            "AND x.sort_at > s.watermark AND NOT EXISTS
                 (SELECT 1 FROM read_mark k WHERE k.user_id = $2 AND k.feed_id = x.feed_id AND k.item_id = x.id)",
            $near
        )
    };
}
macro_rules! marked_unread_page {
    ($beyond:literal, $order:literal) => {
        sql!("listing items marked unread",
            "SELECT " list_columns " FROM read_mark m JOIN item i ON i.id = m.item_id
             JOIN subscription s ON s.user_id = m.user_id AND s.feed_id = m.feed_id
             WHERE m.user_id = $2 AND NOT m.is_read AND (m.sort_at, m.item_id) " $beyond " ($3, $4)
               AND m.feed_id IN (SELECT CAST(r.value AS BIGINT) FROM " rows ")
             ORDER BY m.sort_at " $order ", m.item_id " $order " LIMIT $5")
    };
}
/// `$1` tag, `$2` person, `$3` `$4` cursor, `$5` limit, `$6` unread only.
macro_rules! kept_page {
    ($doing:literal, $from:literal, $tag:literal, $beyond:literal, $order:literal) => {
        sql!($doing,
            "SELECT " list_columns " FROM " $from " t JOIN item i ON i.id = t.item_id
             LEFT JOIN subscription s ON s.user_id = $2 AND s.feed_id = i.feed_id
             LEFT JOIN read_mark m ON m.user_id = $2 AND m.feed_id = i.feed_id AND m.item_id = i.id
             WHERE t.user_id = $2 AND " $tag " AND (t.sort_at, t.item_id) " $beyond " ($3, $4)
               AND NOT ($6 AND COALESCE(m.is_read, i.sort_at <= s.watermark, true))
             ORDER BY t.sort_at " $order ", t.item_id " $order " LIMIT $5")
    };
}

const NEWEST: Sql = shown_page!("<", "DESC", "- 1", ">");
const OLDEST: Sql = shown_page!(">", "ASC", "+ 1", "<");
const RECENT: Sql = merged_page!(
    "listing items for a rule",
    "<",
    "DESC",
    "- 1",
    "",
    ["AND x.sort_at > (SELECT at FROM edge)"]
);
const UNREAD_NEWEST: Sql = unread_page!("<", "DESC", "- 1",
    ["AND x.sort_at > " greatest "(s.watermark, (SELECT at FROM edge)) AND NOT EXISTS
         (SELECT 1 FROM read_mark k WHERE k.user_id = $2 AND k.feed_id = x.feed_id AND k.item_id = x.id)"]);
const UNREAD_OLDEST: Sql = unread_page!(
    ">",
    "ASC",
    "+ 1",
    ["AND x.sort_at > s.watermark AND x.sort_at < (SELECT at FROM edge) AND NOT EXISTS
         (SELECT 1 FROM read_mark k WHERE k.user_id = $2 AND k.feed_id = x.feed_id AND k.item_id = x.id)"]
);
const MARKED_NEWEST: Sql = marked_unread_page!("<", "DESC");
const MARKED_OLDEST: Sql = marked_unread_page!(">", "ASC");
const STARRED_NEWEST: Sql = kept_page!("listing starred items", "star", "$1 = ''", "<", "DESC");
const STARRED_OLDEST: Sql = kept_page!("listing starred items", "star", "$1 = ''", ">", "ASC");
const TAGGED_NEWEST: Sql = kept_page!("listing tagged items", "item_tag", "t.tag = $1", "<", "DESC");
const TAGGED_OLDEST: Sql = kept_page!("listing tagged items", "item_tag", "t.tag = $1", ">", "ASC");
const HIDDEN_NEWEST: Sql = kept_page!("listing hidden items", "hidden_item", "$1 = ''", "<", "DESC");
const HIDDEN_OLDEST: Sql = kept_page!("listing hidden items", "hidden_item", "$1 = ''", ">", "ASC");

const FEEDS_ALL: Sql =
    sql!("listing a person's feeds", "SELECT feed_id FROM subscription WHERE user_id = $1 AND unread >= $2");
const FEEDS_IN_FOLDER: Sql = sql!(
    "listing a folder's feeds",
    "WITH RECURSIVE inside (id) AS (
         SELECT id FROM folder WHERE id = $3 AND user_id = $1
         UNION SELECT f.id FROM inside JOIN folder f ON f.user_id = $1 AND f.parent_id = inside.id)
     SELECT s.feed_id FROM inside JOIN subscription s ON s.folder_id = inside.id
     WHERE s.user_id = $1 AND s.unread >= $2"
);
const ITEM: Sql = sql!("reading an item",
    "SELECT " list_columns ", b.body FROM item i LEFT JOIN item_body b ON b.item_id = i.id
     LEFT JOIN subscription s ON s.user_id = $2 AND s.feed_id = i.feed_id
     LEFT JOIN read_mark m ON m.user_id = $2 AND m.feed_id = i.feed_id AND m.item_id = i.id
     WHERE i.id = $1 AND (s.user_id IS NOT NULL
         OR EXISTS (SELECT 1 FROM star k WHERE k.user_id = $2 AND k.item_id = i.id)
         OR EXISTS (SELECT 1 FROM item_tag k WHERE k.user_id = $2 AND k.item_id = i.id))");
const ITEMS_BY_ID: Sql = sql!("reading items by their numbers",
    "SELECT " list_columns " FROM " rows " JOIN item i ON i.id = CAST(r.value AS BIGINT)
     LEFT JOIN subscription s ON s.user_id = $2 AND s.feed_id = i.feed_id
     LEFT JOIN read_mark m ON m.user_id = $2 AND m.feed_id = i.feed_id AND m.item_id = i.id
     WHERE s.user_id IS NOT NULL
         OR EXISTS (SELECT 1 FROM star k WHERE k.user_id = $2 AND k.item_id = i.id)
         OR EXISTS (SELECT 1 FROM item_tag k WHERE k.user_id = $2 AND k.item_id = i.id)");
const ITEM_TAGS: Sql = sql!(
    "reading an item's tags",
    "SELECT tag FROM item_tag WHERE item_id = $1 AND user_id = $2 ORDER BY tag"
);
const COUNTS: Sql = sql!(
    "reading unread counts",
    "SELECT feed_id, unread FROM subscription WHERE user_id = $1 AND unread > 0 ORDER BY feed_id"
);
const NEWEST_ITEM: Sql = sql!("reading the newest item's number", "SELECT COALESCE(MAX(id), 0) FROM item");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    NEWEST,
    OLDEST,
    UNREAD_NEWEST,
    UNREAD_OLDEST,
    MARKED_NEWEST,
    MARKED_OLDEST,
    STARRED_NEWEST,
    STARRED_OLDEST,
    TAGGED_NEWEST,
    TAGGED_OLDEST,
    HIDDEN_NEWEST,
    HIDDEN_OLDEST,
    RECENT,
    ITEMS_BY_ID,
    FEEDS_ALL,
    FEEDS_IN_FOLDER,
    ITEM,
    ITEM_TAGS,
    COUNTS,
    NEWEST_ITEM,
];

const LIMIT_MAX: u32 = 1_000;

impl Store {
    #[boxed]
    pub async fn list(&self, user: UserId, query: &ListQuery) -> Result<Vec<ListRow>> {
        self.read("listing items", (user, query.clone()), |c, (user, query)| Box::pin(list(c, *user, query)))
            .await
    }

    /// None when there is no such item for this person: neither subscribed nor starred nor tagged.
    #[boxed]
    pub async fn item(&self, user: UserId, id: ItemId) -> Result<Option<OpenItem>> {
        self.read(ITEM.doing, (user, id), |c, (user, id)| {
            Box::pin(async move {
                let row: Option<BodyRow> = c.maybe(ITEM, args![*id, *user]).await?;
                let Some(row) = row else { return Ok(None) };
                let tags: Vec<(String,)> = c.all(ITEM_TAGS, args![*id, *user]).await?;
                Ok(Some(OpenItem {
                    body: row.body.as_deref().map(unpack).transpose()?.unwrap_or_default(),
                    row: row.item.row()?,
                    tags: tags.into_iter().map(|(tag,)| tag).collect(),
                }))
            })
        })
        .await
    }

    /// Those of the items this person may see, in the order asked for; at most the first 1,000.
    #[boxed]
    pub async fn items_by_id(&self, user: UserId, items: &[ItemId]) -> Result<Vec<ListRow>> {
        let items: Vec<ItemId> = items.iter().copied().take(LIMIT_MAX as usize).collect();
        let rows: Vec<ItemRow> = self
            .read(ITEMS_BY_ID.doing, (user, items.clone()), |c, (user, items)| {
                Box::pin(async move { c.all(ITEMS_BY_ID, args![&json_rows(items), *user]).await })
            })
            .await?;
        let mut found: HashMap<i64, ItemRow> = rows.into_iter().map(|row| (row.id, row)).collect();
        items.iter().filter_map(|item| found.remove(&item.0)).map(ItemRow::row).collect()
    }

    /// The newest item of all feeds, as the mark of what a page could know ([`crate::UpTo`]).
    #[boxed]
    pub async fn newest_item(&self) -> Result<ItemId> {
        let (id,): (i64,) = self
            .read(NEWEST_ITEM.doing, (), |c, ()| Box::pin(async move { c.one(NEWEST_ITEM, args![]).await }))
            .await?;
        Ok(ItemId(id))
    }

    /// Unread items per feed; maintained, not counted.
    #[boxed]
    pub async fn counts(&self, user: UserId) -> Result<Counts> {
        let rows: Vec<(i64, i64)> = self
            .read(COUNTS.doing, user, |c, user| Box::pin(async move { c.all(COUNTS, args![*user]).await }))
            .await?;
        let by_feed: Vec<(FeedId, u64)> = rows
            .into_iter()
            .map(|(feed, unread)| (FeedId(feed), u64::try_from(unread).unwrap_or(0)))
            .collect();
        let total = by_feed.iter().map(|(_, unread)| unread).sum();
        Ok(Counts { by_feed, total })
    }
}

async fn list(c: &mut Conn, user: UserId, query: &ListQuery) -> Result<Vec<ListRow>> {
    let limit = query.limit.clamp(1, LIMIT_MAX);
    let newest = query.order == Order::NewestFirst;
    let start = if newest { i64::MAX } else { i64::MIN };
    let (at, id) = query.after.map_or((start, start), |Cursor { sort_at, id }| (sort_at.micros(), id.0));
    let page = i64::from(limit);
    let kept = match &query.scope {
        Scope::Starred => Some((if newest { STARRED_NEWEST } else { STARRED_OLDEST }, "")),
        Scope::Tag(tag) => Some((if newest { TAGGED_NEWEST } else { TAGGED_OLDEST }, tag.as_str())),
        Scope::Hidden => Some((if newest { HIDDEN_NEWEST } else { HIDDEN_OLDEST }, "")),
        Scope::All | Scope::Feed(_) | Scope::Folder(_) => None,
    };
    let mut rows: Vec<ItemRow> = match kept {
        Some((sql, tag)) => c.all(sql, args![tag, user, at, id, page, query.unread_only]).await?,
        None => {
            let feeds = feeds_in(c, user, &query.scope, query.unread_only).await?;
            let (merged, marked) = match (query.unread_only, newest) {
                (false, true) => (NEWEST, None),
                (false, false) => (OLDEST, None),
                (true, true) => (UNREAD_NEWEST, Some(MARKED_NEWEST)),
                (true, false) => (UNREAD_OLDEST, Some(MARKED_OLDEST)),
            };
            let json = json_rows(&feeds);
            let beyond = if newest { i64::MIN } else { i64::MAX };
            let mut rows: Vec<ItemRow> = c.all(merged, args![&json, user, at, id, page, beyond]).await?;
            if let Some(marked) = marked {
                rows.extend(c.all::<ItemRow>(marked, args![&json, user, at, id, page]).await?);
            }
            rows
        }
    };
    rows.sort_unstable_by_key(|row| (row.sort_at, row.id));
    if newest {
        rows.reverse();
    }
    rows.truncate(limit as usize);
    rows.into_iter().map(ItemRow::row).collect()
}

/// The newest items of a scope, hidden ones too.
pub(crate) async fn recent(c: &mut Conn, user: UserId, scope: &Scope, limit: u32) -> Result<Vec<ListRow>> {
    let feeds = feeds_in(c, user, scope, false).await?;
    let page = i64::from(limit.clamp(1, LIMIT_MAX));
    let (json, newest) = (json_rows(&feeds), i64::MAX);
    let rows: Vec<ItemRow> = c.all(RECENT, args![&json, user, newest, newest, page, i64::MIN]).await?;
    rows.into_iter().map(ItemRow::row).collect()
}

/// The person's feeds in a scope; with `unread_only` those that have something unread.
pub(crate) async fn feeds_in(
    c: &mut Conn,
    user: UserId,
    scope: &Scope,
    unread_only: bool,
) -> Result<Vec<i64>> {
    let unread_min = i64::from(unread_only);
    let rows: Vec<(i64,)> = match scope {
        // Whether the person subscribes to it is checked by every statement that reads items.
        Scope::Feed(feed) => vec![(feed.0,)],
        Scope::All => c.all(FEEDS_ALL, args![user, unread_min]).await?,
        Scope::Folder(folder) => c.all(FEEDS_IN_FOLDER, args![user, unread_min, *folder]).await?,
        Scope::Starred | Scope::Tag(_) | Scope::Hidden => Vec::new(),
    };
    Ok(rows.into_iter().map(|(feed,)| feed).collect())
}

row! {
    pub(crate) struct ItemRow {
        pub(crate) id: i64,
        feed_id: i64,
        identity: Vec<u8>,
        pub(crate) title: Option<String>,
        link: Option<String>,
        author: Option<String>,
        published_at: Option<i64>,
        first_seen_at: i64,
        sort_at: i64,
        revision: i64,
        excerpt: Option<String>,
        picture: Option<String>,
        words: i64,
        playable: bool,
        is_read: bool,
        is_starred: bool,
        /// 0 for the person.
        hidden_by: Option<i64>,
    }
}

row! {
    struct BodyRow {
        ..item: ItemRow,
        body: Option<Vec<u8>>,
    }
}

impl ItemRow {
    pub(crate) fn row(self) -> Result<ListRow> {
        let identity = <[u8; 16]>::try_from(self.identity.as_slice())
            .map_err(|_| StoreError::Damaged { what: format!("the identity of item {}", self.id) })?;
        Ok(ListRow {
            item: Item {
                id: ItemId(self.id),
                feed: FeedId(self.feed_id),
                identity: Identity(u128::from_be_bytes(identity)),
                title: self.title,
                link: self.link,
                author: self.author,
                published_at: self.published_at.map(Timestamp::from_micros),
                first_seen_at: Timestamp::from_micros(self.first_seen_at),
                sort_at: Timestamp::from_micros(self.sort_at),
                revision: u32::try_from(self.revision).unwrap_or(u32::MAX),
                preview: Preview {
                    excerpt: self.excerpt,
                    picture: self.picture,
                    words: u32::try_from(self.words).unwrap_or(0),
                    playable: self.playable,
                },
            },
            is_read: self.is_read,
            is_starred: self.is_starred,
            hidden: self.hidden_by.map(|rule| match rule {
                0 => HiddenBy::Person,
                rule => HiddenBy::Rule(RuleId(rule)),
            }),
        })
    }
}
