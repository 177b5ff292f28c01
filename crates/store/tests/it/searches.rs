//! Saved searches: kept, bounded, one person's own.

use crate::stage::*;
use domain::{ItemId, SearchId};
use store::StoreError;

#[test]
fn a_saved_search_is_kept_renamed_seen_removed_and_brought_back() {
    on_both(|mut stage| async move {
        let user = stage.user("mira").await;
        let add = |name: &'static str, query: &'static str| {
            let store = stage.store.clone();
            async move { store.add_saved_search(user, name, query, ItemId(5), at(10)).await.unwrap() }
        };
        let (one, two) = (add("Bees", "bees OR wasps").await, add("  ", "is:starred").await);
        stage.store.rename_saved_search(user, one, "Insects").await.unwrap();
        stage.store.rename_saved_search(user, one, "   ").await.unwrap();
        stage.store.seen_saved_search(user, one, ItemId(9)).await.unwrap();
        stage.store.seen_saved_search(user, one, ItemId(7)).await.unwrap();
        stage.reopen().await;
        let kept = stage.store.saved_searches(user).await.unwrap();
        assert_eq!(kept.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Insects", "is:starred"]);
        assert_eq!((kept[0].query.as_str(), kept[0].seen_to), ("bees OR wasps", ItemId(9)));
        let undo = stage.store.remove_saved_search(user, one, at(20)).await.unwrap().unwrap();
        assert_eq!(stage.store.remove_saved_search(user, one, at(20)).await.unwrap(), None);
        assert_eq!(stage.store.saved_searches(user).await.unwrap().len(), 1);
        stage.store.undo(user, undo).await.unwrap();
        assert_eq!(stage.store.saved_searches(user).await.unwrap(), kept);
        assert!(two > one);
    });
}

#[test]
fn nobody_has_more_than_a_hundred_and_long_ones_are_cut() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let long = "x".repeat(10_000);
        let first = stage.store.add_saved_search(user, &long, &long, ItemId(0), at(0)).await.unwrap();
        let kept = stage.store.saved_searches(user).await.unwrap();
        assert_eq!((kept[0].name.len(), kept[0].query.len()), (100, 500));
        for _ in 1..100 {
            stage.store.add_saved_search(user, "", "q", ItemId(0), at(0)).await.unwrap();
        }
        let refused = stage.store.add_saved_search(user, "", "q", ItemId(0), at(0)).await.unwrap_err();
        assert!(matches!(refused, StoreError::Conflict { .. }), "{refused:?}");
        let undo = stage.store.remove_saved_search(user, first, at(0)).await.unwrap().unwrap();
        stage.store.add_saved_search(user, "", "q", ItemId(0), at(0)).await.unwrap();
        assert!(stage.store.undo(user, undo).await.is_err(), "there is no room for it any more");
    });
}

#[test]
fn a5_saved_searches_are_nobody_elses() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let id = stage.store.add_saved_search(mira, "Bees", "bees", ItemId(0), at(0)).await.unwrap();
        for id in [id, SearchId(99)] {
            let renamed = stage.store.rename_saved_search(noor, id, "x").await;
            assert!(matches!(renamed, Err(StoreError::NotFound { .. })));
            let seen = stage.store.seen_saved_search(noor, id, ItemId(9)).await;
            assert!(matches!(seen, Err(StoreError::NotFound { .. })));
            assert_eq!(stage.store.remove_saved_search(noor, id, at(0)).await.unwrap(), None);
        }
        assert!(stage.store.saved_searches(noor).await.unwrap().is_empty());
        let kept = stage.store.saved_searches(mira).await.unwrap();
        assert_eq!((kept.len(), kept[0].name.as_str(), kept[0].seen_to), (1, "Bees", ItemId(0)));
        let undo = stage.store.remove_saved_search(mira, id, at(0)).await.unwrap().unwrap();
        assert!(stage.store.undo(noor, undo).await.is_err());
        stage.store.undo(mira, undo).await.unwrap();
        stage.store.remove_user(noor, at(5)).await.unwrap();
        assert_eq!(stage.store.saved_searches(mira).await.unwrap().len(), 1);
    });
}
