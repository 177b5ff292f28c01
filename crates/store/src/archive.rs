//! The portable archive: what it contains, and reading one with suspicion.
//!
//! A zstd stream of lines. The first line says what this is; then, table by table, a line that opens the table, one
//! JSON object per row, and a line that closes it with the number of rows; the last line has the SHA-256 of all lines
//! before it. Numbers are numbers, text is text, blobs are hex, and nothing in it belongs to one of the two databases.
//! Feed credentials are in it as they are in the database: sealed, and without the key (O8).
//!
//! An archive is checked from the first line to the last before anything of it is stored.

use crate::error::{Result, StoreError};
use crate::migrate::SCHEMA_VERSION;
use crate::sql::Sql;
use crate::types::ArchiveSummary;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

pub(crate) const FORMAT: &str = "wellread-archive";
pub(crate) const VERSION: u32 = 1;
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// A row with the largest body we store, in hex, and then some.
const LINE_BYTES_MAX: u64 = 128 << 20;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Int,
    Bool,
    Text,
    Blob,
}

pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    pub(crate) read: Sql,
    pub(crate) write: Sql,
    /// Brings the numbering of new rows behind the restored ones; PostgreSQL only.
    pub(crate) renumber: Option<Sql>,
}

macro_rules! value_of {
    ($database:ident Int $column:literal) => {
        concat!("CAST(r.value ->> '", $column, "' AS BIGINT)")
    };
    ($database:ident Bool $column:literal) => {
        concat!("CAST(r.value ->> '", $column, "' AS BOOLEAN)")
    };
    ($database:ident Text $column:literal) => {
        concat!("r.value ->> '", $column, "'")
    };
    (lite Blob $column:literal) => {
        concat!("unhex(r.value ->> '", $column, "')")
    };
    (pg Blob $column:literal) => {
        concat!("decode(r.value ->> '", $column, "', 'hex')")
    };
}

/// `table!("name", "column" Kind, …)`; the statements are put together by the compiler, so they stay constants.
macro_rules! table {
    ($name:literal numbered, $($rest:tt)+) => {
        Table {
            renumber: Some(Sql {
                doing: concat!("numbering ", $name),
                lite: "SELECT 0",
                pg: concat!("SELECT setval(pg_get_serial_sequence('", $name, "', 'id'), COALESCE(MAX(id), 0) + 1, false) \
                             FROM ", $name),
            }),
            ..table!($name, $($rest)+)
        }
    };
    ($name:literal, $first:literal $first_kind:ident $(, $column:literal $kind:ident)* $(,)?) => {
        Table {
            name: $name,
            columns: &[($first, Kind::$first_kind) $(, ($column, Kind::$kind))*],
            read: Sql {
                doing: concat!("reading the table ", $name),
                lite: concat!("SELECT ", $first $(, ", ", $column)*, " FROM ", $name, " ORDER BY 1, 2"),
                pg: concat!("SELECT ", $first $(, ", ", $column)*, " FROM ", $name, " ORDER BY 1, 2"),
            },
            write: Sql {
                doing: concat!("restoring the table ", $name),
                lite: concat!("INSERT INTO ", $name, " (", $first $(, ", ", $column)*, ") SELECT ",
                    value_of!(lite $first_kind $first) $(, ", ", value_of!(lite $kind $column))*,
                    " FROM (SELECT value FROM jsonb_each($1)) AS r"),
                pg: concat!("INSERT INTO ", $name, " (", $first $(, ", ", $column)*, ") SELECT ",
                    value_of!(pg $first_kind $first) $(, ", ", value_of!(pg $kind $column))*,
                    " FROM jsonb_array_elements(CAST($1 AS jsonb)) AS r(value)"),
            },
            renumber: None,
        }
    };
}

/// Every table, in an order in which each refers only to earlier ones. Leases, undos, sessions and wrong passwords are
/// of the moment and stay behind: whoever holds a copy of an old archive signs in by it as nobody. So do changes and
/// counters, which mean something to followers of this store only.
pub(crate) const TABLES: &[Table] = &[
    table!("user_account" numbered, "id" Int, "name" Text, "password_hash" Text, "is_admin" Bool, "created_at" Int,
        "disabled" Bool, "preferences" Text, "uncounted" Bool),
    // Numbered anew when restored: their numbers are for forms only.
    table!("api_token", "hash" Blob, "user_id" Int, "label" Text, "created_at" Int, "last_used_at" Int),
    table!("folder" numbered, "id" Int, "user_id" Int, "parent_id" Int, "name" Text),
    table!("feed" numbered, "id" Int, "url" Text, "private_to" Int, "title" Text, "site_url" Text, "description" Text,
        "language" Text, "icon_url" Text, "format" Text, "hubs" Text, "created_at" Int, "items" Int, "bytes" Int,
        "keep_age_s" Int, "keep_count" Int, "retention_at" Int, "noindex" Bool),
    table!("feed_secret", "feed_id" Int, "sealed" Blob),
    table!("schedule", "feed_id" Int, "next_poll_at" Int, "reason" Text, "state" Text, "feed_state" Text,
        "subscribers" Int, "provider" Text, "has_slot" Bool, "floor_s" Int, "lease_number" Int, "leased_at" Int,
        "failures" Int, "failing_since" Int, "last_success_at" Int, "milliposts_per_day" Int, "last_outcome" Text,
        "last_error" Text, "icon_at" Int, "demand" Int, "fixed_polls" Int, "attention" Text),
    table!("feed_icon", "feed_id" Int, "kind" Text, "bytes" Blob, "version" Int, "validators" Text),
    table!("provider", "name" Text, "free_at" Int, "busy_until" Int, "blocked_until" Int, "slot_at" Int,
        "requests" Int),
    table!("item" numbered, "id" Int, "feed_id" Int, "identity" Blob, "sort_at" Int, "published_at" Int,
        "first_seen_at" Int, "title" Text, "link" Text, "author" Text, "content_hash" Int, "revision" Int,
        "revised_at" Int, "bytes" Int, "excerpt" Text, "picture" Text, "words" Int, "playable" Bool),
    table!("item_body", "item_id" Int, "body" Blob),
    table!("full_text", "item_id" Int, "fetched_at" Int, "body" Blob),
    table!("item_name", "feed_id" Int, "name" Blob, "item_id" Int),
    table!("subscription", "user_id" Int, "feed_id" Int, "folder_id" Int, "title" Text, "created_at" Int,
        "watermark" Int, "unread" Int, "paused" Bool, "full_text" Bool, "important" Bool, "weight" Int),
    table!("read_mark", "user_id" Int, "feed_id" Int, "item_id" Int, "sort_at" Int, "is_read" Bool),
    table!("star", "user_id" Int, "item_id" Int, "sort_at" Int, "starred_at" Int),
    table!("item_tag", "user_id" Int, "tag" Text, "item_id" Int, "sort_at" Int, "tagged_at" Int),
    table!("hidden_item", "user_id" Int, "item_id" Int, "hidden_at" Int, "feed_id" Int, "sort_at" Int, "rule_id" Int,
        "was_unread" Bool),
    table!("media_position", "user_id" Int, "item_id" Int, "enclosure" Int, "position_ms" Int, "moved_at" Int),
    table!("rule" numbered, "id" Int, "user_id" Int, "folder_id" Int, "feed_id" Int, "content" Text, "enabled" Bool,
        "notice" Text, "created_at" Int),
    table!("opml_import" numbered, "id" Int, "user_id" Int, "name" Text, "started_at" Int, "left_out" Int,
        "feeds" Text, "complaints" Text),
    table!("poll" numbered, "id" Int, "feed_id" Int, "started_at" Int, "finished_at" Int, "outcome" Text,
        "http_status" Int, "wire_bytes" Int, "items_seen" Int, "items_new" Int, "items_changed" Int, "error" Text),
    table!("interaction" numbered, "id" Int, "user_id" Int, "item_id" Int, "feed_id" Int, "kind" Text, "at" Int,
        "place" Text, "position" Int, "dwell_ms" Int),
    table!("access_log" numbered, "id" Int, "user_id" Int, "at" Int, "feed_id" Int),
    table!("setting", "name" Text, "value" Text),
    table!("feed_day", "feed_id" Int, "day" Int, "polls" Int, "fruitful" Int, "dated" Int, "delay_ms" Int,
        "expected_ms" Int, "lost" Int),
    table!("habit", "user_id" Int, "content" Text, "learned_to" Int),
    table!("feed_profile", "feed_id" Int, "learned_to" Int, "newest_at" Int, "revision" Int, "state" Blob, "latest" Blob,
        "general" Blob, "change" Int, "cohesion" Int, "worth" Int, "language" Text),
    table!("model", "name" Text, "part" Int, "learned_to" Int, "state" Blob),
    table!("story_item", "item_id" Int, "story_id" Int, "feed_id" Int, "sort_at" Int, "why" Text),
    table!("saved_search" numbered, "id" Int, "user_id" Int, "name" Text, "query" Text, "created_at" Int,
        "seen_to" Int),
    table!("item_terms", "item_id" Int, "terms" Blob, "surfaces" Text),
    table!("taste", "user_id" Int, "revision" Int, "state" Blob, "surfaces" Text, "learned_to" Int, "topics_run" Int,
        "asked" Bool),
    table!("friend_request" numbered, "id" Int, "user_id" Int, "name" Text, "asked_at" Int, "state" Text),
    table!("friend", "user_id" Int, "friend_id" Int, "since" Int),
    table!("share", "user_id" Int, "item_id" Int, "feed_id" Int, "shared_at" Int, "note" Text),
    table!("share_address", "user_id" Int, "hash" Blob, "made_at" Int),
    table!("trial", "user_id" Int, "one" Text, "other" Text, "seed" Int, "started_at" Int, "ended_at" Int),
    table!("trial_click", "user_id" Int, "item_id" Int, "list_at" Int, "side" Int),
];

/// Tables that archives of older programs do not have: name, and the version that brought it.
const NEW_TABLES: &[(&str, i64)] = &[
    ("feed_icon", 2),
    ("full_text", 2),
    ("media_position", 2),
    ("rule", 2),
    ("opml_import", 2),
    ("feed_day", 3),
    ("habit", 3),
    ("feed_profile", 4),
    ("model", 4),
    ("story_item", 4),
    ("saved_search", 4),
    ("item_terms", 6),
    ("taste", 6),
    ("friend_request", 8),
    ("friend", 8),
    ("share", 8),
    ("share_address", 8),
    ("trial", 8),
    ("trial_click", 8),
];
/// Columns that rows of older programs do not have: the version that brought them, and what they are filled with. The
/// rest is done by the same statements as in the migration, once all rows are there.
const NEW_COLUMNS: &[(&str, i64, &[&str], FillWith)] = &[
    ("user_account", 2, &["disabled"], FillWith::False),
    ("user_account", 2, &["preferences"], FillWith::Text("{}")),
    ("api_token", 2, &["last_used_at"], FillWith::Null),
    ("schedule", 2, &["failures", "icon_at"], FillWith::Zero),
    (
        "schedule",
        2,
        &["failing_since", "last_success_at", "milliposts_per_day", "last_outcome", "last_error"],
        FillWith::Null,
    ),
    ("item", 2, &["excerpt", "picture"], FillWith::Null),
    ("item", 2, &["words"], FillWith::Zero),
    ("item", 2, &["playable"], FillWith::False),
    ("subscription", 2, &["paused", "full_text"], FillWith::False),
    ("hidden_item", 2, &["feed_id", "sort_at"], FillWith::Zero),
    ("hidden_item", 2, &["rule_id"], FillWith::Null),
    ("hidden_item", 2, &["was_unread"], FillWith::False),
    ("schedule", 3, &["demand", "fixed_polls"], FillWith::Zero),
    ("schedule", 3, &["attention"], FillWith::Null),
    ("subscription", 3, &["important"], FillWith::False),
    ("opml_import", 5, &["complaints"], FillWith::Text("[]")),
    ("feed", 5, &["noindex"], FillWith::False),
    ("subscription", 7, &["weight"], FillWith::Null),
    ("user_account", 8, &["uncounted"], FillWith::False),
];

#[derive(Clone, Copy)]
enum FillWith {
    Null,
    Zero,
    False,
    Text(&'static str),
}

/// An archive read from beginning to end.
pub(crate) struct Checked {
    pub(crate) summary: ArchiveSummary,
    /// Of the program that made it.
    pub(crate) schema: i64,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) format: String,
    pub(crate) version: u32,
    pub(crate) schema: i64,
    pub(crate) made_at: i64,
    /// For whoever looks into the file.
    pub(crate) note: String,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Open {
    pub(crate) table: String,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Close {
    pub(crate) end: String,
    pub(crate) rows: u64,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Trailer {
    pub(crate) rows: u64,
    pub(crate) sha256: String,
}

/// Reads an archive and hands every row, as its line, to `each` together with its table.
pub(crate) fn read(path: &Path, mut each: impl FnMut(&'static Table, &str) -> Result<()>) -> Result<Checked> {
    let file =
        File::open(path).map_err(|error| refuse(&format!("{} cannot be opened: {error}", path.display())))?;
    let mut file = BufReader::with_capacity(1 << 16, file);
    if !file.fill_buf().is_ok_and(|start| start.starts_with(&ZSTD_MAGIC)) {
        return Err(foreign());
    }
    let decoder = zstd::stream::read::Decoder::with_buffer(file).map_err(|_| foreign())?;
    let mut lines =
        Lines { input: BufReader::with_capacity(1 << 20, decoder), hash: Sha256::new(), line: String::new() };
    let schema = check_header(lines.next_hashed()?)?;
    let mut summary = ArchiveSummary::default();
    let is_there =
        |table: &&Table| NEW_TABLES.iter().all(|(name, since)| table.name != *name || schema >= *since);
    for table in TABLES.iter().filter(is_there) {
        let open: Open = parse(lines.next_hashed()?)?;
        if open.table != table.name {
            return Err(damaged(&format!("the table {} is missing", table.name)));
        }
        let rows = read_table(&mut lines, table, schema, &mut each)?;
        summary.tables.push((table.name.to_owned(), rows));
        summary.rows += rows;
    }
    summary.sha256 = hex(&lines.hash.clone().finalize());
    let trailer: Trailer = parse(lines.next()?)?;
    if trailer.sha256 != summary.sha256 || trailer.rows != summary.rows {
        return Err(damaged("its check sum does not match its content"));
    }
    if lines.read()? {
        return Err(damaged("something follows its end"));
    }
    Ok(Checked { summary, schema })
}

fn read_table<R: Read>(
    lines: &mut Lines<R>,
    table: &'static Table,
    schema: i64,
    each: &mut impl FnMut(&'static Table, &str) -> Result<()>,
) -> Result<u64> {
    let mut rows = 0;
    loop {
        let line = lines.next_hashed()?;
        let Value::Object(mut row) = parse(line)? else { return Err(damaged("a row is no object")) };
        if row.contains_key("end") {
            let close: Close = parse(line)?;
            if close.end != table.name || close.rows != rows {
                return Err(damaged(&format!("the table {} is not complete", table.name)));
            }
            return Ok(rows);
        }
        let older = fill(table.name, schema, &mut row);
        let fits = row.len() == table.columns.len()
            && table
                .columns
                .iter()
                .all(|(name, kind)| row.get(*name).is_some_and(|value| kind.accepts(value)));
        if !fits {
            return Err(damaged(&format!("a row of the table {} is not as it should be", table.name)));
        }
        if older {
            each(table, &Value::from(row).to_string())?;
        } else {
            each(table, line)?;
        }
        rows += 1;
    }
}

/// Adds what a row of an older program does not have; false when it has everything.
fn fill(table: &str, schema: i64, row: &mut Map<String, Value>) -> bool {
    let mut filled = false;
    let missing = |(name, since, ..): &&(&str, i64, &[&str], FillWith)| *name == table && schema < *since;
    for (_, _, columns, with) in NEW_COLUMNS.iter().filter(missing) {
        for column in *columns {
            let value = match with {
                FillWith::Null => Value::Null,
                FillWith::Zero => Value::from(0),
                FillWith::False => Value::from(false),
                FillWith::Text(text) => Value::from(*text),
            };
            filled |= row.insert((*column).to_owned(), value).is_none();
        }
    }
    filled
}

impl Kind {
    fn accepts(self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Bool(_) => self == Kind::Bool,
            Value::Number(number) => self == Kind::Int && number.is_i64(),
            Value::String(text) => match self {
                Kind::Text => !text.contains('\0'),
                Kind::Blob => text.len() % 2 == 0 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
                Kind::Int | Kind::Bool => false,
            },
            Value::Array(_) | Value::Object(_) => false,
        }
    }
}

struct Lines<R> {
    input: BufReader<R>,
    hash: Sha256,
    line: String,
}

impl<R: Read> Lines<R> {
    /// False at the end of the file.
    fn read(&mut self) -> Result<bool> {
        self.line.clear();
        let read = self.input.by_ref().take(LINE_BYTES_MAX).read_line(&mut self.line);
        let read = read.map_err(|error| damaged(&format!("it cannot be read to the end ({error})")))?;
        if read > 0 && !self.line.ends_with('\n') {
            return Err(damaged("it is cut short, or a line is longer than any we write"));
        }
        Ok(read > 0)
    }

    fn next(&mut self) -> Result<&str> {
        if self.read()? { Ok(&self.line) } else { Err(damaged("it is cut short")) }
    }

    fn next_hashed(&mut self) -> Result<&str> {
        if !self.read()? {
            return Err(damaged("it is cut short"));
        }
        self.hash.update(self.line.as_bytes());
        Ok(&self.line)
    }
}

/// The version of the tables of the program that made the archive.
fn check_header(line: &str) -> Result<i64> {
    let header: Header = serde_json::from_str(line).map_err(|_| foreign())?;
    if header.format != FORMAT {
        return Err(foreign());
    }
    if header.version > VERSION || header.schema > SCHEMA_VERSION {
        return Err(refuse(
            "this archive was made by a newer Wellread; use that version or a later one to restore it",
        ));
    }
    Ok(header.schema)
}

fn parse<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T> {
    serde_json::from_str(line).map_err(|_| damaged("a line cannot be read"))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

fn foreign() -> StoreError {
    refuse("this file is no archive of Wellread")
}

fn damaged(what: &str) -> StoreError {
    refuse(&format!("this archive is damaged: {what}; nothing was restored"))
}

pub(crate) fn refuse(what: &str) -> StoreError {
    StoreError::Archive(what.to_owned())
}
