//! Couplings and actions differentiated along directions, with what the tape has of them at an instant.
//!
//! A row of a coupling says A v = w ḣ, so at an instant A v̇ + Ȧ v = w ḧ, and
//!
//!   (T1)  δ(Aᵀλ) = δAᵀ λ,   δG = δA v̇ + δȦ v + Ȧ δv − w δḧ          v̇ and λ held
//!
//! Forces, powers and joint angles are nodes of the tape.

use super::gauges::RowSeries;
use super::text::Text;
use crate::formulations::Neighbours;
use crate::formulations::NotCovered;
use crate::linalg::tape::{Level, Node, Start, Tangents, Tape, Varied, Weighed};
use std::ops::Range;

/// The orders that an instant needs: ḧ is the highest.
pub(super) const ORDER: usize = 1;

/// Couplings and actions of a mechanism at an instant, with what is varied in them.
#[derive(Clone, Debug)]
pub(in crate::formulations::points) struct Written {
    tape: Tape,
    couplings: Vec<RowSeries>,
    forces: Vec<(usize, Node)>,
    power: Node,
    hints: Vec<(usize, Node)>,
}

/// Works out a tape at an instant; `middle` is a time until which functions of time keep their course.
pub(super) fn fill(tape: &mut Tape, t: f64, middle: f64, [q, v]: [&[f64]; 2], turns: &[f64]) {
    let start = Start { t, middle, turns };
    tape.begin(&start);
    tape.positions(0, &start, q);
    tape.positions(1, &start, v);
    tape.rates(0, &start);
}

/// Works out the derivatives of all that [`fill`] has worked out.
#[inline(always)]
pub(super) fn vary<const L: usize>(tape: &Tape, tangents: &mut Tangents, [dq, dv]: [&[[f64; L]]; 2]) {
    for m in 0..=tape.order() {
        tape.vary(Level::Time, m, dq, tangents);
    }
    tape.vary(Level::Positions, 0, dq, tangents);
    tape.vary(Level::Positions, 1, dv, tangents);
    tape.vary(Level::Rates, 0, dq, tangents);
}

/// The transpose of [`vary`].
#[inline(always)]
pub(super) fn pull_back<const L: usize>(tape: &Tape, weighed: &mut Weighed, [q, v]: [&mut [[f64; L]]; 2]) {
    tape.pull_back(Level::Rates, 0, q, weighed);
    tape.pull_back(Level::Positions, 1, v, weighed);
    tape.pull_back(Level::Positions, 0, q, weighed);
    for m in (0..=tape.order()).rev() {
        tape.pull_back(Level::Time, m, q, weighed);
    }
}

/// What R, G of the couplings, the power and the rates of auxiliary states weigh.
pub(in crate::formulations::points) struct Weights<'o, const L: usize> {
    pub f: &'o [[f64; L]],
    pub g: &'o [[f64; L]],
    pub power: &'o [f64; L],
    pub auxiliary: &'o [[f64; L]],
}

/// An instant with u̇ and λ of the couplings, and which of these are in force.
#[derive(Clone, Copy)]
pub(in crate::formulations::points) struct Held<'h> {
    pub v: &'h [f64],
    pub acceleration: &'h [f64],
    pub lambda: &'h [f64],
    pub on: &'h dyn Fn(usize) -> bool,
}

/// Where the derivatives of R, G of the couplings, the power and the rates of auxiliary states go.
pub(in crate::formulations::points) struct Into<'o, const L: usize> {
    pub f: &'o mut [[f64; L]],
    pub g: &'o mut [[f64; L]],
    pub power: &'o mut [f64; L],
    pub auxiliary: &'o mut [[f64; L]],
}

#[inline(always)]
fn add<const L: usize>(x: &mut [f64; L], c: f64, y: &[f64; L]) {
    (0..L).for_each(|k| x[k] += c * y[k]);
}

impl Written {
    pub fn new(neighbours: &Neighbours<'_>) -> Result<Self, Vec<NotCovered>> {
        let text = Text::<Varied>::new(neighbours, true)?;
        let outputs = text.outputs();
        Ok(Written {
            tape: text.scribe.tape.finish(ORDER + 1, &outputs),
            couplings: text.couplings,
            forces: text.forces,
            power: text.power,
            hints: text.hints,
        })
    }

    /// Room for derivatives by some of the variables, in as many lanes or more.
    pub fn tangents(&self, variables: Range<usize>, lanes: usize) -> Tangents {
        self.tape.tangents(variables, lanes)
    }

    /// Works out everything at an instant.
    pub fn look_at(&mut self, t: f64, middle: f64, qv: [&[f64]; 2], turns: &[f64]) {
        fill(&mut self.tape, t, middle, qv, turns);
    }

    /// Room for so many weights side by side.
    pub fn weighed(&self, lanes: usize) -> Weighed {
        self.tape.weighed(lanes)
    }

    /// The derivatives by a variable of all that has been weighed.
    pub fn weighed_by(&self, weighed: &Weighed, variable: usize, out: &mut [f64]) {
        self.tape.weighed_by(weighed, variable, out);
    }

    /// The transpose of [`vary`](Self::vary): adds to what coordinates and velocities weigh, from what R, G of the couplings, the power and the rates of auxiliary states weigh.
    #[inline(always)]
    pub fn pull_back<const L: usize>(
        &self,
        weighed: &mut Weighed,
        [q, v]: [&mut [[f64; L]]; 2],
        held: Held<'_>,
        from: &Weights<'_, L>,
    ) {
        let Written { tape, couplings, forces, power, hints } = self;
        weighed.clear();
        for &(i, node) in forces {
            weighed.weigh(tape, node, 0, &from.f[i].map(|x| -x));
        }
        weighed.weigh(tape, *power, 0, from.power);
        for (r, row) in couplings.iter().enumerate().filter(|(r, _)| (held.on)(*r)) {
            let g = &from.g[r];
            for &(i, node) in &row.entries {
                let mut da = from.f[i].map(|x| held.lambda[r] * x); // (T1)
                add(&mut da, held.acceleration[i], g);
                weighed.weigh(tape, node, 0, &da);
                weighed.weigh(tape, node, 1, &g.map(|x| held.v[i] * x));
                add(&mut v[i], tape.at(node, 1), g);
            }
            if let Some(h) = row.drive {
                weighed.weigh(tape, h, 2, &g.map(|x| -2.0 * x));
                weighed.weigh(tape, h, 1, &from.power.map(|x| -held.lambda[r] * x));
            }
        }
        for &(hint, node) in hints {
            weighed.weigh(tape, node, 1, &from.auxiliary[hint]);
        }
        pull_back(tape, weighed, [q, v]);
    }

    /// Adds derivatives of R and of the power, and writes those of G and of the rates of auxiliary states.
    #[inline(always)]
    pub fn vary<const L: usize>(
        &self,
        tangents: &mut Tangents,
        [dq, dv]: [&[[f64; L]]; 2],
        held: Held<'_>,
        into: Into<'_, L>,
    ) {
        let Written { tape, couplings, forces, power, hints } = self;
        vary(tape, tangents, [dq, dv]);
        let varied = |node, m| tape.varied::<L>(tangents, node, m);
        for &(i, node) in forces {
            add(&mut into.f[i], -1.0, &varied(node, 0));
        }
        add(into.power, 1.0, &varied(*power, 0));
        for (r, row) in couplings.iter().enumerate() {
            let g = &mut into.g[r];
            *g = [0.0; L];
            if !(held.on)(r) {
                continue;
            }
            for &(i, node) in &row.entries {
                let (da, da_dot) = (varied(node, 0), varied(node, 1));
                add(&mut into.f[i], held.lambda[r], &da); // (T1)
                add(g, held.acceleration[i], &da);
                add(g, held.v[i], &da_dot);
                add(g, tape.at(node, 1), &dv[i]);
            }
            if let Some(h) = row.drive {
                add(g, -2.0, &varied(h, 2));
                // Φ_t = −w ḣ
                add(into.power, -held.lambda[r], &varied(h, 1));
            }
        }
        into.auxiliary.fill([0.0; L]);
        for &(hint, node) in hints {
            into.auxiliary[hint] = varied(node, 1);
        }
    }
}
