//! GMRES for T z = b with a T that can only be applied ([saad1986]).
//!
//! ```text
//!   (G1)  T V_k = V_{k+1} H_k,   V orthonormal, v_1 = b/|b|      Arnoldi, modified Gram–Schmidt
//!   (G2)  z = V_k c,   |b − T z| = | |b| e_1 − H_k c | smallest     by Givens rotations, one per column
//! ```
//!
//! No restart: [`BASIS`] vectors are the most. After so many directions, or where they are all there are, z is what they give.

/// The most directions.
const BASIS: usize = 200;
/// Ends when the residual is this part of b.
const REDUCTION: f64 = 1e-6;

#[derive(Clone, Debug, Default)]
pub(super) struct Krylov {
    /// V, one vector after the other.
    basis: Vec<f64>,
    /// Columns of H, made triangular.
    h: Vec<f64>,
    turns: Vec<(f64, f64)>,
    right: Vec<f64>,
}

impl Krylov {
    /// z with T z ≈ b; `apply(x, out)` writes T x.
    pub(super) fn solve(&mut self, b: &[f64], z: &mut [f64], mut apply: impl FnMut(&[f64], &mut [f64])) {
        let n = b.len();
        let most = BASIS.min(n);
        self.basis.resize((most + 1) * n, 0.0);
        self.h.resize((most + 1) * most, 0.0);
        self.turns.resize(most, (1.0, 0.0));
        self.right.resize(most + 1, 0.0);
        z.fill(0.0);
        let size = norm(b);
        if size == 0.0 || !size.is_finite() {
            return;
        }
        for (v, b) in self.basis.iter_mut().zip(b) {
            *v = b / size;
        }
        self.right.fill(0.0);
        self.right[0] = size;
        let mut used = 0;
        for k in 0..most {
            let (old, new) = self.basis.split_at_mut((k + 1) * n);
            let new = &mut new[..n];
            apply(&old[k * n..], new);
            let column = &mut self.h[k * (most + 1)..(k + 1) * (most + 1)];
            let before = norm(new);
            for (v, h) in old.chunks_exact(n).zip(column.iter_mut()) {
                *h = v.iter().zip(&*new).map(|(v, w)| v * w).sum();
                for (w, v) in new.iter_mut().zip(v) {
                    *w -= *h * v;
                }
            }
            let next = norm(new);
            for (i, &(c, s)) in self.turns[..k].iter().enumerate() {
                let (a, b) = (column[i], column[i + 1]);
                (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
            }
            let (a, r) = (column[k], column[k].hypot(next));
            if r <= 1e-14 * before || !r.is_finite() {
                break; // T gives nothing new in this direction
            }
            let (c, s) = (a / r, next / r);
            self.turns[k] = (c, s);
            column[k] = r;
            self.right[k + 1] = -s * self.right[k];
            self.right[k] *= c;
            used = k + 1;
            if self.right[k + 1].abs() <= REDUCTION * size || next <= 1e-14 * before {
                break;
            }
            for w in new.iter_mut() {
                *w /= next;
            }
        }
        for k in (0..used).rev() {
            let column = &self.h[k * (most + 1)..];
            let c = self.right[k] / column[k];
            for i in 0..k {
                self.right[i] -= column[i] * c;
            }
            for (z, v) in z.iter_mut().zip(&self.basis[k * n..]) {
                *z += c * v;
            }
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix with eigenvalues on both sides of zero, as weak constraints give, and one that is singular.
    #[test]
    fn exact_solves_what_is_not_definite() {
        let t = [[1.0, 0.2, 0.0], [-0.1, -1.5, 0.3], [0.0, 0.1, 1.1]];
        let apply = |x: &[f64], out: &mut [f64]| {
            for (out, row) in out.iter_mut().zip(&t) {
                *out = row.iter().zip(x).map(|(t, x)| t * x).sum();
            }
        };
        let wanted = [0.3, -2.0, 0.7];
        let (mut b, mut z) = ([0.0; 3], [0.0; 3]);
        apply(&wanted, &mut b);
        Krylov::default().solve(&b, &mut z, apply);
        for (z, x) in z.iter().zip(wanted) {
            assert!((z - x).abs() < 1e-13, "{z} {x}");
        }
        // a projection: the part of b that it can give is met
        let flat = |x: &[f64], out: &mut [f64]| out.copy_from_slice(&[x[0], x[1], 0.0]);
        Krylov::default().solve(&[1.0, 2.0, 0.0], &mut z, flat);
        for (z, x) in z.iter().zip([1.0, 2.0, 0.0]) {
            assert!((z - x).abs() < 1e-14, "{z} {x}");
        }
        Krylov::default().solve(&[0.0; 3], &mut z, flat);
        assert_eq!(z, [0.0; 3]);
    }
}
