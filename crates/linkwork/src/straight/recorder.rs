//! A lane that writes down what is done with it.
//!
//! A kernel that is generic over [`Lane`] runs once with numbers that are only names. Every operation becomes an entry of a list, unless it is known beforehand
//! (constants), does nothing (a sum with zero, a product with one), or stands in the list already. What is left is a [`Code`].
//!
//! A product with zero is zero, whatever the other factor: for finite numbers that is so but for the sign of the zero. A number that is not finite shows in the state all the
//! same, since coordinates and rates enter their own next values.

use super::code::{Code, Guard, Op};
use crate::recursive::lane::{Lane, Sink, Source};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, Mul, Neg, Sub};

/// Takes down the operations of a kernel.
#[derive(Debug)]
pub(crate) struct Recorder(RefCell<List>);

#[derive(Debug)]
struct List {
    ops: Vec<Op>,
    /// Where each operation stands; constants by their bits.
    known: HashMap<(u8, [u64; 4]), u32>,
    guards: Vec<Guard>,
    inputs: u32,
    fused: bool,
}

/// A number of which only the place in the list is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'r> {
    recorder: &'r Recorder,
    place: u32,
}

/// Where such a number is stored. The default is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell(u32);

impl Recorder {
    /// With an empty list. `fused`: a product and a sum are rounded once.
    pub fn new(fused: bool) -> Self {
        let list = List { ops: Vec::new(), known: HashMap::new(), guards: Vec::new(), inputs: 0, fused };
        let recorder = Recorder(RefCell::new(list));
        recorder.push(Op::Constant(0.0)); // of the default cell
        recorder
    }

    /// The next input.
    pub fn input(&self) -> Named<'_> {
        let next = {
            let list = &mut self.0.borrow_mut();
            list.inputs += 1;
            list.inputs - 1
        };
        self.push(Op::Input(next))
    }

    /// As many inputs.
    pub fn inputs(&self, count: usize) -> Vec<Cell> {
        (0..count).map(|_| Cell(self.input().place)).collect()
    }

    /// A constant.
    pub fn constant(&self, x: f64) -> Named<'_> {
        self.push(Op::Constant(x))
    }

    /// What is stored in a cell.
    pub fn read(&self, cell: Cell) -> Named<'_> {
        Named { recorder: self, place: cell.0 }
    }

    /// A number that must stay below a bound.
    pub fn guard(&self, number: Named<'_>, bound: f64) {
        let guard = Guard { value: number.place, bound };
        let guards = &mut self.0.borrow_mut().guards;
        if !guards.contains(&guard) {
            guards.push(guard);
        }
    }

    /// The code that works out these numbers, without what they do not need.
    pub fn code(self, outputs: &[Cell]) -> Code {
        let list = self.0.into_inner();
        Code::new(
            list.ops,
            list.inputs as usize,
            outputs.iter().map(|cell| cell.0).collect(),
            list.guards,
            list.fused,
        )
    }

    fn value(&self, place: u32) -> Option<f64> {
        match self.0.borrow().ops[place as usize] {
            Op::Constant(x) => Some(x),
            _ => None,
        }
    }

    /// The place of an operation, which is known, does nothing, is there already, or is new.
    fn push(&self, op: Op) -> Named<'_> {
        let op = op.ordered();
        let place = match self.simpler(op) {
            Simpler::Same(place) => place,
            Simpler::Other(op) => self.enter(op.ordered()),
        };
        Named { recorder: self, place }
    }

    fn enter(&self, op: Op) -> u32 {
        let list = &mut *self.0.borrow_mut();
        let next = list.ops.len() as u32;
        *list.known.entry(op.key()).or_insert_with(|| {
            list.ops.push(op);
            next
        })
    }

    fn simpler(&self, op: Op) -> Simpler {
        let fused = self.0.borrow().fused;
        let value = |place| self.value(place);
        if let Some(x) = op.constant(value, fused) {
            return Simpler::Other(Op::Constant(x));
        }
        let is = |place: u32, x: f64| self.value(place) == Some(x);
        match op {
            Op::Add(a, b) if is(a, 0.0) => Simpler::Same(b),
            Op::Add(a, b) | Op::Sub(a, b) if is(b, 0.0) => Simpler::Same(a),
            Op::Sub(a, b) if is(a, 0.0) => Simpler::Other(Op::Neg(b)),
            Op::Mul(a, b) if is(a, 0.0) || is(b, 0.0) => Simpler::Other(Op::Constant(0.0)),
            Op::Mul(a, b) if is(a, 1.0) => Simpler::Same(b),
            Op::Mul(a, b) | Op::Div(a, b) if is(b, 1.0) => Simpler::Same(a),
            Op::Mul(a, b) if is(a, -1.0) => Simpler::Other(Op::Neg(b)),
            Op::Mul(a, b) if is(b, -1.0) => Simpler::Other(Op::Neg(a)),
            Op::MulAdd(a, b, c) | Op::MulSub(a, b, c) if is(a, 0.0) || is(b, 0.0) => Simpler::Same(c),
            Op::MulAdd(a, b, c) if is(a, 1.0) => self.shorter(Op::Add(b, c)),
            Op::MulAdd(a, b, c) if is(b, 1.0) => self.shorter(Op::Add(a, c)),
            Op::MulSub(a, b, c) if is(a, 1.0) => self.shorter(Op::Sub(c, b)),
            Op::MulSub(a, b, c) if is(b, 1.0) => self.shorter(Op::Sub(c, a)),
            Op::MulAdd(a, b, c) if is(c, 0.0) => self.shorter(Op::Mul(a, b)),
            Op::MulSub(a, b, c) if is(c, 0.0) => {
                let product = self.push(Op::Mul(a, b)).place;
                self.shorter(Op::Neg(product))
            }
            Op::Neg(a) => match self.0.borrow().ops[a as usize] {
                Op::Neg(b) => Simpler::Same(b),
                _ => Simpler::Other(op),
            },
            Op::PickLess(_, _, yes, no) if yes == no => Simpler::Same(yes),
            _ => Simpler::Other(op),
        }
    }

    fn shorter(&self, op: Op) -> Simpler {
        Simpler::Same(self.push(op).place)
    }
}

/// What an operation comes down to.
enum Simpler {
    /// A number that is there.
    Same(u32),
    /// An operation.
    Other(Op),
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<'r> $trait for Named<'r> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.recorder.push(Op::$trait(self.place, other.place))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);

impl Neg for Named<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.recorder.push(Op::Neg(self.place))
    }
}

impl Named<'_> {
    /// Where it is stored.
    pub fn cell(self) -> Cell {
        Cell(self.place)
    }
}

impl<'r> Lane for Named<'r> {
    type Token = &'r Recorder;
    type Cell = Cell;
    type Number = Cell;

    fn splat(token: &'r Recorder, x: f64) -> Self {
        token.constant(x)
    }
    fn of(self, x: f64) -> Self {
        self.recorder.constant(x)
    }
    fn mul_add(self, b: Self, c: Self) -> Self {
        self.recorder.push(Op::MulAdd(self.place, b.place, c.place))
    }
    fn mul_sub(self, b: Self, c: Self) -> Self {
        self.recorder.push(Op::MulSub(self.place, b.place, c.place))
    }
    fn over(self, b: Self) -> Self {
        self.recorder.push(Op::Div(self.place, b.place))
    }
    fn sqrt(self) -> Self {
        self.recorder.push(Op::Sqrt(self.place))
    }
    fn abs(self) -> Self {
        self.recorder.push(Op::Abs(self.place))
    }
    fn pick_less(self, bound: Self, yes: Self, no: Self) -> Self {
        self.recorder.push(Op::PickLess(self.place, bound.place, yes.place, no.place))
    }
    /// What a standard library would have to say is not in the list: a number beyond the bound ends the run of the code, and whoever runs it runs it again elsewhere.
    fn mend(self, bound: f64, _: &mut Self, _: &mut Self, _: impl Fn(f64) -> (f64, f64)) {
        if self.recorder.value(self.place).is_none_or(|x| x.abs() >= bound) {
            self.recorder.guard(self, bound);
        }
    }
}

impl<'r> Source<Named<'r>> for Cell {
    fn read(&self, token: &'r Recorder) -> Named<'r> {
        token.read(*self)
    }
}

impl<'r> Sink<Named<'r>> for Cell {
    fn write(&mut self, _: &'r Recorder, value: Named<'r>) {
        *self = value.cell();
    }
}

impl<'r> Source<Named<'r>> for f64 {
    fn read(&self, token: &'r Recorder) -> Named<'r> {
        token.constant(*self)
    }
}
