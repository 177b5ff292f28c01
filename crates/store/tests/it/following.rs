//! Following items by their numbers: in order, none left out, whatever else is under way.

use crate::stage::*;
use domain::{DocumentItem, FeedId, ItemId, Preview, UserId};
use sqlx::Connection;
use std::time::Duration;
use store::{ItemChangeKind, ItemKind, ItemWrite, Place, RetentionPolicy};

/// All items after `after`, page by page.
async fn follow(stage: &Stage, mut after: ItemId, limit: u32) -> (Vec<ItemId>, ItemId) {
    let mut met = Vec::new();
    loop {
        let page = stage.store.items_after(after, limit).await.unwrap();
        met.extend(page.items.iter().map(|item| item.content.item.id));
        assert!(page.to >= after && met.last().is_none_or(|last| page.to >= *last));
        after = page.to;
        if !page.more {
            return (met, after);
        }
    }
}

async fn kinds_after(stage: &Stage, after: i64) -> Vec<(ItemChangeKind, ItemId, FeedId)> {
    let changes = stage.store.item_changes_after(after, 1_000).await.unwrap().changes;
    changes.into_iter().map(|change| (change.kind, change.item, change.feed)).collect()
}

#[test]
fn items_are_followed_in_order_whole_and_once() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let one = stage.subscribe(user, "https://a.example/feed").await;
        let two = stage.subscribe(user, "https://b.example/feed").await;
        let mut stored = stage.poll(one, at(100), (1..=7).map(new_item).collect()).await.new_items;
        stored.extend(stage.poll(two, at(101), (1..=6).map(new_item).collect()).await.new_items);
        stored.sort_unstable();
        let (met, to) = follow(&stage, ItemId(0), 3).await;
        assert_eq!(met, stored);
        assert_eq!(follow(&stage, to, 3).await.0, []);
        stored = stage.poll(one, at(200), vec![new_item(8)]).await.new_items;
        let page = stage.store.items_after(to, 10).await.unwrap();
        assert_eq!(page.items[0].content.item.id, stored[0]);
        assert_eq!(page.items[0].content.item.title.as_deref(), Some("item 8"));
        assert_eq!(page.items[0].content.body.content.as_deref(), Some("<p>The text of item 8.</p>"));
        assert_eq!(stage.store.items_total().await.unwrap(), 14);
        let asked = [stored[0], ItemId(9_999), met[0]];
        let whole = stage.store.items_whole(&asked).await.unwrap();
        assert_eq!(whole.asked, 3);
        let ids: Vec<ItemId> = whole.items.iter().map(|item| item.content.item.id).collect();
        assert_eq!(ids, [stored[0], met[0]]);
        assert_eq!(stage.store.newest_of_feed(one, met[5], 3).await.unwrap(), met[3..6]);
    });
}

#[test]
fn a_page_of_items_costs_a_bounded_amount_of_memory() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        // Packed these are small; unpacked each is a megabyte.
        let large = |number: u64| {
            let item = DocumentItem { content: Some("word ".repeat(200_000)), ..document_item(number) };
            let kind = ItemKind::New { sort_at: at(number as i64), unread: true };
            ItemWrite::new(&item, kind, Preview::default())
        };
        let stored = stage.poll(feed, at(100), (1..=30).map(large).collect()).await.new_items;
        let page = stage.store.items_after(ItemId(0), 1_000).await.unwrap();
        assert!((8..=10).contains(&page.items.len()) && page.more, "{}", page.items.len());
        assert_eq!(follow(&stage, ItemId(0), 1_000).await.0, stored);
        let whole = stage.store.items_whole(&stored).await.unwrap();
        assert!((8..=10).contains(&whole.asked) && whole.items.len() == whole.asked);
    });
}

#[test]
fn followers_hear_of_edits_and_removals_in_their_order() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=5).map(new_item).collect()).await.new_items;
        let start = stage.store.newest_change().await.unwrap();
        stage.poll(feed, at(200), vec![changed(2, items[1], "new words")]).await;
        stage.store.mark(user, &items, &store::Mark::Read, at(300)).await.unwrap();
        let policy = RetentionPolicy { count_per_feed: Some(3), ..RetentionPolicy::default() };
        while stage.store.retention(at(400), &policy).await.unwrap().more {}
        use ItemChangeKind::{Edited, Removed};
        let expected = [(Edited, items[1], feed), (Removed, items[0], feed), (Removed, items[1], feed)];
        assert_eq!(kinds_after(&stage, start).await, expected);
        let first = stage.store.item_changes_after(start, 1).await.unwrap();
        assert!(first.more && first.changes.len() == 1 && !first.missed);
        assert_eq!(kinds_after(&stage, first.to).await, expected[1..]);
        stage.assert_sound().await;
    });
}

#[test]
fn a_private_feed_that_goes_with_its_owner_is_told_as_one_change() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let shared = stage.subscribe(mira, "https://a.example/feed").await;
        stage.subscribe(noor, "https://a.example/feed").await;
        let mut secret = wish("https://b.example/feed");
        (secret.private, secret.sealed) = (true, Some(vec![1]));
        let private = stage.store.subscribe(mira, &secret, at(0), at(0)).await.unwrap().feed;
        stage.poll(shared, at(100), vec![new_item(1)]).await;
        stage.poll(private, at(100), vec![new_item(1)]).await;
        stage.store.remove_user(mira, at(500)).await.unwrap();
        assert_eq!(kinds_after(&stage, 0).await, [(ItemChangeKind::FeedRemoved, ItemId(0), private)]);
    });
}

#[test]
fn a_follower_that_was_away_too_long_learns_so() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), vec![new_item(1)]).await.new_items;
        stage.poll(feed, at(200), vec![changed(1, items[0], "a")]).await;
        let known = stage.store.newest_change().await.unwrap();
        stage.poll(feed, at(300), vec![changed(1, items[0], "b")]).await;
        assert!(!stage.store.item_changes_after(known, 10).await.unwrap().missed);
        let later = at(300).saturating_add(Duration::from_secs(31 * 86_400));
        stage.store.prune(later).await.unwrap();
        assert!(stage.store.item_changes_after(known, 10).await.unwrap().missed);
        let start = stage.store.newest_change().await.unwrap();
        assert!(!stage.store.item_changes_after(start, 10).await.unwrap().missed);
        stage.poll(feed, later, vec![changed(1, items[0], "c")]).await;
        assert_eq!(kinds_after(&stage, start).await.len(), 1);
    });
}

#[test]
fn followers_are_woken_by_items_edits_and_what_was_learned() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let mut arrivals = stage.store.arrivals();
        let items = stage.poll(feed, at(100), vec![new_item(1)]).await.new_items;
        arrivals.next().await;
        stage.poll(feed, at(200), vec![changed(1, items[0], "a")]).await;
        arrivals.next().await;
        stage.poll(feed, at(300), vec![]).await;
        let idle = tokio::time::timeout(Duration::from_millis(50), arrivals.next()).await;
        assert!(idle.is_err(), "a poll without news wakes nobody");
    });
}

#[test]
fn numbers_of_a_restored_store_are_not_taken_for_the_old_ones() {
    on_both(|stage| async move {
        let dir = tempfile::tempdir().unwrap();
        let user: UserId = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=3).map(new_item).collect()).await.new_items;
        let epoch = stage.store.epoch().await.unwrap();
        assert_eq!(stage.store.epoch().await.unwrap(), epoch);
        stage.store.backup(&dir.path().join("archive"), at(200)).await.unwrap();
        let restored = sqlite().await;
        restored.store.restore(&dir.path().join("archive")).await.unwrap();
        assert_ne!(restored.store.epoch().await.unwrap(), epoch);
        assert_eq!(follow(&restored, ItemId(0), 10).await.0, items);
        if let Some(restored) = postgres().await {
            restored.store.restore(&dir.path().join("archive")).await.unwrap();
            assert_eq!(follow(&restored, ItemId(0), 10).await.0, items);
            restored.store.close().await;
            drop_schema(&restored.config).await;
        }
    });
}

/// What a transaction does before it numbers items.
const HOLD: &str = "BEGIN; SELECT pg_advisory_xact_lock_shared(7323, hashtext(current_schema()))";

/// PostgreSQL only: SQLite has one writer.
#[test]
fn a_number_that_is_still_under_way_holds_back_all_later_ones() {
    on_both(|stage| async move {
        let Place::Postgres(url) = &stage.config.place else { return };
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let first = stage.poll(feed, at(100), vec![new_item(1)]).await.new_items[0];
        let (_, to) = follow(&stage, ItemId(0), 10).await;
        assert_eq!(to, first);
        // Another node has taken a number and not committed yet.
        let mut slow = sqlx::PgConnection::connect(url.reveal()).await.unwrap();
        sqlx::raw_sql(HOLD).execute(&mut slow).await.unwrap();
        let (taken,): (i64,) = sqlx::query_as("SELECT nextval(pg_get_serial_sequence('item', 'id'))")
            .fetch_one(&mut slow)
            .await
            .unwrap();
        let later = stage.poll(feed, at(200), vec![new_item(2)]).await.new_items[0];
        assert!(later.0 > taken);
        assert_eq!(follow(&stage, to, 10).await, (vec![], to), "nobody may pass the number under way");
        let copy = sqlx::query(
            "INSERT INTO item (id, feed_id, identity, sort_at, first_seen_at, title, content_hash, revision, bytes)
             SELECT $1, feed_id, CAST('0123456789abcdef' AS bytea), sort_at, first_seen_at, 'slow', 1, 0, 0
             FROM item WHERE id = $2",
        );
        copy.bind(taken).bind(first.0).execute(&mut slow).await.unwrap();
        // What begins later does not hold anything back for ever.
        let mut busy = sqlx::PgConnection::connect(url.reveal()).await.unwrap();
        sqlx::raw_sql(HOLD).execute(&mut busy).await.unwrap();
        assert_eq!(follow(&stage, to, 10).await, (vec![], to));
        sqlx::raw_sql("COMMIT").execute(&mut slow).await.unwrap();
        let (met, to) = follow(&stage, to, 10).await;
        assert_eq!(met, [ItemId(taken), later]);
        sqlx::raw_sql("ROLLBACK").execute(&mut busy).await.unwrap();
        assert_eq!(follow(&stage, to, 10).await.0, []);
        slow.close().await.unwrap();
        busy.close().await.unwrap();
    });
}
