//! "Something may be due": within a process by a flag, between nodes by PostgreSQL's NOTIFY.
//!
//! A wake-up is a hint. Losing one costs a delay, never a poll: the loop also asks [`crate::Store::next_due_at`].

use crate::Store;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

const CHANNEL: &str = "wellread_wake";
/// Transactions that notify wait for each other in PostgreSQL, so a node tells the others at most once a second.
const TELL_AT_MOST_EVERY: Duration = Duration::from_secs(1);

pub(crate) struct Wake {
    here: Arc<Notify>,
    others: Arc<Notify>,
    tasks: Vec<AbortHandle>,
}

impl Store {
    /// Returns when something may have become due since the last call. One waiter per process.
    pub async fn woken(&self) {
        self.inner.wake.here.notified().await;
    }

    /// Wakes whoever polls, on this node and on the others.
    pub fn wake(&self) {
        self.inner.wake.here.notify_one();
        self.inner.wake.others.notify_one();
    }
}

impl Wake {
    pub(crate) fn local() -> Self {
        Wake { here: Arc::default(), others: Arc::default(), tasks: Vec::new() }
    }

    pub(crate) fn across_nodes(pool: &PgPool) -> Self {
        let (here, others) = (Arc::<Notify>::default(), Arc::<Notify>::default());
        let tell = tokio::spawn(tell_others(pool.clone(), others.clone())).abort_handle();
        let hear = tokio::spawn(hear_others(pool.clone(), here.clone())).abort_handle();
        Wake { here, others, tasks: vec![tell, hear] }
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

async fn tell_others(pool: PgPool, asked: Arc<Notify>) {
    loop {
        asked.notified().await;
        if let Err(error) = sqlx::query("SELECT pg_notify($1, '')").bind(CHANNEL).execute(&pool).await {
            tracing::debug!(%error, "other nodes could not be woken");
        }
        tokio::time::sleep(TELL_AT_MOST_EVERY).await;
    }
}

async fn hear_others(pool: PgPool, here: Arc<Notify>) {
    loop {
        if let Ok(mut listener) = PgListener::connect_with(&pool).await
            && listener.listen(CHANNEL).await.is_ok()
        {
            while listener.recv().await.is_ok() {
                here.notify_one();
            }
        }
        tokio::time::sleep(TELL_AT_MOST_EVERY).await;
    }
}
