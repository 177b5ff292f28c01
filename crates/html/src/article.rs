//! The main article of a web page, without menus, adverts and comments around it.
//!
//! The page is bounded and cleaned first, because the search is far from linear in depth; what is found is sanitised
//! like any foreign HTML. The search still costs the most of this crate by far: run it off the async threads.

use crate::address::{MEDIA_SCHEMES, Resolver};
use crate::clean::{Purpose, clean};
use crate::discover::{base_of, page_within};
use crate::sanitise::sanitise;
use crate::text::plain_text;
use dom_smoothie::{Config, Readability};
use domain::Limits;
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    pub title: Option<String>,
    pub byline: Option<String>,
    /// Sanitised, with absolute addresses.
    pub html: String,
    pub text: String,
    pub language: Option<String>,
    pub image: Option<Url>,
}

/// The search walks up and down the tree for every element, so depth multiplies its cost; real pages stay below this.
const PAGE_DEPTH_MAX: usize = 100;

/// More elements than this are no article, and would keep a core busy.
const ELEMENTS_MAX: usize = 20_000;

/// Finds the main article of a page; `None` when there is none to speak of.
pub fn article(page: &str, base: &Url, limits: &Limits) -> Option<Article> {
    let page = page_within(page, limits);
    let base = base_of(page, base, limits);
    let resolver = Resolver::new(Some(&base), limits.url_bytes_max);
    let shallow = Limits { html_depth_max: limits.html_depth_max.min(PAGE_DEPTH_MAX), ..limits.clone() };
    let cleaned = clean(page, resolver, &shallow, limits.item_html_bytes_max, Purpose::Page);
    let (head, body) = (&cleaned.head, &cleaned.html);
    let document = format!("<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>");
    // JSON-LD is not read: scripts are gone by now, and its parser need not meet hostile input.
    let config = Config { disable_json_ld: true, max_elements_to_parse: ELEMENTS_MAX, ..Config::default() };
    let found = Readability::new(document, Some(base.as_str()), Some(config)).ok()?.parse().ok()?;
    let html = sanitise(&found.content, Some(&base), limits).html;
    let text = plain_text(&html, limits);
    if text.is_empty() {
        return None;
    }
    let line = |text: String| {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!line.is_empty()).then_some(line)
    };
    Some(Article {
        title: line(found.title),
        byline: found.byline.and_then(line),
        html,
        text,
        language: cleaned.language,
        image: found.image.and_then(|image| resolver.resolve(&image, &MEDIA_SCHEMES)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &str) -> String {
        format!(
            "<html lang=en-GB><head><title>Tides of the estuary</title><meta name=author content='Ada Voss'>\
             <meta property='og:image' content='/tide.jpg'></head><body><nav><a href=/>Home</a> <a href=/x>More</a></nav>\
             <article><h1>Tides of the estuary</h1>{body}</article><footer>Imprint</footer></body></html>"
        )
    }

    fn paragraphs() -> String {
        (0..12)
            .map(|n| {
                format!(
                    "<p>Paragraph {n} tells, with some commas, how the water comes in over the mud flats, fills the \
                     creeks, and leaves again before <a href=birds.html>the birds</a> have finished their meal.</p>"
                )
            })
            .collect()
    }

    #[test]
    fn the_article_is_found_and_the_menu_is_not() {
        let base = Url::parse("https://site.test/news/tides").expect("valid");
        let hostile = "<script>alert(1)</script><img src=/a.png onerror=alert(1)>";
        let found = article(&page(&(paragraphs() + hostile)), &base, &Limits::default()).expect("an article");
        assert_eq!(found.title.as_deref(), Some("Tides of the estuary"));
        assert_eq!(found.byline.as_deref(), Some("Ada Voss"));
        assert_eq!(found.language.as_deref(), Some("en-GB"));
        assert_eq!(found.image.map(String::from).as_deref(), Some("https://site.test/tide.jpg"));
        assert!(found.text.contains("Paragraph 11") && !found.text.contains("Imprint"), "{}", found.text);
        assert!(found.html.contains("href=\"https://site.test/news/birds.html\""), "{}", found.html);
        assert!(!found.html.contains("alert") && !found.html.contains("class="), "{}", found.html);
    }

    #[test]
    fn p3_a_deep_page_is_flattened_before_the_search() {
        let base = Url::parse("https://site.test/").expect("valid");
        let deep = format!("{}{}{}", "<div>".repeat(10_000), paragraphs(), "</div>".repeat(10_000));
        let limits = Limits::default();
        let resolver = Resolver::new(Some(&base), limits.url_bytes_max);
        let cleaned = clean(&page(&deep), resolver, &limits, limits.item_html_bytes_max, Purpose::Page);
        assert!(cleaned.too_deep);
        assert!(cleaned.html.matches("<div>").count() <= limits.html_depth_max);
        assert!(
            article(&page(&deep), &base, &limits).is_some_and(|found| found.text.contains("Paragraph 11"))
        );
    }

    #[test]
    fn an_empty_page_has_no_article() {
        let base = Url::parse("https://site.test/").expect("valid");
        assert_eq!(article("", &base, &Limits::default()), None);
        assert_eq!(article("<html><body></body></html>", &base, &Limits::default()), None);
    }
}
