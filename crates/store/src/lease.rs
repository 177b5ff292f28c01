//! Who may poll what, and when: leases, provider slots, and the few ways a next poll is moved.
//!
//! A feed is due when its time has come, it is active, somebody subscribes to it, no lease on it is valid and nobody
//! pulled the emergency stop. A lease carries a number that grows with every lease of the feed; a commit under an
//! older number is refused.
//!
//! **A crash cannot cause an early poll (promise 3).** When a feed is leased its request may go out at any moment, so
//! the lease itself moves `next_poll_at` to now plus the feed's floor (never less than the lease), before anything is
//! sent. A commit or a release replaces that time; a crash leaves it. A feed that was never polled has no floor of its
//! own yet and gets [`crate::StoreConfig::first_floor`]: its request may have gone out just the same. What `leased_at`
//! then still says is counted as the feed's last request.
//!
//! **One poll at a time per provider, spaced (N21).** A due feed whose provider is not free gets a place in that
//! provider's queue: its `next_poll_at` moves to the next free slot and the provider's slot cursor moves on by one
//! spacing. So 500 feeds of one host due at once are spread out by one call and are not looked at again before their
//! slot.

use crate::boxed;
use crate::error::Result;
use crate::feeds::{FeedRow, schedule, to_json};
use crate::people::HALTED;
use crate::planning::attention_of;
use crate::sql::{Conn, Sql, args, json_rows, row, sql};
use crate::store::Store;
use crate::types::LeasedFeed;
use domain::{FeedId, Lease, Reason, Timestamp};
use serde::Serialize;
use std::collections::HashMap;
use std::time::Duration;

pub(crate) mod claim;
pub(crate) mod wishes;
pub use claim::{Claim, ProviderClaim, PutOff};

const DUE: Sql = sql!("finding due feeds",
    "SELECT t.feed_id, t.provider, t.has_slot FROM schedule t
     WHERE t.next_poll_at <= $1 AND t.feed_state = 'active' AND t.subscribers > 0
       AND (t.lease_until IS NULL OR t.lease_until <= $1)
       AND NOT EXISTS (SELECT 1 FROM setting WHERE name = $3)
     ORDER BY t.next_poll_at LIMIT $2" lock_free);
const ONE: Sql = sql!("finding one feed to poll",
    "SELECT t.feed_id, t.provider, t.has_slot FROM schedule t
     WHERE t.feed_id = $1 AND (t.lease_until IS NULL OR t.lease_until <= $2)
       AND NOT EXISTS (SELECT 1 FROM setting WHERE name = $3)" lock_free);
const PROVIDERS: Sql = sql!("reading providers",
    "SELECT t.name, t.free_at, t.busy_until, t.blocked_until, t.slot_at
     FROM provider t JOIN " rows " ON t.name = r.value ->> 'name' ORDER BY t.name" lock_free);
const LEASED: Sql = sql!("reading the feeds to poll",
    "SELECT " feed_columns ", s.next_poll_at, s.reason, s.state, s.subscribers, s.provider, s.floor_s,
         s.lease_number, s.leased_at, s.attention, k.sealed
     FROM " rows " JOIN schedule s ON s.feed_id = CAST(r.value ->> 'feed' AS BIGINT)
     JOIN feed f ON f.id = s.feed_id LEFT JOIN feed_secret k ON k.feed_id = s.feed_id");
const LEASE: Sql = sql!("leasing feeds",
    "UPDATE schedule SET lease_number = CAST(r.value ->> 'number' AS BIGINT), lease_until = $2, lease_node = $3,
         leased_at = $4, has_slot = false, next_poll_at = CAST(r.value ->> 'at' AS BIGINT),
         reason = r.value ->> 'reason', state = COALESCE(r.value ->> 'state', state)
     FROM " rows " WHERE feed_id = CAST(r.value ->> 'feed' AS BIGINT)");
const DEFER: Sql = sql!("giving feeds a place in their provider's queue",
    "UPDATE schedule SET next_poll_at = CAST(r.value ->> 'at' AS BIGINT), reason = $2, has_slot = true
     FROM " rows " WHERE feed_id = CAST(r.value ->> 'feed' AS BIGINT)");
const SET_PROVIDERS: Sql = sql!("moving providers' slots",
    "UPDATE provider SET free_at = CAST(r.value ->> 'free_at' AS BIGINT),
         busy_until = CAST(r.value ->> 'busy_until' AS BIGINT), slot_at = CAST(r.value ->> 'slot_at' AS BIGINT)
     FROM " rows " WHERE name = r.value ->> 'name'");
const RELEASE: Sql = sql!("giving a lease back",
    "UPDATE schedule SET next_poll_at = $3, reason = $4, lease_until = NULL, lease_node = NULL, leased_at = NULL
     WHERE feed_id = $1 AND lease_number = $2 AND lease_node IS NOT NULL RETURNING provider");
const FREE_PROVIDER: Sql =
    sql!("freeing a provider", "UPDATE provider SET busy_until = 0 WHERE name = $1 AND busy_until = $2");

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[DUE, ONE, PROVIDERS, LEASED, LEASE, DEFER, SET_PROVIDERS, RELEASE, FREE_PROVIDER];

/// Feeds whose provider is not free only get a slot; then more are looked at, this often at most.
const SCANS_MAX: usize = 4;
/// Due feeds looked at together.
const SCAN_FEEDS_MAX: usize = 512;

impl Store {
    /// Leases up to `max` due feeds, at most one per provider, and gives the others of those providers a slot.
    #[boxed]
    pub async fn lease_due(
        &self,
        now: Timestamp,
        max: usize,
        lease_for: Duration,
        spacing: Duration,
        node: &str,
    ) -> Result<Vec<LeasedFeed>> {
        let asked = Asked { now, max, lease_for, spacing, node: node.to_owned(), claim: None };
        self.write("leasing due feeds", asked, |c, asked| {
            Box::pin(async move {
                let mut leased = Vec::new();
                for _ in 0..SCANS_MAX {
                    let wanted = asked.max.saturating_sub(leased.len()).min(SCAN_FEEDS_MAX);
                    let limit = i64::try_from(wanted).unwrap_or(i64::MAX);
                    let due: Vec<DueRow> = c.all(DUE, args![asked.now, limit, HALTED]).await?;
                    let were_all = due.len() < wanted;
                    leased.extend(lease(c, asked, due, wanted, Otherwise::Queue).await?);
                    if were_all || leased.len() >= asked.max {
                        break;
                    }
                }
                Ok(leased)
            })
        })
        .await
    }

    /// For a person's "poll now"; the caller has checked the feed's floors. None when the feed is already being
    /// polled, its provider is busy, spaced or blocked ([`Store::provider`] says until when), or fetching is halted.
    #[boxed]
    pub async fn lease_feed(
        &self,
        feed: FeedId,
        now: Timestamp,
        lease_for: Duration,
        spacing: Duration,
        node: &str,
    ) -> Result<Option<LeasedFeed>> {
        let asked = Asked { now, max: 1, lease_for, spacing, node: node.to_owned(), claim: None };
        let leased = self
            .write("leasing a feed", (feed, asked), |c, (feed, asked)| {
                Box::pin(async move { lease_one(c, *feed, asked).await })
            })
            .await?;
        Ok(leased.into_iter().next())
    }

    /// Gives a lease back without a request having been sent. False when the lease was no longer ours.
    #[boxed]
    pub async fn release(&self, lease: Lease, next_poll_at: Timestamp, reason: Reason) -> Result<bool> {
        self.write(RELEASE.doing, (lease, next_poll_at, to_json(&reason)), |c, (lease, at, reason)| {
            Box::pin(async move {
                let ours: Option<(String,)> =
                    c.maybe(RELEASE, args![lease.feed, lease.number, *at, reason]).await?;
                let Some((provider,)) = ours else { return Ok(false) };
                c.run(FREE_PROVIDER, args![&provider, lease.until]).await?;
                Ok(true)
            })
        })
        .await
    }
}

struct Asked {
    now: Timestamp,
    max: usize,
    lease_for: Duration,
    spacing: Duration,
    node: String,
    /// Held by the caller: free for this lease and for no other.
    claim: Option<ProviderClaim>,
}

/// What happens to a due feed whose provider is not free.
#[derive(Clone, Copy, PartialEq)]
enum Otherwise {
    Queue,
    Leave,
}

/// Feed, provider, has a slot.
type DueRow = (i64, String, bool);

async fn lease_one(c: &mut Conn, feed: FeedId, asked: &Asked) -> Result<Vec<LeasedFeed>> {
    let mut one: Vec<DueRow> = c.all(ONE, args![feed, asked.now, HALTED]).await?;
    // A person does not wait behind the provider's queue, only for its spacing.
    one.iter_mut().for_each(|row| row.2 = true);
    lease(c, asked, one, 1, Otherwise::Leave).await
}

async fn lease(
    c: &mut Conn,
    asked: &Asked,
    due: Vec<DueRow>,
    leases_max: usize,
    otherwise: Otherwise,
) -> Result<Vec<LeasedFeed>> {
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let mut names: Vec<Name<'_>> = due.iter().map(|(_, name, _)| Name { name }).collect();
    names.sort_unstable();
    names.dedup();
    let rows: Vec<(String, i64, i64, i64, i64)> = c.all(PROVIDERS, args![&json_rows(&names)]).await?;
    let mut providers: HashMap<String, Provider> = rows.into_iter().map(Provider::keyed).collect();
    if let Some(claim) = &asked.claim
        && let Some(provider) = providers.get_mut(&claim.provider)
        && provider.busy_until == claim.until.micros()
    {
        (provider.busy_until, provider.free_at) = (0, 0);
    }
    let mut allotted = allot(&due, &mut providers, asked, leases_max);
    if otherwise == Otherwise::Leave && allotted.lease.is_empty() {
        return Ok(Vec::new());
    }
    let leased = take_leases(c, asked, &std::mem::take(&mut allotted.lease)).await?;
    if !allotted.defer.is_empty() {
        let reason = to_json(&Reason::ProviderSlot);
        c.run(DEFER, args![&json_rows(&allotted.defer), &reason]).await?;
    }
    let moved: Vec<&Provider> = providers.values().filter(|provider| provider.moved).collect();
    if !moved.is_empty() {
        c.run(SET_PROVIDERS, args![&json_rows(&moved)]).await?;
    }
    Ok(leased)
}

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct Name<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct FeedAt {
    feed: i64,
    at: i64,
}

/// A provider's clock, in microseconds.
#[derive(Debug, Clone, Default, Serialize)]
struct Provider {
    name: String,
    free_at: i64,
    busy_until: i64,
    #[serde(skip)]
    blocked_until: i64,
    slot_at: i64,
    #[serde(skip)]
    moved: bool,
}

impl Provider {
    fn keyed(
        (name, free_at, busy_until, blocked_until, slot_at): (String, i64, i64, i64, i64),
    ) -> (String, Self) {
        (name.clone(), Provider { name, free_at, busy_until, blocked_until, slot_at, moved: false })
    }

    fn is_free(&self, now: i64, has_slot: bool) -> bool {
        let queue_is_empty = has_slot || self.slot_at <= now;
        self.blocked_until <= now && self.busy_until <= now && self.free_at <= now && queue_is_empty
    }

    fn next_slot(&mut self, now: i64, spacing: i64) -> i64 {
        let earliest = [self.slot_at, self.free_at, self.blocked_until, now.saturating_add(spacing)];
        let slot = earliest.into_iter().max().unwrap_or(now);
        self.slot_at = slot.saturating_add(spacing);
        self.moved = true;
        slot
    }
}

#[derive(Default)]
struct Allotted {
    lease: Vec<FeedAt>,
    defer: Vec<FeedAt>,
}

/// Decides, in order of due time, which feeds are leased now and which get a slot.
fn allot(
    due: &[DueRow],
    providers: &mut HashMap<String, Provider>,
    asked: &Asked,
    leases_max: usize,
) -> Allotted {
    let now = asked.now.micros();
    let spacing = i64::try_from(asked.spacing.as_micros()).unwrap_or(i64::MAX);
    let mut allotted = Allotted::default();
    for (feed, name, has_slot) in due {
        if allotted.lease.len() >= leases_max {
            break;
        }
        // Locked by another node at this moment: it will be due again in a moment.
        let Some(provider) = providers.get_mut(name) else { continue };
        if provider.is_free(now, *has_slot) {
            provider.busy_until = asked.now.saturating_add(asked.lease_for).micros();
            provider.free_at = now.saturating_add(spacing);
            provider.moved = true;
            allotted.lease.push(FeedAt { feed: *feed, at: now });
        } else {
            allotted.defer.push(FeedAt { feed: *feed, at: provider.next_slot(now, spacing) });
        }
    }
    allotted
}

row! {
    struct LeasedRow {
        ..feed: FeedRow,
        next_poll_at: i64,
        reason: String,
        state: String,
        subscribers: i64,
        provider: String,
        floor_s: i64,
        lease_number: i64,
        leased_at: Option<i64>,
        attention: Option<String>,
        sealed: Option<Vec<u8>>,
    }
}

#[derive(Serialize)]
struct LeaseRow {
    feed: i64,
    number: i64,
    at: i64,
    reason: String,
    /// Only after a crash: the schedule with the lost attempt counted as a request.
    state: Option<String>,
}

async fn take_leases(c: &mut Conn, asked: &Asked, wanted: &[FeedAt]) -> Result<Vec<LeasedFeed>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let until = asked.now.saturating_add(asked.lease_for);
    let rows: Vec<LeasedRow> = c.all(LEASED, args![&json_rows(wanted)]).await?;
    let mut leases = Vec::with_capacity(rows.len());
    let mut leased = Vec::with_capacity(rows.len());
    for row in rows {
        let schedule = schedule(&row.state, row.next_poll_at, &row.reason, row.leased_at)?;
        let floor = Duration::from_secs(u64::try_from(row.floor_s).unwrap_or(0)).max(asked.lease_for);
        let number = row.lease_number.saturating_add(1);
        leases.push(LeaseRow {
            feed: row.feed.id,
            number,
            at: asked.now.saturating_add(floor).micros(),
            reason: to_json(&Reason::OwnFloor { minutes: floor.as_secs() / 60 }),
            state: row.leased_at.map(|_| to_json(&schedule)),
        });
        leased.push(LeasedFeed {
            lease: Lease { feed: FeedId(row.feed.id), number, until },
            feed: row.feed.feed()?,
            schedule,
            subscribers: u32::try_from(row.subscribers).unwrap_or(0),
            attention: row.attention.as_deref().and_then(attention_of),
            sealed: row.sealed,
            provider: row.provider,
        });
    }
    c.run(LEASE, args![&json_rows(&leases), until, &asked.node, asked.now]).await?;
    Ok(leased)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(now_s: i64) -> Asked {
        Asked {
            now: Timestamp::from_seconds(now_s),
            max: 500,
            lease_for: Duration::from_secs(60),
            spacing: Duration::from_secs(2),
            node: "n".into(),
            claim: None,
        }
    }

    fn one_provider() -> HashMap<String, Provider> {
        [("p".to_owned(), Provider { name: "p".into(), ..Provider::default() })].into()
    }

    #[test]
    fn n21_five_hundred_feeds_of_one_host_are_spread_over_sixteen_minutes() {
        let due: Vec<DueRow> = (0..500).map(|feed| (feed, "p".to_owned(), false)).collect();
        let allotted = allot(&due, &mut one_provider(), &asked(1_000), 500);
        assert_eq!(allotted.lease.len(), 1);
        let last = allotted.defer.last().map(|slot| Timestamp::from_micros(slot.at).seconds());
        assert!(last >= Some(1_000 + 16 * 60), "{last:?}");
        assert!(allotted.defer.windows(2).all(|pair| pair[1].at - pair[0].at >= 2_000_000));
    }

    #[test]
    fn a_feed_in_its_slot_goes_before_one_without() {
        let mut providers = one_provider();
        providers.entry("p".into()).and_modify(|p| p.slot_at = Timestamp::from_seconds(1_010).micros());
        let due = [(1, "p".to_owned(), false), (2, "p".to_owned(), true)];
        let allotted = allot(&due, &mut providers, &asked(1_000), 10);
        assert_eq!(allotted.lease.iter().map(|l| l.feed).collect::<Vec<_>>(), [2]);
        assert_eq!(allotted.defer.iter().map(|d| d.at).collect::<Vec<_>>(), [1_010_000_000]);
    }

    #[test]
    fn n13_a_blocked_provider_gives_no_slot_before_the_block_ends() {
        let mut providers = one_provider();
        providers.entry("p".into()).and_modify(|p| p.blocked_until = Timestamp::from_seconds(5_000).micros());
        let due = [(1, "p".to_owned(), true), (2, "p".to_owned(), false)];
        let allotted = allot(&due, &mut providers, &asked(1_000), 10);
        assert!(allotted.lease.is_empty());
        assert_eq!(allotted.defer.iter().map(|d| d.at).collect::<Vec<_>>(), [5_000_000_000, 5_002_000_000]);
    }
}
