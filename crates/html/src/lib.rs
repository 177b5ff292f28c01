//! Foreign HTML in; safe HTML, plain text, the main article, feed links out.

use domain::Limits;
use url::Url;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sanitised {
    pub html: String,
    /// What a publisher could repair, as short sentences; each at most once.
    pub complaints: Vec<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedLink {
    pub url: Url,
    pub title: Option<String>,
    pub media_type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    pub title: Option<String>,
    pub byline: Option<String>,
    pub html: String,
    pub text: String,
    pub language: Option<String>,
    pub image: Option<Url>,
}

pub fn sanitise(html: &str, base: Option<&Url>, _limits: &Limits) -> Sanitised {
    let mut builder = ammonia::Builder::default();
    if let Some(base) = base {
        builder.url_relative(ammonia::UrlRelative::RewriteWithBase(base.clone()));
    } else {
        builder.url_relative(ammonia::UrlRelative::Deny);
    }
    Sanitised { html: builder.clean(html).to_string(), complaints: Vec::new() }
}

pub fn plain_text(html: &str, limits: &Limits) -> String {
    one_line(html, limits)
}

pub fn one_line(html: &str, _limits: &Limits) -> String {
    let stripped = ammonia::Builder::empty().clean(html).to_string();
    quick_xml::escape::unescape_with(&stripped, quick_xml::escape::resolve_html5_entity)
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .unwrap_or_default()
}

pub fn discover(_page: &str, _base: &Url, _limits: &Limits) -> Vec<FeedLink> {
    Vec::new()
}

pub fn article(_page: &str, _base: &Url, _limits: &Limits) -> Option<Article> {
    None
}
