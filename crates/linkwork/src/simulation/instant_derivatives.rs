//! How accelerations of one instant change with positions, rates and forces.
//!
//! ```text
//!   (D1)  ∂u̇/∂τ: M x + Cᵀν = e_k, C x = 0           a unit force along each rate, with the factor that is there
//!   (D2)  ∂u̇/∂q = (4 D(h) − D(2h)) / 3,   D(h) = (u̇(q ⊕ h e_k) − u̇(q ⊖ h e_k)) / 2h     and likewise by the rates
//! ```
//!
//! A tree on which nothing but gravity acts has analytic derivatives instead of (D2). In a loop the displaced positions do not close it; u̇ is what the same equations say there.

use super::instant::Instant;
use crate::Error;
use crate::formulations::{Formulate, MotionError};

/// How accelerations change, each a square matrix, row by row: entry (i, k) is that of acceleration i by position, rate or force k.
///
/// A position here is a displacement along a rate: an angle or a path, and for ball joints and free bodies a rotation vector in world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct AccelerationDerivatives {
    /// ∂u̇/∂q, 1/s².
    pub by_position: Vec<f64>,
    /// ∂u̇/∂u, 1/s.
    pub by_rate: Vec<f64>,
    /// ∂u̇/∂τ; of a tree the inverse of its mass matrix.
    pub by_force: Vec<f64>,
}

/// h of (D2), rad, or in parts of the size of the mechanism; and in such units per second.
const STEP: f64 = 2e-4;

impl Instant<'_> {
    /// How the accelerations under everything that acts change with positions, rates and forces on the rates. Exact to rounding for trees on which only gravity acts, and
    /// by differences of fourth order elsewhere, to about 1e-10 of the largest entry where forces are smooth.
    ///
    /// # Errors
    /// As [`accelerations`](Self::accelerations).
    pub fn acceleration_derivatives(&mut self) -> Result<AccelerationDerivatives, Error> {
        self.ready("derivatives of accelerations")?;
        let found = self.derivatives_at();
        // the factor is that of a displaced state
        self.ready("derivatives of accelerations")?;
        found.map_err(|error| self.wrong(&error))
    }

    fn derivatives_at(&mut self) -> Result<AccelerationDerivatives, MotionError> {
        let n = self.state.rates.len();
        let mut by_force = vec![0.0; n * n];
        for k in 0..n {
            let mut unit = vec![0.0; n];
            unit[k] = 1.0;
            self.system.answer(&mut unit)?;
            (0..n).for_each(|i| by_force[i * n + k] = unit[i]);
        }
        if let Some([by_position, by_rate]) =
            self.system.plain_derivatives(&self.state.coordinates, &self.state.rates)
        {
            return Ok(AccelerationDerivatives { by_position, by_rate, by_force });
        }
        let steps = self.system.rate_sizes(STEP);
        let first_rate = self.state.coordinates.len();
        let mut by_position = vec![0.0; n * n];
        let mut by_rate = vec![0.0; n * n];
        for (k, &h) in steps.iter().enumerate() {
            let along = self.difference(h, |instant, y, by| {
                let mut change = vec![0.0; n];
                change[k] = by;
                instant.system.ask_at(instant.state.t, &instant.y)?;
                instant.system.displace(y, &change);
                Ok(())
            })?;
            (0..n).for_each(|i| by_position[i * n + k] = along[i]);
            let along = self.difference(h, |_, y, by| {
                y[first_rate + k] += by;
                Ok(())
            })?;
            (0..n).for_each(|i| by_rate[i * n + k] = along[i]);
        }
        Ok(AccelerationDerivatives { by_position, by_rate, by_force })
    }

    /// (D2) for a way to change a state.
    fn difference(
        &mut self,
        h: f64,
        change: impl Fn(&mut Self, &mut [f64], f64) -> Result<(), MotionError>,
    ) -> Result<Vec<f64>, MotionError> {
        let mut sum = vec![0.0; self.state.rates.len()];
        for (by, weight) in [(h, 4.0), (-h, -4.0), (2.0 * h, -0.5), (-2.0 * h, 0.5)] {
            let mut y = self.y.clone();
            change(self, &mut y, by)?;
            self.system.ask_at(self.state.t, &y)?;
            let there = self.system.last_accelerations();
            sum.iter_mut().zip(there).for_each(|(sum, a)| *sum += weight / (6.0 * h) * a);
        }
        Ok(sum)
    }
}
