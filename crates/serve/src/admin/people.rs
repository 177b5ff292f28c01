//! Accounts, as an administrator sees and changes them. The last administrator is safe from everybody.

use super::{PersonRow, Told, page};
use crate::client::Client;
use crate::own_path::OwnPath;
use crate::problem::Problem;
use crate::visitor::Visitor;
use crate::words::fill;
use crate::{App, account, join, password};
use axum::Form;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use domain::{Secret, User, UserId};
use serde::Deserialize;
use std::sync::Arc;
use store::StoreError;

pub(super) async fn rows(app: &App, visitor: &Visitor) -> Result<Vec<PersonRow>, Problem> {
    let (w, a) = (visitor.words, &visitor.words.admin);
    let mut rows = Vec::new();
    for one in app.store.user_overview().await? {
        let user = one.account.user;
        rows.push(PersonRow {
            is_invited: join::is_open(app, user.id, visitor.now()).await?,
            feeds: w.number(one.subscriptions),
            unread: w.number(one.unread),
            sessions: w.number(one.sessions),
            last_seen: one.last_seen_at.map(|at| visitor.clock.ago(at)),
            is_admin: user.is_admin,
            is_disabled: one.account.disabled,
            is_you: user.id == visitor.id(),
            change_label: fill(a.change_label, &[("name", &user.name)]),
            remove_hint: fill(a.remove_hint, &[("name", &user.name)]),
            id: user.id,
            name: user.name,
        });
    }
    Ok(rows)
}

/// The form as it arrived. It has no `Debug`, so that a password cannot be printed by accident.
#[derive(Deserialize)]
pub(crate) struct NewPerson {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    admin: Option<String>,
}

pub(crate) async fn add(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    client: Client,
    headers: HeaderMap,
    Form(form): Form<NewPerson>,
) -> Result<Response, Problem> {
    let w = visitor.words;
    let mut told = Told::default();
    let name = account::checked_name(&form.name).unwrap_or_else(|bad| {
        told.name = Some(bad.sentence(w).to_owned());
        String::new()
    });
    let password = Some(Secret::new(form.password)).filter(|password| !password.reveal().is_empty());
    told.password =
        password.as_ref().and_then(|text| password::check(text).err()).map(|bad| bad.sentence(w).to_owned());
    if told.name.is_some() || told.password.is_some() {
        return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, told).await;
    }
    let hash = match password {
        Some(password) => {
            Some(password::hash_in_turn(password).await.map_err(|error| Problem::broken(&error))?)
        }
        None => None,
    };
    let added = app.store.add_user(&name, hash.as_deref(), form.admin.is_some(), visitor.now()).await;
    let user = match added {
        Ok(user) => user,
        Err(StoreError::Conflict { .. }) => {
            told.name = Some(w.settings.name_taken.to_owned());
            return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, told).await;
        }
        Err(error) => return Err(error.into()),
    };
    tracing::info!(by = %visitor.id(), user.id = %user, "an administrator added somebody");
    if hash.is_some() {
        return Ok(OwnPath::parse(&app.base_path, "/admin?said=added").redirect());
    }
    told.link = Some(link(&app, &visitor, &client, &headers, user, &name).await?);
    page(&app, &visitor, &headers, StatusCode::OK, told).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    /// `admin`, `reader`, `disable`, `enable`, `link` or `remove`.
    #[serde(rename = "do")]
    what: String,
    /// For removing: the name, typed.
    #[serde(default)]
    name: String,
}

pub(crate) async fn change(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    client: Client,
    headers: HeaderMap,
    Path(id): Path<i64>,
    Form(form): Form<Change>,
) -> Result<Response, Problem> {
    let (id, a) = (UserId(id), &visitor.words.admin);
    let account = app.store.account(id).await?.ok_or_else(Problem::not_found)?;
    let user: User = account.user;
    let mut told = Told::default();
    let mut said = "saved";
    let done = match form.what.as_str() {
        "admin" => app.store.set_admin(id, true).await,
        "reader" => app.store.set_admin(id, false).await,
        "disable" => app.store.set_disabled(id, true).await,
        "enable" => app.store.set_disabled(id, false).await,
        "link" => {
            told.link = Some(link(&app, &visitor, &client, &headers, id, &user.name).await?);
            return page(&app, &visitor, &headers, StatusCode::OK, told).await;
        }
        "remove" if form.name.trim() != user.name => {
            told.wrong = Some(a.remove_wrong.to_owned());
            return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, told).await;
        }
        "remove" => {
            said = "removed";
            let removed = app.store.remove_user(id, visitor.now()).await;
            if removed.is_ok() {
                join::close(&app, id).await?;
            }
            removed
        }
        _ => return Err(Problem::bad_form()),
    };
    match done {
        Ok(()) => {}
        Err(StoreError::Conflict { .. }) => {
            told.wrong = Some(a.last_admin.to_owned());
            return page(&app, &visitor, &headers, StatusCode::CONFLICT, told).await;
        }
        Err(error) => return Err(error.into()),
    }
    if matches!(form.what.as_str(), "admin" | "reader") {
        // What somebody may do has changed, so they sign in anew (A2). Whoever did it stays.
        let keep = (id == visitor.id()).then_some(visitor.session);
        app.store.end_other_sessions(id, keep).await?;
    }
    tracing::info!(by = %visitor.id(), user.id = %id, what = ?form.what, "an administrator changed an account");
    Ok(OwnPath::parse(&app.base_path, &format!("/admin?said={said}")).redirect())
}

/// A one-time link and the sentence before it.
async fn link(
    app: &App,
    visitor: &Visitor,
    client: &Client,
    headers: &HeaderMap,
    user: UserId,
    name: &str,
) -> Result<(String, String), Problem> {
    let token = join::open(app, user, visitor.now()).await?;
    let scheme = if client.is_https { "https" } else { "http" };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let link = format!("{scheme}://{host}{}/join?token={}", app.base_path, token.reveal());
    Ok((fill(visitor.words.admin.link_for, &[("name", &name)]), link))
}
