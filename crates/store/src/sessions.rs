//! Signed-in browsers, and wrong passwords remembered for a day.
//!
//! Only hashes of what browsers hold are kept, so a stolen database signs nobody in (A2). Ended sessions are as good
//! as gone at once and are swept by [`Store::prune`].

use crate::accounts::AccountRow;
use crate::boxed;
use crate::error::{Result, StoreError};
use crate::sql::{Conn, Sql, args, json_rows, row, sql};
use crate::store::Store;
use crate::types::{Account, LoginFailures, Session};
use domain::{SessionId, Timestamp, UserId};
use std::collections::HashMap;
use std::time::Duration;

const ADD: Sql = sql!(
    "adding a session",
    "INSERT INTO session (hash, user_id, label, address, created_at, last_seen_at, ends_at)
     SELECT $2, u.id, $3, $4, $5, $5, $6 FROM user_account u WHERE u.id = $1 AND NOT u.disabled RETURNING id"
);
const CROWD_OUT: Sql = sql!(
    "ending the oldest sessions",
    "DELETE FROM session WHERE user_id = $1 AND id <=
         (SELECT id FROM session WHERE user_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)"
);
const FIND: Sql = sql!("finding a session",
    "SELECT s.id AS session_id, s.created_at AS session_created_at, s.last_seen_at, s.ends_at, s.label, s.address, "
    account_columns " FROM session s JOIN user_account u ON u.id = s.user_id
     WHERE s.hash = $1 AND s.ends_at > $2 AND NOT u.disabled");
const TOUCH: Sql =
    sql!("keeping a session alive", "UPDATE session SET last_seen_at = $2, ends_at = $3 WHERE id = $1");
const LIST: Sql = sql!(
    "listing sessions",
    "SELECT id, created_at, last_seen_at, ends_at, label, address FROM session
     WHERE user_id = $1 AND ends_at > $2 ORDER BY last_seen_at DESC, id DESC"
);
const END: Sql = sql!("ending a session", "DELETE FROM session WHERE id = $2 AND user_id = $1");
const END_OTHERS: Sql = sql!("ending sessions", "DELETE FROM session WHERE user_id = $1 AND id <> $2");
const FAILURES: Sql = sql!("reading wrong passwords",
    "SELECT f.who, f.count, f.last_at FROM " rows " JOIN login_failure f ON f.who = r.value ->> 'who'
     WHERE f.last_at >= $2");
const FAIL: Sql = sql!(
    "counting a wrong password",
    "INSERT INTO login_failure (who, count, last_at) VALUES ($1, 1, $2)
     ON CONFLICT (who) DO UPDATE SET last_at = excluded.last_at,
         count = CASE WHEN login_failure.last_at < $3 THEN 1 ELSE login_failure.count + 1 END"
);
const FORGET: Sql = sql!("forgetting wrong passwords", "DELETE FROM login_failure WHERE who = $1");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[ADD, CROWD_OUT, FIND, TOUCH, LIST, END, END_OTHERS, FAILURES, FAIL, FORGET];

/// The oldest goes when there is one more.
const SESSIONS_MAX: i64 = 50;
const TEXT_CHARS_MAX: usize = 200;
pub(crate) const FAILURES_FOR: Duration = Duration::from_secs(24 * 60 * 60);

impl Store {
    /// A person has at most 50 sessions; the oldest makes room. A disabled person gets none.
    #[boxed]
    pub async fn add_session(
        &self,
        user: UserId,
        hash: [u8; 32],
        label: &str,
        address: &str,
        now: Timestamp,
        ends_at: Timestamp,
    ) -> Result<SessionId> {
        let new = New { user, hash, label: cut(label), address: cut(address), now, ends_at };
        self.write(ADD.doing, new, |c, new| Box::pin(add(c, new))).await
    }

    /// Who a browser belongs to. None when the session has ended, is unknown, or the person is disabled. One
    /// statement on an index: it is asked with every request.
    #[boxed]
    pub async fn session(&self, hash: [u8; 32], now: Timestamp) -> Result<Option<(Session, Account)>> {
        let row: Option<FoundRow> = self
            .read(FIND.doing, (hash, now), |c, (hash, now)| {
                Box::pin(async move { c.maybe(FIND, args![&hash[..], *now]).await })
            })
            .await?;
        Ok(row.map(|row| {
            let account = row.account.account();
            let session = Session {
                id: SessionId(row.session_id),
                user: account.user.id,
                created_at: Timestamp::from_micros(row.session_created_at),
                last_seen_at: Timestamp::from_micros(row.last_seen_at),
                ends_at: Timestamp::from_micros(row.ends_at),
                label: row.label,
                address: row.address,
            };
            (session, account)
        }))
    }

    /// The caller decides how often: every request would be a write.
    #[boxed]
    pub async fn touch_session(&self, id: SessionId, now: Timestamp, ends_at: Timestamp) -> Result<()> {
        self.write(TOUCH.doing, (id, now, ends_at), |c, (id, now, ends_at)| {
            Box::pin(async move { c.run(TOUCH, args![*id, *now, *ends_at]).await.map(drop) })
        })
        .await
    }

    /// A person's living sessions, last seen first.
    #[boxed]
    pub async fn sessions(&self, user: UserId, now: Timestamp) -> Result<Vec<Session>> {
        let rows: Vec<(i64, i64, i64, i64, String, String)> = self
            .read(LIST.doing, (user, now), |c, (user, now)| {
                Box::pin(async move { c.all(LIST, args![*user, *now]).await })
            })
            .await?;
        let session = |(id, created_at, last_seen_at, ends_at, label, address)| Session {
            id: SessionId(id),
            user,
            created_at: Timestamp::from_micros(created_at),
            last_seen_at: Timestamp::from_micros(last_seen_at),
            ends_at: Timestamp::from_micros(ends_at),
            label,
            address,
        };
        Ok(rows.into_iter().map(session).collect())
    }

    /// False when this person has no such session.
    #[boxed]
    pub async fn end_session(&self, user: UserId, id: SessionId) -> Result<bool> {
        let ended = self
            .write(END.doing, (user, id), |c, (user, id)| {
                Box::pin(async move { c.run(END, args![*user, *id]).await })
            })
            .await?;
        Ok(ended > 0)
    }

    /// Ends all of a person's sessions but the one to keep, and tells how many.
    #[boxed]
    pub async fn end_other_sessions(&self, user: UserId, keep: Option<SessionId>) -> Result<u64> {
        let keep = keep.unwrap_or(SessionId(i64::MIN));
        self.write(END_OTHERS.doing, (user, keep), |c, (user, keep)| {
            Box::pin(async move { c.run(END_OTHERS, args![*user, *keep]).await })
        })
        .await
    }

    /// Wrong passwords of the last day per key, in the order asked.
    #[boxed]
    pub async fn login_failures(&self, keys: &[String], now: Timestamp) -> Result<Vec<LoginFailures>> {
        let rows: Vec<(String, i64, i64)> = self
            .read(FAILURES.doing, (keys.to_vec(), now), |c, (keys, now)| {
                Box::pin(async move {
                    let rows: Vec<Who<'_>> = keys.iter().map(|who| Who { who }).collect();
                    c.all(FAILURES, args![&json_rows(&rows), now.saturating_sub(FAILURES_FOR)]).await
                })
            })
            .await?;
        let found: HashMap<String, LoginFailures> = rows
            .into_iter()
            .map(|(who, count, last_at)| {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                (who, LoginFailures { count, last_at: Timestamp::from_micros(last_at) })
            })
            .collect();
        let of = |key: &String| found.get(&*crate::pack::clean(key)).copied();
        Ok(keys.iter().map(|key| of(key).unwrap_or(LoginFailures::NONE)).collect())
    }

    /// Counts a wrong password for each key; what is older than a day no longer counts.
    #[boxed]
    pub async fn record_login_failure(&self, keys: &[String], now: Timestamp) -> Result<()> {
        self.write(FAIL.doing, (sorted(keys), now), |c, (keys, now)| {
            Box::pin(async move {
                for key in keys {
                    c.run(FAIL, args![key, *now, now.saturating_sub(FAILURES_FOR)]).await?;
                }
                Ok(())
            })
        })
        .await
    }

    #[boxed]
    pub async fn clear_login_failures(&self, keys: &[String]) -> Result<()> {
        self.write(FORGET.doing, sorted(keys), |c, keys| {
            Box::pin(async move {
                for key in keys {
                    c.run(FORGET, args![key]).await?;
                }
                Ok(())
            })
        })
        .await
    }
}

/// In one order, so that two nodes lock alike; each once.
fn sorted(keys: &[String]) -> Vec<String> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[derive(serde::Serialize)]
struct Who<'a> {
    who: &'a str,
}

struct New {
    user: UserId,
    hash: [u8; 32],
    label: String,
    address: String,
    now: Timestamp,
    ends_at: Timestamp,
}

row! {
    struct FoundRow {
        ..account: AccountRow,
        session_id: i64,
        session_created_at: i64,
        last_seen_at: i64,
        ends_at: i64,
        label: String,
        address: String,
    }
}

async fn add(c: &mut Conn, new: &New) -> Result<SessionId> {
    let added: Option<(i64,)> =
        c.maybe(ADD, args![new.user, &new.hash[..], &new.label, &new.address, new.now, new.ends_at]).await?;
    let (id,) = added.ok_or(StoreError::NotFound { what: "user who may sign in" })?;
    c.run(CROWD_OUT, args![new.user, SESSIONS_MAX]).await?;
    Ok(SessionId(id))
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}
