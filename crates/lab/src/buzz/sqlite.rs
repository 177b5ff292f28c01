//! On the fly in SQLite: Q1 of 003 §4.2, with `e.item` where the paper prints `t.item`.

use super::compare::ROUNDS;
use super::world::World;
use anyhow::{Context, Result};
use rank::buzz::Ranked;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, QueryBuilder, Row, Sqlite};
use std::time::{Duration, Instant};

/// Rows of one statement; SQLite binds 32,766 values at most.
const ROWS: usize = 8_000;
/// In this order of tables: left to itself SQLite reads all references.
const Q1: &str = "SELECT e.item AS item, SUM(t.score * e.score) AS score \
    FROM subscription t CROSS JOIN reference e ON e.source = t.source \
    WHERE t.user = ? GROUP BY e.item ORDER BY score DESC, e.item LIMIT ?";

pub(crate) struct Asked {
    pub(crate) lists: Vec<Vec<Ranked>>,
    pub(crate) times: Vec<Duration>,
    pub(crate) bytes: usize,
}

/// In memory, so that no disk is measured, and on a thread of its own, because the caller may be inside a runtime.
pub(crate) fn ask(world: &World, users: &[usize], count: usize) -> Result<Asked> {
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().build()?;
            runtime.block_on(ask_all(world, users, count))
        });
        match asking.join() {
            Ok(asked) => asked,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

async fn ask_all(world: &World, users: &[usize], count: usize) -> Result<Asked> {
    let options = SqliteConnectOptions::new().in_memory(true).disable_statement_logging();
    let mut db = SqliteConnection::connect_with(&options).await.context("opening SQLite in memory")?;
    sqlx::raw_sql(
        "CREATE TABLE subscription (user INTEGER, source INTEGER, score REAL, PRIMARY KEY (user, source)) WITHOUT ROWID;
         CREATE TABLE reference (source INTEGER, item INTEGER, score REAL, PRIMARY KEY (source, item)) WITHOUT ROWID;",
    )
    .execute(&mut db)
    .await?;
    let follows = users.iter().flat_map(|user| {
        world.follows.row(*user).iter().map(|(source, weight)| (*user as u32, *source, *weight))
    });
    fill(&mut db, "INSERT INTO subscription (user, source, score) ", follows).await?;
    let references = (0..world.references.rows()).flat_map(|source| {
        world.references.row(source).iter().map(move |(key, score)| (source as u32, *key, *score))
    });
    fill(&mut db, "INSERT INTO reference (source, item, score) ", references).await?;
    let pages: i64 =
        sqlx::query_scalar("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            .fetch_one(&mut db)
            .await?;
    let mut lists = Vec::new();
    let mut times = vec![Duration::MAX; users.len()];
    for nth in 0..ROUNDS * users.len() {
        let (user, best) = (users[nth % users.len()], &mut times[nth % users.len()]);
        let begin = Instant::now();
        let rows =
            sqlx::query(Q1).bind(i64::try_from(user)?).bind(i64::try_from(count)?).fetch_all(&mut db).await?;
        *best = begin.elapsed().min(*best);
        if lists.len() == users.len() {
            continue;
        }
        let ranked = |row: &sqlx::sqlite::SqliteRow| -> Result<Ranked> {
            Ok(Ranked { key: row.try_get::<i64, _>("item")?.try_into()?, score: row.try_get("score")? })
        };
        lists.push(rows.iter().map(ranked).collect::<Result<_>>()?);
    }
    Ok(Asked { lists, times, bytes: usize::try_from(pages).unwrap_or(0) })
}

async fn fill(
    db: &mut SqliteConnection,
    insert: &'static str,
    rows: impl Iterator<Item = (u32, u32, f32)>,
) -> Result<()> {
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let mut statement = QueryBuilder::<Sqlite>::new(insert);
        statement.push_values(rows.by_ref().take(ROWS), |mut row, (one, other, score)| {
            row.push_bind(one).push_bind(other).push_bind(score);
        });
        statement.build().persistent(false).execute(&mut *db).await?;
    }
    Ok(())
}
