//! Our periodic form: the exact joint plan of our own estimates on the weekly circle, made anew every week.
//!
//! Allocation and placement together: every feed brings its convex curve D(m), and polls go one by one to the largest
//! gain (`plan::allocate_with`). Attention follows the people's habits as learned so far.

use super::Setting;
use super::cycles::Cycle;
use super::myopic::observed;
use super::oracle::at_budget;
use super::sia::Planned;
use crate::replay::{Policy, Poll};
use crate::trace::WEEK_S;
use domain::{AccessHabit, Hints, PostingRate, Timestamp};
use jiff::tz::TimeZone;
use plan::estimate::{Reader, ZoneWeek, attention, rate_of, visited};
use plan::{Bounds, Climb, Costs, Grid, Metric, Population, PricePolicy, Shape, Terms, allocate_with};

#[derive(Debug)]
pub struct Joint<'a> {
    setting: Setting<'a>,
    strength: f64,
    metric: Metric,
    states: Vec<PostingRate>,
    population: Population,
    habits: Vec<AccessHabit>,
    /// How many visits of each person the habits know.
    visits: Vec<usize>,
    planned: Planned,
    next_plan: i64,
    replanned: bool,
    now: i64,
}

/// Above this many polls per feed and day the price form is used.
const COUNTED_MAX: f64 = 9.0;

/// Slots of the week: at least about twelve per mean interval, as far as planning stays quick.
pub(crate) fn slots(polls_per_day: f64) -> usize {
    match polls_per_day {
        b if b <= 4.5 => 336,
        b if b <= COUNTED_MAX => 672,
        _ => 2016,
    }
}

impl<'a> Joint<'a> {
    pub fn new(setting: Setting<'a>, strength: f64, metric: Metric) -> Self {
        let (states, population) = setting.learned.states(setting.world).clone();
        let habits = setting.learned.habits(setting.world).clone();
        let begin = setting.world.begin;
        let past = |visits: &[i64]| visits.partition_point(|at| *at < begin);
        let visits = setting.world.readers.iter().map(|reader| past(&reader.visits)).collect();
        let planned = Planned { begin, end: setting.world.end, cycles: Vec::new() };
        let mut joint = Joint {
            setting,
            strength,
            metric,
            states,
            population,
            habits,
            visits,
            planned,
            next_plan: begin,
            replanned: false,
            now: begin,
        };
        joint.plan(begin);
        joint
    }

    fn plan(&mut self, now: i64) {
        self.look(now);
        let all: Vec<&PostingRate> = self.states.iter().collect();
        let people: Vec<&AccessHabit> = self.habits.iter().collect();
        self.population = Population::fit(&all, &people);
        let grid = Grid::week(slots(self.setting.polls_per_day));
        let costs = self.costs(grid, now);
        let slot_s = WEEK_S as f64 / grid.slots as f64;
        let bounds = floors(self.setting, slot_s);
        let budget = self.setting.budget() * self.strength;
        let polls = if self.setting.polls_per_day <= COUNTED_MAX {
            exact_joint(&costs, 7.0 * budget, &bounds)
        } else {
            self.at_one_price(&costs, budget, &bounds)
        };
        self.planned.cycles = polls
            .into_iter()
            .map(|polls| Cycle {
                period_s: WEEK_S,
                offsets_s: polls.into_iter().map(|slot| (slot as f64 * slot_s) as i64).collect(),
            })
            .collect();
        self.next_plan = now - (now - self.planned.begin).rem_euclid(WEEK_S) + WEEK_S;
    }

    /// With many polls a week, counting them out one by one takes long and the price form is the same plan.
    fn at_one_price(&self, costs: &[Costs], budget: f64, bounds: &[Bounds]) -> Vec<Vec<usize>> {
        let rates = self.states.iter().map(|state| rate_of(state, &self.population, &Hints::default()));
        let tables = at_budget(costs, budget, rates.map(f64::sqrt).sum(), bounds).unwrap_or_default();
        let week = |table: &PricePolicy| {
            let next = |from: usize| {
                table.next[from % table.next.len()] as usize + from / table.next.len() * table.next.len()
            };
            let slots = table.next.len();
            // A week in, the cycle is on its way.
            let mut at = next(0);
            while at < slots {
                at = next(at);
            }
            let mut polls = Vec::new();
            while at < 2 * slots {
                polls.push(at - slots);
                at = next(at);
            }
            polls
        };
        tables.iter().map(week).collect()
    }

    /// Takes in the visits up to now.
    fn look(&mut self, now: i64) {
        for (nth, reader) in self.setting.world.readers.iter().enumerate() {
            let to = reader.visits.partition_point(|at| *at < now);
            for at in &reader.visits[self.visits[nth]..to] {
                self.habits[nth] = visited(&self.habits[nth], Timestamp::from_seconds(*at), &TimeZone::UTC);
            }
            self.visits[nth] = to;
        }
    }

    fn costs(&self, grid: Grid, now: i64) -> Vec<Costs> {
        let at = Timestamp::from_seconds(now);
        let zone = ZoneWeek::new(&TimeZone::UTC, at);
        let each = self.setting.feeds().filter_map(|feed| {
            let state = &self.states[feed];
            let rate = rate_of(state, &self.population, &Hints::default());
            let shape = Shape::of_feed(state, &self.population);
            let posting: Vec<f64> = shape.slots(grid.slots).iter().map(|share| share * rate).collect();
            let looks = if self.metric.uses_attention() {
                let readers = self.setting.world.readers.iter().zip(&self.habits);
                let mine: Vec<Reader<'_>> = readers
                    .filter(|(reader, _)| reader.reads(feed))
                    .map(|(_, habit)| Reader { habit, feed: None, zone: &zone, weight: 1.0 })
                    .collect();
                let hours = attention(&mine, &self.population, at);
                let each = grid.slots / hours.len();
                hours.iter().flat_map(|rate| std::iter::repeat_n(*rate, each)).collect()
            } else {
                Vec::new()
            };
            Costs::new(self.metric, grid, &posting, &looks, 1).ok()
        });
        each.collect()
    }
}

/// Each feed's floor in slots.
pub(super) fn floors(setting: Setting<'_>, slot_s: f64) -> Vec<Bounds> {
    let least = |floor: i64| ((floor as f64 / slot_s).ceil() as usize).max(1);
    let floors = setting.rules.floors(setting.world).into_iter();
    floors.map(|floor| Bounds { least_slots: least(floor), ..Bounds::default() }).collect()
}

/// The best polls of all feeds within `budget` polls per period; every feed gets one.
pub fn exact_joint(costs: &[Costs], budget: f64, bounds: &[Bounds]) -> Vec<Vec<usize>> {
    let terms = Terms { weight: 1.0, poll_cost: 1.0, least: 1, most: usize::MAX };
    let mut climbs: Vec<Option<Climb>> = vec![None; costs.len()];
    // The last two placements of each feed: the one it has, and the one it was offered.
    let mut offered: Vec<[Vec<usize>; 2]> = vec![Default::default(); costs.len()];
    let allocation = allocate_with(&vec![terms; costs.len()], budget, |feed, polls| {
        let climb = &mut climbs[feed];
        let stepped = match climb {
            None => {
                *climb = Climb::to(&costs[feed], polls, &bounds[feed]);
                climb.is_some()
            }
            Some(climb) => climb.step(&costs[feed]),
        };
        match climb {
            Some(climb) if stepped => {
                let placement = climb.circle(&costs[feed]);
                offered[feed].swap(0, 1);
                offered[feed][1] = placement.polls;
                placement.cost
            }
            _ => f64::INFINITY,
        }
    });
    let chosen = |(feed, polls): (usize, usize)| {
        let kept = offered[feed].iter().find(|kept| kept.len() == polls && polls > 0);
        match kept {
            Some(kept) => kept.clone(),
            None => {
                plan::place(&costs[feed], polls, &bounds[feed]).map(|best| best.polls).unwrap_or_default()
            }
        }
    };
    allocation.polls.iter().copied().enumerate().map(chosen).collect()
}

impl Policy for Joint<'_> {
    fn first(&mut self, feed: usize) -> i64 {
        self.planned.first(feed)
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        let visible = u32::try_from(self.setting.rules.window_items).unwrap_or(u32::MAX);
        self.states[poll.feed] = observed(&self.states[poll.feed], poll, visible, &self.population);
        self.now = poll.now;
        if poll.now >= self.next_plan && poll.now < self.planned.end {
            self.plan(poll.now);
            self.replanned = true;
        }
        self.planned.after(poll)
    }

    fn replanned(&mut self) -> Option<Vec<(usize, i64)>> {
        std::mem::take(&mut self.replanned).then(|| {
            let next = |feed: usize| self.planned.cycles[feed].next(self.now).unwrap_or(self.planned.end);
            self.setting.feeds().map(|feed| (feed, next(feed))).collect()
        })
    }
}
