//! What can be taken back: "mark all read" and the marking of a group, leaving a feed, removing a folder or a saved
//! search, renaming or removing a tag, forgetting what was learnt of a person.
//!
//! A row of `undo` holds what the operation's own file needs to take it back; here it is kept, found and forgotten.
//! Of a person's "mark all read" only the newest can be undone; of the others each, until [`Store::prune`] forgets it.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::sql::{Conn, Sql, args, sql};
use crate::store::Store;
use crate::types::UndoToken;
use crate::{folders, foryou, leave, mark_all, searches, tags};
use domain::{Timestamp, UserId};

const FORGET: Sql = sql!("forgetting an older undo", "DELETE FROM undo WHERE user_id = $1 AND kind = 'read'");
const KEEP: Sql = sql!(
    "keeping what undo needs",
    "INSERT INTO undo (user_id, kind, made_at, newest_item, feeds, sealed)
     SELECT $1, $2, $3, COALESCE(MAX(id), 0), $4, $5 FROM item RETURNING id"
);
const TAKE: Sql = sql!(
    "finding what to undo",
    "DELETE FROM undo WHERE id = $1 AND user_id = $2 RETURNING kind, newest_item, feeds, sealed"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[FORGET, KEEP, TAKE];

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum UndoKind {
    Read,
    Feed,
    Folder,
    Tag,
    Search,
    Taste,
}

impl UndoKind {
    const fn name(self) -> &'static str {
        match self {
            UndoKind::Read => "read",
            UndoKind::Feed => "feed",
            UndoKind::Folder => "folder",
            UndoKind::Tag => "tag",
            UndoKind::Search => "search",
            UndoKind::Taste => "taste",
        }
    }
}

impl Store {
    /// Takes one operation back and tells how many items are unread again. Marks made since then stay. An older,
    /// forgotten or foreign token is [`StoreError::NotFound`], and a token works once.
    #[boxed]
    pub async fn undo(&self, user: UserId, token: UndoToken) -> Result<u64> {
        let again = self
            .write(TAKE.doing, (user, token), |c, (user, token)| Box::pin(undo(c, *user, *token)))
            .await?;
        // A feed that is followed again may be due.
        self.wake();
        Ok(again)
    }
}

async fn undo(c: &mut Conn, user: UserId, token: UndoToken) -> Result<u64> {
    type Row = (String, i64, String, Option<Vec<u8>>);
    let kept: Option<Row> = c.maybe(TAKE, args![token.0, user]).await?;
    let (kind, newest_item, text, sealed) = kept.ok_or(StoreError::NotFound { what: "action to undo" })?;
    if kind == UndoKind::Read.name() {
        mark_all::take_back(c, user, &parsed(&text)?, newest_item).await
    } else if kind == UndoKind::Feed.name() {
        leave::come_back(c, user, &parsed(&text)?, sealed.as_deref(), newest_item).await
    } else if kind == UndoKind::Folder.name() {
        folders::put_back(c, user, &parsed(&text)?).await.map(|()| 0)
    } else if kind == UndoKind::Tag.name() {
        tags::give_back(c, user, &parsed(&text)?).await.map(|()| 0)
    } else if kind == UndoKind::Search.name() {
        searches::put_back(c, user, &parsed(&text)?).await.map(|()| 0)
    } else if kind == UndoKind::Taste.name() {
        foryou::put_back(c, user, &parsed(&text)?, sealed.as_deref()).await.map(|()| 0)
    } else {
        Err(damaged())
    }
}

/// Keeps what taking an operation back needs.
pub(crate) async fn keep(
    c: &mut Conn,
    user: UserId,
    kind: UndoKind,
    json: &str,
    sealed: Option<&[u8]>,
    now: Timestamp,
) -> Result<UndoToken> {
    if kind == UndoKind::Read {
        forget_read(c, user).await?;
    }
    let (id,): (i64,) = c.one(KEEP, args![user, kind.name(), now, json, sealed]).await?;
    Ok(UndoToken(id))
}

/// Forgets a person's "mark all read": it no longer fits what has happened since.
pub(crate) async fn forget_read(c: &mut Conn, user: UserId) -> Result<()> {
    c.run(FORGET, args![user]).await.map(drop)
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|_| damaged())
}

fn damaged() -> StoreError {
    StoreError::Damaged { what: "what undo needs".to_owned() }
}
