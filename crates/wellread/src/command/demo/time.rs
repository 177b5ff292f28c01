//! The demo's time: a clock that stands while the past is lived through, and one that hurries afterwards.

use domain::Timestamp;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use work::Clock;

/// Stands where it is put; whoever sleeps on it moves it.
pub(super) struct StillClock(AtomicI64);

impl StillClock {
    pub(super) fn at(time: Timestamp) -> Arc<Self> {
        Arc::new(StillClock(AtomicI64::new(time.micros())))
    }

    /// Never back.
    pub(super) fn advance(&self, to: Timestamp) {
        self.0.fetch_max(to.micros(), Ordering::SeqCst);
    }
}

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }

    fn sleep_until(&self, until: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.advance(until);
        Box::pin(ready(()))
    }
}

/// Stands until it is let go, then runs `speed` times as fast as the wall's.
pub(super) struct HurriedClock {
    begun: OnceLock<Instant>,
    start: Timestamp,
    speed: f64,
}

/// Longest real sleep at a time, so that a machine woken from sleep is noticed soon.
const STEP_MAX: Duration = Duration::from_secs(30);
const STEP_MIN: Duration = Duration::from_millis(1);

impl HurriedClock {
    pub(super) fn new(start: Timestamp, speed: f64) -> Arc<Self> {
        Arc::new(HurriedClock { begun: OnceLock::new(), start, speed })
    }

    pub(super) fn let_go(&self) {
        self.begun.get_or_init(Instant::now);
    }
}

impl Clock for HurriedClock {
    fn now(&self) -> Timestamp {
        let run = self.begun.get().map_or(Duration::ZERO, Instant::elapsed);
        self.start.saturating_add(run.mul_f64(self.speed))
    }

    fn sleep_until(&self, until: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            loop {
                let left = until.since(self.now());
                if left.is_zero() {
                    return;
                }
                // A time far away divided by a small speed is more than a duration holds; a step is enough.
                let real = left.as_secs_f64() / self.speed;
                let step =
                    if real < STEP_MAX.as_secs_f64() { Duration::from_secs_f64(real) } else { STEP_MAX };
                tokio::time::sleep(step.max(STEP_MIN)).await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn time_stands_until_moved_and_hurries_when_told_to() {
        let start = Timestamp::from_seconds(1_790_000_000);
        let still = StillClock::at(start);
        still.sleep_until(start.saturating_add(Duration::from_secs(3_600))).await;
        assert_eq!(still.now().since(start), Duration::from_secs(3_600));
        still.advance(start);
        assert_eq!(still.now().since(start), Duration::from_secs(3_600), "never back");

        let hurried = HurriedClock::new(start, 100_000.0);
        assert_eq!(hurried.now(), start);
        hurried.let_go();
        let until = start.saturating_add(Duration::from_secs(600));
        hurried.sleep_until(until).await;
        assert!(hurried.now() >= until);
    }
}
