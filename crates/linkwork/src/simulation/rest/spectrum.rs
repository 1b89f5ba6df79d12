//! The slowest ways to move at an equilibrium: eigenvalues of K against M on the constraints, nearest to zero and below.
//!
//! With T f the x of (K + σM) x + Aᵀμ = f, A x = 0, and σ such that K + σM is positive there, T M has the eigenvalues
//!
//!   (V1)  θ = 1/(ω² + σ)
//!
//! so those of the slowest ways, and of the unstable ones, are its largest. A block X with XᵀMX = 1 is brought near them by iteration; Ritz values are the eigenvalues of
//! XᵀM T M X. Where K comes from differences, values near zero are read once more off forces at both sides along the way:
//!
//!   (V2)  ω² = −x·(r(q + εx) − r(q − εx)) / 2ε,   xᵀMx = 1
//!
//! Not with beams: bent by ε they are stretched by ε²/2l, and K knows better.

use super::Way;
use super::descent::{Ground, Scale};
use super::sparse::Sparse;
use crate::Error;
use nalgebra::{DMatrix, SymmetricEigen};

/// Ways that are followed at first, if there are more.
const BLOCK: usize = 12;
const MOST_BLOCK: usize = 96;
const MOST_ITERATIONS: u32 = 60;
/// Eigenvalues that change less than this from one iteration to the next are known.
const KNOWN: f64 = 1e-7;
/// Values below this part of the square of a typical rate are read off along the way.
const NEAR_ZERO: f64 = 1e-2;
/// ε of (V2), as a part of the size.
const SIDE: f64 = 1e-4;

/// Slowest ways first; all of them if there are few.
pub(super) fn of_sparse(
    sparse: &mut Sparse<'_>,
    scale: Scale,
    zero: f64,
    freedom: usize,
) -> Result<Vec<Way>, Error> {
    if freedom == 0 {
        return Ok(Vec::new());
    }
    let mut count = freedom.min(BLOCK);
    loop {
        if sparse.linearise().is_err() {
            return Ok(Vec::new());
        }
        let Some(mut ways) = block(sparse, scale, count) else { return Ok(Vec::new()) };
        for way in &mut ways {
            if sparse.bends() {
                break;
            }
            if way.square.abs() < NEAR_ZERO * scale.rate {
                way.square = along(sparse, way, scale).unwrap_or(way.square);
            }
        }
        ways.sort_by(|a, b| a.square.total_cmp(&b.square));
        // one that is stiff ends the list: there may be more of the others
        let whole = ways.last().is_none_or(|way| way.square > zero);
        if whole || count >= freedom.min(MOST_BLOCK) {
            return Ok(ways);
        }
        count = freedom.min(2 * count);
    }
}

/// (V2)
fn along(sparse: &mut Sparse<'_>, way: &Way, scale: Scale) -> Option<f64> {
    let longest = way.direction.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let epsilon = SIDE * scale.size / longest.max(f64::MIN_POSITIVE);
    let mut sides = [0.0; 2];
    for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
        let off: Vec<f64> = way.direction.iter().map(|x| sign * epsilon * x).collect();
        let left = sparse.left_at(&off).ok()?;
        *side = left.iter().zip(&way.direction).map(|(r, x)| r * x).sum();
    }
    let square = (sides[1] - sides[0]) / (2.0 * epsilon);
    square.is_finite().then_some(square)
}

/// Ritz values and vectors of a block of so many.
fn block(sparse: &mut Sparse<'_>, scale: Scale, count: usize) -> Option<Vec<Way>> {
    let n = sparse.coordinates();
    let mut shift = 1e-3 * scale.rate;
    let mut sink = vec![0.0; n];
    let nothing = vec![0.0; n];
    while !sparse.solve_shifted(shift, &nothing, &mut sink) {
        shift *= 10.0;
        if shift > 1e15 * scale.rate {
            return None;
        }
    }
    let mut x = scattered(n, count);
    let mut theta: Vec<f64> = Vec::new();
    for _ in 0..MOST_ITERATIONS {
        let mut y = apply(sparse, &x);
        orthonormalise(sparse, &mut y);
        if y.is_empty() {
            return None;
        }
        let image = apply(sparse, &y);
        let weighed = masses(sparse, &image);
        let small = DMatrix::from_fn(y.len(), y.len(), |i, j| {
            let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            0.5 * (dot(&y[i], &weighed[j]) + dot(&y[j], &weighed[i]))
        });
        let eigen = SymmetricEigen::new(small);
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        x = order
            .iter()
            .map(|&k| {
                (0..n)
                    .map(|i| y.iter().zip(eigen.eigenvectors.column(k).iter()).map(|(y, e)| y[i] * e).sum())
                    .collect()
            })
            .collect();
        let now: Vec<f64> = order.iter().map(|&k| eigen.eigenvalues[k]).collect();
        let known = now.len() == theta.len()
            && now.iter().zip(&theta).take(1 + count / 2).all(|(a, b)| (a - b).abs() <= KNOWN * a.abs());
        theta = now;
        if known {
            break;
        }
    }
    let ways = theta.iter().zip(x).filter(|(theta, _)| **theta > 0.0);
    Some(ways.map(|(theta, direction)| Way { square: theta.recip() - shift, direction }).collect())
}

/// T M of each.
fn apply(sparse: &mut Sparse<'_>, list: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let weighed = masses(sparse, list);
    let mut out = vec![vec![0.0; sparse.coordinates()]; list.len()];
    for (out, f) in out.iter_mut().zip(&weighed) {
        sparse.solve_again(f, out);
    }
    out
}

fn masses(sparse: &Sparse<'_>, list: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let image = |x: &Vec<f64>| {
        let mut out = vec![0.0; x.len()];
        sparse.mass_times(x, &mut out);
        out
    };
    list.iter().map(image).collect()
}

/// Makes XᵀMX = 1; what depends on the others goes.
fn orthonormalise(sparse: &Sparse<'_>, list: &mut Vec<Vec<f64>>) {
    let (mut done, mut image): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for mut x in list.drain(..) {
        let mut weighed = vec![0.0; x.len()];
        sparse.mass_times(&x, &mut weighed);
        let whole: f64 = x.iter().zip(&weighed).map(|(x, w)| x * w).sum();
        for _ in 0..2 {
            for (other, weight) in done.iter().zip(&image) {
                let part: f64 = x.iter().zip(weight).map(|(x, w)| x * w).sum();
                x.iter_mut().zip(other).for_each(|(x, o)| *x -= part * o);
            }
        }
        sparse.mass_times(&x, &mut weighed);
        let left: f64 = x.iter().zip(&weighed).map(|(x, w)| x * w).sum();
        if left > 1e-20 * whole && left > 0.0 {
            let scale = left.sqrt().recip();
            done.push(x.iter().map(|x| x * scale).collect());
            image.push(weighed.iter().map(|x| x * scale).collect());
        }
    }
    *list = done;
}

/// Vectors that have a part of everything: the same ones each time.
fn scattered(n: usize, count: usize) -> Vec<Vec<f64>> {
    let mut seed: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        // Marsaglia's xorshift
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| (0..n).map(|_| next()).collect()).collect()
}
