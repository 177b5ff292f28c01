//! How much we take (B1–B4, B10): the body as a stream, unpacked once, with every bound enforced while it flows.
//!
//! Nothing here trusts `Content-Length` except to refuse early. What came before a connection broke is kept and marked
//! incomplete; what breaks a bound is a failure, because a body that large or that slow is not a feed.

use crate::failure::Failure;
use async_compression::tokio::bufread::{
    BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder,
};
use async_compression::zstd::DParameter;
use bytes::{Buf, Bytes, BytesMut};
use domain::Limits;
use futures_util::{FutureExt, Stream};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, ReadBuf};
use tokio::time::{Instant, timeout_at};

/// RFC 9659: 8 MiB is the window every receiver must support; more is only a claim on our memory.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;
const STEP_BYTES: usize = 32 * 1024;
/// Unpacking is work without waiting; let others run now and then.
const YIELD_BYTES: usize = 256 * 1024;

/// The bounds of one body.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub(crate) wire_bytes_max: u64,
    pub(crate) bytes_max: u64,
    pub(crate) ratio_max: u64,
    pub(crate) ratio_from_bytes: u64,
    pub(crate) slow_bytes_per_second_min: u64,
    pub(crate) slow_window: Duration,
    pub(crate) deadline: Instant,
    /// Keep the beginning of what is too large instead of failing (robots.txt; RFC 9309 §2.5).
    pub(crate) cut: bool,
}

impl Bounds {
    pub(crate) fn new(limits: &Limits, bytes_max: Option<u64>, deadline: Instant) -> Self {
        let bytes_max = bytes_max.unwrap_or(limits.body_bytes_max).min(limits.body_bytes_max);
        Bounds {
            wire_bytes_max: limits.body_wire_bytes_max.min(bytes_max),
            bytes_max,
            ratio_max: limits.body_ratio_max,
            ratio_from_bytes: limits.body_ratio_from_bytes,
            slow_bytes_per_second_min: limits.slow_bytes_per_second_min,
            slow_window: limits.slow_window,
            deadline,
            cut: false,
        }
    }
}

pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    pub(crate) complete: bool,
}

/// Reads a whole body. Also returns the bytes that came over the wire, whatever the result.
pub(crate) async fn read(response: reqwest::Response, bounds: &Bounds) -> (Result<Body, Failure>, u64) {
    let coding = match coding(response.headers()) {
        Ok(coding) => coding,
        Err(failure) => return (Err(failure), 0),
    };
    let too_large = declared(response.headers()).is_some_and(|length| length > bounds.wire_bytes_max);
    if too_large && !bounds.cut {
        return (Err(Failure::TooLarge { bytes_max: bounds.wire_bytes_max }), 0);
    }
    let mut wire = Wire {
        stream: Box::pin(response.bytes_stream()),
        chunk: Bytes::new(),
        bytes: 0,
        flow: Flow::Open,
        max: bounds.wire_bytes_max,
    };
    let mut pace = Pace::new(bounds);
    if let Err(failure) = wire.begin(&mut pace).await {
        return (Err(failure), wire.bytes);
    }
    let result = match layer(coding, &wire.chunk) {
        Layer::Plain => read_plain(&mut wire, &mut pace, bounds).await,
        Layer::Gzip => {
            let mut decoder = GzipDecoder::new(&mut wire);
            decoder.multiple_members(true);
            unpack(decoder, GzipDecoder::get_ref, &mut pace, bounds).await
        }
        Layer::Zlib => unpack(ZlibDecoder::new(&mut wire), ZlibDecoder::get_ref, &mut pace, bounds).await,
        Layer::Deflate => {
            unpack(DeflateDecoder::new(&mut wire), DeflateDecoder::get_ref, &mut pace, bounds).await
        }
        Layer::Brotli => {
            unpack(BrotliDecoder::new(&mut wire), BrotliDecoder::get_ref, &mut pace, bounds).await
        }
        Layer::Zstd => {
            let decoder =
                ZstdDecoder::with_params(&mut wire, &[DParameter::window_log_max(ZSTD_WINDOW_LOG_MAX)]);
            unpack(decoder, ZstdDecoder::get_ref, &mut pace, bounds).await
        }
    };
    // Let the client see the end of the message if it is already there, so that the connection can be used again.
    let _ = std::future::poll_fn(|cx| wire.poll_chunk(cx)).now_or_never();
    (result, wire.bytes)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// One layer only: a second one is how bombs are nested (B1).
fn coding(headers: &HeaderMap) -> Result<Coding, Failure> {
    let mut found = Coding::Identity;
    for value in headers.get_all(CONTENT_ENCODING) {
        for name in value.to_str().map_err(|_| Failure::Encoding)?.split(',') {
            let coding = match name.trim().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => Coding::Gzip,
                "deflate" => Coding::Deflate,
                "br" => Coding::Brotli,
                "zstd" => Coding::Zstd,
                // Character sets and other words that servers put here by mistake for "nothing".
                "" | "identity" | "none" | "binary" | "8bit" | "utf-8" | "utf8" | "iso-8859-1" => continue,
                _ => return Err(Failure::Encoding),
            };
            if found != Coding::Identity {
                return Err(Failure::Encoding);
            }
            found = coding;
        }
    }
    Ok(found)
}

fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

enum Layer {
    Plain,
    Gzip,
    Zlib,
    Deflate,
    Brotli,
    Zstd,
}

/// Some servers say gzip and send plain text, or send gzip and do not say so; the first two bytes tell. `deflate` means
/// the zlib format (RFC 9110 §8.4.1.2), but raw deflate is as common.
fn layer(coding: Coding, start: &[u8]) -> Layer {
    match (coding, start) {
        (_, []) => Layer::Plain,
        (Coding::Identity | Coding::Gzip, [0x1f, 0x8b, ..]) => Layer::Gzip,
        (Coding::Identity | Coding::Gzip, _) => Layer::Plain,
        (Coding::Deflate, [first, second, ..]) if is_zlib_header(*first, *second) => Layer::Zlib,
        (Coding::Deflate, _) => Layer::Deflate,
        (Coding::Brotli, _) => Layer::Brotli,
        (Coding::Zstd, _) => Layer::Zstd,
    }
}

fn is_zlib_header(first: u8, second: u8) -> bool {
    first & 0x0f == 8 && (u16::from(first) << 8 | u16::from(second)).is_multiple_of(31)
}

async fn read_plain<S: Source>(
    wire: &mut Wire<S>,
    pace: &mut Pace,
    bounds: &Bounds,
) -> Result<Body, Failure> {
    let mut first = std::mem::take(&mut wire.chunk);
    let mut rest = BytesMut::new();
    loop {
        let more = wire.next(pace).await?;
        match more {
            None => break,
            Some(chunk) if first.is_empty() => first = chunk,
            Some(chunk) => {
                if rest.is_empty() {
                    rest.reserve(first.len() + chunk.len());
                    rest.extend_from_slice(&first);
                }
                rest.extend_from_slice(&chunk);
            }
        }
    }
    let bytes = if rest.is_empty() { first } else { rest.freeze() };
    finish(bytes, wire.flow, true, bounds)
}

/// Reads a decoder to its end; `wire_of` leads back to the wire under it, whose counters the bounds need.
async fn unpack<'w, S, D, F>(
    mut decoder: D,
    wire_of: F,
    pace: &mut Pace,
    bounds: &Bounds,
) -> Result<Body, Failure>
where
    S: Source + 'w,
    D: AsyncRead + Unpin,
    F: Fn(&D) -> &&'w mut Wire<S>,
{
    let mut out = BytesMut::new();
    let mut since_yield = 0;
    let intact = loop {
        out.reserve(STEP_BYTES);
        let step = match timeout_at(pace.until(), decoder.read_buf(&mut out)).await {
            Err(_) => {
                pace.check(wire_of(&decoder).bytes)?;
                continue;
            }
            Ok(Err(_)) => break false,
            Ok(Ok(0)) => break true,
            Ok(Ok(step)) => step,
        };
        let (total, wire_bytes) = (out.len() as u64, wire_of(&decoder).bytes);
        if total > bounds.bytes_max {
            if bounds.cut {
                break false;
            }
            return Err(Failure::TooLarge { bytes_max: bounds.bytes_max });
        }
        if total > bounds.ratio_from_bytes && total / bounds.ratio_max.max(1) > wire_bytes {
            return Err(Failure::Ratio);
        }
        pace.check_due(wire_bytes)?;
        since_yield += step;
        if since_yield >= YIELD_BYTES {
            since_yield = 0;
            tokio::task::yield_now().await;
        }
    };
    // A packed stream knows its own end; decoders stop there without looking for the wire's.
    let flow = match wire_of(&decoder).flow {
        Flow::Open if intact => Flow::Ended,
        flow => flow,
    };
    // What was packed twice is still packed (B1).
    if out.starts_with(&[0x1f, 0x8b]) {
        return Err(Failure::Encoding);
    }
    if out.is_empty() && !intact && flow != Flow::Broken {
        return Err(Failure::Decode);
    }
    finish(out.freeze(), flow, intact, bounds)
}

fn finish(bytes: Bytes, flow: Flow, intact: bool, bounds: &Bounds) -> Result<Body, Failure> {
    let too_large = flow == Flow::Over || bytes.len() as u64 > bounds.bytes_max;
    if too_large && !bounds.cut {
        return Err(Failure::TooLarge { bytes_max: bounds.wire_bytes_max });
    }
    // Nothing at all before the connection broke is no truncated document.
    if bytes.is_empty() && flow == Flow::Broken {
        return Err(Failure::Protocol);
    }
    let kept = usize::try_from(bounds.bytes_max).unwrap_or(usize::MAX).min(bytes.len());
    Ok(Body { complete: intact && flow == Flow::Ended && kept == bytes.len(), bytes: bytes.slice(..kept) })
}

trait Source: Stream<Item = reqwest::Result<Bytes>> + Send {}
impl<S: Stream<Item = reqwest::Result<Bytes>> + Send> Source for S {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Open,
    /// The server said this was all.
    Ended,
    /// The connection broke with bytes missing.
    Broken,
    /// More than the bound came.
    Over,
}

/// The body as it comes over the wire. A break and a passed bound look like an end to the decoder above; `flow` says
/// which it was.
struct Wire<S> {
    stream: Pin<Box<S>>,
    chunk: Bytes,
    bytes: u64,
    flow: Flow,
    max: u64,
}

impl<S: Source> Wire<S> {
    /// Waits for the first two bytes, or the end.
    async fn begin(&mut self, pace: &mut Pace) -> Result<(), Failure> {
        while self.chunk.len() < 2 {
            let Some(more) = self.next(pace).await? else { break };
            self.chunk =
                if self.chunk.is_empty() { more } else { [&self.chunk[..], &more[..]].concat().into() };
        }
        Ok(())
    }

    /// The next piece beyond `chunk`.
    async fn next(&mut self, pace: &mut Pace) -> Result<Option<Bytes>, Failure> {
        loop {
            match timeout_at(pace.until(), std::future::poll_fn(|cx| self.poll_chunk(cx))).await {
                Ok(chunk) => {
                    pace.check_due(self.bytes)?;
                    return Ok(chunk);
                }
                Err(_) => pace.check(self.bytes)?,
            }
        }
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        while self.flow == Flow::Open {
            match ready!(self.stream.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) if chunk.is_empty() => {}
                Some(Ok(mut chunk)) => {
                    let room = self.max.saturating_sub(self.bytes);
                    self.bytes = self.bytes.saturating_add(chunk.len() as u64);
                    if self.bytes > self.max {
                        self.flow = Flow::Over;
                        chunk.truncate(usize::try_from(room).unwrap_or(usize::MAX));
                    }
                    return Poll::Ready(Some(chunk));
                }
                Some(Err(_)) => self.flow = Flow::Broken,
                None => self.flow = Flow::Ended,
            }
        }
        Poll::Ready(None)
    }
}

impl<S: Source> AsyncBufRead for Wire<S> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        if this.chunk.is_empty() {
            this.chunk = ready!(this.poll_chunk(cx)).unwrap_or_default();
        }
        Poll::Ready(Ok(&this.chunk))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        let this = self.get_mut();
        this.chunk.advance(amount.min(this.chunk.len()));
    }
}

impl<S: Source> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let ready = ready!(self.as_mut().poll_fill_buf(cx))?;
        let amount = ready.len().min(buffer.remaining());
        buffer.put_slice(&ready[..amount]);
        self.consume(amount);
        Poll::Ready(Ok(()))
    }
}

/// The slowest pace we accept (B3): enough bytes in every window, and an end before the deadline.
struct Pace {
    window: Duration,
    bytes_min: u64,
    deadline: Instant,
    window_end: Instant,
    bytes_before: u64,
}

impl Pace {
    fn new(bounds: &Bounds) -> Self {
        let window = bounds.slow_window.max(Duration::from_millis(1));
        let bytes_min =
            u128::from(bounds.slow_bytes_per_second_min).saturating_mul(window.as_millis()) / 1000;
        Pace {
            window,
            bytes_min: u64::try_from(bytes_min).unwrap_or(u64::MAX),
            deadline: bounds.deadline,
            window_end: Instant::now() + window,
            bytes_before: 0,
        }
    }

    fn until(&self) -> Instant {
        self.deadline.min(self.window_end)
    }

    /// After bytes came: judges only when the window is over.
    fn check_due(&mut self, bytes: u64) -> Result<(), Failure> {
        if Instant::now() >= self.until() { self.check(bytes) } else { Ok(()) }
    }

    /// At the end of a window.
    fn check(&mut self, bytes: u64) -> Result<(), Failure> {
        let now = Instant::now();
        if now >= self.deadline {
            return Err(Failure::Timeout);
        }
        if now < self.window_end {
            return Ok(());
        }
        if bytes.saturating_sub(self.bytes_before) < self.bytes_min {
            return Err(Failure::TooSlow);
        }
        self.bytes_before = bytes;
        self.window_end = now + self.window;
        Ok(())
    }
}
