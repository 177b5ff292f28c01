//! The price policy of one feed on a weekly grid, and what following it means in the long run.

use super::terms::Terms;
use crate::cost::{Costs, Metric};
use crate::exact::Bounds;
use crate::grid::Grid;
use crate::price::{PricePolicy, solve_within};
use domain::Timestamp;
use std::time::Duration;

/// No wait is looked at beyond half a year.
const PERIODS_MAX: usize = 26;
/// Costs half a thousandth of the cost and saves two sweeps of three; learned rates are not nearly as exact.
const TOLERANCE: f64 = 1e-3;
/// A table serves again for so long, and while the price moves no more than this (natural logarithm).
const KEPT_FOR: Duration = Duration::from_secs(12 * 3600);
const KEPT_WITHIN: f64 = 0.05;

/// What a feed's plan comes to in the long run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cycle {
    pub(crate) polls_per_day: f64,
    /// From posting to found, a mean over posts.
    pub(crate) delay_days: f64,
}

#[derive(Debug, Clone)]
pub(crate) struct Table {
    policy: PricePolicy,
    grid: Grid,
    bounds: Bounds,
    cycle: Cycle,
}

/// A feed's table, kept between plans by whoever plans much: a simulation, a frontier. It only saves time.
#[derive(Debug, Clone, Default)]
pub struct Recall {
    kept: Option<(Table, Timestamp)>,
    /// The kept table is only a start for the next.
    exact: bool,
    pub(crate) plain: Option<Box<Recall>>,
}

impl Recall {
    /// Solves every time anew, from where the last solution was.
    pub(crate) fn exact() -> Recall {
        Recall { exact: true, ..Recall::default() }
    }

    /// The table for these terms at `now`: the kept one where it still serves, else a new one, which is then kept.
    pub(crate) fn table(&mut self, terms: &Terms, now: Timestamp) -> Option<&Table> {
        let (grid, bounds) = frame(terms);
        let serves = |table: &Table| {
            let moved = (terms.unit_price / table.policy.price).ln().abs();
            table.grid == grid && table.bounds == bounds && moved <= KEPT_WITHIN
        };
        let fresh = |made: Timestamp| !self.exact && made <= now && now.since(made) <= KEPT_FOR;
        if !self.kept.as_ref().is_some_and(|(table, made)| fresh(*made) && serves(table)) {
            let warm = self.kept.take().map(|(table, _)| table.policy);
            self.kept = Table::solved(terms, grid, bounds, warm.as_ref()).map(|table| (table, now));
        }
        self.kept.as_ref().map(|(table, _)| table)
    }
}

impl Table {
    fn solved(terms: &Terms, grid: Grid, bounds: Bounds, warm: Option<&PricePolicy>) -> Option<Table> {
        let periods = bounds.most_slots.div_ceil(grid.slots).clamp(1, PERIODS_MAX);
        let posting = terms.shape.slots(grid.slots);
        let (metric, attention) = match &terms.value {
            Some(value) => (Metric::Miss, value.slots(grid.slots)),
            None => (Metric::Delay, Vec::new()),
        };
        let costs = Costs::new(metric, grid, &posting, &attention, periods).ok()?;
        let policy = solve_within(&costs, terms.unit_price, &bounds, warm, TOLERANCE).ok()?;
        let delay_days = match metric {
            Metric::Delay => policy.delay_rate(),
            _ => {
                let delays = Costs::new(Metric::Delay, grid, &posting, &[], periods).ok()?;
                along_cycle(&policy, &delays)
            }
        };
        let cycle = Cycle { polls_per_day: policy.polls_per_day, delay_days };
        Some(Table { policy, grid, bounds, cycle })
    }

    pub(crate) fn slot_days(&self) -> f64 {
        self.grid.slot_days()
    }

    /// g, per day.
    pub(crate) fn rate(&self) -> f64 {
        self.policy.cost_rate
    }

    /// h at so many days into the week, lifted; a straight line between boundaries.
    pub(crate) fn value(&self, days: f64) -> f64 {
        let slots = self.grid.slots;
        let place = days.rem_euclid(self.grid.period_days) / self.slot_days();
        let nth = (place as usize).min(slots - 1);
        let share = (place - nth as f64).clamp(0.0, 1.0);
        let (left, right) = (self.policy.value[nth], self.policy.value[(nth + 1) % slots]);
        left + share * (right - left)
    }

    pub(crate) fn cycle(&self) -> Cycle {
        self.cycle
    }
}

/// Slots of a twelfth of the interval or finer, down to a quarter of an hour, and the bounds in them.
fn frame(terms: &Terms) -> (Grid, Bounds) {
    let flat = terms.flat_days();
    let slots = if flat > 0.5 {
        168
    } else if flat > 0.25 {
        336
    } else {
        672
    };
    let grid = Grid::week(slots);
    let in_slots = |days: f64| (days / grid.slot_days()).min((PERIODS_MAX * slots) as f64);
    let least_slots = (in_slots(terms.least_days).round() as usize).max(1);
    // Beyond six intervals nobody waits; and a longest interval between two boundaries is kept.
    let most = terms.most_days.min((6.0 * flat).max(3.5));
    let most_slots = ((in_slots(most) + 1e-6).floor() as usize).max(least_slots);
    (grid, Bounds { least_slots, most_slots })
}

/// The long run at these terms.
pub(crate) fn long_run(terms: &Terms, recall: &mut Recall, now: Timestamp) -> Cycle {
    let mut cycle = if terms.is_fine() || terms.most_days <= terms.least_days {
        density(terms, terms.flat_days())
    } else {
        match recall.table(terms, now) {
            Some(table) => table.cycle(),
            None => density(terms, terms.flat_days()),
        }
    };
    if let Some(window) = window_polls(terms)
        && window > cycle.polls_per_day
    {
        cycle = Cycle { polls_per_day: window, delay_days: cycle.delay_days.min(0.5 / window) };
    }
    cycle
}

/// Whether floors, the window or the longest interval decide: neither twice the price nor half of it would change the polls
/// by more than a twentieth, as far as the small-interval limit tells.
pub(crate) fn is_fixed(terms: &Terms) -> bool {
    let polls = |factor: f64| {
        let free = density(terms, factor * terms.flat_days()).polls_per_day;
        window_polls(terms).map_or(free, |window| free.max(window))
    };
    let now = polls(1.0);
    polls(2f64.sqrt()) >= 0.95 * now && polls(0.5f64.sqrt()) <= 1.05 * now
}

/// Polls per day the document's window asks for.
fn window_polls(terms: &Terms) -> Option<f64> {
    terms.window_days.map(|days| (1.0 / days).min(1.0 / terms.least_days.max(1e-6)))
}

/// The small-interval limit: at each hour the interval of a steady feed of that rate, within the bounds.
pub(crate) fn density(terms: &Terms, flat_days: f64) -> Cycle {
    let (mut polls, mut delay, mut hours) = (0.0, 0.0, 0.0);
    for (rate, value) in terms.hours() {
        let wish = flat_days / (rate * value).sqrt().max(1e-9);
        let interval = wish.clamp(terms.least_days.max(1e-6), terms.most_days.max(1e-6));
        polls += 1.0 / interval;
        delay += rate * interval / 2.0;
        hours += 1.0;
    }
    Cycle { polls_per_day: polls / hours, delay_days: delay / hours }
}

/// The mean of `costs` per day along the cycle the policy ends in.
fn along_cycle(policy: &PricePolicy, costs: &Costs) -> f64 {
    let slots = policy.next.len();
    // The best cycle is where the values are anchored.
    let nearest = |a: &(usize, &f64), b: &(usize, &f64)| a.1.abs().total_cmp(&b.1.abs());
    let mut at = policy.value.iter().enumerate().min_by(nearest).map_or(0, |(nth, _)| nth);
    for _ in 0..slots {
        at = policy.next[at] as usize % slots;
    }
    let (start, mut cost, mut length) = (at, 0.0, 0);
    loop {
        let to = policy.next[at] as usize;
        cost += costs.between(at, to);
        length += to - at;
        at = to % slots;
        if at == start || length > slots * slots {
            break;
        }
    }
    cost / (length as f64 * costs.grid().slot_days())
}
