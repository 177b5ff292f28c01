//! What an item refers to: its words, phrases and links (003 §4.3.1).

use super::junk::is_junk;
use std::collections::{HashMap, HashSet};
use text::{Boilerplate, Language, TermId, Terms, Tokens, canonical_link, leads_to_an_article};
use xxhash_rust::xxh3::xxh3_64;

/// Different keys of one item.
pub const MENTIONS_MAX: usize = 120;
/// Of those, links.
const LINKS_MAX: usize = 40;
/// Tokens that are read, from the beginning: what an item is about is said early.
const TOKENS_READ: usize = 300;

/// A key by its hash: the same word, phrase or link is the same number everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Word,
    Phrase,
    Link,
}

/// One key of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub id: KeyId,
    pub kind: Kind,
    /// As it was written, or the link without what does not matter.
    pub text: String,
    /// Of a phrase its two words.
    pub of: Option<[KeyId; 2]>,
    /// In the title it counts twice.
    pub times: u16,
}

/// An item as plain text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Post<'a> {
    pub title: &'a str,
    pub text: &'a str,
    pub language: Option<Language>,
    pub boilerplate: Option<&'a Boilerplate>,
    /// Whole addresses.
    pub links: &'a [&'a str],
    /// The host of the feed's own site: pointing at oneself is no reference.
    pub site: Option<&'a str>,
}

/// At most [`MENTIONS_MAX`] different ones.
pub fn mentions(post: &Post<'_>) -> Vec<Mention> {
    let mut found = links(post);
    let mut tokens = Tokens::of_item(post.title, post.text);
    tokens.truncate(TOKENS_READ);
    let terms = Terms::of(&tokens, post.language, post.boilerplate);
    let title = Terms::of(&Tokens::of(post.title), post.language, post.boilerplate);
    let again: HashMap<TermId, u16> = (title.words.iter().map(|word| (word.id, word.count)))
        .chain(title.pairs.iter().map(|pair| (pair.id, pair.adjacent)))
        .collect();
    let twice = |id: TermId, count: u16| count.saturating_add(again.get(&id).copied().unwrap_or(0));
    let words: HashSet<TermId> = terms
        .words
        .iter()
        .filter(|word| !is_junk(&word.surface, post.language))
        .map(|word| word.id)
        .collect();
    // Half words and half phrases, so that a long text has both.
    let room = MENTIONS_MAX - found.len();
    found.extend(terms.words.iter().filter(|word| words.contains(&word.id)).take(room.div_ceil(2)).map(
        |word| Mention {
            id: KeyId(word.id.0),
            kind: Kind::Word,
            text: word.surface.clone(),
            of: None,
            times: twice(word.id, word.count),
        },
    ));
    let room = MENTIONS_MAX - found.len();
    let phrases =
        terms.pairs.iter().filter(|pair| pair.adjacent > 0 && pair.of.iter().all(|id| words.contains(id)));
    found.extend(phrases.take(room).map(|pair| Mention {
        id: KeyId(pair.id.0),
        kind: Kind::Phrase,
        text: pair.surface.clone(),
        of: Some(pair.of.map(|id| KeyId(id.0))),
        times: twice(pair.id, pair.adjacent),
    }));
    found
}

/// Links to articles of others, each once however it is decorated.
fn links(post: &Post<'_>) -> Vec<Mention> {
    let mut known = HashSet::new();
    let site = post.site.map(|site| site.trim_start_matches("www.").to_ascii_lowercase());
    let own = |link: &str| {
        let host = link.split(['/', '?', ':']).next().unwrap_or_default();
        site.as_deref().is_some_and(|site| {
            !site.is_empty()
                && (host == site || host.strip_suffix(site).is_some_and(|rest| rest.ends_with('.')))
        })
    };
    let canonical = post.links.iter().filter_map(|link| canonical_link(link));
    canonical
        .filter(|link| leads_to_an_article(link) && !own(link))
        .filter(|link| known.insert(link.clone()))
        .take(LINKS_MAX)
        .map(|link| Mention {
            // Apart from a word that is spelt like it.
            id: KeyId(xxh3_64(format!("link {link}").as_bytes())),
            kind: Kind::Link,
            text: link,
            of: None,
            times: 1,
        })
        .collect()
}

/// One entry of E: a source, a key and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    pub source: u32,
    pub key: KeyId,
    pub score: f64,
}

/// E of one day as the paper has it (§4.3.1): tf·idf, the idf over the items of the same day. The day's items are given as
/// source and mentions. What every item has weighs nothing and is left out.
pub fn same_day_references<'a>(items: impl Iterator<Item = (u32, &'a [Mention])> + Clone) -> Vec<Reference> {
    let mut having: HashMap<KeyId, u32> = HashMap::new();
    let mut all = 0u32;
    for (_, mentions) in items.clone() {
        all += 1;
        mentions.iter().for_each(|mention| *having.entry(mention.id).or_default() += 1);
    }
    let mut sums: HashMap<(u32, KeyId), f64> = HashMap::new();
    for (source, mentions) in items {
        for mention in mentions {
            *sums.entry((source, mention.id)).or_default() += f64::from(mention.times);
        }
    }
    let idf = |key: &KeyId| (f64::from(all) / f64::from(having[key])).ln();
    let mut references: Vec<Reference> = sums
        .into_iter()
        .map(|((source, key), times)| Reference { source, key, score: times * idf(&key) })
        .filter(|reference| reference.score > 0.0)
        .collect();
    references.sort_unstable_by_key(|reference| (reference.source, reference.key));
    references
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    fn english(title: &str, text: &str) -> Vec<Mention> {
        mentions(&Post { title, text, language: Some(Language::ENGLISH), ..Post::default() })
    }

    fn texts(mentions: &[Mention], kind: Kind) -> Vec<&str> {
        mentions.iter().filter(|mention| mention.kind == kind).map(|mention| mention.text.as_str()).collect()
    }

    #[test]
    fn words_and_phrases_without_junk() {
        let found = english("New harbour bridge opens in 2018", "The bridge says ferry to a3f9c2d1e0");
        assert_eq!(texts(&found, Kind::Word), ["harbour", "bridge", "ferry"]);
        assert!(texts(&found, Kind::Phrase).contains(&"harbour bridge"));
        let bridge = found.iter().find(|mention| mention.text == "bridge").unwrap();
        assert_eq!(bridge.times, 3, "title twice and text once");
        let phrase = found.iter().find(|mention| mention.text == "harbour bridge").unwrap();
        assert_eq!((phrase.times, phrase.of.unwrap()[1]), (2, bridge.id));
    }

    #[test]
    fn decorated_links_are_one_and_ones_own_are_none() {
        let links = [
            "HTTP://www.Example.com:80/a/?utm_source=x&b=2&a=1#c",
            "https://example.com/a?a=1&b=2",
            "https://www.google.com/url?q=https%3A%2F%2Fexample.com%2Fa%3Fb%3D2%26a%3D1",
            "https://blog.own.test/more",
            "https://own.test/this",
            "https://notown.test/that",
            "https://example.com/",
            "mailto:a@b.test",
            "nonsense",
        ];
        let found = mentions(&Post { links: &links, site: Some("www.own.test"), ..Post::default() });
        assert_eq!(texts(&found, Kind::Link), ["example.com/a?a=1&b=2", "notown.test/that"]);
    }

    #[test]
    fn an_item_that_lists_all_words_is_bounded() {
        let spam: String = (0..5_000).map(|nth| format!("bargain{nth}x offer ")).collect();
        let links: Vec<String> = (0..500).map(|nth| format!("https://spam.test/{nth}")).collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let found = mentions(&Post { title: &spam, text: &spam, links: &links, ..Post::default() });
        assert!(found.len() <= MENTIONS_MAX);
        assert!([Kind::Word, Kind::Phrase, Kind::Link].iter().all(|kind| texts(&found, *kind).len() >= 40));
        let ids: HashSet<KeyId> = found.iter().map(|mention| mention.id).collect();
        assert_eq!(ids.len(), found.len());
    }

    #[test]
    fn nothing_said_is_nothing_mentioned() {
        assert!(english("", "").is_empty());
        assert!(english("the of and", "2018 12").is_empty());
    }

    #[test]
    fn the_papers_scores_are_tf_idf_of_the_day() {
        let (one, other) = (english("harbour bridge", ""), english("harbour festival", ""));
        let found = same_day_references([(0, one.as_slice()), (1, other.as_slice())].into_iter());
        let word = |text: &str| {
            KeyId(TermId::of_stem(&text::Stemmer::of(Some(Language::ENGLISH)).stem(text, text::Kind::Word)).0)
        };
        let score = |source: u32, text: &str| {
            found.iter().find(|own| own.source == source && own.key == word(text)).map(|own| own.score)
        };
        assert_eq!(score(0, "bridge"), Some(2.0 * 2f64.ln()));
        assert_eq!(score(0, "harbour"), None, "what all items have weighs nothing");
        assert!(same_day_references(std::iter::empty()).is_empty());
    }
}
