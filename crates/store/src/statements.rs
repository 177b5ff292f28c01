//! Every statement is understood by both databases, and no list scans a table.

use crate::sql::Sql;
use crate::{
    accounts, admin, archive, backup, buzz, channels, check, commit, feeds, folders, follow, foryou, frame,
    friends, imports, interactions, known, lease, leave, list, mark, mark_all, news, own, people, planning,
    profiles, prune, recognise, remove_user, retention, rules, schedule, searches, sessions, shares, side,
    stories, subscribe, subscriptions, tags, trials, undo, worth,
};
use sqlx::{Connection, Executor, PgConnection, SqlSafeStr, SqliteConnection};

fn all() -> Vec<Sql> {
    let lists = [
        accounts::ALL,
        admin::ALL,
        backup::ALL,
        buzz::ALL,
        channels::ALL,
        check::ALL,
        commit::ALL,
        commit::ADOPT_ALL,
        commit::effects::ALL,
        commit::items::ALL,
        feeds::ALL,
        folders::ALL,
        follow::ALL,
        foryou::ALL,
        frame::ALL,
        friends::ALL,
        imports::ALL,
        interactions::ALL,
        known::ALL,
        lease::ALL,
        lease::claim::ALL,
        lease::wishes::ALL,
        leave::ALL,
        list::ALL,
        mark::ALL,
        mark_all::ALL,
        news::ALL,
        own::ALL,
        people::ALL,
        planning::ALL,
        profiles::ALL,
        prune::ALL,
        recognise::ALL,
        retention::ALL,
        rules::ALL,
        schedule::ALL,
        searches::ALL,
        sessions::ALL,
        shares::ALL,
        side::ALL,
        stories::ALL,
        subscribe::ALL,
        subscriptions::ALL,
        tags::ALL,
        trials::ALL,
        undo::ALL,
        worth::ALL,
    ];
    let tables = archive::TABLES
        .iter()
        .flat_map(|table| [Some(table.read), Some(table.write), table.renumber])
        .flatten();
    lists
        .into_iter()
        .flatten()
        .copied()
        .chain(remove_user::all())
        .chain(check::faults())
        .chain(tables)
        .collect()
}

#[tokio::test]
async fn sqlite_understands_every_statement() {
    let pool = sqlx::sqlite::SqlitePoolOptions::new()
        .max_connections(1)
        .connect("sqlite::memory:")
        .await
        .expect("opens");
    crate::migrate::run_lite(&pool).await.expect("migrates");
    let mut connection = pool.acquire().await.expect("connects");
    for sql in all() {
        let prepared = connection.prepare(sql.lite.into_sql_str()).await;
        assert!(prepared.is_ok(), "{}: {:?}\n{}", sql.doing, prepared.err(), sql.lite);
    }
}

#[tokio::test]
async fn postgresql_understands_every_statement() {
    let Ok(server) = std::env::var("WELLREAD_TEST_POSTGRES") else {
        println!("skipped on PostgreSQL: WELLREAD_TEST_POSTGRES is not set");
        return;
    };
    let mut connection = migrated_pg(&server, "statements").await;
    let mut wrong = Vec::new();
    for sql in all() {
        if let Err(error) = connection.prepare(sql.pg.into_sql_str()).await {
            wrong.push(format!("{}: {error}\n{}\n", sql.doing, sql.pg));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A schema that lives as long as its connection's server; remade by every run.
async fn migrated_pg(server: &str, name: &str) -> PgConnection {
    let schema = format!("unit_{name}_{}", std::process::id());
    let mut connection = PgConnection::connect(server).await.expect("connects");
    let make = format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(make)).execute(&mut connection).await.expect("makes a schema");
    let url = format!("{server}?options=-c%20search_path%3D{schema}");
    let pool = sqlx::PgPool::connect(&url).await.expect("connects");
    crate::migrate::run_pg(&pool).await.expect("migrates");
    let connection = PgConnection::connect(&url).await.expect("connects");
    pool.close().await;
    connection
}

/// What pages, followers and the loop ask all the time.
fn lists() -> impl Iterator<Item = &'static Sql> {
    let all = [
        list::ALL,
        news::ALL,
        follow::ALL,
        channels::ALL,
        stories::ALL,
        known::ALL,
        searches::ALL,
        friends::ALL,
        shares::ALL,
        subscriptions::ALL,
        tags::ALL,
        trials::ALL,
        sessions::ALL,
        rules::ALL,
        imports::ALL,
    ];
    // Adding up feeds and reading PostgreSQL's own tables is for rebuilding and following, not for pages; a feed's rules
    // are found by walking the folders above it, which is no table; what is popular is added up from an index of opens.
    let is_rare = |sql: &&Sql| {
        ![
            "counting all items",
            "looking who numbers items",
            "removing private feeds from stories",
            "finding a feed's rules",
            "finding popular items",
        ]
        .contains(&sql.doing)
    };
    let due = lease::ALL.iter().filter(|sql| sql.doing == "finding due feeds");
    let copies = ["reading feeds' newest items", "finding who else tells stories"];
    let copies = worth::ALL.iter().filter(move |sql| copies.contains(&sql.doing));
    all.into_iter().flatten().filter(is_rare).chain(due).chain(copies)
}

/// The plan's steps that walk a whole table of items, marks or people's things.
async fn scans_lite(connection: &mut SqliteConnection, sql: &Sql) -> Vec<String> {
    let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", sql.lite));
    let rows: Vec<(i64, i64, i64, String)> =
        sqlx::query_as(explain).fetch_all(connection).await.expect("explains");
    let steps = rows.into_iter().map(|(.., step)| step);
    // Walking the list of feeds given as JSON, the feeds found for a page, or the folders inside a folder is no scan.
    let is_page = sql.lite.starts_with("WITH top");
    let is_short = |step: &str| {
        step.contains("jsonb_each")
            || step == "SCAN inside"
            || step == "SCAN CONSTANT ROW"
            || (is_page && ["SCAN s", "SCAN top", "SCAN edge"].contains(&step))
    };
    steps.filter(|step| step.starts_with("SCAN") && !is_short(step)).collect()
}

#[tokio::test]
async fn no_list_scans_a_table_on_sqlite() {
    let pool = sqlx::sqlite::SqlitePoolOptions::new()
        .max_connections(1)
        .connect("sqlite::memory:")
        .await
        .expect("opens");
    crate::migrate::run_lite(&pool).await.expect("migrates");
    let mut connection = pool.acquire().await.expect("connects");
    for sql in lists() {
        let scans = scans_lite(&mut connection, sql).await;
        assert!(scans.is_empty(), "{}: {scans:?}\n{}", sql.doing, sql.lite);
    }
}

#[tokio::test]
async fn no_list_scans_a_table_on_postgresql() {
    let Ok(server) = std::env::var("WELLREAD_TEST_POSTGRES") else {
        println!("skipped on PostgreSQL: WELLREAD_TEST_POSTGRES is not set");
        return;
    };
    let mut connection = migrated_pg(&server, "plans").await;
    // With scans made dear, whatever still scans has no index to use. The plan must not depend on the parameters.
    let settings = "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan";
    sqlx::raw_sql(settings).execute(&mut connection).await.expect("sets");
    for (n, sql) in lists().enumerate() {
        let parameters =
            (1..=9).filter(|n| sql.pg.contains(&format!("${n}"))).map(|_| "NULL").collect::<Vec<_>>();
        let call = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
        let prepare = sqlx::AssertSqlSafe(format!("PREPARE list{n} AS {}", sql.pg));
        sqlx::raw_sql(prepare).execute(&mut connection).await.expect("prepares");
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN EXECUTE list{n}{call}"));
        let plan = sqlx::raw_sql(explain).fetch_all(&mut connection).await.expect("explains");
        let steps: Vec<String> = plan.iter().map(|row| sqlx::Row::get(row, 0)).collect();
        assert!(!steps.iter().any(|step| step.contains("Seq Scan")), "{}:\n{}", sql.doing, steps.join("\n"));
    }
}

/// A statement left out of its file's `ALL` would not be checked above.
#[test]
fn every_statement_is_listed() {
    fn sources(dir: &std::path::Path, text: &mut String) {
        for entry in std::fs::read_dir(dir).expect("reads").flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, text);
            } else if !path.ends_with("statements.rs") {
                text.push_str(&std::fs::read_to_string(&path).expect("reads"));
            }
        }
    }
    let mut text = String::new();
    sources(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut text);
    let constants =
        text.lines().filter(|line| line.starts_with("const ") && line.contains(": Sql =")).count();
    let listed: usize = all().len()
        - check::faults().count()
        - archive::TABLES.len() * 2
        - archive::TABLES.iter().filter(|table| table.renumber.is_some()).count();
    // One statement only SQLite has: the check of its file.
    assert_eq!(constants, listed + 1);
}
