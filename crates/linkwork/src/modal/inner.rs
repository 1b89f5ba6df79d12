//! The body with its interfaces held: factor of K_ii, and its modes.
//!
//! K_ii φ = ω² M_ii φ is solved in a block Krylov space of A = K_ii⁻¹ M_ii (Golub and Underwood's block Lanczos, with every vector made orthogonal to all
//! others): a block X, A X, A² X, …, each M-orthonormal to those before it. In the space V, VᵀM A V y = y / ω². It grows until the residuals
//! of the wanted modes have gone. A block of several vectors finds modes of equal frequency.

use super::{FiniteElements, ModalError, Symmetric, dissection, eigen};
use crate::linalg::ldl::Ldl;

/// Held body: which degrees of freedom are inner, and the factor of K there.
pub struct Inner {
    /// Inner degrees of freedom, in elimination order.
    pub dofs: Vec<usize>,
    /// Where each degree of freedom stands among them.
    place: Vec<Option<u32>>,
    factor: Ldl,
}

/// Pivots below this part of the diagonal entry have cancelled.
const CANCELLED: f64 = 1e-11;
/// Vectors of a block.
const BLOCK: usize = 4;
/// Residual of a mode, relative to its eigenvalue.
const RESIDUAL: f64 = 1e-9;

impl Inner {
    /// Holds some nodes and factorises what is left.
    pub fn new(body: &FiniteElements, held: &[bool]) -> Result<Self, ModalError> {
        let kept: Vec<usize> = (0..held.len()).filter(|&k| !held[k]).collect();
        let order = dissection::order(&body.positions, &body.stiffness, &kept);
        let dofs: Vec<usize> = order.iter().flat_map(|&k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let mut place = vec![None; 3 * held.len()];
        for (at, &dof) in dofs.iter().enumerate() {
            place[dof] = Some(at as u32);
        }
        let below = |(at, &dof): (usize, &usize)| -> Vec<u32> {
            let row = body.stiffness.row(dof).filter_map(|(j, _)| place[j]);
            row.filter(|&j| j as usize > at).collect()
        };
        let pattern: Vec<Vec<u32>> = dofs.iter().enumerate().map(below).collect();
        let Some(mut factor) = Ldl::new(&pattern) else {
            return Err(ModalError::TooLarge { nodes: held.len() });
        };
        let mut diagonal = vec![0.0; dofs.len()];
        let slots: Vec<(usize, f64)> = dofs
            .iter()
            .enumerate()
            .flat_map(|(at, &dof)| {
                let row = body.stiffness.row(dof).filter_map(|(j, v)| Some((place[j]? as usize, v)));
                row.filter(move |&(j, _)| j >= at).map(move |(j, v)| (at, j, v)).collect::<Vec<_>>()
            })
            .map(|(at, j, v)| {
                if at == j {
                    diagonal[at] = v;
                }
                (factor.slot(at, j), v)
            })
            .collect();
        let values = factor.values_mut();
        values.fill(0.0);
        slots.into_iter().for_each(|(slot, v)| values[slot] = v);
        let mut loose = None;
        factor.factor(|j, d| {
            if d <= CANCELLED * diagonal[j] || !d.is_finite() {
                loose.get_or_insert(j);
                return 0.0;
            }
            d
        });
        match loose {
            Some(j) => Err(ModalError::Loose { node: dofs[j] / 3 + 1 }),
            None => Ok(Inner { dofs, place, factor }),
        }
    }

    /// K_ii⁻¹ f of a full vector; held degrees of freedom become zero.
    pub fn solve(&self, f: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = self.dofs.iter().map(|&dof| f[dof]).collect();
        self.factor.solve(&mut x);
        let mut out = vec![0.0; f.len()];
        for (&dof, x) in self.dofs.iter().zip(x) {
            out[dof] = x;
        }
        out
    }

    /// The lowest modes, M-orthonormal full vectors.
    pub fn modes(&self, mass: &Symmetric, wanted: usize) -> Result<Vec<Vec<f64>>, ModalError> {
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let n = self.dofs.len();
        if wanted > n / 2 {
            return Err(ModalError::Modes { modes: wanted, most: n / 2 });
        }
        // V, M V, A V
        let mut v: Vec<Vec<f64>> = Vec::new();
        let mut mv: Vec<Vec<f64>> = Vec::new();
        let mut av: Vec<Vec<f64>> = Vec::new();
        let start = |b| self.solve(&self.held_times(mass, &self.some_vector(b)));
        let mut fresh: Vec<Vec<f64>> = (0..BLOCK.min(n)).map(start).collect();
        let mut next_check = 2 * wanted + 2 * BLOCK;
        let most = n.min(12 * wanted + 60);
        loop {
            let mut ended = true;
            let mut block = Vec::new();
            for mut x in fresh {
                let before = self.inner_norm(mass, &x);
                for _ in 0..2 {
                    for (v, mv) in v.iter().zip(&mv) {
                        let part = dot(&x, mv);
                        x.iter_mut().zip(v).for_each(|(x, v)| *x -= part * v);
                    }
                }
                let norm = self.inner_norm(mass, &x);
                if norm.is_nan() || norm <= 1e-12 * before {
                    continue;
                }
                ended = false;
                x.iter_mut().for_each(|x| *x /= norm);
                let m = self.held_times(mass, &x);
                let image = self.solve(&m);
                block.push(image.clone());
                v.push(x);
                mv.push(m);
                av.push(image);
                if v.len() >= most {
                    break;
                }
            }
            if v.len() >= next_check.min(most) || ended {
                next_check = v.len() + v.len() / 3 + 1;
                let k = v.len();
                let mut t = vec![0.0; k * k];
                for i in 0..k {
                    for j in 0..=i {
                        let sum = 0.5 * (dot(&mv[i], &av[j]) + dot(&mv[j], &av[i]));
                        t[i * k + j] = sum;
                        t[j * k + i] = sum;
                    }
                }
                let (values, vectors) = eigen::symmetric(t, k);
                let found = wanted.min(k);
                let mut worst = 0.0_f64;
                let mut modes = Vec::new();
                for (value, y) in values.iter().zip(&vectors).rev().take(found) {
                    let mix = |list: &[Vec<f64>]| {
                        let mut x = vec![0.0; mass.n()];
                        for (y, v) in y.iter().zip(list) {
                            x.iter_mut().zip(v).for_each(|(x, v)| *x += y * v);
                        }
                        x
                    };
                    let (x, mut left) = (mix(&v), mix(&av));
                    left.iter_mut().zip(&x).for_each(|(l, x)| *l -= value * x);
                    let residual = self.inner_norm(mass, &left) / value;
                    worst = if residual.is_nan() { f64::INFINITY } else { worst.max(residual) };
                    modes.push(x);
                }
                if found == wanted && (worst <= RESIDUAL || (ended && worst <= 1e-6)) {
                    return Ok(modes);
                }
                if ended || k >= most {
                    return Err(ModalError::NotConverged { residual: worst });
                }
            }
            fresh = block;
        }
    }

    fn held_times(&self, mass: &Symmetric, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        mass.times(x, &mut y);
        for (y, place) in y.iter_mut().zip(&self.place) {
            if place.is_none() {
                *y = 0.0;
            }
        }
        y
    }

    fn inner_norm(&self, mass: &Symmetric, x: &[f64]) -> f64 {
        dot(x, &self.held_times(mass, x)).max(0.0).sqrt()
    }

    /// A vector without any symmetry, always the same.
    fn some_vector(&self, b: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.place.len()];
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(b as u64 + 1);
        for &dof in &self.dofs {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            x[dof] = (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
        }
        x
    }
}

/// xᵀy
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
