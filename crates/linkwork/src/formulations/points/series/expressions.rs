//! Formulas on the tape.
//!
//! What has corners is no series, but for corners of time alone: steps end there
//! ([`Timing`](crate::mechanism::Timing)), and between two of them one piece holds. Which corners are known in advance is the question
//! that [`edges`](crate::expressions::edges) answers, and this file follows its rules: both sides of a comparison are
//! a + b t.

use super::bodies::{Covered, Scribe};
use crate::expressions::{Comparison, Function, Op};
use crate::interactions::{Program, Slot};
use crate::linalg::tape::{Level, Node};
use crate::model::Formula;

/// A value on the stack.
#[derive(Clone, Copy)]
struct Item {
    node: Node,
    /// Whether it is a + b t.
    line: bool,
    /// Whether it is a truth: 0 or 1, by comparisons of lines.
    truth: bool,
}

fn corner<T>(name: &str) -> Covered<T> {
    Err(format!("`{name}` has corners that are not known in advance"))
}

impl Scribe<'_> {
    /// A formula with its names bound; `locals` are the element's own.
    pub fn program(&mut self, program: &Program, locals: &[Node]) -> Covered<Node> {
        if let Some(value) = program.formula().is_constant() {
            return Ok(self.tape.constant(value));
        }
        let mut values = Vec::new();
        for slot in program.slots() {
            values.push((self.slot(slot, locals)?, *slot == Slot::Time));
        }
        self.formula(program.formula(), &values)
    }

    /// A formula of these values, each with whether it is the time.
    pub fn formula(&mut self, formula: &Formula, values: &[(Node, bool)]) -> Covered<Node> {
        self.conceals |= !formula.narrow_steps().is_empty();
        let mut stack: Vec<Item> = Vec::new();
        for &op in formula.steps() {
            let x = stack.split_off(stack.len().saturating_sub(op.arguments()));
            let item = match op {
                Op::Number(value, _) => {
                    Item { node: self.tape.constant(value), line: true, truth: value == 0.0 || value == 1.0 }
                }
                Op::Name(i) => Item { node: values[i].0, line: values[i].1, truth: false },
                Op::Table(i) => {
                    return Err(format!("the table `{}` is made of pieces", formula.tables()[i].name));
                }
                _ => self.step(op, &x)?,
            };
            // a choice would swallow it in silence
            if self.tape.value(item.node).is_some_and(|value| !value.is_finite()) {
                return Err("a part of it has no value".into());
            }
            stack.push(item);
        }
        stack.pop().map(|item| item.node).ok_or_else(|| "it is empty".into())
    }

    fn step(&mut self, op: Op, x: &[Item]) -> Covered<Item> {
        let tape = &mut self.tape;
        let constant = |tape: &crate::linalg::tape::Builder, i: usize| tape.value(x[i].node).is_some();
        let mut line = false;
        let mut truth = false;
        let node = match op {
            Op::Negate => {
                line = x[0].line;
                tape.scale(-1.0, x[0].node)
            }
            Op::Add | Op::Subtract => {
                line = x[0].line && x[1].line;
                let sign = if op == Op::Add { 1.0 } else { -1.0 };
                tape.sum(&[(x[0].node, 1.0), (x[1].node, sign)], 0.0)
            }
            Op::Multiply => {
                line = x[0].line && x[1].line && (constant(tape, 0) || constant(tape, 1));
                tape.mul(x[0].node, x[1].node)
            }
            Op::Divide => {
                line = x[0].line && constant(tape, 1);
                tape.div(x[0].node, x[1].node)
            }
            Op::Power => tape.pow(x[0].node, x[1].node),
            Op::Compare(comparison) => {
                let [p, q] = [x[0], x[1]];
                let less = match comparison {
                    Comparison::Less | Comparison::LessOrEqual => [p, q],
                    Comparison::Greater | Comparison::GreaterOrEqual => [q, p],
                    Comparison::Equal | Comparison::NotEqual => return corner("=="),
                };
                truth = true;
                let options = [tape.constant(1.0), tape.constant(0.0)];
                self.either("a comparison", less, options)?
            }
            Op::And | Op::Or | Op::Not => {
                if !x.iter().all(|x| x.truth) {
                    return corner("a condition");
                }
                truth = true;
                match op {
                    Op::And => tape.mul(x[0].node, x[1].node),
                    Op::Or => {
                        let both = tape.mul(x[0].node, x[1].node);
                        tape.sum(&[(x[0].node, 1.0), (x[1].node, 1.0), (both, -1.0)], 0.0)
                    }
                    _ => tape.sum(&[(x[0].node, -1.0)], 1.0),
                }
            }
            Op::Call(function, _) => self.call(function, x)?,
            Op::Number(..) | Op::Name(_) | Op::Table(_) => return Err("it is no operation".into()),
        };
        let line = line || self.tape.value(node).is_some();
        Ok(Item { node, line, truth })
    }

    /// The first option while p < q; both must be lines.
    fn either(&mut self, name: &str, [p, q]: [Item; 2], options: [Node; 2]) -> Covered<Node> {
        let timing = &self.mechanism.timing;
        if !p.line || !q.line || timing.edges.len() >= crate::mechanism::MAX_EDGES {
            return corner(name);
        }
        Ok(self.tape.either(p.node, q.node, options))
    }

    fn number(&mut self, value: f64) -> Item {
        Item { node: self.tape.constant(value), line: true, truth: false }
    }

    fn call(&mut self, function: Function, x: &[Item]) -> Covered<Node> {
        let a = x[0].node;
        let tape = &mut self.tape;
        Ok(match function {
            Function::Sin => tape.sin(a),
            Function::Cos => tape.cos(a),
            Function::Tan => tape.tan(a),
            Function::Asin => tape.asin(a),
            Function::Acos => tape.acos(a),
            Function::Atan => tape.atan(a),
            Function::Sinh => tape.sinh(a),
            Function::Cosh => tape.cosh(a),
            Function::Tanh => tape.tanh(a),
            Function::Sqrt => tape.sqrt(a),
            Function::Cbrt => tape.cbrt(a),
            Function::Exp => tape.exp(a),
            Function::Ln => tape.ln(a),
            Function::Log10 => {
                let ln = tape.ln(a);
                tape.scale(std::f64::consts::LOG10_E, ln)
            }
            Function::Hypot => {
                let (p, q) = (tape.mul(a, a), tape.mul(x[1].node, x[1].node));
                let square = tape.add(p, q);
                tape.sqrt(square)
            }
            Function::Abs => {
                let (zero, back) = (self.number(0.0), self.tape.scale(-1.0, a));
                self.either("abs", [x[0], zero], [back, a])?
            }
            Function::Sign => {
                let zero = self.number(0.0);
                let options = [self.tape.constant(-1.0), self.tape.constant(1.0)];
                self.either("sign", [x[0], zero], options)?
            }
            Function::Min | Function::Max => {
                let mut best = x[0];
                for &next in &x[1..] {
                    let order = if function == Function::Min { [next, best] } else { [best, next] };
                    let node = self.either("min or max", order, [next.node, best.node])?;
                    // of three pieces of lines every pair is a corner, so the best of two may be compared on
                    best = Item { node, line: true, truth: false };
                }
                best.node
            }
            Function::Clamp => {
                let [value, low, high] = [x[0], x[1], x[2]];
                if self.tape.value(low.node).is_none() || self.tape.value(high.node).is_none() {
                    return corner("clamp");
                }
                let above = self.either("clamp", [high, value], [high.node, value.node])?;
                self.either("clamp", [value, low], [low.node, above])?
            }
            Function::Deadband => {
                let Some(width) = self.tape.value(x[1].node) else { return corner("deadband") };
                let (low, high, zero) = (self.number(-width), self.number(width), self.number(0.0));
                let (less, more) = (self.tape.sum(&[(a, 1.0)], -width), self.tape.sum(&[(a, 1.0)], width));
                let above = self.either("deadband", [high, x[0]], [less, zero.node])?;
                self.either("deadband", [x[0], low], [more, above])?
            }
            Function::Step | Function::Step5 => self.smooth_step(function, x)?,
            Function::If => {
                if !x[0].truth || self.tape.level(a) != Level::Time {
                    return corner("if");
                }
                let half = self.tape.constant(0.5);
                self.tape.either(half, a, [x[1].node, x[2].node])
            }
            Function::Atan2 | Function::Floor | Function::Ceil | Function::Mod => {
                let name = Function::ALL.iter().find(|f| f.2 == function).map_or("this", |f| f.0);
                return Err(format!("`{name}` jumps"));
            }
        })
    }

    /// (F1), (F2) of the functions.
    fn smooth_step(&mut self, function: Function, x: &[Item]) -> Covered<Node> {
        let &[at, from, low, to, high] = x else { return Err("it has other arguments".into()) };
        let (Some(x0), Some(x1)) = (self.tape.value(from.node), self.tape.value(to.node)) else {
            return corner("step");
        };
        if x0 == x1 {
            return self.either("step", [at, from], [low.node, high.node]);
        }
        let inverse = 1.0 / (x1 - x0);
        let s = self.tape.sum(&[(at.node, inverse)], -x0 * inverse);
        let ss = self.tape.mul(s, s);
        let shape = match function {
            Function::Step => {
                let rest = self.tape.sum(&[(s, -2.0)], 3.0);
                self.tape.mul(ss, rest)
            }
            _ => {
                let rest = self.tape.sum(&[(ss, 6.0), (s, -15.0)], 10.0);
                let cube = self.tape.mul(ss, s);
                self.tape.mul(cube, rest)
            }
        };
        let rise = self.tape.sub(high.node, low.node);
        let part = self.tape.mul(rise, shape);
        let between = self.tape.add(low.node, part);
        let (first, last) = if x0 < x1 { ([at, from], [to, at]) } else { ([from, at], [at, to]) };
        let after = self.either("step", last, [high.node, between])?;
        self.either("step", first, [low.node, after])
    }

    fn slot(&mut self, slot: &Slot, locals: &[Node]) -> Covered<Node> {
        Ok(match slot {
            Slot::Time => self.tape.time(),
            Slot::Local(i) => locals.get(*i).copied().ok_or("a name of its own has no value")?,
            Slot::Position(spot, c, 0.0) => self.spot(spot)?.1[*c],
            Slot::Position(spot, c, origin) => {
                let x = self.spot(spot)?.1[*c];
                self.tape.sum(&[(x, 1.0)], *origin)
            }
            Slot::Velocity(spot, c) => {
                let x = self.spot(spot)?.1[*c];
                self.tape.rate(x)
            }
            Slot::Turning(body, c) => self.spin(*body)[*c],
            Slot::CoordinateFunction(g, w) => {
                let value = self.value(*g)?;
                self.tape.scale(*w, value)
            }
            Slot::GaugeRate(g, w) => {
                let value = self.gauge(*g)?.value;
                let rate = self.tape.rate(value);
                self.tape.scale(*w, rate)
            }
            Slot::Variable(_) => return Err("inputs and states have no power series".into()),
            Slot::Measure(i) => {
                let program = &self.mechanism.interactions.measures[*i].program;
                self.program(program, &[])?
            }
            Slot::Output(action, k) => self.output(*action, *k)?,
            Slot::Speed(_) => return Err("a speed has a corner where it vanishes".into()),
            Slot::Attitude(..) | Slot::Quaternion(..) => {
                return Err("it reads the orientation of a body, which jumps".into());
            }
            Slot::AngleAt(..) | Slot::AngleRateAt(..) => {
                return Err("it reads an angle between points, which jumps".into());
            }
            Slot::OfMotion(_) => return Err("it reads contacts".into()),
            Slot::Late(_) => return Err("it reads accelerations or reactions".into()),
        })
    }
}
