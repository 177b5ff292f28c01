//! Site icons: asked for once a week, conditionally (N24), a few at a time, beside the polls.
//!
//! The icon a feed declares, else what its site's page declares, else `/favicon.ico`. Through the guard like everything
//! (E9); a picture only if its bytes are one. An SVG is kept as it is: whoever serves it puts it in a sandbox (X11).

use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::network::Network;
use domain::{Timestamp, Validators};
use fetch::{Held, MediaClass, Outcome, PageRequest, Wanted};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use store::{Icon, IconDue, IconFound, StoreError};
use url::Url;

/// Icons looked for at once, each provider always in the same lane.
const LANES: usize = 2;
const PER_CYCLE: u32 = 20;
/// How many of a page's icons are tried.
const DECLARED_TRIES: usize = 2;

/// Icons of the last day by their address: many feeds share one site.
#[derive(Default)]
pub(crate) struct SharedIcons {
    /// The oldest first.
    kept: VecDeque<(Url, Asked, Timestamp)>,
}

const SHARED_FOR: Duration = Duration::from_secs(24 * 3600);
const SHARED_MAX: usize = 64;

impl SharedIcons {
    fn get(&mut self, url: &Url, now: Timestamp) -> Option<Asked> {
        self.kept.retain(|(_, _, at)| now.since(*at) < SHARED_FOR && *at <= now);
        self.kept.iter().find(|(known, _, _)| known == url).map(|(_, asked, _)| asked.clone())
    }

    fn keep(&mut self, url: &Url, asked: &Asked, now: Timestamp) {
        self.kept.retain(|(known, _, _)| known != url);
        self.kept.push_back((url.clone(), asked.clone(), now));
        while self.kept.len() > SHARED_MAX {
            self.kept.pop_front();
        }
    }
}

/// What one address came to.
#[derive(Debug, Clone)]
enum Asked {
    Icon(Icon, Validators),
    /// 304.
    Unchanged,
    /// Something else, or nothing: try the next address.
    None,
    /// No answer: what is there stays.
    Silent,
    /// The gate is closed: come back later.
    Held,
}

impl<N: Network, C: Clock> Crawler<N, C> {
    /// Looks for the icons that are due; answers how many feeds were looked after.
    pub(crate) async fn fetch_icons(&self) -> Result<usize, StoreError> {
        let due = self.store.icons_due(self.clock.now(), PER_CYCLE).await?;
        let mut lanes: [Vec<IconDue>; LANES] = Default::default();
        for icon in due {
            let provider = Url::parse(&icon.url).map(|url| fetch::provider(&url)).unwrap_or_default();
            let lane =
                usize::try_from(xxhash_rust::xxh3::xxh3_64(provider.as_bytes()) % LANES as u64).unwrap_or(0);
            if let Some(lane) = lanes.get_mut(lane) {
                lane.push(icon);
            }
        }
        let [first, second] = lanes;
        let (first, second) = tokio::join!(self.fetch_lane(first), self.fetch_lane(second));
        Ok(first? + second?)
    }

    async fn fetch_lane(&self, lane: Vec<IconDue>) -> Result<usize, StoreError> {
        let mut done = 0;
        for due in lane {
            if let Some(found) = self.find_icon(&due).await {
                self.store.keep_icon(due.feed, found, self.clock.now()).await?;
                done += 1;
            }
        }
        Ok(done)
    }

    /// `None` when a provider was not free: the feed stays due.
    async fn find_icon(&self, due: &IconDue) -> Option<IconFound> {
        let feed = Url::parse(&due.url).ok()?;
        let site =
            due.site_url.as_deref().and_then(|site| feed.join(site).ok()).unwrap_or_else(|| feed.clone());
        let declared = due.icon_url.as_deref().and_then(|icon| site.join(icon).ok());
        // The stored validators belong to what was found last time: most likely by the same way.
        let found = match &declared {
            Some(icon) => self.ask_icon(icon, &due.validators).await,
            None => Asked::None,
        };
        let found = match (found, declared) {
            (Asked::None, Some(_)) => self.ask_site(&site, &Validators::default()).await,
            (Asked::None, None) => self.ask_site(&site, &due.validators).await,
            (found, _) => found,
        };
        match found {
            Asked::Icon(icon, validators) => {
                Some(IconFound { icon: Some(icon), validators, unchanged: false })
            }
            Asked::Unchanged | Asked::Silent => Some(IconFound { unchanged: true, ..IconFound::default() }),
            Asked::None => Some(IconFound::default()),
            Asked::Held => None,
        }
    }

    /// The icon of a whole site: what its front page declares, else `/favicon.ico`. Its feeds share it.
    async fn ask_site(&self, site: &Url, validators: &Validators) -> Asked {
        let Ok(front) = site.join("/") else { return Asked::None };
        let now = self.clock.now();
        if let Some(known) = self.shared_icons().get(&front, now) {
            return known;
        }
        let mut addresses = match self.declared_by_page(&front).await {
            Some(declared) => declared,
            None => return Asked::Held,
        };
        addresses.extend(front.join("/favicon.ico"));
        let (nothing, mut validators) = (Validators::default(), validators);
        let mut found = Asked::None;
        for address in addresses.into_iter().filter(|url| matches!(url.scheme(), "http" | "https")) {
            match self.ask_icon(&address, validators).await {
                Asked::None => {}
                Asked::Silent => found = Asked::Silent,
                other => {
                    found = other;
                    break;
                }
            }
            validators = &nothing;
        }
        // "Unchanged" is true for the feed whose icon it was; another would have nothing to keep.
        if !matches!(found, Asked::Unchanged | Asked::Held) {
            self.shared_icons().keep(&front, &found, now);
        }
        found
    }

    /// `None` when the gate was closed.
    async fn declared_by_page(&self, front: &Url) -> Option<Vec<Url>> {
        let mut request = PageRequest::new(front.clone(), Wanted::Page);
        request.body_bytes_max = Some(self.limits.page_bytes_max);
        let now = self.clock.now();
        let answer = self.fetch_page(request, now).await;
        let bytes = match answer.outcome {
            Outcome::Body { bytes, .. } => bytes,
            Outcome::Held(held) if !is_long(held, now) => return None,
            _ => return Some(Vec::new()),
        };
        let (limits, base) = (Arc::clone(&self.limits), answer.final_url);
        let found = self.cpu.run(move || {
            let page = String::from_utf8_lossy(&bytes);
            html::icon_links(&page, &base, &limits)
        });
        let mut found = found.await.unwrap_or_default();
        found.truncate(DECLARED_TRIES);
        Some(found)
    }

    async fn ask_icon(&self, url: &Url, validators: &Validators) -> Asked {
        let now = self.clock.now();
        if let Some(asked) = self.shared_icons().get(url, now) {
            return asked;
        }
        let mut request = PageRequest::new(url.clone(), Wanted::Image);
        // The person who follows the feed asks for its icon, as their browser would.
        request.robots = false;
        request.validators = validators.clone();
        request.body_bytes_max = Some(self.limits.icon_bytes_max);
        let answer = self.fetch_page(request, now).await;
        let asked = match answer.outcome {
            Outcome::Body { bytes, complete: true, .. } => match kind(&bytes) {
                Some(kind) => {
                    let version = xxhash_rust::xxh3::xxh3_64(&bytes);
                    Asked::Icon(
                        Icon { kind: kind.to_owned(), bytes: bytes.to_vec(), version },
                        answer.validators,
                    )
                }
                None => Asked::None,
            },
            Outcome::Unchanged => Asked::Unchanged,
            Outcome::Held(held) if !is_long(held, now) => return Asked::Held,
            Outcome::Held(_) => Asked::Silent,
            Outcome::Busy => Asked::Silent,
            Outcome::Failed(_) if answer.status.is_none() => Asked::Silent,
            _ => Asked::None,
        };
        if !matches!(asked, Asked::Unchanged) {
            self.shared_icons().keep(url, &asked, now);
        }
        asked
    }
}

/// A provider that wants to be left alone for long must not keep the others' icons waiting.
fn is_long(held: Held, now: Timestamp) -> bool {
    matches!(held, Held::Until(until) if until.since(now) > LONG)
}

const LONG: Duration = Duration::from_secs(10 * 60);

/// The kinds of picture that every browser shows as an icon.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [&str; 6] =
        ["image/png", "image/x-icon", "image/gif", "image/jpeg", "image/webp", "image/svg+xml"];
    fetch::sniff(bytes, MediaClass::Image).filter(|kind| KINDS.contains(kind))
}
