//! Profiles as the working side would have learned them, from items about a topic.

use crate::site::{Person, Site};
use domain::{FeedId, ItemId, NewSubscription, Timestamp};
use learn::FeedProfile;
use store::{FeedProfileRow, Learned, StoryItem, StoryTie, Wish};
use text::Frequencies;

const FILLER: [&str; 12] = [
    "lantern", "orchard", "velvet", "granite", "meadow", "copper", "saddle", "walnut", "glacier", "harvest",
    "pepper", "violin",
];

/// A feed, its topics one after the other with so many items each, one item in six hours up to now.
pub(crate) struct About<'a> {
    pub(crate) feed: FeedId,
    pub(crate) topics: &'a [(&'a str, usize)],
}

/// Learns what the feeds are about, on top of what was learned before.
pub(crate) async fn learn(site: &Site, feeds: &[About<'_>]) {
    let from = site.store.learned_to().await.unwrap();
    let mut frequencies = site
        .store
        .model("frequencies")
        .await
        .unwrap()
        .map(|model| Frequencies::from_bytes(&model.state).unwrap())
        .unwrap_or_else(|| elsewhere(site.now()));
    let mut profiles = Vec::new();
    for about in feeds {
        profiles.push(profile(site.now(), about, &mut frequencies));
    }
    let learned = Learned {
        from,
        to: ItemId(from.0 + 1),
        profiles,
        stories: Vec::new(),
        terms: Vec::new(),
        model: Some(("frequencies".to_owned(), frequencies.to_bytes())),
    };
    assert!(site.store.keep_learned(learned).await.unwrap());
}

/// What other feeds of a server say: without it every word of the first feed would be everybody's, and weigh nothing.
fn elsewhere(now: Timestamp) -> Frequencies {
    let (mut frequencies, mut other) = (Frequencies::default(), FeedProfile::default());
    other.declare(Some(text::Language::ENGLISH));
    for nth in 0..400 {
        let word = |step: usize| FILLER[(nth * 5 + step * 7) % 12];
        let title = format!("The {} and the {}", word(0), word(1));
        let text =
            format!("People who know the {} say that it was never so good as the {}.", word(2), word(3));
        let terms = other.read(&title, &text);
        frequencies.add(other.language(), terms.ids(), now);
    }
    frequencies
}

fn profile(now: Timestamp, about: &About<'_>, frequencies: &mut Frequencies) -> FeedProfileRow {
    let mut profile = FeedProfile::default();
    let all: usize = about.topics.iter().map(|(_, items)| items).sum();
    let mut nth = 0;
    for (topic, items) in about.topics {
        for _ in 0..*items {
            let seed = nth * 7 + usize::try_from(about.feed.0).unwrap() * 31;
            let word = |step: usize| FILLER[(seed + step * 5) % 12];
            let terms = profile.read(
                &format!("The {topic} and the {}", word(1)),
                &format!("People who know the {topic} say that the {} and the {} of place{seed} were never so good.", word(2), word(3)),
            );
            let ago = i64::try_from(all - nth).unwrap() * 6 * 3600;
            let at = Timestamp::from_seconds(now.seconds() - ago);
            let language = profile.language();
            frequencies.add(language, terms.ids(), at);
            profile.add(&terms, frequencies.of(language), at);
            nth += 1;
        }
    }
    let idf = frequencies.of(profile.language());
    FeedProfileRow {
        feed: about.feed,
        learned_to: ItemId(0),
        newest_at: now,
        state: profile.to_bytes(),
        latest: profile.summary(20, idf).to_bytes(),
        general: profile.summary(500, idf).to_bytes(),
        change: profile.change(),
        cohesion: profile.cohesion(),
        worth: 1.0,
        language: profile.language().map(|language| language.code().to_owned()),
    }
}

/// Items of two feeds, pair by pair, tell the same story.
pub(crate) async fn same_stories(site: &Site, pairs: &[(ItemId, ItemId)]) {
    let from = site.store.learned_to().await.unwrap();
    let tied = |item: ItemId, story: ItemId| StoryItem { item, story, why: StoryTie::Link };
    let stories = pairs.iter().flat_map(|(one, other)| [tied(*one, *one), tied(*other, *one)]).collect();
    let (profiles, terms) = (Vec::new(), Vec::new());
    let learned = Learned { from, to: ItemId(from.0 + 1), profiles, stories, terms, model: None };
    assert!(site.store.keep_learned(learned).await.unwrap());
}

/// A feed that only one person may know of.
pub(crate) async fn private_feed(site: &Site, owner: &Person<'_>, url: &str, title: &str) -> FeedId {
    let wish = Wish {
        subscription: NewSubscription { url: url.to_owned(), title: None, site_url: None, folder: vec![] },
        provider: "private.example".to_owned(),
        private: true,
        sealed: None,
    };
    let feed = site.store.subscribe(owner.user, &wish, site.now(), site.now()).await.unwrap().feed;
    site.poll(feed, title, &[]).await;
    feed
}
