//! What an element may ask of the mechanism that it is attached to: where its points are, which coordinates joints have, what its formulas read.

use super::{Burn, RoadPlace, spring};
use crate::drawing::Axis;
use crate::error::Fault;
use crate::expressions::{Formula, Table};
use crate::interactions::{
    Action, BodyIndex, BodyPoint, CoordinateFunction, Coupling, Integral, Motion, Program,
};
use crate::linalg::vec3::Vec3;
use std::sync::Arc;

/// A coordinate of a joint, of two points or of two bodies: a coordinate function times a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate {
    /// Which coordinate function.
    pub gauge: usize,
    /// By what to multiply.
    pub factor: f64,
}

/// The controller of an actuator: what it needs besides its law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Controller {
    /// Stiffness over integral gain, s.
    pub own_time: f64,
    /// N/(m s) or N m/(rad s).
    pub gain: f64,
    /// s
    pub tracking_time: Option<f64>,
    /// Whether it is computed at multiples of a period.
    pub sampled: bool,
}

/// The mechanism around an element, the actions listed so far, and the faults. Paths are those of the file.
pub(crate) trait Site {
    /// Columns per point: 2 or 3.
    fn columns(&self) -> usize;
    /// The origin that places are relative to, in the world, m.
    fn origin(&self) -> [f64; 3];
    /// Keeps a fault.
    fn fault(&mut self, fault: Fault);
    /// A named point where it is shown: on the ground if that holds it, else on the first body that does.
    fn point(&self, name: &str) -> Option<BodyPoint>;
    /// A body by its name; `None` is the ground, and what is not there.
    fn body(&self, name: &str) -> BodyIndex;
    /// A place on a body: where the body has the point, or else where that is drawn.
    fn point_on(&self, body: BodyIndex, point: &str) -> Option<BodyPoint>;
    /// The same from the particles of the body, if it holds the point.
    fn particle_point(&self, body: usize, point: &str) -> Option<BodyPoint>;
    /// A direction as drawn, unit length.
    fn direction(&self, axis: &Axis) -> Option<Vec3>;
    /// Where the bodies are drawn.
    fn drawn(&self) -> Vec<Motion>;
    /// All coordinate functions.
    fn gauges(&self) -> &[CoordinateFunction];
    /// A new coordinate function.
    fn gauge(&mut self, gauge: CoordinateFunction) -> usize;
    /// Lets an angle count its turns; `near` is what it is about at the start.
    fn track(&mut self, gauge: usize, near: f64);
    /// A coordinate of a joint, counted from one; reports if there is none.
    fn coordinate(&mut self, joint: &str, coordinate: usize, path: &str) -> Option<Coordinate>;
    /// Whether two bodies have an orientation whose angle about a free axis can be read; reports if not.
    fn oriented(&mut self, bodies: [BodyIndex; 2], path: &str) -> bool;
    /// Whether a body can carry a moment about an axis, or about any; reports if not.
    fn carries(&mut self, body: BodyIndex, axis: Option<Vec3>, path: &str) -> bool;
    /// Whether a body has inertia about every axis.
    fn is_thick(&self, body: usize) -> bool;
    /// A table of the model by its name.
    fn table(&self, name: &str) -> Option<Arc<Table>>;
    /// A formula ready to be evaluated. `locals` are the names that whoever evaluates it hands over.
    fn bind(&mut self, path: &str, formula: &Formula, locals: &[&str]) -> Option<Program>;
    /// The same for one that is evaluated at samples only: it may read accelerations, reactions and forces of contacts.
    fn bind_sampled(&mut self, path: &str, formula: &Formula, locals: &[&str]) -> Option<Program>;
    /// What the thruster of this number gives over time; `None` if that has no value, which has been reported.
    fn burn(&self, number: usize) -> Option<Arc<Burn>>;
    /// The height of a road as a formula of place and time alone.
    fn road(&self, formula: &Formula, locals: &[&str]) -> Option<(Formula, Vec<RoadPlace>)>;
    /// The integral part of a controller; the variable of the actuator of this number takes it.
    fn integral(&mut self, number: usize, controller: Controller, turns: bool) -> Option<Integral>;
    /// The variable that holds what a sampled actuator does, which is the next action; it is computed at multiples of `every`.
    fn sampled(&mut self, number: usize, every: Option<f64>) -> Option<usize>;
    /// Adds a force, with the name that its columns begin with.
    fn act(&mut self, name: String, action: Action);
    /// Adds a linear spring between two named points.
    fn connect(&mut self, name: String, points: [&str; 2], spring: spring::Law);
    /// Adds a constraint.
    fn constrain(&mut self, constraint: Coupling);
}

impl dyn Site + '_ {
    /// The point of a body at which a force acts: its centre of mass unless one is named. `None` on the ground.
    pub fn force_point(&self, body: &str, at: Option<&String>) -> Option<BodyPoint> {
        let body = self.body(body);
        body?;
        at.map_or(Some(BodyPoint { body, s: [0.0; 3] }), |point| self.point_on(body, point))
    }

    /// Whether the bodies of a coordinate function can be turned about its axis; reports if not.
    pub fn turnable(&mut self, gauge: usize, path: &str) -> bool {
        let axis = match &self.gauges()[gauge] {
            CoordinateFunction::Angle { zero, quarter, .. } => {
                Some(crate::linalg::vec3::cross(zero.u, quarter.u))
            }
            CoordinateFunction::Slope { .. } => None,
            _ => return true,
        };
        self.gauges()[gauge].bodies().into_iter().all(|b| self.carries(Some(b), axis, path))
    }

    /// Three formulas without names of their own.
    pub fn vector(&mut self, path: &str, parts: &[Formula; 3]) -> Option<[Program; 3]> {
        let mut bound = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            bound.push(self.bind(&format!("{path}[{i}]"), part, &[])?);
        }
        bound.try_into().ok()
    }
}
