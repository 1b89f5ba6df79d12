//! Bodies and their shapes.

use super::{Checker, Checks, Sign};
use crate::error::names::segment;
use crate::model::{Amount, Axis, Body, Dimension, GROUND, Inertia, Mass, Orientation, Shape};
use std::collections::HashSet;

/// Points must stand this part of their extent off the span of those before them.
const APART: f64 = 1e-3;

/// Whether points span a simplex: each stands off the span of those before it.
fn independent(at: &[[f64; 3]]) -> bool {
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|c| a[c] * b[c]).sum::<f64>();
    let Some((&origin, rest)) = at.split_first() else { return true };
    let arms: Vec<[f64; 3]> = rest.iter().map(|x| std::array::from_fn(|c| x[c] - origin[c])).collect();
    let size = arms.iter().fold(0.0_f64, |s, a| s.max(dot(*a, *a).sqrt()));
    let mut axes: Vec<[f64; 3]> = Vec::new();
    for arm in arms {
        let off = axes.iter().fold(arm, |a, e| {
            let along = dot(a, *e);
            std::array::from_fn(|c| a[c] - along * e[c])
        });
        let length = dot(off, off).sqrt();
        // not a number where a place is unknown: that has been reported
        if length <= APART * size {
            return false;
        }
        axes.push(off.map(|x| x / length));
    }
    true
}

impl Checker<'_> {
    pub(super) fn bodies(&mut self) {
        let model = self.model;
        self.held_points("bodies.ground", &model.ground);
        self.names("bodies", model.bodies.iter().map(|body| body.name.as_str()));
        for body in &model.bodies {
            self.one_body(body);
        }
    }

    fn held_points(&mut self, path: &str, points: &[String]) {
        let mut seen = HashSet::new();
        for (i, name) in points.iter().enumerate() {
            let path = format!("{path}.points[{i}]");
            if self.point(&path, name).is_some() && !seen.insert(name) {
                self.error(path, format!("the point `{name}` is listed twice"));
            }
        }
    }

    fn one_body(&mut self, body: &Body) {
        let path = format!("bodies.{}", segment(&body.name));
        if body.name == GROUND {
            self.error_with(
                &path,
                "`ground` is the body that never moves",
                "choose another name for this body",
            );
        }
        if body.points.is_empty() {
            self.error(format!("{path}.points"), format!("the body `{}` has no points", body.name));
        }
        self.held_points(&path, &body.points);
        if let Some(length) = body.length {
            let path = format!("{path}.length");
            self.number(&path, length, Sign::Positive);
            if body.points.len() != 2 {
                self.error(
                    path,
                    format!("`length` is for bodies of two points, this has {}", body.points.len()),
                );
            }
        }
        self.primaries(&path, body);
        if let Some(law) = &body.mass_law {
            self.formula_of_time(&format!("{path}.mass"), law, "`mass`");
        }
        match &body.mass {
            Mass::Given { mass, com, inertia } => {
                self.number(&format!("{path}.mass"), *mass, Sign::NotNegative);
                self.place(&format!("{path}.com"), com);
                self.inertia(&format!("{path}.inertia"), inertia);
            }
            Mass::Shape(shape, amount) => {
                match *amount {
                    Amount::Mass(mass) => self.number(&format!("{path}.mass"), mass, Sign::NotNegative),
                    Amount::Density(density) => {
                        self.number(&format!("{path}.density"), density, Sign::Positive)
                    }
                }
                self.shape(&path, body, shape, matches!(amount, Amount::Density(_)));
            }
        }
    }

    /// The points that the user chose to stand for the body: its own, each once, and independent.
    fn primaries(&mut self, path: &str, body: &Body) {
        let path = format!("{path}.primary");
        let mut seen = HashSet::new();
        let mut at = Vec::new();
        for (i, name) in body.primary.iter().enumerate() {
            let path = format!("{path}[{i}]");
            self.point_of(&path, name, &body.name);
            if !seen.insert(name) {
                self.error(&path, format!("the point `{name}` is listed twice"));
                return;
            }
            at.extend(self.positions.get(name.as_str()).copied());
        }
        let most = self.model.dimension.columns() + 1;
        if at.len() > most {
            let message = format!("{most} primary points say where a body is, these are {}", at.len());
            self.error_with(path, message, "the others follow from them: leave them out");
        } else if at.len() == body.primary.len() && !independent(&at) {
            let names = body.primary.join(", ");
            let what = match at.len() {
                2 => "coincide",
                3 => "lie on one line",
                _ => "lie in one plane",
            };
            let message = format!("the primary points {names} {what}: the others do not follow from them");
            self.error_with(path, message, "choose points that span the body, or leave `primary` out");
        }
    }

    fn inertia(&mut self, path: &str, inertia: &Inertia) {
        let numbers: &[f64] = match inertia {
            Inertia::Polar(polar) => std::slice::from_ref(polar),
            Inertia::Matrix(matrix) => matrix,
            Inertia::Point => &[],
        };
        self.sizes(path, "every moment of inertia", numbers);
        match (inertia, self.model.dimension) {
            (Inertia::Polar(_), Dimension::Spatial) => self.error_with(
                path,
                "in space one moment of inertia is not enough",
                "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]",
            ),
            (Inertia::Matrix(_), Dimension::Planar) => self.error_with(
                path,
                "in the plane only the moment of inertia about z counts",
                "give one number",
            ),
            _ => {}
        }
    }

    fn shape(&mut self, path: &str, body: &Body, shape: &Shape, by_density: bool) {
        let at = |key: &str| format!("{path}.shape.{key}");
        let missing = |checker: &mut Self, key: &str, what: &str| {
            let message = format!("{what} with a density needs `{key}`");
            checker.error_with(
                format!("{path}.density"),
                message,
                format!("give `{key}` in the shape, or the `mass`"),
            );
        };
        match shape {
            Shape::Rod { area } => {
                match area {
                    Some(area) => self.number(&at("area"), *area, Sign::Positive),
                    None if by_density => missing(self, "area", "a rod"),
                    None => {}
                }
                self.two_points_apart(path, body, "a rod");
            }
            Shape::Polygon { outline, thickness } => {
                for (i, name) in outline.iter().enumerate() {
                    self.point_of(&format!("{path}.shape.outline[{i}]"), name, &body.name);
                }
                let corners = if outline.is_empty() { body.points.len() } else { outline.len() };
                if corners < 3 {
                    self.error(
                        format!("{path}.shape"),
                        format!("a polygon needs three corners, this has {corners}"),
                    );
                }
                match thickness {
                    Some(thickness) if by_density => {
                        self.number(&at("thickness"), *thickness, Sign::Positive)
                    }
                    Some(thickness) => self.number(&at("thickness"), *thickness, Sign::NotNegative),
                    None if by_density => missing(self, "thickness", "a polygon"),
                    None => {}
                }
            }
            Shape::Box { size, pose } => {
                for (i, &edge) in size.iter().enumerate() {
                    // in the plane the mass does not care how thick the box is
                    let thin = i == 2 && self.planar() && !by_density;
                    let sign = if thin { Sign::NotNegative } else { Sign::Positive };
                    if i == 2 && edge == 0.0 && self.planar() && by_density {
                        missing(self, "size = [.., .., thickness]", "a box");
                    } else {
                        self.number(&format!("{path}.shape.size[{i}]"), edge, sign);
                    }
                }
                self.pose(path, pose);
            }
            Shape::Cylinder { radius, length, pose } => {
                self.number(&at("radius"), *radius, Sign::Positive);
                self.round(path, body, *length, pose, by_density);
            }
            Shape::Capsule { radius, length, pose } => {
                self.number(&at("radius"), *radius, Sign::Positive);
                self.pose(path, pose);
                match length {
                    Some(length) => self.number(&at("length"), *length, Sign::Positive),
                    None => self.two_points_apart(path, body, "a capsule without `length`"),
                }
            }
            Shape::Tube { radius, inner_radius, length, pose } => {
                self.number(&at("radius"), *radius, Sign::Positive);
                self.number(&at("inner_radius"), *inner_radius, Sign::NotNegative);
                if inner_radius >= radius {
                    let message =
                        format!("the bore ({inner_radius} m) must be smaller than the tube ({radius} m)");
                    self.error(at("inner_radius"), message);
                }
                self.round(path, body, *length, pose, by_density);
            }
            Shape::Sphere { radius, center } => {
                self.number(&at("radius"), *radius, Sign::Positive);
                if let Some(center) = center {
                    self.place(&at("center"), center);
                }
            }
            Shape::Mesh { mesh, solid } => {
                let path = format!("{path}.shape");
                self.mesh(&path, mesh, &body.name);
                self.mesh_solid(&path, mesh, solid);
            }
        }
    }

    /// Length and pose of a cylinder or tube.
    fn round(&mut self, path: &str, body: &Body, length: Option<f64>, pose: &Orientation, by_density: bool) {
        self.pose(path, pose);
        let disc = self.planar() && matches!(pose.axis, Some([x, y, z]) if x == 0.0 && y == 0.0 && z != 0.0);
        match length {
            Some(length) => self.number(&format!("{path}.shape.length"), length, Sign::Positive),
            // a disc turns about its axis: its thickness does not matter
            None if disc && !by_density => {}
            None if disc => {
                self.error(format!("{path}.density"), "a disc with a density needs `thickness`");
            }
            None => self.two_points_apart(path, body, "a cylinder or tube without `length`"),
        }
    }

    fn pose(&mut self, path: &str, pose: &Orientation) {
        if let Some(center) = &pose.center {
            self.place(&format!("{path}.shape.center"), center);
        }
        for (key, direction) in [("axis", pose.axis), ("side", pose.side)] {
            let Some(direction) = direction else { continue };
            let path = format!("{path}.shape.{key}");
            let vector = self.axis(&path, &Axis::Vector(direction));
            if self.planar()
                && let Some([x, y, z]) = vector
                && z != 0.0
                && (x != 0.0 || y != 0.0)
            {
                self.error(path, "the model is planar: the axis lies in the plane or is [0, 0, 1]");
            }
        }
    }

    /// The first two points of a body give it a length, so they must lie apart.
    fn two_points_apart(&mut self, path: &str, body: &Body, what: &str) {
        let path = format!("{path}.points");
        match body.points.len() {
            0 => {}
            1 => self.error(path, format!("{what} needs two points, this has one")),
            _ => {
                let ends = self.corners(body);
                if ends.is_some_and(|ends| ends[0] == ends[1]) && body.points[0] != body.points[1] {
                    let (p, q) = (&body.points[0], &body.points[1]);
                    self.error_with(
                        path,
                        format!("{what} cannot have length zero: `{p}` and `{q}` coincide"),
                        "draw them apart",
                    );
                }
            }
        }
    }
}
