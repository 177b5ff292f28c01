//! The front page: how to set up while nobody has, afterwards the person's start page.

use crate::App;
use crate::own_path::OwnPath;
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::visitor::{self, Speaks};
use crate::words::Words;
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use std::sync::Arc;

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Speaks(w): Speaks,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(visitor) = visitor::find(&app, &headers).await? {
        let start = format!("/{}", visitor.likes().start.name());
        return Ok(OwnPath::parse(&app.base_path, &start).redirect());
    }
    if app.store.first_admin_exists().await? {
        return Ok(OwnPath::parse(&app.base_path, "/login").redirect());
    }
    Ok(render(StatusCode::OK, &Unset { frame: &Frame::new(&app.base_path, w), w }))
}

#[derive(Template)]
#[template(path = "unset.html")]
struct Unset<'a> {
    frame: &'a Frame,
    w: &'static Words,
}
