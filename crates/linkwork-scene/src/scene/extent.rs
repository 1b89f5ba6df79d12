//! Extent of a mechanism.

use super::build::Drawing;
use super::{Scene, Solid, Vector, bodies, rims};
use crate::pose::{Placement, Snapshot};
use crate::posing::place_in;
use linkwork::interactions::elements::Symbol;
use linkwork::linalg::quaternion;
use linkwork::linalg::vec3::{Vec3, add, axpy, norm, sub};
use linkwork::model::{Mass, Shape};
use linkwork::topology::Layout;

/// A bar is this part of the extent.
const BAR: f64 = 1.0 / 60.0;
/// And no more than this part of the distance of neighbours.
const OF_NEIGHBOURS: f64 = 0.25;
/// Nor than this part of the radius of a drum, which its pin would hide.
const OF_DRUM: f64 = 0.5;
/// But not less than this part of the extent.
const LEAST: f64 = 1.0 / 400.0;

/// The box around places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    low: Vec3,
    high: Vec3,
    unit: f64,
}

impl Extent {
    const NOTHING: Extent = Extent { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3], unit: 0.0 };

    fn add(&mut self, place: Vec3, reach: f64) {
        if place.iter().all(|x| x.is_finite()) && reach.is_finite() {
            for i in 0..3 {
                self.low[i] = self.low[i].min(place[i] - reach);
                self.high[i] = self.high[i].max(place[i] + reach);
            }
        }
    }

    /// The largest of width, depth and height; none where there is nothing.
    pub fn size(&self) -> f64 {
        (0..3).map(|i| self.high[i] - self.low[i]).filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    /// That of all points that something holds.
    pub fn of_points(drawing: &Drawing<'_>) -> Self {
        let mut extent = Extent::NOTHING;
        let model = drawing.model;
        let holders = model.ground.iter().chain(model.bodies.iter().flat_map(|b| &b.points));
        holders.filter_map(|point| drawing.drawn(point)).for_each(|at| extent.add(at, 0.0));
        extent
    }

    /// That of the drawing, with the unit that suits it.
    pub fn of(drawing: &Drawing<'_>) -> Self {
        let model = drawing.model;
        let mut extent = Extent::NOTHING;
        let mut places: Vec<Vec3> = Vec::new();
        let holders = model.ground.iter().chain(model.bodies.iter().flat_map(|b| &b.points));
        let mut seen = std::collections::HashSet::new();
        for point in holders.filter(|point| seen.insert(point.as_str())) {
            if let Some(at) = drawing.drawn(point) {
                extent.add(at, 0.0);
                places.push(at);
            }
        }
        for (b, body) in model.bodies.iter().enumerate() {
            let reach = match &body.mass {
                Mass::Shape(shape, _) => reach(shape),
                Mass::Given { .. } => match bodies::by_inertia(drawing, b + 1, body) {
                    Some(Solid::Box { half, .. }) => norm(half),
                    Some(Solid::Cylinder { radius, .. }) => radius,
                    _ => 0.0,
                },
            };
            extent.add(drawing.com(b + 1), reach);
        }
        for (.., symbol) in &drawing.symbols {
            if let Symbol::Wheel { centre, radius, .. } = symbol
                && let Some(at) = drawing.drawn(centre)
            {
                extent.add(at, *radius);
            }
        }
        let mut segment = 0.0_f64;
        for chain in &model.chains {
            let layout = Layout::new(model, chain);
            if chain.pay_out.is_some() {
                segment = segment.max(layout.segment);
            }
            layout.nodes(layout.count).into_iter().for_each(|node| extent.add(node, 0.0));
        }
        for station in model.beams.iter().flat_map(|beam| beam.stations()) {
            if let Some(at) = drawing.drawn(station) {
                extent.add(at, 0.0);
            }
        }
        for body in &model.modal_bodies {
            let com = add(body.at, body.basis.com);
            body.basis.nodes.iter().for_each(|node| extent.add(add(com, *node), 0.0));
        }
        let size = extent.size();
        extent.unit = if size > 10.0 * segment && size > 0.0 {
            let near = neighbours(&places, size);
            let drums = rims::winches(drawing).into_iter().map(|(winch, _)| winch.radius.abs());
            let drum = drums.fold(f64::INFINITY, f64::min);
            (BAR * size).min(OF_NEIGHBOURS * near).min(OF_DRUM * drum).max(LEAST * size)
        } else if segment > 0.0 {
            // it is all still in its container
            segment.max(BAR * size)
        } else {
            BAR
        };
        extent
    }

    /// How thick a bar is.
    pub fn unit(&self) -> f64 {
        if self.unit.is_finite() && self.unit > 0.0 { self.unit } else { BAR }
    }

    /// That of a scene where its bodies are at the start, without planes.
    pub fn at_start(drawing: &Drawing<'_>, scene: &Scene) -> Self {
        let pose = start_pose(drawing, scene);
        let mut extent = Extent::NOTHING;
        for (b, body) in scene.bodies.iter().enumerate() {
            let there = b == 0 || pose.bodies[b - 1].is_some();
            for (place, reach) in body.painted().flat_map(|(solid, _)| reaches(solid)).filter(|_| there) {
                if let Some(at) = place_in(&pose, &super::BodyPoint { body: b, at: place }) {
                    extent.add(at, reach);
                }
            }
        }
        for surface in &scene.modal_bodies {
            for vertex in &surface.vertices {
                if let Some(at) = place_in(&pose, &super::BodyPoint { body: surface.body, at: *vertex }) {
                    extent.add(at, 0.0);
                }
            }
        }
        for point in scene.points.iter().filter(|point| drawing.used.contains(point.name.as_str())) {
            if let Some(at) = place_in(&pose, &point.spot) {
                extent.add(at, 0.0);
            }
        }
        for chain in &drawing.model.chains {
            let layout = Layout::new(drawing.model, chain);
            layout.nodes(layout.count).into_iter().for_each(|node| extent.add(node, 0.0));
        }
        for station in drawing.model.beams.iter().flat_map(|beam| beam.stations()) {
            if let Some(at) = drawing.drawn(station) {
                extent.add(at, 0.0);
            }
        }
        extent
    }

    /// Lowest and highest coordinates, some way apart.
    pub fn bounds(&self) -> [Vector; 2] {
        if !self.size().is_finite() || self.low[0] > self.high[0] {
            return [[-0.5; 3], [0.5; 3]];
        }
        let least = if self.size() > 0.0 { 1e-6 * self.size() } else { 1.0 };
        let mut bounds = [self.low, self.high];
        for i in 0..3 {
            if bounds[1][i] - bounds[0][i] < least {
                bounds[0][i] -= 0.5 * least;
                bounds[1][i] += 0.5 * least;
            }
        }
        bounds
    }
}

/// Bodies where the run begins, those that are not there where they are drawn.
fn start_pose(drawing: &Drawing<'_>, scene: &Scene) -> Snapshot {
    let mut pose = Snapshot { bodies: vec![None; scene.bodies.len() - 1], ..Snapshot::default() };
    for (b, motion) in drawing.start.start_motions().iter().enumerate() {
        if let Some(body) = drawing.body_of(drawing.start, Some(b)).and_then(|b| b.checked_sub(1)) {
            let quat_wxyz = quaternion::of_matrix(&motion.turned);
            pose.bodies[body] = Some(Placement { at: motion.c, quat_wxyz });
        }
    }
    pose
}

/// How far a shape reaches about its centre, m, as far as it says so.
fn reach(shape: &Shape) -> f64 {
    match shape {
        Shape::Rod { .. } | Shape::Polygon { .. } => 0.0,
        Shape::Box { size, .. } => 0.5 * norm(*size),
        Shape::Cylinder { radius, length, .. } | Shape::Tube { radius, length, .. } => {
            radius.hypot(0.5 * length.unwrap_or(0.0))
        }
        Shape::Capsule { radius, length, .. } => radius + 0.5 * length.unwrap_or(0.0),
        Shape::Sphere { radius, .. } => *radius,
        Shape::Mesh { solid, .. } => solid.volume.abs().cbrt(),
    }
}

/// Places that a solid reaches, each with how far beyond; none of a plane.
fn reaches(solid: &Solid) -> Vec<(Vector, f64)> {
    match solid {
        Solid::Bar { ends, radius } => ends.iter().map(|end| (*end, *radius)).collect(),
        Solid::Ball { at, radius } => vec![(*at, *radius)],
        Solid::Box { at, axes, half } => {
            let corner = |n: usize| {
                let side = |k: usize| if n >> k & 1 == 0 { -half[k] } else { half[k] };
                ((0..3).fold(*at, |s, k| axpy(s, side(k), axes[k])), 0.0)
            };
            (0..8).map(corner).collect()
        }
        Solid::Cylinder { at, axis, radius, half, .. } => rim(*at, *axis, *radius, *half),
        Solid::Tyre { at, axis, radius, width } => rim(*at, *axis, *radius, 0.5 * width),
        Solid::Mesh { vertices, .. } => vertices.iter().map(|v| (*v, 0.0)).collect(),
        Solid::Surface(surface) => surface.corners().map(|v| (v, 0.0)).collect(),
        Solid::Line { through } => through.iter().map(|v| (*v, 0.0)).collect(),
        Solid::Plane { .. } => Vec::new(),
    }
}

fn rim(at: Vector, axis: Vector, radius: f64, half: f64) -> Vec<(Vector, f64)> {
    let e = linkwork::linalg::vec3::any_perpendicular(axis);
    let f = linkwork::linalg::vec3::cross(axis, e);
    let mut places = Vec::new();
    for end in [-half, half] {
        for k in 0..16 {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 16.0).sin_cos();
            places.push((
                add(
                    axpy(at, end, axis),
                    add(axpy([0.0; 3], radius * cos, e), axpy([0.0; 3], radius * sin, f)),
                ),
                0.0,
            ));
        }
    }
    places
}

/// How far a typical place is from the one nearest to it.
fn neighbours(places: &[Vec3], size: f64) -> f64 {
    /// More are not looked at.
    const MOST: usize = 1000;
    let places = &places[..places.len().min(MOST)];
    let mut nearest: Vec<f64> = Vec::new();
    for (i, &p) in places.iter().enumerate() {
        let others = places.iter().enumerate().filter(|(j, _)| *j != i);
        let distance = others.map(|(_, &q)| norm(sub(p, q))).filter(|d| *d > 1e-6 * size);
        nearest.push(distance.fold(f64::INFINITY, f64::min));
    }
    nearest.sort_by(f64::total_cmp);
    nearest.get(nearest.len() / 2).copied().unwrap_or(f64::INFINITY)
}
