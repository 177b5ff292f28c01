//! When each person reads, from their visits; and from that how each feed is read, and how much it matters.

use domain::planning::{FeedAttention, HOURS_OF_WEEK, NOVELTY_SETTING, POPULATION_SETTING};
use domain::{AccessHabit, AccessLevel, Attention, FeedId, Timestamp, UserId};
use plan::estimate::audience::{Reader, ZoneWeek, attention, visited, zone_named};
use plan::{Population, Taste, posts_per_day, worth};
use std::collections::HashMap;
use std::time::Duration;
use store::{HabitRow, ReadingOf, Store, StoreError};

const PEOPLE: u32 = 200;
const VISITS: u32 = 5_000;
/// Of one person at one go; the rest is learned tomorrow.
const VISITS_MAX: usize = 100_000;
const FEEDS: u32 = 2_000;
/// How far back opens count.
const OPENS_DAYS: f64 = 30.0;
/// Feeds whose attention is added up at once: some 70 MB.
const SHARD: i64 = 50_000;

pub(crate) async fn run(store: &Store, now: Timestamp) -> Result<(), StoreError> {
    let people = learn_visits(store, now).await?;
    let population = store.setting(POPULATION_SETTING).await?;
    let population: Population =
        population.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let posts = posts_of_feeds(store).await?;
    let worths = worths(store).await?;
    let last = posts.keys().map(|feed| feed.0).max().unwrap_or(0);
    let mut from = 0;
    while from <= last {
        let shard = (FeedId(from), FeedId(from.saturating_add(SHARD)));
        let mut read = add_up(store, &people, &posts, &population, shard, now).await?;
        for (feed, attention) in &mut read {
            // The planner weighs a feed's rate by how much it matters: λ·v is the same as weight·v (reference 4.5).
            if let Some(worth) = worths.get(feed) {
                attention.weight *= *worth;
            }
        }
        store.set_attention(&read).await?;
        from = from.saturating_add(SHARD);
    }
    Ok(())
}

/// A person whose visits have been learned.
struct Person {
    user: UserId,
    habit: AccessHabit,
    zone: ZoneWeek,
}

/// Takes the visits since the last time into everybody's habits.
async fn learn_visits(store: &Store, now: Timestamp) -> Result<Vec<Person>, StoreError> {
    let (mut people, mut after) = (Vec::new(), UserId(0));
    loop {
        let page = store.habits(after, PEOPLE).await?;
        let Some(last) = page.last() else { return Ok(people) };
        after = last.user;
        for row in page {
            people.push(learn_person(store, row, now).await?);
        }
    }
}

async fn learn_person(store: &Store, row: HabitRow, now: Timestamp) -> Result<Person, StoreError> {
    let zone = zone_named(row.preferences.time_zone.as_deref().unwrap_or("UTC"));
    let mut habit: AccessHabit =
        row.habit.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let (mut learned_to, mut count) = (row.learned_to, 0);
    while count < VISITS_MAX {
        let visits = store.visits(row.user, learned_to, VISITS).await?;
        let Some((last, _)) = visits.last() else { break };
        learned_to = *last;
        count += visits.len();
        // A visit that has not happened yet is a clock's mistake.
        for (_, at) in visits.iter().filter(|(_, at)| *at <= now) {
            habit = visited(&habit, *at, &zone);
        }
    }
    if count > 0 {
        let text = serde_json::to_string(&habit).unwrap_or_default();
        store.set_habit(row.user, &text, learned_to).await?;
    }
    Ok(Person { user: row.user, habit, zone: ZoneWeek::new(&zone, now) })
}

/// Posts of each feed in the days that opens are counted over, as far as is known.
async fn posts_of_feeds(store: &Store) -> Result<HashMap<FeedId, f64>, StoreError> {
    let (mut posts, mut after) = (HashMap::new(), FeedId(0));
    loop {
        let page = store.learned(after, FEEDS).await?;
        let Some(last) = page.last() else { return Ok(posts) };
        after = last.feed;
        posts.extend(page.iter().map(|one| (one.feed, posts_per_day(&one.schedule.rate) * OPENS_DAYS)));
    }
}

/// What a post of each feed is worth, if an administrator wants that to count.
async fn worths(store: &Store) -> Result<HashMap<FeedId, f32>, StoreError> {
    let mut worths = HashMap::new();
    if store.setting(NOVELTY_SETTING).await?.as_deref() != Some("on") {
        return Ok(worths);
    }
    let mut after = FeedId(0);
    loop {
        let page = store.post_worths(after, FEEDS).await?;
        let Some((last, _)) = page.last() else { return Ok(worths) };
        after = *last;
        // What a feed says of itself is bounded where it is learned; a broken number must not silence it.
        worths.extend(page.into_iter().map(|(feed, worth)| (feed, worth.clamp(0.25, 4.0) as f32)));
    }
}

struct Sum {
    hours: [f64; HOURS_OF_WEEK],
    weight: f64,
}

/// How the feeds of a shard are read, summed over their readers.
async fn add_up(
    store: &Store,
    people: &[Person],
    posts: &HashMap<FeedId, f64>,
    population: &Population,
    (from, until): (FeedId, FeedId),
    now: Timestamp,
) -> Result<Vec<FeedAttention>, StoreError> {
    let since = now.saturating_sub(Duration::from_secs_f64(OPENS_DAYS * 86_400.0));
    let mut sums: HashMap<FeedId, Sum> = HashMap::new();
    for person in people {
        let mut after = from;
        loop {
            let page = store.reading_of(person.user, after, since, FEEDS).await?;
            let Some(last) = page.last() else { break };
            after = last.feed;
            let usual = usual_share(&page, posts);
            for one in page.iter().filter(|one| one.feed <= until) {
                add(
                    &mut sums,
                    person,
                    one,
                    posts.get(&one.feed).copied().unwrap_or(0.0),
                    usual,
                    population,
                    now,
                );
            }
            if after > until {
                break;
            }
        }
    }
    Ok(sums.into_iter().map(|(feed, sum)| (feed, Attention::new(&sum.hours, sum.weight))).collect())
}

/// Opens per post of a person, over their feeds.
fn usual_share(reading: &[ReadingOf], posts: &HashMap<FeedId, f64>) -> f64 {
    let opens: f64 = reading.iter().map(|one| one.opens as f64).sum();
    let all: f64 = reading.iter().filter_map(|one| posts.get(&one.feed)).sum();
    // Before anybody has opened anything one in ten is as good a guess as any.
    (opens + 1.0) / (all + 10.0)
}

fn add(
    sums: &mut HashMap<FeedId, Sum>,
    person: &Person,
    one: &ReadingOf,
    posts: f64,
    usual: f64,
    population: &Population,
    now: Timestamp,
) {
    // Opens are the looks at a single feed (001 §6.1.1); no more than there were days to look on would be honest.
    let level = AccessLevel {
        visits: one.opens as f64,
        exposure_days: OPENS_DAYS,
        observed_until: Some(now),
        last_access_at: None,
    };
    let reader = Reader { habit: &person.habit, feed: Some(&level), zone: &person.zone, weight: 1.0 };
    let looks = attention(&[reader], population, now);
    let taste = Taste { opens: one.opens as f64, posts, usual, is_important: one.is_important };
    let sum = sums.entry(one.feed).or_insert(Sum { hours: [0.0; HOURS_OF_WEEK], weight: 0.0 });
    for (sum, look) in sum.hours.iter_mut().zip(looks) {
        *sum += look;
    }
    sum.weight += worth(&taste);
}
