//! Leases and commits.
use crate::stage::*;
use store::Scope;

#[test]
fn a_feed_is_polled_its_items_are_stored_and_listed() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let leased = stage.lease(at(1)).await;
        assert_eq!(leased.len(), 1);
        let done = stage.store.commit_poll(commit(&leased[0], at(2), vec![new_item(1), new_item(2)])).await.unwrap();
        assert!(done.accepted);
        assert_eq!(done.new_items.len(), 2);
        assert_eq!(stage.titles(user, Scope::All, false).await, ["item 2", "item 1"]);
        assert_eq!(stage.titles(user, Scope::Feed(feed), true).await, ["item 2", "item 1"]);
        assert_eq!(stage.unread(user).await, 2);
        stage.assert_sound().await;
    });
}
