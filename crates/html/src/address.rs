//! Addresses found in foreign HTML: made absolute, or dropped; beacons and known videos recognised.
//!
//! A relative address that cannot be resolved is never kept, because it would point at our own pages (X9). Only the
//! schemes listed here survive, whatever the spelling (X4): the check is on the parsed address, not on its text.

use crate::entity::{Form, decode_into};
use crate::token::is_space;
use url::Url;

/// Schemes of links that people follow.
pub(crate) const LINK_SCHEMES: [&str; 6] = ["http", "https", "mailto", "tel", "xmpp", "magnet"];
/// Schemes of what pages load.
pub(crate) const MEDIA_SCHEMES: [&str; 2] = ["http", "https"];

/// More candidates than this are no picture any more.
const CANDIDATES_MAX: usize = 32;

/// Resolves addresses of one document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resolver<'a> {
    base: Option<&'a Url>,
    url_bytes_max: usize,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(base: Option<&'a Url>, url_bytes_max: usize) -> Self {
        Resolver { base: base.filter(|base| MEDIA_SCHEMES.contains(&base.scheme())), url_bytes_max }
    }

    /// An undecoded attribute value as an absolute address with one of the schemes.
    pub(crate) fn resolve_raw(self, raw: &str, schemes: &[&str]) -> Option<Url> {
        // Nothing this long can be within the bound, even if it is all references.
        if raw.len() > self.url_bytes_max.saturating_mul(8) {
            return None;
        }
        if raw.contains('&') {
            let mut decoded = String::with_capacity(raw.len());
            decode_into(&mut decoded, raw, Form::Plain, true);
            self.resolve(&decoded, schemes)
        } else {
            self.resolve(raw, schemes)
        }
    }

    pub(crate) fn resolve(self, text: &str, schemes: &[&str]) -> Option<Url> {
        let text = text.trim_matches(|c: char| c <= ' ');
        if text.is_empty() || text.len() > self.url_bytes_max {
            return None;
        }
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(url::ParseError::RelativeUrlWithoutBase) => match self.base {
                Some(base) => base.join(text).ok()?,
                // `//host/path` names its host; it cannot point at us.
                None if text.starts_with("//") => Url::parse(&format!("https:{text}")).ok()?,
                None => return None,
            },
            Err(_) => return None,
        };
        (schemes.contains(&url.scheme()) && url.as_str().len() <= self.url_bytes_max).then_some(url)
    }

    /// The candidates of a `srcset`, resolved (§4.8.4.2.1); those with bad addresses or descriptors are left out.
    pub(crate) fn srcset(self, raw: &str) -> Option<String> {
        let mut decoded = String::new();
        decode_into(&mut decoded, raw, Form::Plain, true);
        let (mut rest, mut out) = (decoded.as_str(), String::new());
        for _ in 0..CANDIDATES_MAX {
            rest = rest.trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
            if rest.is_empty() {
                break;
            }
            let end = rest.bytes().position(is_space).unwrap_or(rest.len());
            let (address, after) = rest.split_at(end);
            let bare = address.trim_end_matches(',');
            let descriptor = if bare.len() < address.len() {
                rest = after;
                ""
            } else {
                let end = after.find(',').unwrap_or(after.len());
                rest = &after[end..];
                after[..end].trim()
            };
            let Some(url) = self.resolve(bare, &MEDIA_SCHEMES).filter(|_| is_descriptor(descriptor)) else {
                continue;
            };
            if !out.is_empty() {
                out.push_str(", ");
            }
            out.push_str(url.as_str());
            if !descriptor.is_empty() {
                out.push(' ');
                out.push_str(descriptor);
            }
        }
        (!out.is_empty()).then_some(out)
    }
}

/// Nothing, a width `640w`, or a density `1.5x`.
fn is_descriptor(text: &str) -> bool {
    let number = match text.as_bytes().last() {
        None => return true,
        Some(b'w' | b'x') => &text[..text.len() - 1],
        Some(_) => return false,
    };
    !number.is_empty() && number.len() <= 8 && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// Whether a `srcset` holds only absolute http and https addresses. The last check behind the writer.
pub(crate) fn is_safe_srcset(value: &str) -> bool {
    value.split(", ").all(|candidate| candidate.starts_with("https://") || candidate.starts_with("http://"))
}

/// Pictures whose only purpose is to be counted (M4), by host (or a parent domain of it) and start of the path.
const BEACONS: [(&str, &str); 24] = [
    ("2o7.net", "/"),
    ("ad.doubleclick.net", "/"),
    ("analytics.twitter.com", "/"),
    ("api.follow.it", "/track"),
    ("b.scorecardresearch.com", "/"),
    ("b.wordpress.com", "/"),
    ("bat.bing.com", "/"),
    ("blogger.googleusercontent.com", "/tracker/"),
    ("facebook.com", "/tr"),
    ("feedads.g.doubleclick.net", "/"),
    ("feeds.feedburner.com", "/~r/"),
    ("feeds.feedburner.com", "/~ff/"),
    ("feedsportal.com", "/"),
    ("google-analytics.com", "/"),
    ("googletagmanager.com", "/"),
    ("list-manage.com", "/track/"),
    ("medium.com", "/_/stat"),
    ("pheedo.com", "/"),
    ("pixel.quantserve.com", "/"),
    ("pixel.wp.com", "/"),
    ("px.ads.linkedin.com", "/"),
    ("sb.scorecardresearch.com", "/"),
    ("stats.wordpress.com", "/"),
    ("stats.wp.com", "/"),
];

pub(crate) fn is_beacon(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    BEACONS.iter().any(|(domain, path)| is_within(host, domain) && url.path().starts_with(path))
}

fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether a style hides a picture or makes it a point: `width:1px`, `display:none`.
pub(crate) fn style_hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((name, value)) = declaration.split_once(':') else { return false };
        let (name, value) = (name.trim(), value.trim());
        let is = |word: &str| {
            value.len() >= word.len() && value.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        };
        if name.eq_ignore_ascii_case("width") || name.eq_ignore_ascii_case("height") {
            is_point(value)
        } else if name.eq_ignore_ascii_case("display") {
            is("none")
        } else {
            name.eq_ignore_ascii_case("visibility") && is("hidden")
        }
    })
}

/// Whether a length is at most one pixel: `0`, `1`, `1px`; not `1em`, `1%` or `100%`.
pub(crate) fn is_point(length: &str) -> bool {
    let length = length.trim();
    let digits = length.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = length.split_at(digits);
    let unit = unit.split_whitespace().next().unwrap_or("");
    matches!(number.trim_start_matches('0'), "" | "1")
        && digits > 0
        && (unit.is_empty() || unit.eq_ignore_ascii_case("px") || unit == "!important")
}

/// A video page, rebuilt from what a frame wanted to embed.
pub(crate) struct Video {
    pub(crate) page: String,
    pub(crate) site: &'static str,
}

/// Recognises the players of exactly these hosts; look-alikes get nothing (X6).
pub(crate) fn video(url: &Url) -> Option<Video> {
    let mut segments = url.path_segments()?;
    let (first, id) = (segments.next()?, segments.next()?);
    if id.is_empty()
        || id.len() > 64
        || !id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    {
        return None;
    }
    match (url.host_str()?, first) {
        (
            "youtube.com"
            | "www.youtube.com"
            | "m.youtube.com"
            | "youtube-nocookie.com"
            | "www.youtube-nocookie.com",
            "embed" | "v" | "shorts",
        ) if id != "videoseries" => {
            Some(Video { page: format!("https://www.youtube.com/watch?v={id}"), site: "YouTube" })
        }
        ("player.vimeo.com", "video") if id.bytes().all(|b| b.is_ascii_digit()) => {
            Some(Video { page: format!("https://vimeo.com/{id}"), site: "Vimeo" })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str) -> Option<String> {
        let base = Url::parse("https://site.test/a/b").expect("valid");
        Resolver::new(Some(&base), 2_048).resolve_raw(text, &LINK_SCHEMES).map(String::from)
    }

    #[test]
    fn addresses_are_made_absolute() {
        assert_eq!(resolve("../x?y=1&amp;z#q").as_deref(), Some("https://site.test/x?y=1&z#q"));
        assert_eq!(resolve("//cdn.test/x").as_deref(), Some("https://cdn.test/x"));
        assert_eq!(resolve(" mailto:a@b.test ").as_deref(), Some("mailto:a@b.test"));
        assert_eq!(resolve(""), None);
        assert_eq!(resolve(&"x".repeat(3_000)), None);
    }

    #[test]
    fn without_a_base_only_what_names_its_host_is_kept() {
        let resolver = Resolver::new(None, 2_048);
        assert_eq!(resolver.resolve("/feeds/1/delete", &LINK_SCHEMES), None);
        assert_eq!(
            resolver.resolve("//cdn.test/x", &LINK_SCHEMES).map(String::from).as_deref(),
            Some("https://cdn.test/x")
        );
        let urn = Url::parse("urn:isbn:1").expect("valid");
        assert_eq!(Resolver::new(Some(&urn), 2_048).resolve("x", &LINK_SCHEMES), None);
    }

    #[test]
    fn x4_script_addresses_are_refused_in_every_spelling() {
        for text in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\tscript:alert(1)",
            "java\nscript:alert(1)",
            "&#106;avascript:alert(1)",
            "&#x6A&#x61;vascript&colon;alert(1)",
            " \u{1}javascript:alert(1)",
            "data:text/html,<script>",
            "vbscript:x",
            "blob:https://site.test/x",
            "file:///etc/passwd",
            "view-source:javascript:x",
        ] {
            assert_eq!(resolve(text), None, "{text}");
        }
    }

    #[test]
    fn srcset_candidates_are_parsed_one_by_one() {
        let base = Url::parse("https://site.test/a/").expect("valid");
        let srcset = |raw: &str| Resolver::new(Some(&base), 2_048).srcset(raw);
        assert_eq!(
            srcset("x.png 1x, /y,z.png 2x,, javascript:alert(1) 3x, w.png").as_deref(),
            Some("https://site.test/a/x.png 1x, https://site.test/y,z.png 2x, https://site.test/a/w.png")
        );
        assert_eq!(srcset("x.png calc(1px"), None);
        assert_eq!(srcset("http:a<script>alert(1)</script>"), None);
    }

    #[test]
    fn points_are_told_from_pictures() {
        for point in ["0", "1", "1px", " 01PX ", "0 !important"] {
            assert!(is_point(point), "{point}");
        }
        for picture in ["", "10", "100%", "1em", "auto", "1%", "11px"] {
            assert!(!is_point(picture), "{picture}");
        }
        assert!(style_hides("border:0; WIDTH: 1px"));
        assert!(style_hides("display : none"));
        assert!(!style_hides("max-width:1px; width:100%; display:block"));
    }

    #[test]
    fn only_the_players_themselves_are_videos() {
        let page = |text: &str| Url::parse(text).ok().and_then(|url| video(&url)).map(|video| video.page);
        assert_eq!(
            page("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?rel=0").as_deref(),
            Some("https://www.youtube.com/watch?v=dQw4w9WgXcQ")
        );
        assert_eq!(page("https://player.vimeo.com/video/123").as_deref(), Some("https://vimeo.com/123"));
        for other in [
            "https://youtube.com.evil.test/embed/x",
            "https://evilyoutube.com/embed/x",
            "https://www.youtube.com/embed/a%22b",
            "https://www.youtube.com/redirect/x",
            "https://player.vimeo.com/video/x",
        ] {
            assert_eq!(page(other), None, "{other}");
        }
    }
}
