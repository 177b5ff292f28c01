//! The fields of the index.

use tantivy::Term;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, SchemaBuilder, TextFieldIndexing, TextOptions,
};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// The item's id: what is replaced and removed by.
    pub id: Field,
    pub feed: Field,
    /// Microseconds; read by document, never searched.
    pub time: Field,
    /// Stems of title and text with places: what words and phrases are looked up in and ranked by.
    pub stems: Field,
    /// Words of title and text as written, where they are not their own stem, and every word at least once in each
    /// segment: what completions and typing help are taken from, and beginnings together with the stems.
    pub forms: Field,
    /// Stems and words of the title.
    pub title: Field,
    pub author: Field,
    pub tag: Field,
    pub language: Field,
    pub shown_title: Field,
    pub shown_text: Field,
    pub shown_link: Field,
}

pub(crate) const ID: &str = "id";
pub(crate) const FEED: &str = "feed";
pub(crate) const TIME: &str = "time";

pub(crate) fn schema() -> (Schema, Fields) {
    let mut schema = SchemaBuilder::new();
    let text = |tokenizer: &str, record, norms| {
        let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(record);
        TextOptions::default().set_indexing_options(indexing.set_fieldnorms(norms))
    };
    let fields = Fields {
        id: schema.add_i64_field(ID, INDEXED | FAST),
        feed: schema.add_i64_field(FEED, INDEXED | FAST),
        time: schema.add_i64_field(TIME, FAST),
        stems: schema.add_text_field("stems", text("stems", IndexRecordOption::WithFreqsAndPositions, true)),
        forms: schema.add_text_field("forms", text("forms", IndexRecordOption::Basic, false)),
        title: schema.add_text_field("title", text("both", IndexRecordOption::WithFreqsAndPositions, true)),
        author: schema
            .add_text_field("author", text("names", IndexRecordOption::WithFreqsAndPositions, true)),
        tag: schema.add_text_field("tag", text("raw", IndexRecordOption::Basic, false)),
        language: schema.add_text_field("language", text("raw", IndexRecordOption::Basic, false)),
        shown_title: schema.add_text_field("shown_title", STORED),
        shown_text: schema.add_text_field("shown_text", STORED),
        shown_link: schema.add_text_field("shown_link", STORED),
    };
    (schema.build(), fields)
}

impl Fields {
    pub(crate) fn id_term(&self, id: i64) -> Term {
        Term::from_field_i64(self.id, id)
    }

    pub(crate) fn feed_term(&self, feed: i64) -> Term {
        Term::from_field_i64(self.feed, feed)
    }
}
