//! Tyres of the model as actions.

use super::attach::Attach;
use crate::error::names::segment;
use crate::interactions::{Action, Direction, NamedAction, Road, RoadPlace, Spot, Tyre};
use crate::linalg::vec3::{Vec3, sub, unit};
use crate::model::{Axis, Dimension, Fault, Reading};
use std::collections::HashMap;

/// In the plane wheels turn about z: clockwise when they roll along x.
const CLOCKWISE: [f64; 3] = [0.0, 0.0, -1.0];

impl Attach<'_> {
    /// The model's tyres.
    pub fn tyres(&mut self) {
        let mechanism = self.mechanism;
        if mechanism.model.tyres.is_empty() {
            return;
        }
        let points: HashMap<&str, Vec3> =
            mechanism.model.points.iter().map(|p| (p.name.as_str(), p.position)).collect();
        let bodies: HashMap<&str, usize> =
            mechanism.bodies.iter().enumerate().map(|(b, body)| (body.name.as_str(), b)).collect();
        let drawn = |name: &str| points.get(name).copied();
        let planar = mechanism.model.dimension == Dimension::Planar;
        let origin = mechanism.model.origin;
        for tyre in &mechanism.model.tyres {
            let path = format!("tyres.{}", segment(&tyre.name));
            let Some(&b) = bodies.get(tyre.body.as_str()) else { continue };
            let particles = &mechanism.bodies[b].particles;
            let node = self.point_index(&tyre.centre).map(|p| mechanism.points[p].node);
            let centre = match node.filter(|&node| mechanism.bodies[b].weights(node).is_some()) {
                Some(node) => mechanism.spot(Some(b), node),
                // the results show another body's copy of the point
                None => match drawn(&tyre.centre) {
                    Some(at) => Spot { body: Some(b), s: sub(at, particles.properties.com) },
                    None => continue,
                },
            };
            let thin = particles.k() == 1 || (particles.k() == 2 && !planar);
            if tyre.brush.is_some() && thin {
                let message =
                    format!("body `{}` has no inertia about its own axis and cannot roll", tyre.body);
                let help = "give the wheel a shape with some thickness, or an inertia";
                self.faults.push(Fault::error(format!("{path}.body"), message).help(help));
                continue;
            }
            let u = match &tyre.axis {
                None => CLOCKWISE,
                Some(Axis::Vector(v)) => unit(*v),
                Some(Axis::Points(p, q)) => match (drawn(p), drawn(q)) {
                    (Some(p), Some(q)) => unit(sub(q, p)),
                    _ => continue,
                },
            };
            let Ok((height, readings)) = self.readings.resolve(&tyre.road, &crate::model::Tyre::PLACE) else {
                continue;
            };
            let place = |reading: &Reading| match reading {
                Reading::Local(0) => Some(RoadPlace::X),
                Reading::Local(1) => Some(RoadPlace::Y),
                Reading::Time => Some(RoadPlace::Time),
                _ => None,
            };
            let Some(places) = readings.iter().map(place).collect() else { continue };
            let action = Action::Tyre(Box::new(Tyre {
                centre,
                axis: Direction { body: Some(b), u },
                up: mechanism.columns() - 1,
                radius: tyre.radius,
                stiffness: tyre.stiffness,
                damping: tyre.damping,
                brush: tyre.brush,
                road: Road {
                    height,
                    places,
                    origin: [origin[0], origin[1], origin[mechanism.columns() - 1]],
                },
            }));
            self.list.actions.push(NamedAction { name: format!("tyre.{}", tyre.name), action });
        }
    }
}
