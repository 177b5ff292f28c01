//! What we say (N1, N2, E11, E14). Headers are built from zero for each hop; nothing is inherited.

use crate::failure::{FetchError, Refusal};
use crate::request::Wanted;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::secret::FeedSecrets;
use domain::{FeedId, Validators};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, USER_AGENT,
};

const ACCEPT_FEED: &str = "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, application/json;q=0.5, */*;q=0.1";
const ACCEPT_PAGE: &str = "text/html, application/xhtml+xml, application/atom+xml;q=0.9, application/rss+xml;q=0.9, application/feed+json;q=0.9, application/xml;q=0.8, */*;q=0.1";
const ACCEPT_IMAGE: &str = "image/png, image/svg+xml, image/x-icon, image/*;q=0.8, */*;q=0.1";
const ENCODINGS: &str = "gzip, br, zstd";
/// RFC 3229 §10.5.3.
const A_IM: HeaderName = HeaderName::from_static("a-im");

/// Our name, as far as it is the same for every request: `Wellread/VERSION` and the contact address.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    product: String,
    contact: Option<String>,
    plain: HeaderValue,
}

impl Agent {
    pub(crate) fn new(version: &str, contact: Option<&str>) -> Result<Self, FetchError> {
        let product = format!("Wellread/{version}");
        // `;` and parentheses would end the comment the address stands in.
        let wrong = |text: &str| {
            text.bytes().any(|byte| !byte.is_ascii_graphic() || matches!(byte, b';' | b'(' | b')'))
        };
        let contact = contact.filter(|contact| !contact.is_empty());
        if let Some(contact) = contact.filter(|contact| wrong(contact)) {
            return Err(FetchError::Contact(contact.to_owned()));
        }
        let plain = match contact {
            Some(contact) => format!("{product} (+{contact})"),
            None => product.clone(),
        };
        let plain = HeaderValue::try_from(plain).map_err(|_| FetchError::Contact(version.to_owned()))?;
        Ok(Agent { product, contact: contact.map(str::to_owned), plain })
    }

    /// For pages, which have no subscribers.
    pub(crate) fn plain(&self) -> HeaderValue {
        self.plain.clone()
    }

    /// `Wellread/1.4 (+https://instance.example/about-fetcher; 16 subscribers; feed-id=7)`, or what a person set.
    pub(crate) fn for_feed(
        &self,
        own: Option<&str>,
        subscribers: u32,
        feed: FeedId,
    ) -> Result<HeaderValue, Refusal> {
        if let Some(own) = own {
            // `HeaderValue` refuses controls but for the tab.
            if own.trim().is_empty() || own.contains('\t') {
                return Err(Refusal::UserAgent);
            }
            return HeaderValue::try_from(own).map_err(|_| Refusal::UserAgent);
        }
        let mut text = format!("{} (", self.product);
        if let Some(contact) = &self.contact {
            text.push_str(&format!("+{contact}; "));
        }
        match rounded(subscribers) {
            0 => {}
            1 => text.push_str("1 subscriber; "),
            count => text.push_str(&format!("{count} subscribers; ")),
        }
        text.push_str(&format!("feed-id={feed})"));
        HeaderValue::try_from(text).map_err(|_| Refusal::UserAgent)
    }
}

/// Two leading digits: enough for a publisher's statistics, too coarse to watch one person come and go.
fn rounded(count: u32) -> u32 {
    let mut unit = 1;
    while count / unit >= 100 {
        unit *= 10;
    }
    count / unit * unit
}

/// What a feed alone is sent; only to its own origin. `None` in, nothing out; something unsendable is refused.
pub(crate) fn secret_headers(secrets: &FeedSecrets) -> Result<HeaderMap, Refusal> {
    let mut map = HeaderMap::new();
    if secrets.user.is_some() || secrets.password.is_some() {
        let user = secrets.user.as_deref().unwrap_or_default();
        let password = secrets.password.as_ref().map_or("", |password| password.reveal());
        // RFC 7617 §2: a colon in the name would move the border between name and password.
        if user.contains(':') || user.chars().chain(password.chars()).any(char::is_control) {
            return Err(Refusal::Header);
        }
        let value = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        map.insert(AUTHORIZATION, secret_value(&value)?);
    }
    for (name, value) in &secrets.headers {
        let (name, value) = secret_header(name, value.reveal())?;
        map.insert(name, value);
    }
    Ok(map)
}

/// A header that a person sets for a feed, as it is sent; refused where it could break the message or change what is
/// ours to say (E14).
pub fn secret_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Refusal> {
    let name = HeaderName::try_from(name).map_err(|_| Refusal::Header)?;
    if is_reserved(&name) {
        return Err(Refusal::Header);
    }
    Ok((name, secret_value(value)?))
}

fn secret_value(text: &str) -> Result<HeaderValue, Refusal> {
    let mut value = HeaderValue::try_from(text).map_err(|_| Refusal::Header)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Headers that decide how messages are framed or routed, or that this file sets: not for people to change.
fn is_reserved(name: &HeaderName) -> bool {
    const RESERVED: [&str; 14] = [
        "host",
        "connection",
        "content-length",
        "transfer-encoding",
        "te",
        "trailer",
        "upgrade",
        "keep-alive",
        "expect",
        "accept-encoding",
        "if-none-match",
        "if-modified-since",
        "range",
        "a-im",
    ];
    RESERVED.contains(&name.as_str()) || name.as_str().starts_with("proxy-")
}

pub(crate) fn accept_feed() -> HeaderValue {
    HeaderValue::from_static(ACCEPT_FEED)
}

pub(crate) fn accept(wanted: Wanted) -> HeaderValue {
    HeaderValue::from_static(match wanted {
        Wanted::Page => ACCEPT_PAGE,
        Wanted::Image => ACCEPT_IMAGE,
        Wanted::Anything => "*/*",
    })
}

/// The conditional part of a request: validators as header values, where they can be sent at all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions {
    etag: Option<HeaderValue>,
    last_modified: Option<HeaderValue>,
    delta: bool,
}

impl Conditions {
    pub(crate) fn new(validators: &Validators, delta: bool) -> Self {
        let etag = validators.etag.as_deref().and_then(validator_value);
        let last_modified = validators.last_modified.as_deref().and_then(validator_value);
        let delta = delta && (etag.is_some() || last_modified.is_some());
        Conditions { etag, last_modified, delta }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// A stored validator as bytes again (see `response::validator_text`): one byte per character. What cannot have come
/// from a header (controls, newlines: E14) is dropped, which costs one full download.
fn validator_value(text: &str) -> Option<HeaderValue> {
    let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
    HeaderValue::from_bytes(&bytes?).ok().filter(|value| !value.is_empty())
}

/// The whole header block of one hop. `secrets` only when the hop goes to the feed's own origin.
pub(crate) fn build(
    accept: &HeaderValue,
    agent: &HeaderValue,
    conditions: &Conditions,
    secrets: Option<&HeaderMap>,
) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(8);
    map.insert(ACCEPT, accept.clone());
    map.insert(ACCEPT_ENCODING, HeaderValue::from_static(ENCODINGS));
    map.insert(USER_AGENT, agent.clone());
    if let Some(etag) = &conditions.etag {
        map.insert(IF_NONE_MATCH, etag.clone());
    }
    if let Some(last_modified) = &conditions.last_modified {
        map.insert(IF_MODIFIED_SINCE, last_modified.clone());
    }
    if conditions.delta {
        map.insert(A_IM, HeaderValue::from_static("feed"));
    }
    if let Some(secrets) = secrets {
        map.extend(secrets.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Secret;

    #[test]
    fn n2_the_agent_names_us_our_contact_and_a_rounded_count() {
        let agent = Agent::new("1.4", Some("https://instance.example/about-fetcher")).expect("an agent");
        let shown = |count| {
            agent.for_feed(None, count, FeedId(7)).expect("a value").to_str().expect("text").to_owned()
        };
        assert_eq!(
            shown(16),
            "Wellread/1.4 (+https://instance.example/about-fetcher; 16 subscribers; feed-id=7)"
        );
        assert_eq!(
            shown(1),
            "Wellread/1.4 (+https://instance.example/about-fetcher; 1 subscriber; feed-id=7)"
        );
        assert_eq!(shown(0), "Wellread/1.4 (+https://instance.example/about-fetcher; feed-id=7)");
        assert_eq!(
            shown(1_234),
            "Wellread/1.4 (+https://instance.example/about-fetcher; 1200 subscribers; feed-id=7)"
        );
        assert!(shown(u32::MAX).contains("; 4200000000 subscribers;"));
        let silent = Agent::new("1.4", None).expect("an agent");
        assert_eq!(
            silent.for_feed(None, 2, FeedId(7)).expect("a value"),
            "Wellread/1.4 (2 subscribers; feed-id=7)"
        );
        assert_eq!(silent.plain(), "Wellread/1.4");
    }

    #[test]
    fn e14_agents_with_control_characters_are_refused() {
        let agent = Agent::new("1.4", None).expect("an agent");
        for own in ["a\r\nX: y", "a\nb", "a\0", "a\tb", "\u{7f}", " "] {
            assert_eq!(agent.for_feed(Some(own), 1, FeedId(1)), Err(Refusal::UserAgent), "{own:?}");
        }
        assert_eq!(agent.for_feed(Some("My reader/1"), 1, FeedId(1)).expect("a value"), "My reader/1");
        assert!(Agent::new("1.4", Some("https://a.test/\r\nX: y")).is_err());
        assert!(Agent::new("1.4", Some("https://a.test/) evil (")).is_err());
    }

    #[test]
    fn e14_stored_validators_with_newlines_are_not_sent() {
        let validators = |etag: &str| Validators { etag: Some(etag.into()), last_modified: None };
        assert!(Conditions::new(&validators("\"a\"\r\nX: y"), true).is_empty());
        assert!(
            Conditions::new(&validators("\"ž\""), false).is_empty(),
            "no header byte gives this character"
        );
        assert!(Conditions::new(&validators(""), false).is_empty());
        assert!(!Conditions::new(&validators("\"a\""), true).is_empty());
    }

    #[test]
    fn e14_headers_people_set_cannot_break_the_message() {
        let with = |name: &str, value: &str| {
            let headers = vec![(name.to_owned(), Secret::new(value))];
            secret_headers(&FeedSecrets { headers, ..FeedSecrets::default() })
        };
        for (name, value) in [
            ("X-Key", "a\r\nEvil: 1"),
            ("X Key", "a"),
            ("X-Key\r\n", "a"),
            ("Host", "127.0.0.1"),
            ("Content-Length", "5"),
            ("transfer-encoding", "chunked"),
            ("Proxy-Authorization", "x"),
            ("Connection", "x"),
            ("", "a"),
        ] {
            assert_eq!(with(name, value), Err(Refusal::Header), "{name:?}: {value:?}");
        }
        assert_eq!(with("X-Api-Key", "k3y").expect("headers").get("x-api-key").expect("a value"), "k3y");
        let login = FeedSecrets { user: Some("mi:ra".into()), ..FeedSecrets::default() };
        assert_eq!(secret_headers(&login), Err(Refusal::Header));
    }

    #[test]
    fn a_login_becomes_basic_authorization() {
        let login =
            FeedSecrets { user: Some("mira".into()), password: Some(Secret::new("pä")), headers: vec![] };
        let map = secret_headers(&login).expect("headers");
        assert_eq!(map.get(AUTHORIZATION).expect("a value"), "Basic bWlyYTpww6Q=");
        assert!(map.get(AUTHORIZATION).expect("a value").is_sensitive());
    }
}
