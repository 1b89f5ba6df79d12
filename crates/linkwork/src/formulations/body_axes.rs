//! Angular velocities in the axes of the body.
//!
//! A formulation in space has the angular velocity ω of a body that turns freely against the ground, by itself or about a ball joint, in world axes. There its components swing
//! with every turn of the body, also where nothing acts on it. In the axes of the body,
//!
//!   (B1)  ν = Rᵀ ω,   ν' = Rᵀ ω'          as (Rν)' = ω × ω + R ν'
//!   (B2)  q' = ½ q ⊗ (0, ν)               for the quaternion q of R
//!
//! Euler's equations have constant coefficients: where no moment acts, ν depends on itself alone, changes as slowly as the body tumbles, and its errors do not mix with those
//! of the orientation. At the same tolerance a tumbling body is then a thousand times more accurate, at less cost.
//!
//! The state of the run has ν; the formulation behind it is asked in ω. Everything else, and bodies that turn against a moving one, is left as it is.

use super::forward::forward;
use super::{Formulate, Jump, MotionError, Twist};
use crate::integrate::{Mechanics, Series, System};
use crate::interactions::{BodyWrench, Motion};
use crate::linalg::quaternion;
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, apply, apply_transposed};
use crate::results::Frame;

/// Where a quaternion begins in a state, and its angular velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spin {
    /// The quaternion, since the drawing.
    pub q: usize,
    /// ω or ν.
    pub u: usize,
}

/// A formulation whose state has ν. The formulation is a trait object, as in [`Contacting`](crate::formulations::Contacting).
pub struct BodyAxes<'m> {
    inner: Box<dyn Formulate + 'm>,
    spins: Vec<Spin>,
    /// Where the rates begin.
    first: usize,
    y: Vec<f64>,
    dy: Vec<f64>,
    rates: Vec<f64>,
    /// R of each spin where the last evaluation was.
    turned: Vec<Mat3>,
}

fn three(x: &[f64], at: usize) -> Vec3 {
    [x[at], x[at + 1], x[at + 2]]
}

impl<'m> BodyAxes<'m> {
    /// The formulation with these spins.
    pub fn new(inner: impl Formulate + 'm, spins: Vec<Spin>) -> Self {
        let (n, rates) = (inner.dimension(), System::rates(&inner));
        BodyAxes {
            inner: Box::new(inner),
            first: rates.start,
            y: vec![0.0; n],
            dy: vec![0.0; n],
            rates: vec![0.0; rates.len()],
            turned: vec![IDENTITY; spins.len()],
            spins,
        }
    }

    /// The state as the formulation has it; also R, if it is evaluated there.
    fn enter(&mut self, y: &[f64], evaluated: bool) {
        self.y.copy_from_slice(y);
        for (spin, turned) in self.spins.iter().zip(&mut self.turned) {
            let r = quaternion::matrix(&y[spin.q..spin.q + 4]);
            self.y[spin.u..spin.u + 3].copy_from_slice(&apply(&r, three(y, spin.u)));
            if evaluated {
                *turned = r;
            }
        }
    }

    /// y' from that of the formulation, with the state of the run.
    fn leave(&self, y: &[f64], dy: &mut [f64]) {
        dy.copy_from_slice(&self.dy);
        for (spin, r) in self.spins.iter().zip(&self.turned) {
            let nu = three(y, spin.u);
            dy[spin.q..spin.q + 4].copy_from_slice(&quaternion::rate_in_body(&y[spin.q..spin.q + 4], nu));
            dy[spin.u..spin.u + 3].copy_from_slice(&apply_transposed(r, three(&self.dy, spin.u)));
        }
    }

    /// Angular velocities that the formulation has changed; those that it has not keep every bit.
    fn take_back(&mut self, y: &mut [f64]) {
        for (spin, turned) in self.spins.iter().zip(&mut self.turned) {
            let r = quaternion::matrix(&self.y[spin.q..spin.q + 4]);
            let before = apply(turned, three(y, spin.u));
            let now = three(&self.y, spin.u);
            let nu = if before == now && r == *turned { three(y, spin.u) } else { apply_transposed(&r, now) };
            self.y[spin.u..spin.u + 3].copy_from_slice(&nu);
            *turned = r;
        }
        y.copy_from_slice(&self.y);
    }

    /// Rates of the run as those of the formulation.
    fn enter_rates(&mut self, y: &[f64], rates: &[f64]) {
        self.rates.copy_from_slice(rates);
        for spin in &self.spins {
            let r = quaternion::matrix(&y[spin.q..spin.q + 4]);
            let at = spin.u - self.first;
            self.rates[at..at + 3].copy_from_slice(&apply(&r, three(rates, at)));
        }
    }
}

impl System for BodyAxes<'_> {
    type Error = MotionError;

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.enter(y, true);
        self.inner.derivative(t, &self.y, &mut self.dy)?;
        self.leave(y, dy);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        for spin in &self.spins {
            quaternion::normalise(&mut y[spin.q..spin.q + 4]);
        }
        self.enter(y, true);
        self.inner.project(t, &mut self.y, &mut self.dy)?;
        self.take_back(y);
        self.leave(y, dy);
        Ok(())
    }

    fn mechanics(&mut self) -> Option<&mut dyn Mechanics<Error = MotionError>> {
        None
    }

    fn series(&mut self) -> Option<&mut dyn Series<Error = MotionError>> {
        None
    }

    fn evaluate_independence(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.enter(y, true);
        self.inner.evaluate_independence(t, &self.y, dy)
    }

    forward!(dimension, rates, error_scale, is_place, independence);
}

impl Formulate for BodyAxes<'_> {
    fn start(&self) -> Vec<f64> {
        let mut y = self.inner.start();
        self.to_body_axes(&mut y);
        y
    }

    fn to_world_axes(&self, y: &mut [f64]) {
        for spin in &self.spins {
            let r = quaternion::matrix(&y[spin.q..spin.q + 4]);
            let w = apply(&r, three(y, spin.u));
            y[spin.u..spin.u + 3].copy_from_slice(&w);
        }
    }

    fn to_body_axes(&self, y: &mut [f64]) {
        for spin in &self.spins {
            let r = quaternion::matrix(&y[spin.q..spin.q + 4]);
            let nu = apply_transposed(&r, three(y, spin.u));
            y[spin.u..spin.u + 3].copy_from_slice(&nu);
        }
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        self.enter(y, true);
        self.inner.observe(t, &self.y, frame)
    }

    fn locate_bodies(&mut self, y: &[f64], motions: &mut [Motion]) {
        self.enter(y, false);
        self.inner.locate_bodies(&self.y, motions);
    }

    fn jump(&mut self, t: f64, y: &mut [f64], wanted: &[(usize, f64)]) -> Result<Jump, MotionError> {
        self.enter(y, true);
        let jump = self.inner.jump(t, &mut self.y, wanted)?;
        self.take_back(y);
        Ok(jump)
    }

    fn respond(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<f64, MotionError> {
        let power = self.inner.respond(pulls, change)?;
        for (spin, r) in self.spins.iter().zip(&self.turned) {
            let at = spin.u - self.first;
            let nu = apply_transposed(r, three(change, at));
            change[at..at + 3].copy_from_slice(&nu);
        }
        Ok(power)
    }

    fn twists(&mut self, y: &[f64], rates: &[f64], out: &mut [Twist]) {
        self.enter(y, false);
        self.enter_rates(y, rates);
        self.inner.twists(&self.y, &self.rates, out);
    }

    fn body_accelerations(&mut self, y: &[f64], dy: &[f64], out: &mut [Twist]) {
        self.enter(y, false);
        let rates = System::rates(&*self.inner);
        self.enter_rates(y, &dy[rates.clone()]);
        self.dy.copy_from_slice(dy);
        self.dy[rates].copy_from_slice(&self.rates);
        self.inner.body_accelerations(&self.y, &self.dy, out);
    }

    fn displace(&mut self, y: &mut [f64], change: &[f64]) {
        self.enter(y, false);
        self.enter_rates(y, change);
        self.inner.displace(&mut self.y, &self.rates);
        let first = self.first;
        y[..first].copy_from_slice(&self.y[..first]);
    }

    forward!(
        begin_series,
        work_index,
        joint_coordinates,
        is_bound,
        switch,
        row_name,
        set_loads,
        hold,
        has_joint_inertia,
        sizes,
        counters,
        component_name,
        component_bodies
    );
}

crate::keep::keep!(BodyAxes<'_> { inner, turned } but { spins, first, y, dy, rates } if |axes| axes.turned.len() == axes.spins.len());
