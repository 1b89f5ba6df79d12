//! The stages of Dormand–Prince 8(5,3) as one table, for who goes over them in the other direction.
//!
//! With the stages Y_i = y + h Σ_j a_ij f(Y_j) and y⁺ = y + h Σ_i b_i f(Y_i), and ȳ⁺ what y⁺ weighs,
//!
//!   (T1)  k̄_i = h (b_i ȳ⁺ + Σ_{j>i} a_ji Ȳ_j),   Ȳ_i = f_yᵀ(Y_i) k̄_i,   ȳ = ȳ⁺ + Σ_i Ȳ_i          i = 12, …, 1
//!
//! is the transpose of the step to first order.

use super::System;
use super::dop853_coefficients::*;

/// How many stages a step has.
pub(crate) const STAGES: usize = 12;

/// a, b and c.
#[derive(Clone, Debug)]
pub(crate) struct Tableau {
    pub a: [[f64; STAGES]; STAGES],
    pub b: [f64; STAGES],
    pub c: [f64; STAGES],
}

impl Tableau {
    /// That of `dop853`.
    pub fn dop853() -> Self {
        let mut tableau = Tableau { a: [[0.0; STAGES]; STAGES], b: [0.0; STAGES], c: [0.0; STAGES] };
        tableau.c.copy_from_slice(&C[..STAGES]);
        // k₁, then k₄ and those behind it, but for the first stages
        let rows: [&[f64]; STAGES - 1] = [&A2, &A3, &A4, &A5, &A6, &A7, &A8, &A9, &A10, &A11, &A12];
        for (i, row) in rows.into_iter().enumerate() {
            let stages: Vec<usize> = match i {
                0 => vec![0],
                1 => vec![0, 1],
                2 => vec![0, 2],
                3 => vec![0, 2, 3],
                _ => std::iter::once(0).chain(3..=i).collect(),
            };
            stages.into_iter().zip(row).for_each(|(j, a)| tableau.a[i + 1][j] = *a);
        }
        tableau.b[0] = B[0];
        tableau.b[5..].copy_from_slice(&B[1..]);
        tableau
    }

    /// A step of a given size, and its stages one after the other.
    pub fn step<S: System>(
        &self,
        system: &mut S,
        t: f64,
        y: &mut [f64],
        h: f64,
        stages: &mut [f64],
        k: &mut Vec<f64>,
    ) -> Result<(), S::Error> {
        let n = y.len();
        k.resize(STAGES * n, 0.0);
        for (i, stage) in stages.chunks_exact_mut(n).enumerate() {
            for (c, stage) in stage.iter_mut().enumerate() {
                let sum: f64 = (0..i).map(|j| self.a[i][j] * k[j * n + c]).sum();
                *stage = y[c] + h * sum;
            }
            system.derivative(t + self.c[i] * h, stage, &mut k[i * n..(i + 1) * n])?;
        }
        for (c, y) in y.iter_mut().enumerate() {
            let sum: f64 = (0..STAGES).map(|i| self.b[i] * k[i * n + c]).sum();
            *y += h * sum;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// c_i = Σ_j a_ij, and Σ b_i c_iᵏ⁻¹ = 1/k up to the order.
    #[test]
    fn exact_conditions_of_the_table() {
        let tableau = Tableau::dop853();
        for i in 0..STAGES {
            let sum: f64 = tableau.a[i].iter().sum();
            assert!((sum - tableau.c[i]).abs() < 1e-14 * 1e2, "{i}: {sum} {}", tableau.c[i]);
        }
        for k in 1..=8_i32 {
            let sum: f64 = tableau.b.iter().zip(&tableau.c).map(|(b, c)| b * c.powi(k - 1)).sum();
            assert!((sum - 1.0 / f64::from(k)).abs() < 1e-14, "{k}: {sum}");
        }
    }
}
