//! The energy balance as a witness: work added up from forces that the integrator has not asked for.
//!
//! The work W of a state is integrated along with the motion. A force that a step passes over is missing from both, and E − E₀ − W stays zero. So
//! where a law does something narrow within a step, its work is added up again, from the powers at Gauss's places in both halves of the
//! dense output:
//!
//! ```text
//!   (W1)  G = Σ_steps (h Σ_j w_j P(t + s_j h) − ΔW)                  work that the state does not know of
//!   (W2)  drift = max over the rows of |E − E₀ − W| and |E − E₀ − W − G|
//! ```
//!
//! A step counts in G where it differs by more than its quadrature can be off. Powers of drivers come from their multipliers, so where there are drivers, contacts or
//! masses that vary there is no G.

use super::Status;
use super::run::Run;
use crate::formulations::Formulate;
use crate::integrate::StepError;
use crate::mechanism::Mechanism;

/// Gauss's places and weights on [0, 1], exact to degree 9.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_5),
    (0.230_765_344_947_158_5, 0.239_314_335_249_683_2),
    (0.5, 0.284_444_444_444_444_4),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_2),
    (0.953_089_922_969_332, 0.118_463_442_528_094_5),
];
/// A step counts beyond this many tolerances of the energies.
const NOISE: f64 = 1e3;
/// Powers at the end of a step that differ by more than this part are not the same.
const SAME: f64 = 1e-6;

/// Whether the powers of a mechanism are those of its dampers, couples and actions alone.
pub(super) fn has_plain_powers(mechanism: &Mechanism) -> bool {
    mechanism.interactions.couplings.iter().all(|c| c.drive.is_none())
        && !mechanism.has_contacts()
        && mechanism.masses.is_empty()
        && mechanism.burns.is_empty()
        && mechanism.chains.is_empty()
}

impl<F: Formulate> Run<'_, F> {
    /// (W1) for the last step up to a time.
    pub(super) fn witness(&mut self, until: f64) -> Result<(), Status> {
        let (from, end) = (self.stepper.t_old(), self.stepper.t());
        if !self.witnessed || self.narrow.was_calm() || until <= from {
            return Ok(());
        }
        let work = self.system.work_index();
        self.y.copy_from_slice(self.stepper.y());
        let (here, known) = (self.power(end), self.stepper.dy()[work]);
        if (here - known).abs() > SAME * (here.abs() + known.abs()) {
            // something else works here, inputs of the caller say
            let jumps = self.mechanism.next_edge(from) <= end;
            self.witnessed &= jumps;
            return Ok(());
        }
        let half = 0.5 * (until - from);
        let mut sum = 0.0;
        for start in [from, from + half] {
            for (place, weight) in GAUSS {
                let t = start + place * half;
                let found = self.stepper.interpolate(&mut self.system, t, &mut self.y);
                found.map_err(|error: StepError<_>| self.failed(t, &error))?;
                sum += weight * half * self.power(t);
            }
        }
        let before = self.stepper.y_old()[work];
        let after = if until == end {
            self.stepper.y()[work]
        } else {
            let found = self.stepper.interpolate(&mut self.system, until, &mut self.y);
            found.map_err(|error| self.failed(until, &error))?;
            self.y[work]
        };
        let gap = sum - (after - before);
        let noise = NOISE * self.mechanism.model.settings.tolerance;
        if gap.is_finite() && gap.abs() > noise * self.ledger.sums.energies(self.mechanism) {
            self.ledger.sums.missed(gap);
        }
        Ok(())
    }

    /// The power of what no potential accounts for at the state in `y`, W.
    fn power(&mut self, t: f64) -> f64 {
        let mechanism = self.mechanism;
        let motions = &mut self.acts.motions;
        self.system.locate_bodies(&self.y, motions);
        let auxiliary = &self.y[self.system.work_index() + 1..];
        self.acts.loads(&mechanism.interactions, t, auxiliary).1
    }
}
