//! Lists, marks and counters as one person sees them.

use crate::stage::*;
use domain::interaction::{Access, Interaction, InteractionKind};
use domain::{ItemId, UserId};
use std::collections::HashSet;
use store::{Cursor, HiddenBy, ListQuery, Mark, Order, Scope, StoreError, UndoToken, UpTo};

async fn two_feeds(stage: &Stage) -> (UserId, Vec<ItemId>) {
    let user = stage.user("mira").await;
    let a = stage.subscribe(user, "https://a.example/feed").await;
    let b = stage.subscribe(user, "https://b.example/feed").await;
    let mut items = stage.poll(a, at(100), (1..=5).map(new_item).collect()).await.new_items;
    items.extend(stage.poll(b, at(100), (6..=10).map(new_item).collect()).await.new_items);
    (user, items)
}

#[test]
fn pages_follow_each_other_without_gap_or_repeat_while_items_arrive() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let mut feeds = Vec::new();
        for n in 0..7 {
            feeds.push(stage.subscribe(user, &format!("https://h{n}.example/feed")).await);
        }
        for (n, feed) in feeds.iter().enumerate() {
            // Equal sort dates across and within feeds: the id decides.
            let items = (0..30).map(|k| {
                let sort_at = at(k / 3);
                let item = document_item(n as u64 * 1_000 + k as u64);
                store::ItemWrite::new(
                    &item,
                    store::ItemKind::New { sort_at, unread: k % 2 == 0 },
                    domain::Preview::default(),
                )
            });
            stage.poll(*feed, at(100), items.collect()).await;
        }
        for order in [Order::NewestFirst, Order::OldestFirst] {
            for (unread_only, expected) in [(false, 210), (true, 105)] {
                let mut query = ListQuery { scope: Scope::All, unread_only, order, limit: 13, after: None };
                let mut seen = Vec::new();
                loop {
                    let page = stage.store.list(user, &query).await.unwrap();
                    let Some(last) = page.last() else { break };
                    query.after = Some(Cursor { sort_at: last.item.sort_at, id: last.item.id });
                    seen.extend(page.iter().map(|row| (row.item.sort_at, row.item.id)));
                }
                let mut sorted = seen.clone();
                sorted.sort_unstable();
                if order == Order::NewestFirst {
                    sorted.reverse();
                }
                assert_eq!(seen, sorted);
                assert_eq!(seen.iter().collect::<HashSet<_>>().len(), expected);
                assert_eq!(seen.len(), expected);
            }
        }
        let query = ListQuery {
            scope: Scope::All,
            unread_only: false,
            order: Order::NewestFirst,
            limit: 0,
            after: None,
        };
        assert_eq!(stage.store.list(user, &query).await.unwrap().len(), 1, "limits are clamped");
    });
}

#[test]
fn marks_change_counters_once_however_often_clicked() {
    on_both(|stage| async move {
        let (user, items) = two_feeds(&stage).await;
        let changed = stage.store.mark(user, &items[..3], &Mark::Read, at(200)).await.unwrap();
        assert_eq!(changed.len(), 3);
        assert!(stage.store.mark(user, &items[..3], &Mark::Read, at(201)).await.unwrap().is_empty());
        assert_eq!(stage.unread(user).await, 7);
        assert_eq!(stage.store.mark(user, &changed, &Mark::Read.inverse(), at(202)).await.unwrap().len(), 3);
        assert_eq!(stage.unread(user).await, 10);
        let unknown = [ItemId(123_456), ItemId(-1), ItemId(i64::MAX)];
        assert!(stage.store.mark(user, &unknown, &Mark::Star, at(203)).await.unwrap().is_empty());
        stage.assert_sound().await;
    });
}

#[test]
fn what_learning_is_told_of_a_mark_is_kept_with_it_and_only_once() {
    on_both(|stage| async move {
        let (user, items) = two_feeds(&stage).await;
        for (mark, items) in [
            (Mark::Star, &items[..3]),
            (Mark::Star, &items[..3]),
            (Mark::Unstar, &items[..1]),
            (Mark::Hide, &items[1..2]),
            (Mark::Read, &items[..]),
            (Mark::Tag("sea".into()), &items[..]),
        ] {
            stage.store.mark_in_list(user, items, &mark, at(200), "feed/1").await.unwrap();
        }
        stage.store.mark(user, &items[5..6], &Mark::Star, at(200)).await.unwrap();
        let dir = tempfile::tempdir().unwrap();
        stage.store.backup(&dir.path().join("all"), at(300)).await.unwrap();
        let packed = std::fs::File::open(dir.path().join("all")).unwrap();
        let archive = String::from_utf8(zstd::stream::decode_all(packed).unwrap()).unwrap();
        let told: Vec<&str> = archive.lines().filter(|line| line.contains("\"place\":\"feed/1\"")).collect();
        let count = |kind: InteractionKind| {
            told.iter().filter(|line| line.contains(&format!("{:?}", kind.name()))).count()
        };
        assert_eq!(InteractionKind::ALL.map(count), [0, 0, 3, 1, 1, 0, items.len(), 0, 0, 0]);
        stage.assert_sound().await;
    });
}

#[test]
fn clicks_at_the_same_moment_move_the_counter_once() {
    on_both(|stage| async move {
        let (user, items) = two_feeds(&stage).await;
        let mut clicks = Vec::new();
        for n in 0..24 {
            let (store, items) = (stage.store.clone(), items.clone());
            let mark = if n % 3 == 2 { Mark::Unread } else { Mark::Read };
            clicks.push(tokio::spawn(async move {
                store.mark(user, &items, &mark, at(200)).await.unwrap().len()
            }));
        }
        for click in clicks {
            click.await.unwrap();
        }
        stage.assert_sound().await;
        stage.store.mark(user, &items, &Mark::Read, at(300)).await.unwrap();
        assert_eq!(stage.unread(user).await, 0);
    });
}

#[test]
fn arrivals_and_mark_all_at_the_same_moment_keep_the_counters_right() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        for round in 0..10u64 {
            let leased =
                stage.store.lease_feed(feed, at(round as i64 * 4_000), LEASE, SPACING, NODE).await.unwrap();
            let leased = leased.unwrap();
            let items = (0..20).map(|n| new_item(round * 100 + n)).collect();
            let (poller, marker) = (stage.store.clone(), stage.store.clone());
            let poll = tokio::spawn(async move { poller.commit_poll(commit(&leased, at(1), items)).await });
            let mark = tokio::spawn(async move {
                marker.mark_all_read(user, &Scope::All, UpTo::EVERYTHING, at(1)).await.map(drop)
            });
            poll.await.unwrap().unwrap();
            mark.await.unwrap().unwrap();
            stage.assert_sound().await;
        }
    });
}

#[test]
fn stars_and_tags_list_what_they_mark_also_after_unsubscribing() {
    on_both(|stage| async move {
        let (user, items) = two_feeds(&stage).await;
        stage.store.mark(user, &[items[0], items[7]], &Mark::Star, at(200)).await.unwrap();
        let tag = Mark::Tag("to \0read ".into());
        assert_eq!(stage.store.mark(user, &items[2..4], &tag, at(200)).await.unwrap().len(), 2);
        assert!(stage.store.mark(user, &items[2..4], &tag, at(201)).await.unwrap().is_empty());
        assert_eq!(stage.titles(user, Scope::Starred, false).await, ["item 8", "item 1"]);
        assert_eq!(stage.titles(user, Scope::Tag("to read".into()), false).await, ["item 4", "item 3"]);
        let open = stage.store.item(user, items[2]).await.unwrap().unwrap();
        assert_eq!(open.tags, ["to read"]);
        for subscription in stage.store.subscriptions(user).await.unwrap() {
            stage.store.unsubscribe(user, subscription.feed.id, at(9)).await.unwrap();
        }
        assert_eq!(stage.titles(user, Scope::Starred, false).await, ["item 8", "item 1"]);
        assert!(stage.titles(user, Scope::Starred, true).await.is_empty());
        assert!(stage.store.item(user, items[7]).await.unwrap().is_some());
        assert!(stage.store.item(user, items[5]).await.unwrap().is_none());
        stage.store.mark(user, &items, &Mark::Unstar, at(300)).await.unwrap();
        stage.store.mark(user, &items, &tag.inverse(), at(300)).await.unwrap();
        assert!(stage.store.item(user, items[7]).await.unwrap().is_none());
        assert!(stage.titles(user, Scope::Starred, false).await.is_empty());
    });
}

#[test]
fn nobody_sees_marks_or_reads_items_of_anothers_feeds() {
    on_both(|stage| async move {
        let (mira, items) = two_feeds(&stage).await;
        let noor = stage.user("noor").await;
        assert!(stage.store.item(noor, items[0]).await.unwrap().is_none());
        assert!(stage.titles(noor, Scope::All, false).await.is_empty());
        let feed = stage.store.subscriptions(mira).await.unwrap()[0].feed.id;
        assert!(stage.titles(noor, Scope::Feed(feed), false).await.is_empty());
        for mark in [Mark::Read, Mark::Unread, Mark::Star, Mark::Tag("x".into())] {
            assert!(stage.store.mark(noor, &items, &mark, at(200)).await.unwrap().is_empty());
        }
        let all =
            stage.store.mark_all_read(noor, &Scope::Feed(feed), UpTo::EVERYTHING, at(200)).await.unwrap();
        assert_eq!(all.changed, 0);
        let peek = Interaction {
            user: noor,
            item: items[0],
            kind: InteractionKind::Hide,
            at: at(200),
            place: "newest".into(),
            position: Some(0),
            dwell_ms: None,
        };
        assert_eq!(stage.store.record_interactions(&[peek]).await.unwrap(), 0);
        assert_eq!(stage.unread(mira).await, 10);
    });
}

#[test]
fn mark_all_spares_what_came_after_the_page_and_can_be_taken_back() {
    on_both(|stage| async move {
        let (user, items) = two_feeds(&stage).await;
        let a = stage.store.subscriptions(user).await.unwrap()[0].feed.id;
        let page = UpTo { sort_at: at(8), item: stage.store.newest_item().await.unwrap() };
        // Arrives after the page was made, with a date before it.
        let late = stage.poll(a, at(5_000), vec![new_item(0)]).await.new_items[0];
        let done = stage.store.mark_all_read(user, &Scope::All, page, at(5_001)).await.unwrap();
        assert_eq!(done.changed, 8);
        assert_eq!(stage.titles(user, Scope::All, true).await, ["item 10", "item 9", "item 0"]);
        stage.assert_sound().await;
        // Clicks made since then win over the undo.
        stage.store.mark(user, &[items[0]], &Mark::Unread, at(5_002)).await.unwrap();
        stage.store.mark(user, &[items[0], late], &Mark::Read, at(5_003)).await.unwrap();
        let stranger = stage.user("noor").await;
        let token = done.undo.unwrap();
        assert!(matches!(stage.store.undo(stranger, token).await, Err(StoreError::NotFound { .. })));
        assert_eq!(stage.store.undo(user, token).await.unwrap(), 7);
        assert_eq!(stage.unread(user).await, 9);
        assert!(matches!(stage.store.undo(user, token).await, Err(StoreError::NotFound { .. })), "only once");
        assert!(stage.store.undo(user, UndoToken(-5)).await.is_err());
        stage.assert_sound().await;
    });
}

#[test]
fn mark_all_works_on_feeds_folders_stars_and_tags() {
    on_both(|stage| async move {
        let (user, items) = two_feeds(&stage).await;
        let feed = stage.store.subscriptions(user).await.unwrap()[1].feed.id;
        stage.store.mark(user, &items[..2], &Mark::Star, at(200)).await.unwrap();
        stage.store.mark(user, &items[2..3], &Mark::Tag("t".into()), at(200)).await.unwrap();
        let all = async |scope: Scope| {
            stage.store.mark_all_read(user, &scope, UpTo::EVERYTHING, at(201)).await.unwrap()
        };
        assert_eq!(all(Scope::Starred).await.changed, 2);
        let tagged = all(Scope::Tag("t".into())).await;
        assert_eq!(tagged.changed, 1);
        assert_eq!(stage.store.undo(user, tagged.undo.unwrap()).await.unwrap(), 1);
        assert_eq!(all(Scope::Feed(feed)).await.changed, 5);
        assert_eq!(stage.unread(user).await, 3);
        let nothing = all(Scope::Feed(feed)).await;
        assert_eq!((nothing.changed, nothing.undo), (0, None));
        stage.assert_sound().await;
    });
}

#[test]
fn a_new_subscriber_of_an_old_feed_finds_only_its_newest_items_unread() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.poll(feed, at(100), (1..=50).map(new_item).collect()).await;
        let noor = stage.user("noor").await;
        stage.subscribe(noor, "https://a.example/feed").await;
        assert_eq!(stage.unread(noor).await, 10);
        assert_eq!(stage.titles(noor, Scope::All, false).await.len(), 50);
        assert_eq!(stage.titles(noor, Scope::All, true).await.len(), 10);
        stage.assert_sound().await;
    });
}

#[test]
fn what_people_do_is_recorded_and_hiding_reads() {
    on_both(|stage| async move {
        let (user, items) = two_feeds(&stage).await;
        let act = |item: ItemId, kind: InteractionKind| Interaction {
            user,
            item,
            kind,
            at: at(300),
            place: "newest — and far too long a name for the place it happened in, with ümläuts".into(),
            position: Some(3),
            dwell_ms: Some(u64::MAX),
        };
        let acts: Vec<_> =
            InteractionKind::ALL.into_iter().zip(&items).map(|(kind, item)| act(*item, kind)).collect();
        assert_eq!(stage.store.record_interactions(&acts).await.unwrap(), acts.len() as u64);
        let hidden = acts.iter().find(|act| act.kind == InteractionKind::Hide).unwrap().item;
        let row = stage.store.item(user, hidden).await.unwrap().unwrap().row;
        assert!(row.hidden == Some(HiddenBy::Person) && row.is_read);
        assert_eq!(stage.unread(user).await, 9);
        stage.store.record_interactions(&[act(hidden, InteractionKind::Unhide)]).await.unwrap();
        assert!(stage.store.item(user, hidden).await.unwrap().unwrap().row.hidden.is_none());
        stage.store.record_access(&Access { user, at: at(301), feed: None }).await.unwrap();
        stage.assert_sound().await;
    });
}
