//! Headers as publishers write them.

use super::*;
use http::HeaderValue;
use proptest::prelude::*;

const NOW: Timestamp = Timestamp::from_seconds(1_700_000_000);
const NOW_DATE: &str = "Tue, 14 Nov 2023 22:13:20 GMT";

fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
    lines
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value")))
        .collect()
}

fn fresh_seconds(lines: &[(&'static str, &str)]) -> Option<u64> {
    fresh_for(&headers(lines), NOW).map(|life| life.as_secs())
}

#[test]
fn n3_validators_are_kept_byte_for_byte() {
    for etag in ["W/\"a b\"", "no-quotes", "\"\"", "\"a\\b, c\""] {
        let map = headers(&[("etag", etag), ("last-modified", "yesterday, about noon")]);
        let read = validators(&map, 1024);
        assert_eq!(read.etag.as_deref(), Some(etag));
        assert_eq!(read.last_modified.as_deref(), Some("yesterday, about noon"));
    }
    assert_eq!(validators(&headers(&[("etag", "")]), 1024), Validators::default());
}

#[test]
fn b7_overlong_validators_are_dropped() {
    let map = headers(&[("etag", &"x".repeat(1025)), ("last-modified", NOW_DATE)]);
    assert_eq!(validators(&map, 1024), Validators { etag: None, last_modified: Some(NOW_DATE.into()) });
    assert!(validators(&headers(&[("etag", &"x".repeat(1024))]), 1024).etag.is_some());
}

#[test]
fn n3_a_304_updates_only_what_it_names() {
    let sent = Validators { etag: Some("\"1\"".into()), last_modified: Some("a".into()) };
    let said = |etag: Option<&str>| Validators { etag: etag.map(str::to_owned), last_modified: None };
    assert_eq!(
        refreshed(&sent, said(Some("\"2\""))),
        Validators { etag: Some("\"2\"".into()), last_modified: Some("a".into()) }
    );
    assert_eq!(refreshed(&sent, said(None)), sent);
}

#[test]
fn n6_max_age_minus_age_wins_and_a_day_is_the_most() {
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=60")]), Some(60));
    assert_eq!(fresh_seconds(&[("cache-control", "public, Max-Age=43200")]), Some(43_200));
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=\"600\"")]), Some(600));
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=31536000")]), Some(86_400));
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=99999999999999999999999")]), Some(86_400));
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=600"), ("age", "100")]), Some(500));
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=600"), ("age", "601")]), None);
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=600"), ("age", "soon")]), Some(600));
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=600, max-age=5")]), Some(600));
    let later = "Tue, 14 Nov 2023 23:13:20 GMT";
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=60"), ("expires", later)]), Some(60));
    assert_eq!(fresh_seconds(&[("cache-control", "max-age=0"), ("expires", later)]), None);
    assert_eq!(fresh_seconds(&[("cache-control", "s-maxage=9000")]), None, "meant for shared caches");
}

#[test]
fn n6_expires_counts_from_the_servers_own_date() {
    let later = "Tue, 14 Nov 2023 23:13:20 GMT";
    assert_eq!(fresh_seconds(&[("expires", later)]), Some(3600));
    assert_eq!(fresh_seconds(&[("expires", later), ("date", "Tue, 14 Nov 2023 23:00:00 GMT")]), Some(800));
    assert_eq!(
        fresh_seconds(&[("expires", later), ("date", "Tue, 14 Nov 2023 23:00:00 GMT"), ("age", "300")]),
        Some(500)
    );
    assert_eq!(fresh_seconds(&[("expires", "Tue, 14 Nov 2000 23:13:20 GMT")]), None);
    assert_eq!(fresh_seconds(&[("expires", "0")]), None);
    assert_eq!(fresh_seconds(&[("expires", "-1")]), None);
    assert_eq!(fresh_seconds(&[]), None);
}

#[test]
fn n6_forbidding_caches_means_our_own_floor() {
    for control in [
        "no-cache",
        "no-store",
        "no-cache, max-age=600",
        "max-age=600, NO-STORE",
        "max-age=0",
        "max-age=-5",
        "max-age=",
    ] {
        assert_eq!(fresh_seconds(&[("cache-control", control)]), None, "{control}");
    }
    assert_eq!(fresh_seconds(&[("cache-control", "no-cache=\"set-cookie\", max-age=600")]), Some(600));
}

#[test]
fn n13_retry_after_is_seconds_or_a_date_and_at_most_thirty_days() {
    let wait =
        |value: &str| retry_after(&headers(&[("retry-after", value)]), NOW).map(|at| at.since(NOW).as_secs());
    assert_eq!(wait("120"), Some(120));
    assert_eq!(wait("Tue, 14 Nov 2023 22:43:20 GMT"), Some(1800));
    assert_eq!(wait("Tuesday, 14-Nov-23 22:43:20 GMT"), Some(1800), "the old form of RFC 850");
    assert_eq!(wait("1000000000"), Some(30 * 86_400));
    assert_eq!(wait("99999999999999999999999999"), Some(30 * 86_400));
    assert_eq!(wait("Sat, 14 Nov 2099 22:43:20 GMT"), Some(30 * 86_400));
    for nothing in ["Tue, 14 Nov 2000 22:43:20 GMT", "-5", "0", "soon", "", "1.5", "120 seconds"] {
        assert_eq!(wait(nothing), None, "{nothing:?}");
    }
}

#[test]
fn n26_robots_tags_for_everybody_or_for_us_are_seen() {
    let check = |value: &str, expected| {
        assert_eq!(is_noindex(&headers(&[("x-robots-tag", value)])), expected, "{value}");
    };
    check("noindex", true);
    check("nofollow, NoIndex", true);
    check("none", true);
    check("noai, noimageai", true);
    check("Wellread: noindex", true);
    check("googlebot: noindex", false);
    check("nofollow", false);
    check("unavailable_after: 25 Jun 2030 15:00:00 GMT", false);
    check("noindex, unavailable_after: 25 Jun 2030 15:00:00 GMT", true);
    let both = [("x-robots-tag", "googlebot: nofollow"), ("x-robots-tag", "noindex")];
    let mut map = HeaderMap::new();
    for (name, value) in both {
        map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    assert!(is_noindex(&map));
}

#[test]
fn b9_a_browser_challenge_is_seen() {
    assert!(is_challenge(&headers(&[("cf-mitigated", "challenge")])));
    assert!(!is_challenge(&headers(&[("cf-mitigated", "block")])));
    assert!(!is_challenge(&headers(&[])));
}

#[test]
fn hubs_and_the_self_link_come_from_link_headers() {
    let base = Url::parse("https://a.test/feed").expect("an address");
    let read = |value: &str| links(&headers(&[("link", value)]), &base, 2048);
    let (hubs, own) =
        read("<https://hub.test/>; rel=\"hub\", </feed.xml>; title=\"a, b\"; rel=\"alternate self\"");
    assert_eq!(hubs, ["https://hub.test/"]);
    assert_eq!(own.as_deref(), Some("https://a.test/feed.xml"));
    assert_eq!(read("<javascript:alert(1)>; rel=hub"), (vec![], None));
    assert_eq!(read("<https://hub.test/>; rel=hub, <https://hub.test/>; rel=HUB").0.len(), 1);
    for broken in ["<", "<https://x", "<x>", ">;rel=hub<", "<x>; rel", "<x>;\"", ",,,"] {
        assert_eq!(read(broken), (vec![], None), "{broken}");
    }
    let many: Vec<String> = (0..50).map(|n| format!("<https://hub{n}.test/>; rel=hub")).collect();
    assert_eq!(read(&many.join(",")).0.len(), LINKS_MAX);
}

proptest! {
    #[test]
    fn reading_headers_is_total_and_bounded(value in "[ -~]{0,80}") {
        let Ok(value) = HeaderValue::from_str(&value) else { return Ok(()) };
        let mut map = HeaderMap::new();
        for name in [CACHE_CONTROL, AGE, EXPIRES, DATE, RETRY_AFTER, LINK, CONTENT_TYPE, ETAG] {
            map.insert(name, value.clone());
        }
        let base = Url::parse("https://a.test/feed").expect("an address");
        prop_assert!(fresh_for(&map, NOW).is_none_or(|life| life > Duration::ZERO && life <= FRESH_MAX));
        prop_assert!(retry_after(&map, NOW).is_none_or(|at| at > NOW && at.since(NOW) <= RETRY_AFTER_MAX));
        prop_assert!(links(&map, &base, 2048).0.len() <= LINKS_MAX);
    }

    #[test]
    fn n3_any_bytes_of_a_validator_come_back_as_they_were(bytes in proptest::collection::vec(0x20u8..=0xff, 1..40)) {
        let Ok(value) = HeaderValue::from_bytes(&bytes) else { return Ok(()) };
        let text = validator_text(value.as_bytes());
        let back: Vec<u8> = text.chars().map(|c| u8::try_from(c).expect("one byte")).collect();
        prop_assert_eq!(back, bytes);
    }
}
