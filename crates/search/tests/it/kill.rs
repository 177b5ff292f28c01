//! kill -9 while a process follows ids: what is committed is there once, and following resumes right after it.
//!
//! The child is this very test binary, started again. `KILLS=500 cargo test -p search --test it kill` is the long run.

use crate::{NOW, item, parse};
use domain::ItemId;
use search::{Ask, Found, Index, Opened, Scope};
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const COMMITTED: &str = "committed";
const CHILD: &str = "WELLREAD_SEARCH_KILL_CHILD";
/// Far more than a child lives to follow.
const LAST: i64 = 1_000_000;

#[test]
fn kill_dash_nine_misses_nothing_and_doubles_nothing() {
    let kills = std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(12);
    let folder = tempfile::tempdir().unwrap();
    let mut dice = 17_u64;
    let mut reached = 0;
    for kill in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::the_child_follows_until_it_is_killed", "--nocapture", "--ignored"])
            .env(CHILD, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // After a few commits, or none, and then at any moment.
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let commits = ((dice >> 33) % 5) as usize;
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let seen =
            lines.by_ref().map_while(Result::ok).filter(|line| line == COMMITTED).take(commits).count();
        assert_eq!(seen, commits, "kill {kill}: the child ended by itself");
        std::thread::sleep(Duration::from_millis((dice >> 40) % 120));
        child.kill().unwrap();
        child.wait().unwrap();
        reached = check(folder.path(), reached, kill);
    }
    assert!(reached > 0, "no child came as far as a commit");
}

/// Everything up to the last id followed is there once, and nothing beyond; edits as far as the mark says.
fn check(folder: &Path, before: i64, kill: u32) -> i64 {
    let Opened { index, writer, found } = Index::open(folder).unwrap();
    assert!(matches!(found, Found::Resumed | Found::New), "kill {kill}: {found:?}");
    let after = writer.after().map_or(0, |after| after.0);
    assert!(after >= before, "kill {kill}: {after} is before {before}");
    let removed = (1..=after).filter(|id| id % 50 == 0).count() as u64;
    assert_eq!(index.items(), after as u64 - removed, "kill {kill}, followed to {after}");
    let edited: i64 = writer.mark().map_or(0, |mark| mark.parse().unwrap());
    let answer =
        |text: &str| index.search(&parse(text), &Ask { limit: 100, ..Ask::new(Scope::Everything, NOW) });
    for id in [1, after / 2, after].into_iter().filter(|id| (1..=after).contains(id)) {
        let hits: HashSet<i64> =
            answer(&format!("number{id}")).unwrap().hits.iter().map(|hit| hit.item.0).collect();
        assert_eq!(hits.contains(&id), id % 50 != 0, "kill {kill}: {id} of {after}");
    }
    for id in [edited, edited + 7] {
        let wanted = usize::from(id > 0 && id <= edited);
        assert_eq!(
            answer(&format!("edited{id}")).unwrap().total.count,
            wanted,
            "kill {kill}: edit {id} of {edited}"
        );
    }
    after
}

#[test]
#[ignore = "started by the test above, to be killed"]
fn the_child_follows_until_it_is_killed() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let Opened { mut writer, .. } = Index::open(Path::new(&folder)).unwrap();
    let mut batch = 1;
    loop {
        let from = writer.after().map_or(1, |after| after.0 + 1);
        let to = (from + batch * 13 % 90).min(LAST);
        let items: Vec<_> = (from..=to).map(|id| item(id, "tide", &format!("number{id}"))).collect();
        writer.follow(&items).unwrap();
        let gone: Vec<_> = (from..=to).filter(|id| id % 50 == 0).map(ItemId).collect();
        writer.remove(&gone).unwrap();
        // One old item is edited in each batch; the mark says which came last.
        if let Some(edit) = (from..=to).rev().find(|id| id % 7 == 0 && id % 50 != 0) {
            writer.put(&item(edit, "tide", &format!("number{edit} edited{edit}"))).unwrap();
            writer.set_mark(&edit.to_string());
        }
        writer.commit().unwrap();
        println!("\n{COMMITTED}");
        batch += 1;
    }
}
