//! The media proxy: pictures and sound through this server, so that publishers do not see who reads.
//!
//! Only addresses we signed are fetched, each for one class of media and one person's server key (M1); a signature
//! proves that the address came from an item, not that it is safe, so `fetch` guards it like any other. Keys change
//! with the month; the last month's are still good, so that open pages keep working.

use crate::App;
use crate::layers::CSP_FOREIGN;
use crate::problem::Problem;
use crate::visitor::Visitor;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::preferences::Images;
use domain::{Secret, Timestamp};
use fetch::{MediaClass, NoMedia};
use hmac::{Hmac, KeyInit, Mac};
use html::MediaKind;
use sha2::Sha256;
use std::sync::Arc;
use url::Url;

/// What every signature is made with; derived by the binary from the server's secret key.
#[derive(Clone)]
pub struct MediaKey(Secret);

impl MediaKey {
    pub fn new(key: Secret) -> Self {
        MediaKey(key)
    }

    fn sign(&self, period: i64, class: &str, address: &str) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.reveal().as_bytes()).ok()?;
        mac.update(format!("wellread media {period} {class} ").as_bytes());
        mac.update(address.as_bytes());
        Some(mac)
    }
}

const PERIOD_S: i64 = 30 * 86_400;
/// Enough of the digest that guessing is hopeless, and addresses stay short.
const SIGNATURE_BYTES: usize = 16;

/// Rewrites media addresses the way one person wants them.
pub(crate) struct Signer {
    key: MediaKey,
    base: String,
    period: i64,
    images: Images,
}

impl Signer {
    pub(crate) fn new(app: &App, visitor: &Visitor) -> Self {
        Signer {
            key: app.media_key.clone(),
            base: app.base_path.as_str().to_owned(),
            period: period(visitor.now()),
            images: visitor.likes().images,
        }
    }

    /// None when the person wants no pictures, or when the address is none.
    pub(crate) fn image(&self, address: &str) -> Option<String> {
        self.media(address, MediaKind::Image)
    }

    pub(crate) fn media(&self, address: &str, kind: MediaKind) -> Option<String> {
        let is_picture = matches!(kind, MediaKind::Image | MediaKind::Poster);
        if is_picture && self.images == Images::Hidden {
            return None;
        }
        let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        if self.images == Images::Direct {
            return Some(url.into());
        }
        let class = class_of(kind)?;
        let digest = self.key.sign(self.period, class, url.as_str())?.finalize().into_bytes();
        let signature = URL_SAFE_NO_PAD.encode(digest.get(..SIGNATURE_BYTES)?);
        Some(format!("{}/media/{class}/{signature}/{}", self.base, URL_SAFE_NO_PAD.encode(url.as_str())))
    }

    /// A body with every media address made fit for this person.
    pub(crate) fn rewrite(&self, html: &str) -> String {
        html::rewrite_media(html, &mut |address, kind| self.media(address, kind))
    }
}

fn period(now: Timestamp) -> i64 {
    now.seconds().div_euclid(PERIOD_S)
}

/// Subtitles are text, and text from elsewhere does not pass.
fn class_of(kind: MediaKind) -> Option<&'static str> {
    match kind {
        MediaKind::Image | MediaKind::Poster => Some("image"),
        MediaKind::Audio => Some("audio"),
        MediaKind::Video => Some("video"),
        MediaKind::Track => None,
    }
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path((class, signature, address)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let media_class = match class.as_str() {
        "image" => MediaClass::Image,
        "audio" => MediaClass::Audio,
        "video" => MediaClass::Video,
        _ => return Err(Problem::not_found()),
    };
    let url = verified(&app, &class, &signature, &address, visitor.now()).ok_or_else(Problem::not_found)?;
    // The emergency stop covers everything that leaves this server (N29); a page's words say that it is on.
    if app.store.halted().await? {
        return Err(Problem::of_status(StatusCode::SERVICE_UNAVAILABLE));
    }
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    match app.fetcher_door.media(&url, media_class, range, visitor.now()).await {
        Ok(media) => Ok(answer(media)),
        Err(no) => Err(refused(&no)),
    }
}

/// The address, if it is signed by this or the last period's key.
fn verified(app: &App, class: &str, signature: &str, address: &str, now: Timestamp) -> Option<Url> {
    let signature = URL_SAFE_NO_PAD.decode(signature).ok().filter(|bytes| bytes.len() == SIGNATURE_BYTES)?;
    let address = String::from_utf8(URL_SAFE_NO_PAD.decode(address).ok()?).ok()?;
    let now = period(now);
    [now, now.saturating_sub(1)]
        .into_iter()
        .filter_map(|period| app.media_key.sign(period, class, &address))
        .any(|mac| mac.verify_truncated_left(&signature).is_ok())
        .then(|| Url::parse(&address).ok())
        .flatten()
}

fn answer(media: fetch::Media) -> Response {
    let status = StatusCode::from_u16(media.status).unwrap_or(StatusCode::OK);
    let mut response = Response::new(Body::from_stream(media.stream));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media.content_type));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP_FOREIGN));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=604800, immutable"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    // No name from outside ever gets into a header (M5).
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("inline"));
    if let Some(length) = media.content_length {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    if let Some(range) = media.content_range.and_then(|range| HeaderValue::from_str(&range).ok()) {
        headers.insert(header::CONTENT_RANGE, range);
    }
    response
}

fn refused(no: &NoMedia) -> Problem {
    match no {
        NoMedia::BadRange => Problem::of_status(StatusCode::RANGE_NOT_SATISFIABLE),
        NoMedia::Busy => Problem::of_status(StatusCode::SERVICE_UNAVAILABLE),
        // One answer for all the rest: neither the cause nor the address is echoed.
        _ => Problem::not_found(),
    }
}
