//! Collisions with Poisson's restitution: a phase of compression, then one of expansion (\[glocker1995\]).
//!
//! With p_c the impulses of compression and p_e those of expansion, f = u⁻:
//!
//!   (P1)  u_c = W p_c + f             0 ≤ u_c,n ⊥ p_c,n ≥ 0,  Coulomb's law with u_c,t        no restitution
//!   (P2)  u⁺ = W p_e + u_c            0 ≤ u⁺_n ⊥ p_e,n − s e p_c,n ≥ 0,  Coulomb's law with u⁺_t, |p_e,t| ≤ μ p_e,n
//!   (P3)  p = p_c + p_e,  ΔT = ½ p·(u⁺ + f)
//!
//! So a contact gives back e of the impulse that compressed it, where Newton's law asks for e of the velocity; it gives more where it would be driven into the other body. What has not
//! approached, and was pressed through others, has something to give back as well. A single contact without friction, or with friction that slips one way throughout, parts with e, as
//! by Newton's law. Where friction stops the slip the two differ: Newton's law can ask for a velocity that only new energy brings.
//!
//! With one e for all, (P2) with s = 1 adds no energy in the examples known; with several e and friction it can. So s is 1 where ΔT ≤ 0 then, and otherwise bisected between 0 and 1, as
//! in [`impact`](super::impact). [glocker1995] has a restitution of friction, too; it is left out: friction gives nothing back.
//!
//! (P2) is solved by sweeps of Gauss–Seidel, each contact exactly with the others held: at its least push, or with u⁺_n = 0. The modes that come out are then solved
//! together by least squares, which leaves rounding.

use super::impact::{LEAST, gains};
use super::{ACCEPT, ContactFailure, Law, Mode, Problem, Solution, check, islands, search, sweep};
use crate::linalg::least_squares::LeastSquares;

/// Sweeps of (P2).
const SWEEPS: usize = 20_000;
/// A change below this part of the largest impulse ends them.
const STILL: f64 = 1e-15;
/// What is nearer to a bound than this part of it is on it.
const AT_BOUND: f64 = 1e-9;
/// Directions in which a contact moves less than this part of its largest answer cannot move.
const STIFF: f64 = 1e-13;

/// Impulses p of a collision, (P1) to (P3); the velocities before are those of the problem. `restitution` gives e of a contact for a velocity of approach: that which its impulse of compression would stop.
///
/// # Panics
/// If the sizes do not fit together.
pub fn poisson(
    problem: &Problem,
    restitution: impl Fn(usize, f64) -> f64,
) -> Result<Solution, ContactFailure> {
    check(problem)?;
    let (d, n) = (problem.directions, problem.free.len());
    islands::each(problem, |part, island| {
        let compressed = search(part)?;
        let m = part.free.len();
        let mut wanted = vec![0.0; part.contacts()];
        for (at, &i) in island.contacts.iter().enumerate() {
            let push = compressed.p[at * d];
            let approach = -push * island.scale[at] * problem.w[i * d * n + i * d];
            let e = restitution(i, approach);
            if !(e >= 0.0 && e.is_finite()) {
                return Err(ContactFailure::NotFinite { contact: at });
            }
            wanted[at] = e * push;
        }
        if wanted.iter().all(|w| *w == 0.0) {
            return Ok(compressed);
        }
        let mut expansion = part.clone();
        expansion.free = part.velocities(&compressed.p);
        let with = |s: f64| -> Result<Solution, ContactFailure> {
            let least: Vec<f64> = wanted.iter().map(|w| s * w).collect();
            let mut p = expand(&expansion, &least)?;
            p.iter_mut().zip(&compressed.p).for_each(|(p, c)| *p += c);
            let u = part.velocities(&p);
            let size = part.size(&p);
            let modes = (0..m / d).map(|i| match p[i * d] > 0.0 {
                false => Mode::Open,
                true if u[i * d + 1..(i + 1) * d].iter().all(|u| u.abs() <= ACCEPT * size) => Mode::Stick,
                true => Mode::Slip,
            });
            Ok(Solution { modes: modes.collect(), p })
        };
        let full = with(1.0);
        if let Ok(solution) = &full
            && !gains(part, solution)
        {
            return full;
        }
        // as in a wedge, which cannot part
        if full.is_err() && with(LEAST).is_err() {
            return Ok(compressed);
        }
        let (mut best, mut low, mut high) = (compressed.clone(), 0.0, 1.0);
        while high - low > f64::EPSILON {
            let s = 0.5 * (low + high);
            match with(s) {
                Ok(solution) if !gains(part, &solution) => (low, best) = (s, solution),
                Err(_) if high - low < LEAST => break,
                _ => high = s,
            }
        }
        Ok(best)
    })
}

/// (P2): p_e for the least push of each contact.
fn expand(problem: &Problem, least: &[f64]) -> Result<Vec<f64>, ContactFailure> {
    let (d, n) = (problem.directions, problem.free.len());
    let mut p = vec![0.0; n];
    for (i, least) in least.iter().enumerate() {
        p[i * d] = *least;
    }
    for round in 0..SWEEPS {
        let (mut change, mut size) = (0.0_f64, 0.0_f64);
        for at in 0..least.len() {
            // there and back, so that no contact is always the first
            let i = if round % 2 == 0 { at } else { least.len() - 1 - at };
            let own = i * d..(i + 1) * d;
            let mut b = [0.0; 3];
            for (e, row) in own.clone().enumerate() {
                let terms = problem.w[row * n..(row + 1) * n].iter().zip(&p).enumerate();
                let others = terms.filter(|(c, _)| !own.contains(c)).map(|(_, (w, p))| w * p);
                b[e] = problem.free[row] + others.sum::<f64>();
            }
            let new = alone(problem, i, b, least[i]);
            for (old, new) in p[own].iter_mut().zip(new) {
                change = change.max((new - *old).abs());
                size = size.max(new.abs());
                *old = new;
            }
        }
        if change <= STILL * size {
            break;
        }
    }
    let mut worst = missing(problem, least, &p);
    if let Some(polished) = polish(problem, least, &p) {
        let better = missing(problem, least, &polished);
        if better.1 < worst.1 {
            (p, worst) = (polished, better);
        }
    }
    match worst.1 <= ACCEPT * problem.size(&p) {
        true => Ok(p),
        false => {
            let by = worst.1 / problem.size(&p);
            Err(ContactFailure::Unsolved { contact: worst.0, law: Law::Friction, by, sliding: false })
        }
    }
}

/// A contact with the others held; b is its velocity without what it gives itself.
fn alone(problem: &Problem, i: usize, b: [f64; 3], least: f64) -> [f64; 3] {
    let (d, n) = (problem.directions, problem.free.len());
    let w = |r: usize, c: usize| if r < d && c < d { problem.w[(i * d + r) * n + i * d + c] } else { 0.0 };
    let moved = [b[1] + w(1, 0) * least, b[2] + w(2, 0) * least];
    let t = drag([w(1, 1), w(1, 2), w(2, 2)], moved, problem.friction[i] * least, d);
    let normal = b[0] + w(0, 0) * least + w(0, 1) * t[0] + w(0, 2) * t[1];
    if normal >= 0.0 || b[0] >= 0.0 {
        return [least, t[0], t[1]];
    }
    let more = sweep::contact(problem, i, b, least);
    if more[0] >= least && more.iter().all(|p| p.is_finite()) { more } else { [least, t[0], t[1]] }
}

/// Friction in a disc of given radius: what stops the slip b, or the largest that acts against what is left of it. W_tt by its entries.
fn drag([s11, s12, s22]: [f64; 3], b: [f64; 2], bound: f64, d: usize) -> [f64; 2] {
    if bound <= 0.0 {
        return [0.0; 2];
    }
    let given = |alpha: f64| -> [f64; 2] {
        let (a, c) = (s11 + alpha, s22 + alpha);
        if d == 2 {
            return [if a > STIFF { -b[0] / a } else { 0.0 }, 0.0];
        }
        let det = a * c - s12 * s12;
        if det > STIFF * (a + c) * (a + c) {
            return [-(c * b[0] - s12 * b[1]) / det, -(a * b[1] - s12 * b[0]) / det];
        }
        // only one direction moves
        let square = (a + c) * (a + c);
        let part = if square > 0.0 { -(a + c) / square } else { 0.0 };
        [part * b[0], part * b[1]]
    };
    let outside = |t: [f64; 2]| t[0].hypot(t[1]) - bound;
    let stick = given(0.0);
    if outside(stick) <= 0.0 {
        return stick;
    }
    let [mut low, mut high] = [(0.0, outside(stick)), (1.0, -bound)];
    let mut answer = stick;
    for _ in 0..100 {
        let x: f64 = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        answer = given(x / (1.0 - x));
        let f = outside(answer);
        if f > 0.0 {
            low = (x, f);
            high.1 *= 0.5;
        } else {
            high = (x, f);
            low.1 *= 0.5;
        }
        if f.abs() <= 1e-15 * bound || high.0 - low.0 <= 1e-16 {
            break;
        }
    }
    let length = answer[0].hypot(answer[1]);
    answer.map(|t| t * bound / length)
}

/// Where (P2) is missed most, and by how much.
fn missing(problem: &Problem, least: &[f64], p: &[f64]) -> (usize, f64) {
    let d = problem.directions;
    let u = problem.velocities(p);
    let mut worst = (0, 0.0);
    for (i, least) in least.iter().enumerate() {
        let (p, u) = (&p[i * d..][..d], &u[i * d..][..d]);
        let normal = (p[0] - (p[0] - u[0]).max(*least)).abs();
        let bound = problem.friction[i] * p[0].max(0.0);
        let length = (1..d).map(|c| (p[c] - u[c]).powi(2)).sum::<f64>().sqrt();
        let part = if length > bound { bound / length } else { 1.0 };
        let across = (1..d).map(|c| (p[c] - part * (p[c] - u[c])).powi(2)).sum::<f64>().sqrt();
        let by = normal.max(across / problem.friction[i].max(1.0));
        if by > worst.1 || by.is_nan() {
            worst = (i, by);
        }
    }
    worst
}

/// The modes of p solved together: the shortest change that meets them. In space friction at its bound keeps its direction.
fn polish(problem: &Problem, least: &[f64], p: &[f64]) -> Option<Vec<f64>> {
    let (d, n) = (problem.directions, p.len());
    // unknowns as directions in p, and the velocities that are to vanish
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    let mut fixed = p.to_vec();
    for (i, &least) in least.iter().enumerate() {
        let own = &p[i * d..(i + 1) * d];
        let across = own[1..].iter().map(|t| t * t).sum::<f64>().sqrt();
        let bound = problem.friction[i] * own[0];
        let sticks = bound > 0.0 && across < (1.0 - AT_BOUND) * bound;
        let pushes = own[0] > (1.0 + AT_BOUND) * least && own[0] > 0.0;
        if pushes {
            let mut column = vec![(i * d, 1.0)];
            if !sticks && across > 0.0 {
                column.extend((1..d).map(|c| (i * d + c, problem.friction[i] * own[c] / across)));
            }
            columns.push(column);
            rows.push(i * d);
        } else {
            fixed[i * d] = least;
            if !sticks && across > 0.0 {
                (1..d).for_each(|c| fixed[i * d + c] = problem.friction[i] * least * own[c] / across);
            }
        }
        if sticks {
            (1..d).for_each(|c| {
                columns.push(vec![(i * d + c, 1.0)]);
                rows.push(i * d + c);
            });
        }
    }
    if rows.is_empty() {
        return Some(fixed);
    }
    let u = problem.velocities(&fixed);
    let mut square = LeastSquares::new(rows.len(), columns.len());
    for &row in &rows {
        let entry = |column: &Vec<(usize, f64)>| -> f64 {
            column.iter().map(|&(c, x)| problem.w[row * n + c] * x).sum()
        };
        let line: Vec<f64> = columns.iter().map(entry).collect();
        square.push(&line, -u[row], 1.0);
    }
    let mut change = vec![0.0; columns.len()];
    square.solve(&mut change);
    for (column, x) in columns.iter().zip(&change) {
        column.iter().for_each(|&(c, along)| fixed[c] += along * x);
    }
    fixed.iter().all(|p| p.is_finite()).then_some(fixed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::solve::{Tangent, impact};

    fn problem(w: Vec<f64>, free: Vec<f64>, friction: Vec<f64>) -> Problem {
        let tangent = vec![Tangent::Cone; friction.len()];
        Problem { directions: 2, w, free, friction, tangent }
    }

    fn energy(problem: &Problem, p: &[f64]) -> f64 {
        let u = problem.velocities(p);
        p.iter().zip(u.iter().zip(&problem.free)).map(|(p, (u, f))| 0.5 * p * (u + f)).sum()
    }

    /// W of the end of a thin rod of mass 1 and length 1 whose arm from the middle to the end is half a length at an angle below the horizontal.
    fn rod(angle: f64) -> [f64; 3] {
        let [x, y] = [0.5 * angle.cos(), -0.5 * angle.sin()];
        // 1/J = 12: normal up, tangent along −x as [`Site`](crate::contact::Site) has it
        [1.0 + 12.0 * x * x, 12.0 * x * y, 1.0 + 12.0 * y * y]
    }

    /// One frictionless contact: u⁺ = −e u⁻, as by Newton's law.
    #[test]
    fn same_as_newton_for_one_contact_without_friction() {
        for e in [0.0, 0.3, 1.0] {
            let [nn, nt, tt] = rod(1.0);
            let problem = problem(vec![nn, nt, nt, tt], vec![-2.0, 0.7], vec![0.0]);
            let p = poisson(&problem, |_, approach| {
                assert!((approach + 2.0).abs() < 1e-14);
                e
            });
            let (p, newton) = (p.unwrap().p, impact(&problem, &problem.free, &[e]).unwrap().p);
            let u = problem.velocities(&p);
            // roundings only
            assert!((u[0] - 2.0 * e).abs() < 1e-14, "{u:?}");
            assert!(p.iter().zip(&newton).all(|(a, b)| (a - b).abs() < 1e-14), "{p:?} {newton:?}");
        }
    }

    /// A rod strikes the ground with an end that friction stops, S = W_nn − W_nt²/W_tt and k = W_nt/W_tt:
    /// u_n⁺ = e (k u_t − u_n),  ΔT = −½ [(1 − e²)(u_n − k u_t)²/S + u_t²/W_tt]. Newton's law as it stands, u_n⁺ = −e u_n and u_t⁺ = 0, adds energy.
    #[test]
    fn exact_rod_that_sticks_where_newton_gains_energy() {
        let [nn, nt, tt] = rod(1.0);
        let (s, k) = (nn - nt * nt / tt, nt / tt);
        for e in [0.5, 0.9, 1.0] {
            // u_t of the sign that makes k u_t − u_n smaller than −u_n
            let [un, ut] = [-1.0, -0.2 * k.signum()];
            let problem = problem(vec![nn, nt, nt, tt], vec![un, ut], vec![5.0]);
            let p = poisson(&problem, |_, _| e).unwrap().p;
            let u = problem.velocities(&p);
            let exact = -0.5 * ((1.0 - e * e) * (un - k * ut).powi(2) / s + ut * ut / tt);
            let off =
                (u[0] - e * (k * ut - un)).abs().max(u[1].abs()).max((energy(&problem, &p) - exact).abs());
            println!("rod, e = {e}: off by {off:.1e}; work {exact:.4}");
            // a 2 by 2 system
            assert!(off < 1e-14, "{off:.1e} {u:?}");
            // Newton's law without a bound on energy
            let [vn, vt] = [-e * un - un, -ut];
            let newton =
                [(tt * vn - nt * vt) / (nn * tt - nt * nt), (nn * vt - nt * vn) / (nn * tt - nt * nt)];
            let gain = energy(&problem, &newton);
            println!("  Newton's law: {gain:+.4}");
            assert!(e < 1.0 || gain > 0.0, "{gain}");
        }
    }

    /// Three equal balls in a row: compression ends with all at v/3, and 2/3 and 1/3 of m v have gone through the contacts; expansion adds e₁ and e₂ of them, if e₁ ≤ e₂.
    #[test]
    fn exact_three_balls_with_two_restitutions() {
        let w = vec![2.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let problem = problem(w, vec![-1.0, 0.0, 0.0, 0.0], vec![0.0; 2]);
        let mut worst = 0.0_f64;
        for e in [[1.0, 1.0], [0.5, 1.0], [0.3, 0.5]] {
            let p = poisson(&problem, |i, _| e[i]).unwrap().p;
            let exact = [2.0 / 3.0 * (1.0 + e[0]), (1.0 + e[1]) / 3.0];
            worst = worst.max((p[0] - exact[0]).abs()).max((p[2] - exact[1]).abs());
        }
        println!("three balls: off by {worst:.1e}");
        assert!(worst < 1e-15, "{worst:.1e}");
        // what was not given back presses on: e₁ = 1, e₂ = 0 would drive the second ball into the third
        let p = poisson(&problem, |i, _| [1.0, 0.0][i]).unwrap().p;
        let u = problem.velocities(&p);
        assert!(u[2].abs() < 1e-15 && p[2] > 1.0 / 3.0, "{p:?} {u:?}");
    }

    /// Whatever the contacts: gaps do not close, impulses stay in the cone, energy does not grow.
    #[test]
    fn keeps_energy_from_growing() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            2.0 * (seed >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
        };
        let mut most = f64::NEG_INFINITY;
        for round in 0..300 {
            let directions = 2 + round % 2;
            let k = 1 + round % 5;
            let (n, bodies) = (directions * k, directions * k - directions / 2);
            // J of fewer coordinates than rows: redundant, as corners of a box are
            let j: Vec<f64> = (0..n * bodies).map(|_| random()).collect();
            let w = (0..n * n).map(|at| {
                let (r, c) = (at / n, at % n);
                (0..bodies).map(|b| j[r * bodies + b] * j[c * bodies + b]).sum()
            });
            let v: Vec<f64> = (0..bodies).map(|_| random()).collect();
            let free = (0..n).map(|r| (0..bodies).map(|b| j[r * bodies + b] * v[b]).sum());
            let friction: Vec<f64> = (0..k).map(|_| random().max(0.0)).collect();
            let tangent = vec![Tangent::Cone; k];
            let problem = Problem { directions, w: w.collect(), free: free.collect(), friction, tangent };
            let e: Vec<f64> = (0..k).map(|_| random().abs()).collect();
            let p = poisson(&problem, |i, _| e[i]).unwrap().p;
            let u = problem.velocities(&p);
            let before: f64 = v.iter().map(|v| 0.5 * v * v).sum();
            most = most.max(energy(&problem, &p) / before);
            for i in 0..k {
                let across = p[i * directions + 1..(i + 1) * directions].iter().map(|t| t * t).sum::<f64>();
                // what `search` accepts where rows are redundant
                assert!(u[i * directions] > -1e-9 && p[i * directions] >= -1e-12, "{round}: {u:?} {p:?}");
                let bound = problem.friction[i] * p[i * directions];
                assert!(across.sqrt() <= bound + 1e-9 * (1.0 + bound), "{round}: {p:?}");
            }
        }
        println!("energy: at most {most:+.1e} of what there was");
        assert!(most <= 1e-13, "{most:.1e}");
    }
}
