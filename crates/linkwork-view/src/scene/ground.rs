//! What the ground looks like: supports, planes and solids that never move.

use super::build::Drawing;
use super::{Solid, bodies, hull, shapes};
use linkwork::model::{GROUND, SurfaceForm};
use std::collections::HashSet;

/// More supports are not drawn.
const MOST_SUPPORTS: usize = 500;

/// The solids of the ground.
pub(super) fn solids(drawing: &Drawing<'_>) -> Vec<Solid> {
    let mut solids = Vec::new();
    let mut seen = HashSet::new();
    let used =
        drawing.model.ground.iter().filter(|p| drawing.used.contains(p.as_str()) && seen.insert(p.as_str()));
    for at in used.filter_map(|point| drawing.drawn(point)).take(MOST_SUPPORTS) {
        solids.push(hull::support(at, drawing.up, 1.2 * drawing.unit, drawing.planar));
    }
    let find = |name: &str| drawing.drawn(name);
    for surface in drawing.model.surfaces.iter().filter(|surface| surface.body == GROUND) {
        match &surface.form {
            SurfaceForm::Solid(shape) => solids.extend(shapes::solid(drawing, shape, &[], &find)),
            form => solids.extend(bodies::plane(drawing, form, &find)),
        }
    }
    solids
}
