//! What feeds are worth to a person.

use crate::error::{Result, StoreError};
use crate::store::Store;
use crate::types::FeedWorth;
use domain::{FeedId, Timestamp, UserId};

impl Store {
    pub async fn feed_worth(
        &self,
        _user: UserId,
        _since: Timestamp,
        _now: Timestamp,
    ) -> Result<Vec<FeedWorth>> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
    pub async fn feed_posts(&self, _feed: FeedId, _since: Timestamp, _limit: u32) -> Result<Vec<Timestamp>> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
    pub async fn feed_opens(
        &self,
        _user: UserId,
        _feed: FeedId,
        _since: Timestamp,
    ) -> Result<Vec<Timestamp>> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
}
