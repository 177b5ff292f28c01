//! The words carry their topics, hardly repeat, and sometimes tell the same story.

use crate::{START, after};
use farm::{FarmConfig, Posted, World};
use std::collections::{HashMap, HashSet};

/// Items of good feeds with their topics, at most `each` of a feed.
fn items(feeds: usize, each: usize) -> Vec<(&'static str, Posted)> {
    let world = World::new(FarmConfig { lively: true, ..FarmConfig::new(11, feeds, START) });
    let mut all = Vec::new();
    for spec in world.feeds() {
        let numbers = world.numbers_between(spec.index, START, after(60, 0));
        let Some(&(_, until)) = numbers.get(each - 1).or(numbers.last()) else { continue };
        all.extend(world.items_between(spec.index, START, until).into_iter().map(|item| (spec.topic, item)));
    }
    all
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let mut plain = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => plain.push(c.to_ascii_lowercase()),
            _ => plain.push(' '),
        }
    }
    plain
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| word.len() > 2)
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

#[test]
fn titles_hardly_repeat() {
    let all = items(240, 30);
    assert!(all.len() >= 5_000, "{}", all.len());
    let titles: HashSet<&str> = all.iter().take(5_000).map(|(_, item)| item.title.as_str()).collect();
    assert!(titles.len() >= 4_750, "{} of 5000 titles are distinct", titles.len());
    for (_, item) in &all {
        assert!(item.title.len() < 160 && item.html.len() > 400, "{}", item.title);
        assert!(!item.title.contains(['{', '}']) && !item.html.contains(['{', '}']), "{}", item.title);
        let lower = format!(" {} {} ", item.title, item.html).to_lowercase();
        for slip in [" the the ", " a the ", " a a ", " an a ", " an an ", " a an ", " the a ", " the an "] {
            assert!(!lower.contains(slip), "“{slip}” in {}: {}", item.title, item.html);
        }
    }
}

#[test]
fn words_tell_the_topic() {
    let all = items(150, 8);
    let (train, test) = all.split_at(all.len() / 2);
    let mut counts: HashMap<&str, HashMap<String, f64>> = HashMap::new();
    let mut totals: HashMap<&str, f64> = HashMap::new();
    for (topic, item) in train {
        for word in words(&item.title).chain(words(&item.html)) {
            *counts.entry(topic).or_default().entry(word).or_default() += 1.0;
            *totals.entry(topic).or_default() += 1.0;
        }
    }
    assert_eq!(counts.len(), 15);
    let score = |topic: &str, text: &[String]| -> f64 {
        let total = totals[topic] + 5_000.0;
        text.iter().map(|word| ((counts[topic].get(word).unwrap_or(&0.0) + 1.0) / total).ln()).sum()
    };
    let guess = |item: &Posted| {
        let text: Vec<String> = words(&item.title).chain(words(&item.html)).collect();
        let scored = counts.keys().map(|topic| (score(topic, &text), *topic));
        scored.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap().1
    };
    let right = test.iter().filter(|(topic, item)| guess(item) == *topic).count();
    let share = right as f64 / test.len() as f64;
    assert!(share >= 0.9, "{right} of {} topics were told", test.len());
}

#[test]
fn some_days_several_feeds_cover_one_story_with_one_link() {
    let mut covering: HashMap<String, HashSet<String>> = HashMap::new();
    for (_, item) in items(300, 60) {
        if let Some(at) = item.html.find("http://wire.test/story/") {
            let url = item.html[at..].split('"').next().unwrap().to_owned();
            covering.entry(url).or_default().insert(item.author.clone());
        }
    }
    let shared = covering.values().filter(|authors| authors.len() >= 2).count();
    assert!(shared >= 10, "{shared} stories of {} were told by more than one publication", covering.len());
}

#[test]
fn an_item_is_long_enough_to_read_and_varied_in_shape() {
    let all = items(60, 10);
    let with = |part: &str| all.iter().filter(|(_, item)| item.html.contains(part)).count();
    for part in ["<blockquote>", "<ul>", "<img ", "<a href="] {
        assert!(with(part) > all.len() / 20, "{part}: {} of {}", with(part), all.len());
    }
    let mean = all.iter().map(|(_, item)| item.html.len()).sum::<usize>() / all.len();
    assert!((800..4_000).contains(&mean), "{mean} bytes on average");
}
