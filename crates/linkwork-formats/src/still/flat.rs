//! Planar scenes: flat shapes one over the other.

use super::camera::Camera;
use super::symbols::{hatching, spring_lines, support, unit_pixels};
use super::{INK, ROD, ROPE, Still, TYRE, body_colour, cable_line, palette};
use crate::drawing::{BodyPoint, Colour, Drawing, Element, Pen, colour};
use crate::geometry::{Vector, add, scaled, sub, turned};
use crate::motion::{place, placement};
use crate::solid::{edges, faces};
use linkwork::joints::Symbol;
use linkwork_scene::pose::Placement;
use linkwork_scene::scene::{Beam, Solid};
use linkwork_scene::{Scene, Section, Snapshot};

pub(super) fn draw(drawing: &mut Drawing, still: &Still, scene: &Scene, pose: &Snapshot, camera: &Camera) {
    let u = unit_pixels(camera, scene.unit);
    let down = camera.spot(sub(camera.middle(), scene.up));
    let middle = camera.spot(camera.middle());
    let down = unit_spot([down[0] - middle[0], down[1] - middle[1]]);
    let closed = |i: usize| pose.joints.get(i).copied().unwrap_or(true);

    let ground = Placement { at: [0.0; 3], quat_wxyz: [1.0, 0.0, 0.0, 0.0] };
    for (body, (solid, paint)) in
        scene.bodies.first().iter().flat_map(|body| body.painted().map(move |part| (*body, part)))
    {
        draw_solid(drawing, solid, &ground, body_colour(body, paint), camera, u);
    }
    still.draw_traces(drawing, camera);
    scene.supports.iter().for_each(|at| support(drawing, camera.spot(*at), u, down));
    for (i, joint) in scene.joints.iter().enumerate().filter(|(i, _)| closed(*i)) {
        if joint.symbol == Symbol::Sleeve && joint.spots.iter().any(|s| s.body == 0) {
            draw_guide(drawing, scene, pose, i, camera, u);
        }
    }
    for (k, chain) in scene.chains.iter().enumerate() {
        for piece in pose.chains.get(k).into_iter().flatten() {
            let line: Vec<BodyPoint> = piece.iter().map(|p| camera.spot(*p)).collect();
            drawing.line(
                crate::plot::thinned(&line, 0.05),
                Pen::solid(palette(chain.colour), (2.0 * camera.pixels(chain.radius)).clamp(1.3, 8.0)),
            );
        }
    }
    for cable in &scene.cables {
        if let Some(line) = cable_line(cable, pose, 16) {
            drawing
                .line(line.iter().map(|p| camera.spot(*p)).collect(), Pen::solid(ROPE, (0.5 * u).max(1.2)));
        }
    }
    for (_, joint) in
        scene.joints.iter().enumerate().filter(|(i, joint)| closed(*i) && joint.symbol == Symbol::Rod)
    {
        if let (Some(a), Some(b)) = (place(&joint.spots[0], pose), place(&joint.spots[1], pose)) {
            drawing.line(vec![camera.spot(a), camera.spot(b)], Pen::solid(ROD, (0.6 * u).max(1.4)));
        }
    }
    // bars over plates, or a large plate would hide what it is joined to
    for bars in [false, true] {
        for i in layers(scene) {
            let (body, Some(at)) = (&scene.bodies[i], placement(i, pose)) else { continue };
            for (solid, paint) in
                body.painted().filter(|(solid, _)| matches!(solid, Solid::Bar { .. }) == bars)
            {
                draw_solid(drawing, solid, &at, body_colour(body, paint), camera, u);
            }
        }
    }
    for (beam, sections) in scene.beams.iter().zip(&pose.beams) {
        draw_beam(drawing, still, beam, sections, camera, u);
    }
    for spring in &scene.springs {
        if let (Some(a), Some(b)) = (place(&spring.ends[0], pose), place(&spring.ends[1], pose)) {
            for stroke in
                spring_lines(spring.look, [a, b], scene.unit.max(u / camera.pixels(1.0)), true, camera.back())
            {
                let line = stroke.line.iter().map(|p| camera.spot(*p)).collect();
                drawing.line(line, Pen::solid(stroke.colour, (stroke.width * u).max(1.0)));
            }
        }
    }
    let mut pins: Vec<BodyPoint> = Vec::new();
    for (_, joint) in scene.joints.iter().enumerate().filter(|(i, _)| closed(*i)) {
        let Some(at) = place(&joint.spots[1], pose).or_else(|| place(&joint.spots[0], pose)) else {
            continue;
        };
        let at = camera.spot(at);
        let pinned = matches!(
            joint.symbol,
            Symbol::Pin | Symbol::Ball | Symbol::Cross | Symbol::Slot | Symbol::Runner | Symbol::Rod
        );
        if pinned && !pins.iter().any(|pin| (pin[0] - at[0]).hypot(pin[1] - at[1]) < 0.5) {
            drawing.circle(
                at,
                (0.75 * u).max(1.6),
                Some(colour(0xFFFFFF)),
                Some(Pen::solid(INK, (0.3 * u).clamp(0.8, 2.2))),
            );
            pins.push(at);
        }
    }
    for [at, _] in &pose.contacts {
        drawing.circle(camera.spot(*at), (0.5 * u).max(1.6), Some(colour(0xC0392B)), None);
    }
}

/// Bodies from the lowest to the highest, as in the page: large ones do not hide small ones.
fn layers(scene: &Scene) -> Vec<usize> {
    let area = |body: &linkwork_scene::scene::Body| {
        let corners = body.painted().flat_map(|(solid, _)| faces(solid, 0.0).0).flat_map(|face| face.corners);
        let [low, high] = corners.fold([[f64::MAX; 2], [f64::MIN; 2]], |[low, high], c| {
            [[low[0].min(c[0]), low[1].min(c[1])], [high[0].max(c[0]), high[1].max(c[1])]]
        });
        if low[0] > high[0] { 0.0 } else { (high[0] - low[0]) * (high[1] - low[1]) }
    };
    let mut order: Vec<(usize, f64)> =
        scene.bodies.iter().enumerate().skip(1).map(|(i, body)| (i, area(body))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order.into_iter().map(|(i, _)| i).collect()
}

/// A beam as a ribbon as high as its sections; where that is thin, as a line.
fn draw_beam(
    drawing: &mut Drawing,
    still: &Still,
    beam: &Beam,
    sections: &[Section],
    camera: &Camera,
    u: f64,
) {
    let hue = palette(beam.colour);
    let highest = beam.half.iter().map(|[y, _]| *y).fold(0.0, f64::max);
    let width = 2.0 * camera.pixels(highest);
    let axis = still.looks.axis(beam, sections);
    if width < 3.0 {
        let line: Vec<BodyPoint> = axis
            .iter()
            .map(|(line, _)| camera.spot(line[0]))
            .chain(axis.last().map(|(line, _)| camera.spot(line[1])))
            .collect();
        drawing.line(line, Pen::solid(hue.lighter(-0.45), width.max(2.2) + 1.0));
        for (line, shade) in axis {
            drawing
                .line(line.map(|p| camera.spot(p)).into(), Pen::solid(shade.unwrap_or(hue), width.max(2.2)));
        }
        return;
    }
    let rings = beam.swept(sections);
    let sides = [1.0, -1.0]
        .map(|side| rings.iter().map(|ring| camera.spot(ring.place([side, 0.0]))).collect::<Vec<_>>());
    for (k, (_, shade)) in axis.iter().enumerate() {
        let corners = vec![sides[0][k], sides[0][k + 1], sides[1][k + 1], sides[1][k]];
        let fill = shade.unwrap_or(hue.lighter(0.3));
        // a hair of the same colour closes the seams between neighbours
        drawing.polygon(corners, Some(fill), Some(Pen::solid(fill, 0.5)));
    }
    let outline: Vec<BodyPoint> = sides[0].iter().chain(sides[1].iter().rev()).copied().collect();
    drawing.polygon(outline, None, Some(Pen::solid(hue.lighter(-0.45), (0.2 * u).clamp(0.8, 1.8))));
}

fn unit_spot([x, y]: BodyPoint) -> BodyPoint {
    let size = x.hypot(y);
    if size > 1e-9 { [x / size, y / size] } else { [0.0, 1.0] }
}

/// What a slider on the ground runs along, and a block at its place where it has no plate of its own.
fn draw_guide(drawing: &mut Drawing, scene: &Scene, pose: &Snapshot, joint: usize, camera: &Camera, u: f64) {
    let joint = &scene.joints[joint];
    let slider = joint.spots.iter().map(|spot| spot.body).find(|body| *body > 0).unwrap_or(0);
    let (Some(axis), Some(first), Some(second), Some(place)) = (
        joint.axis,
        placement(joint.spots[0].body, pose),
        place(&joint.spots[1], pose),
        placement(slider, pose),
    ) else {
        return;
    };
    let axis = turned(first.quat_wxyz, axis);
    let (from, to) = (camera.spot(second), camera.spot(add(second, axis)));
    let along = unit_spot([to[0] - from[0], to[1] - from[1]]);
    // downwards in the picture
    let side = if along[0] >= 0.0 { [-along[1], along[0]] } else { [along[1], -along[0]] };
    let at = |s: f64, d: f64| [from[0] + along[0] * s + side[0] * d, from[1] + along[1] * s + side[1] * d];
    let (mut reach, mut below, mut has_plate) = (5.0 * u, 1.9 * u, false);
    for (solid, _) in scene.bodies.get(slider).iter().flat_map(|body| body.painted()) {
        has_plate |= !matches!(solid, Solid::Bar { .. } | Solid::Line { .. });
        for corner in faces(solid, 0.0)
            .0
            .iter()
            .flat_map(|face| &face.corners)
            .filter(|_| !matches!(solid, Solid::Bar { .. }))
        {
            let spot = camera.spot(add(place.at, turned(place.quat_wxyz, *corner)));
            let off = [spot[0] - from[0], spot[1] - from[1]];
            reach = reach.max((off[0] * along[0] + off[1] * along[1]).abs() + 3.0 * u);
            below = below.max(off[0] * side[0] + off[1] * side[1]);
        }
    }
    // marks stay where they are while the slider moves
    let step = (1.4 * u).max(5.0);
    let origin = camera.spot([0.0; 3]);
    let way = (from[0] - origin[0]) * along[0] + (from[1] - origin[1]) * along[1];
    let start = ((way - reach) / step).round() * step - way;
    hatching(drawing, [at(start, below), at(start + 2.0 * reach, below)], side, step);
    if !has_plate {
        let block = vec![at(-2.6 * u, -below), at(2.6 * u, -below), at(2.6 * u, below), at(-2.6 * u, below)];
        drawing.polygon(block, Some(colour(0xE8EAEC)), Some(Pen::solid(INK, (0.28 * u).clamp(0.8, 2.0))));
    }
}

fn draw_solid(drawing: &mut Drawing, solid: &Solid, at: &Placement, hue: Colour, camera: &Camera, u: f64) {
    let spot = |p: Vector| camera.spot(add(at.at, turned(at.quat_wxyz, p)));
    let outline = |width: f64| Pen::solid(hue.lighter(-0.45), width);
    let thin = (0.16 * u).clamp(0.7, 1.6);
    match solid {
        Solid::Bar { ends, radius } => {
            let line: Vec<BodyPoint> = ends.iter().map(|p| spot(*p)).collect();
            let width = (2.0 * camera.pixels(*radius)).max(2.6);
            drawing.line(line.clone(), outline(width));
            drawing.line(line, Pen::solid(hue.lighter(0.18), (width - 2.0 * thin).max(1.2)));
        }
        Solid::Ball { at, radius } => {
            drawing.circle(
                spot(*at),
                camera.pixels(*radius).max(2.5),
                Some(hue.lighter(0.25)),
                Some(outline(thin)),
            );
            draw_spoke(drawing, spot(*at), spot(add(*at, [*radius, 0.0, 0.0])), outline(thin));
        }
        Solid::Cylinder { at, axis, radius, bore, .. } if axis[2].abs() > 0.9 => {
            drawing.circle(
                spot(*at),
                camera.pixels(*radius).max(2.0),
                Some(hue.lighter(0.35)),
                Some(outline(thin)),
            );
            if *bore > 0.0 {
                drawing.circle(spot(*at), camera.pixels(*bore), Some(colour(0xFFFFFF)), Some(outline(thin)));
            }
            // without a mark nobody sees it turn
            let mark = |part: f64| spot(add(*at, [radius * part, 0.0, 0.0]));
            draw_spoke(drawing, mark((bore / radius).max(0.0)), mark(1.0), outline(thin));
        }
        Solid::Tyre { at, radius, .. } => {
            drawing.circle(
                spot(*at),
                camera.pixels(0.85 * radius),
                None,
                Some(Pen::solid(TYRE, camera.pixels(0.3 * radius).max(2.0))),
            );
            drawing.circle(
                spot(*at),
                camera.pixels(0.7 * radius),
                Some(colour(0xE3E6E8)),
                Some(Pen::solid(TYRE, thin)),
            );
            draw_spoke(
                drawing,
                spot(*at),
                spot(add(*at, [0.7 * radius, 0.0, 0.0])),
                Pen::solid(TYRE, 1.5 * thin),
            );
        }
        Solid::Plane { at: through, normal } => {
            let [wide, high] = camera.extent();
            let far = wide + high;
            let along = [-normal[1], normal[0], 0.0];
            // nearest to the middle of the picture, so that it is seen along its whole way
            let from = add(at.at, turned(at.quat_wxyz, *through));
            let r = sub(camera.middle(), from);
            let s = r[0] * along[0] + r[1] * along[1];
            // marks stay with the plane when the view goes along
            let s = (s / (far / 60.0)).round() * (far / 60.0);
            let foot = add(from, scaled(along, s));
            let ends =
                [camera.spot(sub(foot, scaled(along, far))), camera.spot(add(foot, scaled(along, far)))];
            hatching(drawing, ends, unit_spot([-normal[0], normal[1]]), (1.6 * u).max(6.0));
        }
        Solid::Line { through } => {
            let line: Vec<BodyPoint> = through.iter().map(|p| spot(*p)).collect();
            drawing.line(
                crate::plot::thinned(&line, 0.05),
                Pen::solid(colour(0x6A7076), (0.35 * u).clamp(1.2, 3.0)),
            );
        }
        Solid::Mesh { .. } | Solid::Surface(_) | Solid::Box { .. } | Solid::Cylinder { .. } => {
            let lines: Vec<Vec<BodyPoint>> = faces(solid, 0.0)
                .0
                .iter()
                .map(|face| face.corners.iter().map(|p| spot(*p)).collect())
                .collect();
            // all in one sense, so that what lies twice is filled once
            let lines = lines.into_iter().map(|mut line: Vec<BodyPoint>| {
                if area(&line) < 0.0 {
                    line.reverse();
                }
                line
            });
            let fill = hue.lighter(0.38);
            drawing.elements.push(Element::Path {
                lines: lines.collect(),
                closed: true,
                fill: Some(fill),
                pen: Some(Pen::solid(fill, 0.5)),
            });
            let lines: Vec<Vec<BodyPoint>> =
                edges(solid).iter().map(|line| line.iter().map(|p| spot(*p)).collect()).collect();
            if !lines.is_empty() {
                drawing.elements.push(Element::Path {
                    lines,
                    closed: false,
                    fill: None,
                    pen: Some(outline(1.4 * thin)),
                });
            }
        }
    }
}

fn draw_spoke(drawing: &mut Drawing, from: BodyPoint, to: BodyPoint, pen: Pen) {
    drawing.line(vec![from, to], pen);
}

fn area(corners: &[BodyPoint]) -> f64 {
    (0..corners.len())
        .map(|i| {
            let ([x, y], [a, b]) = (corners[i], corners[(i + 1) % corners.len()]);
            x * b - y * a
        })
        .sum()
}
