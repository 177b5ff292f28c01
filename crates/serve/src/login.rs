//! Signing in and out.
//!
//! Wrong tries cost growing waits, per account and per address, kept in the store so that every node counts them
//! (A3). An unknown name takes as long and reads the same as a wrong password. A login always makes a new session
//! (A2).

use crate::client::Client;
use crate::own_path::OwnPath;
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::visitor::{self, SESSION_FOR, Speaks, Visitor};
use crate::words::Words;
use crate::{App, password};
use askama::Template;
use axum::Form;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use domain::{Secret, Timestamp, User};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use store::LoginFailures;

/// Tries that cost nothing: people mistype.
const FREE_TRIES: u32 = 5;
const WAIT_MAX: Duration = Duration::from_secs(15 * 60);
/// One address may try this often for all accounts together before it waits.
const FREE_TRIES_PER_ADDRESS: u32 = 20;

pub(crate) async fn form(
    State(app): State<Arc<App>>,
    Speaks(words): Speaks,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if visitor::find(&app, &headers).await?.is_some() {
        return Ok(OwnPath::parse(&app.base_path, &asked.next).redirect());
    }
    if !app.store.first_admin_exists().await? {
        return Ok(OwnPath::parse(&app.base_path, "/").redirect());
    }
    Ok(page(&app, words, StatusCode::OK, &Filled { next: &asked.next, ..Filled::default() }))
}

pub(crate) async fn enter(
    State(app): State<Arc<App>>,
    Speaks(words): Speaks,
    client: Client,
    headers: HeaderMap,
    Form(entered): Form<Entered>,
) -> Result<Response, Problem> {
    let now = (app.clock)();
    let name = entered.name.trim().chars().take(crate::account::NAME_CHARS_MAX).collect::<String>();
    let keys = [format!("name:{}", name.to_lowercase()), format!("from:{}", client.address)];
    let filled = Filled { next: &entered.next, name: &name, wrong: None };
    if let Some(wait) = wait(&app.store.login_failures(&keys, now).await?, now) {
        let sentence = words.count(words.entry.sign_in_wait, wait.as_secs().max(1));
        let filled = Filled { wrong: Some(sentence), ..filled };
        let mut response = page(&app, words, StatusCode::TOO_MANY_REQUESTS, &filled);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)));
        return Ok(response);
    }
    let password = Secret::new(entered.password);
    let Some(user) = check(&app, &name, password).await? else {
        app.store.record_login_failure(&keys, now).await?;
        let filled = Filled { wrong: Some(words.entry.sign_in_wrong.to_owned()), ..filled };
        return Ok(page(&app, words, StatusCode::UNAUTHORIZED, &filled));
    };
    app.store.clear_login_failures(&keys[..1]).await?;
    keep_zone(&app, &user, &entered.zone).await?;
    let response = OwnPath::parse(&app.base_path, &entered.next).redirect();
    admit(&app, &user, &client, &headers, response).await
}

/// Starts a session for `user` and puts its cookie on `response`. A session the browser came with ends (A2).
pub(crate) async fn admit(
    app: &App,
    user: &User,
    client: &Client,
    headers: &HeaderMap,
    mut response: Response,
) -> Result<Response, Problem> {
    let now = (app.clock)();
    if let Some(old) = visitor::find(app, headers).await? {
        app.store.end_session(old.id(), old.session).await?;
    }
    let token = visitor::new_token();
    let ends_at = now.saturating_add(SESSION_FOR);
    let label = client.device(headers);
    app.store.add_session(user.id, visitor::hash(&token), &label, &client.address, now, ends_at).await?;
    if let Some(cookie) = visitor::session_cookie(app, Some(&token), client.is_https) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

pub(crate) async fn leave(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    client: Client,
) -> Result<Response, Problem> {
    app.store.end_session(visitor.id(), visitor.session).await?;
    let mut response = OwnPath::parse(&app.base_path, "/login").redirect();
    if let Some(cookie) = visitor::session_cookie(&app, None, client.is_https) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    // What the browser kept for offline reading goes too.
    response.headers_mut().insert("clear-site-data", HeaderValue::from_static("\"cache\", \"storage\""));
    Ok(response)
}

/// To the login, and from there back to where the person wanted to go.
pub(crate) fn detour(app: &App, wanted: &Uri) -> Response {
    let path = wanted.path_and_query().map_or("/", |path| path.as_str());
    let own = path.strip_prefix(app.base_path.as_str()).unwrap_or(path);
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    if !matches!(own, "/" | "") {
        query.append_pair("next", own);
    }
    let query = query.finish();
    let target = if query.is_empty() { "/login".to_owned() } else { format!("/login?{query}") };
    OwnPath::parse(&app.base_path, &target).redirect()
}

#[derive(Deserialize)]
pub(crate) struct Asked {
    #[serde(default)]
    next: String,
}

/// The form as it arrived. It has no `Debug`, so that a password cannot be printed by accident.
#[derive(Deserialize)]
pub(crate) struct Entered {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    next: String,
    /// The browser's time zone, if a script could tell.
    #[serde(default)]
    zone: String,
}

/// The account, if name and password belong together. Hashes exactly once, whoever is asked for.
async fn check(app: &App, name: &str, password: Secret) -> Result<Option<User>, Problem> {
    let user = app.store.user_by_name(name).await?;
    let stored = match &user {
        Some(user) => app.store.password_hash(user.id).await?,
        None => None,
    };
    let is_known = stored.is_some();
    let verdict =
        password::verify_in_turn(password, stored).await.map_err(|error| Problem::broken(&error))?;
    let Some(user) = user.filter(|_| is_known && verdict.is_right) else { return Ok(None) };
    if let Some(fresh) = verdict.rehashed {
        app.store.set_password(user.id, &fresh).await?;
    }
    let disabled = app.store.account(user.id).await?.is_none_or(|account| account.disabled);
    Ok((!disabled).then_some(user))
}

/// The longest wait that any of the counts asks for.
pub(crate) fn wait(failures: &[LoginFailures], now: Timestamp) -> Option<Duration> {
    let free = [FREE_TRIES, FREE_TRIES_PER_ADDRESS];
    failures.iter().zip(free).filter_map(|(failures, free)| wait_after(failures, free, now)).max()
}

/// 1 s after the free tries, doubling with each further one.
fn wait_after(failures: &LoginFailures, free: u32, now: Timestamp) -> Option<Duration> {
    let beyond = failures.count.checked_sub(free)?;
    let wait = Duration::from_secs(1_u64 << beyond.min(20)).min(WAIT_MAX);
    let left = wait.saturating_sub(now.since(failures.last_at));
    (!left.is_zero()).then_some(left)
}

/// A person without a zone gets the browser's, once.
pub(crate) async fn keep_zone(app: &App, user: &User, zone: &str) -> Result<(), Problem> {
    let is_zone = zone.len() <= 64 && jiff::tz::TimeZone::get(zone).is_ok();
    let Some(account) = app.store.account(user.id).await?.filter(|_| is_zone) else { return Ok(()) };
    if account.preferences.time_zone.is_none() {
        let preferences = domain::Preferences { time_zone: Some(zone.to_owned()), ..account.preferences };
        app.store.set_preferences(user.id, &preferences).await?;
    }
    Ok(())
}

#[derive(Default)]
struct Filled<'a> {
    next: &'a str,
    name: &'a str,
    wrong: Option<String>,
}

fn page(app: &App, words: &'static Words, status: StatusCode, filled: &Filled<'_>) -> Response {
    let frame = Frame::new(&app.base_path, words);
    let page =
        LoginPage { frame: &frame, w: words, next: filled.next, name: filled.name, wrong: &filled.wrong };
    render(status, &page)
}

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    frame: &'a Frame,
    w: &'static Words,
    next: &'a str,
    name: &'a str,
    wrong: &'a Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(count: u32, seconds: i64) -> Option<u64> {
        let failures = LoginFailures { count, last_at: Timestamp::from_seconds(1_000) };
        wait_after(&failures, FREE_TRIES, Timestamp::from_seconds(1_000 + seconds)).map(|wait| wait.as_secs())
    }

    #[test]
    fn a3_the_wait_grows_with_each_wrong_try_and_ends() {
        assert_eq!(after(4, 0), None);
        assert_eq!(after(5, 0), Some(1));
        assert_eq!(after(8, 0), Some(8));
        assert_eq!(after(8, 8), None);
        assert_eq!(after(1_000, 0), Some(WAIT_MAX.as_secs()));
        assert_eq!(after(u32::MAX, 60), Some(WAIT_MAX.as_secs() - 60));
    }
}
