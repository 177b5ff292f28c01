//! Links as the same article has them in different feeds.

use url::Url;

/// Parameters that say where a reader came from, not what they read.
const TRACKING: [&str; 17] = [
    "_hsenc",
    "_hsmi",
    "fbclid",
    "gclid",
    "gclsrc",
    "dclid",
    "msclkid",
    "yclid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "igshid",
    "amp",
    "outputtype",
    "ref_src",
    "cmpid",
    "spm",
];
/// Longer addresses are compared as they are not at all.
const LINK_BYTES_MAX: usize = 4_096;

/// Without scheme, `www.`, `m.`, fragment, trailing slash, tracking parameters, and without the detours of AMP and of
/// redirectors. None for what is no address on the web.
pub fn canonical_link(link: &str) -> Option<String> {
    let link = link.trim();
    if link.len() > LINK_BYTES_MAX {
        return None;
    }
    let url = Url::parse(link).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    if let Some(original) = behind_a_detour(&url) {
        return canonical_link(&original);
    }
    let host = url.host_str()?.trim_end_matches('.');
    let host = host.strip_prefix("www.").unwrap_or(host);
    let host = ["amp.", "m."]
        .iter()
        .find_map(|name| host.strip_prefix(name).filter(|rest| rest.contains('.')))
        .unwrap_or(host);
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let mut path = url.path().trim_end_matches('/');
    path = path.strip_suffix("/amp").or_else(|| path.strip_suffix(".amp")).unwrap_or(path);
    let path = path.trim_end_matches('/');
    let path = path.strip_prefix("/amp/").map_or_else(|| path.to_owned(), |rest| format!("/{rest}"));
    let mut parameters: Vec<(String, String)> = url
        .query_pairs()
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .filter(|(name, _)| !is_tracking(name))
        .collect();
    parameters.sort_unstable();
    let mut out = format!("{host}{port}{path}");
    for (nth, (name, value)) in parameters.iter().enumerate() {
        out.push(if nth == 0 { '?' } else { '&' });
        out.push_str(name);
        out.push('=');
        out.push_str(value);
    }
    Some(out)
}

/// A front page is everybody's link and nobody's article.
pub fn leads_to_an_article(canonical: &str) -> bool {
    canonical.contains(['/', '?'])
}

fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("utm_") || name.starts_with("at_") || TRACKING.contains(&name.as_str())
}

/// `google.tld/amp/s/host/path` and `host.cdn.ampproject.org/c/s/host/path` are `host/path`; redirectors carry the address
/// as a parameter. The original is shorter than the detour, so that following it ends.
fn behind_a_detour(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let path = url.path();
    if let Some(original) = behind_a_redirector(url, host, path) {
        return Some(original);
    }
    let rest = if host.ends_with(".cdn.ampproject.org") || host == "cdn.ampproject.org" {
        path.strip_prefix("/c/").or_else(|| path.strip_prefix("/v/"))?
    } else if host.starts_with("www.google.") {
        path.strip_prefix("/amp/")?
    } else {
        return None;
    };
    let rest = rest.strip_prefix("s/").unwrap_or(rest);
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("https://{rest}{query}"))
}

/// Those that say where they lead. Shorteners do not, and asking them is not a matter of words.
fn behind_a_redirector(url: &Url, host: &str, path: &str) -> Option<String> {
    let is_google = host.starts_with("www.google.") || host == "google.com";
    let names: &[&str] = match (host, path) {
        (_, "/url") if is_google => &["q", "url"],
        ("l.facebook.com" | "lm.facebook.com", "/l.php") => &["u"],
        ("out.reddit.com", _) => &["url"],
        _ => return None,
    };
    let parameter =
        |name: &&str| url.query_pairs().find(|(own, _)| own == name).map(|(_, value)| value.into_owned());
    names.iter().find_map(parameter).filter(|original| original.starts_with("http"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    fn check(link: &str, expected: &str) {
        assert_eq!(canonical_link(link).as_deref(), Some(expected), "{link}");
    }

    #[test]
    fn the_same_article_has_one_link() {
        let expected = "site.test/2024/a-story";
        for link in [
            "https://site.test/2024/a-story",
            "http://www.site.test/2024/a-story/",
            "https://SITE.test/2024/a-story?utm_source=rss&utm_medium=feed#comments",
            "https://site.test/2024/a-story?fbclid=x&gclid=y",
            "https://amp.site.test/2024/a-story",
            "https://site.test/2024/a-story/amp/",
            "https://site.test/2024/a-story.amp",
            "https://site.test/amp/2024/a-story",
            "https://site.test/2024/a-story?amp=1",
            "https://www.google.com/amp/s/site.test/2024/a-story/amp/",
            "https://site-test.cdn.ampproject.org/c/s/www.site.test/2024/a-story",
            "  https://site.test:443/2024/a-story  ",
            "https://m.site.test/2024/a-story?_hsenc=1&mkt_tok=2&spm=3&at_medium=4",
            "https://www.google.com/url?sa=t&q=https%3A%2F%2Fsite.test%2F2024%2Fa-story%3Futm_source%3Dx",
            "https://l.facebook.com/l.php?u=https%3A%2F%2Fsite.test%2F2024%2Fa-story&h=AT0",
            "https://out.reddit.com/t3_x?url=https%3A%2F%2Fsite.test%2F2024%2Fa-story&token=y",
        ] {
            check(link, expected);
        }
    }

    #[test]
    fn what_tells_articles_apart_stays() {
        check("https://site.test/?p=12&a=b", "site.test?a=b&p=12");
        check("https://site.test:8080/x", "site.test:8080/x");
        check("https://site.test/A", "site.test/A");
        assert_ne!(canonical_link("https://site.test/?p=1"), canonical_link("https://site.test/?p=2"));
    }

    /// Reference 2.5.
    #[test]
    fn spelling_ports_and_the_order_of_parameters_do_not_matter() {
        check("HTTP://www.Example.com:80/a/?utm_source=x&b=2&a=1#c", "example.com/a?a=1&b=2");
        check("https://example.com/a?a=1&b=2", "example.com/a?a=1&b=2");
    }

    #[test]
    fn front_pages_are_no_articles() {
        assert!(!leads_to_an_article(&canonical_link("https://www.site.test/").unwrap()));
        assert!(leads_to_an_article("site.test/a") && leads_to_an_article("site.test?p=1"));
    }

    #[test]
    fn what_is_no_address_has_no_link() {
        let long = format!("https://site.test/{}", "a/amp/".repeat(2_000));
        for bad in
            ["", "nonsense", "mailto:a@b.test", "javascript:x", "https://", "file:///etc/passwd", &long]
        {
            assert_eq!(canonical_link(bad), None, "{bad}");
        }
        let nested = format!("https://www.google.com{}site.test/a", "/amp/s/www.google.com".repeat(100));
        assert!(canonical_link(&nested).is_some());
    }
}
