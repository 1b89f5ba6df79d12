//! Tables: curves through given points, as functions with two derivatives.
//!
//! Between two knots the curve is a polynomial in u = x − xᵢ, with h = xᵢ₊₁ − xᵢ and δ = (yᵢ₊₁ − yᵢ) / h:
//!
//!   (T1)  y = c₀ + c₁ u + c₂ u² + c₃ u³
//!   (T2)  spline: c₁ = δ − h (2Mᵢ + Mᵢ₊₁) / 6,  c₂ = Mᵢ / 2,  c₃ = (Mᵢ₊₁ − Mᵢ) / 6h,  where the second derivatives M follow from
//!         hᵢ₋₁ Mᵢ₋₁ + 2 (hᵢ₋₁ + hᵢ) Mᵢ + hᵢ Mᵢ₊₁ = 6 (δᵢ − δᵢ₋₁)
//!         natural: M is zero at the ends; periodic: the indices go round
//!   (T3)  by slopes s: c₁ = sᵢ,  c₂ = (3δ − 2sᵢ − sᵢ₊₁) / h,  c₃ = (sᵢ + sᵢ₊₁ − 2δ) / h²
//!         monotone: sᵢ is zero at an extremum, else the weighted harmonic mean of the δ beside it (Fritsch and Butland)
//!
//! Quintic curves, through the points or near them, have two coefficients more: see [`spline`](super::spline).

use super::{MAX_NUMBER, spline};
use crate::linalg::jet::Jet;
use std::fmt;

/// What a curve does between its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines: the slope jumps at the points.
    Linear,
    /// The natural cubic spline: two continuous derivatives.
    #[default]
    Cubic,
    /// The periodic cubic spline: goes on before the first and after the last point, whose values are the same.
    Periodic,
    /// A cubic through every point that rises and falls only where the points do: one continuous derivative.
    Monotone,
    /// The quintic spline through six points or more: four continuous derivatives, none of which is forced at the ends.
    Quintic,
}

impl Interpolation {
    /// Every kind.
    pub const ALL: [Interpolation; 5] = [
        Interpolation::Linear,
        Interpolation::Cubic,
        Interpolation::Periodic,
        Interpolation::Monotone,
        Interpolation::Quintic,
    ];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            Interpolation::Linear => "linear",
            Interpolation::Cubic => "cubic",
            Interpolation::Periodic => "periodic",
            Interpolation::Monotone => "monotone",
            Interpolation::Quintic => "quintic",
        }
    }
}

/// What a curve does before its first and after its last point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extend {
    /// Keeps the end value.
    #[default]
    Hold,
    /// Goes on straight, with the slope at the end.
    Linear,
    /// Has no value there: the run ends with an error.
    Error,
}

impl Extend {
    /// Every kind.
    pub const ALL: [Extend; 3] = [Extend::Hold, Extend::Linear, Extend::Error];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            Extend::Hold => "hold",
            Extend::Linear => "linear",
            Extend::Error => "error",
        }
    }
}

/// Why a table is none.
#[derive(Clone, Debug, PartialEq)]
pub struct TableError {
    /// The point at fault, from 0; nothing if it is the table as a whole.
    pub index: Option<usize>,
    /// Whether it is the y of the point, else the x.
    pub in_y: bool,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "point {index} of the table: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for TableError {}

/// A curve y(x) through given points.
///
/// ```
/// use linkwork::model::{Extend, Interpolation, Table};
/// let table = Table::new([0.0, 1.0, 3.0], [0.0, 2.0, 0.0], Interpolation::Linear, Extend::Hold)?;
/// assert_eq!(table.eval(2.0), Some([1.0, -1.0, 0.0])); // value, slope, curvature
/// assert_eq!(table.eval(5.0), Some([0.0, 0.0, 0.0]));
/// # Ok::<(), linkwork::model::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    x: Vec<f64>,
    y: Vec<f64>,
    interpolation: Interpolation,
    extend: Extend,
    /// The cut-off frequency, of a curve that goes near the points and not through them.
    smooth: Option<f64>,
    /// The coefficients of (T1) between the points, and of u⁴ and u⁵ of quintic curves.
    pieces: Vec<spline::Piece>,
}

/// A table asked for a value no further outside than this, relative to its width, goes on: times are rounded.
const HAIR: f64 = 1e-9;

impl Table {
    /// A curve through points of ascending x. A periodic one has no ends: `extend` does not matter then.
    pub fn new(
        x: impl Into<Vec<f64>>,
        y: impl Into<Vec<f64>>,
        interpolation: Interpolation,
        extend: Extend,
    ) -> Result<Table, TableError> {
        Table::of(x.into(), y.into(), interpolation, extend, None)
    }

    /// The quintic smoothing spline near points of ascending x: Σ wᵢ (yᵢ − s(xᵢ))² + λ ∫ s'''² dx is least. λ is chosen so that a wave of the cut-off frequency, in
    /// cycles per unit of x (Hz over a time in seconds), comes out with half its power, 0.707 of its amplitude; slower ones stay, faster ones go.
    ///
    /// ```
    /// use linkwork::model::{Extend, Table};
    /// let t: Vec<f64> = (0..200).map(|i| 0.01 * f64::from(i)).collect();
    /// let noisy: Vec<f64> = t.iter().zip(0..).map(|(t, i)| t.sin() + 1e-4 * f64::from(7 * i % 5 - 2)).collect();
    /// let table = Table::smoothed(t, noisy, 3.0, Extend::Hold)?;
    /// let [_, speed, acceleration] = table.eval(1.0).unwrap_or_default();
    /// assert!((speed - 1f64.cos()).abs() < 1e-3 && (acceleration + 1f64.sin()).abs() < 1e-2);
    /// # Ok::<(), linkwork::model::TableError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Table::new`]; if there are fewer than six points, or the cut-off frequency is not positive or not below half the mean rate of the points.
    pub fn smoothed(
        x: impl Into<Vec<f64>>,
        y: impl Into<Vec<f64>>,
        cutoff: f64,
        extend: Extend,
    ) -> Result<Table, TableError> {
        Table::of(x.into(), y.into(), Interpolation::Quintic, extend, Some(cutoff))
    }

    /// The same points with another end.
    #[cfg(feature = "file")]
    pub(crate) fn extended(&self, extend: Extend) -> Result<Table, TableError> {
        Table::of(self.x.clone(), self.y.clone(), self.interpolation, extend, self.smooth)
    }

    fn of(
        x: Vec<f64>,
        y: Vec<f64>,
        interpolation: Interpolation,
        extend: Extend,
        smooth: Option<f64>,
    ) -> Result<Table, TableError> {
        let wrong = |index: Option<usize>, message: String| Err(TableError { index, in_y: false, message });
        let wrong_y =
            |index: usize, message: String| Err(TableError { index: Some(index), in_y: true, message });
        if x.len() != y.len() {
            return wrong(None, format!("a table needs as many y as x, it has {} and {}", y.len(), x.len()));
        }
        if x.len() < 2 {
            return wrong(None, format!("a table needs two points at least, it has {}", x.len()));
        }
        for i in 0..x.len() {
            for (name, value, in_y) in [("x", x[i], false), ("y", y[i], true)] {
                let message = if !value.is_finite() {
                    format!("{name} must be finite, it is {value}")
                } else if value.abs() > MAX_NUMBER {
                    format!("{name} is too large to compute with, it is {value:e}")
                } else {
                    continue;
                };
                return Err(TableError { index: Some(i), in_y, message });
            }
            if i > 0 && x[i] <= x[i - 1] {
                return wrong(Some(i), format!("x must ascend, but {} follows {}", x[i], x[i - 1]));
            }
        }
        let last = x.len() - 1;
        let height = y.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
        if interpolation == Interpolation::Periodic && (y[last] - y[0]).abs() > HAIR * height {
            let message =
                format!("a periodic table must end with the y it begins with, {}; it is {}", y[0], y[last]);
            return wrong_y(last, message);
        }
        if interpolation == Interpolation::Quintic && x.len() < spline::LEAST_POINTS {
            let (least, n) = (spline::LEAST_POINTS, x.len());
            return wrong(
                None,
                format!("a quintic or smooth table needs {least} points at least, it has {n}"),
            );
        }
        if let Some(cutoff) = smooth {
            let most = spline::most(&x);
            if !(cutoff > 0.0 && cutoff < most) {
                let message = format!(
                    "the cut-off frequency must be above zero and below half the rate of the points, {most}; it is {cutoff}"
                );
                return wrong(None, message);
            }
        }
        let h: Vec<f64> = x.windows(2).map(|x| x[1] - x[0]).collect();
        let delta: Vec<f64> = (0..last).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
        let pieces: Vec<spline::Piece> = match (interpolation, smooth) {
            (Interpolation::Linear, _) => (0..last).map(|i| [y[i], delta[i], 0.0, 0.0, 0.0, 0.0]).collect(),
            (Interpolation::Cubic, _) => by_curvatures(&h, &delta, &y, &natural(&h, &delta)),
            (Interpolation::Periodic, _) => by_curvatures(&h, &delta, &y, &periodic(&h, &delta)),
            (Interpolation::Monotone, _) => by_slopes(&h, &delta, &y, &monotone(&h, &delta)),
            (Interpolation::Quintic, None) => spline::through(&x, &y),
            (Interpolation::Quintic, Some(cutoff)) => spline::near(&x, &y, cutoff),
        };
        if let Some(i) = pieces.iter().position(|piece| !piece.iter().all(|c| c.is_finite())) {
            return wrong(Some(i), "the points are too close to each other to compute with".into());
        }
        Ok(Table { x, y, interpolation, extend, smooth, pieces })
    }

    /// The x of the points, ascending.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The y of the points.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// What the curve does between its points.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// What it does outside.
    pub fn extend(&self) -> Extend {
        self.extend
    }

    /// The cut-off frequency of a smoothing spline, in cycles per unit of x; `None` if the curve goes through its points.
    pub fn smooth(&self) -> Option<f64> {
        self.smooth
    }

    /// Value, first and second derivative. Nothing if x is not a number, or outside of a table that ends there ([`Extend::Error`]).
    pub fn eval(&self, x: f64) -> Option<[f64; 3]> {
        let (first, last) = (self.x[0], self.x[self.x.len() - 1]);
        let width = last - first;
        let x = match self.interpolation {
            _ if !x.is_finite() => return None,
            Interpolation::Periodic => first + (x - first).rem_euclid(width),
            _ => x,
        };
        let inside = x.clamp(first, last);
        if x != inside {
            match self.extend {
                Extend::Hold => {
                    let end = if x < first { 0 } else { self.y.len() - 1 };
                    let value = if self.smooth.is_some() { self.at(inside)[0] } else { self.y[end] };
                    return Some([value, 0.0, 0.0]);
                }
                Extend::Error if (x - inside).abs() > HAIR * width => return None,
                _ => {
                    let [y, slope, _] = self.at(inside);
                    return Some([y + slope * (x - inside), slope, 0.0]);
                }
            }
        }
        Some(self.at(x))
    }

    /// ∫ y dx from the first point to x; nothing is added outside of the points.
    pub fn integral(&self, x: f64) -> f64 {
        let mut sum = 0.0;
        for (i, &[c0, c1, c2, c3, c4, c5]) in self.pieces.iter().enumerate() {
            let u = (x - self.x[i]).clamp(0.0, self.x[i + 1] - self.x[i]);
            let more = u * (c4 / 5.0 + u * c5 / 6.0);
            sum += u * (c0 + u * (c1 / 2.0 + u * (c2 / 3.0 + u * (c3 / 4.0 + more))));
        }
        sum
    }

    /// Where its slope or its curvature jumps: at all points, or at the ends of a spline. A periodic one has no such places.
    pub fn corners(&self) -> Vec<f64> {
        match self.interpolation {
            Interpolation::Linear | Interpolation::Monotone => self.x.clone(),
            Interpolation::Cubic | Interpolation::Quintic => vec![self.x[0], self.x[self.x.len() - 1]],
            Interpolation::Periodic => Vec::new(),
        }
    }

    /// (T1) inside the table.
    fn at(&self, x: f64) -> [f64; 3] {
        let i = self.x.partition_point(|knot| *knot <= x).clamp(1, self.pieces.len()) - 1;
        let (u, [c0, c1, c2, c3, c4, c5]) = (x - self.x[i], self.pieces[i]);
        if self.interpolation == Interpolation::Quintic {
            return [
                c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5)))),
                c1 + u * (2.0 * c2 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5))),
                2.0 * c2 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5)),
            ];
        }
        [c0 + u * (c1 + u * (c2 + u * c3)), c1 + u * (2.0 * c2 + u * 3.0 * c3), 2.0 * c2 + 6.0 * c3 * u]
    }

    /// The least and the greatest value of piece i between two places of it.
    pub(crate) fn extremes(&self, i: usize, from: f64, to: f64) -> (f64, f64) {
        if self.interpolation == Interpolation::Quintic {
            return spline::extremes(&self.pieces[i], [from - self.x[i], to - self.x[i]]);
        }
        let [c0, c1, c2, c3, ..] = self.pieces[i];
        let at = |u: f64| c0 + u * (c1 + u * (c2 + u * c3));
        let (a, b) = (from - self.x[i], to - self.x[i]);
        let (mut low, mut high) = (at(a).min(at(b)), at(a).max(at(b)));
        // c₁ + 2 c₂ u + 3 c₃ u² = 0, the roots without cancellation
        let square = c2 * c2 - 3.0 * c3 * c1;
        if square >= 0.0 {
            let sum = -(c2 + square.sqrt().copysign(c2));
            for u in [sum / (3.0 * c3), c1 / sum] {
                if u > a && u < b {
                    (low, high) = (low.min(at(u)), high.max(at(u)));
                }
            }
        }
        (low, high)
    }

    /// The value along a motion x(t), with its derivatives by time; not a number where there is none.
    pub fn eval_jet(&self, x: Jet) -> Jet {
        match self.eval(x.x) {
            Some([y, slope, curvature]) => x.through(y, slope, curvature),
            None => Jet::from(f64::NAN),
        }
    }
}

/// (T2)
fn by_curvatures(h: &[f64], delta: &[f64], y: &[f64], m: &[f64]) -> Vec<spline::Piece> {
    let piece = |i: usize| {
        let (m0, m1) = (m[i], m[i + 1]);
        [y[i], delta[i] - h[i] * (2.0 * m0 + m1) / 6.0, m0 / 2.0, (m1 - m0) / (6.0 * h[i]), 0.0, 0.0]
    };
    (0..h.len()).map(piece).collect()
}

/// (T3)
fn by_slopes(h: &[f64], delta: &[f64], y: &[f64], s: &[f64]) -> Vec<spline::Piece> {
    let piece = |i: usize| {
        let (h, d, s0, s1) = (h[i], delta[i], s[i], s[i + 1]);
        [y[i], s0, (3.0 * d - 2.0 * s0 - s1) / h, (s0 + s1 - 2.0 * d) / (h * h), 0.0, 0.0]
    };
    (0..h.len()).map(piece).collect()
}

/// The second derivatives of the natural spline.
fn natural(h: &[f64], delta: &[f64]) -> Vec<f64> {
    let n = h.len();
    let inner = 1..n;
    let diagonal: Vec<f64> = inner.clone().map(|i| 2.0 * (h[i - 1] + h[i])).collect();
    let beside: Vec<f64> = inner.clone().skip(1).map(|i| h[i - 1]).collect();
    let mut m: Vec<f64> = inner.map(|i| 6.0 * (delta[i] - delta[i - 1])).collect();
    solve_tridiagonal(diagonal, &beside, [&mut m]);
    m.insert(0, 0.0);
    m.push(0.0);
    m
}

/// The second derivatives of the periodic spline, that at the first point again at the last.
fn periodic(h: &[f64], delta: &[f64]) -> Vec<f64> {
    let n = h.len();
    let before = |i: usize| (i + n - 1) % n;
    let right = |i: usize| 6.0 * (delta[i] - delta[before(i)]);
    let mut m = match n {
        1 => vec![0.0],
        2 => {
            // both neighbours are the other point: 2S M₀ + S M₁ = r₀, S M₀ + 2S M₁ = r₁
            let s = 3.0 * (h[0] + h[1]);
            vec![(2.0 * right(0) - right(1)) / s, (2.0 * right(1) - right(0)) / s]
        }
        _ => {
            // the corners c are a matrix of rank one, u vᵀ with u = (g, 0 … c), v = (1, 0 … c/g) (Sherman and Morrison)
            let mut diagonal: Vec<f64> = (0..n).map(|i| 2.0 * (h[before(i)] + h[i])).collect();
            let (c, g) = (h[n - 1], -diagonal[0]);
            diagonal[0] -= g;
            diagonal[n - 1] -= c * c / g;
            let mut m: Vec<f64> = (0..n).map(right).collect();
            let mut z = vec![0.0; n];
            (z[0], z[n - 1]) = (g, c);
            solve_tridiagonal(diagonal, &h[..n - 1], [&mut m, &mut z]);
            let factor = (m[0] + c / g * m[n - 1]) / (1.0 + z[0] + c / g * z[n - 1]);
            m.iter_mut().zip(&z).for_each(|(m, z)| *m -= factor * z);
            m
        }
    };
    m.push(m[0]);
    m
}

/// Solves a symmetric tridiagonal system in place, for several right sides. The splines' diagonals dominate, so no pivoting.
fn solve_tridiagonal<const N: usize>(mut diagonal: Vec<f64>, beside: &[f64], mut right: [&mut Vec<f64>; N]) {
    let n = diagonal.len();
    for i in 1..n {
        let factor = beside[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * beside[i - 1];
        right.iter_mut().for_each(|x| x[i] -= factor * x[i - 1]);
    }
    for i in (0..n).rev() {
        for x in &mut right {
            let known = if i + 1 < n { beside[i] * x[i + 1] } else { 0.0 };
            x[i] = (x[i] - known) / diagonal[i];
        }
    }
}

/// The slopes of the monotone curve at its points.
fn monotone(h: &[f64], delta: &[f64]) -> Vec<f64> {
    let n = h.len();
    if n == 1 {
        return vec![delta[0]; 2];
    }
    let inner = |i: usize| {
        let (a, b) = (delta[i - 1], delta[i]);
        if a == 0.0 || b == 0.0 || (a < 0.0) != (b < 0.0) {
            return 0.0;
        }
        let (wa, wb) = (2.0 * h[i] + h[i - 1], h[i] + 2.0 * h[i - 1]);
        (wa + wb) / (wa / a + wb / b)
    };
    // at an end the parabola through three points, as far as it keeps the shape
    let end = |h0: f64, h1: f64, d0: f64, d1: f64| {
        let s = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
        if s == 0.0 || d0 == 0.0 || (s < 0.0) != (d0 < 0.0) {
            0.0
        } else if (d0 < 0.0) != (d1 < 0.0) && s.abs() > 3.0 * d0.abs() {
            3.0 * d0
        } else {
            s
        }
    };
    let mut slopes = vec![end(h[0], h[1], delta[0], delta[1])];
    slopes.extend((1..n).map(inner));
    slopes.push(end(h[n - 1], h[n - 2], delta[n - 1], delta[n - 2]));
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn sampled(n: usize, from: f64, to: f64, f: impl Fn(f64) -> f64, kind: Interpolation) -> Table {
        let x: Vec<f64> = (0..=n).map(|i| from + (to - from) * i as f64 / n as f64).collect();
        let mut y: Vec<f64> = x.iter().map(|x| f(*x)).collect();
        if kind == Interpolation::Periodic {
            y[n] = y[0];
        }
        Table::new(x, y, kind, Extend::Error).unwrap()
    }

    /// The cubic B-spline on −2 … 2: cubic between the points, two derivatives, no curvature at the ends. Nothing else has
    /// these values and is a natural spline.
    #[test]
    fn exact_natural_spline_of_a_spline() {
        let bump = |x: f64| {
            let x = x.abs();
            if x < 1.0 { 4.0 - 6.0 * x * x + 3.0 * x * x * x } else { (2.0 - x).powi(3) }
        };
        let table = Table::new(
            [-2.0, -1.0, 0.0, 1.0, 2.0],
            [-2.0, -1.0, 0.0, 1.0, 2.0].map(bump),
            Interpolation::Cubic,
            Extend::Error,
        );
        let table = table.unwrap();
        for i in 0..=400 {
            let x = -2.0 + 0.01 * f64::from(i);
            // a few roundings of numbers up to 12
            assert!((table.eval(x).unwrap()[0] - bump(x)).abs() < 1e-14, "{x}");
        }
    }

    #[test]
    fn exact_two_points_are_a_line() {
        for kind in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Monotone] {
            let table = Table::new([1.0, 3.0], [5.0, 1.0], kind, Extend::Linear).unwrap();
            for (x, y) in [(0.0, 7.0), (1.0, 5.0), (2.0, 3.0), (3.0, 1.0), (4.0, -1.0)] {
                assert_eq!(table.eval(x), Some([y, -2.0, 0.0]), "{kind:?} {x}");
            }
        }
    }

    /// Natural ends fit the sine over whole half turns, and a period is a period.
    #[test]
    fn order_splines_converge_with_the_fourth_power() {
        let wave = |x: f64| x.sin();
        for kind in [Interpolation::Cubic, Interpolation::Periodic] {
            let error = |n: usize| {
                let table = sampled(n, 0.0, TAU, wave, kind);
                let at = |i: usize| TAU * (i as f64 + 0.37) / 1000.0;
                let off = |i: usize| (table.eval(at(i)).unwrap()[0] - wave(at(i))).abs();
                (0..999).map(off).fold(0.0, f64::max)
            };
            let order = (error(20) / error(40)).log2();
            assert!((order - 4.0).abs() < 0.1, "{kind:?}: {order}");
        }
    }

    #[test]
    fn keeps_two_derivatives_at_the_points() {
        let x = [0.0, 0.3, 1.0, 1.1, 2.5, 3.0];
        let y = [1.0, -1.0, 2.0, 2.5, 0.0, 1.0];
        for (kind, continuous) in
            [(Interpolation::Cubic, 3), (Interpolation::Periodic, 3), (Interpolation::Monotone, 2)]
        {
            let table = Table::new(x, y, kind, Extend::Error).unwrap();
            for i in 1..x.len() - 1 {
                let (u, [c0, c1, c2, c3, ..]) = (x[i] - x[i - 1], table.pieces[i - 1]);
                let before = [
                    c0 + u * (c1 + u * (c2 + u * c3)),
                    c1 + u * (2.0 * c2 + 3.0 * c3 * u),
                    2.0 * c2 + 6.0 * c3 * u,
                ];
                let after = table.eval(x[i]).unwrap();
                assert_eq!(after[0], y[i]);
                for k in 0..continuous {
                    // curvatures reach some hundreds
                    assert!((before[k] - after[k]).abs() < 1e-11, "{kind:?} {i} {k}: {before:?} {after:?}");
                }
            }
        }
        // and across the seam of the periodic one, for any number of points
        for n in [2, 3, 4, 6] {
            let table = Table::new(
                &x[..n],
                &[&y[..n - 1], &[y[0]]].concat()[..],
                Interpolation::Periodic,
                Extend::Error,
            )
            .unwrap();
            let period = x[n - 1];
            let h = 1e-7;
            let (before, after) = (table.eval(period - h).unwrap(), table.eval(period + h).unwrap());
            for k in 0..3 {
                // third derivatives of some thousands over 2 h
                assert!(
                    (before[k] - after[k]).abs() < 1e-2 * (1.0 + before[k].abs()),
                    "{n} {k}: {before:?} {after:?}"
                );
            }
            assert!((table.eval(0.2).unwrap()[0] - table.eval(0.2 - 7.0 * period).unwrap()[0]).abs() < 1e-12);
        }
    }

    #[test]
    fn keeps_monotone_curves_between_their_points() {
        let x = [0.0, 1.0, 2.0, 2.1, 5.0, 6.0, 7.0];
        let y = [0.0, 0.0, 0.1, 10.0, 10.0, 9.0, -3.0];
        let table = Table::new(x, y, Interpolation::Monotone, Extend::Error).unwrap();
        for i in 0..x.len() - 1 {
            let (low, high) = (y[i].min(y[i + 1]), y[i].max(y[i + 1]));
            for k in 0..=100 {
                let at = x[i] + (x[i + 1] - x[i]) * f64::from(k) / 100.0;
                let [value, slope, _] = table.eval(at.min(x[i + 1])).unwrap();
                // rounding of numbers up to 10
                assert!((low - 1e-13..=high + 1e-13).contains(&value), "{at}: {value}");
                assert!(slope * (y[i + 1] - y[i]) >= -1e-10, "{at}: {slope}");
            }
        }
        // the natural spline overshoots here
        let table = Table::new(x, y, Interpolation::Cubic, Extend::Error).unwrap();
        assert!((0..700).any(|k| table.eval(f64::from(k) / 100.0).unwrap()[0] > 10.1));
    }

    #[test]
    fn exact_outside_and_at_the_ends() {
        let table =
            |extend| Table::new([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], Interpolation::Linear, extend).unwrap();
        assert_eq!(table(Extend::Hold).eval(3.0), Some([4.0, 0.0, 0.0]));
        assert_eq!(table(Extend::Hold).eval(-3.0), Some([0.0, 0.0, 0.0]));
        assert_eq!(table(Extend::Linear).eval(3.0), Some([7.0, 3.0, 0.0]));
        assert_eq!(table(Extend::Linear).eval(-1.0), Some([-1.0, 1.0, 0.0]));
        assert_eq!(table(Extend::Error).eval(3.0), None);
        assert_eq!(table(Extend::Error).eval(2.0).unwrap()[0], 4.0);
        assert!(table(Extend::Error).eval(2.0 + 1e-12).is_some());
        assert_eq!(table(Extend::Hold).eval(f64::NAN), None);
        assert!(table(Extend::Error).eval_jet(Jet::time(3.0)).x.is_nan());
    }

    #[test]
    fn exact_derivatives_along_a_motion() {
        let table = sampled(40, 0.0, TAU, f64::sin, Interpolation::Periodic);
        let jet = table.eval_jet(Jet::new(1.0, 2.0, 3.0));
        let [y, slope, curvature] = table.eval(1.0).unwrap();
        assert_eq!(jet, Jet::new(y, 2.0 * slope, 3.0 * slope + 4.0 * curvature));
    }

    #[test]
    #[rustfmt::skip]
    fn exact_faults_name_the_point() {
        type Case<'a> = (&'a [f64], &'a [f64], Interpolation, Option<usize>, &'a str);
        let cases: [Case; 8] = [
            (&[0.0], &[0.0], Interpolation::Cubic, None, "two points"),
            (&[0.0, 1.0], &[0.0], Interpolation::Cubic, None, "as many"),
            (&[0.0, 1.0, 1.0], &[0.0, 1.0, 2.0], Interpolation::Cubic, Some(2), "ascend"),
            (&[0.0, f64::NAN, 1.0], &[0.0, 1.0, 2.0], Interpolation::Cubic, Some(1), "finite"),
            (&[0.0, 1.0, 2.0], &[0.0, f64::INFINITY, 2.0], Interpolation::Linear, Some(1), "finite"),
            (&[0.0, 1.0, 2.0], &[0.0, 1e40, 2.0], Interpolation::Linear, Some(1), "too large"),
            (&[0.0, 1.0, 2.0], &[0.0, 1.0, 2.0], Interpolation::Periodic, Some(2), "begins"),
            (&[0.0, 1e-300, 2.0], &[0.0, 1e30, 2.0], Interpolation::Cubic, Some(0), "close"),
        ];
        for (x, y, kind, index, word) in cases {
            let error = Table::new(x, y, kind, Extend::Hold).unwrap_err();
            assert_eq!(error.index, index, "{error}");
            assert!(error.message.contains(word), "{error}");
        }
    }
}
