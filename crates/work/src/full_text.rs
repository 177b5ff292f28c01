//! The page behind an item, for reading: fetched once for everybody (N24), on demand or because a subscriber wants it.
//!
//! robots.txt is asked (N25), the provider's gate is passed (N21), and what was found, or why nothing was, is kept with
//! the item. A failed try may be repeated after an hour.

use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::network::Network;
use crate::words;
use domain::{ItemId, Timestamp, UserId};
use fetch::{Failure, Held, Outcome, PageRequest, Wanted};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use store::{FullText, StoreError};
use tokio::sync::Mutex as AsyncMutex;
use url::Url;

/// Why there is no full text; `Display` is a sentence.
#[derive(Debug)]
pub enum NoFullText {
    /// No such item for this person.
    NotFound,
    /// The item names no page.
    NoLink,
    /// What went wrong, now or within the last hour.
    Why(String),
    /// Other requests to the site come first.
    Later(Timestamp),
    Halted,
    Store(StoreError),
}

impl fmt::Display for NoFullText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoFullText::NotFound => f.write_str("There is no such item."),
            NoFullText::NoLink => f.write_str("This item names no page to fetch."),
            NoFullText::Why(sentence) => f.write_str(sentence),
            NoFullText::Later(until) => Held::Until(*until).fmt(f),
            NoFullText::Halted => Held::Halted.fmt(f),
            NoFullText::Store(_) => f.write_str("The database did not answer; try again in a moment."),
        }
    }
}

impl std::error::Error for NoFullText {}

impl From<StoreError> for NoFullText {
    fn from(error: StoreError) -> Self {
        NoFullText::Store(error)
    }
}

const TRY_AGAIN: Duration = Duration::from_secs(3600);
/// Full texts fetched on their own after one poll: the newest.
pub(crate) const PER_POLL_MAX: usize = 10;
/// Pages waiting to be fetched on their own; more are fetched when somebody opens them.
const WAITING_MAX: usize = 1_000;
const TRIES_MAX: u32 = 5;

/// Pages to fetch because somebody wants this feed's full texts.
#[derive(Default)]
pub(crate) struct PageQueue {
    waiting: VecDeque<Waiting>,
}

pub(crate) struct Waiting {
    item: ItemId,
    link: String,
    not_before: Timestamp,
    tries: u32,
}

impl PageQueue {
    pub(crate) fn add(&mut self, item: ItemId, link: String, now: Timestamp) {
        self.push(Waiting { item, link, not_before: now, tries: 0 });
    }

    fn push(&mut self, waiting: Waiting) {
        if self.waiting.len() < WAITING_MAX {
            self.waiting.push_back(waiting);
        }
    }

    /// The first whose time has come.
    fn take(&mut self, now: Timestamp) -> Option<Waiting> {
        let at = self.waiting.iter().position(|waiting| waiting.not_before <= now)?;
        self.waiting.remove(at)
    }
}

/// Items whose page is being fetched, so that two people who open one item wait for one fetch.
pub(crate) type Fetching = HashMap<ItemId, Arc<AsyncMutex<()>>>;

impl<N: Network, C: Clock> Crawler<N, C> {
    /// The full text of an item this person may see, fetched now if it never was.
    pub async fn full_text(&self, user: UserId, item: ItemId) -> Result<FullText, NoFullText> {
        let opened = self.store.item(user, item).await?.ok_or(NoFullText::NotFound)?;
        let link = opened.row.item.link.ok_or(NoFullText::NoLink)?;
        self.full_text_of(item, &link).await
    }

    /// Fetches what waits to be fetched on its own; answers how many pages were tried.
    pub(crate) async fn fetch_pages(&self) -> usize {
        let mut tried = 0;
        loop {
            let now = self.clock.now();
            let Some(mut next) = self.pages().take(now) else { return tried };
            tried += 1;
            match self.full_text_of(next.item, &next.link).await {
                Err(NoFullText::Later(until)) if next.tries < TRIES_MAX => {
                    next.tries += 1;
                    next.not_before = until.max(now.saturating_add(self.settings.spacing));
                    self.pages().push(next);
                }
                Err(NoFullText::Halted) => return tried,
                Err(NoFullText::Store(error)) => tracing::error!(%error, "keeping a full text"),
                _ => {}
            }
        }
    }

    async fn full_text_of(&self, item: ItemId, link: &str) -> Result<FullText, NoFullText> {
        let turn = Arc::clone(self.fetching().entry(item).or_default());
        let _turn = turn.lock().await;
        let result = self.known_or_fetched(item, link).await;
        self.fetching().remove(&item);
        result
    }

    async fn known_or_fetched(&self, item: ItemId, link: &str) -> Result<FullText, NoFullText> {
        let now = self.clock.now();
        if let Some(known) = self.store.full_text(item).await? {
            match &known.sentence {
                _ if known.html.is_some() => return Ok(known),
                Some(why) if now.since(known.fetched_at) < TRY_AGAIN => {
                    return Err(NoFullText::Why(why.clone()));
                }
                _ => {}
            }
        }
        let url = Url::parse(link).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or(NoFullText::NoLink)?;
        let found = self.fetch_article(url, now).await?;
        self.store.keep_full_text(item, &found).await?;
        match (&found.html, &found.sentence) {
            (None, Some(why)) => Err(NoFullText::Why(why.clone())),
            _ => Ok(found),
        }
    }

    async fn fetch_article(&self, url: Url, now: Timestamp) -> Result<FullText, NoFullText> {
        let mut request = PageRequest::new(url, Wanted::Page);
        request.body_bytes_max = Some(self.limits.page_bytes_max);
        let answer = self.fetch_page(request, now).await;
        let nothing = |sentence: String| FullText {
            fetched_at: now,
            html: None,
            sentence: Some(sentence),
            title: None,
        };
        let bytes = match answer.outcome {
            Outcome::Body { bytes, .. } => bytes,
            Outcome::Held(Held::Until(until)) => return Err(NoFullText::Later(until)),
            Outcome::Held(Held::Halted) => return Err(NoFullText::Halted),
            Outcome::Failed(Failure::TooLarge { bytes_max }) => {
                return Ok(nothing(words::page_too_large(bytes_max)));
            }
            Outcome::NotFound | Outcome::Gone => return Ok(nothing(words::page_not_found())),
            Outcome::Denied => return Ok(nothing(words::page_denied())),
            other => return Ok(nothing(other.sentence().unwrap_or_else(words::no_article))),
        };
        let (limits, base, content_type) = (Arc::clone(&self.limits), answer.final_url, answer.content_type);
        let reading = self.cpu.run(move || {
            let page = parse::page_text(&bytes, content_type.as_deref());
            html::article(&page, &base, &limits)
        });
        Ok(match reading.await {
            Ok(Some(article)) => {
                FullText { fetched_at: now, html: Some(article.html), sentence: None, title: article.title }
            }
            Ok(None) => nothing(words::no_article()),
            Err(failure) => nothing(self.failure(failure)),
        })
    }

    /// One page through the gate.
    pub(crate) async fn fetch_page(&self, mut request: PageRequest, now: Timestamp) -> fetch::Answer {
        let gate = self.gate();
        request.gate = gate.handle();
        let answer = self.network.page(&request, now).await;
        gate.release(Some(&answer), self.block(&answer)).await;
        answer
    }
}
