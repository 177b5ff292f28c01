//! What went wrong with a request, in words for the person and a cause for the log.
//!
//! Handlers and layers answer with a [`Problem`]; the outermost layer turns it into a page, because only that layer
//! also sees what the framework itself refuses. The cause never reaches the page.

use crate::words;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::error::Error;
use std::fmt::Write;
use store::StoreError;

#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub status: StatusCode,
    pub title: &'static str,
    pub sentence: &'static str,
    /// For the log only.
    pub cause: Option<String>,
}

impl Problem {
    pub(crate) const fn new(status: StatusCode, title: &'static str, sentence: &'static str) -> Self {
        Problem { status, title, sentence, cause: None }
    }

    /// What to say about an answer that came without words.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let (title, sentence) = match status {
            StatusCode::NOT_FOUND => (words::NOT_FOUND_TITLE, words::NOT_FOUND),
            StatusCode::METHOD_NOT_ALLOWED => (words::METHOD_TITLE, words::METHOD),
            StatusCode::PAYLOAD_TOO_LARGE => (words::LARGE_TITLE, words::LARGE),
            StatusCode::BAD_REQUEST
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
            | StatusCode::UNPROCESSABLE_ENTITY => (words::FORM_TITLE, words::FORM),
            StatusCode::REQUEST_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE => (words::SLOW_TITLE, words::SLOW),
            status if status.is_server_error() => (words::BROKEN_TITLE, words::BROKEN),
            _ => (words::ODD_TITLE, words::ODD),
        };
        Problem::new(status, title, sentence)
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
        let (status, title, sentence) = if error.is_full() {
            (StatusCode::INSUFFICIENT_STORAGE, words::FULL_TITLE, words::FULL)
        } else if matches!(error, StoreError::Unavailable { .. }) {
            (StatusCode::SERVICE_UNAVAILABLE, words::STORE_TITLE, words::STORE)
        } else {
            (StatusCode::INTERNAL_SERVER_ERROR, words::BROKEN_TITLE, words::BROKEN)
        };
        Problem { cause: Some(chain(&error)), ..Problem::new(status, title, sentence) }
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
