//! From our tree to Tantivy's queries.
//!
//! Filters that stand alone at the top are not made part of the query but checked for each document that matches
//! ([`Gate`]): as long as a query is made of words only, Tantivy can skip whole blocks that cannot win.

use crate::error::Trouble;
use crate::find::{Ask, Known};
use crate::ids::{IdSet, Unread};
use crate::index::Live;
use crate::query::{Node, Place, Query, StoreFilter};
use crate::schema::{self, Fields};
use crate::steady::Steady;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::sync::Arc;
use tantivy::query::doc_predicate_query::{DocPredicateQuery, FunctionPredicate};
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query as Search, TermQuery,
    TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Searcher, SegmentReader, Term};

/// Words a beginning stands for: the most frequent ones, should there be more.
pub(crate) const BEGINNING_WORDS_MAX: usize = 1_024;
/// Words looked at to choose them, in each segment.
const BEGINNING_SCAN_MAX: usize = 50_000;

pub(crate) struct Compiled {
    pub search: Box<dyn Search>,
    pub gates: Vec<Gate>,
}

/// A condition on a document's columns.
#[derive(Clone)]
pub(crate) struct Gate {
    column: Column,
    test: Test,
    negated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Column {
    Id,
    Feed,
    Time,
}

#[derive(Clone)]
enum Test {
    In(Arc<IdSet>),
    /// Asks all columns; see [`Gate::admits`].
    Unread(Arc<Unread>),
    /// In one of these feeds, or one of these items; asks all columns.
    Within(Arc<IdSet>, Vec<Arc<IdSet>>),
    Before(i64),
    From(i64),
    Always,
    Never,
}

impl Gate {
    /// A person's feeds, and what they starred or tagged whose feed they have left since: as far as was asked for it.
    pub(crate) fn feeds(feeds: Arc<IdSet>, known: &[(StoreFilter, Known)]) -> Gate {
        let own = known.iter().filter_map(|answer| match answer {
            (StoreFilter::Starred | StoreFilter::Tag(_), Known::Items(items)) => Some(Arc::clone(items)),
            _ => None,
        });
        let own: Vec<Arc<IdSet>> = own.collect();
        let test = if own.is_empty() { Test::In(feeds) } else { Test::Within(feeds, own) };
        Gate { column: Column::Feed, test, negated: false }
    }

    pub(crate) fn column(&self) -> Column {
        self.column
    }

    /// Whether it takes more than one column to say.
    pub(crate) fn asks_all(&self) -> bool {
        matches!(self.test, Test::Unread(_) | Test::Within(..))
    }

    pub(crate) fn admits(&self, id: i64, feed: i64, time: i64) -> bool {
        let admits = match &self.test {
            Test::Unread(unread) => unread.contains(id, feed, time),
            Test::Within(feeds, own) => feeds.contains(feed) || own.iter().any(|items| items.contains(id)),
            _ => false,
        };
        admits != self.negated
    }

    /// For those that ask one column.
    pub(crate) fn passes(&self, value: i64) -> bool {
        let passes = match &self.test {
            Test::In(ids) => ids.contains(value),
            Test::Before(time) => value < *time,
            Test::From(time) => value >= *time,
            Test::Always => true,
            Test::Never | Test::Unread(_) | Test::Within(..) => false,
        };
        passes != self.negated
    }
}

impl Column {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Column::Id => schema::ID,
            Column::Feed => schema::FEED,
            Column::Time => schema::TIME,
        }
    }
}

/// What a filter comes to, alike for searching and for matching new items.
pub(crate) fn midnight(day: Date, zone: &TimeZone) -> i64 {
    let zoned = day.to_zoned(zone.clone()).or_else(|_| day.to_zoned(TimeZone::UTC));
    zoned.map_or(i64::MIN, |zoned| zoned.timestamp().as_microsecond())
}

pub(crate) struct Compiler<'a> {
    pub query: &'a Query,
    pub known: &'a [(StoreFilter, Known)],
    pub searcher: &'a Searcher,
    pub fields: Fields,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(query: &'a Query, ask: &'a Ask<'_>, live: &Live, searcher: &'a Searcher) -> Self {
        Compiler { query, known: ask.known, searcher, fields: live.fields }
    }

    pub(crate) fn compile(&self) -> Result<Compiled, Trouble> {
        let top = match &self.query.node {
            Node::All(nodes) => nodes.as_slice(),
            node => std::slice::from_ref(node),
        };
        let (mut gates, mut rest) = (Vec::new(), Vec::new());
        for node in top {
            match self.gate(node) {
                Some(gate) => gates.push(gate),
                None => rest.push(node),
            }
        }
        Ok(Compiled { search: self.all(&rest)?, gates })
    }

    fn gate(&self, node: &Node) -> Option<Gate> {
        let (column, test) = match node {
            Node::Not(inner) => {
                let gate = self.gate(inner)?;
                return Some(Gate { negated: !gate.negated, ..gate });
            }
            Node::Before(day) => (Column::Time, Test::Before(midnight(*day, &self.query.zone))),
            Node::After(day) => (Column::Time, Test::From(midnight(*day, &self.query.zone))),
            // A tag may also come from the feed, which only the index knows.
            Node::Store(StoreFilter::Tag(_)) => return None,
            Node::Store(filter) => self.known(filter),
            _ => return None,
        };
        Some(Gate { column, test, negated: false })
    }

    fn known(&self, filter: &StoreFilter) -> (Column, Test) {
        match self.known.iter().find(|(known, _)| known == filter).map(|(_, answer)| answer) {
            Some(Known::Feeds(feeds)) => (Column::Feed, Test::In(Arc::clone(feeds))),
            Some(Known::Items(items)) => (Column::Id, Test::In(Arc::clone(items))),
            Some(Known::Unread(unread)) => (Column::Id, Test::Unread(Arc::clone(unread))),
            Some(Known::Everything) => (Column::Id, Test::Always),
            Some(Known::Nothing) | None => (Column::Id, Test::Never),
        }
    }

    fn all(&self, nodes: &[&Node]) -> Result<Box<dyn Search>, Trouble> {
        let mut clauses = Vec::with_capacity(nodes.len());
        for node in nodes {
            clauses.push(match node {
                Node::Not(inner) => (Occur::MustNot, Box::new(Steady(self.node(inner)?)) as Box<dyn Search>),
                node => (Occur::Must, self.node(node)?),
            });
        }
        if !clauses.iter().any(|(occur, _)| *occur == Occur::Must) {
            clauses.push((Occur::Must, silent(AllQuery)));
        }
        if clauses.len() == 1 {
            return Ok(clauses.remove(0).1);
        }
        Ok(Box::new(BooleanQuery::new(clauses)))
    }

    fn node(&self, node: &Node) -> Result<Box<dyn Search>, Trouble> {
        let fields = &self.fields;
        Ok(match node {
            Node::All(nodes) => self.all(&nodes.iter().collect::<Vec<_>>())?,
            Node::Not(_) => self.all(&[node])?,
            Node::Any(nodes) => {
                let mut alternatives = Vec::with_capacity(nodes.len());
                for node in nodes {
                    alternatives.push(self.node(node)?);
                }
                either(alternatives)
            }
            Node::Word(Place::Author, word) => self.word(fields.author, std::slice::from_ref(word))?,
            Node::Word(Place::Title, word) => self.word(fields.title, &self.query.stems(word))?,
            Node::Word(Place::Anywhere, word) => self.word(fields.stems, &self.query.stems(word))?,
            Node::Begins(Place::Author, word) => self.begins(&[fields.author], word)?,
            Node::Begins(Place::Title, word) => self.begins(&[fields.title], word)?,
            Node::Begins(Place::Anywhere, word) => self.begins(&[fields.stems, fields.forms], word)?,
            Node::Phrase(Place::Author, words) => either(vec![phrase(fields.author, words)]),
            Node::Phrase(Place::Title, words) => self.phrases(fields.title, words),
            Node::Phrase(Place::Anywhere, words) => self.phrases(fields.stems, words),
            Node::Language(tag) => {
                silent(TermQuery::new(Term::from_field_text(fields.language, tag), IndexRecordOption::Basic))
            }
            Node::Store(filter @ StoreFilter::Tag(tag)) => {
                let given = TermQuery::new(Term::from_field_text(fields.tag, tag), IndexRecordOption::Basic);
                let (column, test) = self.known(filter);
                either(vec![silent(given), predicate(Gate { column, test, negated: false })])
            }
            Node::Before(_) | Node::After(_) | Node::Store(_) => match self.gate(node) {
                Some(gate) => predicate(gate),
                None => Box::new(EmptyQuery),
            },
        })
    }

    /// A word by any of its stems that occur at all: mostly one, which keeps the query simple and fast.
    fn word(&self, field: Field, stems: &[String]) -> Result<Box<dyn Search>, Trouble> {
        let mut found: Vec<Box<dyn Search>> = Vec::with_capacity(1);
        for stem in stems {
            let term = Term::from_field_text(field, stem);
            if self.searcher.doc_freq(&term)? > 0 {
                found.push(Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)));
            }
        }
        Ok(either(found))
    }

    /// A phrase by the stems of each language, and as it was typed.
    fn phrases(&self, field: Field, words: &[String]) -> Box<dyn Search> {
        either(self.query.phrases(words).iter().map(|stems| phrase(field, stems)).collect())
    }

    /// A word or its stem that begins so.
    fn begins(&self, fields: &[Field], word: &str) -> Result<Box<dyn Search>, Trouble> {
        let mut terms = Vec::new();
        for &field in fields {
            let words = beginning(self.searcher, field, word)?;
            terms.extend(words.into_iter().map(|(word, _)| Term::from_field_text(field, &word)));
        }
        if terms.is_empty() {
            return Ok(Box::new(EmptyQuery));
        }
        Ok(Box::new(ConstScoreQuery::new(Box::new(TermSetQuery::new(terms)), 1.0)))
    }
}

impl Query {
    /// The ways a phrase may stand in a text: stemmed by each language, or as typed.
    pub(crate) fn phrases(&self, words: &[String]) -> Vec<Vec<String>> {
        let stemmed = |language| words.iter().map(|word| crate::tokens::stem(Some(language), word)).collect();
        let mut ways: Vec<Vec<String>> = self.languages.iter().map(|&language| stemmed(language)).collect();
        ways.push(words.to_vec());
        ways.sort();
        ways.dedup();
        ways
    }
}

/// The words of a field that begin with `begin`, most frequent first, with how many documents have them.
pub(crate) fn beginning(
    searcher: &Searcher,
    field: Field,
    begin: &str,
) -> Result<Vec<(String, u64)>, Trouble> {
    let mut end = begin.as_bytes().to_vec();
    // The last byte of UTF-8 is never 0xFF.
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    let mut found: HashMap<Vec<u8>, u64> = HashMap::new();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let mut stream =
            inverted.terms().range().ge(begin.as_bytes()).lt(&end).into_stream().map_err(Trouble::io)?;
        let mut left = BEGINNING_SCAN_MAX;
        while left > 0 && stream.advance() {
            left -= 1;
            let count = u64::from(stream.value().doc_freq);
            // Most words are in every segment.
            match found.get_mut(stream.key()) {
                Some(total) => *total += count,
                None => _ = found.insert(stream.key().to_vec(), count),
            }
        }
    }
    let mut words: Vec<(String, u64)> =
        found.into_iter().filter_map(|(word, count)| Some((String::from_utf8(word).ok()?, count))).collect();
    words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.truncate(BEGINNING_WORDS_MAX);
    Ok(words)
}

fn phrase(field: Field, words: &[String]) -> Box<dyn Search> {
    match words {
        [] => Box::new(EmptyQuery),
        [word] => Box::new(TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs)),
        words => {
            Box::new(PhraseQuery::new(words.iter().map(|word| Term::from_field_text(field, word)).collect()))
        }
    }
}

fn either(mut alternatives: Vec<Box<dyn Search>>) -> Box<dyn Search> {
    match alternatives.len() {
        0 => Box::new(EmptyQuery),
        1 => alternatives.remove(0),
        _ => Box::new(BooleanQuery::union(alternatives)),
    }
}

/// Matches without adding to the score.
fn silent(search: impl Search + 'static) -> Box<dyn Search> {
    Box::new(ConstScoreQuery::new(Box::new(search), 0.0))
}

fn predicate(gate: Gate) -> Box<dyn Search> {
    let by_segment = FunctionPredicate::from(move |segment: &SegmentReader| {
        let column = |column: Column| {
            segment.fast_fields().i64(column.name()).map(|values| values.first_or_default_col(0))
        };
        let (own, id) = (column(gate.column)?, column(Column::Id)?);
        let (feed, time) = (column(Column::Feed)?, column(Column::Time)?);
        let gate = gate.clone();
        Ok(move |document: DocId| {
            if gate.asks_all() {
                gate.admits(id.get_val(document), feed.get_val(document), time.get_val(document))
            } else {
                gate.passes(own.get_val(document))
            }
        })
    });
    silent(DocPredicateQuery::from(by_segment))
}
