//! Files that are part of the binary: the stylesheet, the mark, and what robots may read.

use crate::App;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

static STYLESHEET: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(include_str!("../../../web/wellread.css"), "text/css; charset=utf-8"));
static MARK: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(include_str!("../../../web/mark.svg"), "image/svg+xml"));

/// For the link to the stylesheet.
pub(crate) fn css_version() -> &'static str {
    &STYLESHEET.version
}

pub(crate) async fn stylesheet(Query(asked): Query<Asked>, headers: HeaderMap) -> Response {
    STYLESHEET.answer(asked.v.as_deref(), &headers)
}

pub(crate) async fn favicon(Query(asked): Query<Asked>, headers: HeaderMap) -> Response {
    MARK.answer(asked.v.as_deref(), &headers)
}

/// Only the page for publishers is for robots; everything else is somebody's reading.
pub(crate) async fn robots(State(app): State<Arc<App>>) -> String {
    let base = &app.base_path;
    format!("User-agent: *\nAllow: {base}/about-fetcher\nDisallow: {base}/\n")
}

#[derive(Deserialize)]
pub(crate) struct Asked {
    v: Option<String>,
}

struct Asset {
    text: &'static str,
    kind: HeaderValue,
    /// The beginning of the content's SHA-256, in hex.
    version: String,
}

impl Asset {
    fn new(text: &'static str, kind: &'static str) -> Self {
        let mut version = String::new();
        for byte in Sha256::digest(text.as_bytes()).iter().take(8) {
            // Writing to a string does not fail.
            let _ = write!(version, "{byte:02x}");
        }
        Asset { text, kind: HeaderValue::from_static(kind), version }
    }

    /// An address with the right version never changes its content; any other is asked for again each time.
    fn answer(&self, version: Option<&str>, headers: &HeaderMap) -> Response {
        let cache = if version == Some(self.version.as_str()) {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        let tag = format!("\"{}\"", self.version);
        let caching = [(header::CACHE_CONTROL, cache), (header::ETAG, tag.as_str())];
        if is_known(headers, &tag) {
            (StatusCode::NOT_MODIFIED, caching).into_response()
        } else {
            (caching, [(header::CONTENT_TYPE, self.kind.clone())], self.text).into_response()
        }
    }
}

/// RFC 9110 §13.1.2: any tag of the list, compared weakly, or `*`.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|list| list.split(','))
        .map(str::trim)
        .any(|given| given == "*" || given.strip_prefix("W/").unwrap_or(given) == tag)
}
