//! What Buzz needs beside the items.

use crate::stage::*;
use domain::interaction::{Interaction, InteractionKind};
use domain::{FeedId, UserId};
use store::{FeedShare, SubscriptionEdit, Tie, Wish};

#[test]
fn cards_say_whose_a_feed_is_and_whether_many_follow_it() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let open = stage.subscribe(mira, "https://a.example/f").await;
        let own = Wish { private: true, ..wish("https://b.example/f") };
        let own = stage.store.subscribe(mira, &own, at(0), at(0)).await.unwrap().feed;
        for nth in 0..4 {
            let other = stage.user(&format!("other{nth}")).await;
            stage.subscribe(other, "https://a.example/f").await;
        }
        let cards = stage.store.feed_cards(FeedId(0), 10).await.unwrap();
        let said: Vec<(FeedId, bool, bool)> =
            cards.iter().map(|card| (card.feed, card.is_private, card.has_many_readers)).collect();
        assert_eq!(said, [(open, false, true), (own, true, false)]);
        assert_eq!(stage.store.feed_cards(open, 10).await.unwrap().len(), 1);
        assert_eq!(stage.store.feed_cards(FeedId(0), 1).await.unwrap()[0].feed, open);
    });
}

#[test]
fn shares_are_what_came_and_what_was_opened_of_it() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://a.example/f").await;
        stage.subscribe(noor, "https://a.example/f").await;
        let quiet = stage.subscribe(mira, "https://b.example/f").await;
        let items = stage.poll(feed, at(100), vec![new_item(1), new_item(2), new_item(3)]).await.new_items;
        let opened = |user, second| Interaction {
            user,
            item: items[0],
            kind: InteractionKind::Open,
            at: at(second),
            place: "newest".into(),
            position: None,
            dwell_ms: None,
        };
        stage.store.record_interactions(&[opened(mira, 120), opened(mira, 130)]).await.unwrap();
        let far = at(1_000_000);
        let shares = stage.store.feed_shares(mira, at(0), far).await.unwrap();
        let share = |feed, items, opened| FeedShare { feed, items, opened };
        assert_eq!(shares, [share(feed, 3, 1), share(quiet, 0, 0)], "an item opened twice is opened");
        assert_eq!(stage.store.feed_shares(noor, at(0), far).await.unwrap(), [share(feed, 3, 0)]);
        assert_eq!(stage.store.feed_shares(mira, far, far).await.unwrap()[0], share(feed, 0, 0));
    });
}

#[test]
fn a10_ties_are_told_of_public_feeds_alone_and_a_weight_is_ones_own() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let open = stage.subscribe(mira, "https://a.example/f").await;
        stage.subscribe(noor, "https://a.example/f").await;
        let own = Wish { private: true, ..wish("https://b.example/f") };
        stage.store.subscribe(mira, &own, at(0), at(0)).await.unwrap();
        let none = Tie { user: UserId(0), feed: FeedId(0) };
        let ties = stage.store.ties_after(none, 10).await.unwrap();
        assert_eq!(ties, [Tie { user: mira, feed: open }, Tie { user: noor, feed: open }]);
        assert_eq!(stage.store.ties_after(ties[0], 10).await.unwrap(), ties[1..]);
        let edit = SubscriptionEdit { weight: Some(Some(255)), ..SubscriptionEdit::default() };
        stage.store.edit_subscription(mira, open, &edit).await.unwrap();
        let weight =
            async |user| stage.store.subscription(user, open).await.unwrap().unwrap().subscription.weight;
        assert_eq!((weight(mira).await, weight(noor).await), (Some(200), None));
        let auto = SubscriptionEdit { weight: Some(None), ..SubscriptionEdit::default() };
        stage.store.edit_subscription(mira, open, &auto).await.unwrap();
        assert_eq!(weight(mira).await, None);
    });
}
