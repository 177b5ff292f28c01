//! Items are stored once, whatever their publisher does (D rows).

use crate::stage::*;
use domain::{DocumentItem, FeedId, Identity, Preview, Timestamp};
use store::{ItemKind, ItemWrite, PollCommit, Recognised, Scope};

/// What a poll loop does with a document: recognise, then write what is new or changed.
async fn poll_document(
    stage: &Stage,
    feed: FeedId,
    now: Timestamp,
    items: &[DocumentItem],
) -> store::Committed {
    let seen: Vec<_> = items.iter().map(|item| (item.identity, item.twin, item.content_hash)).collect();
    let known = stage.store.recognise(feed, &seen).await.unwrap();
    let kind = |known: &Recognised| match *known {
        Recognised::New => Some(ItemKind::New { sort_at: now, unread: true }),
        Recognised::Known { item, changed: true, .. } => Some(ItemKind::Changed(item)),
        Recognised::Twin { item, changed: true } => Some(ItemKind::RenamedAndChanged(item)),
        Recognised::Twin { item, changed: false } => Some(ItemKind::Renamed(item)),
        Recognised::Known { changed: false, .. } | Recognised::Tombstone => None,
    };
    let writes = items
        .iter()
        .zip(&known)
        .filter_map(|(item, known)| Some(ItemWrite::new(item, kind(known)?, Preview::default())));
    stage.poll(feed, now, writes.collect()).await
}

#[test]
fn d1_the_same_document_ten_times_adds_nothing() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let document: Vec<_> = (1..=20).map(document_item).collect();
        for turn in 0..10 {
            let done = poll_document(&stage, feed, at(turn * 4_000), &document).await;
            assert_eq!(done.new_items.len(), if turn == 0 { 20 } else { 0 });
            assert_eq!(done.changed, 0);
        }
        assert_eq!(stage.unread(user).await, 20);
        stage.assert_sound().await;
    });
}

#[test]
fn d1_a_new_guid_on_a_known_link_and_title_is_the_same_item() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        poll_document(&stage, feed, at(0), &[document_item(1)]).await;
        for turn in 1..4 {
            let rotated = DocumentItem { identity: Identity(1_000 + turn), ..document_item(1) };
            let now = at(turn as i64 * 4_000);
            assert_eq!(poll_document(&stage, feed, now, std::slice::from_ref(&rotated)).await.new_items, []);
            let seen = [(rotated.identity, None, rotated.content_hash)];
            let known = stage.store.recognise(feed, &seen).await.unwrap();
            assert!(
                matches!(known[0], Recognised::Known { changed: false, .. }),
                "known by its new name: {known:?}"
            );
        }
        assert_eq!(stage.titles(user, Scope::All, false).await, ["item 1"]);
        stage.assert_sound().await;
    });
}

#[test]
fn promise_1_an_item_raced_in_by_two_polls_is_stored_once() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        // Both believe the item is new, and one believes it twice.
        let first = stage.poll(feed, at(0), vec![new_item(1), new_item(1), new_item(2)]).await;
        assert_eq!(first.new_items.len(), 2);
        let second = stage.poll(feed, at(4_000), vec![new_item(2), new_item(3)]).await;
        assert_eq!(second.new_items.len(), 1);
        assert_eq!(stage.unread(user).await, 3);
        let polls = stage.store.polls(feed, 10, None).await.unwrap();
        assert_eq!(
            polls.iter().map(|(_, poll)| poll.items_new).collect::<Vec<_>>(),
            [1, 2],
            "what was really stored"
        );
        stage.assert_sound().await;
    });
}

#[test]
fn d2_equal_guids_of_two_feeds_are_two_items_and_neither_feed_can_touch_the_others() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let ours = stage.subscribe(user, "https://a.example/feed").await;
        let theirs = stage.subscribe(user, "https://b.example/feed").await;
        let item = stage.poll(ours, at(0), vec![new_item(1)]).await.new_items[0];
        assert_eq!(stage.poll(theirs, at(0), vec![new_item(1)]).await.new_items.len(), 1);
        let attack = stage.poll(theirs, at(4_000), vec![changed(1, item, "defaced")]).await;
        assert_eq!(attack.changed, 0);
        assert_eq!(stage.titles(user, Scope::Feed(ours), false).await, ["item 1"]);
        assert_eq!(stage.store.item(user, item).await.unwrap().unwrap().row.item.revision, 0);
        stage.assert_sound().await;
    });
}

#[test]
fn d3_an_edit_is_a_new_revision_and_keeps_read_state_and_place() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let items = stage.poll(feed, at(0), vec![new_item(1), new_item(2)]).await.new_items;
        stage.store.mark(user, &items[..1], &store::Mark::Read, at(1)).await.unwrap();
        let before = stage.store.item(user, items[0]).await.unwrap().unwrap();
        for turn in 1..=5 {
            let now = at(turn * 4_000);
            let done = stage.poll(feed, now, vec![changed(1, items[0], &format!("title {turn}"))]).await;
            assert_eq!((done.changed, done.new_items.len()), (1, 0));
        }
        let after = stage.store.item(user, items[0]).await.unwrap().unwrap();
        assert!(after.row.is_read);
        assert_eq!(after.row.item.revision, 5);
        assert_eq!(after.row.item.title.as_deref(), Some("title 5"));
        assert_eq!(after.row.item.sort_at, before.row.item.sort_at);
        let known = stage.store.recognise(feed, &[(Identity(1), None, 1_000_001)]).await.unwrap();
        let expected =
            Recognised::Known { item: items[0], changed: false, revision: 5, revised_at: Some(at(20_000)) };
        assert_eq!(known[0], expected);
        assert_eq!(stage.unread(user).await, 1);
        stage.assert_sound().await;
    });
}

#[test]
fn d4_a_replayed_archive_does_not_become_unread() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let old = |n: u64| {
            ItemWrite::new(
                &document_item(n),
                ItemKind::New { sort_at: at(n as i64), unread: false },
                Preview::default(),
            )
        };
        let recent = |n: u64| {
            ItemWrite::new(
                &document_item(n),
                ItemKind::New { sort_at: at(n as i64), unread: true },
                Preview::default(),
            )
        };
        let first: Vec<_> = (1..=500).map(|n| if n > 495 { recent(n) } else { old(n) }).collect();
        stage.poll(feed, at(0), first).await;
        assert_eq!(stage.unread(user).await, 5);
        stage.poll(feed, at(4_000), (1_001..=1_500).map(old).collect()).await;
        assert_eq!(stage.unread(user).await, 5);
        assert_eq!(stage.titles(user, Scope::Feed(feed), true).await.len(), 5);
        assert_eq!(stage.titles(user, Scope::Feed(feed), false).await.len(), 1_000);
        stage.assert_sound().await;
    });
}

#[test]
fn d7_an_item_that_vanishes_and_returns_is_one_item() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        for (turn, numbers) in [vec![1, 2], vec![2], vec![1, 2]].into_iter().enumerate() {
            let document: Vec<_> = numbers.into_iter().map(document_item).collect();
            poll_document(&stage, feed, at(turn as i64 * 4_000), &document).await;
            assert_eq!(stage.titles(user, Scope::All, false).await.len(), 2);
        }
    });
}

#[test]
fn bodies_names_and_odd_text_come_back_as_they_went_in() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let mut odd = document_item(7);
        odd.title = Some("nul\0 \u{1F600} \\u0000 \"quoted\" \u{FFFD} \u{202E}".into());
        odd.author = Some(String::new());
        odd.content = Some("<p>nul\0 and \u{10FFFF}</p>".repeat(50));
        odd.published = Some(Timestamp::from_micros(i64::MIN));
        odd.tags = vec!["a\0b".into()];
        odd.content_hash = u64::MAX;
        odd.identity = Identity(u128::MAX);
        let done = poll_document(&stage, feed, at(0), std::slice::from_ref(&odd)).await;
        let read = stage.store.item(user, done.new_items[0]).await.unwrap().unwrap();
        assert_eq!(
            read.row.item.title.as_deref(),
            Some("nul \u{1F600} \\u0000 \"quoted\" \u{FFFD} \u{202E}")
        );
        assert_eq!(read.row.item.author.as_deref(), Some(""));
        assert_eq!(read.row.item.published_at, odd.published);
        assert_eq!(read.row.item.identity, odd.identity);
        assert_eq!(read.body.content, odd.content);
        assert_eq!(read.body.tags, odd.tags);
        let known = stage.store.recognise(feed, &[(odd.identity, None, u64::MAX)]).await.unwrap();
        assert!(matches!(known[0], Recognised::Known { changed: false, .. }));
    });
}

#[test]
fn many_polls_at_once_are_all_stored_each_with_its_own_items() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let wishes: Vec<_> = (0..200).map(|n| wish(&format!("https://h{n}.example/feed"))).collect();
        stage.store.subscribe_many(user, &wishes, std::time::Duration::ZERO, at(0)).await.unwrap();
        let mut running = Vec::new();
        loop {
            let leased = stage.lease(at(1)).await;
            if leased.is_empty() {
                break;
            }
            for leased in leased {
                let store = stage.store.clone();
                running.push(tokio::spawn(async move {
                    let numbers = leased.lease.feed.0 as u64 * 100..leased.lease.feed.0 as u64 * 100 + 5;
                    let items = numbers.map(new_item).collect();
                    store.commit_poll(commit(&leased, at(2), items)).await.unwrap()
                }));
            }
        }
        assert_eq!(running.len(), 200);
        for poll in running {
            let done = poll.await.unwrap();
            assert!(done.accepted);
            assert_eq!(done.new_items.len(), 5);
        }
        assert_eq!(stage.unread(user).await, 1_000);
        stage.assert_sound().await;
    });
}

#[test]
fn n18_a_moved_feed_takes_its_new_address_and_provider() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "http://old.example/feed").await;
        let leased = stage.lease(at(0)).await.remove(0);
        let moved = Some(("https://new.example/feed".to_owned(), "new.example".to_owned()));
        let done =
            stage.store.commit_poll(PollCommit { adopt_url: moved, ..commit(&leased, at(1), vec![]) }).await;
        assert_eq!(done.unwrap().merged_into, None);
        assert_eq!(stage.store.feed(feed).await.unwrap().unwrap().url, "https://new.example/feed");
        assert_eq!(stage.store.feed_schedule(feed).await.unwrap().unwrap().provider, "new.example");
        assert!(stage.store.feed_by_url("http://old.example/feed", None).await.unwrap().is_none());
        stage.assert_sound().await;
    });
}

#[test]
fn n18_a_feed_moved_onto_a_known_one_brings_its_subscribers_there() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let old = stage.subscribe(mira, "http://old.example/feed").await;
        let new = stage.subscribe(noor, "https://new.example/feed").await;
        stage.poll(new, at(0), vec![new_item(1)]).await;
        let leased = stage.store.lease_feed(old, at(1), LEASE, SPACING, NODE).await.unwrap().unwrap();
        let moved = Some(("https://new.example/feed".to_owned(), "new.example".to_owned()));
        let poll = PollCommit { adopt_url: moved, ..commit(&leased, at(1), vec![new_item(5)]) };
        assert_eq!(stage.store.commit_poll(poll).await.unwrap().merged_into, Some(new));
        let followed: Vec<_> =
            stage.store.subscriptions(mira).await.unwrap().iter().map(|s| s.feed.id).collect();
        assert_eq!(followed, [old, new]);
        assert_eq!(stage.titles(mira, Scope::Feed(old), false).await, ["item 5"], "history stays");
        stage.poll(new, at(4_000), vec![new_item(9_000)]).await;
        assert_eq!(stage.titles(mira, Scope::Feed(new), true).await, ["item 9000"]);
        stage.assert_sound().await;
    });
}
