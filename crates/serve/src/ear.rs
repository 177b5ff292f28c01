//! What pages ask for Buzz: this node's index, as far as it is there, and how much each subscription counts.
//!
//! The binary makes one, hands it to [`crate::App`], and fills it when the index begins to be made. Everything else works
//! without (promise 6).

use crate::App;
use crate::channels::compared;
use crate::problem::Problem;
use domain::{FeedId, Timestamp, UserId};
use rank::buzz::{Buzz, Following, Sums, weight};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use store::{FeedShare, SubscribedFeed};

/// What was opened is looked at over so long, and again after a while.
pub(crate) const OPENED_OVER: Duration = Duration::from_secs(30 * 86_400);
const SHARES_FOR: Duration = Duration::from_secs(60);
/// People whose shares are kept at hand.
const SHARES_MAX: usize = 500;
/// Sums kept for the next question; each is as large as the index has words.
const SUMS_MAX: usize = 4;

/// Cheap to clone; all clones are the same.
#[derive(Clone, Default)]
pub struct Ear(Arc<Inner>);

#[derive(Default)]
struct Inner {
    shelf: RwLock<Option<Shelf>>,
    shares: Mutex<HashMap<UserId, (Timestamp, Shares)>>,
    sums: Mutex<Vec<Sums>>,
}

#[derive(Clone)]
struct Shelf {
    index: Arc<RwLock<Buzz>>,
    is_whole: bool,
}

/// What feeds brought and what was opened of it.
pub(crate) type Shares = Arc<HashMap<FeedId, FeedShare>>;

impl Ear {
    /// What there is to ask from now on; `is_whole` once the last days have been read.
    pub fn fill(&self, index: Arc<RwLock<Buzz>>, is_whole: bool) {
        *self.0.shelf.write().unwrap_or_else(PoisonError::into_inner) = Some(Shelf { index, is_whole });
    }

    /// Asks where it keeps nobody else waiting. None before there is anything to ask.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        app: &App,
        question: impl FnOnce(&Buzz, &mut Sums) -> T + Send + 'static,
    ) -> Result<Option<(T, bool)>, Problem> {
        let shelf = self.0.shelf.read().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(Shelf { index, is_whole }) = shelf else { return Ok(None) };
        let inner = Arc::clone(&self.0);
        let answer = compared(app, move || {
            let mut sums =
                inner.sums.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
            let answer = question(&index.read().unwrap_or_else(PoisonError::into_inner), &mut sums);
            let mut kept = inner.sums.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() < SUMS_MAX {
                kept.push(sums);
            }
            answer
        });
        Ok(Some((answer.await?, is_whole)))
    }

    /// How much of each feed somebody opens, as of a minute ago at most.
    pub(crate) async fn shares(&self, app: &App, user: UserId, now: Timestamp) -> Result<Shares, Problem> {
        let is_fresh = |at: &Timestamp| *at <= now && now.since(*at) < SHARES_FOR;
        if let Some((at, shares)) = self.0.shares.lock().unwrap_or_else(PoisonError::into_inner).get(&user)
            && is_fresh(at)
        {
            return Ok(Arc::clone(shares));
        }
        let rows = app.store.feed_shares(user, now.saturating_sub(OPENED_OVER), now).await?;
        let shares: Shares = Arc::new(rows.into_iter().map(|share| (share.feed, share)).collect());
        let mut kept = self.0.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= SHARES_MAX {
            kept.retain(|_, (at, _)| is_fresh(at));
        }
        if kept.len() < SHARES_MAX {
            kept.insert(user, (now, Arc::clone(&shares)));
        }
        Ok(shares)
    }
}

/// What each subscription counts: as the person said, or by what they open. What is paused brings nothing.
pub(crate) fn following<'a>(
    feeds: impl Iterator<Item = &'a SubscribedFeed>,
    shares: &Shares,
) -> Vec<Following> {
    let mut following: Vec<Following> = feeds
        .filter(|one| !one.subscription.paused)
        .map(|one| Following { feed: one.feed.id, weight: counts(one, shares).0 })
        .collect();
    following.sort_unstable_by_key(|one| one.feed);
    following
}

/// What a subscription counts, and what it would by what is opened.
pub(crate) fn counts(one: &SubscribedFeed, shares: &Shares) -> (f32, f32) {
    let share = shares.get(&one.feed.id);
    let (opened, items) = share.map_or((0, 0), |share| (share.opened, share.items));
    let said = one.subscription.weight.map(|said| f32::from(said) / 100.0);
    (weight(said, opened, items), weight(None, opened, items))
}
