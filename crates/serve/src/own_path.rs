//! Where a person is sent after a form: our own pages only (A8).

use crate::base_path::BasePath;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use url::Url;

/// A path and query of this server, below the base path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnPath(String);

const BYTES_MAX: usize = 2_048;

impl OwnPath {
    /// Reads `wanted` as a browser would; whatever would leave this server becomes the front page.
    pub(crate) fn parse(base: &BasePath, wanted: &str) -> OwnPath {
        OwnPath(base.join(&own(wanted).unwrap_or_else(|| "/".to_owned())))
    }

    pub(crate) fn redirect(&self) -> Response {
        match HeaderValue::from_str(&self.0) {
            Ok(location) => (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response(),
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }

    #[cfg(test)]
    fn as_str(&self) -> &str {
        &self.0
    }
}

fn own(wanted: &str) -> Option<String> {
    if !wanted.starts_with('/') || wanted.len() > BYTES_MAX {
        return None;
    }
    // Browsers drop tabs and line breaks, and read a backslash as a slash; so does this parser.
    let here = Url::parse("http://own.invalid/").ok()?;
    let url = here.join(wanted).ok()?;
    if url.origin() != here.origin() || url.path().starts_with("//") {
        return None;
    }
    Some(match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_a_redirect_never_leaves_this_server() {
        let base = BasePath::parse("/reader").expect("a base path");
        for evil in [
            "//evil.test",
            "/\\evil.test",
            "/%09/evil.test\\",
            "/\t/evil.test",
            "\\\\evil.test",
            "https:evil.test",
            "https://evil.test/",
            "javascript:alert(1)",
            "/\n/evil.test",
            "/..//evil.test",
            "",
        ] {
            let path = OwnPath::parse(&base, evil);
            let after = path.as_str().strip_prefix("/reader").expect("below the base path");
            assert!(!after.starts_with("//") && !after.contains('\\'), "{evil:?} gives {path:?}");
            assert!(after.starts_with('/'), "{evil:?} gives {path:?}");
        }
        assert_eq!(OwnPath::parse(&base, "/feed/3?item=4&x=%20").as_str(), "/reader/feed/3?item=4&x=%20");
    }
}
