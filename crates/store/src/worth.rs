//! What feeds have been to a person: how much they brought, what was opened, starred and hidden, and which of them
//! say what another says already.

use crate::boxed;
use crate::error::Result;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::store::Store;
use crate::types::FeedWorth;
use domain::{FeedId, Timestamp, UserId};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

const FEEDS: Sql = sql!(
    "measuring feeds",
    "SELECT s.feed_id,
         (SELECT COUNT(*) FROM item i WHERE i.feed_id = s.feed_id AND i.sort_at >= $2 AND i.sort_at <= $3),
         (SELECT MAX(i.sort_at) FROM item i WHERE i.feed_id = s.feed_id)
     FROM subscription s WHERE s.user_id = $1 ORDER BY s.feed_id"
);
const OPENED: Sql = sql!(
    "counting opened items",
    "SELECT feed_id, COUNT(DISTINCT item_id) FROM interaction
     WHERE user_id = $1 AND at >= $2 AND kind = 'open' GROUP BY feed_id"
);
const STARRED: Sql = sql!(
    "counting starred items by feed",
    "SELECT i.feed_id, COUNT(*) FROM star k JOIN item i ON i.id = k.item_id
     WHERE k.user_id = $1 AND k.starred_at >= $2 GROUP BY i.feed_id"
);
const HIDDEN: Sql = sql!(
    "counting hidden items by feed",
    "SELECT feed_id, COUNT(*) FROM hidden_item WHERE user_id = $1 AND hidden_at >= $2 GROUP BY feed_id"
);
const LINKS: Sql = sql!("reading feeds' newest links",
    "SELECT i.feed_id, i.link FROM " rows " JOIN " each "
     WHERE x.feed_id = CAST(r.value AS BIGINT) ORDER BY x.sort_at DESC, x.id DESC LIMIT 50" each_end
    " WHERE i.link IS NOT NULL");
const POSTS: Sql = sql!(
    "reading when a feed posts",
    "SELECT sort_at FROM item WHERE feed_id = $1 AND sort_at >= $2 ORDER BY sort_at DESC LIMIT $3"
);
const OPENS: Sql = sql!(
    "reading when a feed is read",
    "SELECT at FROM interaction WHERE user_id = $1 AND at >= $3 AND feed_id = $2 AND kind = 'open'
     ORDER BY at DESC LIMIT 5000"
);
const OPENED_OF: Sql = sql!(
    "counting a feed's opened items",
    "SELECT COUNT(DISTINCT item_id) FROM interaction
     WHERE user_id = $1 AND at >= $3 AND feed_id = $2 AND kind = 'open'"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[FEEDS, OPENED, STARRED, HIDDEN, LINKS, POSTS, OPENS, OPENED_OF];

/// Feeds whose links are read by one statement.
const CHUNK: usize = 500;
/// With fewer links than this, having them all is chance.
const LINKS_MIN: usize = 5;
const DUPLICATE_SHARE: f64 = 0.8;
/// A link that stands in more feeds than this (a home page, a shop) says nothing about any two of them.
const FEEDS_PER_LINK_MAX: usize = 20;
const POSTS_MAX: u32 = 5_000;

impl Store {
    /// All feeds the person follows. Items are counted by their sort date between `since` and `now`; a feed is a
    /// duplicate when another has at least 80 % of the links of its newest 50 items.
    #[boxed]
    pub async fn feed_worth(&self, user: UserId, since: Timestamp, now: Timestamp) -> Result<Vec<FeedWorth>> {
        self.read(FEEDS.doing, (user, since, now), |c, (user, since, now)| {
            Box::pin(feed_worth(c, *user, *since, *now))
        })
        .await
    }

    /// When a feed posted, newest first; at most 5,000.
    #[boxed]
    pub async fn feed_posts(&self, feed: FeedId, since: Timestamp, limit: u32) -> Result<Vec<Timestamp>> {
        let limit = i64::from(limit.clamp(1, POSTS_MAX));
        let rows: Vec<(i64,)> = self
            .read(POSTS.doing, (feed, since, limit), |c, (feed, since, limit)| {
                Box::pin(async move { c.all(POSTS, args![*feed, *since, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(at,)| Timestamp::from_micros(at)).collect())
    }

    /// How many different items of a feed the person opened.
    #[boxed]
    pub async fn feed_opened(&self, user: UserId, feed: FeedId, since: Timestamp) -> Result<u64> {
        let (count,): (i64,) = self
            .read(OPENED_OF.doing, (user, feed, since), |c, (user, feed, since)| {
                Box::pin(async move { c.one(OPENED_OF, args![*user, *feed, *since]).await })
            })
            .await?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// When the person opened items of a feed, newest first; at most 5,000.
    #[boxed]
    pub async fn feed_opens(&self, user: UserId, feed: FeedId, since: Timestamp) -> Result<Vec<Timestamp>> {
        let rows: Vec<(i64,)> = self
            .read(OPENS.doing, (user, feed, since), |c, (user, feed, since)| {
                Box::pin(async move { c.all(OPENS, args![*user, *feed, *since]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(at,)| Timestamp::from_micros(at)).collect())
    }
}

async fn feed_worth(c: &mut Conn, user: UserId, since: Timestamp, now: Timestamp) -> Result<Vec<FeedWorth>> {
    let feeds: Vec<(i64, i64, Option<i64>)> = c.all(FEEDS, args![user, since, now]).await?;
    let opened = by_feed(c, OPENED, user, since).await?;
    let starred = by_feed(c, STARRED, user, since).await?;
    let hidden = by_feed(c, HIDDEN, user, since).await?;
    let mut links: HashMap<i64, HashSet<u64>> = HashMap::new();
    let numbers: Vec<i64> = feeds.iter().map(|(feed, ..)| *feed).collect();
    for chunk in numbers.chunks(CHUNK) {
        for (feed, link) in c.all::<(i64, String)>(LINKS, args![&json_rows(chunk)]).await? {
            links.entry(feed).or_default().insert(hash(&link));
        }
    }
    let duplicates = duplicates(&links);
    let of = |counts: &HashMap<i64, u64>, feed: i64| counts.get(&feed).copied().unwrap_or(0);
    let worth = |(feed, items, newest): (i64, i64, Option<i64>)| FeedWorth {
        feed: FeedId(feed),
        items: u64::try_from(items).unwrap_or(0),
        opened: of(&opened, feed),
        starred: of(&starred, feed),
        hidden: of(&hidden, feed),
        last_item_at: newest.map(Timestamp::from_micros),
        duplicate_of: duplicates.get(&feed).map(|(other, share)| (FeedId(*other), *share)),
    };
    Ok(feeds.into_iter().map(worth).collect())
}

async fn by_feed(c: &mut Conn, sql: Sql, user: UserId, since: Timestamp) -> Result<HashMap<i64, u64>> {
    let rows: Vec<(i64, i64)> = c.all(sql, args![user, since]).await?;
    Ok(rows.into_iter().map(|(feed, count)| (feed, u64::try_from(count).unwrap_or(0))).collect())
}

/// For each feed whose links mostly stand in another: the one that has most of them, and its share.
#[expect(clippy::cast_precision_loss, reason = "at most 50 links")]
fn duplicates(links: &HashMap<i64, HashSet<u64>>) -> HashMap<i64, (i64, f64)> {
    let mut places: HashMap<u64, Vec<i64>> = HashMap::new();
    for (feed, links) in links {
        for link in links {
            places.entry(*link).or_default().push(*feed);
        }
    }
    let mut found = HashMap::new();
    for (feed, links) in links.iter().filter(|(_, links)| links.len() >= LINKS_MIN) {
        let mut shared: HashMap<i64, usize> = HashMap::new();
        let telling = links.iter().filter_map(|link| places.get(link));
        for places in telling.filter(|places| places.len() <= FEEDS_PER_LINK_MAX) {
            for other in places.iter().filter(|other| *other != feed) {
                *shared.entry(*other).or_default() += 1;
            }
        }
        // Of equals the older feed.
        let best = shared.into_iter().max_by_key(|(other, count)| (*count, std::cmp::Reverse(*other)));
        if let Some((other, count)) = best {
            let share = count as f64 / links.len() as f64;
            if share >= DUPLICATE_SHARE {
                found.insert(*feed, (other, share));
            }
        }
    }
    found
}

/// Links are only compared within one call.
fn hash(link: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    link.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_is_a_duplicate_of_the_one_that_has_most_of_its_links() {
        let links: HashMap<i64, HashSet<u64>> = [
            (1, (0..10).collect()),
            (2, (0..50).collect()),
            (3, (2..12).collect()),
            (4, (100..103).collect()),
            (5, (100..140).collect()),
        ]
        .into();
        let found = duplicates(&links);
        assert_eq!(found.get(&1), Some(&(2, 1.0)));
        assert_eq!(found.get(&3), Some(&(2, 1.0)), "2 has all, 1 only eight of ten");
        assert_eq!(found.get(&4), None, "three links are chance");
        assert_eq!(
            (found.get(&2), found.get(&5)),
            (None, None),
            "having more than the other is no duplicate"
        );
    }
}
