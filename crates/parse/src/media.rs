//! Enclosures and how long they play.

use crate::raw::{Base, RawEnclosure};

/// `itunes:duration` and its like: seconds, `mm:ss`, `hh:mm:ss`. More than a week is a mistake.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let mut total: f64 = 0.0;
    let parts: Vec<&str> = text.split(':').collect();
    if parts.len() > 3 {
        return None;
    }
    for part in parts {
        let part = part.trim();
        let is_number =
            !part.is_empty() && part.len() < 12 && part.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if !is_number {
            return None;
        }
        total = total * 60.0 + part.parse::<f64>().ok()?;
    }
    // The range check makes the conversion exact enough and free of wrap-around.
    (0.5..=604_800.0).contains(&total).then_some(total.round() as u64)
}

/// A size in bytes; zero and text mean that nobody knows.
pub(crate) fn bytes(text: &str) -> Option<u64> {
    text.trim().parse::<u64>().ok().filter(|bytes| (1..1 << 50).contains(bytes))
}

/// A media type worth keeping: it has a slash and is short.
pub(crate) fn media_type(text: &str) -> Option<String> {
    let text = text.trim();
    let plain = text.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
    (text.contains('/') && text.len() <= 100 && plain).then(|| text.to_ascii_lowercase())
}

/// `media:content` often says only `medium="image"`.
pub(crate) fn enclosure<'a>(attribute: impl Fn(&str) -> Option<&'a str>, base: Base) -> Option<RawEnclosure> {
    let href = ["url", "href", "src"]
        .iter()
        .find_map(|name| attribute(name))
        .map(str::trim)
        .filter(|h| !h.is_empty())?;
    Some(RawEnclosure {
        href: href.to_owned(),
        base,
        media_type: attribute("type").and_then(media_type),
        bytes: attribute("length").or_else(|| attribute("filesize")).and_then(bytes),
        seconds: attribute("duration").and_then(seconds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_every_common_spelling() {
        assert_eq!(seconds("3600"), Some(3600));
        assert_eq!(seconds(" 12:34 "), Some(754));
        assert_eq!(seconds("1:02:03"), Some(3723));
        assert_eq!(seconds("90.4"), Some(90));
        for absurd in ["", "0", "1:2:3:4", "an hour", "-5", "99999999999", "1e9", "::"] {
            assert_eq!(seconds(absurd), None, "{absurd}");
        }
    }
}
