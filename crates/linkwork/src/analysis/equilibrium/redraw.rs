//! A model whose drawing is the equilibrium.
//!
//! Points are put where they are at rest, and what is given in the axes of the drawing turns with its body: centres of mass, moments of inertia, axes of shapes and joints. With R
//! the rotation of a body since the drawing and c its centre of mass,
//!
//!   (W1)  x ← c + R (x₀ − c₀),   a ← R a₀,   I ← R I₀ Rᵀ
//!
//! Coordinates of joints count from the drawing, so what reads them (torsion springs, limits, drivers, formulas) may mean something else then. What was made is therefore
//! assembled, and its own equilibrium sought: where that is elsewhere the drawing stays, and `[initial.joints]` says where the mechanism is. If that leads elsewhere, too,
//! nothing is written.

use super::Equilibrium;
use crate::Error;
use crate::drawing::{Axis, Place};
use crate::joints::JointData;
use crate::linalg::vec3::{Mat3, Vec3, add, apply, norm, sub};
use crate::mechanism::{Mechanism, MechanismBody};
use crate::model::{Inertia, InitialJoint, InitialState, Mass, Model, Shape};
use crate::results::Frame;
use std::collections::HashMap;
use std::f64::consts::PI;

/// How the new model says where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redrawing {
    /// Its points have been moved.
    Points,
    /// Its `[initial.joints]` say so; the drawing is as it was.
    InitialJoints,
}

/// A model that begins at an equilibrium: [`Equilibrium::redrawn`].
#[derive(Clone, Debug)]
pub struct Redrawn {
    /// The model.
    pub model: Model,
    /// How it says where it is.
    pub how: Redrawing,
    /// What had been given by expressions or parameters and is a number now, by its place in the file.
    pub replaced: Vec<String>,
}

/// The equilibrium of the new model may be off from this one by so much, as a part of the size.
const SAME: f64 = 1e-9;

impl Equilibrium {
    /// A model, changed such that it begins here. `author`: the one that `mechanism` was assembled from, whose equilibrium this is.
    ///
    /// # Errors
    /// [`Error::Equilibrium`] if no model file can say so, with the reason.
    pub fn redrawn(&self, mechanism: &Mechanism, author: &Model) -> Result<Redrawn, Error> {
        if !author.chains.is_empty() {
            let message = format!(
                "the equilibrium of `{}` cannot be written: the nodes of its chains have no entries in a model file; \
                 `[simulation] initial = \"equilibrium\"` begins there",
                author.name
            );
            return Err(Error::Equilibrium(message));
        }
        let mut reasons = Vec::new();
        for how in [Redrawing::Points, Redrawing::InitialJoints] {
            // what counts from the drawing counts from where it was
            let mut model = mechanism.settled(author);
            model.settings.initial = InitialState::Given;
            model.initial = Default::default();
            match how {
                Redrawing::Points => self.move_points(mechanism, &mut model),
                Redrawing::InitialJoints => self.give_joints(mechanism, &mut model),
            }
            match self.objection(mechanism, &model) {
                None => {
                    let replaced = replaced(author, &model);
                    return Ok(Redrawn { model, how, replaced });
                }
                Some(why) => reasons.push(why),
            }
        }
        Err(Error::Equilibrium(format!(
            "the equilibrium of `{}` cannot be written as a model: with its points moved, {}; with `[initial.joints]`, {}; `[simulation] initial = \"equilibrium\"` \
             begins there",
            author.name, reasons[0], reasons[1]
        )))
    }

    /// (W1)
    fn move_points(&self, mechanism: &Mechanism, model: &mut Model) {
        let places: HashMap<&str, Vec3> = mechanism
            .points
            .iter()
            .zip(&self.frame.positions)
            .map(|(point, &position)| (point.name.as_str(), position))
            .collect();
        for point in &mut model.points {
            let Some(&place) = places.get(point.name.as_str()) else { continue };
            // what has not been moved keeps its words
            if norm(sub(place, point.position)) > f64::EPSILON * mechanism.size {
                point.position = place;
            }
        }
        let origin = mechanism.model.origin;
        let turns: HashMap<&str, Turn<'_>> = mechanism
            .bodies
            .iter()
            .zip(&self.frame.motions)
            .map(|(body, motion)| {
                (body.name.as_str(), Turn { body, origin, c: add(motion.c, origin), r: motion.turned })
            })
            .collect();
        for body in &mut model.bodies {
            let Some(turn) = turns.get(body.name.as_str()) else { continue };
            turn.mass(&mut body.mass, body.points.len());
        }
        for joint in &mut model.joints {
            let [first, second] = [0, 1].map(|side| turns.get(joint.bodies[side].as_str()));
            turn_axes(&mut joint.data, first, second);
        }
    }

    /// Coordinates of the joints as initial values.
    fn give_joints(&self, mechanism: &Mechanism, model: &mut Model) {
        for (joint, list) in mechanism.joints.iter().zip(&self.frame.joints) {
            let q: Vec<f64> = list.iter().map(|c| c.q).collect();
            let within = joint
                .coordinates
                .iter()
                .zip(&q)
                .all(|(c, q)| !mechanism.interactions.gauges[c.gauge].is_angle() || q.abs() < 0.99 * PI);
            if !q.is_empty() && within {
                model.initial.joints.push(InitialJoint { joint: joint.name.clone(), q, v: Vec::new() });
            }
        }
    }

    /// Why a model does not begin here.
    fn objection(&self, mechanism: &Mechanism, model: &Model) -> Option<String> {
        let again = match model.assemble() {
            Ok(again) => again,
            Err(faults) => return Some(format!("it is refused: {faults}")),
        };
        let apart = |frame: &Frame| {
            let places = frame.positions.iter().zip(&self.frame.positions);
            let far = places.map(|(a, b)| norm(sub(*a, *b))).enumerate();
            far.fold((0, 0.0), |most: (usize, f64), x| if x.1 > most.1 { x } else { most })
        };
        let names = |i: usize| &mechanism.points[i].name;
        let start = match again.drawn_frame() {
            Ok(frame) => frame,
            Err(error) => return Some(error.to_string()),
        };
        let (point, far) = apart(&start);
        if far > SAME * mechanism.size {
            return Some(format!("`{}` is {far:.1e} m off when it is assembled", names(point)));
        }
        let rest = match again.rest(None, self.state.t).and_then(|rest| again.frame_at(&rest)) {
            Ok(frame) => frame,
            Err(error) => return Some(error.to_string()),
        };
        let (point, far) = apart(&rest);
        (far > SAME * mechanism.size)
            .then(|| format!("it rests elsewhere, `{}` {far:.1e} m from here (coordinates of joints count from the drawing)", names(point)))
    }
}

/// How a body lies at rest.
struct Turn<'m> {
    body: &'m MechanismBody,
    origin: Vec3,
    c: Vec3,
    r: Mat3,
}

impl Turn<'_> {
    fn place(&self, x: Vec3) -> Vec3 {
        let com = add(self.body.particles.properties.com, self.origin);
        add(self.c, apply(&self.r, sub(x, com)))
    }

    fn at(&self, place: &mut Place) {
        if let Place::At(x) = place {
            *x = self.place(*x);
        }
    }

    fn axis(&self, axis: &mut Axis) {
        if let Axis::Vector(a) = axis {
            *a = apply(&self.r, *a);
        }
    }

    fn mass(&self, mass: &mut Mass, points: usize) {
        match mass {
            Mass::Given { com, inertia, .. } => {
                self.at(com);
                if let Inertia::Matrix([xx, yy, zz, xy, xz, yz]) = inertia {
                    let i = [[*xx, *xy, *xz], [*xy, *yy, *yz], [*xz, *yz, *zz]];
                    let entry = |a: usize, b: usize| {
                        (0..3)
                            .flat_map(|c| (0..3).map(move |d| (c, d)))
                            .map(|(c, d)| self.r[a][c] * i[c][d] * self.r[b][d])
                            .sum()
                    };
                    *inertia = Inertia::Matrix([
                        entry(0, 0),
                        entry(1, 1),
                        entry(2, 2),
                        entry(0, 1),
                        entry(0, 2),
                        entry(1, 2),
                    ]);
                }
            }
            Mass::Shape(shape, _) => match shape {
                Shape::Box { pose, .. }
                | Shape::Cylinder { pose, .. }
                | Shape::Tube { pose, .. }
                | Shape::Capsule { pose, .. } => {
                    pose.center.iter_mut().for_each(|center| self.at(center));
                    if pose.axis.is_none() && points < 2 {
                        pose.axis = Some([1.0, 0.0, 0.0]);
                    }
                    pose.axis.iter_mut().chain(&mut pose.side).for_each(|a| *a = apply(&self.r, *a));
                }
                Shape::Sphere { center, .. } => center.iter_mut().for_each(|center| self.at(center)),
                Shape::Rod { .. } | Shape::Polygon { .. } => {}
            },
        }
    }
}

/// Axes are fixed in the first body, second axes in the second.
fn turn_axes(data: &mut JointData, first: Option<&Turn<'_>>, second: Option<&Turn<'_>>) {
    let turn = |of: Option<&Turn<'_>>, axis: &mut Axis| {
        if let Some(of) = of {
            of.axis(axis);
        }
    };
    match data {
        JointData::Revolute(data) => data.axis.iter_mut().for_each(|axis| turn(first, axis)),
        JointData::Prismatic(data) => turn(first, &mut data.axis),
        JointData::Cylindrical(data) => turn(first, &mut data.axis),
        JointData::PointOnLine(data) => turn(first, &mut data.axis),
        JointData::PointOnPlane(data) => turn(first, &mut data.axis),
        JointData::Planar(data) => turn(first, &mut data.axis),
        JointData::Screw(data) => turn(first, &mut data.axis),
        JointData::Oldham(data) => turn(first, &mut data.axis),
        JointData::Universal(data) => {
            turn(first, &mut data.axis);
            turn(second, &mut data.axis2);
        }
        JointData::ConstantVelocity(data) => {
            turn(first, &mut data.axis);
            data.axis2.iter_mut().for_each(|axis| turn(second, axis));
        }
        JointData::Rolling(data) => {
            turn(first, &mut data.axis);
            data.axis2.iter_mut().for_each(|axis| turn(second, axis));
        }
        JointData::Spherical(_)
        | JointData::Fixed(_)
        | JointData::Distance(_)
        | JointData::Floating(_)
        | JointData::Gear(_)
        | JointData::RackAndPinion(_)
        | JointData::PointOnCurve(_) => {}
    }
}

/// Points that were given by expressions and are numbers now.
fn replaced(before: &Model, after: &Model) -> Vec<String> {
    let Some(provenance) = before.provenance.as_deref() else { return Vec::new() };
    let changed = before.points.iter().zip(&after.points).filter(|(a, b)| a.position != b.position);
    let text = |name: &str| -> Option<&str> {
        let path = format!("points.{}", crate::error::names::segment(name));
        let span = provenance.spans.get(&path)?;
        provenance.text.get(span.clone())
    };
    // a number in quotes is an expression
    let said = changed.filter(|(point, _)| text(&point.name).is_some_and(|text| text.contains(['"', '\''])));
    said.map(|(point, _)| format!("points.{}", point.name)).collect()
}
