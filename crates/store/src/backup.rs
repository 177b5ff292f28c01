//! Writing an archive while the server runs, and restoring one into an empty store.
//!
//! A backup is one snapshot: a read transaction of SQLite, a repeatable-read transaction of PostgreSQL. A restore is
//! one transaction of either: after a failure the store is as empty as before. The two need not be the same database.

use crate::archive::{
    Checked, Close, FORMAT, Header, Open, TABLES, Table, Trailer, VERSION, hex, read, refuse,
};
use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::to_json;
use crate::follow::end_epoch;
use crate::migrate::{SCHEMA_VERSION, fill_2};
use crate::sql::{Conn, Sql, args, sql};
use crate::store::Store;
use crate::types::ArchiveSummary;
use domain::Timestamp;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tokio::sync::mpsc;

const IS_EMPTY: Sql = sql!(
    "looking whether the store is empty",
    "SELECT NOT EXISTS (SELECT 1 FROM user_account) AND NOT EXISTS (SELECT 1 FROM feed)
        AND NOT EXISTS (SELECT 1 FROM item) AND NOT EXISTS (SELECT 1 FROM setting)"
);

const COUNT_REVISIONS: Sql = sql!(
    "numbering revisions",
    "UPDATE counter SET value = (SELECT COALESCE(MAX(revision), 0) FROM feed_profile) WHERE name = 'channel'"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[IS_EMPTY, COUNT_REVISIONS];

/// Text gathered before it goes to the thread that compresses and writes.
const CHUNK_BYTES: usize = 256 << 10;
/// Rows restored by one statement.
const BATCH_ROWS: usize = 500;
const BATCH_BYTES: usize = 1 << 20;
const NOTE: &str =
    "Feed credentials in here are sealed; the key (secret.key) is not in this file. Keep it apart.";

impl Store {
    /// Writes everything into one file, readable by its owner only. The file appears under its name when complete.
    /// Sessions, wrong passwords, undos and leases stay behind on purpose: they are of the moment, and after a restore
    /// everybody signs in anew.
    #[boxed]
    pub async fn backup(&self, to: &Path, now: Timestamp) -> Result<ArchiveSummary> {
        let (chunks, queue) = mpsc::channel(4);
        let path = to.to_owned();
        let writing = tokio::task::spawn_blocking(move || write_file(&path, queue));
        let read = self
            .snapshot("backing up", (chunks, now), |c, (chunks, now)| Box::pin(export(c, chunks, *now)))
            .await;
        // The channel is closed by now: the thread finishes with success or notices the missing end.
        let written = writing.await.map_err(|_| refuse("the archive could not be written"))?;
        let summary = read?;
        written?;
        Ok(summary)
    }

    /// Restores an archive of either database into this store, which must be empty. The whole archive is checked
    /// first; a damaged, foreign, cut or newer one is refused with a sentence and changes nothing.
    #[boxed]
    pub async fn restore(&self, from: &Path) -> Result<ArchiveSummary> {
        let path = from.to_owned();
        let checked = tokio::task::spawn_blocking(move || read(&path, |_, _| Ok(())));
        let checked = checked.await.map_err(|_| refuse("the archive could not be read"))??;
        let (batches, queue) = mpsc::channel(4);
        let path = from.to_owned();
        let reading = tokio::task::spawn_blocking(move || read_batches(&path, &batches));
        let Checked { summary, schema } = checked;
        let args = (Mutex::new(Some(queue)), summary.rows, schema);
        self.write("restoring", args, |c, (queue, rows, schema)| Box::pin(import(c, queue, *rows, *schema)))
            .await?;
        reading.await.map_err(|_| refuse("the archive could not be read"))??;
        self.wake();
        self.tell_followers();
        Ok(summary)
    }
}

async fn export(c: &mut Conn, chunks: &mpsc::Sender<Vec<u8>>, now: Timestamp) -> Result<ArchiveSummary> {
    let mut out = Out { chunks, text: Vec::new(), hash: Sha256::new() };
    let header = Header {
        format: FORMAT.into(),
        version: VERSION,
        schema: SCHEMA_VERSION,
        made_at: now.micros(),
        note: NOTE.into(),
    };
    out.line(&to_json(&header)).await?;
    let mut summary = ArchiveSummary::default();
    for table in TABLES {
        out.line(&to_json(&Open { table: table.name.into() })).await?;
        let rows = c.export(table, &mut out).await?;
        out.line(&to_json(&Close { end: table.name.into(), rows })).await?;
        summary.tables.push((table.name.to_owned(), rows));
        summary.rows += rows;
    }
    summary.sha256 = hex(&out.hash.clone().finalize());
    out.line(&to_json(&Trailer { rows: summary.rows, sha256: summary.sha256.clone() })).await?;
    out.flush().await?;
    // An empty chunk says that this was all.
    chunks.send(Vec::new()).await.map_err(|_| refuse("the archive could not be written"))?;
    Ok(summary)
}

/// Lines on their way to the writing thread.
pub(crate) struct Out<'a> {
    chunks: &'a mpsc::Sender<Vec<u8>>,
    text: Vec<u8>,
    hash: Sha256,
}

impl Out<'_> {
    pub(crate) async fn line(&mut self, line: &str) -> Result<()> {
        self.hash.update(line.as_bytes());
        self.hash.update(b"\n");
        self.text.extend_from_slice(line.as_bytes());
        self.text.push(b'\n');
        if self.text.len() >= CHUNK_BYTES { self.flush().await } else { Ok(()) }
    }

    async fn flush(&mut self) -> Result<()> {
        let chunk = std::mem::take(&mut self.text);
        if chunk.is_empty() {
            return Ok(());
        }
        self.chunks
            .send(chunk)
            .await
            .map_err(|_| refuse("the archive could not be written (is the disk full?)"))
    }
}

fn write_file(path: &Path, mut queue: mpsc::Receiver<Vec<u8>>) -> Result<()> {
    let part = part_of(path);
    let written = write_part(&part, &mut queue).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&part);
        StoreError::File { path: path.to_owned(), what: format!("the archive could not be written: {error}") }
    })
}

fn write_part(part: &Path, queue: &mut mpsc::Receiver<Vec<u8>>) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut encoder = zstd::stream::write::Encoder::new(options.open(part)?, 3)?;
    while let Some(chunk) = queue.blocking_recv() {
        if chunk.is_empty() {
            return encoder.finish()?.sync_all();
        }
        encoder.write_all(&chunk)?;
    }
    Err(std::io::Error::other("the database could not be read to the end"))
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// Rows of one table as a JSON array.
type Batch = (&'static Table, String);

fn read_batches(path: &Path, batches: &mpsc::Sender<Batch>) -> Result<()> {
    let mut waiting: Option<(&'static Table, String, usize)> = None;
    let send = |(table, mut json, _): (&'static Table, String, usize)| {
        json.push(']');
        batches.blocking_send((table, json)).map_err(|_| refuse("the restore was broken off"))
    };
    read(path, |table, line| {
        let full = |(other, json, rows): &(&'static Table, String, usize)| {
            other.name != table.name || *rows >= BATCH_ROWS || json.len() >= BATCH_BYTES
        };
        if let Some(batch) = waiting.take_if(|batch| full(batch)) {
            send(batch)?;
        }
        match &mut waiting {
            Some((_, json, rows)) => {
                json.push(',');
                json.push_str(line);
                *rows += 1;
            }
            None => waiting = Some((table, format!("[{line}"), 1)),
        }
        Ok(())
    })
    .map(drop)?;
    waiting.map_or(Ok(()), send)
}

async fn import(
    c: &mut Conn,
    queue: &Mutex<Option<mpsc::Receiver<Batch>>>,
    expected: u64,
    schema: i64,
) -> Result<()> {
    let (is_empty,): (bool,) = c.one(IS_EMPTY, args![]).await?;
    if !is_empty {
        return Err(StoreError::Conflict {
            what: "this store is not empty; restore into a new one".to_owned(),
        });
    }
    // Taken once: a transaction that PostgreSQL asks to repeat cannot be, but into an empty store it never asks.
    let queue = queue.lock().ok().and_then(|mut queue| queue.take());
    let mut queue = queue.ok_or_else(|| refuse("the restore was broken off; please run it again"))?;
    let mut rows = 0;
    while let Some((table, json)) = queue.recv().await {
        rows += c.run(table.write, args![&json]).await?;
    }
    if rows != expected {
        return Err(refuse("the archive changed while it was read; nothing was restored"));
    }
    if schema < 2 {
        fill_2(c).await?;
    }
    end_epoch(c).await?;
    c.run(COUNT_REVISIONS, args![]).await?;
    for renumber in TABLES.iter().filter_map(|table| table.renumber) {
        let _next: Vec<(i64,)> = c.all(renumber, args![]).await?;
    }
    Ok(())
}
