//! The length of a rope over pulleys: straight pieces that touch the pulleys, and arcs on them.
//!
//! A stop is a point (ρ = 0) or a pulley of signed radius ρ: positive where the rope winds counter-clockwise seen
//! against the axis a, so that the centre lies to the rope's left. From one stop to the next, with d between the
//! centres and Δ = ρ₂ − ρ₁:
//!
//!   (P1)  ℓ = √(d·d − Δ²),   u = (ℓ d − Δ a × d) / d·d          d = ℓ u + Δ a × u
//!   (P2)  L = Σ ℓ + Σ |ρ| ψ                                     ψ: the turn from u to the next u, along the winding
//!   (P3)  ∂L/∂C = u_in − u_out  at the centre of each stop
//!
//!   (P4)  L = √(L_p² + z²)                                       pulleys: L_p of (P2) in the plane across the axes, z along them
//!
//! (P3) holds because the rope slides on its pulleys: what it does to one passes through the centre. Over points alone it may run
//! anywhere. Over pulleys it is laid out flat: unrolled, it is a straight line that climbs by z from end to end, (P4), and the
//! pulls of (P3) count L_p / L, with z / L along the axis at the ends. A rope lies on a pulley by at most
//! 290°, and by −20° where it would have to lift off; beyond that it has no length.

use super::motion::{BodyPoint, Direction, Motion, Wrenches, dot_jets, sub_jets};
use crate::linalg::dual::Scalar;
use crate::linalg::jet::Jet;
use crate::linalg::vec3::{Vec3, axpy, cross, dot, norm, scale, sub};
use std::f64::consts::{FRAC_PI_4, TAU};

/// A point that the rope runs through, or a pulley that it runs over.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Centre.
    pub at: BodyPoint,
    /// ρ, m.
    pub radius: f64,
}

/// A rope.
#[derive(Clone, Debug)]
pub struct Path {
    /// From end to end; the ends are points.
    pub stops: Vec<Stop>,
    /// a, of all pulleys.
    pub axis: Direction,
}

fn cross_jets(a: [Jet; 3], b: [Jet; 3]) -> [Jet; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// How far the rope lies on a pulley: counted from an eighth of a turn the wrong way, and not a number where that, or too much
/// of a turn, is reached. The gap between is wide enough that no step passes over it unseen.
fn wound(turn: f64) -> f64 {
    let wound = (turn + FRAC_PI_4).rem_euclid(TAU) - FRAC_PI_4;
    if (-0.5 * FRAC_PI_4..=6.5 * FRAC_PI_4).contains(&wound) { wound } else { f64::NAN }
}

impl Path {
    fn round(&self) -> bool {
        self.stops.iter().any(|s| s.radius != 0.0)
    }

    /// From each stop to the next, in the plane across the axis if there are pulleys.
    fn between(&self, pair: &[Stop], axis: [Jet; 3], bodies: &[Motion]) -> [Jet; 3] {
        let d = sub_jets(pair[1].at.at(bodies).jets(), pair[0].at.at(bodies).jets());
        if !self.round() {
            return d;
        }
        let along = dot_jets(axis, d);
        std::array::from_fn(|i| d[i] - axis[i] * along)
    }

    /// z of (P4).
    fn climb(&self, axis: [Jet; 3], bodies: &[Motion]) -> Jet {
        match (self.stops.first(), self.stops.last()) {
            (Some(first), Some(last)) if self.round() => {
                dot_jets(axis, sub_jets(last.at.at(bodies).jets(), first.at.at(bodies).jets()))
            }
            _ => Jet::default(),
        }
    }

    /// L_p: (P2).
    fn flat(&self, axis: [Jet; 3], bodies: &[Motion]) -> Jet {
        let mut length = Jet::default();
        let mut before: Option<[Jet; 3]> = None;
        for pair in self.stops.windows(2) {
            let d = self.between(pair, axis, bodies);
            let square = dot_jets(d, d);
            let delta = pair[1].radius - pair[0].radius;
            let open = square - delta * delta;
            let straight = if open.x > 0.0 { open.sqrt() } else { Jet::default() };
            length += straight;
            if !self.round() {
                continue;
            }
            let side = cross_jets(axis, d);
            let u: [Jet; 3] = std::array::from_fn(|i| (d[i] * straight - side[i] * delta) / square);
            let rho = pair[0].radius;
            if let (Some(v), true) = (before, rho != 0.0) {
                let mut turn = dot_jets(axis, cross_jets(v, u)).atan2(dot_jets(v, u)) * rho.signum();
                turn.x = wound(turn.x);
                length += turn * rho.abs();
            }
            before = Some(u);
        }
        length
    }

    /// The length, (P4); nothing where pulleys overlap.
    pub fn jet(&self, bodies: &[Motion]) -> Jet {
        let axis = self.axis.jets(bodies);
        let (flat, climb) = (self.flat(axis, bodies), self.climb(axis, bodies));
        if climb == Jet::default() { flat } else { (flat * flat + climb * climb).sqrt() }
    }

    /// u of (P1) for each straight piece.
    fn directions(&self, bodies: &[Motion]) -> impl Iterator<Item = Vec3> {
        let axis = self.axis.at(bodies);
        let round = self.round();
        self.stops.windows(2).map(move |pair| {
            let mut d = sub(pair[1].at.at(bodies).r, pair[0].at.at(bodies).r);
            if round {
                d = axpy(d, -dot(axis, d), axis);
            }
            let square = dot(d, d);
            let delta = pair[1].radius - pair[0].radius;
            if square == 0.0 {
                return [0.0; 3];
            }
            let straight = (square - delta * delta).max(0.0).sqrt();
            scale(1.0 / square, axpy(scale(straight, d), -delta, cross(axis, d)))
        })
    }

    /// How far the rope lies on each pulley, by its place in the list; not a number where it cannot.
    pub fn wraps(&self, bodies: &[Motion]) -> Vec<(usize, f64)> {
        let (axis, u): (Vec3, Vec<Vec3>) = (self.axis.at(bodies), self.directions(bodies).collect());
        let pulleys = (1..u.len()).filter(|&i| self.stops[i].radius != 0.0);
        let wrap = |i: usize| {
            let turn = dot(axis, cross(u[i - 1], u[i])).atan2(dot(u[i - 1], u[i]));
            (i, wound(turn * self.stops[i].radius.signum()))
        };
        pulleys.map(wrap).collect()
    }

    /// (P3) and (P4), times a factor.
    pub fn pull(&self, bodies: &[Motion], factor: f64, out: &mut Wrenches) {
        let axis = self.axis.jets(bodies);
        let climb = self.climb(axis, bodies).x;
        let mut share = factor;
        if climb != 0.0 {
            let flat = self.flat(axis, bodies).x;
            let length = flat.hypot(climb);
            share = factor * flat / length;
            let lift = scale(factor * climb / length, self.axis.at(bodies));
            for (stop, sign) in [(self.stops.last(), 1.0), (self.stops.first(), -1.0)] {
                if let Some(stop) = stop {
                    out.add(stop.at.body, stop.at.at(bodies).arm, scale(sign, lift), [0.0; 3]);
                }
            }
        }
        for (pair, u) in self.stops.windows(2).zip(self.directions(bodies)) {
            for (stop, sign) in [(&pair[1], share), (&pair[0], -share)] {
                out.add(stop.at.body, stop.at.at(bodies).arm, scale(sign, u), [0.0; 3]);
            }
        }
    }

    /// The moving bodies that it runs over.
    pub fn bodies(&self) -> Vec<usize> {
        self.stops.iter().map(|s| s.at.body).chain([self.axis.body]).flatten().collect()
    }

    /// Neighbours that are too near each other for the rope to pass between, by their place in the list.
    pub fn overlap(&self, bodies: &[Motion]) -> Option<usize> {
        self.stops.windows(2).position(|pair| {
            let d = norm(sub(pair[1].at.at(bodies).r, pair[0].at.at(bodies).r));
            d <= (pair[1].radius - pair[0].radius).abs() || d == 0.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> BodyPoint {
        BodyPoint { body: None, s: [x, y, 0.0] }
    }

    /// Over a pulley and down both sides: two straight pieces and half a turn, whichever way one looks.
    #[test]
    fn exact_length_over_one_pulley() {
        for (sense, from, to) in [(1.0, 0.2, -0.2), (-1.0, -0.2, 0.2)] {
            let stops = [(at(from, -1.0), 0.0), (at(0.0, 0.0), sense * 0.2), (at(to, -3.0), 0.0)];
            let stops = stops.map(|(at, radius)| Stop { at, radius }).to_vec();
            let path = Path { stops, axis: Direction { body: None, u: [0.0, 0.0, 1.0] } };
            let length = path.jet(&[]).x;
            assert!((length - (4.0 + 0.2 * std::f64::consts::PI)).abs() < 1e-15, "{length}");
        }
    }

    /// A crossed and an open belt around two pulleys, their textbook lengths.
    #[test]
    fn exact_length_of_belts() {
        let (r1, r2, c) = (0.3_f64, 0.5_f64, 2.0_f64);
        // start and end at the bottom of the first pulley, where the rope leaves it
        let tangent = |sense: f64| {
            let delta = sense * r2 - r1;
            let l = (c * c - delta * delta).sqrt();
            (l, (delta / c).asin())
        };
        let (l, slope) = tangent(1.0);
        // from a point on the upper straight piece's line to one on the lower's, around the second pulley
        let u = [slope.cos(), -slope.sin()];
        let touch = [0.0 + r1 * u[1], -r1 * u[0]];
        let start = at(touch[0], touch[1]);
        let end = at(touch[0], -touch[1]);
        let stops = [(start, 0.0), (at(c, 0.0), r2), (end, 0.0)];
        let stops = stops.map(|(at, radius)| Stop { at, radius }).to_vec();
        let path = Path { stops, axis: Direction { body: None, u: [0.0, 0.0, 1.0] } };
        let found = path.jet(&[]).x;
        let arc = r2 * (std::f64::consts::PI + 2.0 * slope);
        assert!((found - (2.0 * l + arc)).abs() < 1e-14, "{found} {}", 2.0 * l + arc);
    }
}
