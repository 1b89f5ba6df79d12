//! Free directions separated: combinations of them that move one thing each, as far as there are such.
//!
//! Directions that nothing resists come as any basis of the space that they span: a car that may roll, slide and turn comes with mixtures of it all. The rates f of coordinates of
//! joints and of bodies along each direction make a matrix, which elimination brings to the form
//!
//!   (A1)  C f = [1 *]     up to the order of columns; C d: directions, each with a pivot in which no other takes part
//!
//! with pivots at coordinates of joints first, then at bodies in their order.

use super::refusal::{LOOK, turned};
use crate::Error;
use crate::linalg::vec3::sub;
use crate::mechanism::Mechanism;
use crate::model::Formulation;
use crate::results::Frame;
use crate::simulation::Probe;
use crate::simulation::state::State;
use std::f64::consts::TAU;

/// Rates below this part of the largest are none: they come from a displacement of [`LOOK`].
const NONE: f64 = 1e-3;

impl Mechanism {
    /// Combinations of displacements of the coordinates of `points` at a state: (A1).
    pub(crate) fn told_apart(&self, state: &State, directions: &[&[f64]]) -> Result<Vec<Vec<f64>>, Error> {
        let mut found: Vec<Vec<f64>> = directions.iter().map(|direction| direction.to_vec()).collect();
        if found.len() < 2 {
            return Ok(found);
        }
        let mut probe = Probe::new(self, Formulation::Points)?;
        let y = probe.enter(state)?;
        let before = probe.frame(state.t, &y)?.clone();
        let (mut trial, mut dy) = (y.clone(), vec![0.0; y.len()]);
        let mut rates = Vec::with_capacity(found.len());
        for direction in &mut found {
            let longest = direction.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            direction.iter_mut().for_each(|x| *x *= self.size / longest.max(f64::MIN_POSITIVE));
            trial.copy_from_slice(&y);
            probe.derivative(state.t, &trial, &mut dy)?;
            let step: Vec<f64> = direction.iter().map(|x| LOOK * x).collect();
            probe.displace(&mut trial, &step);
            probe.project(state.t, &mut trial, &mut dy)?;
            rates.push(self.rates_between(&before, probe.frame(state.t, &trial)?));
        }
        let joints = self.joints.iter().map(|joint| joint.coordinates.len()).sum();
        self.eliminate(&mut rates, &mut found, joints);
        Ok(found)
    }

    /// How far coordinates of joints, then bodies, have come from one frame to another; turns times the size.
    fn rates_between(&self, before: &Frame, after: &Frame) -> Vec<f64> {
        let mut rates = Vec::new();
        for (joint, (a, b)) in self.joints.iter().zip(before.joints.iter().zip(&after.joints)) {
            for (coordinate, (a, b)) in joint.coordinates.iter().zip(a.iter().zip(b)) {
                let by = b.q - a.q;
                let turns = self.interactions.gauges[coordinate.gauge].is_angle();
                rates.push(if turns { (by - TAU * (by / TAU).round()) * self.size } else { by });
            }
        }
        for (a, b) in before.motions.iter().zip(&after.motions) {
            rates.extend(sub(b.c, a.c));
            rates.extend(turned(&a.turned, &b.turned).map(|x| x * self.size));
        }
        rates
    }

    fn eliminate(&self, rates: &mut [Vec<f64>], found: &mut [Vec<f64>], joints: usize) {
        for row in 0..rates.len() {
            let left = rates[row..].iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
            let Some(pivot) = pivot(&rates[row..], joints, NONE * left) else { return };
            rates.swap(row, row + pivot.0);
            found.swap(row, row + pivot.0);
            let lead = rates[row][pivot.1] / (LOOK * self.size);
            for list in [&mut *rates, &mut *found] {
                list[row].iter_mut().for_each(|x| *x /= lead);
            }
            for other in (0..rates.len()).filter(|other| *other != row) {
                let by = rates[other][pivot.1] / rates[row][pivot.1];
                for list in [&mut *rates, &mut *found] {
                    let unit = list[row].clone();
                    list[other].iter_mut().zip(&unit).for_each(|(x, u)| *x -= by * u);
                }
            }
        }
    }
}

/// The row and column to go on with: the largest rate of a joint's coordinate, or else of the first body that moves.
fn pivot(rates: &[Vec<f64>], joints: usize, least: f64) -> Option<(usize, usize)> {
    let columns = rates.first().map_or(0, Vec::len);
    let parts = std::iter::once(0..joints).chain((joints..columns).step_by(6).map(|first| first..first + 6));
    for part in parts {
        let mut best = (0, 0, least);
        for (r, row) in rates.iter().enumerate() {
            for c in part.clone() {
                // of equals the first
                if row[c].abs() > best.2 * (1.0 + 1e-6) {
                    best = (r, c, row[c].abs());
                }
            }
        }
        if best.2 > least {
            return Some((best.0, best.1));
        }
    }
    None
}
