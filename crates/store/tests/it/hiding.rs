//! Hidden items, previews, tags, and the small questions of a page.

use crate::stage::*;
use domain::{DocumentItem, FeedId, ItemId, Preview, RuleScope, UserId};
use store::{Cursor, HiddenBy, ItemKind, ItemWrite, ListQuery, Mark, NewSince, Order, Retagged, Scope, UpTo};

async fn ten(stage: &Stage) -> (UserId, FeedId, Vec<ItemId>) {
    let user = stage.user("mira").await;
    let feed = stage.subscribe(user, "https://a.example/feed").await;
    let items = stage.poll(feed, at(100), (1..=10).map(new_item).collect()).await.new_items;
    (user, feed, items)
}

#[test]
fn hidden_items_are_out_of_every_list_but_hidden_starred_and_tagged() {
    on_both(|stage| async move {
        let (user, feed, items) = ten(&stage).await;
        let folder = stage.store.add_folder(user, None, "F").await.unwrap();
        let edit = store::SubscriptionEdit { folder: Some(Some(folder)), ..Default::default() };
        stage.store.edit_subscription(user, feed, &edit).await.unwrap();
        stage.store.mark(user, &items[..2], &Mark::Star, at(200)).await.unwrap();
        stage.store.mark(user, &items[1..3], &Mark::Tag("t".into()), at(200)).await.unwrap();
        let hidden = stage.store.mark(user, &items[..4], &Mark::Hide, at(200)).await.unwrap();
        assert_eq!(hidden.len(), 4);
        assert!(stage.store.mark(user, &items[..4], &Mark::Hide, at(201)).await.unwrap().is_empty());
        for scope in [Scope::All, Scope::Feed(feed), Scope::Folder(folder)] {
            for unread_only in [false, true] {
                let titles = stage.titles(user, scope.clone(), unread_only).await;
                assert_eq!(titles.len(), 6, "{scope:?}");
                assert_eq!(titles.last().unwrap(), "item 5");
            }
        }
        assert_eq!(stage.titles(user, Scope::Hidden, false).await, ["item 4", "item 3", "item 2", "item 1"]);
        assert!(stage.titles(user, Scope::Hidden, true).await.is_empty(), "hidden is read");
        assert_eq!(stage.titles(user, Scope::Starred, false).await, ["item 2", "item 1"]);
        assert_eq!(stage.titles(user, Scope::Tag("t".into()), false).await, ["item 3", "item 2"]);
        assert_eq!(stage.unread(user).await, 6);
        let query = ListQuery {
            scope: Scope::Hidden,
            unread_only: false,
            order: Order::OldestFirst,
            limit: 3,
            after: Some(Cursor { sort_at: at(1), id: items[0] }),
        };
        let page = stage.store.list(user, &query).await.unwrap();
        assert_eq!(page.iter().map(|row| row.item.id).collect::<Vec<_>>(), items[1..4]);
        assert!(page.iter().all(|row| row.hidden == Some(HiddenBy::Person)));
        stage.assert_sound().await;
    });
}

#[test]
fn showing_an_item_again_makes_unread_what_was_unread() {
    on_both(|stage| async move {
        let (user, _, items) = ten(&stage).await;
        stage.store.mark(user, &items[..1], &Mark::Read, at(200)).await.unwrap();
        stage.store.mark(user, &items[..2], &Mark::Hide, at(201)).await.unwrap();
        assert!(stage.store.mark(user, &items[..2], &Mark::Unread, at(202)).await.unwrap().is_empty());
        assert_eq!(stage.unread(user).await, 8);
        let shown = stage.store.mark(user, &items[..3], &Mark::Hide.inverse(), at(203)).await.unwrap();
        assert_eq!(shown.len(), 2);
        assert_eq!(stage.unread(user).await, 9, "one of the two had been read");
        stage.assert_sound().await;
    });
}

#[test]
fn no_undo_makes_a_hidden_item_unread() {
    on_both(|stage| async move {
        let (user, _, items) = ten(&stage).await;
        stage.store.mark(user, &items[..1], &Mark::Star, at(200)).await.unwrap();
        for scope in [Scope::All, Scope::Starred] {
            let done = stage.store.mark_all_read(user, &scope, UpTo::EVERYTHING, at(201)).await.unwrap();
            stage.store.mark(user, &items[..1], &Mark::Hide, at(202)).await.unwrap();
            stage.store.undo(user, done.undo.unwrap()).await.unwrap();
            stage.assert_sound().await;
            assert!(stage.store.item(user, items[0]).await.unwrap().unwrap().row.is_read);
            stage.store.mark(user, &items[..1], &Mark::Unhide, at(203)).await.unwrap();
            stage.store.mark(user, &items[..1], &Mark::Unread, at(203)).await.unwrap();
            assert_eq!(stage.unread(user).await, 10);
        }
        let none = stage.store.mark_all_read(user, &Scope::Hidden, UpTo::EVERYTHING, at(204)).await.unwrap();
        assert_eq!((none.changed, none.undo), (0, None));
    });
}

#[test]
fn a_list_shows_what_was_made_of_the_body_and_an_edit_renews_it() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let preview = Preview {
            excerpt: Some("It \0begins".into()),
            picture: Some("https://a.example/p.jpg".into()),
            words: 350,
            playable: true,
        };
        let kind = ItemKind::New { sort_at: at(1), unread: true };
        let write = ItemWrite::new(&document_item(1), kind, preview.clone());
        let item = stage.poll(feed, at(100), vec![write]).await.new_items[0];
        let row = stage.store.items_by_id(user, &[item]).await.unwrap().remove(0);
        assert_eq!(row.item.preview, Preview { excerpt: Some("It begins".into()), ..preview });
        let edited = DocumentItem { content_hash: 77, ..document_item(1) };
        let shorter = Preview { words: 3, ..Preview::default() };
        let write = ItemWrite::new(&edited, ItemKind::Changed(item), shorter.clone());
        stage.poll(feed, at(5_000), vec![write]).await;
        assert_eq!(stage.store.item(user, item).await.unwrap().unwrap().row.item.preview, shorter);
    });
}

#[test]
fn items_are_found_by_number_in_the_order_asked() {
    on_both(|stage| async move {
        let (user, feed, items) = ten(&stage).await;
        let asked = [items[3], ItemId(-1), items[1], items[3], ItemId(i64::MAX)];
        let rows = stage.store.items_by_id(user, &asked).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.item.id).collect::<Vec<_>>(), [items[3], items[1]]);
        let noor = stage.user("noor").await;
        assert!(stage.store.items_by_id(noor, &items).await.unwrap().is_empty());
        stage.store.mark(user, &items[..1], &Mark::Star, at(200)).await.unwrap();
        stage.store.unsubscribe(user, feed, at(201)).await.unwrap();
        assert_eq!(stage.store.items_by_id(user, &items).await.unwrap().len(), 1, "the starred one stays");
    });
}

#[test]
fn what_is_new_since_a_page_is_counted_per_scope() {
    on_both(|stage| async move {
        let (user, feed, items) = ten(&stage).await;
        let newest = *items.last().unwrap();
        let since = async |scope: Scope| stage.store.new_since(user, &scope, newest).await.unwrap();
        assert_eq!(since(Scope::All).await, NewSince { count: 0, newest });
        let other = stage.subscribe(user, "https://b.example/feed").await;
        let late = stage.poll(other, at(200), (1..=4).map(new_item).collect()).await.new_items;
        stage.store.mark(user, &late[..1], &Mark::Hide, at(201)).await.unwrap();
        stage.store.mark(user, &late[1..2], &Mark::Read, at(201)).await.unwrap();
        let stranger = stage.user("noor").await;
        stage.subscribe(stranger, "https://c.example/feed").await;
        assert_eq!(since(Scope::All).await, NewSince { count: 2, newest: late[3] });
        assert_eq!(since(Scope::Feed(other)).await, NewSince { count: 2, newest: late[3] });
        assert_eq!(since(Scope::Feed(feed)).await, NewSince { count: 0, newest });
        let folder = stage.store.add_folder(user, None, "F").await.unwrap();
        assert_eq!(since(Scope::Folder(folder)).await.count, 0);
        let edit = store::SubscriptionEdit { folder: Some(Some(folder)), ..Default::default() };
        stage.store.edit_subscription(user, other, &edit).await.unwrap();
        assert_eq!(since(Scope::Folder(folder)).await.count, 2);
        for scope in [Scope::Starred, Scope::Tag("t".into()), Scope::Hidden] {
            assert_eq!(since(scope).await.count, 0);
        }
        assert_eq!(stage.store.new_since(stranger, &Scope::Feed(other), newest).await.unwrap().count, 0);
        stage.poll(other, at(9_000), (1_000..2_500).map(new_item).collect()).await;
        assert_eq!(since(Scope::All).await.count, 1_000, "as many as anybody counts");
    });
}

#[test]
fn a_rule_can_be_tried_on_recent_items_hidden_ones_too() {
    on_both(|stage| async move {
        let (user, feed, items) = ten(&stage).await;
        stage.store.mark(user, &items[9..], &Mark::Hide, at(200)).await.unwrap();
        for scope in [RuleScope::Everything, RuleScope::Feed(feed)] {
            let recent = stage.store.recent_items(user, scope, 3).await.unwrap();
            assert_eq!(recent.iter().map(|r| r.item.id).collect::<Vec<_>>(), [items[9], items[8], items[7]]);
            assert!(recent[0].body.content.as_ref().unwrap().contains("item 10"));
        }
        let noor = stage.user("noor").await;
        assert!(stage.store.recent_items(noor, RuleScope::Feed(feed), 10).await.unwrap().is_empty());
    });
}

#[test]
fn tags_are_counted_renamed_merged_and_removed() {
    on_both(|stage| async move {
        let (user, _, items) = ten(&stage).await;
        let store = &stage.store;
        store.mark(user, &items[..3], &Mark::Tag("later".into()), at(200)).await.unwrap();
        store.mark(user, &items[2..5], &Mark::Tag("rust".into()), at(200)).await.unwrap();
        store.mark(user, &items[..2], &Mark::Star, at(200)).await.unwrap();
        assert_eq!(store.starred_count(user).await.unwrap(), 2);
        let tags = async || -> Vec<(String, u64)> {
            store.tags(user).await.unwrap().into_iter().map(|count| (count.tag, count.items)).collect()
        };
        assert_eq!(tags().await, [("later".into(), 3), ("rust".into(), 3)]);
        let rename = async |from: &str, to: &str| store.rename_tag(user, from, to, at(210)).await.unwrap();
        let remove = async |tag: &str| store.remove_tag(user, tag, at(220)).await.unwrap();
        assert_eq!(rename("later", " ").await, Retagged::default());
        let merged = rename("later", "rust").await;
        assert_eq!((merged.items, tags().await), (3, vec![("rust".into(), 5)]));
        assert_eq!(rename("rust", "Rust").await.items, 5);
        assert_eq!(stage.titles(user, Scope::Tag("Rust".into()), false).await.len(), 5);
        assert_eq!(remove("Rust").await.items, 5);
        assert_eq!(remove("Rust").await, Retagged::default());
        assert!(tags().await.is_empty());
    });
}

#[test]
fn what_was_done_to_a_tag_can_be_taken_back_once() {
    on_both(|stage| async move {
        let (user, _, items) = ten(&stage).await;
        let store = &stage.store;
        store.mark(user, &items[..3], &Mark::Tag("later".into()), at(200)).await.unwrap();
        store.mark(user, &items[2..5], &Mark::Tag("rust".into()), at(200)).await.unwrap();
        let tags = async || -> Vec<(String, u64)> {
            store.tags(user).await.unwrap().into_iter().map(|count| (count.tag, count.items)).collect()
        };
        let before = tags().await;
        let merged = store.rename_tag(user, "later", "rust", at(210)).await.unwrap();
        let token = merged.undo.expect("something to take back");
        let noor = stage.user("noor").await;
        assert!(store.undo(noor, token).await.is_err(), "a token works for its owner only");
        store.undo(user, token).await.unwrap();
        assert_eq!(tags().await, before, "the item that had both keeps both");
        assert!(store.undo(user, token).await.is_err());
        let removed = store.remove_tag(user, "rust", at(220)).await.unwrap();
        store.mark(user, &items[7..8], &Mark::Tag("rust".into()), at(230)).await.unwrap();
        store.undo(user, removed.undo.expect("something to take back")).await.unwrap();
        assert_eq!(tags().await, [("later".into(), 3), ("rust".into(), 4)], "what was tagged since stays so");
    });
}
