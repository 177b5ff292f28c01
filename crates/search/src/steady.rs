//! A query to be excluded, asked only what every kind of query answers.
//!
//! Tantivy asks an excluded query whether it holds a document that may lie before where the query stands already,
//! which phrases do not allow for. Going through plain `seek` they are never asked.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader};

#[derive(Debug)]
pub(crate) struct Steady(pub Box<dyn Query>);

impl Clone for Steady {
    fn clone(&self) -> Self {
        Steady(self.0.box_clone())
    }
}

impl Query for Steady {
    fn weight(&self, enable_scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(SteadyWeight(self.0.weight(enable_scoring)?)))
    }
}

struct SteadyWeight(Box<dyn Weight>);

impl Weight for SteadyWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(SteadyScorer(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, document)
    }
}

/// `seek_danger` is left as it is by default: it seeks, and only forward.
struct SteadyScorer(Box<dyn Scorer>);

impl DocSet for SteadyScorer {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }
}

impl Scorer for SteadyScorer {
    fn score(&mut self) -> Score {
        self.0.score()
    }
}
