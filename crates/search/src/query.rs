//! What a person may ask, as a tree: bounded before it is parsed, total on any string, printed as it is read.
//!
//! `words`, `"a phrase"`, `begin*`, `-not`, `OR`, parentheses, and `title: author: tag: lang: feed: folder: is: before:
//! after:`. What only the store knows (folders, stars, what is unread, the tags people gave) is named by
//! [`Query::store_filters`] and answered by the caller. No query is ever handed to another parser.

mod parse;
mod print;

use crate::tokens::{self, Language};
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Row O3: length, depth and number of words, in this order, before anything is built.
pub const QUERY_CHARS_MAX: usize = 500;
pub const QUERY_DEPTH_MAX: usize = 20;
pub const QUERY_WORDS_MAX: usize = 64;
/// A word that is still being typed is also taken as a beginning, from this many letters on.
pub const LIVE_CHARS_MIN: usize = 2;
/// Languages whose stems a query tries.
pub const QUERY_LANGUAGES_MAX: usize = 4;
const VALUE_CHARS_MAX: usize = 200;

/// How a query is read.
#[derive(Debug, Clone)]
pub struct Typed {
    /// The person is still typing: the last word may be a beginning.
    pub live: bool,
    /// Languages the person reads; English is always among those tried.
    pub languages: Vec<Language>,
    /// Whose midnight `before:` and `after:` mean.
    pub zone: TimeZone,
}

impl Default for Typed {
    fn default() -> Self {
        Typed { live: false, languages: Vec::new(), zone: TimeZone::UTC }
    }
}

/// A query that can be searched for and matched against new items, with the same meaning.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) node: Node,
    pub(crate) languages: Vec<Language>,
    pub(crate) zone: TimeZone,
    store: Vec<StoreFilter>,
}

/// What only the store can answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StoreFilter {
    /// `feed:` a part of a feed's name, as typed.
    Feed(String),
    /// `folder:` a folder's name, as typed.
    Folder(String),
    /// `tag:` folded; the index adds items whose feed gave the tag.
    Tag(String),
    Starred,
    Unread,
}

/// Why a query was refused; each a sentence that can be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadQuery {
    #[error("There is nothing to look for: type a word, a \"phrase\" or a filter such as is:starred.")]
    NothingToFind,
    #[error("This search is too long: at most {QUERY_CHARS_MAX} characters are read.")]
    TooLong,
    #[error("This search is nested too deeply: at most {QUERY_DEPTH_MAX} parentheses may be open at once.")]
    TooDeep,
    #[error("This search has too many words: at most {QUERY_WORDS_MAX} are looked for.")]
    TooManyWords,
    #[error("“{0}” is not a date: write {1}:2026-05-01, {1}:2026-05 or {1}:2026.")]
    NotADate(String, &'static str),
    #[error("“is:{0}” is not known: there are is:starred, is:unread and is:read.")]
    NotAState(String),
    #[error("“{0}” is not a language: write lang:en, lang:de and so on.")]
    NotALanguage(String),
}

impl Query {
    pub fn parse(text: &str, typed: &Typed) -> Result<Query, BadQuery> {
        let node = parse::parse(text, typed.live)?;
        let mut languages = vec![Language::ENGLISH];
        for &language in &typed.languages {
            if !languages.contains(&language) && languages.len() < QUERY_LANGUAGES_MAX {
                languages.push(language);
            }
        }
        Ok(Query::of(node, languages, typed.zone.clone()))
    }

    pub(crate) fn of(node: Node, languages: Vec<Language>, zone: TimeZone) -> Query {
        let mut store = Vec::new();
        node.visit(&mut |leaf| {
            if let Node::Store(filter) = leaf
                && !store.contains(filter)
            {
                store.push(filter.clone());
            }
        });
        Query { node, languages, zone, store }
    }

    /// What both find.
    pub fn and(self, other: Query) -> Query {
        // Flat, because filters are quick at the top only.
        let mut nodes = Vec::new();
        for node in [self.node, other.node] {
            match node {
                Node::All(inner) => nodes.extend(inner),
                one => nodes.push(one),
            }
        }
        Query::of(Node::All(nodes), self.languages, self.zone)
    }

    /// The same words, in titles only.
    pub fn in_titles(self) -> Query {
        let node = self.node.in_titles();
        Query { node, ..self }
    }

    /// Its words without the filters; None when it only says what is not wanted, or nothing but filters.
    pub fn words_alone(self) -> Option<Query> {
        let node = self.node.words_alone()?;
        let mut wanted = false;
        node.visit_wanted(&mut |_| wanted = true);
        wanted.then(|| Query::of(node, self.languages, self.zone))
    }

    /// The filters the caller must answer, each once.
    pub fn store_filters(&self) -> &[StoreFilter] {
        &self.store
    }

    /// Whether there is any word to rank by; a query of filters alone is best shown newest first.
    pub fn has_words(&self) -> bool {
        let mut any = false;
        self.node.visit(&mut |leaf| {
            any |= matches!(leaf, Node::Word(..) | Node::Begins(..) | Node::Phrase(..));
        });
        any
    }

    /// Whether several things must all be there: only then is much of the work in finding where they meet.
    pub(crate) fn wants_several(&self) -> bool {
        matches!(&self.node, Node::All(_))
    }

    /// The stems a word is looked for by, each once.
    pub(crate) fn stems(&self, word: &str) -> Vec<String> {
        let mut stems = Vec::with_capacity(1);
        for &language in &self.languages {
            let stem = tokens::stem(Some(language), word);
            if !stems.contains(&stem) {
                stems.push(stem);
            }
        }
        // Items in languages without stems hold the word as it is.
        if !stems.iter().any(|stem| stem == word) {
            stems.push(word.to_owned());
        }
        stems
    }
}

/// Where a word is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// Title and text.
    Anywhere,
    Title,
    Author,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Word(Place, String),
    Begins(Place, String),
    Phrase(Place, Vec<String>),
    Language(String),
    Before(Date),
    After(Date),
    Store(StoreFilter),
}

impl Node {
    /// Calls `see` with every leaf.
    pub(crate) fn visit(&self, see: &mut dyn FnMut(&Node)) {
        match self {
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| node.visit(see)),
            Node::Not(node) => node.visit(see),
            leaf => see(leaf),
        }
    }

    /// Calls `see` with every leaf that is wanted rather than excluded.
    pub(crate) fn visit_wanted(&self, see: &mut dyn FnMut(&Node)) {
        match self {
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| node.visit_wanted(see)),
            Node::Not(_) => {}
            leaf => see(leaf),
        }
    }

    fn words_alone(self) -> Option<Node> {
        let inside = |nodes: Vec<Node>| nodes.into_iter().filter_map(Node::words_alone).collect();
        match self {
            Node::All(nodes) => parse::all(inside(nodes)),
            Node::Any(nodes) => parse::any(inside(nodes)),
            Node::Not(node) => node.words_alone().map(parse::not),
            Node::Language(_) | Node::Before(_) | Node::After(_) | Node::Store(_) => None,
            word => Some(word),
        }
    }

    fn in_titles(self) -> Node {
        let within = |place| if place == Place::Anywhere { Place::Title } else { place };
        let inside = |nodes: Vec<Node>| nodes.into_iter().map(Node::in_titles).collect();
        match self {
            Node::All(nodes) => Node::All(inside(nodes)),
            Node::Any(nodes) => Node::Any(inside(nodes)),
            Node::Not(node) => Node::Not(Box::new(node.in_titles())),
            Node::Word(place, word) => Node::Word(within(place), word),
            Node::Begins(place, word) => Node::Begins(within(place), word),
            Node::Phrase(place, words) => Node::Phrase(within(place), words),
            leaf => leaf,
        }
    }

    /// The same query with one word in place of another.
    pub(crate) fn replaced(&self, from: &str, to: &str) -> Node {
        let change = |word: &String| if word == from { to.to_owned() } else { word.clone() };
        match self {
            Node::All(nodes) => Node::All(nodes.iter().map(|node| node.replaced(from, to)).collect()),
            Node::Any(nodes) => Node::Any(nodes.iter().map(|node| node.replaced(from, to)).collect()),
            Node::Word(place, word) => Node::Word(*place, change(word)),
            Node::Begins(place, word) => Node::Begins(*place, change(word)),
            Node::Phrase(place, words) => Node::Phrase(*place, words.iter().map(change).collect()),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
#[path = "query/tests.rs"]
mod tests;
