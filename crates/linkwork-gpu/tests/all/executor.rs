//! Runs the text of a kernel, instruction by instruction: the twenty instructions that the kernels use, as the PTX manual defines them.

use linkwork::straight::{Accelerator, AcceleratorError, Columns, Program, Steps};
use linkwork_gpu::ptx;
use std::collections::HashMap;

/// Where lists begin; constants come first.
const STATES: u64 = 1 << 40;
const PARAMETERS: u64 = 2 << 40;
const VOID: u64 = 3 << 40;
/// Threads of a block.
const BLOCK: u64 = 32;

/// A device of paper.
#[derive(Debug, Default)]
pub struct Paper;

#[derive(Clone, Debug)]
enum Operand {
    Register(usize),
    Bits(u64),
}

#[derive(Debug)]
struct Instruction {
    /// A register that has to be true, or false.
    only: Option<(usize, bool)>,
    code: String,
    operands: Vec<Operand>,
    /// Where a branch leads.
    to: usize,
}

#[derive(Debug, Default)]
struct Kernel {
    list: Vec<Instruction>,
    registers: HashMap<String, usize>,
    constants: Vec<f64>,
}

/// The thread's number comes in the three special registers; parameters of the entry are registers of their own.
const SPECIAL: [&str; 3] = ["%ctaid.x", "%ntid.x", "%tid.x"];
const GIVEN: [&str; 7] = ["all_states", "all_parameters", "all_void", "variants", "steps", "size", "last"];

impl Kernel {
    fn register(&mut self, name: &str) -> usize {
        let next = self.registers.len();
        *self.registers.entry(name.to_owned()).or_insert(next)
    }

    fn read(text: &str) -> Kernel {
        let mut kernel = Kernel::default();
        for name in SPECIAL.iter().chain(&GIVEN) {
            kernel.register(name);
        }
        let (mut labels, mut tables, mut branches) = (HashMap::new(), HashMap::new(), Vec::new());
        let entry = text.split_once("{\n").map_or("", |_| text);
        for line in entry.lines().map(str::trim) {
            if let Some(table) = line.strip_prefix(".const .align 8 .f64 ") {
                let (name, values) = table.split_once('[').unwrap();
                tables.insert(name.to_owned(), 8 * kernel.constants.len() as u64);
                let values = values.split_once('{').unwrap().1.trim_end_matches("};");
                kernel.constants.extend(values.split(", ").map(|x| f64::from_bits(number(x).unwrap())));
            } else if let Some(label) = line.strip_suffix(':') {
                labels.insert(label.to_owned(), kernel.list.len());
            } else if let Some(line) = line.strip_suffix(';').filter(|line| !line.starts_with('.')) {
                let (guard, line) = match line.strip_prefix('@') {
                    Some(rest) => rest.split_once(' ').map(|(guard, line)| (Some(guard), line)).unwrap(),
                    None => (None, line),
                };
                let only = guard.map(|guard| match guard.strip_prefix('!') {
                    Some(name) => (kernel.register(name), false),
                    None => (kernel.register(guard), true),
                });
                let (code, operands) = line.split_once(' ').unwrap_or((line, ""));
                if code == "bra" {
                    branches.push((kernel.list.len(), operands.to_owned()));
                }
                let operands = operands.split(", ").filter(|name| !name.is_empty() && code != "bra");
                let operands = operands
                    .map(|name| name.trim_matches(['[', ']']))
                    .map(|name| match (number(name), tables.get(name)) {
                        (Some(bits), _) => Operand::Bits(bits),
                        (None, Some(place)) => Operand::Bits(*place),
                        _ => Operand::Register(kernel.register(name)),
                    })
                    .collect();
                kernel.list.push(Instruction { only, code: code.to_owned(), operands, to: 0 });
            }
        }
        for (at, label) in branches {
            kernel.list[at].to = labels[&label];
        }
        kernel
    }

    /// One thread.
    fn run(&self, thread: u64, given: &[u64; 7], columns: &mut Columns, void: &mut [u8]) {
        let mut registers = vec![0_u64; self.registers.len()];
        registers[..3].copy_from_slice(&[thread / BLOCK, BLOCK, thread % BLOCK]);
        registers[3..10].copy_from_slice(given);
        let mut at = 0;
        loop {
            let Instruction { only, code, operands, to } = &self.list[at];
            at += 1;
            if only.is_some_and(|(register, wanted)| (registers[register] != 0) != wanted) {
                continue;
            }
            let bits = |k: usize| match operands[k] {
                Operand::Register(register) => registers[register],
                Operand::Bits(bits) => bits,
            };
            let x = |k: usize| f64::from_bits(bits(k));
            let place = |address: u64, base: u64| ((address - base) / 8) as usize;
            let result = match code.as_str() {
                "ret" => return,
                "bra" => {
                    at = *to;
                    continue;
                }
                "mov.u32" | "mov.u64" | "mov.f64" | "cvt.u64.u32" => bits(1),
                "ld.param.u64" | "ld.param.f64" => bits(1),
                "mad.lo.u64" => bits(1).wrapping_mul(bits(2)).wrapping_add(bits(3)),
                "add.u64" => bits(1).wrapping_add(bits(2)),
                "shl.b64" => bits(1) << bits(2),
                "setp.ge.u64" => u64::from(bits(1) >= bits(2)),
                "setp.eq.u64" => u64::from(bits(1) == bits(2)),
                "setp.lt.u64" => u64::from(bits(1) < bits(2)),
                "setp.lt.f64" => u64::from(x(1) < x(2)),
                "selp.f64" => {
                    if bits(3) != 0 {
                        bits(1)
                    } else {
                        bits(2)
                    }
                }
                "ld.const.f64" => self.constants[place(bits(1), 0)].to_bits(),
                "ld.global.f64" if bits(1) >= PARAMETERS => {
                    columns.parameters[place(bits(1), PARAMETERS)].to_bits()
                }
                "ld.global.f64" => columns.states[place(bits(1), STATES)].to_bits(),
                "ld.global.u8" => u64::from(void[(bits(1) - VOID) as usize]),
                "st.global.f64" => {
                    columns.states[place(bits(0), STATES)] = x(1);
                    continue;
                }
                "st.global.u8" => {
                    void[(bits(0) - VOID) as usize] = bits(1) as u8;
                    continue;
                }
                "add.rn.f64" => (x(1) + x(2)).to_bits(),
                "sub.rn.f64" => (x(1) - x(2)).to_bits(),
                "mul.rn.f64" => (x(1) * x(2)).to_bits(),
                "div.rn.f64" => (x(1) / x(2)).to_bits(),
                "rcp.rn.f64" => (1.0 / x(1)).to_bits(),
                "fma.rn.f64" => x(1).mul_add(x(2), x(3)).to_bits(),
                "neg.f64" => (-x(1)).to_bits(),
                "abs.f64" => x(1).abs().to_bits(),
                "sqrt.rn.f64" => x(1).sqrt().to_bits(),
                other => panic!("an instruction that no kernel should have: {other}"),
            };
            let Operand::Register(register) = operands[0] else {
                panic!("a result goes to a register: {code}")
            };
            registers[register] = result;
        }
    }
}

/// A number as it is written.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0d") {
        Some(bits) => u64::from_str_radix(bits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl Accelerator for Paper {
    fn name(&self) -> &str {
        "paper"
    }

    fn most_operations(&self) -> usize {
        usize::MAX
    }

    fn variants_at_a_time(&self) -> usize {
        1000
    }

    fn run(&self, program: &Program, steps: Steps, columns: &mut Columns) -> Result<(), AcceleratorError> {
        let kernel = Kernel::read(&ptx::text(program));
        let n = columns.variants as u64;
        let mut void = vec![0; columns.variants];
        let given = [STATES, PARAMETERS, VOID, n, steps.count, steps.size.to_bits(), steps.last.to_bits()];
        // threads beyond the variants have to end by themselves
        for thread in 0..n.next_multiple_of(BLOCK) {
            kernel.run(thread, &given, columns, &mut void);
        }
        columns.void = void.into_iter().map(|flag| flag != 0).collect();
        Ok(())
    }
}
