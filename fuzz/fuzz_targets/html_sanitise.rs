//! Whatever goes in, only listed names and schemes come out, within bounds; a second pass changes nothing, and neither
//! does ammonia, which reads as a browser does.
//!
//! The lists here are written again on purpose: a slip in the crate's own tables must not hide from its fuzz target.
#![no_main]

use ammonia::{Builder, UrlRelative};
use domain::Limits;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use url::Url;

const TAGS: &[&str] = &[
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "audio",
    "b",
    "bdi",
    "bdo",
    "big",
    "blockquote",
    "br",
    "caption",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "picture",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];

const ATTRIBUTES: &[&str] = &[
    "alt", "cite", "colspan", "controls", "datetime", "dir", "height", "href", "hreflang", "kind", "label",
    "lang", "loading", "media", "open", "poster", "preload", "rel", "reversed", "rowspan", "scope", "sizes",
    "src", "srclang", "srcset", "start", "title", "type", "value", "width",
];

const SCHEMES: &[&str] = &["http:", "https:", "mailto:", "tel:", "xmpp:", "magnet:"];

static AMMONIA: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(TAGS.iter().copied().collect())
        .generic_attributes(ATTRIBUTES.iter().copied().filter(|name| *name != "rel").collect())
        .url_schemes(SCHEMES.iter().map(|scheme| scheme.trim_end_matches(':')).collect())
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer"));
    builder
});

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let html = String::from_utf8_lossy(rest);
    let base = Url::parse("https://site.test/a/b").expect("valid");
    let base = (choice % 2 == 0).then_some(&base);
    let mut limits = Limits::default();
    if choice % 4 >= 2 {
        limits.html_depth_max = 3;
        limits.item_html_bytes_max = 200;
    }
    let once = html::sanitise(&html, base, &limits).html;
    assert!(once.len() <= limits.item_html_bytes_max);
    assert!(!once.contains('\0'));
    check(&once);
    assert_eq!(html::sanitise(&once, base, &limits).html, once);
    assert_eq!(AMMONIA.clean(&once).to_string(), once);
    // Media addresses can be replaced in it, and only they.
    assert_eq!(html::rewrite_media(&once, &mut |address, _| Some(address.to_owned())), once);
    let hidden = html::rewrite_media(&once, &mut |_, _| None);
    check(&hidden);
    for tag in hidden.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag) {
        assert!(
            !tag.starts_with("img") && !tag.contains(" src=\"http") && !tag.contains(" srcset=\"http"),
            "{tag}"
        );
    }

    html::plain_text(&html, &limits);
    assert!(!html::one_line(&html, &limits).contains('\n'));
    if let Some(base) = base {
        assert!(html::discover(&html, base, &limits).len() <= 50);
    }
});

/// `<` and `>` are escaped in texts and values, so each one left is part of a tag.
fn check(html: &str) {
    for tag in html.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').expect("an end");
        assert!(!text.contains('>'), "{html}");
        let tag = tag.strip_prefix('/').unwrap_or(tag);
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(TAGS.contains(&name), "{name} in {html}");
        while !rest.is_empty() {
            let (attribute, after) = rest.split_once("=\"").expect("a value");
            let (value, after) = after.split_once('"').expect("a closing quote");
            assert!(ATTRIBUTES.contains(&attribute), "{attribute} in {html}");
            if matches!(attribute, "href" | "src" | "poster" | "cite" | "srcset") {
                assert!(SCHEMES.iter().any(|scheme| value.starts_with(scheme)), "{value} in {html}");
            }
            rest = after.trim_start();
        }
    }
}
