//! A database of an older version, with something in every table a migration touches, becomes like a fresh one.

use super::*;
use crate::{Place, Store, StoreConfig};
use domain::{FeedId, ItemId, PollOutcome, Secret, Timestamp, UserId};
use sqlx::Row;

/// What version 1 left: of four items the first is marked unread though hidden, the second is hidden and read by the
/// watermark, the third is hidden and read by a mark; another hidden item is of a feed that was left.
const OLD_ROWS: &str = "
    INSERT INTO user_account (id, name, password_hash, is_admin, created_at) VALUES (1, 'mira', 'hash', true, 5);
    INSERT INTO api_token (hash, user_id, label, created_at)
        VALUES (CAST('0123456789abcdef0123456789abcdef' AS {BLOB}), 1, 'phone', 7),
               (CAST('1123456789abcdef0123456789abcdef' AS {BLOB}), 1, 'tablet', 6);
    INSERT INTO feed (id, url, private_to, hubs, created_at, items, bytes, retention_at)
        VALUES (1, 'https://a.example/feed', 0, '[]', 5, 4, 4, 0), (2, 'https://b.example/feed', 0, '[]', 5, 1, 1, 0);
    INSERT INTO provider (name, free_at, busy_until, blocked_until, slot_at, requests) VALUES ('example', 0, 0, 0, 0, 1);
    INSERT INTO schedule (feed_id, next_poll_at, reason, state, feed_state, subscribers, provider, has_slot, floor_s,
            lease_number)
        VALUES (1, 100, '{\"because\":\"fresh\"}',
                '{\"failures\":3,\"failing_since\":70,\"last_success_at\":60,\"rate\":{\"posts\":1.5}}', 'active', 1,
                'example', false, 60, 1),
               (2, 100, '{\"because\":\"new\"}', '{}', 'active', 0, 'example', false, 60, 0);
    INSERT INTO poll (feed_id, started_at, finished_at, outcome, wire_bytes, items_seen, items_new, items_changed, error)
        VALUES (1, 60, 60, 'fresh', 1, 4, 4, 0, NULL), (1, 80, 80, 'failed', 0, 0, 0, 0, 'It did not answer.');
    INSERT INTO item (id, feed_id, identity, sort_at, first_seen_at, title, content_hash, revision, bytes)
        VALUES (1, 1, CAST('item-one--------' AS {BLOB}), 10, 10, 'one', 1, 0, 1),
               (2, 1, CAST('item-two--------' AS {BLOB}), 20, 20, 'two', 2, 0, 1),
               (3, 1, CAST('item-three------' AS {BLOB}), 30, 30, 'three', 3, 0, 1),
               (4, 1, CAST('item-four-------' AS {BLOB}), 40, 40, 'four', 4, 0, 1),
               (5, 2, CAST('item-five-------' AS {BLOB}), 50, 50, 'five', 5, 0, 1);
    INSERT INTO item_body (item_id, body) SELECT id, CAST('x' AS {BLOB}) FROM item;
    INSERT INTO item_name (feed_id, name, item_id) SELECT feed_id, identity, id FROM item;
    INSERT INTO subscription (user_id, feed_id, created_at, watermark, unread) VALUES (1, 1, 5, 20, 2);
    INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read) VALUES (1, 1, 1, 10, false), (1, 1, 3, 30, true);
    INSERT INTO hidden_item (user_id, item_id, hidden_at) VALUES (1, 1, 50), (1, 2, 50), (1, 3, 50), (1, 5, 50);
    INSERT INTO undo (user_id, made_at, newest_item, feeds)
        VALUES (1, 90, 4, '{\"watermarks\":[[1,5]],\"marks\":[],\"items\":[]}');
";

/// Of each release, and none: a fresh database.
const VERSIONS: [(&str, usize); 3] = [("first", 1), ("plan", 3), ("fresh", 0)];

/// Tables, columns and indexes as the database describes them.
const SCHEMA_LITE: &str = "SELECT name || ' ' || COALESCE(sql, '') FROM sqlite_master ORDER BY name";
const SCHEMA_PG: &str = "
    SELECT table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' ||
        COALESCE(column_default, '') AS line
    FROM information_schema.columns WHERE table_schema = current_schema()
    UNION ALL SELECT replace(indexdef, current_schema() || '.', '') FROM pg_indexes WHERE schemaname = current_schema()
    ORDER BY line";

#[tokio::test]
async fn promise_7_an_older_sqlite_database_with_data_becomes_like_a_fresh_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut schemas = Vec::new();
    for (name, version) in VERSIONS {
        let path = dir.path().join(name);
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path).create_if_missing(true);
        let pool = SqlitePool::connect_with(options).await.expect("opens");
        if version > 0 {
            migrator(&MIGRATIONS[..1], lite).run(&pool).await.expect("version 1");
            let rows = AssertSqlSafe(spelled(OLD_ROWS, lite));
            sqlx::raw_sql(rows).execute(&pool).await.expect("rows of version 1");
            migrator(&MIGRATIONS[..version], lite).run(&pool).await.expect("an older version");
        }
        let store =
            Store::open(&StoreConfig::new(Place::Sqlite(path)), Timestamp::EPOCH).await.expect("migrates");
        if version > 0 {
            check(&store).await;
        }
        store.close().await;
        let lines = sqlx::query(SCHEMA_LITE).fetch_all(&pool).await.expect("a schema");
        schemas.push(lines.iter().map(|row| row.get::<String, _>(0)).collect::<Vec<_>>());
        pool.close().await;
    }
    assert!(schemas[0].len() > 40);
    for older in &schemas[..schemas.len() - 1] {
        assert_eq!(Some(older), schemas.last());
    }
}

#[tokio::test]
async fn promise_7_an_older_postgresql_database_with_data_becomes_like_a_fresh_one() {
    let Ok(server) = std::env::var("WELLREAD_TEST_POSTGRES") else {
        println!("skipped on PostgreSQL: WELLREAD_TEST_POSTGRES is not set");
        return;
    };
    let admin = PgPool::connect(&server).await.expect("connects");
    let mut schemas = Vec::new();
    for (name, version) in VERSIONS {
        let schema = format!("unit_migrate_{name}_{}", std::process::id());
        let make = format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}");
        sqlx::raw_sql(AssertSqlSafe(make)).execute(&admin).await.expect("makes a schema");
        let url = format!("{server}?options=-c%20search_path%3D{schema}");
        let pool = PgPool::connect(&url).await.expect("connects");
        if version > 0 {
            migrator(&MIGRATIONS[..1], pg).run(&pool).await.expect("version 1");
            let rows = AssertSqlSafe(spelled(OLD_ROWS, pg));
            sqlx::raw_sql(rows).execute(&pool).await.expect("rows of version 1");
            migrator(&MIGRATIONS[..version], pg).run(&pool).await.expect("an older version");
        }
        let config = StoreConfig::new(Place::Postgres(Secret::new(url)));
        let store = Store::open(&config, Timestamp::EPOCH).await.expect("migrates");
        if version > 0 {
            check(&store).await;
        }
        store.close().await;
        let lines = sqlx::query(SCHEMA_PG).fetch_all(&pool).await.expect("a schema");
        schemas.push(lines.iter().map(|row| row.get::<String, _>(0)).collect::<Vec<_>>());
        pool.close().await;
        let drop = format!("DROP SCHEMA {schema} CASCADE");
        sqlx::raw_sql(AssertSqlSafe(drop)).execute(&admin).await.expect("drops the schema");
    }
    assert!(schemas[0].len() > 100);
    for older in &schemas[..schemas.len() - 1] {
        assert_eq!(Some(older), schemas.last());
    }
}

/// Everything is there, in the form the program now expects.
async fn check(store: &Store) {
    let mira = UserId(1);
    assert_eq!(store.integrity_check().await.expect("checks"), Vec::<String>::new());
    let account = store.account(mira).await.expect("reads").expect("an account");
    assert_eq!((account.disabled, account.preferences), (false, domain::Preferences::default()));
    let tokens = store.tokens(mira).await.expect("reads");
    assert_eq!(tokens.iter().map(|token| token.label.as_str()).collect::<Vec<_>>(), ["tablet", "phone"]);
    let hash = *b"0123456789abcdef0123456789abcdef";
    assert!(store.user_by_token(hash).await.expect("reads").is_some());
    let row = store.subscription(mira, FeedId(1)).await.expect("reads").expect("a subscription");
    assert_eq!(
        (row.subscription.unread, row.subscription.paused, row.subscription.full_text),
        (2, false, false)
    );
    let health = row.health;
    assert_eq!((health.failures, health.failing_since), (3, Some(Timestamp::from_micros(70))));
    assert_eq!(health.last_success_at, Some(Timestamp::from_micros(60)));
    assert_eq!(
        (health.last_outcome, health.last_error.as_deref()),
        (Some(PollOutcome::Failed), Some("It did not answer."))
    );
    let query = |scope| crate::ListQuery {
        scope,
        unread_only: false,
        order: crate::Order::OldestFirst,
        limit: 10,
        after: None,
    };
    let ids = |rows: Vec<crate::ListRow>| rows.into_iter().map(|row| row.item.id).collect::<Vec<_>>();
    let shown = store.list(mira, &query(crate::Scope::All)).await.expect("lists");
    assert_eq!(ids(shown), [ItemId(1), ItemId(4)]);
    let hidden = store.list(mira, &query(crate::Scope::Hidden)).await.expect("lists");
    assert_eq!(ids(hidden), [ItemId(2), ItemId(3)]);
    // What follows items begins at the beginning.
    let page = store.items_after(ItemId(0), 10).await.expect("follows");
    assert_eq!((page.items.len(), page.to, page.more), (5, ItemId(5), false));
    assert_eq!(store.learned_to().await.expect("reads"), ItemId(0));
    assert!(!store.item_changes_after(0, 10).await.expect("follows").missed);
    // The undo of version 1 still works, and makes no hidden item unread.
    assert_eq!(store.undo(mira, crate::UndoToken(1)).await.expect("undoes"), 0);
    assert_eq!(store.integrity_check().await.expect("checks"), Vec::<String>::new());
}
