//! A feed of one's own: credentials, or another address, for one subscriber of a shared feed.

use crate::error::{Result, StoreError};
use crate::store::Store;
use domain::{FeedId, Timestamp, UserId};

impl Store {
    pub async fn make_private(
        &self,
        _user: UserId,
        _feed: FeedId,
        _sealed: Option<Vec<u8>>,
        _new_url: Option<(String, String)>,
        _now: Timestamp,
    ) -> Result<FeedId> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
}
