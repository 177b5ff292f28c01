//! Addresses that are secrets themselves: a feed with a personal key in it is asked for without a password, and is
//! still somebody's own. This is a guess on the careful side; what it hides is hidden from strangers only.

use url::Url;

/// Parts of names under which keys are given.
const NAMES: [&str; 12] =
    ["token", "key", "auth", "secret", "pass", "pwd", "sig", "hash", "session", "private", "user", "sid"];
/// So many letters and digits in a row that nobody made up.
const RANDOM_CHARS: usize = 28;

pub fn looks_secret(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return true };
    if !url.username().is_empty() || url.password().is_some() {
        return true;
    }
    let is_named = |name: &str| {
        let name = name.to_ascii_lowercase();
        NAMES.iter().any(|part| name.contains(part))
    };
    let in_query =
        url.query_pairs().any(|(name, value)| (is_named(&name) && !value.is_empty()) || is_random(&value));
    in_query
        || url.path_segments().is_some_and(|mut parts| {
            parts.any(|part| is_random(part.rsplit_once('.').map_or(part, |(stem, _)| stem)))
        })
}

/// Long, without a break, of digits and letters mixed: no word and no number.
fn is_random(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        run.len() >= RANDOM_CHARS && digits >= 4 && digits < run.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personal_keys_are_known_by_their_names_or_their_look() {
        for secret in [
            "https://a.example/feed?token=abc",
            "https://a.example/rss?feed_auth=1&x=2",
            "https://a.example/mail/0f3b9c1d77e24a6b8f1e5d3c2b1a0987.xml",
            "https://a.example/u/feed.ics?k=4kd93jf0s8dkfj3948fjsldkfj39fjs",
            "https://mira:pw@a.example/feed",
            "no address",
        ] {
            assert!(looks_secret(secret), "{secret}");
        }
    }

    #[test]
    fn ordinary_addresses_are_no_secrets() {
        for open in [
            "https://a.example/feed.xml",
            "https://a.example/2026/11/18/the-quick-brown-fox-jumps-over-the-lazy-dog/feed",
            "https://www.youtube.com/feeds/videos.xml?channel_id=UC2eYFnH61tmytImy1mTYvhA",
            "https://a.example/?feed=rss2&cat=12",
            "https://a.example/feed?token=",
            "https://blog.example/tag/rust/index.xml?lang=en",
        ] {
            assert!(!looks_secret(open), "{open}");
        }
    }
}
