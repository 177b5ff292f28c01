//! What was acknowledged is there after kill -9; a full disk loses nothing.

use crate::stage::*;
use domain::{DocumentItem, FeedId, Identity, ItemId, Preview, Secret, UserId};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;
use store::{ItemKind, ItemWrite, Mark, Place, Recognised, Scope, Store, StoreConfig};

const CHILD: &str = "WELLREAD_STORE_CHILD";
const FEEDS: u64 = 8;
const ITEMS_PER_POLL: u64 = 3;

/// Run by itself this is no test; the kill loop below runs it as a child process.
#[test]
fn the_child_of_the_kill_loop() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (turn, place) = task.split_once('|').unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(work_until_killed(turn.parse().unwrap(), place_of(place)));
}

fn place_of(text: &str) -> Place {
    if text.starts_with("postgres:") {
        Place::Postgres(Secret::new(text))
    } else {
        Place::Sqlite(text.into())
    }
}

/// Polls eight feeds in parallel and clicks on what comes, printing every acknowledgement.
async fn work_until_killed(turn: i64, place: Place) {
    let store = Store::open(&StoreConfig::new(place), at(0)).await.unwrap();
    let user = match store.user_by_name("mira").await.unwrap() {
        Some(user) => user.id,
        None => store.add_user("mira", None, false, at(0)).await.unwrap(),
    };
    let mut running = Vec::new();
    for n in 0..FEEDS {
        let url = format!("https://h{n}.example/feed");
        let feed = store.subscribe(user, &wish(&url), at(0), at(0)).await.unwrap().feed;
        running.push(tokio::spawn(publish_and_click(store.clone(), user, feed, turn * 1_000_000)));
    }
    for task in running {
        task.await.unwrap();
    }
}

async fn publish_and_click(store: Store, user: UserId, feed: FeedId, from: i64) {
    for round in 0.. {
        let now = at(from + round * 100);
        let Some(leased) = store.lease_feed(feed, now, LEASE, Duration::ZERO, NODE).await.unwrap() else {
            continue;
        };
        // The document shows the newest twelve items; what a killed poll left behind is seen again.
        let newest = leased.schedule.rate.posts as u64 + ITEMS_PER_POLL;
        let document: Vec<DocumentItem> =
            (newest.saturating_sub(11).max(1)..=newest).map(document_item).collect();
        let seen: Vec<_> =
            document.iter().map(|item| (item.identity, item.twin, item.content_hash)).collect();
        let known = store.recognise(feed, &seen).await.unwrap();
        let new = document.iter().zip(known).filter(|(_, known)| *known == Recognised::New);
        let kind = ItemKind::New { sort_at: now, unread: true };
        let mut poll = commit(
            &leased,
            now,
            new.map(|(item, _)| ItemWrite::new(item, kind, Preview::default())).collect(),
        );
        poll.schedule.rate.posts = newest as f64;
        let done = store.commit_poll(poll).await.unwrap();
        assert!(done.accepted);
        println!("poll {feed} {newest}");
        if let [read, star, ..] = done.new_items[..] {
            store.mark(user, &[read], &Mark::Read, now).await.unwrap();
            println!("read {read}");
            store.mark(user, &[star], &Mark::Star, now).await.unwrap();
            println!("star {star}");
        }
    }
}

/// Everything the child was told is kept.
#[derive(Default)]
struct Acknowledged {
    newest: HashMap<FeedId, u64>,
    read: HashSet<ItemId>,
    starred: HashSet<ItemId>,
    /// Clicked on in the life that ended last.
    lately: HashSet<ItemId>,
}

impl Acknowledged {
    fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["poll", feed, newest] => {
                self.newest.insert(FeedId(feed.parse().unwrap()), newest.parse().unwrap());
            }
            ["read", item] => {
                self.read.insert(ItemId(item.parse().unwrap()));
                self.lately.insert(ItemId(item.parse().unwrap()));
            }
            ["star", item] => {
                self.starred.insert(ItemId(item.parse().unwrap()));
                self.lately.insert(ItemId(item.parse().unwrap()));
            }
            _ => {}
        }
    }

    /// All items and how many clicks there are, but only the last life's clicks one by one.
    async fn check(&mut self, stage: &Stage) {
        stage.assert_sound().await;
        let Some(user) = stage.store.user_by_name("mira").await.unwrap() else {
            assert!(self.newest.is_empty());
            return;
        };
        for (feed, newest) in &self.newest {
            let all: Vec<_> = (1..=*newest).map(|n| (Identity(u128::from(n)), None, n)).collect();
            for (n, known) in stage.store.recognise(*feed, &all).await.unwrap().iter().enumerate() {
                let is_known = matches!(known, Recognised::Known { changed: false, .. });
                assert!(is_known, "item {} of feed {feed} was acknowledged and is {known:?}", n + 1);
            }
        }
        let starred = stage.titles(user.id, Scope::Starred, false).await;
        assert!(starred.len() >= self.starred.len().min(1_000));
        let lately = std::mem::take(&mut self.lately);
        self.check_clicks(stage, user.id, &lately).await;
    }

    async fn check_clicks(&self, stage: &Stage, user: UserId, items: &HashSet<ItemId>) {
        for item in items {
            let row = stage.store.item(user, *item).await.unwrap().expect("an acknowledged item").row;
            assert!(row.is_read || !self.read.contains(item), "a read item is unread again");
            assert!(row.is_starred || !self.starred.contains(item), "a star is gone");
        }
    }
}

async fn kill_loop(stage: &mut Stage, place: &str, kills: u64) {
    let mut acknowledged = Acknowledged::default();
    for kill in 0..kills {
        stage.store.close().await;
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "promises::the_child_of_the_kill_loop", "--nocapture"])
            .env(CHILD, format!("{kill}|{place}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Killed after a number of acknowledgements, not after a time: a slow machine tests as much as a fast one.
        let after = 1 + (kill * 37) % 60;
        let mut heard = 0;
        while heard < after {
            let line = lines.next().expect("the child works until it is killed").unwrap();
            heard +=
                u64::from(line.starts_with("poll") || line.starts_with("read") || line.starts_with("star"));
            acknowledged.hear(&line);
        }
        child.kill().unwrap();
        // What it still said before it died was acknowledged too.
        for line in lines.map_while(Result::ok) {
            acknowledged.hear(&line);
        }
        child.wait().unwrap();
        stage.store = Store::open(&stage.config, at(0)).await.unwrap();
        acknowledged.check(stage).await;
    }
    let user = stage.store.user_by_name("mira").await.unwrap().expect("somebody clicked").id;
    let clicked: HashSet<ItemId> = acknowledged.read.union(&acknowledged.starred).copied().collect();
    acknowledged.check_clicks(stage, user, &clicked).await;
    assert!(acknowledged.read.len() as u64 > kills, "the loop did real work");
}

/// 50 kills in the suite; `KILLS=1000` for a long night.
fn kills() -> u64 {
    std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(50)
}

#[test]
fn promise_1_and_2_nothing_acknowledged_is_lost_or_doubled_by_kill_9_on_sqlite() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut stage = sqlite().await;
        let Place::Sqlite(path) = stage.config.place.clone() else { unreachable!() };
        kill_loop(&mut stage, path.to_str().unwrap(), kills()).await;
    });
}

#[test]
fn promise_1_and_2_nothing_acknowledged_is_lost_or_doubled_by_kill_9_on_postgresql() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let Some(mut stage) = postgres().await else {
            println!("skipped on PostgreSQL: WELLREAD_TEST_POSTGRES is not set");
            return;
        };
        let Place::Postgres(url) = stage.config.place.clone() else { unreachable!() };
        kill_loop(&mut stage, url.reveal(), kills()).await;
        stage.store.close().await;
        drop_schema(&stage.config).await;
    });
}

#[test]
fn promise_6_with_the_disk_full_reading_goes_on_and_writing_resumes_by_itself() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let stage = sqlite().await;
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        stage.poll(feed, at(0), vec![new_item(1)]).await;
        stage.store.set_size_max(Some(1 << 20)).await.unwrap();
        let mut stored = 1;
        let mut now = 1;
        let refused = loop {
            now += 1;
            let numbers = now * 1_000..now * 1_000 + 50;
            let items: Vec<_> = numbers.clone().map(bulky).collect();
            let leased =
                match stage.store.lease_feed(feed, at(now as i64 * 4_000), LEASE, SPACING, NODE).await {
                    Ok(leased) => leased.unwrap(),
                    Err(full) => break full,
                };
            match stage.store.commit_poll(commit(&leased, at(now as i64 * 4_000), items)).await {
                Ok(done) => stored += done.new_items.len(),
                Err(full) => break full,
            }
            assert!(now < 1_000, "the bound does not bind");
        };
        assert!(refused.is_full(), "{refused:?}");
        assert!(refused.to_string().contains("full"), "{refused}");
        // Reading goes on, and no poll is recorded without its items.
        assert_eq!(stage.unread(user).await, stored as u64);
        stage.assert_sound().await;
        let again = stage.store.add_user(&"x".repeat(2 << 20), None, false, at(0)).await.unwrap_err();
        assert!(again.is_full(), "{again:?}");
        // Room again: no restart needed.
        stage.store.set_size_max(None).await.unwrap();
        let now = at(90_000_000);
        assert_eq!(
            stage.poll(feed, now, (1..=20).map(|n| bulky(5_000_000 + n)).collect()).await.new_items.len(),
            20
        );
        stage.assert_sound().await;
    });
}

/// An item that does not compress.
fn bulky(number: u64) -> ItemWrite {
    let mut state = number;
    let text: String = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + (state >> 58) as u8)
    })
    .take(2_000)
    .collect();
    let item = DocumentItem { content: Some(text), ..document_item(number) };
    ItemWrite::new(&item, ItemKind::New { sort_at: at(1), unread: true }, domain::Preview::default())
}
