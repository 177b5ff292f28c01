//! Addresses: made absolute, cleaned, and refused when their scheme is not one a reader may follow (X4).

use crate::raw::RawLink;
use domain::Limits;
use url::Url;

#[derive(Debug, PartialEq)]
pub(crate) enum Refused {
    Empty,
    /// `javascript:`, `data:` and all others that are no place on the web.
    Scheme(String),
    TooLong,
    /// Relative, and nothing to be relative to.
    Relative,
    Malformed,
}

impl Refused {
    pub(crate) fn sentence(&self) -> String {
        match self {
            Refused::Empty => "The link is empty.".into(),
            Refused::Scheme(scheme) => format!("Links with the scheme {scheme:?} are not followed."),
            Refused::TooLong => "The link is too long.".into(),
            Refused::Relative => "The link is relative and the document has no address.".into(),
            Refused::Malformed => "The link is not an address.".into(),
        }
    }
}

/// The absolute form of a link: against its own `xml:base`, else the document's address.
pub(crate) fn resolve(raw: &RawLink, document: Option<&Url>, limits: &Limits) -> Result<String, Refused> {
    resolve_href(&raw.href, raw.base.as_deref().or(document), limits)
}

fn resolve_href(href: &str, base: Option<&Url>, limits: &Limits) -> Result<String, Refused> {
    let href = href.trim();
    if href.is_empty() {
        return Err(Refused::Empty);
    }
    if href.len() > limits.url_bytes_max {
        return Err(Refused::TooLong);
    }
    let url = match Url::parse(href) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => match base {
            Some(base) => base.join(href).map_err(|_| Refused::Malformed)?,
            // "www.example.com/x" and "//example.com/x" have a host, only the scheme is missing.
            None if href.starts_with("www.") => {
                Url::parse(&format!("http://{href}")).map_err(|_| Refused::Malformed)?
            }
            None if href.starts_with("//") => {
                Url::parse(&format!("https:{href}")).map_err(|_| Refused::Malformed)?
            }
            None => return Err(Refused::Relative),
        },
        Err(_) => return Err(Refused::Malformed),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Refused::Scheme(url.scheme().chars().take(20).collect()));
    }
    let text = String::from(url);
    if text.len() > limits.url_bytes_max { Err(Refused::TooLong) } else { Ok(text) }
}

/// `xml:base` within `xml:base`: a relative one is taken against the outer one.
pub(crate) fn join_base(outer: Option<&Url>, base: &str) -> Option<Url> {
    let base = base.trim();
    let url = match outer {
        Some(outer) => outer.join(base).ok()?,
        None => Url::parse(base).ok()?,
    };
    matches!(url.scheme(), "http" | "https").then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(href: &str, base: Option<&str>, expected: Result<&str, Refused>) {
        let base = base.map(|b| Url::parse(b).expect("a base"));
        let limits = Limits::default();
        assert_eq!(resolve_href(href, base.as_ref(), &limits), expected.map(str::to_owned), "{href}");
    }

    #[test]
    fn p10_relative_links_are_made_absolute() {
        let base = Some("https://h.test/a/b?q=1");
        check("//o.test/x", base, Ok("https://o.test/x"));
        check("?q", base, Ok("https://h.test/a/b?q"));
        check("../x", base, Ok("https://h.test/x"));
        check(" x\ny ", base, Ok("https://h.test/a/xy"));
        check("x", None, Err(Refused::Relative));
        check("www.h.test/x", None, Ok("http://www.h.test/x"));
    }

    #[test]
    fn x4_script_addresses_are_refused_in_every_spelling() {
        let base = Some("https://h.test/");
        for href in
            ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", " \u{1}javascript:x"]
        {
            check(href, base, Err(Refused::Scheme("javascript".into())));
        }
        check("data:text/html,x", base, Err(Refused::Scheme("data".into())));
        check("vbscript:x", base, Err(Refused::Scheme("vbscript".into())));
        check("blob:https://h.test/x", base, Err(Refused::Scheme("blob".into())));
        check("file:///etc/passwd", base, Err(Refused::Scheme("file".into())));
    }

    #[test]
    fn p5_long_addresses_are_refused() {
        check(&format!("https://h.test/{}", "x".repeat(3000)), None, Err(Refused::TooLong));
    }

    #[test]
    fn p10_bases_chain() {
        let outer = Url::parse("https://h.test/a/").expect("a base");
        let inner = join_base(Some(&outer), "b/").expect("joins");
        assert_eq!(inner.as_str(), "https://h.test/a/b/");
        assert_eq!(join_base(Some(&outer), "javascript:x"), None);
        assert_eq!(join_base(None, "b/"), None);
    }
}
