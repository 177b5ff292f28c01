//! Row minima of a Monge matrix by divide and conquer: the one inner loop of all planning.
//!
//! An entry is `base[c] − slope[c]·x + bend[c]·y` with (x, y) belonging to the row, which is what the bilinear costs of
//! [`cost`](crate::cost) become once everything that depends on the column alone is in `base`. The argmin is
//! non-decreasing in the row (`scheduling.md` §2.1); each row has a window of columns whose both ends are non-decreasing
//! too (least and most interval), which keeps that true.

/// The matrix. Columns are absolute indices into `slope` and `bend`; `base` starts at column `from`.
pub(crate) struct Matrix<'a> {
    pub(crate) base: &'a [f64],
    pub(crate) from: usize,
    pub(crate) slope: &'a [f64],
    pub(crate) bend: &'a [f64],
    /// False when every bend is zero; then they are not read.
    pub(crate) bends: bool,
    pub(crate) x: &'a [f64],
    pub(crate) y: &'a [f64],
}

/// Where the columns of a row lie: `row + least ..= row + most` or `row − most ..= row − least`.
#[derive(Clone, Copy)]
pub(crate) enum Window {
    After { least: usize, most: usize },
    Before { least: usize, most: usize },
}

impl Window {
    fn of(self, row: usize) -> (usize, usize) {
        match self {
            Window::After { least, most } => (row.saturating_add(least), row.saturating_add(most)),
            Window::Before { least, most } => (row.saturating_sub(most), row.saturating_sub(least)),
        }
    }
}

const LANES: usize = 4;

/// Ends of a range, both included.
pub(crate) type Span = (usize, usize);

impl Matrix<'_> {
    /// Calls `found(row, column, value)` once for every row, in no particular order. The window of every row must meet
    /// `columns`.
    pub(crate) fn minima(
        &self,
        rows: Span,
        columns: Span,
        window: Window,
        found: &mut impl FnMut(usize, usize, f64),
    ) {
        if self.bends {
            self.halve::<true>(rows, columns, window, found);
        } else {
            self.halve::<false>(rows, columns, window, found);
        }
    }

    fn halve<const BENDS: bool>(
        &self,
        mut rows: Span,
        mut columns: Span,
        window: Window,
        found: &mut impl FnMut(usize, usize, f64),
    ) {
        // One recursion per level; the other half goes round the loop.
        while rows.0 <= rows.1 {
            let middle = rows.0 + (rows.1 - rows.0) / 2;
            let (first, last) = window.of(middle);
            let (first, last) = (first.max(columns.0), last.min(columns.1));
            let (best, value) = self.scan::<BENDS>(middle, first, last);
            found(middle, best, value);
            if middle > rows.0 {
                self.halve::<BENDS>((rows.0, middle - 1), (columns.0, best), window, found);
            }
            rows.0 = middle + 1;
            columns.0 = best;
        }
    }

    fn scan<const BENDS: bool>(&self, row: usize, first: usize, last: usize) -> (usize, f64) {
        let (x, y) = (self.x[row], if BENDS { self.y[row] } else { 0.0 });
        let end = last.max(first) + 1;
        let base = &self.base[first - self.from..end - self.from];
        let slope = &self.slope[first..end];
        let bend = if BENDS { &self.bend[first..end] } else { slope };
        let entry = |at: usize| base[at] - slope[at] * x + if BENDS { bend[at] * y } else { 0.0 };
        let length = base.len();
        let mut best = (0, f64::INFINITY);
        let mut at = 0;
        if length >= 2 * LANES {
            // Lanes have minima of their own: no step waits for the one before.
            let (mut values, mut places) = ([f64::INFINITY; LANES], [0; LANES]);
            while at + LANES <= length {
                for lane in 0..LANES {
                    let value = entry(at + lane);
                    let better = value < values[lane];
                    values[lane] = if better { value } else { values[lane] };
                    places[lane] = if better { at } else { places[lane] };
                }
                at += LANES;
            }
            for lane in 0..LANES {
                let place = places[lane] + lane;
                if values[lane] < best.1 || (values[lane] == best.1 && place < best.0) {
                    best = (place, values[lane]);
                }
            }
        }
        while at < length {
            let value = entry(at);
            if value < best.1 {
                best = (at, value);
            }
            at += 1;
        }
        (first + best.0, best.1)
    }
}
