//! The text of a kernel in PTX, the assembly language that every NVIDIA driver compiles.
//!
//! One thread moves one variant through all steps. The rates of the state are written once, inside a loop over the stages of the method; every sum, product and quotient says how it is
//! rounded, so that the driver can neither fuse nor split any.

use linkwork::straight::{Code, Op, Program};
use std::fmt::Write;

/// Names of the kernel's entry.
pub const ENTRY: &str = "linkwork_run";

/// The text for a program.
pub fn text(program: &Program) -> String {
    let mut out = String::new();
    let mut writer = Writer { out: &mut out, program };
    // writing to a string does not fail
    let _ = writer.write();
    out
}

struct Writer<'a> {
    out: &'a mut String,
    program: &'a Program,
}

/// A number as PTX writes it, bit by bit.
fn exact(x: f64) -> String {
    format!("0d{:016X}", x.to_bits())
}

impl Writer<'_> {
    fn write(&mut self) -> std::fmt::Result {
        let program = self.program;
        let (states, parameters) = (program.states(), program.parameters());
        let method = &program.method;
        let (rates, settled) = (&program.rates, program.settled.as_ref());
        let most = rates.ops().len().max(settled.map_or(0, |code| code.ops().len()));
        let out = &mut *self.out;
        writeln!(out, ".version 7.8\n.target sm_75\n.address_size 64")?;
        let table = |list: &mut dyn Iterator<Item = f64>| list.map(exact).collect::<Vec<_>>().join(", ");
        let stages = method.weights.len();
        let weights = table(&mut method.weights.iter().copied());
        let ahead = table(&mut method.stages.iter().copied().chain([0.0]));
        writeln!(out, ".const .align 8 .f64 weights[{stages}] = {{{weights}}};")?;
        writeln!(out, ".const .align 8 .f64 ahead[{stages}] = {{{ahead}}};")?;
        writeln!(
            out,
            ".visible .entry {ENTRY}(.param .u64 all_states, .param .u64 all_parameters, .param .u64 all_void, \
             .param .u64 variants, .param .u64 steps, .param .f64 size, .param .f64 last)\n{{"
        )?;
        writeln!(
            out,
            "    .reg .pred %p<8>;\n    .reg .pred %q<{most}>;\n    .reg .b32 %r<8>;\n    .reg .b64 %d<24>;"
        )?;
        writeln!(
            out,
            "    .reg .f64 %h<8>;\n    .reg .f64 %y<{states}>;\n    .reg .f64 %x<{states}>;\n    .reg .f64 %s<{states}>;"
        )?;
        writeln!(
            out,
            "    .reg .f64 %a<{}>;\n    .reg .f64 %f<{most}>;\n    .reg .f64 %g<{most}>;",
            parameters.max(1)
        )?;
        // which variant
        for line in [
            "mov.u32 %r0, %ctaid.x",
            "mov.u32 %r1, %ntid.x",
            "mov.u32 %r2, %tid.x",
            "cvt.u64.u32 %d0, %r0",
            "cvt.u64.u32 %d1, %r1",
            "cvt.u64.u32 %d2, %r2",
            "mad.lo.u64 %d0, %d0, %d1, %d2",
            "ld.param.u64 %d3, [variants]",
            "setp.ge.u64 %p0, %d0, %d3",
            "@%p0 bra END",
            "ld.param.u64 %d4, [all_states]",
            "ld.param.u64 %d5, [all_parameters]",
            "ld.param.u64 %d6, [all_void]",
            "ld.param.u64 %d7, [steps]",
            "ld.param.f64 %h0, [size]",
            "ld.param.f64 %h1, [last]",
            // in bytes from here on
            "shl.b64 %d8, %d0, 3",
            "shl.b64 %d9, %d3, 3",
            "add.u64 %d4, %d4, %d8",
            "add.u64 %d5, %d5, %d8",
            "add.u64 %d6, %d6, %d0",
            "mov.u64 %d10, %d4",
        ] {
            writeln!(out, "    {line};")?;
        }
        for i in 0..states {
            writeln!(out, "    ld.global.f64 %y{i}, [%d10];\n    add.u64 %d10, %d10, %d9;")?;
        }
        writeln!(out, "    mov.u64 %d10, %d5;")?;
        for i in 0..parameters {
            writeln!(out, "    ld.global.f64 %a{i}, [%d10];\n    add.u64 %d10, %d10, %d9;")?;
        }
        writeln!(out, "    ld.global.u8 %r3, [%d6];\n    mov.u64 %d11, 0;")?;
        writeln!(out, "STEP:\n    setp.ge.u64 %p1, %d11, %d7;\n    @%p1 bra DONE;")?;
        writeln!(
            out,
            "    add.u64 %d11, %d11, 1;\n    setp.eq.u64 %p2, %d11, %d7;\n    selp.f64 %h2, %h1, %h0, %p2;"
        )?;
        for i in 0..states {
            writeln!(out, "    mov.f64 %x{i}, %y{i};\n    mov.f64 %s{i}, {};", exact(0.0))?;
        }
        writeln!(out, "    mov.u64 %d12, 0;\n    mov.u64 %d13, weights;\n    mov.u64 %d14, ahead;\nSTAGE:")?;
        let input = |i: u32| match (i as usize).checked_sub(states) {
            None => format!("%x{i}"),
            Some(k) => format!("%a{k}"),
        };
        operations(out, rates, "%f", input)?;
        writeln!(out, "    ld.const.f64 %h3, [%d13];\n    ld.const.f64 %h4, [%d14];")?;
        for (i, &place) in rates.outputs().iter().enumerate() {
            let k = operand(rates, "%f", place);
            // (P1) and the sum of (P2)
            writeln!(out, "    mul.rn.f64 %h5, %h3, {k};\n    add.rn.f64 %s{i}, %s{i}, %h5;")?;
            writeln!(
                out,
                "    mul.rn.f64 %h5, %h4, {k};\n    mul.rn.f64 %h5, %h2, %h5;\n    add.rn.f64 %x{i}, %y{i}, %h5;"
            )?;
        }
        writeln!(out, "    add.u64 %d13, %d13, 8;\n    add.u64 %d14, %d14, 8;\n    add.u64 %d12, %d12, 1;")?;
        writeln!(out, "    setp.lt.u64 %p3, %d12, {stages};\n    @%p3 bra STAGE;")?;
        writeln!(out, "    div.rn.f64 %h2, %h2, {};", exact(method.divisor))?;
        for i in 0..states {
            writeln!(out, "    mul.rn.f64 %h5, %h2, %s{i};\n    add.rn.f64 %y{i}, %y{i}, %h5;")?;
        }
        if let Some(code) = settled {
            operations(out, code, "%g", |i| format!("%y{i}"))?;
            for (i, &place) in code.outputs().iter().enumerate() {
                writeln!(out, "    mov.f64 %x{i}, {};", operand(code, "%g", place))?;
            }
            for i in 0..states {
                writeln!(out, "    mov.f64 %y{i}, %x{i};")?;
            }
        }
        writeln!(out, "    bra STEP;\nDONE:")?;
        writeln!(out, "    mov.u64 %d10, %d4;")?;
        for i in 0..states {
            writeln!(out, "    st.global.f64 [%d10], %y{i};\n    add.u64 %d10, %d10, %d9;")?;
        }
        writeln!(out, "    st.global.u8 [%d6], %r3;\nEND:\n    ret;\n}}")
    }
}

/// A number of a code: its register, or itself.
fn operand(code: &Code, register: &str, place: u32) -> String {
    match code.ops()[place as usize] {
        Op::Constant(x) => exact(x),
        _ => format!("{register}{place}"),
    }
}

/// The operations of a code and what its guards look at.
fn operations(
    out: &mut String,
    code: &Code,
    register: &str,
    input: impl Fn(u32) -> String,
) -> std::fmt::Result {
    let of = |place: u32| operand(code, register, place);
    let one = |place: u32| code.ops()[place as usize] == Op::Constant(1.0);
    for (i, op) in code.ops().iter().enumerate() {
        let to = format!("{register}{i}");
        match *op {
            Op::Constant(_) => {}
            Op::Input(k) => writeln!(out, "    mov.f64 {to}, {};", input(k))?,
            Op::Add(a, b) => writeln!(out, "    add.rn.f64 {to}, {}, {};", of(a), of(b))?,
            Op::Sub(a, b) => writeln!(out, "    sub.rn.f64 {to}, {}, {};", of(a), of(b))?,
            Op::Mul(a, b) => writeln!(out, "    mul.rn.f64 {to}, {}, {};", of(a), of(b))?,
            Op::Div(a, b) if one(a) => writeln!(out, "    rcp.rn.f64 {to}, {};", of(b))?,
            Op::Div(a, b) => writeln!(out, "    div.rn.f64 {to}, {}, {};", of(a), of(b))?,
            Op::Neg(a) => writeln!(out, "    neg.f64 {to}, {};", of(a))?,
            Op::Sqrt(a) => writeln!(out, "    sqrt.rn.f64 {to}, {};", of(a))?,
            Op::Abs(a) => writeln!(out, "    abs.f64 {to}, {};", of(a))?,
            Op::MulAdd(a, b, c) if code.is_fused() => {
                writeln!(out, "    fma.rn.f64 {to}, {}, {}, {};", of(a), of(b), of(c))?;
            }
            Op::MulAdd(a, b, c) => {
                writeln!(
                    out,
                    "    mul.rn.f64 %h6, {}, {};\n    add.rn.f64 {to}, %h6, {};",
                    of(a),
                    of(b),
                    of(c)
                )?;
            }
            Op::MulSub(a, b, c) if code.is_fused() => {
                writeln!(
                    out,
                    "    neg.f64 %h6, {};\n    fma.rn.f64 {to}, %h6, {}, {};",
                    of(a),
                    of(b),
                    of(c)
                )?;
            }
            Op::MulSub(a, b, c) => {
                writeln!(
                    out,
                    "    mul.rn.f64 %h6, {}, {};\n    sub.rn.f64 {to}, {}, %h6;",
                    of(a),
                    of(b),
                    of(c)
                )?;
            }
            Op::PickLess(a, b, c, d) => {
                writeln!(
                    out,
                    "    setp.lt.f64 %q{i}, {}, {};\n    selp.f64 {to}, {}, {}, %q{i};",
                    of(a),
                    of(b),
                    of(c),
                    of(d)
                )?;
            }
        }
    }
    for guard in code.guards() {
        // a number that is none is not below anything
        writeln!(
            out,
            "    setp.lt.f64 %p4, {}, {};\n    @!%p4 mov.u32 %r3, 1;",
            of(guard.value),
            exact(guard.bound)
        )?;
    }
    Ok(())
}
