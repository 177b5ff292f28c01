//! Files that are part of the binary: styles, scripts, the mark, and what robots may read.
//!
//! Every file lies under one version, made from all of them, so that scripts can name each other by relative paths
//! and browsers may keep them for ever. There are no paths of files on disk here, and none made by a client (O5).

use crate::App;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

macro_rules! file {
    ($name:literal, $kind:expr) => {
        File { name: $name, kind: $kind, text: include_str!(concat!("../../../web/", $name)) }
    };
}

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

const FILES: &[File] = &[
    file!("wellread.css", CSS),
    file!("mark.svg", "image/svg+xml"),
    file!("js/main.js", JS),
    file!("js/act.js", JS),
    file!("js/buzz.js", JS),
    file!("js/discover.js", JS),
    file!("js/feeds.js", JS),
    file!("js/import.js", JS),
    file!("js/schedule.js", JS),
    file!("js/keys.js", JS),
    file!("js/later.js", JS),
    file!("js/list.js", JS),
    file!("js/live.js", JS),
    file!("js/offline.js", JS),
    file!("js/parts.js", JS),
    file!("js/player.js", JS),
    file!("js/search.js", JS),
    file!("js/seen.js", JS),
    file!("js/settings.js", JS),
    file!("js/entry.js", JS),
];

struct File {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut all = Sha256::new();
    for file in FILES {
        all.update(file.text.as_bytes());
    }
    let mut version = String::new();
    for byte in all.finalize().iter().take(8) {
        // Writing to a string does not fail.
        let _ = write!(version, "{byte:02x}");
    }
    version
});

/// For the links to our files.
pub(crate) fn version() -> &'static str {
    &VERSION
}

pub(crate) async fn file(Path((version, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    answer(file, version == *VERSION, &headers)
}

pub(crate) async fn favicon(headers: HeaderMap) -> Response {
    match FILES.iter().find(|file| file.name == "mark.svg") {
        Some(mark) => answer(mark, false, &headers),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Only the page for publishers is for robots; everything else is somebody's reading.
pub(crate) async fn robots(State(app): State<Arc<App>>) -> String {
    let base = &app.base_path;
    format!("User-agent: *\nAllow: {base}/about-fetcher\nDisallow: {base}/\n")
}

/// An address with the right version never changes its content; any other is asked for again each time.
fn answer(file: &File, is_current: bool, headers: &HeaderMap) -> Response {
    let cache = if is_current { "public, max-age=31536000, immutable" } else { "no-cache" };
    let tag = format!("\"{}\"", *VERSION);
    let caching = [(header::CACHE_CONTROL, cache), (header::ETAG, tag.as_str())];
    if is_known(headers, &tag) {
        (StatusCode::NOT_MODIFIED, caching).into_response()
    } else {
        (caching, [(header::CONTENT_TYPE, HeaderValue::from_static(file.kind))], file.text).into_response()
    }
}

/// RFC 9110 §13.1.2: any tag of the list, compared weakly, or `*`.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|list| list.split(','))
        .map(str::trim)
        .any(|given| given == "*" || given.strip_prefix("W/").unwrap_or(given) == tag)
}
