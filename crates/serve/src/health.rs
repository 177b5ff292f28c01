//! Answers for machines: does the process live, and can it work?

use crate::App;
use crate::layers::OwnWords;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;

/// For machines, in English.
const NOT_READY: &str = "The database does not answer; look at the log.\n";
/// A store that answers later than this is not ready.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// Says nothing about the database, so that a supervisor does not restart us for its trouble.
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

pub(crate) async fn ready(State(app): State<Arc<App>>) -> Response {
    let cause = match tokio::time::timeout(READY_WITHIN, app.store.halted()).await {
        Ok(Ok(_)) => return "ok\n".into_response(),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no answer in time".to_owned(),
    };
    tracing::warn!(?cause, "the store is not ready");
    (StatusCode::SERVICE_UNAVAILABLE, Extension(OwnWords), NOT_READY).into_response()
}
