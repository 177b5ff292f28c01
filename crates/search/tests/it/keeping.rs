//! Folders that were deleted, cut, locked, or belong to another version: each has its answer, and reading goes on.

use crate::{Bench, NOW, ids, item, parse};
use domain::ItemId;
use search::{Ask, Defect, FORMAT, Found, Index, ItemText, Opened, Scope, State, Trouble};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

fn items() -> Vec<ItemText> {
    (1..=200).map(|id| item(id, "Tide barrier", &format!("word{id} and some more of the same"))).collect()
}

/// A whole index of 200 items, closed.
fn closed() -> tempfile::TempDir {
    let mut bench = Bench::with(&items());
    bench.writer.caught_up().unwrap();
    bench.writer.settle().unwrap();
    bench.folder
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("current")).unwrap();
    let mut files: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Opens what is there, feeds it what it asks for, and expects everything to be found.
fn heals(folder: &Path) -> Found {
    let Opened { index, mut writer, found } = Index::open(folder).unwrap();
    let after = writer.after().map_or(0, |after| after.0);
    if found != Found::Resumed {
        assert_eq!((after, index.state()), (0, State::Rebuilding { done: 0, of: 0 }));
    }
    let rest: Vec<_> = items().into_iter().filter(|item| item.id.0 > after).collect();
    writer.follow(&rest).unwrap();
    writer.caught_up().unwrap();
    let answer = index.search(&parse("tide"), &Ask::new(Scope::Everything, NOW)).unwrap();
    assert_eq!((answer.total.count, answer.state), (200, State::Whole));
    assert!(!folder.join("aside").exists(), "what was set aside goes when the new index is whole");
    found
}

#[test]
fn a_deleted_folder_is_built_again() {
    let folder = closed();
    fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(heals(folder.path()), Found::New);
}

#[test]
fn every_file_that_is_cut_emptied_or_deleted_is_noticed_or_not_needed() {
    let kinds = files(closed().path()).len();
    for nth in 0..kinds {
        for harm in [Harm::Cut, Harm::Emptied, Harm::Deleted] {
            let folder = closed();
            let victim = files(folder.path())[nth].clone();
            harm.done_to(&victim);
            let found = heals(folder.path());
            let name = victim.file_name().unwrap().to_str().unwrap();
            // Lists of files and locks are not needed to find what is there.
            let needless = name.starts_with('.') || name.ends_with(".lock");
            assert!(needless || matches!(found, Found::SetAside(_)), "{name} {harm:?}: {found:?}");
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Harm {
    Cut,
    Emptied,
    Deleted,
}

impl Harm {
    fn done_to(self, file: &Path) {
        let length = fs::metadata(file).unwrap().len();
        match self {
            Harm::Cut => OpenOptions::new().write(true).open(file).unwrap().set_len(length / 2).unwrap(),
            Harm::Emptied => fs::write(file, "").unwrap(),
            Harm::Deleted => fs::remove_file(file).unwrap(),
        }
    }
}

#[test]
fn changed_bytes_are_noticed_by_a_check_and_the_index_is_built_again() {
    let folder = closed();
    let postings =
        files(folder.path()).into_iter().find(|file| file.extension().is_some_and(|kind| kind == "idx"));
    let postings = postings.unwrap();
    let mut bytes = fs::read(&postings).unwrap();
    let middle = bytes.len() / 3;
    bytes[middle] ^= 0xff;
    fs::write(&postings, bytes).unwrap();
    let Opened { index, mut writer, found } = Index::open(folder.path()).unwrap();
    assert_eq!(found, Found::Resumed, "nobody reads every byte at every start");
    assert!(matches!(index.verify(), Err(Trouble::Damaged(_))));
    assert_eq!(index.state(), State::Damaged);
    assert!(matches!(writer.follow(&[item(201, "tide", "")]), Err(Trouble::Damaged(_))));
    assert!(matches!(writer.reopen().unwrap(), Found::SetAside(Defect::Damaged(_))));
    assert_eq!((writer.after(), index.state()), (None, State::Rebuilding { done: 0, of: 0 }));
    writer.follow(&items()).unwrap();
    writer.caught_up().unwrap();
    assert_eq!(index.search(&parse("tide"), &Ask::new(Scope::Everything, NOW)).unwrap().total.count, 200);
}

#[test]
fn files_cut_or_deleted_under_a_running_search_are_answered_and_mended() {
    for harm in [Harm::Cut, Harm::Emptied, Harm::Deleted] {
        let mut bench = Bench::with(&items());
        bench.writer.caught_up().unwrap();
        for file in files(bench.folder.path()) {
            harm.done_to(&file);
        }
        // Either an answer from memory or a clear refusal, never the end of the process.
        for text in ["tide", "\"tide barrier\"", "word7*", "bariers"] {
            match bench.index.search(&parse(text), &Ask::new(Scope::Everything, NOW)) {
                Ok(_) | Err(Trouble::Damaged(_)) => {}
                Err(other) => panic!("{harm:?}: {other}"),
            }
        }
        let next = [item(201, "tide", "")];
        let outcome = bench.writer.follow(&next).and_then(|()| bench.writer.commit());
        if outcome.is_ok() {
            // Nothing old was needed for the new commit; the check finds it.
            let _ = bench.index.verify();
        }
        let found = bench.writer.reopen().unwrap();
        assert!(found != Found::Resumed, "{harm:?}: {found:?}");
        let after = bench.writer.after().map_or(0, |after| after.0);
        bench.writer.follow(&items()[usize::try_from(after).unwrap()..]).unwrap();
        bench.writer.caught_up().unwrap();
        assert_eq!(bench.answer("tide").total.count, 200, "{harm:?}");
    }
}

#[test]
fn a_folder_deleted_under_a_running_writer_is_built_again() {
    let mut bench = Bench::with(&items());
    fs::remove_dir_all(bench.folder.path()).unwrap();
    assert_eq!(bench.answer("tide").total.count, 200, "what is open can still be searched");
    let outcome = bench.writer.follow(&[item(201, "tide", "")]).and_then(|()| bench.writer.commit());
    assert!(matches!(outcome, Err(Trouble::Damaged(_))), "{outcome:?}");
    assert_eq!(bench.writer.reopen().unwrap(), Found::New);
    bench.writer.follow(&items()).unwrap();
    bench.writer.commit().unwrap();
    assert_eq!(bench.answer("tide").total.count, 200);
}

#[test]
fn other_formats_are_told_apart_and_built_again() {
    for (stamp, defect) in [
        ("wellread search 0\n".to_owned(), Defect::OlderFormat(0)),
        (format!("wellread search {}\n", FORMAT + 1), Defect::NewerFormat(FORMAT + 1)),
    ] {
        let folder = closed();
        fs::write(folder.path().join("current/stamp"), stamp).unwrap();
        assert_eq!(heals(folder.path()), Found::SetAside(defect));
    }
    let folder = closed();
    fs::write(folder.path().join("current/stamp"), "something else").unwrap();
    assert!(matches!(heals(folder.path()), Found::SetAside(Defect::Damaged(_))));
}

#[test]
fn a_schema_that_is_not_ours_is_built_again_whatever_its_stamp_says() {
    let folder = closed();
    let meta = folder.path().join("current/meta.json");
    let changed = fs::read_to_string(&meta).unwrap().replace("\"shown_link\"", "\"shown_lint\"");
    fs::write(meta, changed).unwrap();
    assert!(matches!(heals(folder.path()), Found::SetAside(Defect::Damaged(_))));
}

#[test]
fn while_an_old_index_is_rebuilt_what_is_there_can_be_found() {
    let folder = closed();
    fs::write(folder.path().join("current/stamp"), "wellread search 0\n").unwrap();
    let Opened { index, mut writer, .. } = Index::open(folder.path()).unwrap();
    writer.rebuild(200).unwrap();
    writer.follow(&items()[..50]).unwrap();
    writer.commit().unwrap();
    let answer = index.search(&parse("tide"), &Ask::new(Scope::Everything, NOW)).unwrap();
    assert_eq!((answer.total.count, answer.state), (50, State::Rebuilding { done: 50, of: 200 }));
    assert!(folder.path().join("aside").exists());
}

#[test]
fn one_folder_has_one_writer() {
    let bench = Bench::with(&items());
    assert!(matches!(Index::open(bench.folder.path()), Err(Trouble::Locked)));
    let Bench { folder, index, writer } = bench;
    drop(writer);
    drop(index);
    assert_eq!(Index::open(folder.path()).unwrap().writer.after(), Some(ItemId(200)));
}

#[test]
fn a_place_that_cannot_be_a_folder_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(Index::open(&file), Err(Trouble::Io(_) | Trouble::Damaged(_))));
    // A stray file where the index should be is set aside like any other index that cannot be used.
    let stray = folder.path().join("stray");
    fs::create_dir(&stray).unwrap();
    fs::write(stray.join("current"), "").unwrap();
    assert!(matches!(heals(&stray), Found::SetAside(_)));
}

#[test]
fn an_index_handle_outlives_what_happens_to_its_files() {
    let mut bench = Bench::with(&items());
    let other = bench.index.clone();
    fs::remove_dir_all(bench.folder.path()).unwrap();
    bench.writer.reopen().unwrap();
    bench.writer.follow(&items()[..3]).unwrap();
    bench.writer.commit().unwrap();
    let answer = other.search(&parse("tide"), &Ask::new(Scope::Everything, NOW)).unwrap();
    assert_eq!(ids(&answer).len(), 3);
}
