//! Who serves an address, for spacing requests (N21).
//!
//! A provider is the registrable domain by the public suffix list *without* its private section: the private section
//! makes `a.github.io` and `b.github.io` two sites, which is right for cookies and wrong for politeness, because one
//! company's machines answer for both. Addresses are never grouped: an IP literal is its own provider.

use psl::Type;
use url::{Host, Url};

/// The provider's name: lower case, without port or trailing dot. Empty for an address without a host.
pub fn provider(url: &Url) -> String {
    match url.host() {
        Some(Host::Domain(name)) => registrable(&name.trim_end_matches('.').to_ascii_lowercase()).to_owned(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => String::new(),
    }
}

/// The registrable part of `name` by the public section of the list; `name` itself when it is a suffix or one label.
fn registrable(name: &str) -> &str {
    let mut suffix = match psl::suffix(name.as_bytes()) {
        Some(suffix) if suffix.typ() == Some(Type::Private) => suffix.as_bytes().len(),
        _ => return psl::domain_str(name).unwrap_or(name),
    };
    // A private rule matched. Shorten it label by label until a public rule decides; each step drops a label, so
    // the loop ends with the name.
    loop {
        let rule = &name[name.len() - suffix..];
        let Some((_, shorter)) = rule.split_once('.') else { return rule };
        match psl::suffix(shorter.as_bytes()) {
            Some(found) if found.typ() == Some(Type::Private) => {
                suffix = found.as_bytes().len();
            }
            Some(found) if found.as_bytes().len() == shorter.len() => return rule,
            _ => return psl::domain_str(shorter).unwrap_or(shorter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: &str) {
        assert_eq!(provider(&Url::parse(address).expect("an address")), expected, "{address}");
    }

    #[test]
    fn n21_hosts_of_one_company_are_one_provider() {
        check("https://a.tumblr.com/rss", "tumblr.com");
        check("https://b.tumblr.com/rss", "tumblr.com");
        check("https://x.github.io/feed", "github.io");
        check("https://www.y.github.io/feed", "github.io");
        check("https://one.substack.com/feed", "substack.com");
        check("https://one.blogspot.com/feed", "blogspot.com");
        check("https://bucket.s3.amazonaws.com/feed", "amazonaws.com");
        check("https://bucket.s3.eu-west-1.amazonaws.com/feed", "amazonaws.com");
        check("https://one.wordpress.com/feed", "wordpress.com");
    }

    #[test]
    fn n21_the_public_section_of_the_list_still_separates() {
        check("https://www.example.co.uk/", "example.co.uk");
        check("https://other.co.uk/", "other.co.uk");
        check("https://News.Example.COM./feed", "example.com");
        check("http://f0001.test:8080/feed.xml", "f0001.test");
        check("http://f0002.test:8080/feed.xml", "f0002.test");
        check("http://a.f0002.test/", "f0002.test");
        check("http://www.bücher.de/", "xn--bcher-kva.de");
        check("http://nas/", "nas");
        check("http://co.uk/", "co.uk");
        check("http://github.io/", "github.io");
    }

    #[test]
    fn n21_addresses_are_never_grouped() {
        check("http://192.0.2.7:8080/f", "192.0.2.7");
        check("http://192.0.2.8/f", "192.0.2.8");
        check("http://[2001:db8::1]/f", "2001:db8::1");
    }
}
