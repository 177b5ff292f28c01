//! Folders as a person arranges them.

use crate::stage::*;
use domain::{Condition, FolderId, Pattern, RuleAction, RuleField, RuleOrder, RuleScope, UserId};
use store::{StoreError, SubscriptionEdit};

async fn add(stage: &Stage, user: UserId, parent: Option<FolderId>, name: &str) -> FolderId {
    stage.store.add_folder(user, parent, name).await.unwrap()
}

/// Folder paths and, behind a colon, the feeds directly inside.
async fn shape(stage: &Stage, user: UserId) -> Vec<String> {
    let folders = stage.store.folders(user).await.unwrap();
    let feeds = stage.store.subscriptions(user).await.unwrap();
    let mut shape: Vec<String> = folders
        .iter()
        .map(|folder| {
            let mut path = vec![folder.name.clone()];
            let mut parent = folder.parent;
            while let Some(id) = parent {
                let above = folders.iter().find(|f| f.id == id).unwrap();
                path.push(above.name.clone());
                parent = above.parent;
            }
            path.reverse();
            let inside = feeds.iter().filter(|f| f.subscription.folder == Some(folder.id)).count();
            format!("{}: {inside}", path.join("/"))
        })
        .collect();
    shape.sort();
    shape
}

async fn put(stage: &Stage, user: UserId, url: &str, folder: Option<FolderId>) -> domain::FeedId {
    let feed = stage.subscribe(user, url).await;
    let edit = SubscriptionEdit { folder: Some(folder), ..SubscriptionEdit::default() };
    stage.store.edit_subscription(user, feed, &edit).await.unwrap();
    feed
}

#[test]
fn folders_are_added_once_renamed_and_moved_but_never_into_themselves() {
    on_both(|stage| async move {
        let (store, user) = (&stage.store, stage.user("mira").await);
        let tech = add(&stage, user, None, " Tech ").await;
        assert_eq!(add(&stage, user, None, "Tech").await, tech);
        let rust = add(&stage, user, Some(tech), "Rust").await;
        let news = add(&stage, user, None, "News").await;
        let conflict = |result: Result<(), StoreError>| matches!(result, Err(StoreError::Conflict { .. }));
        assert!(conflict(store.rename_folder(user, news, "Tech").await));
        assert!(conflict(store.rename_folder(user, news, " ").await));
        store.rename_folder(user, news, "News").await.unwrap();
        assert!(conflict(store.move_folder(user, tech, Some(rust)).await));
        assert!(conflict(store.move_folder(user, tech, Some(tech)).await));
        store.move_folder(user, news, Some(rust)).await.unwrap();
        assert_eq!(shape(&stage, user).await, ["Tech/Rust/News: 0", "Tech/Rust: 0", "Tech: 0"]);
        store.move_folder(user, rust, None).await.unwrap();
        assert_eq!(shape(&stage, user).await, ["Rust/News: 0", "Rust: 0", "Tech: 0"]);
        let other = add(&stage, user, Some(tech), "Rust").await;
        assert!(conflict(store.move_folder(user, other, None).await), "the name is taken there");
        let unknown = store.move_folder(user, FolderId(999), None).await;
        assert!(matches!(unknown, Err(StoreError::NotFound { .. })));
    });
}

#[test]
fn folders_go_sixteen_levels_deep() {
    on_both(|stage| async move {
        let (store, user) = (&stage.store, stage.user("mira").await);
        let mut parent = None;
        for n in 0..16 {
            parent = Some(add(&stage, user, parent, &n.to_string()).await);
        }
        assert!(matches!(store.add_folder(user, parent, "16").await, Err(StoreError::Conflict { .. })));
        let pair = add(&stage, user, None, "pair").await;
        add(&stage, user, Some(pair), "inner").await;
        let deep = store.folders(user).await.unwrap().into_iter().find(|f| f.name == "14").unwrap().id;
        let refused = store.move_folder(user, pair, Some(deep)).await;
        assert!(matches!(refused, Err(StoreError::Conflict { .. })), "its inner folder would be too deep");
        let less = store.folders(user).await.unwrap().into_iter().find(|f| f.name == "13").unwrap().id;
        store.move_folder(user, pair, Some(less)).await.unwrap();
    });
}

#[test]
fn a_removed_folder_leaves_its_feeds_one_level_up_and_comes_back() {
    on_both(|stage| async move {
        let (store, user) = (&stage.store, stage.user("mira").await);
        let tech = add(&stage, user, None, "Tech").await;
        let rust = add(&stage, user, Some(tech), "Rust").await;
        let inner = add(&stage, user, Some(rust), "Async").await;
        // Removing Tech/Rust brings its Async beside another Async: the two become one, and two again.
        let namesake = add(&stage, user, Some(tech), "Async").await;
        put(&stage, user, "https://a.example/feed", Some(rust)).await;
        put(&stage, user, "https://b.example/feed", Some(inner)).await;
        put(&stage, user, "https://c.example/feed", Some(namesake)).await;
        let order = RuleOrder {
            scope: RuleScope::Folder(rust),
            conditions: vec![Condition {
                field: RuleField::Title,
                pattern: Pattern::Phrase("x".into()),
                negated: false,
            }],
            action: RuleAction::Hide,
        };
        let rule = store.add_rule(user, &order, at(0)).await.unwrap();
        let before = shape(&stage, user).await;
        let token = store.remove_folder(user, rust, at(10)).await.unwrap();
        assert_eq!(shape(&stage, user).await, ["Tech/Async: 2", "Tech: 1"]);
        let stopped = store.rules(user).await.unwrap().remove(0);
        assert!(!stopped.enabled && stopped.notice.is_some(), "{stopped:?}");
        store.undo(user, token).await.unwrap();
        assert_eq!(shape(&stage, user).await, before);
        let again = store.rules(user).await.unwrap().remove(0);
        assert_eq!((again.id, again.enabled, again.notice), (rule, true, None));
        // Taken back after the place was taken by another folder of that name: the feeds go there.
        let token = store.remove_folder(user, rust, at(20)).await.unwrap();
        add(&stage, user, Some(tech), "Rust").await;
        store.undo(user, token).await.unwrap();
        assert_eq!(shape(&stage, user).await, before);
        let tree = store.remove_folder(user, tech, at(30)).await.unwrap();
        assert_eq!(shape(&stage, user).await, ["Async: 1", "Rust/Async: 1", "Rust: 1"]);
        store.undo(user, tree).await.unwrap();
        assert_eq!(shape(&stage, user).await, before);
        stage.assert_sound().await;
    });
}
