//! A followed feed's picture, as its site offers it. An SVG may hold script, so it is served in a world of its own
//! (X11).

use crate::App;
use crate::assets::is_known;
use crate::layers::CSP_FOREIGN;
use crate::problem::Problem;
use crate::visitor::Visitor;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::FeedId;
use std::sync::Arc;

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let feed = FeedId(id);
    app.store.subscription(visitor.id(), feed).await?.ok_or_else(Problem::not_found)?;
    let icon = app.store.icon(feed).await?.ok_or_else(Problem::not_found)?;
    let kind = KINDS.iter().find(|kind| **kind == icon.kind).ok_or_else(Problem::not_found)?;
    let tag = format!("\"{:x}\"", icon.version);
    // The address carries the version.
    let caching = [(header::CACHE_CONTROL, "private, max-age=604800"), (header::ETAG, tag.as_str())];
    if is_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, caching).into_response());
    }
    let sandbox = (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP_FOREIGN));
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok((caching, [sandbox, kind], icon.bytes).into_response())
}

const KINDS: [&str; 6] =
    ["image/png", "image/x-icon", "image/gif", "image/jpeg", "image/webp", "image/svg+xml"];
