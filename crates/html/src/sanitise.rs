//! Foreign HTML in, HTML that may be shown on our own pages out.
//!
//! Two stages. [`clean`](crate::clean) bounds and rewrites in one linear pass. Then its work is checked: `verify` reads
//! it by a strict grammar, and what it cannot vouch for goes through ammonia, which parses it as a browser would and
//! removes whatever is not on the same lists. Tests and the fuzz target hold both against each other: ammonia never
//! finds anything to change, so leaving it out where `verify` agrees changes nothing but the time, to a tenth. The
//! result needs no content security policy to be safe, though pages send one too.

use crate::address::{LINK_SCHEMES, MEDIA_SCHEMES, Resolver, is_safe_srcset};
use crate::clean::{Purpose, clean};
use crate::entity::{Form, decode_into};
use crate::tag::{Fate, GENERIC, REL, Tag, attributes_of};
use crate::verify::is_plainly_safe;
use ammonia::{Builder, UrlRelative};
use domain::Limits;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use url::Url;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sanitised {
    /// Only listed elements and attributes; every address absolute.
    pub html: String,
    /// What was too much, in words; each at most once.
    pub complaints: Vec<&'static str>,
}

const TOO_DEEP: &str = "HTML nested too deeply was flattened (html_depth_max)";
const TOO_LONG: &str = "HTML longer than the limit was cut (item_html_bytes_max)";

/// Makes foreign HTML safe to show. Relative addresses are resolved against `base`; without one they are dropped,
/// because they would point at our own pages. Idempotent.
pub fn sanitise(html: &str, base: Option<&Url>, limits: &Limits) -> Sanitised {
    let bytes_max = limits.item_html_bytes_max;
    let within = cut(html, bytes_max);
    let resolver = Resolver::new(base, limits.url_bytes_max);
    if !within.contains('<') && within.len() <= bytes_max / ESCAPED_BYTES_MAX {
        let mut html = String::with_capacity(within.len());
        decode_into(&mut html, within, Form::Text, false);
        return Sanitised { html, complaints: Vec::new() };
    }
    let cleaned = clean(within, resolver, limits, bytes_max, Purpose::Body);
    let mut complaints = Vec::new();
    if cleaned.too_deep {
        complaints.push(TOO_DEEP);
    }
    if cleaned.too_long || within.len() < html.len() {
        complaints.push(TOO_LONG);
    }
    let html = if is_plainly_safe(&cleaned.html) { cleaned.html } else { by_ammonia(&cleaned.html) };
    Sanitised { html, complaints }
}

/// No byte of text becomes longer than `&quot;` or `&nbsp;`.
const ESCAPED_BYTES_MAX: usize = 6;

/// At most `bytes_max` bytes of a text, cut between characters.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

/// The last word about what is not plainly safe.
fn by_ammonia(html: &str) -> String {
    static AMMONIA: LazyLock<Builder<'static>> = LazyLock::new(ammonia);
    AMMONIA.clean(html).to_string()
}

/// Ammonia, told our lists. Addresses are absolute by now, so it refuses relative ones.
fn ammonia() -> Builder<'static> {
    let kept = || Tag::ALL.iter().copied().filter(|tag| matches!(tag.fate(), Fate::Keep | Fate::Void));
    let names =
        |tag: Tag| attributes_of(tag).iter().map(|(attribute, _)| attribute.name()).collect::<HashSet<_>>();
    let mut builder = Builder::empty();
    builder
        .tags(kept().map(Tag::name).collect())
        .clean_content_tags(
            Tag::ALL.iter().filter(|tag| tag.fate() == Fate::Skip).map(|tag| tag.name()).collect(),
        )
        .tag_attributes(kept().map(|tag| (tag.name(), names(tag))).collect::<HashMap<_, _>>())
        .generic_attributes(GENERIC.iter().map(|(attribute, _)| attribute.name()).collect())
        .url_schemes(LINK_SCHEMES.into())
        .url_relative(UrlRelative::Deny)
        .link_rel(Some(REL))
        .attribute_filter(|_, attribute, value| {
            let keep = match attribute {
                // Ammonia does not count these among its addresses, and lets links and media have the same schemes.
                "srcset" => is_safe_srcset(value),
                "src" | "poster" => has_scheme(value, &MEDIA_SCHEMES),
                "cite" => has_scheme(value, &LINK_SCHEMES),
                _ => true,
            };
            keep.then_some(Cow::Borrowed(value))
        });
    builder
}

fn has_scheme(address: &str, schemes: &[&str]) -> bool {
    address.split_once(':').is_some_and(|(scheme, _)| schemes.contains(&scheme))
}

#[cfg(test)]
mod tests;
