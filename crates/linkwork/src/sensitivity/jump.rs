//! The jump rule: what an event does to derivatives.
//!
//! At an event at the time t*, where g(t, y; p) = 0 and y⁺ = J(y⁻; p),
//!
//!   (J1)  δt* = −(g_y S + g_p) / ġ,     Y_j = J_y (S_j + f⁻ δt*) + J_p,     S_j⁺ = Y_j − f⁺ δt*
//!
//! δt* and Y_j, which is the change of y⁺ from event to event, are [differences](super::stencil) of neighbours on the line of y + ε S_j and p_j + ε, which are led over the event from a time
//! shortly before it. Corners of functions of time, whose times may depend on p as well, have J = 1.

use super::bundle::Bundle;
use super::record::{Record, Stretch};
use super::vicinity::Vicinity;
use super::{SensitivityError, Study};
use crate::Error;
use crate::results::row;
use crate::simulation::{Simulation, State};

/// Leads neighbours over events.
pub(super) struct Jumper<'v> {
    study: &'v Study<'v>,
    record: &'v Record,
    vicinity: &'v Vicinity,
    /// By variable, in the order of the stencil; made when first asked for.
    simulations: Vec<Vec<Simulation<'v>>>,
    row: Vec<f64>,
}

/// Derivatives of the kept columns by each variable, at the instant of an event from event to event: before and after it.
pub(super) struct Passed {
    pub before: Vec<Vec<f64>>,
    pub after: Vec<Vec<f64>>,
    /// δt* by variable.
    pub moved: Vec<f64>,
}

impl<'v> Jumper<'v> {
    pub fn new(study: &'v Study<'v>, record: &'v Record, vicinity: &'v Vicinity) -> Self {
        Jumper { study, record, vicinity, simulations: Vec::new(), row: Vec::new() }
    }

    /// The run of a neighbour.
    pub fn simulation(&mut self, j: usize, k: usize) -> Result<&mut Simulation<'v>, Error> {
        self.simulations.resize_with(self.vicinity.variables(), Vec::new);
        if self.simulations[j].is_empty() {
            let all = self.vicinity.lines[j].iter().map(|mechanism| mechanism.simulation());
            self.simulations[j] = all.collect::<Result<Vec<_>, _>>()?;
        }
        Ok(&mut self.simulations[j][k])
    }

    /// (J1) from what there is at a time near the event; `after` is the nominal state after it.
    pub fn pass(
        &mut self,
        bundle: &mut Bundle<'v>,
        stretch: &Stretch,
        near: f64,
        from: &[f64],
        whole: &mut [f64],
        after: &State,
    ) -> Result<Passed, SensitivityError> {
        let n = bundle.layout.n;
        let y_after = bundle.nominal.enter(after)?;
        let mut f_after = vec![0.0; n];
        if !stretch.finished {
            bundle.nominal.derivative(stretch.to, &y_after, &mut f_after)?;
        }
        let (record, vicinity) = (self.record, self.vicinity);
        let mut passed = Passed { before: Vec::new(), after: Vec::new(), moved: Vec::new() };
        for j in 0..vicinity.variables() {
            let epsilon = vicinity.epsilons[j];
            let (mut times, mut ends, mut rows) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
            for (k, multiple) in vicinity.stencil.multiples.iter().enumerate() {
                let moved = |i: usize| from[i] + multiple * epsilon * from[bundle.layout.at(j, i)];
                let y: Vec<f64> = (0..n).map(moved).collect();
                let state = bundle.line(j)?[k].state(near, &y);
                let (variable, unit) = (&self.study.designs[j].name, &self.study.designs[j].unit);
                let (variable, unit) = (variable.clone(), unit.clone());
                let simulation = self.simulation(j, k)?;
                simulation.events();
                simulation.set_state(&state)?;
                simulation.events();
                simulation.watch_pieces(record.pieces());
                record.lead(simulation, stretch, 1.5 * (stretch.to - near)).map_err(|source| {
                    let change = multiple * epsilon;
                    SensitivityError::Variable { variable, unit, change, source: Box::new(source) }
                })?;
                times.push(simulation.t());
                let state = simulation.state();
                ends.push(bundle.line(j)?[k].enter(&state)?);
                let simulation = self.simulation(j, k)?;
                let pieces = simulation.take_pieces();
                let width = record.columns.len();
                let end = pieces.list.last().map_or(&[][..], |piece| &piece.rows[piece.rows.len() - width..]);
                rows[0].push(end.to_vec());
                let mut all = std::mem::take(&mut self.row);
                row(&vicinity.lines[j][k], self.simulation(j, k)?.sample()?, &mut all);
                rows[1].push(record.columns.iter().map(|&c| all[c]).collect::<Vec<f64>>());
                self.row = all;
            }
            let moved = vicinity.slope(j, &times);
            for i in 0..n {
                let values: Vec<f64> = ends.iter().map(|y| y[i]).collect();
                whole[bundle.layout.at(j, i)] = vicinity.slope(j, &values) - f_after[i] * moved;
            }
            let by_column = |rows: &[Vec<f64>]| -> Vec<f64> {
                (0..record.columns.len())
                    .map(|c| vicinity.slope(j, &rows.iter().map(|row| row[c]).collect::<Vec<_>>()))
                    .collect()
            };
            passed.before.push(by_column(&rows[0]));
            passed.after.push(by_column(&rows[1]));
            passed.moved.push(moved);
        }
        whole[..n].copy_from_slice(&y_after);
        Ok(passed)
    }

    /// S over a corner of a function of time, whose time may move.
    pub fn turn_corner(
        &mut self,
        bundle: &mut Bundle<'v>,
        stretch: &Stretch,
        whole: &mut [f64],
    ) -> Result<(), SensitivityError> {
        if stretch.at_stop {
            return Ok(());
        }
        let n = bundle.layout.n;
        for j in 0..self.vicinity.variables() {
            let line = self.vicinity.lines[j].iter();
            let times: Vec<f64> = line.map(|mechanism| mechanism.next_edge(stretch.from)).collect();
            if times.iter().all(|&t| t == stretch.to) {
                continue;
            }
            let moved = self.vicinity.slope(j, &times);
            let [mut before, mut after] = [vec![0.0; n], vec![0.0; n]];
            bundle.nominal.derivative(stretch.to.next_down(), &whole[..n], &mut before)?;
            bundle.nominal.derivative(stretch.to, &whole[..n], &mut after)?;
            for i in 0..n {
                whole[bundle.layout.at(j, i)] += (before[i] - after[i]) * moved;
            }
        }
        Ok(())
    }
}
