//! Full texts, media, icons, imports, worth, and the operator's view.

use crate::stage::*;
use domain::interaction::{Interaction, InteractionKind};
use domain::{DocumentItem, FeedId, ItemId, PollOutcome, Preview, Timestamp, UserId, Validators};
use store::{
    FullText, Icon, IconFound, ItemKind, ItemWrite, Learned, Mark, RetentionPolicy, Scope, StoreError,
    StoryItem, StoryTie, Tick, UpTo,
};

async fn one(stage: &Stage) -> (UserId, FeedId, ItemId) {
    let user = stage.user("mira").await;
    let feed = stage.subscribe(user, "https://a.example/feed").await;
    let item = stage.poll(feed, at(100), vec![new_item(1)]).await.new_items[0];
    (user, feed, item)
}

#[test]
fn a_full_text_or_why_there_is_none_is_kept_as_long_as_its_item() {
    on_both(|stage| async move {
        let (user, _, item) = one(&stage).await;
        let store = &stage.store;
        assert!(store.full_text(item).await.unwrap().is_none());
        let why = FullText {
            fetched_at: at(200),
            html: None,
            sentence: Some("The page asks for money.".into()),
            title: None,
        };
        store.keep_full_text(item, &why).await.unwrap();
        assert_eq!(store.full_text(item).await.unwrap(), Some(why));
        let text = FullText {
            fetched_at: at(300),
            html: Some("<p>all of it \0</p>".repeat(5_000)),
            sentence: None,
            title: Some("Title".into()),
        };
        store.keep_full_text(item, &text).await.unwrap();
        assert_eq!(store.full_text(item).await.unwrap(), Some(text.clone()));
        assert!(matches!(store.keep_full_text(ItemId(999), &text).await, Err(StoreError::NotFound { .. })));
        store.set_media_position(user, item, 0, 1.0, at(300)).await.unwrap();
        store.mark_all_read(user, &Scope::All, UpTo::EVERYTHING, at(300)).await.unwrap();
        let policy = RetentionPolicy { count_per_feed: Some(0), ..RetentionPolicy::default() };
        assert_eq!(store.retention(at(400), &policy).await.unwrap().items, 1);
        assert!(store.full_text(item).await.unwrap().is_none());
        assert!(store.media_position(user, item).await.unwrap().is_empty());
        stage.assert_sound().await;
    });
}

#[test]
fn a_person_listens_on_where_they_stopped() {
    on_both(|stage| async move {
        let (user, _, item) = one(&stage).await;
        let store = &stage.store;
        for (enclosure, seconds) in [(1, 12.25), (0, 3.0), (1, 60.5), (2, f64::NAN), (3, -4.0), (4, f64::MAX)]
        {
            store.set_media_position(user, item, enclosure, seconds, at(200)).await.unwrap();
        }
        let expected = [(0, 3.0), (1, 60.5), (2, 0.0), (3, 0.0), (4, 1e9)];
        assert_eq!(store.media_position(user, item).await.unwrap(), expected);
        let noor = stage.user("noor").await;
        let refused = store.set_media_position(noor, item, 0, 1.0, at(200)).await;
        assert!(matches!(refused, Err(StoreError::NotFound { .. })));
        assert!(store.media_position(noor, item).await.unwrap().is_empty());
    });
}

#[test]
fn icons_are_asked_for_once_a_week_and_only_of_feeds_that_work() {
    on_both(|stage| async move {
        let store = &stage.store;
        let user = stage.user("mira").await;
        let feed = stage.subscribe(user, "https://a.example/feed").await;
        stage.subscribe(user, "https://broken.example/feed").await;
        assert!(store.icons_due(at(0), 10).await.unwrap().is_empty(), "nothing has answered yet");
        let leased = store.lease_feed(feed, at(10), LEASE, SPACING, NODE).await.unwrap().unwrap();
        let mut poll = commit(&leased, at(10), vec![]);
        poll.schedule.last_success_at = Some(at(10));
        let week = 7 * 86_400;
        poll.schedule.next_poll_at = at(5 * week);
        store.commit_poll(poll).await.unwrap();
        assert!(store.icons_due(at(5 * week - 10), 10).await.unwrap().is_empty(), "the poll goes first");
        let due = store.icons_due(at(20), 10).await.unwrap();
        assert_eq!(due.iter().map(|due| due.feed).collect::<Vec<_>>(), [feed]);
        assert_eq!(due[0].validators, Validators::default());
        let icon = Icon { kind: "image/png".into(), bytes: vec![0, 1, 255], version: u64::MAX - 1 };
        let validators = Validators { etag: Some("\"x\"".into()), last_modified: None };
        let found = IconFound { icon: Some(icon.clone()), validators: validators.clone(), unchanged: false };
        store.keep_icon(feed, found, at(20)).await.unwrap();
        assert_eq!(store.icon(feed).await.unwrap(), Some(icon.clone()));
        assert_eq!(store.subscription(user, feed).await.unwrap().unwrap().icon, Some(u64::MAX - 1));
        assert!(store.icons_due(at(week), 10).await.unwrap().is_empty());
        assert_eq!(store.icons_due(at(week + 21), 10).await.unwrap()[0].validators, validators);
        let same = IconFound { unchanged: true, ..IconFound::default() };
        store.keep_icon(feed, same, at(week + 21)).await.unwrap();
        assert_eq!(store.icon(feed).await.unwrap(), Some(icon));
        store.keep_icon(feed, IconFound::default(), at(2 * week + 50)).await.unwrap();
        assert_eq!(store.icon(feed).await.unwrap(), None, "it has none any more");
        assert_eq!(store.subscription(user, feed).await.unwrap().unwrap().icon, None);
        assert!(store.keep_icon(FeedId(999), IconFound::default(), at(0)).await.is_err());
        store.unsubscribe(user, feed, at(0)).await.unwrap();
        assert!(store.icons_due(at(99 * week), 10).await.unwrap().is_empty());
    });
}

#[test]
fn an_import_shows_its_feeds_coming_in() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (user, noor) = (stage.user("mira").await, stage.user("noor").await);
        assert_eq!(store.newest_import(user).await.unwrap(), None);
        let mut feeds = Vec::new();
        for n in (0..3).rev() {
            feeds.push(stage.subscribe(user, &format!("https://h{n}.example/feed")).await);
        }
        let complaints = vec!["Something is wrong.".to_owned(); 30];
        let brought =
            store::NewImport { name: "feeds.opml", feeds: &feeds, left_out: 4, complaints: &complaints };
        let id = store.add_import(user, &brought, at(0)).await.unwrap();
        assert_eq!(store.newest_import(user).await.unwrap(), Some(id));
        let progress = store.import(user, id).await.unwrap().unwrap();
        assert_eq!((progress.ticks, progress.items, progress.left_out), (vec![Tick::Waiting; 3], 0, 4));
        assert_eq!(progress.complaints, complaints[..20]);
        for (feed, fails) in [(feeds[0], true), (feeds[2], false)] {
            let leased = store.lease_feed(feed, at(10), LEASE, SPACING, NODE).await.unwrap().unwrap();
            let mut poll =
                commit(&leased, at(10), if fails { vec![] } else { vec![new_item(1), new_item(2)] });
            if fails {
                poll.schedule.failures = 1;
                poll.record.outcome = PollOutcome::NotFound;
                poll.record.error = Some("There is nothing there.".into());
            } else {
                poll.schedule.last_success_at = Some(at(10));
            }
            store.commit_poll(poll).await.unwrap();
        }
        let progress = store.import(user, id).await.unwrap().unwrap();
        assert_eq!(progress.ticks, [Tick::Failed, Tick::Waiting, Tick::Fetched]);
        assert_eq!((progress.items, progress.failed.len()), (2, 1));
        assert_eq!(progress.failed[0].feed, feeds[0]);
        assert_eq!(progress.failed[0].sentence.as_deref(), Some("There is nothing there."));
        assert!(store.import(noor, id).await.unwrap().is_none());
        assert_eq!(store.newest_import(noor).await.unwrap(), None);
    });
}

fn linked(number: u64, link: u64, sort_at: Timestamp) -> ItemWrite {
    let link = Some(format!("https://site.example/{link}"));
    let item = DocumentItem { link, ..document_item(number) };
    ItemWrite::new(&item, ItemKind::New { sort_at, unread: true }, Preview::default())
}

#[test]
fn a_feeds_worth_is_what_a_person_made_of_it() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (user, noor) = (stage.user("mira").await, stage.user("noor").await);
        let small = stage.subscribe(user, "https://small.example/feed").await;
        let planet = stage.subscribe(user, "https://planet.example/feed").await;
        let quiet = stage.subscribe(user, "https://quiet.example/feed").await;
        let mirror = stage.subscribe(user, "https://mirror.example/feed").await;
        for url in ["https://small.example/feed", "https://mirror.example/feed"] {
            stage.subscribe(noor, url).await;
        }
        let items = (1..=10).map(|n| linked(n, n, at(n as i64 * 100))).collect();
        let items = stage.poll(small, at(1_100), items).await.new_items;
        let many = (1..=40).map(|n| linked(n, n + 1, at(n as i64 * 10))).collect();
        let many = stage.poll(planet, at(1_100), many).await.new_items;
        // Other links, and of five items four that the planet has told.
        let copies = (1..=5).map(|n| linked(n, n + 100, at(n as i64 * 10))).collect();
        let copies = stage.poll(mirror, at(1_100), copies).await.new_items;
        let told = copies.iter().zip(&many).take(4);
        let stories = told.flat_map(|(copy, first)| {
            [*first, *copy].map(|item| StoryItem { item, story: *first, why: StoryTie::Text })
        });
        let stories = stories.collect();
        let (from, to) = (ItemId(0), copies[4]);
        let learned = Learned { from, to, profiles: vec![], stories, terms: vec![], model: None };
        assert!(store.keep_learned(learned).await.unwrap());
        store.mark(user, &items[..2], &Mark::Star, at(1_200)).await.unwrap();
        store.mark(user, &items[2..3], &Mark::Hide, at(1_200)).await.unwrap();
        let open = |user, item, seconds| Interaction {
            user,
            item,
            kind: InteractionKind::Open,
            at: at(seconds),
            place: "newest".into(),
            position: None,
            dwell_ms: None,
        };
        let opens = [
            open(user, items[0], 1_200),
            open(user, items[0], 1_300),
            open(user, items[1], 50),
            open(noor, items[5], 1_200),
        ];
        store.record_interactions(&opens).await.unwrap();
        let worth = store.feed_worth(user, at(500), at(2_000)).await.unwrap();
        assert_eq!(worth.iter().map(|w| w.feed).collect::<Vec<_>>(), [small, planet, quiet, mirror]);
        let first = &worth[0];
        assert_eq!((first.items, first.opened, first.starred, first.hidden), (6, 1, 2, 1));
        assert_eq!(first.last_item_at, Some(at(1_000)));
        assert_eq!(first.duplicate_of, Some((planet, 0.9)));
        assert_eq!((worth[1].duplicate_of, worth[2].last_item_at), (None, None));
        assert_eq!(worth[3].duplicate_of, Some((planet, 0.8)), "by its stories");
        assert_eq!(store.feed_opens(user, small, at(100)).await.unwrap(), [at(1_300), at(1_200)]);
        assert_eq!(store.feed_posts(small, at(850), 100).await.unwrap(), [at(1_000), at(900)]);
        assert_eq!(store.feed_posts(small, at(0), 1).await.unwrap().len(), 1);
        let noors = store.feed_worth(noor, at(500), at(2_000)).await.unwrap();
        assert_eq!((noors.len(), noors[0].opened, noors[0].starred, noors[0].hidden), (2, 1, 0, 0));
        let hers = (noors[0].duplicate_of, noors[1].duplicate_of);
        assert_eq!(hers, (None, None), "noor does not follow the planet");
    });
}

#[test]
fn the_operator_sees_how_large_and_how_busy_the_server_is() {
    on_both(|stage| async move {
        let store = &stage.store;
        let (_, feed, _) = one(&stage).await;
        let leased = store.lease_feed(feed, at(8_000), LEASE, SPACING, NODE).await.unwrap().unwrap();
        let mut poll = commit(&leased, at(8_000), vec![]);
        (poll.schedule.failures, poll.record.outcome) = (1, PollOutcome::Failed);
        store.commit_poll(poll).await.unwrap();
        let seen = store.server_overview(at(8_100)).await.unwrap();
        assert_eq!((seen.users, seen.feeds, seen.items, seen.failing), (1, 1, 1, 1));
        assert_eq!((seen.polls_today, seen.new_today, seen.bytes > 0), (2, 1, true));
        assert!(store.database_bytes().await.unwrap() > seen.bytes);
        assert_eq!(store.server_overview(at(100 * 86_400)).await.unwrap().polls_today, 0);
        let hours = store.polls_by_hour(at(0)).await.unwrap();
        assert_eq!(hours.iter().map(|h| (h.1, h.2, h.3)).collect::<Vec<_>>(), [(1, 1, 0), (1, 0, 1)]);
        assert!(hours.iter().all(|(hour, ..)| hour.seconds() % 3_600 == 0));
        assert!(hours[0].0 < hours[1].0 && hours[1].0 <= at(8_000));
    });
}
