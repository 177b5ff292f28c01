//! Accounts, subscriptions, folders.

use crate::stage::*;
use domain::{Reason, Validators};
use std::time::Duration;
use store::{PollCommit, Scope, StoreError};

#[test]
fn accounts_and_tokens_are_found_again() {
    on_both(|stage| async move {
        let store = &stage.store;
        assert!(!store.first_admin_exists().await.unwrap());
        let mira = store.add_user("mira", Some("hash"), true, at(0)).await.unwrap();
        assert!(store.first_admin_exists().await.unwrap());
        let taken = store.add_user("mira", None, false, at(1)).await.unwrap_err();
        assert!(matches!(taken, StoreError::Conflict { .. }), "{taken}");
        assert_eq!(store.user_by_name("mira").await.unwrap().unwrap().id, mira);
        assert!(store.user_by_name("nobody").await.unwrap().is_none());
        assert_eq!(store.password_hash(mira).await.unwrap().as_deref(), Some("hash"));
        store.set_password(mira, "other").await.unwrap();
        assert_eq!(store.password_hash(mira).await.unwrap().as_deref(), Some("other"));
        store.add_token(mira, "phone", [7; 32], at(2)).await.unwrap();
        assert_eq!(store.user_by_token([7; 32]).await.unwrap().unwrap().name, "mira");
        assert!(store.user_by_token([8; 32]).await.unwrap().is_none());
        let nobody = domain::UserId(999);
        assert!(matches!(
            store.add_token(nobody, "", [9; 32], at(2)).await,
            Err(StoreError::NotFound { .. })
        ));
        assert_eq!(store.users().await.unwrap().len(), 1);
    });
}

#[test]
fn settings_are_kept_and_cleared() {
    on_both(|stage| async move {
        stage.store.set_setting("theme", Some("dark")).await.unwrap();
        stage.store.set_setting("theme", Some("light")).await.unwrap();
        assert_eq!(stage.store.setting("theme").await.unwrap().as_deref(), Some("light"));
        stage.store.set_setting("theme", None).await.unwrap();
        assert_eq!(stage.store.setting("theme").await.unwrap(), None);
    });
}

#[test]
fn o1_an_import_repeated_after_a_break_adds_only_what_is_missing_and_enters_slowly() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let mut wishes: Vec<_> = (0..600).map(|n| wish(&format!("https://h{n}.example/feed"))).collect();
        wishes.push(wishes[0].clone());
        let step = Duration::from_secs(3);
        stage.store.subscribe_many(user, &wishes[..300], step, at(0)).await.unwrap();
        let all = stage.store.subscribe_many(user, &wishes, step, at(0)).await.unwrap();
        assert_eq!(all.iter().filter(|done| done.is_new_feed).count(), 300);
        assert_eq!(
            all.iter().filter(|done| done.was_subscribed).count(),
            301,
            "300 from before, one named twice"
        );
        assert_eq!(all[0].feed, all[600].feed);
        assert_eq!(stage.store.subscriptions(user).await.unwrap().len(), 600);
        let last = stage.store.feed_schedule(all[599].feed).await.unwrap().unwrap();
        assert_eq!(last.schedule.next_poll_at, at(599 * 3));
        stage.assert_sound().await;
    });
}

#[test]
fn folders_nest_and_are_shared_by_name() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let in_folder = |url: &str, folder: &[&str]| {
            let mut wish = wish(url);
            wish.subscription.folder = folder.iter().map(|name| (*name).to_owned()).collect();
            wish
        };
        let wishes = [
            in_folder("https://a.example/1", &["News", "Local"]),
            in_folder("https://b.example/1", &["News"]),
            in_folder("https://c.example/1", &["Local"]),
            in_folder("https://d.example/1", &vec!["deep"; 40]),
        ];
        let feeds = stage.store.subscribe_many(user, &wishes, Duration::ZERO, at(0)).await.unwrap();
        let folders = stage.store.folders(user).await.unwrap();
        assert_eq!(folders.len(), 3 + 16, "depth is bounded");
        let news = folders.iter().find(|folder| folder.name == "News").unwrap();
        for (n, done) in feeds.iter().enumerate() {
            stage.poll(done.feed, at(1), vec![new_item(n as u64 + 1)]).await;
        }
        assert_eq!(stage.titles(user, Scope::Folder(news.id), false).await, ["item 2", "item 1"]);
        // Another person's folder shows nothing.
        let noor = stage.user("noor").await;
        assert!(stage.titles(noor, Scope::Folder(news.id), false).await.is_empty());
    });
}

#[test]
fn b7_validators_are_shared_by_all_subscribers_and_dropped_with_the_last() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.subscribe(noor, "https://a.example/feed").await;
        let leased = stage.lease(at(0)).await.remove(0);
        let mut poll = commit(&leased, at(1), vec![]);
        poll.schedule.validators = Validators { etag: Some("\"tracker-1\"".into()), last_modified: None };
        stage.store.commit_poll(poll.clone()).await.unwrap();
        assert!(stage.store.unsubscribe(mira, feed, at(9)).await.unwrap().is_some());
        let etag = |schedule: store::FeedSchedule| schedule.schedule.validators.etag;
        let shared = stage.store.feed_schedule(feed).await.unwrap().unwrap();
        assert_eq!(etag(shared).as_deref(), Some("\"tracker-1\""), "noor still reads it");
        assert!(stage.store.unsubscribe(noor, feed, at(9)).await.unwrap().is_some());
        assert!(stage.store.unsubscribe(noor, feed, at(9)).await.unwrap().is_none());
        assert_eq!(etag(stage.store.feed_schedule(feed).await.unwrap().unwrap()), None);
        assert_eq!(stage.lease(at(100_000)).await.len(), 0, "nobody reads it, nobody polls it");
        stage.assert_sound().await;
    });
}

#[test]
fn b7_a_poll_under_way_when_the_last_subscriber_leaves_keeps_no_validators() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        let leased = stage.lease(at(0)).await.remove(0);
        stage.store.unsubscribe(mira, feed, at(9)).await.unwrap();
        let mut poll = commit(&leased, at(1), vec![]);
        poll.schedule.validators.etag = Some("\"x\"".into());
        assert!(stage.store.commit_poll(poll).await.unwrap().accepted);
        let schedule = stage.store.feed_schedule(feed).await.unwrap().unwrap().schedule;
        assert!(schedule.validators.is_empty());
    });
}

#[test]
fn promise_3_leaving_and_following_again_does_not_bring_the_next_poll_forward() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        let leased = stage.lease(at(0)).await.remove(0);
        stage.store.commit_poll(commit(&leased, at(1), vec![])).await.unwrap();
        for turn in 2..6 {
            stage.store.unsubscribe(mira, feed, at(9)).await.unwrap();
            let again = stage
                .store
                .subscribe(mira, &wish("https://a.example/feed"), at(turn), at(turn))
                .await
                .unwrap();
            assert_eq!((again.feed, again.is_new_feed, again.was_subscribed), (feed, false, false));
            assert_eq!(stage.lease(at(turn)).await.len(), 0);
        }
        assert_eq!(stage.lease(at(1 + 3_600)).await.len(), 1);
    });
}

#[test]
fn what_a_feed_says_about_itself_is_kept() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        let leased = stage.lease(at(0)).await.remove(0);
        let facts = domain::FeedFacts {
            title: Some("A\0 title".into()),
            hubs: vec!["https://hub.example/".into()],
            format: Some("rss-2.0".into()),
            ..domain::FeedFacts::default()
        };
        let poll = PollCommit { facts: Some(facts), ..commit(&leased, at(1), vec![]) };
        stage.store.commit_poll(poll).await.unwrap();
        let read = stage.store.feed(feed).await.unwrap().unwrap();
        assert_eq!(read.facts.title.as_deref(), Some("A title"));
        assert_eq!(read.facts.hubs, ["https://hub.example/"]);
        let shown = stage.store.feed_schedule(feed).await.unwrap().unwrap();
        assert_eq!(shown.schedule.reason, Reason::OwnFloor { minutes: 60 });
        assert_eq!(shown.leased_until, None);
    });
}
