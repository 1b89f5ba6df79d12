//! Couplings and actions differentiated along directions, with what the tape has of them at an instant.
//!
//! A row of a coupling says A v = w ḣ, so at an instant A v̇ + Ȧ v = w ḧ, and
//!
//!   (T1)  δ(Aᵀλ) = δAᵀ λ,   δG = δA v̇ + δȦ v + Ȧ δv − w δḧ          v̇ and λ held
//!
//! Forces, powers and joint angles are nodes of the tape.

use super::Source;
use crate::formulations::NotCovered;
use crate::linalg::tape::{Changes, Level, Start, Tangents};
use crate::mechanism::Mechanism;

/// The orders that an instant needs: ḧ is the highest.
const ORDER: usize = 1;

/// Couplings and actions of a mechanism at an instant.
#[derive(Clone, Debug)]
pub(in crate::formulations::points) struct Written(Source);

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

fn add<const L: usize>(x: &mut [f64; L], c: f64, y: &[f64; L]) {
    (0..L).for_each(|k| x[k] += c * y[k]);
}

impl Written {
    pub fn new(mechanism: &Mechanism) -> Result<Self, Vec<NotCovered>> {
        super::series_of(mechanism, ORDER).map(Written)
    }

    /// What a number of the model changes, from neighbours with the weights of a difference; `None` if what is written of one of them has another shape.
    pub fn changes(&self, stencil: &[(f64, &Written)]) -> Option<Changes> {
        let same_rows = |other: &Source| {
            let rows = self.0.couplings.iter().zip(&other.couplings);
            let nodes = |list: &[(usize, crate::linalg::tape::Node)]| list.to_vec();
            self.0.couplings.len() == other.couplings.len()
                && rows.into_iter().all(|(a, b)| {
                    nodes(&a.entries) == nodes(&b.entries)
                        && a.drive.is_some() == b.drive.is_some()
                        && a.drive.zip(b.drive).is_none_or(|((w, h), (v, i))| w == v && h == i)
                })
        };
        let same = |other: &Source| {
            self.0.forces == other.forces
                && self.0.power == other.power
                && self.0.hints == other.hints
                && same_rows(other)
        };
        if !stencil.iter().all(|(_, other)| same(&other.0)) {
            return None;
        }
        let tapes: Vec<_> = stencil.iter().map(|(weight, other)| (*weight, &other.0.tape)).collect();
        self.0.tape.changes(&tapes)
    }

    pub fn tangents(&self, directions: &[&Changes]) -> Tangents {
        self.0.tape.tangents(directions)
    }

    /// Works out everything at an instant; `middle` is a time until which functions of time keep their course.
    pub fn look_at(&mut self, t: f64, middle: f64, [q, v]: [&[f64]; 2], turns: &[f64]) {
        let start = Start { t, middle, turns };
        let tape = &mut self.0.tape;
        tape.begin(&start);
        tape.positions(0, &start, q);
        tape.positions(1, &start, v);
        tape.rates(0, &start);
    }

    /// Adds derivatives of R and of the power, and writes those of G and of the rates of auxiliary states.
    pub fn vary<const L: usize>(
        &self,
        tangents: &mut Tangents,
        [dq, dv]: [&[[f64; L]]; 2],
        held: Held<'_>,
        into: Into<'_, L>,
    ) {
        let Source { tape, couplings, forces, power, hints, .. } = &self.0;
        for m in 0..=tape.order() {
            tape.vary(Level::Time, m, dq, tangents);
        }
        tape.vary(Level::Positions, 0, dq, tangents);
        tape.vary(Level::Positions, 1, dv, tangents);
        tape.vary(Level::Rates, 0, dq, tangents);
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
            if let Some((w, h)) = row.drive {
                add(g, -2.0 * w, &varied(h, 2));
                // Φ_t = −w ḣ
                add(into.power, -w * held.lambda[r], &varied(h, 1));
            }
        }
        into.auxiliary.fill([0.0; L]);
        for &(hint, node) in hints {
            into.auxiliary[hint] = varied(node, 1);
        }
    }
}
