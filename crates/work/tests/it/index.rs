//! The search indexes follow the store, and whatever happens to their folders is mended while reading goes on.

use crate::shelf::{Shelf, ago};
use domain::{ItemId, Limits};
use search::{Ask, Index, Query, Scope, State, Typed};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use store::{Mark, RetentionPolicy, Store};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use work::Shown;

/// Longer than anything should take on a busy machine; only a failing test waits so long.
const PATIENCE: Duration = Duration::from_secs(90);

struct Running {
    shown: Arc<Mutex<Option<Shown>>>,
    stop: CancellationToken,
    task: JoinHandle<()>,
    folder: PathBuf,
}

impl Running {
    fn start(store: &Store, folder: &Path) -> Running {
        let (shown, stop) = (Arc::new(Mutex::new(None)), CancellationToken::new());
        let seen = Arc::clone(&shown);
        let show = move |now: Shown| *seen.lock().unwrap() = Some(now);
        let folder = folder.join("search");
        let task =
            tokio::spawn(work::index(store.clone(), folder.clone(), Limits::default(), show, stop.clone()));
        Running { shown, stop, task, folder }
    }

    async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }

    fn items(&self) -> Option<Index> {
        self.shown.lock().unwrap().as_ref().and_then(|shown| shown.items.clone())
    }

    fn channels(&self) -> Option<Index> {
        self.shown.lock().unwrap().as_ref().and_then(|shown| shown.channels.clone())
    }

    fn trouble(&self) -> Option<String> {
        self.shown.lock().unwrap().as_ref().and_then(|shown| shown.trouble.clone())
    }

    /// Waits until a search over the items finds exactly these.
    async fn finds(&self, query: &str, expected: &[ItemId]) {
        wait(&format!("{query} finds {expected:?}"), || self.found(query) == expected).await;
    }

    fn found(&self, query: &str) -> Vec<ItemId> {
        self.items().map(|index| found(&index, query)).unwrap_or_default()
    }
}

fn found(index: &Index, query: &str) -> Vec<ItemId> {
    let query = Query::parse(query, &Typed::default()).unwrap();
    let answer = index.search(&query, &Ask::new(Scope::Everything, ago(0)));
    let mut found: Vec<ItemId> =
        answer.map(|answer| answer.hits.iter().map(|hit| hit.item).collect()).unwrap_or_default();
    found.sort_unstable();
    found
}

async fn wait(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "{what}: it never came to that");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_index_is_in_step_with_items_edits_and_removals() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let feed = shelf.feed("one").await;
    let old = shelf.poll(feed, 100, &[("Tide tables", "The barrier opens"), ("Harbour", "Ships")]).await;
    let running = Running::start(&shelf.store, folder.path());
    running.finds("barrier", &old[..1]).await;
    let new = shelf.poll(feed, 50, &[("Barrier closed", "for repairs")]).await;
    running.finds("barrier", &[old[0], new[0]]).await;
    shelf.edit(feed, old[1], "Harbour", "The barrier again").await;
    running.finds("barrier", &[old[0], old[1], new[0]]).await;
    shelf.store.mark(shelf.user, &old, &Mark::Read, ago(0)).await.unwrap();
    let policy = RetentionPolicy { count_per_feed: Some(1), ..RetentionPolicy::default() };
    while shelf.store.retention(ago(0), &policy).await.unwrap().more {}
    running.finds("barrier", &new).await;
    assert_eq!(running.items().unwrap().state(), State::Whole);
    running.end().await;
    // A process that starts again goes on where the other stopped.
    let later = shelf.poll(feed, 10, &[("A second barrier", "")]).await;
    let running = Running::start(&shelf.store, folder.path());
    running.finds("barrier", &[new[0], later[0]]).await;
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn channels_are_found_by_what_they_publish_and_private_ones_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let (bees, own) = (shelf.feed("bees").await, shelf.feed("own").await);
    let other = shelf.feed("other").await;
    let elsewhere = "The rocket left its pad at dawn and carried forty satellites into orbit";
    shelf.poll(other, 200, &[("Four", elsewhere), ("Five", elsewhere), ("Six", elsewhere)]).await;
    let text = "Beekeepers moved their hives to the orchards because the lime trees bloom early";
    for feed in [bees, own] {
        shelf.poll(feed, 100, &[("One", text), ("Two", text), ("Three", text)]).await;
    }
    let running = Running::start(&shelf.store, folder.path());
    work::digest_all(&shelf.store, &shelf.clock, &Limits::default()).await.unwrap();
    let channels =
        |query: &'static str| running.channels().map(|index| found(&index, query)).unwrap_or_default();
    wait("both are found", || channels("orchards").len() == 2).await;
    shelf.store.make_private(shelf.user, own, Some(vec![1]), None, ago(0)).await.unwrap();
    wait("the private one is gone", || channels("orchards") == [ItemId(bees.0)]).await;
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_of_another_store_is_built_again() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let feed = shelf.feed("one").await;
    let items = shelf.poll(feed, 100, &[("Barrier", "one"), ("Tide", "two")]).await;
    let running = Running::start(&shelf.store, folder.path());
    running.finds("barrier", &items[..1]).await;
    running.end().await;
    let other_folder = tempfile::tempdir().unwrap();
    let other = Shelf::new(other_folder.path()).await;
    let feed = other.feed("other").await;
    let others = other.poll(feed, 100, &[("Bees", "three")]).await;
    let running = Running::start(&other.store, folder.path());
    running.finds("bees", &others).await;
    running.finds("barrier", &[]).await;
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_or_truncated_index_is_built_again_while_the_store_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let feed = shelf.feed("one").await;
    let mut items = shelf.poll(feed, 100, &[("Barrier", "one"), ("Barrier", "two")]).await;
    let running = Running::start(&shelf.store, folder.path());
    running.finds("barrier", &items).await;
    let current = running.folder.join("items/current");
    // While it runs: the files go, a search or the next commit notices, and it is built anew.
    std::fs::remove_dir_all(&current).unwrap();
    items.extend(shelf.poll(feed, 50, &[("Barrier", "three")]).await);
    wait("the new item is found", || {
        let _ = running.found("barrier OR other*");
        running.found("barrier") == items
    })
    .await;
    running.end().await;
    // While it is stopped: half of every file is gone.
    for entry in std::fs::read_dir(folder.path().join("search/items/current")).unwrap() {
        let path = entry.unwrap().path();
        let half = std::fs::metadata(&path).unwrap().len() / 2;
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(half).unwrap();
    }
    let running = Running::start(&shelf.store, folder.path());
    running.finds("barrier", &items).await;
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_in_use_by_another_process_is_said_and_harms_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let feed = shelf.feed("one").await;
    shelf.poll(feed, 100, &[("Barrier", "one")]).await;
    let held = Index::open(&folder.path().join("search/items")).unwrap();
    let running = Running::start(&shelf.store, folder.path());
    wait("the trouble is told", || running.trouble().is_some_and(|what| what.contains("another process")))
        .await;
    assert!(running.items().is_none() && running.channels().is_some(), "the other index works");
    drop(held);
    running.end().await;
}
