//! `wellread poll`: poll now, print what happened. Inside a floor it says until when and exits with 3.

use crate::End;
use crate::cli::PollArgs;
use crate::command::{open_crawler, open_store};
use crate::settings::Settings;
use anyhow::{Result, bail};
use domain::{Feed, Reason, Timestamp};
use fetch::Fetcher;
use std::sync::Arc;
use store::Store;
use work::{Clock, Crawler, NotNow, PollReport, SystemClock, parse_address};

pub(crate) async fn run(settings: &Settings, args: &PollArgs) -> Result<End> {
    let store = open_store(settings).await?;
    let crawler = open_crawler(settings, store.clone())?;
    let end = match &args.feed {
        Some(address) => one(&store, &crawler, address).await?,
        None => due(&store, &crawler, args.once).await?,
    };
    store.close().await;
    Ok(end)
}

async fn one(store: &Store, crawler: &Crawler<Fetcher, SystemClock>, address: &str) -> Result<End> {
    let mut url = parse_address(address).map_err(anyhow::Error::msg)?;
    // Credentials are sealed apart; the feed is known by its plain address.
    let _ = fetch::take_credentials(&mut url);
    let Some(feed) = find_feed(store, url.as_str()).await? else {
        bail!("nobody follows {url}; follow it with: wellread add {url} --user NAME");
    };
    match crawler.poll_now(feed.id).await {
        Ok(report) => {
            print(&report)?;
            Ok(if report.record.outcome.is_success() { End::Done } else { End::Failed })
        }
        Err(NotNow::Floor(floor)) => not_now(floor.until, &words(&floor.reason)),
        Err(NotNow::Busy(until)) => not_now(until, "its provider is being asked, or was a moment ago"),
        Err(NotNow::Halted) => bail!("all fetching is halted by an administrator"),
        Err(NotNow::UnknownFeed) => bail!("the feed was removed meanwhile"),
        Err(NotNow::Store(error)) => Err(error.into()),
    }
}

/// A shared feed first, then anybody's private one.
async fn find_feed(store: &Store, url: &str) -> Result<Option<Feed>> {
    if let Some(feed) = store.feed_by_url(url, None).await? {
        return Ok(Some(feed));
    }
    for user in store.users().await? {
        if let Some(feed) = store.feed_by_url(url, Some(user.id)).await? {
            return Ok(Some(feed));
        }
    }
    Ok(None)
}

/// Lines on standard output are polls, for scripts; that there are none is said on standard error.
async fn due(store: &Store, crawler: &Arc<Crawler<Fetcher, SystemClock>>, once: bool) -> Result<End> {
    crawler.settle().await;
    let mut has_polled = false;
    let mut said = None;
    loop {
        let reports = crawler.cycle().await?;
        for report in &reports {
            print(report)?;
        }
        if !reports.is_empty() {
            has_polled = true;
            continue;
        }
        let now = SystemClock.now();
        let Some(next) = store.next_due_at(now).await? else {
            eprintln!("{}", nothing(store).await?);
            return Ok(End::Done);
        };
        // Feeds of a provider wait for its next slot; those due within a moment still belong to this run.
        let is_soon = next.since(now) <= SLOT;
        if once && !is_soon {
            if !has_polled {
                eprintln!("Nothing is due before {next}{}.", address_due(store, next).await?);
            }
            return Ok(End::Done);
        }
        if !is_soon && said != Some(next) {
            eprintln!("Nothing is due; waiting until {next}. Ctrl-C ends.");
            said = Some(next);
        }
        SystemClock.sleep_until(next.max(now.saturating_add(PAUSE))).await;
    }
}

/// Why nothing will ever be due.
async fn nothing(store: &Store) -> Result<&'static str> {
    Ok(if store.halted().await? {
        "Nothing is due: all fetching is halted by an administrator."
    } else {
        "Nothing is due: nobody follows a feed that can be polled."
    })
}

/// The feed that is due at a time, in brackets after a space; empty when that changed meanwhile.
async fn address_due(store: &Store, at: Timestamp) -> Result<String> {
    for user in store.users().await? {
        let due = store.due_of(user.id).await?;
        let Some(first) = due.first().filter(|first| first.at == at) else { continue };
        if let Some(feed) = store.feed(first.feed).await? {
            return Ok(format!(" ({})", feed.url));
        }
    }
    Ok(String::new())
}

const PAUSE: std::time::Duration = std::time::Duration::from_millis(100);
const SLOT: std::time::Duration = std::time::Duration::from_secs(3);

fn not_now(until: Timestamp, why: &str) -> Result<End> {
    say!("not before {until}: {why}");
    Ok(End::NotNow)
}

fn print(report: &PollReport) -> Result<()> {
    let record = &report.record;
    let what = match &record.error {
        Some(sentence) => sentence.clone(),
        None => {
            format!("{} new, {} changed of {}", record.items_new, record.items_changed, record.items_seen)
        }
    };
    say!(
        "{}\t{}\t{what}\tnext {}: {}",
        report.url,
        record.outcome.name(),
        report.next_poll_at,
        words(&report.reason)
    );
    Ok(())
}

/// The reason of a poll time, in words.
fn words(reason: &Reason) -> String {
    match reason {
        Reason::New => "just subscribed".into(),
        Reason::Rate { posts_per_day, .. } => format!("about {posts_per_day:.1} posts a day"),
        Reason::Maximum { interval_s } => {
            format!("rarely posts; the longest wait is {} h", interval_s / 3600)
        }
        Reason::OwnFloor { minutes } => format!("we never ask more often than every {minutes} min"),
        Reason::Fresh => "the publisher says nothing changes before".into(),
        Reason::PublisherInterval { minutes } => {
            format!("the publisher asks for at most one poll in {minutes} min")
        }
        Reason::SkipWindow => "the publisher asks to be left alone at these hours".into(),
        Reason::Busy => "the publisher asked us to wait".into(),
        Reason::BackOff { failures } => format!("{failures} failures in a row"),
        Reason::Denied => "the publisher does not let us in".into(),
        Reason::Gone => "the publisher says it is gone; asked once more".into(),
        Reason::ProviderSlot => "another feed of the same provider is first".into(),
        Reason::Spread => "spread after a pause of ours".into(),
        Reason::Offline => "our own network was down".into(),
        Reason::Asked => "somebody asked".into(),
        Reason::Opened => "somebody came to read".into(),
        Reason::Paused => "paused".into(),
    }
}
