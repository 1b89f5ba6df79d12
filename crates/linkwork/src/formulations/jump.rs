//! Jumps: velocities that change at an instant while positions stay, as where a lock engages or a limit is hit.
//!
//!   (J1)  [ M  Aᵀ ] [Δv]   [ 0 ]
//!         [ A  0  ] [Λ ] = [ b ]        b = wanted rate − present rate in some rows, 0 in all others
//!   (J2)  ΔT = ½ Δvᵀ M (v⁺ + v⁻) = −½ Λᵀ A (v⁺ + v⁻)
//!
//! Every formulation solves (J1) with its own M and A; Λ > 0 has the sign of a multiplier. (J2) is the work of the
//! impulses: it joins the work of dampers and drivers in the state, so that the energy balance stays closed, and as it
//! comes from the impulses and not from the energies the balance tells whether the jump was right.

use super::{Formulate, MotionError};
use crate::interactions::BodyWrench;
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::norm;
use crate::results::Frame;

/// What a jump did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jump {
    /// Λ of every coupling, N s.
    pub impulses: Vec<f64>,
    /// (J2), J; it is part of the state's work already.
    pub work: f64,
}

/// What the joints and couplings do while impulses act.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impulses {
    /// Of each joint on its second body, N s, and about its point there, N m s.
    pub joints: Vec<Wrench>,
    /// Λ of every coupling, N s.
    pub couplings: Vec<f64>,
}

/// Impulses of joints and couplings that answer those of the pulls, at a state. They are to the impulses what reactions are to forces: the equations
/// are the same, and linear. So they are what observation finds more with the pulls as loads than without. The pulls are
/// brought to the size of the reactions for that, so that neither drowns in the other's roundings. Other loads are gone afterwards.
pub fn impulses<F: Formulate>(
    system: &mut F,
    t: f64,
    y: &[f64],
    pulls: &[BodyWrench],
    frame: &mut Frame,
) -> Result<Impulses, MotionError> {
    system.set_loads(&[]);
    system.observe(t, y, frame)?;
    let before = (frame.reactions.clone(), frame.multipliers.clone());
    let largest = |f: f64, g: f64| f.max(g);
    // of couplings as well: a joint may carry nothing but rounding while a limit carries all
    let of_rows = before.1.iter().map(|l| l.abs()).fold(0.0, largest);
    let of_joints = before.0.iter().map(|r| norm(r.force)).fold(of_rows, largest);
    let of_pulls = pulls.iter().map(|p| norm(p.wrench.force)).fold(0.0, largest);
    let by = if of_joints > 0.0 && of_pulls > 0.0 { of_joints / of_pulls } else { 1.0 };
    let loads = pulls.iter().map(|p| BodyWrench { wrench: p.wrench.times(by), ..*p });
    system.set_loads(&loads.collect::<Vec<_>>());
    let found = system.observe(t, y, frame);
    system.set_loads(&[]);
    found?;
    let joints =
        frame.reactions.iter().zip(&before.0).map(|(new, old)| new.plus(old.negative()).times(1.0 / by));
    let couplings = frame.multipliers.iter().zip(&before.1).map(|(new, old)| (new - old) / by);
    Ok(Impulses { joints: joints.collect(), couplings: couplings.collect() })
}

/// A row may miss the wanted rate by this part of the largest rate.
const MISSED: f64 = 1e-7;

/// Sums a jump up from A v of all rows before and after, and Λ; the couplings are the rows from `first` on. Rows that
/// miss their b contradict each other.
pub(super) fn sum_up(
    before: &[f64],
    after: &[f64],
    b: &[f64],
    impulses: &[f64],
    first: usize,
    label: impl FnOnce(usize) -> String,
) -> Result<Jump, MotionError> {
    let size = before.iter().chain(b).fold(0.0_f64, |m, v| m.max(v.abs()));
    let mut work = 0.0;
    let mut worst = (0, 0.0);
    for (r, (&old, &new)) in before.iter().zip(after).enumerate() {
        let missed = (new - old - b[r]).abs();
        if missed > worst.1 || missed.is_nan() {
            worst = (r, missed);
        }
        work -= 0.5 * impulses[r] * (old + new);
    }
    if worst.1 > MISSED * size || !work.is_finite() {
        return Err(MotionError::Jammed { row: label(worst.0), rate: worst.1 });
    }
    Ok(Jump { impulses: impulses[first..].to_vec(), work })
}
