//! Who is asking: the session behind a request, and what that person may see.
//!
//! A session is 256 random bits in a cookie; the store keeps only their hash (A2). Routes that need a person are
//! wrapped by [`require_user`] or [`require_admin`], which the route table decides; handlers then take a [`Visitor`].

use crate::problem::Problem;
use crate::when::Clockwork;
use crate::words::Words;
use crate::{App, login};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::{Preferences, Secret, SessionId, Timestamp, UserId};
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use store::Account;

pub(crate) const COOKIE: &str = "wellread-session";
/// A session ends this long after it was last used.
pub(crate) const SESSION_FOR: Duration = Duration::from_secs(60 * 24 * 3600);
/// "Last seen" is written no more often than this, so that reading does not write.
const TOUCH_EVERY: Duration = Duration::from_secs(10 * 60);

/// A signed-in person, with how they like their pages.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    pub(crate) account: Account,
    pub(crate) session: SessionId,
    pub(crate) words: &'static Words,
    pub(crate) clock: Clockwork,
}

impl Visitor {
    pub(crate) fn id(&self) -> UserId {
        self.account.user.id
    }

    pub(crate) fn likes(&self) -> &Preferences {
        &self.account.preferences
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now
    }

    fn new(account: Account, session: SessionId, now: Timestamp, headers: &HeaderMap) -> Self {
        let words = account.preferences.language.map_or_else(|| accepted(headers), Words::of);
        let clock = Clockwork::new(now, account.preferences.time_zone.as_deref(), words);
        Visitor { account, session, words, clock }
    }

    /// Somebody who reads English in a zone.
    #[cfg(test)]
    pub(crate) fn reading_in(zone: &str, now: Timestamp) -> Self {
        let user = domain::User { id: UserId(1), name: "mira".into(), is_admin: false, created_at: now };
        let preferences = Preferences {
            time_zone: Some(zone.to_owned()),
            language: Some(domain::preferences::Language::English),
            ..Preferences::default()
        };
        let account = Account { user, disabled: false, preferences };
        Visitor::new(account, SessionId(1), now, &HeaderMap::new())
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Problem;

    /// Only routes behind [`require_user`] have a visitor; asking elsewhere is a mistake in the table.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Visitor>().cloned().ok_or_else(|| Problem::of_status(StatusCode::UNAUTHORIZED))
    }
}

/// The language of a page for nobody in particular.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speaks(pub(crate) &'static Words);

impl<S: Sync> FromRequestParts<S> for Speaks {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Speaks(accepted(&parts.headers)))
    }
}

pub(crate) async fn require_user(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let Some(visitor) = find(&app, request.headers()).await? else {
        return Ok(turned_away(&app, &request));
    };
    request.extensions_mut().insert(visitor);
    Ok(next.run(request).await)
}

pub(crate) async fn require_admin(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let Some(visitor) = find(&app, request.headers()).await? else {
        return Ok(turned_away(&app, &request));
    };
    if !visitor.account.user.is_admin {
        let p = |w: &'static Words| (w.problem.admin_title, w.problem.admin);
        return Err(Problem::new(StatusCode::FORBIDDEN, p));
    }
    request.extensions_mut().insert(visitor);
    Ok(next.run(request).await)
}

/// Whose script is asking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller {
    pub(crate) user: UserId,
    pub(crate) words: &'static Words,
    pub(crate) now: Timestamp,
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    /// Only routes behind [`require_caller`] have one.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Caller>().copied().ok_or_else(|| Problem::of_status(StatusCode::UNAUTHORIZED))
    }
}

/// For scripts: a person's token, made in the settings, or else their session. A wrong token is refused whatever
/// session comes along.
pub(crate) async fn require_caller(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let refused =
        || Problem::new(StatusCode::UNAUTHORIZED, |w| (w.discover.no_token_title, w.discover.no_token));
    let headers = request.headers();
    let user = if headers.contains_key(header::AUTHORIZATION) {
        let hash = hash(&bearer(headers).ok_or_else(refused)?);
        let user = app.store.user_by_token(hash).await?.ok_or_else(refused)?;
        app.store.touch_token(hash, (app.clock)()).await?;
        user.id
    } else {
        find(&app, headers).await?.ok_or_else(refused)?.id()
    };
    let caller = Caller { user, words: accepted(headers), now: (app.clock)() };
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

fn bearer(headers: &HeaderMap) -> Option<Secret> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(|token| Secret::new(token.trim()))
}

/// For machines: an administrator's token, made with `wellread user token`.
pub(crate) async fn require_token(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let token = bearer(request.headers());
    let refused = || Problem::new(StatusCode::UNAUTHORIZED, |w| (w.problem.token_title, w.problem.token));
    let hash = hash(&token.ok_or_else(refused)?);
    if !app.store.user_by_token(hash).await?.is_some_and(|user| user.is_admin) {
        return Err(refused());
    }
    app.store.touch_token(hash, (app.clock)()).await?;
    Ok(next.run(request).await)
}

/// The visitor behind a session cookie, if it stands for anybody.
pub(crate) async fn find(app: &App, headers: &HeaderMap) -> Result<Option<Visitor>, Problem> {
    let Some(token) = cookie(headers, COOKIE) else { return Ok(None) };
    let now = (app.clock)();
    let Some((session, account)) = app.store.session(hash(&token), now).await? else { return Ok(None) };
    if now.since(session.last_seen_at) >= TOUCH_EVERY {
        app.store.touch_session(session.id, now, now.saturating_add(SESSION_FOR)).await?;
    }
    Ok(Some(Visitor::new(account, session.id, now, headers)))
}

/// A page leads to the login and back; everything else hears that nothing was done.
fn turned_away(app: &App, request: &Request) -> Response {
    let looks = matches!(*request.method(), Method::GET | Method::HEAD);
    if !looks || !wants_page(request.headers()) {
        return Problem::of_status(StatusCode::UNAUTHORIZED).into_response();
    }
    login::detour(app, request.uri())
}

pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).is_none_or(|accept| {
        accept.to_str().is_ok_and(|accept| accept.contains("text/html") || accept.contains("*/*"))
    }) && !wants_json(headers)
}

pub(crate) fn wants_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.starts_with("application/json"))
}

fn accepted(headers: &HeaderMap) -> &'static Words {
    Words::accepted(headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()))
}

/// The value of one cookie; the first when a name comes twice.
pub(crate) fn cookie(headers: &HeaderMap, name: &str) -> Option<Secret> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| Secret::new(value))
}

/// A new session's token, for the cookie and nowhere else.
pub(crate) fn new_token() -> Secret {
    let mut text = String::with_capacity(64);
    for byte in rand::random::<[u8; 32]>() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    Secret::new(text)
}

pub(crate) fn hash(token: &Secret) -> [u8; 32] {
    Sha256::digest(token.reveal().as_bytes()).into()
}

/// `Set-Cookie` for a session, or for its end when `token` is none.
pub(crate) fn session_cookie(app: &App, token: Option<&Secret>, is_https: bool) -> Option<HeaderValue> {
    let path = app.base_path.join("/");
    let secure = if is_https { "; Secure" } else { "" };
    let (value, age) = match token {
        Some(token) => (token.reveal(), SESSION_FOR.as_secs()),
        None => ("", 0),
    };
    let text = format!("{COOKIE}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Lax{secure}");
    let mut header = HeaderValue::from_str(&text).ok()?;
    header.set_sensitive(true);
    Some(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others_and_forged_ones_are_just_unknown() {
        let mut headers = HeaderMap::new();
        headers.append(
            header::COOKIE,
            HeaderValue::from_static("a=b; wellread-session=tok; wellread-session=x"),
        );
        headers.append(header::COOKIE, HeaderValue::from_static("=; ;;"));
        assert_eq!(cookie(&headers, COOKIE).map(|t| t.reveal().to_owned()).as_deref(), Some("tok"));
        assert!(cookie(&headers, "other").is_none());
    }

    #[test]
    fn a2_two_tokens_are_never_the_same_and_only_the_hash_is_shown_around() {
        let (one, two) = (new_token(), new_token());
        assert_ne!(one.reveal(), two.reveal());
        assert_eq!(one.reveal().len(), 64);
        assert!(!format!("{one:?}").contains(one.reveal()));
        assert_ne!(hash(&one), hash(&two));
    }
}
