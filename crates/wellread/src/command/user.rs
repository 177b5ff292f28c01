//! `wellread user`: accounts and app tokens.

use crate::End;
use crate::cli::UserCommand;
use crate::command::{find_user, now, open_store};
use crate::settings::Settings;
use anyhow::{Context, Result, bail};
use base64::Engine;
use domain::Secret;
use sha2::{Digest, Sha256};
use std::io::{BufRead, IsTerminal, Read};

const PASSWORD_BYTES_MAX: u64 = 1024;

pub(crate) async fn run(settings: &Settings, command: UserCommand) -> Result<End> {
    let store = open_store(settings).await?;
    match command {
        UserCommand::Add { name, admin, password_stdin } => {
            let name = serve::account::checked_name(&name).map_err(anyhow::Error::msg)?;
            if store.user_by_name(&name).await?.is_some() {
                bail!("there already is an account {name:?}");
            }
            let password = read_password(password_stdin)?;
            serve::password::check(&password).map_err(anyhow::Error::msg)?;
            let hash = serve::password::hash(&password)?;
            store.add_user(&name, Some(&hash), admin, now()).await?;
            say!("Added {name}{}.", if admin { ", who may manage the server" } else { "" });
        }
        UserCommand::List => {
            for user in store.users().await? {
                let role = if user.is_admin { "admin" } else { "reader" };
                say!("{}\t{role}\tsince {}", user.name, user.created_at);
            }
        }
        UserCommand::Token { name, label } => {
            let user = find_user(&store, &name).await?;
            let bytes: [u8; 32] = rand::random();
            let token = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
            let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
            store.add_token(user.id, &label, hash, now()).await?;
            say!("{token}");
            eprintln!("This is shown once; Wellread keeps only its hash.");
        }
    }
    store.close().await;
    Ok(End::Done)
}

fn read_password(from_stdin: bool) -> Result<Secret> {
    let stdin = std::io::stdin();
    if !from_stdin {
        if !stdin.is_terminal() {
            bail!("there is no terminal to ask for the password; pass it with --password-stdin");
        }
        eprint!("Password (it will be seen as you type; --password-stdin reads it from a file): ");
    }
    let mut line = String::new();
    stdin.lock().take(PASSWORD_BYTES_MAX + 2).read_line(&mut line).context("reading the password")?;
    Ok(Secret::new(line.trim_end_matches(['\r', '\n'])))
}
