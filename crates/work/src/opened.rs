//! Somebody came to read: the feeds most likely to have something for them are polled at once.
//!
//! Within every floor, the spacing per provider and a share of the budget; the page does not wait for any of it.

use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::network::Network;
use domain::{Reason, Timestamp, UserId};
use plan::{OpenShare, waiting};
use std::collections::HashMap;
use std::time::Duration;
use store::StoreError;

/// Looks closer together are one visit.
const VISIT: Duration = Duration::from_secs(30 * 60);
/// At one visit; more would keep the first ones waiting behind each other.
const FEEDS_MAX: usize = 60;
/// People whose last visit is remembered; beyond that the oldest half is forgotten.
const PEOPLE_MAX: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct Visits {
    share: OpenShare,
    last: HashMap<UserId, Timestamp>,
}

impl Visits {
    /// True when this look begins a visit.
    fn begins(&mut self, user: UserId, now: Timestamp) -> bool {
        if self.last.len() >= PEOPLE_MAX {
            let mut times: Vec<Timestamp> = self.last.values().copied().collect();
            times.sort_unstable();
            let median = times.get(times.len() / 2).copied().unwrap_or(now);
            self.last.retain(|_, at| *at > median);
        }
        let before = self.last.insert(user, now);
        before.is_none_or(|before| now.since(before) >= VISIT || before > now)
    }
}

impl<N: Network, C: Clock> Crawler<N, C> {
    /// Answers how many feeds were brought forward.
    pub async fn opened(&self, user: UserId) -> Result<usize, StoreError> {
        let now = self.clock.now();
        if !self.visits().begins(user, now) || self.store.halted().await? || self.outage().is_ours() {
            return Ok(0);
        }
        let (known, policy) = (self.knowledge().await, self.policy_now());
        let mut worth: Vec<_> = self
            .store
            .learned_of(user)
            .await?
            .into_iter()
            .filter(|one| one.schedule.next_poll_at > now)
            .filter_map(|one| {
                let expected =
                    waiting(&one.schedule, one.attention.as_ref(), &known.population, now, &policy)?;
                Some((expected, one.feed))
            })
            .collect();
        worth.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let wanted = worth.len().min(FEEDS_MAX);
        let granted = self.visits().share.take(wanted, known.polls_per_day, policy.open_share, now);
        let mut moved = 0;
        for (_, feed) in worth.into_iter().take(granted) {
            moved += usize::from(self.store.bring_forward(feed, now, Reason::Opened).await?);
        }
        Ok(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_within_half_an_hour_are_one_visit_and_people_are_bounded() {
        let at = |minute: i64| Timestamp::from_seconds(1_700_000_000 + minute * 60);
        let mut visits = Visits::default();
        assert!(visits.begins(UserId(1), at(0)));
        assert!(!visits.begins(UserId(1), at(20)));
        assert!(!visits.begins(UserId(1), at(49)), "still the same visit");
        assert!(visits.begins(UserId(1), at(80)) && visits.begins(UserId(2), at(80)));
        assert!(visits.begins(UserId(1), at(-90)), "a clock set back ends a visit");
        for user in 0..25_000 {
            visits.begins(UserId(user), at(user));
        }
        assert!(visits.last.len() <= PEOPLE_MAX);
    }
}
