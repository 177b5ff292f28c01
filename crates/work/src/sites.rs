//! Sites whose feeds can be told from a plain address. Pure; nothing here asks anybody.
//!
//! Only what these sites have promised for years is used. An address that is not recognised is simply looked at: most
//! pages name their feeds themselves, a channel's `/@handle` page among them.

use crate::follow::{Candidate, CandidateKind};
use url::Url;

/// What an address stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// At least one; several are a choice.
    pub(crate) feeds: Vec<Candidate>,
    /// The shape of the address is enough to be sure; otherwise the address itself is looked at when this fails.
    pub(crate) certain: bool,
}

/// What somebody typed that is no address but has a feed: `@user@host`.
pub(crate) fn account_address(text: &str) -> Option<Url> {
    let (user, host) = text.trim().strip_prefix('@')?.split_once('@')?;
    let host = host.trim_end_matches('/');
    if !is_name(user) || host.is_empty() || host.contains(['/', '@', '?', '#', ':', ' ']) {
        return None;
    }
    Url::parse(&format!("https://{host}/@{user}")).ok()
}

/// The feeds of a well-known site's plain address.
pub(crate) fn known(url: &Url) -> Option<Known> {
    let host = url.host_str()?.to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let path: Vec<&str> = url.path_segments()?.filter(|part| !part.is_empty()).collect();
    match host {
        "youtube.com" | "m.youtube.com" => youtube(url, &path),
        "github.com" => github(&path),
        "reddit.com" | "old.reddit.com" | "new.reddit.com" | "np.reddit.com" => reddit(&path),
        // These have pages under `/@name` but are no Mastodon servers; their pages say what there is.
        "medium.com" | "tiktok.com" | "threads.net" | "threads.com" | "substack.com" => None,
        _ => mastodon(url, &path),
    }
}

fn youtube(url: &Url, path: &[&str]) -> Option<Known> {
    let (key, value, kind) = match path {
        ["channel", id, ..] if is_id(id) && id.starts_with("UC") => {
            ("channel_id", (*id).to_owned(), CandidateKind::Channel)
        }
        ["user", name, ..] if is_name(name) => ("user", (*name).to_owned(), CandidateKind::Channel),
        ["playlist" | "watch"] => {
            let list = url.query_pairs().find(|(key, _)| key == "list")?.1.into_owned();
            ("playlist_id", Some(list).filter(|list| is_id(list))?, CandidateKind::Playlist)
        }
        // `/@handle` and `/c/name` do not hold the channel's number; the page does, in its feed link.
        _ => return None,
    };
    one(&format!("https://www.youtube.com/feeds/videos.xml?{key}={value}"), kind, true)
}

fn github(path: &[&str]) -> Option<Known> {
    const NOT_OWNERS: [&str; 12] = [
        "about",
        "apps",
        "collections",
        "explore",
        "features",
        "login",
        "marketplace",
        "orgs",
        "settings",
        "sponsors",
        "topics",
        "trending",
    ];
    let (owner, repository) = match path {
        [owner, repository] | [owner, repository, "releases" | "commits" | "tags", ..] => {
            (*owner, *repository)
        }
        _ => return None,
    };
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    if NOT_OWNERS.contains(&owner) || !is_name(owner) || !is_name(repository) || repository.ends_with(".atom")
    {
        return None;
    }
    let name = format!("{owner}/{repository}");
    let feed = |part: &str, kind: CandidateKind| {
        let url = Url::parse(&format!("https://github.com/{name}/{part}.atom")).ok()?;
        Some(Candidate { url, title: Some(format!("{name}: {}", kind.name())), kind })
    };
    let (releases, commits, tags) = (
        feed("releases", CandidateKind::Releases)?,
        feed("commits", CandidateKind::Commits)?,
        feed("tags", CandidateKind::Tags)?,
    );
    let feeds = match path.get(2) {
        Some(&"releases") => vec![releases],
        Some(&"commits") => vec![commits],
        Some(&"tags") => vec![tags],
        _ => vec![releases, commits, tags],
    };
    // A whole feed address ends in `.atom` and was not meant by this.
    let is_feed = path.last().is_some_and(|last| last.ends_with(".atom"));
    (!is_feed).then_some(Known { feeds, certain: true })
}

fn reddit(path: &[&str]) -> Option<Known> {
    match path {
        ["r", name] if is_name(name) => {
            one(&format!("https://www.reddit.com/r/{name}/.rss"), CandidateKind::Subreddit, true)
        }
        ["user" | "u", name] if is_name(name) => {
            one(&format!("https://www.reddit.com/user/{name}/.rss"), CandidateKind::Account, true)
        }
        _ => None,
    }
}

/// Any host may be a Mastodon server, and its `/@user` page has a feed beside it.
fn mastodon(url: &Url, path: &[&str]) -> Option<Known> {
    let [name] = path else { return None };
    let user = name.strip_prefix('@').filter(|user| is_name(user) && !user.ends_with(".rss"))?;
    let mut feed = url.clone();
    feed.set_path(&format!("/@{user}.rss"));
    feed.set_query(None);
    one(feed.as_str(), CandidateKind::Account, false)
}

fn one(url: &str, kind: CandidateKind, certain: bool) -> Option<Known> {
    let url = Url::parse(url).ok()?;
    Some(Known { feeds: vec![Candidate { url, title: None, kind }], certain })
}

/// Letters, digits and the marks these sites allow in names, so that nothing else gets into an address made here.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 100 && name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c))
}

fn is_id(id: &str) -> bool {
    (2..=100).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feeds(address: &str) -> Vec<String> {
        let url = Url::parse(address).expect("an address");
        known(&url).map_or(Vec::new(), |known| known.feeds.into_iter().map(|feed| feed.url.into()).collect())
    }

    fn check(address: &str, expected: &str) {
        assert_eq!(feeds(address), [expected], "{address}");
    }

    #[test]
    fn youtube_channels_and_playlists_have_feeds_by_their_numbers() {
        check(
            "https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv",
            "https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstuv",
        );
        check(
            "https://youtube.com/channel/UCabcdefghijklmnopqrstuv/videos",
            "https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstuv",
        );
        check(
            "https://m.youtube.com/playlist?list=PL12_ab-c&si=x",
            "https://www.youtube.com/feeds/videos.xml?playlist_id=PL12_ab-c",
        );
        check(
            "https://www.youtube.com/user/oldname",
            "https://www.youtube.com/feeds/videos.xml?user=oldname",
        );
    }

    #[test]
    fn handles_and_custom_names_are_looked_up_on_their_pages() {
        for page in
            ["https://www.youtube.com/@handle", "https://www.youtube.com/c/Name", "https://youtube.com/"]
        {
            assert_eq!(feeds(page), Vec::<String>::new(), "{page}");
        }
        for strange in [
            "https://www.youtube.com/playlist?list=a%26user%3Db",
            "https://www.youtube.com/channel/UC%22x",
            "https://www.youtube.com/feeds/videos.xml?channel_id=UCx",
        ] {
            assert_eq!(feeds(strange), Vec::<String>::new(), "{strange}");
        }
    }

    #[test]
    fn a_repository_offers_releases_commits_and_tags() {
        let expected =
            ["releases", "commits", "tags"].map(|part| format!("https://github.com/o/r.s/{part}.atom"));
        assert_eq!(feeds("https://github.com/o/r.s"), expected);
        assert_eq!(feeds("https://github.com/o/r.s.git"), expected);
        check("https://github.com/o/r/releases", "https://github.com/o/r/releases.atom");
        check("https://github.com/o/r/commits/main", "https://github.com/o/r/commits.atom");
        for none in [
            "https://github.com/o",
            "https://github.com/topics/rss",
            "https://github.com/o/r/issues",
            "https://github.com/o/r/releases.atom",
            "https://github.com/o/r/commits/main.atom",
        ] {
            assert_eq!(feeds(none), Vec::<String>::new(), "{none}");
        }
    }

    #[test]
    fn subreddits_and_their_people_have_feeds() {
        check("https://www.reddit.com/r/rust/", "https://www.reddit.com/r/rust/.rss");
        check("https://old.reddit.com/r/rust", "https://www.reddit.com/r/rust/.rss");
        check("https://reddit.com/user/someone", "https://www.reddit.com/user/someone/.rss");
        check("https://reddit.com/u/someone", "https://www.reddit.com/user/someone/.rss");
        assert_eq!(feeds("https://reddit.com/r/rust/comments/abc/title"), Vec::<String>::new());
    }

    #[test]
    fn accounts_of_the_fediverse_are_found_by_page_or_by_name() {
        check("https://social.example/@mira", "https://social.example/@mira.rss");
        assert_eq!(
            account_address("@mira@social.example").map(String::from).as_deref(),
            Some("https://social.example/@mira")
        );
        assert_eq!(feeds("https://social.example/@mira.rss"), Vec::<String>::new(), "a feed already");
        assert_eq!(feeds("https://medium.com/@mira"), Vec::<String>::new());
        assert_eq!(feeds("https://social.example/@mira/123"), Vec::<String>::new());
        for none in ["@mira", "mira@social.example", "@@x", "@a@b@c", "@mi ra@x.test", "@mira@127.0.0.1:80/x"]
        {
            assert_eq!(account_address(none), None, "{none}");
        }
    }
}
