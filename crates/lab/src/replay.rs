//! Replaying a world under a policy: what is polled when, what that finds and how late.
//!
//! A policy sees what a poll shows and nothing else: the newest items of the feed, at most as many as a document holds.
//! All policies start from the same state, everything polled at the beginning of the test, and are counted the same
//! way: every poll inside the test counts, every post of the test has a delay. After the end polls go on uncounted until
//! the last posts are found, so that nobody gains from what the end cuts off.

mod tally;

pub use tally::{Outcome, Tally};

use crate::dice::Dice;
use crate::trace::{DAY_S, World};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

/// What one poll showed.
#[derive(Debug, Clone, Copy)]
pub struct Poll<'a> {
    pub feed: usize,
    pub now: i64,
    /// When the policy had wanted it: jitter, floors and outages move polls, and a fixed plan goes on from its own times.
    pub due: i64,
    /// The poll before.
    pub last: i64,
    /// Items of the document never seen before, ascending.
    pub new: &'a [i64],
    /// The whole document: the newest items, ascending.
    pub document: &'a [i64],
    /// Everything known of the feed, history included, ascending. What fell out of the window between polls is not there.
    pub known: &'a [i64],
    /// New items fell out of the document before this poll, as far as it can tell: all it shows is new.
    pub overflow: bool,
}

/// Decides when to poll. Times are unix seconds.
pub trait Policy: Send {
    /// The first poll of a feed after the beginning, at which all feeds were polled.
    fn first(&mut self, feed: usize) -> i64;

    /// The next poll after this one.
    fn after(&mut self, poll: &Poll<'_>) -> i64;

    /// Somebody opens the reader: which of their feeds to poll at once. `last` is each feed's last poll.
    fn opened(&mut self, _reader: usize, _now: i64, _last: &[i64], _poll: &mut Vec<usize>) {}

    /// Feeds to be asked again when their next poll is, and why not: called after each poll and each opening.
    fn replanned(&mut self) -> Option<Vec<(usize, i64)>> {
        None
    }
}

/// The rules of a replay that are not the policy's choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// No two polls of a feed are closer than this.
    pub floor_s: i64,
    /// The same for feeds that posted at least [`FAST_POSTS_PER_DAY`] in history, where it is less.
    pub fast_floor_s: Option<i64>,
    /// Items one document shows.
    pub window_items: usize,
    pub item_bytes: u64,
    /// The share of a document that ours let fill before they poll again; zero lets items be lost, as the papers do.
    pub window_guard: f64,
    /// Intervals are stretched by up to this share, either way.
    pub jitter: f64,
    /// Nothing can be polled for so long in the middle of the test.
    pub outage_s: i64,
    pub seed: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            floor_s: 0,
            fast_floor_s: None,
            window_items: 15,
            item_bytes: 560,
            window_guard: 0.0,
            jitter: 0.0,
            outage_s: 0,
            seed: 1,
        }
    }
}

/// What makes a feed fast, as the server has it.
pub const FAST_POSTS_PER_DAY: f64 = 12.0;

impl Rules {
    /// The floors a server ships with: an hour, or a quarter of one for fast feeds.
    pub fn shipped_floors(self) -> Self {
        Rules { floor_s: 3600, fast_floor_s: Some(900), ..self }
    }

    /// The same and its care for lost items.
    pub fn shipped(self) -> Self {
        Rules { window_guard: 0.7, ..self.shipped_floors() }
    }

    /// The least time between two polls of each feed.
    pub fn floors(&self, world: &World) -> Vec<i64> {
        let floor = |feed: usize| {
            let per_day = world.history(feed).len() as f64 / world.history_days(feed);
            let fast = self.fast_floor_s.filter(|_| per_day >= FAST_POSTS_PER_DAY);
            fast.map_or(self.floor_s, |fast| fast.min(self.floor_s))
        };
        (0..world.feeds.len()).map(floor).collect()
    }
}

/// Two polls of a feed in the same second would never end.
const STEP_LEAST_S: i64 = 1;

/// Runs `policy` through `world`. `polls_max` stops a policy that has run wild; the outcome then counts what it did.
pub fn replay(world: &World, rules: &Rules, policy: &mut dyn Policy, polls_max: u64) -> Outcome {
    let mut run = Run::new(world, rules);
    let started = Instant::now();
    let wishes: Vec<i64> = (0..world.feeds.len()).map(|feed| policy.first(feed)).collect();
    run.planning += started.elapsed();
    for (feed, wish) in wishes.into_iter().enumerate() {
        run.schedule(feed, world.begin, wish);
    }
    let mut visits = visits(world).into_iter().peekable();
    loop {
        let due = run.heap.peek().map(|Reverse((at, ..))| *at);
        match (due, visits.peek()) {
            (due, Some((at, reader))) if due.is_none_or(|due| *at < due) => {
                let (at, reader) = (*at, *reader);
                visits.next();
                run.open(policy, reader, at);
            }
            (Some(at), _) => {
                let Some(Reverse((_, feed, turn))) = run.heap.pop() else { break };
                if run.turns[feed] == turn {
                    run.poll(policy, feed, at);
                }
            }
            (None, None) => break,
            (None, Some(_)) => {}
        }
        if run.tally.polls > polls_max {
            break;
        }
    }
    run.finish()
}

/// All visits in the test, by time.
fn visits(world: &World) -> Vec<(i64, usize)> {
    let mut visits: Vec<(i64, usize)> = world
        .readers
        .iter()
        .enumerate()
        .flat_map(|(nth, reader)| reader.visits.iter().map(move |at| (*at, nth)))
        .filter(|(at, _)| (world.begin..world.end).contains(at))
        .collect();
    visits.sort_unstable();
    visits
}

struct Run<'a> {
    world: &'a World,
    rules: &'a Rules,
    floors: Vec<i64>,
    dice: Dice,
    heap: BinaryHeap<Reverse<(i64, usize, u32)>>,
    /// Which entry of the heap is a feed's own.
    turns: Vec<u32>,
    last: Vec<i64>,
    wishes: Vec<i64>,
    /// How many posts of each feed are behind its last poll.
    passed: Vec<usize>,
    known: Vec<Vec<i64>>,
    outage: (i64, i64),
    asked: Vec<usize>,
    planning: Duration,
    tally: Tally<'a>,
}

impl<'a> Run<'a> {
    fn new(world: &'a World, rules: &'a Rules) -> Self {
        let count = world.feeds.len();
        let middle = world.begin + (world.end - world.begin) / 2 / DAY_S * DAY_S + DAY_S / 2;
        Run {
            world,
            rules,
            floors: rules.floors(world),
            dice: Dice::new(rules.seed ^ 0x5eed),
            heap: BinaryHeap::with_capacity(count),
            turns: vec![0; count],
            last: vec![world.begin; count],
            wishes: vec![world.begin; count],
            passed: (0..count).map(|feed| world.history(feed).len()).collect(),
            known: (0..count).map(|feed| world.history(feed).to_vec()).collect(),
            outage: (middle, middle + rules.outage_s),
            asked: Vec::new(),
            planning: Duration::ZERO,
            tally: Tally::new(world, rules),
        }
    }

    /// Puts a feed's next poll on the heap: jitter, then the floor, then what cannot be.
    fn schedule(&mut self, feed: usize, now: i64, wish: i64) {
        self.wishes[feed] = wish;
        let mut at = wish;
        if self.rules.jitter > 0.0 {
            let stretch = 1.0 + self.rules.jitter * (2.0 * self.dice.unit() - 1.0);
            at = now + ((at - now) as f64 * stretch) as i64;
        }
        at = at.max(now + self.floors[feed].max(STEP_LEAST_S));
        self.turns[feed] += 1;
        // Once all posts of the test are found, nothing that happens after its end matters.
        let done = self.passed[feed] == self.world.feeds[feed].posts.len();
        if at < self.world.end || !done {
            self.heap.push(Reverse((at, feed, self.turns[feed])));
        }
    }

    fn poll(&mut self, policy: &mut dyn Policy, feed: usize, at: i64) {
        if (self.outage.0..self.outage.1).contains(&at) {
            // Whatever was due is polled when the line is back, in a few minutes' time.
            let spread = (self.dice.unit() * 600.0) as i64;
            self.heap.push(Reverse((self.outage.1 + spread, feed, self.turns[feed])));
            return;
        }
        let posts = &self.world.feeds[feed].posts;
        let from = self.passed[feed];
        let to = from + posts[from..].partition_point(|post| *post <= at);
        let document = &posts[to.saturating_sub(self.rules.window_items)..to];
        let seen = from.max(to.saturating_sub(self.rules.window_items));
        self.tally.polled(feed, at, from, to, document.len());
        self.known[feed].extend_from_slice(&posts[seen..to]);
        let (last, new) = (self.last[feed], &posts[seen..to]);
        self.passed[feed] = to;
        self.last[feed] = at;
        let overflow = new.len() >= self.rules.window_items && !new.is_empty();
        let due = self.wishes[feed];
        let poll = Poll { feed, now: at, due, last, new, document, known: &self.known[feed], overflow };
        let started = Instant::now();
        let wish = policy.after(&poll);
        let replanned = policy.replanned();
        self.planning += started.elapsed();
        self.schedule(feed, at, wish);
        self.reschedule(replanned, at);
    }

    fn reschedule(&mut self, replanned: Option<Vec<(usize, i64)>>, now: i64) {
        for (feed, wish) in replanned.into_iter().flatten() {
            let earliest = self.last[feed] + self.floors[feed];
            self.schedule(feed, now, wish.max(earliest));
        }
    }

    fn open(&mut self, policy: &mut dyn Policy, reader: usize, at: i64) {
        let mut asked = std::mem::take(&mut self.asked);
        asked.clear();
        let started = Instant::now();
        policy.opened(reader, at, &self.last, &mut asked);
        self.planning += started.elapsed();
        let down = (self.outage.0..self.outage.1).contains(&at);
        for feed in asked.drain(..) {
            if !down && at >= self.last[feed] + self.floors[feed].max(STEP_LEAST_S) {
                self.turns[feed] += 1;
                // Wanted now; a fixed plan goes on with the poll it had planned.
                self.wishes[feed] = at;
                self.poll(policy, feed, at);
            }
        }
        self.asked = asked;
        self.tally.looked(reader, at, &self.passed);
    }

    fn finish(self) -> Outcome {
        self.tally.finish(&self.last, &self.passed, self.planning)
    }
}

#[cfg(test)]
mod tests;
