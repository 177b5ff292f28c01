//! One bounded pool for work that burns CPU: parsing, sanitising, hashing, compressing. Never on async threads.
//!
//! A job past its deadline is abandoned by its caller but keeps its place until it really ends, so a flood of slow
//! documents cannot take more than the pool's share of the machine. A panic ends one job, not the process (P11).
//!
//! A simulation has no pool: which job ends first would be the machine's doing, and its seed would not replay.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

#[derive(Debug, Clone)]
pub struct CpuPool {
    /// None: on the caller's own thread.
    places: Option<Arc<Semaphore>>,
    deadline: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuFailure {
    /// The job panicked: a defect of ours.
    Panicked,
    /// The job ran longer than the deadline.
    TooLong,
}

impl CpuPool {
    pub fn new(deadline: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, NonZeroUsize::get);
        CpuPool { places: Some(Arc::new(Semaphore::new(cores))), deadline }
    }

    /// Every job is done where it is asked for, however long it takes; for simulations.
    pub fn on_one_thread() -> Self {
        CpuPool { places: None, deadline: Duration::MAX }
    }

    /// Runs `job` on the pool. Waiting for a place does not count against the deadline.
    pub async fn run<T, F>(&self, job: F) -> Result<T, CpuFailure>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        self.run_within(self.deadline, job).await
    }

    /// The same with a deadline of its own, for jobs over many feeds.
    pub async fn run_within<T, F>(&self, deadline: Duration, job: F) -> Result<T, CpuFailure>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        let Some(places) = &self.places else {
            return catch_unwind(AssertUnwindSafe(job)).map_err(|_| CpuFailure::Panicked);
        };
        let Ok(place) = Arc::clone(places).acquire_owned().await else {
            return Err(CpuFailure::TooLong); // The semaphore is never closed.
        };
        let running = tokio::task::spawn_blocking(move || {
            let result = job();
            drop(place);
            result
        });
        match tokio::time::timeout(deadline, running).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(_)) => Err(CpuFailure::Panicked),
            Err(_) => Err(CpuFailure::TooLong),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn p11_a_panic_ends_one_job_and_the_pool_lives() {
        for pool in [CpuPool::new(Duration::from_secs(60)), CpuPool::on_one_thread()] {
            for _ in 0..20 {
                assert_eq!(pool.run(|| panic!("planted")).await, Err::<(), _>(CpuFailure::Panicked));
            }
            assert_eq!(pool.run(|| 7).await, Ok(7));
        }
    }

    #[tokio::test]
    async fn a_job_past_its_deadline_is_abandoned_but_keeps_its_place() {
        let places = Arc::new(Semaphore::new(1));
        let pool = CpuPool { places: Some(Arc::clone(&places)), deadline: Duration::from_millis(20) };
        let (release, hold) = std::sync::mpsc::channel::<()>();
        let slow = pool.run(move || hold.recv().is_ok()).await;
        assert_eq!(slow, Err(CpuFailure::TooLong));
        assert_eq!(places.available_permits(), 0, "the slow job still runs");
        release.send(()).expect("the job waits");
        assert_eq!(pool.run(|| 1).await, Ok(1));
    }
}
