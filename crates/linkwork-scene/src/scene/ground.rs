//! What the ground looks like: supports, planes and solids that never move.

use super::build::Drawing;
use super::looks::has_looks;
use super::{Joint, Solid, Vector, bodies, hull, shapes};
use linkwork::model::{GROUND, SurfaceForm};
use std::collections::HashSet;

/// More supports are not drawn.
const MOST_SUPPORTS: usize = 500;

/// The solids of the ground. What carries a joint is drawn with the joint; other points of the ground that something hangs on get a support here.
pub(super) fn solids(drawing: &Drawing<'_>, joints: &[Joint]) -> Vec<Solid> {
    let mut solids = Vec::new();
    let mut seen = HashSet::new();
    let used =
        drawing.model.ground.iter().filter(|p| drawing.used.contains(p.as_str()) && seen.insert(p.as_str()));
    let carried: Vec<Vector> = joints
        .iter()
        .flat_map(|joint| &joint.spots)
        .filter(|spot| spot.body == 0)
        .map(|spot| spot.at)
        .collect();
    let looks = has_looks(drawing, GROUND);
    let bare = used.filter_map(|point| drawing.drawn(point)).filter(|at| !carried.contains(at));
    for at in bare.take(if looks { 0 } else { MOST_SUPPORTS }) {
        solids.push(hull::support(at, drawing.up, 1.2 * drawing.unit, drawing.planar));
    }
    let find = |name: &str| drawing.drawn(name);
    let shown = |form: &SurfaceForm| !looks || matches!(form, SurfaceForm::Plane { .. });
    for surface in drawing.model.surfaces.iter().filter(|s| s.body == GROUND && shown(&s.form)) {
        match &surface.form {
            SurfaceForm::Solid(shape) => solids.extend(shapes::solid(drawing, shape, &[], &find)),
            form => solids.extend(bodies::plane_or_hull(drawing, form, &find)),
        }
    }
    solids
}
