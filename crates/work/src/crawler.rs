//! The loop: lease what is due, poll it, sleep until the next is due. Continuous time, no tick.
//!
//! Clock, network and store are values, so that the simulator runs this very code through months in seconds.

use crate::clock::Clock;
use crate::cpu::CpuPool;
use crate::finds::Finds;
use crate::full_text::{Fetching, PageQueue};
use crate::icons::SharedIcons;
use crate::network::Network;
use crate::opened::Visits;
use crate::orders::Orders;
use crate::outage::Outage;
use crate::outlook::Knowledge;
use crate::poll::{Ended, PollReport};
use crate::words;
use domain::secret::FeedSecrets;
use domain::{Feed, FeedId, Limits, PollRecord, Timestamp};
use plan::{Floor, Policy, Unit, may_poll};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{LeasedFeed, SecretKey, Store, StoreError};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone)]
pub struct CrawlSettings {
    /// This node's name in leases.
    pub node: String,
    /// Polls under way at once.
    pub polls_max: usize,
    /// Between two requests to one provider (N21).
    pub spacing: Duration,
    /// Longer than any poll can take; after it another node may take the feed.
    pub lease_for: Duration,
    /// Feeds overdue by more than this when we start, wake up or the clock jumps are spread over `spread_window`.
    pub overdue_min: Duration,
    pub spread_window: Duration,
    pub seed: u64,
    /// CPU work is done on the thread that asks for it; only for simulations, which must replay.
    pub one_thread: bool,
}

impl Default for CrawlSettings {
    fn default() -> Self {
        CrawlSettings {
            node: "one".into(),
            polls_max: 64,
            spacing: Duration::from_secs(2),
            lease_for: Duration::from_secs(90),
            overdue_min: Duration::from_secs(300),
            spread_window: Duration::from_secs(600),
            seed: 0,
            one_thread: false,
        }
    }
}

pub struct Crawler<N, C> {
    pub(crate) store: Store,
    pub(crate) network: Arc<N>,
    pub(crate) clock: Arc<C>,
    pub(crate) cpu: CpuPool,
    pub(crate) policy: Policy,
    pub(crate) limits: Arc<Limits>,
    pub(crate) settings: CrawlSettings,
    key: Option<SecretKey>,
    dice: Mutex<Pcg64Mcg>,
    outage: Mutex<Outage>,
    /// Polls that wait for the provider a redirect led to; a few, so that one busy provider does not stop the others.
    pub(crate) waiting: Arc<Semaphore>,
    finds: Mutex<Finds>,
    orders: Mutex<Orders>,
    pages: Mutex<PageQueue>,
    pub(crate) page_waits: Notify,
    fetching: Mutex<Fetching>,
    shared_icons: Mutex<SharedIcons>,
    /// The budget in force, as bits, where an administrator has chosen another than the policy's; 0 when not.
    budget: AtomicU64,
    tally: Tally,
    known: Mutex<Option<Arc<Knowledge>>>,
    pub(crate) looking: tokio::sync::Mutex<()>,
    /// The price, as bits, at which all plans were made or are fit to stand; 0 before the first look.
    planned_at: AtomicU64,
    visits: Mutex<Visits>,
}

/// What this process has polled since it started.
#[derive(Debug, Default)]
pub struct Tally {
    pub polls: AtomicU64,
    pub failures: AtomicU64,
    pub items_new: AtomicU64,
    pub wire_bytes: AtomicU64,
}

impl Tally {
    pub(crate) fn count(&self, record: &PollRecord) {
        self.failures.fetch_add(u64::from(!record.outcome.is_success()), Ordering::Relaxed);
        self.items_new.fetch_add(u64::from(record.items_new), Ordering::Relaxed);
        self.wire_bytes.fetch_add(record.wire_bytes, Ordering::Relaxed);
        self.polls.fetch_add(1, Ordering::Release);
    }
}

/// Why a person's wish to poll was not granted.
#[derive(Debug)]
pub enum NotNow {
    /// Inside a floor; the publisher's or our smallest.
    Floor(Floor),
    /// Another poll of the feed or its provider is under way or just was; free at this time.
    Busy(Timestamp),
    /// An administrator has halted all fetching.
    Halted,
    UnknownFeed,
    Store(StoreError),
}

impl From<StoreError> for NotNow {
    fn from(error: StoreError) -> Self {
        NotNow::Store(error)
    }
}

/// Longest sleep without looking: a due time may have been moved by another process.
const LOOK_EVERY: Duration = Duration::from_secs(5);
const PAUSE_MIN: Duration = Duration::from_millis(50);
/// Pause after the store refused us, so that a full disk is not hammered.
const STORE_PAUSE: Duration = Duration::from_secs(2);
/// While our own network is down, only this many feeds are tried at once, this far apart.
const OFFLINE_PROBES: usize = 2;
const OFFLINE_PAUSE: Duration = Duration::from_secs(10);
/// No floor reaches further: Retry-After counts up to 30 days.
const DISTANT: Duration = Duration::from_secs(31 * 86_400);
const RECALL_WINDOW: Duration = Duration::from_secs(86_400);
/// A step between two looks at the clock larger than this is a jump: we slept, or somebody set it.
const JUMP_MIN: Duration = Duration::from_secs(300);

impl<N: Network, C: Clock> Crawler<N, C> {
    pub fn new(
        store: Store,
        network: Arc<N>,
        clock: Arc<C>,
        policy: Policy,
        limits: Limits,
        settings: CrawlSettings,
        key: Option<SecretKey>,
    ) -> Self {
        Crawler {
            store,
            network,
            clock,
            cpu: if settings.one_thread {
                CpuPool::on_one_thread()
            } else {
                CpuPool::new(limits.parse_cpu_max)
            },
            policy,
            limits: Arc::new(limits),
            dice: Mutex::new(Pcg64Mcg::seed_from_u64(settings.seed)),
            outage: Mutex::default(),
            waiting: Arc::new(Semaphore::new((settings.polls_max / 4).clamp(1, Semaphore::MAX_PERMITS))),
            finds: Mutex::default(),
            orders: Mutex::default(),
            pages: Mutex::default(),
            page_waits: Notify::new(),
            fetching: Mutex::default(),
            shared_icons: Mutex::default(),
            budget: AtomicU64::new(0),
            tally: Tally::default(),
            known: Mutex::default(),
            looking: tokio::sync::Mutex::new(()),
            planned_at: AtomicU64::new(0),
            visits: Mutex::default(),
            settings,
            key,
        }
    }

    /// Another mean of polls per feed and day than the policy's; it counts from each feed's next poll on.
    pub fn set_budget(&self, polls_per_day: Option<f64>) {
        self.budget.store(polls_per_day.map_or(0, f64::to_bits), Ordering::Relaxed);
    }

    /// The policy with the budget in force.
    pub(crate) fn policy_now(&self) -> Policy {
        match self.budget.load(Ordering::Relaxed) {
            0 => self.policy.clone(),
            bits => Policy { budget_polls_per_day: f64::from_bits(bits), ..self.policy.clone() },
        }
    }

    /// This node's name in leases and jobs.
    pub fn node(&self) -> &str {
        &self.settings.node
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Polls what is due until told to stop; then waits for the polls under way.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut polls = JoinSet::new();
        let side = tokio::spawn(Arc::clone(&self).side(stop.clone()));
        let mut seen_at = self.settle().await;
        // Polls that ended while the last leases were asked for.
        let mut meanwhile = 0;
        while !stop.is_cancelled() {
            while let Some(done) = polls.try_join_next() {
                log(done);
                meanwhile += 1;
            }
            let now = self.clock.now();
            if now.since(seen_at) > JUMP_MIN || seen_at.since(now) > JUMP_MIN {
                self.settle().await;
            }
            seen_at = now;
            let leased = self.lease(polls.len(), std::mem::take(&mut meanwhile)).await;
            let is_idle = leased.as_ref().is_ok_and(Vec::is_empty);
            let wait_until = match leased {
                Ok(leased) => {
                    for feed in leased {
                        let crawler = Arc::clone(&self);
                        polls.spawn(async move { crawler.poll(feed).await });
                    }
                    if is_idle { self.idle_until(now, polls.len()).await } else { continue }
                }
                Err(error) => {
                    tracing::error!(error = %chain(&error), "leasing due feeds");
                    now.saturating_add(STORE_PAUSE)
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.clock.sleep_until(wait_until) => {}
                () = self.store.woken() => {}
                Some(done) = polls.join_next(), if !polls.is_empty() => log(done),
            }
        }
        while let Some(done) = polls.join_next().await {
            log(done);
        }
        if let Err(died) = side.await {
            tracing::error!(error = %died, "the work beside the polls died");
        }
    }

    /// Polls everything due right now and waits for it; the step of the simulator and of `wellread poll --due`. What one
    /// poll could not store is told when the others have ended.
    pub async fn cycle(self: &Arc<Self>) -> Result<Vec<PollReport>, StoreError> {
        let mut polls = JoinSet::new();
        for feed in self.lease(0, 0).await? {
            let crawler = Arc::clone(self);
            polls.spawn(async move { crawler.poll(feed).await });
        }
        let mut reports = Vec::new();
        let mut failed = None;
        while let Some(done) = polls.join_next().await {
            match done {
                Ok(Ok(ended)) => reports.extend(ended.report()),
                Ok(Err(error)) => {
                    tracing::error!(error = %chain(&error), "a poll was not stored");
                    failed = failed.or(Some(error));
                }
                Err(died) => tracing::error!(error = %died, "a poll died"),
            }
        }
        failed.map_or(Ok(reports), Err)
    }

    /// A person asks for one feed now: below our own floor, never below the publisher's (N22).
    pub async fn poll_now(&self, feed: FeedId) -> Result<PollReport, NotNow> {
        let now = self.clock.now();
        if self.store.halted().await? {
            return Err(NotNow::Halted);
        }
        let known = self.store.feed_schedule(feed).await?.ok_or(NotNow::UnknownFeed)?;
        may_poll(&known.schedule, now, &self.policy).map_err(NotNow::Floor)?;
        let CrawlSettings { lease_for, spacing, node, .. } = &self.settings;
        match self.store.lease_feed(feed, now, *lease_for, *spacing, node).await? {
            Some(leased) => match self.poll(leased).await? {
                Ended::Polled(report) => Ok(*report),
                Ended::PutOff(until) => Err(NotNow::Busy(until)),
            },
            None => {
                let provider = self.store.provider(&known.provider).await?;
                let free = provider.map_or(now, |p| p.free_at.max(p.busy_until).max(p.blocked_until));
                Err(NotNow::Busy(free.max(known.leased_until.unwrap_or(now)).max(now)))
            }
        }
    }

    /// Until when [`Crawler::poll_now`] would be refused by a floor; None when it may be tried.
    pub async fn held_until(&self, feed: FeedId) -> Result<Option<Timestamp>, StoreError> {
        let now = self.clock.now();
        let known = self.store.feed_schedule(feed).await?;
        Ok(known
            .and_then(|known| may_poll(&known.schedule, now, &self.policy).err())
            .map(|floor| floor.until))
    }

    /// After a pause of ours: what is long overdue is spread, not burst (N12). Answers the time of the look.
    pub async fn settle(&self) -> Timestamp {
        let now = self.clock.now();
        match self.store.spread_overdue(now, self.settings.overdue_min, self.settings.spread_window).await {
            Ok(0) => {}
            Ok(feeds) => tracing::info!(feeds, "overdue feeds are spread over the next minutes"),
            Err(error) => tracing::error!(error = %chain(&error), "spreading overdue feeds"),
        }
        // A clock that was ahead has left poll times that no floor explains.
        // The last poll may have been a moment ago by a right clock, so the own floor is kept.
        let earliest = now.saturating_add(self.policy.own_floor);
        match self.store.recall_distant(earliest, DISTANT, RECALL_WINDOW).await {
            Ok(0) => {}
            Ok(feeds) => tracing::warn!(feeds, "poll times beyond every floor were brought back"),
            Err(error) => tracing::error!(error = %chain(&error), "bringing distant poll times back"),
        }
        now
    }

    /// `soon_free` places more are expected to be free by the time the leases are there.
    async fn lease(&self, under_way: usize, soon_free: usize) -> Result<Vec<LeasedFeed>, StoreError> {
        let places = if self.outage().is_ours() { OFFLINE_PROBES } else { self.settings.polls_max };
        let free = places.saturating_sub(under_way);
        // Leasing a handful at a time keeps the store busy with leases; wait until a quarter is free.
        if free == 0 || (under_way > 0 && free < places / 4) {
            return Ok(Vec::new());
        }
        let wanted = free + soon_free.min(places / 2);
        let CrawlSettings { lease_for, spacing, node, .. } = &self.settings;
        self.store.lease_due(self.clock.now(), wanted, *lease_for, *spacing, node).await
    }

    async fn idle_until(&self, now: Timestamp, under_way: usize) -> Timestamp {
        let look = now.saturating_add(LOOK_EVERY);
        if under_way > 0 && under_way >= self.settings.polls_max - self.settings.polls_max / 4 {
            return look; // A finished poll wakes us.
        }
        if self.outage().is_ours() {
            return now.saturating_add(OFFLINE_PAUSE);
        }
        match self.store.next_due_at(now).await {
            // A due feed that could not be leased just now must not make us spin.
            Ok(due) => due.map_or(look, |due| due.clamp(now.saturating_add(PAUSE_MIN), look)),
            Err(_) => now.saturating_add(STORE_PAUSE),
        }
    }

    pub(crate) fn open_secrets(&self, feed: &Feed, sealed: &[u8]) -> Result<FeedSecrets, String> {
        let key = self.key.as_ref().ok_or_else(words::sealed_elsewhere)?;
        key.open(sealed, &feed.url).map_err(|_| words::sealed_elsewhere())
    }

    pub(crate) fn seal(&self, url: &url::Url, secrets: &FeedSecrets) -> Result<Vec<u8>, StoreError> {
        match &self.key {
            Some(key) => key.seal(secrets, url.as_str()),
            None => Err(StoreError::Secret("there is no key to seal this feed's password with".into())),
        }
    }

    pub(crate) fn finds(&self) -> MutexGuard<'_, Finds> {
        open(&self.finds)
    }

    pub(crate) fn orders(&self) -> MutexGuard<'_, Orders> {
        open(&self.orders)
    }

    pub(crate) fn pages(&self) -> MutexGuard<'_, PageQueue> {
        open(&self.pages)
    }

    pub(crate) fn fetching(&self) -> MutexGuard<'_, Fetching> {
        open(&self.fetching)
    }

    pub(crate) fn shared_icons(&self) -> MutexGuard<'_, SharedIcons> {
        open(&self.shared_icons)
    }

    pub(crate) fn outage(&self) -> MutexGuard<'_, Outage> {
        open(&self.outage)
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, Option<Arc<Knowledge>>> {
        open(&self.known)
    }

    pub(crate) fn visits(&self) -> MutexGuard<'_, Visits> {
        open(&self.visits)
    }

    /// The price at which plans were last fit; `now` when nobody has looked yet. A dearer price makes them fit again.
    pub(crate) fn planned_at(&self, now: f64) -> f64 {
        let before = f64::from_bits(self.planned_at.load(Ordering::Relaxed));
        if before <= 0.0 || now > before {
            self.plans_are_of(now);
            return now;
        }
        before
    }

    pub(crate) fn plans_are_of(&self, price: f64) {
        self.planned_at.store(price.to_bits(), Ordering::Relaxed);
    }

    pub(crate) fn throw(&self) -> Unit {
        let mut dice = open(&self.dice);
        Unit::new(dice.random::<f64>())
    }
}

/// A panic while one of these was held has left nothing half-done in it.
fn open<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

type Done = Result<Result<Ended, StoreError>, tokio::task::JoinError>;

/// The log says each poll once.
fn log(done: Done) {
    match done {
        Ok(Ok(Ended::Polled(report))) => {
            let record = &report.record;
            let duration_ms = record.finished_at.since(record.started_at).as_millis();
            tracing::debug!(
                feed.id = record.feed.0,
                poll.outcome = record.outcome.name(),
                items.new = record.items_new,
                duration_ms,
                next = %report.next_poll_at,
                "polled"
            );
        }
        Ok(Ok(Ended::PutOff(until))) => tracing::debug!(%until, "a poll was put off"),
        Ok(Err(error)) => tracing::error!(error = %chain(&error), "a poll could not be stored"),
        Err(died) => tracing::error!(error = %died, "a poll died; its feed waits for its lease to end"),
    }
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
