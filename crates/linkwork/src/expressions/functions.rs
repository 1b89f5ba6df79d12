//! The built-in functions, with their first and second derivatives by time.
//!
//!   (F1)  step   h0 + (h1 − h0) s² (3 − 2s),             s = (x − x0) / (x1 − x0) between 0 and 1
//!   (F2)  step5  h0 + (h1 − h0) s³ (10 − 15 s + 6 s²)    likewise; its second derivative is continuous
//!   (F3)  mod    a − b ⌊a / b⌋                           has the sign of b
//!
//! Functions with kinks and jumps have the derivatives of the piece they are on; at a kink of `abs` those of
//! the positive side.

use super::Comparison;
use crate::linalg::dual::Scalar;
use crate::linalg::jet::Jet;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub(crate) enum Function {
    Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Tanh, Sqrt, Cbrt, Abs, Min, Max, Exp, Ln, Log10, Hypot,
    Floor, Ceil, Sign, Mod, Clamp, Deadband, Step, Step5, If,
}

impl Function {
    /// Every function with its name and number of arguments.
    #[rustfmt::skip]
    pub const ALL: [(&'static str, usize, Function); 28] = [
        ("sin", 1, Function::Sin), ("cos", 1, Function::Cos), ("tan", 1, Function::Tan),
        ("asin", 1, Function::Asin), ("acos", 1, Function::Acos), ("atan", 1, Function::Atan),
        ("atan2", 2, Function::Atan2), ("sinh", 1, Function::Sinh), ("cosh", 1, Function::Cosh),
        ("tanh", 1, Function::Tanh), ("sqrt", 1, Function::Sqrt), ("cbrt", 1, Function::Cbrt),
        ("abs", 1, Function::Abs), ("min", 2, Function::Min), ("max", 2, Function::Max),
        ("exp", 1, Function::Exp), ("ln", 1, Function::Ln), ("log10", 1, Function::Log10),
        ("hypot", 2, Function::Hypot), ("floor", 1, Function::Floor), ("ceil", 1, Function::Ceil),
        ("sign", 1, Function::Sign), ("mod", 2, Function::Mod), ("clamp", 3, Function::Clamp),
        ("deadband", 2, Function::Deadband), ("step", 5, Function::Step), ("step5", 5, Function::Step5),
        ("if", 3, Function::If),
    ];

    /// Whether it chooses among its arguments, or by them: of one that is infinite it would say nothing.
    fn chooses(self) -> bool {
        use Function::{Clamp, Deadband, Max, Min, Mod, Sign, Step, Step5};
        matches!(self, Clamp | Deadband | Max | Min | Mod | Sign | Step | Step5)
    }

    /// The value for given arguments.
    pub fn of<N: Number>(self, a: &[N]) -> N {
        let x = a[0].value();
        let constant = N::constant;
        if self.chooses() && a.iter().any(|a| a.value().is_infinite()) {
            return constant(f64::NAN);
        }
        match self {
            Function::Ln | Function::Log10 if x == 0.0 => constant(f64::NAN),
            Function::Sin => a[0].through(x.sin(), || (x.cos(), -x.sin())),
            Function::Cos => a[0].through(x.cos(), || (-x.sin(), -x.cos())),
            Function::Tan => {
                let f = x.tan();
                a[0].through(f, || (1.0 + f * f, 2.0 * f * (1.0 + f * f)))
            }
            Function::Asin | Function::Acos => {
                // 1 − x² without cancellation near the ends
                let square = (1.0 - x) * (1.0 + x);
                let slope = 1.0 / square.sqrt();
                let slopes = (slope, x * slope / square);
                match self {
                    Function::Asin => a[0].through(x.asin(), || slopes),
                    _ => a[0].through(x.acos(), || (-slopes.0, -slopes.1)),
                }
            }
            Function::Atan => {
                let slope = 1.0 / (1.0 + x * x);
                a[0].through(x.atan(), || (slope, -2.0 * x * slope * slope))
            }
            Function::Atan2 => a[0].atan2(a[1]),
            Function::Sinh => a[0].through(x.sinh(), || (x.cosh(), x.sinh())),
            Function::Cosh => a[0].through(x.cosh(), || (x.sinh(), x.cosh())),
            Function::Tanh => {
                let f = x.tanh();
                a[0].through(f, || (1.0 - f * f, -2.0 * f * (1.0 - f * f)))
            }
            Function::Sqrt => {
                let f = x.sqrt();
                a[0].through(f, || (0.5 / f, -0.25 / (f * x)))
            }
            Function::Cbrt => {
                let f = x.cbrt();
                a[0].through(f, || (1.0 / (3.0 * f * f), -2.0 / (9.0 * f * f * x)))
            }
            Function::Exp => {
                let f = x.exp();
                a[0].through(f, || (f, f))
            }
            Function::Ln => a[0].through(x.ln(), || (1.0 / x, -1.0 / (x * x))),
            Function::Log10 => {
                let k = std::f64::consts::LOG10_E;
                a[0].through(x.log10(), || (k / x, -k / (x * x)))
            }
            Function::Hypot => a[0].hypot(a[1]),
            Function::Abs if x < 0.0 => -a[0],
            Function::Abs => a[0].through(x.abs(), || (1.0, 0.0)),
            Function::Min => extreme(a, |new, old| new < old),
            Function::Max => extreme(a, |new, old| new > old),
            Function::Floor => constant(x.floor()),
            Function::Ceil => constant(x.ceil()),
            Function::Sign if x == 0.0 => constant(0.0),
            Function::Sign => constant(x.signum()),
            Function::Mod => {
                // (F3): the remainder is exact, a product with the quotient would not be
                let b = a[1].value();
                let r = x % b;
                let r = if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r };
                let turns = ((x - r) / b).round();
                (a[0] - a[1] * constant(turns)).with_value(r)
            }
            Function::Clamp => Function::Min.of(&[Function::Max.of(&a[..2]), a[2]]),
            Function::Deadband if x > a[1].value() => a[0] - a[1],
            Function::Deadband if x < -a[1].value() => a[0] + a[1],
            Function::Deadband if x.is_nan() || a[1].value().is_nan() => constant(f64::NAN),
            Function::Deadband => constant(0.0),
            Function::Step => between(a, |s| s * s * (constant(3.0) - s - s)),
            Function::Step5 => {
                between(a, |s| s * s * s * (constant(10.0) - s * (constant(15.0) - s * constant(6.0))))
            }
            Function::If if !x.is_finite() => constant(f64::NAN),
            Function::If => a[if x != 0.0 { 1 } else { 2 }],
        }
    }
}

/// The least or greatest of the arguments; not a number if one is none.
fn extreme<N: Number>(a: &[N], wins: impl Fn(f64, f64) -> bool) -> N {
    let mut best = a[0];
    for &x in &a[1..] {
        if wins(x.value(), best.value()) || x.value().is_nan() {
            best = x;
        }
    }
    best
}

/// (F1), (F2): from h0 at x0 to h1 at x1 by a shape from 0 to 1, flat outside; a jump where x0 = x1.
fn between<N: Number>(a: &[N], shape: impl Fn(N) -> N) -> N {
    let &[x, x0, h0, x1, h1] = a else { return N::constant(f64::NAN) };
    if x0.value() == x1.value() && !x.value().is_nan() {
        return if x.value() < x0.value() { h0 } else { h1 };
    }
    let s = (x - x0) / (x1 - x0);
    match s.value() {
        s if s <= 0.0 => h0,
        s if s >= 1.0 => h1,
        _ => h0 + (h1 - h0) * shape(s),
    }
}

/// 1 where the comparison holds, 0 where not.
pub(super) fn compare<N: Number>(comparison: Comparison, a: N, b: N) -> N {
    let (a, b) = (a.value(), b.value());
    if !a.is_finite() || !b.is_finite() {
        return N::constant(f64::NAN);
    }
    let holds = match comparison {
        Comparison::Less => a < b,
        Comparison::LessOrEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterOrEqual => a >= b,
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
    };
    N::constant(f64::from(u8::from(holds)))
}

/// 1 or 0 by two truths; what is not zero is true.
pub(super) fn truth<N: Number>(x: &[N], of: impl Fn(bool, bool) -> bool) -> N {
    let (a, b) = (x[0].value(), x[1].value());
    match !a.is_finite() || !b.is_finite() {
        true => N::constant(f64::NAN),
        false => N::constant(f64::from(u8::from(of(a != 0.0, b != 0.0)))),
    }
}

/// What expressions compute with.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    fn constant(value: f64) -> Self;
    fn value(self) -> f64;
    /// The same derivatives with another value.
    fn with_value(self, value: f64) -> Self;
    /// f(self), from f and, where they are wanted, f' and f''.
    fn through(self, f: f64, slopes: impl FnOnce() -> (f64, f64)) -> Self;
    fn power(self, exponent: Self) -> Self;
    fn atan2(self, x: Self) -> Self;
    fn hypot(self, other: Self) -> Self;
}

/// An exponent as a whole number, if it is one.
fn whole(exponent: f64) -> Option<i32> {
    let n = exponent as i32;
    (f64::from(n) == exponent).then_some(n)
}

impl Number for f64 {
    fn constant(value: f64) -> f64 {
        value
    }
    fn value(self) -> f64 {
        self
    }
    fn with_value(self, value: f64) -> f64 {
        value
    }
    fn through(self, f: f64, _: impl FnOnce() -> (f64, f64)) -> f64 {
        f
    }
    fn power(self, exponent: f64) -> f64 {
        // whole powers by multiplication: exact where the product is
        match whole(exponent) {
            Some(n) => self.powi(n),
            None => self.powf(exponent),
        }
    }
    fn atan2(self, x: f64) -> f64 {
        f64::atan2(self, x)
    }
    fn hypot(self, other: f64) -> f64 {
        f64::hypot(self, other)
    }
}

/// Whether a value stands still: infinite slopes then do no harm.
fn still(x: Jet) -> bool {
    x.d == 0.0 && x.dd == 0.0
}

impl Number for Jet {
    fn constant(value: f64) -> Jet {
        Jet::from(value)
    }
    fn value(self) -> f64 {
        self.x
    }
    fn with_value(self, value: f64) -> Jet {
        Jet { x: value, ..self }
    }
    fn through(self, f: f64, slopes: impl FnOnce() -> (f64, f64)) -> Jet {
        if still(self) {
            return Jet::from(f);
        }
        let (slope, curvature) = slopes();
        Jet::through(self, f, slope, curvature)
    }
    fn power(self, exponent: Jet) -> Jet {
        let f = Number::power(self.x, exponent.x);
        if still(exponent) {
            if still(self) {
                return Jet::from(f);
            }
            let power = match whole(exponent.x) {
                Some(n) => self.powi(n),
                None => self.powf(exponent.x),
            };
            return power.with_value(f);
        }
        // u = y ln x, f = exp u
        let u = exponent * self.ln();
        Jet { x: f, d: f * u.d, dd: f * (u.dd + u.d * u.d) }
    }
    fn atan2(self, x: Jet) -> Jet {
        match still(self) && still(x) {
            true => Jet::from(self.x.atan2(x.x)),
            false => Scalar::atan2(self, x),
        }
    }
    fn hypot(self, o: Jet) -> Jet {
        let x = self.x.hypot(o.x);
        if x == 0.0 {
            // leaving the corner: r = |v| τ + …, or |a| τ² / 2 from rest
            let d = self.d.hypot(o.d);
            let dd = if d == 0.0 { self.dd.hypot(o.dd) } else { (self.d * self.dd + o.d * o.dd) / d };
            return Jet { x, d, dd };
        }
        // r² = a² + b², differentiated twice; by quotients, for squares may overflow
        let (a, b) = (self.x / x, o.x / x);
        let d = a * self.d + b * o.d;
        let across = a * o.d - b * self.d;
        Jet { x, d, dd: a * self.dd + b * o.dd + across * across / x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::Formula;

    /// t is 3 + 2 τ + 5 τ²/2, so all derivatives matter.
    fn jet(text: &str, t: f64) -> Jet {
        let formula = Formula::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let values = vec![Jet::new(t, 2.0, 5.0); formula.references().len()];
        formula.eval_jet(&values, &mut Vec::new())
    }

    fn value(text: &str, t: f64) -> f64 {
        let formula = Formula::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let values = vec![t; formula.references().len()];
        formula.eval(&values, &mut Vec::new())
    }

    /// Derivatives of every function against central differences along t(τ).
    #[test]
    #[rustfmt::skip]
    fn cross_derivatives_meet_differences() {
        let texts = [
            "sin(t)", "cos(t)", "tan(t)", "asin(t / 4)", "acos(t / 4)", "atan(t)", "atan2(t, 2 - t^2)", "sinh(t / 2)",
            "cosh(t / 2)", "tanh(t / 2)", "sqrt(t)", "cbrt(t)", "abs(t - 9)", "abs(t)", "min(t^2, 2 * t)", "max(t^2, 2 * t, 1)",
            "exp(t / 2)", "ln(t)", "log10(t)", "hypot(t, 1 - t)", "floor(t)", "ceil(t)", "sign(t)", "mod(t, 0.7)", "mod(3, t)",
            "mod(-t^2, 0.9)", "clamp(t, 0, 9)", "clamp(t, t^2, 99)", "clamp(t, 0, sqrt(t))", "deadband(t, 1)", "deadband(-t, 0.5 * t)",
            "deadband(t, 7)", "step(t, 1, 2, 4, 7)", "step5(t, 1, 2, 4, 7)", "step(t, 4, t, 1, t^2)", "step5(t^2, t, t, 20, 1 / t)",
            "if(t > 2, t^2, 1)", "if(t > 5, t^2, sin(t))", "t^t", "t^2.5", "t^-2", "2^t", "(t - 9)^3", "t * t / (1 + t)", "-t",
            "t < 3 and not t > 2 or t == 1", "t^2 * (t > 1)", "cbrt(t - 9)", "hypot(3, 4) * t", "1 / t",
        ];
        // central differences of the fourth root of rounding: second differences lose half the digits
        let h = 1e-4;
        for text in texts {
            let at = |tau: f64| value(text, 2.83 + 2.0 * tau + 2.5 * tau * tau);
            let found = jet(text, 2.83);
            let (d, dd) = ((at(h) - at(-h)) / (2.0 * h), (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h));
            assert_eq!(found.x, at(0.0), "{text}");
            assert!((found.d - d).abs() < 2e-6 * (1.0 + d.abs()), "{text}: {found:?} {d}");
            assert!((found.dd - dd).abs() < 2e-5 * (1.0 + dd.abs()), "{text}: {found:?} {dd}");
        }
    }

    /// (F1), (F2) at ends and middle; the remainder; the dead band.
    #[test]
    #[rustfmt::skip]
    fn exact_values_of_functions() {
        let cases = [
            ("step(t, 1, 2, 5, 4)", 3.0, 3.0), ("step(t, 1, 2, 5, 4)", 1.0, 2.0), ("step(t, 1, 2, 5, 4)", 0.0, 2.0), ("step(t, 1, 2, 5, 4)", 6.0, 4.0),
            ("step(t, 0, 0, 4, 1)", 1.0, 5.0 / 32.0), ("step5(t, 0, 0, 4, 1)", 1.0, 53.0 / 512.0), ("step5(t, 1, 2, 5, 4)", 3.0, 3.0),
            ("step(t, 3, 1, 3, 2)", 3.0, 2.0), ("step(t, 3, 1, 3, 2)", 2.9, 1.0), ("step(t, 5, 4, 1, 2)", 0.0, 2.0),
            ("mod(t, 3)", 7.0, 1.0), ("mod(t, 3)", -1.0, 2.0), ("mod(t, -3)", 1.0, -2.0), ("mod(t, 3)", -3.0, 0.0), ("mod(t, 0.25)", 1.0, 0.0),
            ("clamp(t, 1, 2)", 0.0, 1.0), ("clamp(t, 1, 2)", 3.0, 2.0), ("clamp(t, 1, 2)", 1.5, 1.5),
            ("deadband(t, 2)", 5.0, 3.0), ("deadband(t, 2)", -5.0, -3.0), ("deadband(t, 2)", 1.0, 0.0),
            ("if(t, 5, 6)", 2.0, 5.0), ("if(t, 5, 6)", 0.0, 6.0), ("if(t > 0, sqrt(t), 0)", -1.0, 0.0), ("if(t != 0, 1 / t, 0)", 0.0, 0.0),
            ("t < 1", 0.0, 1.0), ("t <= 1", 1.0, 1.0), ("t > 1", 1.0, 0.0), ("t >= 1", 1.0, 1.0), ("t == 1", 1.0, 1.0), ("t != 1", 1.0, 0.0),
            ("t and 0", 1.0, 0.0), ("t or 0", 3.0, 1.0), ("not t", 3.0, 0.0), ("not t == 3", 2.0, 1.0), ("not (t or 0) and 1", 0.0, 1.0),
            ("1 or 0 and 0", 0.0, 1.0), ("2 * (t > 1) + 1", 2.0, 3.0), ("tanh(t)", 0.0, 0.0), ("sinh(t) + cosh(t)", 0.0, 1.0),
        ];
        for (text, t, expected) in cases {
            assert_eq!(value(text, t), expected, "{text} at {t}");
            assert_eq!(jet(text, t).x, expected, "{text} at {t}");
        }
    }

    /// What has no value stays without, except in the branch that is not taken.
    #[test]
    #[rustfmt::skip]
    fn exact_no_value_is_never_hidden() {
        for text in [
            "sqrt(t) > 1", "not sqrt(t)", "sqrt(t) and 0", "1 or sqrt(t)", "min(1, sqrt(t))", "max(sqrt(t), 1)", "clamp(1, 0, sqrt(t))",
            "clamp(sqrt(t), 0, 1)", "clamp(1, sqrt(t), 3)", "deadband(sqrt(t), 1)", "deadband(1, sqrt(t))", "step(sqrt(t), 0, 1, 2, 3)",
            "if(sqrt(t), 1, 2)", "sign(sqrt(t))", "floor(sqrt(t))", "mod(1, sqrt(t))", "mod(1, 0 * t)", "mod(sqrt(t), 1)",
        ] {
            assert!(value(text, -1.0).is_nan(), "{text}");
            assert!(jet(text, -1.0).x.is_nan(), "{text}");
        }
    }

    /// What is infinite is swallowed by nothing that chooses, and a pole by nothing at all; what is merely too large may be divided by.
    #[test]
    #[rustfmt::skip]
    fn exact_infinities_are_never_hidden() {
        // t is 0 here: poles
        for text in [
            "1 / t", "-1 / t", "1 / (1 / t)", "atan(1 / t)", "tanh(ln(t))", "exp(-1 / t)", "exp(ln(t))", "min(1, 1 / t)", "max(-1 / t, 1)", "clamp(1 / t, 0, 2)",
            "clamp(1, ln(t), 3)", "clamp(1, 0, t^-1)", "deadband(1, 1 / t)", "step(1 / t, 0, 1, 2, 3)", "step(1, 0, 1, 2, 1 / t)", "step5(t, 1, 1 / t, 2, 3)", "sign(1 / t)",
            "mod(1, 1 / t)", "1 / t > 1", "1 / t and 1", "0 or 1 / t", "not 1 / t", "if(1 / t, 1, 2)", "if(t == 0, 1 / t, 0)", "1 / t == 1 / t", "t^-2 - 1", "1 / log10(t)",
        ] {
            assert!(value(text, 0.0).is_nan(), "{text}: {}", value(text, 0.0));
            assert!(jet(text, 0.0).x.is_nan(), "{text}");
        }
        for text in [
            "exp(1000 * t)", "min(1, exp(1000 * t))", "clamp(-cosh(999 * t), 0, 1)", "(1e200 * t)^2", "sign(1e200 * t * 1e200)", "if(exp(1000 * t) > 2, 1, 2)", "step(exp(t * 1000), 0, 1, 2, 3)",
            "max(0, -exp(1000 * t))", "deadband(exp(1000 * t), 1)", "exp(1000 * t) and 0",
        ] {
            assert!(value(text, 1.0).is_nan(), "{text}: {}", value(text, 1.0));
            assert!(jet(text, 1.0).x.is_nan(), "{text}");
        }
        // e^-1000 is zero to every digit
        for text in ["1 / (1 + exp(1000 * t))", "1 / cosh(1000 * t)^2", "exp(-exp(1000 * t))", "exp(-1000 * t)"] {
            assert_eq!(value(text, 1.0), 0.0, "{text}");
        }
        assert_eq!(value("tanh(exp(1000 * t))", 1.0), 1.0);
        assert_eq!(value("if(t > 0, 1 / t, 5)", 0.0), 5.0);
    }

    /// The quintic step joins its flat ends with two derivatives, the cubic one with the first.
    #[test]
    fn exact_steps_are_smooth_at_their_ends() {
        for (text, dd) in [("step(t, 0, 0, 1, 1)", 6.0 * 4.0), ("step5(t, 0, 0, 1, 1)", 0.0)] {
            let inside = jet(text, 1e-9);
            // first order in the distance from the end, of slopes up to 60
            assert!(inside.d.abs() < 1e-6 && (inside.dd - dd).abs() < 1e-6, "{text}: {inside:?}");
            assert_eq!(jet(text, 0.0), Jet::from(0.0));
            assert_eq!(jet(text, 1.0), Jet::from(1.0));
        }
    }

    #[test]
    fn exact_corners_have_finite_derivatives() {
        assert_eq!(jet("hypot(3 * t, 4 * t)", 0.0), Jet::new(0.0, 10.0, 25.0));
        assert_eq!(jet("sqrt(0 * t)", 1.0), Jet::from(0.0));
        assert_eq!(jet("t^2", 0.0), Jet::new(0.0, 0.0, 8.0));
        assert_eq!(jet("atan2(0, 0) + t", 0.0), Jet::new(0.0, 2.0, 5.0));
    }
}
