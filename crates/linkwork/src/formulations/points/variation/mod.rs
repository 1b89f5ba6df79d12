//! Point coordinates differentiated along directions: (V1) and (V2) of [`variational`](crate::formulations::Variational).
//!
//! Rows are quadratic and masses constant, so that δR and δG are sums of products, exact to rounding. With s and w the vectors of a row between nodes, κ its factor,
//! λ its multiplier, r, ṙ, r̈ positions, velocities and accelerations of nodes,
//!
//!   (P1)  Aᵀλ:  κ λ w on the ends of s, κ λ s on those of w;    of a distance κ = 1/L and s = w = d, once
//!   (P2)  G  =  κ (s̈·w + s·ẅ + 2 ṡ·ẇ);                          of a distance κ (d·d̈ + ḋ·ḋ)
//!   (P3)  δr =  Σ w_b δq_b + Σ δw_b q_b + δconstant,   δr̈ = Σ δw_b q̈_b,   δ of a sum over nodes that is brought to the coordinates likewise
//!
//! What a number of the model changes in κ, w_b, masses, constant forces and springs stands in sparse tables ([`Direction`]). Couplings and actions are differentiated
//! on a tape that serves instants, and otherwise by whoever calls, along the line ([`Variational::remain`]).
//! Several directions go side by side (`forward`): the nominal instant is read once for all of them.

mod forward;
mod reverse;
mod tables;

use super::Points;
use super::series::jets::{From, Jets};
use super::series::readings::Readings;
use super::series::tangents::Written;
use crate::formulations::{MotionError, Neighbours, NotCovered, Variational};
use crate::integrate::System;
use crate::linalg::tape::Tangents;
use crate::linalg::vec3::Vec3;
use reverse::Sums;
use std::ops::Range;
use tables::Direction;

/// What the variables change, and room for what goes side by side.
#[derive(Clone, Debug)]
pub struct Directions {
    list: Vec<Direction>,
    blocks: Vec<Block>,
    /// What of couplings and actions has to be differentiated along the line, and why.
    on_line: Vec<String>,
    /// Which columns of results can be read.
    known: Vec<bool>,
    /// What the numbers of the tables weigh, once weights go back.
    sums: Option<Sums>,
}

/// Variables that go side by side.
#[derive(Clone, Debug)]
struct Block {
    variables: Range<usize>,
    /// 1, 2, 4 or 8, as many as there are variables or more.
    lanes: usize,
    /// Couplings and actions along them, where these are on a tape.
    tangents: Option<Tangents>,
    /// Columns of results along them.
    columns: Option<Tangents>,
}

/// How many variables go side by side at most.
const WIDEST: usize = 8;

impl Directions {
    /// What of couplings and actions has to be differentiated along each direction ([`Variational::remain`]): whose it is, and why. Nothing where all are on a tape.
    pub fn on_line(&self) -> &[String] {
        &self.on_line
    }

    /// Which columns of results [`Variational::vary_columns`] knows.
    pub fn known(&self) -> &[bool] {
        &self.known
    }

    /// The variables of each block, and how many numbers stand for them side by side.
    pub fn blocks(&self) -> impl Iterator<Item = (Range<usize>, usize)> {
        self.blocks.iter().map(|block| (block.variables.clone(), block.lanes))
    }
}

/// Buffers, each for as many directions as go side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Varied {
    /// δr, δṙ and δr̈ of the nodes.
    r: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    /// δ(Aᵀλ − f) at nodes.
    felt: Vec<f64>,
    /// −δR, −δG, δu̇, δλ.
    f: Vec<f64>,
    g: Vec<f64>,
    acceleration: Vec<f64>,
    lambda: Vec<f64>,
    power: Vec<f64>,
    /// Aᵀλ − f at nodes, for directions that change what nodes are.
    here: Vec<Vec3>,
    /// How often the solution of the instant was refined.
    refinements: u32,
    /// Couplings and actions, where they are on a tape.
    written: Option<Box<Written>>,
    /// Columns of results.
    readings: Option<Box<Readings>>,
}

/// Makes room for vectors of L.
#[inline(always)]
fn room<const L: usize>(list: &mut Vec<f64>, n: usize) -> &mut [[f64; L]] {
    list.resize(n * L, 0.0);
    list.as_chunks_mut::<L>().0
}

impl Points<'_> {
    /// A time until which functions of time keep their course.
    fn middle(&self, t: f64) -> f64 {
        let next = self.mechanism.next_edge(t);
        if next > t { 0.5 * (t + next) } else { t + 1e-9 * (1.0 + t.abs()) }
    }
}

impl Points<'_> {
    fn vary_columns_in<const L: usize>(
        &self,
        directions: &mut Directions,
        block: usize,
        s: &[f64],
        out: &mut [f64],
    ) {
        let n = self.core.nq;
        let (s, out) = (s.as_chunks::<L>().0, out.as_chunks_mut::<L>().0);
        if let (Some(readings), Some(tangents)) =
            (&self.varied.readings, &mut directions.blocks[block].columns)
        {
            readings.vary(tangents, [&s[..n], &s[n..2 * n], &s[2 * n..]], out);
        }
    }
}

impl Variational for Points<'_> {
    fn directions(&mut self, neighbours: &Neighbours<'_>, columns: &[usize]) -> Result<Directions, String> {
        let list = Direction::all(neighbours)?;
        let mut on_line = Vec::new();
        self.varied.written = None;
        if self.core.active {
            match Written::new(neighbours) {
                Ok(written) => self.varied.written = Some(Box::new(written)),
                Err(missing) => {
                    on_line = missing
                        .iter()
                        .map(|missing| format!("{}: {}", missing.element, missing.why))
                        .collect();
                }
            }
        }
        let readings = Readings::new(neighbours, columns);
        let mut blocks = Vec::new();
        for first in (0..list.len()).step_by(WIDEST) {
            let variables = first..list.len().min(first + WIDEST);
            let lanes = variables.len().next_power_of_two();
            let tangents =
                self.varied.written.as_ref().map(|written| written.tangents(variables.clone(), lanes));
            let columns = Some(readings.tangents(variables.clone(), lanes));
            blocks.push(Block { variables, lanes, tangents, columns });
        }
        let known = readings.known().collect();
        self.varied.readings = Some(Box::new(readings));
        Ok(Directions { list, blocks, on_line, known, sums: None })
    }

    fn begin(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let before = self.core.counters.solves;
        self.derivative(t, y, dy)?;
        self.varied.refinements = (self.core.counters.solves - before).saturating_sub(1) as u32;
        self.mechanism.maps.rates(&self.core.acceleration, &mut self.a);
        let middle = self.middle(t);
        if let Some(written) = &mut self.varied.written {
            let n = self.core.nq;
            let turns = &y[2 * n + 1..][..self.mechanism.interactions.hints];
            written.look_at(t, middle, [&y[..n], &y[n..2 * n]], turns);
        }
        Ok(())
    }

    fn remainders(&self) -> usize {
        let couplings = self.core.lambda.len() - self.core.joint_rows;
        self.core.nq + couplings + 1 + self.mechanism.interactions.auxiliary()
    }

    fn held(&self) -> [&[f64]; 2] {
        [&self.core.acceleration, &self.core.lambda]
    }

    fn remain(&mut self, t: f64, y: &[f64], [acceleration, lambda]: [&[f64]; 2], out: &mut [f64]) {
        let mechanism = self.mechanism;
        let at = self.core.at(t, y);
        let (n, first) = (at.q.len(), self.core.joint_rows);
        self.stamp.clear();
        self.locate(t, at.q, at.u, at.auxiliary);
        mechanism.maps.rates(at.u, &mut self.v);
        let gamma = &mut self.core.gamma[first..];
        mechanism.coupling_jacobian(&self.core.interactions, &self.r, &mut self.kkt, gamma);
        let (f, rest) = out.split_at_mut(n);
        let (rows, rest) = rest.split_at_mut(lambda.len() - first);
        self.force.fill(0.0);
        let mut power = self.action_forces(t, at.auxiliary);
        power += self.core.interactions.drive_power(&lambda[first..]);
        for (f, force) in f.iter_mut().zip(&self.force) {
            *f = -force;
        }
        for (i, row) in rows.iter_mut().enumerate() {
            self.kkt.add_row(first + i, lambda[first + i], f);
            *row = self.kkt.row_times(first + i, acceleration) - self.core.gamma[first + i];
        }
        rest[0] = power;
        self.core.interactions.auxiliary_rates(&mechanism.interactions, t, at.auxiliary, &mut rest[1..]);
    }

    fn vary(
        &mut self,
        y: &[f64],
        directions: &mut Directions,
        block: usize,
        remainders: &[f64],
        s: &[f64],
        ds: &mut [f64],
    ) {
        let Directions { list, blocks, .. } = directions;
        self.vary_block(y, list, &mut blocks[block], remainders, s, ds);
    }

    fn prepare_jets(
        &mut self,
        neighbours: &Neighbours<'_>,
        directions: &Directions,
        order: usize,
    ) -> Result<(), Vec<NotCovered>> {
        self.jets = Some(Box::new(Jets::new(neighbours, order, directions.blocks())?));
        Ok(())
    }

    fn expand_jets(&mut self, t: f64, whole: &[f64], out: &mut [f64]) -> Result<(), MotionError> {
        out.fill(f64::NAN);
        let n = self.core.nq;
        let mechanism = self.mechanism;
        let size = 2 * n + 1 + mechanism.interactions.auxiliary();
        let y = &whole[..size];
        self.factor_at(self.core.at(t, y))?;
        let (first, couplings) = (self.core.joint_rows, &mechanism.interactions.couplings);
        let switches = &self.core.interactions.switches;
        let on = |r: usize| {
            let coupling = r.checked_sub(first).map(|r| &couplings[r]);
            coupling.and_then(|coupling| coupling.held).is_none_or(|(switch, _)| switches[switch])
        };
        let from = From {
            t,
            middle: self.middle(t),
            qv: &y[..2 * n],
            turns: &y[2 * n + 1..][..mechanism.interactions.hints],
            on: &on,
        };
        if let Some(jets) = &mut self.jets {
            jets.expand(&mut self.kkt, &from, size, whole, out);
        }
        Ok(())
    }

    fn read_columns(&mut self, t: f64, y: &[f64]) {
        let middle = self.middle(t);
        if let Some(readings) = &mut self.varied.readings {
            let n = self.core.nq;
            let turns = &y[2 * n + 1..][..self.mechanism.interactions.hints];
            readings.look_at(t, middle, [&y[..n], &y[n..2 * n]], turns);
        }
    }

    fn weigh(&mut self, directions: &mut Directions, lanes: usize) {
        let mut sums = Sums::new(&directions.list, lanes);
        sums.written = self.varied.written.as_ref().map(|written| written.weighed(lanes));
        sums.readings = self.varied.readings.as_ref().map(|readings| readings.weighed(lanes));
        directions.sums = Some(sums);
    }

    fn pull_back(&mut self, y: &[f64], directions: &mut Directions, ds: &[f64], s: &mut [f64]) {
        self.pull_back_in(y, directions, ds, s);
    }

    fn pull_columns_back(&mut self, directions: &mut Directions, columns: &[f64], s: &mut [f64]) {
        let Some(sums) = &mut directions.sums else { return };
        match sums.lanes() {
            1 => self.columns_back::<1>(sums, columns, s),
            2 => self.columns_back::<2>(sums, columns, s),
            4 => self.columns_back::<4>(sums, columns, s),
            _ => self.columns_back::<8>(sums, columns, s),
        }
    }

    fn column_values(&self, y: &[f64], out: &mut [f64]) {
        if let Some(readings) = &self.varied.readings {
            readings.values(&y[2 * self.core.nq..], out);
        }
    }

    fn weighed(&self, directions: &Directions, variable: usize, out: &mut [f64]) {
        out.fill(0.0);
        let Some(sums) = &directions.sums else { return };
        sums.by(variable, out);
        if let (Some(written), Some(weighed)) = (&self.varied.written, &sums.written) {
            written.weighed_by(weighed, variable, out);
        }
        if let (Some(readings), Some(weighed)) = (&self.varied.readings, &sums.readings) {
            readings.weighed_by(weighed, variable, out);
        }
    }

    fn vary_columns(&mut self, directions: &mut Directions, block: usize, s: &[f64], out: &mut [f64]) {
        match directions.blocks[block].lanes {
            1 => self.vary_columns_in::<1>(directions, block, s, out),
            2 => self.vary_columns_in::<2>(directions, block, s, out),
            4 => self.vary_columns_in::<4>(directions, block, s, out),
            _ => self.vary_columns_in::<8>(directions, block, s, out),
        }
    }
}
