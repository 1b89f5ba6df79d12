//! Positions of a mechanism, and nothing else of it: closed, displaced and projected in the coordinates of the tree.
//!
//! With z a change of the rates' kind, each component divided by its size (the size of the mechanism for paths, a radian for angles):
//!
//! ```text
//!   (F1)  Φ(q) / size = 0              loops, couplings, drivers at the time t, locks
//!   (F2)  C z = 0                      changes that keep them: the null space of C, by singular values
//!   (F3)  z = −C⁺ Φ / size, again      the projection; C⁺ is damped, so that rows that depend on others do no harm
//! ```
//!
//! Where C is square and well away from singular, C⁺ is its inverse, by elimination.
//!
//! Rows of rolling in space bind velocities and no positions: they are left out.

use crate::Error;
use crate::formulations::{Recursive, TreeCoordinate};
use crate::interactions::{CoordinateFunction, Motion};
use crate::linalg::lu::Lu;
use crate::linalg::singular_values::SingularValues;
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::IDENTITY;
use crate::mechanism::{JointCoordinate, Mechanism};
use crate::model::{Fault, Faults, Formulation};
use crate::simulation::State;
use std::f64::consts::TAU;

/// Singular values below this part of the largest belong to rows that depend on others. A mechanism closed up to rounding has 1e-12 there.
pub(super) const DEPENDENT: f64 = 1e-8;
/// Damping of (F3), as a part of the largest singular value: far below what independent rows have.
const DAMPING: f64 = 1e-6;
/// Residuals below this part of the size are rounding.
const CLOSED: f64 = 4e-15;
/// A projection that ends above this part of the size has failed.
const OPEN: f64 = 1e-12;
/// C whose smallest pivot is above this part of the largest is solved by elimination: damping would change the answer by less than 1e-6 of it.
const REGULAR: f64 = 1e-3;
const MAX_STEPS: usize = 60;
/// A step of the projection turns no angle further than this, rad, and moves no path by more than this part of the size.
const LONGEST: f64 = 0.7;

/// Positions of a mechanism.
pub(super) struct Configuration<'m> {
    pub mechanism: &'m Mechanism,
    pub system: Recursive<'m>,
    pub at: Positions,
    /// Where the bodies are.
    pub motions: Vec<Motion>,
    /// Sizes of the rates.
    pub sizes: Vec<f64>,
    /// Rows that bind positions.
    rows: Vec<usize>,
    state: State,
    work: Work,
}

/// Room for a step of the projection.
#[derive(Default)]
struct Work {
    /// C, and its factors where it is square.
    c: Vec<f64>,
    lu: Lu<f64>,
    change: Vec<f64>,
    step: Vec<f64>,
}

/// What a configuration is made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Positions {
    pub t: f64,
    /// Coordinates of the tree.
    pub q: Vec<f64>,
    /// Turns, places on curves, held values, variables.
    pub auxiliary: Vec<f64>,
}

/// Demands beside the constraints, each with its row of changes and what is missing, in parts of its size.
#[derive(Clone, Debug, Default)]
pub(super) struct Demands {
    pub rows: Vec<f64>,
    pub missing: Vec<f64>,
}

impl<'m> Configuration<'m> {
    /// The mechanism at its start.
    ///
    /// # Errors
    /// [`Error::Model`] if joint variables cannot describe it.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Error> {
        let refuse = |fault: Fault| {
            Error::Model(Faults { list: vec![fault], provenance: mechanism.model().provenance.clone() })
        };
        let system = Recursive::new(mechanism).map_err(refuse)?;
        let state = mechanism.initial_state(Formulation::Recursive)?;
        let at = Positions { t: state.t, q: state.coordinates.clone(), auxiliary: state.auxiliary.clone() };
        let joint_rows = system.joint_row_count();
        let couplings = mechanism.interactions().couplings.iter().enumerate();
        let of_couplings =
            couplings.filter(|(_, coupling)| !coupling.binds_velocities_only()).map(|(i, _)| joint_rows + i);
        let rows = (0..joint_rows).chain(of_couplings).collect();
        let sizes = system.rate_sizes(1.0);
        let motions = vec![Motion::FIXED; mechanism.bodies().len()];
        let work = Work { lu: Lu::new(sizes.len()), ..Work::default() };
        let mut configuration = Configuration { mechanism, system, at, motions, sizes, rows, state, work };
        configuration.place();
        Ok(configuration)
    }

    /// Goes to other positions.
    pub fn go_to(&mut self, at: &Positions) {
        self.at.clone_from(at);
        self.place();
    }

    /// Goes to another time; the coordinates of the tree stay.
    pub fn go_to_time(&mut self, t: f64) {
        self.at.t = t;
        self.place();
    }

    /// Number of rates.
    pub fn freedoms_of_tree(&self) -> usize {
        self.sizes.len()
    }

    fn place(&mut self) {
        self.system.place_at(self.at.t, &self.at.q, &self.at.auxiliary);
        self.system.motions_there(&mut self.motions);
    }

    /// Φ of (F1) in parts of the size.
    pub fn residuals(&self) -> Vec<f64> {
        self.each_residual().collect()
    }

    fn each_residual(&self) -> impl Iterator<Item = f64> + '_ {
        let phi = self.system.position_residuals();
        self.rows.iter().map(move |&r| phi[r] / self.mechanism.size())
    }

    /// What the row with the largest residual is called, and its residual, m.
    pub fn worst(&self) -> Option<(String, f64)> {
        let phi = self.system.position_residuals();
        let worst = self.rows.iter().max_by(|a, b| phi[**a].abs().total_cmp(&phi[**b].abs()))?;
        Some((self.system.constraint_name(*worst).to_owned(), phi[*worst].abs()))
    }

    /// C of (F2), row by row.
    pub fn constraint_rows(&self) -> Vec<f64> {
        let mut rows = Vec::new();
        self.constraint_rows_into(&mut rows);
        rows
    }

    fn constraint_rows_into(&self, rows: &mut Vec<f64>) {
        let n = self.sizes.len();
        rows.clear();
        rows.resize(self.rows.len() * n, 0.0);
        for (&r, row) in self.rows.iter().zip(rows.chunks_mut(n.max(1))) {
            for (k, c) in self.system.constraint_row(r) {
                row[k] = c * self.sizes[k] / self.mechanism.size();
            }
        }
    }

    /// Factors C, if it is square; whether that succeeds.
    fn factor(&mut self) -> bool {
        let n = self.sizes.len();
        let mut c = std::mem::take(&mut self.work.c);
        self.constraint_rows_into(&mut c);
        let factored = c.len() == n * n && self.work.lu.factor(n, |i, j| c[i * n + j]).is_ok();
        self.work.c = c;
        factored
    }

    /// The sign of the determinant of C; zero where it is singular to the last bit or not square.
    pub fn sign(&mut self) -> f64 {
        if self.factor() { self.work.lu.sign() } else { 0.0 }
    }

    /// One step of (F3), not shortened.
    pub fn closing_change(&mut self, change: &mut Vec<f64>) {
        change.clear();
        change.extend(self.each_residual());
        if self.factor() && self.work.lu.smallest_pivot() > REGULAR {
            self.work.lu.solve(change);
        } else {
            *change = SingularValues::new(&self.work.c, self.sizes.len()).damped(change, DAMPING);
        }
        change.iter_mut().for_each(|z| *z = -*z);
    }

    /// Velocity of the centre of mass and angular velocity of every body for a unit of every change: six numbers for each, change by change.
    pub fn body_rates(&self) -> Vec<[f64; 6]> {
        let (n, bodies) = (self.sizes.len(), self.motions.len());
        let mut out = vec![[0.0; 6]; n * bodies];
        for body in 0..bodies {
            for c in 0..6 {
                let mut wrench = Wrench::default();
                match c {
                    0..3 => wrench.force = IDENTITY[c],
                    _ => wrench.moment = IDENTITY[c - 3],
                }
                self.system.each_rate_of_body(body, wrench, |k, power| {
                    out[k * bodies + body][c] += power * self.sizes[k];
                });
            }
        }
        out
    }

    /// Moves along a change, and counts turns and places on curves on.
    pub fn displace(&mut self, change: &[f64]) {
        let Work { step, .. } = &mut self.work;
        step.clear();
        step.extend(change.iter().zip(&self.sizes).map(|(z, size)| z * size));
        self.system.displace_positions(&mut self.at.q, step);
        self.place();
        if self.follow() {
            self.place();
        }
    }

    /// Brings the hints of coordinate functions up to date; whether there are any.
    fn follow(&mut self) -> bool {
        let interactions = self.mechanism.interactions();
        for gauge in interactions.gauges.iter().filter(|_| interactions.hints > 0) {
            let hints = &self.at.auxiliary[..interactions.hints];
            if let Some((hint, value, _)) = gauge.hint(&self.motions, hints)
                && value.is_finite()
            {
                self.at.auxiliary[hint] = value;
            }
        }
        interactions.hints > 0
    }

    /// (F3) with further demands, which `demands` works out wherever the projection gets to. Whether they are met; if not, the configuration is anywhere.
    pub fn project(&mut self, mut demands: impl FnMut(&Self) -> Demands) -> bool {
        let n = self.sizes.len();
        let mut before = f64::INFINITY;
        for step in 0..MAX_STEPS {
            let Demands { rows: more, missing } = demands(self);
            let mut residuals = self.residuals();
            residuals.extend(missing.iter().map(|m| -m));
            let worst = residuals.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
            if !residuals.iter().all(|r| r.is_finite()) {
                return false;
            }
            if worst <= CLOSED || (worst <= OPEN && worst > 0.25 * before && step >= 2) {
                return true;
            }
            before = worst;
            let mut rows = self.constraint_rows();
            rows.extend(more);
            if rows.is_empty() {
                return worst <= OPEN;
            }
            let mut change = SingularValues::new(&rows, n).damped(&residuals, DAMPING);
            let longest = change.iter().fold(0.0, |m: f64, z| m.max(z.abs()));
            let factor = -(LONGEST / longest).min(1.0);
            change.iter_mut().for_each(|z| *z *= factor);
            self.displace(&change);
        }
        let residuals = self.residuals().into_iter().chain(demands(self).missing);
        residuals.fold(0.0, |m: f64, r| m.max(r.abs())) <= OPEN
    }

    /// (F3) alone.
    pub fn close(&mut self) -> bool {
        let mut before = f64::INFINITY;
        let mut change = std::mem::take(&mut self.work.change);
        let mut closed = false;
        for step in 0..=MAX_STEPS {
            let worst = self
                .each_residual()
                .fold(0.0, |m: f64, r| if r.is_finite() { m.max(r.abs()) } else { f64::INFINITY });
            closed = worst <= OPEN;
            let is_least = worst <= CLOSED || (closed && worst > 0.25 * before && step >= 2);
            if is_least || worst.is_infinite() || self.rows.is_empty() || step == MAX_STEPS {
                break;
            }
            before = worst;
            self.closing_change(&mut change);
            let longest = change.iter().fold(0.0, |m: f64, z| m.max(z.abs()));
            if longest > LONGEST {
                change.iter_mut().for_each(|z| *z *= LONGEST / longest);
            }
            self.displace(&change);
        }
        self.work.change = change;
        closed
    }

    /// Goes to a time in steps, so that loops stay in the branch that is drawn; how far it gets, s.
    pub fn advance_to(&mut self, t: f64) -> Result<(), f64> {
        const STEPS: usize = 200;
        let from = self.at.t;
        if t == from {
            return Ok(());
        }
        for step in 1..=STEPS {
            let before = self.at.clone();
            self.at.t = from + (t - from) * (step as f64 / STEPS as f64);
            self.place();
            if !self.close() {
                let reached = before.t;
                self.go_to(&before);
                return Err(reached);
            }
        }
        Ok(())
    }

    /// As plain data, at rest, with locks and limits as the model starts. Joints have the given coordinates.
    pub fn state(&self) -> State {
        let mut state = self.state.clone();
        state.t = self.at.t;
        state.coordinates.clone_from(&self.at.q);
        state.rates.fill(0.0);
        state.auxiliary.clone_from(&self.at.auxiliary);
        let interactions = self.mechanism.interactions();
        let hints = &self.at.auxiliary[..interactions.hints];
        for (j, (joint, list)) in self.mechanism.joints().iter().zip(&mut state.joints).enumerate() {
            for (i, (coordinate, out)) in joint.coordinates.iter().zip(list).enumerate() {
                let gauge = &interactions.gauges[coordinate.gauge];
                let mut q = gauge.jet(&self.motions, hints).x * coordinate.factor;
                // coordinates of the tree count turns
                if let (CoordinateFunction::Angle { hint: None, .. }, Some((k, sign))) =
                    (gauge, self.system.tree_coordinate_of(j, i))
                {
                    q += TAU * ((sign * self.at.q[k] - q) / TAU).round();
                }
                *out = JointCoordinate { q, v: 0.0 };
            }
        }
        state
    }

    /// What the coordinates of the tree are.
    pub fn kinds(&self) -> Vec<TreeCoordinate> {
        self.system.tree_coordinates()
    }

    /// Where the named points are, in the world, m.
    pub fn points(&self) -> Vec<[f64; 3]> {
        let mechanism = self.mechanism;
        let place = |point: &crate::mechanism::MechanismPoint| {
            let (body, _) = self.system.home(point.node);
            let r = mechanism.spot(body, point.node).at(&self.motions).r;
            crate::linalg::vec3::add(r, mechanism.model().origin)
        };
        mechanism.points().iter().map(place).collect()
    }
}
