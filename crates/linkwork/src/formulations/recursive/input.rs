//! Forces on the rates of the joints that come from outside the model: a constant each, or a law of time and state.

use super::Recursive;
use crate::formulations::kernel::Kernel as _;
use crate::integrate::System;
use crate::model::Fault;
use crate::recursive::LinkJoint;
use std::fmt;
use std::sync::Arc;

/// A law of forces on the rates: (t, q, u) and where to write them, all in the order of the formulation's coordinates and rates.
/// They are zero when it is called. It must depend on its arguments only.
pub type InputLaw = dyn Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync;

/// Forces on the rates: moments about axes, N m, forces along them, N, and the vectors of balls and floating links in world axes.
#[derive(Clone)]
pub enum Input {
    /// Always the same.
    Constant(Vec<f64>),
    /// What a law says.
    Law(Arc<InputLaw>),
}

impl Input {
    /// A law of time and state.
    pub fn law(law: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        Input::Law(Arc::new(law))
    }

    /// Writes the forces.
    pub(crate) fn write(&self, t: f64, q: &[f64], u: &[f64], tau: &mut [f64]) {
        match self {
            Input::Constant(forces) => tau.copy_from_slice(forces),
            Input::Law(law) => law(t, q, u, tau),
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Constant(forces) => f.debug_tuple("Constant").field(forces).finish(),
            Input::Law(_) => f.write_str("Law(..)"),
        }
    }
}

/// Power of forces on rates, W.
pub(super) fn power(tau: impl Iterator<Item = f64>, u: impl Iterator<Item = f64>) -> f64 {
    tau.zip(u).fold(0.0, |sum, (force, rate)| sum + force * rate)
}

impl Recursive<'_> {
    /// Forces on the rates from now on, or none any more. They do work, which the state counts, and belong to what the joints
    /// transmit: reactions contain them. A particle, and a thin rod at a ball joint, take no moments: a law should give them none.
    ///
    /// # Errors
    /// A constant input of another length than the rates, with a number that is not finite, or with such a moment.
    pub fn set_input(&mut self, input: Option<Input>) -> Result<(), Fault> {
        if let Some(Input::Constant(forces)) = &input {
            self.fits("input", "forces", forces, self.tau.len(), "rates")?;
            if let Some(link) = (0..self.links.list.len()).find(|&link| self.spins_idly(link, forces)) {
                let message = format!(
                    "a moment at {} would spin a body that has no inertia about a line",
                    self.link_name(link)
                );
                return Err(Fault::error("input", message).help("give the body some thickness, or no moment"));
            }
        }
        self.factored = false;
        self.tau.fill(0.0);
        if let Some(input @ Input::Constant(_)) = &input {
            input.write(0.0, &[], &[], &mut self.tau);
        }
        self.input = input;
        Ok(())
    }

    /// Starts at other coordinates and rates than the model's, or at the model's again. Quaternions are normalised; where there are
    /// loops or couplings the start is projected onto them.
    ///
    /// # Errors
    /// Other counts than the formulation's, numbers that are not finite, a quaternion of length zero, a start that cannot be
    /// assembled.
    pub fn set_start(&mut self, start: Option<(&[f64], &[f64])>) -> Result<(), Fault> {
        self.given_start = None;
        let Some((q, u)) = start else { return Ok(()) };
        let (nq, nu) = self.counts();
        self.fits("start.q", "coordinates", q, nq, "coordinates")?;
        self.fits("start.u", "rates", u, nu, "rates")?;
        if let Some(&(link, _)) =
            self.quaternions.iter().find(|&&(_, i)| q[i..i + 4].iter().all(|x| x.abs() < 1e-100))
        {
            let message = format!("the quaternion of {} is zero: it says nothing", self.link_name(link));
            return Err(Fault::error("start.q", message).help("no turn is (1, 0, 0, 0)"));
        }
        let auxiliary = self.mechanism.initial_auxiliary();
        let mut y: Vec<f64> = q.iter().chain(u).copied().chain([0.0]).chain(auxiliary).collect();
        if self.rows.is_empty() && self.mechanism.interactions.hints == 0 {
            self.normalise(&mut y[..nq]);
        } else {
            let mut dy = vec![0.0; y.len()];
            self.project(0.0, &mut y, &mut dy).map_err(|error| Fault::error("start", error.to_string()))?;
        }
        self.given_start = Some(y);
        Ok(())
    }

    /// Whether forces on the rates turn a link whose turn about some line has no inertia of its own.
    fn spins_idly(&self, link: usize, forces: &[f64]) -> bool {
        let l = &self.links.list[link];
        let (from, to) = match l.joint {
            LinkJoint::Axis { .. } => (0, 1),
            LinkJoint::Ball => (0, 3),
            LinkJoint::Free => (3, 6),
        };
        let first = self.dynamics.tree().first(link).1;
        l.spare != [[0.0; 3]; 3] && forces[first + from..first + to].iter().any(|&force| force != 0.0)
    }

    /// Whether a list of numbers is what the formulation needs.
    fn fits(&self, path: &str, what: &str, list: &[f64], count: usize, of: &str) -> Result<(), Fault> {
        if list.len() != count {
            let message = format!("{} {what} are given, the mechanism has {count} {of}", list.len());
            return Err(Fault::error(path, message));
        }
        match list.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(i) => Err(Fault::error(path, format!("number {i} is not finite"))),
        }
    }

    /// Forces on the rates at a state.
    pub(super) fn drive(&mut self, t: f64, q: &[f64], u: &[f64]) {
        if let Some(input @ Input::Law(_)) = &self.input {
            self.tau.fill(0.0);
            input.write(t, q, u, &mut self.tau);
        }
    }
}
