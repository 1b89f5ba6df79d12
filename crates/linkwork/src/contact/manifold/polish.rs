//! Refinement of the direction in which a cylinder meets another surface.
//!
//! Searches by supports creep along a rim. Near the answer σ(n) of the pair is smooth on the unit sphere, or on the circle across an
//! edge or a side that touches along its line, so Newton's method ends the search. With p, q the supports of a and b and D = q − p:
//!
//!   (P1)  ∂σ/∂t = t·D                                     t tangent to the sphere at n
//!   (P2)  ∂²σ/∂t² = −n·D − Σ k (f·t)²                      k, f: curvature and direction of the rims or sides at p and q
//!
//! A rim of radius r has k = r/s, s the sine of n and the axis. Every σ is a bound of the signed distance from below, so the largest found is the best.

use super::placed::{Convex, Core};
use super::solid::apart;
use crate::linalg::vec3::{Vec3, any_perpendicular, axpy, cross, dot, norm, scale, sub, unit};

/// The step after one of this angle would be below rounding.
const STILL: f64 = 1e-8;
/// Newton's method takes three or four.
const MOST: usize = 10;
/// How often a step that does not gain is made shorter; where none gains an edge or a corner of σ is reached.
const SHORTER: usize = 3;
/// The largest step.
const LONGEST: f64 = 0.2;
/// Edges and sides that lie across the direction up to this sine are tried as lines of contact.
const ACROSS: f64 = 0.05;

/// A direction near n with a larger σ, and that.
pub(super) fn polished(pair: [&Convex<'_>; 2], n: Vec3) -> (f64, Vec3) {
    let mut best = climbed(pair, n, None);
    for (convex, d) in [(pair[0], n), (pair[1], scale(-1.0, n))] {
        let line = match &convex.core {
            Core::Can { axis, .. } => (dot(*axis, d).abs() < ACROSS).then_some(*axis),
            _ => {
                let edge = convex.edge(d, ACROSS);
                let way = sub(edge.ends[1], edge.ends[0]);
                (norm(way) > 0.0).then(|| unit(way))
            }
        };
        if let Some(line) = line {
            let found = climbed(pair, n, Some(line));
            if found.0 > best.0 {
                best = found;
            }
        }
    }
    best
}

/// Newton's method from n, on the sphere or across a line.
fn climbed(pair: [&Convex<'_>; 2], n: Vec3, line: Option<Vec3>) -> (f64, Vec3) {
    let across = |n: Vec3| line.map_or(n, |u| unit(axpy(n, -dot(n, u), u)));
    let mut n = across(n);
    let mut sigma = apart(pair, n);
    for _ in 0..MOST {
        let d = sub(pair[1].support(scale(-1.0, n)), pair[0].support(n));
        let curved = pair.map(|c| curvature(c, n));
        let second = |t: Vec3, u: Vec3| {
            -dot(n, d) * dot(t, u) - curved.iter().map(|(k, f)| k * dot(*f, t) * dot(*f, u)).sum::<f64>()
        };
        let way = match line {
            Some(u) => {
                let t = cross(u, n);
                let h = second(t, t);
                if h >= 0.0 {
                    break;
                }
                scale(-dot(t, d) / h, t) // (P1), (P2)
            }
            None => {
                let t = any_perpendicular(n);
                let u = cross(n, t);
                let (a, b, c) = (second(t, t), second(t, u), second(u, u));
                let (x, y) = (dot(t, d), dot(u, d));
                let det = a * c - b * b;
                if det <= 0.0 || a >= 0.0 {
                    break;
                }
                axpy(scale((b * y - c * x) / det, t), (b * x - a * y) / det, u)
            }
        };
        let length = norm(way);
        let mut step = if length > LONGEST { LONGEST / length } else { 1.0 };
        let mut better = false;
        for _ in 0..SHORTER {
            let next = across(unit(axpy(n, step, way)));
            let along = apart(pair, next);
            if along > sigma {
                (n, sigma, better) = (next, along, true);
                break;
            }
            step *= 0.2;
        }
        if !better || length < STILL {
            break;
        }
    }
    (sigma, n)
}

/// k and f of a cylinder; nothing curves a corner.
fn curvature(convex: &Convex<'_>, n: Vec3) -> (f64, Vec3) {
    match &convex.core {
        Core::Can { axis, radius, .. } => {
            let f = cross(*axis, n);
            let s = norm(f);
            if s > 1e-9 { (radius / s, scale(1.0 / s, f)) } else { (0.0, f) }
        }
        _ => (0.0, n),
    }
}
