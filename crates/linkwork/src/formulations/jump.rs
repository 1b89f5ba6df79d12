//! Jumps: velocities that change at an instant while positions stay, as where a lock engages or a limit is hit.
//!
//!   (J1)  [ M  Aᵀ ] [Δv]   [ 0 ]
//!         [ A  0  ] [Λ ] = [ b ]        b = wanted rate − present rate in some rows, 0 in all others
//!   (J2)  ΔT = ½ Δvᵀ M (v⁺ + v⁻) = −½ Λᵀ A (v⁺ + v⁻)
//!
//! Every formulation solves (J1) with its own M and A; Λ > 0 has the sign of a multiplier. (J2) is the work of the
//! impulses: it joins the work of dampers and drivers in the state, so that the energy balance stays closed, and as it
//! comes from the impulses and not from the energies the balance tells whether the jump was right.

use super::MotionError;

/// What a jump did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jump {
    /// Λ of every coupling, N s.
    pub impulses: Vec<f64>,
    /// (J2), J; it is part of the state's work already.
    pub work: f64,
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
