//! One index in one folder: opened, told apart from a damaged or foreign one, shared between its writer and searches.
//!
//! `folder/lock` is held by the process that has the index open. `folder/current` is Tantivy's, with a `stamp` that
//! names our format. What cannot be used is moved to `folder/aside` and kept until the new index is whole.

use crate::error::Trouble;
use crate::files::Files;
use crate::schema::{self, Fields};
use crate::tokens::analyzers;
use crate::writer::Writer;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tantivy::{IndexReader, ReloadPolicy, Searcher};

/// Goes up whenever fields or words change their meaning; an index of another number is built again.
pub const FORMAT: u32 = 1;

/// Decompressed blocks of excerpts that are kept for the next page.
const EXCERPT_BLOCKS_KEPT: usize = 16;

/// The side that searches; cheap to clone, and good for as long as the process runs, whatever happens to the files.
#[derive(Clone)]
pub struct Index {
    pub(crate) shared: Arc<Shared>,
}

/// An index as it was found. The caller follows from `writer.after()` on.
pub struct Opened {
    pub index: Index,
    pub writer: Writer,
    pub found: Found,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// There was none.
    New,
    /// It goes on from its last commit.
    Resumed,
    /// There was one that cannot be used; an empty one took its place.
    SetAside(Defect),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Defect {
    OlderFormat(u32),
    NewerFormat(u32),
    Damaged(String),
}

/// How much of the store an answer can be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Whole,
    /// "Rebuilding, `done` of `of`": answers are about what is there. `of` is 0 until the caller has counted.
    Rebuilding {
        done: u64,
        of: u64,
    },
    /// Found while searching; the writer will build it again.
    Damaged,
}

pub(crate) struct Shared {
    live: RwLock<Arc<Live>>,
    whole: AtomicBool,
    of: AtomicU64,
    damage: Mutex<Option<String>>,
}

/// An opened index.
pub(crate) struct Live {
    pub index: tantivy::Index,
    pub reader: IndexReader,
    pub fields: Fields,
    #[cfg(test)]
    pub files: Files,
}

/// What is committed with the documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub(crate) struct Payload {
    /// The last item id followed.
    pub after: Option<i64>,
    /// The highest id ever put; a higher one cannot be in the index yet.
    pub highest: Option<i64>,
    /// The caller's own mark, for what it follows beside ids.
    pub mark: Option<String>,
    /// All that was in the store when it was built.
    pub whole: bool,
}

impl Index {
    /// Opens or makes the index in `folder`.
    pub fn open(folder: &Path) -> Result<Opened, Trouble> {
        fs::create_dir_all(folder).map_err(Trouble::io)?;
        let lock = lock(folder)?;
        let (live, payload, found) = take(folder, false)?;
        let shared = Arc::new(Shared {
            live: RwLock::new(Arc::new(live)),
            whole: AtomicBool::new(payload.whole),
            of: AtomicU64::new(0),
            damage: Mutex::new(None),
        });
        let index = Index { shared: Arc::clone(&shared) };
        let writer = Writer::new(shared, folder.to_path_buf(), lock, payload);
        Ok(Opened { index, writer, found })
    }

    pub fn state(&self) -> State {
        self.shared.state()
    }

    /// Items that can be found.
    pub fn items(&self) -> u64 {
        self.shared.live().reader.searcher().num_docs()
    }

    /// Reads every file and compares its checksum: a job for a quiet hour. Damage is remembered for the writer.
    pub fn verify(&self) -> Result<(), Trouble> {
        let live = self.shared.live();
        self.shared.guarded(|| match live.index.validate_checksum() {
            Ok(damaged) if damaged.is_empty() => Ok(()),
            Ok(damaged) => Err(Trouble::Damaged(format!("{} files have changed", damaged.len()))),
            Err(error) => Err(error.into()),
        })
    }
}

impl Shared {
    pub(crate) fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn replace(&self, live: Live, payload: &Payload) {
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(live);
        self.whole.store(payload.whole, Ordering::Release);
        *self.damage.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn set_whole(&self, whole: bool) {
        self.whole.store(whole, Ordering::Release);
    }

    pub(crate) fn set_of(&self, of: u64) {
        self.of.store(of, Ordering::Release);
    }

    pub(crate) fn damage(&self) -> Option<String> {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn state(&self) -> State {
        if self.damage().is_some() {
            return State::Damaged;
        }
        if self.whole.load(Ordering::Acquire) {
            return State::Whole;
        }
        let done = self.live().reader.searcher().num_docs();
        State::Rebuilding { done, of: self.of.load(Ordering::Acquire) }
    }

    /// Runs what reads the index. A panic on files that lie is damage, as is an error that says so.
    pub(crate) fn guarded<T>(&self, run: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
        let outcome = catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|_| Err(Trouble::Damaged("reading it failed".to_owned())));
        if let Err(Trouble::Damaged(what)) = &outcome {
            *self.damage.lock().unwrap_or_else(PoisonError::into_inner) = Some(what.clone());
        }
        outcome
    }
}

impl Live {
    pub(crate) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }
}

/// The index in `folder`, or an empty one in its place. `suspect` also compares checksums.
pub(crate) fn take(folder: &Path, suspect: bool) -> Result<(Live, Payload, Found), Trouble> {
    let current = folder.join("current");
    let found = match inspect(&current, suspect) {
        Ok((live, payload)) => return Ok((live, payload, Found::Resumed)),
        Err(Unusable::Absent) => Found::New,
        Err(Unusable::Defect(defect)) => {
            tracing::warn!(defect = ?defect, "the search index cannot be used; it is set aside and built again");
            set_aside(folder, &current).map_err(Trouble::io)?;
            Found::SetAside(defect)
        }
        Err(Unusable::Trouble(trouble)) => return Err(trouble),
    };
    let live = create(folder, &current)?;
    Ok((live, Payload::default(), found))
}

/// What was set aside is of no more use once the new index is whole.
pub(crate) fn forget_aside(folder: &Path) {
    if let Err(error) = remove(&folder.join("aside")) {
        tracing::warn!(%error, "the old search index cannot be removed");
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

enum Unusable {
    Absent,
    Defect(Defect),
    Trouble(Trouble),
}

impl From<Trouble> for Unusable {
    fn from(trouble: Trouble) -> Unusable {
        match trouble {
            Trouble::Damaged(what) => Unusable::Defect(Defect::Damaged(what)),
            trouble => Unusable::Trouble(trouble),
        }
    }
}

fn inspect(current: &Path, suspect: bool) -> Result<(Live, Payload), Unusable> {
    let damaged = |what: &str| Unusable::Defect(Defect::Damaged(what.to_owned()));
    match fs::read_dir(current).map(|mut entries| entries.next().is_none()) {
        Ok(true) => return Err(Unusable::Absent),
        Ok(false) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Unusable::Absent),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(damaged("it is not a folder"));
        }
        Err(error) => return Err(Trouble::io(error).into()),
    }
    let stamp = fs::read_to_string(stamp_path(current)).unwrap_or_default();
    match stamp.trim().strip_prefix(STAMP).and_then(|format| format.parse::<u32>().ok()) {
        Some(FORMAT) => {}
        Some(older) if older < FORMAT => return Err(Unusable::Defect(Defect::OlderFormat(older))),
        Some(newer) => return Err(Unusable::Defect(Defect::NewerFormat(newer))),
        None => return Err(damaged("its stamp is missing or cannot be read")),
    }
    let opened = catch_unwind(|| attach(current, suspect));
    opened.unwrap_or_else(|_| Err(Trouble::Damaged("reading it failed".to_owned()))).map_err(Unusable::from)
}

/// Opens every file of every segment, so that what is missing or cut is noticed now.
fn attach(current: &Path, suspect: bool) -> Result<(Live, Payload), Trouble> {
    let files = Files::open(current).map_err(tantivy::TantivyError::from)?;
    let index = tantivy::Index::open(files.clone())?;
    let (schema, fields) = schema::schema();
    if index.schema() != schema {
        return Err(Trouble::Damaged("its fields are not ours".to_owned()));
    }
    let payload = match index.load_metas()?.payload {
        Some(payload) => serde_json::from_str(&payload)
            .map_err(|error| Trouble::Damaged(format!("its last commit cannot be read: {error}")))?,
        None => Payload::default(),
    };
    if suspect && !index.validate_checksum()?.is_empty() {
        return Err(Trouble::Damaged("its files have changed".to_owned()));
    }
    let live = live(index, fields, files)?;
    for segment in live.searcher().segment_readers() {
        for column in [schema::ID, schema::FEED, schema::TIME] {
            segment.fast_fields().i64(column)?;
        }
        for field in [fields.id, fields.feed, fields.stems, fields.forms, fields.title] {
            segment.inverted_index(field)?;
        }
        segment.get_store_reader(1).map_err(Trouble::io)?;
    }
    Ok((live, payload))
}

/// Made beside and then renamed: there is never half an index.
fn create(folder: &Path, current: &Path) -> Result<Live, Trouble> {
    let new = folder.join("new");
    remove(&new).and_then(|()| fs::create_dir_all(&new)).map_err(Trouble::io)?;
    let files = Files::open(&new).map_err(tantivy::TantivyError::from)?;
    tantivy::Index::create(files, schema::schema().0, tantivy::IndexSettings::default())?;
    let stamped = File::create(stamp_path(&new)).and_then(|mut stamp| {
        stamp.write_all(format!("{STAMP}{FORMAT}\n").as_bytes())?;
        stamp.sync_all()
    });
    // An empty folder may be in the way.
    stamped.and_then(|()| remove(current)).and_then(|()| fs::rename(&new, current)).map_err(Trouble::io)?;
    attach(current, false).map(|(live, _)| live)
}

#[cfg_attr(not(test), expect(unused_variables, reason = "tests take room away through it"))]
fn live(mut index: tantivy::Index, fields: Fields, files: Files) -> Result<Live, Trouble> {
    index.set_tokenizers(analyzers());
    let reader = index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .doc_store_cache_num_blocks(EXCERPT_BLOCKS_KEPT)
        .try_into()?;
    Ok(Live {
        index,
        reader,
        fields,
        #[cfg(test)]
        files,
    })
}

fn lock(folder: &Path) -> Result<File, Trouble> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("lock"))
        .map_err(Trouble::io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Trouble::Locked),
        Err(TryLockError::Error(error)) => Err(Trouble::io(error)),
    }
}

fn set_aside(folder: &Path, current: &Path) -> io::Result<()> {
    let aside = folder.join("aside");
    remove(&aside)?;
    fs::rename(current, aside)
}

const STAMP: &str = "wellread search ";

fn stamp_path(current: &Path) -> PathBuf {
    current.join("stamp")
}

#[cfg(test)]
#[path = "index/tests.rs"]
mod tests;
