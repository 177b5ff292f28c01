use super::*;
use std::collections::HashSet;

/// 158 invented items of ten feeds and eight days, each with the story it tells; see `fixtures/README.md`.
const LABELLED: &str = include_str!("../../fixtures/stories.ndjson");

struct Labelled {
    story: String,
    kind: String,
    title: String,
    sighting: Sighting,
}

fn labelled() -> Vec<Labelled> {
    let mut feeds: HashMap<String, u64> = HashMap::new();
    let read = |(nth, line): (usize, &str)| {
        let item: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| item[name].as_str().unwrap().to_owned();
        let count = feeds.len() as u64;
        let feed = *feeds.entry(text("feed")).or_insert(count);
        let at = Timestamp::from_seconds(item["at"].as_i64().unwrap());
        let (title, body, link) = (text("title"), text("body"), text("link"));
        let sighting = Sighting::new(nth as u64, feed, at, &title, &body, Some(&link));
        Labelled { story: text("story"), kind: text("kind"), title, sighting }
    };
    LABELLED.lines().enumerate().map(read).collect()
}

/// Pairs of items: put together by us, put together by the labels, and both.
#[test]
fn labelled_stories_are_grouped_with_precision() {
    let labelled = labelled();
    let mut stories = Stories::new(1_000);
    let told: Vec<u64> = labelled.iter().map(|item| stories.add(item.sighting.clone()).0).collect();
    let (mut ours, mut truth, mut both) = (0u32, 0u32, 0u32);
    for (nth, one) in labelled.iter().enumerate() {
        for (other, known) in labelled.iter().enumerate().take(nth) {
            let (put, labelled) = (told[nth] == told[other], one.story == known.story);
            ours += u32::from(put);
            truth += u32::from(labelled);
            both += u32::from(put && labelled);
            if put != labelled {
                let verdict = if put { "wrongly together" } else { "left apart" };
                println!(
                    "{verdict}: {} “{}” ({}), {} “{}” ({})",
                    one.story, one.title, one.kind, known.story, known.title, known.kind
                );
            }
        }
    }
    let (precision, recall) = (f64::from(both) / f64::from(ours), f64::from(both) / f64::from(truth));
    println!("{ours} pairs put together, {truth} labelled: precision {precision:.3}, recall {recall:.3}");
    assert!(precision >= 0.95, "precision {both} of {ours}");
    assert!(recall >= 0.8, "recall {both} of {truth}");
}

/// Japanese without spaces, Hebrew from right to left.
#[test]
fn copies_are_known_in_any_script() {
    let check = |one: &str, copy: &str, other: &str| {
        let mut stories = Stories::new(10);
        let told = [one, copy, other].map(|text| {
            let nth = stories.len() as u64;
            stories.add(seen(nth, nth, 0, text, "https://a.test/")).0
        });
        assert_eq!(told, [0, 0, 2], "{one}");
    };
    check(
        "東京の港区で新しい図書館が月曜日に開館し、子どもたちが長い列を作りました。",
        "東京の港区で新しい図書館が月曜日に開館し、子どもたちが長い列を作りました。写真あり。",
        "大阪の北区で古い図書館が金曜日に閉館し、市民が別れを惜しみました。",
    );
    check(
        "מועצת העיר אישרה ביום שני את תקציב הספריות לשנה הבאה לאחר דיון ארוך",
        "מועצת העיר אישרה ביום שני את תקציב הספריות לשנה הבאה לאחר דיון ארוך במיוחד",
        "ראש העיר פתח ביום שלישי את הגשר החדש מעל הנחל הגדול",
    );
}

fn at(day: i64) -> Timestamp {
    Timestamp::from_seconds(1_700_000_000 + day * 86_400)
}

fn seen(item: u64, feed: u64, day: i64, text: &str, link: &str) -> Sighting {
    Sighting::new(item, feed, at(day), "", text, Some(link))
}

const TEXT: &str = "Divers found cracks in two pillars of the old harbour bridge on Monday morning";

#[test]
fn a_copy_in_another_feed_joins_the_story_and_one_in_the_same_feed_does_not() {
    let mut stories = Stories::new(100);
    assert_eq!(stories.add(seen(1, 1, 0, TEXT, "https://a.test/1")).0, 1);
    let (story, found) = stories.add(seen(2, 2, 1, TEXT, "https://b.test/1"));
    assert_eq!((story, found.len(), found[0].why), (1, 1, Why::SameText));
    assert_eq!(stories.add(seen(3, 1, 1, TEXT, "https://a.test/3")).0, 1, "it is known from the other feed");
    let mut alone = Stories::new(100);
    alone.add(seen(1, 1, 0, TEXT, "https://a.test/1"));
    assert_eq!(alone.add(seen(2, 1, 0, TEXT, "https://a.test/2")).0, 2);
}

#[test]
fn the_same_words_around_other_figures_are_near_but_no_story() {
    let mut stories = Stories::new(100);
    let level = |cm: u32, more: u32, flow: u32| {
        format!(
            "{TEXT} when the water stood at {cm} centimetres, {more} more than before, and the flow was {flow}"
        )
    };
    stories.add(seen(1, 1, 0, &level(212, 4, 88), "https://a.test/1"));
    let (story, found) = stories.add(seen(2, 2, 1, &level(254, 23, 109), "https://b.test/1"));
    assert_eq!((story, found.len(), found[0].why), (2, 1, Why::SameWords));
    let (story, found) = stories.add(seen(3, 3, 1, &level(254, 23, 109), "https://c.test/1"));
    let why: Vec<Why> = found.iter().map(|earlier| earlier.why).collect();
    assert_eq!((story, why), (2, vec![Why::SameText, Why::SameWords]));
}

#[test]
fn a_link_that_a_feed_gives_to_all_its_items_folds_nothing() {
    let mut stories = Stories::new(100);
    for nth in 0..3 {
        stories.add(seen(
            nth,
            1,
            0,
            &format!("Item number{nth} of a feed that links to its archive{nth}"),
            "https://a.test/archive",
        ));
    }
    let (story, found) = stories.add(seen(
        9,
        2,
        0,
        "Quite another thing that somebody wrote about it",
        "https://a.test/archive",
    ));
    assert_eq!((story, found.len()), (9, 0));
}

#[test]
fn stories_end_after_two_weeks() {
    let mut stories = Stories::new(100);
    stories.add(seen(1, 1, 0, TEXT, "https://a.test/1"));
    assert_eq!(stories.find(&seen(2, 2, 13, TEXT, "https://b.test/1")).len(), 1);
    assert_eq!(stories.add(seen(2, 2, 15, TEXT, "https://b.test/1")).0, 2);
    assert_eq!(stories.len(), 1);
}

#[test]
fn memory_is_bounded_whatever_comes() {
    let mut stories = Stories::new(50);
    for nth in 0..2_000u64 {
        stories.add(seen(nth, nth % 7, 0, TEXT, "https://a.test/1"));
        stories.add(seen(nth, nth % 7, 0, "", "no link"));
    }
    assert!(stories.len() <= 50);
    let listed: usize = stories.keys.values().map(Vec::len).sum();
    assert!(listed <= 50 * (BANDS + 2), "{listed}");
    let live: HashSet<u64> = (stories.first..stories.first + stories.len() as u64).collect();
    assert!(stories.keys.values().flatten().all(|number| live.contains(number)));
}

#[test]
fn items_without_words_match_nothing() {
    let mut stories = Stories::new(100);
    for (nth, text) in ["", " ", "🎉🎉", "the", "12 13"].into_iter().enumerate() {
        let (_, found) = stories.add(Sighting::new(nth as u64, nth as u64, at(0), text, text, None));
        assert!(found.is_empty(), "{text}");
    }
}
