//! Collisions with Newton's restitution.
//!
//! Contacts that approach, u⁻_n < 0, want to part with u⁺_n = −e u⁻_n. Several contacts and friction at once need not let them, so
//! this is taken as a bound, as in \[moreau1988\]:
//!
//!   (I1)  u⁺ = W p + f
//!   (I2)  0 ≤ u⁺_n + s e min(u⁻_n, 0) ⊥ p_n ≥ 0,  and Coulomb's law with u⁺_t
//!   (I3)  ΔT = ½ p·(u⁺ + f)                      kinetic energy that the contacts add; f = u⁻ unless other impulses act
//!
//! With s = 1 and e = 0, or without friction and with one e for all, (I3) is never positive. In general it can be: friction turns the slip
//! round on the way and energy comes out of nothing (Kane's paradox). So s is 1 where ΔT ≤ 0 then, and otherwise it is
//! bisected between 0 and 1 down to rounding; contacts that act on each other have one s. At s = 0
//!
//!   (I4)  2 ΔT = 2 p·u⁺ − p·W p ≤ 0               since p_n u⁺_n = 0 and p_t·u⁺_t ≤ 0,
//!
//! so energy never grows. In a wedge that is closed on both sides, and so cannot part, (I2) has no solution for s > 0, or with
//! friction for s above some bound: s is then 0, or below that bound by a thousandth. A single contact without friction
//! parts with exactly e.

use super::{ContactFailure, Problem, Solution, check, islands, search};

/// Energy above this part of what goes back and forth is more than rounding.
const ROUNDING: f64 = 5e-14;

/// The edge beyond which (I2) has no solution is found to this.
pub(super) const LEAST: f64 = 1e-3;

/// Impulses p of a collision, (I1) to (I3): `before` are the relative velocities u⁻, `restitution` is e of each contact,
/// from 0 to 1.
///
/// # Panics
/// If the sizes do not fit together.
pub fn impact(problem: &Problem, before: &[f64], restitution: &[f64]) -> Result<Solution, ContactFailure> {
    check(problem)?;
    let d = problem.directions;
    assert_eq!([before.len(), restitution.len()], [problem.free.len(), problem.contacts()]);
    for (contact, e) in restitution.iter().enumerate() {
        if !(*e >= 0.0 && e.is_finite() && before[contact * d].is_finite()) {
            return Err(ContactFailure::NotFinite { contact });
        }
    }
    islands::each(problem, |part, island| {
        let wanted = |at: usize| -> f64 {
            let i = island.contacts[at];
            island.scale[at] * restitution[i] * before[i * d].min(0.0)
        };
        let wanted: Vec<f64> = (0..part.contacts()).map(wanted).collect();
        let with = |s: f64| {
            let mut bounded = part.clone();
            wanted.iter().enumerate().for_each(|(i, w)| bounded.free[i * d] += s * w);
            search(&bounded)
        };
        if wanted.iter().all(|w| *w == 0.0) {
            return search(part);
        }
        let full = with(1.0);
        if let Ok(solution) = &full
            && !gains(part, solution)
        {
            return full;
        }
        let mut best = search(part)?;
        if full.is_err() && with(LEAST).is_err() {
            return Ok(best);
        }
        let (mut low, mut high) = (0.0, 1.0);
        while high - low > f64::EPSILON {
            let s = 0.5 * (low + high);
            match with(s) {
                Ok(solution) if !gains(part, &solution) => {
                    low = s;
                    best = solution;
                }
                Err(_) if high - low < LEAST => break,
                _ => high = s,
            }
        }
        Ok(best)
    })
}

/// Whether (I3) is positive.
pub(super) fn gains(problem: &Problem, solution: &Solution) -> bool {
    let u = problem.velocities(&solution.p);
    let terms = || solution.p.iter().zip(u.iter().zip(&problem.free));
    let gain: f64 = terms().map(|(p, (u, f))| p * (u + f)).sum();
    let size: f64 = terms().map(|(p, (u, f))| p.abs() * (u.abs() + f.abs())).sum();
    gain > ROUNDING * size
}
