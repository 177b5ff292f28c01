//! Following somebody on this server, by their consent.
//!
//! Whoever asks names somebody, and is told the same whether there is such a person or not: the request is kept by
//! name, and only the person of that name sees it. Being refused looks like no answer yet (A10).

use crate::accounts::conflict;
use crate::boxed;
use crate::error::{Result, StoreError};
use crate::pack::clean;
use crate::people::found;
use crate::sql::{Conn, Sql, args, sql};
use crate::store::Store;
use crate::types::{Friend, FriendRequest, Friends};
use domain::{Timestamp, UserId};
use std::time::Duration;

const FOLLOWS: Sql = sql!(
    "listing friends",
    "SELECT u.id, u.name, t.since FROM friend t JOIN user_account u ON u.id = t.friend_id
     WHERE t.user_id = $1 ORDER BY t.friend_id LIMIT 500"
);
const FOLLOWERS: Sql = sql!(
    "listing followers",
    "SELECT u.id, u.name, t.since FROM friend t JOIN user_account u ON u.id = t.user_id
     WHERE t.friend_id = $1 ORDER BY t.user_id LIMIT 500"
);
const ASKED: Sql = sql!(
    "listing requests made",
    "SELECT id, name, asked_at FROM friend_request
     WHERE user_id = $1 AND asked_at >= $2 AND state <> 'buried' ORDER BY name LIMIT 100"
);
const WAITING: Sql = sql!(
    "listing requests to answer",
    "SELECT t.id, u.name, t.asked_at FROM user_account me JOIN friend_request t ON t.name = me.name
     JOIN user_account u ON u.id = t.user_id
     WHERE me.id = $1 AND t.asked_at >= $2 AND t.state = 'open' AND NOT u.disabled ORDER BY t.id LIMIT 100"
);
const LOCK_PERSON: Sql = sql!("locking a person", "SELECT t.name FROM user_account t WHERE t.id = $1" lock);
const FORGET: Sql =
    sql!("forgetting old requests", "DELETE FROM friend_request WHERE user_id = $1 AND asked_at < $2");
const COUNT_ASKED: Sql =
    sql!("counting requests", "SELECT COUNT(*) FROM friend_request WHERE user_id = $1 AND name <> $2");
const FOLLOWS_NAMED: Sql = sql!(
    "looking whether somebody is followed",
    "SELECT EXISTS (SELECT 1 FROM friend t JOIN user_account u ON u.id = t.friend_id
                    WHERE t.user_id = $1 AND u.name = $2)"
);
/// A request that was refused and taken back stands as refused again: nobody is asked twice in thirty days.
const ASK: Sql = sql!(
    "asking to follow",
    "INSERT INTO friend_request (user_id, name, asked_at, state) VALUES ($1, $2, $3, 'open')
     ON CONFLICT (user_id, name) DO UPDATE
     SET state = CASE WHEN friend_request.state = 'buried' THEN 'refused' ELSE friend_request.state END"
);
const TAKE_BACK: Sql = sql!(
    "taking a request back",
    "DELETE FROM friend_request WHERE id = $2 AND user_id = $1 AND state = 'open'"
);
const BURY: Sql = sql!(
    "taking a refused request back",
    "UPDATE friend_request SET state = 'buried' WHERE id = $2 AND user_id = $1 AND state = 'refused'"
);
const ACCEPT: Sql = sql!(
    "accepting a request",
    "DELETE FROM friend_request WHERE id = $2 AND name = $1 AND state = 'open' AND asked_at >= $3 RETURNING user_id"
);
const REFUSE: Sql = sql!(
    "refusing a request",
    "UPDATE friend_request SET state = 'refused' WHERE id = $2 AND name = $1 AND state = 'open'"
);
const COUNT_FOLLOWERS: Sql = sql!("counting followers", "SELECT COUNT(*) FROM friend WHERE friend_id = $1");
const COUNT_FOLLOWS: Sql = sql!("counting friends", "SELECT COUNT(*) FROM friend WHERE user_id = $1");
const TIE: Sql = sql!(
    "letting somebody follow",
    "INSERT INTO friend (user_id, friend_id, since) VALUES ($1, $2, $3) ON CONFLICT (user_id, friend_id) DO NOTHING"
);
const END: Sql = sql!("ending a friendship", "DELETE FROM friend WHERE user_id = $1 AND friend_id = $2");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    FOLLOWS,
    FOLLOWERS,
    ASKED,
    WAITING,
    LOCK_PERSON,
    FORGET,
    COUNT_ASKED,
    FOLLOWS_NAMED,
    ASK,
    TAKE_BACK,
    BURY,
    ACCEPT,
    REFUSE,
    COUNT_FOLLOWERS,
    COUNT_FOLLOWS,
    TIE,
    END,
];

/// How long a request waits for its answer, and a refused one keeps from being asked again.
const REQUEST_FOR: Duration = Duration::from_secs(30 * 86_400);
/// Requests of one person at a time: names cannot be tried out by the thousand.
const REQUESTS_MAX: i64 = 20;
const FRIENDS_MAX: i64 = 500;
const NAME_CHARS_MAX: usize = 100;

impl Store {
    #[boxed]
    pub async fn friends(&self, user: UserId, now: Timestamp) -> Result<Friends> {
        self.read(FOLLOWS.doing, (user, now), |c, (user, now)| {
            Box::pin(async move {
                let since = now.saturating_sub(REQUEST_FOR);
                let friend = |(id, name, since): (i64, String, i64)| Friend {
                    user: UserId(id),
                    name,
                    since: Timestamp::from_micros(since),
                };
                let request = |(id, name, asked_at): (i64, String, i64)| FriendRequest {
                    id,
                    name,
                    asked_at: Timestamp::from_micros(asked_at),
                };
                let follows: Vec<(i64, String, i64)> = c.all(FOLLOWS, args![*user]).await?;
                let followers: Vec<(i64, String, i64)> = c.all(FOLLOWERS, args![*user]).await?;
                let asked: Vec<(i64, String, i64)> = c.all(ASKED, args![*user, since]).await?;
                let waiting: Vec<(i64, String, i64)> = c.all(WAITING, args![*user, since]).await?;
                Ok(Friends {
                    follows: follows.into_iter().map(friend).collect(),
                    followers: followers.into_iter().map(friend).collect(),
                    asked: asked.into_iter().map(request).collect(),
                    waiting: waiting.into_iter().map(request).collect(),
                })
            })
        })
        .await
    }

    /// Asks whoever has this name. Nothing tells whether anybody has; asking again, or whom one follows already,
    /// changes nothing. The own name, and more than 20 names at a time, are a [`StoreError::Conflict`].
    #[boxed]
    pub async fn ask_to_follow(&self, user: UserId, name: &str, now: Timestamp) -> Result<()> {
        let name: String = clean(name).trim().chars().take(NAME_CHARS_MAX).collect();
        if name.is_empty() {
            return Err(StoreError::NotFound { what: "name" });
        }
        self.write(ASK.doing, (user, name, now), |c, (user, name, now)| {
            Box::pin(async move {
                let own = own_name(c, *user).await?;
                if own == *name {
                    return Err(conflict("that is your own name"));
                }
                c.run(FORGET, args![*user, now.saturating_sub(REQUEST_FOR)]).await?;
                let (follows,): (bool,) = c.one(FOLLOWS_NAMED, args![*user, name]).await?;
                if follows {
                    return Ok(());
                }
                let (others,): (i64,) = c.one(COUNT_ASKED, args![*user, name]).await?;
                if others >= REQUESTS_MAX {
                    return Err(conflict("20 people are asked already; take a request back first"));
                }
                c.run(ASK, args![*user, name, *now]).await.map(drop)
            })
        })
        .await
    }

    /// [`StoreError::NotFound`] for a request that is not this person's own.
    #[boxed]
    pub async fn take_request_back(&self, user: UserId, request: i64) -> Result<()> {
        let changed = self
            .write(TAKE_BACK.doing, (user, request), |c, (user, request)| {
                Box::pin(async move {
                    let open = c.run(TAKE_BACK, args![*user, *request]).await?;
                    Ok(open + c.run(BURY, args![*user, *request]).await?)
                })
            })
            .await?;
        found(changed, "request")
    }

    /// Agrees to be followed, or not. [`StoreError::NotFound`] for a request to somebody else.
    #[boxed]
    pub async fn answer_request(
        &self,
        user: UserId,
        request: i64,
        agrees: bool,
        now: Timestamp,
    ) -> Result<()> {
        self.write(ACCEPT.doing, (user, request, agrees, now), |c, (user, request, agrees, now)| {
            Box::pin(answer(c, *user, *request, *agrees, *now))
        })
        .await
    }

    /// Follows somebody no longer. [`StoreError::NotFound`] for whom one does not follow.
    #[boxed]
    pub async fn leave_friend(&self, user: UserId, friend: UserId) -> Result<()> {
        self.end(user, friend).await
    }

    /// Is followed by somebody no longer. [`StoreError::NotFound`] for who does not follow one.
    #[boxed]
    pub async fn remove_follower(&self, user: UserId, follower: UserId) -> Result<()> {
        self.end(follower, user).await
    }

    async fn end(&self, user: UserId, friend: UserId) -> Result<()> {
        let ended = self
            .write(END.doing, (user, friend), |c, (user, friend)| {
                Box::pin(async move { c.run(END, args![*user, *friend]).await })
            })
            .await?;
        found(ended, "friend")
    }
}

async fn own_name(c: &mut Conn, user: UserId) -> Result<String> {
    let person: Option<(String,)> = c.maybe(LOCK_PERSON, args![user]).await?;
    person.map(|(name,)| name).ok_or(StoreError::NotFound { what: "user" })
}

async fn answer(c: &mut Conn, user: UserId, request: i64, agrees: bool, now: Timestamp) -> Result<()> {
    let name = own_name(c, user).await?;
    if !agrees {
        return found(c.run(REFUSE, args![&name, request]).await?, "request");
    }
    let (followers,): (i64,) = c.one(COUNT_FOLLOWERS, args![user]).await?;
    if followers >= FRIENDS_MAX {
        return Err(conflict("500 people follow you already; remove one first"));
    }
    let asker: Option<(i64,)> =
        c.maybe(ACCEPT, args![&name, request, now.saturating_sub(REQUEST_FOR)]).await?;
    let (asker,) = asker.ok_or(StoreError::NotFound { what: "request" })?;
    let (follows,): (i64,) = c.one(COUNT_FOLLOWS, args![UserId(asker)]).await?;
    if follows >= FRIENDS_MAX || asker == user.0 {
        return Err(conflict("this person follows 500 people already"));
    }
    c.run(TIE, args![UserId(asker), user, now]).await.map(drop)
}
