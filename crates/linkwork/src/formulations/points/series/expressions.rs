//! Formulas on the tape.
//!
//! What has corners is no series, but for corners of time alone: steps end there
//! ([`Timing`](crate::mechanism::Timing)), and between two of them one piece holds. Which corners are known in advance is the question
//! that [`edges`](crate::expressions::edges) answers, and this file follows its rules: both sides of a comparison are
//! a + b t. A tape that serves instants only has any corner: it is then on one side of it.

use super::bodies::{Covered, Scribe};
use super::each::{Each, UNLIKE};
use crate::expressions::{Comparison, Function, Op};
use crate::interactions::{BodyPoint, Program, Slot};
use crate::linalg::tape::{Builder, Level, Node, Number};
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

impl<N: Number> Scribe<'_, N> {
    /// A formula with its names bound; `locals` are the element's own.
    pub fn program(&mut self, program: &Each<&Program>, locals: &[Node]) -> Covered<Node> {
        let slots = program.map(|program| program.slots()).items()?;
        let mut values = Vec::new();
        for slot in &slots {
            values.push((self.slot(slot, locals)?, *slot.first() == Slot::Time));
        }
        self.formula(&program.map(|program| program.formula()), &values)
    }

    /// A formula of these values, each with whether it is the time.
    pub fn formula(&mut self, formula: &Each<&Formula>, values: &[(Node, bool)]) -> Covered<Node> {
        self.conceals |= !formula.first().narrow_steps().is_empty();
        let mut stack: Vec<Item> = Vec::new();
        for op in formula.map(|formula| formula.steps()).items()? {
            let arguments = op.agree(|op| op.arguments())?;
            let x = stack.split_off(stack.len().saturating_sub(arguments));
            let item = match *op.first() {
                Op::Number(..) => {
                    let number =
                        op.pick(|op| if let Op::Number(value, _) = op { Some(*value) } else { None })?;
                    let number = self.number(&number);
                    let truth = number.is(0.0) || number.is(1.0);
                    Item { node: self.tape.fixed(number), line: true, truth }
                }
                Op::Name(i) => Item { node: values[i].0, line: values[i].1, truth: false },
                Op::Table(i) => {
                    let name = &formula.first().tables()[i].name;
                    return Err(format!("the table `{name}` is made of pieces"));
                }
                known => {
                    if op
                        .0
                        .iter()
                        .any(|other| std::mem::discriminant(*other) != std::mem::discriminant(&known))
                    {
                        return Err(UNLIKE.into());
                    }
                    self.step(known, &x)?
                }
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
        let constant = |tape: &Builder<N>, i: usize| tape.value(x[i].node).is_some();
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
        let known = p.line && q.line && timing.edges.len() < crate::mechanism::MAX_EDGES;
        if !known && !self.at_instants {
            return corner(name);
        }
        Ok(self.tape.either(p.node, q.node, options))
    }

    fn plain(&mut self, value: f64) -> Item {
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
                let (zero, back) = (self.plain(0.0), self.tape.scale(-1.0, a));
                self.either("abs", [x[0], zero], [back, a])?
            }
            Function::Sign => {
                let zero = self.plain(0.0);
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
                let known = self.tape.value(low.node).is_some() && self.tape.value(high.node).is_some();
                if !known && !self.at_instants {
                    return corner("clamp");
                }
                let above = self.either("clamp", [high, value], [high.node, value.node])?;
                self.either("clamp", [value, low], [low.node, above])?
            }
            Function::Deadband => {
                if self.tape.value(x[1].node).is_none() && !self.at_instants {
                    return corner("deadband");
                }
                let high = x[1];
                let low = Item { node: self.tape.scale(-1.0, high.node), ..high };
                let zero = self.plain(0.0);
                let (less, more) = (self.tape.sub(a, high.node), self.tape.add(a, high.node));
                let above = self.either("deadband", [high, x[0]], [less, zero.node])?;
                self.either("deadband", [x[0], low], [more, above])?
            }
            Function::Step | Function::Step5 => self.smooth_step(function, x)?,
            Function::If => {
                if !x[0].truth || (self.tape.level(a) != Level::Time && !self.at_instants) {
                    return corner("if");
                }
                let half = self.tape.constant(0.5);
                self.tape.either(half, a, [x[1].node, x[2].node])
            }
            Function::Atan2 if self.at_instants => tape.atan2(a, x[1].node, None),
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
        let (way, width) = (self.tape.sub(at.node, from.node), self.tape.sub(to.node, from.node));
        let s = self.tape.div(way, width);
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

    fn slot(&mut self, slot: &Each<&Slot>, locals: &[Node]) -> Covered<Node> {
        Ok(match *slot.first() {
            Slot::Time => self.tape.time(),
            Slot::Local(i) => locals.get(i).copied().ok_or("a name of its own has no value")?,
            Slot::Position(_, c, _) => {
                let origin = self.number(&slot.pick(weight)?);
                let x = self.spot(&slot.pick(place)?)?.1[c];
                self.tape.weighted(&[(x, N::of(1.0))], origin)
            }
            Slot::Velocity(_, c) => {
                let x = self.spot(&slot.pick(place)?)?.1[c];
                self.tape.rate(x)
            }
            Slot::Turning(body, c) => self.spin(body)[c],
            Slot::CoordinateFunction(g, _) => {
                let value = self.value(g)?;
                self.scale(self.number(&slot.pick(weight)?), value)
            }
            Slot::GaugeRate(g, _) => {
                let value = self.gauge(g)?.value;
                let rate = self.tape.rate(value);
                self.scale(self.number(&slot.pick(weight)?), rate)
            }
            Slot::Variable(_) => return Err("inputs and states have no power series".into()),
            Slot::Measure(i) => {
                let program = self.each(|m| &m.interactions.measures[i].program);
                self.program(&program, &[])?
            }
            Slot::Output(action, k) => self.output(action, k)?,
            Slot::Speed(_) if !self.at_instants => {
                return Err("a speed has a corner where it vanishes".into());
            }
            Slot::Speed(_) => {
                let x = self.spot(&slot.pick(place)?)?.1;
                let v = self.rate(x);
                self.norm(v)
            }
            Slot::AngleAt(_, true) if self.at_instants => self.planar_angle(&slot.pick(places)?)?,
            Slot::AngleRateAt(_, true) if self.at_instants => {
                let angle = self.planar_angle(&slot.pick(places)?)?;
                self.tape.rate(angle)
            }
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

    /// The angle at the second of three points in the plane.
    fn planar_angle(&mut self, spots: &Each<&[BodyPoint; 3]>) -> Covered<Node> {
        let [p, q, r] = [0, 1, 2].map(|i| spots.map(|spots| &spots[i]));
        let (p, q, r) = (self.spot(&p)?.1, self.spot(&q)?.1, self.spot(&r)?.1);
        let (a, b) = (self.minus(p, q), self.minus(r, q));
        let (y, x) = (self.cross(a, b)[2], self.dot(a, b));
        Ok(self.tape.atan2(y, x, None))
    }
}

fn weight(slot: &Slot) -> Option<f64> {
    match slot {
        Slot::CoordinateFunction(_, w) | Slot::GaugeRate(_, w) | Slot::Position(_, _, w) => Some(*w),
        _ => None,
    }
}

fn place(slot: &Slot) -> Option<&BodyPoint> {
    match slot {
        Slot::Position(spot, ..) | Slot::Velocity(spot, _) | Slot::Speed(spot) => Some(spot),
        _ => None,
    }
}

fn places(slot: &Slot) -> Option<&[BodyPoint; 3]> {
    match slot {
        Slot::AngleAt(spots, _) | Slot::AngleRateAt(spots, _) => Some(spots),
        _ => None,
    }
}
