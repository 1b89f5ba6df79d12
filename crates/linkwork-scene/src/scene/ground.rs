//! What the ground looks like: supports with their masts, planes and solids that never move, and the floor.

use super::build::Drawing;
use super::extent::Extent;
use super::looks::has_looks;
use super::{Scene, Solid, Vector, bodies, hull, shapes};
use linkwork::joints::Symbol;
use linkwork::linalg::vec3::{any_perpendicular, axpy, cross, dot, norm};
use linkwork::model::{GROUND, SurfaceForm};
use std::collections::HashSet;

/// More supports are not drawn.
const MOST_SUPPORTS: usize = 500;
/// How high a support is, by bars.
pub(super) const HEIGHT: f64 = 2.85;
/// Half the width of a mast, by bars.
const MAST: f64 = 0.7;
/// What begins this many bars above the floor and more stands on a mast.
const HIGH: f64 = 5.0;
/// The origin is the floor of what lies no more than this many times its size above it.
const NEAR: f64 = 3.0;

/// Planes and solids of the ground.
pub(super) fn solids(drawing: &Drawing<'_>) -> Vec<Solid> {
    let mut solids = Vec::new();
    let find = |name: &str| drawing.drawn(name);
    let looks = has_looks(drawing, GROUND);
    let shown = |form: &SurfaceForm| !looks || matches!(form, SurfaceForm::Plane { .. });
    for surface in drawing.model.surfaces.iter().filter(|s| s.body == GROUND && shown(&s.form)) {
        match &surface.form {
            SurfaceForm::Solid(shape) => solids.extend(shapes::solid(drawing, shape, &[], &find)),
            form => solids.extend(bodies::plane_or_hull(drawing, form, &find)),
        }
    }
    solids
}

/// Puts what is fixed to the ground on supports, and these on the floor.
pub(super) fn stand(drawing: &Drawing<'_>, scene: &mut Scene) {
    let places = carried(drawing, scene);
    let lowest = places.iter().map(|at| dot(*at, drawing.up)).fold(f64::INFINITY, f64::min);
    let planar = drawing.planar;
    let stands = !planar && lowest.is_finite() && !has_floor(scene);
    let said = drawing.model.view.floor.filter(|_| !planar);
    scene.floor = said.or_else(|| stands.then(|| floor(drawing, scene, lowest)));
    if has_looks(drawing, GROUND) {
        return;
    }
    if planar {
        scene.supports = places;
        return;
    }
    let solids = places.iter().flat_map(|at| support(drawing, *at, scene.floor));
    scene.bodies[0].solids.extend(solids);
}

/// Places of the ground that something hangs on, each once; not those of guides and of wheels, which show by themselves.
fn carried(drawing: &Drawing<'_>, scene: &Scene) -> Vec<Vector> {
    let stands = |symbol: Symbol| {
        matches!(symbol, Symbol::Pin | Symbol::Ball | Symbol::Cross | Symbol::Block | Symbol::Rod)
    };
    let of_joints = |stands: &dyn Fn(Symbol) -> bool| -> Vec<Vector> {
        let joints = scene.joints.iter().filter(|joint| stands(joint.symbol));
        joints.flat_map(|joint| &joint.spots).filter(|spot| spot.body == 0).map(|spot| spot.at).collect()
    };
    let mut places = of_joints(&stands);
    let others = of_joints(&|symbol| !stands(symbol));
    let mut seen = HashSet::new();
    let used =
        drawing.model.ground.iter().filter(|p| drawing.used.contains(p.as_str()) && seen.insert(p.as_str()));
    places.extend(used.filter_map(|point| drawing.drawn(point)).filter(|at| !others.contains(at)));
    let near = |a: &Vector, b: &Vector| (0..3).all(|k| (a[k] - b[k]).abs() < 0.01 * drawing.unit);
    let mut kept: Vec<Vector> = Vec::new();
    for at in places {
        if kept.len() < MOST_SUPPORTS && !kept.iter().any(|other| near(other, &at)) {
            kept.push(at);
        }
    }
    kept
}

/// Whether the model says itself what things stand on.
fn has_floor(scene: &Scene) -> bool {
    let level = |normal: &Vector| dot(*normal, scene.up) > 0.5 * norm(scene.up);
    scene.bodies[0].solids.iter().any(|solid| matches!(solid, Solid::Plane { normal, .. } if level(normal)))
}

/// The level of the feet of the lowest support. Where everything begins above the origin, and not too far, the origin is the floor; where bodies begin below the lowest
/// support, the floor is below them.
fn floor(drawing: &Drawing<'_>, scene: &Scene, lowest: f64) -> f64 {
    let extent = Extent::at_start(drawing, scene);
    let [low, high] = extent.bounds();
    let least = (0..3).map(|k| (low[k] * drawing.up[k]).min(high[k] * drawing.up[k])).sum::<f64>();
    let unit = drawing.unit;
    let bottom = lowest.min(least);
    let above = bottom > -1e-6 * extent.size() && bottom < NEAR * extent.size();
    if above && lowest > HIGH * unit {
        0.0
    } else if least < lowest - HIGH * unit {
        least - HEIGHT * unit
    } else {
        lowest - HEIGHT * unit
    }
}

/// A cone below a place, on a plate; where that is high above the floor, on a mast.
fn support(drawing: &Drawing<'_>, at: Vector, floor: Option<f64>) -> Vec<Solid> {
    let (unit, up) = (drawing.unit, drawing.up);
    let plate =
        |at: Vector, radius: f64| Solid::Cylinder { at, axis: up, radius, bore: 0.0, half: 0.25 * unit };
    let foot = axpy(at, -2.6 * unit, up);
    let mut solids = vec![hull::cone(at, up, 2.6 * unit, 1.7 * unit), plate(foot, 2.3 * unit)];
    let height = dot(foot, up) - floor.unwrap_or(f64::NEG_INFINITY);
    if height.is_finite() && height > HIGH * unit {
        let base = axpy(foot, -height, up);
        let e = any_perpendicular(up);
        let axes = [e, cross(up, e), up];
        let middle = axpy(foot, -0.5 * height, up);
        solids.push(Solid::Box { at: middle, axes, half: [MAST * unit, MAST * unit, 0.5 * height] });
        solids.push(plate(axpy(base, 0.25 * unit, up), 2.3 * unit));
    }
    solids
}
