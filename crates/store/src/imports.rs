//! Imports: which feeds one brought, and how far they have come.

use crate::error::{Result, StoreError};
use crate::store::Store;
use crate::types::ImportProgress;
use domain::{FeedId, ImportId, Timestamp, UserId};

impl Store {
    pub async fn add_import(
        &self,
        _user: UserId,
        _name: &str,
        _feeds: &[FeedId],
        _left_out: u64,
        _now: Timestamp,
    ) -> Result<ImportId> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
    pub async fn import(&self, _user: UserId, _id: ImportId) -> Result<Option<ImportProgress>> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
    pub async fn newest_import(&self, _user: UserId) -> Result<Option<ImportId>> {
        Err(StoreError::NotFound { what: "way to do this yet" })
    }
}
