//! Help with typing: the rest of a word, and the word that was probably meant.
//!
//! Both come from the words of the index, and the index holds everybody's items. So a word is only offered when an
//! item the person may see has it.

use crate::compile::beginning;
use crate::error::Trouble;
use crate::find::{Ask, Door, Total, finds};
use crate::index::{Index, Live};
use crate::query::{LIVE_CHARS_MIN, Node, Place, Query};
use crate::tokens;
use std::collections::HashMap;
use tantivy::query::FuzzyTermQuery;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, Searcher, TERMINATED, Term};

/// With fewer hits than this a typing mistake is likely.
const FEW: usize = 3;
/// Words tried for one that may be mistyped, and mistyped words looked at.
const CANDIDATES_MAX: usize = 8;
const MISTYPED_MAX: usize = 3;
/// A word that more items have than this, or than one in so many, is not a mistake: nobody mistypes it alike that often.
const RARE_ITEMS_MAX: u64 = 20;
const RARE_ONE_IN: u64 = 10_000;
/// Words whose frequency is looked up to choose among them.
const RANKED_MAX: usize = 256;
/// Words within reach that are looked at, in each segment.
const REACH_MAX: usize = 2_000;
/// Items looked at to see whether a person may be told a word.
const VISIBLE_VISITS_MAX: usize = 100_000;
/// Letters from which on one, and two, mistakes are allowed for.
const ONE_MISTAKE_CHARS_MIN: usize = 3;
const TWO_MISTAKES_CHARS_MIN: usize = 7;

impl Index {
    /// What is missing from the last word of `typed`, as the most frequent word the person may see has it.
    pub fn complete(&self, typed: &str, ask: &Ask<'_>) -> Result<Option<String>, Trouble> {
        let tail = typed.rsplit(char::is_whitespace).next().unwrap_or_default();
        if typed.len() > 4 * crate::QUERY_CHARS_MAX
            || !tail.chars().next_back().is_some_and(char::is_alphanumeric)
        {
            return Ok(None);
        }
        let Some(begin) = tokens::typed(tail).pop() else { return Ok(None) };
        if begin.chars().count() < LIVE_CHARS_MIN || begin.chars().any(tokens::unspaced) {
            return Ok(None);
        }
        let live = self.shared.live();
        self.shared.guarded(|| {
            let searcher = live.searcher();
            let door = Door::new(ask, Vec::new());
            for (word, _) in beginning(&searcher, live.fields.forms, &begin)?.into_iter().take(CANDIDATES_MAX)
            {
                if visible(&live, &searcher, &word, &door)? {
                    return Ok(word.strip_prefix(&begin).filter(|rest| !rest.is_empty()).map(str::to_owned));
                }
            }
            Ok(None)
        })
    }
}

/// The query with its likeliest mistake put right, if it found little and would then find something.
pub(crate) fn meant(
    live: &Live,
    searcher: &Searcher,
    query: &Query,
    ask: &Ask<'_>,
    door: &Door<'_>,
    total: Total,
) -> Result<Option<String>, Trouble> {
    if !total.exact || total.count >= FEW || ask.offset > 0 || ask.cursor.is_some() {
        return Ok(None);
    }
    let mut words: Vec<String> = Vec::new();
    query.node.visit_wanted(&mut |leaf| match leaf {
        Node::Word(Place::Anywhere | Place::Title, word)
        | Node::Begins(Place::Anywhere | Place::Title, word) => {
            words.push(word.clone());
        }
        Node::Phrase(Place::Anywhere | Place::Title, phrase) => words.extend(phrase.iter().cloned()),
        _ => {}
    });
    words.dedup();
    // The rarest words first: they are the likeliest to be mistyped.
    let rare_max = RARE_ITEMS_MAX.max(searcher.num_docs() / RARE_ONE_IN);
    let mut rare = Vec::new();
    for word in words {
        let count = frequency(live, searcher, &word)?;
        if count <= rare_max {
            rare.push((count, word));
        }
    }
    rare.sort();
    rare.dedup();
    for (count, word) in rare.into_iter().take(MISTYPED_MAX) {
        for candidate in near(live, searcher, &word)? {
            if candidate.1 <= count || !visible(live, searcher, &candidate.0, door)? {
                continue;
            }
            let node = query.node.replaced(&word, &candidate.0);
            let changed = Query::of(node, query.languages.clone(), query.zone.clone());
            if finds(live, searcher, &changed, ask)? {
                return Ok(Some(changed.to_string()));
            }
        }
    }
    Ok(None)
}

/// Words within one mistake, or else two, most frequent first.
fn near(live: &Live, searcher: &Searcher, word: &str) -> Result<Vec<(String, u64)>, Trouble> {
    let letters = word.chars().count();
    for (distance, letters_min) in [(1, ONE_MISTAKE_CHARS_MIN), (2, TWO_MISTAKES_CHARS_MIN)] {
        if letters < letters_min {
            break;
        }
        let term = Term::from_field_text(live.fields.forms, word);
        let automaton = FuzzyTermQuery::new(term, distance, true).automaton()?;
        let mut found: HashMap<Vec<u8>, u64> = HashMap::new();
        for segment in searcher.segment_readers() {
            let inverted = segment.inverted_index(live.fields.forms)?;
            let mut stream = inverted.terms().search(&automaton).into_stream().map_err(Trouble::io)?;
            let mut left = REACH_MAX;
            while left > 0 && stream.advance() {
                left -= 1;
                *found.entry(stream.key().to_vec()).or_default() += u64::from(stream.value().doc_freq);
            }
        }
        let words: Vec<(String, u64)> = found
            .into_iter()
            .filter_map(|(word, count)| Some((String::from_utf8(word).ok()?, count)))
            .filter(|(near, _)| near != word)
            .collect();
        if !words.is_empty() {
            return by_frequency(live, searcher, words);
        }
    }
    Ok(Vec::new())
}

/// The most frequent of words found among the forms. There a word that is its own stem is rarer than in the items.
fn by_frequency(
    live: &Live,
    searcher: &Searcher,
    words: Vec<(String, u64)>,
) -> Result<Vec<(String, u64)>, Trouble> {
    let mut counted = Vec::with_capacity(words.len());
    for (word, _) in words.into_iter().take(RANKED_MAX) {
        counted.push((frequency(live, searcher, &word)?, word));
    }
    counted.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    counted.truncate(CANDIDATES_MAX);
    Ok(counted.into_iter().map(|(count, word)| (word, count)).collect())
}

/// How many items have the word, about: as it is written, or as a stem.
fn frequency(live: &Live, searcher: &Searcher, word: &str) -> Result<u64, Trouble> {
    let count = |field| searcher.doc_freq(&Term::from_field_text(field, word));
    Ok(count(live.fields.forms)?.max(count(live.fields.stems)?))
}

/// Whether an item behind the door has the word.
fn visible(live: &Live, searcher: &Searcher, word: &str, door: &Door<'_>) -> Result<bool, Trouble> {
    let mut left = VISIBLE_VISITS_MAX;
    for segment in searcher.segment_readers() {
        let doorway = door.of(segment)?;
        for field in [live.fields.forms, live.fields.stems] {
            let inverted = segment.inverted_index(field)?;
            let term = Term::from_field_text(field, word);
            let postings = inverted.read_postings(&term, IndexRecordOption::Basic).map_err(Trouble::io)?;
            let Some(mut postings) = postings else { continue };
            let mut document = postings.doc();
            while document != TERMINATED && left > 0 {
                if doorway.lets_in(document) {
                    return Ok(true);
                }
                left -= 1;
                document = postings.advance();
            }
        }
    }
    Ok(false)
}
