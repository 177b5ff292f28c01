//! The front page: how to set up while nobody has, afterwards how the server is.

use crate::App;
use crate::page::{Frame, render};
use crate::polling::Polling;
use crate::problem::Problem;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::Arc;

pub(crate) async fn show(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let frame = Frame::new(&app.base_path);
    if !app.store.first_admin_exists().await? {
        return Ok(render(StatusCode::OK, &Unset { frame: &frame }));
    }
    let polling = Polling::of(&app.store, (app.clock)()).await?;
    Ok(render(StatusCode::OK, &Home { frame: &frame, version: &app.version, polling }))
}

#[derive(Template)]
#[template(path = "unset.html")]
struct Unset<'a> {
    frame: &'a Frame,
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    frame: &'a Frame,
    version: &'a str,
    polling: Polling,
}
