//! How a feed changed, as a picture whose title is the finding, and as a table.

use crate::chart::{self, RiverChart, RiverPoint, Svg, Width};
use crate::visitor::Visitor;
use crate::words::fill;
use domain::Timestamp;
use learn::{Era, River};

/// Terms that are drawn.
pub(super) const TERMS: usize = 6;
/// Fewer times than this are no history.
const POINTS_MIN: usize = 3;
/// An era that has hardly begun is taken together with the one before.
const ITEMS_MIN: u32 = 10;
/// Eras closer together than this part of the whole are one; dates stand further apart.
const APART: f64 = 0.02;
const DATES_APART: f64 = 0.15;
/// Shares: there is hardly anything, it is there, it stands out.
const ABSENT: f64 = 0.05;
const PRESENT: f64 = 0.1;
const MUCH: f64 = 0.2;
/// Leading in this part of all times is steady.
const STEADY: f64 = 0.6;

pub(super) struct RiverView {
    pub(super) title: String,
    /// Why there is no picture.
    pub(super) few: Option<String>,
    pub(super) pictures: Vec<Svg>,
    pub(super) terms: Vec<String>,
    /// Until when, and each term's share.
    pub(super) table: Vec<(String, Vec<String>)>,
}

/// A time and each term's share of its items.
#[derive(Debug, Clone, PartialEq)]
struct Moment {
    until: Timestamp,
    items: u32,
    shares: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finding {
    /// A term that was not there before; whether it leads.
    New {
        term: usize,
        from: usize,
        leads: bool,
    },
    /// A term that was there leads since a moment, instead of another.
    Leads {
        term: usize,
        from: usize,
        before: usize,
    },
    Steady {
        first: usize,
        second: Option<usize>,
    },
    /// Nothing stands out.
    Mixed {
        first: usize,
        second: Option<usize>,
    },
}

impl RiverView {
    pub(super) fn of(river: &River, items: u64, visitor: &Visitor) -> RiverView {
        let (w, d) = (visitor.words, &visitor.words.discover);
        let moments = moments(&river.eras, visitor.now());
        let found = if moments.len() < POINTS_MIN { None } else { finding(&moments, river.terms.len()) };
        let Some(found) = found else {
            return RiverView {
                title: d.river_title.to_owned(),
                few: Some(w.count(d.river_few, items)),
                pictures: Vec::new(),
                terms: Vec::new(),
                table: Vec::new(),
            };
        };
        let title = title(found, &moments, &river.terms, visitor);
        let hot = match found {
            Finding::New { term, .. } | Finding::Leads { term, .. } => Some(term),
            Finding::Steady { first, .. } => Some(first),
            Finding::Mixed { .. } => None,
        };
        let points = points(&moments);
        let dates = dates(&moments, &points, visitor);
        let chart = RiverChart { terms: &river.terms, points: &points, hot, dates: &dates, label: &title };
        let percent = |share: &f64| format!("{:.0} %", share * 100.0);
        RiverView {
            pictures: [Width::Page, Width::Phone].map(|width| chart::river(&chart, width)).into(),
            few: None,
            terms: river.terms.clone(),
            table: moments
                .iter()
                .map(|one| (visitor.clock.date(one.until), one.shares.iter().map(percent).collect()))
                .collect(),
            title,
        }
    }
}

/// Eras with their times; those that lie together, or have hardly begun, are taken together.
fn moments(eras: &[Era], now: Timestamp) -> Vec<Moment> {
    let all = eras.iter().map(|era| Moment {
        until: era.until.unwrap_or(now).min(now),
        items: era.items,
        shares: era.shares.iter().map(|share| f64::from(*share)).collect(),
    });
    let all: Vec<Moment> = all.collect();
    let span = match (all.first(), all.last()) {
        (Some(first), Some(last)) => last.until.since(first.until).as_secs_f64(),
        _ => return Vec::new(),
    };
    let mut kept: Vec<Moment> = Vec::new();
    for moment in all {
        match kept.last_mut() {
            Some(last)
                if moment.items < ITEMS_MIN
                    || moment.until.since(last.until).as_secs_f64() <= APART * span =>
            {
                last.join(&moment);
            }
            _ => kept.push(moment),
        }
    }
    kept
}

impl Moment {
    fn join(&mut self, other: &Moment) {
        let (mine, theirs) = (f64::from(self.items), f64::from(other.items));
        let all = (mine + theirs).max(1.0);
        for (share, more) in self.shares.iter_mut().zip(&other.shares) {
            *share = (*share * mine + more * theirs) / all;
        }
        self.items = self.items.saturating_add(other.items);
        self.until = self.until.max(other.until);
    }

    fn share(&self, term: usize) -> f64 {
        self.shares.get(term).copied().unwrap_or(0.0)
    }

    /// The term that most items have.
    fn leader(&self) -> Option<usize> {
        let most = self.shares.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
        (*most.1 > 0.0).then_some(most.0)
    }
}

fn finding(moments: &[Moment], terms: usize) -> Option<Finding> {
    let last = moments.last()?;
    let leader = last.leader();
    // What leads is looked at first, then the others in the order of their weight.
    let order = leader.into_iter().chain((0..terms).filter(|term| Some(*term) != leader));
    for term in order {
        if let Some(from) = new_since(moments, term) {
            return Some(Finding::New { term, from, leads: leader == Some(term) });
        }
    }
    let mean = |term: usize| {
        let items: f64 = moments.iter().map(|one| f64::from(one.items)).sum();
        moments.iter().map(|one| one.share(term) * f64::from(one.items)).sum::<f64>() / items.max(1.0)
    };
    let mut by_mean: Vec<(f64, usize)> = (0..terms).map(|term| (mean(term), term)).collect();
    by_mean.sort_by(|a, b| b.0.total_cmp(&a.0));
    let first = by_mean.first().map(|(_, term)| *term)?;
    let second = by_mean.get(1).filter(|(mean, _)| *mean >= PRESENT).map(|(_, term)| *term);
    if let Some(term) = leader.filter(|term| last.share(*term) >= MUCH && *term != first) {
        let run = moments.iter().rev().take_while(|one| one.leader() == Some(term)).count();
        let led = moments.iter().filter(|one| one.leader() == Some(term)).count();
        if run >= 2 && part(led, moments.len()) < STEADY {
            return Some(Finding::Leads { term, from: moments.len() - run, before: first });
        }
    }
    Some(if mean(first) >= MUCH {
        Finding::Steady { first, second }
    } else {
        Finding::Mixed { first, second }
    })
}

/// The first moment with a term that stands out now and was not there before.
fn new_since(moments: &[Moment], term: usize) -> Option<usize> {
    let is_much = moments.last().is_some_and(|last| last.share(term) >= MUCH);
    let from =
        moments.iter().position(|one| one.share(term) >= PRESENT).filter(|from| is_much && *from > 0)?;
    // Once it was there it has to have stayed, more or less.
    let (before, after) = moments.split_at(from);
    let was_absent = before.iter().all(|one| one.share(term) < ABSENT);
    let stays = after.iter().filter(|one| one.share(term) >= PRESENT).count();
    (was_absent && part(stays, after.len()) >= STEADY).then_some(from)
}

fn part(some: usize, all: usize) -> f64 {
    let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    count(some) / count(all.max(1))
}

fn title(found: Finding, moments: &[Moment], terms: &[String], visitor: &Visitor) -> String {
    let d = &visitor.words.discover;
    let term = |nth: usize| terms.get(nth).map(String::as_str).unwrap_or_default();
    // A moment's items came after the one before it.
    let since = |from: usize| {
        let at = moments.get(from.saturating_sub(1)).map_or(visitor.now(), |one| one.until);
        visitor.clock.since_month(at)
    };
    let both = |first: usize, second: Option<usize>| match second {
        Some(second) => fill(d.and, &[("first", &term(first)), ("last", &term(second))]),
        None => term(first).to_owned(),
    };
    match found {
        Finding::New { term: nth, from, leads } => {
            let text = if leads { d.river_new_leads } else { d.river_new };
            fill(text, &[("term", &capital(term(nth))), ("since", &since(from))])
        }
        Finding::Leads { term: nth, from, before } => fill(
            d.river_leads,
            &[("term", &capital(term(nth))), ("since", &since(from)), ("before", &term(before))],
        ),
        Finding::Steady { first, second } => {
            fill(d.river_steady, &[("terms", &both(first, second)), ("since", &since(0))])
        }
        Finding::Mixed { first, second } => {
            fill(d.river_mixed, &[("terms", &both(first, second)), ("since", &since(0))])
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn points(moments: &[Moment]) -> Vec<RiverPoint> {
    let first = moments.first().map_or(Timestamp::from_seconds(0), |one| one.until);
    let span = moments.last().map_or(0.0, |last| last.until.since(first).as_secs_f64()).max(1.0);
    let place = |one: &Moment| one.until.since(first).as_secs_f64() / span;
    moments.iter().map(|one| RiverPoint { at: place(one), shares: one.shares.clone() }).collect()
}

/// Dates that have room, counted from the newest.
fn dates(moments: &[Moment], points: &[RiverPoint], visitor: &Visitor) -> Vec<(f64, String)> {
    let mut dates: Vec<(f64, String)> = Vec::new();
    for (moment, point) in moments.iter().zip(points).rev() {
        if dates.last().is_none_or(|(at, _)| at - point.at >= DATES_APART) {
            dates.push((point.at, visitor.clock.date(moment.until)));
        }
    }
    dates.reverse();
    dates
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_seconds(1_790_000_000 + day * DAY)
    }

    fn moment(day: i64, shares: &[f64]) -> Moment {
        Moment { until: at(day), items: 20, shares: shares.to_vec() }
    }

    fn found(shares: &[&[f64]]) -> Option<Finding> {
        let moments: Vec<Moment> = (0..).zip(shares).map(|(day, shares)| moment(7 * day, shares)).collect();
        finding(&moments, shares.first().map_or(0, |first| first.len()))
    }

    #[test]
    fn a_term_that_was_not_there_is_new_and_may_lead() {
        let grows: &[&[f64]] = &[&[0.5, 0.0], &[0.5, 0.0], &[0.4, 0.3], &[0.4, 0.6]];
        assert_eq!(found(grows), Some(Finding::New { term: 1, from: 2, leads: true }));
        let follows: &[&[f64]] = &[&[0.5, 0.0], &[0.5, 0.0], &[0.6, 0.2], &[0.6, 0.3]];
        assert_eq!(found(follows), Some(Finding::New { term: 1, from: 2, leads: false }));
    }

    #[test]
    fn what_comes_and_goes_is_not_new() {
        let again: &[&[f64]] = &[&[0.5, 0.3], &[0.5, 0.0], &[0.5, 0.0], &[0.5, 0.4]];
        assert_eq!(found(again), Some(Finding::Steady { first: 0, second: Some(1) }));
    }

    #[test]
    fn a_change_of_the_lead_is_told() {
        let turns: &[&[f64]] = &[&[0.9, 0.3], &[0.9, 0.3], &[0.8, 0.3], &[0.3, 0.6], &[0.2, 0.6]];
        assert_eq!(found(turns), Some(Finding::Leads { term: 1, from: 3, before: 0 }));
    }

    #[test]
    fn a_feed_about_many_things_is_told_as_such() {
        let mixed: &[&[f64]] = &[&[0.1, 0.05], &[0.15, 0.0], &[0.1, 0.1], &[0.05, 0.1]];
        assert_eq!(found(mixed), Some(Finding::Mixed { first: 0, second: None }));
        assert_eq!(found(&[&[], &[], &[]]), None);
    }

    #[test]
    fn times_that_lie_together_or_have_hardly_begun_are_one() {
        let era = |until: Option<i64>, items: u32, share: f32| Era {
            until: until.map(at),
            items,
            shares: vec![share],
        };
        // A first document of a hundred items is one moment, however many blocks it fills.
        let eras = [era(Some(0), 20, 1.0), era(Some(0), 20, 0.0), era(Some(30), 20, 0.5), era(None, 5, 1.0)];
        let moments = moments(&eras, at(31));
        assert_eq!(moments.len(), 2);
        assert_eq!((moments[0].items, moments[0].share(0)), (40, 0.5));
        assert_eq!((moments[1].items, moments[1].share(0), moments[1].until), (25, 0.6, at(31)));
        assert!(super::moments(&[], at(0)).is_empty());
    }

    #[test]
    fn titles_begin_with_a_capital_whatever_the_script() {
        assert_eq!(
            [capital("tide barrier"), capital("ärger"), capital("東京"), capital("")],
            ["Tide barrier", "Ärger", "東京", ""]
        );
    }
}
