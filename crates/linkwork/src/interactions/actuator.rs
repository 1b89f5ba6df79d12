//! A motor along a gauge: a force that a formula gives, or one that follows a set value.
//!
//!   (M1)  q = w g,   v = q̇                                    the actuated coordinate
//!   (M2)  u = F(t, q, v, …)       or       u = k (q_s − q) + c (v_s − v)
//!   (M3)  |u| ≤ u_max
//!   (M4)  pulls: u w times the gradient of g;   power = u v
//!
//! All of its power is work done on the mechanism: it has no potential.

use super::Interactions;
use super::action::Effect;
use super::motion::Pulls;
use super::program::{Context, Program, Scratch};

/// (M2)
#[derive(Clone, Debug)]
pub enum Effort {
    /// F, of q and v (locals 0 and 1).
    Given(Program),
    /// Proportional and derivative control.
    Controlled {
        /// q_s
        setpoint: Program,
        /// v_s
        rate_setpoint: Program,
        /// k
        stiffness: f64,
        /// c
        damping: f64,
    },
}

/// A motor.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// g
    pub gauge: usize,
    /// w
    pub factor: f64,
    /// u
    pub effort: Effort,
    /// u_max
    pub limit: f64,
}

impl Actuator {
    /// u and v.
    fn effort(&self, at: &Context<'_>, scratch: &mut Scratch) -> (f64, f64) {
        let jet = at.interactions.gauges[self.gauge].jet(at.scene.bodies, at.scene.hints) * self.factor;
        let locals = [jet.x, jet.d];
        let at = Context { locals: &locals, ..*at };
        let u = match &self.effort {
            Effort::Given(force) => force.eval(&at, scratch),
            Effort::Controlled { setpoint, rate_setpoint, stiffness, damping } => {
                stiffness * (setpoint.eval(&at, scratch) - jet.x)
                    + damping * (rate_setpoint.eval(&at, scratch) - jet.d)
            }
        };
        // what is not a number stays so, and what is infinite has no limit
        let u = if u.is_infinite() { f64::NAN } else { u };
        let u = if u > self.limit { self.limit } else { u };
        (if u < -self.limit { -self.limit } else { u }, jet.d)
    }

    pub(super) fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Pulls) -> Effect {
        let (u, v) = self.effort(at, scratch);
        let gauge = &at.interactions.gauges[self.gauge];
        gauge.pull(at.scene.bodies, at.scene.hints, u * self.factor, pulls);
        Effect { power: u * v, potential: 0.0 }
    }

    pub(super) fn columns(&self, interactions: &Interactions) -> Vec<(&'static str, &'static str)> {
        match interactions.gauges[self.gauge].is_angle() {
            true => vec![("torque", "N m"), ("power", "W")],
            false => vec![("force", "N"), ("power", "W")],
        }
    }

    pub(super) fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let (u, v) = self.effort(at, scratch);
        out.extend([u, u * v]);
    }

    pub(super) fn programs(&self) -> Vec<&Program> {
        match &self.effort {
            Effort::Given(force) => vec![force],
            Effort::Controlled { setpoint, rate_setpoint, .. } => vec![setpoint, rate_setpoint],
        }
    }

    pub(super) fn programs_mut(&mut self) -> Vec<&mut Program> {
        match &mut self.effort {
            Effort::Given(force) => vec![force],
            Effort::Controlled { setpoint, rate_setpoint, .. } => vec![setpoint, rate_setpoint],
        }
    }
}
