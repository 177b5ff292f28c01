//! What ranking for one person asks for and keeps.

use crate::stage::{Stage, at, new_item, on_both};
use domain::interaction::{Interaction, InteractionKind};
use domain::{ItemId, Timestamp, UserId};
use store::{ItemTerms, Learned, Mark, Scope, StoryItem, StoryTie, TasteRow, Wanted};

fn everything(now: Timestamp) -> Wanted {
    Wanted { since: Timestamp::EPOCH, up_to: ItemId(i64::MAX), opened_since: now, limit: 10_000 }
}

async fn candidates(stage: &Stage, user: UserId, wanted: &Wanted) -> Vec<ItemId> {
    stage.store.candidates(user, wanted).await.unwrap().into_iter().map(|one| one.item).collect()
}

fn did(user: UserId, item: ItemId, kind: InteractionKind, when: i64) -> Interaction {
    Interaction {
        user,
        item,
        kind,
        at: at(when),
        place: "foryou".into(),
        position: Some(0),
        dwell_ms: Some(9),
    }
}

fn terms(item: ItemId, surface: &str) -> ItemTerms {
    ItemTerms { item, terms: vec![u8::try_from(item.0).unwrap(); 10], surfaces: surface.into() }
}

#[test]
fn candidates_are_what_is_unread_and_not_hidden_newest_first() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.subscribe(noor, "https://b.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=6).map(new_item).collect()).await.new_items;
        let store = &stage.store;
        store.mark(mira, &items[..1], &Mark::Read, at(101)).await.unwrap();
        store.mark(mira, &items[1..2], &Mark::Hide, at(102)).await.unwrap();
        let tell = |item, story| StoryItem { item, story, why: StoryTie::Link };
        let learned = Learned {
            from: ItemId(0),
            to: items[5],
            profiles: vec![],
            stories: vec![tell(items[2], items[2]), tell(items[3], items[2])],
            terms: vec![
                terms(items[4], "tide\nharbour"),
                terms(items[4], "tide\nharbour"),
                terms(ItemId(99), "x"),
            ],
            model: None,
        };
        assert!(store.keep_learned(learned).await.unwrap());
        let all = store.candidates(mira, &everything(at(200))).await.unwrap();
        let ids: Vec<ItemId> = all.iter().map(|one| one.item).collect();
        assert_eq!(ids, [items[5], items[4], items[3], items[2]]);
        assert_eq!((all[1].terms.len(), all[0].terms.len()), (10, 0));
        assert_eq!((all[2].story, all[0].story), (Some(items[2]), None));
        assert!(store.candidates(noor, &everything(at(200))).await.unwrap().is_empty(), "not hers");
        // As of a moment: what came later is not there, what was opened since still is.
        let then = Wanted { up_to: items[4], opened_since: at(150), ..everything(at(200)) };
        store.record_interactions(&[did(mira, items[3], InteractionKind::Open, 160)]).await.unwrap();
        store.mark(mira, &items[3..4], &Mark::Read, at(161)).await.unwrap();
        assert_eq!(candidates(&stage, mira, &then).await, [items[4], items[3], items[2]]);
        assert_eq!(candidates(&stage, mira, &everything(at(200))).await, [items[5], items[4], items[2]]);
        assert_eq!(candidates(&stage, mira, &Wanted { limit: 1, ..then }).await, [items[4]]);
        let traits = store.traits_of(mira, &items).await.unwrap();
        let tide = traits.iter().find(|one| one.item == items[4]).unwrap();
        assert_eq!(tide.surfaces, "tide\nharbour");
        assert!(store.traits_of(noor, &items).await.unwrap().is_empty(), "not hers");
        stage.assert_sound().await;
        stage.store.close().await;
    });
}

#[test]
fn o10_one_loud_feed_does_not_crowd_others_out_of_what_is_looked_at() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let loud = stage.subscribe(mira, "https://loud.example/feed").await;
        let quiet = stage.subscribe(mira, "https://quiet.example/feed").await;
        stage.poll(quiet, at(10), vec![new_item(1)]).await;
        for batch in 0..6 {
            let items = (0..200).map(|nth| new_item(10 + 200 * batch + nth)).collect();
            stage.poll(loud, at(2_000 + i64::try_from(batch).unwrap()), items).await;
        }
        let all = stage.store.candidates(mira, &everything(at(9_000))).await.unwrap();
        assert_eq!(all.iter().filter(|one| one.feed == loud).count(), 500);
        assert!(all.iter().any(|one| one.feed == quiet));
        stage.store.close().await;
    });
}

#[test]
fn what_a_person_did_is_told_in_order_and_only_of_them() {
    on_both(|stage| async move {
        use InteractionKind::{Impression, Open, Tag};
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        stage.subscribe(noor, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=4).map(new_item).collect()).await.new_items;
        let store = &stage.store;
        assert!(store.people_to_learn(UserId(0), 10).await.unwrap().is_empty());
        let told = [
            did(mira, items[0], Impression, 110),
            did(noor, items[1], Open, 111),
            did(mira, items[0], Open, 112),
            did(mira, items[1], Open, 113),
        ];
        store.record_interactions(&told).await.unwrap();
        store.mark_in_list(mira, &items[..1], &Mark::Tag("sea".into()), at(114), "foryou").await.unwrap();
        let deeds = store.deeds(mira, 0, at(999), 100).await.unwrap();
        let kinds: Vec<InteractionKind> = deeds.iter().map(|(_, deed)| deed.kind).collect();
        assert_eq!(kinds, [Impression, Open, Open, Tag]);
        assert_eq!((&deeds[0].1, &deeds[1].1), (&told[0], &told[2]));
        assert_eq!(store.deeds(mira, deeds[1].0, at(999), 100).await.unwrap().len(), 2);
        assert_eq!(store.deeds(mira, 0, at(112), 100).await.unwrap().len(), 2, "as of a moment");
        assert_eq!(store.deeds(mira, 0, at(999), 1).await.unwrap().len(), 1);
        assert_eq!(store.people_to_learn(UserId(0), 10).await.unwrap(), [mira, noor]);
        assert_eq!(store.people_to_learn(mira, 10).await.unwrap(), [noor]);
        assert_eq!((store.opens(mira, 20).await.unwrap(), store.opens(mira, 1).await.unwrap()), (2, 1));
        // Of the others she met of the feed, how many she opened.
        assert_eq!(store.opened_of_feed(mira, feed, at(0), items[3], 10).await.unwrap(), (2, 2));
        assert_eq!(store.opened_of_feed(mira, feed, at(0), items[0], 10).await.unwrap(), (1, 1));
        assert_eq!(store.opened_of_feed(noor, feed, at(0), items[3], 10).await.unwrap(), (1, 1));
        let step = Learned {
            from: ItemId(0),
            to: items[3],
            profiles: vec![],
            stories: vec![],
            terms: items[..2].iter().map(|item| terms(*item, "w")).collect(),
            model: None,
        };
        assert!(store.keep_learned(step).await.unwrap());
        let lately = store.read_lately(mira, at(0), at(999), 10).await.unwrap();
        assert_eq!(lately, [terms(items[1], "").terms, terms(items[0], "").terms], "the latest first");
        assert_eq!(store.read_lately(mira, at(0), at(113), 10).await.unwrap().len(), 1);
        stage.store.close().await;
    });
}

#[test]
fn what_was_learnt_is_changed_by_whoever_read_it_last_and_a_reset_can_be_taken_back() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let store = &stage.store;
        assert_eq!(store.taste(mira).await.unwrap(), None);
        let first = TasteRow { state: vec![1, 2], learned_to: 7, topics_run: 3, ..TasteRow::default() };
        assert!(store.keep_taste(mira, &first).await.unwrap());
        assert!(!store.keep_taste(mira, &first).await.unwrap(), "somebody was quicker");
        let read = store.taste(mira).await.unwrap().unwrap();
        assert_eq!((read.revision, read.learned_to), (1, 7));
        let surfaces = "{\"2\":\"tide\"}".to_owned();
        let second = TasteRow { state: vec![3], surfaces, asked: true, ..read.clone() };
        assert!(store.keep_taste(mira, &second).await.unwrap());
        assert!(!store.keep_taste(mira, &read).await.unwrap(), "of an older revision");
        let undo = store.reset_taste(mira, &[9], at(100)).await.unwrap().unwrap();
        let reset = store.taste(mira).await.unwrap().unwrap();
        assert_eq!((&reset.state[..], &reset.surfaces[..], reset.asked), (&[9][..], "", false));
        store.undo(mira, undo).await.unwrap();
        let back = store.taste(mira).await.unwrap().unwrap();
        assert_eq!((&back.state, &back.surfaces, back.asked), (&second.state, &second.surfaces, true));
        assert_eq!(store.reset_taste(stage.user("noor").await, &[9], at(100)).await.unwrap(), None);
        assert!(!store.keep_taste(UserId(999), &first).await.unwrap(), "nobody");
        stage.store.close().await;
    });
}

#[test]
fn what_was_learnt_goes_with_the_person_and_terms_with_their_items() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=3).map(new_item).collect()).await.new_items;
        let store = &stage.store;
        let step = Learned {
            from: ItemId(0),
            to: items[2],
            profiles: vec![],
            stories: vec![],
            terms: items.iter().map(|item| terms(*item, "w")).collect(),
            model: None,
        };
        assert!(store.keep_learned(step).await.unwrap());
        assert!(store.keep_taste(noor, &TasteRow::default()).await.unwrap());
        store
            .mark_all_read(
                mira,
                &Scope::All,
                store::UpTo { sort_at: Timestamp::FAR_FUTURE, item: items[2] },
                at(101),
            )
            .await
            .unwrap();
        let policy = store::RetentionPolicy { count_per_feed: Some(1), ..store::RetentionPolicy::default() };
        let removed = store.retention(at(400 * 86_400), &policy).await.unwrap();
        assert!(removed.items > 0);
        let left = store.traits_of(mira, &items).await.unwrap();
        assert_eq!(left.len(), items.len() - usize::try_from(removed.items).unwrap());
        store.remove_user(noor, at(500)).await.unwrap();
        assert_eq!(store.taste(noor).await.unwrap(), None);
        stage.assert_sound().await;
        stage.store.close().await;
    });
}

#[test]
fn somebody_with_5_000_subscriptions_has_candidates_of_all_of_them() {
    on_both(|stage| async move {
        let mira = stage.user("mira").await;
        let wishes: Vec<store::Wish> =
            (0..5_000).map(|n| crate::stage::wish(&format!("https://f{n}.example/feed"))).collect();
        let followed =
            stage.store.subscribe_many(mira, &wishes, std::time::Duration::ZERO, at(0)).await.unwrap();
        for (nth, one) in followed.iter().step_by(1_000).enumerate() {
            stage.poll(one.feed, at(100), vec![new_item(nth as u64 + 1)]).await;
        }
        let all = stage.store.candidates(mira, &everything(at(200))).await.unwrap();
        assert_eq!((followed.len(), all.len()), (5_000, 5));
        stage.store.close().await;
    });
}
