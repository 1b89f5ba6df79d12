//! Values with dimensions, and expressions evaluated on them.
//!
//! A bare number takes whatever dimension its neighbours have, a parameter given without a unit may be
//! anything, and what carries a unit is held to it. A reading (the time, a coordinate of a point) has its
//! dimension, but a bare number beside it in a product may stand for a factor with any unit: `-100 * point.A.x`
//! may be a force, `(100 N/m) * point.A.x` must be one, and `point.A.x + 3 kg` is nothing.

use super::units::Dims;
use super::{Expression, Function, Op, Problem};
use std::ops::Range;

/// What is known of the dimension of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    /// A bare number: takes any dimension in a sum, none in a product.
    Number,
    /// A parameter given without a unit, or computed from one: fits anywhere.
    Unknown,
    /// A value with a unit.
    Known(Dims),
    /// Read off the mechanism, in SI units; beside a bare factor it may become anything.
    Reading(Dims),
}

impl State {
    /// The dimension that a value with a unit is held to. A reading alone may stand for anything, as with a factor of one.
    #[cfg(feature = "file")]
    pub fn dims(self) -> Option<Dims> {
        match self {
            State::Known(dims) => Some(dims),
            State::Reading(_) | State::Number | State::Unknown => None,
        }
    }

    /// Likewise, readings included; the time alone, and its powers, stand for a motion at the speed of one.
    pub fn measured(self) -> Option<Dims> {
        match self {
            State::Reading(Dims { m: 0, kg: 0, s: 1.. }) => None,
            State::Known(dims) | State::Reading(dims) => Some(dims),
            State::Number | State::Unknown => None,
        }
    }
}

/// A value in SI units with what is known of its dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quantity {
    pub value: f64,
    pub state: State,
}

/// A value on the stack: with whether it is free of names, and where it stands.
struct Item {
    quantity: Quantity,
    literal: bool,
    span: Range<usize>,
    /// Why it has no value.
    problem: Option<Problem>,
}

/// Evaluates an expression with the quantity of each of its references; its value must be finite.
#[cfg(feature = "file")]
pub(crate) fn evaluate(
    expression: &Expression,
    lookup: impl Fn(usize) -> Quantity,
) -> Result<Quantity, Problem> {
    let item = run(expression, lookup, |_| [State::Unknown; 2])?;
    item.problem.map_or(Ok(item.quantity), Err)
}

/// The dimension of an expression some of whose references have no value yet. `tables` says what each table takes and gives.
pub(crate) fn dimension(
    expression: &Expression,
    lookup: impl Fn(usize) -> State,
    tables: impl Fn(usize) -> [State; 2],
) -> Result<State, Problem> {
    let lookup = |index| Quantity { value: f64::NAN, state: lookup(index) };
    run(expression, lookup, tables).map(|item| item.quantity.state)
}

fn run(
    expression: &Expression,
    lookup: impl Fn(usize) -> Quantity,
    tables: impl Fn(usize) -> [State; 2],
) -> Result<Item, Problem> {
    let mut stack: Vec<Item> = Vec::new();
    for (op, span) in &expression.steps {
        let rest = stack.len() - op.arguments();
        let arguments = &stack[rest..];
        let quantity = match *op {
            Op::Name(index) => lookup(index),
            Op::Table(index) => {
                let [takes, gives] = tables(index);
                let found = arguments[0].quantity.state;
                if let (State::Known(takes), State::Known(found) | State::Reading(found)) = (takes, found)
                    && takes != found
                {
                    let message =
                        format!("the table `{}` takes {takes}, this is {found}", expression.tables[index].0);
                    return Err(Problem::new(arguments[0].span.clone(), message));
                }
                Quantity { value: f64::NAN, state: gives }
            }
            op => {
                let state = state(op, arguments, span)?;
                let values: Vec<f64> = arguments.iter().map(|item| item.quantity.value).collect();
                Quantity { value: op.apply(&values), state }
            }
        };
        let named = matches!(op, Op::Name(_) | Op::Table(_));
        // a name whose own value failed is reported where it is defined
        let sound = arguments.iter().all(|item| item.quantity.value.is_finite());
        let problem = if !quantity.value.is_finite() && sound && !named {
            let values: Vec<f64> = arguments.iter().map(|item| item.quantity.value).collect();
            Some(Problem::new(span.clone(), op.no_value(&values, quantity.value)))
        } else {
            // the branch of an `if` that is not taken may be what it likes
            let condition = arguments.first().map_or(0.0, |item| item.quantity.value);
            let untaken = match op {
                Op::Call(Function::If, _) => 1 + usize::from(condition != 0.0),
                _ => arguments.len(),
            };
            let mut taken = arguments.iter().enumerate().filter(|(i, _)| *i != untaken);
            taken.find_map(|(_, item)| item.problem.clone())
        };
        let literal = !named && arguments.iter().all(|item| item.literal);
        stack.truncate(rest);
        stack.push(Item { quantity, literal, span: span.clone(), problem });
    }
    // every expression leaves one value
    Ok(stack.swap_remove(0))
}

/// The dimension of a step's result.
fn state(op: Op, x: &[Item], span: &Range<usize>) -> Result<State, Problem> {
    let states: Vec<State> = x.iter().map(|item| item.quantity.state).collect();
    let product = |dims: Option<Dims>| {
        dims.map(State::Known)
            .ok_or_else(|| Problem::new(span.clone(), "the powers of the units grow too large"))
    };
    Ok(match op {
        Op::Number(_, Some(dims)) => State::Known(dims),
        Op::Number(_, None) => State::Number,
        Op::Name(_) | Op::Table(_) => State::Unknown,
        Op::Negate => states[0],
        Op::Add | Op::Subtract => alike(x)?,
        Op::Multiply | Op::Divide => match (states[0], states[1]) {
            (State::Unknown, _) | (_, State::Unknown) => State::Unknown,
            (State::Number, State::Number) => State::Number,
            // a bare factor may have any unit
            (State::Reading(_), State::Number) | (State::Number, State::Reading(_)) => State::Unknown,
            (State::Reading(a), State::Reading(b)) => {
                let dims = if op == Op::Multiply { a.times(b) } else { a.over(b) };
                dims.map_or(State::Unknown, State::Reading)
            }
            (a, b) => {
                let dims = |state| match state {
                    State::Known(dims) | State::Reading(dims) => dims,
                    _ => Dims::NONE,
                };
                product(if op == Op::Multiply { dims(a).times(dims(b)) } else { dims(a).over(dims(b)) })?
            }
        },
        Op::Power => {
            pure(&x[1], "an exponent")?;
            match states[0] {
                State::Known(dims) if dims != Dims::NONE => product(power(dims, &x[1])?)?,
                State::Reading(dims) if dims != Dims::NONE => {
                    power(dims, &x[1]).ok().flatten().map_or(State::Unknown, State::Reading)
                }
                state => state,
            }
        }
        Op::Compare(_) => {
            let sides = [x[0].quantity.state, x[1].quantity.state];
            match sides {
                [State::Known(a), State::Reading(b)] | [State::Reading(a), State::Known(b)] if a != b => {
                    return Err(differ(&x[1], sides[1], sides[0]));
                }
                _ => alike(x)?,
            };
            State::Number
        }
        Op::And | Op::Or | Op::Not => {
            x.iter().try_for_each(|item| pure(item, "a condition"))?;
            State::Number
        }
        Op::Call(function, _) => match function {
            Function::Abs | Function::Min | Function::Max | Function::Hypot => alike(x)?,
            Function::Mod | Function::Clamp | Function::Deadband => alike(x)?,
            Function::Step | Function::Step5 => {
                alike([&x[0], &x[1], &x[3]])?;
                alike([&x[2], &x[4]])?
            }
            Function::If => {
                pure(&x[0], "a condition")?;
                alike(&x[1..])?
            }
            Function::Atan2 => {
                alike(x)?;
                State::Known(Dims::NONE)
            }
            Function::Sqrt => root(states[0], 2, "square", &x[0])?,
            Function::Cbrt => root(states[0], 3, "cube", &x[0])?,
            Function::Sign => State::Number,
            Function::Asin | Function::Acos | Function::Atan => {
                pure(&x[0], "the argument of this function")?;
                State::Known(Dims::NONE)
            }
            _ => {
                pure(&x[0], "the argument of this function")?;
                State::Number
            }
        },
    })
}

/// The common dimension of values that are added or compared.
fn alike<'i>(x: impl IntoIterator<Item = &'i Item>) -> Result<State, Problem> {
    let mut common = State::Number;
    for item in x {
        let state = item.quantity.state;
        common = match (common, state) {
            (State::Known(a), State::Known(b)) if a != b => return Err(differ(item, state, common)),
            (State::Known(a), State::Reading(b)) | (State::Reading(b), State::Known(a)) if a != b => {
                // `30 deg + t`: the time at the speed of one
                match State::Reading(b).measured() {
                    None => State::Known(a),
                    Some(_) => return Err(differ(item, state, common)),
                }
            }
            (State::Known(dims), _) | (_, State::Known(dims)) => State::Known(dims),
            (State::Reading(a), State::Reading(b)) if a != b => State::Unknown,
            (State::Reading(dims), _) | (_, State::Reading(dims)) => State::Reading(dims),
            (State::Unknown, _) | (_, State::Unknown) => State::Unknown,
            (State::Number, State::Number) => State::Number,
        };
    }
    Ok(common)
}

fn differ(item: &Item, found: State, beside: State) -> Problem {
    let dims = |state| match state {
        State::Known(dims) | State::Reading(dims) => dims,
        State::Number | State::Unknown => Dims::NONE,
    };
    let message = format!("this is {}, but it is combined with {}", dims(found), dims(beside));
    Problem::new(item.span.clone(), message)
}

/// Refuses a value with a dimension where a plain number or an angle is needed.
fn pure(item: &Item, what: &str) -> Result<(), Problem> {
    match item.quantity.state {
        State::Known(dims) if dims != Dims::NONE => Err(Problem::new(
            item.span.clone(),
            format!("{what} must be a plain number or angle, this is {dims}"),
        )),
        _ => Ok(()),
    }
}

/// dims^exponent, for whole and half exponents that are written out.
fn power(dims: Dims, exponent: &Item) -> Result<Option<Dims>, Problem> {
    let twice = 2.0 * exponent.quantity.value;
    if !exponent.literal || twice.fract() != 0.0 || twice.abs() > 100.0 {
        let message = format!("{dims} can only be raised to a whole number that is written out");
        return Err(Problem::new(exponent.span.clone(), message));
    }
    match twice as i32 {
        n if n % 2 == 0 => Ok(dims.power(n / 2)),
        n => match dims.root(2) {
            Some(half) => Ok(half.power(n)),
            None => Err(Problem::new(exponent.span.clone(), format!("{dims} has no square root"))),
        },
    }
}

fn root(state: State, n: i8, name: &str, item: &Item) -> Result<State, Problem> {
    match state {
        State::Known(dims) => match dims.root(n) {
            Some(dims) => Ok(State::Known(dims)),
            None => Err(Problem::new(item.span.clone(), format!("{dims} has no {name} root"))),
        },
        State::Reading(dims) => Ok(dims.root(n).map_or(State::Unknown, State::Reading)),
        state => Ok(state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Dims = Dims::new(1, 0, 0);

    /// x has no unit, L is a length.
    fn quantity(text: &str) -> Result<Quantity, Problem> {
        let expression = Expression::compile(text).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
        evaluate(&expression, |index| match expression.references[index].target.to_string().as_str() {
            "x" => Quantity { value: 3.0, state: State::Unknown },
            "L" => Quantity { value: 2.0, state: State::Known(LENGTH) },
            "r" => Quantity { value: 2.0, state: State::Reading(LENGTH) },
            "t" => Quantity { value: 2.0, state: State::Reading(Dims::new(0, 0, 1)) },
            other => panic!("{other}"),
        })
    }

    #[test]
    #[rustfmt::skip]
    fn exact_dimensions_of_expressions() {
        let known = |m, kg, s| State::Known(Dims::new(m, kg, s));
        let cases = [
            ("1 + 2", State::Number), ("x + 1", State::Unknown), ("2 * x", State::Unknown), ("L * x", State::Unknown),
            ("L + 1", known(1, 0, 0)), ("1 - L", known(1, 0, 0)), ("L + x", known(1, 0, 0)), ("2 * L", known(1, 0, 0)),
            ("1 / L", known(-1, 0, 0)), ("L * L", known(2, 0, 0)), ("L / L", known(0, 0, 0)), ("L ^ 2", known(2, 0, 0)),
            ("L ^ -(1)", known(-1, 0, 0)), ("(L^2) ^ 0.5", known(1, 0, 0)), ("(L^2) ^ (3/2)", known(3, 0, 0)), ("sqrt(L^2)", known(1, 0, 0)),
            ("sqrt(2)", State::Number), ("cbrt(L^3)", known(1, 0, 0)), ("sin(30 deg)", State::Number), ("L * cos(x)", known(1, 0, 0)),
            ("atan2(L, 2 mm)", known(0, 0, 0)), ("hypot(L, 3)", known(1, 0, 0)), ("max(1, L, x)", known(1, 0, 0)), ("sin(L / 2 m)", State::Number),
            ("250 N/mm * L", known(1, 1, -2)), ("30 deg", known(0, 0, 0)), ("1500 rpm", known(0, 0, -1)), ("-L", known(1, 0, 0)),
            ("L < 3", State::Number), ("if(x > 2, L, 3 mm)", known(1, 0, 0)), ("if(L > 2 mm and x, 1, x)", State::Unknown), ("not x", State::Number),
            ("step(L, 0, 1 N, 2 m, 3)", known(1, 1, -2)), ("clamp(L, 1 mm, 3)", known(1, 0, 0)), ("mod(30 deg, 2)", known(0, 0, 0)), ("tanh(x)", State::Number),
            ("if(0, 1 / 0, L)", known(1, 0, 0)), ("deadband(L, 1 mm)", known(1, 0, 0)),
            ("r", State::Reading(LENGTH)), ("-100 * r", State::Unknown), ("r + 1", State::Reading(LENGTH)), ("r + 1 mm", known(1, 0, 0)),
            ("3 N/m * r", known(1, 1, -2)), ("r / t", State::Reading(Dims::new(1, 0, -1))), ("5 rpm * t", known(0, 0, 0)), ("3 mm/s * t", known(1, 0, 0)),
            ("3 * t ^ 2", State::Unknown), ("30 deg + t", known(0, 0, 0)), ("r + t", State::Unknown), ("sin(r)", State::Number), ("sqrt(r)", State::Unknown),
            ("t > 3 s", State::Number), ("r ^ x", State::Unknown), ("max(r, 3)", State::Reading(LENGTH)), ("sqrt(r * r)", State::Reading(LENGTH)),
            ("x ^ 2", State::Unknown), ("(3 deg) ^ x", known(0, 0, 0)), ("floor(2.5)", State::Number), ("asin(0.5)", known(0, 0, 0)),
        ];
        for (text, expected) in cases {
            assert_eq!(quantity(text).unwrap_or_else(|problem| panic!("{text}: {problem:?}")).state, expected, "{text}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn exact_problems_of_dimensions_and_values() {
        let cases = [
            ("L + 2 kg", 4..8, "a mass (kg)"), ("sin(L)", 4..5, "a length (m)"), ("sqrt(L)", 5..6, "square root"),
            ("L ^ 0.5", 4..7, "square root"), ("L ^ x", 4..5, "written out"), ("2 ^ L", 4..5, "exponent"), ("max(L, 2 s)", 7..10, "a time (s)"),
            ("1 / 0", 0..5, "infinite"), ("2 + 0 / 0", 4..9, "not a number"), ("sqrt(-1)", 0..8, "not a number"), ("ln(0)", 0..5, "infinite"),
            ("1e308 * 10", 0..10, "infinite"), ("floor(L)", 6..7, "plain number"), ("L ^ 40", 0..6, "too large"), ("L < 2 s", 4..7, "a time (s)"), ("if(L, 1, 2)", 3..4, "a condition"),
            ("if(x, L, 2 s)", 9..12, "a time (s)"), ("step(L, 1, 2, 3 s, 4)", 14..17, "a time (s)"), ("step(x, 1, L, 3, 4 s)", 17..20, "a time (s)"),
            ("L and 1", 0..1, "a condition"), ("if(1, 1 / 0, 2)", 6..11, "infinite"), ("if(1 / 0, 1, 2)", 3..8, "infinite"), ("sinh(L)", 5..6, "a length"),
            ("exp(1 kg)", 4..8, "a mass"), ("r + 3 kg", 4..8, "a mass"), ("t > 3 mm", 4..8, "a length"), ("3 s < r", 6..7, "a length"),
        ];
        for (text, span, word) in cases {
            let problem = quantity(text).expect_err(text);
            assert_eq!(problem.span, span, "{text}: {problem:?}");
            assert!(problem.message.contains(word), "{text}: {problem:?}");
        }
    }
}
