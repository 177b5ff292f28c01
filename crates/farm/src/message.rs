//! A request as the farm sees it, and a response as a script: what is said, and how it is put on the wire. Both are
//! plain values, so that a simulator in virtual time can read a response without a socket.

use bytes::Bytes;
use domain::Timestamp;
use std::borrow::Cow;
use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub method: &'a str,
    /// The Host header, with or without a port.
    pub host: &'a str,
    /// Path and query.
    pub path: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
}

impl<'a> Request<'a> {
    /// A plain GET.
    pub fn get(host: &'a str, path: &'a str, headers: &'a [(&'a str, &'a str)]) -> Request<'a> {
        Request { method: "GET", host, path, headers }
    }

    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|&(_, value)| value)
    }

    pub(crate) fn host_name(&self) -> &'a str {
        self.host.split(':').next().unwrap_or_default()
    }

    pub(crate) fn path_only(&self) -> &'a str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// Whether a comma-separated header names this token.
    pub(crate) fn names(&self, header: &str, token: &str) -> bool {
        self.header(header).is_some_and(|value| {
            value
                .split(',')
                .any(|part| part.split(';').next().is_some_and(|p| p.trim().eq_ignore_ascii_case(token)))
        })
    }
}

#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    /// Without the fields that frame the body; [`Framing`] writes those.
    pub headers: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    pub body: Body,
    pub framing: Framing,
    pub pace: Pace,
    pub ending: Ending,
    /// The time that `Retry-After` names, however it is spelled.
    pub retry_at: Option<Timestamp>,
    /// The time until which the response calls itself fresh.
    pub fresh_until: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub enum Body {
    Whole(Bytes),
    /// `head`, then `unit` so many times, then `tail`: more bytes than anyone would keep.
    Repeated {
        head: Bytes,
        unit: Bytes,
        times: u64,
        tail: Bytes,
    },
}

impl Body {
    pub fn len(&self) -> u64 {
        match self {
            Body::Whole(bytes) => bytes.len() as u64,
            Body::Repeated { head, unit, times, tail } => {
                (unit.len() as u64).saturating_mul(*times).saturating_add((head.len() + tail.len()) as u64)
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framing {
    /// A true Content-Length.
    Length,
    Chunked,
    /// No length: the body ends with the connection.
    UntilClose,
    /// These Content-Length fields, whatever is true.
    Claimed(Vec<Cow<'static, str>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    AtOnce,
    /// Byte by byte from the status line on.
    DripHead {
        pause: Duration,
    },
    /// The head at once, the body byte by byte.
    DripBody {
        pause: Duration,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Complete,
    /// The connection is closed after so many bytes of body.
    CutAfter {
        bytes: u64,
    },
    /// The connection is reset after so many bytes of body.
    ResetAfter {
        bytes: u64,
    },
    ResetBeforeHead,
}

impl Response {
    pub(crate) fn new(status: u16) -> Response {
        Response {
            status,
            headers: Vec::with_capacity(10),
            body: Body::Whole(Bytes::new()),
            framing: Framing::Length,
            pace: Pace::AtOnce,
            ending: Ending::Complete,
            retry_at: None,
            fresh_until: None,
        }
    }

    pub(crate) fn text(status: u16, media_type: &'static str, body: impl Into<Bytes>) -> Response {
        let mut response = Response::new(status).with("Content-Type", media_type);
        response.body = Body::Whole(body.into());
        response
    }

    pub(crate) fn redirect(status: u16, to: impl Into<Cow<'static, str>>) -> Response {
        Response::text(status, "text/plain", &b"This has moved.\n"[..]).with("Location", to)
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Response {
        self.headers.push((Cow::Borrowed(name), value.into()));
        self
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_ref())
    }

    /// The whole body reaches a patient client, framed as it says.
    pub fn is_complete(&self) -> bool {
        self.ending == Ending::Complete && !matches!(self.framing, Framing::Claimed(_))
    }

    pub fn reason(&self) -> &'static str {
        match self.status {
            200 => "OK",
            206 => "Partial Content",
            226 => "IM Used",
            301 => "Moved Permanently",
            302 => "Found",
            303 => "See Other",
            304 => "Not Modified",
            307 => "Temporary Redirect",
            308 => "Permanent Redirect",
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            410 => "Gone",
            421 => "Misdirected Request",
            429 => "Too Many Requests",
            431 => "Request Header Fields Too Large",
            451 => "Unavailable For Legal Reasons",
            502 => "Bad Gateway",
            503 => "Service Unavailable",
            _ => "Internal Server Error",
        }
    }
}
