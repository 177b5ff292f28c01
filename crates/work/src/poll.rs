//! One poll, from a leased feed to a committed result.
//!
//! fetch → read (parse on the CPU pool) → recognise → sift → plan → commit. The poll, its items, its validators and
//! the next poll time commit together (promise 1), under the lease's fencing number.

mod past;

use crate::clock::Clock;
use crate::cpu::CpuFailure;
use crate::crawler::Crawler;
use crate::full_text::PER_POLL_MAX;
use crate::network::Network;
use crate::orders::NewItem;
use crate::outlook::Knowledge;
use crate::preview::{Digest, digest};
use crate::sift::{Sifted, sift};
use crate::words;
use domain::secret::FeedSecrets;
use domain::{
    Attention, DocumentItem, FeedFacts, FeedId, Found, ItemId, Limits, Parsed, PollOutcome, PollRecord,
    Reason, Schedule, Timestamp, Validators,
};
use fetch::{Answer, FeedRequest, Gate, Held, Outcome};
use plan::{After, DocumentSeen, Observation, Outlook, Policy, Unit, after_poll, found};
use std::sync::Arc;
use std::time::Duration;
use store::{ItemKind, ItemWrite, LeasedFeed, PollCommit, PutOff, Recognised, StoreError};
use url::Url;

/// What happened, for the terminal and the log.
#[derive(Debug, Clone)]
pub struct PollReport {
    pub url: String,
    pub record: PollRecord,
    pub next_poll_at: Timestamp,
    pub reason: Reason,
    /// False when a later lease had overtaken this poll: nothing was written.
    pub accepted: bool,
}

/// How a poll ended.
pub(crate) enum Ended {
    Polled(Box<PollReport>),
    /// A redirect led to a provider that was not free; nothing is known yet.
    PutOff(Timestamp),
}

impl Ended {
    fn polled(report: PollReport) -> Self {
        Ended::Polled(Box::new(report))
    }

    pub(crate) fn report(self) -> Option<PollReport> {
        match self {
            Ended::Polled(report) => Some(*report),
            Ended::PutOff(_) => None,
        }
    }
}

/// Feeds put off at the same moment come back this far apart.
const PUT_OFF_SPREAD: Duration = Duration::from_secs(15 * 60);

/// What the bytes turned out to be.
struct Reading {
    outcome: PollOutcome,
    error: Option<String>,
    parsed: Option<Parsed>,
    body_hash: Option<u64>,
    distrust_validators: bool,
}

/// A document's items, ready to be written.
#[derive(Default)]
struct Packed {
    writes: Vec<ItemWrite>,
    new_dates: Vec<Option<Timestamp>>,
    changed: u32,
    /// For the subscribers' rules.
    new: Vec<NewItem>,
    /// When each new item is sorted and where its page is, in the order of `writes`.
    pages: Vec<(Timestamp, Option<String>)>,
}

/// What a poll showed, with all that planning needs: it crosses to the CPU pool.
#[derive(Clone)]
struct Sight {
    before: Schedule,
    attention: Option<Attention>,
    feed_url: String,
    permanent_to: Option<String>,
    outcome: PollOutcome,
    at: Timestamp,
    retry_after: Option<Timestamp>,
    fresh_for: Option<Duration>,
    validators: Validators,
    distrust_validators: bool,
    body_hash: Option<u64>,
    document: Option<DocumentSeen>,
}

impl Sight {
    fn plan(self, known: &Knowledge, policy: &Policy, dice: Unit) -> (After, Found) {
        let observation = Observation {
            outcome: self.outcome,
            at: self.at,
            feed_url: &self.feed_url,
            retry_after: self.retry_after,
            fresh_for: self.fresh_for,
            validators: self.validators,
            distrust_validators: self.distrust_validators,
            body_hash: self.body_hash,
            permanent_to: self.permanent_to.as_deref(),
            document: self.document,
        };
        let outlook =
            Outlook { price: known.price, population: &known.population, attention: self.attention.as_ref() };
        let after = after_poll(&self.before, &observation, &outlook, policy, dice);
        (after, found(&self.before, &observation))
    }
}

impl Reading {
    fn of(outcome: PollOutcome, error: Option<String>) -> Self {
        Reading { outcome, error, parsed: None, body_hash: None, distrust_validators: false }
    }
}

impl<N: Network, C: Clock> Crawler<N, C> {
    pub(crate) async fn poll(&self, leased: LeasedFeed) -> Result<Ended, StoreError> {
        let started_at = self.clock.now();
        let gate = self.poll_gate(&leased.provider);
        let request = match self.request(&leased, gate.handle()) {
            Ok(request) => request,
            Err(sentence) => {
                let refused = Reading::of(PollOutcome::Refused, Some(sentence));
                return self.finish(leased, started_at, None, refused).await.map(Ended::polled);
            }
        };
        let answer = self.network.feed(&request, started_at).await;
        let asked_own = gate.asked(&leased.provider);
        gate.release(Some(&answer), self.block(&answer)).await;
        if let Outcome::Held(held) = answer.outcome {
            return self.put_off(leased, held, gate.stopped_at()).await;
        }
        let own = fetch::provider(&request.url);
        let feed =
            (leased.provider != own && !asked_own && answer.permanent_to.is_none()).then_some(leased.feed.id);
        let report = self.conclude(leased, started_at, answer).await?;
        if let Some(feed) = feed {
            // It waited in the queue of a provider that its redirect no longer leads to.
            self.store.move_to_provider(feed, &own).await?;
        }
        Ok(Ended::polled(report))
    }

    /// A redirect led to a provider that is not free. The feed is not blamed; it comes back after its floor, because
    /// its own server was asked, and then in the other provider's queue.
    async fn put_off(
        &self,
        leased: LeasedFeed,
        held: Held,
        stopped_at: Option<String>,
    ) -> Result<Ended, StoreError> {
        let now = self.clock.now();
        let floor = match leased.schedule.last_success_at {
            Some(_) => self.policy.own_floor,
            // Nobody has seen anything of this feed yet, and all that was asked for was a redirect.
            None => self.policy.fast_floor,
        };
        let earliest = match held {
            Held::Until(until) => until.max(now.saturating_add(floor)),
            Held::Halted => now.saturating_add(floor),
        };
        let next_poll_at = earliest.saturating_add(PUT_OFF_SPREAD.mul_f64(self.throw().value()));
        let put_off = PutOff {
            lease: leased.lease,
            next_poll_at,
            provider: stopped_at.unwrap_or_else(|| leased.provider.clone()),
            held: leased.provider,
            free_at: now.saturating_add(self.settings.spacing),
        };
        self.store.put_off(put_off).await?;
        Ok(Ended::PutOff(next_poll_at))
    }

    /// The second half of a poll, for an answer that is already there.
    pub(crate) async fn conclude(
        &self,
        leased: LeasedFeed,
        started_at: Timestamp,
        mut answer: Answer,
    ) -> Result<PollReport, StoreError> {
        let reading = self.read(&leased, &mut answer).await;
        self.finish(leased, started_at, Some(answer), reading).await
    }

    fn request(&self, leased: &LeasedFeed, gate: Gate) -> Result<FeedRequest, String> {
        let url = Url::parse(&leased.feed.url).map_err(|_| words::bad_address())?;
        let mut secrets = match &leased.sealed {
            None => FeedSecrets::default(),
            Some(sealed) => self.open_secrets(&leased.feed, sealed)?,
        };
        let user_agent = take_agent(&mut secrets);
        Ok(FeedRequest {
            url,
            // A body that we could not keep whole is asked for again in full.
            validators: leased.schedule.validators.clone(),
            delta: !leased.schedule.validators.is_empty(),
            secrets,
            user_agent,
            subscribers: leased.subscribers,
            feed: leased.feed.id,
            gate,
        })
    }

    async fn read(&self, leased: &LeasedFeed, answer: &mut Answer) -> Reading {
        let answered = answer.status.is_some();
        if answered {
            self.outage().answered();
        }
        // The body is moved out, so that it is held once.
        match std::mem::replace(&mut answer.outcome, Outcome::Unchanged) {
            Outcome::Body { bytes, complete, delta } => {
                self.read_body(leased, answer, bytes, complete, delta).await
            }
            Outcome::Failed(failure) => {
                let ours = !answered && failure.is_ours_maybe() && self.outage().unanswered(&leased.provider);
                let outcome = if ours { PollOutcome::Offline } else { PollOutcome::Failed };
                Reading::of(outcome, Some(if ours { words::offline() } else { failure.to_string() }))
            }
            other => {
                let sentence = if answer.challenge { Some(words::challenge()) } else { other.sentence() };
                Reading::of(outcome_of(&other), sentence)
            }
        }
    }

    async fn read_body(
        &self,
        leased: &LeasedFeed,
        answer: &Answer,
        bytes: bytes::Bytes,
        complete: bool,
        delta: bool,
    ) -> Reading {
        let hash = xxhash_rust::xxh3::xxh3_64(&bytes);
        if complete && !delta && leased.schedule.body_hash == Some(hash) {
            return Reading { body_hash: Some(hash), ..Reading::of(PollOutcome::Unchanged, None) };
        }
        let (limits, base) = (Arc::clone(&self.limits), answer.final_url.clone());
        let content_type = answer.content_type.clone();
        let parsed = self.cpu.run(move || {
            let input = parse::Input {
                bytes: &bytes,
                content_type: content_type.as_deref(),
                base: Some(&base),
                complete,
            };
            parse::parse(&input, &limits)
        });
        match parsed.await {
            Ok(Ok(mut parsed)) => {
                let cut = !complete || parsed.document.truncated;
                if cut {
                    // The last item may be half of one, with half a link for a name; it comes whole next time.
                    parsed.document.items.pop();
                }
                let outcome = if cut || delta { PollOutcome::Partial } else { PollOutcome::Fresh };
                let body_hash = (outcome == PollOutcome::Fresh).then_some(hash);
                Reading {
                    parsed: Some(parsed),
                    body_hash,
                    distrust_validators: cut,
                    ..Reading::of(outcome, None)
                }
            }
            Ok(Err(_)) if answer.challenge => Reading::of(PollOutcome::NotAFeed, Some(words::challenge())),
            Ok(Err(not_a_feed)) => Reading::of(PollOutcome::NotAFeed, Some(not_a_feed.to_string())),
            Err(failure) => Reading::of(PollOutcome::Failed, Some(self.failure(failure))),
        }
    }

    async fn finish(
        &self,
        leased: LeasedFeed,
        started_at: Timestamp,
        answer: Option<Answer>,
        mut reading: Reading,
    ) -> Result<PollReport, StoreError> {
        let finished_at = self.clock.now().max(started_at);
        let parsed = reading.parsed.take();
        let mut facts = parsed.as_ref().map(|p| facts(p, answer.as_ref()));
        let mut document = parsed.as_ref().map(document_seen);
        let items = parsed.map(|p| p.document.items).unwrap_or_default();
        let items_seen = u32::try_from(items.len()).unwrap_or(u32::MAX);
        let keys: Vec<_> = items.iter().map(|i| (i.identity, i.twin, i.content_hash)).collect();
        let recognised =
            if keys.is_empty() { Vec::new() } else { self.store.recognise(leased.feed.id, &keys).await? };
        let last_success_at = leased.schedule.last_success_at;
        let packed =
            self.pack(items, recognised, last_success_at, finished_at).await.unwrap_or_else(|failure| {
                // Items that could not be packed are not stored, so the poll must not count as one that kept them.
                reading = Reading::of(PollOutcome::Failed, Some(self.failure(failure)));
                (document, facts) = (None, None);
                Packed::default()
            });
        let Packed { writes, new_dates, changed, new, pages } = packed;
        let language = facts.as_ref().and_then(|facts| facts.language.clone());
        let effects = self.rule_effects(leased.feed.id, new, language).await?;
        let items_new = u32::try_from(new_dates.len()).unwrap_or(u32::MAX);
        if let Some(document) = &mut document {
            document.new_dates = new_dates;
        }
        let sight = Sight {
            before: leased.schedule.clone(),
            attention: leased.attention.clone(),
            feed_url: leased.feed.url.clone(),
            permanent_to: answer.as_ref().and_then(|a| a.permanent_to.as_ref()).map(Url::to_string),
            outcome: reading.outcome,
            at: finished_at,
            retry_after: answer.as_ref().and_then(|a| a.retry_after),
            fresh_for: answer.as_ref().and_then(|a| a.fresh_for),
            validators: answer.as_ref().map(|a| a.validators.clone()).unwrap_or_default(),
            distrust_validators: reading.distrust_validators,
            body_hash: reading.body_hash,
            document,
        };
        let (After { schedule, state, adopt, floor }, found) = self.plan(sight).await;
        let record = PollRecord {
            feed: leased.feed.id,
            started_at,
            finished_at,
            outcome: reading.outcome,
            http_status: answer.as_ref().and_then(|a| a.status),
            wire_bytes: answer.as_ref().map_or(0, |a| a.wire_bytes),
            items_seen,
            items_new,
            items_changed: changed,
            error: reading.error,
        };
        let (next_poll_at, reason) = (schedule.next_poll_at, schedule.reason.clone());
        let commit = PollCommit {
            lease: leased.lease,
            record: record.clone(),
            schedule,
            found,
            floor,
            facts,
            items: writes,
            effects,
            provider_free_at: finished_at.saturating_add(self.settings.spacing),
            provider_blocked_until: answer
                .as_ref()
                .filter(|answer| fetch::provider(&answer.final_url) == leased.provider)
                .and_then(|answer| self.block_of(reading.outcome, answer, finished_at)),
            adopt_url: adopt.and_then(|url| {
                let provider = fetch::provider(&Url::parse(&url).ok()?);
                Some((url, provider))
            }),
            state,
            wake: false,
        };
        let committed = self.store.commit_poll(commit).await?;
        self.tally().count(&record);
        if committed.accepted {
            self.queue_pages(leased.feed.id, &committed.new_items, pages).await?;
        }
        Ok(PollReport { url: leased.feed.url, record, next_poll_at, reason, accepted: committed.accepted })
    }

    /// When next, on the CPU pool. A plan that could not be made counts as a failed poll, whose next time needs none.
    async fn plan(&self, sight: Sight) -> (After, Found) {
        let (known, policy, dice) = (self.knowledge().await, self.policy_now(), self.throw());
        let fallback = Sight { outcome: PollOutcome::Failed, document: None, ..sight.clone() };
        let (same, rules) = (Arc::clone(&known), policy.clone());
        let planned = self.cpu.run(move || sight.plan(&same, &rules, dice)).await;
        planned.unwrap_or_else(|_| fallback.plan(&known, &policy, dice))
    }

    pub(crate) fn failure(&self, failure: CpuFailure) -> String {
        match failure {
            CpuFailure::Panicked => words::defect(),
            CpuFailure::TooLong => words::too_long(self.limits.parse_cpu_max),
        }
    }

    /// Sorts items into writes, makes their previews and compresses their bodies, on the CPU pool.
    async fn pack(
        &self,
        items: Vec<DocumentItem>,
        recognised: Vec<Recognised>,
        last_success_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Packed, CpuFailure> {
        if items.is_empty() {
            return Ok(Packed::default());
        }
        let limits = Arc::clone(&self.limits);
        self.cpu.run(move || pack(sift(items, &recognised, last_success_at, now), &limits)).await
    }

    /// The newest pages of a feed whose full texts somebody wants, fetched later and beside the polls.
    async fn queue_pages(
        &self,
        feed: FeedId,
        stored: &[ItemId],
        pages: Vec<(Timestamp, Option<String>)>,
    ) -> Result<(), StoreError> {
        // When another poll was faster with some of them, it is not known which is which.
        if stored.is_empty() || stored.len() != pages.len() || !self.store.wants_full_text(feed).await? {
            return Ok(());
        }
        let mut newest: Vec<_> =
            stored.iter().zip(pages).filter_map(|(id, (at, link))| Some((at, *id, link?))).collect();
        newest.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
        let now = self.clock.now();
        for (_, item, link) in newest.into_iter().take(PER_POLL_MAX) {
            self.pages().add(item, link, now);
        }
        self.page_waits.notify_one();
        Ok(())
    }

    /// A provider that says "not now" is left alone with all its feeds: for as long as it asked, or, after a bare
    /// 429, for the least busy wait (N13).
    fn block_of(&self, outcome: PollOutcome, answer: &Answer, now: Timestamp) -> Option<Timestamp> {
        if outcome != PollOutcome::Busy {
            return None;
        }
        let bare_429 = answer.status == Some(429);
        answer.retry_after.or_else(|| bare_429.then(|| now.saturating_add(self.policy.busy_least)))
    }

    /// The same for an answer that was not read yet.
    pub(crate) fn block(&self, answer: &Answer) -> Option<Timestamp> {
        self.block_of(outcome_of(&answer.outcome), answer, self.clock.now())
    }
}

/// A person's own name for us is kept beside the credentials; it replaces ours instead of standing beside it.
fn take_agent(secrets: &mut FeedSecrets) -> Option<String> {
    let place = secrets.headers.iter().position(|(name, _)| name.eq_ignore_ascii_case("user-agent"))?;
    Some(secrets.headers.remove(place).1.reveal().to_owned())
}

fn pack(sifted: Sifted, limits: &Limits) -> Packed {
    let mut packed = Packed { new_dates: sifted.new_dates, changed: sifted.changed, ..Packed::default() };
    for (index, (item, kind)) in sifted.writes.into_iter().enumerate() {
        let Digest { preview, text } = digest(&item, limits);
        packed.writes.push(ItemWrite::new(&item, kind, preview));
        if let ItemKind::New { sort_at, .. } = kind {
            packed.pages.push((sort_at, item.link.clone()));
            // Bodies are no longer needed; rules read the plain text.
            packed.new.push(NewItem {
                index,
                item: DocumentItem { summary: None, content: None, ..item },
                text,
            });
        }
    }
    packed
}

fn outcome_of(outcome: &Outcome) -> PollOutcome {
    match outcome {
        Outcome::Body { .. } => PollOutcome::Fresh,
        Outcome::Unchanged => PollOutcome::Unchanged,
        Outcome::Gone => PollOutcome::Gone,
        Outcome::Busy => PollOutcome::Busy,
        Outcome::Denied => PollOutcome::Denied,
        Outcome::NotFound => PollOutcome::NotFound,
        Outcome::Refused(_) => PollOutcome::Refused,
        Outcome::Failed(_) => PollOutcome::Failed,
        // Put off before it is read; should it ever be read, nobody is blamed.
        Outcome::Held(_) => PollOutcome::Offline,
    }
}

fn facts(parsed: &Parsed, answer: Option<&Answer>) -> FeedFacts {
    let document = &parsed.document;
    let mut hubs = document.hubs.clone();
    hubs.extend(answer.into_iter().flat_map(|a| a.hubs.iter().cloned()));
    hubs.sort();
    hubs.dedup();
    FeedFacts {
        title: document.title.clone(),
        site_url: document.link.clone(),
        description: document.description.clone(),
        language: document.language.clone(),
        icon_url: document.icon.clone(),
        format: Some(document.format.name().to_owned()),
        hubs,
        noindex: answer.is_some_and(|answer| answer.noindex),
    }
}

fn document_seen(parsed: &Parsed) -> DocumentSeen {
    let document = &parsed.document;
    DocumentSeen {
        ttl_minutes: document.ttl_minutes,
        skip_hours: document.skip_hours.clone(),
        skip_days: document.skip_days.clone(),
        update_period_s: document.update_period_s,
        new_dates: Vec::new(),
        items_visible: u32::try_from(document.items.len()).unwrap_or(u32::MAX),
    }
}
