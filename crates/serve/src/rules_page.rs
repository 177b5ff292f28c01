//! `/rules`: a person's standing orders, in the order they apply, and the forms to make, try and change them.

mod draft;
mod form;
mod trial;

pub(crate) use form::{edit, new, save_edited, save_new, try_out};

use crate::App;
use crate::own_path::OwnPath;
use crate::page::render;
use crate::problem::Problem;
use crate::rule_words;
use crate::shell::{Here, Library, Shell};
use crate::visitor::{Visitor, wants_json};
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use domain::{RuleId, RuleOrder};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    #[serde(default)]
    said: String,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let r = &visitor.words.rules;
    let said = match asked.said.as_str() {
        "saved" => Some(r.saved.to_owned()),
        "restored" => Some(r.restored.to_owned()),
        _ => None,
    };
    page(&app, &visitor, &headers, said.map(Said::plain)).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct Switch {
    on: bool,
}

pub(crate) async fn switch(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
    Form(form): Form<Switch>,
) -> Result<Response, Problem> {
    app.store.enable_rule(visitor.id(), RuleId(id), form.on).await?;
    Ok(done(&app, &headers, "/rules"))
}

/// Removes a rule and offers to put it back: the page that says so holds what the rule said.
pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    let rules = app.store.rules(visitor.id()).await?;
    let rule = rules.into_iter().find(|rule| rule.id == RuleId(id)).ok_or_else(Problem::not_found)?;
    app.store.remove_rule(visitor.id(), rule.id).await?;
    if wants_json(&headers) {
        return Ok(Json(serde_json::json!({ "ok": true })).into_response());
    }
    let library = Library::load(&app, &visitor).await?;
    let name = rule_words::name(&rule.order, &library, visitor.words);
    let text = fill(visitor.words.rules.removed, &[("rule", &name)]);
    // Plain values always serialise.
    let order = serde_json::to_string(&rule.order).unwrap_or_default();
    let undo = Undo {
        action: format!("{}/rules/restore", app.base_path),
        name: "order",
        value: order,
        tag: String::new(),
    };
    page(&app, &visitor, &headers, Some(Said { text, undo: Some(undo) })).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct Restore {
    order: String,
}

/// Takes a removal back. What arrives is checked like anything typed.
pub(crate) async fn restore(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Restore>,
) -> Result<Response, Problem> {
    let order: RuleOrder = serde_json::from_str(&form.order).map_err(|_| Problem::bad_form())?;
    let library = Library::load(&app, &visitor).await?;
    if !draft::is_own(order.scope, &library) || trial::check(&app, order.clone()).await?.is_err() {
        return Err(Problem::bad_form());
    }
    app.store.add_rule(visitor.id(), &order, visitor.now()).await?;
    Ok(done(&app, &headers, "/rules?said=restored"))
}

fn done(app: &App, headers: &HeaderMap, back: &str) -> Response {
    if wants_json(headers) {
        Json(serde_json::json!({ "ok": true })).into_response()
    } else {
        OwnPath::parse(&app.base_path, back).redirect()
    }
}

/// What the form before did, and the way back.
struct Said {
    text: String,
    undo: Option<Undo>,
}

struct Undo {
    action: String,
    name: &'static str,
    value: String,
    /// For taking tags off again; empty otherwise.
    tag: String,
}

impl Said {
    fn plain(text: String) -> Said {
        Said { text, undo: None }
    }
}

struct Row {
    id: RuleId,
    name: String,
    enabled: bool,
    notice: Option<String>,
    switch_label: String,
    edit_label: String,
    remove_label: String,
}

async fn page(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    said: Option<Said>,
) -> Result<Response, Problem> {
    let library = Library::load(app, visitor).await?;
    let shell = Shell::load(app, visitor, headers, &library, Here::Rules).await?;
    let (w, r) = (visitor.words, &visitor.words.rules);
    let row = |rule: domain::Rule| {
        let name = rule_words::name(&rule.order, &library, w);
        let label = |text: &str| fill(text, &[("rule", &name)]);
        Row {
            id: rule.id,
            enabled: rule.enabled,
            notice: rule.notice.map(|why| fill(r.switched_off, &[("why", &w.told(&why))])),
            switch_label: label(if rule.enabled { r.turn_off_label } else { r.turn_on_label }),
            edit_label: label(r.edit_label),
            remove_label: label(r.remove_label),
            name,
        }
    };
    let rows = app.store.rules(visitor.id()).await?.into_iter().map(row).collect();
    Ok(render(StatusCode::OK, &RulesPage { shell: &shell, w, rows, said }))
}

#[derive(Template)]
#[template(path = "rules.html")]
struct RulesPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    rows: Vec<Row>,
    said: Option<Said>,
}
