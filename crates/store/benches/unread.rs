//! Unread state two ways: a watermark per subscription with exceptions, against one row per unread item and person.
//!
//! `cargo bench -p store --bench unread [-- ITEMS [watermark]]` (the word leaves the slow side out): 50 people, 1,000 feeds, ITEMS items (1,000,000 by default), every
//! person subscribed to every feed, on SQLite. The watermark side uses the store's own tables and statements by their
//! shape; the rows side is the plain fan-out other readers use. The decision is docs/decisions/0001-unread-state.md.

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
use std::path::Path;
use std::time::{Duration, Instant};

const PEOPLE: i64 = 50;
const FEEDS: i64 = 1_000;
const TURNS: i64 = 200;

fn main() {
    let items = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(1_000_000);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runs");
    runtime.block_on(async {
        println!("{PEOPLE} people, {FEEDS} feeds, {items} items");
        for read_share in [0, 90] {
            println!("\n{read_share} % of the feeds marked read by everybody, then 20 items a person read one by one");
            for way in [Way::Watermark, Way::Rows] {
                if way == Way::Rows && std::env::args().any(|arg| arg == "watermark") {
                    continue;
                }
                let dir = tempfile::tempdir().expect("a temporary folder");
                measure(way, dir.path(), items, read_share).await;
            }
        }
    });
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    Watermark,
    Rows,
}

async fn open(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(path.join("unread.db"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .pragma("cache_size", "-65536");
    SqliteConnection::connect_with(&options).await.expect("opens")
}

async fn run(db: &mut SqliteConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(db).await.expect("runs");
}

const COMMON: &str = "
    CREATE TABLE item (id INTEGER PRIMARY KEY, feed_id BIGINT, sort_at BIGINT, title TEXT);
    CREATE TABLE subscription (user_id BIGINT, feed_id BIGINT, watermark BIGINT, unread BIGINT,
        PRIMARY KEY (user_id, feed_id)) WITHOUT ROWID;
    CREATE INDEX subscription_by_feed ON subscription (feed_id, user_id);";
const WATERMARK: &str = "
    CREATE TABLE read_mark (user_id BIGINT, feed_id BIGINT, item_id BIGINT, sort_at BIGINT, is_read BOOLEAN,
        PRIMARY KEY (user_id, feed_id, item_id)) WITHOUT ROWID;
    CREATE INDEX read_mark_unread ON read_mark (user_id, sort_at, item_id) WHERE NOT is_read;";
const ROWS: &str = "
    CREATE TABLE unread (user_id BIGINT, sort_at BIGINT, item_id BIGINT, feed_id BIGINT,
        PRIMARY KEY (user_id, sort_at, item_id)) WITHOUT ROWID;
    CREATE INDEX unread_by_feed ON unread (user_id, feed_id, sort_at, item_id);
    CREATE INDEX unread_by_item ON unread (item_id);";

async fn measure(way: Way, dir: &Path, items: i64, read_share: i64) {
    let mut db = open(dir).await;
    let db = &mut db;
    run(db, COMMON).await;
    run(db, if way == Way::Watermark { WATERMARK } else { ROWS }).await;
    let started = Instant::now();
    fill(db, way, items, read_share).await;
    let filled = started.elapsed();
    // item_by_feed is needed by both; it is built here because loading is not what is measured.
    run(
        db,
        "CREATE INDEX item_by_feed ON item (feed_id, sort_at, id); ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)",
    )
    .await;
    let bytes = std::fs::metadata(dir.join("unread.db")).expect("a file").len();
    println!("{way:?}: filled in {:.1} s, {:.0} MB", filled.as_secs_f64(), bytes as f64 / 1e6);
    let mut next = items;
    let mut times = Times::default();
    for turn in 0..TURNS {
        let (user, feed) = (turn % PEOPLE + 1, turn * 7 % FEEDS + 1);
        next += 1;
        times.arrival.push(timed(arrive(db, way, next, feed)).await);
        times.page.push(timed(page(db, way, user)).await);
        times.counters.push(timed(counters(db, user)).await);
        times.read.push(timed(mark_read(db, way, user, next, feed)).await);
        times.feed.push(timed(mark_feed(db, way, user, feed)).await);
    }
    for user in 1..=10 {
        times.all.push(timed(mark_all(db, way, user)).await);
    }
    times.print();
}

async fn fill(db: &mut SqliteConnection, way: Way, items: i64, read_share: i64) {
    run(db, &format!(
        "BEGIN;
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {items})
         INSERT INTO item SELECT n, n % {FEEDS} + 1, n * 1000, 'An item of middling length, number ' || n FROM n;
         WITH RECURSIVE u (u) AS (SELECT 1 UNION ALL SELECT u + 1 FROM u WHERE u < {PEOPLE}),
              f (f) AS (SELECT 1 UNION ALL SELECT f + 1 FROM f WHERE f < {FEEDS})
         INSERT INTO subscription SELECT u, f,
             CASE WHEN f % 100 < {read_share} THEN {items} * 1000 ELSE 0 END,
             CASE WHEN f % 100 < {read_share} THEN 0 ELSE {items} / {FEEDS} END FROM u, f;
         COMMIT"
    ))
    .await;
    if way == Way::Rows {
        // Person by person, so that the one big transaction stays within the page cache.
        for user in 1..=PEOPLE {
            run(db, &format!(
                "INSERT INTO unread SELECT {user}, sort_at, id, feed_id FROM item WHERE feed_id % 100 >= {read_share}"
            ))
            .await;
        }
    }
    let read = format!(
        "(SELECT id, feed_id, sort_at FROM item WHERE feed_id % 100 >= {read_share} ORDER BY id DESC LIMIT 20)"
    );
    for user in 1..=PEOPLE {
        match way {
            Way::Watermark => {
                run(
                    db,
                    &format!("INSERT INTO read_mark SELECT {user}, feed_id, id, sort_at, true FROM {read}"),
                )
                .await;
            }
            Way::Rows => {
                run(
                    db,
                    &format!(
                        "DELETE FROM unread WHERE user_id = {user} AND (sort_at, item_id) IN
                    (SELECT sort_at, id FROM {read})"
                    ),
                )
                .await;
            }
        }
    }
}

async fn timed(work: impl Future<Output = ()>) -> Duration {
    let started = Instant::now();
    work.await;
    started.elapsed()
}

/// One new item for everybody.
async fn arrive(db: &mut SqliteConnection, way: Way, item: i64, feed: i64) {
    let fan_out = if way == Way::Rows {
        format!(
            "INSERT INTO unread SELECT user_id, {item} * 1000, {item}, {feed} FROM subscription WHERE feed_id = {feed};"
        )
    } else {
        format!(
            "INSERT INTO read_mark SELECT user_id, {feed}, {item}, {item} * 1000, false FROM subscription
            WHERE feed_id = {feed} AND watermark >= {item} * 1000;"
        )
    };
    run(
        db,
        &format!(
            "BEGIN; INSERT INTO item VALUES ({item}, {feed}, {item} * 1000, 'new'); {fan_out}
        UPDATE subscription SET unread = unread + 1 WHERE feed_id = {feed}; COMMIT"
        ),
    )
    .await;
}

async fn page(db: &mut SqliteConnection, way: Way, user: i64) {
    let merged = "WITH top AS MATERIALIZED (
            SELECT s.feed_id, s.watermark FROM subscription s JOIN item i ON i.id IN (
                SELECT x.id FROM item x WHERE x.feed_id = s.feed_id AND x.sort_at > s.watermark AND NOT EXISTS
                    (SELECT 1 FROM read_mark k WHERE k.user_id = $1 AND k.feed_id = x.feed_id AND k.item_id = x.id)
                ORDER BY x.sort_at DESC, x.id DESC LIMIT 1)
            WHERE s.user_id = $1 AND s.unread > 0 ORDER BY i.sort_at DESC, i.id DESC LIMIT 50)
        SELECT i.id, i.title FROM top s JOIN item i ON i.id IN (
            SELECT x.id FROM item x WHERE x.feed_id = s.feed_id AND x.sort_at > s.watermark AND NOT EXISTS
                (SELECT 1 FROM read_mark k WHERE k.user_id = $1 AND k.feed_id = x.feed_id AND k.item_id = x.id)
            ORDER BY x.sort_at DESC, x.id DESC LIMIT 50)
        ORDER BY i.sort_at DESC, i.id DESC LIMIT 50";
    let rows = "SELECT i.id, i.title FROM unread u JOIN item i ON i.id = u.item_id WHERE u.user_id = $1
        ORDER BY u.sort_at DESC, u.item_id DESC LIMIT 50";
    let sql = if way == Way::Watermark { merged } else { rows };
    let page: Vec<(i64, String)> = sqlx::query_as(sql).bind(user).fetch_all(db).await.expect("a page");
    assert!(!page.is_empty());
}

async fn counters(db: &mut SqliteConnection, user: i64) {
    let sql = "SELECT feed_id, unread FROM subscription WHERE user_id = $1 AND unread > 0";
    let _counts: Vec<(i64, i64)> = sqlx::query_as(sql).bind(user).fetch_all(db).await.expect("counts");
}

async fn mark_read(db: &mut SqliteConnection, way: Way, user: i64, item: i64, feed: i64) {
    let mark = if way == Way::Rows {
        format!("DELETE FROM unread WHERE user_id = {user} AND sort_at = {item} * 1000 AND item_id = {item};")
    } else {
        format!(
            "INSERT INTO read_mark VALUES ({user}, {feed}, {item}, {item} * 1000, true)
            ON CONFLICT DO UPDATE SET is_read = true;"
        )
    };
    run(
        db,
        &format!(
            "BEGIN; {mark} UPDATE subscription SET unread = unread - 1
        WHERE user_id = {user} AND feed_id = {feed}; COMMIT"
        ),
    )
    .await;
}

async fn mark_feed(db: &mut SqliteConnection, way: Way, user: i64, feed: i64) {
    let mark = if way == Way::Rows {
        format!(
            "DELETE FROM unread WHERE user_id = {user} AND feed_id = {feed};
            UPDATE subscription SET unread = 0 WHERE user_id = {user} AND feed_id = {feed};"
        )
    } else {
        format!("DELETE FROM read_mark WHERE user_id = {user} AND NOT is_read AND feed_id = {feed};
            UPDATE subscription SET unread = 0, watermark = (SELECT MAX(sort_at) FROM item WHERE feed_id = {feed})
            WHERE user_id = {user} AND feed_id = {feed};")
    };
    run(db, &format!("BEGIN; {mark} COMMIT")).await;
}

async fn mark_all(db: &mut SqliteConnection, way: Way, user: i64) {
    let mark = if way == Way::Rows {
        format!(
            "DELETE FROM unread WHERE user_id = {user}; UPDATE subscription SET unread = 0 WHERE user_id = {user};"
        )
    } else {
        format!(
            "DELETE FROM read_mark WHERE user_id = {user} AND NOT is_read;
            UPDATE subscription SET unread = 0, watermark =
                (SELECT MAX(sort_at) FROM item WHERE item.feed_id = subscription.feed_id)
            WHERE user_id = {user} AND unread > 0;"
        )
    };
    run(db, &format!("BEGIN; {mark} COMMIT")).await;
}

#[derive(Default)]
struct Times {
    arrival: Vec<Duration>,
    page: Vec<Duration>,
    counters: Vec<Duration>,
    read: Vec<Duration>,
    feed: Vec<Duration>,
    all: Vec<Duration>,
}

impl Times {
    fn print(self) {
        let rows = [
            ("an item arrives", self.arrival),
            ("unread page of 50", self.page),
            ("counters", self.counters),
            ("mark one read", self.read),
            ("mark a feed read", self.feed),
            ("mark all read", self.all),
        ];
        for (what, mut times) in rows {
            times.sort_unstable();
            let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
            println!("    {what:20} p50 {:9.3} ms   p99 {:9.3} ms", at(50), at(99));
        }
    }
}
