//! Open Bandit Dataset: what a policy would have had in clicks, from the log of one that chose at random.
//!
//! Each impression is one of three slots beside each other with the item that dice put there and how likely that was. A
//! tenth of the log is judged by rankers that learnt from the other nine; an impression counts where the ranker would
//! have shown the same item, divided by the logged chance, and the sum is divided by that of the weights (SNIPS).
//! `first` puts the ranker's best three into the slots; `quarter` shows any of its best quarter, which more of the log
//! agrees with. One model for all visitors: the log does not say who is who. Items are feeds of their own here, their
//! features topics.

use super::bootstrap::Tally;
use super::read::{Names, columns};
use super::report::SetReport;
use super::{ClicksOptions, LAMBDA, PAPER};
use crate::dice::Dice;
use anyhow::{Result, ensure};
use domain::{FeedId, ItemId, Timestamp};
use rank::{Act, Belief, Candidate, Moment, Recent, Taste, Told};
use std::path::Path;

const CAMPAIGNS: [&str; 2] = ["men", "women"];
const RANKERS: [&str; 4] = ["random", "popular", PAPER, "wellread"];
const FOLDS: usize = 10;
const START: i64 = 1_500_000_000;
/// A person who did more in a day would be believed less; a site is no person.
const ACTS_PER_DAY: usize = 100;
/// Impressions that all items together are worth in the popularity of one.
const POPULAR_PRIOR: f64 = 100.0;

struct Shown {
    item: usize,
    row: u32,
    clicked: bool,
    chance: f64,
    fold: usize,
}

pub(super) fn judge(folder: &Path, options: &ClicksOptions) -> Result<SetReport> {
    let mut tally = Tally::new(&RANKERS, &["click rate, first", "click rate, quarter"]);
    let (mut impressions, mut clicks, mut items, mut skipped) = (0, 0, 0, 0);
    for (nth, campaign) in CAMPAIGNS.into_iter().enumerate() {
        let mut dice = Dice::of(options.seed, nth);
        let mut names = Names::default();
        let mut log: Vec<Shown> = Vec::new();
        skipped += columns(
            &folder.join(format!("{campaign}-random.csv.gz")),
            ["item_id", "position", "click", "propensity"],
            |[item, position, click, propensity]| {
                let row: u32 = position.parse().map_err(|_| "no position")?;
                let chance: f64 = propensity.parse().map_err(|_| "no propensity")?;
                if !(chance > 0.0 && chance <= 1.0) || row == 0 {
                    return Err("a propensity or position that cannot be");
                }
                let clicked = click == "1";
                let (item, fold) = (names.number(item), dice.below(FOLDS));
                log.push(Shown { item, row: row - 1, clicked, chance, fold });
                Ok(())
            },
        )?;
        ensure!(!log.is_empty(), "{campaign}-random.csv.gz has no impressions");
        let candidates = candidates(&folder.join(format!("{campaign}-items.csv")), &names)?;
        impressions += log.len();
        clicks += log.iter().filter(|shown| shown.clicked).count();
        items += candidates.len();
        for fold in 0..FOLDS {
            let orders: Vec<Option<Vec<usize>>> =
                RANKERS.iter().map(|ranker| order(ranker, &log, fold, &candidates)).collect();
            for shown in log.iter().filter(|shown| shown.fold == fold) {
                let mut unit = tally.unit();
                for (ranker, order) in orders.iter().enumerate() {
                    let [first, quarter] = chances(order.as_deref(), shown, candidates.len());
                    let click = f64::from(u8::from(shown.clicked));
                    for (measure, chance) in [first, quarter].into_iter().enumerate() {
                        let weight = chance / shown.chance;
                        unit.add(ranker, measure, weight * click, weight);
                    }
                }
                tally.push(unit);
            }
        }
    }
    let mut report = SetReport::new("obd", &tally, options);
    report.notes.push(format!(
        "{impressions} impressions of {items} items in two campaigns, {clicks} clicks; a bootstrap over impressions"
    ));
    if skipped > 0 {
        report.notes.push(format!("{skipped} lines skipped"));
    }
    Ok(report)
}

/// How likely a ranker shows this item in this slot, by both ways to use its order. Without an order all are as likely.
fn chances(order: Option<&[usize]>, shown: &Shown, items: usize) -> [f64; 2] {
    let Some(order) = order else { return [1.0 / items as f64; 2] };
    let best = items.div_ceil(4).max(1);
    let first = order.get(shown.row as usize) == Some(&shown.item);
    let quarter = order.iter().take(best).any(|item| *item == shown.item);
    [f64::from(u8::from(first)), f64::from(u8::from(quarter)) / best as f64]
}

/// Items from the best, learnt from all of the log but one fold.
fn order(ranker: &str, log: &[Shown], without: usize, candidates: &[Candidate]) -> Option<Vec<usize>> {
    let training = || log.iter().filter(|shown| shown.fold != without);
    let scores: Vec<f64> = match ranker {
        "popular" => {
            let mut counts = vec![(0.0, 0.0); candidates.len()];
            for shown in training() {
                counts[shown.item].0 += f64::from(u8::from(shown.clicked));
                counts[shown.item].1 += 1.0;
            }
            let (clicks, all) = counts.iter().fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
            let rate = POPULAR_PRIOR * clicks / f64::max(all, 1.0);
            counts.iter().map(|(clicks, shown)| (clicks + rate) / (shown + POPULAR_PRIOR)).collect()
        }
        PAPER => {
            let mut beliefs = vec![Belief::PAPER; candidates.len()];
            for shown in training() {
                let belief = &mut beliefs[shown.item];
                // Slots are beside each other: each is read.
                *belief = if shown.clicked { belief.clicked() } else { belief.passed(1.0) };
            }
            beliefs.iter().map(|belief| belief.score(LAMBDA)).collect()
        }
        "wellread" => {
            let (mut taste, recent) = (Taste::default(), Recent::default());
            let moment = Moment { now: Timestamp::from_seconds(START), recent: &recent };
            for (nth, shown) in training().enumerate() {
                let day = i64::try_from(nth / ACTS_PER_DAY).unwrap_or_default();
                let act = if shown.clicked { Act::Open { dwell: None, scrolled: None } } else { Act::Pass };
                let candidate = &candidates[shown.item];
                let told = Told { item: candidate.item, act, row: None, on_screen: Some(true) };
                let features = taste.features(candidate, moment);
                taste.learn(&features, &told, Timestamp::from_seconds(START + 86_400 * day));
            }
            taste.scores(candidates, moment).into_iter().map(|(score, _)| score).collect()
        }
        _ => return None,
    };
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]).then(one.cmp(other)));
    Some(order)
}

/// The items that were shown, their features in equal shares.
fn candidates(path: &Path, shown: &Names) -> Result<Vec<Candidate>> {
    let mut features: Vec<Vec<usize>> = vec![Vec::new(); shown.len()];
    let mut names = Names::default();
    columns(
        path,
        ["item_id", "item_feature_1", "item_feature_2", "item_feature_3"],
        |[item, one, two, three]| {
            if let Some(place) = shown.known(item) {
                let named = [(1, one), (2, two), (3, three)];
                let named = named.into_iter().filter(|(_, feature)| !feature.is_empty());
                features[place] = named.map(|(nth, name)| names.number(&format!("{nth}:{name}"))).collect();
            }
            Ok(())
        },
    )?;
    let candidate = |(nth, topics): (usize, &Vec<usize>)| {
        let share = 1.0 / topics.len().max(1) as f32;
        let number = i64::try_from(nth).unwrap_or_default();
        Candidate {
            item: ItemId(number),
            feed: FeedId(number),
            feed_weight: 1.0,
            feed_items_per_day: 0.0,
            published_at: Timestamp::from_seconds(START),
            topics: topics.iter().map(|topic| (u16::try_from(*topic).unwrap_or(u16::MAX), share)).collect(),
            terms: Box::new([]),
            story: None,
            copies: 0,
        }
    };
    Ok(features.iter().enumerate().map(candidate).collect())
}
