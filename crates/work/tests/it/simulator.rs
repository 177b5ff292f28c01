//! The real loop in virtual time: a month of a hostile web from a seed, with crashes, outages and slow answers.
//!
//! Somebody reads meanwhile. Checked at the end: nothing shown in a committed poll is missing, nothing is there twice,
//! what was clicked is as it was clicked last (promises 1 and 2), no publisher was asked inside a floor (promise 3), every
//! live feed was asked. `SEEDS=1000 cargo test -p work --test it simulator -- --nocapture` runs a thousand; a failing
//! seed is printed and can be run alone with `SEED=…`.
//!
//! A seed replays to the last request and the last row. Everything runs on one thread, CPU work and the database
//! included; time moves only when all sleep, to the first who wakes; every die is thrown from the seed, also how long
//! an answer takes, which is what makes polls overtake each other.

use crate::clock::VirtualClock;
use crate::web::SimulatedWeb;
use domain::{FeedId, ItemId, Limits, NewSubscription, PollRecord, Timestamp, UserId};
use farm::{FarmConfig, Rules, ViolationKind, World, score};
use plan::Policy;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use store::{ListQuery, Mark, Order, Place, Scope, Store, StoreConfig, Wish};
use url::Url;
use work::{Clock, CrawlSettings, Crawler};

const DAY: Duration = Duration::from_secs(86_400);
const START: Timestamp = Timestamp::from_seconds(1_790_000_000);
const FEEDS: usize = 50;
const DAYS: u32 = 30;
/// How many clicks there are per cycle of the loop.
const CLICKS: f64 = 0.2;

type Loop = Crawler<SimulatedWeb, VirtualClock>;

struct Simulation {
    seed: u64,
    dice: Pcg64Mcg,
    /// Dice of their own, so that clicking more or less does not change what else happens.
    click_dice: Pcg64Mcg,
    clock: Arc<VirtualClock>,
    web: Arc<SimulatedWeb>,
    store: Store,
    user: UserId,
    feeds: BTreeMap<String, FeedId>,
    /// Links that a committed poll showed, and links that a poll showed which a crash may have lost.
    kept: BTreeMap<FeedId, BTreeSet<String>>,
    maybe: BTreeMap<FeedId, BTreeSet<String>>,
    /// What was clicked last: read (or, if true, starred) or not.
    clicked: BTreeMap<(ItemId, bool), bool>,
    /// What was polled, in order.
    polls: Vec<String>,
    /// Requests whose answers died with the process before they were committed, by their number in the log.
    lost: BTreeSet<usize>,
}

impl Simulation {
    async fn start(seed: u64, clock: Arc<VirtualClock>) -> Self {
        let config = FarmConfig { hostile_share: 0.4, ..FarmConfig::new(seed, FEEDS, START) };
        let begin = clock.now();
        let mut dice = Pcg64Mcg::seed_from_u64(seed);
        let web = SimulatedWeb::with_latency(World::new(config), clock.clone(), dice.random());
        let config =
            StoreConfig { durable: false, one_thread: true, ..StoreConfig::new(Place::SqliteMemory) };
        let store = Store::open(&config, begin).await.unwrap();
        let user = store.add_user("mira", None, false, begin).await.unwrap();
        let mut feeds = BTreeMap::new();
        for index in 0..FEEDS {
            let url = web.world.feed_url(index).unwrap();
            let wish = Wish {
                provider: fetch::provider(&Url::parse(&url).unwrap()),
                subscription: NewSubscription {
                    url: url.clone(),
                    title: None,
                    site_url: None,
                    folder: vec![],
                },
                private: false,
                sealed: None,
            };
            feeds.insert(url, store.subscribe(user, &wish, begin, begin).await.unwrap().feed);
        }
        Simulation {
            seed,
            dice,
            click_dice: Pcg64Mcg::seed_from_u64(!seed),
            clock,
            web,
            store,
            user,
            feeds,
            kept: BTreeMap::new(),
            maybe: BTreeMap::new(),
            clicked: BTreeMap::new(),
            polls: Vec::new(),
            lost: BTreeSet::new(),
        }
    }

    /// A new process on the same database.
    async fn boot(&mut self) -> Arc<Loop> {
        let settings =
            CrawlSettings { seed: self.dice.random(), one_thread: true, ..CrawlSettings::default() };
        let crawler = Arc::new(Crawler::new(
            self.store.clone(),
            Arc::clone(&self.web),
            Arc::clone(&self.clock),
            // Fewer polls make a month shorter; what is promised does not depend on how many there are.
            Policy { budget_polls_per_day: 3.0, ..Policy::default() },
            Limits::default(),
            settings,
            None,
        ));
        crawler.settle().await;
        crawler
    }

    async fn run(&mut self, days: u32) {
        let end = self.clock.now().saturating_add(DAY * days);
        let mut crawler = self.boot().await;
        while self.clock.now() < end {
            if self.click_dice.random_bool(CLICKS) {
                self.click().await;
            }
            if self.dice.random_bool(0.001) {
                let hours = self.dice.random_range(1..12);
                self.web.offline_until(self.clock.now().saturating_add(Duration::from_secs(hours * 3600)));
            }
            let crash = self.dice.random_bool(0.01);
            if crash {
                self.web.crash_after(self.dice.random_range(1..4));
            }
            let asked_before = self.web.asked();
            let completed = tokio::select! {
                biased;
                reports = crawler.cycle() => Some(reports.unwrap()),
                () = self.web.crashed.notified() => None,
            };
            self.web.no_crash();
            self.sort_shown(completed.is_some());
            match completed {
                Some(reports) => {
                    self.polls.extend(reports.iter().map(|report| format!("{report:?}")));
                    self.sleep().await;
                }
                None => {
                    drop(crawler);
                    self.note_lost(asked_before).await;
                    let downtime = Duration::from_secs(self.dice.random_range(0..20_000));
                    self.clock.sleep_until(self.clock.now().saturating_add(downtime)).await;
                    crawler = self.boot().await;
                }
            }
        }
    }

    /// Somebody marks one of a feed's newest items read, unread, starred or not.
    async fn click(&mut self) {
        let nth = self.click_dice.random_range(0..self.feeds.len());
        let Some(feed) = self.feeds.values().copied().nth(nth) else { return };
        let query = ListQuery {
            scope: Scope::Feed(feed),
            unread_only: false,
            order: Order::NewestFirst,
            limit: 50,
            after: None,
        };
        let rows = self.store.list(self.user, &query).await.unwrap();
        if rows.is_empty() {
            return;
        }
        let item = rows[self.click_dice.random_range(0..rows.len())].item.id;
        let (star, on) = (self.click_dice.random_bool(0.5), self.click_dice.random_bool(0.5));
        let mark = match (star, on) {
            (false, true) => Mark::Read,
            (false, false) => Mark::Unread,
            (true, true) => Mark::Star,
            (true, false) => Mark::Unstar,
        };
        self.store.mark(self.user, &[item], &mark, self.clock.now()).await.unwrap();
        self.clicked.insert((item, star), on);
    }

    /// What a publisher asked for in an answer that a crash swallowed, nobody knows; our own floors and the spacing hold
    /// all the same.
    async fn note_lost(&mut self, from: usize) {
        for (number, entry) in self.web.entries().into_iter().enumerate().skip(from) {
            let feed = entry.feed.and_then(|index| self.web.world.feed_url(index));
            let feed = feed.and_then(|url| self.feeds.get(&url).copied());
            let newest = match feed {
                Some(feed) => self.store.polls(feed, 1, None).await.unwrap(),
                None => Vec::new(),
            };
            let is_known = |poll: &PollRecord| poll.started_at <= entry.at && entry.at <= poll.finished_at;
            if !newest.iter().any(|(_, poll)| is_known(poll)) {
                self.lost.insert(number);
            }
        }
    }

    /// To the next due time and a little later, as a real timer would wake.
    async fn sleep(&mut self) {
        let now = self.clock.now();
        let due = self.store.next_due_at(now).await.unwrap().unwrap_or(now.saturating_add(DAY));
        let late = Duration::from_millis(self.dice.random_range(1..600_000));
        self.clock.sleep_until(due.max(now).saturating_add(late)).await;
    }

    fn sort_shown(&mut self, committed: bool) {
        let into = if committed { &mut self.kept } else { &mut self.maybe };
        for shown in self.web.shown.lock().unwrap().drain(..) {
            into.entry(shown.feed).or_default().extend(shown.links);
        }
    }

    async fn check(&self, days: u32) {
        let (seed, polls) = (self.seed, self.polls.len());
        assert!(polls > 60 * days as usize, "seed {seed}: the month was empty ({polls} polls)");
        for (url, feed) in &self.feeds {
            let stored = self.links(*feed).await;
            let distinct: BTreeSet<_> = stored.iter().cloned().collect();
            let kept = self.kept.get(feed).cloned().unwrap_or_default();
            let maybe = self.maybe.get(feed).cloned().unwrap_or_default();
            let spec = self
                .web
                .world
                .feeds()
                .iter()
                .find(|spec| url.contains(&spec.host) && url.ends_with(&spec.url_path));
            let kind = spec.map_or("?", |spec| spec.behaviour.name());
            // Several posts of one feed may point at the same story elsewhere; its own pages are one post each.
            let own = |link: &&String| !link.contains("//wire.test");
            let times = |link: &String| stored.iter().filter(|stored| *stored == link).count();
            let twice: Vec<_> = distinct.iter().filter(own).filter(|link| times(link) > 1).collect();
            assert!(twice.is_empty(), "seed {seed}: {url} ({kind}) has items twice: {twice:#?}");
            let lost: Vec<_> = kept.difference(&distinct).collect();
            assert!(lost.is_empty(), "seed {seed}: {url} lost {lost:?}");
            let invented: Vec<_> =
                distinct.iter().filter(|l| !kept.contains(*l) && !maybe.contains(*l)).collect();
            assert!(invented.is_empty(), "seed {seed}: {url} has {invented:?} from nowhere");
        }
        self.check_clicks().await;
        self.check_floors();
    }

    async fn check_clicks(&self) {
        assert!(!self.clicked.is_empty(), "seed {}: nobody clicked", self.seed);
        for ((item, star), on) in &self.clicked {
            let row = self.store.item(self.user, *item).await.unwrap().map(|open| open.row);
            let found = row.map(|row| if *star { row.is_starred } else { row.is_read });
            let what = if *star { "starred" } else { "read" };
            assert_eq!(found, Some(*on), "seed {}: item {item} was last clicked {what}: {on}", self.seed);
        }
    }

    fn check_floors(&self) {
        let mut entries = self.web.entries();
        for number in &self.lost {
            let entry = &mut entries[*number];
            (entry.retry_at, entry.fresh_until) = (None, None);
            if entry.status == 410 {
                // Nobody knows of it, so the two that confirm a feed's end are still to come.
                entry.status = 0;
            }
        }
        // The smallest floor of all: fifteen minutes for feeds that post often.
        let rules =
            Rules { floor: &|_| Duration::from_secs(15 * 60), reset_every: Some(DAY), ..Rules::default() };
        let bad: Vec<_> = score(&entries, &rules)
            .into_iter()
            .filter(|v| {
                matches!(
                    v.kind,
                    ViolationKind::TooSoon
                        | ViolationKind::RetryIgnored
                        | ViolationKind::FreshnessIgnored
                        | ViolationKind::GoneIgnored
                        | ViolationKind::Concurrent
                        | ViolationKind::Crowded
                )
            })
            .collect();
        assert!(
            bad.is_empty(),
            "seed {}: {} violations, first {:#?}",
            self.seed,
            bad.len(),
            &bad[..bad.len().min(3)]
        );
        let asked: BTreeSet<_> = entries.iter().filter_map(|entry| entry.feed).collect();
        assert_eq!(asked.len(), FEEDS, "seed {}: every feed is asked sooner or later", self.seed);
    }

    async fn finish(self) -> Run {
        let file = tempfile::tempdir().unwrap();
        let kept = self.store.backup(&file.path().join("state"), self.clock.now()).await.unwrap();
        let requests = self.web.entries().into_iter().map(|entry| format!("{entry:?}"));
        let (polls, state) = (self.polls.len(), kept.sha256);
        Run { events: requests.chain(self.polls).collect(), polls, state }
    }

    async fn links(&self, feed: FeedId) -> Vec<String> {
        let mut links = Vec::new();
        let mut after = None;
        loop {
            let query = ListQuery {
                scope: Scope::Feed(feed),
                unread_only: false,
                order: Order::NewestFirst,
                limit: 1000,
                after,
            };
            let page = self.store.list(self.user, &query).await.unwrap();
            let Some(last) = page.last() else { return links };
            after = Some(store::Cursor { sort_at: last.item.sort_at, id: last.item.id });
            links.extend(page.into_iter().filter_map(|row| row.item.link));
        }
    }
}

/// All that a run did: two of one seed are equal.
struct Run {
    /// Requests with their times and answers, then polls as they were reported.
    events: Vec<String>,
    polls: usize,
    /// A digest of every row of the store.
    state: String,
}

impl Run {
    fn digest(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(format!("{}{}", self.events.join("\n"), self.state).as_bytes())
    }
}

fn simulate(seed: u64, days: u32) -> Run {
    let clock = VirtualClock::at(START.saturating_add(40 * DAY));
    let runtime = clock.runtime();
    // A task like all others, so that time does not move while it has something to do.
    let run = runtime.spawn(async move {
        let mut simulation = Simulation::start(seed, clock).await;
        simulation.run(days).await;
        simulation.check(days).await;
        simulation.finish().await
    });
    match runtime.block_on(run) {
        Ok(run) => run,
        Err(died) => std::panic::resume_unwind(died.into_panic()),
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Promises 1–3 over a month of a hostile web, 20 seeds.
#[test]
fn a_month_of_a_hostile_web_keeps_the_promises() {
    let seeds: Vec<u64> = match number("SEED") {
        Some(seed) => vec![seed],
        None => (1..=number("SEEDS").unwrap_or(20)).collect(),
    };
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..cores().min(seeds.len()))
            .map(|_| {
                scope.spawn(|| {
                    while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::SeqCst)) {
                        let run = simulate(*seed, DAYS);
                        println!("seed {seed}: {} polls, digest {:016x}", run.polls, run.digest());
                    }
                })
            })
            .collect();
        for run in runs {
            if let Err(panic) = run.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// Keeps the machine busy until it is dropped.
struct Load(Arc<AtomicBool>);

impl Load {
    fn start() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        for _ in 0..2 * cores() {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Load(over)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_seed_replays_to_the_last_request_and_row_however_busy_the_machine_is() {
    let (seed, days) = (17, 6);
    let first = simulate(seed, days);
    let load = Load::start();
    let again = simulate(seed, days);
    drop(load);
    for (number, (before, now)) in first.events.iter().zip(&again.events).enumerate() {
        assert_eq!(before, now, "event {number}");
    }
    assert_eq!(first.events.len(), again.events.len());
    assert_eq!(first.state, again.state, "the same events left other rows");
    assert_ne!(first.digest(), simulate(seed + 1, days).digest(), "another seed, another world");
}
