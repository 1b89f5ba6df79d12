//! Uniform shapes: volume, centre and inertia, as drawn.

use super::MassProperties;
use crate::linalg::vec3::{
    self, Mat3, Vec3, add, any_perpendicular, cross, dot, norm, scale, sub, triad, unit,
};
use crate::model::{Amount, Body, Dimension, Inertia, Mass, Orientation, Place, Shape};

/// What went wrong with a shape: the key it stands at, the message, and advice.
type ShapeFault = (&'static str, String, Option<String>);

impl MassProperties {
    /// Mass properties of a body whose points stand at `at` (in the order of `body.points`).
    /// `place` finds named points. The model check has passed: names exist, numbers are finite.
    pub fn of_body(
        body: &Body,
        at: &[Vec3],
        dimension: Dimension,
        place: &dyn Fn(&str) -> Option<Vec3>,
    ) -> Result<Self, ShapeFault> {
        match &body.mass {
            Mass::Given { mass, com, inertia } => Ok(MassProperties {
                mass: *mass,
                com: resolve(com, place)?,
                inertia_about_com: match *inertia {
                    Inertia::Point => [[0.0; 3]; 3],
                    Inertia::Polar(i) => [[0.0; 3], [0.0; 3], [0.0, 0.0, i]],
                    Inertia::Matrix([xx, yy, zz, xy, xz, yz]) => [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
                },
            }),
            Mass::Shape(shape, amount) => uniform(shape, *amount, body, at, dimension, place),
        }
    }
}

fn resolve(place: &Place, named: &dyn Fn(&str) -> Option<Vec3>) -> Result<Vec3, ShapeFault> {
    match place {
        Place::At(x) => Ok(*x),
        Place::Point(name) => named(name).ok_or(("com", format!("there is no point `{name}`"), None)),
    }
}

/// A solid: volume (or `None` where it has none), centre, and inertia about it per unit of mass.
struct Solid {
    volume: Option<f64>,
    com: Vec3,
    gyration: Mat3,
}

fn uniform(
    shape: &Shape,
    amount: Amount,
    body: &Body,
    at: &[Vec3],
    dimension: Dimension,
    place: &dyn Fn(&str) -> Option<Vec3>,
) -> Result<MassProperties, ShapeFault> {
    let solid = match shape {
        Shape::Rod { area } => rod(at, *area)?,
        Shape::Polygon { outline, thickness } => {
            let corners: Vec<Vec3> = if outline.is_empty() {
                at.to_vec()
            } else {
                outline.iter().filter_map(|n| place(n)).collect()
            };
            polygon(&corners, *thickness)?
        }
        Shape::Box { size, pose } => {
            let (center, axis) = placed(pose, at, place, false)?;
            cuboid(*size, center, axis, pose.side)
        }
        Shape::Cylinder { radius, length, pose } => {
            cylinder(*radius, 0.0, *length, pose, at, dimension, place)?
        }
        Shape::Tube { radius, inner_radius, length, pose } => {
            cylinder(*radius, *inner_radius, *length, pose, at, dimension, place)?
        }
        Shape::Capsule { radius, length, pose } => capsule(*radius, *length, pose, at, place)?,
        Shape::Sphere { radius, center } => {
            let pose = Orientation { center: center.clone(), ..Default::default() };
            let (com, _) = placed(&pose, at, place, false)?;
            let i = 0.4 * radius * radius;
            Solid {
                volume: Some(4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)),
                com,
                gyration: [[i, 0.0, 0.0], [0.0, i, 0.0], [0.0, 0.0, i]],
            }
        }
        Shape::Mesh { mesh, solid } => {
            let missing = || ("shape.at", "there is no such point".to_owned(), None);
            let (_, axes) = mesh.frame(place).ok_or_else(missing)?;
            let [xx, yy, zz, xy, xz, yz] = solid.inertia;
            // I = R I' Rᵀ, the axes of the file being the columns of R
            let own = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
            let entry = |r: usize, c: usize| -> f64 {
                (0..3)
                    .flat_map(|i| (0..3).map(move |j| (i, j)))
                    .map(|(i, j)| axes[i][r] * own[i][j] * axes[j][c])
                    .sum()
            };
            Solid {
                volume: Some(solid.volume),
                com: mesh.place(solid.com, place).ok_or_else(missing)?,
                gyration: std::array::from_fn(|r| std::array::from_fn(|c| entry(r, c) / solid.volume)),
            }
        }
    };
    let mass = match amount {
        Amount::Mass(mass) => mass,
        Amount::Density(density) => {
            let missing = match shape {
                Shape::Rod { .. } => "area",
                Shape::Polygon { .. } => "thickness",
                Shape::Cylinder { .. } | Shape::Tube { .. } | Shape::Capsule { .. } => "length",
                _ => "size",
            };
            density
                * solid.volume.ok_or((
                    "density",
                    format!("a {} of `{}` has no volume", shape.name(), body.name),
                    Some(format!("give the shape a `{missing}`, or give `mass` instead of `density`")),
                ))?
        }
    };
    let mut inertia_about_com = solid.gyration;
    for row in &mut inertia_about_com {
        *row = scale(mass, *row);
    }
    let com = if dimension == Dimension::Planar { [solid.com[0], solid.com[1], 0.0] } else { solid.com };
    Ok(MassProperties { mass, com, inertia_about_com })
}

/// Inertia matrix tr(S) 1 − S with S given by second moments along three orthonormal axes.
fn from_second_moments(axes: [Vec3; 3], s: [f64; 3]) -> Mat3 {
    let trace = s[0] + s[1] + s[2];
    let mut m = [[0.0; 3]; 3];
    for r in 0..3 {
        for c in 0..3 {
            let along: f64 = (0..3).map(|k| s[k] * axes[k][r] * axes[k][c]).sum();
            m[r][c] = if r == c { trace } else { 0.0 } - along;
        }
    }
    m
}

fn mean(at: &[Vec3]) -> Vec3 {
    scale(1.0 / at.len().max(1) as f64, at.iter().fold(vec3::ZERO, |s, &p| add(s, p)))
}

fn placed(
    pose: &Orientation,
    at: &[Vec3],
    place: &dyn Fn(&str) -> Option<Vec3>,
    between_first_two: bool,
) -> Result<(Vec3, Vec3), ShapeFault> {
    let center = match &pose.center {
        Some(p) => resolve(p, place).map_err(|(_, m, h)| ("shape.center", m, h))?,
        None if between_first_two && at.len() >= 2 => scale(0.5, add(at[0], at[1])),
        None => mean(at),
    };
    let axis = match pose.axis {
        Some(axis) => unit(axis),
        None if at.len() >= 2 => unit(sub(at[1], at[0])),
        None => [1.0, 0.0, 0.0],
    };
    if norm(axis) == 0.0 {
        return Err(("shape", "the axis has no length".into(), Some("give `axis` a direction".into())));
    }
    Ok((center, axis))
}

/// Where a box, cylinder, tube, capsule or sphere lies as drawn.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Its middle.
    pub center: Vec3,
    /// Directions of a box's edges; of a cylinder the first is its axis.
    pub axes: [Vec3; 3],
    /// Distance of the first two points: the length of a cylinder that is not given.
    pub drawn: Option<f64>,
}

/// Where a shape lies whose body has its points at `at`; nothing where that is not known.
pub fn layout(shape: &Shape, at: &[Vec3], place: &dyn Fn(&str) -> Option<Vec3>) -> Option<Layout> {
    let drawn = (at.len() >= 2).then(|| norm(sub(at[1], at[0])));
    let (pose, round) = match shape {
        Shape::Box { pose, .. } => (pose.clone(), false),
        Shape::Cylinder { pose, .. } | Shape::Tube { pose, .. } | Shape::Capsule { pose, .. } => {
            (pose.clone(), true)
        }
        Shape::Sphere { center, .. } => {
            (Orientation { center: center.clone(), axis: Some([1.0, 0.0, 0.0]), side: None }, false)
        }
        _ => return None,
    };
    let (center, axis) = placed(&pose, at, place, round).ok()?;
    Some(Layout { center, axes: triad(axis, pose.side), drawn })
}

fn rod(at: &[Vec3], area: Option<f64>) -> Result<Solid, ShapeFault> {
    let [a, b] = *at.get(..2).unwrap_or_default() else {
        return Err(("shape", "a rod needs two points".into(), None));
    };
    let d = sub(b, a);
    let length = norm(d);
    if length == 0.0 {
        return Err(("points", "the rod has no length: its first two points coincide".into(), None));
    }
    let u = unit(d);
    let v = any_perpendicular(u);
    Ok(Solid {
        volume: area.map(|area| area * length),
        com: scale(0.5, add(a, b)),
        gyration: from_second_moments([u, v, cross(u, v)], [length * length / 12.0, 0.0, 0.0]),
    })
}

fn cuboid(size: [f64; 3], center: Vec3, axis: Vec3, side: Option<Vec3>) -> Solid {
    let s = size.map(|a| a * a / 12.0);
    let volume = size[0] * size[1] * size[2];
    Solid {
        volume: (volume > 0.0).then_some(volume),
        com: center,
        gyration: from_second_moments(triad(axis, side), s),
    }
}

fn cylinder(
    radius: f64,
    inner: f64,
    length: Option<f64>,
    pose: &Orientation,
    at: &[Vec3],
    dimension: Dimension,
    place: &dyn Fn(&str) -> Option<Vec3>,
) -> Result<Solid, ShapeFault> {
    let (com, u) = placed(pose, at, place, true)?;
    // a disc in the plane may leave its thickness open: its polar moment does not need it
    let disc = dimension == Dimension::Planar && u[0] == 0.0 && u[1] == 0.0;
    let drawn = (at.len() >= 2 && !disc).then(|| norm(sub(at[1], at[0])));
    let length = length.or(drawn);
    if length.is_none() && !disc {
        let help = "give the shape a `length`, or the body a second point on its axis";
        return Err(("shape", "the length of the shape is not known".into(), Some(help.into())));
    }
    let l = length.unwrap_or(0.0);
    let across = (radius * radius + inner * inner) / 4.0;
    let v = any_perpendicular(u);
    Ok(Solid {
        volume: length.map(|l| std::f64::consts::PI * (radius * radius - inner * inner) * l),
        com,
        gyration: from_second_moments([u, v, cross(u, v)], [l * l / 12.0, across, across]),
    })
}

/// A cylinder and two halves of a sphere. With c the cylinder's part of the mass, second moments per unit of mass are, along the axis and across it,
///
///   c L²/12 + (1 − c) (L²/4 + 3 L r/8 + r²/5),   c r²/4 + (1 − c) r²/5
fn capsule(
    radius: f64,
    length: Option<f64>,
    pose: &Orientation,
    at: &[Vec3],
    place: &dyn Fn(&str) -> Option<Vec3>,
) -> Result<Solid, ShapeFault> {
    let (com, u) = placed(pose, at, place, true)?;
    let drawn = (at.len() >= 2).then(|| norm(sub(at[1], at[0])));
    let Some(l) = length.or(drawn) else {
        let help = "give the shape a `length`, or the body a second point on its axis";
        return Err(("shape", "the length of the shape is not known".into(), Some(help.into())));
    };
    let r = radius;
    let c = l / (l + 4.0 / 3.0 * r);
    let along = c * l * l / 12.0 + (1.0 - c) * (l * l / 4.0 + 3.0 * l * r / 8.0 + r * r / 5.0);
    let across = c * r * r / 4.0 + (1.0 - c) * r * r / 5.0;
    let v = any_perpendicular(u);
    Ok(Solid {
        volume: Some(std::f64::consts::PI * r * r * (l + 4.0 / 3.0 * r)),
        com,
        gyration: from_second_moments([u, v, cross(u, v)], [along, across, across]),
    })
}

/// Area, centroid and second moments of a plane polygon by its triangles from the first corner.
fn polygon(corners: &[Vec3], thickness: Option<f64>) -> Result<Solid, ShapeFault> {
    if corners.len() < 3 {
        return Err(("shape", "a polygon needs at least three corners".into(), None));
    }
    let o = corners[0];
    let far =
        corners.iter().map(|&c| sub(c, o)).max_by(|a, b| norm(*a).total_cmp(&norm(*b))).unwrap_or(vec3::ZERO);
    let size = norm(far);
    let across = corners.iter().map(|&c| cross(far, sub(c, o))).max_by(|a, b| norm(*a).total_cmp(&norm(*b)));
    let across = across.unwrap_or(vec3::ZERO);
    if norm(across) <= 1e-12 * size * size {
        return Err((
            "points",
            "the corners of the plate lie on one line, so it has no area".into(),
            Some("use a rod, or move a corner off the line".into()),
        ));
    }
    let normal = unit(across);
    for &c in corners {
        let off = dot(sub(c, o), normal).abs();
        if off > 1e-9 * size {
            return Err((
                "points",
                format!("the corners of the plate do not lie in one plane (off by {off:.3e} m)"),
                Some("list the corners of one face as `outline`, or give `com` and `inertia`".into()),
            ));
        }
    }
    let u = unit(far);
    let v = cross(normal, u);
    let flat: Vec<[f64; 2]> = corners.iter().map(|&c| [dot(sub(c, o), u), dot(sub(c, o), v)]).collect();
    if let Some((i, j)) = crossing(&flat) {
        let n = flat.len();
        let edge = |i: usize| format!("{}–{}", i + 1, (i + 1) % n + 1);
        return Err((
            "points",
            format!("the outline of the plate crosses itself: corners {} and {}", edge(i), edge(j)),
            Some("list the corners in order around the plate".into()),
        ));
    }
    // signed: clockwise outlines have all of these negative, and their quotients alike
    let (mut area, mut first, mut second) = (0.0, [0.0; 2], [[0.0; 2]; 2]);
    for pair in flat[1..].windows(2) {
        let (p, q) = (pair[0], pair[1]);
        let a = 0.5 * (p[0] * q[1] - p[1] * q[0]);
        area += a;
        for r in 0..2 {
            first[r] += a * (p[r] + q[r]) / 3.0;
            for c in 0..2 {
                // ∫ x xᵀ over a triangle with one corner at the origin
                second[r][c] += a / 12.0 * ((p[r] + q[r]) * (p[c] + q[c]) + p[r] * p[c] + q[r] * q[c]);
            }
        }
    }
    let g = [first[0] / area, first[1] / area];
    let mut s = [[0.0; 2]; 2];
    for r in 0..2 {
        for c in 0..2 {
            s[r][c] = second[r][c] / area - g[r] * g[c];
        }
    }
    let t = thickness.unwrap_or(0.0);
    let through = t * t / 12.0;
    let mut moments = [[0.0; 3]; 3];
    for r in 0..3 {
        for c in 0..3 {
            moments[r][c] = s[0][0] * u[r] * u[c]
                + s[0][1] * (u[r] * v[c] + v[r] * u[c])
                + s[1][1] * v[r] * v[c]
                + through * normal[r] * normal[c];
        }
    }
    let trace = s[0][0] + s[1][1] + through;
    let mut gyration = [[0.0; 3]; 3];
    for r in 0..3 {
        for c in 0..3 {
            gyration[r][c] = if r == c { trace } else { 0.0 } - moments[r][c];
        }
    }
    Ok(Solid {
        volume: (t > 0.0).then_some(area.abs() * t),
        com: add(o, add(scale(g[0], u), scale(g[1], v))),
        gyration,
    })
}

/// Two edges of an outline that cross or touch, if any; edges that share a corner do not count.
fn crossing(corners: &[[f64; 2]]) -> Option<(usize, usize)> {
    // Beyond this the outline is taken as it is: testing all pairs would take too long.
    const MOST: usize = 2000;
    let n = corners.len();
    if n > MOST {
        return None;
    }
    let side =
        |a: [f64; 2], b: [f64; 2], p: [f64; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
    let edge = |i: usize| (corners[i], corners[(i + 1) % n]);
    for i in 0..n {
        for j in i + 2..n {
            if (j + 1) % n == i {
                continue;
            }
            let ((a, b), (c, d)) = (edge(i), edge(j));
            if side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0 {
                return Some((i, j));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-14 * (1.0 + b.abs()), "{a} is not {b}");
    }

    fn props(shape: Shape, amount: Amount, at: &[Vec3]) -> MassProperties {
        let names: Vec<String> = (0..at.len()).map(|i| format!("P{i}")).collect();
        let body = Body::new("b", names, Mass::Shape(shape, amount));
        MassProperties::of_body(&body, at, Dimension::Spatial, &|_| None).unwrap()
    }

    /// Textbook moments: rod mL²/12, box m(a²+b²)/12, cylinder mr²/2 and m(3r²+L²)/12, sphere 2mr²/5.
    #[test]
    fn exact_textbook_moments() {
        let line = [[0.0; 3], [2.0, 0.0, 0.0]];
        let p = props(Shape::Rod { area: Some(0.01) }, Amount::Density(100.0), &line);
        close(p.mass, 2.0);
        close(p.inertia_about_com[2][2], 2.0 * 4.0 / 12.0);
        close(p.inertia_about_com[0][0], 0.0);
        close(p.com[0], 1.0);

        let pose = Orientation::default();
        let p = props(Shape::Box { size: [1.0, 2.0, 3.0], pose: pose.clone() }, Amount::Density(2.0), &line);
        close(p.mass, 12.0);
        close(p.inertia_about_com[0][0], 12.0 * (4.0 + 9.0) / 12.0);
        close(p.inertia_about_com[1][1], 12.0 * (1.0 + 9.0) / 12.0);

        let p = props(
            Shape::Cylinder { radius: 0.5, length: None, pose: pose.clone() },
            Amount::Mass(3.0),
            &line,
        );
        close(p.inertia_about_com[0][0], 3.0 * 0.25 / 2.0);
        close(p.inertia_about_com[1][1], 3.0 * (3.0 * 0.25 + 4.0) / 12.0);

        let tube = Shape::Tube { radius: 0.5, inner_radius: 0.3, length: Some(2.0), pose };
        let p = props(tube, Amount::Density(10.0), &line);
        close(p.mass, 10.0 * std::f64::consts::PI * (0.25 - 0.09) * 2.0);
        close(p.inertia_about_com[0][0], p.mass * (0.25 + 0.09) / 2.0);

        let p = props(Shape::Sphere { radius: 0.2, center: None }, Amount::Mass(5.0), &line[..1]);
        close(p.inertia_about_com[1][1], 0.4 * 5.0 * 0.04);
    }

    /// A capsule is a cylinder and a sphere where it is cut in halves: by slices along its axis; without length a sphere.
    #[test]
    fn exact_capsule_moments() {
        let shape = |length| Shape::Capsule { radius: 0.3, length, pose: Orientation::default() };
        let line = [[0.0; 3], [0.8, 0.0, 0.0]];
        let p = props(shape(None), Amount::Density(2.0), &line);
        // slices of radius ρ(x): integrals of polynomials by Gauss's rule with three points in each part
        let (mut mass, mut axial, mut across) = (0.0, 0.0, 0.0);
        for (from, to) in [(-0.7, -0.4), (-0.4, 0.4), (0.4, 0.7)] {
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            for (x, w) in [(-0.6_f64.sqrt(), 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.6_f64.sqrt(), 5.0 / 9.0)] {
                let z: f64 = middle + half * x;
                let beyond = (z.abs() - 0.4).max(0.0);
                let square = 0.09 - beyond * beyond;
                let m = 2.0 * std::f64::consts::PI * square * w * half;
                mass += m;
                axial += m * square / 2.0;
                across += m * (square / 4.0 + z * z);
            }
        }
        close(p.mass, mass);
        close(p.com[0], 0.4);
        close(p.inertia_about_com[0][0], axial);
        close(p.inertia_about_com[1][1], across);
        let p = props(shape(Some(0.0)), Amount::Mass(5.0), &line);
        close(p.inertia_about_com[1][1], 0.4 * 5.0 * 0.09);
    }

    /// Right triangle with legs a, b: centroid at a third, Ixx = m b²/18, Iyy = m a²/18; and a
    /// concave polygon equals the difference of two rectangles.
    #[test]
    fn exact_polygons() {
        let plate = || Shape::Polygon { outline: vec![], thickness: None };
        let p = props(plate(), Amount::Mass(18.0), &[[0.0; 3], [3.0, 0.0, 0.0], [0.0, 6.0, 0.0]]);
        close(p.com[0], 1.0);
        close(p.com[1], 2.0);
        close(p.inertia_about_com[0][0], 36.0);
        close(p.inertia_about_com[1][1], 9.0);
        close(p.inertia_about_com[2][2], 45.0);

        let l_shape = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]]
            .map(|[x, y]| [x, y, 0.0]);
        let thick = Shape::Polygon { outline: vec![], thickness: Some(0.5) };
        let p = props(thick, Amount::Density(2.0), &l_shape);
        close(p.mass, 3.0);
        // square 2x2 (mass 4 about (1,1)) minus square 1x1 (mass 1 about (1.5,1.5)), about (5/6, 5/6)
        let parallel = |m: f64, side: f64, c: f64| m * (side * side / 6.0 + 2.0 * (c - 5.0 / 6.0).powi(2));
        close(p.com[0], 5.0 / 6.0);
        close(p.inertia_about_com[2][2], parallel(4.0, 2.0, 1.0) - parallel(1.0, 1.0, 1.5));
    }
}
