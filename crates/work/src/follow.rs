//! A person types an address; a feed is followed.
//!
//! A feed is asked for once: the answer that showed what it is also becomes its first poll. A page costs one request
//! more, for the feed it names.

use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::network::Network;
use crate::poll::PollReport;
use domain::secret::FeedSecrets;
use domain::{FeedId, NewSubscription, Timestamp, UserId};
use fetch::{Answer, FeedRequest, Outcome, take_credentials};
use html::FeedLink;
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

#[derive(Debug)]
pub enum NotFollowed {
    /// What is wrong, as a sentence.
    Address(String),
    /// The page names several feeds: choose one.
    Several(Vec<FeedLink>),
    TooMany {
        subscriptions_max: usize,
    },
    Store(StoreError),
}

impl From<StoreError> for NotFollowed {
    fn from(error: StoreError) -> Self {
        NotFollowed::Store(error)
    }
}

/// What a person typed, as an address: the scheme may be missing, `feed:` may stand before it.
pub fn parse_address(text: &str) -> Result<Url, String> {
    let text = text.trim();
    let text = text.strip_prefix("feed://").unwrap_or_else(|| text.strip_prefix("feed:").unwrap_or(text));
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&with_scheme)
        .map_err(|_| format!("{text:?} is not an address; it should look like https://example.org/feed"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(format!("{text:?} cannot be followed: only http and https addresses can"));
    }
    Ok(url)
}

enum Found {
    Feed(Box<Answer>),
    Links(Vec<FeedLink>),
    Nothing(String),
}

impl<N: Network, C: Clock> Crawler<N, C> {
    pub async fn follow(
        &self,
        user: UserId,
        address: &str,
        folder: Vec<String>,
    ) -> Result<Followed, NotFollowed> {
        let mut url = parse_address(address).map_err(NotFollowed::Address)?;
        let secrets = take_credentials(&mut url).unwrap_or_default();
        url.set_fragment(None);
        let subscriptions_max = self.limits.subscriptions_max;
        if self.store.subscriptions(user).await?.len() >= subscriptions_max {
            return Err(NotFollowed::TooMany { subscriptions_max });
        }
        if secrets.is_empty() && self.store.feed_by_url(url.as_str(), None).await?.is_some() {
            return self.subscribe(user, &url, &secrets, folder, None).await;
        }
        let asked_at = self.clock.now();
        match self.look(&url, &secrets, asked_at).await {
            Found::Feed(answer) => {
                self.subscribe(user, &url, &secrets, folder, Some((asked_at, *answer))).await
            }
            Found::Nothing(sentence) => Err(NotFollowed::Address(sentence)),
            Found::Links(links) => match <[FeedLink; 1]>::try_from(links) {
                Err(links) => Err(NotFollowed::Several(links)),
                Ok([link]) => {
                    self.clock.sleep_until(self.clock.now().saturating_add(self.settings.spacing)).await;
                    let same_origin = link.url.origin() == url.origin();
                    let secrets = if same_origin { secrets } else { FeedSecrets::default() };
                    let asked_at = self.clock.now();
                    match self.look(&link.url, &secrets, asked_at).await {
                        Found::Feed(answer) => {
                            let first = Some((asked_at, *answer));
                            self.subscribe(user, &link.url, &secrets, folder, first).await
                        }
                        Found::Links(_) => Err(NotFollowed::Address(format!(
                            "The page names {} as its feed, but that is a page again.",
                            link.url
                        ))),
                        Found::Nothing(sentence) => Err(NotFollowed::Address(sentence)),
                    }
                }
            },
        }
    }

    async fn look(&self, url: &Url, secrets: &FeedSecrets, now: Timestamp) -> Found {
        let mut request = FeedRequest::new(url.clone(), FeedId(0));
        request.secrets = secrets.clone();
        let answer = self.network.feed(&request, now).await;
        let (bytes, complete) = match &answer.outcome {
            Outcome::Body { bytes, complete, .. } => (bytes.clone(), *complete),
            other => {
                let sentence = other.sentence().unwrap_or_else(|| "The server sent nothing to read.".into());
                return Found::Nothing(sentence);
            }
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
                Ok(_) => Ok(()),
                Err(no_feed) if no_feed.looks_like_html() => {
                    Err((no_feed, html::discover(&String::from_utf8_lossy(&bytes), &base, &limits)))
                }
                Err(no_feed) => Err((no_feed, Vec::new())),
            }
        });
        match read.await {
            Ok(Ok(())) => Found::Feed(Box::new(answer)),
            Ok(Err((_, links))) if !links.is_empty() => Found::Links(links),
            Ok(Err((no_feed, _))) => Found::Nothing(no_feed.to_string()),
            Err(failure) => Found::Nothing(self.failure(failure)),
        }
    }

    async fn subscribe(
        &self,
        user: UserId,
        url: &Url,
        secrets: &FeedSecrets,
        folder: Vec<String>,
        first: Option<(Timestamp, Answer)>,
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
        if let (true, Some((asked_at, answer))) = (subscribed.is_new_feed, first) {
            let settings = &self.settings;
            let leased = self
                .store
                .lease_feed(subscribed.feed, now, settings.lease_for, settings.spacing, &settings.node)
                .await?;
            if let Some(leased) = leased {
                followed.report = Some(self.conclude(leased, asked_at, answer).await?);
            }
        }
        Ok(followed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        let url = |text| parse_address(text).map(String::from);
        assert_eq!(url(" example.org/feed "), Ok("https://example.org/feed".into()));
        assert_eq!(url("feed:https://example.org/x"), Ok("https://example.org/x".into()));
        assert_eq!(url("feed://example.org/x"), Ok("https://example.org/x".into()));
        assert_eq!(url("http://example.org"), Ok("http://example.org/".into()));
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
            assert!(parse_address(bad).is_err(), "{bad}");
        }
        assert!(parse_address("data:application/rss+xml,x").is_err());
    }
}
