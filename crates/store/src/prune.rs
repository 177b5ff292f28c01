//! Forgetting what was only for a while: ended sessions, wrong passwords, undos, old imports, changes to items.

use crate::error::Result;
use crate::follow::forget_changes;
use crate::sessions::FAILURES_FOR;
use crate::sql::{Sql, args, sql};
use crate::store::Store;
use async_recursion::async_recursion as boxed;
use domain::Timestamp;
use std::time::Duration;

const SESSIONS: Sql = sql!("sweeping ended sessions", "DELETE FROM session WHERE ends_at <= $1");
const FAILURES: Sql = sql!("forgetting wrong passwords", "DELETE FROM login_failure WHERE last_at < $1");
const UNDOS: Sql =
    sql!("forgetting old undos", "DELETE FROM undo WHERE made_at < $1 AND (kind <> 'read' OR made_at < $2)");
const IMPORTS: Sql = sql!("forgetting old imports", "DELETE FROM opml_import WHERE started_at < $1");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[SESSIONS, FAILURES, UNDOS, IMPORTS];

/// Leaving a feed and removing a folder can be taken back this long.
const UNDO_FOR: Duration = Duration::from_secs(60 * 60);
/// A "mark all read" can be taken back this long.
pub(crate) const UNDO_READ_FOR: Duration = Duration::from_secs(24 * 60 * 60);
const IMPORTS_FOR: Duration = Duration::from_secs(90 * 24 * 60 * 60);

impl Store {
    /// For housekeeping, every now and then: sweeps ended sessions, wrong passwords of more than a day ago, what undo
    /// of former subscriptions, folders and read marks needed, imports of last season, and changes of last month. Tells
    /// how many rows went.
    #[boxed]
    pub async fn prune(&self, now: Timestamp) -> Result<u64> {
        self.write("forgetting what was only for a while", now, |c, now| {
            Box::pin(async move {
                let ago = |span| now.saturating_sub(span);
                Ok(c.run(SESSIONS, args![*now]).await?
                    + c.run(FAILURES, args![ago(FAILURES_FOR)]).await?
                    + c.run(UNDOS, args![ago(UNDO_FOR), ago(UNDO_READ_FOR)]).await?
                    + c.run(IMPORTS, args![ago(IMPORTS_FOR)]).await?
                    + forget_changes(c, *now).await?)
            })
        })
        .await
    }
}
