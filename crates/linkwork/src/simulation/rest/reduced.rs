//! Equilibrium in the few directions that constraints and closed contacts leave: [`Ground`] for whatever the equations of motion know.
//!
//! N has the directions x that nothing forbids, with NᵀMN = 1, z are the states with differential equations of their own:
//!
//!   (D1)  r = Nᵀ M a(x, z),   g = ż(x, z)
//!
//! with the accelerations a of the equations of motion at rest, contact forces and all. K = −∂r/∂x by differences along places that are projected onto constraints and
//! contacts. Without z the step is that of (E1), in these directions. With z it solves
//!
//!   (D2)  [K + σ, −r_z; g_x, g_z] [d; dz] = [r; −g]
//!
//! and counts as good where the step from the next place, with the same matrix, is shorter.

use super::descent::{Ground, Outcome, Step};
use crate::Error;
use crate::formulations::{MotionError, Points};
use crate::integrate::Mechanics;
use crate::interactions::Rate;
use crate::mechanism::Mechanism;
use crate::model::{Faults, Formulation};
use crate::simulation::Probe;
use crate::simulation::state::State;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use std::ops::Range;

/// The most directions that are followed one by one.
pub(super) const MOST_DIRECTIONS: usize = 400;
/// A direction with this part of the kinetic energy of the unit that it comes from is none.
const NO_DIRECTION: f64 = 1e-8;
/// The step of difference quotients, as a part of the size.
const DIFFERENCE: f64 = 1e-6;

/// The mechanism at a place, and at the one that is tried.
pub(super) struct Reduced<'m> {
    probe: Probe,
    masses: Points<'m>,
    size: f64,
    t: f64,
    rates: Range<usize>,
    /// Where the states z stand in y, and what counts as much of each.
    states: Vec<(usize, f64)>,
    start: Vec<f64>,
    y: Vec<f64>,
    dy: Vec<f64>,
    trial: Vec<f64>,
    trial_dy: Vec<f64>,
    /// The directions, column by column.
    basis: DMatrix<f64>,
    /// K, r_z, g_x and g_z with the signs of (D2), without σ.
    matrix: DMatrix<f64>,
    right: DVector<f64>,
    step: DVector<f64>,
    load: f64,
}

impl<'m> Reduced<'m> {
    /// At a state in point coordinates, with its contacts and limits.
    pub fn new(mechanism: &'m Mechanism, state: &State, load: f64) -> Result<Self, Error> {
        let mut probe = Probe::new(mechanism, Formulation::Points)?;
        let masses = Points::new(mechanism).map_err(|fault| {
            Error::Model(Faults { list: vec![fault], provenance: mechanism.model.provenance.clone() })
        })?;
        let rates = probe.rates();
        let mut y = probe.enter(state)?;
        let mut dy = vec![0.0; probe.dimension()];
        probe.project(state.t, &mut y, &mut dy)?;
        y[rates.clone()].fill(0.0);
        probe.derivative(state.t, &y, &mut dy)?;
        let auxiliary = probe.auxiliary();
        let first = auxiliary.start + mechanism.interactions.variables_at();
        let variables = mechanism.interactions.variables.iter().enumerate();
        let states = variables.filter(|(_, v)| matches!(v.rate, Rate::Program(_) | Rate::Integral(_)));
        let states = states.map(|(i, v)| (first + i, if v.scale.is_finite() { v.scale } else { 1.0 }));
        let mut reduced = Reduced {
            states: states.collect(),
            masses,
            size: mechanism.size,
            t: state.t,
            start: y.clone(),
            trial: y.clone(),
            trial_dy: dy.clone(),
            y,
            dy,
            basis: DMatrix::zeros(rates.len(), 0),
            matrix: DMatrix::zeros(0, 0),
            right: DVector::zeros(0),
            step: DVector::zeros(0),
            rates,
            probe,
            load,
        };
        reduced.find_directions().map_err(|error| reduced.wrong(&error))?;
        reduced.right = reduced.leftover(&reduced.dy);
        Ok(reduced)
    }

    /// The state here.
    pub fn state(&mut self) -> State {
        let y = self.y.clone();
        self.probe.state(self.t, &y)
    }

    /// Number of directions.
    pub fn directions(&self) -> usize {
        self.basis.ncols()
    }

    /// The squares of the frequencies of small motions, 1/s², and their directions in point coordinates with xᵀMx = 1: of the symmetric part of K, smallest first.
    pub fn spectrum(&self) -> Vec<(f64, Vec<f64>)> {
        let k = self.basis.ncols();
        if k == 0 {
            return Vec::new();
        }
        let stiffness = self.matrix.view((0, 0), (k, k)).into_owned();
        let symmetric = 0.5 * (&stiffness + stiffness.transpose());
        let eigen = SymmetricEigen::new(symmetric);
        let directions = &self.basis * &eigen.eigenvectors;
        let mut all: Vec<(f64, Vec<f64>)> = eigen
            .eigenvalues
            .iter()
            .zip(directions.column_iter())
            .map(|(&value, x)| (value, x.iter().copied().collect()))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all
    }

    /// Moves the mechanism along a displacement of its points and stays there.
    pub fn displace(&mut self, displacement: &[f64]) -> Result<(), MotionError> {
        self.place(displacement, &[])?;
        self.accept()
    }

    fn wrong(&self, error: &MotionError) -> Error {
        let failure = crate::simulation::RunFailure::plain(self.t, 0.0, "instant", error.to_string(), "");
        Error::Run(failure)
    }

    /// An orthonormal basis, in the metric of the masses, of the rates that constraints and contacts allow.
    fn find_directions(&mut self) -> Result<(), MotionError> {
        let n = self.rates.len();
        let moving = self.allowed(&vec![0.0; n])?;
        let (mut list, mut image): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for i in 0..n {
            let mut unit = vec![0.0; n];
            unit[i] = 1.0;
            let mut direction = self.allowed(&unit)?;
            direction.iter_mut().zip(&moving).for_each(|(x, v)| *x -= v);
            let mut weighed = vec![0.0; n];
            self.masses.mass_times(&unit, &mut weighed);
            let whole = weighed[i];
            // twice: once loses digits where little is left
            for _ in 0..2 {
                for (other, weight) in list.iter().zip(&image) {
                    let part: f64 = direction.iter().zip(weight).map(|(x, w)| x * w).sum();
                    direction.iter_mut().zip(other).for_each(|(x, o)| *x -= part * o);
                }
            }
            self.masses.mass_times(&direction, &mut weighed);
            let left: f64 = direction.iter().zip(&weighed).map(|(x, w)| x * w).sum();
            if left > NO_DIRECTION * whole.max(f64::MIN_POSITIVE) {
                let scale = left.sqrt().recip();
                list.push(direction.iter().map(|x| x * scale).collect());
                image.push(weighed.iter().map(|x| x * scale).collect());
            }
        }
        self.basis = DMatrix::from_fn(n, list.len(), |i, j| list[j][i]);
        Ok(())
    }

    /// Rates that constraints and contacts make of given ones.
    fn allowed(&mut self, given: &[f64]) -> Result<Vec<f64>, MotionError> {
        self.trial.copy_from_slice(&self.y);
        self.trial[self.rates.clone()].copy_from_slice(given);
        self.project_trial()?;
        Ok(self.trial[self.rates.clone()].to_vec())
    }

    fn project_trial(&mut self) -> Result<(), MotionError> {
        let found = self.probe.project(self.t, &mut self.trial, &mut self.trial_dy);
        found.map_err(|error| MotionError::NotFinite { what: error.to_string() })
    }

    /// r and g of (D1), g with the sign of (D2).
    fn leftover(&self, dy: &[f64]) -> DVector<f64> {
        let mut weighed = vec![0.0; self.rates.len()];
        self.masses.mass_times(&dy[self.rates.clone()], &mut weighed);
        let r = self.basis.tr_mul(&DVector::from_vec(weighed));
        let g = self.states.iter().map(|&(i, scale)| -dy[i] / scale);
        DVector::from_iterator(r.len() + self.states.len(), r.iter().copied().chain(g))
    }

    /// The place a displacement away, with changes of the states, into `trial`.
    fn place(&mut self, displacement: &[f64], states: &[f64]) -> Result<(), MotionError> {
        self.trial.copy_from_slice(&self.y);
        let (t, rates) = (self.t, self.rates.clone());
        self.probe.displace(&mut self.trial, displacement);
        for (&(i, scale), change) in self.states.iter().zip(states) {
            self.trial[i] += scale * change;
        }
        self.project_trial()?;
        self.trial[rates].fill(0.0);
        let found = self.probe.derivative(t, &self.trial, &mut self.trial_dy);
        found.map_err(|error| MotionError::NotFinite { what: error.to_string() })
    }

    /// The columns of (D2).
    fn differentiate(&mut self) -> Result<(), MotionError> {
        let (k, n) = (self.basis.ncols(), self.right.len());
        self.matrix = DMatrix::zeros(n, n);
        for j in 0..n {
            let mut sides = [DVector::zeros(n), DVector::zeros(n)];
            let mut step = DIFFERENCE;
            for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                if j < k {
                    let column: Vec<f64> = self.basis.column(j).iter().copied().collect();
                    let longest = column.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                    step = DIFFERENCE * self.size / longest.max(f64::MIN_POSITIVE);
                    let by: Vec<f64> = column.iter().map(|x| sign * step * x).collect();
                    self.place(&by, &[])?;
                } else {
                    let mut by = vec![0.0; n - k];
                    by[j - k] = sign * step;
                    self.place(&vec![0.0; self.rates.len()], &by)?;
                }
                *side = self.leftover(&self.trial_dy);
            }
            // of r with the other sign: K is what r falls by; of g, whose sign is turned already, too
            let column = (&sides[1] - &sides[0]) / (2.0 * step);
            self.matrix.set_column(j, &column);
        }
        if n == k {
            let symmetric = 0.5 * (&self.matrix + self.matrix.transpose());
            self.matrix = symmetric;
        }
        Ok(())
    }

    fn shifted(&self, shift: f64) -> DMatrix<f64> {
        let mut matrix = self.matrix.clone();
        for i in 0..self.basis.ncols() {
            matrix[(i, i)] += shift;
        }
        matrix
    }
}

impl Ground for Reduced<'_> {
    fn residual(&self) -> f64 {
        let mut weighed = vec![0.0; self.rates.len()];
        self.masses.mass_times(&self.dy[self.rates.clone()], &mut weighed);
        let forces = weighed.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        let states = self.right.iter().skip(self.basis.ncols());
        states.fold(forces, |most, g| most.max(self.load * g.abs()))
    }

    fn load(&self) -> f64 {
        self.load
    }

    fn linearise(&mut self) -> Result<(), MotionError> {
        self.find_directions()?;
        self.right = self.leftover(&self.dy);
        self.differentiate()
    }

    fn direction(&mut self, shift: f64) -> Option<Step> {
        let k = self.basis.ncols();
        let matrix = self.shifted(shift);
        let sound = if self.states.is_empty() {
            let cholesky = nalgebra::Cholesky::new(matrix.clone())?;
            self.step = cholesky.solve(&self.right);
            true
        } else {
            self.step = matrix.clone().full_piv_lu().solve(&self.right)?;
            true
        };
        let d = self.step.rows(0, k);
        let displacement = &self.basis * d;
        let longest = displacement.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if self.states.is_empty() {
            let gain = d.dot(&self.right.rows(0, k));
            let step = Step { gain, bend: gain - shift * d.norm_squared(), longest, sound };
            return (gain > 0.0 && longest.is_finite()).then_some(step);
        }
        // (D2): half the square of the step is what falls
        let square = self.step.norm_squared();
        let step = Step { gain: square, bend: square, longest, sound };
        (square.is_finite() && square > 0.0).then_some(step)
    }

    fn attempt(&mut self, part: f64) -> Result<Outcome, MotionError> {
        let k = self.basis.ncols();
        let by = part * (&self.basis * self.step.rows(0, k));
        let states: Vec<f64> = self.step.iter().skip(k).map(|x| part * x).collect();
        self.place(by.as_slice(), &states)?;
        let there = self.leftover(&self.trial_dy);
        let mut weighed = vec![0.0; self.rates.len()];
        self.masses.mass_times(&self.trial_dy[self.rates.clone()], &mut weighed);
        let forces = weighed.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        let residual = there.iter().skip(k).fold(forces, |most, g| most.max(self.load * g.abs()));
        if !residual.is_finite() {
            return Err(MotionError::NotFinite { what: "a force at rest".into() });
        }
        let work = if self.states.is_empty() {
            0.5 * part * self.step.rows(0, k).dot(&(&self.right + &there).rows(0, k))
        } else {
            let next = self.matrix.clone().full_piv_lu().solve(&there);
            let next = next.map_or(f64::INFINITY, |next| next.norm_squared());
            0.5 * (self.step.norm_squared() - next)
        };
        Ok(Outcome { work, residual })
    }

    fn accept(&mut self) -> Result<(), MotionError> {
        std::mem::swap(&mut self.y, &mut self.trial);
        std::mem::swap(&mut self.dy, &mut self.trial_dy);
        self.right = self.leftover(&self.dy);
        Ok(())
    }

    fn moved(&self) -> f64 {
        let apart = self.y[..self.rates.start].iter().zip(&self.start);
        apart.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
    }
}
