//! What happens to every request, whatever its route: limits on the way in, headers and words on the way out.
//!
//! From outside to inside: [`finish`] (request number, log line, security headers, error pages), the panic catcher,
//! the deadline, and the check that a form comes from our own pages (A1). `finish` is outermost, so
//! that even a refused, late or broken request is answered with the same headers (X12) and a sentence.

use crate::base_path::BasePath;
use crate::metrics::Metrics;
use crate::page::{Frame, ProblemPage, html, with_code};
use crate::problem::Problem;
use crate::visitor::wants_json;
use crate::words::Words;
use askama::Template;
use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use tower_http::timeout::TimeoutLayer;

/// Forms are small; routes for uploads have a limit of their own.
pub const BODY_BYTES_MAX: usize = 64 << 10;
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// What follows is a secret: the address of what somebody shares.
const SECRET_PATH: &str = "/shared/";
/// A longer path is cut in the log.
const LOGGED_PATH_CHARS_MAX: usize = 200;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Scripts, styles and pictures from our own files only, nothing inline, forms to here, and no frames around us.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; \
                   connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; \
                   frame-ancestors 'none'";
/// The same for a person who wants pictures straight from their publishers.
pub(crate) const CSP_DIRECT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                   img-src 'self' data: https: http:; media-src 'self' https: http:; connect-src 'self'; \
                   manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// For bytes that are not ours: a world of their own, without an origin (M2, X11).
pub(crate) const CSP_FOREIGN: &str =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; sandbox";
const PERMISSIONS: &str = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

/// Set on every answer, over whatever a handler may have set.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("permissions-policy"), HeaderValue::from_static(PERMISSIONS)),
];

/// Set unless the handler knows better: an asset may be cached, foreign bytes get [`CSP_FOREIGN`].
const DEFAULT_HEADERS: [(HeaderName, HeaderValue); 2] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP)),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// Marks an error answer whose body is meant as it is: it is not replaced by a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnWords;

#[derive(Debug, Clone)]
struct Finish {
    base: BasePath,
    secure: bool,
    metrics: Arc<Metrics>,
}

pub(crate) fn wrap(
    router: Router,
    base: &BasePath,
    secure: bool,
    timeout: Duration,
    metrics: Arc<Metrics>,
) -> Router {
    // A later layer lies further outside.
    router
        .layer(CsrfLayer::new().with_rejection_response(from_another_site))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, timeout))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(Finish { base: base.clone(), secure, metrics }, finish))
        .layer(CompressionLayer::new().br(true).gzip(true))
}

async fn finish(State(state): State<Finish>, request: Request, next: Next) -> Response {
    // A number of our own: one sent by a client could write into our log or imitate another request's.
    let id = format!("{:016x}", rand::random::<u64>());
    let method = request.method().clone();
    // The query is never logged: it may hold the set-up token.
    let path = logged(&state.base, request.uri().path());
    let asked = Asked {
        words: Words::accepted(request.headers().get(header::ACCEPT_LANGUAGE).and_then(|v| v.to_str().ok())),
        json: wants_json(request.headers()) || is_api(&state.base, request.uri().path()),
        is_head: method == Method::HEAD,
    };
    let route = request.extensions().get::<MatchedPath>().cloned();
    let begun = Instant::now();

    let mut response = next.run(request).await;
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if is_error && response.extensions().get::<OwnWords>().is_none() && !is_page(response.headers()) {
        response = in_words(&state.base, response, &id, &asked);
    }
    set_headers(response.headers_mut(), &id, state.secure);

    let took = begun.elapsed();
    let route = route.as_ref().map(MatchedPath::as_str);
    state.metrics.count(route, !method.is_safe(), status.as_u16(), took);
    let duration_ms = took.as_millis();
    // Debug formatting escapes control characters (O4).
    tracing::debug!(request.id = id, %method, ?path, status = status.as_u16(), duration_ms, "answered a request");
    response
}

/// A path as the log may hold it: without the secret of an address.
fn logged(base: &BasePath, path: &str) -> String {
    let below = path.strip_prefix(base.as_str()).unwrap_or(path);
    if below.starts_with(SECRET_PATH) {
        return format!("{}…", base.join(SECRET_PATH));
    }
    path.chars().take(LOGGED_PATH_CHARS_MAX).collect()
}

/// Scripts hear of errors as JSON, whatever they say they accept.
fn is_api(base: &BasePath, path: &str) -> bool {
    path.strip_prefix(base.as_str()).is_some_and(|path| path.starts_with("/api/"))
}

/// How the other side wants to hear of an error.
struct Asked {
    words: &'static Words,
    json: bool,
    is_head: bool,
}

/// The page for an error that has no words yet.
fn in_words(base: &BasePath, mut plain: Response, id: &str, asked: &Asked) -> Response {
    let status = plain.status();
    let problem = plain.extensions_mut().remove::<Problem>().unwrap_or_else(|| Problem::of_status(status));
    if let Some(cause) = &problem.cause {
        tracing::error!(request.id = id, ?cause, "a request failed");
    }
    let (title, sentence) = (problem.say)(asked.words);
    let mut response = if asked.json {
        (status, axum::Json(serde_json::json!({ "error": sentence, "request": id }))).into_response()
    } else {
        let frame = Frame::new(base, asked.words);
        let request = status.is_server_error().then_some(id);
        let page =
            ProblemPage { frame: &frame, w: asked.words, title, sentence: with_code(sentence), request };
        match page.render() {
            Ok(text) => html(status, text),
            Err(_) => (status, sentence).into_response(),
        }
    };
    for kept in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = plain.headers_mut().remove(&kept) {
            response.headers_mut().insert(kept, value);
        }
    }
    if asked.is_head {
        *response.body_mut() = Body::empty();
    }
    response
}

fn set_headers(headers: &mut HeaderMap, id: &str, secure: bool) {
    for (name, value) in HEADERS {
        headers.insert(name, value);
    }
    for (name, value) in DEFAULT_HEADERS {
        headers.entry(name).or_insert(value);
    }
    // With `no-referrer` browsers send `Origin: null` even to ourselves, and on plain HTTP, where there is no
    // `Sec-Fetch-Site`, our own forms would look like a stranger's (A1). Other sites learn nothing either way (X10).
    let referrer = if is_page(headers) { "same-origin" } else { "no-referrer" };
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static(referrer));
    if secure {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, value);
    }
}

fn is_page(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}

fn from_another_site(_: ProtectionError) -> Response {
    Problem::new(StatusCode::FORBIDDEN, |w| (w.problem.cross_site_title, w.problem.cross_site))
        .into_response()
}

fn panicked(payload: Box<dyn Any + Send>) -> Response {
    Problem::panicked(payload.as_ref()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use axum::routing::get;
    use tower::ServiceExt;

    async fn answer(router: Router, secure: bool, timeout: Duration) -> (Response<()>, String) {
        let router = wrap(router, &BasePath::root(), secure, timeout, Arc::default());
        let request = Request::builder().uri("/").body(Body::empty()).expect("a request");
        let response = router.oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, 1 << 20).await.expect("a body");
        (Response::from_parts(parts, ()), String::from_utf8(body.to_vec()).expect("text"))
    }

    async fn breaks() -> &'static str {
        panic!("the inside story <b>of the server</b>")
    }

    #[test]
    fn o4_a_secret_address_is_not_logged() {
        let base = BasePath::parse("/reader").expect("a path");
        assert_eq!(logged(&base, "/reader/shared/abcdef"), "/reader/shared/…");
        assert_eq!(logged(&base, "/shared/abcdef"), "/reader/shared/…");
        assert_eq!(logged(&base, "/reader/newest"), "/reader/newest");
    }

    #[tokio::test]
    async fn x12_a_panic_is_a_page_with_a_sentence_a_number_and_all_headers() {
        let (response, body) = answer(Router::new().route("/", get(breaks)), true, REQUEST_TIMEOUT).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(body.contains("Something went wrong here"), "{body}");
        assert!(!body.contains("inside story"), "a page never shows the cause");
        let id = response.headers()[REQUEST_ID].to_str().expect("a number");
        assert!(body.contains(id), "the number on the page is the one in the log");
        for (name, value) in HEADERS {
            assert_eq!(response.headers().get(&name), Some(&value), "{name}");
        }
        assert_eq!(response.headers()[header::REFERRER_POLICY], "same-origin");
        assert!(response.headers().contains_key(header::STRICT_TRANSPORT_SECURITY));
    }

    #[tokio::test]
    async fn a_server_without_https_does_not_ask_for_it() {
        let (response, _) =
            answer(Router::new().route("/", get(|| async { "fine" })), false, REQUEST_TIMEOUT).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert!(!response.headers().contains_key(header::STRICT_TRANSPORT_SECURITY));
    }

    #[tokio::test]
    async fn a_request_that_never_ends_is_answered_with_a_sentence() {
        let (response, body) = answer(
            Router::new().route("/", get(std::future::pending::<()>)),
            false,
            Duration::from_millis(1),
        )
        .await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(body.contains("This takes too long"), "{body}");
    }
}
