//! A person types an address; a feed is followed.
//!
//! A feed is asked for once: the answer that showed what it is also becomes its first poll. A page costs one request
//! more, for the feed it names. What [`Crawler::find`] saw is kept for a few minutes, so that choosing from what it
//! found costs nothing twice.

use crate::clock::Clock;
use crate::cpu::CpuFailure;
use crate::crawler::Crawler;
use crate::gate::ProviderGate;
use crate::network::Network;
use crate::poll::PollReport;
use crate::sites::{account_address, known};
use crate::words;
use domain::secret::FeedSecrets;
use domain::{FeedId, NewSubscription, Timestamp, UserId};
use fetch::{Answer, FeedRequest, Held, Outcome, take_credentials};
use parse::NotAFeed;
use std::fmt;
use std::sync::Arc;
use store::{StoreError, Wish};
use url::Url;

#[derive(Debug)]
pub struct Followed {
    pub feed: FeedId,
    pub url: Url,
    pub was_subscribed: bool,
    /// The first poll, when this was it.
    pub report: Option<PollReport>,
}

/// Something that would be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub url: Url,
    pub title: Option<String>,
    pub kind: CandidateKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CandidateKind {
    /// The address is a feed itself.
    Feed,
    /// A page names it.
    Linked,
    Channel,
    Playlist,
    Account,
    Subreddit,
    Releases,
    Commits,
    Tags,
}

impl CandidateKind {
    pub const fn name(self) -> &'static str {
        match self {
            CandidateKind::Feed => "feed",
            CandidateKind::Linked => "linked",
            CandidateKind::Channel => "channel",
            CandidateKind::Playlist => "playlist",
            CandidateKind::Account => "account",
            CandidateKind::Subreddit => "subreddit",
            CandidateKind::Releases => "releases",
            CandidateKind::Commits => "commits",
            CandidateKind::Tags => "tags",
        }
    }
}

/// Why nothing was followed; `Display` is a sentence with a next step.
#[derive(Debug)]
pub enum NotFollowed {
    /// What was typed.
    NotAnAddress(String),
    /// What was typed; only http and https can be followed.
    Scheme(String),
    /// The server gave nothing to read; the outcome is never a body.
    Answer(Outcome),
    /// There is something, but no feed, and it names none.
    NoFeed(NotAFeed),
    /// The page names this as its feed, but that is a page again.
    PageAgain(Url),
    /// Choose one.
    Several(Vec<Candidate>),
    TooMany {
        subscriptions_max: usize,
    },
    /// Other requests to the site come first; try again at this time.
    Later(Timestamp),
    /// An administrator has halted all fetching.
    Halted,
    /// Reading the document failed or took too long.
    Unreadable(CpuFailure),
    Store(StoreError),
}

impl From<StoreError> for NotFollowed {
    fn from(error: StoreError) -> Self {
        NotFollowed::Store(error)
    }
}

impl fmt::Display for NotFollowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFollowed::NotAnAddress(typed) => {
                write!(f, "{typed:?} is not an address; it should look like https://example.org/feed.")
            }
            NotFollowed::Scheme(typed) => {
                write!(f, "{typed:?} cannot be followed: only http and https addresses can.")
            }
            NotFollowed::Answer(outcome) => {
                f.write_str(&outcome.sentence().unwrap_or_else(|| "The server sent nothing to read.".into()))
            }
            NotFollowed::NoFeed(no_feed) => no_feed.fmt(f),
            NotFollowed::PageAgain(url) => {
                write!(f, "The page names {url} as its feed, but that is a page again.")
            }
            NotFollowed::Several(feeds) => write!(f, "There are {} feeds; choose one.", feeds.len()),
            NotFollowed::TooMany { subscriptions_max } => {
                write!(
                    f,
                    "More than {subscriptions_max} feeds cannot be followed; unsubscribe from some first."
                )
            }
            NotFollowed::Later(until) => Held::Until(*until).fmt(f),
            NotFollowed::Halted => Held::Halted.fmt(f),
            NotFollowed::Unreadable(CpuFailure::Panicked) => f.write_str(&words::defect()),
            NotFollowed::Unreadable(CpuFailure::TooLong) => {
                f.write_str("This document takes too long to read, so it cannot be followed.")
            }
            NotFollowed::Store(_) => f.write_str("The database did not answer; try again in a moment."),
        }
    }
}

impl std::error::Error for NotFollowed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NotFollowed::Store(error) => Some(error),
            _ => None,
        }
    }
}

/// What a person typed, as an address: the scheme may be missing, `feed:` may stand before it, and `@user@host` is an
/// account's page.
pub fn parse_address(typed: &str) -> Result<Url, NotFollowed> {
    let text = typed.trim();
    if let Some(url) = account_address(text) {
        return Ok(url);
    }
    let text = text.strip_prefix("feed://").unwrap_or_else(|| text.strip_prefix("feed:").unwrap_or(text));
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&with_scheme).map_err(|_| NotFollowed::NotAnAddress(shown(text)))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(NotFollowed::Scheme(shown(text)));
    }
    Ok(url)
}

/// What was typed, short enough for a sentence.
fn shown(typed: &str) -> String {
    typed.chars().take(200).collect()
}

/// What an address turned out to be.
#[derive(Debug, Clone)]
pub(crate) enum Found {
    Feed { answer: Box<Answer>, asked_at: Timestamp, title: Option<String> },
    Links(Vec<Candidate>),
}

type Looked<C> = Result<(Found, Arc<ProviderGate<C>>), NotFollowed>;

impl<N: Network, C: Clock> Crawler<N, C> {
    /// What would be followed at an address: at least one feed, or why not. Nobody is subscribed.
    pub async fn find(&self, address: &str) -> Result<Vec<Candidate>, NotFollowed> {
        let (url, secrets) = typed(address)?;
        let mut kind = CandidateKind::Feed;
        let mut at = url.clone();
        if let Some(mut known) = known(&url) {
            match known.feeds.pop() {
                Some(last) if !known.feeds.is_empty() => {
                    known.feeds.push(last);
                    return Ok(known.feeds);
                }
                Some(only) => (kind, at) = (only.kind, only.url),
                None => {}
            }
        }
        let found = match self.look_at(&at, &secrets).await {
            Err(error) if at != url && is_another(&error) => {
                (kind, at) = (CandidateKind::Feed, url.clone());
                self.look_at(&url, &secrets).await?
            }
            found => found?,
        };
        found.1.release(None, None).await;
        match found.0 {
            Found::Feed { title, .. } => Ok(vec![Candidate { url: at, title, kind }]),
            Found::Links(links) => Ok(links),
        }
    }

    pub async fn follow(
        &self,
        user: UserId,
        address: &str,
        folder: Vec<String>,
    ) -> Result<Followed, NotFollowed> {
        let (url, secrets) = typed(address)?;
        let subscriptions_max = self.limits.subscriptions_max;
        if self.store.subscriptions(user).await?.len() >= subscriptions_max {
            return Err(NotFollowed::TooMany { subscriptions_max });
        }
        let Some(known) = known(&url) else { return self.follow_one(user, &url, secrets, folder).await };
        match <[Candidate; 1]>::try_from(known.feeds) {
            Err(feeds) => Err(NotFollowed::Several(feeds)),
            Ok([only]) => match self.follow_one(user, &only.url, secrets.clone(), folder.clone()).await {
                Err(error) if !known.certain && is_another(&error) => {
                    self.follow_one(user, &url, secrets, folder).await
                }
                followed => followed,
            },
        }
    }

    /// A feed, or a page that names just one.
    async fn follow_one(
        &self,
        user: UserId,
        url: &Url,
        secrets: FeedSecrets,
        folder: Vec<String>,
    ) -> Result<Followed, NotFollowed> {
        if self.is_known(url, &secrets).await? {
            return self.subscribe(user, url, &secrets, folder, None).await;
        }
        let (found, gate) = self.look_at(url, &secrets).await?;
        let links = match found {
            Found::Feed { answer, asked_at, .. } => {
                let first = Some((asked_at, *answer, gate));
                return self.subscribe(user, url, &secrets, folder, first).await;
            }
            Found::Links(links) => links,
        };
        gate.release(None, None).await;
        let [link] = <[Candidate; 1]>::try_from(links).map_err(NotFollowed::Several)?;
        let same_origin = link.url.origin() == url.origin();
        let secrets = if same_origin { secrets } else { FeedSecrets::default() };
        if self.is_known(&link.url, &secrets).await? {
            return self.subscribe(user, &link.url, &secrets, folder, None).await;
        }
        match self.look_at(&link.url, &secrets).await? {
            (Found::Feed { answer, asked_at, .. }, gate) => {
                let first = Some((asked_at, *answer, gate));
                self.subscribe(user, &link.url, &secrets, folder, first).await
            }
            (Found::Links(_), gate) => {
                gate.release(None, None).await;
                Err(NotFollowed::PageAgain(link.url))
            }
        }
    }

    /// Whether the feed is shared already, so that nobody needs to be asked.
    async fn is_known(&self, url: &Url, secrets: &FeedSecrets) -> Result<bool, StoreError> {
        Ok(secrets.is_empty() && self.store.feed_by_url(url.as_str(), None).await?.is_some())
    }

    /// What is at an address, from the last few minutes or by asking. The gate still holds what was asked.
    async fn look_at(&self, url: &Url, secrets: &FeedSecrets) -> Looked<C> {
        let now = self.clock.now();
        let gate = self.gate();
        if secrets.is_empty()
            && let Some(found) = self.finds().get(url, now)
        {
            return Ok((found, gate));
        }
        let mut request = FeedRequest::new(url.clone(), FeedId(0));
        request.secrets = secrets.clone();
        request.gate = gate.handle();
        let answer = self.network.feed(&request, now).await;
        let found = match self.read_found(&answer, now).await {
            Ok(found) => found,
            Err(error) => {
                gate.release(Some(&answer), self.block(&answer)).await;
                return Err(error);
            }
        };
        if secrets.is_empty() {
            self.finds().keep(url, &found, now);
        }
        Ok((found, gate))
    }

    async fn read_found(&self, answer: &Answer, asked_at: Timestamp) -> Result<Found, NotFollowed> {
        let (bytes, complete) = match &answer.outcome {
            Outcome::Body { bytes, complete, .. } => (bytes.clone(), *complete),
            Outcome::Held(Held::Until(until)) => return Err(NotFollowed::Later(*until)),
            Outcome::Held(Held::Halted) => return Err(NotFollowed::Halted),
            other => return Err(NotFollowed::Answer(other.clone())),
        };
        let (limits, base) = (Arc::clone(&self.limits), answer.final_url.clone());
        let content_type = answer.content_type.clone();
        let read = self.cpu.run(move || {
            let input = parse::Input {
                bytes: &bytes,
                content_type: content_type.as_deref(),
                base: Some(&base),
                complete,
            };
            match parse::parse(&input, &limits) {
                Ok(parsed) => Ok(parsed.document.title),
                Err(no_feed) if no_feed.looks_like_html() => {
                    Err((no_feed, html::discover(&String::from_utf8_lossy(&bytes), &base, &limits)))
                }
                Err(no_feed) => Err((no_feed, Vec::new())),
            }
        });
        match read.await {
            Ok(Ok(title)) => Ok(Found::Feed { answer: Box::new(answer.clone()), asked_at, title }),
            Ok(Err((no_feed, links))) if links.is_empty() => Err(NotFollowed::NoFeed(no_feed)),
            Ok(Err((_, links))) => {
                let candidate = |link: html::FeedLink| Candidate {
                    url: link.url,
                    title: link.title,
                    kind: CandidateKind::Linked,
                };
                Ok(Found::Links(links.into_iter().map(candidate).collect()))
            }
            Err(failure) => Err(NotFollowed::Unreadable(failure)),
        }
    }

    async fn subscribe(
        &self,
        user: UserId,
        url: &Url,
        secrets: &FeedSecrets,
        folder: Vec<String>,
        first: Option<(Timestamp, Answer, Arc<ProviderGate<C>>)>,
    ) -> Result<Followed, NotFollowed> {
        let now = self.clock.now();
        let sealed = if secrets.is_empty() { None } else { Some(self.seal(url, secrets)?) };
        let wish = Wish {
            subscription: NewSubscription { url: url.to_string(), title: None, site_url: None, folder },
            provider: fetch::provider(url),
            private: sealed.is_some(),
            sealed,
        };
        let subscribed = self.store.subscribe(user, &wish, now, now).await?;
        let mut followed = Followed {
            feed: subscribed.feed,
            url: url.clone(),
            was_subscribed: subscribed.was_subscribed,
            report: None,
        };
        let Some((asked_at, answer, gate)) = first else { return Ok(followed) };
        if subscribed.is_new_feed {
            // The provider is still claimed for this answer, or is claimed again for one from the cache.
            let _ = gate.handle().ask(url, true).await;
            if let Some(claim) = gate.take(&wish.provider) {
                let settings = &self.settings;
                let now = self.clock.now();
                let (lease_for, spacing) = (settings.lease_for, settings.spacing);
                let leased = self
                    .store
                    .lease_claimed(subscribed.feed, claim, now, lease_for, spacing, &settings.node)
                    .await?;
                if let Some(leased) = leased {
                    let report = self.conclude(leased, asked_at, answer.clone()).await?;
                    followed.report = Some(report);
                }
            }
        }
        gate.release(Some(&answer), None).await;
        Ok(followed)
    }
}

/// The address with its credentials taken out.
fn typed(address: &str) -> Result<(Url, FeedSecrets), NotFollowed> {
    let mut url = parse_address(address)?;
    let secrets = take_credentials(&mut url).unwrap_or_default();
    url.set_fragment(None);
    Ok((url, secrets))
}

/// A guess was wrong: there is something else at the guessed address, or nothing.
fn is_another(error: &NotFollowed) -> bool {
    match error {
        NotFollowed::NoFeed(_) | NotFollowed::Several(_) | NotFollowed::PageAgain(_) => true,
        NotFollowed::Answer(outcome) => {
            matches!(outcome, Outcome::NotFound | Outcome::Gone | Outcome::Denied)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        let url = |text| parse_address(text).map(String::from).expect("an address");
        assert_eq!(url(" example.org/feed "), "https://example.org/feed");
        assert_eq!(url("feed:https://example.org/x"), "https://example.org/x");
        assert_eq!(url("feed://example.org/x"), "https://example.org/x");
        assert_eq!(url("http://example.org"), "http://example.org/");
        assert_eq!(url("@mira@social.example"), "https://social.example/@mira");
    }

    #[test]
    fn e7_other_schemes_are_refused_at_input() {
        for bad in [
            "file:///etc/passwd",
            "gopher://x.test/",
            "ftp://x.test/f",
            "javascript://x.test/%0aalert(1)",
            "unix:///var/run/docker.sock",
            "jar:http://x.test!/",
            "",
            "https://",
        ] {
            let refused = parse_address(bad).expect_err(bad);
            assert!(refused.to_string().ends_with('.'), "{refused}");
        }
        assert!(parse_address("data:application/rss+xml,x").is_err());
    }
}
