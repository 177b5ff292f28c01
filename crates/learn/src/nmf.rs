//! Non-negative matrix factorisation of a sparse matrix: X ≈ W·H with W, H ≥ 0 and mostly zero (003 §4.2.4).
//!
//! The paper names neither the algorithm nor its sparsity. This is HALS (hierarchical alternating least squares) with an L1
//! penalty: for one factor fixed, each component in turn gets its best value, which never makes the fit worse.
//! [`LANES`] rows are solved side by side, so that the compiler finds vectors. Rows are handed to threads in parts of
//! fixed size whose sums are added in order: the result does not depend on how many threads there are. Dice are an
//! argument; a start may be an earlier result.

use crate::sparse::Sparse;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

const LANES: usize = 16;
/// Rows whose sums are made in the small float before they are added in the large one.
const PART_ROWS: usize = 512;
/// A factor with a smaller share of values above zero is read without its zeros: rows are met in no order, and what is
/// fetched for them is what takes the time.
const SPARSE: f64 = 0.35;
/// Rows that are fetched side by side.
const AHEAD: usize = 16;
/// Below this a value is zero; smaller ones would be denormal and slow.
const LEAST: f64 = 1e-12;

/// What factors are made of: `f32` for work, `f64` to check it.
pub trait Real:
    Copy
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
}

impl Real for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NmfOptions {
    /// Penalty on every value of both factors: larger is sparser.
    pub l1: f64,
    pub sweeps_max: usize,
    /// A sweep that takes less than this share off the residual is the last; below zero there is none.
    pub least_gain: f64,
    pub threads: usize,
}

impl Default for NmfOptions {
    fn default() -> Self {
        NmfOptions { l1: 0.1, sweeps_max: 30, least_gain: 5e-4, threads: 1 }
    }
}

/// W and Hᵀ, both by rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors<F = f32> {
    rank: usize,
    /// Rank, rounded up so that rows begin where vectors do.
    width: usize,
    left: Vec<F>,
    right: Vec<F>,
}

/// A result and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit<F = f32> {
    pub factors: Factors<F>,
    /// ‖X − W·H‖ after each sweep.
    pub residuals: Vec<f64>,
    /// Whether the last sweep gained less than was asked for.
    pub converged: bool,
}

impl<F: Real> Factors<F> {
    /// Uniform in 0..2√(mean/rank), so that W·H has the mean of X. `dice` gives numbers in 0..1.
    pub fn seeded(x: &Sparse, rank: usize, mut dice: impl FnMut() -> f64) -> Self {
        let places = x.rows() as f64 * x.columns() as f64;
        let sum: f64 = (0..x.rows()).flat_map(|row| x.row(row)).map(|(_, value)| f64::from(*value)).sum();
        let scale = if sum > 0.0 && rank > 0 { 2.0 * (sum / places / rank as f64).sqrt() } else { 0.0 };
        let mut factors = Self::zero(rank, x.rows(), x.columns());
        let width = factors.width;
        for row in factors.left.chunks_mut(width).chain(factors.right.chunks_mut(width)) {
            row.iter_mut().take(rank).for_each(|value| *value = F::of(scale * dice()));
        }
        factors
    }

    /// From given values: `left[row][k]` and `right[k][column]`.
    pub fn given(left: &[Vec<f64>], right: &[Vec<f64>]) -> Self {
        let columns = right.first().map_or(0, Vec::len);
        let mut factors = Self::zero(right.len(), left.len(), columns);
        for (row, values) in factors.left.chunks_mut(factors.width).zip(left) {
            row.iter_mut().zip(values).for_each(|(own, value)| *own = F::of(*value));
        }
        for (column, own) in factors.right.chunks_mut(factors.width).enumerate() {
            own.iter_mut().zip(right).for_each(|(own, values)| *own = F::of(values[column]));
        }
        factors
    }

    fn zero(rank: usize, rows: usize, columns: usize) -> Self {
        let width = rank.next_multiple_of(LANES).max(LANES);
        Factors {
            rank,
            width,
            left: vec![F::default(); rows * width],
            right: vec![F::default(); columns * width],
        }
    }

    /// A start for a matrix whose rows and columns come from these places, or are new. New ones begin at zero and are
    /// found by the first sweep.
    pub fn aligned(&self, rows: &[Option<usize>], columns: &[Option<usize>]) -> Self {
        let mut factors = Self::zero(self.rank, rows.len(), columns.len());
        let copy = |to: &mut [F], from: &[F], places: &[Option<usize>]| {
            for (own, place) in to.chunks_mut(self.width).zip(places) {
                if let Some(old) =
                    place.and_then(|place| from.get(place * self.width..(place + 1) * self.width))
                {
                    own.copy_from_slice(old);
                }
            }
        };
        copy(&mut factors.left, &self.left, rows);
        copy(&mut factors.right, &self.right, columns);
        factors
    }

    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How much a row belongs to each group.
    pub fn row(&self, row: usize) -> &[F] {
        &self.left[row * self.width..][..self.rank]
    }

    /// How much each group has of a column.
    pub fn column(&self, column: usize) -> &[F] {
        &self.right[column * self.width..][..self.rank]
    }

    /// Share of W and of H that is not zero; the paper calls it sparsity (Table 4.2).
    pub fn non_zeros(&self) -> (f64, f64) {
        let share = |values: &[F]| {
            let filled = values.iter().filter(|value| **value > F::default()).count();
            filled as f64 / (values.len() / self.width * self.rank).max(1) as f64
        };
        (share(&self.left), share(&self.right))
    }

    /// The row of somebody new, H as it is: what a new user needs until the next factorisation.
    pub fn fold_in(&self, entries: &[(u32, f32)], l1: f64, sweeps: usize) -> Vec<F> {
        let columns = self.right.len() / self.width;
        let x = Sparse::new(1, columns, entries.iter().map(|(column, value)| (0, *column, *value)));
        let gram = self.narrow(&gram(&self.right, self.width));
        let mut own = vec![F::default(); self.width];
        for _ in 0..sweeps {
            half(&x, &mut own, &self.right, &gram, self.rank, l1, 1);
        }
        own.truncate(self.rank);
        own
    }

    fn narrow(&self, gram: &[f64]) -> Vec<F> {
        gram.iter().map(|value| F::of(*value)).collect()
    }
}

/// Sweeps from `start` until they gain too little. An empty matrix has factors of zero and no residual.
pub fn factorise<F: Real>(x: &Sparse, start: Factors<F>, options: &NmfOptions) -> Fit<F> {
    let mut factors = start;
    let norm = x.norm();
    if x.is_empty() || factors.rank == 0 {
        let factors = Factors::zero(factors.rank, x.rows(), x.columns());
        return Fit { factors, residuals: vec![norm], converged: true };
    }
    let turned = x.transposed();
    let mut right_gram = gram(&factors.right, factors.width);
    let (mut residuals, mut converged) = (Vec::new(), false);
    while residuals.len() < options.sweeps_max && !converged {
        let solve = |x: &Sparse, own: &mut [F], other: &[F], gram: &[f64]| {
            let gram: Vec<F> = gram.iter().map(|value| F::of(*value)).collect();
            half(x, own, other, &gram, factors.rank, options.l1, options.threads)
        };
        let left = solve(x, &mut factors.left, &factors.right, &right_gram);
        let right = solve(&turned, &mut factors.right, &factors.left, &left.gram);
        right_gram = right.gram;
        // ‖X − WH‖² = ‖X‖² − 2⟨H, WᵀX⟩ + ⟨WᵀW, HHᵀ⟩, of what was computed anyway.
        let both: f64 = left.gram.iter().zip(&right_gram).map(|(one, other)| one * other).sum();
        let residual = (norm * norm - 2.0 * right.fit + both).max(0.0).sqrt();
        let before = residuals.last().copied().unwrap_or(f64::INFINITY);
        let gained = before - residual >= options.least_gain * before;
        converged = options.least_gain >= 0.0 && before.is_finite() && !gained;
        residuals.push(residual);
    }
    Fit { factors, residuals, converged }
}

struct Half {
    /// ⟨own, X·other⟩ with the new values.
    fit: f64,
    /// ownᵀ·own.
    gram: Vec<f64>,
}

/// One factor anew, the other fixed.
fn half<F: Real>(
    x: &Sparse,
    own: &mut [F],
    other: &[F],
    gram: &[F],
    rank: usize,
    l1: f64,
    threads: usize,
) -> Half {
    let width = rank.next_multiple_of(LANES).max(LANES);
    let other = Other::new(other, width);
    let solver = Solver { x, other: &other, gram, rank, width, l1: F::of(l1) };
    let mut parts: Vec<(usize, &mut [F])> = own.chunks_mut(PART_ROWS * width).enumerate().collect();
    let threads = threads.clamp(1, parts.len().max(1));
    let mut solved: Vec<(usize, Half)> = if threads == 1 {
        parts.into_iter().map(|(nth, part)| (nth, solver.part(nth, part))).collect()
    } else {
        let mut shares: Vec<Vec<(usize, &mut [F])>> = (0..threads).map(|_| Vec::new()).collect();
        parts.drain(..).for_each(|part| shares[part.0 % threads].push(part));
        std::thread::scope(|scope| {
            let solver = &solver;
            let running: Vec<_> = shares
                .into_iter()
                .map(|share| {
                    scope.spawn(move || {
                        share.into_iter().map(|(nth, part)| (nth, solver.part(nth, part))).collect::<Vec<_>>()
                    })
                })
                .collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<(usize, Half)>>| match thread.join() {
                Ok(solved) => solved,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            running.into_iter().flat_map(join).collect()
        })
    };
    solved.sort_by_key(|(nth, _)| *nth);
    let mut sum = Half { fit: 0.0, gram: vec![0.0; width * width] };
    for (_, part) in solved {
        sum.fit += part.fit;
        sum.gram.iter_mut().zip(part.gram).for_each(|(sum, value)| *sum += value);
    }
    sum
}

struct Solver<'a, F> {
    x: &'a Sparse,
    other: &'a Other<'a, F>,
    gram: &'a [F],
    rank: usize,
    width: usize,
    l1: F,
}

/// The factor that is fixed, by rows.
enum Other<'a, F> {
    Dense { values: &'a [F], width: usize },
    Sparse { starts: Vec<u32>, entries: Vec<(u32, F)> },
}

impl<'a, F: Real> Other<'a, F> {
    fn new(values: &'a [F], width: usize) -> Self {
        let filled = values.iter().filter(|value| **value > F::default()).count();
        if filled as f64 > SPARSE * values.len() as f64 || u32::try_from(filled).is_err() {
            return Other::Dense { values, width };
        }
        let (mut starts, mut entries) = (vec![0], Vec::with_capacity(filled));
        for row in values.chunks(width) {
            let own = (0u32..).zip(row.iter().copied()).filter(|(_, value)| *value > F::default());
            entries.extend(own);
            starts.push(entries.len() as u32);
        }
        Other::Sparse { starts, entries }
    }

    /// sums += X's row · this.
    fn add(&self, row: &[(u32, f32)], sums: &mut [F]) {
        match self {
            Other::Dense { values, width } => {
                for (column, value) in row {
                    let value = F::of(f64::from(*value));
                    let other = &values[*column as usize * width..][..*width];
                    sums.iter_mut().zip(other).for_each(|(sum, other)| *sum += value * *other);
                }
            }
            Other::Sparse { starts, entries } => {
                for some in row.chunks(AHEAD) {
                    // A glance at each first, so that memory fetches them side by side.
                    let mut glance = 0;
                    let places: [(u32, u32); AHEAD] = std::array::from_fn(|nth| {
                        let Some((column, _)) = some.get(nth) else { return (0, 0) };
                        let place = (starts[*column as usize], starts[*column as usize + 1]);
                        glance ^= entries.get(place.0 as usize).map_or(0, |entry| entry.0);
                        place
                    });
                    std::hint::black_box(glance);
                    for ((_, value), (start, end)) in some.iter().zip(places) {
                        let value = F::of(f64::from(*value));
                        let own = &entries[start as usize..end as usize];
                        own.iter().for_each(|(k, other)| sums[*k as usize] += value * *other);
                    }
                }
            }
        }
    }
}

impl<F: Real> Solver<'_, F> {
    fn part(&self, nth: usize, own: &mut [F]) -> Half {
        let width = self.width;
        let mut fit = 0.0;
        let mut gram = vec![F::default(); width * width];
        let mut row = vec![F::default(); width];
        let mut filled = Vec::with_capacity(width);
        let mut wanted = vec![[F::default(); LANES]; self.rank];
        let mut values = vec![[F::default(); LANES]; self.rank];
        for (block, rows) in own.chunks_mut(LANES * width).enumerate() {
            let first = nth * PART_ROWS + block * LANES;
            for (lane, own) in rows.chunks(width).enumerate() {
                row.fill(F::default());
                self.other.add(self.x.row(first + lane), &mut row);
                for k in 0..self.rank {
                    wanted[k][lane] = row[k];
                    values[k][lane] = own[k];
                }
            }
            self.solve(&wanted, &mut values);
            for (lane, own) in rows.chunks_mut(width).enumerate() {
                let mut row_fit = F::default();
                for k in 0..self.rank {
                    own[k] = values[k][lane];
                    row_fit += values[k][lane] * wanted[k][lane];
                }
                fit += row_fit.wide();
                add_outer(&mut gram, own, &mut filled);
            }
        }
        Half { fit, gram: mirrored(&gram, width) }
    }

    /// w_k = max(0, w_k + (a_k − L1 − Σ_j b_kj·w_j) / b_kk), k ascending, for all lanes at once.
    fn solve(&self, wanted: &[[F; LANES]], values: &mut [[F; LANES]]) {
        let least = F::of(LEAST);
        for k in 0..self.rank {
            let gram = &self.gram[k * self.width..][..self.rank];
            let own = gram[k];
            if own <= least {
                values[k] = [F::default(); LANES];
                continue;
            }
            // A local array: through the slice the compiler stays with single numbers.
            let mut sum = [F::default(); LANES];
            for (weight, other) in gram.iter().zip(values.iter()) {
                let other = *other;
                for lane in 0..LANES {
                    sum[lane] += *weight * other[lane];
                }
            }
            for lane in 0..LANES {
                let value = values[k][lane] + (wanted[k][lane] - self.l1 - sum[lane]) / own;
                values[k][lane] = if value > least { value } else { F::default() };
            }
        }
    }
}

/// gram += row·rowᵀ, the upper half of it. Rows are mostly zero; `filled` is room for what is not.
fn add_outer<F: Real>(gram: &mut [F], row: &[F], filled: &mut Vec<(usize, F)>) {
    filled.clear();
    filled.extend(row.iter().copied().enumerate().filter(|(_, value)| *value > F::default()));
    for (nth, (k, value)) in filled.iter().enumerate() {
        let sums = &mut gram[k * row.len()..][..row.len()];
        filled[nth..].iter().for_each(|(j, other)| sums[*j] += *value * *other);
    }
}

/// Both halves of a matrix of which the upper one is known.
fn mirrored<F: Real>(upper: &[F], width: usize) -> Vec<f64> {
    let at = |k: usize, j: usize| upper[k.min(j) * width + k.max(j)].wide();
    (0..width * width).map(|place| at(place / width, place % width)).collect()
}

fn gram<F: Real>(rows: &[F], width: usize) -> Vec<f64> {
    let (mut sum, mut filled) = (vec![0.0; width * width], Vec::with_capacity(width));
    for part in rows.chunks(PART_ROWS * width) {
        let mut upper = vec![F::default(); width * width];
        part.chunks(width).for_each(|row| add_outer(&mut upper, row, &mut filled));
        sum.iter_mut().zip(mirrored(&upper, width)).for_each(|(sum, value)| *sum += value);
    }
    sum
}

#[cfg(test)]
mod tests;
