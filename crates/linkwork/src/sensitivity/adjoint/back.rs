//! The way back: what states weigh in quantities.

use super::super::SensitivityError;
use super::super::quantity::Take;
use super::super::stencil::FOUR;
use super::super::{Method, jump::Led};
use super::forth::{Item, Over, Way};
use super::trail::{Recalled, Step};
use crate::formulations::{Directions, MotionError, Variational};
use crate::integrate::STAGES;
use crate::results::row;
use std::f64::consts::TAU;

/// Quantities on their way back.
struct Weights {
    /// Which quantities, side by side, and how many numbers stand for them.
    quantities: Vec<usize>,
    lanes: usize,
    /// ȳ, lanes side by side.
    y: Vec<f64>,
    /// dJ/dp beside what the tables weigh: by variable, lanes side by side.
    by: Vec<f64>,
    /// Values at instants, and integrals over time of columns or of half their squares.
    values: Vec<f64>,
    areas: Vec<f64>,
    /// Ȳ_i, and k̄_i of a stage.
    stages: Vec<f64>,
    rates: Vec<f64>,
    /// What columns weigh, and their values.
    columns: Vec<f64>,
    shown: Vec<f64>,
    dy: Vec<f64>,
}

/// Whether a quantity is an integral, and of what: a column, or half its square.
pub(super) fn summed(take: Take) -> Option<bool> {
    match take {
        Take::Integral | Take::Mean => Some(false),
        Take::Rms => Some(true),
        _ => None,
    }
}

/// x += c y
fn add(x: &mut [f64], c: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += c * y);
}

impl Way<'_> {
    /// Values and derivatives of some quantities.
    pub fn back(&mut self, quantities: &[usize]) -> Result<(Vec<f64>, Vec<Vec<f64>>), SensitivityError> {
        let (n, variables) = (self.bundle.layout.n, self.vicinity.variables());
        let lanes = quantities.len().next_power_of_two();
        let columns = self.record.columns.len();
        let mut weights = Weights {
            quantities: quantities.to_vec(),
            lanes,
            y: vec![0.0; n * lanes],
            by: vec![0.0; variables * lanes],
            values: vec![f64::NAN; lanes],
            areas: vec![0.0; lanes],
            stages: vec![0.0; STAGES * n * lanes],
            rates: vec![0.0; n * lanes],
            columns: vec![0.0; columns * lanes],
            shown: vec![f64::NAN; columns],
            dy: vec![0.0; n],
        };
        let begin = self.record.begin();
        self.ask(begin, |equations, directions| {
            equations.weigh(directions, lanes);
            Ok(())
        })?;
        self.check_integrals(quantities)?;
        let mut items = std::mem::take(&mut self.items);
        let gone = self.back_over(&mut items, &mut weights);
        self.items = items;
        gone?;
        for (j, start) in self.starts.iter().enumerate() {
            let by = &mut weights.by[j * lanes..(j + 1) * lanes];
            for (y, s) in weights.y.chunks_exact(lanes).zip(start) {
                add(by, *s, y);
            }
        }
        let mut tables = vec![0.0; lanes];
        for j in 0..variables {
            self.ask(begin, |equations, directions| {
                equations.weighed(directions, j, &mut tables);
                Ok(())
            })?;
            add(&mut weights.by[j * lanes..(j + 1) * lanes], 1.0, &tables);
        }
        Ok(self.finished(&weights))
    }

    /// Values and derivatives; means and roots of mean squares from integrals.
    fn finished(&self, weights: &Weights) -> (Vec<f64>, Vec<Vec<f64>>) {
        let time = self.record.end() - self.record.begin();
        let (mut values, mut derivatives) = (Vec::new(), Vec::new());
        for (k, &i) in weights.quantities.iter().enumerate() {
            let area = weights.areas[k];
            let (own, scale) = match self.study.quantities[i].take {
                Take::Integral => (area, 1.0),
                Take::Mean => (area / time, 1.0 / time),
                Take::Rms => {
                    let value = (2.0 * area / time).max(0.0).sqrt();
                    (value, if value == 0.0 { 0.0 } else { 1.0 / (value * time) })
                }
                _ => (weights.values[k], 1.0),
            };
            values.push(own);
            let by = weights.by.iter().skip(k).step_by(weights.lanes);
            derivatives.push(by.map(|x| scale * x).collect());
        }
        (values, derivatives)
    }

    /// Integrals need columns that are on the tape.
    fn check_integrals(&mut self, quantities: &[usize]) -> Result<(), SensitivityError> {
        let known = self.bundle.directions.as_ref().map_or(&[][..], |directions| directions.known());
        for &i in quantities {
            let quantity = &self.study.quantities[i];
            if summed(quantity.take).is_some() && !known.get(self.record.taken[i]).is_some_and(|known| *known)
            {
                let column = &quantity.column;
                let why = format!(
                    "`{column}` needs accelerations, reactions or potentials, and `{}` all of its values",
                    quantity.name
                );
                return Err(SensitivityError::Refused {
                    method: Method::Adjoint,
                    t: self.record.begin(),
                    why,
                });
            }
        }
        Ok(())
    }

    /// Asks the equations of motion with the directions.
    fn ask<R>(
        &mut self,
        t: f64,
        of: impl FnOnce(&mut dyn Variational, &mut Directions) -> Result<R, MotionError>,
    ) -> Result<R, SensitivityError> {
        let Some(mut directions) = self.bundle.directions.take() else { return Err(refused(t)) };
        let asked = self.bundle.nominal.variational(t, |equations| of(equations, &mut directions));
        self.bundle.directions = Some(directions);
        Ok(asked.ok_or_else(|| refused(t))??)
    }

    fn back_over(&mut self, items: &mut [Item], weights: &mut Weights) -> Result<(), SensitivityError> {
        // legs are entered with the state that comes before them
        let mut entered = None;
        for at in (0..items.len()).rev() {
            let state = items[..at].iter().rposition(|item| matches!(item, Item::Enter(_)));
            if let Some(state) = state.filter(|state| entered != Some(*state))
                && let Item::Enter(own) = &items[state]
                && !matches!(items[at], Item::Enter(_))
            {
                self.bundle.nominal.enter(own)?;
                entered = Some(state);
            }
            match &mut items[at] {
                Item::Enter(_) => {}
                Item::Leg(leg) => {
                    for segment in (0..leg.segments()).rev() {
                        let Recalled { steps, states, read } =
                            self.walker.recall(&mut self.bundle.nominal, leg, segment)?;
                        let width = STAGES * self.bundle.layout.n;
                        for (k, (&step, stages)) in
                            steps.iter().zip(states.chunks_exact(width)).enumerate().rev()
                        {
                            self.step_back(step, stages, read.get(k).map(Vec::as_slice), weights)?;
                        }
                    }
                }
                Item::Instant { t, y, quantities, shown } => {
                    self.instant_back(*t, y, (quantities, shown), weights)?;
                }
                Item::Event(over) => self.event_back(over, weights)?,
                Item::Corner { moved, jump } => {
                    for (j, moved) in moved.iter().enumerate() {
                        let by = &mut weights.by[j * weights.lanes..][..weights.lanes];
                        for (y, jump) in weights.y.chunks_exact(weights.lanes).zip(&*jump) {
                            add(by, moved * jump, y);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// (A1) over a step.
    fn step_back(
        &mut self,
        (t, h): Step,
        states: &[f64],
        read: Option<&[f64]>,
        weights: &mut Weights,
    ) -> Result<(), SensitivityError> {
        let (n, lanes) = (self.bundle.layout.n, weights.lanes);
        let width = n * lanes;
        let sums: Vec<(usize, bool)> = weights
            .quantities
            .iter()
            .enumerate()
            .filter_map(|(k, &i)| Some((k, summed(self.study.quantities[i].take)?)))
            .collect();
        weights.stages.fill(0.0);
        for i in (0..STAGES).rev() {
            let tableau = &self.walker.tableau;
            let (b, t) = (tableau.b[i], t + tableau.c[i] * h);
            for (rate, y) in weights.rates.iter_mut().zip(&weights.y) {
                *rate = h * b * y;
            }
            for j in i + 1..STAGES {
                let a = tableau.a[j][i];
                if a != 0.0 {
                    add(&mut weights.rates, h * a, &weights.stages[j * width..(j + 1) * width]);
                }
            }
            let state = &states[i * n..(i + 1) * n];
            let Weights { quantities, stages, rates, columns, shown, areas, dy, .. } = &mut *weights;
            let stage = &mut stages[i * width..(i + 1) * width];
            let (taken, units) = (&self.record.taken, &self.record.column_units);
            let Some(mut directions) = self.bundle.directions.take() else { return Err(refused(t)) };
            let asked = self.bundle.nominal.variational(t, |equations| {
                equations.begin(t, state, dy)?;
                if b != 0.0 && !sums.is_empty() {
                    equations.read_columns(t, state);
                    equations.column_values(state, shown);
                    columns.fill(0.0);
                    for &(k, squared) in &sums {
                        let column = taken[quantities[k]];
                        let mut x = shown[column];
                        // angles are known up to whole turns; those of joints count them
                        if let Some(read) = read.filter(|_| units[column] == "rad") {
                            x -= TAU * ((x - read[column]) / TAU).round();
                        }
                        areas[k] += h * b * if squared { 0.5 * x * x } else { x };
                        columns[column * lanes + k] = h * b * if squared { x } else { 1.0 };
                    }
                    equations.pull_columns_back(&mut directions, columns, stage);
                }
                equations.pull_back(state, &mut directions, rates, stage);
                Ok(())
            });
            self.bundle.directions = Some(directions);
            asked.ok_or_else(|| refused(t))??;
        }
        for stage in weights.stages.chunks_exact(width) {
            weights.y.iter_mut().zip(stage).for_each(|(y, x)| *y += x);
        }
        Ok(())
    }

    /// (A2) at an instant.
    fn instant_back(
        &mut self,
        t: f64,
        y: &[f64],
        (quantities, shown): (&[usize], &[f64]),
        weights: &mut Weights,
    ) -> Result<(), SensitivityError> {
        let lanes = weights.lanes;
        let taken: Vec<(usize, usize)> = weights
            .quantities
            .iter()
            .enumerate()
            .filter(|(_, i)| quantities.contains(*i) && !self.by_event[**i])
            .map(|(k, &i)| (k, self.record.taken[i]))
            .collect();
        if taken.is_empty() {
            return Ok(());
        }
        taken.iter().for_each(|&(k, column)| weights.values[k] = shown[column]);
        let known = self.bundle.directions.as_ref().map_or(Vec::new(), |d| d.known().to_vec());
        let (on_tape, others): (Vec<_>, Vec<_>) = taken.into_iter().partition(|(_, column)| known[*column]);
        weights.columns.fill(0.0);
        on_tape.iter().for_each(|&(k, column)| weights.columns[column * lanes + k] = 1.0);
        let Weights { columns, y: weighed, .. } = &mut *weights;
        self.ask(t, |equations, directions| {
            equations.read_columns(t, y);
            equations.pull_columns_back(directions, columns, weighed);
            Ok(())
        })?;
        if !others.is_empty() {
            self.differences_back(t, y, &others, weights)?;
        }
        Ok(())
    }

    /// (A2) of columns that are on no tape: by displaced states, and by neighbours.
    fn differences_back(
        &mut self,
        t: f64,
        y: &[f64],
        taken: &[(usize, usize)],
        weights: &mut Weights,
    ) -> Result<(), SensitivityError> {
        let lanes = weights.lanes;
        let mut all = Vec::new();
        for i in 0..y.len() {
            let scale = self.walker.scale[i];
            let epsilon = FOUR.epsilon * if scale.is_finite() { scale } else { 1.0 };
            let mut found: Vec<Vec<f64>> = Vec::new();
            for multiple in FOUR.multiples {
                let mut y = y.to_vec();
                y[i] += multiple * epsilon;
                let mut shown = Vec::new();
                self.bundle.columns(self.record, t, &y, &mut shown)?;
                found.push(shown);
            }
            for &(k, column) in taken {
                let values: Vec<f64> = found.iter().map(|shown| shown[column]).collect();
                weights.y[i * lanes + k] += FOUR.slope(epsilon, &values);
            }
        }
        for j in 0..self.vicinity.variables() {
            let mut found: Vec<Vec<f64>> = Vec::new();
            for (k, mechanism) in self.vicinity.lines[j].iter().enumerate() {
                row(mechanism, self.bundle.line(j)?[k].frame(t, y)?, &mut all);
                found.push(self.record.columns.iter().map(|&column| all[column]).collect());
            }
            for &(k, column) in taken {
                let values: Vec<f64> = found.iter().map(|shown| shown[column]).collect();
                weights.by[j * lanes + k] += self.vicinity.slope(j, &values);
            }
        }
        Ok(())
    }

    /// (A3)
    fn event_back(&mut self, over: &mut Over, weights: &mut Weights) -> Result<(), SensitivityError> {
        let lanes = weights.lanes;
        let after = std::mem::take(&mut weights.y);
        // what follows from there as if nothing happened
        weights.y = vec![0.0; after.len()];
        self.back_over(&mut over.branch, weights)?;
        let through = |led: &Led, k: usize| -> f64 {
            led.y.iter().zip(after.iter().skip(k).step_by(lanes)).map(|(e, y)| e * y).sum()
        };
        for (k, &i) in weights.quantities.iter().enumerate() {
            for (c, led) in over.by_state.iter().enumerate() {
                weights.y[c * lanes + k] += through(led, k) + self.taken_at(over, led, i);
            }
            for (j, led) in over.by_variable.iter().enumerate() {
                weights.by[j * lanes + k] += through(led, k) + self.taken_at(over, led, i);
            }
        }
        Ok(())
    }

    /// What a quantity takes at an event, and what the time of the event adds to integrals; before these are divided by the time.
    fn taken_at(&self, over: &Over, led: &Led, i: usize) -> f64 {
        let record = self.record;
        let column = record.taken[i];
        let (before, after) = record.around(over.pieces.end);
        let (x, next) = (before[column], if over.last { 0.0 } else { after[column] });
        let value = record.values.as_ref().map_or(0.0, |values| values.values[i]);
        // an event that ends the run moves its end
        let longer = if over.last { led.t } else { 0.0 };
        match self.study.quantities[i].take {
            Take::Final if over.last => led.before[column],
            Take::Before(k) if k > 0 && over.events.contains(&(k - 1)) => led.before[column],
            Take::After(k) if k > 0 && over.events.contains(&(k - 1)) => {
                if over.finished {
                    led.before[column]
                } else {
                    led.after[column]
                }
            }
            Take::Max | Take::Min => match record.at_edge[i] {
                Some((piece, true)) if piece + 1 == over.pieces.end => led.before[column],
                Some((piece, false)) if piece == over.pieces.end => led.after[column],
                _ => 0.0,
            },
            Take::Integral => (x - next) * led.t,
            Take::Mean => (x - next) * led.t - value * longer,
            Take::Rms => 0.5 * (x * x - next * next) * led.t - 0.5 * value * value * longer,
            _ => 0.0,
        }
    }
}

fn refused(t: f64) -> SensitivityError {
    let why = "while contacts are closed equations of motion are not differentiated".into();
    SensitivityError::Refused { method: Method::Adjoint, t, why }
}
