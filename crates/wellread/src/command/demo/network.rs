//! The simulated web without sockets: history is polled through it in virtual time, by the real crawler. [`InProcess`]
//! answers as of its clock, [`AsOf`] as of the time it is asked for.
//!
//! It reads the farm's scripts of answers the way `fetch` would read them from a connection. What a script does to a
//! connection (drips, resets, lies about lengths) comes out as a failure; the demo casts no feed for that anyway.

use domain::{FeedId, Limits, Timestamp, Validators};
use farm::{Body, Ending, Pace, Request, Response, World};
use fetch::{Answer, Failure, FeedRequest, Outcome, PageRequest, Refusal};
use std::sync::Arc;
use url::Url;
use work::{Clock, Network};

pub(super) struct InProcess<C> {
    clock: Arc<C>,
    inside: Inside,
}

impl<C: Clock> InProcess<C> {
    pub(super) fn new(world: Arc<World>, clock: Arc<C>, limits: Limits) -> Arc<Self> {
        Arc::new(InProcess { clock, inside: Inside { world, limits } })
    }
}

pub(super) struct AsOf(Inside);

impl AsOf {
    pub(super) fn new(world: Arc<World>, limits: Limits) -> Arc<Self> {
        Arc::new(AsOf(Inside { world, limits }))
    }
}

struct Inside {
    world: Arc<World>,
    limits: Limits,
}

impl Inside {
    async fn answer(&self, request: &FeedRequest, time: impl Fn() -> Timestamp + Send) -> Answer {
        let mut url = request.url.clone();
        let mut permanent = None;
        let mut all_permanent = true;
        for hop in 0..=self.limits.redirects_max {
            if !url.host_str().is_some_and(|host| host.ends_with(".test")) {
                return blank(Outcome::Refused(Refusal::Address), Some(302), url);
            }
            if let Err(held) = request.gate.ask(&url, hop > 0).await {
                return blank(Outcome::Held(held), (hop > 0).then_some(302), url);
            }
            // As late as this, because a gate may have made us wait.
            let now = time();
            let response = self.ask(&url, request, now);
            let location = response.header("Location").and_then(|to| url.join(to).ok());
            match (response.status, location) {
                (301 | 302 | 303 | 307 | 308, Some(to)) => {
                    all_permanent &= matches!(response.status, 301 | 308);
                    url = to;
                    permanent = all_permanent.then(|| url.clone());
                }
                _ => {
                    let mut answer = self.read(&response, url, now);
                    answer.permanent_to = permanent;
                    answer.temporary_hops = !all_permanent;
                    return answer;
                }
            }
        }
        blank(Outcome::Failed(Failure::RedirectLimit), Some(301), url)
    }

    fn ask(&self, url: &Url, request: &FeedRequest, now: Timestamp) -> Response {
        let mut headers = vec![("User-Agent", "Wellread")];
        if request.url.origin() == url.origin() {
            let Validators { etag, last_modified } = &request.validators;
            headers.extend(etag.as_deref().map(|etag| ("If-None-Match", etag)));
            headers.extend(last_modified.as_deref().map(|date| ("If-Modified-Since", date)));
        }
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        self.world.respond(&Request::get(url.host_str().unwrap_or_default(), &path, &headers), now)
    }

    fn read(&self, response: &Response, url: Url, now: Timestamp) -> Answer {
        let outcome = match response.status {
            200 | 226 => self.body(response),
            304 => Outcome::Unchanged,
            410 => Outcome::Gone,
            429 | 503 => Outcome::Busy,
            401 | 403 | 451 => Outcome::Denied,
            400..=499 => Outcome::NotFound,
            status => Outcome::Failed(Failure::Status(status)),
        };
        let mut answer = blank(outcome, Some(response.status), url);
        if matches!(answer.outcome, Outcome::Body { complete: true, .. } | Outcome::Unchanged) {
            answer.validators = Validators {
                etag: response.header("ETag").map(str::to_owned),
                last_modified: response.header("Last-Modified").map(str::to_owned),
            };
        }
        if let Outcome::Body { bytes, .. } = &answer.outcome {
            answer.wire_bytes = bytes.len() as u64;
        }
        answer.retry_after = response.retry_at;
        answer.fresh_for = response.fresh_until.map(|until| until.since(now));
        answer.content_type = response.header("Content-Type").map(str::to_owned);
        answer.challenge = response.header("cf-mitigated").is_some();
        answer
    }

    fn body(&self, response: &Response) -> Outcome {
        let Body::Whole(bytes) = &response.body else {
            return Outcome::Failed(Failure::TooLarge { bytes_max: self.limits.body_bytes_max });
        };
        if response.pace != Pace::AtOnce {
            return Outcome::Failed(Failure::TooSlow);
        }
        if response.ending != Ending::Complete {
            return Outcome::Failed(Failure::Protocol);
        }
        Outcome::Body { bytes: bytes.clone(), complete: true, delta: response.status == 226 }
    }
}

impl<C: Clock> Network for InProcess<C> {
    async fn feed(&self, request: &FeedRequest, _now: Timestamp) -> Answer {
        self.inside.answer(request, || self.clock.now()).await
    }

    async fn page(&self, request: &PageRequest, _now: Timestamp) -> Answer {
        self.inside.answer(&as_feed(request), || self.clock.now()).await
    }
}

impl Network for AsOf {
    async fn feed(&self, request: &FeedRequest, now: Timestamp) -> Answer {
        self.0.answer(request, || now).await
    }

    async fn page(&self, request: &PageRequest, now: Timestamp) -> Answer {
        self.0.answer(&as_feed(request), || now).await
    }
}

/// A page is asked for like a feed: the world does not care why.
fn as_feed(request: &PageRequest) -> FeedRequest {
    FeedRequest {
        validators: request.validators.clone(),
        gate: request.gate.clone(),
        ..FeedRequest::new(request.url.clone(), FeedId(0))
    }
}

fn blank(outcome: Outcome, status: Option<u16>, final_url: Url) -> Answer {
    Answer {
        outcome,
        status,
        final_url,
        permanent_to: None,
        temporary_hops: false,
        validators: Validators::default(),
        fresh_for: None,
        retry_after: None,
        wire_bytes: 0,
        content_type: None,
        challenge: false,
        noindex: false,
        hubs: Vec::new(),
        self_link: None,
        crawl_delay: None,
        warnings: Vec::new(),
    }
}
