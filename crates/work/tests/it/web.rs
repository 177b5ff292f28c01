//! The farm's world as a network in virtual time: no sockets, every request logged, crashes and outages on demand.

use domain::{FeedId, Limits, Timestamp, Validators};
use farm::{Body, Ending, Log, LogEntry, Pace, Request, World};
use fetch::{AllowList, Answer, Failure, FeedRequest, Outcome, PageRequest, Refusal};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use url::Url;
use work::{Clock, Network};

/// What one response showed: the links of its items.
pub(crate) struct Shown {
    pub(crate) feed: FeedId,
    pub(crate) links: BTreeSet<String>,
}

pub(crate) struct SimulatedWeb {
    pub(crate) world: World,
    clock: Arc<dyn Clock>,
    /// How long answers take; without, no time at all.
    latency: Option<Mutex<Pcg64Mcg>>,
    pub(crate) log: Log,
    pub(crate) shown: Mutex<Vec<Shown>>,
    in_flight: Mutex<BTreeMap<String, u32>>,
    /// Requests until this process "dies"; the one that reaches zero never returns.
    crash_in: AtomicU64,
    pub(crate) crashed: Notify,
    /// Our own network is down until then.
    offline_until: AtomicI64,
    limits: Limits,
}

const LOG_MAX: usize = 1_000_000;
const NEVER: u64 = u64::MAX;
const LATENCY_MS: std::ops::Range<u64> = 1..2_000;

impl SimulatedWeb {
    pub(crate) fn new(world: World, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self::prompt(world, clock))
    }

    /// Answers take time, so that polls overtake each other, in another way from each seed.
    pub(crate) fn with_latency(world: World, clock: Arc<dyn Clock>, seed: u64) -> Arc<Self> {
        let latency = Some(Mutex::new(Pcg64Mcg::seed_from_u64(seed)));
        Arc::new(SimulatedWeb { latency, ..Self::prompt(world, clock) })
    }

    fn prompt(world: World, clock: Arc<dyn Clock>) -> Self {
        SimulatedWeb {
            world,
            clock,
            latency: None,
            log: Log::new(LOG_MAX),
            shown: Mutex::default(),
            in_flight: Mutex::default(),
            crash_in: AtomicU64::new(NEVER),
            crashed: Notify::new(),
            offline_until: AtomicI64::new(0),
            limits: Limits::default(),
        }
    }

    pub(crate) fn crash_after(&self, requests: u64) {
        self.crash_in.store(requests, Ordering::SeqCst);
    }

    pub(crate) fn no_crash(&self) {
        self.crash_in.store(NEVER, Ordering::SeqCst);
        self.in_flight.lock().unwrap().clear();
    }

    pub(crate) fn offline_until(&self, time: Timestamp) {
        self.offline_until.store(time.micros(), Ordering::SeqCst);
    }

    /// How many requests the log holds.
    pub(crate) fn asked(&self) -> usize {
        self.log.len()
    }

    pub(crate) fn entries(&self) -> Vec<LogEntry> {
        self.log.entries()
    }

    async fn answer(&self, request: &FeedRequest) -> Answer {
        let mut url = request.url.clone();
        let mut permanent = None;
        let mut all_permanent = true;
        for hop in 0..=self.limits.redirects_max {
            if fetch::check_url(&url, &AllowList::default(), &[]).is_err() || !self.is_ours(&url) {
                return blank(Outcome::Refused(Refusal::Address), Some(302), url);
            }
            if let Err(held) = request.gate.ask(&url, hop > 0).await {
                return blank(Outcome::Held(held), (hop > 0).then_some(302), url);
            }
            // As late as this, because a gate may have made us wait.
            let now = self.clock.now();
            let host = url.host_str().unwrap_or_default().to_owned();
            *self.in_flight.lock().unwrap().entry(host.clone()).or_default() += 1;
            let response = self.ask(&url, request, now);
            // Others get their turn while this request is on its way, so that concurrency shows.
            self.travel(now).await;
            self.maybe_crash().await;
            if let Some(count) = self.in_flight.lock().unwrap().get_mut(&host) {
                *count = count.saturating_sub(1);
            }
            let location = response.header("Location").and_then(|to| url.join(to).ok());
            match (response.status, location) {
                (301 | 302 | 303 | 307 | 308, Some(to)) => {
                    all_permanent &= matches!(response.status, 301 | 308);
                    url = to;
                    permanent = all_permanent.then(|| url.clone());
                }
                _ => {
                    let mut answer = self.read(request, &response, url, now);
                    answer.permanent_to = permanent;
                    answer.temporary_hops = !all_permanent;
                    return answer;
                }
            }
        }
        blank(Outcome::Failed(Failure::RedirectLimit), Some(301), url)
    }

    async fn travel(&self, sent_at: Timestamp) {
        let Some(dice) = &self.latency else { return tokio::task::yield_now().await };
        let took = Duration::from_millis(dice.lock().unwrap().random_range(LATENCY_MS));
        self.clock.sleep_until(sent_at.saturating_add(took)).await;
    }

    async fn maybe_crash(&self) {
        if self.crash_in.load(Ordering::SeqCst) != NEVER && self.crash_in.fetch_sub(1, Ordering::SeqCst) == 1
        {
            self.crashed.notify_one();
            std::future::pending::<()>().await;
        }
    }

    fn is_ours(&self, url: &Url) -> bool {
        url.host_str().is_some_and(|host| host.ends_with(".test"))
    }

    fn ask(&self, url: &Url, request: &FeedRequest, now: Timestamp) -> farm::Response {
        let mut headers = vec![("User-Agent", "Wellread/0"), ("Accept-Encoding", "gzip")];
        if request.url.origin() == url.origin() {
            headers.extend(request.validators.etag.as_deref().map(|etag| ("If-None-Match", etag)));
            headers
                .extend(request.validators.last_modified.as_deref().map(|date| ("If-Modified-Since", date)));
            if request.delta {
                headers.push(("A-IM", "feed"));
            }
        }
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let host = url.host_str().unwrap_or_default();
        let asked = Request::get(host, &path, &headers);
        // Bodies are wanted plain here: what is compressed on the wire is `fetch`'s business.
        let uncompressed: Vec<_> =
            headers.iter().copied().filter(|(name, _)| *name != "Accept-Encoding").collect();
        let plain = Request::get(host, &path, &uncompressed);
        let response = self.world.respond(&plain, now);
        let in_flight = self.in_flight.lock().unwrap().get(host).copied().unwrap_or(1);
        self.log.record(&self.world, &asked, &response, in_flight, now);
        response
    }

    fn read(&self, request: &FeedRequest, response: &farm::Response, url: Url, now: Timestamp) -> Answer {
        let validators = Validators {
            etag: response
                .header("ETag")
                .filter(|tag| tag.len() <= self.limits.validator_bytes_max)
                .map(str::to_owned),
            last_modified: response.header("Last-Modified").map(str::to_owned),
        };
        let outcome = match response.status {
            200 | 226 => self.body(request, response),
            304 => Outcome::Unchanged,
            410 => Outcome::Gone,
            429 | 503 => Outcome::Busy,
            401 | 403 | 451 => Outcome::Denied,
            400..=499 => Outcome::NotFound,
            status => Outcome::Failed(Failure::Status(status)),
        };
        let complete = matches!(outcome, Outcome::Body { complete: true, .. } | Outcome::Unchanged);
        let mut answer = blank(outcome, Some(response.status), url);
        answer.validators = if complete { validators } else { Validators::default() };
        answer.retry_after = response.retry_at;
        answer.fresh_for = response.fresh_until.map(|until| until.since(now));
        answer.content_type = response.header("Content-Type").map(str::to_owned);
        answer.challenge = response.header("cf-mitigated").is_some();
        answer
    }

    fn body(&self, request: &FeedRequest, response: &farm::Response) -> Outcome {
        if response.pace != Pace::AtOnce {
            return Outcome::Failed(Failure::TooSlow);
        }
        if response.header("Content-Encoding").is_some() {
            return Outcome::Failed(Failure::Ratio);
        }
        if response.body.len() > self.limits.body_bytes_max {
            return Outcome::Failed(Failure::TooLarge { bytes_max: self.limits.body_bytes_max });
        }
        let whole = match &response.body {
            Body::Whole(bytes) => bytes.clone(),
            Body::Repeated { head, unit, times, tail } => {
                let times = usize::try_from(*times).unwrap();
                [head.to_vec(), unit.repeat(times), tail.to_vec()].concat().into()
            }
        };
        let (bytes, complete) = match response.ending {
            Ending::Complete => (whole, response.is_complete()),
            Ending::ResetBeforeHead => return Outcome::Failed(Failure::Protocol),
            Ending::CutAfter { bytes } | Ending::ResetAfter { bytes } => {
                let kept = usize::try_from(bytes).unwrap().min(whole.len());
                (whole.slice(..kept), false)
            }
        };
        if bytes.is_empty() && !complete {
            return Outcome::Failed(Failure::Protocol);
        }
        self.remember(request, &bytes, complete);
        Outcome::Body { bytes, complete, delta: response.status == 226 }
    }

    fn remember(&self, request: &FeedRequest, bytes: &[u8], complete: bool) {
        let input = parse::Input { bytes, content_type: None, base: Some(&request.url), complete };
        if let Ok(mut parsed) = parse::parse(&input, &self.limits) {
            if !complete || parsed.document.truncated {
                parsed.document.items.pop();
            }
            let links = parsed.document.items.into_iter().filter_map(|item| item.link).collect();
            self.shown.lock().unwrap().push(Shown { feed: request.feed, links });
        }
    }
}

impl Network for SimulatedWeb {
    async fn feed(&self, request: &FeedRequest, now: Timestamp) -> Answer {
        if now.micros() < self.offline_until.load(Ordering::SeqCst) {
            return blank(Outcome::Failed(Failure::Dns), None, request.url.clone());
        }
        self.answer(request).await
    }

    /// A page is fetched like a feed here: the world does not care why it is asked.
    async fn page(&self, request: &PageRequest, now: Timestamp) -> Answer {
        let feed = FeedRequest {
            validators: request.validators.clone(),
            gate: request.gate.clone(),
            ..FeedRequest::new(request.url.clone(), FeedId(0))
        };
        Network::feed(self, &feed, now).await
    }
}

pub(crate) fn blank(outcome: Outcome, status: Option<u16>, final_url: Url) -> Answer {
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
