//! Bytes to text: which encoding a document really is in, and text that later stages may trust.
//!
//! Order (P6): byte order mark, HTTP charset, UTF-16/32 by their zero bytes, XML declaration, valid UTF-8, guess. A
//! declaration that the bytes contradict loses: feeds are often UTF-8 under an old Latin-1 label, or the other way
//! round. UTF-7 is never honoured, because it hides markup from every filter. The result holds no NUL, no C0
//! controls but tab and line ends, and no C1 controls (they are windows-1252 in disguise).

use crate::entity::windows_1252;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

pub(crate) struct Decoded {
    pub(crate) text: String,
    /// Lower case, as the WHATWG standard names it.
    pub(crate) encoding: String,
    /// Some bytes meant nothing in that encoding and were replaced.
    pub(crate) replaced: bool,
    /// A label that turned out wrong.
    pub(crate) overruled: Option<String>,
    /// Control characters were dropped.
    pub(crate) scrubbed: bool,
}

pub(crate) fn decode(bytes: &[u8], content_type: Option<&str>) -> Decoded {
    let (text, encoding, replaced, overruled) = raw_decode(bytes, content_type);
    let (text, scrubbed) = scrub(text);
    Decoded { text, encoding, replaced, overruled, scrubbed }
}

/// The charset a page names in a `meta` element near its beginning.
pub(crate) fn of_page(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..bytes.len().min(META_BYTES_MAX))?;
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    head.split("<meta").skip(1).find_map(|rest| {
        let (tag, _) = rest.split_once('>')?;
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let label: String =
            value.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_:".contains(*c)).collect();
        (!label.is_empty()).then_some(label)
    })
}

/// Browsers look no further either.
const META_BYTES_MAX: usize = 1024;

type Raw = (String, String, bool, Option<String>);

fn raw_decode(bytes: &[u8], content_type: Option<&str>) -> Raw {
    if let Some(found) = by_mark(bytes) {
        return found;
    }
    let http = content_type.and_then(charset_of);
    let declared = declared_in_xml(bytes);
    if http.is_none()
        && let Some(found) = by_zero_bytes(bytes)
    {
        return found;
    }
    for label in [http.as_deref(), declared.as_deref()].into_iter().flatten() {
        if let Some(encoding) = known(label, bytes) {
            return with_label(bytes, encoding, label);
        }
    }
    let wrong = http.or(declared).filter(|label| !is_utf8_label(label));
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), "utf-8".into(), false, wrong),
        Err(_) => {
            let (text, encoding, replaced) = guess(bytes);
            (text, encoding, replaced, wrong)
        }
    }
}

/// Byte order marks, UTF-32 before UTF-16 because the latter's is a prefix of the former's.
fn by_mark(bytes: &[u8]) -> Option<Raw> {
    if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE, 0, 0]) {
        return Some(utf_32(rest, u32::from_le_bytes, "utf-32le"));
    }
    if let Some(rest) = bytes.strip_prefix(&[0, 0, 0xFE, 0xFF]) {
        return Some(utf_32(rest, u32::from_be_bytes, "utf-32be"));
    }
    if let Some(rest) = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]) {
        let (text, replaced) = utf_8(rest);
        return Some((text, "utf-8".into(), replaced, None));
    }
    let (encoding, rest) = match bytes {
        [0xFF, 0xFE, rest @ ..] => (UTF_16LE, rest),
        [0xFE, 0xFF, rest @ ..] => (UTF_16BE, rest),
        _ => return None,
    };
    Some(plain(encoding, rest, None))
}

/// `<?` or `<x` spread over two or four bytes (XML 1.0, appendix F).
fn by_zero_bytes(bytes: &[u8]) -> Option<Raw> {
    match bytes {
        [b'<' | b'{', 0, 0, 0, ..] => Some(utf_32(bytes, u32::from_le_bytes, "utf-32le")),
        [0, 0, 0, b'<' | b'{', ..] => Some(utf_32(bytes, u32::from_be_bytes, "utf-32be")),
        [b'<' | b'{', 0, next, 0, ..] if *next != 0 => Some(plain(UTF_16LE, bytes, None)),
        [0, b'<' | b'{', 0, next, ..] if *next != 0 => Some(plain(UTF_16BE, bytes, None)),
        _ => None,
    }
}

fn utf_32(bytes: &[u8], number: fn([u8; 4]) -> u32, name: &str) -> Raw {
    let mut replaced = false;
    let mut text = String::with_capacity(bytes.len() / 4);
    for unit in bytes.chunks(4) {
        let char = <[u8; 4]>::try_from(unit).ok().and_then(|unit| char::from_u32(number(unit)));
        replaced |= char.is_none();
        text.push(char.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    (text, name.into(), replaced, None)
}

fn plain(encoding: &'static Encoding, bytes: &[u8], overruled: Option<String>) -> Raw {
    let (text, replaced) = encoding.decode_without_bom_handling(bytes);
    (text.into_owned(), encoding.name().to_ascii_lowercase(), replaced, overruled)
}

/// A label we honour for these bytes. UTF-16 labels on text that plainly has one byte per character are left over
/// from a conversion; `replacement` is the standard's name for encodings that must not be decoded.
fn known(label: &str, bytes: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label_no_replacement(label.trim().as_bytes())?;
    let wide = encoding == UTF_16LE || encoding == UTF_16BE;
    let narrow = !bytes.iter().take(64).any(|&b| b == 0);
    (!(wide && narrow)).then_some(encoding)
}

fn with_label(bytes: &[u8], encoding: &'static Encoding, label: &str) -> Raw {
    let valid_utf8 = std::str::from_utf8(bytes);
    if encoding == UTF_8 {
        return match valid_utf8 {
            Ok(text) => (text.to_owned(), "utf-8".into(), false, None),
            Err(_) => broken_utf_8(bytes, label),
        };
    }
    // Real Latin text is practically never valid UTF-8 by accident, but UTF-8 is often served under Latin labels.
    if is_latin(encoding)
        && let Ok(text) = valid_utf8
        && !bytes.is_ascii()
    {
        return (text.to_owned(), "utf-8".into(), false, Some(label.to_owned()));
    }
    plain(encoding, bytes, None)
}

fn is_latin(encoding: &'static Encoding) -> bool {
    encoding == WINDOWS_1252
        || encoding.name().starts_with("ISO-8859")
        || encoding.name().starts_with("windows-12")
}

/// Declared UTF-8 and not quite. With no intact multi-byte sequence at all the label is simply wrong and we guess;
/// otherwise single bytes were pasted in, and windows-1252 is what they almost always are.
fn broken_utf_8(bytes: &[u8], label: &str) -> Raw {
    if intact_sequences(bytes) == 0 {
        let (text, encoding, replaced) = guess(bytes);
        return (text, encoding, replaced, Some(label.to_owned()));
    }
    let (text, _) = utf_8(bytes);
    (text, "utf-8".into(), true, None)
}

fn intact_sequences(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.valid().bytes().filter(|&b| b >= 0xC2).count()).sum()
}

/// UTF-8 with stray bytes read as windows-1252. Overlong forms stay replacement characters: they are attacks, not
/// text.
fn utf_8(bytes: &[u8]) -> (String, bool) {
    let mut text = String::with_capacity(bytes.len());
    let (mut replaced, mut overlong) = (false, false);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        // What follows an overlong start belongs to it.
        overlong &= chunk.valid().is_empty();
        overlong |= matches!(chunk.invalid().first(), Some(0xC0 | 0xC1 | 0xF5..));
        for &byte in chunk.invalid() {
            replaced = true;
            text.push(if overlong { char::REPLACEMENT_CHARACTER } else { stray(byte) });
        }
    }
    (text, replaced)
}

fn stray(byte: u8) -> char {
    windows_1252(u32::from(byte)).unwrap_or(char::from(byte))
}

fn guess(bytes: &[u8]) -> (String, String, bool) {
    if intact_sequences(bytes) > 0 {
        let (text, replaced) = utf_8(bytes);
        return (text, "utf-8".into(), replaced);
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, chardetng::Utf8Detection::Deny);
    let (text, encoding, replaced, _) = plain(encoding, bytes, None);
    (text, encoding, replaced)
}

fn is_utf8_label(label: &str) -> bool {
    Encoding::for_label(label.trim().as_bytes()) == Some(UTF_8)
}

/// The `charset` parameter of a Content-Type.
fn charset_of(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

/// The `encoding` of an XML declaration, looked for in the first kilobyte only.
fn declared_in_xml(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..1024).unwrap_or(bytes));
    let declaration = &head[head.find("<?xml")?..];
    let declaration = &declaration[..declaration.find('>').unwrap_or(declaration.len())];
    let after = &declaration[declaration.find("encoding")? + "encoding".len()..];
    let after = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = after.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let value = after[1..].split(quote).next()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// Drops control characters (P7): PostgreSQL refuses NUL, SQLite's `length()` stops at it, and XML allows none.
fn scrub(text: String) -> (String, bool) {
    let is_odd =
        |c: char| (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || ('\u{7f}'..='\u{9f}').contains(&c);
    // Both ranges start with a byte that ASCII text lacks, so clean documents are passed on without a copy.
    let suspicious =
        text.bytes().any(|b| (b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r')) || b == 0x7f || b == 0xC2);
    if !suspicious || !text.chars().any(is_odd) {
        return (text, false);
    }
    let mut scrubbed = false;
    let clean = text
        .chars()
        .filter_map(|c| match c {
            _ if !is_odd(c) => Some(c),
            _ if c >= '\u{80}' => windows_1252(u32::from(c)),
            _ => {
                scrubbed = true;
                None
            }
        })
        .collect();
    (clean, scrubbed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p6_a_page_may_name_its_charset_itself() {
        for page in [
            "<html><meta charset=windows-1251><p>\u{7f}",
            "<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=windows-1251'>",
        ] {
            assert_eq!(of_page(page.as_bytes()).as_deref(), Some("windows-1251"), "{page}");
        }
        for none in ["", "<meta name=x>", "<meta charset=>", "<p>charset=utf-8", "<meta charset"] {
            assert_eq!(of_page(none.as_bytes()), None, "{none}");
        }
        let page = b"<meta charset=\"windows-1251\"><p>\xcf\xf0\xe8\xe2\xe5\xf2";
        assert!(
            crate::page_text(page, Some("text/html")).ends_with("\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}")
        );
        assert!(
            crate::page_text("<p>h\u{e9}".as_bytes(), Some("text/html; charset=utf-8")).ends_with("h\u{e9}")
        );
    }

    fn check(bytes: &[u8], content_type: Option<&str>, text: &str, encoding: &str) {
        let decoded = decode(bytes, content_type);
        assert_eq!((decoded.text.as_str(), decoded.encoding.as_str()), (text, encoding));
    }

    fn wide(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn p6_a_byte_order_mark_beats_every_label() {
        check(b"\xEF\xBB\xBF<a>\xC3\xA9", Some("text/xml; charset=iso-8859-1"), "<a>é", "utf-8");
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend(wide("<a>é", u16::to_le_bytes));
        check(&bytes, Some("text/xml; charset=utf-8"), "<a>é", "utf-16le");
    }

    #[test]
    fn p6_the_http_charset_beats_the_xml_declaration() {
        let bytes = b"<?xml version='1.0' encoding='koi8-r'?>\xCF\xCB";
        check(
            bytes,
            Some("text/xml; charset=windows-1251"),
            "<?xml version='1.0' encoding='koi8-r'?>ПЛ",
            "windows-1251",
        );
        check(bytes, Some("text/xml"), "<?xml version='1.0' encoding='koi8-r'?>ок", "koi8-r");
    }

    #[test]
    fn p6_utf_16_and_utf_32_without_a_mark_are_seen_by_their_zero_bytes() {
        check(&wide("<?xml?>é", u16::to_le_bytes), None, "<?xml?>é", "utf-16le");
        check(&wide("<?xml?>é", u16::to_be_bytes), None, "<?xml?>é", "utf-16be");
        let utf_32: Vec<u8> = "<a>é".chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
        check(&utf_32, None, "<a>é", "utf-32be");
    }

    #[test]
    fn p6_latin_1_declared_as_utf_8_is_read_as_what_it_is() {
        let bytes = b"<?xml version=\"1.0\" encoding=\"utf-8\"?><t>caf\xE9 et th\xE9 \x96 d\xE9j\xE0 vu</t>";
        let decoded = decode(bytes, None);
        assert!(decoded.text.contains("café et thé – déjà vu"), "{}", decoded.text);
        assert_eq!(decoded.overruled.as_deref(), Some("utf-8"));
    }

    #[test]
    fn p6_utf_8_under_a_latin_label_stays_utf_8() {
        check("<a>é".as_bytes(), Some("text/xml; charset=ISO-8859-1"), "<a>é", "utf-8");
    }

    #[test]
    fn p6_single_bad_bytes_are_replaced_and_the_rest_is_kept() {
        let decoded = decode(b"<a>\xC3\xA9 it\x92s \xC0\xAF", Some("text/xml; charset=utf-8"));
        assert_eq!(decoded.text, "<a>é it’s \u{FFFD}\u{FFFD}");
        assert!(decoded.replaced);
    }

    #[test]
    fn p6_shift_jis_and_windows_1252_labels_are_honoured() {
        check(b"\x83\x65\x83\x58\x83\x67", Some("text/xml; charset=Shift_JIS"), "テスト", "shift_jis");
        check(b"\x93x\x94", Some("text/xml; charset=windows-1252"), "“x”", "windows-1252");
    }

    #[test]
    fn p6_utf_7_is_never_honoured() {
        check(b"+ADw-script+AD4-", Some("text/xml; charset=utf-7"), "+ADw-script+AD4-", "utf-8");
    }

    #[test]
    fn p7_control_characters_are_dropped() {
        let decoded = decode(b"a\0b\x08c\td\x0Be\r\n", None);
        assert_eq!(decoded.text, "abc\tde\r\n");
        assert!(decoded.scrubbed);
    }
}
