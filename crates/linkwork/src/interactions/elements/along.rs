//! A force along a coordinate function g, or along a weighted sum of coordinate functions: springs, dampers, ropes, stops, friction.
//!
//!   (A1)  Q = −k (g − g₀) − c ġ − C(g − g₀) − T(g, ġ, t, …) − p        on g; (A5) adds stops and friction
//!   (A2)  pulls: Q times the gradient of g
//!   (A3)  V = ½ k (g − g₀)² + ½ Σ k_s δ²                         springs and stops
//!   (A4)  a rope:  Q = min(0, …) and nothing at all while g < g₀
//!   (A5)  stop:  k_s δ + c_s δ̇, not below zero;   friction:  −F_c tanh(ġ / v_s)
//!
//! C is a curve through given points, T a formula. δ is how far g is beyond a limit. Friction is smoothed over the speed v_s: below it the joint creeps.

use crate::expressions::Table;
use crate::interactions::Interactions;
use crate::interactions::action::{Effect, Law};
use crate::interactions::motion::Wrenches;
use crate::interactions::program::{Context, Program, Scratch};
use crate::linalg::jet::Jet;
use std::sync::Arc;

/// Limits of a coordinate function.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Lower and upper limit.
    pub limits: [f64; 2],
    /// k_s
    pub stiffness: f64,
    /// c_s
    pub damping: f64,
}

/// What the results show of a force along a coordinate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// The sum of the coordinate functions, its rate and the pull that makes it shorter.
    Sum,
    /// The first coordinate function, its rate and the pull: a rope, whatever a winch has wound up of it.
    Rope,
    /// Nothing: it belongs to a joint.
    Nothing,
}

/// A force along a coordinate function. Units are those of the coordinate function: N, m or N m, rad.
#[derive(Clone, Debug)]
pub struct Along {
    /// (coordinate function, weight)
    pub terms: Vec<(usize, f64)>,
    /// k
    pub stiffness: f64,
    /// c
    pub damping: f64,
    /// g₀
    pub rest: f64,
    /// p, a pull that makes g shorter.
    pub preload: f64,
    /// F_c
    pub friction: f64,
    /// v_s
    pub friction_speed: f64,
    /// Stops.
    pub stop: Option<Stop>,
    /// C, a pull that makes g shorter, of g − g₀.
    pub curve: Option<Arc<Table>>,
    /// T, a pull that makes g shorter, of g and ġ (locals 0 and 1).
    pub tension: Option<Program>,
    /// A rope: it can pull only.
    pub only_pulls: bool,
    /// What the results show.
    pub shows: Shows,
}

impl Default for Along {
    fn default() -> Self {
        Along {
            terms: Vec::new(),
            stiffness: 0.0,
            damping: 0.0,
            rest: 0.0,
            preload: 0.0,
            friction: 0.0,
            friction_speed: 1.0,
            stop: None,
            curve: None,
            tension: None,
            only_pulls: false,
            shows: Shows::Sum,
        }
    }
}

impl Along {
    fn reading(&self, at: &Context<'_>) -> Jet {
        let (bodies, hints) = (at.scene.bodies, at.scene.hints);
        self.terms
            .iter()
            .fold(Jet::default(), |s, &(g, w)| s + at.interactions.gauges[g].jet(bodies, hints) * w)
    }

    /// Q, the part of it that has a potential, and that potential.
    fn law(&self, g: Jet, at: &Context<'_>, scratch: &mut Scratch) -> (f64, f64, f64) {
        let stretch = g.x - self.rest;
        if self.only_pulls && stretch < 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let locals = [g.x, g.d];
        let at = Context { locals: &locals, ..*at };
        let mut kept = -self.stiffness * stretch;
        let mut potential = 0.5 * self.stiffness * stretch * stretch;
        let mut q = kept - self.damping * g.d - self.preload;
        if self.friction != 0.0 {
            q -= self.friction * (g.d / self.friction_speed).tanh();
        }
        if let Some(curve) = &self.curve {
            q -= curve.eval(stretch).map_or(f64::NAN, |[value, ..]| value);
        }
        if let Some(tension) = &self.tension {
            q -= tension.eval(&at, scratch);
        }
        if self.only_pulls && q > 0.0 {
            q = 0.0;
        }
        if let Some(stop) = &self.stop {
            for (limit, sign) in stop.limits.into_iter().zip([1.0, -1.0]) {
                let depth = sign * (limit - g.x);
                if depth > 0.0 {
                    q += sign * (stop.stiffness * depth - stop.damping * sign * g.d).max(0.0);
                    kept += sign * stop.stiffness * depth;
                    potential += 0.5 * stop.stiffness * depth * depth;
                }
            }
        }
        (q, kept, potential)
    }

    fn turns(&self, interactions: &Interactions) -> bool {
        self.terms.first().is_some_and(|&(g, _)| interactions.gauges[g].is_angle())
    }
}

impl Law for Along {
    fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let g = self.reading(at);
        let (q, kept, potential) = self.law(g, at, scratch);
        if q != 0.0 {
            for &(gauge, w) in &self.terms {
                at.interactions.gauges[gauge].pull(at.scene.bodies, at.scene.hints, q * w, pulls);
            }
        }
        Effect { power: (q - kept) * g.d, potential }
    }

    fn columns(&self, interactions: &Interactions) -> Vec<(&'static str, &'static str)> {
        match (self.shows, self.turns(interactions)) {
            (Shows::Nothing, _) => vec![],
            (_, true) => vec![("angle", "rad"), ("rate", "rad/s"), ("moment", "N m")],
            (_, false) => vec![("length", "m"), ("rate", "m/s"), ("force", "N")],
        }
    }

    fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let g = self.reading(at);
        let shown = match self.shows {
            Shows::Nothing => return,
            Shows::Sum => g,
            Shows::Rope => at.interactions.gauges[self.terms[0].0].jet(at.scene.bodies, at.scene.hints),
        };
        let q = self.law(g, at, scratch).0;
        out.extend([shown.x, shown.d, -q]);
    }

    fn programs(&self) -> Vec<&Program> {
        self.tension.iter().collect()
    }

    fn bodies(&self, interactions: &Interactions) -> Vec<usize> {
        self.terms.iter().flat_map(|&(g, _)| interactions.gauges[g].bodies()).collect()
    }
}
