//! Expressions: a short program for a stack machine.
//!
//! The program knows no files: it is evaluated on any number, which is `f64`, or [`Jet`](crate::linalg::jet::Jet)
//! where the derivatives by time are wanted too. `grammar` compiles a text, `functions` has the built-in
//! functions with their derivatives, `quantity` evaluates with dimensions, `units` knows the units.
//!
//! Where an expression has no value the result is not a number, and nothing computed from it is one: only a branch
//! of `if` that is not taken is forgotten. A pole (1 / 0, ln 0) has no value. What is too large for a number is infinite, and may be divided by or go through a
//! function that has a limit there, as in 1 / (1 + exp(x)); but a function that chooses, or a comparison, has no value of it, and it is no result.

pub(crate) mod edges;
mod formula;
pub(crate) mod functions;
mod grammar;
pub(crate) mod interval;
pub(crate) mod number_lines;
pub(crate) mod order;
pub(crate) mod quantity;
mod spline;
mod table;
pub(crate) mod units;

pub use formula::{Formula, FormulaError, TableReference};
pub(crate) use functions::{Function, Number};
pub use table::{Extend, Interpolation, Table, TableError};

use std::fmt;
use std::ops::Range;
use units::Dims;

/// No number may be larger than this in size, in SI units: the products of several of them that the
/// equations contain would overflow.
pub const MAX_NUMBER: f64 = 1e33;
/// Masses, lengths and all else that may not be zero, and what may be but is not, are at least this large.
pub const MIN_NUMBER: f64 = 1e-33;

/// An expression may be this long, in bytes.
pub const MAX_EXPRESSION_BYTES: usize = 1000;
/// Parentheses, signs and powers in an expression may nest this deep.
pub const MAX_EXPRESSION_DEPTH: usize = 64;

/// What is wrong with an expression, and where in its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
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

/// Built-in constants.
pub(crate) const CONSTANTS: [(&str, f64); 3] =
    [("pi", std::f64::consts::PI), ("tau", std::f64::consts::TAU), ("e", std::f64::consts::E)];

/// Words of the grammar, which no name may be.
pub(crate) const WORDS: [&str; 3] = ["and", "or", "not"];

/// Whether a name means something in every expression.
pub(crate) fn built_in(name: &str) -> bool {
    CONSTANTS.iter().any(|(known, _)| *known == name)
        || Function::ALL.iter().any(|(known, ..)| *known == name)
        || WORDS.contains(&name)
        || name == TIME
}

/// The name of the time in expressions that are evaluated during a run.
pub const TIME: &str = "t";

/// A name that an expression uses: something whose value is supplied when the expression is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What is referred to.
    pub target: Target,
    /// Where in the text it is first used, in bytes.
    pub span: Range<usize>,
}

/// What a [`Reference`] refers to, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The parts of a dotted name: `t`, `point.A.x`, ``point.`front left`.x``. Never empty.
    Name(Vec<String>),
    /// A quantity between points: `distance(A, B)`.
    Call {
        /// Which quantity.
        function: PointFunction,
        /// The names of its points.
        points: Vec<String>,
    },
}

impl Target {
    /// The name, if it has one part only.
    pub fn single(&self) -> Option<&str> {
        match self {
            Target::Name(parts) if parts.len() == 1 => Some(&parts[0]),
            _ => None,
        }
    }
}

/// As an expression spells it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Name(parts) => {
                f.write_str(&parts.iter().map(|part| spelled(part)).collect::<Vec<_>>().join("."))
            }
            Target::Call { function, points } => {
                let points: Vec<_> = points.iter().map(|part| spelled(part)).collect();
                write!(f, "{}({})", function.name(), points.join(", "))
            }
        }
    }
}

/// A part of a name as an expression has it: in backticks if it needs them.
fn spelled(part: &str) -> String {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match !part.is_empty() && part.bytes().all(word) {
        true => part.to_owned(),
        false => format!("`{part}`"),
    }
}

/// A quantity between points of the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointFunction {
    /// `distance(A, B)`, m.
    Distance,
    /// `distance_rate(A, B)`: its rate, m/s.
    DistanceRate,
    /// `angle(A, B, C)`: the angle at B from the direction of A to that of C, rad.
    Angle,
    /// `angle_rate(A, B, C)`: its rate, rad/s.
    AngleRate,
    /// `speed(A)`: the size of the velocity, m/s.
    Speed,
}

impl PointFunction {
    /// Every quantity.
    pub const ALL: [PointFunction; 5] = [
        PointFunction::Distance,
        PointFunction::DistanceRate,
        PointFunction::Angle,
        PointFunction::AngleRate,
        PointFunction::Speed,
    ];

    /// The name in expressions.
    pub fn name(self) -> &'static str {
        match self {
            PointFunction::Distance => "distance",
            PointFunction::DistanceRate => "distance_rate",
            PointFunction::Angle => "angle",
            PointFunction::AngleRate => "angle_rate",
            PointFunction::Speed => "speed",
        }
    }

    /// How many points it takes.
    pub fn points(self) -> usize {
        match self {
            PointFunction::Speed => 1,
            PointFunction::Distance | PointFunction::DistanceRate => 2,
            PointFunction::Angle | PointFunction::AngleRate => 3,
        }
    }
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

/// One step of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// Pushes a number; with a unit its SI value and dimensions.
    Number(f64, Option<Dims>),
    /// Pushes the value of the reference with this index.
    Name(usize),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Compare(Comparison),
    And,
    Or,
    Not,
    /// Takes as many arguments as the function has.
    Call(Function, usize),
    /// Looks its argument up in the table with this index.
    Table(usize),
}

impl Op {
    /// How many values the step takes.
    pub fn arguments(self) -> usize {
        match self {
            Op::Number(..) | Op::Name(_) => 0,
            Op::Negate | Op::Not | Op::Table(_) => 1,
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Power => 2,
            Op::Compare(_) | Op::And | Op::Or => 2,
            Op::Call(_, n) => n,
        }
    }

    /// One step on its arguments; names and tables are the caller's.
    pub fn apply<N: Number>(self, x: &[N]) -> N {
        match self {
            Op::Number(value, _) => N::constant(value),
            Op::Name(_) | Op::Table(_) => unreachable!("names and tables are looked up by the caller"),
            Op::Negate => -x[0],
            Op::Add => x[0] + x[1],
            Op::Subtract => x[0] - x[1],
            Op::Multiply => x[0] * x[1],
            // poles have no value, whatever is computed from them
            Op::Divide if x[1].value() == 0.0 => N::constant(f64::NAN),
            Op::Divide => x[0] / x[1],
            Op::Power if x[0].value() == 0.0 && x[1].value() < 0.0 => N::constant(f64::NAN),
            Op::Power => x[0].power(x[1]),
            Op::Compare(comparison) => functions::compare(comparison, x[0], x[1]),
            Op::And => functions::truth(x, |a, b| a && b),
            Op::Or => functions::truth(x, |a, b| a || b),
            Op::Not => functions::truth(&[x[0], x[0]], |a, _| !a),
            Op::Call(function, _) => function.of(x),
        }
    }

    /// Why a step has no value of its arguments, which are finite; `value` is what [`Op::apply`] gave.
    pub fn no_value(self, x: &[f64], value: f64) -> &'static str {
        let pole = match self {
            Op::Divide => x[0] != 0.0,
            Op::Power => x[0] == 0.0,
            Op::Call(Function::Ln | Function::Log10, _) => x[0] == 0.0,
            _ => false,
        };
        match value.is_nan() && !pole {
            true => "this has no value (not a number)",
            false => "this is infinite",
        }
    }
}

/// A compiled expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression {
    /// Steps in the order of evaluation, each with the part of the text it stands for.
    pub steps: Vec<(Op, Range<usize>)>,
    /// What it refers to.
    pub references: Vec<Reference>,
    /// The tables it looks values up in, with where each is first used.
    pub tables: Vec<(String, Range<usize>)>,
}

/// Runs a program: `values` are those of its references. The stack is left empty; it keeps its memory.
pub(crate) fn run<'t, N: Number>(
    steps: impl IntoIterator<Item = Op>,
    values: &[N],
    table: impl Fn(usize) -> Option<&'t Table>,
    stack: &mut Vec<N>,
) -> N {
    stack.clear();
    for op in steps {
        let value = step(op, values, &table, stack);
        stack.push(value);
    }
    // what is infinite is no result: nobody who takes it could limit it in silence
    stack.pop().filter(|result| !result.value().is_infinite()).unwrap_or(N::constant(f64::NAN))
}

/// One step of a program: takes its arguments from the stack.
#[inline]
pub(crate) fn step<'t, N: Number>(
    op: Op,
    values: &[N],
    table: impl Fn(usize) -> Option<&'t Table>,
    stack: &mut Vec<N>,
) -> N {
    let rest = stack.len() - op.arguments();
    let value = match op {
        Op::Name(index) => values[index],
        Op::Table(index) => {
            let x = stack[rest];
            // beyond its ends a table may hold its last value, but not at infinity
            let inside = |table: &&Table| !x.value().is_infinite() && !table.x().is_empty();
            match table(index).filter(inside).and_then(|table| table.eval(x.value())) {
                Some([y, slope, curvature]) => x.through(y, || (slope, curvature)),
                None => N::constant(f64::NAN),
            }
        }
        op => op.apply(&stack[rest..]),
    };
    stack.truncate(rest);
    value
}
