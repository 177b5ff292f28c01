//! Buzz follows the store: the last days when it starts, then items, edits and removals as they come.

use crate::shelf::{DAY, Shelf, ago};
use domain::{FeedId, Limits};
use rank::buzz::{Buzz, Following, Order, Show, Sums, Window};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};
use store::{Mark, RetentionPolicy};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use work::ShownBuzz;

/// Longer than anything should take on a busy machine; only a failing test waits so long.
const PATIENCE: Duration = Duration::from_secs(90);

struct Running {
    shown: Arc<Mutex<Option<ShownBuzz>>>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    fn start(shelf: &Shelf) -> Running {
        let (shown, stop) = (Arc::new(Mutex::new(None)), CancellationToken::new());
        let seen = Arc::clone(&shown);
        let show = move |now: ShownBuzz| *seen.lock().unwrap() = Some(now);
        let (store, clock) = (shelf.store.clone(), Arc::clone(&shelf.clock));
        let task = tokio::spawn(work::buzz(store, clock, Limits::default(), show, stop.clone()));
        Running { shown, stop, task }
    }

    fn index(&self) -> Option<Arc<RwLock<Buzz>>> {
        let shown = self.shown.lock().unwrap();
        shown.as_ref().filter(|shown| shown.is_whole).map(|shown| Arc::clone(&shown.index))
    }

    fn talked(&self, feeds: &[FeedId]) -> Vec<String> {
        let Some(index) = self.index() else { return vec!["nothing to ask yet".into()] };
        let following: Vec<Following> =
            feeds.iter().map(|feed| Following { feed: *feed, weight: 1.0 }).collect();
        let (index, mut sums) = (index.read().unwrap(), Sums::default());
        let heard = index.listen(&following, Window::Week, &mut sums);
        heard.top(Order::Talked, Show::Words, 20, |_| false).iter().map(|said| said.text.to_owned()).collect()
    }

    async fn hears(&self, feeds: &[FeedId], expected: &[&str]) {
        let until = Instant::now() + PATIENCE;
        loop {
            let talked = self.talked(feeds);
            if talked == expected {
                return;
            }
            assert!(Instant::now() < until, "{talked:?} is not {expected:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buzz_is_in_step_with_items_edits_and_removals() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let (one, two) = (shelf.feed("one").await, shelf.feed("two").await);
    shelf.poll(one, 40 * DAY, &[("Glacier", "")]).await;
    shelf.poll(two, 40 * DAY, &[("Glacier", "")]).await;
    shelf.poll(one, 200, &[("Volcano", "")]).await;
    let running = Running::start(&shelf);
    running.hears(&[one, two], &[]).await;
    let new = shelf.poll(two, 100, &[("Volcano", "")]).await;
    running.hears(&[one, two], &["volcano"]).await;
    shelf.edit(two, new[0], "Harbour", "").await;
    running.hears(&[one, two], &[]).await;
    shelf.poll(one, 50, &[("Harbour", "")]).await;
    running.hears(&[one, two], &["harbour"]).await;
    let third = shelf.feed("three").await;
    shelf.poll(third, 40, &[("Harbour", "")]).await;
    running.hears(&[one, third], &["harbour"]).await;
    shelf.store.mark(shelf.user, &new, &Mark::Read, ago(0)).await.unwrap();
    shelf.poll(two, 5, &[("Rain", "")]).await;
    let policy = RetentionPolicy { count_per_feed: Some(1), ..RetentionPolicy::default() };
    while shelf.store.retention(ago(0), &policy).await.unwrap().more {}
    running.hears(&[two, third], &[]).await;
    running.end().await;
    // Another process makes the same of it.
    let running = Running::start(&shelf);
    running.hears(&[one, third], &["harbour"]).await;
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a10_a_feed_that_becomes_somebodys_own_is_counted_for_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let (open, own) = (shelf.feed("open").await, shelf.feed("own").await);
    shelf.store.make_private(shelf.user, own, Some(vec![1]), None, ago(0)).await.unwrap();
    shelf.poll(open, 100, &[("Merger", "")]).await;
    let of_own = shelf.store.subscriptions(shelf.user).await.unwrap();
    let own = of_own.iter().map(|one| one.feed.id).find(|feed| *feed != open).unwrap();
    shelf.poll(own, 90, &[("Merger", "")]).await;
    let running = Running::start(&shelf);
    running.hears(&[open, own], &["merger"]).await;
    let index = running.index().unwrap();
    {
        let (index, mut sums) = (index.read().unwrap(), Sums::default());
        let all = index.listen_to_all(Window::Week, &mut sums);
        assert!(all.top(Order::Talked, Show::Words, 20, |_| false).is_empty());
    }
    running.end().await;
}
