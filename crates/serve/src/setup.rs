//! The one-time set-up: whoever can read the terminal makes the first account (O12).
//!
//! There is no default password and no open door: the page needs a token that exists only in this process and its
//! terminal, and it closes for good when the first admin exists.

use crate::page::{Frame, render};
use crate::password::{self, PasswordError};
use crate::polling::Polling;
use crate::problem::Problem;
use crate::{App, BasePath, account, words};
use askama::Template;
use axum::Form;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{FeedId, Secret};
use serde::Deserialize;
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::sync::Arc;
use store::{Store, StoreError};
use subtle::ConstantTimeEq;
use tokio::sync::Mutex;

/// Proof of having read the terminal: 192 random bits, new with each start, never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct SetupToken(Secret);

impl SetupToken {
    pub fn random() -> Self {
        let mut text = String::new();
        for byte in rand::random::<[u8; 24]>() {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        SetupToken(Secret::new(text))
    }

    /// For the terminal and nowhere else. `origin` is like `http://127.0.0.1:7323`.
    pub fn link(&self, origin: &str, base_path: &BasePath) -> String {
        format!("{}{base_path}/setup?token={}", origin.trim_end_matches('/'), self.0.reveal())
    }

    /// Takes as long for a nearly right token as for a wrong one.
    fn is(&self, given: &str) -> bool {
        self.0.reveal().as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl fmt::Debug for SetupToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SetupToken(***)")
    }
}

pub(crate) async fn form(
    State(app): State<Arc<App>>,
    Query(given): Query<Given>,
) -> Result<Response, Problem> {
    admit(&app, &given.token).await?;
    Ok(form_page(&app, StatusCode::OK, &given.token, "", &Refused::default()))
}

pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Form(entered): Form<Entered>,
) -> Result<Response, Problem> {
    admit(&app, &entered.token).await?;
    let password = Secret::new(entered.password);
    let mut refused = Refused::default();
    let name = account::checked_name(&entered.name).unwrap_or_else(|sentence| {
        refused.name = Some(sentence);
        String::new()
    });
    refused.password = password::check(&password).err();
    if refused.password.is_none() && password.reveal() != entered.again {
        refused.again = Some(words::PASSWORD_DIFFERS);
    }
    if refused.count() == 0 {
        match add_first_admin(&app, &name, password).await? {
            Added::Yes => return Ok(welcome(&app, &name).await),
            Added::NameTaken => refused.name = Some(words::NAME_TAKEN),
        }
    }
    Ok(form_page(&app, StatusCode::UNPROCESSABLE_ENTITY, &entered.token, &entered.name, &refused))
}

#[derive(Deserialize)]
pub(crate) struct Given {
    #[serde(default)]
    token: String,
}

/// The form as it arrived. It has no `Debug`, so that a password cannot be printed by accident.
#[derive(Deserialize)]
pub(crate) struct Entered {
    #[serde(default)]
    token: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    again: String,
}

/// A sentence for each field that needs a change.
#[derive(Default)]
struct Refused {
    name: Option<&'static str>,
    password: Option<&'static str>,
    again: Option<&'static str>,
}

impl Refused {
    fn count(&self) -> usize {
        [self.name, self.password, self.again].iter().flatten().count()
    }
}

enum Added {
    Yes,
    NameTaken,
}

/// Lets nobody in when an admin exists, and only the holder of the token before.
async fn admit(app: &App, token: &str) -> Result<(), Problem> {
    if app.store.first_admin_exists().await? {
        Err(closed())
    } else if !app.setup.is(token) {
        Err(Problem::new(StatusCode::FORBIDDEN, words::LINK_WRONG_TITLE, words::LINK_WRONG))
    } else {
        Ok(())
    }
}

fn closed() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, words::CLOSED_TITLE, words::CLOSED)
}

/// Two forms sent at the same moment still make one admin: the second finds, inside the turn, that one exists.
async fn add_first_admin(app: &App, name: &str, password: Secret) -> Result<Added, Problem> {
    static TURN: Mutex<()> = Mutex::const_new(());
    let hash =
        password::hash_in_turn(password).await.map_err(|error: PasswordError| Problem::broken(&error))?;
    let _turn = TURN.lock().await;
    if app.store.first_admin_exists().await? {
        return Err(closed());
    }
    match app.store.add_user(name, Some(&hash), true, (app.clock)()).await {
        Ok(user) => {
            tracing::info!(user.id = %user, "the first admin was made; set-up is closed");
            Ok(Added::Yes)
        }
        Err(StoreError::Conflict { .. }) => Ok(Added::NameTaken),
        Err(error) => Err(error.into()),
    }
}

fn form_page(app: &App, status: StatusCode, token: &str, name: &str, refused: &Refused) -> Response {
    let frame = Frame::new(&app.base_path);
    let mut response = render(status, &SetupPage { frame: &frame, token, name, refused });
    // With `no-referrer` browsers send `Origin: null` even to ourselves, and on plain HTTP, where there is no
    // `Sec-Fetch-Site`, our own form would look like a stranger's. Other sites still learn nothing.
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response.into_response()
}

/// The account exists by now, so what the store cannot tell is left out rather than reported as a failure.
async fn welcome(app: &App, name: &str) -> Response {
    let frame = Frame::new(&app.base_path);
    let polling = Polling::of(&app.store, (app.clock)()).await.ok();
    let feeds = feed_count(&app.store).await.ok();
    let user = user_flag(name);
    render(StatusCode::OK, &Welcome { frame: &frame, name, user: &user, feeds, polling })
}

/// Accounts made in the terminal before may already follow feeds.
async fn feed_count(store: &Store) -> store::Result<usize> {
    let mut feeds: HashSet<FeedId> = HashSet::new();
    for user in store.users().await? {
        feeds.extend(store.subscriptions(user.id).await?.iter().map(|subscribed| subscribed.feed.id));
    }
    Ok(feeds.len())
}

/// `--user NAME` such that a shell passes the name on as it is.
fn user_flag(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let word = if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    };
    // A name that begins like a flag must be tied to its own.
    if name.starts_with('-') { format!("--user={word}") } else { format!("--user {word}") }
}

#[derive(Template)]
#[template(path = "setup.html")]
struct SetupPage<'a> {
    frame: &'a Frame,
    token: &'a str,
    name: &'a str,
    refused: &'a Refused,
}

#[derive(Template)]
#[template(path = "welcome.html")]
struct Welcome<'a> {
    frame: &'a Frame,
    name: &'a str,
    user: &'a str,
    feeds: Option<usize>,
    polling: Option<Polling>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o12_a_set_up_token_is_long_random_and_never_printed_by_accident() {
        let (one, two) = (SetupToken::random(), SetupToken::random());
        assert_ne!(one.0.reveal(), two.0.reveal());
        assert_eq!(one.0.reveal().len(), 48);
        assert!(!format!("{one:?}").contains(one.0.reveal()));
        let text = one.0.reveal().to_owned();
        assert!(one.is(&text));
        for wrong in ["", &text[1..], &format!("{text}0"), two.0.reveal()] {
            assert!(!one.is(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn the_set_up_link_lies_under_the_base_path() {
        let token = SetupToken(Secret::new("t0k3n"));
        let base = BasePath::parse("/reader").expect("a base path");
        assert_eq!(
            token.link("http://127.0.0.1:7323/", &base),
            "http://127.0.0.1:7323/reader/setup?token=t0k3n"
        );
    }

    #[test]
    fn a_name_in_a_command_to_copy_is_quoted_for_the_shell() {
        let check = |name: &str, expected: &str| assert_eq!(user_flag(name), expected);
        check("mira", "--user mira");
        check("美良", "--user 美良");
        check("Mira O'Neil; reboot", r"--user 'Mira O'\''Neil; reboot'");
        check("$(reboot)", "--user '$(reboot)'");
        check("-rf", "--user=-rf");
    }
}
