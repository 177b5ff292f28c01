//! JSON Feed 1.1, written by hand for the same reason as the XML.

use super::{Frame, Shown};
use std::fmt::Write;

pub(crate) fn feed(frame: &Frame<'_>, items: &[Shown]) -> String {
    let spec = frame.spec;
    let mut out = String::with_capacity(1_024 + items.len() * 3_600);
    out.push_str("{\"version\":\"https://jsonfeed.org/version/1.1\"");
    field(&mut out, "title", &spec.title);
    field(&mut out, "description", spec.tagline);
    field(&mut out, "home_page_url", &frame.site_url);
    field(&mut out, "feed_url", &frame.self_url);
    field(&mut out, "language", "en");
    out.push_str(",\"items\":[");
    for (nth, item) in items.iter().enumerate() {
        out.push_str(if nth == 0 { "\n{" } else { ",\n{" });
        out.push_str("\"url\":");
        string(&mut out, &item.link);
        if let Some(guid) = &item.guid {
            field(&mut out, "id", guid);
        }
        field(&mut out, "title", &item.title);
        if let Some(date) = &item.published {
            field(&mut out, "date_published", date);
        }
        if let Some(date) = &item.updated {
            field(&mut out, "date_modified", date);
        }
        out.push_str(",\"authors\":[{\"name\":");
        string(&mut out, &item.author);
        out.push_str("}],\"tags\":[");
        for (nth, tag) in item.tags.iter().enumerate() {
            if nth > 0 {
                out.push(',');
            }
            string(&mut out, tag);
        }
        out.push(']');
        field(&mut out, "summary", &item.summary);
        match &item.html {
            Some(html) => field(&mut out, "content_html", html),
            None => field(&mut out, "content_text", &item.summary),
        }
        out.push('}');
    }
    out.push_str("\n]}\n");
    out
}

fn field(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, ",\"{name}\":");
    string(out, text);
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[from..at]);
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b'\n' => out.push_str("\\n"),
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
        from = at + 1;
    }
    out.push_str(&text[from..]);
    out.push('"');
}
