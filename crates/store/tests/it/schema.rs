//! Migrations, and what happens to databases of other versions.

use crate::stage::*;
use sqlx::Connection;
use store::{Place, Store, StoreConfig, StoreError};

#[test]
fn opening_twice_changes_nothing() {
    on_both(|mut stage| async move {
        let user = stage.user("mira").await;
        stage.subscribe(user, "https://a.example/feed").await;
        for _ in 0..3 {
            stage.reopen().await;
        }
        assert_eq!(stage.store.subscriptions(user).await.unwrap().len(), 1);
        stage.assert_sound().await;
    });
}

#[cfg(unix)]
#[test]
fn o8_the_database_and_its_log_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let stage = sqlite().await;
        stage.user("mira").await;
        let Place::Sqlite(path) = &stage.config.place else { unreachable!() };
        for end in ["", "-wal", "-shm"] {
            let file = format!("{}{end}", path.display());
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}");
        }
    });
}

const NEWER: &str = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
    SELECT 9999, 'from the future', success, checksum, execution_time FROM _sqlx_migrations LIMIT 1";

#[test]
fn promise_7_a_database_of_a_newer_program_is_refused_politely_and_left_alone() {
    on_both(|stage| async move {
        stage.user("mira").await;
        stage.store.close().await;
        match &stage.config.place {
            Place::Sqlite(path) => {
                let mut db =
                    sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
                sqlx::query(NEWER).execute(&mut db).await.unwrap();
                db.close().await.unwrap();
            }
            Place::Postgres(url) => {
                let mut db = sqlx::PgConnection::connect(url.reveal()).await.unwrap();
                sqlx::query(NEWER).execute(&mut db).await.unwrap();
                db.close().await.unwrap();
            }
            Place::SqliteMemory => unreachable!(),
        }
        let refused = Store::open(&stage.config, at(0)).await.err().unwrap();
        assert!(matches!(refused, StoreError::NewerSchema { found: 9_999, known: 6 }), "{refused:?}");
        assert!(refused.to_string().contains("newer program"), "{refused}");
    });
}

#[test]
fn a_place_that_cannot_be_opened_is_an_error_with_a_sentence() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let config = StoreConfig::new(Place::Sqlite("/nowhere/at/all/wellread.db".into()));
        let refused = Store::open(&config, at(0)).await.err().unwrap();
        assert!(refused.to_string().contains("/nowhere/at/all"), "{refused}");
        let secret = "postgres://me:hunter2@127.0.0.1:1/none";
        let config = StoreConfig::new(Place::Postgres(domain::Secret::new(secret)));
        let refused = Store::open(&config, at(0)).await.err().unwrap();
        assert!(!format!("{refused:?} {refused}").contains("hunter2"), "passwords stay out of errors");
    });
}

#[test]
fn a_store_in_memory_works_like_the_others() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let config = StoreConfig { durable: false, ..StoreConfig::new(Place::SqliteMemory) };
        let store = Store::open(&config, at(0)).await.unwrap();
        let user = store.add_user("mira", None, false, at(0)).await.unwrap();
        let feed = store.subscribe(user, &wish("https://a.example/f"), at(0), at(0)).await.unwrap().feed;
        let leased = store.lease_due(at(1), 10, LEASE, SPACING, NODE).await.unwrap();
        store.commit_poll(commit(&leased[0], at(1), vec![new_item(1)])).await.unwrap();
        assert_eq!(store.counts(user).await.unwrap().by_feed, [(feed, 1)]);
        assert!(store.integrity_check().await.unwrap().is_empty());
        store.close().await;
        assert!(matches!(store.users().await, Err(StoreError::Unavailable { .. })));
    });
}
