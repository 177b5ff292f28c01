//! The judge finds what was planted, and nothing else.

use crate::{START, after};
use domain::Timestamp;
use farm::{Behaviour, FarmConfig, Log, Request, Rules, Violation, ViolationKind, World, score};
use std::time::Duration;

const AGENT: (&str, &str) = ("User-Agent", "Wellread/0.1 (+https://reader.example/about)");
const CODINGS: (&str, &str) = ("Accept-Encoding", "gzip, br, zstd");

struct Client {
    world: World,
    log: Log,
}

impl Client {
    fn new(script: &[Behaviour]) -> Client {
        Client { world: World::new(FarmConfig::scripted(41, START, script)), log: Log::new(10_000) }
    }

    /// Asks for feed 0; gives the validators of the answer.
    fn poll(&self, headers: &[(&str, &str)], now: Timestamp) -> (Option<String>, Option<String>) {
        let spec = &self.world.feeds()[0];
        self.ask(&spec.host, &spec.url_path, headers, 1, now)
    }

    fn ask(
        &self,
        host: &str,
        path: &str,
        headers: &[(&str, &str)],
        in_flight: u32,
        now: Timestamp,
    ) -> (Option<String>, Option<String>) {
        let request = Request::get(host, path, headers);
        let response = self.world.respond(&request, now);
        self.log.record(&self.world, &request, &response, in_flight, now);
        (response.header("ETag").map(str::to_owned), response.header("Last-Modified").map(str::to_owned))
    }

    fn judged(&self) -> Vec<ViolationKind> {
        let mut kinds: Vec<_> =
            self.violations(&rules()).into_iter().map(|violation| violation.kind).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    fn violations(&self, rules: &Rules<'_>) -> Vec<Violation> {
        score(&self.log.entries(), rules)
    }
}

fn rules() -> Rules<'static> {
    Rules { floor: &|_| Duration::from_secs(3_600), ..Rules::default() }
}

/// A script whose first feed gives both validators and no freshness, so that only the planted fault counts.
fn plain() -> Client {
    for seed in 0..200 {
        let mut config = FarmConfig::scripted(seed, START, &[Behaviour::Good]);
        config.items_per_document = 5;
        let world = World::new(config);
        let habits = &world.feeds()[0].habits;
        if habits.etag && habits.last_modified && habits.caching.freshness().is_none() {
            return Client { world, log: Log::new(10_000) };
        }
    }
    panic!("no seed gives a plain feed")
}

#[test]
fn a_polite_client_is_not_blamed() {
    let client = plain();
    let mut validators: (Option<String>, Option<String>) = (None, None);
    for day in 0..20 {
        let mut headers = vec![AGENT, CODINGS];
        if let (Some(etag), Some(date)) = (&validators.0, &validators.1) {
            headers.push(("If-None-Match", etag));
            headers.push(("If-Modified-Since", date));
        }
        validators = client.poll(&headers, after(day, 7));
    }
    assert_eq!(client.violations(&rules()), Vec::new());
}

#[test]
fn unconditional_repeats_are_found_and_a_daily_reset_may_be_forgiven() {
    let client = plain();
    client.poll(&[AGENT, CODINGS], after(1, 0));
    client.poll(&[AGENT, CODINGS], after(2, 1));
    assert_eq!(client.judged(), [ViolationKind::UnconditionalRepeat]);
    let daily = Rules { reset_every: Some(Duration::from_secs(86_400)), ..rules() };
    assert_eq!(client.violations(&daily), Vec::new());
    client.poll(&[AGENT, CODINGS], after(2, 9));
    assert_eq!(client.violations(&daily).len(), 1, "but not twice a day");
}

#[test]
fn made_up_validators_are_found() {
    let client = plain();
    let (etag, _) = client.poll(&[AGENT, CODINGS], after(1, 0));
    let bare = etag.unwrap().replace('"', "");
    client.poll(&[AGENT, CODINGS, ("If-None-Match", &bare)], after(1, 5));
    assert_eq!(client.judged(), [ViolationKind::MadeUpValidator]);
}

#[test]
fn haste_is_found() {
    let client = plain();
    let (etag, _) = client.poll(&[AGENT, CODINGS], after(1, 0));
    let etag = etag.unwrap();
    let soon = after(1, 0).saturating_add(Duration::from_secs(44 * 60));
    client.poll(&[AGENT, CODINGS, ("If-None-Match", &etag)], soon);
    assert_eq!(client.judged(), [ViolationKind::TooSoon]);
    assert!(client.violations(&rules())[0].detail.contains("2640 s"));
}

#[test]
fn n13_coming_back_before_retry_after_is_found() {
    let client = Client::new(&[Behaviour::Limited]);
    client.poll(&[AGENT, CODINGS], after(0, 1));
    client.poll(&[AGENT, CODINGS], after(0, 3));
    assert_eq!(client.judged(), [ViolationKind::RetryIgnored]);
    let patient = Client::new(&[Behaviour::Limited]);
    patient.poll(&[AGENT, CODINGS], after(0, 1));
    patient.poll(&[AGENT, CODINGS], after(0, 8));
    assert_eq!(patient.judged(), []);
}

#[test]
fn n17_asking_a_third_time_after_410_is_found() {
    let client = Client::new(&[Behaviour::Gone]);
    client.poll(&[AGENT, CODINGS], after(1, 0));
    client.poll(&[AGENT, CODINGS], after(2, 1));
    assert_eq!(client.judged(), []);
    client.poll(&[AGENT, CODINGS], after(9, 1));
    assert_eq!(client.judged(), [ViolationKind::GoneIgnored]);
}

#[test]
fn bad_manners_are_found_one_by_one() {
    for (headers, kind) in [
        (vec![AGENT, CODINGS, ("Cookie", "id=1")], ViolationKind::CookieSent),
        (vec![AGENT, CODINGS, ("Referer", "http://f0001.test/")], ViolationKind::RefererSent),
        (vec![CODINGS], ViolationKind::NoAgent),
        (vec![CODINGS, ("User-Agent", "Mozilla/5.0 (X11)")], ViolationKind::BrowserAgent),
        (vec![AGENT], ViolationKind::IdentityOnly),
    ] {
        let client = plain();
        client.poll(&headers, after(1, 0));
        assert_eq!(client.judged(), [kind]);
    }
}

#[test]
fn n21_crowding_a_host_is_found() {
    let client = plain();
    let host = client.world.feeds()[0].host.clone();
    client.ask(&host, "/", &[AGENT, CODINGS], 1, after(1, 0));
    client.ask(&host, "/about", &[AGENT, CODINGS], 2, after(1, 0));
    assert_eq!(client.judged(), [ViolationKind::Concurrent, ViolationKind::Crowded]);
}

#[test]
fn n24_pages_and_icons_fetched_again_are_found() {
    let client = plain();
    let item = client.world.items_between(0, START, after(30, 0)).remove(0);
    let path = format!("/{}", item.link.splitn(4, '/').nth(3).unwrap());
    let host = client.world.feeds()[0].host.clone();
    for day in [31, 32] {
        client.ask(&host, &path, &[AGENT, CODINGS], 1, after(day, 0));
        client.ask(&host, "/favicon.ico", &[AGENT, CODINGS], 1, after(day, 1));
    }
    assert_eq!(client.judged(), [ViolationKind::PageAgain, ViolationKind::IconTooOften]);
}

#[test]
fn n6_asking_while_an_answer_is_fresh_is_found() {
    let fresh = (0..200).find_map(|seed| {
        let world = World::new(FarmConfig::scripted(seed, START, &[Behaviour::Good]));
        let habits = &world.feeds()[0].habits;
        (habits.etag && habits.caching.freshness() == Some(Duration::from_secs(3_600))).then_some(world)
    });
    let client = Client { world: fresh.unwrap(), log: Log::new(100) };
    let (etag, _) = client.poll(&[AGENT, CODINGS], after(1, 0));
    let etag = etag.unwrap();
    let early = after(1, 0).saturating_add(Duration::from_secs(1_800));
    client.poll(&[AGENT, CODINGS, ("If-None-Match", &etag)], early);
    let lax = Rules { floor: &|_| Duration::ZERO, ..Rules::default() };
    let kinds: Vec<_> = client.violations(&lax).into_iter().map(|violation| violation.kind).collect();
    assert_eq!(kinds, [ViolationKind::FreshnessIgnored]);
}

#[test]
fn odd_addresses_and_head_requests_are_found() {
    let client = plain();
    let spec = &client.world.feeds()[0];
    let path = format!("{}?null", spec.url_path);
    client.ask(&spec.host, &path, &[AGENT, CODINGS], 1, after(1, 0));
    assert_eq!(client.judged(), [ViolationKind::OddUrl]);
    let client = plain();
    let spec = &client.world.feeds()[0];
    let request = Request { method: "HEAD", ..Request::get(&spec.host, &spec.url_path, &[AGENT, CODINGS]) };
    let response = client.world.respond(&request, after(1, 0));
    client.log.record(&client.world, &request, &response, 1, after(1, 0));
    assert_eq!(client.judged(), [ViolationKind::Head]);
}

#[test]
fn n18_following_a_redirect_is_one_poll_and_its_validators_are_the_feeds() {
    let client = Client::new(&[Behaviour::Moved, Behaviour::RedirectLoop]);
    let spec = client.world.feeds()[0].clone();
    let new = spec.host.replace(".test", "-new.test");
    let mut given: (Option<String>, Option<String>) = (None, None);
    for day in 1..4 {
        let mut headers = vec![AGENT, CODINGS];
        if let Some(etag) = &given.0 {
            headers.push(("If-None-Match", etag));
        }
        if let Some(date) = &given.1 {
            headers.push(("If-Modified-Since", date));
        }
        client.ask(&spec.host, &spec.url_path, &headers, 1, after(day, 0));
        given = client.ask(&new, &spec.url_path, &headers, 1, after(day, 0));
    }
    let spec = &client.world.feeds()[1];
    for path in [spec.url_path.as_str(), "/loop", spec.url_path.as_str(), "/loop"] {
        client.ask(&spec.host, path, &[AGENT, CODINGS], 1, after(5, 0));
    }
    assert_eq!(client.violations(&rules()), Vec::new());
}

#[test]
fn the_log_is_a_ring() {
    let client = Client { log: Log::new(3), ..plain() };
    for hour in 0..10 {
        client.poll(&[AGENT], after(1, hour));
    }
    let entries = client.log.entries();
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0].at, after(1, 7));
    assert_eq!(client.log.drain().len(), 3);
    assert!(client.log.is_empty());
}
