//! One index and how it follows the store, a page at a time.

use crate::reading::searched;
use domain::{ItemId, Limits, Timestamp};
use learn::Summary;
use search::{ChannelText, Index, ItemText, Opened, State, Trouble, Writer};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Channel, ItemChange, ItemChangeKind, Store, StoreError};

/// Items and channels taken at a time.
const PAGE: u32 = 500;
const CHANGES: u32 = 500;
/// A folder that cannot be used is tried again after this long, a full disk and a silent store too.
const AGAIN_AFTER: Duration = Duration::from_secs(30);
const STORE_AGAIN_AFTER: Duration = Duration::from_secs(5);
/// With nothing to do for this long, threads and memory of the writer are given back.
const SETTLE_AFTER: Duration = Duration::from_secs(60);
/// Words of a profile that a channel is found by, of its latest items and in general.
const TERMS_LATEST: usize = 30;
const TERMS_GENERAL: usize = 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Items,
    Channels,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is more to do at once.
    More,
    Idle,
}

/// How far an index has followed what item ids cannot tell; committed with its documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    epoch: String,
    change: i64,
    #[serde(default)]
    revision: i64,
}

struct Held {
    index: Index,
    writer: Writer,
}

pub(crate) struct Keeper {
    kind: Kind,
    folder: PathBuf,
    store: Store,
    limits: Arc<Limits>,
    held: Option<Held>,
    /// None while it must be compared with the store first.
    mark: Option<Mark>,
    not_before: Option<Instant>,
    trouble: Option<String>,
    idle_since: Option<Instant>,
    news: bool,
}

/// Why a step went no further.
enum Halt {
    Trouble(Trouble),
    Store(StoreError),
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Self {
        Halt::Trouble(trouble)
    }
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Halt::Store(error)
    }
}

impl Keeper {
    pub(crate) fn new(kind: Kind, folder: PathBuf, store: Store, limits: Arc<Limits>) -> Self {
        Keeper {
            kind,
            folder,
            store,
            limits,
            held: None,
            mark: None,
            not_before: None,
            trouble: None,
            idle_since: None,
            news: false,
        }
    }

    pub(crate) fn index(&self) -> Option<Index> {
        self.held.as_ref().map(|held| held.index.clone())
    }

    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Whether handle or trouble changed since the last time it was asked.
    pub(crate) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// When the next commit is due.
    pub(crate) fn due_in(&self) -> Option<Duration> {
        let due = self.held.as_ref()?.writer.due()?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// Does one page of work. What goes wrong is said once and tried again later; searching goes on meanwhile.
    pub(crate) async fn step(&mut self) -> Step {
        if self.not_before.is_some_and(|at| Instant::now() < at) {
            return Step::Idle;
        }
        self.not_before = None;
        match self.advance().await {
            Ok(step) => {
                self.set_trouble(None);
                self.rest(step);
                step
            }
            Err(Halt::Store(error)) => {
                tracing::warn!(%error, index = self.name(), "the search index waits for the store");
                self.not_before = Some(Instant::now() + STORE_AGAIN_AFTER);
                Step::Idle
            }
            Err(Halt::Trouble(trouble)) => self.suffer(&trouble),
        }
    }

    /// Commits what is waiting. Nothing is lost if it cannot be: it is followed again.
    pub(crate) fn close(&mut self) {
        if let Some(held) = &mut self.held
            && let Err(trouble) = held.writer.settle()
        {
            tracing::warn!(%trouble, index = self.name(), "the search index could not be settled");
        }
    }

    async fn advance(&mut self) -> Result<Step, Halt> {
        self.open()?;
        if self.held.as_ref().is_some_and(|held| held.index.state() == State::Damaged) {
            return Err(Trouble::Damaged("a search could not read it".to_owned()).into());
        }
        if self.mark.is_none() {
            self.mark = Some(self.compare().await?);
        }
        let (Some(held), Some(mark)) = (&mut self.held, &mut self.mark) else { return Ok(Step::Idle) };
        let follower = Follower { store: &self.store, limits: &self.limits, writer: &mut held.writer, mark };
        let step = match self.kind {
            Kind::Items => follower.items().await?,
            Kind::Channels => follower.channels().await?,
        };
        if step == Step::Idle {
            held.writer.caught_up()?;
        }
        held.writer.commit_if_due(Instant::now())?;
        Ok(step)
    }

    fn open(&mut self) -> Result<(), Trouble> {
        if self.held.is_some() {
            return Ok(());
        }
        let Opened { index, writer, found } = Index::open(&self.folder)?;
        tracing::debug!(index = self.name(), ?found, items = index.items(), "the search index is open");
        (self.held, self.mark, self.news) = (Some(Held { index, writer }), None, true);
        Ok(())
    }

    /// Whether the index can go on from where it stands; if not it starts from the beginning.
    async fn compare(&mut self) -> Result<Mark, Halt> {
        let epoch = self.store.epoch().await?;
        let Some(held) = &mut self.held else { return Err(Trouble::Damaged("it is not open".into()).into()) };
        let mark: Option<Mark> = held.writer.mark().and_then(|mark| serde_json::from_str(mark).ok());
        if let Some(mark) = mark.filter(|mark| mark.epoch == epoch) {
            let changes = self.store.item_changes_after(mark.change, 1).await?;
            if !changes.missed {
                if held.index.state() != State::Whole {
                    held.writer.rebuild(total(&self.store, self.kind).await?)?;
                }
                return Ok(mark);
            }
        }
        self.start_over()?;
        let mark = Mark { epoch, change: self.store.newest_change().await?, revision: 0 };
        let of = total(&self.store, self.kind).await?;
        let Some(held) = &mut self.held else { return Err(Trouble::Damaged("it is not open".into()).into()) };
        held.writer.set_mark(&to_text(&mark));
        held.writer.rebuild(of)?;
        tracing::info!(index = self.name(), of, "the search index is built from the store");
        Ok(mark)
    }

    /// An empty index in the place of one that has followed something else.
    fn start_over(&mut self) -> Result<(), Trouble> {
        let used = |held: &Held| held.writer.after().is_some() || held.writer.mark().is_some();
        if !self.held.as_ref().is_some_and(used) {
            return Ok(());
        }
        // The writer's threads end before its files go.
        self.held = None;
        std::fs::remove_dir_all(&self.folder).map_err(|error| Trouble::Io(Arc::new(error)))?;
        self.open()
    }

    fn suffer(&mut self, trouble: &Trouble) -> Step {
        tracing::warn!(%trouble, index = self.name(), "the search index is in trouble");
        if let (Trouble::Damaged(_), Some(held)) = (trouble, &mut self.held) {
            self.mark = None;
            match held.writer.reopen() {
                Ok(_) => return Step::More,
                Err(worse) => tracing::error!(%worse, index = self.name(), "it could not be opened again"),
            }
            self.held = None;
        }
        if self.held.is_some() {
            // It stands at its last commit; so does its mark.
            self.mark = None;
        }
        self.set_trouble(Some(trouble.to_string()));
        self.not_before = Some(Instant::now() + AGAIN_AFTER);
        Step::Idle
    }

    fn rest(&mut self, step: Step) {
        let waiting = self.held.as_ref().is_some_and(|held| held.writer.due().is_some());
        if step == Step::More || waiting {
            self.idle_since = None;
            return;
        }
        let now = Instant::now();
        match self.idle_since {
            None => self.idle_since = Some(now),
            Some(since) if now.duration_since(since) >= SETTLE_AFTER => {
                self.idle_since = Some(now + SETTLE_AFTER * 1_000);
                self.close();
            }
            Some(_) => {}
        }
    }

    fn set_trouble(&mut self, trouble: Option<String>) {
        if self.trouble != trouble {
            (self.trouble, self.news) = (trouble, true);
        }
    }

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Items => "items",
            Kind::Channels => "channels",
        }
    }
}

/// What a rebuild is measured by; channels are few.
async fn total(store: &Store, kind: Kind) -> Result<u64, StoreError> {
    match kind {
        Kind::Items => store.items_total().await,
        Kind::Channels => Ok(0),
    }
}

struct Follower<'a> {
    store: &'a Store,
    limits: &'a Limits,
    writer: &'a mut Writer,
    mark: &'a mut Mark,
}

impl Follower<'_> {
    async fn items(mut self) -> Result<Step, Halt> {
        let after = self.writer.after().unwrap_or(ItemId(0));
        let page = self.store.items_after(after, PAGE).await?;
        let texts: Vec<ItemText> = page.items.into_iter().map(|item| searched(item, self.limits)).collect();
        self.writer.follow(&texts)?;
        self.writer.skip_to(page.to);
        if page.more {
            return Ok(Step::More);
        }
        let changes = self.store.item_changes_after(self.mark.change, CHANGES).await?;
        let mut edited = Vec::new();
        for change in &changes.changes {
            match change.kind {
                ItemChangeKind::Edited => edited.push(change.item),
                ItemChangeKind::Removed => self.writer.remove(&[change.item])?,
                ItemChangeKind::FeedRemoved => self.writer.remove_feed(change.feed)?,
            }
        }
        self.put(edited).await?;
        self.changed(&changes.changes, changes.to);
        Ok(if changes.more { Step::More } else { Step::Idle })
    }

    /// Edited items as they are now; what is newer than what was followed comes anyway, what is gone is told apart.
    async fn put(&mut self, mut edited: Vec<ItemId>) -> Result<(), Halt> {
        let after = self.writer.after().unwrap_or(ItemId(0));
        edited.retain(|item| *item <= after);
        edited.sort_unstable();
        edited.dedup();
        let mut rest = edited.as_slice();
        while !rest.is_empty() {
            let whole = self.store.items_whole(rest).await?;
            for item in whole.items {
                self.writer.put(&searched(item, self.limits))?;
            }
            rest = &rest[whole.asked.clamp(1, rest.len())..];
        }
        Ok(())
    }

    async fn channels(mut self) -> Result<Step, Halt> {
        let rows = self.store.channels_after(self.mark.revision, PAGE).await?;
        let more = rows.len() >= PAGE as usize;
        let revision = rows.last().map_or(self.mark.revision, |row| row.revision);
        for row in rows {
            if row.private_to.is_some() {
                // Its owner has it already, and nobody else may hear of it.
                self.writer.remove(&[ItemId(row.feed.0)])?;
            } else {
                self.writer.put(&channel(row).into())?;
            }
        }
        let changes = self.store.item_changes_after(self.mark.change, CHANGES).await?;
        let gone = changes.changes.iter().filter(|change| change.kind == ItemChangeKind::FeedRemoved);
        for change in gone {
            self.writer.remove(&[ItemId(change.feed.0)])?;
        }
        if revision != self.mark.revision {
            self.mark.revision = revision;
            self.writer.set_mark(&to_text(self.mark));
        }
        self.changed(&changes.changes, changes.to);
        Ok(if more || changes.more { Step::More } else { Step::Idle })
    }

    fn changed(&mut self, changes: &[ItemChange], to: i64) {
        if !changes.is_empty() {
            self.mark.change = to;
            self.writer.set_mark(&to_text(self.mark));
        }
    }
}

/// A channel as it is searched: what it says of itself and what it publishes, lately and in general.
fn channel(row: Channel) -> ChannelText {
    let terms = |bytes: &[u8], most: usize| -> Vec<String> {
        let summary = Summary::from_bytes(bytes).unwrap_or_default();
        summary.top(most).into_iter().map(|term| term.text.clone()).collect()
    };
    let mut all = terms(&row.latest, TERMS_LATEST);
    for term in terms(&row.general, TERMS_GENERAL) {
        if !all.contains(&term) {
            all.push(term);
        }
    }
    ChannelText {
        feed: row.feed,
        title: row.title.unwrap_or_default(),
        description: row.description.unwrap_or_default(),
        terms: all,
        link: row.site_url.unwrap_or(row.url),
        language: row.language,
        // Channels do not age: which of two is better does not depend on when either was looked at.
        time: Timestamp::EPOCH,
    }
}

fn to_text(mark: &Mark) -> String {
    // Plain text and numbers always serialise.
    serde_json::to_string(mark).unwrap_or_default()
}
