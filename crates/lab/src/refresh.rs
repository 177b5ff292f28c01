//! `lab refresh`: how fast feeds are refreshed end to end, cold and unchanged.
//!
//! The simulated web runs as a child process, so that its memory and CPU are counted apart. Everything else is the
//! real thing: guard, spacing, fetch, parse, sanitise, a durable SQLite database. Between the two phases the clock is
//! moved beyond the longest interval there is, so that everything is due and no floor is broken even here.

use anyhow::{Context, Result, bail, ensure};
use domain::{Limits, NewSubscription, Timestamp};
use fetch::{AllowList, FetchConfig, Fetcher, OptOuts, Resolver, TestNames};
use futures_util::future::BoxFuture;
use indicatif::{ProgressBar, ProgressStyle};
use plan::Policy;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use store::{Place, Store, StoreConfig, Wish};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;
use url::Url;
use work::{Clock, CrawlSettings, Crawler, SystemClock};

#[derive(Debug, Clone)]
pub struct RefreshOptions {
    pub feeds: usize,
    pub items: usize,
    pub concurrency: usize,
    /// How to start the simulated web: it prints its port on the first line and ends when its input closes.
    pub farm: Vec<std::ffi::OsString>,
    /// The same world, to know its addresses.
    pub seed: u64,
    pub show_progress: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct RefreshReport {
    pub feeds: usize,
    pub cold: Cold,
    pub unchanged: Unchanged,
    pub peak_rss_bytes: u64,
    pub farm_cpu_s: f64,
}

#[derive(Debug, Clone, Serialize)]
pub struct Cold {
    pub seconds: f64,
    pub feeds_per_second: f64,
    pub items: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, Serialize)]
pub struct Unchanged {
    pub seconds: f64,
    pub feeds_per_second: f64,
}

const DAY: Duration = Duration::from_secs(86_400);
/// A phase that makes no progress for this long has failed.
const STALLED: Duration = Duration::from_secs(60);

pub async fn run(options: &RefreshOptions) -> Result<RefreshReport> {
    ensure!(options.feeds > 0 && options.feeds <= 1_000_000, "--feeds must be between 1 and 1,000,000");
    ensure!(options.items > 0 && options.items <= 1_000, "--items must be between 1 and 1,000");
    let (mut child, port) = start_farm(&options.farm).await?;
    let folder = tempfile::tempdir()?;
    let clock = Arc::new(ShiftedClock::default());
    let store =
        Store::open(&StoreConfig::new(Place::Sqlite(folder.path().join("refresh.sqlite3"))), clock.now())
            .await?;
    subscribe_all(&store, options, port, clock.now()).await?;
    let crawler = crawler(&store, options, port, Arc::clone(&clock))?;

    let cold = phase(&crawler, options, "cold").await?;
    clock.shift(Policy::default().maximum_most + DAY);
    let unchanged = phase(&crawler, options, "unchanged").await?;
    ensure!(
        unchanged.items == 0,
        "{} items were new in the second round; they should all be known",
        unchanged.items
    );

    let farm_cpu_s = child.id().map_or(0.0, cpu_seconds);
    drop(child.stdin.take());
    let _ = tokio::time::timeout(Duration::from_secs(5), child.wait()).await;
    store.close().await;
    let per_second = |seconds: f64| options.feeds as f64 / seconds;
    Ok(RefreshReport {
        feeds: options.feeds,
        cold: Cold {
            seconds: cold.seconds,
            feeds_per_second: per_second(cold.seconds),
            items: cold.items,
            bytes: cold.bytes,
        },
        unchanged: Unchanged { seconds: unchanged.seconds, feeds_per_second: per_second(unchanged.seconds) },
        peak_rss_bytes: peak_rss_bytes(),
        farm_cpu_s,
    })
}

/// The table for people.
pub fn table(report: &RefreshReport) -> String {
    format!(
        "{} feeds\n\
         phase      seconds   feeds/s   items      MiB\n\
         cold      {:8.2}  {:8.0}  {:6}  {:7.1}\n\
         unchanged {:8.2}  {:8.0}       0      0.0\n\
         peak memory {:.0} MiB (without the simulated web), simulated web used {:.1} s of CPU\n",
        report.feeds,
        report.cold.seconds,
        report.cold.feeds_per_second,
        report.cold.items,
        report.cold.bytes as f64 / f64::from(1 << 20),
        report.unchanged.seconds,
        report.unchanged.feeds_per_second,
        report.peak_rss_bytes as f64 / f64::from(1 << 20),
        report.farm_cpu_s,
    )
}

async fn start_farm(command: &[std::ffi::OsString]) -> Result<(Child, u16)> {
    let (program, arguments) = command.split_first().context("no command for the simulated web")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("starting the simulated web")?;
    let stdout = child.stdout.take().context("the simulated web has no output")?;
    let mut line = String::new();
    tokio::time::timeout(STALLED, BufReader::new(stdout).read_line(&mut line)).await??;
    let port =
        line.trim().parse().with_context(|| format!("the simulated web said {line:?} instead of a port"))?;
    Ok((child, port))
}

async fn subscribe_all(store: &Store, options: &RefreshOptions, port: u16, now: Timestamp) -> Result<()> {
    let user = store.add_user("lab", None, false, now).await?;
    let world = farm::World::new(farm::FarmConfig::benchmark(
        options.seed,
        options.feeds,
        options.items,
        world_start(),
    ));
    world.set_port(port);
    let mut wishes = Vec::with_capacity(options.feeds);
    for feed in 0..options.feeds {
        let url = world.feed_url(feed).context("the simulated web has too few feeds")?;
        wishes.push(Wish {
            provider: fetch::provider(&Url::parse(&url)?),
            subscription: NewSubscription { url, title: None, site_url: None, folder: Vec::new() },
            private: false,
            sealed: None,
        });
    }
    for batch in wishes.chunks(500) {
        store.subscribe_many(user, batch, Duration::ZERO, now).await?;
    }
    Ok(())
}

/// When the simulated history begins; its clock stands still 30 days later.
pub fn world_start() -> Timestamp {
    Timestamp::from_seconds(1_790_000_000)
}

/// Where the simulated web's clock stands.
pub fn world_now() -> Timestamp {
    world_start().saturating_add(30 * DAY)
}

fn crawler(
    store: &Store,
    options: &RefreshOptions,
    port: u16,
    clock: Arc<ShiftedClock>,
) -> Result<Arc<Crawler<Fetcher, ShiftedClock>>> {
    let limits = Limits { fetches_max: options.concurrency, ..Limits::default() };
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let fetcher = Fetcher::new(FetchConfig {
        limits: limits.clone(),
        allow: AllowList::parse([format!("{loopback}/32:{port}").as_str()])?,
        own_addresses: Vec::new(),
        contact: None,
        version: env!("CARGO_PKG_VERSION"),
        resolver: Resolver::Injected(Arc::new(TestNames { addr: loopback })),
        extra_roots: Vec::new(),
        opt_outs: OptOuts::default(),
    })?;
    let settings = CrawlSettings {
        node: "lab".into(),
        polls_max: options.concurrency,
        // The whole world is due at once on purpose: nothing is spread.
        overdue_min: 365 * DAY,
        ..CrawlSettings::default()
    };
    Ok(Arc::new(Crawler::new(
        store.clone(),
        Arc::new(fetcher),
        clock,
        Policy::default(),
        limits,
        settings,
        None,
    )))
}

struct Phase {
    seconds: f64,
    items: u64,
    bytes: u64,
}

/// Runs the loop until every feed was polled once.
async fn phase<C: Clock>(
    crawler: &Arc<Crawler<Fetcher, C>>,
    options: &RefreshOptions,
    name: &'static str,
) -> Result<Phase> {
    let tally = crawler.tally();
    let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Acquire);
    let before = (read(&tally.polls), read(&tally.items_new), read(&tally.wire_bytes), read(&tally.failures));
    let bar =
        if options.show_progress { ProgressBar::new(options.feeds as u64) } else { ProgressBar::hidden() };
    bar.set_style(ProgressStyle::with_template("{prefix:10} {bar:40} {pos} of {len} feeds, {per_sec}")?);
    bar.set_prefix(name);
    let start = Instant::now();
    let mut moved = (start, 0);
    let stop = CancellationToken::new();
    let running = tokio::spawn(Arc::clone(crawler).run(stop.clone()));
    loop {
        let done = read(&tally.polls) - before.0;
        bar.set_position(done);
        if done >= options.feeds as u64 {
            break;
        }
        if done > moved.1 {
            moved = (Instant::now(), done);
        }
        if moved.0.elapsed() > STALLED {
            bail!("only {done} of {} feeds were polled in the {name} round", options.feeds);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let seconds = start.elapsed().as_secs_f64();
    stop.cancel();
    running.await?;
    bar.finish_and_clear();
    let failures = read(&tally.failures) - before.3;
    ensure!(failures == 0, "{failures} polls failed in the {name} round");
    Ok(Phase { seconds, items: read(&tally.items_new) - before.1, bytes: read(&tally.wire_bytes) - before.2 })
}

/// Wall time plus a shift.
#[derive(Debug, Default)]
struct ShiftedClock {
    shift_micros: AtomicI64,
}

impl ShiftedClock {
    fn shift(&self, by: Duration) {
        self.shift_micros.fetch_add(i64::try_from(by.as_micros()).unwrap_or(0), Ordering::SeqCst);
    }
}

impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        let shift = self.shift_micros.load(Ordering::SeqCst);
        Timestamp::from_micros(SystemClock.now().micros().saturating_add(shift))
    }

    fn sleep_until(&self, until: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(until.since(self.now())))
    }
}

fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// User and system time of a process; clock ticks are 1/100 s on Linux.
fn cpu_seconds(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}
