//! The head of a request: where it ends, and what it says. Strict about what could be smuggled, indifferent to the
//! rest.

use crate::message::Request;

pub(super) const HEAD_BYTES_MAX: usize = 16 << 10;
const FIELDS_MAX: usize = 100;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Malformed,
    TooManyFields,
}

/// The length of the head with its empty line, once it is all there.
pub(super) fn end_of(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// Reads a whole head. `fields` is the caller's, so that a connection allocates it once.
pub(super) fn parse<'a>(
    head: &'a [u8],
    fields: &'a mut Vec<(&'a str, &'a str)>,
) -> Result<Request<'a>, Refusal> {
    let text = std::str::from_utf8(head).map_err(|_| Refusal::Malformed)?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (first.next(), first.next(), first.next(), first.next())
    else {
        return Err(Refusal::Malformed);
    };
    if !version.starts_with("HTTP/1.") || method.is_empty() {
        return Err(Refusal::Malformed);
    }
    for line in lines.take_while(|line| !line.is_empty()) {
        if fields.len() >= FIELDS_MAX {
            return Err(Refusal::TooManyFields);
        }
        let (name, value) = line.split_once(':').ok_or(Refusal::Malformed)?;
        // A space before the colon is how requests are smuggled (RFC 9112 §5.1).
        if name.is_empty() || name.contains([' ', '\t']) {
            return Err(Refusal::Malformed);
        }
        fields.push((name, value.trim()));
    }
    let fields = &fields[..];
    let host = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("host")).map(|&(_, value)| value);
    // A proxy's absolute form names the host itself and wins (RFC 9112 §3.2.2).
    let (host, path) = match target.strip_prefix("http://") {
        Some(absolute) => {
            let at = absolute.find('/').unwrap_or(absolute.len());
            (Some(&absolute[..at]), if at == absolute.len() { "/" } else { &absolute[at..] })
        }
        None => (host, target),
    };
    if !path.starts_with('/') {
        return Err(Refusal::Malformed);
    }
    Ok(Request { method, host: host.ok_or(Refusal::Malformed)?, path, headers: fields })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_and_nonsense_is_refused() {
        let mut fields = Vec::new();
        let head = b"GET /feed.xml?a HTTP/1.1\r\nHost: f0001.test:8080\r\naccept:  x \r\n\r\n";
        assert_eq!(end_of(head), Some(head.len()));
        let request = parse(head, &mut fields).expect("reads");
        assert_eq!((request.host_name(), request.path_only()), ("f0001.test", "/feed.xml"));
        assert_eq!(request.header("Accept"), Some("x"));
        for bad in [
            "GET /\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET x HTTP/1.1\r\nHost: a\r\n\r\n",
        ] {
            assert!(parse(bad.as_bytes(), &mut Vec::new()).is_err(), "{bad}");
        }
        assert!(parse(b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", &mut Vec::new()).is_err());
        let many = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "A: b\r\n".repeat(200));
        assert_eq!(parse(many.as_bytes(), &mut Vec::new()).err(), Some(Refusal::TooManyFields));
    }
}
