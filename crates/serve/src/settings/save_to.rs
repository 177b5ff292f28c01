//! Where items can be sent to: services elsewhere that take a link in their address.

use super::{Told, Wrong, page};
use crate::App;
use crate::own_path::OwnPath;
use crate::problem::Problem;
use crate::visitor::{Visitor, wants_json};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use domain::preferences::{SAVE_TO_MAX, SaveTo};
use serde::Deserialize;
use std::sync::Arc;

/// Services whose address need not be looked up: it is enough to name them.
pub(crate) const KNOWN: &[(&str, &str)] = &[
    ("Instapaper", "https://www.instapaper.com/edit?url={url}&title={title}"),
    ("Pinboard", "https://pinboard.in/add?url={url}&title={title}"),
    ("Raindrop.io", "https://app.raindrop.io/add?link={url}&title={title}"),
    ("Readwise Reader", "https://wise.readwise.io/save?url={url}"),
];

#[derive(Debug, Deserialize)]
pub(crate) struct Added {
    name: String,
    #[serde(default)]
    address: String,
}

/// One of the same name is replaced.
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Added>,
) -> Result<Response, Problem> {
    let known = KNOWN.iter().find(|(name, _)| name.eq_ignore_ascii_case(form.name.trim()));
    let service = match known {
        Some((name, address)) if form.address.trim().is_empty() => SaveTo::new(name, address),
        _ => SaveTo::new(&form.name, &form.address),
    };
    let mut likes = visitor.likes().clone();
    let s = &visitor.words.settings;
    let refused = match &service {
        None => Some(s.save_to_wrong.to_owned()),
        Some(service) => {
            likes.save_to.retain(|one| one.name != service.name);
            (likes.save_to.len() >= SAVE_TO_MAX)
                .then(|| visitor.words.count(s.save_to_many, u64::try_from(SAVE_TO_MAX).unwrap_or(0)))
        }
    };
    if refused.is_some() {
        let told = Told::wrong(Wrong { save_to: refused, ..Wrong::default() });
        return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, told).await;
    }
    likes.save_to.extend(service);
    save(&app, &visitor, &headers, &likes).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct Gone {
    name: String,
}

pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Gone>,
) -> Result<Response, Problem> {
    let mut likes = visitor.likes().clone();
    likes.save_to.retain(|one| one.name != form.name);
    save(&app, &visitor, &headers, &likes).await
}

async fn save(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    likes: &domain::Preferences,
) -> Result<Response, Problem> {
    app.store.set_preferences(visitor.id(), likes).await?;
    if wants_json(headers) {
        return Ok(Json(serde_json::json!({ "ok": true })).into_response());
    }
    Ok(OwnPath::parse(&app.base_path, "/settings?said=saved#save-to").redirect())
}
