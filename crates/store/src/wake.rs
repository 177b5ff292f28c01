//! "Something may be due", "there is something new to follow": within a process by a flag, between nodes by PostgreSQL's
//! NOTIFY.
//!
//! A wake-up is a hint. Losing one costs a delay, never a poll: the loop also asks [`crate::Store::next_due_at`], and
//! followers look again after a while.

use crate::Store;
use crate::boxed;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

const CHANNEL: &str = "wellread_wake";
/// What a notice says when it is for followers.
const ARRIVED: &str = "arrived";
/// Transactions that notify wait for each other in PostgreSQL, so a node tells the others at most once a second.
const TELL_AT_MOST_EVERY: Duration = Duration::from_secs(1);

pub(crate) struct Wake {
    here: Arc<Notify>,
    others: Arc<Notify>,
    arrived: watch::Sender<u64>,
    others_arrived: Arc<Notify>,
    tasks: Vec<AbortHandle>,
}

/// Tells when there may be items, changes or profiles to follow.
#[derive(Debug, Clone)]
pub struct Arrivals(watch::Receiver<u64>);

impl Arrivals {
    /// Returns when something has come since the last call. What came in between counts once.
    #[boxed]
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            // The store is gone; whoever waits is about to be stopped.
            std::future::pending::<()>().await;
        }
    }
}

impl Store {
    /// Returns when something may have become due since the last call. One waiter per process.
    #[boxed]
    pub async fn woken(&self) {
        self.inner.wake.here.notified().await;
    }

    pub fn arrivals(&self) -> Arrivals {
        Arrivals(self.inner.wake.arrived.subscribe())
    }

    /// Wakes followers, on this node and on the others.
    pub(crate) fn tell_followers(&self) {
        self.inner.wake.arrived.send_modify(|count| *count = count.wrapping_add(1));
        self.inner.wake.others_arrived.notify_one();
    }

    /// Wakes whoever polls, on this node and on the others.
    pub fn wake(&self) {
        self.inner.wake.here.notify_one();
        self.inner.wake.others.notify_one();
    }
}

impl Wake {
    pub(crate) fn local() -> Self {
        Wake {
            here: Arc::default(),
            others: Arc::default(),
            arrived: watch::Sender::new(0),
            others_arrived: Arc::default(),
            tasks: Vec::new(),
        }
    }

    pub(crate) fn across_nodes(pool: &PgPool) -> Self {
        let mut wake = Wake::local();
        let tell = tell_others(pool.clone(), wake.others.clone(), "");
        let tell_arrived = tell_others(pool.clone(), wake.others_arrived.clone(), ARRIVED);
        let hear = hear_others(pool.clone(), wake.here.clone(), wake.arrived.clone());
        wake.tasks = vec![
            tokio::spawn(tell).abort_handle(),
            tokio::spawn(tell_arrived).abort_handle(),
            tokio::spawn(hear).abort_handle(),
        ];
        wake
    }

    pub(crate) fn stop(&self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Drop for Wake {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn tell_others(pool: PgPool, asked: Arc<Notify>, what: &'static str) {
    loop {
        asked.notified().await;
        let notice = sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(what);
        if let Err(error) = notice.execute(&pool).await {
            tracing::debug!(%error, "other nodes could not be woken");
        }
        tokio::time::sleep(TELL_AT_MOST_EVERY).await;
    }
}

async fn hear_others(pool: PgPool, here: Arc<Notify>, arrived: watch::Sender<u64>) {
    loop {
        if let Ok(mut listener) = PgListener::connect_with(&pool).await
            && listener.listen(CHANNEL).await.is_ok()
        {
            while let Ok(notice) = listener.recv().await {
                if notice.payload() == ARRIVED {
                    arrived.send_modify(|count| *count = count.wrapping_add(1));
                } else {
                    here.notify_one();
                }
            }
        }
        tokio::time::sleep(TELL_AT_MOST_EVERY).await;
    }
}
