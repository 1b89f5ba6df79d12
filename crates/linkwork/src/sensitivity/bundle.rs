//! A state with its derivatives by all variables at an instant: what they give to results, and what neighbours on a line have.
//!
//! A column c of the results depends on y and on p, so that at a given time
//!
//!   (B1)  ∂c/∂p_j = c_y S_j + c_(p_j)
//!
//! which is a derivative along the line of y + ε S_j and p_j + ε. Columns that can be written on a tape are differentiated there; of the others a [difference](super::stencil) of neighbours on
//! that line is taken.

use super::layout::Layout;
use super::record::Record;
use super::vicinity::Vicinity;
use super::{Design, SensitivityError, Study};
use crate::Error;
use crate::formulations::{Directions, Neighbours};
use crate::mechanism::Mechanism;
use crate::model::Formulation;
use crate::results::row;
use crate::simulation::{Probe, State};
use std::f64::consts::TAU;

pub(super) struct Bundle<'v> {
    pub vicinity: &'v Vicinity,
    pub nominal: Probe,
    /// By variable, in the order of the stencil; made when first asked for.
    probes: Vec<Vec<Probe>>,
    /// What was entered last.
    entered: Option<State>,
    pub formulation: Formulation,
    pub layout: Layout,
    /// What the variables change in the compiled tables; `None` where the equations are not differentiated.
    pub directions: Option<Directions>,
    y: Vec<f64>,
    found: Vec<f64>,
    row: Vec<f64>,
    wide: Vec<f64>,
}

/// What a probe on a line, given by its number, tells of a state.
pub(super) type Told<'t> =
    &'t mut dyn FnMut(usize, &mut Probe, f64, &[f64], &mut Vec<f64>) -> Result<(), Error>;

/// The nominal equations of motion, and what the variables change in their tables.
pub(super) struct Tables {
    probe: Probe,
    /// Point coordinates where the equations can be differentiated there, and otherwise the formulation of the run.
    pub formulation: Formulation,
    /// `None` where the equations are not differentiated.
    pub directions: Option<Directions>,
    /// Why they are not.
    pub why: Option<String>,
    /// What is left of doubts, by variable.
    doubts: Vec<f64>,
}

impl Tables {
    /// Those of a vicinity, which comes nearer where it has to, in the formulation of a run if they have to be; and of these columns.
    pub fn new(
        study: &Study<'_>,
        vicinity: &mut Vicinity,
        columns: &[usize],
        run: Formulation,
    ) -> Result<Self, SensitivityError> {
        let mut probe = Probe::new(&vicinity.nominal, Formulation::Points)?;
        let (mut found, mut doubts) = asked(&mut probe, &vicinity.neighbours(), columns)?;
        if doubts.iter().any(|doubt| *doubt > vicinity.stencil.doubt) {
            let nominal = vicinity.nominal.clone();
            doubts = vicinity.come_nearer(study, doubts, |alone| {
                let mut probe = Probe::new(&nominal, Formulation::Points)?;
                Ok(asked(&mut probe, alone, columns)?.1)
            })?;
            found = asked(&mut probe, &vicinity.neighbours(), columns)?.0;
        }
        Ok(match found {
            Ok(directions) => {
                let formulation = Formulation::Points;
                Tables { probe, formulation, directions: Some(directions), why: None, doubts }
            }
            Err(why) => {
                let probe = Probe::new(&vicinity.nominal, run)?;
                Tables { probe, formulation: run, directions: None, why: Some(why), doubts }
            }
        })
    }

    /// What makes derivatives slower than they are elsewhere, or less accurate.
    pub fn notes(&self, study: &Study<'_>, vicinity: &Vicinity) -> Vec<String> {
        let all = self.why.iter().map(|why| {
            format!("all equations of motion are differentiated by differences, for each number alone: {why}")
        });
        let forces = self.directions.iter().flat_map(|directions| directions.on_line());
        let forces = forces
            .map(|what| format!("forces are differentiated by differences, for each number alone: {what}"));
        all.chain(forces).chain(self.doubtful(study, vicinity)).collect()
    }

    /// Why the equations of motion cannot be differentiated without differences.
    pub fn lacking(&self) -> Option<String> {
        let on_line = self.directions.as_ref().and_then(|directions| directions.on_line().first());
        self.why.clone().or_else(|| on_line.cloned())
    }

    /// Variables that bend the compiled mechanism too much for its differences.
    pub fn doubtful(&self, study: &Study<'_>, vicinity: &Vicinity) -> Vec<String> {
        let limit = vicinity.stencil.doubt;
        let doubtful = study.designs.iter().zip(&self.doubts).filter(|(_, doubt)| **doubt > 10.0 * limit);
        let said = |(design, doubt): (&Design, &f64)| {
            let error = vicinity.stencil.error(*doubt);
            format!("what `{}` changes in the compiled mechanism is known to {error:.0e} of it", design.name)
        };
        doubtful.map(said).collect()
    }
}

/// What equations of motion say of neighbours, and their doubts.
fn asked(
    probe: &mut Probe,
    neighbours: &Neighbours<'_>,
    columns: &[usize],
) -> Result<(Result<Directions, String>, Vec<f64>), Error> {
    let asked = probe.variational(0.0, |equations| Ok(equations.directions(neighbours, columns)));
    let nobody = || Ok(Err("not all parts of its equations of motion are differentiated".into()));
    let found = asked.unwrap_or_else(nobody)?;
    Ok((found, neighbours.doubts()))
}

impl<'v> Bundle<'v> {
    /// A vicinity with its tables.
    pub fn new(vicinity: &'v Vicinity, tables: Tables) -> Self {
        let Tables { probe: nominal, formulation, directions, .. } = tables;
        let n = nominal.dimension();
        let layout = match &directions {
            Some(directions) => Layout::new(n, directions.blocks()),
            None => Layout::new(n, (0..vicinity.variables()).map(|j| (j..j + 1, 1))),
        };
        Bundle {
            vicinity,
            nominal,
            probes: Vec::new(),
            entered: None,
            formulation,
            layout,
            directions,
            y: vec![0.0; n],
            found: Vec::new(),
            row: Vec::new(),
            wide: Vec::new(),
        }
    }

    /// The probes on the line of a variable.
    pub fn line(&mut self, j: usize) -> Result<&mut [Probe], Error> {
        self.probes.resize_with(self.vicinity.variables(), Vec::new);
        if self.probes[j].is_empty() {
            for mechanism in &self.vicinity.lines[j] {
                let probe = self.probe_of(mechanism)?;
                self.probes[j].push(probe);
            }
        }
        Ok(&mut self.probes[j])
    }

    /// A probe of another mechanism, where all are.
    pub fn probe_of(&self, mechanism: &Mechanism) -> Result<Probe, Error> {
        let mut probe = Probe::new(mechanism, self.formulation)?;
        if let Some(state) = &self.entered {
            probe.enter(state)?;
        }
        Ok(probe)
    }

    /// A state with its locks, limits and contacts, in all probes; its y.
    pub fn enter(&mut self, state: &State) -> Result<Vec<f64>, Error> {
        for probe in self.probes.iter_mut().flatten() {
            probe.enter(state)?;
        }
        self.entered = Some(state.clone());
        self.nominal.enter(state)
    }

    /// y at the start of a mechanism of the vicinity, where nothing happens there.
    pub fn start(&self, mechanism: &Mechanism) -> Result<Vec<f64>, Error> {
        if self.formulation != Formulation::Points {
            return Ok(Probe::new(mechanism, self.formulation)?.start());
        }
        let mut y = mechanism.start_positions.clone();
        y.extend(&mechanism.start_velocities);
        y.push(0.0);
        y.extend(mechanism.initial_auxiliary());
        Ok(y)
    }

    /// The difference of something that probes on the line of a variable tell, into `out`.
    pub fn along(
        &mut self,
        j: usize,
        t: f64,
        whole: &[f64],
        out: &mut [f64],
        of: Told<'_>,
    ) -> Result<(), Error> {
        self.line(j)?;
        let vicinity = self.vicinity;
        let epsilon = vicinity.epsilons[j];
        out.fill(0.0);
        for (k, (multiple, weight)) in
            vicinity.stencil.multiples.iter().zip(vicinity.stencil.weights.best).enumerate()
        {
            for (i, y) in self.y.iter_mut().enumerate() {
                *y = whole[i] + multiple * epsilon * whole[self.layout.at(j, i)];
            }
            of(k, &mut self.probes[j][k], t, &self.y, &mut self.found)?;
            out.iter_mut().zip(&self.found).for_each(|(sum, found)| *sum += weight * found);
        }
        out.iter_mut().for_each(|x| *x /= epsilon);
        Ok(())
    }

    /// The kept columns at (t, y).
    pub fn columns(&mut self, record: &Record, t: f64, y: &[f64], out: &mut Vec<f64>) -> Result<(), Error> {
        row(&self.vicinity.nominal, self.nominal.frame(t, y)?, &mut self.row);
        out.clear();
        out.extend(record.columns.iter().map(|&column| self.row[column]));
        Ok(())
    }

    /// (B1) of all kept columns: by column and variable, one after the other.
    pub fn slopes(&mut self, record: &Record, t: f64, whole: &[f64]) -> Result<Vec<f64>, Error> {
        let (count, variables) = (record.columns.len(), self.layout.variables);
        let mut slopes = vec![0.0; count * variables];
        let known = self.slopes_on_tape(t, whole, &mut slopes)?;
        if known.iter().all(|known| *known) {
            return Ok(slopes);
        }
        let mut all = std::mem::take(&mut self.row);
        let mut found = vec![0.0; count];
        let mut first = vec![0.0; count];
        for j in 0..variables {
            let lines = &self.vicinity.lines[j];
            self.along(j, t, whole, &mut found, &mut |k, probe, t, y, kept| {
                row(&lines[k], probe.frame(t, y)?, &mut all);
                kept.clear();
                kept.extend(record.columns.iter().map(|&column| all[column]));
                if k == 0 {
                    first.copy_from_slice(kept);
                }
                // angles are known up to whole turns
                for ((x, first), unit) in kept.iter_mut().zip(&first).zip(&record.column_units) {
                    if unit == "rad" {
                        *x -= TAU * ((*x - first) / TAU).round();
                    }
                }
                Ok(())
            })?;
            for (c, slope) in found.iter().enumerate().filter(|(c, _)| !known[*c]) {
                slopes[c * variables + j] = *slope;
            }
        }
        self.row = all;
        Ok(slopes)
    }

    /// (B1) of those columns that are on a tape; tells which.
    fn slopes_on_tape(&mut self, t: f64, whole: &[f64], slopes: &mut [f64]) -> Result<Vec<bool>, Error> {
        let Bundle { nominal, directions, layout, wide, .. } = self;
        let count = slopes.len() / layout.variables.max(1);
        let Some(directions) = directions else { return Ok(vec![false; count]) };
        let asked = nominal.variational(t, |equations| {
            equations.read_columns(t, &whole[..layout.n]);
            for (b, block) in layout.blocks().iter().enumerate() {
                wide.clear();
                wide.resize(count * block.lanes, 0.0);
                equations.vary_columns(directions, b, &whole[block.range.clone()], wide);
                for (c, lanes) in wide.chunks_exact(block.lanes).enumerate() {
                    let own = &mut slopes[c * layout.variables..][block.variables.clone()];
                    own.copy_from_slice(&lanes[..own.len()]);
                }
            }
            Ok(directions.known().to_vec())
        });
        // while contacts are closed nobody differentiates equations, but columns are what they were
        asked.unwrap_or_else(|| Ok(vec![false; count]))
    }
}
