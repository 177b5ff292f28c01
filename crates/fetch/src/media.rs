//! Pictures, sound and films for the media proxy: streamed, never held whole.
//!
//! Through the same guard as everything else, hop by hop, with our own agent and nothing of the reader's: no cookie, no
//! referrer, no language (M4). What is passed on is named by its bytes, not by its header (M2), and every bound counts
//! while bytes flow (M3). How fast the reader takes them is the reader's business: only waiting for the server counts as
//! slow.

use crate::boxed;
use crate::failure::{Failure, Refusal};
use crate::fetcher::Fetcher;
use crate::sniff::{MediaClass, SNIFF_BYTES, sniff};
use bytes::{Bytes, BytesMut};
use domain::{Limits, Timestamp};
use futures_util::{Stream, StreamExt};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE};
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, timeout, timeout_at};
use url::Url;

/// Streams open at once; whoever comes later waits a little, then is told so.
pub(crate) const STREAMS_MAX: usize = 64;
const TURN: Duration = Duration::from_secs(5);
/// A picture larger than this is none to look at.
const IMAGE_BYTES_MAX: u64 = 32 << 20;
/// The longest a stream lives. A player that is cut off asks for the rest.
const IMAGE_LIFE: Duration = Duration::from_secs(2 * 60);
const PLAYER_LIFE: Duration = Duration::from_secs(60 * 60);

/// The middle of a file cannot be told by its first bytes.
const MIDDLE: &str = "application/octet-stream";

/// Something to pass on.
pub struct Media {
    /// 200 or 206.
    pub status: u16,
    /// By the first bytes; `application/octet-stream` for the middle of sound or film.
    pub content_type: &'static str,
    /// Of this answer, not of the whole file.
    pub content_length: Option<u64>,
    /// `bytes 0-99/1000`, with 206 only.
    pub content_range: Option<String>,
    pub stream: MediaStream,
}

impl Media {
    /// An SVG is a document that may carry scripts: serve it in a sandbox, never as part of a page (X11).
    pub fn is_svg(&self) -> bool {
        self.content_type == "image/svg+xml"
    }
}

impl fmt::Debug for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Media({} {} {:?})", self.status, self.content_type, self.content_length)
    }
}

/// Why there is nothing to pass on; `Display` is a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoMedia {
    Refused(Refusal),
    Failed(Failure),
    /// The server answered with something else than a file.
    Status(u16),
    /// It is neither picture nor sound nor film, or not of the class that was asked for.
    NotMedia,
    /// The range cannot be read, or the file has no such part.
    BadRange,
    /// Too many streams are open.
    Busy,
}

impl fmt::Display for NoMedia {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMedia::Refused(refusal) => refusal.fmt(f),
            NoMedia::Failed(failure) => failure.fmt(f),
            NoMedia::Status(status) => write!(f, "The server answered with status {status}."),
            NoMedia::NotMedia => f.write_str("What is there is no picture, sound or film."),
            NoMedia::BadRange => f.write_str("The file has no such part."),
            NoMedia::Busy => f.write_str("Too many files are being fetched. Try again in a moment."),
        }
    }
}

impl std::error::Error for NoMedia {}

impl Fetcher {
    /// Opens a picture, sound or film. `range` is the reader's `Range` header, if any.
    #[boxed]
    pub async fn media(
        &self,
        url: &Url,
        class: MediaClass,
        range: Option<&str>,
        now: Timestamp,
    ) -> Result<Media, NoMedia> {
        let range = range.map(|range| parse_range(range).ok_or(NoMedia::BadRange)).transpose()?;
        let turn = timeout(TURN, self.media_slots().acquire_owned()).await;
        let Ok(Ok(permit)) = turn else { return Err(NoMedia::Busy) };
        let limits = self.limits();
        let deadline = Instant::now() + limits.fetch_timeout;
        let response = self.open_media(url, class, range.as_deref(), deadline, now).await?;
        let head = Head::read(&response, range.is_some())?;
        let bytes_max = match class {
            MediaClass::Image => IMAGE_BYTES_MAX.min(limits.media_bytes_max),
            MediaClass::Audio | MediaClass::Video => limits.media_bytes_max,
        };
        if head.length.is_some_and(|length| length > bytes_max) {
            return Err(NoMedia::Failed(Failure::TooLarge { bytes_max }));
        }
        let mut source = Box::pin(response.bytes_stream());
        let first = beginning(&mut source, deadline).await?;
        let content_type = match (head.starts_at, class) {
            (0, _) => sniff(&first, class).ok_or(NoMedia::NotMedia)?,
            (_, MediaClass::Image) => return Err(NoMedia::BadRange),
            (_, MediaClass::Audio | MediaClass::Video) => head.claimed.unwrap_or(MIDDLE),
        };
        let life = if class == MediaClass::Image { IMAGE_LIFE } else { PLAYER_LIFE };
        Ok(Media {
            status: if head.range.is_some() { 206 } else { 200 },
            content_type,
            content_length: head.length,
            content_range: head.range,
            stream: MediaStream::new(first, source, limits, bytes_max, life, permit),
        })
    }
}

/// What the head of an answer says, as far as it is passed on.
struct Head {
    length: Option<u64>,
    range: Option<String>,
    starts_at: u64,
    /// The media type it claims, if that is sound or film.
    claimed: Option<&'static str>,
}

impl Head {
    fn read(response: &reqwest::Response, asked_for_a_part: bool) -> Result<Head, NoMedia> {
        let headers = response.headers();
        // Nothing packed was asked for, and a part of something packed would be of no use.
        let packed = headers.get(CONTENT_ENCODING).is_some_and(|value| {
            !value.as_bytes().is_empty() && !value.as_bytes().eq_ignore_ascii_case(b"identity")
        });
        if packed {
            return Err(NoMedia::Failed(Failure::Encoding));
        }
        let length = text(headers, CONTENT_LENGTH).and_then(|value| value.parse().ok());
        let claimed = text(headers, CONTENT_TYPE).and_then(known_type);
        match response.status().as_u16() {
            200 => Ok(Head { length, range: None, starts_at: 0, claimed }),
            206 if asked_for_a_part => {
                let (first, last, whole) = text(headers, CONTENT_RANGE)
                    .and_then(parse_content_range)
                    .ok_or(NoMedia::Failed(Failure::Protocol))?;
                // Written anew: nothing of the server's own text is passed on (M5).
                let whole = whole.map_or("*".to_owned(), |whole| whole.to_string());
                let range = Some(format!("bytes {first}-{last}/{whole}"));
                let length = Some(last.saturating_sub(first).saturating_add(1));
                Ok(Head { length, range, starts_at: first, claimed })
            }
            206 => Err(NoMedia::Failed(Failure::Protocol)),
            416 => Err(NoMedia::BadRange),
            status => Err(NoMedia::Status(status)),
        }
    }
}

fn text(headers: &HeaderMap, name: http::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// Sound and film as headers name them, in our own words.
fn known_type(value: &str) -> Option<&'static str> {
    const KNOWN: [&str; 12] = [
        "audio/mpeg",
        "audio/mp4",
        "audio/aac",
        "audio/ogg",
        "audio/flac",
        "audio/wav",
        "audio/webm",
        "audio/x-m4a",
        "video/mp4",
        "video/webm",
        "video/ogg",
        "video/quicktime",
    ];
    let name = value.split(';').next().unwrap_or_default().trim();
    KNOWN.into_iter().find(|known| known.eq_ignore_ascii_case(name))
}

/// One range of bytes, written anew: `bytes=0-`, `bytes=5-9`, `bytes=-100`.
fn parse_range(value: &str) -> Option<String> {
    let (first, last) = value.trim().strip_prefix("bytes=")?.split_once('-')?;
    let number = |text: &str| -> Option<Option<u64>> {
        match text {
            "" => Some(None),
            _ if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok().map(Some),
            _ => None,
        }
    };
    match (number(first.trim())?, number(last.trim())?) {
        (None, None) => None,
        (None, Some(last)) => Some(format!("bytes=-{last}")),
        (Some(first), None) => Some(format!("bytes={first}-")),
        (Some(first), Some(last)) => (first <= last).then(|| format!("bytes={first}-{last}")),
    }
}

fn parse_content_range(value: &str) -> Option<(u64, u64, Option<u64>)> {
    let (range, whole) = value.strip_prefix("bytes ")?.trim().split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    let whole = if whole.trim() == "*" { None } else { Some(whole.trim().parse().ok()?) };
    (first <= last && whole.is_none_or(|whole| last < whole)).then_some((first, last, whole))
}

type Source = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

/// The first bytes, enough to tell what it is.
async fn beginning(
    source: &mut Pin<Box<impl Stream<Item = reqwest::Result<Bytes>>>>,
    deadline: Instant,
) -> Result<Bytes, NoMedia> {
    let mut first = BytesMut::new();
    while first.len() < SNIFF_BYTES {
        match timeout_at(deadline, source.next()).await {
            Err(_) => return Err(NoMedia::Failed(Failure::Timeout)),
            Ok(None) => break,
            Ok(Some(Err(_))) => return Err(NoMedia::Failed(Failure::Protocol)),
            Ok(Some(Ok(chunk))) => first.extend_from_slice(&chunk),
        }
    }
    Ok(first.freeze())
}

/// The bytes of a file as they come; ends with an error when a bound is passed.
pub struct MediaStream {
    first: Option<Bytes>,
    source: Source,
    left: u64,
    ends_at: Instant,
    /// Fires when the server keeps us waiting too long; set while waiting.
    stall: Pin<Box<Sleep>>,
    waiting_since: Option<Instant>,
    pace: Pace,
    done: bool,
    _permit: OwnedSemaphorePermit,
}

/// How fast the server sends, counting only the time we wait for it.
struct Pace {
    window: Duration,
    bytes_min: u64,
    waited: Duration,
    bytes: u64,
}

impl Pace {
    fn is_too_slow(&mut self, waited: Duration, bytes: u64) -> bool {
        self.waited += waited;
        self.bytes = self.bytes.saturating_add(bytes);
        if self.waited < self.window {
            return false;
        }
        let slow = self.bytes < self.bytes_min;
        (self.waited, self.bytes) = (Duration::ZERO, 0);
        slow
    }
}

impl MediaStream {
    fn new(
        first: Bytes,
        source: Pin<Box<impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static>>,
        limits: &Limits,
        bytes_max: u64,
        life: Duration,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        let window = limits.slow_window.max(Duration::from_millis(1));
        let bytes_min = limits.slow_bytes_per_second_min.saturating_mul(window.as_secs().max(1));
        let ends_at = Instant::now() + life;
        MediaStream {
            left: bytes_max.saturating_sub(first.len() as u64),
            first: Some(first).filter(|first| !first.is_empty()),
            source,
            ends_at,
            stall: Box::pin(tokio::time::sleep_until(ends_at)),
            waiting_since: None,
            pace: Pace { window, bytes_min, waited: Duration::ZERO, bytes: 0 },
            done: false,
            _permit: permit,
        }
    }

    fn end(&mut self, failure: &Failure) -> Poll<Option<io::Result<Bytes>>> {
        self.done = true;
        Poll::Ready(Some(Err(io::Error::other(failure.to_string()))))
    }

    fn take(&mut self, chunk: Bytes) -> Poll<Option<io::Result<Bytes>>> {
        let length = chunk.len() as u64;
        let waited = self.waiting_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        if self.pace.is_too_slow(waited, length) {
            return self.end(&Failure::TooSlow);
        }
        if length > self.left {
            return self.end(&Failure::TooLarge { bytes_max: self.left });
        }
        self.left -= length;
        Poll::Ready(Some(Ok(chunk)))
    }
}

impl Stream for MediaStream {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.done {
            return Poll::Ready(None);
        }
        if let Some(first) = this.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        if Instant::now() >= this.ends_at {
            return this.end(&Failure::Timeout);
        }
        match this.source.as_mut().poll_next(cx) {
            Poll::Ready(Some(Ok(chunk))) => this.take(chunk),
            Poll::Ready(Some(Err(_))) => this.end(&Failure::Protocol),
            Poll::Ready(None) => {
                this.done = true;
                Poll::Ready(None)
            }
            Poll::Pending => {
                if this.waiting_since.is_none() {
                    this.waiting_since = Some(Instant::now());
                    let until = (Instant::now() + this.pace.window).min(this.ends_at);
                    this.stall.as_mut().reset(until);
                }
                match this.stall.as_mut().poll(cx) {
                    Poll::Ready(()) => this.end(&Failure::TooSlow),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m3_one_range_is_read_and_written_anew() {
        assert_eq!(parse_range("bytes=0-").as_deref(), Some("bytes=0-"));
        assert_eq!(parse_range(" bytes=5-9 ").as_deref(), Some("bytes=5-9"));
        assert_eq!(parse_range("bytes=-100").as_deref(), Some("bytes=-100"));
        for bad in [
            "",
            "bytes=",
            "bytes=-",
            "bytes=9-5",
            "bytes=0-1,5-9",
            "items=0-1",
            "bytes=a-b",
            "bytes=0-\r\nX: y",
            "bytes=99999999999999999999-",
            "bytes=+1-2",
        ] {
            assert_eq!(parse_range(bad), None, "{bad}");
        }
    }

    #[test]
    fn m5_what_the_server_says_of_the_range_is_written_anew() {
        assert_eq!(parse_content_range("bytes 0-9/10"), Some((0, 9, Some(10))));
        assert_eq!(parse_content_range("bytes 5-9/*"), Some((5, 9, None)));
        for bad in ["bytes */10", "bytes 9-5/10", "bytes 0-10/10", "0-9/10", "bytes 0-9", "bytes 0-9/x"] {
            assert_eq!(parse_content_range(bad), None, "{bad}");
        }
    }
}
