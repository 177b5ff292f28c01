//! Accounts, their tokens, and the few settings of the whole server.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::sql::{Conn, Sql, args, sql};
use crate::store::Store;
use domain::{Timestamp, User, UserId};

const ADD_USER: Sql = sql!(
    "adding a user",
    "INSERT INTO user_account (name, password_hash, is_admin, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (name) DO NOTHING RETURNING id"
);
const USERS: Sql =
    sql!("listing users", "SELECT id, name, is_admin, created_at FROM user_account ORDER BY id");
const USER_BY_NAME: Sql =
    sql!("finding a user", "SELECT id, name, is_admin, created_at FROM user_account WHERE name = $1");
const PASSWORD_HASH: Sql =
    sql!("reading a password hash", "SELECT password_hash FROM user_account WHERE id = $1");
const SET_PASSWORD: Sql =
    sql!("setting a password", "UPDATE user_account SET password_hash = $2 WHERE id = $1");
const FIRST_ADMIN: Sql =
    sql!("looking for an administrator", "SELECT EXISTS (SELECT 1 FROM user_account WHERE is_admin)");
const ADD_TOKEN: Sql = sql!(
    "adding a token",
    "INSERT INTO api_token (hash, user_id, label, created_at) SELECT $1, id, $3, $4 FROM user_account WHERE id = $2"
);
const USER_BY_TOKEN: Sql =
    sql!("finding a token",
    "SELECT u.id, u.name, u.is_admin, u.created_at FROM api_token t JOIN user_account u ON u.id = t.user_id
     WHERE t.hash = $1 AND NOT u.disabled");
const SETTING: Sql = sql!("reading a setting", "SELECT value FROM setting WHERE name = $1");
const SET_SETTING: Sql = sql!(
    "keeping a setting",
    "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
);
const CLEAR_SETTING: Sql = sql!("clearing a setting", "DELETE FROM setting WHERE name = $1");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    ADD_USER,
    USERS,
    USER_BY_NAME,
    PASSWORD_HASH,
    SET_PASSWORD,
    FIRST_ADMIN,
    ADD_TOKEN,
    USER_BY_TOKEN,
    SETTING,
    SET_SETTING,
    CLEAR_SETTING,
];

/// The setting behind the emergency stop; leasing reads it in its own statement.
pub(crate) const HALTED: &str = "halted";

type UserRow = (i64, String, bool, i64);

impl Store {
    /// The password is hashed by the caller; a name taken is a [`StoreError::Conflict`].
    #[boxed]
    pub async fn add_user(
        &self,
        name: &str,
        password_hash: Option<&str>,
        is_admin: bool,
        now: Timestamp,
    ) -> Result<UserId> {
        let args = (name.to_owned(), password_hash.map(str::to_owned), is_admin, now);
        let added: Option<(i64,)> = self
            .write(ADD_USER.doing, args, |c, (name, hash, is_admin, now)| {
                Box::pin(
                    async move { c.maybe(ADD_USER, args![name, hash.as_deref(), *is_admin, *now]).await },
                )
            })
            .await?;
        added
            .map(|(id,)| UserId(id))
            .ok_or_else(|| StoreError::Conflict { what: format!("the user {name:?} exists") })
    }

    #[boxed]
    pub async fn users(&self) -> Result<Vec<User>> {
        let rows =
            self.read(USERS.doing, (), |c, ()| Box::pin(async move { c.all(USERS, args![]).await })).await?;
        Ok(rows.into_iter().map(user).collect())
    }

    #[boxed]
    pub async fn user_by_name(&self, name: &str) -> Result<Option<User>> {
        let row = self
            .read(USER_BY_NAME.doing, name.to_owned(), |c, name| {
                Box::pin(async move { c.maybe(USER_BY_NAME, args![name]).await })
            })
            .await?;
        Ok(row.map(user))
    }

    /// None for an unknown user and for one without a password.
    #[boxed]
    pub async fn password_hash(&self, user: UserId) -> Result<Option<String>> {
        let row: Option<(Option<String>,)> = self
            .read(PASSWORD_HASH.doing, user, |c, user| {
                Box::pin(async move { c.maybe(PASSWORD_HASH, args![*user]).await })
            })
            .await?;
        Ok(row.and_then(|(hash,)| hash))
    }

    #[boxed]
    pub async fn set_password(&self, user: UserId, hash: &str) -> Result<()> {
        let changed = self
            .write(SET_PASSWORD.doing, (user, hash.to_owned()), |c, (user, hash)| {
                Box::pin(async move { c.run(SET_PASSWORD, args![*user, hash]).await })
            })
            .await?;
        found(changed, "user")
    }

    #[boxed]
    pub async fn first_admin_exists(&self) -> Result<bool> {
        let (exists,) = self
            .read(FIRST_ADMIN.doing, (), |c, ()| Box::pin(async move { c.one(FIRST_ADMIN, args![]).await }))
            .await?;
        Ok(exists)
    }

    /// Only the token's hash is kept.
    #[boxed]
    pub async fn add_token(&self, user: UserId, label: &str, hash: [u8; 32], now: Timestamp) -> Result<()> {
        let added = self
            .write(ADD_TOKEN.doing, (user, label.to_owned(), hash, now), |c, (user, label, hash, now)| {
                Box::pin(async move { c.run(ADD_TOKEN, args![&hash[..], *user, label, *now]).await })
            })
            .await?;
        found(added, "user")
    }

    /// None for an unknown token and for one of a disabled person.
    #[boxed]
    pub async fn user_by_token(&self, hash: [u8; 32]) -> Result<Option<User>> {
        let row = self
            .read(USER_BY_TOKEN.doing, hash, |c, hash| {
                Box::pin(async move { c.maybe(USER_BY_TOKEN, args![&hash[..]]).await })
            })
            .await?;
        Ok(row.map(user))
    }

    #[boxed]
    pub async fn setting(&self, key: &str) -> Result<Option<String>> {
        let row: Option<(String,)> = self
            .read(SETTING.doing, key.to_owned(), |c, key| {
                Box::pin(async move { c.maybe(SETTING, args![key]).await })
            })
            .await?;
        Ok(row.map(|(value,)| value))
    }

    /// None clears the setting.
    #[boxed]
    pub async fn set_setting(&self, key: &str, value: Option<&str>) -> Result<()> {
        self.write(SET_SETTING.doing, (key.to_owned(), value.map(str::to_owned)), |c, (key, value)| {
            Box::pin(set_setting(c, key, value.as_deref()))
        })
        .await
    }

    /// The emergency stop (N29): while set, no feed is leased, by nobody.
    #[boxed]
    pub async fn set_halted(&self, halted: bool) -> Result<()> {
        self.set_setting(HALTED, halted.then_some("true")).await?;
        self.wake();
        Ok(())
    }

    #[boxed]
    pub async fn halted(&self) -> Result<bool> {
        Ok(self.setting(HALTED).await?.is_some())
    }
}

async fn set_setting(c: &mut Conn, key: &str, value: Option<&str>) -> Result<()> {
    match value {
        Some(value) => c.run(SET_SETTING, args![key, value]).await?,
        None => c.run(CLEAR_SETTING, args![key]).await?,
    };
    Ok(())
}

fn user((id, name, is_admin, created_at): UserRow) -> User {
    User { id: UserId(id), name, is_admin, created_at: Timestamp::from_micros(created_at) }
}

pub(crate) fn found(rows: u64, what: &'static str) -> Result<()> {
    if rows == 0 { Err(StoreError::NotFound { what }) } else { Ok(()) }
}
