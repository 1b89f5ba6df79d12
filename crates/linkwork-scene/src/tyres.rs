//! Where tyres stand on their road, and what it does to them. The equations are those of `linkwork::interactions::Tyre`.

use crate::scene::Vector;
use linkwork::interactions::{Action, RoadPlace, Tyre};
use linkwork::linalg::vec3::{axpy, cross, dot, norm, scale, unit};
use linkwork::mechanism::Mechanism;
use linkwork::results::Frame;

/// A tyre of a mechanism, and where its outputs begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TyreOutputs {
    action: usize,
    first: usize,
    count: usize,
}

/// All tyres of a mechanism.
pub(crate) fn tyres(mechanism: &Mechanism) -> Vec<TyreOutputs> {
    let interactions = mechanism.interactions();
    let mut first = 0;
    let mut list = Vec::new();
    for (action, named) in interactions.actions.iter().enumerate() {
        let count = named.action.columns(interactions).len();
        if matches!(named.action, Action::Tyre(_)) {
            list.push(TyreOutputs { action, first, count });
        }
        first += count;
    }
    list
}

impl TyreOutputs {
    /// Where the road pushes the tyre, and the force; nothing while it does not touch.
    pub(crate) fn push(&self, mechanism: &Mechanism, frame: &Frame) -> Option<[Vector; 2]> {
        let Action::Tyre(tyre) = &mechanism.interactions().actions.get(self.action)?.action else {
            return None;
        };
        let outputs = frame.outputs.get(self.first..self.first + self.count)?;
        let [normal, deflection, ..] = *outputs else { return None };
        if normal <= 0.0 {
            return None;
        }
        let centre = tyre.centre.at(&frame.motions).r;
        let loaded = tyre.radius - deflection;
        let mut up = [0.0; 3];
        up[tyre.up] = 1.0;
        if tyre.brush.is_none() {
            return Some([axpy(centre, -loaded, up), scale(normal, up)]);
        }
        let n = road_normal(tyre, centre, frame.t);
        let a = tyre.axis.at(&frame.motions);
        let out = axpy(n, -dot(n, a), a);
        if norm(out) < 1e-6 {
            return None;
        }
        let along = unit(cross(a, n));
        let mut force = axpy(scale(normal, n), *outputs.get(2)?, along);
        if tyre.up == 2 {
            force = axpy(force, *outputs.get(3)?, cross(n, along));
        }
        Some([axpy(centre, -loaded, unit(out)), force])
    }
}

/// The normal of the road below a place.
fn road_normal(tyre: &Tyre, at: Vector, t: f64) -> Vector {
    let mut normal = [0.0; 3];
    normal[tyre.up] = 1.0;
    let step = 1e-4 * tyre.radius;
    for (i, place) in [RoadPlace::X, RoadPlace::Y].into_iter().enumerate().take(tyre.up) {
        if tyre.road.uses(place) {
            let height = |by: f64| {
                let mut there = [at[0], at[1], t];
                there[i] += by;
                tyre.road.height(there)
            };
            normal[i] = -(height(step) - height(-step)) / (2.0 * step);
        }
    }
    unit(normal)
}
