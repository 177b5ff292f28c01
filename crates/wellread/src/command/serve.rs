//! `wellread serve`: the web side, the crawler and the housekeeping, as this process's roles say.

use crate::End;
use crate::cli::ServeArgs;
use crate::command::{now, obey_opt_outs, open_crawler, open_fetcher, open_key, open_store};
use crate::errands::Desk;
use crate::settings::Settings;
use anyhow::{Context, Result};
use fetch::Fetcher;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{RetentionPolicy, Store};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use work::{Crawler, SystemClock};

/// Polls under way get this long to finish; after it the leases speak for them.
const SHUTDOWN_MAX: Duration = Duration::from_secs(35);
/// How long another node may go on with an older budget or list.
const OBEY_EVERY: Duration = Duration::from_secs(5);
const RETENTION_EVERY: Duration = Duration::from_secs(3600);
const RETENTION_PAUSE: Duration = Duration::from_millis(200);

pub(crate) async fn run(settings: &Settings, args: &ServeArgs) -> Result<End> {
    let store = open_store(settings).await?;
    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    // Pages of a process that does not crawl still follow feeds and fetch articles for people.
    let crawler = open_crawler(settings, store.clone())?;
    tasks.spawn(obey(store.clone(), crawler.clone(), stop.clone()));
    if settings.crawl {
        tasks.spawn(crawler.clone().run(stop.clone()));
        tasks.spawn(keep(store.clone(), policy(settings), stop.clone()));
    }
    if settings.learn {
        let limits = settings.limits.clone();
        let (digest_store, node) = (store.clone(), crawler.node().to_owned());
        tasks.spawn(work::digest(digest_store, Arc::new(SystemClock), node, limits, stop.clone()));
        let (crawler, stop) = (crawler.clone(), stop.clone());
        tasks.spawn(async move { crawler.learn(stop).await });
    }
    if settings.web {
        let listener = tokio::net::TcpListener::bind(settings.listen).await.with_context(|| {
            format!(
                "listening on {}; another Wellread may be running, or choose another with --listen",
                settings.listen
            )
        })?;
        let setup = serve::SetupToken::random();
        let key = open_key(settings)?;
        let home = announce(settings, &store, &setup).await?;
        let app = serve::App {
            store: store.clone(),
            setup,
            clock: Arc::new(now),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            base_path: settings.base_path.clone(),
            secure: settings.https,
            proxies: settings.proxies.clone(),
            fetcher: fetcher_facts(settings),
            fetcher_door: open_fetcher(settings)?,
            media_key: serve::MediaKey::new(key.derive("media")),
            key,
            errands: Arc::new(Desk { crawler, store: store.clone() }),
            listeners: serve::Listeners::default(),
            finder: serve::Finder::default(),
            ear: serve::Ear::default(),
            limits: Arc::new(settings.limits.clone()),
        };
        tasks.spawn(index(settings, &store, &app.finder, &stop));
        tasks.spawn(listen(settings, &store, Arc::new(SystemClock), &app.ear, &stop));
        let web_stop = stop.clone();
        tasks.spawn(async move {
            let service = serve::router(app).into_make_service_with_connect_info::<SocketAddr>();
            let served = axum::serve(listener, service).with_graceful_shutdown(web_stop.cancelled_owned());
            if let Err(error) = served.await {
                tracing::error!(%error, "the web server ended");
            }
        });
        if args.open {
            open_browser(&home);
        }
    }
    tasks.close();
    tokio::select! {
        () = interrupted() => {}
        () = tasks.wait() => tracing::error!("everything ended by itself"),
    }
    tracing::info!("stopping; polls under way finish first");
    stop.cancel();
    if tokio::time::timeout(SHUTDOWN_MAX, tasks.wait()).await.is_err() {
        tracing::warn!("some work did not finish in time; its leases run out by themselves");
    }
    store.close().await;
    Ok(End::Done)
}

/// Keeps this node's search indexes; pages hear of them when they are open.
pub(crate) fn index(
    settings: &Settings,
    store: &Store,
    finder: &serve::Finder,
    stop: &CancellationToken,
) -> impl Future<Output = ()> + Send + use<> {
    let finder = finder.clone();
    let show = move |shown: work::Shown| finder.fill(shown.items, shown.channels, shown.trouble);
    work::index(store.clone(), settings.search_folder(), settings.limits.clone(), show, stop.clone())
}

/// Keeps this node's Buzz; pages hear of it when it begins to be made.
pub(crate) fn listen<C: work::Clock>(
    settings: &Settings,
    store: &Store,
    clock: Arc<C>,
    ear: &serve::Ear,
    stop: &CancellationToken,
) -> impl Future<Output = ()> + Send + use<C> {
    let ear = ear.clone();
    let show = move |shown: work::ShownBuzz| ear.fill(shown.index, shown.is_whole);
    work::buzz(store.clone(), clock, settings.limits.clone(), show, stop.clone())
}

/// Says where to go; answers the address to open.
async fn announce(settings: &Settings, store: &Store, setup: &serve::SetupToken) -> Result<String> {
    let origin = format!("http://{}", settings.listen);
    let home = format!("{origin}{}", settings.base_path.join("/"));
    if store.first_admin_exists().await? {
        println!("Wellread is at {home}");
        return Ok(home);
    }
    let link = setup.link(&origin, &settings.base_path);
    println!("Welcome to Wellread. Make the first account here (the link works once):\n\n  {link}\n");
    Ok(link)
}

/// What publishers are told about us.
pub(crate) fn fetcher_facts(settings: &Settings) -> serve::FetcherFacts {
    let minutes = |span: Duration| span.as_secs() / 60;
    serve::FetcherFacts {
        contact: settings.contact.clone(),
        polls_per_day: settings.policy.budget_polls_per_day,
        floor_minutes: minutes(settings.policy.own_floor),
        fast_floor_minutes: minutes(settings.policy.fast_floor),
        ..serve::FetcherFacts::new(concat!("Wellread/", env!("CARGO_PKG_VERSION")))
    }
}

fn policy(settings: &Settings) -> RetentionPolicy {
    RetentionPolicy {
        age: settings.keep_age(),
        count_per_feed: (settings.keep_items > 0).then_some(settings.keep_items),
        ..RetentionPolicy::default()
    }
}

/// Follows what administrators change while we run, on whichever node: the budget, and who is left alone.
async fn obey(store: Store, crawler: Arc<Crawler<Fetcher, SystemClock>>, stop: CancellationToken) {
    loop {
        let budget = store.setting(serve::BUDGET_SETTING).await;
        match (budget, obey_opt_outs(&store).await) {
            (Ok(budget), Ok(())) => crawler.set_budget(budget.as_deref().and_then(serve::read_budget)),
            (Err(error), _) => tracing::warn!(%error, "reading what administrators set"),
            (_, Err(error)) => tracing::warn!(%error, "reading what administrators set"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(OBEY_EVERY) => {}
        }
    }
}

/// Removes what need not be kept, a little at a time.
async fn keep(store: Store, policy: RetentionPolicy, stop: CancellationToken) {
    loop {
        let pause = match store.retention(now(), &policy).await {
            Ok(removed) if removed.more => RETENTION_PAUSE,
            Ok(_) => {
                if let Err(error) = store.prune(now()).await {
                    tracing::error!(%error, "removing what has ended");
                }
                let at = now().micros().to_string();
                if let Err(error) = store.set_setting(serve::HOUSEKEEPING_SETTING, Some(&at)).await {
                    tracing::error!(%error, "noting the housekeeping");
                }
                RETENTION_EVERY
            }
            Err(error) => {
                tracing::error!(%error, "removing old items");
                RETENTION_EVERY
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

pub(crate) async fn interrupted() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            },
            Err(_) => {
                let _ = interrupt.await;
            }
        }
    }
    #[cfg(not(unix))]
    let _ = interrupt.await;
}

/// A browser that does not open is no reason to fail: the address is printed.
pub(crate) fn open_browser(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if let Err(error) = std::process::Command::new(program).arg(address).spawn() {
        tracing::warn!(%error, "the browser did not open; use the printed address");
    }
}
