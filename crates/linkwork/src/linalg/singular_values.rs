//! Singular values of a dense matrix, with bases of its row space and of its null space.
//!
//! One-sided Jacobi rotations (\[golub2013\] section 8.6.3) turn pairs of columns of A until all are at right angles:
//!
//! ```text
//!   (1)  A V = U S           V: all rotations together; columns of U S at right angles, longest first
//!   (2)  A⁺ b = Σ v_i (u_i·b) / s_i          over the s_i above a part of the largest
//!   (3)  null space: the v_i of the others
//! ```
//!
//! Small singular values are as accurate as the columns are known, which those of AᵀA are not.

/// Columns at right angles up to this are left alone.
const ORTHOGONAL: f64 = 1e-15;
/// Sweeps over all pairs; ten are plenty for what doubles can tell apart.
const MAX_SWEEPS: usize = 40;

/// (1) of a matrix with `height` rows and `width` columns.
#[derive(Clone, Debug, Default)]
pub struct SingularValues {
    height: usize,
    width: usize,
    /// Columns of U S, each of length `height`, in the order of `values`.
    left: Vec<f64>,
    /// Columns of V.
    right: Vec<f64>,
    /// Longest first; as many as there are columns, those beyond the number of rows are zero.
    pub values: Vec<f64>,
}

impl SingularValues {
    /// Decomposes a matrix given row by row. A matrix with a number in it that is not finite has singular values that are not.
    pub fn new(rows: &[f64], width: usize) -> Self {
        let height = rows.len().checked_div(width).unwrap_or(0);
        let mut left: Vec<f64> =
            (0..width).flat_map(|c| (0..height).map(move |r| rows[r * width + c])).collect();
        let mut right = vec![0.0; width * width];
        (0..width).for_each(|c| right[c * width + c] = 1.0);
        if rows.iter().all(|x| x.is_finite()) {
            for _ in 0..MAX_SWEEPS {
                if !sweep(&mut left, height, &mut right, width) {
                    break;
                }
            }
        }
        let length = |c: usize| left[c * height..(c + 1) * height].iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut order: Vec<(f64, usize)> = (0..width).map(|c| (length(c), c)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let sorted = |list: &[f64], n: usize| -> Vec<f64> {
            order.iter().flat_map(|&(_, c)| list[c * n..(c + 1) * n].iter().copied()).collect()
        };
        SingularValues {
            height,
            width,
            left: sorted(&left, height),
            right: sorted(&right, width),
            values: order.iter().map(|x| x.0).collect(),
        }
    }

    /// How many singular values are above a part of the largest.
    pub fn rank(&self, part: f64) -> usize {
        let least = part * self.values.first().copied().unwrap_or(0.0);
        self.values.iter().take(self.height).filter(|s| **s > least && **s > 0.0).count()
    }

    /// A column of V: a direction of the unknowns.
    pub fn direction(&self, i: usize) -> &[f64] {
        &self.right[i * self.width..(i + 1) * self.width]
    }

    /// (3), for a rank.
    pub fn null_space(&self, rank: usize) -> Vec<Vec<f64>> {
        (rank..self.width).map(|i| self.direction(i).to_vec()).collect()
    }

    /// u_i·b s_i: a component of b along the image of a direction.
    pub fn seen(&self, i: usize, b: &[f64]) -> f64 {
        self.left[i * self.height..(i + 1) * self.height].iter().zip(b).map(|(l, b)| l * b).sum()
    }

    /// (2) with damping: Σ v_i s_i (u_i·b) / (s_i² + (part s_0)²), the shortest of nearly all answers.
    pub fn damped(&self, b: &[f64], part: f64) -> Vec<f64> {
        let mut x = vec![0.0; self.width];
        let Some(&first) = self.values.first() else { return x };
        for i in 0..self.width.min(self.height) {
            let s = self.values[i];
            let square = s * s + (part * first) * (part * first);
            if square > 0.0 {
                let factor = self.seen(i, b) / square;
                x.iter_mut().zip(self.direction(i)).for_each(|(x, v)| *x += factor * v);
            }
        }
        x
    }
}

/// Rotates all pairs of columns once; whether any was not at right angles.
fn sweep(left: &mut [f64], height: usize, right: &mut [f64], width: usize) -> bool {
    let mut turned = false;
    for i in 0..width {
        for j in i + 1..width {
            let (low, high) = left.split_at_mut(j * height);
            let (a, b) = (&mut low[i * height..(i + 1) * height], &mut high[..height]);
            let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
            for (x, y) in a.iter().zip(b.iter()) {
                aa += x * x;
                bb += y * y;
                ab += x * y;
            }
            if ab == 0.0 || ab.abs() <= ORTHOGONAL * (aa * bb).sqrt() {
                continue;
            }
            turned = true;
            let zeta = (bb - aa) / (2.0 * ab);
            let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            rotate(a, b, c, c * t);
            let (low, high) = right.split_at_mut(j * width);
            rotate(&mut low[i * width..(i + 1) * width], &mut high[..width], c, c * t);
        }
    }
    turned
}

fn rotate(a: &mut [f64], b: &mut [f64], c: f64, s: f64) {
    for (x, y) in a.iter_mut().zip(b) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix with singular values 3 and 1, and a third column that is the sum of the others turned: rank 2.
    #[test]
    fn exact_rank_null_space_and_answer() {
        let rows = [2.0, 1.0, 3.0, 1.0, 2.0, 3.0];
        let found = SingularValues::new(&rows, 3);
        // AAᵀ = [14 13; 13 14] has the eigenvalues 27 and 1
        assert!((found.values[0] - 27f64.sqrt()).abs() < 1e-14 && (found.values[1] - 1.0).abs() < 1e-14);
        assert_eq!(found.rank(1e-10), 2);
        let null = &found.null_space(2)[0];
        for row in rows.chunks(3) {
            assert!(row.iter().zip(null).map(|(a, x)| a * x).sum::<f64>().abs() < 1e-14);
        }
        let x = found.damped(&[1.0, 2.0], 0.0);
        for (row, b) in rows.chunks(3).zip([1.0, 2.0]) {
            assert!((row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>() - b).abs() < 1e-13);
        }
        assert!(x.iter().zip(null).map(|(x, n)| x * n).sum::<f64>().abs() < 1e-14, "the shortest");
        assert_eq!(SingularValues::new(&[], 2).rank(1e-10), 0);
        assert_eq!(SingularValues::new(&[0.0; 4], 2).rank(1e-10), 0);
    }
}
