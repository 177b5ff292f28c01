//! Accounts, sessions, tokens, wrong passwords: who may come in, and who may no longer.

use crate::stage::*;
use domain::preferences::Theme;
use domain::{Preferences, SessionId, UserId};
use store::{LoginFailures, Mark, Store, StoreError};

fn later(seconds: i64) -> domain::Timestamp {
    at(1_000 + seconds)
}

#[test]
fn the_first_administrator_is_made_once() {
    on_both(|stage| async move {
        let store = &stage.store;
        store.add_user("noor", None, false, at(0)).await.unwrap();
        let taken = store.add_first_admin("noor", "hash", at(0)).await.unwrap_err();
        assert!(matches!(taken, StoreError::Conflict { .. }), "{taken}");
        assert!(store.add_first_admin("  ", "hash", at(0)).await.is_err());
        let mira = store.add_first_admin(" mira ", "hash", at(0)).await.unwrap().unwrap();
        let account = store.account(mira).await.unwrap().unwrap();
        assert_eq!(
            (account.user.name.as_str(), account.user.is_admin, account.disabled),
            ("mira", true, false)
        );
        assert_eq!(store.add_first_admin("eve", "hash", at(0)).await.unwrap(), None);
        assert_eq!(store.users().await.unwrap().len(), 2);
    });
}

#[test]
fn of_two_nodes_asked_at_once_one_makes_the_first_administrator() {
    on_both(|stage| async move {
        let other = match stage.config.place {
            store::Place::Postgres(_) => Store::open(&stage.config, at(0)).await.unwrap(),
            _ => stage.store.clone(),
        };
        let mut asking = Vec::new();
        for n in 0..16 {
            let store = if n % 2 == 0 { stage.store.clone() } else { other.clone() };
            asking.push(tokio::spawn(async move {
                store.add_first_admin(&format!("admin{n}"), "hash", at(n)).await.unwrap()
            }));
        }
        let mut made = 0;
        for task in asking {
            made += usize::from(task.await.unwrap().is_some());
        }
        assert_eq!(made, 1);
        assert_eq!(stage.store.users().await.unwrap().len(), 1);
        if matches!(stage.config.place, store::Place::Postgres(_)) {
            other.close().await;
        }
    });
}

#[test]
fn there_is_always_an_administrator_who_can_sign_in() {
    on_both(|stage| async move {
        let store = &stage.store;
        let mira = store.add_first_admin("mira", "hash", at(0)).await.unwrap().unwrap();
        let noor = stage.user("noor").await;
        let refused =
            |error: StoreError| matches!(&error, StoreError::Conflict { what } if what.contains("last"));
        assert!(refused(store.set_admin(mira, false).await.unwrap_err()));
        assert!(refused(store.set_disabled(mira, true).await.unwrap_err()));
        assert!(refused(store.remove_user(mira, at(500)).await.unwrap_err()));
        store.set_admin(noor, true).await.unwrap();
        store.set_disabled(noor, true).await.unwrap();
        assert!(refused(store.set_admin(mira, false).await.unwrap_err()), "a disabled one does not count");
        store.set_disabled(noor, false).await.unwrap();
        store.set_admin(mira, false).await.unwrap();
        assert!(refused(store.remove_user(noor, at(500)).await.unwrap_err()));
        store.remove_user(mira, at(500)).await.unwrap();
        for nobody in [UserId(999), UserId(0), mira] {
            assert!(matches!(store.remove_user(nobody, at(500)).await, Err(StoreError::NotFound { .. })));
            assert!(matches!(store.set_admin(nobody, true).await, Err(StoreError::NotFound { .. })));
            assert!(matches!(store.set_disabled(nobody, true).await, Err(StoreError::NotFound { .. })));
        }
    });
}

#[test]
fn two_administrators_cannot_demote_each_other_at_once() {
    on_both(|stage| async move {
        let store = &stage.store;
        for round in 0..10 {
            let one = store.add_user(&format!("a{round}"), None, true, at(0)).await.unwrap();
            let two = store.add_user(&format!("b{round}"), None, true, at(0)).await.unwrap();
            let (first, second) = (store.clone(), store.clone());
            let one = tokio::spawn(async move { first.set_admin(one, false).await.is_ok() });
            let two = tokio::spawn(async move { second.set_disabled(two, true).await.is_ok() });
            let _ = (one.await.unwrap(), two.await.unwrap());
            let able = store.user_overview().await.unwrap();
            let able = able.iter().filter(|o| o.account.user.is_admin && !o.account.disabled).count();
            assert!(able >= 1, "round {round}");
        }
    });
}

#[test]
fn names_and_preferences_are_kept() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (mira, _noor) = (stage.user("mira").await, stage.user("noor").await);
        assert_eq!(store.account(mira).await.unwrap().unwrap().preferences, Preferences::default());
        let dark = Preferences {
            theme: Theme::Dark,
            time_zone: Some("Europe/Berlin".into()),
            ..Preferences::default()
        };
        store.set_preferences(mira, &dark).await.unwrap();
        assert_eq!(store.account(mira).await.unwrap().unwrap().preferences, dark);
        assert!(matches!(store.rename_user(mira, "noor").await, Err(StoreError::Conflict { .. })));
        assert!(matches!(store.rename_user(mira, " \0 ").await, Err(StoreError::Conflict { .. })));
        store.rename_user(mira, "mira").await.unwrap();
        store.rename_user(mira, "Mira B.").await.unwrap();
        assert_eq!(store.user_by_name("Mira B.").await.unwrap().unwrap().id, mira);
        assert!(store.account(UserId(999)).await.unwrap().is_none());
        assert!(matches!(store.set_preferences(UserId(999), &dark).await, Err(StoreError::NotFound { .. })));
    });
}

#[test]
fn a2_a_session_is_known_by_its_hash_until_it_ends() {
    on_both(|stage| async move {
        let store = &stage.store;
        let mira = stage.user("mira").await;
        let long = "x".repeat(5_000);
        let id = store.add_session(mira, [1; 32], "Firefox\0", &long, at(0), at(100)).await.unwrap();
        let (session, account) = store.session([1; 32], at(99)).await.unwrap().unwrap();
        assert_eq!((session.id, session.user, account.user.id), (id, mira, mira));
        assert_eq!((session.label.as_str(), session.address.len()), ("Firefox", 200));
        assert!(store.session([2; 32], at(0)).await.unwrap().is_none());
        assert!(store.session([1; 32], at(100)).await.unwrap().is_none(), "it has ended");
        store.touch_session(id, at(90), at(190)).await.unwrap();
        let (session, _) = store.session([1; 32], at(100)).await.unwrap().unwrap();
        assert_eq!((session.last_seen_at, session.ends_at), (at(90), at(190)));
        assert!(store.end_session(mira, id).await.unwrap());
        assert!(!store.end_session(mira, id).await.unwrap());
        assert!(store.session([1; 32], at(100)).await.unwrap().is_none());
    });
}

#[test]
fn a2_a_disabled_persons_sessions_and_tokens_are_dead_at_once() {
    on_both(|stage| async move {
        let store = &stage.store;
        let mira = stage.user("mira").await;
        store.add_session(mira, [1; 32], "", "", at(0), at(100)).await.unwrap();
        store.add_token(mira, "phone", [7; 32], at(0)).await.unwrap();
        store.set_disabled(mira, true).await.unwrap();
        assert!(store.session([1; 32], at(1)).await.unwrap().is_none());
        assert!(store.user_by_token([7; 32]).await.unwrap().is_none());
        let refused = store.add_session(mira, [2; 32], "", "", at(1), at(100)).await;
        assert!(matches!(refused, Err(StoreError::NotFound { .. })));
        store.set_disabled(mira, false).await.unwrap();
        assert!(store.session([1; 32], at(1)).await.unwrap().is_none(), "sessions do not come back");
        assert!(store.user_by_token([7; 32]).await.unwrap().is_some());
    });
}

#[test]
fn a_person_has_fifty_sessions_at_most_and_can_end_all_others() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        store.add_session(noor, [255; 32], "", "", at(0), at(1_000)).await.unwrap();
        let mut newest = SessionId(0);
        for n in 0..60u8 {
            newest = store.add_session(mira, [n; 32], "", "", later(n.into()), at(9_000)).await.unwrap();
        }
        let sessions = store.sessions(mira, at(0)).await.unwrap();
        assert_eq!(sessions.len(), 50);
        assert_eq!(sessions[0].id, newest, "last seen first");
        assert!(store.session([9; 32], at(0)).await.unwrap().is_none());
        assert!(store.session([10; 32], at(0)).await.unwrap().is_some());
        assert_eq!(store.end_other_sessions(mira, Some(newest)).await.unwrap(), 49);
        assert_eq!(store.end_other_sessions(mira, None).await.unwrap(), 1);
        assert!(store.session([255; 32], at(0)).await.unwrap().is_some(), "noor's is not mira's");
    });
}

#[test]
fn wrong_passwords_are_counted_by_key_and_forgotten_after_a_day() {
    on_both(|stage| async move {
        let store = &stage.store;
        let keys = ["name:mira".to_owned(), "address:192.0.2.1".to_owned()];
        assert_eq!(store.login_failures(&keys, at(0)).await.unwrap(), [LoginFailures::NONE; 2]);
        for n in 0..3 {
            store.record_login_failure(&keys[..1], at(n)).await.unwrap();
        }
        store.record_login_failure(&keys, at(3)).await.unwrap();
        let counted = store.login_failures(&keys, at(3)).await.unwrap();
        assert_eq!(counted[0], LoginFailures { count: 4, last_at: at(3) });
        assert_eq!(counted[1], LoginFailures { count: 1, last_at: at(3) });
        let day = 86_400;
        assert_eq!(store.login_failures(&keys, at(day + 4)).await.unwrap(), [LoginFailures::NONE; 2]);
        store.record_login_failure(&keys[..1], at(day + 5)).await.unwrap();
        assert_eq!(store.login_failures(&keys, at(day + 5)).await.unwrap()[0].count, 1, "a new day");
        store.clear_login_failures(&keys).await.unwrap();
        assert_eq!(store.login_failures(&keys, at(day + 5)).await.unwrap()[0], LoginFailures::NONE);
    });
}

#[test]
fn tokens_have_numbers_and_a_last_use_to_the_hour() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        store.add_token(mira, "phone", [1; 32], at(0)).await.unwrap();
        store.add_token(mira, "tablet", [2; 32], at(1)).await.unwrap();
        let tokens = store.tokens(mira).await.unwrap();
        assert_eq!(tokens.iter().map(|t| t.label.as_str()).collect::<Vec<_>>(), ["phone", "tablet"]);
        assert_eq!(tokens[0].last_used_at, None);
        for seconds in [10, 20, 3_000, 4_000] {
            store.touch_token([1; 32], at(seconds)).await.unwrap();
        }
        assert_eq!(store.tokens(mira).await.unwrap()[0].last_used_at, Some(at(4_000)));
        store.touch_token([1; 32], at(4_100)).await.unwrap();
        assert_eq!(store.tokens(mira).await.unwrap()[0].last_used_at, Some(at(4_000)));
        assert!(!store.remove_token(noor, tokens[0].id).await.unwrap());
        assert!(store.remove_token(mira, tokens[0].id).await.unwrap());
        assert!(store.user_by_token([1; 32]).await.unwrap().is_none());
        assert!(store.user_by_token([2; 32]).await.unwrap().is_some());
    });
}

#[test]
fn pruning_forgets_what_was_only_for_a_while_and_nothing_else() {
    on_both(|stage| async move {
        let store = &stage.store;
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        let kept = stage.subscribe(mira, "https://b.example/feed").await;
        store.add_session(mira, [1; 32], "", "", at(0), at(100)).await.unwrap();
        store.add_session(mira, [2; 32], "", "", at(0), at(9_000_000)).await.unwrap();
        store.record_login_failure(&["x".into()], at(0)).await.unwrap();
        let token = store.unsubscribe(mira, feed, at(0)).await.unwrap().unwrap();
        assert_eq!(store.prune(at(50)).await.unwrap(), 0);
        assert_eq!(store.prune(at(3_700)).await.unwrap(), 2, "a session and an undo");
        assert!(matches!(store.undo(mira, token).await, Err(StoreError::NotFound { .. })));
        assert_eq!(store.prune(at(90_000)).await.unwrap(), 1, "wrong passwords");
        assert_eq!(store.sessions(mira, at(0)).await.unwrap().len(), 1);
        assert!(store.subscription(mira, kept).await.unwrap().is_some());
        assert_eq!(store.prune(at(90_000)).await.unwrap(), 0);
    });
}

#[test]
fn a6_removing_a_person_leaves_nothing_of_theirs_and_everything_of_others() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (noor, mira) = (stage.user("noor").await, stage.user("mira").await);
        let shared = stage.subscribe(mira, "https://a.example/feed").await;
        let alone = stage.subscribe(mira, "https://b.example/feed").await;
        stage.subscribe(noor, "https://a.example/feed").await;
        let mut secret = wish("https://c.example/feed");
        (secret.private, secret.sealed) = (true, Some(vec![1, 2, 3]));
        let private = store.subscribe(mira, &secret, at(0), at(0)).await.unwrap().feed;
        let items = stage.poll(shared, at(10), (1..=5).map(new_item).collect()).await.new_items;
        stage.poll(alone, at(10), (1..=5).map(new_item).collect()).await;
        let own = stage.poll(private, at(10), (1..=5).map(new_item).collect()).await.new_items;
        for mark in [Mark::Star, Mark::Tag("t".into()), Mark::Hide] {
            store.mark(mira, &items[..2], &mark, at(20)).await.unwrap();
            store.mark(mira, &own[..2], &mark, at(20)).await.unwrap();
            store.mark(noor, &items[4..], &mark, at(20)).await.unwrap();
        }
        store.set_media_position(mira, items[0], 0, 3.5, at(20)).await.unwrap();
        store.add_session(mira, [1; 32], "", "", at(0), at(100)).await.unwrap();
        store.add_token(mira, "", [1; 32], at(0)).await.unwrap();
        let dir = tempfile::tempdir().unwrap();
        store.remove_user(mira, at(500)).await.unwrap();
        store.backup(&dir.path().join("archive"), at(30)).await.unwrap();
        let text =
            zstd::stream::decode_all(std::fs::File::open(dir.path().join("archive")).unwrap()).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.contains(&format!("\"user_id\":{mira},")), "{text}");
        assert!(!text.contains("c.example/feed"), "a private feed goes with its owner");
        assert!(store.feed(private).await.unwrap().is_none());
        assert!(store.session([1; 32], at(1)).await.unwrap().is_none());
        assert_eq!(stage.unread(noor).await, 4);
        assert_eq!(store.starred_count(noor).await.unwrap(), 1);
        assert_eq!(store.feed_schedule(alone).await.unwrap().unwrap().subscribers, 0);
        assert_eq!(store.feed_schedule(shared).await.unwrap().unwrap().subscribers, 1);
        stage.assert_sound().await;
        // A number used again finds nothing of the one before.
        let eve = stage.user("eve").await;
        assert!(store.subscriptions(eve).await.unwrap().is_empty());
    });
}

#[test]
fn the_overview_counts_what_each_person_has() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.poll(feed, at(10), (1..=5).map(new_item).collect()).await;
        store.add_session(mira, [1; 32], "", "", at(50), at(100)).await.unwrap();
        let visit = domain::interaction::Access { user: mira, at: at(70), feed: None };
        store.record_access(&visit).await.unwrap();
        let overview = store.user_overview().await.unwrap();
        assert_eq!(overview.iter().map(|o| o.account.user.id).collect::<Vec<_>>(), [mira, noor]);
        let counts = |n: usize| (overview[n].subscriptions, overview[n].unread, overview[n].sessions);
        assert_eq!((counts(0), counts(1)), ((1, 5, 1), (0, 0, 0)));
        assert_eq!((overview[0].last_seen_at, overview[1].last_seen_at), (Some(at(70)), None));
    });
}
