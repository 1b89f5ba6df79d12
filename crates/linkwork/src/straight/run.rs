//! Straight-line code on the processor: each operation for many variants before the next.
//!
//! The numbers of a block of variants stand side by side, so that an operation fills the registers of the machine and its cost is hardly more than its arithmetic. Numbers that are needed no
//! longer give their room to others: what is in use stays in the nearest memory.

use super::code::{Code, Op};
use super::program::{Columns, Method, Program, Steps};
use crate::recursive::lane::{Lane, Many, PACK, Pack, Part, Sink, Source};
use pulp::{Arch, Simd, WithSimd};
use std::cmp::Ordering;

/// Packs of a block.
const PACKS: usize = 8;
/// Variants of a block.
pub const BLOCK: usize = PACKS * PACK;

/// A number of each variant of a block.
type Row = [Pack; PACKS];
const ZERO: Row = [Pack([0.0; PACK]); PACKS];

/// Whether this machine multiplies and adds with one rounding.
pub(crate) fn fuses() -> bool {
    struct Probe;
    impl WithSimd for Probe {
        type Output = bool;
        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> bool {
            // (1 + 2⁻²⁷)² has more digits than a number holds: what the product lacks is there only if it was not rounded before the sum
            let x = 1.0 + f64::from(2_u32.pow(27)).recip();
            let x = simd.splat_f64s(x);
            let product = simd.mul_f64s(x, x);
            let rest = simd.mul_add_e_f64s(x, x, simd.neg_f64s(product));
            simd.reduce_sum_f64s(rest) != 0.0
        }
    }
    Arch::new().dispatch(Probe)
}

/// A code with room for its numbers.
#[derive(Clone, Debug)]
struct Machine {
    /// Operations on rooms, and the room of each result.
    ops: Vec<(Op, u32)>,
    outputs: Vec<u32>,
    guards: Vec<(u32, f64)>,
    rooms: Vec<Row>,
}

impl Machine {
    fn new(code: &Code) -> Self {
        let n = code.ops().len();
        let mut last = vec![0; n];
        for (i, op) in code.ops().iter().enumerate() {
            last[i] = i;
            op.operands().for_each(|place| last[place as usize] = i);
        }
        for place in code.outputs().iter().copied().chain(code.guards().iter().map(|guard| guard.value)) {
            last[place as usize] = usize::MAX;
        }
        let (mut room_of, mut free, mut count) = (vec![0_u32; n], Vec::new(), 0_u32);
        let mut ops = Vec::with_capacity(n);
        for (i, op) in code.ops().iter().enumerate() {
            let renamed = op.renamed(|place| room_of[place as usize]);
            let mut ended: Vec<u32> = op.operands().filter(|&place| last[place as usize] == i).collect();
            ended.sort_unstable();
            ended.dedup();
            free.extend(ended.into_iter().map(|place| room_of[place as usize]));
            room_of[i] = free.pop().unwrap_or_else(|| {
                count += 1;
                count - 1
            });
            ops.push((renamed, room_of[i]));
        }
        Machine {
            ops,
            outputs: code.outputs().iter().map(|&place| room_of[place as usize]).collect(),
            guards: code.guards().iter().map(|guard| (room_of[guard.value as usize], guard.bound)).collect(),
            rooms: vec![ZERO; count as usize],
        }
    }

    /// All operations for these inputs; the outputs are in their rooms then.
    #[inline(always)]
    fn go<S: Simd>(&mut self, simd: S, inputs: &[Row], void: &mut [bool; BLOCK]) {
        let rooms = &mut self.rooms[..];
        for &(op, to) in &self.ops {
            let to = to as usize;
            // the numbers of all variants, a register at a time
            macro_rules! all {
                ($($x:ident),* => $result:expr) => {
                    for pack in 0..PACKS {
                        for part in 0..Many::<S>::PARTS {
                            let token = Part { simd, part };
                            let value: Many<S> = {
                                $(let $x: Many<S> = rooms[$x as usize][pack].read(token);)*
                                $result
                            };
                            rooms[to][pack].write(token, value);
                        }
                    }
                };
            }
            match op {
                Op::Input(i) => rooms[to] = inputs[i as usize],
                Op::Constant(x) => rooms[to] = [Pack([x; PACK]); PACKS],
                Op::Add(a, b) => all!(a, b => a + b),
                Op::Sub(a, b) => all!(a, b => a - b),
                Op::Mul(a, b) => all!(a, b => a * b),
                Op::Div(a, b) => all!(a, b => a.over(b)),
                Op::Neg(a) => all!(a => -a),
                Op::MulAdd(a, b, c) => all!(a, b, c => a.mul_add(b, c)),
                Op::MulSub(a, b, c) => all!(a, b, c => a.mul_sub(b, c)),
                Op::Sqrt(a) => all!(a => a.sqrt()),
                Op::Abs(a) => all!(a => a.abs()),
                Op::PickLess(a, b, c, d) => all!(a, b, c, d => a.pick_less(b, c, d)),
            }
        }
        for &(room, bound) in &self.guards {
            let numbers = rooms[room as usize].iter().flat_map(|pack| &pack.0);
            for (void, x) in void.iter_mut().zip(numbers) {
                // a number that is none is not below anything
                *void |= x.partial_cmp(&bound) != Some(Ordering::Less);
            }
        }
    }

    #[inline(always)]
    fn output(&self, i: usize) -> &Row {
        &self.rooms[self.outputs[i] as usize]
    }
}

/// A program with room for a block of variants.
#[derive(Clone, Debug)]
pub struct Runner {
    rates: Machine,
    settled: Option<Machine>,
    method: Method,
    arch: Arch,
    /// A stage and the parameters.
    inputs: Vec<Row>,
    y: Vec<Row>,
    sum: Vec<Row>,
}

impl Runner {
    /// Room for a program.
    pub fn new(program: &Program) -> Self {
        Runner {
            rates: Machine::new(&program.rates),
            settled: program.settled.as_ref().map(Machine::new),
            method: program.method.clone(),
            arch: Arch::new(),
            inputs: vec![ZERO; program.rates.inputs()],
            y: vec![ZERO; program.states()],
            sum: vec![ZERO; program.states()],
        }
    }

    /// Moves all variants through the steps, block by block.
    ///
    /// # Panics
    /// If the columns are not as long as the program and the number of variants say.
    pub fn run(&mut self, steps: Steps, columns: &mut Columns) {
        let (n, states) = (columns.variants, self.y.len());
        assert_eq!(columns.states.len(), states * n, "states of all variants");
        assert_eq!(columns.parameters.len(), (self.inputs.len() - states) * n, "parameters of all variants");
        columns.void.clear();
        columns.void.resize(n, false);
        for first in (0..n).step_by(BLOCK) {
            let count = BLOCK.min(n - first);
            // rooms without a variant repeat the last one
            let gather = |list: &[f64], i: usize, row: &mut Row| {
                for (k, to) in row.iter_mut().flat_map(|pack| &mut pack.0).enumerate() {
                    *to = list[i * n + first + k.min(count - 1)];
                }
            };
            for (i, row) in self.y.iter_mut().enumerate() {
                gather(&columns.states, i, row);
            }
            for (i, row) in self.inputs[states..].iter_mut().enumerate() {
                gather(&columns.parameters, i, row);
            }
            let mut void = [false; BLOCK];
            let arch = self.arch;
            arch.dispatch(Block { runner: self, steps, void: &mut void });
            for (i, row) in self.y.iter().enumerate() {
                let to = &mut columns.states[i * n + first..][..count];
                to.iter_mut().zip(row.iter().flat_map(|pack| &pack.0)).for_each(|(to, x)| *to = *x);
            }
            columns.void[first..first + count].copy_from_slice(&void[..count]);
        }
    }

    #[inline(always)]
    fn step<S: Simd>(&mut self, simd: S, h: f64, void: &mut [bool; BLOCK]) {
        let Runner { rates, settled, method, inputs, y, sum, .. } = self;
        let states = y.len();
        inputs[..states].copy_from_slice(y);
        for (s, &weight) in method.weights.iter().enumerate() {
            rates.go(simd, inputs, void);
            for i in 0..states {
                let k = rates.output(i);
                for pack in 0..PACKS {
                    for lane in 0..PACK {
                        let k = k[pack].0[lane];
                        let sum = &mut sum[i][pack].0[lane];
                        *sum = if s == 0 { weight * k } else { *sum + weight * k };
                        if let Some(a) = method.stages.get(s) {
                            inputs[i][pack].0[lane] = y[i][pack].0[lane] + h * (a * k); // (P1)
                        }
                    }
                }
            }
        }
        let h = h / method.divisor;
        for (y, sum) in y.iter_mut().flatten().zip(sum.iter().flatten()) {
            (0..PACK).for_each(|lane| y.0[lane] += h * sum.0[lane]); // (P2)
        }
        if let Some(settled) = settled {
            settled.go(simd, y, void);
            for (i, y) in y.iter_mut().enumerate() {
                *y = *settled.output(i);
            }
        }
    }
}

/// The steps of a block.
struct Block<'a> {
    runner: &'a mut Runner,
    steps: Steps,
    void: &'a mut [bool; BLOCK],
}

impl WithSimd for Block<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Block { runner, steps, void } = self;
        for k in 0..steps.count {
            let h = if k + 1 == steps.count { steps.last } else { steps.size };
            runner.step(simd, h, void);
        }
    }
}
