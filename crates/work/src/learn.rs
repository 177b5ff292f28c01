//! Learning jobs: what is worked out now and then for everybody, by one node at a time.
//!
//! Each job is a file that loads, calls a pure crate, and stores. A job that fails is tried again later and keeps nobody
//! from reading (promise 6); one that is cut off starts again, because what it writes can be written twice.

use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::job;
use crate::network::Network;
use std::time::Duration;
use store::StoreError;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    /// When each person reads, and how each feed is read.
    Habits,
    /// What all feeds have in common.
    Population,
    /// What more or fewer polls would give.
    Frontier,
    /// What feeds are about, in groups.
    Topics,
    /// What each person likes.
    Tastes,
    /// Which feeds the same people follow.
    Together,
}

const JOBS: [Job; 6] = [Job::Habits, Job::Population, Job::Frontier, Job::Topics, Job::Tastes, Job::Together];
const HOUR: Duration = Duration::from_secs(3_600);
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// A node that takes longer is taken for dead.
const JOB_MAX: Duration = Duration::from_secs(1_800);
const AGAIN_AFTER_FAILURE: Duration = Duration::from_secs(600);

impl Job {
    fn name(self) -> &'static str {
        match self {
            Job::Habits => "habits",
            Job::Population => "population",
            Job::Frontier => "frontier",
            Job::Topics => "topics",
            Job::Tastes => "tastes",
            Job::Together => "together",
        }
    }

    fn every(self) -> Duration {
        match self {
            Job::Habits | Job::Population | Job::Together => 24 * HOUR,
            Job::Frontier => HOUR,
            // Sooner while there are many new feeds.
            Job::Topics => job::topics::EVERY,
            Job::Tastes => job::tastes::EVERY,
        }
    }
}

impl<N: Network, C: Clock> Crawler<N, C> {
    /// Runs jobs when their time comes, until told to stop.
    pub async fn learn(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = self.learn_cycle() => {}
            }
            let next = self.clock.now().saturating_add(LOOK_EVERY);
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.clock.sleep_until(next) => {}
            }
        }
    }

    /// Runs every job that nobody else runs and whose time has come; answers how many.
    pub async fn learn_cycle(&self) -> usize {
        let mut done = 0;
        for job in JOBS {
            match self.run_job(job).await {
                Ok(true) => done += 1,
                Ok(false) => {}
                Err(error) => tracing::error!(%error, job = job.name(), "a learning job failed"),
            }
        }
        done
    }

    async fn run_job(&self, job: Job) -> Result<bool, StoreError> {
        let (store, node, started) = (&self.store, &self.settings.node, self.clock.now());
        if !store.claim_job(job.name(), node, started, JOB_MAX).await? {
            return Ok(false);
        }
        let result = match job {
            Job::Habits => job::habits::run(store, started).await.map(|()| job.every()),
            Job::Population => job::population::run(store, &self.cpu).await.map(|()| job.every()),
            Job::Together => job::together::run(store, &self.cpu).await.map(|()| job.every()),
            Job::Frontier => {
                let known = self.knowledge().await;
                let policy = self.policy_now();
                job::frontier::run(store, &self.cpu, &known, policy, started).await.map(|()| job.every())
            }
            Job::Topics => job::topics::run(store, &self.cpu).await,
            Job::Tastes => job::tastes::run(store, started).await.map(|()| job.every()),
        };
        let now = self.clock.now().max(started);
        let again = *result.as_ref().unwrap_or(&AGAIN_AFTER_FAILURE);
        store.finish_job(job.name(), node, now, now.saturating_add(again)).await?;
        result.map(|_| {
            tracing::debug!(job = job.name(), took_ms = now.since(started).as_millis(), "learned");
            true
        })
    }
}
