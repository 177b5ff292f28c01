//! What documents say: validators, deltas, and every way of getting identity, dates and markup wrong.

use crate::{START, after};
use domain::{Format, Timestamp};
use farm::{Behaviour, Body, Cast, FarmConfig, FeedSpec, Part, Pattern, Request, Response, World};
use std::collections::HashSet;
use std::io::Read;
use std::time::Duration;

fn world(script: &[Behaviour]) -> World {
    World::new(FarmConfig::scripted(21, START, script))
}

fn ask(world: &World, feed: usize, headers: &[(&str, &str)], now: Timestamp) -> Response {
    let spec = &world.feeds()[feed];
    world.respond(&Request::get(&spec.host, &spec.url_path, headers), now)
}

fn bytes(response: &Response) -> Vec<u8> {
    match &response.body {
        Body::Whole(bytes) => bytes.to_vec(),
        Body::Repeated { .. } => panic!("a body without end"),
    }
}

fn text(world: &World, now: Timestamp) -> String {
    String::from_utf8(world.document(0, now)).unwrap()
}

/// What stands between two marks, for each place they stand.
fn between(text: &str, from: &str, to: &str) -> Vec<String> {
    text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).map(str::to_owned).collect()
}

/// The guids of a document in any format.
fn guids(spec: &FeedSpec, text: &str) -> Vec<String> {
    match spec.format {
        Format::Atom10 => {
            text.split("<entry>").skip(1).flat_map(|entry| between(entry, "<id>", "</id>")).collect()
        }
        Format::Json11 => between(text, ",\"id\":\"", "\""),
        Format::Rss10 => between(text, "<item rdf:about=\"", "\""),
        _ => text
            .split("<guid")
            .skip(1)
            .flat_map(|rest| between(rest, ">", "</guid>").into_iter().take(1))
            .collect(),
    }
}

fn titles(spec: &FeedSpec, text: &str) -> Vec<String> {
    match spec.format {
        Format::Json11 => between(text, ",\"title\":\"", "\"").split_off(1),
        _ => between(text, "<title>", "</title>").split_off(1),
    }
}

#[test]
fn n3_validators_given_back_exactly_bring_304_until_something_is_posted() {
    let world = World::new(FarmConfig::benchmark(22, 60, 10, START));
    let now = after(40, 12);
    let mut tried = [0, 0, 0];
    for spec in world.feeds() {
        let first = ask(&world, spec.index, &[], now);
        assert_eq!(first.status, 200);
        let etag = first.header("ETag").map(str::to_owned);
        let date = first.header("Last-Modified").map(str::to_owned);
        assert_eq!((etag.is_some(), date.is_some()), (spec.habits.etag, spec.habits.last_modified));
        let mut headers = Vec::new();
        if let Some(etag) = &etag {
            headers.push(("If-None-Match", etag.as_str()));
            tried[0] += 1;
        }
        if let Some(date) = &date {
            headers.push(("If-Modified-Since", date.as_str()));
            tried[1] += 1;
        }
        let again = ask(&world, spec.index, &headers, now);
        if headers.is_empty() {
            tried[2] += 1;
            assert_eq!(again.status, 200);
            continue;
        }
        assert_eq!(again.status, 304, "feed {}", spec.index);
        assert!(again.body.is_empty());
        assert_eq!(again.header("ETag"), etag.as_deref());
        if spec.habits.etag {
            let bare = etag.as_deref().unwrap().trim_matches('"').to_owned();
            assert_eq!(
                ask(&world, spec.index, &[("If-None-Match", &bare)], now).status,
                200,
                "quotes matter"
            );
        }
        let next = world.numbers_between(spec.index, now, after(80, 0))[0].1;
        assert_eq!(ask(&world, spec.index, &headers, next).status, 200, "a post changes the validators");
        let before = next.saturating_sub(Duration::from_secs(1));
        assert_eq!(ask(&world, spec.index, &headers, before).status, 304, "and nothing else does");
    }
    assert!(tried.iter().all(|&count| count > 0), "{tried:?}");
}

#[test]
fn gzip_comes_only_when_asked_for_and_unpacks_to_the_document() {
    let world = World::new(FarmConfig::benchmark(23, 40, 10, START));
    let now = after(40, 0);
    let spec = world.feeds().iter().find(|spec| spec.habits.gzip).unwrap();
    let plain = ask(&world, spec.index, &[], now);
    assert_eq!(plain.header("Content-Encoding"), None);
    let packed = ask(&world, spec.index, &[("Accept-Encoding", "br;q=1, gzip;q=0.5")], now);
    assert_eq!(packed.header("Content-Encoding"), Some("gzip"));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&bytes(&packed)[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, bytes(&plain));
    assert_eq!(unpacked, world.document(spec.index, now));
}

#[test]
fn n28_a_delta_holds_what_is_new_and_nothing_else() {
    let world = World::new(FarmConfig::benchmark(24, 200, 10, START));
    let spec = world.feeds().iter().find(|spec| spec.habits.delta && spec.habits.etag).unwrap();
    let then = after(40, 0);
    let posts = world.numbers_between(spec.index, then, after(120, 0));
    let now = posts[1].1;
    let etag = ask(&world, spec.index, &[], then).header("ETag").unwrap().to_owned();
    let delta = ask(&world, spec.index, &[("A-IM", "feed"), ("If-None-Match", &etag)], now);
    assert_eq!((delta.status, delta.header("IM")), (226, Some("feed")));
    let body = String::from_utf8(bytes(&delta)).unwrap();
    let items = world.items_between(spec.index, then, now);
    assert_eq!(titles(spec, &body).len(), 2);
    assert!(items.iter().all(|item| body.contains(&item.link)));
    assert_ne!(delta.header("ETag"), Some(etag.as_str()));
    let without = ask(&world, spec.index, &[("If-None-Match", &etag)], now);
    assert_eq!(without.status, 200, "only those who ask get a delta");
}

#[test]
fn json_documents_are_json_and_all_formats_hold_every_item() {
    let world = World::new(FarmConfig::benchmark(25, 80, 7, START));
    for spec in world.feeds() {
        let text = String::from_utf8(world.document(spec.index, after(40, 0))).unwrap();
        assert_eq!(titles(spec, &text).len(), 7, "{:?}", spec.format);
        assert_eq!(guids(spec, &text).iter().collect::<HashSet<_>>().len(), 7);
        if spec.format == Format::Json11 {
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(value["items"].as_array().unwrap().len(), 7);
        } else {
            assert!(text.starts_with("<?xml"));
        }
        if spec.habits.podcast {
            assert_eq!(text.matches("<enclosure ").count(), 7);
        }
    }
}

#[test]
fn d1_guids_are_absent_equal_or_new_every_day() {
    let none = world(&[Behaviour::NoGuid]);
    assert!(!text(&none, after(40, 1)).contains("<guid") || none.feeds()[0].format != Format::Rss20);
    let same = world(&[Behaviour::SameGuid]);
    let found = guids(&same.feeds()[0], &text(&same, after(40, 1)));
    assert!(found.len() > 5 && found.iter().all(|guid| *guid == found[0]), "{found:?}");
    let turning = world(&[Behaviour::RotatingGuid]);
    let spec = &turning.feeds()[0];
    let today: HashSet<_> = guids(spec, &text(&turning, after(40, 1))).into_iter().collect();
    assert_eq!(
        today,
        guids(spec, &text(&turning, after(40, 2))).into_iter().collect(),
        "until midnight they stay"
    );
    assert!(guids(spec, &text(&turning, after(41, 1))).iter().all(|guid| !today.contains(guid)));
}

#[test]
fn d3_edits_keep_the_guid_and_storms_change_every_fetch() {
    let edits = world(&[Behaviour::Edits]);
    let spec = &edits.feeds()[0];
    let posts = edits.numbers_between(0, after(5, 0), after(60, 0));
    // One that is still shown when it is edited.
    let post = posts
        .windows(15)
        .map(|window| (window[0], window[14].1))
        .find(|((number, at), later)| number % 3 == 0 && later.since(*at) > Duration::from_secs(4 * 3_600))
        .unwrap()
        .0;
    let at = |hours: u64| post.1.saturating_add(Duration::from_secs(hours * 3_600));
    let item = edits.items_between(0, post.1.saturating_sub(Duration::from_secs(1)), post.1).remove(0);
    let marked = |now| text(&edits, now).contains(&format!("{} (updated)", item.title.replace('&', "&amp;")));
    let before = ask(&edits, 0, &[], at(3).saturating_sub(Duration::from_secs(1)));
    let later = ask(&edits, 0, &[], at(3));
    assert!(!marked(at(3).saturating_sub(Duration::from_secs(1))) && marked(at(3)));
    assert!(guids(spec, &text(&edits, at(3))).contains(&item.guid));
    if spec.habits.etag {
        assert_ne!(before.header("ETag"), later.header("ETag"), "an edit changes the validators");
    }
    let storm = world(&[Behaviour::EditStorm]);
    let spec = &storm.feeds()[0];
    let (one, two) = (text(&storm, after(40, 1)), text(&storm, after(40, 2)));
    assert_eq!(guids(spec, &one)[0], guids(spec, &two)[0]);
    assert_ne!(titles(spec, &one)[0], titles(spec, &two)[0]);
}

#[test]
fn d4_and_d7_archives_are_replayed_and_items_come_and_go() {
    let replay = world(&[Behaviour::Replay]);
    let spec = &replay.feeds()[0];
    // The second day of each week after the onset replays.
    let (quiet, loud) = (text(&replay, after(56, 12)), text(&replay, after(57, 12)));
    assert!(guids(spec, &loud).len() > guids(spec, &quiet).len());
    assert!(guids(spec, &loud).iter().all(|guid| guid.starts_with("replayed-")));
    let vanishing = world(&[Behaviour::Vanishing]);
    let spec = &vanishing.feeds()[0];
    let all = guids(spec, &text(&vanishing, after(40, 2)));
    let some = guids(spec, &text(&vanishing, after(40, 3)));
    assert!(some.len() < all.len() && all.len() == 20, "{} of {}", some.len(), all.len());
}

#[test]
fn d5_and_d6_dates_are_ahead_absent_rolling_or_nonsense() {
    let dates = |text: &str| {
        let mut found = between(text, "<pubDate>", "<");
        found.extend(between(text, "<published>", "<"));
        found.extend(between(text, "\"date_published\":\"", "\""));
        let items = text.split_once("</channel>\n<item").map_or("", |(_, items)| items);
        found.extend(between(items, "<dc:date>", "<"));
        found
    };
    let ahead = world(&[Behaviour::FutureDates]);
    assert!(dates(&text(&ahead, after(40, 1))).iter().all(|date| date.contains("2999")));
    let absent = world(&[Behaviour::NoDates]);
    assert!(dates(&text(&absent, after(40, 1))).is_empty());
    let rolling = world(&[Behaviour::RollingDates]);
    let (one, two) = (dates(&text(&rolling, after(40, 1))), dates(&text(&rolling, after(40, 2))));
    assert!(!one.is_empty() && one.iter().all(|date| *date == one[0]) && one[0] != two[0]);
    let odd = world(&[Behaviour::OddDates; 4]);
    let seen: Vec<String> = (0..4)
        .map(|feed| dates(&String::from_utf8(odd.document(feed, after(40, 1))).unwrap())[0].clone())
        .collect();
    assert!(seen[0].contains("1970") && seen[1] == "yesterday" && seen[2].contains("30 Feb"), "{seen:?}");
}

#[test]
fn p1_to_p9_documents_are_broken_deep_and_explosive_as_named() {
    let script = [
        Behaviour::BrokenXml,
        Behaviour::BrokenXml,
        Behaviour::BrokenXml,
        Behaviour::Latin1,
        Behaviour::Latin1,
        Behaviour::Entities,
        Behaviour::Entities,
        Behaviour::Deep,
        Behaviour::Scripts,
    ];
    let world = world(&script);
    let raw = |feed| world.document(feed, after(40, 1));
    let lossy = |feed| String::from_utf8_lossy(&raw(feed)).into_owned();
    assert!(lossy(0).contains("fish & chips"));
    assert!(!lossy(1).trim_end().ends_with("</rss>"));
    assert!(lossy(2).starts_with('\n'));
    assert!(String::from_utf8(raw(3)).is_err() && !lossy(3).contains("encoding="));
    assert!(String::from_utf8(raw(4)).is_err() && lossy(4).contains("encoding=\"utf-8\""));
    assert!(lossy(5).contains("<!ENTITY lol9") && lossy(5).contains("&lol9;"));
    assert!(lossy(6).contains("file:///etc/passwd"));
    assert!(lossy(7).matches("<x>").count() >= 20_000);
    assert!(lossy(8).contains("onerror") && lossy(8).contains("script"));
    let latin = ask(&world, 3, &[], after(40, 1));
    assert!(!latin.header("Content-Type").unwrap().contains("charset"), "the server does not help either");
}

#[test]
fn pages_lead_to_feeds_and_links_lead_to_articles() {
    let world = World::new(FarmConfig { shared_hosts: 0.5, ..FarmConfig::benchmark(26, 40, 10, START) });
    let now = after(40, 0);
    for spec in world.feeds() {
        let front = world.respond(&Request::get(&spec.host, &format!("{}/", spec_prefix(spec)), &[]), now);
        let page = String::from_utf8(bytes(&front)).unwrap();
        assert!(page.contains(&format!("href=\"{}\"", spec.url_path)), "{}", spec.host);
        for item in world.items_between(spec.index, after(30, 0), now).into_iter().rev().take(3) {
            let (host, path) = item.link.strip_prefix("http://").unwrap().split_once('/').unwrap();
            let article = world.respond(&Request::get(host, &format!("/{path}"), &[]), now);
            assert_eq!(article.status, 200, "{}", item.link);
            let page = String::from_utf8(bytes(&article)).unwrap();
            assert!(page.contains("<article>"), "{}", item.link);
        }
    }
    let spec = &world.feeds()[0];
    for (path, kind) in [
        ("/favicon.ico", "image/x-icon"),
        ("/favicon.svg", "image/svg+xml"),
        ("/favicon.png", "image/png"),
        ("/img/5.png", "image/png"),
    ] {
        let response = world.respond(&Request::get(&spec.host, path, &[]), now);
        assert_eq!((response.status, response.header("Content-Type")), (200, Some(kind)));
    }
    let nowhere = world.respond(&Request::get("elsewhere.test", "/", &[]), now);
    assert_eq!(nowhere.status, 404);
}

#[test]
fn a_feed_plays_the_part_it_was_cast_for() {
    let mirror = Cast { feed: 3, part: Part::Mirrors { feed: 1 } };
    let gone = Part::Behaves { behaviour: Behaviour::Gone, variant: 0, onset: after(20, 0) };
    let busy = Part::Posts { pattern: Pattern::AroundTheClock, posts_per_day: 30.0 };
    let casting = vec![mirror, Cast { feed: 2, part: gone }, Cast { feed: 1, part: busy }];
    let world = World::new(FarmConfig { casting, shared_hosts: 0.0, ..FarmConfig::new(9, 5, START) });
    let now = after(30, 0);
    let spec = |feed: usize| world.feeds()[feed].clone();
    let ask = |feed: usize, at| world.respond(&Request::get(&spec(feed).host, &spec(feed).url_path, &[]), at);
    assert_eq!((ask(2, after(19, 0)).status, ask(2, now).status), (200, 410));
    assert!(world.numbers_between(1, after(20, 0), now).len() > 150);
    let links = |feed| -> Vec<String> {
        world.items_between(feed, after(29, 0), now).into_iter().map(|item| item.link).collect()
    };
    assert_eq!(links(3), links(1), "a mirror shows its source's posts");
    assert_ne!(spec(3).title, spec(1).title);
}

#[test]
fn a_player_may_ask_for_a_part_of_a_sound() {
    let world = World::new(FarmConfig::benchmark(26, 2, 10, START));
    let host = world.feeds()[0].host.clone();
    let part = world.respond(&Request::get(&host, "/audio/7.wav", &[("Range", "bytes=10-19")]), after(1, 0));
    assert_eq!((part.status, bytes(&part).len()), (206, 10));
    assert!(part.header("Content-Range").unwrap().starts_with("bytes 10-19/"));
    for odd in ["bytes=9-3", "bytes=-5", "bytes=999999999-", "lines=1-2"] {
        let whole = world.respond(&Request::get(&host, "/audio/7.wav", &[("Range", odd)]), after(1, 0));
        assert_eq!(whole.status, 200, "{odd}");
    }
}

fn spec_prefix(spec: &FeedSpec) -> String {
    match spec.url_path.strip_prefix("/feed/") {
        Some(name) => format!("/{}", name.split('.').next().unwrap()),
        None => String::new(),
    }
}
