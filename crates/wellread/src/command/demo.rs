//! `wellread demo`: the whole product on a simulated web, with months behind it and two people who read.
//!
//! Nothing leaves the machine: the farm listens on loopback, its names are resolved by us, and its address is the one
//! exception the guard has. The last days are stored before the page opens; older history follows while one looks
//! around. Everything goes through the real crawler, parser and store.

mod archive;
mod history;
mod network;
mod people;
mod stage;
mod time;
mod visits;

use crate::End;
use crate::cli::DemoArgs;
use crate::command::serve::{fetcher_facts, interrupted, open_browser};
use crate::errands::Desk;
use crate::settings::{Settings, Wishes};
use anyhow::{Context, Result, ensure};
use archive::Archive;
use domain::{Limits, Secret, Timestamp};
use farm::{Farm, World};
use fetch::{AllowList, FetchConfig, Fetcher, OwnAddress, Resolver, TestNames};
use history::History;
use indicatif::{ProgressBar, ProgressStyle};
use network::{AsOf, InProcess};
use people::{MIRA, Reader, TOBIAS};
use plan::Policy;
use std::io::IsTerminal;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Place, SecretKey, Store, StoreConfig};
use time::{HurriedClock, StillClock};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use work::{Clock, CrawlSettings, Crawler, SystemClock};

const DAY: Duration = Duration::from_secs(86_400);
/// Stored before the page opens.
const LAST_DAYS: u32 = 7;
/// Feeds in trouble are followed for this long, so that something is known of the time before.
const TROUBLE_DAYS: u32 = 16;
/// Enough to show a living history of polls; the server's own budget holds from the moment the page opens.
const HISTORY_POLLS_PER_DAY: f64 = 2.0;
const SHUTDOWN_MAX: Duration = Duration::from_secs(5);
const FEEDS_MAX: usize = 5_000;
const DAYS_MAX: u32 = 730;

/// The demo's own folder and database, whatever a real server on this machine uses.
pub(crate) fn settings(mut wishes: Wishes) -> Result<(Settings, Option<tempfile::TempDir>)> {
    let folder = match &wishes.data_dir {
        Some(_) => None,
        None => Some(tempfile::Builder::new().prefix("wellread-demo-").tempdir().context("making a folder")?),
    };
    if let Some(folder) = &folder {
        wishes.data_dir = Some(folder.path().to_owned());
    }
    (wishes.database_url, wishes.roles) = (None, None);
    let mut settings = Settings::read(wishes)?;
    let database = settings.data_dir.join("demo.sqlite3");
    ensure!(
        !database.exists(),
        "there is a demo in {} already; remove demo.sqlite3 or name another folder",
        settings.data_dir.display()
    );
    settings.place = Place::Sqlite(database);
    Ok((settings, folder))
}

pub(crate) async fn run(settings: &Settings, args: &DemoArgs) -> Result<End> {
    ensure!((1..=FEEDS_MAX).contains(&args.feeds), "--feeds must be between 1 and {FEEDS_MAX}");
    ensure!((LAST_DAYS..=DAYS_MAX).contains(&args.days), "--days must be between {LAST_DAYS} and {DAYS_MAX}");
    ensure!((0.1..=300.0).contains(&args.speed), "--speed must be between 0.1 and 300");
    let begun = Instant::now();
    let listener = TcpListener::bind(settings.listen)
        .await
        .with_context(|| format!("listening on {}; choose another address with --listen", settings.listen))?;
    let now = args.at.map_or_else(|| SystemClock.now(), Timestamp::from_seconds);
    let demo = tokio::select! {
        demo = Demo::prepare(settings, args, now) => demo?,
        () = interrupted() => return Ok(End::Done),
    };
    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    let home = format!("http://{}{}", listener.local_addr()?, settings.base_path.join("/"));
    demo.open(settings, listener, args.days, &tasks, &stop)?;
    demo.announce(args, &home, begun.elapsed());
    if args.open {
        open_browser(&home);
    }
    tasks.close();
    interrupted().await;
    stop.cancel();
    let _ = tokio::time::timeout(SHUTDOWN_MAX, tasks.wait()).await;
    demo.store.close().await;
    Ok(End::Done)
}

struct Demo {
    store: Store,
    opened_at: Timestamp,
    key: SecretKey,
    farm: Farm,
    clock: Arc<HurriedClock>,
    password: Secret,
    readers: Arc<Vec<Reader>>,
    seed: u64,
    speed: f64,
}

impl Demo {
    /// Builds the world and stores its last days.
    async fn prepare(settings: &Settings, args: &DemoArgs, now: Timestamp) -> Result<Demo> {
        let world = Arc::new(stage::world(args.seed, args.feeds, args.days, now));
        // It stands until the past has been lived through.
        let clock = HurriedClock::new(now, args.speed);
        let farm_clock = Arc::clone(&clock);
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let farm = Farm::start(Arc::clone(&world), Arc::new(move || farm_clock.now()), loopback)
            .await
            .context("starting the simulated web")?;
        std::fs::create_dir_all(&settings.data_dir)?;
        let key = SecretKey::load_or_create(&settings.secret_key_path())?;
        // Nothing here outlives a power cut anyway, and a demo should not wear the disk.
        let config = StoreConfig { durable: false, ..StoreConfig::new(settings.place.clone()) };
        let password = password();
        let past = StillClock::at(now.saturating_sub(DAY * TROUBLE_DAYS));
        let store = Store::open(&config, past.now()).await?;
        let hash = serve::password::hash(&password)?;
        let mut readers = Vec::new();
        for person in [&MIRA, &TOBIAS] {
            readers.push(Reader::arrive(&store, person, &hash, past.now()).await?);
        }
        let crawler = past_crawler(&store, &world, &past, settings, args.seed);
        let bar = bar("the last days", u64::from(TROUBLE_DAYS));
        let tell =
            |at: Timestamp| bar.set_position(u64::from(TROUBLE_DAYS) - now.since(at).as_secs() / 86_400);
        for reader in &mut readers {
            reader.follow(&store, &world, stage::troubled(), past.now()).await?;
        }
        let history = History {
            store: &store,
            crawler: Arc::clone(&crawler),
            clock: Arc::clone(&past),
            readers: &[],
            seed: args.seed,
        };
        history.live_until(now.saturating_sub(DAY * LAST_DAYS), tell).await?;
        for reader in &mut readers {
            let others = (0..args.feeds).filter(|feed| !stage::troubled().any(|troubled| troubled == *feed));
            reader.follow(&store, &world, others, past.now()).await?;
        }
        if let Some(reader) = readers.first() {
            reader.lay_down_rules(&store, past.now()).await?;
        }
        if let [mira, tobias] = &readers[..] {
            mira.befriend(&store, tobias, past.now()).await?;
        }
        let history = History { readers: &readers, ..history };
        history.live_until(now, tell).await?;
        // Icons belong to the first look.
        while crawler.side_cycle().await > 0 {}
        bar.finish_and_clear();
        clock.let_go();
        Ok(Demo {
            store,
            opened_at: now,
            key,
            farm,
            clock,
            password,
            readers: Arc::new(readers),
            seed: args.seed,
            speed: args.speed,
        })
    }

    fn open(
        &self,
        settings: &Settings,
        listener: TcpListener,
        days: u32,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> Result<()> {
        let fetcher = self.fetcher(settings, listener.local_addr()?)?;
        let crawl = CrawlSettings {
            node: "demo".into(),
            polls_max: settings.polls_max,
            // A poll may take its real time, which is more of the demo's.
            lease_for: CrawlSettings::default().lease_for.mul_f64(self.speed.max(1.0)),
            seed: self.seed,
            ..CrawlSettings::default()
        };
        let crawler = Arc::new(Crawler::new(
            self.store.clone(),
            Arc::new(fetcher.clone()),
            Arc::clone(&self.clock),
            settings.policy.clone(),
            settings.limits.clone(),
            crawl,
            Some(self.key.clone()),
        ));
        tasks.spawn(Arc::clone(&crawler).run(stop.clone()));
        let (node, limits) = (crawler.node().to_owned(), settings.limits.clone());
        tasks.spawn(work::digest(self.store.clone(), Arc::clone(&self.clock), node, limits, stop.clone()));
        let (learner, learner_stop) = (Arc::clone(&crawler), stop.clone());
        tasks.spawn(async move { learner.learn(learner_stop).await });
        let clock = Arc::clone(&self.clock);
        let app = serve::App {
            store: self.store.clone(),
            setup: serve::SetupToken::random(),
            clock: Arc::new(move || clock.now()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            base_path: settings.base_path.clone(),
            secure: settings.https,
            proxies: settings.proxies.clone(),
            fetcher: fetcher_facts(settings),
            fetcher_door: fetcher,
            media_key: serve::MediaKey::new(self.key.derive("media")),
            key: self.key.clone(),
            errands: Arc::new(Desk { crawler, store: self.store.clone() }),
            listeners: serve::Listeners::default(),
            finder: serve::Finder::default(),
            ear: serve::Ear::default(),
            limits: Arc::new(settings.limits.clone()),
        };
        tasks.spawn(crate::command::serve::index(settings, &self.store, &app.finder, stop));
        let clock = Arc::clone(&self.clock);
        tasks.spawn(crate::command::serve::listen(settings, &self.store, clock, &app.ear, stop));
        let web_stop = stop.clone();
        tasks.spawn(async move {
            let service = serve::router(app).into_make_service_with_connect_info::<SocketAddr>();
            let served = axum::serve(listener, service).with_graceful_shutdown(web_stop.cancelled_owned());
            if let Err(error) = served.await {
                tracing::error!(%error, "the web server ended");
            }
        });
        tasks.spawn(fill_in(self.archive(settings), self.opened_at, days, stop.clone()));
        tasks.spawn(go_on_reading(
            self.store.clone(),
            Arc::clone(&self.readers),
            Arc::clone(&self.clock),
            self.seed,
            stop.clone(),
        ));
        Ok(())
    }

    fn archive(&self, settings: &Settings) -> Archive<HurriedClock> {
        let world = Arc::clone(self.farm.world());
        let crawl = CrawlSettings {
            node: "archive".into(),
            lease_for: CrawlSettings::default().lease_for.mul_f64(self.speed.max(1.0)),
            seed: self.seed,
            ..CrawlSettings::default()
        };
        let crawler = Arc::new(Crawler::new(
            self.store.clone(),
            AsOf::new(Arc::clone(&world), settings.limits.clone()),
            Arc::clone(&self.clock),
            settings.policy.clone(),
            settings.limits.clone(),
            crawl,
            None,
        ));
        let (store, readers) = (self.store.clone(), Arc::clone(&self.readers));
        Archive { store, world, crawler, readers, seed: self.seed }
    }

    /// The farm's names lead to this machine, and its one address may be fetched.
    fn fetcher(&self, settings: &Settings, own: SocketAddr) -> Result<Fetcher> {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Ok(Fetcher::new(FetchConfig {
            limits: settings.limits.clone(),
            allow: AllowList::parse([format!("{loopback}/32:{}", self.farm.addr().port()).as_str()])?,
            own_addresses: vec![OwnAddress::from(own)],
            contact: settings.contact.clone(),
            version: env!("CARGO_PKG_VERSION"),
            resolver: Resolver::Injected(Arc::new(TestNames { addr: loopback })),
            ..FetchConfig::default()
        })?)
    }

    fn announce(&self, args: &DemoArgs, home: &str, took: Duration) {
        let feeds = self.farm.world().feeds().len();
        println!(
            "A simulated web of {feeds} feeds runs on this machine; nothing leaves it. Ready after {:.1} s.\n\n  \
             {home}\n\n  sign in as mira (an administrator) or tobias\n  password   {}\n\n\
             Time runs {} times as fast as yours (--speed): new items arrive within a minute.\n\
             Ctrl-C ends it.",
            took.as_secs_f64(),
            self.password.reveal(),
            args.speed
        );
    }
}

async fn fill_in(archive: Archive<HurriedClock>, now: Timestamp, days: u32, stop: CancellationToken) {
    let (from, to) = (now.saturating_sub(DAY * days), now.saturating_sub(DAY * LAST_DAYS));
    let bar = bar("older history", u64::from(days));
    bar.set_position(u64::from(LAST_DAYS));
    let tell = |at: Timestamp| bar.set_position(now.since(at).as_secs() / 86_400);
    match archive.fill(from, to, &stop, tell).await {
        Ok(()) if !stop.is_cancelled() => bar.finish(),
        Ok(()) => bar.finish_and_clear(),
        Err(error) => {
            bar.finish_and_clear();
            tracing::warn!(error = %format!("{error:#}"), "older history ends here");
        }
    }
}

/// The crawler of the past: in-process, in virtual time.
fn past_crawler(
    store: &Store,
    world: &Arc<World>,
    clock: &Arc<StillClock>,
    settings: &Settings,
    seed: u64,
) -> Arc<Crawler<InProcess<StillClock>, StillClock>> {
    let crawl = CrawlSettings {
        node: "past".into(),
        spacing: Duration::from_millis(1),
        seed,
        ..CrawlSettings::default()
    };
    let policy = Policy { budget_polls_per_day: HISTORY_POLLS_PER_DAY, ..settings.policy.clone() };
    let limits: Limits = settings.limits.clone();
    let network = InProcess::new(Arc::clone(world), Arc::clone(clock), limits.clone());
    Arc::new(Crawler::new(store.clone(), network, Arc::clone(clock), policy, limits, crawl, None))
}

/// Tobias goes on with his life; Mira is whoever looks at the demo.
async fn go_on_reading(
    store: Store,
    readers: Arc<Vec<Reader>>,
    clock: Arc<HurriedClock>,
    seed: u64,
    stop: CancellationToken,
) {
    let Some(reader) = readers.iter().find(|reader| reader.person.name == TOBIAS.name) else { return };
    loop {
        let now = clock.now();
        let next = visits::visits(reader.person, seed, now, now.saturating_add(2 * DAY)).into_iter().next();
        let at = next.unwrap_or_else(|| now.saturating_add(DAY));
        tokio::select! {
            () = stop.cancelled() => return,
            () = clock.sleep_until(at) => {}
        }
        if let Err(error) = reader.visit(&store, at).await {
            tracing::warn!(error = %format!("{error:#}"), "a visit failed");
        }
    }
}

/// New with every start and printed once: no demo has a password that somebody else could know.
fn password() -> Secret {
    const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let word = || -> String {
        rand::random::<[u8; 5]>().iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
    };
    Secret::new(format!("{}-{}-{}", word(), word(), word()))
}

fn bar(what: &'static str, days: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(days);
    // A template that cannot be read would leave the default style, which is fine too.
    if let Ok(style) = ProgressStyle::with_template("{prefix:16} {bar:40} {pos} of {len} days") {
        bar.set_style(style);
    }
    bar.set_prefix(what);
    bar
}
