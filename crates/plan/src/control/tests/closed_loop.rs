//! Feeds that post, the live chooser that learns them, and the controller: eight weeks in a few seconds.

use super::*;
use crate::estimate::{Sight, learn};
use crate::live::{Recall, choose_recalling};
use domain::Planned;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const HOURS: u64 = 8 * 168;

struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Feed {
    /// Unix seconds, ascending.
    posts: Vec<i64>,
    seen: usize,
    schedule: Schedule,
    recall: Recall,
}

struct World {
    feeds: Vec<Feed>,
    due: BinaryHeap<Reverse<(Timestamp, usize)>>,
    policy: Policy,
    population: Population,
    memory: PriceMemory,
    price: f64,
    planned_at: f64,
    dice: Dice,
    polls_by_hour: Vec<u32>,
}

/// Power-law rates; most feeds post in office hours, one in three at any time, and less on weekends.
fn posts(dice: &mut Dice) -> Vec<i64> {
    let per_day = 0.1 / (dice.unit() + 0.004);
    let (opens, length) = ((dice.unit() * 24.0) as u64, if dice.unit() < 0.33 { 24 } else { 8 });
    let mut posts = Vec::new();
    for hour in 0..HOURS {
        let open = (hour + 24 - opens) % 24 < length;
        let day = if hour / 24 % 7 >= 5 { 0.4 } else { 1.24 };
        let mean = if open { per_day * day / length as f64 } else { 0.0 };
        let mut time = -(1.0 - dice.unit()).ln();
        while time < mean {
            posts.push(at(hour).seconds() + (3600.0 * time / mean) as i64);
            time -= (1.0 - dice.unit()).ln();
        }
    }
    posts
}

impl World {
    fn new(feeds: usize, budget: f64) -> World {
        let mut dice = Dice(5);
        let policy = Policy { budget_polls_per_day: budget, ..Policy::default() };
        let feeds: Vec<Feed> = (0..feeds)
            .map(|_| Feed {
                posts: posts(&mut dice),
                seen: 0,
                schedule: Schedule::default(),
                recall: Recall::default(),
            })
            .collect();
        let first = |nth: usize| at(0).saturating_add(Duration::from_secs(nth as u64 * 60));
        let due = (0..feeds.len()).map(|nth| Reverse((first(nth), nth))).collect();
        let price = typical_price(budget);
        World {
            feeds,
            due,
            policy,
            population: Population::default(),
            memory: PriceMemory::default(),
            price,
            planned_at: price,
            dice,
            polls_by_hour: vec![0; HOURS as usize],
        }
    }

    fn allowed(&self) -> f64 {
        self.policy.budget_polls_per_day * self.feeds.len() as f64
    }

    /// Polls what is due within the hour, then lets the controller count.
    fn hour(&mut self, hour: u64) {
        let end = at(hour + 1);
        let mut polls = 0;
        while let Some(Reverse((now, nth))) = self.due.peek().copied().filter(|Reverse((due, _))| *due < end)
        {
            self.due.pop();
            polls += 1;
            self.poll(nth, now.max(at(hour)));
        }
        self.polls_by_hour[hour as usize] = polls;
        self.memory = count(&self.memory, end, f64::from(polls), self.allowed());
        self.price = price(&self.totals(), self.allowed(), &self.memory);
        if calls_for_replanning(self.planned_at, self.price) {
            self.planned_at = self.price;
            self.replan_all(end);
        }
    }

    fn poll(&mut self, nth: usize, now: Timestamp) {
        let feed = &mut self.feeds[nth];
        let from = feed.seen;
        feed.seen += feed.posts[from..].partition_point(|post| *post <= now.seconds());
        let new: Vec<_> =
            feed.posts[from..feed.seen].iter().map(|post| Some(Timestamp::from_seconds(*post))).collect();
        feed.schedule.rate =
            learn(&feed.schedule.rate, &Sight { now, new: &new, visible: 100 }, &self.population);
        feed.schedule.last_poll_at = Some(now);
        let outlook = Outlook { price: self.price, population: &self.population, attention: None };
        let dice = Unit::new(self.dice.unit());
        let learned = Learned { poll_cost: 1.0, ..Learned::of(&feed.schedule, &self.policy) };
        let choice = choose_recalling(&learned, now, &outlook, &self.policy, dice, &mut feed.recall);
        (feed.schedule.next_poll_at, feed.schedule.reason) = (choice.at, choice.reason);
        feed.schedule.plan = choice.planned;
        self.due.push(Reverse((choice.at, nth)));
    }

    fn replan_all(&mut self, now: Timestamp) {
        let outlook = Outlook { price: self.price, population: &self.population, attention: None };
        self.due.clear();
        for (nth, feed) in self.feeds.iter_mut().enumerate() {
            let dice = Unit::new(self.dice.unit());
            if let Some(choice) = replan(&feed.schedule, now, &outlook, &self.policy, dice) {
                (feed.schedule.next_poll_at, feed.schedule.reason) = (choice.at, choice.reason);
                feed.schedule.plan = choice.planned;
            }
            self.due.push(Reverse((feed.schedule.next_poll_at.max(now), nth)));
        }
    }

    fn totals(&self) -> Totals {
        let mut totals = Totals { feeds: self.feeds.len() as u64, ..Totals::default() };
        for Planned { polls_per_day, demand, fixed, .. } in self.feeds.iter().map(|feed| feed.schedule.plan) {
            totals.planned += u64::from(polls_per_day > 0.0);
            if fixed {
                totals.fixed_polls_per_day += polls_per_day;
            } else {
                totals.demand += demand;
            }
        }
        totals
    }

    /// Polls used over polls allowed in the nth week.
    fn use_of_week(&self, week: usize) -> f64 {
        let polls: u32 = self.polls_by_hour[week * 168..(week + 1) * 168].iter().sum();
        f64::from(polls) / (7.0 * self.allowed())
    }
}

#[test]
fn weekly_use_keeps_to_the_budget_follows_it_and_an_outage_bursts_nothing() {
    let mut world = World::new(200, 3.0);
    (0..4 * 168).for_each(|hour| world.hour(hour));
    for week in 1..4 {
        let used = world.use_of_week(week);
        assert!((used - 1.0).abs() <= 0.02, "week {week}: {used}");
    }
    world.policy.budget_polls_per_day *= 2.0;
    (4 * 168..6 * 168).for_each(|hour| world.hour(hour));
    let used = world.use_of_week(5);
    assert!((used - 1.0).abs() <= 0.05, "a week after doubling: {used}");
    let before = world.polls_by_hour[5 * 168..6 * 168].iter().max().copied().unwrap_or(0);
    // Twelve hours of nothing, then everything overdue is planned again.
    (6 * 168..6 * 168 + 9).for_each(|hour| world.hour(hour));
    let back = 6 * 168 + 9 + 12;
    world.memory = pass_over(&world.memory, at(back));
    world.replan_all(at(back));
    (back..HOURS).for_each(|hour| world.hour(hour));
    let after = world.polls_by_hour[back as usize..].iter().max().copied().unwrap_or(0);
    assert!(f64::from(after) <= 1.5 * f64::from(before), "{after} polls in an hour, {before} before");
    let used = world.use_of_week(7);
    assert!((used - 1.0).abs() <= 0.03, "after the outage: {used}");
}

#[test]
fn use_keeps_to_the_budget_where_floors_and_longest_intervals_decide_for_many() {
    let mut world = World::new(60, 19.0);
    (0..3 * 168).for_each(|hour| world.hour(hour));
    assert!(world.totals().fixed_polls_per_day > 0.05 * world.allowed(), "{:?}", world.totals());
    for week in 1..3 {
        let used = world.use_of_week(week);
        assert!((used - 1.0).abs() <= 0.03, "week {week}: {used}");
    }
}
