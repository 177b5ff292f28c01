//! Name, password, devices and tokens of the person who is signed in; never anybody else's.

use super::{Told, Wrong, page};
use crate::client::Client;
use crate::own_path::OwnPath;
use crate::problem::Problem;
use crate::visitor::{self, Visitor};
use crate::{App, account, login, password};
use axum::Form;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::{Secret, SessionId};
use serde::Deserialize;
use std::sync::Arc;
use store::StoreError;

const TOKENS_MAX: usize = 50;
const LABEL_CHARS_MAX: usize = 100;

#[derive(Debug, Deserialize)]
pub(crate) struct NewName {
    #[serde(default)]
    name: String,
}

pub(crate) async fn rename(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<NewName>,
) -> Result<Response, Problem> {
    let w = visitor.words;
    let refused = match account::checked_name(&form.name) {
        Err(bad) => bad.sentence(w),
        Ok(name) => match app.store.rename_user(visitor.id(), &name).await {
            Ok(()) => return Ok(OwnPath::parse(&app.base_path, "/settings?said=name").redirect()),
            Err(StoreError::Conflict { .. }) => w.settings.name_taken,
            Err(error) => return Err(error.into()),
        },
    };
    let wrong = Wrong { name: Some(refused.to_owned()), ..Wrong::default() };
    page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, Told::wrong(wrong)).await
}

/// The form as it arrived. It has no `Debug`, so that a password cannot be printed by accident.
#[derive(Deserialize)]
pub(crate) struct NewPassword {
    #[serde(default)]
    old: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    again: String,
    /// Sent when other sessions shall end.
    others: Option<String>,
}

/// Changes the password of whoever knows the old one. The session gets a new name, too (A2).
pub(crate) async fn change_password(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    client: Client,
    headers: HeaderMap,
    Form(form): Form<NewPassword>,
) -> Result<Response, Problem> {
    let w = visitor.words;
    let new = Secret::new(form.password);
    let refused = password::check(&new).err().map(|bad| bad.sentence(w).to_owned());
    let mut wrong = Wrong { password: refused, ..Wrong::default() };
    if wrong.password.is_none() && new.reveal() != form.again {
        wrong.again = Some(w.entry.password_differs.to_owned());
    }
    if wrong.first().is_none() {
        wrong.old = knows_password(&app, &visitor, Secret::new(form.old)).await?.err();
    }
    if wrong.first().is_some() {
        return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, Told::wrong(wrong)).await;
    }
    let hash = password::hash_in_turn(new).await.map_err(|error| Problem::broken(&error))?;
    app.store.set_password(visitor.id(), &hash).await?;
    if form.others.is_some() {
        app.store.end_other_sessions(visitor.id(), Some(visitor.session)).await?;
    }
    let response = OwnPath::parse(&app.base_path, "/settings?said=password").redirect();
    login::admit(&app, &visitor.account.user, &client, &headers, response).await
}

/// Wrong tries here count like wrong tries at the door, or a stolen session could guess on (A3).
async fn knows_password(app: &App, visitor: &Visitor, old: Secret) -> Result<Result<(), String>, Problem> {
    let (w, now) = (visitor.words, visitor.now());
    let keys = [format!("name:{}", visitor.account.user.name.to_lowercase())];
    if let Some(wait) = login::wait(&app.store.login_failures(&keys, now).await?, now) {
        return Ok(Err(w.count(w.entry.sign_in_wait, wait.as_secs().max(1))));
    }
    let stored = app.store.password_hash(visitor.id()).await?;
    let verdict = password::verify_in_turn(old, stored).await.map_err(|error| Problem::broken(&error))?;
    if verdict.is_right {
        app.store.clear_login_failures(&keys).await?;
        return Ok(Ok(()));
    }
    app.store.record_login_failure(&keys, now).await?;
    Ok(Err(w.settings.old_wrong.to_owned()))
}

pub(crate) async fn end_session(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    if !app.store.end_session(visitor.id(), SessionId(id)).await? {
        return Err(Problem::not_found());
    }
    Ok(OwnPath::parse(&app.base_path, "/settings?said=ended").redirect())
}

pub(crate) async fn end_others(State(app): State<Arc<App>>, visitor: Visitor) -> Result<Response, Problem> {
    let ended = app.store.end_other_sessions(visitor.id(), Some(visitor.session)).await?;
    Ok(OwnPath::parse(&app.base_path, &format!("/settings?said=others&n={ended}")).redirect())
}

#[derive(Debug, Deserialize)]
pub(crate) struct NewToken {
    #[serde(default)]
    label: String,
}

/// Shows the token in the answer and keeps only its hash.
pub(crate) async fn add_token(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<NewToken>,
) -> Result<Response, Problem> {
    let w = visitor.words;
    let label = form.label.trim();
    let refused = if label.is_empty() || label.chars().count() > LABEL_CHARS_MAX {
        Some(w.settings.token_unnamed.to_owned())
    } else if app.store.tokens(visitor.id()).await?.len() >= TOKENS_MAX {
        Some(w.count(w.settings.token_many, TOKENS_MAX as u64))
    } else {
        None
    };
    if refused.is_some() {
        let wrong = Wrong { token: refused, ..Wrong::default() };
        return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, Told::wrong(wrong)).await;
    }
    let token = visitor::new_token();
    app.store.add_token(visitor.id(), label, visitor::hash(&token), visitor.now()).await?;
    let told = Told { token: Some(token.reveal().to_owned()), ..Told::default() };
    page(&app, &visitor, &headers, StatusCode::OK, told).await
}

pub(crate) async fn remove_token(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    if !app.store.remove_token(visitor.id(), id).await? {
        return Err(Problem::not_found());
    }
    Ok(OwnPath::parse(&app.base_path, "/settings?said=token").redirect())
}
