//! Opening a store, and the two ways through it: `read` and `write`.
//!
//! Every method elsewhere is a few lines that call one of the two with its arguments and a plain function. Which
//! database is underneath is decided here and nowhere else.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::follow::Settled;
use crate::migrate;
use crate::sql::Conn;
use crate::wake::Wake;
use crate::writer::{Body, Call, Operation, PollLane, Writer, write_pg};
use domain::{Secret, Timestamp};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, PgPool, SqlitePool};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Where the data is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Sqlite(PathBuf),
    /// Gone when the store is closed; for simulations.
    SqliteMemory,
    /// A `postgres://` address; it may hold a password.
    Postgres(Secret),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreConfig {
    pub place: Place,
    /// False gives up promise 2 for speed: only for simulations and scratch benchmarks.
    pub durable: bool,
    /// Reading connections of SQLite, all connections of PostgreSQL; 1–64.
    pub readers: u32,
    /// Pages each SQLite connection keeps in memory, in KiB.
    pub page_cache_kib: u32,
    /// SQLite refuses to grow beyond this; writes then fail with [`StoreError::Full`] and reading goes on.
    pub size_bytes_max: Option<u64>,
    /// How long a feed waits when its very first poll ends in a crash: its own floor is not known yet.
    pub first_floor: Duration,
    /// The caller's thread waits for SQLite instead of doing something else, so that on a runtime of one thread the
    /// same calls always meet in the same order: only for simulations in memory, which must replay.
    pub one_thread: bool,
}

impl StoreConfig {
    pub fn new(place: Place) -> Self {
        // PostgreSQL writes through them as well, and one listens.
        let readers = if matches!(place, Place::Postgres(_)) { 16 } else { 4 };
        StoreConfig {
            place,
            durable: true,
            readers,
            page_cache_kib: 8 << 10,
            size_bytes_max: None,
            first_floor: Duration::from_secs(60 * 60),
            one_thread: false,
        }
    }
}

/// All that Wellread keeps. Cheap to clone; all clones are the same store.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    db: Db,
    pub(crate) wake: Wake,
    pub(crate) first_floor: Duration,
    /// Only where numbers can become visible out of order.
    pub(crate) settled: Option<tokio::sync::Mutex<Settled>>,
}

enum Db {
    Lite {
        writer: Writer,
        /// Absent for a database in memory, which has one connection only: reading then queues with writing.
        reader: Option<SqlitePool>,
        /// Keeps the write connection open; never used directly.
        write_pool: SqlitePool,
    },
    Pg {
        pool: PgPool,
        polls: PollLane,
    },
}

/// How long an operation waits for a connection before the caller hears that the database cannot be reached (b.2:
/// 503 within 2 s).
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);
/// A connection to PostgreSQL that was used this recently is not tested again.
const TRUSTED_FOR: Duration = Duration::from_secs(1);
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const SQLITE_PAGE_BYTES: u64 = 4096;

impl Store {
    /// Opens the database, creates or updates its tables, and refuses one from a newer program.
    #[boxed]
    pub async fn open(config: &StoreConfig, now: Timestamp) -> Result<Store> {
        let (db, wake) = match &config.place {
            Place::Sqlite(path) => (open_sqlite(config, Some(path)).await?, Wake::local()),
            Place::SqliteMemory => (open_sqlite(config, None).await?, Wake::local()),
            Place::Postgres(url) => {
                let pool = open_postgres(config, url).await?;
                let wake = Wake::across_nodes(&pool);
                (Db::Pg { polls: PollLane::start(pool.clone()), pool }, wake)
            }
        };
        tracing::debug!(at = %now, "the store is open");
        let settled = matches!(db, Db::Pg { .. }).then(tokio::sync::Mutex::default);
        Ok(Store { inner: Arc::new(Inner { db, wake, first_floor: config.first_floor, settled }) })
    }

    /// Finishes queued writes and closes all connections; later calls fail with [`StoreError::Unavailable`].
    #[boxed]
    pub async fn close(&self) {
        self.inner.wake.stop();
        match &self.inner.db {
            Db::Lite { writer, reader, write_pool } => {
                writer.stop().await;
                if let Some(reader) = reader {
                    reader.close().await;
                }
                write_pool.close().await;
            }
            Db::Pg { pool, .. } => pool.close().await,
        }
    }

    pub(crate) async fn read<A, T>(&self, doing: &'static str, args: A, body: Body<A, T>) -> Result<T>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
    {
        let done = self.perform(doing, Access::Read, Box::new(Call::new(args, body))).await?;
        Call::<A, T>::made(doing, done)
    }

    /// Reads everything as of one moment, however long it takes and whatever is written meanwhile.
    pub(crate) async fn snapshot<A, T>(&self, doing: &'static str, args: A, body: Body<A, T>) -> Result<T>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
    {
        let done = self.perform(doing, Access::Snapshot, Box::new(Call::new(args, body))).await?;
        Call::<A, T>::made(doing, done)
    }

    pub(crate) async fn write<A, T>(&self, doing: &'static str, args: A, body: Body<A, T>) -> Result<T>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
    {
        let done = self.perform(doing, Access::Write, Box::new(Call::new(args, body))).await?;
        Call::<A, T>::made(doing, done)
    }

    #[boxed]
    async fn perform(
        &self,
        doing: &'static str,
        access: Access,
        mut operation: Box<dyn Operation>,
    ) -> Result<Box<dyn Operation>> {
        let failed = |cause| StoreError::from_sqlx(doing, cause);
        let mut conn = match (&self.inner.db, access) {
            (Db::Lite { writer, .. }, Access::Write) | (Db::Lite { writer, reader: None, .. }, _) => {
                return writer.write(doing, operation).await;
            }
            (Db::Lite { reader: Some(reader), .. }, Access::Read) => {
                Conn::Lite(reader.acquire().await.map_err(failed)?)
            }
            (Db::Lite { reader: Some(reader), .. }, Access::Snapshot) => {
                Conn::LiteSnapshot(reader.begin().await.map_err(failed)?)
            }
            (Db::Pg { pool, .. }, Access::Write) => {
                write_pg(pool, doing, operation.as_mut()).await?;
                return Ok(operation);
            }
            (Db::Pg { pool, .. }, Access::Read) => Conn::Pg(pool.acquire().await.map_err(failed)?),
            (Db::Pg { pool, .. }, Access::Snapshot) => {
                let mut conn = Conn::PgWrite(pool.begin().await.map_err(failed)?);
                conn.plain(doing, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").await?;
                conn
            }
        };
        operation.run(&mut conn).await?;
        Ok(operation)
    }

    /// Stores a poll with its items in one transaction, or nothing of it when the lease is no longer the newest.
    #[boxed]
    pub async fn commit_poll(&self, commit: crate::PollCommit) -> Result<crate::Committed> {
        let wake = commit.wake;
        let committed = match &self.inner.db {
            Db::Lite { writer, .. } => writer.commit_poll(commit).await?,
            Db::Pg { polls, .. } => polls.commit_poll(commit).await?,
        };
        if wake && committed.accepted {
            self.wake();
        }
        if !committed.new_items.is_empty() || committed.changed > 0 {
            self.tell_followers();
        }
        Ok(committed)
    }
}

enum Access {
    Read,
    /// As of one moment.
    Snapshot,
    Write,
}

async fn open_sqlite(config: &StoreConfig, path: Option<&PathBuf>) -> Result<Db> {
    let shown = path.map_or_else(|| "memory".to_owned(), |path| path.display().to_string());
    let failed = |cause| StoreError::Open { place: shown.clone(), cause: Arc::new(cause) };
    let mut options = SqliteConnectOptions::new()
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .synchronous(if config.durable { SqliteSynchronous::Full } else { SqliteSynchronous::Off })
        .statement_cache_capacity(256)
        .pragma("temp_store", "memory")
        .pragma("cache_size", format!("-{}", config.page_cache_kib))
        // 16 MiB of log before pages move to the main file: fewer, larger checkpoints.
        .pragma("wal_autocheckpoint", "4096");
    options = match path {
        Some(path) => options.filename(path).create_if_missing(true).journal_mode(SqliteJournalMode::Wal),
        None => options.in_memory(true),
    };
    let mut write_options = options.clone();
    if let Some(bytes) = config.size_bytes_max {
        write_options = write_options.pragma("max_page_count", pages(bytes).to_string());
    }
    if let Some(path) = path {
        make_private(path);
    }
    let one = SqlitePoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None);
    let write_pool = one.connect_with(write_options).await.map_err(failed)?;
    migrate::run_lite(&write_pool).await?;
    let writer = Writer::start(write_pool.acquire().await.map_err(failed)?, config.one_thread);
    let reader = match path {
        None => None,
        Some(_) => Some(
            SqlitePoolOptions::new()
                .max_connections(config.readers.clamp(1, 64))
                .acquire_timeout(BUSY_TIMEOUT)
                .connect_with(options.pragma("query_only", "ON"))
                .await
                .map_err(failed)?,
        ),
    };
    Ok(Db::Lite { writer, reader, write_pool })
}

/// What people read and follow is in this file: made by SQLite itself, everybody on the machine could read it. Its log
/// gets the file's mode. What stops this stops SQLite as well, which then says so; a file that is there stays as it is.
fn make_private(path: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    drop(options.open(path));
}

async fn open_postgres(config: &StoreConfig, url: &Secret) -> Result<PgPool> {
    // The address may hold a password, so neither it nor the parser's complaint is shown whole.
    let failed = |cause| StoreError::Open { place: "PostgreSQL".to_owned(), cause: Arc::new(cause) };
    let mut options = PgConnectOptions::from_str(url.reveal()).map_err(failed)?.statement_cache_capacity(256);
    // Statements here are short and many; compiling one to machine code takes longer than running it.
    options = options.options([("jit", "off")]);
    if !config.durable {
        options = options.options([("synchronous_commit", "off")]);
    }
    let pool = PgPoolOptions::new()
        .max_connections(config.readers.clamp(4, 64))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // A connection is tested where it may have died unseen, not before every statement: that is a round trip each.
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > TRUSTED_FOR {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_with(options)
        .await
        .map_err(failed)?;
    migrate::run_pg(&pool).await?;
    Ok(pool)
}

pub(crate) fn pages(bytes: u64) -> u64 {
    (bytes / SQLITE_PAGE_BYTES).clamp(64, u64::from(u32::MAX) - 1)
}
