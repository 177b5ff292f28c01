//! Every statement is understood by both databases, and no list scans a table.

use crate::sql::Sql;
use crate::{archive, backup, check, commit, feeds, interactions, lease, list, mark, mark_all, people, recognise, retention};
use crate::{schedule, subscribe};
use sqlx::{Connection, Executor, PgConnection, SqlSafeStr, SqliteConnection};

fn all() -> Vec<Sql> {
    let lists = [
        backup::ALL,
        check::ALL,
        commit::ALL,
        commit::ADOPT_ALL,
        commit::items::ALL,
        feeds::ALL,
        interactions::ALL,
        lease::ALL,
        list::ALL,
        mark::ALL,
        mark_all::ALL,
        people::ALL,
        recognise::ALL,
        retention::ALL,
        schedule::ALL,
        subscribe::ALL,
    ];
    let tables = archive::TABLES.iter().flat_map(|table| [Some(table.read), Some(table.write), table.renumber]).flatten();
    lists.into_iter().flatten().copied().chain(check::faults()).chain(tables).collect()
}

#[tokio::test]
async fn sqlite_understands_every_statement() {
    let pool = sqlx::sqlite::SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.expect("opens");
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

/// The plan's steps that walk a whole table of items, marks or people's things.
async fn scans_lite(connection: &mut SqliteConnection, sql: &Sql) -> Vec<String> {
    let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", sql.lite));
    let rows: Vec<(i64, i64, i64, String)> = sqlx::query_as(explain).fetch_all(connection).await.expect("explains");
    let steps = rows.into_iter().map(|(.., step)| step);
    // Walking the list of feeds given as JSON, the feeds found for a page, or the folders inside a folder is no scan.
    let is_page = sql.lite.starts_with("WITH top");
    let is_short = |step: &str| {
        step.contains("json_each") || step == "SCAN inside" || step == "SCAN CONSTANT ROW" || (is_page && step == "SCAN s")
    };
    steps.filter(|step| step.starts_with("SCAN") && !is_short(step)).collect()
}

#[tokio::test]
async fn no_list_scans_a_table_on_sqlite() {
    let pool = sqlx::sqlite::SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.expect("opens");
    crate::migrate::run_lite(&pool).await.expect("migrates");
    let mut connection = pool.acquire().await.expect("connects");
    for sql in list::ALL {
        let scans = scans_lite(&mut connection, sql).await;
        assert!(scans.is_empty(), "{}: {scans:?}\n{}", sql.doing, sql.lite);
    }
}
