//! Every formulation with every integrator on one model: what finishes, what is refused, what fails and why.
//!
//! Each run has the model's own tolerance and step (its output step, where it gives none) and a limit of wall time. The error of a
//! run that finishes is the largest distance of a point, over the rows of the output grid and relative to the size, from the model's own
//! choice of formulation and integrator at a hundredth of its tolerance.

use super::work_precision::{Collector, distance, on_grid};
use super::{RunFailure, Status};
use crate::mechanism::Mechanism;
use crate::model::{Faults, Formulation, Integrator};
use std::time::Duration;

/// How much tighter the reference is.
const TIGHTER: f64 = 1e-2;
/// The tightest tolerance that rounding allows.
const TIGHTEST: f64 = 1e-14;

/// How one run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// It finished, so far from the reference; `None` where the reference did not, or has other rows.
    Finished(Option<f64>),
    /// It cannot run this model, with the reason.
    Refused(String),
    /// It failed.
    Failed(RunFailure),
    /// It had not ended when its time was up; it was then at this time of the motion, s.
    Late(f64),
}

/// The outcomes for one model.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Formulations, one a line.
    pub formulations: Vec<Formulation>,
    /// Integrators, one a column.
    pub integrators: Vec<Integrator>,
    /// The cells, line by line.
    pub cells: Vec<Cell>,
}

impl Matrix {
    /// A cell by line and column.
    pub fn cell(&self, formulation: usize, integrator: usize) -> &Cell {
        &self.cells[formulation * self.integrators.len() + integrator]
    }
}

impl Mechanism {
    /// Runs the mechanism in every formulation with every integrator, each run for at most `most` of wall time; `watch` is called before
    /// each. An error means that not even the model's own choice can begin.
    pub fn matrix(
        &self,
        most: Duration,
        watch: &mut dyn FnMut(Formulation, Integrator),
    ) -> Result<Matrix, Faults> {
        let settings = &self.model.settings;
        let (output_step, duration) = (settings.output_step, settings.duration);
        let mut tight = self.clone();
        let s = &mut tight.model.settings;
        s.tolerance = (TIGHTER * s.tolerance).max(TIGHTEST);
        let mut seen = Collector::new(most.saturating_mul(4));
        let summary = tight.run(&mut seen)?;
        let reference =
            (summary.status == Status::Finished).then(|| on_grid(&seen.rows, output_step, duration));
        let integrators: Vec<Integrator> =
            Integrator::ALL.into_iter().filter(|&i| i != Integrator::Auto).collect();
        let mut cells = Vec::new();
        for formulation in Formulation::ALL {
            for &integrator in &integrators {
                watch(formulation, integrator);
                let mut mechanism = self.clone();
                let s = &mut mechanism.model.settings;
                (s.formulation, s.integrator, s.order) = (formulation, integrator, None);
                if integrator.fixed_step() {
                    s.step = s.step.or(Some(output_step));
                }
                let mut seen = Collector::new(most);
                cells.push(match mechanism.run(&mut seen) {
                    Err(faults) => {
                        Cell::Refused(faults.list.first().map_or(String::new(), |f| f.message.clone()))
                    }
                    Ok(summary) => match (summary.status, summary.fallback) {
                        (_, Some(fallback)) => Cell::Refused(fallback.to_string()),
                        (Status::Failed(failure), _) => Cell::Failed(failure),
                        (Status::Stopped, _) => Cell::Late(summary.t),
                        (Status::Finished, _) => {
                            let rows = on_grid(&seen.rows, output_step, duration);
                            let same = reference.as_ref().filter(|reference| reference.len() == rows.len());
                            Cell::Finished(same.map(|reference| distance(&rows, reference) / self.size))
                        }
                    },
                });
            }
        }
        Ok(Matrix { formulations: Formulation::ALL.to_vec(), integrators, cells })
    }
}
