//! The fetcher: requests in, answers out, hop by hop.

use crate::allow::AllowList;
use crate::answer::{Answer, Outcome, Warning};
use crate::body::{self, Bounds};
use crate::boxed;
use crate::door::Door;
use crate::failure::{Failure, FetchError, Refusal};
use crate::gate::{Gate, Held, Watch};
use crate::guard::{self, OwnAddress};
use crate::headers::{self, Agent, Conditions};
use crate::hop::{self, Stopped};
use crate::media::{self, NoMedia};
use crate::opt_out::OptOuts;
use crate::request::{FeedRequest, PageRequest, Wanted, take_credentials};
use crate::resolve::Resolver;
use crate::response;
use crate::robots::{self, Cache, Policy, Rules, Verdict};
use crate::sniff::MediaClass;
use domain::{Limits, Timestamp, Validators};
use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, LOCATION, RANGE};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;

/// How the door is set up.
#[derive(Debug, Clone)]
pub struct FetchConfig {
    pub limits: Limits,
    pub allow: AllowList,
    /// Where this server itself answers: listening sockets and the public address.
    pub own_addresses: Vec<OwnAddress>,
    /// An address for publishers who want to know who asks; part of the user agent.
    pub contact: Option<String>,
    pub version: &'static str,
    pub resolver: Resolver,
    /// Further certificate authorities, as DER: for tests and closed networks.
    pub extra_roots: Vec<Vec<u8>>,
    /// Publishers who asked to be left alone.
    pub opt_outs: OptOuts,
}

impl Default for FetchConfig {
    fn default() -> Self {
        FetchConfig {
            limits: Limits::default(),
            allow: AllowList::default(),
            own_addresses: Vec::new(),
            contact: None,
            version: env!("CARGO_PKG_VERSION"),
            resolver: Resolver::System,
            extra_roots: Vec::new(),
            opt_outs: OptOuts::default(),
        }
    }
}

/// The only thing in Wellread that opens outgoing connections. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
}

struct Inner {
    limits: Limits,
    allow: AllowList,
    own: Vec<OwnAddress>,
    opt_outs: OptOuts,
    agent: Agent,
    door: Door,
    slots: Semaphore,
    media_slots: Arc<Semaphore>,
    robots: Cache,
}

impl Fetcher {
    pub fn new(config: FetchConfig) -> Result<Self, FetchError> {
        let agent = Agent::new(config.version, config.contact.as_deref())?;
        let door = Door::new(&config)?;
        let slots = Semaphore::new(config.limits.fetches_max.clamp(1, Semaphore::MAX_PERMITS));
        let FetchConfig { limits, allow, own_addresses: own, opt_outs, .. } = config;
        let media_slots = Arc::new(Semaphore::new(media::STREAMS_MAX));
        let robots = Cache::default();
        let inner = Inner { limits, allow, own, opt_outs, agent, door, slots, media_slots, robots };
        Ok(Fetcher { inner: Arc::new(inner) })
    }

    /// Whether an address would be asked at all: scheme, port, literals and our own doors. For input forms.
    pub fn check(&self, url: &Url) -> Result<(), Refusal> {
        self.inner.check(url)
    }

    /// The list of those who asked to be left alone; changing it counts from the next request on.
    pub fn opt_outs(&self) -> &OptOuts {
        &self.inner.opt_outs
    }

    /// One poll of a feed.
    #[boxed]
    pub async fn feed(&self, request: &FeedRequest, now: Timestamp) -> Answer {
        let mut url = request.url.clone();
        // Credentials belong in `secrets`; those left in an address are used, but go no further.
        let found = take_credentials(&mut url).filter(|_| request.secrets.user.is_none());
        let prepared = self.prepare_feed(request, found);
        let (agent, secrets) = match prepared {
            Ok(prepared) => prepared,
            Err(refusal) => return Trip::new(url).end(Outcome::Refused(refusal)),
        };
        let _slot = self.inner.slots.acquire().await;
        let watch = Watch::new(self.inner.limits.fetch_timeout);
        let order = Order {
            accept: headers::accept_feed(),
            agent,
            conditions: Conditions::new(&request.validators, request.delta),
            sent: &request.validators,
            secrets,
            robots: false,
            cut: false,
            bytes_max: None,
            gate: &request.gate,
            watch: &watch,
            now,
        };
        self.inner.run(url, &order).await
    }

    /// Anything but a feed: discovery, full text, icons.
    #[boxed]
    pub async fn page(&self, request: &PageRequest, now: Timestamp) -> Answer {
        let mut url = request.url.clone();
        // A page needs no login of ours; whoever typed one gets it dropped, not sent.
        let _ = take_credentials(&mut url);
        let _slot = self.inner.slots.acquire().await;
        let watch = Watch::new(self.inner.limits.fetch_timeout);
        let mut order =
            self.inner.plain_order(request.wanted, &request.validators, &request.gate, &watch, now);
        order.robots = request.robots;
        order.bytes_max = request.body_bytes_max;
        self.inner.run(url, &order).await
    }

    /// What a site's robots.txt says about an address, from the cache or by asking.
    #[boxed]
    pub async fn robots(&self, url: &Url, now: Timestamp) -> Verdict {
        let _slot = self.inner.slots.acquire().await;
        let watch = Watch::new(self.inner.limits.fetch_timeout);
        match self.inner.policy(url, &Gate::default(), &watch, now).await {
            Ok(policy) => policy.verdict(url),
            Err(_) => Verdict::Unreachable,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    pub(crate) fn media_slots(&self) -> Arc<Semaphore> {
        Arc::clone(&self.inner.media_slots)
    }

    /// Follows an address to the head of its answer, without reading the body.
    pub(crate) async fn open_media(
        &self,
        url: &Url,
        class: MediaClass,
        range: Option<&str>,
        deadline: Instant,
        now: Timestamp,
    ) -> Result<reqwest::Response, NoMedia> {
        let nothing = Validators::default();
        let (gate, watch) = (Gate::default(), Watch::until(deadline));
        let wanted = if class == MediaClass::Image { Wanted::Image } else { Wanted::Anything };
        let order = self.inner.plain_order(wanted, &nothing, &gate, &watch, now);
        let mut url = url.clone();
        let _ = take_credentials(&mut url);
        let mut trip = Trip::new(url);
        loop {
            self.inner.check(&trip.url).map_err(NoMedia::Refused)?;
            let mut head = headers::build(&order.accept, &order.agent, &order.conditions, None);
            head.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            if let Some(range) = range.and_then(|range| HeaderValue::try_from(range).ok()) {
                head.insert(RANGE, range);
            }
            let response = match self.inner.hop(&trip.url, head, deadline).await {
                Ok(response) => response,
                Err(Stopped::Refused(refusal)) => return Err(NoMedia::Refused(refusal)),
                Err(Stopped::Failed(failure)) => return Err(NoMedia::Failed(failure)),
            };
            if !is_redirect(response.status().as_u16()) {
                return Ok(response);
            }
            match self.inner.follow(&mut trip, &response, false) {
                Ok(()) => {}
                Err(Outcome::Refused(refusal)) => return Err(NoMedia::Refused(refusal)),
                Err(Outcome::Failed(failure)) => return Err(NoMedia::Failed(failure)),
                Err(_) => return Err(NoMedia::Failed(Failure::BadRedirect)),
            }
        }
    }

    fn prepare_feed(
        &self,
        request: &FeedRequest,
        found: Option<domain::secret::FeedSecrets>,
    ) -> Result<(HeaderValue, HeaderMap), Refusal> {
        let agent =
            self.inner.agent.for_feed(request.user_agent.as_deref(), request.subscribers, request.feed)?;
        let mut secrets = headers::secret_headers(&request.secrets)?;
        if let Some(found) = found {
            secrets.extend(headers::secret_headers(&found)?);
        }
        Ok((agent, secrets))
    }
}

/// What stays the same over all hops of one request.
struct Order<'a> {
    accept: HeaderValue,
    agent: HeaderValue,
    conditions: Conditions,
    sent: &'a Validators,
    secrets: HeaderMap,
    robots: bool,
    cut: bool,
    bytes_max: Option<u64>,
    gate: &'a Gate,
    watch: &'a Watch,
    now: Timestamp,
}

impl Inner {
    fn check(&self, url: &Url) -> Result<(), Refusal> {
        if url.as_str().len() > self.limits.url_bytes_max {
            return Err(Refusal::TooLong);
        }
        if self.opt_outs.holds(url) {
            return Err(Refusal::OptedOut);
        }
        guard::check_url(url, &self.allow, &self.own)
    }

    fn plain_order<'a>(
        &self,
        wanted: Wanted,
        sent: &'a Validators,
        gate: &'a Gate,
        watch: &'a Watch,
        now: Timestamp,
    ) -> Order<'a> {
        Order {
            accept: headers::accept(wanted),
            agent: self.agent.plain(),
            conditions: Conditions::new(sent, false),
            sent,
            secrets: HeaderMap::new(),
            robots: false,
            cut: false,
            bytes_max: None,
            gate,
            watch,
            now,
        }
    }

    /// Follows an address to its answer. Every hop is checked, and its headers are built, as if it were the first.
    async fn run(&self, url: Url, order: &Order<'_>) -> Answer {
        let origin = url.origin();
        let mut trip = Trip::new(url);
        loop {
            if let Err(refusal) = self.check(&trip.url) {
                return trip.end(Outcome::Refused(refusal));
            }
            let passes = order.watch.passes();
            if order.robots
                && let Err(outcome) = self.ask_robots(&mut trip, order).await
            {
                return trip.end(outcome);
            }
            // After a robots.txt the page is a request of its own, even where a redirect led to it.
            let redirected = trip.hops > 0 && order.watch.passes() == passes;
            if let Err(held) = order.watch.pass(order.gate, &trip.url, redirected).await {
                return trip.end(Outcome::Held(held));
            }
            let secrets = (trip.url.origin() == origin).then_some(&order.secrets);
            let head = headers::build(&order.accept, &order.agent, &order.conditions, secrets);
            let response = match self.hop(&trip.url, head, order.watch.deadline()).await {
                Ok(response) => response,
                Err(Stopped::Refused(refusal)) => return trip.end(Outcome::Refused(refusal)),
                Err(Stopped::Failed(failure)) => return trip.end(Outcome::Failed(failure)),
            };
            trip.status = Some(response.status().as_u16());
            if !is_redirect(response.status().as_u16()) {
                return self.finish(trip, response, order).await;
            }
            if let Err(stopped) = self.follow(&mut trip, &response, !order.secrets.is_empty()) {
                return trip.end(stopped);
            }
        }
    }

    async fn hop(&self, url: &Url, head: HeaderMap, deadline: Instant) -> Result<reqwest::Response, Stopped> {
        let client = self.door.client(url.port_or_known_default().unwrap_or_default());
        hop::send(client, url, head, &self.limits, deadline).await
    }

    /// Moves the trip to where a redirect points. The guard judges the new place at the head of the loop.
    fn follow(
        &self,
        trip: &mut Trip,
        response: &reqwest::Response,
        has_secrets: bool,
    ) -> Result<(), Outcome> {
        let failed = Outcome::Failed;
        let location = response.headers().get(LOCATION).ok_or(failed(Failure::BadRedirect))?;
        if location.is_empty() || location.len() > self.limits.url_bytes_max {
            return Err(failed(Failure::BadRedirect));
        }
        if trip.hops >= self.limits.redirects_max {
            return Err(failed(Failure::RedirectLimit));
        }
        let location = String::from_utf8_lossy(location.as_bytes());
        let mut next = trip.url.join(&location).map_err(|_| failed(Failure::BadRedirect))?;
        let _ = take_credentials(&mut next);
        next.set_fragment(None);
        if trip.url.scheme() == "https" && next.scheme() == "http" {
            if has_secrets {
                return Err(Outcome::Refused(Refusal::Downgrade));
            }
            trip.warnings.push(Warning::Downgrade { to: next.to_string() });
        }
        if matches!(response.status().as_u16(), 301 | 308) {
            trip.permanent_hops += 1;
        }
        trip.hops += 1;
        trip.url = next;
        Ok(())
    }

    async fn finish(&self, mut trip: Trip, response: reqwest::Response, order: &Order<'_>) -> Answer {
        let head = response.headers().clone();
        let outcome = match response.status().as_u16() {
            status @ 200..=299 => {
                let mut bounds = Bounds::new(&self.limits, order.bytes_max, order.watch.deadline());
                bounds.cut = order.cut;
                let (read, wire_bytes) = body::read(response, &bounds).await;
                trip.wire_bytes = trip.wire_bytes.saturating_add(wire_bytes);
                match read {
                    // 206 was not asked for: whatever it is, it is not the whole.
                    Ok(body) => Outcome::Body {
                        bytes: body.bytes,
                        complete: body.complete && status != 206,
                        delta: status == 226,
                    },
                    Err(failure) => Outcome::Failed(failure),
                }
            }
            304 if order.conditions.is_empty() => Outcome::Failed(Failure::NotModifiedUnasked),
            304 => Outcome::Unchanged,
            410 => Outcome::Gone,
            429 | 503 => Outcome::Busy,
            401 | 403 | 407 | 451 => Outcome::Denied,
            400..=499 => Outcome::NotFound,
            status => Outcome::Failed(Failure::Status(status)),
        };
        let mut answer = trip.end(outcome);
        self.add_facts(&mut answer, &head, order);
        answer
    }

    fn add_facts(&self, answer: &mut Answer, head: &HeaderMap, order: &Order<'_>) {
        let read = || response::validators(head, self.limits.validator_bytes_max);
        answer.validators = match &answer.outcome {
            Outcome::Body { complete: true, .. } => read(),
            Outcome::Unchanged => response::refreshed(order.sent, read()),
            _ => Validators::default(),
        };
        answer.fresh_for = response::fresh_for(head, order.now);
        answer.retry_after = response::retry_after(head, order.now);
        answer.content_type = response::content_type(head);
        answer.challenge = response::is_challenge(head);
        answer.noindex = response::is_noindex(head);
        (answer.hubs, answer.self_link) = response::links(head, &answer.final_url, self.limits.url_bytes_max);
    }

    async fn ask_robots(&self, trip: &mut Trip, order: &Order<'_>) -> Result<(), Outcome> {
        // `run` asks for robots.txt and `policy` runs: boxed, because a future cannot contain itself. It goes one level
        // deep, since the inner order has `robots: false`.
        let policy = Box::pin(self.policy(&trip.url, order.gate, order.watch, order.now)).await;
        match policy.map_err(Outcome::Held)?.verdict(&trip.url) {
            Verdict::Allowed { crawl_delay } => {
                trip.crawl_delay = crawl_delay;
                Ok(())
            }
            Verdict::Disallowed { crawl_delay } => {
                trip.crawl_delay = crawl_delay;
                Err(Outcome::Refused(Refusal::Robots))
            }
            Verdict::Unreachable => Err(Outcome::Refused(Refusal::RobotsUnreachable)),
        }
    }

    /// Only an answer is remembered: held at the gate, nothing was learnt.
    async fn policy(
        &self,
        url: &Url,
        gate: &Gate,
        watch: &Watch,
        now: Timestamp,
    ) -> Result<Arc<Policy>, Held> {
        let site = url.origin().ascii_serialization();
        if let Some(policy) = self.robots.get(&site, now) {
            return Ok(policy);
        }
        let Ok(file) = url.join("/robots.txt") else { return Ok(Arc::new(Policy::Unreachable)) };
        let nothing = Validators::default();
        let mut order = self.plain_order(Wanted::Anything, &nothing, gate, watch, now);
        order.cut = true;
        order.bytes_max = Some(robots::FILE_BYTES_MAX);
        let answer = self.run(file, &order).await;
        let policy = Arc::new(match answer.outcome {
            Outcome::Body { bytes, .. } => Policy::Rules(Rules::parse(&bytes)),
            // 4xx: there are no rules (RFC 9309 §2.3.1.3); likewise after too many redirects (§2.3.1.2).
            Outcome::Gone | Outcome::NotFound | Outcome::Denied | Outcome::Failed(Failure::RedirectLimit) => {
                Policy::Rules(Rules::default())
            }
            Outcome::Held(held) => return Err(held),
            // 429 is a 4xx, but a site that asks for fewer requests has not said yes.
            _ => Policy::Unreachable,
        });
        self.robots.put(site, policy.clone(), now);
        Ok(policy)
    }
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// One request under way: where it is, and what it met.
struct Trip {
    url: Url,
    hops: u32,
    permanent_hops: u32,
    status: Option<u16>,
    wire_bytes: u64,
    warnings: Vec<Warning>,
    crawl_delay: Option<Duration>,
}

impl Trip {
    fn new(mut url: Url) -> Self {
        url.set_fragment(None);
        Trip {
            url,
            hops: 0,
            permanent_hops: 0,
            status: None,
            wire_bytes: 0,
            warnings: Vec::new(),
            crawl_delay: None,
        }
    }

    fn end(self, outcome: Outcome) -> Answer {
        let temporary_hops = self.permanent_hops < self.hops;
        Answer {
            outcome,
            status: self.status,
            permanent_to: (self.hops > 0 && !temporary_hops).then(|| self.url.clone()),
            final_url: self.url,
            temporary_hops,
            validators: Validators::default(),
            fresh_for: None,
            retry_after: None,
            wire_bytes: self.wire_bytes,
            content_type: None,
            challenge: false,
            noindex: false,
            hubs: Vec::new(),
            self_link: None,
            crawl_delay: self.crawl_delay,
            warnings: self.warnings,
        }
    }
}
