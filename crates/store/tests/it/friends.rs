//! Following by consent, sharing and withdrawing, the secret address, what is popular, and trials of rankers.

use crate::stage::*;
use domain::interaction::{Interaction, InteractionKind};
use domain::{ItemId, UserId};
use store::{Friends, RetentionPolicy, Scope, StoreError, UpTo};

async fn friends(stage: &Stage, user: UserId, seconds: i64) -> Friends {
    stage.store.friends(user, at(seconds)).await.unwrap()
}

/// `follower` asks, `friend` agrees.
async fn befriend(stage: &Stage, follower: UserId, friend: UserId, name: &str) {
    stage.store.ask_to_follow(follower, name, at(10)).await.unwrap();
    let request = friends(stage, friend, 11).await.waiting[0].id;
    stage.store.answer_request(friend, request, true, at(11)).await.unwrap();
}

async fn shared(stage: &Stage, user: UserId) -> Vec<(String, String)> {
    let all = stage.store.shared_by_friends(user, at(1_000_000), 50).await.unwrap();
    all.into_iter().map(|one| (one.title.unwrap_or_default(), one.note)).collect()
}

fn not_found<T: std::fmt::Debug>(result: store::Result<T>) -> bool {
    matches!(result, Err(StoreError::NotFound { .. }))
}

#[test]
fn a10_asking_tells_nothing_about_who_is_here() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        for name in ["noor", "nobody"] {
            stage.store.ask_to_follow(mira, name, at(10)).await.unwrap();
        }
        let asked =
            |of: &Friends| of.asked.iter().map(|one| (one.name.clone(), one.asked_at)).collect::<Vec<_>>();
        let before = friends(&stage, mira, 20).await;
        assert_eq!(asked(&before), [("nobody".into(), at(10)), ("noor".into(), at(10))]);
        // Refused looks like not answered, and nobody is asked twice.
        let request = friends(&stage, noor, 20).await.waiting[0].clone();
        assert_eq!(request.name, "mira");
        stage.store.answer_request(noor, request.id, false, at(21)).await.unwrap();
        assert_eq!(friends(&stage, mira, 22).await, before);
        stage.store.ask_to_follow(mira, "noor", at(23)).await.unwrap();
        for one in &before.asked {
            stage.store.take_request_back(mira, one.id).await.unwrap();
        }
        assert!(friends(&stage, mira, 24).await.asked.is_empty());
        for name in ["noor", "nobody"] {
            stage.store.ask_to_follow(mira, name, at(25)).await.unwrap();
        }
        assert_eq!(friends(&stage, mira, 26).await.asked.len(), 2);
        assert!(friends(&stage, noor, 26).await.waiting.is_empty());
        // A month later everything is forgotten, and can be asked anew.
        let month = 31 * 86_400;
        assert!(friends(&stage, mira, month).await.asked.is_empty());
        stage.store.ask_to_follow(mira, "noor", at(month)).await.unwrap();
        assert_eq!(friends(&stage, noor, month).await.waiting.len(), 1);
    });
}

#[test]
fn a_friendship_is_asked_for_agreed_to_and_ended_by_either() {
    on_both(|mut stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        befriend(&stage, mira, noor, "noor").await;
        stage.reopen().await;
        let (hers, his) = (friends(&stage, mira, 20).await, friends(&stage, noor, 20).await);
        assert_eq!((hers.follows[0].user, hers.follows[0].name.as_str()), (noor, "noor"));
        assert_eq!((his.followers[0].user, his.followers[0].since), (mira, at(11)));
        assert!(hers.asked.is_empty() && his.waiting.is_empty() && his.follows.is_empty());
        // Whom one follows already is not asked again.
        stage.store.ask_to_follow(mira, "noor", at(21)).await.unwrap();
        assert!(friends(&stage, noor, 22).await.waiting.is_empty());
        assert!(not_found(stage.store.leave_friend(noor, mira).await), "noor does not follow mira");
        stage.store.remove_follower(noor, mira).await.unwrap();
        assert!(not_found(stage.store.leave_friend(mira, noor).await));
        befriend(&stage, mira, noor, "noor").await;
        stage.store.leave_friend(mira, noor).await.unwrap();
        assert_eq!(friends(&stage, mira, 30).await, Friends::default());
    });
}

#[test]
fn a5_requests_and_shares_of_others_answer_like_none() {
    on_both(|stage| async move {
        let (mira, noor, eve) = (stage.user("mira").await, stage.user("noor").await, stage.user("eve").await);
        stage.store.ask_to_follow(mira, "noor", at(10)).await.unwrap();
        let request = friends(&stage, noor, 11).await.waiting[0].id;
        for (who, id) in [(eve, request), (eve, 999), (mira, request)] {
            assert!(not_found(stage.store.answer_request(who, id, true, at(12)).await));
            assert!(not_found(stage.store.answer_request(who, id, false, at(12)).await));
        }
        assert!(not_found(stage.store.take_request_back(eve, request).await));
        let own = stage.store.ask_to_follow(mira, "mira", at(10)).await;
        assert!(matches!(own, Err(StoreError::Conflict { .. })));
        for nth in 0..19 {
            stage.store.ask_to_follow(mira, &format!("name {nth}"), at(10)).await.unwrap();
        }
        let many = stage.store.ask_to_follow(mira, "one more", at(10)).await;
        assert!(
            matches!(many, Err(StoreError::Conflict { .. })),
            "names cannot be tried out by the thousand"
        );
        let feed = stage.subscribe(noor, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), vec![new_item(1)]).await.new_items;
        assert!(not_found(stage.store.share(eve, items[0], "", at(101)).await));
        assert!(not_found(stage.store.share(eve, ItemId(999), "", at(101)).await));
        assert!(not_found(stage.store.withdraw_share(eve, items[0], at(101)).await));
        assert_eq!(stage.store.share_note(eve, items[0]).await.unwrap(), None);
    });
}

#[test]
fn what_is_shared_is_seen_by_who_follows_until_it_is_withdrawn() {
    on_both(|stage| async move {
        let (mira, noor, eve) = (stage.user("mira").await, stage.user("noor").await, stage.user("eve").await);
        let feed = stage.subscribe(noor, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=3).map(new_item).collect()).await.new_items;
        befriend(&stage, mira, noor, "noor").await;
        stage.store.share(noor, items[0], "read this", at(110)).await.unwrap();
        stage.store.share(noor, items[1], &"x".repeat(5_000), at(111)).await.unwrap();
        stage.store.share(noor, items[0], " and that ", at(112)).await.unwrap();
        let seen = shared(&stage, mira).await;
        assert_eq!(seen.len(), 2);
        assert_eq!((seen[0].1.len(), seen[1].clone()), (1_000, ("item 1".into(), "and that".into())));
        assert!(shared(&stage, eve).await.is_empty() && shared(&stage, noor).await.is_empty());
        assert_eq!(stage.store.own_shares(noor, at(1_000), 50).await.unwrap().len(), 2);
        let earlier = stage.store.shared_by_friends(mira, at(111), 50).await.unwrap();
        assert_eq!((earlier.len(), earlier[0].is_followed), (1, false));
        stage.store.withdraw_share(noor, items[0], at(120)).await.unwrap();
        assert!(not_found(stage.store.withdraw_share(noor, items[0], at(120)).await));
        assert_eq!(shared(&stage, mira).await.len(), 1);
        stage.store.set_disabled(noor, true).await.unwrap();
        assert!(shared(&stage, mira).await.is_empty());
        stage.store.set_disabled(noor, false).await.unwrap();
        stage.store.remove_follower(noor, mira).await.unwrap();
        assert!(shared(&stage, mira).await.is_empty());
        stage.store.remove_user(noor, at(130)).await.unwrap();
        assert_eq!(friends(&stage, mira, 131).await, Friends::default());
        stage.assert_sound().await;
    });
}

#[test]
fn a6_nothing_of_a_private_feed_is_ever_shared() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        befriend(&stage, mira, noor, "noor").await;
        let mut secret = wish("https://b.example/feed");
        (secret.private, secret.sealed) = (true, Some(vec![1]));
        let private = stage.store.subscribe(noor, &secret, at(0), at(0)).await.unwrap().feed;
        let open = stage.subscribe(noor, "https://a.example/feed").await;
        let hidden = stage.poll(private, at(100), vec![new_item(1)]).await.new_items;
        let shown = stage.poll(open, at(100), vec![new_item(2)]).await.new_items;
        let refused = stage.store.share(noor, hidden[0], "", at(101)).await;
        assert!(matches!(refused, Err(StoreError::Conflict { .. })), "{refused:?}");
        stage.store.share(noor, shown[0], "", at(101)).await.unwrap();
        assert_eq!(shared(&stage, mira).await.len(), 1);
        // The feed gets credentials: what was shared of it is withdrawn.
        let own = stage.store.make_private(noor, open, Some(vec![7]), None, at(102)).await.unwrap();
        assert_eq!(own, open, "nobody else follows it");
        assert!(shared(&stage, mira).await.is_empty());
        stage.store.make_private(noor, open, None, None, at(103)).await.unwrap();
        assert!(shared(&stage, mira).await.is_empty());
    });
}

#[test]
fn n26_what_a_publisher_does_not_want_shown_around_is_for_those_who_follow_the_feed() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        befriend(&stage, mira, noor, "noor").await;
        let feed = stage.subscribe(noor, "https://a.example/feed").await;
        let leased = stage.lease(at(100)).await.remove(0);
        let facts = domain::FeedFacts { noindex: true, ..domain::FeedFacts::default() };
        let commit = store::PollCommit { facts: Some(facts), ..commit(&leased, at(100), vec![new_item(1)]) };
        let items = stage.store.commit_poll(commit).await.unwrap().new_items;
        stage.store.share(noor, items[0], "", at(101)).await.unwrap();
        stage.store.set_share_address(noor, [5; 32], at(101)).await.unwrap();
        assert!(shared(&stage, mira).await.is_empty());
        let (_, published) = stage.store.shared_at_address([5; 32], 50).await.unwrap().unwrap();
        assert!(published.is_empty());
        stage.store.subscribe(mira, &wish("https://a.example/feed"), at(102), at(102)).await.unwrap();
        assert_eq!(shared(&stage, mira).await.len(), 1);
        assert_eq!(stage.store.own_shares(noor, at(200), 9).await.unwrap()[0].feed, feed);
    });
}

#[test]
fn a_secret_address_shows_what_is_shared_until_it_is_renewed() {
    on_both(|stage| async move {
        let noor = stage.user("noor").await;
        let feed = stage.subscribe(noor, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), vec![new_item(1)]).await.new_items;
        stage.store.share(noor, items[0], "look", at(101)).await.unwrap();
        assert_eq!(stage.store.shared_at_address([1; 32], 50).await.unwrap(), None);
        assert_eq!(stage.store.share_address(noor).await.unwrap(), None);
        stage.store.set_share_address(noor, [1; 32], at(102)).await.unwrap();
        let (user, all) = stage.store.shared_at_address([1; 32], 50).await.unwrap().unwrap();
        assert_eq!((user.id, all.len(), all[0].note.as_str()), (noor, 1, "look"));
        stage.store.set_share_address(noor, [2; 32], at(103)).await.unwrap();
        assert_eq!(stage.store.shared_at_address([1; 32], 50).await.unwrap(), None);
        assert_eq!(stage.store.share_address(noor).await.unwrap(), Some(at(103)));
        stage.store.set_disabled(noor, true).await.unwrap();
        assert_eq!(stage.store.shared_at_address([2; 32], 50).await.unwrap(), None);
        stage.store.set_disabled(noor, false).await.unwrap();
        assert!(stage.store.drop_share_address(noor).await.unwrap());
        assert!(!stage.store.drop_share_address(noor).await.unwrap());
        assert_eq!(stage.store.shared_at_address([2; 32], 50).await.unwrap(), None);
    });
}

#[test]
fn a10_popular_counts_people_from_five_on_and_only_who_wants_to_be_counted() {
    on_both(|stage| async move {
        let mut people = Vec::new();
        for nth in 0..6 {
            people.push(stage.user(&format!("reader {nth}")).await);
        }
        let url = "https://a.example/feed";
        let feed = stage.subscribe(people[0], url).await;
        for reader in &people[1..] {
            stage.subscribe(*reader, url).await;
        }
        let items = stage.poll(feed, at(100), (1..=2).map(new_item).collect()).await.new_items;
        let open = |user: UserId, item: ItemId, seconds: i64| Interaction {
            user,
            item,
            kind: InteractionKind::Open,
            at: at(seconds),
            place: "newest".into(),
            position: None,
            dwell_ms: None,
        };
        let popular = async |since: i64| {
            let all = stage.store.popular_items(people[0], at(since), 50).await.unwrap();
            all.into_iter().map(|one| (one.item, one.people)).collect::<Vec<_>>()
        };
        // One person opening often is one person.
        let mut opens: Vec<Interaction> = (0..30).map(|nth| open(people[0], items[1], 200 + nth)).collect();
        opens.extend(people[..4].iter().map(|reader| open(*reader, items[0], 200)));
        stage.store.record_interactions(&opens).await.unwrap();
        assert!(popular(150).await.is_empty(), "four are too few");
        stage.store.record_interactions(&[open(people[4], items[0], 300)]).await.unwrap();
        assert_eq!(popular(150).await, [(items[0], 5)]);
        assert!(popular(250).await.is_empty(), "older opens do not count");
        assert!(stage.store.counts_opens(people[1]).await.unwrap());
        stage.store.set_counts_opens(people[1], false).await.unwrap();
        assert!(!stage.store.counts_opens(people[1]).await.unwrap());
        assert!(popular(150).await.is_empty());
        stage.store.record_interactions(&[open(people[5], items[0], 300)]).await.unwrap();
        assert_eq!(popular(150).await, [(items[0], 5)]);
        stage.store.set_counts_opens(people[1], true).await.unwrap();
        assert_eq!(popular(150).await, [(items[0], 6)]);
    });
}

#[test]
fn a_shared_item_is_kept_as_long_as_it_is_shared() {
    on_both(|stage| async move {
        let noor = stage.user("noor").await;
        let feed = stage.subscribe(noor, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=4).map(new_item).collect()).await.new_items;
        stage.store.mark_all_read(noor, &Scope::All, UpTo::EVERYTHING, at(200)).await.unwrap();
        stage.store.share(noor, items[0], "", at(201)).await.unwrap();
        let keep = RetentionPolicy { count_per_feed: Some(1), ..RetentionPolicy::default() };
        assert_eq!(stage.store.retention(at(300), &keep).await.unwrap().items, 2);
        assert_eq!(stage.store.own_shares(noor, at(400), 9).await.unwrap().len(), 1);
        stage.store.withdraw_share(noor, items[0], at(301)).await.unwrap();
        let done = async |until: i64, limit: u32| {
            let done = stage.store.done_lately(noor, at(until), limit).await.unwrap();
            done.into_iter().map(|one| one.kind).collect::<Vec<_>>()
        };
        assert_eq!(done(400, 9).await, [InteractionKind::Share, InteractionKind::Unshare]);
        assert_eq!(done(400, 1).await, [InteractionKind::Unshare]);
        assert_eq!(done(201, 9).await, [InteractionKind::Share]);
        assert_eq!(stage.store.retention(at(200_000), &keep).await.unwrap().items, 1);
        stage.assert_sound().await;
    });
}

#[test]
fn a_trial_counts_each_item_once_while_it_lasts() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let click = |item: i64, seconds: i64, is_others: bool| store::TrialClick {
            item: ItemId(item),
            list_at: at(seconds),
            is_others,
        };
        stage.store.count_in_trial(mira, &[click(1, 5, false)]).await.unwrap();
        assert_eq!(stage.store.trial(mira).await.unwrap(), None);
        assert!(not_found(stage.store.end_trial(mira, at(9)).await));
        stage.store.start_trial(mira, "wellread", "newest", 7, at(10)).await.unwrap();
        let clicks = [
            click(1, 20, false),
            click(2, 20, true),
            click(1, 30, true),
            click(3, 30, true),
            click(4, 5, true),
        ];
        stage.store.count_in_trial(mira, &clicks).await.unwrap();
        stage.store.count_in_trial(noor, &clicks).await.unwrap();
        assert_eq!(stage.store.trial_lists(mira).await.unwrap(), [(1, 1), (0, 1)]);
        assert!(stage.store.trial_lists(noor).await.unwrap().is_empty());
        stage.store.end_trial(mira, at(40)).await.unwrap();
        stage.store.count_in_trial(mira, &[click(5, 35, true)]).await.unwrap();
        assert_eq!(stage.store.trial_lists(mira).await.unwrap().len(), 2, "an ended trial counts no more");
        assert_eq!(stage.store.trial(mira).await.unwrap().unwrap().ended_at, Some(at(40)));
        stage.store.start_trial(mira, "ee", "newest", 8, at(50)).await.unwrap();
        assert!(stage.store.trial_lists(mira).await.unwrap().is_empty());
        stage.store.remove_user(mira, at(60)).await.unwrap();
        assert_eq!(stage.store.trial(mira).await.unwrap(), None);
    });
}
