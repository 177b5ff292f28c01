//! Web pages: a site's front page with its feed links, articles a person could read, and the pages that are served in
//! place of feeds. Articles carry the clutter that an extractor must see through.

use crate::calendar::{MONTHS, civil};
use crate::document::media_type;
use crate::spec::FeedSpec;
use crate::story::Story;
use crate::world::{Posted, World};
use std::fmt::Write;

/// The front page of one feed's site, or of a shared host with all its feeds.
pub(crate) fn front(world: &World, specs: &[&FeedSpec], latest: &[Posted]) -> String {
    let title = specs.first().map_or("Nothing here", |spec| spec.title.as_str());
    let mut head = String::new();
    let mut list = String::new();
    for spec in specs {
        let media = media_type(spec.format).split(';').next().unwrap_or_default();
        let _ = writeln!(
            head,
            "<link rel=\"alternate\" type=\"{media}\" title=\"{}\" href=\"{}\">",
            text(&spec.title),
            spec.url_path
        );
        let site = world.site_url(spec.index).unwrap_or_default();
        let _ = writeln!(list, "<li><a href=\"{site}\">{}</a>: {}</li>", text(&spec.title), spec.tagline);
    }
    let mut body = format!("<h1>{}</h1>\n<ul>\n{list}</ul>\n", text(title));
    for posted in latest {
        let _ = writeln!(
            body,
            "<h2><a href=\"{}\">{}</a></h2>\n<p>{}</p>",
            posted.link,
            text(&posted.title),
            text(&posted.summary)
        );
    }
    let prefix = match specs {
        [only] => only.prefix.as_str(),
        _ => "",
    };
    page_of(prefix, title, &head, &body)
}

pub(crate) fn article(spec: &FeedSpec, posted: &Posted) -> String {
    let c = civil(posted.at);
    let month = MONTHS.get(usize::from(c.month).saturating_sub(1)).copied().unwrap_or_default();
    let body = format!(
        "<header><a class=\"brand\" href=\"{}/\">{}</a><nav><a href=\"/\">Home</a> <a href=\"/about\">About</a> \
         <a href=\"{}\">Feed</a></nav></header>\n<main><article>\n<h1>{}</h1>\n<p class=\"byline\">By {}, {} {month} \
         {}</p>\n{}</article></main>\n<aside><h2>Also read</h2><ul><li><a href=\"/\">The newest texts</a></li>\
         <li><a href=\"/about\">Who we are</a></li></ul></aside>\n<footer>{}. {}</footer>",
        spec.prefix,
        text(&spec.title),
        spec.url_path,
        text(&posted.title),
        text(&posted.author),
        c.day,
        c.year,
        posted.html,
        text(&spec.title),
        spec.tagline
    );
    page_of(&spec.prefix, &posted.title, "", &body)
}

pub(crate) fn story(story: &Story) -> String {
    let mut body = format!("<article><h1>{}</h1>\n", text(&story.subject));
    for fact in &story.facts {
        let _ = writeln!(body, "<p>{}</p>", text(fact));
    }
    body.push_str("</article>");
    page(&story.subject, "", &body)
}

pub(crate) fn shelf(topic: &str, number: u32) -> String {
    let title = format!("Reading list on {topic}, page {number}");
    page(&title, "", &format!("<h1>{title}</h1><p>Texts that others keep pointing to.</p>"))
}

pub(crate) fn about(spec: &FeedSpec) -> String {
    let title = format!("About {}", spec.title);
    page(
        &title,
        "",
        &format!("<h1>{}</h1><p>{}. Written by {}.</p>", text(&title), spec.tagline, spec.author),
    )
}

pub(crate) fn maintenance(spec: &FeedSpec) -> String {
    page(
        "Down for maintenance",
        "",
        &format!("<h1>Back in a moment</h1><p>{} is being looked after.</p>", text(&spec.title)),
    )
}

pub(crate) fn login(spec: &FeedSpec) -> String {
    page(
        "Sign in",
        "",
        &format!(
            "<h1>Sign in to read {}</h1><form method=\"post\" action=\"/login\"><input name=\"user\">\
             <input name=\"password\" type=\"password\"><button>Sign in</button></form>",
            text(&spec.title)
        ),
    )
}

pub(crate) fn captcha(spec: &FeedSpec) -> String {
    page(
        "Just a moment...",
        "",
        &format!("<h1>Checking that you are a person</h1><p>{} will open shortly.</p>", text(&spec.host)),
    )
}

fn page(title: &str, head: &str, body: &str) -> String {
    page_of("", title, head, body)
}

/// `prefix` is where the site lies on its host; its icon lies there too.
fn page_of(prefix: &str, title: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
         <link rel=\"icon\" type=\"image/png\" href=\"{prefix}/favicon.png\">\n{head}</head>\n<body>\n{body}\n</body>\n</html>\n",
        text(title)
    )
}

fn text(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    crate::document::escape(&mut out, plain);
    out
}
