//! Searches that are kept: saved, opened as a list with what is new in it, renamed, removed and brought back.

use super::asked::{Asked, Wanted, refusal};
use super::look::Look;
use super::panel::SavedView;
use super::{Spot, page};
use crate::App;
use crate::own_path::OwnPath;
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::said;
use crate::shell::Library;
use crate::visitor::{Visitor, wants_json};
use crate::words::Words;
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use domain::{ItemId, SearchId};
use search::BadQuery;
use serde::Deserialize;
use std::sync::Arc;
use store::{StoreError, UndoToken};

/// What a change came to, in one line with Undo.
pub(crate) struct Said {
    pub(crate) sentence: &'static str,
    pub(crate) undo: Option<i64>,
    pub(crate) is_bad: bool,
}

impl Said {
    pub(crate) fn read(asked: &Asked, w: &'static Words) -> Option<Said> {
        let s = &w.search;
        let said = |sentence| Some(Said { sentence, undo: None, is_bad: false });
        match asked.said.as_deref()? {
            "saved" => said(s.said_saved),
            "renamed" => said(s.said_renamed),
            "removed" => Some(Said { sentence: s.said_removed, undo: asked.undo, is_bad: false }),
            "full" => Some(Said { sentence: s.said_full, undo: None, is_bad: true }),
            _ => None,
        }
    }
}

pub(crate) async fn find(app: &App, visitor: &Visitor, id: SearchId) -> Result<store::SavedSearch, Problem> {
    let saved = app.store.saved_searches(visitor.id()).await?;
    saved.into_iter().find(|one| one.id == id).ok_or_else(Problem::not_found)
}

/// A saved search as a list, the newest first unless the address says otherwise.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let saved = find(&app, &visitor, SearchId(id)).await?;
    let library = Library::load(&app, &visitor).await?;
    let from_address = Wanted::read(&asked, &library)?;
    let wanted = Wanted {
        text: saved.query.clone(),
        newest: true,
        each: from_address.each,
        after: from_address.after,
        ..Wanted::default()
    };
    let look = Look::at(&app, &visitor, &library, &wanted).await?;
    let spot = Spot::of_saved(&app, saved);
    page(&app, &visitor, &headers, &library, &asked, &wanted, look, spot).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct SaveForm {
    query: String,
    #[serde(default)]
    name: String,
    /// Everything found up to this item has been seen.
    #[serde(default)]
    seen: i64,
    #[serde(default)]
    back: String,
}

pub(crate) async fn save(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<SaveForm>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let wanted = Wanted { text: form.query.clone(), ..Wanted::default() };
    // Kept as it is understood, so that it reads the same again.
    let query = match wanted.to_keep(&visitor, &library).map(|query| query.to_string()) {
        Ok(query) if search::Query::parse(&query, &search::Typed::default()).is_ok() => query,
        Ok(_) => return refused(&headers, &refusal(&BadQuery::TooLong, visitor.words)),
        Err(bad) => return refused(&headers, &refusal(&bad, visitor.words)),
    };
    let newest = app.store.newest_item().await?;
    let seen = if form.seen > 0 { ItemId(form.seen).min(newest) } else { newest };
    match app.store.add_saved_search(visitor.id(), form.name.trim(), &query, seen, visitor.now()).await {
        Ok(id) => Ok(answer(&app, &headers, &form.back, "saved", Some(id), None)),
        Err(StoreError::Conflict { .. }) if !wants_json(&headers) => {
            Ok(answer(&app, &headers, &form.back, "full", None, None))
        }
        Err(StoreError::Conflict { .. }) => refused(&headers, visitor.words.search.said_full),
        Err(error) => Err(error.into()),
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct RenameForm {
    name: String,
    #[serde(default)]
    back: String,
}

pub(crate) async fn rename(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
    Form(form): Form<RenameForm>,
) -> Result<Response, Problem> {
    app.store.rename_saved_search(visitor.id(), SearchId(id), form.name.trim()).await?;
    Ok(answer(&app, &headers, &form.back, "renamed", Some(SearchId(id)), None))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Back {
    #[serde(default)]
    back: String,
}

pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
    Form(form): Form<Back>,
) -> Result<Response, Problem> {
    let undo = app.store.remove_saved_search(visitor.id(), SearchId(id), visitor.now()).await?;
    let UndoToken(undo) = undo.ok_or_else(Problem::not_found)?;
    // Its own page is gone with it.
    let back = if form.back.starts_with(&format!("/saved/{id}")) { "/search" } else { &form.back };
    Ok(answer(&app, &headers, back, "removed", None, Some(undo)))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Seen {
    to: i64,
    #[serde(default)]
    back: String,
}

/// The person has looked: what was found up to this item is no longer new.
pub(crate) async fn seen(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
    Form(form): Form<Seen>,
) -> Result<Response, Problem> {
    let newest = app.store.newest_item().await?;
    app.store.seen_saved_search(visitor.id(), SearchId(id), ItemId(form.to).min(newest)).await?;
    Ok(answer(&app, &headers, &form.back, "seen", Some(SearchId(id)), None))
}

/// The list of them alone, for scripts.
pub(crate) async fn part(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(asked): Query<Back>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let saved = SavedView::load(&app, &visitor, &library, None).await?;
    let frame = Frame::new(&app.base_path, visitor.words);
    Ok(render(
        StatusCode::OK,
        &SavedPart { frame: &frame, w: visitor.words, saved: &saved, back: &asked.back },
    ))
}

/// Forms go back to where they were with one line; scripts get numbers.
fn answer(
    app: &App,
    headers: &HeaderMap,
    back: &str,
    said: &str,
    id: Option<SearchId>,
    undo: Option<i64>,
) -> Response {
    if wants_json(headers) {
        return Json(serde_json::json!({ "ok": true, "id": id, "undo": undo })).into_response();
    }
    let back = if back.is_empty() { "/search" } else { back };
    let mark = if back.contains('?') { '&' } else { '?' };
    let undo = undo.map(|undo| format!("&undo={undo}")).unwrap_or_default();
    OwnPath::parse(&app.base_path, &format!("{back}{mark}said={said}{undo}")).redirect()
}

/// Our own forms send what was searched for already; only a script can be told more than that a form is wrong.
fn refused(headers: &HeaderMap, sentence: &str) -> Result<Response, Problem> {
    if !wants_json(headers) {
        return Err(Problem::bad_form());
    }
    Ok(said::refused(serde_json::json!({ "error": sentence })))
}

#[derive(Template)]
#[template(path = "saved_part.html")]
struct SavedPart<'a> {
    frame: &'a Frame,
    w: &'static Words,
    saved: &'a [SavedView],
    back: &'a str,
}
