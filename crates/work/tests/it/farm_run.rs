//! The real fetcher against the real farm over loopback: guard, spacing and limits on, every behaviour once.

use domain::{Limits, NewSubscription, PollOutcome, Timestamp};
use farm::{Behaviour, Farm, FarmConfig, Rules, World, score};
use fetch::{AllowList, FetchConfig, Fetcher, Resolver, TestNames};
use plan::Policy;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use store::{Place, Store, StoreConfig, Wish};
use url::Url;
use work::{Clock, CrawlSettings, Crawler, SystemClock};

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_behaviour_of_the_farm_gets_an_outcome_and_a_sentence() {
    let now = SystemClock.now();
    let start = now.saturating_sub(30 * DAY);
    let mut script = vec![Behaviour::Good; 5];
    script.extend(Behaviour::ALL);
    let world = Arc::new(World::new(FarmConfig::scripted(11, start, &script)));
    let farm = Farm::start(Arc::clone(&world), Arc::new(|| SystemClock.now()), loopback(0)).await.unwrap();
    let (store, crawler) = stage(&world, farm.addr(), now).await;

    let mut outcomes = BTreeMap::new();
    let mut idle = 0;
    while outcomes.len() < script.len() && idle < 200 {
        let reports = crawler.cycle().await.unwrap();
        idle = if reports.is_empty() { idle + 1 } else { 0 };
        for report in reports {
            if !report.record.outcome.is_success() {
                let sentence = report.record.error.clone().unwrap_or_default();
                assert!(sentence.len() > 20 && sentence.ends_with('.'), "{sentence:?}");
            }
            outcomes.insert(report.record.feed.0, report.record.outcome);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(outcomes.len(), script.len(), "every feed was polled");
    let of = |behaviour: Behaviour| {
        let index = script.iter().rposition(|b| *b == behaviour).unwrap();
        outcomes.values().nth(index).copied().unwrap()
    };
    assert_eq!(of(Behaviour::Good), PollOutcome::Fresh);
    assert_eq!(of(Behaviour::Gone), PollOutcome::Gone);
    assert_eq!(of(Behaviour::Denied), PollOutcome::Denied);
    assert_eq!(of(Behaviour::Login), PollOutcome::NotAFeed);
    assert_eq!(of(Behaviour::RedirectPrivate), PollOutcome::Refused);
    assert_eq!(of(Behaviour::RedirectLoop), PollOutcome::Failed);
    assert_eq!(of(Behaviour::Drip), PollOutcome::Failed);
    assert_eq!(of(Behaviour::Bomb), PollOutcome::Failed);
    assert_eq!(of(Behaviour::Endless), PollOutcome::Failed);
    assert_eq!(of(Behaviour::HugeHeaders), PollOutcome::Failed);
    assert_eq!(of(Behaviour::Truncated), PollOutcome::Partial);
    assert_eq!(of(Behaviour::Latin1), PollOutcome::Fresh);
    assert_eq!(of(Behaviour::Entities), PollOutcome::Fresh);
    assert_eq!(of(Behaviour::Deep), PollOutcome::Fresh);
    let rules = Rules { host_spacing: Duration::ZERO, ..Rules::default() };
    assert_eq!(score(&farm.log().entries(), &rules), [], "a polite guest");
    store.close().await;
}

fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

async fn stage(
    world: &World,
    farm: SocketAddr,
    now: Timestamp,
) -> (Store, Arc<Crawler<Fetcher, SystemClock>>) {
    let store = Store::open(&StoreConfig::new(Place::SqliteMemory), now).await.unwrap();
    let user = store.add_user("mira", None, false, now).await.unwrap();
    for index in 0..world.feeds().len() {
        let url = world.feed_url(index).unwrap();
        let wish = Wish {
            provider: fetch::provider(&Url::parse(&url).unwrap()),
            subscription: NewSubscription { url, title: None, site_url: None, folder: vec![] },
            private: false,
            sealed: None,
        };
        store.subscribe(user, &wish, now, now).await.unwrap();
    }
    // Small limits, so that slow and endless answers end soon.
    let limits = Limits {
        fetch_timeout: Duration::from_secs(4),
        first_byte_timeout: Duration::from_secs(2),
        slow_window: Duration::from_secs(1),
        ..Limits::default()
    };
    let addr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let fetcher = Fetcher::new(FetchConfig {
        limits: limits.clone(),
        allow: AllowList::parse([format!("{addr}/32:{}", farm.port()).as_str()]).unwrap(),
        own_addresses: Vec::new(),
        contact: None,
        version: "0",
        resolver: Resolver::Injected(Arc::new(TestNames { addr })),
        ..FetchConfig::default()
    })
    .unwrap();
    let crawler = Crawler::new(
        store.clone(),
        Arc::new(fetcher),
        Arc::new(SystemClock),
        Policy::default(),
        limits,
        CrawlSettings::default(),
        None,
    );
    (store, Arc::new(crawler))
}
