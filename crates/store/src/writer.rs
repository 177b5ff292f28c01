//! How writes reach the disk.
//!
//! SQLite: one task owns the one write connection. Callers send operations through a bounded channel; the task takes
//! what has gathered (at most 64 operations or 5 ms of work), runs it in one `BEGIN IMMEDIATE` transaction, each
//! operation inside a savepoint so that one failing does not fail the others, commits with `synchronous=FULL`, and
//! only then answers. So a caller that got an answer has its change on disk (promise 2), and a busy server pays one
//! fsync for many changes.
//!
//! PostgreSQL: every operation is its own transaction on the pool; the server groups commits itself. It is run again
//! when the server asks for it (deadlock, serialization failure), a bounded number of times.
//!
//! Polls are the one operation that comes by the thousand. Those waiting at the same time are stored by the same few
//! statements, on both databases; see [`crate::commit`].
//!
//! A simulation has all this on one thread (`one_thread`): what is gathered is then run to its end before any caller goes
//! on, so that how fast SQLite's own thread answers decides nothing.
//!
//! An operation is a plain function and its arguments, so that it can be run again; it must not hold state elsewhere.

use crate::commit::commit_polls;
use crate::error::{Result, StoreError};
use crate::sql::Conn;
use crate::types::{Committed, PollCommit};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Sqlite};
use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// The body of an operation: one function for both databases.
pub(crate) type Body<A, T> = for<'c> fn(&'c mut Conn, &'c A) -> BoxFuture<'c, Result<T>>;

const GROUP_OPERATIONS_MAX: usize = 64;
const GROUP_TIME_MAX: Duration = Duration::from_millis(5);
/// Packed bytes of the polls stored together; bounds the memory of a batch.
const POLL_BATCH_BYTES_MAX: usize = 4 << 20;
const QUEUE_OPERATIONS_MAX: usize = 256;
const ATTEMPTS_MAX: u32 = 8;

/// The door to the one writing connection of SQLite.
#[derive(Clone)]
pub(crate) struct Writer(mpsc::Sender<Message>);

/// The door to the task that stores polls together in PostgreSQL.
#[derive(Clone)]
pub(crate) struct PollLane(mpsc::Sender<PendingPoll>);

enum Message {
    Operation(Pending),
    Poll(Box<PendingPoll>),
    /// Finish what is queued before this, then stop.
    Stop,
}

struct Pending {
    doing: &'static str,
    operation: Box<dyn Operation>,
    reply: oneshot::Sender<Result<Box<dyn Operation>>>,
}

struct PendingPoll {
    commit: PollCommit,
    reply: oneshot::Sender<Result<Committed>>,
}

impl Writer {
    pub(crate) fn start(connection: PoolConnection<Sqlite>, one_thread: bool) -> Self {
        let (sender, queue) = mpsc::channel(QUEUE_OPERATIONS_MAX);
        tokio::spawn(run_groups(Conn::Lite(connection), queue, one_thread));
        Writer(sender)
    }

    /// Gives the operation back once what it wrote is on disk.
    pub(crate) async fn write(
        &self,
        doing: &'static str,
        operation: Box<dyn Operation>,
    ) -> Result<Box<dyn Operation>> {
        let (reply, answer) = oneshot::channel();
        self.0
            .send(Message::Operation(Pending { doing, operation, reply }))
            .await
            .map_err(|_| closed(doing))?;
        answer.await.map_err(|_| closed(doing))?
    }

    pub(crate) async fn commit_poll(&self, commit: PollCommit) -> Result<Committed> {
        let (reply, answer) = oneshot::channel();
        self.0
            .send(Message::Poll(Box::new(PendingPoll { commit, reply })))
            .await
            .map_err(|_| closed(POLLS))?;
        answer.await.map_err(|_| closed(POLLS))?
    }

    pub(crate) async fn stop(&self) {
        // Already stopped is as good.
        let _ = self.0.send(Message::Stop).await;
    }
}

impl PollLane {
    pub(crate) fn start(pool: PgPool) -> Self {
        let (sender, mut queue) = mpsc::channel::<PendingPoll>(QUEUE_OPERATIONS_MAX);
        tokio::spawn(async move {
            let mut gathered = Vec::new();
            while queue.recv_many(&mut gathered, GROUP_OPERATIONS_MAX).await > 0 {
                for batch in poll_batches(std::mem::take(&mut gathered)) {
                    store_batch_pg(&pool, batch).await;
                }
            }
        });
        PollLane(sender)
    }

    pub(crate) async fn commit_poll(&self, commit: PollCommit) -> Result<Committed> {
        let (reply, answer) = oneshot::channel();
        self.0.send(PendingPoll { commit, reply }).await.map_err(|_| closed(POLLS))?;
        answer.await.map_err(|_| closed(POLLS))?
    }
}

/// Runs one operation as its own transaction, again when the server asks for it.
pub(crate) async fn write_pg(
    pool: &PgPool,
    doing: &'static str,
    operation: &mut dyn Operation,
) -> Result<()> {
    let mut attempt = 1;
    loop {
        match try_write_pg(pool, doing, operation).await {
            Err(error) if error.wants_retry() && attempt < ATTEMPTS_MAX => {
                // Whoever we collided with needs a moment; the bounded number of attempts keeps this short.
                tokio::time::sleep(Duration::from_millis(u64::from(attempt) * 5)).await;
                attempt += 1;
            }
            done => return done,
        }
    }
}

async fn try_write_pg(pool: &PgPool, doing: &'static str, operation: &mut dyn Operation) -> Result<()> {
    let failed = |cause| StoreError::from_sqlx(doing, cause);
    let mut conn = Conn::PgWrite(pool.begin().await.map_err(failed)?);
    operation.run(&mut conn).await?;
    if let Conn::PgWrite(transaction) = conn {
        transaction.commit().await.map_err(failed)?;
    }
    Ok(())
}

const POLLS: &str = "storing polls";

fn closed(doing: &'static str) -> StoreError {
    StoreError::Unavailable { doing, cause: None }
}

/// Something to do with a connection, its types hidden: what runs, retries and commits it is compiled once for all.
pub(crate) trait Operation: Send {
    /// Runs the body and keeps what it made.
    fn run<'c>(&'c mut self, conn: &'c mut Conn) -> BoxFuture<'c, Result<()>>;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// An operation with its types.
pub(crate) struct Call<A, T> {
    args: A,
    body: Body<A, T>,
    made: Option<T>,
}

impl<A, T> Call<A, T>
where
    A: Send + Sync + 'static,
    T: Send + 'static,
{
    pub(crate) fn new(args: A, body: Body<A, T>) -> Self {
        Call { args, body, made: None }
    }

    /// What the body made.
    pub(crate) fn made(doing: &'static str, done: Box<dyn Operation>) -> Result<T> {
        let call = done.into_any().downcast::<Self>().ok();
        call.and_then(|call| call.made).ok_or_else(|| closed(doing))
    }
}

impl<A, T> Operation for Call<A, T>
where
    A: Send + Sync + 'static,
    T: Send + 'static,
{
    fn run<'c>(&'c mut self, conn: &'c mut Conn) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            self.made = Some((self.body)(conn, &self.args).await?);
            Ok(())
        })
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl Pending {
    /// Tells the caller, now that the group is on disk or has failed.
    fn answer(self, own: Result<()>, group: &Result<()>) {
        // A caller that stopped waiting is told nothing; its change is kept all the same.
        let _ = self.reply.send(group.clone().and(own).map(|()| self.operation));
    }
}

async fn run_groups(mut conn: Conn, mut queue: mpsc::Receiver<Message>, one_thread: bool) {
    let mut gathered = Vec::new();
    while queue.recv_many(&mut gathered, GROUP_OPERATIONS_MAX).await > 0 {
        let run = run_gathered(&mut conn, &mut gathered);
        let stop = if one_thread {
            // Without a budget: nobody could renew it before this ends.
            futures_executor::block_on(tokio::task::unconstrained(run))
        } else {
            run.await
        };
        if stop {
            return;
        }
    }
}

/// True when somebody said to stop.
async fn run_gathered(conn: &mut Conn, gathered: &mut Vec<Message>) -> bool {
    let (mut operations, mut polls, mut stop) = (Vec::new(), Vec::new(), false);
    for message in gathered.drain(..) {
        match message {
            Message::Operation(operation) if operation.reply.is_closed() => {}
            Message::Operation(operation) => operations.push(operation),
            Message::Poll(poll) => polls.push(*poll),
            Message::Stop => stop = true,
        }
    }
    // People and leases wait for these; polls do not mind.
    while !operations.is_empty() {
        operations = run_group(conn, operations).await;
    }
    for batch in poll_batches(polls) {
        store_batch_lite(conn, batch).await;
    }
    stop
}

/// Runs operations in one transaction until time is up; gives back those that are left.
async fn run_group(conn: &mut Conn, operations: Vec<Pending>) -> Vec<Pending> {
    let started = Instant::now();
    let mut waiting = operations.into_iter();
    let mut done = Vec::new();
    let mut group = conn.plain("beginning a group of changes", "BEGIN IMMEDIATE; SAVEPOINT operation").await;
    while group.is_ok() && (done.is_empty() || started.elapsed() < GROUP_TIME_MAX) {
        let Some(mut pending) = waiting.next() else { break };
        // A bug in one operation ends that operation, not the writer.
        let run = AssertUnwindSafe(pending.operation.run(conn)).catch_unwind().await;
        let own = run.unwrap_or(Err(StoreError::Broken { doing: pending.doing }));
        group = match &own {
            Ok(()) => conn.plain("keeping a change", "RELEASE operation; SAVEPOINT operation").await,
            // SQLite has already rolled everything back: the whole group failed.
            Err(full) if full.is_full() => Err(full.clone()),
            Err(_) => conn.plain("undoing a failed change", "ROLLBACK TO operation").await,
        };
        done.push((pending, own));
    }
    if group.is_ok() {
        group = conn.plain("keeping a group of changes", "RELEASE operation; COMMIT").await;
    }
    if group.is_err() {
        // There may be no transaction left to roll back; either way the next group starts clean.
        let _ = conn.plain("undoing a group of changes", "ROLLBACK").await;
        if done.is_empty() {
            // Nothing could even begin: everybody waiting hears of it, or this would spin.
            done.extend(waiting.by_ref().map(|pending| (pending, Ok(()))));
        }
    }
    for (pending, own) in done {
        pending.answer(own, &group);
    }
    waiting.collect()
}

/// Splits waiting polls so that a batch has each feed once and a bounded size.
fn poll_batches(polls: Vec<PendingPoll>) -> Vec<Vec<PendingPoll>> {
    let mut batches: Vec<(usize, Vec<PendingPoll>)> = Vec::new();
    for poll in polls {
        let bytes = poll.commit.items.iter().map(|item| item.packed.body.len()).sum::<usize>();
        let fits = |(size, batch): &&mut (usize, Vec<PendingPoll>)| {
            *size + bytes <= POLL_BATCH_BYTES_MAX
                && batch.iter().all(|other| other.commit.lease.feed != poll.commit.lease.feed)
        };
        match batches.iter_mut().find(fits) {
            Some((size, batch)) => {
                *size += bytes;
                batch.push(poll);
            }
            None => batches.push((bytes, vec![poll])),
        }
    }
    batches.into_iter().map(|(_, batch)| batch).collect()
}

async fn store_batch_lite(conn: &mut Conn, batch: Vec<PendingPoll>) {
    let (commits, replies): (Vec<_>, Vec<_>) =
        batch.into_iter().map(|poll| (poll.commit, poll.reply)).unzip();
    let together = transact_lite(conn, &commits).await;
    let alone = matches!(&together, Err(error) if commits.len() > 1 && !error.is_full());
    if !alone {
        answer_batch(replies, together);
        return;
    }
    // One bad poll must not take the others with it.
    for (commit, reply) in commits.iter().zip(replies) {
        let result = transact_lite(conn, std::slice::from_ref(commit)).await;
        answer_batch(vec![reply], result);
    }
}

async fn transact_lite(conn: &mut Conn, commits: &[PollCommit]) -> Result<Vec<Committed>> {
    conn.plain(POLLS, "BEGIN IMMEDIATE").await?;
    let run = AssertUnwindSafe(commit_polls(conn, commits)).catch_unwind().await;
    let mut result = run.unwrap_or(Err(StoreError::Broken { doing: POLLS }));
    if let Ok(committed) = result {
        result = conn.plain(POLLS, "COMMIT").await.map(|()| committed);
    }
    if result.is_err() {
        let _ = conn.plain("undoing a group of changes", "ROLLBACK").await;
    }
    result
}

async fn store_batch_pg(pool: &PgPool, batch: Vec<PendingPoll>) {
    let (commits, replies): (Vec<_>, Vec<_>) =
        batch.into_iter().map(|poll| (poll.commit, poll.reply)).unzip();
    let (commits, together) = transact_pg(pool, commits).await;
    if together.is_ok() || commits.len() < 2 {
        answer_batch(replies, together);
        return;
    }
    for (commit, reply) in commits.into_iter().zip(replies) {
        answer_batch(vec![reply], transact_pg(pool, vec![commit]).await.1);
    }
}

async fn transact_pg(pool: &PgPool, commits: Vec<PollCommit>) -> (Vec<PollCommit>, Result<Vec<Committed>>) {
    let mut call =
        Call::new(commits, |conn, commits: &Vec<PollCommit>| Box::pin(commit_polls(conn, commits)));
    let run = AssertUnwindSafe(write_pg(pool, POLLS, &mut call)).catch_unwind().await;
    let run = run.unwrap_or(Err(StoreError::Broken { doing: POLLS }));
    let committed = run.and_then(|()| call.made.ok_or_else(|| closed(POLLS)));
    (call.args, committed)
}

fn answer_batch(replies: Vec<oneshot::Sender<Result<Committed>>>, result: Result<Vec<Committed>>) {
    match result {
        Ok(committed) => {
            for (reply, committed) in replies.into_iter().zip(committed) {
                let _ = reply.send(Ok(committed));
            }
        }
        Err(error) => {
            for reply in replies {
                let _ = reply.send(Err(error.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Place, Store, StoreConfig};
    use domain::Timestamp;

    async fn store() -> Store {
        let config = StoreConfig { durable: false, ..StoreConfig::new(Place::SqliteMemory) };
        Store::open(&config, Timestamp::EPOCH).await.expect("opens")
    }

    async fn put(c: &mut Conn, name: &str) -> Result<()> {
        const PUT: crate::sql::Sql =
            crate::sql::sql!("putting", "INSERT INTO setting (name, value) VALUES ($1, '')");
        c.run(PUT, crate::sql::args![name]).await.map(drop)
    }

    #[tokio::test]
    async fn one_operation_failing_or_panicking_takes_nothing_else_with_it() {
        let store = store().await;
        let mut group = Vec::new();
        for n in 0..30 {
            let store = store.clone();
            group.push(tokio::spawn(async move {
                match n % 3 {
                    0 => {
                        store
                            .write("fine", n, |c, n| Box::pin(async move { put(c, &n.to_string()).await }))
                            .await
                    }
                    1 => store.write("failing", n, |c, n| Box::pin(fail_half_way(c, *n))).await,
                    _ => store.write("panicking", n, |c, n| Box::pin(panic_half_way(c, *n))).await,
                }
            }));
        }
        for (n, task) in group.into_iter().enumerate() {
            let result = task.await.expect("the caller lives");
            match n % 3 {
                0 => assert!(result.is_ok()),
                1 => assert!(matches!(result, Err(StoreError::Database { .. })), "{result:?}"),
                _ => assert!(matches!(result, Err(StoreError::Broken { doing: "panicking" })), "{result:?}"),
            }
            let kept = store.setting(&n.to_string()).await.expect("reads");
            assert_eq!(kept.is_some(), n % 3 == 0, "operation {n}");
        }
    }

    /// Writes, then fails: what it wrote must not stay.
    async fn fail_half_way(c: &mut Conn, n: i32) -> Result<()> {
        put(c, &n.to_string()).await?;
        put(c, &n.to_string()).await
    }

    async fn panic_half_way(c: &mut Conn, n: i32) -> Result<()> {
        put(c, &n.to_string()).await?;
        panic!("a bug in operation {n}");
    }
}
