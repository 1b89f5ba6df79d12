//! Expressions: a short program for a stack machine.
//!
//! The program knows no files and no units: it is evaluated on any [`Scalar`], today `f64`, and once
//! expressions of time drive joints on the dual numbers and power series that differentiate them.

use super::units::Dims;
use std::ops::{Add, Div, Mul, Neg, Range, Sub};

/// What is wrong with an expression, and where in its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    pub span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Problem { span, message: message.into(), help: None }
    }
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub(super) enum Function {
    Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sqrt, Cbrt, Abs, Min, Max, Exp, Ln, Log10, Hypot, Floor, Ceil, Sign,
}

impl Function {
    /// Every function with its name and number of arguments.
    #[rustfmt::skip]
    pub const ALL: [(&'static str, usize, Function); 19] = [
        ("sin", 1, Function::Sin), ("cos", 1, Function::Cos), ("tan", 1, Function::Tan),
        ("asin", 1, Function::Asin), ("acos", 1, Function::Acos), ("atan", 1, Function::Atan),
        ("atan2", 2, Function::Atan2), ("sqrt", 1, Function::Sqrt), ("cbrt", 1, Function::Cbrt),
        ("abs", 1, Function::Abs), ("min", 2, Function::Min), ("max", 2, Function::Max),
        ("exp", 1, Function::Exp), ("ln", 1, Function::Ln), ("log10", 1, Function::Log10),
        ("hypot", 2, Function::Hypot), ("floor", 1, Function::Floor), ("ceil", 1, Function::Ceil),
        ("sign", 1, Function::Sign),
    ];
}

/// Built-in constants.
pub(super) const CONSTANTS: [(&str, f64); 3] =
    [("pi", std::f64::consts::PI), ("tau", std::f64::consts::TAU), ("e", std::f64::consts::E)];

/// One step of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    /// Pushes a number; with a unit its SI value and dimensions.
    Number(f64, Option<Dims>),
    /// Pushes the value of the name with this index.
    Name(usize),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    /// Takes as many arguments as the function has.
    Call(Function, usize),
}

impl Op {
    /// How many values the step takes.
    pub fn arguments(self) -> usize {
        match self {
            Op::Number(..) | Op::Name(_) => 0,
            Op::Negate => 1,
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Power => 2,
            Op::Call(_, n) => n,
        }
    }
}

/// What expressions compute with.
pub(super) trait Scalar:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    fn constant(value: f64) -> Self;
    fn power(self, exponent: Self) -> Self;
    fn call(function: Function, arguments: &[Self]) -> Self;
}

impl Scalar for f64 {
    fn constant(value: f64) -> f64 {
        value
    }
    fn power(self, exponent: f64) -> f64 {
        // whole powers by multiplication: exact where the product is
        match exponent as i32 {
            n if f64::from(n) == exponent => self.powi(n),
            _ => self.powf(exponent),
        }
    }
    fn call(function: Function, x: &[f64]) -> f64 {
        match function {
            Function::Sin => x[0].sin(),
            Function::Cos => x[0].cos(),
            Function::Tan => x[0].tan(),
            Function::Asin => x[0].asin(),
            Function::Acos => x[0].acos(),
            Function::Atan => x[0].atan(),
            Function::Atan2 => x[0].atan2(x[1]),
            Function::Sqrt => x[0].sqrt(),
            Function::Cbrt => x[0].cbrt(),
            Function::Abs => x[0].abs(),
            Function::Min => x.iter().copied().fold(x[0], f64::min),
            Function::Max => x.iter().copied().fold(x[0], f64::max),
            Function::Exp => x[0].exp(),
            Function::Ln => x[0].ln(),
            Function::Log10 => x[0].log10(),
            Function::Hypot => x[0].hypot(x[1]),
            Function::Floor => x[0].floor(),
            Function::Ceil => x[0].ceil(),
            Function::Sign if x[0] == 0.0 => 0.0,
            Function::Sign => x[0].signum(),
        }
    }
}

/// One step on its arguments; a number or name is the caller's to push.
pub(super) fn apply<S: Scalar>(op: Op, x: &[S]) -> S {
    match op {
        Op::Number(value, _) => S::constant(value),
        Op::Name(_) => unreachable!("names are looked up by the caller"),
        Op::Negate => -x[0],
        Op::Add => x[0] + x[1],
        Op::Subtract => x[0] - x[1],
        Op::Multiply => x[0] * x[1],
        Op::Divide => x[0] / x[1],
        Op::Power => x[0].power(x[1]),
        Op::Call(function, _) => S::call(function, x),
    }
}

/// A compiled expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expression {
    /// Steps in the order of evaluation, each with the part of the text it stands for.
    pub steps: Vec<(Op, Range<usize>)>,
    /// The names it uses, with where each is first used.
    pub names: Vec<(String, Range<usize>)>,
}

impl Expression {
    /// The value, with the value of each name from `lookup`.
    #[cfg_attr(not(test), expect(dead_code, reason = "for expressions of time"))]
    pub fn eval<S: Scalar>(&self, lookup: impl Fn(usize) -> S) -> S {
        let mut stack: Vec<S> = Vec::new();
        for &(op, _) in &self.steps {
            let rest = stack.len() - op.arguments();
            let value = match op {
                Op::Name(index) => lookup(index),
                op => apply(op, &stack[rest..]),
            };
            stack.truncate(rest);
            stack.push(value);
        }
        stack[0]
    }
}
