//! RSS 2.0, RSS 1.0 and Atom, written by hand: the farm also has to write what no XML library would.

use super::{Frame, Shown};
use crate::calendar::{http_date, rfc3339};
use crate::spec::FeedSpec;
use std::fmt::Write;

pub(crate) fn rss(frame: &Frame<'_>, items: &[Shown]) -> String {
    let spec = frame.spec;
    let mut out = String::with_capacity(1_024 + items.len() * 3_600);
    out.push_str("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" xmlns:atom=\"http://www.w3.org/2005/Atom\">\n<channel>\n");
    element(&mut out, "title", &spec.title);
    element(&mut out, "link", &frame.site_url);
    element(&mut out, "description", spec.tagline);
    element(&mut out, "language", "en");
    let _ =
        writeln!(out, "<atom:link rel=\"self\" type=\"application/rss+xml\" href=\"{}\"/>", frame.self_url);
    element(&mut out, "lastBuildDate", &http_date(frame.changed_at));
    hints(&mut out, spec);
    for item in items {
        out.push_str("<item>\n");
        element(&mut out, "title", &item.title);
        element(&mut out, "link", &item.link);
        if let Some(guid) = &item.guid {
            let lasting = guid.starts_with("http://");
            let _ = write!(out, "<guid isPermaLink=\"{lasting}\">");
            escape(&mut out, guid);
            out.push_str("</guid>\n");
        }
        if let Some(date) = &item.published {
            element(&mut out, "pubDate", date);
        }
        element(&mut out, "dc:creator", &item.author);
        for tag in &item.tags {
            element(&mut out, "category", tag);
        }
        element(&mut out, "description", &item.summary);
        if let Some(html) = &item.html {
            cdata(&mut out, "content:encoded", html);
        }
        if let Some(enclosure) = &item.enclosure {
            let _ = writeln!(
                out,
                "<enclosure url=\"{}\" length=\"{}\" type=\"audio/wav\"/>\n<itunes:duration>{}</itunes:duration>",
                enclosure.url,
                enclosure.bytes.unwrap_or(0),
                enclosure.seconds.unwrap_or(0)
            );
        }
        out.push_str("</item>\n");
    }
    out.push_str("</channel>\n</rss>\n");
    out
}

pub(crate) fn atom(frame: &Frame<'_>, items: &[Shown]) -> String {
    let spec = frame.spec;
    let mut out = String::with_capacity(1_024 + items.len() * 4_000);
    out.push_str("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"en\">\n");
    element(&mut out, "title", &spec.title);
    element(&mut out, "subtitle", spec.tagline);
    element(&mut out, "id", &frame.site_url);
    element(&mut out, "updated", &rfc3339(frame.changed_at));
    let _ = writeln!(
        out,
        "<link rel=\"self\" href=\"{}\"/>\n<link href=\"{}\"/>",
        frame.self_url, frame.site_url
    );
    // As on the web: most have pixels.
    let kind = if spec.index.is_multiple_of(5) { "svg" } else { "png" };
    let _ = writeln!(out, "<icon>{}favicon.{kind}</icon>", frame.site_url);
    for item in items {
        out.push_str("<entry>\n");
        element(&mut out, "title", &item.title);
        if let Some(guid) = &item.guid {
            element(&mut out, "id", guid);
        }
        let _ = write!(out, "<link href=\"");
        escape(&mut out, &item.link);
        out.push_str("\"/>\n");
        if let Some(date) = &item.published {
            element(&mut out, "published", date);
        }
        if let Some(date) = &item.updated {
            element(&mut out, "updated", date);
        }
        out.push_str("<author>");
        element(&mut out, "name", &item.author);
        out.push_str("</author>\n");
        for tag in &item.tags {
            let _ = writeln!(out, "<category term=\"{tag}\"/>");
        }
        element(&mut out, "summary", &item.summary);
        if let Some(html) = &item.html {
            out.push_str("<content type=\"html\">");
            escape(&mut out, html);
            out.push_str("</content>\n");
        }
        out.push_str("</entry>\n");
    }
    out.push_str("</feed>\n");
    out
}

pub(crate) fn rdf(frame: &Frame<'_>, items: &[Shown]) -> String {
    let spec = frame.spec;
    let mut out = String::with_capacity(1_024 + items.len() * 3_600);
    out.push_str("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://purl.org/rss/1.0/\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\">\n");
    let _ = writeln!(out, "<channel rdf:about=\"{}\">", frame.self_url);
    element(&mut out, "title", &spec.title);
    element(&mut out, "link", &frame.site_url);
    element(&mut out, "description", spec.tagline);
    element(&mut out, "dc:date", &rfc3339(frame.changed_at));
    syndication(&mut out, spec);
    out.push_str("<items><rdf:Seq>\n");
    for item in items {
        out.push_str("<rdf:li rdf:resource=\"");
        escape(&mut out, item.guid.as_deref().unwrap_or(&item.link));
        out.push_str("\"/>\n");
    }
    out.push_str("</rdf:Seq></items>\n</channel>\n");
    for item in items {
        out.push_str("<item rdf:about=\"");
        escape(&mut out, item.guid.as_deref().unwrap_or(&item.link));
        out.push_str("\">\n");
        element(&mut out, "title", &item.title);
        element(&mut out, "link", &item.link);
        if let Some(date) = &item.published {
            element(&mut out, "dc:date", date);
        }
        element(&mut out, "dc:creator", &item.author);
        for tag in &item.tags {
            element(&mut out, "dc:subject", tag);
        }
        element(&mut out, "description", &item.summary);
        if let Some(html) = &item.html {
            cdata(&mut out, "content:encoded", html);
        }
        out.push_str("</item>\n");
    }
    out.push_str("</rdf:RDF>\n");
    out
}

fn hints(out: &mut String, spec: &FeedSpec) {
    if let Some(minutes) = spec.habits.ttl_minutes {
        element(out, "ttl", &minutes.to_string());
    }
    if !spec.habits.skip_hours.is_empty() {
        out.push_str("<skipHours>");
        for hour in &spec.habits.skip_hours {
            let _ = write!(out, "<hour>{hour}</hour>");
        }
        out.push_str("</skipHours>\n");
    }
    syndication(out, spec);
}

fn syndication(out: &mut String, spec: &FeedSpec) {
    if let Some(frequency) = spec.habits.update_frequency {
        element(out, "sy:updatePeriod", "hourly");
        element(out, "sy:updateFrequency", &frequency.to_string());
    }
}

fn element(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, "<{name}>");
    escape(out, text);
    let _ = writeln!(out, "</{name}>");
}

/// The text never holds the end mark: it is ours, and script attacks are escaped by their own behaviour.
fn cdata(out: &mut String, name: &str, html: &str) {
    let _ = writeln!(out, "<{name}><![CDATA[{html}]]></{name}>");
}

pub(crate) fn escape(out: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let replacement = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        out.push_str(replacement);
        from = at + 1;
    }
    out.push_str(&text[from..]);
}
