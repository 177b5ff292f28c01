//! A provider claimed for a request that is no poll of one of its feeds: where a redirect leads, a page, an icon.
//!
//! A claim and a lease use the same row of `provider`, so across all nodes a provider is asked by one at a time, and
//! spaced, whatever for (N21). A claim that is never given back ends by itself.

use super::{Asked, lease_one};
use crate::boxed;
use crate::error::Result;
use crate::feeds::to_json;
use crate::people::HALTED;
use crate::sql::{Sql, args, sql};
use crate::store::Store;
use crate::types::LeasedFeed;
use domain::{FeedId, Lease, Reason, Timestamp};
use std::time::Duration;

/// The right to send requests to one provider until a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderClaim {
    pub provider: String,
    pub until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    Granted(ProviderClaim),
    /// Spaced, or blocked by its own wish, until this time.
    FreeAt(Timestamp),
    /// Somebody asks it now, and holds it until then at the latest.
    Busy(Timestamp),
    /// An administrator has halted all fetching.
    Halted,
}

/// A poll that has to wait for the provider its redirect led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutOff {
    pub lease: Lease,
    pub next_poll_at: Timestamp,
    /// Where the redirect led.
    pub provider: String,
    /// The provider of the lease, and when it may be asked again.
    pub held: String,
    pub free_at: Timestamp,
}

const ADD: Sql = sql!("adding a provider",
    "INSERT INTO provider (name, free_at, busy_until, blocked_until, slot_at, requests) VALUES ($1, 0, 0, 0, 0, 0)
     ON CONFLICT (name) DO NOTHING");
const CLAIM: Sql = sql!(
    "claiming a provider",
    "UPDATE provider SET busy_until = $3, free_at = $4, requests = requests + 1
     WHERE name = $1 AND busy_until <= $2 AND free_at <= $2 AND blocked_until <= $2
       AND NOT EXISTS (SELECT 1 FROM setting WHERE name = $5) RETURNING name"
);
const WHY_NOT: Sql =
    sql!("reading why a provider is not free",
    "SELECT free_at, busy_until, blocked_until, EXISTS (SELECT 1 FROM setting WHERE name = $2) FROM provider
     WHERE name = $1");
const FREE: Sql = sql!(
    "giving a provider back",
    "UPDATE provider SET busy_until = 0, free_at = CASE WHEN free_at < $3 THEN $3 ELSE free_at END,
         blocked_until = CASE WHEN blocked_until < $4 THEN $4 ELSE blocked_until END
     WHERE name = $1 AND busy_until = $2"
);
const PUT_OFF: Sql =
    sql!("putting a poll off",
    "UPDATE schedule SET next_poll_at = $3, reason = $4, provider = $5, lease_until = NULL, lease_node = NULL
     WHERE feed_id = $1 AND lease_number = $2 AND lease_node IS NOT NULL RETURNING feed_id");
const MOVE: Sql = sql!(
    "moving a feed to another provider's queue",
    "UPDATE schedule SET provider = $2, has_slot = false WHERE feed_id = $1"
);
const PRUNE: Sql = sql!(
    "forgetting providers nobody follows",
    "DELETE FROM provider WHERE free_at < $1 AND busy_until < $1 AND blocked_until < $1
       AND name NOT IN (SELECT provider FROM schedule)"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[ADD, CLAIM, WHY_NOT, FREE, PUT_OFF, MOVE, PRUNE];

impl Store {
    /// Claims a provider for a request now; it is busy until the claim is given back, or for `busy_for`.
    #[boxed]
    pub async fn claim_provider(
        &self,
        provider: &str,
        now: Timestamp,
        spacing: Duration,
        busy_for: Duration,
    ) -> Result<Claim> {
        let until = now.saturating_add(busy_for);
        let free_at = now.saturating_add(spacing);
        self.write(CLAIM.doing, (provider.to_owned(), now, until, free_at), |c, asked| {
            Box::pin(async move {
                let (provider, now, until, free_at) = asked;
                c.run(ADD, args![provider]).await?;
                let ours: Option<(String,)> =
                    c.maybe(CLAIM, args![provider, *now, *until, *free_at, HALTED]).await?;
                if ours.is_some() {
                    return Ok(Claim::Granted(ProviderClaim { provider: provider.clone(), until: *until }));
                }
                let why: Option<(i64, i64, i64, bool)> = c.maybe(WHY_NOT, args![provider, HALTED]).await?;
                Ok(match why {
                    Some((_, _, _, true)) => Claim::Halted,
                    Some((free_at, busy_until, blocked_until, _)) if busy_until > now.micros() => {
                        Claim::Busy(Timestamp::from_micros(busy_until.max(free_at).max(blocked_until)))
                    }
                    Some((free_at, _, blocked_until, _)) => {
                        Claim::FreeAt(Timestamp::from_micros(free_at.max(blocked_until)))
                    }
                    None => Claim::FreeAt(*now),
                })
            })
        })
        .await
    }

    /// Gives a claim back: nobody asks before `free_at`, nor before `blocked_until` if the provider asked for a pause
    /// (N13). A claim that ended by itself changes nothing.
    #[boxed]
    pub async fn free_provider(
        &self,
        claim: ProviderClaim,
        free_at: Timestamp,
        blocked_until: Option<Timestamp>,
    ) -> Result<()> {
        self.write(FREE.doing, (claim, free_at, blocked_until), |c, (claim, free_at, blocked_until)| {
            Box::pin(async move {
                let blocked_until = blocked_until.unwrap_or(Timestamp::EPOCH);
                c.run(FREE, args![&claim.provider, claim.until, *free_at, blocked_until]).await?;
                Ok(())
            })
        })
        .await
    }

    /// Leases one feed whose provider the caller has claimed; the lease takes the claim's place.
    #[boxed]
    pub async fn lease_claimed(
        &self,
        feed: FeedId,
        claim: ProviderClaim,
        now: Timestamp,
        lease_for: Duration,
        spacing: Duration,
        node: &str,
    ) -> Result<Option<LeasedFeed>> {
        let asked = Asked { now, max: 1, lease_for, spacing, node: node.to_owned(), claim: Some(claim) };
        let leased = self
            .write("leasing a feed of a claimed provider", (feed, asked), |c, (feed, asked)| {
                Box::pin(async move { lease_one(c, *feed, asked).await })
            })
            .await?;
        Ok(leased.into_iter().next())
    }

    /// Ends a poll whose redirect led to a provider that is not free. Nothing is recorded; the attempt counts as the
    /// feed's last request, since its first one went out. From now on the feed waits in the queue of `provider`, where
    /// its requests really go. False when the lease was no longer ours.
    #[boxed]
    pub async fn put_off(&self, put_off: PutOff) -> Result<bool> {
        self.write(PUT_OFF.doing, put_off, |c, put_off| {
            Box::pin(async move {
                let PutOff { lease, next_poll_at, provider, held, free_at } = put_off;
                let reason = to_json(&Reason::ProviderSlot);
                c.run(ADD, args![provider]).await?;
                let ours: Option<(i64,)> = c
                    .maybe(PUT_OFF, args![lease.feed, lease.number, *next_poll_at, &reason, provider])
                    .await?;
                if ours.is_some() {
                    c.run(FREE, args![held, lease.until, *free_at, Timestamp::EPOCH]).await?;
                }
                Ok(ours.is_some())
            })
        })
        .await
    }

    /// Says which provider's queue a feed waits in: the one its requests go to.
    #[boxed]
    pub async fn move_to_provider(&self, feed: FeedId, provider: &str) -> Result<()> {
        self.write(MOVE.doing, (feed, provider.to_owned()), |c, (feed, provider)| {
            Box::pin(async move {
                c.run(ADD, args![provider]).await?;
                c.run(MOVE, args![*feed, provider]).await?;
                Ok(())
            })
        })
        .await
    }

    /// Forgets providers that no feed has and that were not asked since `before`: redirects can name any number.
    #[boxed]
    pub async fn prune_providers(&self, before: Timestamp) -> Result<u64> {
        self.write(PRUNE.doing, before, |c, before| {
            Box::pin(async move { c.run(PRUNE, args![*before]).await })
        })
        .await
    }
}
