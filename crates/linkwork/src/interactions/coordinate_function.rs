//! Coordinate functions: scalar readings of where the bodies are, with all that constraints and forces along them need.
//!
//! A gauge g gives its value, rate and bias g̈ at c̈ = ω̇ = 0 as a [`Jet`], and its gradient as a force and a moment
//! on each body, so that ġ = Σ f·ċ + m·ω. With d = r_q − r_p, directions n, e, f = u × e of body a and E of body b:
//!
//!   (G1)  component   g = n·d                    f_q = n, f_p = −n, m_a += n × d
//!   (G2)  distance    g = |d|                    f_q = d/|d|, f_p = −d/|d|
//!   (G3)  angle       g = atan2(E·f, E·e)        m_b = E × (x f − y e) / (x² + y²), m_a = −m_b,  x = E·e, y = E·f
//!   (G4)  cosine      g = L n·E                  m_b = L E × n, m_a = −m_b
//!   (G5)  slope       g = asin(n·E)              m_b = E × n / cos g, m_a = −m_b
//!
//! An angle is known up to whole turns. Where turns count, a *hint* that is integrated along with the motion
//! says which turn it is; the hint never enters the value otherwise.

use super::curve::Curve;
use super::motion::{BodyPoint, Direction, Motion, Wrenches, dot_jets, sub_jets};
use super::path::Path;
use crate::linalg::dual::Scalar;
use crate::linalg::jet::Jet;
use crate::linalg::vec3::{Vec3, axpy, cross, dot, norm, scale, sub};
use std::f64::consts::TAU;

const STILL: Vec3 = [0.0; 3];
/// Where a pointer's part across the axis is below this, an angle has no direction in which it could change: its rate and its pulls
/// are zero there.
const UPRIGHT: f64 = 1e-7;

/// A scalar reading of positions.
#[derive(Clone, Debug)]
pub enum CoordinateFunction {
    /// (G1)
    Component {
        /// p
        from: BodyPoint,
        /// q
        to: BodyPoint,
        /// n
        along: Direction,
    },
    /// (G2)
    Distance {
        /// p
        from: BodyPoint,
        /// q
        to: BodyPoint,
    },
    /// (G3)
    Angle {
        /// e
        zero: Direction,
        /// f
        quarter: Direction,
        /// E
        pointer: Direction,
        /// Which hint counts its turns.
        hint: Option<usize>,
    },
    /// (G4)
    Cosine {
        /// n
        first: Direction,
        /// E
        second: Direction,
        /// L, m.
        length: f64,
    },
    /// (G5)
    Slope {
        /// n
        first: Direction,
        /// E
        second: Direction,
    },
    /// Length of a rope over pulleys.
    Path(Box<Path>),
    /// A point beside a curve, or its way along it.
    Curve(Box<Curve>),
}

/// (G2)
pub(super) fn distance(from: &BodyPoint, to: &BodyPoint, bodies: &[Motion]) -> Jet {
    let d = sub_jets(to.at(bodies).jets(), from.at(bodies).jets());
    let square = dot_jets(d, d);
    // no direction where the ends meet: the distance stays as it is
    if square.x > 0.0 { square.sqrt() } else { Jet::default() }
}

impl CoordinateFunction {
    /// The angle by which body b has turned about the unit axis u, fixed in body a, since the drawing.
    pub fn turn(a: Option<usize>, b: Option<usize>, u: Vec3, hint: Option<usize>) -> Self {
        let e = crate::linalg::vec3::any_perpendicular(u);
        CoordinateFunction::Angle {
            zero: Direction { body: a, u: e },
            quarter: Direction { body: a, u: cross(u, e) },
            pointer: Direction { body: b, u: e },
            hint,
        }
    }

    /// Value, rate and bias.
    pub fn jet(&self, bodies: &[Motion], hints: &[f64]) -> Jet {
        match self {
            CoordinateFunction::Component { from, to, along } => {
                let d = sub_jets(to.at(bodies).jets(), from.at(bodies).jets());
                dot_jets(along.jets(bodies), d)
            }
            CoordinateFunction::Distance { from, to } => distance(from, to, bodies),
            CoordinateFunction::Angle { zero, quarter, pointer, hint } => {
                let p = pointer.jets(bodies);
                let y = dot_jets(p, quarter.jets(bodies));
                let x = dot_jets(p, zero.jets(bodies));
                let angle = if x.x.hypot(y.x) > UPRIGHT { y.atan2(x) } else { Jet::from(y.x.atan2(x.x)) };
                match hint {
                    None => angle,
                    Some(h) => angle + TAU * ((hints[*h] - angle.x) / TAU).round(),
                }
            }
            CoordinateFunction::Cosine { first, second, length } => {
                dot_jets(first.jets(bodies), second.jets(bodies)) * *length
            }
            CoordinateFunction::Slope { first, second } => {
                let sine = dot_jets(first.jets(bodies), second.jets(bodies));
                let cosine = (1.0 - sine.x * sine.x).max(0.0).sqrt();
                // straight up the rate is lost
                let slope = if cosine > UPRIGHT { 1.0 / cosine } else { 0.0 };
                sine.through(sine.x.clamp(-1.0, 1.0).asin(), slope, sine.x * slope.powi(3))
            }
            CoordinateFunction::Path(path) => path.jet(bodies),
            CoordinateFunction::Curve(curve) => curve.jet(bodies, hints),
        }
    }

    /// The gradient times a factor.
    pub fn pull(&self, bodies: &[Motion], hints: &[f64], factor: f64, out: &mut Wrenches) {
        match self {
            CoordinateFunction::Component { from, to, along } => {
                let (p, q) = (from.at(bodies), to.at(bodies));
                let n = scale(factor, along.at(bodies));
                out.add(to.body, q.arm, n, STILL);
                out.add(from.body, p.arm, scale(-1.0, n), STILL);
                out.add(along.body, STILL, STILL, cross(n, sub(q.r, p.r)));
            }
            CoordinateFunction::Distance { from, to } => {
                let (p, q) = (from.at(bodies), to.at(bodies));
                let d = sub(q.r, p.r);
                let length = norm(d);
                if length > 0.0 {
                    let u = scale(factor / length, d);
                    out.add(to.body, q.arm, u, STILL);
                    out.add(from.body, p.arm, scale(-1.0, u), STILL);
                }
            }
            CoordinateFunction::Angle { zero, quarter, pointer, .. } => {
                let (e, f, p) = (zero.at(bodies), quarter.at(bodies), pointer.at(bodies));
                let (x, y) = (dot(p, e), dot(p, f));
                let square = x * x + y * y;
                if square > UPRIGHT * UPRIGHT {
                    let m = scale(factor / square, cross(p, axpy(scale(x, f), -y, e)));
                    out.add(pointer.body, STILL, STILL, m);
                    out.add(zero.body, STILL, STILL, scale(-1.0, m));
                }
            }
            CoordinateFunction::Cosine { first, second, length } => {
                let m = scale(factor * length, cross(second.at(bodies), first.at(bodies)));
                out.add(second.body, STILL, STILL, m);
                out.add(first.body, STILL, STILL, scale(-1.0, m));
            }
            CoordinateFunction::Slope { first, second } => {
                let (n, e) = (first.at(bodies), second.at(bodies));
                let sine = dot(n, e);
                let cosine = (1.0 - sine * sine).max(0.0).sqrt();
                let m = scale(if cosine > UPRIGHT { factor / cosine } else { 0.0 }, cross(e, n));
                out.add(second.body, STILL, STILL, m);
                out.add(first.body, STILL, STILL, scale(-1.0, m));
            }
            CoordinateFunction::Path(path) => path.pull(bodies, factor, out),
            CoordinateFunction::Curve(curve) => curve.pull(bodies, hints, factor, out),
        }
    }

    /// The value that its hint should have, and the hint's rate.
    pub fn hint(&self, bodies: &[Motion], hints: &[f64]) -> Option<(usize, f64, f64)> {
        match self {
            CoordinateFunction::Angle { hint: Some(h), .. } => {
                let jet = self.jet(bodies, hints);
                Some((*h, jet.x, jet.d))
            }
            CoordinateFunction::Curve(curve) => {
                let (s, rate) = curve.nearest(bodies, hints);
                Some((curve.hint, s, rate))
            }
            _ => None,
        }
    }

    /// The moving bodies whose motion it depends on.
    pub fn bodies(&self) -> Vec<usize> {
        let mut all: Vec<usize> = match self {
            CoordinateFunction::Component { from, to, along } => {
                [from.body, to.body, along.body].into_iter().flatten().collect()
            }
            CoordinateFunction::Distance { from, to } => [from.body, to.body].into_iter().flatten().collect(),
            CoordinateFunction::Angle { zero, pointer, .. } => {
                [zero.body, pointer.body].into_iter().flatten().collect()
            }
            CoordinateFunction::Cosine { first, second, .. }
            | CoordinateFunction::Slope { first, second } => {
                [first.body, second.body].into_iter().flatten().collect()
            }
            CoordinateFunction::Path(path) => path.bodies(),
            CoordinateFunction::Curve(curve) => curve.bodies(),
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether it reads a turning, rad, and not a length, m.
    pub fn is_angle(&self) -> bool {
        matches!(self, CoordinateFunction::Angle { .. } | CoordinateFunction::Slope { .. })
    }
}
