//! No spelling of a loopback, private or link-local address passes the guard, and nothing but http and https does.
#![no_main]

use fetch::{AllowList, check_addr, check_url};
use libfuzzer_sys::fuzz_target;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::{Host, Url};

fuzz_target!(|bytes: &[u8]| {
    let allow = AllowList::parse(std::iter::empty()).expect("an empty list");
    if let Ok(octets) = <[u8; 16]>::try_from(bytes) {
        let addr = IpAddr::V6(Ipv6Addr::from(octets));
        if check_addr(SocketAddr::new(addr, 443), &allow, &[]).is_ok() {
            assert!(!is_ours(addr), "{addr}");
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(url) = Url::parse(text) else { return };
    if check_url(&url, &allow, &[]).is_err() {
        return;
    }
    assert!(matches!(url.scheme(), "http" | "https"), "{url}");
    match url.host() {
        Some(Host::Ipv4(addr)) => assert!(!is_ours(IpAddr::V4(addr)), "{url}"),
        Some(Host::Ipv6(addr)) => assert!(!is_ours(IpAddr::V6(addr)), "{url}"),
        Some(Host::Domain(name)) => {
            assert!(!name.trim_end_matches('.').eq_ignore_ascii_case("localhost"), "{url}");
        }
        None => panic!("{url} has no host"),
    }
});

/// What std itself calls ours, also inside IPv6.
fn is_ours(addr: IpAddr) -> bool {
    let v4 = |addr: Ipv4Addr| {
        addr.is_loopback()
            || addr.is_private()
            || addr.is_link_local()
            || addr.is_unspecified()
            || addr.is_multicast()
    };
    match addr {
        IpAddr::V4(addr) => v4(addr),
        IpAddr::V6(addr) => {
            let inside = addr.to_ipv4().is_some_and(v4);
            inside
                || addr.is_loopback()
                || addr.is_unspecified()
                || addr.is_multicast()
                || addr.is_unique_local()
        }
    }
}
