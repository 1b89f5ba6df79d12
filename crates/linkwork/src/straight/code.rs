//! A list of operations, each on results of earlier ones.

use crate::recursive::lane::{Lane, One};

/// An operation of IEEE arithmetic in double precision. Numbers are named by the places of the operations that give them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// A number that is given.
    Input(u32),
    /// A number that is known.
    Constant(f64),
    /// a + b
    Add(u32, u32),
    /// a − b
    Sub(u32, u32),
    /// a b
    Mul(u32, u32),
    /// a / b
    Div(u32, u32),
    /// −a
    Neg(u32),
    /// a b + c, rounded once if the code is fused.
    MulAdd(u32, u32, u32),
    /// c − a b, likewise.
    MulSub(u32, u32, u32),
    /// √a
    Sqrt(u32),
    /// |a|
    Abs(u32),
    /// a < b ? c : d
    PickLess(u32, u32, u32, u32),
}

impl Op {
    /// The numbers that it takes.
    pub fn operands(&self) -> impl Iterator<Item = u32> + use<> {
        let (list, count) = match *self {
            Op::Input(_) | Op::Constant(_) => ([0; 4], 0),
            Op::Neg(a) | Op::Sqrt(a) | Op::Abs(a) => ([a, 0, 0, 0], 1),
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Div(a, b) => ([a, b, 0, 0], 2),
            Op::MulAdd(a, b, c) | Op::MulSub(a, b, c) => ([a, b, c, 0], 3),
            Op::PickLess(a, b, c, d) => ([a, b, c, d], 4),
        };
        list.into_iter().take(count)
    }

    /// The same with other names for the numbers.
    pub(super) fn renamed(self, name: impl Fn(u32) -> u32) -> Op {
        match self {
            Op::Input(_) | Op::Constant(_) => self,
            Op::Add(a, b) => Op::Add(name(a), name(b)),
            Op::Sub(a, b) => Op::Sub(name(a), name(b)),
            Op::Mul(a, b) => Op::Mul(name(a), name(b)),
            Op::Div(a, b) => Op::Div(name(a), name(b)),
            Op::Neg(a) => Op::Neg(name(a)),
            Op::MulAdd(a, b, c) => Op::MulAdd(name(a), name(b), name(c)),
            Op::MulSub(a, b, c) => Op::MulSub(name(a), name(b), name(c)),
            Op::Sqrt(a) => Op::Sqrt(name(a)),
            Op::Abs(a) => Op::Abs(name(a)),
            Op::PickLess(a, b, c, d) => Op::PickLess(name(a), name(b), name(c), name(d)),
        }
    }

    /// Factors and summands in order of their names.
    pub(super) fn ordered(self) -> Op {
        match self {
            Op::Add(a, b) if b < a => Op::Add(b, a),
            Op::Mul(a, b) if b < a => Op::Mul(b, a),
            Op::MulAdd(a, b, c) if b < a => Op::MulAdd(b, a, c),
            Op::MulSub(a, b, c) if b < a => Op::MulSub(b, a, c),
            _ => self,
        }
    }

    /// What tells it from others.
    pub(super) fn key(&self) -> (u8, [u64; 4]) {
        let kind = match self {
            Op::Input(i) => return (0, [u64::from(*i), 0, 0, 0]),
            Op::Constant(x) => return (1, [x.to_bits(), 0, 0, 0]),
            Op::Add(..) => 2,
            Op::Sub(..) => 3,
            Op::Mul(..) => 4,
            Op::Div(..) => 5,
            Op::Neg(..) => 6,
            Op::MulAdd(..) => 7,
            Op::MulSub(..) => 8,
            Op::Sqrt(..) => 9,
            Op::Abs(..) => 10,
            Op::PickLess(..) => 11,
        };
        let mut of = [0; 4];
        for (to, from) in of.iter_mut().zip(self.operands()) {
            *to = u64::from(from);
        }
        (kind, of)
    }

    /// Its result, if that of each number it takes is known.
    pub(super) fn constant(&self, value: impl Fn(u32) -> Option<f64>, fused: bool) -> Option<f64> {
        if matches!(self, Op::Input(_)) {
            return None;
        }
        let mut x = [0.0; 4];
        for (to, place) in x.iter_mut().zip(self.operands()) {
            *to = value(place)?;
        }
        Some(if fused { self.of_lanes(x.map(One::<true>)).0 } else { self.of_lanes(x.map(One::<false>)).0 })
    }

    /// Its result for these numbers; of an input the first.
    #[inline(always)]
    pub(super) fn of_lanes<L: Lane>(&self, [a, b, c, d]: [L; 4]) -> L {
        match *self {
            Op::Input(_) => a,
            Op::Constant(x) => a.of(x),
            Op::Add(..) => a + b,
            Op::Sub(..) => a - b,
            Op::Mul(..) => a * b,
            Op::Div(..) => a.over(b),
            Op::Neg(_) => -a,
            Op::MulAdd(..) => a.mul_add(b, c),
            Op::MulSub(..) => a.mul_sub(b, c),
            Op::Sqrt(_) => a.sqrt(),
            Op::Abs(_) => a.abs(),
            Op::PickLess(..) => a.pick_less(b, c, d),
        }
    }
}

/// A number that must stay below a bound: where it does not, the results are void.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard {
    /// The place of the number.
    pub value: u32,
    /// What it must be below. A number that is not a number is not.
    pub bound: f64,
}

/// Straight-line code: no loops, no branches, every operation once.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    ops: Vec<Op>,
    inputs: usize,
    outputs: Vec<u32>,
    guards: Vec<Guard>,
    fused: bool,
}

impl Code {
    /// Of a list of operations, without those that neither an output nor a guard needs.
    pub(super) fn new(
        ops: Vec<Op>,
        inputs: usize,
        outputs: Vec<u32>,
        guards: Vec<Guard>,
        fused: bool,
    ) -> Self {
        let mut needed = vec![false; ops.len()];
        for place in outputs.iter().copied().chain(guards.iter().map(|guard| guard.value)) {
            needed[place as usize] = true;
        }
        for i in (0..ops.len()).rev() {
            if needed[i] {
                ops[i].operands().for_each(|place| needed[place as usize] = true);
            }
        }
        let mut names = vec![0; ops.len()];
        let mut kept = Vec::new();
        for (i, op) in ops.into_iter().enumerate().filter(|(i, _)| needed[*i]) {
            names[i] = kept.len() as u32;
            kept.push(op.renamed(|place| names[place as usize]));
        }
        let name = |place: u32| names[place as usize];
        Code {
            ops: kept,
            inputs,
            outputs: outputs.into_iter().map(name).collect(),
            guards: guards.into_iter().map(|guard| Guard { value: name(guard.value), ..guard }).collect(),
            fused,
        }
    }

    /// The operations in order.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// How many numbers are given.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The places of the results.
    pub fn outputs(&self) -> &[u32] {
        &self.outputs
    }

    /// What has to hold.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }

    /// Whether products and sums are rounded once.
    pub fn is_fused(&self) -> bool {
        self.fused
    }

    /// How many operations work something out.
    pub fn operations(&self) -> usize {
        self.ops.iter().filter(|op| !matches!(op, Op::Input(_) | Op::Constant(_))).count()
    }
}
