//! A model that is drawn far from the origin is computed relative to a point near it.
//!
//! At a distance D from the origin a coordinate is rounded by ε D/2 every time it is written, with ε = 2⁻⁵². Distances between points of
//! one body then carry the same error, whatever the size s of the mechanism is. With an origin o near the points
//!
//!   (O1)  r = o + r',   |r'| ≈ s
//!
//! the roundings of r' are those of the size. o lies on a grid of a power of two, so that r − o is exact: the drawing loses nothing. Each axis is treated
//! by itself, and only one along which the model is far away: others keep every bit.

use super::{Body, LookForm, Mass, MeshFile, Model, Place, Shape, SurfaceForm};
use crate::linalg::vec3::{Vec3, add, norm, scale, sub};
use std::borrow::Cow;

/// Farther than this many times its extent, a model is far from the origin.
const FAR: f64 = 50.0;

impl Model {
    /// The middle of the points and how far they extend from it, m; a metre where they are one.
    fn drawn_extent(&self) -> (Vec3, f64) {
        let n = self.points.len().max(1) as f64;
        // the first point before the sum, which would be rounded
        let first = self.points.first().map_or([0.0; 3], |p| p.position);
        let sum = self.points.iter().fold([0.0; 3], |s, p| add(s, sub(p.position, first)));
        let middle = add(first, scale(1.0 / n, sum));
        let extent = self.points.iter().fold(0.0_f64, |s, p| s.max(norm(sub(p.position, middle))));
        (middle, if extent > 0.0 && extent.is_finite() { extent } else { 1.0 })
    }

    /// The model relative to an origin near it (O1); as it is where that gains nothing, or where it has been done.
    pub(crate) fn relative(&self) -> Cow<'_, Model> {
        if self.origin != [0.0; 3] || self.expanded {
            return Cow::Borrowed(self);
        }
        let (middle, extent) = self.drawn_extent();
        let grid = extent.log2().ceil().exp2();
        let origin = middle.map(|x| match x.abs() > FAR * extent && x.is_finite() && grid.is_normal() {
            true => (x / grid).round() * grid,
            false => 0.0,
        });
        match origin == [0.0; 3] || !origin.iter().all(|x| x.is_finite()) {
            true => Cow::Borrowed(self),
            false => Cow::Owned(self.seen_from(origin)),
        }
    }

    fn seen_from(&self, origin: Vec3) -> Model {
        let mut model = Model { origin, ..self.clone() };
        for point in &mut model.points {
            point.position = sub(point.position, origin);
        }
        for body in &mut model.bodies {
            move_body(body, origin);
        }
        for body in &mut model.modal_bodies {
            body.at = sub(body.at, origin);
        }
        for surface in &mut model.surfaces {
            match &mut surface.form {
                // left out, it is the origin of the world, for a plane of a body as well
                SurfaceForm::Plane { at, .. } => move_place(at.get_or_insert(Place::At([0.0; 3])), origin),
                SurfaceForm::Point { at } => move_place(at, origin),
                SurfaceForm::Solid(shape) => move_shape(shape, origin),
                SurfaceForm::Hull { vertices, .. } => vertices.iter_mut().for_each(|x| *x = sub(*x, origin)),
                SurfaceForm::HullOf(hull) => move_mesh(&mut hull.mesh, origin),
            }
        }
        for look in &mut model.looks {
            match &mut look.form {
                LookForm::Mesh(mesh) => move_mesh(mesh, origin),
                LookForm::Solid(shape) => move_shape(shape, origin),
                LookForm::Ellipsoid { pose, .. } => {
                    pose.center.iter_mut().for_each(|at| move_place(at, origin))
                }
                LookForm::Plane { at, .. } => move_place(at.get_or_insert(Place::At([0.0; 3])), origin),
            }
        }
        model
    }

    /// How far the drawing is from the origin, and its extent, m.
    pub(crate) fn distance_and_extent(&self) -> (f64, f64) {
        let (middle, extent) = self.drawn_extent();
        (norm(add(self.origin, middle)), extent)
    }
}

fn move_place(place: &mut Place, origin: Vec3) {
    if let Place::At(at) = place {
        *at = sub(*at, origin);
    }
}

/// Left out, the origin of a file is drawn at that of the world.
fn move_mesh(mesh: &mut MeshFile, origin: Vec3) {
    move_place(mesh.pose.center.get_or_insert(Place::At([0.0; 3])), origin);
}

fn move_shape(shape: &mut Shape, origin: Vec3) {
    let center = match shape {
        Shape::Sphere { center, .. } => center,
        Shape::Box { pose, .. }
        | Shape::Cylinder { pose, .. }
        | Shape::Tube { pose, .. }
        | Shape::Capsule { pose, .. } => &mut pose.center,
        Shape::Mesh { mesh, .. } => return move_mesh(mesh, origin),
        Shape::Rod { .. } | Shape::Polygon { .. } => return,
    };
    if let Some(place) = center {
        move_place(place, origin);
    }
}

fn move_body(body: &mut Body, origin: Vec3) {
    match &mut body.mass {
        Mass::Given { com, .. } => move_place(com, origin),
        Mass::Shape(shape, _) => move_shape(shape, origin),
    }
}
