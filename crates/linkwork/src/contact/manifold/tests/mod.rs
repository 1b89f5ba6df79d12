//! Manifolds against closed forms, a search over directions, and each other.

mod exact;
mod flat;
mod properties;
mod resting;

use super::*;
use crate::contact::{Block, Can, Hull};
use crate::interactions::{BodyPoint, motion_of};
use crate::linalg::quaternion;
use crate::linalg::vec3::{
    IDENTITY, Mat3, add, apply, apply_transposed, axpy, cross, dot, norm, scale, sub, unit,
};
use std::sync::Arc;

/// Numbers from -1 to 1, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self, size: f64) -> Vec3 {
        std::array::from_fn(|_| size * self.next())
    }
    fn turn(&mut self) -> Mat3 {
        let mut q: Vec<f64> = (0..4).map(|_| self.next()).collect();
        quaternion::normalise(&mut q);
        quaternion::matrix(&q)
    }
    fn motion(&mut self, size: f64) -> Motion {
        Motion { c: self.vector(size), turned: self.turn(), v: self.vector(1.0), w: self.vector(1.5) }
    }
}

fn spot(body: usize) -> BodyPoint {
    BodyPoint { body: Some(body), s: [0.0; 3] }
}

fn at(c: Vec3) -> Motion {
    Motion { c, ..Motion::FIXED }
}

/// Turned about a direction.
fn turned(c: Vec3, about: Vec3, angle: f64) -> Motion {
    let (sin, cos) = (0.5 * angle).sin_cos();
    let [x, y, z] = unit(about);
    Motion { c, turned: quaternion::matrix(&[cos, sin * x, sin * y, sin * z]), ..Motion::FIXED }
}

fn plane(normal: Vec3) -> Surface {
    Surface { at: BodyPoint { body: None, s: [0.0; 3] }, form: Form::Plane { normal } }
}

fn ball(body: usize, radius: f64) -> Surface {
    Surface { at: spot(body), form: Form::Ball { radius } }
}

fn capsule(body: usize, half: f64, radius: f64) -> Surface {
    Surface { at: spot(body), form: Form::Capsule { axis: [1.0, 0.0, 0.0], half, radius } }
}

fn cuboid(body: usize, half: Vec3) -> Surface {
    let centre = spot(body);
    Surface { at: centre, form: Form::Block(Block { centre, axes: IDENTITY, half }) }
}

fn cylinder(body: usize, radius: f64, half: f64) -> Surface {
    let centre = spot(body);
    Surface { at: centre, form: Form::Can(Can { centre, axis: [0.0, 0.0, 1.0], radius, half }) }
}

fn hull(body: usize, points: &[Vec3]) -> Surface {
    let (hull, s) = Hull::new(points).unwrap();
    Surface { at: BodyPoint { s, ..spot(body) }, form: Form::Hull(Arc::new(hull)) }
}

fn corners(half: Vec3) -> Vec<Vec3> {
    (0..8).map(|n| std::array::from_fn(|k| if n >> k & 1 == 0 { -half[k] } else { half[k] })).collect()
}

fn points(a: &Surface, b: &Surface, bodies: &[Motion], reach: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    manifold(a, b, bodies, false, reach, &mut out);
    check(&out, reach);
    out
}

/// What holds of all manifolds.
fn check(out: &[ContactPoint], reach: f64) {
    assert!(out.len() <= MAX_POINTS);
    for p in out {
        assert!((norm(p.normal) - 1.0).abs() < 1e-12 && p.gap < reach && p.gap.is_finite(), "{p:?}");
        assert_eq!(out.iter().filter(|q| q.key == p.key).count(), 1, "a key twice: {out:?}");
    }
}

fn least(out: &[ContactPoint]) -> f64 {
    out.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min)
}

fn keys(out: &[ContactPoint]) -> Vec<u32> {
    let mut keys: Vec<u32> = out.iter().map(|p| p.key).collect();
    keys.sort_unstable();
    keys
}

/// The farthest point of a surface along d, written once more, as a witness.
fn support(surface: &Surface, bodies: &[Motion], d: Vec3) -> Vec3 {
    let turned = &motion_of(bodies, surface.body()).turned;
    let d = apply_transposed(turned, d);
    let local = match &surface.form {
        Form::Plane { .. } => unreachable!(),
        Form::Ball { radius } => scale(*radius, unit(d)),
        Form::Capsule { axis, half, radius } => {
            add(scale(half.copysign(dot(d, *axis)), *axis), scale(*radius, unit(d)))
        }
        Form::Block(block) => (0..block.directions())
            .fold([0.0; 3], |p, k| axpy(p, block.half[k].copysign(dot(d, block.axes[k])), block.axes[k])),
        Form::Can(can) => {
            let along = dot(d, can.axis);
            let m = axpy(d, -along, can.axis);
            add(scale(can.half.copysign(along), can.axis), scale(can.radius, unit(m)))
        }
        Form::Hull(hull) => {
            let far = |x: &&Vec3, y: &&Vec3| dot(d, **x).total_cmp(&dot(d, **y));
            *hull.corners().iter().max_by(far).unwrap()
        }
    };
    add(surface.at.at(bodies).r, apply(turned, local))
}

/// σ(n), by the witness.
fn sigma(a: &Surface, b: &Surface, bodies: &[Motion], n: Vec3) -> f64 {
    dot(n, sub(support(b, bodies, scale(-1.0, n)), support(a, bodies, n)))
}

/// The largest σ that a blind search from many directions finds: the signed distance, from below.
fn searched(a: &Surface, b: &Surface, bodies: &[Motion], planar: bool, random: &mut Random) -> f64 {
    let mut direction = |size: f64| {
        let [x, y, z] = random.vector(size);
        [x, y, if planar { 0.0 } else { z }]
    };
    let mut best = f64::NEG_INFINITY;
    for _ in 0..8 {
        let mut n = unit(direction(1.0));
        let mut value = sigma(a, b, bodies, n);
        let mut step = 0.5;
        while step > 1e-8 {
            let mut moved = false;
            for _ in 0..6 {
                let next = unit(add(n, direction(step)));
                let along = sigma(a, b, bodies, next);
                if along > value {
                    (n, value, moved) = (next, along, true);
                }
            }
            if !moved {
                step *= 0.5;
            }
        }
        best = best.max(value);
    }
    best
}

/// One of each kind of solid.
fn kinds(body: usize, random: &mut Random) -> Vec<Surface> {
    let cloud: Vec<Vec3> = (0..14).map(|_| random.vector(0.4)).collect();
    let mut list = vec![
        ball(body, 0.0),
        ball(body, 0.3),
        capsule(body, 0.4, 0.15),
        cuboid(body, [0.5, 0.3, 0.2]),
        cylinder(body, 0.3, 0.25),
        hull(body, &cloud),
    ];
    // not at the centre of mass
    let s = random.vector(0.1);
    for surface in &mut list {
        surface.at.s = add(surface.at.s, s);
        match &mut surface.form {
            Form::Block(block) => block.centre = surface.at,
            Form::Can(can) => can.centre = surface.at,
            _ => {}
        }
    }
    list
}
