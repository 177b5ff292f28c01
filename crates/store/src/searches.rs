//! A person's saved searches. What a query means is `search`'s; here it is text.

use crate::accounts::conflict;
use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::to_json;
use crate::pack::clean;
use crate::people::found;
use crate::sql::{Conn, Sql, args, sql};
use crate::store::Store;
use crate::types::{SavedSearch, UndoToken};
use crate::undo::{self, UndoKind};
use domain::{ItemId, SearchId, Timestamp, UserId};
use serde::{Deserialize, Serialize};

const LIST: Sql = sql!(
    "listing saved searches",
    "SELECT id, name, query, created_at, seen_to FROM saved_search WHERE user_id = $1 ORDER BY id LIMIT 100"
);
const LOCK_PERSON: Sql = sql!("locking a person", "SELECT t.id FROM user_account t WHERE t.id = $1" lock);
const COUNT: Sql = sql!("counting saved searches", "SELECT COUNT(*) FROM saved_search WHERE user_id = $1");
const ADD: Sql = sql!(
    "saving a search",
    "INSERT INTO saved_search (user_id, name, query, created_at, seen_to) VALUES ($1, $2, $3, $4, $5) RETURNING id"
);
const RENAME: Sql =
    sql!("renaming a saved search", "UPDATE saved_search SET name = $3 WHERE id = $2 AND user_id = $1");
/// A page that was made earlier and says so later takes nothing back.
const SEEN: Sql = sql!(
    "noting what was seen of a search",
    "UPDATE saved_search SET seen_to = CASE WHEN seen_to < $3 THEN $3 ELSE seen_to END WHERE id = $2 AND user_id = $1"
);
const REMOVE: Sql = sql!(
    "removing a saved search",
    "DELETE FROM saved_search WHERE id = $2 AND user_id = $1 RETURNING id, name, query, created_at, seen_to"
);
const PUT_BACK: Sql = sql!(
    "putting a saved search back",
    "INSERT INTO saved_search (id, user_id, name, query, created_at, seen_to) VALUES ($2, $1, $3, $4, $5, $6)
     ON CONFLICT (id) DO NOTHING"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[LIST, LOCK_PERSON, COUNT, ADD, RENAME, SEEN, REMOVE, PUT_BACK];

const SEARCHES_MAX: i64 = 100;
const NAME_CHARS_MAX: usize = 100;
/// What `search` reads of a query at most.
const QUERY_CHARS_MAX: usize = 500;

impl Store {
    /// A person's saved searches, oldest first.
    #[boxed]
    pub async fn saved_searches(&self, user: UserId) -> Result<Vec<SavedSearch>> {
        let rows: Vec<Row> = self
            .read(LIST.doing, user, |c, user| Box::pin(async move { c.all(LIST, args![*user]).await }))
            .await?;
        Ok(rows.into_iter().map(saved).collect())
    }

    /// Name and query are cut to 100 and 500 characters, an empty name becomes the query. One more than 100 is a
    /// [`StoreError::Conflict`].
    #[boxed]
    pub async fn add_saved_search(
        &self,
        user: UserId,
        name: &str,
        query: &str,
        seen_to: ItemId,
        now: Timestamp,
    ) -> Result<SearchId> {
        let query = cut(query, QUERY_CHARS_MAX);
        let name = cut(name, NAME_CHARS_MAX);
        let name = if name.is_empty() { cut(&query, NAME_CHARS_MAX) } else { name };
        self.write(ADD.doing, (user, name, query, seen_to, now), |c, (user, name, query, seen_to, now)| {
            Box::pin(async move {
                room(c, *user).await?;
                let (id,): (i64,) = c.one(ADD, args![*user, name, query, *now, *seen_to]).await?;
                Ok(SearchId(id))
            })
        })
        .await
    }

    #[boxed]
    pub async fn rename_saved_search(&self, user: UserId, id: SearchId, name: &str) -> Result<()> {
        let name = cut(name, NAME_CHARS_MAX);
        if name.is_empty() {
            return Ok(());
        }
        let changed = self
            .write(RENAME.doing, (user, id, name), |c, (user, id, name)| {
                Box::pin(async move { c.run(RENAME, args![*user, *id, name]).await })
            })
            .await?;
        found(changed, "saved search")
    }

    /// The person has seen what it finds up to this item.
    #[boxed]
    pub async fn seen_saved_search(&self, user: UserId, id: SearchId, to: ItemId) -> Result<()> {
        let changed = self
            .write(SEEN.doing, (user, id, to), |c, (user, id, to)| {
                Box::pin(async move { c.run(SEEN, args![*user, *id, *to]).await })
            })
            .await?;
        found(changed, "saved search")
    }

    /// None when this person has no such search. [`Store::undo`] brings it back within the hour.
    #[boxed]
    pub async fn remove_saved_search(
        &self,
        user: UserId,
        id: SearchId,
        now: Timestamp,
    ) -> Result<Option<UndoToken>> {
        self.write(REMOVE.doing, (user, id, now), |c, (user, id, now)| {
            Box::pin(async move {
                let row: Option<Row> = c.maybe(REMOVE, args![*user, *id]).await?;
                let Some((id, name, query, created_at, seen_to)) = row else { return Ok(None) };
                let gone = Gone { id, name, query, created_at, seen_to };
                undo::keep(c, *user, UndoKind::Search, &to_json(&gone), None, *now).await.map(Some)
            })
        })
        .await
    }
}

/// Id, name, query, made, seen.
type Row = (i64, String, String, i64, i64);

/// What is stored to take a removal back.
#[derive(Serialize, Deserialize)]
pub(crate) struct Gone {
    id: i64,
    name: String,
    query: String,
    created_at: i64,
    seen_to: i64,
}

pub(crate) async fn put_back(c: &mut Conn, user: UserId, gone: &Gone) -> Result<()> {
    room(c, user).await?;
    let args = args![user, gone.id, &gone.name, &gone.query, gone.created_at, gone.seen_to];
    c.run(PUT_BACK, args).await.map(drop)
}

async fn room(c: &mut Conn, user: UserId) -> Result<()> {
    let person: Option<(i64,)> = c.maybe(LOCK_PERSON, args![user]).await?;
    person.ok_or(StoreError::NotFound { what: "user" })?;
    let (count,): (i64,) = c.one(COUNT, args![user]).await?;
    if count >= SEARCHES_MAX {
        return Err(conflict("there are 100 saved searches already; remove one first"));
    }
    Ok(())
}

fn saved((id, name, query, created_at, seen_to): Row) -> SavedSearch {
    SavedSearch {
        id: SearchId(id),
        name,
        query,
        created_at: Timestamp::from_micros(created_at),
        seen_to: ItemId(seen_to),
    }
}

fn cut(text: &str, chars: usize) -> String {
    clean(text).trim().chars().take(chars).collect()
}
