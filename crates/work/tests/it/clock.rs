//! Time in tests: a clock that stands where it is put, and one that moves when there is nothing left to do.

use domain::Timestamp;
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use work::Clock;

/// A clock that stands where it is put; who sleeps takes it along.
pub(crate) struct StillClock(AtomicI64);

impl StillClock {
    pub(crate) fn at(time: Timestamp) -> Arc<Self> {
        Arc::new(StillClock(AtomicI64::new(time.micros())))
    }

    pub(crate) fn set(&self, time: Timestamp) {
        self.0.store(time.micros(), Ordering::SeqCst);
    }
}

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }

    fn sleep_until(&self, until: Timestamp) -> BoxFuture<'_, ()> {
        self.set(until.max(self.now()));
        Box::pin(std::future::ready(()))
    }
}

/// A clock of a world on one thread: when everybody sleeps it moves on to the first who wakes.
pub(crate) struct VirtualClock(Mutex<Hands>);

struct Hands {
    now: Timestamp,
    /// By when they wake and, at the same time, in the order they fell asleep.
    sleepers: BTreeMap<(Timestamp, u64), Waker>,
    fell_asleep: u64,
}

impl VirtualClock {
    pub(crate) fn at(now: Timestamp) -> Arc<Self> {
        Arc::new(VirtualClock(Mutex::new(Hands { now, sleepers: BTreeMap::new(), fell_asleep: 0 })))
    }

    /// A runtime of one thread whose time is this clock's.
    pub(crate) fn runtime(self: &Arc<Self>) -> tokio::runtime::Runtime {
        let clock = Arc::clone(self);
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().on_thread_park(move || clock.wake_next()).build().unwrap()
    }

    fn wake_next(&self) {
        let mut hands = self.hands();
        let Some(((at, _), waker)) = hands.sleepers.pop_first() else { return };
        hands.now = hands.now.max(at);
        drop(hands);
        waker.wake();
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.0.lock().unwrap()
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        self.hands().now
    }

    fn sleep_until(&self, until: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(Sleep { clock: self, until, place: None })
    }
}

struct Sleep<'a> {
    clock: &'a VirtualClock,
    until: Timestamp,
    place: Option<u64>,
}

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Sleep { clock, until, place } = self.get_mut();
        let mut hands = clock.hands();
        if hands.now >= *until {
            return Poll::Ready(());
        }
        let place = *place.get_or_insert_with(|| {
            hands.fell_asleep += 1;
            hands.fell_asleep
        });
        hands.sleepers.insert((*until, place), context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            self.clock.hands().sleepers.remove(&(self.until, place));
        }
    }
}
