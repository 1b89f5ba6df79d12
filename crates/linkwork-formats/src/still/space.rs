//! Scenes in space: faces, lines and dots, which `depth.rs` brings into order.

use super::camera::{Camera, grid};
use super::depth::{Ink, Shape, Thing, back_to_front, pieces};
use super::symbols::{spring_lines, unit_pixels};
use super::{INK, ROD, ROPE, Still, TYRE, body_colour, cable_line, palette};
use crate::drawing::{BodyPoint, Colour, Drawing, Element, Pen, colour};
use crate::geometry::{Vector, across, add, between, cross, dot, length, scaled, sub, turned, unit};
use crate::motion::{place, placement};
use crate::solid::{Face, edges, faces};
use linkwork::joints::Symbol;
use linkwork_scene::pose::Placement;
use linkwork_scene::scene::{Beam, ModalBody, Solid};
use linkwork_scene::{Scene, Section, Snapshot};

/// Of a surface with more faces a plain picture shows the edges only.
const PLAIN_FACES: usize = 400;

/// What the light does with a colour.
#[derive(Clone, Copy)]
enum Paint {
    /// Of the palette: it gets lighter and darker.
    Drawn(Colour),
    /// Of a look: it is lightest where the light falls straight on it.
    Own(Colour),
}

/// Things to be drawn.
struct Heap<'a> {
    camera: &'a Camera,
    list: Vec<Thing>,
    /// From where the light comes.
    light: Vector,
    /// Lines and bars are cut into pieces no longer than this, m.
    longest: f64,
    plain: bool,
}

pub(super) fn draw(drawing: &mut Drawing, still: &Still, scene: &Scene, pose: &Snapshot, camera: &Camera) {
    let u = unit_pixels(camera, scene.unit);
    let extent = camera.extent()[0].max(camera.extent()[1]);
    let up = unit(scene.up);
    let light = unit(add(add(scaled(camera.back(), 0.55), up), scaled(across(up), 0.25)));
    let mut heap = Heap {
        camera,
        list: Vec::new(),
        light,
        longest: extent / if still.plain { 6.0 } else { 14.0 },
        plain: still.plain,
    };
    if let Some(floor) = scene.floor {
        let foot = add(camera.middle(), scaled(up, floor - dot(camera.middle(), up)));
        plane(drawing, foot, up, camera);
    }
    for (i, body) in scene.bodies.iter().enumerate() {
        let Some(at) = placement(i, pose) else { continue };
        let alone = i == 0 || body.painted().all(|(solid, _)| matches!(solid, Solid::Line { .. }));
        for (solid, paint) in body.painted() {
            // the line along which a body slides is inside it, or beside it in the air
            if matches!(solid, Solid::Line { .. }) && !alone {
                continue;
            }
            if let Solid::Plane { at: through, normal } = solid {
                plane(
                    drawing,
                    add(at.at, turned(at.quat_wxyz, *through)),
                    turned(at.quat_wxyz, *normal),
                    camera,
                );
            } else {
                if let Solid::Tyre { .. } = solid {
                    heap.spokes(solid, &at, body_colour(body, paint), u);
                }
                heap.solid(
                    solid,
                    &at,
                    if matches!(solid, Solid::Tyre { .. }) { TYRE } else { body_colour(body, paint) },
                    u,
                );
            }
        }
    }
    still.draw_traces(drawing, camera);
    for spring in &scene.springs {
        if let (Some(a), Some(b)) = (place(&spring.ends[0], pose), place(&spring.ends[1], pose)) {
            for stroke in spring_lines(spring.look, [a, b], scene.unit, still.plain, camera.back()) {
                heap.line(&stroke.line, stroke.colour, (stroke.width * u).max(1.0), 0.0);
            }
        }
    }
    for (k, chain) in scene.chains.iter().enumerate() {
        for piece in pose.chains.get(k).into_iter().flatten() {
            heap.line(piece, palette(chain.colour), (2.0 * camera.pixels(chain.radius)).clamp(1.3, 8.0), 0.0);
        }
    }
    for (beam, sections) in scene.beams.iter().zip(&pose.beams) {
        heap.beam(still, beam, sections, u);
    }
    for (k, body) in scene.modal_bodies.iter().enumerate() {
        let owner = &scene.bodies[body.body];
        heap.surface(still, k, body, pose, body_colour(owner, owner.paint.as_deref()), u);
    }
    for cable in &scene.cables {
        if let Some(line) = cable_line(cable, pose, 16) {
            heap.line(&line, ROPE, (0.5 * u).max(1.2), 0.0);
        }
    }
    for joint in scene.joints.iter().filter(|joint| joint.symbol == Symbol::Rod) {
        if let (Some(a), Some(b)) = (place(&joint.spots[0], pose), place(&joint.spots[1], pose)) {
            heap.line(&[a, b], ROD, (0.6 * u).max(1.4), 0.0);
        }
    }
    let mut done: Vec<BodyPoint> = Vec::new();
    for (i, joint) in scene.joints.iter().enumerate() {
        if !pose.joints.get(i).copied().unwrap_or(true) || joint.kind == "floating" {
            continue;
        }
        let Some(at) = place(&joint.spots[1], pose).or_else(|| place(&joint.spots[0], pose)) else {
            continue;
        };
        let spot = camera.spot(at);
        if !done.iter().any(|other| (other[0] - spot[0]).hypot(other[1] - spot[1]) < 0.3) {
            let pen = Pen::solid(INK, (0.22 * u).clamp(0.6, 1.6));
            let radius = (0.62 * u).max(1.3);
            let dot = Element::Circle { at: spot, radius, fill: Some(colour(0xF4F5F6)), pen: Some(pen) };
            heap.dot(at, 1.2 * scene.unit, vec![dot]);
            done.push(spot);
        }
    }
    for [at, _] in &pose.contacts {
        let dot = Element::Circle {
            at: camera.spot(*at),
            radius: (0.45 * u).max(1.5),
            fill: Some(colour(0xC0392B)),
            pen: None,
        };
        heap.dot(*at, 2.0 * scene.unit, vec![dot]);
    }
    let list = std::mem::take(&mut heap.list);
    drawing.elements.extend(back_to_front(list, camera));
}

impl Heap<'_> {
    fn dot(&mut self, at: Vector, lift: f64, elements: Vec<Element>) {
        self.list.push(Thing { shape: Shape::Dot(at), ink: Ink::Ready(elements), lift });
    }

    fn solid(&mut self, solid: &Solid, at: &Placement, hue: Colour, u: f64) {
        let world = |p: Vector| add(at.at, turned(at.quat_wxyz, p));
        if let Solid::Ball { at: middle, radius } = solid {
            self.ball(world(*middle), *radius, hue);
            return;
        }
        if let Solid::Bar { ends, radius } = solid
            && (self.plain || self.camera.pixels(*radius) < 1.1)
        {
            let line = ends.map(world);
            let width = (2.0 * self.camera.pixels(*radius)).max(2.2);
            if self.plain {
                self.line(&line, hue.lighter(-0.35), width + 1.2, -1e-6 * length(sub(line[1], line[0])));
            }
            self.line(&line, hue, width, 0.0);
            return;
        }
        if self.plain && self.outline(solid, at, hue) {
            return;
        }
        let (faces, closed) = faces(solid, if self.plain { 0.0 } else { self.longest });
        for face in &faces {
            let normal = turned(at.quat_wxyz, face.normal());
            let towards = dot(normal, self.camera.back());
            if closed && towards <= 0.0 {
                continue;
            }
            let corners: Vec<Vector> = face.corners.iter().map(|p| world(*p)).collect();
            self.face(
                &Face { corners, normals: vec![if towards < 0.0 { scaled(normal, -1.0) } else { normal }] },
                match solid {
                    Solid::Surface(_) => Paint::Own(hue),
                    _ => Paint::Drawn(hue),
                },
                if closed || self.plain || matches!(solid, Solid::Surface(_)) { 0 } else { 2 },
            );
        }
        let lift = 0.02 * self.longest;
        for edge in edges(solid) {
            let line: Vec<Vector> = edge.iter().map(|p| world(*p)).collect();
            self.line(&line, hue.lighter(-0.4), (0.16 * u).clamp(0.7, 1.4), lift);
        }
    }

    /// A beam: its faces, or where it is thin its axis.
    fn beam(&mut self, still: &Still, beam: &Beam, sections: &[Section], u: f64) {
        let hue = palette(beam.colour);
        let thickest = beam.half.iter().flatten().fold(0.0_f64, |most, x| most.max(*x));
        let width = 2.0 * self.camera.pixels(thickest);
        if self.plain || width < 2.5 {
            for (line, shade) in still.looks.axis(beam, sections) {
                self.line(&line, shade.unwrap_or(hue), width.clamp(1.8, 8.0), 0.0);
            }
            return;
        }
        let (faces, lines) = still.looks.beam(beam, sections);
        self.soft(&faces, &lines, hue, u);
    }

    /// The surface of a modal body; of a plain picture its edges.
    fn surface(
        &mut self,
        still: &Still,
        index: usize,
        body: &ModalBody,
        pose: &Snapshot,
        hue: Colour,
        u: f64,
    ) {
        let (faces, lines) = still.looks.surface(index, body, pose);
        let few = !self.plain || faces.len() <= PLAIN_FACES;
        self.soft(if few { &faces } else { &[] }, &lines, hue, u);
    }

    fn soft(&mut self, faces: &[(Face, Option<Colour>)], lines: &[Vec<Vector>], hue: Colour, u: f64) {
        for (face, shade) in faces {
            if dot(face.normal(), self.camera.back()) > 0.0 {
                let flat = Face { corners: face.corners.clone(), normals: vec![face.normal()] };
                self.face(&flat, Paint::Drawn(shade.unwrap_or(hue)), 0);
            }
        }
        let lift = 0.02 * self.longest;
        for line in lines {
            self.line(line, hue.lighter(-0.4), (0.16 * u).clamp(0.6, 1.2), lift);
        }
    }

    /// The rim of a wheel and its spokes, in the colour of the body: without them nobody would see it turn.
    fn spokes(&mut self, tyre: &Solid, at: &Placement, hue: Colour, u: f64) {
        const SPOKES: u32 = 8;
        let Solid::Tyre { at: centre, axis, radius, .. } = tyre else { return };
        let (p, r) = (across(*axis), cross(*axis, across(*axis)));
        let on_rim = |k: f64| {
            let (sin, cos) = (k * std::f64::consts::TAU).sin_cos();
            let out = add(scaled(p, cos), scaled(r, sin));
            let place = add(*centre, scaled(out, 0.64 * radius));
            add(at.at, turned(at.quat_wxyz, place))
        };
        let hub = add(at.at, turned(at.quat_wxyz, *centre));
        let rim: Vec<Vector> = (0..=24).map(|k| on_rim(f64::from(k) / 24.0)).collect();
        self.line(&rim, hue, (0.7 * u).max(1.6), 0.0);
        for k in 0..SPOKES {
            self.line(&[hub, on_rim(f64::from(k) / f64::from(SPOKES))], hue, (0.45 * u).max(1.2), 0.0);
        }
    }

    /// A ball: discs one in the other, lighter towards the light.
    fn ball(&mut self, middle: Vector, radius: f64, hue: Colour) {
        // too small to be seen: a dot
        let pixels = self.camera.pixels(radius).max(2.0);
        let rings = if self.plain || pixels < 4.0 { 2 } else { (pixels / 3.0).clamp(4.0, 24.0) as usize };
        let at = self.camera.spot(middle);
        let towards = self.camera.spot(add(middle, self.light));
        let shift =
            [(towards[0] - at[0]) / self.camera.pixels(1.0), (towards[1] - at[1]) / self.camera.pixels(1.0)];
        let mut discs = Vec::new();
        for k in 0..rings {
            let s = k as f64 / rings as f64;
            let fill = Some(hue.lighter(-0.28 + 0.75 * s));
            let pen = (k == 0).then(|| Pen::solid(hue.lighter(-0.4), 0.7));
            let at = [at[0] + 0.75 * s * pixels * shift[0], at[1] + 0.75 * s * pixels * shift[1]];
            discs.push(Element::Circle { at, radius: pixels * (1.0 - s), fill, pen });
        }
        self.dot(middle, 0.0, discs);
    }

    /// Wheels and cylinders by what is seen of them as a whole: the outline, and the end that looks this way. Others are not drawn.
    fn outline(&mut self, solid: &Solid, at: &Placement, hue: Colour) -> bool {
        let (middle, axis, radius, half, inner) = match solid {
            Solid::Cylinder { at, axis, radius, bore, half } => (*at, *axis, *radius, *half, *bore),
            Solid::Tyre { at, axis, radius, width } => (*at, *axis, *radius, width / 2.0, 0.62 * radius),
            _ => return false,
        };
        let middle = add(at.at, turned(at.quat_wxyz, middle));
        let mut axis = turned(at.quat_wxyz, axis);
        if dot(axis, self.camera.back()) < 0.0 {
            axis = scaled(axis, -1.0);
        }
        let p = across(axis);
        let r = cross(axis, p);
        let rim = |height: f64, radius: f64| -> Vec<BodyPoint> {
            (0..24)
                .map(|k| f64::from(k) * std::f64::consts::TAU / 24.0)
                .map(|a| add(scaled(p, radius * a.cos()), scaled(r, radius * a.sin())))
                .map(|d| self.camera.spot(add(add(middle, scaled(axis, height)), d)))
                .collect()
        };
        let whole = hull([rim(half, radius), rim(-half, radius)].concat());
        let pen = Some(Pen::solid(hue.lighter(-0.35), 0.7));
        let shape = |line: Vec<BodyPoint>, fill: Colour, pen: Option<Pen>| Element::Path {
            lines: vec![line],
            closed: true,
            fill: Some(fill),
            pen,
        };
        let mut parts = vec![
            shape(whole, hue.lighter(-0.05), pen.clone()),
            shape(rim(half, radius), hue.lighter(0.25), None),
        ];
        if inner > 0.0 {
            parts.push(shape(rim(half, inner), colour(0xD5D9DC), pen));
        }
        self.dot(middle, 0.0, parts);
        true
    }

    /// A face in the colour that the light gives it; large ones are cut in four, so that sorting is right.
    fn face(&mut self, face: &Face, paint: Paint, cuts: u8) {
        let c = &face.corners;
        let size = (0..c.len()).map(|i| length(sub(c[i], c[(i + 1) % c.len()]))).fold(0.0, f64::max);
        if cuts > 0 && c.len() == 3 && size > 2.0 * self.longest {
            let middle = [between(c[0], c[1], 0.5), between(c[1], c[2], 0.5), between(c[2], c[0], 0.5)];
            for corners in [
                [c[0], middle[0], middle[2]],
                [middle[0], c[1], middle[1]],
                [middle[2], middle[1], c[2]],
                middle,
            ] {
                self.face(
                    &Face { corners: corners.to_vec(), normals: face.normals.clone() },
                    paint,
                    cuts - 1,
                );
            }
            return;
        }
        let shade = dot(face.normals[0], self.light);
        let fill = match paint {
            Paint::Drawn(hue) => hue.lighter(if shade > 0.0 { 0.42 * shade } else { 0.3 * shade } - 0.06),
            // never lighter than it is: white shall be seen on white
            Paint::Own(hue) => hue.lighter(if shade > 0.0 { 0.38 * shade } else { 0.15 * shade } - 0.44),
        };
        self.list.push(Thing { shape: Shape::Face(c.clone()), ink: Ink::Fill(fill), lift: 0.0 });
    }

    /// A line in pieces that are sorted one by one.
    fn line(&mut self, line: &[Vector], colour: Colour, width: f64, lift: f64) {
        for piece in pieces(line, self.longest) {
            let ink = Ink::Stroke(Pen::solid(colour, width));
            self.list.push(Thing { shape: Shape::Line(piece), ink, lift });
        }
    }
}

/// A plane as a faint grid about what is seen.
fn plane(drawing: &mut Drawing, at: Vector, normal: Vector, camera: &Camera) {
    if dot(normal, camera.back()) < 0.02 {
        return;
    }
    let mut p = sub([1.0, 0.0, 0.0], scaled(normal, normal[0]));
    p = if length(p) > 0.1 { unit(p) } else { across(normal) };
    let r = cross(normal, p);
    let [wide, high] = camera.extent();
    let reach = 0.55 * wide.max(high);
    let middle = sub(camera.middle(), at);
    // what moves far is looked at near its place; the rest as a whole
    let range = |axis: Vector| {
        let here = dot(middle, axis);
        let span = |k: usize| dot(camera.bounds[k], axis) - dot(at, axis);
        let (low, high) = (span(0).min(span(1)), span(0).max(span(1)));
        let room = 0.12 * (high - low).max(0.2 * reach);
        [(low - room).max(here - reach), (high + room).min(here + reach)]
    };
    let (px, rx) = (range(p), range(r));
    let place = |a: f64, b: f64| camera.spot(add(at, add(scaled(p, a), scaled(r, b))));
    let sheet = vec![place(px[0], rx[0]), place(px[1], rx[0]), place(px[1], rx[1]), place(px[0], rx[1])];
    drawing.polygon(sheet, Some(colour(0xF3F5F6)), None);
    let longer = (px[1] - px[0]).max(rx[1] - rx[0]);
    let step = |range: [f64; 2]| (14.0 * (range[1] - range[0]) / longer).max(2.0);
    let mut lines: Vec<Vec<BodyPoint>> =
        grid(px, step(px)).into_iter().map(|a| vec![place(a, rx[0]), place(a, rx[1])]).collect();
    lines.extend(grid(rx, step(rx)).into_iter().map(|b| vec![place(px[0], b), place(px[1], b)]));
    drawing.elements.push(Element::Path {
        lines,
        closed: false,
        fill: None,
        pen: Some(Pen::solid(colour(0xD9DDE0), 0.8)),
    });
}

/// The smallest convex outline about places.
fn hull(mut places: Vec<BodyPoint>) -> Vec<BodyPoint> {
    places.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut outline: Vec<BodyPoint> = Vec::new();
    for round in 0..2 {
        let start = outline.len();
        for &p in &places {
            while let [.., a, b] = outline[start..] {
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                outline.pop();
            }
            outline.push(p);
        }
        outline.pop();
        if round == 0 {
            places.reverse();
        }
    }
    outline
}
