//! One file per command, and what several of them need: the store, the key, the crawler.

pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod feeds;
pub(crate) mod keep;
pub(crate) mod lab;
pub(crate) mod parse;
pub(crate) mod plan;
pub(crate) mod poll;
pub(crate) mod serve;
pub(crate) mod user;

use crate::settings::Settings;
use anyhow::{Context, Result, bail};
use domain::{Timestamp, User};
use fetch::{FetchConfig, Fetcher, OptOuts, OwnAddress, Resolver};
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use store::{Place, SecretKey, Store, StoreConfig};
use work::{Clock, CrawlSettings, Crawler, SystemClock};

pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}

pub(crate) async fn open_store(settings: &Settings) -> Result<Store> {
    if let Place::Sqlite(_) = settings.place {
        make_private_folder(&settings.data_dir)?;
    }
    let store = Store::open(&StoreConfig::new(settings.place.clone()), now()).await?;
    obey_opt_outs(&store).await?;
    Ok(store)
}

/// Publishers who asked to be left alone; one list for everything in this process that fetches (N26).
static OPT_OUTS: LazyLock<OptOuts> = LazyLock::new(OptOuts::default);

/// Reads the list as an administrator left it.
pub(crate) async fn obey_opt_outs(store: &Store) -> Result<()> {
    let hosts = store.setting(::serve::OPTED_OUT_SETTING).await?.unwrap_or_default();
    OPT_OUTS.set(hosts.lines().map(str::to_owned));
    Ok(())
}

/// The data folder holds the key and everything people read: nobody else's business.
fn make_private_folder(dir: &Path) -> Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).with_context(|| format!("making the data folder {}", dir.display()))
}

pub(crate) fn open_key(settings: &Settings) -> Result<SecretKey> {
    make_private_folder(&settings.data_dir)?;
    Ok(SecretKey::load_or_create(&settings.secret_key_path())?)
}

pub(crate) fn open_fetcher(settings: &Settings) -> Result<Fetcher> {
    Ok(Fetcher::new(FetchConfig {
        limits: settings.limits.clone(),
        allow: settings.allow_list.clone(),
        own_addresses: vec![OwnAddress::from(settings.listen)],
        contact: settings.contact.clone(),
        version: env!("CARGO_PKG_VERSION"),
        resolver: Resolver::System,
        extra_roots: Vec::new(),
        opt_outs: OPT_OUTS.clone(),
    })?)
}

pub(crate) fn open_crawler(settings: &Settings, store: Store) -> Result<Arc<Crawler<Fetcher, SystemClock>>> {
    let fetcher = open_fetcher(settings)?;
    let crawl = CrawlSettings {
        node: format!("{}-{:08x}", std::process::id(), rand::random::<u32>()),
        polls_max: settings.polls_max,
        seed: rand::random(),
        ..CrawlSettings::default()
    };
    Ok(Arc::new(Crawler::new(
        store,
        Arc::new(fetcher),
        Arc::new(SystemClock),
        settings.policy.clone(),
        settings.limits.clone(),
        crawl,
        Some(open_key(settings)?),
    )))
}

pub(crate) async fn find_user(store: &Store, name: &str) -> Result<User> {
    match store.user_by_name(name).await? {
        Some(user) => Ok(user),
        None => bail!("there is no account {name:?}; make one with: wellread user add {name}"),
    }
}

/// As [`read_input`]; None when there is nothing to be read, which is said here and is a wrong call.
pub(crate) fn read_named(file: &Path, bytes_max: usize, setting: &str) -> Result<Option<Vec<u8>>> {
    match read_input(file, bytes_max, setting) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.is::<std::io::Error>() => {
            eprintln!("wellread: {error:#}");
            Ok(None)
        }
        Err(too_large) => Err(too_large),
    }
}

/// A file or, for `-`, standard input; more than `bytes_max` is refused, not cut.
pub(crate) fn read_input(file: &Path, bytes_max: usize, setting: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = bytes_max as u64 + 1;
    if file == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes).context("reading standard input")?;
    } else {
        let opened = std::fs::File::open(file).with_context(|| format!("opening {}", file.display()))?;
        opened.take(limit).read_to_end(&mut bytes).with_context(|| format!("reading {}", file.display()))?;
    }
    if bytes.len() > bytes_max {
        bail!("{} is larger than {} MiB ({setting})", file.display(), bytes_max >> 20);
    }
    Ok(bytes)
}
