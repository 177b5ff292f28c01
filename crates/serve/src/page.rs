//! Templates become answers here.

use crate::assets;
use crate::base_path::BasePath;
use crate::problem::Problem;
use crate::words::Words;
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What every page shows around its text.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Before every link.
    pub base: BasePath,
    /// Changes with any of our files, so that browsers may keep them for ever.
    pub version: &'static str,
    pub w: &'static Words,
}

impl Frame {
    pub(crate) fn new(base: &BasePath, w: &'static Words) -> Self {
        Frame { base: base.clone(), version: assets::version(), w }
    }
}

/// Renders a page, or reports a broken template as a problem.
pub(crate) fn render(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => html(status, text),
        Err(error) => Problem::broken(&error).into_response(),
    }
}

pub(crate) fn html(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))], text)
        .into_response()
}

/// Splits a sentence at its backticks into text and code, as [`ProblemPage`] shows it.
pub(crate) fn with_code(sentence: &str) -> Vec<(bool, &str)> {
    sentence.split('`').enumerate().map(|(place, part)| (place % 2 == 1, part)).collect()
}

#[derive(Template)]
#[template(path = "problem.html")]
pub(crate) struct ProblemPage<'a> {
    pub frame: &'a Frame,
    pub w: &'static Words,
    pub title: &'a str,
    /// Parts of the sentence; the marked ones are code.
    pub sentence: Vec<(bool, &'a str)>,
    /// Shown when the log has more to say than the page.
    pub request: Option<&'a str>,
}
