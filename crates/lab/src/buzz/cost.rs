//! Where the hybrid's borders lie (§4.2.6): the paper takes thirty and thirty, and leaves the choice open.
//!
//! A week's cost in rows read and written, each worth one, so that it is the same on every machine. With `a` sources and
//! `b` readers as borders: who follows at most `a` sources is answered on the fly and reads all their references; who
//! follows more is answered by the threshold algorithm, at so many accesses as were counted; a reference of a source with
//! at most `b` readers is written for each of those, one of any other source once for each group that has it. E itself is
//! written whatever the borders are.

use super::world::World;
use serde::Serialize;

/// Borders are multiples of this.
pub(crate) const STEP: usize = 5;
/// How often a person asks in a week.
const QUERIES: f64 = 7.0;
/// Buckets of sources and of readers; what has more is in the last.
const BUCKETS: usize = 800;

/// What was counted, and not known beforehand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    /// Entries read to answer by the threshold algorithm.
    pub(crate) accesses: f64,
    /// Groups that a source belongs to.
    pub(crate) groups: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Priced {
    /// Users with at most so many sources are answered on the fly.
    pub sources: usize,
    /// Sources with at most so many readers are kept as views.
    pub readers: usize,
    /// Rows read and written in a week.
    pub rows: f64,
}

pub(crate) struct Costs {
    /// By border `a`: rows read on the fly, and users who ask by threshold.
    otf: Vec<f64>,
    heavy: Vec<f64>,
    /// By borders `a` and `b`: writes to views.
    views: Vec<f64>,
    /// By border `b`: references of sources above it.
    dense: Vec<f64>,
    base: f64,
    counted: Counted,
}

impl Costs {
    pub(crate) fn new(world: &World, counted: Counted) -> Self {
        let bucket = |count: usize| (count.div_ceil(STEP)).min(BUCKETS - 1);
        let references = |source: usize| world.references.row(source).len() as f64;
        let (mut otf, mut heavy) = (vec![0.0; BUCKETS], vec![0.0; BUCKETS]);
        let mut views = vec![0.0; BUCKETS * BUCKETS];
        let mut dense = vec![0.0; BUCKETS];
        for source in 0..world.sources() {
            dense[bucket(world.readers[source] as usize)] += references(source);
        }
        for user in 0..world.users() {
            let own = world.follows.row(user);
            let place = bucket(own.len());
            heavy[place] += 1.0;
            for (source, _) in own {
                let rows = references(*source as usize);
                otf[place] += rows;
                views[place * BUCKETS + bucket(world.readers[*source as usize] as usize)] += rows;
            }
        }
        // Sums over buckets: on the fly up to a; heavy and views above a, views up to b; dense above b.
        (1..BUCKETS).for_each(|a| otf[a] += otf[a - 1]);
        from_above(&mut heavy);
        from_above(&mut dense);
        for b in 0..BUCKETS {
            let mut column: Vec<f64> = (0..BUCKETS).map(|a| views[a * BUCKETS + b]).collect();
            from_above(&mut column);
            column.into_iter().enumerate().for_each(|(a, value)| views[a * BUCKETS + b] = value);
        }
        for row in views.chunks_mut(BUCKETS) {
            (1..BUCKETS).for_each(|b| row[b] += row[b - 1]);
        }
        Costs { otf, heavy, views, dense, base: world.references.len() as f64, counted }
    }

    pub(crate) fn at(&self, sources: usize, readers: usize) -> Priced {
        let (a, b) = ((sources / STEP).min(BUCKETS - 1), (readers / STEP).min(BUCKETS - 1));
        let asked = QUERIES * (self.otf[a] + self.counted.accesses * self.heavy[a]);
        // Nobody above the border: nothing is kept for them.
        let groups = if self.heavy[a] > 0.0 { self.counted.groups * self.dense[b] } else { 0.0 };
        let rows = self.base + asked + self.views[a * BUCKETS + b] + groups;
        Priced { sources: a * STEP, readers: b * STEP, rows }
    }

    /// The cheapest borders with somebody above them.
    pub(crate) fn best(&self) -> Priced {
        let all = (0..BUCKETS - 1).flat_map(|a| (0..BUCKETS - 1).map(move |b| (a, b)));
        let used = all.filter(|(a, _)| self.heavy[*a] > 0.0);
        used.map(|(a, b)| self.at(a * STEP, b * STEP))
            .min_by(|one, other| one.rows.total_cmp(&other.rows))
            .unwrap_or_else(|| self.at(0, 0))
    }

    /// Everybody on the fly.
    pub(crate) fn on_the_fly(&self) -> f64 {
        self.base + QUERIES * self.otf[BUCKETS - 1]
    }

    /// The best and its neighbours, one step each way.
    pub(crate) fn around(&self, best: Priced) -> Vec<Priced> {
        let steps = |at: usize| [at.saturating_sub(STEP), at, at + STEP];
        let all = steps(best.sources).map(|a| steps(best.readers).map(|b| self.at(a, b)));
        let mut all: Vec<Priced> = all.into_iter().flatten().collect();
        all.dedup();
        all
    }
}

/// Each becomes the sum of those after it.
fn from_above(values: &mut [f64]) {
    let mut sum = 0.0;
    for value in values.iter_mut().rev() {
        sum += std::mem::replace(value, sum);
    }
}
