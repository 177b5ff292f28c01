//! `wellread add`, `import` and `export`: a person's subscriptions.

use crate::End;
use crate::cli::{AddArgs, ImportArgs, PersonArgs};
use crate::command::{find_user, now, open_crawler, open_key, open_store, read_input};
use crate::settings::Settings;
use anyhow::Result;
use domain::{FolderId, NewSubscription};
use fetch::take_credentials;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashMap;
use std::time::Duration;
use store::{SecretKey, SubscribedFeed, Wish};
use url::Url;
use work::NotFollowed;

/// First polls of imported feeds start this far apart (O1).
const IMPORT_STEP: Duration = Duration::from_millis(100);
const IMPORT_BATCH: usize = 100;

pub(crate) async fn add(settings: &Settings, args: &AddArgs) -> Result<End> {
    let store = open_store(settings).await?;
    let user = find_user(&store, &args.person.user).await?;
    let crawler = open_crawler(settings, store.clone())?;
    let folder = args.folder.as_deref().unwrap_or_default();
    let folder =
        folder.split('/').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let end = match crawler.follow(user.id, &args.url, folder).await {
        Ok(followed) => {
            let verb = if followed.was_subscribed { "already follows" } else { "now follows" };
            println!("{} {verb} {}", user.name, followed.url);
            if let Some(report) = followed.report {
                println!("{} items; next check {}", report.record.items_new, report.next_poll_at);
            }
            End::Done
        }
        Err(NotFollowed::Several(links)) => {
            eprintln!("That page names several feeds; say which one to follow:");
            for link in links {
                eprintln!(
                    "  wellread add {} --user {}\t{}",
                    link.url,
                    user.name,
                    link.title.unwrap_or_default()
                );
            }
            End::Failed
        }
        Err(NotFollowed::TooMany { subscriptions_max }) => {
            eprintln!(
                "wellread: {} already follows {subscriptions_max} feeds; raise subscriptions_max for more",
                user.name
            );
            End::Failed
        }
        Err(NotFollowed::Store(error)) => return Err(error.into()),
        Err(other) => {
            eprintln!("wellread: {other}");
            End::Failed
        }
    };
    store.close().await;
    Ok(end)
}

pub(crate) async fn import(settings: &Settings, args: &ImportArgs) -> Result<End> {
    let store = open_store(settings).await?;
    let user = find_user(&store, &args.person.user).await?;
    let bytes =
        read_input(&args.file, settings.limits.opml_bytes_max, "an OPML file should be smaller; split it")?;
    let opml = parse::opml::read_opml(&bytes, &settings.limits)?;
    let key = open_key(settings)?;
    let mut refused = Vec::new();
    let mut wishes = Vec::new();
    for subscription in opml.subscriptions {
        match wish(subscription, &key) {
            Ok(wish) => wishes.push(wish),
            Err(sentence) => refused.push(sentence),
        }
    }
    let room = settings.limits.subscriptions_max.saturating_sub(store.subscriptions(user.id).await?.len());
    let left_out = opml.left_out + wishes.len().saturating_sub(room);
    wishes.truncate(room);
    let bar = ProgressBar::new(wishes.len() as u64);
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} feeds")?);
    let (mut new, mut known) = (0, 0);
    let start = now();
    for (nth, batch) in wishes.chunks(IMPORT_BATCH).enumerate() {
        let offset = IMPORT_STEP * u32::try_from(nth * IMPORT_BATCH).unwrap_or(u32::MAX);
        for subscribed in
            store.subscribe_many(user.id, batch, IMPORT_STEP, start.saturating_add(offset)).await?
        {
            if subscribed.was_subscribed { known += 1 } else { new += 1 }
        }
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    store.close().await;
    println!("{} follows {new} more feeds; {known} were followed already.", user.name);
    if opml.duplicates > 0 {
        println!("{} addresses stood in the file more than once.", opml.duplicates);
    }
    if left_out > 0 {
        println!(
            "{left_out} feeds were left out: subscriptions_max is {}; raise it and import again.",
            settings.limits.subscriptions_max
        );
    }
    for sentence in &refused {
        println!("Left out: {sentence}");
    }
    println!("A running server polls them at once, a few every second.");
    Ok(End::Done)
}

fn wish(mut subscription: NewSubscription, key: &SecretKey) -> Result<Wish, String> {
    let mut url =
        Url::parse(&subscription.url).map_err(|_| format!("{:?} is not an address", subscription.url))?;
    let sealed = match take_credentials(&mut url) {
        None => None,
        Some(secrets) => Some(key.seal(&secrets, url.as_str()).map_err(|error| error.to_string())?),
    };
    subscription.url = url.to_string();
    Ok(Wish { provider: fetch::provider(&url), private: sealed.is_some(), sealed, subscription })
}

pub(crate) async fn export(settings: &Settings, args: &PersonArgs) -> Result<End> {
    let store = open_store(settings).await?;
    let user = find_user(&store, &args.user).await?;
    let folders: HashMap<FolderId, _> =
        store.folders(user.id).await?.into_iter().map(|folder| (folder.id, folder)).collect();
    let path = |mut at: Option<FolderId>| {
        let mut names = Vec::new();
        // A folder's parents are at most as many as there are folders, whatever the rows say.
        while let (Some(folder), true) = (at.and_then(|id| folders.get(&id)), names.len() <= folders.len()) {
            names.push(folder.name.clone());
            at = folder.parent;
        }
        names.reverse();
        names
    };
    let subscriptions: Vec<_> = store
        .subscriptions(user.id)
        .await?
        .into_iter()
        .map(|SubscribedFeed { subscription, feed, .. }| NewSubscription {
            url: feed.url,
            title: subscription.title.or(feed.facts.title),
            site_url: feed.facts.site_url,
            folder: path(subscription.folder),
        })
        .collect();
    store.close().await;
    print!("{}", parse::opml::write_opml(&format!("{}'s feeds", user.name), &subscriptions, now()));
    Ok(End::Done)
}
