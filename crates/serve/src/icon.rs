//! The picture of a feed that is followed or may be found, as its site offers it. An SVG may hold script, so it is served in a world of its own
//! (X11).

use crate::App;
use crate::assets::is_known;
use crate::channels::Channels;
use crate::layers::CSP_FOREIGN;
use crate::problem::Problem;
use crate::visitor::Visitor;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::FeedId;
use std::sync::Arc;

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(channels): Extension<Arc<Channels>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let feed = FeedId(id);
    let is_followed = app.store.subscription(visitor.id(), feed).await?.is_some();
    if !is_followed && !channels.is_offered(&app, visitor.id(), feed).await? {
        return Err(Problem::not_found());
    }
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
