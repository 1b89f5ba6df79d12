//! Newton's method on Coulomb's law, and the last step that takes the answer to rounding.
//!
//! With a = p − u (ρ = 1 in [scaled units](super)), a contact is open where a_n ≤ 0, sticks where |a_t| ≤ μ a_n, and slips
//! otherwise. The equations of the three are
//!
//!   (N1)  open   p = 0
//!   (N2)  stick  u = 0
//!   (N3)  slip   u_n = 0,  p_t = μ p_n e,  e = a_t / |a_t|
//!
//! and linearised (N3) is δp_t − μ e δp_n − μ p_n (1 − e eᵀ)(δp_t − δu_t) / |a_t| = −(p_t − μ p_n e). In the plane e is a sign and
//! everything linear. A slipping contact at u_t = 0, one that has its full share of friction, is no special
//! case: e is then along p_t, and the part of (N3) across e says that u_t vanishes there too.
//!
//! With regular W the steps are halved until they help. For the last step the modes are held and W is what it is: the
//! shortest change δp, and then the shortest p, by least squares.

use nalgebra::{DMatrix, DVector};

use super::{Mode, Problem, Try, missing};
use crate::linalg::least_squares::LeastSquares;

const STEPS: usize = 40;
const POLISHES: usize = 8;

/// Whether (C6) is met to rounding after it; p is at least no worse than before.
pub(super) fn newton(problem: &Problem, p: &mut [f64]) -> bool {
    let merit =
        |p: &[f64]| missing(problem, p, &problem.velocities(p)).iter().map(|r| r * r).sum::<f64>().sqrt();
    let mut now = merit(p);
    let mut best = (now, p.to_vec());
    let mut worse = 0;
    for _ in 0..STEPS {
        if now <= 1e-15 * problem.size(p) {
            break;
        }
        let u = problem.velocities(p);
        let system = System::new(problem, &modes(problem, p, &u), p, &u);
        let Some(next) = system.regular() else { break };
        let mut part = 1.0;
        let mut tried: Vec<f64>;
        loop {
            tried = p.iter().zip(&next).map(|(p, n)| p + part * (n - p)).collect();
            let then = merit(&tried);
            if then <= (1.0 - 1e-3 * part) * now || part < 0.02 {
                break;
            }
            part *= 0.5;
        }
        if part < 0.02 {
            // a corner of (C6): the full step often lands on the right side of it
            worse += 1;
            if worse > 3 {
                break;
            }
            tried = next;
        }
        p.copy_from_slice(&tried);
        now = merit(p);
        if !now.is_finite() {
            break;
        }
        if now < best.0 {
            best = (now, p.to_vec());
        }
    }
    p.copy_from_slice(&best.1);
    best.0 <= 1e-12 * problem.size(p)
}

/// Takes p, near a solution, to one of W itself, and keeps it in `best` if it is better.
pub(super) fn polish(problem: &Problem, p: &[f64], best: &mut Try) {
    let mut p = p.to_vec();
    let mut u = problem.velocities(&p);
    let mut kinds = modes(problem, &p, &u);
    let mut found: Option<Try> = None;
    for _ in 0..POLISHES {
        let system = System::new(problem, &kinds, &p, &u);
        let Some(next) = system.nearest() else { break };
        p = next;
        clean(problem, &kinds, &mut p);
        let now = Try::new(problem, p.clone(), kinds.clone());
        u = problem.velocities(&p);
        let by = now.worst.by;
        match &found {
            Some(before) if by.is_nan() || by >= before.worst.by => {
                let again = modes(problem, &p, &u);
                if before.worst.by <= super::GOAL || again == kinds {
                    break;
                }
                kinds = again;
            }
            _ => {
                found = Some(now);
                if by > 1e-9 {
                    kinds = modes(problem, &p, &u);
                }
            }
        }
    }
    let Some(found) = found else { return };
    // once more from nothing, for the shortest of all
    if found.worst.by <= super::ACCEPT {
        let u = problem.velocities(&found.p);
        if let Some(mut short) = System::new(problem, &found.modes, &found.p, &u).shortest() {
            clean(problem, &found.modes, &mut short);
            let short = Try::new(problem, short, found.modes.clone());
            if short.worst.by <= super::GOAL.max(found.worst.by) {
                *best = short;
                return;
            }
        }
    }
    if found.worst.by < best.worst.by {
        *best = found;
    }
}

fn modes(problem: &Problem, p: &[f64], u: &[f64]) -> Vec<Mode> {
    let d = problem.directions;
    let mode = |i: usize| {
        let a: Vec<f64> = (i * d..(i + 1) * d).map(|e| p[e] - u[e]).collect();
        let tangential = a[1..].iter().map(|a| a * a).sum::<f64>().sqrt();
        if a[0] <= 0.0 {
            Mode::Open
        } else if problem.sliding(i).is_some()
            || tangential > problem.friction[i] * a[0]
            || problem.friction[i] == 0.0
        {
            Mode::Slip
        } else {
            Mode::Stick
        }
    };
    (0..problem.contacts()).map(mode).collect()
}

/// Rounding of (N1), and of pushes that vanish.
fn clean(problem: &Problem, modes: &[Mode], p: &mut [f64]) {
    let d = problem.directions;
    let size = problem.size(p);
    for (i, p) in p.chunks_exact_mut(d).enumerate() {
        if modes[i] == Mode::Open || p[0] < 0.0 && p[0] >= -super::GOAL * size {
            p.fill(0.0);
        }
    }
}

/// (N1) to (N3) linearised, for the contacts that are not open: J δp = −r.
struct System {
    /// Places of the unknowns in p.
    unknown: Vec<usize>,
    rows: DMatrix<f64>,
    right: DVector<f64>,
    /// p as it is, zero where open.
    p: Vec<f64>,
}

impl System {
    fn new(problem: &Problem, modes: &[Mode], p: &[f64], u: &[f64]) -> Self {
        let (d, n) = (problem.directions, p.len());
        let unknown: Vec<usize> = (0..n).filter(|i| modes[i / d] != Mode::Open).collect();
        let size = unknown.len();
        let mut rows = DMatrix::zeros(size, size);
        let mut right = DVector::zeros(size);
        // p = 0 of open contacts is done at once: its effect on the velocities
        let mut p = p.to_vec();
        let mut u = u.to_vec();
        if (0..n).any(|i| modes[i / d] == Mode::Open && p[i] != 0.0) {
            (0..n).filter(|i| modes[i / d] == Mode::Open).for_each(|i| p[i] = 0.0);
            u = problem.velocities(&p);
        }
        for first in (0..size).step_by(d) {
            let base = unknown[first];
            let i = base / d;
            let w = |e: usize, column: usize| problem.w[(base + e) * n + column];
            unknown.iter().enumerate().for_each(|(c, &j)| rows[(first, c)] = w(0, j));
            right[first] = -u[base];
            if modes[i] == Mode::Stick {
                for e in 1..d {
                    unknown.iter().enumerate().for_each(|(c, &j)| rows[(first + e, c)] = w(e, j));
                    right[first + e] = -u[base + e];
                }
                continue;
            }
            let mu = problem.friction[i];
            let unit = mu.max(1.0);
            let (e, turn) = match problem.sliding(i) {
                Some(s) => ([-s[0], -s[1]], 0.0),
                None => {
                    let a: Vec<f64> = (1..d).map(|c| p[base + c] - u[base + c]).collect();
                    let length = a.iter().map(|a| a * a).sum::<f64>().sqrt();
                    if length > 0.0 {
                        let e = [a[0] / length, a.get(1).map_or(0.0, |a| a / length)];
                        (e, if d == 3 { (mu * p[base].max(0.0) / length).min(1.0) } else { 0.0 })
                    } else {
                        ([0.0; 2], 0.0)
                    }
                }
            };
            for r in 1..d {
                let row = first + r;
                rows[(row, row)] += 1.0 / unit;
                rows[(row, first)] -= mu * e[r - 1] / unit;
                right[row] = -(p[base + r] - mu * p[base] * e[r - 1]) / unit;
                if turn > 0.0 {
                    for c in 1..d {
                        let across = (if r == c { 1.0 } else { 0.0 } - e[r - 1] * e[c - 1]) * turn / unit;
                        rows[(row, first + c)] -= across;
                        unknown.iter().enumerate().for_each(|(x, &j)| rows[(row, x)] += across * w(c, j));
                    }
                }
            }
        }
        System { unknown, rows, right, p }
    }

    /// p after the step, for a regular system.
    fn regular(&self) -> Option<Vec<f64>> {
        if self.unknown.is_empty() {
            return Some(self.p.clone());
        }
        let change = self.rows.clone().lu().solve(&self.right)?;
        change.iter().all(|c| c.is_finite()).then(|| self.moved(change.as_slice()))
    }

    /// p after the shortest step.
    fn nearest(&self) -> Option<Vec<f64>> {
        self.least(&self.right).map(|change| self.moved(&change))
    }

    /// The shortest p.
    fn shortest(&self) -> Option<Vec<f64>> {
        let old = DVector::from_iterator(self.unknown.len(), self.unknown.iter().map(|&i| self.p[i]));
        let values = self.least(&(&self.rows * old + &self.right))?;
        let mut p = vec![0.0; self.p.len()];
        self.unknown.iter().zip(values).for_each(|(&i, v)| p[i] = v);
        Some(p)
    }

    fn moved(&self, change: &[f64]) -> Vec<f64> {
        let mut p = self.p.clone();
        self.unknown.iter().zip(change).for_each(|(&i, c)| p[i] += c);
        p
    }

    fn least(&self, right: &DVector<f64>) -> Option<Vec<f64>> {
        let size = self.unknown.len();
        let mut system = LeastSquares::new(size, size);
        for i in 0..size {
            let row: Vec<f64> = self.rows.row(i).iter().copied().collect();
            system.push(&row, right[i], 1.0);
        }
        let mut x = vec![0.0; size];
        system.solve(&mut x);
        x.iter().all(|x| x.is_finite()).then_some(x)
    }
}
