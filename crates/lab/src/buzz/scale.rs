//! How fast and how small the index is that ships, for all sorts of readers.

use super::BuzzOptions;
use super::compare::timed;
use super::experiments::row;
use super::methods::Exact;
use super::report::QueryMs;
use super::world::{World, day_of, follow};
use crate::dice::Dice;
use domain::FeedId;
use rank::buzz::{Buzz, BuzzLimits, Follow, Following, KeyId, Kind, Mention, Order, Show, Sums, Window};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

const RANDOM_USERS: usize = 5_000;
const OFTEN: usize = 300;
const MANY_FEEDS: usize = 5_000;
/// Mentions of a new item, as the paper's feeds have references.
const MENTIONS: usize = 22;
const WEEK: i64 = 7;

/// Sums as the paper defines them (`T·E`), then the list a person sees (`talked`).
pub(crate) fn rows(options: &BuzzOptions, world: &World) -> Vec<Map<String, Value>> {
    let mut rows = Vec::new();
    let askers = askers(options, world);
    options.say("filling the exact index");
    let mut exact = Exact::new(world.postings());
    for (who, asking) in &askers {
        let (_, times) = timed(asking, |follows| exact.top(follows, options.top));
        rows.push(line(who, "T·E", &times));
    }
    let begin = Instant::now();
    (0..world.users()).for_each(|user| drop(exact.top(&world.follows_of(user), options.top)));
    rows.push(row(json!({ "what": "all users, T·E", "seconds": begin.elapsed().as_secs_f64() })));
    let (bytes, references) = (exact.postings.bytes(), exact.postings.references());
    rows.push(row(json!({ "what": "bytes a reference", "references": references, "value": bytes as f64 / references.max(1) as f64 })));
    drop(exact);
    options.say("filling what ships");
    let mut buzz = shipped(world);
    let mut sums = Sums::default();
    for (who, asking) in &askers {
        let following: Vec<Vec<Following>> =
            asking.iter().map(|follows| follows.iter().map(shipped_follow).collect()).collect();
        let (_, times) = timed(&following, |following| {
            let heard = buzz.listen(following, Window::Week, &mut sums);
            heard.top(Order::Talked, Show::Words, options.top, |_| false).len()
        });
        rows.push(line(who, "talked", &times));
    }
    rows.push(row(json!({
        "what": "bytes a reference, with names, counts and feeds", "references": buzz.references(),
        "value": buzz.bytes() as f64 / buzz.references().max(1) as f64,
    })));
    rows.push(line("a new item of 22 mentions", "add", &new_items(options, world, &mut buzz)));
    let begin = Instant::now();
    buzz.roll_to(WEEK + 1);
    rows.push(row(json!({ "what": "midnight", "seconds": begin.elapsed().as_secs_f64() })));
    rows
}

fn line(who: &str, what: &str, times: &[Duration]) -> Map<String, Value> {
    let ms = QueryMs::of(times);
    row(
        json!({ "who": who, "what": what, "asked": times.len(), "mean µs": 1e3 * ms.mean, "p50": 1e3 * ms.p50, "p99": 1e3 * ms.p99, "max": 1e3 * ms.max }),
    )
}

/// Random users, those who follow most, and people with thirty and with five thousand feeds of others' lists.
fn askers(options: &BuzzOptions, world: &World) -> Vec<(&'static str, Vec<Vec<Follow>>)> {
    let mut dice = Dice::new(options.seed ^ 7);
    let random: Vec<Vec<Follow>> =
        (0..RANDOM_USERS).map(|_| world.follows_of(dice.below(world.users()))).collect();
    let most =
        world.most_following(options.readers, 1).into_iter().map(|user| world.follows_of(user)).collect();
    let mut gathered = |feeds: usize| -> Vec<Follow> {
        let mut all = std::collections::BTreeSet::new();
        for _ in 0..100 * feeds {
            let own = world.follows.row(dice.below(world.users()));
            if let Some((source, _)) = own.get(dice.below(own.len())) {
                all.insert(*source);
            }
            if all.len() == feeds {
                break;
            }
        }
        all.into_iter().map(|source| follow(source, 1.0)).collect()
    };
    let thirty = (0..OFTEN).map(|_| gathered(30)).collect();
    let many = (0..OFTEN).map(|_| gathered(MANY_FEEDS)).collect();
    vec![
        ("random user", random),
        ("those who follow most", most),
        ("30 feeds", thirty),
        ("5,000 feeds", many),
    ]
}

fn shipped_follow(own: &Follow) -> Following {
    Following { feed: FeedId(i64::from(own.feed)), weight: own.weight }
}

fn mention(world: &World, key: u32) -> Mention {
    let text = world.keys[key as usize].clone();
    let kind = if text.contains(' ') { Kind::Phrase } else { Kind::Word };
    // Any number that differs will do.
    let id = KeyId(Dice::new(u64::from(key)).throw());
    Mention { id, kind, text, of: None, times: 1 }
}

fn feed_id(source: usize) -> FeedId {
    FeedId(i64::try_from(source).unwrap_or(i64::MAX))
}

/// The week through the front door: feeds, items, midnights.
fn shipped(world: &World) -> Buzz {
    let limits =
        BuzzLimits { feeds_max: world.sources(), references_max: usize::MAX, ..BuzzLimits::default() };
    let mut buzz = Buzz::new(limits, 0);
    for source in 0..world.sources() {
        buzz.put_feed(feed_id(source), true, &source.to_string());
    }
    for day in 0..WEEK {
        for source in 0..world.references.rows() {
            let own = world.references.row(source).iter().map(|(key, _)| *key);
            let today: Vec<Mention> = own
                .filter(|key| day_of(source, *key) == day.unsigned_abs())
                .map(|key| mention(world, key))
                .collect();
            buzz.add(feed_id(source), &today);
        }
        buzz.roll_to(day + 1);
    }
    buzz
}

fn new_items(options: &BuzzOptions, world: &World, buzz: &mut Buzz) -> Vec<Duration> {
    let mut dice = Dice::new(options.seed ^ 9);
    (0..20_000)
        .map(|_| {
            let feed = feed_id(dice.below(world.sources()));
            let own: Vec<Mention> =
                (0..MENTIONS).map(|_| mention(world, dice.below(world.keys.len()) as u32)).collect();
            let begin = Instant::now();
            buzz.add(feed, &own);
            begin.elapsed()
        })
        .collect()
}
