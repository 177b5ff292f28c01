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
const NEWEST: Sql = sql!("reading feeds' newest items",
    "SELECT i.feed_id, i.id, i.link FROM " rows " JOIN " each "
     WHERE x.feed_id = CAST(r.value AS BIGINT) ORDER BY x.sort_at DESC, x.id DESC LIMIT 50" each_end);
const TOLD: Sql = sql!("finding who else tells stories",
    "SELECT a.item_id, o.feed_id FROM " rows " JOIN story_item a ON a.item_id = CAST(r.value AS BIGINT)
     JOIN story_item o ON o.story_id = a.story_id AND o.feed_id <> a.feed_id
     WHERE EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = $2 AND s.feed_id = o.feed_id)
     LIMIT $3");
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
pub(crate) const ALL: &[Sql] = &[FEEDS, OPENED, STARRED, HIDDEN, NEWEST, TOLD, POSTS, OPENS, OPENED_OF];

/// Feeds whose newest items are read by one statement, and items whose stories are.
const CHUNK: usize = 500;
const TOLD_CHUNK: usize = 5_000;
/// Who else tells the stories of so many items; a story told by very many counts for some of them.
const TOLD_MAX: i64 = 50_000;
/// With fewer items than this, having them all is chance.
const ITEMS_MIN: usize = 5;
const DUPLICATE_SHARE: f64 = 0.8;
/// A link that stands in more feeds than this (a home page, a shop) says nothing about any two of them, nor does a story
/// that everybody tells.
const FEEDS_MAX: usize = 20;
const POSTS_MAX: u32 = 5_000;

impl Store {
    /// All feeds the person follows. Items are counted by their sort date between `since` and `now`; a feed is a
    /// duplicate when another has at least 80 % of its newest 50 items, by their links or as the same stories.
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
    let numbers: Vec<i64> = feeds.iter().map(|(feed, ..)| *feed).collect();
    let duplicates = duplicates(&newest(c, user, &numbers).await?);
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

/// One of the newest items of a feed, or those with one link.
#[derive(Debug, Default)]
struct Newest {
    link: Option<u64>,
    /// Others of the person's feeds that tell the same story.
    told_by: HashSet<i64>,
}

/// The newest items of feeds.
async fn newest(c: &mut Conn, user: UserId, feeds: &[i64]) -> Result<HashMap<i64, Vec<Newest>>> {
    let mut rows: Vec<(i64, i64, Option<String>)> = Vec::new();
    for chunk in feeds.chunks(CHUNK) {
        rows.extend(c.all::<(i64, i64, Option<String>)>(NEWEST, args![&json_rows(chunk)]).await?);
    }
    let items: Vec<i64> = rows.iter().map(|(_, item, _)| *item).collect();
    let mut told: HashMap<i64, Vec<i64>> = HashMap::new();
    for chunk in items.chunks(TOLD_CHUNK) {
        for (item, by) in c.all::<(i64, i64)>(TOLD, args![&json_rows(chunk), user, TOLD_MAX]).await? {
            told.entry(item).or_default().push(by);
        }
    }
    // A link that a feed gives to several items counts once.
    let mut merged: HashMap<(i64, Option<u64>, Option<i64>), Newest> = HashMap::new();
    for (feed, item, link) in rows {
        let link = link.map(|link| hash(&link));
        let alone = if link.is_none() { Some(item) } else { None };
        let one = merged.entry((feed, link, alone)).or_default();
        one.link = link;
        one.told_by.extend(told.remove(&item).unwrap_or_default());
    }
    let mut newest: HashMap<i64, Vec<Newest>> = HashMap::new();
    for ((feed, ..), one) in merged {
        newest.entry(feed).or_default().push(one);
    }
    Ok(newest)
}

/// For each feed whose items mostly stand in another: the one that has most of them, and its share.
#[expect(clippy::cast_precision_loss, reason = "at most 50 items")]
fn duplicates(newest: &HashMap<i64, Vec<Newest>>) -> HashMap<i64, (i64, f64)> {
    let mut places: HashMap<u64, HashSet<i64>> = HashMap::new();
    for (feed, items) in newest {
        for link in items.iter().filter_map(|item| item.link) {
            places.entry(link).or_default().insert(*feed);
        }
    }
    let mut found = HashMap::new();
    for (feed, items) in newest.iter().filter(|(_, items)| items.len() >= ITEMS_MIN) {
        let mut shared: HashMap<i64, usize> = HashMap::new();
        for item in items {
            let linked = item.link.and_then(|link| places.get(&link));
            let telling = linked.into_iter().chain([&item.told_by]).filter(|feeds| feeds.len() <= FEEDS_MAX);
            let others: HashSet<i64> = telling.flatten().copied().filter(|other| other != feed).collect();
            for other in others {
                *shared.entry(other).or_default() += 1;
            }
        }
        // Of equals the older feed.
        let best = shared.into_iter().max_by_key(|(other, count)| (*count, std::cmp::Reverse(*other)));
        if let Some((other, count)) = best {
            let share = count as f64 / items.len() as f64;
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

    fn linked(links: std::ops::Range<u64>) -> Vec<Newest> {
        links.map(|link| Newest { link: Some(link), told_by: HashSet::new() }).collect()
    }

    fn told(by: &[i64]) -> Newest {
        Newest { link: None, told_by: by.iter().copied().collect() }
    }

    #[test]
    fn a_feed_is_a_duplicate_of_the_one_that_has_most_of_its_links() {
        let newest: HashMap<i64, Vec<Newest>> = [
            (1, linked(0..10)),
            (2, linked(0..50)),
            (3, linked(2..12)),
            (4, linked(100..103)),
            (5, linked(100..140)),
        ]
        .into();
        let found = duplicates(&newest);
        assert_eq!(found.get(&1), Some(&(2, 1.0)));
        assert_eq!(found.get(&3), Some(&(2, 1.0)), "2 has all, 1 only eight of ten");
        assert_eq!(found.get(&4), None, "three links are chance");
        assert_eq!(
            (found.get(&2), found.get(&5)),
            (None, None),
            "having more than the other is no duplicate"
        );
    }

    #[test]
    fn a_feed_is_a_duplicate_of_the_one_that_tells_most_of_its_stories() {
        let everybody: Vec<i64> = (100..130).collect();
        let mut both = linked(0..2);
        both.extend([told(&[2]), told(&[2, 3]), Newest { link: Some(9), told_by: [2].into() }]);
        let newest: HashMap<i64, Vec<Newest>> = [
            (1, both),
            (2, linked(0..50)),
            (3, (0..5).map(|_| told(&everybody)).collect()),
            (4, vec![told(&[2]), told(&[2]), told(&[2]), told(&[]), told(&[])]),
        ]
        .into();
        let found = duplicates(&newest);
        assert_eq!(found.get(&1), Some(&(2, 1.0)), "links and stories count together, each item once");
        assert_eq!(found.get(&3), None, "what everybody tells is nobody's copy");
        assert_eq!(found.get(&4), None, "three of five");
    }
}
