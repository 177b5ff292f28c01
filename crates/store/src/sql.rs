//! One SQL text, two databases.
//!
//! A statement is a constant made by [`sql!`]: what it does in words (for errors), and its text. The two databases
//! read the same text except for a handful of named pieces, all listed in [`piece!`]. [`Conn`] runs statements, so no
//! other file mentions a database by name unless its behaviour really differs.
//!
//! Batches travel as one JSON parameter: `rows` in a statement is a table with one column `value`, one row per
//! element of `$1`. Blobs cannot travel in JSON; they are passed as one long blob (`blob` in a
//! statement, `$2`) and cut out with `substr`.

use crate::archive::{Kind, Table, hex};
use crate::backup::Out;
use crate::error::{Result, StoreError};
use crate::pack::clean;
use futures_util::TryStreamExt;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{FromRow, PgConnection, Postgres, Row as _, Sqlite, SqliteConnection};

/// A statement for both databases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sql {
    /// Completes "the database failed while …".
    pub(crate) doing: &'static str,
    pub(crate) lite: &'static str,
    pub(crate) pg: &'static str,
}

/// `sql!("finding due feeds", "SELECT …" lock "…")`: string literals are the same for both, bare words are pieces.
macro_rules! sql {
    ($doing:literal, $($part:tt)+) => {
        $crate::sql::Sql {
            doing: $doing,
            lite: concat!($($crate::sql::piece!(lite $part)),+),
            pg: concat!($($crate::sql::piece!(pg $part)),+),
        }
    };
}

/// Everything the two databases spell differently.
macro_rules! piece {
    ($database:ident $text:literal) => { $text };
    // One row per element of the JSON array $1.
    (lite rows) => { "(SELECT value FROM jsonb_each($1)) AS r" };
    (pg rows) => { "jsonb_array_elements(CAST($1 AS jsonb)) AS r(value)" };
    // The batch's blobs, one after the other.
    (lite blob) => { "$2" };
    (pg blob) => { "CAST($2 AS bytea)" };
    // As many unused item numbers as `rows` has rows (which are 1, 2, 3, …).
    (lite item_numbers) => {
        "SELECT CAST(r.value AS BIGINT) + (SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'item')
         FROM jsonb_each($1) AS r"
    };
    (pg item_numbers) => {
        "WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(7323, hashtext(current_schema())))
         SELECT nextval(pg_get_serial_sequence('item', 'id'))
         FROM held CROSS JOIN jsonb_array_elements(CAST($1 AS jsonb)) AS r(value)"
    };
    // Followers hear only of numbers that nobody is still at work on (`follow.rs`): `hold INSERT … FROM rows held` takes
    // the lock that says so before a row is numbered. Locks are the database's, numbers a schema's.
    (lite hold) => { "" };
    (pg hold) => {
        "WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(7323, hashtext(current_schema()))) "
    };
    (lite held) => { "" };
    (pg held) => { " CROSS JOIN held" };
    (lite hold_numbers) => { "SELECT CAST(0 AS BIGINT)" };
    (pg hold_numbers) => {
        "WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(7323, hashtext(current_schema())))
         SELECT CAST(0 AS BIGINT) FROM held"
    };
    (lite number_holders) => { "SELECT '' WHERE false" };
    (pg number_holders) => {
        "SELECT virtualtransaction FROM pg_locks WHERE locktype = 'advisory' AND classid = 7323
           AND objid = CAST(CAST(hashtext(current_schema()) AS BIGINT) & 4294967295 AS oid)
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    };
    // The highest numbers handed out: of items, of changes to them.
    (lite heights) => { "SELECT CAST(0 AS BIGINT), CAST(0 AS BIGINT)" };
    (pg heights) => {
        "SELECT COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence('item', 'id') AS regclass)),
             (SELECT MAX(id) FROM item), 0),
         COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence('item_change', 'id') AS regclass)),
             (SELECT MAX(id) FROM item_change), 0)"
    };
    // What the database takes on its disk.
    (lite database_bytes) => {
        "SELECT p.page_count * s.page_size FROM pragma_page_count() AS p, pragma_page_size() AS s"
    };
    (pg database_bytes) => { "SELECT pg_database_size(current_database())" };
    (lite greatest) => { "MAX" };
    (pg greatest) => { "GREATEST" };
    // SQLite has one writer; PostgreSQL must be told which rows a transaction is about to decide on.
    (lite lock) => { "" };
    (pg lock) => { " FOR UPDATE OF t" };
    (lite lock_free) => { "" };
    (pg lock_free) => { " FOR UPDATE OF t SKIP LOCKED" };
    // A feed f with its schedule s, as `FeedRow` reads it.
    ($database:ident feed_columns) => {
        "f.id, f.url, f.private_to, f.title, f.site_url, f.description, f.language, f.icon_url, f.format, f.hubs, \
         f.noindex, f.created_at, s.feed_state"
    };
    // A subscription u to a feed f with its schedule s and its icon k or nothing.
    ($database:ident subscription_columns) => {
        "f.id, f.url, f.private_to, f.title, f.site_url, f.description, f.language, f.icon_url, f.format, f.hubs, \
         f.noindex, f.created_at, s.feed_state, u.folder_id, u.title AS own_title, u.created_at AS subscribed_at, u.unread, \
         u.full_text, u.important, u.paused, u.weight, k.version AS icon, s.failures, s.failing_since, s.last_success_at, s.next_poll_at, \
         s.last_error, s.last_outcome, s.milliposts_per_day"
    };
    // A share h of a person u: an item i of a feed f.
    ($database:ident shared_columns) => {
        "u.id AS user_id, u.name AS user_name, h.item_id, h.shared_at, h.note, i.title, i.link, i.excerpt, \
         f.id AS feed_id, f.title AS feed_title, f.url AS feed_url"
    };
    // An account u, as `AccountRow` reads it.
    ($database:ident account_columns) => {
        "u.id AS user_id, u.name AS user_name, u.is_admin, u.created_at AS user_created_at, u.disabled, u.preferences"
    };
    // An item i as one person sees it: s is that person's subscription or nothing, m the read mark or nothing, and $2
    // the person. Whoever no longer subscribes has read it.
    ($database:ident list_columns) => {
        "i.id, i.feed_id, i.identity, i.title, i.link, i.author, i.published_at, i.first_seen_at, i.sort_at, \
         i.revision, i.excerpt, i.picture, i.words, i.playable, COALESCE(m.is_read, i.sort_at <= s.watermark, true) AS is_read, \
         EXISTS (SELECT 1 FROM star WHERE star.user_id = $2 AND star.item_id = i.id) AS is_starred, \
         (SELECT COALESCE(h.rule_id, 0) FROM hidden_item h WHERE h.user_id = $2 AND h.item_id = i.id) AS hidden_by"
    };
    // An item i of a feed f whole, with its body b or nothing.
    ($database:ident whole_columns) => {
        "i.id, i.feed_id, i.identity, i.title, i.link, i.author, i.published_at, i.first_seen_at, i.sort_at, \
         i.revision, i.excerpt, i.picture, i.words, i.playable, true AS is_read, false AS is_starred, \
         CAST(NULL AS BIGINT) AS hidden_by, f.language AS feed_language, b.body"
    };
    // A feed f with its schedule s, its profile p and its icon k or nothing, as `channels.rs` reads it.
    ($database:ident channel_columns) => {
        "f.id, COALESCE(p.revision, 0) AS revision, f.url, f.title, f.site_url, f.description, \
         COALESCE(p.language, f.language) AS language, k.version AS icon, f.private_to, s.milliposts_per_day, \
         s.subscribers, f.items, p.latest, p.general, p.change, p.cohesion"
    };
    // Whether a feed with the schedule s is there to be followed: it is polled, and did not answer three times in a row
    // that there is nothing any more.
    ($database:ident is_there) => {
        "(s.feed_state = 'active' AND (s.failures < 3 OR COALESCE(s.last_outcome, '') NOT IN ('gone', 'not-found')))"
    };
    // `JOIN each … each_end`: for every row on the left, the few rows x of `item` the text between selects, as i.
    (lite each) => { " item AS i ON i.id IN (SELECT x.id FROM item AS x " };
    (pg each) => { " LATERAL (SELECT x.* FROM item AS x " };
    (lite each_end) => { ") " };
    (pg each_end) => { ") AS i ON true " };
}

pub(crate) use {piece, sql};

/// A value bound to a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arg<'a> {
    Int(Option<i64>),
    Bool(bool),
    Text(Option<&'a str>),
    Blob(Option<&'a [u8]>),
}

impl From<i64> for Arg<'_> {
    fn from(value: i64) -> Self {
        Arg::Int(Some(value))
    }
}
impl From<Option<i64>> for Arg<'_> {
    fn from(value: Option<i64>) -> Self {
        Arg::Int(value)
    }
}
impl From<bool> for Arg<'_> {
    fn from(value: bool) -> Self {
        Arg::Bool(value)
    }
}
impl<'a> From<&'a str> for Arg<'a> {
    fn from(value: &'a str) -> Self {
        Arg::Text(Some(value))
    }
}
impl<'a> From<Option<&'a str>> for Arg<'a> {
    fn from(value: Option<&'a str>) -> Self {
        Arg::Text(value)
    }
}
impl<'a> From<&'a String> for Arg<'a> {
    fn from(value: &'a String) -> Self {
        Arg::Text(Some(value))
    }
}
impl<'a> From<&'a [u8]> for Arg<'a> {
    fn from(value: &'a [u8]) -> Self {
        Arg::Blob(Some(value))
    }
}
impl<'a> From<Option<&'a [u8]>> for Arg<'a> {
    fn from(value: Option<&'a [u8]>) -> Self {
        Arg::Blob(value)
    }
}
impl<'a> From<&'a Vec<u8>> for Arg<'a> {
    fn from(value: &'a Vec<u8>) -> Self {
        Arg::Blob(Some(value))
    }
}
macro_rules! arg_from_newtype {
    ($($name:ty => $field:tt),+) => { $(
        impl From<$name> for Arg<'_> {
            fn from(value: $name) -> Self {
                Arg::Int(Some(value.$field))
            }
        }
    )+ };
}
arg_from_newtype!(
    domain::FeedId => 0, domain::ItemId => 0, domain::UserId => 0, domain::FolderId => 0, domain::PollId => 0,
    domain::RuleId => 0, domain::SessionId => 0, domain::ImportId => 0, domain::SearchId => 0
);
impl From<domain::Timestamp> for Arg<'_> {
    fn from(value: domain::Timestamp) -> Self {
        Arg::Int(Some(value.micros()))
    }
}

/// `args![user, feed, now]`
macro_rules! args {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::Arg::from($value)),*] };
}
pub(crate) use args;

/// A struct read from the columns its fields are named after; one after `..` is a row of its own.
///
/// sqlx has a derive for this, which compiles most of sqlx a second time, for the compiler itself.
macro_rules! row {
    ($(#[$about:meta])* $vis:vis struct $name:ident {
        $(..$inner_vis:vis $inner:ident: $inner_type:ty,)?
        $($(#[$column_about:meta])* $column_vis:vis $column:ident: $type:ty),* $(,)?
    }) => {
        $(#[$about])*
        $vis struct $name {
            $($inner_vis $inner: $inner_type,)?
            $($(#[$column_about])* $column_vis $column: $type,)*
        }
        $crate::sql::row!(@read sqlx::sqlite::SqliteRow, $name, $($inner,)? ; $($column),*);
        $crate::sql::row!(@read sqlx::postgres::PgRow, $name, $($inner,)? ; $($column),*);
    };
    (@read $row:ty, $name:ident, $($inner:ident,)? ; $($column:ident),*) => {
        impl sqlx::FromRow<'_, $row> for $name {
            fn from_row(row: &$row) -> Result<Self, sqlx::Error> {
                use sqlx::Row as _;
                Ok($name {
                    $($inner: sqlx::FromRow::from_row(row)?,)?
                    $($column: row.try_get(stringify!($column))?,)*
                })
            }
        }
    };
}
pub(crate) use row;

/// What reads from either database: a [`row!`], or a tuple of plain types.
pub(crate) trait Row:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{
}
impl<T> Row for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{}

/// One connection, held for one operation.
pub(crate) enum Conn {
    Lite(PoolConnection<Sqlite>),
    LiteSnapshot(sqlx::Transaction<'static, Sqlite>),
    Pg(PoolConnection<Postgres>),
    /// Dropped half-way it rolls back by itself, so a cancelled caller leaves nothing behind.
    PgWrite(sqlx::Transaction<'static, Postgres>),
}

/// The two connections under the ways of holding one.
enum Raw<'c> {
    Lite(&'c mut SqliteConnection),
    Pg(&'c mut PgConnection),
}

macro_rules! on {
    ($conn:expr, $sql:expr, $args:expr, |$query:ident, $c:ident| $body:expr) => {
        match $conn.raw() {
            Raw::Lite($c) => {
                let $query = bind_lite(sqlx::query($sql.lite), $args);
                $body
            }
            Raw::Pg($c) => {
                let $query = bind_pg(sqlx::query($sql.pg), $args);
                $body
            }
        }
        .map_err(|cause| StoreError::from_sqlx($sql.doing, cause))
    };
}

impl Conn {
    /// Runs a statement and tells how many rows it touched.
    pub(crate) async fn run(&mut self, sql: Sql, args: &[Arg<'_>]) -> Result<u64> {
        on!(self, sql, args, |query, c| query.execute(c).await.map(|done| done.rows_affected()))
    }

    pub(crate) async fn all<R: Row>(&mut self, sql: Sql, args: &[Arg<'_>]) -> Result<Vec<R>> {
        on!(self, sql, args, |query, c| {
            let mut rows = query.fetch(c);
            let mut read = Vec::new();
            loop {
                match rows.try_next().await {
                    Ok(Some(row)) => match R::from_row(&row) {
                        Ok(row) => read.push(row),
                        Err(cause) => break Err(cause),
                    },
                    Ok(None) => break Ok(read),
                    Err(cause) => break Err(cause),
                }
            }
        })
    }

    /// The first row, if there is one.
    pub(crate) async fn maybe<R: Row>(&mut self, sql: Sql, args: &[Arg<'_>]) -> Result<Option<R>> {
        Ok(self.all(sql, args).await?.into_iter().next())
    }

    /// The one row of an aggregate or of `RETURNING`.
    pub(crate) async fn one<R: Row>(&mut self, sql: Sql, args: &[Arg<'_>]) -> Result<R> {
        self.maybe(sql, args).await?.ok_or(StoreError::NotFound { what: "row" })
    }

    /// Writes every row of a table as a line of JSON, and tells how many there were.
    pub(crate) async fn export(&mut self, table: &Table, out: &mut Out<'_>) -> Result<u64> {
        on!(self, table.read, args![], |query, c| {
            let mut rows = query.fetch(c);
            let mut written = 0;
            loop {
                match rows.try_next().await {
                    Ok(Some(row)) => {
                        let mut line = serde_json::Map::new();
                        for (at, (name, kind)) in table.columns.iter().enumerate() {
                            let value = match kind {
                                Kind::Int => row.try_get::<Option<i64>, _>(at).map(serde_json::Value::from),
                                Kind::Bool => row.try_get::<Option<bool>, _>(at).map(serde_json::Value::from),
                                Kind::Text => {
                                    row.try_get::<Option<String>, _>(at).map(serde_json::Value::from)
                                }
                                Kind::Blob => {
                                    let blob = row.try_get::<Option<Vec<u8>>, _>(at);
                                    blob.map(|blob| blob.map(|blob| hex(&blob)).into())
                                }
                            };
                            let value =
                                value.map_err(|cause| StoreError::from_sqlx(table.read.doing, cause))?;
                            line.insert((*name).to_owned(), value);
                        }
                        out.line(&serde_json::Value::from(line).to_string()).await?;
                        written += 1;
                    }
                    Ok(None) => break Ok(written),
                    Err(cause) => break Err(cause),
                }
            }
        })
    }

    /// Statements without parameters or rows: savepoints and the like.
    pub(crate) async fn plain(&mut self, doing: &'static str, text: impl sqlx::SqlSafeStr) -> Result<()> {
        match self.raw() {
            Raw::Lite(c) => sqlx::raw_sql(text).execute(c).await.map(drop),
            Raw::Pg(c) => sqlx::raw_sql(text).execute(c).await.map(drop),
        }
        .map_err(|cause| StoreError::from_sqlx(doing, cause))
    }

    /// `PRAGMA max_page_count`; PostgreSQL has its own means.
    pub(crate) async fn set_pages_max(&mut self, pages: u64) -> Result<()> {
        let Raw::Lite(c) = self.raw() else { return Ok(()) };
        // Safe: a pragma takes no parameters, and this is a number.
        let pragma = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
        let set = sqlx::raw_sql(pragma).execute(c).await;
        set.map(drop).map_err(|cause| StoreError::from_sqlx("bounding the database's size", cause))
    }

    pub(crate) fn is_lite(&self) -> bool {
        matches!(self, Conn::Lite(_) | Conn::LiteSnapshot(_))
    }

    fn raw(&mut self) -> Raw<'_> {
        match self {
            Conn::Lite(c) => Raw::Lite(c),
            Conn::LiteSnapshot(c) => Raw::Lite(c),
            Conn::Pg(c) => Raw::Pg(c),
            Conn::PgWrite(c) => Raw::Pg(c),
        }
    }
}

/// The two databases' queries are two types that are bound alike.
macro_rules! bind {
    ($name:ident, $database:ty, $arguments:ty) => {
        fn $name<'q>(
            mut query: Query<'q, $database, $arguments>,
            args: &[Arg<'q>],
        ) -> Query<'q, $database, $arguments> {
            for arg in args {
                query = match *arg {
                    Arg::Int(value) => query.bind(value),
                    Arg::Bool(value) => query.bind(value),
                    Arg::Text(value) => query.bind(value.map(clean)),
                    Arg::Blob(value) => query.bind(value),
                };
            }
            query
        }
    };
}
bind!(bind_lite, Sqlite, SqliteArguments);
bind!(bind_pg, Postgres, PgArguments);

/// A batch as the JSON array that `rows` reads. NUL is left out: PostgreSQL can hold it in no text.
pub(crate) fn json_rows<T: serde::Serialize>(batch: &[T]) -> String {
    // Plain structs of numbers and strings always serialise.
    let json = serde_json::to_string(batch).unwrap_or_else(|_| "[]".into());
    if json.contains("\\u0000") { without_nul(&json) } else { json }
}

/// Drops the escape of NUL, but not a backslash that happens to stand before the text "u0000".
fn without_nul(json: &str) -> String {
    let mut kept = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        kept.push_str(before);
        if let Some(after) = escape.strip_prefix("\\u0000") {
            rest = after;
        } else {
            // A backslash and the ASCII character it escapes.
            let end = escape.len().min(2);
            kept.push_str(&escape[..end]);
            rest = &escape[end..];
        }
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_never_reaches_a_database_and_nothing_else_is_lost() {
        assert_eq!(json_rows(&["a\0b", "c\\u0000", "\\\0\n"]), r#"["ab","c\\u0000","\\\n"]"#);
    }
}
