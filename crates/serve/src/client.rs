//! The other end of a request: its address, whether the person uses https, and what device it seems to be.
//!
//! Forwarding headers are believed only when the connection comes from a proxy the operator declared (A9).

use crate::App;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::header::{self, HeaderName};
use axum::http::request::Parts;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Addresses of reverse proxies: a single one, or a range such as `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyRange {
    first: IpAddr,
    bits: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is no proxy address: write it like 127.0.0.1 or 10.0.0.0/8")]
pub struct BadProxy {
    given: String,
}

impl ProxyRange {
    pub fn parse(given: &str) -> Result<Self, BadProxy> {
        let bad = || BadProxy { given: given.to_owned() };
        let (address, bits) = match given.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (given.trim(), None),
        };
        let first: IpAddr = address.parse().map_err(|_| bad())?;
        let most = if first.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            Some(bits) => bits.parse().ok().filter(|bits| *bits <= most).ok_or_else(bad)?,
            None => most,
        };
        Ok(ProxyRange { first, bits })
    }

    fn holds(self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                first.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                first.to_bits() & mask == address.to_bits() & mask
            }
            _ => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) address: String,
    pub(crate) is_https: bool,
}

impl FromRequestParts<Arc<App>> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        Ok(Client::of(peer, &parts.headers, &app.proxies, app.secure))
    }
}

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

impl Client {
    fn of(peer: Option<IpAddr>, headers: &HeaderMap, proxies: &[ProxyRange], secure: bool) -> Self {
        let is_proxy = |address: IpAddr| proxies.iter().any(|range| range.holds(address));
        let trusted = peer.is_some_and(is_proxy);
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        // From the right: the first address that is no proxy of ours is as far as we know the truth.
        let forwarded = text(&FORWARDED_FOR).filter(|_| trusted).and_then(|list| {
            list.rsplit(',').take(20).filter_map(|part| part.trim().parse().ok()).find(|ip| !is_proxy(*ip))
        });
        let address =
            forwarded.or(peer).map_or_else(|| "unknown".to_owned(), |ip| ip.to_canonical().to_string());
        let by_proxy =
            trusted && text(&FORWARDED_PROTO).is_some_and(|proto| proto.eq_ignore_ascii_case("https"));
        Client { address, is_https: secure || by_proxy }
    }

    /// `Firefox on Linux`, as far as the browser says; for the list of sessions.
    pub(crate) fn device(&self, headers: &HeaderMap) -> String {
        let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let first = |names: &[(&str, &str)]| {
            names.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| (*name).to_owned())
        };
        let browser = first(&[
            ("Firefox/", "Firefox"),
            ("Edg/", "Edge"),
            ("OPR/", "Opera"),
            ("Chrome/", "Chrome"),
            ("Safari/", "Safari"),
            ("curl/", "curl"),
        ]);
        let system = first(&[
            ("iPhone", "iPhone"),
            ("iPad", "iPad"),
            ("Android", "Android"),
            ("Windows", "Windows"),
            ("Mac OS", "Mac"),
            ("Linux", "Linux"),
        ]);
        match (browser, system) {
            (Some(browser), Some(system)) => format!("{browser}, {system}"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn seen(peer: &str, forwarded: &str, proxies: &[&str]) -> (String, bool) {
        let mut headers = HeaderMap::new();
        headers.insert(FORWARDED_FOR, HeaderValue::from_str(forwarded).expect("a header"));
        headers.insert(FORWARDED_PROTO, HeaderValue::from_static("https"));
        let proxies: Vec<ProxyRange> =
            proxies.iter().map(|p| ProxyRange::parse(p).expect("a range")).collect();
        let client = Client::of(peer.parse().ok(), &headers, &proxies, false);
        (client.address, client.is_https)
    }

    #[test]
    fn a9_forwarding_headers_count_only_from_declared_proxies() {
        assert_eq!(seen("203.0.113.9", "1.2.3.4", &[]), ("203.0.113.9".to_owned(), false));
        assert_eq!(seen("10.0.0.2", "1.2.3.4", &["10.0.0.0/8"]), ("1.2.3.4".to_owned(), true));
        assert_eq!(seen("::ffff:10.0.0.2", "6.6.6.6, 1.2.3.4, 10.1.1.1", &["10.0.0.0/8"]).0, "1.2.3.4");
        assert_eq!(seen("10.0.0.2", "garbage", &["10.0.0.2"]).0, "10.0.0.2");
        assert_eq!(seen("11.0.0.2", "1.2.3.4", &["10.0.0.0/8"]).0, "11.0.0.2");
    }

    #[test]
    fn a_proxy_that_cannot_be_read_is_refused_with_an_example() {
        for bad in ["", "10.0.0.0/33", "proxy.lan", "::1/129"] {
            assert!(ProxyRange::parse(bad).is_err_and(|e| e.to_string().contains("10.0.0.0/8")), "{bad}");
        }
        assert!(ProxyRange::parse("0.0.0.0/0").is_ok_and(|all| all.holds(IpAddr::from([1, 2, 3, 4]))));
    }
}
