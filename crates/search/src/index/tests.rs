//! A full disk, played by a directory that runs out of room.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::{Ask, ItemText, Query, Scope, Typed};
use domain::{FeedId, ItemId, Timestamp};

fn item(id: i64) -> ItemText {
    ItemText {
        id: ItemId(id),
        feed: FeedId(1),
        time: Timestamp::from_seconds(id),
        title: format!("Tide barrier {id}"),
        text: "The gates were closed twice. ".repeat(20),
        author: String::new(),
        link: String::new(),
        tags: Vec::new(),
        language: None,
    }
}

fn found(index: &Index) -> usize {
    let query = Query::parse("tide", &Typed::default()).unwrap();
    index.search(&query, &Ask::new(Scope::Everything, Timestamp::EPOCH)).unwrap().total.count
}

#[test]
fn a_full_disk_loses_nothing_and_indexing_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let Opened { index, mut writer, .. } = Index::open(folder.path()).unwrap();
    writer.follow(&(1..=10).map(item).collect::<Vec<_>>()).unwrap();
    writer.commit().unwrap();
    // Room for anything from nothing to most of a commit.
    for room in [0, 1, 100, 1_000, 3_000, 6_000] {
        index.shared.live().files.room().store(room, Ordering::Relaxed);
        let next = writer.after().unwrap().0 + 1;
        let outcome =
            writer.follow(&(next..next + 50).map(item).collect::<Vec<_>>()).and_then(|()| writer.commit());
        index.shared.live().files.room().store(i64::MAX, Ordering::Relaxed);
        match outcome {
            Ok(()) => {}
            Err(trouble) => {
                assert!(matches!(trouble, Trouble::DiskFull), "with room for {room}: {trouble}");
                assert_eq!(writer.after(), Some(ItemId(next - 1)));
            }
        }
        assert_eq!(found(&index), writer.after().unwrap().0 as usize);
        assert_eq!(index.state(), State::Rebuilding { done: found(&index) as u64, of: 0 });
    }
    let next = writer.after().unwrap().0 + 1;
    writer.follow(&[item(next)]).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&index), next as usize);
}
