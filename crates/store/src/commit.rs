//! Storing polls: the feed's schedule, its items, the poll record and the provider's clock, together or not at all.
//!
//! Polls waiting at the same time are stored by the same statements: an unchanged feed costs three statements however
//! many come with it, a feed with new items some ten. The writer hands over a batch with each feed at most once.
//!
//! Nothing here trusts the caller's recognition of items: a name is taken by an insert that the primary key guards,
//! so an item cannot be stored twice whatever raced (promise 1).

use crate::commit::items::{Kept, store_items};
use crate::error::Result;
use crate::feeds::to_json;
use crate::leave::drop_validators;
use crate::planning::{DEMAND_UNITS, Deed, FIXED_UNITS, add_days};
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::types::{Committed, PollCommit};
use domain::{FeedId, Planned, PostingRate, Timestamp};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

mod adopt;
pub(crate) mod effects;
pub(crate) mod items;

/// Only the newest lease may write; a person's pause made meanwhile stays.
const FENCE: Sql = sql!("checking leases and scheduling next polls",
    "UPDATE schedule SET next_poll_at = CAST(r.value ->> 'next' AS BIGINT), reason = r.value ->> 'reason',
         state = r.value ->> 'state', floor_s = CAST(r.value ->> 'floor' AS BIGINT),
         feed_state = CASE WHEN feed_state = 'paused' AND r.value ->> 'feed_state' = 'active' THEN 'paused'
             ELSE r.value ->> 'feed_state' END,
         has_slot = false, lease_until = NULL, lease_node = NULL, leased_at = NULL,
         failures = CAST(r.value ->> 'failures' AS BIGINT),
         failing_since = CAST(r.value ->> 'failing_since' AS BIGINT),
         last_success_at = CAST(r.value ->> 'last_success_at' AS BIGINT),
         milliposts_per_day = CAST(r.value ->> 'milliposts_per_day' AS BIGINT),
         demand = CAST(r.value ->> 'demand' AS BIGINT), fixed_polls = CAST(r.value ->> 'fixed_polls' AS BIGINT),
         last_outcome = r.value ->> 'outcome', last_error = r.value ->> 'error'
     FROM " rows "
     WHERE feed_id = CAST(r.value ->> 'feed' AS BIGINT) AND lease_number = CAST(r.value ->> 'number' AS BIGINT)
       AND lease_node IS NOT NULL
     RETURNING feed_id, provider, subscribers");
const ADD_POLLS: Sql = sql!("recording polls",
    "INSERT INTO poll (feed_id, started_at, finished_at, outcome, http_status, wire_bytes, items_seen, items_new,
         items_changed, error)
     SELECT CAST(r.value ->> 'feed' AS BIGINT), CAST(r.value ->> 'started' AS BIGINT),
         CAST(r.value ->> 'finished' AS BIGINT), r.value ->> 'outcome', CAST(r.value ->> 'status' AS BIGINT),
         CAST(r.value ->> 'bytes' AS BIGINT), CAST(r.value ->> 'seen' AS BIGINT), CAST(r.value ->> 'new' AS BIGINT),
         CAST(r.value ->> 'changed' AS BIGINT), r.value ->> 'error'
     FROM " rows);
const SET_PROVIDERS: Sql = sql!("moving providers' clocks",
    "UPDATE provider SET requests = requests + CAST(r.value ->> 'requests' AS BIGINT),
         free_at = CASE WHEN free_at < CAST(r.value ->> 'free_at' AS BIGINT)
             THEN CAST(r.value ->> 'free_at' AS BIGINT) ELSE free_at END,
         blocked_until = CASE WHEN blocked_until < CAST(r.value ->> 'blocked_until' AS BIGINT)
             THEN CAST(r.value ->> 'blocked_until' AS BIGINT) ELSE blocked_until END,
         busy_until = CASE WHEN busy_until = CAST(r.value ->> 'lease_until' AS BIGINT) THEN 0 ELSE busy_until END
     FROM " rows " WHERE name = r.value ->> 'name'");
const SET_FACTS: Sql = sql!("keeping what feeds say about themselves",
    "UPDATE feed SET title = r.value ->> 'title', site_url = COALESCE(r.value ->> 'site_url', site_url),
         description = r.value ->> 'description', language = r.value ->> 'language', icon_url = r.value ->> 'icon_url',
         format = r.value ->> 'format', hubs = r.value ->> 'hubs',
         noindex = (CAST(r.value ->> 'noindex' AS BIGINT) = 1)
     FROM " rows " WHERE id = CAST(r.value ->> 'feed' AS BIGINT)");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[FENCE, ADD_POLLS, SET_PROVIDERS, SET_FACTS];
#[cfg(test)]
pub(crate) use adopt::ALL as ADOPT_ALL;

pub(crate) async fn commit_polls(c: &mut Conn, commits: &[PollCommit]) -> Result<Vec<Committed>> {
    let accepted = fence(c, commits).await?;
    let ours: Vec<&PollCommit> = commits.iter().filter(|p| accepted.contains_key(&p.lease.feed.0)).collect();
    let mut kept = store_items(c, &ours).await?;
    effects::apply(c, &ours, &kept).await?;
    record_polls(c, &ours, &kept).await?;
    move_providers(c, &ours, &accepted).await?;
    keep_facts(c, &ours).await?;
    let mut answers = Vec::with_capacity(commits.len());
    for commit in commits {
        let feed = commit.lease.feed;
        let Some(fenced) = accepted.get(&feed.0) else {
            answers.push(Committed::default());
            continue;
        };
        if fenced.subscribers <= 0 && !commit.schedule.validators.is_empty() {
            // The last subscriber left while the poll was under way (B7).
            drop_validators(c, feed, &to_json(&commit.schedule)).await?;
        }
        let merged_into = match &commit.adopt_url {
            Some((url, provider)) => adopt::adopt(c, feed, url, provider, commit.record.finished_at).await?,
            None => None,
        };
        let Kept { new_items, changed, .. } = kept.remove(&feed.0).unwrap_or_default();
        answers.push(Committed { accepted: true, new_items, changed, merged_into });
    }
    Ok(answers)
}

struct Fenced {
    provider: String,
    subscribers: i64,
}

/// The feeds whose lease still is the newest; their schedules are written.
async fn fence(c: &mut Conn, commits: &[PollCommit]) -> Result<HashMap<i64, Fenced>> {
    #[derive(Serialize)]
    struct Row {
        feed: FeedId,
        number: i64,
        next: i64,
        reason: String,
        state: String,
        floor: u64,
        feed_state: &'static str,
        failures: u32,
        failing_since: Option<i64>,
        last_success_at: Option<i64>,
        milliposts_per_day: Option<i64>,
        demand: i64,
        fixed_polls: i64,
        outcome: &'static str,
        error: Option<String>,
    }
    let row = |commit: &PollCommit| Row {
        feed: commit.lease.feed,
        number: commit.lease.number,
        next: commit.schedule.next_poll_at.micros(),
        reason: to_json(&commit.schedule.reason),
        state: to_json(&commit.schedule),
        floor: commit.floor.as_secs(),
        feed_state: commit.state.name(),
        failures: commit.schedule.failures,
        failing_since: commit.schedule.failing_since.map(Timestamp::micros),
        last_success_at: commit.schedule.last_success_at.map(Timestamp::micros),
        milliposts_per_day: milliposts_per_day(&commit.schedule.rate),
        demand: asked_of_the_budget(&commit.schedule.plan).0,
        fixed_polls: asked_of_the_budget(&commit.schedule.plan).1,
        outcome: commit.record.outcome.name(),
        error: commit.record.error.clone(),
    };
    let rows: Vec<Row> = commits.iter().map(row).collect();
    let fenced: Vec<(i64, String, i64)> = c.all(FENCE, args![&json_rows(&rows)]).await?;
    Ok(fenced
        .into_iter()
        .map(|(feed, provider, subscribers)| (feed, Fenced { provider, subscribers }))
        .collect())
}

/// None before anything was observed.
#[expect(clippy::cast_possible_truncation, reason = "a float cast saturates, and is bounded before")]
fn milliposts_per_day(rate: &PostingRate) -> Option<i64> {
    let per_day = rate.posts / rate.exposure_days;
    (rate.exposure_days > 0.0 && per_day.is_finite()).then(|| (per_day.clamp(0.0, 1e9) * 1e3) as i64)
}

/// Demand and fixed polls of the plan in force, in the units of their columns.
#[expect(clippy::cast_possible_truncation, reason = "a float cast saturates, and is bounded before")]
fn asked_of_the_budget(plan: &Planned) -> (i64, i64) {
    // A million feeds at these bounds still add up; what is no number asks for nothing.
    if plan.fixed {
        (0, (plan.polls_per_day.clamp(0.0, 1e6) * FIXED_UNITS) as i64)
    } else {
        ((plan.demand.clamp(0.0, 1e6) * DEMAND_UNITS) as i64, 0)
    }
}

async fn record_polls(c: &mut Conn, commits: &[&PollCommit], kept: &HashMap<i64, Kept>) -> Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        feed: FeedId,
        started: i64,
        finished: i64,
        outcome: &'static str,
        status: Option<u16>,
        bytes: u64,
        seen: u32,
        new: usize,
        changed: u32,
        error: Option<&'a str>,
    }
    let row = |commit: &&'_ PollCommit| {
        let (record, kept) = (&commit.record, kept.get(&commit.lease.feed.0));
        Row {
            feed: commit.lease.feed,
            started: record.started_at.micros(),
            finished: record.finished_at.micros(),
            outcome: record.outcome.name(),
            status: record.http_status,
            bytes: record.wire_bytes.min(i64::MAX.unsigned_abs()),
            seen: record.items_seen,
            // What was really stored, not what the caller expected to be new.
            new: kept.map_or(0, |kept| kept.new_items.len()),
            changed: kept.map_or(0, |kept| kept.changed),
            error: None,
        }
    };
    let mut rows: Vec<Row<'_>> = commits.iter().map(row).collect();
    for (row, commit) in rows.iter_mut().zip(commits) {
        row.error = commit.record.error.as_deref();
    }
    if !rows.is_empty() {
        c.run(ADD_POLLS, args![&json_rows(&rows)]).await?;
    }
    let deed = |commit: &&PollCommit| Deed {
        feed: commit.lease.feed,
        at: commit.record.finished_at,
        is_fruitful: kept.get(&commit.lease.feed.0).is_some_and(|kept| !kept.new_items.is_empty()),
        found: commit.found,
    };
    add_days(c, &commits.iter().map(deed).collect::<Vec<_>>()).await
}

async fn move_providers(c: &mut Conn, commits: &[&PollCommit], fenced: &HashMap<i64, Fenced>) -> Result<()> {
    #[derive(Serialize, Default)]
    struct Row<'a> {
        name: &'a str,
        requests: u64,
        free_at: i64,
        blocked_until: i64,
        lease_until: i64,
    }
    // Sorted by name, so that two nodes lock providers in the same order.
    let mut rows: BTreeMap<&str, Row<'_>> = BTreeMap::new();
    for commit in commits {
        let Some(fenced) = fenced.get(&commit.lease.feed.0) else { continue };
        let row = rows.entry(&fenced.provider).or_default();
        row.name = &fenced.provider;
        row.requests += 1;
        row.free_at = row.free_at.max(commit.provider_free_at.micros());
        row.blocked_until = row.blocked_until.max(commit.provider_blocked_until.map_or(0, Timestamp::micros));
        row.lease_until = row.lease_until.max(commit.lease.until.micros());
    }
    if !rows.is_empty() {
        let rows: Vec<_> = rows.into_values().collect();
        c.run(SET_PROVIDERS, args![&json_rows(&rows)]).await?;
    }
    Ok(())
}

async fn keep_facts(c: &mut Conn, commits: &[&PollCommit]) -> Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        feed: FeedId,
        title: Option<&'a str>,
        site_url: Option<&'a str>,
        description: Option<&'a str>,
        language: Option<&'a str>,
        icon_url: Option<&'a str>,
        format: Option<&'a str>,
        hubs: String,
        noindex: u8,
    }
    let mut rows = Vec::new();
    for commit in commits {
        if let Some(facts) = &commit.facts {
            rows.push(Row {
                feed: commit.lease.feed,
                title: facts.title.as_deref(),
                site_url: facts.site_url.as_deref(),
                description: facts.description.as_deref(),
                language: facts.language.as_deref(),
                icon_url: facts.icon_url.as_deref(),
                format: facts.format.as_deref(),
                hubs: to_json(&facts.hubs),
                noindex: u8::from(facts.noindex),
            });
        }
    }
    if !rows.is_empty() {
        c.run(SET_FACTS, args![&json_rows(&rows)]).await?;
    }
    Ok(())
}
