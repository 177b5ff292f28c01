//! Forgetting what was only for a while: ended sessions, wrong passwords, undos, old imports, changes to items, and what
//! people did more than a year ago.

use crate::boxed;
use crate::error::Result;
use crate::follow::forget_changes;
use crate::sessions::FAILURES_FOR;
use crate::sql::{Sql, args, sql};
use crate::store::Store;
use domain::Timestamp;
use std::time::Duration;

const SESSIONS: Sql = sql!("sweeping ended sessions", "DELETE FROM session WHERE ends_at <= $1");
const FAILURES: Sql = sql!("forgetting wrong passwords", "DELETE FROM login_failure WHERE last_at < $1");
const UNDOS: Sql =
    sql!("forgetting old undos", "DELETE FROM undo WHERE made_at < $1 AND (kind <> 'read' OR made_at < $2)");
const IMPORTS: Sql = sql!("forgetting old imports", "DELETE FROM opml_import WHERE started_at < $1");
/// Numbers grow with time, so the lowest are the oldest: no index on the time alone is needed.
/// The newest stays: in an empty table SQLite counts from one again, and a `learned_to` would hide what is new.
const DEEDS: Sql = sql!(
    "forgetting old interactions",
    "DELETE FROM interaction WHERE at < $1 AND id < (SELECT MAX(n.id) FROM interaction n)
       AND id IN (SELECT x.id FROM interaction x ORDER BY x.id LIMIT $2)"
);
/// The newest stays for the same reason.
const VISITS: Sql = sql!(
    "forgetting old visits",
    "DELETE FROM access_log WHERE at < $1 AND id < (SELECT MAX(n.id) FROM access_log n)
       AND id IN (SELECT x.id FROM access_log x ORDER BY x.id LIMIT $2)"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[SESSIONS, FAILURES, UNDOS, IMPORTS, DEEDS, VISITS];

/// Leaving a feed and removing a folder can be taken back this long.
const UNDO_FOR: Duration = Duration::from_secs(60 * 60);
/// A "mark all read" can be taken back this long.
pub(crate) const UNDO_READ_FOR: Duration = Duration::from_secs(24 * 60 * 60);
const IMPORTS_FOR: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Interactions and visits: a year, and some weeks so that a year can be compared with the one before. Learning and
/// pages look back 90 days at most.
const DEEDS_FOR: Duration = Duration::from_secs(400 * 24 * 60 * 60);
/// Interactions, and as many visits, looked at by one call.
const DEEDS_MAX: i64 = 10_000;

impl Store {
    /// For housekeeping, every now and then: sweeps ended sessions, wrong passwords of more than a day ago, what undo
    /// of former subscriptions, folders and read marks needed, imports of last season, changes of last month, and a
    /// bounded number of interactions and visits of more than 400 days ago. Tells how many rows went.
    #[boxed]
    pub async fn prune(&self, now: Timestamp) -> Result<u64> {
        self.write("forgetting what was only for a while", now, |c, now| {
            Box::pin(async move {
                let ago = |span| now.saturating_sub(span);
                Ok(c.run(SESSIONS, args![*now]).await?
                    + c.run(FAILURES, args![ago(FAILURES_FOR)]).await?
                    + c.run(UNDOS, args![ago(UNDO_FOR), ago(UNDO_READ_FOR)]).await?
                    + c.run(IMPORTS, args![ago(IMPORTS_FOR)]).await?
                    + c.run(DEEDS, args![ago(DEEDS_FOR), DEEDS_MAX]).await?
                    + c.run(VISITS, args![ago(DEEDS_FOR), DEEDS_MAX]).await?
                    + forget_changes(c, *now).await?)
            })
        })
        .await
    }
}
