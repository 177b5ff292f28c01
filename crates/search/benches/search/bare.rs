//! What we are measured against: Tantivy with nothing around it, and SQLite's FTS5.

use crate::corpus::Corpus;
use search::{EXCERPT_BYTES_MAX, ItemText};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, Connection, Row, SqliteConnection};
use std::path::Path;
use std::time::{Duration, Instant};
use tantivy::schema::{
    FAST, INDEXED, IndexRecordOption, STORED, SchemaBuilder, TextFieldIndexing, TextOptions,
};
use tantivy::{Index, IndexWriter, TantivyDocument};

/// The loop of Tantivy's own examples: title and text with English stems, the numbers we need, the same excerpt kept.
pub(crate) fn tantivy(corpus: &Corpus, items: i64, folder: &Path) {
    let mut schema = SchemaBuilder::new();
    let stems = TextFieldIndexing::default()
        .set_tokenizer("en_stem")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let stems = TextOptions::default().set_indexing_options(stems);
    let id = schema.add_i64_field("id", INDEXED | FAST);
    let feed = schema.add_i64_field("feed", INDEXED | FAST);
    let time = schema.add_i64_field("time", FAST);
    let title = schema.add_text_field("title", stems.clone() | STORED);
    let text = schema.add_text_field("text", stems);
    let shown = schema.add_text_field("shown", STORED);
    let link = schema.add_text_field("link", STORED);
    let index = Index::create_in_dir(folder, schema.build()).expect("a new index");
    let mut writer: IndexWriter = index.writer_with_num_threads(2, 100 << 20).expect("a writer");
    for nth in 1..=items {
        let item: ItemText = corpus.item(nth);
        let mut document = TantivyDocument::new();
        document.add_i64(id, item.id.0);
        document.add_i64(feed, item.feed.0);
        document.add_i64(time, item.time.micros());
        document.add_text(title, &item.title);
        document.add_text(text, &item.text);
        document.add_text(shown, &item.text[..item.text.floor_char_boundary(EXCERPT_BYTES_MAX)]);
        document.add_text(link, &item.link);
        writer.add_document(document).expect("added");
    }
    writer.commit().expect("committed");
    writer.wait_merging_threads().expect("merged");
}

pub(crate) struct Fts5(SqliteConnection);

impl Fts5 {
    /// Contentless, with porter stems, beside a table with the items' feeds and one with the person's.
    pub(crate) async fn build(corpus: &Corpus, items: i64, mine: &[i64], folder: &Path) -> Fts5 {
        let options = SqliteConnectOptions::new()
            .filename(folder.join("fts.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Off)
            .pragma("cache_size", "-65536");
        let mut db = SqliteConnection::connect_with(&options).await.expect("opens");
        let tables = "
            CREATE VIRTUAL TABLE fts USING fts5(title, text, content='', contentless_delete=1,
                tokenize='porter unicode61');
            CREATE TABLE item (id INTEGER PRIMARY KEY, feed_id BIGINT);
            CREATE TABLE mine (feed_id INTEGER PRIMARY KEY);";
        sqlx::raw_sql(AssertSqlSafe(tables)).execute(&mut db).await.expect("FTS5 is compiled in");
        for first in (1..=items).step_by(10_000) {
            let mut transaction = db.begin().await.expect("begins");
            for nth in first..(first + 10_000).min(items + 1) {
                let item = corpus.item(nth);
                sqlx::query("INSERT INTO fts (rowid, title, text) VALUES (?, ?, ?)")
                    .bind(item.id.0)
                    .bind(&item.title)
                    .bind(&item.text)
                    .execute(&mut *transaction)
                    .await
                    .expect("inserted");
                sqlx::query("INSERT INTO item VALUES (?, ?)")
                    .bind(item.id.0)
                    .bind(item.feed.0)
                    .execute(&mut *transaction)
                    .await
                    .expect("inserted");
            }
            transaction.commit().await.expect("commits");
        }
        for feed in mine {
            sqlx::query("INSERT INTO mine VALUES (?)").bind(feed).execute(&mut db).await.expect("inserted");
        }
        Fts5(db)
    }

    pub(crate) async fn ask(&mut self, words: &str) -> (Duration, usize) {
        let quoted: Vec<String> = words.split(' ').map(|word| format!("\"{word}\"")).collect();
        let start = Instant::now();
        let rows = sqlx::query(
            "SELECT fts.rowid FROM fts JOIN item ON item.id = fts.rowid JOIN mine ON mine.feed_id = item.feed_id
             WHERE fts MATCH ? ORDER BY bm25(fts, 3.0, 1.0) LIMIT 20",
        )
        .bind(quoted.join(" "))
        .fetch_all(&mut self.0)
        .await
        .expect("answered");
        let count = rows.iter().filter(|row| row.try_get::<i64, _>(0).is_ok()).count();
        (start.elapsed(), count)
    }
}
