//! Solids from the shapes that a model gives its bodies and surfaces, as drawn.

use super::build::Drawing;
use super::{Solid, hull};
use linkwork::linalg::hull::{convex_hull, convex_polygon};
use linkwork::linalg::vec3::{Vec3, axpy, cross, norm, sub, unit};
use linkwork::model::Shape;
use linkwork::particles::layout;

const Z: Vec3 = [0.0, 0.0, 1.0];
/// Half of the thickness of what is flat, by bars.
pub(super) const THIN: f64 = 0.2;

/// The solid of a shape whose body has its points at `at`.
pub(super) fn solid(
    drawing: &Drawing<'_>,
    shape: &Shape,
    at: &[Vec3],
    named: &dyn Fn(&str) -> Option<Vec3>,
) -> Option<Solid> {
    let (unit_length, planar) = (drawing.unit, drawing.planar);
    let thin = THIN * unit_length;
    match shape {
        Shape::Rod { .. } => match at {
            [a, b, ..] => Some(Solid::Bar { ends: [*a, *b], radius: 0.5 * unit_length }),
            _ => None,
        },
        Shape::Polygon { outline, thickness } => {
            let corners: Vec<Vec3> = match outline.is_empty() {
                true => at.to_vec(),
                false => outline.iter().filter_map(|name| named(name)).collect(),
            };
            let half = thickness.map_or(0.0, |t| 0.5 * t);
            let half = if planar || half == 0.0 { thin } else { half };
            hull::outlined(&corners, normal_of(&corners)?, half)
        }
        Shape::Box { size, .. } => {
            let place = layout(shape, at, named)?;
            let mut half = size.map(|edge| 0.5 * edge);
            for (k, axis) in place.axes.iter().enumerate() {
                let through = planar && axis[2].abs() > 0.9;
                if through || half[k] <= 0.0 {
                    half[k] = thin;
                }
            }
            Some(Solid::Box { at: place.center, axes: place.axes, half })
        }
        Shape::Cylinder { radius, length, .. } => round(shape, at, named, [*radius, 0.0], *length, drawing),
        Shape::Tube { radius, inner_radius, length, .. } => {
            round(shape, at, named, [*radius, *inner_radius], *length, drawing)
        }
        Shape::Mesh { .. } => None, // a look
        Shape::Capsule { radius, length, .. } => capsule(drawing, shape, at, named, *radius, *length),
        Shape::Sphere { radius, .. } => {
            let place = layout(shape, at, named)?;
            Some(match planar {
                true => Solid::Cylinder { at: place.center, axis: Z, radius: *radius, bore: 0.0, half: thin },
                false => Solid::Ball { at: place.center, radius: *radius },
            })
        }
    }
}

/// Corners around a capsule, and rings on each of its round ends.
const AROUND: u32 = 24;
const RINGS: u32 = 6;

/// A cylinder with round ends; in the plane a disc or a plate with round ends.
fn capsule(
    drawing: &Drawing<'_>,
    shape: &Shape,
    at: &[Vec3],
    named: &dyn Fn(&str) -> Option<Vec3>,
    radius: f64,
    length: Option<f64>,
) -> Option<Solid> {
    let place = layout(shape, at, named)?;
    let (axis, thin) = (place.axes[0], THIN * drawing.unit);
    let half = 0.5 * length.or(place.drawn)?;
    let ends = [-half, half].map(|h| axpy(place.center, h, axis));
    if drawing.planar && axis[2].abs() > 0.9 {
        return Some(Solid::Cylinder { at: place.center, axis: Z, radius, bore: 0.0, half: thin });
    }
    if drawing.planar {
        return hull::plate(&ends, Z, radius, thin);
    }
    let mut vertices = vec![axpy(ends[0], -radius, axis)];
    for k in 1..=2 * RINGS {
        // a ring at the equator of each end, the others by latitude
        let (end, step) = if k <= RINGS { (0, k) } else { (1, k - 1) };
        let (sin, cos) = (std::f64::consts::PI * f64::from(step) / f64::from(2 * RINGS)).sin_cos();
        let (sin, cos) = if k == RINGS || k == RINGS + 1 { (1.0, 0.0) } else { (sin, cos) };
        let middle = axpy(ends[end], -radius * cos, axis);
        for i in 0..AROUND {
            let (y, x) = (std::f64::consts::TAU * f64::from(i) / f64::from(AROUND)).sin_cos();
            vertices.push(axpy(
                axpy(middle, radius * sin * x, place.axes[1]),
                radius * sin * y,
                place.axes[2],
            ));
        }
    }
    let last = vertices.len() as u32;
    vertices.push(axpy(ends[1], radius, axis));
    let corner = |ring: u32, i: u32| 1 + ring * AROUND + i % AROUND;
    let mut triangles = Vec::new();
    for i in 0..AROUND {
        triangles.push([0, corner(0, i + 1), corner(0, i)]);
        for ring in 0..2 * RINGS - 1 {
            let [p, q] = [corner(ring, i), corner(ring, i + 1)];
            let [r, s] = [corner(ring + 1, i), corner(ring + 1, i + 1)];
            triangles.extend([[p, q, s], [p, s, r]]);
        }
        triangles.push([last, corner(2 * RINGS - 1, i), corner(2 * RINGS - 1, i + 1)]);
    }
    Some(Solid::Mesh { vertices, triangles, edges: Vec::new() })
}

/// The convex hull of places as a surface has it; in the plane a plate.
pub(super) fn convex(drawing: &Drawing<'_>, places: &[Vec3]) -> Option<Solid> {
    if drawing.planar {
        let corners: Vec<Vec3> = convex_polygon(places)?.iter().map(|&k| places[k]).collect();
        return hull::outlined(&corners, Z, THIN * drawing.unit);
    }
    let (corners, faces) = convex_hull(places)?;
    let vertices = corners.iter().map(|&k| places[k]).collect();
    let (mut triangles, mut edges) = (Vec::new(), Vec::new());
    for face in &faces {
        triangles.extend(face.windows(2).skip(1).map(|pair| [face[0], pair[0], pair[1]]));
        let around = face.iter().zip(face.iter().cycle().skip(1));
        edges.extend(around.filter(|(p, q)| p < q).map(|(p, q)| [*p, *q]));
    }
    Some(Solid::Mesh { vertices, triangles, edges })
}

/// A cylinder or a tube; in the plane a disc or a flat box.
fn round(
    shape: &Shape,
    at: &[Vec3],
    named: &dyn Fn(&str) -> Option<Vec3>,
    [radius, bore]: [f64; 2],
    length: Option<f64>,
    drawing: &Drawing<'_>,
) -> Option<Solid> {
    let place = layout(shape, at, named)?;
    let axis = place.axes[0];
    let thin = THIN * drawing.unit;
    if drawing.planar && axis[2].abs() > 0.9 {
        return Some(Solid::Cylinder { at: place.center, axis: Z, radius, bore, half: thin });
    }
    let half = 0.5 * length.or(place.drawn).unwrap_or(2.0 * thin);
    if drawing.planar {
        let axes = [axis, cross(Z, axis), Z];
        return Some(Solid::Box { at: place.center, axes, half: [half, radius, thin] });
    }
    Some(Solid::Cylinder { at: place.center, axis, radius, bore, half })
}

/// The normal of an outline.
pub(super) fn normal_of(corners: &[Vec3]) -> Option<Vec3> {
    let origin = *corners.first()?;
    let mut area = [0.0; 3];
    for pair in corners.windows(2) {
        area = axpy(area, 1.0, cross(sub(pair[0], origin), sub(pair[1], origin)));
    }
    let normal = unit(area);
    (norm(normal) > 0.5).then_some(normal)
}
