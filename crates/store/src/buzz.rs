//! What Buzz needs beside the items: which feeds may be counted for everybody, how much of each feed somebody opens, and
//! who follows what, for the feeds that go together.

use crate::boxed;
use crate::error::Result;
use crate::sql::{Sql, args, row, sql};
use crate::store::Store;
use crate::types::{FeedCard, FeedShare, Tie};
use domain::{FeedId, Timestamp, UserId};
use std::collections::HashMap;

const CARDS: Sql = sql!(
    "reading whose feeds are",
    "SELECT f.id, f.url, f.site_url, f.private_to, f.noindex, s.subscribers FROM feed f
     JOIN schedule s ON s.feed_id = f.id WHERE f.id > $1 ORDER BY f.id LIMIT $2"
);
const BROUGHT: Sql = sql!(
    "counting what feeds brought",
    "SELECT s.feed_id,
         (SELECT COUNT(*) FROM item i WHERE i.feed_id = s.feed_id AND i.sort_at >= $2 AND i.sort_at <= $3)
     FROM subscription s WHERE s.user_id = $1 ORDER BY s.feed_id"
);
const OPENED: Sql = sql!(
    "counting what was opened",
    "SELECT feed_id, COUNT(DISTINCT item_id) FROM interaction
     WHERE user_id = $1 AND at >= $2 AND kind = 'open' GROUP BY feed_id"
);
const TIES: Sql = sql!("reading who follows what",
    "SELECT u.user_id, u.feed_id FROM subscription u JOIN feed f ON f.id = u.feed_id JOIN schedule s ON s.feed_id = f.id
     WHERE (u.user_id, u.feed_id) > ($1, $2) AND f.private_to = 0 AND f.noindex = false AND " is_there "
     ORDER BY u.user_id, u.feed_id LIMIT $3");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[CARDS, BROUGHT, OPENED, TIES];

const LIMIT_MAX: u32 = 5_000;
/// So many followers make an address no secret, and a number no person.
const MANY: i64 = 5;

impl Store {
    /// Feeds after this one in the order of their numbers, private ones too; at most 5,000. For indexes, not for people.
    #[boxed]
    pub async fn feed_cards(&self, after: FeedId, limit: u32) -> Result<Vec<FeedCard>> {
        let limit = i64::from(limit.clamp(1, LIMIT_MAX));
        let rows: Vec<CardRow> = self
            .read(CARDS.doing, (after, limit), |c, (after, limit)| {
                Box::pin(async move { c.all(CARDS, args![*after, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(CardRow::card).collect())
    }

    /// What each of a person's feeds brought since, and how many of it they opened.
    #[boxed]
    pub async fn feed_shares(
        &self,
        user: UserId,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<FeedShare>> {
        type Counts = Vec<(i64, i64)>;
        let (brought, opened): (Counts, Counts) = self
            .read(BROUGHT.doing, (user, since, now), |c, (user, since, now)| {
                Box::pin(async move {
                    let brought = c.all(BROUGHT, args![*user, *since, *now]).await?;
                    Ok((brought, c.all(OPENED, args![*user, *since]).await?))
                })
            })
            .await?;
        let opened: HashMap<i64, i64> = opened.into_iter().collect();
        let count = |n: i64| u32::try_from(n).unwrap_or(0);
        let share = |(feed, items): (i64, i64)| FeedShare {
            feed: FeedId(feed),
            items: count(items),
            opened: count(opened.get(&feed).copied().unwrap_or(0)),
        };
        Ok(brought.into_iter().map(share).collect())
    }

    /// Who follows which public feed, after a pair, in order; at most 5,000. For learning, not for people.
    #[boxed]
    pub async fn ties_after(&self, after: Tie, limit: u32) -> Result<Vec<Tie>> {
        let limit = i64::from(limit.clamp(1, LIMIT_MAX));
        let rows: Vec<(i64, i64)> = self
            .read(TIES.doing, (after, limit), |c, (after, limit)| {
                Box::pin(async move { c.all(TIES, args![after.user, after.feed, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(user, feed)| Tie { user: UserId(user), feed: FeedId(feed) }).collect())
    }
}

row! {
    struct CardRow {
        id: i64,
        url: String,
        site_url: Option<String>,
        private_to: i64,
        noindex: bool,
        subscribers: i64,
    }
}

impl CardRow {
    fn card(self) -> FeedCard {
        FeedCard {
            feed: FeedId(self.id),
            url: self.url,
            site_url: self.site_url,
            is_private: self.private_to != 0 || self.noindex,
            has_many_readers: self.subscribers >= MANY,
        }
    }
}
