//! Gauss–Seidel, contact by contact, each solved exactly with the others held.
//!
//! With b the velocity of a contact without its own p, and S = W_tt − W_tn W_nt / W_nn:
//!
//!   (G1)  b_n ≥ 0: open, p = 0
//!   (G2)  stick: p = −W⁻¹ b, if it is in the cone
//!   (G3)  slip: u_t = −α p_t, α > 0:  (S + α) p_t = −(b_t − W_tn b_n / W_nn),  p_n = −(b_n + W_nt p_t) / W_nn,  |p_t| = μ p_n
//!
//! |p_t| − μ p_n is positive at α = 0, where (G2) leaves the cone, and negative at α = ∞, where p_t = 0: there is a root
//! between, which is found by false position in α/(1 + α). For a contact that slides already p_n is a division, left out where the
//! divisor is not positive.

use super::Problem;

/// Looks at (G3): about five are needed for rounding.
const LOOKS: usize = 40;

/// Sweeps until nothing changes, at most `count`.
pub(super) fn sweeps(problem: &Problem, p: &mut [f64], count: usize) {
    let (d, n) = (problem.directions, p.len());
    for sweep in 0..count {
        let mut change: f64 = 0.0;
        let mut size: f64 = 0.0;
        for at in 0..problem.contacts() {
            // there and back, so that no contact is always the first
            let i = if sweep % 2 == 0 { at } else { problem.contacts() - 1 - at };
            let own = i * d..(i + 1) * d;
            let mut b = [0.0; 3];
            for (e, row) in own.clone().enumerate() {
                let w = &problem.w[row * n..(row + 1) * n];
                let others = w.iter().zip(p.iter()).map(|(w, p)| w * p).sum::<f64>();
                let mine = w[own.clone()].iter().zip(&p[own.clone()]).map(|(w, p)| w * p).sum::<f64>();
                b[e] = problem.free[row] + others - mine;
            }
            let new = contact(problem, i, b, p[own.start]);
            for (old, new) in p[own].iter_mut().zip(new) {
                change = change.max((new - *old).abs());
                size = size.max(new.abs());
                *old = new;
            }
        }
        if change <= 1e-15 * size {
            break;
        }
    }
}

pub(super) fn contact(problem: &Problem, i: usize, b: [f64; 3], before: f64) -> [f64; 3] {
    let (d, n, mu) = (problem.directions, problem.free.len(), problem.friction[i]);
    let w = |r: usize, c: usize| if r < d && c < d { problem.w[(i * d + r) * n + i * d + c] } else { 0.0 };
    // (G1)
    if b[0] >= 0.0 {
        return [0.0; 3];
    }
    if let Some(s) = problem.sliding(i) {
        let slope = w(0, 0) - mu * (w(0, 1) * s[0] + w(0, 2) * s[1]);
        let normal = if slope > 0.0 { -b[0] / slope } else { before };
        return [normal, -mu * normal * s[0], if d == 3 { -mu * normal * s[1] } else { 0.0 }];
    }
    if mu == 0.0 {
        return [-b[0] / w(0, 0), 0.0, 0.0];
    }
    let schur = |r: usize, c: usize| w(r, c) - w(r, 0) * w(0, c) / w(0, 0);
    let c = [b[1] - w(1, 0) * b[0] / w(0, 0), b[2] - w(2, 0) * b[0] / w(0, 0)];
    let given = |alpha: f64| -> [f64; 3] {
        let (s11, s12, s22) = (schur(1, 1) + alpha, schur(1, 2), schur(2, 2) + alpha);
        let t = if d == 2 {
            [-c[0] / s11, 0.0]
        } else {
            let det = s11 * s22 - s12 * s12;
            [-(s22 * c[0] - s12 * c[1]) / det, -(s11 * c[1] - s12 * c[0]) / det]
        };
        [-(b[0] + w(0, 1) * t[0] + w(0, 2) * t[1]) / w(0, 0), t[0], t[1]]
    };
    let outside = |p: &[f64; 3]| p[1].hypot(p[2]) - mu * p[0];
    // (G2)
    let stick = given(0.0);
    let at_stick = outside(&stick);
    if at_stick <= 0.0 {
        return stick;
    }
    // (G3)
    let [mut low, mut high] = [(0.0, at_stick), (1.0, mu * b[0] / w(0, 0))];
    let mut answer = stick;
    for _ in 0..LOOKS {
        let x: f64 = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        answer = given(x / (1.0 - x));
        let f = outside(&answer);
        // the weight of an end that stays is halved, lest it stays for good (the Illinois rule)
        if f > 0.0 {
            low = (x, f);
            high.1 *= 0.5;
        } else {
            high = (x, f);
            low.1 *= 0.5;
        }
        if f.abs() <= 1e-15 * mu * answer[0] || high.0 - low.0 <= 1e-15 {
            break;
        }
    }
    answer
}
