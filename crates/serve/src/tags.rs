//! `/tags`: a person's own tags, counted, renamed, merged and removed.

use crate::App;
use crate::list::Place;
use crate::own_path::OwnPath;
use crate::page::render;
use crate::problem::Problem;
use crate::said;
use crate::shell::{Here, Library, Shell};
use crate::visitor::{Visitor, wants_json};
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use serde::Deserialize;
use std::sync::Arc;
use store::{Retagged, UndoToken};

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    /// What the form before did, and to which tag.
    #[serde(default)]
    said: String,
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
    /// Takes it back, for its owner only.
    undo: Option<i64>,
}

/// What the form before did, in a sentence, and what takes it back.
struct Told {
    sentence: String,
    undo: Option<i64>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let t = &visitor.words.tags;
    let text = match asked.said.as_str() {
        "renamed" => Some(t.renamed),
        "merged" => Some(t.merged),
        "removed" => Some(t.removed),
        _ => None,
    };
    let said = text.map(|text| Told {
        sentence: fill(text, &[("from", &asked.from), ("to", &asked.to)]),
        undo: asked.undo,
    });
    page(&app, &visitor, &headers, StatusCode::OK, said, None).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct Rename {
    tag: String,
    #[serde(default)]
    to: String,
}

/// A name that exists takes the items in.
pub(crate) async fn rename(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Rename>,
) -> Result<Response, Problem> {
    let to = form.to.trim();
    let chars_max = app.limits.tag_chars_max;
    if to.is_empty() || to.chars().count() > chars_max || to.contains([',', '\0']) {
        let sentence =
            visitor.words.count(visitor.words.tags.name_wrong, u64::try_from(chars_max).unwrap_or(0));
        if wants_json(&headers) {
            return Ok(said::refused(serde_json::json!({ "error": sentence })));
        }
        return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, None, Some(sentence)).await;
    }
    let tags = app.store.tags(visitor.id()).await?;
    let exists = |name: &str| tags.iter().any(|one| one.tag == name);
    if !exists(&form.tag) {
        return Err(Problem::not_found());
    }
    let said = if exists(to) { "merged" } else { "renamed" };
    let done = app.store.rename_tag(visitor.id(), &form.tag, to, visitor.now()).await?;
    Ok(answer(&app, &headers, said, &form.tag, to, &done))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Remove {
    tag: String,
}

pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Remove>,
) -> Result<Response, Problem> {
    let done = app.store.remove_tag(visitor.id(), &form.tag, visitor.now()).await?;
    if done.items == 0 {
        return Err(Problem::not_found());
    }
    Ok(answer(&app, &headers, "removed", &form.tag, "", &done))
}

fn answer(app: &App, headers: &HeaderMap, said: &str, from: &str, to: &str, done: &Retagged) -> Response {
    let undo = done.undo.map(|UndoToken(undo)| undo);
    if wants_json(headers) {
        return Json(serde_json::json!({ "ok": true, "undo": undo })).into_response();
    }
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("said", said).append_pair("from", from).append_pair("to", to);
    if let Some(undo) = undo {
        query.append_pair("undo", &undo.to_string());
    }
    let query = query.finish();
    OwnPath::parse(&app.base_path, &format!("/tags?{query}")).redirect()
}

struct Row {
    tag: String,
    href: String,
    items: String,
    /// Of the most used tag, in 64ths of the bar.
    bar: u64,
    rename_label: String,
    remove_label: String,
}

async fn page(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    status: StatusCode,
    said: Option<Told>,
    wrong: Option<String>,
) -> Result<Response, Problem> {
    const BAR: u64 = 64;
    let library = Library::load(app, visitor).await?;
    let shell = Shell::load(app, visitor, headers, &library, Here::Tags).await?;
    let mut tags = app.store.tags(visitor.id()).await?;
    tags.sort_by(|a, b| b.items.cmp(&a.items).then_with(|| a.tag.cmp(&b.tag)));
    let (w, t) = (visitor.words, &visitor.words.tags);
    let most = tags.iter().map(|one| one.items).max().unwrap_or(1).max(1);
    let all: u64 = tags.iter().map(|one| one.items).sum();
    let lede =
        fill(t.lede, &[("tags", &w.count(t.n_tags, tags.len() as u64)), ("items", &w.count(t.n_marks, all))]);
    let row = |one: store::TagCount| Row {
        href: format!("{}/{}", app.base_path, Place::Tag(one.tag.clone())),
        items: w.number(one.items),
        bar: one.items.saturating_mul(BAR).checked_div(most).unwrap_or(0).max(1),
        rename_label: fill(t.rename_label, &[("tag", &one.tag)]),
        remove_label: fill(t.remove_label, &[("tag", &one.tag)]),
        tag: one.tag,
    };
    let page = TagsPage { rows: tags.into_iter().map(row).collect(), shell: &shell, w, lede, said, wrong };
    Ok(render(status, &page))
}

#[derive(Template)]
#[template(path = "tags.html")]
struct TagsPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    lede: String,
    rows: Vec<Row>,
    said: Option<Told>,
    wrong: Option<String>,
}
