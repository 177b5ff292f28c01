//! Learning from items: profiles, words and stories follow what is stored, whatever happens in between.

use crate::shelf::{DAY, Shelf};
use domain::{FeedId, Limits};
use learn::{FeedProfile, Summary};
use std::time::Duration;
use store::{FeedProfileRow, Model};
use text::Frequencies;
use tokio_util::sync::CancellationToken;

const BEES: [&str; 4] = [
    "Beekeepers in the valley have moved their hives to the orchards because the lime trees bloom early this year",
    "A swarm of bees settled on the bell tower and the beekeeper needed a long ladder to bring the queen home",
    "Honey from heather is darker than honey from clover and the hives must stand on the moor until autumn",
    "Varroa mites weaken the colonies and every beekeeper counts the mites under each hive before the winter",
];
const ROCKETS: [&str; 4] = [
    "The rocket lifted forty satellites into orbit and the booster landed on the ship in the rough sea",
    "Engineers found the leak in the fuel line of the rocket an hour before the planned launch from the coast",
    "A new engine burned for six minutes on the test stand which is longer than any flight to orbit takes",
    "The capsule will dock at the station on Friday with food and spare parts for the crew in orbit",
];

async fn learn(shelf: &Shelf) {
    work::digest_all(&shelf.store, &shelf.clock, &Limits::default()).await.unwrap();
}

async fn profile(shelf: &Shelf, feed: FeedId) -> FeedProfileRow {
    shelf.store.feed_profile(shelf.user, feed).await.unwrap().expect("a profile")
}

fn words(summary: &[u8]) -> Vec<String> {
    Summary::from_bytes(summary).unwrap().words.into_iter().map(|word| word.text).collect()
}

fn items<'a>(texts: &[&'a str], count: usize) -> Vec<(String, &'a str)> {
    (0..count).map(|nth| (format!("Number {nth}"), texts[nth % texts.len()])).collect()
}

async fn poll(shelf: &Shelf, feed: FeedId, seconds_ago: i64, items: &[(String, &str)]) {
    let items: Vec<(&str, &str)> = items.iter().map(|(title, text)| (title.as_str(), *text)).collect();
    shelf.poll(feed, seconds_ago, &items).await;
}

#[tokio::test]
async fn a_feed_is_known_by_its_words_and_learning_twice_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let (bees, rockets) = (shelf.feed("bees").await, shelf.feed("rockets").await);
    poll(&shelf, bees, 3_000, &items(&BEES, 12)).await;
    poll(&shelf, rockets, 2_000, &items(&ROCKETS, 12)).await;
    learn(&shelf).await;
    let (one, other) = (profile(&shelf, bees).await, profile(&shelf, rockets).await);
    assert!(words(&one.latest).iter().any(|word| word == "honey"), "{:?}", words(&one.latest));
    assert!(words(&other.general).iter().any(|word| word == "rocket"), "{:?}", words(&other.general));
    assert!(!words(&one.latest).iter().any(|word| word == "rocket"));
    assert_eq!(one.language.as_deref(), Some("en"));
    assert!(one.change.is_none() && one.worth > 0.9, "twelve items fill no window");
    let frequencies = shelf.store.model("frequencies").await.unwrap().unwrap();
    let counted: f64 = {
        let read = Frequencies::from_bytes(&frequencies.state).unwrap();
        read.languages().map(|language| read.of(language).items()).sum()
    };
    assert!((counted - 24.0).abs() < 0.1, "{counted}");
    learn(&shelf).await;
    assert_eq!(profile(&shelf, bees).await, one);
    assert_eq!(shelf.store.model("frequencies").await.unwrap().unwrap(), frequencies);
}

#[tokio::test]
async fn learning_goes_on_where_it_was_cut_off_and_counts_again_what_was_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let bees = shelf.feed("bees").await;
    poll(&shelf, bees, 3_000, &items(&BEES, 8)).await;
    learn(&shelf).await;
    let first = profile(&shelf, bees).await;
    poll(&shelf, bees, 1_000, &items(&BEES, 5)).await;
    learn(&shelf).await;
    let second = profile(&shelf, bees).await;
    assert!(second.learned_to > first.learned_to);
    let items_known = |row: &FeedProfileRow| FeedProfile::from_bytes(&row.state).unwrap().items();
    assert_eq!((items_known(&first), items_known(&second)), (8, 13));
    // As after a crash: the words were kept earlier than the profiles, or what was kept cannot be read.
    for (nth, state) in [Frequencies::default().to_bytes(), b"damaged".to_vec()].into_iter().enumerate() {
        let old = Model { learned_to: domain::ItemId(0), state };
        shelf.store.keep_model("frequencies", &old).await.unwrap();
        poll(&shelf, bees, 500, &[("Once more".to_owned(), ROCKETS[nth])]).await;
        learn(&shelf).await;
    }
    let model = shelf.store.model("frequencies").await.unwrap().unwrap();
    let read = Frequencies::from_bytes(&model.state).unwrap();
    let counted: f64 = read.languages().map(|language| read.of(language).items()).sum();
    assert!((counted - 15.0).abs() < 0.1, "{counted}");
    assert_eq!(items_known(&profile(&shelf, bees).await), 15);
}

#[tokio::test]
async fn a_damaged_profile_is_learned_again_from_the_stored_items() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let bees = shelf.feed("bees").await;
    poll(&shelf, bees, 3_000, &items(&BEES, 12)).await;
    learn(&shelf).await;
    let good = profile(&shelf, bees).await;
    let damaged = FeedProfileRow { state: b"not a profile".to_vec(), ..good.clone() };
    let to = shelf.store.learned_to().await.unwrap();
    let (stories, terms) = (vec![], vec![]);
    let step = store::Learned { from: to, to, profiles: vec![damaged], stories, terms, model: None };
    assert!(shelf.store.keep_learned(step).await.unwrap());
    poll(&shelf, bees, 1_000, &items(&BEES, 1)).await;
    learn(&shelf).await;
    let again = profile(&shelf, bees).await;
    assert_eq!(FeedProfile::from_bytes(&again.state).unwrap().items(), 13);
    assert!(words(&good.latest).contains(&"mites".to_owned()), "{:?}", words(&good.latest));
    assert!(words(&again.latest).contains(&"mites".to_owned()), "{:?}", words(&again.latest));
}

#[tokio::test]
async fn a_feed_that_changes_its_topic_overnight_is_about_the_new_one_now_and_both_in_general() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let feed = shelf.feed("changing").await;
    poll(&shelf, feed, 2 * DAY, &items(&BEES, 40)).await;
    learn(&shelf).await;
    poll(&shelf, feed, 1_000, &items(&ROCKETS, 24)).await;
    learn(&shelf).await;
    let row = profile(&shelf, feed).await;
    let (latest, general) = (words(&row.latest), words(&row.general));
    assert!(latest.iter().any(|word| word == "orbit") && !latest.iter().any(|word| word.starts_with("hive")));
    assert!(
        general.iter().any(|word| word == "orbit") && general.iter().any(|word| word.starts_with("hive"))
    );
}

#[tokio::test]
async fn history_that_is_filled_in_later_does_not_become_the_present() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let feed = shelf.feed("archive").await;
    poll(&shelf, feed, 3_600, &items(&ROCKETS, 20)).await;
    learn(&shelf).await;
    poll(&shelf, feed, 60 * DAY, &items(&BEES, 30)).await;
    learn(&shelf).await;
    let row = profile(&shelf, feed).await;
    assert!(words(&row.latest).iter().any(|word| word == "orbit"), "{:?}", words(&row.latest));
    assert!(words(&row.general).iter().any(|word| word.starts_with("hive")));
    assert_eq!(FeedProfile::from_bytes(&row.state).unwrap().items(), 50);
}

#[tokio::test]
async fn the_same_text_in_two_feeds_is_one_story_and_worth_less_to_who_reads_both() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let (one, copy, other) = (shelf.feed("one").await, shelf.feed("copy").await, shelf.feed("other").await);
    let stranger = shelf.store.add_user("noor", None, false, crate::shelf::ago(0)).await.unwrap();
    let elsewhere = shelf.feed_of(stranger, "elsewhere").await;
    let mut pairs = Vec::new();
    for (nth, text) in BEES.iter().chain(&ROCKETS).enumerate() {
        let title = format!("Story {nth} of the day");
        let first = shelf.poll(one, 5_000, &[(title.as_str(), *text)]).await[0];
        pairs.push((first, shelf.poll(copy, 3_000, &[(title.as_str(), *text)]).await[0]));
        shelf.poll(elsewhere, 2_000, &[(title.as_str(), *text)]).await;
    }
    shelf
        .poll(
            other,
            3_000,
            &[("Quiet", "Nothing that anybody else has written about in the whole wide world")],
        )
        .await;
    learn(&shelf).await;
    for (first, copied) in &pairs {
        let told = shelf.store.stories_of(shelf.user, &[*copied]).await.unwrap();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].others.iter().map(|other| other.item).collect::<Vec<_>>(), [*first]);
    }
    let (first, second) = (profile(&shelf, one).await.worth, profile(&shelf, copy).await.worth);
    assert!(first > 0.99 && second < 0.9, "{first} {second}");
    let theirs = shelf.store.feed_profiles(&[elsewhere]).await.unwrap()[0].worth;
    assert!(theirs > 0.99, "its reader reads neither of the others: {theirs}");
    // A restart finds the stories again under their old numbers.
    let (title, text) = ("Story 0 of the day", BEES[0]);
    let late = shelf.feed("late").await;
    let item = shelf.poll(late, 100, &[(title, text)]).await[0];
    learn(&shelf).await;
    let told = shelf.store.stories_of(shelf.user, &[item]).await.unwrap();
    assert_eq!(told[0].others.iter().map(|other| other.item).collect::<Vec<_>>(), [pairs[0].0, pairs[0].1]);
    assert_eq!(shelf.store.integrity_check().await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn odd_items_teach_little_and_break_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let feed = shelf.feed("odd").await;
    let long = "x".repeat(1 << 20);
    let words = "endless words ".repeat(60_000);
    let odd = [
        ("", ""),
        ("the and of", "to a in is it"),
        (long.as_str(), words.as_str()),
        ("🦀🎉👩‍👩‍👧‍👦", "🏳️‍🌈 🇫🇮 ☕️ 🧑🏽‍🚀"),
        ("שלום עולם", "הדבורים עפות בין העצים ובין הפרחים כל היום עד הערב"),
        ("Mixed 東京 und Köln", "蜜蜂在果园里飞来飞去。 Die Bienen fliegen. The bees fly. Пчёлы летят."),
        ("\u{202e}backwards", "a\u{0301}\u{0301}\u{0301}\u{0301} \u{200b}\u{feff}zero\u{200d}width"),
    ];
    shelf.poll(feed, 1_000, &odd).await;
    learn(&shelf).await;
    let row = profile(&shelf, feed).await;
    assert_eq!(FeedProfile::from_bytes(&row.state).unwrap().items(), 7);
    assert!(row.state.len() < 200_000, "{}", row.state.len());
    assert_eq!(shelf.store.learned_to().await.unwrap(), row.learned_to);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_are_learned_as_they_come_and_the_thread_ends_when_told() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path()).await;
    let bees = shelf.feed("bees").await;
    let stop = CancellationToken::new();
    let (store, clock) = (shelf.store.clone(), shelf.clock.clone());
    let running = tokio::spawn(work::digest(store, clock, "one".into(), Limits::default(), stop.clone()));
    let mut arrivals = shelf.store.arrivals();
    poll(&shelf, bees, 100, &items(&BEES, 3)).await;
    while shelf.store.feed_profile(shelf.user, bees).await.unwrap().is_none() {
        tokio::time::timeout(Duration::from_secs(60), arrivals.next()).await.expect("the store tells");
    }
    stop.cancel();
    running.await.unwrap();
    assert!(shelf.store.model("frequencies").await.unwrap().is_some(), "words are kept at the end");
    // The next node need not wait.
    let now = crate::shelf::ago(0).saturating_add(Duration::from_secs(1));
    assert!(shelf.store.hold_job("digest", "two", now, Duration::from_secs(60)).await.unwrap());
}
