//! A one-time link with which a new person chooses a password. Made by an administrator, good once, for seven days.
//!
//! The link holds 256 random bits; the store keeps their hash with the end of its time, one per person, so that a new
//! link ends the older one.

use crate::client::Client;
use crate::own_path::OwnPath;
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::visitor::{Speaks, hash, new_token};
use crate::words::{Words, fill};
use crate::{App, login, password};
use askama::Template;
use axum::Form;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::{Secret, Timestamp, User, UserId};
use serde::Deserialize;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq;

const OPEN_FOR: Duration = Duration::from_secs(7 * 86_400);

/// Opens a link for somebody; the token is for the link and nowhere else.
pub(crate) async fn open(app: &App, user: UserId, now: Timestamp) -> Result<Secret, Problem> {
    let secret = new_token();
    let value = format!("{} {}", hex(hash(&secret)), now.saturating_add(OPEN_FOR).micros());
    app.store.set_setting(&key(user), Some(&value)).await?;
    Ok(Secret::new(format!("{user}.{}", secret.reveal())))
}

pub(crate) async fn is_open(app: &App, user: UserId, now: Timestamp) -> Result<bool, Problem> {
    Ok(kept(app, user).await?.is_some_and(|(_, until)| until > now))
}

pub(crate) async fn close(app: &App, user: UserId) -> Result<(), Problem> {
    Ok(app.store.set_setting(&key(user), None).await?)
}

#[derive(Deserialize)]
pub(crate) struct Given {
    #[serde(default)]
    token: String,
}

pub(crate) async fn form(
    State(app): State<Arc<App>>,
    Speaks(w): Speaks,
    Query(given): Query<Given>,
) -> Result<Response, Problem> {
    let user = invited(&app, &given.token).await?;
    Ok(page(&app, w, StatusCode::OK, &given.token, &user, &Refused::default()))
}

/// The form as it arrived. It has no `Debug`, so that a password cannot be printed by accident.
#[derive(Deserialize)]
pub(crate) struct Entered {
    #[serde(default)]
    token: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    again: String,
    #[serde(default)]
    zone: String,
}

pub(crate) async fn enter(
    State(app): State<Arc<App>>,
    Speaks(w): Speaks,
    client: Client,
    headers: HeaderMap,
    Form(entered): Form<Entered>,
) -> Result<Response, Problem> {
    let user = invited(&app, &entered.token).await?;
    let password = Secret::new(entered.password);
    let mut refused = Refused {
        password: password::check(&password).err().map(|bad| bad.sentence(w)),
        ..Refused::default()
    };
    if refused.password.is_none() && password.reveal() != entered.again {
        refused.again = Some(w.entry.password_differs);
    }
    if refused.password.is_some() || refused.again.is_some() {
        return Ok(page(&app, w, StatusCode::UNPROCESSABLE_ENTITY, &entered.token, &user, &refused));
    }
    let hash = password::hash_in_turn(password).await.map_err(|error| Problem::broken(&error))?;
    // Closed first: of two forms sent at once, the second finds nothing.
    invited(&app, &entered.token).await?;
    close(&app, user.id).await?;
    app.store.set_password(user.id, &hash).await?;
    app.store.end_other_sessions(user.id, None).await?;
    login::keep_zone(&app, &user, &entered.zone).await?;
    let response = OwnPath::parse(&app.base_path, "/welcome").redirect();
    login::admit(&app, &user, &client, &headers, response).await
}

/// Who a link is for. A wrong, used or old one is the same: gone.
async fn invited(app: &App, token: &str) -> Result<User, Problem> {
    let gone = || Problem::new(StatusCode::NOT_FOUND, |w| (w.admin.join_gone_title, w.admin.join_gone));
    let (user, secret) = token.split_once('.').ok_or_else(gone)?;
    let user = UserId(user.parse().map_err(|_| gone())?);
    let (expected, until) = kept(app, user).await?.ok_or_else(gone)?;
    let given = hex(hash(&Secret::new(secret)));
    let is_right: bool = expected.as_bytes().ct_eq(given.as_bytes()).into();
    if !is_right || until <= (app.clock)() {
        return Err(gone());
    }
    let account = app.store.account(user).await?.filter(|account| !account.disabled).ok_or_else(gone)?;
    Ok(account.user)
}

async fn kept(app: &App, user: UserId) -> Result<Option<(String, Timestamp)>, Problem> {
    let value = app.store.setting(&key(user)).await?;
    Ok(value.and_then(|value| {
        let (hash, until) = value.split_once(' ')?;
        Some((hash.to_owned(), Timestamp::from_micros(until.parse().ok()?)))
    }))
}

fn key(user: UserId) -> String {
    format!("invitation-{user}")
}

fn hex(bytes: [u8; 32]) -> String {
    let mut text = String::with_capacity(64);
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[derive(Default)]
struct Refused {
    password: Option<&'static str>,
    again: Option<&'static str>,
}

fn page(
    app: &App,
    w: &'static Words,
    status: StatusCode,
    token: &str,
    user: &User,
    refused: &Refused,
) -> Response {
    let frame = Frame::new(&app.base_path, w);
    let lede = fill(w.admin.join_lede, &[("name", &user.name)]);
    render(status, &JoinPage { frame: &frame, w, token, name: &user.name, lede, refused })
}

#[derive(Template)]
#[template(path = "join.html")]
struct JoinPage<'a> {
    frame: &'a Frame,
    w: &'static Words,
    token: &'a str,
    name: &'a str,
    lede: String,
    refused: &'a Refused,
}
