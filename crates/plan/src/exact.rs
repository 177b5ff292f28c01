//! The best m polls on the circle, exactly.
//!
//! The papers find retrieval times by necessary conditions and exhaustive search over the first two points (002 §3.2.2,
//! 000 Algorithm 1, 001 Figure 2), which is slow and not optimal on real patterns. Because the costs are Monge
//! ([`cost`](crate::cost)), the optimum follows from three facts (`scheduling.md` §2.3–2.4): with a common root the best
//! m- and (m+1)-link paths interleave; some best m-cycle has exactly one point in every closed arc of the best m-cycle
//! through any given root; and the best path is monotone in its root. Least and most intervals only forbid links
//! outside a band, and every exchange in those proofs makes links of lengths between two allowed ones, so they cost
//! nothing in exactness.

use crate::cost::Costs;
use crate::monge::{Matrix, Span, Window};

/// The fewest and most slots between two polls, both allowed. Two polls never share a boundary: a second one finds
/// nothing, and on another boundary it is never worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub least_slots: usize,
    pub most_slots: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { least_slots: 1, most_slots: usize::MAX }
    }
}

impl Bounds {
    /// Keeps every wait at most that of `polls` evenly spaced polls (002 §4.4 compares maximum delays).
    pub fn as_even(slots: usize, polls: usize) -> Self {
        Bounds { most_slots: slots.div_ceil(polls.max(1)).max(1), ..Bounds::default() }
    }
}

/// Polls at ascending boundaries of one period, and what they cost per period.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    pub polls: Vec<usize>,
    pub cost: f64,
}

impl Placement {
    fn none() -> Self {
        Placement { polls: Vec::new(), cost: f64::INFINITY }
    }
}

/// The best `polls` polls per period: D(m). None when no cycle has that many, as with no polls at all, more polls than
/// slots, or bounds that leave no room.
pub fn place(costs: &Costs, polls: usize, bounds: &Bounds) -> Option<Placement> {
    Some(Climb::to(costs, polls, bounds)?.circle(costs))
}

/// D(1), D(2), … D(most). What cannot be placed has no polls and costs infinity; the rest is convex.
pub fn curve(costs: &Costs, most: usize, bounds: &Bounds) -> Vec<Placement> {
    let mut climb: Option<Climb> = None;
    let first = first_feasible(costs.slots(), bounds);
    (1..=most.min(costs.slots().saturating_mul(2).max(64)))
        .map(|polls| {
            let stepped = match climb.as_mut() {
                Some(climb) => climb.step(costs),
                None if Some(polls) == first => {
                    climb = Climb::to(costs, polls, bounds);
                    climb.is_some()
                }
                None => false,
            };
            match climb.as_mut() {
                Some(climb) if stepped => climb.circle(costs),
                _ => Placement::none(),
            }
        })
        .collect()
}

/// Evenly spaced from the period's start, as near as the grid allows: uniform polling.
pub fn even(costs: &Costs, polls: usize) -> Placement {
    let slots = costs.slots();
    let mut at: Vec<usize> = (0..polls.min(slots)).map(|nth| nth * slots / polls.min(slots)).collect();
    at.dedup();
    let cost = costs.of_cycle(&at);
    Placement { polls: at, cost }
}

/// The fewest polls that keep every interval within `most_slots`.
fn first_feasible(slots: usize, bounds: &Bounds) -> Option<usize> {
    let (least, most) = (bounds.least_slots.max(1), bounds.most_slots.min(slots));
    let first = slots.div_ceil(most.max(1));
    // `first` polls have intervals of at most `most`; they must also fit with at least `least` between them.
    (least <= most && first.saturating_mul(least) <= slots).then_some(first)
}

/// Best paths from boundary 0 to its next lift with one link more at each step: the ladder all D(m) stand on. Holds
/// only the current path, so that thousands of feeds can be half climbed at once.
#[derive(Debug, Clone)]
pub struct Climb {
    path: Vec<usize>,
    bounds: Bounds,
}

impl Climb {
    /// Straight to the path with `polls` links.
    pub fn to(costs: &Costs, polls: usize, bounds: &Bounds) -> Option<Climb> {
        let slots = costs.slots();
        let first = first_feasible(slots, bounds)?;
        if polls < first || polls.saturating_mul(bounds.least_slots.max(1)) > slots {
            return None;
        }
        let bounds =
            Bounds { least_slots: bounds.least_slots.max(1), most_slots: bounds.most_slots.min(slots) };
        // At the first feasible number the bounds alone leave less than `most` freedom per point.
        let free = vec![(0, slots); first - 1];
        let mut climb = Climb { path: Work::default().path(costs, &bounds, 0, &free)?.0, bounds };
        while climb.polls() < polls {
            if !climb.step(costs) {
                return None;
            }
        }
        Some(climb)
    }

    pub fn polls(&self) -> usize {
        self.path.len()
    }

    /// One poll more; false when no more fit.
    pub fn step(&mut self, costs: &Costs) -> bool {
        if (self.polls() + 1).saturating_mul(self.bounds.least_slots) > costs.slots() {
            return false;
        }
        let ends = self.path[1..].iter().copied().chain([costs.slots()]);
        let bands: Vec<Span> = self.path.iter().copied().zip(ends).collect();
        match Work::default().path(costs, &self.bounds, 0, &bands) {
            Some((path, _)) => {
                self.path = path;
                true
            }
            None => false,
        }
    }

    /// The best cycle with as many polls as the current path has links.
    pub fn circle(&self, costs: &Costs) -> Placement {
        let slots = costs.slots();
        let polls = self.path.len();
        if polls <= 1 {
            let whole = |root: usize| costs.at(root, root + slots);
            let best = (0..slots).min_by(|a, b| whole(*a).total_cmp(&whole(*b))).unwrap_or(0);
            return Placement { polls: vec![best], cost: costs.between(best, best + slots) };
        }
        let arc = |nth: usize| self.path.get(nth + 1).copied().unwrap_or(slots) - self.path[nth];
        let shortest = (0..polls).min_by_key(|nth| arc(*nth)).unwrap_or(0);
        // The cycle from the shortest arc's start, with its second lift.
        let ring: Vec<usize> = (shortest..=shortest + polls + 1)
            .map(|nth| self.path[nth % polls] + nth / polls * slots)
            .collect();
        let mut roots = Roots { costs, bounds: self.bounds, work: Work::default(), best: Placement::none() };
        let left = roots.through(ring[0], &ring[..polls], &ring[1..=polls]);
        let right = roots.through(ring[1], &ring[..polls], &ring[1..=polls]);
        if let (Some(left), Some(right)) = (left, right) {
            roots.between(&left, &right);
        }
        let mut polls = if roots.best.polls.is_empty() { self.path.clone() } else { roots.best.polls };
        polls.iter_mut().for_each(|poll| *poll %= slots);
        polls.sort_unstable();
        let cost = costs.of_cycle(&polls);
        Placement { polls, cost }
    }
}

/// The search over roots inside one arc.
struct Roots<'a> {
    costs: &'a Costs,
    bounds: Bounds,
    work: Work,
    best: Placement,
}

impl Roots<'_> {
    /// All roots strictly between two solved ones, halving; points lie between the two solutions.
    fn between(&mut self, left: &[usize], right: &[usize]) {
        let (from, to) = (left[0], right[0]);
        if to <= from + 1 {
            return;
        }
        if let Some(solved) = self.through(from + (to - from) / 2, left, right) {
            self.between(left, &solved);
            self.between(&solved, right);
        }
    }

    /// The best cycle through `root` whose j-th point lies in [low_j, high_j]; remembered if it is the best so far.
    fn through(&mut self, root: usize, low: &[usize], high: &[usize]) -> Option<Vec<usize>> {
        let bands: Vec<Span> = low.iter().copied().zip(high.iter().copied()).skip(1).collect();
        let (path, cost) = self.work.path(self.costs, &self.bounds, root, &bands)?;
        if cost < self.best.cost {
            self.best = Placement { polls: path.clone(), cost };
        }
        Some(path)
    }
}

/// Room for the layers of one path, used over and over.
#[derive(Debug, Clone, Default)]
struct Work {
    spans: Vec<Span>,
    /// Cost of reaching each boundary of the last span, and of the one being filled.
    reached: Vec<f64>,
    filling: Vec<f64>,
    base: Vec<f64>,
    /// Predecessors of all spans, one after the other.
    came_from: Vec<u32>,
}

impl Work {
    /// The best path from `root` to its next lift whose j-th inner point lies in `bands[j]`, without the lift; and its
    /// cost. A layer per point; its minima are monotone.
    fn path(
        &mut self,
        costs: &Costs,
        bounds: &Bounds,
        root: usize,
        bands: &[Span],
    ) -> Option<(Vec<usize>, f64)> {
        let end = root + costs.slots();
        let (least, most) = (bounds.least_slots, bounds.most_slots);
        self.narrow(bands, root, end, bounds)?;
        self.came_from.clear();
        self.reached.clear();
        self.reached.push(0.0);
        let window = Window::Before { least, most };
        for layer in 1..self.spans.len() {
            let (before, span) = (self.spans[layer - 1], self.spans[layer]);
            self.base.clear();
            let starts = &costs.q[before.0..=before.1];
            self.base.extend(self.reached.iter().zip(starts).map(|(reached, q)| reached + q));
            let width = span.1 - span.0 + 1;
            let first = self.came_from.len();
            self.came_from.resize(first + width, 0);
            self.filling.clear();
            self.filling.resize(width, f64::INFINITY);
            let matrix = Matrix {
                base: &self.base,
                from: before.0,
                slope: &costs.l,
                bend: &costs.m,
                bends: costs.bends(),
                x: &costs.r,
                y: &costs.v,
            };
            let (filling, came_from) = (&mut self.filling, &mut self.came_from[first..]);
            matrix.minima(span, before, window, &mut |row, column, value| {
                filling[row - span.0] = value + costs.p[row];
                came_from[row - span.0] = u32::try_from(column).unwrap_or(u32::MAX);
            });
            std::mem::swap(&mut self.reached, &mut self.filling);
        }
        let cost = *self.reached.first()?;
        Some((self.walk_back(), cost))
    }

    /// The boundaries each point can have on some allowed path, root and end included; None when there is no path.
    fn narrow(&mut self, bands: &[Span], root: usize, end: usize, bounds: &Bounds) -> Option<()> {
        let (least, most) = (bounds.least_slots, bounds.most_slots);
        self.spans.clear();
        self.spans.push((root, root));
        let mut before = (root, root);
        for band in bands.iter().copied().chain([(end, end)]) {
            before = (band.0.max(before.0 + least), band.1.min(before.1.saturating_add(most)));
            self.spans.push(before);
        }
        let mut after = (end, end);
        for span in self.spans.iter_mut().rev().skip(1) {
            *span = (span.0.max(after.0.saturating_sub(most)), span.1.min(after.1.checked_sub(least)?));
            after = *span;
        }
        self.spans.iter().all(|span| span.0 <= span.1).then_some(())
    }

    fn walk_back(&self) -> Vec<usize> {
        let mut path = Vec::with_capacity(self.spans.len());
        let mut at = self.spans.last().map_or(0, |span| span.0);
        let mut end = self.came_from.len();
        for span in self.spans.iter().skip(1).rev() {
            let first = end - (span.1 - span.0 + 1);
            at = self.came_from[first + at - span.0] as usize;
            path.push(at);
            end = first;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
#[path = "exact/tests.rs"]
mod tests;
