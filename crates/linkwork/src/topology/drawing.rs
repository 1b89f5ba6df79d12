//! How a chain is drawn: where its nodes are before anything moves.
//!
//! A chain that is longer than the distance d of its ends hangs in an arc of n equal chords of length l, each turned by φ against the one
//! before:
//!
//!   (L1)  d = l sin(nφ/2) / sin(φ/2)
//!
//! so that every segment has its length to rounding.

use crate::linalg::vec3::{Vec3, axpy, cross, dot, norm, scale, sub};
use crate::model::{Chain, Dimension, Model};

/// Lengths that agree to this part are the same.
const SAME: f64 = 1e-9;

/// The nodes of a chain as drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Length of a segment, m.
    pub segment: f64,
    /// Full segments at the start.
    pub count: usize,
    /// Node 0.
    from: Vec3,
    /// Along the first segment.
    along: Vec3,
    /// How far nodes are apart, m: more than a segment where it is stretched from the start.
    spacing: f64,
    /// Where it bends to, and by how much at each node, rad.
    bend: Option<(Vec3, f64)>,
    /// How much of it is out at the start, m.
    pub out: f64,
}

impl Layout {
    /// Of a chain that the check has passed; anything where it has not.
    pub fn new(model: &Model, chain: &Chain) -> Self {
        let drawn = |name: &str| model.points.iter().find(|p| p.name == name).map(|p| p.position);
        let from = drawn(&chain.from).unwrap_or_default();
        let to = chain.to.as_ref().and_then(|to| drawn(to));
        let down = match norm(model.gravity) > 0.0 {
            true => model.gravity,
            false if model.dimension == Dimension::Planar => [0.0, -1.0, 0.0],
            false => [0.0, 0.0, -1.0],
        };
        let direction = chain.direction.unwrap_or(down);
        let span = to.map_or([0.0; 3], |to| sub(to, from));
        let distance = norm(span);
        if chain.pay_out.is_some() {
            let segment = chain.segment_length.unwrap_or(1.0);
            let imposed = chain.pay_out.as_ref().is_some_and(|p| p.law.is_imposed());
            // an imposed last segment is never short, nor about to be
            let full = (distance / segment - if imposed { 0.625 } else { 0.0 }).floor();
            let along = if distance > 0.0 { scale(1.0 / distance, span) } else { unit(direction) };
            let count = if full > 0.0 { full as usize } else { 0 };
            return Layout { segment, count, from, along, spacing: segment, bend: None, out: distance };
        }
        let length = chain.length.unwrap_or(distance);
        let count = match (chain.segments, chain.segment_length) {
            (Some(count), _) => count.max(1),
            (None, Some(segment)) => ((length / segment).round() as usize).max(1),
            (None, None) => 1,
        };
        let segment = length / count as f64;
        let along = unit(direction);
        let mut layout = Layout { segment, count, from, along, spacing: segment, bend: None, out: length };
        if to.is_none() {
            return layout;
        }
        let chord = if distance > 0.0 { scale(1.0 / distance, span) } else { unit(cross_to(down)) };
        layout.along = chord;
        layout.spacing = segment.max(distance / count as f64);
        if length - distance > SAME * length && count > 1 {
            let sideways = axpy(down, -dot(down, chord), chord);
            let sideways = match norm(sideways) > 1e-6 * norm(down) {
                true => unit(sideways),
                false => unit(cross_to(chord)),
            };
            let turn = turn_of(count, distance / segment);
            let first = 0.5 * (count - 1) as f64 * turn;
            layout.along = axpy(scale(first.cos(), chord), first.sin(), sideways);
            // square to the first segment, towards which the next ones turn
            let towards = axpy(scale(first.sin(), chord), -first.cos(), sideways);
            layout.bend = Some((towards, turn));
        }
        layout
    }

    /// All nodes for a number of full segments.
    pub fn nodes(&self, segments: usize) -> Vec<Vec3> {
        let mut at = self.from;
        let mut nodes = vec![at];
        for k in 0..segments {
            at = match self.bend {
                None => axpy(self.from, self.spacing * (k + 1) as f64, self.along),
                Some((towards, turn)) => {
                    let (sin, cos) = (turn * k as f64).sin_cos();
                    axpy(axpy(at, self.segment * cos, self.along), self.segment * sin, towards)
                }
            };
            nodes.push(at);
        }
        nodes
    }
}

fn unit(v: Vec3) -> Vec3 {
    let length = norm(v);
    if length > 0.0 { scale(1.0 / length, v) } else { [1.0, 0.0, 0.0] }
}

/// Something square to a vector; of one in the plane in the plane.
fn cross_to(v: Vec3) -> Vec3 {
    match v[2] == 0.0 {
        true => [-v[1], v[0], 0.0],
        false => cross(v, [0.0, 1.0, 0.0]),
    }
}

/// φ of (L1) for d/l below n.
fn turn_of(n: usize, ratio: f64) -> f64 {
    let n = n as f64;
    let reach = |turn: f64| (0.5 * n * turn).sin() / (0.5 * turn).sin();
    let (mut low, mut high) = (0.0, std::f64::consts::TAU / n);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if reach(middle) > ratio { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
