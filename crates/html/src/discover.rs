//! The feeds a web page offers.
//!
//! First what it declares in `link` elements; if nothing, links whose addresses look like feeds. Only http and https,
//! each address once. Whoever follows them asks the guard of `fetch`; nothing here is trusted.

use crate::address::{MEDIA_SCHEMES, Resolver};
use crate::entity::{Form, decode_into};
use crate::sanitise::cut;
use crate::tag::{Fate, Tag};
use crate::token::{Start, Token, Tokens};
use domain::Limits;
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedLink {
    pub url: Url,
    pub title: Option<String>,
    /// What the page calls it, in lower case and without parameters.
    pub media_type: Option<String>,
}

const LINKS_MAX: usize = 50;

/// Feeds the page declares, or failing that links to, in order.
pub fn discover(page: &str, base: &Url, limits: &Limits) -> Vec<FeedLink> {
    let page = page_within(page, limits);
    let base = base_of(page, base, limits);
    let resolver = Resolver::new(Some(&base), limits.url_bytes_max);
    let (mut declared, mut linked) = (Vec::new(), Vec::new());
    for_each_start(page, |tag, start| {
        match tag {
            Tag::Link => add(&mut declared, declared_feed(start, resolver, limits)),
            Tag::A if linked.len() < LINKS_MAX => add(&mut linked, linked_feed(start, resolver)),
            _ => {}
        }
        declared.len() < LINKS_MAX
    });
    if declared.is_empty() { linked } else { declared }
}

/// Icons the page declares, best first: those that say what they are made for come before touch icons, large ones before
/// small ones, a vector before all.
pub fn icon_links(page: &str, base: &Url, limits: &Limits) -> Vec<Url> {
    let page = page_within(page, limits);
    let base = base_of(page, base, limits);
    let resolver = Resolver::new(Some(&base), limits.url_bytes_max);
    let mut icons: Vec<(u32, Url)> = Vec::new();
    for_each_start(page, |tag, start| {
        if tag == Tag::Link
            && let Some((rank, url)) = declared_icon(start, resolver)
            && !icons.iter().any(|(_, known)| *known == url)
        {
            icons.push((rank, url));
        }
        icons.len() < ICONS_MAX
    });
    // A stable sort: among equals the page's own order counts.
    icons.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    icons.into_iter().map(|(_, url)| url).collect()
}

const ICONS_MAX: usize = 20;
/// Larger icons are no better than this: they are shown at 16 to 32 pixels.
const ICON_SIDE_MAX: u32 = 64;

fn declared_icon(start: Start<'_>, resolver: Resolver<'_>) -> Option<(u32, Url)> {
    let rel = value(start, "rel")?;
    let has = |wanted: &str| rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(wanted));
    let base = match () {
        () if has("icon") => 100,
        () if has("apple-touch-icon") || has("apple-touch-icon-precomposed") => 50,
        () => return None,
    };
    let url = resolve(value(start, "href")?, resolver)?;
    let is_vector =
        url.path().ends_with(".svg") || value(start, "type").is_some_and(|kind| kind.contains("svg"));
    let side = value(start, "sizes")
        .and_then(|sizes| sizes.split(['x', 'X']).next()?.trim().parse::<u32>().ok())
        .unwrap_or(16);
    let rank = if is_vector { ICON_SIDE_MAX + 1 } else { side.min(ICON_SIDE_MAX) };
    Some((base + rank, url))
}

/// Pages may be as long as the body of any answer.
pub(crate) fn page_within<'a>(page: &'a str, limits: &Limits) -> &'a str {
    cut(page, usize::try_from(limits.body_bytes_max).unwrap_or(usize::MAX))
}

/// The address relative links of a page start from: its first `base`, itself resolved, or its own.
pub(crate) fn base_of(page: &str, own: &Url, limits: &Limits) -> Url {
    let resolver = Resolver::new(Some(own), limits.url_bytes_max);
    let mut found = None;
    for_each_start(page, |tag, start| {
        if tag == Tag::Base {
            found = value(start, "href").and_then(|raw| resolver.resolve_raw(raw, &MEDIA_SCHEMES));
        }
        // A `base` counts only in the head.
        found.is_none() && tag != Tag::Body
    });
    found.unwrap_or_else(|| own.clone())
}

/// Calls `visit` for every known start tag outside scripts and their like, until it returns false.
fn for_each_start(page: &str, mut visit: impl FnMut(Tag, Start<'_>) -> bool) {
    let mut tokens = Tokens::new(page);
    while let Some(token) = tokens.next() {
        let Token::Start(start) = token else { continue };
        let Some(tag) = Tag::from_name(start.name) else { continue };
        if tag.is_raw() {
            tokens.raw_text(start.name);
        } else if tag.fate() == Fate::Skip {
            tokens.skip_element(start.name);
        } else if !visit(tag, start) {
            return;
        }
    }
}

fn add(links: &mut Vec<FeedLink>, found: Option<FeedLink>) {
    if let Some(found) = found
        && !links.iter().any(|known| known.url == found.url)
    {
        links.push(found);
    }
}

fn declared_feed(start: Start<'_>, resolver: Resolver<'_>, limits: &Limits) -> Option<FeedLink> {
    let rel = value(start, "rel")?;
    let has = |wanted: &str| rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(wanted));
    let media_type =
        value(start, "type").map(|raw| raw.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    let href = value(start, "href")?;
    let is_feed = match media_type.as_deref() {
        Some(
            "application/rss+xml" | "application/atom+xml" | "application/feed+json" | "application/rdf+xml",
        ) => has("alternate") || has("feed"),
        Some("application/xml" | "text/xml") => has("alternate"),
        // JSON is a feed only where it says so; content systems declare their programming interface the same way.
        Some("application/json") => has("alternate") && href.to_ascii_lowercase().contains("feed"),
        Some(_) => false,
        None => has("feed"),
    };
    if !is_feed {
        return None;
    }
    let title = value(start, "title").map(|raw| {
        // The value is no markup: decode it, then collapse its white space.
        let mut text = String::new();
        decode_into(&mut text, cut(raw, limits.url_bytes_max), Form::Plain, true);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    Some(FeedLink {
        url: resolve(href, resolver)?,
        title: title.filter(|title| !title.is_empty()),
        media_type,
    })
}

fn linked_feed(start: Start<'_>, resolver: Resolver<'_>) -> Option<FeedLink> {
    let url = resolve(value(start, "href")?, resolver)?;
    looks_like_a_feed(&url).then_some(FeedLink { url, title: None, media_type: None })
}

fn resolve(raw: &str, resolver: Resolver<'_>) -> Option<Url> {
    let mut url = resolver.resolve_raw(raw, &MEDIA_SCHEMES)?;
    url.set_fragment(None);
    Some(url)
}

fn looks_like_a_feed(url: &Url) -> bool {
    let path = url.path().trim_end_matches('/').to_ascii_lowercase();
    let last = path.rsplit('/').next().unwrap_or_default();
    let query = url.query().unwrap_or_default();
    matches!(
        last,
        "feed" | "feeds" | "rss" | "rss2" | "atom" | "rdf" | "feed.json" | "index.xml" | "feed.xml"
    ) || [".rss", ".atom", ".rdf", "rss.xml", "atom.xml", "feed.xml"].iter().any(|end| last.ends_with(end))
        || url.host_str().is_some_and(|host| host == "feeds.feedburner.com")
        || query
            .split('&')
            .any(|pair| matches!(pair, "format=rss" | "format=feed" | "feed=rss2" | "feed=atom"))
}

fn value<'a>(start: Start<'a>, wanted: &str) -> Option<&'a str> {
    start.attributes().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, expected: &[&str]) {
        let base = Url::parse("https://site.test/blog/").expect("valid");
        let found: Vec<String> =
            discover(page, &base, &Limits::default()).into_iter().map(|l| l.url.into()).collect();
        assert_eq!(found, expected, "{page}");
    }

    #[test]
    fn declared_feeds_are_found_in_order_and_once() {
        check(
            "<head><LINK REL='Home ALTERNATE' type='application/rss+xml; charset=utf-8' title='A &amp; B' href='/rss?a=1&amp;b=2'>
             <link rel=alternate type=application/atom+xml href=atom#x><link rel=alternate type=application/atom+xml href=atom>
             <link rel=alternate type=application/feed+json href=//cdn.test/f.json>
             <link rel=stylesheet href=style.css><link rel=alternate hreflang=de href=/de>
             <link rel=alternate type=application/json href=/wp-json/posts/1>
             <link rel=alternate type=application/rss+xml href='javascript:alert(1)'></head><a href=/other.rss>",
            &["https://site.test/rss?a=1&b=2", "https://site.test/blog/atom", "https://cdn.test/f.json"],
        );
    }

    #[test]
    fn titles_and_types_come_along() {
        let base = Url::parse("https://site.test/").expect("valid");
        let page = "<link rel=alternate type='Application/RSS+XML' title=' A &amp;\n B ' href=/x>";
        let found = discover(page, &base, &Limits::default());
        assert_eq!(found[0].title.as_deref(), Some("A & B"));
        assert_eq!(found[0].media_type.as_deref(), Some("application/rss+xml"));
    }

    #[test]
    fn base_moves_relative_links_and_scripts_declare_nothing() {
        check(
            "<base href='https://other.test/x/'><script>'<link rel=alternate type=application/rss+xml href=no>'</script>
             <!-- <link rel=alternate type=application/rss+xml href=no> -->
             <link rel=alternate type=application/rss+xml href=yes>",
            &["https://other.test/x/yes"],
        );
    }

    #[test]
    fn links_that_look_like_feeds_are_the_last_resort() {
        check(
            "<a href=/about>x</a><a href=feed/>y</a><a href=/index.xml>z</a><a href=ftp://x.test/feed>w</a>
             <a href='?format=feed'>v</a><a href=/feeding>u</a>",
            &[
                "https://site.test/blog/feed/",
                "https://site.test/index.xml",
                "https://site.test/blog/?format=feed",
            ],
        );
    }

    #[test]
    fn a_page_of_links_gives_at_most_fifty() {
        let page: String = (0..1_000)
            .map(|n| format!("<link rel=alternate type=application/rss+xml href=/{n}><a href=/{n}/rss>"))
            .collect();
        let base = Url::parse("https://site.test/").expect("valid");
        assert_eq!(discover(&page, &base, &Limits::default()).len(), 50);
    }

    #[test]
    fn icons_are_found_best_first() {
        let page = "<link rel=apple-touch-icon sizes=180x180 href=/touch.png><link rel='shortcut icon' href=/f.ico>\
                    <link rel=icon sizes=32x32 href=/32.png><link rel=icon href=/i.svg type=image/svg+xml>\
                    <link rel=mask-icon href=/m.svg><link rel=icon href='javascript:alert(1)'>";
        let base = Url::parse("https://site.test/x/").expect("valid");
        let found: Vec<_> =
            icon_links(page, &base, &Limits::default()).iter().map(|u| u.path().to_owned()).collect();
        assert_eq!(found, ["/i.svg", "/32.png", "/f.ico", "/touch.png"]);
    }
}
