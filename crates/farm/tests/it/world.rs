//! The world repeats itself, in any order and through any window.

use crate::{START, after};
use domain::Format;
use farm::{Behaviour, FarmConfig, Request, World, opml};
use std::collections::HashSet;

fn config(seed: u64) -> FarmConfig {
    FarmConfig { hostile_share: 0.5, ..FarmConfig::new(seed, 120, START) }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_does_not() {
    let (one, two, other) = (World::new(config(1)), World::new(config(1)), World::new(config(2)));
    assert_eq!(one.feeds(), two.feeds());
    for feed in 0..120 {
        assert_eq!(one.document(feed, after(40, 3)), two.document(feed, after(40, 3)), "feed {feed}");
    }
    // Not the first question either: what was asked before changes nothing.
    for day in [90, 10, 40] {
        one.document(7, after(day, 1));
    }
    assert_eq!(one.document(7, after(40, 3)), two.document(7, after(40, 3)));
    assert!((0..120).any(|feed| one.document(feed, after(40, 3)) != other.document(feed, after(40, 3))));
}

#[test]
fn the_memo_changes_speed_and_not_answers() {
    let roomy = World::new(config(10));
    let forgetful = World::new(FarmConfig { memo_bytes_max: 0, ..config(10) });
    roomy.warm(after(20, 0));
    for spec in
        roomy.feeds().iter().filter(|spec| !matches!(spec.behaviour, Behaviour::Bomb | Behaviour::Endless))
    {
        for now in [after(20, 0), after(21, 0), after(20, 0)] {
            let request = Request::get(&spec.host, &spec.url_path, &[("Accept-Encoding", "gzip")]);
            let (one, other) = (roomy.respond(&request, now), forgetful.respond(&request, now));
            assert_eq!(one.headers, other.headers, "feed {}", spec.index);
            assert_eq!(one.body.len(), other.body.len());
        }
    }
}

#[test]
fn windows_fit_together_without_gap_or_overlap() {
    let world = World::new(config(3));
    let (a, b, c) = (after(2, 5), after(9, 13), after(33, 20));
    for feed in 0..120 {
        let whole = world.items_between(feed, a, c);
        let mut parts = world.items_between(feed, a, b);
        parts.extend(world.items_between(feed, b, c));
        assert_eq!(whole, parts, "feed {feed}");
        assert!(whole.windows(2).all(|two| two[0].at < two[1].at && two[0].number < two[1].number));
        let numbers: Vec<_> = whole.iter().map(|item| (item.number, item.at)).collect();
        assert_eq!(numbers, world.numbers_between(feed, a, c));
    }
}

#[test]
fn nothing_is_older_than_history_and_a_wild_clock_is_harmless() {
    let world = World::new(config(4));
    for feed in 0..120 {
        assert!(world.items_between(feed, domain::Timestamp::EPOCH, START).is_empty());
        world.document(feed, domain::Timestamp::EPOCH);
        world.document(feed, domain::Timestamp::from_micros(i64::MIN));
        world.document(feed, domain::Timestamp::from_micros(i64::MAX));
    }
}

#[test]
fn a_document_shows_exactly_the_newest_items() {
    let config = FarmConfig { items_per_document: 5, ..FarmConfig::new(5, 60, START) };
    let world = World::new(config);
    let now = after(50, 11);
    for feed in 0..60 {
        let text = String::from_utf8(world.document(feed, now)).unwrap();
        let all = world.items_between(feed, START, now);
        let (older, newest) = all.split_at(all.len().saturating_sub(5));
        for item in newest {
            assert!(text.contains(&item.link), "feed {feed} lacks {}", item.number);
        }
        let guids = |text: &str, guid: &str| text.matches(&format!(">{guid}<")).count();
        let listed = older.iter().filter(|item| guids(&text, &item.guid) > 0).count();
        assert_eq!(listed, 0, "feed {feed} shows what it should have dropped");
    }
}

#[test]
fn every_feed_has_an_address_of_its_own_that_answers() {
    let world = World::new(FarmConfig { shared_hosts: 0.4, ..FarmConfig::new(6, 300, START) });
    let mut seen = HashSet::new();
    let mut shared = 0;
    for spec in world.feeds() {
        assert!(seen.insert(world.feed_url(spec.index).unwrap()), "{} twice", spec.index);
        assert!(spec.host.ends_with(".test"));
        shared += usize::from(spec.host.starts_with("many"));
        let response = world.respond(&Request::get(&spec.host, &spec.url_path, &[]), after(30, 0));
        assert_eq!(response.status, 200, "{}", spec.host);
    }
    assert!((80..160).contains(&shared), "{shared} of 300 feeds share a host");
}

#[test]
fn feeds_vary_in_format_rhythm_and_manners() {
    let world = World::new(FarmConfig::new(7, 400, START));
    let specs = world.feeds();
    let share = |part: &dyn Fn(&farm::FeedSpec) -> bool| specs.iter().filter(|spec| part(spec)).count();
    for format in [Format::Rss20, Format::Rss10, Format::Atom10, Format::Json11] {
        assert!(share(&|spec| spec.format == format) > 10, "{format:?}");
    }
    for pattern in farm::Pattern::ALL {
        assert!(share(&|spec| spec.rhythm.pattern == pattern) > 0, "{pattern:?}");
    }
    assert!(share(&|spec| !spec.habits.etag && !spec.habits.last_modified) > 5);
    assert!(share(&|spec| spec.habits.delta) > 5);
    assert!(share(&|spec| spec.habits.podcast) > 5);
    assert_eq!(share(&|spec| spec.behaviour.is_hostile()), 0, "without a hostile share all are good");
    let titles: HashSet<&str> = specs.iter().map(|spec| spec.title.as_str()).collect();
    assert_eq!(titles.len(), specs.len(), "no two feeds share a title");
    let rates: Vec<f64> = specs.iter().map(|spec| spec.rhythm.posts_per_day).collect();
    assert!(rates.iter().any(|&rate| rate > 40.0) && rates.iter().any(|&rate| rate > 0.0 && rate < 0.05));
}

#[test]
fn a_hostile_share_draws_every_behaviour_and_each_begins_at_its_onset() {
    let world = World::new(FarmConfig { hostile_share: 1.0, ..FarmConfig::new(8, 1_500, START) });
    let drawn: HashSet<Behaviour> = world.feeds().iter().map(|spec| spec.behaviour).collect();
    assert_eq!(drawn.len(), Behaviour::ALL.len() - 1);
    let gone = world
        .feeds()
        .iter()
        .find(|spec| spec.behaviour == Behaviour::Gone && spec.onset > after(1, 0))
        .unwrap();
    let ask = |now| world.respond(&Request::get(&gone.host, &gone.url_path, &[]), now).status;
    assert_eq!(ask(gone.onset.saturating_sub(std::time::Duration::from_secs(1))), 200);
    assert_eq!(ask(gone.onset), 410);
}

#[test]
fn the_subscription_list_names_every_feed_once_in_folders() {
    let world = World::new(FarmConfig::new(9, 90, START));
    world.set_port(8_123);
    let list = opml(&world);
    for spec in world.feeds() {
        let url = world.feed_url(spec.index).unwrap();
        assert!(url.contains(":8123/"));
        assert_eq!(list.matches(&format!("xmlUrl=\"{url}\"")).count(), 1, "{url}");
    }
    assert_eq!(list.matches("<outline text=").count(), 15, "one folder for each topic");
}
