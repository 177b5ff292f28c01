//! Tests of the index from outside: what is found, what survives, what is refused.
#![allow(clippy::unwrap_used, reason = "tests")]

mod finding;
mod following;
mod keeping;
mod kill;
mod saved;

use domain::{FeedId, ItemId, Timestamp};
use search::{Answer, Ask, IdSet, Index, ItemText, Opened, Query, Scope, Typed, Writer};
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
pub(crate) const DAY: i64 = 86_400;

pub(crate) fn item(id: i64, title: &str, text: &str) -> ItemText {
    ItemText {
        id: ItemId(id),
        feed: FeedId(1 + id % 3),
        time: Timestamp::from_seconds(NOW.seconds() - 1_000 + id),
        title: title.to_owned(),
        text: text.to_owned(),
        author: String::new(),
        link: format!("https://feed.test/{id}"),
        tags: Vec::new(),
        language: Some("en".to_owned()),
    }
}

pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) index: Index,
    pub(crate) writer: Writer,
}

impl Bench {
    pub(crate) fn with(items: &[ItemText]) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let Opened { index, mut writer, .. } = Index::open(folder.path()).unwrap();
        writer.follow(items).unwrap();
        writer.commit().unwrap();
        Bench { folder, index, writer }
    }

    pub(crate) fn answer(&self, text: &str) -> Answer {
        self.ask(text, &Ask::new(Scope::Everything, NOW))
    }

    pub(crate) fn ask(&self, text: &str, ask: &Ask<'_>) -> Answer {
        self.index.search(&parse(text), ask).unwrap()
    }

    /// The ids found, lowest first.
    pub(crate) fn ids(&self, text: &str) -> Vec<i64> {
        let mut ids = ids(&self.answer(text));
        ids.sort_unstable();
        ids
    }
}

pub(crate) fn parse(text: &str) -> Query {
    Query::parse(text, &Typed::default()).unwrap()
}

pub(crate) fn ids(answer: &Answer) -> Vec<i64> {
    answer.hits.iter().map(|hit| hit.item.0).collect()
}

pub(crate) fn set(ids: &[i64]) -> Arc<IdSet> {
    Arc::new(ids.iter().copied().collect())
}
