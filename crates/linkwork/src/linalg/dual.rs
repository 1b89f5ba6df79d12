//! Numbers that carry their derivatives: dual numbers, and the scalars that formulas are written for.
//!
//!   (D1)  x = a + b ε,  ε² = 0       so that  f(x) = f(a) + f'(a) b ε
//!
//! The parts of a [`Dual`] may be dual numbers themselves. `Dual<Dual<f64>>` has two independent ε, and the
//! part at ε₁ε₂ is a second derivative, mixed or not, exact to rounding: a hyper-dual number. A third level
//! gives third derivatives. One type of a hundred lines therefore serves every order.
//!
//! Write formulas with the scalar on the left: `x * 2.0`, not `2.0 * x`.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number that formulas can be written for: `f64`, or one that carries derivatives.
pub trait Scalar:
    Copy
    + Debug
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
{
    /// The number without its derivatives.
    fn value(self) -> f64;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// Sine.
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    /// Cosine.
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    /// Tangent.
    fn tan(self) -> Self {
        let (s, c) = self.sin_cos();
        s / c
    }
    /// The angle of the point (x, self), as `f64::atan2`.
    fn atan2(self, x: Self) -> Self;
    /// Square root; its derivatives are infinite at zero.
    fn sqrt(self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// A whole power.
    fn powi(self, n: i32) -> Self;
    /// A constant power.
    fn powf(self, n: f64) -> Self;
    /// Absolute value; at zero its derivative is that on the positive side.
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }
}

impl Scalar for f64 {
    fn value(self) -> f64 {
        self
    }
    fn sin_cos(self) -> (f64, f64) {
        f64::sin_cos(self)
    }
    fn atan2(self, x: f64) -> f64 {
        f64::atan2(self, x)
    }
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    fn powi(self, n: i32) -> f64 {
        f64::powi(self, n)
    }
    fn powf(self, n: f64) -> f64 {
        f64::powf(self, n)
    }
}

/// a + b ε with ε² = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<S> {
    /// a, the number itself.
    pub re: S,
    /// b, its derivative.
    pub eps: S,
}

impl<S: Scalar> Dual<S> {
    /// a + b ε
    #[inline]
    pub fn new(re: S, eps: S) -> Self {
        Dual { re, eps }
    }

    /// f(a) + f'(a) b ε
    #[inline]
    fn through(self, f: S, slope: S) -> Self {
        Dual { re: f, eps: self.eps * slope }
    }
}

impl<S: Scalar> From<f64> for Dual<S> {
    #[inline]
    fn from(x: f64) -> Self {
        Dual { re: S::from(x), eps: S::from(0.0) }
    }
}

impl<S: Scalar> Add for Dual<S> {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Dual { re: self.re + o.re, eps: self.eps + o.eps }
    }
}
impl<S: Scalar> Sub for Dual<S> {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Dual { re: self.re - o.re, eps: self.eps - o.eps }
    }
}
impl<S: Scalar> Mul for Dual<S> {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Dual { re: self.re * o.re, eps: self.re * o.eps + self.eps * o.re }
    }
}
impl<S: Scalar> Div for Dual<S> {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        let re = self.re / o.re;
        Dual { re, eps: (self.eps - re * o.eps) / o.re }
    }
}
impl<S: Scalar> Neg for Dual<S> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Dual { re: -self.re, eps: -self.eps }
    }
}
impl<S: Scalar> Add<f64> for Dual<S> {
    type Output = Self;
    #[inline]
    fn add(self, x: f64) -> Self {
        Dual { re: self.re + x, eps: self.eps }
    }
}
impl<S: Scalar> Sub<f64> for Dual<S> {
    type Output = Self;
    #[inline]
    fn sub(self, x: f64) -> Self {
        Dual { re: self.re - x, eps: self.eps }
    }
}
impl<S: Scalar> Mul<f64> for Dual<S> {
    type Output = Self;
    #[inline]
    fn mul(self, x: f64) -> Self {
        Dual { re: self.re * x, eps: self.eps * x }
    }
}
impl<S: Scalar> Div<f64> for Dual<S> {
    type Output = Self;
    #[inline]
    fn div(self, x: f64) -> Self {
        Dual { re: self.re / x, eps: self.eps / x }
    }
}
impl<S: Scalar> AddAssign for Dual<S> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<S: Scalar> SubAssign for Dual<S> {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<S: Scalar> Scalar for Dual<S> {
    #[inline]
    fn value(self) -> f64 {
        self.re.value()
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.re.sin_cos();
        (self.through(s, c), self.through(c, -s))
    }
    fn atan2(self, x: Self) -> Self {
        let square = self.re * self.re + x.re * x.re;
        Dual { re: self.re.atan2(x.re), eps: (self.eps * x.re - x.eps * self.re) / square }
    }
    #[inline]
    fn sqrt(self) -> Self {
        let root = self.re.sqrt();
        Dual { re: root, eps: self.eps / (root * 2.0) }
    }
    fn exp(self) -> Self {
        let e = self.re.exp();
        self.through(e, e)
    }
    fn ln(self) -> Self {
        Dual { re: self.re.ln(), eps: self.eps / self.re }
    }
    fn powi(self, n: i32) -> Self {
        match n {
            0 => Self::from(1.0),
            _ => self.through(self.re.powi(n), self.re.powi(n - 1) * f64::from(n)),
        }
    }
    fn powf(self, n: f64) -> Self {
        if n == 0.0 {
            return Self::from(1.0);
        }
        self.through(self.re.powf(n), self.re.powf(n - 1.0) * n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything at once, away from edges.
    fn formula<S: Scalar>(x: S, y: S) -> S {
        let a = (x * y).sin() + (x / y).exp() * (y + 2.0).ln();
        let b = (x.powi(3) + y.powi(2) + 1.0).sqrt() - y.powf(1.5) / 3.0;
        a * b + y.atan2(x) * x.cos() - (x - 4.0).abs() * (x * 0.3).tan()
    }

    fn hyper(x: f64, dx: [f64; 2]) -> Dual<Dual<f64>> {
        Dual::new(Dual::new(x, dx[1]), Dual::new(dx[0], 0.0))
    }

    #[test]
    fn cross_derivatives_meet_finite_differences() {
        let (x, y, h) = (0.7, 1.3, 1e-3);
        let f = |i: f64, j: f64| formula(x + i * h, y + j * h);
        for (dx, dy) in [([1.0, 1.0], [0.0, 0.0]), ([1.0, 0.0], [0.0, 1.0]), ([0.0, 0.0], [1.0, 1.0])] {
            let z = formula(hyper(x, dx), hyper(y, dy));
            let step = |a: f64, b: f64| f(a * dx[0] + b * dx[1], a * dy[0] + b * dy[1]);
            // fourth order in each direction: Σ w_a w_b f(a, b) / (12 h)²
            let stencil = [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)];
            let first: f64 = stencil.iter().map(|(a, w)| w * step(*a, 0.0)).sum::<f64>() / (12.0 * h);
            let second: f64 = stencil
                .iter()
                .flat_map(|p| stencil.iter().map(move |q| (p, q)))
                .map(|((a, v), (b, w))| v * w * step(*a, *b))
                .sum::<f64>()
                / (144.0 * h * h);
            println!("first {:.1e}, second {:.1e}", z.eps.re - first, z.eps.eps - second);
            assert_eq!(z.re.re, formula(x, y));
            // what differences can do: h⁴ times a fifth derivative, and rounding over h and over h²
            assert!((z.eps.re - first).abs() < 1e-10, "{} {first}", z.eps.re);
            assert!((z.eps.eps - second).abs() < 1e-8, "{} {second}", z.eps.eps);
        }
    }

    /// Third level: the third derivative of x⁵ is 60 x².
    #[test]
    fn exact_third_derivative() {
        let one = Dual::new(Dual::new(1.0, 0.0), Dual::new(0.0, 0.0));
        let x = Dual::new(Dual::new(Dual::new(2.0, 1.0), Dual::new(1.0, 0.0)), one);
        assert_eq!(x.powi(5).eps.eps.eps, 240.0);
        assert_eq!((x * x * x * x * x).eps.eps.eps, 240.0);
    }
}
