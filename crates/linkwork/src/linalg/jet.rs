//! A number with its first and second derivative by time.
//!
//!   (J1)  f(x)' = f'(x) x',    f(x)'' = f'(x) x'' + f''(x) x'²
//!
//! What a nested dual number would give, at less than half the cost: along a motion the two mixed parts of
//! `Dual<Dual<f64>>` are the same number.

use super::dual::Scalar;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// x(t) with ẋ and ẍ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    /// x
    pub x: f64,
    /// ẋ
    pub d: f64,
    /// ẍ
    pub dd: f64,
}

impl Jet {
    /// x, ẋ, ẍ
    #[inline]
    pub fn new(x: f64, d: f64, dd: f64) -> Self {
        Jet { x, d, dd }
    }

    /// Time itself.
    #[inline]
    pub fn time(t: f64) -> Self {
        Jet { x: t, d: 1.0, dd: 0.0 }
    }

    /// (J1), from f, f' and f'' at x.
    #[inline]
    pub fn through(self, f: f64, slope: f64, curvature: f64) -> Self {
        Jet { x: f, d: slope * self.d, dd: slope * self.dd + curvature * self.d * self.d }
    }
}

impl From<f64> for Jet {
    #[inline]
    fn from(x: f64) -> Self {
        Jet { x, d: 0.0, dd: 0.0 }
    }
}

impl Add for Jet {
    type Output = Jet;
    #[inline]
    fn add(self, o: Jet) -> Jet {
        Jet { x: self.x + o.x, d: self.d + o.d, dd: self.dd + o.dd }
    }
}
impl Sub for Jet {
    type Output = Jet;
    #[inline]
    fn sub(self, o: Jet) -> Jet {
        Jet { x: self.x - o.x, d: self.d - o.d, dd: self.dd - o.dd }
    }
}
impl Mul for Jet {
    type Output = Jet;
    #[inline]
    fn mul(self, o: Jet) -> Jet {
        Jet {
            x: self.x * o.x,
            d: self.d * o.x + self.x * o.d,
            dd: self.dd * o.x + 2.0 * self.d * o.d + self.x * o.dd,
        }
    }
}
impl Div for Jet {
    type Output = Jet;
    #[inline]
    fn div(self, o: Jet) -> Jet {
        // x = q o, differentiated twice and solved for q, q', q''
        let x = self.x / o.x;
        let d = (self.d - x * o.d) / o.x;
        Jet { x, d, dd: (self.dd - 2.0 * d * o.d - x * o.dd) / o.x }
    }
}
impl Neg for Jet {
    type Output = Jet;
    #[inline]
    fn neg(self) -> Jet {
        Jet { x: -self.x, d: -self.d, dd: -self.dd }
    }
}
impl Add<f64> for Jet {
    type Output = Jet;
    #[inline]
    fn add(self, o: f64) -> Jet {
        Jet { x: self.x + o, ..self }
    }
}
impl Sub<f64> for Jet {
    type Output = Jet;
    #[inline]
    fn sub(self, o: f64) -> Jet {
        Jet { x: self.x - o, ..self }
    }
}
impl Mul<f64> for Jet {
    type Output = Jet;
    #[inline]
    fn mul(self, o: f64) -> Jet {
        Jet { x: self.x * o, d: self.d * o, dd: self.dd * o }
    }
}
impl Div<f64> for Jet {
    type Output = Jet;
    #[inline]
    fn div(self, o: f64) -> Jet {
        Jet { x: self.x / o, d: self.d / o, dd: self.dd / o }
    }
}
impl AddAssign for Jet {
    #[inline]
    fn add_assign(&mut self, o: Jet) {
        *self = *self + o;
    }
}
impl SubAssign for Jet {
    #[inline]
    fn sub_assign(&mut self, o: Jet) {
        *self = *self - o;
    }
}

impl Scalar for Jet {
    #[inline]
    fn value(self) -> f64 {
        self.x
    }
    #[inline]
    fn sin_cos(self) -> (Jet, Jet) {
        let (s, c) = self.x.sin_cos();
        (self.through(s, c, -s), self.through(c, -s, -c))
    }
    #[inline]
    fn atan2(self, x: Jet) -> Jet {
        // θ' = (x y' − y x') / ρ²,  ρ² θ'' + 2 (x x' + y y') θ' = x y'' − y x''
        let square = x.x * x.x + self.x * self.x;
        let d = (x.x * self.d - self.x * x.d) / square;
        let dd = (x.x * self.dd - self.x * x.dd - 2.0 * (x.x * x.d + self.x * self.d) * d) / square;
        Jet { x: self.x.atan2(x.x), d, dd }
    }
    #[inline]
    fn sqrt(self) -> Jet {
        let r = self.x.sqrt();
        let slope = 0.5 / r;
        self.through(r, slope, -0.5 * slope / self.x)
    }
    #[inline]
    fn exp(self) -> Jet {
        let e = self.x.exp();
        self.through(e, e, e)
    }
    #[inline]
    fn ln(self) -> Jet {
        let slope = 1.0 / self.x;
        self.through(self.x.ln(), slope, -slope * slope)
    }
    #[inline]
    fn powi(self, n: i32) -> Jet {
        let (f, k) = (self.x.powi(n), f64::from(n));
        // 0⁻¹ must not appear where the factor before it is zero
        let slope = if n == 0 { 0.0 } else { k * self.x.powi(n - 1) };
        let curvature = if n == 0 || n == 1 { 0.0 } else { k * (k - 1.0) * self.x.powi(n - 2) };
        self.through(f, slope, curvature)
    }
    #[inline]
    fn powf(self, n: f64) -> Jet {
        let slope = if n == 0.0 { 0.0 } else { n * self.x.powf(n - 1.0) };
        let curvature = if n == 0.0 || n == 1.0 { 0.0 } else { n * (n - 1.0) * self.x.powf(n - 2.0) };
        self.through(self.x.powf(n), slope, curvature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dual::Dual;

    /// One formula with every function.
    fn formula<S: Scalar>(t: S) -> S {
        let (s, c) = (t * 1.3).sin_cos();
        let a = (s + 2.0) / (c * 0.5 + 3.0);
        let b = a.sqrt() * (t * 0.7).exp() - (a + 1.0).ln();
        b.atan2(a - 4.0) * a.powi(3) + (a * b).abs().powf(1.7) - t.powi(0) - (-t).powi(1) + t.tan()
    }

    #[test]
    fn cross_jets_meet_dual_numbers() {
        for t in [0.1, 0.83, 1.4, -0.6] {
            let jet = formula(Jet::time(t));
            let dual = formula(Dual::new(Dual::new(t, 1.0), Dual::from(1.0)));
            assert!((jet.x - dual.re.re).abs() <= 1e-14 * jet.x.abs().max(1.0));
            assert!((jet.d - dual.re.eps).abs() <= 1e-13 * jet.d.abs().max(1.0), "{t}: {jet:?} {dual:?}");
            assert!((jet.dd - dual.eps.eps).abs() <= 1e-12 * jet.dd.abs().max(1.0), "{t}: {jet:?} {dual:?}");
        }
    }

    #[test]
    fn exact_powers_at_zero_stay_finite() {
        let zero = Jet::time(0.0);
        assert_eq!(zero.powi(2), Jet::new(0.0, 0.0, 2.0));
        assert_eq!(zero.powi(1), zero);
        assert_eq!(zero.powi(0), Jet::from(1.0));
        assert_eq!(zero.powf(2.0), Jet::new(0.0, 0.0, 2.0));
    }
}
