//! Rows between points as series. A row is at most quadratic: with vectors s and w between nodes,
//!
//!   (Q1)  Φ = κ s·w − c                       of a distance s = w = d and κ = 1/2L
//!   (Q2)  0 = Φ_{m+2}:   A₀ x_{m+2} = −κ Σ_{j=1..m+1} s_j·w_{m+2−j}
//!   (Q3)  (Aᵀλ)_m = κ Σ_{j=0..m} (w_j λ_{m−j} on the ends of s, s_j λ_{m−j} on the ends of w)
//!
//! Coefficients of one order stand together, all rows side by side, so that the sums over j run through memory in order and
//! several rows at a time.

use crate::constraints::Constraint;
use crate::linalg::vec3::Vec3;
use crate::mechanism::Mechanism;

/// A vector between nodes: Σ weight x_block + constant.
#[derive(Clone, Debug, Default)]
struct Between {
    terms: Vec<(usize, f64)>,
    constant: Vec3,
}

impl Between {
    fn new(mechanism: &Mechanism, from: usize, to: usize, zeros: &[f64]) -> Self {
        let maps = &mechanism.maps;
        let mut between = Between::default();
        for (node, sign) in [(to, 1.0), (from, -1.0)] {
            for &(block, w) in maps.terms(node) {
                let block = block as usize;
                match between.terms.iter_mut().find(|t| t.0 == block) {
                    Some(t) => t.1 += sign * w,
                    None => between.terms.push((block, sign * w)),
                }
            }
            let at = maps.position(node, zeros);
            for (c, at) in between.constant.iter_mut().zip(at) {
                *c += sign * at;
            }
        }
        between.terms.retain(|t| t.1 != 0.0);
        between
    }
}

/// Rows of one kind: distances, where the second vectors are the first, or products of two.
#[derive(Clone, Debug, Default)]
struct Group {
    rows: Vec<usize>,
    /// 2κ of distances, κ of products.
    factors: Vec<f64>,
    vectors: [Vec<Between>; 2],
    /// Coefficients of the vectors: by order, then component, then row.
    s: [Vec<f64>; 2],
    /// By order, then row.
    lambda: Vec<f64>,
    sums: Vec<f64>,
}

/// All rows between points.
#[derive(Clone, Debug)]
pub(super) struct Quadratic {
    columns: usize,
    distances: Group,
    products: Group,
}

impl Quadratic {
    pub fn new(mechanism: &Mechanism, order: usize) -> Self {
        let columns = mechanism.columns();
        let zeros = vec![0.0; mechanism.coordinate_count()];
        let (mut distances, mut products) = (Group::default(), Group::default());
        for (r, row) in mechanism.rows.list.iter().enumerate() {
            match &row.constraint {
                Constraint::Distance(c) => {
                    distances.rows.push(r);
                    distances.factors.push(1.0 / c.length);
                    distances.vectors[0].push(Between::new(mechanism, c.a, c.b, &zeros));
                }
                Constraint::Dot(c) => {
                    products.rows.push(r);
                    products.factors.push(1.0 / c.scale);
                    let [a, b, p, q] = c.nodes;
                    products.vectors[0].push(Between::new(mechanism, a, b, &zeros));
                    products.vectors[1].push(Between::new(mechanism, p, q, &zeros));
                }
                // A never changes: nothing ever appears on the right
                Constraint::Linear(_) => {}
            }
        }
        for (group, vectors) in [(&mut distances, 1), (&mut products, 2)] {
            let n = group.rows.len();
            for s in &mut group.s[..vectors] {
                *s = vec![0.0; (order + 1) * columns * n];
            }
            group.lambda = vec![0.0; (order + 1) * n];
            group.sums = vec![0.0; columns * n];
        }
        Quadratic { columns, distances, products }
    }

    /// Order m of all vectors, from that of the coordinates.
    pub fn advance(&mut self, m: usize, x: &[f64]) {
        let d = self.columns;
        for group in [&mut self.distances, &mut self.products] {
            let n = group.rows.len();
            for (vectors, s) in group.vectors.iter().zip(&mut group.s) {
                let Some(s) = s.get_mut(m * d * n..(m + 1) * d * n) else { continue };
                for (i, vector) in vectors.iter().enumerate() {
                    for c in 0..d {
                        let first = if m == 0 { vector.constant[c] } else { 0.0 };
                        s[c * n + i] = vector.terms.iter().fold(first, |v, &(b, w)| v + w * x[b * d + c]);
                    }
                }
            }
        }
    }

    /// −(m+1)(m+2) times the right-hand side of (Q2) for the coefficient m + 2.
    pub fn accelerations(&mut self, m: usize, g: &mut [f64]) {
        let d = self.columns;
        let scale = -(((m + 1) * (m + 2)) as f64);
        for (half, group) in [(0.5, &mut self.distances), (1.0, &mut self.products)] {
            let n = group.rows.len();
            let sums = &mut group.sums[..n];
            sums.fill(0.0);
            let [s, w] = &group.s;
            let w = if half == 0.5 { s } else { w };
            for j in 1..=m + 1 {
                let k = m + 2 - j;
                for c in 0..d {
                    let s = &s[(j * d + c) * n..][..n];
                    let w = &w[(k * d + c) * n..][..n];
                    for ((sum, s), w) in sums.iter_mut().zip(s).zip(w) {
                        *sum += s * w;
                    }
                }
            }
            for ((&r, f), sum) in group.rows.iter().zip(&group.factors).zip(&*sums) {
                g[r] = scale * half * f * sum;
            }
        }
    }

    /// Keeps the multipliers of order m.
    pub fn keep(&mut self, m: usize, lambda: &[f64]) {
        for group in [&mut self.distances, &mut self.products] {
            let n = group.rows.len();
            for ((kept, &r), f) in group.lambda[m * n..].iter_mut().zip(&group.rows).zip(&group.factors) {
                *kept = f * lambda[r];
            }
        }
    }

    /// f −= (Q3) without the multipliers of order m, which are not known yet.
    pub fn forces(&mut self, m: usize, f: &mut [f64]) {
        let d = self.columns;
        for (others, group) in [([0, 0], &mut self.distances), ([1, 0], &mut self.products)] {
            let n = group.rows.len();
            for (vectors, other) in group.vectors.iter().zip(others) {
                if vectors.is_empty() {
                    continue;
                }
                group.sums.fill(0.0);
                for j in 1..=m {
                    let lambda = &group.lambda[(m - j) * n..][..n];
                    for c in 0..d {
                        let s = &group.s[other][(j * d + c) * n..][..n];
                        let sums = &mut group.sums[c * n..][..n];
                        for ((sum, s), l) in sums.iter_mut().zip(s).zip(lambda) {
                            *sum += s * l;
                        }
                    }
                }
                for (i, vector) in vectors.iter().enumerate() {
                    for &(b, w) in &vector.terms {
                        for c in 0..d {
                            f[b * d + c] -= w * group.sums[c * n + i];
                        }
                    }
                }
            }
        }
    }
}
