//! Articles made ready for replay: channels with bags of terms, and idf as it was at the time.

use super::articles::{Article, Articles};
use anyhow::{Result, ensure};
use domain::Timestamp;
use std::collections::{BTreeMap, HashMap};
use text::{Boilerplate, Idf, LanguageVotes, Sighting, Stories, TermId, Terms, Tokens};

/// Items of a channel that vote about its language; asking all of them costs more than everything else.
const VOTING_ITEMS: usize = 30;
/// A pair of words seen in fewer items is chance (reference 4.1).
const PAIR_ITEMS_MIN: u32 = 3;
/// Items before the first idf; it serves from the beginning.
const FIRST_ITEMS: usize = 500;
/// How much the collection grows before idf is frozen anew.
const GROWTH: f64 = 1.2;
/// Near-duplicates are looked for among so many items.
const STORIES_MAX: usize = 200_000;

#[derive(Debug, Clone)]
pub struct Post {
    pub at: i64,
    /// Distinct terms.
    pub bag: Box<[(TermId, u16)]>,
    /// The same number tells the same story.
    pub story: u64,
}

#[derive(Debug, Clone)]
pub struct Channel {
    pub source: String,
    pub posts: Vec<Post>,
}

/// What idf was from a time on.
#[derive(Debug, Clone)]
pub(crate) struct Frozen {
    pub(crate) from: i64,
    idf: Vec<f32>,
}

impl Idf for Frozen {
    fn idf(&self, term: TermId) -> f64 {
        let place = usize::try_from(term.0).unwrap_or(usize::MAX);
        self.idf.get(place).map_or(0.0, |idf| f64::from(*idf))
    }
}

#[derive(Debug, Clone)]
pub struct Corpus {
    pub channels: Vec<Channel>,
    pub begin: i64,
    pub end: i64,
    pub items: usize,
    pub skipped_lines: usize,
    pub notes: Vec<String>,
    pub(crate) idf: Vec<Frozen>,
    /// How terms are written, by their place.
    pub(crate) surfaces: Vec<String>,
}

impl Corpus {
    pub fn of(articles: &Articles) -> Result<Self> {
        Self::build(articles, false)
    }

    /// With the same stories known by their texts.
    pub fn with_stories(articles: &Articles) -> Result<Self> {
        Self::build(articles, true)
    }

    fn build(articles: &Articles, stories: bool) -> Result<Self> {
        let mut by_source: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (nth, article) in articles.all.iter().enumerate() {
            by_source.entry(&article.source).or_default().push(nth);
        }
        let mut terms: Vec<Terms> = vec![Terms::default(); articles.all.len()];
        for own in by_source.values() {
            read_channel(&articles.all, own, &mut terms);
        }
        let (places, surfaces) = vocabulary(&terms);
        let told =
            if stories { told(&articles.all, &by_source) } else { (0..articles.all.len() as u64).collect() };
        let bags: Vec<Box<[(TermId, u16)]>> = terms.iter().map(|terms| bag(terms, &places)).collect();
        let times: Vec<i64> = articles.all.iter().map(|article| article.at).collect();
        let idf = frozen(&bags, &times, surfaces.len());
        let channels: Vec<Channel> = by_source
            .iter()
            .map(|(source, own)| {
                let posts = own.iter().map(|nth| Post {
                    at: times[*nth],
                    bag: bags[*nth].clone(),
                    story: told[*nth],
                });
                Channel { source: (*source).to_owned(), posts: posts.collect() }
            })
            .collect();
        let (begin, end) =
            (times.first().copied().unwrap_or_default(), times.last().copied().unwrap_or_default());
        ensure!(end > begin, "all articles have the same time: nothing can be replayed");
        Ok(Corpus {
            channels,
            begin,
            end,
            items: articles.all.len(),
            skipped_lines: articles.skipped_lines,
            notes: articles.notes.clone(),
            idf,
            surfaces,
        })
    }

    pub fn hours(&self) -> f64 {
        (self.end - self.begin) as f64 / 3600.0
    }

    /// Which idf was in force.
    pub(crate) fn idf_at(&self, at: i64) -> usize {
        self.idf.partition_point(|frozen| frozen.from <= at).saturating_sub(1)
    }
}

fn read_channel(all: &[Article], own: &[usize], terms: &mut [Terms]) {
    let mut votes = LanguageVotes::default();
    for nth in own.iter().take(VOTING_ITEMS) {
        let article = &all[*nth];
        votes.hear(if article.summary.is_empty() { &article.title } else { &article.summary });
    }
    let language = votes.decided();
    let mut boilerplate = Boilerplate::default();
    for nth in own {
        let tokens = Tokens::of_item(&all[*nth].title, &all[*nth].summary);
        terms[*nth] = Terms::of(&tokens, language, Some(&boilerplate));
        boilerplate.hear(&tokens);
    }
}

/// Small numbers for the terms that count.
fn vocabulary(terms: &[Terms]) -> (HashMap<TermId, u32>, Vec<String>) {
    let mut seen: HashMap<TermId, u32> = HashMap::new();
    for id in terms.iter().flat_map(Terms::ids) {
        *seen.entry(id).or_default() += 1;
    }
    let mut places = HashMap::new();
    let mut surfaces: Vec<String> = Vec::new();
    for terms in terms {
        let words = terms.words.iter().map(|word| (word.id, &word.surface));
        let pairs = terms
            .pairs
            .iter()
            .filter(|pair| seen.get(&pair.id).is_some_and(|count| *count >= PAIR_ITEMS_MIN));
        for (id, surface) in words.chain(pairs.map(|pair| (pair.id, &pair.surface))) {
            places.entry(id).or_insert_with(|| {
                surfaces.push(surface.clone());
                u32::try_from(surfaces.len() - 1).unwrap_or(u32::MAX)
            });
        }
    }
    (places, surfaces)
}

fn bag(terms: &Terms, places: &HashMap<TermId, u32>) -> Box<[(TermId, u16)]> {
    let all = terms.bag(|pair| places.contains_key(&pair));
    all.iter().filter_map(|(id, count)| Some((TermId(u64::from(*places.get(id)?)), *count))).collect()
}

/// idf as it grew: ln(items / items with the term), of all items so far (004 §4.2.1).
fn frozen(bags: &[Box<[(TermId, u16)]>], times: &[i64], terms: usize) -> Vec<Frozen> {
    let mut with = vec![0u32; terms];
    let mut out: Vec<Frozen> = Vec::new();
    let mut next = FIRST_ITEMS.min(bags.len());
    for (nth, bag) in bags.iter().enumerate() {
        for (term, _) in bag {
            if let Some(count) = usize::try_from(term.0).ok().and_then(|place| with.get_mut(place)) {
                *count += 1;
            }
        }
        if nth + 1 == next {
            let items = next as f64;
            let idf = with.iter().map(|count| (items / f64::from(*count).max(1.0)).ln() as f32).collect();
            let from = if out.is_empty() { i64::MIN } else { times[nth] };
            out.push(Frozen { from, idf });
            next = ((items * GROWTH) as usize).max(next + 1);
        }
    }
    out
}

fn told(all: &[Article], by_source: &BTreeMap<&str, Vec<usize>>) -> Vec<u64> {
    let feeds: HashMap<&str, u64> = by_source.keys().copied().zip(0..).collect();
    let mut stories = Stories::new(STORIES_MAX);
    let tell = |(nth, article): (usize, &Article)| {
        let feed = feeds.get(article.source.as_str()).copied().unwrap_or_default();
        let at = Timestamp::from_seconds(article.at);
        // Text alone decides: same link without the same text is a reference, not a copy (reference 4.6).
        stories.add(Sighting::new(nth as u64, feed, at, &article.title, &article.summary, None)).0
    };
    all.iter().enumerate().map(tell).collect()
}
