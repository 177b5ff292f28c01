//! People.

use crate::id::UserId;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    pub name: String,
    pub is_admin: bool,
    pub created_at: Timestamp,
}
