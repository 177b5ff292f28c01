//! Backup and restore, from and into either database.

use crate::stage::*;
use domain::{FeedId, UserId};
use std::path::Path;
use std::time::Duration;
use store::{Mark, Scope, SecretKey, Store, StoreError, UpTo};

const PASSWORD: &str = "correct horse battery staple";

/// A store with something in every table.
async fn fill(stage: &Stage) -> (UserId, FeedId) {
    let store = &stage.store;
    let user = store.add_user("mira", Some("hash"), true, at(0)).await.unwrap();
    store.add_token(user, "phone", [7; 32], at(0)).await.unwrap();
    store.set_setting("theme", Some("dark")).await.unwrap();
    let secrets = domain::secret::FeedSecrets {
        password: Some(domain::Secret::new(PASSWORD)),
        ..domain::secret::FeedSecrets::default()
    };
    let mut private = wish("https://b.example/feed");
    private.private = true;
    private.sealed = Some(SecretKey::from_bytes([1; 32]).seal(&secrets, "https://b.example/feed").unwrap());
    private.subscription.folder = vec!["Folder".into()];
    store.subscribe(user, &private, at(0), at(0)).await.unwrap();
    let feed = stage.subscribe(user, "https://a.example/feed").await;
    let items = stage.poll(feed, at(100), (1..=40).map(new_item).collect()).await.new_items;
    store.mark(user, &items[..10], &Mark::Read, at(200)).await.unwrap();
    store.mark(user, &items[10..12], &Mark::Star, at(200)).await.unwrap();
    store.mark(user, &items[12..13], &Mark::Tag("t".into()), at(200)).await.unwrap();
    let hide = domain::interaction::Interaction {
        user,
        item: items[20],
        kind: domain::interaction::InteractionKind::Hide,
        at: at(201),
        place: "newest".into(),
        position: None,
        dwell_ms: None,
    };
    store.record_interactions(&[hide]).await.unwrap();
    store.record_access(&domain::interaction::Access { user, at: at(202), feed: Some(feed) }).await.unwrap();
    store.add_saved_search(user, "Bees", "bees", items[3], at(203)).await.unwrap();
    let friend = stage.user("friend").await;
    store.ask_to_follow(friend, "mira", at(204)).await.unwrap();
    let request = store.friends(user, at(204)).await.unwrap().waiting[0].id;
    store.answer_request(user, request, true, at(204)).await.unwrap();
    store.ask_to_follow(user, "nobody", at(205)).await.unwrap();
    store.share(user, items[3], "look", at(205)).await.unwrap();
    store.set_share_address(user, [9; 32], at(205)).await.unwrap();
    store.set_counts_opens(user, false).await.unwrap();
    store.start_trial(user, "wellread", "newest", u64::MAX, at(206)).await.unwrap();
    let click = store::TrialClick { item: items[3], list_at: at(207), is_others: true };
    store.count_in_trial(user, &[click]).await.unwrap();
    let tells = |item| store::StoryItem { item, story: items[0], why: store::StoryTie::Link };
    let learned = store::Learned {
        from: domain::ItemId(0),
        to: items[39],
        profiles: vec![store::FeedProfileRow {
            feed,
            learned_to: items[39],
            newest_at: at(40),
            state: vec![1],
            latest: vec![2],
            general: vec![],
            change: Some(0.5),
            cohesion: None,
            worth: 1.0,
            language: None,
        }],
        stories: vec![tells(items[0]), tells(items[1])],
        terms: vec![store::ItemTerms { item: items[0], terms: vec![1; 10], surfaces: "tide".into() }],
        model: Some(("frequencies".into(), vec![3; 9])),
    };
    assert!(store.keep_learned(learned).await.unwrap());
    let taste = store::TasteRow { state: vec![7; 3], learned_to: 1, ..store::TasteRow::default() };
    assert!(store.keep_taste(user, &taste).await.unwrap());
    (user, feed)
}

async fn assert_same(stage: &Stage, user: UserId, feed: FeedId) {
    assert_eq!(stage.store.user_by_token([7; 32]).await.unwrap().unwrap().id, user);
    assert_eq!(stage.unread(user).await, 29);
    assert_eq!(stage.titles(user, Scope::Feed(feed), false).await.len(), 39);
    assert_eq!(stage.titles(user, Scope::Starred, false).await, ["item 12", "item 11"]);
    assert_eq!(stage.store.setting("theme").await.unwrap().as_deref(), Some("dark"));
    let searches = stage.store.saved_searches(user).await.unwrap();
    let profile = stage.store.feed_profile(user, feed).await.unwrap();
    let friends = stage.store.friends(user, at(300)).await.unwrap();
    if !friends.followers.is_empty() {
        assert_eq!(
            (friends.followers[0].name.as_str(), friends.asked[0].name.as_str()),
            ("friend", "nobody")
        );
        let (owner, shared) = stage.store.shared_at_address([9; 32], 9).await.unwrap().unwrap();
        assert_eq!((owner.id, shared[0].note.as_str()), (user, "look"));
        assert!(!stage.store.counts_opens(user).await.unwrap());
        assert_eq!(stage.store.trial(user).await.unwrap().unwrap().seed, u64::MAX);
        assert_eq!(stage.store.trial_lists(user).await.unwrap(), [(0, 1)]);
    }
    if !searches.is_empty() || profile.is_some() {
        assert_eq!((searches[0].query.as_str(), profile.unwrap().change), ("bees", Some(0.5)));
        assert_eq!(stage.store.learned_to().await.unwrap(), stage.store.newest_item().await.unwrap());
        assert_eq!(stage.store.model("frequencies").await.unwrap().unwrap().state, [3; 9]);
        assert_eq!(stage.store.taste(user).await.unwrap().unwrap().state, [7; 3]);
        // Revisions go on behind the restored ones.
        let known = stage.store.channels_after(0, 9).await.unwrap();
        assert_eq!(known.len(), 1);
    }
    stage.assert_sound().await;
}

/// The database the other half of the suite runs on, so that archives cross over.
async fn another(stage: &Stage) -> Stage {
    match stage.config.place {
        store::Place::Postgres(_) => sqlite().await,
        _ => match postgres().await {
            Some(postgres) => postgres,
            None => sqlite().await,
        },
    }
}

#[test]
fn an_archive_moves_everything_to_the_other_database_and_back() {
    on_both(|stage| async move {
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (dir.path().join("first"), dir.path().join("second"));
        let (user, feed) = fill(&stage).await;
        let made = stage.store.backup(&first, at(300)).await.unwrap();
        let other = another(&stage).await;
        assert_eq!(other.store.restore(&first).await.unwrap(), made);
        assert_same(&other, user, feed).await;
        // The check sum covers every row, so equal sums mean equal stores.
        assert_eq!(other.store.backup(&second, at(300)).await.unwrap().sha256, made.sha256);
        // New rows continue behind the restored ones, and what was known stays known.
        assert_eq!(other.poll(feed, at(10_000), vec![new_item(1), new_item(41)]).await.new_items.len(), 1);
        other.user("noor").await;
        other.subscribe(user, "https://c.example/feed").await;
        other.assert_sound().await;
        other.store.close().await;
    });
}

/// What version 1 would have written: without the tables and columns that came later.
fn as_version_1(archive: &str) -> String {
    use sha2::Digest;
    const TABLES: [&str; 19] = [
        "feed_icon",
        "full_text",
        "media_position",
        "rule",
        "opml_import",
        "feed_day",
        "habit",
        "feed_profile",
        "model",
        "story_item",
        "saved_search",
        "item_terms",
        "taste",
        "friend_request",
        "friend",
        "share",
        "share_address",
        "trial",
        "trial_click",
    ];
    const COLUMNS: [(&str, &[&str]); 6] = [
        ("user_account", &["disabled", "preferences", "uncounted"]),
        ("api_token", &["last_used_at"]),
        (
            "schedule",
            &[
                "failures",
                "failing_since",
                "last_success_at",
                "milliposts_per_day",
                "last_outcome",
                "last_error",
                "icon_at",
                "demand",
                "fixed_polls",
                "attention",
            ],
        ),
        ("item", &["excerpt", "picture", "words", "playable"]),
        ("subscription", &["paused", "full_text", "important"]),
        ("hidden_item", &["feed_id", "sort_at", "rule_id", "was_unread"]),
    ];
    let (mut text, mut table, mut rows) = (String::new(), String::new(), 0);
    let count = archive.lines().count();
    for (n, line) in archive.lines().take(count - 1).enumerate() {
        let mut row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        if n == 0 {
            row.insert("schema".into(), 1.into());
        } else if let Some(name) = row.get("table") {
            table = name.as_str().unwrap().to_owned();
        }
        if TABLES.contains(&table.as_str()) {
            continue;
        }
        for column in COLUMNS.iter().filter(|(name, _)| *name == table).flat_map(|(_, columns)| *columns) {
            row.remove(*column);
        }
        rows += u64::from(n > 0 && !row.contains_key("table") && !row.contains_key("end"));
        text.push_str(&serde_json::Value::from(row).to_string());
        text.push('\n');
    }
    let sum: String =
        sha2::Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{text}{}\n", serde_json::json!({ "rows": rows, "sha256": sum }))
}

#[test]
fn an_archive_of_the_former_version_still_restores() {
    on_both(|stage| async move {
        let dir = tempfile::tempdir().unwrap();
        let (now, old) = (dir.path().join("now"), dir.path().join("old"));
        let (user, feed) = fill(&stage).await;
        stage.store.backup(&now, at(300)).await.unwrap();
        let text = zstd::stream::decode_all(std::fs::File::open(&now).unwrap()).unwrap();
        let older = as_version_1(&String::from_utf8(text).unwrap());
        assert!(!older.contains("was_unread"));
        std::fs::write(&old, zstd::stream::encode_all(older.as_bytes(), 1).unwrap()).unwrap();
        let other = another(&stage).await;
        other.store.restore(&old).await.unwrap();
        assert_same(&other, user, feed).await;
        let health = other.store.subscription(user, feed).await.unwrap().unwrap().health;
        assert_eq!(health.last_outcome, Some(domain::PollOutcome::Fresh));
        assert_eq!(other.titles(user, Scope::Hidden, false).await, ["item 21"]);
        other.store.close().await;
    });
}

#[test]
fn a2_sessions_stay_out_of_a_backup_and_the_rest_of_a_persons_things_are_in_it() {
    on_both(|stage| async move {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("archive");
        let (user, feed) = fill(&stage).await;
        let store = &stage.store;
        store.add_session(user, [42; 32], "Browser of the day", "", at(0), at(9_999)).await.unwrap();
        store.record_login_failure(&["name:somebody".into()], at(0)).await.unwrap();
        let order = domain::RuleOrder {
            scope: domain::RuleScope::Feed(feed),
            conditions: vec![],
            action: domain::RuleAction::Star,
        };
        let rule = store.add_rule(user, &order, at(0)).await.unwrap();
        let complaints = ["The file ends early.".to_owned()];
        let brought =
            store::NewImport { name: "feeds.opml", feeds: &[feed], left_out: 1, complaints: &complaints };
        let import = store.add_import(user, &brought, at(0)).await.unwrap();
        let item = store.newest_item().await.unwrap();
        let text =
            store::FullText { fetched_at: at(1), html: Some("<p>".into()), sentence: None, title: None };
        store.keep_full_text(item, &text).await.unwrap();
        store.set_media_position(user, item, 1, 2.5, at(1)).await.unwrap();
        let icon = store::Icon { kind: "image/png".into(), bytes: vec![0, 255], version: u64::MAX };
        let found = store::IconFound { icon: Some(icon.clone()), ..store::IconFound::default() };
        store.keep_icon(feed, found, at(1)).await.unwrap();
        let dark = domain::Preferences { hide_read: true, ..domain::Preferences::default() };
        store.set_preferences(user, &dark).await.unwrap();
        let paused = store::SubscriptionEdit { paused: Some(true), ..store::SubscriptionEdit::default() };
        store.edit_subscription(user, feed, &paused).await.unwrap();
        store.backup(&path, at(300)).await.unwrap();
        let lines = zstd::stream::decode_all(std::fs::File::open(&path).unwrap()).unwrap();
        let lines = String::from_utf8(lines).unwrap();
        for absent in ["Browser of the day", "name:somebody", &"2a".repeat(32)] {
            assert!(!lines.contains(absent), "{absent}");
        }
        let other = another(&stage).await;
        other.store.restore(&path).await.unwrap();
        let store = &other.store;
        assert!(store.session([42; 32], at(1)).await.unwrap().is_none());
        assert_eq!(store.rules(user).await.unwrap()[0].id, rule);
        assert!(store.add_rule(user, &order, at(2)).await.unwrap() > rule);
        assert_eq!(store.import(user, import).await.unwrap().unwrap().left_out, 1);
        assert_eq!(store.full_text(item).await.unwrap(), Some(text));
        assert_eq!(store.media_position(user, item).await.unwrap(), [(1, 2.5)]);
        assert_eq!(store.icon(feed).await.unwrap(), Some(icon));
        assert_eq!(store.account(user).await.unwrap().unwrap().preferences, dark);
        assert!(store.subscription(user, feed).await.unwrap().unwrap().subscription.paused);
        assert_eq!(store.tokens(user).await.unwrap().len(), 1);
        other.assert_sound().await;
        store.close().await;
    });
}

#[test]
fn o8_a_backup_holds_no_password_and_is_for_its_owner_only() {
    on_both(|stage| async move {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("archive");
        fill(&stage).await;
        stage.store.backup(&path, at(300)).await.unwrap();
        let text = zstd::stream::decode_all(std::fs::File::open(&path).unwrap()).unwrap();
        for secret in [PASSWORD.as_bytes(), hex(PASSWORD).as_bytes()] {
            assert!(!text.windows(secret.len()).any(|window| window == secret));
        }
        assert!(
            String::from_utf8(text).unwrap().lines().next().unwrap().contains("secret.key"),
            "it says so"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    });
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_damaged_foreign_cut_or_newer_archive_is_refused_and_nothing_is_stored() {
    on_both(|stage| async move {
        let dir = tempfile::tempdir().unwrap();
        let good = dir.path().join("good");
        fill(&stage).await;
        stage.store.backup(&good, at(300)).await.unwrap();
        let other = another(&stage).await;
        let bytes = std::fs::read(&good).unwrap();
        let lines = String::from_utf8(zstd::stream::decode_all(&bytes[..]).unwrap()).unwrap();
        let pack = |text: &str| zstd::stream::encode_all(text.as_bytes(), 1).unwrap();
        let newer = lines.replacen("\"version\":1", "\"version\":2", 1);
        let newer_schema = lines.replacen("\"schema\":8", "\"schema\":999", 1);
        let bad = [
            ("newer", pack(&newer)),
            ("newer", pack(&newer_schema)),
            ("damaged", pack(&lines.replacen("item 17", "item 71", 1))),
            ("damaged", pack(&lines.lines().take(30).map(|line| format!("{line}\n")).collect::<String>())),
            ("damaged", pack(&lines.replacen("\"is_admin\":true", "\"is_admin\":\"yes\"", 1))),
            ("damaged", pack(&lines.replacen("\"is_admin\"", "\"is_god\"", 1))),
            ("damaged", pack(&format!("{lines}{{}}\n"))),
            ("damaged", bytes[..bytes.len() / 2].to_vec()),
            ("no archive", pack("{\"format\":\"something else\"}\n")),
            ("no archive", b"<?xml version='1.0'?><opml/>".to_vec()),
            ("no archive", Vec::new()),
        ];
        for (n, (why, bytes)) in bad.iter().enumerate() {
            let path = dir.path().join("bad");
            std::fs::write(&path, bytes).unwrap();
            let refused = other.store.restore(&path).await.unwrap_err();
            assert!(matches!(refused, StoreError::Archive(_)), "{n}: {refused:?}");
            assert!(refused.to_string().contains(why), "{n}: {refused}");
            assert!(other.store.users().await.unwrap().is_empty());
        }
        assert!(other.store.restore(Path::new("/nowhere/at/all")).await.is_err());
        other.store.restore(&good).await.unwrap();
        let again = other.store.restore(&good).await.unwrap_err();
        assert!(again.to_string().contains("not empty"), "{again}");
        other.store.close().await;
    });
}

#[test]
fn a_backup_made_under_load_is_one_moment() {
    on_both(|stage| async move {
        let dir = tempfile::tempdir().unwrap();
        let (user, feed) = fill(&stage).await;
        let busy = stage.store.clone();
        let work = tokio::spawn(async move {
            for round in 0..200u64 {
                let now = at(100_000 + round as i64 * 100);
                let leased = busy.lease_feed(feed, now, LEASE, Duration::ZERO, NODE).await.unwrap().unwrap();
                let items = (0..5).map(|n| new_item(1_000 + round * 10 + n)).collect();
                let done = busy.commit_poll(commit(&leased, now, items)).await.unwrap();
                busy.mark(user, &done.new_items[..2], &Mark::Read, now).await.unwrap();
                if round % 10 == 0 {
                    busy.mark_all_read(user, &Scope::All, UpTo::EVERYTHING, now).await.unwrap();
                }
            }
        });
        for n in 0..4 {
            let path = dir.path().join(n.to_string());
            stage.store.backup(&path, at(300)).await.unwrap();
            let copy = sqlite().await;
            copy.store.restore(&path).await.unwrap();
            copy.assert_sound().await;
        }
        work.await.unwrap();
        stage.assert_sound().await;
    });
}

#[test]
fn a_backup_that_cannot_be_written_says_so_and_leaves_nothing() {
    on_both(|stage| async move {
        let dir = tempfile::tempdir().unwrap();
        let refused = stage.store.backup(&dir.path().join("no/such/folder/file"), at(0)).await.unwrap_err();
        assert!(refused.to_string().contains("could not be written"), "{refused}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let _: &Store = &stage.store;
    });
}
