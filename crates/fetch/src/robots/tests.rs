//! The examples of RFC 9309, and what real files look like.

use super::*;
use proptest::prelude::*;

fn allows(file: &str, path: &str) -> bool {
    let url = Url::parse("https://site.test").and_then(|site| site.join(path)).expect("an address");
    Rules::parse(file.as_bytes()).allows(&url)
}

fn ours(rules: &str) -> String {
    format!("User-agent: Wellread\n{rules}")
}

#[test]
fn n25_the_longest_match_wins_and_allow_wins_ties() {
    let file = ours("Allow: /example/page/\nDisallow: /example/page/disallowed.gif");
    assert!(allows(&file, "/example/page/"));
    assert!(!allows(&file, "/example/page/disallowed.gif"));
    assert!(allows(&ours("Disallow: /a\nAllow: /a"), "/a/b"));
    assert!(!allows(&ours("Allow: /p\nDisallow: /page"), "/page"));
    assert!(allows(&ours("Disallow: /"), "/robots.txt"));
    assert!(allows(&ours("Disallow:"), "/anything"));
    assert!(allows("", "/anything"));
}

#[test]
fn n25_wildcards_and_anchors_match_as_the_rfc_says() {
    let check = |rule: &str, path: &str, blocked: bool| {
        assert_eq!(allows(&ours(&format!("Disallow: {rule}")), path), !blocked, "{rule} on {path}");
    };
    check("*.gif$", "/a/b.gif", true);
    check("*.gif$", "/a/b.gif?x", false);
    check("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", true);
    check("/path/file-with-a-%2A.html", "/path/file-with-a-x.html", false);
    check("/path/foo-%24", "/path/foo-$", true);
    check("/this/*/exactly", "/this/path/exactly", true);
    check("/this/*/exactly", "/this/and/that/exactly/so", true);
    check("/this/*/exactly", "/this/exactly", false);
    check("/fish$", "/fish", true);
    check("/fish$", "/fish.html", false);
    check("/*.php$", "/index.php", true);
    check("/*.php$", "/index.php5", false);
    check("/*aa$", "/a", false);
    check("/a*a$", "/a", false);
    check("/a*a$", "/aba", true);
    check("/**", "/x", true);
    check("/x?y=*", "/x?y=1", true);
    check("/x", "/X", false);
}

#[test]
fn n25_one_octet_has_one_spelling() {
    let check = |rule: &str, path: &str| {
        assert!(!allows(&ours(&format!("Disallow: {rule}")), path), "{rule} on {path}");
    };
    check("/foo/bar?baz=quz", "/foo/bar?baz=quz");
    check("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar");
    check("/foo/bar/U+E38384", "/foo/bar/U+E38384");
    check("/foo/bar/ツ", "/foo/bar/%E3%83%84");
    check("/foo/bar/%e3%83%84", "/foo/bar/ツ");
    check("/foo/bar/%62%61%7A", "/foo/bar/baz");
    check("/foo/bar/baz", "/foo/bar/%62%61%7a");
    assert!(allows(&ours("Disallow: /a%2Fb"), "/a/b"), "an encoded slash is another octet in the path");
}

#[test]
fn n25_our_own_group_counts_before_everybodys() {
    let file =
        "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: WELLREAD/2.0\nDisallow: /private\n";
    assert!(allows(file, "/public"));
    assert!(!allows(file, "/private"));
    assert!(allows("User-agent: *\nDisallow: /\nUser-agent: wellread\n", "/x"), "an empty group allows all");
    assert!(!allows("User-agent: *\nDisallow: /\nUser-agent: wellreader\nAllow: /\n", "/x"));
    let split = "User-agent: wellread\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nuser-agent: wellread\ndisallow: /b\n";
    assert!(
        !allows(split, "/a") && !allows(split, "/b") && allows(split, "/c"),
        "groups for one agent are one"
    );
    assert!(allows("Disallow: /\nUser-agent: x\nDisallow: /", "/a"), "rules before any agent are nobody's");
}

#[test]
fn n25_real_files_have_marks_comments_and_odd_lines() {
    let file = "\u{feff}# hello\r\nUSER-AGENT : * # all\r\n  disallow :  /a  # not here\r\nSitemap: https://x.test/s.xml\r\nDisallow: /b\r\nnonsense\r\n";
    assert!(!allows(file, "/a") && !allows(file, "/b") && allows(file, "/c"));
    assert!(!allows("User-agent: *\rDisallow: /a", "/a"), "old line ends");
    assert!(allows("<html><body>User-agent: *</body></html>", "/a"));
}

#[test]
fn n25_crawl_delay_is_read_up_to_a_minute() {
    let read = |value: &str| {
        Rules::parse(ours(&format!("Crawl-delay: {value}")).as_bytes())
            .crawl_delay
            .map(|delay| delay.as_millis())
    };
    assert_eq!(read("5"), Some(5_000));
    assert_eq!(read("0.5"), Some(500));
    assert_eq!(read("3600"), Some(60_000));
    assert_eq!(read("1e300"), Some(60_000));
    for nothing in ["0", "-1", "NaN", "soon", ""] {
        assert_eq!(read(nothing), None, "{nothing}");
    }
    let everybodys = "User-agent: *\nCrawl-delay: 9\nUser-agent: Wellread\nDisallow: /a\n";
    assert_eq!(Rules::parse(everybodys.as_bytes()).crawl_delay, None, "the most specific group counts whole");
}

#[test]
fn n25_answers_are_kept_a_day_and_unreachable_ones_less() {
    let cache = Cache::default();
    let start = Timestamp::from_seconds(1_000_000);
    let after = |hours: u64| start.saturating_add(Duration::from_secs(hours * 3600));
    cache.put("https://a.test".into(), Arc::new(Policy::Rules(Rules::default())), start);
    cache.put("https://b.test".into(), Arc::new(Policy::Unreachable), start);
    assert!(cache.get("https://a.test", after(23)).is_some());
    assert!(cache.get("https://a.test", after(24)).is_none());
    assert!(cache.get("https://b.test", start).is_some());
    assert!(cache.get("https://b.test", after(1)).is_none());
    assert!(
        cache.get("https://a.test", Timestamp::EPOCH).is_none(),
        "a clock set back does not stretch the day"
    );
}

#[test]
fn n25_the_cache_is_bounded_in_sites_and_bytes() {
    let cache = Cache::default();
    let now = Timestamp::from_seconds(1_000_000);
    for n in 0..SITES_MAX + 50 {
        cache.put(format!("https://s{n}.test"), Arc::new(Policy::Unreachable), now);
    }
    assert!(cache.get("https://s0.test", now).is_none());
    assert!(cache.get(&format!("https://s{}.test", SITES_MAX + 49), now).is_some());
    let large = format!("User-agent: *\n{}", "Disallow: /abcdefghijklmnopqrstuvwxyz\n".repeat(10_000));
    let rules = Arc::new(Policy::Rules(Rules::parse(large.as_bytes())));
    for n in 0..100 {
        cache.put(format!("https://large{n}.test"), rules.clone(), now);
        cache.put(format!("https://large{n}.test"), rules.clone(), now);
    }
    let kept = cache.kept.lock().expect("the lock");
    assert!(kept.bytes <= RULE_BYTES_MAX && kept.sites.len() == kept.order.len(), "{} bytes", kept.bytes);
}

proptest! {
    #[test]
    fn reading_and_matching_are_total(file in "(User-agent: \\*\n)?((Disallow|Allow|Crawl-delay): [/*$%a-c0-9]{0,12}\n|\\PC{0,20}\n){0,8}", path in "/[/*$%a-c0-9?]{0,20}") {
        let rules = Rules::parse(file.as_bytes());
        if let Ok(url) = Url::parse(&format!("https://a.test{path}")) {
            let _ = rules.allows(&url);
        }
        let _ = Rules::parse(&file.bytes().map(|byte| byte.wrapping_mul(7)).collect::<Vec<u8>>());
    }

    #[test]
    fn matching_agrees_with_trying_every_place(pattern in "/[ab*]{0,6}\\$?", path in "/[ab]{0,8}") {
        prop_assert_eq!(matches(&pattern, &path), slowly(pattern.as_bytes(), path.as_bytes()));
    }
}

/// The definition, by trying everything.
fn slowly(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|at| slowly(rest, &path[at..])),
        [first, rest @ ..] => path.first() == Some(first) && slowly(rest, &path[1..]),
    }
}
