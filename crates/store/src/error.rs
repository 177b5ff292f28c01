//! What can go wrong in the store: where it happened in words, why as the source.

use std::path::PathBuf;
use std::sync::Arc;

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Cloneable, because one failed commit answers every caller of its group.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    #[error("the disk or the configured database size is full: {doing} was not kept")]
    Full { doing: &'static str },
    #[error("the database cannot be reached: {doing}")]
    Unavailable {
        doing: &'static str,
        #[source]
        cause: Option<Arc<sqlx::Error>>,
    },
    #[error("{doing}")]
    Database {
        doing: &'static str,
        #[source]
        cause: Arc<sqlx::Error>,
    },
    #[error("opening the database at {place}")]
    Open {
        place: String,
        #[source]
        cause: Arc<sqlx::Error>,
    },
    #[error("bringing the database up to date")]
    Migrate {
        #[source]
        cause: Arc<sqlx::migrate::MigrateError>,
    },
    #[error(
        "this database is of version {found}, but this program only knows versions up to {known}; use a newer program"
    )]
    NewerSchema { found: i64, known: i64 },
    #[error("there is no such {what}")]
    NotFound { what: &'static str },
    #[error("{what}")]
    Conflict { what: String },
    #[error("a stored value cannot be read: {what}")]
    Damaged { what: String },
    #[error("an operation of the store broke off: {doing}")]
    Broken { doing: &'static str },
    #[error("{0}")]
    Archive(String),
    #[error("{path}: {what}")]
    File { path: PathBuf, what: String },
    #[error("{0}")]
    Secret(String),
}

impl StoreError {
    /// Sorts a database error by what the caller can do about it.
    pub(crate) fn from_sqlx(doing: &'static str, cause: sqlx::Error) -> Self {
        let cause = Arc::new(cause);
        match Trouble::of(&cause) {
            Trouble::Full => StoreError::Full { doing },
            Trouble::Unavailable => StoreError::Unavailable { doing, cause: Some(cause) },
            Trouble::Conflict | Trouble::Other => StoreError::Database { doing, cause },
        }
    }

    /// PostgreSQL asks to run the whole transaction again (serialization failure, deadlock).
    pub(crate) fn wants_retry(&self) -> bool {
        matches!(self, StoreError::Database { cause, .. } if matches!(Trouble::of(cause), Trouble::Conflict))
    }

    pub fn is_full(&self) -> bool {
        matches!(self, StoreError::Full { .. })
    }
}

enum Trouble {
    Full,
    Unavailable,
    Conflict,
    Other,
}

impl Trouble {
    fn of(error: &sqlx::Error) -> Trouble {
        match error {
            sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Trouble::Unavailable,
            sqlx::Error::Database(database) => match database.code().as_deref() {
                // SQLITE_FULL; disk_full.
                Some("13" | "53100") => Trouble::Full,
                // serialization_failure, deadlock_detected.
                Some("40001" | "40P01") => Trouble::Conflict,
                Some(code) if is_unavailable(code) => Trouble::Unavailable,
                _ => Trouble::Other,
            },
            _ => Trouble::Other,
        }
    }
}

fn is_unavailable(code: &str) -> bool {
    match code.parse::<u32>() {
        // SQLite: BUSY, LOCKED, IOERR, CANTOPEN, each with extended codes in the higher bytes.
        Ok(number) if code.len() < 5 => matches!(number & 0xff, 5 | 6 | 10 | 14),
        // PostgreSQL: connection trouble, too many connections, shutting down.
        _ => code.starts_with("08") || code.starts_with("53300") || code.starts_with("57P"),
    }
}
