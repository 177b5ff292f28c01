//! Feeds as they are found and offered: to the index of channels, and to people.
//!
//! Nobody is told of another's private feed, nor how many read a feed that few read. A feed whose publisher asks not to be
//! shown around is known to those who follow it, and to nobody else (N26); so is a feed that is gone, because nobody can
//! be offered what will bring nothing.

use crate::boxed;
use crate::error::Result;
use crate::profiles::from_units;
use crate::sql::{Sql, args, json_rows, row, sql};
use crate::store::Store;
use crate::types::Channel;
use domain::{FeedId, UserId};
use std::collections::HashMap;

const AFTER: Sql = sql!("following channels",
    "SELECT " channel_columns ", " is_there " AS is_there FROM feed_profile p JOIN feed f ON f.id = p.feed_id
     JOIN schedule s ON s.feed_id = f.id LEFT JOIN feed_icon k ON k.feed_id = f.id
     WHERE p.revision > $1 ORDER BY p.revision LIMIT $2");
const BY_ID: Sql = sql!("reading channels",
    "SELECT " channel_columns ", " is_there " AS is_there FROM " rows " JOIN feed f ON f.id = CAST(r.value AS BIGINT)
     JOIN schedule s ON s.feed_id = f.id LEFT JOIN feed_profile p ON p.feed_id = f.id
     LEFT JOIN feed_icon k ON k.feed_id = f.id WHERE f.private_to IN (0, $2)
       AND (f.noindex = false AND " is_there "
           OR EXISTS (SELECT 1 FROM subscription u WHERE u.user_id = $2 AND u.feed_id = f.id))");
const POPULAR: Sql = sql!("finding popular feeds",
    "SELECT " channel_columns ", " is_there " AS is_there FROM schedule s JOIN feed f ON f.id = s.feed_id
     LEFT JOIN feed_profile p ON p.feed_id = f.id LEFT JOIN feed_icon k ON k.feed_id = f.id
     WHERE s.subscribers >= 5 AND f.private_to = 0 AND f.noindex = false AND " is_there "
       AND NOT EXISTS (SELECT 1 FROM subscription u WHERE u.user_id = $1 AND u.feed_id = s.feed_id)
     ORDER BY s.subscribers DESC, s.feed_id DESC LIMIT $2");
const TITLES: Sql = sql!("reading channels' newest titles",
    "SELECT i.feed_id, i.title FROM " rows " JOIN feed f ON f.id = CAST(r.value AS BIGINT) JOIN " each "
     WHERE x.feed_id = CAST(r.value AS BIGINT) ORDER BY x.sort_at DESC, x.id DESC LIMIT $3" each_end
    " WHERE f.private_to IN (0, $2) AND i.title IS NOT NULL
       AND (f.noindex = false OR EXISTS (SELECT 1 FROM subscription u WHERE u.user_id = $2 AND u.feed_id = f.id))
     ORDER BY i.feed_id, i.sort_at DESC, i.id DESC");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[AFTER, BY_ID, POPULAR, TITLES];

/// Under so many subscribers nobody is told how many.
const SUBSCRIBERS_SHOWN: i64 = 5;
const LIMIT_MAX: u32 = 500;
const TITLES_MAX: u32 = 10;

impl Store {
    /// Channels whose profile was written after `revision`, private ones too, in the order of their revisions; at most
    /// 500. For the index of channels, not for people.
    #[boxed]
    pub async fn channels_after(&self, revision: i64, limit: u32) -> Result<Vec<Channel>> {
        let limit = i64::from(limit.clamp(1, LIMIT_MAX));
        let rows: Vec<ChannelRow> = self
            .read(AFTER.doing, (revision, limit), |c, (revision, limit)| {
                Box::pin(async move { c.all(AFTER, args![*revision, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(ChannelRow::channel).collect())
    }

    /// Those of the feeds that this person may know of, in the order asked for; at most the first 500.
    #[boxed]
    pub async fn channels_by_id(&self, user: UserId, feeds: &[FeedId]) -> Result<Vec<Channel>> {
        let feeds: Vec<FeedId> = feeds.iter().copied().take(LIMIT_MAX as usize).collect();
        let rows: Vec<ChannelRow> = self
            .read(BY_ID.doing, (user, feeds.clone()), |c, (user, feeds)| {
                Box::pin(async move { c.all(BY_ID, args![&json_rows(feeds), *user]).await })
            })
            .await?;
        let mut found: HashMap<i64, ChannelRow> = rows.into_iter().map(|row| (row.id, row)).collect();
        Ok(feeds.iter().filter_map(|feed| found.remove(&feed.0)).map(ChannelRow::channel).collect())
    }

    /// The titles of the newest `each` items of those of the feeds that this person may know of, newest first; of at most
    /// the first 500 feeds.
    #[boxed]
    pub async fn channel_titles(
        &self,
        user: UserId,
        feeds: &[FeedId],
        each: u32,
    ) -> Result<Vec<(FeedId, String)>> {
        let feeds: Vec<FeedId> = feeds.iter().copied().take(LIMIT_MAX as usize).collect();
        let each = i64::from(each.min(TITLES_MAX));
        let rows: Vec<(i64, String)> = self
            .read(TITLES.doing, (user, feeds, each), |c, (user, feeds, each)| {
                Box::pin(async move { c.all(TITLES, args![&json_rows(feeds), *user, *each]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(feed, title)| (FeedId(feed), title)).collect())
    }

    /// What most people here follow and this person does not, the most followed first.
    #[boxed]
    pub async fn popular(&self, user: UserId, limit: u32) -> Result<Vec<Channel>> {
        let limit = i64::from(limit.clamp(1, LIMIT_MAX));
        let rows: Vec<ChannelRow> = self
            .read(POPULAR.doing, (user, limit), |c, (user, limit)| {
                Box::pin(async move { c.all(POPULAR, args![*user, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(ChannelRow::channel).collect())
    }
}

row! {
    struct ChannelRow {
        id: i64,
        revision: i64,
        url: String,
        title: Option<String>,
        site_url: Option<String>,
        description: Option<String>,
        language: Option<String>,
        icon: Option<i64>,
        private_to: i64,
        milliposts_per_day: Option<i64>,
        subscribers: i64,
        items: i64,
        latest: Option<Vec<u8>>,
        general: Option<Vec<u8>>,
        change: Option<i64>,
        cohesion: Option<i64>,
        is_there: bool,
    }
}

impl ChannelRow {
    fn channel(self) -> Channel {
        Channel {
            feed: FeedId(self.id),
            revision: self.revision,
            url: self.url,
            title: self.title,
            site_url: self.site_url,
            description: self.description,
            language: self.language,
            icon: self.icon.map(|version| u64::from_ne_bytes(version.to_ne_bytes())),
            private_to: (self.private_to != 0).then_some(UserId(self.private_to)),
            posts_per_day: self.milliposts_per_day.map(|posts| posts as f64 / 1e3),
            subscribers: u32::try_from(self.subscribers)
                .ok()
                .filter(|subscribers| i64::from(*subscribers) >= SUBSCRIBERS_SHOWN),
            items: u64::try_from(self.items).unwrap_or(0),
            latest: self.latest.unwrap_or_default(),
            general: self.general.unwrap_or_default(),
            change: self.change.map(from_units),
            cohesion: self.cohesion.map(from_units),
            is_there: self.is_there,
        }
    }
}
