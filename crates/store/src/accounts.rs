//! Accounts as their owners and administrators change them.
//!
//! There is always an administrator who can sign in, once there was one: what would take away the last is refused.
//! Removing a person removes every row of theirs, and the feeds that were theirs alone.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::to_json;
use crate::people::found;
use crate::sql::{Conn, Sql, args, row, sql};
use crate::store::Store;
use crate::types::{Account, TokenInfo, UserOverview};
use domain::{Preferences, Timestamp, User, UserId};
use std::time::Duration;

const ADMIN_EXISTS: Sql =
    sql!("looking for an administrator", "SELECT EXISTS (SELECT 1 FROM user_account WHERE is_admin)");
const ADD_ADMIN: Sql = sql!(
    "adding the first administrator",
    "INSERT INTO user_account (name, password_hash, is_admin, created_at) VALUES ($1, $2, true, $3)
     ON CONFLICT (name) DO NOTHING RETURNING id"
);
const ACCOUNT: Sql =
    sql!("reading an account", "SELECT " account_columns " FROM user_account u WHERE u.id = $1");
const SET_PREFERENCES: Sql =
    sql!("keeping preferences", "UPDATE user_account SET preferences = $2 WHERE id = $1");
const NAME_TAKEN: Sql =
    sql!("looking for a name", "SELECT EXISTS (SELECT 1 FROM user_account WHERE name = $2 AND id <> $1)");
const RENAME: Sql = sql!("renaming a user", "UPDATE user_account SET name = $2 WHERE id = $1");
const ADMINS: Sql = sql!("finding administrators",
    "SELECT t.id FROM user_account t WHERE t.is_admin AND NOT t.disabled ORDER BY t.id" lock);
const SET_ADMIN: Sql =
    sql!("changing who administers", "UPDATE user_account SET is_admin = $2 WHERE id = $1");
const SET_DISABLED: Sql =
    sql!("changing who may sign in", "UPDATE user_account SET disabled = $2 WHERE id = $1");
const END_SESSIONS: Sql = sql!("ending sessions", "DELETE FROM session WHERE user_id = $1");
const OVERVIEW: Sql = sql!("looking over the accounts",
    "SELECT " account_columns ",
         (SELECT COUNT(*) FROM subscription s WHERE s.user_id = u.id) AS subscriptions,
         (SELECT CAST(COALESCE(SUM(s.unread), 0) AS BIGINT) FROM subscription s WHERE s.user_id = u.id) AS unread,
         (SELECT COUNT(*) FROM session s WHERE s.user_id = u.id) AS sessions,
         (SELECT MAX(s.last_seen_at) FROM session s WHERE s.user_id = u.id) AS session_at,
         (SELECT MAX(a.at) FROM access_log a WHERE a.user_id = u.id) AS visit_at
     FROM user_account u ORDER BY u.id");
const TOKENS: Sql = sql!(
    "listing tokens",
    "SELECT id, label, created_at, last_used_at FROM api_token WHERE user_id = $1 ORDER BY id"
);
const REMOVE_TOKEN: Sql = sql!("removing a token", "DELETE FROM api_token WHERE id = $2 AND user_id = $1");
const TOUCH_TOKEN: Sql = sql!(
    "noting a token's use",
    "UPDATE api_token SET last_used_at = $2 WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at < $3)"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    ADMIN_EXISTS,
    ADD_ADMIN,
    ACCOUNT,
    SET_PREFERENCES,
    NAME_TAKEN,
    RENAME,
    ADMINS,
    SET_ADMIN,
    SET_DISABLED,
    END_SESSIONS,
    OVERVIEW,
    TOKENS,
    REMOVE_TOKEN,
    TOUCH_TOKEN,
];

/// A token's last use is known to the hour, so that a busy client is not a write per request.
const TOUCH_EVERY: Duration = Duration::from_secs(60 * 60);
const NAME_CHARS_MAX: usize = 100;

impl Store {
    /// None when there is an administrator already; of two asking at once, one gets it. A name taken is a
    /// [`StoreError::Conflict`].
    #[boxed]
    pub async fn add_first_admin(&self, name: &str, hash: &str, now: Timestamp) -> Result<Option<UserId>> {
        let args = (user_name(name)?, hash.to_owned(), now);
        self.write(ADD_ADMIN.doing, args, |c, (name, hash, now)| {
            Box::pin(add_first_admin(c, name, hash, *now))
        })
        .await
    }

    #[boxed]
    pub async fn account(&self, user: UserId) -> Result<Option<Account>> {
        let row: Option<AccountRow> = self
            .read(ACCOUNT.doing, user, |c, user| {
                Box::pin(async move { c.maybe(ACCOUNT, args![*user]).await })
            })
            .await?;
        Ok(row.map(AccountRow::account))
    }

    #[boxed]
    pub async fn set_preferences(&self, user: UserId, preferences: &Preferences) -> Result<()> {
        let changed = self
            .write(SET_PREFERENCES.doing, (user, to_json(preferences)), |c, (user, json)| {
                Box::pin(async move { c.run(SET_PREFERENCES, args![*user, json]).await })
            })
            .await?;
        found(changed, "user")
    }

    /// A name taken or empty is a [`StoreError::Conflict`].
    #[boxed]
    pub async fn rename_user(&self, user: UserId, name: &str) -> Result<()> {
        self.write(RENAME.doing, (user, user_name(name)?), |c, (user, name)| {
            Box::pin(async move {
                let (taken,): (bool,) = c.one(NAME_TAKEN, args![*user, name]).await?;
                if taken {
                    return Err(conflict(&format!("the user {name:?} exists")));
                }
                found(c.run(RENAME, args![*user, name]).await?, "user")
            })
        })
        .await
    }

    /// Taking it from the last administrator who can sign in is a [`StoreError::Conflict`].
    #[boxed]
    pub async fn set_admin(&self, user: UserId, is_admin: bool) -> Result<()> {
        self.write(SET_ADMIN.doing, (user, is_admin), |c, (user, is_admin)| {
            Box::pin(async move {
                if !is_admin {
                    spare_last_admin(c, *user).await?;
                }
                found(c.run(SET_ADMIN, args![*user, *is_admin]).await?, "user")
            })
        })
        .await
    }

    /// A disabled person's sessions end and their tokens stop working; nothing else of theirs changes. The last
    /// administrator cannot be disabled ([`StoreError::Conflict`]).
    #[boxed]
    pub async fn set_disabled(&self, user: UserId, disabled: bool) -> Result<()> {
        self.write(SET_DISABLED.doing, (user, disabled), |c, (user, disabled)| {
            Box::pin(async move {
                if *disabled {
                    spare_last_admin(c, *user).await?;
                    c.run(END_SESSIONS, args![*user]).await?;
                }
                found(c.run(SET_DISABLED, args![*user, *disabled]).await?, "user")
            })
        })
        .await
    }

    /// Removes a person with all that is theirs. The last administrator stays ([`StoreError::Conflict`]).
    #[boxed]
    pub async fn remove_user(&self, user: UserId, now: Timestamp) -> Result<()> {
        self.write("removing a user", (user, now), |c, (user, now)| {
            Box::pin(async move {
                spare_last_admin(c, *user).await?;
                crate::remove_user::remove(c, *user, *now).await
            })
        })
        .await?;
        self.tell_followers();
        Ok(())
    }

    /// All accounts, oldest first; for administrators.
    #[boxed]
    pub async fn user_overview(&self) -> Result<Vec<UserOverview>> {
        let rows: Vec<OverviewRow> = self
            .read(OVERVIEW.doing, (), |c, ()| Box::pin(async move { c.all(OVERVIEW, args![]).await }))
            .await?;
        let count = |value: i64| u64::try_from(value).unwrap_or(0);
        let overview = |row: OverviewRow| UserOverview {
            account: row.account.account(),
            subscriptions: count(row.subscriptions),
            unread: count(row.unread),
            sessions: count(row.sessions),
            last_seen_at: row.session_at.max(row.visit_at).map(Timestamp::from_micros),
        };
        Ok(rows.into_iter().map(overview).collect())
    }

    #[boxed]
    pub async fn tokens(&self, user: UserId) -> Result<Vec<TokenInfo>> {
        let rows: Vec<(i64, String, i64, Option<i64>)> = self
            .read(TOKENS.doing, user, |c, user| Box::pin(async move { c.all(TOKENS, args![*user]).await }))
            .await?;
        let token = |(id, label, created_at, last_used_at): (i64, String, i64, Option<i64>)| TokenInfo {
            id,
            label,
            created_at: Timestamp::from_micros(created_at),
            last_used_at: last_used_at.map(Timestamp::from_micros),
        };
        Ok(rows.into_iter().map(token).collect())
    }

    /// False when this person has no such token.
    #[boxed]
    pub async fn remove_token(&self, user: UserId, id: i64) -> Result<bool> {
        let removed = self
            .write(REMOVE_TOKEN.doing, (user, id), |c, (user, id)| {
                Box::pin(async move { c.run(REMOVE_TOKEN, args![*user, *id]).await })
            })
            .await?;
        Ok(removed > 0)
    }

    /// Notes that a token was used, at most once an hour.
    #[boxed]
    pub async fn touch_token(&self, hash: [u8; 32], now: Timestamp) -> Result<()> {
        self.write(TOUCH_TOKEN.doing, (hash, now), |c, (hash, now)| {
            Box::pin(async move {
                let before = now.saturating_sub(TOUCH_EVERY);
                c.run(TOUCH_TOKEN, args![&hash[..], *now, before]).await.map(drop)
            })
        })
        .await
    }
}

row! {
    pub(crate) struct AccountRow {
        user_id: i64,
        user_name: String,
        is_admin: bool,
        user_created_at: i64,
        disabled: bool,
        preferences: String,
    }
}

impl AccountRow {
    pub(crate) fn account(self) -> Account {
        Account {
            user: User {
                id: UserId(self.user_id),
                name: self.user_name,
                is_admin: self.is_admin,
                created_at: Timestamp::from_micros(self.user_created_at),
            },
            disabled: self.disabled,
            // Preferences that cannot be read are no reason to lock anybody out.
            preferences: serde_json::from_str(&self.preferences).unwrap_or_default(),
        }
    }
}

row! {
    struct OverviewRow {
        ..account: AccountRow,
        subscriptions: i64,
        unread: i64,
        sessions: i64,
        session_at: Option<i64>,
        visit_at: Option<i64>,
    }
}

async fn add_first_admin(c: &mut Conn, name: &str, hash: &str, now: Timestamp) -> Result<Option<UserId>> {
    if !c.is_lite() {
        // Two nodes may be asked at once; SQLite has one writer anyway.
        c.plain(ADD_ADMIN.doing, "LOCK TABLE user_account IN SHARE ROW EXCLUSIVE MODE").await?;
    }
    let (exists,): (bool,) = c.one(ADMIN_EXISTS, args![]).await?;
    if exists {
        return Ok(None);
    }
    let added: Option<(i64,)> = c.maybe(ADD_ADMIN, args![name, hash, now]).await?;
    match added {
        Some((id,)) => Ok(Some(UserId(id))),
        None => Err(conflict(&format!("the user {name:?} exists"))),
    }
}

/// Refuses when this person is the only administrator who can sign in.
async fn spare_last_admin(c: &mut Conn, user: UserId) -> Result<()> {
    let admins: Vec<(i64,)> = c.all(ADMINS, args![]).await?;
    if admins == [(user.0,)] {
        return Err(conflict("this is the last administrator; make somebody else one first"));
    }
    Ok(())
}

pub(crate) fn conflict(what: &str) -> StoreError {
    StoreError::Conflict { what: what.to_owned() }
}

fn user_name(name: &str) -> Result<String> {
    let name: String = crate::pack::clean(name).trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        return Err(conflict("a name has 1 to 100 characters"));
    }
    Ok(name)
}
