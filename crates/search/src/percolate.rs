//! Saved searches: does a query find this item? With the meaning it has in the index.
//!
//! One difference is allowed for: a beginning that stands for more than a thousand words finds the most frequent of
//! them in the index, and all of them here.

use crate::compile::midnight;
use crate::item::ItemText;
use crate::query::{Node, Place, Query, StoreFilter};
use crate::tokens::{self, Language, Reading, primary};
use std::collections::{HashMap, HashSet};

/// An item ready to be asked about by many queries.
pub struct Prepared {
    anywhere: Read,
    title: Read,
    author: Read,
    tags: HashSet<String>,
    language: String,
    time: i64,
}

/// The words of a field: their forms, sorted, and where their stems stand.
#[derive(Default)]
struct Read {
    forms: Vec<String>,
    places: HashMap<String, Vec<u32>>,
}

impl Prepared {
    pub fn new(item: &ItemText) -> Prepared {
        let language = Language::of_document(item.language.as_deref().map(primary).as_deref());
        let mut title = Read::default();
        let end = title.take(item.searched_title(), language, 0, true);
        title.forms.extend(title.places.keys().cloned());
        let mut anywhere = Read::default();
        anywhere.take(item.searched_title(), language, 0, false);
        // As far apart as in the index: no phrase reaches across.
        anywhere.take(item.searched_text(), language, end + 100, false);
        anywhere.forms.extend(anywhere.places.keys().cloned());
        let mut author = Read::default();
        author.take(item.searched_author(), None, 0, false);
        for read in [&mut title, &mut anywhere, &mut author] {
            read.forms.sort_unstable();
            read.forms.dedup();
        }
        Prepared {
            anywhere,
            title,
            author,
            tags: item.tag_keys().collect(),
            language: item.language.as_deref().map(primary).unwrap_or_default(),
            time: item.time.micros(),
        }
    }
}

impl Query {
    /// Whether this query finds the item; `knows` answers what only the store can say about it.
    pub fn matches(&self, item: &Prepared, knows: &dyn Fn(&StoreFilter) -> bool) -> bool {
        self.node_matches(&self.node, item, knows)
    }

    fn node_matches(&self, node: &Node, item: &Prepared, knows: &dyn Fn(&StoreFilter) -> bool) -> bool {
        match node {
            Node::All(nodes) => nodes.iter().all(|node| self.node_matches(node, item, knows)),
            Node::Any(nodes) => nodes.iter().any(|node| self.node_matches(node, item, knows)),
            Node::Not(node) => !self.node_matches(node, item, knows),
            Node::Word(Place::Author, word) => item.author.places.contains_key(word),
            Node::Word(place, word) => {
                let read = item.read(*place);
                self.stems(word).iter().any(|stem| read.places.contains_key(stem))
            }
            Node::Begins(place, begin) => item.read(*place).begins(begin),
            Node::Phrase(Place::Author, words) => item.author.has_phrase(words),
            Node::Phrase(place, words) => {
                self.phrases(words).iter().any(|words| item.read(*place).has_phrase(words))
            }
            Node::Language(tag) => item.language == *tag,
            Node::Before(day) => item.time < midnight(*day, &self.zone),
            Node::After(day) => item.time >= midnight(*day, &self.zone),
            Node::Store(filter @ StoreFilter::Tag(tag)) => item.tags.contains(tag) || knows(filter),
            Node::Store(filter) => knows(filter),
        }
    }
}

impl Prepared {
    fn read(&self, place: Place) -> &Read {
        match place {
            Place::Anywhere => &self.anywhere,
            Place::Title => &self.title,
            Place::Author => &self.author,
        }
    }
}

impl Read {
    fn take(&mut self, text: &str, language: Option<Language>, from: u32, both: bool) -> u32 {
        let mut next = from;
        tokens::words(text, Reading::Document, |word| {
            let position = if word.same_place { next.saturating_sub(1) } else { next };
            next = position + 1;
            let stem = tokens::stem(language, word.form);
            if both && stem != word.form {
                self.places.entry(word.form.to_owned()).or_default().push(position);
            }
            self.places.entry(stem).or_default().push(position);
            self.forms.push(word.form.to_owned());
        });
        next
    }

    fn begins(&self, begin: &str) -> bool {
        let at = self.forms.partition_point(|form| form.as_str() < begin);
        self.forms.get(at).is_some_and(|form| form.starts_with(begin))
    }

    fn has_phrase(&self, words: &[String]) -> bool {
        let Some((first, rest)) = words.split_first() else { return false };
        let Some(starts) = self.places.get(first) else { return false };
        starts.iter().any(|&start| {
            (start + 1..).zip(rest).all(|(position, word)| {
                self.places.get(word).is_some_and(|places| places.binary_search(&position).is_ok())
            })
        })
    }
}
