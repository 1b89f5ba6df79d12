//! Times at which a formula changes its course: the corners of steps, clamps and tables, and where comparisons turn.
//!
//! A value that is a + b t is followed through the program; whatever else depends on the state, and has no corner that could
//! be known in advance.

use super::{Comparison, Function, Op};
use super::{Interpolation, Table};

/// a + b t, or something else.
type Line = Option<(f64, f64)>;

/// Where two lines meet.
fn meet(p: Line, q: Line) -> Option<f64> {
    let ((a, b), (c, d)) = (p?, q?);
    (b != d).then(|| (c - a) / (b - d))
}

/// The edges of a program, in no order; `time` tells whether a reference is the time.
pub(crate) fn edges<'t>(
    steps: &[Op],
    time: impl Fn(usize) -> bool,
    table: impl Fn(usize) -> Option<&'t Table>,
) -> Vec<f64> {
    let mut stack: Vec<Line> = Vec::new();
    let mut found = Vec::new();
    for &op in steps {
        let x = stack.split_off(stack.len().saturating_sub(op.arguments()));
        let constant = |i: usize| x.get(i).copied().flatten().filter(|line| line.1 == 0.0);
        let line = match op {
            Op::Number(value, _) => Some((value, 0.0)),
            Op::Name(index) => time(index).then_some((0.0, 1.0)),
            Op::Negate => x[0].map(|(a, b)| (-a, -b)),
            Op::Add => x[0].zip(x[1]).map(|((a, b), (c, d))| (a + c, b + d)),
            Op::Subtract => x[0].zip(x[1]).map(|((a, b), (c, d))| (a - c, b - d)),
            Op::Multiply => match (x[0], x[1]) {
                (Some((a, 0.0)), Some((c, d))) | (Some((c, d)), Some((a, 0.0))) => Some((a * c, a * d)),
                _ => None,
            },
            Op::Divide => x[0].zip(constant(1)).map(|((a, b), (c, _))| (a / c, b / c)),
            Op::Compare(Comparison::Equal | Comparison::NotEqual) => None,
            Op::Compare(_) => {
                found.extend(meet(x[0], x[1]));
                None
            }
            Op::Table(index) => {
                if let Some(table) = table(index) {
                    let knots = table.x();
                    let corners = match table.interpolation() {
                        Interpolation::Linear | Interpolation::Monotone => knots,
                        Interpolation::Periodic => &[],
                        Interpolation::Cubic | Interpolation::Quintic => {
                            &[knots[0], knots[knots.len() - 1]][..]
                        }
                    };
                    found.extend(corners.iter().filter_map(|&k| meet(x[0], Some((k, 0.0)))));
                }
                None
            }
            Op::Call(function, _) => {
                match function {
                    Function::Step | Function::Step5 => {
                        found.extend([1, 3].into_iter().filter_map(|i| meet(x[0], constant(i))));
                    }
                    Function::Clamp => {
                        found.extend([1, 2].into_iter().filter_map(|i| meet(x[0], constant(i))))
                    }
                    Function::Deadband => {
                        let width = constant(1).map(|line| line.0);
                        let ends = width.into_iter().flat_map(|w| [(w, 0.0), (-w, 0.0)]);
                        found.extend(ends.filter_map(|end| meet(x[0], Some(end))));
                    }
                    Function::Abs | Function::Sign => found.extend(meet(x[0], Some((0.0, 0.0)))),
                    Function::Min | Function::Max => {
                        let pairs = (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
                        found.extend(pairs.filter_map(|(i, j)| meet(x[i], x[j])));
                    }
                    _ => {}
                }
                None
            }
            Op::Power | Op::And | Op::Or | Op::Not => None,
        };
        stack.push(line);
    }
    found.retain(|t| t.is_finite());
    found
}
