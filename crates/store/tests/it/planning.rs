//! What planning keeps: totals, days, habits, attention, and whose turn a job is.

use crate::stage::*;
use domain::interaction::{Access, Interaction, InteractionKind};
use domain::{Attention, FeedId, Found, PollOutcome, Reason, Timestamp, UserId};
use std::time::Duration;
use store::{PollCommit, Store, SubscriptionEdit};

const DAY: i64 = 86_400;

async fn poll_with(stage: &Stage, feed: FeedId, now: Timestamp, change: impl FnOnce(&mut PollCommit)) {
    let leased = stage.store.lease_feed(feed, now, LEASE, Duration::ZERO, NODE).await.unwrap().expect("free");
    let mut poll = commit(&leased, now, vec![]);
    change(&mut poll);
    assert!(stage.store.commit_poll(poll).await.unwrap().accepted);
}

#[test]
fn what_feeds_ask_of_the_budget_is_added_up_and_forgotten_with_them() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let mut feeds = Vec::new();
        for nth in 0..4 {
            feeds.push(stage.subscribe(user, &format!("https://h{nth}.example/f")).await);
        }
        poll_with(&stage, feeds[0], at(10), |poll| {
            poll.schedule.plan.demand = 1.25;
            poll.schedule.plan.polls_per_day = 99.0;
        })
        .await;
        poll_with(&stage, feeds[1], at(10), |poll| poll.schedule.plan.demand = 0.5).await;
        poll_with(&stage, feeds[2], at(10), |poll| {
            poll.schedule.plan.fixed = true;
            poll.schedule.plan.demand = 7.0;
            poll.schedule.plan.polls_per_day = 24.0;
        })
        .await;
        let totals = stage.store.plan_totals().await.unwrap();
        assert_eq!((totals.feeds, totals.planned), (4, 3));
        assert!((totals.demand - 1.75).abs() < 1e-6 && (totals.fixed_polls_per_day - 24.0).abs() < 1e-3);
        poll_with(&stage, feeds[1], at(20), |poll| poll.schedule.plan.demand = f64::NAN).await;
        stage.store.unsubscribe(user, feeds[2], at(30)).await.unwrap();
        let totals = stage.store.plan_totals().await.unwrap();
        assert_eq!((totals.feeds, totals.planned, totals.demand), (3, 1, 1.25));
        assert_eq!(totals.fixed_polls_per_day, 0.0);
        assert_eq!(stage.store.polls_between(at(0), at(20)).await.unwrap(), 3);
        assert_eq!(stage.store.polls_between(at(20), at(1_000)).await.unwrap(), 1);
    });
}

#[test]
fn days_of_polls_add_up_for_a_feed_and_for_a_person() {
    on_both(|stage| async move {
        let (mira, ada) = (stage.user("mira").await, stage.user("ada").await);
        let one = stage.subscribe(mira, "https://a.example/f").await;
        let two = stage.subscribe(mira, "https://b.example/f").await;
        stage.subscribe(ada, "https://b.example/f").await;
        let found = Found { dated: 2, delay_ms: 60_000, expected_ms: 50_000, lost: 1 };
        poll_with(&stage, one, at(0), |poll| {
            poll.found = found;
            poll.record.items_new = 2;
        })
        .await;
        poll_with(&stage, one, at(3_600), |poll| poll.found = found).await;
        poll_with(&stage, one, at(3 * DAY), |poll| poll.found = found).await;
        poll_with(&stage, two, at(60), |poll| poll.found.delay_ms = u64::MAX).await;
        let days = stage.store.feed_days(one, at(0)).await.unwrap();
        assert_eq!(days.len(), 2);
        assert_eq!((days[0].polls, days[0].found.dated, days[0].found.delay_ms), (2, 4, 120_000));
        assert_eq!((days[0].found.expected_ms, days[0].found.lost), (100_000, 2));
        assert_eq!(days[1].day - days[0].day, 3);
        let of = stage.store.days_of(mira, at(0)).await.unwrap();
        assert_eq!((of.len(), of[0].polls), (2, 3));
        assert_eq!(stage.store.days_of(ada, at(0)).await.unwrap()[0].polls, 1);
        assert_eq!(stage.store.surroundings(ada, "budget", at(0)).await.unwrap().polls_today, 1);
        assert_eq!(stage.store.days_of(mira, at(2 * DAY)).await.unwrap().len(), 1);
        assert_eq!(stage.store.forget_days(at(401 * DAY)).await.unwrap(), 2);
        assert_eq!(stage.store.feed_days(one, at(0)).await.unwrap().len(), 1);
    });
}

#[test]
fn a_habit_is_learned_from_where_learning_stopped() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (mira, ada) = (stage.user("mira").await, stage.user("ada").await);
        let feed = stage.subscribe(mira, "https://a.example/f").await;
        for (user, second) in [(mira, 5), (ada, 6), (mira, 7)] {
            store.record_access(&Access { user, at: at(second), feed: Some(feed) }).await.unwrap();
        }
        let visits = store.visits(mira, 0, 10).await.unwrap();
        assert_eq!(visits.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [at(5), at(7)]);
        assert_eq!(store.visits(mira, visits[0].0, 10).await.unwrap().len(), 1);
        assert_eq!(store.habit(mira).await.unwrap(), None);
        store.set_habit(mira, "{\"x\":1}", visits[1].0).await.unwrap();
        store.set_habit(mira, "{\"x\":2}", visits[1].0).await.unwrap();
        store.set_habit(UserId(999), "{}", 0).await.unwrap();
        assert_eq!(store.habit(mira).await.unwrap().as_deref(), Some("{\"x\":2}"));
        let rows = store.habits(UserId(0), 10).await.unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].user, rows[0].learned_to), (mira, visits[1].0));
        assert_eq!((rows[1].habit.as_deref(), rows[1].learned_to), (None, 0));
        assert_eq!(store.habits(mira, 10).await.unwrap().len(), 1);
    });
}

#[test]
fn who_reads_what_and_what_matters_to_them() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (mira, ada) = (stage.user("mira").await, stage.user("ada").await);
        let one = stage.subscribe(mira, "https://a.example/f").await;
        let two = stage.subscribe(mira, "https://b.example/f").await;
        let item = stage.poll(one, at(100), vec![new_item(1)]).await.new_items[0];
        let opened = |second| Interaction {
            user: mira,
            item,
            kind: InteractionKind::Open,
            at: at(second),
            place: "newest".into(),
            position: None,
            dwell_ms: None,
        };
        store.record_interactions(&[opened(200), opened(50)]).await.unwrap();
        let edit = SubscriptionEdit { important: Some(true), ..SubscriptionEdit::default() };
        store.edit_subscription(mira, two, &edit).await.unwrap();
        assert!(store.edit_subscription(ada, two, &edit).await.is_err(), "not hers");
        let reading = store.reading_of(mira, FeedId(0), at(100), 10).await.unwrap();
        let seen: Vec<_> = reading.iter().map(|row| (row.feed, row.opens, row.is_important)).collect();
        assert_eq!(seen, [(one, 1, false), (two, 0, true)]);
        assert!(store.reading_of(ada, FeedId(0), at(0), 10).await.unwrap().is_empty());
        assert_eq!(store.reading_of(mira, one, at(0), 10).await.unwrap().len(), 1);
        let is_important =
            async || store.subscription(mira, two).await.unwrap().unwrap().subscription.important;
        assert!(is_important().await);
        let undo = store.unsubscribe(mira, two, at(300)).await.unwrap().unwrap();
        store.undo(mira, undo).await.unwrap();
        assert!(is_important().await, "the mark comes back with the subscription");
    });
}

#[test]
fn attention_comes_with_the_lease_and_a_poll_keeps_it() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/f").await;
        let mut hours = [0.0; 168];
        hours[19] = 3.0;
        let attention = Attention::new(&hours, 2.0);
        stage
            .store
            .set_attention(&[(feed, attention.clone()), (FeedId(999), attention.clone())])
            .await
            .unwrap();
        let leased = stage.lease(at(1)).await.remove(0);
        assert_eq!(leased.attention, Some(attention.clone()));
        stage.store.commit_poll(commit(&leased, at(2), vec![])).await.unwrap();
        let learned = stage.store.learned(FeedId(0), 10).await.unwrap();
        assert_eq!((learned.len(), &learned[0].attention), (1, &Some(attention)));
        assert_eq!(stage.store.learned_of(user).await.unwrap(), learned);
        assert!(stage.store.learned(feed, 10).await.unwrap().is_empty());
        let other = stage.user("ada").await;
        assert!(stage.store.learned_of(other).await.unwrap().is_empty());
    });
}

#[test]
fn polls_and_due_times_of_a_person_are_those_of_their_feeds() {
    on_both(|stage| async move {
        let (mira, ada) = (stage.user("mira").await, stage.user("ada").await);
        let one = stage.subscribe(mira, "https://a.example/f").await;
        let two = stage.subscribe(ada, "https://b.example/f").await;
        poll_with(&stage, one, at(0), |poll| poll.items = vec![new_item(1)]).await;
        poll_with(&stage, one, at(10), |poll| poll.record.outcome = PollOutcome::Failed).await;
        poll_with(&stage, one, at(8_000), |_| {}).await;
        poll_with(&stage, two, at(5), |_| {}).await;
        let hours = stage.store.polls_of(mira, at(0)).await.unwrap();
        assert!(hours.iter().all(|hour| hour.provider == "a.example" && hour.hour <= at(8_000)));
        assert_eq!(hours.iter().map(|hour| hour.polls).sum::<u64>(), 3);
        assert_eq!(hours.iter().map(|hour| (hour.fruitful, hour.failures)).max(), Some((1, 1)));
        let due = stage.store.due_of(mira).await.unwrap();
        assert_eq!(due.len(), 1);
        assert_eq!((due[0].feed, due[0].at), (one, at(8_000 + 3_600)));
        assert_eq!((&due[0].reason, due[0].failures), (&Reason::OwnFloor { minutes: 60 }, 0));
        assert_eq!(due[0].provider, "a.example");
    });
}

#[test]
fn one_node_at_a_time_runs_a_job_and_a_dead_one_is_replaced() {
    on_both(|stage| async move {
        let hour = minutes(60);
        let claim = async |store: &Store, node: &str, second| {
            store.claim_job("habits", node, at(second), hour).await.unwrap()
        };
        let other = Store::open(&stage.config, at(0)).await.unwrap();
        assert!(claim(&stage.store, "a", 0).await);
        assert!(!claim(&other, "b", 10).await, "a is at it");
        assert!(claim(&other, "b", 3_600).await, "a has died");
        stage.store.finish_job("habits", "a", at(3_700), at(90_000)).await.unwrap();
        assert!(!claim(&stage.store, "a", 3_800).await, "what a says now no longer counts");
        other.finish_job("habits", "b", at(4_000), at(4_000 + DAY)).await.unwrap();
        assert!(!claim(&stage.store, "a", 8_000).await, "done for today");
        assert!(claim(&stage.store, "a", 4_000 + DAY).await);
        assert_eq!(other.jobs().await.unwrap(), [("habits".to_owned(), Some(at(4_000)))]);
        other.close().await;
    });
}
