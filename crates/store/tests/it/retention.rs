//! What goes, what stays, and that nothing comes back.

use crate::stage::*;
use domain::Identity;
use domain::interaction::{Access, Interaction, InteractionKind};
use std::time::Duration;
use store::{FeedRetention, Mark, Recognised, Removed, RetentionBatch, RetentionPolicy, Scope, UpTo};

const DAY: Duration = Duration::from_secs(86_400);

fn keep(count: u32) -> RetentionPolicy {
    RetentionPolicy { count_per_feed: Some(count), ..RetentionPolicy::default() }
}

#[test]
fn old_items_go_but_starred_tagged_and_unread_ones_stay() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.subscribe(noor, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=10).map(new_item).collect()).await.new_items;
        stage.store.mark_all_read(mira, &Scope::All, UpTo::EVERYTHING, at(200)).await.unwrap();
        stage.store.mark(noor, &items[1..], &Mark::Read, at(200)).await.unwrap();
        stage.store.mark(mira, &items[1..2], &Mark::Star, at(200)).await.unwrap();
        stage.store.mark(noor, &items[2..3], &Mark::Tag("t".into()), at(200)).await.unwrap();
        let removed = stage.store.retention(at(300), &keep(4)).await.unwrap();
        assert_eq!(removed, Removed { items: 3, more: false });
        let left = ["item 10", "item 9", "item 8", "item 7", "item 3", "item 2", "item 1"];
        assert_eq!(stage.titles(mira, Scope::All, false).await, left);
        assert_eq!(stage.unread(noor).await, 1);
        stage.assert_sound().await;
        let disk = stage.store.disk_by_feed(10).await.unwrap();
        assert_eq!((disk[0].items, disk[0].bytes > 0), (7, true));
        // Looked at once a day only.
        assert_eq!(stage.store.retention(at(400), &keep(0)).await.unwrap().items, 0);
    });
}

#[test]
fn what_was_removed_does_not_come_back_under_any_of_its_names() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.poll(feed, at(100), (1..=3).map(new_item).collect()).await;
        stage.store.mark_all_read(mira, &Scope::All, UpTo::EVERYTHING, at(200)).await.unwrap();
        assert_eq!(stage.store.retention(at(300), &keep(1)).await.unwrap().items, 2);
        let twin = document_item(1).twin;
        let seen =
            [(Identity(1), twin, 1), (Identity(99), twin, 1), (Identity(3), None, 3), (Identity(4), None, 4)];
        let known = stage.store.recognise(feed, &seen).await.unwrap();
        assert_eq!(known[..2], [Recognised::Tombstone, Recognised::Tombstone]);
        assert!(matches!(known[2], Recognised::Known { .. }));
        assert_eq!(known[3], Recognised::New);
        assert!(stage.poll(feed, at(5_000), vec![new_item(1)]).await.new_items.is_empty(), "even if forced");
        stage.assert_sound().await;
    });
}

#[test]
fn age_counts_from_when_we_saw_an_item_and_a_feed_may_have_its_own_rules() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let a = stage.subscribe(mira, "https://a.example/feed").await;
        let b = stage.subscribe(mira, "https://b.example/feed").await;
        for feed in [a, b] {
            stage.poll(feed, at(100), vec![new_item(1)]).await;
            stage.poll(feed, at(86_400), vec![new_item(2)]).await;
        }
        stage.store.mark_all_read(mira, &Scope::All, UpTo::EVERYTHING, at(86_500)).await.unwrap();
        let own = FeedRetention { age: Some(10 * DAY), count: None };
        stage.store.set_feed_retention(b, own).await.unwrap();
        let policy = RetentionPolicy { age: Some(DAY), ..RetentionPolicy::default() };
        assert_eq!(stage.store.retention(at(86_600), &policy).await.unwrap().items, 1);
        assert_eq!(stage.titles(mira, Scope::Feed(a), false).await, ["item 2"]);
        assert_eq!(stage.titles(mira, Scope::Feed(b), false).await.len(), 2);
        let own = stage.store.retention(at(900_000), &RetentionPolicy::default()).await.unwrap();
        assert_eq!(own.items, 1, "the server has no rule any more, but b has its own");
        assert_eq!(stage.titles(mira, Scope::Feed(b), false).await, ["item 2"]);
    });
}

#[test]
fn one_call_does_a_bounded_amount_and_says_that_there_is_more() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.poll(feed, at(100), (1..=100).map(new_item).collect()).await;
        stage.store.mark_all_read(mira, &Scope::All, UpTo::EVERYTHING, at(200)).await.unwrap();
        let policy = RetentionPolicy { batch: RetentionBatch { feeds_max: 10, items_max: 30 }, ..keep(5) };
        let mut removed = Vec::new();
        loop {
            let done = stage.store.retention(at(300), &policy).await.unwrap();
            removed.push(done.items);
            if !done.more {
                break;
            }
        }
        assert_eq!(removed, [30, 30, 30, 5]);
        stage.assert_sound().await;
    });
}

#[test]
fn polls_are_remembered_for_ninety_days() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.poll(feed, at(0), vec![]).await;
        stage.poll(feed, at(80 * 86_400), vec![]).await;
        stage.store.retention(at(91 * 86_400), &RetentionPolicy::default()).await.unwrap();
        let polls = stage.store.polls(feed, 10, None).await.unwrap();
        assert_eq!(polls.iter().map(|(_, poll)| poll.started_at).collect::<Vec<_>>(), [at(80 * 86_400)]);
    });
}

#[test]
fn compacting_marks_changes_nobodys_view() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=200).map(new_item).collect()).await.new_items;
        stage.store.mark(mira, &items[5..], &Mark::Read, at(200)).await.unwrap();
        let before = stage.titles(mira, Scope::All, true).await;
        stage.store.retention(at(300), &RetentionPolicy::default()).await.unwrap();
        assert_eq!(stage.titles(mira, Scope::All, true).await, before);
        assert_eq!(before.len(), 5);
        stage.poll(feed, at(5_000), vec![new_item(150_000)]).await;
        assert_eq!(stage.unread(mira).await, 6);
        stage.assert_sound().await;
    });
}

#[test]
fn what_people_did_is_remembered_for_400_days_and_forgotten_in_bounded_batches() {
    on_both(|stage| async move {
        let day = |days: i64| at(days * 86_400);
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), vec![new_item(1)]).await.new_items;
        let opened = |days| Interaction {
            user: mira,
            item: items[0],
            kind: InteractionKind::Open,
            at: day(days),
            place: "newest".into(),
            position: None,
            dwell_ms: None,
        };
        stage.store.record_interactions(&vec![opened(0); 10_001]).await.unwrap();
        stage.store.record_interactions(&[opened(100)]).await.unwrap();
        for days in [0, 100] {
            stage.store.record_access(&Access { user: mira, at: day(days), feed: None }).await.unwrap();
        }
        assert_eq!(stage.store.prune(day(400)).await.unwrap(), 0, "not a day too early");
        assert_eq!(stage.store.prune(day(401)).await.unwrap(), 10_001, "a batch of interactions and a visit");
        assert_eq!(stage.store.prune(day(401)).await.unwrap(), 1, "the rest");
        assert_eq!(stage.store.prune(day(401)).await.unwrap(), 0);
        assert_eq!(stage.store.feed_opens(mira, feed, at(0)).await.unwrap(), [day(100)]);
        // The newest of both stay, so that the numbers of later ones go on from them.
        assert_eq!(stage.store.prune(day(501)).await.unwrap(), 0);
        stage.assert_sound().await;
    });
}
