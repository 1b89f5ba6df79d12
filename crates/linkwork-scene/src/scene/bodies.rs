//! What a body looks like: from its shape, or sensibly from its points.

use super::build::Drawing;
use super::hull::{self, Lie, lie};
use super::looks::has_looks;
use super::rims::Rim;
use super::shapes::{self, THIN};
use super::{Solid, Vector};
use linkwork::interactions::CurveShape;
use linkwork::joints::Coupling;
use linkwork::linalg::vec3::{Vec3, add, norm, scale, sub, unit};
use linkwork::model::{Body, Dimension, Mass, SurfaceForm};

const Z: Vec3 = [0.0, 0.0, 1.0];
/// Of more points no hull is made: it would take too long.
const MOST_POINTS: usize = 500;

/// The solids of a body, in its own axes. `rims`: wheels and tyres that it has, likewise.
pub(super) fn solids(drawing: &Drawing<'_>, index: usize, body: &Body, rims: Vec<Rim>) -> Vec<Solid> {
    if has_looks(drawing, &body.name) {
        return Vec::new();
    }
    let com = drawing.com(index);
    let named = places(drawing, body);
    let at: Vec<Vec3> = named.iter().map(|(_, at)| *at).collect();
    let find = |name: &str| {
        named.iter().find(|(n, _)| *n == name).map(|(_, at)| *at).or_else(|| drawing.drawn(name))
    };
    let mut drawn: Vec<Solid> = Vec::new();
    if let Mass::Shape(shape, _) = &body.mass {
        drawn.extend(shapes::solid(drawing, shape, &at, &find));
    }
    for surface in drawing.model.surfaces.iter().filter(|s| s.body == body.name) {
        if let SurfaceForm::Solid(shape) = &surface.form
            && !matches!(&body.mass, Mass::Shape(own, _) if own == shape)
        {
            drawn.extend(shapes::solid(drawing, shape, &at, &find));
        }
        drawn.extend(plane_or_hull(drawing, &surface.form, &find));
    }
    if !drawn.iter().any(holds) {
        drawn.extend(outline(drawing, body, com));
    }
    let own = |solid: Solid| solid.moved(scale(-1.0, com));
    let mut solids: Vec<Solid> = drawn.into_iter().map(own).collect();
    let whole = solids.iter().any(holds);
    let toothed = |solid: &Solid| match solid {
        Solid::Cylinder { radius, .. } => {
            rims.iter().filter_map(|rim| rim.gear).any(|gear| (gear / radius - 1.0).abs() < 0.1)
        }
        _ => false,
    };
    solids.retain(|solid| !toothed(solid));
    let geared = rims.iter().any(|rim| rim.gear.is_some());
    solids.extend(rims.into_iter().map(|rim| rim.solid));
    let points: Vec<Vec3> = joined_points(drawing, &named, geared).into_iter().map(|p| sub(p, com)).collect();
    if !whole
        && !solids.iter().any(holds)
        && let Some(solid) = by_inertia(drawing, index, body)
    {
        solids.push(solid);
    } else if !whole {
        let from_points = of_points(drawing, &points, solids.iter().any(holds));
        solids.extend(from_points);
    }
    reach_out(drawing, &mut solids, &points, matches!(body.mass, Mass::Given { .. }));
    solids
}

fn holds(solid: &Solid) -> bool {
    !matches!(solid, Solid::Plane { .. } | Solid::Line { .. })
}

/// The points of a body where it has them, as drawn.
fn places<'b>(drawing: &Drawing<'_>, body: &'b Body) -> Vec<(&'b str, Vec3)> {
    let mut all: Vec<(&str, Vec3)> =
        body.points.iter().filter_map(|p| Some((p.as_str(), drawing.drawn(p)?))).collect();
    if let (Some(length), [(_, a), (_, b)]) = (body.length, &mut all[..]) {
        // as long as it says, not as it is drawn
        let along = unit(sub(*b, *a));
        *b = add(*a, scale(length, along));
    }
    all
}

/// The points that its picture runs through: in space only those that something is attached to, if they are enough. A gear shows without others, too.
fn joined_points(drawing: &Drawing<'_>, named: &[(&str, Vec3)], geared: bool) -> Vec<Vec3> {
    let used: Vec<Vec3> =
        named.iter().filter(|(name, _)| drawing.used.contains(name)).map(|(_, at)| *at).collect();
    match !geared && (drawing.planar || used.len() < 4) {
        true => named.iter().map(|(_, at)| *at).collect(),
        false => used,
    }
}

/// A plane or a hull that contacts speak of.
pub(super) fn plane_or_hull(
    drawing: &Drawing<'_>,
    form: &SurfaceForm,
    find: &dyn Fn(&str) -> Option<Vec3>,
) -> Option<Solid> {
    if let SurfaceForm::Hull { points, vertices } = form {
        let places: Option<Vec<Vec3>> = points.iter().map(|name| find(name)).collect();
        let mut places = places?;
        places.extend(vertices);
        return shapes::convex(drawing, &places);
    }
    if let SurfaceForm::HullOf(hull) = form {
        let places: Option<Vec<Vec3>> = hull.corners.iter().map(|x| hull.mesh.place(*x, find)).collect();
        return shapes::convex(drawing, &places?);
    }
    let SurfaceForm::Plane { at, normal } = form else { return None };
    let at = match at {
        None => [0.0; 3],
        Some(linkwork::model::Place::Point(name)) => find(name)?,
        Some(place) => drawing.place(place)?,
    };
    Some(Solid::Plane { at, normal: drawing.direction(normal)? })
}

/// A plate within a closed curve on which something runs.
fn outline(drawing: &Drawing<'_>, body: &Body, com: Vec3) -> Option<Solid> {
    let mut joints =
        drawing.model.joints.iter().filter(|joint| drawing.planar && joint.bodies[0] == body.name);
    let curve = joints.find_map(|joint| match joint.data.coupling() {
        Coupling::Curve(curve, true) => Some(curve),
        _ => None,
    })?;
    let points: Vec<Vec3> = curve.iter().filter_map(|p| drawing.drawn(p)).map(|p| sub(p, com)).collect();
    let mut places = CurveShape::new(&points, true).ok()?.places(6);
    places.pop();
    hull::outlined(&places, Z, THIN * drawing.unit).map(|solid| solid.moved(com))
}

/// A box that has the mass and the inertia of a body, in the plane a disc, where its points tell nothing of its size: they lie in one place, or nothing is
/// attached to them.
///
/// A box of edges 2 h has ∫ρ x² = m h²/3 along each of its axes, a disc of radius r has I = m r²/2.
pub(super) fn by_inertia(drawing: &Drawing<'_>, index: usize, body: &Body) -> Option<Solid> {
    /// Half an edge by the extent of all points, at most: of a body that others hold, and of one that is free.
    const MOST: [f64; 2] = [0.25, 1.5];
    /// The least edge by the largest.
    const LEAST: f64 = 0.04;
    let Mass::Given { .. } = &body.mass else { return None };
    let named = places(drawing, body);
    let held = named.iter().any(|(name, _)| drawing.used.contains(name));
    let at: Vec<Vec3> = named.iter().map(|(_, at)| *at).collect();
    if held && lie(&at) != Lie::Place {
        return None;
    }
    let properties = drawing.properties(index)?;
    let dimension = if drawing.planar { Dimension::Planar } else { Dimension::Spatial };
    let most = MOST[usize::from(!held)] * drawing.room;
    let fit = |size: f64| if most > 0.0 && size > most { most / size } else { 1.0 };
    if drawing.planar {
        let radius = (2.0 * properties.inertia_about_com[2][2] / properties.mass).sqrt();
        let radius = radius * fit(radius);
        let disc = Solid::Cylinder { at: [0.0; 3], axis: Z, radius, bore: 0.0, half: THIN * drawing.unit };
        return (radius > 0.0 && radius.is_finite()).then_some(disc);
    }
    let principal = properties.principal_second_moments(dimension);
    let half = principal.map(|(moment, _)| (3.0 * moment.max(0.0) / properties.mass).sqrt());
    let largest = half.into_iter().fold(0.0, f64::max);
    let half = half.map(|h| h.max(LEAST * largest) * fit(largest));
    let [x, y] = [principal[0].1, principal[1].1];
    let axes = [x, y, linkwork::linalg::vec3::cross(x, y)];
    (largest > 0.0 && largest.is_finite()).then_some(Solid::Box { at: [0.0; 3], axes, half })
}

/// A picture from points alone. `enough`: something is there already, so that a single point needs no ball.
fn of_points(drawing: &Drawing<'_>, points: &[Vec3], enough: bool) -> Vec<Solid> {
    let unit_length = drawing.unit;
    let radius = 0.5 * unit_length;
    let points = &points[..points.len().min(MOST_POINTS)];
    let thin = THIN * unit_length;
    match lie(points) {
        Lie::Place if enough => Vec::new(),
        Lie::Place => {
            let at = points.first().copied().unwrap_or_default();
            vec![match drawing.planar {
                true => Solid::Cylinder { at, axis: Z, radius: unit_length, bore: 0.0, half: thin },
                false => Solid::Ball { at, radius: unit_length },
            }]
        }
        Lie::Line(ends) => vec![Solid::Bar { ends, radius }],
        Lie::Plane(_) if drawing.planar => hull::plate(points, Z, radius, thin).into_iter().collect(),
        Lie::Plane(normal) => hull::plate(points, normal, radius, thin).into_iter().collect(),
        Lie::Space => hull::hull(points).into_iter().collect(),
    }
}

/// Thin bars from what is drawn to points, and to a centre of mass, that lie off it.
fn reach_out(drawing: &Drawing<'_>, solids: &mut Vec<Solid>, points: &[Vec3], com_matters: bool) {
    let unit_length = drawing.unit;
    let mut arms = Vec::new();
    let near = |p: Vec3, solids: &[Solid]| {
        let places = solids.iter().filter_map(|solid| solid.nearest(p));
        places.min_by(|a, b| norm(sub(*a, p)).total_cmp(&norm(sub(*b, p))))
    };
    for &p in points.iter().take(MOST_POINTS) {
        if let Some(place) = near(p, solids).filter(|place| norm(sub(*place, p)) > 0.3 * unit_length) {
            arms.push(Solid::Bar { ends: [place, p], radius: 0.3 * unit_length });
        }
    }
    solids.append(&mut arms);
    let centre: Vector = [0.0; 3];
    if com_matters && let Some(place) = near(centre, solids).filter(|p| norm(*p) > 2.0 * unit_length) {
        solids.push(Solid::Bar { ends: [place, centre], radius: 0.15 * unit_length });
        solids.push(Solid::Ball { at: centre, radius: 0.5 * unit_length });
    }
}

impl Solid {
    /// The same somewhere else.
    pub(super) fn moved(mut self, by: Vector) -> Self {
        let shift = |x: &mut Vector| *x = add(*x, by);
        match &mut self {
            Solid::Bar { ends, .. } => ends.iter_mut().for_each(shift),
            Solid::Ball { at, .. } | Solid::Box { at, .. } | Solid::Cylinder { at, .. } => shift(at),
            Solid::Plane { at, .. } | Solid::Tyre { at, .. } => shift(at),
            Solid::Mesh { vertices, .. } => vertices.iter_mut().for_each(shift),
            Solid::Surface(surface) => *surface = surface.clone().moved(by),
            Solid::Line { through } => through.iter_mut().for_each(shift),
        }
        self
    }
}
