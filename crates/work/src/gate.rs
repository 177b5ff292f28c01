//! The gate every request passes: one request at a time per provider, spaced, across all nodes (N21).
//!
//! A poll holds its feed's provider by its lease; everything else, the hosts redirects lead to included, is claimed in
//! the store before it is asked and given back afterwards. Waiting is short and bounded; who would wait longer is told
//! so and comes back.

use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::network::Network;
use domain::Timestamp;
use fetch::{Answer, Gate, Gatekeeper, Held};
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Claim, ProviderClaim, Store};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long one fetch may wait at gates, all its requests together.
const PATIENCE: Duration = Duration::from_secs(15);
/// A provider that somebody asks just now is tried again this soon.
const STEP: Duration = Duration::from_secs(1);
/// After the store failed; whoever asked comes back then.
const STORE_PAUSE: Duration = Duration::from_secs(60);

/// One fetch's gate: what it holds, and what it has waited.
pub(crate) struct ProviderGate<C> {
    store: Store,
    clock: Arc<C>,
    spacing: Duration,
    busy_for: Duration,
    /// Who may wait at all; without, everybody may.
    waiting: Option<Arc<Semaphore>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: Vec<Hold>,
    /// Set with the first wait.
    patient_until: Option<Timestamp>,
    /// Where the gate stayed closed.
    stopped_at: Option<String>,
}

struct Hold {
    provider: String,
    /// None: held by the feed's lease.
    claim: Option<ProviderClaim>,
    asked_at: Option<Timestamp>,
}

impl<N: Network, C: Clock> Crawler<N, C> {
    /// For a poll, which holds the provider of its lease.
    pub(crate) fn poll_gate(&self, leased: &str) -> Arc<ProviderGate<C>> {
        let hold = Hold { provider: leased.to_owned(), claim: None, asked_at: None };
        self.new_gate(vec![hold], Some(Arc::clone(&self.waiting)))
    }

    /// For everything else, which holds nothing yet.
    pub(crate) fn gate(&self) -> Arc<ProviderGate<C>> {
        self.new_gate(Vec::new(), None)
    }

    fn new_gate(&self, held: Vec<Hold>, waiting: Option<Arc<Semaphore>>) -> Arc<ProviderGate<C>> {
        Arc::new(ProviderGate {
            store: self.store.clone(),
            clock: Arc::clone(&self.clock),
            spacing: self.settings.spacing,
            busy_for: self.settings.lease_for,
            waiting,
            state: Mutex::new(State { held, ..State::default() }),
        })
    }
}

impl<C: Clock> ProviderGate<C> {
    pub(crate) fn handle(self: &Arc<Self>) -> Gate {
        Gate::new(Arc::clone(self) as Arc<dyn Gatekeeper>)
    }

    /// Whether a request really went to this provider.
    pub(crate) fn asked(&self, provider: &str) -> bool {
        self.state().held.iter().any(|hold| hold.provider == provider && hold.asked_at.is_some())
    }

    pub(crate) fn stopped_at(&self) -> Option<String> {
        self.state().stopped_at.clone()
    }

    /// Takes the claim on a provider out, for a lease that takes its place.
    pub(crate) fn take(&self, provider: &str) -> Option<ProviderClaim> {
        let mut state = self.state();
        let at = state.held.iter().position(|hold| hold.provider == provider && hold.claim.is_some())?;
        state.held.swap_remove(at).claim
    }

    /// Gives all claims back. The one that answered last may have asked for a pause (`blocked_until`) or, in its
    /// robots.txt, for more than our spacing.
    pub(crate) async fn release(&self, answer: Option<&Answer>, blocked_until: Option<Timestamp>) {
        let claims: Vec<ProviderClaim> = self.state().held.drain(..).filter_map(|hold| hold.claim).collect();
        let last = answer.map(|answer| fetch::provider(&answer.final_url));
        let delay = answer.and_then(|answer| answer.crawl_delay).unwrap_or_default().max(self.spacing);
        let now = self.clock.now();
        for claim in claims {
            let is_last = last.as_ref() == Some(&claim.provider);
            let free_at = now.saturating_add(if is_last { delay } else { self.spacing });
            let blocked_until = blocked_until.filter(|_| is_last);
            if let Err(error) = self.store.free_provider(claim, free_at, blocked_until).await {
                // It frees itself when the claim ends.
                tracing::warn!(%error, "giving a provider back");
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the request may go out, if its provider is held already.
    fn when_held(&self, provider: &str, redirected: bool, now: Timestamp) -> Option<Timestamp> {
        let mut state = self.state();
        let hold = state.held.iter_mut().find(|hold| hold.provider == provider)?;
        let at = match hold.asked_at {
            Some(last) if !redirected => last.saturating_add(self.spacing).max(now),
            _ => now,
        };
        hold.asked_at = Some(at);
        Some(at)
    }

    async fn pass(&self, provider: &str, redirected: bool) -> Result<(), Held> {
        if provider.is_empty() {
            return Ok(()); // An address without a host, which the guard refuses.
        }
        if let Some(at) = self.when_held(provider, redirected, self.clock.now()) {
            self.clock.sleep_until(at).await;
            return Ok(());
        }
        let mut place = None;
        loop {
            let now = self.clock.now();
            let claim = match self.store.claim_provider(provider, now, self.spacing, self.busy_for).await {
                Ok(claim) => claim,
                Err(error) => {
                    tracing::error!(%error, "claiming a provider");
                    return Err(Held::Until(now.saturating_add(STORE_PAUSE)));
                }
            };
            let (free_at, again_at) = match claim {
                Claim::Granted(claim) => {
                    let hold =
                        Hold { provider: provider.to_owned(), claim: Some(claim), asked_at: Some(now) };
                    self.state().held.push(hold);
                    return Ok(());
                }
                Claim::Halted => return Err(Held::Halted),
                Claim::FreeAt(at) => (at, at),
                Claim::Busy(at) => (at, at.min(now.saturating_add(STEP))),
            };
            if !self.may_wait(&mut place, now, again_at) {
                return Err(Held::Until(free_at.max(now)));
            }
            self.clock.sleep_until(again_at).await;
        }
    }

    fn may_wait(&self, place: &mut Option<OwnedSemaphorePermit>, now: Timestamp, until: Timestamp) -> bool {
        let patient_until = *self.state().patient_until.get_or_insert_with(|| now.saturating_add(PATIENCE));
        if until > patient_until {
            return false;
        }
        if let (None, Some(waiting)) = (&place, &self.waiting) {
            *place = Arc::clone(waiting).try_acquire_owned().ok();
            return place.is_some();
        }
        true
    }
}

impl<C: Clock> Gatekeeper for ProviderGate<C> {
    fn ask<'a>(&'a self, provider: &'a str, redirected: bool) -> BoxFuture<'a, Result<(), Held>> {
        Box::pin(async move {
            let passed = self.pass(provider, redirected).await;
            if passed.is_err() {
                self.state().stopped_at = Some(provider.to_owned());
            }
            passed
        })
    }
}
