//! Rules as they are kept, and what they do to new items.

use crate::stage::*;
use domain::{
    Condition, FeedId, FolderId, Pattern, RuleAction, RuleField, RuleId, RuleOrder, RuleScope, UserId,
};
use store::{HiddenBy, Mark, RuleEffect, Scope, StoreError, SubscriptionEdit};

fn order(scope: RuleScope, action: RuleAction) -> RuleOrder {
    let pattern = Pattern::Words(vec!["item".into()]);
    RuleOrder {
        scope,
        conditions: vec![Condition { field: RuleField::Title, pattern, negated: false }],
        action,
    }
}

async fn add(stage: &Stage, user: UserId, scope: RuleScope) -> RuleId {
    stage.store.add_rule(user, &order(scope, RuleAction::Hide), at(0)).await.unwrap()
}

async fn edit(stage: &Stage, user: UserId, feed: FeedId, edit: SubscriptionEdit) {
    stage.store.edit_subscription(user, feed, &edit).await.unwrap();
}

#[test]
fn rules_are_kept_switched_and_removed() {
    on_both(|stage| async move {
        let (store, user) = (&stage.store, stage.user("mira").await);
        let id = add(&stage, user, RuleScope::Everything).await;
        let rule = store.rules(user).await.unwrap().remove(0);
        assert_eq!((rule.id, rule.user, rule.enabled, rule.notice), (id, user, true, None));
        assert_eq!(rule.order, order(RuleScope::Everything, RuleAction::Hide));
        store.disable_rule(id, "It was too slow.").await.unwrap();
        let rule = store.rules(user).await.unwrap().remove(0);
        assert_eq!((rule.enabled, rule.notice.as_deref()), (false, Some("It was too slow.")));
        let changed = order(RuleScope::Feed(FeedId(3)), RuleAction::Tag("x".into()));
        store.set_rule(user, id, &changed).await.unwrap();
        store.enable_rule(user, id, true).await.unwrap();
        let rule = store.rules(user).await.unwrap().remove(0);
        assert_eq!((rule.enabled, rule.notice, rule.order), (true, None, changed));
        assert!(store.remove_rule(user, id).await.unwrap());
        assert!(!store.remove_rule(user, id).await.unwrap());
        assert!(add(&stage, user, RuleScope::Everything).await > id, "a rule's number is never used again");
    });
}

#[test]
fn o2_a_person_has_two_hundred_rules_at_most() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        for _ in 0..200 {
            add(&stage, user, RuleScope::Everything).await;
        }
        let order = order(RuleScope::Everything, RuleAction::Star);
        let refused = stage.store.add_rule(user, &order, at(0)).await;
        assert!(matches!(refused, Err(StoreError::Conflict { .. })), "{refused:?}");
        stage.store.add_rule(stage.user("noor").await, &order, at(0)).await.unwrap();
    });
}

#[test]
fn a_feeds_rules_are_those_whose_scope_includes_it() {
    on_both(|stage| async move {
        let (store, mira, noor) = (&stage.store, stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        let other = stage.subscribe(mira, "https://b.example/feed").await;
        stage.subscribe(noor, "https://a.example/feed").await;
        let outer = store.add_folder(mira, None, "outer").await.unwrap();
        let inner = store.add_folder(mira, Some(outer), "inner").await.unwrap();
        let beside = store.add_folder(mira, None, "beside").await.unwrap();
        let folder = |folder: FolderId| SubscriptionEdit { folder: Some(Some(folder)), ..Default::default() };
        edit(&stage, mira, feed, folder(inner)).await;
        let mut expected = Vec::new();
        for scope in
            [RuleScope::Everything, RuleScope::Feed(feed), RuleScope::Folder(inner), RuleScope::Folder(outer)]
        {
            expected.push(add(&stage, mira, scope).await);
        }
        for scope in [RuleScope::Feed(other), RuleScope::Folder(beside), RuleScope::Folder(FolderId(999))] {
            add(&stage, mira, scope).await;
        }
        let off = add(&stage, mira, RuleScope::Everything).await;
        store.enable_rule(mira, off, false).await.unwrap();
        // Another's folder reaches nothing of mine.
        add(&stage, noor, RuleScope::Folder(inner)).await;
        let noors = add(&stage, noor, RuleScope::Everything).await;
        expected.push(noors);
        let ids = async |feed| -> Vec<RuleId> {
            store.rules_for_feed(feed).await.unwrap().iter().map(|rule| rule.id).collect()
        };
        assert_eq!(ids(feed).await, expected);
        edit(&stage, mira, feed, SubscriptionEdit { paused: Some(true), ..Default::default() }).await;
        assert_eq!(ids(feed).await, [noors], "who has paused is left alone");
        store.unsubscribe(noor, feed, at(0)).await.unwrap();
        assert!(ids(feed).await.is_empty());
    });
}

#[test]
fn effects_fall_on_new_items_of_those_who_subscribe_and_counters_stay_right() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (mira, noor, eve, ina) = (
            stage.user("mira").await,
            stage.user("noor").await,
            stage.user("eve").await,
            stage.user("ina").await,
        );
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.subscribe(noor, "https://a.example/feed").await;
        stage.subscribe(ina, "https://a.example/feed").await;
        edit(&stage, ina, feed, SubscriptionEdit { paused: Some(true), ..Default::default() }).await;
        let known = stage.poll(feed, at(100), vec![new_item(1)]).await.new_items[0];
        let leased = store.lease_feed(feed, at(5_000), LEASE, SPACING, NODE).await.unwrap().unwrap();
        // The first write is an edit: nothing falls on it.
        let mut poll = commit(
            &leased,
            at(5_000),
            vec![changed(1, known, "edited"), new_item(2), new_item(3), new_item(4)],
        );
        let effect = |user: UserId, item: usize, action: RuleAction| RuleEffect {
            user,
            item,
            rule: RuleId(7),
            action,
        };
        poll.effects = vec![
            effect(mira, 0, RuleAction::Hide),
            effect(mira, 1, RuleAction::Hide),
            effect(mira, 1, RuleAction::Hide),
            effect(mira, 1, RuleAction::MarkRead),
            effect(mira, 2, RuleAction::MarkRead),
            effect(mira, 2, RuleAction::Star),
            effect(mira, 2, RuleAction::Tag(" rust ".into())),
            effect(mira, 2, RuleAction::Tag(" ".into())),
            effect(noor, 3, RuleAction::Star),
            effect(eve, 1, RuleAction::Hide),
            effect(eve, 1, RuleAction::Star),
            effect(ina, 1, RuleAction::Hide),
            effect(ina, 1, RuleAction::Tag("t".into())),
            effect(mira, 99, RuleAction::Hide),
        ];
        let done = store.commit_poll(poll).await.unwrap();
        assert_eq!(done.new_items.len(), 3);
        stage.assert_sound().await;
        assert_eq!(stage.unread(mira).await, 2, "the known one and the fourth");
        assert_eq!(stage.unread(noor).await, 4);
        assert_eq!(stage.unread(ina).await, 0, "nothing comes unread to whoever has paused");
        assert_eq!(stage.titles(mira, Scope::Hidden, false).await, ["item 2"]);
        let hidden = store.item(mira, done.new_items[0]).await.unwrap().unwrap().row;
        assert_eq!((hidden.hidden, hidden.is_read), (Some(HiddenBy::Rule(RuleId(7))), true));
        assert_eq!(stage.titles(mira, Scope::Starred, false).await, ["item 3"]);
        assert_eq!(stage.titles(mira, Scope::Tag("rust".into()), false).await, ["item 3"]);
        assert_eq!(store.tags(mira).await.unwrap().len(), 1);
        assert_eq!(stage.titles(noor, Scope::Starred, false).await, ["item 4"]);
        for nobody in [eve, ina] {
            assert_eq!(store.starred_count(nobody).await.unwrap(), 0);
            assert!(store.tags(nobody).await.unwrap().is_empty());
            assert!(stage.titles(nobody, Scope::Hidden, false).await.is_empty());
        }
        store.mark(mira, &done.new_items, &Mark::Unhide, at(6_000)).await.unwrap();
        assert_eq!(stage.unread(mira).await, 3, "what a rule hid unread is unread again");
        stage.assert_sound().await;
    });
}
