//! What the frame around every page shows, in one statement: it is asked with every page, and a statement each would
//! be as many round trips.

use crate::boxed;
use crate::error::Result;
use crate::people::HALTED;
use crate::planning::day_of;
use crate::sql::{Sql, args, sql};
use crate::store::Store;
use crate::types::Surroundings;
use domain::{Timestamp, UserId};

const AROUND: Sql = sql!(
    "reading what stands around a page",
    "SELECT (SELECT COUNT(*) FROM star WHERE user_id = $1),
         EXISTS (SELECT 1 FROM setting WHERE name = $3),
         (SELECT MIN(next_poll_at) FROM schedule WHERE feed_state = 'active' AND subscribers > 0),
         (SELECT CAST(COALESCE(SUM(d.polls), 0) AS BIGINT) FROM subscription u
              JOIN feed_day d ON d.feed_id = u.feed_id AND d.day = $2 WHERE u.user_id = $1),
         (SELECT value FROM setting WHERE name = $4)"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[AROUND];

impl Store {
    /// `setting` is one more thing of the whole server that the page wants to know.
    #[boxed]
    pub async fn surroundings(
        &self,
        user: UserId,
        setting: &'static str,
        now: Timestamp,
    ) -> Result<Surroundings> {
        let (starred, halted, next_due_at, polls_today, setting): (
            i64,
            bool,
            Option<i64>,
            i64,
            Option<String>,
        ) = self
            .read(AROUND.doing, (user, setting, now), |c, (user, setting, now)| {
                Box::pin(async move { c.one(AROUND, args![*user, day_of(*now), HALTED, *setting]).await })
            })
            .await?;
        let next_due_at = next_due_at.filter(|_| !halted).map(|at| Timestamp::from_micros(at).max(now));
        Ok(Surroundings {
            starred: u64::try_from(starred).unwrap_or(0),
            halted,
            next_due_at,
            polls_today: u32::try_from(polls_today).unwrap_or(u32::MAX),
            setting,
        })
    }
}
