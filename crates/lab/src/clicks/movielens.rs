//! MovieLens: one stream of ratings for each person; four stars and more count as a click, genres are topics.
//!
//! What a person rated is taken in lists of twenty in order of time; each is ranked by what the lists before it taught,
//! then learnt from. Where in such a list the loved ones stand tells how much of the person was learnt. `popular` goes
//! by what everybody else had rated by then; the others know only the person. The paper's ranker has one topic an item,
//! the first genre; `wellread` has all of them by equal shares.

use super::bootstrap::Tally;
use super::mind::{measures, ordered};
use super::read::{Names, columns};
use super::report::SetReport;
use super::{ClicksOptions, LAMBDA, PAPER};
use crate::dice::Dice;
use crate::trace::time;
use anyhow::{Result, ensure};
use domain::{FeedId, ItemId, Timestamp};
use rank::{Act, Belief, Candidate, Moment, Recent, Taste, Told};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

const RANKERS: [&str; 5] = ["random", "popular", "greedy", PAPER, "wellread"];
const MEASURES: [&str; 5] = ["AUC", "MRR", "nDCG@5", "nDCG@10", "AUC after 5 lists"];
/// Lists after which a person counts as known.
const KNOWN: usize = 5;
const LIST: usize = 20;
const LOVED: f64 = 4.0;
const DAY_S: i64 = 86_400;
const POPULAR_PRIOR: f64 = 10.0;

struct Rating {
    user: String,
    item: usize,
    loved: bool,
    at: i64,
}

/// What was rated by everybody so far, by item: loved and all.
type Popular = Vec<(f64, f64)>;

pub(super) fn judge(folder: &Path, options: &ClicksOptions) -> Result<SetReport> {
    let mut items = Names::default();
    let mut ratings: Vec<Rating> = Vec::new();
    let skipped = columns(
        &folder.join("ratings.csv.gz"),
        ["user", "item", "rating", "unix_ts"],
        |[user, item, rating, at]| {
            let stars: f64 = rating.parse().map_err(|_| "no rating")?;
            let at = time(at.parse().map_err(|_| "no time")?)?;
            let item = items.number(item);
            ratings.push(Rating { user: user.to_owned(), item, loved: stars >= LOVED, at });
            Ok(())
        },
    )?;
    ensure!(!ratings.is_empty(), "ratings.csv.gz has no ratings");
    let topics = topics(&folder.join("items.csv.gz"), &items)?;
    ratings.sort_by_key(|rating| rating.at);
    let mut tally = Tally::new(&RANKERS, &MEASURES);
    let mut people: BTreeMap<String, Person> = BTreeMap::new();
    let mut popular: Popular = vec![(0.0, 0.0); items.len()];
    let mut units = HashMap::new();
    let (mut dice, mut judged) = (Dice::new(options.seed), 0);
    for rating in &ratings {
        let person = people.entry(rating.user.clone()).or_default();
        // Popularity as it was when the person rated it, not when the list was full.
        person.list.push((rating.item, rating.loved, popularity(&popular, rating.item)));
        if person.list.len() == LIST {
            let unit = units.entry(rating.user.clone()).or_insert_with(|| tally.unit());
            judged += usize::from(person.judge(unit, &topics, &mut dice));
        }
        let own = &mut popular[rating.item];
        *own = (own.0 + f64::from(u8::from(rating.loved)), own.1 + 1.0);
    }
    let persons = units.len();
    let mut units: Vec<_> = units.into_iter().collect();
    units.sort_by(|one, other| one.0.cmp(&other.0));
    units.into_iter().for_each(|(_, unit)| tally.push(unit));
    let mut report = SetReport::new("movielens", &tally, options);
    report.notes.push(format!(
        "{} ratings, {judged} lists of {LIST} of {persons} people with something loved and something not; a bootstrap over \
         people",
        ratings.len()
    ));
    if skipped > 0 {
        report.notes.push(format!("{skipped} lines skipped"));
    }
    Ok(report)
}

fn popularity(popular: &Popular, item: usize) -> f64 {
    let (loved, all) = popular[item];
    (loved + 0.5 * POPULAR_PRIOR) / (all + POPULAR_PRIOR)
}

/// Genres by item, as numbers.
fn topics(path: &Path, items: &Names) -> Result<Vec<Vec<u16>>> {
    let mut genres = Names::default();
    let mut topics = vec![Vec::new(); items.len()];
    columns(path, ["item", "topics"], |[item, named]| {
        if let Some(place) = items.known(item) {
            let named = named.split('|').map(str::trim).filter(|name| !name.is_empty());
            topics[place] = named.filter_map(|name| u16::try_from(genres.number(name)).ok()).collect();
        }
        Ok(())
    })?;
    Ok(topics)
}

#[derive(Default)]
struct Person {
    /// Item, whether it was loved, how popular it was.
    list: Vec<(usize, bool, f64)>,
    lists: usize,
    beliefs: HashMap<u16, Belief>,
    taste: Taste,
}

impl Person {
    /// Ranks the list and learns from it. False when it says nothing: all loved, or none.
    fn judge(&mut self, unit: &mut super::bootstrap::Unit, topics: &[Vec<u16>], dice: &mut Dice) -> bool {
        let list = std::mem::take(&mut self.list);
        // A day for each list, whatever the clock says: people rate in long sittings.
        let now = Timestamp::from_seconds(DAY_S * i64::try_from(self.lists).unwrap_or_default());
        let recent = Recent::default();
        let moment = Moment { now, recent: &recent };
        let candidates: Vec<Candidate> =
            list.iter().map(|(item, _, _)| candidate(*item, &topics[*item], now)).collect();
        let loved = list.iter().filter(|(_, loved, _)| *loved).count();
        let telling = loved > 0 && loved < list.len();
        let belief = |topic: Option<&u16>| {
            topic.and_then(|topic| self.beliefs.get(topic)).copied().unwrap_or(Belief::PAPER)
        };
        for (ranker, name) in RANKERS.iter().enumerate().filter(|_| telling) {
            let by_topic = |lambda: f64| -> Vec<f64> {
                list.iter().map(|(item, _, _)| belief(topics[*item].first()).score(lambda)).collect()
            };
            let scores: Vec<f64> = match *name {
                "random" => list.iter().map(|_| dice.unit()).collect(),
                "popular" => list.iter().map(|(_, _, popular)| *popular).collect(),
                "greedy" => by_topic(0.0),
                PAPER => by_topic(LAMBDA),
                _ => self.taste.scores(&candidates, moment).into_iter().map(|(score, _)| score).collect(),
            };
            let hits: Vec<bool> = ordered(&scores, dice).into_iter().map(|place| list[place].1).collect();
            let values = measures(&hits);
            values.into_iter().enumerate().for_each(|(measure, value)| unit.add(ranker, measure, value, 1.0));
            if self.lists >= KNOWN {
                unit.add(ranker, values.len(), values[0], 1.0);
            }
        }
        for ((item, loved, _), candidate) in list.iter().zip(&candidates) {
            if let Some(topic) = topics[*item].first() {
                let belief = self.beliefs.entry(*topic).or_insert(Belief::PAPER);
                *belief = if *loved { belief.clicked() } else { belief.passed(1.0) };
            }
            let act = if *loved { Act::Open { dwell: None, scrolled: None } } else { Act::Pass };
            let told = Told { item: candidate.item, act, row: None, on_screen: Some(true) };
            let features = self.taste.features(candidate, moment);
            self.taste.learn(&features, &told, now);
        }
        self.taste.begin_session();
        self.lists += 1;
        telling
    }
}

fn candidate(item: usize, topics: &[u16], now: Timestamp) -> Candidate {
    let share = 1.0 / topics.len().max(1) as f32;
    Candidate {
        item: ItemId(i64::try_from(item).unwrap_or_default()),
        feed: FeedId(0),
        feed_weight: 1.0,
        feed_items_per_day: 0.0,
        published_at: now,
        topics: topics.iter().map(|topic| (*topic, share)).collect(),
        terms: Box::new([]),
        story: None,
        copies: 0,
    }
}
