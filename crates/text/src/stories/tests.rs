use super::*;
use std::collections::HashSet;

/// Invented news: story, feed, title, text, link. The same number tells the same story; nothing here was ever printed.
const LABELLED: &[(u32, u64, &str, &str, &str)] = &[
    (
        1,
        1,
        "Harbour bridge closed until spring",
        "The old harbour bridge in Westhaven will stay closed until spring after divers found cracks in two of its pillars, the port authority said on Monday.",
        "https://one.test/harbour",
    ),
    (
        1,
        2,
        "Westhaven bridge stays shut",
        "The old harbour bridge in Westhaven will stay closed until spring after divers found cracks in two of its pillars, the port authority said.",
        "https://two.test/bridge-shut",
    ),
    (
        1,
        3,
        "Bridge",
        "WESTHAVEN - The old harbour bridge in Westhaven will stay closed until spring, after divers found cracks in two of its pillars, the port authority said on Monday.",
        "https://three.test/9",
    ),
    (
        2,
        2,
        "Harbour bridge reopens",
        "The new harbour bridge in Easthaven will open in spring after engineers tested all of its pillars, the mayor said on Monday.",
        "https://two.test/reopens",
    ),
    (
        3,
        1,
        "Rocket carries forty small satellites",
        "A rocket carried forty small satellites into orbit on Tuesday morning, the largest number launched from the northern site so far.",
        "https://one.test/rocket?utm_source=rss",
    ),
    (
        3,
        4,
        "Forty satellites in one go",
        "Our reporter watched the launch from the dunes and spoke with the people who built the smallest of them.",
        "http://www.one.test/rocket/#comments",
    ),
    (
        4,
        3,
        "Rocket launch delayed",
        "A rocket that was to carry forty small satellites into orbit will wait for better weather, the operator of the northern site said.",
        "https://three.test/delay",
    ),
    (5, 5, "Open thread", "", "https://five.test/open-1"),
    (6, 6, "Open thread", "", "https://six.test/open"),
    (7, 5, "Baker wins prize", "", "https://five.test/baker"),
    (7, 6, "Baker wins prize!", "", "https://six.test/prize"),
    (
        8,
        1,
        "Weekly chess puzzle",
        "White to move and win in three. The solution to last week's puzzle: knight takes pawn, then the queen cannot be saved.",
        "https://one.test/",
    ),
    (
        9,
        2,
        "Weather",
        "Rain in the west, sun in the east, and a cold wind from the north for the rest of the week.",
        "https://one.test/",
    ),
    (
        10,
        4,
        "Rust release notes",
        "The new release of the compiler brings faster builds and a longer list of lints. Upgrade with the usual command.",
        "https://lang.test/blog/release",
    ),
    (
        10,
        5,
        "Compiler released",
        "The new release of the compiler brings faster builds and a longer list of lints. Upgrade with the usual command. Discuss on our forum.",
        "https://planet.test/lang/release",
    ),
    (
        11,
        4,
        "Rust release notes",
        "This release of the compiler fixes a regression in pattern matching and one in the linker. Nobody else needs to upgrade.",
        "https://lang.test/blog/release-2",
    ),
    (
        12,
        3,
        "Ministerin kündigt Reform an",
        "Die Ministerin hat am Mittwoch eine Reform der Seehäfen angekündigt, die Gebühren senken und Wartezeiten verkürzen soll.",
        "https://drei.test/reform",
    ),
    (
        12,
        6,
        "Reform der Seehäfen",
        "Berlin. Die Ministerin hat am Mittwoch eine Reform der Seehäfen angekündigt, die Gebühren senken und Wartezeiten verkürzen soll.",
        "https://sechs.test/reform",
    ),
    (
        13,
        7,
        "東京で新しい図書館が開館",
        "東京の港区で新しい図書館が月曜日に開館し、子どもたちが長い列を作りました。",
        "https://seven.test/lib",
    ),
    (
        13,
        8,
        "図書館が開館",
        "東京の港区で新しい図書館が月曜日に開館し、子どもたちが長い列を作りました。写真あり。",
        "https://eight.test/lib",
    ),
    (
        14,
        7,
        "大阪で古い図書館が閉館",
        "大阪の北区で古い図書館が金曜日に閉館し、市民が別れを惜しみました。",
        "https://seven.test/osaka",
    ),
    (
        15,
        1,
        "Council approves budget",
        "The council approved next year's budget with 14 votes to 9 after a debate that lasted until midnight.",
        "https://one.test/budget",
    ),
    (
        16,
        2,
        "Council rejects budget",
        "The council rejected the plan for a second stadium with 14 votes to 9 after a debate that lasted three hours.",
        "https://two.test/stadium",
    ),
    (
        17,
        3,
        "מועצת העיר אישרה את התקציב",
        "מועצת העיר אישרה ביום שני את תקציב הספריות לשנה הבאה לאחר דיון ארוך",
        "https://three.test/he",
    ),
    (
        17,
        4,
        "תקציב הספריות אושר",
        "מועצת העיר אישרה ביום שני את תקציב הספריות לשנה הבאה לאחר דיון ארוך במיוחד",
        "https://four.test/he",
    ),
    (
        18,
        5,
        "Newsletter 12",
        "Hello everybody, and welcome to another week. In this issue: bees, moss and a very old clock.",
        "https://five.test/12",
    ),
    (
        19,
        6,
        "Newsletter 7",
        "Hello everybody, and welcome to another week. In this issue: trains, salt and the price of paper.",
        "https://six.test/7",
    ),
];

fn at(day: i64) -> Timestamp {
    Timestamp::from_seconds(1_700_000_000 + day * 86_400)
}

fn grouped() -> Vec<(u32, u64)> {
    let mut stories = Stories::new(1_000);
    let labelled = LABELLED.iter().enumerate();
    labelled
        .map(|(nth, (label, feed, title, text, link))| {
            (*label, stories.add(Sighting::new(nth as u64, *feed, at(0), title, text, Some(link))).0)
        })
        .collect()
}

/// Pairs of items: put together by us, put together by the labels, and both.
#[test]
fn labelled_stories_are_grouped_with_precision() {
    let all = grouped();
    let mut counted = (0, 0, 0);
    for (nth, one) in all.iter().enumerate() {
        for other in &all[..nth] {
            let (ours, labelled) = (one.1 == other.1, one.0 == other.0);
            assert!(!ours || labelled, "story {} was taken for story {}", one.0, other.0);
            counted.0 += u32::from(ours);
            counted.1 += u32::from(labelled);
            counted.2 += u32::from(ours && labelled);
        }
    }
    let (ours, labelled, both) = counted;
    assert!(f64::from(both) >= 0.95 * f64::from(ours), "precision {both} of {ours}");
    assert!(f64::from(both) >= 0.8 * f64::from(labelled), "recall {both} of {labelled}");
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
