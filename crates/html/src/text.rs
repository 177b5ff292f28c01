//! HTML in, text out: readable paragraphs, or one line for a title.
//!
//! Neither builds a tree, so nesting costs nothing, and both decode references exactly once (X3): what a title calls
//! `&amp;lt;` is shown as `&lt;`.

use crate::entity::{Form, decode_into};
use crate::sanitise::cut;
use crate::tag::{CELL, Fate, LINE, Tag};
use crate::token::{Token, Tokens};
use domain::Limits;

/// The readable text of an HTML fragment: words parted by single spaces, blocks by single line ends.
pub fn plain_text(html: &str, limits: &Limits) -> String {
    let html = cut(html, limits.item_html_bytes_max);
    let mut text = Collapsed::default();
    let mut tokens = Tokens::new(html);
    while let Some(token) = tokens.next() {
        let name = match token {
            Token::Text(raw) => {
                text.add(raw);
                continue;
            }
            Token::Start(start) => start.name,
            Token::End(name) => name,
        };
        let Some(tag) = Tag::from_name(name) else { continue };
        if tag.fate() == Fate::Skip && matches!(token, Token::Start(_)) {
            skip(&mut tokens, tag, name);
        } else if tag.has(LINE) {
            text.gap = Gap::Line;
        } else if tag.has(CELL) {
            text.gap = text.gap.max(Gap::Space);
        }
    }
    text.out
}

/// The text of an HTML fragment on one line, for titles: at most `title_chars_max` characters. What looks like a tag
/// but is no HTML element (`Vec<T>`) is text.
pub fn one_line(html: &str, limits: &Limits) -> String {
    let html = cut(html, limits.item_html_bytes_max);
    let mut text = Collapsed::default();
    let mut tokens = Tokens::new(html);
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(raw) => text.add(raw),
            Token::Start(start) => match Tag::from_name(start.name) {
                Some(tag) if tag.fate() == Fate::Skip => skip(&mut tokens, tag, start.name),
                Some(tag) if tag.has(LINE) || tag.has(CELL) => text.gap = Gap::Space,
                Some(_) => {}
                None if start.has_attributes() || start.name.contains(['-', ':']) => {}
                None => text.add(start.source),
            },
            Token::End(name) => {
                if Tag::from_name(name).is_some_and(|tag| tag.has(LINE) || tag.has(CELL)) {
                    text.gap = Gap::Space;
                }
            }
        }
    }
    match text.out.char_indices().nth(limits.title_chars_max) {
        Some((end, _)) => text.out[..end].trim_end().to_owned(),
        None => text.out,
    }
}

fn skip(tokens: &mut Tokens<'_>, tag: Tag, name: &str) {
    if tag.is_raw() {
        tokens.raw_text(name);
    } else {
        tokens.skip_element(name);
    }
}

/// Text with its white space collapsed as it grows.
#[derive(Default)]
struct Collapsed {
    out: String,
    gap: Gap,
    decoded: String,
}

/// What parts the next word from the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
}

impl Collapsed {
    fn add(&mut self, raw: &str) {
        self.decoded.clear();
        decode_into(&mut self.decoded, raw, Form::Plain, false);
        if self.decoded.starts_with(char::is_whitespace) {
            self.gap = self.gap.max(Gap::Space);
        }
        for word in self.decoded.split_whitespace() {
            match self.gap {
                _ if self.out.is_empty() => {}
                Gap::None => {}
                Gap::Space => self.out.push(' '),
                Gap::Line => self.out.push('\n'),
            }
            self.out.push_str(word);
            self.gap = Gap::Space;
        }
        if !self.decoded.ends_with(char::is_whitespace) && !self.decoded.is_empty() {
            self.gap = Gap::None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(html: &str) -> String {
        one_line(html, &Limits::default())
    }

    #[test]
    fn blocks_become_lines_and_inline_tags_vanish() {
        let limits = Limits::default();
        assert_eq!(
            plain_text(
                "<p>One <b>t</b>wo\n\n three</p><p>four<br>five</p><ul><li>six<li>seven</ul>",
                &limits
            ),
            "One two three\nfour\nfive\nsix\nseven"
        );
        assert_eq!(plain_text("<table><tr><td>a<td>b<tr><td>c</table>", &limits), "a b\nc");
        assert_eq!(
            plain_text("a<script>x</script><style>y</style><svg><text>z</text></svg>b", &limits),
            "ab"
        );
        assert_eq!(plain_text("", &limits), "");
    }

    #[test]
    fn titles_fit_on_one_line() {
        assert_eq!(line(" A\n<b>bold</b>&nbsp; title<br>here "), "A bold title here");
        assert_eq!(line("1 < 2 & Vec<T> &mdash; <3"), "1 < 2 & Vec<T> — <3");
        assert_eq!(line("<script>x</script>y<foo onclick=1>z"), "yz");
    }

    #[test]
    fn x2_markup_in_a_title_is_never_markup_again() {
        assert_eq!(line("<img src=x onerror=alert(1)>Hello"), "Hello");
        assert_eq!(line("&lt;img src=x onerror=alert(1)&gt;"), "<img src=x onerror=alert(1)>");
    }

    #[test]
    fn x3_a_title_is_decoded_once() {
        assert_eq!(line("&amp;lt;img&amp;gt;"), "&lt;img&gt;");
        assert_eq!(line("<![CDATA[AT&amp;amp;T]]>"), "AT&amp;T");
    }

    #[test]
    fn p7_titles_hold_no_controls() {
        assert_eq!(line("a\0b&#0;c\u{7}d&#xD800;"), "abcd\u{FFFD}");
        assert_eq!(line("👩\u{200D}🚀"), "👩\u{200D}🚀");
    }

    #[test]
    fn long_titles_are_cut_between_characters() {
        assert_eq!(line(&"é".repeat(2_000)).chars().count(), 1_000);
    }
}
