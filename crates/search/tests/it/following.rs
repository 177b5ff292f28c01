//! Following item ids: nothing missed, nothing doubled, edits and removals included.

use crate::{Bench, NOW, item, parse};
use domain::{FeedId, ItemId};
use search::{Ask, COMMIT_AFTER, COMMIT_DOCUMENTS, Found, Index, Opened, Scope, State, Total};
use std::time::{Duration, Instant};

#[test]
fn following_resumes_after_the_last_commit() {
    let mut bench = Bench::with(&[item(1, "tide", ""), item(2, "tide", "")]);
    assert_eq!(bench.writer.after(), Some(ItemId(2)));
    bench.writer.follow(&[item(3, "tide", "")]).unwrap();
    bench.writer.set_mark("edits up to 17");
    let Bench { folder, index, writer } = bench;
    drop((index, writer));
    let Opened { index, writer, found } = Index::open(folder.path()).unwrap();
    assert_eq!((found, writer.after(), writer.mark()), (Found::Resumed, Some(ItemId(2)), None));
    assert_eq!(index.items(), 2);
}

#[test]
fn an_item_that_comes_again_replaces_itself() {
    let mut bench = Bench::with(&[item(1, "tide", ""), item(2, "tide", "")]);
    // The same batch again, as after a crash of the caller.
    bench.writer.follow(&[item(1, "tide", ""), item(2, "marsh", ""), item(2, "silt", "")]).unwrap();
    bench.writer.commit().unwrap();
    assert_eq!((bench.ids("tide"), bench.ids("marsh"), bench.ids("silt")), (vec![1], vec![], vec![2]));
    assert_eq!(bench.index.items(), 2);
    bench.writer.put(&item(1, "gate", "")).unwrap();
    bench.writer.set_mark("edit 9");
    bench.writer.commit().unwrap();
    assert_eq!(
        (bench.ids("tide"), bench.ids("gate"), bench.writer.mark()),
        (vec![], vec![1], Some("edit 9"))
    );
}

#[test]
fn an_edit_of_an_item_not_yet_followed_skips_nothing() {
    let mut bench = Bench::with(&[item(1, "tide", "")]);
    bench.writer.put(&item(9, "gate", "")).unwrap();
    bench.writer.commit().unwrap();
    assert_eq!(bench.writer.after(), Some(ItemId(1)));
    bench.writer.follow(&[item(5, "gate", ""), item(9, "gate", "")]).unwrap();
    bench.writer.commit().unwrap();
    assert_eq!(bench.ids("gate"), [5, 9]);
    bench.writer.skip_to(ItemId(12));
    bench.writer.commit().unwrap();
    assert_eq!(bench.writer.after(), Some(ItemId(12)));
}

#[test]
fn removed_items_and_feeds_are_not_found_any_more() {
    let items: Vec<_> = (1..=9).map(|id| item(id, "tide", "")).collect();
    let mut bench = Bench::with(&items);
    bench.writer.remove(&[ItemId(1), ItemId(77)]).unwrap();
    bench.writer.remove_feed(FeedId(3)).unwrap();
    bench.writer.commit().unwrap();
    assert_eq!(bench.ids("tide"), [3, 4, 6, 7, 9]);
    let total = bench.answer("tide").total;
    assert_eq!(total, Total { count: 5, exact: true });
    bench.writer.settle().unwrap();
    assert_eq!(bench.ids("tide"), [3, 4, 6, 7, 9]);
}

#[test]
fn a_commit_is_due_after_two_seconds_or_many_documents() {
    let mut bench = Bench::with(&[]);
    assert_eq!(bench.writer.due(), None);
    let before = Instant::now();
    bench.writer.follow(&[item(1, "tide", "")]).unwrap();
    assert!(!bench.writer.commit_if_due(before).unwrap());
    assert!(bench.ids("tide").is_empty());
    let due = bench.writer.due().unwrap();
    assert!(due >= before + COMMIT_AFTER && COMMIT_AFTER < Duration::from_secs(5));
    assert!(bench.writer.commit_if_due(due).unwrap());
    assert_eq!(bench.ids("tide"), [1]);
    let many: Vec<_> = (2..).take(COMMIT_DOCUMENTS).map(|id| item(id, "gate", "")).collect();
    bench.writer.follow(&many).unwrap();
    assert!(bench.writer.commit_if_due(Instant::now()).unwrap());
}

#[test]
fn progress_is_told_until_everything_was_followed_and_survives_a_restart() {
    let mut bench = Bench::with(&[]);
    bench.writer.rebuild(3).unwrap();
    assert_eq!(bench.index.state(), State::Rebuilding { done: 0, of: 3 });
    bench.writer.follow(&[item(1, "tide", ""), item(2, "tide", "")]).unwrap();
    bench.writer.commit().unwrap();
    assert_eq!(bench.answer("tide").state, State::Rebuilding { done: 2, of: 3 });
    let Bench { folder, index, writer } = bench;
    drop((index, writer));
    let Opened { index, mut writer, .. } = Index::open(folder.path()).unwrap();
    assert_eq!(index.state(), State::Rebuilding { done: 2, of: 0 });
    writer.rebuild(3).unwrap();
    writer.follow(&[item(3, "tide", "")]).unwrap();
    writer.caught_up().unwrap();
    writer.settle().unwrap();
    let answer = index.search(&parse("tide"), &Ask::new(Scope::Everything, NOW)).unwrap();
    assert_eq!((answer.total.count, answer.state), (3, State::Whole));
    drop((index, writer));
    assert_eq!(Index::open(folder.path()).unwrap().index.state(), State::Whole);
}
