//! What happens to every request, whatever its route: limits on the way in, headers and words on the way out.
//!
//! From outside to inside: [`finish`] (request number, log line, security headers, error pages), the panic catcher,
//! the deadline, the body limit, and the check that a form comes from our own pages (A1). `finish` is outermost, so
//! that even a refused, late or broken request is answered with the same headers (X12) and a sentence.

use crate::page::{Frame, ProblemPage, html, with_code};
use crate::problem::Problem;
use crate::words;
use askama::Template;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::time::{Duration, Instant};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

/// Forms are small; uploads will have a limit of their own.
pub const BODY_BYTES_MAX: usize = 64 << 10;
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// A longer path is cut in the log.
const LOGGED_PATH_CHARS_MAX: usize = 200;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// No script at all, styles and pictures from here, forms to here, and no frames around us.
const CSP: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; \
                   frame-ancestors 'none'";
const PERMISSIONS: &str = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

/// Set on every answer, over whatever a handler may have set.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("permissions-policy"), HeaderValue::from_static(PERMISSIONS)),
];

/// Set unless the handler knows better: a form page needs another referrer policy, an asset may be cached.
const DEFAULT_HEADERS: [(HeaderName, HeaderValue); 2] = [
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// Marks an error answer whose body is meant as it is: it is not replaced by a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnWords;

#[derive(Debug, Clone)]
struct Finish {
    frame: Frame,
    secure: bool,
}

pub(crate) fn wrap(router: Router, frame: Frame, secure: bool, timeout: Duration) -> Router {
    // A later layer lies further outside.
    router
        .layer(CsrfLayer::new().with_rejection_response(from_another_site))
        .layer(RequestBodyLimitLayer::new(BODY_BYTES_MAX))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, timeout))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(Finish { frame, secure }, finish))
}

async fn finish(State(state): State<Finish>, request: Request, next: Next) -> Response {
    // A number of our own: one sent by a client could write into our log or imitate another request's.
    let id = format!("{:016x}", rand::random::<u64>());
    let method = request.method().clone();
    // The query is never logged: it may hold the set-up token.
    let path: String = request.uri().path().chars().take(LOGGED_PATH_CHARS_MAX).collect();
    let begun = Instant::now();

    let mut response = next.run(request).await;
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if is_error && response.extensions().get::<OwnWords>().is_none() && !is_page(response.headers()) {
        response = in_words(&state.frame, response, &id, &method);
    }
    set_headers(response.headers_mut(), &id, state.secure);

    let duration_ms = begun.elapsed().as_millis();
    // Debug formatting escapes control characters (O4).
    tracing::debug!(request.id = id, %method, ?path, status = status.as_u16(), duration_ms, "answered a request");
    response
}

/// The page for an error that has no words yet.
fn in_words(frame: &Frame, mut plain: Response, id: &str, method: &Method) -> Response {
    let status = plain.status();
    let problem = plain.extensions_mut().remove::<Problem>().unwrap_or_else(|| Problem::of_status(status));
    if let Some(cause) = &problem.cause {
        tracing::error!(request.id = id, ?cause, "a request failed");
    }
    let request = status.is_server_error().then_some(id);
    let page = ProblemPage { frame, title: problem.title, sentence: with_code(problem.sentence), request };
    let mut response = match page.render() {
        Ok(text) => html(status, text),
        Err(_) => (status, problem.sentence).into_response(),
    };
    for kept in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = plain.headers_mut().remove(&kept) {
            response.headers_mut().insert(kept, value);
        }
    }
    if method == Method::HEAD {
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
    Problem::new(StatusCode::FORBIDDEN, words::CROSS_SITE_TITLE, words::CROSS_SITE).into_response()
}

fn panicked(payload: Box<dyn Any + Send>) -> Response {
    Problem::panicked(payload.as_ref()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base_path::BasePath;
    use axum::body::to_bytes;
    use axum::routing::get;
    use tower::ServiceExt;

    async fn answer(router: Router, secure: bool, timeout: Duration) -> (Response<()>, String) {
        let router = wrap(router, Frame::new(&BasePath::root()), secure, timeout);
        let request = Request::builder().uri("/").body(Body::empty()).expect("a request");
        let response = router.oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, 1 << 20).await.expect("a body");
        (Response::from_parts(parts, ()), String::from_utf8(body.to_vec()).expect("text"))
    }

    async fn breaks() -> &'static str {
        panic!("the inside story <b>of the server</b>")
    }

    #[tokio::test]
    async fn x12_a_panic_is_a_page_with_a_sentence_a_number_and_all_headers() {
        let (response, body) = answer(Router::new().route("/", get(breaks)), true, REQUEST_TIMEOUT).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(body.contains(words::BROKEN_TITLE), "{body}");
        assert!(!body.contains("inside story"), "a page never shows the cause");
        let id = response.headers()[REQUEST_ID].to_str().expect("a number");
        assert!(body.contains(id), "the number on the page is the one in the log");
        for (name, value) in HEADERS {
            assert_eq!(response.headers().get(&name), Some(&value), "{name}");
        }
        assert_eq!(response.headers()[header::REFERRER_POLICY], "no-referrer");
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
        assert!(body.contains(words::SLOW_TITLE), "{body}");
    }
}
