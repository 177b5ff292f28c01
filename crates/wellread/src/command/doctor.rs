//! `wellread doctor`: looks for what is wrong with this installation and says what to do about it.

use crate::End;
use crate::command::{now, open_key, open_store};
use crate::settings::Settings;
use anyhow::Result;
use domain::Timestamp;
use search::{Found, Index, State, Trouble};
use std::net::{TcpListener, ToSocketAddrs};
use std::path::Path;
use store::{Place, Store};

/// Any clock earlier than this is wrong.
const BUILT_AFTER: Timestamp = Timestamp::from_seconds(1_767_225_600); // 2026-01-01

pub(crate) async fn run(settings: &Settings) -> Result<End> {
    let mut wrong = 0;
    let mut say = |what: &str, result: Result<String, String>| -> Result<()> {
        match result {
            Ok(fine) => say!("ok    {what}: {fine}"),
            Err(problem) => {
                wrong += 1;
                say!("WRONG {what}: {problem}");
            }
        }
        Ok(())
    };
    say(
        "settings",
        Ok(settings.file.as_ref().map_or("no file, defaults".into(), |f| f.display().to_string())),
    )?;
    say(
        "clock",
        if now() > BUILT_AFTER {
            Ok(now().to_string())
        } else {
            Err(format!("{} is in the past; set the clock, or polls happen at the wrong times", now()))
        },
    )?;
    say("data folder", data_folder(settings))?;
    say(
        "secret.key",
        open_key(settings).map(|_| "readable by us alone".into()).map_err(|error| format!("{error:#}")),
    )?;
    say("address", address(settings))?;
    say("names", names())?;
    for part in ["items", "channels"] {
        say(&format!("search index of {part}"), search_index(settings, part))?;
    }
    match open_store(settings).await {
        Err(error) => say("database", Err(format!("{error:#}")))?,
        Ok(store) => {
            say("database", integrity(&store).await)?;
            if let Place::Sqlite(path) = &settings.place {
                say("database file", database_file(path))?;
            }
            say("fetching", fetching(&store).await)?;
            say("accounts", accounts(&store).await)?;
            store.close().await;
        }
    }
    Ok(if wrong == 0 { End::Done } else { End::Failed })
}

fn data_folder(settings: &Settings) -> Result<String, String> {
    let dir = &settings.data_dir;
    let probe = dir.join(format!(".probe-{}", std::process::id()));
    std::fs::create_dir_all(dir)
        .and_then(|()| std::fs::write(&probe, b"x"))
        .and_then(|()| std::fs::remove_file(&probe))
        .map(|()| dir.display().to_string())
        .map_err(|error| {
            format!("{} cannot be written ({error}); choose another with --data-dir", dir.display())
        })
}

fn address(settings: &Settings) -> Result<String, String> {
    match TcpListener::bind(settings.listen) {
        Ok(_) => Ok(format!("{} is free", settings.listen)),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            Ok(format!("{} is in use, by a running Wellread or something else", settings.listen))
        }
        Err(error) => {
            Err(format!("{} cannot be listened on ({error}); choose another with --listen", settings.listen))
        }
    }
}

fn names() -> Result<String, String> {
    match ("localhost", 80).to_socket_addrs() {
        Ok(_) => Ok("the resolver answers".into()),
        Err(error) => Err(format!("host names cannot be looked up ({error}); check /etc/resolv.conf")),
    }
}

fn search_index(settings: &Settings, part: &str) -> Result<String, String> {
    let folder = settings.search_folder().join(part);
    if !folder.exists() {
        return Ok("none yet; the server builds it".into());
    }
    let opened = match Index::open(&folder) {
        Ok(opened) => opened,
        Err(Trouble::Locked) => return Ok("in use by a running Wellread".into()),
        Err(trouble) => return Err(format!("{trouble}; see {}", folder.display())),
    };
    match (opened.found, opened.index.verify()) {
        (Found::SetAside(_), _) => {
            Err("it could not be used and was set aside; the server builds it again".into())
        }
        (_, Err(trouble)) => Err(format!("{trouble} when the server starts")),
        (_, Ok(())) => Ok(match opened.index.state() {
            State::Whole => format!("{} entries, sound", opened.index.items()),
            _ => format!("{} entries so far; the server goes on building it", opened.index.items()),
        }),
    }
}

/// What people read and follow is nobody else's business. One made by an earlier version may be open to others.
#[cfg(unix)]
fn database_file(path: &Path) -> Result<String, String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map(|meta| meta.permissions().mode());
    match mode {
        Ok(mode) if mode & 0o077 == 0 => Ok("readable by us alone".into()),
        Ok(mode) => Err(format!(
            "others on this machine may open {0} (its mode is {1:o}); run: chmod 600 {0}*",
            path.display(),
            mode & 0o777
        )),
        Err(error) => Err(format!("{} cannot be looked at ({error})", path.display())),
    }
}

#[cfg(not(unix))]
fn database_file(path: &Path) -> Result<String, String> {
    Ok(path.display().to_string())
}

async fn integrity(store: &Store) -> Result<String, String> {
    match store.integrity_check().await {
        Ok(problems) if problems.is_empty() => Ok("sound and up to date".into()),
        Ok(problems) => Err(format!("{}; restore a backup", problems.join("; "))),
        Err(error) => Err(error.to_string()),
    }
}

async fn fetching(store: &Store) -> Result<String, String> {
    match (store.halted().await, store.overdue(now()).await) {
        (Ok(true), _) => Err("halted by an administrator; no feed is polled".into()),
        (Ok(false), Ok(overdue)) => Ok(format!("{overdue} feeds are due now")),
        (Err(error), _) | (_, Err(error)) => Err(error.to_string()),
    }
}

async fn accounts(store: &Store) -> Result<String, String> {
    match store.users().await {
        Ok(users) if users.is_empty() => Ok("none yet; start the server and open the link it prints".into()),
        Ok(users) => Ok(format!("{} accounts", users.len())),
        Err(error) => Err(error.to_string()),
    }
}
