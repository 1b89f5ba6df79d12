//! The place of a solid that is nearest to a point.

use super::{Solid, Vector};
use linkwork::linalg::vec3::{Vec3, axpy, cross, dot, norm, scale, sub};

impl Solid {
    /// The place of it that is nearest to a point, the point itself where that lies within; nothing for planes and lines, which do not belong to what holds a body together.
    pub fn nearest(&self, p: Vector) -> Option<Vector> {
        match self {
            Solid::Bar { ends, radius } => Some(towards(on_segment(ends[0], ends[1], p), p, *radius)),
            Solid::Ball { at, radius } => Some(towards(*at, p, *radius)),
            Solid::Box { at, axes, half } => {
                let d = sub(p, *at);
                Some((0..3).fold(*at, |s, k| axpy(s, dot(axes[k], d).clamp(-half[k], half[k]), axes[k])))
            }
            Solid::Cylinder { at, axis, radius, bore, half } => {
                Some(in_cylinder(*at, *axis, [*bore, *radius], *half, p))
            }
            Solid::Tyre { at, axis, radius, width } => {
                Some(in_cylinder(*at, *axis, [0.0, *radius], 0.5 * width, p))
            }
            Solid::Mesh { vertices, triangles, .. } => {
                let corners = |t: &[u32; 3]| t.map(|k| vertices[k as usize]);
                let behind = |t: &[u32; 3]| {
                    let [a, b, c] = corners(t);
                    dot(cross(sub(b, a), sub(c, a)), sub(p, a)) <= 0.0
                };
                if triangles.iter().all(behind) {
                    return Some(p);
                }
                let places = triangles.iter().map(|t| on_triangle(corners(t), p));
                places.min_by(|a, b| norm(sub(*a, p)).total_cmp(&norm(sub(*b, p))))
            }
            Solid::Surface(surface) => {
                surface.corners().min_by(|a, b| norm(sub(*a, p)).total_cmp(&norm(sub(*b, p))))
            }
            Solid::Plane { .. } | Solid::Line { .. } => None,
        }
    }
}

/// From a centre so far towards a point, but not beyond it.
fn towards(centre: Vec3, p: Vec3, radius: f64) -> Vec3 {
    let d = sub(p, centre);
    let distance = norm(d);
    if distance <= radius { p } else { axpy(centre, radius / distance, d) }
}

fn on_segment(a: Vec3, b: Vec3, p: Vec3) -> Vec3 {
    let d = sub(b, a);
    let square = dot(d, d);
    let part = if square > 0.0 { (dot(sub(p, a), d) / square).clamp(0.0, 1.0) } else { 0.0 };
    axpy(a, part, d)
}

fn in_cylinder(at: Vec3, axis: Vec3, [bore, radius]: [f64; 2], half: f64, p: Vec3) -> Vec3 {
    let d = sub(p, at);
    let along = dot(axis, d);
    let out = axpy(d, -along, axis);
    let distance = norm(out);
    let out = if distance > 0.0 { scale(distance.clamp(bore, radius) / distance, out) } else { out };
    axpy(axpy(at, along.clamp(-half, half), axis), 1.0, out)
}

fn on_triangle([a, b, c]: [Vec3; 3], p: Vec3) -> Vec3 {
    let n = cross(sub(b, a), sub(c, a));
    let square = dot(n, n);
    let inside = |x: Vec3, y: Vec3| dot(cross(n, sub(y, x)), sub(p, x)) >= 0.0;
    if square > 0.0 && inside(a, b) && inside(b, c) && inside(c, a) {
        return axpy(p, -dot(n, sub(p, a)) / square, n);
    }
    let sides = [on_segment(a, b, p), on_segment(b, c, p), on_segment(c, a, p)];
    sides.into_iter().min_by(|x, y| norm(sub(*x, p)).total_cmp(&norm(sub(*y, p)))).unwrap_or(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_nearest_places() {
        let bar = Solid::Bar { ends: [[0.0; 3], [2.0, 0.0, 0.0]], radius: 0.5 };
        assert_eq!(bar.nearest([1.0, 2.0, 0.0]), Some([1.0, 0.5, 0.0]));
        assert_eq!(bar.nearest([1.0, 0.2, 0.0]), Some([1.0, 0.2, 0.0]));
        let axes = linkwork::linalg::vec3::IDENTITY;
        let cube = Solid::Box { at: [0.0; 3], axes, half: [1.0; 3] };
        assert_eq!(cube.nearest([3.0, 0.5, -2.0]), Some([1.0, 0.5, -1.0]));
        let ring = Solid::Cylinder { at: [0.0; 3], axis: [0.0, 0.0, 1.0], radius: 2.0, bore: 1.0, half: 0.5 };
        assert_eq!(ring.nearest([0.5, 0.0, 0.0]), Some([1.0, 0.0, 0.0]));
        assert_eq!(ring.nearest([0.0, 3.0, 1.0]), Some([0.0, 2.0, 0.5]));
        let face = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(on_triangle(face, [0.25, 0.25, 3.0]), [0.25, 0.25, 0.0]);
        assert_eq!(on_triangle(face, [-1.0, 0.5, 1.0]), [0.0, 0.5, 0.0]);
    }
}
