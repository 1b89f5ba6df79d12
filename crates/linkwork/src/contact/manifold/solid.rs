//! Pairs of solids in space, and solids on planes.

use super::super::{Form, Surface, boxes};
use super::ContactPoint;
use super::depth::depth;
use super::distance::{Distance, distance};
use super::patch::{EXACT, Meeting, Patch};
use super::placed::{Border, Convex, Core, FACE_CODE, RIM_POINTS, corner_code};
use super::polish::polished;
use crate::interactions::{BodyPoint, Motion, motion_of};
use crate::linalg::vec3::{Vec3, add, any_perpendicular, apply, axpy, cross, dot, norm, scale, sub, unit};

/// Sine below which two directions are parallel.
const PARALLEL: f64 = 1e-6;

/// Corners, ends or rim of a solid above a plane of a.
pub(super) fn on_plane(
    plane: &BodyPoint,
    normal: Vec3,
    solid: &Surface,
    bodies: &[Motion],
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let motion = motion_of(bodies, plane.body);
    let n = apply(&motion.turned, normal);
    let origin = add(motion.c, apply(&motion.turned, plane.s));
    let convex = Convex::new(solid, bodies, origin);
    if dot(n, convex.centre) - convex.reach >= reach {
        return;
    }
    let mut push = |at: Vec3, code: u16| {
        let gap = dot(n, at) - convex.radius;
        if gap < reach {
            let point = axpy(add(origin, at), -convex.radius - 0.5 * gap, n);
            out.push(ContactPoint {
                gap,
                point,
                normal: n,
                key: u32::from(FACE_CODE) << 16 | u32::from(code),
            });
        }
    };
    match &convex.core {
        Core::Point => push(convex.centre, 0),
        Core::Block { half, axes } => {
            let directions = if half[2].is_finite() { 3 } else { 2 };
            for number in 0..1_usize << directions {
                let side = |k: usize| if number >> k & 1 == 0 { -half[k] } else { half[k] };
                let at = (0..directions).fold(convex.centre, |p, k| axpy(p, side(k), axes[k]));
                push(at, corner_code(number));
            }
        }
        Core::Hull { turned, hull } => {
            for (number, &corner) in hull.corners().iter().enumerate() {
                push(add(convex.centre, apply(turned, corner)), corner_code(number));
            }
        }
        Core::Segment { .. } | Core::Can { .. } => match convex.outline(scale(-1.0, n)).border {
            Border::Loop(list) => (0..list.count).for_each(|k| push(list.corners[k], list.codes[k])),
            Border::Disc(disc) => (0..RIM_POINTS).for_each(|k| push(disc.point(k), disc.code(k))),
        },
    }
}

/// Two solids in space.
pub(super) fn solids(surfaces: [&Surface; 2], bodies: &[Motion], reach: f64, out: &mut Vec<ContactPoint>) {
    let [a, b] = surfaces;
    let origin = motion_of(bodies, a.body()).c;
    let [p, q] = surfaces.map(|s| Convex::new(s, bodies, origin));
    let d = sub(q.centre, p.centre);
    let far = p.reach + q.reach + reach;
    if dot(d, d) >= far * far {
        return;
    }
    let limit = reach + p.radius + q.radius;
    let pair = [&p, &q];
    let mut patch = Patch { pair, origin, reach, out, exact: false };
    match (&a.form, &b.form, &p.core, &q.core) {
        (Form::Block(block), Form::Block(other), ..) => {
            let (apart, normal) = boxes::separation([block, other], bodies);
            if apart >= reach {
                return;
            }
            let meeting = Meeting { normal, apart, nearest: None };
            // apart, and perhaps next to each other with something else than what parts them
            if apart > EXACT * (p.reach + q.reach) {
                let before = patch.out.len();
                if patch.faces(&meeting) {
                    return;
                }
                patch.out.truncate(before);
                match distance(pair, limit) {
                    Distance::Apart(length, n, points) => patch.add(&snapped(pair, length, n, points)),
                    Distance::Far => {}
                    Distance::Touching => patch.add(&meeting),
                }
            } else {
                patch.add(&meeting);
            }
        }
        (_, _, Core::Segment { .. } | Core::Point, Core::Segment { .. } | Core::Point) => {
            let meeting = segments(pair);
            let lines = matches!((&p.core, &q.core), (Core::Segment { .. }, Core::Segment { .. }));
            if !lines {
                patch.nearest(&meeting);
            } else if meeting.apart < limit {
                patch.edges(&meeting);
            }
        }
        _ => {
            let meeting = match distance(pair, limit) {
                Distance::Far => return,
                Distance::Apart(length, n, points) => snapped(pair, length, n, points),
                Distance::Touching => match depth(pair) {
                    Some((deep, n, points)) => snapped(pair, -deep, n, points),
                    None => return,
                },
            };
            patch.add(&meeting);
        }
    }
}

/// How far two cores are apart along a direction.
pub(super) fn apart([a, b]: [&Convex<'_>; 2], n: Vec3) -> f64 {
    dot(n, sub(b.support(scale(-1.0, n)), a.support(n)))
}

/// A meeting whose normal is that of a face or of two edges, where one is as good: these do not depend on how the search went.
fn snapped(pair: [&Convex<'_>; 2], found: f64, n: Vec3, nearest: [Vec3; 2]) -> Meeting {
    let curved = pair[0].is_curved() || pair[1].is_curved();
    let (found, n) = if curved { polished(pair, n) } else { (found, n) };
    let nearest = match (pair[0].corner(n, 1e-3), pair[1].corner(scale(-1.0, n), 1e-3)) {
        (Some(p), _) => [p, axpy(p, found, n)],
        (None, Some(q)) => [axpy(q, -found, n), q],
        (None, None) => nearest,
    };
    let back = scale(-1.0, n);
    let faces = [pair[0].facing(n), pair[1].facing(back).map(|m| scale(-1.0, m))];
    let edges = [pair[0].edge(n, 1e-3), pair[1].edge(back, 1e-3)].map(|e| unit(sub(e.ends[1], e.ends[0])));
    let c = cross(edges[0], edges[1]);
    let length = norm(c);
    let crossed = (length > 1e-3).then(|| scale(1.0_f64.copysign(dot(c, n)) / length, c));
    let others = [faces[0], faces[1], crossed];
    let others = others.map(|m| m.filter(|m| dot(*m, n) > 0.999).map(|m| (m, apart(pair, m))));
    // every direction gives a bound from below: a search that has ended beside a face, where a cap is as flat as a wide one below it, is mended by that face
    let most = others.into_iter().flatten().fold(found, |most, (_, along)| most.max(along));
    let near = most - EXACT * (pair[0].reach + pair[1].reach);
    if let Some((normal, apart)) = others.into_iter().flatten().find(|(_, along)| *along >= near) {
        return Meeting { normal, apart, nearest: Some(nearest) };
    }
    Meeting { normal: n, apart: found, nearest: Some(nearest) }
}

/// Two segments or points [ericson2005].
fn segments([p, q]: [&Convex<'_>; 2]) -> Meeting {
    let way = |c: &Convex<'_>| match &c.core {
        Core::Segment { along, half } => (*along, *half),
        _ => ([1.0, 0.0, 0.0], 0.0),
    };
    let ((u, h), (w, l)) = (way(p), way(q));
    let d = sub(q.centre, p.centre);
    let (along, du, dw) = (dot(u, w), dot(d, u), dot(d, w));
    let square = 1.0 - along * along;
    // on the lines, then within both
    let s = if square > PARALLEL * PARALLEL {
        ((du - along * dw) / square).clamp(-h, h)
    } else {
        du.clamp(-h, h)
    };
    let t = (along * s - dw).clamp(-l, l);
    let s = (du + along * t).clamp(-h, h);
    let points = [axpy(p.centre, s, u), axpy(q.centre, t, w)];
    let d = sub(points[1], points[0]);
    let length = norm(d);
    let size = p.reach + q.reach;
    let (normal, apart) = if length > 1e-12 * size {
        (scale(1.0 / length, d), length)
    } else {
        // through each other: out sideways
        let c = cross(u, w);
        (if norm(c) > PARALLEL { unit(c) } else { any_perpendicular(u) }, 0.0)
    };
    Meeting { normal, apart, nearest: Some(points) }
}
