//! Point coordinates as [`Mechanics`]: what implicit, symplectic and series methods work on.
//!
//! The place that is looked at and the factor may differ: an implicit step looks at its iterates and solves with the
//! matrix of an earlier one. So A of the place is kept apart from A of the factor.

use super::Points;
use super::tangent::{Scratch, Tangent};
use crate::formulations::MotionError;
use crate::integrate::{Blend, Mechanics};
use std::mem::swap;

/// Where one looks.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    auxiliary: Vec<f64>,
    /// A there, laid out as in the solver.
    a: Vec<f64>,
    /// Power of what no potential accounts for, but for drivers; known after the forces.
    power: f64,
}

impl Points<'_> {
    /// Φ_q of the nodes' present place into `place.a`, and γ of the couplings; the solver keeps its own.
    fn linearise_place(&mut self) {
        self.place.a.resize(self.kkt.a.len(), 0.0);
        swap(&mut self.kkt.a, &mut self.place.a);
        self.linearise_rows();
        swap(&mut self.kkt.a, &mut self.place.a);
    }

    /// Goes to the place again, after something else was looked at.
    fn return_to_place(&mut self) {
        let place = std::mem::take(&mut self.place);
        self.locate(place.t, &place.q, &place.v, &place.auxiliary);
        self.mechanism.maps.rates(&place.v, &mut self.v);
        self.place = place;
        self.linearise_place();
    }

    /// Aᵀλ − f at positions and velocities near the place, into `self.core.correction`.
    fn imbalance(&mut self, q: &[f64], v: &[f64], lambda: &[f64]) {
        let auxiliary = std::mem::take(&mut self.place.auxiliary);
        let t = self.place.t;
        self.locate(t, q, v, &auxiliary);
        self.mechanism.maps.rates(v, &mut self.v);
        self.linearise_place();
        self.forces(t, &auxiliary);
        self.place.auxiliary = auxiliary;
        let mut out = std::mem::take(&mut self.core.correction);
        for (o, f) in out.iter_mut().zip(&self.force) {
            *o = -f;
        }
        self.add_transposed(lambda, &mut out);
        self.core.correction = out;
    }

    /// K and D at the place by differences and by what actions tell, those that the blend has: a group of coordinates that touch nothing in
    /// common at a time, moved to each of the sides (1, −1).
    fn differentiate(&mut self, tangent: &mut Tangent, lambda: &[f64], blend: Blend, sides: &[f64]) {
        let Scratch { mut q, mut v, mut base } = std::mem::take(&mut tangent.scratch);
        q.copy_from_slice(&self.place.q);
        v.copy_from_slice(&self.place.v);
        self.imbalance(&q, &v, lambda);
        let holding = self.hold_exact(tangent);
        if holding {
            self.imbalance(&q, &v, lambda);
        }
        base.copy_from_slice(&self.core.correction);
        tangent.scratch.base = base;
        let step = DIFFERENCE * self.mechanism.size;
        for (of_velocity, factor) in [(false, blend.stiffness), (true, blend.damping)] {
            tangent.begin(of_velocity);
            if factor == 0.0 {
                continue;
            }
            for (group, side) in (0..tangent.groups()).flat_map(|group| sides.iter().map(move |s| (group, s)))
            {
                let step = side * step;
                let moved = if of_velocity { &mut v } else { &mut q };
                for &j in tangent.group(group) {
                    moved[j] += step;
                }
                self.imbalance(&q, &v, lambda);
                tangent.add_differences(group, of_velocity, &self.core.correction, step * sides.len() as f64);
                let (moved, back) =
                    if of_velocity { (&mut v, &self.place.v) } else { (&mut q, &self.place.q) };
                for &j in tangent.group(group) {
                    moved[j] = back[j];
                }
            }
        }
        tangent.scratch.q = q;
        tangent.scratch.v = v;
        self.core.interactions.let_go();
        self.return_to_place();
        if holding {
            for (of_velocity, factor) in [(false, blend.stiffness), (true, blend.damping)] {
                if factor != 0.0 {
                    tangent.add_responses(self.mechanism, &self.r, of_velocity);
                }
            }
        }
    }

    /// Holds the wrenches of actions that tell their derivatives, which go to the tangent; whether there are any.
    fn hold_exact(&mut self, tangent: &mut Tangent) -> bool {
        tangent.responses.clear();
        let Place { t, auxiliary, .. } = &self.place;
        let interactions = &self.mechanism.interactions;
        self.core.active && self.core.interactions.hold(interactions, *t, auxiliary, &mut tangent.responses)
    }

    /// Keeps the stresses that a displacement, the velocities of the state, leads to if strains are linear.
    pub(crate) fn foretell(&mut self, t: f64, y: &[f64]) {
        self.look_at(t, y);
        self.core.interactions.foretell(&self.mechanism.interactions);
    }

    /// Whether forces, and with them the matrix of implicit steps, are those of the stresses foretold from here on.
    pub(crate) fn take_foretold(&mut self, taking: bool) {
        self.core.interactions.take_foretold(taking);
    }

    fn factor_blend(&mut self, tangent: &mut Tangent, blend: Blend) -> Result<(), MotionError> {
        self.core.counters.factorisations += 1;
        tangent
            .factor(&self.place.a, blend)
            .map_err(|point| MotionError::Indefinite { point: self.point_name(point).into() })
    }
}

/// A difference quotient's step, as a part of the mechanism's size (per second, for velocities).
const DIFFERENCE: f64 = 1e-7;

impl Mechanics for Points<'_> {
    type Error = MotionError;

    fn coordinates(&self) -> usize {
        self.core.nq
    }

    fn constraints(&self) -> usize {
        self.core.lambda.len()
    }

    fn binds_velocities_only(&self, row: usize) -> bool {
        let couplings = &self.mechanism.interactions.couplings;
        row.checked_sub(self.mechanism.rows.len()).is_some_and(|c| couplings[c].binds_velocities_only())
    }

    fn is_conservative(&self) -> bool {
        !self.core.active && self.mechanism.interactions.actions.iter().all(|a| a.action.is_conservative())
    }

    fn look_at(&mut self, t: f64, y: &[f64]) {
        let n = self.core.nq;
        self.stamp.clear(); // couplings and forces are evaluated elsewhere from now on
        let place = &mut self.place;
        place.t = t;
        place.q.clear();
        place.q.extend_from_slice(&y[..n]);
        place.v.clear();
        place.v.extend_from_slice(&y[n..2 * n]);
        place.auxiliary.clear();
        place.auxiliary.extend_from_slice(&y[2 * n + 1..]);
        self.return_to_place();
    }

    fn residuals(&mut self, phi: &mut [f64]) {
        Points::residuals(self);
        phi.copy_from_slice(&self.core.phi);
    }

    fn residual_rates(&mut self, v: &[f64], rates: &mut [f64]) {
        swap(&mut self.kkt.a, &mut self.place.a);
        for (r, rate) in rates.iter_mut().enumerate() {
            *rate = self.kkt.row_times(r, v) + self.core.moves(r);
        }
        swap(&mut self.kkt.a, &mut self.place.a);
    }

    fn curvatures(&mut self, gamma: &mut [f64]) {
        let between_points = self.mechanism.rows.len();
        self.mechanism.rows.gammas(&self.v, &mut self.core.gamma[..between_points]);
        gamma.copy_from_slice(&self.core.gamma);
    }

    fn forces(&mut self, f: &mut [f64]) {
        let auxiliary = std::mem::take(&mut self.place.auxiliary);
        self.place.power = Points::forces(self, self.place.t, &auxiliary);
        self.place.auxiliary = auxiliary;
        f.copy_from_slice(&self.force);
    }

    fn mass_times(&self, x: &[f64], out: &mut [f64]) {
        self.kkt.apply_mass(x, out);
    }

    fn add_transposed(&self, lambda: &[f64], out: &mut [f64]) {
        let columns = self.mechanism.columns();
        for (r, &l) in lambda.iter().enumerate() {
            let (start, points) = self.kkt.row(r);
            for (values, &p) in self.place.a[start..].chunks_exact(columns).zip(points) {
                for (c, a) in values.iter().enumerate() {
                    out[p * columns + c] += l * a;
                }
            }
        }
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        self.kkt.a.copy_from_slice(&self.place.a);
        self.factor_rows()
    }

    fn solve(&mut self, f: &[f64], g: &[f64], x: &mut [f64], lambda: &mut [f64]) {
        let report = self.kkt.solve(f, g, x, lambda);
        self.core.counters.solves += 1 + u64::from(report.refinements);
    }

    fn factor_tangent(&mut self, lambda: &[f64], blend: Blend) -> Result<(), MotionError> {
        let mut tangent = match self.tangent.take() {
            Some(tangent) => tangent,
            None => Box::new(
                Tangent::new(self.mechanism)
                    .ok_or(MotionError::TooLarge { what: "the matrix of implicit steps" })?,
            ),
        };
        self.differentiate(&mut tangent, lambda, blend, &[1.0]);
        let mut done = self.factor_blend(&mut tangent, blend);
        if done.is_err() {
            // at a corner, as of a rope that is just about to pull, one side shows a pull on one end and none on the other: not even
            // a spring then looks like one. Both sides together are symmetric
            self.differentiate(&mut tangent, lambda, blend, &[1.0, -1.0]);
            done = self.factor_blend(&mut tangent, blend);
        }
        self.tangent = Some(tangent);
        done
    }

    fn refactor_tangent(&mut self, blend: Blend) -> Result<(), MotionError> {
        let Some(mut tangent) = self.tangent.take() else { return Ok(()) };
        let done = self.factor_blend(&mut tangent, blend);
        self.tangent = Some(tangent);
        done
    }

    fn solve_tangent(&mut self, f: &[f64], g: &[f64], x: &mut [f64], lambda: &mut [f64]) {
        match &mut self.tangent {
            Some(tangent) => {
                let report = tangent.solve(f, g, x, lambda);
                self.core.counters.solves += 1 + u64::from(report.refinements);
            }
            None => x.fill(f64::NAN), // nothing was factored
        }
    }

    fn rest_rates(&mut self, y: &[f64], lambda: &[f64], rates: &mut [f64]) {
        let between_points = self.mechanism.rows.len();
        let driven = if self.core.active {
            self.core.interactions.drive_power(&lambda[between_points..])
        } else {
            0.0
        };
        rates[0] = self.place.power + driven;
        let auxiliary = &y[2 * self.core.nq + 1..];
        // variables that change by themselves never come here: see `System::mechanics`
        self.core.interactions.auxiliary_rates(&self.mechanism.interactions, 0.0, auxiliary, &mut rates[1..]);
    }

    fn settle(&mut self, y: &mut [f64]) {
        let n = self.core.nq;
        if self.core.active {
            self.core.interactions.settle(&self.mechanism.interactions, &mut y[2 * n + 1..]);
        }
    }
}

crate::keep::keep!(Place { t, q, v, auxiliary, a, power });
