//! Learning from every item: what its feed is about, how common its words are, which story it tells.
//!
//! One node at a time, on a thread of its own. It follows item numbers from where the store says learning has come to, a
//! few feeds at a time, and stores each step whole; a step that was cut off, or that another node made meanwhile, is made
//! again. What it holds in memory (stories of the last two weeks, how common words are) is read again from the stored items
//! when it starts. When it fails, what was learned last stays in use.

mod mind;

use crate::clock::Clock;
use crate::own_thread;
use domain::{ItemId, Limits};
use mind::{Mind, Taught};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Model, Store, StoreError};
use tokio_util::sync::CancellationToken;

const JOB: &str = "digest";
pub(crate) const FREQUENCIES: &str = "frequencies";
/// Others take over after so long without a sign of life.
const CLAIM: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// Numbers may not be settled at once: after each wake-up there is a second look.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
const AGAIN_AFTER_FAILURE: Duration = Duration::from_secs(10);
/// How common words are changes slowly and is some megabytes: kept now and then, more often while it is young, recounted
/// after a crash.
const FREQUENCIES_EVERY: Duration = Duration::from_secs(900);
/// Filled-in history is learned when no more of it has come for so long.
const RELEARN_AFTER: Duration = Duration::from_secs(3);
/// After each step a pause in proportion: even while it catches up it leaves room.
const PAUSE_SHARE: u32 = 4;
const PAUSE_MAX: Duration = Duration::from_millis(50);

/// Learns as items come, until told to stop.
pub async fn digest<C: Clock>(
    store: Store,
    clock: Arc<C>,
    node: String,
    limits: Limits,
    stop: CancellationToken,
) {
    let (limits, node, until) = (Arc::new(limits), Arc::<str>::from(node), stop.clone());
    let work = move || {
        let digester = Digester {
            store: store.clone(),
            clock: Arc::clone(&clock),
            node: Arc::clone(&node),
            limits: Arc::clone(&limits),
            stop: until.clone(),
        };
        async move { digester.run().await }
    };
    own_thread::run("digest", stop, work).await;
}

/// Learns all there is and returns; the step of tests and of commands.
pub async fn digest_all<C: Clock>(store: &Store, clock: &Arc<C>, limits: &Limits) -> Result<(), StoreError> {
    let digester = Digester {
        store: store.clone(),
        clock: Arc::clone(clock),
        node: Arc::from("once"),
        limits: Arc::new(limits.clone()),
        stop: CancellationToken::new(),
    };
    let mut mind = digester.remember().await?;
    loop {
        match digester.teach(&mut mind).await? {
            Progress::More => {}
            Progress::CaughtUp => break,
            Progress::Overtaken => mind = digester.remember().await?,
        }
    }
    while digester.relearn(&mut mind, Duration::ZERO).await? {}
    digester.keep_frequencies(&mut mind).await
}

struct Digester<C> {
    store: Store,
    clock: Arc<C>,
    node: Arc<str>,
    limits: Arc<Limits>,
    stop: CancellationToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    More,
    CaughtUp,
    /// Another node has learned meanwhile: what is in memory is of no more use.
    Overtaken,
}

impl<C: Clock> Digester<C> {
    async fn run(&self) {
        let mut arrivals = self.store.arrivals();
        while !self.stop.is_cancelled() {
            match self.hold().await {
                Ok(true) => {
                    if let Err(error) = self.learn(&mut arrivals).await {
                        tracing::error!(%error, "learning from items failed; what was learned before stays in use");
                    }
                }
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "whose turn it is to learn could not be found out"),
            }
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep(AGAIN_AFTER_FAILURE) => {}
            }
        }
    }

    async fn hold(&self) -> Result<bool, StoreError> {
        self.store.hold_job(JOB, &self.node, self.clock.now(), CLAIM).await
    }

    /// Until told to stop, overtaken or in trouble.
    async fn learn(&self, arrivals: &mut store::Arrivals) -> Result<(), StoreError> {
        let mut mind = self.remember().await?;
        let (mut kept_at, mut held_at, mut look_again) = (Instant::now(), Instant::now(), false);
        while !self.stop.is_cancelled() {
            if held_at.elapsed() >= CLAIM / 3 {
                if !self.hold().await? {
                    return Ok(());
                }
                held_at = Instant::now();
            }
            let began = Instant::now();
            match self.teach(&mut mind).await? {
                Progress::Overtaken => return Ok(()),
                Progress::More => {
                    tokio::time::sleep((began.elapsed() / PAUSE_SHARE).min(PAUSE_MAX)).await;
                    continue;
                }
                Progress::CaughtUp => {}
            }
            if self.relearn(&mut mind, RELEARN_AFTER).await? {
                tokio::time::sleep((began.elapsed() / PAUSE_SHARE).min(PAUSE_MAX)).await;
                continue;
            }
            if kept_at.elapsed() >= FREQUENCIES_EVERY || mind.outgrew_kept_words() {
                self.keep_frequencies(&mut mind).await?;
                kept_at = Instant::now();
            }
            let pause = if look_again || mind.has_stale() { LOOK_AGAIN } else { LOOK_EVERY };
            tokio::select! {
                () = self.stop.cancelled() => {}
                () = arrivals.next() => look_again = true,
                () = tokio::time::sleep(pause) => look_again = false,
            }
        }
        self.keep_frequencies(&mut mind).await?;
        let now = self.clock.now();
        self.store.finish_job(JOB, &self.node, now, now).await
    }

    /// What must be in memory, from what is stored.
    async fn remember(&self) -> Result<Mind, StoreError> {
        let learned_to = self.store.learned_to().await?;
        let model = self.store.model(FREQUENCIES).await?;
        let mut mind = Mind::new(model, learned_to, Arc::clone(&self.limits));
        let since = self.clock.now().saturating_sub(Duration::from_secs(text::STORY_DAYS * 86_400));
        let mut after = self.store.before_first_since(since, learned_to, mind::STORY_ITEMS_MAX).await?;
        after = after.min(mind.counted_to()).max(mind.oldest_worth_counting());
        while after < learned_to && !self.stop.is_cancelled() {
            let page = self.store.items_after(after, mind::PAGE).await?;
            let known: Vec<_> =
                page.items.into_iter().filter(|item| item.content.item.id <= learned_to).collect();
            let ids: Vec<ItemId> = known.iter().map(|item| item.content.item.id).collect();
            let mut stories = Vec::new();
            for ids in ids.chunks(1_000) {
                stories.extend(self.store.known_stories(ids).await?);
            }
            mind.remember(&known, &stories, since);
            if page.to <= after {
                break;
            }
            after = page.to;
        }
        Ok(mind)
    }

    /// One step: the next items, of a few feeds.
    async fn teach(&self, mind: &mut Mind) -> Result<Progress, StoreError> {
        let from = mind.learned_to();
        let page = self.store.items_after(from, mind::PAGE).await?;
        if page.to == from && page.items.is_empty() {
            return Ok(Progress::CaughtUp);
        }
        let (items, to, more) = mind::cut(page);
        for feed in mind.unknown_feeds(&items) {
            let row = self.store.feed_profiles(&[feed]).await?.pop();
            if let Some(feed) = mind.take_profile(feed, row) {
                self.learn_again(mind, feed).await?;
            }
        }
        let Taught { copies, mut learned } = mind.teach(items, to);
        for copy in copies {
            let (readers, common) = self.store.readers_in_common(copy.feed, &copy.of).await?;
            mind.value(&copy, 2 * common >= readers && readers > 0);
        }
        learned.profiles = mind.written_profiles();
        if !self.store.keep_learned(learned).await? {
            return Ok(Progress::Overtaken);
        }
        mind.kept(to);
        Ok(if more { Progress::More } else { Progress::CaughtUp })
    }

    /// Learns feeds again whose history was filled in behind what was known; false when there is none.
    async fn relearn(&self, mind: &mut Mind, after: Duration) -> Result<bool, StoreError> {
        let stale = mind.take_stale(after);
        if stale.is_empty() {
            return Ok(false);
        }
        for feed in stale {
            let row = self.store.feed_profiles(&[feed]).await?.pop();
            let _ = mind.take_profile(feed, row);
            self.learn_again(mind, feed).await?;
        }
        let (from, profiles) = (mind.learned_to(), mind.written_profiles());
        let learned =
            store::Learned { from, to: from, profiles, stories: Vec::new(), terms: Vec::new(), model: None };
        self.store.keep_learned(learned).await?;
        mind.kept(from);
        Ok(true)
    }

    /// A profile from the stored items of its feed.
    async fn learn_again(&self, mind: &mut Mind, feed: domain::FeedId) -> Result<(), StoreError> {
        let ids = self.store.newest_of_feed(feed, mind.learned_to(), mind::PROFILE_ITEMS_MAX).await?;
        let (mut rest, mut items) = (ids.as_slice(), Vec::new());
        mind.forget_profile(feed);
        while !rest.is_empty() {
            let whole = self.store.items_whole(rest).await?;
            items.extend(whole.items);
            rest = &rest[whole.asked.clamp(1, rest.len())..];
            mind.learn_profile(feed, std::mem::take(&mut items));
        }
        Ok(())
    }

    async fn keep_frequencies(&self, mind: &mut Mind) -> Result<(), StoreError> {
        let Some(state) = mind.changed_frequencies() else { return Ok(()) };
        let model = Model { learned_to: mind.learned_to(), state };
        self.store.keep_model(FREQUENCIES, &model).await
    }
}
