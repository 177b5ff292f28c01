//! Small questions a page asks often: how many stars, what came since it was made, what a rule would have met.

use crate::boxed;
use crate::error::Result;
use crate::list::{feeds_in, recent};
use crate::pack::unpack;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::{NewSince, Scope};
use domain::{ItemContent, ItemId, RuleScope, UserId};
use std::collections::{HashMap, HashSet};

const STARRED_COUNT: Sql = sql!("counting starred items", "SELECT COUNT(*) FROM star WHERE user_id = $1");
/// The cross join keeps SQLite from walking the feeds' items instead of the newest ones.
const NEW_SINCE: Sql = sql!(
    "looking for new items",
    "SELECT i.id, i.feed_id FROM item i CROSS JOIN subscription s
     LEFT JOIN read_mark m ON m.user_id = $2 AND m.feed_id = i.feed_id AND m.item_id = i.id
     WHERE i.id > $1 AND s.user_id = $2 AND s.feed_id = i.feed_id AND s.unread > 0
       AND NOT COALESCE(m.is_read, i.sort_at <= s.watermark)
     ORDER BY i.id DESC LIMIT $3"
);
const NEWEST_ITEM: Sql = sql!("reading the newest item's number", "SELECT COALESCE(MAX(id), 0) FROM item");
const BODIES: Sql = sql!("reading items' bodies",
    "SELECT b.item_id, b.body FROM " rows " JOIN item_body b ON b.item_id = CAST(r.value AS BIGINT)");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[STARRED_COUNT, NEW_SINCE, NEWEST_ITEM, BODIES];

const COUNT_MAX: usize = 1_000;
/// Items looked back over; a page older than that hears of the newest only.
const LOOK_BACK: i64 = 50_000;

impl Store {
    #[boxed]
    pub async fn starred_count(&self, user: UserId) -> Result<u64> {
        let (count,): (i64,) = self
            .read(STARRED_COUNT.doing, user, |c, user| {
                Box::pin(async move { c.one(STARRED_COUNT, args![*user]).await })
            })
            .await?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Unread items of a scope stored after `after`. Nothing for scopes that only the person fills.
    #[boxed]
    pub async fn new_since(&self, user: UserId, scope: &Scope, after: ItemId) -> Result<NewSince> {
        self.read(NEW_SINCE.doing, (user, scope.clone(), after), |c, (user, scope, after)| {
            Box::pin(new_since(c, *user, scope, *after))
        })
        .await
    }

    /// The newest items of a rule's scope with their bodies, hidden ones too: what the rule would have met. At most
    /// 1,000.
    #[boxed]
    pub async fn recent_items(&self, user: UserId, scope: RuleScope, limit: u32) -> Result<Vec<ItemContent>> {
        let scope = match scope {
            RuleScope::Everything => Scope::All,
            RuleScope::Folder(folder) => Scope::Folder(folder),
            RuleScope::Feed(feed) => Scope::Feed(feed),
        };
        let (rows, bodies) = self
            .read(BODIES.doing, (user, scope, limit), |c, (user, scope, limit)| {
                Box::pin(async move {
                    let rows = recent(c, *user, scope, *limit).await?;
                    let items: Vec<ItemId> = rows.iter().map(|row| row.item.id).collect();
                    let bodies: Vec<(i64, Vec<u8>)> = c.all(BODIES, args![&json_rows(&items)]).await?;
                    Ok((rows, bodies))
                })
            })
            .await?;
        let mut bodies: HashMap<i64, Vec<u8>> = bodies.into_iter().collect();
        rows.into_iter()
            .map(|row| {
                let body = bodies.remove(&row.item.id.0);
                Ok(ItemContent {
                    item: row.item,
                    body: body.as_deref().map(unpack).transpose()?.unwrap_or_default(),
                })
            })
            .collect()
    }
}

async fn new_since(c: &mut Conn, user: UserId, scope: &Scope, after: ItemId) -> Result<NewSince> {
    let feeds: Option<HashSet<i64>> = match scope {
        Scope::All => None,
        _ => Some(feeds_in(c, user, scope, true).await?.into_iter().collect()),
    };
    let none = NewSince { count: 0, newest: after };
    if feeds.as_ref().is_some_and(HashSet::is_empty) {
        return Ok(none);
    }
    let (newest,): (i64,) = c.one(NEWEST_ITEM, args![]).await?;
    let from = after.0.max(newest.saturating_sub(LOOK_BACK));
    // A folder's items are picked from everybody's: all of the person's new ones must then be looked at.
    let limit = if feeds.is_none() { i64::try_from(COUNT_MAX).unwrap_or(i64::MAX) } else { LOOK_BACK };
    let rows: Vec<(i64, i64)> = c.all(NEW_SINCE, args![from, user, limit]).await?;
    let mut found =
        rows.into_iter().filter(|(_, feed)| feeds.as_ref().is_none_or(|feeds| feeds.contains(feed)));
    let Some((newest, _)) = found.next() else { return Ok(none) };
    Ok(NewSince { count: 1 + found.take(COUNT_MAX - 1).count() as u64, newest: ItemId(newest) })
}
