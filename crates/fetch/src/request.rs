//! What a caller asks for.

use crate::gate::Gate;
use domain::secret::{FeedSecrets, Secret};
use domain::{FeedId, Validators};
use url::Url;

/// One poll of a feed. robots.txt is not consulted: a person named this address (N25).
#[derive(Debug, Clone)]
pub struct FeedRequest {
    pub url: Url,
    pub validators: Validators,
    /// Say that a delta is welcome (`A-IM: feed`, RFC 3229). Only sent together with validators.
    pub delta: bool,
    /// Sent to the feed's own origin only (E11).
    pub secrets: FeedSecrets,
    /// Instead of our own name, at a person's wish.
    pub user_agent: Option<String>,
    /// How many people read it here; rounded before it is sent, left out when 0.
    pub subscribers: u32,
    pub feed: FeedId,
    /// Passed before each request.
    pub gate: Gate,
}

impl FeedRequest {
    /// The first request to a feed: nothing known, nothing secret.
    pub fn new(url: Url, feed: FeedId) -> Self {
        FeedRequest {
            url,
            validators: Validators::default(),
            delta: false,
            secrets: FeedSecrets::default(),
            user_agent: None,
            subscribers: 1,
            feed,
            gate: Gate::default(),
        }
    }
}

/// Anything that is not a feed poll: discovery, full text, icons.
#[derive(Debug, Clone)]
pub struct PageRequest {
    pub url: Url,
    pub wanted: Wanted,
    pub validators: Validators,
    /// Ask robots.txt first, on every hop: for everything we start ourselves (N25).
    pub robots: bool,
    /// A smaller bound than `Limits::body_bytes_max`, for icons.
    pub body_bytes_max: Option<u64>,
    /// Passed before each request, the one for robots.txt included.
    pub gate: Gate,
}

impl PageRequest {
    pub fn new(url: Url, wanted: Wanted) -> Self {
        PageRequest {
            url,
            wanted,
            validators: Validators::default(),
            robots: true,
            body_bytes_max: None,
            gate: Gate::default(),
        }
    }
}

/// What kind of answer is welcome; decides the `Accept` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A page, or a feed: what a person typed may be either.
    Page,
    Image,
    Anything,
}

/// Takes `user:password@` out of an address, so that it can be sealed apart and never shown (E10).
/// Returns `None` when there was none. Percent-encoding is undone: what a person typed is what is sent.
pub fn take_credentials(url: &mut Url) -> Option<FeedSecrets> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let secrets = FeedSecrets {
        user: Some(percent_decoded(url.username())),
        password: url.password().map(|password| Secret::new(percent_decoded(password))),
        headers: Vec::new(),
    };
    // Both fail only for addresses that cannot have credentials, which then had none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(secrets)
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match bytes.get(at + 1..at + 3).and_then(hex_pair).filter(|_| byte == b'%') {
            Some(value) => {
                out.push(value);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Two hexadecimal digits, and nothing else `from_str_radix` would take.
pub(crate) fn hex_pair(pair: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e10_credentials_are_taken_out_of_the_address() {
        let mut url = Url::parse("https://mi%40ra:p%3Aw%25@host.test/f?x=1").expect("an address");
        let secrets = take_credentials(&mut url).expect("credentials");
        assert_eq!(url.as_str(), "https://host.test/f?x=1");
        assert_eq!(secrets.user.as_deref(), Some("mi@ra"));
        assert_eq!(secrets.password.as_ref().map(Secret::reveal), Some("p:w%"));
        assert!(!format!("{secrets:?}").contains("p:w"));
        assert_eq!(take_credentials(&mut url), None);
    }

    #[test]
    fn a_broken_percent_sign_stays_as_it_is() {
        assert_eq!(percent_decoded("a%2"), "a%2");
        assert_eq!(percent_decoded("%zz%"), "%zz%");
        assert_eq!(percent_decoded("%+1"), "%+1");
    }
}
