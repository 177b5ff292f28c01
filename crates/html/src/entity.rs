//! Character references in, characters out, exactly once; and the way back, escaping.
//!
//! Every text and value of foreign HTML passes through here. C0 controls and NUL are removed (databases and terminals
//! choke on them), lone surrogates become U+FFFD, byte order marks vanish, line ends become `\n`.

use quick_xml::escape::resolve_html5_entity;

/// What the text is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Characters as they are, to be escaped again by whoever prints them.
    Plain,
    /// HTML text.
    Text,
    /// The inside of a double-quoted HTML value.
    Value,
}

/// Decodes `raw` once and appends it to `out` in the given form. References without a semicolon are read as the
/// standard reads them in text (§13.2.5.73); within a value `&copy=1` stays what it is, a query.
pub(crate) fn decode_into(out: &mut String, raw: &str, form: Form, in_value: bool) {
    let bytes = raw.as_bytes();
    let (mut done, mut i) = (0, 0);
    while let Some(offset) = bytes[i..].iter().position(|&b| SPECIAL[usize::from(b)]) {
        let at = i + offset;
        let (replaced, length) = match bytes[at] {
            b'&' => match reference(&raw[at..], in_value) {
                Some((found, length)) => (Piece::Reference(found), length),
                None => (Piece::Char('&'), 1),
            },
            0xC2 if bytes.get(at + 1) == Some(&0xA0) => (Piece::Char('\u{A0}'), 2),
            0xEF if bytes[at..].starts_with("\u{FEFF}".as_bytes()) => (Piece::Nothing, 3),
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => (Piece::Nothing, 1),
            b'\r' => (Piece::Char('\n'), 1),
            0x0C => (Piece::Char(' '), 1),
            0x00..0x20 => (Piece::Nothing, 1),
            b @ (b'<' | b'>' | b'"') => (Piece::Char(char::from(b)), 1),
            _ => {
                i = at + 1;
                continue;
            }
        };
        out.push_str(&raw[done..at]);
        match replaced {
            Piece::Nothing => {}
            Piece::Char(c) => push(out, c, form),
            Piece::Reference(Reference::Named(text)) => text.chars().for_each(|c| push(out, c, form)),
            Piece::Reference(Reference::Number(c)) => push(out, c, form),
            Piece::Reference(Reference::Removed) => {}
        }
        done = at + length;
        i = done;
    }
    out.push_str(&raw[done..]);
}

/// Appends characters that are already decoded and clean.
pub(crate) fn escape_into(out: &mut String, text: &str, form: Form) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\u{A0}']) {
        out.push_str(&rest[..at]);
        let mut after = rest[at..].chars();
        if let Some(c) = after.next() {
            push(out, c, form);
        }
        rest = after.as_str();
    }
    out.push_str(rest);
}

fn push(out: &mut String, c: char, form: Form) {
    match (form, c) {
        (Form::Plain, _) => out.push(c),
        (_, '&') => out.push_str("&amp;"),
        (_, '<') => out.push_str("&lt;"),
        (_, '>') => out.push_str("&gt;"),
        (_, '\u{A0}') => out.push_str("&nbsp;"),
        (Form::Value, '"') => out.push_str("&quot;"),
        _ => out.push(c),
    }
}

enum Piece {
    Nothing,
    Char(char),
    Reference(Reference),
}

#[derive(Debug, PartialEq, Eq)]
enum Reference {
    Named(&'static str),
    Number(char),
    /// A reference to a control character.
    Removed,
}

/// Reads the reference at the start of `raw`, which is an `&`, and its length. `None` when it is a bare ampersand.
fn reference(raw: &str, in_value: bool) -> Option<(Reference, usize)> {
    let bytes = raw.as_bytes();
    if bytes.get(1) == Some(&b'#') {
        return number(bytes);
    }
    let length = bytes[1..].iter().take(NAME_BYTES_MAX).take_while(|b| b.is_ascii_alphanumeric()).count();
    let name = &raw[1..=length];
    if bytes.get(1 + length) == Some(&b';')
        && let Some(text) = named(name)
    {
        return Some((Reference::Named(text), length + 2));
    }
    // Old names may lack their semicolon; the longest one counts. Within a value, not when a query goes on.
    (2..=length.min(6)).rev().find_map(|n| {
        let prefix = &name[..n];
        if !LEGACY.contains(&prefix) {
            return None;
        }
        let next = bytes.get(1 + n);
        if in_value && next.is_some_and(|b| *b == b'=' || b.is_ascii_alphanumeric()) {
            return None;
        }
        named(prefix).map(|text| (Reference::Named(text), 1 + n))
    })
}

fn named(name: &str) -> Option<&'static str> {
    // The six that make up nearly all references of real feeds are found without the long table.
    let text = match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "nbsp" => "\u{A0}",
        "apos" => "'",
        _ => resolve_html5_entity(name)?,
    };
    Some(text)
}

fn number(bytes: &[u8]) -> Option<(Reference, usize)> {
    let hex = matches!(bytes.get(2), Some(b'x' | b'X'));
    let (start, radix) = if hex { (3, 16) } else { (2, 10) };
    let digits = bytes[start..].iter().take_while(|b| char::from(**b).is_digit(radix)).count();
    if digits == 0 {
        return None;
    }
    let value = bytes[start..start + digits].iter().fold(0_u32, |value, b| {
        value.saturating_mul(radix).saturating_add(char::from(*b).to_digit(radix).unwrap_or(0))
    });
    let end = start + digits;
    let length = if bytes.get(end) == Some(&b';') { end + 1 } else { end };
    let found = match value {
        0x09 | 0x0A => Reference::Number(if value == 9 { '\t' } else { '\n' }),
        0x0C | 0x0D => Reference::Number(' '),
        0..0x20 | 0xFEFF => Reference::Removed,
        0x80..0xA0 => Reference::Number(WINDOWS_1252[value as usize - 0x80]),
        _ => Reference::Number(char::from_u32(value).unwrap_or('\u{FFFD}')),
    };
    Some((found, length))
}

/// The longest name of the standard's table is `CounterClockwiseContourIntegral`.
const NAME_BYTES_MAX: usize = 32;

/// Bytes that need a closer look.
static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 0x20 {
        table[i] = i != 0x09 && i != 0x0A;
        i += 1;
    }
    table[b'&' as usize] = true;
    table[b'<' as usize] = true;
    table[b'>' as usize] = true;
    table[b'"' as usize] = true;
    table[0xC2] = true;
    table[0xEF] = true;
    table
};

/// What people mean by `&#146;` (§13.2.5.84): windows-1252, with the five unassigned places left as they are.
const WINDOWS_1252: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2C6}',
    '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8D}', '\u{17D}', '\u{8F}', '\u{90}', '\u{2018}',
    '\u{2019}', '\u{201C}', '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2DC}', '\u{2122}', '\u{161}',
    '\u{203A}', '\u{153}', '\u{9D}', '\u{17E}', '\u{178}',
];

/// Names that count without a semicolon.
const LEGACY: [&str; 106] = [
    "AElig", "AMP", "Aacute", "Acirc", "Agrave", "Aring", "Atilde", "Auml", "COPY", "Ccedil", "ETH",
    "Eacute", "Ecirc", "Egrave", "Euml", "GT", "Iacute", "Icirc", "Igrave", "Iuml", "LT", "Ntilde", "Oacute",
    "Ocirc", "Ograve", "Oslash", "Otilde", "Ouml", "QUOT", "REG", "THORN", "Uacute", "Ucirc", "Ugrave",
    "Uuml", "Yacute", "aacute", "acirc", "acute", "aelig", "agrave", "amp", "aring", "atilde", "auml",
    "brvbar", "ccedil", "cedil", "cent", "copy", "curren", "deg", "divide", "eacute", "ecirc", "egrave",
    "eth", "euml", "frac12", "frac14", "frac34", "gt", "iacute", "icirc", "iexcl", "igrave", "iquest",
    "iuml", "laquo", "lt", "macr", "micro", "middot", "nbsp", "not", "ntilde", "oacute", "ocirc", "ograve",
    "ordf", "ordm", "oslash", "otilde", "ouml", "para", "plusmn", "pound", "quot", "raquo", "reg", "sect",
    "shy", "sup1", "sup2", "sup3", "szlig", "thorn", "times", "uacute", "ucirc", "ugrave", "uml", "uuml",
    "yacute", "yen", "yuml",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(raw: &str) -> String {
        let mut out = String::new();
        decode_into(&mut out, raw, Form::Plain, false);
        out
    }

    #[test]
    fn references_are_decoded_once() {
        assert_eq!(plain("&amp;lt;b&amp;gt; &eacute;&hellip;&#8217;&#x2019;"), "&lt;b&gt; é…’’");
        assert_eq!(
            plain("&copy 2026 &notit; &unknown; & &; &#; &#x;"),
            "© 2026 ¬it; &unknown; & &; &#; &#x;"
        );
        assert_eq!(plain("&#146;&#150;"), "’–");
    }

    #[test]
    fn every_name_that_needs_no_semicolon_is_known() {
        assert!(LEGACY.iter().all(|name| named(name).is_some()));
    }

    #[test]
    fn queries_in_values_survive() {
        let mut out = String::new();
        decode_into(&mut out, "?a=1&copy=2&reg3&amp;lt=4", Form::Plain, true);
        assert_eq!(out, "?a=1&copy=2&reg3&lt=4");
    }

    #[test]
    fn p7_controls_vanish_and_surrogates_are_replaced() {
        assert_eq!(
            plain("a\0b&#0;c&#x1F;d\u{1B}[0m&#xD800;&#x110000;&#99999999999;"),
            "abcd[0m\u{FFFD}\u{FFFD}\u{FFFD}"
        );
        assert_eq!(plain("a\r\nb\rc\td"), "a\nb\nc\td");
        assert_eq!(plain("👩\u{200D}🚀"), "👩\u{200D}🚀");
        assert_eq!(plain("\u{FEFF}a&#xFEFF;b，"), "ab，");
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let mut once = String::new();
        decode_into(&mut once, "a<b>\"&amp;\u{A0}é", Form::Value, true);
        assert_eq!(once, "a&lt;b&gt;&quot;&amp;&nbsp;é");
        let mut again = String::new();
        decode_into(&mut again, &once, Form::Value, true);
        assert_eq!(once, again);
    }
}
