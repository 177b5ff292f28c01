//! What went wrong with a request, in words for the person and a cause for the log.
//!
//! Handlers and layers answer with a [`Problem`]; the outermost layer turns it into a page or, for a script, into
//! JSON, because only that layer also sees what the framework itself refuses. The cause never reaches the page.

use crate::words::Words;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::error::Error;
use std::fmt::Write;
use store::StoreError;

/// Title and sentence in one language.
pub(crate) type Saying = fn(&'static Words) -> (&'static str, &'static str);

#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) say: Saying,
    /// For the log only.
    pub(crate) cause: Option<String>,
}

impl Problem {
    pub(crate) const fn new(status: StatusCode, say: Saying) -> Self {
        Problem { status, say, cause: None }
    }

    /// The same for what never was and for what belongs to somebody else (A5).
    pub(crate) fn not_found() -> Self {
        Problem::of_status(StatusCode::NOT_FOUND)
    }

    pub(crate) fn bad_form() -> Self {
        Problem::of_status(StatusCode::UNPROCESSABLE_ENTITY)
    }

    /// What to say about an answer that came without words.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let say: Saying = match status {
            StatusCode::NOT_FOUND => |w| (w.problem.not_found_title, w.problem.not_found),
            StatusCode::METHOD_NOT_ALLOWED => |w| (w.problem.method_title, w.problem.method),
            StatusCode::PAYLOAD_TOO_LARGE => |w| (w.problem.large_title, w.problem.large),
            StatusCode::UNAUTHORIZED => |w| (w.problem.sign_in_title, w.problem.sign_in),
            StatusCode::TOO_MANY_REQUESTS => |w| (w.problem.many_title, w.problem.many),
            StatusCode::BAD_REQUEST
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
            | StatusCode::UNPROCESSABLE_ENTITY => |w| (w.problem.form_title, w.problem.form),
            StatusCode::REQUEST_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE => {
                |w| (w.problem.slow_title, w.problem.slow)
            }
            status if status.is_server_error() => |w| (w.problem.broken_title, w.problem.broken),
            _ => |w| (w.problem.odd_title, w.problem.odd),
        };
        Problem::new(status, say)
    }

    pub(crate) fn broken(error: &dyn Error) -> Self {
        Problem { cause: Some(chain(error)), ..Problem::of_status(StatusCode::INTERNAL_SERVER_ERROR) }
    }

    pub(crate) fn panicked(payload: &(dyn Any + Send)) -> Self {
        let said = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("without a message");
        let cause = Some(format!("a panic: {said}"));
        Problem { cause, ..Problem::of_status(StatusCode::INTERNAL_SERVER_ERROR) }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let (status, say): (_, Saying) = if error.is_full() {
            (StatusCode::INSUFFICIENT_STORAGE, |w| (w.problem.full_title, w.problem.full))
        } else {
            match &error {
                StoreError::Unavailable { .. } => {
                    (StatusCode::SERVICE_UNAVAILABLE, |w| (w.problem.store_title, w.problem.store))
                }
                StoreError::NotFound { .. } => return Problem::not_found(),
                StoreError::Conflict { .. } => {
                    (StatusCode::CONFLICT, |w| (w.problem.conflict_title, w.problem.conflict))
                }
                _ => (StatusCode::INTERNAL_SERVER_ERROR, |w| (w.problem.broken_title, w.problem.broken)),
            }
        };
        Problem { cause: Some(chain(&error)), ..Problem::new(status, say) }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// An error with its causes, in one line.
fn chain(error: &dyn Error) -> String {
    const CAUSES_MAX: usize = 16;
    let mut text = error.to_string();
    let mut next = error.source();
    for _ in 0..CAUSES_MAX {
        let Some(cause) = next else { break };
        // Writing to a string does not fail.
        let _ = write!(text, ": {cause}");
        next = cause.source();
    }
    text
}
