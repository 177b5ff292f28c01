//! Plain text and HTML bodies out of what was written.
//!
//! A title is decoded exactly once (X3): whatever comes out is characters and is never read as markup again.

use crate::raw::{Kind, RawText};
use domain::Limits;
use url::Url;

/// One line of plain text, cut to `chars_max`. `None` when nothing is left; true when it was cut.
pub(crate) fn line(raw: &RawText, chars_max: usize, limits: &Limits) -> (Option<String>, bool) {
    let text = match raw.kind {
        Kind::Html => html::one_line(&raw.text, limits),
        Kind::Either if looks_like_html(&raw.text) => html::one_line(&raw.text, limits),
        Kind::Text | Kind::Either => collapse(&raw.text),
    };
    let (text, cut) = cut_chars(text, chars_max);
    ((!text.is_empty()).then_some(text), cut)
}

/// Sanitised HTML of a body.
pub(crate) fn body(raw: &RawText, base: Option<&Url>, limits: &Limits) -> Option<String> {
    let is_html = match raw.kind {
        Kind::Html => raw.text.contains(['<', '&']),
        Kind::Either => looks_like_html(&raw.text),
        Kind::Text => false,
    };
    let out = if is_html {
        html::sanitise(&raw.text, base, limits).html
    } else if raw.kind == Kind::Html {
        let mut out = String::with_capacity(raw.text.len());
        escape(&raw.text, &mut out);
        out
    } else {
        paragraphs(&raw.text)
    };
    let out = out.trim();
    (!out.is_empty()).then(|| out.to_owned())
}

/// Plain text as HTML: blank lines part paragraphs, line ends are kept.
pub(crate) fn paragraphs(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let text = text.replace("\r\n", "\n");
    let parts: Vec<&str> = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect();
    for part in &parts {
        if parts.len() > 1 {
            out.push_str("<p>");
        }
        for (number, text_line) in part.lines().enumerate() {
            if number > 0 {
                out.push_str("<br>");
            }
            escape(text_line, &mut out);
        }
        if parts.len() > 1 {
            out.push_str("</p>");
        }
    }
    out
}

pub(crate) fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '\u{a0}']) {
        out.push_str(&rest[..at]);
        let c = rest[at..].chars().next().unwrap_or(' ');
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            _ => out.push_str("&nbsp;"),
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.push_str(rest);
}

/// Whether text that may be either is HTML. It errs towards plain text, because a false alarm loses characters: there
/// must be a closing tag or a reference, every tag must be one HTML has, and every reference must mean something.
pub(crate) fn looks_like_html(text: &str) -> bool {
    if !text.contains(['<', '&']) {
        return false;
    }
    let mut evidence = false;
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        let after = &rest[at + 1..];
        if rest.as_bytes()[at] == b'<' {
            let closing = after.starts_with('/');
            let name = word(after.strip_prefix('/').unwrap_or(after));
            if !name.is_empty() {
                if !is_html_element(name) {
                    return false;
                }
                evidence |= closing && after[1 + name.len()..].starts_with('>');
            }
        } else if let Some(reference) = reference(after) {
            if !reference.starts_with('#') && quick_xml::escape::resolve_html5_entity(reference).is_none() {
                return false;
            }
            evidence = true;
        }
        rest = after;
    }
    evidence
}

fn word(text: &str) -> &str {
    &text[..text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())]
}

fn reference(after: &str) -> Option<&str> {
    let end = after.bytes().take(40).position(|b| b == b';')?;
    let name = after.get(..end)?;
    let digits = name.strip_prefix('#').unwrap_or(name);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(name)
}

/// In alphabetical order, for the binary search.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "big",
    "blockquote",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "command",
    "datagrid",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "event-source",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "keygen",
    "label",
    "legend",
    "li",
    "m",
    "main",
    "map",
    "mark",
    "menu",
    "meter",
    "multicol",
    "nav",
    "nextid",
    "noscript",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "pre",
    "progress",
    "q",
    "s",
    "samp",
    "script",
    "section",
    "select",
    "small",
    "sound",
    "source",
    "spacer",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];

fn is_html_element(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ELEMENTS.binary_search(&lower.as_str()).is_ok()
}

/// White space of any kind becomes one space.
pub(crate) fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4096));
    for part in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

pub(crate) fn cut_chars(mut text: String, chars_max: usize) -> (String, bool) {
    match text.char_indices().nth(chars_max) {
        Some((at, _)) => {
            text.truncate(at);
            text.truncate(text.trim_end().len());
            (text, true)
        }
        None => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_told_from_text_that_mentions_it() {
        for html in ["<b>x</b>", "a &amp; b", "x &#8217; y", "<p>one<br>two</p>", "&lt;img&gt;"] {
            assert!(looks_like_html(html), "{html}");
        }
        for text in [
            "1 < 2",
            "AT&T",
            "<img src=x onerror=alert(1)>",
            "the <title></title> tag",
            "a &nope; b",
            "Q&A; more",
        ] {
            assert!(!looks_like_html(text), "{text}");
        }
    }

    #[test]
    fn the_table_of_elements_is_sorted() {
        assert!(ELEMENTS.is_sorted());
    }

    #[test]
    fn p5_text_is_cut_between_characters() {
        assert_eq!(cut_chars("😀😀😀".into(), 2), ("😀😀".into(), true));
        assert_eq!(cut_chars("😀😀".into(), 2), ("😀😀".into(), false));
    }

    #[test]
    fn plain_text_keeps_its_paragraphs() {
        assert_eq!(paragraphs("a <b>\nc\n\nd & e\n"), "<p>a &lt;b&gt;<br>c</p><p>d &amp; e</p>");
        assert_eq!(paragraphs("just one"), "just one");
    }
}
