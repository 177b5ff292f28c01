//! Removing a person with every row of theirs.

use crate::error::{Result, StoreError};
use crate::sql::Conn;
use domain::UserId;

pub(crate) async fn remove(_c: &mut Conn, _user: UserId) -> Result<()> {
    Err(StoreError::NotFound { what: "way to do this yet" })
}
