//! Whether a request may go out just now (N21).
//!
//! Spacing is decided where the whole server's requests are known, which is not here; but only here is it known where a
//! redirect leads. So the caller hands in a gate, and every request, each hop and each robots.txt included, passes it
//! first. Waiting at a gate does not count against the time a fetch may take; whoever keeps the gate bounds it.

use crate::boxed;
use crate::provider::provider;
use domain::Timestamp;
use futures_util::future::BoxFuture;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// Why a request does not go out now. Nothing is wrong with the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// Others of this provider come first; worth trying again at this time.
    Until(Timestamp),
    /// The administrator has halted all fetching.
    Halted,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Held::Until(_) => "Other requests to this site come first. Try again in a few minutes.",
            Held::Halted => "The administrator has halted all fetching.",
        })
    }
}

/// Keeps a gate.
pub trait Gatekeeper: Send + Sync {
    /// Waits, if not for long, until a request to this provider may go out. A request that follows a redirect within
    /// one provider belongs to the request before it.
    fn ask<'a>(&'a self, provider: &'a str, redirected: bool) -> BoxFuture<'a, Result<(), Held>>;
}

/// A gate to pass before each request; open unless somebody keeps it.
#[derive(Clone, Default)]
pub struct Gate(Option<Arc<dyn Gatekeeper>>);

impl Gate {
    pub fn new(keeper: Arc<dyn Gatekeeper>) -> Self {
        Gate(Some(keeper))
    }

    #[boxed]
    pub async fn ask(&self, url: &Url, redirected: bool) -> Result<(), Held> {
        match &self.0 {
            Some(keeper) => keeper.ask(&provider(url), redirected).await,
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Gate(kept)" } else { "Gate(open)" })
    }
}

/// When one fetch has to be over, with the time it spent at gates added.
pub(crate) struct Watch {
    end: Instant,
    waited_us: AtomicU64,
    passes: AtomicU64,
}

impl Watch {
    pub(crate) fn new(most: Duration) -> Self {
        Watch::until(Instant::now() + most)
    }

    pub(crate) fn until(end: Instant) -> Self {
        Watch { end, waited_us: AtomicU64::new(0), passes: AtomicU64::new(0) }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.end + Duration::from_micros(self.waited_us.load(Ordering::Relaxed))
    }

    /// How many requests have gone out.
    pub(crate) fn passes(&self) -> u64 {
        self.passes.load(Ordering::Relaxed)
    }

    pub(crate) async fn pass(&self, gate: &Gate, url: &Url, redirected: bool) -> Result<(), Held> {
        let since = Instant::now();
        let passed = gate.ask(url, redirected).await;
        let waited = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.waited_us.fetch_add(waited, Ordering::Relaxed);
        self.passes.fetch_add(u64::from(passed.is_ok()), Ordering::Relaxed);
        passed
    }
}
