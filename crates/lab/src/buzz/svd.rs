//! Singular values of a sparse matrix by subspace iteration: what the best approximation of a rank leaves (Table 4.2).

use crate::dice::Dice;
use learn::Sparse;

/// Directions beyond those asked for, and rounds; more of either change the residuals by less than a hundredth of a percent.
const SPARE: usize = 30;
const ROUNDS: usize = 8;

/// The largest singular values, largest first.
pub(crate) fn singular_values(x: &Sparse, count: usize, seed: u64) -> Vec<f64> {
    let width = (count + SPARE).min(x.rows()).min(x.columns());
    if width == 0 {
        return Vec::new();
    }
    let turned = x.transposed();
    let mut dice = Dice::new(seed);
    let mut right: Vec<f32> = (0..x.columns() * width).map(|_| (dice.unit() - 0.5) as f32).collect();
    let mut squares = Vec::new();
    for _ in 0..ROUNDS {
        let mut left = product(x, &right, width);
        orthonormal(&mut left, width);
        right = product(&turned, &left, width);
        squares = eigenvalues(gram(&right, width), width);
        orthonormal(&mut right, width);
    }
    squares.into_iter().take(count).map(|square| square.max(0.0).sqrt()).collect()
}

/// ‖X − X_r‖ of the best X_r of each rank, from the singular values.
pub(crate) fn residual(x: &Sparse, values: &[f64], rank: usize) -> f64 {
    let kept: f64 = values.iter().take(rank).map(|value| value * value).sum();
    (x.norm().powi(2) - kept).max(0.0).sqrt()
}

fn product(x: &Sparse, dense: &[f32], width: usize) -> Vec<f32> {
    let mut out = vec![0f32; x.rows() * width];
    for (row, sums) in out.chunks_mut(width).enumerate() {
        for (column, value) in x.row(row) {
            let other = &dense[*column as usize * width..][..width];
            sums.iter_mut().zip(other).for_each(|(sum, other)| *sum += value * other);
        }
    }
    out
}

fn gram(rows: &[f32], width: usize) -> Vec<f64> {
    let mut sum = vec![0f64; width * width];
    let mut part = vec![0f32; width * width];
    for block in rows.chunks(512 * width) {
        part.fill(0.0);
        for row in block.chunks(width) {
            for (value, sums) in row.iter().zip(part.chunks_mut(width)) {
                sums.iter_mut().zip(row).for_each(|(sum, other)| *sum += value * other);
            }
        }
        sum.iter_mut().zip(&part).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    sum
}

/// Columns made orthonormal by Cholesky of their Gram matrix, twice because once loses digits. A direction that is a
/// combination of the others becomes zero.
fn orthonormal(rows: &mut [f32], width: usize) {
    for _ in 0..2 {
        let gram = gram(rows, width);
        let scale = (0..width).map(|k| gram[k * width + k]).fold(0.0, f64::max);
        let mut lower = vec![0f64; width * width];
        for i in 0..width {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| lower[i * width + k] * lower[j * width + k]).sum();
                let rest = gram[i * width + j] - sum;
                lower[i * width + j] = if i != j {
                    if lower[j * width + j] > 0.0 { rest / lower[j * width + j] } else { 0.0 }
                } else if rest > 1e-10 * scale {
                    rest.sqrt()
                } else {
                    0.0
                };
            }
        }
        for row in rows.chunks_mut(width) {
            for i in 0..width {
                let sum: f64 = (0..i).map(|k| lower[i * width + k] * f64::from(row[k])).sum();
                let own = lower[i * width + i];
                row[i] = if own > 0.0 { ((f64::from(row[i]) - sum) / own) as f32 } else { 0.0 };
            }
        }
    }
}

/// Of a symmetric matrix, largest first, by Jacobi rotations.
fn eigenvalues(mut a: Vec<f64>, width: usize) -> Vec<f64> {
    let norm: f64 = a.iter().map(|value| value * value).sum::<f64>().sqrt();
    for _ in 0..30 {
        let mut off = 0.0;
        for p in 0..width {
            for q in p + 1..width {
                let beside = a[p * width + q];
                off += beside * beside;
                if beside.abs() <= 1e-14 * norm {
                    continue;
                }
                let theta = (a[q * width + q] - a[p * width + p]) / (2.0 * beside);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..width {
                    let (one, other) = (a[k * width + p], a[k * width + q]);
                    a[k * width + p] = c * one - s * other;
                    a[k * width + q] = s * one + c * other;
                }
                for k in 0..width {
                    let (one, other) = (a[p * width + k], a[q * width + k]);
                    a[p * width + k] = c * one - s * other;
                    a[q * width + k] = s * one + c * other;
                }
            }
        }
        if off.sqrt() <= 1e-10 * norm {
            break;
        }
    }
    let mut values: Vec<f64> = (0..width).map(|k| a[k * width + k]).collect();
    values.sort_by(|one, other| other.total_cmp(one));
    values
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    /// Example 5: reference 2.5.
    #[test]
    fn example_5_has_rank_two() {
        let rows = [[0.8, 0.8, 0.0, 0.0], [0.2, 0.2, 0.6, 0.6], [0.0, 0.0, 0.5, 0.5]];
        let rows = rows.iter().map(|row| (0u32..).zip(row.iter().copied()).collect::<Vec<(u32, f32)>>());
        let x = Sparse::of_rows(4, rows);
        let values = singular_values(&x, 3, 1);
        assert!((values[0] - 1.240967).abs() < 1e-5 && (values[1] - 1.019804).abs() < 1e-5, "{values:?}");
        assert!(values[2] < 1e-3);
        assert!((residual(&x, &values, 1) - 1.019804).abs() < 1e-5);
        assert!(singular_values(&Sparse::of_rows(0, []), 3, 1).is_empty());
    }
}
