//! Single promises of the loop, each in virtual time against a scripted web.

use crate::clock::StillClock;
use crate::web::SimulatedWeb;
use domain::{FeedId, FeedState, Limits, NewSubscription, PollOutcome, Reason, Timestamp, UserId};
use farm::{Behaviour, FarmConfig, World};
use plan::Policy;
use std::sync::Arc;
use std::time::Duration;
use store::{Claim, ListQuery, ListRow, Order, Place, Scope, Store, StoreConfig, Wish};
use url::Url;
use work::{Clock, CrawlSettings, Crawler, NotNow, PollReport};

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const MINUTE: Duration = Duration::from_secs(60);
pub(crate) const HOUR: Duration = Duration::from_secs(3600);
pub(crate) const DAY: Duration = Duration::from_secs(86_400);
pub(crate) const START: Timestamp = Timestamp::from_seconds(1_790_000_000);

pub(crate) struct Stage {
    pub(crate) clock: Arc<StillClock>,
    pub(crate) web: Arc<SimulatedWeb>,
    pub(crate) store: Store,
    pub(crate) user: UserId,
    pub(crate) feeds: Vec<FeedId>,
    pub(crate) crawler: Arc<Crawler<SimulatedWeb, StillClock>>,
}

impl Stage {
    pub(crate) async fn scripted(behaviours: &[Behaviour]) -> Self {
        Stage::new(FarmConfig::scripted(7, START, behaviours)).await
    }

    pub(crate) async fn new(config: FarmConfig) -> Self {
        let mut stage = Stage::empty(config).await;
        for index in 0..stage.web.world.feeds().len() {
            let feed = stage.subscribe(stage.user, index).await;
            stage.feeds.push(feed);
        }
        stage
    }

    /// Nobody follows anything yet.
    pub(crate) async fn empty(config: FarmConfig) -> Self {
        let begin = START.saturating_add(40 * DAY);
        let clock = StillClock::at(begin);
        let web = SimulatedWeb::new(World::new(config), clock.clone());
        let store_config = StoreConfig { durable: false, ..StoreConfig::new(Place::SqliteMemory) };
        let store = Store::open(&store_config, begin).await.unwrap();
        let user = store.add_user("mira", None, false, begin).await.unwrap();
        let crawler = boot(&store, &web, &clock);
        Stage { clock, web, store, user, feeds: Vec::new(), crawler }
    }

    pub(crate) async fn subscribe(&self, user: UserId, index: usize) -> FeedId {
        subscribe(&self.store, user, &self.web.world.feed_url(index).unwrap(), self.clock.now()).await
    }

    /// Runs everything that becomes due within `span`.
    pub(crate) async fn pass(&self, span: Duration) -> Vec<PollReport> {
        let end = self.clock.now().saturating_add(span);
        let mut all = Vec::new();
        loop {
            let reports = self.crawler.cycle().await.unwrap();
            let idle = reports.is_empty();
            all.extend(reports);
            if !idle {
                continue;
            }
            let now = self.clock.now();
            match self.store.next_due_at(now).await.unwrap() {
                Some(due) if due <= end => {
                    self.clock.set(due.max(now.saturating_add(Duration::from_millis(50))));
                }
                _ => break,
            }
        }
        self.clock.set(end.max(self.clock.now()));
        all
    }

    pub(crate) async fn items(&self, feed: FeedId) -> usize {
        self.rows(feed).await.len()
    }

    pub(crate) async fn rows(&self, feed: FeedId) -> Vec<ListRow> {
        let query = ListQuery {
            scope: Scope::Feed(feed),
            unread_only: false,
            order: Order::NewestFirst,
            limit: 1000,
            after: None,
        };
        self.store.list(self.user, &query).await.unwrap()
    }
}

pub(crate) fn boot(
    store: &Store,
    web: &Arc<SimulatedWeb>,
    clock: &Arc<StillClock>,
) -> Arc<Crawler<SimulatedWeb, StillClock>> {
    Arc::new(Crawler::new(
        store.clone(),
        Arc::clone(web),
        Arc::clone(clock),
        Policy::default(),
        Limits::default(),
        CrawlSettings::default(),
        None,
    ))
}

pub(crate) async fn subscribe(store: &Store, user: UserId, url: &str, now: Timestamp) -> FeedId {
    store.subscribe(user, &wish(url), now, now).await.unwrap().feed
}

pub(crate) fn wish(url: &str) -> Wish {
    Wish {
        provider: fetch::provider(&Url::parse(url).unwrap()),
        subscription: NewSubscription { url: url.to_owned(), title: None, site_url: None, folder: vec![] },
        private: false,
        sealed: None,
    }
}

#[tokio::test]
async fn a_feed_goes_in_and_its_items_are_kept_once() {
    let stage = Stage::scripted(&[Behaviour::Good]).await;
    let reports = stage.pass(MINUTE).await;
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].record.outcome, PollOutcome::Fresh);
    let first = stage.items(stage.feeds[0]).await;
    assert!(first > 5, "{first}");
    let later = stage.pass(3 * DAY).await;
    let new: u32 = later.iter().map(|report| report.record.items_new).sum();
    assert_eq!(stage.items(stage.feeds[0]).await, first + new as usize);
}

#[tokio::test]
async fn d1_items_without_or_with_one_or_with_rotating_guids_stay_one_item_each() {
    let odd = [Behaviour::NoGuid, Behaviour::SameGuid, Behaviour::RotatingGuid, Behaviour::RollingDates];
    let stage = Stage::scripted(&odd).await;
    stage.pass(5 * DAY).await;
    for (index, feed) in stage.feeds.iter().enumerate() {
        let posted = stage.web.world.numbers_between(index, START, stage.clock.now()).len();
        let stored = stage.items(*feed).await;
        assert!(stored <= posted, "{}: {stored} stored of {posted} posted", odd[index].name());
        assert!(stored >= 5);
    }
}

#[tokio::test]
async fn b9_a_login_or_maintenance_page_takes_nothing_away() {
    let stage = Stage::scripted(&[Behaviour::Maintenance]).await;
    let reports = stage.pass(6 * DAY).await;
    let pages = reports.iter().filter(|report| report.record.outcome == PollOutcome::NotAFeed).count();
    let good = reports.iter().filter(|report| report.record.outcome.is_success()).count();
    assert!(pages > 0 && good > 0, "{pages} pages, {good} feeds");
    let feed = stage.store.feed(stage.feeds[0]).await.unwrap().unwrap();
    let real = &stage.web.world.feeds()[0].title;
    assert_eq!(feed.facts.title.as_ref(), Some(real), "the page's title was not taken");
    let sentence = reports.iter().find_map(|report| report.record.error.clone()).unwrap();
    assert!(sentence.ends_with('.') && sentence.len() > 20, "{sentence}");
}

#[tokio::test]
async fn b10_a_cut_body_keeps_its_good_items_and_no_validators() {
    let stage = Stage::scripted(&[Behaviour::Truncated]).await;
    let reports = stage.pass(MINUTE).await;
    assert_eq!(reports[0].record.outcome, PollOutcome::Partial);
    assert!(stage.items(stage.feeds[0]).await > 0);
    let known = stage.store.feed_schedule(stage.feeds[0]).await.unwrap().unwrap();
    assert!(known.schedule.validators.is_empty());
}

#[tokio::test]
async fn n17_two_410_a_day_apart_end_polling_and_keep_the_items() {
    let config = FarmConfig { onset_days_max: 45, ..FarmConfig::scripted(7, START, &[Behaviour::Gone]) };
    let stage = Stage::new(config).await;
    let reports = stage.pass(5 * DAY).await;
    let gone = reports.iter().filter(|report| report.record.outcome == PollOutcome::Gone).count();
    assert_eq!(gone, 2);
    let feed = stage.store.feed(stage.feeds[0]).await.unwrap().unwrap();
    assert_eq!(feed.state, FeedState::Gone);
    assert!(stage.pass(30 * DAY).await.is_empty(), "never asked again");
}

#[tokio::test]
async fn n18_a_lasting_move_is_adopted_and_followed() {
    let stage = Stage::scripted(&[Behaviour::Moved]).await;
    stage.pass(10 * DAY).await;
    let feed = stage.store.feed(stage.feeds[0]).await.unwrap().unwrap();
    assert_ne!(feed.url, stage.web.world.feed_url(0).unwrap());
    let stored = stage.items(stage.feeds[0]).await;
    let more: u32 = stage.pass(5 * DAY).await.iter().map(|report| report.record.items_new).sum();
    assert_eq!(stage.items(stage.feeds[0]).await, stored + more as usize, "history stays, nothing doubles");
}

#[tokio::test]
async fn n18_a_move_to_a_page_or_in_turns_is_not_adopted_and_n19_temporary_moves_keep_the_address() {
    let odd = [Behaviour::FlipFlop, Behaviour::RedirectToPage, Behaviour::MovedForNow];
    let stage = Stage::scripted(&odd).await;
    stage.pass(12 * DAY).await;
    for (index, feed) in stage.feeds.iter().enumerate() {
        let feed = stage.store.feed(*feed).await.unwrap().unwrap();
        assert_eq!(feed.url, stage.web.world.feed_url(index).unwrap(), "{}", odd[index].name());
    }
}

#[tokio::test]
async fn n19_a_temporary_move_is_followed_and_the_address_kept() {
    let stage = Stage::scripted(&[Behaviour::MovedForNow]).await;
    let reports = stage.pass(DAY).await;
    assert!(reports.iter().any(|report| report.record.outcome == PollOutcome::Fresh));
    let feed = stage.store.feed(stage.feeds[0]).await.unwrap().unwrap();
    assert_eq!(feed.url, stage.web.world.feed_url(0).unwrap());
}

#[tokio::test]
async fn n21_many_feeds_of_one_host_are_asked_one_by_one() {
    let config = FarmConfig { shared_hosts: 1.0, ..FarmConfig::new(5, 40, START) };
    let stage = Stage::new(config).await;
    stage.pass(10 * MINUTE).await;
    let mut times: Vec<_> = stage.web.entries().iter().map(|entry| entry.at).collect();
    times.sort();
    assert_eq!(times.len(), 40);
    assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) >= Duration::from_secs(2)), "{times:?}");
    assert!(stage.web.entries().iter().all(|entry| entry.in_flight <= 1));
}

#[tokio::test]
async fn n22_a_button_held_down_asks_once_and_says_until_when() {
    let stage = Stage::scripted(&[Behaviour::Good]).await;
    stage.pass(MINUTE).await;
    let before = stage.web.log.len();
    for _ in 0..50 {
        match stage.crawler.poll_now(stage.feeds[0]).await {
            Err(NotNow::Floor(floor)) => assert!(floor.until > stage.clock.now()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(stage.web.log.len(), before);
}

#[tokio::test]
async fn n23_fifty_people_share_one_poll_and_one_item() {
    let stage = Stage::scripted(&[Behaviour::Good]).await;
    let url = stage.web.world.feed_url(0).unwrap();
    for person in 0..50 {
        let now = stage.clock.now();
        let user = stage.store.add_user(&format!("reader {person}"), None, false, now).await.unwrap();
        assert_eq!(subscribe(&stage.store, user, &url, now).await, stage.feeds[0]);
    }
    stage.pass(MINUTE).await;
    assert_eq!(stage.web.log.len(), 1);
}

#[tokio::test]
async fn n28_a_poll_is_one_request() {
    let stage = Stage::scripted(&[Behaviour::Good; 10]).await;
    let polls = stage.pass(2 * DAY).await.len();
    assert_eq!(stage.web.log.len(), polls);
    assert!(stage.web.entries().iter().all(|entry| entry.method == "GET"));
}

#[tokio::test]
async fn n29_the_emergency_stop_halts_all_fetching() {
    let stage = Stage::scripted(&[Behaviour::Good; 5]).await;
    stage.store.set_halted(true).await.unwrap();
    assert!(stage.pass(DAY).await.is_empty());
    assert!(matches!(stage.crawler.poll_now(stage.feeds[0]).await, Err(NotNow::Halted)));
    assert_eq!(stage.web.log.len(), 0);
    stage.store.set_halted(false).await.unwrap();
    assert!(!stage.pass(HOUR).await.is_empty());
    let counts = stage.store.provider_counts(START).await.unwrap();
    assert_eq!(counts.len(), 5, "requests are counted per provider");
}

#[tokio::test]
async fn n24_no_article_page_or_icon_is_fetched_by_polling() {
    let stage = Stage::scripted(&[Behaviour::Good; 5]).await;
    stage.pass(2 * DAY).await;
    assert!(stage.web.entries().iter().all(|entry| entry.resource == farm::Resource::Feed));
}

#[tokio::test]
async fn if_everything_fails_no_feed_is_blamed() {
    let stage = Stage::scripted(&[Behaviour::Good; 20]).await;
    stage.pass(2 * HOUR).await;
    stage.web.offline_until(stage.clock.now().saturating_add(6 * HOUR));
    let reports = stage.pass(6 * HOUR).await;
    let offline = reports.iter().filter(|report| report.record.outcome == PollOutcome::Offline).count();
    assert!(offline > 10, "{offline}");
    let mut blamed = 0;
    for feed in &stage.feeds {
        blamed += stage.store.feed_schedule(*feed).await.unwrap().unwrap().schedule.failures.min(1);
    }
    assert!(blamed <= 2, "only those that failed before we knew: {blamed}");
    assert!(stage.pass(HOUR).await.iter().any(|report| report.record.outcome.is_success()));
}

#[tokio::test]
async fn n21_a_redirect_waits_for_the_provider_it_leads_to() {
    let stage = Stage::scripted(&[Behaviour::MovedForNow, Behaviour::Good]).await;
    let elsewhere = moved_to(&stage, 0).await;
    let now = stage.clock.now();
    // Somebody else, perhaps another node, asks there just now and for long.
    let claim = stage.store.claim_provider(&elsewhere, now, 2 * MINUTE, HOUR).await.unwrap();
    let Claim::Granted(claim) = claim else { panic!("free") };
    let reports = stage.pass(10 * MINUTE).await;
    assert_eq!(reports.len(), 1, "only the other feed was polled");
    let hosts: Vec<_> = stage.web.entries().iter().map(|entry| entry.host.clone()).collect();
    assert!(!hosts.contains(&elsewhere), "{hosts:?}");
    let waiting = stage.store.feed_schedule(stage.feeds[0]).await.unwrap().unwrap();
    assert_eq!(waiting.schedule.reason, Reason::ProviderSlot);
    assert_eq!((waiting.schedule.failures, waiting.provider), (0, elsewhere.clone()));
    assert!(waiting.schedule.next_poll_at >= now.saturating_add(15 * MINUTE), "its own server was asked");
    assert_eq!(stage.store.polls(stage.feeds[0], 10, None).await.unwrap(), [], "nothing is known of it yet");
    stage.store.free_provider(claim, stage.clock.now(), None).await.unwrap();
    let reports = stage.pass(2 * HOUR).await;
    assert!(reports.iter().any(|report| report.record.feed == stage.feeds[0]), "and then it was polled");
}

#[tokio::test]
async fn n21_a_redirect_to_a_provider_that_is_soon_free_goes_on_in_the_same_poll() {
    let stage = Stage::scripted(&[Behaviour::MovedForNow]).await;
    let elsewhere = moved_to(&stage, 0).await;
    let now = stage.clock.now();
    let claim = stage.store.claim_provider(&elsewhere, now, 4 * SECOND, HOUR).await.unwrap();
    let Claim::Granted(claim) = claim else { panic!("free") };
    stage.store.free_provider(claim, now.saturating_add(4 * SECOND), None).await.unwrap();
    let reports = stage.crawler.cycle().await.unwrap();
    assert_eq!(reports[0].record.outcome, PollOutcome::Fresh);
    let asked = stage.web.entries().into_iter().find(|entry| entry.host == elsewhere).unwrap();
    assert!(asked.at >= now.saturating_add(4 * SECOND));
    let free = stage.store.provider(&elsewhere).await.unwrap().unwrap();
    assert!(free.busy_until <= stage.clock.now() && free.free_at > stage.clock.now(), "given back, spaced");
}

/// Where the feed's redirect leads, asked of the world itself.
async fn moved_to(stage: &Stage, index: usize) -> String {
    let url = Url::parse(&stage.web.world.feed_url(index).unwrap()).unwrap();
    let request = farm::Request::get(url.host_str().unwrap(), url.path(), &[]);
    let response = stage.web.world.respond(&request, stage.clock.now());
    let to = url.join(response.header("Location").unwrap()).unwrap();
    fetch::provider(&to)
}
