//! People's rules: kept here, compiled and matched elsewhere, and applied with the poll that brings an item.

use crate::accounts::conflict;
use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::to_json;
use crate::people::found;
use crate::sql::{Conn, Sql, args, sql};
use crate::store::Store;
use domain::{FeedId, Limits, Rule, RuleId, RuleOrder, RuleScope, Timestamp, UserId};

const RULES: Sql = sql!(
    "listing rules",
    "SELECT id, user_id, content, enabled, notice FROM rule WHERE user_id = $1 ORDER BY id"
);
const LOCK_PERSON: Sql = sql!("locking a person", "SELECT t.id FROM user_account t WHERE t.id = $1" lock);
const COUNT: Sql = sql!("counting rules", "SELECT COUNT(*) FROM rule WHERE user_id = $1");
const ADD: Sql = sql!(
    "adding a rule",
    "INSERT INTO rule (user_id, folder_id, feed_id, content, enabled, created_at)
     VALUES ($1, $2, $3, $4, true, $5) RETURNING id"
);
const SET: Sql = sql!(
    "changing a rule",
    "UPDATE rule SET folder_id = $3, feed_id = $4, content = $5, notice = NULL WHERE id = $2 AND user_id = $1"
);
const ENABLE: Sql =
    sql!("switching a rule", "UPDATE rule SET enabled = $3, notice = NULL WHERE id = $2 AND user_id = $1");
const REMOVE: Sql = sql!("removing a rule", "DELETE FROM rule WHERE id = $2 AND user_id = $1");
const DISABLE: Sql =
    sql!("switching a rule off", "UPDATE rule SET enabled = false, notice = $2 WHERE id = $1");
/// A folder's rules reach the folders inside it, so the folders above each subscription are looked at.
const FOR_FEED: Sql = sql!(
    "finding a feed's rules",
    "WITH RECURSIVE above (user_id, id) AS (
         SELECT s.user_id, s.folder_id FROM subscription s
         WHERE s.feed_id = $1 AND NOT s.paused AND s.folder_id IS NOT NULL
         UNION SELECT above.user_id, f.parent_id FROM above JOIN folder f ON f.id = above.id WHERE f.parent_id <> 0)
     SELECT u.id, u.user_id, u.content, u.enabled, u.notice
     FROM subscription s JOIN rule u ON u.user_id = s.user_id
     WHERE s.feed_id = $1 AND NOT s.paused AND u.enabled
       AND (u.feed_id = $1 OR (u.feed_id IS NULL AND u.folder_id IS NULL)
         OR EXISTS (SELECT 1 FROM above a WHERE a.user_id = u.user_id AND a.id = u.folder_id))
     ORDER BY u.user_id, u.id"
);
const OF_FEED: Sql =
    sql!("finding rules of one feed", "SELECT id, content FROM rule WHERE user_id = $1 AND feed_id = $2");
const SET_FEED: Sql =
    sql!("moving a rule to another feed", "UPDATE rule SET feed_id = $2, content = $3 WHERE id = $1");

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[RULES, LOCK_PERSON, COUNT, ADD, SET, ENABLE, REMOVE, DISABLE, FOR_FEED, OF_FEED, SET_FEED];

/// Id, person, order, enabled, notice.
type RuleRow = (i64, i64, String, bool, Option<String>);

impl Store {
    /// A person's rules, oldest first.
    #[boxed]
    pub async fn rules(&self, user: UserId) -> Result<Vec<Rule>> {
        let rows: Vec<RuleRow> = self
            .read(RULES.doing, user, |c, user| Box::pin(async move { c.all(RULES, args![*user]).await }))
            .await?;
        rows.into_iter().map(rule).collect()
    }

    /// One rule too many is a [`StoreError::Conflict`].
    #[boxed]
    pub async fn add_rule(&self, user: UserId, order: &RuleOrder, now: Timestamp) -> Result<RuleId> {
        self.write(ADD.doing, (user, order.clone(), now), |c, (user, order, now)| {
            Box::pin(add(c, *user, order, *now))
        })
        .await
    }

    /// The rule stays on or off as it is; a notice of the server is taken as read.
    #[boxed]
    pub async fn set_rule(&self, user: UserId, id: RuleId, order: &RuleOrder) -> Result<()> {
        let changed = self
            .write(SET.doing, (user, id, order.clone()), |c, (user, id, order)| {
                Box::pin(async move {
                    let (folder, feed) = scope_columns(order.scope);
                    c.run(SET, args![*user, *id, folder, feed, &to_json(order)]).await
                })
            })
            .await?;
        found(changed, "rule")
    }

    #[boxed]
    pub async fn enable_rule(&self, user: UserId, id: RuleId, enabled: bool) -> Result<()> {
        let changed = self
            .write(ENABLE.doing, (user, id, enabled), |c, (user, id, enabled)| {
                Box::pin(async move { c.run(ENABLE, args![*user, *id, *enabled]).await })
            })
            .await?;
        found(changed, "rule")
    }

    /// False when this person has no such rule. What it did stays done.
    #[boxed]
    pub async fn remove_rule(&self, user: UserId, id: RuleId) -> Result<bool> {
        let removed = self
            .write(REMOVE.doing, (user, id), |c, (user, id)| {
                Box::pin(async move { c.run(REMOVE, args![*user, *id]).await })
            })
            .await?;
        Ok(removed > 0)
    }

    /// The server switches a rule off and says why (O2).
    #[boxed]
    pub async fn disable_rule(&self, id: RuleId, notice: &str) -> Result<()> {
        self.write(DISABLE.doing, (id, notice.to_owned()), |c, (id, notice)| {
            Box::pin(async move { c.run(DISABLE, args![*id, notice]).await.map(drop) })
        })
        .await
    }

    /// The enabled rules of everybody who follows the feed and has not paused it, where their scope includes it; by
    /// person, oldest first.
    #[boxed]
    pub async fn rules_for_feed(&self, feed: FeedId) -> Result<Vec<Rule>> {
        let rows: Vec<RuleRow> = self
            .read(FOR_FEED.doing, feed, |c, feed| {
                Box::pin(async move { c.all(FOR_FEED, args![*feed]).await })
            })
            .await?;
        rows.into_iter().map(rule).collect()
    }
}

async fn add(c: &mut Conn, user: UserId, order: &RuleOrder, now: Timestamp) -> Result<RuleId> {
    lock_person(c, user).await?;
    let (count,): (i64,) = c.one(COUNT, args![user]).await?;
    let max = Limits::default().rules_max;
    if usize::try_from(count).unwrap_or(usize::MAX) >= max {
        return Err(conflict(&format!("there are {max} rules already, which is the most")));
    }
    let (folder, feed) = scope_columns(order.scope);
    let (id,): (i64,) = c.one(ADD, args![user, folder, feed, &to_json(order), now]).await?;
    Ok(RuleId(id))
}

/// A person's rules of one feed become rules of another.
pub(crate) async fn follow_feed(c: &mut Conn, user: UserId, from: FeedId, to: FeedId) -> Result<()> {
    let rules: Vec<(i64, String)> = c.all(OF_FEED, args![user, from]).await?;
    for (id, content) in rules {
        // A rule that cannot be read stays where it is; it matches nothing either way.
        if let Ok(order) = serde_json::from_str::<RuleOrder>(&content) {
            let order = RuleOrder { scope: RuleScope::Feed(to), ..order };
            c.run(SET_FEED, args![id, to, &to_json(&order)]).await?;
        }
    }
    Ok(())
}

/// Makes a person's changes to rules or folders wait for each other.
pub(crate) async fn lock_person(c: &mut Conn, user: UserId) -> Result<()> {
    let person: Option<(i64,)> = c.maybe(LOCK_PERSON, args![user]).await?;
    person.map(drop).ok_or(StoreError::NotFound { what: "user" })
}

fn scope_columns(scope: RuleScope) -> (Option<i64>, Option<i64>) {
    match scope {
        RuleScope::Everything => (None, None),
        RuleScope::Folder(folder) => (Some(folder.0), None),
        RuleScope::Feed(feed) => (None, Some(feed.0)),
    }
}

fn rule((id, user, content, enabled, notice): RuleRow) -> Result<Rule> {
    let order =
        serde_json::from_str(&content).map_err(|_| StoreError::Damaged { what: format!("the rule {id}") })?;
    Ok(Rule { id: RuleId(id), user: UserId(user), order, enabled, notice })
}
