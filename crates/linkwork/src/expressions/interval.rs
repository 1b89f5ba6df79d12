//! Expressions over intervals: all values that an expression takes while its names stay within bounds.
//!
//! ```text
//!   (V1)  [a] ∘ [b] ⊇ { x ∘ y : x in [a], y in [b] }        for every step of the program, so for the program
//!   (V2)  calm: the step is one piece of one function there, and its argument moves by no more than that function's own width
//! ```
//!
//! (V1) is the natural extension. It may be wider than the truth, where a name occurs twice, and approaches it as the bounds do. Bounds are
//! not rounded outwards: what is sought is larger than a rounding. (V2) tells narrow from wide: exp and tanh change within 1 of their argument, a root or
//! a quotient when its argument changes by a factor, a table from one point to the next.

use super::{Comparison, Function, Op};
use super::{Interpolation, Table};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

/// How far the argument of exp, tanh and their kind may move before what they do counts as narrow.
const WIDE: f64 = 1.0;
/// By what factor the argument of a root or a quotient may change.
const FACTOR: f64 = 4.0;
/// Beyond this tanh is one to rounding.
const SATURATED: f64 = 20.0;

impl Interval {
    /// Anything at all.
    pub const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    const TRUTHS: Interval = Interval { low: 0.0, high: 1.0 };

    pub fn point(x: f64) -> Self {
        Interval::new(x, x)
    }

    /// From the least to the greatest of two numbers; anything, if one is none.
    pub fn new(a: f64, b: f64) -> Self {
        match a.is_nan() || b.is_nan() {
            true => Interval::ALL,
            false => Interval { low: a.min(b), high: a.max(b) },
        }
    }

    pub fn hull(self, o: Self) -> Self {
        Interval { low: self.low.min(o.low), high: self.high.max(o.high) }
    }

    pub fn wider(self, by: f64) -> Self {
        Interval { low: self.low - by, high: self.high + by }
    }

    pub fn width(self) -> f64 {
        self.high - self.low
    }

    pub fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// How far it reaches beyond another one.
    pub fn beyond(self, o: Self) -> f64 {
        (o.low - self.low).max(self.high - o.high).max(0.0)
    }

    fn rising(self, f: impl Fn(f64) -> f64) -> Self {
        Interval::new(f(self.low), f(self.high))
    }

    /// What a function of two numbers takes at the corners: all of it, if it rises or falls in each of them.
    fn corners(self, o: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let first = Interval::new(f(self.low, o.low), f(self.low, o.high));
        first.hull(Interval::new(f(self.high, o.low), f(self.high, o.high)))
    }

    fn magnitude(self) -> Self {
        match () {
            () if self.low >= 0.0 => self,
            () if self.high <= 0.0 => Interval { low: -self.high, high: -self.low },
            () => Interval { low: 0.0, high: self.high.max(-self.low) },
        }
    }

    fn add(self, o: Self) -> Self {
        Interval::new(self.low + o.low, self.high + o.high)
    }

    fn negate(self) -> Self {
        Interval { low: -self.high, high: -self.low }
    }

    fn times(self, o: Self) -> Self {
        // what is nothing stays nothing, however large the other may be
        self.corners(o, |a, b| if a == 0.0 || b == 0.0 { 0.0 } else { a * b })
    }

    fn over(self, o: Self) -> Self {
        match o.contains(0.0) {
            true => Interval::ALL,
            false => self.corners(o, |a, b| a / b),
        }
    }

    fn power(self, o: Self) -> Self {
        let whole = (o.low == o.high && o.low.fract() == 0.0 && o.low.abs() < 1e6).then_some(o.low as i32);
        match whole {
            Some(n) if n % 2 == 0 => {
                let base = self.magnitude();
                if n < 0 && base.low == 0.0 { Interval::ALL } else { base.rising(|x| x.powi(n)) }
            }
            Some(n) if n < 0 && self.contains(0.0) => Interval::ALL,
            Some(n) => self.rising(|x| x.powi(n)),
            None if self.low < 0.0 || (self.low == 0.0 && o.low < 0.0) => Interval::ALL,
            None => self.corners(o, f64::powf),
        }
    }

    /// Whether its ends have one sign and differ by a factor at most: then a quotient or a root is calm.
    fn is_even(self) -> bool {
        let size = self.magnitude();
        size.low > 0.0 && size.high <= FACTOR * size.low
    }

    /// Sine, shifted by a phase.
    fn wave(self, shift: f64) -> Self {
        let [a, b] = [self.low + shift, self.high + shift];
        if b - a >= TAU || (b - a).is_nan() {
            return Interval { low: -1.0, high: 1.0 };
        }
        let ends = Interval::new(a.sin(), b.sin());
        // whether a place phase + 2πk lies between
        let passes = |phase: f64| ((b - phase) / TAU).floor() > ((a - phase) / TAU).floor();
        Interval {
            low: if passes(-FRAC_PI_2) { -1.0 } else { ends.low },
            high: if passes(FRAC_PI_2) { 1.0 } else { ends.high },
        }
    }

    fn truth(self) -> Option<bool> {
        match () {
            () if self.low == 0.0 && self.high == 0.0 => Some(false),
            () if !self.contains(0.0) => Some(true),
            () => None,
        }
    }
}

fn truths(truth: Option<bool>) -> Interval {
    truth.map_or(Interval::TRUTHS, |truth| Interval::point(f64::from(u8::from(truth))))
}

/// Whether a step may do something narrow, whatever its arguments.
pub(crate) fn may_be_narrow(op: Op, last_is_constant: Option<f64>) -> bool {
    match op {
        Op::Number(..) | Op::Name(_) | Op::Negate | Op::Add | Op::Subtract | Op::Multiply => false,
        Op::And | Op::Or | Op::Not => false,
        Op::Divide => last_is_constant.is_none(),
        Op::Power => !last_is_constant.is_some_and(|n| n.fract() == 0.0 && n >= 0.0),
        Op::Compare(_) | Op::Table(_) => true,
        Op::Call(Function::Sin | Function::Cos, _) => false,
        Op::Call(..) => true,
    }
}

/// Whether a step has corners or jumps, tables aside.
pub(crate) fn has_corners(op: Op) -> bool {
    use Function::{Abs, Ceil, Clamp, Deadband, Floor, If, Max, Min, Mod, Sign, Step, Step5};
    let cornered =
        |f| matches!(f, Abs | Ceil | Clamp | Deadband | Floor | If | Max | Min | Mod | Sign | Step | Step5);
    matches!(op, Op::Compare(_)) || matches!(op, Op::Call(f, _) if cornered(f))
}

/// (V1) and (V2) of a step.
pub(crate) fn enclose<'t>(
    op: Op,
    x: &[Interval],
    names: &[Interval],
    table: impl Fn(usize) -> Option<&'t Table>,
) -> (Interval, bool) {
    let smooth = |value: Interval| (value, true);
    match op {
        Op::Number(value, _) => smooth(Interval::point(value)),
        Op::Name(i) => smooth(names[i]),
        Op::Negate => smooth(x[0].negate()),
        Op::Add => smooth(x[0].add(x[1])),
        Op::Subtract => smooth(x[0].add(x[1].negate())),
        Op::Multiply => smooth(x[0].times(x[1])),
        Op::Divide => (x[0].over(x[1]), x[1].is_even()),
        Op::Power => {
            let whole = x[1].low == x[1].high && x[1].low.fract() == 0.0 && x[1].low >= 0.0;
            (x[0].power(x[1]), whole || (x[0].is_even() && x[1].width() <= WIDE))
        }
        Op::Compare(comparison) => compare(comparison, x[0], x[1]),
        Op::And | Op::Or => {
            let (a, b) = (x[0].truth(), x[1].truth());
            let decides = op == Op::Or;
            smooth(truths(match (a, b) {
                (Some(a), _) if a == decides => Some(decides),
                (_, Some(b)) if b == decides => Some(decides),
                (Some(_), Some(_)) => Some(!decides),
                _ => None,
            }))
        }
        Op::Not => smooth(truths(x[0].truth().map(|truth| !truth))),
        Op::Call(function, _) => call(function, x),
        Op::Table(i) => match table(i) {
            Some(table) => look_up(table, x[0]),
            None => (Interval::ALL, true),
        },
    }
}

fn compare(comparison: Comparison, a: Interval, b: Interval) -> (Interval, bool) {
    let truth = match comparison {
        Comparison::Less | Comparison::LessOrEqual if a.high < b.low => Some(true),
        Comparison::Less | Comparison::LessOrEqual if a.low > b.high => Some(false),
        Comparison::Greater | Comparison::GreaterOrEqual if a.low > b.high => Some(true),
        Comparison::Greater | Comparison::GreaterOrEqual if a.high < b.low => Some(false),
        Comparison::Equal if a.high < b.low || a.low > b.high => Some(false),
        Comparison::NotEqual if a.high < b.low || a.low > b.high => Some(true),
        _ if a.width() == 0.0 && b.width() == 0.0 => {
            let holds = match comparison {
                Comparison::Less | Comparison::Greater | Comparison::NotEqual => a.low != b.low,
                _ => a.low == b.low,
            };
            Some(holds)
        }
        _ => None,
    };
    (truths(truth), truth.is_some())
}

fn call(function: Function, x: &[Interval]) -> (Interval, bool) {
    let a = x[0];
    let narrow = a.width() <= WIDE;
    match function {
        Function::Sin => (a.wave(0.0), true),
        Function::Cos => (a.wave(FRAC_PI_2), true),
        Function::Tan => {
            let branch = |x: f64| ((x + FRAC_PI_2) / PI).floor();
            match branch(a.low) == branch(a.high) {
                true => (a.rising(f64::tan), a.width() <= 0.5),
                false => (Interval::ALL, false),
            }
        }
        Function::Asin => (a.rising(|x| x.clamp(-1.0, 1.0).asin()), a.magnitude().high < 0.9),
        Function::Acos => (a.rising(|x| x.clamp(-1.0, 1.0).acos()), a.magnitude().high < 0.9),
        Function::Atan => (a.rising(f64::atan), narrow),
        Function::Atan2 => {
            let (y, x) = (a, x[1]);
            if x.low > 0.0 {
                (y.corners(x, f64::atan2), y.over(x).width() <= WIDE)
            } else if y.low > 0.0 || y.high < 0.0 {
                (y.corners(x, f64::atan2), x.over(y).width() <= WIDE)
            } else {
                (Interval { low: -PI, high: PI }, false)
            }
        }
        Function::Sinh => (a.rising(f64::sinh), narrow),
        Function::Cosh => (a.magnitude().rising(f64::cosh), narrow),
        Function::Tanh => (a.rising(f64::tanh), narrow || a.low > SATURATED || a.high < -SATURATED),
        Function::Exp => (a.rising(f64::exp), narrow),
        Function::Sqrt => (a.rising(|x| x.max(0.0).sqrt()), a.is_even()),
        Function::Cbrt => (a.rising(f64::cbrt), a.is_even()),
        Function::Ln | Function::Log10 => {
            let f = if function == Function::Ln { f64::ln } else { f64::log10 };
            (a.rising(|x| f(x.max(0.0))), a.is_even())
        }
        Function::Hypot => {
            let value = a.magnitude().corners(x[1].magnitude(), f64::hypot);
            (value, value.is_even())
        }
        Function::Abs => (a.magnitude(), a.low >= 0.0 || a.high <= 0.0),
        Function::Min | Function::Max => {
            let (mut value, mut calm) = (a, true);
            for &o in &x[1..] {
                calm &= value.high < o.low || o.high < value.low;
                value = match function {
                    Function::Min => Interval { low: value.low.min(o.low), high: value.high.min(o.high) },
                    _ => Interval { low: value.low.max(o.low), high: value.high.max(o.high) },
                };
            }
            (value, calm)
        }
        Function::Floor => (a.rising(f64::floor), a.low.floor() == a.high.floor()),
        Function::Ceil => (a.rising(f64::ceil), a.low.ceil() == a.high.ceil()),
        Function::Sign => {
            let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
            (a.rising(sign), sign(a.low) == sign(a.high))
        }
        Function::Mod => {
            let b = x[1];
            let still = b.low == b.high && b.low != 0.0;
            let turn = |x: f64| (x / b.low).floor();
            if still && turn(a.low) == turn(a.high) {
                (a.rising(|x| x - b.low * turn(a.low)), true)
            } else {
                (Interval { low: b.low.min(0.0), high: b.high.max(0.0) }, false)
            }
        }
        Function::Clamp => {
            let (above, calm) = call(Function::Max, &x[..2]);
            let (value, within) = call(Function::Min, &[above, x[2]]);
            (value, calm && within)
        }
        Function::Deadband => {
            let w = x[1];
            let least = |x: f64| {
                if x > w.high {
                    x - w.high
                } else if x < -w.low {
                    x + w.low
                } else {
                    0.0
                }
            };
            let most = |x: f64| {
                if x > w.low {
                    x - w.low
                } else if x < -w.high {
                    x + w.high
                } else {
                    0.0
                }
            };
            let outside = a.low > w.high || a.high < -w.high;
            let inside = a.magnitude().high < w.low;
            (Interval::new(least(a.low), most(a.high)), inside || outside)
        }
        Function::Step | Function::Step5 => {
            let [_, x0, h0, x1, h1] = *x else { return (Interval::ALL, true) };
            let ends = x0.hull(x1);
            let before = a.high < ends.low;
            let after = a.low > ends.high;
            let (first, last) = if x0.low <= x1.low { (h0, h1) } else { (h1, h0) };
            match () {
                () if before => (first, true),
                () if after => (last, true),
                // a fourth of the way is calm
                () => {
                    (h0.hull(h1), a.low >= ends.low && a.high <= ends.high && 4.0 * a.width() <= ends.width())
                }
            }
        }
        Function::If => match a.truth() {
            Some(true) => (x[1], true),
            Some(false) => (x[2], true),
            None => (x[1].hull(x[2]), false),
        },
    }
}

/// All values of a table; calm where one piece of it has them all.
fn look_up(table: &Table, x: Interval) -> (Interval, bool) {
    let knots = table.x();
    let (first, last) = (knots[0], knots[knots.len() - 1]);
    if !(x.low.is_finite() && x.high.is_finite()) {
        return (Interval::ALL, false);
    }
    let mut x = x;
    if table.interpolation() == Interpolation::Periodic {
        let period = last - first;
        let turn = ((x.low - first) / period).floor() * period;
        x = Interval { low: x.low - turn, high: x.high - turn };
        if x.width() >= period {
            x = Interval { low: first, high: last };
        } else if x.high > last {
            let (a, _) = look_up(table, Interval { low: x.low, high: last });
            let (b, _) = look_up(table, Interval { low: first, high: x.high - period });
            return (a.hull(b), false);
        }
    }
    let at = |x: f64| table.eval(x).map_or(f64::NAN, |[value, ..]| value);
    let mut value = Interval::new(at(x.low), at(x.high));
    let [from, to] = [x.low, x.high].map(|x| knots.partition_point(|knot| *knot <= x));
    for i in from.saturating_sub(1)..to.min(knots.len() - 1) {
        let piece = Interval { low: x.low.max(knots[i]), high: x.high.min(knots[i + 1]) };
        if piece.low <= piece.high {
            let (low, high) = table.extremes(i, piece.low, piece.high);
            value = value.hull(Interval { low, high });
        }
    }
    (value, from == to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::{Extend, Formula, Table};
    use std::sync::Arc;

    fn range(formula: &Formula, x: Interval) -> Interval {
        let names = vec![x; formula.references().len()];
        formula.enclose(&names, &mut Vec::new(), |_, _, _| ())
    }

    /// (V1): no value of any function lies outside, at 200 places of each of 60 intervals, narrow and wide.
    #[test]
    #[rustfmt::skip]
    fn exact_no_value_lies_outside() {
        let texts = [
            "sin(5*t)", "cos(3*t)", "tan(t)", "asin(t/9)", "acos(t/9)", "atan(4*t)", "atan2(t, 2 - t^2)", "atan2(t^2+1, t)", "sinh(t)", "cosh(t)", "tanh(9*t)",
            "sqrt(t+9)", "cbrt(t)", "abs(t-1)", "min(t^2, 2*t)", "max(t^2, 2*t, 1)", "exp(-((t-0.3)/0.01)^2)", "ln(t+9)", "log10(t+9)", "hypot(t, 1-t)",
            "floor(2*t)", "ceil(3*t)", "sign(t)", "mod(t, 0.7)", "mod(t, -0.7)", "clamp(t, -1, 2)", "deadband(t, 1)", "step(t, 1, 2, 3, 7)", "step5(t, 1, 2, -1, 7)",
            "if(t > 0.5, t^2, 1)", "if(t > 0 and t < 1 or not t < 2, 3, t)", "t^2", "t^3", "t^-2", "t^-1", "(t+9)^2.5", "2^t", "1/(1+(t/0.01)^2)", "t*t - t", "t != 1", "t == 1",
            "knots(t)", "smooth(t)", "round(t)", "rising(t)", "quintic(t)", "filtered(t)",
        ];
        let x = [-2.0, -1.0, 0.0, 0.01, 0.02, 1.0, 4.0];
        let y = [0.0, 1.0, 0.0, 9.0, 0.0, 2.0, 0.0];
        let tables = [Interpolation::Linear, Interpolation::Cubic, Interpolation::Periodic, Interpolation::Monotone, Interpolation::Quintic]
            .map(|kind| Arc::new(Table::new(x, y, kind, Extend::Linear).unwrap()));
        let filtered = Arc::new(Table::smoothed(x, y, 0.2, Extend::Linear).unwrap());
        let tables: Vec<_> = tables.into_iter().chain([filtered]).collect();
        let find = |name: &str| ["knots", "smooth", "round", "rising", "quintic", "filtered"].iter().position(|n| *n == name).map(|i| tables[i].clone());
        for text in texts {
            let formula = Formula::parse(text).unwrap().with_tables(find).unwrap();
            for i in 0..60 {
                let low = -4.0 + 0.13 * f64::from(i);
                let width = 10f64.powi(-(i % 4)) * 2.0;
                let x = Interval { low, high: low + width };
                let found = range(&formula, x);
                for k in 0..=200 {
                    let t = (low + width * f64::from(k) / 200.0).min(x.high);
                    let value = formula.eval(&[t], &mut Vec::new());
                    let room = 1e-12 * value.abs().max(1.0);
                    assert!(value.is_nan() || found.wider(room).contains(value), "{text} at {t}: {value} is not in {found:?}");
                }
            }
        }
    }

    /// A bump of a millionth of the interval is in its range, and a table's spike; away from them nothing is.
    #[test]
    fn exact_narrow_things_are_seen() {
        let wide = Interval { low: -1.0, high: 1.0 };
        let bump = Formula::parse("exp(-((t-0.123)/1e-6)^2)").unwrap();
        assert_eq!(range(&bump, wide), Interval { low: 0.0, high: 1.0 });
        assert!(range(&bump, Interval { low: -1.0, high: 0.122 }).high < 1e-300);
        let table =
            Table::new([0.0, 1e-7, 2e-7], [0.0, 5.0, 0.0], Interpolation::Linear, Extend::Hold).unwrap();
        let spike =
            Formula::parse("spike(t)").unwrap().with_tables(|_| Some(Arc::new(table.clone()))).unwrap();
        assert_eq!(range(&spike, wide), Interval { low: 0.0, high: 5.0 });
        assert_eq!(range(&spike, Interval { low: 0.1, high: 1.0 }), Interval::point(0.0));
    }
}
