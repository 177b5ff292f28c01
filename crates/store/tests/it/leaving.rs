//! Changing, pausing and leaving subscriptions, coming back, and feeds of one's own.

use crate::stage::*;
use domain::{FeedId, FeedState, ItemId, PollOutcome, RuleAction, RuleOrder, RuleScope, UserId};
use store::{Mark, PollCommit, Scope, StoreError, SubscribedFeed, SubscriptionEdit, UpTo};

const URL: &str = "https://a.example/feed";

async fn read(stage: &Stage, user: UserId, feed: FeedId) -> SubscribedFeed {
    stage.store.subscription(user, feed).await.unwrap().expect("subscribed")
}

async fn subscribers(stage: &Stage, feed: FeedId) -> u32 {
    stage.store.feed_schedule(feed).await.unwrap().unwrap().subscribers
}

fn paused(paused: bool) -> SubscriptionEdit {
    SubscriptionEdit { paused: Some(paused), ..SubscriptionEdit::default() }
}

/// A feed of ten items, of which one is read, one starred, one tagged and one hidden.
async fn used(stage: &Stage, user: UserId) -> (FeedId, Vec<ItemId>) {
    let feed = stage.subscribe(user, URL).await;
    let items = stage.poll(feed, at(100), (1..=10).map(new_item).collect()).await.new_items;
    let store = &stage.store;
    store.mark(user, &items[..1], &Mark::Read, at(200)).await.unwrap();
    store.mark(user, &items[1..2], &Mark::Star, at(200)).await.unwrap();
    store.mark(user, &items[2..3], &Mark::Tag("t".into()), at(200)).await.unwrap();
    store.mark(user, &items[3..4], &Mark::Hide, at(200)).await.unwrap();
    (feed, items)
}

#[test]
fn a_subscription_is_renamed_and_put_into_folders_of_its_owner_only() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, URL).await;
        let folder = store.add_folder(mira, None, "F").await.unwrap();
        let foreign = store.add_folder(noor, None, "G").await.unwrap();
        let all = SubscriptionEdit {
            title: Some(Some(" Mine ".into())),
            folder: Some(Some(folder)),
            full_text: Some(true),
            important: Some(true),
            paused: None,
            weight: Some(Some(150)),
        };
        store.edit_subscription(mira, feed, &all).await.unwrap();
        let now = read(&stage, mira, feed).await.subscription;
        assert_eq!((now.title.as_deref(), now.folder, now.full_text), (Some("Mine"), Some(folder), true));
        let into = |folder| SubscriptionEdit { folder: Some(folder), ..SubscriptionEdit::default() };
        let refused = store.edit_subscription(mira, feed, &into(Some(foreign))).await;
        assert!(matches!(refused, Err(StoreError::NotFound { .. })));
        store.edit_subscription(mira, feed, &SubscriptionEdit::default()).await.unwrap();
        assert_eq!(read(&stage, mira, feed).await.subscription, now, "nothing asked, nothing changed");
        store.edit_subscription(mira, feed, &into(None)).await.unwrap();
        let clear = SubscriptionEdit { title: Some(None), ..SubscriptionEdit::default() };
        store.edit_subscription(mira, feed, &clear).await.unwrap();
        let now = read(&stage, mira, feed).await.subscription;
        assert_eq!((now.title, now.folder), (None, None));
        assert!(matches!(store.edit_subscription(noor, feed, &all).await, Err(StoreError::NotFound { .. })));
        assert!(store.subscription(noor, feed).await.unwrap().is_none());
    });
}

#[test]
fn a_subscription_tells_how_its_feed_is_doing() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, URL).await;
        let health = read(&stage, mira, feed).await.health;
        assert_eq!((health.failures, health.last_outcome, health.posts_per_day), (0, None, None));
        let leased = stage.lease(at(0)).await.remove(0);
        let mut poll = commit(&leased, at(10), vec![]);
        (poll.schedule.failures, poll.schedule.failing_since) = (2, Some(at(5)));
        poll.schedule.last_success_at = Some(at(3));
        (poll.schedule.rate.posts, poll.schedule.rate.exposure_days) = (5.0, 2.0);
        (poll.record.outcome, poll.record.error) = (PollOutcome::Failed, Some("It did not answer.".into()));
        stage.store.commit_poll(poll).await.unwrap();
        let row = read(&stage, mira, feed).await;
        assert_eq!(stage.store.subscriptions(mira).await.unwrap(), std::slice::from_ref(&row));
        let health = row.health;
        assert_eq!((health.failures, health.failing_since), (2, Some(at(5))));
        assert_eq!((health.last_success_at, health.next_poll_at), (Some(at(3)), at(10 + 3_600)));
        assert_eq!(health.last_error.as_deref(), Some("It did not answer."));
        assert_eq!((health.last_outcome, health.posts_per_day), (Some(PollOutcome::Failed), Some(2.5)));
        let failing = stage.store.failing_feeds(10).await.unwrap();
        assert_eq!((failing.len(), failing[0].failures, failing[0].subscribers), (1, 2, 1));
        assert_eq!(failing[0].sentence.as_deref(), Some("It did not answer."));
    });
}

#[test]
fn a_paused_feed_is_not_polled_for_that_person_and_brings_nothing_unread() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let (feed, _) = used(&stage, mira).await;
        store.edit_subscription(mira, feed, &paused(true)).await.unwrap();
        store.edit_subscription(mira, feed, &paused(true)).await.unwrap();
        assert_eq!(subscribers(&stage, feed).await, 0);
        assert!(stage.lease(at(1_000_000)).await.is_empty());
        stage.subscribe(noor, URL).await;
        assert_eq!(subscribers(&stage, feed).await, 1);
        let before = stage.unread(mira).await;
        stage.poll(feed, at(2_000_000), vec![new_item(0), new_item(50)]).await;
        assert_eq!((stage.unread(mira).await, stage.unread(noor).await), (before, 12));
        assert_eq!(stage.titles(mira, Scope::All, false).await.len(), 11, "but it is there to be read");
        stage.assert_sound().await;
        store.unsubscribe(noor, feed, at(2_000_001)).await.unwrap();
        store.edit_subscription(mira, feed, &paused(false)).await.unwrap();
        assert_eq!(subscribers(&stage, feed).await, 1);
        assert!(stage.lease(at(2_000_002)).await.is_empty(), "promise 3: its next poll keeps its time");
        assert_eq!(stage.lease(at(2_003_601)).await.len(), 1);
        stage.assert_sound().await;
    });
}

#[test]
fn leaving_is_taken_back_with_name_folder_marks_and_credentials() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let (feed, items) = used(&stage, mira).await;
        let folder = store.add_folder(mira, None, "F").await.unwrap();
        let edit = SubscriptionEdit {
            title: Some(Some("Mine".into())),
            folder: Some(Some(folder)),
            full_text: Some(true),
            important: Some(true),
            paused: None,
            weight: Some(Some(150)),
        };
        store.edit_subscription(mira, feed, &edit).await.unwrap();
        let before = read(&stage, mira, feed).await.subscription;
        let token = store.unsubscribe(mira, feed, at(300)).await.unwrap().unwrap();
        assert!(stage.titles(mira, Scope::Hidden, false).await.is_empty());
        assert_eq!(stage.unread(mira).await, 0);
        stage.assert_sound().await;
        assert!(matches!(store.undo(noor, token).await, Err(StoreError::NotFound { .. })));
        assert_eq!(store.undo(mira, token).await.unwrap(), 8);
        assert_eq!(read(&stage, mira, feed).await.subscription, before);
        assert_eq!(stage.titles(mira, Scope::Hidden, false).await, ["item 4"]);
        assert_eq!(stage.titles(mira, Scope::All, true).await.len(), 8);
        assert_eq!(subscribers(&stage, feed).await, 1);
        stage.assert_sound().await;
        assert!(matches!(store.undo(mira, token).await, Err(StoreError::NotFound { .. })), "once");
        // What others' polls brought meanwhile is unread, wherever it sorts.
        stage.subscribe(noor, URL).await;
        store.mark_all_read(mira, &Scope::All, UpTo::EVERYTHING, at(400)).await.unwrap();
        let token = store.unsubscribe(mira, feed, at(500)).await.unwrap().unwrap();
        stage.poll(feed, at(9_000), vec![new_item(0), new_item(5_000)]).await;
        assert_eq!(store.undo(mira, token).await.unwrap(), 2);
        assert!(store.item(mira, items[0]).await.unwrap().unwrap().row.is_read);
        stage.assert_sound().await;
        // Whoever follows it again already keeps what they have.
        let token = store.unsubscribe(mira, feed, at(600)).await.unwrap().unwrap();
        stage.subscribe(mira, URL).await;
        assert_eq!(store.undo(mira, token).await.unwrap(), 0);
        assert_eq!(subscribers(&stage, feed).await, 2);
        stage.assert_sound().await;
    });
}

#[test]
fn a_private_feed_comes_back_with_its_credentials_and_a_paused_one_paused() {
    on_both(|stage| async move {
        let (store, mira) = (&stage.store, stage.user("mira").await);
        let mut secret = wish(URL);
        (secret.private, secret.sealed) = (true, Some(vec![1, 2, 3]));
        let feed = store.subscribe(mira, &secret, at(0), at(0)).await.unwrap().feed;
        store.edit_subscription(mira, feed, &paused(true)).await.unwrap();
        let token = store.unsubscribe(mira, feed, at(10)).await.unwrap().unwrap();
        assert_eq!(subscribers(&stage, feed).await, 0);
        store.undo(mira, token).await.unwrap();
        assert!(read(&stage, mira, feed).await.subscription.paused);
        assert_eq!(subscribers(&stage, feed).await, 0);
        store.edit_subscription(mira, feed, &paused(false)).await.unwrap();
        assert_eq!(stage.lease(at(20)).await.remove(0).sealed, Some(vec![1, 2, 3]));
        stage.assert_sound().await;
    });
}

#[test]
fn a_feed_nobody_else_needs_becomes_private_where_it_is() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let (feed, items) = used(&stage, mira).await;
        let leased = store.lease_feed(feed, at(5_000), LEASE, SPACING, NODE).await.unwrap().unwrap();
        let own = store.make_private(mira, feed, Some(vec![9]), None, at(5_001)).await.unwrap();
        assert_eq!(own, feed);
        assert_eq!(store.feed(feed).await.unwrap().unwrap().private_to, Some(mira));
        assert!(!store.commit_poll(commit(&leased, at(5_002), vec![new_item(99)])).await.unwrap().accepted);
        assert!(stage.lease(at(5_003)).await.is_empty(), "promise 3: the request may have gone out");
        let shared = stage.subscribe(noor, URL).await;
        assert_ne!(shared, feed, "others get a feed without the credentials");
        let address = ("https://b.example/other".to_owned(), "b.example".to_owned());
        let moved = store.make_private(mira, feed, Some(vec![9]), Some(address), at(5_010)).await.unwrap();
        assert_eq!(moved, feed);
        let now = store.feed_schedule(feed).await.unwrap().unwrap();
        assert_eq!((now.provider.as_str(), now.subscribers), ("b.example", 1));
        assert!(store.item(mira, items[0]).await.unwrap().unwrap().row.is_read, "its items stay");
        assert!(matches!(
            store.make_private(noor, feed, Some(vec![6]), None, at(5_011)).await,
            Err(StoreError::NotFound { .. })
        ));
        stage.assert_sound().await;
    });
}

#[test]
fn of_a_shared_feed_a_person_gets_one_of_their_own_with_all_they_had() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let (feed, _) = used(&stage, mira).await;
        stage.subscribe(noor, URL).await;
        let folder = store.add_folder(mira, None, "F").await.unwrap();
        let edit = SubscriptionEdit {
            folder: Some(Some(folder)),
            title: Some(Some("Mine".into())),
            ..Default::default()
        };
        store.edit_subscription(mira, feed, &edit).await.unwrap();
        let order = RuleOrder { scope: RuleScope::Feed(feed), conditions: vec![], action: RuleAction::Star };
        store.add_rule(mira, &order, at(0)).await.unwrap();
        let (unread, all) =
            (stage.titles(mira, Scope::All, true).await, stage.titles(mira, Scope::All, false).await);
        let noors = stage.titles(noor, Scope::All, true).await;
        let own = store.make_private(mira, feed, Some(vec![9]), None, at(5_000)).await.unwrap();
        assert_ne!(own, feed);
        assert!(store.subscription(mira, feed).await.unwrap().is_none());
        let now = read(&stage, mira, own).await;
        assert_eq!(
            (now.subscription.folder, now.subscription.title.as_deref()),
            (Some(folder), Some("Mine"))
        );
        assert_eq!((now.feed.private_to, now.feed.facts.title.as_deref()), (Some(mira), Some("Feed")));
        assert_eq!(stage.titles(mira, Scope::Feed(own), true).await, unread);
        assert_eq!(stage.titles(mira, Scope::Feed(own), false).await, all);
        assert_eq!(stage.titles(mira, Scope::Hidden, false).await, ["item 4"]);
        assert_eq!(stage.titles(mira, Scope::Starred, false).await, ["item 2"]);
        assert_eq!(stage.titles(mira, Scope::Tag("t".into()), false).await, ["item 3"]);
        assert_eq!(store.rules(mira).await.unwrap()[0].order.scope, RuleScope::Feed(own));
        let starred = store.recent_items(mira, RuleScope::Feed(own), 10).await.unwrap();
        assert!(starred.iter().all(|item| item.body.content.is_some()), "bodies came along");
        assert_eq!(stage.titles(noor, Scope::All, true).await, noors);
        stage.assert_sound().await;
        // The same document again adds nothing to it.
        let done = stage.poll(own, at(6_000), (1..=11).map(new_item).collect()).await;
        assert_eq!(done.new_items.len(), 1);
        let leased = store.lease_feed(own, at(9_999_999), LEASE, SPACING, NODE).await.unwrap().unwrap();
        assert_eq!(leased.sealed, Some(vec![9]));
    });
}

#[test]
fn a6_what_credentials_brought_never_comes_into_a_shared_feed() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let mut secret = wish(URL);
        (secret.private, secret.sealed) = (true, Some(vec![1]));
        let private = store.subscribe(mira, &secret, at(0), at(0)).await.unwrap().feed;
        stage.poll(private, at(100), (1..=5).map(new_item).collect()).await;
        let shared = store.make_private(mira, private, None, None, at(200)).await.unwrap();
        assert_ne!(shared, private);
        assert_eq!(stage.subscribe(noor, URL).await, shared);
        assert!(stage.titles(noor, Scope::All, false).await.is_empty());
        assert!(stage.titles(mira, Scope::All, false).await.is_empty());
        // Back again: the private row is still there, with its items.
        let again = store.make_private(mira, shared, Some(vec![2]), None, at(300)).await.unwrap();
        assert_eq!(again, private);
        assert_eq!(stage.titles(mira, Scope::All, false).await.len(), 5);
        stage.assert_sound().await;
    });
}

#[test]
fn a6_a_feed_that_became_anothers_does_not_come_back_by_undo() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, URL).await;
        stage.subscribe(noor, URL).await;
        let token = store.unsubscribe(noor, feed, at(10)).await.unwrap().unwrap();
        assert_eq!(store.make_private(mira, feed, Some(vec![1]), None, at(20)).await.unwrap(), feed);
        assert!(matches!(store.undo(noor, token).await, Err(StoreError::NotFound { .. })));
        assert!(store.subscription(noor, feed).await.unwrap().is_none());
        stage.assert_sound().await;
    });
}

#[test]
fn a_feed_whose_items_others_have_starred_is_left_to_them() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let (feed, items) = used(&stage, mira).await;
        stage.subscribe(noor, URL).await;
        store.mark(noor, &items[..1], &Mark::Star, at(200)).await.unwrap();
        store.unsubscribe(noor, feed, at(201)).await.unwrap();
        let own = store.make_private(mira, feed, Some(vec![1]), None, at(300)).await.unwrap();
        assert_ne!(own, feed);
        assert_eq!(stage.titles(noor, Scope::Starred, false).await, ["item 1"]);
        stage.assert_sound().await;
    });
}

#[test]
fn another_address_that_is_a_feed_already_is_followed_there() {
    on_both(|stage| async move {
        let (store, mira) = (&stage.store, stage.user("mira").await);
        let (feed, _) = used(&stage, mira).await;
        let noor = stage.user("noor").await;
        let other = stage.subscribe(noor, "https://b.example/feed").await;
        stage.poll(other, at(100), (1..=12).map(new_item).collect()).await;
        let leased = stage.store.lease_feed(feed, at(5_000), LEASE, SPACING, NODE).await.unwrap().unwrap();
        let gone = PollCommit { state: FeedState::Gone, ..commit(&leased, at(5_000), vec![]) };
        store.commit_poll(gone).await.unwrap();
        let address = ("https://b.example/feed".to_owned(), "b.example".to_owned());
        let now = store.make_private(mira, feed, None, Some(address), at(5_001)).await.unwrap();
        assert_eq!(now, other);
        // Ten newest unread, of which one was read and one hidden here.
        let row = store.recent_items(mira, RuleScope::Feed(other), 100).await.unwrap();
        assert_eq!(row.len(), 12);
        assert_eq!(stage.titles(mira, Scope::Hidden, false).await, ["item 4"]);
        assert!(!stage.titles(mira, Scope::All, true).await.contains(&"item 1".to_owned()));
        assert_eq!(stage.titles(mira, Scope::Starred, false).await, ["item 2"]);
        stage.assert_sound().await;
    });
}
