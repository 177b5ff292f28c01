//! What a response says about itself. Pure: headers in, facts out.
//!
//! Publishers write these by hand and get them wrong, so everything unreadable is "not said", everything too long is
//! dropped, and nothing makes us ask sooner than our own floors would.

use domain::{Timestamp, Validators};
use http::HeaderMap;
use http::header::{
    AGE, CACHE_CONTROL, CONTENT_TYPE, DATE, ETAG, EXPIRES, HeaderName, LAST_MODIFIED, LINK, RETRY_AFTER,
};
use std::time::{Duration, UNIX_EPOCH};
use url::Url;

/// Static hosts say "a year" by mistake (N6).
const FRESH_MAX: Duration = Duration::from_secs(24 * 3600);
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30 * 24 * 3600);
const LINKS_MAX: usize = 10;
const LINK_HEADER_BYTES_MAX: usize = 8 * 1024;
const CONTENT_TYPE_BYTES_MAX: usize = 200;

/// ETag and Last-Modified, byte for byte (N3); what is longer than `bytes_max` or empty is dropped.
pub(crate) fn validators(headers: &HeaderMap, bytes_max: usize) -> Validators {
    let read = |name: &HeaderName| {
        let value = headers.get(name)?.as_bytes();
        (!value.is_empty() && value.len() <= bytes_max).then(|| validator_text(value))
    };
    Validators { etag: read(&ETAG), last_modified: read(&LAST_MODIFIED) }
}

/// One character per byte, so that any byte a header can hold comes back as it was (`headers::validator_value`).
fn validator_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// What is stored after 304: the fields it names replace the old ones, the others stay (RFC 9111 §3.2).
pub(crate) fn refreshed(sent: &Validators, answered: Validators) -> Validators {
    Validators {
        etag: answered.etag.or_else(|| sent.etag.clone()),
        last_modified: answered.last_modified.or_else(|| sent.last_modified.clone()),
    }
}

/// How long the answer stays fresh (RFC 9111 §4.2; N6). `None` also for "do not cache": that means our own floor, not
/// "ask faster".
pub(crate) fn fresh_for(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let control = cache_control(headers);
    if control.forbidden {
        return None;
    }
    let life = match control.max_age {
        Some(max_age) => max_age.checked_sub(age(headers))?,
        None => {
            let expires = http_date(text(headers, &EXPIRES)?)?;
            let date = text(headers, &DATE).and_then(http_date).unwrap_or(now);
            expires.since(date).checked_sub(age(headers))?
        }
    };
    (life > Duration::ZERO).then_some(life.min(FRESH_MAX))
}

/// `Retry-After` in seconds or as a date (RFC 9110 §10.2.3; N13).
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Timestamp> {
    let value = text(headers, &RETRY_AFTER)?;
    let wait = match seconds(value) {
        Some(wait) => wait,
        None => http_date(value)?.since(now),
    };
    (wait > Duration::ZERO).then(|| now.saturating_add(wait.min(RETRY_AFTER_MAX)))
}

pub(crate) fn content_type(headers: &HeaderMap) -> Option<String> {
    text(headers, &CONTENT_TYPE)
        .filter(|value| !value.is_empty() && value.len() <= CONTENT_TYPE_BYTES_MAX)
        .map(str::to_owned)
}

pub(crate) fn is_challenge(headers: &HeaderMap) -> bool {
    text(headers, &HeaderName::from_static("cf-mitigated"))
        .is_some_and(|value| value.eq_ignore_ascii_case("challenge"))
}

/// `X-Robots-Tag` for everybody or for us; a line may begin with the name of the robot it is meant for (N26).
pub(crate) fn is_noindex(headers: &HeaderMap) -> bool {
    let lines = headers
        .get_all(HeaderName::from_static("x-robots-tag"))
        .iter()
        .filter_map(|value| value.to_str().ok());
    lines.take(LINKS_MAX).any(|line| {
        let rules = match line.split_once(':') {
            Some((robot, rules)) if robot.trim().eq_ignore_ascii_case("wellread") => rules,
            // `unavailable_after: date` and other robots' lines.
            Some((robot, _)) if !robot.contains(',') => return false,
            _ => line,
        };
        rules
            .split(',')
            .any(|rule| ["noindex", "none", "noai"].iter().any(|tag| rule.trim().eq_ignore_ascii_case(tag)))
    })
}

/// Hubs and self link of the `Link` headers (RFC 8288; WebSub §4), absolute.
pub(crate) fn links(headers: &HeaderMap, base: &Url, url_bytes_max: usize) -> (Vec<String>, Option<String>) {
    let (mut hubs, mut own) = (Vec::new(), None);
    let values = headers.get_all(LINK).iter().filter(|value| value.len() <= LINK_HEADER_BYTES_MAX);
    for (target, rels) in values.filter_map(|value| value.to_str().ok()).take(LINKS_MAX).flat_map(parse_links)
    {
        let is = |name: &str| rels.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case(name));
        let Some(url) = base.join(target).ok().filter(|url| matches!(url.scheme(), "http" | "https")) else {
            continue;
        };
        if url.as_str().len() > url_bytes_max {
            continue;
        }
        if is("hub") && hubs.len() < LINKS_MAX && !hubs.iter().any(|hub| hub == url.as_str()) {
            hubs.push(url.to_string());
        }
        if is("self") && own.is_none() {
            own = Some(url.to_string());
        }
    }
    (hubs, own)
}

/// `<target>; rel="a b"; other=x, <target>; rel=c`: targets with their relations.
fn parse_links(value: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('<') {
        let Some((target, parameters)) = after.split_once('>') else { break };
        let end = end_of_parameters(parameters);
        let (mine, next) = parameters.split_at(end);
        if let Some(rel) = mine.split(';').find_map(rel_of) {
            found.push((target.trim(), rel));
        }
        rest = next;
    }
    found
}

/// Up to the comma that begins the next link, not one inside quotes.
fn end_of_parameters(text: &str) -> usize {
    let mut quoted = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

fn rel_of(parameter: &str) -> Option<&str> {
    let (name, value) = parameter.split_once('=')?;
    name.trim().eq_ignore_ascii_case("rel").then(|| value.trim().trim_matches('"'))
}

#[derive(Default)]
struct CacheControl {
    forbidden: bool,
    max_age: Option<Duration>,
}

fn cache_control(headers: &HeaderMap) -> CacheControl {
    let mut read = CacheControl::default();
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    for directive in values.flat_map(|value| value.split(',')).take(100) {
        let (name, argument) = match directive.split_once('=') {
            Some((name, argument)) => (name.trim(), argument.trim().trim_matches('"')),
            None => (directive.trim(), ""),
        };
        // `no-cache="field"` only concerns that field.
        if name.eq_ignore_ascii_case("no-store")
            || (name.eq_ignore_ascii_case("no-cache") && argument.is_empty())
        {
            read.forbidden = true;
        } else if name.eq_ignore_ascii_case("max-age") && read.max_age.is_none() {
            // An unreadable max-age is stale at once (RFC 9111 §4.2.1).
            read.max_age = Some(seconds(argument).unwrap_or(Duration::ZERO));
        }
    }
    read
}

fn age(headers: &HeaderMap) -> Duration {
    text(headers, &AGE).and_then(seconds).unwrap_or(Duration::ZERO)
}

/// Digits only; a number too large to hold is "very long" (RFC 9111 §1.2.2).
fn seconds(text: &str) -> Option<Duration> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| Duration::from_secs(text.parse().unwrap_or(u64::from(u32::MAX)).min(u64::from(u32::MAX))))
}

fn http_date(text: &str) -> Option<Timestamp> {
    let time = httpdate::parse_http_date(text).ok()?;
    Some(Timestamp::EPOCH.saturating_add(time.duration_since(UNIX_EPOCH).ok()?))
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    Some(headers.get(name)?.to_str().ok()?.trim())
}

#[cfg(test)]
mod tests;
