//! The search indexes of this node: opened, fed, kept in step with the store, built again when they must be.
//!
//! Two of them, items and channels, in folders of their own, on one thread. Each remembers with its documents how far it
//! has followed, so that it goes on exactly where it was; what it cannot go on from (another epoch of the store, changes
//! no longer kept, damage) is built again while searches go on with what there is. Nothing here is a tick: the store wakes
//! us, and a look now and then only notices what no wake-up tells (damage found by a search, a disk with room again).

mod keeper;

use crate::own_thread;
use domain::Limits;
use keeper::{Keeper, Kind, Step};
use search::Index;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio_util::sync::CancellationToken;

/// What there is to search with, told whenever it changes.
pub struct Shown {
    pub items: Option<Index>,
    pub channels: Option<Index>,
    /// A sentence about what there is not.
    pub trouble: Option<String>,
}

/// A change made while we wait is noticed after this long even if nobody wakes us.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Numbers may not be settled at once: after each wake-up there is a second look.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Keeps both indexes under `folder` in step until told to stop; then what is waiting is committed.
pub async fn index(
    store: Store,
    folder: PathBuf,
    limits: Limits,
    show: impl Fn(Shown) + Send + Sync + 'static,
    stop: CancellationToken,
) {
    let (limits, show) = (Arc::new(limits), Arc::new(show));
    let until = stop.clone();
    let work = move || {
        let keepers = [
            Keeper::new(Kind::Items, folder.join("items"), store.clone(), Arc::clone(&limits)),
            Keeper::new(Kind::Channels, folder.join("channels"), store.clone(), Arc::clone(&limits)),
        ];
        keep(store.clone(), keepers, Arc::clone(&show), until.clone())
    };
    own_thread::run("index", stop, work).await;
}

async fn keep(
    store: Store,
    [mut items, mut channels]: [Keeper; 2],
    show: Arc<impl Fn(Shown)>,
    stop: CancellationToken,
) {
    let mut arrivals = store.arrivals();
    let mut look_again = false;
    while !stop.is_cancelled() {
        let (one, two) = (items.step().await, channels.step().await);
        if items.take_news() | channels.take_news() {
            let trouble = items.trouble().or(channels.trouble()).map(str::to_owned);
            show(Shown { items: items.index(), channels: channels.index(), trouble });
        }
        if one == Step::More || two == Step::More {
            continue;
        }
        let pause = if look_again { LOOK_AGAIN } else { LOOK_EVERY };
        let pause = [items.due_in(), channels.due_in()].into_iter().flatten().fold(pause, Duration::min);
        tokio::select! {
            () = stop.cancelled() => break,
            () = arrivals.next() => look_again = true,
            () = tokio::time::sleep(pause) => look_again = false,
        }
    }
    items.close();
    channels.close();
}
