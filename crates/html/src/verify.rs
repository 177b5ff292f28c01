//! The check behind the writer: is this HTML plainly safe, token by token?
//!
//! It shares nothing with the writer but the lists, and accepts one spelling only: lower-case listed names, listed
//! attributes in double quotes, addresses that start with an allowed scheme, `<`, `>` and stray `&` escaped, no
//! controls. That is enough. No listed element makes a browser read text differently (as `script`, `style`, `svg`,
//! `noscript`, `template` or `textarea` do), so a browser finds exactly the tokens checked here, and whatever tree it
//! builds from them holds nothing else. What is not plainly safe is not refused: ammonia decides about it.

use crate::address::{LINK_SCHEMES, is_safe_srcset};
use crate::tag::{Fate, GENERIC, REL, Rule, Tag, attributes_of};

pub(crate) fn is_plainly_safe(html: &str) -> bool {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        if !is_text(&rest[..at]) {
            return false;
        }
        let Some((tag, after)) = rest[at + 1..].split_once('>') else { return false };
        let safe = match tag.strip_prefix('/') {
            Some(name) => listed(name).is_some_and(|tag| tag.fate() == Fate::Keep),
            None => is_start(tag),
        };
        if !safe {
            return false;
        }
        rest = after;
    }
    is_text(rest)
}

fn listed(name: &str) -> Option<Tag> {
    Tag::from_name(name).filter(|tag| tag.name() == name && matches!(tag.fate(), Fate::Keep | Fate::Void))
}

fn is_start(source: &str) -> bool {
    let (name, mut rest) = source.split_once(' ').unwrap_or((source, ""));
    let Some(tag) = listed(name).filter(|_| !source.ends_with(' ')) else { return false };
    let mut has_rel = false;
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once("=\"") else { return false };
        let Some((value, after)) = after.split_once('"') else { return false };
        if tag == Tag::A && name == "rel" {
            has_rel = value == REL;
        } else if !is_attribute(tag, name, value) {
            return false;
        }
        rest = match after.strip_prefix(' ') {
            Some(next) => next,
            None if after.is_empty() => after,
            None => return false,
        };
    }
    // Links without an address would be harmless, but the writer makes none.
    has_rel == (tag == Tag::A)
}

fn is_attribute(tag: Tag, name: &str, value: &str) -> bool {
    let Some((_, rule)) =
        attributes_of(tag).iter().chain(GENERIC).find(|(attribute, _)| attribute.name() == name)
    else {
        return false;
    };
    is_text(value)
        && match rule {
            Rule::Link => LINK_SCHEMES
                .iter()
                .any(|scheme| value.strip_prefix(scheme).is_some_and(|rest| rest.starts_with(':'))),
            Rule::Media => value.starts_with("https://") || value.starts_with("http://"),
            Rule::Srcset => is_safe_srcset(value),
            Rule::Always(fixed) => value == *fixed,
            _ => true,
        }
}

/// No markup, no controls, and every ampersand one of the five references we write.
fn is_text(text: &str) -> bool {
    let mut bytes = text.as_bytes();
    while let Some(at) =
        bytes.iter().position(|b| matches!(b, b'&' | b'<' | b'>' | 0..0x20) && !matches!(b, b'\t' | b'\n'))
    {
        if bytes[at] != b'&' {
            return false;
        }
        bytes = &bytes[at + 1..];
        let Some(reference) = REFERENCES.iter().find(|reference| bytes.starts_with(reference.as_bytes()))
        else {
            return false;
        };
        bytes = &bytes[reference.len()..];
    }
    true
}

const REFERENCES: [&str; 5] = ["amp;", "lt;", "gt;", "nbsp;", "quot;"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_spelling_is_accepted() {
        for safe in [
            "",
            "text &amp; more &lt;b&gt;",
            "<p>x</p>",
            "<a href=\"https://h.test/?a=1&amp;b\" title=\"x &quot;\" rel=\"noopener noreferrer\">y</a>",
            "<img src=\"http://h.test/\" srcset=\"https://h.test/a 1x, http://h.test/b 2x\" loading=\"lazy\"><br>",
        ] {
            assert!(is_plainly_safe(safe), "{safe}");
        }
    }

    #[test]
    fn everything_else_is_left_to_ammonia() {
        for unsure in [
            "a < b",
            "a > b",
            "a & b",
            "&#106;",
            "a\0b",
            "<P>",
            "<p >",
            "<p  title=\"x\">",
            "<p title=x>",
            "<p title='x'>",
            "<p title=\"x\" >",
            "<p title=\"x\"onclick=\"y\">",
            "<p onclick=\"y\">",
            "<p title=\"<\">",
            "<!-- x -->",
            "<script>",
            "</script>",
            "</br>",
            "<svg>",
            "<x-y>",
            "<p",
            "<",
            "</>",
            "<a href=\"https://h.test/\">x</a>",
            "<a href=\"x\" rel=\"noopener noreferrer\">",
            "<a href=\"javascript:x\" rel=\"noopener noreferrer\">",
            "<a href=\"https://h.test/\" rel=\"opener\">",
            "<img src=\"mailto:x\" loading=\"lazy\">",
            "<img srcset=\"javascript:x 1x\">",
            "<img src=\"//h.test/\">",
            "<p style=\"x\">",
            "<video autoplay=\"\">",
            "<video controls=\"x\">",
            "<blockquote cite=\"data:x\">",
        ] {
            assert!(!is_plainly_safe(unsure), "{unsure}");
        }
    }
}
