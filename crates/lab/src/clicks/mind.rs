//! MIND: lists of news as they were shown, put into another order by each ranker; where is what was clicked?
//!
//! In order of time: a list is ranked, then learnt from. The publisher shuffled the lists, so that rows say nothing,
//! and everything listed counts as read. `newest` goes by when an item was first shown to anybody. `wellread` is one
//! taste for each person, from the categories of what they clicked before, as far as the set knows these, and the age;
//! `shared` is the same ranker with one taste for all and each item a feed of its own, which is what popularity and the
//! paper's ranker have here too.

use super::bootstrap::Tally;
use super::read::{Names, objects};
use super::report::SetReport;
use super::{ClicksOptions, LAMBDA, PAPER};
use crate::dice::Dice;
use anyhow::{Result, ensure};
use domain::{FeedId, ItemId, Timestamp};
use rank::{Act, Belief, Candidate, Moment, Recent, Taste, Told};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

const RANKERS: [&str; 6] = ["random", "newest", "popular", PAPER, "wellread", "shared"];
const MEASURES: [&str; 4] = ["AUC", "MRR", "nDCG@5", "nDCG@10"];
/// Longer lists are cut.
const SHOWN_MAX: usize = 1_000;
const HISTORY_MAX: usize = 200;
const DAY_S: i64 = 86_400;
/// Acts that count fully in a day of one person; a site is no person, and its days are as short as that.
const ACTS_PER_DAY: i64 = 100;
const POPULAR_PRIOR: f64 = 20.0;

#[derive(Deserialize)]
struct Impression {
    user: String,
    ts: i64,
    #[serde(default)]
    history: Vec<String>,
    #[serde(default)]
    shown: Vec<String>,
    #[serde(default)]
    clicked: Vec<String>,
}

#[derive(Deserialize)]
struct News {
    id: String,
    #[serde(default)]
    category: String,
    #[serde(default)]
    subcategory: String,
}

/// What is learnt along the way.
struct World {
    categories: HashMap<String, Vec<u16>>,
    names: Names,
    first_shown: Vec<i64>,
    clicks: Vec<(f64, f64)>,
    all_clicks: (f64, f64),
    beliefs: Vec<Belief>,
    tastes: HashMap<String, Taste>,
    shared: Taste,
    acts: i64,
}

pub(super) fn judge(folder: &Path, options: &ClicksOptions) -> Result<SetReport> {
    let mut topics = Names::default();
    let mut categories = HashMap::new();
    objects(&folder.join("news.ndjson.gz"), |news: News| {
        let named = [news.category, news.subcategory].into_iter().filter(|name| !name.is_empty());
        let all = named.filter_map(|name| u16::try_from(topics.number(&name)).ok()).collect();
        categories.insert(news.id, all);
        Ok(())
    })?;
    let mut lists: Vec<Impression> = Vec::new();
    let skipped = objects(&folder.join("impressions.ndjson.gz"), |mut list: Impression| {
        list.shown.truncate(SHOWN_MAX);
        let mut seen = HashSet::new();
        list.shown.retain(|item| seen.insert(item.clone()));
        list.clicked.retain(|item| seen.contains(item));
        if list.shown.is_empty() {
            return Err("nothing was shown");
        }
        lists.push(list);
        Ok(())
    })?;
    ensure!(!lists.is_empty(), "impressions.ndjson.gz has no lists");
    lists.sort_by(|one, other| one.ts.cmp(&other.ts).then_with(|| one.user.cmp(&other.user)));
    let mut world = World {
        categories,
        names: Names::default(),
        first_shown: Vec::new(),
        clicks: Vec::new(),
        all_clicks: (0.0, 0.0),
        beliefs: Vec::new(),
        tastes: HashMap::new(),
        shared: Taste::default(),
        acts: 0,
    };
    let mut tally = Tally::new(&RANKERS, &MEASURES);
    let mut people = BTreeMap::new();
    let (mut judged, mut dice) = (0, Dice::new(options.seed));
    for list in &lists {
        let items = world.meet(list);
        let clicked: Vec<bool> = list.shown.iter().map(|item| list.clicked.contains(item)).collect();
        let clicks = clicked.iter().filter(|click| **click).count();
        if clicks > 0 && clicks < clicked.len() {
            judged += 1;
            let unit = people.entry(list.user.clone()).or_insert_with(|| tally.unit());
            for (ranker, name) in RANKERS.iter().enumerate() {
                let scores = world.scores(name, list, &items, &mut dice);
                let order = ordered(&scores, &mut dice);
                let hits: Vec<bool> = order.iter().map(|place| clicked[*place]).collect();
                for (measure, value) in measures(&hits).into_iter().enumerate() {
                    unit.add(ranker, measure, value, 1.0);
                }
            }
        }
        world.learn(list, &items, &clicked);
    }
    let persons = people.len();
    people.into_values().for_each(|unit| tally.push(unit));
    let mut report = SetReport::new("mind", &tally, options);
    report.notes.push(format!(
        "{judged} lists of {persons} people with something clicked and something not; a bootstrap over people"
    ));
    report.notes.push(format!(
        "categories are known for {} of {} items shown: what an item is about can hardly be judged here",
        world.known(&lists),
        world.names.len()
    ));
    if skipped > 0 {
        report.notes.push(format!("{skipped} lines skipped"));
    }
    Ok(report)
}

impl World {
    fn known(&self, lists: &[Impression]) -> usize {
        let shown: HashSet<&String> = lists.iter().flat_map(|list| &list.shown).collect();
        shown.into_iter().filter(|item| self.categories.contains_key(*item)).count()
    }

    /// Numbers of the items of a list, new ones among them.
    fn meet(&mut self, list: &Impression) -> Vec<usize> {
        let items: Vec<usize> = list.shown.iter().map(|item| self.names.number(item)).collect();
        self.first_shown.resize(self.names.len(), list.ts);
        self.clicks.resize(self.names.len(), (0.0, 0.0));
        self.beliefs.resize(self.names.len(), Belief::PAPER);
        items
    }

    fn scores(&mut self, ranker: &str, list: &Impression, items: &[usize], dice: &mut Dice) -> Vec<f64> {
        let now = Timestamp::from_seconds(list.ts);
        let recent = Recent::default();
        let moment = Moment { now, recent: &recent };
        let rate = POPULAR_PRIOR * self.all_clicks.0 / self.all_clicks.1.max(1.0);
        match ranker {
            "random" => items.iter().map(|_| dice.unit()).collect(),
            "newest" => items.iter().map(|item| self.first_shown[*item] as f64).collect(),
            "popular" => {
                let clicks = items.iter().map(|item| self.clicks[*item]);
                clicks.map(|(clicks, shown)| (clicks + rate) / (shown + POPULAR_PRIOR)).collect()
            }
            PAPER => items.iter().map(|item| self.beliefs[*item].score(LAMBDA)).collect(),
            "wellread" => {
                let candidates = self.candidates(list, items, |_| 0);
                let taste = self.taste_of(list);
                taste.scores(&candidates, moment).into_iter().map(|(score, _)| score).collect()
            }
            _ => {
                let candidates = self.candidates(list, items, |item| item);
                self.shared.scores(&candidates, moment).into_iter().map(|(score, _)| score).collect()
            }
        }
    }

    fn candidates(&self, list: &Impression, items: &[usize], feed: fn(usize) -> usize) -> Vec<Candidate> {
        let of = |(name, item): (&String, &usize)| {
            self.candidate(name, *item, feed(*item), self.first_shown[*item])
        };
        list.shown.iter().zip(items).map(of).collect()
    }

    fn candidate(&self, name: &str, item: usize, feed: usize, published: i64) -> Candidate {
        let topics = self.categories.get(name).map(Vec::as_slice).unwrap_or_default();
        let share = 1.0 / topics.len().max(1) as f32;
        Candidate {
            item: ItemId(i64::try_from(item).unwrap_or_default()),
            feed: FeedId(i64::try_from(feed).unwrap_or_default()),
            feed_weight: 1.0,
            feed_items_per_day: 0.0,
            published_at: Timestamp::from_seconds(published),
            topics: topics.iter().map(|topic| (*topic, share)).collect(),
            terms: Box::new([]),
            story: None,
            copies: 0,
        }
    }

    /// What is known of a person; at first, what they clicked before the log begins, a day earlier.
    fn taste_of(&mut self, list: &Impression) -> &mut Taste {
        if !self.tastes.contains_key(&list.user) {
            let mut taste = Taste::default();
            let then = Timestamp::from_seconds(list.ts - DAY_S);
            for name in list.history.iter().rev().take(HISTORY_MAX).rev() {
                // An item of which nothing is known says nothing, not even that the person clicks much.
                if self.categories.contains_key(name) {
                    let candidate = self.candidate(name, 0, 0, list.ts - DAY_S);
                    teach(&mut taste, &candidate, true, then, then);
                }
            }
            taste.begin_session();
            self.tastes.insert(list.user.clone(), taste);
        }
        self.tastes.entry(list.user.clone()).or_default()
    }

    fn learn(&mut self, list: &Impression, items: &[usize], clicked: &[bool]) {
        let now = Timestamp::from_seconds(list.ts);
        let (own, all) = (self.candidates(list, items, |_| 0), self.candidates(list, items, |item| item));
        let taste = self.taste_of(list);
        for (candidate, click) in own.iter().zip(clicked) {
            teach(taste, candidate, *click, now, now);
        }
        taste.begin_session();
        for ((candidate, item), click) in all.iter().zip(items).zip(clicked) {
            self.acts += 1;
            let day = Timestamp::from_seconds(DAY_S * (self.acts / ACTS_PER_DAY));
            teach(&mut self.shared, candidate, *click, now, day);
            let hit = f64::from(u8::from(*click));
            self.clicks[*item] = (self.clicks[*item].0 + hit, self.clicks[*item].1 + 1.0);
            self.all_clicks = (self.all_clicks.0 + hit, self.all_clicks.1 + 1.0);
            let belief = &mut self.beliefs[*item];
            *belief = if *click { belief.clicked() } else { belief.passed(1.0) };
        }
    }
}

/// Features are those of the moment `now`; `day` is the one whose acts are counted.
fn teach(taste: &mut Taste, candidate: &Candidate, click: bool, now: Timestamp, day: Timestamp) {
    let recent = Recent::default();
    let act = if click { Act::Open { dwell: None, scrolled: None } } else { Act::Pass };
    let told = Told { item: candidate.item, act, row: None, on_screen: Some(true) };
    let features = taste.features(candidate, Moment { now, recent: &recent });
    taste.learn(&features, &told, day);
}

/// Places from the best; dice decide among equals.
pub(super) fn ordered(scores: &[f64], dice: &mut Dice) -> Vec<usize> {
    let mut order: Vec<(f64, u64, usize)> =
        scores.iter().enumerate().map(|(place, score)| (*score, dice.throw(), place)).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    order.into_iter().map(|(_, _, place)| place).collect()
}

/// AUC, MRR, nDCG at 5 and 10 of a list in which something was clicked and something not, as MIND defines them.
pub(super) fn measures(hits: &[bool]) -> [f64; 4] {
    let clicks = hits.iter().filter(|hit| **hit).count();
    let (mut above, mut pairs) = (0usize, 0usize);
    for hit in hits.iter().rev() {
        if *hit {
            pairs += above;
        } else {
            above += 1;
        }
    }
    let ranks = hits.iter().enumerate().filter(|(_, hit)| **hit);
    let reciprocal: f64 = ranks.map(|(place, _)| 1.0 / (place + 1) as f64).sum();
    let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let ndcg = |rows: usize| {
        let found: f64 =
            hits.iter().take(rows).enumerate().filter(|(_, hit)| **hit).map(|(at, _)| gain(at)).sum();
        let best: f64 = (0..clicks.min(rows)).map(gain).sum();
        found / best
    };
    let auc = pairs as f64 / (clicks * (hits.len() - clicks)) as f64;
    [auc, reciprocal / clicks as f64, ndcg(5), ndcg(10)]
}
