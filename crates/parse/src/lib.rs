//! Bytes in, document and complaints out.
//!
//! [`parse`] reads RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, and JSON Feed, however broken, and is total: any bytes
//! give a document or a sentence that says why not. It never touches network, disk or clock, never recurses on
//! outside data, and stays within [`domain::Limits`]. The stages, in order: `charset` (bytes to text), `xml` (text to
//! events), `walk` or `json` (events to fields as written), `finish` (fields as kept), with `date`, `link`, `text`,
//! `identity` doing what their names say.

mod charset;
mod complaint;
mod date;
mod entity;
mod finish;
mod hints;
mod identity;
mod json;
mod link;
mod media;
pub mod opml;
mod print;
mod raw;
mod refuse;
mod text;
mod vocabulary;
mod walk;
mod xml;

pub use refuse::NotAFeed;

use charset::Decoded;
use complaint::Complaints;
use domain::{Limits, Parsed};
use url::Url;

/// One response, as it came.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    pub bytes: &'a [u8],
    /// The Content-Type header. Only its charset counts: formats are told by content (P8).
    pub content_type: Option<&'a str>,
    /// The address the document really came from, after redirects. Without it relative links stay as written.
    pub base: Option<&'a Url>,
    /// False when the download ended early.
    pub complete: bool,
}

/// Reads a feed. The result is within `limits` whatever the bytes are.
pub fn parse(input: &Input<'_>, limits: &Limits) -> Result<Parsed, NotAFeed> {
    if input.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(NotAFeed::Empty);
    }
    let decoded = charset::decode(input.bytes, input.content_type);
    let text = decoded.text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    match text.chars().next() {
        None => Err(NotAFeed::Empty),
        Some('{' | '[') => parse_json(text, &decoded, input, limits),
        Some(_) => parse_xml(text, &decoded, input, limits),
    }
}

/// A web page's bytes as text: what the header says of the charset, else what the page says itself, else a guess.
pub fn page_text(bytes: &[u8], content_type: Option<&str>) -> String {
    let says_charset = content_type.is_some_and(|value| value.to_ascii_lowercase().contains("charset="));
    let declared = if says_charset { None } else { charset::of_page(bytes) };
    let declared = declared.map(|label| format!("text/html; charset={label}"));
    charset::decode(bytes, declared.as_deref().or(content_type)).text
}

/// The document as the object that `wellread parse` prints.
pub fn to_json(parsed: &Parsed) -> serde_json::Value {
    serde_json::to_value(print::Printed::new(parsed)).unwrap_or_default()
}

/// The same, as text with its keys in the contract's order.
pub fn to_json_text(parsed: &Parsed) -> String {
    serde_json::to_string(&print::Printed::new(parsed)).unwrap_or_default()
}

fn parse_xml(text: &str, decoded: &Decoded, input: &Input<'_>, limits: &Limits) -> Result<Parsed, NotAFeed> {
    let mut complaints = Complaints::new(limits);
    let walked = walk::walk(text, input.base, limits, &mut complaints);
    let mut document = walked.document;
    // A page that happens to contain a feed element is still a page unless there are items to show for it.
    let is_page = (walked.is_html || walked.is_opml) && document.items.seen == 0;
    let Some(format) = document.format.filter(|_| !is_page) else {
        return Err(refusal(text, &walked.root, walked.is_html, walked.is_opml, walked.asks_for_password));
    };
    document.truncated |= !input.complete;
    Ok(finish::finish(document, format, decoded, input.base, limits, complaints))
}

fn parse_json(text: &str, decoded: &Decoded, input: &Input<'_>, limits: &Limits) -> Result<Parsed, NotAFeed> {
    let mut complaints = Complaints::new(limits);
    let (value, cut) = json::value(text).map_err(NotAFeed::Json)?;
    if cut {
        complaints.add("The document ends in the middle; what came before is kept.", "document");
    }
    let Some(mut document) = json::read(&value, limits, &mut complaints) else {
        return Err(NotAFeed::Json(json::what_is_missing(&value).into()));
    };
    document.truncated = cut || !input.complete;
    let format = document.format.unwrap_or(domain::Format::Json10);
    Ok(finish::finish(document, format, decoded, input.base, limits, complaints))
}

fn refusal(text: &str, root: &Option<String>, is_html: bool, is_opml: bool, password: bool) -> NotAFeed {
    match root {
        _ if is_opml => NotAFeed::Opml,
        _ if is_html && refuse::is_gate(text, password) => NotAFeed::Login,
        _ if is_html => NotAFeed::Html,
        None if text.chars().take(1000).filter(|c| *c == char::REPLACEMENT_CHARACTER).count() > 20 => {
            NotAFeed::Binary
        }
        None => NotAFeed::Text,
        Some(_) if !text.starts_with('<') => NotAFeed::Text,
        Some(root) if refuse::is_html_part(root) => NotAFeed::Html,
        Some(root) => NotAFeed::UnknownXml { root: root.clone() },
    }
}
