//! Random histories of reading, on both databases, against a model that remembers every state of every item.
//!
//! The model has no watermark, no marks and no counters: a set of unread items per person is all it knows. If the
//! store's cheaper representation ever disagrees, the seed is printed.

use crate::stage::*;
use domain::{FeedId, ItemId, Preview, RuleAction, RuleId, UserId};
use rand::{Rng, RngExt, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use store::{
    ItemKind, ItemWrite, Mark, RetentionPolicy, RuleEffect, Scope, SubscriptionEdit, UndoToken, UpTo,
};

const PEOPLE: usize = 3;
const FEEDS: usize = 3;
const STEPS: usize = 60;
const SEEDS: u64 = 12;

#[derive(Default)]
struct Person {
    subscribed: BTreeSet<FeedId>,
    paused: BTreeSet<FeedId>,
    unread: BTreeSet<ItemId>,
    starred: BTreeSet<ItemId>,
    /// With whether it was unread before.
    hidden: BTreeMap<ItemId, bool>,
    undo: Option<(UndoToken, BTreeSet<ItemId>)>,
    left: Option<Left>,
}

/// A feed that was left and may come back.
struct Left {
    token: UndoToken,
    feed: FeedId,
    paused: bool,
    unread: BTreeSet<ItemId>,
    hidden: BTreeMap<ItemId, bool>,
    newest: ItemId,
}

struct Model {
    people: BTreeMap<UserId, Person>,
    feeds: Vec<(FeedId, String)>,
    /// Feed, sort date in seconds, per item.
    items: BTreeMap<ItemId, (FeedId, i64)>,
    now: i64,
    next_number: u64,
}

#[test]
fn any_history_of_reading_leaves_the_states_and_counters_a_plain_model_has() {
    let seeds = std::env::var("WELLREAD_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(SEEDS);
    for seed in 0..seeds {
        on_both(|stage| async move {
            println!("seed {seed}");
            let mut dice = rand::rngs::StdRng::seed_from_u64(seed);
            let mut model = Model::new(&stage).await;
            for _ in 0..STEPS {
                model.step(&stage, &mut dice).await;
                model.check(&stage).await;
            }
            stage.assert_sound().await;
        });
    }
}

impl Model {
    async fn new(stage: &Stage) -> Self {
        let mut people = BTreeMap::new();
        for n in 0..PEOPLE {
            people.insert(stage.user(&format!("person{n}")).await, Person::default());
        }
        let mut model =
            Model { people, feeds: Vec::new(), items: BTreeMap::new(), now: 1_000, next_number: 1 };
        let first = *model.people.keys().next().unwrap();
        for n in 0..FEEDS {
            let url = format!("https://h{n}.example/feed");
            let feed = stage.subscribe(first, &url).await;
            model.people.get_mut(&first).unwrap().subscribed.insert(feed);
            model.feeds.push((feed, url));
        }
        model
    }

    async fn step(&mut self, stage: &Stage, dice: &mut impl Rng) {
        self.now += dice.random_range(100..3_000);
        let user = *self.people.keys().nth(dice.random_range(0..PEOPLE)).unwrap();
        let feed = self.feeds[dice.random_range(0..FEEDS)].0;
        match dice.random_range(0..100) {
            0..30 => self.poll(stage, dice, feed).await,
            30..60 => self.mark(stage, dice, user).await,
            60..72 => self.mark_all(stage, dice, user, feed).await,
            72..82 => self.undo(stage, user).await,
            82..86 => self.subscribe(stage, user, feed).await,
            86..89 => self.unsubscribe(stage, user, feed).await,
            89..92 => self.come_back(stage, user).await,
            92..95 => self.pause(stage, user, feed).await,
            _ => self.retain(stage, dice).await,
        }
    }

    async fn poll(&mut self, stage: &Stage, dice: &mut impl Rng, feed: FeedId) {
        let count = dice.random_range(0..8);
        let mut planned = Vec::new();
        for _ in 0..count {
            // Dates far apart, close together and equal, so that arrivals land on both sides of watermarks.
            let sort_at =
                if dice.random_bool(0.6) { self.now / 100 * 100 } else { dice.random_range(0..=self.now) };
            let unread = dice.random_bool(0.7);
            planned.push((self.next_number, sort_at, unread));
            self.next_number += 1;
        }
        let write = |&(number, sort_at, unread): &(u64, i64, bool)| {
            ItemWrite::new(
                &document_item(number),
                ItemKind::New { sort_at: at(sort_at), unread },
                Preview::default(),
            )
        };
        let leased = stage.store.lease_feed(feed, at(self.now), LEASE, SPACING, NODE).await.unwrap().unwrap();
        let mut poll = commit(&leased, at(self.now), planned.iter().map(write).collect());
        // Rules of anybody, subscribed or not, on any item, there or not.
        for _ in 0..dice.random_range(0..4) {
            let user = *self.people.keys().nth(dice.random_range(0..PEOPLE)).unwrap();
            let action = if dice.random_bool(0.5) { RuleAction::Hide } else { RuleAction::MarkRead };
            poll.effects.push(RuleEffect { user, item: dice.random_range(0..8), rule: RuleId(1), action });
        }
        let effects = poll.effects.clone();
        let done = stage.store.commit_poll(poll).await.unwrap();
        assert_eq!(done.new_items.len(), planned.len());
        for (index, (item, (_, sort_at, unread))) in done.new_items.iter().zip(planned).enumerate() {
            self.items.insert(*item, (feed, sort_at));
            for (user, person) in &mut self.people {
                if !person.subscribed.contains(&feed) || person.paused.contains(&feed) {
                    continue;
                }
                let ruled =
                    |action| effects.iter().any(|e| (e.user, e.item) == (*user, index) && e.action == action);
                if ruled(RuleAction::Hide) {
                    person.hidden.insert(*item, unread);
                } else if unread && !ruled(RuleAction::MarkRead) {
                    person.unread.insert(*item);
                }
            }
        }
    }

    fn some_items(&self, dice: &mut impl Rng, user: UserId) -> Vec<ItemId> {
        let person = &self.people[&user];
        let visible = self.items.iter().filter(|(_, (feed, _))| person.subscribed.contains(feed));
        visible.map(|(item, _)| *item).filter(|_| dice.random_bool(0.15)).take(6).collect()
    }

    async fn mark(&mut self, stage: &Stage, dice: &mut impl Rng, user: UserId) {
        let items = self.some_items(dice, user);
        let marks = [
            Mark::Read,
            Mark::Read,
            Mark::Unread,
            Mark::Star,
            Mark::Unstar,
            Mark::Hide,
            Mark::Hide,
            Mark::Unhide,
        ];
        let mark = &marks[dice.random_range(0..marks.len())];
        let changed = stage.store.mark(user, &items, mark, at(self.now)).await.unwrap();
        let person = self.people.get_mut(&user).unwrap();
        let mut expected = Vec::new();
        for item in items {
            let did = match mark {
                Mark::Read => person.unread.remove(&item),
                Mark::Unread => !person.hidden.contains_key(&item) && person.unread.insert(item),
                Mark::Star => person.starred.insert(item),
                Mark::Hide if person.hidden.contains_key(&item) => false,
                Mark::Hide => {
                    let was_unread = person.unread.remove(&item);
                    person.hidden.insert(item, was_unread).is_none()
                }
                Mark::Unhide => {
                    let shown = person.hidden.remove(&item);
                    person.unread.extend((shown == Some(true)).then_some(item));
                    shown.is_some()
                }
                _ => person.starred.remove(&item),
            };
            if did {
                expected.push(item);
                let moves = matches!(mark, Mark::Read | Mark::Unread | Mark::Hide | Mark::Unhide);
                if let (true, Some((_, undoable))) = (moves, &mut person.undo) {
                    undoable.remove(&item);
                }
            }
        }
        let mut changed = changed;
        changed.sort_unstable();
        assert_eq!(changed, expected, "{mark:?}");
    }

    async fn mark_all(&mut self, stage: &Stage, dice: &mut impl Rng, user: UserId, feed: FeedId) {
        let scope = if dice.random_bool(0.5) { Scope::All } else { Scope::Feed(feed) };
        let newest = self.items.keys().next_back().map_or(0, |item| item.0);
        let sort_at =
            if dice.random_bool(0.5) { i64::from(u32::MAX) } else { dice.random_range(0..=self.now) };
        let item =
            if dice.random_bool(0.5) { ItemId(i64::MAX) } else { ItemId(dice.random_range(0..=newest)) };
        let up_to = UpTo { sort_at: at(sort_at), item };
        let done = stage.store.mark_all_read(user, &scope, up_to, at(self.now)).await.unwrap();
        let person = self.people.get_mut(&user).unwrap();
        let reached = |id: &ItemId| {
            let (home, at) = self.items[id];
            (scope == Scope::All || home == feed) && at <= sort_at && *id <= item
        };
        let marked: BTreeSet<ItemId> = person.unread.iter().copied().filter(reached).collect();
        person.unread.retain(|id| !marked.contains(id));
        assert_eq!(done.changed, marked.len() as u64);
        assert_eq!(done.undo.is_some(), !marked.is_empty());
        if let Some(token) = done.undo {
            person.undo = Some((token, marked));
        }
    }

    async fn undo(&mut self, stage: &Stage, user: UserId) {
        let person = self.people.get_mut(&user).unwrap();
        let Some((token, items)) = person.undo.take() else { return };
        let again = stage.store.undo(user, token).await.unwrap();
        let back: BTreeSet<ItemId> = items.into_iter().filter(|item| self.items.contains_key(item)).collect();
        assert_eq!(again, back.len() as u64);
        person.unread.extend(back);
    }

    async fn subscribe(&mut self, stage: &Stage, user: UserId, feed: FeedId) {
        let url = &self.feeds.iter().find(|(id, _)| *id == feed).unwrap().1;
        let done = stage.store.subscribe(user, &wish(url), at(self.now), at(self.now)).await.unwrap();
        let person = self.people.get_mut(&user).unwrap();
        assert_eq!(done.was_subscribed, !person.subscribed.insert(feed));
        if !done.was_subscribed {
            let mut items: Vec<(i64, ItemId)> = self
                .items
                .iter()
                .filter(|(_, (home, _))| *home == feed)
                .map(|(id, (_, at))| (*at, *id))
                .collect();
            items.sort_unstable_by(|a, b| b.cmp(a));
            let watermark = items.get(10).map_or(i64::MIN, |(at, _)| *at);
            person.unread.extend(items.iter().filter(|(at, _)| *at > watermark).map(|(_, id)| *id));
        }
    }

    async fn unsubscribe(&mut self, stage: &Stage, user: UserId, feed: FeedId) {
        let left = stage.store.unsubscribe(user, feed, at(self.now)).await.unwrap();
        let person = self.people.get_mut(&user).unwrap();
        assert_eq!(left.is_some(), person.subscribed.remove(&feed));
        let Some(token) = left else { return };
        person.undo = None;
        let here = |item: &ItemId| self.items[item].0 == feed;
        person.left = Some(Left {
            token,
            feed,
            paused: person.paused.remove(&feed),
            unread: person.unread.iter().copied().filter(here).collect(),
            hidden: person.hidden.iter().map(|(id, was)| (*id, *was)).filter(|(id, _)| here(id)).collect(),
            newest: self.items.keys().next_back().copied().unwrap_or(ItemId(0)),
        });
        person.unread.retain(|item| !here(item));
        person.hidden.retain(|item, _| !here(item));
    }

    async fn come_back(&mut self, stage: &Stage, user: UserId) {
        let person = self.people.get_mut(&user).unwrap();
        let Some(left) = person.left.take() else { return };
        let unread = stage.store.undo(user, left.token).await.unwrap();
        if !person.subscribed.insert(left.feed) {
            assert_eq!(unread, 0, "followed again already");
            return;
        }
        if left.paused {
            person.paused.insert(left.feed);
        }
        let since = self.items.iter().filter(|(id, (home, _))| *home == left.feed && **id > left.newest);
        let back: BTreeSet<ItemId> = left.unread.into_iter().chain(since.map(|(id, _)| *id)).collect();
        assert_eq!(unread, back.len() as u64);
        person.unread.extend(back);
        person.hidden.extend(left.hidden);
    }

    async fn pause(&mut self, stage: &Stage, user: UserId, feed: FeedId) {
        let person = self.people.get_mut(&user).unwrap();
        let paused = !person.paused.contains(&feed);
        let edit = SubscriptionEdit { paused: Some(paused), ..SubscriptionEdit::default() };
        let edited = stage.store.edit_subscription(user, feed, &edit).await;
        assert_eq!(edited.is_ok(), person.subscribed.contains(&feed));
        if edited.is_ok() && !person.paused.remove(&feed) {
            person.paused.insert(feed);
        }
    }

    async fn retain(&mut self, stage: &Stage, dice: &mut impl Rng) {
        // A day later every feed is due for a visit, and undos have run out.
        self.now += 2 * 86_400;
        let keep = dice.random_range(0..12);
        let policy = RetentionPolicy { count_per_feed: Some(keep), ..RetentionPolicy::default() };
        let removed = stage.store.retention(at(self.now), &policy).await.unwrap();
        self.people.values_mut().for_each(|person| (person.undo, person.left) = (None, None));
        let mut gone = Vec::new();
        for (feed, _) in &self.feeds {
            let mut items: Vec<(i64, ItemId)> = self
                .items
                .iter()
                .filter(|(_, (home, _))| home == feed)
                .map(|(id, (_, at))| (*at, *id))
                .collect();
            items.sort_unstable_by(|a, b| b.cmp(a));
            let kept =
                |id: &ItemId| self.people.values().any(|p| p.starred.contains(id) || p.unread.contains(id));
            gone.extend(items.iter().skip(keep as usize).map(|(_, id)| *id).filter(|id| !kept(id)));
        }
        assert_eq!(removed.items, gone.len() as u64);
        self.items.retain(|id, _| !gone.contains(id));
        self.people.values_mut().for_each(|person| person.hidden.retain(|id, _| !gone.contains(id)));
    }

    async fn check(&self, stage: &Stage) {
        for (user, person) in &self.people {
            let numbers = |scope, unread_only| async move {
                let query = store::ListQuery {
                    scope,
                    unread_only,
                    order: store::Order::NewestFirst,
                    limit: 1_000,
                    after: None,
                };
                stage.store.list(*user, &query).await.unwrap()
            };
            let unread: BTreeSet<ItemId> =
                numbers(Scope::All, true).await.iter().map(|row| row.item.id).collect();
            assert_eq!(unread, person.unread, "unread list of {user}");
            let all = numbers(Scope::All, false).await;
            let visible = self.items.iter().filter(|(_, (feed, _))| person.subscribed.contains(feed)).count();
            assert_eq!(all.len(), visible - person.hidden.len());
            let hidden: BTreeSet<ItemId> =
                numbers(Scope::Hidden, false).await.iter().map(|row| row.item.id).collect();
            assert!(hidden.iter().eq(person.hidden.keys()), "hidden list of {user}");
            for row in all {
                assert_eq!(row.is_read, !person.unread.contains(&row.item.id));
                assert_eq!(row.is_starred, person.starred.contains(&row.item.id));
            }
            let counts = stage.store.counts(*user).await.unwrap();
            assert_eq!(counts.total, person.unread.len() as u64, "counter of {user}");
            let starred = stage.titles(*user, Scope::Starred, false).await;
            assert_eq!(starred.len(), person.starred.len());
        }
    }
}
