//! One connection: read a head, answer it as its script says, and stay for the next one if both sides may.

use super::head::{self, HEAD_BYTES_MAX, Refusal};
use super::{Flight, Shared};
use crate::message::{Body, Ending, Framing, Pace, Response};
use bytes::{Buf, Bytes, BytesMut};
use std::fmt::Write;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const IDLE_MAX: Duration = Duration::from_secs(15);
/// The longest one answer may take, dripped or endless.
const ANSWER_MAX: Duration = Duration::from_secs(120);
/// An endless body ends here, should the client never.
const BODY_BYTES_MAX: u64 = 2 << 30;

pub(super) async fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = BytesMut::with_capacity(2 << 10);
    loop {
        let Some(length) = read_head(&mut stream, &mut input).await? else { return Ok(()) };
        let keep = answer(&mut stream, shared, &input[..length]).await?;
        if !keep {
            // The client may still be sending; a close with unread bytes would reset what it has yet to read.
            return stream.shutdown().await;
        }
        input.advance(length);
    }
}

/// Waits for a whole head; `None` when the client is done, silent or too long-winded.
async fn read_head(stream: &mut TcpStream, input: &mut BytesMut) -> io::Result<Option<usize>> {
    loop {
        if let Some(length) = head::end_of(input) {
            return Ok(Some(length));
        }
        if input.len() > HEAD_BYTES_MAX {
            stream.write_all(&plain_head(431)).await?;
            stream.shutdown().await?;
            return Ok(None);
        }
        match timeout(IDLE_MAX, stream.read_buf(input)).await {
            Ok(Ok(1..)) => {}
            Ok(Err(error)) => return Err(error),
            Ok(Ok(0)) | Err(_) => return Ok(None),
        }
    }
}

/// Says whether the connection may stay open.
async fn answer(stream: &mut TcpStream, shared: &Shared, head: &[u8]) -> io::Result<bool> {
    let mut fields = Vec::with_capacity(16);
    let request = match head::parse(head, &mut fields) {
        Ok(request) => request,
        Err(refusal) => {
            let status = if refusal == Refusal::TooManyFields { 431 } else { 400 };
            stream.write_all(&plain_head(status)).await?;
            return Ok(false);
        }
    };
    let flight = Flight::begin(shared, request.host_name());
    let response = shared.answer(&request, &flight);
    let leave = request.names("Connection", "close")
        || request.header("Content-Length").is_some_and(|length| length != "0")
        || request.header("Transfer-Encoding").is_some()
        || !matches!(response.framing, Framing::Length | Framing::Chunked)
        || response.ending != Ending::Complete
        || shared.is_crowded();
    let headless = request.method == "HEAD" || response.status == 304;
    match timeout(ANSWER_MAX, send(stream, &response, leave, headless)).await {
        Ok(sent) => sent?,
        Err(_) => return Ok(false),
    }
    drop(flight);
    if matches!(response.ending, Ending::ResetAfter { .. } | Ending::ResetBeforeHead) {
        // Closing without lingering is what sends a reset instead of an orderly end.
        stream.set_zero_linger()?;
        return Err(io::ErrorKind::ConnectionReset.into());
    }
    Ok(!leave)
}

async fn send(stream: &mut TcpStream, response: &Response, leave: bool, headless: bool) -> io::Result<()> {
    if response.ending == Ending::ResetBeforeHead {
        return Ok(());
    }
    let mut out = head_of(response, leave);
    if let Pace::DripHead { pause } = response.pace {
        drip(stream, &out, pause).await?;
        out.clear();
    }
    let left = match response.ending {
        Ending::CutAfter { bytes } | Ending::ResetAfter { bytes } => bytes,
        Ending::Complete | Ending::ResetBeforeHead => BODY_BYTES_MAX,
    };
    if headless {
        return stream.write_all(&out).await;
    }
    let mut writer =
        Writer { stream, out, left, chunked: response.framing == Framing::Chunked, pace: response.pace };
    match &response.body {
        Body::Whole(bytes) => writer.body(bytes).await?,
        Body::Repeated { head, unit, times, tail } => {
            writer.body(head).await?;
            let mut done = 0;
            while done < *times && writer.left > 0 {
                writer.body(unit).await?;
                done += 1;
            }
            writer.body(tail).await?;
        }
    }
    writer.finish(response.ending == Ending::Complete).await
}

/// Gathers small pieces, so that a common answer is one write.
struct Writer<'a> {
    stream: &'a mut TcpStream,
    out: Vec<u8>,
    /// Bytes of body that may still be sent.
    left: u64,
    chunked: bool,
    pace: Pace,
}

impl Writer<'_> {
    async fn body(&mut self, bytes: &Bytes) -> io::Result<()> {
        let take = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        let bytes = &bytes[..take];
        self.left -= take as u64;
        if bytes.is_empty() {
            return Ok(());
        }
        if let Pace::DripBody { pause } | Pace::DripHead { pause } = self.pace {
            self.flush().await?;
            return drip(self.stream, bytes, pause).await;
        }
        if self.chunked {
            self.out.extend_from_slice(format!("{:x}\r\n", bytes.len()).as_bytes());
        }
        self.out.extend_from_slice(bytes);
        if self.chunked {
            self.out.extend_from_slice(b"\r\n");
        }
        if self.out.len() >= 64 << 10 { self.flush().await } else { Ok(()) }
    }

    async fn finish(&mut self, complete: bool) -> io::Result<()> {
        if self.chunked && complete && self.pace == Pace::AtOnce {
            self.out.extend_from_slice(b"0\r\n\r\n");
        }
        self.flush().await
    }

    async fn flush(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.out).await?;
        self.out.clear();
        Ok(())
    }
}

async fn drip(stream: &mut TcpStream, bytes: &[u8], pause: Duration) -> io::Result<()> {
    for byte in bytes {
        stream.write_all(std::slice::from_ref(byte)).await?;
        tokio::time::sleep(pause).await;
    }
    Ok(())
}

fn head_of(response: &Response, leave: bool) -> Vec<u8> {
    let mut out =
        String::with_capacity(512 + usize::try_from(response.body.len()).unwrap_or(0).min(64 << 10));
    let _ = write!(out, "HTTP/1.1 {} {}\r\n", response.status, response.reason());
    for (name, value) in &response.headers {
        out.push_str(name);
        out.push_str(": ");
        out.push_str(value);
        out.push_str("\r\n");
    }
    match &response.framing {
        _ if response.status == 304 => {}
        Framing::Length => {
            let _ = write!(out, "Content-Length: {}\r\n", response.body.len());
        }
        Framing::Chunked if matches!(response.pace, Pace::AtOnce) => {
            out.push_str("Transfer-Encoding: chunked\r\n");
        }
        Framing::Chunked => {
            let _ = write!(out, "Content-Length: {}\r\n", response.body.len());
        }
        Framing::UntilClose => {}
        Framing::Claimed(lengths) => {
            for length in lengths {
                let _ = write!(out, "Content-Length: {length}\r\n");
            }
        }
    }
    out.push_str(if leave { "Connection: close\r\n\r\n" } else { "Connection: keep-alive\r\n\r\n" });
    out.into_bytes()
}

fn plain_head(status: u16) -> Vec<u8> {
    head_of(&Response::new(status), true)
}
