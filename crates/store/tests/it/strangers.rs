//! A5: whatever number somebody sends, they reach nothing of another's.

use crate::stage::*;
use domain::interaction::{Interaction, InteractionKind};
use domain::{
    FeedId, FolderId, ImportId, ItemId, RuleAction, RuleId, RuleOrder, RuleScope, SessionId, UserId,
};
use store::{Mark, NewImport, Scope, StoreError, SubscriptionEdit, UndoToken, UpTo};

struct Belongings {
    feed: FeedId,
    private: FeedId,
    items: Vec<ItemId>,
    folder: FolderId,
    rule: RuleId,
    session: SessionId,
    token: i64,
    import: ImportId,
    undo: UndoToken,
}

fn order() -> RuleOrder {
    RuleOrder { scope: RuleScope::Everything, conditions: vec![], action: RuleAction::Hide }
}

fn import(feeds: &[FeedId]) -> NewImport<'_> {
    NewImport { name: "x", feeds, ..NewImport::default() }
}

async fn fill(stage: &Stage, user: UserId) -> Belongings {
    let store = &stage.store;
    let feed = stage.subscribe(user, "https://a.example/feed").await;
    let left = stage.subscribe(user, "https://left.example/feed").await;
    let mut secret = wish("https://b.example/feed");
    (secret.private, secret.sealed) = (true, Some(vec![1]));
    let private = store.subscribe(user, &secret, at(0), at(0)).await.unwrap().feed;
    let mut items = stage.poll(feed, at(100), (1..=6).map(new_item).collect()).await.new_items;
    items.extend(stage.poll(private, at(100), (7..=9).map(new_item).collect()).await.new_items);
    for (n, mark) in [Mark::Read, Mark::Star, Mark::Tag("t".into()), Mark::Hide].iter().enumerate() {
        store.mark(user, &items[n..=n], mark, at(200)).await.unwrap();
    }
    store.set_media_position(user, items[0], 0, 5.0, at(200)).await.unwrap();
    let folder = store.add_folder(user, None, "F").await.unwrap();
    let rule = store.add_rule(user, &order(), at(200)).await.unwrap();
    let session = store.add_session(user, [1; 32], "", "", at(0), at(9_999)).await.unwrap();
    store.add_token(user, "phone", [1; 32], at(0)).await.unwrap();
    let token = store.tokens(user).await.unwrap()[0].id;
    let import = store.add_import(user, &import(&[feed, private]), at(0)).await.unwrap();
    let undo = store.unsubscribe(user, left, at(300)).await.unwrap().unwrap();
    Belongings { feed, private, items, folder, rule, session, token, import, undo }
}

/// Everything a person sees, as text.
async fn view(stage: &Stage, user: UserId) -> String {
    let store = &stage.store;
    let mut lists = Vec::new();
    for scope in [Scope::All, Scope::Starred, Scope::Tag("t".into()), Scope::Hidden] {
        for unread in [false, true] {
            lists.push(stage.titles(user, scope.clone(), unread).await);
        }
    }
    let import = store.newest_import(user).await.unwrap().unwrap();
    format!(
        "{lists:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        store.account(user).await.unwrap(),
        store.subscriptions(user).await.unwrap(),
        store.folders(user).await.unwrap(),
        store.rules(user).await.unwrap(),
        store.tags(user).await.unwrap(),
        store.sessions(user, at(0)).await.unwrap(),
        store.tokens(user).await.unwrap(),
        store.import(user, import).await.unwrap(),
        store.feed_worth(user, at(0), at(1_000)).await.unwrap(),
    )
}

fn absent<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    assert!(matches!(result, Err(StoreError::NotFound { .. })), "{result:?}");
}

#[test]
fn a5_no_method_reaches_anothers_rows() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let hers = fill(&stage, mira).await;
        let own = stage.subscribe(noor, "https://noor.example/feed").await;
        let before = view(&stage, mira).await;

        assert!(store.sessions(noor, at(0)).await.unwrap().is_empty());
        assert!(!store.end_session(noor, hers.session).await.unwrap());
        assert_eq!(store.end_other_sessions(noor, None).await.unwrap(), 0);
        assert!(store.tokens(noor).await.unwrap().is_empty());
        assert!(!store.remove_token(noor, hers.token).await.unwrap());

        absent(store.rename_folder(noor, hers.folder, "x").await);
        absent(store.move_folder(noor, hers.folder, None).await);
        absent(store.remove_folder(noor, hers.folder, at(400)).await);
        absent(store.add_folder(noor, Some(hers.folder), "x").await);
        let into = SubscriptionEdit { folder: Some(Some(hers.folder)), ..SubscriptionEdit::default() };
        absent(store.edit_subscription(noor, own, &into).await);

        for feed in [hers.feed, hers.private] {
            let edit =
                SubscriptionEdit { paused: Some(true), title: Some(None), ..SubscriptionEdit::default() };
            absent(store.edit_subscription(noor, feed, &edit).await);
            assert!(store.subscription(noor, feed).await.unwrap().is_none());
            assert!(store.unsubscribe(noor, feed, at(400)).await.unwrap().is_none());
            absent(store.make_private(noor, feed, None, None, at(400)).await);
            absent(store.make_private(noor, feed, Some(vec![2]), None, at(400)).await);
            assert!(store.feed_opens(noor, feed, at(0)).await.unwrap().is_empty());
            assert!(store.recent_items(noor, RuleScope::Feed(feed), 10).await.unwrap().is_empty());
            assert_eq!(store.new_since(noor, &Scope::Feed(feed), ItemId(0)).await.unwrap().count, 0);
            let all = store.mark_all_read(noor, &Scope::Feed(feed), UpTo::EVERYTHING, at(400)).await.unwrap();
            assert_eq!(all.changed, 0);
        }
        assert!(store.recent_items(noor, RuleScope::Folder(hers.folder), 10).await.unwrap().is_empty());
        absent(store.undo(noor, hers.undo).await);

        absent(store.set_rule(noor, hers.rule, &order()).await);
        absent(store.enable_rule(noor, hers.rule, false).await);
        assert!(!store.remove_rule(noor, hers.rule).await.unwrap());
        assert!(store.rules(noor).await.unwrap().is_empty());

        let marks = [Mark::Read, Mark::Unread, Mark::Star, Mark::Unstar, Mark::Tag("t".into())];
        for mark in marks.into_iter().chain([Mark::Untag("t".into()), Mark::Hide, Mark::Unhide]) {
            assert!(store.mark(noor, &hers.items, &mark, at(400)).await.unwrap().is_empty(), "{mark:?}");
        }
        for kind in [InteractionKind::Hide, InteractionKind::Unhide, InteractionKind::Open] {
            let seen = |item: &ItemId| Interaction {
                user: noor,
                item: *item,
                kind,
                at: at(400),
                place: String::new(),
                position: None,
                dwell_ms: None,
            };
            let seen: Vec<_> = hers.items.iter().map(seen).collect();
            assert_eq!(store.record_interactions(&seen).await.unwrap(), 0);
        }
        assert!(store.items_by_id(noor, &hers.items).await.unwrap().is_empty());
        assert!(store.tags(noor).await.unwrap().is_empty());
        assert_eq!(store.rename_tag(noor, "t", "u", at(9)).await.unwrap().items, 0);
        assert_eq!(store.remove_tag(noor, "t", at(9)).await.unwrap().items, 0);
        assert_eq!(store.starred_count(noor).await.unwrap(), 0);
        for item in &hers.items {
            assert!(store.media_position(noor, *item).await.unwrap().is_empty());
            absent(store.set_media_position(noor, *item, 0, 1.0, at(400)).await);
        }
        assert!(store.import(noor, hers.import).await.unwrap().is_none());
        // An import that names another's private feed does not tell of it.
        let spying = store.add_import(noor, &import(&[hers.private]), at(0)).await.unwrap();
        let spied = store.import(noor, spying).await.unwrap().unwrap();
        assert!(spied.ticks.is_empty() && spied.items == 0);
        assert_eq!(store.feed_worth(noor, at(0), at(1_000)).await.unwrap().len(), 1);
        store
            .set_preferences(noor, &domain::Preferences { hide_read: true, ..Default::default() })
            .await
            .unwrap();
        store.remove_user(noor, at(500)).await.unwrap();

        assert_eq!(view(&stage, mira).await, before);
        assert_eq!(store.media_position(mira, hers.items[0]).await.unwrap(), [(0, 5.0)]);
        store.undo(mira, hers.undo).await.unwrap();
        stage.assert_sound().await;
    });
}
