//! Complementary pivoting, with Coulomb's disc as a polygon.
//!
//! With corners v_j of the polygon, p_t = Σ β_j v_j and λ the size of the slip (\[stewart1996\]):
//!
//!   (L1)  0 ≤ u_n                 ⊥  p_n ≥ 0
//!   (L2)  0 ≤ λ + v_j·u_t         ⊥  β_j ≥ 0
//!   (L3)  0 ≤ μ p_n − Σ β_j       ⊥  λ ≥ 0
//!
//! In the plane v = ±1 and this is Coulomb's law; in space the corners of an octagon stand for the disc. A contact that slides has
//! (L1) alone, with p_t = −μ p_n s put in. Written y = M z + q, Lemke's method goes from basis to basis, ties
//! broken lexicographically so that it ends (\[cottle2009\] chapter 4). Without sliding contacts M is copositive and it ends
//! at a solution; otherwise it may end on a ray, which says that it found none.

use std::f64::consts::PI;

use super::Problem;

/// Corners of the polygon in space.
const CORNERS: usize = 8;
/// An entry of the tableau below this is zero.
const ZERO: f64 = 1e-11;

/// One unknown: what it does to p, and which part of u its row looks at.
enum Unknown {
    /// p_n of a contact, with the tangential part that comes with it.
    Normal { contact: usize, drag: [f64; 2] },
    /// β of a contact along v; its λ is the unknown named last.
    Side { contact: usize, along: [f64; 2], slip: usize },
    /// λ of a contact; its p_n is the unknown named last.
    Slip { contact: usize, normal: usize },
}

/// Whether a solution was found, which is then in p.
pub(super) fn lemke(problem: &Problem, p: &mut [f64]) -> bool {
    let (d, n) = (problem.directions, p.len());
    let unknowns = unknowns(problem);
    let size = unknowns.len();
    let force = |x: &Unknown| -> [(usize, f64); 3] {
        let at = |contact: usize, v: [f64; 3]| std::array::from_fn(|e| (contact * d + e.min(d - 1), v[e]));
        match *x {
            Unknown::Normal { contact, drag } => at(contact, [1.0, drag[0], drag[1]]),
            Unknown::Side { contact, along, .. } => at(contact, [0.0, along[0], along[1]]),
            Unknown::Slip { contact, .. } => at(contact, [0.0; 3]),
        }
    };
    let look = |x: &Unknown| match *x {
        Unknown::Normal { contact, .. } => force(&Unknown::Normal { contact, drag: [0.0; 2] }),
        _ => force(x),
    };
    let mut m = vec![0.0; size * size];
    let mut q = vec![0.0; size];
    for (r, row) in unknowns.iter().enumerate() {
        let eye = look(row);
        q[r] = eye.iter().map(|&(i, v)| v * problem.free[i]).sum();
        for (c, column) in unknowns.iter().enumerate() {
            for (i, v) in eye {
                for (j, f) in force(column) {
                    if v != 0.0 && f != 0.0 {
                        m[r * size + c] += v * problem.w[i * n + j] * f;
                    }
                }
            }
            match (row, column) {
                (Unknown::Side { slip, .. }, _) if *slip == c => m[r * size + c] += 1.0,
                (Unknown::Slip { contact, normal }, _) if *normal == c => {
                    m[r * size + c] += problem.friction[*contact]
                }
                (Unknown::Slip { .. }, Unknown::Side { slip, .. }) if *slip == r => m[r * size + c] -= 1.0,
                _ => {}
            }
        }
    }
    let Some(z) = pivot(&m, &q) else { return false };
    p.fill(0.0);
    for (x, z) in unknowns.iter().zip(z) {
        force(x).iter().for_each(|&(i, f)| p[i] += f * z);
    }
    true
}

fn unknowns(problem: &Problem) -> Vec<Unknown> {
    let mut all = Vec::new();
    for contact in 0..problem.contacts() {
        let mu = problem.friction[contact];
        let normal = all.len();
        let drag = problem.sliding(contact).map(|s| [-mu * s[0], -mu * s[1]]);
        all.push(Unknown::Normal { contact, drag: drag.unwrap_or_default() });
        if drag.is_some() || mu == 0.0 {
            continue;
        }
        let corners = if problem.directions == 2 { 2 } else { CORNERS };
        for j in 0..corners {
            let (sin, cos) = (2.0 * PI * j as f64 / corners as f64).sin_cos();
            let along = if corners == 2 { [1.0 - 2.0 * j as f64, 0.0] } else { [cos, sin] };
            all.push(Unknown::Side { contact, along, slip: normal + corners + 1 });
        }
        all.push(Unknown::Slip { contact, normal });
    }
    all
}

/// z ≥ 0 with y = M z + q ≥ 0 and y·z = 0.
fn pivot(m: &[f64], q: &[f64]) -> Option<Vec<f64>> {
    let n = q.len();
    // columns: y, z, the artificial unknown, the right side
    let (artificial, right, width) = (2 * n, 2 * n + 1, 2 * n + 2);
    let mut t = vec![0.0; n * width];
    for r in 0..n {
        t[r * width + r] = 1.0;
        (0..n).for_each(|c| t[r * width + n + c] = -m[r * n + c]);
        t[r * width + artificial] = -1.0;
        t[r * width + right] = q[r];
    }
    let mut basis: Vec<usize> = (0..n).collect();
    let mut leaving = (0..n).fold(0, |best, r| if q[r] < q[best] { r } else { best });
    if q[leaving] >= 0.0 {
        return Some(vec![0.0; n]);
    }
    let mut entering = artificial;
    for _ in 0..50 * n + 50 {
        eliminate(&mut t, width, leaving, entering);
        let left = std::mem::replace(&mut basis[leaving], entering);
        if left == artificial {
            let mut z = vec![0.0; n];
            for (r, &b) in basis.iter().enumerate() {
                if (n..2 * n).contains(&b) {
                    z[b - n] = t[r * width + right].max(0.0);
                }
            }
            return Some(z);
        }
        entering = if left < n { left + n } else { left - n };
        let mut best: Option<usize> = None;
        for r in 0..n {
            if t[r * width + entering] > ZERO
                && best.is_none_or(|b| first(&t, width, n, entering, r, b, &basis))
            {
                best = Some(r);
            }
        }
        leaving = best?;
    }
    None
}

/// Whether row r leaves rather than row b: the smaller ratio, then the artificial unknown, then the order of the inverse's rows.
fn first(t: &[f64], width: usize, n: usize, entering: usize, r: usize, b: usize, basis: &[usize]) -> bool {
    let ratio = |row: usize, column: usize| t[row * width + column] / t[row * width + entering];
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-12 * (1.0 + x.abs().max(y.abs()));
    let (x, y) = (ratio(r, width - 1), ratio(b, width - 1));
    if !close(x, y) {
        return x < y;
    }
    if basis[r] == 2 * n || basis[b] == 2 * n {
        return basis[r] == 2 * n;
    }
    for c in 0..n {
        let (x, y) = (ratio(r, c), ratio(b, c));
        if !close(x, y) {
            return x < y;
        }
    }
    false
}

fn eliminate(t: &mut [f64], width: usize, row: usize, column: usize) {
    let factor = 1.0 / t[row * width + column];
    let (before, rest) = t.split_at_mut(row * width);
    let (own, after) = rest.split_at_mut(width);
    own.iter_mut().for_each(|v| *v *= factor);
    for other in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
        let s = other[column];
        if s != 0.0 {
            other.iter_mut().zip(own.iter()).for_each(|(o, v)| *o -= s * v);
            other[column] = 0.0;
        }
    }
}
