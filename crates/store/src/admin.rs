//! The operator's view.

use crate::error::{Result, StoreError};
use crate::store::Store;
use crate::types::{FailingFeed, ServerOverview};
use domain::Timestamp;

impl Store {
    pub async fn server_overview(&self, _now: Timestamp) -> Result<ServerOverview> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
    pub async fn failing_feeds(&self, _limit: u32) -> Result<Vec<FailingFeed>> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
    pub async fn polls_by_hour(&self, _since: Timestamp) -> Result<Vec<(Timestamp, u64, u64, u64)>> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
    pub async fn prune(&self, _now: Timestamp) -> Result<u64> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
}
