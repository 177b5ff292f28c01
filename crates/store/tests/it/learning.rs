//! What was learned: profiles, channels, stories, and who may know of them.

use crate::stage::*;
use domain::{FeedId, FeedState, ItemId, PollOutcome, UserId};
use store::{
    FeedProfileRow, Learned, Mark, Model, PollCommit, RetentionPolicy, Scope, StoryItem, StoryOf, StoryTie,
    StoryTies,
};

fn profile(feed: FeedId, to: ItemId) -> FeedProfileRow {
    FeedProfileRow {
        feed,
        learned_to: to,
        newest_at: at(9),
        state: vec![1, 2, 3],
        latest: vec![4],
        general: vec![5, 6],
        change: Some(0.25),
        cohesion: None,
        worth: 0.5,
        language: Some("en".into()),
    }
}

fn step(from: i64, to: ItemId, profiles: Vec<FeedProfileRow>, stories: Vec<StoryItem>) -> Learned {
    Learned { from: ItemId(from), to, profiles, stories, terms: Vec::new(), model: None }
}

fn tells(item: ItemId, story: ItemId) -> StoryItem {
    StoryItem { item, story, why: StoryTie::Text }
}

async fn private(stage: &Stage, user: UserId, url: &str) -> FeedId {
    let mut secret = wish(url);
    (secret.private, secret.sealed) = (true, Some(vec![1]));
    stage.store.subscribe(user, &secret, at(0), at(0)).await.unwrap().feed
}

#[test]
fn a_step_of_learning_is_kept_once_and_only_on_what_it_was_made_from() {
    on_both(|mut stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=3).map(new_item).collect()).await.new_items;
        assert_eq!(stage.store.learned_to().await.unwrap(), ItemId(0));
        let mut first = step(0, items[1], vec![profile(feed, items[1])], vec![]);
        first.model = Some(("frequencies".into(), vec![7; 3 << 20]));
        assert!(stage.store.keep_learned(first.clone()).await.unwrap());
        assert!(!stage.store.keep_learned(first).await.unwrap(), "twice adds nothing");
        let overtaken = step(1, items[2], vec![profile(feed, items[2])], vec![]);
        assert!(!stage.store.keep_learned(overtaken).await.unwrap());
        stage.reopen().await;
        assert_eq!(stage.store.learned_to().await.unwrap(), items[1]);
        let model = stage.store.model("frequencies").await.unwrap().unwrap();
        assert_eq!((model.learned_to, model.state.len()), (items[1], 3 << 20));
        let kept = stage.store.feed_profile(user, feed).await.unwrap().unwrap();
        assert_eq!(kept, profile(feed, items[1]));
        assert_eq!(stage.store.feed_profiles(&[feed, FeedId(99)]).await.unwrap(), [kept]);
        assert_eq!(stage.store.post_worths(FeedId(0), 9).await.unwrap(), [(feed, 0.5)]);
        assert_eq!(stage.store.post_worths(feed, 9).await.unwrap(), []);
        let shorter = Model { learned_to: items[2], state: vec![9] };
        stage.store.keep_model("frequencies", &shorter).await.unwrap();
        assert_eq!(stage.store.model("frequencies").await.unwrap(), Some(shorter));
        assert_eq!(stage.store.model("nothing").await.unwrap(), None);
    });
}

#[test]
fn channels_are_followed_by_revisions_that_only_grow() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let one = stage.subscribe(user, "https://a.example/feed").await;
        let two = stage.subscribe(user, "https://b.example/feed").await;
        stage.poll(one, at(100), vec![new_item(1)]).await;
        let both = vec![profile(one, ItemId(1)), profile(two, ItemId(1))];
        stage.store.keep_learned(step(0, ItemId(1), both, vec![])).await.unwrap();
        let rows = stage.store.channels_after(0, 1).await.unwrap();
        assert_eq!((rows.len(), rows[0].feed, rows[0].items), (1, one, 1));
        assert_eq!(rows[0].title.as_deref(), Some("Feed"));
        assert_eq!((rows[0].change, rows[0].latest.as_slice()), (Some(0.25), &[4][..]));
        let next = stage.store.channels_after(rows[0].revision, 10).await.unwrap();
        assert_eq!((next.len(), next[0].feed), (1, two));
        stage.store.keep_learned(step(1, ItemId(2), vec![profile(one, ItemId(2))], vec![])).await.unwrap();
        let again = stage.store.channels_after(next[0].revision, 10).await.unwrap();
        assert_eq!((again.len(), again[0].feed), (1, one));
        // A feed that becomes somebody's own is told again, so that it can be taken out of the index.
        stage.store.make_private(user, two, Some(vec![1]), None, at(200)).await.unwrap();
        let own = stage.store.channels_after(again[0].revision, 10).await.unwrap();
        assert_eq!((own.len(), own[0].feed, own[0].private_to), (1, two, Some(user)));
    });
}

#[test]
fn a6_nobody_hears_of_anothers_private_feed_or_how_few_read_one() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let secret = private(&stage, mira, "https://s.example/feed").await;
        let few = stage.subscribe(mira, "https://few.example/feed").await;
        let many = stage.subscribe(mira, "https://many.example/feed").await;
        for name in ["a", "b", "c", "d"] {
            let user = stage.user(name).await;
            stage.subscribe(user, "https://many.example/feed").await;
        }
        let all = [secret, few, many];
        let profiles = all.iter().map(|feed| profile(*feed, ItemId(1))).collect();
        stage.store.keep_learned(step(0, ItemId(1), profiles, vec![])).await.unwrap();
        let seen = |channels: Vec<store::Channel>| {
            channels.into_iter().map(|one| (one.feed, one.subscribers)).collect::<Vec<_>>()
        };
        let hers = seen(stage.store.channels_by_id(mira, &all).await.unwrap());
        assert_eq!(hers, [(secret, None), (few, None), (many, Some(5))]);
        let others = seen(stage.store.channels_by_id(noor, &all).await.unwrap());
        assert_eq!(others, [(few, None), (many, Some(5))]);
        assert!(stage.store.feed_profile(noor, secret).await.unwrap().is_none());
        assert!(stage.store.feed_profile(noor, few).await.unwrap().is_some());
        assert_eq!(seen(stage.store.popular(noor, 10).await.unwrap()), [(many, Some(5))]);
        assert_eq!(seen(stage.store.popular(mira, 10).await.unwrap()), [], "what one has is not offered");
    });
}

#[test]
fn n26_a_feed_that_asked_not_to_be_shown_is_known_to_its_readers_alone() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://shy.example/feed").await;
        for name in ["a", "b", "c", "d"] {
            let user = stage.user(name).await;
            stage.subscribe(user, "https://shy.example/feed").await;
        }
        let leased = stage.lease(at(0)).await.remove(0);
        let facts = domain::FeedFacts { noindex: true, ..domain::FeedFacts::default() };
        let poll = PollCommit { facts: Some(facts), ..commit(&leased, at(1), vec![new_item(1)]) };
        stage.store.commit_poll(poll).await.unwrap();
        assert!(stage.store.feed(feed).await.unwrap().unwrap().facts.noindex);
        assert_eq!(stage.store.channels_by_id(mira, &[feed]).await.unwrap().len(), 1);
        assert_eq!(stage.store.channel_titles(mira, &[feed], 3).await.unwrap().len(), 1);
        assert!(stage.store.channels_by_id(noor, &[feed]).await.unwrap().is_empty());
        assert!(stage.store.channel_titles(noor, &[feed], 3).await.unwrap().is_empty());
        assert!(stage.store.popular(noor, 10).await.unwrap().is_empty());
    });
}

#[test]
fn what_is_gone_is_known_to_its_readers_and_offered_to_nobody() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let feed = stage.subscribe(mira, "https://gone.example/feed").await;
        for name in ["a", "b", "c", "d"] {
            let user = stage.user(name).await;
            stage.subscribe(user, "https://gone.example/feed").await;
        }
        stage.store.keep_learned(step(0, ItemId(1), vec![profile(feed, ItemId(1))], vec![])).await.unwrap();
        let offered = async || {
            let by_id = stage.store.channels_by_id(noor, &[feed]).await.unwrap().len();
            (by_id, stage.store.popular(noor, 10).await.unwrap().len())
        };
        // Twice not found may be a mistake of the publisher's.
        for (nth, (failures, expected)) in (1..).zip([(2, (1, 1)), (3, (0, 0)), (0, (1, 1))]) {
            let now = at(10_000 * nth);
            let wait = std::time::Duration::ZERO;
            let leased = stage.store.lease_feed(feed, now, LEASE, wait, NODE).await.unwrap().unwrap();
            let mut poll = commit(&leased, now, vec![]);
            poll.schedule.failures = failures;
            poll.record.outcome = if failures > 0 { PollOutcome::NotFound } else { PollOutcome::Fresh };
            stage.store.commit_poll(poll).await.unwrap();
            assert_eq!(offered().await, expected, "{failures} failures");
        }
        stage.store.set_feed_state(feed, FeedState::Gone).await.unwrap();
        assert_eq!(offered().await, (0, 0));
        let hers = stage.store.channels_by_id(mira, &[feed]).await.unwrap();
        assert_eq!((hers.len(), hers[0].is_there), (1, false));
        let followed = stage.store.channels_after(0, 10).await.unwrap();
        assert_eq!((followed.len(), followed[0].is_there), (1, false), "the index hears of it");
        stage.store.set_feed_state(feed, FeedState::Active).await.unwrap();
        assert_eq!(offered().await, (1, 1));
    });
}

struct Told {
    feeds: [FeedId; 3],
    /// One item of each feed, all telling one story.
    items: [ItemId; 3],
}

/// Two shared feeds and a private one of `owner` that tell the same story, told by the first.
async fn one_story(stage: &Stage, reader: UserId, owner: UserId) -> Told {
    let one = stage.subscribe(reader, "https://a.example/feed").await;
    let two = stage.subscribe(reader, "https://b.example/feed").await;
    let three = private(stage, owner, "https://c.example/feed").await;
    let mut items = [ItemId(0); 3];
    for (at_index, feed) in [one, two, three].into_iter().enumerate() {
        let stored = stage.poll(feed, at(100 + at_index as i64), (1..=2).map(new_item).collect()).await;
        items[at_index] = stored.new_items[0];
    }
    let stories = items.iter().map(|item| tells(*item, items[0])).collect();
    stage.store.keep_learned(step(0, items[2], vec![], stories)).await.unwrap();
    Told { feeds: [one, two, three], items }
}

#[test]
fn a_channels_newest_titles_are_told_to_whoever_may_know_of_it() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let [one, two, private] = one_story(&stage, mira, noor).await.feeds;
        let told = async |user, each| {
            let titles = stage.store.channel_titles(user, &[one, two, private], each).await.unwrap();
            titles.into_iter().map(|(feed, _)| feed).collect::<Vec<_>>()
        };
        assert_eq!(told(mira, 1).await, [one, two]);
        assert_eq!(told(noor, 1).await, [one, two, private]);
        assert_eq!(told(mira, 9).await, [one, one, two, two]);
        assert_eq!(told(mira, 0).await, []);
    });
}

async fn others(stage: &Stage, user: UserId, item: ItemId) -> Vec<ItemId> {
    let found: Vec<StoryOf> = stage.store.stories_of(user, &[item]).await.unwrap();
    found.into_iter().flat_map(|story| story.others).map(|other| other.item).collect()
}

#[test]
fn a_story_is_told_within_a_persons_own_feeds_only() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let Told { feeds: [one, two, three], items } = one_story(&stage, mira, noor).await;
        let told = stage.store.stories_of(mira, &[items[1], items[0], items[2]]).await.unwrap();
        assert_eq!(told.iter().map(|story| story.item).collect::<Vec<_>>(), [items[1], items[0]]);
        assert_eq!((told[0].story, told[0].others.len()), (items[0], 1));
        let other = told[0].others[0];
        assert_eq!(
            (other.item, other.feed, other.why, other.is_read),
            (items[0], one, StoryTie::Text, false)
        );
        assert_eq!(others(&stage, noor, items[2]).await, [], "the others are not her feeds");
        stage.subscribe(noor, "https://a.example/feed").await;
        assert_eq!(others(&stage, noor, items[2]).await, [items[0]]);
        stage.store.mark(mira, &[items[0]], &Mark::Hide, at(200)).await.unwrap();
        assert_eq!(others(&stage, mira, items[1]).await, []);
        let ties = stage.store.story_ties(mira, one, at(0)).await.unwrap();
        assert_eq!(ties, [StoryTies { other: two, shared: 1, items: 2, other_items: 2 }]);
        let hers: Vec<FeedId> =
            stage.store.story_ties(noor, one, at(0)).await.unwrap().iter().map(|tie| tie.other).collect();
        assert_eq!(hers, [two, three]);
        assert_eq!(stage.store.story_ties(mira, three, at(0)).await.unwrap(), []);
        assert_eq!(stage.store.story_ties(mira, one, at(50)).await.unwrap(), []);
        stage.assert_sound().await;
    });
}

#[test]
fn what_goes_goes_from_its_story_too() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let Told { items, .. } = one_story(&stage, mira, noor).await;
        assert_eq!(stage.store.known_stories(&items).await.unwrap().len(), 3);
        stage.store.remove_user(noor, at(300)).await.unwrap();
        assert_eq!(stage.store.known_stories(&items).await.unwrap().len(), 2);
        stage.assert_sound().await;
        stage.store.mark(mira, &items[..1], &Mark::Read, at(300)).await.unwrap();
        let policy = RetentionPolicy { count_per_feed: Some(1), ..RetentionPolicy::default() };
        while stage.store.retention(at(400), &policy).await.unwrap().more {}
        assert_eq!(stage.store.known_stories(&items).await.unwrap(), [], "one alone is no story");
        stage.assert_sound().await;
    });
}

#[test]
fn readers_in_common_are_those_who_follow_one_of_the_others_too() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let one = stage.subscribe(mira, "https://a.example/feed").await;
        stage.subscribe(noor, "https://a.example/feed").await;
        let two = stage.subscribe(mira, "https://b.example/feed").await;
        let three = stage.subscribe(mira, "https://c.example/feed").await;
        assert_eq!(stage.store.readers_in_common(one, &[two, three]).await.unwrap(), (2, 1));
        assert_eq!(stage.store.readers_in_common(two, &[one]).await.unwrap(), (1, 1));
        assert_eq!(stage.store.readers_in_common(two, &[]).await.unwrap(), (1, 0));
    });
}

#[test]
fn a_group_is_marked_and_taken_back_as_one() {
    on_both(|stage| async move {
        let (mira, noor) = (stage.user("mira").await, stage.user("noor").await);
        let Told { items, feeds, .. } = one_story(&stage, mira, noor).await;
        assert_eq!(stage.unread(mira).await, 4);
        stage.store.mark(mira, &items[..1], &Mark::Read, at(150)).await.unwrap();
        let done = stage.store.mark_many(mira, &items, true, at(200)).await.unwrap();
        assert_eq!((done.changed, stage.unread(mira).await), (1, 2), "the third is not hers");
        assert_eq!(stage.store.undo(mira, done.undo.unwrap()).await.unwrap(), 1);
        assert_eq!(stage.unread(mira).await, 3, "what was read before stays read");
        let back = stage.store.mark_many(mira, &items, false, at(300)).await.unwrap();
        assert_eq!((back.changed, stage.unread(mira).await), (1, 4));
        stage.store.undo(mira, back.undo.unwrap()).await.unwrap();
        assert_eq!(stage.unread(mira).await, 3);
        assert_eq!(stage.store.mark_many(mira, &[], true, at(300)).await.unwrap().undo, None);
        assert_eq!(stage.titles(mira, Scope::Feed(feeds[0]), true).await, ["item 2"]);
        stage.assert_sound().await;
    });
}

#[test]
fn a_search_hears_what_is_starred_tagged_and_unread() {
    on_both(|stage| async move {
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        let items = stage.poll(feed, at(100), (1..=6).map(new_item).collect()).await.new_items;
        stage.store.mark(user, &items[..2], &Mark::Star, at(200)).await.unwrap();
        stage.store.mark(user, &items[2..3], &Mark::Tag("Later".into()), at(200)).await.unwrap();
        stage.store.mark(user, &items[4..5], &Mark::Read, at(200)).await.unwrap();
        assert_eq!(stage.store.starred_ids(user).await.unwrap(), [items[1], items[0]]);
        assert_eq!(stage.store.tagged_ids(user, "Later").await.unwrap(), items[2..3]);
        assert_eq!(stage.store.tagged_ids(user, "later").await.unwrap(), []);
        let unread = stage.store.unread_marks(user).await.unwrap();
        let is_unread = |item: &ItemId, sort_at: i64| {
            let marked = unread.marks.iter().find(|(marked, _)| marked == item).map(|(_, read)| !read);
            marked.unwrap_or(unread.watermarks.iter().any(|(of, mark)| *of == feed && at(sort_at) > *mark))
        };
        let list: Vec<bool> = items.iter().zip(1..).map(|(item, number)| is_unread(item, number)).collect();
        assert_eq!(list, [true, true, true, true, false, true]);
    });
}
