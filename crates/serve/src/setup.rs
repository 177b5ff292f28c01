//! The one-time set-up: whoever can read the terminal makes the first account (O12).
//!
//! There is no default password and no open door: the page needs a token that exists only in this process and its
//! terminal, and it closes for good when the first admin exists.

use crate::account::BadName;
use crate::client::Client;
use crate::own_path::OwnPath;
use crate::page::{Frame, render};
use crate::password::{self, BadPassword, PasswordError};
use crate::problem::Problem;
use crate::visitor::Speaks;
use crate::words::Words;
use crate::{App, BasePath, account, login};
use askama::Template;
use axum::Form;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::{Secret, User};
use serde::Deserialize;
use std::fmt::{self, Write};
use std::sync::Arc;
use store::StoreError;
use subtle::ConstantTimeEq;

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
    Speaks(words): Speaks,
    Query(given): Query<Given>,
) -> Result<Response, Problem> {
    admit(&app, &given.token).await?;
    Ok(form_page(&app, words, StatusCode::OK, &given.token, "", &Refused::default()))
}

pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Speaks(words): Speaks,
    client: Client,
    headers: HeaderMap,
    Form(entered): Form<Entered>,
) -> Result<Response, Problem> {
    admit(&app, &entered.token).await?;
    let password = Secret::new(entered.password);
    let mut refused = Refused::default();
    let name = account::checked_name(&entered.name).unwrap_or_else(|bad: BadName| {
        refused.name = Some(bad.sentence(words));
        String::new()
    });
    refused.password = password::check(&password).err().map(|bad: BadPassword| bad.sentence(words));
    if refused.password.is_none() && password.reveal() != entered.again {
        refused.again = Some(words.entry.password_differs);
    }
    if refused.count() == 0 {
        match add_first_admin(&app, &name, password).await? {
            Some(user) => {
                login::keep_zone(&app, &user, &entered.zone).await?;
                let welcome = OwnPath::parse(&app.base_path, "/welcome").redirect();
                return login::admit(&app, &user, &client, &headers, welcome).await;
            }
            None => refused.name = Some(words.entry.name_taken),
        }
    }
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    Ok(form_page(&app, words, status, &entered.token, &entered.name, &refused))
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
    /// The browser's time zone, if a script could tell.
    #[serde(default)]
    zone: String,
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

/// Lets nobody in when an admin exists, and only the holder of the token before.
async fn admit(app: &App, token: &str) -> Result<(), Problem> {
    if app.store.first_admin_exists().await? {
        Err(closed())
    } else if !app.setup.is(token) {
        Err(Problem::new(StatusCode::FORBIDDEN, |w| (w.problem.link_wrong_title, w.problem.link_wrong)))
    } else {
        Ok(())
    }
}

fn closed() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, |w| (w.problem.closed_title, w.problem.closed))
}

/// Two forms sent at the same moment, even to two nodes, still make one admin: the store sees to it. None when the
/// name is taken.
async fn add_first_admin(app: &App, name: &str, password: Secret) -> Result<Option<User>, Problem> {
    let hash =
        password::hash_in_turn(password).await.map_err(|error: PasswordError| Problem::broken(&error))?;
    let now = (app.clock)();
    match app.store.add_first_admin(name, &hash, now).await {
        Ok(Some(id)) => {
            tracing::info!(user.id = %id, "the first admin was made; set-up is closed");
            Ok(Some(User { id, name: name.to_owned(), is_admin: true, created_at: now }))
        }
        Ok(None) => Err(closed()),
        Err(StoreError::Conflict { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn form_page(
    app: &App,
    w: &'static Words,
    status: StatusCode,
    token: &str,
    name: &str,
    refused: &Refused,
) -> Response {
    let frame = Frame::new(&app.base_path, w);
    let count = refused.count();
    let refusal = w.count(w.entry.fields_wrong, u64::try_from(count).unwrap_or(u64::MAX));
    render(status, &SetupPage { frame: &frame, w, token, name, refused, refusal })
}

#[derive(Template)]
#[template(path = "setup.html")]
struct SetupPage<'a> {
    frame: &'a Frame,
    w: &'static Words,
    token: &'a str,
    name: &'a str,
    refused: &'a Refused,
    refusal: String,
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
}
