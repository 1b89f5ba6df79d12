//! Zero eigenvalues, taken out before all others: those of bodies that move freely, of coordinates that nothing depends on.
//!
//! Each free motion has the eigenvalue zero twice in one Jordan block, x' = v and v' = 0, longer blocks where a free turn steers a force. An eigenvalue in a block of k is known to
//! ε^{1/k} only: computed like others, zeros would look like slow oscillations. So they are taken out by null spaces [golub1976],
//!
//! ```text
//!   (S1)  A = U Σ Vᵀ,   V = [V₀ V₁],  V₀: singular values below the tolerance
//!   (S2)  Vᵀ A V = [0 V₀ᵀAV₁; 0 V₁ᵀAV₁]           and the same again with V₁ᵀAV₁, until nothing is zero
//!   (S3)  A₁ z = λ z:   x = V₁ z + V₀ V₀ᵀA V₁ z / λ    the eigenvector one step up
//! ```
//!
//! each step being orthogonal. As many zeros are found as the blocks are long, exactly.

use faer::{Mat, c64};

/// Singular values below this part of the largest are zero: differences are known to 1e-11 or so.
pub const ZERO: f64 = 1e-9;
/// The same with beams, whose bending is as much slower than their stretching: smooth stiff forces are known better, to nearly all digits.
pub const ZERO_WITH_BEAMS: f64 = 4e-15;

/// A step of (S2).
struct Step {
    v0: Mat<f64>,
    v1: Mat<f64>,
    /// V₀ᵀ A V₁
    coupling: Mat<f64>,
}

/// A matrix without its zero eigenvalues.
pub struct Staircase {
    steps: Vec<Step>,
    /// What is left: its eigenvalues are those that are not zero.
    pub rest: Mat<f64>,
}

impl Staircase {
    /// Takes the zeros out, singular values below a part of the largest; `None` if these cannot be found.
    pub fn new(a: &Mat<f64>, part: f64) -> Option<Self> {
        let mut steps = Vec::new();
        let mut rest = a.clone();
        let mut zero = None;
        while rest.nrows() > 0 {
            let n = rest.nrows();
            let found = rest.svd().ok()?;
            let (values, v) = (found.S().column_vector(), found.V());
            let tolerance = *zero.get_or_insert(part * values[0]);
            let rank = (0..n).filter(|&i| values[i] > tolerance).count();
            if rank == n {
                break;
            }
            let v1 = v.subcols(0, rank).to_owned();
            let v0 = v.subcols(rank, n - rank).to_owned();
            let along = &rest * &v1;
            let coupling = v0.transpose() * &along;
            rest = v1.transpose() * &along;
            steps.push(Step { v0, v1, coupling });
        }
        Some(Staircase { steps, rest })
    }

    /// How many eigenvalues are zero.
    pub fn zeros(&self) -> usize {
        self.steps.iter().map(|step| step.v0.ncols()).sum()
    }

    /// The eigenvectors of zero, each with few entries: a basis of the null space that has ones at pivots.
    pub fn null_space(&self) -> Vec<Vec<f64>> {
        let Some(step) = self.steps.first() else { return Vec::new() };
        let (n, k) = (step.v0.nrows(), step.v0.ncols());
        let mut columns: Vec<Vec<f64>> = (0..k).map(|j| (0..n).map(|i| step.v0[(i, j)]).collect()).collect();
        for j in 0..k {
            // the largest entry left, in this column or one behind it
            let places = (j..k).flat_map(|c| (0..n).map(move |i| (c, i)));
            let (c, pivot) = places.fold((j, 0), |best, at| {
                let larger = columns[at.0][at.1].abs() > columns[best.0][best.1].abs() * (1.0 + 1e-9);
                if larger { at } else { best }
            });
            columns.swap(j, c);
            let lead = columns[j][pivot];
            columns[j].iter_mut().for_each(|x| *x /= lead);
            let unit = columns[j].clone();
            for (other, column) in columns.iter_mut().enumerate() {
                if other != j {
                    let by = column[pivot];
                    column.iter_mut().zip(&unit).for_each(|(x, u)| *x -= by * u);
                }
            }
        }
        columns.iter_mut().flatten().for_each(|x| {
            if x.abs() < 1e-9 {
                *x = 0.0;
            }
        });
        columns
    }

    /// (S3) from what is left up to the whole.
    pub fn whole(&self, eigenvalue: c64, vector: Vec<c64>) -> Vec<c64> {
        let mut z = vector;
        for step in self.steps.iter().rev() {
            let times = |m: &Mat<f64>, z: &[c64]| -> Vec<c64> {
                (0..m.nrows()).map(|i| z.iter().enumerate().map(|(k, z)| *z * m[(i, k)]).sum()).collect()
            };
            let over = |w: c64| if eigenvalue.norm() > 0.0 { w / eigenvalue } else { c64::new(0.0, 0.0) };
            let w: Vec<c64> = times(&step.coupling, &z).into_iter().map(over).collect();
            let (up, free) = (times(&step.v1, &z), times(&step.v0, &w));
            z = up.into_iter().zip(free).map(|(a, b)| a + b).collect();
        }
        z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::from_rows;

    /// A chain of four integrators, as of a body that a free turn accelerates, beside an oscillator that feeds it: four zeros in one block, two eigenvalues ±2i.
    #[test]
    fn exact_zeros_of_a_long_block() {
        let mut a = vec![0.0; 36];
        for i in 0..3 {
            a[i * 6 + i + 1] = 1.0;
        }
        a[3 * 6 + 4] = 0.7;
        a[4 * 6 + 5] = 2.0;
        a[5 * 6 + 4] = -2.0;
        // in other coordinates, so that no zero is written there
        let turn = from_rows(6, 6, &a);
        let other = Mat::from_fn(6, 6, |i, k| if i == k { 2.0 } else { ((3 * i + 5 * k) as f64).sin() });
        let inverse = {
            use faer::linalg::solvers::Solve;
            other.partial_piv_lu().solve(Mat::<f64>::identity(6, 6))
        };
        let a = &other * turn * inverse;
        let stairs = Staircase::new(&a, ZERO).expect("singular values");
        assert_eq!((stairs.zeros(), stairs.null_space().len()), (4, 1));
        let found = stairs.rest.eigen().expect("eigenvalues");
        let lambda = found.S().column_vector()[0];
        assert!(lambda.re.abs() < 1e-12 && (lambda.im.abs() - 2.0).abs() < 1e-12);
        let z = (0..2).map(|i| found.U()[(i, 0)]).collect();
        let x = stairs.whole(lambda, z);
        for i in 0..6 {
            let ax: c64 = (0..6).map(|k| x[k] * a[(i, k)]).sum();
            assert!((ax - x[i] * lambda).norm() < 1e-12);
        }
    }
}
