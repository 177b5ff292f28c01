//! Time as a value: the real clock for life, a virtual one for the simulator.

use domain::Timestamp;
use futures_util::future::BoxFuture;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Timestamp;
    fn sleep_until(&self, until: Timestamp) -> BoxFuture<'_, ()>;
}

/// Wall time. Sleeps in steps, so that a clock set forward or a machine woken from sleep is noticed soon.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

const STEP_MAX: Duration = Duration::from_secs(30);

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::EPOCH.saturating_add(since)
    }

    fn sleep_until(&self, until: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            loop {
                let left = until.since(self.now());
                if left.is_zero() {
                    return;
                }
                tokio::time::sleep(left.min(STEP_MAX)).await;
            }
        })
    }
}
