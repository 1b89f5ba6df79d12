//! The drawing of a model, moved to other positions of its mechanism.
//!
//! Points are put where they are, and what is given in the axes of the drawing turns with its body: centres of mass, moments of inertia, axes of shapes and joints. With R the
//! rotation of a body since the drawing and c its centre of mass,
//!
//!   (W1)  x ← c + R (x₀ − c₀),   a ← R a₀,   I ← R I₀ Rᵀ
//!
//! What counts from the drawing, coordinates of joints before all, may mean something else then: whoever moves a drawing looks at what has come of it.

use crate::drawing::{Axis, Place};
use crate::joints::JointData;
use crate::linalg::vec3::{Mat3, Vec3, add, apply, norm, sub, triad, unit};
use crate::mechanism::{Mechanism, MechanismBody};
use crate::model::{Inertia, LookForm, Mass, Model, Orientation, Shape, SurfaceForm};
use crate::results::Frame;
use std::collections::HashMap;

/// (W1) for the model that a mechanism was assembled from, or the one that its author wrote.
pub(super) fn move_drawing(mechanism: &Mechanism, at: &Frame, model: &mut Model) {
    let places: HashMap<&str, Vec3> = mechanism
        .points
        .iter()
        .zip(&at.positions)
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
        .zip(&at.motions)
        .map(|(body, motion)| {
            (body.name.as_str(), Turn { body, origin, c: add(motion.c, origin), r: motion.turned })
        })
        .collect();
    for body in &mut model.bodies {
        let Some(turn) = turns.get(body.name.as_str()) else { continue };
        turn.mass(&mut body.mass, body.points.len());
    }
    let points: HashMap<&str, usize> =
        model.bodies.iter().map(|body| (body.name.as_str(), body.points.len())).collect();
    for surface in &mut model.surfaces {
        let Some(turn) = turns.get(surface.body.as_str()) else { continue };
        match &mut surface.form {
            SurfaceForm::Plane { at, normal } => turn.plane(at, normal),
            SurfaceForm::Point { at } => turn.at(at),
            SurfaceForm::Solid(shape) => turn.shape(shape, points[surface.body.as_str()]),
            SurfaceForm::Hull { vertices, .. } => vertices.iter_mut().for_each(|x| *x = turn.place(*x)),
            SurfaceForm::HullOf(hull) => turn.mesh(&mut hull.mesh.pose),
        }
    }
    for look in &mut model.looks {
        let Some(turn) = turns.get(look.body.as_str()) else { continue };
        match &mut look.form {
            LookForm::Mesh(mesh) => turn.mesh(&mut mesh.pose),
            LookForm::Solid(shape) => turn.shape(shape, points[look.body.as_str()]),
            LookForm::Ellipsoid { pose, .. } => turn.pose(pose, points[look.body.as_str()]),
            LookForm::Plane { at, normal } => turn.plane(at, normal),
        }
    }
    for joint in &mut model.joints {
        let [first, second] = [0, 1].map(|side| turns.get(joint.bodies[side].as_str()));
        turn_axes(&mut joint.data, first, second);
    }
}

/// How a body lies there.
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
            Mass::Shape(shape, _) => self.shape(shape, points),
        }
    }

    fn shape(&self, shape: &mut Shape, points: usize) {
        match shape {
            Shape::Box { pose, .. }
            | Shape::Cylinder { pose, .. }
            | Shape::Tube { pose, .. }
            | Shape::Capsule { pose, .. } => self.pose(pose, points),
            Shape::Sphere { center, .. } => center.iter_mut().for_each(|center| self.at(center)),
            Shape::Mesh { mesh, .. } => self.mesh(&mut mesh.pose),
            Shape::Rod { .. } | Shape::Polygon { .. } => {}
        }
    }

    fn pose(&self, pose: &mut Orientation, points: usize) {
        pose.center.iter_mut().for_each(|center| self.at(center));
        if pose.axis.is_none() && points < 2 {
            pose.axis = Some([1.0, 0.0, 0.0]);
        }
        pose.axis.iter_mut().chain(&mut pose.side).for_each(|a| *a = apply(&self.r, *a));
    }

    /// Of a mesh, which lies along the world's axes at its origin where nothing else is said.
    fn mesh(&self, pose: &mut Orientation) {
        self.at(pose.center.get_or_insert(Place::At([0.0; 3])));
        let axis = *pose.axis.get_or_insert([1.0, 0.0, 0.0]);
        let side = *pose.side.get_or_insert(triad(unit(axis), None)[1]);
        (pose.axis, pose.side) = (Some(apply(&self.r, axis)), Some(apply(&self.r, side)));
    }

    /// A plane goes through the world's origin where nothing else is said.
    fn plane(&self, at: &mut Option<Place>, normal: &mut Axis) {
        self.at(at.get_or_insert(Place::At([0.0; 3])));
        self.axis(normal);
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
