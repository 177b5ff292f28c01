//! Feed credentials, sealed with a key that is not in the database (O8).
use crate::error::Result;
use domain::secret::FeedSecrets;
use std::path::Path;
#[derive(Clone)]
pub struct SecretKey([u8; 32]);
impl SecretKey {
    pub fn load_or_create(path: &Path) -> Result<SecretKey> { unimplemented!() }
    /// `context` is the feed's address: a sealed text moved to another feed does not open.
    pub fn seal(&self, secrets: &FeedSecrets, context: &str) -> Result<Vec<u8>> { unimplemented!() }
    pub fn open(&self, sealed: &[u8], context: &str) -> Result<FeedSecrets> { unimplemented!() }
}
