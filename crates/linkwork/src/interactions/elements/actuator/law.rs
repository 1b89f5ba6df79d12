//! A motor along a coordinate function: a force that a formula gives, or one that follows a set value.
//!
//!   (M1)  q = w g,   v = q̇                                    the actuated coordinate
//!   (M2)  u_c = F(t, q, v, …)       or       u_c = k e + c (v_s − v) + k_i I,   e = q_s − q
//!   (M3)  u = u_c cut to ±u_max
//!   (M4)  pulls: u w times the gradient of g;   power = u v
//!   (M5)  İ = e + (u − u_c) / (k_i T)
//!
//! I is a variable of the state. While the limit holds, the second term of (M5) leads it back with the time constant T (back-calculation), so that it does not wind up: at
//! rest, and with e constant, it stays where u_c is beyond the limit by k_i T e. (M5) has a corner where the limit begins, and no jump. Clamping,
//! which stops the integral there, would jump, and error control would have to look for the place.
//!
//! All of its power is work done on the mechanism: it has no potential.

use crate::interactions::Interactions;
use crate::interactions::action::{Effect, Law};
use crate::interactions::motion::Wrenches;
use crate::interactions::program::{Context, Program, Scratch};

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
        /// k_i I
        integral: Option<Integral>,
    },
}

/// The integral part of a controller.
#[derive(Clone, Copy, Debug)]
pub struct Integral {
    /// k_i
    pub gain: f64,
    /// The variable that is I.
    pub variable: usize,
    /// T
    pub tracking: f64,
}

/// What a motor does at an instant.
struct Command {
    /// u_c
    wanted: f64,
    /// u
    u: f64,
    /// e, of a controller.
    deviation: f64,
    /// v
    rate: f64,
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
    /// The variable that holds u between samples, of a motor that is sampled.
    pub held: Option<usize>,
}

impl Actuator {
    /// (M2), (M3)
    fn command(&self, at: &Context<'_>, scratch: &mut Scratch) -> Command {
        let jet = at.interactions.gauges[self.gauge].jet(at.scene.bodies, at.scene.hints) * self.factor;
        let locals = [jet.x, jet.d];
        let at = Context { locals: &locals, ..*at };
        let (u, deviation) = match &self.effort {
            Effort::Given(force) => (force.eval(&at, scratch), 0.0),
            Effort::Controlled { setpoint, rate_setpoint, stiffness, damping, integral } => {
                let e = setpoint.eval(&at, scratch) - jet.x;
                let u = stiffness * e + damping * (rate_setpoint.eval(&at, scratch) - jet.d);
                (integral.map_or(u, |integral| u + integral.gain * at.variable(integral.variable)), e)
            }
        };
        // what is not a number stays so, and what is infinite has no limit
        let wanted = if u.is_infinite() { f64::NAN } else { u };
        let u = if wanted > self.limit { self.limit } else { wanted };
        let u = if u < -self.limit { -self.limit } else { u };
        Command { wanted, u, deviation, rate: jet.d }
    }

    /// u and v.
    fn effort(&self, at: &Context<'_>, scratch: &mut Scratch) -> (f64, f64) {
        if let Some(held) = self.held {
            let gauge = &at.interactions.gauges[self.gauge];
            return (at.variable(held), gauge.jet(at.scene.bodies, at.scene.hints).d * self.factor);
        }
        let Command { u, rate, .. } = self.command(at, scratch);
        (u, rate)
    }

    /// (M5)
    pub(in crate::interactions) fn integral_rate(&self, at: &Context<'_>, scratch: &mut Scratch) -> f64 {
        self.sample(at, scratch).1
    }

    /// u and İ, (M2), (M3), (M5), whether u is held or not.
    pub(in crate::interactions) fn sample(&self, at: &Context<'_>, scratch: &mut Scratch) -> (f64, f64) {
        let Command { wanted, u, deviation, .. } = self.command(at, scratch);
        let rate = match &self.effort {
            Effort::Controlled { integral: Some(Integral { gain, tracking, .. }), .. } => {
                deviation + (u - wanted) / (gain * tracking)
            }
            _ => 0.0,
        };
        (u, rate)
    }
}

impl Law for Actuator {
    fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let (u, v) = self.effort(at, scratch);
        let gauge = &at.interactions.gauges[self.gauge];
        gauge.pull(at.scene.bodies, at.scene.hints, u * self.factor, pulls);
        Effect { power: u * v, potential: 0.0 }
    }

    fn columns(&self, interactions: &Interactions) -> Vec<(&'static str, &'static str)> {
        match interactions.gauges[self.gauge].is_angle() {
            true => vec![("torque", "N m"), ("power", "W")],
            false => vec![("force", "N"), ("power", "W")],
        }
    }

    fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let (u, v) = self.effort(at, scratch);
        out.extend([u, u * v]);
    }

    fn programs(&self) -> Vec<&Program> {
        match &self.effort {
            Effort::Given(force) => vec![force],
            Effort::Controlled { setpoint, rate_setpoint, .. } => vec![setpoint, rate_setpoint],
        }
    }

    fn bodies(&self, interactions: &Interactions) -> Vec<usize> {
        interactions.gauges[self.gauge].bodies()
    }
}
