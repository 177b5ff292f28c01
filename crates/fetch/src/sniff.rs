//! What bytes really are, by how they begin (M2). Names and headers are claims; these few bytes are what a browser acts
//! on. Only pictures, sound and films are known; everything else, HTML first of all, is none of them.

/// What an address may be shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaClass {
    Image,
    /// Sound or film: the same containers hold both.
    Audio,
    Video,
}

/// So many bytes are enough to tell.
pub(crate) const SNIFF_BYTES: usize = 512;

/// The media type of what begins with these bytes, if it may be shown as `class`.
pub fn sniff(start: &[u8], class: MediaClass) -> Option<&'static str> {
    match class {
        MediaClass::Image => image(start),
        MediaClass::Audio => player(start, true),
        MediaClass::Video => player(start, false),
    }
}

fn image(start: &[u8]) -> Option<&'static str> {
    Some(match start {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [0, 0, 1, 0, count, 0, ..] if *count > 0 => "image/x-icon",
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => "image/bmp",
        [0xff, 0x0a, ..] | [0, 0, 0, 12, b'J', b'X', b'L', b' ', ..] => "image/jxl",
        _ => match brand(start) {
            Some(b"avif" | b"avis") => "image/avif",
            Some(b"heic" | b"heix" | b"mif1") => "image/heic",
            _ if is_svg(start) => "image/svg+xml",
            _ => return None,
        },
    })
}

fn player(start: &[u8], sound: bool) -> Option<&'static str> {
    let either = |audio, video| if sound { audio } else { video };
    Some(match start {
        [b'I', b'D', b'3', ..] => "audio/mpeg",
        // An MPEG audio frame: eleven bits set, then version and layer, none of them reserved.
        [0xff, second, ..] if second & 0xe0 == 0xe0 && second & 0x18 != 0x08 => {
            if second & 0x06 == 0 {
                "audio/aac"
            } else {
                "audio/mpeg"
            }
        }
        [b'f', b'L', b'a', b'C', ..] => "audio/flac",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => "audio/wav",
        [b'O', b'g', b'g', b'S', 0, ..] => either("audio/ogg", "video/ogg"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => either("audio/webm", "video/webm"),
        _ => match brand(start)? {
            b"avif" | b"avis" | b"heic" | b"heix" | b"mif1" => return None,
            b"M4A " | b"M4B " => "audio/mp4",
            _ => either("audio/mp4", "video/mp4"),
        },
    })
}

/// The brand of an ISO media file: `....ftypBRAND`.
fn brand(start: &[u8]) -> Option<&[u8; 4]> {
    match start {
        [0, 0, _, _, b'f', b't', b'y', b'p', rest @ ..] => rest.first_chunk(),
        _ => None,
    }
}

/// Whether the first element is `svg`, after a declaration, comments and a document type.
fn is_svg(start: &[u8]) -> bool {
    let text = start.get(..start.len().min(SNIFF_BYTES)).unwrap_or(start);
    let text = String::from_utf8_lossy(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    let mut rest = text.trim_start();
    loop {
        let end = match rest {
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<!") => ">",
            _ => break,
        };
        if end == ">" && !rest.to_ascii_lowercase().starts_with("<!doctype svg") {
            return false;
        }
        match rest.split_once(end) {
            Some((_, after)) => rest = after.trim_start(),
            None => return false,
        }
    }
    rest.strip_prefix("<svg").is_some_and(|after| after.starts_with([' ', '\t', '\r', '\n', '>', '/']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m2_bytes_are_what_they_begin_with() {
        let check = |bytes: &[u8], class, expected| assert_eq!(sniff(bytes, class), expected, "{bytes:?}");
        check(b"\x89PNG\r\n\x1a\n....", MediaClass::Image, Some("image/png"));
        check(b"GIF89a=1;alert(1)", MediaClass::Image, Some("image/gif"));
        check(b"\xff\xd8\xff\xe0", MediaClass::Image, Some("image/jpeg"));
        check(b"RIFF\x10\0\0\0WEBPVP8 ", MediaClass::Image, Some("image/webp"));
        check(b"\0\0\x01\0\x02\0\x10\x10", MediaClass::Image, Some("image/x-icon"));
        check(b"\0\0\0\x20ftypavif", MediaClass::Image, Some("image/avif"));
        check(b"\0\0\0\x20ftypM4A ", MediaClass::Audio, Some("audio/mp4"));
        check(b"\0\0\0\x20ftypisom", MediaClass::Video, Some("video/mp4"));
        check(b"\0\0\0\x20ftypisom", MediaClass::Audio, Some("audio/mp4"));
        check(b"ID3\x03", MediaClass::Audio, Some("audio/mpeg"));
        check(b"\xff\xfb\x90", MediaClass::Audio, Some("audio/mpeg"));
        check(b"\xff\xf1\x50", MediaClass::Audio, Some("audio/aac"));
        check(b"OggS\0", MediaClass::Video, Some("video/ogg"));
        check(b"\x1a\x45\xdf\xa3", MediaClass::Video, Some("video/webm"));
        for class in [MediaClass::Image, MediaClass::Audio, MediaClass::Video] {
            for none in [
                &b""[..],
                b"<html><script>",
                b"<!doctype html><svg>",
                b"{}",
                b"%PDF-1.4",
                b"PK\x03\x04",
                b"<p><svg>",
            ] {
                check(none, class, None);
            }
        }
        check(b"\x89PNG\r\n\x1a\n", MediaClass::Video, None);
        check(b"ID3\x03", MediaClass::Image, None);
    }

    #[test]
    fn x11_an_svg_is_known_by_its_root_however_it_is_dressed() {
        for svg in [
            "<svg xmlns='x'>",
            "\u{feff} <?xml version='1.0'?>\n<!-- a --><!DOCTYPE svg PUBLIC 'x'><svg>",
            "<svg/onload=alert(1)>",
        ] {
            assert_eq!(sniff(svg.as_bytes(), MediaClass::Image), Some("image/svg+xml"), "{svg}");
        }
        for other in ["<svgx>", "<?xml version='1.0'?><html><svg>", "<!-- <svg>", "<!DOCTYPE html><svg>"] {
            assert_eq!(sniff(other.as_bytes(), MediaClass::Image), None, "{other}");
        }
    }
}
