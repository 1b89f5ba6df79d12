//! Gears, pinions and wheels: round parts whose size a joint or an element tells.

use super::build::Drawing;
use super::{Joint, Solid};
use crate::scene::shapes::THIN;
use linkwork::interactions::elements::Symbol;
use linkwork::joints::Coupling;
use linkwork::linalg::vec3::{Vec3, axpy, cross, dot, norm, scale, sub};
use linkwork::model::{self, JointKind, Mass, Shape};
use std::collections::HashMap;

const Z: Vec3 = [0.0, 0.0, 1.0];
/// Width of a tyre by its radius.
const TYRE_WIDTH: f64 = 0.5;
/// Width of a gear by its radius, and how far a ring reaches beyond its teeth.
const GEAR_WIDTH: f64 = 0.2;
const RING: f64 = 1.12;

/// The round parts of each body of the scene, in the body's axes.
pub(super) fn rims(drawing: &Drawing<'_>, joints: &[Joint]) -> HashMap<usize, Vec<Solid>> {
    let mut all: HashMap<usize, Vec<Solid>> = HashMap::new();
    let makers = Makers { drawing, joints };
    for (.., symbol) in &drawing.symbols {
        if let Some((body, solid)) = makers.wheel_of(symbol) {
            all.entry(body).or_default().push(solid);
        }
    }
    for said in &drawing.model.joints {
        let parts = match said.kind.descriptor().coupling {
            Coupling::Teeth => makers.gears(said),
            Coupling::Rack => makers.gear(said, 0).into_iter().collect(),
            Coupling::Rolling => makers.wheel(said),
            _ => Vec::new(),
        };
        for (body, solid) in parts {
            let list = all.entry(body).or_default();
            if !list.contains(&solid) {
                list.push(solid);
            }
        }
    }
    all
}

struct Makers<'a, 'm> {
    drawing: &'a Drawing<'m>,
    joints: &'a [Joint],
}

/// The pitch circle of a gear, as drawn.
#[derive(Clone, Copy)]
struct Circle {
    centre: Vec3,
    axis: Vec3,
    radius: f64,
}

impl Makers<'_, '_> {
    /// The wheel that an element describes.
    fn wheel_of(&self, symbol: &Symbol<'_>) -> Option<(usize, Solid)> {
        let &Symbol::Wheel { body, centre, axis, radius } = symbol else { return None };
        let drawing = self.drawing;
        let body = drawing.body(body)?;
        let at = drawing.on(body, drawing.drawn(centre)?).at;
        let said = axis.and_then(|axis| drawing.direction(axis));
        let axis = match drawing.planar {
            true => Z,
            false => said.or_else(|| self.axle(body)).unwrap_or([0.0, 1.0, 0.0]),
        };
        let width = if drawing.planar { 2.0 * THIN * drawing.unit } else { TYRE_WIDTH * radius };
        Some((body, Solid::Tyre { at, axis, radius, width }))
    }

    /// The axis about which a wheel turns: that of a hinge that it has.
    fn axle(&self, body: usize) -> Option<Vec3> {
        let hinge = self.joints.iter().filter(|joint| joint.kind == JointKind::Revolute.name());
        hinge.filter(|joint| joint.spots.iter().any(|spot| spot.body == body)).find_map(|joint| joint.axis)
    }

    /// Both gears of a pair. One that the other runs inside of is a ring.
    fn gears(&self, said: &model::Joint) -> Vec<(usize, Solid)> {
        let Some(pitch) = self.drawing.drawn(&said.at[0]) else { return Vec::new() };
        let circles = [0, 1].map(|side| self.circle(said, side, pitch));
        let inside = match circles {
            [Some(a), Some(b)] => dot(sub(a.centre, pitch), sub(b.centre, pitch)) > 0.0,
            _ => false,
        };
        let larger = match circles {
            [Some(a), Some(b)] if a.radius > b.radius => 0,
            _ => 1,
        };
        let part = |side: usize| match inside && side == larger {
            true => self.ring(said, side, circles[side]?),
            false => self.gear(said, side),
        };
        [part(0), part(1)].into_iter().flatten().collect()
    }

    fn half(&self, circle: &Circle) -> f64 {
        if self.drawing.planar { THIN * self.drawing.unit } else { 0.5 * GEAR_WIDTH * circle.radius }
    }

    fn ring(&self, said: &model::Joint, side: usize, circle: Circle) -> Option<(usize, Solid)> {
        let body = self.drawing.body(&said.bodies[side])?;
        let at = self.drawing.on(body, circle.centre).at;
        let (radius, bore, half) = (RING * circle.radius, circle.radius, self.half(&circle));
        Some((body, Solid::Cylinder { at, axis: circle.axis, radius, bore, half }))
    }

    /// A gear as a disc, unless its body is round already. The ground has rings only.
    fn gear(&self, said: &model::Joint, side: usize) -> Option<(usize, Solid)> {
        let body = self.drawing.body(&said.bodies[side]).filter(|&b| b > 0 && !self.is_round(b))?;
        let circle = self.circle(said, side, self.drawing.drawn(&said.at[0])?)?;
        let at = self.drawing.on(body, circle.centre).at;
        let half = self.half(&circle);
        Some((body, Solid::Cylinder { at, axis: circle.axis, radius: circle.radius, bore: 0.0, half }))
    }

    /// About the bearing of a gear through the point where the teeth meet.
    fn circle(&self, said: &model::Joint, side: usize, pitch: Vec3) -> Option<Circle> {
        let body = self.drawing.body(&said.bodies[side])?;
        let carrier = said.carrier.as_ref().and_then(|name| self.drawing.body(name));
        let turns = [JointKind::Revolute.name(), JointKind::Cylindrical.name()];
        let has = |joint: &&Joint, body: usize| joint.spots.iter().any(|spot| spot.body == body);
        let bearings = || self.joints.iter().filter(|j| turns.contains(&j.kind.as_str()) && has(j, body));
        let on_carrier = carrier.and_then(|c| bearings().find(|joint| has(joint, c)));
        let bearing = on_carrier.or_else(|| bearings().next())?;
        let spot = bearing.spots.iter().find(|spot| spot.body == body)?;
        let axis = if self.drawing.planar { Z } else { bearing.axis.unwrap_or(Z) };
        let foot = self.drawing.as_drawn(spot);
        let arm = sub(pitch, foot);
        let centre = axpy(foot, dot(axis, arm), axis);
        let radius = norm(sub(pitch, centre));
        (radius > 0.0).then_some(Circle { centre, axis, radius })
    }

    fn is_round(&self, body: usize) -> bool {
        let body = body.checked_sub(1).and_then(|b| self.drawing.model.bodies.get(b));
        let round = |mass: &Mass| match mass {
            Mass::Shape(shape, _) => {
                matches!(shape, Shape::Cylinder { .. } | Shape::Tube { .. } | Shape::Sphere { .. })
            }
            Mass::Given { .. } => false,
        };
        body.is_some_and(|body| round(&body.mass))
    }

    /// What rolls, and the plane or line that it rolls on.
    fn wheel(&self, said: &model::Joint) -> Vec<(usize, Solid)> {
        self.rolling(said).unwrap_or_default()
    }

    fn rolling(&self, said: &model::Joint) -> Option<Vec<(usize, Solid)>> {
        let drawing = self.drawing;
        let [base, wheel] = [drawing.body(&said.bodies[0])?, drawing.body(&said.bodies[1])?];
        let [plane, centre] = [drawing.drawn(&said.at[0])?, drawing.drawn(&said.at[1])?];
        let axis = said.axis.as_ref().and_then(|axis| drawing.direction(axis));
        let normal = match drawing.planar {
            true => cross(Z, axis.unwrap_or([1.0, 0.0, 0.0])),
            false => axis.unwrap_or(Z),
        };
        let height = dot(normal, sub(centre, plane));
        let normal = if height < 0.0 { scale(-1.0, normal) } else { normal };
        let turns = said.axis2.as_ref().and_then(|axis| drawing.direction(axis));
        let upright = turns.map_or(1.0, |a| (1.0 - dot(a, normal).powi(2)).max(1e-6).sqrt());
        let radius = said.radius.unwrap_or(height.abs() / upright);
        let mut parts = vec![(base, Solid::Plane { at: drawing.on(base, plane).at, normal })];
        let at = drawing.on(wheel, centre).at;
        let thin = THIN * drawing.unit;
        let solid = match (drawing.planar, turns) {
            (true, _) => Solid::Cylinder { at, axis: Z, radius, bore: 0.0, half: thin },
            (false, Some(axis)) => Solid::Cylinder { at, axis, radius, bore: 0.0, half: 0.08 * radius },
            (false, None) => Solid::Ball { at, radius },
        };
        if !self.is_round(wheel) && radius > 0.0 {
            parts.push((wheel, solid));
        }
        Some(parts)
    }
}
