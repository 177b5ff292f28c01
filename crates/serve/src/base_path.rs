//! The path under which everything is served, for example `/reader` behind a proxy.
//!
//! It is written into every link and every route, so it is checked once, here: afterwards it needs no escaping in
//! HTML, cannot lead to another host (`//evil`), and means nothing to the router but itself.

use std::fmt;
use std::sync::Arc;

/// Empty, or `/segment` once or more, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasePath(Arc<str>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{given:?} cannot be a base path: write it like /reader, with letters, digits, '-', '_', '.' and '~'"
)]
pub struct BadBasePath {
    given: String,
}

impl BasePath {
    const BYTES_MAX: usize = 200;

    pub fn root() -> Self {
        BasePath(Arc::from(""))
    }

    /// Accepts ``, `/`, `/reader` and `/reader/`.
    pub fn parse(given: &str) -> Result<Self, BadBasePath> {
        let path = given.strip_suffix('/').unwrap_or(given);
        let Some(segments) = path.strip_prefix('/') else {
            return if path.is_empty() {
                Ok(BasePath::root())
            } else {
                Err(BadBasePath { given: given.into() })
            };
        };
        if path.len() <= Self::BYTES_MAX && segments.split('/').all(is_segment) {
            Ok(BasePath(Arc::from(path)))
        } else {
            Err(BadBasePath { given: given.into() })
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `path` begins with a slash.
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

impl fmt::Display for BasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_segment(segment: &str) -> bool {
    !matches!(segment, "" | "." | "..")
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_written_with_or_without_its_last_slash() {
        for (given, expected) in [("", ""), ("/", ""), ("/reader", "/reader"), ("/a/b-c/", "/a/b-c")] {
            assert_eq!(
                BasePath::parse(given).map(|path| path.to_string()),
                Ok(expected.to_owned()),
                "{given:?}"
            );
        }
    }

    #[test]
    fn a8_a_base_path_cannot_lead_to_another_host() {
        let hostile = [
            "//evil",
            "/\\evil",
            "/%09/evil",
            "https:evil",
            "javascript:alert(1)",
            "evil",
            "/..",
            "/a//b",
            "/a\r\nX: y",
            "/{*all}",
            "/a?b",
            "/a\"><script>",
        ];
        for given in hostile {
            assert!(BasePath::parse(given).is_err(), "{given:?}");
        }
        assert!(BasePath::parse(&format!("/{}", "a".repeat(10_000))).is_err());
    }
}
