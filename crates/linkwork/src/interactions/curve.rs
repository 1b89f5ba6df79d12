//! A point on a curve that a body carries: a cubic spline through points of the body.
//!
//! In the axes of the curve's body, with ξ the point and p the curve's parameter, the foot of the point is where
//!
//!   (K1)  (ξ − κ(p))·κ'(p) = 0
//!
//! On the curve ξ = κ(p) and ξ' = κ' p'. With two unit vectors n_i across κ', held still for the instant,
//!
//!   (K2)  g_i = n_i·(ξ − κ(p)),   ġ_i = n_i·ξ',   g̈_i = n_i·ξ'' − n_i·κ'' p'²,   p' = ξ'·κ' / κ'·κ'
//!   (K3)  s = ∫ |κ'| dp,          ṡ = ξ'·κ' / |κ'|
//!
//! Which pair n_i is taken does not matter: what the curve does to the point is the same for all of them. The parameter
//! is the hint: a curve may come near itself, and the point stays on its branch.

use super::motion::{BodyIndex, BodyPoint, Motion, Wrenches, motion_of};
use crate::expressions::{Extend, Interpolation, Table, TableError};
use crate::linalg::jet::Jet;
use crate::linalg::vec3::{
    Vec3, any_perpendicular, apply, apply_transposed, cross, dot, norm, scale, sub, unit,
};
use std::sync::Arc;

/// What of a point and a curve is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// g_1 of (K2): in the plane the only one.
    First,
    /// g_2
    Second,
    /// s of (K3)
    Along,
}

/// The curve itself, as drawn, from the centre of mass of its body.
#[derive(Clone, Debug)]
pub struct Shape {
    components: [Table; 3],
    closed: bool,
    /// Arc length at each knot.
    lengths: Vec<f64>,
}

/// Gauss's points and weights on [0, 1], exact to degree 9.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_5),
    (0.230_765_344_947_158_5, 0.239_314_335_249_683_2),
    (0.5, 0.284_444_444_444_444_4),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_2),
    (0.953_089_922_969_332, 0.118_463_442_528_094_5),
];

impl Shape {
    /// A spline through points, parameterised by the chords between them; a closed one returns to the first.
    pub fn new(points: &[Vec3], closed: bool) -> Result<Self, TableError> {
        let mut through = points.to_vec();
        if closed {
            through.extend(points.first());
        }
        let mut knots = vec![0.0];
        for pair in through.windows(2) {
            knots.push(knots[knots.len() - 1] + norm(sub(pair[1], pair[0])));
        }
        let (kind, extend) = match closed {
            true => (Interpolation::Periodic, Extend::Hold),
            false => (Interpolation::Cubic, Extend::Linear),
        };
        let table = |c: usize| {
            Table::new(knots.clone(), through.iter().map(|p| p[c]).collect::<Vec<f64>>(), kind, extend)
        };
        let components = [table(0)?, table(1)?, table(2)?];
        let mut shape = Shape { components, closed, lengths: vec![0.0] };
        for pair in knots.windows(2) {
            let last = shape.lengths[shape.lengths.len() - 1];
            shape.lengths.push(last + shape.piece(pair[0], pair[1]));
        }
        Ok(shape)
    }

    fn knots(&self) -> &[f64] {
        self.components[0].x()
    }

    /// The last knot: the period of a closed curve.
    fn end(&self) -> f64 {
        self.knots()[self.knots().len() - 1]
    }

    /// κ, κ', κ''
    fn at(&self, p: f64) -> [Vec3; 3] {
        let p = if self.closed { p.rem_euclid(self.end()) } else { p };
        let c: [[f64; 3]; 3] = std::array::from_fn(|i| self.components[i].eval(p).unwrap_or_default());
        std::array::from_fn(|d| std::array::from_fn(|i| c[i][d]))
    }

    /// Places along it, so many between two of the points that it runs through.
    pub fn places(&self, between: usize) -> Vec<Vec3> {
        let between = between.max(1);
        let knots = self.knots();
        let within = knots.windows(2).flat_map(|pair| {
            (0..between).map(move |i| pair[0] + (pair[1] - pair[0]) * i as f64 / between as f64)
        });
        // at the end itself a closed curve is at its beginning again
        within.chain([self.end()]).map(|p| self.at(p)[0]).collect()
    }

    /// Arc length between two parameters of one piece.
    fn piece(&self, from: f64, to: f64) -> f64 {
        // enough panels for the length and its rate to agree to rounding
        const PANELS: u32 = 8;
        let h = (to - from) / f64::from(PANELS);
        let panel = |k: u32| {
            let start = from + f64::from(k) * h;
            GAUSS.iter().map(|(x, w)| w * h * norm(self.at(start + x * h)[1])).sum::<f64>()
        };
        (0..PANELS).map(panel).sum()
    }

    /// s of (K3), counted on beyond a turn of a closed curve.
    fn length_to(&self, p: f64) -> f64 {
        let end = self.end();
        let (turns, within) = match self.closed {
            true => ((p / end).floor(), p.rem_euclid(end)),
            false => (0.0, p),
        };
        let knots = self.knots();
        let i = knots.partition_point(|&k| k <= within).clamp(1, knots.len() - 1) - 1;
        turns * self.lengths[knots.len() - 1] + self.lengths[i] + self.piece(knots[i], within)
    }

    /// (K1), near a guess, or anywhere if there is none.
    fn foot(&self, x: Vec3, guess: f64) -> f64 {
        let mut p = guess;
        if !p.is_finite() {
            const SAMPLES: usize = 16;
            let pieces = self.knots().len() - 1;
            let far = |p: f64| norm(sub(x, self.at(p)[0]));
            let samples = (0..=pieces * SAMPLES).map(|i| {
                let knots = self.knots();
                let (k, part) = (i / SAMPLES, (i % SAMPLES) as f64 / SAMPLES as f64);
                if k == pieces { knots[k] } else { knots[k] + part * (knots[k + 1] - knots[k]) }
            });
            p = samples.min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(0.0);
        }
        let longest = 0.25 * self.end();
        for _ in 0..50 {
            let [k, d, dd] = self.at(p);
            let off = sub(x, k);
            // Newton, or Gauss–Newton where the foot is no nearest point
            let bend = dot(d, d) - dot(off, dd);
            let slope = if bend > 0.1 * dot(d, d) { bend } else { dot(d, d) };
            let step = (dot(off, d) / slope).clamp(-longest, longest);
            p += step;
            if step.abs() <= 1e-15 * self.end().max(p.abs()) {
                break;
            }
        }
        p
    }
}

/// A point read against a curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The curve.
    pub shape: Arc<Shape>,
    /// The body that carries it.
    pub body: BodyIndex,
    /// The point.
    pub point: BodyPoint,
    /// Whether the motion is planar.
    pub planar: bool,
    /// What is read.
    pub read: Beside,
    /// Which hint keeps the parameter.
    pub hint: usize,
}

/// Everything about the foot, in the body's axes.
struct Foot {
    p: f64,
    tangent: Vec3,
    bend: Vec3,
    /// ξ − κ, ξ', ξ''
    off: Vec3,
    rate: Vec3,
    bias: Vec3,
}

impl Curve {
    /// ξ with its derivatives: Rᵀ (r − c), differentiated in the body's own axes.
    fn foot(&self, bodies: &[Motion], hints: &[f64]) -> Foot {
        let m = motion_of(bodies, self.body);
        let q = self.point.at(bodies);
        let (d, v) = (sub(q.r, m.c), sub(q.v, m.v));
        // d/dt (Rᵀ d) = Rᵀ (ḋ − ω × d); again with ω̇ = 0
        let relative = sub(v, cross(m.w, d));
        let swing = cross(m.w, relative);
        let second = sub(sub(q.bias, cross(m.w, v)), swing);
        let x = apply_transposed(&m.turned, d);
        let p = self.shape.foot(x, hints[self.hint]);
        let [k, tangent, bend] = self.shape.at(p);
        Foot {
            p,
            tangent,
            bend,
            off: sub(x, k),
            rate: apply_transposed(&m.turned, relative),
            bias: apply_transposed(&m.turned, second),
        }
    }

    /// n of (K2).
    fn across(&self, foot: &Foot) -> Vec3 {
        let t = unit(foot.tangent);
        let first = if self.planar { cross([0.0, 0.0, 1.0], t) } else { any_perpendicular(t) };
        if self.read == Beside::Second { cross(t, first) } else { first }
    }

    /// (K2), (K3)
    pub fn jet(&self, bodies: &[Motion], hints: &[f64]) -> Jet {
        let foot = self.foot(bodies, hints);
        let square = dot(foot.tangent, foot.tangent);
        let rate = dot(foot.rate, foot.tangent) / square;
        if self.read == Beside::Along {
            let size = square.sqrt();
            let t = scale(1.0 / size, foot.tangent);
            // s̈ = ξ''·t on the curve; what the bend adds to ξ'·t' vanishes with ξ' along t
            return Jet::new(self.shape.length_to(foot.p), rate * size, dot(foot.bias, t));
        }
        let n = self.across(&foot);
        Jet::new(dot(n, foot.off), dot(n, foot.rate), dot(n, foot.bias) - dot(n, foot.bend) * rate * rate)
    }

    /// The gradient times a factor: a force at the point, and back on the body where the point is.
    pub fn pull(&self, bodies: &[Motion], hints: &[f64], factor: f64, out: &mut Wrenches) {
        let foot = self.foot(bodies, hints);
        let along = match self.read {
            Beside::Along => unit(foot.tangent),
            _ => self.across(&foot),
        };
        let m = motion_of(bodies, self.body);
        let force = scale(factor, apply(&m.turned, along));
        let q = self.point.at(bodies);
        out.add(self.point.body, q.arm, force, [0.0; 3]);
        out.add(self.body, sub(q.r, m.c), scale(-1.0, force), [0.0; 3]);
    }

    /// The parameter, and its rate.
    pub fn nearest(&self, bodies: &[Motion], hints: &[f64]) -> (f64, f64) {
        let foot = self.foot(bodies, hints);
        (foot.p, dot(foot.rate, foot.tangent) / dot(foot.tangent, foot.tangent))
    }

    /// The direction of the curve at the point, world axes.
    pub fn direction(&self, bodies: &[Motion], hints: &[f64]) -> Vec3 {
        apply(&motion_of(bodies, self.body).turned, unit(self.foot(bodies, hints).tangent))
    }

    /// The moving bodies it concerns.
    pub fn bodies(&self) -> Vec<usize> {
        [self.body, self.point.body].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A circle through 24 points: length and foot to the accuracy of the spline, h⁴.
    #[test]
    fn exact_length_and_foot_on_a_circle() {
        let points: Vec<Vec3> = (0..24)
            .map(|i| {
                let a = f64::from(i) * std::f64::consts::TAU / 24.0;
                [2.0 * a.cos(), 2.0 * a.sin(), 0.0]
            })
            .collect();
        let shape = Shape::new(&points, true).unwrap();
        let around = shape.length_to(shape.end());
        assert!((around - 4.0 * std::f64::consts::PI).abs() < 2e-4, "{around}");
        let a: f64 = 1.2;
        let p = shape.foot([3.0 * a.cos(), 3.0 * a.sin(), 0.0], f64::NAN);
        let foot = shape.at(p)[0];
        assert!(norm(sub(foot, [2.0 * a.cos(), 2.0 * a.sin(), 0.0])) < 1e-4);
        assert!((shape.length_to(p + shape.end()) - shape.length_to(p) - around).abs() < 1e-12);
        let [_, d, _] = shape.at(p);
        assert!(dot(sub([3.0 * a.cos(), 3.0 * a.sin(), 0.0], foot), d).abs() < 1e-12);
    }
}
