//! The live controller as it ships: after each poll `plan::live` chooses the next at the price of the moment, and the
//! price is moved until the polls used are the polls allowed. With openings, a share of the budget goes to what somebody
//! is about to look at.

use super::Setting;
use super::myopic::observed;
use crate::dice::Dice;
use crate::replay::{Policy, Poll};
use crate::trace::WEEK_S;
use domain::{AccessHabit, Attention, Hints, Planned, PostingRate, PriceMemory, Schedule, Timestamp};
use jiff::tz::TimeZone;
use plan::control::{self, Totals};
use plan::estimate::{Reader, ZoneWeek, attention, rate_of, visited};
use plan::live::{Learned, Outlook, Recall, choose_recalling};
use plan::{OpenShare, Population, Shape, Unit};
use std::time::Duration;

#[derive(Debug)]
pub struct Live<'a> {
    setting: Setting<'a>,
    policy: plan::Policy,
    floors: Vec<Duration>,
    states: Vec<PostingRate>,
    recalls: Vec<Recall>,
    planned: Vec<Planned>,
    population: Population,
    price: Price,
    audience: Option<Audience>,
    /// What is left of the share for openings, and the share.
    opening: Option<(OpenShare, f64)>,
    hints: Hints,
    dice: Dice,
    next_week: i64,
    now: i64,
    doubling: Option<Doubling>,
}

/// What a run is about, beside following the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Course {
    /// The share of the budget for what people are about to look at; zero polls nothing on opening.
    pub opening: f64,
    /// The price stays as it is at the beginning.
    pub fixed_price: bool,
    /// Twice the budget from this moment on.
    pub doubled_at: Option<i64>,
    /// No longest interval.
    pub uncapped: bool,
    /// No feed waits longer than under even polling (002 §4.4).
    pub as_even: bool,
}

/// A budget that doubles, and what planning everything again needs to know.
#[derive(Debug)]
struct Doubling {
    at: i64,
    done: bool,
    /// The price all plans were last made at.
    planned_at: f64,
    last: Vec<i64>,
    schedules: Vec<Schedule>,
    replanned: bool,
}

/// The share of the budget for openings that ships.
pub const OPENING_SHARE: f64 = 0.25;
/// Ten times the cap that ships: no price makes a feed wait so long, and looking ahead still ends.
const UNCAPPED_INTERVALS: f64 = 40.0;
/// Refitted with the feeds' own states every four weeks.
const REFIT_WEEKS: i64 = 4;

impl<'a> Live<'a> {
    pub fn new(setting: Setting<'a>, strength: f64, course: Course) -> Self {
        let (states, population) = setting.learned.states(setting.world).clone();
        let begin = setting.world.begin;
        let count = setting.world.feeds.len();
        let mut policy = plan::Policy::unfloored(setting.polls_per_day);
        policy.window_guard = setting.rules.window_guard;
        if course.uncapped {
            policy.maximum_intervals = UNCAPPED_INTERVALS;
        }
        if course.as_even {
            policy = policy.as_even();
        }
        let floors: Vec<Duration> = setting
            .rules
            .floors(setting.world)
            .into_iter()
            .map(|floor| Duration::from_secs(floor.unsigned_abs()).max(policy.own_floor))
            .collect();
        let longest = floors.iter().max().copied().unwrap_or_default();
        policy.maximum_least = policy.maximum_least.max(longest);
        let budget = setting.budget() * strength;
        let visible = u32::try_from(setting.rules.window_items).unwrap_or(u32::MAX);
        let states = states.into_iter().map(|state| PostingRate { window_items: visible, ..state }).collect();
        let mut live = Live {
            setting,
            policy,
            floors,
            states,
            recalls: vec![Recall::default(); count],
            planned: vec![Planned::default(); count],
            population,
            price: Price::new(budget, count, begin),
            audience: (!setting.world.readers.is_empty()).then(|| Audience::new(setting)),
            opening: (course.opening > 0.0).then(|| (OpenShare::default(), course.opening)),
            hints: Hints::default(),
            dice: Dice::new(setting.rules.seed ^ 0x11fe),
            next_week: begin + WEEK_S,
            now: begin,
            doubling: course.doubled_at.map(|at| Doubling {
                at,
                done: false,
                planned_at: 0.0,
                last: vec![begin; count],
                schedules: vec![Schedule::default(); count],
                replanned: false,
            }),
        };
        live.settle(begin);
        if course.fixed_price {
            live.price.fixed = Some(live.price.now());
        }
        if let Some(doubling) = &mut live.doubling {
            doubling.planned_at = live.price.now();
        }
        live
    }

    /// Plans all feeds until the price spends the budget: the state of a server that has been running.
    fn settle(&mut self, begin: i64) {
        for _ in 0..6 {
            for feed in self.setting.feeds() {
                self.choose(feed, begin);
            }
        }
    }

    fn choose(&mut self, feed: usize, now: i64) -> i64 {
        let outlook = Outlook {
            price: self.price.now(),
            population: &self.population,
            attention: self.audience.as_ref().map(|audience| &audience.of[feed]),
        };
        let floor = self.floors[feed];
        let learned = Learned { rate: &self.states[feed], hints: &self.hints, floor, poll_cost: 1.0 };
        let dice = Unit::new(self.dice.unit());
        let at = Timestamp::from_seconds(now);
        let choice = choose_recalling(&learned, at, &outlook, &self.policy, dice, &mut self.recalls[feed]);
        self.price.planned(&self.planned[feed], &choice.planned);
        self.planned[feed] = choice.planned;
        if let Some(doubling) = &mut self.doubling {
            doubling.last[feed] = now;
            let schedule = &mut doubling.schedules[feed];
            (schedule.next_poll_at, schedule.reason) = (choice.at, choice.reason);
        }
        choice.at.seconds()
    }

    /// Doubles the budget when its time has come; plans everything again when the price has moved far, as a server does.
    fn follow_budget(&mut self, now: i64) {
        let price = self.price.now();
        let Some(doubling) = &mut self.doubling else { return };
        if now >= doubling.at && !doubling.done {
            doubling.done = true;
            self.price.per_day *= 2.0;
            self.policy.budget_polls_per_day *= 2.0;
        }
        if control::calls_for_replanning(doubling.planned_at, price) {
            doubling.planned_at = price;
            doubling.replanned = true;
        }
    }

    fn replan(&mut self, feed: usize, now: i64) -> Option<i64> {
        let price = self.price.now();
        let doubling = self.doubling.as_mut()?;
        let schedule = &mut doubling.schedules[feed];
        schedule.last_poll_at = Some(Timestamp::from_seconds(doubling.last[feed]));
        schedule.rate = self.states[feed].clone();
        let attention = self.audience.as_ref().map(|audience| &audience.of[feed]);
        let outlook = Outlook { price, population: &self.population, attention };
        let dice = Unit::new(self.dice.unit());
        let choice = control::replan(schedule, Timestamp::from_seconds(now), &outlook, &self.policy, dice)?;
        (schedule.next_poll_at, schedule.reason) = (choice.at, choice.reason);
        self.price.planned(&self.planned[feed], &choice.planned);
        self.planned[feed] = choice.planned;
        Some(choice.at.seconds())
    }

    /// Once a week: the habits, and now and then the population.
    fn week(&mut self, now: i64) {
        let week = (now - self.setting.world.begin).div_euclid(WEEK_S);
        self.next_week = self.setting.world.begin + (week + 1) * WEEK_S;
        if let Some(audience) = &mut self.audience {
            audience.learn(self.setting, now);
        }
        if week % REFIT_WEEKS == 0 {
            let all: Vec<&PostingRate> = self.states.iter().collect();
            let people: Vec<&AccessHabit> =
                self.audience.iter().flat_map(|audience| &audience.habits).collect();
            self.population = Population::fit(&all, &people);
        }
    }
}

impl Policy for Live<'_> {
    fn first(&mut self, feed: usize) -> i64 {
        self.choose(feed, self.setting.world.begin)
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        if poll.now >= self.next_week && poll.now < self.setting.world.end {
            self.week(poll.now);
        }
        self.price.polled(poll.now);
        self.follow_budget(poll.now);
        self.now = poll.now;
        let visible = u32::try_from(self.setting.rules.window_items).unwrap_or(u32::MAX);
        self.states[poll.feed] = observed(&self.states[poll.feed], poll, visible, &self.population);
        self.choose(poll.feed, poll.now)
    }

    fn opened(&mut self, reader: usize, now: i64, last: &[i64], poll: &mut Vec<usize>) {
        let Some((saved, share)) = &mut self.opening else { return };
        let reader = &self.setting.world.readers[reader];
        let floor_s = |feed: usize| i64::try_from(self.floors[feed].as_secs()).unwrap_or(i64::MAX);
        let unseen = |feed: usize| {
            let state = &self.states[feed];
            let shape = Shape::of_feed(state, &self.population);
            let since = (Timestamp::from_seconds(last[feed]), Timestamp::from_seconds(now));
            rate_of(state, &self.population, &self.hints) * shape.between(since.0, since.1)
        };
        let mut due: Vec<(f64, usize)> = self
            .setting
            .feeds()
            .filter(|feed| reader.reads(*feed) && now - last[*feed] >= floor_s(*feed))
            .map(|feed| (unseen(feed), feed))
            .filter(|(unseen, _)| *unseen >= UNSEEN_LEAST)
            .collect();
        due.sort_by(|a, b| b.0.total_cmp(&a.0));
        due.truncate(saved.take(due.len(), self.price.per_day, *share, Timestamp::from_seconds(now)));
        poll.extend(due.into_iter().map(|(_, feed)| feed));
    }

    fn replanned(&mut self) -> Option<Vec<(usize, i64)>> {
        let doubling = self.doubling.as_mut()?;
        std::mem::take(&mut doubling.replanned).then(|| {
            let now = self.now;
            self.setting.feeds().filter_map(|feed| Some((feed, self.replan(feed, now)?))).collect()
        })
    }
}

/// Less than this is not worth a poll on opening.
const UNSEEN_LEAST: f64 = 0.05;

/// Who looks when, by feed, as known so far.
#[derive(Debug)]
struct Audience {
    habits: Vec<AccessHabit>,
    passed: Vec<usize>,
    of: Vec<Attention>,
}

impl Audience {
    fn new(setting: Setting<'_>) -> Self {
        let begin = setting.world.begin;
        let past = |visits: &[i64]| visits.partition_point(|at| *at < begin);
        let habits = setting.learned.habits(setting.world).clone();
        let passed = setting.world.readers.iter().map(|reader| past(&reader.visits)).collect();
        let mut audience = Audience { habits, passed, of: Vec::new() };
        audience.learn(setting, begin);
        audience
    }

    fn learn(&mut self, setting: Setting<'_>, now: i64) {
        let readers = &setting.world.readers;
        for (nth, reader) in readers.iter().enumerate() {
            let to = reader.visits.partition_point(|at| *at < now);
            for at in &reader.visits[self.passed[nth]..to] {
                self.habits[nth] = visited(&self.habits[nth], Timestamp::from_seconds(*at), &TimeZone::UTC);
            }
            self.passed[nth] = to;
        }
        let at = Timestamp::from_seconds(now);
        let zone = ZoneWeek::new(&TimeZone::UTC, at);
        let population = Population::default();
        let of_feed = |feed: usize| {
            let mine = readers.iter().zip(&self.habits).filter(|(reader, _)| reader.reads(feed));
            let mine: Vec<Reader<'_>> =
                mine.map(|(_, habit)| Reader { habit, feed: None, zone: &zone, weight: 1.0 }).collect();
            let hours = attention(&mine, &population, at).map(|per_day| per_day / 24.0);
            Attention::new(&hours, 1.0)
        };
        let alike = readers.iter().all(|reader| reader.feeds.is_none());
        self.of = if alike {
            vec![of_feed(0); setting.world.feeds.len()]
        } else {
            setting.feeds().map(of_feed).collect()
        };
    }
}

/// The price of the moment, as `plan::control` finds it from what feeds ask for and what was used.
#[derive(Debug)]
struct Price {
    per_day: f64,
    totals: Totals,
    memory: PriceMemory,
    /// Polls not yet told to the memory.
    used: f64,
    fixed: Option<f64>,
}

/// The memory is told of use this often.
const TOLD_EVERY: Duration = Duration::from_secs(600);

impl Price {
    fn new(per_day: f64, feeds: usize, begin: i64) -> Self {
        let begin = Timestamp::from_seconds(begin);
        let memory = PriceMemory {
            week_started_at: Some(begin),
            counted_until: Some(begin),
            // Everything has just been polled; of feeds polled at any time half an interval would be over. Without this
            // the first week looks as if the price were too high.
            used: 0.5 * feeds as f64,
            ..PriceMemory::default()
        };
        let totals = Totals { feeds: feeds as u64, ..Totals::default() };
        Price { per_day, totals, memory, used: 0.0, fixed: None }
    }

    fn now(&self) -> f64 {
        self.fixed.unwrap_or_else(|| control::price(&self.totals, self.per_day, &self.memory))
    }

    fn planned(&mut self, before: &Planned, after: &Planned) {
        if before.polls_per_day <= 0.0 {
            self.totals.planned += 1;
        }
        for (planned, sign) in [(before, -1.0), (after, 1.0)] {
            if planned.fixed {
                self.totals.fixed_polls_per_day += sign * planned.polls_per_day;
            } else {
                self.totals.demand += sign * planned.demand;
            }
        }
    }

    fn polled(&mut self, now: i64) {
        self.used += 1.0;
        let now = Timestamp::from_seconds(now);
        let due = self.memory.counted_until.is_none_or(|until| now.since(until) >= TOLD_EVERY);
        if due {
            self.memory = control::count(&self.memory, now, self.used, self.per_day);
            self.used = 0.0;
        }
    }
}
