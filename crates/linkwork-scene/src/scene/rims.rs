//! Gears, pinions, drums and wheels: round parts whose size a joint or an element tells.

use super::build::Drawing;
use super::teeth::{Circle, Trains};
use super::{Cable, Joint, Solid};
use crate::scene::shapes::THIN;
use linkwork::interactions::elements::Symbol;
use linkwork::joints::Coupling;
use linkwork::linalg::vec3::{Vec3, axpy, cross, dot, norm, scale, sub};
use linkwork::model::{self, JointKind, Mass, PayOutLaw, Shape, Winch};
use std::collections::HashMap;

const Z: Vec3 = [0.0, 0.0, 1.0];
/// Width of a tyre by its radius: that of an element, and that of a wheel that only rolls.
const TYRE_WIDTH: f64 = 0.5;
const NARROW: f64 = 0.16;
/// Width of a drum by its radius.
const DRUM: f64 = 1.5;
/// Width of a gear by its radius.
const GEAR_WIDTH: f64 = 0.2;

/// A round part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rim {
    pub solid: Solid,
    /// The radius of the gear: a disc about as large is drawn with teeth instead.
    pub gear: Option<f64>,
}

impl From<Solid> for Rim {
    fn from(solid: Solid) -> Self {
        Rim { solid, gear: None }
    }
}

/// The round parts of each body of the scene, in the body's axes; large ones first.
pub(super) fn rims(drawing: &Drawing<'_>, joints: &[Joint]) -> HashMap<usize, Vec<Rim>> {
    let mut all: HashMap<usize, Vec<Rim>> = HashMap::new();
    let makers = Makers { drawing, joints };
    for (body, rim) in makers.toothed() {
        all.entry(body).or_default().push(rim);
    }
    for (winch, _) in winches(drawing) {
        if let Some((body, solid)) = makers.drum(winch) {
            all.entry(body).or_default().push(solid.into());
        }
    }
    for (.., symbol) in &drawing.symbols {
        if let Some((body, solid)) = makers.wheel_of(symbol) {
            all.entry(body).or_default().push(solid.into());
        }
    }
    for said in &drawing.model.joints {
        let parts = match said.data.coupling() {
            Coupling::Rack(_) => makers.gear(said, 0).into_iter().collect(),
            Coupling::Rolling(radius) => makers.wheel(said, radius),
            _ => Vec::new(),
        };
        for (body, solid) in parts {
            let (list, rim) = (all.entry(body).or_default(), Rim::from(solid));
            if !list.contains(&rim) {
                list.push(rim);
            }
        }
    }
    all
}

/// Drums that wind up chains and cables, with the points between which the rope is in the air before it is part of a chain.
pub(super) fn winches<'m>(drawing: &Drawing<'m>) -> Vec<(&'m Winch, Option<(&'m str, &'m str)>)> {
    let of_chain = |chain: &'m model::Chain| match chain.pay_out.as_ref().map(|out| &out.law) {
        Some(PayOutLaw::Winch(winch)) => Some((winch, Some((chain.name.as_str(), chain.to.as_deref()?)))),
        _ => None,
    };
    let of_cables = drawing.model.cables.iter().filter_map(|cable| Some((cable.winch.as_ref()?, None)));
    drawing.model.chains.iter().filter_map(of_chain).chain(of_cables).collect()
}

/// The ropes between the drums of chains and where the chains begin.
pub(super) fn hauls(drawing: &Drawing<'_>, joints: &[Joint]) -> Vec<Cable> {
    let makers = Makers { drawing, joints };
    let haul = |(winch, chain): (&Winch, Option<(&str, &str)>)| {
        let (name, exit) = chain?;
        let (body, solid) = makers.drum(winch)?;
        let Solid::Cylinder { at, axis, radius, .. } = solid else { return None };
        let through = vec![drawing.point(exit)?, super::BodyPoint { body, at }];
        Some(Cable { name: name.into(), through, radii: vec![0.0, radius.copysign(winch.radius)], axis })
    };
    winches(drawing).into_iter().filter_map(haul).collect()
}

struct Makers<'a, 'm> {
    drawing: &'a Drawing<'m>,
    joints: &'a [Joint],
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

    /// All gears that run on each other, with teeth where their axes are parallel, as discs elsewhere. One that the other runs inside of is a ring.
    fn toothed(&self) -> Vec<(usize, Rim)> {
        let mut trains = Trains::default();
        let mut rims: Vec<(usize, Rim)> = Vec::new();
        let pairs =
            self.drawing.model.joints.iter().filter(|j| matches!(j.data.coupling(), Coupling::Teeth(_)));
        for said in pairs {
            let Some(pitch) = self.drawing.drawn(&said.at[0]) else { continue };
            let bodies = [0, 1].map(|side: usize| self.drawing.body(&said.bodies[side]));
            let circles = [0, 1].map(|side| self.circle(said, side, pitch));
            if let ([Some(p), Some(q)], [Some(a), Some(b)]) = (bodies, circles)
                && norm(cross(a.axis, b.axis)) < 1e-6
            {
                let inside = dot(sub(a.centre, pitch), sub(b.centre, pitch)) > 0.0;
                let rings = [inside && a.radius > b.radius, inside && a.radius <= b.radius];
                trains.mesh([(p, a, rings[0]), (q, b, rings[1])], pitch);
            } else {
                let discs = [self.gear(said, 0), self.gear(said, 1)].into_iter().flatten();
                rims.extend(discs.map(|(body, solid)| (body, solid.into())));
            }
        }
        trains.cut();
        trains.wheels.sort_by(|a, b| b.circle.radius.total_cmp(&a.circle.radius));
        for (i, wheel) in trains.wheels.iter().enumerate() {
            // the smaller one is seen in front of the larger one on its shaft
            let larger = trains.wheels[..i].iter().filter(|other| other.body == wheel.body).count();
            let half = self.half(&wheel.circle) * (1.0 + 0.5 * larger as f64);
            let toothed = wheel.solid(half).filter(|_| wheel.body > 0 || wheel.ring);
            if let Some(solid) = toothed {
                let solid = solid.moved(scale(-1.0, self.drawing.com(wheel.body)));
                rims.push((wheel.body, Rim { solid, gear: Some(wheel.circle.radius) }));
            }
        }
        rims
    }

    /// The drum of a winch.
    fn drum(&self, winch: &Winch) -> Option<(usize, Solid)> {
        let joint = self.joints.iter().find(|joint| joint.name == winch.joint)?;
        let spot = joint.spots.iter().rev().find(|spot| spot.body > 0)?;
        let axis = if self.drawing.planar { Z } else { joint.axis? };
        let radius = winch.radius.abs();
        let half = if self.drawing.planar { THIN * self.drawing.unit } else { DRUM * radius };
        (radius > 0.0).then_some((spot.body, Solid::Cylinder { at: spot.at, axis, radius, bore: 0.0, half }))
    }

    fn half(&self, circle: &Circle) -> f64 {
        if self.drawing.planar { THIN * self.drawing.unit } else { 0.5 * GEAR_WIDTH * circle.radius }
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
        let carrier = match said.data.coupling() {
            Coupling::Teeth(carrier) | Coupling::Rack(carrier) => carrier,
            _ => None,
        };
        let carrier = carrier.and_then(|name| self.drawing.body(name));
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
    fn wheel(&self, said: &model::Joint, radius: Option<f64>) -> Vec<(usize, Solid)> {
        self.rolling(said, radius).unwrap_or_default()
    }

    fn rolling(&self, said: &model::Joint, radius: Option<f64>) -> Option<Vec<(usize, Solid)>> {
        let drawing = self.drawing;
        let [base, wheel] = [drawing.body(&said.bodies[0])?, drawing.body(&said.bodies[1])?];
        let [plane, centre] = [drawing.drawn(&said.at[0])?, drawing.drawn(&said.at[1])?];
        let axis = said.axis().and_then(|axis| drawing.direction(axis));
        let normal = match drawing.planar {
            true => cross(Z, axis.unwrap_or([1.0, 0.0, 0.0])),
            false => axis.unwrap_or(Z),
        };
        let height = dot(normal, sub(centre, plane));
        let normal = if height < 0.0 { scale(-1.0, normal) } else { normal };
        let turns = said.axis2().and_then(|axis| drawing.direction(axis));
        let upright = turns.map_or(1.0, |a| (1.0 - dot(a, normal).powi(2)).max(1e-6).sqrt());
        let radius = radius.unwrap_or(height.abs() / upright);
        let mut parts = vec![(base, Solid::Plane { at: drawing.on(base, plane).at, normal })];
        let at = drawing.on(wheel, centre).at;
        let thin = THIN * drawing.unit;
        let solid = match (drawing.planar, turns) {
            (true, _) => Solid::Cylinder { at, axis: Z, radius, bore: 0.0, half: thin },
            (false, Some(axis)) => Solid::Tyre { at, axis, radius, width: NARROW * radius },
            (false, None) => Solid::Ball { at, radius },
        };
        if !self.is_round(wheel) && radius > 0.0 {
            parts.push((wheel, solid));
        }
        Some(parts)
    }
}
