//! Springs, dampers and supports as lines.

use super::camera::Camera;
use super::{INK, WIRE};
use crate::drawing::{BodyPoint, Colour, Drawing, Element, Pen, colour};
use crate::geometry::{Vector, across, add, between, cross, length, scaled, sub, unit};
use linkwork_scene::scene::SpringLook;
use std::f64::consts::TAU;

/// A line of a spring: its way, its colour and width as a part of the scene's unit.
pub struct Stroke {
    pub line: Vec<Vector>,
    pub colour: Colour,
    pub width: f64,
}

/// The lines of a spring between two places; `depth` is towards the eye.
pub fn spring_lines(
    look: SpringLook,
    [a, b]: [Vector; 2],
    thick: f64,
    flat: bool,
    depth: Vector,
) -> Vec<Stroke> {
    let wire = |line| Stroke { line, colour: WIRE, width: 0.42 };
    let straight = |from: f64, to: f64, colour: Colour, width: f64| Stroke {
        line: vec![between(a, b, from), between(a, b, to)],
        colour,
        width,
    };
    let tube = colour(0x9AA3AB);
    let damper =
        [straight(0.0, 0.12, WIRE, 0.45), straight(0.12, 0.6, tube, 1.5), straight(0.5, 1.0, WIRE, 0.5)];
    match look {
        SpringLook::Rope => vec![straight(0.0, 1.0, super::ROPE, 0.5)],
        SpringLook::Spring => vec![wire(coil([a, b], 1.3 * thick, flat, depth))],
        SpringLook::Damper | SpringLook::Actuator => damper.into(),
        SpringLook::Both => {
            let mut list: Vec<Stroke> = damper.into();
            list.push(wire(coil([a, b], 1.7 * thick, flat, depth)));
            list
        }
    }
}

/// A coil with straight ends: a zigzag in the plane.
fn coil([a, b]: [Vector; 2], radius: f64, flat: bool, depth: Vector) -> Vec<Vector> {
    const TURNS: usize = 7;
    let along = sub(b, a);
    if length(along) < 1e-12 {
        return vec![a, b];
    }
    let axis = unit(along);
    let side = if flat { unit(cross(depth, axis)) } else { across(axis) };
    let other = cross(axis, side);
    let mut line = vec![a, between(a, b, 0.1)];
    if flat {
        for k in 0..2 * TURNS {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            let s = 0.1 + 0.8 * (k as f64 + 0.5) / (2 * TURNS) as f64;
            line.push(add(between(a, b, s), scaled(side, sign * radius)));
        }
    } else {
        const CUTS: usize = 14;
        for k in 0..=TURNS * CUTS {
            let s = k as f64 / (TURNS * CUTS) as f64;
            let angle = s * TURNS as f64 * TAU;
            let out = add(scaled(side, angle.cos()), scaled(other, angle.sin()));
            line.push(add(between(a, b, 0.1 + 0.8 * s), scaled(out, radius)));
        }
    }
    line.extend([between(a, b, 0.9), b]);
    line
}

/// A pin on the ground: a stand with hatching below it. `down` has unit length, in the picture.
pub fn support(drawing: &mut Drawing, at: BodyPoint, size: f64, down: BodyPoint) {
    let side = [-down[1], down[0]];
    let to = |s: f64, d: f64| [at[0] + side[0] * s + down[0] * d, at[1] + side[1] * s + down[1] * d];
    let pen = Pen::solid(INK, (0.28 * size).clamp(0.8, 2.0));
    let triangle = vec![at, to(-1.5 * size, 2.4 * size), to(1.5 * size, 2.4 * size)];
    drawing.polygon(triangle, Some(colour(0xE8EAEC)), Some(pen.clone()));
    drawing.line(vec![to(-2.3 * size, 2.4 * size), to(2.3 * size, 2.4 * size)], pen.clone());
    let marks = (-2..=2).map(|k| {
        let s = f64::from(k) * 0.95 * size;
        vec![to(s + 0.35 * size, 2.4 * size), to(s - 0.35 * size, 3.3 * size)]
    });
    drawing.elements.push(Element::Path {
        lines: marks.collect(),
        closed: false,
        fill: None,
        pen: Some(pen),
    });
}

/// Short strokes on the solid side of a line in the picture.
pub fn hatching(drawing: &mut Drawing, [a, b]: [BodyPoint; 2], inward: BodyPoint, step: f64) {
    let d = [b[0] - a[0], b[1] - a[1]];
    let size = d[0].hypot(d[1]);
    if !(size > 0.0 && size.is_finite() && step > 0.5) {
        return;
    }
    let u = [d[0] / size, d[1] / size];
    let count = (size / step).floor().min(2000.0) as usize;
    let lines = (0..=count)
        .map(|k| {
            let p = [a[0] + u[0] * step * k as f64, a[1] + u[1] * step * k as f64];
            vec![
                p,
                [p[0] + 0.7 * step * (inward[0] - u[0] * 0.7), p[1] + 0.7 * step * (inward[1] - u[1] * 0.7)],
            ]
        })
        .collect();
    let pen = Pen::solid(colour(0x9AA0A6), 1.0);
    drawing.elements.push(Element::Path { lines, closed: false, fill: None, pen: Some(pen) });
    drawing.line(vec![a, b], Pen::solid(colour(0x6A7076), 1.4));
}

/// How thick joints and lines are in the picture: neither invisible nor clumsy.
pub fn unit_pixels(camera: &Camera, unit: f64) -> f64 {
    camera.pixels(unit).clamp(2.0, 0.02 * 720.0)
}
