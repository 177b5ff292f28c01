//! `wellread add`, `import` and `export`: a person's subscriptions.

use crate::End;
use crate::cli::{AddArgs, ImportArgs, PersonArgs};
use crate::command::{find_user, now, open_crawler, open_key, open_store, read_named};
use crate::settings::Settings;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use serve::intake::{self, Intaker};
use work::NotFollowed;

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
            say!("{} {verb} {}", user.name, followed.url);
            if let Some(report) = followed.report {
                say!("{} items; next check {}", report.record.items_new, report.next_poll_at);
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
    let too_large = "an OPML file should be smaller; split it";
    let Some(bytes) = read_named(&args.file, settings.limits.opml_bytes_max, too_large)? else {
        return Ok(End::WrongCall);
    };
    let store = open_store(settings).await?;
    let user = find_user(&store, &args.person.user).await?;
    let opml = parse::opml::read_opml(&bytes, &settings.limits)?;
    let key = open_key(settings)?;
    let taker = Intaker { store: &store, key: &key, limits: &settings.limits, user: user.id, now: now() };
    let bar = ProgressBar::new(opml.subscriptions.len() as u64);
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} feeds")?);
    let duplicates = opml.duplicates;
    let name = args.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let intake = taker
        .take(&name, opml.into(), |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        })
        .await?;
    bar.finish_and_clear();
    store.close().await;
    say!("{} follows {} more feeds; {} were followed already.", user.name, intake.new, intake.known);
    if duplicates > 0 {
        say!("Listed more than once: {duplicates}.");
    }
    if intake.left_out > 0 {
        say!(
            "{} feeds were left out: subscriptions_max is {}; raise it and import again.",
            intake.left_out,
            settings.limits.subscriptions_max
        );
    }
    for complaint in &intake.complaints {
        say!("{complaint}");
    }
    say!("A running server polls them at once, a few every second.");
    Ok(End::Done)
}

pub(crate) async fn export(settings: &Settings, args: &PersonArgs) -> Result<End> {
    let store = open_store(settings).await?;
    let user = find_user(&store, &args.user).await?;
    let (subscribed, folders) = (store.subscriptions(user.id).await?, store.folders(user.id).await?);
    store.close().await;
    say!("{}", intake::written(&user.name, subscribed, folders, now()).trim_end());
    Ok(End::Done)
}
