//! Matrices that are mostly zero, by rows.

/// Entries are above zero and finite: what else is given is left out, because a subscription is there or it is not.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    columns: usize,
    /// Where rows begin, and the end of the last.
    starts: Vec<usize>,
    /// Column and value, ascending within a row.
    entries: Vec<(u32, f32)>,
}

impl Sparse {
    /// Of several entries for one place the last counts; those outside are left out.
    pub fn new(rows: usize, columns: usize, entries: impl IntoIterator<Item = (u32, u32, f32)>) -> Self {
        let inside = |entry: &(u32, u32, f32)| {
            (entry.0 as usize) < rows && (entry.1 as usize) < columns && entry.2 > 0.0 && entry.2.is_finite()
        };
        let mut all: Vec<(u32, u32, f32)> = entries.into_iter().filter(inside).collect();
        all.sort_by_key(|(row, column, _)| (*row, *column));
        let mut starts = vec![0; rows + 1];
        let mut kept: Vec<(u32, f32)> = Vec::with_capacity(all.len());
        let mut before = None;
        for (row, column, value) in all {
            if before.replace((row, column)) == Some((row, column)) {
                kept.pop();
            } else {
                starts[row as usize + 1] += 1;
            }
            kept.push((column, value));
        }
        (0..rows).for_each(|row| starts[row + 1] += starts[row]);
        Sparse { columns, starts, entries: kept }
    }

    /// The same from whole rows, which need not be held together. Columns outside are left out.
    pub fn of_rows(columns: usize, rows: impl IntoIterator<Item = Vec<(u32, f32)>>) -> Self {
        let (mut starts, mut entries) = (vec![0], Vec::new());
        for mut row in rows {
            row.retain(|entry| (entry.0 as usize) < columns && entry.1 > 0.0 && entry.1.is_finite());
            row.sort_by_key(|(column, _)| *column);
            row.dedup_by_key(|(column, _)| *column);
            entries.extend(row);
            starts.push(entries.len());
        }
        Sparse { columns, starts, entries }
    }

    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many entries are not zero.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn row(&self, row: usize) -> &[(u32, f32)] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }

    pub fn transposed(&self) -> Self {
        let mut starts = vec![0; self.columns + 1];
        self.entries.iter().for_each(|(column, _)| starts[*column as usize + 1] += 1);
        (0..self.columns).for_each(|column| starts[column + 1] += starts[column]);
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); self.entries.len()];
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                let place = &mut next[*column as usize];
                entries[*place] = (row as u32, *value);
                *place += 1;
            }
        }
        Sparse { columns: self.rows(), starts, entries }
    }

    /// Frobenius.
    pub fn norm(&self) -> f64 {
        self.entries.iter().map(|(_, value)| f64::from(*value).powi(2)).sum::<f64>().sqrt()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_entry_is_left_out_and_of_two_the_last_counts() {
        let entries =
            [(0, 1, 2.0), (1, 0, f32::NAN), (1, 1, -1.0), (5, 0, 1.0), (0, 9, 1.0), (0, 1, 3.0), (2, 0, 4.0)];
        let matrix = Sparse::new(3, 2, entries);
        assert_eq!((matrix.rows(), matrix.columns(), matrix.len()), (3, 2, 2));
        assert_eq!(matrix.row(0), [(1, 3.0)]);
        assert!(matrix.row(1).is_empty());
        assert!((matrix.norm() - 5.0).abs() < 1e-12);
        let turned = matrix.transposed();
        assert_eq!((turned.rows(), turned.columns()), (2, 3));
        assert_eq!((turned.row(0), turned.row(1)), ([(2, 4.0)].as_slice(), [(0, 3.0)].as_slice()));
        assert_eq!(turned.transposed(), matrix);
        let rows = [vec![(1, 3.0), (9, 1.0)], vec![(0, f32::NAN)], vec![(0, 4.0), (0, 5.0)]];
        assert_eq!(Sparse::of_rows(2, rows), matrix);
    }
}
