//! The side that writes: follows item ids, replaces, removes, commits.
//!
//! Everything up to a commit is on disk together with how far it followed, or none of it is. After trouble the writer
//! stands where the last commit stood: ask [`Writer::after`] and [`Writer::mark`] again, and go on from there.

use crate::document::{Entry, Waiting};
use crate::error::Trouble;
use crate::index::{self, Found, Payload, Shared};
use crate::item::ItemText;
use domain::{FeedId, ItemId};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tantivy::IndexWriter;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};

/// A change waits no longer than this for its commit, so that the index is in step within 5 s.
pub const COMMIT_AFTER: Duration = Duration::from_secs(2);
/// Nor do more documents than this.
pub const COMMIT_DOCUMENTS: usize = 5_000;
/// While building everything anew commits only serve to show progress and to resume. Each ends the segments that are
/// being filled, and many small ones cost more to write and to search than few large ones.
const REBUILD_COMMIT_AFTER: Duration = Duration::from_secs(60);
const REBUILD_COMMIT_DOCUMENTS: usize = 150_000;
/// The caller's own mark.
pub const MARK_BYTES_MAX: usize = 1_024;

const LIVE_HEAP_BYTES: usize = 32 << 20;
const REBUILD_HEAP_BYTES: usize = 100 << 20;
const REBUILD_THREADS: usize = 2;
/// Segments of more documents than this are not merged any further, which bounds what a merge reads and writes. Those
/// of a rebuild hold about half as many and are merged once: help with typing goes through the words of each segment.
const MERGE_DOCUMENTS_MAX: usize = 60_000;
/// From this share of removed documents on a segment is written again without them.
const REMOVED_SHARE_MAX: f32 = 0.3;

pub struct Writer {
    shared: Arc<Shared>,
    folder: PathBuf,
    inner: Option<IndexWriter<Entry>>,
    waiting: Arc<Waiting>,
    rebuilding: bool,
    committed: Payload,
    pending: Payload,
    documents: usize,
    since: Option<Instant>,
    _lock: File,
}

impl Writer {
    pub(crate) fn new(shared: Arc<Shared>, folder: PathBuf, lock: File, payload: Payload) -> Writer {
        Writer {
            shared,
            folder,
            inner: None,
            waiting: Arc::default(),
            rebuilding: false,
            committed: payload.clone(),
            pending: payload,
            documents: 0,
            since: None,
            _lock: lock,
        }
    }

    /// The last item followed, waiting for its commit or committed: ask the store for what comes after it.
    ///
    /// Ids must become visible in order. Where transactions overtake each other the caller asks the store only for
    /// ids older than the oldest transaction under way.
    pub fn after(&self) -> Option<ItemId> {
        self.pending.after.map(ItemId)
    }

    /// The caller's own mark, for what ids cannot tell: edits and removals.
    pub fn mark(&self) -> Option<&str> {
        self.pending.mark.as_deref()
    }

    /// Everything is being fed anew, about `of` items; until [`Writer::settle`] two threads work on it.
    pub fn rebuild(&mut self, of: u64) -> Result<(), Trouble> {
        self.shared.set_of(of);
        if !self.rebuilding {
            self.commit()?;
            self.inner = None;
            self.rebuilding = true;
            self.pending.whole = false;
            self.shared.set_whole(false);
        }
        Ok(())
    }

    /// All there was has been followed: from here on the index is whole.
    pub fn caught_up(&mut self) -> Result<(), Trouble> {
        if !self.rebuilding && self.committed.whole {
            return Ok(());
        }
        self.pending.whole = true;
        self.since.get_or_insert_with(Instant::now);
        self.commit()?;
        self.rebuilding = false;
        index::forget_aside(&self.folder);
        Ok(())
    }

    /// Waits for merges under way, and lets go of threads and memory. For when there is nothing to follow.
    pub fn settle(&mut self) -> Result<(), Trouble> {
        self.commit()?;
        if let Some(inner) = self.inner.take() {
            inner.wait_merging_threads()?;
        }
        let live = self.shared.live();
        self.shared.guarded(|| live.reader.reload().map_err(Trouble::from))
    }

    /// The next items after [`Writer::after`], in order of id. Those that are there already are replaced.
    pub fn follow(&mut self, items: &[ItemText]) -> Result<(), Trouble> {
        for item in items {
            let known = self.pending.highest.is_some_and(|highest| item.id.0 <= highest);
            self.add(item, known)?;
            self.pending.after = self.pending.after.max(Some(item.id.0));
        }
        Ok(())
    }

    /// Nothing to index up to `item`: what was there has gone, or is not to be found.
    pub fn skip_to(&mut self, item: ItemId) {
        if self.pending.after < Some(item.0) {
            self.pending.after = Some(item.0);
            self.since.get_or_insert_with(Instant::now);
        }
    }

    /// One item as it is now, followed or not yet; an edit.
    pub fn put(&mut self, item: &ItemText) -> Result<(), Trouble> {
        self.add(item, true)
    }

    pub fn remove(&mut self, items: &[ItemId]) -> Result<(), Trouble> {
        let fields = self.shared.live().fields;
        for item in items {
            self.inner()?.delete_term(fields.id_term(item.0));
            self.changed();
        }
        Ok(())
    }

    /// All items of a feed that nobody follows any more.
    pub fn remove_feed(&mut self, feed: FeedId) -> Result<(), Trouble> {
        let fields = self.shared.live().fields;
        self.inner()?.delete_term(fields.feed_term(feed.0));
        self.changed();
        Ok(())
    }

    /// Sets the caller's mark, committed together with what came before it. Longer ones are cut.
    pub fn set_mark(&mut self, mark: &str) {
        self.pending.mark = Some(mark[..mark.floor_char_boundary(MARK_BYTES_MAX)].to_owned());
        self.since.get_or_insert_with(Instant::now);
    }

    /// When a commit is due, for the caller's sleep; `None` when there is nothing to commit.
    pub fn due(&self) -> Option<Instant> {
        let (after, documents) = if self.rebuilding {
            (REBUILD_COMMIT_AFTER, REBUILD_COMMIT_DOCUMENTS)
        } else {
            (COMMIT_AFTER, COMMIT_DOCUMENTS)
        };
        let since = self.since?;
        Some(if self.documents >= documents { since } else { since + after })
    }

    /// Commits if a commit is due; says whether it did.
    pub fn commit_if_due(&mut self, now: Instant) -> Result<bool, Trouble> {
        match self.due() {
            Some(due) if due <= now => self.commit().map(|()| true),
            _ => Ok(false),
        }
    }

    /// Puts everything on disk and lets it be found.
    pub fn commit(&mut self) -> Result<(), Trouble> {
        if self.since.is_none() {
            return Ok(());
        }
        let payload = serde_json::to_string(&self.pending)
            .map_err(|error| Trouble::Damaged(format!("what to commit cannot be written: {error}")))?;
        let outcome = self.inner().and_then(|inner| {
            let mut prepared = inner.prepare_commit()?;
            prepared.set_payload(&payload);
            prepared.commit()?;
            Ok(())
        });
        if let Err(trouble) = outcome {
            return Err(self.give_up(trouble));
        }
        self.committed = self.pending.clone();
        self.documents = 0;
        self.since = None;
        self.shared.set_whole(self.committed.whole);
        let live = self.shared.live();
        self.shared.guarded(|| live.reader.reload().map_err(Trouble::from))
    }

    /// After [`Trouble::Damaged`]: looks at the files again, and if they cannot be used sets them aside and starts
    /// an empty index, while searches go on. The caller then follows from [`Writer::after`].
    pub fn reopen(&mut self) -> Result<Found, Trouble> {
        self.inner = None;
        let suspect = self.shared.damage().is_some();
        let (live, payload, found) = index::take(&self.folder, suspect)?;
        self.shared.replace(live, &payload);
        self.rebuilding = false;
        self.forget_pending(payload);
        Ok(found)
    }

    fn add(&mut self, item: &ItemText, replace: bool) -> Result<(), Trouble> {
        let fields = self.shared.live().fields;
        let waiting = Arc::clone(&self.waiting);
        let inner = self.inner()?;
        if replace {
            inner.delete_term(fields.id_term(item.id.0));
        }
        if let Err(error) = inner.add_document(waiting.enter(fields, item)) {
            // The threads that write have ended; what ended them is told when they are waited for.
            let cause = match inner.prepare_commit() {
                Err(cause) => cause,
                Ok(_) => error,
            };
            return Err(self.give_up(cause.into()));
        }
        self.pending.highest = self.pending.highest.max(Some(item.id.0));
        self.changed();
        Ok(())
    }

    fn changed(&mut self) {
        self.documents += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    fn inner(&mut self) -> Result<&mut IndexWriter<Entry>, Trouble> {
        if let Some(what) = self.shared.damage() {
            return Err(Trouble::Damaged(what));
        }
        if self.inner.is_none() {
            let (threads, heap) =
                if self.rebuilding { (REBUILD_THREADS, REBUILD_HEAP_BYTES) } else { (1, LIVE_HEAP_BYTES) };
            let options = IndexWriterOptions::builder()
                .num_worker_threads(threads)
                .memory_budget_per_thread(heap / threads)
                .num_merge_threads(1)
                .build();
            let inner: IndexWriter<Entry> = self.shared.live().index.writer_with_options(options)?;
            let mut policy = LogMergePolicy::default();
            policy.set_max_docs_before_merge(MERGE_DOCUMENTS_MAX);
            policy.set_del_docs_ratio_before_merge(REMOVED_SHARE_MAX);
            inner.set_merge_policy(Box::new(policy));
            self.inner = Some(inner);
        }
        self.inner.as_mut().ok_or_else(|| Trouble::Damaged("there is no writer".to_owned()))
    }

    /// Back to the last commit. Searches go on as they were.
    fn give_up(&mut self, trouble: Trouble) -> Trouble {
        self.inner = None;
        self.forget_pending(self.committed.clone());
        trouble
    }

    fn forget_pending(&mut self, payload: Payload) {
        self.committed = payload.clone();
        self.pending = payload;
        self.documents = 0;
        self.since = None;
    }
}
