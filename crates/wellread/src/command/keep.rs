//! `wellread backup`, `restore` and `migrate`.

use crate::End;
use crate::command::{now, open_store};
use crate::settings::Settings;
use anyhow::{Result, bail};
use std::path::Path;
use store::{ArchiveSummary, Place};

pub(crate) async fn backup(settings: &Settings, file: &Path) -> Result<End> {
    if file.exists() {
        bail!("{} is already there; a backup never overwrites one", file.display());
    }
    let store = open_store(settings).await?;
    let summary = store.backup(file, now()).await?;
    store.close().await;
    report("Kept", &summary, file)?;
    say!(
        "Feed passwords in it are sealed with {}; keep that file too, in another place.",
        settings.secret_key_path().display()
    );
    Ok(End::Done)
}

pub(crate) async fn restore(settings: &Settings, file: &Path) -> Result<End> {
    let new = match &settings.place {
        Place::Sqlite(path) if !path.exists() => Some(path),
        _ => None,
    };
    let store = open_store(settings).await?;
    let restored = store.restore(file).await;
    // A new database that somebody has begun to use meanwhile is theirs.
    let is_empty = store.users().await.is_ok_and(|users| users.is_empty());
    store.close().await;
    if let (Some(path), Err(_), true) = (new, &restored, is_empty) {
        remove_database(path);
    }
    report("Restored", &restored?, file)?;
    Ok(End::Done)
}

/// A refused restore leaves nothing behind. What cannot be removed is an empty database, which does no harm.
fn remove_database(path: &Path) {
    for end in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        let _ = std::fs::remove_file(file);
    }
}

pub(crate) async fn migrate(settings: &Settings) -> Result<End> {
    let store = open_store(settings).await?;
    store.close().await;
    say!("The database is up to date.");
    Ok(End::Done)
}

fn report(verb: &str, summary: &ArchiveSummary, file: &Path) -> Result<()> {
    say!("{verb} {} rows ({}, sha256 {}):", summary.rows, file.display(), summary.sha256);
    for (table, rows) in summary.tables.iter().filter(|(_, rows)| *rows > 0) {
        say!("  {table:20} {rows}");
    }
    Ok(())
}
